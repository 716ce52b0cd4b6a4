//! Settings of the appearance, the language, the pictures and the behaviour: layer by layer.

use super::*;
use crate::texts::{msg, msg_part};

#[test]
fn the_appearance_has_layers_too() {
    use GlyphChoice::{Ascii, Unicode};
    use ThemeChoice::{Auto, Dark, Light, None as Plain};
    type Case<'a> = (Option<ThemeChoice>, &'a [(&'a str, &'a str)], &'a str, ThemeChoice, GlyphChoice);
    let cases: &[Case<'_>] = &[
        (None, &[], "", Auto, Unicode),
        (None, &[], "theme='light'\nglyphs='ascii'", Light, Ascii),
        (None, &[("NO_COLOR", "1")], "theme='light'", Plain, Unicode),
        (None, &[("NO_COLOR", "")], "theme='light'", Light, Unicode),
        (Some(Dark), &[("NO_COLOR", "1")], "theme='light'", Dark, Unicode),
        (None, &[], "theme='auto'", Auto, Unicode),
        (Some(Auto), &[], "theme='light'", Auto, Unicode),
        (Some(Auto), &[("NO_COLOR", "1")], "", Plain, Unicode),
        (None, &[("NO_COLOR", "1")], "theme='auto'", Plain, Unicode),
        (None, &[], "theme='high-contrast'", ThemeChoice::HighContrast, Unicode),
        (None, &[], "theme='terminal'", ThemeChoice::Terminal, Unicode),
        (None, &[("LC_ALL", "C")], "", Auto, Ascii),
        (None, &[("LC_ALL", "C")], "glyphs='unicode'", Auto, Unicode),
        (None, &[("LC_CTYPE", "en_US.utf8"), ("LANG", "C")], "", Auto, Unicode),
        (None, &[("LANG", "POSIX")], "", Auto, Ascii),
        (None, &[("LANG", "")], "", Auto, Ascii),
    ];
    for (flag, env, config, theme, glyphs) in cases {
        let mut home = Home::with_config(config);
        for (name, value) in *env {
            home = home.set(name, value);
        }
        let flags = Flags { theme: *flag, ..Flags::default() };
        let ui = Settings::resolve(&flags, &home.env()).expect("settings").ui;
        assert_eq!((ui.theme.theme, ui.glyphs), (*theme, *glyphs), "{env:?} {config}");
    }
    let flags = Flags { glyphs: Some(Unicode), ..Flags::default() };
    let home = Home::with_config("glyphs='ascii'").set("LANG", "C");
    assert_eq!(Settings::resolve(&flags, &home.env()).expect("settings").ui.glyphs, Unicode);
}

#[test]
fn the_environment_guesses_whether_the_terminal_is_dark_or_light() {
    use ThemeChoice::{Auto, Dark, Light};
    for (colours, theme, drawn) in [
        ("0;15", Auto, Light),
        ("15;0", Auto, Dark),
        ("", Auto, Dark),
        ("0;15", Dark, Dark),
        ("15;0", Light, Light),
    ] {
        let home = Home::with_config(&format!("theme = '{}'", theme.word())).set("COLORFGBG", colours);
        let palette = Settings::resolve(&Flags::default(), &home.env()).expect("settings").ui.theme;
        assert_eq!((palette.theme, palette.drawn()), (theme, drawn), "{colours:?}");
    }
}

#[test]
fn the_language_is_that_of_the_settings_or_else_of_the_locale() {
    use Language::{English, Korean};
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], Language);
    let language = |config: &str, env: &[(&str, &str)]| {
        let home = env.iter().fold(Home::with_config(config), |home, (name, value)| home.set(name, value));
        Settings::resolve(&Flags::default(), &home.env()).expect("settings").ui.language
    };
    let cases: &[Case<'_>] = &[
        ("", &[("LANG", "ko_KR.UTF-8")], Korean),
        ("", &[("LANG", "en_US.UTF-8")], English),
        ("", &[("LANG", "de_DE.UTF-8")], English),
        ("", &[("LANG", "")], English),
        ("", &[("LANG", "ko_KR.UTF-8"), ("LC_MESSAGES", "C")], English),
        ("", &[("LANG", "C"), ("LC_ALL", "ko")], Korean),
        ("language = 'en'", &[("LC_ALL", "ko_KR.UTF-8")], English),
        ("language = 'ko'", &[("LC_ALL", "C")], Korean),
    ];
    for (config, env, expected) in cases {
        assert_eq!(language(config, env), *expected, "{config} {env:?}");
    }
    let home = Home::with_config("language = 'fr'");
    let said = wrong(home.settings());
    assert!(said.contains("line 1: language") && said.contains("en") && said.contains("ko"), "{said}");
}

#[test]
fn a_file_of_colours_stands_beside_the_settings() {
    let home = Home::with_config("theme = 'light'\n");
    let file = home.paths().theme_file();
    let palette = || Settings::resolve(&Flags::default(), &home.env()).map(|settings| settings.ui.theme);
    fs::write(&file, "base = 'terminal'\n[colours]\nerror = '#ff0000'\n").expect("a file");
    let read = palette().expect("settings");
    assert_eq!((read.theme, read.own(Role::Error)), (ThemeChoice::Light, Some(Colour::Rgb(255, 0, 0))));
    fs::write(home.paths().config_file(), "").expect("a file");
    assert_eq!(palette().expect("settings").theme, ThemeChoice::Terminal, "where nothing else says which");

    fs::write(&file, "[colours]\neror = 'red'\n").expect("a file");
    let said = wrong(home.settings());
    assert!(said.contains("theme.toml, line 2: colours.eror") && said.contains(msg("error")), "{said}");
    let demo = Settings::for_demo(&Flags::default(), &home.env());
    assert_eq!(demo.left_out.iter().map(|m| m.line).collect::<Vec<_>>(), [Some(2)], "{:?}", demo.left_out);
    assert_eq!(demo.ui.theme, ThemeChoice::Auto.into());
}

#[test]
fn pictures_are_shown_where_there_are_colours_and_signs_unless_it_is_said() {
    use PictureChoice::{Auto, Kitty, None as Off, Sixel};
    type Case<'a> = (Option<PictureChoice>, &'a [(&'a str, &'a str)], &'a str, PictureChoice);
    let cases: &[Case<'_>] = &[
        (None, &[], "", Auto),
        (None, &[], "pictures='sixel'", Sixel),
        (Some(Kitty), &[], "pictures='sixel'", Kitty),
        (Some(Off), &[], "pictures='sixel'", Off),
        (Some(Auto), &[], "pictures='none'", Auto),
        (None, &[("NO_COLOR", "1")], "", Off),
        (None, &[("NO_COLOR", "1")], "pictures='auto'", Off),
        (None, &[("NO_COLOR", "1")], "pictures='sixel'", Sixel),
        (None, &[], "theme='none'", Off),
        (None, &[], "glyphs='ascii'", Off),
        (None, &[("LANG", "C")], "", Off),
        (Some(Kitty), &[("LANG", "C")], "", Kitty),
        #[cfg(unix)]
        (None, &[("TERM", "linux")], "", Off),
        #[cfg(unix)]
        (None, &[("TERM", "dumb")], "", Off),
    ];
    for (flag, env, config, choice) in cases {
        let mut home = Home::with_config(config).set("TERM", "xterm-256color");
        for (name, value) in *env {
            home = home.set(name, value);
        }
        let flags = Flags { pictures: *flag, ..Flags::default() };
        let ui = Settings::resolve(&flags, &home.env()).expect("settings").ui;
        assert_eq!(ui.pictures.choice, *choice, "{flag:?} {env:?} {config}");
    }
}

#[test]
fn what_the_environment_says_of_the_terminal_is_heard() {
    let hints = |pairs: &[(&str, &str)]| {
        let home = pairs.iter().fold(Home::new().set("TERM", "xterm"), |home, (n, v)| home.set(n, v));
        Settings::resolve(&Flags::default(), &home.env()).expect("settings").ui.pictures.terminal
    };
    assert_eq!(hints(&[]), TerminalHints::default());
    for between in [("TMUX", "/tmp/x,1,0"), ("STY", "1.a"), ("ZELLIJ", "0"), ("TERM", "tmux-256color")] {
        assert!(hints(&[between]).multiplexer, "{between:?}");
    }
    assert!(hints(&[("TMUX", "/tmp/x,1,0")]).tmux && !hints(&[("STY", "1.a")]).tmux);
    assert!(hints(&[("TERM_PROGRAM", "Apple_Terminal")]).mute);
    for iterm2 in [("TERM_PROGRAM", "iTerm.app"), ("TERM_PROGRAM", "WezTerm"), ("LC_TERMINAL", "iTerm2")] {
        assert!(hints(&[iterm2]).iterm2, "{iterm2:?}");
    }
    for colours in ["truecolor", "24bit"] {
        assert!(hints(&[("COLORTERM", colours)]).true_colour, "{colours}");
    }
}

#[test]
fn where_pictures_are_is_kept_with_the_profile() {
    let with = |base: &str| format!("{PROFILE}\npicture_base = '{base}'\n");
    let home = Home::with_config(&with("https://cdn.example/badges/")).with_key("a", "k-1234");
    let profile = home.settings().expect("settings").profile.expect("a profile");
    assert_eq!(profile.picture_base.as_deref(), Some("https://cdn.example/badges"));
    for (base, said) in [
        ("cdn.example", "https://"),
        ("file:///pictures", "https://"),
        ("https://kim:SECRET@cdn.example", msg_part("user name")),
        ("https://cdn.example/?k=SECRET", msg_part("end before ?")),
    ] {
        let home = Home::with_config(&with(base)).with_key("a", "k-1234");
        let error = wrong(home.settings());
        assert!(error.contains("picture_base") && error.contains(said), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
}

#[test]
fn how_the_app_behaves_is_read_for_the_demo_too() {
    let home =
        Home::with_config("clipboard='osc52'\nnotice='bell'\nrefresh='2m'\nrecent=false\nrestore=false");
    let asked = AppSettings {
        clipboard: ClipboardChoice::Osc52,
        notice: NoticeChoice::Bell,
        refresh: RefreshChoice::TwoMinutes,
        recent: false,
        restore: false,
        ..AppSettings::default()
    };
    let without_look = |app: &AppSettings| AppSettings {
        theme: None,
        glyphs: None,
        pictures: None,
        language: None,
        ..app.clone()
    };
    assert_eq!(without_look(&home.settings().expect("settings").app), asked);
    assert_eq!(without_look(&Settings::for_demo(&Flags::default(), &home.env()).app), asked);
    assert_eq!(without_look(&Home::new().settings().expect("settings").app), AppSettings::default());
}

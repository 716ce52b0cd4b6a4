//! Settings: the layers, the mistakes, keys at rest, and keeping a profile.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

#[path = "config/changes.rs"]
mod changes;
#[path = "config/keys.rs"]
mod keys;

use lapel::config::{
    ClipboardChoice, Colour, ConfigError, DeskSettings, Env, Environment, Flags, GlyphChoice, JobPolicy,
    NewProfile, NoticeChoice, Paths, PictureChoice, Profile, RecentChoice, RefreshChoice, Role, Settings,
    TerminalHints, ThemeChoice, is_profile_name, keep_profile,
};
use lapel::words::Language;
use proptest::prelude::*;
use secrecy::ExposeSecret;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A key that must never be seen. It is a good variable name and a good file name too, since people paste
/// keys into any field.
const SECRET: &str = "dmu_live_s3cretS3cret0123456789";

/// A computer with nothing on it but what a test puts there.
struct Home {
    folder: TempDir,
    env: Vec<(String, String)>,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
        let env = vec![
            ("LAPEL_CONFIG_DIR".to_owned(), place("config")),
            ("LAPEL_DATA_DIR".to_owned(), place("data")),
            ("LANG".to_owned(), "ko_KR.UTF-8".to_owned()),
        ];
        Self { folder, env }
    }

    fn with_config(text: &str) -> Self {
        let home = Self::new();
        fs::create_dir_all(home.paths().keys_dir()).expect("folders");
        fs::write(home.paths().config_file(), text).expect("a settings file");
        home
    }

    fn with_key(self, name: &str, key: &str) -> Self {
        let path = self.paths().key_file(name);
        fs::create_dir_all(self.paths().keys_dir()).expect("a folder");
        fs::write(&path, key).expect("a key file");
        chmod(&path, 0o600);
        self
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn env(&self) -> Env {
        Env::of(self.env.clone())
    }

    fn paths(&self) -> Paths {
        Paths::find(&self.env()).expect("paths")
    }

    fn settings(&self) -> Result<Settings, ConfigError> {
        Settings::resolve(&Flags::default(), &self.env())
    }

    fn with(&self, profile: Option<&str>) -> Result<Settings, ConfigError> {
        let flags = Flags { profile: profile.map(str::to_owned), ..Flags::default() };
        Settings::resolve(&flags, &self.env())
    }

    fn profile(&self) -> Profile {
        self.settings().expect("settings").profile.expect("a profile")
    }

    fn config(&self) -> String {
        fs::read_to_string(self.paths().config_file()).expect("a settings file")
    }
}

#[cfg(unix)]
fn chmod(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("chmod");
}

#[cfg(unix)]
fn mode(path: impl AsRef<std::path::Path>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn key(profile: &Profile) -> &str {
    profile.key.known().expect("a key that is there").expose_secret()
}

const UNI: &str = "\
[profiles.uni]
environment = \"staging\"
base_url = \"https://uni.example/api/v1/ext\"
organisation = \"달무리대학교\"
";

// ---------------------------------------------------------------------------------------------- layers

#[test]
fn nothing_configured_is_no_mistake() {
    let home = Home::new();
    let settings = home.settings().expect("nothing is fine");
    assert!(settings.profile.is_none() && settings.profiles.is_empty() && settings.warnings.is_empty());
    assert_eq!(fs::read_dir(home.folder.path()).expect("the folder").count(), 0, "reading makes nothing");
}

#[test]
fn the_environment_alone_is_enough_and_counts_as_live() {
    let home =
        Home::new().set("LAPEL_BASE_URL", "https://b.example/api/v1/ext/").set("LAPEL_API_KEY", " k-1234\n");
    let profile = home.profile();
    assert_eq!(profile.environment, Environment::Live);
    assert_eq!((profile.base_url.as_str(), key(&profile)), ("https://b.example/api/v1/ext", "k-1234"));
    assert!(profile.from.contains("LAPEL_API_KEY"));

    let named = home.set("LAPEL_PROFILE", "nightly").profile();
    assert_eq!(named.name, "nightly", "all three together need no file");
}

#[test]
fn an_address_cannot_steer_a_terminal() {
    let home = Home::new()
        .set("LAPEL_BASE_URL", "https://bücher.example/\u{1b}[31m\u{202e}/api/v1/ext")
        .set("LAPEL_API_KEY", "k-1234");
    assert_eq!(home.profile().base_url, "https://xn--bcher-kva.example/%1B[31m%E2%80%AE/api/v1/ext");
}

#[test]
fn half_an_environment_is_pointed_out() {
    for (set, missing) in [("LAPEL_BASE_URL", "LAPEL_API_KEY"), ("LAPEL_API_KEY", "LAPEL_BASE_URL")] {
        let value = if set == "LAPEL_BASE_URL" { "https://b.example/api/v1/ext" } else { SECRET };
        let said = Home::new().set(set, value).settings().expect_err(set).to_string();
        assert!(said.starts_with(set) && said.contains(missing), "{said}");
        assert!(!said.contains(SECRET));
    }
    for empty in ["LAPEL_BASE_URL", "LAPEL_API_KEY", "LAPEL_PROFILE", "LAPEL_CONFIG_DIR"] {
        assert!(Home::new().set(empty, "").settings().is_ok(), "an empty {empty} is not set");
    }
}

#[test]
fn every_profile_setting_arrives() {
    let home = Home::with_config(
        "default_profile = 'b'\n[profiles.a]\nbase_url = 'https://a.example/api/v1/ext'\n[profiles.b]\n\
         environment = 'demo'\nbase_url = 'http://127.0.0.1:9/api/v1/ext'\norganisation = '새봄'\n\
         read_only = true\nrate_limit = 600\nutc_offset = '+09:00'\nproxy = 'http://p.example:8080'\n",
    )
    .with_key("b", "key-of-b\n");
    let settings = home.settings().expect("settings");
    let b = settings.profile.as_ref().expect("a profile");
    assert_eq!((b.name.as_str(), b.environment, b.read_only), ("b", Environment::Demo, true));
    assert_eq!((b.rate_limit, b.utc_offset.map(jiff::tz::Offset::seconds)), (Some(600), Some(32_400)));
    assert_eq!(
        (b.organisation.as_deref(), b.proxy.as_deref()),
        (Some("새봄"), Some("http://p.example:8080"))
    );
    assert_eq!(key(b), "key-of-b");
    let names: Vec<_> = settings.profiles.iter().map(|p| (p.name.as_str(), p.environment)).collect();
    assert_eq!(names, [("a", Environment::Live), ("b", Environment::Demo)], "unsaid is live");
    assert!(settings.named("a", &home.env()).expect_err("no key").to_string().contains("profiles.a.key"));
    assert_eq!(settings.named("b", &home.env()).expect("b").name, "b");
}

/// Where the name of the profile can come from, strongest first, and who wins.
#[test]
fn the_strongest_layer_names_the_profile() {
    let config = "[profiles.flag]\nbase_url='https://f.example/api/v1/ext'\nkey={env='K'}\n\
                  [profiles.env]\nbase_url='https://e.example/api/v1/ext'\nkey={env='K'}\n\
                  [profiles.default]\nbase_url='https://d.example/api/v1/ext'\nkey={env='K'}\n";
    for bits in 0..8 {
        let (flag, env, default) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
        let text = if default { format!("default_profile='default'\n{config}") } else { config.to_owned() };
        let mut home = Home::with_config(&text).set("K", "k-1234");
        if env {
            home = home.set("LAPEL_PROFILE", "env");
        }
        let found = home.with(flag.then_some("flag"));
        let expected = [(flag, "flag"), (env, "env"), (default, "default")].into_iter().find(|(on, _)| *on);
        match expected {
            Some((_, name)) => {
                let profile = found.expect("settings").profile.expect("a profile");
                assert_eq!(profile.name, name, "{bits:03b}");
                assert!(profile.base_url.starts_with(&format!("https://{}", &name[..1])));
            }
            None => {
                let said = found.expect_err("three, and none chosen").to_string();
                assert!(said.contains("default_profile") && said.contains("flag, env, default"), "{said}");
            }
        }
    }
}

#[test]
fn the_environment_takes_the_place_of_address_and_key() {
    let home = || Home::with_config(UNI).with_key("uni", "stored-key");
    assert_eq!(key(&home().profile()), "stored-key", "the only profile is the chosen one");

    let profile = home().set("LAPEL_API_KEY", "env-key").profile();
    assert_eq!((key(&profile), profile.environment), ("env-key", Environment::Staging));
    assert!(profile.from.contains("LAPEL_API_KEY"));

    // Same host, other path: still the service that the key was stored for.
    let profile = home().set("LAPEL_BASE_URL", "https://uni.example/v2/api/v1/ext").profile();
    assert_eq!((key(&profile), profile.environment), ("stored-key", Environment::Staging));

    // Another host: the stored key does not go there.
    let elsewhere = home().set("LAPEL_BASE_URL", "https://evil.example/api/v1/ext");
    let said = elsewhere.settings().expect_err("refused").to_string();
    assert!(said.contains("LAPEL_BASE_URL") && said.contains("another host"), "{said}");

    // With a key of its own, named: address and key are taken, the label of another service is not.
    let both = home()
        .set("LAPEL_BASE_URL", "https://other.example/api/v1/ext")
        .set("LAPEL_API_KEY", "env-key")
        .set("LAPEL_PROFILE", "uni")
        .profile();
    assert_eq!((both.base_url.as_str(), key(&both)), ("https://other.example/api/v1/ext", "env-key"));
    assert_eq!((both.environment, both.organisation), (Environment::Live, None));

    // Unnamed, the two are a profile of their own.
    let own = home()
        .set("LAPEL_BASE_URL", "https://other.example/api/v1/ext")
        .set("LAPEL_API_KEY", "env-key")
        .profile();
    assert_eq!(own.name, "environment");
}

#[test]
fn read_only_is_only_ever_switched_on() {
    let read_only = Flags { read_only: true, ..Flags::default() };
    for (line, flag) in [("", false), ("", true), ("read_only = true", false), ("read_only = true", true)] {
        let home = Home::with_config(&format!("{UNI}{line}\n")).with_key("uni", "k-1234");
        let flags = if flag { &read_only } else { &Flags::default() };
        let profile = Settings::resolve(flags, &home.env()).expect("settings").profile.expect("a profile");
        assert_eq!(profile.read_only, flag || !line.is_empty());
    }
}

#[test]
fn the_look_has_layers_too() {
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
    let said = Settings::resolve(&Flags::default(), &home.env()).expect_err("a mistake").to_string();
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
    let said = palette().expect_err("a mistake").to_string();
    assert!(said.contains("theme.toml, line 2: colours.eror") && said.contains("error"), "{said}");
    let demo = Settings::for_demo(&Flags::default(), &home.env());
    assert!(demo.warnings.join("\n").contains("theme.toml, line 2"), "{:?}", demo.warnings);
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
        ("https://kim:SECRET@cdn.example", "user name"),
        ("https://cdn.example/?k=SECRET", "before any ?"),
    ] {
        let home = Home::with_config(&with(base)).with_key("a", "k-1234");
        let error = home.settings().expect_err(base).to_string();
        assert!(error.contains("picture_base") && error.contains(said), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
}

#[test]
fn an_unusual_path_is_a_warning_only() {
    let home = Home::new().set("LAPEL_BASE_URL", "https://b.example/").set("LAPEL_API_KEY", "k-1234");
    let settings = home.settings().expect("settings");
    assert!(settings.warnings[0].contains("/api/v1/ext"), "{:?}", settings.warnings);
}

#[test]
fn how_the_desk_behaves_is_read_for_the_demo_too() {
    let home =
        Home::with_config("clipboard='osc52'\nnotice='bell'\nrefresh='2m'\nrecent=false\nrestore=false");
    let asked = DeskSettings {
        clipboard: ClipboardChoice::Osc52,
        notice: NoticeChoice::Bell,
        refresh: RefreshChoice::TwoMinutes,
        recent: RecentChoice::Off,
        restore: false,
    };
    assert_eq!(home.settings().expect("settings").desk, asked);
    assert_eq!(Settings::for_demo(&Flags::default(), &home.env()).desk, asked);
    assert_eq!(Home::new().settings().expect("settings").desk, DeskSettings::default());
}

// -------------------------------------------------------------------------------------------- mistakes

/// Text, the line of the mistake, the field, and what is said about it.
#[rustfmt::skip]
const MISTAKES: &[(&str, usize, &str, &str)] = &[
    ("theme = 'pink'\n", 1, "theme", "\"dark\", \"light\", \"high-contrast\", \"terminal\", \"none\""),
    ("\n\ntheme = 3\n", 3, "theme", "one of"),
    ("glyphs = 'emoji'\n", 1, "glyphs", "\"unicode\", \"ascii\""),
    ("pictures = 'ascii'\n", 1, "pictures", "\"auto\", \"kitty\""),
    ("recent = 'off'\n", 1, "recent", "true or false"),
    ("clipboard = 'x11'\n", 1, "clipboard", "\"auto\", \"native\", \"osc52\", \"off\""),
    ("notice = 'mail'\n", 1, "notice", "\"off\", \"bell\", \"desktop\""),
    ("refresh = 30\n", 1, "refresh", "\"off\", \"30s\", \"2m\""),
    ("# a comment\ncolour = 'SECRET'\n", 2, "colour", "not known"),
    ("profile = 'SECRET'\n", 1, "profile", "did you mean profiles?"),
    ("SECRET = 1\n", 1, "a name that is not shown", "not known"),
    ("SECRET\n", 1, "", "not TOML"),
    ("k = \"SECRET\n", 1, "", "not TOML"),
    ("theme = 'dark'\nk = 'SECRET\n\n", 2, "", "not TOML"),
    ("theme = 'dark'\ntheme = 'SECRET'\n", 2, "", "not TOML"),
    ("[profiles.a\nbase_url = 'SECRET'", 1, "", "not TOML"),
    ("api_key = 'SECRET'\n", 1, "api_key", "must not stand in this file"),
    ("key = 'SECRET'\n", 1, "key", "must not stand in this file"),
    ("default_profile = 'SECRET'\n", 1, "default_profile", "does not have; it has: none"),
    ("default_profile = 7\n", 1, "default_profile", "text in quotes"),
    ("profiles = 'SECRET'\n", 1, "profiles", "[profiles.demo]"),
    ("[profiles]\na = 'SECRET'\n", 2, "profiles.a", "a table"),
    ("[[profiles]]\nbase_url = 'SECRET'\n", 1, "profiles", "[profiles.demo]"),
    ("[profiles.\"../x\"]\nbase_url = 'https://a.example'\n", 1, "profiles", "1 to 40 letters"),
    ("[profiles.\"\"]\nbase_url = 'https://a.example'\n", 1, "profiles", "1 to 40 letters"),
    ("[profiles.\"a b\"]\nbase_url = 'https://a.example'\n", 1, "profiles", "1 to 40 letters"),
    ("[profiles.a]\n", 1, "profiles.a.base_url", "is missing"),
    ("[profiles.a]\nbase_url = 5\n", 2, "profiles.a.base_url", "text in quotes"),
    ("[profiles.a]\nbase_url = ''\n", 2, "profiles.a.base_url", "is empty"),
    ("[profiles.a]\nbase_url = 'SECRET'\n", 2, "profiles.a.base_url", "https://"),
    ("[profiles.a]\nbase_url = 'a.example/SECRET'\n", 2, "profiles.a.base_url", "https://"),
    ("[profiles.a]\nbase_url = 'http://a.example/SECRET'\n", 2, "profiles.a.base_url", "plain http"),
    ("[profiles.a]\nbase_url = 'https://kim:SECRET@a.example/'\n", 2, "profiles.a.base_url", "before the @"),
    ("[profiles.a]\nbase_url = 'https://a.example/?key=SECRET'\n", 2, "profiles.a.base_url", "before any ?"),
    ("[profiles.a]\nbase_url = 'ftp://a.example/SECRET'\n", 2, "profiles.a.base_url", "https://"),
    ("[profiles.a]\nbase_url = 'https://[SECRET'\n", 2, "profiles.a.base_url", "not an address"),
    ("PROFILE\nenvironment = 'SECRET'\n", 3, "profiles.a.environment", "\"demo\", \"staging\", \"live\""),
    ("PROFILE\nenvironment = 'LIVE'\n", 3, "profiles.a.environment", "\"live\""),
    ("PROFILE\nenviroment = 'SECRET'\n", 3, "profiles.a.enviroment", "did you mean environment?"),
    ("PROFILE\norganisation = ['SECRET']\n", 3, "profiles.a.organisation", "text in quotes"),
    ("PROFILE\nread_only = 'SECRET'\n", 3, "profiles.a.read_only", "true or false"),
    ("PROFILE\nread_only = 1\n", 3, "profiles.a.read_only", "true or false"),
    ("PROFILE\nrate_limit = 'SECRET'\n", 3, "profiles.a.rate_limit", "whole number"),
    ("PROFILE\nrate_limit = 0\n", 3, "profiles.a.rate_limit", "from 1"),
    ("PROFILE\nrate_limit = -5\n", 3, "profiles.a.rate_limit", "from 1"),
    ("PROFILE\nrate_limit = 99999999999999999999\n", 3, "profiles.a.rate_limit", "from 1"),
    ("PROFILE\nutc_offset = 'SECRET'\n", 3, "profiles.a.utc_offset", "+09:00"),
    ("PROFILE\nutc_offset = 9\n", 3, "profiles.a.utc_offset", "+09:00"),
    ("PROFILE\nproxy = 'SECRET'\n", 3, "profiles.a.proxy", "https://"),
    ("PROFILE\nproxy = 'socks5://kim:SECRET@p.example'\n", 3, "profiles.a.proxy", "http://"),
    ("PROFILE\nkey = 'SECRET'\n", 3, "profiles.a.key", "must not stand in this file"),
    ("PROFILE\nkey = ['SECRET']\n", 3, "profiles.a.key", "must not stand in this file"),
    ("PROFILE\napi_key = 'SECRET'\n", 3, "profiles.a.api_key", "must not stand in this file"),
    ("PROFILE\ntoken = 'SECRET'\n", 3, "profiles.a.token", "must not stand in this file"),
    ("PROFILE\nkey = {}\n", 3, "profiles.a.key", "neither env nor file"),
    ("PROFILE\nkey = { env = 'A', file = 'SECRET' }\n", 3, "profiles.a.key", "both env and file"),
    ("PROFILE\nkey = { value = 'SECRET' }\n", 3, "profiles.a.key.value", "not known"),
    ("PROFILE\nkey = { env = '' }\n", 3, "profiles.a.key.env", "is empty"),
    ("PROFILE\nkey = { env = 'SECRET+' }\n", 3, "profiles.a.key.env", "name of an environment variable"),
    ("PROFILE\nkey = { env = 'SECRET' }\n", 3, "profiles.a.key.env", "is not set"),
    ("PROFILE\nkey = { file = 'SECRET' }\n", 3, "profiles.a.key.file", "no file"),
    ("PROFILE\n", 1, "profiles.a.key", "put it into"),
    ("jobs = 'SECRET'\n", 1, "jobs", "a table of settings"),
    ("[jobs]\nin_flight = 0\n", 2, "jobs.in_flight", "from 1 to 8"),
    ("[jobs]\nin_flight = 9\n", 2, "jobs.in_flight", "from 1 to 8"),
    ("[jobs]\nbatch = 1001\n", 2, "jobs.batch", "from 1 to 1000"),
    ("[jobs]\nbatch = '100'\n", 2, "jobs.batch", "without quotes"),
    ("[jobs]\ndoubt_window_hours = 23\n", 2, "jobs.doubt_window_hours", "from 24 to 720"),
    ("[jobs]\nissue_looks = [1, 5]\n", 2, "jobs.issue_looks", "from 5"),
    ("[jobs]\nissue_looks = [60, 5]\n", 2, "jobs.issue_looks", "each larger"),
    ("[jobs]\nrevoke_looks = []\n", 2, "jobs.revoke_looks", "a list"),
    ("[jobs]\ndoubt_looks = 'soon'\n", 2, "jobs.doubt_looks", "a list"),
    ("[jobs]\nguard_age_minutes = 0.5\n", 2, "jobs.guard_age_minutes", "whole number"),
    ("[jobs]\nexpiring_days = -1\n", 2, "jobs.expiring_days", "from 0"),
    ("[jobs]\nkeep_days = 0\n", 2, "jobs.keep_days", "from 1"),
    ("[jobs]\nkeepdays = 1\n", 2, "jobs.keepdays", "did you mean keep_days"),
    ("[jobs]\nSECRET = 1\n", 2, "jobs", "not known"),
    ("[jobs]\npolicies = 'SECRET'\n", 2, "jobs.policies", "{ valid = \"block\" }"),
    ("[jobs.policies]\nvalid = 'SECRET'\n", 2, "jobs.policies.valid", "\"block\", \"ask\", \"allow\""),
    ("[jobs.policies]\nvalid = true\n", 2, "jobs.policies.valid", "one of"),
    ("[jobs.policies]\nlookalike = 'ask'\n", 2, "jobs.policies.lookalike", "did you mean look_alike"),
    ("[jobs.policies]\nnew = 'block'\n", 2, "jobs.policies.new", "known here: twin"),
    ("PROFILE\njobs = 3\n", 3, "profiles.a.jobs", "a table of settings"),
    ("PROFILE\n[profiles.a.jobs]\nbatch = 0\n", 4, "profiles.a.jobs.batch", "from 1"),
    ("PROFILE\njobs.policies = { valid = 'SECRET' }\n", 3, "profiles.a.jobs.policies.valid", "one of"),
    ("\r\nPROFILE\r\nread_only = 1\r\n", 4, "profiles.a.read_only", "true or false"),
    ("\u{feff}theme = 'SECRET'\n", 1, "theme", "one of"),
];

const PROFILE: &str = "[profiles.a]\nbase_url = 'https://a.example/api/v1/ext'";

#[test]
fn a_mistake_names_file_line_and_field_and_shows_no_value() {
    for (text, line, field, said) in MISTAKES {
        let text = text.replace("PROFILE", PROFILE).replace("SECRET", SECRET);
        let home = Home::with_config(&text);
        let error = home.settings().expect_err(&text);
        let first = &error.mistakes()[0];
        let whole = error.to_string();
        assert_eq!(first.file.as_deref(), Some(home.paths().config_file().as_path()), "{text}: {whole}");
        assert_eq!(first.line, Some(*line), "{text}: {whole}");
        assert!(first.field.as_deref().unwrap_or_default().contains(field), "{text}: {whole}");
        assert!(whole.contains(&format!("config.toml, line {line}: ")), "{text}: {whole}");
        assert!(whole.contains(said), "{text}: {whole}");
        assert!(!whole.contains(SECRET) && !format!("{error:?}").contains(SECRET), "{text}: {whole}");
        assert!(!whole.contains("s3cret"), "not even a part of it: {whole}");
    }
}

#[test]
fn what_a_profile_says_of_jobs_wins_over_what_is_said_for_all() {
    let home = Home::with_config(&format!(
        "[jobs]\nin_flight = 4\nbatch = 500\nkeep_days = 30\npolicies = {{ valid = 'block', revoked = 'allow' }}\n\
         {PROFILE}\nenvironment = 'demo'\nkey = {{ env = 'K' }}\n\
         [profiles.a.jobs]\nbatch = 10\nguard_age_minutes = 5\npolicies.valid = 'allow'\n\
         [profiles.b]\nbase_url = 'https://b.example/api/v1/ext'\nkey = {{ env = 'K' }}\n"
    ));
    let env = Env::of(home.env.iter().cloned().chain([("K".into(), "dmu_test_0123456789".into())]));
    let of = |name: &str| {
        let flags = Flags { profile: Some(name.to_owned()), ..Flags::default() };
        Settings::resolve(&flags, &env).expect("settings").profile.expect("a profile").jobs
    };
    let (a, b) = (of("a"), of("b"));
    assert_eq!((a.in_flight, a.batch, a.guard_age_minutes), (Some(4), Some(10), Some(5)));
    assert_eq!((a.keep_days, a.expiring_days, a.doubt_window_hours), (Some(30), None, None));
    assert_eq!(a.policies, [("revoked", JobPolicy::Allow), ("valid", JobPolicy::Allow)]);
    assert_eq!((b.in_flight, b.batch, b.guard_age_minutes), (Some(4), Some(500), None));
    assert_eq!(b.policies, [("valid", JobPolicy::Block), ("revoked", JobPolicy::Allow)]);
}

#[test]
fn there_is_an_index_only_where_the_file_says_so() {
    let home = Home::with_config(&format!(
        "[index]\nmax_age_days = 30\n{PROFILE}\nenvironment = 'demo'\nkey = {{ env = 'K' }}\n\
         [profiles.a.index]\nenabled = true\nrefresh_minutes = 5\n\
         [profiles.b]\nbase_url = 'https://b.example/api/v1/ext'\nkey = {{ env = 'K' }}\n"
    ));
    let env = Env::of(home.env.iter().cloned().chain([("K".into(), "dmu_test_0123456789".into())]));
    let of = |name: &str| {
        let flags = Flags { profile: Some(name.to_owned()), ..Flags::default() };
        Settings::resolve(&flags, &env).expect("settings").profile.expect("a profile").index
    };
    let (a, b) = (of("a"), of("b"));
    assert_eq!((a.enabled, a.max_age_days, a.refresh_minutes), (Some(true), Some(30), Some(5)));
    assert_eq!((b.enabled, b.max_age_days, b.refresh_minutes), (None, Some(30), None));
    for (wrong, field) in [("enabled = 'yes'", "index.enabled"), ("max_age_days = 0", "index.max_age_days")] {
        let said = Home::with_config(&format!("[index]\n{wrong}\n")).settings().expect_err("wrong");
        assert!(said.to_string().contains(field), "{said}");
    }
}

#[test]
fn all_mistakes_are_told_at_once_in_order() {
    let home =
        Home::with_config(&format!("theme = 1\n{PROFILE}\nread_only = 2\n[profiles.b]\nrate_limit = 0\n"));
    let lines: Vec<_> = home.settings().expect_err("four").mistakes().iter().map(|m| m.line).collect();
    assert_eq!(lines, [Some(1), Some(4), Some(5), Some(6)]);
}

#[test]
fn a_mistake_never_stops_the_demo() {
    for (text, line, ..) in MISTAKES {
        let text = text.replace("PROFILE", PROFILE).replace("SECRET", SECRET);
        let home = Home::with_config(&text);
        let settings = Settings::for_demo(&Flags::default(), &home.env());
        assert!(settings.profile.is_none());
        // A key that cannot be found is no matter of the demo at all.
        if !text.starts_with(PROFILE) || text.contains("read_only") {
            let warned = settings.warnings.join("\n");
            assert!(
                warned.contains(&format!("line {line}")) && !warned.contains("s3cret"),
                "{text}: {warned}"
            );
        }
    }
    let light = Home::with_config("theme = 'light'\n");
    let ui = Settings::for_demo(&Flags::default(), &light.env()).ui;
    assert_eq!(ui.theme.theme, ThemeChoice::Light, "the look of the desk is the user's, also in the demo");
}

#[test]
fn files_that_are_no_settings_are_refused() {
    let home = Home::new();
    let path = home.paths().config_file();
    fs::create_dir_all(&path).expect("a folder of that name");
    assert!(home.settings().expect_err("a folder").to_string().contains("is not a file"));

    let home = Home::with_config("");
    fs::write(home.paths().config_file(), b"theme = 'dark'\n# \xff\xfe\n").expect("bytes");
    let error = home.settings().expect_err("no UTF-8");
    assert_eq!(error.mistakes()[0].line, Some(2));
    assert!(error.to_string().contains("UTF-8"));

    fs::write(home.paths().config_file(), "#".repeat((1 << 20) + 1)).expect("a large file");
    assert!(home.settings().expect_err("too large").to_string().contains("larger than 1 MB"));

    fs::write(home.paths().config_file(), format!("a = {}", "[".repeat(100_000))).expect("a deep file");
    assert!(home.settings().expect_err("too deep").to_string().contains("not TOML"));
}

#[test]
fn a_profile_that_is_not_there_is_said_with_those_that_are() {
    let home = Home::with_config(UNI).with_key("uni", "k-1234");
    for (flag, env) in [(Some(SECRET), None), (None, Some(SECRET))] {
        let home = match env {
            Some(name) => Home::with_config(UNI).set("LAPEL_PROFILE", name),
            None => Home::with_config(UNI),
        };
        let said = home.with(flag).expect_err("no such profile").to_string();
        assert!(said.contains("There are: uni") && !said.contains("s3cret"), "{said}");
    }
    assert!(home.with(Some("uni")).is_ok());
}

#[test]
fn bad_variables_are_named_and_not_shown() {
    for (name, value) in [
        ("LAPEL_BASE_URL", "http://a.example/dmu_live_s3cret"),
        ("LAPEL_BASE_URL", "https://kim:s3cret@a.example/"),
        ("LAPEL_API_KEY", "s3cret s3cret"),
        ("LAPEL_API_KEY", "s3cret열쇠"),
        ("LAPEL_API_KEY", "   "),
    ] {
        let said = Home::new().set(name, value).settings().expect_err(name).to_string();
        assert!(said.starts_with(&format!("{name}: ")) && !said.contains("s3cret"), "{said}");
    }
    let both = Home::new().set("LAPEL_BASE_URL", "x").set("LAPEL_API_KEY", "a b");
    assert_eq!(both.settings().expect_err("both").mistakes().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_said() {
    use std::os::unix::ffi::OsStringExt;
    let home = Home::new();
    for name in ["LAPEL_API_KEY", "LAPEL_BASE_URL", "LAPEL_PROFILE"] {
        let bytes = std::ffi::OsString::from_vec(b"s3cret\xff".to_vec());
        let pairs = home.env.iter().map(|(k, v)| (k.clone(), v.into())).chain([(name.to_owned(), bytes)]);
        let said = Settings::resolve(&Flags::default(), &Env::of(pairs)).expect_err(name).to_string();
        assert!(said.contains(name) && said.contains("UTF-8") && !said.contains("s3cret"), "{said}");
    }
}

proptest! {
    /// Whatever stands in the file, and wherever the key stands in it, reading neither fails nor tells.
    #[test]
    fn no_file_makes_lapel_tell(before in "(\\PC|[\n\\[\\]{}=\"'.,#]|profiles|key|base_url){0,30}",
                                after in "(\\PC|[\n\\[\\]{}=\"'.,#]|profiles|key|base_url){0,30}") {
        let home = Home::with_config(&format!("{before}{SECRET}{after}"));
        // A profile may be called what a key is called; then it is a name.
        if let Err(error) = home.settings() {
            let named = error.mistakes().iter().all(|m| m.field.as_deref().is_some_and(|f| f.contains(SECRET)));
            prop_assert!(named || !error.to_string().contains(SECRET), "{}", error);
        }
        let _ = Settings::for_demo(&Flags::default(), &home.env());
    }
}

// ---------------------------------------------------------------------------------------- keys at rest

#[test]
fn keys_come_from_where_the_profile_says() {
    let home =
        Home::with_config(&format!("{PROFILE}\nkey = {{ env = 'UNI_KEY' }}\n")).set("UNI_KEY", " k-env \n");
    assert_eq!(key(&home.profile()), "k-env");

    let home = Home::with_config(&format!("{PROFILE}\nkey = {{ file = 'keys/other' }}\n"))
        .with_key("other", "k-file\n");
    assert_eq!(key(&home.profile()), "k-file", "from the config folder");

    let elsewhere = tempfile::NamedTempFile::new().expect("a file");
    fs::write(elsewhere.path(), "k-absolute").expect("written");
    let home =
        Home::with_config(&format!("{PROFILE}\nkey = {{ file = '{}' }}\n", elsewhere.path().display()));
    assert_eq!(key(&home.profile()), "k-absolute");
}

#[test]
fn a_key_file_that_cannot_hold_a_key_is_refused_without_being_shown() {
    for content in ["", "\n", "s3cret s3cret", "s3cret\ns3cret", "s3cret열쇠", &"s3cret".repeat(2000)] {
        let home = Home::with_config(UNI).with_key("uni", content);
        let said = home.settings().expect_err("no key").to_string();
        assert!(said.contains("keys") && !said.contains("s3cret"), "{said}");
    }
    let home = Home::with_config(UNI);
    fs::create_dir_all(home.paths().key_file("uni")).expect("a folder");
    assert!(home.settings().expect_err("a folder").to_string().contains("is not a file"));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused_with_the_remedy() {
    for open in [0o644, 0o640, 0o604, 0o660, 0o601] {
        let home = Home::with_config(UNI).with_key("uni", SECRET);
        let path = home.paths().key_file("uni");
        chmod(&path, open);
        let said = home.settings().expect_err("open to others").to_string();
        assert!(said.contains(&format!("chmod 600 {}", path.display())), "{said}");
        assert!(
            said.contains("config.toml, line 1: profiles.uni.key: ") && !said.contains("s3cret"),
            "{said}"
        );
        chmod(&path, 0o600);
        assert!(home.settings().is_ok());
    }
}

#[test]
fn nothing_prints_a_key() {
    let home = Home::with_config(&format!("{UNI}proxy = 'http://kim:s3cretproxy@p.example:1'\n"))
        .with_key("uni", SECRET)
        .set("OTHER", SECRET);
    let settings = home.settings().expect("settings");
    let shown = format!("{settings:?} {:?} {:?}", settings.profile, home.env());
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(shown.contains("uni.example"));
}

// ---------------------------------------------------------------------------------- keeping a profile

fn new(name: &str) -> NewProfile {
    NewProfile {
        organisation: Some("새 \"학교\"\\ 'x'".to_owned()),
        ..NewProfile::new(name, Environment::Staging, "https://new.example/api/v1/ext/")
    }
}

#[test]
fn a_kept_profile_is_found_again() {
    let home = Home::new();
    let kept = keep_profile(&home.paths(), &home.env(), &new("first"), " k-first\n").expect("kept");
    let found = home.profile();
    for profile in [&kept, &found] {
        assert_eq!((profile.name.as_str(), profile.environment), ("first", Environment::Staging));
        assert_eq!(profile.base_url, "https://new.example/api/v1/ext");
        assert_eq!(profile.organisation.as_deref(), Some("새 \"학교\"\\ 'x'"));
        assert_eq!(key(profile), "k-first");
        assert!(!profile.read_only);
    }
    assert_eq!(kept.from, found.from);
    assert!(!home.config().contains("k-first"), "no key in the settings");

    keep_profile(&home.paths(), &home.env(), &new("second"), "k-second").expect("kept");
    assert_eq!(home.profile().name, "first", "the first stays the default");
    assert_eq!(
        home.with(Some("second")).expect("settings").profile.map(|p| key(&p).to_owned()).as_deref(),
        Some("k-second")
    );
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_for_the_owner_only() {
    let home = Home::new();
    keep_profile(&home.paths(), &home.env(), &new("uni"), "k-1234").expect("kept");
    let paths = home.paths();
    assert_eq!((mode(&paths.config_dir), mode(paths.keys_dir())), (0o700, 0o700));
    assert_eq!((mode(paths.key_file("uni")), mode(paths.config_file())), (0o600, 0o600));
    // A wider mode that the user gave the settings is the user's.
    chmod(&paths.config_file(), 0o644);
    keep_profile(&paths, &home.env(), &new("two"), "k-5678").expect("kept");
    assert_eq!((mode(paths.key_file("two")), mode(paths.config_file())), (0o600, 0o644));
}

#[test]
fn what_stands_in_the_file_stays_byte_for_byte() {
    for old in [
        format!("# mine\r\n\r\ntheme   =  'light' # dim room\r\n{UNI}  # the end"),
        format!("default_profile='uni'\n{UNI}\n\n"),
        "\u{feff}glyphs = 'ascii'\n".to_owned(),
        "profiles.uni.base_url = 'https://uni.example/x'\n".to_owned(),
        "[profiles]\n  [profiles.uni]\n  base_url = 'https://uni.example/x'\n".to_owned(),
        "# only a comment".to_owned(),
    ] {
        let home = Home::with_config(&old);
        keep_profile(&home.paths(), &home.env(), &new("added"), "k-1234").expect(&old);
        let now = home.config();
        assert!(now.starts_with(&old), "{now}");
        assert!(home.with(Some("added")).is_ok(), "{now}");
        let left: Vec<_> = fs::read_dir(home.paths().config_dir)
            .expect("the folder")
            .flatten()
            .map(|e| e.file_name())
            .filter(|n| n.to_string_lossy().ends_with(".tmp"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn odd_names_addresses_and_keys_are_not_kept() {
    let home = Home::new();
    let refused = |new: &NewProfile, key: &str| {
        let error = keep_profile(&home.paths(), &home.env(), new, key).expect_err(&new.name);
        assert!(!home.paths().config_file().exists() && !home.paths().keys_dir().exists(), "{error}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    };
    for name in ["", "..", "../x", "a b", "a/b", "a.b", "열쇠", "a\n", &"x".repeat(41), "\\", "a\"]"] {
        assert!(!is_profile_name(name));
        refused(&new(name), "k-1234");
    }
    for name in ["a", "-", "_", "A-z_9", &"x".repeat(40)] {
        assert!(is_profile_name(name));
    }
    for base_url in ["", "b.example", "http://b.example/", "https://kim:s3cret@b.example/"] {
        refused(&NewProfile { base_url: base_url.to_owned(), ..new("uni") }, "k-1234");
    }
    for key in ["", " ", "s3cret s3cret", "s3cret\ns3cret", "열쇠"] {
        refused(&new("uni"), key);
    }
}

#[test]
fn nothing_is_lost_when_a_profile_cannot_be_kept() {
    let cases: [(&str, PathBuf, &str); 4] = [
        (UNI, PathBuf::new(), "there is a profile of this name"),
        ("theme = 'dmu_live_s3cret'\n", PathBuf::new(), "theme"),
        ("profiles = { x = { base_url = 'https://x.example/' } }\n", PathBuf::new(), "[profiles.uni]"),
        ("", PathBuf::from("uni"), "key file of this name"),
    ];
    for (config, old_key, said) in cases {
        let home = Home::with_config(config);
        if old_key.file_name().is_some() {
            fs::write(home.paths().keys_dir().join(&old_key), "older").expect("an older key");
        }
        let error =
            keep_profile(&home.paths(), &home.env(), &new("uni"), SECRET).expect_err(said).to_string();
        assert!(error.contains(said) && !error.contains("s3cret"), "{error}");
        assert_eq!(home.config(), config);
        let keys: Vec<_> = fs::read_dir(home.paths().keys_dir()).expect("keys").flatten().collect();
        assert_eq!(keys.len(), usize::from(old_key.file_name().is_some()), "no key is left behind");
        for key in keys {
            assert_eq!(fs::read_to_string(key.path()).expect("a key"), "older");
        }
    }
    let home = Home::with_config(UNI);
    let error =
        keep_profile(&home.paths(), &home.env(), &new("UNI"), SECRET).expect_err("differs in case only");
    assert!(error.to_string().contains("profile of this name"));
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_link_stays_one() {
    let home = Home::with_config("");
    let real = home.folder.path().join("dotfiles.toml");
    fs::write(&real, UNI).expect("the real file");
    fs::remove_file(home.paths().config_file()).expect("out of the way");
    std::os::unix::fs::symlink(&real, home.paths().config_file()).expect("a link");
    keep_profile(&home.paths(), &home.env(), &new("added"), "k-1234").expect("kept");
    assert!(fs::symlink_metadata(home.paths().config_file()).expect("there").is_symlink());
    assert!(fs::read_to_string(&real).expect("there").contains("[profiles.added]"));
}

#[test]
fn two_at_once_do_not_lose_each_other() {
    let home = Home::with_config("# both\n");
    let paths = home.paths();
    let keep = |name: String| {
        // One that finds the other writing is told to try again; nothing else may go wrong.
        for _ in 0..1000 {
            match keep_profile(&paths, &home.env(), &new(&name), "k-1234") {
                Ok(_) => return,
                Err(why) => assert!(why.to_string().contains("try again"), "{why}"),
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        panic!("never kept");
    };
    std::thread::scope(|scope| {
        for n in 0..8 {
            let keep = &keep;
            scope.spawn(move || keep(format!("p{n}")));
        }
    });
    let settings = home.with(Some("p0")).expect("settings");
    assert_eq!(settings.profiles.len(), 8);
}

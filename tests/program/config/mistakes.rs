//! Mistakes in the settings: each names its place, and none shows a value.

use super::*;
use crate::texts::{msg, msg_part};

/// Text, the line of the mistake, the field, and the message.
#[rustfmt::skip]
const MISTAKES: &[(&str, usize, &str, &str)] = &[
    ("theme = 'pink'\n", 1, "theme", "\"dark\", \"light\", \"high-contrast\", \"terminal\", \"none\""),
    ("\n\ntheme = 3\n", 3, "theme", "one of"),
    ("glyphs = 'emoji'\n", 1, "glyphs", "\"unicode\", \"ascii\""),
    ("joined_text = 'hide'\n", 1, "joined_text", "\"show\", \"replace\""),
    ("pictures = 'ascii'\n", 1, "pictures", "\"auto\", \"kitty\""),
    ("recent = 'off'\n", 1, "recent", "true or false"),
    ("clipboard = 'x11'\n", 1, "clipboard", "\"auto\", \"native\", \"osc52\", \"off\""),
    ("notice = 'mail'\n", 1, "notice", "\"off\", \"bell\", \"desktop\""),
    ("refresh = 30\n", 1, "refresh", "\"off\", \"30s\", \"2m\""),
    ("# a comment\ncolour = 'SECRET'\n", 2, "colour", "unknown field"),
    ("profile = 'SECRET'\n", 1, "profile", "did you mean profiles?"),
    ("SECRET = 1\n", 1, "(name not shown)", "unknown field"),
    ("SECRET\n", 1, "", "invalid TOML"),
    ("k = \"SECRET\n", 1, "", "invalid TOML"),
    ("theme = 'dark'\nk = 'SECRET\n\n", 2, "", "invalid TOML"),
    ("theme = 'dark'\ntheme = 'SECRET'\n", 2, "", "invalid TOML"),
    ("[profiles.a\nbase_url = 'SECRET'", 1, "", "invalid TOML"),
    ("api_key = 'SECRET'\n", 1, "api_key", "this file must not contain a key"),
    ("key = 'SECRET'\n", 1, "key", "this file must not contain a key"),
    ("default_profile = 'SECRET'\n", 1, "default_profile", "profiles in this file: none"),
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
    ("[profiles.a]\nbase_url = 'https://a.example/?key=SECRET'\n", 2, "profiles.a.base_url", "end before ?"),
    ("[profiles.a]\nbase_url = 'ftp://a.example/SECRET'\n", 2, "profiles.a.base_url", "https://"),
    ("[profiles.a]\nbase_url = 'https://[SECRET'\n", 2, "profiles.a.base_url", "not a URL"),
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
    ("PROFILE\nkey = 'SECRET'\n", 3, "profiles.a.key", "this file must not contain a key"),
    ("PROFILE\nkey = ['SECRET']\n", 3, "profiles.a.key", "this file must not contain a key"),
    ("PROFILE\napi_key = 'SECRET'\n", 3, "profiles.a.api_key", "this file must not contain a key"),
    ("PROFILE\ntoken = 'SECRET'\n", 3, "profiles.a.token", "this file must not contain a key"),
    ("PROFILE\nkey = {}\n", 3, "profiles.a.key", "neither env nor file"),
    ("PROFILE\nkey = { env = 'A', file = 'SECRET' }\n", 3, "profiles.a.key", "both env and file"),
    ("PROFILE\nkey = { value = 'SECRET' }\n", 3, "profiles.a.key.value", "unknown field"),
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
    ("[jobs]\nissue_checks = [1, 5]\n", 2, "jobs.issue_checks", "from 5"),
    ("[jobs]\nissue_checks = [60, 5]\n", 2, "jobs.issue_checks", "each larger"),
    ("[jobs]\nrevoke_checks = []\n", 2, "jobs.revoke_checks", "a list"),
    ("[jobs]\ndoubt_checks = 'soon'\n", 2, "jobs.doubt_checks", "a list"),
    ("[jobs]\nduplicate_check_minutes = 0.5\n", 2, "jobs.duplicate_check_minutes", "whole number"),
    ("[jobs]\nexpiring_days = -1\n", 2, "jobs.expiring_days", "from 0"),
    ("[jobs]\nkeep_days = 0\n", 2, "jobs.keep_days", "from 1"),
    ("[jobs]\nkeepdays = 1\n", 2, "jobs.keepdays", "did you mean keep_days"),
    ("[jobs]\nSECRET = 1\n", 2, "jobs", "unknown field"),
    ("[jobs]\npolicies = 'SECRET'\n", 2, "jobs.policies", "{ valid = \"block\" }"),
    ("[jobs.policies]\nvalid = 'SECRET'\n", 2, "jobs.policies.valid", "\"block\", \"ask\", \"allow\""),
    ("[jobs.policies]\nvalid = true\n", 2, "jobs.policies.valid", "one of"),
    ("[jobs.policies]\nlookalike = 'ask'\n", 2, "jobs.policies.lookalike", "did you mean look_alike"),
    ("[jobs.policies]\nnew = 'block'\n", 2, "jobs.policies.new", "known fields: twin"),
    ("PROFILE\njobs = 3\n", 3, "profiles.a.jobs", "a table of settings"),
    ("PROFILE\n[profiles.a.jobs]\nbatch = 0\n", 4, "profiles.a.jobs.batch", "from 1"),
    ("PROFILE\njobs.policies = { valid = 'SECRET' }\n", 3, "profiles.a.jobs.policies.valid", "one of"),
    ("\r\nPROFILE\r\nread_only = 1\r\n", 4, "profiles.a.read_only", "true or false"),
    ("\u{feff}theme = 'SECRET'\n", 1, "theme", "one of"),
];

/// What is not known must not make a profile less careful, and nobody else's profile.
#[test]
fn a_mistake_costs_its_field_the_right_to_send_or_the_profile() {
    #[derive(Debug, PartialEq)]
    enum Left {
        All,
        ReadOnly,
        Nothing,
    }
    let base = "base_url = 'https://a.example/api/v1/ext'";
    for (line, left) in [
        ("organisation = 5", Left::All),
        ("organisation = 'no end", Left::All),
        ("rate_limit = 'many'", Left::All),
        ("jobs = { batch = 0 }", Left::All),
        ("jobs.policies = { valid = 'blok' }", Left::ReadOnly),
        ("jobs.in_fligt = 3", Left::All),
        ("read_only = 'yes'", Left::ReadOnly),
        ("read_only = tru", Left::ReadOnly),
        ("readonly = true", Left::ReadOnly),
        ("reed_onli = true", Left::ReadOnly),
        ("organisation = Uni\nread_only = tru", Left::ReadOnly),
        ("read_only = tru\norganisation = Uni", Left::ReadOnly),
        ("rate_limit = [5,\nread_only = true", Left::ReadOnly),
        ("environment = 'stagging'", Left::ReadOnly),
        ("key_prefix = ''", Left::ReadOnly),
        ("key_fingerprint = 'x'", Left::ReadOnly),
        ("base_url = 'https://b.example/api/v1/ext'", Left::Nothing),
        ("proxy = 'p'", Left::Nothing),
        ("proxi = 'http://p.example'", Left::Nothing),
        ("key_command = \"pass 'badges\"", Left::Nothing),
        ("key = { keyrin = true }", Left::Nothing),
        ("key = { env = 'LAPEL_KEY'", Left::Nothing),
        ("ca_file = 7", Left::Nothing),
        ("api_key = 'x'", Left::Nothing),
        ("something that is no line", Left::ReadOnly),
    ] {
        let text = format!("default_profile = 'a'\n[profiles.a]\n{base}\n{line}\n[profiles.b]\n{base}\n");
        let home = Home::with_config(&text).with_key("a", "k-1234").with_key("b", "k-5678");
        let found = match home.settings() {
            Ok(settings) => {
                let profile = settings.profile.expect("a profile");
                assert_eq!((profile.name.as_str(), profile.environment), ("a", Environment::Live), "{line}");
                if profile.read_only { Left::ReadOnly } else { Left::All }
            }
            Err(error) => {
                assert!(error.to_string().contains(msg_part("profile a cannot be used")), "{line}: {error}");
                Left::Nothing
            }
        };
        assert_eq!(found, left, "{line}");
        let said = told(home.settings());
        assert!(matches!(said[0].line, Some(4 | 5)), "{line}: {said:?}");
        assert_eq!(
            said[0].to_string().contains(msg_part("profile a is read-only")),
            left == Left::ReadOnly,
            "{line}"
        );
        // The other one is as it was.
        let b = home.with(Some("b")).expect("it is right").profile.expect("a profile");
        assert!(!b.read_only, "{line}");
        // And the TUI starts.
        let tui = Settings::for_tui(&Flags::default(), &home.env()).expect("it starts");
        assert_eq!(tui.profile.is_none(), left == Left::Nothing, "{line}");
        assert_eq!(
            tui.refused.map(|(name, _)| name),
            (left == Left::Nothing).then(|| "a".to_owned()),
            "{line}"
        );
    }
}

#[test]
fn a_mistake_of_all_profiles_costs_all_of_them() {
    let base = "base_url = 'https://a.example/api/v1/ext'";
    for (head, read_only) in [
        ("theme = dark", false),
        ("[index]\nenabled = 'no'", false),
        ("[jobs]\nbatch = 0", false),
        ("[jobs]\nbatch = 1 2", false),
        ("[jobs.policies]\nvalid = 'blok'", true),
        ("[jobs.policies]\nvalid = block", true),
        ("[jobs.policies\nvalid = 'block'", true),
        ("[jobs]\npolicys = {}", true),
    ] {
        let home = Home::with_config(&format!("{head}\n[profiles.a]\n{base}\n")).with_key("a", "k-1234");
        let settings = home.settings().expect(head);
        assert!(!settings.left_out.is_empty(), "{head}");
        assert_eq!(settings.profile.expect("a profile").read_only, read_only, "{head}");
    }
}

/// A profile that cannot be used, or a wrong name, does not put another profile in its place.
#[test]
fn no_mistake_chooses_another_profile() {
    let (a, b) =
        ("[profiles.a]\nbase_url = 'https://a.example'\n", "[profiles.b]\nbase_url = 'https://b.example'\n");
    for (text, refused) in [
        (format!("default_profile = 'c'\n{a}"), ""),
        (format!("default_profile = c\n{a}"), ""),
        (format!("default_profile = 'a'\n{b}[profiles.a]\nbase_url = 5\n"), "a"),
        (format!("{b}[profiles.a]\nbase_url = 5\n"), ""),
        ("[profiles.a\nbase_url = 'https://a.example'\n".to_owned(), "nobody"),
        // Its key would be another one's.
        (format!("{a}[profiles.b\nkey = {{ env = 'B' }}\n"), "used"),
        (format!("{a}[profiles.a]\nread_only = true\n"), "a"),
    ] {
        let home = Home::with_config(&text).with_key("a", "k-1234").with_key("b", "k-5678");
        let tui = Settings::for_tui(&Flags::default(), &home.env()).expect("it starts");
        let found = match (&tui.profile, &tui.refused) {
            (Some(profile), None) => {
                assert_eq!(profile.key.fetch().expect("a key").expose_secret(), "k-1234", "{text}");
                "used"
            }
            (None, Some((name, _))) => name,
            (None, None) => "nobody",
            (Some(_), Some(_)) => panic!("{text}"),
        };
        assert_eq!(found, refused, "{text}");
        assert!(!tui.left_out.is_empty(), "{text}");
    }
}

#[test]
fn a_mistake_names_file_line_and_field_and_shows_no_value() {
    for (text, line, field, said) in MISTAKES {
        let text = text.replace("PROFILE", PROFILE).replace("SECRET", SECRET);
        let home = Home::with_config(&text);
        let found = told(home.settings());
        let first = &found[0];
        let whole = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert_eq!(first.file.as_deref(), Some(home.paths().config_file().as_path()), "{text}: {whole}");
        assert_eq!(first.line, Some(*line), "{text}: {whole}");
        assert!(first.field.as_deref().unwrap_or_default().contains(field), "{text}: {whole}");
        assert!(whole.contains(&format!("config.toml, line {line}: ")), "{text}: {whole}");
        assert!(whole.contains(said), "{text}: {whole}");
        assert!(!whole.contains(SECRET) && !format!("{found:?}").contains(SECRET), "{text}: {whole}");
        assert!(!whole.contains("s3cret"), "not even a part of it: {whole}");
    }
}

#[test]
fn all_mistakes_are_told_at_once_in_order() {
    let home =
        Home::with_config(&format!("theme = 1\n{PROFILE}\nread_only = 2\n[profiles.b]\nrate_limit = 0\n"));
    let lines: Vec<_> = told(home.settings()).iter().map(|m| m.line).collect();
    assert_eq!(lines[..4], [Some(1), Some(4), Some(5), Some(6)]);
}

#[test]
fn mistakes_of_several_files_are_told_together_and_shortly_for_the_demo() {
    let home = Home::with_config("theme = 1\nglyphs = 2\n");
    fs::write(home.paths().theme_file(), "[colours]\neror = 'red'\n").expect("a file");
    let found = told(home.settings());
    let lines: Vec<_> = found.iter().map(|m| m.line).collect();
    assert_eq!(lines, [Some(1), Some(2), Some(2)], "{found:?}");
    let demo = Settings::for_demo(&Flags::default(), &home.env());
    assert_eq!(demo.left_out, found);
    let said = lapel::config::left_out(&demo.left_out).expect("two files");
    assert_eq!(
        said,
        "Ignored: config.toml, line 1 (and 1 more), theme.toml, line 2. Run lapel info for details."
    );
    let one = lapel::config::left_out(&demo.left_out[2..]).expect("one file");
    assert!(
        one.starts_with("Ignored: theme.toml, line 2: colours.eror: ")
            && !one.contains(msg_part("lapel info")),
        "{one}"
    );
    assert_eq!(lapel::config::left_out(&[]), None);
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
            let left_out = settings.left_out.iter().map(ToString::to_string);
            let warned = left_out.chain(settings.warnings).collect::<Vec<_>>().join("\n");
            assert!(
                warned.contains(&format!("line {line}")) && !warned.contains("s3cret"),
                "{text}: {warned}"
            );
        }
    }
    let light = Home::with_config("theme = 'light'\n");
    let ui = Settings::for_demo(&Flags::default(), &light.env()).ui;
    assert_eq!(ui.theme.theme, ThemeChoice::Light, "the look of the TUI is the user's, also in the demo");
}

#[test]
fn files_that_are_no_settings_are_refused() {
    let home = Home::new();
    let path = home.paths().config_file();
    fs::create_dir_all(&path).expect("a folder of that name");
    assert!(home.settings().expect_err("a folder").to_string().contains(msg("is not a file")));

    let home = Home::with_config("");
    fs::write(home.paths().config_file(), b"theme = 'dark'\n# \xff\xfe\n").expect("bytes");
    let tui = |home: &Home| Settings::for_tui(&Flags::default(), &home.env());
    let settings = tui(&home).expect("one line is no UTF-8");
    assert_eq!(settings.left_out[0].line, Some(2));
    assert!(settings.left_out[0].what.contains("UTF-8"));
    assert_eq!(settings.ui.theme.theme, ThemeChoice::Dark, "the others are read");

    fs::write(home.paths().config_file(), "#".repeat((1 << 20) + 1)).expect("a large file");
    assert!(home.settings().expect_err("too large").to_string().contains(msg_part("larger than 1 MB")));

    fs::write(home.paths().config_file(), format!("a = {}", "[".repeat(100_000))).expect("a deep file");
    assert!(tui(&home).expect("one line is too deep").left_out[0].what.contains(msg_part("invalid TOML")));
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
        assert!(said.contains(msg_part("Profiles: uni")) && !said.contains("s3cret"), "{said}");
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
    /// Reading never panics and never shows the key, for any text in the file and any place of the key.
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

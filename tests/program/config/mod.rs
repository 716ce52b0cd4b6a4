//! Settings: the layers, the mistakes, keys at rest, and keeping a profile.

mod appearance;
mod changes;
mod journal;
#[cfg(feature = "keyring")]
mod keyring;
mod keys;
mod mistakes;
mod new_profiles;

use crate::texts::msg_part;
use lapel::config::{
    AppSettings, ClipboardChoice, Colour, ConfigError, Env, Environment, Flags, GlyphChoice, JobPolicy,
    Mistake, NewProfile, NoticeChoice, Paths, PictureChoice, Profile, ProfileInput, RefreshChoice, Role,
    Settings, TerminalHints, ThemeChoice, is_profile_name, named_profile, save_profile,
};
use lapel::i18n::Language;
use proptest::prelude::*;
use secrecy::ExposeSecret;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Its key is in lapel's own file, and all other settings have their defaults.
fn new_profile(name: &str, environment: Environment, base_url: &str) -> NewProfile {
    let input = ProfileInput::default().with("environment", environment.word());
    NewProfile::of(name, input.with("base_url", base_url))
}

/// A key that must never be seen. It is a good variable name and a good file name too, since people paste
/// keys into any field.
const SECRET: &str = "dmu_live_s3cretS3cret0123456789";

/// The mistakes in settings, both those that lapel skips and those that stop it.
fn told(settings: Result<Settings, ConfigError>) -> Vec<Mistake> {
    match settings {
        Ok(settings) => settings.left_out,
        Err(error) => error.mistakes().to_vec(),
    }
}

/// The same in words; something is wrong.
#[track_caller]
fn wrong(settings: Result<Settings, ConfigError>) -> String {
    let found = told(settings);
    assert!(!found.is_empty(), "nothing is said to be wrong");
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

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

const PROFILE: &str = "[profiles.a]\nbase_url = 'https://a.example/api/v1/ext'";

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
fn the_environment_says_the_services_zone() {
    let seconds = |home: Home| home.profile().utc_offset.map(jiff::tz::Offset::seconds);
    let alone =
        || Home::new().set("LAPEL_BASE_URL", "https://b.example/api/v1/ext").set("LAPEL_API_KEY", "k-1234");
    assert_eq!(seconds(alone()), None);
    assert_eq!(seconds(alone().set("LAPEL_UTC_OFFSET", "+09:00")), Some(9 * 3600));
    let said = alone().set("LAPEL_UTC_OFFSET", "KST").settings().expect_err("no zone").to_string();
    assert!(said.contains("LAPEL_UTC_OFFSET") && said.contains("+09:00"), "{said}");
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
    assert!(
        named_profile(&settings.paths, "a", &home.env())
            .expect_err("no key")
            .to_string()
            .contains("profiles.a.key")
    );
    assert_eq!(named_profile(&settings.paths, "b", &home.env()).expect("b").name, "b");
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
    assert!(said.contains("LAPEL_BASE_URL") && said.contains(msg_part("another host")), "{said}");

    // With a key of its own, named: address and key are taken, the label of another service is not.
    let both = home()
        .set("LAPEL_BASE_URL", "https://other.example/api/v1/ext")
        .set("LAPEL_API_KEY", "env-key")
        .set("LAPEL_PROFILE", "uni")
        .profile();
    assert_eq!((both.base_url.as_str(), key(&both)), ("https://other.example/api/v1/ext", "env-key"));
    assert_eq!((both.environment, both.organisation.as_deref()), (Environment::Live, None));

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
fn an_unusual_path_is_a_warning_only() {
    let home = Home::new().set("LAPEL_BASE_URL", "https://b.example/").set("LAPEL_API_KEY", "k-1234");
    let settings = home.settings().expect("settings");
    assert!(settings.warnings[0].contains("/api/v1/ext"), "{:?}", settings.warnings);
}

// -------------------------------------------------------------------------------------------- mistakes

#[test]
fn what_a_profile_says_of_jobs_wins_over_what_is_said_for_all() {
    let home = Home::with_config(&format!(
        "[jobs]\nin_flight = 4\nbatch = 500\nkeep_days = 30\npolicies = {{ valid = 'block', revoked = 'allow' }}\n\
         {PROFILE}\nenvironment = 'demo'\nkey = {{ env = 'K' }}\n\
         [profiles.a.jobs]\nbatch = 10\nduplicate_check_minutes = 5\npolicies.valid = 'allow'\n\
         [profiles.b]\nbase_url = 'https://b.example/api/v1/ext'\nkey = {{ env = 'K' }}\n"
    ));
    let env = Env::of(home.env.iter().cloned().chain([("K".into(), "dmu_test_0123456789".into())]));
    let of = |name: &str| {
        let flags = Flags { profile: Some(name.to_owned()), ..Flags::default() };
        Settings::resolve(&flags, &env).expect("settings").profile.expect("a profile").jobs
    };
    let (a, b) = (of("a"), of("b"));
    assert_eq!((a.in_flight, a.batch, a.duplicate_check_minutes), (Some(4), Some(10), Some(5)));
    assert_eq!((a.keep_days, a.expiring_days, a.doubt_window_hours), (Some(30), None, None));
    assert_eq!(a.policies, [("revoked", JobPolicy::Allow), ("valid", JobPolicy::Allow)]);
    assert_eq!((b.in_flight, b.batch, b.duplicate_check_minutes), (Some(4), Some(500), None));
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
    for (line, field) in [("enabled = 'yes'", "index.enabled"), ("max_age_days = 0", "index.max_age_days")] {
        let said = wrong(Home::with_config(&format!("[index]\n{line}\n")).settings());
        assert!(said.contains(field), "{said}");
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
    let said = home.settings().expect_err("a folder").to_string();
    let path = home.paths().key_file("uni").display().to_string();
    assert!(said.contains(msg_part("not a regular file")) && said.contains(&path), "{said}");
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

//! Changing and removing profiles: what a person has written stays.

use super::{Home, SECRET, UNI};
use crate::texts::{msg, msg_part};
use lapel::config::{
    AppSettings, Defaults, Env, Environment, Flags, IndexSettings, JobSettings, KeyPin, KeyStore,
    ProfileEdit, ProfileInput, Provenance, SettingSource, Settings, ThemeChoice, edit_profile,
    known_settings, named_profile, profiles, recent_file, remove_profile, templates_file,
};
use secrecy::SecretString;
use std::fs;

const MINE: &str = "\
# my settings
default_profile = \"uni\" # the usual one

# about the other one
[profiles.other]
base_url = 'https://other.example/api/v1/ext'

# old notes, to be kept

# about uni
[profiles.uni]
organisation = \"달무리\"   # as we say
base_url   = 'https://uni.example/api/v1/ext' # see the wiki
environment = 'live'
[profiles.uni.jobs]
in_flight = 2 # slowly

# last
[jobs]
batch = 10
";

pub fn home(text: &str) -> Home {
    Home::with_config(text).with_key("uni", "k-uni").with_key("other", "k-other")
}

/// A change of one setting.
fn one(key: &'static str, value: &str) -> ProfileEdit {
    ProfileEdit { input: ProfileInput::default().with(key, value), ..ProfileEdit::default() }
}

#[test]
fn a_change_leaves_comments_order_and_everything_else() {
    let home = home(MINE);
    let change = ProfileEdit {
        input: ProfileInput::default()
            .with("environment", "staging")
            .with("organisation", "새 이름")
            .with("read_only", "true")
            .with("proxy", "http://proxy.example:8080"),
        pin: Some(KeyPin { prefix: "dmu_live_".to_owned(), fingerprint: Some("0123abcd".to_owned()) }),
        ..ProfileEdit::default()
    };
    let (profile, remark) = edit_profile(&home.paths(), &home.env(), "uni", &change).expect("changed");
    assert_eq!((profile.environment, remark), (Environment::Staging, None));
    let expected = MINE.replace("\"달무리\"   # as we say", "\"새 이름\"   # as we say").replace(
        "environment = 'live'\n",
        "environment = \"staging\"\nread_only = true\nproxy = \"http://proxy.example:8080\"\n\
             key_prefix = \"dmu_live_\"\nkey_fingerprint = \"0123abcd\"\n",
    );
    assert_eq!(home.config(), expected);
    let read = named_profile(&home.paths(), "uni", &home.env()).expect("readable");
    assert_eq!(read.pin(), change.pin);
    assert!(read.read_only && read.jobs.in_flight == Some(2));

    let input = ProfileInput::default().with("organisation", "").with("read_only", "false").with("proxy", "");
    let back = ProfileEdit { input, ..ProfileEdit::default() };
    let (profile, _) = edit_profile(&home.paths(), &home.env(), "uni", &back).expect("changed");
    let settings = profile.settings;
    assert_eq!((&settings.organisation, &settings.proxy, settings.read_only), (&None, &None, false));
}

#[test]
fn profiles_can_be_changed_however_they_are_written() {
    for text in [
        "profiles.uni.base_url = 'https://uni.example/x'\n",
        "profiles = { uni = { base_url = 'https://uni.example/x' }, other = { base_url = 'https://o.example/' } }\n",
        "[profiles]\nuni = { base_url = 'https://uni.example/x' } # short\n",
        "[profiles.\"uni\"]\r\nbase_url = 'https://uni.example/x'\r\n",
    ] {
        let home = home(text);
        let change = one("base_url", "https://new.example/y/");
        edit_profile(&home.paths(), &home.env(), "uni", &change).expect(text);
        let read = named_profile(&home.paths(), "uni", &home.env()).expect(text);
        assert_eq!(read.base_url, "https://new.example/y", "{}", home.config());
        remove_profile(&home.paths(), &home.env(), "uni").expect(text);
        let left = profiles(&home.paths(), &home.env()).expect(text);
        assert_eq!(left.len(), usize::from(text.contains(msg("other"))), "{}", home.config());
    }
}

#[test]
fn a_change_that_cannot_be_made_changes_nothing() {
    let home = home(MINE);
    let bad = |change: ProfileEdit| {
        let error =
            edit_profile(&home.paths(), &home.env(), "uni", &change).expect_err("refused").to_string();
        assert!(!error.contains("s3cret"), "{error}");
        assert_eq!(home.config(), MINE);
        assert_eq!(fs::read_to_string(home.paths().key_file("uni")).expect("the key"), "k-uni");
    };
    bad(one("base_url", "http://uni.example/"));
    bad(one("proxy", "socks5://kim:s3cret@x"));
    bad(one("ca_file", "/no/such/file.pem"));
    bad(one("rate_limit", "5"));
    bad(ProfileEdit {
        key: Some((KeyStore::File, SecretString::from("s3cret s3cret"))),
        ..ProfileEdit::default()
    });
    bad(ProfileEdit {
        key: Some((KeyStore::Variable(format!("{SECRET}-")), SecretString::from(SECRET))),
        ..ProfileEdit::default()
    });
    let error =
        edit_profile(&home.paths(), &home.env(), "nobody", &ProfileEdit::default()).expect_err("no such");
    assert!(error.to_string().contains("other, uni"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_new_key_is_for_the_owner_only_whoever_could_read_the_old_one() {
    let home = home(UNI);
    let file = home.paths().key_file("uni");
    super::chmod(&file, 0o644);
    let change =
        ProfileEdit { key: Some((KeyStore::File, SecretString::from(SECRET))), ..ProfileEdit::default() };
    edit_profile(&home.paths(), &home.env(), "uni", &change).expect("changed");
    assert_eq!(super::mode(&file), 0o600);
}

#[test]
fn a_profile_is_removed_with_its_own_lines_and_its_own_key() {
    let home = home(MINE);
    let personal = |name: &str| {
        [
            home.paths().view_file(name),
            recent_file(&home.paths().data_dir, name),
            templates_file(&home.paths().data_dir, name),
        ]
    };
    for file in ["uni", "other"].iter().flat_map(|name| personal(name)) {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, "{}").expect("written");
    }
    let removed = remove_profile(&home.paths(), &home.env(), "uni").expect("removed");
    assert!(personal("uni").iter().all(|file| !file.exists()), "what holds names and addresses goes too");
    assert!(personal("other").iter().all(|file| file.exists()), "and what is another's stays");
    assert!(removed.was_default && removed.key.contains(msg_part("Removed its key file")), "{removed:?}");
    let expected = "\
# my settings

# about the other one
[profiles.other]
base_url = 'https://other.example/api/v1/ext'

# old notes, to be kept

# last
[jobs]
batch = 10
";
    assert_eq!(home.config(), expected);
    assert!(!home.paths().key_file("uni").exists() && home.paths().key_file("other").exists());

    remove_profile(&home.paths(), &home.env(), "other").expect("removed");
    assert!(profiles(&home.paths(), &home.env()).expect("a list").is_empty());
    assert!(
        home.config().contains("# old notes") && home.config().contains("batch = 10"),
        "{}",
        home.config()
    );
    let again = remove_profile(&home.paths(), &home.env(), "other").expect_err("gone").to_string();
    assert!(again.contains(msg_part("Profiles: none")), "{again}");
}

#[test]
fn a_key_that_lapel_does_not_keep_is_never_touched() {
    let home = Home::with_config(&format!("{UNI}key = {{ file = 'mine' }}\n"));
    let mine = home.paths().config_dir.join("mine");
    fs::write(&mine, "k-mine").expect("written");
    fs::write(home.paths().key_file("uni"), "k-stray").expect("written");
    let removed = remove_profile(&home.paths(), &home.env(), "uni").expect("removed");
    assert!(removed.key.contains(msg_part("was not changed")), "{removed:?}");
    assert!(mine.exists() && home.paths().key_file("uni").exists());
}

#[test]
fn the_default_can_be_another_one() {
    let home = home(MINE);
    let change = ProfileEdit { make_default: true, ..ProfileEdit::default() };
    edit_profile(&home.paths(), &home.env(), "other", &change).expect("changed");
    assert_eq!(home.config(), MINE.replace("\"uni\" # the", "\"other\" # the"));
    let list = profiles(&home.paths(), &home.env()).expect("a list");
    let default: Vec<&str> = list.iter().filter(|l| l.is_default).map(|l| l.name.as_str()).collect();
    assert_eq!(default, ["other"]);
}

fn provenance(flags: &Flags, env: &Env) -> Provenance {
    lapel::config::provenance(flags, env, &Defaults::default())
}

#[test]
fn a_survey_says_where_each_setting_comes_from_and_no_secret() {
    let home = home(MINE).set("NO_COLOR", "1").set("LAPEL_API_KEY", SECRET).set("LAPEL_LOG", SECRET);
    let flags = Flags { profile: Some("other".to_owned()), ..Flags::default() };
    let found = provenance(&flags, &home.env());
    let said = |name: &str| found.settings.iter().find(|s| s.name == name).expect(name).clone();
    assert_eq!(
        (said("profile").text().as_deref(), said("profile").source),
        (Some("other"), SettingSource::Flag)
    );
    assert_eq!(said("theme").source, SettingSource::Variable);
    assert_eq!(said("config_dir").source, SettingSource::Variable);
    assert_eq!(said("glyphs").source, SettingSource::Default);
    assert_eq!(found.overrides, ["LAPEL_API_KEY"]);
    assert_eq!(found.profile.as_ref().map(|line| line.name.as_str()), Some("other"));
    assert!(!format!("{found:?}").contains("s3cret"), "{found:?}");
    assert_eq!(provenance(&Flags::default(), &home.env()).settings[0].source, SettingSource::File);

    // Every mistake has an answer, which does not repeat what may be a key.
    for text in ["theme = 7\n", "[profiles.uni]\n", "not toml"] {
        let found = provenance(&Flags::default(), &home_with_mistake(text).env());
        assert!(!found.remarks.is_empty(), "{text}");
    }
    let named = Home::new().set("LAPEL_PROFILE", SECRET);
    assert!(!format!("{:?}", provenance(&Flags::default(), &named.env())).contains("s3cret"));
}

fn home_with_mistake(text: &str) -> Home {
    Home::with_config(text)
}

#[test]
fn a_variable_for_the_zone_is_told_with_its_source() {
    let home = Home::with_config(&format!("{UNI}utc_offset = '+01:00'\n")).with_key("uni", "k-0123456789");
    let home = home.set("LAPEL_UTC_OFFSET", "+09:00");
    let (found, used) = (provenance(&Flags::default(), &home.env()), home.profile());
    assert_eq!(used.text("utc_offset"), "+09:00");
    assert_eq!(of_profile(&found, "utc_offset"), (Some("+09:00".to_owned()), SettingSource::Variable));
    assert_eq!(used.settings.source("utc_offset"), SettingSource::Variable);
    assert_eq!(found.overrides, ["LAPEL_UTC_OFFSET"]);
}

#[test]
fn a_profile_of_variables_is_told_to_be_read_only_after_a_mistake() {
    let home = Home::with_config("[jobs]\npolicies = 7\n");
    let home =
        home.set("LAPEL_BASE_URL", "https://uni.example/api/v1/ext").set("LAPEL_API_KEY", "k-0123456789");
    assert!(home.profile().read_only);
    let found = provenance(&Flags::default(), &home.env());
    assert_eq!(of_profile(&found, "read_only"), (Some("true".to_owned()), SettingSource::File));
}

/// The value and the source of a profile's setting.
fn of_profile(found: &Provenance, name: &str) -> (Option<String>, SettingSource) {
    let settings = &found.profile.as_ref().expect("a profile").settings;
    let one = settings.iter().find(|one| one.name == name).expect(name);
    (one.text(), one.source)
}

#[test]
fn every_setting_is_told_as_a_run_resolves_it() {
    let text = format!(
        "theme = 'dark'\nclipboard = 'off'\n{UNI}read_only = true\nproxy = 'http://p.example:1'\n\
         [profiles.uni.journal]\nurl = 'postgres://kim@db.example/badges'\npassword = {{ env = 'DB' }}\n\
         [profiles.uni.jobs]\nbatch = 5\npolicies = {{ valid = 'block' }}\n\
         [jobs]\nbatch = 9\nin_flight = 3\n[index]\nenabled = true\n"
    );
    let home = Home::with_config(&text).with_key("uni", "k-0123456789").set("DB", "kim's 1st word");
    let elsewhere = home_of_variables(&text);
    for (env, flags) in [
        (home.env(), Flags::default()),
        (home.env(), Flags { read_only: true, theme: Some(ThemeChoice::None), ..Flags::default() }),
        (elsewhere.env(), Flags { profile: Some("uni".to_owned()), ..Flags::default() }),
        (elsewhere.env(), Flags::default()),
    ] {
        let used = Settings::resolve(&flags, &env).expect("settings");
        let profile = used.profile.expect("a profile");
        let found = provenance(&flags, &env);
        let told = |name: &str| found.settings.iter().find(|one| one.name == name).expect(name);
        let jobs = JobSettings::default();
        // What applies while the index is on.
        let index =
            IndexSettings { enabled: Some(false), max_age_days: Some(730), refresh_minutes: Some(15) };
        let resolved = [
            used.app.list("", &AppSettings::default()),
            profile.jobs.list("jobs.", &jobs),
            profile.index.list("index.", &index),
        ]
        .concat();
        for one in &resolved {
            assert_eq!(told(&one.name), one);
        }
        let own: Vec<String> = known_settings()
            .into_iter()
            .filter_map(|name| name.strip_prefix("profile.").map(str::to_owned))
            .collect();
        assert_eq!(resolved.len() + own.len(), known_settings().len());
        for name in own {
            let (value, source) = of_profile(&found, &name);
            assert_eq!(source, profile.settings.source(&name), "{name}");
            match name.as_str() {
                "key" => assert_eq!(value.as_deref(), Some(profile.key_from.as_str())),
                "journal.url" if profile.journal.is_some() => {
                    assert_eq!(value.as_deref(), Some("db.example/badges"), "without the user");
                }
                "journal.password" if profile.journal.is_some() => {
                    assert_eq!(value.as_deref(), Some("the variable DB"));
                }
                "rate_limit" => assert_eq!(value.as_deref(), Some("0"), "the default of this test"),
                _ => assert_eq!(value.unwrap_or_default(), profile.text(&name), "{name}"),
            }
        }
    }
}

fn home_of_variables(text: &str) -> Home {
    Home::with_config(text)
        .set("LAPEL_BASE_URL", "https://other.example/api/v1/ext")
        .set("LAPEL_API_KEY", "k-0123456789")
        .set("LAPEL_UTC_OFFSET", "+05:30")
        .set("NO_COLOR", "1")
        .set("DB", "kim's 1st word")
}

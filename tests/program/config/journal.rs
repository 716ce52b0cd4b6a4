//! The journal of a team: where the settings say that it is, and its password.

use super::changes::home;
use super::{Home, UNI, new_profile, told, wrong};
use crate::texts::{msg, msg_part};
use lapel::config::{
    Environment, KeyStore, NewProfile, ProfileEdit, ProfileInput, edit_profile, named_profile, profiles,
    remove_profile, save_profile,
};
use secrecy::{ExposeSecret, SecretString};
use std::fs;

const URL: &str = "postgres://kim@db.example/badges";
const PASSWORD: &str = "w0rd of the journal";

fn with_journal(lines: &str) -> Home {
    home(&format!("{UNI}[profiles.uni.journal]\n{lines}"))
}

fn password(home: &Home) -> String {
    let journal = home.profile().journal.expect("a journal");
    journal.password.expect("a password").fetch().expect("found").expose_secret().to_owned()
}

fn set_password(store: KeyStore) -> ProfileEdit {
    let journal_password = Some((store, SecretString::from(format!("{PASSWORD}\n"))));
    ProfileEdit { journal_password, ..ProfileEdit::default() }
}

fn set_url(url: &str) -> ProfileEdit {
    ProfileEdit { input: ProfileInput::default().with("journal.url", url), ..ProfileEdit::default() }
}

#[test]
fn a_profile_has_the_journal_on_this_computer_unless_it_names_another_one() {
    assert!(home(UNI).profile().journal.is_none());
    let journal =
        with_journal("url = 'postgres://kim@db.example:6432/badges'\n").profile().journal.expect("one");
    assert_eq!((journal.server.to_string(), &*journal.server.user), ("db.example:6432/badges".into(), "kim"));
    assert!(journal.password.is_none() && journal.ca.is_none());
    for text in [
        format!("{UNI}journal = {{ url = '{URL}' }}\n"),
        format!("{UNI}journal.url = ' {URL} '\n"),
        format!("{UNI}journal.url = 'postgres://kim@/badges?host=/run/postgresql'\n"),
    ] {
        assert!(home(&text).profile().journal.is_some(), "{text}");
    }
    // Also for another address of its service: a journal on this computer could issue twice.
    let elsewhere = with_journal(&format!("url = '{URL}'\n"))
        .set("LAPEL_PROFILE", "uni")
        .set("LAPEL_BASE_URL", "https://other.example/api/v1/ext")
        .set("LAPEL_API_KEY", "k-other");
    assert!(elsewhere.profile().journal.is_some());
}

#[test]
fn with_a_mistake_in_its_journal_a_profile_is_not_used() {
    let url = format!("url = '{URL}'\n");
    let with_url = |line: &str| format!("[profiles.uni.journal]\n{url}{line}");
    for (text, field, said) in [
        ("[profiles.uni.journal]\n".to_owned(), "journal.url", msg_part("is missing")),
        ("[profiles.uni.journal]\nca_file = 'x.pem'\n".to_owned(), "journal.url", msg_part("is missing")),
        (
            "journal = 'postgres://kim:hunter2@db.example/b'\n".to_owned(),
            "journal",
            msg_part("must be a table"),
        ),
        (
            "journal.url = 'postgres://kim:hunter2@db.example/b'\n".to_owned(),
            "journal.url",
            "must not contain",
        ),
        ("journal.url = 'hunter2'\n".to_owned(), "journal.url", "must have the form"),
        ("journal.url = 7\n".to_owned(), "journal.url", "must be text"),
        ("jurnal.url = 'x'\n".to_owned(), "jurnal", "did you mean journal?"),
        (with_url("password = 'hunter2'\n"), "journal.password", "must not contain a password"),
        (with_url("password = { env = 'hunter-2' }\n"), "journal.password.env", "not the password itself"),
        (with_url("password = { keyring = false }\n"), "journal.password.keyring", "must be true"),
        (with_url("password = { envy = 'X' }\n"), "journal.password.envy", "unknown field"),
        (with_url("password_command = []\n"), "journal.password_command", "must be a list"),
        (
            with_url("password = { keyring = true }\npassword_command = 'pass x'\n"),
            "journal.password_command",
            "set too",
        ),
        (with_url("password_command_timeout = 0\n"), "journal.password_command_timeout", "whole number"),
        (with_url("ca_file = ''\n"), "journal.ca_file", "is empty"),
        (with_url("pasword = { keyring = true }\n"), "journal.pasword", "did you mean password?"),
        (with_url("hunter2 = 1\n"), "journal", "not shown"),
        (with_url("url = 'again'\n"), "", "invalid TOML"),
        ("[profiles.uni.journal\nurl = 'x'\n".to_owned(), "", "invalid TOML"),
        (with_url("ca_file = x\n"), "", "invalid TOML"),
    ] {
        let home = home(&format!("{UNI}{text}"));
        let error = wrong(home.settings());
        assert!(error.contains(&format!("profiles.uni.{field}")) || field.is_empty(), "{text}: {error}");
        assert!(error.contains(said), "{text}: {error}");
        assert!(error.contains(msg_part("profile uni cannot be used")), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert!(home.settings().is_err() && named_profile(&home.paths(), "uni", &home.env()).is_err());
        // Variables do not make another profile of it, which would use the journal on this computer.
        let overridden = home
            .set("LAPEL_PROFILE", "uni")
            .set("LAPEL_BASE_URL", "https://uni.example/api/v1/ext")
            .set("LAPEL_API_KEY", "k-uni");
        assert!(overridden.settings().is_err(), "{text}");
    }
}

#[test]
fn a_journal_for_all_profiles_is_a_mistake_that_stops_every_profile() {
    for table in ["journal", "jurnal"] {
        let home = home(&format!("{UNI}[{table}]\nurl = '{URL}'\n"));
        let error = wrong(home.settings());
        assert!(error.contains("line 5: journal: ") && error.contains("[profiles.NAME.journal]"), "{error}");
        assert!(error.contains(msg_part("no profile can be used")), "{error}");
        assert!(home.settings().is_err());
    }
}

#[test]
fn its_password_comes_from_the_places_of_keys() {
    let home = with_journal(&format!("url = '{URL}'\npassword = {{ env = 'DB_PASSWORD' }}\n"));
    let error = wrong(home.settings());
    assert!(error.contains("config.toml, line 7: profiles.uni.journal.password.env: "), "{error}");
    let home = home.set("DB_PASSWORD", " two words 7 \n");
    assert_eq!(password(&home), " two words 7 ", "only the end of the line is cut off");
    assert!(!format!("{:?}", home.profile()).contains("two words"));

    let home = with_journal(&format!("url = '{URL}'\npassword = {{ file = 'secret' }}\n"));
    assert!(wrong(home.settings()).contains("journal.password.file: "));
    let file = home.paths().config_dir.join("secret");
    fs::write(&file, "pässwörd-1\n").expect("written");
    #[cfg(unix)]
    {
        super::chmod(&file, 0o644);
        let error = wrong(home.settings());
        assert!(error.contains("journal.password.file: ") && error.contains("chmod 600"), "{error}");
        super::chmod(&file, 0o600);
    }
    assert_eq!(password(&home), "pässwörd-1");
    for bad in ["", "\n", "two\nlines\n", "a\tb"] {
        fs::write(&file, bad).expect("written");
        assert!(told(home.settings()).iter().any(|mistake| mistake.what.contains("password")), "{bad:?}");
    }

    let home = with_journal(&format!("url = '{URL}'\npassword = {{ keyring = true }}\n"));
    assert!(home.profile().journal.expect("one").password.expect("one").known().is_none(), "not asked yet");
}

#[cfg(unix)]
#[test]
fn a_command_prints_its_password_when_it_is_asked_for() {
    let home = with_journal(&format!("url = '{URL}'\npassword_command = ['/bin/echo', 'the 1 word']\n"));
    assert_eq!(password(&home), "the 1 word");
    let home = with_journal(&format!("url = '{URL}'\npassword_command = ['/bin/sh', '-c', 'exit 3']\n"));
    let journal = home.profile().journal.expect("one");
    let error = journal.password.expect("one").fetch().expect_err("failed").to_string();
    assert!(
        error.contains("config.toml, line 7: profiles.uni.journal.password_command: the command"),
        "{error}"
    );
}

#[test]
fn its_certificates_are_read_with_the_profile() {
    let home = with_journal(&format!("url = '{URL}'\nca_file = 'team.pem'\n"));
    assert!(wrong(home.settings()).contains("line 7: profiles.uni.journal.ca_file: "));
    let pem = home.paths().config_dir.join("team.pem");
    fs::write(&pem, "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").expect("written");
    let profile = home.profile();
    assert_eq!(profile.journal.expect("one").ca.expect("read").path, pem);
    assert!(profile.ca.is_none(), "they are not for the service");
}

#[test]
fn an_edit_writes_its_table_and_keeps_the_rest() {
    let text = format!(
        "# first\n{UNI}# about jobs\n[profiles.uni.jobs]\nbatch = 5 # few\n\n# last\n[jobs]\nbatch = 10\n"
    );
    let home = home(&text);
    let edit = |change: &ProfileEdit| edit_profile(&home.paths(), &home.env(), "uni", change);
    edit(&set_url(URL)).expect("changed");
    let table = format!("[profiles.uni.journal]\nurl = \"{URL}\"\n");
    assert!(home.config().contains(&table), "{}", home.config());
    assert_eq!(home.config().replace(&format!("\n{table}"), ""), text);

    let (profile, remark) = edit(&set_password(KeyStore::File)).expect("changed");
    assert!(remark.is_none() && !format!("{profile:?}").contains(PASSWORD));
    assert!(home.config().contains("password = { file = \"keys/uni.journal\" }"), "{}", home.config());
    assert!(!home.config().contains(PASSWORD));
    assert_eq!(password(&home), PASSWORD);
    let file = home.paths().journal_password_file("uni");
    #[cfg(unix)]
    assert_eq!(super::mode(&file), 0o600);
    let line = &profiles(&home.paths(), &home.env()).expect("a list")[0];
    assert_eq!(line.journal.password_store("uni"), Some(KeyStore::File));

    // Comments in the table stay, and a password elsewhere is not lapel's.
    fs::write(
        home.paths().config_file(),
        home.config().replace(
            &table,
            &format!("# shared\n\n# since May\n[profiles.uni.journal] # team\nurl = '{URL}' # theirs\n"),
        ),
    )
    .expect("written");
    edit(&set_url("postgres://lee@db.example/badges")).expect("changed");
    assert!(
        home.config().contains("url = \"postgres://lee@db.example/badges\" # theirs\n"),
        "{}",
        home.config()
    );
    edit(&set_password(KeyStore::Variable("DB_PASSWORD".into()))).expect("changed");
    assert!(home.config().contains("password = { env = \"DB_PASSWORD\" }"), "{}", home.config());
    assert!(!file.exists(), "the file went");
    edit(&set_password(KeyStore::File)).expect("changed");

    edit(&set_url("")).expect("changed");
    assert!(!file.exists(), "the password went with the journal");
    let left = home.config();
    assert!(!left.contains("journal") && !left.contains("since May"), "{left}");
    assert_eq!(left.replace("# shared\n\n", ""), text, "{left}");
}

#[test]
fn an_edit_that_cannot_be_made_changes_nothing() {
    let text = format!("{UNI}[profiles.uni.journal]\nurl = '{URL}'\n");
    let home = home(&text);
    let both = ProfileEdit {
        input: ProfileInput::default().with("journal.url", ""),
        ..set_password(KeyStore::File)
    };
    for (change, field) in [
        (set_url("postgres://kim:hunter2@db.example/b"), "journal.url: "),
        (set_url("https://db.example/b"), "journal.url: "),
        (both, "journal.url: "),
        (set_password(KeyStore::Variable(PASSWORD.into())), "journal.password: "),
        (
            ProfileEdit {
                journal_password: Some((KeyStore::File, SecretString::from("hunter2\nhunter2"))),
                ..ProfileEdit::default()
            },
            "journal.password: ",
        ),
    ] {
        let error = edit_profile(&home.paths(), &home.env(), "uni", &change).expect_err(field).to_string();
        assert!(error.contains(field) && !error.contains("hunter2") && !error.contains(PASSWORD), "{error}");
        assert_eq!(home.config(), text);
        assert!(!home.paths().journal_password_file("uni").exists());
    }
    // What lies there and is not the profile's is not overwritten.
    fs::write(home.paths().journal_password_file("uni"), "somebody's").expect("written");
    let change = set_password(KeyStore::File);
    let error = edit_profile(&home.paths(), &home.env(), "uni", &change).expect_err("taken").to_string();
    assert!(error.contains(msg_part("this file exists and was not changed")), "{error}");
    assert_eq!(
        (
            home.config(),
            fs::read_to_string(home.paths().journal_password_file("uni")).expect("there").as_str()
        ),
        (text, "somebody's")
    );
}

#[test]
fn a_new_profile_may_have_one_and_it_goes_with_the_profile() {
    let home = Home::new();
    let new = new_profile("uni", Environment::Live, "https://uni.example/api/v1/ext");
    let password = Some((KeyStore::File, SecretString::from(PASSWORD)));
    let without = NewProfile { journal_password: password.clone(), ..new.clone() };
    let error =
        save_profile(&home.paths(), &home.env(), &without, "k-1234").expect_err("no journal").to_string();
    assert!(error.contains("journal.url") && !home.paths().config_file().exists(), "{error}");

    let new = NewProfile { input: new.input.with("journal.url", URL), journal_password: password, ..new };
    save_profile(&home.paths(), &home.env(), &new, "k-1234").expect("saved");
    let table =
        format!("\n[profiles.uni.journal]\nurl = \"{URL}\"\npassword = {{ file = \"keys/uni.journal\" }}\n");
    assert!(home.config().ends_with(&table), "{}", home.config());
    assert_eq!(self::password(&home), PASSWORD);
    assert!(!format!("{new:?}").contains(PASSWORD));

    let removed = remove_profile(&home.paths(), &home.env(), "uni").expect("removed");
    assert_eq!(removed.journal_password.as_deref(), Some(msg("Removed its journal password.")));
    assert_eq!(fs::read_dir(home.paths().keys_dir()).expect("keys").count(), 0);
    assert!(!home.config().contains("journal"), "{}", home.config());
}

#[test]
fn no_password_is_left_behind_when_a_profile_cannot_be_saved() {
    let home = Home::with_config("");
    fs::write(home.paths().journal_password_file("uni"), "older").expect("written");
    let new = new_profile("uni", Environment::Live, "https://uni.example/api/v1/ext");
    let new = NewProfile {
        input: new.input.with("journal.url", URL),
        journal_password: Some((KeyStore::File, SecretString::from(PASSWORD))),
        ..new
    };
    save_profile(&home.paths(), &home.env(), &new, "k-1234").expect_err("taken");
    assert_eq!(home.config(), "");
    assert!(!home.paths().key_file("uni").exists(), "the key was taken back");
    assert_eq!(fs::read_to_string(home.paths().journal_password_file("uni")).expect("there"), "older");
}

#[cfg(feature = "keyring")]
#[test]
fn a_password_in_the_keyring_has_an_entry_of_its_own() {
    let keyring = super::keyring::keyring();
    let home = with_journal(&format!("url = '{URL}'\n"));
    let env = home.env().with_keyring(keyring.clone());
    keyring.write("uni", &SecretString::from("the key")).expect("kept");
    edit_profile(&home.paths(), &env, "uni", &set_password(KeyStore::Keyring)).expect("changed");
    assert!(home.config().contains("password = { keyring = true }"), "{}", home.config());
    assert_eq!(keyring.read("uni/journal").expect("readable").expect("there").expose_secret(), PASSWORD);
    assert_eq!(keyring.read("uni").expect("readable").expect("there").expose_secret(), "the key");

    let settings = lapel::config::Settings::resolve(&lapel::config::Flags::default(), &env);
    let settings = settings.expect("settings");
    let journal = settings.profile.expect("a profile").journal.expect("one");
    assert_eq!(journal.password.expect("one").fetch().expect("there").expose_secret(), PASSWORD);
    keyring.forget("uni/journal").expect("gone");
    let journal = named_profile(&home.paths(), "uni", &env).expect("readable").journal.expect("one");
    let error = journal.password.expect("one").fetch().expect_err("empty").to_string();
    assert!(
        error.contains("line 7: profiles.uni.journal.password: ") && error.contains("--new-journal-password"),
        "{error}"
    );

    edit_profile(&home.paths(), &env, "uni", &set_password(KeyStore::Keyring)).expect("changed");
    remove_profile(&home.paths(), &env, "uni").expect("removed");
    assert!(keyring.read("uni/journal").expect("readable").is_none());
    assert!(keyring.read("uni").expect("readable").is_some(), "the key was in a file");
}

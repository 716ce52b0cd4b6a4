//! Keys that are asked for: of a keyring, of a command. Neither is asked before somebody says so.

use super::{Home, SECRET, key, wrong};
use crate::texts::msg_part;
use lapel::config::{ConfigError, Env, Settings, named_profile, profiles};
use std::fs;

/// A profile whose key is in the keyring.
pub const IN_KEYRING: &str = "[profiles.uni]\nbase_url='https://uni.example/'\nkey = { keyring = true }\n";

/// The settings with their key.
pub fn asked(env: &Env) -> Result<Settings, ConfigError> {
    Settings::resolve(&lapel::config::Flags::default(), env).and_then(Settings::with_key)
}

#[test]
fn no_keyring_at_all_says_what_to_do() {
    let home = Home::with_config(IN_KEYRING);
    let said = asked(&home.env()).expect_err("none").to_string();
    assert!(said.contains(msg_part("no keyring")) && said.contains(msg_part("in a file")), "{said}");
    // A list needs no key.
    assert_eq!(profiles(&home.paths(), &home.env()).expect("a list")[0].key_from, "the keyring");
}

#[cfg(unix)]
#[test]
fn a_command_is_run_only_when_the_key_is_asked_for() {
    let home = Home::new();
    let mark = home.folder.path().join("mark");
    let script = format!("echo run >> {}; echo {SECRET}", mark.display());
    fs::create_dir_all(home.paths().config_dir).expect("a folder");
    let command = toml::Value::from(vec!["/bin/sh", "-c", &script]);
    let text = format!("[profiles.uni]\nbase_url = 'https://uni.example/'\nkey_command = {command}\n");
    fs::write(home.paths().config_file(), text).expect("settings");

    let settings = home.settings().expect("settings");
    profiles(&home.paths(), &home.env()).expect("a list");
    assert!(!mark.exists(), "it was run without need");
    let profile = settings.with_key().expect("asked").profile.expect("a profile");
    assert_eq!((key(&profile), profile.key_from.as_str()), (SECRET, "a command (key_command)"));
    assert_eq!(fs::read_to_string(&mark).expect("run").lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_command_that_fails_is_named_by_file_line_and_field() {
    for (command, said) in [
        ("['/bin/sh', '-c', 'echo SECRET; echo locked >&2; exit 3']", "locked"),
        ("['/no/such/SECRET']", "was not found"),
        ("'/bin/echo SECRET SECRET'", "white space"),
        ("['/bin/sh', '-c', 'echo SECRET; echo more']", "several lines"),
        ("['/bin/sh', '-c', 'sleep 60']\nkey_command_timeout = 1", "within 1 s"),
        ("['true']", "no key"),
    ] {
        let command = command.replace("SECRET", SECRET);
        let home = Home::with_config(&format!(
            "[profiles.uni]\nbase_url='https://uni.example/'\nkey_command = {command}\n"
        ));
        let error = home.settings().expect("settings").with_key().expect_err(said).to_string();
        assert!(error.contains("config.toml, line 3: profiles.uni.key_command: the command"), "{error}");
        assert!(error.contains(said) && !error.contains("s3cret"), "{error}");
    }
}

#[test]
fn what_cannot_be_a_key_source_is_said_by_line_and_never_repeated() {
    for (line, field) in [
        ("key_command = 'SECRET | cat'", "key_command"),
        ("key_command = 'pass \"show\"'", "key_command"),
        ("key_command = []", "key_command"),
        ("key_command = ['']", "key_command"),
        ("key_command = ['a', 1]", "key_command"),
        ("key_command = 7", "key_command"),
        ("key_command = 'pass x'\nkey = { keyring = true }", "key_command"),
        ("key_command = 'pass x'\nkey_command_timeout = 0", "key_command_timeout"),
        ("key = { keyring = false }", "key.keyring"),
        ("key = { keyring = 'SECRET' }", "key.keyring"),
        ("key = { keyring = true, env = 'SECRET' }", "key"),
        ("key_prefix = 'SECRETSECRET'", "key_prefix"),
        ("key_prefix = ''", "key_prefix"),
        ("key_prefix = 'dmu_'\nkey_fingerprint = 'SECRET'", "key_fingerprint"),
        ("ca_file = ''", "ca_file"),
    ] {
        let text =
            format!("[profiles.uni]\nbase_url='https://uni.example/'\n{line}\n").replace("SECRET", SECRET);
        let error = wrong(Home::with_config(&text).settings());
        assert!(error.contains(&format!("profiles.uni.{field}: ")), "{line}: {error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}

#[test]
fn where_a_key_comes_from_is_said_without_what_may_be_the_key() {
    let home = Home::with_config(&format!(
        "[profiles.a]\nbase_url='https://a.example/'\nkey = {{ env = '{SECRET}' }}\n\
         [profiles.b]\nbase_url='https://a.example/'\nkey = {{ file = '{SECRET}' }}\n\
         [profiles.c]\nbase_url='https://a.example/'\nkey_command = ['{SECRET}']\n\
         [profiles.d]\nbase_url='https://a.example/'\nkey = {{ env = 'UNI_KEY' }}\n"
    ))
    .set("UNI_KEY", SECRET);
    let list = profiles(&home.paths(), &home.env()).expect("a list");
    let from: Vec<&str> = list.iter().map(|line| line.key_from.as_str()).collect();
    assert_eq!(
        from,
        ["a variable that is not set", "a missing file", "a command (key_command)", "the variable UNI_KEY"]
    );
    assert!(!format!("{list:?}").contains("s3cret"));
}

#[test]
fn certificates_are_read_with_the_profile_and_named_when_they_cannot_be() {
    let config = "[profiles.uni]\nbase_url='https://uni.example/'\nca_file = 'company.pem'\n";
    let home = Home::with_config(config).with_key("uni", "k-1234");
    let said = home.settings().expect_err("missing").to_string();
    assert!(said.contains("config.toml, line 3: profiles.uni.ca_file: there is no file"), "{said}");
    let pem = home.paths().config_dir.join("company.pem");
    fs::write(&pem, "no certificate").expect("written");
    let said = home.settings().expect_err("not one").to_string();
    assert!(
        said.contains("ca_file") && said.contains(msg_part("company.pem holds no certificate")),
        "{said}"
    );
    fs::write(&pem, "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").expect("written");
    let ca = home.profile().ca.expect("read");
    assert_eq!(ca.path, pem);
    assert_eq!(named_profile(&home.paths(), "uni", &home.env()).expect("named").ca, Some(ca));
}

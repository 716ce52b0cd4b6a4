//! Keys in a keyring, which is asked only when somebody needs the key.

use super::changes::home;
use super::keys::{IN_KEYRING, asked};
use super::{Home, SECRET, UNI, key, new_profile};
use crate::texts::msg_part;
use keyring_core::mock;
use lapel::config::{
    Environment, KeyStore, Keyring, NewProfile, ProfileEdit, Settings, edit_profile, named_profile,
    remove_profile, save_profile,
};
use secrecy::{ExposeSecret, SecretString};
use std::fs;
use std::time::Duration;

pub fn keyring() -> Keyring {
    Keyring::of(mock::Store::new().expect("a store"), Duration::from_secs(30))
}

fn in_keyring() -> NewProfile {
    NewProfile {
        key_store: KeyStore::Keyring,
        ..new_profile("uni", Environment::Live, "https://uni.example/api/v1/ext")
    }
}

#[test]
fn a_key_in_the_keyring_is_in_no_file_and_goes_with_its_profile() {
    let (home, keyring) = (Home::new(), keyring());
    let env = home.env().with_keyring(keyring.clone());
    save_profile(&home.paths(), &env, &in_keyring(), SECRET).expect("kept");
    assert!(home.config().contains("key = { keyring = true }"), "{}", home.config());
    assert!(!home.config().contains(SECRET));
    assert_eq!(fs::read_dir(home.paths().keys_dir()).expect("keys").count(), 0);

    let settings = Settings::resolve(&lapel::config::Flags::default(), &env).expect("settings");
    let profile = settings.profile.clone().expect("a profile");
    assert!(profile.key.known().is_none(), "nobody has asked yet");
    assert_eq!(profile.key_from, "the keyring");
    let profile = settings.with_key().expect("asked").profile.expect("a profile");
    assert_eq!(key(&profile), SECRET);
    assert!(!format!("{profile:?}").contains("s3cret"));

    let removed = remove_profile(&home.paths(), &env, "uni").expect("removed");
    assert!(
        removed.key.contains(msg_part("Removed its key from the keyring")) && removed.was_default,
        "{removed:?}"
    );
    assert!(keyring.read("uni").expect("readable").is_none());
}

#[test]
fn what_the_keyring_has_already_is_left_alone() {
    let (home, keyring) = (Home::new(), keyring());
    keyring.write("uni", &SecretString::from("older")).expect("kept");
    let env = home.env().with_keyring(keyring.clone());
    let said = save_profile(&home.paths(), &env, &in_keyring(), SECRET).expect_err("taken").to_string();
    assert!(said.contains(msg_part("(not changed)")) && !said.contains("s3cret"), "{said}");
    assert!(!home.paths().config_file().exists());
    assert_eq!(keyring.read("uni").expect("readable").expect("there").expose_secret(), "older");
}

#[test]
fn a_keyring_without_the_key_says_what_to_do() {
    let home = Home::with_config(IN_KEYRING);
    let said = asked(&home.env().with_keyring(keyring())).expect_err("empty").to_string();
    assert!(said.contains("config.toml, line 3: profiles.uni.key") && said.contains("--new-key"), "{said}");
}

#[test]
fn a_key_moves_from_place_to_place_and_is_never_in_two() {
    let (home, keyring) = (home(UNI), keyring());
    let env = home.env().with_keyring(keyring.clone());
    let to = |place: KeyStore, key: &str| {
        let change =
            ProfileEdit { key: Some((place, SecretString::from(key.to_owned()))), ..ProfileEdit::default() };
        edit_profile(&home.paths(), &env, "uni", &change).expect("changed")
    };
    let file = home.paths().key_file("uni");
    to(KeyStore::File, SECRET);
    assert_eq!(fs::read_to_string(&file).expect("the key").trim(), SECRET);
    to(KeyStore::Keyring, SECRET);
    assert!(!file.exists(), "the file went");
    assert!(keyring.read("uni").expect("readable").is_some());
    to(KeyStore::Keyring, "k-second");
    let read = named_profile(&home.paths(), "uni", &env).expect("readable");
    assert_eq!(read.key.fetch().expect("asked").expose_secret(), "k-second");
    to(KeyStore::Command(vec!["/bin/echo".into(), "it's".into()]), "k-third");
    assert!(keyring.read("uni").expect("readable").is_none(), "the keyring's went");
    assert!(home.config().contains("key_command = [\"/bin/echo\", \"it's\"]"), "{}", home.config());
    to(KeyStore::File, "k-fourth");
    assert!(!home.config().contains("key"), "{}", home.config());
    assert_eq!(key(&named_profile(&home.paths(), "uni", &env).expect("readable")), "k-fourth");
    assert!(!home.config().contains("s3cret"));

    // What lies there and is not the profile's is not overwritten.
    to(KeyStore::Variable("UNI_KEY".into()), "k-fifth");
    fs::write(&file, "somebody's").expect("written");
    let change =
        ProfileEdit { key: Some((KeyStore::File, SecretString::from("k-sixth"))), ..ProfileEdit::default() };
    let said = edit_profile(&home.paths(), &env, "uni", &change).expect_err("taken").to_string();
    assert!(said.contains(msg_part("exists and was not changed")), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("there"), "somebody's");
}

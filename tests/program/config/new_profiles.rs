//! Keeping a new profile: found again, private, and nothing lost when it cannot be kept.

use super::*;
use crate::texts::msg_part;
use lapel::config::{KeyStore, ProfileEdit, ProfileInput, edit_profile};

fn new(name: &str) -> NewProfile {
    let new = new_profile(name, Environment::Staging, "https://new.example/api/v1/ext/");
    with(new, "organisation", "새 \"학교\"\\ 'x'")
}

/// The same with another value of a setting.
fn with(new: NewProfile, key: &'static str, value: &str) -> NewProfile {
    NewProfile { input: new.input.with(key, value), ..new }
}

#[test]
fn a_kept_profile_is_found_again() {
    let home = Home::new();
    let kept = save_profile(&home.paths(), &home.env(), &new("first"), " k-first\n").expect("kept");
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

    save_profile(&home.paths(), &home.env(), &new("second"), "k-second").expect("kept");
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
    save_profile(&home.paths(), &home.env(), &new("uni"), "k-1234").expect("kept");
    let paths = home.paths();
    assert_eq!((mode(&paths.config_dir), mode(paths.keys_dir())), (0o700, 0o700));
    assert_eq!((mode(paths.key_file("uni")), mode(paths.config_file())), (0o600, 0o600));
    // A wider mode that the user gave the settings is the user's.
    chmod(&paths.config_file(), 0o644);
    save_profile(&paths, &home.env(), &new("two"), "k-5678").expect("kept");
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
        save_profile(&home.paths(), &home.env(), &new("added"), "k-1234").expect(&old);
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
        let error = save_profile(&home.paths(), &home.env(), new, key).expect_err(&new.name);
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
        refused(&with(new("uni"), "base_url", base_url), "k-1234");
    }
    for key in ["", " ", "s3cret s3cret", "s3cret\ns3cret", "열쇠"] {
        refused(&new("uni"), key);
    }
}

/// The settings file is shown, copied and sent to others.
#[test]
fn a_key_in_the_wrong_field_is_not_kept() {
    let home = Home::new();
    let key = "kpt_live_0123456789abcdef";
    let wrong = [
        ("name", NewProfile { name: key.to_owned(), ..new("uni") }),
        ("organisation", with(new("uni"), "organisation", &format!(" {key} "))),
        ("proxy", with(new("uni"), "proxy", key)),
        ("ca_file", with(new("uni"), "ca_file", key)),
        ("base_url", with(new("uni"), "base_url", &format!("https://b.example/{key}"))),
        ("key", NewProfile { key_store: KeyStore::OtherFile(key.into()), ..new("uni") }),
        (
            "key_command",
            NewProfile { key_store: KeyStore::Command(vec!["echo".into(), key.into()]), ..new("uni") },
        ),
    ];
    for (field, wrong) in wrong {
        let error = save_profile(&home.paths(), &home.env(), &wrong, key).expect_err(field);
        assert_eq!(error.mistakes()[0].field.as_deref(), Some(field), "{error}");
        assert!(!error.to_string().contains(key), "{error}");
        assert!(!home.paths().config_file().exists() && !home.paths().keys_dir().exists(), "{error}");
    }
    save_profile(&home.paths(), &home.env(), &new("uni"), key).expect("kept");
    let input = ProfileInput::default().with("organisation", key);
    let change = ProfileEdit { input, ..ProfileEdit::default() };
    edit_profile(&home.paths(), &home.env(), "uni", &change).expect_err("a key is no organisation");
    assert!(!home.config().contains(key));
}

#[test]
fn nothing_is_lost_when_a_profile_cannot_be_kept() {
    let cases: [(&str, PathBuf, &str); 4] = [
        (UNI, PathBuf::new(), "a profile with this name exists"),
        ("theme = 'dmu_live_s3cret'\n", PathBuf::new(), "theme"),
        ("profiles = { x = { base_url = 'https://x.example/' } }\n", PathBuf::new(), "[profiles.uni]"),
        ("", PathBuf::from("uni"), "this file exists"),
    ];
    for (config, old_key, said) in cases {
        let home = Home::with_config(config);
        if old_key.file_name().is_some() {
            fs::write(home.paths().keys_dir().join(&old_key), "older").expect("an older key");
        }
        let error =
            save_profile(&home.paths(), &home.env(), &new("uni"), SECRET).expect_err(said).to_string();
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
        save_profile(&home.paths(), &home.env(), &new("UNI"), SECRET).expect_err("differs in case only");
    assert!(error.to_string().contains(msg_part("a profile with this name exists")));
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_link_stays_one() {
    let home = Home::with_config("");
    let real = home.folder.path().join("dotfiles.toml");
    fs::write(&real, UNI).expect("the real file");
    fs::remove_file(home.paths().config_file()).expect("out of the way");
    std::os::unix::fs::symlink(&real, home.paths().config_file()).expect("a link");
    save_profile(&home.paths(), &home.env(), &new("added"), "k-1234").expect("kept");
    assert!(fs::symlink_metadata(home.paths().config_file()).expect("there").is_symlink());
    assert!(fs::read_to_string(&real).expect("there").contains("[profiles.added]"));
}

#[test]
fn two_at_once_do_not_lose_each_other() {
    let home = Home::with_config("# both\n");
    let paths = home.paths();
    let keep = |name: String| {
        // One that finds the other writing gets an error that asks to try again; nothing else may go wrong.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while std::time::Instant::now() < end {
            match save_profile(&paths, &home.env(), &new(&name), "k-1234") {
                Ok(_) => return,
                Err(why) => assert!(why.to_string().contains(msg_part("Try again")), "{why}"),
            }
            std::thread::yield_now();
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

//! Profiles, and the first screen, which there is without any.

use super::*;
use lapel::config::{KeyStore, ProfileLine, ProfileSettings};
use lapel::tui::{FirstConnection, Helpers};
use std::sync::Arc;

/// A profile as the settings file has it.
fn profile(name: &str, environment: Environment, organisation: &str, key: (KeyStore, &str)) -> ProfileLine {
    ProfileLine {
        name: name.to_owned(),
        settings: ProfileSettings {
            environment,
            base_url: "https://badges.example/api/v1/ext".to_owned(),
            organisation: Some(organisation.to_owned()),
            read_only: environment == Environment::Staging,
            key: Some(key.0).filter(|store| *store != KeyStore::File),
            ..ProfileSettings::default()
        },
        key_from: key.1.to_owned(),
        is_default: environment == Environment::Demo,
    }
}

/// The list of profiles; changing one whose key is in a variable, which a command is to print; adding one; removing one.
async fn walk_profiles(columns: u16, rows: u16) {
    let sandbox = Sandbox::start(frozen()).await.expect("a sandbox");
    let lines = vec![
        profile("demo", Environment::Demo, "연습용 기관", (KeyStore::File, "lapel's key file")),
        profile(
            "uni",
            Environment::Live,
            "달무리대학교 평생교육원",
            (KeyStore::Variable("UNI_KEY".to_owned()), "the variable UNI_KEY"),
        ),
        profile("dept", Environment::Staging, "Naru Department", (KeyStore::Keyring, "the keyring")),
    ];
    let helpers = Helpers {
        profiles: Arc::new(move || {
            let lines = lines.clone();
            Box::pin(async move { Ok(lines) })
        }),
        ..Helpers::default()
    };
    let first_connection = FirstConnection::Session(Box::new(common::session(&sandbox, Environment::Demo)));
    let mut h = Harness::of(common::tui(first_connection, helpers, columns, rows), sandbox);
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("j");
    take(&mut h, "profiles");
    h.press("c");
    take(&mut h, "profile-change");
    h.press("tab tab tab tab tab tab");
    take(&mut h, "profile-change-journal");
    h.type_text("postgres://kim@db.example/badges");
    h.press("tab tab");
    take(&mut h, "profile-change-team");
    h.press("backtab backtab ctrl-u");
    h.press("tab tab left tab tab tab");
    h.type_text("pass show badges");
    take(&mut h, "profile-change-command");
    h.press("esc j X");
    take(&mut h, "profile-remove");
    h.type_text("1");
    take(&mut h, "profile-remove-typed");
    h.press("esc j enter");
    h.press("backtab backtab backtab backtab right right tab tab tab");
    h.type_text("UNI_KEY");
    take(&mut h, "profile-new-variable");
}

#[tokio::test]
async fn profiles_at_80x24_and_160x50() {
    walk_profiles(80, 24).await;
    walk_profiles(160, 50).await;
}

#[tokio::test]
async fn the_first_screen() {
    for (columns, rows) in [(80, 24), (120, 36), (160, 50)] {
        let mut h = Harness::welcome(columns, rows).await;
        take(&mut h, "welcome");
        h.press("u");
        h.type_text("badges.example/api/v1/ext");
        h.press("enter");
        h.tui.app.update(lapel::tui::Message::Paste("dmu_live_secret".into()));
        take(&mut h, "welcome-service");
    }
}

#[tokio::test]
async fn a_terminal_that_is_too_small_is_told_politely() {
    let mut h = Harness::welcome(50, 12).await;
    take(&mut h, "too-small");
}

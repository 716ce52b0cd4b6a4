//! Changing the profile: nothing of the one before is left; and the key that is another one.

use super::common::{session, tui};
use super::narrow::flat;
use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use lapel::api::PinnedIdentity;
use lapel::config::{KeyStore, ProfileLine, ProfileSettings, SecretKind};
use lapel::sandbox::Sandbox;
use lapel::tui::{FirstConnection, Helpers, ProfileRequest, ProfileSession};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The beginning of the question of a new profile, on one line of a small screen.
const ZONE: &str = "In which time zone are the service's times?";

pub fn line(name: &str, environment: Environment) -> ProfileLine {
    ProfileLine {
        name: name.to_owned(),
        settings: ProfileSettings {
            environment,
            base_url: "https://b.example/api/v1/ext".to_owned(),
            organisation: Some(format!("Organisation {name}")),
            key: Some(KeyStore::Keyring),
            ..ProfileSettings::default()
        },
        key_from: "the keyring".to_owned(),
        is_default: false,
    }
}

/// Two profiles: `one` on the harness's sandbox, `two` on another one, which is live.
struct Two {
    h: Harness,
    other: Sandbox,
    opened: Arc<Mutex<Vec<Option<String>>>>,
}

fn live(sandbox: &Sandbox) -> ProfileSession {
    ProfileSession {
        name: "two".to_owned(),
        organisation: Some("Organisation two".to_owned()),
        ..session(sandbox, Environment::Live)
    }
}

async fn two(columns: u16, rows: u16) -> Two {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let other = Sandbox::start(Options { history: Some(123), seed: 9, ..frozen() }.showing_waiting())
        .await
        .expect("a sandbox");
    let opened = Arc::new(Mutex::new(Vec::new()));
    let (first, second, notes) = (session(&sandbox, Environment::Demo), live(&other), opened.clone());
    let helpers = Helpers {
        profiles: Arc::new(|| {
            Box::pin(async { Ok(vec![line("one", Environment::Demo), line("two", Environment::Live)]) })
        }),
        open_profile: Arc::new(move |name| {
            notes.lock().expect("notes").push(name.clone());
            let session = match name.as_deref() {
                Some("two") => Ok(second.clone()),
                Some("one") => Ok(first.clone()),
                _ => Err("the keyring has not answered within 3 s".to_owned()),
            };
            Box::pin(async move { session })
        }),
        ..Helpers::default()
    };
    let first_connection = FirstConnection::Session(Box::new(ProfileSession {
        name: "one".to_owned(),
        ..session(&sandbox, Environment::Demo)
    }));
    Two { h: Harness::of(tui(first_connection, helpers, columns, rows), sandbox), other, opened }
}

fn styles_of_the_header(h: &mut Harness) -> String {
    common::snap::styles(&h.buffer()).lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn another_profile_shows_nothing_of_the_one_before() {
    let Two { mut h, other, opened } = two(120, 36).await;
    h.settled().await;
    // Something on every tab: a filter, marks, a wallet, a badge.
    h.press("2 /");
    h.type_text("name:한");
    h.press("enter");
    assert!(h.settled().await.contains("holder “한”"), "{}", h.screen());
    h.press("space j space enter");
    h.settled().await;
    h.press("w");
    let wallet = h.settled().await;
    assert!(wallet.contains(msg_part("in the wallet")), "{wallet}");
    assert_eq!(h.tui.app.marked().len(), 2);
    let green = styles_of_the_header(&mut h);

    h.press("P");
    let list = h.settled().await;
    for part in [
        "one",
        "two",
        "LIVE",
        msg_part("key from the keyring"),
        msg_part("in use"),
        msg_part("add a profile"),
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let before = all_requests(&h);
    h.press("j enter");
    let screen = h
        .until("the other profile", |s| {
            s.contains("LIVE  Organisation two")
                && s.contains(msg("Nothing needs you, and no job is running."))
        })
        .await;
    assert!(!screen.contains("DEMO"), "{screen}");
    assert_ne!(styles_of_the_header(&mut h), green, "its colour is another one");
    h.settled().await;
    assert!(h.tui.app.marked().is_empty());
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("123 badges")) && !screen.contains("holder “"), "{screen}");
    for tab in ["3", "4", "5"] {
        h.press(tab);
        let screen = h.settled().await;
        assert!(!screen.contains("naru.example") || tab == "4", "{screen}");
        h.press("esc");
    }
    assert_eq!(*opened.lock().expect("notes"), [Some("two".to_owned())]);
    assert_eq!(all_requests(&h), before, "the service of the one before is asked nothing more");
    assert!(other.control().ledger().requests.values().sum::<u64>() > 0);
}

#[tokio::test]
async fn late_responses_of_the_earlier_profile_are_dropped() {
    let Two { mut h, other: _other, .. } = two(120, 36).await;
    h.settled().await;
    let message = Message::Of(1, Box::new(Message::Odd("of the first connection".into())));
    h.tui.app.update(message);
    assert!(h.screen().contains("of the first connection"));
    h.press("P");
    h.settled().await;
    h.press("j enter");
    h.until("the other profile", |s| s.contains("LIVE  Organisation two")).await;
    assert!(!h.screen().contains("of the first connection"), "{}", h.screen());
    h.tui.app.update(Message::Of(1, Box::new(Message::Odd("late news".into()))));
    let late = lapel::jobs::JournalError::Busy { file: "late failure".into() };
    h.tui.app.update(Message::Of(1, Box::new(Message::JournalFailed(late))));
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("late news")) && !screen.contains("late failure"), "{screen}");
}

/// The recent inputs contain addresses. They belong to one profile, also while the next one cannot connect.
#[tokio::test]
async fn a_profile_that_cannot_connect_offers_nothing_that_was_typed_in_the_one_before() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let mut broken = live(&sandbox);
    broken.connection.pin = Some(pinned("abc_live_"));
    let helpers = Helpers {
        profiles: Arc::new(|| Box::pin(async { Ok(vec![line("two", Environment::Live)]) })),
        open_profile: Arc::new(move |_| {
            let session = broken.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    let mut h = Harness::of(tui(first_connection, helpers, 80, 24), sandbox);
    h.settled().await;
    h.press("3");
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    h.press("3 ctrl-u");
    assert!(h.screen().contains(msg("Looked up earlier")), "{}", h.screen());
    h.press("esc P");
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("Pin another key")).await;
    h.press("esc 3");
    let screen = h.screen();
    assert!(screen.contains("LIVE"), "{screen}");
    assert!(!screen.contains(msg("Looked up earlier")) && !screen.contains("seoyun"), "{screen}");
}

#[tokio::test]
async fn while_something_is_sent_the_profile_stays() {
    let Two { mut h, opened, other: _other } = two(120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges hold").expect("a rule");
    h.press("i");
    h.settled().await;
    h.type_text("한서윤");
    h.press("tab");
    h.type_text("seoyun@naru.example");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.until("it is on its way", |s| s.contains(msg("sending")) || s.contains("Activity 1")).await;
    h.press("P");
    h.until("the list", |s| s.contains(msg("add a profile")) && s.contains("two")).await;
    h.press("j enter");
    let screen = h.shows(msg_part("lapel is sending with this profile")).await;
    assert!(screen.contains("DEMO"), "{screen}");
    assert!(opened.lock().expect("notes").is_empty());
}

#[tokio::test]
async fn a_profile_that_cannot_be_opened_says_why_and_the_one_before_stays() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let helpers = Helpers {
        profiles: Arc::new(|| Box::pin(async { Ok(vec![line("locked", Environment::Live)]) })),
        open_profile: Arc::new(|_| {
            Box::pin(async { Err("the keyring has not answered within 3 s.\nUnlock it".to_owned()) })
        }),
        ..Helpers::default()
    };
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    let mut h = Harness::of(tui(first_connection, helpers, 80, 24), sandbox);
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("enter");
    let screen = h.shows("has not answered within 3 s").await;
    assert!(screen.contains(msg_part("Unlock it")) && screen.contains("DEMO"), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("40 templates")));
}

/// The first frame waits for no keyring, and keys are taken meanwhile.
#[tokio::test]
async fn a_key_that_has_to_be_asked_for_holds_nothing_up() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let door = Arc::new(tokio::sync::Notify::new());
    let tries = Arc::new(AtomicU64::new(0));
    let (opened, again, good) = (door.clone(), tries.clone(), live(&sandbox));
    let helpers = Helpers {
        open_profile: Arc::new(move |name| {
            assert_eq!(name, None, "the one that lapel was started with");
            let (opened, session) = (opened.clone(), good.clone());
            let n = again.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                opened.notified().await;
                if n == 0 { Err("the keyring is locked".to_owned()) } else { Ok(session) }
            })
        }),
        ..Helpers::default()
    };
    let mut h = Harness::of(tui(FirstConnection::Opening("two".to_owned()), helpers, 80, 24), sandbox);
    let screen = h.screen();
    assert!(screen.contains(&msg_with("opening profile {name}: getting its key", &[&"two"])), "{screen}");
    h.press("x");
    assert!(h.screen().contains(msg_part("opening profile two")));
    door.notify_one();
    let screen = h.shows("the keyring is locked").await;
    assert!(
        screen.contains(msg_part("Profile two could not be opened")) && screen.contains(msg("try again")),
        "{screen}"
    );
    assert!(!screen.contains(msg_part("Nothing was saved")), "{screen}");
    h.press("r");
    door.notify_one();
    h.until("the TUI", |s| s.contains("LIVE  Organisat") && s.contains(msg_part("40 templates"))).await;
    assert_eq!(tries.load(Ordering::SeqCst), 2);
}

pub fn pinned(prefix: &str) -> PinnedIdentity {
    PinnedIdentity {
        profile: "uni".to_owned(),
        prefix: prefix.to_owned(),
        fingerprint: None,
        organisation: None,
        is_live: false,
    }
}

#[tokio::test]
async fn another_key_is_asked_nothing_before_it_is_pinned() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let mut live = ProfileSession { name: "uni".to_owned(), ..session(&sandbox, Environment::Live) };
    live.connection.pin = Some(pinned("abc_live_"));
    let mut good = live.clone();
    good.connection.pin = Some(pinned("dmu_test_"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = asked.clone();
    let helpers = Helpers {
        pin_profile: Arc::new(move |name, prefix| {
            notes.lock().expect("notes").push((name, prefix));
            let session = good.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let mut h = Harness::of(tui(FirstConnection::Session(Box::new(live)), helpers, 80, 24), sandbox);
    let screen = h.shows(msg_part("Pin another key")).await;
    for part in ["abc_live_", "dmu_test_", "Profile uni", "LIVE"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert_eq!((all_requests(&h), requests(&h, "GET /ping")), (1, 1), "one ping, and nothing else");
    // Neither Enter nor a paste nor y alone pins it.
    h.press("y enter");
    h.paste("1");
    h.press("enter");
    assert!(h.screen().contains(&asks("1")), "{}", h.screen());
    // No key behind the question asks anything.
    h.press("esc 2 r 3");
    h.shows(msg_part("Pin another key")).await;
    assert_eq!(all_requests(&h), requests(&h, "GET /ping"));
    h.press("ctrl-u");
    h.press("enter enter");
    assert!(asked.lock().expect("notes").is_empty());
    h.confirm("1");
    h.until("the TUI", |s| s.contains(msg("Nothing needs you, and no job is running."))).await;
    assert_eq!(*asked.lock().expect("notes"), [("uni".to_owned(), "dmu_test_".to_owned())]);
}

#[tokio::test]
async fn a_key_that_was_pinned_is_recognised_and_what_is_odd_is_said() {
    let mut h = Harness::with(small(), 120, 36, |mut session| {
        session.connection.pin = Some(PinnedIdentity {
            fingerprint: Some("00000000".to_owned()),
            organisation: Some("Somebody else".to_owned()),
            is_live: true,
            ..pinned("dmu_test_")
        });
        session
    })
    .await;
    let screen = h.settled().await;
    for part in [
        "40 templates",
        msg_part("differs from the checked key"),
        msg_part("like a test key"),
        "Somebody else",
    ] {
        assert!(flat(&screen).contains(part), "{part}: {screen}");
    }
    // It is a warning, and not about a job: it goes away by itself, and a key does not bring it back.
    super::copy_log_refresh::pass(60).await;
    h.tui.app.update(Message::Tick);
    h.press("2 0");
    let screen = h.settled().await;
    assert!(!flat(&screen).contains(msg_part("like a test key")), "{screen}");
}

#[tokio::test]
async fn each_field_of_a_new_profile_is_seen_while_it_is_typed_on_a_small_screen() {
    let mut h = Harness::new(frozen(), 60, 16).await;
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("enter");
    h.shows(msg("Base URL")).await;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let screen = h.screen();
        let line = screen.lines().find(|line| line.contains('▌')).unwrap_or_else(|| panic!("{screen}"));
        seen.insert(line.split('▌').next().unwrap_or_default().trim().to_owned());
        h.press("tab");
    }
    assert!(seen.contains(msg("Base URL")) && seen.contains(msg("API key")), "{seen:?}");
}

/// The jobs of the profile before are let go of in good order: another lapel can take them at once.
#[tokio::test]
async fn jobs_of_the_earlier_profile_are_released() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let other = Sandbox::start(Options { seed: 9, ..small() }).await.expect("a sandbox");
    let second = live(&other);
    let helpers = Helpers {
        profiles: Arc::new(|| Box::pin(async { Ok(vec![line("two", Environment::Live)]) })),
        open_profile: Arc::new(move |_| {
            let session = second.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let first = session(&sandbox, Environment::Demo).kept_in(folder.path().to_owned());
    let mut h = Harness::of(tui(FirstConnection::Session(Box::new(first)), helpers, 120, 36), sandbox);
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("한서윤");
    h.press("tab");
    h.type_text("seoyun@naru.example");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.shows(msg_part("1 job · 1 open")).await;
    h.settled().await;
    let owners = || {
        let journal = rusqlite::Connection::open(folder.path().join("journal.sqlite")).expect("the journal");
        journal
            .query_row("SELECT count(*), count(owner) FROM job", [], |r| Ok((r.get(0)?, r.get(1)?)))
            .expect("counted")
    };
    assert_eq!(owners(), (1_i64, 1_i64), "this TUI has it");
    h.press("P");
    h.settled().await;
    h.press("enter");
    h.until("the other profile", |s| {
        s.contains("LIVE  Organisation two") && s.contains(msg("Nothing needs you, and no job is running."))
    })
    .await;
    assert_eq!(owners(), (1, 0), "nobody has it, and nothing of it is lost");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Nothing needs you, and no job is running.")), "{screen}");
}

#[tokio::test]
async fn a_new_profile_is_checked_and_kept_with_what_the_service_says_of_its_key() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let kept = Arc::new(Mutex::new(None));
    let (notes, good) = (kept.clone(), live(&sandbox));
    let helpers = Helpers {
        keep_profile: Arc::new(move |new, key| {
            *notes.lock().expect("notes") = Some((new, key));
            let session = good.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    let mut h = Harness::of(tui(first_connection, helpers, 100, 30), sandbox);
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("enter");
    h.shows(msg("New profile")).await;
    let (base_url, key) = (h.sandbox.base_url().to_owned(), h.sandbox.api_key().to_owned());
    // A key of nobody first.
    h.press("backtab backtab backtab backtab backtab backtab backtab backtab backtab backtab ctrl-u");
    h.type_text("mine");
    h.press("tab tab tab right tab");
    h.type_text("/nowhere/ca.pem");
    h.press("tab tab tab tab right tab tab");
    h.paste(&base_url);
    h.press("tab");
    h.paste("no_such_key_0123456789");
    // The zone is asked first, since lapel cannot learn it.
    h.press("enter");
    h.shows(msg_part(ZONE)).await;
    h.type_text("+09:00");
    h.press("enter");
    h.until("the file is looked at first", |s| {
        s.contains("ca_file") && s.contains(msg_part("Nothing was saved."))
    })
    .await;
    // The cursor is at the key again.
    h.press("backtab backtab backtab backtab backtab backtab backtab ctrl-u");
    h.press("tab tab tab tab tab tab tab enter");
    let screen = h.shows(msg_part("The service refused the API key")).await;
    assert!(
        flat(&screen).contains(msg_part("Nothing was saved.")) && !screen.contains("no_such_key"),
        "{screen}"
    );
    assert!(kept.lock().expect("notes").is_none());
    h.press("ctrl-u");
    h.paste(&key);
    assert!(!h.screen().contains(&key));
    h.press("enter");
    let screen = h
        .until("the TUI", |s| {
            s.contains("LIVE  Organisation two")
                && s.contains(msg("Nothing needs you, and no job is running."))
        })
        .await;
    assert!(screen.contains(msg_part("like a test key")), "what is odd is said: {screen}");
    // From the name of the organisation, of which none was typed.
    let typed = "Short name: {word}. You type it after the number before anything is sent.";
    assert!(flat(&screen).contains(&msg_with(typed, &[&"organisation"])), "{screen}");
    let (profile, kept_key) = kept.lock().expect("notes").take().expect("kept");
    let settings = profile.settings().expect("nothing is wrong");
    assert_eq!((profile.name.as_str(), settings.read_only), ("mine", true));
    assert_eq!(settings.text("utc_offset"), "+09:00");
    assert_eq!(profile.key_store, KeyStore::Keyring);
    assert_eq!(secrecy::ExposeSecret::expose_secret(&kept_key), key);
    assert_eq!(settings.ca_file, None, "it was taken away again");
    assert!(settings.organisation.as_deref().is_some_and(|o| !o.is_empty()), "{profile:?}");
    let pin = profile.pin.as_ref().expect("pinned");
    assert_eq!(pin.prefix, "dmu_test_");
    assert!(pin.fingerprint.is_some() && !format!("{profile:?}").contains(&key));
}

/// A key that is elsewhere is found there, tried, and not kept by lapel; what cannot be found changes nothing.
#[tokio::test]
async fn a_new_profile_names_a_variable_or_a_command_instead_of_a_key() {
    for first_screen in [true, false] {
        let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
        let kept = Arc::new(Mutex::new(None));
        let (notes, good) = (kept.clone(), live(&sandbox));
        let key = sandbox.api_key().to_owned();
        let helpers = Helpers {
            find_secret: Arc::new(move |_, place| {
                let found = match place {
                    KeyStore::Command(argv) if argv == ["pass", "show", "badges"] => Ok(key.clone().into()),
                    other => Err(format!("key: {other:?} is not there.")),
                };
                Box::pin(async move { found })
            }),
            keep_profile: Arc::new(move |new, _| {
                *notes.lock().expect("notes") = Some(new);
                let session = good.clone();
                Box::pin(async move { Ok(session) })
            }),
            ..Helpers::default()
        };
        let first_connection = if first_screen {
            FirstConnection::Welcome
        } else {
            FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)))
        };
        let mut h = Harness::of(tui(first_connection, helpers, 80, 24), sandbox);
        h.settled().await;
        if first_screen {
            h.press("u");
        } else {
            h.press("P");
            h.settled().await;
            h.press("enter");
        }
        h.shows(msg("Key from")).await;
        let base_url = h.sandbox.base_url().to_owned();
        h.paste(&base_url);
        h.press("backtab backtab right right");
        let screen = h.screen();
        assert!(screen.contains("(•) variable") && screen.contains("  Variable\n"), "{screen}");
        h.press("tab tab tab");
        h.type_text("UNI-KEY");
        h.press("enter");
        let screen = h.shows(msg_part("must be the name of an environment variable")).await;
        assert!(screen.contains(msg_part("Nothing was saved.")), "{screen}");
        h.press("backspace backspace backspace backspace");
        h.type_text("_KEY");
        h.press("enter");
        // Nobody may know the zone.
        h.shows(msg_part(ZONE)).await;
        h.press("enter");
        let screen = h.shows(msg_part("is not there.")).await;
        assert!(screen.contains("UNI_KEY") && screen.contains(msg_part("Nothing was saved.")), "{screen}");
        assert!(kept.lock().expect("notes").is_none());
        h.press("backtab backtab backtab right tab tab tab");
        h.type_text("pass show badges");
        h.press("enter");
        h.until("the TUI", |s| s.contains("LIVE  Organisat")).await;
        let profile = kept.lock().expect("notes").take().expect("kept");
        let argv = ["pass", "show", "badges"].map(str::to_owned).to_vec();
        assert_eq!(profile.key_store, KeyStore::Command(argv));
        assert!(profile.pin.is_some(), "what the key is was asked");
    }
}

#[tokio::test]
async fn a_new_profile_has_the_password_of_its_journal() {
    const PASSWORD: &str = "the w0rd of a new journal";
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let kept = Arc::new(Mutex::new(None));
    let (notes, good) = (kept.clone(), live(&sandbox));
    let helpers = Helpers {
        find_secret: Arc::new(|kind, place| {
            assert_eq!((kind, place), (SecretKind::JournalPassword, KeyStore::Variable("DB_WORD".into())));
            Box::pin(async { Ok(PASSWORD.into()) })
        }),
        keep_profile: Arc::new(move |new, _| {
            *notes.lock().expect("notes") = Some(new);
            let session = good.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let mut h = Harness::of(tui(FirstConnection::Welcome, helpers, 80, 24), sandbox);
    h.settled().await;
    h.press("u");
    h.shows(msg("Key from")).await;
    let (base_url, key) = (h.sandbox.base_url().to_owned(), h.sandbox.api_key().to_owned());
    h.paste(&base_url);
    h.press("tab");
    h.paste(&key);
    h.press("backtab backtab backtab backtab");
    assert!(!h.screen().contains(msg("Password from")), "no journal yet: {}", h.screen());
    h.type_text("postgres://kim@db.example/badges");
    h.press("tab tab left left");
    let screen = h.screen();
    assert!(screen.contains("(•) variable") && screen.contains(msg("Password from")), "{screen}");
    h.press("tab");
    h.type_text("DB_WORD");
    h.press("tab tab tab tab enter");
    h.shows(msg_part(ZONE)).await;
    h.press("enter");
    h.until("the desk", |s| s.contains("LIVE  Organisat")).await;
    let profile = kept.lock().expect("notes").take().expect("kept");
    let (place, password) = profile.journal_password.as_ref().expect("a password");
    assert_eq!(*place, KeyStore::Variable("DB_WORD".into()));
    assert_eq!(secrecy::ExposeSecret::expose_secret(password), PASSWORD);
    let settings = profile.settings().expect("nothing is wrong");
    assert_eq!(settings.text("journal.url"), "postgres://kim@db.example/badges");
}

#[tokio::test]
async fn the_place_of_a_key_is_changed_on_the_list() {
    let (mut h, asked) = managed(false).await;
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("j c");
    h.shows(&msg_with("Change profile {name}", &[&"two"])).await;
    // Away from the keyring, where lapel cannot look: into a file needs the key, a variable does not.
    h.press("tab tab tab tab tab tab tab tab left");
    h.press("tab tab tab enter");
    h.shows(msg_part("To store the key in another place")).await;
    h.press("backtab backtab backtab right right tab tab tab");
    h.type_text("UNI_KEY");
    h.press("enter");
    h.shows(msg_part("Changed profile two")).await;
    let all = std::mem::take(&mut *asked.lock().expect("notes"));
    let [ProfileRequest::Change(change)] = &all[..] else { panic!("{all:?}") };
    assert!(matches!(&change.key, Some((KeyStore::Variable(name), None)) if name == "UNI_KEY"), "{change:?}");
}

/// What was asked of those who keep the settings.
type Asked = Arc<Mutex<Vec<ProfileRequest>>>;

/// A TUI whose profile `one` is in use, with another one beside it, or on the first screen.
async fn managed(first_screen: bool) -> (Harness, Asked) {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let asked: Asked = Arc::default();
    let (notes, session) = (asked.clone(), session(&sandbox, Environment::Demo));
    let folder = std::env::temp_dir();
    let one = ProfileSession { name: "one".to_owned(), ..session };
    let again = one.clone();
    let helpers = Helpers {
        profiles: Arc::new(|| {
            Box::pin(async { Ok(vec![line("one", Environment::Demo), line("two", Environment::Live)]) })
        }),
        open_profile: Arc::new(move |_| {
            let session = again.clone();
            Box::pin(async move { Ok(session) })
        }),
        profile: Arc::new(move |ask| {
            let said = match &ask {
                ProfileRequest::Test(_) => Err("The service refused the API key".to_owned()),
                ProfileRequest::Change(change) => Ok(format!("Changed profile {}.", change.name)),
                ProfileRequest::Remove(name) => Ok(format!("Removed profile {name}.")),
            };
            notes.lock().expect("notes").push(ask);
            Box::pin(async move { said })
        }),
        ..Helpers::default()
    };
    let first_connection = if first_screen {
        FirstConnection::Welcome
    } else {
        // Its journal is what tells it from the demo.
        let kept = tempfile::tempdir_in(folder).expect("a folder").keep();
        FirstConnection::Session(Box::new(one.kept_in(kept)))
    };
    (Harness::of(tui(first_connection, helpers, 80, 24), sandbox), asked)
}

/// It may wait for the rate limit.
#[tokio::test]
async fn the_test_of_a_profile_can_be_stopped() {
    let (mut h, _asked) = managed(false).await;
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("j r");
    assert!(h.screen().contains(msg("checking with the service")), "{}", h.screen());
    h.press("esc");
    assert!(!h.screen().contains(msg("checking with the service")), "{}", h.screen());
    h.press("c");
    h.shows(&msg_with("Change profile {name}", &[&"two"])).await;
}

/// The palette says so, as the help does, and the key does nothing.
#[tokio::test]
async fn while_a_profile_is_checked_its_form_cannot_be_cleared() {
    let (mut h, _asked) = managed(false).await;
    // All fields have room.
    crate::filter_line::resize_to(&mut h, 100, 50);
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("c");
    h.shows(&msg_with("Change profile {name}", &[&"one"])).await;
    h.press("ctrl-u");
    h.type_text("다른 이름");
    let not_now = msg_with("not now: {why}", &[&msg("it does not apply here")]);
    let in_palette = |h: &mut Harness| {
        h.press("ctrl-p");
        h.type_text(Action::ClearForm.short());
        let screen = flat(&h.screen().replace('│', " "));
        h.press("esc");
        assert!(screen.contains(Action::ClearForm.short()), "{screen}");
        screen
    };
    let screen = in_palette(&mut h);
    assert!(!screen.contains(&not_now), "{screen}");
    h.press("backtab enter");
    assert!(h.screen().contains(msg("checking with the service")), "{}", h.screen());
    let screen = in_palette(&mut h);
    assert!(screen.contains(&not_now), "{screen}");
    h.press("f8");
    let screen = h.screen();
    assert!(screen.contains("다른 이름") && screen.contains(msg("checking with the service")), "{screen}");
}

#[tokio::test]
async fn a_profile_is_tested_changed_and_removed_from_the_list_and_from_the_first_screen() {
    for first_screen in [false, true] {
        let (mut h, asked) = managed(first_screen).await;
        h.settled().await;
        h.press("P");
        let screen = h.settled().await;
        assert!(screen.contains("c edit") && screen.contains("r test"), "{screen}");
        h.press("j r");
        let screen = h.shows(msg_part("The service refused the API key")).await;
        assert!(screen.contains(msg("Profiles")), "{screen}");
        // Only what was changed is handed on.
        h.press("c");
        let screen = h.shows(&msg_with("Change profile {name}", &[&"two"])).await;
        assert!(screen.contains("Organisation two") && screen.contains("LIVE"), "{screen}");
        assert!(screen.contains(msg("not pinned")) && !screen.contains(msg("keep the pin")), "{screen}");
        h.press("ctrl-u");
        h.type_text("나루대학교");
        h.press("tab tab right tab tab");
        h.type_text("http://proxy.example:8080");
        h.press("tab tab");
        let advice = msg_part("Lines for its CA file and password then follow.");
        let screen = h.screen();
        assert!(flat(&screen).contains(advice) && !screen.contains(msg("Password from")), "{screen}");
        h.type_text("postgres://kim@db.example/badges");
        h.press("tab");
        h.type_text("/etc/team.pem");
        h.press("tab");
        let screen = h.screen();
        assert!(screen.contains(&format!("(•) {}", msg("none"))), "{screen}");
        h.press("left tab");
        h.type_text("pass show db");
        h.press("tab tab tab tab tab");
        h.press("enter");
        h.shows(msg_part("Changed profile two")).await;
        h.settled().await;
        // Neither Enter nor y alone nor a paste removes anything.
        h.press("j X");
        h.shows(msg_part("Remove profile two")).await;
        h.paste("1");
        h.press("enter y enter");
        let screen = h.shows(msg("Nothing has been changed.")).await;
        assert!(screen.contains(&asks("1")), "{screen}");
        h.press("ctrl-u");
        h.press("enter enter");
        h.settled().await;
        assert_eq!(asked.lock().expect("notes").len(), 2, "{}", h.screen());
        h.confirm("1");
        h.shows(msg_part("Removed profile two")).await;
        let all = std::mem::take(&mut *asked.lock().expect("notes"));
        let [ProfileRequest::Test(tested), ProfileRequest::Change(change), ProfileRequest::Remove(removed)] =
            &all[..]
        else {
            panic!("{all:?}")
        };
        assert_eq!((tested.as_str(), removed.as_str()), ("two", "two"));
        let changed = &change.change.input;
        assert_eq!(changed.get("organisation"), Some("나루대학교"));
        assert_eq!(
            (changed.get("read_only"), changed.get("proxy")),
            (Some("true"), Some("http://proxy.example:8080"))
        );
        assert_eq!(changed.get("journal.url"), Some("postgres://kim@db.example/badges"));
        assert_eq!(changed.get("journal.ca_file"), Some("/etc/team.pem"));
        assert_eq!(changed.keys().count(), 5, "{changed:?}");
        let command = KeyStore::Command(["pass", "show", "db"].map(str::to_owned).to_vec());
        assert!(matches!(&change.journal_password, Some((place, None)) if *place == command), "{change:?}");
        assert!(change.key.is_none() && !change.pin, "{change:?}");
        h.press("esc");
        let screen = h.settled().await;
        assert!(screen.contains(if first_screen { "Welcome to lapel" } else { "templates" }), "{screen}");
    }
}

#[tokio::test]
async fn the_profile_in_use_is_not_removed_and_is_opened_anew_when_it_was_changed() {
    let (mut h, asked) = managed(false).await;
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("X");
    assert!(h.screen().contains(msg_part("is in use. Open another first")), "{}", h.screen());
    h.press("c");
    h.shows(&msg_with("Change profile {name}", &[&"one"])).await;
    h.press("enter enter enter enter enter enter enter enter enter enter enter enter");
    assert!(h.screen().contains(msg("No changes given.")), "{}", h.screen());
    assert!(asked.lock().expect("notes").is_empty());
    h.press("tab ctrl-u");
    h.type_text("다른 이름");
    h.press("backtab");
    h.type_text("dmu_test_0123456789abcdef");
    assert!(!h.screen().contains("dmu_test_0123"), "a key is never shown: {}", h.screen());
    h.press("enter");
    h.until("the TUI again", |s| s.contains(msg("Nothing needs you, and no job is running."))).await;
    let all = std::mem::take(&mut *asked.lock().expect("notes"));
    let [ProfileRequest::Change(change)] = &all[..] else { panic!("{all:?}") };
    assert!(change.key.is_some() && change.change.input.get("organisation") == Some("다른 이름"));
    assert!(!format!("{all:?}").contains("dmu_test_0123"));
}

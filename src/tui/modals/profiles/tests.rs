use super::*;
use crate::config::ProfileSettings;
use crate::team::{DatabaseLimits, Login, Server};
use crate::tui::context::JournalAway;
use crate::tui::request::RequestIds;

/// The session of a profile whose journal is a team's.
fn session() -> ProfileSession {
    let login = Login {
        server: Server::parse("postgres://kim@db.example/badges").expect("an address"),
        password: None,
        ca: None,
        limits: &DatabaseLimits::USUAL,
        refused: Arc::default(),
    };
    let journal = JournalPlace::Team { login, who: "kim".to_owned(), data_dir: None, reads_only: false };
    ProfileSession { journal, ..ProfileSession::for_test(Environment::Demo, "Naru University") }
}

/// The list with the profile in use.
fn list() -> (Profiles, UiContext) {
    let line = ProfileLine {
        name: "uni".to_owned(),
        settings: ProfileSettings::default(),
        key_from: "the keyring".to_owned(),
        is_default: false,
    };
    let profiles = Profiles { used: Some("uni".to_owned()), lines: vec![line], ..Profiles::default() };
    let mut cx = UiContext::for_test();
    cx.connection.session = Some(session());
    (profiles, cx)
}

fn opened(profiles: &mut Profiles, cx: &UiContext, effects: &mut Effects<'_>) {
    let (id, _) = profiles.opening.expect("a running request");
    let response = Response::Connected(Ok(Box::new(session())));
    assert!(profiles.on_response(Reply { id, response }, cx, effects).is_ok());
    assert!(profiles.opening.is_none());
}

#[test]
fn a_profile_that_is_opened_to_log_in_again_never_ends_the_connection() {
    let mut requests = RequestIds::default();
    let effects = &mut Effects::new(&mut requests);
    let (mut profiles, mut cx) = list();
    cx.is_sending = true;
    profiles.accept(&cx, effects);
    assert!(profiles.opening.is_none(), "nothing is wrong with the login");
    cx.connection.journal_away = Some(JournalAway {
        why: String::new(),
        is_login_refused: true,
        is_forbidden: false,
        since: Timestamp::UNIX_EPOCH,
    });
    profiles.accept(&cx, effects);
    // Before the answer, the database is back, or away for another reason.
    cx.connection.journal_away = None;
    opened(&mut profiles, &cx, effects);
    assert!(profiles.done.is_some() && profiles.said.is_none());
    assert!(effects.go.is_empty(), "{:?}", effects.go);
}

#[test]
fn a_job_that_begins_to_send_while_a_profile_opens_keeps_its_connection() {
    let mut requests = RequestIds::default();
    let effects = &mut Effects::new(&mut requests);
    let (mut profiles, mut cx) = list();
    profiles.accept(&cx, effects);
    cx.is_sending = true;
    opened(&mut profiles, &cx, effects);
    assert_eq!(profiles.said.as_deref(), Some(i18n::tr(SENDING)));
    assert!(effects.go.is_empty(), "{:?}", effects.go);
    cx.is_sending = false;
    profiles.accept(&cx, effects);
    opened(&mut profiles, &cx, effects);
    assert!(matches!(effects.go[..], [Navigate::Connect(_)]), "{:?}", effects.go);
}

/// Neither waiting nor a pause would end that.
#[test]
fn a_journal_that_refuses_answers_keeps_the_profile_and_says_what_another_one_needs() {
    let mut requests = RequestIds::default();
    let effects = &mut Effects::new(&mut requests);
    let (mut profiles, mut cx) = list();
    (cx.is_sending, cx.is_refused) = (true, true);
    profiles.accept(&cx, effects);
    assert_eq!(profiles.said.as_deref(), Some(i18n::tr(REFUSED)));
    // With another user in the settings, the login of the connection is not renewed.
    cx.connection.journal_away = Some(JournalAway {
        why: String::new(),
        is_login_refused: true,
        is_forbidden: false,
        since: Timestamp::UNIX_EPOCH,
    });
    if let Some(JournalPlace::Team { login, .. }) =
        cx.connection.session.as_mut().map(|used| &mut used.journal)
    {
        "lee".clone_into(&mut login.server.user);
    }
    profiles.accept(&cx, effects);
    assert!(profiles.said.is_none());
    opened(&mut profiles, &cx, effects);
    assert_eq!((profiles.said.as_deref(), profiles.done), (Some(i18n::tr(REFUSED)), None));
    assert!(effects.go.is_empty(), "{:?}", effects.go);
}

#[test]
fn a_busy_list_offers_only_what_it_does() {
    let mut requests = RequestIds::default();
    let effects = &mut Effects::new(&mut requests);
    for is_opening in [true, false] {
        let (mut profiles, cx) = list();
        let of_list = [
            Action::Accept,
            Action::ChangeProfile,
            Action::TestProfile,
            Action::RemoveProfile,
            Action::Search,
            Action::Down,
        ];
        assert!(of_list.iter().all(|action| profiles.is_enabled(*action, &cx)));
        if is_opening {
            profiles.accept(&cx, effects);
        } else {
            profiles.manage(Action::TestProfile, &cx, effects);
        }
        for action in of_list.into_iter().chain([Action::Quit, Action::RequestLog, Action::Templates]) {
            assert!(!profiles.is_enabled(action, &cx), "{action:?}");
            assert!(profiles.on_action(action, &cx, effects) && profiles.is_busy(), "{action:?}");
        }
        for action in [Action::Back, Action::Help, Action::Palette, Action::QuitNow, Action::SaveScreen] {
            assert!(profiles.is_enabled(action, &cx), "{action:?}");
        }
    }
}

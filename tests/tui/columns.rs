//! Columns chosen, ordered and sized; the lists as they were the last time; what the command line wants first.

use super::common::{session, tui, tui_opening};
use super::copy_log_refresh::pass;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::sandbox::Sandbox;
use lapel::tui::{FirstConnection, Helpers, InitialView, ProfileSession, ViewUse};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join("desk").join(format!("{name}.json"))
}

/// A profile of this name that keeps how its lists are shown.
pub fn keeping(folder: &Path, name: &str) -> impl Fn(ProfileSession) -> ProfileSession + use<> {
    let (file, name) = (file(folder, name), name.to_owned());
    move |session| {
        let view = Some(ViewUse { file: file.clone(), keep: true });
        ProfileSession { name: name.clone(), view, ..session }
    }
}

pub fn line_with<'a>(screen: &'a str, text: &str) -> &'a str {
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}: {screen}"))
}

/// The names in the line of headings.
fn heads(screen: &str) -> Vec<&str> {
    // Without the preview.
    line_with(screen, "Holder").split('┃').next().unwrap_or_default().split_whitespace().collect()
}

/// A screen without its lines: a notice may be broken anywhere.
fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub async fn ended(h: &Harness) {
    let mut said = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    assert_eq!(said, [""; 0]);
}

#[tokio::test]
async fn what_is_chosen_is_there_again_the_next_time_and_another_profile_has_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 128, 36, keeping(folder.path(), "one")).await;
    h.press("2");
    let screen = h.settled().await;
    assert_eq!(heads(&screen), ["State", "Holder", "E-mail", "Badge", "Issued", "at", "Mail"]);
    // Without the mail; the end of validity first, five cells wider.
    h.press("C j j j j j space j space K K K K K K + + + + + esc");
    let screen = h.settled().await;
    assert_eq!(heads(&screen), ["Valid", "until", "State", "Holder", "E-mail", "Badge", "Issued", "at"]);
    let at = line_with(&screen, "Holder").find(msg("State")).expect("a column");
    assert_eq!(at, 3 + "Valid until".len() + 5 + 1, "{screen}");
    h.press("s");
    let menu = h.screen();
    assert!(
        menu.contains(msg("Valid until")) && !menu.contains(msg("Mail")),
        "what is shown is offered: {menu}"
    );
    h.press("j space enter");
    h.settled().await;
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬");
    h.settled().await;
    h.press("esc enter");
    // A badge is open; one comes back to the list that it was opened from.
    h.settled().await;
    ended(&h).await;

    let templates = requests(&h, "GET /badge-templates");
    let mut h = h.reopened(keeping(folder.path(), "one"), 128, 36).await;
    let screen = h.settled().await;
    assert_eq!(heads(&screen), ["Valid", "until↓", "State", "Holder", "E-mail", "Badge", "Issued", "at"]);
    assert!(screen.contains(&format!("title “파이썬” · {}", ordered_by("valid until"))), "{screen}");
    assert_eq!(line_with(&screen, "Holder").find(msg("State")), Some(at + "↓".len() - 1), "{screen}");
    assert_eq!(requests(&h, "GET /badge-templates"), templates, "nothing is read that is not shown");

    let mut h = h.reopened(keeping(folder.path(), "two"), 128, 36).await;
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("Nothing needs you, and no job is running.")) && !screen.contains("파이썬 ·"),
        "{screen}"
    );
    h.press("2");
    let screen = h.settled().await;
    assert_eq!(heads(&screen), ["State", "Holder", "E-mail", "Badge", "Issued", "at", "Mail"]);
    assert!(!screen.contains(msg_part("title “")), "{screen}");

    // Flags win over what was kept; its columns stay.
    let wanted = InitialView::of(Some("history"), &["name=한".to_owned()]).expect("flags");
    let first = keeping(folder.path(), "one")(session(&h.sandbox, Environment::Demo));
    let mut h =
        Harness::of(tui_opening(wanted, FirstConnection::Session(Box::new(first)), 128, 36), h.sandbox);
    let screen = h.settled().await;
    assert!(screen.contains(&format!("holder “한” · {}", ordered_by("valid until"))), "{screen}");
    assert_eq!(heads(&screen)[..2], ["Valid", "until↓"]);
}

/// The preview has the whole name and the whole address; a list of failed mails without their dates says little.
#[tokio::test]
async fn long_names_and_addresses_are_cut_before_a_date_or_a_mail_status_goes() {
    for (columns, rows) in [(80, 24), (120, 36)] {
        let mut h = Harness::new(small(), columns, rows).await;
        let long = |days: i64| RowSpec {
            recipient_name: "Jean-Baptiste Emmanuel Zorg".into(),
            recipient_email: "jean.baptiste.emmanuel.zorg@department.naru.example".into(),
            // The date has its year.
            minutes_ago: days * 24 * 60,
            email_status: "BOUNCE".into(),
            ..RowSpec::default()
        };
        let insert = (400..405).map(long).collect();
        h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
        h.press("2");
        h.settled().await;
        for filter in ["name:Jean", "mail:failed name:Jean"] {
            h.press("/ ctrl-u");
            h.type_text(filter);
            h.press("enter");
            let screen = h.settled().await;
            let all = ["State", "Holder", "E-mail", "Badge", "Issued", "at", "Mail"];
            assert_eq!(heads(&screen), all, "{filter}: {screen}");
        }
    }
}

#[tokio::test]
async fn a_layout_is_saved_some_time_after_a_change_and_not_at_every_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(folder.path(), "one");
    let mut h = Harness::with(small(), 80, 24, keeping(folder.path(), "one")).await;
    h.settled().await;
    h.press("1");
    h.settled().await;
    let asks = h.tui.app.counts.asks;
    h.press("C");
    for _ in 0..40 {
        h.press("+ j - J space");
    }
    assert_eq!(h.tui.app.counts.asks, asks, "no key writes");
    pass(2).await;
    h.tui.app.update(Message::Tick);
    assert_eq!(h.tui.app.counts.asks, asks + 1, "what is there after a while is written, once");
    h.until("the file", |_| file.exists()).await;
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains("\"version\": 1") && text.contains("badge_type_name"), "{text}");
    #[cfg(unix)]
    {
        let found = std::fs::metadata(&file).expect("the file");
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777, 0o600);
    }
    // Away and back is no change; and one who does nothing costs nothing.
    h.press("esc C J K");
    pass(3).await;
    h.tui.app.update(Message::Tick);
    h.tui.app.update(Message::Tick);
    assert_eq!(h.tui.app.counts.asks, asks + 1, "there is nothing new");
    h.press("0 esc");
    ended(&h).await;
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(!text.contains(msg("columns")), "as the list comes: {text}");
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_a_hostile_one_does_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(folder.path(), "one");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(&file, "{\"version\":1,").expect("written");
    let mut h = Harness::with(small(), 80, 24, keeping(folder.path(), "one")).await;
    let screen = h.settled().await;
    assert!(words(&screen).contains(msg_part("list layout of this profile is damaged")), "{screen}");
    h.press("1");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("40 templates")), "the list is still there: {screen}");
    assert!(!file.exists() && file.with_extension("json.damaged").exists());

    let hostile = r#"{"version":1,"tab":"history","history":{"columns":[{"field":"attic","shown":true},
        {"field":"title","shown":true,"width":99999999999999},{"field":"title","shown":true}],
        "sort":{"field":"../../etc"},"filter":{"issue_start_date":"\u001b[2Jtomorrow","attic":"x"}}}"#;
    std::fs::write(&file, hostile).expect("written");
    let mut h = h.reopened(keeping(folder.path(), "one"), 80, 24).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && !screen.contains("tomorrow"), "{screen}");
    assert_eq!(screen.lines().nth(3).map(str::trim), Some("Badge"), "one column is left: {screen}");

    std::fs::write(&file, r#"{"version":2}"#).expect("written");
    let mut h = h.reopened(keeping(folder.path(), "one"), 80, 24).await;
    let screen = h.settled().await;
    assert!(words(&screen).contains(msg("written by a newer lapel")), "{screen}");
    h.press("2 C + esc");
    h.settled().await;
    ended(&h).await;
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), r#"{"version":2}"#);
}

#[tokio::test]
async fn restore_switched_off_keeps_nothing_and_removes_what_was_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(folder.path(), "one");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(&file, r#"{"version":1,"tab":"history"}"#).expect("written");
    let view = ViewUse { file: file.clone(), keep: false };
    let mut h =
        Harness::with(small(), 80, 24, |session| ProfileSession { view: Some(view), ..session }).await;
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("Needs you"))
            || screen.contains(msg("Nothing needs you, and no job is running.")),
        "{screen}"
    );
    h.until("the file is gone", |_| !file.exists()).await;
    h.press("2 C + esc");
    h.settled().await;
    ended(&h).await;
    assert!(!file.exists());
}

#[tokio::test]
async fn each_profile_keeps_its_own_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let service = session(&sandbox, Environment::Demo);
    let profile = |name: &str| keeping(folder.path(), name)(service.clone());
    let (one, two) = (profile("one"), profile("two"));
    let (first, second) = (one.clone(), two.clone());
    let line = super::profiles::line;
    let helpers = Helpers {
        profiles: Arc::new(move || {
            Box::pin(async move { Ok(vec![line("one", Environment::Demo), line("two", Environment::Demo)]) })
        }),
        open_profile: Arc::new(move |name| {
            let session = if name.as_deref() == Some("two") { second.clone() } else { first.clone() };
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let mut h = Harness::of(tui(FirstConnection::Session(Box::new(one)), helpers, 120, 36), sandbox);
    h.settled().await;
    h.press("2 C space esc P");
    h.until("the profiles", |s| s.contains("two") && s.contains("one")).await;
    h.press("j enter");
    h.until("the other profile", |s| {
        s.contains(msg("Nothing needs you, and no job is running.")) && !s.contains(msg("add a profile"))
    })
    .await;
    h.press("2");
    let screen = h.settled().await;
    assert_eq!(heads(&screen)[0], "State", "the other profile has its own columns");
    let left = file(folder.path(), "one");
    h.until("it is written when it is left", |_| left.exists()).await;
    h.press("P");
    h.until("the profiles", |s| s.contains("two") && s.contains("one")).await;
    h.press("enter");
    let screen = h
        .until("the first profile", |s| {
            s.contains(msg_part("600 badges"))
                && s.contains(msg("Holder"))
                && !s.contains(msg("add a profile"))
        })
        .await;
    assert_eq!(heads(&screen)[0], "Holder");
    drop(two);
}

#[tokio::test]
async fn flags_open_a_tab_with_its_filter() {
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let wanted = InitialView::of(None, &["title=파이썬".to_owned()]).expect("flags");
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    let mut h = Harness::of(tui_opening(wanted, first_connection, 80, 24), sandbox);
    let screen = h.settled().await;
    assert!(screen.contains("badges · title “파이썬”"), "{screen}");
    assert_eq!(all_requests(&h), 1, "nothing else is asked for");
    h.press("esc");
    assert!(!h.settled().await.contains(msg_part("title “")), "esc takes it away as any filter");
}

#[tokio::test]
async fn one_column_stays_and_what_has_no_room_is_said() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("C j j j j j j space j space");
    let screen = h.screen();
    assert!(line_with(&screen, "[x] Revoked").contains(msg("hidden at this width")), "{screen}");
    assert!(screen.contains(msg_part("lapel hides the lowest columns")), "{screen}");
    h.press("0 esc C");
    for _ in 0..6 {
        h.press("space j");
    }
    let screen = h.screen();
    assert_eq!(screen.matches("[x]").count(), 1, "{screen}");
    h.press("k space");
    let screen = h.screen();
    assert!(screen.contains(msg("At least one column must stay.")), "{screen}");
    h.press("0");
    let screen = h.screen();
    assert_eq!(screen.matches("[x]").count(), 6, "{screen}");
    assert!(!screen.contains(msg("hidden at this width")), "{screen}");
    h.press("esc C j + +");
    assert!(h.screen().contains(msg_part("set by you")), "{}", h.screen());
    h.press("esc esc");
}

#[tokio::test]
async fn what_the_service_does_not_sort_by_is_sorted_within_the_page() {
    let options = Options { switches: vec![("sorting".into(), "refused".into())], ..small() };
    let mut h = Harness::new(options, 160, 36).await;
    h.press("2");
    h.settled().await;
    h.press("C j j j j j j j j j j j j j space K K K K K K K K K K K K K esc s j enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(&msg_with(
            "{by}, each page only (the service refuses to sort by it)",
            &[&"by badge id"]
        )),
        "{screen}"
    );
    let ids: Vec<&str> = screen
        .lines()
        .filter(|l| l.contains('@'))
        .filter_map(|l| l[3..].split_whitespace().find(|w| w.len() > 3))
        .collect();
    assert!(ids.len() > 20 && ids.is_sorted(), "{ids:?}\n{screen}");
}

/// Its default columns have no headings that could say it.
#[tokio::test]
async fn the_wallet_says_how_many_columns_have_no_room() {
    for (columns, rows) in [(60, 16), (160, 50)] {
        let mut h = Harness::new(frozen(), columns, rows).await;
        h.settled().await;
        let of = |name: &str| RowSpec {
            recipient_name: name.into(),
            recipient_email: "shared@naru.example".into(),
            ..RowSpec::default()
        };
        let rows = Rows { insert: vec![of("김가람"), of("Wolfeschlegelsteinhausen")], ..Rows::default() };
        h.sandbox.control().rows(&rows).expect("inserted");
        h.press("3");
        h.paste("shared@naru.example");
        h.press("enter");
        let screen = h.settled().await;
        let says = |screen: &str| {
            let line = line_with(screen, msg_part("2 requests")).trim_end();
            line.rsplit("  ").next().is_some_and(|right| right.trim_start().starts_with('+'))
        };
        assert_eq!(says(&screen), columns == 60, "{screen}");
        // The headings say it instead.
        h.press("s j j enter");
        let screen = h.settled().await;
        assert!(!says(&screen), "{screen}");
    }
}

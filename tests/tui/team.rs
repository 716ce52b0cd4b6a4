//! A journal that a team shares: what the screens say of colleagues. Needs PostgreSQL, as `.ci/run` has it.

use super::activity::issue;
use super::team_server as server;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use crate::common::{session, tui, tui_of};
use lapel::jobs::JournalPlace;
use lapel::sandbox::Sandbox;
use lapel::team::Login;
use lapel::tui::{FirstConnection, Helpers, ProfileSession, Tui};
use ratatui::backend::TestBackend;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// As in a profile with a team's journal.
fn in_team(session: ProfileSession, login: &Login, who: &str) -> ProfileSession {
    let journal =
        JournalPlace::Team { login: login.clone(), who: who.to_owned(), reads_only: false, data_dir: None };
    ProfileSession { journal, ..session }
}

/// Lee has issued to three people, and to five more until the quota was used up. Kim looks on. Returns what keeps Lee's
/// lapel alive.
async fn at_kims(login: &Login, columns: u16, rows: u16) -> (Harness, Box<Tui<TestBackend>>) {
    let mut h = Harness::with(small(), columns, rows, |session| {
        let mut session = in_team(session, login, "lee");
        (session.jobs.batch, session.jobs.in_flight) = (2, 1);
        session
    })
    .await;
    issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
    h.sandbox.control().set_quota(Some(5));
    issue(&mut h, 3..8).await;
    h.shows("not sent 3").await;
    h.settled().await;
    let kims = in_team(session(&h.sandbox, Environment::Demo), login, "kim");
    let lees = std::mem::replace(&mut h.tui, Box::new(tui_of(kims, columns, rows)));
    (h, lees)
}

/// The lines of Home in one, without the sign of the selection and the hints at their ends.
fn words(screen: &str) -> String {
    let lines = screen.lines().map(|line| line.trim_end_matches("⏎ show").trim_end_matches("R run"));
    super::narrow::flat(&lines.collect::<Vec<_>>().join("\n").replace('▌', " "))
}

/// Whether it says from when the jobs are.
fn is_dated(screen: &str) -> bool {
    words(screen).contains(msg_part("as of "))
}

fn part<'s>(screen: &'s str, from: &str, to: &str) -> &'s str {
    let rest = screen.split(from).nth(1).unwrap_or_else(|| panic!("no {from}: {screen}"));
    rest.split(to).next().unwrap_or_default()
}

#[tokio::test]
async fn home_names_the_colleague_who_follows_a_job_and_where() {
    if server::is_left_out() {
        return;
    }
    let computer = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    let lee = msg_with("{who} on {computer}", &[&"lee", &computer.trim()]);
    for (columns, rows) in [(80, 24), (120, 36), (200, 50)] {
        let login = server::new_database();
        let (mut h, lees) = at_kims(&login, columns, rows).await;
        h.press("0");
        let screen = h.settled().await;
        let text = words(&screen);
        let followed = msg_with("followed by {owner}", &[&lee]);
        let needs = part(&text, msg("Needs you"), msg("Colleagues"));
        assert!(needs.contains(&followed) && needs.contains(msg_part("3 of 5 not sent")), "{screen}");
        let theirs = part(&text, msg("Colleagues"), msg_part("Expiring badges, failed mails"));
        assert_eq!(theirs.matches(&followed).count(), 2, "{screen}");
        assert!(theirs.contains(&msg_with("{done} of {all} issued", &[&0, &3])), "{screen}");
        for own in
            [msg("Running"), msg("lapel is checking"), msg("Nothing needs you, and no job is running.")]
        {
            assert!(!text.contains(own), "{own}: {screen}");
        }
        // Activity names the same person.
        h.press("G k enter");
        let screen = h.settled().await;
        assert!(screen.contains("#1") && words(&screen).contains(&lee), "{screen}");

        // Lee began it, and Kim follows it.
        server::run_in(&login.server.database, "UPDATE lapel.job SET begun_by = 'lee (tui)'");
        ended(lees).await;
        h.press("0");
        let begun = msg_with("begun by {who}", &[&"lee"]);
        let is_ours = |screen: &str| screen.contains(msg("Running")) && !screen.contains(msg("Colleagues"));
        let screen = h.until("it is Kim's", is_ours).await;
        let text = words(&screen);
        assert!(text.contains(&begun) && !text.contains(msg_part("followed by lee")), "{screen}");
    }
}

#[tokio::test]
async fn support_sees_a_job_that_stopped_and_is_offered_nothing_that_it_cannot_do() {
    if server::is_left_out() {
        return;
    }
    let login = server::new_database();
    let (mut h, lees) = at_kims(&login, 80, 24).await;
    let mut support = session(&h.sandbox, Environment::Demo);
    support.connection.read_only = true;
    support.journal =
        JournalPlace::Team { login, who: "support".to_owned(), reads_only: true, data_dir: None };
    *h.tui = tui_of(support, 80, 24);
    h.press("5");
    let screen = h.until("the job", |screen| screen.contains("#2")).await;
    let text = words(&screen);
    assert!(
        text.contains(msg_part("3 of 5 not sent"))
            && text.contains(msg_part("People who issue can act on it.")),
        "{screen}"
    );
    assert!(!text.contains(msg_part("use up the quota")) && !text.contains("R: "), "{screen}");
    ended(lees).await;
}

async fn ended(lees: Box<Tui<TestBackend>>) {
    lapel::tui::close(&lees.app, &mut |_| {}).await;
}

/// As in a profile whose journal and rate limit are a team's, after three badges were issued.
async fn sharing(folder: &Path, has_share: bool, columns: u16, rows: u16) -> Harness {
    let login = server::database_of(folder);
    let mut h = Harness::with(small(), columns, rows, |session| {
        let mut session = in_team(session, &login, "kim");
        session.connection.pace_team = Some(login.clone());
        session.connection.pace_folder = has_share.then(|| folder.to_owned());
        session
    })
    .await;
    issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
    h.settled().await;
    if has_share {
        let mut admin = login;
        "lapel".clone_into(&mut admin.server.user);
        h.until("it has a seat", |_| has_seat(&admin)).await;
    }
    h
}

fn has_seat(admin: &Login) -> bool {
    let admin = admin.clone();
    let asked = move || {
        let session = lapel::team::DatabaseSession::open(&admin).expect("connected");
        let sql = "SELECT FROM lapel.pace_block WHERE seat";
        !session.runtime.block_on(session.client.query(sql, &[])).expect(sql).is_empty()
    };
    std::thread::spawn(asked).join().expect("asked")
}

#[tokio::test]
async fn the_header_says_that_the_database_is_away_and_the_jobs_stay() {
    if server::is_left_out() {
        return;
    }
    let own = msg_with(
        "{alert} {problem} {dot} own share {limit}/min",
        &[&"▲", &msg("database away"), &"·", &"20"],
    );
    let own = own.as_str();
    for (columns, rows) in [(80, 24), (120, 36), (200, 50)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut h = sharing(folder.path(), true, columns, rows).await;
        server::close_to_all(folder.path());
        h.press("alt-0");
        h.until("it is away", |screen| screen.contains(own) && is_dated(screen)).await;
        for (tab, kept) in [
            ("alt-0", "0 of 3 issued"),
            ("alt-1", ""),
            ("alt-3", ""),
            ("alt-4", ""),
            ("alt-5", "waiting 3 = 3"),
        ] {
            h.press(tab);
            let screen = h.screen();
            let head = screen.lines().next().unwrap_or_default();
            assert!(head.ends_with(own), "{tab}: {screen}");
            assert!(screen.contains(kept), "{tab}: {screen}");
            assert_eq!(is_dated(&screen), !kept.is_empty(), "{tab}: {screen}");
        }
        // Reading continues.
        h.press("alt-2");
        h.shows(msg_part("603 badges")).await;
        assert!(h.screen().contains(own), "{}", h.screen());
        server::open_to_all(folder.path());
        h.until("it is back", |screen| !screen.contains(msg("database away"))).await;
        for tab in ["alt-0", "alt-5"] {
            h.press(tab);
            let screen = h.settled().await;
            assert!(!is_dated(&screen), "{tab}: {screen}");
            assert!(!screen.contains(msg_part("cannot share the rate limit")), "{tab}: {screen}");
        }
    }
}

/// The connection stays open, and the jobs that were read before are not the present ones.
#[tokio::test]
async fn a_user_who_loses_its_rights_sees_since_when() {
    if server::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = sharing(folder.path(), true, 120, 36).await;
    let lost = msg("no database rights");
    server::query_team(
        folder.path(),
        "REVOKE SELECT ON ALL TABLES IN SCHEMA lapel FROM lapel_issuer;
         REVOKE USAGE ON SCHEMA lapel FROM lapel_issuer",
    );
    h.press("alt-5");
    h.press("r");
    h.until("it is known", |screen| screen.contains(lost) && is_dated(screen)).await;
    server::query_team(
        folder.path(),
        "GRANT USAGE ON SCHEMA lapel TO lapel_issuer;
         GRANT SELECT ON ALL TABLES IN SCHEMA lapel TO lapel_issuer",
    );
    h.until("the rights are back", |screen| !screen.contains(lost) && !is_dated(screen)).await;
}

#[tokio::test]
async fn a_database_that_is_away_draws_nothing_and_without_an_own_share_there_are_no_requests() {
    if server::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = sharing(folder.path(), false, 80, 24).await;
    server::close_to_all(folder.path());
    let none = msg_with("{alert} {problem} {dot} no requests", &[&"▲", &msg("database away"), &"·"]);
    h.until("it is away", |screen| screen.contains(&none)).await;
    h.press("alt-0");
    h.until("Home knows it, too", is_dated).await;
    h.settled().await;
    let (draws, _) = super::idle::ten_idle_seconds(&mut h).await;
    assert_eq!(draws, 0);
    server::open_to_all(folder.path());
}

#[tokio::test]
async fn a_wallet_without_the_journal_says_that_badges_may_be_missing() {
    if server::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = sharing(folder.path(), true, 120, 36).await;
    server::close_to_all(folder.path());
    h.press("3");
    h.type_text("nobody@wait.example");
    h.press("enter");
    let screen = h.shows(msg_part("badges that lapel sent may be missing here")).await;
    assert!(screen.contains(msg_part("but not everything could be read")), "{screen}");
    server::open_to_all(folder.path());
    // No key is needed.
    let is_whole = |screen: &str| {
        screen.contains(msg_part("in the wallet or the history"))
            && !screen.contains(msg_part("badges that lapel sent may be missing here"))
    };
    h.until("it has looked again", is_whole).await;
}

#[tokio::test]
async fn a_journal_that_was_away_at_the_start_is_opened_when_it_is_back() {
    if server::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let login = server::database_of(folder.path());
    server::close_to_all(folder.path());
    let mut h = Harness::with(small(), 160, 50, |session| {
        let mut session = in_team(session, &login, "kim");
        session.connection.pace_team = Some(login.clone());
        session.connection.pace_folder = Some(folder.path().to_owned());
        session
    })
    .await;
    let told = [msg_part("cannot be reached"), msg_part("cannot share the rate limit")];
    h.until("it is away", |screen| told.iter().all(|text| screen.contains(text))).await;
    // Nothing that a person looks at or types is lost.
    h.press("/");
    h.type_text("hong");
    server::open_to_all(folder.path());
    let opened = async {
        while h.tui.app.jobs().is_none() {
            let message = h.tui.next().await;
            h.tui.app.update(message);
        }
    };
    tokio::time::timeout(Duration::from_secs(60), opened).await.expect("it is opened");
    let screen = h.screen();
    assert!(screen.contains("hong") && !told.iter().any(|text| screen.contains(text)), "{screen}");
    h.press("ctrl-u esc 0");
    h.settled().await;
    issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
}

/// The database is there, and other programs use all of its connections.
#[tokio::test]
async fn a_database_without_a_free_connection_is_named_when_it_is_opened_and_while_a_job_sends() {
    if !server::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let login = server::database_of(folder.path());
    let allow = |connections: i32| {
        let name = &login.server.database;
        server::run_in(name, &format!("ALTER DATABASE {name} CONNECTION LIMIT {connections}"));
    };
    let in_use = msg_part("all connections that the database allows are in use");
    allow(0);
    let options = small().showing_waiting();
    let mut h = Harness::with(options, 160, 50, |session| in_team(session, &login, "kim")).await;
    h.press("alt-0");
    h.until("why it is not opened", |screen| words(screen).contains(in_use)).await;
    allow(-1);
    h.until("it is opened", |screen| !words(screen).contains(in_use)).await;
    h.settled().await;

    h.sandbox.control().add_fault("post commit hold times=1").expect("a fault");
    issue(&mut h, 0..3).await;
    h.struck(1).await;
    allow(0);
    server::cut_connections(folder.path());
    h.sandbox.control().clear_faults();
    h.press("alt-0");
    h.until("why the answer waits", |screen| words(screen).contains(in_use)).await;
    allow(-1);
    h.press("alt-5");
    h.shows("waiting 3 = 3").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 3);
}

/// lapel has only the password that it read.
#[tokio::test]
async fn a_login_that_is_refused_is_named_with_what_helps() {
    if server::is_left_out() {
        return;
    }
    let head = msg_with("{alert} {problem} {dot} no requests", &[&"▲", &msg("login refused"), &"·"]);
    let advice = msg_with("{why} Then open the profile again: {key}.", &[&"", &"P"]);
    // The key of a profile is checked by a request before the journal is opened.
    for (columns, rows, is_pinned) in [(80, 24, false), (160, 50, false), (120, 36, true)] {
        let mut login = server::new_database();
        "stranger".clone_into(&mut login.server.user);
        let mut h = Harness::with(small(), columns, rows, |session| {
            let mut session = in_team(session, &login, "kim");
            session.connection.pace_team = Some(login.clone());
            session.connection.pin = is_pinned.then(|| super::profiles::pinned("dmu_test_"));
            session
        })
        .await;
        h.press("alt-0");
        let is_told = |screen: &str| screen.contains(&head) && words(screen).contains(advice.trim());
        let screen = h.until("what helps", is_told).await;
        // Without the message below the screen.
        h.press("esc alt-5");
        for screen in [screen, h.screen()] {
            assert!(words(&screen).contains(advice.trim()), "{screen}");
            for other in [msg("database away"), msg_part("lapel tries again by itself.")] {
                assert!(!words(&screen).contains(other), "{screen}");
            }
        }
        assert_eq!(all_requests(&h), 0);
    }
}

/// An answer waits for the login. The connection stays, so that it is recorded.
#[tokio::test]
async fn opening_the_profile_again_lets_a_sending_job_log_in() {
    if server::is_left_out() {
        return;
    }
    let mut login = server::new_database();
    let database = login.server.database.clone();
    server::run_in(&database, "CREATE ROLE locked_out LOGIN; GRANT lapel_issuer TO locked_out");
    "locked_out".clone_into(&mut login.server.user);
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
    let mut first = in_team(session(&sandbox, Environment::Demo), &login, "kim");
    "one".clone_into(&mut first.name);
    first.data_dir = Some(folder.path().to_owned());
    // Read again, it knows of no refusal.
    let again = Login { refused: Arc::default(), ..login.clone() };
    let later = in_team(first.clone(), &again, "kim");
    let helpers = Helpers {
        profiles: Arc::new(|| Box::pin(async { Ok(vec![super::profiles::line("one", Environment::Demo)]) })),
        open_profile: Arc::new(move |_| {
            let later = later.clone();
            Box::pin(async move { Ok(later) })
        }),
        ..Helpers::default()
    };
    let mut h = Harness::of(tui(FirstConnection::Session(Box::new(first)), helpers, 160, 50), sandbox);
    h.settled().await;
    h.sandbox.control().add_fault("post commit hold times=1").expect("a fault");
    issue(&mut h, 0..3).await;
    h.struck(1).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'locked_out'";
    server::run_in(&database, "ALTER ROLE locked_out NOLOGIN");
    server::run_in(&database, cut);
    h.sandbox.control().clear_faults();
    h.shows(msg("login refused")).await;

    server::run_in(&database, "ALTER ROLE locked_out LOGIN");
    h.press("P");
    h.shows("Organisation one").await;
    h.press("enter");
    h.shows(msg("lapel read the password again, and logs in to the team's journal with it.")).await;
    h.press("esc");
    h.shows("waiting 3 = 3").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 3);
}

/// The service has answered, and the journal takes nothing any more: the database is gone, or the right to write.
#[tokio::test]
async fn quitting_hardly_waits_for_a_journal_that_refuses_an_answer() {
    if !server::is_installed() {
        return;
    }
    let right = "UPDATE ON lapel.request";
    for (is_gone, why) in [(true, msg_part("cannot be reached")), (false, msg_part("may not do this"))] {
        let folder = tempfile::tempdir().expect("a folder");
        let login = server::database_of(folder.path());
        let options = small().showing_waiting();
        let mut h = Harness::with(options, 160, 50, |session| in_team(session, &login, "kim")).await;
        h.sandbox.control().add_fault("post commit hold times=1").expect("a fault");
        issue(&mut h, 0..3).await;
        h.struck(1).await;
        let jobs = h.tui.app.jobs().expect("jobs").clone();
        assert_eq!((jobs.open_answers().awaited, jobs.open_answers().unrecorded), (1, 0));
        if is_gone {
            server::close_to_all(folder.path());
        } else {
            server::query_team(folder.path(), &format!("REVOKE {right} FROM lapel_issuer"));
        }
        h.sandbox.control().clear_faults();
        let arriving = async {
            while jobs.open_answers().unrecorded == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), arriving).await.expect("an answer");
        drop(jobs);

        let (begun, mut said) = (Instant::now(), Vec::new());
        lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
        let (took, said) = (begun.elapsed(), said.join("\n"));
        // Each of the last writes alone would wait for 10 s.
        assert!(took < Duration::from_secs(6), "{took:?}: {said}");
        for part in [
            msg_part("in the journal; ctrl-c quits at once"),
            msg_part("the next start checks these rows first, and sends none again by itself."),
            why,
        ] {
            assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
        }
        assert!(!said.contains(msg_part("from the service; ctrl-c quits at once")), "{said}");

        if is_gone {
            server::open_to_all(folder.path());
        } else {
            server::query_team(folder.path(), &format!("GRANT {right} TO lapel_issuer"));
        }
        // Its lease may not have ended with it.
        server::query_team(folder.path(), "DELETE FROM process");
        *h.tui = tui_of(in_team(session(&h.sandbox, Environment::Demo), &login, "kim"), 160, 50);
        h.press("5");
        h.shows("waiting 3 = 3").await;
        assert_eq!(h.sandbox.control().ledger().accepted_total(), 3);
    }
}

/// As after a backup of the database was restored that is older than the job.
#[tokio::test]
async fn a_job_that_the_database_lost_leaves_the_list() {
    if server::is_left_out() {
        return;
    }
    let login = server::new_database();
    let mut h = Harness::with(small(), 160, 50, |session| {
        let mut session = in_team(session, &login, "kim");
        session.jobs.others = Duration::from_millis(100);
        session
    })
    .await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    server::run_in(&login.server.database, "TRUNCATE lapel.job CASCADE");
    let screen = h.shows(msg_part("is not in the journal any more")).await;
    assert!(!screen.contains("waiting 2 = 2"), "{screen}");
}

#[tokio::test]
async fn home_says_that_the_database_lost_writes_until_that_no_longer_matters() {
    if !server::is_installed() {
        return;
    }
    let login = server::new_database();
    let noticed = |ago: &str| {
        let sql = format!("UPDATE lapel.store SET noticed = now() - interval '{ago}'");
        server::run_in(&login.server.database, &sql);
    };
    let lost = msg_part("every row to issue needs review until");
    for (ago, says) in [("1 hour", true), ("27 hours", false)] {
        noticed(ago);
        let mut h = Harness::with(small(), 120, 36, |session| in_team(session, &login, "kim")).await;
        h.press("0");
        let screen = h.settled().await;
        let quiet = msg("Nothing needs you, and no job is running.");
        let text = words(&screen);
        assert_eq!((text.contains(lost), text.contains(quiet)), (says, !says), "{screen}");
    }
}

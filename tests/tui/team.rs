//! A journal that a team shares: what the screens say of colleagues. Needs PostgreSQL, as `.ci/run` has it.

use super::activity::issue;
use super::team_server as server;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use crate::common::{session, tui_of};
use lapel::jobs::JournalPlace;
use lapel::team::Login;
use lapel::tui::{Session, Tui};
use ratatui::backend::TestBackend;

/// As in a profile with a team's journal.
fn in_team(session: Session, login: &Login, who: &str) -> Session {
    let journal = JournalPlace::Team { login: login.clone(), who: who.to_owned(), reads_only: false };
    Session { journal, ..session }
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

fn part<'s>(screen: &'s str, from: &str, to: &str) -> &'s str {
    let rest = screen.split(from).nth(1).unwrap_or_else(|| panic!("no {from}: {screen}"));
    rest.split(to).next().unwrap_or_default()
}

#[tokio::test]
async fn home_names_the_colleague_who_follows_a_job_and_where() {
    if !server::is_installed() {
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
        assert!(needs.contains(&followed) && needs.contains("3 of 5 not sent"), "{screen}");
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

async fn ended(lees: Box<Tui<TestBackend>>) {
    lapel::tui::close(&lees.app, &mut |_| {}).await;
}

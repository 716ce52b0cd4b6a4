//! Eight real processes of a team over one database: overlapping files, kills, freezes, lost connections, restarts of the
//! server, colleagues who pause and resume jobs, and refusals. The sandbox's ledger is the judge.
//!
//! `LAPEL_RUNS=200 LAPEL_TEST_JOURNAL=postgresql cargo test --test jobs team_chaos -- --ignored --nocapture`

use crate::crash::person::{self, TEMPLATE};
use crate::crash::random;
use crate::crash::team_wait;
use crate::crash::world::{BOUND, End, Session, Trap, World};
use crate::team;
use lapel::jobs::{JobId, JobRow, RowFilter, RowStatus};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PROCESSES: usize = 8;
const PEOPLE: usize = 60;
/// The window of the limit, which is a minute outside of tests.
const WINDOW: Duration = Duration::from_secs(2);
const LIMIT: u32 = 60;
/// Each badge takes its time.
const SLOW: &str = "post commit delay=20ms";
/// Commands of colleagues at once.
const MOST_COLLEAGUES: usize = 2;

struct Team {
    world: World,
    home: PathBuf,
}

impl Team {
    fn new() -> Self {
        let mut world = World::new(&[("waiting-history", "visible"), ("waiting-detail", "visible")]);
        world.settings.batch = 4;
        world.fault(SLOW);
        world.control().set_rate_limit(LIMIT);
        world.control().set_rate_window(WINDOW);
        let home = world.folder().join("home");
        fs::create_dir_all(&home).expect("a home");
        let (address, url) = (&world.connection().base_url, team::url_of(world.folder()).expect("a team"));
        let profile = format!(
            "[profiles.team]\nbase_url = '{address}'\nenvironment = 'demo'\nkey = {{ env = 'TEAM_KEY' }}\n\
             rate_limit = {LIMIT}\n[profiles.team.journal]\nurl = '{url}'\n[jobs]\nbatch = 4\nin_flight = 2\n"
        );
        fs::write(home.join("config.toml"), profile).expect("written");
        Self { world, home }
    }

    /// Each process is a computer of its own, with its own data folder.
    fn lapel(&self, computer: usize) -> Command {
        let data = self.home.join(format!("computer-{computer}"));
        fs::create_dir_all(&data).expect("a data folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lapel"));
        command
            .env_clear()
            .current_dir(&self.home)
            .env("HOME", &self.home)
            .env("USER", format!("person{computer}"))
            .env("LAPEL_CONFIG_DIR", &self.home)
            .env("LAPEL_DATA_DIR", data)
            .env("LAPEL_PROFILE", "team")
            .env("TEAM_KEY", self.world.key())
            .env("LAPEL_TEST_WINDOW_MS", WINDOW.as_millis().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Issues to a part of the people.
    fn issue(&self, computer: usize, chance: &mut fastrand::Rng) -> Child {
        let mut rows = String::from("name,email\n");
        for n in (0..PEOPLE).filter(|_| chance.bool()) {
            rows.push_str(&format!("Person {n},person{n}@naru.example\n"));
        }
        let file = self.home.join(format!("people-{computer}.csv"));
        fs::write(&file, rows).expect("written");
        let mut command = self.lapel(computer);
        command.args(["issue", "--template", TEMPLATE, "--yes", "--recipients"]).arg(&file);
        command.spawn().expect("it starts")
    }
}

/// A process whose request is on its way when its computer freezes. The request arrives when the faults are cleared.
fn frozen_while_it_sends(team: &Team) -> Child {
    team.world.control().clear_faults();
    team.world.fault("post /badges/batch hold times=1");
    let mut child = team.issue(0, &mut fastrand::Rng::with_seed(7));
    let open = "SELECT count(*) FROM request WHERE answered IS NULL";
    let end = Instant::now() + BOUND;
    // The second request is answered, so the first one is held.
    while team.world.number(open) != 1 || team.world.control().ledger().accepted_total() == 0 {
        assert!(Instant::now() < end && matches!(child.try_wait(), Ok(None)), "it sends");
        std::thread::park_timeout(Duration::from_millis(5));
    }
    signal(&child, Signal::STOP);
    team::end_leases(team.world.folder());
    child
}

/// The rows of the job of a frozen process that the service has not got. They are in doubt, and stay so after what was
/// not sent went on and the history showed nothing.
async fn doubts(team: &Team, session: &mut Session) -> (JobId, Vec<u64>) {
    session.hear().await;
    let id = session.jobs.list().await.expect("jobs")[0].id;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let rows = person::rows(session, id).await;
        assert!(rows.iter().all(|row| row.row_status != RowStatus::Sending), "{rows:?}");
        seen.push(rows.into_iter().filter(|row| row.row_status == RowStatus::InDoubt).collect::<Vec<_>>());
        let _ = session.jobs.resume(id, "person").await;
        session.jobs.sent(id).await;
        session.jobs.poll_now(Some(id)).await;
    }
    // The answer to another request may not have been recorded yet when its computer froze: those rows are found.
    let ledger = team.world.control().ledger();
    let is_there = |row: &JobRow| ledger.accepted.iter().any(|one| one.recipient_email == row.address.wire());
    let mut seen = seen
        .into_iter()
        .map(|rows| rows.into_iter().filter(|row| !is_there(row)).map(|row| row.no).collect::<Vec<_>>());
    let (first, second) = (seen.next().unwrap_or_default(), seen.next().unwrap_or_default());
    assert!(!first.is_empty() && first == second, "its rows are not ready again: {first:?}, {second:?}");
    (id, first)
}

/// The computer wakes up, and its request arrives.
async fn thaw(team: &Team, child: &mut Child) {
    team.world.control().clear_faults();
    signal(child, Signal::CONT);
    team_wait::until(|| !matches!(child.try_wait(), Ok(None))).await;
}

/// A request is on its way when its computer freezes, and arrives after another computer has taken over the job.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_process_that_freezes_while_it_sends_leaves_rows_in_doubt_and_nobody_gets_two() {
    let team = Team::new();
    let mut child = frozen_while_it_sends(&team);
    let people = team.world.session_beside(&Trap::new(End::Lives), async |session| {
        let (id, _) = doubts(&team, session).await;
        thaw(&team, &mut child).await;
        finish(&team, session).await;
        session.jobs.job(id).await.expect("a job").counts.total()
    });
    judge(&team, None);
    assert_eq!(Some(team.world.control().ledger().accepted_total()), people, "and nobody none");
    team::end_leases(team.world.folder());
    team.world.let_go();
}

/// The limit that docs/team.md and the README name: only a person who resends a row by name meanwhile makes a second
/// badge, only for this row, and the journal keeps which one it is.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_process_that_freezes_while_it_sends_makes_a_second_badge_only_for_a_row_that_a_person_resends() {
    let team = Team::new();
    let mut child = frozen_while_it_sends(&team);
    let resent = team.world.session_beside(&Trap::new(End::Lives), async |session| {
        let (id, doubts) = doubts(&team, session).await;
        let no = doubts[0];
        session.jobs.resend(id, no, "person", "now").await.expect_err("lapel still looks for it");
        let end = Instant::now() + BOUND;
        while session.jobs.job(id).await.expect("a job").counts.of(RowStatus::NeverSeen) < doubts.len() as u64
        {
            assert!(Instant::now() < end, "never seen");
            team.world.advance(10);
            session.hear().await;
            session.jobs.poll_now(Some(id)).await;
        }
        let ledger = team.world.control().ledger();
        session.jobs.resend(id, no, "person", "it is not there").await.expect("never seen");
        person::rest(session, id).await;
        let people = session.jobs.job(id).await.expect("a job").counts.total();
        assert_eq!(team.world.control().ledger().accepted_total(), ledger.accepted_total() + 1);
        thaw(&team, &mut child).await;
        let late = "SELECT why FROM decision WHERE what = 'late answer'";
        team_wait::until(|| !team.world.query(late).is_empty()).await;
        finish(&team, session).await;
        let row = person::rows(session, id).await.into_iter().find(|row| row.no == no).expect("the row");
        let bound = row.badge_id.expect("one of the two");
        let ledger = team.world.control().ledger();
        assert_eq!(ledger.accepted_total(), people + 1, "everybody else has one");
        let address = row.address.wire().to_owned();
        let theirs = ledger.accepted.iter().find(|one| one.recipient_email == address).expect("accepted");
        let evidence = team.world.query(late).concat();
        for badge in theirs.badge_ids.iter().filter(|id| **id != bound.wire()) {
            assert!(
                evidence.iter().flatten().any(|why| why.contains(badge.as_str())),
                "{badge}: {evidence:?}"
            );
        }
        address
    });
    judge(&team, resent.as_deref());
    team::end_leases(team.world.folder());
    team.world.let_go();
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    // It may have ended already.
    let _ = kill_process(pid, signal);
}

/// What has happened in all runs, so that a run that provokes nothing is noticed.
#[derive(Debug, Default)]
struct Tally {
    badges: u64,
    killed: u32,
    frozen: u32,
    cut: u32,
    restarts: u32,
    ended_leases: u32,
    /// By a colleague.
    paused: u64,
    resumed: u64,
    /// Requests.
    refused: u64,
    /// Most requests in a window.
    busiest: usize,
}

fn disturb(team: &Team, children: &mut [Child], chance: &mut fastrand::Rng, tally: &mut Tally) {
    let child = &mut children[chance.usize(..PROCESSES)];
    let is_running = matches!(child.try_wait(), Ok(None));
    match chance.u32(..10) {
        0..=2 if is_running => {
            signal(child, Signal::KILL);
            tally.killed += 1;
        }
        3..=5 if is_running => {
            signal(child, Signal::STOP);
            // Others take over its jobs while it is frozen.
            team::end_leases(team.world.folder());
            tally.frozen += 1;
            std::thread::park_timeout(Duration::from_millis(chance.u64(50..400)));
            signal(child, Signal::CONT);
        }
        6 | 7 => {
            team::cut_connections(team.world.folder());
            tally.cut += 1;
        }
        8 => {
            team::end_leases(team.world.folder());
            tally.ended_leases += 1;
        }
        9 if chance.u32(..4) == 0 => {
            team::restart_server();
            tally.restarts += 1;
        }
        _ => {}
    }
}

/// What colleagues and the service do meanwhile. It has a chance of its own, so that a seed keeps what [`disturb`] does.
fn interfere(team: &Team, colleagues: &mut Vec<JoinHandle<()>>, chance: &mut fastrand::Rng) {
    let control = team.world.control();
    // One that was set the last time has lasted long enough.
    control.set_quota(None);
    let status = match chance.u32(..8) {
        0..=2 => {
            let busy = colleagues.iter().filter(|colleague| !colleague.is_finished()).count();
            let colleague = if busy < MOST_COLLEAGUES { pause_and_resume(team, chance) } else { None };
            return colleagues.extend(colleague);
        }
        3 => 400,
        4 => 422,
        5 => return control.set_quota(Some(control.ledger().accepted_total() + chance.u64(..8))),
        _ => return,
    };
    // A request gets only the first fault that applies.
    control.clear_faults();
    team.world.fault(&format!("post /badges/batch status={status} times=1"));
    team.world.fault(SLOW);
}

/// At another computer. Both may be refused: the job may have ended, or somebody may send it.
fn pause_and_resume(team: &Team, chance: &mut fastrand::Rng) -> Option<JoinHandle<()>> {
    let jobs = team.world.query("SELECT id FROM job WHERE phase IN ('running', 'stopped') ORDER BY id");
    let job = jobs.get(chance.usize(..jobs.len().max(1)))?.first()?.clone()?;
    let command = |verb| {
        let mut command = team.lapel(PROCESSES);
        command.args(["jobs", verb, &job]);
        command
    };
    let (mut pause, mut resume) = (command("pause"), command("resume"));
    resume.arg("--yes");
    let between = Duration::from_millis(chance.u64(..300));
    Some(std::thread::spawn(move || {
        pause.status().expect("it starts");
        std::thread::park_timeout(between);
        resume.status().expect("it starts");
    }))
}

fn run(seed: u64, tally: &mut Tally) {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut chance_of_others = fastrand::Rng::with_seed(!seed);
    let mut colleagues = Vec::new();
    let team = Team::new();
    let mut children: Vec<Child> = (0..PROCESSES).map(|n| team.issue(n, &mut chance)).collect();
    let end = Instant::now() + BOUND;
    // A process that is killed while it starts provokes nothing.
    let has_begun = || team.world.number("SELECT count(*) FROM request") > 0;
    while children.iter_mut().any(|child| matches!(child.try_wait(), Ok(None))) {
        if !has_begun() {
            std::thread::park_timeout(Duration::from_millis(20));
            assert!(Instant::now() < end, "nothing is ever sent");
            continue;
        }
        std::thread::park_timeout(Duration::from_millis(chance.u64(20..200)));
        disturb(&team, &mut children, &mut chance, tally);
        interfere(&team, &mut colleagues, &mut chance_of_others);
        assert!(Instant::now() < end, "a process never ends");
    }
    team.world.control().set_quota(None);
    for mut child in children {
        signal(&child, Signal::CONT);
        child.wait().expect("it ends");
    }
    while !colleagues.iter().all(JoinHandle::is_finished) {
        std::thread::park_timeout(Duration::from_millis(20));
        assert!(Instant::now() < end, "a command of a colleague never ends");
    }
    for colleague in colleagues {
        colleague.join().expect("its commands start");
    }
    judge(&team, None);
    let decided = |what| team.world.number(&format!("SELECT count(*) FROM decision WHERE what = '{what}'"));
    tally.paused += decided("pause");
    tally.resumed += decided("resume");
    tally.refused += team.world.number("SELECT count(*) FROM request WHERE status IN (400, 422)");
    let busiest = team.world.control().ledger().busiest_minute;
    let busiest = busiest.values().map(|minute| minute.arrived).max().unwrap_or_default();
    assert!(busiest <= LIMIT as usize, "{busiest} requests in one window of {LIMIT}");
    tally.busiest = tally.busiest.max(busiest);
    team.world.control().set_rate_limit(1_000_000);
    team.world.control().clear_faults();
    team::end_leases(team.world.folder());
    team.world.session(&Trap::new(End::Lives), async |session| finish(&team, session).await);
    judge(&team, None);
    tally.badges += team.world.control().ledger().accepted_total();
}

/// A person resumes what was not sent, and retries what was refused, until everything is known.
async fn finish(team: &Team, session: &mut Session) {
    for minutes in [0, 1, 10, 60, 1440, 60, 1440] {
        team.world.advance(minutes);
        session.hear().await;
        for job in session.jobs.list().await.expect("jobs") {
            if job.can_resume() {
                let _ = session.jobs.resume(job.id, "person").await;
            }
            person::rest(session, job.id).await;
            if job.counts.of(RowStatus::Refused) > 0 {
                let _ = session.jobs.retry_refused(job.id, "person").await;
                person::rest(session, job.id).await;
            }
        }
        let _ = session.jobs.poll_now(None).await;
    }
    let mut all: BTreeMap<String, Vec<(JobId, RowStatus)>> = BTreeMap::new();
    for job in session.jobs.list().await.expect("jobs") {
        let rows = session.jobs.rows(job.id, RowFilter::default(), 1000).await.expect("rows");
        assert_eq!(job.counts.total(), rows.len() as u64, "the statuses add up: {job:?}");
        for row in rows {
            all.entry(row.address.wire().to_owned()).or_default().push((job.id, row.row_status));
        }
    }
    let ledger = team.world.control().ledger();
    let issued: BTreeSet<&str> = ledger.accepted.iter().map(|one| one.recipient_email.as_str()).collect();
    for (address, rows) in &all {
        let is_open = |status: &RowStatus| matches!(status, RowStatus::Sending | RowStatus::Ready);
        assert!(!rows.iter().any(|(_, status)| is_open(status)), "{address}: {rows:?}");
        let has = rows.iter().filter(|(_, status)| *status == RowStatus::Issued).count();
        assert!(has <= 1, "{address}: {rows:?}");
        assert_eq!(has == 1, issued.contains(address.as_str()), "{address}: {rows:?}");
    }
    assert!(issued.iter().all(|address| all.contains_key(*address)), "a badge without a row");
}

/// Nobody has two, but for one who was sent to again.
fn judge(team: &Team, resent: Option<&str>) {
    let ledger = team.world.control().ledger();
    for accepted in &ledger.accepted {
        let expected = if resent == Some(&*accepted.recipient_email) { 2 } else { 1 };
        assert_eq!(accepted.count, expected, "{accepted:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL; as many as LAPEL_RUNS, 2 without it"]
fn eight_processes_of_a_team() {
    let (runs, seed) = random::wanted(2);
    let mut tally = Tally::default();
    for n in 0..runs {
        run(u64::from(seed) * 100_000 + u64::from(n), &mut tally);
    }
    println!("{runs} runs: {tally:?}");
    assert!(tally.badges > u64::from(runs) * 20, "{tally:?}");
    let others = [tally.paused, tally.resumed, tally.refused];
    assert!(runs < 10 || others.iter().all(|many| *many >= u64::from(runs / 10)), "{tally:?}");
}

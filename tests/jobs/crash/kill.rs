//! `kill -9` of the real program at random moments.

use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script};
use crate::crash::random;
use crate::crash::world::{End, Trap, World};
use crate::team;
use lapel::jobs::PlannedRecipient;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

const NAMES: [&str; 12] =
    ["하나", "두리", "세나", "네모", "다솜", "여름", "가을", "겨울", "보라", "초롱", "슬기", "한별"];

/// What the service does with requests, while the program lives.
const RULES: [&str; 5] = [
    "post delay=30ms",
    "post commit delay=30ms",
    "post every=2 commit-drop",
    "post every=2 drop",
    "post every=3 commit delay=60ms",
];

#[derive(Debug)]
struct Case {
    revokes: bool,
    rule: &'static str,
    shown: bool,
    /// In thousandths of the time that an undisturbed run takes.
    moment: u32,
    whole: Duration,
}

struct Tui {
    world: World,
    script: Script,
    file: PathBuf,
}

impl Tui {
    fn new(case: &Case) -> Self {
        let waiting = if case.shown { "visible" } else { "hidden" };
        let mut world = World::new(&[("waiting-history", waiting), ("waiting-detail", waiting)]);
        world.settings.batch = 3;
        let (input, rows) = if case.revokes {
            let targets = person::targets(&world, NAMES.len());
            let ids = targets.iter().map(|target| target.badge_id.wire());
            let rows = ["badge_id"].into_iter().chain(ids).collect::<Vec<_>>().join("\n");
            (JobInput::Revoke(targets), rows)
        } else {
            let person = |(n, name): (usize, &&str)| PlannedRecipient {
                name: format!("김{name}"),
                email: format!("person{n}@naru.example"),
            };
            let people: Vec<PlannedRecipient> = NAMES.iter().enumerate().map(person).collect();
            let rows: Vec<String> = people.iter().map(|p| format!("{},{}", p.name, p.email)).collect();
            (JobInput::Issue(people), format!("name,email\n{}", rows.join("\n")))
        };
        let home = world.folder().join("home");
        fs::create_dir_all(&home).expect("a home");
        let profile = team::url_of(world.folder()).map_or(String::new(), |url| {
            let address = &world.connection().base_url;
            format!(
                "[profiles.team]\nbase_url = '{address}'\nenvironment = 'demo'\nkey = {{ env = 'TEAM_KEY' }}\n\
                 [profiles.team.journal]\nurl = '{url}'\n"
            )
        });
        let settings = format!("[jobs]\nbatch = 3\nin_flight = 2\n{profile}");
        fs::write(home.join("config.toml"), settings).expect("written");
        let file = home.join("rows.csv");
        fs::write(&file, rows + "\n").expect("written");
        Self { world, script: Script::of(input), file }
    }

    fn lapel(&self) -> Command {
        let home = self.world.folder().join("home");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lapel"));
        command
            .env_clear()
            .current_dir(&home)
            .env("HOME", &home)
            .env("USER", "tester")
            .env("LAPEL_CONFIG_DIR", &home)
            .env("LAPEL_DATA_DIR", self.world.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if team::is_team() {
            command.env("LAPEL_PROFILE", "team").env("TEAM_KEY", self.world.key());
        } else {
            let address = &self.world.connection().base_url;
            command.env("LAPEL_BASE_URL", address).env("LAPEL_API_KEY", self.world.key());
        }
        command
    }

    fn begin(&self) -> Child {
        let mut command = self.lapel();
        match self.script.input {
            JobInput::Issue(_) => {
                command.args(["issue", "--template", person::TEMPLATE, "--yes", "--recipients"])
            }
            JobInput::Revoke(_) => command.args(["revoke", "--reason", "중복 발급", "--yes", "--ids"]),
        };
        command.arg(&self.file);
        command.stdout(Stdio::piped()).spawn().expect("it starts")
    }
}

/// Whether it was killed before its end.
fn run(case: &Case) -> bool {
    let tui = Tui::new(case);
    let world = &tui.world;
    world.fault(case.rule);
    let moment = Instant::now() + case.whole * case.moment / 1000;
    let mut child = tui.begin();
    // What it says ends when it does, and with that the channel closes.
    let mut said = child.stdout.take().expect("piped");
    let (open, ended) = std::sync::mpsc::channel::<()>();
    let reading = std::thread::spawn(move || {
        let _ = std::io::copy(&mut said, &mut std::io::sink());
        drop(open);
    });
    if ended.recv_timeout(moment.saturating_duration_since(Instant::now())) == Err(RecvTimeoutError::Timeout)
    {
        // On Unix this is SIGKILL.
        child.kill().expect("killed");
    }
    // One that was killed has no exit code.
    let died = child.wait().expect("it ends").code().is_none();
    reading.join().expect("read to its end");
    // The lease of a process that was killed ends after some time.
    team::end_leases(world.folder());
    oracle::meanwhile(world, &tui.script);
    world.control().clear_faults();
    // It may never have begun: then there is no such job.
    let resumed = tui.lapel().args(["jobs", "resume", "1"]).status().expect("it runs");
    assert!(resumed.code().is_some(), "no signal");
    oracle::meanwhile(world, &tui.script);
    world.session(&Trap::new(End::Lives), async |session| {
        person::live(session, world, &tui.script).await;
        oracle::finally(session, world, &tui.script).await;
    });
    died
}

/// Kills so many, side by side. A third of them revokes.
fn kills(runs: u32, seed: u8) {
    let whole = |rule, revokes| {
        let tui = Tui::new(&Case { revokes, rule, shown: true, moment: 0, whole: Duration::ZERO });
        tui.world.fault(rule);
        let begun = Instant::now();
        tui.begin().wait().expect("it ends");
        begun.elapsed()
    };
    let wholes = RULES.map(|rule| [whole(rule, false), whole(rule, true)]);
    let mut chance = fastrand::Rng::with_seed(u64::from(seed));
    let case = |n: u32| {
        let (at, revokes) = (n as usize % RULES.len(), n.is_multiple_of(3));
        let (rule, whole) = (RULES[at], wholes[at][usize::from(revokes)]);
        Case { revokes, rule, shown: chance.bool(), moment: chance.u32(50..1000), whole }
    };
    let cases: Vec<Case> = (0..runs).map(case).collect();
    let died = many::all(&cases, run).into_iter().filter(|died| *died).count();
    println!("{runs} runs of the program, {died} of them killed before their end");
    assert!(died as u32 >= runs / 3, "only {died} of {runs} were killed before their end");
}

#[test]
fn the_program_that_is_killed_at_any_moment_gives_everybody_one_badge() {
    kills(if team::is_team() { 15 } else { 40 }, 0);
}

#[test]
#[ignore = "a tenth as many as LAPEL_RUNS"]
fn the_program_is_killed_hundreds_of_times() {
    let (runs, seed) = random::wanted(1000);
    kills(runs.div_ceil(10), seed);
}

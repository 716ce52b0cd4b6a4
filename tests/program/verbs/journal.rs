//! The journal's file: emptied, damaged, on a full disk, backed up and put back on another computer.

use super::kit::{Bench, Said, accepted_rows, count};
use crate::texts::msg_part;
use serde_json::Value;
use std::process::Command;

const GIVEN: [&str; 6] = ["하나", "두리", "세나", "네모", "다솜", "여름"];

/// So many people, in a file.
fn people(bench: &Bench, all: usize) -> String {
    let rows: Vec<String> =
        (0..all).map(|n| format!("김{},person{n}@naru.example", GIVEN[n % GIVEN.len()])).collect();
    bench.write("people.csv", format!("name,email\n{}\n", rows.join("\n")))
}

fn issue(file: &str) -> Vec<&str> {
    vec!["issue", "--template", "TPL-001", "--recipients", file, "--yes"]
}

/// `lapel` with a data folder of its own: another computer of the same person.
fn elsewhere(bench: &Bench, args: &[&str]) -> Said {
    let mut command = bench.lapel(args);
    command.env("LAPEL_DATA_DIR", bench.path("new-laptop"));
    bench.said(command.output().expect("it runs"))
}

/// A job of six people that has stopped after two of them.
fn stopped(bench: &Bench) -> String {
    bench.settings("[jobs]\nbatch = 2\nin_flight = 1\n");
    // That the service shows waiting badges is learned from one that was accepted.
    bench.run(&["issue", "--template", "TPL-001", "--to", "먼저 <first@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    bench.control().set_quota(Some(3));
    let said = bench.json(&issue(&people(bench, 6)), 4);
    let job = &said["jobs"][0];
    assert_eq!((count(job, "waiting"), count(job, "ready")), (2, 4), "{said}");
    bench.control().set_quota(None);
    // From now on, a check proves that the refused request did nothing.
    bench.advance(10);
    job["id"].to_string()
}

#[test]
fn an_open_job_goes_to_the_new_computer_and_stays_nowhere_else() {
    let bench = Bench::new();
    let id = stopped(&bench);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    let made = bench.json(&["journal", "backup", file], 0);
    assert_eq!((&made["jobs"], &made["stayed"]), (&2.into(), &Value::Array(Vec::new())), "{made}");
    assert!(
        made["moved"]
            .as_array()
            .is_some_and(|all| all.contains(&id.parse::<i64>().expect("a number").into()))
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(file).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "it holds names");
    }

    // No command makes the copy that was left behind send anything.
    let posts = bench.posts();
    let again = ["resume", "retry", "use-up", "pause", "cancel"];
    for verb in again {
        let mut args = vec!["jobs", verb, &id];
        if !matches!(verb, "pause" | "cancel") {
            args.push("--yes");
        }
        let said = bench.run(&args).ended(1);
        assert!(said.err.contains(msg_part("is only a record here")), "{verb}: {}", said.err);
    }
    bench.run(&["jobs", "undo", &id, "--reason", "x", "--yes"]).ended(1);
    bench.run(&["jobs", "redo", &id, "--to", "again.csv"]).ended(1);
    let shown = bench.json(&["jobs", "show", &id], 0);
    assert_eq!((&shown["job"]["phase"], &shown["job"]["open"]), (&"moved".into(), &false.into()), "{shown}");
    let followed = bench.json(&["jobs", "follow"], 0);
    assert_eq!(followed["followed"], Value::Array(Vec::new()), "{followed}");
    // Nor does it forget whom the job was about.
    let file_again = people(&bench, 6);
    let twice = bench.json(&[issue(&file_again), vec!["--dry-run"]].concat(), 3);
    assert_eq!(twice["held_back"], 6, "{twice}");
    assert_eq!(bench.posts(), posts);

    let restored = elsewhere(&bench, &["journal", "restore", file, "--json"]).ended(0).json();
    assert!(restored["open"].as_array().is_some_and(|all| !all.is_empty()), "{restored}");
    let shown = elsewhere(&bench, &["jobs", "show", &id, "--json"]).ended(0).json();
    assert_eq!((&shown["job"]["phase"], &shown["job"]["can_resume"]), (&"stopped".into(), &true.into()));
    assert_eq!(bench.posts(), posts, "nothing is sent before a person resumes");
    let asked = bench.requests();
    let done = elsewhere(&bench, &["jobs", "resume", &id, "--yes", "--json"]).ended(0).json();
    assert_eq!(accepted_rows(&done["jobs"][0]), 6, "{done}");
    assert!(bench.requests() - asked > bench.posts() - posts, "the history was not read before");
    assert_eq!((bench.accepted(), bench.most_for_one()), (7, 1));

    // A second computer gets nothing of it.
    let mut third = bench.lapel(&["journal", "restore", file]);
    third.env("LAPEL_DATA_DIR", bench.path("third"));
    // The same one with another folder is no second computer, but the backup was used up.
    let said = bench.said(third.output().expect("it runs")).ended(1);
    assert!(said.err.contains(msg_part("already restored")), "{}", said.err);
    assert!(!bench.path("third/journal.sqlite").exists());
    let said = bench.run(&["journal", "restore", file]).ended(1);
    assert!(said.err.contains(msg_part("already restored")), "{}", said.err);
}

#[test]
fn a_backup_that_was_not_put_back_can_be_taken_back() {
    let bench = Bench::new();
    let id = stopped(&bench);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    for force in [&[][..], &["--force"]] {
        let said = bench.run(&[&["journal", "backup", "data/journal.sqlite"], force].concat()).ended(1);
        assert!(said.err.contains(msg_part("one of lapel's own files")), "{}", said.err);
    }
    bench.run(&["jobs"]).ended(0);
    bench.run(&["journal", "backup", file]).ended(0);
    bench.run(&["journal", "backup", file]).ended(1);
    let back = bench.json(&["journal", "restore", file], 0);
    assert!(back["open"].as_array().is_some_and(|all| !all.is_empty()), "{back}");
    bench.run(&["jobs", "resume", &id, "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (7, 1));
    let said = elsewhere(&bench, &["journal", "restore", file]).ended(1);
    assert!(said.err.contains(msg_part("already restored")), "{}", said.err);
}

#[test]
fn jobs_that_stay_are_only_a_record_in_the_backup_and_what_is_claimed_is_looked_for_first() {
    let bench = Bench::new();
    let id = stopped(&bench);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    let made = bench.json(&["journal", "backup", file, "--stay"], 0);
    assert!(made["stayed"].as_array().is_some_and(|all| !all.is_empty()), "{made}");
    let said = elsewhere(&bench, &["journal", "restore", file, "--json"]).ended(0).json();
    assert_eq!((&said["open"], &said["elsewhere"]), (&Value::Array(Vec::new()), &made["stayed"]), "{said}");
    let said = elsewhere(&bench, &["jobs", "resume", &id, "--yes"]).ended(1);
    assert!(said.err.contains(msg_part("It stayed on")), "{}", said.err);
    // Here the job continues; then this computer is lost.
    bench.run(&["jobs", "resume", &id, "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (7, 1));
    let mut third = bench.lapel(&["journal", "restore", file, "--claim", "--json"]);
    third.env("LAPEL_DATA_DIR", bench.path("third"));
    let said = bench.said(third.output().expect("it runs")).ended(0).json();
    assert!(said["open"].as_array().is_some_and(|all| !all.is_empty()), "{said}");
    let third = |args: &[&str]| {
        let mut command = bench.lapel(args);
        command.env("LAPEL_DATA_DIR", bench.path("third"));
        bench.said(command.output().expect("it runs"))
    };
    let shown = third(&["jobs", "show", &id, "--json"]).ended(0).json();
    assert_eq!(count(&shown["job"], "ready"), 0, "nothing that may have been sent is ready: {shown}");
    assert_eq!(count(&shown["job"], "in_doubt"), 4, "{shown}");
    let posts = bench.posts();
    third(&["jobs", "follow", "--json"]);
    let shown = third(&["jobs", "show", &id, "--json"]).ended(0).json();
    assert_eq!(accepted_rows(&shown["job"]), 6, "it was found: {shown}");
    assert_eq!((bench.posts(), bench.accepted(), bench.most_for_one()), (posts, 7, 1));
}

#[test]
fn a_backup_is_never_put_over_jobs_and_a_copied_journal_is_no_backup() {
    let bench = Bench::new();
    stopped(&bench);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    bench.run(&["journal", "backup", file, "--stay"]).ended(0);
    let said = bench.run(&["journal", "restore", file]).ended(1);
    assert!(said.err.contains(msg_part("already exists here")), "{}", said.err);
    // A backup in the place of the journal is not opened as one.
    std::fs::create_dir_all(bench.path("new-laptop")).expect("a folder");
    std::fs::copy(file, bench.path("new-laptop/journal.sqlite")).expect("copied");
    let said = elsewhere(&bench, &["jobs"]).ended(1);
    assert!(said.err.contains(msg_part("lapel journal restore")), "{}", said.err);
    std::fs::remove_file(bench.path("new-laptop/journal.sqlite")).expect("removed");
    let plain = bench.path("data/journal.sqlite");
    let said = elsewhere(&bench, &["journal", "restore", plain.to_str().expect("UTF-8")]).ended(1);
    assert!(said.err.contains(msg_part("not a backup")), "{}", said.err);
    bench.write("no-backup.csv", "name,email\n");
    for odd in ["/dev/zero", "missing.backup", "no-backup.csv"] {
        let said = elsewhere(&bench, &["journal", "restore", odd]).ended(1);
        assert!(!said.err.contains("SELECT") && !said.err.contains("Move it away"), "{}", said.err);
    }
    bench.run(&["journal", "backup", "-"]).ended(2);
    assert!(!bench.path("-").exists());
    assert!(!bench.path("new-laptop/journal.sqlite").exists());
}

#[test]
fn a_backup_puts_an_emptied_journal_right() {
    let bench = Bench::new();
    bench.run(&["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"]).ended(0);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    bench.run(&["journal", "backup", file, "--stay"]).ended(0);
    let journal = bench.path("data/journal.sqlite");
    for left in ["", "x"] {
        std::fs::write(&journal, left).expect("emptied");
        let said = bench.run(&["jobs"]).ended(1);
        assert!(
            said.err.contains(msg_part("is empty or missing")) && said.err.contains("restore"),
            "{}",
            said.err
        );
        let said = bench.run(&["doctor"]).ended(1);
        assert!(!said.out.contains(msg_part("No problems found")), "{}", said.out);
        let posts = bench.posts();
        bench
            .run(&["issue", "--template", "TPL-001", "--to", "이몽룡 <mong@naru.example>", "--yes"])
            .ended(1);
        assert_eq!(bench.posts(), posts, "something was sent");
    }
    bench.run(&["journal", "restore", file, "--claim"]).ended(0);
    let jobs = bench.json(&["jobs"], 0);
    assert_eq!(jobs["jobs"].as_array().map(Vec::len), Some(1), "{jobs}");
    bench.run(&["doctor"]).ended(0);
}

#[test]
fn damage_within_the_journal_stops_sending() {
    let bench = Bench::new();
    let id = stopped(&bench);
    let journal = bench.path("data/journal.sqlite");
    let db = rusqlite::Connection::open(&journal).expect("a database");
    let (page, size): (usize, usize) = db
        .query_row("SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'fact'", [], |r| {
            Ok((r.get::<_, i64>(0)?.cast_unsigned().try_into().expect("a page"), r.get::<_, i64>(1)?.cast_unsigned().try_into().expect("a size")))
        })
        .expect("a page of what no verb needs to send");
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("all of it is in the file");
    drop(db);
    let mut all = std::fs::read(&journal).expect("bytes");
    let at = (page - 1) * size;
    all[at..at + 64].fill(0xa5);
    std::fs::write(&journal, &all).expect("spoiled");
    let posts = bench.posts();
    let said = bench.run(&["jobs", "resume", &id, "--yes"]);
    let all = said.out + &said.err;
    assert!(said.code != 0 && all.contains("damaged"), "{all}");
    assert_eq!(bench.posts(), posts, "something was sent");
}

#[test]
#[cfg(target_os = "linux")]
fn files_that_make_a_reader_wait_are_refused() {
    let bench = Bench::new();
    for odd in ["/proc/kmsg", "/proc/self/mountinfo", "/dev/zero", "/dev/tty"] {
        if std::path::Path::new(odd).exists() {
            bench.run(&["issue", "--template", "TPL-001", "--recipients", odd, "--yes"]).ended(1);
            bench.run(&["revoke", "--ids", odd, "--reason", "x", "--yes"]).ended(1);
        }
    }
    assert_eq!(bench.posts(), 0);
}

/// Runs a script in a name space of its own, with a small disk of memory mounted as the data folder; `None`
/// where this is not allowed.
#[cfg(target_os = "linux")]
fn on_a_small_disk(bench: &Bench, script: &str) -> Option<std::process::Child> {
    let allowed = Command::new("unshare")
        .args(["-Urm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !allowed {
        eprintln!("not run: no disk can be mounted here");
        return None;
    }
    let data = bench.path("data");
    std::fs::create_dir_all(&data).expect("a folder");
    let lapel = bench.lapel(&[]);
    let mut command = Command::new("unshare");
    command.args(["-Urm", "sh", "-c", &format!("mount -t tmpfs -o size=6m,mode=700 tmpfs data && {script}")]);
    command
        .env_clear()
        .current_dir(bench.home.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("LAPEL", lapel.get_program());
    for (name, value) in lapel.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    Some(command.stdin(std::process::Stdio::null()).spawn().expect("it starts"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_a_headless_issue_and_room_lets_it_go_on() {
    let bench = Bench::new();
    bench.settings("[jobs]\nbatch = 10\nin_flight = 1\n");
    let file = people(&bench, 40);
    bench.fault("post /badges/batch commit hold times=1");
    let script = format!(
        "$LAPEL issue --template TPL-001 --recipients {file} --on-duplicate allow --yes >out 2>err & lapel=$!
         while [ ! -e full ]; do sleep 0.02; done
         cat /dev/zero >data/filler 2>/dev/null; touch filled
         wait $lapel; echo $? >code
         $LAPEL jobs >listed 2>listing; echo $? >listed-code
         rm data/filler
         $LAPEL jobs follow >followed 2>&1; $LAPEL jobs resume 1 --yes --json >resumed 2>&1"
    );
    let Some(mut shell) = on_a_small_disk(&bench, &script) else { return };
    bench.until("a request that is on its way", |bench| bench.requests_to("POST /badges/batch") > 0);
    bench.write("full", "");
    bench.until("a full disk", |bench| bench.path("filled").exists());
    bench.control().clear_faults();
    assert!(shell.wait().expect("it ends").success());
    let said = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap_or_default();
    // 5 if the answer that was on its way found no room.
    assert!(["4", "5"].contains(&said("code").trim()), "{}{}", said("out"), said("err"));
    let all = said("out") + &said("err");
    assert!(all.contains(msg_part("is full")) && all.contains(msg_part("Free some space")), "{all}");
    assert_eq!(said("listed-code").trim(), "0", "what is there can be read: {}", said("listing"));
    assert!(bench.requests() < 60, "the history was read time and again: {}", bench.requests());
    let resumed: Value = serde_json::from_str(said("resumed").lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("{}", said("resumed")));
    assert_eq!(count(&resumed["jobs"][0], "waiting"), 40, "{}\n{resumed}", said("followed"));
    assert_eq!((bench.accepted(), bench.most_for_one()), (40, 1));
}

/// The answer changes more rows than the rest of the disk can take.
#[test]
#[cfg(target_os = "linux")]
fn rows_whose_answer_finds_no_room_are_in_doubt_and_listed() {
    let bench = Bench::new();
    let file = people(&bench, 1000);
    bench.fault("post /badges/batch commit hold times=1");
    let script = format!(
        "$LAPEL issue --template TPL-001 --recipients {file} --on-duplicate allow --yes --json >out 2>err & lapel=$!
         while [ ! -e full ]; do sleep 0.02; done
         cat /dev/zero >data/filler 2>/dev/null; touch filled
         wait $lapel; echo $? >code
         rm data/filler
         $LAPEL jobs follow --json >followed 2>&1"
    );
    let Some(mut shell) = on_a_small_disk(&bench, &script) else { return };
    bench.until("a request that is on its way", |bench| bench.requests_to("POST /badges/batch") > 0);
    bench.write("full", "");
    bench.until("a full disk", |bench| bench.path("filled").exists());
    bench.control().clear_faults();
    assert!(shell.wait().expect("it ends").success());
    let said = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap_or_default();
    assert_eq!(said("code").trim(), "5", "{}{}", said("out"), said("err"));
    let out: Value = serde_json::from_str(&said("out")).expect("JSON");
    assert_eq!((count(&out["jobs"][0], "in_doubt"), &out["exit_code"]), (1000, &5.into()), "{}", said("err"));
    assert_eq!(out["rows"].as_array().map(Vec::len), Some(1000), "each is listed");
    assert_eq!((bench.accepted(), bench.most_for_one()), (1000, 1), "{}", said("followed"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_backup_without_room_changes_nothing_and_does_not_blame_the_journal() {
    let bench = Bench::new();
    stopped(&bench);
    std::fs::create_dir_all(bench.path("kept")).expect("a folder");
    std::fs::copy(bench.path("data/journal.sqlite"), bench.path("kept/journal.sqlite")).expect("copied");
    let script = "cp kept/journal.sqlite data/ && mkdir small && mount -t tmpfs -o size=16k tmpfs small
         $LAPEL journal backup small/b >out 2>err; echo $? >code
         ls -A small >left; $LAPEL jobs --json >shown";
    let Some(mut shell) = on_a_small_disk(&bench, script) else { return };
    assert!(shell.wait().expect("it ends").success());
    let said = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap_or_default();
    assert_eq!(said("code").trim(), "1", "{}", said("err"));
    let why = said("err");
    assert!(why.contains("small/b") && why.contains(msg_part("all jobs stay here")), "{why}");
    assert!(!why.contains("journal.sqlite"), "{why}");
    assert_eq!(said("left"), "");
    let shown: Value = serde_json::from_str(&said("shown")).expect("JSON");
    let phases: Vec<&Value> =
        shown["jobs"].as_array().expect("jobs").iter().map(|job| &job["phase"]).collect();
    assert!(phases.len() == 2 && !phases.contains(&&Value::from("moved")), "{shown}");
}

#[cfg(not(feature = "team"))]
#[test]
fn without_the_feature_a_teams_journal_is_refused() {
    let bench = Bench::new();
    let base = bench.sandbox.base_url();
    let url = "postgres://kim@/badges?host=/nowhere";
    bench.settings(&format!(
        "[profiles.uni]\nbase_url = \"{base}\"\nenvironment = \"demo\"\n[profiles.uni.journal]\nurl = \"{url}\"\n"
    ));
    for args in [&["journal", "init"][..], &["journal", "status"], &["journal", "migrate"], &["jobs", "list"]]
    {
        let said = bench.run(&[args, &["--profile", "uni"]].concat()).ended(1);
        assert!(said.err.contains(msg_part("built without the feature team")), "{}", said.err);
    }
    assert!(!bench.path("data/journal.sqlite").exists());
}

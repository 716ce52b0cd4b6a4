//! The verbs on a team's journal: creating, migrating, looking at it, and issuing with the rights of an issuer. On a
//! private PostgreSQL.

use super::kit::{Bench, Running, Said, count};
use crate::pins::schema;
use crate::team::{self, is_left_out};
use crate::texts::{msg, msg_part};
use lapel::jobs::{Journal, JournalError};
use lapel::team::{DatabaseLimits, DatabaseSession, Login, Server, TeamError};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A sandbox, and a profile for each of these users of a database, with the user's name.
fn bench_of(database: &str, users: &[&str]) -> Bench {
    let bench = Bench::new();
    set_profiles(&bench, database, users, false);
    bench
}

/// Issues one badge to one person, who is the same in all these tests.
const ISSUE_TO_A: [&str; 6] = ["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"];

/// The settings of a computer whose profile has a team's journal, and those it had before.
fn settings_with_and_without(bench: &Bench) -> (String, String) {
    let with_team = std::fs::read_to_string(bench.path("config/config.toml")).expect("settings");
    let alone = with_team.split("[profiles.issuer.journal]").next().expect("a profile").to_owned();
    (with_team, alone)
}

fn set_profiles(bench: &Bench, database: &str, users: &[&str], read_only: bool) {
    let profile = |user: &&str| {
        let (base, url) = (bench.sandbox.base_url(), team::url(user, database));
        format!(
            "[profiles.{user}]\nbase_url = \"{base}\"\nenvironment = \"demo\"\nread_only = {read_only}\n\
             [profiles.{user}.journal]\nurl = \"{url}\"\n"
        )
    };
    bench.settings(&users.iter().map(profile).collect::<String>());
}

/// The number of jobs in the file that a computer has beside the team's journal.
#[track_caller]
fn jobs_in_file(bench: &Bench, data_dir: &str) -> i64 {
    let file = bench.path(data_dir).join("journal.sqlite");
    let db = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
    let jobs = db.expect("a journal").query_row("SELECT count(*) FROM job", [], |r| r.get(0));
    jobs.expect("a number")
}

/// `lapel` as a user of the database, on a computer with this data folder.
#[track_caller]
fn run_on(bench: &Bench, data_dir: &str, user: &str, args: &[&str]) -> Said {
    let mut command = bench.lapel(&[args, &["--profile", user]].concat());
    command.env("USER", user).env("LAPEL_DATA_DIR", bench.path(data_dir));
    bench.said(command.output().expect("it runs"))
}

/// The role that `journal status` asks for because the user lacks rights of it.
fn lacking_role(status: &Value) -> Option<&str> {
    let problems = status["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
    problems.flat_map(|problem| problem.split_whitespace()).find(|word| word.starts_with("lapel_"))
}

/// `lapel` as a user of the database.
#[track_caller]
fn run_as(bench: &Bench, user: &str, args: &[&str]) -> Said {
    let mut command = bench.lapel(&[args, &["--profile", user]].concat());
    command.env("USER", user);
    bench.said(command.output().expect("it runs"))
}

/// The same with JSON, which the schema describes.
#[track_caller]
fn json_as(bench: &Bench, user: &str, args: &[&str], code: i32) -> Value {
    let answer = run_as(bench, user, &[args, &["--json"]].concat()).ended(code).json();
    schema::check(&args[..args.len().min(2)].join(" "), &answer);
    answer
}

fn login(user: &str, database: &str) -> Login {
    let server = Server::parse(&team::url(user, database)).expect("an address");
    Login {
        server,
        password: None,
        ca: None,
        limits: &DatabaseLimits::USUAL,
        refused: std::sync::Arc::default(),
    }
}

fn journal() -> String {
    team::new_database().server.database
}

#[test]
fn an_owner_creates_the_journal_once() {
    if is_left_out() {
        return;
    }
    let database = team::empty_database();
    let bench = bench_of(&database, &["keeper", "issuer", "nobody"]);
    let before = json_as(&bench, "nobody", &["journal", "status"], 0);
    assert_eq!((&before["exists"], &before["can_write"]), (&false.into(), &false.into()), "{before}");
    let said = run_as(&bench, "issuer", &ISSUE_TO_A);
    assert!(said.ended(1).err.contains(msg_part("Create it once with: lapel journal init")));
    let said = run_as(&bench, "keeper", &["journal", "init"]).ended(1);
    assert!(said.err.contains(msg_part("lapel journal init --print")), "{}", said.err);

    // The administrator runs the SQL, also twice.
    let sql = bench.run(&["journal", "init", "--print"]).ended(0).out;
    assert!(!sql.to_lowercase().contains("password '"), "no password: {sql}");
    team::run_in(&database, &sql);
    team::run_in(&database, &sql);
    assert_eq!(run_as(&bench, "issuer", &["journal", "init"]).ended(1).out, "");
    let made = json_as(&bench, "keeper", &["journal", "init"], 0);
    assert_eq!((&made["created"], &made["roles"]), (&true.into(), &true.into()), "{made}");
    let again = run_as(&bench, "keeper", &["journal", "init"]).ended(0);
    assert!(again.out.contains(msg_part("already has a journal")), "{}", again.out);
    let again = json_as(&bench, "nobody", &["journal", "init"], 0);
    assert_eq!(again["created"], false, "{again}");

    let status = json_as(&bench, "issuer", &["journal", "status"], 0);
    assert_eq!((&status["can_write"], &status["jobs"]), (&true.into(), &0.into()), "{status}");
    assert_eq!(status["server"]["missing_rights"], Value::Array(Vec::new()), "{status}");
    let status = json_as(&bench, "nobody", &["journal", "status"], 0);
    assert_eq!((&status["exists"], &status["schema"]), (&true.into(), &Value::Null), "{status}");
    assert_eq!(lacking_role(&status), Some("lapel_issuer."), "{status}");
    set_profiles(&bench, &database, &["nobody"], true);
    let status = json_as(&bench, "nobody", &["journal", "status"], 0);
    assert_eq!(lacking_role(&status), Some("lapel_reader."), "{status}");
    // It has a journal, which this user may not see.
    let refused = run_as(&bench, "nobody", &["jobs"]);
    assert!(refused.code != 0 && refused.err.contains(msg_part("may not do this")), "{}", refused.err);
}

#[test]
fn a_profile_with_a_file_has_no_team() {
    let bench = Bench::new();
    for verb in ["init", "migrate"] {
        let said = bench.run(&["journal", verb]).ended(2);
        assert!(said.err.contains(msg_part("uses the journal on this computer")), "{}", said.err);
    }
    let status = bench.json(&["journal", "status"], 0);
    assert_eq!((&status["kind"], &status["exists"]), (&"file".into(), &false.into()), "{status}");
    assert!(!bench.path("data/journal.sqlite").exists(), "looking makes no journal");
}

#[test]
fn two_people_share_what_was_sent() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer", "reader"]);
    let first = run_as(&bench, "issuer", &[&ISSUE_TO_A[..], &["--json"]].concat()).ended(0).json();
    assert_eq!(count(&first["jobs"][0], "waiting"), 1, "{first}");
    // Another computer of the team.
    let mut second = bench.lapel(&[&ISSUE_TO_A[..], &["--profile", "issuer", "--json"]].concat());
    second.env("USER", "lee").env("LAPEL_DATA_DIR", bench.path("elsewhere"));
    let second = bench.said(second.output().expect("it runs")).ended(3).json();
    assert_eq!(count(&second["jobs"][0], "waiting"), 0, "{second}");
    assert_eq!(bench.most_for_one(), 1);
    assert_eq!(jobs_in_file(&bench, "data"), 0);
    bench.advance(10);
    run_as(&bench, "issuer", &["jobs", "follow"]).ended(0);
    run_as(&bench, "issuer", &["jobs", "purge", "--older-than", "0"]).ended(0);
    // Who may only read sees how many jobs there are.
    let status = json_as(&bench, "reader", &["journal", "status"], 0);
    assert_eq!((&status["jobs"], &status["can_write"]), (&1.into(), &false.into()), "{status}");
    let lacking = status["server"]["missing_rights"].to_string();
    assert!(lacking.contains("INSERT on job") && !lacking.contains("SELECT on job"), "{lacking}");
    assert_eq!(lacking_role(&status), Some("lapel_issuer."), "{status}");
    set_profiles(&bench, &database, &["reader"], true);
    let status = json_as(&bench, "reader", &["journal", "status"], 0);
    assert_eq!(status["server"]["missing_rights"], Value::Array(Vec::new()), "{status}");
    assert_eq!(lacking_role(&status), None, "{status}");
}

#[test]
fn a_reader_answers_from_the_journal_and_has_its_part_of_the_rate_limit() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer", "reader"]);
    // As a timer of the system does. A person is a login of the database.
    let mut issuing = bench.lapel(&[&ISSUE_TO_A[..], &["--profile", "issuer"]].concat());
    issuing.env_remove("USER").env_remove("LOGNAME");
    bench.said(issuing.output().expect("it runs")).ended(0);
    let jobs = run_as(&bench, "reader", &["jobs", "--read-only", "--json"]).ended(0).json();
    assert_eq!(jobs["jobs"][0]["begun_by"], "issuer", "{jobs}");
    let shown =
        |user, flags: &[&str]| run_as(&bench, user, &[&["jobs", "show", "1"], flags].concat()).ended(0).out;
    assert!(shown("issuer", &[]).contains("lapel jobs follow"));
    // A reader can only save a file.
    assert!(!shown("reader", &["--read-only"]).contains(msg("Next:")));
    team::run_in(&database, "DELETE FROM lapel.pace_block");
    let said =
        run_as(&bench, "reader", &["wallet", "a@naru.example", "--read-only", "--json"]).ended(0).json();
    let sent = &said["sent_from_here"][0];
    assert_eq!((&sent["job"], &sent["bucket"]), (&1.into(), &"waiting".into()), "{said}");
    let session = DatabaseSession::open(&login("lapel", &database)).expect("connected");
    let slots = session.client.query_one("SELECT count(*) FROM lapel.pace_block", &[]);
    assert!(session.runtime.block_on(slots).expect("blocks").get::<_, i64>(0) > 0);
    let refused = run_as(&bench, "reader", &[&ISSUE_TO_A[..], &["--read-only"]].concat());
    assert_ne!(refused.code, 0);
    assert_eq!(bench.posts(), 1);
}

/// One command starts a team of two, and leaves nothing behind.
#[test]
fn a_team_of_two_is_started_to_try_it() {
    if is_left_out() {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/try-team");
    let mut command = Command::new(script);
    command.arg(env!("CARGO_BIN_EXE_lapel")).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut script = command.spawn().expect("it starts");
    let mut lines = BufReader::new(script.stdout.take().expect("output")).lines().map_while(Result::ok);
    let kim = lines.find(|line| line.ends_with("/lapel-kim")).expect("a command for kim");
    let kim = Path::new(kim.trim());
    let by = |name: &str, args: &[&str]| {
        let done = Command::new(kim.with_file_name(name)).args(args).stdin(Stdio::null()).output();
        done.expect("it runs").status.code()
    };
    assert_eq!(by("lapel-kim", &ISSUE_TO_A), Some(0));
    assert_eq!(by("lapel-lee", &ISSUE_TO_A), Some(3), "the badge is sent already");
    let id = i32::try_from(script.id()).expect("a number");
    // A shell cannot catch the signal of ctrl-c if the tests themselves run in the background of another shell.
    rustix::process::kill_process(Pid::from_raw(id).expect("a process"), Signal::TERM).expect("sent");
    script.wait().expect("it ends");
    assert!(!kim.exists() && !kim.parent().expect("a folder").exists());
}

#[test]
fn status_names_who_uses_the_journal() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    team::run_in(
        &database,
        r#"INSERT INTO lapel.process VALUES ('0', '{"code":"process_on","args":{"who":"kim","computer":"laptop"}}',
           now() + interval '1 hour')"#,
    );
    // A verb that has ended leaves nobody waiting for the end of its lease, which would be 30 s.
    let begun = Instant::now();
    run_as(&bench, "issuer", &["jobs"]).ended(0);
    let names = |bench: &Bench| json_as(bench, "issuer", &["journal", "status"], 0)["processes"].clone();
    bench.until("the verb is gone", |bench| names(bench) == serde_json::json!(["kim on laptop"]));
    assert!(begun.elapsed() < Duration::from_secs(25));
    let text = run_as(&bench, "issuer", &["journal", "status"]).ended(0).out;
    for part in ["kim on laptop", &database, "socket", msg("Database")] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn a_migration_is_whole_or_nothing() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["keeper", "issuer"]);
    let same = json_as(&bench, "issuer", &["journal", "migrate"], 0);
    assert_eq!(same["from"], same["to"], "{same}");
    let now = same["to"].as_i64().expect("a number");
    let login = |user: &str| login(user, &database);
    let status = || json_as(&bench, "issuer", &["journal", "status"], 0);
    let schema = || status()["schema"].clone();
    let steps = [(now + 1, "ALTER TABLE job ADD COLUMN more BIGINT")];
    let refused = Journal::migrate_team_by(&login("issuer"), &steps).expect_err("only an owner may");
    assert!(matches!(refused, JournalError::NotOwner { .. }), "{refused:?}");
    team::run_in(&database, "INSERT INTO lapel.process VALUES ('0', 'kim', now() + interval '1 hour')");
    let refused = Journal::migrate_team_by(&login("keeper"), &steps).expect_err("it is used");
    assert!(matches!(refused, JournalError::InUse { .. }), "{refused:?}");
    team::run_in(&database, "DELETE FROM lapel.process");
    let wrong = [steps[0], (now + 2, "ALTER TABLE nothing ADD COLUMN x BIGINT")];
    Journal::migrate_team_by(&login("keeper"), &wrong).expect_err("a step fails");
    assert_eq!(schema(), now, "nothing was changed");
    let done = Journal::migrate_team_by(&login("keeper"), &steps).expect("migrated");
    assert_eq!((done.from, done.to, schema()), (now, now + 1, (now + 1).into()));

    // This lapel is now too old.
    let newer = msg_part("Start the newer lapel instead of this one.");
    assert!(run_as(&bench, "issuer", &ISSUE_TO_A).ended(1).err.contains(newer));
    assert!(run_as(&bench, "keeper", &["journal", "migrate"]).ended(1).err.contains(newer));
    assert!(status()["problems"].to_string().contains(newer), "{}", status());
    // And would be too new.
    team::run_in(&database, &format!("UPDATE lapel.store SET schema = {}", now - 1));
    let said = run_as(&bench, "issuer", &ISSUE_TO_A).ended(1);
    assert!(said.err.contains(msg_part("lapel journal migrate")), "{}", said.err);
    assert!(status()["problems"].to_string().contains("lapel journal migrate"), "{}", status());
    assert_eq!(bench.posts(), 0);
}

/// What a database has in the schema of the journal, and who may use it. A line for each thing.
fn catalog(database: &str) -> BTreeSet<String> {
    let session = DatabaseSession::open(&login("lapel", database)).expect("connected");
    let sql = "
        WITH tables AS (SELECT * FROM pg_class WHERE relnamespace = 'lapel'::regnamespace),
             functions AS (SELECT * FROM pg_proc WHERE pronamespace = 'lapel'::regnamespace)
        SELECT pg_get_functiondef(oid) || ' of ' || proowner::regrole FROM functions
        UNION ALL SELECT 'right on ' || oid::regprocedure || ': ' || aclexplode(proacl)::text FROM functions
        UNION ALL SELECT concat_ws(' ', relname, 'of', relowner::regrole, reloptions) FROM tables
        UNION ALL SELECT 'right on ' || relname || ': ' || aclexplode(relacl)::text FROM tables
        UNION ALL SELECT pg_get_indexdef(oid) FROM tables WHERE relkind = 'i'
        UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN tables ON tgrelid = tables.oid
                  WHERE NOT tgisinternal
        UNION ALL SELECT relname || ': ' || pg_get_constraintdef(pg_constraint.oid)
                  FROM pg_constraint JOIN tables ON conrelid = tables.oid
        UNION ALL SELECT concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attcollation::regcollation,
                                   attnotnull, attidentity, pg_get_expr(adbin, adrelid), attacl)
                  FROM tables JOIN pg_attribute ON attrelid = tables.oid
                  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                  WHERE attnum > 0 AND NOT attisdropped AND relkind <> 'i'";
    let rows = session.runtime.block_on(session.client.query(sql, &[])).expect(sql);
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn a_journal_of_an_older_schema_becomes_one_of_today() {
    if is_left_out() {
        return;
    }
    // For a time, the step to schema 10 left the functions as they were.
    let step = "ALTER TABLE row ADD COLUMN repeats TEXT COLLATE \"C\";
                CREATE INDEX row_class ON row(job, class, no) WHERE class IS NOT NULL;";
    for (schema, step) in [(9, ""), (10, step)] {
        migrates(schema, step);
    }
}

/// Migrates a journal with the functions of schema 9, and the tables of another one.
fn migrates(schema: i64, step: &str) {
    let (database, fresh) = (team::empty_database(), journal());
    team::run_in(&database, lapel::jobs::ROLES);
    let tables = include_str!("../pins/samples/team-schema-9.sql");
    team::run_in(
        &database,
        &format!(
            "BEGIN; SET LOCAL ROLE lapel_owner; {tables}
             {step}
             INSERT INTO store (schema, salt, origin) VALUES ({schema}, 'salt', origin_now());
             INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
             VALUES (1, 'issue', 'draft', 0, 'p', 'u', 'a', 't');
             INSERT INTO job (id, kind, phase, created, profile, base_url, account, title, unproven, note)
             VALUES (2, 'issue', 'stopped', 0, 'p', 'u', 'a', 't', 1, '{{\"code\":\"not_provable\"}}');
             INSERT INTO row (job, no, name, email, email_key, bucket, class)
             VALUES (1, 1, 'Kim', 'a', 'a', 'ready', NULL), (1, 2, 'Kim', 'a', 'a', 'ask', 'twin'),
                    (1, 3, 'Lee', 'a', 'a', 'ask', 'sent'), (1, 4, 'Lee', 'b', 'b', 'ask', 'sent');
             COMMIT"
        ),
    );
    assert_ne!(catalog(&database), catalog(&fresh));
    let bench = bench_of(&database, &["keeper", "issuer"]);
    let done = json_as(&bench, "keeper", &["journal", "migrate"], 0);
    assert!(done["from"] == schema && done["to"].as_i64() > Some(10), "{done}");
    let session = DatabaseSession::open(&login("keeper", &database)).expect("connected");
    let rows = session.client.query("SELECT repeats FROM lapel.row ORDER BY no", &[]);
    let rows = session.runtime.block_on(rows).expect("rows");
    let kinds: Vec<Option<String>> = rows.iter().map(|row| row.get(0)).collect();
    if schema == 9 {
        assert_eq!(kinds, [None, Some("twin".into()), Some("shared_address".into()), None]);
    }
    let jobs = session.client.query("SELECT not_provable FROM lapel.job ORDER BY id", &[]);
    let jobs = session.runtime.block_on(jobs).expect("jobs");
    assert_eq!(jobs.iter().map(|row| row.get(0)).collect::<Vec<bool>>(), [false, true]);
    run_as(&bench, "issuer", &["journal", "status"]).ended(0);
    // Nothing tells it from a journal that is new.
    let (migrated, fresh) = (catalog(&database), catalog(&fresh));
    assert_eq!(migrated.difference(&fresh).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(fresh.difference(&migrated).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_role_has_only_its_rights() {
    if is_left_out() {
        return;
    }
    let database = journal();
    for (user, sql) in [
        ("issuer", "CREATE TABLE lapel.more ()"),
        ("issuer", "UPDATE lapel.store SET schema = 1"),
        ("issuer", "UPDATE lapel.store SET salt = ''"),
        ("issuer", "DELETE FROM lapel.decision"),
        ("issuer", "UPDATE lapel.decision SET why = ''"),
        ("issuer", "DELETE FROM lapel.request"),
        ("reader", "SELECT salt FROM lapel.store"),
        ("reader", "UPDATE lapel.row SET name = ''"),
        ("reader", "INSERT INTO lapel.process VALUES ('0', '', now())"),
        ("reader", "DELETE FROM lapel.applied"),
        ("nobody", "SELECT name FROM lapel.row"),
    ] {
        let session = DatabaseSession::open(&login(user, &database)).expect("connected");
        let done = session.runtime.block_on(session.client.batch_execute(sql));
        assert_eq!(done.expect_err(sql), TeamError::Forbidden, "{user}: {sql}");
    }
    let session = DatabaseSession::open(&login("reader", &database)).expect("connected");
    let all = "SELECT FROM lapel.job, lapel.row, lapel.claim, lapel.decision, lapel.process, lapel.tally";
    session.runtime.block_on(session.client.batch_execute(all)).expect("a reader reads");
}

#[test]
fn a_backup_of_a_team_is_its_administrators() {
    if is_left_out() {
        return;
    }
    let bench = bench_of(&journal(), &["issuer"]);
    let said = run_as(&bench, "issuer", &["journal", "backup", "lapel.backup"]).ended(1);
    assert!(said.err.contains("pg_dump --schema=lapel"), "{}", said.err);
    assert!(!bench.path("lapel.backup").exists());
}

#[test]
fn status_and_doctor_tell_that_the_database_lost_writes() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer", "reader"]);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(0);
    let status = json_as(&bench, "issuer", &["journal", "status"], 0);
    let losses = |status: &Value| {
        let server = &status["server"];
        (server["lost_writes"].is_string(), server["rows_to_search"].as_u64())
    };
    assert_eq!(losses(&status), (false, Some(0)), "{status}");
    assert_eq!(status["problems"].as_array().map(Vec::len), Some(1), "only its disk: {status}");
    // As after a failover. The row of the job may have been sent, as far as the database knows.
    team::run_in(
        &database,
        "UPDATE lapel.row SET bucket = 'ready', badge = NULL; UPDATE lapel.job SET phase = 'paused';
         UPDATE lapel.store SET origin = 'another server'",
    );
    for user in ["issuer", "reader"] {
        let status = json_as(&bench, user, &["journal", "status"], 0);
        let problems = status["problems"].to_string();
        assert!(problems.contains(msg_part("another server or another copy than before")), "{problems}");
        assert_eq!(losses(&status), (false, Some(0)), "looking changes nothing: {status}");
    }
    let jobs = json_as(&bench, "issuer", &["jobs", "list"], 0);
    assert_eq!(count(&jobs["jobs"][0], "ready"), 0, "{jobs}");
    team::run_in(&database, "UPDATE lapel.request SET outcome = 'unsearched' WHERE outcome = 'searched'");
    let status = json_as(&bench, "issuer", &["journal", "status"], 0);
    assert_eq!(losses(&status), (true, Some(1)), "{status}");
    let doctor = json_as(&bench, "issuer", &["doctor"], 1);
    for problems in [&status["problems"], &doctor["problems"]] {
        assert!(problems.to_string().contains(msg_part("the database lost writes.")), "{problems}");
    }
}

/// A job that the database no longer knows may have sent the same.
#[test]
fn after_a_loss_a_command_sends_only_with_a_flag() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer", "reader"]);
    let noticed = |ago: &str| {
        team::run_in(&database, &format!("UPDATE lapel.store SET noticed = now() - interval '{ago}'"));
    };
    noticed("1 hour");
    let lost = msg_part("A job that it no longer knows may have sent the same badges");
    let refused = run_as(&bench, "issuer", &ISSUE_TO_A).ended(3);
    assert!(refused.err.contains(lost), "{}", refused.err);
    assert!(refused.out.contains(msg("perhaps sent already")), "{}", refused.out);
    let flag = msg("After you have asked your colleagues, send with --on-duplicate allow.");
    assert!(refused.err.contains(flag), "{}", refused.err);
    let time = |text: &str| {
        let (before, _) = text.split_once(", lapel noticed").expect("the loss");
        before.rsplit("n ").next().map(str::to_owned)
    };
    assert_eq!(time(&refused.err), time(&refused.out), "of the warning and of the row");
    let listed = run_as(&bench, "reader", &["jobs", "--read-only"]).ended(0);
    assert!(listed.err.contains(lost), "{}", listed.err);
    let missing = run_as(&bench, "reader", &["jobs", "show", "999", "--read-only"]).ended(1);
    assert!(missing.err.contains(lost), "{}", missing.err);
    for more in [&["--dry-run"][..], &["--on-duplicate", "block"]] {
        run_as(&bench, "issuer", &[&ISSUE_TO_A[..], more].concat()).ended(3);
    }
    assert_eq!(bench.posts(), 0);
    for user in ["issuer", "reader"] {
        let status = json_as(&bench, user, &["journal", "status"], 0);
        assert!(status["server"]["review_until"].is_string(), "{status}");
        assert!(status["problems"].to_string().contains(lost), "{status}");
    }
    let doctor = json_as(&bench, "issuer", &["doctor"], 1);
    assert!(doctor["problems"].to_string().contains(lost), "{doctor}");
    for verb in [&["doctor"][..], &["journal", "status"]] {
        let mut command = bench.lapel(&[verb, &["--profile", "issuer", "--json"]].concat());
        command.env("USER", "issuer").env("LAPEL_UTC_OFFSET", "+13:00");
        let said = bench.said(command.output().expect("it runs"));
        assert!(said.json()["problems"].to_string().contains(" UTC+13"), "the profile's zone: {}", said.out);
    }
    // The other journal would not know of the loss.
    let back = run_as(&bench, "issuer", &["journal", "move", "--back"]).ended(1);
    assert!(back.err.contains(lost), "{}", back.err);
    run_as(&bench, "issuer", &[&ISSUE_TO_A[..], &["--on-duplicate", "allow"]].concat()).ended(0);
    assert_eq!(bench.posts(), 1);
    let id = json_as(&bench, "issuer", &["jobs", "list"], 0)["jobs"][0]["id"].to_string();
    let shown = run_as(&bench, "issuer", &["jobs", "show", &id]).ended(0);
    assert!(!shown.err.contains(lost), "the job is there: {}", shown.err);
    noticed("27 hours");
    let listed = run_as(&bench, "reader", &["jobs", "--read-only"]).ended(0);
    assert!(!listed.err.contains(lost), "{}", listed.err);
    let status = json_as(&bench, "issuer", &["journal", "status"], 0);
    assert_eq!(status["server"]["review_until"], Value::Null, "{status}");
    run_as(&bench, "issuer", &["issue", "--template", "TPL-001", "--to", "b <b@naru.example>", "--yes"])
        .ended(0);
    assert_eq!(bench.posts(), 2);
}

#[test]
fn the_doctor_examines_the_database() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(0);
    // The private server of the tests does not wait for its disk.
    let said = json_as(&bench, "issuer", &["doctor"], 1);
    let problems = said["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 1, "{said}");
    assert!(problems[0].as_str().is_some_and(|text| text.contains(msg_part("fsync"))), "{said}");
    assert_eq!(
        (&said["journal"]["jobs"], &said["journal"]["server"]["pooled"]),
        (&1.into(), &false.into()),
        "{said}"
    );
    assert!(said["journal"]["path"].as_str().is_some_and(|path| path.ends_with(&database)), "{said}");
    let text = run_as(&bench, "issuer", &["doctor"]).ended(1).out;
    assert!(text.contains(&database), "{text}");
    let info = json_as(&bench, "issuer", &["info"], 0);
    let paths = info["paths"].as_array().expect("a list");
    let shown = paths.iter().find(|path| path["name"] == "journal").expect("the journal");
    assert!(shown["path"].as_str().is_some_and(|path| path.ends_with(&database)), "{shown}");
    // Counts that are wrong, and a right that is gone.
    team::run_in(
        &database,
        "UPDATE lapel.tally SET n = n + 1; REVOKE INSERT ON lapel.decision FROM lapel_issuer",
    );
    let said = json_as(&bench, "issuer", &["doctor"], 1);
    let problems = said["problems"].to_string();
    for part in ["INSERT on decision", msg_part("contradict each other")] {
        assert!(problems.contains(part), "{part}: {said}");
    }
}

/// A verb whose database refuses connections ends, although this computer has no share of the limit.
#[test]
fn without_the_database_and_a_share_every_verb_ends_and_the_doctor_reports_the_rest() {
    let bench = Bench::new();
    let settings = |pin: &str| {
        // Nobody listens there.
        let url = "postgres://kim@127.0.0.1:1/badges";
        bench.settings(&format!(
            "[profiles.uni]\nbase_url = '{}'\nenvironment = 'demo'\n{pin}[profiles.uni.journal]\nurl = '{url}'\n",
            bench.sandbox.base_url()
        ));
    };
    let run = |args: &[&str]| {
        let mut command = bench.lapel(&[args, &["--profile", "uni", "--json"]].concat());
        bench.said(command.env("LAPEL_TEST_WINDOW_MS", "600").output().expect("it runs"))
    };
    let ends = |args: &[&str]| {
        let said = run(args).ended(1).json();
        assert_eq!(said["error"]["kind"], "no_share", "{args:?}: {said}");
        let message = said["error"]["message"].as_str().expect("a message");
        for part in ["127.0.0.1:1/badges", msg_part("it has no share of its own")] {
            assert!(message.contains(part), "{args:?}: {message}");
        }
    };
    settings("");
    for args in [
        &["history"][..],
        &["history", "--all"],
        &["templates"],
        &["template", "TPL-001"],
        &["categories"],
        &["wallet", "a@naru.example"],
        &["badge", "B-000001"],
    ] {
        ends(args);
    }
    // A key that is compared with the checked one sends a request before the journal is opened.
    settings("key_prefix = 'other_'\n");
    ends(&ISSUE_TO_A);
    ends(&[&ISSUE_TO_A[..], &["--dry-run"]].concat());
    assert_eq!(bench.requests(), 0);

    settings("");
    let said = run(&["doctor"]).ended(1).json();
    schema::check("doctor", &said);
    assert_eq!((&said["service"]["reached"], &said["journal"]["exists"]), (&true.into(), &Value::Null));
    let problems = said["problems"].to_string();
    assert!(problems.contains("127.0.0.1:1/badges"), "{problems}");
    assert!(said["permissions"].as_array().is_some_and(|all| !all.is_empty()), "{said}");
}

/// A computer that was connected keeps its share for some hours: while the database is away, and without the team.
#[test]
fn commands_and_the_doctor_say_that_a_computer_has_only_its_own_share() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    let (with_team, alone) = settings_with_and_without(&bench);
    let left = msg_part("it used a team's journal, whose database may give the rest of the rate limit");
    let templates = |settings: &str| {
        bench.settings(settings);
        run_as(&bench, "issuer", &["templates"]).ended(0).err
    };
    // A short command may end before the database has answered.
    bench.until("it has a share", |_| {
        let before = templates(&with_team);
        assert!(!before.contains(msg_part("own share")), "{before}");
        templates(&alone).contains(left)
    });
    let said = json_as(&bench, "issuer", &["doctor"], 1);
    let problems = said["problems"].as_array().expect("a list");
    let of_share = problems.iter().filter_map(Value::as_str).filter(|why| why.contains(left)).count();
    assert_eq!(of_share, 1, "{said}");

    team::run_in("postgres", &format!("ALTER DATABASE {database} ALLOW_CONNECTIONS false"));
    let away = msg_part("requests a minute, its own share.");
    bench.until("the command says why it is slow", |_| {
        let said = templates(&with_team);
        assert!(!said.contains(left) && !said.contains(msg_part("it has no share of its own")), "{said}");
        said.contains(away)
    });
}

/// The answer to a request is on its way when the database refuses the login, which never passes by itself.
#[test]
fn a_verb_whose_answer_finds_no_login_ends_and_names_the_job() {
    if is_left_out() {
        return;
    }
    let database = journal();
    team::run_in(&database, "CREATE ROLE leaver LOGIN; GRANT lapel_issuer TO leaver");
    let bench = bench_of(&database, &["leaver"]);
    bench.fault("post commit hold times=1");
    let mut command = bench.lapel(&[&ISSUE_TO_A[..], &["--profile", "leaver"]].concat());
    command.env("USER", "leaver");
    let issuing = Running::start(command);
    bench.until("a request that is on its way", |bench| bench.posts() > 0);
    team::run_in(&database, "ALTER ROLE leaver NOLOGIN");
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'leaver'";
    team::run_in(&database, cut);
    bench.control().clear_faults();
    let said = bench.said(issuing.output()).ended(5);
    for part in [
        msg_part("refuses the connection"),
        msg_part("could not save all answers"),
        msg_part("The numbers are those that it read last."),
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert!(said.out.contains(msg("Next:")) && said.out.contains("  lapel jobs "), "{}", said.out);

    team::run_in(&database, "ALTER ROLE leaver LOGIN; DELETE FROM lapel.process");
    run_as(&bench, "leaver", &["jobs", "follow"]).ended(0);
    let listed = json_as(&bench, "leaver", &["jobs", "list"], 0);
    assert_eq!(count(&listed["jobs"][0], "waiting"), 1, "{listed}");
    assert_eq!((bench.accepted(), bench.most_for_one()), (1, 1));
}

#[test]
fn the_jobs_of_a_computer_move_to_the_team_before_anything_is_sent_there() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    let (with_team, alone) = settings_with_and_without(&bench);
    bench.settings(&alone);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(0);
    bench.settings(&with_team);
    let refused = run_as(&bench, "issuer", &ISSUE_TO_A).ended(1);
    assert!(
        refused.err.contains(msg_part("lapel sends nothing: somebody could get a badge twice")),
        "{}",
        refused.err
    );
    // A dry run says what the command without it would say.
    let planned = run_as(&bench, "issuer", &[&ISSUE_TO_A[..], &["--dry-run"]].concat());
    assert!(planned.err.contains("lapel journal move"), "{}", planned.err);
    // Not read is not empty.
    let listed = run_as(&bench, "issuer", &["jobs", "list"]).ended(0);
    assert!(listed.err.contains("lapel journal move"), "{}", listed.err);
    assert!(listed.out.contains(msg("This journal has no jobs of this profile.")), "{}", listed.out);
    let listed = json_as(&bench, "issuer", &["jobs", "list"], 0);
    assert!(listed["elsewhere"].as_str().is_some_and(|why| why.contains("lapel journal move")), "{listed}");
    let shown = run_as(&bench, "issuer", &["jobs", "show", "1"]).ended(1);
    assert!(shown.err.contains("lapel journal move"), "{}", shown.err);
    let wallet = run_as(&bench, "issuer", &["wallet", "a@naru.example", "--json"]);
    assert!(wallet.err.contains("lapel journal move"), "{}", wallet.err);
    assert_eq!(wallet.json()["sent_from_here"], Value::Null, "{}", wallet.out);
    // Other journals have given this number already.
    team::run_in(&database, "ALTER TABLE lapel.job ALTER COLUMN id RESTART WITH 41");
    let moved = json_as(&bench, "issuer", &["journal", "move"], 0);
    assert_eq!(moved["jobs"], 1, "{moved}");
    assert_eq!(moved["numbers"], json!([{ "old": 1, "new": 41 }]), "{moved}");
    let gone = run_as(&bench, "issuer", &["jobs", "show", "1"]).ended(1);
    assert!(gone.err.contains(msg_part("had this number.")) && gone.err.contains("job 41"), "{}", gone.err);
    let again = run_as(&bench, "issuer", &["journal", "move"]).ended(0);
    assert!(again.out.contains(msg_part("No job was left to move")), "{}", again.out);
    assert_eq!(json_as(&bench, "issuer", &["jobs", "list"], 0)["elsewhere"], Value::Null);
    // The team knows what this computer has sent.
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(3);
    bench.settings(&alone);
    let refused = run_as(&bench, "issuer", &ISSUE_TO_A).ended(1);
    assert!(refused.err.contains(msg_part("lapel journal move --back")), "{}", refused.err);
    bench.settings(&with_team);
    let back = run_as(&bench, "issuer", &["journal", "move", "--back"]).ended(0);
    assert!(back.out.contains(msg_part("its own share of the rate limit")), "{}", back.out);
    bench.settings(&alone);
    let jobs = json_as(&bench, "issuer", &["jobs", "list"], 0);
    let phases: Vec<&Value> =
        jobs["jobs"].as_array().into_iter().flatten().map(|job| &job["phase"]).collect();
    assert_eq!(phases, ["running"], "the record of what was away is not listed: {jobs}");
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(3);
    assert_eq!(bench.most_for_one(), 1, "nobody got two");
}

/// A process that only reads does not decide where the jobs are sent from.
#[test]
fn a_read_only_profile_moves_no_jobs() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    run_on(&bench, "of another computer", "issuer", &ISSUE_TO_A).ended(0);
    set_profiles(&bench, &database, &["issuer"], true);
    let file = bench.path("lapel.backup");
    let file = file.to_str().expect("UTF-8");
    for verb in [
        &["journal", "move"][..],
        &["journal", "move", "--back"],
        &["journal", "backup", file],
        &["journal", "restore", file],
    ] {
        assert_eq!(json_as(&bench, "issuer", verb, 2)["error"]["kind"], "read_only", "{verb:?}");
    }
    run_as(&bench, "issuer", &["journal", "status"]).ended(0);
    let listed = json_as(&bench, "issuer", &["jobs", "list"], 0);
    assert_eq!(listed["jobs"].as_array().map(Vec::len), Some(1), "{listed}");
    assert!(!bench.path("lapel.backup").exists() && !bench.path("data/journal.sqlite").exists());
}

/// A person may go back to the file of this computer because the database is away. The file knows nothing of what the
/// team has sent.
#[test]
fn a_computer_that_used_a_teams_journal_sends_nothing_from_its_own_file() {
    if is_left_out() {
        return;
    }
    let bench = bench_of(&journal(), &["issuer"]);
    let (with_team, alone) = settings_with_and_without(&bench);
    let copied = alone.replace("[profiles.issuer]", "[profiles.copy]");
    let refuses = |data_dir: &str, profile: &str| {
        let refused = run_on(&bench, data_dir, profile, &ISSUE_TO_A).ended(1);
        assert!(refused.err.contains(msg_part("lapel journal move --back")), "{}", refused.err);
        refused.err
    };
    // No file was there before.
    run_on(&bench, "sends", "issuer", &ISSUE_TO_A).ended(0);
    // A computer that only has looked at the team's jobs, and one whose journal in a file has none of this account.
    run_on(&bench, "looks", "issuer", &["jobs", "list"]).ended(0);
    bench.settings(&alone);
    run_on(&bench, "has a file", "issuer", &["jobs", "follow"]).ended(0);
    assert_eq!(jobs_in_file(&bench, "has a file"), 0);
    bench.settings(&with_team);
    run_on(&bench, "has a file", "issuer", &["wallet", "a@naru.example"]).ended(0);
    // A change of a profile is checked with the key of the settings, not with that of the variable.
    let key = bench.path("config/keys/issuer");
    std::fs::create_dir_all(key.parent().expect("a folder")).expect("a folder");
    std::fs::write(&key, bench.sandbox.api_key()).expect("a key");
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("private");
    let edited = bench.run(&["profile", "edit", "issuer", "--journal-url", ""]).ended(0);
    assert!(edited.out.contains("lapel journal move --back"), "{}", edited.out);
    bench.settings(&(alone.clone() + &copied));
    for data_dir in ["sends", "looks", "has a file"] {
        refuses(data_dir, "issuer");
        // The same account under another name.
        refuses(data_dir, "copy");
        assert_eq!(jobs_in_file(&bench, data_dir), 0);
    }
    // So says everything that looks whether it can be sent.
    let why = msg_part("To issue with the journal on this computer, then run");
    assert!(refuses("looks", "issuer").contains(why));
    for (args, code) in [(&["doctor"][..], 1), (&["journal", "status"], 0)] {
        let said = run_on(&bench, "looks", "issuer", &[args, &["--json"]].concat()).ended(code).json();
        let problems = said["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert_eq!(problems.filter(|problem| problem.contains(why)).count(), 1, "{said}");
    }
    let planned = run_on(&bench, "looks", "issuer", &[&ISSUE_TO_A[..], &["--dry-run"]].concat());
    assert!(planned.err.contains(why), "{}", planned.err);
    let base = bench.sandbox.base_url();
    bench.settings(&alone.replace(base, &format!("{base}/")));
    refuses("sends", "issuer");
    assert_eq!((bench.posts(), bench.most_for_one()), (1, 1));
    // A decision of a person.
    bench.settings(&with_team);
    run_on(&bench, "sends", "issuer", &["journal", "move", "--back"]).ended(0);
    bench.settings(&alone);
    run_on(&bench, "sends", "issuer", &ISSUE_TO_A).ended(3);
    let to_b = ["issue", "--template", "TPL-001", "--to", "b <b@naru.example>", "--yes"];
    run_on(&bench, "sends", "issuer", &to_b).ended(0);
    assert_eq!(bench.most_for_one(), 1);
    refuses("looks", "issuer");
}

#[test]
fn names_of_moved_jobs_leave_the_computer_after_the_same_time() {
    if is_left_out() {
        return;
    }
    let bench = bench_of(&journal(), &["issuer"]);
    let (with_team, alone) = settings_with_and_without(&bench);
    bench.settings(&alone);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(0);
    bench.settings(&format!("[jobs]\nkeep_days = 1\n{with_team}"));
    run_as(&bench, "issuer", &["journal", "move"]).ended(0);
    let change = |sql: &str| {
        let db = rusqlite::Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
        db.execute_batch(sql).expect(sql);
    };
    let names = || {
        let db = rusqlite::Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
        let sql = "SELECT count(*) FROM row WHERE email <> ''";
        db.query_row(sql, [], |r| r.get::<_, i64>(0)).expect("a number")
    };
    run_as(&bench, "issuer", &["jobs", "follow"]).ended(0);
    assert_eq!(names(), 1, "it is new");
    change("UPDATE job SET created = 0");
    run_as(&bench, "issuer", &["jobs", "follow"]).ended(0);
    assert_eq!(names(), 0);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(3);
}

/// Nobody has looked for the rows that may have been sent, and the other journal would not look.
#[test]
fn jobs_of_a_team_that_lost_writes_stay_until_somebody_has_searched() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    run_as(&bench, "issuer", &ISSUE_TO_A).ended(0);
    let outcome = |outcome: &str, bucket: &str| {
        let sql = format!(
            "UPDATE lapel.request SET outcome = '{outcome}'; UPDATE lapel.row SET bucket = '{bucket}'"
        );
        team::run_in(&database, &sql);
    };
    outcome("unsearched", "in_doubt");
    let refused = run_as(&bench, "issuer", &["journal", "move", "--back"]).ended(1);
    assert!(refused.err.contains("lapel jobs follow 1"), "{}", refused.err);
    outcome("accepted", "waiting");
    run_as(&bench, "issuer", &["journal", "move", "--back"]).ended(0);
}

/// A computer is off when half of its jobs are there.
#[test]
fn a_team_waits_for_the_rest_of_a_move() {
    if is_left_out() {
        return;
    }
    let database = journal();
    let bench = bench_of(&database, &["issuer"]);
    let (with_team, alone) = settings_with_and_without(&bench);
    let issue = |who: &str| {
        ["issue", "--template", "TPL-001", "--to", &format!("{who} <{who}@naru.example>"), "--yes"]
            .map(str::to_owned)
    };
    let run = |who: &str| {
        let args = issue(who);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        run_as(&bench, "issuer", &args)
    };
    bench.settings(&alone);
    run("a").ended(0);
    run("b").ended(0);
    bench.settings(&with_team);
    // As a failure of the network does after the first job.
    let fails = "CREATE FUNCTION lapel.fails() RETURNS trigger LANGUAGE plpgsql AS
                     $$ BEGIN IF NEW.old = 2 THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
                 CREATE TRIGGER fails BEFORE INSERT ON lapel.imported FOR EACH ROW EXECUTE FUNCTION lapel.fails()";
    team::run_in(&database, fails);
    let failed = run_as(&bench, "issuer", &["journal", "move"]).ended(1);
    assert!(failed.err.contains(msg_part("Run the same command again")), "{}", failed.err);
    for settings in [&with_team, &alone] {
        bench.settings(settings);
        let refused = run("c").ended(1);
        assert!(refused.err.contains("lapel journal move"), "{}", refused.err);
    }
    // Another computer of the team, without a journal in a file.
    bench.settings(&with_team);
    let data = bench.path("data");
    let away = bench.path("data of the first");
    std::fs::rename(&data, &away).expect("away");
    let refused = run("c").ended(1);
    assert!(refused.err.contains("lapel journal move"), "{}", refused.err);
    std::fs::remove_dir_all(&data).expect("gone");
    std::fs::rename(&away, &data).expect("back");
    team::run_in(&database, "DROP TRIGGER fails ON lapel.imported");
    run_as(&bench, "issuer", &["journal", "move"]).ended(0);
    run("a").ended(3);
    run("b").ended(3);
    run("c").ended(0);
    assert_eq!(bench.most_for_one(), 1, "nobody got two");
}

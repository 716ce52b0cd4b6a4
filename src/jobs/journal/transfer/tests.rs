//! Tests: two journals never begin to send to one person, with every failure and every move. All journals are files;
//! a team's database runs the same operations.

use super::super::tests::closed;
use super::super::tests::statements::{draft_of, seen};
use super::super::{backup, drafts, rows::NewRow, schema, sending};
use super::*;
use crate::fs::Overwrite;
use crate::jobs::JournalPlace;
use crate::jobs::job::{Kind, Phase};
use crate::jobs::journal::backup::OpenJobs;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn account(profile: &str, base_url: &str) -> Account {
    Account { profile: profile.into(), base_url: base_url.into(), key: "k".into(), organisation: None }
}

fn mine() -> Account {
    account("p", "u")
}

fn open(folder: &Path) -> Journal {
    Journal::open(folder).expect("a journal")
}

/// Begins a job for one person, as a review does. Whether its row may be sent now.
async fn begins(journal: &Journal, email: &str) -> bool {
    begins_of(journal, email, "u").await.is_ok_and(|(_, is_ready)| is_ready)
}

async fn begins_of(journal: &Journal, email: &str, base_url: &str) -> super::super::Result<(JobId, bool)> {
    let begin = |db: &Tx<'_>, (email, base_url): &(String, String)| {
        let job = draft_of(db, Kind::Issue, &[NewRow { email: email.clone(), ..NewRow::default() }]);
        // Each is planned at another time.
        let now = fastrand::i64(0..i64::MAX / 2);
        db.execute(
            "UPDATE job SET created = ?2, base_url = ?3 WHERE id = ?1",
            values![job.0, now, base_url],
        )?;
        accounts::of(db, base_url, "k")?;
        drafts::start(db, &job, &Actor::now("me"), &seen(Phase::Draft))?;
        let is_ready = db.exists("SELECT 1 FROM row WHERE job = ?1 AND bucket = 'ready'", values![job.0])?;
        Ok((job, is_ready))
    };
    journal.store().write("test", (email.to_owned(), base_url.to_owned()), begin).await
}

/// Sends to a person. The service has accepted the row.
async fn sends(journal: &Journal, email: &str) -> JobId {
    sends_of(journal, email, "u").await
}

async fn sends_of(journal: &Journal, email: &str, base_url: &str) -> JobId {
    let (job, is_ready) = begins_of(journal, email, base_url).await.expect("begun");
    assert!(is_ready, "{email}");
    let send = |db: &Tx<'_>, job: &JobId| {
        let intent = sending::RecordIntent { job: *job, me: "me".into(), most: 5, at: job.0, heard: true };
        assert!(sending::record_intent(db, &intent)?.is_some());
        db.script("UPDATE request SET answered = intent, outcome = 'accepted'")?;
        db.script("UPDATE claim SET state = 'kept'; UPDATE row SET bucket = 'waiting'")?;
        db.script("UPDATE job SET owner = NULL")
    };
    journal.store().write("test", job, send).await.expect("sent");
    job
}

async fn change(journal: &Journal, sql: &'static str) {
    journal.store().write("test", sql, |db, sql| db.script(sql)).await.expect(sql);
}

async fn number(journal: &Journal, sql: &'static str) -> i64 {
    journal.store().read(sql, |db, sql| db.row(sql, values![], |r| r.get(0))).await.expect(sql)
}

async fn moved(from: &Journal, to: &Journal) -> u64 {
    from.move_to(to, &mine(), "me").await.expect("moved").jobs
}

async fn is_whole(journal: &Journal) {
    assert_eq!(journal.store().check().await.expect("checked"), Vec::<String>::new());
}

/// What keeps a write of a move from being done, in the source or in the target.
const FAILURES: [(&str, &str); 5] = [
    ("source", "BEFORE INSERT ON handover"),
    ("target", "BEFORE INSERT ON imported WHEN new.old = 1"),
    ("target", "BEFORE INSERT ON imported WHEN new.old = 2"),
    ("source", "BEFORE UPDATE ON handover"),
    ("target", "BEFORE DELETE ON transfer WHEN old.state = 'coming'"),
];

#[tokio::test]
async fn a_move_that_fails_half_way_leaves_at_most_one_journal_that_sends() {
    for (which, fails) in FAILURES {
        let (one, two) = (folder(), folder());
        let (file, team) = (open(one.path()), open(two.path()));
        sends(&file, "a").await;
        sends(&file, "b").await;
        let failing = if which == "source" { &file } else { &team };
        let trigger = format!("CREATE TRIGGER fails {fails} BEGIN SELECT RAISE(ABORT, 'no'); END");
        failing.store().write("test", trigger, |db, sql| db.script(sql)).await.expect("a trigger");
        file.move_to(&team, &mine(), "me").await.expect_err(fails);
        for known in ["a", "b"] {
            assert!(!begins(&file, known).await && !begins(&team, known).await, "{fails}: {known}");
        }
        let both = [begins(&file, "c").await, begins(&team, "c").await];
        assert_ne!(both, [true, true], "{fails}");
        let opened = team.assure_only(Some(&file), &mine()).await;
        let begun = begins_of(&team, "c", "u").await.map(drop);
        let said = opened.and(begun).expect_err("the person learns what to do").to_string();
        assert!(said.contains("lapel journal move"), "{fails}: {said}");
        change(failing, "DROP TRIGGER fails").await;
        moved(&file, &team).await;
        for known in ["a", "b"] {
            assert!(!begins(&team, known).await, "{fails}: {known}");
        }
        assert!(begins(&team, "d").await && !begins(&file, "e").await, "{fails}");
        team.assure_only(Some(&file), &mine()).await.expect("one place");
        file.assure_only(None, &mine()).await.expect_err("the jobs are in the other one");
        is_whole(&team).await;
    }
}

/// Both journals continue their numbers from the same one, so one number means two jobs.
#[tokio::test]
async fn a_record_says_where_its_job_is_now() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    let sent = sends(&file, "a").await;
    let other = sends(&file, "b").await;
    // Two drafts of one file may be planned at the same time.
    change(&file, "UPDATE job SET created = 1").await;
    let shown = async |journal: &Journal, id: JobId| {
        let job = journal.store().job(id, "me".to_owned()).await.expect("read").expect("a record");
        let note = job.note.clone().expect("a note");
        let at = note.argument("place").or(note.argument("job")).map(str::to_owned);
        (note.code(), at, job.state_name())
    };
    let back = |id: JobId| (Code::CameBack, Some(id.to_string()), "came back");
    moved(&file, &team).await;
    let gone = |to: &Journal| (Code::MovedTo, Some(to.place().to_owned()), Phase::Moved.name());
    assert_eq!(shown(&file, sent).await, gone(&team));
    moved(&team, &file).await;
    // Jobs move in the order of their numbers.
    let last = number(&file, "SELECT max(id) FROM job").await;
    let [first, second] = [JobId(last - 1), JobId(last)];
    assert_eq!((shown(&file, sent).await, shown(&file, other).await), (back(first), back(second)));
    let there = JobId(number(&team, "SELECT max(id) FROM job").await);
    assert_eq!(shown(&team, there).await, gone(&file));
    // Who knows its number in the team's journal finds it.
    assert_eq!(file.store().came_as(there).await.expect("read"), [second]);
    // Both records of a job that moves once more, and back, have its last number.
    moved(&file, &team).await;
    moved(&team, &file).await;
    let last = JobId(number(&file, "SELECT max(id) FROM job").await);
    for record in [other, second] {
        assert_eq!(shown(&file, record).await, back(last), "{record}");
    }
    // No backup could take it back.
    let said = file.store().job(sent, "me".to_owned()).await.expect("read").expect("a record");
    assert!(!said.note.expect("a note").english().contains("lapel journal restore"));
}

#[tokio::test]
async fn two_journals_that_were_one_before_a_backup_both_move_all_they_have_sent() {
    let (one, two, three) = (folder(), folder(), folder());
    let copy = one.path().join("copy");
    let file = open(one.path());
    sends(&file, "a").await;
    closed(file, &one);
    backup::back_up(one.path(), &copy, OpenJobs::Stay, Overwrite::No, "me").expect("copied");
    backup::restore(two.path(), &copy, false, "me").expect("restored");
    let (file, restored, team) = (open(one.path()), open(two.path()), open(three.path()));
    let numbers = [sends(&file, "l").await, sends(&restored, "m").await];
    assert_eq!(numbers, [JobId(2), JobId(2)]);
    assert_eq!((moved(&file, &team).await, moved(&restored, &team).await), (2, 1));
    for known in ["a", "l", "m"] {
        assert!(!begins(&team, known).await, "{known}");
    }
    assert!(begins(&team, "n").await);
    is_whole(&team).await;
}

/// The backup is from before this computer used the team's journal.
#[tokio::test]
async fn a_restored_backup_sends_nothing_for_an_account_that_the_team_sends_for() {
    let (one, two, three) = (folder(), folder(), folder());
    let copy = one.path().join("copy");
    let old = open(one.path());
    sends(&old, "a").await;
    closed(old, &one);
    backup::back_up(one.path(), &copy, OpenJobs::Stay, Overwrite::No, "me").expect("copied");
    let (file, team) = (open(two.path()), open(three.path()));
    team.assure_only(Some(&file), &mine()).await.expect("the file has no jobs");
    closed(file, &two);
    backup::restore(two.path(), &copy, false, "me").expect("restored");
    let file = open(two.path());
    assert!(!begins(&file, "b").await && begins(&team, "b").await);
    let refused = team.assure_only(Some(&file), &mine()).await.expect_err("its jobs are not there yet");
    assert!(refused.to_string().contains("lapel journal move"), "{refused}");
    moved(&file, &team).await;
    team.assure_only(Some(&file), &mine()).await.expect("one place");
    assert!(!begins(&team, "a").await && !begins(&file, "c").await);
}

/// Where user names are the same, the paths are the same.
#[tokio::test]
async fn jobs_go_back_to_one_computer_although_another_has_the_same_path() {
    let (one, two, team) = (folder(), folder(), folder());
    let (first, second, team) = (open(one.path()), open(two.path()), open(team.path()));
    sends(&first, "a").await;
    sends(&first, "b").await;
    moved(&first, &team).await;
    let fails = "CREATE TRIGGER fails BEFORE INSERT ON imported WHEN new.old = 2
                 BEGIN SELECT RAISE(ABORT, 'no'); END";
    change(&first, fails).await;
    team.move_to(&first, &mine(), "me").await.expect_err("it fails half-way");
    let same = format!("UPDATE handover SET file = 'file {}'", second.place());
    team.store().write("test", same, |db, sql| db.script(sql)).await.expect("one path");
    let refused = team.move_to(&second, &mine(), "me").await.expect_err("the first has begun");
    assert!(refused.to_string().contains("lapel journal move"), "{refused}");
    assert_eq!(number(&second, "SELECT count(*) FROM job").await, 0);
    assert!(!begins(&team, "c").await);
    change(&first, "DROP TRIGGER fails").await;
    moved(&team, &first).await;
    team.move_to(&second, &mine(), "me").await.expect_err("the first has them");
    assert_eq!(number(&second, "SELECT count(*) FROM job").await, 0);
    // A colleague does not send what the first computer may have sent since.
    assert!(begins(&first, "d").await && !begins(&team, "d").await);
    moved(&first, &team).await;
    assert!(!begins(&team, "a").await && begins(&team, "e").await && !begins(&first, "f").await);
}

#[tokio::test]
async fn a_team_knows_what_was_sent_before_a_backup_took_the_jobs() {
    let (one, two, three) = (folder(), folder(), folder());
    let copy = one.path().join("copy");
    let file = open(one.path());
    sends(&file, "a").await;
    closed(file, &one);
    backup::back_up(one.path(), &copy, OpenJobs::Move, Overwrite::No, "me").expect("copied");
    let (file, team) = (open(one.path()), open(three.path()));
    assert_eq!(moved(&file, &team).await, 1);
    assert!(!begins(&team, "a").await);
    assert_eq!(number(&team, "SELECT count(*) FROM job WHERE phase = 'moved'").await, 1, "it cannot send");
    assert_eq!(moved(&file, &team).await, 0, "it is there");
    // The job itself comes from the other computer, and takes the place of the record.
    backup::restore(two.path(), &copy, false, "me").expect("restored");
    let restored = open(two.path());
    assert_eq!(moved(&restored, &team).await, 1);
    let slots =
        "SELECT count(*) FROM claim JOIN job ON job.id = claim.job WHERE phase = 'stopped' AND slot = 0";
    assert_eq!(
        number(&team, slots).await + number(&team, "SELECT count(*) FROM claim WHERE state = 'kept'").await,
        1
    );
    assert!(!begins(&team, "a").await);
    assert_eq!(moved(&file, &team).await, 0);
    is_whole(&team).await;
}

#[tokio::test]
async fn a_team_that_lost_what_was_moved_to_it_gets_it_again() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    let (journal, earlier) = (Journal::file_in(two.path()), two.path().join("earlier"));
    closed(team, &two);
    std::fs::copy(&journal, &earlier).expect("copied");
    let team = open(two.path());
    sends(&file, "a").await;
    let (unsent, _) = begins_of(&file, "b", "u").await.expect("begun");
    change(&file, "UPDATE job SET owner = NULL").await;
    moved(&file, &team).await;
    closed(team, &two);
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(PathBuf::from(format!("{}{ending}", journal.display())));
    }
    std::fs::copy(&earlier, &journal).expect("restored");
    let team = open(two.path());
    let refused = team.assure_only(Some(&file), &mine()).await.expect_err("jobs are missing");
    assert!(refused.to_string().contains("lapel journal move"), "{refused}");
    assert_eq!(moved(&file, &team).await, 2);
    team.assure_only(Some(&file), &mine()).await.expect("one place");
    assert!(!begins(&team, "a").await && !begins(&team, "b").await);
    let doubts = number(&team, "SELECT count(*) FROM row WHERE bucket = 'in_doubt'").await;
    assert_eq!((unsent, doubts), (JobId(2), 1), "the team may have sent it before it lost that");
    is_whole(&team).await;
}

/// An administrator has removed the marks, as docs/team.md says.
#[tokio::test]
async fn records_of_jobs_in_a_lost_journal_go_to_the_next_one() {
    let (one, two, three) = (folder(), folder(), folder());
    let (file, lost, next) = (open(one.path()), open(two.path()), open(three.path()));
    sends(&file, "a").await;
    moved(&file, &lost).await;
    file.move_to(&next, &mine(), "me").await.expect_err("the first one has them");
    change(&file, "DELETE FROM transfer").await;
    assert_eq!(moved(&file, &next).await, 1);
    assert!(!begins(&next, "a").await && begins(&next, "b").await && !begins(&file, "c").await);
    is_whole(&next).await;
}

#[tokio::test]
async fn profiles_move_on_their_own() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    let other = account("q", "v");
    sends_of(&file, "a", "u").await;
    sends_of(&file, "a", "v").await;
    // A move of one of them fails half-way.
    change(&team, "CREATE TRIGGER fails BEFORE INSERT ON imported BEGIN SELECT RAISE(ABORT, 'no'); END")
        .await;
    file.move_to(&team, &mine(), "me").await.expect_err("it fails");
    change(&team, "DROP TRIGGER fails").await;
    assert_eq!(file.move_to(&team, &other, "me").await.expect("moved").jobs, 1);
    assert_eq!(number(&team, "SELECT count(DISTINCT account) FROM account_key").await, 2, "two services");
    assert_eq!(moved(&file, &team).await, 1);
    // One of them goes back, and the other one stays.
    moved(&team, &file).await;
    let is_ready = |begun: super::super::Result<(JobId, bool)>| begun.is_ok_and(|(_, is_ready)| is_ready);
    assert!(is_ready(begins_of(&file, "c", "u").await) && !is_ready(begins_of(&team, "c", "u").await));
    assert!(!is_ready(begins_of(&file, "c", "v").await) && is_ready(begins_of(&team, "c", "v").await));
    file.assure_only(None, &other).await.expect_err("its jobs are with the team");
}

/// A review waits for its confirmation, while the profile begins to use a team's journal.
#[tokio::test]
async fn a_journal_that_a_profile_has_left_begins_nothing() {
    let (one, two, three) = (folder(), folder(), folder());
    let (file, team, third) = (open(one.path()), open(two.path()), open(three.path()));
    let draft = |db: &Tx<'_>, (): &()| {
        accounts::of(db, "u", "k")?;
        Ok(draft_of(db, Kind::Issue, &[NewRow { email: "a".into(), ..NewRow::default() }]))
    };
    let draft = file.store().write("test", (), draft).await.expect("a draft");
    team.assure_only(Some(&file), &mine()).await.expect("the file has no jobs");
    assert!(begins(&team, "a").await);
    let start = |db: &Tx<'_>, id: &JobId| drafts::start(db, id, &Actor::now("me"), &seen(Phase::Draft));
    let refused = file.store().write("test", draft, start).await.expect_err("the team sends");
    assert!(matches!(refused, JournalError::TwoPlaces { .. }), "{refused:?}");
    third.assure_only(Some(&file), &mine()).await.expect_err("it is another team");
    team.assure_only(Some(&file), &mine()).await.expect("one place");
}

#[tokio::test]
async fn a_journal_that_a_profile_has_left_begins_nothing_with_a_new_key() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    team.assure_only(Some(&file), &mine()).await.expect("the file has no jobs");
    let replaced = Account { key: "l".into(), ..mine() };
    file.assure_only(None, &replaced).await.expect("nobody knows that it is the same account");
    file.adopt(&replaced, "k", "me").await.expect("adopted");
    file.assure_only(None, &replaced).await.expect_err("the team sends");
}

/// A job of another key of the organisation runs while the jobs move.
#[tokio::test]
async fn all_keys_of_an_organisation_move_together() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    let named = |key: &str| Account { key: key.into(), organisation: Some("Naru".into()), ..mine() };
    file.store().join_account(named("k")).await.expect("joined");
    file.store().join_account(named("l")).await.expect("joined");
    let (job, _) = begins_of(&file, "a", "u").await.expect("begun");
    let me = file.store().me().to_owned();
    let own = |db: &Tx<'_>, me: &String| db.execute("UPDATE job SET owner = ?1", values![me]);
    let other = open(one.path());
    other.store().write("test", me, own).await.expect("owned");
    other.move_to(&team, &named("l"), "me").await.expect_err("the first process may send it");
    change(&file, "UPDATE job SET owner = 'me'").await;
    other.move_to(&team, &named("l"), "me").await.expect("moved");
    let intent = sending::RecordIntent { job, me: "me".into(), most: 5, at: 0, heard: true };
    let sent = file.store().record_intent(intent).await;
    assert!(!matches!(sent, Ok(Some(_))), "{sent:?}");
    assert!(!begins(&file, "b").await && begins(&team, "b").await);
}

/// A key of the organisation that nobody knew, with a job that runs.
#[tokio::test]
async fn a_running_job_that_joins_an_account_elsewhere_sends_nothing() {
    let (one, two) = (folder(), folder());
    let (file, team) = (open(one.path()), open(two.path()));
    let named = |key: &str| Account { key: key.into(), organisation: Some("Naru".into()), ..mine() };
    file.move_to(&team, &named("l"), "me").await.expect("moved");
    let (job, is_ready) = begins_of(&file, "a", "u").await.expect("another account");
    assert!(is_ready);
    file.store().join_account(named("k")).await.expect("joined");
    let intent = sending::RecordIntent { job, me: "me".into(), most: 5, at: 0, heard: true };
    let refused = file.store().record_intent(intent).await.expect_err("the team sends for the account");
    assert!(matches!(refused, JournalError::TwoPlaces { .. }), "{refused:?}");
}

/// A journal of the schema before this, with an account whose job is a record of this move.
fn of_schema_13(folder: &Path, state: &str) {
    let mut db = Connection::open(Journal::file_in(folder)).expect("a database");
    let writing = db.transaction().expect("a transaction");
    for step in &schema::MIGRATIONS[..13] {
        step(&writing).expect("migrated");
    }
    let sql = format!(
        "INSERT INTO handover (id, at, computer, file, moves, state)
         VALUES ('h', 0, '', 'team db.example/lapel', TRUE, '{state}');
         INSERT INTO job (kind, phase, created, profile, base_url, account, title, handover, was)
         VALUES ('issue', 'moved', 0, 'p', 'u', 'k', 't', 'h', 'stopped');
         INSERT INTO account (id) VALUES (1);
         INSERT INTO account_key VALUES ('u', 'k', 1);
         PRAGMA user_version = 13;
         PRAGMA application_id = {}",
        schema::APPLICATION
    );
    writing.execute_batch(&sql).expect("a record");
    writing.commit().expect("committed");
}

#[tokio::test]
async fn a_move_of_an_earlier_version_counts() {
    let to = OtherJournal {
        name: "random".into(),
        place: "db.example/lapel".into(),
        file: "team db.example/lapel".into(),
    };
    let third = OtherJournal { name: "another".into(), place: "x/lapel".into(), file: "team x/lapel".into() };
    for (state, is_there) in [("begun", false), ("taken", true), ("returned", true)] {
        let one = folder();
        of_schema_13(one.path(), state);
        let file = open(one.path());
        assert_eq!(begins(&file, "a").await, state == "returned", "{state}");
        let record = file.store().job(JobId(1), "me".to_owned()).await.expect("read").expect("a record");
        // Here no job tells its new number.
        let note = if state == "returned" { Code::CameBackHere } else { Code::MovedTo };
        assert_eq!(record.note.as_ref().map(Reason::code), Some(note), "{state}");
        if state == "returned" {
            assert_eq!(record.state_name(), "came back");
            continue;
        }
        let found = file.store().beside(mine(), to.clone()).await.expect("asked");
        assert_eq!(matches!(found, JournalBeside::There), is_there, "{state}: {found:?}");
        let found = file.store().beside(mine(), third.clone()).await.expect("asked");
        assert!(matches!(found, JournalBeside::Elsewhere(_)), "{state}: {found:?}");
        file.store().assure_may_go(mine(), third.clone()).await.expect_err("it goes elsewhere");
        let begin = BeginMove {
            account: mine(),
            id: "i".into(),
            to: to.clone(),
            computer: String::new(),
            actor: Actor::now("me"),
        };
        let going = file.store().begin_move(begin).await.expect("begun").len();
        assert_eq!(going, usize::from(state == "begun"), "{state}");
        file.store().end_move(mine(), to.clone()).await.expect("ended");
        assert_eq!(
            number(&file, "SELECT count(*) FROM transfer WHERE state = 'gone' AND other = 'random'").await,
            1
        );
        let known = file.store().known_there(mine()).await.expect("asked");
        assert_eq!(known, [JobId(1)], "{state}");
    }
}

/// A person who only looks at a team's jobs does not bring the journal beside it to another schema.
#[tokio::test]
async fn looking_for_another_journal_changes_and_creates_no_file() {
    let database = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("journal.sqlite"));
        let mut files: Vec<(PathBuf, Vec<u8>)> =
            files.map(|file| (file.path(), std::fs::read(file.path()).expect("bytes"))).collect();
        files.sort();
        files
    };
    let one = folder();
    of_schema_13(one.path(), "taken");
    let before = database(one.path());
    let place = JournalPlace::Folder(one.path().to_owned());
    let file = place.copy_of_existing().expect("read").expect("a journal");
    let to = OtherJournal {
        name: "random".into(),
        place: "db.example/lapel".into(),
        file: "team db.example/lapel".into(),
    };
    let found = file.store().beside(mine(), to).await.expect("asked");
    assert!(matches!(found, JournalBeside::There), "{found:?}");
    drop(file);
    assert_eq!(database(one.path()), before);
    let none = folder();
    let place = JournalPlace::Folder(none.path().to_owned());
    assert!(place.copy_of_existing().expect("asked").is_none());
    assert_eq!(std::fs::read_dir(none.path()).expect("a folder").count(), 0);
}

//! Tests: which rows get claims, and which rows may be sent.

use super::*;
use rusqlite::Connection;

/// A journal of schema 1, before claims existed.
fn before() -> Connection {
    let db = Connection::open_in_memory().expect("a database");
    db.execute_batch(include_str!("../schema.sql")).expect("schema 1");
    db
}

/// Brings its claims to the schema of today.
fn migrate_claims(db: &Tx<'_>) {
    migrate(db).expect("schema 2");
    sort_by_row(db).expect("schema 12");
}

fn job(db: &Tx<'_>, id: i64, base_url: &str, phase: &str) {
    db.execute(
        "INSERT INTO job (id, kind, phase, created, profile, base_url, account, template, title)
         VALUES (?1, 'issue', ?2, 1800000000000, 'p', ?3, '00000001', 'T', 't')",
        values![id, phase, base_url],
    )
    .expect("a job");
}

fn row(db: &Tx<'_>, job: i64, no: i64, person: &str, row_status: &str) {
    db.execute(
        "INSERT INTO row (job, no, name, email, email_key, bucket) VALUES (?1, ?2, 'n', ?3, ?3, ?4)",
        values![job, no, format!("{person}@x.example"), row_status],
    )
    .expect("a row");
}

fn row_status(db: &Tx<'_>, job: i64, no: i64) -> String {
    db.row("SELECT bucket FROM row WHERE job = ?1 AND no = ?2", values![job, no], |r| r.get(0))
        .expect("a row")
}

fn claims(db: &Tx<'_>) -> Vec<(i64, i64, i64, String)> {
    let sql = "SELECT job, no, slot, state FROM claim ORDER BY job, no, slot";
    db.rows(sql, values![], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))).expect("rows")
}

fn me() -> Actor {
    Actor::now("me")
}

fn holds(db: &Tx<'_>, job: i64, no: i64) -> bool {
    let sql = format!("SELECT {HOLDS} FROM row WHERE job = ?1 AND no = ?2");
    db.row(&sql, values![job, no], |r| r.get(0)).expect("a row")
}

fn is(job: i64, no: i64, slot: i64, state: &str) -> (i64, i64, i64, String) {
    (job, no, slot, state.to_owned())
}

#[test]
fn migration_creates_claims_for_all_spellings_of_an_address() {
    let connection = before();
    let db = Tx::on(&connection);
    job(&db, 1, "https://B.example:443/api", "stopped");
    job(&db, 2, "https://b.example/api", "running");
    for (no, (person, row_status)) in
        [("a", "ready"), ("b", "ready"), ("c", "not_done"), ("d", "in_doubt")].into_iter().enumerate()
    {
        row(&db, 1, no as i64 + 1, person, row_status);
    }
    row(&db, 2, 1, "a", "waiting");
    row(&db, 2, 2, "d", "issued");
    migrate_claims(&db);
    let expected = [is(1, 2, 0, "reserved"), is(1, 4, 0, "open"), is(2, 1, 0, "kept"), is(2, 2, 1, "kept")];
    assert_eq!(claims(&db), expected, "what another row has served has no claim until it is judged");

    // After resuming, one row is free and one was served meanwhile.
    claim_ready_rows(&db, JobId(1), &me()).expect("asked");
    assert_eq!((row_status(&db, 1, 1), row_status(&db, 1, 2)), ("ask".to_owned(), "ready".to_owned()));
    // A refused row is retried: no other row has served that recipient.
    db.execute("UPDATE row SET bucket = 'ready' WHERE job = 1 AND no = 3", values![]).expect("retried");
    claim_ready_rows(&db, JobId(1), &me()).expect("asked");
    assert_eq!(claims(&db).iter().filter(|c| c.3 == "reserved").count(), 2);
}

#[test]
fn claims_stay_as_they_are_when_their_order_changes() {
    let connection = before();
    let db = Tx::on(&connection);
    job(&db, 1, "https://b.example", "running");
    job(&db, 2, "https://b.example", "running");
    for (no, (person, row_status)) in
        [("b", "in_doubt"), ("a", "issued"), ("c", "ready")].into_iter().enumerate()
    {
        row(&db, 1, no as i64 + 1, person, row_status);
        row(&db, 2, no as i64 + 1, person, row_status);
    }
    migrate(&db).expect("schema 2");
    db.script("UPDATE claim SET again = 1 WHERE slot = 1").expect("sent again");
    let all = || -> Vec<String> {
        let sql = "SELECT json_array(account, template, hex(person), slot, job, no, state, decision, again)
                   FROM claim ORDER BY job, no";
        db.rows(sql, values![], |r| r.get(0)).expect("claims")
    };
    let before = all();
    assert_eq!(before.len(), 5, "{before:?}");
    sort_by_row(&db).expect("schema 12");
    assert_eq!(all(), before);
    let twice = "INSERT INTO claim SELECT account, template, person, slot, 2, 3, state, decision, again FROM claim LIMIT 1";
    let refused = db.execute(twice, values![]).expect_err("two rows with one slot").to_string();
    assert!(refused.contains("claim.slot"), "{refused}");
    db.execute("UPDATE row SET bucket = 'sending' WHERE bucket = 'ready' AND job = 1", values![])
        .expect("sent");
    assert!(claims(&db).contains(&is(1, 3, 0, "open")), "{:?}", claims(&db));
}

/// Its draft was planned long before.
#[test]
fn a_rival_that_waits_to_be_sent_has_the_time_when_its_job_began() {
    let connection = before();
    let db = Tx::on(&connection);
    for id in [1, 2] {
        job(&db, id, "https://b.example", "running");
        row(&db, id, 1, "a", "ready");
    }
    migrate_claims(&db);
    let named = |at: &str| {
        let (_, rival, _) = rivals(&db, JobId(2), "row.no = 1").expect("asked").pop().expect("a rival");
        assert_eq!((rival.job, rival.why().argument("when")), (JobId(1), Some(at)));
    };
    named("2027-01-15 08:00 UTC");
    let begin = "INSERT INTO decision (at, job, what, who) VALUES (1800003600000, 1, 'begin', 'me')";
    db.script(begin).expect("begun");
    named("2027-01-15 09:00 UTC");
}

#[test]
fn a_row_without_a_claim_cannot_be_sent() {
    let connection = before();
    let db = Tx::on(&connection);
    job(&db, 1, "https://b.example", "running");
    migrate_claims(&db);
    row(&db, 1, 1, "a", "ready");
    let send = "UPDATE row SET bucket = 'sending' WHERE job = 1 AND no = 1";
    let refused = db.execute(send, values![]).expect_err("no claim").to_string();
    assert!(refused.contains("without its claim"), "{refused}");
    assert!(!holds(&db, 1, 1));
    let person = RecipientHasher::of(&db).expect("the salt").person(&EmailKey::of("a@x.example"));
    db.execute("UPDATE row SET person = ?1", values![person]).expect("a person");
    claim_ready_rows(&db, JobId(1), &me()).expect("asked");
    assert!(holds(&db, 1, 1));
    db.execute(send, values![]).expect("with a claim");
    assert_eq!(claims(&db), [is(1, 1, 0, "open")]);
    db.execute("UPDATE row SET bucket = 'not_done'", values![]).expect("refused");
    assert_eq!(claims(&db), [], "certainly nothing was done");
}

#[test]
fn a_resent_row_keeps_its_first_claim() {
    let connection = before();
    let db = Tx::on(&connection);
    job(&db, 1, "https://b.example", "running");
    row(&db, 1, 1, "a", "not_seen");
    migrate_claims(&db);
    for to in ["ready", "sending", "not_done"] {
        db.execute("UPDATE row SET bucket = ?1", values![to]).expect(to);
    }
    assert_eq!(claims(&db), [is(1, 1, 0, "open")], "refused the second time, and never seen the first");
    for to in ["ready", "left_out"] {
        db.execute("UPDATE row SET bucket = ?1", values![to]).expect(to);
    }
    assert_eq!(claims(&db), [is(1, 1, 0, "kept")]);
}

#[test]
fn rows_reviewed_together_can_be_sent_in_any_order() {
    for (allowed, may) in [("NULL", false), ("'shared_address'", true)] {
        let connection = before();
        let db = Tx::on(&connection);
        job(&db, 1, "https://b.example", "running");
        row(&db, 1, 1, "a", "ready");
        row(&db, 1, 2, "a", "ready");
        migrate_claims(&db);
        // The first row was refused and got a new, higher claim.
        db.script(&format!(
            "DELETE FROM claim;
             UPDATE row SET allowed = {allowed} WHERE no = 2;
             INSERT INTO claim (account, template, person, slot, job, no, state)
             SELECT 1, 'T', person, CASE no WHEN 1 THEN 2 ELSE 1 END, 1, no, 'reserved' FROM row;
             UPDATE row SET bucket = 'sending' WHERE no = 1;
             UPDATE row SET bucket = 'waiting' WHERE no = 1"
        ))
        .expect("claims");
        assert_eq!(holds(&db, 1, 2), may, "{allowed}");
    }
}

#[test]
fn merged_accounts_keep_all_claims() {
    let connection = before();
    let db = Tx::on(&connection);
    for (id, key, state) in [(1, "00000001", "stopped"), (2, "00000002", "running")] {
        job(&db, id, "https://b.example", state);
        db.execute("UPDATE job SET account = ?2 WHERE id = ?1", values![id, key]).expect("a key");
    }
    for (person, no) in [("a", 1), ("b", 2)] {
        row(&db, 1, no, person, if no == 1 { "ready" } else { "issued" });
        row(&db, 2, no, person, "issued");
    }
    migrate_claims(&db);
    assert_eq!(claims(&db).len(), 4, "two accounts: {:?}", claims(&db));
    // A later schema has it.
    db.script("CREATE TABLE transfer (account, other, place, state)").expect("a table");
    let account = |key: &str, name: &str| Account {
        profile: "p".into(),
        base_url: "https://b.example".into(),
        key: key.into(),
        organisation: Some(name.into()),
    };
    accounts::join(&db, &account("00000001", "Naru  University")).expect("joined");
    accounts::join(&db, &account("00000002", "naru university")).expect("joined");
    assert!(accounts::is_joined(&db, &account("00000002", "Naru University")).expect("asked"));
    let mut slots: Vec<i64> = claims(&db).iter().filter(|c| c.1 == 2).map(|c| c.2).collect();
    slots.sort_unstable();
    assert_eq!(slots, [0, 1], "both badges of one person are known");
    claim_ready_rows(&db, JobId(1), &me()).expect("asked");
    assert_eq!(row_status(&db, 1, 1), "ask", "the other key has served this person");
}

/// `cargo test --release --lib -- --ignored --nocapture a_hundred_thousand`
#[test]
#[ignore = "measures"]
fn a_hundred_thousand_claims() {
    let connection = before();
    let db = Tx::on(&connection);
    job(&db, 1, "https://b.example", "running");
    job(&db, 2, "https://b.example", "running");
    db.script("BEGIN").expect("a transaction");
    for n in 0..100_000 {
        row(&db, 1, n, &format!("p{n}"), "ready");
        row(&db, 2, n, &format!("p{n}"), "ready");
    }
    db.script("COMMIT; UPDATE job SET phase = 'draft'").expect("drafts");
    let since = std::time::Instant::now();
    migrate_claims(&db);
    println!("200,000 rows migrated in {:?}", since.elapsed());
    db.script("UPDATE job SET phase = 'running'").expect("running");
    for id in [1, 2] {
        let since = std::time::Instant::now();
        db.script("BEGIN").expect("a transaction");
        claim_ready_rows(&db, JobId(id), &me()).expect("asked");
        db.script("COMMIT").expect("committed");
        println!("job {id}: {:?}, {} under review", since.elapsed(), held(&db, JobId(id)).expect("a count"));
    }
    assert_eq!(held(&db, JobId(2)).expect("a count"), 100_000);
}

#[test]
fn each_status_of_a_row_has_its_claim() {
    let (kept, open) = (Some("kept"), Some("open"));
    // The claim of a row that was being sent, and then of one that was ready.
    for (to, of_sent, of_ready) in [
        ("ready", Some("reserved"), Some("reserved")),
        ("in_doubt", open, open),
        ("unbound", open, open),
        ("not_seen", open, open),
        ("waiting", kept, kept),
        ("overdue", kept, kept),
        ("issued", kept, kept),
        ("other", kept, kept),
        ("revoking", kept, kept),
        ("revoked", kept, kept),
        ("not_done", None, None),
        ("dropped", None, None),
        ("ask", open, None),
        ("left_out", kept, None),
        ("invalid", kept, None),
    ] {
        for (from, expected) in [("sending", of_sent), ("ready", of_ready)] {
            let connection = before();
            let db = Tx::on(&connection);
            job(&db, 1, "https://b.example", "running");
            row(&db, 1, 1, "a", from);
            migrate_claims(&db);
            db.execute("UPDATE row SET bucket = ?1", values![to]).expect("moved");
            let claim = claims(&db).first().map(|claim| claim.3.clone());
            assert_eq!(claim.as_deref(), expected, "{from} to {to}");
        }
    }
}

//! Tests: what two copies of a journal may send.

use super::*;
use crate::domain::EmailKey;
use crate::jobs::journal::jobs::Actor;
use crate::jobs::journal::tests::closed;
use crate::jobs::journal::tests::statements::{draft_of, seen};
use crate::jobs::journal::{Journal, claims, drafts, rows::NewRow, schema};
use tempfile::TempDir;

/// A job of one row in a journal: its number, kind, status, and whether it is only a record.
type OneRow = (i64, Kind, RowStatus, bool);

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Works on the journal of a folder, and closes it.
async fn at<T: Send + 'static>(folder: &TempDir, work: fn(&Tx<'_>, &()) -> tx::Result<T>) -> T {
    let journal = Journal::open(folder.path()).expect("a journal");
    let done = journal.store().write("test", (), work).await.expect("done");
    closed(journal, folder);
    done
}

/// A job of one row for each kind and status.
fn one_of_each(db: &Tx<'_>, (): &()) -> tx::Result<()> {
    for (kind, status) in Kind::ALL.iter().flat_map(|kind| RowStatus::ALL.iter().map(move |it| (*kind, *it)))
    {
        let email = format!("{}@x.example", status.code());
        let job = draft_of(db, kind, &[NewRow { name: "n".into(), email, ..NewRow::default() }]);
        drafts::start(db, &job, &Actor::now("me"), &seen(crate::jobs::Phase::Draft))?;
        db.execute("UPDATE row SET bucket = ?2 WHERE job = ?1", values![job.0, status.code()])?;
        db.execute("UPDATE job SET phase = 'stopped', owner = NULL WHERE id = ?1", values![job.0])?;
    }
    Ok(())
}

fn rows(db: &Tx<'_>, (): &()) -> tx::Result<Vec<OneRow>> {
    db.rows(
        "SELECT job.id, kind, bucket, phase = 'moved' FROM job JOIN row ON row.job = job.id",
        values![],
        |r| {
            let kind = Kind::from_code(r.text(1)?).expect("a kind");
            Ok((r.get(0)?, kind, crate::jobs::journal::jobs::row_status(r, "bucket")?, r.get(3)?))
        },
    )
}

fn may_be_sent(rows: &[OneRow]) -> Vec<(i64, RowStatus)> {
    let may_be = |(_, kind, status, is_record): &&OneRow| !is_record && rules::may_be_sent(*kind, *status);
    rows.iter().filter(may_be).map(|(id, _, status, _)| (*id, *status)).collect()
}

#[tokio::test]
async fn no_row_may_be_sent_from_two_journals() {
    for open in [OpenJobs::Move, OpenJobs::Stay] {
        let (one, two) = (folder(), folder());
        at(&one, one_of_each).await;
        let all = may_be_sent(&at(&one, rows).await);
        let file = one.path().join("backup");
        back_up(one.path(), &file, open, Overwrite::No, "me").expect("copied");
        restore(two.path(), &file, false, "me").expect("restored");
        let [here, there] = [may_be_sent(&at(&one, rows).await), may_be_sent(&at(&two, rows).await)];
        let expected = if open == OpenJobs::Move { [Vec::new(), all] } else { [all, Vec::new()] };
        assert_eq!([here, there], expected);
    }
}

#[tokio::test]
async fn each_row_that_another_computer_may_have_sent_is_in_doubt_with_a_claim() {
    let (one, two) = (folder(), folder());
    at(&one, one_of_each).await;
    let all = may_be_sent(&at(&one, rows).await);
    let file = one.path().join("backup");
    back_up(one.path(), &file, OpenJobs::Move, Overwrite::No, "me").expect("copied");
    restore(two.path(), &file, false, "me").expect("restored");
    restore(one.path(), &file, true, "me").expect("taken back");
    let now = at(&one, rows).await;
    for (id, was) in all {
        let (_, kind, status, _) = now.iter().find(|row| row.0 == id).expect("a row");
        assert_eq!(*status, if *kind == Kind::Issue { RowStatus::InDoubt } else { was });
    }
    assert_eq!(at(&one, |db, ()| schema::check(db)).await, Vec::<String>::new());
    // Nobody sends to its recipient unseen.
    let free = |db: &Tx<'_>, (): &()| -> tx::Result<Vec<&str>> {
        let account: i64 = db.row("SELECT account FROM account_key", values![], |r| r.get(0))?;
        let mut free = Vec::new();
        for status in RowStatus::ALL.iter().filter(|it| rules::may_be_sent(Kind::Issue, **it)) {
            let key = EmailKey::of(&format!("{}@x.example", status.code()));
            if claims::of_person(db, account, "T", &key)?.is_none() {
                free.push(status.code());
            }
        }
        Ok(free)
    };
    assert_eq!(at(&one, free).await, Vec::<&str>::new());
}

#[tokio::test]
async fn a_backup_replaces_no_kept_draft_and_no_decision() {
    let (one, two) = (folder(), folder());
    let drafted = |db: &Tx<'_>, (): &()| {
        let job = draft_of(db, Kind::Issue, &[NewRow { email: "p@x.example".into(), ..NewRow::default() }]);
        drafts::keep(db, &[job])?;
        crate::jobs::journal::jobs::record_decision(
            db,
            JobId(0),
            None,
            "open a wallet",
            &Actor::now("me"),
            "why",
        )
        .map(drop)
    };
    at(&one, one_of_each).await;
    at(&one, drafted).await;
    at(&two, drafted).await;
    let file = one.path().join("backup");
    let made = back_up(one.path(), &file, OpenJobs::Move, Overwrite::No, "me").expect("copied");
    assert_eq!(made.drafts, 1, "it is not in the backup");
    restore(two.path(), &file, false, "me").expect_err("a draft would be lost");
    let drafts = |db: &Tx<'_>, (): &()| kept_drafts(db);
    assert_eq!(at(&two, drafts).await, 1);
    at(&two, |db, ()| crate::jobs::journal::jobs::discard(db, &JobId(1), "me")).await;
    restore(two.path(), &file, false, "me").expect("restored");
    let decisions = |db: &Tx<'_>, (): &()| {
        db.row("SELECT count(*) FROM decision WHERE what = 'open a wallet' AND job = 0", values![], |r| {
            r.get::<i64>(0)
        })
    };
    assert_eq!(at(&two, decisions).await, 2, "of both computers");
}

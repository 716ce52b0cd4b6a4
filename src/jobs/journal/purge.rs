//! Removes personal data of finished jobs: names, addresses, cells, and messages that may quote them.
//!
//! Numbers and badge ids stay, so that no badge is ever claimed twice. Decisions stay, too, with people's reasons.
//! `erase` overwrites the removed data in the file.

use super::jobs::Account;
use super::tx::{self, Tx, values};
use super::{conditions, erase, jobs};
use crate::jobs::job::JobId;
use crate::jobs::row_status::RowStatus;

/// Records of jobs that another journal has with all of their rows: a backup's jobs may come back.
const RECORDS: &str = "job.handover IN (SELECT id FROM handover WHERE state IN ('taken', 'returned')
                                          AND (file LIKE 'team %' OR file LIKE 'file %'))";

/// Purges finished jobs of a service and key that were planned before `before` (milliseconds of this computer's UTC), and
/// returns them. Removes kept drafts of that age that are not open.
pub(super) fn purge(db: &Tx<'_>, account: &Account, before: &i64) -> tx::Result<Vec<JobId>> {
    let open = conditions::statuses(|it| it.is_open() || it == RowStatus::Ready);
    let sql = format!(
        "SELECT id FROM job WHERE NOT purged AND phase <> 'draft' AND created < ?1
           AND account = ?2 AND base_url = ?3
           AND CASE WHEN phase = 'moved' THEN {RECORDS}
                    ELSE NOT EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND bucket IN ({open})
                                     AND NOT (bucket = 'ready' AND job.phase = 'cancelled')) END"
    );
    let purged: Vec<i64> =
        db.rows(&sql, values![before, account.key, account.base_url], |r| r.get(0))?;
    let list = super::json(&purged);
    for sql in [
        "UPDATE row SET name = '', email = '', email_key = '', cells = NULL, why = NULL, class_why = NULL
         WHERE job IN json_list(?1, bigint)",
        // The service's message may name people.
        "UPDATE request SET why = NULL WHERE job IN json_list(?1, bigint)",
        "DELETE FROM review WHERE job IN json_list(?1, bigint)",
        "DELETE FROM baseline WHERE job IN json_list(?1, bigint)",
        "UPDATE job SET purged = TRUE, origin = NULL, stop_why = NULL, note = NULL, look_note = NULL
         WHERE id IN json_list(?1, bigint)",
    ] {
        db.execute(sql, values![&list])?;
    }
    if !purged.is_empty() {
        erase::want_rewrite(db)?;
    }
    // A draft holds only what was never sent.
    let drafts = db.execute(
        "DELETE FROM job WHERE phase = 'draft' AND kept AND owner IS NULL AND account = ?1 AND base_url = ?2
           AND created < ?3",
        values![account.key, account.base_url, before],
    )?;
    jobs::tidy_after_discard(db, drafts)?;
    Ok(purged.into_iter().map(JobId).collect())
}

#[cfg(test)]
mod tests {
    use super::super::drafts;
    use super::super::jobs::Actor;
    use super::super::rows::NewRow;
    use super::super::statements::{draft_of, journal};
    use super::*;
    use crate::jobs::job::Kind;

    fn account(base_url: &str) -> Account {
        Account { profile: "p".into(), base_url: base_url.into(), key: "k".into(), organisation: None }
    }

    /// A job of the process "me", with a row of this status.
    fn job_with(db: &Tx<'_>, status: RowStatus) -> JobId {
        let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
        let job = draft_of(db, Kind::Issue, &[row]);
        drafts::start(db, &job, &Actor::now("me")).expect("started");
        db.execute("UPDATE row SET bucket = ?2 WHERE job = ?1", values![job.0, status.code()]).expect("set");
        job
    }

    #[test]
    fn a_key_may_be_of_two_services() {
        let connection = journal();
        let db = Tx::on(&connection);
        let draft = draft_of(&db, Kind::Issue, &[]);
        drafts::keep(&db, &[draft]).expect("kept");
        drafts::close(&db, &[draft], "me").expect("closed");
        let job = job_with(&db, RowStatus::Issued);
        let left = || db.row("SELECT count(*) FROM job WHERE NOT purged", values![], |r| r.get::<i64>(0));
        assert_eq!((purge(&db, &account("v"), &1).expect("purged"), left().expect("counted")), (vec![], 2));
        assert_eq!((purge(&db, &account("u"), &1).expect("purged"), left().expect("counted")), (vec![job], 0));
    }

    /// It would come back without its addresses.
    #[test]
    fn a_record_is_purged_when_another_journal_has_the_job() {
        for (file, state, is_purged) in [
            ("/home/a/backup", "begun", false),
            ("/home/a/backup", "taken", false),
            ("team db/lapel", "begun", false),
            ("team db/lapel", "taken", true),
            ("file /home/a/journal.sqlite", "returned", true),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let job = job_with(&db, RowStatus::InDoubt);
            db.execute(
                "INSERT INTO handover (id, at, computer, file, moves, state) VALUES ('h', 0, '', ?1, TRUE, ?2)",
                values![file, state],
            )
            .expect("a handover");
            db.execute(
                "UPDATE job SET phase = 'moved', handover = 'h', owner = NULL WHERE id = ?1",
                values![job.0],
            )
            .expect("a record");
            let purged = purge(&db, &account("u"), &1).expect("purged");
            assert_eq!(purged, if is_purged { vec![job] } else { vec![] }, "{file} {state}");
        }
    }
}

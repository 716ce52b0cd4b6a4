//! Removes personal data of finished jobs: names, addresses, cells, and messages that may quote them.
//!
//! Numbers and badge ids stay, so that no badge is ever claimed twice. Decisions stay, too, with people's reasons.
//! `erase` overwrites the removed data in the file.

use super::tx::{self, Tx, values};
use super::{erase, jobs};
use crate::jobs::job::JobId;
use crate::jobs::row_status::RowStatus;

/// Purges finished jobs of a key that were planned before `before` (milliseconds of this computer's UTC), and returns
/// them. Removes kept drafts of that age that are not open.
pub(super) fn purge(db: &Tx<'_>, account: &str, before: &i64) -> tx::Result<Vec<JobId>> {
    let open: Vec<String> = RowStatus::ALL
        .iter()
        .filter(|b| b.is_open() || matches!(b, RowStatus::Ready))
        .map(|b| format!("'{}'", b.code()))
        .collect();
    let sql = format!(
        "SELECT id FROM job WHERE NOT purged AND phase <> 'draft' AND created < ?1
           AND account = ?2
           AND NOT EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND bucket IN ({})
                           AND NOT (job.phase = 'moved' OR bucket = 'ready' AND job.phase = 'cancelled'))",
        open.join(",")
    );
    let purged: Vec<i64> = db.rows(&sql, values![before, account], |r| r.get(0))?;
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
        "DELETE FROM job WHERE phase = 'draft' AND kept AND owner IS NULL AND account = ?1 AND created < ?2",
        values![account, before],
    )?;
    jobs::tidy_after_discard(db, drafts)?;
    Ok(purged.into_iter().map(JobId).collect())
}

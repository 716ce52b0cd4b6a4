//! Removes personal data of finished jobs: names, addresses, cells, and messages that may quote them.
//!
//! Numbers and badge ids stay, so that no badge is ever claimed twice. Decisions stay, too, with people's reasons.
//! `erase` overwrites the removed data in the file.

use super::transfer::MOVES;
use super::{Journal, Result, conditions, erase, jobs};
use crate::jobs::journal::prelude::*;

/// Records of jobs that another journal has with all of their rows. A backup's jobs may come back, but only to the journal
/// in a file that they left.
fn records(db: &Tx<'_>) -> String {
    let backups = if db.is_team() { format!("OR NOT {MOVES}") } else { String::new() };
    format!(
        "job.handover IN (SELECT id FROM handover WHERE state IN ('taken', 'returned') AND {MOVES} {backups})"
    )
}

pub(in crate::jobs) struct Purge {
    pub(super) account: Account,
    /// The jobs were planned before: milliseconds of this computer's UTC.
    pub(super) before: i64,
    pub(super) me: String,
    /// Owners that have ended. Any other owner may be alive: it may have appeared since.
    pub(super) ended: Vec<String>,
}

impl Journal {
    /// Purges jobs of a service and key that are older than `days`, and returns them.
    pub(in crate::jobs) async fn purge(&self, account: &Account, days: u32) -> Result<Vec<JobId>> {
        let (store, account) = (self.store(), account.clone());
        let ended = store.ended_owners(&account).await?;
        let before = Timestamp::now().as_millisecond() - i64::from(days) * 86_400_000;
        store.purge(Purge { account, before, me: store.me().to_owned(), ended }).await
    }
}

/// Purges finished jobs of a service and key, and returns them. On this computer, another living process may just send
/// some of their rows again, so its jobs with such rows stay until it ends. In a team there nearly always is such a process,
/// so they do not stay: it learns of the purge in the write that would let a row be sent. Removes kept drafts of that age
/// that are not open.
pub(super) fn purge(db: &Tx<'_>, args: &Purge) -> tx::Result<Vec<JobId>> {
    let Purge { account, before, me, ended } = args;
    let open = conditions::statuses(|it| it.is_open() || it == RowStatus::Ready);
    let stays = if db.is_team() { "FALSE".to_owned() } else { conditions::may_be_sent() };
    let sql = format!(
        "SELECT id FROM job WHERE NOT purged AND phase <> 'draft' AND created < ?1
           AND account = ?2 AND base_url = ?3
           AND CASE WHEN phase = 'moved' THEN {}
                    ELSE NOT EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND bucket IN ({open})
                                     AND NOT (bucket = 'ready' AND job.phase = 'cancelled')) END
           AND NOT (owner IS NOT NULL AND owner <> ?4 AND owner NOT IN json_list(?5, text)
                    AND EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND {stays}))",
        records(db)
    );
    let values = values![before, account.key, account.base_url, me, super::json(ended)];
    let purged: Vec<JobId> = db.all(&sql, values)?;
    let list = super::json(&purged);
    for sql in [
        // That a row was cancelled names nobody, and is the state of its job.
        "UPDATE row SET name = '', email = '', email_key = '', cells = NULL, class_why = NULL,
                        why = CASE WHEN reason_code(why) = 'called_off' THEN why END
         WHERE job IN json_list(?1, bigint)",
        // The service's message may name people.
        "UPDATE request SET why = NULL WHERE job IN json_list(?1, bigint)",
        "DELETE FROM review WHERE job IN json_list(?1, bigint)",
        "DELETE FROM baseline WHERE job IN json_list(?1, bigint)",
    ] {
        db.execute(sql, values![&list])?;
    }
    // An empty reason. Earlier versions left none, and removed those of cancelled rows.
    db.execute(
        "UPDATE job SET purged = TRUE, origin = NULL, stop_why = ?2, note = NULL, look_note = NULL
         WHERE id IN json_list(?1, bigint)",
        values![&list, Reason::from(Code::Told)],
    )?;
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
    Ok(purged)
}

#[cfg(test)]
mod tests {
    use super::super::drafts;
    use super::super::duplicates::{self, ExistingBadge, FinishCheck, RecordHeld};
    use super::super::jobs::Actor;
    use super::super::rows::NewRow;
    use super::super::snapshots;
    use super::*;
    use crate::domain::EmailKey;
    use crate::jobs::duplicate_kind::DuplicateKind;
    use crate::jobs::job::{Kind, Phase};
    use crate::jobs::journal::tests::statements::{draft_of, journal, seen};
    use crate::jobs::settings::Policies;

    fn args(base_url: &str) -> Purge {
        let account =
            Account { profile: "p".into(), base_url: base_url.into(), key: "k".into(), organisation: None };
        Purge { account, before: 1, me: "other".into(), ended: Vec::new() }
    }

    /// A job of the process "me", with a row of this status.
    fn job_with(db: &Tx<'_>, status: RowStatus) -> JobId {
        let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
        let job = draft_of(db, Kind::Issue, &[row]);
        drafts::start(db, &job, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
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
        assert_eq!((purge(&db, &args("v")).expect("purged"), left().expect("counted")), (vec![], 2));
        assert_eq!((purge(&db, &args("u")).expect("purged"), left().expect("counted")), (vec![job], 0));
    }

    #[test]
    fn another_process_may_send_rows_of_its_jobs_again() {
        let connection = journal();
        let db = Tx::on(&connection);
        let (issued, refused) = (job_with(&db, RowStatus::Issued), job_with(&db, RowStatus::Refused));
        assert_eq!(purge(&db, &args("u")).expect("purged"), [issued]);
        let ended = Purge { ended: vec!["me".into()], ..args("u") };
        assert_eq!(purge(&db, &ended).expect("purged"), [refused]);
    }

    /// A check reads the history for minutes, and another process may purge the job meanwhile.
    #[test]
    fn a_check_that_began_before_a_purge_brings_no_address_back() {
        let held = || {
            let (key, class, why) = (EmailKey::of("p@x.example"), DuplicateKind::Valid, Code::Told.into());
            vec![ExistingBadge { key, badge: BadgeId::new("B1").expect("an id"), class, why }]
        };
        let (me, phase) = ("me".to_owned(), Phase::Running);
        for is_purged in [false, true] {
            let connection = journal();
            let db = Tx::on(&connection);
            let id = job_with(&db, RowStatus::NotAccepted);
            if is_purged {
                let ended = Purge { ended: vec![me.clone()], ..args("u") };
                assert_eq!(purge(&db, &ended).expect("purged"), [id]);
            }
            let rows = vec![(1, EmailKey::of("p@x.example"))];
            let page = RecordHeld { id, me: me.clone(), phase, held: held(), similar: Vec::new(), rows };
            let finish = FinishCheck {
                id,
                me: me.clone(),
                phase,
                complete: true,
                corrected: None,
                alike: Vec::new(),
                begun: Timestamp::UNIX_EPOCH,
                policies: Policies::default(),
            };
            let writes = [
                duplicates::reset_check(&db, &id, &me, &phase),
                duplicates::record_held(&db, &page),
                duplicates::finish_check(&db, &finish).map(drop),
                duplicates::record_held_of_row(&db, &id, &me, &1, &held()),
            ];
            for done in &writes {
                assert_eq!(matches!(done, Err(tx::Error::Changed(_))), is_purged, "{done:?}");
            }
            let kept: i64 = db.one("SELECT count(*) FROM baseline", values![]).expect("counted");
            assert_eq!(kept, i64::from(!is_purged));
        }
    }

    #[test]
    fn a_purge_leaves_the_state_of_a_job_as_it_is() {
        for (why, state) in [
            (Code::CancelledUnsent, Phase::Cancelled.name()),
            (Code::LeftOutByHand, "finished"),
            (Code::SentBefore, "finished"),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            db.execute("UPDATE job SET phase = 'cancelled'", values![]).expect("ended");
            db.execute("UPDATE row SET bucket = 'issued' WHERE no = 1", values![]).expect("changed");
            let left_out = "UPDATE row SET bucket = 'left_out', why = ?1 WHERE no = 2";
            db.execute(left_out, values![Reason::from(why)]).expect("changed");
            let read = || snapshots::job(&db, &id, "me").expect("read").expect("a job");
            assert_eq!((read().state_name(), read().is_purged), (state, false));
            assert_eq!(purge(&db, &args("u")).expect("purged"), [id]);
            assert_eq!((read().state_name(), read().is_purged), (state, true));
            let reasons: Vec<Option<Reason>> =
                db.all("SELECT why FROM row ORDER BY no", values![]).expect("read");
            let kept = (why == Code::CancelledUnsent).then(|| Reason::from(why));
            assert_eq!(reasons, [None, kept]);
        }
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
            let purged = purge(&db, &args("u")).expect("purged");
            assert_eq!(purged, if is_purged { vec![job] } else { vec![] }, "{file} {state}");
        }
    }
}

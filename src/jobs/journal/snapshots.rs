//! The jobs as they are shown, with the counts of their rows.

use super::jobs::{counts, moment};
use super::place::first_line;
use super::transfer;
use crate::i18n::{self, Language};
use crate::jobs::intake::PASTED;
use crate::jobs::job::{AcceptedCount, BegunBy, Job, JobOrigin, Owner, Refusals, Replaced, Stop, apart};
use crate::jobs::journal::prelude::*;
use crate::jobs::row_status::Counts;
use serde_json::Value;

const COLUMNS: &str = "id, kind, phase, created, profile, template, title, origin, stop, stop_why, \
                       note, look_note, \
                       unproven IS NOT NULL AND NOT purged AS awaits_proof, \
                       not_provable, guarded_at, purged, follows, next_look, owner, owner_label, begun_by, \
                       (SELECT json_group_array(why) FROM request WHERE job = job.id AND outcome = 'lost' \
                        AND reason_code(why) = 'late_answer') AS late, \
                       (SELECT CAST(sum(accepted) AS BIGINT) FROM request WHERE job = job.id AND outcome = 'accepted') AS accepted, \
                       (SELECT CAST(sum(rows) AS BIGINT) FROM request WHERE job = job.id AND outcome = 'accepted' \
                        AND accepted IS NOT NULL) AS accepted_of, \
                       (SELECT count(*) FROM request WHERE job = job.id AND answered IS NULL) AS in_flight, \
                       (SELECT max(changed) FROM tally WHERE job = job.id) AS changed, \
                       (SELECT CASE WHEN moves THEN file END FROM handover WHERE id = job.handover) AS went_with, \
                       (SELECT computer FROM handover WHERE id = job.handover) AS left_on, \
                       (SELECT state = 'returned' FROM handover WHERE id = job.handover) AS is_back, \
                       (SELECT imported.job FROM imported WHERE source = '' AND old = job.id) AS back_as, \
                       CASE WHEN after THEN (SELECT json_array(old.name, new.name, old.email, new.email) \
                                             FROM row AS old JOIN row AS new ON new.job = job.follows \
                                             WHERE old.job = job.id LIMIT 1) END AS replaced";

pub(super) fn job(db: &Tx<'_>, id: &JobId, me: &str) -> tx::Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM job WHERE id = ?1");
    let job = db.optional(&sql, values![id.0], |r| read(r, me, db.is_team()))?;
    job.map(|job| with_counts(db, job)).transpose()
}

/// The jobs of a service and key except drafts, newest first.
pub(super) fn jobs(db: &Tx<'_>, account: &Account, me: &str, most: &usize) -> tx::Result<Vec<Job>> {
    // A record of a job that came back says nothing that the job does not say.
    let shown = "phase <> 'draft' AND (phase <> 'moved' OR handover IS NULL
                   OR NOT EXISTS (SELECT 1 FROM handover WHERE id = job.handover AND state = 'returned'))";
    matching(db, account, me, shown, *most)
}

/// The jobs of a profile, or of all, except drafts, newest first. Each with its owner's id.
pub(super) fn of_profile(
    db: &Tx<'_>,
    profile: Option<&str>,
    most: usize,
) -> tx::Result<Vec<(Job, Option<String>)>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job WHERE phase <> 'draft' AND (?1 IS NULL OR profile = ?1) ORDER BY id DESC LIMIT ?2"
    );
    let nobody = "";
    let jobs: Vec<(Job, Option<String>)> = db.rows(&sql, values![profile, most as i64], |r| {
        Ok((read(r, nobody, db.is_team())?, r.get("owner")?))
    })?;
    jobs.into_iter().map(|(job, owner)| Ok((with_counts(db, job)?, owner))).collect()
}

/// The jobs of a service and key that meet a condition, newest first.
pub(super) fn matching(
    db: &Tx<'_>,
    account: &Account,
    me: &str,
    condition: &str,
    most: usize,
) -> tx::Result<Vec<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job WHERE account = ?1 AND base_url = ?2 AND {condition}
         ORDER BY id DESC LIMIT ?3"
    );
    let values = values![account.key, account.base_url, most as i64];
    let jobs: Vec<Job> = db.rows(&sql, values, |r| read(r, me, db.is_team()))?;
    jobs.into_iter().map(|job| with_counts(db, job)).collect()
}

fn with_counts(db: &Tx<'_>, mut job: Job) -> tx::Result<Job> {
    job.counts = counts(db, job.id)?;
    if job.counts.of(RowStatus::NeedsReview) > 0 {
        job.held = super::claims::held(db, job.id)?;
    }
    if job.refusals.awaits_proof {
        [job.refusals.unproven_ready, job.refusals.unproven] = super::refusals::counts(db, job.id)?;
    }
    // The badges that it waited for may have been seen by another poll.
    job.next_poll = job.next_poll.filter(|_| job.is_open());
    // Nothing shows the reason of a stop that kept nothing back, or of one that the other journal knows more about.
    job.stop = job.stop.take().filter(|_| !job.is_halt_over() && job.phase != Phase::Moved);
    if let (Some(stop), Some(note)) = (&mut job.stop, &job.note)
        && stop.kind == StopKind::Interrupted
        && note.is(Code::LostWritesNoticed)
        && job.counts.of(RowStatus::InDoubt) > 0
    {
        // The reason of the stop says that the rest was not sent, and the job can be resumed.
        stop.why = note.clone();
    }
    let may_go_on = job.is_open() || job.can_resume();
    let did_nothing = job.phase != Phase::Draft && job.counts.sum(RowStatus::is_done) == 0 && !may_go_on;
    if did_nothing || job.is_undone() {
        job.left_in_doubt = super::claims::left_in_doubt(db, job.id, job.kind)?;
    }
    let has_skipped = job.phase == Phase::Cancelled && job.counts.of(RowStatus::Skipped) > 0;
    job.has_cancelled_rows =
        has_skipped && (job.has_cancelled_rows || super::requests::has_cancelled(db, job.id)?);
    Ok(job)
}

fn read(r: &SqlRow<'_>, me: &str, is_team: bool) -> tx::Result<Job> {
    let told = |why: Option<Reason>| why.unwrap_or_else(|| Code::Told.into());
    let stop = r.get::<Option<String>>("stop")?.and_then(|s| StopKind::from_code(&s));
    let owner = r.get::<Option<String>>("owner")?;
    let label = told(r.get("owner_label")?);
    let phase = Phase::from_code(r.text("phase")?).unwrap_or(Phase::Stopped);
    let begun = r.get::<Option<String>>("begun_by")?.filter(|_| is_team);
    // Earlier versions did not keep who began a revocation.
    let begun = begun.as_deref().map(apart).filter(|(who, _)| !who.is_empty());
    let created = Timestamp::from_millisecond(r.get("created")?).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(Job {
        id: r.get("id")?,
        kind: r.get("kind")?,
        phase,
        stop: match stop {
            Some(kind) => Some(Stop { kind, why: told(r.get("stop_why")?) }),
            None => None,
        },
        title: r.get::<Option<Text>>("title")?.unwrap_or_default(),
        template_id: r.get::<Option<String>>("template")?.and_then(TemplateId::new),
        origin: r.get::<Option<String>>("origin")?.and_then(|raw| origin(&raw)),
        created,
        // Journals of earlier schemas do not know when a row changed.
        updated: moment(r, "changed")?.map_or(created, |changed| changed.max(created)),
        counts: Counts::default(),
        held: 0,
        left_in_doubt: false,
        // A purge of earlier versions removed all reasons. Most cancelled jobs have cancelled rows.
        has_cancelled_rows: r.get("purged")? && r.get::<Option<Reason>>("stop_why")?.is_none(),
        note: if phase == Phase::Moved { Some(elsewhere(r)?) } else { r.get("note")? },
        trouble: if phase == Phase::Moved { None } else { r.get("look_note")? },
        late_answers: r.get::<Option<String>>("late")?.map_or_else(Vec::new, |all| late_answers(&all)),
        accepted: match (r.get("accepted")?, r.get("accepted_of")?) {
            (Some(accepted), Some(sent)) => Some(AcceptedCount { accepted, sent }),
            _ => None,
        },
        in_flight: r.get("in_flight")?,
        next_poll: moment(r, "next_look")?,
        owner: owner.map(|id| Owner {
            is_me: id == me,
            is_alive: true,
            is_colleague: is_team && id != me,
            label,
        }),
        profile: r.get("profile")?,
        follows: r.get("follows")?,
        replaced: r.get::<Option<String>>("replaced")?.and_then(|names| replaced(&names)),
        checked: moment(r, "guarded_at")?,
        is_purged: r.get("purged")?,
        refusals: Refusals {
            is_not_provable: r.get("not_provable")?,
            awaits_proof: r.get("awaits_proof")?,
            ..Refusals::default()
        },
        begun: begun
            .map(|(who, computer)| BegunBy { who: Text::new(who), computer: computer.map(Text::new) }),
        halted_by: match phase {
            Phase::Paused | Phase::Cancelled if is_team => {
                r.get::<Option<Reason>>("stop_why")?.filter(|by| by.is(Code::ProcessOn))
            }
            _ => None,
        },
    })
}

fn late_answers(all: &str) -> Vec<Reason> {
    let all: Vec<String> = serde_json::from_str(all).unwrap_or_default();
    all.iter().map(|why| Reason::read(why)).collect()
}

/// The replaced names, or the addresses if the names are the same. `None` if either was removed.
fn replaced(names: &str) -> Option<Replaced> {
    let [old, new, old_email, new_email]: [Option<String>; 4] = serde_json::from_str(names).ok()?;
    let is_name = old != new;
    let (old, new) = if is_name { (old, new) } else { (old_email, new_email) };
    let known = |text: Option<String>| text.filter(|text| !text.is_empty()).map(Text::new);
    Some(Replaced { old: known(old)?, new: known(new)?, is_whole: false })
}

/// Where a moved job continues.
fn elsewhere(r: &SqlRow<'_>) -> tx::Result<Reason> {
    let computer = first_line(&r.get::<Option<String>>("left_on")?.unwrap_or_default());
    let Some(file) = r.get::<Option<String>>("went_with")? else {
        return Ok(Reason::from(Code::StayedOn).with("computer", computer));
    };
    let Some(place) = transfer::moved_to(&file) else {
        return Ok(Reason::from(Code::WentWith).with("file", file));
    };
    if !r.get::<Option<bool>>("is_back")?.unwrap_or_default() {
        return Ok(Reason::from(Code::MovedTo).with("place", place).with("computer", computer));
    }
    Ok(match r.get::<Option<JobId>>("back_as")? {
        Some(job) => Reason::from(Code::CameBack).with("job", job),
        // Earlier versions did not keep its number.
        None => Code::CameBackHere.into(),
    })
}

/// The name of the file; `None` for pasted text. Earlier versions stored the translated name of pasted text.
fn origin_file(kept: String) -> Option<Text> {
    let is_pasted = kept.is_empty() || Language::ALL.iter().any(|l| i18n::in_language(*l, PASTED) == kept);
    (!is_pasted).then(|| Text::new(kept))
}

fn origin(raw: &str) -> Option<JobOrigin> {
    let value: Value = serde_json::from_str(raw).ok()?;
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let columns = value.get("columns").and_then(Value::as_array).into_iter().flatten();
    Some(JobOrigin {
        file: origin_file(field("name")),
        sha256: field("sha256"),
        columns: columns.filter_map(Value::as_str).map(Text::from).collect(),
        read_as: value
            .get("read_as")
            .and_then(|kept| serde_json::from_value(kept.clone()).ok())
            .unwrap_or_else(|| Reason::list(Code::ReadAs, Vec::new())),
        map: value.get("map").and_then(|map| serde_json::from_value(map.clone()).ok()),
        source: value.get("source").and_then(|source| serde_json::from_value(source.clone()).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::drafts;
    use crate::jobs::journal::jobs;
    use crate::jobs::journal::jobs::Actor;
    use crate::jobs::journal::rows::NewRow;
    use crate::jobs::journal::tests::statements::{draft_of, journal, seen};

    #[test]
    fn no_note_hides_another_that_matters_more() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row]);
        for (note, kept) in [
            (Code::NeedReview, Code::NeedReview),
            (Code::NotProvable, Code::NotProvable),
            (Code::NeedReview, Code::NotProvable),
            (Code::ProvableSoon, Code::ProvableSoon),
            (Code::SomeIssuedTwice, Code::SomeIssuedTwice),
            (Code::LostWritesNoticed, Code::SomeIssuedTwice),
        ] {
            jobs::set_note(&db, id, &note.into()).expect("noted");
            let job = job(&db, &id, "me").expect("read").expect("a job");
            assert_eq!(job.note.map(|note| note.code()), Some(kept), "{note:?}");
        }
        jobs::set_poll_note(&db, id, Some(&Code::PollFailed.into())).expect("noted");
        let job = job(&db, &id, "me").expect("read").expect("a job");
        let shown: Vec<Code> = job.notes().map(Reason::code).collect();
        assert_eq!(shown, [Code::SomeIssuedTwice, Code::PollFailed]);
    }

    /// Otherwise one line would offer to send what the next one puts in doubt.
    #[test]
    fn a_stop_says_nothing_of_rows_that_lost_writes_put_in_doubt() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row]);
        db.execute("UPDATE job SET phase = 'running'", values![]).expect("begun");
        jobs::stop(&db, &id, &StopKind::Interrupted, &Code::Closed.into()).expect("stopped");
        jobs::set_note(&db, id, &Code::LostWritesNoticed.into()).expect("noted");
        let told = |status: &str| {
            db.execute("UPDATE row SET bucket = ?1, accepted = 0", values![status]).expect("changed");
            let job = job(&db, &id, "me").expect("read").expect("a job");
            let stop = job.stop.as_ref().map(|stop| stop.why.code());
            (stop, job.notes().map(Reason::code).collect::<Vec<_>>())
        };
        assert_eq!(told("in_doubt"), (Some(Code::LostWritesNoticed), Vec::new()));
        assert_eq!(told("ready"), (Some(Code::Closed), vec![Code::LostWritesNoticed]));
    }

    #[test]
    fn a_stop_that_kept_nothing_back_is_not_shown() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
        db.execute("UPDATE job SET phase = 'stopped', stop = 'journal'", values![]).expect("stopped");
        let read = |first: &str, second: &str| {
            for (no, status) in [(1_i64, first), (2, second)] {
                db.execute("UPDATE row SET bucket = ?1, accepted = 0 WHERE no = ?2", values![status, no])
                    .expect("changed");
            }
            let job = job(&db, &id, "me").expect("read").expect("a job");
            (job.stop.is_some(), job.state_name(), job.is_unfinished())
        };
        let stop = StopKind::Journal.name();
        assert_eq!(read("issued", "issued"), (false, "finished", false));
        assert_eq!(read("issued", "waiting"), (false, "checking", true));
        for kept in ["ready", "in_doubt", "not_done", "ask", "not_seen"] {
            assert_eq!(read("issued", kept), (true, stop, true), "{kept}");
        }
        assert_eq!(read("left_out", "invalid"), (true, stop, false), "nothing was sent");
        // Rows of an issue job need a claim for this one.
        db.execute("UPDATE job SET kind = 'revoke'", values![]).expect("changed");
        assert_eq!(read("revoked", "sending"), (true, stop, true), "its answer is not here yet");
        db.execute("UPDATE job SET kind = 'issue'", values![]).expect("changed");
        db.execute("UPDATE job SET phase = 'paused', stop = NULL", values![]).expect("paused");
        assert_eq!(read("issued", "ask"), (false, "finished", false));
        assert_eq!(read("issued", "not_done"), (false, "paused", true), "it may be sent again");
        db.execute("UPDATE job SET phase = 'moved', stop = 'journal'", values![]).expect("moved");
        assert_eq!(read("issued", "ready"), (false, "moved", false), "the other journal sends the rest");
    }

    #[test]
    fn a_row_that_is_left_may_have_been_sent_only_if_it_was_in_doubt() {
        let ways: [(&[&str], bool); 4] = [
            (&["left_out"], false),
            (&["not_done"], false),
            (&["in_doubt", "left_out"], true),
            // A person sent it again, and only the second request was refused.
            (&["not_seen", "ready", "not_done"], true),
        ];
        for (statuses, may_be) in ways {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            for status in statuses {
                db.execute("UPDATE row SET bucket = ?1", values![*status]).expect("changed");
            }
            for phase in ["running", "stopped"] {
                db.execute("UPDATE job SET phase = ?1", values![phase]).expect("changed");
                let job = job(&db, &id, "me").expect("read").expect("a job");
                assert_eq!(job.left_in_doubt, may_be, "{statuses:?} {phase}");
            }
        }
    }

    #[test]
    fn only_rows_that_were_certainly_not_sent_are_said_to_be_not_accepted() {
        let no_row = "Job {id} has nothing to undo: no row was accepted.";
        let perhaps = "Job {id} has nothing that lapel can undo, but {n} rows may have been accepted. Resolve them first.";
        let left = "Job {id} has nothing that lapel can undo, but a row of it may have been accepted. Look for its badge in the history.";
        let revoked = "Job {id} has nothing left to undo: its accepted badges are revoked or being revoked.";
        let ways: [(&[&str], &str); 6] = [
            (&["ask"], no_row),
            (&["not_done"], no_row),
            (&["in_doubt", "ask"], perhaps),
            (&["in_doubt", "left_out"], left),
            (&["not_seen", "ready", "not_done"], left),
            (&["issued", "revoked"], revoked),
        ];
        for (statuses, said) in ways {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            for status in statuses {
                db.execute("UPDATE row SET bucket = ?1", values![*status]).expect("changed");
            }
            let job = job(&db, &id, "me").expect("read").expect("a job");
            assert_eq!(job.nothing_to_undo().text(), said, "{statuses:?}");
        }
    }

    #[test]
    fn only_rows_that_were_cancelled_make_a_job_cancelled() {
        for (why, is_purged, state) in [
            (Some(Code::CancelledUnsent), false, Phase::Cancelled.name()),
            (Some(Code::LeftOutByHand), false, "finished"),
            (None, false, "finished"),
            (None, true, Phase::Cancelled.name()),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            db.execute("UPDATE job SET phase = 'cancelled', purged = ?1", values![is_purged]).expect("ended");
            db.execute("UPDATE row SET bucket = 'issued' WHERE no = 1", values![]).expect("changed");
            let left_out = "UPDATE row SET bucket = 'left_out', why = ?1 WHERE no = 2";
            db.execute(left_out, values![why.map(Reason::from)]).expect("changed");
            let job = job(&db, &id, "me").expect("read").expect("a job");
            assert_eq!(job.state_name(), state, "{why:?} {is_purged}");
        }
    }

    #[test]
    fn a_job_is_undone_only_if_no_row_that_was_left_may_have_been_sent() {
        let cancelled = Phase::Cancelled.name();
        for (statuses, state) in [
            (&["left_out"][..], "undone"),
            (&["in_doubt", "left_out"], cancelled),
            (&["in_doubt", "ask"], cancelled),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            db.execute("UPDATE job SET phase = 'cancelled'", values![]).expect("cancelled");
            for status in ["issued", "revoked"] {
                db.execute("UPDATE row SET bucket = ?1 WHERE no = 1", values![status]).expect("changed");
            }
            for status in statuses {
                db.execute("UPDATE row SET bucket = ?1 WHERE no = 2", values![*status]).expect("changed");
            }
            let job = job(&db, &id, "me").expect("read").expect("a job");
            assert_eq!(job.state_name(), state, "{statuses:?}");
        }
    }
}

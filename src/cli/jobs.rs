//! `lapel jobs`: lists the jobs in the journal and acts on them.

use super::sending::{SendReport, SendingOutcome, is_not_as_asked};
use super::session::{Asker, JobAccess, VerbSession, answer_json, may_act, profile};
use super::verbs::{AgainFlags, FileFlags, JobFlag, JobsFlags, JobsVerb, SendAgainFlags};
use super::{confirm, job_text, review};
use crate::cli::prelude::*;
use crate::config::templates_file;
use crate::domain::BadgeId;
use crate::domain::email::ended;
use crate::i18n;
use crate::jobs::receipt::{TableFormat, Written};
use crate::jobs::{Decision, JobError, JobPart, Jobs, forget_templates};
use std::collections::BTreeMap;
use std::str::FromStr;
use tokio_util::sync::CancellationToken;

pub async fn jobs(flags: JobsFlags, settings: &Settings, asker: &Asker) -> Result<u8, Failure> {
    let open = |access| VerbSession::open(settings, asker, access, |_| ());
    match flags.verb.unwrap_or(JobsVerb::List) {
        JobsVerb::List => list(&open(JobAccess::Look).await?).await,
        JobsVerb::Show { job: JobFlag { id }, rows } => show(&open(JobAccess::Look).await?, id, rows).await,
        JobsVerb::Receipt(to) => file(&open(JobAccess::Look).await?, &to, false).await,
        JobsVerb::Redo(to) => file(&open(JobAccess::Look).await?, &to, true).await,
        JobsVerb::Purge { older_than } => {
            let days = older_than.or(profile(settings)?.jobs.keep_days).ok_or_else(|| {
                Failure::usage(t!(
                    "give an age: --older-than DAYS (or set keep_days in config.toml). Nothing was removed."
                ))
            })?;
            let code = purge(&open(JobAccess::Look).await?, days).await?;
            let templates = templates_file(&settings.paths.data_dir, &profile(settings)?.name);
            if let Err(why) = forget_templates(&templates, Some(days)) {
                output::complain(&t!(
                    "The list of templates for completion was not removed: {why}",
                    why = io_error::words(&why)
                ));
            }
            Ok(code)
        }
        JobsVerb::Pause(JobFlag { id }) => {
            let session = open(JobAccess::Act).await?;
            let done = session.jobs.pause(id).await;
            answer_with_job(session, id, done).await
        }
        JobsVerb::Cancel(JobFlag { id }) => {
            let session = open(JobAccess::Act).await?;
            let done = session.jobs.cancel(id, &session.who).await.map(drop);
            answer_with_job(session, id, done).await
        }
        JobsVerb::Resume(SendAgainFlags { job: JobFlag { id }, how }) => {
            let work = async |jobs: &Jobs, who: &str| jobs.resume(id, who).await;
            send(open(JobAccess::Act).await?, id, (Job::left_to_resume, work), true, how).await
        }
        JobsVerb::Retry(SendAgainFlags { job: JobFlag { id }, how }) => {
            let work = async |jobs: &Jobs, who: &str| jobs.retry_refused(id, who).await.map(drop);
            send(open(JobAccess::Act).await?, id, (Job::left_to_retry, work), false, how).await
        }
        JobsVerb::Resend { job: JobFlag { id }, row, all_never_seen: _, number, why, how } => {
            if why.trim().is_empty() {
                return Err(Failure::usage(t!(
                    "--why needs a reason to risk a second badge. Nothing was sent."
                )));
            }
            may_act(profile(settings)?)?;
            if profile(settings)?.environment == Environment::Live {
                confirm::somebody_is_there_again(how.yes)?;
            }
            let Some(row) = row else {
                confirm::somebody_is_there(
                    number.is_some(),
                    t!(
                        "no terminal for the confirmation: use --number N, the number of rows, to send rows again. Nothing was sent."
                    ),
                )?;
                return resend_all(open(JobAccess::Act).await?, id, (number, &why), how).await;
            };
            let mut session = open(JobAccess::Act).await?;
            let no = place_of(&mut session, id, row).await?;
            let work = async |jobs: &Jobs, who: &str| jobs.resend(id, no, who, &why).await;
            send(session, id, (|_: &Job| 1, work), false, how).await
        }
        JobsVerb::Resolve { job: JobFlag { id }, row, is, leave: _, why } => {
            let decision = match is.map(|badge| badge.trim().to_owned()) {
                None => Decision::Skip,
                Some(badge) => Decision::IsThis(
                    BadgeId::new(badge)
                        .ok_or_else(|| Failure::usage(t!("--is needs a badge id. Nothing was changed.")))?,
                ),
            };
            if why.trim().is_empty() {
                return Err(Failure::usage(t!("--why must explain how you know this. Nothing was changed.")));
            }
            let mut session = open(JobAccess::Act).await?;
            let no = place_of(&mut session, id, row).await?;
            let done = session.jobs.resolve_row(id, no, decision, &session.who, &why).await;
            answer_with_job(session, id, done).await
        }
        JobsVerb::UseUp(SendAgainFlags { job: JobFlag { id }, how }) => {
            let work = async |jobs: &Jobs, who: &str| {
                jobs.use_up_quota(id, who).await?.await;
                Ok(())
            };
            send(open(JobAccess::Act).await?, id, (Job::left_to_resume, work), false, how).await
        }
        JobsVerb::Undo { job: JobFlag { id }, reason, yes, wait } => {
            // Before the undo, so that a missing confirmation or a read-only profile cancels no job.
            may_act(profile(settings)?)?;
            confirm::somebody_is_there(
                yes,
                t!("no terminal for the confirmation: use --yes to revoke issued badges. Nothing was sent."),
            )?;
            undo(open(JobAccess::Act).await?, id, &reason, (yes, wait)).await
        }
        JobsVerb::Follow { wait } => follow(open(JobAccess::Act).await?, wait).await,
    }
}

async fn list(session: &VerbSession) -> Result<u8, Failure> {
    let jobs = session.jobs.list().await?;
    let text = match &session.elsewhere {
        _ if !jobs.is_empty() => job_text::table(&jobs, &session.reader.clock()).join("\n"),
        Some(_) => t!("This journal has no jobs of this profile.").to_owned(),
        None => t!("This profile has no jobs.").to_owned(),
    };
    let mut fields = json::fields(json!({ "ok": true, "place": session.place() }));
    fields.extend(told_elsewhere(session));
    tell_loss(session).await;
    fields.insert("jobs".to_owned(), json::jobs(&jobs));
    session.answer(&text, &fields.into())?;
    Ok(exit::OK)
}

/// Says why jobs may be missing. Returns a field of the JSON, if there is a reason.
fn told_elsewhere(session: &VerbSession) -> Option<(String, Value)> {
    let why = session.elsewhere.as_ref()?.to_string();
    output::complain(&why);
    Some(("elsewhere".to_owned(), why.into()))
}

/// A job may be missing because the team's database lost writes.
async fn tell_loss(session: &VerbSession) {
    if let Ok(Some(loss)) = session.jobs.recent_loss().await {
        let clock = session.reader.clock();
        output::complain(&loss.with_times(&|at| clock.short(at)).to_string());
    }
}

async fn show(session: &VerbSession, id: JobId, rows: Option<RowStatus>) -> Result<u8, Failure> {
    let elsewhere = told_elsewhere(session);
    let job = match session.jobs.job(id).await {
        Ok(job) => job,
        Err(why) => {
            // A journal that cannot be read does not know of a loss either.
            if matches!(why, JobError::NotPossible(_)) {
                tell_loss(session).await;
            }
            return Err(why.into());
        }
    };
    let is_sending = job.is_sending();
    let is_listed = |part: &JobPart| match rows {
        Some(row_status) => part.status == row_status,
        // While a job is sending, its rows without an answer need nobody.
        None => is_not_as_asked(part) && (part.status != RowStatus::Sending || !is_sending),
    };
    let mail = session.jobs.mail_failures(Some(id)).await?.report;
    if session.json {
        let fields = json!({
            "ok": true,
            "place": session.place(),
            "job": json::job(&job),
            "mail": {
                "issued": mail.issued,
                "failed": mail.failed,
                "unsaid": mail.unsaid,
                "scattered": mail.scattered,
                "domains": mail.groups.iter().map(|g| json!({
                    "domain": g.domain.wire(),
                    "failed": g.failed,
                    "issued": g.issued,
                    "statuses": g.statuses.iter().map(|(w, n)| (w.wire().to_owned(), (*n).into()))
                        .collect::<Map<_, Value>>(),
                })).collect::<Vec<_>>(),
            },
        });
        let mut fields = json::fields(fields);
        fields.extend(elsewhere);
        session.answer_with_rows(fields, &[job], is_listed).await?;
        return Ok(exit::OK);
    }
    let mut lines = vec![job_text::head(&job)];
    if let Some(origin) = &job.origin {
        let sum: String = origin.sha256.chars().take(12).collect();
        lines.push(format!("  {}", t!("{origin}, SHA-256 {sum}…", origin = origin.words(), sum)));
    }
    let clock = session.reader.clock();
    lines.extend(job.begun_by_words().map(|words| format!("  {words}")));
    let has_time = job.halted_by.as_ref().is_some_and(|by| by.argument("when").is_some());
    let zone = if has_time { format!(" ({})", clock.zone_said()) } else { String::new() };
    lines.extend(job.is_halted().then(|| format!("  {}{zone}", job.halted_words(&clock))));
    lines.extend(job.owner.as_ref().map(|owner| format!("  {}", job_text::owner(owner))));
    lines.extend(job_text::row_statuses(&job));
    lines.extend(job_text::accepted(&job));
    lines.extend(job.stop.iter().map(|stop| format!("  {}", stop.why.in_zone_of(&clock))));
    lines.extend(job.notes().map(|note| format!("  {}", note.in_zone_of(&clock))));
    let moved = session.jobs.came_as(id).await?;
    if !moved.is_empty() {
        let jobs = i18n::list(moved.iter().map(ToString::to_string));
        lines.push(format!("  {}", t!("In another journal, job {jobs} had the number {id}.", jobs, id)));
    }
    let all = session.jobs.list().await?;
    lines.extend(all.iter().filter(|other| other.follows == Some(id)).map(|other| {
        let what = tr(other.kind.name());
        format!("  {}", t!("job {id} follows ({what})", id = other.id, what))
    }));
    if let Some(at) = job.next_poll {
        let at = job_text::time(at, &session.reader.clock());
        lines.push(format!("  {}", t!("next check: {at}", at)));
    }
    let heading = match rows {
        Some(row_status) => t!("Rows: {row_status}", row_status = tr(row_status.name())),
        None => t!("Rows that need attention:").to_owned(),
    };
    lines.extend(job_text::under(&heading, session.some_rows(&job, is_listed, None).await?));
    if !mail.is_empty() {
        lines.push(t!("Mail failures:").to_owned());
        lines.extend(mail.groups.iter().map(|group| format!("  {group}")));
        if mail.scattered > 0 {
            let more = t!("{scattered} more, at various other domains", scattered = mail.scattered);
            lines.push(format!("  {more}"));
        }
    }
    let steps = job_text::next_steps(&job, &session.again, session.profile.read_only);
    lines.extend(job_text::under(t!("Next:"), steps));
    output::answer(&lines.join("\n"))?;
    Ok(exit::OK)
}

async fn place_of(session: &mut VerbSession, id: JobId, number: u64) -> Result<u64, Failure> {
    let place = session.jobs.place_of(id, number).await;
    session.or_close(place).await
}

async fn answer_with_job(
    mut session: VerbSession,
    id: JobId,
    done: Result<(), JobError>,
) -> Result<u8, Failure> {
    let done = match done {
        Ok(()) => session.jobs.job(id).await,
        Err(why) => Err(why),
    };
    session.close().await;
    let job = done?;
    let lines = [vec![job_text::head(&job)], job_text::row_statuses(&job)].concat();
    let value = json!({ "ok": true, "place": session.place(), "job": json::job(&job) });
    session.answer(&lines.join("\n"), &value)?;
    Ok(exit::OK)
}

/// With LIVE, asks for confirmation first, unless there is nothing to send.
async fn send(
    mut session: VerbSession,
    id: JobId,
    (rows, work): (impl Fn(&Job) -> u64, impl AsyncFnOnce(&Jobs, &str) -> Result<(), JobError>),
    resumes: bool,
    how: AgainFlags,
) -> Result<u8, Failure> {
    let (jobs, who) = (session.jobs.clone(), session.who.clone());
    let in_doubt = |job: &Job| job.counts.of(RowStatus::InDoubt);
    let job = jobs.job(id).await;
    // `work` refuses an impossible action below and gives the reason.
    if let (Ok(job), false) = (&job, how.yes) {
        let confirmed = session.confirmed_again(job, rows(job), resumes).await;
        session.or_close(confirmed).await.map_err(|failure| session.interrupt.failed(failure))?;
    }
    session.interrupt.will_send();
    let before = job.as_ref().map_or(0, in_doubt);
    let done = tokio::select! {
        done = work(&jobs, &who) => done,
        // Requests that have begun are waited for below, as usual.
        () = session.interrupt.wanted() => Ok(()),
    };
    if let Err(why) = done {
        let unknown = t!(
            "lapel could not read the history to its end: it is not certain who already has this badge. Nothing was sent. Try again."
        );
        let mut failure = Failure::unchecked(why, unknown);
        // The check that came first may have left rows in doubt.
        if jobs.job(id).await.as_ref().map_or(0, in_doubt) > before {
            failure.code = exit::DOUBT;
        }
        session.close().await;
        return Err(failure);
    }
    let seen = session.see_through(&[id], how.wait).await;
    // The report says if the journal cannot be read.
    let held_back = match seen.known.get(&id) {
        Some(job) => session.held_back(job).await.unwrap_or(0),
        None => 0,
    };
    let least = if held_back > 0 { exit::PERSON } else { exit::OK };
    let report = SendReport { ids: &[id], seen: &seen, waited: how.wait, least, more: Map::new() };
    session.report(report).await
}

/// Sends all rows of a job again that were never seen. The user types their number.
async fn resend_all(
    mut session: VerbSession,
    id: JobId,
    (number, why): (Option<u64>, &str),
    how: AgainFlags,
) -> Result<u8, Failure> {
    let reviewed = review_all(&mut session, id, number, how).await;
    let rows = session.or_close(reviewed).await.map_err(|failure| session.interrupt.failed(failure))?;
    let n = rows.len() as u64;
    let work = async |jobs: &Jobs, who: &str| jobs.resend_never_seen(id, rows.clone(), who, why).await;
    // The user has already confirmed the number and, with LIVE, the short name.
    send(session, id, (|_: &Job| n, work), false, AgainFlags { yes: true, ..how }).await
}

async fn review_all(
    session: &mut VerbSession,
    id: JobId,
    number: Option<u64>,
    how: AgainFlags,
) -> Result<Vec<u64>, Failure> {
    let job = session.jobs.job(id).await?;
    session.progress.at(t!("checking the results"), 0, 0);
    let jobs = session.jobs.clone();
    let found = tokio::select! {
        found = jobs.never_seen(id, None) => found?,
        () = session.interrupt.wanted() => return Err(Failure::given_up()),
    };
    session.progress.clear();
    let rows = found.ready.len() as u64;
    if rows == 0 {
        return Err(Failure::new(
            "not_possible",
            t!("Job {id} has no never seen rows that can be sent again together. Nothing was sent.", id),
        ));
    }
    if number.is_some_and(|number| number != rows) {
        return Err(Failure::new(
            "not_confirmed",
            t!(
                "{rows} rows of job {id} can be sent again, not {number}. Nothing was sent.",
                rows = i18n::number(rows),
                id,
                number = i18n::number(number.unwrap_or(0))
            ),
        ));
    }
    if number.is_none() || session.is_live() && !how.yes {
        let mut review = vec![job_text::head(&job)];
        let said = t!(
            "{rows} rows were never seen, and the time for them to appear is over. lapel sends them again. If the first request did work, there will be two badges.",
            rows = i18n::number(rows)
        );
        review.push(format!("  {said}"));
        if found.held > 0 {
            let more = t!("{n} more are not included; resolve each one.", n = i18n::number(found.held));
            review.push(format!("  {more}"));
        }
        review.extend(session.some_rows(&job, |part| part.status == RowStatus::NeverSeen, None).await?);
        session.confirmed_group(&review.join("\n"), id, rows).await?;
    }
    Ok(found.ready)
}

async fn undo(
    mut session: VerbSession,
    id: JobId,
    reason: &str,
    (yes, wait): (bool, bool),
) -> Result<u8, Failure> {
    let cancels = session.jobs.job(id).await.is_ok_and(|job| job.can_cancel_rest());
    let drafted = session.jobs.undo(id, reason, &session.who).await;
    let undo = session.or_close(drafted).await?;
    let seen = match review::begin_revoking(&mut session, undo, yes, wait).await {
        Ok(seen) => seen,
        Err(failure) => {
            let _ = session.jobs.discard(undo).await;
            session.close().await;
            if !cancels {
                return Err(failure);
            }
            let message = t!(
                "{why} The unsent rest of job {id} stays cancelled.",
                why = ended(failure.message.trim_end()),
                id
            );
            return Err(Failure { message, ..failure });
        }
    };
    let more = json::fields(json!({ "undoes": id.0 }));
    session.report(SendReport { ids: &[undo], seen: &seen, waited: wait, least: exit::OK, more }).await
}

async fn follow(mut session: VerbSession, wait: bool) -> Result<u8, Failure> {
    let before = session.jobs.list().await?;
    let mut mine: BTreeMap<JobId, Job> = before
        .iter()
        .filter(|job| job.is_open() && job.owner.as_ref().is_some_and(|o| o.is_me))
        .map(|job| (job.id, job.clone()))
        .collect();
    let theirs: Vec<&Job> =
        before.iter().filter(|job| job.is_open() && job.owner.as_ref().is_some_and(|o| !o.is_me)).collect();
    for job in &theirs {
        let owner = job.owner.as_ref().map_or_else(String::new, |o| o.label.to_string());
        output::complain(&t!("another running lapel ({owner}) checks job {id}.", id = job.id, owner));
    }
    let mut seen = SendingOutcome::default();
    let mut code = exit::OK;
    if !mine.is_empty() {
        // A badge that is now Issued may release a waiting revocation.
        session.interrupt.will_send();
        session.progress.at(t!("checking the results"), 0, 0);
        let jobs = session.jobs.clone();
        tokio::select! {
            polled = jobs.poll_now(None) => {
                seen.failed = polled.why_partial();
                code = match polled.failed {
                    Some(why) => Failure::unchecked(why, "").code,
                    None if seen.failed.is_some() => exit::PERSON,
                    None => code,
                };
            }
            () = session.interrupt.wanted() => seen.interrupted = true,
        }
        let sent = session.until_sent(&mut mine, &[]).await;
        seen.note(sent);
        if wait && seen.may_go_on() {
            seen.note(session.until_settled(&mut mine).await);
        }
    }
    let ids: Vec<JobId> = mine.keys().copied().collect();
    session.close().await;
    let mut changed = Vec::new();
    code = code.max(seen.tell_unwritten());
    if !seen.may_go_on() {
        code = code.max(exit::STOPPED);
    }
    let mut after = match session.jobs.list().await {
        Ok(after) => after,
        Err(why) => return Err(Failure::from(why).at_least(code).with_result(&ids)),
    };
    after.sort_by_key(|job| job.id);
    for job in after {
        let is_mine = ids.contains(&job.id);
        let is_theirs = theirs.iter().any(|their| their.id == job.id);
        // A check of one job may change another: an undo is of the rows of two.
        let was = before.iter().find(|before| before.id == job.id);
        let is_changed = !is_theirs && was.map_or(is_mine, |was| was.counts != job.counts);
        if is_mine || is_theirs || is_changed {
            code = code.max(job_text::code_of_status(&job, wait));
        }
        if is_changed {
            changed.push(job);
        }
    }
    if let Some(why) = &seen.failed {
        output::complain(&t!("the check is incomplete: {why}", why));
    }
    if session.json {
        answer_json(&json!({
            "ok": code == exit::OK,
            "exit_code": code,
            "interrupted": seen.interrupted,
            "look_failed": seen.failed.as_ref().map(ToString::to_string),
            "place": session.place(),
            "followed": ids.iter().map(|id| id.0).collect::<Vec<_>>(),
            "elsewhere": theirs.iter().map(|job| job.id.0).collect::<Vec<_>>(),
            "changed": json::jobs(&changed),
        }))
        .map_err(|failure| failure.at_least(code))?;
        return Ok(code);
    }
    let is_partial = seen.failed.is_some() || seen.interrupted;
    let lines = followed_words(ids.len(), theirs.len(), &changed, is_partial);
    output::answer(&lines.join("\n")).map_err(|why| Failure::from(why).at_least(code))?;
    Ok(code)
}

/// The jobs that changed, and a sentence about all that were checked: by this lapel, and by others.
fn followed_words(mine: usize, theirs: usize, changed: &[Job], is_partial: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for job in changed {
        lines.push(job_text::head(job));
        lines.extend(job_text::row_statuses(job));
    }
    let jobs = |n: usize| plural!(n as u64, "{n} open job", "{n} open jobs");
    lines.push(match (mine, changed.len()) {
        (0, _) if theirs > 0 => t!("{jobs} checked by another lapel.", jobs = jobs(theirs)),
        (0, _) => t!("No open jobs.").to_owned(),
        (all, 0) if is_partial => {
            t!("Nothing new was found, but the check is incomplete ({jobs}).", jobs = jobs(all))
        }
        (all, 0) => t!("Nothing has changed ({jobs} checked).", jobs = jobs(all)),
        (all, some) => t!("{some} of {jobs} changed.", some = number(some as u64), jobs = jobs(all)),
    });
    lines
}

async fn purge(session: &VerbSession, days: u32) -> Result<u8, Failure> {
    let purged = session.jobs.purge(days).await?;
    let ids: Vec<i64> = purged.iter().map(|id| id.0).collect();
    let text = t!(
        "Removed names and e-mail addresses of {jobs} older than {days}. Numbers and badge ids remain.",
        jobs = plural!(purged.len() as u64, "{n} finished job", "{n} finished jobs"),
        days = count!(u64::from(days), "day", "days")
    );
    session.answer(&text, &json!({ "ok": true, "older_than_days": days, "purged": ids }))?;
    Ok(exit::OK)
}

async fn file(session: &VerbSession, to: &FileFlags, is_redo: bool) -> Result<u8, Failure> {
    if to.to.as_os_str() == "-" {
        return Err(Failure::usage(t!(
            "--to needs a file name, such as receipt.xlsx; it cannot be -. Nothing was saved."
        )));
    }
    let format = match &to.format {
        Some(name) => TableFormat::from_str(name).ok(),
        None => TableFormat::from_path(&to.to),
    };
    let format = format.ok_or_else(|| {
        Failure::usage(t!(
            "--to FILE does not end in .xlsx or .csv. Add --format xlsx, csv or csv-cp949. Nothing was saved."
        ))
    })?;
    let (jobs, id, path, never) = (&session.jobs, to.job.id, to.to.clone(), CancellationToken::new());
    // Read before, so that no error comes after the file was written.
    let refused = if is_redo { jobs.job(id).await?.refusals.unproven_ready } else { 0 };
    let written = if is_redo {
        jobs.redo(id, None, path, format, to.force, never).await?
    } else {
        jobs.receipt(id, None, path, format, to.force, never).await?
    };
    let warning = if refused > 0 {
        Some(plural!(
            refused,
            "{n} row was refused (HTTP 422), and may still have been accepted. lapel jobs follow checks it. Another journal does not know this.",
            "{n} rows were refused (HTTP 422), and some may still have been accepted. lapel jobs follow checks them. Another journal does not know this."
        ))
    } else {
        (is_redo && written.rows == 0)
            .then(|| t!("Job {id} has no rows to do again: the file has only its heading.", id))
    };
    if let Some(warning) = &warning {
        output::complain(warning);
    }
    said_of_file(session, &written, warning)
}

/// `warning` is on standard error already.
fn said_of_file(session: &VerbSession, written: &Written, warning: Option<String>) -> Result<u8, Failure> {
    let path = written.path.to_string_lossy();
    if session.json {
        let row_statuses: Map<String, Value> =
            written.row_statuses.iter().map(|(word, n)| (word.clone(), (*n).into())).collect();
        answer_json(&json!({
            "ok": true,
            "path": path,
            "rows": written.rows,
            "buckets": row_statuses,
            "exact": written.is_exact(),
            "remarks": written.remarks().into_iter().chain(warning).collect::<Vec<_>>(),
        }))?;
        return Ok(exit::OK);
    }
    for remark in written.remarks() {
        output::complain(&remark);
    }
    output::answer(&format!("{}  {}", scrub(&path), count!(written.rows, "row", "rows")))?;
    Ok(exit::OK)
}

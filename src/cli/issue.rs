//! `lapel issue`: issues badges to one recipient or to a file of recipients.

use super::review::Drafted;
use super::sending::{SendReport, SendingOutcome};
use super::session::{Asker, VerbSession, may_act, profile};
use super::verbs::{IssueFlags, MappedField};
use super::{confirm, source, template};
use crate::cli::prelude::*;
use crate::domain::{Text, validity};
use crate::jobs::intake::{About, ImportSource, InputFormat};
use crate::jobs::{CheckProgress, DuplicateKind, FileRequest, JobError, Kind, Policy, Reading};

pub async fn issue(flags: IssueFlags, settings: &Settings, asker: &Asker) -> Result<u8, Failure> {
    may_act(profile(settings)?)?;
    if flags.template.is_some() && flags.map.iter().any(|(field, _)| *field == MappedField::Template) {
        return Err(Failure::usage(t!(
            "--template and --map template=COL exclude each other: one template for all rows, or the one of each row. Nothing was sent."
        )));
    }
    let yes = flags.sending.yes || flags.sending.dry_run;
    let is_input = flags.recipients.as_deref() == Some(Path::new("-"));
    if is_input && !yes {
        return Err(Failure::usage(t!(
            "lapel reads recipients from standard input, so it cannot ask you there. Use --yes, or --dry-run for a preview. Nothing was sent."
        )));
    }
    confirm::somebody_is_there(
        yes,
        t!(
            "no terminal for the confirmation: use --yes to issue badges. Nothing was sent. --dry-run shows a preview."
        ),
    )?;
    let source = match &flags.recipients {
        Some(file) => source::of_file(file).await?,
        None => source::of_people(&flags.to)?,
    };
    let on_duplicate = match flags.on_duplicate.as_deref() {
        Some("allow") => Some(Policy::Allow),
        Some(_) => Some(Policy::Block),
        None => None,
    };
    let mut session = VerbSession::open(settings, asker, flags.sending.access(), |how| {
        if let Some(policy) = on_duplicate {
            how.policies.on_duplicate(policy);
        }
    })
    .await?;
    let index = &session.profile.index;
    let indexed = super::index::domains(&settings.paths.data_dir, &session.index_account, index).await;
    let done = Box::pin(plan(&mut session, &flags, source, indexed)).await;
    session.or_close(done).await.map_err(|failure| session.interrupt.failed(failure))
}

async fn plan(
    session: &mut VerbSession,
    flags: &IssueFlags,
    source: ImportSource,
    indexed: Vec<(String, u64)>,
) -> Result<u8, Failure> {
    let template = match &flags.template {
        Some(text) => {
            let call = Call::interactive().cancelled_by(session.interrupt.token());
            let found = template::find(&session.reader, text, &call).await;
            Some(found.map_err(Failure::nothing_sent)?)
        }
        None => None,
    };
    let mut choices = source::choices(&flags.reading);
    let opened = session.open_source(&source, &mut choices, &flags.map).await?;
    if template.is_none() && opened.about.map.map().is_none_or(|map| map.template.is_none()) {
        return Err(Failure::usage(t!(
            "{name} has no template column. Use --template ID|TITLE, or --map template=COL. Nothing was sent.",
            name = opened.about.name
        )));
    }
    let request = FileRequest {
        template: template
            .as_ref()
            .map(|t| (t.detail.template_id.clone(), t.detail.title.clone().unwrap_or_default())),
        source,
        choices,
    };
    let (told, progress) = watch::channel(Reading::default());
    let work = session.jobs.clone();
    let work = work.draft_file(request, indexed, told, session.interrupt.token());
    let read = |r: &Reading| (t!("checking rows").to_owned(), r.rows, r.rows_all);
    let ids = session.progress.during(progress, read, work).await?;
    let mut drafts = Vec::new();
    for id in &ids {
        let job = session.of_draft(*id, session.jobs.job(*id).await).await?;
        drafts.push(Drafted { job, checked: None });
    }
    let rows = drafts.iter().map(|d| d.job.counts.total()).sum();
    session.progress.at(t!("checking rows"), rows, rows);
    let warnings = template
        .as_ref()
        .map_or_else(Vec::new, |t| validity::warnings(&t.detail, session.reader.clock().now()));
    let facts = FileSummary { about: opened.about, template: template.map(|t| t.json()), warnings };
    let mut done = reviewed(session, flags, &mut drafts, &facts).await;
    for id in ids {
        done = session.of_draft(id, done).await;
    }
    match &done {
        // A draft without rows to send does not become a job.
        Ok(_) => {
            let idle: Vec<Drafted> = drafts.iter().filter(|d| d.to_send() == 0).cloned().collect();
            session.discard(&idle).await;
        }
        Err(_) => session.discard(&drafts).await,
    }
    done
}

struct FileSummary {
    about: About,
    /// The template of the flag, and whether the flag has its id or its title.
    template: Option<Value>,
    warnings: Vec<String>,
}

impl FileSummary {
    fn lines(&self) -> Vec<String> {
        let about = &self.about;
        let sum: String = about.sha256.chars().take(12).collect();
        let mut parts = vec![about.format.to_string()];
        parts.extend(about.encoding.iter().map(|e| e.encoding.label().to_owned()));
        parts.extend(about.delimiter.iter().map(ToString::to_string));
        let mut lines = Vec::new();
        // The recipient of --to comes from no file.
        if about.format != InputFormat::Pasted {
            lines.push(t!(
                "From {name} ({parts}), SHA-256 {sum}…",
                name = about.name,
                parts = list(parts),
                sum
            ));
        }
        lines.extend(about.notes.iter().map(|note| format!("  {note}")));
        lines.extend(self.warnings.iter().map(|warning| format!("  {warning}")));
        lines
    }
}

async fn reviewed(
    session: &mut VerbSession,
    flags: &IssueFlags,
    drafts: &mut [Drafted],
    facts: &FileSummary,
) -> Result<u8, Failure> {
    for draft in drafts.iter_mut() {
        let (told, progress) = watch::channel(CheckProgress::default());
        let work = session.jobs.clone();
        let (id, token) = (draft.job.id, session.interrupt.token());
        let work = async move { work.check_duplicates(id, &told, token).await };
        let read = |g: &CheckProgress| {
            let what = if g.of_history {
                t!("reading the history for duplicates")
            } else {
                t!("checking for duplicates")
            };
            (what.to_owned(), g.rows, g.rows_all)
        };
        let checked = session.progress.during(progress, read, work).await;
        draft.checked = Some(checked.map_err(|why| Failure::unchecked(why, &incomplete().message))?);
        draft.job = session.jobs.job(draft.job.id).await?;
    }
    if session.interrupt.is_wanted() {
        return Err(Failure::given_up());
    }
    let mut held_back = 0;
    for draft in drafts.iter() {
        held_back += session.held_back(&draft.job).await?;
    }
    let to_send: u64 = drafts.iter().map(Drafted::to_send).sum();
    let sending = flags.sending;
    let allow = session.jobs.settings().policies.allows_duplicates();
    let held = if held_back > 0 || to_send == 0 { exit::PERSON } else { exit::OK };
    let is_unknown = !allow && drafts.iter().any(|d| !d.is_complete());
    if sending.dry_run {
        session.progress.clear();
        // The verdict is that of a real run, which would send nothing after an incomplete duplicate check.
        let code = if is_unknown { exit::PERSON } else { held };
        if is_unknown {
            output::complain(t!(
                "lapel could not read the whole history, so some recipients may already hold the badge. For now, --yes would send nothing. Try again, or use --on-duplicate allow."
            ));
        }
        let more = json!({
            "place": session.place(),
            "source": source::described(&facts.about),
            "template": facts.template,
            "warnings": facts.warnings,
        });
        session.preview(&facts.lines(), drafts, (code, held_back), more).await?;
        session.discard(drafts).await;
        session.close().await;
        return Ok(code);
    }
    if is_unknown {
        return Err(incomplete());
    }
    if sending.yes {
        let clock = session.reader.clock();
        for warning in drafts.iter().filter_map(|d| d.checked.as_ref()).flat_map(|d| d.warnings(&clock)) {
            output::complain(&warning.to_string());
        }
    }
    if to_send > 0 && !sending.yes {
        let review = session.review(&facts.lines(), drafts).await?;
        session.confirmed(&review, Kind::Issue, to_send).await?;
    }
    let (begun, refused) = begin(session, drafts).await?;
    let mut seen = SendingOutcome::default();
    if begun.is_empty() {
        session.close().await;
    } else {
        seen = session.see_through(&begun, sending.wait).await;
    }
    let all: Vec<JobId> = drafts.iter().map(|d| d.job.id).collect();
    let more = json::fields(json!({
        "source": source::described(&facts.about),
        "held_back": held_back,
        "template": facts.template,
        "warnings": facts.warnings,
        "not_begun": refused.iter().map(|failure| &failure.message).collect::<Vec<_>>(),
    }));
    for failure in &refused {
        output::complain(&failure.message);
    }
    let least = refused.iter().map(|failure| failure.code).fold(held, u8::max);
    let report = SendReport { ids: &all, seen: &seen, waited: sending.wait, least, more };
    let code = session.report(report).await?;
    if to_send == 0 {
        output::complain(t!("There was nothing to send."));
        let has_loss = drafts.iter().filter_map(|d| d.checked.as_ref()).any(|checked| checked.loss.is_some());
        if has_loss && !session.jobs.settings().policies.allows(DuplicateKind::LostWrites) {
            output::complain(t!("After you have asked your colleagues, send with --on-duplicate allow."));
        }
    }
    Ok(code)
}

fn incomplete() -> Failure {
    let why = t!(
        "lapel could not read the whole history, so some recipients may already hold the badge. Nothing was sent. Try again, or use --on-duplicate allow."
    );
    Failure::not_read(why)
}

/// If the first draft fails, so does the call. Later failures are returned for the report at the end.
async fn begin(session: &VerbSession, drafts: &[Drafted]) -> Result<(Vec<JobId>, Vec<Failure>), Failure> {
    session.interrupt.will_send();
    let (mut begun, mut refused) = (Vec::new(), Vec::new());
    for draft in drafts.iter().filter(|d| d.to_send() > 0) {
        match session.jobs.begin(draft.job.id, &session.who).await {
            Ok(()) => begun.push(draft.job.id),
            Err(why) => {
                // Beginning reads the history again, if the check before the confirmation is old.
                if begun.is_empty() {
                    return Err(Failure::unchecked(why, &incomplete().message));
                }
                refused.push(not_begun(&draft.job.title, why));
            }
        }
    }
    Ok((begun, refused))
}

/// Of a job after others that began.
fn not_begun(title: &Text, why: JobError) -> Failure {
    let text = t!(
        "lapel could not read the whole history, so it did not begin this job. Issue its rows later, from a file that has only them."
    );
    let failure = Failure::unchecked(why, text);
    Failure { message: format!("{title}: {}", failure.message), ..failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_job_that_cannot_begin_is_named_and_says_nothing_of_the_earlier_ones() {
        let why = || localizable!("no response in time");
        let unread = || JobError::Service(ApiError::NotReached { why: why() });
        let first = Failure::unchecked(unread(), &incomplete().message);
        let later = not_begun(&"Data".into(), unread());
        assert_eq!((first.code, later.code), (exit::PERSON, exit::PERSON));
        assert!(first.message.contains(t!("Nothing was sent.")), "{}", first.message);
        assert!(!later.message.contains(t!("Nothing was sent.")), "{}", later.message);
        let text = t!(
            "lapel could not read the whole history, so it did not begin this job. Issue its rows later, from a file that has only them."
        );
        assert!(later.message.starts_with("Data: ") && later.message.ends_with(text), "{}", later.message);
        // The message names another cause instead.
        let changed = not_begun(&"Data".into(), JobError::NeedsReview(why()));
        assert_eq!((changed.code, changed.message), (exit::PERSON, format!("Data: {}", why())));
    }
}

//! `lapel issue`: issues badges to one recipient or to a file of recipients.

use super::confirm;
use super::failure::Failure;
use super::review::{Drafted, NOT_SENT, told};
use super::sending::{Report, Seen};
use super::session::{Asker, Office, Wish, may_act, profile};
use super::source;
use super::verbs::IssueFlags;
use super::{exit, output};
use crate::api::Call;
use crate::config::Settings;
use crate::domain::{TemplateDetail, TemplateId, validity};
use crate::jobs::intake::{About, Source};
use crate::jobs::{FileRequest, Guarded, Guarding, JobId, Kind, Policy, Reading};
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::watch;

pub async fn issue(flags: IssueFlags, settings: &Settings, asker: &Asker) -> u8 {
    let as_json = flags.sending.json;
    match run(flags, settings, asker).await {
        Ok(code) => code,
        Err(failure) => failure.told(as_json),
    }
}

async fn run(flags: IssueFlags, settings: &Settings, asker: &Asker) -> Result<u8, Failure> {
    may_act(profile(settings)?)?;
    let yes = flags.sending.yes || flags.sending.dry_run;
    let is_input = flags.recipients.as_deref() == Some(Path::new("-"));
    if is_input && !yes {
        return Err(Failure::usage(t!(
            "lapel reads recipients from standard input, so it cannot ask you there. Use --yes, or --dry-run for a preview. Nothing was sent."
        )));
    }
    confirm::somebody_is_there(yes, t!("issue badges"), t!(" --dry-run shows a preview."))?;
    let source = match &flags.recipients {
        Some(file) => source::of_file(file).await?,
        None => source::of_people(&flags.to)?,
    };
    let on_duplicate = match flags.on_duplicate.as_deref() {
        Some("allow") => Some(Policy::Allow),
        Some(_) => Some(Policy::Block),
        None => None,
    };
    let mut office =
        Office::open(settings, asker, if flags.sending.dry_run { Wish::Plan } else { Wish::Act }, |how| {
            if let Some(policy) = on_duplicate {
                how.policies.on_duplicate(policy);
            }
        })
        .await?;
    let done = plan(&mut office, &flags, source).await;
    if done.is_err() {
        office.close().await;
    }
    done
}

/// Reads the source, reviews the drafts and begins the jobs.
async fn plan(office: &mut Office, flags: &IssueFlags, source: Source) -> Result<u8, Failure> {
    let template = match &flags.template {
        Some(id) => Some(template(office, id).await?),
        None => None,
    };
    let mut choices = source::choices(&flags.reading);
    let opened = office.open_source(&source, &mut choices, &flags.map).await?;
    if template.is_none() && opened.about.map.map().is_none_or(|map| map.template.is_none()) {
        return Err(Failure::usage(t!(
            "{name} has no template column. Use --template ID, or --map template=COL. Nothing was sent.",
            name = opened.about.name
        )));
    }
    let request = FileRequest {
        template: template.as_ref().map(|t| (t.template_id.clone(), t.title.clone().unwrap_or_default())),
        source,
        choices,
    };
    let (told, progress) = watch::channel(Reading::default());
    let work = office.jobs.clone();
    let work = work.draft_file(request, told, office.interrupt.token());
    let read = |r: &Reading| (t!("checking rows").to_owned(), r.bytes_done, r.bytes_all);
    let ids = office.progress.during(progress, read, work).await?;
    let mut drafts = Vec::new();
    for id in &ids {
        drafts.push(Drafted { job: office.jobs.job(*id).await?, guarded: None });
    }
    let facts = Facts { about: opened.about, warnings: warnings(office, template.as_ref()) };
    let done = reviewed(office, flags, &mut drafts, &facts).await;
    match &done {
        // A draft without rows to send does not become a job.
        Ok(_) => {
            let idle: Vec<Drafted> = drafts.iter().filter(|d| d.to_send() == 0).cloned().collect();
            office.discard(&idle).await;
        }
        Err(_) => office.discard(&drafts).await,
    }
    done
}

/// Information besides the drafts.
struct Facts {
    about: About,
    warnings: Vec<String>,
}

impl Facts {
    fn lines(&self) -> Vec<String> {
        let about = &self.about;
        let sum: String = about.sha256.chars().take(12).collect();
        let mut parts = vec![about.format.label().to_owned()];
        parts.extend(about.encoding.iter().map(|e| e.encoding.label().to_owned()));
        parts.extend(about.delimiter.iter().map(|d| d.label().to_owned()));
        let mut lines = vec![t!(
            "From {name} ({parts}), SHA-256 {sum}…",
            name = about.name,
            parts = parts.join(", "),
            sum
        )];
        lines.extend(about.notes.iter().map(|note| format!("  {note}")));
        lines.extend(self.warnings.iter().map(|warning| format!("  {warning}")));
        lines
    }

    fn json(&self, office: &Office) -> Value {
        json!({
            "place": office.place(),
            "source": source::described(&self.about),
            "warnings": self.warnings,
        })
    }
}

async fn template(office: &Office, id: &str) -> Result<TemplateDetail, Failure> {
    let id = TemplateId::new(id.trim())
        .ok_or_else(|| Failure::usage(t!("--template needs a template id. Nothing was sent.")))?;
    let call = Call::interactive().cancelled_by(office.interrupt.token());
    Ok(office.reader.template(&id, &call).await?)
}

fn warnings(office: &Office, template: Option<&TemplateDetail>) -> Vec<String> {
    template.map_or_else(Vec::new, |t| validity::warnings(t, office.reader.clock().now()))
}

async fn reviewed(
    office: &mut Office,
    flags: &IssueFlags,
    drafts: &mut [Drafted],
    facts: &Facts,
) -> Result<u8, Failure> {
    for draft in drafts.iter_mut() {
        let (told, progress) = watch::channel(Guarding::default());
        let work = office.jobs.clone();
        let (id, token) = (draft.job.id, office.interrupt.token());
        let work = async move { work.guard(id, &told, token).await };
        let read = |g: &Guarding| (t!("checking for duplicates").to_owned(), g.done, g.all);
        draft.guarded = Some(office.progress.during(progress, read, work).await?);
        draft.job = office.jobs.job(draft.job.id).await?;
    }
    if office.interrupt.is_wanted() {
        return Err(Failure::given_up());
    }
    let mut held_back = 0;
    for draft in drafts.iter() {
        held_back += office.held_back(&draft.job).await?;
    }
    let to_send: u64 = drafts.iter().map(Drafted::to_send).sum();
    let sending = flags.sending;
    let allow = office.jobs.settings().policies.allows_duplicates();
    let is_unknown = !allow && drafts.iter().any(|d| !d.is_complete());
    if sending.dry_run {
        let code = dry(office, drafts, facts, held_back, is_unknown, sending.json).await?;
        office.discard(drafts).await;
        office.close().await;
        return Ok(code);
    }
    if is_unknown {
        let failure = Failure::new(
            "guard_incomplete",
            t!(
                "lapel could not read the whole history, so some recipients may already hold the badge. Nothing was sent. Try again, or use --on-duplicate allow."
            ),
        );
        return Err(Failure { code: exit::PERSON, ..failure });
    }
    if sending.yes {
        for warning in drafts.iter().filter_map(|d| d.guarded.as_ref()).flat_map(Guarded::warnings) {
            output::complain(&warning);
        }
    }
    if to_send > 0 && !sending.yes {
        let review = office.review(&facts.lines(), drafts).await?;
        office.confirmed(&review, Kind::Issue, to_send).await?;
    }
    let (begun, refused) = begin(office, drafts).await?;
    let mut seen = Seen::default();
    if begun.is_empty() {
        office.close().await;
    } else {
        seen = office.see_through(&begun, sending.wait).await?;
    }
    let all: Vec<JobId> = drafts.iter().map(|d| d.job.id).collect();
    let mut more = office.more(json!({ "source": source::described(&facts.about), "held_back": held_back }));
    more.insert("warnings".to_owned(), facts.warnings.clone().into());
    more.insert("not_begun".to_owned(), refused.clone().into());
    for why in &refused {
        output::complain(why);
    }
    let report = Report { ids: &all, seen: &seen, waited: sending.wait, held_back, more };
    let code = office.report(report, sending.json).await?;
    if to_send == 0 {
        output::complain(t!("There was nothing to send."));
        return Ok(code.max(exit::PERSON));
    }
    Ok(if refused.is_empty() { code } else { code.max(exit::FAILED) })
}

/// Shows what a real run would send. Reaches the same verdict: when the duplicate check is incomplete,
/// nothing would be sent.
async fn dry(
    office: &mut Office,
    drafts: &[Drafted],
    facts: &Facts,
    held_back: u64,
    is_unknown: bool,
    as_json: bool,
) -> Result<u8, Failure> {
    office.progress.clear();
    let nothing = drafts.iter().all(|draft| draft.to_send() == 0);
    let code = if held_back > 0 || is_unknown || nothing { exit::PERSON } else { exit::OK };
    if is_unknown {
        output::complain(t!(
            "lapel could not read the whole history, so some recipients may already hold the badge. For now, --yes would send nothing. Try again, or use --on-duplicate allow."
        ));
    }
    if as_json {
        let fields = told(drafts, office.jobs.settings().batch, code, held_back, facts.json(office));
        let jobs: Vec<_> = drafts.iter().map(|d| d.job.clone()).collect();
        office.answer_with_rows(fields, &jobs, &NOT_SENT).await?;
    } else {
        let review = office.review(&facts.lines(), drafts).await?;
        output::answer(&format!("{review}\n{}", t!("Nothing was sent (--dry-run).")))?;
    }
    Ok(code)
}

/// Begins every draft that has rows to send. If the first one fails, so does the call; later failures are
/// returned for the report at the end.
async fn begin(office: &Office, drafts: &[Drafted]) -> Result<(Vec<JobId>, Vec<String>), Failure> {
    let (mut begun, mut refused) = (Vec::new(), Vec::new());
    for draft in drafts.iter().filter(|d| d.to_send() > 0) {
        match office.jobs.begin(draft.job.id, &office.who).await {
            Ok(()) => begun.push(draft.job.id),
            Err(why) if begun.is_empty() => return Err(why.into()),
            Err(why) => refused.push(format!("{}: {why}", draft.job.title)),
        }
    }
    Ok((begun, refused))
}

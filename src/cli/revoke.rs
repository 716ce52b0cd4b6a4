//! `lapel revoke`: revokes badges by their ids.

use super::confirm;
use super::exit;
use super::failure::Failure;
use super::output;
use super::review::{Drafted, NOT_SENT, begin_revoking, told};
use super::sending::{Report, Seen};
use super::session::{Asker, Office, Wish, may_act, profile};
use super::source;
use super::verbs::RevokeFlags;
use crate::config::Settings;
use crate::domain::text::scrub;
use crate::jobs::intake::Source;
use crate::jobs::{IdsRequest, Reading};
use serde_json::json;
use std::path::Path;
use tokio::sync::watch;

pub async fn revoke(flags: RevokeFlags, settings: &Settings, asker: &Asker) -> u8 {
    let as_json = flags.sending.json;
    match run(flags, settings, asker).await {
        Ok(code) => code,
        Err(failure) => failure.told(as_json),
    }
}

async fn run(flags: RevokeFlags, settings: &Settings, asker: &Asker) -> Result<u8, Failure> {
    may_act(profile(settings)?)?;
    if flags.reason.trim().is_empty() {
        return Err(Failure::usage(t!("--reason needs a text: the service requires it. Nothing was sent.")));
    }
    let yes = flags.sending.yes || flags.sending.dry_run;
    if flags.ids.as_deref() == Some(Path::new("-")) && !yes {
        return Err(Failure::usage(t!(
            "lapel reads badge ids from standard input, so it cannot ask you there. Use --yes, or --dry-run for a preview. Nothing was sent."
        )));
    }
    confirm::somebody_is_there(yes, t!("revoke badges"), t!(" --dry-run shows a preview."))?;
    let source = match &flags.ids {
        Some(file) => source::of_file(file).await?,
        None => of_ids(&flags.badge_ids)?,
    };
    let mut office =
        Office::open(settings, asker, if flags.sending.dry_run { Wish::Plan } else { Wish::Act }, |_| ())
            .await?;
    let done = plan(&mut office, &flags, source).await;
    if done.is_err() {
        office.close().await;
    }
    done
}

/// Typed ids, as a source with one column.
fn of_ids(ids: &[String]) -> Result<Source, Failure> {
    let odd = |id: &&String| id.trim().is_empty() || id.chars().any(|c| c.is_control() || c.is_whitespace());
    match ids.iter().find(odd) {
        Some(odd) => {
            Err(Failure::usage(t!("\"{odd}\" is not a badge id. Nothing was sent.", odd = scrub(odd))))
        }
        None => Ok(Source::Pasted(format!("badge_id\n{}", ids.join("\n")))),
    }
}

async fn plan(office: &mut Office, flags: &RevokeFlags, source: Source) -> Result<u8, Failure> {
    let mut choices = source::choices(&flags.reading);
    if let Some(wanted) = &flags.id_column {
        let (told, _) = watch::channel(Reading::default());
        let token = office.interrupt.token();
        let opened = office.jobs.open_ids(source.clone(), choices.clone(), told, token).await?;
        choices.id_column = Some(source::column(&opened.about, wanted).map_err(|failure| {
            let hint = t!("Give the header row with --header-row N, or the column's number.");
            Failure { message: format!("{} {hint}", failure.message), ..failure }
        })?);
    }
    let request =
        IdsRequest { source, choices, reason: flags.reason.clone(), when_issued: flags.when_issued };
    let (told_of, progress) = watch::channel(Reading::default());
    let jobs = office.jobs.clone();
    let work = jobs.draft_ids(request, told_of, office.interrupt.token());
    let read = |r: &Reading| (t!("checking each badge").to_owned(), r.bytes_done, r.bytes_all);
    let id = office.progress.during(progress, read, work).await?;
    let draft = Drafted { job: office.jobs.job(id).await?, guarded: None };
    let done = reviewed(office, flags, &draft).await;
    if done.is_err() || draft.to_send() == 0 || flags.sending.dry_run {
        office.discard(std::slice::from_ref(&draft)).await;
    }
    done
}

async fn reviewed(office: &mut Office, flags: &RevokeFlags, draft: &Drafted) -> Result<u8, Failure> {
    if office.interrupt.is_wanted() {
        return Err(Failure::given_up());
    }
    let held_back = office.held_back(&draft.job).await?;
    let sending = flags.sending;
    let id = draft.job.id;
    if sending.dry_run {
        office.progress.clear();
        let drafts = std::slice::from_ref(draft);
        let code = if held_back > 0 || draft.to_send() == 0 { exit::PERSON } else { exit::OK };
        if sending.json {
            let more = json!({ "place": office.place() });
            let fields = told(drafts, office.jobs.settings().batch, code, held_back, more);
            office.answer_with_rows(fields, std::slice::from_ref(&draft.job), &NOT_SENT).await?;
        } else {
            let review = office.review(&[], drafts).await?;
            output::answer(&format!("{review}\n{}", t!("Nothing was sent (--dry-run).")))?;
        }
        office.close().await;
        return Ok(code);
    }
    let mut seen = Seen::default();
    if draft.to_send() == 0 {
        office.close().await;
    } else {
        seen = begin_revoking(office, id, sending.yes, sending.wait).await?;
    }
    let more = office.more(json!({ "held_back": held_back }));
    let report = Report { ids: &[id], seen: &seen, waited: sending.wait, held_back, more };
    let code = office.report(report, sending.json).await?;
    if draft.to_send() == 0 {
        output::complain(t!("There was nothing to send."));
        return Ok(code.max(exit::PERSON));
    }
    Ok(code)
}

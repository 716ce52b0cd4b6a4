//! `lapel revoke`: revokes badges by their ids.

use super::review::{Drafted, begin_revoking};
use super::sending::{SendReport, SendingOutcome};
use super::session::{Asker, VerbSession, may_act, profile};
use super::verbs::RevokeFlags;
use super::{confirm, source};
use crate::cli::prelude::*;
use crate::jobs::intake::{HeaderRow, ImportSource, TableContent};
use crate::jobs::{IdsRequest, Preview, Reading};

pub async fn revoke(flags: RevokeFlags, settings: &Settings, asker: &Asker) -> Result<u8, Failure> {
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
    confirm::somebody_is_there(
        yes,
        t!(
            "no terminal for the confirmation: use --yes to revoke badges. Nothing was sent. --dry-run shows a preview."
        ),
    )?;
    let source = match &flags.ids {
        Some(file) => source::of_file(file).await?,
        None => of_ids(&flags.badge_ids)?,
    };
    let mut session = VerbSession::open(settings, asker, flags.sending.access(), |_| ()).await?;
    let done = plan(&mut session, &flags, source).await;
    session.or_close(done).await.map_err(|failure| session.interrupt.failed(failure))
}

fn of_ids(ids: &[String]) -> Result<ImportSource, Failure> {
    let odd = |id: &&String| id.trim().is_empty() || id.chars().any(|c| c.is_control() || c.is_whitespace());
    match ids.iter().find(odd) {
        Some(odd) => {
            Err(Failure::usage(t!("\"{odd}\" is not a badge id. Nothing was sent.", odd = scrub(odd))))
        }
        None => Ok(ImportSource::Pasted(ids.join("\n"))),
    }
}

async fn plan(session: &mut VerbSession, flags: &RevokeFlags, source: ImportSource) -> Result<u8, Failure> {
    let mut choices = source::choices(&flags.reading);
    if flags.ids.is_none() {
        choices.header = Some(HeaderRow::Absent);
    } else {
        let (told, _) = watch::channel(Reading::default());
        let (wanted, token) = (TableContent::BadgeIds, session.interrupt.token());
        let opened = session.jobs.open_file(wanted, source.clone(), choices.clone(), told, token).await?;
        let open = opened.questions();
        if !open.is_empty() {
            return Err(source::questions(&opened.about, &open));
        }
        choices.id_column = match (&flags.id_column, &opened.preview) {
            (Some(wanted), _) => Some(source::column(&opened.about, wanted).map_err(|failure| {
                let hint = t!("Give the header row with --header-row N, or the column's number.");
                Failure { message: format!("{} {hint}", failure.message), ..failure }
            })?),
            (None, Preview::BadgeIds { column: None, .. }) => {
                let why = t!(
                    "it is not certain which column of {name} has the badge ids: use --id-column COL ({about}). Nothing was sent.",
                    name = opened.about.name,
                    about = source::names(&opened.about)
                );
                return Err(Failure::usage(why).of_kind("question"));
            }
            (None, _) => None,
        };
    }
    let request =
        IdsRequest { source, choices, reason: flags.reason.clone(), when_issued: flags.when_issued };
    let (told_of, progress) = watch::channel(Reading::default());
    let jobs = session.jobs.clone();
    let work = jobs.draft_ids(request, told_of, session.interrupt.token());
    let read = |r: &Reading| (t!("checking each badge").to_owned(), r.rows, r.rows_all);
    let id = session.progress.during(progress, read, work).await?;
    let job = session.of_draft(id, session.jobs.job(id).await).await?;
    let draft = Drafted { job, checked: None };
    let done = reviewed(session, flags, &draft).await;
    if done.is_err() || draft.to_send() == 0 || flags.sending.dry_run {
        session.discard(std::slice::from_ref(&draft)).await;
    }
    done
}

async fn reviewed(session: &mut VerbSession, flags: &RevokeFlags, draft: &Drafted) -> Result<u8, Failure> {
    if session.interrupt.is_wanted() {
        return Err(Failure::given_up());
    }
    let held_back = session.held_back(&draft.job).await?;
    let least = if held_back > 0 || draft.to_send() == 0 { exit::PERSON } else { exit::OK };
    let sending = flags.sending;
    let id = draft.job.id;
    if sending.dry_run {
        session.progress.clear();
        let drafts = std::slice::from_ref(draft);
        let unknown = session.unknown_states(&draft.job).await?.map_or(0, |group| group.rows);
        let more = json!({ "place": session.place(), "unknown_state": unknown });
        session.preview(&[], drafts, (least, held_back), more).await?;
        session.close().await;
        return Ok(least);
    }
    let mut seen = SendingOutcome::default();
    if draft.to_send() == 0 {
        session.close().await;
    } else {
        seen = begin_revoking(session, id, sending.yes, sending.wait).await?;
    }
    let more = json::fields(json!({ "held_back": held_back }));
    let report = SendReport { ids: &[id], seen: &seen, waited: sending.wait, least, more };
    let code = session.report(report).await?;
    if draft.to_send() == 0 {
        output::complain(t!("There was nothing to send."));
    }
    Ok(code)
}

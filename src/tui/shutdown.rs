//! The end of the TUI: saves and stops the jobs, and prints the unfinished ones with the way to resume them.

use super::app::App;
use crate::jobs::{JobError, OpenAnswers};
use crate::tui::persist::input_history;
use crate::tui::persist::saved_layout::layout_file::{ViewRequest, ViewResponse, run};
use crate::tui::prelude::*;

/// Longest wait for cancelled disk work, for a journal that has no answer of the service to record, and for its list.
const PATIENCE: Duration = Duration::from_secs(2);
const LISTED: usize = 20;

/// Waits for requests in flight, sends nothing more, and prints the unfinished jobs. A second ctrl-c ends at
/// once: the next start then looks for rows without an answer.
pub async fn close(app: &App, say: &mut dyn FnMut(&str)) {
    if let Some(parting) = &app.parting {
        say(parting);
    }
    // A hanging disk must not delay the end.
    let _ = tokio::time::timeout(PATIENCE, crate::fs::all_finished()).await;
    let session = app.cx.session();
    let keeps_index = session.and_then(|s| s.index.as_ref()).is_some_and(|index| index.folder.is_some());
    if keeps_index && app.screens.all().any(Screen::is_reading_index) {
        say(t!(
            "index reading stopped; lapel keeps the part it has read. Continue on Home or with: lapel index build"
        ));
    }
    if let Some((file, view)) = app.unsaved_view()
        && let ViewResponse::Done(Err(why)) = run(ViewRequest::Keep(file, Box::new(view))).await
    {
        say(&why);
    }
    if let Some(ask) = app.unsaved_input() {
        let written = tokio::task::spawn_blocking(move || input_history::run(&ask)).await;
        if let Ok(Err(why)) = written {
            say(&why);
        }
    }
    let Some(jobs) = app.jobs() else { return };
    let OpenAnswers { awaited, unrecorded, .. } = jobs.open_answers();
    // Before the line that speaks of another ctrl-c.
    let again = told_again();
    if awaited > 0 {
        say(&plural!(
            awaited,
            "waiting for {n} answer from the service; ctrl-c quits at once",
            "waiting for {n} answers from the service; ctrl-c quits at once"
        ));
    } else if unrecorded > 0 {
        say(&plural!(
            unrecorded,
            "saving {n} answer of the service in the journal; ctrl-c quits at once",
            "saving {n} answers of the service in the journal; ctrl-c quits at once"
        ));
    }
    // A request that leaves at this moment is not counted yet, but the connection knows it.
    let is_busy = app.cx.client().is_some_and(|client| client.link_now().is_busy);
    let closed = async {
        if awaited + unrecorded > 0 || is_busy {
            jobs.close().await;
        } else {
            let _ = tokio::time::timeout(PATIENCE, jobs.close()).await;
        }
    };
    let is_closed = tokio::select! {
        () = closed => true,
        () = again => false,
    };
    let answers = jobs.open_answers();
    if !is_closed && (answers.awaited > 0 || answers.unrecorded == 0) {
        say(t!(
            "quit before every request was answered: next time, lapel checks the unanswered ones and never sends them again"
        ));
    }
    if answers.unrecorded > 0 {
        say(&unrecorded_line(&answers));
    }
    match tokio::time::timeout(PATIENCE, jobs.list()).await {
        // The line before has the reason.
        Ok(Err(_)) if answers.unrecorded > 0 => {}
        Ok(listed) => {
            for line in lines(listed, app.cx.keeps_jobs(), app.cx.read_only()) {
                say(&line);
            }
        }
        Err(_) => say(t!("the journal does not answer, so unfinished jobs are not listed: lapel jobs list")),
    }
}

/// What the journal has of answers that it does not have, and why.
fn unrecorded_line(answers: &OpenAnswers) -> String {
    let silent = || t!("The journal did not respond in time.").to_owned();
    let why = answers.why().map_or_else(silent, ToString::to_string);
    plural!(
        answers.unrecorded,
        "could not save {n} answer of the service. The journal has its request: the next start checks these rows first, and sends none again by itself. {why}",
        "could not save {n} answers of the service. The journal has their requests: the next start checks these rows first, and sends none again by itself. {why}",
        why
    )
}

/// Hears signals from this call on, also before its future is polled.
fn told_again() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::quit()].map(signal)
    };
    async move {
        #[cfg(unix)]
        if let [Ok(mut term), Ok(mut int), Ok(mut quit)] = signals {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
                _ = quit.recv() => {}
            }
            return;
        }
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// One line for each unfinished job, and how to resume them. `kept`: the journal outlives the program.
fn lines(jobs: Result<Vec<Job>, JobError>, kept: bool, reads_only: bool) -> Vec<String> {
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(why) => return vec![t!("unfinished jobs could not be listed: {why}", why)],
    };
    let open: Vec<&Job> = jobs.iter().filter(|job| job.is_unfinished()).collect();
    let mut lines: Vec<String> = open.iter().take(LISTED).map(|job| line(job, kept && !reads_only)).collect();
    if open.len() > LISTED {
        let more = open.len() - LISTED;
        lines.push(if kept {
            t!("unfinished: {more} more jobs: lapel jobs list", more)
        } else {
            t!("unfinished: {more} more jobs", more)
        });
    }
    if !open.is_empty() && !kept {
        lines.push(t!("these jobs end with the demo: its journal is only in memory").to_owned());
    }
    lines
}

fn line(job: &Job, can_continue: bool) -> String {
    let (id, kind, title, rows) = (job.id, tr(job.kind.name()), &job.title, crate::jobs::shares(job));
    if can_continue && job.can_resume() {
        t!(
            "unfinished: job {id}, {kind} {title}: {rows}; resume with: lapel jobs resume {id}",
            id,
            kind,
            title,
            rows
        )
    } else if can_continue && job.phase != Phase::Draft && job.counts.sum(RowStatus::is_open) > 0 {
        t!(
            "unfinished: job {id}, {kind} {title}: {rows}; checked whenever lapel runs, or with: lapel jobs follow",
            id,
            kind,
            title,
            rows
        )
    } else {
        t!("unfinished: job {id}, {kind} {title}: {rows}", id, kind, title, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::needs;

    #[test]
    fn a_profile_that_only_reads_is_told_no_command_that_it_may_not_use() {
        let [stopped, waiting] = [(Phase::Stopped, RowStatus::Ready), (Phase::Running, RowStatus::Waiting)]
            .map(|(phase, status)| needs::tests::job(phase, &[(status, 2)]));
        for (job, command) in [(stopped, "lapel jobs resume"), (waiting, "lapel jobs follow")] {
            let said = |reads_only| lines(Ok(vec![job.clone()]), true, reads_only).concat();
            assert!(said(false).contains(command), "{}", said(false));
            assert!(said(true).contains("a title") && !said(true).contains("lapel jobs"), "{}", said(true));
        }
    }
}

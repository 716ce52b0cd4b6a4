//! The end of the TUI: saves and stops the jobs, and prints the unfinished ones with the way to resume them.

use super::app::App;
use crate::jobs::JobError;
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
    let on_the_way = app.screens.in_flight();
    if on_the_way > 0 {
        say(&plural!(
            on_the_way,
            "waiting for {n} answer from the service; ctrl-c quits at once",
            "waiting for {n} answers from the service; ctrl-c quits at once"
        ));
    }
    // The list of jobs may be old, so the connection says, too, whether an answer is awaited. It must be recorded.
    let is_busy = app.cx.client().is_some_and(|client| client.link_now().is_busy);
    let awaits_answer = on_the_way > 0 || is_busy;
    let closed = async {
        if awaits_answer {
            jobs.close().await;
        } else {
            let _ = tokio::time::timeout(PATIENCE, jobs.close()).await;
        }
    };
    tokio::select! {
        () = closed => {}
        () = told_again() => say(t!("quit before every request was answered: next time, lapel checks the unanswered ones and never sends them again")),
    }
    match tokio::time::timeout(PATIENCE, jobs.list()).await {
        Ok(listed) => {
            for line in lines(listed, app.cx.keeps_jobs()) {
                say(&line);
            }
        }
        Err(_) => say(t!("the journal does not answer, so unfinished jobs are not listed: lapel jobs list")),
    }
}

async fn told_again() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut int), Ok(mut quit)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), signal(SignalKind::quit()))
        {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
                _ = quit.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// One line for each unfinished job, and how to resume them. `kept`: the journal outlives the program.
fn lines(jobs: Result<Vec<Job>, JobError>, kept: bool) -> Vec<String> {
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(why) => return vec![t!("unfinished jobs could not be listed: {why}", why)],
    };
    let open: Vec<&Job> = jobs.iter().filter(|job| job.is_unfinished()).collect();
    let mut lines: Vec<String> = open.iter().take(LISTED).map(|job| line(job, kept)).collect();
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

fn line(job: &Job, kept: bool) -> String {
    let (id, kind, title, rows) = (job.id, tr(job.kind.name()), &job.title, crate::jobs::shares(job));
    if kept && job.can_resume() {
        t!(
            "unfinished: job {id}, {kind} {title}: {rows}; resume with: lapel jobs resume {id}",
            id,
            kind,
            title,
            rows
        )
    } else if kept && job.phase != Phase::Draft && job.counts.sum(RowStatus::is_open) > 0 {
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

//! Jobs and rows as lines of plain text for users.

use crate::cli::prelude::*;
use crate::domain::ServiceClock;
use crate::jobs::{self, AcceptedCount, Code, JobPart, JobRow, Kind, Owner, Phase, Reason, Step};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of rows listed as text. Further rows are only counted.
pub(super) const MOST_ROWS: usize = 50;
/// Width of a title in a list, in cells.
const TITLE: usize = 36;

/// With `waited`, the job was followed to its end, so that an unknown state needs a person too.
pub(super) fn code_of(job: &Job, waited: bool) -> u8 {
    if job.counts.sum(|b| matches!(b, RowStatus::InDoubt | RowStatus::BeingChecked | RowStatus::NeverSeen))
        > 0
    {
        exit::DOUBT
    } else if job.can_resume() {
        exit::STOPPED
    } else if is_issued_twice(job)
        || job.counts.sum(RowStatus::needs_a_person) > 0
        || waited && job.counts.of(RowStatus::UnknownState) > 0
    {
        exit::PERSON
    } else {
        exit::OK
    }
}

/// Whether one request gave a recipient two badges.
fn is_issued_twice(job: &Job) -> bool {
    job.note.as_ref().is_some_and(|note| note.is(Code::SomeIssuedTwice))
}

/// Invalid rows do not count: they were reported when the job began.
pub(super) fn code_of_status(job: &Job, waited: bool) -> u8 {
    match code_of(job, waited) {
        exit::PERSON
            if !is_issued_twice(job)
                && job.counts.sum(|b| b.needs_a_person() && b != RowStatus::Invalid) == 0 =>
        {
            if waited && job.counts.of(RowStatus::UnknownState) > 0 { exit::PERSON } else { exit::OK }
        }
        code => code,
    }
}

/// Whether rows of this status may still change by themselves, so that waiting makes sense.
pub(super) fn moves(row_status: RowStatus) -> bool {
    row_status.awaits_service() && row_status != RowStatus::Overdue
}

pub(super) fn head(job: &Job) -> String {
    if job.phase == Phase::Draft {
        let title = &job.title;
        return match job.kind {
            Kind::Issue => t!("Not started: issue {title}", title),
            Kind::Revoke => t!("Not started: revoke ({title})", title),
        };
    }
    let (id, title, state) = (job.id, &job.title, job.state());
    match (job.kind, &job.template_id) {
        (Kind::Issue, Some(template)) => {
            t!("Job {id}: issue {title} ({template}), {state}", id, title, template, state)
        }
        (Kind::Issue, None) => t!("Job {id}: issue {title}, {state}", id, title, state),
        (Kind::Revoke, _) => t!("Job {id}: revoke ({title}), {state}", id, title, state),
    }
}

/// `None` when it equals the number of sent rows.
pub(super) fn accepted(job: &Job) -> Option<String> {
    let AcceptedCount { accepted, sent } = job.accepted.filter(|count| count.accepted < count.sent)?;
    Some(format!(
        "  {}",
        t!(
            "the service reports {accepted} of {sent} accepted",
            accepted = number(accepted),
            sent = number(sent)
        )
    ))
}

/// A team's database only knows that it did not hear a colleague's process.
pub(super) fn owner(owner: &Owner) -> String {
    let label = &owner.label;
    if owner.is_alive {
        t!("owner: {label}", label)
    } else if owner.is_colleague {
        t!("owner: {label} (ended or cut off)", label)
    } else {
        t!("owner: {label} (ended)", label)
    }
}

/// One status per line, the most urgent first as on the screen.
pub(super) fn row_statuses(job: &Job) -> Vec<String> {
    let width = job.counts.iter().map(|(_, n)| number(n).len()).max().unwrap_or(1);
    let line = |part: JobPart| format!("  {:>width$}  {}", number(part.rows), job.part_words(part));
    job.parts().into_iter().map(line).collect()
}

/// With its times in the zone of the service, as in all other output. A row that a draft is about to send has no status:
/// its word would be "not sent".
pub(super) fn row(job: &Job, row: &JobRow, clock: &ServiceClock) -> String {
    let mut parts = vec![t!("row {row}", row = row.number())];
    match (row.holder.looks_empty(), row.address.looks_empty()) {
        (true, true) => {}
        (true, false) => parts.push(format!("<{}>", row.address)),
        (false, true) => parts.push(row.holder.to_string()),
        (false, false) => parts.push(format!("{} <{}>", row.holder, row.address)),
    }
    if let Some(id) = &row.badge_id {
        parts.push(t!("badge {id}", id));
    }
    // The head of the job says why it stopped.
    let is_said = |why: &&Reason| job.stop.as_ref().is_some_and(|stop| stop.why == **why);
    let why = row.why.as_ref().filter(|why| !is_said(why)).map(|why| why.in_zone_of(clock).to_string());
    let is_to_send = job.phase == Phase::Draft && row.row_status == RowStatus::Ready;
    let status = (!is_to_send).then(|| job.state_of(row).to_string());
    let said: Vec<String> = status.into_iter().chain(why).collect();
    if !said.is_empty() {
        parts.push(said.join(": "));
    }
    format!("  {}", parts.join("  "))
}

/// Empty when there is nothing to do. A profile that only reads can save a file.
pub(super) fn next_steps(job: &Job, again: &str, reads_only: bool) -> Vec<String> {
    let mut steps = Vec::new();
    // A draft without rows to send is discarded.
    if matches!(job.phase, Phase::Moved | Phase::Draft) {
        return steps;
    }
    let (id, can_act) = (job.id, !reads_only);
    let mut step = |what: String, why: &str| steps.push(format!("  {what}{again}  {why}"));
    if can_act && job.can_resume() {
        let does = match job.left_after_check() {
            0 => t!("sends the unsent rows"),
            held if held < job.left_to_resume() => {
                t!("sends the unsent rows, the refused ones only after a check")
            }
            _ => t!("sends the unsent rows after a check"),
        };
        step(format!("lapel jobs resume {id}"), does);
    }
    if can_act && job.can_use_up() {
        step(format!("lapel jobs use-up {id}"), t!("uses up the rest of the quota"));
    }
    if can_act && job.offers_retry() {
        step(format!("lapel jobs retry {id}"), t!("sends the refused rows again, in smaller requests"));
    }
    if can_act && jobs::count(Step::Resolve, job) > 0 {
        step(
            format!("lapel jobs resend {id} --row N --why TEXT"),
            t!("sends a row again; a second badge is possible"),
        );
        if job.counts.of(RowStatus::NeverSeen) > 1 {
            step(
                format!("lapel jobs resend {id} --all-never-seen --why TEXT"),
                t!("sends all of them again; you type the number"),
            );
        }
        step(format!("lapel jobs resolve {id} --row N --is BADGE_ID --why TEXT"), t!("resolves a row"));
    }
    if jobs::count(Step::Redo, job) > 0 {
        step(format!("lapel jobs redo {id} --to FILE"), t!("saves a redo file"));
    }
    if can_act && job.counts.sum(moves) > 0 {
        step("lapel jobs follow".to_owned(), t!("checks the results, as the app does"));
    }
    steps
}

/// The heading names the zone of the times.
pub(super) fn table(jobs: &[Job], clock: &ServiceClock) -> Vec<String> {
    let created = format!("{} ({})", t!("CREATED"), clock.zone_said());
    let head = [t!("JOB"), &created, t!("UPDATED"), t!("KIND"), t!("TITLE"), t!("STATE"), t!("ROWS")];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for job in jobs {
        let is_replaced_by = |other: &&Job| other.follows == Some(job.id) && other.replaced.is_some();
        if jobs.iter().any(|other| is_replaced_by(&other)) {
            // The row of the revocation has both jobs.
            continue;
        }
        let issue = jobs.iter().find(|other| job.replaced.is_some() && job.follows == Some(other.id));
        let both = issue.map(|issue| job.with_issue(issue));
        let shown = both.as_ref().unwrap_or(job);
        let state = shown.state();
        let state = match job.owner.as_ref().filter(|owner| !owner.is_me && owner.is_alive) {
            Some(Owner { label, is_colleague: true, .. }) => {
                format!("{state}, {}", t!("followed by {owner}", owner = label))
            }
            Some(Owner { label, .. }) if job.is_unfinished() => {
                format!("{state}, {}", t!("in another lapel ({owner})", owner = label))
            }
            _ => state.to_string(),
        };
        let words = |job: &Job| {
            let words = |part: JobPart| t!("{n} {word}", n = number(part.rows), word = job.part_words(part));
            job.parts().into_iter().map(words).collect::<Vec<_>>()
        };
        let counts = list(issue.into_iter().chain([job]).flat_map(words));
        let ids = issue.into_iter().chain([job]).map(|job| job.id.to_string()).collect::<Vec<_>>();
        rows.push(vec![
            ids.join("+"),
            clock.to_minute(clock.of_this_computer(job.created)),
            clock.to_minute(clock.of_this_computer(shown.updated)),
            tr(shown.kind_name()).to_owned(),
            cut(&shown.title.shown(), TITLE, "…"),
            state,
            counts.to_string(),
        ]);
    }
    align(&rows)
}

pub(super) fn indented(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("  {line}")).collect()
}

/// Nothing without lines.
pub(super) fn under(heading: &str, lines: Vec<String>) -> impl Iterator<Item = String> {
    (!lines.is_empty()).then(|| heading.to_owned()).into_iter().chain(lines)
}

pub(super) fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(text.width())))
}

pub(super) fn align(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: String = row.iter().zip(&widths).map(|(cell, width)| padded(cell, width + 2)).collect();
        cells.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// With its zone: `2026-11-03 11:10 (UTC+9)`, as in the table of jobs.
pub(super) fn time(at: Timestamp, clock: &ServiceClock) -> String {
    format!("{} ({})", clock.to_minute(at), clock.zone_said())
}

/// The service writes times without a zone, so the output names it.
pub(super) fn zone(clock: &ServiceClock) -> String {
    t!("Times are in the service's zone ({zone}).", zone = clock.zone_said())
}

/// Cuts to at most this many cells, never inside a character.
pub(super) fn cut(text: &str, most: usize, ellipsis: &str) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used >= most {
            break;
        }
        out.push_str(grapheme);
    }
    if most > 0 {
        out.push_str(ellipsis);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_whatever_is_in_them() {
        let rows = [["1", "한글", "x"], ["22", "ab", "y"]].map(|r| r.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), ["1   한글  x", "22  ab    y"]);
    }

    #[test]
    fn a_text_is_cut_between_its_characters() {
        assert_eq!(cut("데이터 분석", 20, "…"), "데이터 분석");
        assert_eq!(cut("데이터 분석", 6, "…"), "데이…");
        assert!(cut(&"한".repeat(100), 36, "…").width() <= 36);
    }

    #[test]
    fn only_the_lapel_of_this_computer_is_known_to_have_ended() {
        let label: Reason = Code::Interrupted.into();
        for (is_alive, is_colleague, words) in [
            (true, true, t!("owner: {label}", label)),
            (false, false, t!("owner: {label} (ended)", label)),
            (false, true, t!("owner: {label} (ended or cut off)", label)),
        ] {
            assert_eq!(owner(&Owner { label: label.clone(), is_me: false, is_alive, is_colleague }), words);
        }
    }

    #[test]
    fn only_what_moves_by_itself_is_waited_for() {
        for row_status in [
            RowStatus::Waiting,
            RowStatus::InDoubt,
            RowStatus::NotVisibleYet,
            RowStatus::ToRevoke,
            RowStatus::Revoking,
        ] {
            assert!(moves(row_status), "{row_status:?}");
        }
        for row_status in [
            RowStatus::NeverSeen,
            RowStatus::Overdue,
            RowStatus::Issued,
            RowStatus::Ready,
            RowStatus::NotAccepted,
        ] {
            assert!(!moves(row_status), "{row_status:?}");
        }
    }
}

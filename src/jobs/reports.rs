//! Files about a job: the receipt, the redo file, and the mail failures.

use super::error::JobError;
use super::files::off_the_loop;
use super::handle::{Jobs, row_of_abandoned};
use super::intake::{ColumnMap, NameColumns, PASTED, RawRow, check, id_column, stand_in};
use super::job::{Job, JobId, JobRow, Kind, Phase};
use super::job_words::PERHAPS_ACCEPTED;
use super::journal::JournalError;
use super::journal::rows::RowFilter;
use super::receipt::{
    FailedMails, ReceiptHead, ReceiptLine, RedoLine, TableError, TableFormat, Written, mail_failures,
    write_receipt, write_redo,
};
use super::row_status::{Counts, RowStatus};
use super::rules::{self, RowFacts, Step};
use crate::domain::narrowing::is_mail_failure;
use crate::domain::{HistoryItem, ServiceClock};
use crate::i18n::{self, Language};
use crate::jobs::prelude::*;
use std::ops::ControlFlow;

/// The only column of a revocation that came from no file.
const BADGE_ID: &str = "badge_id";
const AT_ONCE: usize = 2_000;

/// The rows of a job, or those `among` them, page by page. Ends after an error.
fn all_rows(
    jobs: &Jobs,
    id: JobId,
    row_statuses: &[RowStatus],
    among: Option<BTreeSet<u64>>,
) -> impl Iterator<Item = Result<JobRow, JournalError>> + use<> {
    let (store, window) = (jobs.core.store.clone(), jobs.core.settings.doubt_window.as_secs());
    let mut filter = RowFilter { row_statuses: row_statuses.to_vec(), ..RowFilter::default() };
    let mut is_over = false;
    let page = move || {
        if is_over {
            return None;
        }
        let read = store.rows_page(id, filter.clone(), AT_ONCE, window).wait();
        let last = read.as_ref().ok().filter(|page| page.len() == AT_ONCE).and_then(|page| page.last());
        is_over = last.is_none();
        filter.after = last.map_or(0, |row| row.no);
        Some(match read {
            Ok(page) => page.into_iter().map(Ok).collect(),
            Err(why) => vec![Err(why)],
        })
    };
    let is_among = move |row: &JobRow| among.as_ref().is_none_or(|among| among.contains(&row.no));
    std::iter::from_fn(page).flatten().filter(move |row| row.as_ref().map_or(true, &is_among))
}

fn until(cancel: &CancellationToken) -> ControlFlow<()> {
    if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn failed(why: TableError) -> JobError {
    match why {
        TableError::Exists(path) => JobError::Exists(path),
        other => JobError::no(other.localizable()),
    }
}

fn words(text: Option<&Text>) -> String {
    text.map_or(String::new(), |t| t.wire().to_owned())
}

/// The file's columns, or default columns if there was no file.
fn columns(job: &Job) -> Vec<String> {
    match &job.origin {
        Some(origin) if !origin.columns.is_empty() => {
            let columns: Vec<String> = origin.columns.iter().map(|c| c.wire().to_owned()).collect();
            with_titles(columns, job.kind, origin.map.as_ref())
        }
        _ if job.template_id.is_some() => vec!["name".to_owned(), "email".to_owned()],
        _ => vec![BADGE_ID.to_owned()],
    }
}

/// Names the columns of a file without a header, so that its rows can be issued or revoked again as they are.
fn with_titles(mut columns: Vec<String>, kind: Kind, map: Option<&ColumnMap>) -> Vec<String> {
    if kind == Kind::Revoke && columns == [stand_in(0)] {
        return vec![BADGE_ID.to_owned()];
    }
    let Some(map) = map else { return columns };
    let name = if let NameColumns::One(at) = map.name { Some((at, "name")) } else { None };
    for (at, title) in name.into_iter().chain([(map.email, "email")]) {
        if let Some(column) = columns.get_mut(at).filter(|column| **column == stand_in(at)) {
            title.clone_into(column);
        }
    }
    columns
}

/// The row's original cells, or the cells that it would have in a file.
fn cells(job: &Job, row: &JobRow) -> Vec<String> {
    if !row.cells.is_empty() {
        let mut cells: Vec<String> = row.cells.iter().map(|c| c.wire().to_owned()).collect();
        let columns = columns(job);
        // Earlier versions stored only the id of a row, without its column.
        if job.kind == Kind::Revoke && cells.len() == 1 && columns.len() > 1 {
            let at = id_column(Some(&columns), columns.len()).unwrap_or(0);
            cells.splice(0..0, std::iter::repeat_n(String::new(), at));
        }
        return cells;
    }
    if job.template_id.is_some() {
        vec![row.holder.wire().to_owned(), row.address.wire().to_owned()]
    } else {
        vec![row.badge_id.as_ref().map_or(String::new(), |id| id.wire().to_owned())]
    }
}

/// Puts the recipient into a row's original cells if a person corrected it: returns whether that is so. The other cells
/// stay as they are in the file.
fn correct(cells: &mut Vec<String>, row: &JobRow, map: &ColumnMap) -> bool {
    let read = check(RawRow { cells: cells.clone(), ..RawRow::default() }, map);
    let (name, email) = (row.holder.wire(), row.address.wire());
    let mut put = |column: usize, text: &str| {
        if cells.len() <= column {
            cells.resize(column + 1, String::new());
        }
        text.clone_into(&mut cells[column]);
    };
    if name != read.name {
        match map.name {
            NameColumns::One(column) => put(column, name),
            // Nobody can tell which part is the family name.
            NameColumns::FamilyGiven { family, given } => {
                put(family, "");
                put(given, name);
            }
        }
    }
    if email != read.email {
        put(map.email, email);
    }
    name != read.name || email != read.email
}

fn redo_line(job: &Job, row: &JobRow, clock: &ServiceClock) -> RedoLine {
    let (mut cells, mut reason) = (cells(job, row), reason(job, row, clock));
    let map = job.origin.as_ref().and_then(|origin| origin.map.as_ref()).filter(|_| !row.cells.is_empty());
    if map.is_some_and(|map| correct(&mut cells, row, map)) {
        reason = localizable!("{reason}, corrected in the review", reason).to_string();
    }
    RedoLine { cells, reason }
}

fn why(job: &Job, row: &JobRow, clock: &ServiceClock, language: Language) -> String {
    match row.kept_reason() {
        Some(why) => why.for_file(clock).in_language(language),
        None => job.state_of(row).in_language(language),
    }
}

/// Why a row was not sent, in the user's language. The numbers of rows are those of the original file, which is named.
fn reason(job: &Job, row: &JobRow, clock: &ServiceClock) -> String {
    let reason = why(job, row, clock, i18n::language());
    let number = row.number();
    match job.origin.as_ref().and_then(|origin| origin.file.as_ref()) {
        Some(file) => localizable!("{reason} (row {row} of {file})", reason, row = number, file),
        None => localizable!("{reason} (row {row} of job {id})", reason, row = number, id = job.id),
    }
    .to_string()
}

impl Jobs {
    /// Possible at any time. Writes the original columns in their order, then the added ones, with what was sent (see
    /// [`super::receipt::write_receipt`]). `among`: for these rows only. Once cancelled, it leaves no file.
    ///
    /// # Errors
    /// [`JobError::Exists`] if the file exists and `overwrite` is not set. No error leaves a partial file.
    pub async fn receipt(
        &self,
        id: JobId,
        among: Option<BTreeSet<u64>>,
        to: PathBuf,
        format: TableFormat,
        overwrite: bool,
        cancel: CancellationToken,
    ) -> Result<Written, JobError> {
        let job = self.job(id).await?;
        let clock = self.core.reader().clock();
        let is_abandoned = self.core.abandoned().await?.contains(&id);
        let as_it_is = move |row: Result<JobRow, JournalError>| {
            if is_abandoned { row.map(row_of_abandoned) } else { row }
        };
        let counted = among.is_some().then(|| all_rows(self, id, &[], among.clone()).map(as_it_is));
        let all = all_rows(self, id, &[], among).map(as_it_is);
        off_the_loop(move || {
            // The state is that of the whole job.
            let head = match counted {
                Some(counted) => head(&job, &counts_of(counted)?, &clock),
                None => head(&job, &(job.counts.clone(), job.refusals.unproven_ready), &clock),
            };
            let lines = all.map(|row| row.map(|row| line(&job, &row, &clock)));
            write_receipt(&to, format, overwrite, &head, lines, &mut |_| until(&cancel)).map_err(failed)
        })
        .await
    }

    /// Writes rows that were not sent, skipped, invalid or refused, as in the original file but with the corrections of a
    /// person, each with its reason. Never writes a row that was sent or is in doubt. The reason of a row says
    /// if its refused request may have worked. `among`: for these rows only.
    pub async fn redo(
        &self,
        id: JobId,
        among: Option<BTreeSet<u64>>,
        to: PathBuf,
        format: TableFormat,
        overwrite: bool,
        cancel: CancellationToken,
    ) -> Result<Written, JobError> {
        let job = self.job(id).await?;
        if job.phase == Phase::Moved {
            return Err(JobError::no(localizable!(
                "Job {id} is only a record here. Nothing was saved. {note}",
                id,
                note = job.note.as_ref().map(ToString::to_string).unwrap_or_default()
            )));
        }
        if job.is_purged {
            return Err(JobError::no(localizable!(
                "The names and e-mail addresses of job {id} were removed. Nothing was saved. Issue from the file again.",
                id
            )));
        }
        let (all, clock) = (all_rows(self, id, &[], among), self.core.reader().clock());
        off_the_loop(move || {
            let columns = columns(&job);
            let again = |row: &JobRow| rules::may(Step::Redo, RowFacts::of(&job, row));
            let line = |row: JobRow| redo_line(&job, &row, &clock);
            let rows = all.filter(|row| row.as_ref().map_or(true, again)).map(|row| row.map(line));
            write_redo(&to, format, overwrite, &columns, rows, &mut |_| until(&cancel)).map_err(failed)
        })
        .await
    }

    /// Issued badges of a job, or of all jobs, whose mail failed, by domain.
    pub async fn mail_failures(&self, id: Option<JobId>) -> Result<FailedMails, JobError> {
        let jobs = match id {
            Some(id) => vec![self.job(id).await?],
            None => self.list().await?.into_iter().filter(|job| job.kind == Kind::Issue).collect(),
        };
        let rows = jobs.into_iter().map(|job| (all_rows(self, job.id, &[RowStatus::Issued], None), job));
        let rows: Vec<_> = rows.collect();
        off_the_loop(move || {
            let (mut mails, mut badges) = (Vec::new(), Vec::new());
            for (rows, job) in rows {
                for row in rows {
                    let row = row?;
                    let status = row.mail_status.as_ref().map(|status| status.wire().to_owned());
                    let has_failed = status.as_deref().is_some_and(is_mail_failure);
                    mails.push((row.address.wire().to_owned(), status));
                    if has_failed {
                        badges.extend(issued_badge(&job, row));
                    }
                }
            }
            let report = mail_failures(mails.iter().map(|(who, status)| (&**who, status.as_deref(), true)));
            Ok(FailedMails::new(report, badges))
        })
        .await
    }
}

/// `None` if the row has no badge id.
pub fn issued_badge(job: &Job, row: JobRow) -> Option<HistoryItem> {
    let time = |text: Option<Text>| text.and_then(|text| ServiceTime::new(text.wire()));
    Some(HistoryItem {
        badge_id: row.badge_id?,
        template_id: job.template_id.clone(),
        title: row.title.or_else(|| Some(job.title.clone())),
        badge_type_name: None,
        category_name: None,
        level: None,
        level_name: None,
        recipient_name: Some(row.holder),
        recipient_email: Some(row.address),
        status_name: row.status,
        email_status: row.mail_status,
        issuing_org: None,
        valid_until: time(row.valid_until),
        issued_at: time(row.issued_at),
        reg_date: None,
        revoke_at: time(row.revoke_at),
        rnum: None,
        read_at: None,
    })
}

/// How many rows have each status, and how many of the ready ones were refused and perhaps accepted.
type ReceiptCounts = (Counts, u64);

fn counts_of(
    rows: impl Iterator<Item = Result<JobRow, JournalError>>,
) -> Result<ReceiptCounts, JournalError> {
    let (mut counts, mut unproven): (BTreeMap<RowStatus, u64>, u64) = Default::default();
    for row in rows {
        let row = row?;
        *counts.entry(row.row_status).or_default() += 1;
        unproven += u64::from(row.is_unproven);
    }
    Ok((counts.into_iter().collect(), unproven))
}

pub(super) fn head(job: &Job, (counts, unproven): &ReceiptCounts, clock: &ServiceClock) -> ReceiptHead {
    let mut facts = vec![
        ("job".to_owned(), job.id.to_string()),
        ("what".to_owned(), job.kind.name().to_owned()),
        ("profile".to_owned(), job.profile.clone()),
        ("planned".to_owned(), clock.to_minute(clock.of_this_computer(job.created))),
        ("time zone".to_owned(), clock.zone()),
        ("state".to_owned(), job.state_name().to_owned()),
    ];
    if let Some(template) = &job.template_id {
        facts.push(("template".to_owned(), template.to_string()));
    }
    if let Some(origin) = &job.origin {
        facts.push(("file".to_owned(), origin.file.as_ref().map_or(PASTED.to_owned(), ToString::to_string)));
        facts.push(("sha256".to_owned(), origin.sha256.clone()));
        facts.push(("read as".to_owned(), origin.read_as.english()));
    }
    if let Some(stop) = &job.stop {
        facts.push(("stopped".to_owned(), stop.why.for_file(clock).english()));
    }
    facts.push(("rows".to_owned(), counts.total().to_string()));
    // They add up to the rows.
    let counted = counts.iter().flat_map(|(row_status, n)| {
        let perhaps = if row_status == RowStatus::Ready { n.min(*unproven) } else { 0 };
        [(row_status.receipt_value(), n - perhaps), (PERHAPS_ACCEPTED, perhaps)]
    });
    facts.extend(counted.filter(|(_, n)| *n > 0).map(|(word, n)| (word.to_owned(), n.to_string())));
    ReceiptHead {
        title: format!("lapel receipt: {} {}", job.kind.name(), job.title),
        facts,
        columns: columns(job),
    }
}

pub(super) fn line(job: &Job, row: &JobRow, clock: &ServiceClock) -> ReceiptLine {
    // The status of these rows does not say that the job is paused, or why it stopped.
    let is_halted = rules::may(Step::Resume, RowFacts::of(job, row));
    let has_reason = is_halted || row.kept_reason().is_some();
    ReceiptLine {
        cells: cells(job, row),
        row: row.number(),
        badge_id: row.badge_id.as_ref().map(|id| id.wire().to_owned()),
        row_status: row.row_status.receipt_value().to_owned(),
        reason: if has_reason { why(job, row, clock, Language::English) } else { String::new() },
        accepted: row.accepted.map_or(String::new(), |at| {
            clock.offset().to_datetime(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
        }),
        status: words(row.status.as_ref()),
        mail_status: words(row.mail_status.as_ref()),
        issued: words(row.issued_at.as_ref()),
        valid_until: words(row.valid_until.as_ref()),
        name: row.holder.wire().to_owned(),
        email: row.address.wire().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_changes_the_cells_of_the_recipient_and_no_other_ones() {
        let corrected = |name: NameColumns, cells: &[&str], row: (&str, &str)| {
            let map = ColumnMap { name, email: 2, template: None };
            let row = JobRow { holder: row.0.into(), address: row.1.into(), ..JobRow::default() };
            let mut cells: Vec<String> = cells.iter().map(|one| (*one).to_owned()).collect();
            correct(&mut cells, &row, &map).then_some(cells)
        };
        let (one, two) = (NameColumns::One(1), NameColumns::FamilyGiven { family: 0, given: 1 });
        let read = ("Kim Wrng", "kim@gmial.com");
        assert_eq!(corrected(one, &["7", " Kim Wrng ", "kim@gmial.com "], read), None, "as it was read");
        assert_eq!(corrected(two, &["Wrng", "Kim", "kim@gmial.com"], read), None);
        let domain = ("Kim Wrng", "kim@gmail.com");
        assert_eq!(
            corrected(one, &["7", " Kim Wrng ", "kim@gmial.com ", "x"], domain),
            Some(["7", " Kim Wrng ", "kim@gmail.com", "x"].map(str::to_owned).to_vec())
        );
        let both = ("Kim Wrong", "kim@gmail.com");
        assert_eq!(
            corrected(one, &["7", "Kim Wrng"], both),
            Some(["7", "Kim Wrong", "kim@gmail.com"].map(str::to_owned).to_vec()),
            "a short row gets its cell"
        );
        assert_eq!(
            corrected(two, &["Wrng", "Kim", "kim@gmail.com"], both),
            Some(["", "Kim Wrong", "kim@gmail.com"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn columns_without_a_name_get_one_that_the_import_finds() {
        let map = |name, email| ColumnMap { name: NameColumns::One(name), email, template: None };
        let columns = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let pasted = columns(&["column 1", "column 2", "column 3"]);
        let issue = |columns: Vec<String>, map: Option<&ColumnMap>| with_titles(columns, Kind::Issue, map);
        assert_eq!(issue(pasted.clone(), Some(&map(1, 0))), ["email", "name", "column 3"]);
        assert_eq!(issue(pasted.clone(), None), pasted);
        assert_eq!(with_titles(columns(&["column 1"]), Kind::Revoke, None), ["badge_id"]);
        let named = columns(&["성명", "메일"]);
        assert_eq!(issue(named.clone(), Some(&map(0, 1))), named);
    }
}

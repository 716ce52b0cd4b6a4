//! The rows of a job as a list. lapel reads them from the journal page by page, and again after a change of the
//! job.

pub mod row_fields;
mod row_words;
pub mod short_reason;

pub use row_words::*;

use crate::jobs::{RowField, RowFilter, RowPart};
use crate::tui::effects::ExportSource;
use crate::tui::prelude::*;
use crate::tui::request::{LARGEST_RANGE, RowsQuery};
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::marks::{Marks, between};
use crate::tui::widgets::paged_list::{ListEntry, ListRow, PagedList, RowSlot};
use crate::tui::widgets::table_header::Heading;

/// The rows of a page that has them all.
const EVERY: u64 = i64::MAX as u64;

/// Highlights the row of a range that is drawn.
pub fn in_range(spans: &mut [Span<'_>], cx: &UiContext) {
    for span in spans {
        span.style = span.style.patch(cx.theme.in_range());
    }
}

impl ListRow for JobRow {
    type Id = u64;
    fn id(&self) -> u64 {
        self.no
    }
    fn shown_number(row: Option<&Self>, _: u64) -> Option<u64> {
        row.map(Self::number)
    }
}

/// A row whose place in the list is asked of the journal.
struct SoughtRow {
    no: u64,
    place: SoughtPlace,
}

enum SoughtPlace {
    Unasked,
    Asked(RequestId),
    At(u64),
}

pub struct RowList {
    pub list: PagedList<JobRow>,
    job: JobId,
    row_statuses: Vec<RowStatus>,
    is_review: bool,
    /// The parts of a review, by which its rows are sorted unless they are searched.
    parts: Vec<RowPart>,
    stale: bool,
    /// The pages that were read since the columns were adapted to their content.
    unfitted: Vec<u64>,
    /// Whether the rows on the screen are others than those to which the columns are adapted.
    refit: bool,
    /// Whether rows can have badge ids. Rows of a draft to issue have none.
    ids: bool,
    search: Search,
    /// The row to which the cursor goes after a search.
    sought: Option<SoughtRow>,
    pub marks: Marks<JobRow>,
    /// The running request for the rows of a file, and how these are filtered and sorted, in words.
    saving: Option<(RequestId, String)>,
}

impl RowList {
    /// The rows of a job with these statuses; an empty `row_statuses` means all rows.
    pub fn new(job: JobId, row_statuses: Vec<RowStatus>) -> Self {
        Self {
            list: PagedList::default(),
            job,
            row_statuses,
            is_review: false,
            parts: Vec::new(),
            stale: false,
            unfitted: Vec::new(),
            refit: true,
            ids: true,
            search: Search::default(),
            sought: None,
            marks: Marks::default(),
            saving: None,
        }
    }

    /// All rows of a draft, for its review. A draft to issue has no column for badge ids.
    pub fn of_draft(job: &Job) -> Self {
        Self { is_review: true, ids: job.kind == Kind::Revoke, ..Self::new(job.id, Vec::new()) }
    }

    pub fn job(&self) -> JobId {
        self.job
    }

    pub fn row_statuses(&self) -> &[RowStatus] {
        &self.row_statuses
    }

    pub fn set_parts(&mut self, parts: Vec<RowPart>) {
        if self.parts != parts {
            self.parts = parts;
            self.stale = true;
        }
    }

    /// Whether the loaded rows are those of the job as it is, in the order of the parts.
    pub fn is_settled(&self) -> bool {
        !self.stale && self.list.is_answered() && !self.list.is_loading()
    }

    pub fn only(&mut self, row_statuses: Vec<RowStatus>, effects: &mut Effects<'_>) {
        self.row_statuses = row_statuses;
        self.restart(effects);
    }

    pub fn over(&self) -> Option<Vec<KeyContext>> {
        self.search.over()
    }

    pub fn is_searched(&self) -> bool {
        self.search.text().is_some()
    }

    pub fn has_search(&self) -> bool {
        self.search.over().is_some() || self.is_searched()
    }

    /// Moves the cursor, or narrows the list to the rows that a search finds. A list in groups or in another order does not
    /// show the row with a number at that place, so the search finds it.
    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        let before = self.search.typed();
        self.forget_sought();
        if action == Action::GoToRow {
            self.search.open_for_number();
            self.searched(before.as_deref(), effects);
            return true;
        }
        match self.search.on_action_of_matches(action) {
            Some(action) => self.list.on_action(action),
            None => {
                self.searched(before.as_deref(), effects);
                true
            }
        }
    }

    pub fn mark(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let (marks, list) = (&mut self.marks, &mut self.list);
        match action {
            Action::MarkAll if !list.is_answered() || list.error().is_some() => {
                effects.say(t!("The list is not loaded yet. Nothing was marked."));
            }
            Action::MarkAll if list.is_empty() => {
                effects.say(t!("No row matches, so there is nothing to mark."));
            }
            Action::MarkAll if marks.add_all(list) => marks.finish_range(list, effects),
            Action::MarkAll => effects.warn(t!(
                "lapel marks at most {most} rows at once, and this list has more. Nothing was marked.",
                most = number(LARGEST_RANGE)
            )),
            Action::Back => return marks.cancel_range(),
            _ => return marks.on_action(action, list, &[KeyContext::JobRows], cx, effects),
        }
        true
    }

    pub fn on_drag(&mut self, drag: Drag, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        self.marks.on_drag(drag, rows(area), &mut self.list, &[KeyContext::JobRows], cx, effects)
    }

    /// Compares as the journal does.
    fn hides(&self, row: &JobRow) -> bool {
        let finds = |wanted: String| {
            let text = [&row.holder, &row.address].map(Text::wire).join(" ");
            let id = row.badge_id.as_ref().map_or("", BadgeId::wire);
            let more = [row.title.as_ref().map_or("", Text::wire), id].join(" ");
            self.search.finds(&text)
                || self.search.finds(&more)
                || row.line.is_some_and(|line| line.to_string() == wanted)
                || format!("#{}", row.number()) == wanted
        };
        let is_of = self.row_statuses.is_empty() || self.row_statuses.contains(&row.row_status);
        !is_of || !self.search.typed().is_none_or(finds)
    }

    /// Saves the marked rows to a file, or else all rows that the list shows. These are read first. `job` is `None` if the
    /// journal does not have it any more.
    pub fn save(&mut self, job: Option<&Job>, heading: &Heading, cx: &UiContext, effects: &mut Effects<'_>) {
        let marked = self.marks.len() as u64;
        if marked > 0 {
            let head =
                plural!(marked, "{n} marked row of job {id}", "{n} marked rows of job {id}", id = self.job);
            let note = t!("lapel saves marked rows as last read. To save the whole list, unmark all first.");
            save(self.job, head, note, row_fields::saved(self.marks.values(), job, &cx.clock()), effects);
        } else if self.list.is_empty() {
            effects.say(t!("There are no rows here to export."));
        } else {
            let dot = format!(" {} ", cx.glyphs.dot);
            let status = |status: &RowStatus| match job {
                Some(job) => job.row_state(*status).to_string(),
                None => tr(status.name()).to_owned(),
            };
            let statuses = self.row_statuses.iter().map(status);
            let words = statuses.chain(self.search.typed()).chain(heading.words());
            let words = words.map(|words| format!("{dot}{words}")).collect::<Vec<_>>().concat();
            effects.cancel(self.saving.take().map(|(request, _)| request));
            let query = self.query(EVERY, row_fields::order(heading));
            self.saving = Some((effects.request(Request::SavedRows(query, row_fields::to_file)), words));
        }
    }

    fn query(&self, per_page: u64, order: Option<(RowField, bool)>) -> RowsQuery {
        let (row_statuses, text) = (self.row_statuses.clone(), self.search.typed());
        let parts = if text.is_some() { Vec::new() } else { self.parts.clone() };
        let filter = RowFilter { row_statuses, parts, text, order, ..RowFilter::default() };
        RowsQuery { job: self.job, filter, page: 1, per_page }
    }

    fn restart(&mut self, effects: &mut Effects<'_>) {
        self.marks.forget_reading();
        if self.is_review {
            // The search shows other rows.
            self.marks.cancel_range();
        }
        self.forget_sought();
        self.refit = true;
        effects.cancel(self.saving.take().map(|(request, _)| request));
        effects.cancel(self.list.restart());
    }

    pub fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        let before = self.search.typed();
        let changed = self.search.on_text_key(key);
        self.searched(before.as_deref(), effects);
        changed
    }

    pub fn on_paste(&mut self, text: &str, effects: &mut Effects<'_>) {
        let before = self.search.typed();
        self.search.on_paste(text);
        self.searched(before.as_deref(), effects);
    }

    /// After a search, the cursor stays on the row that it found.
    fn searched(&mut self, before: Option<&str>, effects: &mut Effects<'_>) {
        let now = self.search.typed();
        if before != now.as_deref() {
            let found = self.list.selected().filter(|_| now.is_none()).map(|row| row.no);
            self.restart(effects);
            self.sought = found.map(|no| SoughtRow { no, place: SoughtPlace::Unasked });
        }
    }

    fn seeks_with(&self, request: RequestId) -> bool {
        matches!(&self.sought, Some(SoughtRow { place: SoughtPlace::Asked(asked), .. }) if *asked == request)
    }

    /// A key that moves the cursor counts more than where it was to go.
    pub fn forget_sought(&mut self) {
        self.sought = None;
    }

    /// The place of the row that was found, once the list can go there.
    pub fn take_sought(&mut self) -> Option<u64> {
        let place = match &self.sought {
            Some(SoughtRow { place: SoughtPlace::At(place), .. }) if self.list.is_answered() => *place,
            _ => return None,
        };
        self.sought = None;
        Some(place)
    }

    /// Notes that the job has changed. Several changes lead to one read.
    pub fn changed(&mut self) {
        self.stale = true;
    }

    pub fn on_response(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Rows(page) if self.list.awaits(id) => {
                if let Some((page, dropped)) = self.list.on_response(id, page) {
                    effects.cancel(dropped);
                    self.unfitted.push(page);
                }
                for (_, row) in self.list.loaded() {
                    self.marks.refresh(row);
                }
                self.marks.finish_range(&mut self.list, effects);
                Ok(())
            }
            Response::PlaceOfRow(place) if self.seeks_with(id) => {
                let found = self.sought.take().zip(place);
                self.sought = found.map(|(row, place)| SoughtRow { place: SoughtPlace::At(place), ..row });
                Ok(())
            }
            Response::SavedRows(rows) if self.saving.as_ref().is_some_and(|(saving, _)| *saving == id) => {
                let words = self.saving.take().map(|(_, words)| words).unwrap_or_default();
                match rows {
                    Ok(rows) => {
                        let n = rows.len() as u64;
                        let head = plural!(n, "{n} row of job {id}", "{n} rows of job {id}", id = self.job);
                        let note = t!("lapel saves the rows of the list at the start of the export.");
                        save(self.job, head + &words, note, rows, effects);
                    }
                    Err(why) => effects.warn(why),
                }
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }

    /// Adapts the columns to the rows that were read. `words` describes the status of a row.
    fn fit(&mut self, heading: &mut Heading, words: &dyn Fn(&JobRow) -> String, cx: &UiContext) {
        if !self.unfitted.is_empty() && std::mem::take(&mut self.refit) {
            heading.forget_content();
        }
        for page in std::mem::take(&mut self.unfitted) {
            // The rows to be sent are hidden at first in a review, unless there are no others or a search finds them.
            // They have no reasons, but they have numbers.
            let has_others = self.list.loaded().any(|(_, row)| row.row_status != RowStatus::Ready);
            let shows_all = !self.is_review || !has_others || self.is_searched();
            let is_shown = |row: &JobRow| shows_all || row.row_status != RowStatus::Ready;
            for row in self.list.page_rows(page) {
                let cells = row_fields::cells(row, self.is_review, cx, words);
                let fitted = if is_shown(row) { cells.len() } else { 1 };
                heading.fit(&cells[..fitted.min(cells.len())], cx);
            }
        }
    }

    /// Lays out the list and requests missing pages, in the sort order of the heading. `words` describes the status of
    /// a row.
    pub fn load_visible(
        &mut self,
        area: Rect,
        heading: &mut Heading,
        words: &dyn Fn(&JobRow) -> String,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) {
        self.list.set_height(area.height.saturating_sub(2));
        let has_ids = self.ids && self.list.loaded().any(|(_, row)| row.badge_id.is_some());
        heading.set_own(row_fields::own(has_ids, self.is_review));
        heading.set_room(usize::from(area.width).saturating_sub(3));
        self.fit(heading, words, cx);
        let order = row_fields::order(heading);
        if self.stale && !self.list.is_loading() {
            self.stale = false;
            self.refit = true;
            effects.cancel(self.list.reload());
            // Its place may be another one now.
            if let Some(row) = &mut self.sought {
                row.place = SoughtPlace::Unasked;
            }
        }
        let query = self.query(self.list.per_page(), order);
        if let Some(SoughtRow { no, place: place @ SoughtPlace::Unasked }) = &mut self.sought {
            *place = SoughtPlace::Asked(effects.request(Request::PlaceOfRow(query.clone(), *no)));
        }
        if !self.is_review
            && let Some(place) = self.take_sought()
        {
            self.list.move_to(place);
        }
        let dropped = self
            .list
            .load_visible(|page| effects.request(Request::Rows(RowsQuery { page, ..query.clone() })));
        effects.cancel(dropped);
    }

    pub fn on_click(&mut self, area: Rect, line: u16) -> bool {
        let hit = self.list.on_click(rows(area), line);
        if hit {
            self.marks.hold(&self.list);
        }
        hit
    }

    /// The range that is drawn, the number of marks, and how many of them a filter hides.
    pub fn marks_in_words(&self) -> String {
        let is_filtered = !self.row_statuses.is_empty() || self.is_searched();
        self.marks.in_words(&self.list, &|row| is_filtered && self.hides(row))
    }

    /// Draws the headings, the rows and the row counter. The list has two lines less than the area. Without a search,
    /// `filtered` says which rows the list shows. `marked` is before the counter.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
        heading: &Heading,
        words: &dyn Fn(&JobRow) -> String,
        (filtered, marked): (Option<&str>, &str),
    ) {
        if area.height < 3 {
            return;
        }
        let widths = heading.widths(usize::from(area.width).saturating_sub(3));
        frame.render_widget(heading.line(&widths, 2, cx), Rect { height: 1, ..area });
        let body = rows(area);
        let foot = Rect { y: area.bottom() - 1, height: 1, ..area };
        let counter = format!("{marked}  {}", self.list.counter());
        let counter = Span::styled(counter.trim_start().to_owned(), cx.theme.dim());
        let filtered = || filtered.map(|text| Line::styled(format!("  {text}"), cx.theme.strong()));
        let left = self.search.line(usize::from(area.width) / 2, cx).or_else(filtered).unwrap_or_default();
        two_sided(frame, foot, (left, counter), true, cx);
        if self.list.draw_empty(frame, body, (t!("No rows match."), t!("reading rows")), cx) {
            return;
        }
        let range = self.marks.range_start().map(|from| between(from, self.list.cursor()));
        self.list.draw_rows(frame, body, cx, |place, row| {
            let is_in_range = range.as_ref().is_some_and(|range| range.contains(&place));
            let sign = match row {
                RowSlot::Entry(ListEntry::Row(row)) if self.marks.contains_key(&row.no) => cx.glyphs.mark,
                _ if is_in_range => cx.glyphs.bar,
                _ => " ",
            };
            let mut spans = vec![Span::styled(sign, cx.theme.mark())];
            spans.extend(self.spans(&row, heading, &widths, words, cx));
            if is_in_range {
                in_range(&mut spans, cx);
            }
            spans
        });
    }

    /// The cells of a row in columns of these widths, or why they are missing.
    pub fn spans(
        &self,
        row: &RowSlot<'_, JobRow>,
        heading: &Heading,
        widths: &[usize],
        words: &dyn Fn(&JobRow) -> String,
        cx: &UiContext,
    ) -> Vec<Span<'static>> {
        match row {
            RowSlot::Entry(ListEntry::Row(row)) => {
                let mut cells = row_fields::cells(row, self.is_review, cx, words);
                if self.is_review {
                    row_fields::fit_suggestion(&mut cells, row, heading, widths);
                }
                heading.cells(cells, widths, cx)
            }
            RowSlot::Failed(error) => {
                vec![Span::styled(cx.alert(t!("not read: {error}", error)), cx.theme.error())]
            }
            // A row whose status changed meanwhile: the list reloads soon.
            RowSlot::Loading | RowSlot::Entry(_) => {
                vec![Span::styled(cx.busy(t!("reading")), cx.theme.dim())]
            }
        }
    }
}

fn save(job: JobId, head: String, note: &str, rows: Vec<ExportRow>, effects: &mut Effects<'_>) {
    let columns = row_fields::saved_names();
    let source = ExportSource::of_rows(format!("job-{job}"), head, Some(note.to_owned()), columns, rows);
    effects.export(source);
}

fn rows(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area }
}

/// Adds the words of these rows, for masking a saved screen. The title of a job that issues is a template's.
pub fn know_rows<'a>(rows: impl Iterator<Item = &'a JobRow>, jobs: &[Job], known: &mut KnownWords) {
    for row in rows {
        known.person([&row.holder]);
        known.plain(&row.title);
        known.plain([&row.status, &row.mail_status].into_iter().flatten());
    }
    known.plain(jobs.iter().filter(|job| job.template_id.is_some()).map(|job| &job.title));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::ExportContent;
    use crate::tui::effects::{Content, Navigate};
    use crate::tui::request::RequestIds;

    /// A job can have a million rows. The worker converts them, and the screen only passes them on.
    #[test]
    fn rows_for_a_file_arrive_converted_and_are_passed_on_unchanged() {
        let mut ids = RequestIds::default();
        let mut effects = Effects::new(&mut ids);
        let mut list = RowList::new(JobId(7), Vec::new());
        let request = effects.request(Request::SavedRows(list.query(EVERY, None), row_fields::to_file));
        list.saving = Some((request, String::new()));
        let sent = vec![ExportRow::with("1".to_owned(), vec![("not a field of a row", "x".into())])];
        let (there, len) = (sent.as_ptr(), sent.len());
        assert!(
            list.on_response(Reply { id: request, response: Response::SavedRows(Ok(sent)) }, &mut effects)
                .is_ok()
        );
        let [Navigate::Export(source)] = effects.go.as_slice() else { panic!("{:?}", effects.go) };
        let Content::List(ExportContent::Rows(_, rows)) = &source.content else { panic!("{source:?}") };
        assert_eq!((rows.as_ptr(), rows.len()), (there, len), "the same rows, moved and not built again");
    }
}

//! The list that the Templates and the History tab share: pages of the service with a filter bar, a sort order and
//! a jump to a row.

mod draw;
mod export;
pub mod filters_file;
mod narrowed;
mod view;

pub use draw::{RowMark, read_words, two_sided};
pub use narrowed::ComparedPart;
pub use view::Filterable;

use crate::api::{CategoryFilter, DirectionStyle, Sort};
use crate::index::IndexQuery;
use crate::tui::prelude::*;
use crate::tui::widgets::filter::{FilterBar, FilterChoice, FilterField, FilterValue, FilterView};
use crate::tui::widgets::paged_list::{ListRow, PagedList};
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::{RecordField, cells, title_cell};
use crate::tui::widgets::table_header::{Heading, HeadingOutcome, SortKey, SortOrder, compare};
use crate::tui::widgets::text_layout::ColumnLayout;
use narrowed::{RowsFrom, ServiceRows};
use std::cmp::Ordering;

/// The cells of a row beside its columns: cursor, mark and scroll position.
const MARGINS: usize = 4;

/// The texts that name the records of a list, marked for translation.
pub struct ListTexts {
    pub reading: &'static str,
    pub not_read: &'static str,
    pub none: &'static str,
    pub empty: &'static str,
    /// With the placeholder `{esc}`.
    pub no_match: &'static str,
    pub not_loaded: &'static str,
    pub nothing_to_export: &'static str,
    pub all: &'static str,
}

pub trait ListRecord: ListRow + 'static {
    /// What the service filters by.
    type Filter: Clone + Default + PartialEq;
    /// What lapel compares itself, in the rows it has.
    type Narrowing: Clone + Default + PartialEq;
    const FILTERS: &'static [FilterField];
    const FIELDS: &'static [RecordField<Self>];
    /// Number of columns shown by default: the first ones.
    const DEFAULT_COLUMNS: usize;
    /// The field of the column that a filter field is about.
    fn column_of(filter: &'static str) -> &'static str {
        filter
    }
    fn widths() -> Vec<ColumnLayout> {
        Self::FIELDS.iter().map(|field| field.column.layout).collect()
    }
    const TEXTS: ListTexts;
    /// A number of records: `3 badges`.
    fn count(n: u64) -> String;
    /// The list's name in files: `history`.
    const LIST: &'static str;
    fn filter(values: &[FilterValue]) -> Self::Filter;
    fn narrowing(_: &[FilterValue]) -> Self::Narrowing {
        Self::Narrowing::default()
    }
    fn fits(&self, _: &Self::Narrowing, _: DateTime) -> bool {
        true
    }
    /// Whether the service compares a text.
    fn compares_text(filter: &Self::Filter) -> bool {
        *filter != Self::Filter::default()
    }
    /// What else explains that nothing fits.
    fn may_be_hidden(_: &Self::Narrowing) -> Option<&'static str> {
        None
    }
    /// Requests for the names of values that the filter line offers.
    fn ask_choices() -> Vec<Request> {
        vec![Request::Categories(CategoryFilter::default()), Request::BadgeTypes]
    }
    /// The names of values in a response.
    fn choices(_: &Response) -> Vec<FilterChoice> {
        Vec::new()
    }
    /// The names of values in a row.
    fn choices_in(&self) -> Vec<FilterChoice> {
        Vec::new()
    }
    fn ask(filter: &Self::Filter, paging: Paging) -> Request;
    /// Asks whether the index has every row that may match. `None` for records that are not in the index.
    fn ask_coverage(_: &Self::Filter) -> Option<Request> {
        None
    }
    fn index_list(
        _: &Self::Filter,
        _: &Self::Narrowing,
        _sort: Option<Sort>,
        (_now, _read): (DateTime, DateTime),
    ) -> Option<IndexedList> {
        None
    }
    /// Takes the page from a response of the index, or returns a response of another kind.
    fn index_page_of(response: Response) -> Result<Result<Page<Self>, String>, Response> {
        Err(response)
    }
    /// As `index_page_of`, for the service.
    fn page_of(response: Response) -> Result<Result<Page<Self>, ApiError>, Response>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SortedBy {
    /// The service, with this spelling of the direction: the contract does not show the values of `sort_type`.
    Service(DirectionStyle),
    /// lapel, within each page, because the service refused or ignored the order.
    Page {
        /// Whether the service refused the order; otherwise it ignored the order.
        refused: bool,
    },
}

pub struct FilteredList<T: ListRecord> {
    pub list: PagedList<T>,
    /// The service's rows, of which `list` has a part. `None` while lapel compares nothing itself.
    behind: Option<ServiceRows<T>>,
    bar: FilterBar,
    /// The requests for the names of values, until they are answered.
    choices: Vec<RequestId>,
    has_names: bool,
    filter: T::Filter,
    narrowing: T::Narrowing,
    applied: Vec<String>,
    heading: Heading,
    /// The pages whose rows the columns are fitted to.
    fitted: BTreeSet<u64>,
    /// Whether the columns wait for other rows to be fitted to.
    refit: bool,
    /// Who sorts, if there is a sort order.
    by: SortedBy,
    /// A sort order with which the service failed. The list is read without it to see whether that works.
    suspect: Option<(SortOrder, SortedBy)>,
    changes: u64,
    /// The box for the number of a row, while it is open. It takes the keys.
    row_box: Option<TextField>,
    /// What the screen says about the selected row, below the list.
    pub aside: Option<String>,
    /// Notes before the titles of rows, the longest first: see [`RowMark`].
    notes: HashMap<T::Id, Vec<String>>,
}

impl<T: ListRecord> Default for FilteredList<T> {
    fn default() -> Self {
        Self {
            list: PagedList::default(),
            bar: FilterBar::new(T::FILTERS),
            behind: None,
            choices: Vec::new(),
            has_names: false,
            filter: T::Filter::default(),
            narrowing: T::Narrowing::default(),
            applied: Vec::new(),
            heading: Heading::new(
                T::FIELDS.iter().map(|field| field.column),
                T::DEFAULT_COLUMNS,
                tr_noop!("the service's own order"),
            ),
            fitted: BTreeSet::new(),
            refit: false,
            by: SortedBy::Service(DirectionStyle::Upper),
            suspect: None,
            changes: 0,
            row_box: None,
            aside: None,
            notes: HashMap::new(),
        }
    }
}

impl<T: ListRecord> FilteredList<T> {
    pub fn over(&self) -> Option<Vec<KeyContext>> {
        match self.row_box {
            Some(_) => Some(KeyContext::Prompt.in_field()),
            None if self.bar.is_open() => self.bar.over(),
            None => self.heading.over(),
        }
    }

    pub fn can_go_back(&self) -> bool {
        !self.bar.is_empty()
    }

    pub fn filter_by(&mut self, field: usize, text: &str, effects: &mut Effects<'_>) {
        self.bar.close();
        self.bar.set(field, text);
        self.apply(effects);
    }

    pub fn is_enabled(&self, action: Action) -> bool {
        let is_about_rows = matches!(
            action,
            Action::Open
                | Action::Wallet
                | Action::Mark
                | Action::Range
                | Action::RangeDown
                | Action::RangeUp
                | Action::MarkLoaded
                | Action::MarkAll
                | Action::Revoke
                | Action::Issue
                | Action::Copy
                | Action::Raw
                | Action::TurnOver
                | Action::Picture
                | Action::OpenPicture
                | Action::Export
                | Action::Sort
        );
        match action {
            Action::Earlier => self.bar.has_earlier(),
            Action::Later => false,
            _ => !is_about_rows || self.list.selected().is_some() || self.over().is_some(),
        }
    }

    pub fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if let Some(field) = &mut self.row_box {
            match action {
                Action::Accept => {
                    let typed: String =
                        field.value().chars().filter(|c| !matches!(c, ',' | '.' | ' ')).collect();
                    match typed.parse::<u64>() {
                        Ok(row) if row > 0 => {
                            self.list.move_to(row - 1);
                            self.row_box = None;
                        }
                        _ => effects.warn(t!("Type a row number, e.g. 4312. Nothing moved.")),
                    }
                }
                Action::ClearField => field.clear(),
                Action::Back => self.row_box = None,
                Action::NextTab | Action::PreviousTab => {
                    self.row_box = None;
                    return false;
                }
                _ => return false,
            }
            return true;
        }
        if self.bar.is_open() {
            return self.act_filter(action, effects);
        }
        match self.heading.on_action(action, effects) {
            HeadingOutcome::Chose(order) => {
                self.set_order(order, SortedBy::Service(DirectionStyle::Upper), effects);
                return true;
            }
            HeadingOutcome::Something => return true,
            HeadingOutcome::Nothing if self.heading.over().is_some() => return false,
            HeadingOutcome::Nothing => {}
        }
        match action {
            Action::GoToRow => self.row_box = Some(TextField::default()),
            Action::Filter => self.open_filter(FilterView::Line, cx, effects),
            Action::FilterForm => self.open_filter(FilterView::Form, cx, effects),
            Action::NextMatch | Action::PreviousMatch if self.applied.is_empty() => {
                let key = cx.key(&[KeyContext::History, KeyContext::Templates], Action::Filter);
                effects.say(t!("There is no filter. {key} sets one.", key));
            }
            // Every row of a filtered list is a match.
            Action::NextMatch => self.step(1),
            Action::PreviousMatch => self.step(-1),
            Action::Down | Action::PageDown | Action::Last if self.is_at_end() => self.step(1),
            Action::Reload => self.refresh_all(effects),
            Action::SavedFilters => self.open_saved(false, effects),
            Action::SaveFilter => self.open_saved(true, effects),
            // Back first clears the filter.
            Action::Back if !self.bar.is_empty() => {
                self.bar.clear(true, effects);
                self.apply(effects);
            }
            _ => return self.list.on_action(action),
        }
        true
    }

    fn act_filter(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        match action {
            _ if self.bar.on_action(action, effects) => {}
            Action::SavedFilters => self.open_saved(false, effects),
            Action::SaveFilter => self.open_saved(true, effects),
            Action::Back | Action::Accept => {
                match self.bar.mistake().filter(|_| action == Action::Accept) {
                    // The line stays open, because the list would not match it.
                    Some(mistake) => effects.warn(mistake),
                    None => self.bar.close(),
                }
                self.apply(effects);
            }
            _ => return false,
        }
        true
    }

    fn set_order(&mut self, order: Option<SortOrder>, by: SortedBy, effects: &mut Effects<'_>) {
        self.suspect = None;
        if self.heading.order() != order || (order.is_some() && self.by != by) {
            self.service_rows_mut().order_by(match (order, by) {
                (Some(order), SortedBy::Page { .. }) => {
                    Some(Box::new(move |a: &T, b: &T| compare_by(a, b, order)))
                }
                _ => None,
            });
            self.heading.set_order(order);
            // Count it as a change: a refused order is not saved.
            self.changes += u64::from(by == SortedBy::Page { refused: true });
            self.by = by;
            self.restart(effects);
        }
    }

    fn apply(&mut self, effects: &mut Effects<'_>) {
        let values = match self.bar.values() {
            Ok(values) => values,
            // The open bar shows the error itself. The list is unchanged.
            Err(_) if self.bar.is_open() => return,
            Err(_) if !self.key_like().is_empty() => {
                effects.go.push(Navigate::AskAboutFilter);
                return;
            }
            Err(error) => {
                effects.warn(t!("{error}. The filter was not changed. Open it again to correct it.", error));
                return;
            }
        };
        self.bar.keep_applied(&values);
        let (filter, narrowing) = (T::filter(&values), T::narrowing(&values));
        self.applied = self.bar.words();
        let used = T::FILTERS.iter().zip(&values).filter(|(_, value)| **value != FilterValue::Empty);
        self.heading.keep(&used.map(|(spec, _)| T::column_of(spec.name)).collect::<Vec<_>>());
        let is_other = narrowing != self.narrowing || filter != self.filter;
        if narrowing != self.narrowing {
            self.changes += 1;
            self.narrow(narrowing, effects);
        }
        if filter != self.filter {
            self.filter = filter;
            self.heading.forget_content();
            self.refit = true;
            self.changes += 1;
            self.restart(effects);
        }
        if is_other {
            self.ask_coverage(effects);
        }
    }

    pub fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        match &mut self.row_box {
            Some(field) => _ = field.on_text_key(key),
            None if self.bar.is_open() => self.bar.on_text_key(key, effects),
            None => return self.heading.on_text_key(key),
        }
        true
    }

    pub fn on_paste(&mut self, text: &str, effects: &mut Effects<'_>) -> bool {
        match &mut self.row_box {
            Some(field) => field.on_paste(text),
            None if self.bar.is_open() => self.bar.on_paste(text, effects),
            None => return self.heading.on_paste(text),
        }
        true
    }

    pub fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        if self.choices.contains(&id) {
            self.choices.retain(|one| *one != id);
            self.learn(&response, effects);
            return Ok(());
        }
        let response = match response {
            Response::Paused if self.bar.paused(id) => {
                self.apply(effects);
                return Ok(());
            }
            Response::IndexCoverage(found) if self.take_coverage(id, found, effects) => return Ok(()),
            Response::Paused | Response::IndexCoverage(_) => return Err(Reply { id, response }),
            Response::Synced(synced) => return self.take_synced(id, synced, effects),
            response => response,
        };
        let read = match T::index_page_of(response) {
            Ok(page) => {
                if let Some((page, dropped)) = self.list.on_response(id, page) {
                    effects.cancel(dropped);
                    self.fitted.remove(&page);
                    self.fit_columns(cx);
                }
                return Ok(());
            }
            Err(response) => T::page_of(response).map_err(|response| Reply { id, response })?,
        };
        // Only the first response with an order counts: a far page may be refused for other reasons.
        let is_first = self.service_rows().is_empty();
        let refused = is_first && matches!(read, Err(ApiError::BadRequest(_)));
        let failed =
            is_first && matches!(read, Err(ApiError::ServiceFailed(_) | ApiError::NoResponse { .. }));
        let is_read = read.is_ok();
        let read = read.map_err(|e| e.to_string());
        let Some((page, dropped)) = self.service_rows_mut().on_response(id, read) else {
            return Ok(());
        };
        effects.cancel(dropped);
        if self.behind.is_none() {
            self.fitted.remove(&page);
            self.fit_columns(cx);
        }
        if let Some((order, by)) = self.suspect.take() {
            if is_read {
                effects.warn(t!(
                    "The service failed to sort {by}. The list is now in the service's own order.",
                    by = self.heading.words_of(order)
                ));
            } else {
                // It fails without an order too.
                self.heading.set_order(Some(order));
                self.by = by;
            }
            return Ok(());
        }
        let Some(order) = self.heading.order() else { return Ok(()) };
        if failed && matches!(self.by, SortedBy::Service(_)) {
            let by = self.by;
            self.set_order(None, by, effects);
            self.suspect = Some((order, by));
            return Ok(());
        }
        let by = match self.by {
            SortedBy::Service(style) if refused => {
                style.after_refusal().map_or(SortedBy::Page { refused: true }, SortedBy::Service)
            }
            SortedBy::Service(_) if !is_ordered(&self.service_rows().page_rows(page), order) => {
                SortedBy::Page { refused: false }
            }
            as_it_is => as_it_is,
        };
        self.set_order(Some(order), by, effects);
        Ok(())
    }

    /// Notes before the titles of the loaded rows, the longest first.
    pub fn set_notes(&mut self, notes: HashMap<T::Id, Vec<String>>) {
        self.refit |= self.notes != notes;
        self.notes = notes;
    }

    pub fn notes(&self, row: &T) -> &[String] {
        self.notes.get(&row.id()).map_or(&[], Vec::as_slice)
    }

    /// Fits the columns to the pages that the screen shows. Other rows that lapel has loaded do not widen them.
    fn fit_columns(&mut self, cx: &UiContext) {
        let list = &self.list;
        let shown: BTreeSet<u64> = list.visible_pages().filter(|page| list.is_page_loaded(*page)).collect();
        if shown.is_empty() || (shown == self.fitted && !self.refit) {
            return;
        }
        self.heading.forget_content();
        for row in shown.iter().flat_map(|page| list.page_rows(*page)) {
            let mut cells = cells(T::FIELDS, row, &(), cx);
            let notes = self.notes.get(&row.id()).map_or(&[][..], Vec::as_slice);
            if let Some((at, text)) = title_cell(T::FIELDS, &mut cells)
                && let (Some(longest), Some(shortest)) = (notes.first(), notes.last())
            {
                self.heading.wish(at, width(longest) + width(text));
                text.insert_str(0, shortest);
            }
            self.heading.fit(&cells, cx);
        }
        (self.fitted, self.refit) = (shown, false);
    }

    /// Splits an area into the list and, if there is room, the preview of its selected row.
    pub fn split(&self, area: Rect) -> (Rect, Option<Rect>) {
        preview::split(area, self.heading.wanted(area.width).map(|cells| cells + MARGINS))
    }

    pub fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let around = 2 + self.bar.height(area.width) + draw::foot_height(&self.foot_lines(area));
        self.list.set_height(area.height.saturating_sub(around));
        self.heading.set_own(T::widths());
        self.heading.set_room(usize::from(area.width).saturating_sub(MARGINS));
        let dropped = match self.behind.as_ref().map(|behind| behind.from) {
            Some(RowsFrom::Asking(_)) => Vec::new(),
            Some(RowsFrom::Index(_)) => {
                let Some(which) = self.index_list(cx) else { return };
                let per_page = self.list.per_page();
                self.list.load_visible(|page| {
                    effects.request(Request::IndexList(IndexQuery { which: which.clone(), page, per_page }))
                })
            }
            Some(RowsFrom::Loaded) | None => {
                let filter = &self.filter;
                let sort: Vec<Sort> = self.sort().into_iter().collect();
                let pages = self.behind.as_mut().map_or(&mut self.list, ServiceRows::wanted);
                let per_page = u32::try_from(pages.per_page()).unwrap_or(100);
                pages.load_visible(|page| {
                    effects
                        .request(T::ask(filter, Paging { page, rows_per_page: per_page, sort: sort.clone() }))
                })
            }
        };
        effects.cancel(dropped);
        self.show_fitting(cx.now());
        self.fit_columns(cx);
    }

    fn sort(&self) -> Option<Sort> {
        let (column, _) = self.heading.sorted_by()?;
        let SortedBy::Service(style) = self.by else { return None };
        Some(Sort { column: column.to_owned(), direction: self.heading.order()?.direction, style })
    }

    pub(in crate::tui) fn on_click(&mut self, at: Position, area: Rect) -> Clicked {
        if let Some(clicked) = self.bar.on_click(at) {
            return clicked;
        }
        if self.row_box.is_none()
            && !self.bar.is_open()
            && let Some(clicked) = self.heading.on_click(at)
        {
            return clicked;
        }
        let place = self.place_at(area, at.y);
        if let Some(place) = place {
            self.list.move_to(place);
        }
        Clicked::changed(place.is_some())
    }

    pub fn place_at(&self, area: Rect, row: u16) -> Option<u64> {
        if self.heading.over().is_some() || self.bar.covers(row) {
            return None;
        }
        self.list.place_at(self.rows(area), row)
    }

    pub fn rows(&self, area: Rect) -> Rect {
        let head = 2 + self.bar.height(area.width);
        let around = head + draw::foot_height(&self.foot_lines(area));
        Rect { y: area.y + head, height: area.height.saturating_sub(around), ..area }
    }
}

pub fn level(level: Option<i64>, name: Option<&crate::domain::Text>, cx: &UiContext) -> String {
    let words = level_words(level, name);
    if words.is_empty() { cx.glyphs.dash.to_owned() } else { words }
}

/// The number and the name of a level, as far as they are known.
pub fn level_words(level: Option<i64>, name: Option<&crate::domain::Text>) -> String {
    let parts = level.map(|level| level.to_string()).into_iter().chain(name.map(ToString::to_string));
    parts.collect::<Vec<_>>().join(" ")
}

/// Whether a page looks sorted. lapel does not know the service's collation, so three quarters of the
/// neighbours in order are enough. If the service ignores the order, about half are in order.
fn is_ordered<T: ListRecord>(rows: &[&T], order: SortOrder) -> bool {
    let pairs: Vec<Ordering> = rows.windows(2).map(|pair| compare_by(pair[0], pair[1], order)).collect();
    let apart = pairs.iter().filter(|o| **o != Ordering::Equal).count();
    let wrong = pairs.iter().filter(|o| **o == Ordering::Greater).count();
    apart < 4 || wrong * 4 <= apart
}

fn compare_by<T: ListRecord>(a: &T, b: &T, order: SortOrder) -> Ordering {
    let key = |row: &T| T::FIELDS.get(order.column).map_or(SortKey::None, |field| field.sort_key(row, &()));
    compare(&key(a), &key(b), order.direction)
}

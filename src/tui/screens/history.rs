//! The History tab: issued badges, filtered and sorted by the service. Marks belong to badge ids.

mod badge_marks;
pub(in crate::tui::screens) mod copies;
mod copyables;

use crate::api::Sort;
use crate::domain::{HistoryNarrowing, StateIs, issue_time};
use crate::export::FieldValue;
use crate::index::HistorySelection;
use crate::tui::modals::issue::IssueForm;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::modals::revoke_ids::RevokeIds;
use crate::tui::prelude::*;
use crate::tui::screens::badge_preview::BadgePreview;
use crate::tui::screens::templates::type_choice;
use crate::tui::screens::wallet::waiting_may_be_hidden;
use crate::tui::tour::TourPlace;
use crate::tui::widgets::filter::{FilterChoice, FilterField, FilterFieldKind, FilterValue};
use crate::tui::widgets::filtered_list::{FilteredList, ListRecord, ListTexts, RowMark, level};
use crate::tui::widgets::marks::{Marks, between};
use crate::tui::widgets::paged_list::ListRow;
use crate::tui::widgets::record_field::{BADGE_TITLE, RecordField};
use crate::tui::widgets::text_layout::ColumnLayout;
use crate::tui::widgets::timeline::of_24_h;

/// The names of the filter fields that a row has as names only.
const TYPE: &str = "badge_type_name";
const CATEGORY: &str = "category_name";
/// Index of the filter field with the type. The category follows it.
const TYPE_FIELD: usize = 9;

type ListField = RecordField<HistoryItem>;

impl ListRow for HistoryItem {
    type Id = BadgeId;
    fn id(&self) -> BadgeId {
        self.badge_id.clone()
    }
}

impl ListRecord for HistoryItem {
    type Filter = HistoryFilter;
    type Narrowing = HistoryNarrowing;
    const TEXTS: ListTexts = ListTexts {
        reading: tr_noop!("reading badges"),
        not_read: tr_noop!("badges not read"),
        none: tr_noop!("no badges"),
        empty: tr_noop!("There are no badges here."),
        no_match: tr_noop!("No badges match this filter. {esc} clears it."),
        not_loaded: tr_noop!("The badges are not loaded yet. Try again in a moment."),
        nothing_to_export: tr_noop!("There are no badges here to export."),
        all: tr_noop!("all badges"),
    };
    fn count(n: u64) -> String {
        count!(n, "badge", "badges")
    }
    const LIST: &'static str = "history";
    const FILTERS: &'static [FilterField] = &[
        FilterField::of("recipient_name", tr_noop!("name:"), FilterFieldKind::Text),
        FilterField::of("recipient_email", tr_noop!("email:"), FilterFieldKind::Text),
        FilterField::of("title", tr_noop!("title:"), FilterFieldKind::Text),
        FilterField::date("issue_start_date", tr_noop!("Issued from"), tr_noop!("from:")),
        FilterField::date("issue_end_date", tr_noop!("Issued to"), tr_noop!("to:")),
        FilterField::date("revoke_start_date", tr_noop!("Revoked from"), tr_noop!("revoked-from:")),
        FilterField::date("revoke_end_date", tr_noop!("Revoked to"), tr_noop!("revoked-to:")),
        FilterField::new("state", tr_noop!("State"), tr_noop!("state:"), FilterFieldKind::State),
        FilterField::new("mail", tr_noop!("Mail"), tr_noop!("mail:"), FilterFieldKind::Mail),
        FilterField::of(TYPE, tr_noop!("type:"), FilterFieldKind::Text),
        FilterField::of(CATEGORY, tr_noop!("category:"), FilterFieldKind::Text),
    ];
    const FIELDS: &'static [RecordField<Self>] = &[
        ListField::of("status_name", (10, 0, 0))
            .shown(|row, (), cx| state_with_age(row, cx))
            .styled(|row, cx| cx.theme.state(&state(row, &cx.clock())))
            .whole(|row, (), clock| state(row, clock).word().to_string())
            .state(),
        ListField::of("recipient_name", (8, 3, 0)),
        ListField::of("recipient_email", (12, 3, 0)),
        ListField::of("title", (14, 4, 0)).titled(BADGE_TITLE),
        ListField::of("issued_at", (11, 0, 1))
            .value(|row| FieldValue::Time(issue_time(row)))
            .shown(|row, (), cx| {
                let times = (issue_time(row), row.reg_date.as_ref());
                issued_or_requested(times, || state(row, &cx.clock()), ServiceTime::to_minute, cx)
            })
            .time()
            .dim(),
        ListField::of("email_status", (5, 1, 2)).dim(),
        ListField::of("valid_until", (16, 0, 3)).dim(),
        ListField::of("revoke_at", (16, 0, 3)).dim(),
        ListField::of("reg_date", (16, 0, 3)).dim(),
        ListField::of("badge_type_name", (11, 0, 3)),
        ListField::of("category_name", (14, 1, 3)),
        ListField::of("level", (10, 0, 3)).shown(|row, (), cx| level(row.level, row.level_name.as_ref(), cx)),
        ListField::of("issuing_org", (12, 1, 3)),
        ListField::of("badge_id", (12, 1, 3)).dim(),
        ListField::of("template_id", (10, 0, 3)).dim(),
    ];
    const DEFAULT_COLUMNS: usize = 6;

    fn column_of(filter: &'static str) -> &'static str {
        match filter {
            "state" => "status_name",
            "mail" => "email_status",
            filter => filter,
        }
    }

    fn widths() -> Vec<ColumnLayout> {
        let mut widths: Vec<ColumnLayout> = Self::FIELDS.iter().map(|field| field.column.layout).collect();
        // The sign, a space and the longest word: Korean words are wider than English ones.
        for state in [State::Waiting, State::Issued, State::Revoking, State::Revoked, State::Expired] {
            widths[0] = widths[0].titled(&format!("  {}", state.word()));
        }
        widths
    }

    fn filter(values: &[FilterValue]) -> HistoryFilter {
        let at = |i: usize| values.get(i).cloned().unwrap_or(FilterValue::Empty);
        HistoryFilter {
            recipient_name: at(0).try_as_text(),
            recipient_email: at(1).try_as_text(),
            title: at(2).try_as_text(),
            issue_start_date: at(3).try_as_date(),
            issue_end_date: at(4).try_as_date(),
            revoke_start_date: at(5).try_as_date(),
            revoke_end_date: at(6).try_as_date(),
        }
    }

    fn narrowing(values: &[FilterValue]) -> HistoryNarrowing {
        HistoryNarrowing {
            state: values.iter().cloned().find_map(FilterValue::try_as_state),
            mail: values.iter().cloned().find_map(FilterValue::try_as_mail),
            badge_type: values.get(TYPE_FIELD).cloned().and_then(FilterValue::try_as_text),
            category: values.get(TYPE_FIELD + 1).cloned().and_then(FilterValue::try_as_text),
        }
    }

    fn fits(&self, narrowing: &HistoryNarrowing, now: DateTime) -> bool {
        narrowing.fits(self, now)
    }

    fn compares_text(filter: &HistoryFilter) -> bool {
        filter.recipient_name.is_some() || filter.recipient_email.is_some() || filter.title.is_some()
    }

    fn may_be_hidden(narrowing: &HistoryNarrowing) -> Option<&'static str> {
        match narrowing.state? {
            StateIs::Waiting => Some(waiting_may_be_hidden()),
            // Longer than the day after which a badge should be visible.
            StateIs::Overdue => Some(t!(
                "That does not mean \u{201c}none is overdue\u{201d}: the service may not list badges waiting for issue, also overdue ones."
            )),
            _ => None,
        }
    }

    /// The titles, and the service's own words for mails, types and categories.
    fn choices_in(&self) -> Vec<FilterChoice> {
        let words = [
            ("title", &self.title),
            ("mail", &self.email_status),
            (TYPE, &self.badge_type_name),
            (CATEGORY, &self.category_name),
        ];
        words.into_iter().filter_map(|(field, word)| named(field, word.as_ref()?.wire())).collect()
    }

    /// A row has no code of its type, so a typed code means the name.
    fn choices(response: &Response) -> Vec<FilterChoice> {
        match response {
            Response::Categories(Ok(listed)) => {
                let name = |category: &Category| named(CATEGORY, category.category_name.as_ref()?.wire());
                listed.items.iter().filter_map(name).collect()
            }
            Response::BadgeTypes(Ok(types)) => {
                let code =
                    |code: FilterChoice| FilterChoice { field: TYPE, value: code.name, name: code.value };
                types.types.iter().filter_map(type_choice).map(code).collect()
            }
            _ => Vec::new(),
        }
    }

    fn ask(filter: &HistoryFilter, paging: Paging) -> Request {
        Request::History(HistoryQuery { filter: filter.clone(), paging })
    }

    fn page_of(response: Response) -> Result<Result<Page<Self>, ApiError>, Response> {
        if let Response::History(page) = response { Ok(page) } else { Err(response) }
    }

    fn ask_coverage(filter: &HistoryFilter) -> Option<Request> {
        Some(Request::IndexCoverage(filter.clone()))
    }

    fn index_list(
        filter: &HistoryFilter,
        narrowing: &HistoryNarrowing,
        sort: Option<Sort>,
        (now, read): (DateTime, DateTime),
    ) -> Option<IndexedList> {
        let (filter, narrowing) = (filter.clone(), narrowing.clone());
        Some(IndexedList::Matching(Box::new(HistorySelection { filter, narrowing, now, read, sort })))
    }

    fn index_page_of(response: Response) -> Result<Result<Page<Self>, String>, Response> {
        if let Response::IndexList(page) = response { Ok(page) } else { Err(response) }
    }
}

fn named(field: &'static str, name: &str) -> Option<FilterChoice> {
    let is_name = !name.trim().is_empty();
    is_name.then(|| FilterChoice { field, value: name.to_owned(), name: name.to_owned() })
}

const COPIED: [&str; 9] = [
    "status_name",
    "recipient_name",
    "recipient_email",
    "title",
    "reg_date",
    "issued_at",
    "valid_until",
    "email_status",
    "badge_id",
];

fn state(row: &HistoryItem, clock: &ServiceClock) -> State {
    Verdict::of(row, clock.now()).state()
}

/// The state in a cell. A waiting badge shows how long it waits, of the 24 hours that are usual.
fn state_with_age(row: &HistoryItem, cx: &UiContext) -> String {
    let verdict = Verdict::of(row, cx.now());
    match verdict {
        Verdict::Waiting { since: Some(since) } => format!("{} {}", cx.glyphs.waiting, of_24_h(since)),
        Verdict::Overdue { since } => format!("{} {}", cx.glyphs.alert, of_24_h(since)),
        verdict => {
            let state = verdict.state();
            format!("{} {}", cx.glyphs.state(&state), state.word())
        }
    }
}

/// The issue time in a cell, as `shown` writes it. A waiting badge shows the day of its request.
pub(super) fn issued_or_requested(
    (issued, accepted): (Option<&ServiceTime>, Option<&ServiceTime>),
    state: impl FnOnce() -> State,
    shown: fn(&ServiceTime) -> String,
    cx: &UiContext,
) -> String {
    match (issued, accepted) {
        (Some(issued), _) => shown(issued),
        (None, Some(accepted)) if state() == State::Waiting => request_day(accepted, cx),
        _ => cx.glyphs.dash.to_owned(),
    }
}

/// The day on which the service accepted the request, as wide as the column's heading.
fn request_day(accepted: &ServiceTime, cx: &UiContext) -> String {
    match accepted.day() {
        Some(day) if day.year() == cx.now().year() => {
            t!("req {day}", day = day.strftime("%m-%d").to_string())
        }
        _ => accepted.to_day(),
    }
}

#[derive(Default)]
pub struct History {
    pub filtered: FilteredList<HistoryItem>,
    pub(super) marks: Marks<HistoryItem>,
    marking: Option<badge_marks::Marking>,
    preview: BadgePreview,
    exporting: Option<RequestId>,
}

impl History {
    /// The rows for an export: the marked badges, or all that match the filter if none are marked.
    fn source(&self, cx: &UiContext) -> Result<ExportSource, String> {
        let (rows, head, note): (Vec<&HistoryItem>, String, &str) = if !self.marks.is_empty() {
            let head = count!(self.marks.len() as u64, "marked badge", "marked badges");
            let note =
                t!("lapel saves marked badges as last read. To export the whole list, unmark all first.");
            (self.marks.values().collect(), head, note)
        } else if self.filtered.is_narrowed() && !self.filtered.list.is_empty() {
            // An export by the service would also have the rows that only lapel can leave out.
            let rows: Vec<&HistoryItem> = self.filtered.list.loaded().map(|(_, row)| row).collect();
            let words = cx.dotted(self.filtered.filter_words());
            let head = format!("{} {} {words}", count!(rows.len() as u64, "badge", "badges"), cx.glyphs.dot);
            let note = t!("The file has the rows that the list shows: lapel compares only loaded rows.");
            (rows, head, note)
        } else {
            return self.filtered.source("history", cx);
        };
        Ok(ExportSource::of_badges("history", head, note.to_owned(), rows, cx))
    }

    fn revoke(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        let now = cx.now();
        if !self.marks.is_empty() {
            let targets = self.marks.values().map(|row| RevokeTarget::of(row, now)).collect();
            RevokeForm::open_marked(targets, self.hidden_marks(cx), effects);
        } else if let Some(row) = self.filtered.list.selected() {
            RevokeForm::open(vec![RevokeTarget::of(row, now)], effects);
        } else {
            effects.say(t!("This row has no badge to revoke."));
        }
    }
}

impl Component for History {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.filtered.over().unwrap_or_else(|| {
            vec![KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always]
        })
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::UndoLast => self.marks.has_changes(),
            Action::ClearMarks => !self.marks.is_empty(),
            Action::PreviewDown | Action::PreviewUp => self.preview.is_shown(),
            Action::Issue => self.filtered.list.selected().is_some_and(|row| row.template_id.is_some()),
            Action::Revoke => !self.marks.is_empty() || self.filtered.is_enabled(action),
            _ => self.filtered.is_enabled(action),
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.filtered.over().is_some() {
            return self.filtered.on_action(action, cx, effects);
        }
        match action {
            Action::Open | Action::Wallet => return follow(action, self.filtered.list.selected(), effects),
            Action::MarkAll => self.offer_mark_all(cx, effects),
            Action::Back if self.marks.cancel_range() => {}
            Action::Back if self.marking.is_some() => self.give_up_marking(effects),
            Action::Revoke => self.revoke(cx, effects),
            Action::Issue => {
                match self.filtered.list.selected().and_then(|row| Some((row, row.template_id.clone()?))) {
                    Some((row, id)) => {
                        let title = row.title.clone().unwrap_or_default();
                        effects.open(|_, effects| IssueForm::new(id, title, effects));
                    }
                    None => effects.say(t!("This row has no template to issue from.")),
                }
            }
            Action::Ids => effects.open(RevokeIds::new),
            Action::PreviewDown | Action::PreviewUp => self.preview.scroll(action, effects),
            Action::Export if self.marks.is_empty() && self.filtered.index().is_some() => {
                if let Some(which) = self.filtered.index_list(cx) {
                    effects.request_instead(&mut self.exporting, Request::IndexExport(which));
                }
            }
            Action::Export => match self.source(cx) {
                Ok(source) => effects.export(source),
                Err(why) => effects.say(why),
            },
            _ => {
                let (stack, list) = (self.key_contexts(), &mut self.filtered.list);
                return self.marks.on_action(action, list, &stack, cx, effects)
                    || self.filtered.on_action(action, cx, effects);
            }
        }
        true
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Err(reply) = self.receive_marking(reply, cx, effects) else { return Ok(()) };
        let Err(reply) = self.preview.on_response(reply, effects) else { return Ok(()) };
        match reply.to(&mut self.exporting) {
            Err(reply) => self.filtered.on_response(reply, cx, effects)?,
            Ok(Response::IndexExport(Ok(found))) => {
                let words = cx.dotted(self.filtered.filter_words());
                effects.export(ExportSource::of_index(&words, found, cx));
                return Ok(());
            }
            Ok(Response::IndexExport(Err(why))) => {
                effects.warn(why);
                return Ok(());
            }
            Ok(_) => return Ok(()),
        }
        // The rows of the index may be older than the marks.
        if self.filtered.index().is_none() {
            for row in self.filtered.loaded() {
                self.marks.refresh(row);
            }
        }
        self.filtered.set_notes(copies::notes(self.filtered.loaded(), cx));
        self.marks.finish_range(&mut self.filtered.list, effects);
        Ok(())
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let (list, pane) = self.filtered.split(area);
        self.filtered.load_visible(list, cx, effects);
        let row = self.filtered.list.selected();
        // Only a row with notes has copies, and to look for them among all rows takes long.
        let of_copies = row.filter(|row| !self.filtered.notes(row).is_empty());
        let copies = of_copies.and_then(|row| copies::words(self.filtered.loaded(), row, cx.now()));
        self.filtered.aside = self.preview.lay_out(row, copies, pane, effects);
        self.marks.finish_range(&mut self.filtered.list, effects);
        self.check_marking(effects);
    }

    fn know(&self, known: &mut KnownWords) {
        for (_, item) in self.filtered.list.loaded() {
            item.know(known);
        }
        let filter = self.filtered.view().filter;
        filter
            .iter()
            .filter(|(field, _)| field.starts_with("recipient_"))
            .for_each(|(_, text)| known.typed(text));
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::History) => TourPlace::History,
            _ => TourPlace::Elsewhere,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let right = [self.marking_words().unwrap_or_default(), self.marks_in_words(cx)].join("  ");
        let (list, pane) = self.filtered.split(area);
        let ends = self.marks.range_start().map(|from| between(from, self.filtered.list.cursor()));
        let mark = |place: u64, row: &HistoryItem| RowMark {
            notes: copies::notes_at(place, self.filtered.notes(row), &self.filtered.list, cx),
            is_marked: self.marks.contains_key(&row.badge_id),
            is_in_range: ends.as_ref().is_some_and(|ends| ends.contains(&place)),
        };
        self.filtered.draw(frame, list, cx, &mark, right.trim());
        if let (Some(pane), Some(row)) = (pane, self.filtered.list.selected()) {
            self.preview.draw(row, pane, &[KeyContext::History, KeyContext::Always], frame, cx);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        let (list, _) = self.filtered.split(area);
        if at.x >= list.right() {
            return Clicked::Nothing;
        }
        let clicked = self.filtered.on_click(at, list);
        // A press outside the rows does not start a drag.
        if clicked == Clicked::Changed && self.filtered.place_at(list, at.y).is_some() {
            self.marks.hold(&self.filtered.list);
        }
        clicked
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        self.filtered.on_text_key(key, effects)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        self.filtered.on_paste(text, effects);
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        self.take_progress(request, done, all)
    }
}

pub fn follow(action: Action, row: Option<&HistoryItem>, effects: &mut Effects<'_>) -> bool {
    match action {
        Action::Open => match row {
            Some(row) => effects.go.push(Navigate::Badge(ListedBadge::of(row))),
            None => effects.say(t!("This row has no badge to open.")),
        },
        Action::Wallet => match row.and_then(|row| row.recipient_email.as_ref()) {
            Some(email) => effects.go.push(Navigate::Holder(email.wire().to_owned())),
            None => effects.say(t!("This row has no e-mail address to look up.")),
        },
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_may_be_hidden_also_if_it_is_overdue() {
        let said = |state| {
            HistoryItem::may_be_hidden(&HistoryNarrowing {
                state: Some(state),
                ..HistoryNarrowing::default()
            })
        };
        let (waiting, overdue) = (said(StateIs::Waiting), said(StateIs::Overdue));
        assert!(waiting.is_some() && overdue.is_some() && waiting != overdue);
        assert_eq!(said(StateIs::Issued), None);
    }
}

//! The badges whose mails failed, grouped by mail domain: of the index, or of the rows of jobs in the journal.

use super::HomePane;
use super::badge_rows::{BadgeColumns, copyables};
use super::counts::fixed_order;
use crate::jobs::receipt::{FailedMails, MailGroup};
use crate::tui::prelude::*;
use crate::tui::screens::badge_preview::{BadgePreview, picture_of};
use crate::tui::screens::history::follow;
use crate::tui::widgets::copying::{Copyables, records_of};
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::paged_list::{ListEntry, ListRow, PagedList, RowSlot, draw_texts};
use crate::tui::widgets::preview;
use crate::tui::widgets::search::{Search, Searched};

const STACK: &[KeyContext] =
    &[KeyContext::MailFailures, KeyContext::List, KeyContext::Global, KeyContext::Always];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailSource {
    /// The index, with the words for when it was read.
    Index(String),
    Journal(Option<JobId>),
}

#[derive(Clone, Debug, PartialEq)]
enum MailLine {
    /// The place of the domain's group. The place after the last group is for failures in no group.
    Group(usize),
    Badge(Box<HistoryItem>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum MailLineId {
    Group(usize),
    Badge(BadgeId),
}

impl ListRow for MailLine {
    type Id = MailLineId;
    fn id(&self) -> MailLineId {
        match self {
            Self::Group(place) => MailLineId::Group(*place),
            Self::Badge(badge) => MailLineId::Badge(badge.badge_id.clone()),
        }
    }
}

pub struct FailedMailList {
    source: MailSource,
    request: Option<RequestId>,
    found: LastRead<FailedMails, String>,
    list: PagedList<MailLine>,
    folded: BTreeSet<usize>,
    search: Search,
    preview: BadgePreview,
    columns: BadgeColumns,
}

impl FailedMailList {
    pub fn new(source: MailSource, effects: &mut Effects<'_>) -> Self {
        let mut mails = Self {
            source,
            request: None,
            found: LastRead::default(),
            list: PagedList::default(),
            folded: BTreeSet::new(),
            search: Search::default(),
            preview: BadgePreview::default(),
            columns: BadgeColumns::of_mails(),
        };
        mails.read(effects);
        mails
    }

    /// Costs no request.
    fn read(&mut self, effects: &mut Effects<'_>) {
        let ask = match &self.source {
            MailSource::Index(_) => Request::IndexMails,
            MailSource::Journal(job) => Request::Mail(*job),
        };
        effects.request_instead(&mut self.request, ask);
    }

    fn badge(&self) -> Option<&HistoryItem> {
        match self.list.selected()? {
            MailLine::Badge(badge) => Some(badge),
            MailLine::Group(_) => None,
        }
    }

    fn shown(&self) -> impl Iterator<Item = &HistoryItem> {
        let texts = |badge: &HistoryItem| {
            [&badge.recipient_name, &badge.recipient_email, &badge.title, &badge.email_status]
                .into_iter()
                .flatten()
                .map(Text::wire)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let badges = self.found.value().into_iter().flat_map(|found| &found.badges);
        badges.filter(move |badge| self.search.finds(&texts(badge)))
    }

    /// A search opens every group.
    fn arrange(&mut self) {
        let Some(found) = self.found.value() else {
            self.list.hold(Vec::new());
            return;
        };
        let report = &found.report;
        let place_of = |badge: &HistoryItem| report.group_of(badge).unwrap_or(report.groups.len());
        let is_searched = self.search.text().is_some();
        let mut lines: Vec<MailLine> = Vec::new();
        let mut last = None;
        for badge in self.shown() {
            let place = place_of(badge);
            if last != Some(place) {
                last = Some(place);
                lines.push(MailLine::Group(place));
            }
            if is_searched || !self.folded.contains(&place) {
                lines.push(MailLine::Badge(Box::new(badge.clone())));
            }
        }
        self.list.hold(lines);
    }

    fn step(&mut self, forward: bool) {
        let is_badge = |place: u64| matches!(self.list.row_at(place), Some(MailLine::Badge(_)));
        let found = if forward {
            (self.list.cursor() + 1..self.list.len()).find(|place| is_badge(*place))
        } else {
            (0..self.list.cursor()).rev().find(|place| is_badge(*place))
        };
        if let Some(place) = found {
            self.list.move_to(place);
        }
    }

    fn export(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        let badges: Vec<&HistoryItem> = self.shown().collect();
        if badges.is_empty() {
            effects.say(t!("There are no failed mails here to export."));
            return;
        }
        let mut head = plural!(badges.len() as u64, "{n} failed mail", "{n} failed mails");
        if let Some(text) = self.search.typed() {
            head.push_str(&format!(" {} {text}", cx.glyphs.dot));
        }
        let source = ExportSource::of_badges("mail-failures", head, self.source_words(), badges, cx);
        effects.export(source);
    }

    /// How many mails failed, and how old that figure is, in lines of this width.
    fn title(&self, columns: u16, cx: &UiContext) -> Vec<String> {
        let title = match self.found.value() {
            Some(found) if self.request.is_none() => {
                let report = &found.report;
                let badges = count!(report.issued, "issued badge", "issued badges");
                match (report.failed, report.issued) {
                    (_, 0) => t!("No issued badges, no mails").to_owned(),
                    (0, _) => t!("No known mail failures for {badges}", badges),
                    (failed, _) => t!("{failed} of {badges}: mail failed", failed = number(failed), badges),
                }
            }
            _ => t!("Mail failures").to_owned(),
        };
        let (source, room) = (self.source_words(), usize::from(columns).saturating_sub(3));
        let whole = format!("{title} {} {source}", cx.glyphs.dot);
        if width(&whole) <= room {
            return vec![whole];
        }
        wrap(&title, room).into_iter().chain(wrap(&source, room)).collect()
    }

    /// The rows of the list, and the preview. Above the rows are the title and the headings, below them the advice and
    /// the counter.
    fn areas(&self, area: Rect, cx: &UiContext) -> (Rect, Option<Rect>) {
        let groups = self.found.value().into_iter().flat_map(|found| &found.report.groups);
        let longest = groups.map(|group| width(&of_group(group)) + 2).max().unwrap_or(0);
        let (left, pane) = self.columns.split(area, longest);
        let below = self.advice(left.width, cx).len() as u16 + 1;
        let above = (self.title(left.width, cx).len() as u16 + 1).min(left.height);
        (Rect { y: left.y + above, height: left.height.saturating_sub(above + below), ..left }, pane)
    }

    fn advice(&self, columns: u16, cx: &UiContext) -> Vec<String> {
        let room = usize::from(columns).saturating_sub(4);
        let note = self.found.note(String::clone, cx);
        let mut lines = note.map_or_else(Vec::new, |note| wrap(&note, room));
        if self.list.is_empty() {
            return lines;
        }
        let text = t!(
            "The service cannot send a mail again. Many failures at one domain: ask its IT to allow the service's mails. {open} opens a badge or folds a domain.",
            open = cx.key(STACK, Action::Open)
        );
        lines.extend(wrap(&text, room));
        lines
    }

    fn source_words(&self) -> String {
        match &self.source {
            MailSource::Index(read) => t!("from the index, {read}", read),
            MailSource::Journal(Some(job)) => t!("from the rows of job {job} as last checked", job),
            MailSource::Journal(None) => t!("from lapel's own jobs (no index)").to_owned(),
        }
    }

    /// How many mails of a domain failed, by the service's words for the failures.
    fn group_lines(&self, place: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let mut lines = styled(&self.group_words(place), room, cx.theme.strong());
        let group = self.found.value().and_then(|found| found.report.groups.get(place));
        let statuses = group.map(|group| group.statuses.as_slice()).unwrap_or_default();
        lines.extend((!statuses.is_empty()).then(Line::default));
        for (word, times) in statuses {
            lines.extend(styled(&t!("{n} {word}", n = number(*times), word), room, cx.theme.text()));
        }
        lines
    }

    fn draw_list(&self, frame: &mut Frame<'_>, list: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        if let Some(Err(why)) = self.found.shown() {
            return draw_texts(frame, list, &[cx.alert(why)], theme.error());
        }
        let nothing = match self.search.text() {
            Some(_) => t!("No rows match.").to_owned(),
            None => t!(
                "lapel knows of no failed mail. SENT does not mean “delivered”: the service reports no more."
            )
            .to_owned(),
        };
        if self.list.draw_empty(frame, list, (&nothing, t!("reading")), cx) {
            return;
        }
        let widths = self.columns.widths(list.width);
        self.list.draw_rows(frame, list, cx, |_, row| match row {
            RowSlot::Entry(ListEntry::Row(MailLine::Badge(badge))) => {
                let mut spans = vec![Span::raw(" ")];
                spans.extend(self.columns.cells(badge, &[], &widths, cx));
                spans
            }
            RowSlot::Entry(ListEntry::Row(MailLine::Group(place))) => {
                let is_folded = self.search.text().is_none() && self.folded.contains(place);
                let sign = if is_folded { cx.glyphs.folded } else { cx.glyphs.unfolded };
                let words = format!("{sign} {}", self.group_words(*place));
                let words = fit(&words, usize::from(list.width).saturating_sub(2), cx.glyphs.ellipsis);
                vec![Span::styled(words, theme.strong())]
            }
            _ => Vec::new(),
        });
    }

    fn group_words(&self, place: usize) -> String {
        let Some(found) = self.found.value() else { return String::new() };
        match found.report.groups.get(place) {
            Some(group) => of_group(group),
            None => t!("one failed mail per domain: {failed}", failed = number(found.report.scattered)),
        }
    }
}

impl Component for FailedMailList {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.search.over().unwrap_or_else(|| STACK.to_vec())
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::Wallet | Action::Raw => self.badge().is_some(),
            Action::Open | Action::Copy | Action::Export => !self.list.is_empty(),
            Action::NextMatch | Action::PreviousMatch => self.search.text().is_some(),
            Action::PreviewDown | Action::PreviewUp => self.preview.is_shown(),
            Action::Only | Action::Sort | Action::ChooseColumns => false,
            _ => true,
        }
    }

    /// Back leaves the list.
    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match self.search.on_action(action) {
            Searched::Changed => {
                self.arrange();
                return true;
            }
            Searched::Step { forward } => {
                self.step(forward);
                return true;
            }
            Searched::Nothing => {}
        }
        match (action, self.list.selected()) {
            (Action::Open, Some(MailLine::Group(place))) => {
                let place = *place;
                if !self.folded.remove(&place) {
                    self.folded.insert(place);
                }
                self.arrange();
            }
            (Action::Open | Action::Wallet, _) => {
                follow(action, self.badge(), effects);
            }
            (Action::Export, _) => self.export(cx, effects),
            (Action::Reload, _) => self.read(effects),
            (Action::Only, _) => effects.say(t!(
                "All these mails failed. {key} narrows the list by a text, also by the service's word.",
                key = cx.key(STACK, Action::Search)
            )),
            (Action::Sort | Action::ChooseColumns, _) => effects.say(fixed_order()),
            (Action::PreviewDown | Action::PreviewUp, _) => self.preview.scroll(action, effects),
            _ => return self.list.on_action(action),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let changed = self.search.on_text_key(key);
        self.arrange();
        changed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.search.on_paste(text);
        self.arrange();
    }

    fn on_click(&mut self, at: Position, area: Rect, cx: &UiContext, _: &mut Effects<'_>) -> Clicked {
        let (list, _) = self.areas(area, cx);
        Clicked::changed(at.x < list.right() && self.list.on_click(list, at.y))
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request) {
            Ok(Response::Mail(found) | Response::IndexMails(found)) => self.found.take(found, cx),
            Ok(_) => return Ok(()),
            Err(reply) => return self.preview.on_response(reply, effects),
        }
        let badges = self.found.value().into_iter().flat_map(|found| &found.badges);
        badges.for_each(|badge| self.columns.fit(badge, &[], cx));
        self.arrange();
        Ok(())
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let (list, pane) = self.areas(area, cx);
        self.list.set_height(list.height);
        let badge = match self.list.selected() {
            Some(MailLine::Badge(badge)) => Some(badge.as_ref()),
            _ => None,
        };
        self.preview.lay_out(badge, None, pane, effects);
    }

    fn know(&self, known: &mut KnownWords) {
        for badge in self.found.value().into_iter().flat_map(|found| &found.badges) {
            badge.know(known);
        }
        known.typed(self.search.value());
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let (list, pane) = self.areas(area, cx);
        let line = |y: u16| Rect { y, height: 1, ..list };
        for (y, text) in (area.y..list.y.saturating_sub(1)).zip(self.title(list.width, cx)) {
            frame.render_widget(Line::styled(format!("  {text}"), theme.strong()), line(y));
        }
        let head = self.columns.head(&self.columns.widths(list.width), cx);
        frame.render_widget(head, line(list.y.saturating_sub(1).max(area.y)));
        self.draw_list(frame, list, cx);
        let mut y = list.bottom();
        for text in self.advice(list.width, cx) {
            frame.render_widget(Line::styled(format!("  {text}"), theme.dim()), line(y));
            y += 1;
        }
        let most = self.found.value().map_or(0, |found| found.badges.len() as u64);
        let all = self.found.value().map_or(0, |found| found.report.failed);
        let counter = if most < all {
            t!("the first {most} of {all} are listed", most = number(most), all = number(all))
        } else {
            self.list.counter()
        };
        let search = self.search.line(usize::from(list.width) / 2, cx).unwrap_or_default();
        two_sided(
            frame,
            line(y.min(area.bottom() - 1)),
            (search, Span::styled(counter, theme.dim())),
            true,
            cx,
        );
        match (pane, self.list.selected()) {
            (Some(pane), Some(MailLine::Badge(badge))) => self.preview.draw(badge, pane, STACK, frame, cx),
            (Some(pane), Some(MailLine::Group(place))) => {
                preview::draw_edge(frame, pane, cx);
                let inside = preview::inside(pane);
                let lines = self.group_lines(*place, usize::from(inside.width), cx);
                frame.render_widget(lines, inside);
            }
            _ => {}
        }
    }
}

impl HomePane for FailedMailList {
    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        picture_of(self.badge()?, self.areas(area, cx).1?, cx)
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let what = |n| plural!(n, "{n} row with failed mails", "{n} rows with failed mails");
        copyables(self.badge(), self.shown(), what, cx)
    }

    fn records(&self) -> Vec<RawOf> {
        records_of(self.badge())
    }

    fn rows_built(&self) -> u64 {
        self.list.rows_built()
    }
}

/// `@strictgate.example: 43 of 45 failed (29 FAIL, 14 BOUNCE)`
fn of_group(group: &MailGroup) -> String {
    t!(
        "@{domain}: {failed} of {issued} failed ({states})",
        domain = group.domain,
        failed = number(group.failed),
        issued = number(group.issued),
        states = group.words()
    )
}

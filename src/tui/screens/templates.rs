//! The Templates tab: the organisation's badge templates, with the details of the selected one beside them.

mod categories;
mod copyables;

use self::categories::Categories;
use crate::api::{TemplateFilter, TemplateQuery};
use crate::domain::{BadgeType, CategoryId, CategoryLevelId, TemplateDetail, validity};
use crate::tui::modals::issue::IssueForm;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::tour::TourPlace;
use crate::tui::widgets::filter::{FilterChoice, FilterField, FilterFieldKind, FilterValue};
use crate::tui::widgets::filtered_list::{FilteredList, ListRecord, ListTexts, RowMark, level, level_words};
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::paged_list::ListRow;
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::{RecordField, pane};
use crate::tui::widgets::scroll::Scroll;

/// Index of the filter field with the category id.
const CATEGORY_FIELD: usize = 3;
const TITLE_FIELD: usize = 0;

/// The date of a badge is that of its acceptance.
const REGISTERED: &str = tr_noop!("Registered");

type ListField = RecordField<Template>;

impl ListRow for Template {
    type Id = TemplateId;
    fn id(&self) -> TemplateId {
        self.template_id.clone()
    }
}

impl ListRecord for Template {
    type Filter = TemplateFilter;
    type Narrowing = ();
    const TEXTS: ListTexts = ListTexts {
        reading: tr_noop!("reading templates"),
        not_read: tr_noop!("templates not read"),
        none: tr_noop!("no templates"),
        empty: tr_noop!("There are no templates here."),
        no_match: tr_noop!("No templates match this filter. {esc} clears it."),
        not_loaded: tr_noop!("The templates are not loaded yet. Try again in a moment."),
        nothing_to_export: tr_noop!("There are no templates here to export."),
        all: tr_noop!("all templates"),
    };
    fn count(n: u64) -> String {
        count!(n, "template", "templates")
    }
    const LIST: &'static str = "templates";
    const FILTERS: &'static [FilterField] = &[
        FilterField::of("title", tr_noop!("title:"), FilterFieldKind::Text),
        FilterField::of("use_yn", tr_noop!("use:"), FilterFieldKind::YesNo),
        FilterField::new("badge_type", tr_noop!("Type"), tr_noop!("type:"), FilterFieldKind::BadgeType),
        FilterField::new(
            "category_id",
            tr_noop!("Category"),
            tr_noop!("category:"),
            FilterFieldKind::Category,
        ),
        FilterField::new(
            "category_level_id",
            tr_noop!("Level id"),
            tr_noop!("level-id:"),
            FilterFieldKind::Text,
        ),
        FilterField::of("template_id", tr_noop!("id:"), FilterFieldKind::Template),
        FilterField::date("reg_str_date", tr_noop!("Registered from"), tr_noop!("registered-from:")),
        FilterField::date("reg_end_date", tr_noop!("Registered to"), tr_noop!("registered-to:")),
    ];
    const FIELDS: &'static [RecordField<Self>] = &[
        ListField::of("title", (24, 3, 0)).styled(in_use),
        ListField::of("badge_type_name", (11, 0, 2)).styled(in_use),
        ListField::of("category_name", (16, 1, 1)).styled(in_use),
        ListField::of("level", (10, 0, 3))
            .shown(|row, (), cx| level(row.level, row.level_name.as_ref(), cx))
            .whole(|row, (), _| level_words(row.level, row.level_name.as_ref()))
            .styled(in_use),
        ListField::of("use_yn", (3, 0, 0))
            .titled(tr_noop!("Use"))
            .shown(|row, (), _| row.use_yn.map_or("?", |used| if used { "Y" } else { "N" }).to_owned())
            .styled(|row, cx| match row.use_yn {
                Some(true) => cx.theme.text(),
                Some(false) => cx.theme.warning(),
                None => cx.theme.dim(),
            }),
        ListField::of("reg_date", (16, 0, 4)).titled(REGISTERED).styled(in_use),
        ListField::of("template_id", (10, 0, 4)).styled(in_use),
    ];
    const DEFAULT_COLUMNS: usize = 5;

    /// The titles, and the ids by their titles.
    fn choices_in(&self) -> Vec<FilterChoice> {
        let Some(title) = self.title.as_ref().map(Text::wire).filter(|title| !title.trim().is_empty()) else {
            return Vec::new();
        };
        let choice =
            |field, value: &str| FilterChoice { field, value: value.to_owned(), name: title.to_owned() };
        vec![choice("title", title), choice("template_id", self.template_id.wire())]
    }

    fn filter(values: &[FilterValue]) -> TemplateFilter {
        let at = |i: usize| values.get(i).cloned().unwrap_or(FilterValue::Empty);
        TemplateFilter {
            title: at(TITLE_FIELD).try_as_text(),
            use_yn: at(1).try_as_yes_no(),
            badge_type: at(2).try_as_badge_type(),
            category_id: at(CATEGORY_FIELD).try_as_text().and_then(CategoryId::new),
            category_level_id: at(4).try_as_text().and_then(CategoryLevelId::new),
            template_id: at(5).try_as_text().and_then(TemplateId::new),
            reg_str_date: at(6).try_as_date(),
            reg_end_date: at(7).try_as_date(),
        }
    }

    fn choices(response: &Response) -> Vec<FilterChoice> {
        match response {
            Response::Categories(Ok(listed)) => {
                let name = |category: &Category| {
                    category.category_name.as_ref().map_or_else(String::new, |name| name.wire().to_owned())
                };
                let choice = |category: &Category| FilterChoice {
                    field: "category_id",
                    value: category.category_id.wire().to_owned(),
                    name: name(category),
                };
                listed.items.iter().map(choice).collect()
            }
            Response::BadgeTypes(Ok(types)) => types.types.iter().filter_map(type_choice).collect(),
            _ => Vec::new(),
        }
    }

    fn ask(filter: &TemplateFilter, paging: Paging) -> Request {
        Request::Templates(TemplateQuery { filter: filter.clone(), paging })
    }

    fn page_of(response: Response) -> Result<Result<Page<Self>, ApiError>, Response> {
        if let Response::Templates(page) = response { Ok(page) } else { Err(response) }
    }
}

/// The code and the name of a badge type. The contract does not show the fields of its record.
pub fn type_choice(kind: &BadgeType) -> Option<FilterChoice> {
    let field = |wanted: &str| {
        let found = kind.fields.iter().find(|(name, _)| name.wire() == wanted);
        found.map(|(_, value)| value.wire().to_owned())
    };
    Some(FilterChoice { field: "badge_type", value: field("badge_type")?, name: field("badge_type_name")? })
}

pub(super) const DETAILS: &[RecordField<TemplateDetail>] = &[
    RecordField::plain("skills_tag"),
    RecordField::plain("criteria"),
    RecordField::plain("description"),
    RecordField::plain("category_name"),
    RecordField::plain("level"),
    RecordField::plain("badge_type"),
    RecordField::plain("card_color_cd"),
    RecordField::plain("template_id"),
    RecordField::plain("reg_date").titled(REGISTERED),
    RecordField::plain("upd_date"),
];

fn in_use(row: &Template, cx: &UiContext) -> Style {
    if row.use_yn == Some(false) { cx.theme.dim() } else { cx.theme.text() }
}

#[derive(Default)]
pub struct Templates {
    pub filtered: FilteredList<Template>,
    detail: Option<(TemplateId, LastRead<TemplateDetail>)>,
    /// For the details, or the rest of the cursor before it.
    request: Option<RequestId>,
    wanted: Option<TemplateId>,
    /// Whether the details are open in place of the list, when there is no room beside it.
    full: bool,
    over_text: bool,
    /// Whether the details are shown beside the list, so that nothing has to be opened.
    beside: bool,
    scroll: Scroll,
    detail_area: Rect,
    categories: Option<Categories>,
}

impl Templates {
    pub fn titled(&mut self, title: &str, effects: &mut Effects<'_>) {
        self.categories = None;
        self.filtered.filter_by(TITLE_FIELD, title, effects);
    }

    fn read_detail(&mut self, effects: &mut Effects<'_>) {
        if let Some(id) = self.wanted.clone() {
            effects.request_instead(&mut self.request, Request::Template(id));
        }
    }

    /// In a narrow window, only one of the list and the details is shown.
    fn areas(&self, area: Rect) -> (Rect, Option<Rect>) {
        match self.filtered.split(area) {
            (list, Some(pane)) => (list, Some(preview::inside(pane))),
            (list, None) if self.full => {
                (list, Some(Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area }))
            }
            (list, None) => (list, None),
        }
    }

    fn lines(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let Some(row) = self.filtered.list.selected() else { return Vec::new() };
        let read = self.detail.as_ref().filter(|(id, _)| *id == row.template_id).map(|(_, read)| read);
        let not_read = |error: &ApiError| t!("This template could not be read: {error}", error);
        match read.and_then(LastRead::shown) {
            Some(Ok(detail)) => {
                let note = read.and_then(|read| read.note(not_read, cx));
                let mut lines = note.map_or_else(Vec::new, |note| styled(&note, room, cx.theme.error()));
                lines.extend(detail_lines(detail, room, cx));
                lines
            }
            Some(Err(error)) => styled(&not_read(error), room, cx.theme.error()),
            None => {
                let title = row.title.as_ref().map_or(String::new(), ToString::to_string);
                let mut lines: Vec<Line<'static>> = styled(&title, room, cx.theme.strong());
                lines.push(Line::styled(cx.busy(t!("reading")), cx.theme.dim()));
                lines
            }
        }
    }
}

impl Component for Templates {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if let Some(open) = &self.categories {
            let list =
                || vec![KeyContext::Categories, KeyContext::List, KeyContext::Global, KeyContext::Always];
            return open.search.over().unwrap_or_else(list);
        }
        if let Some(over) = self.filtered.over() {
            return over;
        }
        let mut stack = vec![KeyContext::Templates, KeyContext::List, KeyContext::Global, KeyContext::Always];
        if self.full {
            stack.insert(0, KeyContext::Template);
        }
        if self.full && self.over_text {
            stack.insert(0, KeyContext::Picture);
        }
        stack
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        (action != Action::Open || !self.beside) && self.filtered.is_enabled(action)
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.categories.is_some() {
            return self.act_categories(action, effects);
        }
        if self.filtered.over().is_some() {
            return self.filtered.on_action(action, cx, effects);
        }
        match action {
            Action::Open if self.beside => {
                effects.say(t!("The preview already shows the selected row."));
            }
            Action::Open => {
                self.full = !self.full;
                self.over_text = false;
                self.scroll.reset();
            }
            Action::Picture if self.beside => {
                effects.say(t!("A template has only a front, and the preview shows it."));
            }
            Action::Picture => (self.full, self.over_text) = (true, !self.over_text),
            Action::TurnOver => effects.say(t!("A template has one picture; a badge has two sides.")),
            Action::Back if self.full && self.over_text => self.over_text = false,
            Action::Back if self.full => self.full = false,
            Action::PageDown | Action::PageUp if self.full => {
                self.scroll.on_action(action);
            }
            Action::PreviewDown | Action::PreviewUp if self.beside || self.full => {
                self.scroll.on_action(action);
            }
            Action::PreviewDown | Action::PreviewUp => effects.say(preview::no_room()),
            Action::Issue => match self.filtered.list.selected() {
                Some(row) => {
                    let (id, title) = (row.template_id.clone(), row.title.clone().unwrap_or_default());
                    effects.open(|_, effects| IssueForm::new(id, title, effects));
                }
                None => effects.say(t!("This row has no template to issue from.")),
            },
            Action::Categories => {
                self.categories = Some(Categories::open(effects));
            }
            Action::Export => match self.filtered.source("templates", cx) {
                Ok(source) => effects.export(source),
                Err(why) => effects.say(why),
            },
            Action::Filter | Action::Sort | Action::GoToRow | Action::ChooseColumns => {
                // These are drawn over the list, so the list must be visible.
                self.full = false;
                return self.filtered.on_action(action, cx, effects);
            }
            Action::Reload => {
                effects.cancel(self.request.take());
                // What is shown stays until the answer comes. In a narrow list it is read when it is opened.
                if self.beside || self.full {
                    self.read_detail(effects);
                } else {
                    self.wanted = None;
                }
                return self.filtered.on_action(action, cx, effects);
            }
            _ => return self.filtered.on_action(action, cx, effects),
        }
        true
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Paused if self.request == Some(id) => {
                self.request = None;
                self.read_detail(effects);
            }
            Response::Template(detail) if self.request == Some(id) => {
                self.request = None;
                if let Some(id) = self.wanted.clone() {
                    let before = self.detail.take().filter(|(of, _)| *of == id);
                    let mut read = before.map(|(_, read)| read).unwrap_or_default();
                    read.take(*detail, cx);
                    self.detail = Some((id, read));
                }
            }
            Response::Categories(_) | Response::BadgeTypes(_) => {
                let Err(reply) = self.receive_categories(Reply { id, response }, cx, effects) else {
                    return Ok(());
                };
                return self.filtered.on_response(reply, cx, effects);
            }
            response => return self.filtered.on_response(Reply { id, response }, cx, effects),
        }
        Ok(())
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let (list, pane) = self.filtered.split(area);
        self.filtered.load_visible(list, cx, effects);
        let selected = self.filtered.list.selected().map(|row| row.template_id.clone());
        self.beside = pane.is_some();
        self.full &= !self.beside;
        let shows = self.beside || self.full;
        if shows && selected.is_some() && selected != self.wanted {
            self.wanted = selected;
            self.scroll.reset();
            // The first template is read at once. Later the cursor must rest, because otherwise every row passed
            // would cost a request.
            if self.detail.is_none() && self.request.is_none() {
                self.read_detail(effects);
            } else {
                // An answer to the former request would stand beside another row.
                effects.request_instead(&mut self.request, Request::Pause(Request::CURSOR_REST));
            }
        }
        self.detail_area = self.areas(area).1.unwrap_or_default();
        if self.picture(area, cx).is_some_and(|_| cx.pictures.is_on()) && self.beside {
            self.detail_area = picture::above(self.detail_area).1;
        }
    }

    fn know(&self, known: &mut KnownWords) {
        for (_, t) in self.filtered.list.loaded() {
            known
                .plain([&t.title, &t.badge_type_name, &t.category_name, &t.level_name].into_iter().flatten());
        }
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::Templates | KeyContext::Template) => TourPlace::Templates,
            _ => TourPlace::Elsewhere,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let want = self.picture(area, cx).filter(|_| cx.pictures.is_on());
        if let (true, Some(want)) = (self.full, &want) {
            let title = self.filtered.list.selected().and_then(|row| row.title.as_ref());
            let title = title.map(ToString::to_string).unwrap_or_default();
            picture::draw_caption(frame, area, &title, cx);
            cx.pictures.draw(frame, want, cx.theme.dim());
            return;
        }
        if !self.full {
            let (list, pane) = self.filtered.split(area);
            self.filtered.draw(frame, list, cx, &|_, _| RowMark::default(), "");
            if let Some(pane) = pane {
                preview::draw_edge(frame, pane, cx);
            }
            if let Some(want) = &want {
                cx.pictures.draw(frame, want, cx.theme.dim());
            }
        }
        if self.full || self.beside {
            let lines = self.lines(usize::from(self.detail_area.width), cx);
            self.scroll.draw(frame, self.detail_area, lines, &self.key_contexts(), cx);
        }
        if let Some(open) = &self.categories {
            open.draw(frame, area, cx);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if let Some(open) = &mut self.categories {
            return open.cursor.on_click(at, Action::OnlyCategory);
        }
        let (list, _) = self.filtered.split(area);
        if self.full || at.x >= list.right() {
            return Clicked::Nothing;
        }
        self.filtered.on_click(at, list)
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        if let Some(open) = &mut self.categories {
            let texts = open.texts();
            return open.search.type_in(key, &mut open.cursor, &texts);
        }
        self.filtered.on_text_key(key, effects)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        self.filtered.on_paste(text, effects);
    }
}

fn detail_lines(detail: &TemplateDetail, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let theme = &cx.theme;
    let text = |t: &Option<Text>| t.as_ref().filter(|t| !t.looks_empty()).map(ToString::to_string);
    let mut lines = Vec::new();
    let title = text(&detail.title).unwrap_or_else(|| t!("(no title)").to_owned());
    lines.extend(styled(&title, room, theme.strong()));
    let kind = text(&detail.badge_type_name)
        .or_else(|| detail.badge_type.as_ref().map(|t| Text::new(t.wire()).to_string()));
    let facts: Vec<String> =
        [kind, text(&detail.level_name), Some(validity::policy(detail))].into_iter().flatten().collect();
    lines.extend(wrap(&cx.dotted(&facts), room).into_iter().map(Line::raw));
    for warning in validity::warnings(detail, cx.now()) {
        lines.extend(styled(&cx.alert(warning), room, theme.warning()));
    }
    lines.push(Line::raw(""));
    lines.extend(labelled(&pane(DETAILS, detail, cx), room, cx));
    lines
}

/// Lines with labels and wrapped values. Fields without a value are left out.
pub fn labelled(fields: &[(&str, Option<String>)], room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    const LEAST: usize = 10;
    let wide = fields.iter().map(|(label, _)| width(label) + 1).fold(LEAST, usize::max);
    let mut lines = Vec::new();
    for (label, value) in fields {
        let Some(value) = value else { continue };
        for (i, part) in wrap(value, room.saturating_sub(wide).max(8)).into_iter().enumerate() {
            let label = if i == 0 { label } else { "" };
            lines.push(Line::from(vec![
                Span::styled(fit(label, wide, cx.glyphs.ellipsis), cx.theme.dim()),
                Span::raw(part),
            ]));
        }
    }
    lines
}

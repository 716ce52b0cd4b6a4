//! The lists of categories and badge types, shown over the list of templates.

use super::{CATEGORY_FIELD, Templates};
use crate::api::{BadgeTypes, CategoryFilter, Listed};
use crate::domain::{BadgeType, Level};
use crate::tui::input::list_hit::{ListCursor, below};
use crate::tui::prelude::*;
use crate::tui::widgets::copying::cell;
use crate::tui::widgets::filtered_list::level;
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::popup;
use crate::tui::widgets::record_field::field_title;
use crate::tui::widgets::search::Search;
use crate::tui::widgets::text_layout::{ColumnLayout, layout, line_of_cells};

/// Widest cell of a badge type that never shrinks, in columns.
const WIDEST: usize = 24;

#[derive(Default)]
pub(super) struct Categories {
    request: Option<RequestId>,
    types_request: Option<RequestId>,
    categories: LastRead<Listed<Category>>,
    types: LastRead<BadgeTypes>,
    pub(super) cursor: ListCursor,
    pub(super) search: Search,
}

impl Categories {
    pub(super) fn open(effects: &mut Effects<'_>) -> Self {
        Self {
            request: Some(effects.request(Request::Categories(CategoryFilter::default()))),
            types_request: Some(effects.request(Request::BadgeTypes)),
            ..Self::default()
        }
    }

    pub(super) fn items(&self) -> &[Category] {
        self.categories.value().map(|listed| listed.items.as_slice()).unwrap_or_default()
    }

    pub(super) fn texts(&self) -> Vec<String> {
        let all = |c: &Category| {
            let (code, name) = (cell(c.category_cd.as_ref()), cell(c.category_name.as_ref()));
            format!("{} {code} {name}", c.category_id)
        };
        self.items().iter().map(all).collect()
    }

    /// Draws both lists in a popup. The categories get the rows that the types below leave, and at least half of them.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let inside = popup::inside(area, popup::FORM);
        let items = self.items();
        let not_read = |error: &ApiError| t!("Categories could not be read: {error}", error);
        let (head, style) = match self.categories.shown() {
            None => (cx.busy(t!("reading categories")), cx.theme.dim()),
            Some(Err(error)) => (not_read(error), cx.theme.error()),
            Some(Ok(_)) => (count!(items.len() as u64, "category", "categories"), cx.theme.strong()),
        };
        let mut lines = vec![Line::styled(format!("  {head}"), style)];
        lines.extend(beside(self.categories.note(not_read, cx), inside.width, cx));
        let mut foot = Vec::new();
        for problem in self.categories.value().into_iter().flat_map(|listed| &listed.problems) {
            let (place, why) = (&problem.place, &problem.why);
            let text = t!("{place} cannot be read: {why}", place, why);
            foot.push(Line::styled(format!("  {}", cx.alert(text)), cx.theme.warning()));
        }
        foot.extend(type_lines(self, inside.width, cx));
        let outer = popup::at_bottom(area, popup::FORM, lines.len() + items.len() + foot.len());
        let inner =
            popup::open(frame, outer, area, &self.search.titled(t!("Categories and badge types"), cx), cx);
        let rows = below(inner, lines.len());
        let left = rows.height.saturating_sub(u16::try_from(foot.len()).unwrap_or(u16::MAX));
        let rows = Rect { height: left.max(inner.height / 2).min(rows.height), ..rows };
        let (shown, rest) = self.cursor.lay_all(rows, items.len(), cx);
        for (i, category) in items.iter().enumerate().skip(shown.start).take(shown.len()) {
            lines.push(category_line(category, i == self.cursor.at(), inner.width, cx));
        }
        lines.extend(rest);
        lines.extend(foot);
        frame.render_widget(lines, inner);
    }
}

impl Templates {
    pub(super) fn receive_categories(
        &mut self,
        reply: Reply,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Handled {
        self.filtered.learn(&reply.response, effects);
        let Some(open) = &mut self.categories else { return Err(reply) };
        let Reply { id, response } = reply;
        match response {
            Response::Categories(listed) if open.request == Some(id) => {
                open.request = None;
                open.categories.take(listed, cx);
            }
            Response::BadgeTypes(types) if open.types_request == Some(id) => {
                open.types_request = None;
                open.types.take(types, cx);
            }
            response => return Err(Reply { id, response }),
        }
        Ok(())
    }

    pub(super) fn act_categories(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        let Some(open) = &mut self.categories else { return false };
        let texts = open.texts();
        if open.search.act_in(action, &mut open.cursor, &texts) {
            return true;
        }
        let listed = open.items();
        match action {
            Action::OnlyCategory => {
                if let Some(category) = listed.get(open.cursor.at()) {
                    let id = category.category_id.wire().to_owned();
                    self.categories = None;
                    self.filtered.filter_by(CATEGORY_FIELD, &id, effects);
                }
            }
            Action::Reload => {
                effects.request_instead(&mut open.request, Request::Categories(CategoryFilter::default()));
                effects.request_instead(&mut open.types_request, Request::BadgeTypes);
            }
            Action::Back => {
                effects.cancel(open.request.take());
                effects.cancel(open.types_request.take());
                self.categories = None;
            }
            _ => return open.cursor.on_action(action, listed.len()),
        }
        true
    }
}

/// Why a list could not be read again.
fn beside(note: Option<String>, columns: u16, cx: &UiContext) -> Vec<Line<'static>> {
    let wrapped = wrap(&note.unwrap_or_default(), usize::from(columns).saturating_sub(4));
    let lines = wrapped.into_iter().filter(|line| !line.is_empty());
    lines.map(|line| Line::styled(format!("  {line}"), cx.theme.error())).collect()
}

fn type_lines(open: &Categories, columns: u16, cx: &UiContext) -> Vec<Line<'static>> {
    let not_read = |error: &ApiError| t!("Badge types could not be read: {error}", error);
    let (head, style) = match open.types.shown() {
        None => (cx.busy(t!("reading badge types")), cx.theme.dim()),
        Some(Err(error)) => (not_read(error), cx.theme.error()),
        Some(Ok(types)) => (count!(types.types.len() as u64, "badge type", "badge types"), cx.theme.strong()),
    };
    let mut lines = vec![Line::raw(""), Line::styled(format!("  {head}"), style)];
    lines.extend(beside(open.types.note(not_read, cx), columns, cx));
    if let Some(types) = open.types.value() {
        lines.extend(types.note.as_ref().map(|note| Line::styled(format!("  {note}"), cx.theme.dim())));
        lines.extend(type_table(types, usize::from(columns).saturating_sub(6), cx));
    }
    lines
}

fn type_table(types: &BadgeTypes, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let mut names: Vec<&Text> = Vec::new();
    for (name, _) in types.types.iter().flat_map(|kind| &kind.fields) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let value = |kind: &BadgeType, name: &Text| {
        kind.fields.iter().find(|(own, _)| own == name).map_or(String::new(), |(_, value)| value.to_string())
    };
    let heads: Vec<String> = names.iter().map(|name| type_field(name)).collect();
    let rows: Vec<Vec<String>> =
        types.types.iter().map(|kind| names.iter().map(|name| value(kind, name)).collect()).collect();
    let widest = |at: usize| rows.iter().chain([&heads]).map(|row| width(&row[at])).max().unwrap_or(0);
    let columns: Vec<ColumnLayout> = (0..names.len())
        .map(|at| ColumnLayout {
            min_width: widest(at).min(WIDEST),
            weight: usize::from(widest(at) > WIDEST),
            drop_order: 0,
        })
        .collect();
    let widths = layout(&columns, room);
    let line = |row: &[String], style: Style| {
        let row: Vec<(String, Style)> = row.iter().map(|cell| (cell.clone(), style)).collect();
        line_of_cells("    ", &row, &widths, cx.glyphs.ellipsis)
    };
    let head = (!rows.is_empty()).then(|| line(&heads, cx.theme.dim()));
    head.into_iter().chain(rows.iter().map(|row| line(row, cx.theme.text()))).collect()
}

/// The label of a type's field, as in the template details. Unknown fields keep the service's name.
fn type_field(name: &Text) -> String {
    match name.wire() {
        known @ ("badge_type" | "badge_type_name" | "description") => tr(field_title(known)).to_owned(),
        _ => name.to_string(),
    }
}

fn category_line(category: &Category, selected: bool, columns: u16, cx: &UiContext) -> Line<'static> {
    let level = |one: &Level| level(one.level, one.level_name.as_ref(), cx);
    let levels: Vec<String> = category.levels.iter().map(level).collect();
    let levels = if levels.is_empty() { t!("no levels").to_owned() } else { cx.dotted(&levels) };
    let unused =
        if category.use_yn == Some(false) { format!("  {}", t!("not in use")) } else { String::new() };
    let room = usize::from(columns).saturating_sub(5 + 12 + 7);
    let (name, rest) = (room * 2 / 5, room - room * 2 / 5);
    let cells = [
        (category.category_id.to_string(), cx.theme.dim()),
        (cell(category.category_cd.as_ref()), Style::new()),
        (cell(category.category_name.as_ref()), Style::new()),
        (format!("{levels}{unused}"), cx.theme.dim()),
    ];
    let mut line = line_of_cells("   ", &cells, &[5, 11, name, rest], cx.glyphs.ellipsis);
    line.spans.insert(0, cx.cursor(selected));
    if selected { line.patch_style(cx.theme.selected()) } else { line }
}

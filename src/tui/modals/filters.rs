//! Saved filters of a list: apply, rename or remove one, or save the current filter.

use crate::config::FilterChange;
use crate::tui::persist::saved_filters::FiltersRequest;
use crate::tui::prelude::*;
use crate::tui::widgets::filter::FilterField;
use crate::tui::widgets::filtered_list::ListRecord;
use crate::tui::widgets::table_header::ColumnDef;

/// Maximum width of names, in columns.
const NAMES: usize = 32;
/// Columns for sentences, and for a name that is typed.
const SENTENCE: usize = 60;
/// Columns for the search beside the title.
const TITLE: usize = 20;

pub struct FiltersForm {
    /// Key of the list, e.g. `history`.
    list: &'static str,
    specs: &'static [FilterField],
    columns: Vec<ColumnDef>,
    current: Option<NamedFilter>,
    cursor: ListCursor,
    search: Search,
    /// The text of each filter when the search was last used.
    texts: Vec<String>,
    name: Option<Naming>,
    /// Removes a filter, or replaces the one of the same name.
    asked: Option<FilterChange>,
    request: Option<RequestId>,
    said: Option<String>,
}

fn parts<T: ListRecord>() -> (&'static [FilterField], Vec<ColumnDef>) {
    (T::FILTERS, T::FIELDS.iter().map(|field| field.column).collect())
}

struct Naming {
    field: TextField,
    /// Old name of the filter to rename. `None`: saves the current filter.
    of: Option<String>,
}

impl FiltersForm {
    /// With `naming`, it opens the name field to save the current filter. lapel reads the file again, because
    /// users edit it.
    pub fn new(
        list: &'static str,
        current: Option<Box<NamedFilter>>,
        naming: bool,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Self {
        let (specs, columns) =
            if list == Template::LIST { parts::<Template>() } else { parts::<HistoryItem>() };
        let mut form = Self {
            list,
            specs,
            columns,
            current: current.map(|filter| *filter),
            cursor: ListCursor::default(),
            search: Search::default(),
            texts: Vec::new(),
            name: None,
            asked: None,
            request: None,
            said: cx.saved.error.clone(),
        };
        form.ask(None, cx, effects);
        if naming {
            form.name_current();
        }
        form
    }

    fn ask(&mut self, change: Option<FilterChange>, cx: &UiContext, effects: &mut Effects<'_>) {
        match cx.saved.ask(change) {
            Some(ask) => effects.request_instead(&mut self.request, Request::Filters(Box::new(ask))),
            None => {
                self.said = Some(t!("Filters cannot be saved: lapel has no settings folder.").to_owned());
            }
        }
    }

    fn name_current(&mut self) {
        if self.current.is_some() {
            self.name = Some(Naming { field: TextField::default(), of: None });
        } else {
            self.said = Some(t!("There is no filter or sort order to save. Nothing was saved.").to_owned());
        }
    }

    fn selected<'a>(&self, cx: &'a UiContext) -> Option<&'a NamedFilter> {
        cx.saved.of_list(self.list).nth(self.cursor.at())
    }

    fn act_naming(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let Some(naming) = &mut self.name else { return false };
        match action {
            Action::Back if self.asked.is_some() => self.asked = None,
            Action::Back => self.name = None,
            Action::ClearField => naming.field.clear(),
            Action::NextTab | Action::PreviousTab => {}
            Action::Accept => {
                let name = naming.field.value().trim().to_owned();
                if name.is_empty() {
                    self.said = Some(t!("Type a name first.").to_owned());
                    return true;
                }
                let is_there = cx.saved.of_list(self.list).any(|filter| filter.name == name);
                let change = match (&naming.of, &self.current) {
                    (Some(from), _) => {
                        FilterChange::Rename { list: self.list.to_owned(), from: from.clone(), to: name }
                    }
                    (None, Some(current)) => {
                        let filter = NamedFilter { name, ..current.clone() };
                        if is_there {
                            self.asked = Some(FilterChange::Save { filter, replace: true });
                            return true;
                        }
                        FilterChange::Save { filter, replace: false }
                    }
                    (None, None) => return true,
                };
                self.ask(Some(change), cx, effects);
            }
            _ => return false,
        }
        true
    }

    fn changed(&mut self, filters: &[NamedFilter], asked: FiltersRequest, effects: &mut Effects<'_>) {
        let mine: Vec<&NamedFilter> = filters.iter().filter(|filter| filter.list == self.list).collect();
        let place = |name: &str| mine.iter().position(|filter| filter.name == name);
        let at = self.cursor.at().min(mine.len().saturating_sub(1));
        self.cursor.select(at);
        let Some(change) = asked.change else { return };
        self.name = None;
        let shown = |name: &str| scrub(name).into_owned();
        match change {
            FilterChange::Save { filter, .. } => {
                self.cursor.select(place(&filter.name).unwrap_or(at));
                effects.say(t!("Saved as “{name}”.", name = shown(&filter.name)));
                effects.close();
            }
            FilterChange::Rename { to, .. } => self.cursor.select(place(&to).unwrap_or(at)),
            FilterChange::Remove { name, .. } => effects.say(t!("Removed “{name}”.", name = shown(&name))),
        }
    }

    fn searched(&self, cx: &UiContext) -> Vec<String> {
        let of_list = cx.saved.of_list(self.list);
        of_list.map(|filter| format!("{} {}", filter.name, self.words(filter, cx))).collect()
    }

    /// Describes a filter: its fields by label, its sort order by column heading.
    fn words(&self, filter: &NamedFilter, cx: &UiContext) -> String {
        let label = |field: &str| {
            let spec = self.specs.iter().find(|spec| spec.name == field);
            spec.map_or_else(|| scrub(field).into_owned(), |spec| i18n::tr(spec.label).to_lowercase())
        };
        let fields = filter.fields.iter().map(|(field, value)| format!("{} {}", label(field), scrub(value)));
        let sort = filter.sort.iter().map(|(column, downwards)| {
            let arrow = if *downwards { cx.glyphs.down } else { cx.glyphs.up };
            let def = self.columns.iter().find(|def| def.key == column);
            let shown =
                def.map_or_else(|| scrub(column).into_owned(), |def| i18n::tr(def.title).to_lowercase());
            t!("by {column}", column = shown) + arrow
        });
        fields.chain(sort).collect::<Vec<_>>().join(&format!(" {} ", cx.glyphs.dot))
    }
}

impl Component for FiltersForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.name {
            Some(_) => KeyContext::Prompt.in_field(),
            None => self.search.over().unwrap_or_else(|| KeyContext::Filters.in_popup()),
        }
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        let any = cx.saved.of_list(self.list).next().is_some();
        match action {
            Action::NextTab | Action::PreviousTab => false,
            Action::Accept => any || self.name.is_some(),
            Action::Rename | Action::Remove => any,
            Action::SaveFilter => self.current.is_some(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        self.said = None;
        if self.name.is_some() {
            return self.act_naming(action, cx, effects);
        }
        if self.asked.is_none() {
            self.texts = self.searched(cx);
            if self.search.keeps(action) || self.search.act_in(action, &mut self.cursor, &self.texts) {
                return true;
            }
        }
        match action {
            Action::Back if self.asked.is_some() => self.asked = None,
            Action::Back => {
                effects.cancel(self.request.take());
                effects.close();
            }
            Action::SaveFilter => self.name_current(),
            Action::Accept | Action::Rename | Action::Remove => {
                let Some(filter) = self.selected(cx) else {
                    self.said = Some(t!("There are no saved filters.").to_owned());
                    return true;
                };
                match action {
                    Action::Accept => {
                        effects.close();
                        effects.go.push(Navigate::UseFilter(Box::new(filter.clone())));
                    }
                    Action::Rename => {
                        let (field, of) = (TextField::with(&filter.name), Some(filter.name.clone()));
                        self.name = Some(Naming { field, of });
                    }
                    _ => {
                        let (list, name) = (self.list.to_owned(), filter.name.clone());
                        self.asked = Some(FilterChange::Remove { list, name });
                    }
                }
            }
            _ => return self.cursor.on_menu_action(action, cx.saved.of_list(self.list).count()),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let Some(naming) = &mut self.name else {
            return self.search.type_in(key, &mut self.cursor, &self.texts);
        };
        let typed = naming.field.on_text_key(key);
        if typed {
            self.said = None;
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if let Some(naming) = &mut self.name {
            naming.field.on_paste(text.trim());
        } else {
            self.search.paste_in(text, &mut self.cursor, &self.texts);
        }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if self.name.is_some() {
            return Clicked::Nothing;
        }
        let clicked = self.cursor.on_click(at, Action::Accept);
        if clicked == Clicked::Changed {
            self.said = None;
        }
        clicked
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request)? {
            Response::Filters(Err(why), _) => self.said = Some(why),
            Response::Filters(Ok(read), asked) => {
                if read.left_out.is_some() {
                    self.said.clone_from(&read.left_out);
                }
                self.changed(&read.filters, *asked, effects);
            }
            _ => {}
        }
        Ok(())
    }

    fn typed(&self) -> Vec<&str> {
        self.name.iter().map(|naming| naming.field.value()).collect()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let head = if self.list == "history" {
            t!("Saved filters of History")
        } else {
            t!("Saved filters of Templates")
        };
        let filters: Vec<&NamedFilter> = cx.saved.of_list(self.list).collect();
        let names = filters.iter().map(|filter| width(&scrub(&filter.name))).max().unwrap_or(0).min(NAMES);
        let room = FormText::in_popup(area, cx).room();
        let names = names.min(room / 2) + 2;
        let area = {
            let words = filters.iter().map(|filter| names + width(&self.words(filter, cx))).max();
            // A name that is typed, and sentences, have no width of their own.
            let is_list = self.name.is_none() && self.said.is_none() && words.is_some();
            let least = if is_list { width(head) + TITLE } else { SENTENCE };
            let around = usize::from(popup::centred(area, popup::FORM).width).saturating_sub(room);
            let wanted = words.unwrap_or(0).clamp(least, room.max(least)) + around;
            popup::centred(area, u16::try_from(wanted).unwrap_or(popup::FORM))
        };
        let (mut form, mut foot) = (FormText::in_popup(area, cx), FormText::in_popup(area, cx));
        let room = form.room();
        if let Some(said) = &self.said {
            foot.blank();
            for part in said.lines() {
                foot.text(&scrub(part), theme.warning());
            }
        }
        if let Some(naming) = &self.name {
            let label = if naming.of.is_some() { t!("New filter name") } else { t!("Filter name") };
            form.field(label, &naming.field, true);
            if let (None, Some(current)) = (&naming.of, &self.current) {
                form.dim(&self.words(current, cx));
            }
            form.blank();
        }
        let is_empty = filters.is_empty() && self.said.is_none();
        let mut none = FormText::in_popup(area, cx);
        if is_empty {
            let save = |context| cx.key(&[context], Action::SaveFilter);
            let text = match self.request {
                Some(_) if self.name.is_none() => t!("reading saved filters"),
                _ if self.current.is_some() => &t!(
                    "There are no saved filters. {key} saves the present one.",
                    key = save(KeyContext::Filters)
                ),
                _ => &t!(
                    "There are no saved filters. Set a filter first; {key} in its line saves it.",
                    key = save(KeyContext::FilterLine)
                ),
            };
            none.dim(text);
        }
        let lines = form.len() + filters.len() + none.len();
        let outer = popup::at_bottom(area, popup::FORM, lines + foot.len());
        let inner = popup::open(frame, outer, area, &self.search.titled(head, cx), cx);
        let rows = below(inner, form.len());
        let foot_rows = u16::try_from(foot.len()).unwrap_or(u16::MAX);
        let rows = Rect { height: rows.height.saturating_sub(foot_rows).max(1), ..rows };
        let (shown, rest) = self.cursor.lay_all(rows, filters.len(), cx);
        for (at, filter) in filters.iter().enumerate().skip(shown.start).take(shown.len()) {
            let selected = at == self.cursor.at() && self.name.is_none();
            let plain = |style| if selected { theme.selected() } else { style };
            form.line(Line::from(vec![
                cx.cursor(selected),
                Span::raw(" "),
                Span::styled(fit(&scrub(&filter.name), names, cx.glyphs.ellipsis), plain(theme.text())),
                Span::styled(
                    fit(&self.words(filter, cx), room.saturating_sub(names), cx.glyphs.ellipsis),
                    plain(theme.dim()),
                ),
            ]));
        }
        form.extend(rest);
        form.extend(none.into_lines());
        form.extend(foot.into_lines());
        form.draw(frame, inner);
    }
}

impl Modal for FiltersForm {
    fn asks(&self) -> Option<ConfirmQuestion> {
        self.asked.as_ref().map(|_| ConfirmQuestion::ONE)
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let what = match &self.asked {
            Some(FilterChange::Remove { name, .. }) => t!("Remove the filter “{name}”", name = scrub(name)),
            Some(FilterChange::Save { filter, .. }) => {
                t!("Replace the filter “{name}”", name = scrub(&filter.name))
            }
            _ => return,
        };
        form.asks(&what, &cx.place(), cx);
    }

    fn on_confirmed(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if let Some(change) = self.asked.take() {
            self.ask(Some(change), cx, effects);
        }
    }
}

//! The column mapping of an opened file as editable fields. It begins with the present mapping or the best guess.

use super::steps::column_name;
use crate::jobs::intake::{About, ColumnGuess, ColumnMap, NameColumns};
use crate::tui::input::list_hit::{ListCursor, below};
use crate::tui::prelude::*;

/// Widest column name, in cells.
const WIDEST: usize = 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MapField {
    Name,
    Family,
    Given,
    Email,
    Template,
}

impl MapField {
    fn label(self) -> &'static str {
        match self {
            Self::Name => t!("Name"),
            Self::Family => t!("Family name"),
            Self::Given => t!("Given name"),
            Self::Email => t!("E-mail"),
            Self::Template => t!("Template"),
        }
    }
}

/// The mapping that the user edits. It begins as the best guess.
pub struct Mapping {
    pub chosen: ColumnGuess,
    /// The columns of family name and given name, also while the name is one column.
    two: (usize, usize),
    focus: ListCursor,
    /// The doubtful mapping that Enter was pressed for once.
    warned: Option<ColumnMap>,
}

/// Whether the file has these columns. It may have changed since they were chosen.
pub fn fits(chosen: &ColumnGuess, about: &About) -> bool {
    let name = chosen.name.iter().flat_map(NameColumns::columns);
    name.chain(chosen.email).chain(chosen.template).all(|column| column < about.columns.len())
}

impl Mapping {
    pub fn of(about: &About) -> Self {
        let mut mapping = Self::with(about.guess.clone(), about);
        // Begin where a column is missing.
        if mapping.chosen.name.is_some() && mapping.chosen.email.is_none() {
            let email = mapping.fields(about).iter().position(|f| *f == MapField::Email);
            mapping.focus.select(email.unwrap_or(0));
        }
        mapping
    }

    pub fn with(chosen: ColumnGuess, about: &About) -> Self {
        let two = match chosen.name {
            Some(NameColumns::FamilyGiven { family, given }) => (family, given),
            _ => (0, about.columns.len().saturating_sub(1).min(1)),
        };
        Self { chosen, two, focus: ListCursor::default(), warned: None }
    }

    fn has_two(&self) -> bool {
        matches!(self.chosen.name, Some(NameColumns::FamilyGiven { .. }))
    }

    fn choose_two(&mut self) {
        let (family, given) = self.two;
        self.chosen.name = Some(NameColumns::FamilyGiven { family, given });
    }

    /// Whether the user has chosen other columns.
    pub fn is_changed(&self, about: &About) -> bool {
        self.chosen != about.guess
    }

    fn fields(&self, about: &About) -> Vec<MapField> {
        let mut fields = vec![MapField::Name];
        if self.has_two() {
            fields.extend([MapField::Family, MapField::Given]);
        }
        fields.push(MapField::Email);
        if about.columns.len() > 2 {
            fields.push(MapField::Template);
        }
        fields
    }

    pub fn move_focus(&mut self, action: Action, about: &About) -> bool {
        self.focus.on_menu_action(action, self.fields(about).len())
    }

    pub fn on_click(&mut self, at: Position) -> Clicked {
        self.focus.on_click(at, Action::NextChoice)
    }

    pub fn change(&mut self, by: isize, about: &About) {
        self.focus.forget_clicks();
        let columns = about.columns.len();
        let Some(field) = self.fields(about).get(self.focus.at()).copied() else { return };
        if columns == 0 {
            return;
        }
        self.warned = None;
        // In a ring. Something that is not chosen is before the first choice and after the last one.
        let turn = |now: Option<usize>, choices: usize| match now {
            Some(now) => now.saturating_add(choices).saturating_add_signed(by) % choices,
            None if by < 0 => choices - 1,
            None => 0,
        };
        match field {
            MapField::Name => {
                // The choice after the columns is "two columns".
                let choices = if columns > 1 { columns + 1 } else { columns };
                let now = if self.has_two() { Some(columns) } else { self.column(field) };
                let next = turn(now, choices);
                if next < columns {
                    self.chosen.name = Some(NameColumns::One(next));
                } else {
                    self.choose_two();
                }
            }
            MapField::Family => {
                self.two.0 = turn(Some(self.two.0), columns);
                self.choose_two();
            }
            MapField::Given => {
                self.two.1 = turn(Some(self.two.1), columns);
                self.choose_two();
            }
            MapField::Email => self.chosen.email = Some(turn(self.chosen.email, columns)),
            // The choice before the columns is "none".
            MapField::Template => {
                let next = turn(Some(self.chosen.template.map_or(0, |column| column + 1)), columns + 1);
                self.chosen.template = next.checked_sub(1);
            }
        }
    }

    /// `None` while a column is missing.
    fn map(&self) -> Option<ColumnMap> {
        let ColumnGuess { name, email, template } = self.chosen;
        Some(ColumnMap { name: name?, email: email?, template })
    }

    /// `None` if a column is missing, or if the mapping is doubtful and needs a second yes.
    pub fn accept(&mut self, about: &About) -> Option<ColumnMap> {
        let Some(map) = self.map() else {
            let missing = |field: &MapField| self.column(*field).is_none();
            if let Some(at) = self.fields(about).iter().position(missing) {
                self.focus.select(at);
            }
            return None;
        };
        if doubts(&map, about).is_empty() || self.warned.as_ref() == Some(&map) {
            return Some(map);
        }
        self.warned = Some(map);
        None
    }

    fn column(&self, field: MapField) -> Option<usize> {
        match field {
            MapField::Name => self.chosen.name?.columns().next(),
            MapField::Family => Some(self.two.0),
            MapField::Given => Some(self.two.1),
            MapField::Email => self.chosen.email,
            MapField::Template => self.chosen.template,
        }
    }

    pub fn draw(&self, form: &mut FormText<'_>, area: Rect, about: &About, cx: &UiContext) {
        let fields = self.fields(about);
        let labels: Vec<&str> = fields.iter().map(|field| field.label()).collect();
        let wide = labels.iter().map(|label| width(label)).max().unwrap_or(0);
        let height = u16::try_from(fields.len()).unwrap_or(u16::MAX);
        let rows = below(area, form.len());
        self.focus.lay(Rect { height: rows.height.min(height), ..rows }, fields.len());
        let words: Vec<String> = fields.iter().map(|field| self.words(*field, about)).collect();
        let column = words.iter().map(|text| width(text)).max().unwrap_or(0).min(WIDEST);
        for (at, (field, words)) in fields.iter().zip(&words).enumerate() {
            let focused = at == self.focus.at();
            let samples = self.samples(*field, about);
            form.labelled(&fit(labels.get(at).copied().unwrap_or(""), wide, ""), focused, |room| {
                let style = cx.theme.entry(focused);
                let column = column.min(room.saturating_sub(4));
                let rest = room.saturating_sub(column + 7);
                vec![
                    Span::styled(format!("< {} >", fit(words, column, cx.glyphs.ellipsis)), style),
                    Span::styled(format!("   {}", fit(&samples, rest, cx.glyphs.ellipsis)), cx.theme.dim()),
                ]
            });
        }
        let Some(map) = self.map() else {
            form.blank();
            form.warning(t!("Choose a column for each field."));
            return;
        };
        let doubts = doubts(&map, about);
        if doubts.is_empty() {
            return;
        }
        form.blank();
        for doubt in doubts {
            form.warning(&doubt);
        }
        if self.warned.as_ref() == Some(&map) {
            let key = cx.key(&super::MAPPING, Action::Accept);
            form.text(&t!("Press {key} again to use these columns.", key), cx.theme.strong());
        }
    }

    fn words(&self, field: MapField, about: &About) -> String {
        match (field, self.column(field)) {
            (MapField::Name, _) if self.has_two() => t!("family and given name").to_owned(),
            (MapField::Template, None) => t!("none: one template for all rows").to_owned(),
            (_, None) => t!("choose a column").to_owned(),
            (_, Some(column)) => column_name(column, &about.columns),
        }
    }

    /// Up to three values of the chosen column.
    fn samples(&self, field: MapField, about: &About) -> String {
        if field == MapField::Name && self.has_two() {
            return String::new();
        }
        let content = self.column(field).and_then(|column| about.content.get(column));
        let samples = content.map(|content| content.samples.as_slice()).unwrap_or_default();
        samples.iter().map(|s| Text::from(s.as_str()).to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// Why a mapping is doubtful, in one sentence each. A doubtful mapping needs a second yes.
fn doubts(map: &ColumnMap, about: &About) -> Vec<String> {
    let name = |column| column_name(column, &about.columns);
    let content = |column: usize| about.content.get(column).filter(|content| content.filled > 0);
    let not_names = |column: usize| match content(column)? {
        found if found.is_of_numbers() => {
            Some(t!("Most values of “{column}” are numbers or codes, not names.", column = name(column)))
        }
        found if found.is_of_addresses() && column != map.email => {
            Some(t!("Most values of “{column}” are e-mail addresses, not names.", column = name(column)))
        }
        _ => None,
    };
    let mut doubts: Vec<String> = map.name.columns().filter_map(not_names).collect();
    if let Some(found) = content(map.email)
        && !found.is_of_addresses()
    {
        doubts.push(t!(
            "Only {n} of {all} values of “{column}” are e-mail addresses.",
            n = found.addresses,
            all = found.filled,
            column = name(map.email)
        ));
    }
    if map.name.columns().any(|column| column == map.email) {
        doubts.push(t!("Name and e-mail are the same column.").to_owned());
    }
    doubts
}

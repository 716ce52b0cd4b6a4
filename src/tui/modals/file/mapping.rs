//! The column mapping of an opened file as editable fields. It begins with the present mapping or the best guess.

use super::steps::column_name;
use crate::jobs::intake::{About, ColumnMap, NameColumns};
use crate::tui::input::list_hit::{ListCursor, below};
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::{fit, width};
use serde::{Deserialize, Serialize};

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

/// The mapping that the user edits. A column of `None` is not chosen yet.
#[derive(Debug, Serialize, Deserialize)]
pub struct Mapping {
    #[serde(skip)]
    focus: ListCursor,
    name: NameChoice,
    family: usize,
    given: usize,
    email: Option<usize>,
    template: Option<usize>,
    /// The doubtful mapping that Enter was pressed for once.
    #[serde(skip)]
    warned: Option<ColumnMap>,
}

/// Without the cursor and the doubts.
impl Clone for Mapping {
    fn clone(&self) -> Self {
        Self { focus: ListCursor::default(), warned: None, ..*self }
    }
}

impl PartialEq for Mapping {
    fn eq(&self, other: &Self) -> bool {
        self.chosen() == other.chosen()
    }
}

impl Eq for Mapping {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum NameChoice {
    Open,
    One(usize),
    /// The columns are the fields for family name and given name.
    Two,
}

pub enum MappingDecision {
    Map(ColumnMap),
    /// A column is missing, or the mapping is doubtful and needs a second yes.
    NotYet,
}

impl Mapping {
    pub fn of(about: &About) -> Self {
        let guess = &about.guess;
        let (family, given) = match guess.name {
            Some(NameColumns::FamilyGiven { family, given }) => (family, given),
            _ => (0, about.columns.len().saturating_sub(1).min(1)),
        };
        let mut mapping = Self {
            focus: ListCursor::default(),
            name: match guess.name {
                Some(NameColumns::One(column)) => NameChoice::One(column),
                Some(NameColumns::FamilyGiven { .. }) => NameChoice::Two,
                None => NameChoice::Open,
            },
            family,
            given,
            email: guess.email,
            template: guess.template,
            warned: None,
        };
        // Begin where a column is missing.
        if mapping.name != NameChoice::Open && mapping.email.is_none() {
            let email = mapping.fields(about).iter().position(|f| *f == MapField::Email);
            mapping.focus.select(email.unwrap_or(0));
        }
        mapping
    }

    /// Whether the user has chosen other columns.
    pub fn is_changed(&self, about: &About) -> bool {
        *self != Self::of(about)
    }

    fn chosen(&self) -> (NameChoice, usize, usize, Option<usize>, Option<usize>) {
        (self.name, self.family, self.given, self.email, self.template)
    }

    /// Whether the file has the chosen columns. It may have changed since they were chosen.
    pub fn fits(&self, about: &About) -> bool {
        let name = if let NameChoice::One(column) = self.name { Some(column) } else { None };
        let columns = [name, self.email, self.template].into_iter().flatten();
        columns.chain([self.family, self.given]).all(|column| column < about.columns.len().max(1))
    }

    fn fields(&self, about: &About) -> Vec<MapField> {
        let mut fields = vec![MapField::Name];
        if self.name == NameChoice::Two {
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
                let now = match self.name {
                    NameChoice::Open => None,
                    NameChoice::One(column) => Some(column),
                    NameChoice::Two => Some(columns),
                };
                let next = turn(now, choices);
                self.name = if next < columns { NameChoice::One(next) } else { NameChoice::Two };
            }
            MapField::Family => self.family = turn(Some(self.family), columns),
            MapField::Given => self.given = turn(Some(self.given), columns),
            MapField::Email => self.email = Some(turn(self.email, columns)),
            // The choice before the columns is "none".
            MapField::Template => {
                let next = turn(Some(self.template.map_or(0, |column| column + 1)), columns + 1);
                self.template = next.checked_sub(1);
            }
        }
    }

    /// `None` while a column is missing.
    fn map(&self) -> Option<ColumnMap> {
        let name = match self.name {
            NameChoice::Open => return None,
            NameChoice::One(column) => NameColumns::One(column),
            NameChoice::Two => NameColumns::FamilyGiven { family: self.family, given: self.given },
        };
        Some(ColumnMap { name, email: self.email?, template: self.template })
    }

    pub fn accept(&mut self, about: &About) -> MappingDecision {
        let Some(map) = self.map() else {
            let missing = |field: &MapField| self.column(*field).is_none();
            if let Some(at) = self.fields(about).iter().position(missing) {
                self.focus.select(at);
            }
            return MappingDecision::NotYet;
        };
        if doubts(&map, about).is_empty() || self.warned.as_ref() == Some(&map) {
            return MappingDecision::Map(map);
        }
        self.warned = Some(map);
        MappingDecision::NotYet
    }

    fn column(&self, field: MapField) -> Option<usize> {
        match field {
            MapField::Name => match self.name {
                NameChoice::Open => None,
                NameChoice::One(column) => Some(column),
                NameChoice::Two => Some(self.family),
            },
            MapField::Family => Some(self.family),
            MapField::Given => Some(self.given),
            MapField::Email => self.email,
            MapField::Template => self.template,
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
            (MapField::Name, _) if self.name == NameChoice::Two => t!("family and given name").to_owned(),
            (MapField::Template, None) => t!("none: one template for all rows").to_owned(),
            (_, None) => t!("choose a column").to_owned(),
            (_, Some(column)) => column_name(column, &about.columns),
        }
    }

    /// Up to three values of the chosen column.
    fn samples(&self, field: MapField, about: &About) -> String {
        if field == MapField::Name && self.name == NameChoice::Two {
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

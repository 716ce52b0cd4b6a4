//! Questions about an opened file, each answered from one list.

use crate::domain::Text;
use crate::jobs::intake::{About, ColumnMap, MapState, NameColumns, RawRow, TextEncoding};

pub enum Step {
    /// Encodings that fit come first, with a preview; then all others.
    Encoding { at: usize, all: Vec<TextEncoding> },
    /// Sheet of a workbook.
    Sheet { at: usize },
    /// The first entry is "no header".
    Header { at: usize },
    /// Columns of the recipient's fields, one field after the other.
    Columns(Columns),
    /// Column with the badge ids.
    IdColumn { at: usize },
}

impl Step {
    pub fn encoding(about: &About) -> Self {
        let mut all: Vec<TextEncoding> = about
            .encoding
            .iter()
            .flat_map(|guess| guess.alternatives.iter().map(|(encoding, _)| *encoding))
            .collect();
        let now = about.encoding.as_ref().map(|guess| guess.encoding);
        for encoding in now.into_iter().chain(TextEncoding::ALL) {
            if !all.contains(&encoding) {
                all.push(encoding);
            }
        }
        Self::Encoding { at: 0, all }
    }

    /// With `anew`, it also asks for columns that are already known.
    pub fn columns(about: &About, anew: bool) -> Self {
        let (name, email, template) = match &about.map {
            MapState::Asked { name, email, template, .. } if !anew => (*name, *email, *template),
            map => (None, None, map.map().and_then(|map| map.template)),
        };
        let ask_template = anew && about.columns.len() > 2;
        let mut columns =
            Columns { at: 0, what: Picking::Name, name, email, template, family: 0, ask_template };
        columns.next();
        Self::Columns(columns)
    }

    pub fn at(&self) -> usize {
        match self {
            Self::Encoding { at, .. } | Self::Sheet { at } | Self::Header { at } | Self::IdColumn { at } => {
                *at
            }
            Self::Columns(columns) => columns.at,
        }
    }

    pub fn set(&mut self, to: usize) {
        match self {
            Self::Encoding { at, .. } | Self::Sheet { at } | Self::Header { at } | Self::IdColumn { at } => {
                *at = to;
            }
            Self::Columns(columns) => columns.at = to,
        }
    }
}

/// Field that the user picks a column for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picking {
    Name,
    Family,
    Given,
    Email,
    Template,
}

/// State of picking columns, one field after the other.
pub struct Columns {
    at: usize,
    what: Picking,
    name: Option<NameColumns>,
    email: Option<usize>,
    template: Option<usize>,
    family: usize,
    /// Whether to ask for the template column too.
    ask_template: bool,
}

impl Columns {
    pub fn what(&self) -> Picking {
        self.what
    }

    /// Moves to the next field without a column. Returns whether there is one.
    fn next(&mut self) -> bool {
        self.at = 0;
        self.what = match (self.name, self.email) {
            (None, _) => Picking::Name,
            (Some(_), None) => Picking::Email,
            (Some(_), Some(_)) if self.ask_template => Picking::Template,
            _ => return false,
        };
        true
    }

    /// Takes the column under the cursor. `columns` is the number of columns in the file. Returns whether all
    /// fields are known.
    pub fn take(&mut self, columns: usize) -> bool {
        let at = self.at;
        match self.what {
            // The entry after the columns is "two columns".
            Picking::Name if at >= columns => {
                self.what = Picking::Family;
                self.at = 0;
                return false;
            }
            Picking::Name => self.name = Some(NameColumns::One(at)),
            Picking::Family => {
                self.family = at;
                self.what = Picking::Given;
                self.at = 0;
                return false;
            }
            Picking::Given => self.name = Some(NameColumns::FamilyGiven { family: self.family, given: at }),
            Picking::Email => self.email = Some(at),
            // The entry before the columns is "none".
            Picking::Template => {
                self.template = at.checked_sub(1);
                self.ask_template = false;
            }
        }
        !self.next()
    }

    /// `None` until the columns for name and e-mail are known.
    pub fn map(&self) -> Option<ColumnMap> {
        Some(ColumnMap { name: self.name?, email: self.email?, template: self.template })
    }

    /// Columns with an example each, plus the extra entry of the current field.
    pub fn choices(&self, about: &About, rows: &[RawRow]) -> Vec<String> {
        let columns = columns(about, rows);
        match self.what {
            Picking::Name if about.columns.len() > 1 => columns
                .chain(std::iter::once(t!("two columns: family name and given name").to_owned()))
                .collect(),
            Picking::Template => {
                std::iter::once(t!("none: one template for all rows").to_owned()).chain(columns).collect()
            }
            _ => columns.collect(),
        }
    }
}

/// Column names with an example each.
pub fn columns(about: &About, rows: &[RawRow]) -> impl Iterator<Item = String> {
    (0..about.columns.len()).map(|at| {
        let example =
            rows.iter().map(|row| row.cell(at)).find(|cell| !cell.trim().is_empty()).unwrap_or_default();
        t!(
            "{column}   e.g. {example}",
            column = column_name(at, &about.columns),
            example = Text::from(example)
        )
    })
}

/// Column name for display. The stand-in name of an unnamed column stays English in every language, because lapel
/// writes it as a heading into files.
pub fn column_name(at: usize, columns: &[String]) -> String {
    let stand_in = format!("column {}", at + 1);
    match columns.get(at) {
        Some(name) if *name != stand_in => Text::from(name.as_str()).to_string(),
        _ => t!("column {n}", n = at + 1),
    }
}

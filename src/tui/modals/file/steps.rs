//! What can be decided about a file, one list at a time.

use crate::domain::Text;
use crate::jobs::intake::{About, ColumnMap, MapState, NameColumns, RawRow, TextEncoding};

/// What is being decided.
pub enum Step {
    /// The encoding: those that fit first, with how they read; then the others.
    Encoding { at: usize, all: Vec<TextEncoding> },
    /// The sheet.
    Sheet { at: usize },
    /// The header row; first comes none.
    Header { at: usize },
    /// The columns, one field after the other.
    Columns(Columns),
    /// The column with the badge ids.
    IdColumn { at: usize },
}

impl Step {
    /// The encodings of a text file.
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

    /// The columns; `anew`: those too that are clear.
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

    /// Where the cursor is.
    pub fn at(&self) -> usize {
        match self {
            Self::Encoding { at, .. } | Self::Sheet { at } | Self::Header { at } | Self::IdColumn { at } => {
                *at
            }
            Self::Columns(columns) => columns.at,
        }
    }

    /// Moves the cursor.
    pub fn set(&mut self, to: usize) {
        match self {
            Self::Encoding { at, .. } | Self::Sheet { at } | Self::Header { at } | Self::IdColumn { at } => {
                *at = to;
            }
            Self::Columns(columns) => columns.at = to,
        }
    }
}

/// Which field a column is picked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picking {
    Name,
    Family,
    Given,
    Email,
    Template,
}

/// Columns being picked, one field after the other.
pub struct Columns {
    at: usize,
    what: Picking,
    name: Option<NameColumns>,
    email: Option<usize>,
    template: Option<usize>,
    family: usize,
    /// Whether the template's column is asked for too.
    ask_template: bool,
}

impl Columns {
    /// What is picked now.
    pub fn what(&self) -> Picking {
        self.what
    }

    /// To the next field that is not clear; whether there is one.
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

    /// Takes the column under the cursor, of so many; whether everything is clear now.
    pub fn take(&mut self, columns: usize) -> bool {
        let at = self.at;
        match self.what {
            // Behind the columns stands: in two of them.
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
            // Before the columns stands: none.
            Picking::Template => {
                self.template = at.checked_sub(1);
                self.ask_template = false;
            }
        }
        !self.next()
    }

    /// What was picked, once everything is clear.
    pub fn map(&self) -> Option<ColumnMap> {
        Some(ColumnMap { name: self.name?, email: self.email?, template: self.template })
    }

    /// The columns with an example each, and what else can be chosen.
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

/// The columns by name, with an example each.
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

/// A column's name for a person. Where the file has none, the one that stands for it is English in every language,
/// since it becomes a heading in files.
pub fn column_name(at: usize, columns: &[String]) -> String {
    let stand_in = format!("column {}", at + 1);
    match columns.get(at) {
        Some(name) if *name != stand_in => Text::from(name.as_str()).to_string(),
        _ => t!("column {n}", n = at + 1),
    }
}

//! One row judged: what would be sent, and whether it may be.

mod address;
mod name;
mod parts;

use super::cell_text::{is_blank, trim};
use super::header::{Title, title_of};
use super::row::{CellFact, RawRow};
use super::{ColumnMap, NameColumns};
use crate::domain::text::scrub;
use crate::secrets::{Likeness, judge};
use std::fmt;

pub(super) use name::compose;

/// A row, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The row as it stands in the source.
    pub row: RawRow,
    /// The name as it would be sent: trimmed and composed, otherwise as it was written. Raw.
    pub name: String,
    /// The address as it would be sent: trimmed and unwrapped. Raw, and no address when that was refused.
    pub email: String,
    /// What the template column says, when the map has one. Raw.
    pub template: Option<String>,
    /// The verdict.
    pub standing: Standing,
    /// The reasons.
    pub findings: Vec<Finding>,
}

/// What may be done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It may be sent.
    Ready,
    /// A person must look at it first.
    Ask,
    /// It cannot be sent as it is.
    Refused,
    /// A blank line, a total, a header again: no person. It is listed and counted all the same.
    NotARecipient,
}

/// Something that was found in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub field: Field,
    /// How bad it is.
    pub severity: Severity,
    /// What, in words for people; quoted content is scrubbed.
    pub what: String,
}

/// A field of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The recipient's name.
    Name,
    /// The address.
    Email,
    /// The template.
    Template,
    /// The row as a whole.
    Row,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Name => t!("name"),
            Self::Email => t!("e-mail address"),
            Self::Template => t!("template"),
            Self::Row => t!("row"),
        })
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// To be known; nothing to decide.
    Note,
    /// To be decided by a person.
    Ask,
    /// Not to be sent.
    Refuse,
}

/// What was found so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, field: Field, severity: Severity, what: impl Into<String>) {
        let finding = Finding { field, severity, what: what.into() };
        if !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }

    fn standing(&self) -> Standing {
        match self.0.iter().map(|f| f.severity).max() {
            Some(Severity::Refuse) => Standing::Refused,
            Some(Severity::Ask) => Standing::Ask,
            Some(Severity::Note) | None => Standing::Ready,
        }
    }
}

/// Judges one row. Pure: the same row and map always give the same.
pub fn check(row: RawRow, map: &ColumnMap) -> Checked {
    let mut findings = Findings::default();
    let joined = parts::name_of(&row, map.name, &mut findings);
    let (raw_email, raw_template) = (row.cell(map.email), map.template.map(|t| row.cell(t)));
    if let Some(why) = not_a_recipient(&row, map) {
        let finding = Finding { field: Field::Row, severity: Severity::Note, what: why };
        let (name, email) = (trim(&joined).to_owned(), trim(raw_email).to_owned());
        let template = raw_template.map(|t| trim(t).to_owned());
        return Checked {
            row,
            name,
            email,
            template,
            standing: Standing::NotARecipient,
            findings: vec![finding],
        };
    }
    let (name, email) = person(&joined, raw_email, &mut findings);
    let template = raw_template.map(|t| template_of(t, &mut findings));
    cell_notes(&row, map, &mut findings);
    Checked { name, email, template, standing: findings.standing(), findings: findings.0, row }
}

/// Judges a name and an address that were typed by hand: a corrected row, or the one person of a form.
pub fn check_person(name: &str, email: &str) -> (String, String, Standing, Vec<Finding>) {
    let mut findings = Findings::default();
    let (name, email) = person(name, email, &mut findings);
    (name, email, findings.standing(), findings.0)
}

fn person(name: &str, email: &str, findings: &mut Findings) -> (String, String) {
    for (field, text) in [(Field::Name, name), (Field::Email, email)] {
        match judge(text) {
            Likeness::None => {}
            Likeness::Shape => findings.add(field, Severity::Ask, t!("this looks like an API key")),
            Likeness::Key => findings.add(field, Severity::Refuse, t!("this looks like an API key")),
        }
    }
    let composed = name::checked(name, email, findings);
    (composed, address::checked(email, findings))
}

/// Why a row is no person, if it is none.
fn not_a_recipient(row: &RawRow, map: &ColumnMap) -> Option<String> {
    let mut filled = row.cells.iter().filter(|c| !is_blank(c));
    let Some(first) = filled.next() else {
        let lost =
            |n: &super::row::CellNote| matches!(n.what, CellFact::FormulaWithoutValue | CellFact::Error);
        return (!row.notes.iter().any(lost)).then(|| t!("a blank line").to_owned());
    };
    // Whoever has an address is a person, whatever else the row says.
    if row.cell(map.email).contains(['@', '\u{ff20}']) {
        return None;
    }
    let is_header =
        |column: usize, wanted: &[Title]| title_of(row.cell(column)).is_some_and(|t| wanted.contains(&t));
    let name_again = match map.name {
        NameColumns::One(name) => is_header(name, &[Title::Name, Title::Given, Title::Family]),
        NameColumns::FamilyGiven { family, given } => {
            is_header(family, &[Title::Family]) && is_header(given, &[Title::Given, Title::Name])
        }
    };
    if name_again && is_header(map.email, &[Title::Email]) {
        return Some(t!("the column names again").to_owned());
    }
    if parts::is_total(first) {
        return Some(t!("a total, not a person: \"{text}\"", text = quoted(first)));
    }
    None
}

fn template_of(cell: &str, findings: &mut Findings) -> String {
    let template = trim(cell);
    let refuse = |findings: &mut Findings, what: &str| findings.add(Field::Template, Severity::Refuse, what);
    if template.is_empty() {
        refuse(findings, t!("no template is named in this row"));
    } else if super::cell_text::is_error_token(template) {
        refuse(findings, t!("the template is a failed formula"));
    } else if template.chars().any(char::is_control) {
        refuse(findings, t!("the template has a control character in it"));
    }
    template.to_owned()
}

/// What the reader noted about cells that count.
fn cell_notes(row: &RawRow, map: &ColumnMap, findings: &mut Findings) {
    let field_of = |column: usize| match map.name {
        NameColumns::One(name) if name == column => Some(Field::Name),
        NameColumns::FamilyGiven { family, given } if column == family || column == given => {
            Some(Field::Name)
        }
        _ if column == map.email => Some(Field::Email),
        _ if Some(column) == map.template => Some(Field::Template),
        _ => None,
    };
    for note in &row.notes {
        let (field, column) = match note.column {
            None => (Field::Row, 0),
            Some(column) => match (field_of(column), &note.what) {
                (Some(field), _) => (field, column),
                (None, CellFact::Extra) => (Field::Row, column),
                (None, _) => continue,
            },
        };
        let (severity, what) = match &note.what {
            CellFact::Hidden if note.column.is_none() => {
                (Severity::Ask, t!("row {row} is hidden in the sheet", row = row.line))
            }
            CellFact::Hidden => (Severity::Note, t!("the column is hidden in the sheet").to_owned()),
            CellFact::Formula => {
                (Severity::Note, t!("computed by a formula; its saved value is used").to_owned())
            }
            CellFact::FormulaWithoutValue => {
                let what = t!(
                    "a formula whose value was not saved: open the file in a spreadsheet program and save it again"
                );
                (Severity::Refuse, what.to_owned())
            }
            CellFact::Hyperlink => (Severity::Note, t!("a link; the text it shows is used").to_owned()),
            CellFact::LinkElsewhere(target) => {
                (Severity::Ask, t!("shows this address but links to \"{target}\"", target = quoted(target)))
            }
            CellFact::Number => (Severity::Note, t!("a number in the sheet, written out").to_owned()),
            CellFact::Date => (Severity::Ask, t!("a date in the sheet, written out").to_owned()),
            CellFact::Bool => (Severity::Ask, t!("a truth value in the sheet, written out").to_owned()),
            CellFact::Error => {
                let what = t!(
                    "cell {cell} is a failed formula: {text}",
                    cell = cell_name(column, row.line),
                    text = quoted(row.cell(column))
                );
                (Severity::Refuse, what)
            }
            CellFact::ApostropheStripped => (
                Severity::Note,
                t!("an apostrophe that guarded it from spreadsheet programs was taken off").to_owned(),
            ),
            CellFact::Missing => (Severity::Note, t!("the row ends before this column").to_owned()),
            CellFact::Extra => {
                let text = quoted(row.cell(column));
                let what = t!(
                    "row {row} has more cells than the header: \"{text}\" stands in column {column}",
                    row = row.line,
                    text,
                    column = column + 1
                );
                (Severity::Ask, what)
            }
            CellFact::StrayQuote => {
                (Severity::Ask, t!("text stands outside the quotation marks of the cell").to_owned())
            }
        };
        findings.add(field, severity, what);
    }
}

/// What a spreadsheet calls a cell: `B4`.
fn cell_name(column: usize, line: u64) -> String {
    let (mut letters, mut rest) = (Vec::new(), column + 1);
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    let letters: String = letters.iter().rev().collect();
    format!("{letters}{line}")
}

/// Content quoted in a message: scrubbed, and not longer than a line.
fn quoted(text: &str) -> String {
    let mut shown: String = scrub(text).chars().take(40).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_called_what_spreadsheets_call_them() {
        for (column, name) in [(0, "A4"), (1, "B4"), (25, "Z4"), (26, "AA4"), (701, "ZZ4"), (702, "AAA4")] {
            assert_eq!(cell_name(column, 4), name);
        }
    }
}

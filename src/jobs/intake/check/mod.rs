//! Checks one row: the values that lapel would send, and whether it may send them.

mod name;
mod parts;
mod recipient_email;

use super::cell_text::{is_blank, trim};
use super::column_guess::{RecipientField, Title};
use super::header::title_of;
use super::row::{CellFact, RawRow};
use super::{ColumnMap, NameColumns};
use crate::jobs::prelude::*;
use crate::jobs::reason::{Code, Reason};
use crate::secrets::{Likeness, judge};
use crate::table::letters;

pub(super) use name::compose;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    pub row: RawRow,
    /// The name as lapel would send it: trimmed and composed, otherwise unchanged. Raw.
    pub name: String,
    /// The address as lapel would send it: trimmed and unwrapped. Raw. Not a valid address if it was refused.
    pub email: String,
    /// The cell of the template column, if the map has one. Raw.
    pub template: Option<String>,
    pub outcome: CheckOutcome,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CheckOutcome {
    Ready,
    /// A person must review it first.
    Ask,
    Refused,
    /// Not a recipient: a blank line, a total, or a repeated header. It is still listed and counted.
    NotARecipient,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub field: RecipientField,
    pub severity: Severity,
    /// Quoted content is scrubbed.
    pub what: Localizable,
}

impl Reason {
    /// A finding in a field: `name: it is empty`.
    pub(in crate::jobs) fn finding(field: RecipientField, what: &Localizable) -> Self {
        Self::from(Code::Finding).because("field", Self::word(field.name())).because("what", what.into())
    }

    /// Whether another domain was meant, beside the reasons for which the row needs review already.
    pub(in crate::jobs) fn domain_slip(before: Option<Self>, meant: &str) -> Self {
        match before {
            None => Self::from(Code::DomainSlip).with("meant", meant),
            Some(before) if before.meant_domain().is_some() => before,
            Some(before) => {
                let what = localizable!("did you mean {meant}?", meant);
                before.and_finding(Self::finding(RecipientField::Email, &what))
            }
        }
    }
}

/// Where it was found and what, as a row's reason says it.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Reason::finding(self.field, &self.what), f)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Note,
    Ask,
    Refuse,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, field: RecipientField, severity: Severity, what: Localizable) {
        let finding = Finding { field, severity, what };
        if !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }

    fn outcome(&self) -> CheckOutcome {
        match self.0.iter().map(|f| f.severity).max() {
            Some(Severity::Refuse) => CheckOutcome::Refused,
            Some(Severity::Ask) => CheckOutcome::Ask,
            Some(Severity::Note) | None => CheckOutcome::Ready,
        }
    }
}

/// The same row and map always give the same result.
pub fn check(row: RawRow, map: &ColumnMap) -> Checked {
    let mut findings = Findings::default();
    let joined = parts::name_of(&row, map.name, &mut findings);
    let (raw_email, raw_template) = (row.cell(map.email), map.template.map(|t| row.cell(t)));
    if let Some(why) = not_a_recipient(&row, map) {
        let finding = Finding { field: RecipientField::Row, severity: Severity::Note, what: why };
        let (name, email) = (trim(&joined).to_owned(), trim(raw_email).to_owned());
        let template = raw_template.map(|t| trim(t).to_owned());
        let (outcome, findings) = (CheckOutcome::NotARecipient, vec![finding]);
        return Checked { row, name, email, template, outcome, findings };
    }
    let (name, email) = person(&joined, raw_email, &mut findings);
    let template = raw_template.map(|t| template_of(t, &mut findings));
    cell_notes(&row, map, &mut findings);
    Checked { name, email, template, outcome: findings.outcome(), findings: findings.0, row }
}

/// For a corrected row, or the recipient of a form.
pub fn check_person(name: &str, email: &str) -> (String, String, CheckOutcome, Vec<Finding>) {
    let mut findings = Findings::default();
    let (name, email) = person(name, email, &mut findings);
    (name, email, findings.outcome(), findings.0)
}

fn person(name: &str, email: &str, findings: &mut Findings) -> (String, String) {
    for (field, text) in [(RecipientField::Name, name), (RecipientField::Email, email)] {
        let severity = match judge(text) {
            Likeness::None => continue,
            Likeness::Shape => Severity::Ask,
            Likeness::Key => Severity::Refuse,
        };
        findings.add(field, severity, localizable!("this looks like an API key"));
    }
    let composed = name::checked(name, email, findings);
    (composed, recipient_email::checked(email, findings))
}

/// `None` if the row is a recipient.
fn not_a_recipient(row: &RawRow, map: &ColumnMap) -> Option<Localizable> {
    let mut filled = row.cells.iter().filter(|c| !is_blank(c));
    let Some(first) = filled.next() else {
        let lost =
            |n: &super::row::CellNote| matches!(n.what, CellFact::FormulaWithoutValue | CellFact::Error);
        return (!row.notes.iter().any(lost)).then(|| localizable!("a blank line"));
    };
    // A row with an address is a recipient, even if its other cells look like a total or a header.
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
        return Some(localizable!("a repeated header row"));
    }
    if parts::is_total(first) {
        return Some(localizable!("a total, not a recipient: \"{text}\"", text = quoted(first)));
    }
    None
}

fn template_of(cell: &str, findings: &mut Findings) -> String {
    let template = trim(cell);
    let mut refuse = |what| findings.add(RecipientField::Template, Severity::Refuse, what);
    if template.is_empty() {
        refuse(localizable!("this row has no template"));
    } else if super::cell_text::is_error_token(template) {
        refuse(localizable!("the template is a formula error"));
    } else if template.chars().any(char::is_control) {
        refuse(localizable!("the template has a control character"));
    }
    template.to_owned()
}

/// Turns the reader's notes about the used cells into findings.
fn cell_notes(row: &RawRow, map: &ColumnMap, findings: &mut Findings) {
    let field_of = |column: usize| match map.name {
        NameColumns::One(name) if name == column => Some(RecipientField::Name),
        NameColumns::FamilyGiven { family, given } if column == family || column == given => {
            Some(RecipientField::Name)
        }
        _ if column == map.email => Some(RecipientField::Email),
        _ if Some(column) == map.template => Some(RecipientField::Template),
        _ => None,
    };
    for note in &row.notes {
        let (field, column) = match note.column {
            None => (RecipientField::Row, 0),
            Some(column) => match (field_of(column), &note.what) {
                (Some(field), _) => (field, column),
                (None, CellFact::Extra) => (RecipientField::Row, column),
                (None, _) => continue,
            },
        };
        let (severity, what) = match &note.what {
            CellFact::Hidden if note.column.is_none() => {
                (Severity::Ask, localizable!("row {row} is hidden in the sheet", row = row.line))
            }
            CellFact::Hidden => (Severity::Note, localizable!("the column is hidden in the sheet")),
            CellFact::Formula => (Severity::Note, localizable!("a formula; lapel uses its saved value")),
            CellFact::FormulaWithoutValue => (
                Severity::Refuse,
                localizable!(
                    "a formula without a saved value: open the file in a spreadsheet program and save it again"
                ),
            ),
            CellFact::Hyperlink => (Severity::Note, localizable!("a link; lapel uses the text it shows")),
            CellFact::LinkElsewhere(target) => (
                Severity::Ask,
                localizable!("shows this address but links to \"{target}\"", target = quoted(target)),
            ),
            CellFact::Number => (Severity::Note, localizable!("a number in the sheet, read as text")),
            CellFact::Date => (Severity::Ask, localizable!("a date in the sheet, read as text")),
            CellFact::Bool => (Severity::Ask, localizable!("a true/false value in the sheet, read as text")),
            CellFact::Error => {
                let what = localizable!(
                    "cell {cell} has a formula error: {text}",
                    cell = cell_name(column, row.line),
                    text = quoted(row.cell(column))
                );
                (Severity::Refuse, what)
            }
            CellFact::ApostropheStripped => (
                Severity::Note,
                localizable!("lapel removed the apostrophe that marks text for spreadsheet programs"),
            ),
            CellFact::Missing => (Severity::Note, localizable!("the row ends before this column")),
            CellFact::Extra => {
                let text = quoted(row.cell(column));
                let what = localizable!(
                    "row {row} has more cells than the header: \"{text}\" is in column {column}",
                    row = row.line,
                    text,
                    column = column + 1
                );
                (Severity::Ask, what)
            }
            CellFact::StrayQuote => {
                (Severity::Ask, localizable!("there is text outside the quotation marks of the cell"))
            }
        };
        findings.add(field, severity, what);
    }
}

/// As in a spreadsheet: `B4`.
fn cell_name(column: usize, line: u64) -> String {
    format!("{}{line}", letters(column))
}

/// Quoted content for a message: scrubbed, and at most 40 characters.
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
    use crate::costs::costs;

    #[test]
    fn costs_of_checking_a_row() {
        let row = || RawRow {
            record: 1,
            line: 2,
            cells: ["1", "김하나", "Hana.Kim@naru.example", "교무처"].map(str::to_owned).to_vec(),
            notes: Vec::new(),
        };
        let map = ColumnMap { name: NameColumns::One(1), email: 2, template: None };
        assert_eq!(check(row(), &map).outcome, CheckOutcome::Ready);
        let row = row();
        costs("check a row of a file", || drop(check(row, &map)));
    }

    #[test]
    fn cells_are_called_what_spreadsheets_call_them() {
        for (column, name) in [(0, "A4"), (1, "B4"), (25, "Z4"), (26, "AA4"), (701, "ZZ4"), (702, "AAA4")] {
            assert_eq!(cell_name(column, 4), name);
        }
    }
}

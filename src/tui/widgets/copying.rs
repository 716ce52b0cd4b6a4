//! Texts that the user can copy from the current component: values, a row, a table. Each value is scrubbed when it
//! becomes a cell, so no value can break out of its cell.

use crate::tui::platform::clipboard::CopiedText;
use crate::tui::prelude::*;
use crate::tui::widgets::record_field::RecordField;
use std::borrow::Borrow;

pub struct Copyable {
    pub key: char,
    pub label: String,
    /// The beginning of the text, safe to display.
    pub shown: String,
    pub clip: CopiedText,
}

#[derive(Default)]
pub struct Copyables {
    pub list: Vec<Copyable>,
    /// The address of the image, if it can be opened: http or https, checked.
    pub link: Option<String>,
}

/// The records of one badge: the badge, then its rows in the history and in the wallet if the address is known.
pub fn records(id: &BadgeId, email: Option<&Text>) -> Vec<RawOf> {
    let mut records = vec![RawOf::Badge(id.clone())];
    if let Some(email) = email.filter(|email| !email.looks_empty()) {
        records.push(RawOf::History(email.clone()));
        records.push(RawOf::Wallet(email.clone()));
    }
    records
}

pub fn records_of(badge: Option<&HistoryItem>) -> Vec<RawOf> {
    badge.map_or_else(Vec::new, |badge| records(&badge.badge_id, badge.recipient_email.as_ref()))
}

pub fn cell(text: Option<&Text>) -> String {
    text.map_or_else(String::new, ToString::to_string)
}

impl Copyables {
    pub fn one(&mut self, key: char, label: &str, raw: Option<&str>) {
        let Some(raw) = raw.filter(|raw| !raw.is_empty()) else { return };
        let clean = scrub(raw);
        let after = matches!(clean, Cow::Owned(_))
            .then(|| t!("It has invisible or invalid characters; placeholders replace them.").to_owned());
        let clip =
            CopiedText { text: clean.clone().into_owned(), what: label.to_owned(), before: None, after };
        self.list.push(Copyable { key, label: label.to_owned(), shown: clean.into_owned(), clip });
    }

    pub fn badge(&mut self, badge: Option<&HistoryItem>) {
        let Some(badge) = badge else { return };
        self.one('i', t!("badge id"), Some(badge.badge_id.wire()));
        self.one('a', t!("e-mail address"), badge.recipient_email.as_ref().map(Text::wire));
    }

    /// Adds the address of an image. The first one can also be opened in the browser.
    pub fn link(&mut self, key: char, label: &str, raw: Option<&Text>, cx: &UiContext) {
        let Some(url) = raw.and_then(|raw| cx.client()?.picture_url(raw)) else { return };
        self.one(key, label, Some(&url));
        self.link.get_or_insert(url);
    }

    pub fn row(&mut self, cells: &[String]) {
        let text = cells.join("\t");
        let clip = CopiedText { what: t!("row").to_owned(), before: None, after: formulas(&text), text };
        let shown = cells.iter().filter(|c| !c.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        self.list.push(Copyable { key: 'r', label: t!("row").to_owned(), shown, clip });
    }

    /// Adds the selected row, and the table of all rows. `what` describes so many rows: `2 rows that are marked`. `more`
    /// gives what the fields need besides the record.
    pub fn records<'r, R, C, B: Borrow<C>>(
        &mut self,
        fields: &[RecordField<R, C>],
        selected: Option<&R>,
        rows: impl Iterator<Item = &'r R>,
        what: impl Fn(u64) -> String,
        more: impl Fn(&R) -> B,
        cx: &UiContext,
    ) {
        let clock = cx.clock();
        let cells = |row: &R| -> Vec<String> {
            let more = more(row);
            fields.iter().map(|field| field.text(row, more.borrow(), &clock)).collect()
        };
        if let Some(row) = selected {
            self.row(&cells(row));
        }
        let titles: Vec<&str> = fields.iter().map(|field| field.column.title).collect();
        self.table(&titles, &rows.map(cells).collect::<Vec<_>>(), what);
    }

    /// Adds a table: a line of headings, marked for translation, then one line per row. `what` describes so
    /// many rows.
    pub fn table(&mut self, heads: &[&'static str], rows: &[Vec<String>], what: impl Fn(u64) -> String) {
        if rows.is_empty() {
            return;
        }
        let mut text = heads.iter().map(|head| tr(head)).collect::<Vec<_>>().join("\t");
        for row in rows {
            text.push('\n');
            text.push_str(&row.join("\t"));
        }
        let what = what(rows.len() as u64);
        let clip = CopiedText { what: what.clone(), before: None, after: formulas(&text), text };
        let shown = t!("{what}, with header", what);
        self.list.push(Copyable { key: 't', label: t!("table").to_owned(), shown, clip });
    }
}

/// Describes so many rows of a table.
pub fn loaded(rows: u64) -> String {
    plural!(rows, "{n} row that is loaded", "{n} rows that are loaded")
}

pub fn marked(rows: u64) -> String {
    plural!(rows, "{n} row that is marked", "{n} rows that are marked")
}

/// A warning for pasting cells into a spreadsheet, if some look like formulas. The cells stay unchanged: a prefix
/// would change an address that begins with a plus.
fn formulas(text: &str) -> Option<String> {
    let n = crate::tui::platform::clipboard::formulas(text);
    (n > 0).then(|| {
        plural!(
            n as u64,
            "{n} cell starts like a formula. Paste into a spreadsheet as text.",
            "{n} cells start like a formula. Paste into a spreadsheet as text."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_break_out_of_its_cell() {
        let evil = Text::new("=1+1\tb\nc\u{1b}[2J");
        let mut all = Copyables::default();
        all.row(&[cell(Some(&evil)), cell(None), "x".into()]);
        all.table(&["a", "b"], &[vec![cell(Some(&evil)), String::new()]], |n| format!("{n} row listed"));
        assert_eq!(all.list[0].clip.text, "=1+1␉b␊c␛[2J\t\tx");
        assert_eq!(all.list[1].clip.text, "a\tb\n=1+1␉b␊c␛[2J\t");
        assert_eq!(all.list[1].clip.what, "1 row listed");
        assert!(all.list.iter().all(|c| c.clip.after.as_ref().is_some_and(|a| a.contains("formula"))));
    }

    #[test]
    fn a_single_value_is_whole_or_says_that_it_is_not() {
        let mut all = Copyables::default();
        all.one('i', "badge id", Some("7f3c"));
        all.one('a', "address", Some("kim\u{200b}@naru.example"));
        all.one('c', "certificate number", None);
        assert_eq!(all.list.len(), 2);
        assert_eq!((all.list[0].clip.text.as_str(), &all.list[0].clip.after), ("7f3c", &None));
        assert_eq!(all.list[1].clip.text, "kim⟨U+200B⟩@naru.example");
        assert!(all.list[1].clip.after.is_some());
    }
}

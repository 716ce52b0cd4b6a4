//! The rows of one holder's badges.

use crate::domain::{EmailKey, Held, ServiceTime, Text};
use crate::tui::context::Env;
use crate::tui::widgets::table_header::{Head, Heading, SortKey, Table};
use crate::tui::widgets::text_layout::{Column, layout, width};
use ratatui::style::Style;

/// Index of the name column. It is hidden if all badges have the same name.
const NAME: usize = 1;
/// Number of columns that are shown by default.
const USUAL: usize = 6;
const TITLE: usize = 2;
/// Maximum number of cells that a column gets above its minimum, so that one long row does not starve the others.
const MOST: usize = 24;
/// Index of the remarks column, and its minimum width if all remarks are short.
const REMARKS: usize = 3;
const SHORT: usize = 8;

const HEADS: &[Head] = &[
    head(tr_noop!("State"), "status_name", 16, 1, 0),
    head(tr_noop!("Holder"), "recipient_name", 8, 1, 0),
    head(tr_noop!("Badge"), "title", 12, 4, 0),
    head(tr_noop!("Remarks"), "remarks", 22, 5, 0),
    head(tr_noop!("Issued at"), "issued_at", 11, 0, 2),
    head(tr_noop!("Mail"), "email_status", 5, 0, 1),
    head(tr_noop!("E-mail"), "recipient_email", 14, 2, 3),
    head(tr_noop!("Valid from"), "valid_from", 16, 0, 3),
    head(tr_noop!("Valid until"), "valid_until", 16, 0, 3),
    head(tr_noop!("Revoked at"), "revoke_at", 16, 0, 3),
    head(tr_noop!("Reason"), "revoke_reason", 14, 2, 3),
    head(tr_noop!("Accepted at"), "reg_date", 16, 0, 3),
    head(tr_noop!("Type"), "badge_type_name", 11, 0, 3),
    head(tr_noop!("Category"), "category_name", 14, 1, 3),
    head(tr_noop!("Level"), "level_name", 10, 0, 3),
    head(tr_noop!("Issuer"), "issuing_org", 12, 1, 3),
    head(tr_noop!("Cert. no."), "cert_no", 12, 1, 3),
    head(tr_noop!("Badge id"), "badge_id", 12, 1, 3),
    head(tr_noop!("Template id"), "template_id", 10, 0, 3),
];

const fn head(title: &'static str, sort_by: &'static str, least: usize, share: usize, goes: u8) -> Head {
    Head { title, column: Column { least, share, goes }, sort_by }
}

pub(super) fn heading() -> Heading {
    Heading::new(Table { heads: HEADS, usual: USUAL, right: &[], own_order: tr_noop!("newest first") })
}

/// Maximum number of rows that are measured for the column widths.
const MEASURED: usize = 200;

/// The columns for these badges. Free room goes to the columns whose content needs it.
/// For example, a title is not cut while the remarks are blank.
pub(super) fn own<'a>(
    view: &View<'_>,
    rows: impl Iterator<Item = &'a Held>,
    room: usize,
    env: &Env,
) -> Vec<Column> {
    let mut own: Vec<Column> = HEADS.iter().map(|head| head.column).collect();
    let mut widest = vec![0; own.len()];
    for held in rows.take(MEASURED) {
        for (widest, (cell, _)) in widest.iter_mut().zip(view.cells(held, env)) {
            *widest = width(&cell).max(*widest);
        }
    }
    for (column, widest) in own.iter_mut().zip(&widest).filter(|(column, _)| column.share > 0) {
        column.share = widest.saturating_sub(column.least).min(MOST);
    }
    let remarks = &mut own[REMARKS];
    remarks.least = remarks.least.min(widest[REMARKS].max(SHORT));
    if !view.several {
        own[NAME] = Column { least: 0, share: 0, goes: 9 };
    }
    // If room is short, the title gets more of it, because it names the badge.
    // The pane beside or below the list shows a long remark in full.
    let usual: Vec<Column> = own[..USUAL].iter().map(|column| Column { share: 0, ..*column }).collect();
    let least: usize = layout(&usual, room).iter().filter(|least| **least > 0).map(|least| least + 1).sum();
    if own[..USUAL].iter().map(|column| column.share).sum::<usize>() + least > room + 1 {
        own[TITLE].share *= 2;
    }
    own
}

pub(super) struct View<'a> {
    /// Whether the badges of this address have several names.
    pub several: bool,
    pub both: bool,
    pub now: jiff::civil::DateTime,
    pub key: EmailKey,
    pub email: &'a str,
}

impl View<'_> {
    pub fn cells(&self, held: &Held, env: &Env) -> Vec<(String, Style)> {
        let verdict = held.verdict(self.now);
        let state = verdict.state();
        let (word, _) = verdict.line();
        let (plain, dim) = (env.theme.text(), env.theme.dim());
        let dash = || env.glyphs.dash.to_owned();
        let text = |t: Option<&Text>| t.map_or_else(dash, ToString::to_string);
        let time = |t: Option<&ServiceTime>| t.map_or_else(dash, ServiceTime::to_minute);
        let issued = held.issued_at().map_or_else(dash, |t| t.short(Some(self.now)));
        vec![
            (format!("{} {word}", env.glyphs.state(&state)), env.theme.state(&state)),
            (text(held.recipient_name()), plain),
            (text(held.title()), plain),
            (self.remarks(held), dim),
            (issued, dim),
            (text(held.email_status()), dim),
            (text(held.recipient_email()), plain),
            (time(held.valid_from()), dim),
            (time(held.valid_until()), dim),
            (time(held.revoke_at()), dim),
            (text(held.reason()), plain),
            (time(held.reg_date()), dim),
            (text(held.badge_type_name()), plain),
            (text(held.category_name()), plain),
            (text(held.level_name()), plain),
            (text(held.issuing_org()), plain),
            (text(held.cert_no()), dim),
            (held.badge_id.to_string(), dim),
            (held.template_id().map_or_else(dash, ToString::to_string), dim),
        ]
    }

    /// Remarks on a badge. A list without the badge and another spelling of the address come before the verdict's
    /// reason, because they matter more to a caller.
    fn remarks(&self, held: &Held) -> String {
        let written = held.recipient_email().map(Text::wire);
        let other = written
            .filter(|w| *w != self.email && self.key.is(w))
            .map(|w| t!("to {address}", address = Text::from(w)));
        let place = place(held, self.both).map(str::to_owned);
        let (_, why) = held.verdict(self.now).line();
        let all: Vec<String> =
            [place, other, Some(why).filter(|w| !w.is_empty())].into_iter().flatten().collect();
        all.join("; ")
    }

    pub fn sort_key(&self, held: &Held, column: usize) -> SortKey {
        match column {
            0 => SortKey::Text(held.verdict(self.now).line().0.to_lowercase()),
            1 => SortKey::text(held.recipient_name()),
            2 => SortKey::text(held.title()),
            3 => SortKey::Text(self.remarks(held).to_lowercase()),
            4 => SortKey::time(held.issued_at()),
            5 => SortKey::text(held.email_status()),
            6 => SortKey::text(held.recipient_email()),
            7 => SortKey::time(held.valid_from()),
            8 => SortKey::time(held.valid_until()),
            9 => SortKey::time(held.revoke_at()),
            10 => SortKey::text(held.reason()),
            11 => SortKey::time(held.reg_date()),
            12 => SortKey::text(held.badge_type_name()),
            13 => SortKey::text(held.category_name()),
            14 => SortKey::text(held.level_name()),
            15 => SortKey::text(held.issuing_org()),
            16 => SortKey::text(held.cert_no()),
            17 => SortKey::Text(held.badge_id.wire().to_lowercase()),
            _ => held.template_id().map_or(SortKey::None, |id| SortKey::Text(id.wire().to_lowercase())),
        }
    }
}

/// Which of the two lists does not contain the badge. `None` unless both lists were read.
pub(super) fn place(held: &Held, both: bool) -> Option<&'static str> {
    match (&held.wallet, &held.history) {
        (None, Some(_)) if both => Some(t!("not in the wallet")),
        (Some(_), None) if both => Some(t!("not in the history")),
        (None, None) if both => Some(t!("in neither list")),
        _ => None,
    }
}

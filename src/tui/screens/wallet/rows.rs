//! The rows of one holder's badges.

use super::groups::Sign;
use crate::tui::prelude::*;
use crate::tui::screens::badge_head::verdict_word;
use crate::tui::screens::history::issued_or_requested;
use crate::tui::widgets::record_field::{BADGE_TITLE, RecordField};
use crate::tui::widgets::table_header::{ColumnDef, Heading, SortKey};
use crate::tui::widgets::text_layout::ColumnLayout;
use std::rc::Rc;

type ListField = RecordField<HeldBadge, LookupView>;

/// Index of the name column. It is hidden if all badges have the same name.
pub(super) const NAME: usize = 1;
/// Index of the column of remarks.
pub(super) const REMARKS: usize = 3;
/// Index of the address column.
pub(super) const EMAIL: usize = 6;
/// Widths of the state column: its least, and its most for the longest words with an age.
const STATE: (usize, usize) = (16, 28);
/// Number of columns that are shown by default.
const DEFAULT_COLUMNS: usize = 6;

/// A field that one of the records of a badge has. The badge has a function of its name.
macro_rules! held {
    ($field:ident, $layout:expr) => {
        ListField::named(stringify!($field), $layout).value(|held| held.$field().into())
    };
}

pub(super) const FIELDS: &[ListField] = &[
    ListField::named("status_name", (16, 0, 0))
        .shown(|held, view, cx| verdict_word(&held.verdict(view.now), cx))
        .styled(|held, cx| cx.theme.state(&held.verdict(cx.now()).state()))
        .sorted(|held, view| SortKey::text(Some(&held.verdict(view.now).line().0)))
        .whole(|held, view, _| held.verdict(view.now).state().word().to_string())
        .state(),
    held!(recipient_name, (8, 1, 0)),
    held!(title, (12, 4, 0)).titled(BADGE_TITLE).shown(|held, view, cx| {
        let sign = view.signs.get(&held.badge_id).map(|sign| sign.text(cx));
        let title = held.title().map_or_else(|| cx.glyphs.dash.to_owned(), ToString::to_string);
        format!("{}{title}", sign.unwrap_or_default())
    }),
    ListField::own("remarks", tr_noop!("Remarks"), (18, 3, 0))
        .shown(|held, view, _| view.remarks(held))
        .sorted(|held, view| SortKey::text(Some(&view.remarks(held))))
        .dim(),
    // The time of day is in the pane; the title needs the room.
    held!(issued_at, (10, 0, 2))
        .shown(|held, view, cx| {
            let times = (held.issued_at(), held.reg_date());
            issued_or_requested(times, || held.verdict(view.now).state(), ServiceTime::to_day, cx)
        })
        .dim(),
    held!(email_status, (5, 0, 1)).dim(),
    held!(recipient_email, (14, 2, 3))
        .whole(|held, view, _| Text::from(sent_to(held, &view.email)).to_string()),
    held!(valid_from, (16, 0, 3)).dim(),
    held!(valid_until, (16, 0, 3)).dim(),
    held!(revoke_at, (16, 0, 3)).dim(),
    ListField::named("revoke_reason", (14, 2, 3)).value(|held| held.reason().into()),
    held!(reg_date, (16, 0, 3)).dim(),
    held!(badge_type_name, (11, 0, 3)),
    held!(category_name, (14, 1, 3)),
    held!(level_name, (10, 0, 3)),
    held!(issuing_org, (12, 1, 3)),
    held!(cert_no, (12, 1, 3)).dim(),
    ListField::named("badge_id", (12, 1, 3)).value(|held| (&held.badge_id).into()).dim(),
    held!(template_id, (10, 0, 3)).dim(),
];

pub(super) const COPIED: [&str; 7] =
    ["status_name", "recipient_name", "recipient_email", "title", "reg_date", "issued_at", "badge_id"];

pub(super) fn heading() -> Heading {
    Heading::new(columns(), DEFAULT_COLUMNS, tr_noop!("newest first"))
}

pub(in crate::tui::screens) fn columns() -> impl Iterator<Item = ColumnDef> {
    FIELDS.iter().map(|field| field.column)
}

/// Maximum number of rows that are measured for the column widths.
pub(super) const MEASURED: usize = 200;

/// The columns. The one of names is hidden if all badges have the same one. `state` is the width of the longest state.
pub(super) fn own(view: &LookupView, state: usize) -> Vec<ColumnLayout> {
    let mut own: Vec<ColumnLayout> = columns().map(|column| column.layout).collect();
    own[0].min_width = state.clamp(STATE.0, STATE.1);
    if !view.several {
        own[NAME] = ColumnLayout { min_width: 0, weight: 0, drop_order: 9 };
    }
    own
}

pub(super) struct LookupView {
    pub several: bool,
    pub both: bool,
    pub now: jiff::civil::DateTime,
    pub key: EmailKey,
    pub email: String,
    /// The words about copies: badges of one template and name.
    pub copies: Rc<HashMap<BadgeId, String>>,
    pub signs: Rc<HashMap<BadgeId, Sign>>,
}

impl LookupView {
    /// Remarks on a badge. A list without the badge and another spelling of the address come before the verdict's
    /// reason, because they matter more to a caller. The copies are counted once for all of them: the pane counts them,
    /// too.
    pub(super) fn remarks(&self, held: &HeldBadge) -> String {
        let written = held.recipient_email().map(Text::wire);
        let other = written
            .filter(|w| *w != self.email && self.key.is(w))
            .map(|w| t!("to {address}", address = Text::from(w)));
        let place = place(held, self.both).map(str::to_owned);
        // The pane has the time of day.
        let why = match held.verdict(self.now) {
            Verdict::Valid { until: Some(until) } | Verdict::Expired { until, .. } => {
                t!("until {until}", until = until.to_day())
            }
            // What is usual is in the pane, too, and the row has no room for it.
            Verdict::Waiting { .. } | Verdict::Overdue { .. } => String::new(),
            verdict => verdict.line().1,
        };
        let why = Some(why).filter(|w| !w.is_empty());
        let copies = self.copies.get(&held.badge_id).cloned();
        let said = match self.signs.get(&held.badge_id) {
            Some(Sign::Copy) => [why, None],
            // Such a row shows all of them.
            Some(Sign::Folded | Sign::Unfolded) => [copies, why],
            None => [why, copies],
        };
        list([place, other].into_iter().chain(said).flatten()).to_string()
    }
}

/// The address that the badge was sent to, from the history. Without it, the address of the look-up.
pub(super) fn sent_to<'a>(held: &'a HeldBadge, email: &'a str) -> &'a str {
    held.history.as_ref().and_then(|item| item.recipient_email.as_ref()).map_or(email, Text::wire)
}

/// Which of the two lists does not contain the badge. `None` unless both lists were read.
pub(super) fn place(held: &HeldBadge, both: bool) -> Option<&'static str> {
    match (&held.wallet, &held.history) {
        (None, Some(_)) if both => Some(t!("not in the wallet")),
        (Some(_), None) if both => Some(t!("not in the history")),
        (None, None) if both => Some(t!("in neither list")),
        _ => None,
    }
}

//! The rows of one holder's badges.

use super::groups::Sign;
use crate::tui::prelude::*;
use crate::tui::screens::history::request_day;
use crate::tui::widgets::record_field::RecordField;
use crate::tui::widgets::table_header::{Heading, SortKey};
use crate::tui::widgets::text_layout::ColumnLayout;
use jiff::tz::Offset;
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

pub(super) const FIELDS: &[ListField] = &[
    ListField::computed("status_name", tr_noop!("State"), (16, 0, 0))
        .shown(|held, view, cx| {
            let verdict = view.verdict(held);
            format!("{} {}", cx.glyphs.verdict(&verdict), verdict.line().0)
        })
        .styled(|held, cx| cx.theme.state(&held.verdict(cx.now()).state()))
        .sorted(|held, view| SortKey::text(Some(&view.verdict(held).line().0)))
        .whole(|held, view, _| held.verdict(view.now).state().word().to_string()),
    ListField::with_value("recipient_name", tr_noop!("Holder"), (8, 1, 0), |held| {
        held.recipient_name().into()
    }),
    ListField::with_value("title", tr_noop!("Badge"), (12, 4, 0), |held| held.title().into()).shown(
        |held, view, cx| {
            let sign = view.signs.get(&held.badge_id).map(|sign| sign.text(cx));
            let title = held.title().map_or_else(|| cx.glyphs.dash.to_owned(), ToString::to_string);
            format!("{}{title}", sign.unwrap_or_default())
        },
    ),
    ListField::computed("remarks", tr_noop!("Remarks"), (18, 3, 0))
        .shown(|held, view, _| view.remarks(held))
        .sorted(|held, view| SortKey::text(Some(&view.remarks(held))))
        .dim(),
    // The time of day is in the pane; the title needs the room.
    ListField::with_value("issued_at", tr_noop!("Issued at"), (10, 0, 2), |held| held.issued_at().into())
        .shown(|held, view, cx| match (held.issued_at(), held.reg_date()) {
            (Some(issued), _) => issued.to_day(),
            (None, Some(accepted)) if held.verdict(view.now).state() == State::Waiting => {
                request_day(accepted, cx)
            }
            _ => cx.glyphs.dash.to_owned(),
        })
        .dim(),
    ListField::with_value("email_status", tr_noop!("Mail"), (5, 0, 1), |held| held.email_status().into())
        .dim(),
    ListField::with_value("recipient_email", tr_noop!("E-mail"), (14, 2, 3), |held| {
        held.recipient_email().into()
    })
    .whole(|held, view, _| Text::from(sent_to(held, &view.email)).to_string()),
    ListField::with_value("valid_from", tr_noop!("Valid from"), (16, 0, 3), |held| held.valid_from().into())
        .dim(),
    ListField::with_value("valid_until", tr_noop!("Valid until"), (16, 0, 3), |held| {
        held.valid_until().into()
    })
    .dim(),
    ListField::with_value("revoke_at", tr_noop!("Revoked at"), (16, 0, 3), |held| held.revoke_at().into())
        .dim(),
    ListField::with_value("revoke_reason", tr_noop!("Reason"), (14, 2, 3), |held| held.reason().into()),
    ListField::with_value("reg_date", tr_noop!("Accepted at"), (16, 0, 3), |held| held.reg_date().into())
        .dim(),
    ListField::with_value("badge_type_name", tr_noop!("Type"), (11, 0, 3), |held| {
        held.badge_type_name().into()
    }),
    ListField::with_value("category_name", tr_noop!("Category"), (14, 1, 3), |held| {
        held.category_name().into()
    }),
    ListField::with_value("level_name", tr_noop!("Level"), (10, 0, 3), |held| held.level_name().into()),
    ListField::with_value("issuing_org", tr_noop!("Issuer"), (12, 1, 3), |held| held.issuing_org().into()),
    ListField::with_value("cert_no", tr_noop!("Cert. no."), (12, 1, 3), |held| held.cert_no().into()).dim(),
    ListField::with_value("badge_id", tr_noop!("Badge id"), (12, 1, 3), |held| (&held.badge_id).into()).dim(),
    ListField::with_value("template_id", tr_noop!("Template id"), (10, 0, 3), |held| {
        held.template_id().into()
    })
    .dim(),
];

pub(super) const COPIED: [&str; 7] =
    ["status_name", "recipient_name", "recipient_email", "title", "reg_date", "issued_at", "badge_id"];

pub(super) fn heading() -> Heading {
    Heading::new(FIELDS.iter().map(|field| field.column), DEFAULT_COLUMNS, tr_noop!("newest first"))
}

/// Maximum number of rows that are measured for the column widths.
pub(super) const MEASURED: usize = 200;

/// The columns. The one of names is hidden if all badges have the same one. `state` is the width of the longest state.
pub(super) fn own(view: &LookupView, state: usize) -> Vec<ColumnLayout> {
    let mut own: Vec<ColumnLayout> = FIELDS.iter().map(|field| field.column.layout).collect();
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
    /// When lapel requested badges.
    pub requested: Rc<HashMap<BadgeId, Timestamp>>,
    /// From UTC to service time.
    pub offset: Offset,
}

impl LookupView {
    pub fn verdict(&self, held: &HeldBadge) -> Verdict {
        let requested = self.requested.get(&held.badge_id).map(|at| self.offset.to_datetime(*at));
        held.verdict(self.now).with_request(requested, self.now)
    }

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
        let why = match self.verdict(held) {
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

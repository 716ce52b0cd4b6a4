//! The advice for a caller about the badge on the Badge tab, and what support staff cannot do about it.

use crate::domain::call_advice::CallCase;
use crate::tui::prelude::*;
use crate::tui::screens::wallet::pane;

pub(super) fn held(badge: &Badge) -> HeldBadge {
    HeldBadge { detail: Some(Box::new(badge.clone())), ..HeldBadge::new(badge.badge_id.clone()) }
}

/// The call about this badge, when lapel knows nothing but the badge itself and the time of its own request.
pub(super) fn case<'a>(held: &'a HeldBadge, requested: Option<Timestamp>, cx: &'a UiContext) -> CallCase<'a> {
    let asked = held.recipient_email().map_or("", Text::wire);
    let (now, zone_known) = (cx.now(), cx.clock().is_zone_known());
    CallCase {
        held,
        all: std::slice::from_ref(held),
        asked,
        organisation: cx.organisation(),
        both: false,
        unfinished: false,
        masked: false,
        by_id: false,
        namesakes: 0,
        question: None,
        pictures: None,
        requested: requested.map(|at| cx.clock().offset().to_datetime(at)),
        now,
        zone_known,
    }
}

/// The advice after an empty line, and whether it fits into `rows`. General advice is left out first.
/// If the rest still does not fit, this returns all lines, and the user scrolls.
pub(super) fn lines(
    badge: &Badge,
    requested: Option<Timestamp>,
    room: usize,
    rows: usize,
    cx: &UiContext,
) -> (Vec<Line<'static>>, bool) {
    let held = held(badge);
    let case = case(&held, requested, cx);
    let with = |advice: bool| {
        let mut lines = vec![Line::raw("")];
        lines.extend(pane::told(&case, advice, false, room, cx));
        lines
    };
    match [true, false].into_iter().map(with).find(|lines| lines.len() <= rows) {
        Some(lines) => (lines, true),
        None => (with(true), false),
    }
}

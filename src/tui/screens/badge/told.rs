//! What to tell a caller about the badge that is shown, and what nobody can do about it from here.

use crate::domain::call_advice::Case;
use crate::domain::{Badge, Held, Text};
use crate::tui::context::Env;
use crate::tui::screens::wallet::pane;
use ratatui::text::Line;

/// Columns of the labels of the Badge tab: the widest in either language is `Accepted at`, and one between.
const LABEL: usize = 12;

/// The badge as a holder's list would have it.
pub(super) fn held(badge: &Badge) -> Held {
    Held { detail: Some(Box::new(badge.clone())), ..Held::new(badge.badge_id.clone()) }
}

/// What is known when somebody asks about it: nothing but itself.
pub(super) fn case<'a>(held: &'a Held, env: &Env) -> Case<'a> {
    let asked = held.recipient_email().map_or("", Text::wire);
    let (now, zone_known) = (env.now(), env.clock().is_zone_known());
    Case {
        held,
        all: std::slice::from_ref(held),
        asked,
        both: false,
        masked: false,
        by_id: false,
        namesakes: 0,
        now,
        zone_known,
    }
}

/// The lines, behind an empty one, and whether they fit into `rows`. The standing advice gives way first; where
/// that does not help, all of them are given, to be scrolled to.
pub(super) fn lines(badge: &Badge, room: usize, rows: usize, env: &Env) -> (Vec<Line<'static>>, bool) {
    let held = held(badge);
    let case = case(&held, env);
    let with = |advice: bool| {
        let mut lines = vec![Line::raw("")];
        lines.extend(pane::told(&case, advice, (room, LABEL), env));
        lines
    };
    match [true, false].into_iter().map(with).find(|lines| lines.len() <= rows) {
        Some(lines) => (lines, true),
        None => (with(true), false),
    }
}

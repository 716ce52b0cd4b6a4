//! The text of the Badge tab: verdict, mail, fields, and advice for a caller.

use crate::domain::call_advice::{CallCase, script};
use crate::domain::issue_time;
use crate::domain::time::{OffsetBasis, age};
use crate::tui::prelude::*;
use crate::tui::request::HolderInJournal;
use crate::tui::screens::badge_head::head;
use crate::tui::screens::templates::labelled;
use crate::tui::screens::wallet::cert::{IndexSearch, advice};
use crate::tui::screens::wallet::pane::advice_lines;
use crate::tui::widgets::job_rows;
use crate::tui::widgets::record_field::{NO_COLUMN, RecordField, pane};
use crate::tui::widgets::timeline::timeline;

pub(in crate::tui::screens) const FIELDS: &[RecordField<Badge>] = &[
    RecordField::plain("status_name").whole(|badge, (), _| {
        let word = badge.status_name.as_ref().filter(|word| !word.looks_empty());
        word.map_or_else(String::new, |word| t!("{word} (the service's word)", word))
    }),
    // Not a field of this record in the contract.
    RecordField::named("reg_date", NO_COLUMN)
        .whole(|badge, (), clock| with_age(badge.reg_date.as_ref(), clock)),
    RecordField::plain("issued_at").whole(|badge, (), clock| with_age(issue_time(badge), clock)),
    RecordField::plain("valid_from").whole(|badge, (), clock| {
        with_age(badge.valid_from.as_ref().filter(|_| !is_waiting(badge, clock)), clock)
    }),
    RecordField::plain("valid_until").whole(|badge, (), clock| match &badge.valid_until {
        _ if is_waiting(badge, clock) => String::new(),
        Some(until) => with_age(Some(until), clock),
        None => t!("no end date").to_owned(),
    }),
    RecordField::plain("revoke_at").whole(|badge, (), clock| with_age(badge.revoke_at.as_ref(), clock)),
    RecordField::plain("revoke_reason"),
    RecordField::plain("badge_id"),
    RecordField::plain("cert_no"),
    RecordField::plain("issuing_org"),
    RecordField::plain("company_name"),
    RecordField::plain("category_name"),
    RecordField::plain("skills_tag"),
    RecordField::plain("criteria"),
    RecordField::plain("description"),
    RecordField::plain("source_cd"),
    RecordField::plain("front_image_url"),
    RecordField::plain("back_image_url"),
];

pub(super) fn not_read(
    error: &ApiError,
    id: &BadgeId,
    (certs, sent): (Option<&IndexSearch>, &[SentHere]),
    room: usize,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    if let ([sent, ..], ApiError::NotFound(_)) = (sent, error) {
        let mut lines = vec![Line::styled(
            format!("{}: {}", t!("Badge {id}", id = short(id.wire())), sent.title),
            cx.theme.strong(),
        )];
        let said = job_rows::sent_here(sent, cx);
        lines.extend(styled(&said, room, cx.theme.warning()));
        lines.extend(styled(&error.to_string(), room, cx.theme.dim()));
        return lines;
    }
    let head = t!("Badge {id} could not be read.", id = short(id.wire()));
    let mut lines: Vec<Line<'static>> = styled(&head, room, cx.theme.strong());
    lines.extend(styled(&error.to_string(), room, cx.theme.error()));
    if matches!(error, ApiError::NotFound { .. }) {
        let said = t!(
            "Not found does not mean \u{201c}never accepted\u{201d}: a badge waiting for issue can stay invisible for up to a day."
        );
        lines.extend(wrap(said, room).into_iter().map(Line::raw));
        if certs.is_some() {
            lines.extend(styled(&advice(certs, cx), room, cx.theme.dim()));
        }
    }
    lines
}

/// All lines of a badge: verdict, mail, recipient and title, timeline, dates, then the rest.
/// The advice for a caller follows the timeline if both fit into `rows` with the fields, otherwise the fields.
pub(super) fn badge_lines(
    badge: &Badge,
    journal: &HolderInJournal,
    (room, rows): (usize, usize),
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let held = held(badge, journal, cx);
    let is_undated = matches!(held.verdict(cx.now()), Verdict::Waiting { since: None });
    let more = if is_undated && held.requested.is_none() {
        // A badge's own record does not have the time of acceptance. Its holder's lists may have it.
        let text = if badge.recipient_email.is_some() {
            let key = cx.key(&[KeyContext::Badge], Action::Wallet);
            t!("no acceptance time in the record; the wallet may show it: {key}", key)
        } else {
            t!("no acceptance time in the record").to_owned()
        };
        format!("; {text}")
    } else {
        String::new()
    };
    let mut lines = head(&held, &more, room, cx);
    let behind_mail = lines.len();
    lines.push(Line::raw(""));
    lines.extend(labelled(&pane(FIELDS, badge, cx), room, cx));
    let behind_fields = lines.len();
    lines.push(Line::raw(""));
    let basis = match cx.clock().basis() {
        OffsetBasis::ThisComputer => {
            t!("service times, zone not given; ages assume this computer's zone")
        }
        OffsetBasis::Unknown => t!("service times, zone not given; ages assume UTC"),
        OffsetBasis::AtLeast => t!(
            "service times, zone not given; ages are minimums: set utc_offset in the profile to correct them"
        ),
        OffsetBasis::Setting => {
            t!("service times; time zone set in the profile")
        }
        OffsetBasis::Learned => {
            t!("service times; time zone detected from the service's answers")
        }
    };
    lines.extend(styled(basis, room, cx.theme.dim()));
    let mut timeline = timeline(&held, cx.now(), room, cx);
    if !timeline.is_empty() {
        timeline.insert(0, Line::raw(""));
    }
    // The fields at the end may be below the screen: they have the same times as the timeline.
    let (told, fits) = told(&held, room, rows.saturating_sub(lines.len()), cx);
    let behind = if fits { behind_mail } else { behind_fields };
    lines.splice(behind..behind, told);
    lines.splice(behind_mail..behind_mail, timeline);
    lines
}

fn with_age(time: Option<&ServiceTime>, clock: &ServiceClock) -> String {
    let (Some(time), now) = (time, clock.now()) else { return String::new() };
    match time.start() {
        Some(start) if start <= now => {
            t!("{time} ({age} ago)", time, age = age(now.duration_since(start)))
        }
        Some(start) => t!("{time} (in {age})", time, age = age(start.duration_since(now))),
        None => time.to_string(),
    }
}

/// A badge that is waiting is not valid yet, so its dates are hidden. It must not show "no end date" either.
fn is_waiting(badge: &Badge, clock: &ServiceClock) -> bool {
    Verdict::of(badge, clock.now()).state() == State::Waiting
}

pub(super) fn held(badge: &Badge, journal: &HolderInJournal, cx: &UiContext) -> HeldBadge {
    let mut held = HeldBadge::from(badge.clone());
    journal.note(&mut held, &cx.clock());
    held
}

/// The call about this badge, when lapel knows nothing but the badge itself and what the journal has.
pub(super) fn case<'a>(held: &'a HeldBadge, cx: &'a UiContext) -> CallCase<'a> {
    let zone_known = cx.clock().is_zone_known();
    CallCase { organisation: cx.organisation(), zone_known, ..CallCase::alone(held, cx.now()) }
}

/// The advice for a caller after an empty line, and whether it fits into `rows`. General advice is left out first.
/// If the rest still does not fit, this returns all lines, and the user scrolls.
fn told(held: &HeldBadge, room: usize, rows: usize, cx: &UiContext) -> (Vec<Line<'static>>, bool) {
    let script = script(&case(held, cx));
    let with = |advice: bool| {
        let mut lines = vec![Line::raw("")];
        lines.extend(advice_lines(&script, advice, false, room, cx));
        lines
    };
    match [true, false].into_iter().map(with).find(|lines| lines.len() <= rows) {
        Some(lines) => (lines, true),
        None => (with(true), false),
    }
}

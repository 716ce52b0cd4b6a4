//! The text of the Badge tab: verdict, mail, fields, and advice for a caller.

use super::told;
use crate::api::ApiError;
use crate::domain::spelling::remarks;
use crate::domain::text::short;
use crate::domain::time::{OffsetBasis, age};
use crate::domain::{Badge, BadgeId, ServiceTime, State, Text, Verdict, issue_time};
use crate::jobs::SentHere;
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::screens::templates::labelled;
use crate::tui::screens::wallet::cert::Certs;
use crate::tui::widgets::highlight_email::spelled;
use crate::tui::widgets::job_rows;
use crate::tui::widgets::record_field::{NO_COLUMN, RecordField, pane};
use crate::tui::widgets::text_layout::{width, wrap};
use ratatui::text::{Line, Span};

const FIELDS: &[RecordField<Badge>] = &[
    RecordField::plain("status_name", tr_noop!("State")).whole(|badge, (), _| {
        let word = badge.status_name.as_ref().filter(|word| !word.looks_empty());
        word.map_or_else(String::new, |word| t!("{word} (the service's word)", word))
    }),
    // Not a field of this record in the contract.
    RecordField::computed("reg_date", tr_noop!("Accepted at"), NO_COLUMN)
        .whole(|badge, (), env| with_age(badge.reg_date.as_ref(), env)),
    RecordField::plain("issued_at", tr_noop!("Issued at"))
        .whole(|badge, (), env| with_age(issue_time(badge), env)),
    RecordField::plain("valid_from", tr_noop!("From"))
        .whole(|badge, (), env| with_age(badge.valid_from.as_ref().filter(|_| !is_waiting(badge, env)), env)),
    RecordField::plain("valid_until", tr_noop!("Until")).whole(|badge, (), env| match &badge.valid_until {
        _ if is_waiting(badge, env) => String::new(),
        Some(until) => with_age(Some(until), env),
        None => t!("no end date").to_owned(),
    }),
    RecordField::plain("revoke_at", tr_noop!("Revoked at"))
        .whole(|badge, (), env| with_age(badge.revoke_at.as_ref(), env)),
    RecordField::plain("revoke_reason", tr_noop!("Reason")),
    RecordField::plain("badge_id", tr_noop!("Badge id")),
    RecordField::plain("cert_no", tr_noop!("Cert. no.")),
    RecordField::plain("issuing_org", tr_noop!("Issuer")),
    RecordField::plain("company_name", tr_noop!("Company")),
    RecordField::plain("category_name", tr_noop!("Category")),
    RecordField::plain("skills_tag", tr_noop!("Skills")),
    RecordField::plain("criteria", tr_noop!("Criteria")),
    RecordField::plain("description", tr_noop!("About")),
    RecordField::plain("source_cd", tr_noop!("Source")),
    RecordField::plain("front_image_url", tr_noop!("Front")),
    RecordField::plain("back_image_url", tr_noop!("Back")),
];

/// Why a badge could not be read, and what lapel knows about it.
pub(super) fn not_read(
    error: &ApiError,
    id: &BadgeId,
    (certs, sent): (Certs, &[SentHere]),
    room: usize,
    env: &Env,
) -> Vec<Line<'static>> {
    if let ([sent, ..], ApiError::NotFound(_)) = (sent, error) {
        let mut lines = vec![Line::styled(
            format!("{}: {}", t!("Badge {id}", id = short(id.wire())), sent.title),
            env.theme.strong(),
        )];
        let said = job_rows::sent_here(sent, env);
        lines.extend(wrap(&said, room).into_iter().map(|l| Line::styled(l, env.theme.warning())));
        lines.extend(wrap(&error.to_string(), room).into_iter().map(|l| Line::styled(l, env.theme.dim())));
        return lines;
    }
    let head = t!("Badge {id} could not be read.", id = short(id.wire()));
    let mut lines: Vec<Line<'static>> =
        wrap(&head, room).into_iter().map(|l| Line::styled(l, env.theme.strong())).collect();
    lines.extend(wrap(&error.to_string(), room).into_iter().map(|l| Line::styled(l, env.theme.error())));
    if matches!(error, ApiError::NotFound { .. }) {
        let said = t!(
            "Not found does not mean \u{201c}never accepted\u{201d}: a badge waiting for issue can stay invisible for up to a day."
        );
        lines.extend(wrap(said, room).into_iter().map(Line::raw));
        if certs != Certs::NotAsked {
            lines
                .extend(wrap(&certs.advice(env), room).into_iter().map(|l| Line::styled(l, env.theme.dim())));
        }
    }
    lines
}

/// All lines of a badge: verdict, mail, recipient and title, dates, then the rest.
/// The advice for a caller follows the mail line if it fits into `rows`, otherwise the fields.
pub(super) fn badge_lines(badge: &Badge, (room, rows): (usize, usize), env: &Env) -> Vec<Line<'static>> {
    let theme = &env.theme;
    let text = |t: &Option<Text>| t.as_ref().filter(|t| !t.looks_empty()).map(ToString::to_string);
    let now = env.now();
    let verdict = Verdict::of(badge, now);
    let state = verdict.state();
    let (word, why) = verdict.line();
    let dot = format!(" {} ", env.glyphs.dot);
    let mut lines = Vec::new();
    let style = theme.state(&state).add_modifier(ratatui::style::Modifier::BOLD);
    let mut first = format!("{} {word}  {why}", env.glyphs.state(&state));
    if matches!(verdict, Verdict::Waiting { since: None }) {
        // A badge's own record does not have the time of acceptance. Its holder's history does.
        first.push_str("; ");
        first.push_str(&if badge.recipient_email.is_some() {
            let key = env.key(&[Context::Badge], Action::Wallet);
            t!("no acceptance time in the record: {key} shows it", key)
        } else {
            t!("no acceptance time in the record").to_owned()
        });
    }
    lines.extend(wrap(&first, room).into_iter().map(|l| Line::styled(l, style)));
    let what: Vec<String> = [text(&badge.title), text(&badge.badge_type_name), text(&badge.level_name)]
        .into_iter()
        .flatten()
        .collect();
    lines.extend(wrap(&what.join(&dot), room).into_iter().map(|l| Line::styled(l, theme.strong())));
    let who: Vec<String> =
        [text(&badge.recipient_name), text(&badge.recipient_email)].into_iter().flatten().collect();
    lines.extend(wrap(&who.join("   "), room).into_iter().map(Line::raw));
    lines.extend(mail_line(badge, room, env));
    let behind_mail = lines.len();
    lines.push(Line::raw(""));
    lines.extend(labelled(&pane(FIELDS, badge, env), room, env));
    let behind_fields = lines.len();
    lines.push(Line::raw(""));
    let basis = match env.clock().basis() {
        OffsetBasis::ThisComputer => {
            t!("service times, zone not given; ages assume this computer's zone")
        }
        OffsetBasis::AtLeast => t!(
            "service times, zone not given and not this computer's; ages are minimums: set utc_offset in the profile to correct them"
        ),
        OffsetBasis::Setting => {
            t!("service times; time zone set in the profile")
        }
        OffsetBasis::Learned => {
            t!("service times; time zone detected from the service's answers")
        }
    };
    lines.extend(wrap(basis, room).into_iter().map(|l| Line::styled(l, theme.dim())));
    let (told, fits) = told::lines(badge, room, rows.saturating_sub(lines.len()), env);
    let behind = if fits { behind_mail } else { behind_fields };
    lines.splice(behind..behind, told);
    lines
}

/// The mail status in the service's own word, and the exact address.
fn mail_line(badge: &Badge, room: usize, env: &Env) -> Vec<Line<'static>> {
    let Some(address) = &badge.recipient_email else { return Vec::new() };
    let status = badge.email_status.as_ref().filter(|s| !s.looks_empty());
    let sent = status.is_some_and(|s| s.wire().eq_ignore_ascii_case("sent"));
    let (text, style) = match status {
        Some(word) if sent => {
            (t!("mail {word} to this address (delivery not confirmed)", word), env.theme.dim())
        }
        Some(word) => (t!("mail: {word} (the service's word)", word), env.theme.warning()),
        None => (t!("mail status not given").to_owned(), env.theme.dim()),
    };
    let mut lines: Vec<Line<'static>> =
        wrap(&text, room).into_iter().map(|l| Line::styled(l, style)).collect();
    // Verifiers compare addresses letter by letter, so lapel points out an unusual spelling.
    let odd = remarks(address.wire());
    if !odd.is_empty() {
        let said = t!("the address has {remarks}", remarks = odd.join(", "));
        let letters = spelled(address.wire(), env);
        let wide: usize = letters.iter().map(Span::width).sum();
        let beside = width(&said) + 2 + wide <= room;
        lines.push(Line::styled(said, env.theme.warning()));
        match lines.last_mut() {
            Some(line) if beside => {
                line.spans.push(Span::raw("  "));
                line.spans.extend(letters);
            }
            // An address longer than the line is not repeated here. The recipient's line above has it in full.
            _ if wide <= room => lines.push(Line::from(letters)),
            _ => {}
        }
    }
    lines
}

/// A time with its age; empty if there is none.
fn with_age(time: Option<&ServiceTime>, env: &Env) -> String {
    let (Some(time), now) = (time, env.now()) else { return String::new() };
    match time.start() {
        Some(start) if start <= now => {
            t!("{time} ({age} ago)", time, age = age(now.duration_since(start)))
        }
        Some(start) => t!("{time} (in {age})", time, age = age(start.duration_since(now))),
        None => time.to_string(),
    }
}

/// A badge that is waiting is not valid yet, so its dates are hidden. It must not show "no end date" either.
fn is_waiting(badge: &Badge, env: &Env) -> bool {
    Verdict::of(badge, env.now()).state() == State::Waiting
}

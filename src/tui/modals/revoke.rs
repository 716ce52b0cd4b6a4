//! Revoke form. It lists the revoke targets and what will be skipped, asks for the reason, and then asks for
//! confirmation.

use crate::domain::State;
use crate::jobs::{RevokePlan, RevokeTarget};
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::persist::input_history;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::confirm::Confirm;
use crate::tui::widgets::field::{Field, Recent};
use crate::tui::widgets::form_layout;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{cells, line_width, number, width, wrap};
use crate::tui::worker::job_command::JobCommand;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Length above which the form warns about a reason, in characters. The contract gives no limit.
const LONG_REASON: usize = 200;
/// Minimum height in rows to show earlier reasons.
const ROOMY: u16 = 16;
/// Column widths before the outcome of each state: the number of badges and the state.
const FATE: [usize; 2] = [7, 14];

pub struct RevokeForm {
    victims: Vec<RevokeTarget>,
    reason: Field,
    error: Option<String>,
    review: Option<(RevokePlan, Confirm)>,
    /// Index of the first listed target.
    top: usize,
    /// Whether waiting badges are revoked when they become Issued.
    when_issued: bool,
    reasons: Recent,
    reasons_ticket: Option<RequestId>,
}

impl RevokeForm {
    pub fn new(mut victims: Vec<RevokeTarget>, out: &mut Effects<'_>) -> Self {
        victims.sort_by_key(|v| !v.state.may_be_revoked());
        Self {
            victims,
            reason: Field::default(),
            error: None,
            review: None,
            top: 0,
            when_issued: false,
            reasons: Recent::default(),
            reasons_ticket: Some(out.ask(Request::Reasons)),
        }
    }

    fn of(&self, which: impl Fn(&State) -> bool) -> usize {
        self.victims.iter().filter(|v| which(&v.state)).count()
    }

    fn waiting(&self) -> usize {
        self.of(|state| *state == State::Waiting)
    }

    /// Number of badges to revoke, now or when they become Issued.
    fn meant(&self) -> usize {
        self.sendable() + if self.when_issued { self.waiting() } else { 0 }
    }

    fn sendable(&self) -> usize {
        self.of(State::may_be_revoked)
    }

    fn go_on(&mut self, env: &Env) {
        self.error = None;
        if self.meant() == 0 {
            return;
        }
        if crate::domain::Text::new(self.reason.value()).looks_empty() {
            self.error =
                Some(t!("the reason is empty: the service requires one, and holders may see it").to_owned());
        } else {
            let plan = RevokePlan::new(self.victims.clone(), self.reason.value(), self.when_issued);
            let confirm = Confirm::new(self.meant(), env);
            self.review = Some((plan, confirm));
        }
    }

    /// Number of badges for each state, and what will happen to them.
    fn breakdown(&self, room: usize, env: &Env) -> Vec<Line<'static>> {
        let mut states: Vec<(State, usize)> = Vec::new();
        for victim in &self.victims {
            match states.iter_mut().find(|(state, _)| *state == victim.state) {
                Some((_, n)) => *n += 1,
                None => states.push((victim.state.clone(), 1)),
            }
        }
        let requests = self.sendable().div_ceil(crate::api::MAX_ENTRIES);
        let fate = |state: &State| match state {
            State::Issued => {
                plural!(requests as u64, "will be sent in {n} request", "will be sent in {n} requests")
            }
            State::Expired => t!("will be sent: still Issued in the service").to_owned(),
            State::Waiting if self.when_issued => t!("revoked when issued, while lapel runs").to_owned(),
            State::Waiting => t!("skipped: cannot be revoked before it is Issued").to_owned(),
            State::Revoking => t!("skipped: already being revoked").to_owned(),
            State::Revoked => t!("skipped: already revoked").to_owned(),
            State::Other(_) => t!("will be sent: unknown state, the service decides").to_owned(),
        };
        states
            .into_iter()
            .flat_map(|(state, n)| {
                let word = format!("{} {}", env.glyphs.state(&state), state.word());
                let row = [
                    (format!("{:>7}", number(n as u64)), env.theme.strong()),
                    (word, env.theme.state(&state)),
                ];
                let before = FATE.iter().sum::<usize>() + FATE.len();
                let parts = wrap(&fate(&state), (room + 2).saturating_sub(before));
                let lines = parts.into_iter().enumerate().map(|(at, part)| {
                    let mut spans = if at == 0 {
                        cells(&row, &FATE, env.glyphs.ellipsis)
                    } else {
                        vec![Span::raw(" ".repeat(before - 1))]
                    };
                    spans.extend([Span::raw(" "), Span::styled(part, env.theme.text())]);
                    Line::from(spans)
                });
                lines.collect::<Vec<_>>()
            })
            .collect()
    }
}

impl Component for RevokeForm {
    fn key_contexts(&self) -> Vec<Context> {
        match &self.review {
            Some((_, confirm)) => confirm.key_contexts(Context::Review),
            None => vec![Context::RevokeForm, Context::Always],
        }
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            Action::Toggle => self.waiting() > 0,
            Action::Earlier | Action::Later => !self.reasons.is_empty(),
            Action::Accept | Action::ClearField | Action::Editor => self.meant() > 0,
            Action::PageDown | Action::PageUp => self.victims.len() > 5,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::ClearField => match &mut self.review {
                Some((_, confirm)) => confirm.clear(),
                None => self.reason.clear(),
            },
            Action::PageDown => self.top = (self.top + 5).min(self.victims.len().saturating_sub(1)),
            Action::PageUp => self.top = self.top.saturating_sub(5),
            Action::Accept => self.go_on(env),
            Action::Confirm => {
                let Some((plan, confirm)) = &mut self.review else { return true };
                if !confirm.agrees(out) {
                    return true;
                }
                out.ask(Request::Do(Box::new(JobCommand::Revoke(plan.clone()))));
                out.close();
                out.go.push(Navigate::Activity);
            }
            Action::Back if self.review.as_mut().is_some_and(|(_, confirm)| confirm.back()) => {}
            Action::Back => {
                if self.review.take().is_none() {
                    out.close();
                }
            }
            Action::Toggle => {
                if self.waiting() > 0 && self.review.is_none() {
                    self.when_issued = !self.when_issued;
                }
            }
            Action::Earlier | Action::Later => {
                if let Some(reason) = self.reasons.step(action == Action::Earlier, self.reason.value()) {
                    self.reason.set(&reason);
                    self.error = None;
                }
            }
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.meant() == 0 {
            return false;
        }
        match &mut self.review {
            Some((_, confirm)) => confirm.on_text_key(key),
            None => {
                self.error = None;
                self.reason.on_text_key(key)
            }
        }
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.review.is_none() {
            self.reason.on_paste(text.trim());
        }
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        _: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Reasons(reasons) if self.reasons_ticket == Some(ticket) => {
                self.reasons_ticket = None;
                self.reasons = Recent::new(reasons);
                Ok(())
            }
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.reason.value()]
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        (self.meant() > 0 && self.review.is_none()).then_some(&mut self.reason)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let what = plural!(self.meant() as u64, "Revoke {n} badge", "Revoke {n} badges");
        let mut lines = form_layout::head(&what, &env.place(), room, env);
        lines.extend(self.breakdown(room, env));
        let key = |action| env.key(&self.key_contexts(), action);
        if self.waiting() > 0 && self.review.is_none() {
            let sign = if self.when_issued { "[x]" } else { "[ ]" };
            let text = t!("{sign} waiting badges: revoke when issued", sign);
            // The checkbox has its own column, also when the text has a second line.
            let parts = wrap(&text, room.saturating_sub(10));
            let indent = |at| if at == 0 { 8 } else { 8 + width(sign) + 1 };
            let said = parts.iter().enumerate().map(|(at, part)| format!("{}{part}", " ".repeat(indent(at))));
            let mut said: Vec<Line<'_>> = said.map(Line::raw).collect();
            let toggle = Span::styled(key(Action::Toggle), theme.key());
            match said.last_mut() {
                Some(last) if line_width(last) + 3 + width(&toggle.content) <= room + 2 => {
                    last.push_span(Span::raw("   "));
                    last.push_span(toggle);
                }
                _ => said.push(Line::from(vec![Span::raw(" ".repeat(indent(1))), toggle])),
            }
            lines.extend(said);
        }
        lines.push(Line::raw(""));
        if self.meant() > 0 {
            let label = t!("Reason");
            let mut spans = vec![
                Span::styled(format!("  {label} "), theme.strong()),
                Span::styled(if self.review.is_none() { env.glyphs.cursor } else { " " }, theme.accent()),
            ];
            spans.extend(self.reason.spans(
                room.saturating_sub(width(label) + 3),
                self.review.is_none(),
                env,
            ));
            if self.review.is_none() && !self.reasons.is_empty() && self.reason.value().is_empty() {
                spans.truncate(3);
                let hint = format!("  {} {}", key(Action::Earlier), t!("earlier reasons"));
                spans.push(Span::styled(hint, theme.dim()));
            }
            lines.push(Line::from(spans));
            if self.review.is_none() && area.height >= ROOMY {
                lines.extend(input_history::offered(&self.reasons, self.reason.value(), 8, room, env));
            }
        } else {
            let text = format!("  {}", t!("No badge here can be revoked now. Nothing is sent."));
            lines.push(Line::styled(text, theme.warning()));
        }
        if self.reason.value().chars().count() > LONG_REASON {
            let text = format!(
                "         {} {}",
                env.glyphs.alert,
                t!("longer than {n} characters: holders may see all of it", n = LONG_REASON)
            );
            lines.push(Line::styled(text, theme.warning()));
        }
        if let Some(error) = &self.error {
            lines
                .extend(wrap(error, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.error())));
        }
        lines.push(Line::raw(""));
        let foot = match &self.review {
            Some((_, confirm)) => {
                confirm.lines(Context::Review, t!("to revoke (cannot be undone)"), room, env)
            }
            None if self.meant() == 0 => {
                let text = t!("{esc} back", esc = key(Action::Back));
                vec![Line::styled(format!("  {text}"), theme.dim())]
            }
            None => {
                let text = t!(
                    "Nothing is sent until you confirm.  {enter} continue  {esc} back",
                    enter = key(Action::Accept),
                    esc = key(Action::Back)
                );
                wrap(&text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())).collect()
            }
        };
        let foot_rows = u16::try_from(foot.len()).unwrap_or(1).min(area.height);
        // The list of targets gets the rows between the breakdown and the foot.
        let free = usize::from(area.height).saturating_sub(lines.len() + 2 + foot.len()).max(1);
        let top = self.top.min(self.victims.len().saturating_sub(free));
        lines.extend(
            self.victims.iter().skip(top).take(free).map(|v| victim_line(v, usize::from(area.width), env)),
        );
        let rest = self.victims.len().saturating_sub(top + free);
        if top > 0 || rest > 0 {
            let text = t!(
                "{above} above, {below} below: {up} {down}",
                above = number(top as u64),
                below = number(rest as u64),
                up = key(Action::PageUp),
                down = key(Action::PageDown)
            );
            lines.push(Line::styled(format!("    {text}"), env.theme.dim()));
        }
        // The confirmation is always visible at the bottom.
        let rows = area.height.saturating_sub(foot_rows);
        let lines = form_layout::squeezed(lines, rows, env);
        frame.render_widget(ratatui::text::Text::from(lines), Rect { height: rows, ..area });
        let at = Rect { y: area.y + rows, height: foot_rows, ..area };
        frame.render_widget(ratatui::text::Text::from(foot), at);
    }
}

impl Modal for RevokeForm {
    fn prepares_sending(&self) -> bool {
        true
    }

    fn takes_editor(&self) -> bool {
        true
    }
}

fn victim_line(victim: &RevokeTarget, columns: usize, env: &Env) -> Line<'static> {
    let rest = columns.saturating_sub(4 + 12 + 4);
    let style = if victim.state.may_be_revoked() { env.theme.text() } else { env.theme.dim() };
    let row = [
        (
            format!("{} {}", env.glyphs.state(&victim.state), victim.state.word()),
            env.theme.state(&victim.state),
        ),
        (victim.holder.to_string(), style),
        (victim.email.to_string(), style),
        (victim.title.to_string(), style),
        (victim.badge_id.to_string(), env.theme.dim()),
    ];
    let id = 14.min(rest / 4);
    let widths = [12, rest / 5, rest / 4, rest - rest / 5 - rest / 4 - id, id];
    let mut spans = vec![Span::raw("    ")];
    spans.extend(cells(&row, &widths, env.glyphs.ellipsis));
    Line::from(spans)
}

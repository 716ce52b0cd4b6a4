//! Revoke form. It lists the revoke targets and what will be skipped, asks for the reason, and then asks for
//! confirmation.

use crate::jobs::RevokePlan;
use crate::tui::prelude::*;
use crate::tui::tour::TourPlace;
use crate::tui::widgets::columns::fitted;
use crate::tui::widgets::form::squeezed;
use crate::tui::widgets::reason_field::ReasonField;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::text_layout::{ColumnLayout, cells, line_of_cells, line_width};

/// Length above which the form warns about a reason, in characters. The contract gives no limit.
const LONG_REASON: usize = 200;
const ROOMY: u16 = 16;
/// Column widths before the outcome of each state: the number of badges and the state.
const OUTCOME: [usize; 2] = [7, 14];

pub struct RevokeForm {
    targets: Vec<RevokeTarget>,
    reason: ReasonField,
    confirming: bool,
    scroll: Scroll,
    when_issued: bool,
    /// How many of the targets are marked rows that a filter hides.
    hidden: usize,
}

impl RevokeForm {
    /// Opens the form, or says why none of the targets can be revoked now or when it is Issued.
    pub fn open(targets: Vec<RevokeTarget>, effects: &mut Effects<'_>) {
        Self::open_marked(targets, 0, effects);
    }

    /// As [`Self::open`], for marked rows of which a filter hides some.
    pub fn open_marked(targets: Vec<RevokeTarget>, hidden: usize, effects: &mut Effects<'_>) {
        let of = |state: State| targets.iter().filter(|target| target.state == state).count() as u64;
        let (revoked, revoking) = (of(State::Revoked), of(State::Revoking));
        if revoked + revoking < targets.len() as u64 {
            effects.open(move |_, effects| Self { hidden, ..Self::new(targets, effects) });
            return;
        }
        let mut why = Vec::new();
        if revoked > 0 {
            why.push(t!("{n} already revoked", n = number(revoked)));
        }
        if revoking > 0 {
            why.push(t!("{n} already being revoked", n = number(revoking)));
        }
        effects.say(t!("Nothing to revoke: {why}.", why = i18n::list(why)));
    }

    fn new(mut targets: Vec<RevokeTarget>, effects: &mut Effects<'_>) -> Self {
        targets.sort_by_key(|target| !target.state.may_be_revoked());
        Self {
            targets,
            reason: ReasonField::new(effects),
            confirming: false,
            scroll: Scroll::default(),
            when_issued: false,
            hidden: 0,
        }
    }

    fn of(&self, which: impl Fn(&State) -> bool) -> usize {
        self.targets.iter().filter(|target| which(&target.state)).count()
    }

    fn waiting(&self) -> usize {
        self.of(|state| *state == State::Waiting)
    }

    fn to_revoke(&self) -> usize {
        self.sendable() + if self.when_issued { self.waiting() } else { 0 }
    }

    fn sendable(&self) -> usize {
        self.of(State::may_be_revoked)
    }

    fn go_on(&mut self) {
        self.confirming = self.to_revoke() > 0 && self.reason.check();
    }

    fn breakdown(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let mut states: Vec<(State, usize)> = Vec::new();
        for target in &self.targets {
            match states.iter_mut().find(|(state, _)| *state == target.state) {
                Some((_, n)) => *n += 1,
                None => states.push((target.state.clone(), 1)),
            }
        }
        let requests = cx.requests_to_send(self.sendable() as u64);
        let outcome = |state: &State| match state {
            State::Issued => {
                plural!(requests, "will be sent in {n} request", "will be sent in {n} requests")
            }
            State::Expired => t!("will be sent: still Issued in the service").to_owned(),
            State::Waiting if self.when_issued => t!("revoked when issued, while lapel runs").to_owned(),
            State::Waiting if self.targets.iter().any(|target| target.is_of_index) => {
                t!("skipped: Waiting when the index was read. Open a badge to see its state now").to_owned()
            }
            State::Waiting => t!("skipped: cannot be revoked before it is Issued").to_owned(),
            State::Revoking => t!("skipped: already being revoked").to_owned(),
            State::Revoked => t!("skipped: already revoked").to_owned(),
            State::Other(_) => t!("will be sent: unknown state, the service decides").to_owned(),
        };
        states
            .into_iter()
            .flat_map(|(state, n)| {
                let word = format!("{} {}", cx.glyphs.state(&state), state.word());
                let row =
                    [(format!("{:>7}", number(n as u64)), cx.theme.strong()), (word, cx.theme.state(&state))];
                let before = OUTCOME.iter().sum::<usize>() + OUTCOME.len();
                let parts = wrap(&outcome(&state), (room + 2).saturating_sub(before));
                let lines = parts.into_iter().enumerate().map(|(at, part)| {
                    let mut spans = if at == 0 {
                        cells(&row, &OUTCOME, cx.glyphs.ellipsis)
                    } else {
                        vec![Span::raw(" ".repeat(before - 1))]
                    };
                    spans.extend([Span::raw(" "), Span::styled(part, cx.theme.text())]);
                    Line::from(spans)
                });
                lines.collect::<Vec<_>>()
            })
            .collect()
    }

    fn when_issued_lines(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let sign = if self.when_issued { "[x]" } else { "[ ]" };
        let text = t!("{sign} waiting badges: revoke when issued", sign);
        // The checkbox has its own column, also when the text has a second line.
        let parts = wrap(&text, room.saturating_sub(10));
        let indent = |at| if at == 0 { 8 } else { 8 + width(sign) + 1 };
        let lines = parts.iter().enumerate().map(|(at, part)| format!("{}{part}", " ".repeat(indent(at))));
        let mut lines: Vec<Line<'_>> = lines.map(Line::raw).collect();
        let toggle = Span::styled(cx.key(&self.key_contexts(), Action::Toggle), cx.theme.key());
        match lines.last_mut() {
            Some(last) if line_width(last) + 3 + width(&toggle.content) <= room + 2 => {
                last.push_span(Span::raw("   "));
                last.push_span(toggle);
            }
            _ => lines.push(Line::from(vec![Span::raw(" ".repeat(indent(1))), toggle])),
        }
        lines
    }

    fn draw_reason(&self, form: &mut FormText<'_>, area: Rect, cx: &UiContext) {
        let focused = !self.confirming;
        let has_hint = focused && self.reason.has_earlier() && self.reason.value().is_empty();
        form.labelled(t!("Reason"), focused, |columns| {
            let mut spans = self.reason.spans(columns, focused, cx);
            if has_hint {
                let key = cx.key(&self.key_contexts(), Action::Earlier);
                spans.truncate(1);
                spans.push(Span::styled(format!("  {key} {}", t!("earlier reasons")), cx.theme.dim()));
            }
            spans
        });
        if focused && area.height >= ROOMY {
            form.extend(self.reason.earlier_lines(8, form.room(), cx));
        }
    }

    fn foot(&self, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let mut foot = FormText::in_popup(area, cx);
        let key = |action| cx.key(&self.key_contexts(), action);
        if self.to_revoke() == 0 {
            foot.dim(&t!("{esc} back", esc = key(Action::Back)));
        } else {
            foot.dim(&t!(
                "Nothing is sent until you confirm.  {enter} next  {esc} back",
                enter = key(Action::Accept),
                esc = key(Action::Back)
            ));
        }
        foot.into_lines()
    }
}

impl Component for RevokeForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::RevokeForm.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::Toggle => self.waiting() > 0,
            Action::Earlier | Action::Later => self.reason.has_earlier(),
            Action::Accept | Action::ClearField | Action::Editor => self.to_revoke() > 0,
            Action::PageDown | Action::PageUp => self.scroll.is_long(),
            // It has one field.
            Action::PreviousField => false,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::PageDown | Action::PageUp => {
                self.scroll.on_action(action);
            }
            Action::Accept => self.go_on(),
            Action::Back => {
                if !std::mem::take(&mut self.confirming) {
                    effects.close();
                }
            }
            Action::Toggle => {
                if self.waiting() > 0 {
                    self.when_issued = !self.when_issued;
                }
            }
            _ => return self.reason.on_action(action),
        }
        true
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        (self.to_revoke() > 0).then(|| self.reason.changing())
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        self.reason.on_response(reply)
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.reason.value()]
    }

    fn tour_place(&self) -> TourPlace {
        if self.asks().is_some() { TourPlace::RevokeReview } else { TourPlace::RevokeForm }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let rows = area.height.saturating_sub(2 * popup::edge(area));
        let mut form = FormText::in_popup(area, cx);
        let key = |action| cx.key(&self.key_contexts(), action);
        let what = match self.to_revoke() as u64 {
            0 => plural!(self.waiting() as u64, "{n} waiting badge", "{n} waiting badges"),
            n => plural!(n, "Revoke {n} badge", "Revoke {n} badges"),
        };
        form.text(&cx.place(), cx.theme.accent());
        if self.hidden > 0 {
            let (n, all) = (number(self.hidden as u64), number(self.targets.len() as u64));
            let text = t!("Hidden by the filter: {n} of {all} marked badges.", n, all);
            form.text(&format!("{} {text}", cx.glyphs.alert), cx.theme.warning());
        }
        form.extend(self.breakdown(form.room(), cx));
        if self.waiting() > 0 && !self.confirming {
            form.extend(self.when_issued_lines(form.room(), cx));
        }
        form.blank();
        if self.to_revoke() > 0 {
            self.draw_reason(&mut form, area, cx);
        } else {
            form.text(t!("No badge here can be revoked now. Nothing is sent."), cx.theme.warning());
        }
        if self.reason.value().chars().count() > LONG_REASON {
            let text = t!("longer than {n} characters: holders may see all of it", n = LONG_REASON);
            form.text(&format!("       {} {text}", cx.glyphs.alert), cx.theme.warning());
        }
        if let Some(error) = self.reason.error() {
            form.text(error, cx.theme.error());
        }
        form.blank();
        let foot = self.foot(area, cx);
        let foot_rows = u16::try_from(foot.len()).unwrap_or(1).min(rows);
        // The list of targets gets the rows between the breakdown and the foot.
        let free = usize::from(rows).saturating_sub(form.len() + 2 + foot.len()).max(1);
        let shown = self.scroll.lay(self.targets.len(), free);
        let (above, below) = (shown.start, self.targets.len() - shown.end);
        let room = form.room().saturating_sub(2);
        form.extend(target_lines(self.targets[shown].iter(), room, cx));
        if above > 0 || below > 0 {
            let text = t!(
                "{above} above, {below} below: {up} {down}",
                above = number(above as u64),
                below = number(below as u64),
                up = key(Action::PageUp),
                down = key(Action::PageDown)
            );
            form.text(&format!("  {text}"), cx.theme.dim());
        }
        form.blank();
        // The foot is always visible at the bottom.
        let mut lines = squeezed(form.into_lines(), rows - foot_rows, cx);
        lines.extend(foot);
        let outer = popup::at_bottom(area, popup::FORM, lines.len());
        let inner = popup::open(frame, outer, area, &what, cx);
        frame.render_widget(lines, inner);
    }
}

impl Modal for RevokeForm {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::PreparesSending | ModalFlag::TakesEditor)
    }

    fn input(&self) -> Option<FormInput> {
        Some(FormInput::new("revoke", subject(&self.targets), vec![self.reason.value().to_owned()]))
    }

    fn set_input(&mut self, texts: &[String]) {
        self.reason.restore(texts);
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        self.confirming.then(|| ConfirmQuestion::send(self.to_revoke() as u64))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let n = self.to_revoke() as u64;
        let what = plural!(n, "Revoke {n} badge (cannot be undone)", "Revoke {n} badges (cannot be undone)");
        form.asks(&what, &cx.place(), cx);
        // The list of targets is below this popup.
        if let [one] = self.targets.as_slice() {
            let badge = t!("badge {id}", id = one.badge_id);
            form.text(&format!("{}  {}  {badge}", one.holder, one.email), cx.theme.text());
        }
        form.extend(self.breakdown(form.room(), cx));
        form.text(&format!("{}  {}", t!("Reason"), Text::new(self.reason.value())), cx.theme.text());
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if self.confirming {
            let plan = RevokePlan::new(self.targets.clone(), self.reason.value(), self.when_issued);
            effects.begin_job(JobCommand::Revoke(plan));
        }
    }
}

/// The id of the badge. Of several badges, a short digest of their ids.
fn subject(targets: &[RevokeTarget]) -> String {
    if let [one] = targets {
        return one.badge_id.wire().to_owned();
    }
    let mut ids: Vec<&str> = targets.iter().map(|target| target.badge_id.wire()).collect();
    ids.sort_unstable();
    crate::secrets::fingerprint(&ids.join(" "))
}

fn target_lines<'a>(
    targets: impl Iterator<Item = &'a RevokeTarget>,
    room: usize,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let row = |target: &RevokeTarget| {
        let style = if target.state.may_be_revoked() { cx.theme.text() } else { cx.theme.dim() };
        let state = format!("{} {}", cx.glyphs.state(&target.state), target.state.word());
        vec![
            (state, cx.theme.state(&target.state)),
            (target.holder.to_string(), style),
            (target.email.to_string(), style),
            (target.title.to_string(), style),
            (target.badge_id.to_string(), cx.theme.dim()),
        ]
    };
    let rows: Vec<_> = targets.map(row).collect();
    // The id tells badges apart that share all else, so it is cut last.
    let own = [(9, 0), (6, 2), (12, 3), (12, 4), (14, 0)];
    let own = own.map(|(min_width, weight)| ColumnLayout { min_width, weight, drop_order: 0 });
    let widths = fitted(&own, &rows, room);
    rows.iter().map(|row| line_of_cells("    ", row, &widths, cx.glyphs.ellipsis)).collect()
}

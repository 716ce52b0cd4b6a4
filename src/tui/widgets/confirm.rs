//! The confirmation: a popup over what it is about. The user types the number of badges and presses Enter. In LIVE
//! the organisation's short name follows the number. No letter confirms, nor does Enter alone.

use crate::domain::confirm_text::ConfirmText;
use crate::tui::prelude::*;
use crate::tui::widgets::form::squeezed;

pub const CONTEXTS: [KeyContext; 2] = [KeyContext::Review, KeyContext::Always];
/// Width of the field in columns, if there is room.
const FIELD: usize = 24;

/// What a modal asks the user to confirm. If it changes, the user types again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmQuestion {
    count: u64,
    sends: bool,
    /// Whether there is a warning that came later than the question.
    warned: bool,
}

impl ConfirmQuestion {
    /// A question without a number of badges, for example before a file is replaced. The number is 1.
    pub const ONE: Self = Self::of(1);

    /// Nothing is sent.
    pub const fn of(count: u64) -> Self {
        Self { count, sends: false, warned: false }
    }

    pub const fn send(count: u64) -> Self {
        Self { count, sends: true, warned: false }
    }

    #[must_use]
    pub const fn warned(self, warned: bool) -> Self {
        Self { warned, ..self }
    }
}

#[derive(Clone, Debug)]
pub struct Confirm {
    ask: ConfirmQuestion,
    wanted: ConfirmText,
    field: TextField,
    /// Whether keys of the text came at once, as in a paste without brackets. Enter may be a later piece of that paste.
    is_pasted: bool,
}

impl Confirm {
    pub fn new(ask: ConfirmQuestion, cx: &UiContext) -> Self {
        let wanted = if ask.sends && cx.is_live() {
            let short = cx.session().and_then(|session| session.short_name.as_deref());
            ConfirmText::live(ask.count, short, cx.organisation())
        } else {
            ConfirmText::number(ask.count)
        };
        Self { ask, wanted, field: TextField::default(), is_pasted: false }
    }

    pub fn ask(&self) -> ConfirmQuestion {
        self.ask
    }

    /// The reason for typing again, if the number has changed.
    pub fn changed(&self, now: ConfirmQuestion) -> Option<String> {
        let (before, now) = (self.ask.count, now.count);
        (before != now)
            .then(|| t!("The number has changed from {before} to {now}. Nothing was sent.", before, now))
    }

    /// Only a number is typed outside LIVE. Pasting is not possible.
    pub fn on_text_key(&mut self, key: KeyEvent, is_at_once: bool) -> bool {
        let is_text = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let typed = match key.code {
            KeyCode::Char(c) if is_text && !self.wanted.has_name() && !c.is_ascii_digit() => false,
            _ => self.field.on_text_key(key),
        };
        // The rest of a paste into the field before this question, for example its line feed, is no text here.
        self.is_pasted = (self.is_pasted || is_at_once) && !self.field.value().is_empty();
        typed
    }

    pub fn clear(&mut self) {
        self.is_pasted = false;
        self.field.clear();
    }

    /// Whether Enter, which came at once with the key before it or not, may be a part of a paste. The next Enter is none
    /// if it comes alone.
    pub fn may_be_paste(&mut self, is_at_once: bool) -> bool {
        std::mem::take(&mut self.is_pasted) || is_at_once
    }

    pub fn is_right(&self) -> bool {
        self.wanted.is_typed(self.field.value())
    }

    fn nothing(&self) -> &'static str {
        if self.ask.sends { t!("Nothing has been sent.") } else { t!("Nothing has been changed.") }
    }

    /// What is expected, after Enter with another text.
    pub fn missing(&self, cx: &UiContext) -> String {
        if !self.wanted.is_possible() {
            return t!("The organisation of this service is unknown. Nothing can be sent.").to_owned();
        }
        format!("{}. {}", self.how(cx), self.nothing())
    }

    /// After Enter that came together with the text. A person presses the keys one after another.
    pub fn once_more(&self, cx: &UiContext) -> String {
        let enter = cx.key(&CONTEXTS, Action::Accept);
        t!(
            "The text and {enter} arrived at once, as from a paste. {nothing} Press {enter} again.",
            enter,
            nothing = self.nothing()
        )
    }

    fn how(&self, cx: &UiContext) -> String {
        let enter = cx.key(&CONTEXTS, Action::Accept);
        t!("Type {text} and press {enter}", text = &self.wanted, enter)
    }

    fn foot(&self, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let mut form = FormText::new(area, cx);
        let how = if self.wanted.is_possible() { self.how(cx) } else { self.missing(cx) };
        let left = form.room().saturating_sub(width(&how) + 3);
        let (before, columns) = if left >= FIELD.min(width(&self.wanted.to_string()) + 4) {
            (Span::styled(format!("  {how}  "), cx.theme.key()), left.min(FIELD))
        } else {
            form.text(&how, cx.theme.key());
            (Span::raw("  "), form.room().saturating_sub(1))
        };
        let mut line = Line::from(vec![before, cx.cursor(true)]);
        line.extend(self.field.spans(columns, true, cx));
        form.line(line);
        let esc = cx.key(&CONTEXTS, Action::Back);
        form.dim(&t!("{esc}: back. {nothing}", esc, nothing = self.nothing()));
        form.into_lines()
    }

    /// Draws the popup at the bottom of `area`. `tell` writes what is confirmed: its first lines are the operation
    /// with the number, and the environment.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
        tell: impl FnOnce(&mut FormText<'_>),
    ) {
        let edge = popup::edge(area);
        let inner = popup::inside(area, popup::FORM);
        let mut told = FormText::new(inner, cx);
        tell(&mut told);
        told.blank();
        let foot = self.foot(inner, cx);
        let rows = u16::try_from(foot.len()).unwrap_or(area.height);
        let mut lines = squeezed(told.into_lines(), area.height.saturating_sub(rows + 2 * edge), cx);
        lines.extend(foot);
        let outer = popup::at_bottom(area, popup::FORM, lines.len());
        let inner = popup::open(frame, outer, area, "", cx);
        frame.render_widget(lines, inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;
    use unicode_normalization::UnicodeNormalization;

    fn press(confirm: &mut Confirm, code: KeyCode) {
        confirm.on_text_key(KeyEvent::new(code, KeyModifiers::NONE), false);
    }

    fn types(confirm: &mut Confirm, text: &str) {
        text.chars().for_each(|c| press(confirm, KeyCode::Char(c)));
    }

    fn context(environment: Environment) -> UiContext {
        let mut cx = UiContext::for_test();
        cx.connection.session = Some(crate::tui::ProfileSession::for_test(environment, "달무리대학교 yY"));
        cx
    }

    #[test]
    fn only_the_exact_number_confirms() {
        for environment in [Environment::Demo, Environment::Staging] {
            let mut confirm = Confirm::new(ConfirmQuestion::send(41), &context(environment));
            assert!(!confirm.is_right(), "Enter alone");
            for (code, right) in [
                (KeyCode::Char('4'), false),
                (KeyCode::Char('y'), false),
                (KeyCode::Char('1'), true),
                (KeyCode::Char('ㅛ'), true),
                (KeyCode::Char('0'), false),
                (KeyCode::Backspace, true),
            ] {
                press(&mut confirm, code);
                assert_eq!(confirm.is_right(), right, "{code:?}");
            }
            confirm.clear();
            assert!(!confirm.is_right());
        }
    }

    #[test]
    fn a_text_that_came_at_once_needs_one_more_enter() {
        let mut confirm = Confirm::new(ConfirmQuestion::send(41), &context(Environment::Demo));
        types(&mut confirm, "41");
        assert!(!confirm.may_be_paste(false) && confirm.may_be_paste(true));
        confirm.clear();
        press(&mut confirm, KeyCode::Char('4'));
        confirm.on_text_key(KeyEvent::new(KeyCode::Char('1'), KeyModifiers::NONE), true);
        assert!(confirm.may_be_paste(false), "Enter may be the last piece of the paste");
        assert!(!confirm.may_be_paste(false), "the next one is a person's");
    }

    #[test]
    fn what_is_left_of_a_paste_elsewhere_does_not_count_once_there_is_no_text() {
        let line_feed = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL);
        let at_once = |confirm: &mut Confirm, c: char| {
            confirm.on_text_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), true);
        };
        for environment in [Environment::Demo, Environment::Live] {
            let mut confirm = Confirm::new(ConfirmQuestion::of(1), &context(environment));
            confirm.on_text_key(line_feed, true);
            types(&mut confirm, "1");
            assert!(confirm.is_right() && !confirm.may_be_paste(false), "typed after the line feed");
            // Text of a paste that was deleted, and typed again.
            confirm.clear();
            at_once(&mut confirm, '1');
            press(&mut confirm, KeyCode::Backspace);
            types(&mut confirm, "1");
            assert!(confirm.is_right() && !confirm.may_be_paste(false), "typed after the deletion");
            // The same line feed after pasted text, and pasted text after a deletion, are a paste.
            confirm.clear();
            types(&mut confirm, "1");
            confirm.on_text_key(line_feed, true);
            assert!(confirm.may_be_paste(false), "the text came with its line feed");
            confirm.clear();
            press(&mut confirm, KeyCode::Backspace);
            at_once(&mut confirm, '1');
            assert!(confirm.may_be_paste(false), "pasted after a deletion");
        }
    }

    #[test]
    fn in_live_the_name_follows_the_number_in_one_line() {
        let cx = context(Environment::Live);
        for typed in ["2 달무리", "2달무리", "2 달무리대학교 yy", &"2 달무리".nfd().collect::<String>()]
        {
            let mut confirm = Confirm::new(ConfirmQuestion::send(2), &cx);
            let all = typed.chars().count();
            for (at, c) in typed.chars().enumerate() {
                assert!(!confirm.is_right() || at > 4, "{typed} before its letter {at} of {all}");
                press(&mut confirm, KeyCode::Char(c));
            }
            assert!(confirm.is_right(), "{typed}");
        }
        let mut confirm = Confirm::new(ConfirmQuestion::of(2), &cx);
        types(&mut confirm, "2");
        assert!(confirm.is_right(), "what sends nothing needs no name");
    }

    #[test]
    fn no_single_character_confirms_in_live() {
        for c in (' '..='~').chain('가'..'각').chain('ㄱ'..='ㅣ') {
            let mut confirm = Confirm::new(ConfirmQuestion::send(1), &context(Environment::Live));
            press(&mut confirm, KeyCode::Char(c));
            assert!(!confirm.is_right(), "{c}");
        }
    }

    #[test]
    fn without_an_organisation_nothing_confirms_in_live() {
        let cx = UiContext::for_test();
        let mut confirm = Confirm::new(ConfirmQuestion::send(1), &cx);
        types(&mut confirm, "1 ");
        assert!(!confirm.is_right());
    }

    #[test]
    fn a_long_text_does_not_hide_how_to_confirm() {
        for environment in [Environment::Demo, Environment::Live] {
            let cx = context(environment);
            let confirm = Confirm::new(ConfirmQuestion::send(1_048_576), &cx);
            for (columns, rows) in [(60, 12), (60, 6), (80, 20), (200, 46)] {
                let area = Rect::new(0, 0, columns, rows);
                let mut buffer = ratatui::buffer::Buffer::empty(area);
                confirm.draw(&mut Frame::new(&mut buffer), area, &cx, |form| {
                    form.asks("Issue 1,048,576 badges  Title", &cx.place(), &cx);
                    form.dim(&"A long explanation. ".repeat(200));
                });
                let text: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
                let text: String = text.split_whitespace().collect();
                for part in ["Issue1,048,576badges", "Type1048576", "esc:back"] {
                    assert!(text.contains(part), "{columns}x{rows}: {part} in {text}");
                }
                assert!(text.contains(&environment.to_string()), "{columns}x{rows}: {text}");
            }
        }
    }
}

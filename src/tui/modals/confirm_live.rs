//! Field for the organisation's name, which the user must type before lapel sends anything to a live service.

use crate::domain::confirm_text::is_typed;
use crate::domain::text::scrub;
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::text_layout::{width, wrap};
use crossterm::event::KeyEvent;
use ratatui::text::{Line, Span};

/// Maximum number of lines for a long name. The user can type all of it.
const LONGEST: usize = 3;
/// Minimum width of the field in columns, if its keys are beside it.
const NARROWEST: usize = 20;
/// Maximum width of the field in columns.
const WIDEST: usize = 48;

/// Expected name and the input so far.
#[derive(Clone, Debug)]
pub struct Organisation {
    wanted: String,
    field: Field,
}

impl Organisation {
    pub fn new(wanted: &str) -> Self {
        Self { wanted: wanted.to_owned(), field: Field::default() }
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.field.on_text_key(key)
    }

    pub fn clear(&mut self) {
        self.field.clear();
    }

    /// Whether the input matches the name.
    pub fn is_right(&self) -> bool {
        is_typed(self.field.value(), &self.wanted)
    }

    /// Why the input does not match.
    pub fn missing(&self) -> String {
        if self.wanted.trim().is_empty() {
            return t!("The organisation of this service is unknown. Nothing can be sent.").to_owned();
        }
        if self.field.value().trim().is_empty() {
            t!("Type the organisation's name first. Nothing was sent.").to_owned()
        } else {
            t!("That is not the organisation's name. Nothing was sent.").to_owned()
        }
    }

    /// Prompt and field, in `room` columns after a margin of two.
    pub fn lines(&self, verb: &str, room: usize, env: &Env) -> Vec<Line<'static>> {
        let asked = t!("LIVE. Type the organisation: {name}", name = scrub(&self.wanted));
        let mut asked = wrap(&asked, room);
        asked.truncate(LONGEST);
        let mut lines: Vec<Line<'static>> =
            asked.into_iter().map(|l| Line::styled(format!("  {l}"), env.theme.accent())).collect();
        let name = |action| env.key(&[Context::Organisation], action);
        let (send, back) = (name(Action::Confirm), name(Action::Back));
        let to_number = t!("back");
        let back_wide = width(&back) + 1 + width(to_number);
        let send_wide = width(&send) + 1 + width(verb);
        let style = if self.is_right() { env.theme.accent() } else { env.theme.dim() };
        let keys = [Span::styled(send, env.theme.key()), Span::styled(format!(" {verb}"), style)];
        let goes_back =
            [Span::raw("   "), Span::styled(back, env.theme.key()), Span::raw(format!(" {to_number}"))];
        let field = |columns: usize| {
            let mut spans = vec![Span::raw("  "), Span::styled(env.glyphs.cursor, env.theme.accent())];
            spans.extend(self.field.spans(columns.clamp(1, WIDEST), true, env));
            spans
        };
        let beside = room.saturating_sub(send_wide + back_wide + 7);
        if beside >= NARROWEST {
            let gap = [Span::raw("   ")];
            let all = field(beside).into_iter().chain(gap).chain(keys).chain(goes_back);
            lines.push(Line::from(all.collect::<Vec<_>>()));
        } else {
            let all = field(room.saturating_sub(back_wide + 4)).into_iter().chain(goes_back);
            lines.push(Line::from(all.collect::<Vec<_>>()));
            let keys = std::iter::once(Span::raw("  ")).chain(keys);
            lines.push(Line::from(keys.collect::<Vec<_>>()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn it_fits_whatever_it_is_called_and_shows_the_keys() {
        let env = Env::for_test();
        for name in
            ["나루", "달무리대학교 평생배움원 디지털 역량 인증 센터 운영지원실", &"긴이름".repeat(300)]
        {
            for room in [56, 76, 156] {
                for verb in ["to issue", "to issue the corrected badge, then revoke this one"] {
                    let lines = Organisation::new(name).lines(verb, room, &env);
                    assert!(lines.len() <= LONGEST + 2, "{name} {room}");
                    let widest = lines.iter().map(Line::width).max().unwrap_or(0);
                    assert!(widest <= room + 2 || room == 56, "{name} {room}: {widest}");
                    let text: String =
                        lines.iter().flat_map(|l| &l.spans).map(|s| s.content.as_ref()).collect();
                    assert!(text.contains("ctrl-o") && text.contains(verb), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_key_that_is_shown_is_the_one_in_force() {
        let file = "[organisation]\nconfirm = 'f9'\n";
        let file = crate::config::KeymapFile::parse(std::path::Path::new("keys.toml"), file);
        let mut env = Env::for_test();
        env.keymap = crate::tui::Keymap::with(&file).0;
        let lines = Organisation::new("나루").lines("to issue", 76, &env);
        let text: String = lines.iter().flat_map(|l| &l.spans).map(|s| s.content.as_ref()).collect();
        assert!(text.contains("f9 to issue") && !text.contains("ctrl-o"), "{text}");
        for letter in ["'y'", "'ㅛ'", "'enter'"] {
            let file = format!("[organisation]\nconfirm = {letter}\n");
            let file = crate::config::KeymapFile::parse(std::path::Path::new("keys.toml"), &file);
            assert!(!crate::tui::Keymap::with(&file).1.is_empty(), "{letter} would be typed, or is Enter");
        }
    }

    #[test]
    fn syllables_may_be_typed_letter_by_letter() {
        let mut organisation = Organisation::new("나루 University");
        for c in "나루 University".nfd() {
            organisation.on_text_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
        assert!(organisation.is_right());
        organisation.on_text_key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
        assert!(!organisation.is_right() && organisation.missing().contains("not the organisation's name"));
    }
}

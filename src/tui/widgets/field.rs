//! A one-line text field, and what was typed in it before.

use crate::tui::persist::input_history;
use crate::tui::prelude::*;
use crokey::key;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

/// Longest text of a field, in characters. A longer text is a pasted file.
pub const LONGEST: usize = 2_000;

/// What the keys of a shell and of a desktop do in every field. A key of the keymap comes first. Letters and words are
/// whole: a Hangul syllable or a letter with its marks is one.
pub const EDIT_KEYS: &[(&[KeyCombination], InputRequest, &str)] = &[
    (&[key!(left), key!(ctrl - b)], InputRequest::GoToPrevChar, tr_noop!("move one letter left")),
    (&[key!(right), key!(ctrl - f)], InputRequest::GoToNextChar, tr_noop!("move one letter right")),
    (
        &[key!(ctrl - left), key!(alt - left), key!(alt - b)],
        InputRequest::GoToPrevWord,
        tr_noop!("move one word left"),
    ),
    (
        &[key!(ctrl - right), key!(alt - right), key!(alt - f)],
        InputRequest::GoToNextWord,
        tr_noop!("move one word right"),
    ),
    (&[key!(home), key!(ctrl - a)], InputRequest::GoToStart, tr_noop!("go to the start")),
    (&[key!(end), key!(ctrl - e)], InputRequest::GoToEnd, tr_noop!("go to the end")),
    (
        &[key!(backspace), key!(ctrl - h)],
        InputRequest::DeletePrevChar,
        tr_noop!("delete the letter on the left"),
    ),
    (
        &[key!(delete), key!(ctrl - d)],
        InputRequest::DeleteNextChar,
        tr_noop!("delete the letter on the right"),
    ),
    (
        &[key!(ctrl - w), key!(alt - backspace), key!(ctrl - backspace)],
        InputRequest::DeletePrevWord,
        tr_noop!("delete the word on the left"),
    ),
    (
        &[key!(alt - d), key!(alt - delete), key!(ctrl - delete)],
        InputRequest::DeleteNextWord,
        tr_noop!("delete the word on the right"),
    ),
    (&[key!(ctrl - k)], InputRequest::DeleteTillEnd, tr_noop!("delete to the end")),
    (&[key!(ctrl - y)], InputRequest::Yank, tr_noop!("bring back what was cleared or deleted by words")),
];

#[derive(Clone, Debug, Default)]
pub struct TextField {
    input: Input,
    /// Shows asterisks, for an API key.
    secret: bool,
    /// Whether the whole text is selected, so that the next letter or paste replaces it.
    selected: bool,
}

impl TextField {
    pub fn secret() -> Self {
        Self { secret: true, ..Self::default() }
    }

    pub fn with(text: &str) -> Self {
        let mut field = Self::default();
        field.set(text);
        field
    }

    pub fn value(&self) -> &str {
        self.input.value()
    }

    pub fn set(&mut self, text: &str) {
        self.selected = false;
        self.put(clean(text));
    }

    /// Replaces the text. What was deleted before can still be brought back.
    fn put(&mut self, text: String) {
        self.input = std::mem::take(&mut self.input).with_value(text);
        // Separates what was deleted before from what is deleted next.
        self.input.handle(InputRequest::SetCursor(usize::MAX));
    }

    /// Selects the whole text. The next letter or paste replaces it; a movement of the cursor keeps it.
    pub fn select(&mut self) {
        self.selected = !self.value().is_empty();
    }

    /// Whether the next letter is the first one: the text is empty, or all of it is selected.
    pub fn is_all_selected(&self) -> bool {
        self.selected || self.value().is_empty()
    }

    /// The cursor is between the two parts.
    pub fn set_around(&mut self, before: &str, after: &str) {
        let before = clean(before);
        let cursor = before.chars().count();
        self.put(before + &clean(after));
        self.input.handle(InputRequest::SetCursor(cursor));
    }

    pub fn split(&self) -> (&str, &str) {
        let text = self.value();
        text.split_at(text.char_indices().nth(self.input.cursor()).map_or(text.len(), |(at, _)| at))
    }

    /// Replaces the text, which may be too long for the field. Returns the number of characters cut off.
    pub fn fill(&mut self, text: &str) -> usize {
        let all = clean(text);
        let kept: String = all.chars().take(LONGEST).collect();
        let cut = all.chars().count() - kept.chars().count();
        self.set(&kept);
        cut
    }

    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// Removes the text. A key brings it back, unless it is a secret.
    pub fn clear(&mut self) {
        self.selected = false;
        if self.secret {
            self.input = Input::default();
        } else {
            self.input.handle(InputRequest::DeleteLine);
        }
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        if std::mem::take(&mut self.selected) {
            let is_plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
            match key.code {
                KeyCode::Char(_) if is_plain => self.clear(),
                KeyCode::Backspace | KeyCode::Delete => {
                    self.clear();
                    return true;
                }
                _ => {}
            }
        }
        let Some(edit) = edit(key) else { return false };
        let before = self.value().len();
        let changed = self.input.handle(edit).is_some_and(|change| change.value);
        if self.value().chars().count() > LONGEST && self.value().len() > before {
            self.put(self.value().chars().take(LONGEST).collect());
        }
        changed
    }

    /// Inserts pasted text at the cursor. Line breaks become spaces, other control characters are dropped. Pasted
    /// text never acts as keys.
    pub fn on_paste(&mut self, text: &str) {
        if self.selected {
            self.clear();
        }
        let room = LONGEST.saturating_sub(self.input.value().chars().count());
        for c in clean(text).chars().take(room) {
            self.input.handle(tui_input::InputRequest::InsertChar(c));
        }
    }

    /// The field as spans of exactly `columns` cells. With the focus, the cursor is drawn in reverse.
    pub fn spans(&self, columns: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
        let style = cx.theme.field(focused);
        let (before, after) = if self.secret {
            let all = self.value().chars().count();
            let before = self.input.cursor().min(all);
            ("*".repeat(before), "*".repeat(all - before))
        } else {
            let (before, after) = if focused { self.split() } else { ("", self.value()) };
            (scrub(before).into_owned(), scrub(after).into_owned())
        };
        if self.selected && focused {
            let text = scrub(self.value());
            let wide = width(&text).min(columns);
            let text = fit(&text, wide, cx.glyphs.ellipsis);
            return vec![Span::styled(text, cursor(style)), Span::styled(" ".repeat(columns - wide), style)];
        }
        if !focused || columns == 0 {
            return vec![Span::styled(fit(&(before + &after), columns, cx.glyphs.ellipsis), style)];
        }
        // Show the part around the cursor. The cursor takes one column.
        let mut begin = before.len();
        let mut used = 1;
        for (at, grapheme) in before.grapheme_indices(true).rev() {
            used += width(grapheme);
            if used > columns {
                break;
            }
            begin = at;
        }
        let head = before[begin..].to_owned();
        let under = after.graphemes(true).next().unwrap_or(" ");
        let tail = after.get(under.len()..).unwrap_or_default();
        let room = columns.saturating_sub(width(&head) + width(under).max(1));
        vec![
            Span::styled(head, style),
            Span::styled(under.to_owned(), cursor(style)),
            Span::styled(fit(tail, room, cx.glyphs.ellipsis), style),
        ]
    }
}

/// What a key that the keymap leaves to the field does there.
fn edit(key: KeyEvent) -> Option<InputRequest> {
    if let KeyCode::Char(letter) = key.code
        && ((key.modifiers - KeyModifiers::SHIFT).is_empty()
            // On some keyboards this is how signs such as @ are typed.
            || key.modifiers == KeyModifiers::CONTROL | KeyModifiers::ALT)
    {
        return Some(InputRequest::InsertChar(letter));
    }
    let key = KeyCombination::from(key);
    EDIT_KEYS.iter().find(|(keys, ..)| keys.contains(&key)).map(|(_, edit, _)| *edit)
}

fn cursor(style: Style) -> Style {
    style.add_modifier(ratatui::style::Modifier::REVERSED)
}

/// Pasted or preset text, without characters that a one-line field cannot hold.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim_matches(['\n', '\r']).chars() {
        match c {
            '\n' | '\r' | '\t' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Maximum number of inputs that a field notes by itself.
const MOST: usize = 50;
/// Recent inputs below a field. A form also shows other things.
const OFFERED: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct RecentInputs {
    all: Vec<String>,
    at: Option<usize>,
    /// The typed text before the user selected a recent input.
    typed: String,
}

impl RecentInputs {
    pub fn new(all: Vec<String>) -> Self {
        Self { all, ..Self::default() }
    }

    pub fn all(&self) -> &[String] {
        &self.all
    }

    pub fn at(&self) -> Option<usize> {
        self.at
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn note(&mut self, text: &str) {
        self.at = None;
        self.all.retain(|old| old != text);
        self.all.insert(0, text.to_owned());
        self.all.truncate(MOST);
    }

    /// Ends the selection: the user types something else.
    pub fn leave(&mut self) {
        self.at = None;
    }

    /// Returns the next older or newer entry. `now` is the field's text, which returns after the newest entry.
    pub fn step(&mut self, earlier: bool, now: &str) -> Option<String> {
        let next = match (self.at, earlier) {
            (None, true) if !self.all.is_empty() => {
                now.clone_into(&mut self.typed);
                Some(0)
            }
            (Some(at), true) => Some((at + 1).min(self.all.len() - 1)),
            (Some(at @ 1..), false) => Some(at - 1),
            (Some(0), false) => {
                self.at = None;
                return Some(std::mem::take(&mut self.typed));
            }
            (None, _) => return None,
        };
        self.at = next;
        next.and_then(|at| self.all.get(at).cloned())
    }

    /// The entries below a field of a form, one per line: only while the field is empty or holds one of them.
    pub fn offered(&self, typed: &str, indent: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        if !typed.is_empty() && self.at.is_none() {
            return Vec::new();
        }
        let mut offered = input_history::lines(&self.all, self.at, room.saturating_sub(indent), OFFERED, cx);
        for line in &mut offered {
            line.spans.insert(0, Span::raw(" ".repeat(indent)));
        }
        offered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spans: &[Span<'_>]) -> String {
        spans.iter().map(|s| s.content.as_ref()).collect()
    }

    #[test]
    fn pasted_lines_become_one_and_controls_are_dropped() {
        let mut field = TextField::default();
        field.on_paste("kim\u{1b}[31m\r\nminsu\n");
        assert_eq!(field.value(), "kim[31m minsu");
    }

    #[test]
    fn a_pasted_file_is_cut() {
        let mut field = TextField::default();
        field.on_paste(&"x".repeat(1_000_000));
        assert_eq!(field.value().len(), LONGEST);
        field.on_text_key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE));
        assert_eq!(field.value().len(), LONGEST);
    }

    #[test]
    fn a_selected_text_is_replaced_by_what_comes_next_and_kept_by_a_movement() {
        let press = |code| {
            let mut field = TextField::with("old");
            field.select();
            field.on_text_key(KeyEvent::new(code, KeyModifiers::NONE));
            field.on_text_key(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::NONE));
            field.value().to_owned()
        };
        assert_eq!(press(KeyCode::Char('2')), "2z");
        assert_eq!(press(KeyCode::Backspace), "z");
        assert_eq!(press(KeyCode::Left), "olzd");
        assert_eq!(press(KeyCode::End), "oldz");
        let mut field = TextField::with("old");
        field.select();
        field.on_paste("new");
        assert_eq!(field.value(), "new");
    }

    #[test]
    fn hangul_is_typed_and_measured() {
        let cx = UiContext::for_test();
        let mut field = TextField::default();
        for c in "한서윤".chars() {
            assert!(field.on_text_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
        assert_eq!(text(&field.spans(10, true, &cx)), "한서윤    ");
        assert_eq!(text(&field.spans(10, false, &cx)), "한서윤    ");
        assert_eq!(width(&text(&field.spans(5, true, &cx))), 5);
        field.on_text_key(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
        assert_eq!(text(&field.spans(10, true, &cx)), "한서윤    ");
    }

    #[test]
    fn the_cursor_stands_on_whole_letters_and_hides_none() {
        let cx = UiContext::for_test();
        let mut field = TextField::with("காவ்யா\u{200d}b");
        for steps in 0..8 {
            let shown = field.spans(30, true, &cx);
            assert_eq!(width(&text(&shown)), 30, "{steps}");
            assert!(text(&shown).contains('b') && text(&shown).contains('வ'), "{steps}: {shown:?}");
            field.on_text_key(KeyEvent::new(KeyCode::Left, KeyModifiers::NONE));
        }
        assert_eq!(field.spans(30, true, &cx)[1].content, "கா");
    }

    #[test]
    fn what_was_typed_earlier_is_offered_and_what_is_typed_now_comes_back() {
        let mut recent = RecentInputs::new(vec!["new".into(), "old".into()]);
        assert_eq!(recent.step(false, "mine"), None);
        assert_eq!(recent.step(true, "mine").as_deref(), Some("new"));
        assert_eq!(recent.step(true, "new").as_deref(), Some("old"));
        assert_eq!(recent.step(true, "old").as_deref(), Some("old"), "there is nothing before it");
        assert_eq!(recent.step(false, "old").as_deref(), Some("new"));
        assert_eq!(recent.step(false, "new").as_deref(), Some("mine"));
        assert_eq!(RecentInputs::default().step(true, "mine"), None);
    }

    #[test]
    fn a_secret_is_never_shown() {
        let cx = UiContext::for_test();
        let mut field = TextField::secret();
        field.on_paste("dmu_live_abc");
        for focused in [true, false] {
            assert!(!text(&field.spans(40, focused, &cx)).contains("dmu"));
        }
    }
}

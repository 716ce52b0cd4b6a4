//! The box of the Wallet and of the Badge tab, and what it offers next: earlier inputs, the other lines of a paste, and a
//! text that was left half typed.

use crate::tui::persist::input_history::{self, InputKind};
use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;

/// The box: its text, and what it offers.
#[derive(Default)]
pub(super) struct LookupBox {
    pub kind: InputKind,
    pub field: TextField,
    pub recent: RecentInputs,
    /// Pasted lines, and a text that was left half typed: they were not looked up yet.
    pub set_aside: Vec<String>,
    pub typing: bool,
    /// Whether the text was changed since it was looked up. An answer leaves it alone then.
    pub is_edited: bool,
}

impl LookupBox {
    /// The text of the last look-up is selected.
    pub fn focus(&mut self) {
        self.typing = true;
        self.field.select();
    }

    /// Shows what an answer is about. A text that somebody types meanwhile stays, and so does the focus.
    pub fn show(&mut self, subject: &str) {
        if !self.is_edited {
            self.field.set(subject);
            if self.typing {
                self.field.select();
            }
        }
    }

    /// Leaves the box, which shows `subject`.
    pub fn leave(&mut self, subject: &str) {
        self.typing = false;
        self.is_edited = false;
        self.recent = RecentInputs::default();
        self.field.set(subject);
    }

    /// Leaves the box, whose text is looked up now as `text`.
    pub fn take(&mut self, text: &str) {
        self.set_aside.retain(|line| line != self.field.value().trim());
        self.leave(text);
    }

    /// After a change of the text by the user.
    pub fn edited(&mut self) {
        self.is_edited = true;
        self.recent = RecentInputs::default();
    }

    pub fn clear(&mut self) {
        self.field.clear();
        self.edited();
    }

    /// The text, if it is not `subject`, which was looked up. A recalled one is offered anyway.
    fn half_typed(&self, subject: &str) -> Option<String> {
        let text = self.field.value().trim();
        let is_new = self.is_edited && self.recent.at().is_none() && text != subject;
        (is_new && !text.is_empty() && !crate::secrets::is_key(text)).then(|| text.to_owned())
    }

    pub fn put_half_typed_aside(&mut self, subject: &str) {
        self.put_aside(self.half_typed(subject));
    }

    /// Offers this text first.
    fn put_aside(&mut self, text: Option<String>) {
        let Some(text) = text else { return };
        self.set_aside.retain(|aside| *aside != text);
        self.set_aside.insert(0, text);
    }

    /// What the box offers: what was not looked up yet, then earlier look-ups.
    pub fn offered(&self, cx: &UiContext) -> Vec<String> {
        let earlier = cx.recent(self.kind).iter().filter(|text| !self.set_aside.contains(text));
        self.set_aside.iter().chain(earlier).cloned().collect()
    }

    pub fn has_offers(&self, cx: &UiContext) -> bool {
        !self.set_aside.is_empty() || !cx.recent(self.kind).is_empty()
    }

    /// Recalls the next of these texts. Returns whether there is one.
    pub fn recall(&mut self, earlier: bool, subject: &str, cx: &UiContext) -> bool {
        if self.recent.at().is_none() {
            self.recent = RecentInputs::new(self.offered(cx));
            if earlier && !self.recent.is_empty() {
                self.put_half_typed_aside(subject);
            }
        }
        let Some(text) = self.recent.step(earlier, self.field.value()) else { return false };
        // It is in the box again.
        if self.recent.at().is_none() {
            self.set_aside.retain(|aside| aside != text.trim());
        }
        self.field.set(&text);
        self.is_edited = true;
        true
    }

    /// Types into the text. Returns whether it changed.
    pub fn type_key(&mut self, key: KeyEvent, subject: &str) -> bool {
        let before = self.half_typed(subject).filter(|_| self.field.is_all_selected());
        if !self.field.on_text_key(key) {
            return false;
        }
        // Deleting it is a decision. The first letter of another text is none.
        let is_kept = before.as_deref().is_some_and(|before| self.field.value().starts_with(before));
        self.put_aside(before.filter(|_| !is_kept && !self.field.value().is_empty()));
        self.edited();
        true
    }

    /// Takes a pasted text. Of several holders the others are set aside: returns the number of lines, and the one taken.
    pub fn paste(&mut self, text: &str, subject: &str) -> Option<(usize, String)> {
        if self.field.is_all_selected() {
            self.put_half_typed_aside(subject);
        }
        self.edited();
        let lines = holders(text);
        let Some((first, others)) = lines.split_first() else {
            self.field.on_paste(text.trim());
            return None;
        };
        self.field.on_paste(first);
        for line in others.iter().rev() {
            self.put_aside(Some(line.clone()));
        }
        Some((lines.len(), first.clone()))
    }

    pub fn draw_offered(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let all = if self.recent.at().is_some() {
            self.recent.all().to_vec()
        } else if self.field.value().is_empty() {
            self.offered(cx)
        } else {
            Vec::new()
        };
        let has_aside = all.iter().any(|text| self.set_aside.contains(text));
        let title = match (self.kind, has_aside) {
            (InputKind::Badge, true) => t!("Not opened yet, then opened earlier"),
            (InputKind::Badge, false) => t!("Opened earlier"),
            (_, true) => t!("Not looked up yet, then looked up earlier"),
            (_, false) => t!("Looked up earlier"),
        };
        input_history::draw(&all, self.recent.at(), title, frame, area, cx);
    }
}

/// The lines of a pasted text about several holders, the one to take first. Empty if the text is about one: a name and
/// an address in two lines, or the copied summary of a badge.
fn holders(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut field = TextField::default();
        field.fill(line.trim());
        field.value().to_owned()
    };
    let mut lines: Vec<String> = text.lines().map(line).filter(|line| !line.is_empty()).collect();
    lines.dedup();
    let read: Vec<Query> = lines.iter().map(|line| Query::read(line)).collect();
    let is_address = |query: &Query| matches!(query, Query::Address { .. });
    let is_id = |query: &Query| matches!(query, Query::BadgeId(_));
    let whole = Query::read(text);
    let addresses = read.iter().filter(|query| is_address(query)).count();
    let is_one = lines.len() < 2
        || addresses == 1 && is_address(&whole)
        || addresses == 0 && is_id(&whole) && !read.iter().all(is_id);
    if is_one {
        return Vec::new();
    }
    // A name beside its address says less than the address.
    let first = read.iter().position(is_address).or_else(|| read.iter().position(is_id)).unwrap_or(0);
    lines[..=first].rotate_right(1);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> LookupBox {
        let mut input = LookupBox::default();
        input.focus();
        for letter in text.chars() {
            assert!(input.type_key(KeyEvent::from(KeyCode::Char(letter)), ""));
        }
        input
    }

    #[test]
    fn a_half_typed_text_stays_when_an_answer_comes_and_is_offered_when_the_box_is_left() {
        let mut input = typed("kim");
        input.show("lee@naru.example");
        assert_eq!(input.field.value(), "kim");
        input.put_half_typed_aside("lee@naru.example");
        input.leave("lee@naru.example");
        assert_eq!(input.field.value(), "lee@naru.example");
        assert_eq!(input.set_aside, ["kim"]);
        // What is looked up is not offered any more.
        let mut input = LookupBox { set_aside: vec!["kim".to_owned()], ..typed("kim") };
        input.take("kim");
        assert_eq!(input.set_aside, Vec::<String>::new());
        assert!(!input.typing && !input.is_edited);
    }

    #[test]
    fn a_recalled_text_is_offered_no_more_while_it_is_in_the_box() {
        let cx = UiContext::for_test();
        let mut input = typed("kim");
        input.set_aside = vec!["lee".to_owned()];
        assert!(input.recall(true, "", &cx));
        assert_eq!(
            (input.field.value(), input.set_aside.len()),
            ("lee", 2),
            "the typed text is offered, too"
        );
        assert!(input.recall(false, "", &cx));
        assert_eq!(input.field.value(), "kim");
        assert_eq!(input.set_aside, ["lee"]);
    }

    #[test]
    fn the_other_lines_of_a_paste_are_set_aside() {
        let mut input = LookupBox::default();
        input.focus();
        let taken = input.paste("a@naru.example\nb@naru.example\nc@naru.example", "");
        assert_eq!(taken, Some((3, "a@naru.example".to_owned())));
        assert_eq!(input.field.value(), "a@naru.example");
        assert_eq!(input.set_aside, ["b@naru.example", "c@naru.example"]);
    }

    #[test]
    fn one_holder_in_several_lines_is_not_several() {
        for one in [
            "",
            "kim@naru.example",
            "\n kim@naru.example \n\n",
            "kim@naru.example\nkim@naru.example\n",
            "한서윤\nseoyun.han@naru.example",
            "성명: 한서윤\n이메일: seoyun.han@naru.example\n",
        ] {
            assert_eq!(holders(one), Vec::<String>::new(), "{one}");
        }
        for (several, first) in [
            ("a@naru.example\nb@naru.example", "a@naru.example"),
            ("이름\t메일\n한서윤\ta@naru.example\n오지호\tb@naru.example", "한서윤 a@naru.example"),
            ("한서윤\n오지호\n", "한서윤"),
            ("B-20260101-0001\nB-20260101-0002", "B-20260101-0001"),
        ] {
            let lines = holders(several);
            assert_eq!(lines.first().map(String::as_str), Some(first), "{several}");
            assert_eq!(lines.len(), several.trim().lines().count(), "nothing is lost: {lines:?}");
        }
    }
}

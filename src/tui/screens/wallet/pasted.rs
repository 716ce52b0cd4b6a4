//! What the box offers to look up next: the other lines of a paste, and a text that was left half typed.

use super::Wallet;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;

impl Wallet {
    pub(super) fn paste(&mut self, text: &str, cx: &UiContext, effects: &mut Effects<'_>) {
        self.focus_box();
        if self.field.is_all_selected() {
            self.keep_for_later(self.half_typed());
        }
        self.is_edited = true;
        self.error = None;
        self.recent = RecentInputs::default();
        let mut lines = holders(text);
        if lines.is_empty() {
            self.field.on_paste(text.trim());
            return;
        }
        effects.say(t!(
            "A look-up is about one holder. lapel used one of {lines}: {taken}. {up} recalls the others.",
            lines = count!(lines.len() as u64, "pasted line", "pasted lines"),
            taken = short(&lines[0]),
            up = cx.key(&self.key_contexts(), Action::Earlier)
        ));
        self.field.on_paste(&lines.remove(0));
        for line in lines.into_iter().rev() {
            self.keep_for_later(Some(line));
        }
    }

    /// The text of the box, if it was not looked up. A recalled one is offered anyway.
    pub(super) fn half_typed(&self) -> Option<String> {
        let text = self.field.value().trim();
        let is_new = self.is_edited && self.recent.at().is_none() && text != self.looked_up();
        (is_new && !text.is_empty() && !crate::secrets::is_key(text)).then(|| text.to_owned())
    }

    /// The box offers this text first.
    pub(super) fn keep_for_later(&mut self, text: Option<String>) {
        let Some(text) = text else { return };
        self.set_aside.retain(|aside| *aside != text);
        self.set_aside.insert(0, text);
    }

    /// What the box offers: what was not looked up yet, then earlier look-ups.
    pub(super) fn offered(&self, cx: &UiContext) -> Vec<String> {
        let earlier = cx.recent(InputKind::LookUp).iter().filter(|text| !self.set_aside.contains(text));
        self.set_aside.iter().chain(earlier).cloned().collect()
    }

    pub fn has_set_aside(&self) -> bool {
        !self.set_aside.is_empty()
    }

    pub fn forget_set_aside(&mut self) {
        self.set_aside.clear();
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

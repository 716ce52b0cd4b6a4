//! Labels that stand above one another: all as wide as the widest of them in the language that is spoken.

use crate::i18n;
use crate::tui::widgets::text_layout::{fit, width};

/// The labels, marked where they stand, in the language that is spoken and padded to one width.
pub fn aligned<const N: usize>(labels: [&'static str; N]) -> [String; N] {
    let said = labels.map(i18n::tr);
    let wide = said.iter().map(|label| width(label)).max().unwrap_or(0);
    said.map(|label| fit(label, wide, ""))
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn labels_are_padded_by_what_they_take_on_the_screen() {
        assert_eq!(aligned(["Name", "E-mail", "수령인"]), ["Name  ", "E-mail", "수령인"]);
        assert_eq!(aligned(["이름", "a"]), ["이름", "a   "]);
    }
}

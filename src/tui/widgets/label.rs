//! Labels in a column, padded to the widest one in the current language.

use crate::tui::prelude::*;

/// Translates the labels and pads them to one width. The caller marks them for translation.
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

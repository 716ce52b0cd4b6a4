//! Masks personal data: enough remains to recognise it, too little to use it.

use super::text::scrub;
use unicode_segmentation::UnicodeSegmentation;

/// Hides the length of the masked part.
pub(super) const STARS: &str = "***";

/// `k***@naru.example`. The domain stays, because support staff look for typing errors in it.
pub fn address(address: &str) -> String {
    let address = address.trim();
    match address.rsplit_once('@') {
        Some((local, domain)) => {
            // A single letter would be the whole local part.
            let first = local.chars().next().filter(|c| c.is_alphanumeric() && local.chars().count() > 1);
            format!("{}{STARS}@{}", first.map_or(String::new(), String::from), scrub(domain))
        }
        None => STARS.to_owned(),
    }
}

/// `L*** O***`, `한***`.
pub fn name(name: &str) -> String {
    let words = name.split_whitespace().map(|word| match word.graphemes(true).next() {
        Some(first) if first.len() < word.len() => format!("{}{STARS}", scrub(first)),
        _ => STARS.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Masks every address, and each of these names.
pub fn text(text: &str, names: &[&str]) -> String {
    let mut out = text.to_owned();
    for known in names.iter().filter(|n| n.trim().chars().count() > 1) {
        out = out.replace(known.trim(), &name(known));
    }
    addresses(&out, |c| c.is_whitespace() || ENDS.contains(c), address, str::to_owned)
}

/// Signs beside an address.
pub const ENDS: &str = "<>()[]{},;:\"'\u{201c}\u{201d}\u{2018}\u{2019}|";

/// Masks every address between such ends. `other` gives any other word.
pub fn addresses(
    text: &str,
    ends: impl Fn(char) -> bool + Copy,
    masked: impl Fn(&str) -> String,
    other: impl Fn(&str) -> String,
) -> String {
    let words = text.split_inclusive(ends).map(|word| {
        let bare = word.trim_end_matches(ends);
        if bare.contains(['@', '\u{ff20}']) {
            masked(&bare.replace('\u{ff20}', "@")) + &word[bare.len()..]
        } else {
            other(word)
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_domain_stays_and_the_person_goes() {
        assert_eq!(address("seoyun.han@naru.example"), "s***@naru.example");
        assert_eq!(address("k@naru.example"), "***@naru.example");
        assert_eq!(address("\u{1b}[2J@naru.example"), "***@naru.example");
        assert_eq!(address("no address"), "***");
        assert_eq!(name("한서윤"), "한***");
        assert_eq!(name("Lea O'Connor-Kim"), "L*** O***");
        assert_eq!(name("X Y"), "*** ***");
    }

    #[test]
    fn free_text_loses_addresses_and_the_names_that_are_known() {
        let said = text("한서윤 asked (seoyun.han@naru.example), then again.", &["한서윤"]);
        assert_eq!(said, "한*** asked (s***@naru.example), then again.");
        assert_eq!(text("중복 발급", &["한서윤", ""]), "중복 발급");
    }

    proptest! {
        #[test]
        fn nothing_of_an_address_is_left_but_a_letter_and_the_domain(
            local in "[a-z0-9]{2,12}", before in "[ 가-힣]{0,5}", after in "[ ,)]{0,3}"
        ) {
            let said = text(&format!("{before} {local}@x.example{after}"), &[]);
            let masked = format!("{}***@x.example", &local[..1]);
            prop_assert!(said.contains(&masked), "{said}");
            let whole = format!("{local}@");
            prop_assert!(!said.contains(&whole), "{said}");
        }

        #[test]
        fn anything_can_be_masked(s in any::<String>(), n in any::<String>()) {
            let _ = (address(&s), name(&s), text(&s, &[&n]));
        }
    }
}

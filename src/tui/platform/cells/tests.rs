use super::*;
use crate::domain::text::scrub;
use proptest::prelude::*;

/// Characters that join with their neighbours, mixed with others. (A pattern like `[…]|\PC` would be one large
/// class, in which the few that join never come up.)
pub fn difficult_text() -> impl Strategy<Value = String> {
    let joining: Vec<char> = "ab 1~éŁ─█金한●\r\n\u{301}\u{1100}\u{1161}\u{11a8}\u{b95}\u{bbe}\u{bcd}\
         \u{915}\u{94d}\u{93f}\u{200d}\u{200c}\u{fe0f}❤👩👍🏽🇰🇷\u{20e3}"
        .chars()
        .collect();
    // Not U+0600 and similar characters: they join with the next character, so hiding one letter joins others.
    let other =
        any::<char>().prop_filter("joins with what follows", |c| format!("{c}a").graphemes(true).count() > 1);
    let character = prop_oneof![4 => proptest::sample::select(joining), 1 => other];
    proptest::collection::vec(character, 0..20).prop_map(String::from_iter)
}

const PLAIN: Rules = Rules { ambiguous: Ambiguous::Narrow, replaces: false };

fn seen(cluster: &Cluster<'_>) -> (String, usize, bool) {
    (cluster.text.to_string(), cluster.cells, cluster.is_certain())
}

fn all(text: &str, rules: Rules) -> Vec<(String, usize, bool)> {
    text.graphemes(true).flat_map(|g| drawn(g, rules)).map(|cluster| seen(&cluster)).collect()
}

fn total(text: &str) -> (usize, bool) {
    let all = all(text, PLAIN);
    (all.iter().map(|(_, cells, _)| cells).sum(), all.iter().all(|(.., certain)| *certain))
}

#[test]
fn what_all_terminals_agree_on_is_certain() {
    for (text, cells) in [
        ("Kim Minsu, 1~2", 14),
        ("한서윤", 6),
        ("金敏洙", 6),
        ("さくら「カナ」", 14),
        ("Ｋｉｍ", 6),
        ("e\u{301}a\u{323}\u{302}", 2),
        ("Nguyễn Thị Ánh", 14),
        ("علي حسن", 7),
        ("נִקּוּד", 4),
        ("กิตติ", 3),
        ("के", 1),
        ("வ", 1),
        ("⠋✕◌─▌●·…", 8),
    ] {
        assert_eq!(total(text), (cells, true), "{text}");
    }
}

#[test]
fn of_what_they_do_not_agree_on_the_largest_is_reserved() {
    for (text, cells) in [
        // ka and aa: the library counts one cell, most terminals two.
        ("கா", 2),
        ("கி", 2),
        ("காவ்யா", 5),
        ("நந்தினி", 6),
        ("ক্ষা", 3),
        ("क्षमा", 4),
        ("नि", 2),
        ("กำ", 2),
        ("ශ්\u{200d}රී", 2),
        ("می\u{200c}نا", 4),
        ("😀", 2),
        ("\u{1112}\u{119e}", 2),
    ] {
        assert_eq!(total(text).0, cells, "{text}");
    }
    for text in ["கா", "கி", "नि", "क्ष", "กำ", "ශ්\u{200d}ර", "ی\u{200c}", "😀", "1\u{fe0f}\u{20e3}", "ｶﾞ"]
    {
        assert!(!total(text).1, "{text}");
    }
}

#[test]
fn pictures_show_their_first_part_and_flags_their_letters() {
    for (text, shown, cells) in [
        ("👩\u{200d}👧\u{200d}👦!", "👩!", 3),
        ("👍🏽", "👍", 2),
        ("❤\u{fe0f}", "❤", 1),
        ("⌚\u{fe0e}", "⌚", 2),
        ("🇰🇷🇩🇪", "KRDE", 4),
        ("🇰", "K", 1),
    ] {
        let clusters = all(text, PLAIN);
        let drawn: String = clusters.iter().map(|(text, ..)| text.as_str()).collect();
        let sum: usize = clusters.iter().map(|(_, cells, _)| cells).sum();
        assert_eq!((drawn.as_str(), sum), (shown, cells), "{text}");
    }
}

#[test]
fn ambiguous_characters_are_as_wide_as_the_terminal_says() {
    for text in ["●", "─", "é", "Д", "ω", "·", "…", "×"] {
        for (ambiguous, cells, certain) in
            [(Ambiguous::Unknown, 1, false), (Ambiguous::Narrow, 1, true), (Ambiguous::Wide, 2, true)]
        {
            let rules = Rules { ambiguous, ..PLAIN };
            assert_eq!(all(text, rules), [(text.to_owned(), cells, certain)], "{ambiguous:?}");
        }
    }
    for text in ["a", "~", "한⠋", "ş", "◍", "✕"] {
        let wide = Rules { ambiguous: Ambiguous::Wide, ..PLAIN };
        assert_eq!(all(text, wide), all(text, PLAIN), "{text}");
    }
}

#[test]
fn joined_text_can_be_replaced_and_too_much_of_it_always_is() {
    let replacing = Rules { replaces: true, ..PLAIN };
    let shown = |text: &str, rules| all(text, rules).into_iter().map(|(text, ..)| text).collect::<String>();
    assert_eq!(shown("காவ்யா", replacing), "க~வ்ய~");
    assert_eq!(shown("한서윤 e\u{301} กิ 😀", replacing), "한서윤 e\u{301} กิ 😀");
    let (above, behind) = (format!("a{}b", "\u{301}".repeat(40)), format!("க{}", "\u{bbe}".repeat(40)));
    assert_eq!((shown(&above, PLAIN), shown(&behind, PLAIN)), ("a~b".to_owned(), "க~".to_owned()));
}

#[test]
fn plain_letters_are_those_of_the_tables() {
    for ambiguous in [Ambiguous::Unknown, Ambiguous::Narrow, Ambiguous::Wide] {
        let rules = Rules { ambiguous, ..PLAIN };
        for c in ('\0'..='\u{1ffff}').filter(|c| plain_cells(*c).is_some()) {
            let text = c.to_string();
            let of_tables = Some(cells(&text, rules)).filter(|_| is_certain(&text, rules));
            assert_eq!(plain_cells(c), of_tables, "{c}");
            assert!(stands_alone(c), "{c}");
        }
    }
}

#[test]
fn what_stands_alone_joins_with_no_neighbour() {
    for c in ('\0'..='\u{1ffff}').filter(|c| stands_alone(*c)) {
        let text = format!("{c}{c}a{c}가{c}●{c}");
        assert_eq!(text.graphemes(true).count(), text.chars().count(), "{c}");
        assert_eq!(c.width(), Some(c.to_string().width()), "{c}");
    }
}

proptest! {
    #[test]
    fn text_is_split_at_the_boundaries_of_unicode(
        s in difficult_text(),
    ) {
        for s in [s.clone(), format!("a\u{600}{s}"), format!("가{s}한")] {
            prop_assert_eq!(Graphemes(&s).collect::<Vec<_>>(), s.graphemes(true).collect::<Vec<_>>());
            let clusters = Clusters { rest: Graphemes(&s), pieces: None, rules: PLAIN };
            prop_assert_eq!(clusters.map(|cluster| seen(&cluster)).collect::<Vec<_>>(), all(&s, PLAIN));
        }
    }

    /// Drawn text is drawn the same again, so a cell can be measured by its content.
    #[test]
    fn drawing_twice_changes_nothing(
        s in difficult_text(),
        replaces: bool,
    ) {
        let rules = Rules { replaces, ..PLAIN };
        let shown = scrub(&s).into_owned();
        let once = all(&shown, rules);
        let text: String = once.iter().map(|(text, ..)| text.as_str()).collect();
        for (text, cells, certain) in &once {
            let cell = Cluster::new(text, rules);
            prop_assert_eq!((cell.cells, cell.is_certain()), (*cells, *certain));
            prop_assert_eq!(all(text, rules).len(), 1);
            prop_assert!(*cells <= MOST_CELLS, "{}", text);
        }
        // Text that was fitted into a column is split once more when it is drawn.
        let cells = |text| all(text, rules).iter().map(|(_, cells, _)| cells).sum::<usize>();
        prop_assert!(cells(&text) <= once.iter().map(|(_, cells, _)| cells).sum(), "{text}");
    }

    /// No width model needs more than the reserved cells. If a cluster is certain, all models are equal.
    #[test]
    fn no_model_needs_more_than_is_reserved(s in "([\u{b80}-\u{bff}\u{900}-\u{97f}\u{e00}-\u{e7f}\u{600}-\u{6ff}가-힣a-z]){0,12}") {
        for (text, cells, certain) in all(&scrub(&s), PLAIN) {
            let by_point: usize = text.chars().map(|c| c.width().unwrap_or(0)).sum();
            let as_one = text.chars().next().and_then(UnicodeWidthChar::width).unwrap_or(0);
            prop_assert!(by_point <= cells && as_one <= cells, "{}", text);
            prop_assert!(!certain || (by_point == cells && as_one == cells), "{}", text);
        }
    }
}

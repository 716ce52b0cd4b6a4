#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use super::*;
use proptest::prelude::*;

const KITTY: &str = "\x1b_Gi=31;OK\x1b\\";
const CELL: &str = "\x1b[6;18;9t";
const DONE: &str = "\x1b[?62;22c";
const SIXEL: &str = "\x1b[?62;4;22c";

fn named(name: &str) -> String {
    format!("\x1bP>|{name}\x1b\\")
}

fn heard(said: &str) -> TerminalReplies {
    let mut answers = TerminalReplies::default();
    answers.take(said.as_bytes());
    answers
}

fn protocol(said: &str, hints: TerminalHints) -> Protocol {
    heard(said).way(&hints, None).protocol
}

#[test]
fn terminals_are_known_by_what_they_say() {
    let none = TerminalHints::default();
    let iterm2 = TerminalHints { iterm2: true, ..none };
    for (said, hints, expected) in [
        (format!("{KITTY}{}{CELL}{DONE}", named("kitty(0.40.1)")), none, Protocol::Kitty),
        (format!("{KITTY}{}{CELL}{DONE}", named("ghostty 1.1.2")), none, Protocol::Kitty),
        (format!("{}{CELL}{SIXEL}", named("iTerm2 3.5.10")), none, Protocol::Iterm2),
        (format!("{KITTY}{}{CELL}{SIXEL}", named("iTerm2 3.6.0")), none, Protocol::Iterm2),
        (format!("{CELL}{DONE}"), iterm2, Protocol::Iterm2),
        // The environment variables are of another terminal. The terminal's own name counts.
        (format!("{KITTY}{}{CELL}{DONE}", named("kitty(0.40.1)")), iterm2, Protocol::Kitty),
        (format!("{KITTY}{}{CELL}{SIXEL}", named("WezTerm 20240203")), none, Protocol::Iterm2),
        (format!("{KITTY}{}{CELL}{SIXEL}", named("Konsole 24.12.1")), none, Protocol::Halfblocks),
        (format!("{}{CELL}{SIXEL}", named("XTerm(388)")), none, Protocol::Sixel),
        (format!("{}{CELL}{DONE}", named("VTE(7802)")), none, Protocol::Halfblocks),
        (format!("\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\{CELL}{DONE}"), none, Protocol::Halfblocks),
        (SIXEL.to_owned(), none, Protocol::Halfblocks),
        (DONE.to_owned(), iterm2, Protocol::Halfblocks),
        // The terminal's class is not an attribute.
        (format!("{CELL}\x1b[?4;6c"), none, Protocol::Halfblocks),
        (String::new(), iterm2, Protocol::Halfblocks),
    ] {
        assert_eq!(protocol(&said, hints), expected, "{said:?}");
    }
}

#[test]
fn a_multiplexer_gets_fewer_questions_and_its_replies_count_less() {
    let between = TerminalHints { multiplexer: true, iterm2: true, ..TerminalHints::default() };
    let auto = |terminal| PictureSettings { choice: PictureChoice::Auto, terminal };
    let mut out = Vec::new();
    assert!(
        TerminalQueries::ask(&auto(between), ThemeChoice::Auto, GlyphChoice::Ascii, &mut out)
            .expect("asked")
            .is_some()
    );
    let asked = String::from_utf8(out).expect("text");
    assert!(
        !asked.contains("\x1b_") && !asked.contains("\x1bP") && asked.contains("\x1b]11;?\x07\x1b[c"),
        "{asked:?}"
    );
    assert_eq!(protocol(&format!("{CELL}{SIXEL}"), between), Protocol::Sixel);
    assert_eq!(protocol(&format!("{KITTY}{CELL}{DONE}"), between), Protocol::Halfblocks);
}

#[cfg(feature = "images")]
#[test]
fn a_chosen_picture_protocol_needs_no_questions() {
    let terminal = TerminalHints::default();
    for choice in [
        PictureChoice::Kitty,
        PictureChoice::Iterm2,
        PictureChoice::Sixel,
        PictureChoice::Halfblocks,
        PictureChoice::None,
    ] {
        let mut out = Vec::new();
        let pictures = PictureSettings { choice, terminal };
        let asked = TerminalQueries::ask(&pictures, ThemeChoice::Dark, GlyphChoice::Ascii, &mut out)
            .expect("written");
        assert!(asked.is_none() && out.is_empty(), "{choice:?}");
    }
    let mute =
        PictureSettings { choice: PictureChoice::Auto, terminal: TerminalHints { mute: true, ..terminal } };
    assert!(matches!(unasked(&mute), PictureMode::By(PictureOutput { protocol: Protocol::Halfblocks, .. })));
}

#[test]
fn the_cell_is_taken_from_the_answer_before_the_system() {
    let none = TerminalHints::default();
    assert_eq!(heard(&format!("{KITTY}{CELL}{DONE}")).way(&none, Some((7, 14))).cell, (9, 18));
    assert_eq!(heard(&format!("{KITTY}{DONE}")).way(&none, Some((7, 14))).cell, (7, 14));
    for wrong in ["\x1b[6;0;0t", "\x1b[6;9999;9999t", "\x1b[6t", "\x1b[6;x;yt"] {
        assert_eq!(heard(&format!("{wrong}{DONE}")).cell, None, "{wrong:?}");
    }
}

#[test]
fn keys_between_the_answers_are_left_in_their_order() {
    let said = format!("2{KITTY}\x1b[B{}j\x1b[200~q\x1b[201~{CELL}\x1bf{DONE}x", named("kitty(0.40.1)"));
    let answers = heard(&said);
    assert!(answers.done && answers.kitty && !answers.is_within());
    assert_eq!(String::from_utf8_lossy(&answers.left), "2\x1b[Bj\x1b[200~q\x1b[201~\x1bfx");
}

#[test]
fn an_answer_may_come_in_pieces() {
    let said = format!("{KITTY}{}{CELL}{SIXEL}", named("foot(1.16)"));
    let mut answers = TerminalReplies::default();
    for byte in said.bytes() {
        assert!(!answers.done);
        answers.take(&[byte]);
    }
    assert!(answers.done && answers.kitty && answers.sixel && answers.left.is_empty());
    let mut escape = heard("\x1b");
    escape.end();
    assert_eq!(escape.left, b"\x1b");
    // Half an answer is recognised, and lapel waits for its rest.
    let mut half = TerminalReplies::default();
    half.take(b"\x1b[?62;2");
    assert!(half.is_within());
    half.take(b"2c");
    assert!(half.done && half.left.is_empty());
}

#[test]
fn other_peoples_answers_are_no_keys() {
    let answers = heard("\x1b]11;rgb:1a1a/1b1b/2626\x07\x1b]11;rgb:0/0/0\x1b\\\x1bP1+r544e\x1b\\j");
    assert_eq!(answers.left, b"j");
}

proptest! {
    #[test]
    fn no_bytes_stop_the_reading_of_replies(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut answers = TerminalReplies::default();
        answers.take(&bytes);
        let _ = answers.way(&TerminalHints::default(), None);
        prop_assert!(answers.left.len() <= bytes.len() && answers.begun.len() <= LONGEST);
    }
}

#[test]
fn an_endless_terminal_reply_is_dropped() {
    let mut answers = TerminalReplies::default();
    answers.take(b"\x1b_G");
    answers.take(&vec![b'x'; 3 * LONGEST]);
    assert!(answers.begun.len() <= LONGEST && answers.left.is_empty());
    answers.take(b"\x1b\\j");
    assert_eq!(answers.left, b"j");
}

#[cfg(feature = "images")]
fn asked(choice: PictureChoice, terminal: TerminalHints, theme: ThemeChoice) -> String {
    let mut out = Vec::new();
    TerminalQueries::ask(&PictureSettings { choice, terminal }, theme, GlyphChoice::Ascii, &mut out)
        .expect("written");
    String::from_utf8(out).expect("text")
}

#[cfg(feature = "images")]
#[test]
fn the_background_is_asked_for_where_the_theme_depends_on_it() {
    const BACKGROUND: &str = "\x1b]11;?\x07";
    let here = TerminalHints::default();
    let (auto, none) = (PictureChoice::Auto, PictureChoice::None);
    assert_eq!(asked(none, here, ThemeChoice::Auto), format!("{BACKGROUND}\x1b[c\x1b[?25l"));
    let both = asked(auto, here, ThemeChoice::Auto);
    assert!(both.contains("\x1b_G") && both.ends_with(&format!("{BACKGROUND}\x1b[c\x1b[?25l")), "{both:?}");
    assert_eq!(both.matches("\x1b[c").count(), 1, "one round");
    for theme in [
        ThemeChoice::Dark,
        ThemeChoice::Light,
        ThemeChoice::HighContrast,
        ThemeChoice::Terminal,
        ThemeChoice::None,
    ] {
        assert!(!asked(auto, here, theme).contains("\x1b]11"), "{theme:?}");
        assert_eq!(asked(none, here, theme), "", "{theme:?}");
    }
    // This terminal prints questions about pictures, and answers this one.
    let mute = TerminalHints { mute: true, ..here };
    assert_eq!(asked(auto, mute, ThemeChoice::Auto), format!("{BACKGROUND}\x1b[c\x1b[?25l"));
    assert_eq!(asked(none, TerminalHints { bare: true, ..here }, ThemeChoice::Auto), "");
}

#[test]
fn the_background_is_heard_among_other_answers() {
    for (said, ground) in [
        ("\x1b]11;rgb:fdfd/f6f6/e3e3\x07", Some(TerminalBackground::Light)),
        ("\x1b]11;rgb:fd/f6/e3\x1b\\", Some(TerminalBackground::Light)),
        ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", Some(TerminalBackground::Dark)),
        ("\x1b]10;rgb:ffff/ffff/ffff\x07", None),
        ("\x1b]11;?\x07", None),
        ("\x1b]11;rgb:ffff/ffff\x07", None),
        ("\x1b]11;\u{ff}\x07", None),
        // Half an end before the next answer.
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b", Some(TerminalBackground::Light)),
        // An invalid second answer does not replace the first.
        ("\x1b]11;rgb:f/f/f\x07\x1b]11;no\x07", Some(TerminalBackground::Light)),
    ] {
        let mut answers = TerminalReplies::default();
        for byte in format!("j{KITTY}{said}{CELL}{DONE}k").bytes() {
            answers.take(&[byte]);
        }
        assert_eq!(answers.background, ground, "{said:?}");
        assert!(answers.done && answers.kitty, "{said:?}");
        assert_eq!(answers.left, b"jk", "{said:?}");
    }
    let endless = format!("\x1b]11;rgb:{}\x07", "f".repeat(3 * LONGEST));
    assert_eq!(heard(&endless).background, None);
}

#[test]
fn the_width_of_a_sign_is_asked_where_signs_are_drawn() {
    let of = |choice, terminal, theme| {
        let mut out = Vec::new();
        let asked = TerminalQueries::ask(
            &PictureSettings { choice, terminal },
            theme,
            GlyphChoice::Unicode,
            &mut out,
        );
        let asked = asked.expect("written").is_some_and(|asked| asked.has_written());
        (asked, String::from_utf8(out).expect("text"))
    };
    let here = TerminalHints::default();
    // Alone it needs no final question. With others it comes first, and the final question stays.
    let (asks, said) = of(PictureChoice::None, here, ThemeChoice::Dark);
    assert!(asks);
    assert_eq!(said, "\x1b[2;1H●\x1b[6n\x1b[?25l");
    let (asks, said) = of(PictureChoice::Auto, here, ThemeChoice::Auto);
    assert!(asks && said.starts_with(WIDTH) && said.ends_with("\x1b[c\x1b[?25l"), "{said:?}");
    let bare = TerminalHints { bare: true, ..here };
    assert_eq!(of(PictureChoice::None, bare, ThemeChoice::Auto), (false, String::new()));
}

#[test]
fn the_width_is_the_column_behind_the_sign() {
    for (said, width, left) in [
        ("\x1b[2;2R", Some(Ambiguous::Narrow), ""),
        ("\x1b[2;3R", Some(Ambiguous::Wide), ""),
        // In another encoding the character has several cells.
        ("\x1b[2;4R", None, ""),
        ("\x1b[2;R", None, ""),
        // Shift+F3.
        ("\x1b[1;2R", None, "\x1b[1;2R"),
        ("", None, ""),
    ] {
        let answers = heard(&format!("j{said}{CELL}{DONE}k"));
        assert_eq!(answers.width, width, "{said:?}");
        assert_eq!(String::from_utf8_lossy(&answers.left), format!("j{left}k"), "{said:?}");
        let mut alone = TerminalReplies { width_is_last: true, ..TerminalReplies::default() };
        alone.take(said.as_bytes());
        assert_eq!(alone.done, said.starts_with("\x1b[2;"), "{said:?}");
    }
}

#[test]
fn no_bytes_of_the_terminal_do_harm() {
    let answers = b"\x1b[2;2R\x1b_Gi=31;OK\x1b\\\x1b]11;rgb:ffff/0000/8080\x07\x1b[6;20;10t\x1b[?62;4;22c";
    let words: [&[u8]; 6] =
        [b"\x1b[", b"\x1b]11;", b"\x1b_G", b"\x1b\\", b"99999999999999999999", "\u{9b}".as_bytes()];
    crate::fuzz::fuzz("answers of the terminal", &[answers, b"jjk/\x1b[A"], &words, |bytes| {
        let mut answers =
            TerminalReplies { width_is_last: bytes.len() % 2 == 0, ..TerminalReplies::default() };
        answers.take(bytes);
        answers.end();
    });
}

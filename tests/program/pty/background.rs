//! Dark or light as the terminal says it is. Its answers are in the line before the program reads them, so no
//! machine is too slow for them.

use super::kit::{Shown, contains, lapel};
use crate::texts::msg_part;
use vt100::Color;

/// Text that may be passed over, in the dark and in the light theme.
const DARK: Color = Color::Idx(246);
const LIGHT: Color = Color::Idx(241);

fn has(shown: &Shown, colour: Color) -> bool {
    let (rows, columns) = shown.screen.size();
    (0..rows.get())
        .flat_map(|y| (0..columns.get()).map(move |x| (y, x)))
        .filter_map(|(y, x)| shown.screen.cell(y, x))
        .any(|cell| cell.fgcolor() == colour)
}

#[test]
fn the_theme_is_the_terminals_own_ground() {
    const DONE: &str = "\x1b[?62;22c";
    for (said, colours, light) in [
        (format!("\x1b]11;rgb:fdfd/f6f6/e3e3\x07{DONE}"), "", true),
        (format!("\x1b]11;rgb:1e/1e/2e\x1b\\{DONE}"), "0;15", false),
        // It says nothing at all, or nothing of use: what the environment guesses stays.
        (String::new(), "", false),
        (format!("\x1b]11;rgb:{}\x07{DONE}", "f".repeat(2000)), "0;15", true),
    ] {
        // The key after the answers is read when all of them are: it is not lost, and no letter of them is one.
        let mut term = lapel(&[])
            .env("LAPEL_BASE_URL", "http://127.0.0.1:9/api/v1/ext")
            .env("LAPEL_API_KEY", "k-0123456789abcdef")
            .env("COLORFGBG", colours)
            .ahead(format!("{said}?"))
            .start();
        let (right, wrong) = if light { (LIGHT, DARK) } else { (DARK, LIGHT) };
        term.until(&format!("its theme after {said:?}"), |s| {
            s.has(msg_part("Keys of this screen")) && has(s, right) && !has(s, wrong)
        });
        // The first frame was there before the question, which was asked once.
        let raw = term.raw();
        let at = |what: &[u8]| raw.windows(what.len()).position(|w| w == what).expect("written");
        assert!(at(b"LIVE") < at(b"\x1b]11;?\x07"), "{said:?}");
        assert_eq!(raw.windows(6).filter(|w| *w == b"\x1b]11;?").count(), 1, "{said:?}");
        let drawn_dark_first = contains(&raw, b"38;5;246");
        assert_eq!(drawn_dark_first, colours.is_empty() || !light, "the first guess: {said:?}");
        term.send("qq");
        term.exit_restored();
    }
}

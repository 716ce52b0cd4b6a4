//! Whether the terminal is dark or light, by its environment and by its answer to a query.

use super::env::Env;
use super::pictures::TerminalHints;
use super::word_enums::{ThemeChoice, words};

words! {
    #[derive(Default)]
    pub enum TerminalBackground {
        #[default]
        Dark = "dark",
        Light = "light",
    }
}

impl TerminalBackground {
    /// Reads `COLORFGBG`, which rxvt and Konsole set: `15;0` or `0;default;15`, with the background
    /// last. Only a first guess, since the variable may describe another terminal.
    pub fn guess(env: &Env) -> Option<Self> {
        let raw = env.raw("COLORFGBG")?;
        match raw.to_string_lossy().rsplit(';').next()?.trim().parse::<u8>().ok()? {
            7 | 9..=15 => Some(Self::Light),
            0..=6 | 8 => Some(Self::Dark),
            _ => None,
        }
    }

    pub fn is_asked(theme: ThemeChoice, terminal: &TerminalHints) -> bool {
        cfg!(unix) && theme == ThemeChoice::Auto && !terminal.bare
    }

    /// Reads `rgb:` or `rgba:`, then parts of one to four hexadecimal digits, such as `rgb:1e1e/1e1e/2e2e`.
    pub fn of_colour(answer: &str) -> Option<Self> {
        let (parts, count) = match answer.strip_prefix("rgb:") {
            Some(parts) => (parts, 3),
            None => (answer.strip_prefix("rgba:")?, 4),
        };
        let parts = parts.split('/').take(5).map(part).collect::<Option<Vec<f64>>>()?;
        let [red, green, blue, ..] = parts[..] else { return None };
        // A light background contrasts more with black text than with white text.
        let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
        let ground = if (luminance + 0.05).powi(2) > 1.05 * 0.05 { Self::Light } else { Self::Dark };
        (parts.len() == count).then_some(ground)
    }
}

/// From 0 to 1. The maximum of its number of digits counts as 1.
fn part(hex: &str) -> Option<f64> {
    let is_hex = (1..=4).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let value = u16::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
    let most = (1_u32 << (4 * hex.len())) - 1;
    Some(f64::from(value) / f64::from(most))
}

fn linear(part: f64) -> f64 {
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_grounds_that_people_have_are_told_apart() {
        for (answer, ground) in [
            ("rgb:0000/0000/0000", TerminalBackground::Dark),
            ("rgb:1e1e/1e1e/2e2e", TerminalBackground::Dark),
            ("rgb:00/2b/36", TerminalBackground::Dark),
            ("rgb:2/2/3", TerminalBackground::Dark),
            ("rgba:1a1a/1b1b/2626/cccc", TerminalBackground::Dark),
            ("rgb:0000/0000/ffff", TerminalBackground::Dark),
            ("rgb:ffff/ffff/ffff", TerminalBackground::Light),
            ("rgb:fdfd/f6f6/e3e3", TerminalBackground::Light),
            ("rgb:fd/f6/e3", TerminalBackground::Light),
            ("rgb:f/f/f", TerminalBackground::Light),
            ("rgb:FFF/fFf/eee", TerminalBackground::Light),
            ("rgba:ffff/ffff/ffff/0000", TerminalBackground::Light),
            ("rgb:0000/ffff/0000", TerminalBackground::Light),
        ] {
            assert_eq!(TerminalBackground::of_colour(answer), Some(ground), "{answer}");
        }
    }

    #[test]
    fn a_reply_without_a_colour_gives_no_background() {
        for answer in [
            "",
            "?",
            "rgb:",
            "rgb:ff/ff",
            "rgb:ff/ff/ff/ff",
            "rgba:ff/ff/ff",
            "rgba:ff/ff/ff/ff/ff",
            "rgb:fffff/ff/ff",
            "rgb:+f/ff/ff",
            "rgb:gg/ff/ff",
            "rgb:ff//ff",
            "rgb: ff/ff/ff",
            "RGB:ff/ff/ff",
            "#ffffff",
            "rgb:\u{ff11}/ff/ff",
        ] {
            assert_eq!(TerminalBackground::of_colour(answer), None, "{answer}");
        }
    }

    #[test]
    fn the_environment_is_a_guess() {
        for (said, guess) in [
            ("15;0", Some(TerminalBackground::Dark)),
            ("0;15", Some(TerminalBackground::Light)),
            ("0;default;15", Some(TerminalBackground::Light)),
            ("12;8", Some(TerminalBackground::Dark)),
            ("0;7", Some(TerminalBackground::Light)),
            ("15;default", None),
            ("15;16", None),
            ("0;-1", None),
            ("garbage", None),
            ("", None),
        ] {
            let env = Env::of([("COLORFGBG", said)]);
            assert_eq!(TerminalBackground::guess(&env), guess, "{said}");
        }
        assert_eq!(TerminalBackground::guess(&Env::of([("TERM", "xterm")])), None);
    }

    proptest! {
        #[test]
        fn no_reply_about_the_background_causes_a_panic(answer in "(rgba?:)?[0-9a-f/]{0,24}.{0,8}") {
            let _ = TerminalBackground::of_colour(&answer);
        }

        #[test]
        fn digits_make_no_difference(grey: u8) {
            let two = TerminalBackground::of_colour(&format!("rgb:{grey:02x}/{grey:02x}/{grey:02x}"));
            let four = TerminalBackground::of_colour(&format!("rgb:{0:04x}/{0:04x}/{0:04x}", u16::from(grey) * 257));
            prop_assert_eq!(two, four);
            prop_assert_eq!(two, Some(if grey >= 118 { TerminalBackground::Light } else { TerminalBackground::Dark }));
        }
    }
}

//! The user's colours: `theme.toml`, beside `config.toml`.

use super::background::TerminalBackground;
use super::bad_lines::Readable;
use super::toml_reader::whole;
use super::word_enums::{ThemeChoice, words};
use crate::config::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Terminal,
    /// One of the 256 colours of xterm. The terminal defines the first 16.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Also with `bright-` in front.
const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl Colour {
    /// `terminal`, `bright-red`, `214` or `#ffaf00`.
    pub fn read(raw: &str) -> Option<Self> {
        if raw == "terminal" {
            return Some(Self::Terminal);
        }
        let (name, first) = raw.strip_prefix("bright-").map_or((raw, 0), |name| (name, NAMES.len()));
        if let Some(at) = NAMES.iter().position(|known| *known == name) {
            return Some(Self::Indexed(u8::try_from(first + at).ok()?));
        }
        if let Some(hex) = raw.strip_prefix('#') {
            let is_hex = hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
            let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
            return if is_hex { Some(Self::Rgb(part(0)?, part(2)?, part(4)?)) } else { None };
        }
        let digits = !raw.is_empty() && raw.bytes().all(|b| b.is_ascii_digit());
        if digits { raw.parse().ok().map(Self::Indexed) } else { None }
    }
}

words! {
    pub enum Role {
        /// Text that may be passed over.
        Dim = "dim",
        /// The accents of the environments.
        Demo = "demo",
        Staging = "staging",
        Live = "live",
        /// A key in a hint.
        Key = "key",
        /// The sign of a marked row.
        Mark = "mark",
        Warning = "warning",
        Error = "error",
        Good = "good",
        /// The states of badges.
        Waiting = "waiting",
        Issued = "issued",
        Revoking = "revoking",
        Revoked = "revoked",
        Expired = "expired",
        /// The service's own word.
        Other = "other",
    }
}

/// By [`Role`]; `None` keeps the theme's colour.
pub type Colours = [Option<Colour>; Role::ALL.len()];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    pub theme: ThemeChoice,
    /// As far as known. Decides when the theme is `auto`.
    pub ground: TerminalBackground,
    pub colours: Colours,
}

impl Palette {
    pub fn drawn(&self) -> ThemeChoice {
        match (self.theme, self.ground) {
            (ThemeChoice::Auto, TerminalBackground::Dark) => ThemeChoice::Dark,
            (ThemeChoice::Auto, TerminalBackground::Light) => ThemeChoice::Light,
            (theme, _) => theme,
        }
    }

    pub fn own(&self, role: Role) -> Option<Colour> {
        self.colours.get(role as usize).copied().flatten()
    }
}

impl From<ThemeChoice> for Palette {
    fn from(theme: ThemeChoice) -> Self {
        Self { theme, ..Self::default() }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ThemeFile {
    /// Used unless the theme is set elsewhere.
    pub base: Option<ThemeChoice>,
    pub colours: Colours,
}

impl ThemeFile {
    /// Skips mistakes, and returns them. A missing file changes nothing.
    pub fn read(path: &Path) -> (Self, Vec<Mistake>) {
        match Readable::read(path) {
            Ok(Some(readable)) => Self::of(path, &readable),
            Ok(None) => Default::default(),
            Err(error) => (Self::default(), error.mistakes().to_vec()),
        }
    }

    fn of(path: &Path, readable: &Readable) -> (Self, Vec<Mistake>) {
        let mut reader = TomlReader::new(path, &readable.text);
        let mut read = Self::default();
        if let Some(top) = reader.parse() {
            let top = top.get_ref();
            reader.unknown(top, "", &["base", "colours"], &[]);
            read.base = top.get("base").and_then(|value| reader.word(value, "base"));
            let colours = top
                .get("colours")
                .and_then(|value| reader.table(value, "colours", t!("must be a table: [colours]")));
            if let Some(colours) = colours {
                let roles: Vec<&str> = Role::ALL.iter().map(|role| role.word()).collect();
                reader.unknown(colours, "colours", &roles, &[]);
                for role in Role::ALL {
                    if let Some(value) = colours.get(role.word()) {
                        read.colours[*role as usize] = colour(&mut reader, value, role.word());
                    }
                }
            }
        }
        (read, readable.all_mistakes(reader.mistakes, path))
    }
}

fn colour(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, role: &str) -> Option<Colour> {
    let number = || u8::try_from(whole(value)?).ok().map(Colour::Indexed);
    let read = value.get_ref().as_str().and_then(Colour::read).or_else(number);
    reader.found(read, value, &format!("colours.{role}"), || {
        t!("must be \"terminal\", a name such as \"bright-red\", a number from 0 to 255, or \"#rrggbb\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (ThemeFile, Vec<Mistake>) {
        ThemeFile::of(Path::new("theme.toml"), &Readable::of(text))
    }

    #[test]
    fn colours_are_read_in_every_way_of_writing() {
        let (read, mistakes) = parse(
            "base = 'light'\n[colours]\ndim = 'terminal'\nissued = 'bright-green'\nrevoked = 196\nwaiting = '33'\nkey = '#FfAf00'\n",
        );
        assert_eq!(mistakes, []);
        assert_eq!(read.base, Some(ThemeChoice::Light));
        let palette = Palette { colours: read.colours, ..ThemeChoice::Light.into() };
        for (role, colour) in [
            (Role::Dim, Some(Colour::Terminal)),
            (Role::Issued, Some(Colour::Indexed(10))),
            (Role::Revoked, Some(Colour::Indexed(196))),
            (Role::Waiting, Some(Colour::Indexed(33))),
            (Role::Key, Some(Colour::Rgb(255, 175, 0))),
            (Role::Other, None),
        ] {
            assert_eq!(palette.own(role), colour, "{role:?}");
        }
    }

    #[test]
    fn every_mistake_has_its_line() {
        let (read, mistakes) = parse(
            "base = 'mauve'\n[colours]\ndim = 'greyish'\nisued = 'red'\nkey = 256\nmark = '#12345'\nerror = red\ngood = 'green'\n",
        );
        let told: Vec<(Option<usize>, Option<&str>)> =
            mistakes.iter().map(|m| (m.line, m.field.as_deref())).collect();
        assert_eq!(
            told,
            [
                (Some(1), Some("base")),
                (Some(3), Some("colours.dim")),
                (Some(4), Some("colours.isued")),
                (Some(5), Some("colours.key")),
                (Some(6), Some("colours.mark")),
                (Some(7), None),
            ]
        );
        assert!(mistakes[2].to_string().contains("did you mean issued?"), "{mistakes:?}");
        let palette = Palette { colours: read.colours, ..Palette::default() };
        assert_eq!(palette.own(Role::Good), Some(Colour::Indexed(2)), "what is right holds");
    }

    #[test]
    fn odd_words_are_no_colours() {
        for odd in ["", "#", "#12345", "#1234567", "#gg0000", "#+10000", "256", "-1", "+1", "RED", "１"] {
            assert_eq!(Colour::read(odd), None, "{odd}");
        }
    }
}

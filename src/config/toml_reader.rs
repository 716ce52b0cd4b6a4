//! Reads TOML by hand, so that every mistake has its line and no message repeats a value.
//!
//! The deserializer's own errors quote the source line, and some of its messages quote values (`invalid type:
//! string "…"`). Here, messages only contain our own words, field names and line numbers.

use super::mistake::Mistake;
use super::word_enums::Words;
use crate::config::prelude::*;
use crate::domain::edit_distance::edits;
use crate::i18n::list;
use toml::Spanned;
use toml::de::DeValue;

pub(super) type TomlValue<'t> = Spanned<DeValue<'t>>;

pub(super) struct TomlReader<'a> {
    file: &'a Path,
    text: &'a str,
    /// Offsets of the line breaks: a file can have thousands of mistakes.
    breaks: Vec<usize>,
    pub mistakes: Vec<Mistake>,
    /// By full names, from [`Self::locate`].
    pub lines: BTreeMap<String, usize>,
}

impl<'a> TomlReader<'a> {
    pub fn new(file: &'a Path, text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { file, text, breaks, mistakes: Vec::new(), lines: BTreeMap::new() }
    }

    /// 1-based.
    pub fn line(&self, offset: usize) -> usize {
        self.breaks.partition_point(|at| *at < offset) + 1
    }

    pub fn locate(&mut self, value: &TomlValue<'_>, field: &str) {
        let line = self.line(value.span().start);
        self.lines.insert(field.to_owned(), line);
    }

    pub fn wrong(&mut self, offset: usize, field: &str, what: impl Into<String>) {
        let line = self.line(offset);
        self.mistakes.push(Mistake::in_file(self.file, Some(line), Some(field), what));
    }

    /// `None` only when it is not TOML; a [`Readable`](super::bad_lines::Readable) always is.
    pub fn parse(&self) -> Option<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).ok()
    }

    /// Reports the mistake when nothing was found.
    pub fn found<T, W: Into<String>>(
        &mut self,
        found: Option<T>,
        value: &TomlValue<'_>,
        field: &str,
        what: impl FnOnce() -> W,
    ) -> Option<T> {
        if found.is_none() {
            self.wrong(value.span().start, field, what());
        }
        found
    }

    pub fn text<'v>(&mut self, value: &'v TomlValue<'_>, field: &str) -> Option<&'v str> {
        self.found(value.get_ref().as_str(), value, field, || t!("must be text in quotes"))
    }

    pub fn truth(&mut self, value: &TomlValue<'_>, field: &str) -> Option<bool> {
        self.found(value.get_ref().as_bool(), value, field, || t!("must be true or false, without quotes"))
    }

    /// A mistake counts as `false`, for a setting that must be off when in doubt.
    #[allow(clippy::unnecessary_wraps, reason = "every reader of a setting returns an option")]
    pub fn truth_or_off(&mut self, value: &TomlValue<'_>, field: &str) -> Option<bool> {
        Some(self.truth(value, field).unwrap_or(false))
    }

    pub fn string(&mut self, value: &TomlValue<'_>, field: &str) -> Option<String> {
        self.text(value, field).map(str::to_owned)
    }

    pub fn number(&mut self, value: &TomlValue<'_>, field: &str, least: u32, most: u32) -> Option<u32> {
        let number = whole(value).filter(|n| (least..=most).contains(n));
        self.found(number, value, field, || {
            t!("must be a whole number from {least} to {most}, without quotes", least, most)
        })
    }

    /// No duplicates.
    pub fn ascending(
        &mut self,
        value: &TomlValue<'_>,
        field: &str,
        least: u32,
        most: u32,
    ) -> Option<Vec<u32>> {
        let list =
            value.get_ref().as_array().and_then(|all| all.iter().map(whole).collect::<Option<Vec<u32>>>());
        let list = list.filter(|all| {
            !all.is_empty()
                && all.iter().all(|n| (least..=most).contains(n))
                && all.windows(2).all(|pair| pair[0] < pair[1])
        });
        self.found(list, value, field, || {
            t!(
                "must be a list of whole numbers from {least} to {most}, each larger than the one before, for example [5, 10, 60]",
                least,
                most
            )
        })
    }

    pub fn word<W: Words>(&mut self, value: &TomlValue<'_>, field: &str) -> Option<W> {
        self.found(value.get_ref().as_str().and_then(W::read), value, field, || {
            let words: Vec<String> = W::WORDS.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            t!("must be one of {words}", words = list(words))
        })
    }

    pub fn table<'v, 't>(
        &mut self,
        value: &'v TomlValue<'t>,
        field: &str,
        what: &str,
    ) -> Option<&'v DeTable<'t>> {
        self.found(value.get_ref().as_table(), value, field, || what)
    }

    /// `judged` fields are checked elsewhere.
    pub fn unknown(&mut self, table: &DeTable<'_>, prefix: &str, known: &[&str], judged: &[&str]) {
        self.unknown_of(table, prefix, known, judged, |name| nearest(name, known.iter().copied()));
    }

    /// `meant` finds the known field that a name may be a slip for.
    pub fn unknown_of<'k>(
        &mut self,
        table: &DeTable<'_>,
        prefix: &str,
        known: &[&'k str],
        judged: &[&str],
        meant: impl Fn(&str) -> Option<&'k str>,
    ) {
        let mut none_near = None;
        for name in table.keys() {
            let text = name.get_ref().as_ref();
            if known.contains(&text) || judged.contains(&text) {
                continue;
            }
            let what = match meant(text) {
                Some(meant) => t!("unknown field; did you mean {meant}?", meant),
                None => {
                    let names = || list(known.iter().copied());
                    none_near
                        .get_or_insert_with(|| t!("unknown field; known fields: {names}", names = names()))
                        .clone()
                }
            };
            self.wrong(name.span().start, &join(prefix, shown_name(text)), what);
        }
    }
}

pub(super) fn whole(value: &TomlValue<'_>) -> Option<u32> {
    let n = value.get_ref().as_integer()?;
    u32::try_from(i64::from_str_radix(n.as_str(), n.radix()).ok()?).ok()
}

pub(super) fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Hides a name that does not look like a field name: it may be a key pasted to the left of a `=`.
fn shown_name(name: &str) -> &str {
    let plain = (1..=24).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
    if plain { name } else { t!("(name not shown)") }
}

pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let length = plain(name).count();
    known.into_iter().find(|known| {
        let most = plain(known).count() / 4;
        length.abs_diff(plain(known).count()) <= most
            && edits(&plain(name).collect::<String>(), &plain(known).collect::<String>(), most) <= most
    })
}

fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        for (name, known, near) in [
            ("base-url", "base_url", true),
            ("baseurl", "base_url", true),
            ("enviroment", "environment", true),
            ("organization", "organisation", true),
            ("profile", "profiles", true),
            ("colour", "theme", false),
            ("k", "key", false),
            ("key", "key", true),
        ] {
            assert_eq!(nearest(name, [known]).is_some(), near, "{name} {known}");
        }
    }

    #[test]
    fn a_name_that_may_be_a_key_is_not_shown() {
        assert_eq!(shown_name("base_adress"), "base_adress");
        for name in ["dmu_live_0123456789", "", "열쇠", "a.b", &"x".repeat(25)] {
            assert!(shown_name(name).contains("not shown"));
        }
    }
}

//! Search of the palette: how well an entry matches the typed text, and which letters match.

use super::entries::PaletteEntry;
use crate::i18n::Language;
use crate::tui::prelude::*;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_normalization::UnicodeNormalization;

/// How well an entry matches, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Every typed word begins a word of the name.
    Name,
    /// Every typed word begins a word of something that a list shows or that was looked up.
    Loaded,
    /// A whole address or id.
    Id,
    /// Every typed word begins a word of the name or the explanation: `rev` is "revoke badges" before "previous tab".
    Words,
    /// Every typed word is in something that a list shows.
    InLoaded,
    /// What the text may mean: a name, a title, a badge id.
    Generic,
    /// Every typed word is in the name.
    InName,
    /// Every typed word is in the explanation.
    InWords,
    /// The typed letters only follow each other in the name.
    NameLetters,
}

impl Rank {
    /// Whether the typed text is not in the name, so that the entry may be a surprise.
    pub(super) fn is_weak(self) -> bool {
        matches!(self, Self::InWords | Self::NameLetters)
    }

    /// The place of a match before its rank counts. What is impossible now comes after every word start that is possible,
    /// and letters inside a word after what a name that is typed means.
    pub(super) fn place(self, is_impossible: bool) -> u8 {
        match (self, is_impossible) {
            (Self::Name | Self::Loaded | Self::Id | Self::Words, false) => 0,
            (Self::Name | Self::Loaded | Self::Id | Self::Words, true) => 1,
            (Self::InLoaded | Self::Generic, false) => 2,
            (Self::InName | Self::InWords | Self::NameLetters, _) => 3,
            (Self::InLoaded | Self::Generic, true) => 4,
        }
    }
}

pub(in crate::tui) struct PaletteSearch {
    typed: String,
    /// In lower case.
    typed_words: Vec<String>,
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl PaletteSearch {
    pub(in crate::tui) fn new(typed: &str) -> Self {
        let typed = letters(typed);
        let pattern = Pattern::new(&typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let typed_words = words(&typed.to_lowercase()).map(str::to_owned).collect();
        Self { typed, typed_words, pattern, matcher: Matcher::new(Config::DEFAULT), buffer: Vec::new() }
    }

    fn score(&mut self, letters: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(letters, &mut self.buffer), &mut self.matcher)
    }

    pub(in crate::tui) fn score_of(&mut self, text: &str) -> Option<u32> {
        self.score(&letters(text))
    }

    pub(super) fn rank(&mut self, entry: &PaletteEntry) -> Option<(Rank, u32)> {
        let typed = &self.typed_words;
        let starts = |texts: &[&str]| words_match(texts, typed, begins);
        let is_in = |text: &str| words_match(&[text], typed, |word, part| word.contains(part));
        if let Some(words) = entry.words() {
            let words = letters(&words);
            let lower = words.to_lowercase();
            let rank = match (starts(&[&lower]), entry.has_number(typed)) {
                (true, true) => Rank::Name,
                // The job that used a file comes before the file.
                (true, false) if matches!(entry, PaletteEntry::File { .. }) => Rank::Words,
                (true, false) => Rank::Loaded,
                (false, _) => is_in(&lower).then_some(Rank::InLoaded)?,
            };
            return Some((rank, self.score(&words).unwrap_or(0)));
        }
        let (name, help) = match entry {
            PaletteEntry::Command(command) => {
                (letters(command.action.hint()), letters(&explained(command.action)))
            }
            other => (letters(&other.what()), String::new()),
        };
        let (lower_name, lower_help) = (name.to_lowercase(), help.to_lowercase());
        let rank = if starts(&[&lower_name]) {
            Rank::Name
        } else if starts(&[&lower_name, &lower_help]) {
            Rank::Words
        } else if is_in(&lower_name) {
            Rank::InName
        } else if is_in(&lower_help) {
            Rank::InWords
        } else {
            Rank::NameLetters
        };
        let in_name = self.score(&name);
        let score = match rank {
            Rank::Words => in_name.max(self.score(&help)),
            Rank::InWords => self.score(&help),
            Rank::NameLetters => Some(in_name?),
            _ => in_name,
        };
        Some((rank, score.unwrap_or(0)))
    }

    /// What is shown beside the name: the short explanation, or another text of the action if only that one has the typed
    /// letters. Otherwise nobody could see why the action was found.
    pub(super) fn explanation(&mut self, action: Action) -> String {
        let short = action.short().to_owned();
        if self.typed.is_empty() || self.score_of(action.hint()).or(self.score_of(&short)).is_some() {
            return short;
        }
        let named = format!("{short} ({})", action.name().replace('-', " "));
        let others = [action.help().to_owned(), named];
        others.into_iter().find(|text| self.score_of(text).is_some()).unwrap_or(short)
    }

    /// The text in exactly `columns` cells, with the matching letters underlined. If the end would hide them, the
    /// beginning is cut.
    pub(super) fn highlighted(
        &mut self,
        text: &str,
        columns: usize,
        style: Style,
        cx: &UiContext,
    ) -> Vec<Span<'static>> {
        let (mut plain, mut from) = (String::new(), Vec::new());
        for (at, c) in text.chars().enumerate() {
            let letters = letters(c.encode_utf8(&mut [0; 4]));
            from.extend(letters.chars().map(|_| at));
            plain.push_str(&letters);
        }
        let mut matches = Vec::new();
        if !self.typed.is_empty() {
            let haystack = Utf32Str::new(&plain, &mut self.buffer);
            self.pattern.indices(haystack, &mut self.matcher, &mut matches);
        }
        let marked: HashSet<usize> =
            matches.into_iter().filter_map(|at| from.get(usize::try_from(at).ok()?).copied()).collect();
        let bold = style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        let ellipsis = cx.glyphs.ellipsis;
        let from = first_shown(text, &marked, columns, width(ellipsis));
        let sign = if from > 0 { ellipsis } else { "" };
        let shown = sign.chars().chain(text.chars().skip(from)).collect::<String>();
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (at, c) in fit(&shown, columns, ellipsis).chars().enumerate() {
            let place = at.checked_sub(sign.chars().count()).map(|at| at + from);
            let style = if place.is_some_and(|place| marked.contains(&place)) { bold } else { style };
            match spans.last_mut() {
                Some(span) if span.style == style => span.content.to_mut().push(c),
                _ => spans.push(Span::styled(c.to_string(), style)),
            }
        }
        spans
    }
}

/// The first letter to show, so that as many marked letters as possible fit between two signs of this width.
fn first_shown(text: &str, marked: &HashSet<usize>, columns: usize, sign: usize) -> usize {
    let (Some(first), Some(last)) = (marked.iter().min(), marked.iter().max()) else { return 0 };
    let all: Vec<char> = text.chars().collect();
    let wide = |from: usize| width(&all.iter().take(last + 1).skip(from).collect::<String>());
    if width(text) <= columns || wide(0) + sign <= columns {
        return 0;
    }
    let starts: Vec<usize> = (1..*first).collect();
    let cut = starts.partition_point(|from| wide(*from) + 2 * sign > columns);
    starts.get(cut).copied().unwrap_or(*first)
}

/// Whether each word of `typed` begins a word of `text`, without regard to case. Both are split into letters.
pub(super) fn word_starts(text: &str, typed: &str) -> bool {
    let typed: Vec<String> = words(&typed.to_lowercase()).map(str::to_owned).collect();
    words_match(&[&text.to_lowercase()], &typed, begins)
}

/// Whether a word, or a part of it behind a hyphen, begins so: `mail` begins a part of "e-mail".
fn begins(word: &str, part: &str) -> bool {
    word.starts_with(part) || word.split('-').any(|piece| piece.starts_with(part))
}

/// Everything is in lower case.
fn words_match(texts: &[&str], typed: &[String], matches: fn(&str, &str) -> bool) -> bool {
    let has = |part: &String| texts.iter().any(|text| words(text).any(|word| matches(word, part)));
    !typed.is_empty() && typed.iter().all(has)
}

/// The explanation of an action, and its English name where the explanation has another language: an input method is
/// often off.
fn explained(action: Action) -> String {
    let shown = format!("{} {}", action.short(), action.help());
    if i18n::language() == Language::English {
        return shown;
    }
    format!("{shown} {}", action.name().replace('-', " "))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "():;,.".contains(c));
    words.filter(|word| !word.is_empty())
}

/// Splits Hangul into its letters, so that an unfinished syllable matches while the user types. A single consonant
/// becomes an initial consonant.
pub(super) fn letters(text: &str) -> String {
    const ALONE: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfd()
        .map(|c| match ALONE.chars().position(|alone| alone == c) {
            Some(at) => u32::try_from(at).ok().and_then(|at| char::from_u32(0x1100 + at)).unwrap_or(c),
            None if ('ㅏ'..='ㅣ').contains(&c) => {
                char::from_u32(u32::from(c) - u32::from('ㅏ') + 0x1161).unwrap_or(c)
            }
            None => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_letters_are_underlined() {
        let cx = UiContext::for_test();
        let marked = |typed: &str, text: &str| {
            let spans = PaletteSearch::new(typed).highlighted(text, 20, Style::default(), &cx);
            assert_eq!(spans.iter().map(|span| width(&span.content)).sum::<usize>(), 20);
            let underlined = |span: &&Span<'_>| span.style.add_modifier.contains(Modifier::UNDERLINED);
            spans.iter().filter(underlined).map(|span| span.content.to_string()).collect::<String>()
        };
        assert_eq!(marked("sor", "sort by a column"), "sor");
        assert_eq!(marked("하", "한글 입력"), "한");
        assert_eq!(marked("", "sort"), "");
        assert_eq!(marked("zz", "sort"), "");
        assert_eq!(marked("later", "sort by a column, sooner or later, or not"), "later");
        // Few of its beginnings are measured.
        assert_eq!(marked("later", &format!("{}later", "word ".repeat(4_000))), "later");
    }

    #[test]
    fn an_action_shows_the_text_that_was_found() {
        for action in Action::ALL {
            for word in words(action.help()) {
                let mut search = PaletteSearch::new(word);
                let shown = search.explanation(*action);
                let has = [action.hint(), &shown].into_iter().any(|text| search.score_of(text).is_some());
                assert!(has, "{word}: {shown}");
            }
        }
        assert_eq!(PaletteSearch::new("").explanation(Action::Revoke), Action::Revoke.short());
    }

    #[test]
    fn hangul_is_found_letter_by_letter() {
        let has = |text: &str, typed: &str| {
            let mut matcher = Matcher::new(Config::DEFAULT);
            let pattern =
                Pattern::new(&letters(typed), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
            pattern.score(Utf32Str::new(&letters(text), &mut Vec::new()), &mut matcher).is_some()
        };
        for typed in ["한글", "한", "하", "ㅎ", "ㅎㄱ", "한ㄱ", "글"] {
            assert!(has("한글 입력", typed), "{typed}");
        }
        assert!(!has("한글 입력", "영"));
    }
}

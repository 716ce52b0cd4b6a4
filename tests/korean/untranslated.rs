//! English words that are left on a Korean screen.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Words that are no text of lapel's: keys, commands, settings, words of the service and of the demo's titles, and
/// the cells of a row as they are copied.
const NOT_TRANSLATED: &[&str] = &[
    "lapel",
    "enter",
    "space",
    "ctrl",
    "esc",
    "tab",
    "backspace",
    "home",
    "end",
    "pagedown",
    "pageup",
    "down",
    "left",
    "right",
    "alt",
    "https",
    "http",
    "ping",
    "ssh",
    "tmux",
    "true",
    "null",
    "enabled",
    "index",
    "purge",
    "main",
    "Organisation",
    "for",
    "the",
    "and",
    "with",
];

/// What is typed into a shell, and how words of the service are introduced.
const COMMAND: &str = "lapel profile add";
const OF_THE_SERVICE: &str = "서비스 상태 ";

/// The parts of English texts that have no placeholder in them.
static TEXTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let said: toml::Table = include_str!("../../assets/ko.toml").parse().expect("TOML");
    let tables = said.values().filter_map(toml::Value::as_table);
    let translated = tables.flatten().filter(|(english, korean)| Some(english.as_str()) != korean.as_str());
    let parts = translated.flat_map(|(english, korean)| {
        let korean = korean.as_str().unwrap_or_default();
        // What both have is not left over: `HTTP` in `HTTP {status}, code {code}`.
        english.split(['{', '}']).step_by(2).filter(move |part| !korean.contains(part.trim()))
    });
    parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
});

/// Those of several words, by the first of them. A short one may be part of anything.
static SENTENCES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut by_first: HashMap<&str, Vec<&str>> = HashMap::new();
    for text in TEXTS.iter().filter(|text| text.len() >= 12) {
        if let Some((first, _)) = text.split_once(' ') {
            by_first.entry(first).or_default().push(text);
        }
    }
    by_first
});

/// Words of lapel's own that stand in English on a screen: lower-case ones that are no data, and whole texts, also
/// those that are broken over lines.
pub fn in_english(screen: &str) -> Vec<String> {
    let mut left = Vec::new();
    let mut flowing = String::new();
    for pane in panes(screen) {
        let pane = without_quotes(&pane).replace(COMMAND, "");
        for line in pane.lines() {
            let line = line.split(OF_THE_SERVICE).next().unwrap_or_default();
            let words = line.split_whitespace();
            left.extend(words.filter(|word| is_left(word)).map(|word| format!("{word}: {line}")));
        }
        flowing.extend(pane.split_whitespace().flat_map(|word| [" ", word]));
        flowing.push_str(" |");
    }
    for (at, _) in flowing.match_indices(' ') {
        let rest = &flowing[at + 1..];
        let begun = SENTENCES.get(rest.split(' ').next().unwrap_or_default());
        let said = |text: &&&str| rest.strip_prefix(**text).is_some_and(|rest| rest.starts_with(' '));
        left.extend(begun.into_iter().flatten().filter(said).map(|text| (*text).to_owned()));
    }
    left
}

/// Texts beside each other are read one after the other.
fn panes(screen: &str) -> [String; 2] {
    let mut panes = [String::new(), String::new()];
    for line in screen.lines() {
        // A popup cuts the words behind it, which another picture has whole.
        let popup = line.split_once('│').and_then(|(_, rest)| rest.rsplit_once('│'));
        let line = popup.map_or(line, |(within, _)| within);
        let (one, other) = line.split_once('┃').unwrap_or((line, ""));
        for (pane, part) in panes.iter_mut().zip([one, other]) {
            pane.push_str(part);
            pane.push('\n');
        }
    }
    panes
}

/// What the service said is quoted.
fn without_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        quoted = (quoted || c == '“') && c != '”';
        if !quoted || c == '\n' {
            out.push(c);
        }
    }
    out
}

fn is_left(word: &str) -> bool {
    // Addresses, links, paths, ids and placeholders of theirs are data.
    if word.contains(['@', '/', '_', '.', '=', '-', '"', '\'', '\\', '+']) {
        return false;
    }
    let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let is_word = word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic());
    let is_lower = word.bytes().all(|b| b.is_ascii_lowercase());
    is_word && !NOT_TRANSLATED.contains(&word) && (is_lower || TEXTS.contains(word))
}

#[test]
fn what_is_left_in_english_is_found() {
    for (screen, found) in [
        ("  배지 406개  mark them", 2),
        ("  lapel profile add로 · “issue quota\n  exceeded” · 서비스 상태 Issued", 0),
        ("  Issued on 3 days", 2),
        // Broken over lines, beside something else.
        ("배지 ┃ Nothing\n┃ was sent.", 2),
        ("  No badges match this\n  filter.", 4),
    ] {
        let left = in_english(screen);
        assert_eq!(left.len(), found, "{screen}: {left:?}");
    }
}

//! Checks every language against the English texts in the code.

use super::catalogue::{Piece, pieces};
use super::*;
use crate::{count, plural, t};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The texts in the sources with their places, and whether they are about a number.
fn english() -> BTreeMap<String, (String, bool)> {
    let mut texts: BTreeMap<String, (String, bool)> = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        // These tests contain no texts of lapel.
        if path.ends_with("i18n/tests.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source can be read");
        let tokens: TokenStream = source.parse().expect("a source is Rust");
        let place = path.strip_prefix(&root).expect("below src").display().to_string();
        gather(tokens, &mut |text, plural| {
            texts.entry(text).or_insert_with(|| (place.clone(), plural)).1 |= plural;
        });
    }
    // The help is in the doc comments of flags and verbs, which clap reads.
    for text in crate::cli::help_texts() {
        texts.entry(text).or_insert_with(|| ("the help".to_owned(), false));
    }
    texts
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

fn literals(group: &Group) -> impl Iterator<Item = String> {
    group.stream().into_iter().filter_map(|token| match token {
        TokenTree::Literal(literal) => {
            syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|literal| literal.value())
        }
        _ => None,
    })
}

/// Finds the texts of `t!`, `localizable!`, `plural!`, `count!` and `tr_noop!`.
fn gather(tokens: TokenStream, found: &mut dyn FnMut(String, bool)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if group.delimiter() == Delimiter::Parenthesis
            && let [.., TokenTree::Ident(name), TokenTree::Punct(bang)] = &tokens[..at]
            && bang.as_char() == '!'
        {
            let mut literals = literals(group);
            match name.to_string().as_str() {
                "t" | "localizable" | "tr_noop" => {
                    literals.next().into_iter().for_each(|text| found(text, false));
                }
                "plural" | "localizable_plural" => {
                    literals.nth(1).into_iter().for_each(|text| found(text, true));
                }
                "count" => {
                    literals.nth(1).into_iter().for_each(|many| found(format!("{{n}} {many}"), true));
                }
                _ => {}
            }
        }
        // The table of actions: each has a hint and a help text.
        if let [.., TokenTree::Ident(name), TokenTree::Punct(_)] = &tokens[..at]
            && name == "actions"
        {
            literals(group).for_each(|text| found(text, false));
        }
        gather(group.stream(), found);
    }
}

fn translations(language: Language) -> Option<BTreeMap<String, String>> {
    fn collect(name: String, value: &toml::Value, into: &mut Vec<(String, String)>) {
        match value {
            toml::Value::String(text) => into.push((name, text.clone())),
            toml::Value::Table(table) => table.iter().for_each(|(n, v)| collect(n.clone(), v, into)),
            other => panic!("{name} is no text: {other}"),
        }
    }
    let code = language.code();
    let file: toml::Table = language.file()?.parse().expect("TOML");
    let mut all = Vec::new();
    file.iter().for_each(|(name, value)| collect(name.clone(), value, &mut all));
    let mut texts = BTreeMap::new();
    for (name, text) in all {
        assert!(texts.insert(name.clone(), text).is_none(), "{code}.toml has {name:?} twice");
    }
    Some(texts)
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    pieces(text)
        .into_iter()
        .filter_map(|piece| if let Piece::Name(name) = piece { Some(name) } else { None })
        .collect()
}

fn languages() -> impl Iterator<Item = (Language, BTreeMap<String, String>)> {
    Language::ALL.iter().filter_map(|language| Some((*language, translations(*language)?)))
}

/// One for each form that some number takes.
fn keys(text: &str, is_plural: bool, rule: impl Fn(u64) -> PluralForm) -> BTreeSet<String> {
    let forms: BTreeSet<PluralForm> = (0..=200).map(rule).collect();
    let forms = if is_plural { forms } else { [PluralForm::Other].into() };
    forms.into_iter().map(|form| form.key(text)).collect()
}

#[test]
fn every_language_is_complete_and_says_nothing_else() {
    let english = english();
    for (language, texts) in languages() {
        let code = language.code();
        let expected: BTreeMap<String, &String> = english
            .iter()
            .flat_map(|(text, (place, is_plural))| {
                keys(text, *is_plural, |n| language.plural(n)).into_iter().map(move |key| (key, place))
            })
            .collect();
        let missing: Vec<_> = expected
            .iter()
            .filter(|(key, _)| !texts.contains_key(*key))
            .map(|(key, place)| format!("{place}: {key:?}"))
            .collect();
        let unused: Vec<_> = texts.keys().filter(|key| !expected.contains_key(*key)).collect();
        assert!(missing.is_empty(), "{code}.toml lacks {}:\n{}", missing.len(), missing.join("\n"));
        assert!(unused.is_empty(), "no code has these {} texts of {code}.toml: {unused:#?}", unused.len());
    }
}

/// Words that an office would not write, and the one that it does.
#[test]
fn korean_has_one_word_for_one_thing() {
    let texts = translations(Language::Korean).expect("Korean");
    for (avoided, word) in [("이유", "사유"), ("계획", "준비"), ("뱃지", "배지"), ("저널", "작업 기록")]
    {
        for (english, korean) in &texts {
            assert!(!korean.contains(avoided), "{english}: {korean} ({word}, not {avoided})");
        }
    }
}

#[test]
fn every_text_has_the_placeholders_of_its_english() {
    for (english, translated) in languages().flat_map(|(_, texts)| texts) {
        assert_eq!(placeholders(&english), placeholders(&translated), "{english:?} is {translated:?}");
        // The help shows JSON, whose braces are no placeholders.
        let has_format = |name: &&str| name.contains(':') && !name.contains('"');
        assert!(!placeholders(&english).iter().any(has_format), "{english:?} has a format");
        assert!(!translated.trim().is_empty(), "{english:?} is said with nothing");
    }
}

/// How the texts begin that have a blank at an end. Only to become shorter: layout belongs in the code.
const PADDED: &[&str] = &[
    // A paragraph of the help, which clap prints as it is.
    "  Keys are never arguments",
    // A part of a reason that the journal stores. Rows with and without it are one group.
    " (probably {was})",
];

#[test]
fn no_text_begins_or_ends_with_a_blank() {
    let is_padded = |text: &str| text.trim().len() != text.len();
    let padded: Vec<String> = english().into_keys().filter(|text| is_padded(text)).collect();
    let known = |text: &String| PADDED.iter().any(|start| text.starts_with(start));
    let new: Vec<_> = padded.iter().filter(|text| !known(text)).collect();
    assert!(new.is_empty(), "put the blanks of these into the code: {new:#?}");
    assert_eq!(padded.len(), PADDED.len(), "take out what is gone: {padded:#?}");
    for (english, translated) in languages().flat_map(|(_, texts)| texts) {
        assert_eq!(is_padded(&english), is_padded(&translated), "{english:?} is {translated:?}");
    }
}

/// Else another language would be more than a file and a line of `languages!`.
#[test]
fn no_code_names_a_translated_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut places = Vec::new();
    for path in sources(&root) {
        let place = path.strip_prefix(&root).expect("below src");
        let is_test = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"))
            || place.iter().any(|part| part == "tests");
        if is_test || place.starts_with("i18n") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source can be read");
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let has_its_words = place.starts_with("cli") && code.contains(|c| matches!(c, '가'..='힣'));
        if code.contains("Language::Korean") || has_its_words {
            places.push(place.display().to_string());
        }
    }
    assert!(places.is_empty(), "compare with the source language instead: {places:?}");
}

#[test]
fn the_texts_that_the_macros_take_are_found() {
    let source = r#"fn f() { t!("a"); x(plural!(n, "one {n}", "many {n}", k = t!("inner"))); count!(2, "b", "bs"); tr_noop!("c") }"#;
    let mut found = Vec::new();
    gather(source.parse().expect("Rust"), &mut |text, is_plural| found.push((text, is_plural)));
    let found: Vec<(&str, bool)> =
        found.iter().map(|(text, is_plural)| (text.as_str(), *is_plural)).collect();
    assert_eq!(found, [("a", false), ("many {n}", true), ("inner", false), ("{n} bs", true), ("c", false)]);
}

/// Finds macros that make a text in the user's language, and `tr(`.
fn translates(tokens: TokenStream, found: &mut dyn FnMut(String)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let (name, macros): (_, &[&str]) = match &tokens[..at] {
            [.., TokenTree::Ident(word), TokenTree::Ident(name)] if word == "mod" && name == "tests" => {
                continue;
            }
            [.., TokenTree::Ident(name), TokenTree::Punct(bang)] if bang.as_char() == '!' => {
                (name.to_string(), &["t", "plural", "count"])
            }
            [.., TokenTree::Ident(name)] => (name.to_string(), &["tr"]),
            _ => (String::new(), &[]),
        };
        if macros.contains(&name.as_str()) {
            found(format!("{name} {group}"));
        }
        translates(group.stream(), found);
    }
}

#[test]
fn jobs_and_the_api_client_translate_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut places = Vec::new();
    for path in ["jobs", "api"].into_iter().flat_map(|module| sources(&root.join(module))) {
        let source = std::fs::read_to_string(&path).expect("a source can be read");
        translates(source.parse().expect("a source is Rust"), &mut |place| {
            places.push(format!("{}: {place}", path.display()));
        });
    }
    assert!(
        places.is_empty(),
        "these return a Localizable, which the screens translate:\n{}",
        places.join("\n")
    );
    let source = r#"fn f() { g(t!("a {b}", b)); i18n::tr(name); localizable!("c {d}", d = plural!(n, "e", "f")) } mod tests { fn h() { t!("i") } }"#;
    let mut found = Vec::new();
    translates(source.parse().expect("Rust"), &mut |place| found.push(place));
    assert_eq!(found.len(), 3, "{found:?}");
}

/// Finds untranslated literals of a span or a line in the TUI.
fn shown_bare(tokens: TokenStream, inside: bool, found: &mut dyn FnMut(String)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |token: &TokenTree, names: &[&str]| matches!(token, TokenTree::Ident(name) if names.iter().any(|n| name == n));
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Literal(literal) if inside => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found(text.value());
                }
            }
            TokenTree::Group(group) => {
                let before = &tokens[..at];
                let worded = matches!(before, [.., name, TokenTree::Punct(bang)] if bang.as_char() == '!' && is(name, &["t", "localizable", "localizable_plural", "plural", "count", "tr_noop"]));
                let tests = matches!(before, [.., word, name] if is(word, &["mod"]) && is(name, &["tests"]));
                if worded || tests {
                    continue;
                }
                let shows = matches!(before, [.., kind, TokenTree::Punct(_), TokenTree::Punct(_), how]
                    if is(kind, &["Span", "Line"]) && is(how, &["raw", "styled", "from"]));
                shown_bare(group.stream(), inside || shows, found);
            }
            _ => {}
        }
    }
}

/// Two adjacent Latin letters outside a placeholder.
fn has_words(text: &str) -> bool {
    let plain: String = pieces(text)
        .into_iter()
        .map(|piece| if let Piece::Plain(plain) = piece { plain } else { " " })
        .collect();
    // The name lapel is the same in every language.
    let plain = plain.replace("lapel", " ");
    plain.as_bytes().windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic))
}

#[test]
fn no_screen_shows_words_that_only_english_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui");
    let mut bare = Vec::new();
    for path in sources(&root) {
        if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")) {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source can be read");
        shown_bare(source.parse().expect("a source is Rust"), false, &mut |text| {
            if has_words(&text) {
                bare.push(format!("{}: {text:?}", path.display()));
            }
        });
    }
    assert!(bare.is_empty(), "these go through t! or tr_noop!, and get their Korean:\n{}", bare.join("\n"));
}

/// Finds untranslated literals with words, for modules whose sentences are all for users.
fn said_bare(tokens: TokenStream, found: &mut dyn FnMut(String)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |token: &TokenTree, names: &[&str]| matches!(token, TokenTree::Ident(name) if names.iter().any(|n| name == n));
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Literal(literal) => {
                // Doc comments are literals too. Text for programs has no spaces between words, or is XML.
                let comment = matches!(&tokens[..at], [.., doc, TokenTree::Punct(_)] if is(doc, &["doc"]));
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
                    && !comment
                    && text.value().contains(' ')
                    && !text.value().contains('<')
                    && has_words(&text.value())
                {
                    found(text.value());
                }
            }
            TokenTree::Group(group) => {
                let before = &tokens[..at];
                let worded = matches!(before, [.., name, TokenTree::Punct(bang)] if bang.as_char() == '!' && is(name, &["t", "localizable", "localizable_plural", "plural", "count", "tr_noop"]));
                let tests = matches!(before, [.., word, name] if is(word, &["mod"]) && is(name, &["tests"]));
                if !worded && !tests {
                    said_bare(group.stream(), found);
                }
            }
            _ => {}
        }
    }
}

const IN_FILES: &[&str] = &["rows {at}", "… [cut: {} characters in all]", "(other statuses)"];

#[test]
fn what_is_said_of_a_file_is_not_only_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut bare = Vec::new();
    for path in ["table", "export"].into_iter().flat_map(|room| sources(&root.join(room))) {
        if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")) {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source can be read");
        said_bare(source.parse().expect("a source is Rust"), &mut |text| {
            if !IN_FILES.contains(&text.as_str()) {
                bare.push(format!("{}: {text:?}", path.display()));
            }
        });
    }
    assert!(bare.is_empty(), "these go through t! or tr_noop!, and get their Korean:\n{}", bare.join("\n"));
}

#[test]
fn words_that_are_shown_bare_are_found() {
    let source = r#"fn f() {
        Span::styled("  Do  ", theme.strong());
        Line::from(vec![Span::raw(format!("  {key} row")), Span::raw(t!("said {a}", a = "in the words")), Span::raw(" ")]);
        log("no screen");
    }
    mod tests { fn g() { Span::raw("in a test") } }"#;
    let mut found = Vec::new();
    shown_bare(source.parse().expect("Rust"), false, &mut |text| found.push(text));
    assert_eq!(found, ["  Do  ", "  {key} row", " "]);
    let source = r#"/// A comment of words.
    #[error("it is {0}")] fn g() { format!("{n} cells"); t!("said {a}", a = "in words"); name("recipient_name") }"#;
    let mut found = Vec::new();
    said_bare(source.parse().expect("Rust"), &mut |text| found.push(text));
    assert_eq!(found, ["it is {0}", "{n} cells"]);
    assert!(has_words("  Do  ") && has_words("{key} row") && !has_words(" lapel  {wide} x · J"));
}

#[test]
fn english_reads_as_it_is_written() {
    let name = "list.csv";
    assert_eq!(t!("{name} has {rows} rows", name, rows = 2 + 3), "list.csv has 5 rows");
    assert_eq!(plural!(1, "{n} row of {name}", "{n} rows of {name}", name), "1 row of list.csv");
    assert_eq!(plural!(4312, "{n} row of {name}", "{n} rows of {name}", name), "4,312 rows of list.csv");
    assert_eq!(count!(1, "badge", "badges"), "1 badge");
    assert_eq!(count!(1000, "badge", "badges"), "1,000 badges");
}

#[test]
fn a_text_for_a_file_has_one_language_with_its_values() {
    let text = localizable!("not sent: {why}", why = Localizable::of("paused"));
    assert_eq!(text.in_language(Language::English), "not sent: paused");
    let paused = in_language(Language::Korean, "paused");
    let korean = text.in_language(Language::Korean);
    assert!(paused != "paused" && korean.contains(paused) && !korean.contains("not sent"), "{korean}");
}

#[test]
fn arguments_stand_where_the_text_wants_them() {
    assert_eq!(fill("{b}을(를) {a}에 {{넣음}}", &[("a", &"파일"), ("b", &12)]), "12를 파일에 {넣음}");
    // The value of an argument is never taken for part of the text.
    assert_eq!(fill("{a}", &[("a", &"{b} 을(를)"), ("b", &1)]), "{b} 을(를)");
    assert_eq!(fill("{unknown} } {", &[]), "{unknown} } {");
}

/// Three forms, as in Polish.
fn three_forms(n: u64) -> PluralForm {
    match (n, n % 10, n % 100) {
        (1, ..) => PluralForm::One,
        (_, 2..=4, rest) if !(12..=14).contains(&rest) => PluralForm::Few,
        _ => PluralForm::Many,
    }
}

#[test]
fn a_language_may_have_any_number_of_plural_forms() {
    const TEXT: &str = "{n} badges";
    let file = "[a]\n'{n} badges|one' = '{n} odznaka'\n'{n} badges|few' = '{n} odznaki'\n'{n} badges|many' = '{n} odznak'\n";
    let texts = super::catalogue::read(file);
    let expected: BTreeSet<&String> = texts.keys().collect();
    assert_eq!(keys(TEXT, true, three_forms).iter().collect::<BTreeSet<_>>(), expected);
    for (n, said) in
        [(1, "odznaka"), (2, "odznaki"), (5, "odznak"), (12, "odznak"), (22, "odznaki"), (0, "odznak")]
    {
        let text = &texts[&three_forms(n).key(TEXT)];
        assert_eq!(fill(text, &[("n", &n)]), format!("{n} {said}"));
    }
    // English has two forms, and its texts are in the code; Korean has one.
    assert_eq!(
        [0, 1, 2].map(|n| Language::English.plural(n)),
        [PluralForm::Other, PluralForm::One, PluralForm::Other]
    );
    assert_eq!(keys(TEXT, true, |n| Language::Korean.plural(n)), [TEXT.to_owned()].into());
    assert_eq!(in_form(Language::Korean, TEXT, 1), in_language(Language::Korean, TEXT));
}

#[test]
fn a_context_separates_two_senses_of_a_word() {
    let word = "sent|mail";
    assert_eq!(in_language(Language::English, word), "sent");
    assert_ne!(in_language(Language::Korean, word), in_language(Language::Korean, "sent"));
    assert!(!is_a_word("sent|mail") && is_a_word("sent"));
    for text in ["a | b", "a|", "a|B", "a|b c", "|"] {
        assert_eq!(without_context(text), text);
    }
    // The compiler puts values into the English text unchanged.
    let wrong: Vec<String> = english()
        .into_keys()
        .filter(|text| without_context(text) != text && !placeholders(text).is_empty())
        .collect();
    assert!(wrong.is_empty(), "a text with placeholders has no context: {wrong:?}");
}

#[test]
fn a_locale_names_a_language() {
    for (locale, language) in [
        ("ko_KR.UTF-8", Language::Korean),
        ("ko", Language::Korean),
        ("KO-kr", Language::Korean),
        ("kok_IN", Language::English),
        ("C.UTF-8", Language::English),
        ("", Language::English),
    ] {
        assert_eq!(Language::of_locale(locale), language, "{locale}");
    }
}

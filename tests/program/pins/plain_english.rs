//! Comments, docs and texts have none of the phrases that say a thing in a roundabout way.

use super::layers::sources;
use crate::texts::keys;
use std::path::Path;

const PHRASES: &[&str] = &[
    "stands",
    "whoever",
    "whatever",
    "goes on",
    "is told",
    "are told",
    "is said",
    "are said",
    "is to be",
    "are to be",
    "at a time",
    "all the same",
    "becomes of",
    "lets go of",
    "gives up",
    "as it were",
];

/// Files that still have such a phrase. Only to become shorter.
const NOT_YET: &[&str] = &[];

/// The comments on lines of their own, each with the number of its first line. A phrase may be broken over two lines.
fn comments(source: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_after_comment = false;
    for (line, number) in source.lines().zip(1..) {
        let comment =
            line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim());
        match (comment, found.last_mut()) {
            (Some(text), Some((_, before))) if is_after_comment => {
                before.push(' ');
                before.push_str(text);
            }
            (Some(text), _) => found.push((number, text.to_owned())),
            (None, _) => {}
        }
        is_after_comment = comment.is_some();
    }
    found
}

/// The phrases of a text as whole words, and a sentence or clause that begins with "that is not".
fn phrases(text: &str) -> Vec<&'static str> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    // A name with underscores is one word.
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let has = |phrase: &&&str| {
        text.match_indices(**phrase).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
        })
    };
    let mut found: Vec<&'static str> = PHRASES.iter().filter(has).copied().collect();
    let clause = "that is not ";
    if text.starts_with(clause)
        || [". ", "; ", ": "].iter().any(|end| text.contains(&format!("{end}{clause}")))
    {
        found.push("that is not");
    }
    found
}

#[test]
fn comments_are_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 600, "only {} files were read", files.len());
    let (mut wrong, mut known) = (Vec::new(), Vec::new());
    for path in files {
        let file = path.strip_prefix(root).expect("inside the package").display().to_string();
        let source = std::fs::read_to_string(&path).expect("a source");
        for (line, text) in comments(&source) {
            for phrase in phrases(&text) {
                match NOT_YET.iter().find(|name| **name == file) {
                    Some(name) => known.push(*name),
                    None => wrong.push(format!("{file}:{line}: {phrase:?}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "say these in plain words:\n{}", wrong.join("\n"));
    let mended: Vec<_> = NOT_YET.iter().filter(|name| !known.contains(name)).collect();
    assert!(mended.is_empty(), "take these off the list: {mended:?}");
}

#[test]
fn texts_are_plain_english() {
    let wrong: Vec<_> = keys().filter(|text| !phrases(text).is_empty()).collect();
    assert!(wrong.is_empty(), "say these in plain words: {wrong:#?}");
}

#[test]
fn docs_are_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages =
        std::fs::read_dir(root.join("docs")).expect("the docs").map(|page| page.expect("a page").path());
    let mut wrong = Vec::new();
    for path in
        pages.chain([root.join("README.md")]).filter(|path| path.extension().is_some_and(|e| e == "md"))
    {
        let page = std::fs::read_to_string(&path).expect("a page");
        for (paragraph, number) in page.split("\n\n").zip(1..) {
            let found = phrases(paragraph);
            if !found.is_empty() {
                wrong.push(format!("{}, paragraph {number}: {found:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "say these in plain words:\n{}", wrong.join("\n"));
}

#[test]
fn a_phrase_is_found_over_two_lines_and_not_inside_a_word() {
    let source = "    /// The review goes\n    /// on later.\nfn f() {}\n//! Whatever.\nlet x = 1; // no line of its own: stands\n";
    let found: Vec<_> = comments(source).into_iter().map(|(line, text)| (line, phrases(&text))).collect();
    assert_eq!(found, [(1, vec!["goes on"]), (4, vec!["whatever"])]);
    assert_eq!(phrases("A bystander understands a badge that is not issued."), Vec::<&str>::new());
    assert_eq!(phrases("Mail sent; that is not \"delivered\"."), ["that is not"]);
}

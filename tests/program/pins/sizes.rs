//! Files and types that a reader can keep in mind: limits, and the types above them, of which there may only be fewer.

use super::layers::sources;
use super::pinned::{beside, kept};
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a file of `src`. Files of tests may have more.
const LINES: usize = 600;
/// A type with more fields is in the list `large-types`.
const FIELDS: usize = 12;
/// A type with more methods of its own, in all its files, is in the list `large-types`. The methods of a trait do not
/// count.
const METHODS: usize = 60;

/// What a line of the list says, such as `fields Job`, and the number.
type Sizes = BTreeMap<String, usize>;

fn is_test(path: &Path, source: &str) -> bool {
    let is_named = |name: &str| name == "tests" || name.ends_with("tests.rs");
    path.iter().any(|part| is_named(&part.to_string_lossy())) || source.starts_with("//! Tests: ")
}

/// The files of `src` without those of tests, each with its text.
fn code() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let read = |path: PathBuf| {
        let source = fs::read_to_string(&path).expect("a source");
        let path = path.strip_prefix(&root).expect("inside src").to_owned();
        (!is_test(&path, &source)).then_some((path, source))
    };
    files.into_iter().filter_map(read).collect()
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = code();
    assert!(files.len() > 300, "only {} files were read", files.len());
    let long: Vec<String> = files
        .iter()
        .map(|(path, source)| (path, source.lines().count()))
        .filter(|(_, lines)| *lines > LINES)
        .map(|(path, lines)| format!("{}: {lines}", path.display()))
        .collect();
    assert!(long.is_empty(), "Split what has more than {LINES} lines:\n{}", long.join("\n"));
}

fn word(token: Option<&TokenTree>) -> Option<String> {
    match token? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// The last name before the braces of a type or an `impl`, outside its generics, and the braces. `None` for the `impl` of
/// a trait, for a type without braces, and for the name of a macro's variable.
fn named(tokens: &[TokenTree]) -> Option<(String, &Group)> {
    let (mut depth, mut name, mut is_bound) = (0, None, false);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_punct(before, '-') => depth -= 1,
            TokenTree::Punct(punct) if punct.as_char() == ';' && depth == 0 => return None,
            TokenTree::Ident(ident) if depth == 0 && ident == "for" && !is_bound => return None,
            TokenTree::Ident(ident) if depth == 0 && ident == "where" => is_bound = true,
            TokenTree::Ident(ident) if depth == 0 && !is_bound && !is_punct(before, '\'') => {
                name = (!is_punct(before, '$')).then(|| ident.to_string());
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && depth == 0 => {
                return Some((name?, group));
            }
            _ => {}
        }
    }
    None
}

/// How many names before a colon are in the braces of a type.
fn fields(body: &Group) -> usize {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let is_of_field = |at: &usize| {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        matches!(&tokens[*at], TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Alone)
            && !is_punct(before, ':')
    };
    (0..tokens.len()).filter(is_of_field).count()
}

/// How many functions with a name are in the braces of an `impl`.
fn methods(body: &Group) -> usize {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    tokens
        .windows(2)
        .filter(|pair| word(pair.first()).is_some_and(|word| word == "fn") && word(pair.get(1)).is_some())
        .count()
}

/// Adds the types and methods of some code. A type is found by its name, which types of the same name share.
fn measure(code: TokenStream, sizes: &mut Sizes) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        match token {
            TokenTree::Ident(ident) if ident == "struct" => {
                if let Some((name, body)) = named(&tokens[at + 1..]) {
                    let most = sizes.entry(format!("fields {name}")).or_default();
                    *most = fields(body).max(*most);
                }
            }
            // In another place, `impl` begins the type of an argument or a result.
            TokenTree::Ident(ident) if ident == "impl" => {
                let is_item = before.is_none_or(|before| {
                    matches!(before, TokenTree::Group(_)) || is_punct(Some(before), ';')
                });
                if let Some((name, body)) = named(&tokens[at + 1..]).filter(|_| is_item) {
                    *sizes.entry(format!("methods {name}")).or_default() += methods(body);
                }
            }
            TokenTree::Group(group) => {
                let is_of_tests = at >= 3
                    && word(tokens.get(at - 2)).is_some_and(|word| word == "mod")
                    && tokens[at - 3].to_string().replace(' ', "") == "[cfg(test)]";
                if !is_of_tests {
                    measure(group.stream(), sizes);
                }
            }
            _ => {}
        }
    }
}

/// Only what is above its limit.
fn large(mut sizes: Sizes) -> Sizes {
    sizes.retain(|what, n| *n > if what.starts_with("fields ") { FIELDS } else { METHODS });
    sizes
}

/// The lines of a list: what, and how many.
fn read_list<'a>(lines: impl IntoIterator<Item = &'a String>) -> Sizes {
    let one = |line: &String| {
        let (what, n) = line.rsplit_once(' ').expect("a number at the end");
        (what.to_owned(), n.parse().expect("a number"))
    };
    lines.into_iter().map(one).collect()
}

/// What is new in the list, or has grown.
fn grown(list: &Sizes, now: &Sizes) -> Vec<String> {
    let has_grown = |(what, n): &(&String, &usize)| list.get(*what).is_none_or(|limit| *n > limit);
    now.iter().filter(has_grown).map(|(what, n)| format!("{what} {n}")).collect()
}

#[test]
fn a_large_type_does_not_grow_and_no_other_becomes_one() {
    let mut sizes = Sizes::new();
    for (path, source) in code() {
        let code: TokenStream = source.parse().unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        measure(code, &mut sizes);
    }
    assert!(sizes.len() > 1_000, "only {} types were found", sizes.len());
    let (list, now) = (read_list(&kept("large-types")), large(sizes));
    let grown = grown(&list, &now);
    assert!(
        grown.is_empty(),
        "Move fields or methods that belong together into a type of their own:\n{}",
        grown.join("\n")
    );
    if std::env::var_os("UPDATE_PINS").is_some() {
        let lines: Vec<String> = now.iter().map(|(what, n)| format!("{what} {n}")).collect();
        let text = lines.join("\n") + "\n";
        fs::write(beside("lists/large-types.txt"), text).expect("written");
        return;
    }
    assert_eq!(now, list, "a type is smaller: run UPDATE_PINS=1 cargo test --test program pins::sizes");
}

#[test]
fn fields_and_methods_are_counted() {
    let code = r#"
        #[derive(Debug)]
        pub struct Job<'a, T: Clone = u8> where T: Copy {
            /// A colon: in a comment.
            pub id: u64,
            name: std::collections::BTreeMap<String, Vec<(u8, T)>>, // and another: one
            #[serde(rename = "a: b")]
            run: fn(&'a str) -> Result<(), ()>,
        }
        pub struct Unit;
        struct Pair(u8, u8);
        section! { pub struct Sample { batch: Option<u32> = 3 => number(1, 9), { key: "a" }; is_on: bool => truth; } }
        macro_rules! made { ($name:ident) => { struct $name { a: u8 } impl $name { fn of() {} } }; }
        impl<'a, T: Fn(u8) -> u8> Job<'a, T> where T: for<'b> Fn(&'b str) {
            fn one(&self, call: impl Fn(u8) -> u8) -> impl Iterator<Item = u8> + use<'_> { fn inner() {} todo!() }
            pub async fn two(run: fn(u8)) { "fn three() {"; }
        }
        impl module::Job<'_, u8> { const fn three() {} }
        impl fmt::Display for Job<'_, u8> { fn fmt(&self) {} }
        #[cfg(test)]
        mod tests { struct Bench { a: u8 } impl Job { fn four() {} } }
        mod inner { pub struct Inner { a: u8 } }
    "#;
    let mut sizes = Sizes::new();
    measure(code.parse().expect("Rust"), &mut sizes);
    let known = ["fields Inner 1", "fields Job 3", "fields Sample 2", "methods Job 3"].map(str::to_owned);
    assert_eq!(sizes, read_list(&known));
}

#[test]
fn only_what_is_smaller_may_change_the_list() {
    let list = |lines: &[&str]| read_list(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
    let kept = list(&["fields Job 20", "methods App 100"]);
    assert_eq!(grown(&kept, &list(&["fields Job 19"])), [""; 0]);
    assert_eq!(grown(&kept, &list(&["fields Job 21", "methods App 100"])), ["fields Job 21"]);
    assert_eq!(grown(&kept, &list(&["methods Wallet 61"])), ["methods Wallet 61"]);
    assert_eq!(large(list(&["fields A 12", "fields B 13", "methods C 60", "methods D 61"])).len(), 2);
    let is_of_tests =
        ["jobs/tests.rs", "jobs/journal/tests/damage.rs"].map(|path| is_test(Path::new(path), ""));
    assert_eq!((is_of_tests, is_test(Path::new("jobs/contests/all.rs"), "")), ([true; 2], false));
}

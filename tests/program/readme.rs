//! README.md and docs/ against the program: the table of keys in docs/keys.md, links, command lines, examples of keys,
//! named tests, dependencies.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use crokey::OneToThree;
use crossterm::event::KeyEvent;
use lapel::cli::Cli;
use lapel::config::KeymapFile;
use lapel::jobs::{Code, DuplicateKind, Phase, RowStatus, StopKind};
use lapel::tui::{Action, KeyContext, Keymap, Press};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BEGIN: &str =
    "<!-- keys: made from the keymap; UPDATE_README=1 cargo test --test program readme:: -->\n";
const END: &str = "<!-- end of keys -->";
const LETTERS_BEGIN: &str =
    "<!-- letters: made from the keymap; UPDATE_README=1 cargo test --test program readme:: -->\n";
const LETTERS_END: &str = "<!-- end of letters -->";
const CODES_BEGIN: &str =
    "<!-- codes: made from the program; UPDATE_README=1 cargo test --test program readme:: -->\n";
const CODES_END: &str = "<!-- end of codes -->";
const ROLES_BEGIN: &str =
    "<!-- roles: made from the program; UPDATE_README=1 cargo test --test program readme:: -->\n";
const ROLES_END: &str = "<!-- end of roles -->";

/// README.md and every page in docs/, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).expect("the folder docs");
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.expect("a file of docs").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.insert(0, root.join("README.md"));
    assert!(paths.len() > 5, "{paths:?}");
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a page");
            (path, text)
        })
        .collect()
}

/// The table: a row for each action of each place, as the keymap has them.
fn table() -> String {
    let mut out = String::from("| Where | Keys | |\n|---|---|---|\n");
    let mut last = None;
    for (context, action, keys) in Keymap::default().lines() {
        // Moving is the same in all lists and said once. A badge is no list.
        let moves = [Action::Down, Action::Up, Action::PageDown, Action::PageUp];
        let is_said = matches!(context, KeyContext::List | KeyContext::Badge);
        if moves.contains(&action) && !is_said || Keymap::only_says_why(context, action) {
            continue;
        }
        let place = if last == Some(context) { "" } else { context.place() };
        last = Some(context);
        // A bar would end the cell of the table.
        let keys = keys.replace('|', "&#124;");
        let keys: Vec<String> = keys.split_whitespace().map(|key| format!("<kbd>{key}</kbd>")).collect();
        let keys = if keys.is_empty() { "palette".to_owned() } else { keys.join(" ") };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {place} | {keys} | {} |", action.help());
    }
    out
}

/// The letters, with all that each does. Menus that show a letter beside each entry have letters of their own.
fn letters() -> String {
    let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let keymap = Keymap::default();
    let is_menu = |context| matches!(context, KeyContext::JobMenu | KeyContext::Welcome);
    for (_, action, keys) in
        keymap.lines().filter(|(context, action, _)| !is_menu(*context) && *action != Action::Back)
    {
        let keys: Vec<&str> = keys.split_whitespace().collect();
        let is_letter = |key: &&&str| key.len() == 1 && key.starts_with(|c: char| c.is_ascii_alphabetic());
        // Two keys one after the other are no letter.
        for key in keys.iter().filter(is_letter).filter(|_| !keys.contains(&"*")) {
            let does = all.entry((*key).to_owned()).or_default();
            if !does.contains(&action.short()) {
                does.push(action.short());
            }
        }
    }
    let mut out = String::from("| Key | |\n|---|---|\n");
    for (key, does) in all {
        let _ = writeln!(out, "| <kbd>{key}</kbd> | {} |", does.join("; "));
    }
    out
}

/// Compares the part of a page between two lines with what it is made from, or writes it again.
#[track_caller]
fn made(page: &str, begin: &str, end: &str, right: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let text = std::fs::read_to_string(&path).expect(page);
    let (before, rest) = text.split_once(begin).expect("the line before the table");
    let (there, after) = rest.split_once(end).expect("the line after the table");
    let right = format!("\n{right}\n");
    if there == right {
        return;
    }
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{before}{begin}{right}{end}{after}")).expect("written");
        return;
    }
    panic!("docs/{page} has another table: run UPDATE_README=1 cargo test --test program readme::");
}

#[test]
fn the_table_of_keys_is_the_keymap() {
    made("keys.md", BEGIN, END, &table());
    made("keys.md", LETTERS_BEGIN, LETTERS_END, &letters());
}

/// A definition in the schema, the fields that have its codes, and the codes with their words.
type CodeTable = (&'static str, &'static str, Vec<(&'static str, Option<&'static str>)>);

/// The codes in JSON: definition in the schema, fields that have them, and each code with its words on the screen.
/// A message that has no fixed text has none here.
pub fn codes() -> [CodeTable; 5] {
    let row_status = RowStatus::ALL.iter().map(|one| (one.code(), Some(one.name())));
    let phase = Phase::ALL.iter().map(|one| (one.code(), Some(one.name())));
    let stop = StopKind::ALL.iter().map(|one| (one.code(), Some(one.name())));
    let class = DuplicateKind::ALL.iter().map(|one| (one.code(), Some(one.name())));
    let code = Code::ALL.iter().map(|one| (one.name(), one.text()));
    [
        ("bucket", "`bucket` (status of a row), and the names in `counts`", row_status.collect()),
        ("phase", "`phase`", phase.collect()),
        ("stop-kind", "`stop.kind`", stop.collect()),
        ("class", "`class` (duplicate check)", class.collect()),
        ("code", "`why_code`, `note_code`, `trouble_code`, `evidence_code`", code.collect()),
    ]
}

#[test]
fn the_tables_of_codes_have_every_code() {
    let mut right = String::new();
    for (definition, fields, codes) in codes() {
        // A receipt has words of its own for the status of a row.
        let of_receipt = RowStatus::ALL.iter().map(|one| (one.code(), one.receipt_value()));
        let of_receipt: BTreeMap<&str, &str> =
            if definition == "bucket" { of_receipt.collect() } else { BTreeMap::new() };
        let (title, line) = if of_receipt.is_empty() { ("", "") } else { (" Words in a receipt |", "---|") };
        let _ = write!(right, "| {fields} | Words |{title}\n|---|---|{line}\n");
        for (code, words) in codes {
            let words = words.unwrap_or("the text beside it").replace('|', "&#124;");
            let receipt = of_receipt.get(code).map_or(String::new(), |word| format!(" {word} |"));
            let _ = writeln!(right, "| `{code}` | {words} |{receipt}");
        }
        right.push('\n');
    }
    made("scripts.md", CODES_BEGIN, CODES_END, right.trim_end());
}

#[test]
fn the_sql_of_the_roles_is_what_lapel_prints() {
    made("team.md", ROLES_BEGIN, ROLES_END, &format!("```sql\n{}```\n", lapel::jobs::ROLES));
}

#[test]
fn every_file_that_the_readme_names_is_there() {
    for (path, text) in pages() {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let sources = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let local: Vec<&str> =
            links.chain(sources).filter(|l| !l.starts_with("http") && !l.starts_with('#')).collect();
        if path.ends_with("README.md") {
            assert!(local.len() > 3, "{local:?}");
        }
        // A link is relative to the folder of its page, and may name a heading.
        let folder = path.parent().expect("a folder");
        for link in local {
            let file = link.split('#').next().unwrap_or_default();
            assert!(folder.join(file).exists(), "{link} in {}", path.display());
        }
    }
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|title| title.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect())
        .collect()
}

#[test]
fn every_heading_that_a_link_names_is_there() {
    let pages = pages();
    let mut found = 0;
    for (path, text) in &pages {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, anchor)) = link.split_once('#').filter(|_| !link.starts_with("http")) else {
                continue;
            };
            let target = path.parent().expect("a folder").join(file);
            let page = pages.iter().find(|(other, _)| {
                if file.is_empty() {
                    other == path
                } else {
                    other.canonicalize().ok() == target.canonicalize().ok()
                }
            });
            let (_, page) = page.unwrap_or_else(|| panic!("{link} in {}", path.display()));
            assert!(anchors(page).iter().any(|known| known == anchor), "{link} in {}", path.display());
            found += 1;
        }
    }
    assert!(found > 3, "{found}");
}

/// Splits a command line into words; quotes hold words together. Ends where a shell takes over.
fn words(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => out.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    out.push(word);
    out.retain(|word| !word.is_empty());
    let shell = |word: &String| word.starts_with(['>', '<', '|', '#']);
    let end = out.iter().position(shell).unwrap_or(out.len());
    out.truncate(end);
    out
}

/// The command lines of a page: indented lines that begin with `lapel`, and `lapel …` in the text.
fn command_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut in_text = String::new();
    for line in text.lines() {
        match line.strip_prefix("    ").map(str::trim_start).filter(|line| line.starts_with("lapel")) {
            // A wide gap separates two commands of a line, or a command from its explanation.
            Some(line) => lines.extend(
                line.split("  ").map(str::trim).filter(|part| part.starts_with("lapel")).flat_map(several),
            ),
            None => in_text.extend([line, " "]),
        }
    }
    let spans = in_text.split('`').skip(1).step_by(2);
    // The column of a redo file and the title of a window begin with the same word.
    let others = ["lapel reason", "lapel ·"];
    let is_command =
        |span: &&str| span.starts_with("lapel ") && !others.iter().any(|other| span.starts_with(other));
    lines.extend(spans.filter(is_command).map(str::to_owned));
    lines
}

/// `lapel wallet EMAIL, badge ID` is two command lines.
fn several(part: &str) -> Vec<String> {
    let whole = |one: &str| if one.starts_with("lapel") { one.to_owned() } else { format!("lapel {one}") };
    if part.contains('"') { vec![part.to_owned()] } else { part.split(", ").map(whole).collect() }
}

/// A value that fits where a page has a placeholder.
fn value(word: String) -> String {
    match word.as_str() {
        "EMAIL" => "kim@naru.example".to_owned(),
        "DAYS" | "N" | "ROW" => "30".to_owned(),
        "THEME" => "dark".to_owned(),
        _ => word,
    }
}

#[test]
fn every_command_line_is_one() {
    let mut parsed = 0;
    for (path, text) in pages() {
        for line in command_lines(&text) {
            let words: Vec<String> = words(&line).into_iter().map(value).filter(|word| word != "…").collect();
            if let Err(wrong) = Cli::try_parse_from(&words) {
                // In a sentence, a command may be named without its arguments.
                let named = [
                    ErrorKind::DisplayHelp,
                    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                    ErrorKind::MissingRequiredArgument,
                    ErrorKind::MissingSubcommand,
                ];
                assert!(named.contains(&wrong.kind()), "{line} in {}: {wrong}", path.display());
            }
            parsed += 1;
        }
    }
    assert!(parsed > 60, "{parsed}");
}

/// The long flags of a command and of all commands below it.
fn flags(command: &clap::Command, all: &mut Vec<String>) {
    let own = command.get_arguments().flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default());
    all.extend(own.map(|flag| format!("--{flag}")));
    command.get_subcommands().for_each(|below| flags(below, all));
}

#[test]
fn every_flag_in_a_sentence_exists() {
    // `--locked` is one of cargo.
    let mut known = ["--help", "--version", "--locked"].map(str::to_owned).to_vec();
    flags(&Cli::command(), &mut known);
    let mut found = 0;
    for (path, text) in pages() {
        for span in text.split('`').filter(|span| span.starts_with("--")) {
            let flag = span.split([' ', '=']).next().unwrap_or_default();
            assert!(known.iter().any(|one| one == flag), "{span} in {}", path.display());
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}

/// The tests that a text names, with their files: `tui/lists::a_name` is the function `a_name` in `tests/tui/lists.rs`,
/// `src/fs/mod::a_name` is in `src/fs/mod.rs`.
fn named_tests(text: &str) -> impl Iterator<Item = (PathBuf, &str)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    text.split('`').filter_map(|span| span.split_once("::")).filter_map(move |(file, test)| {
        let folder = match file.split('/').next() {
            Some("src") => root.to_owned(),
            Some("tui" | "korean" | "service" | "jobs" | "program") if file.contains('/') => {
                root.join("tests")
            }
            _ => return None,
        };
        Some((folder.join(file).with_extension("rs"), test))
    })
}

#[test]
fn every_test_that_a_page_names_exists() {
    let mut found = 0;
    for (path, text) in pages() {
        for (file, test) in named_tests(&text) {
            let named = format!("{test} of {} in {}", file.display(), path.display());
            let source = std::fs::read_to_string(&file).expect(&named);
            assert!(source.contains(&format!("fn {test}(")), "{named}");
            found += 1;
        }
    }
    assert!(found > 150, "{found}");
}

/// A page in docs/.
fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    std::fs::read_to_string(path).expect(name)
}

/// The rows of the tables with tests, each of which must name one.
fn rows_with_tests(page: &str) -> usize {
    let mut rows = 0;
    let mut is_inside = false;
    for line in page.lines() {
        if !line.starts_with('|') {
            is_inside = false;
        } else if line.ends_with("| Test |") {
            is_inside = true;
        } else if is_inside && !line.starts_with("|---") {
            assert!(named_tests(line).next().is_some(), "{line}");
            rows += 1;
        }
    }
    rows
}

#[test]
fn every_protection_and_every_end_names_its_test() {
    for (name, rows) in [("SECURITY.md", 60), ("troubleshooting.md", 15), ("habits.md", 39 + 8)] {
        assert_eq!(rows_with_tests(&page(name)), rows, "{name}");
    }
}

#[test]
fn every_habit_has_its_row() {
    let page = page("habits.md");
    let (_, section) = page.split_once("\n## Habits\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    // Without the head of the table and the line below it.
    let habits: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).skip(1).collect();
    let ends = (habits.first().copied(), habits.last().copied());
    assert_eq!((habits.len(), ends), (39, (Some("profiles"), Some("paste"))));
}

#[test]
fn every_dependency_has_its_line() {
    let text = page("dependencies.md");
    let (lists, _) = text.split_once("\n## Crates in two versions\n").expect("the end of the lists");
    let listed: BTreeSet<String> = lists
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .map(str::to_owned)
        .collect();
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest: toml::Table =
        std::fs::read_to_string(manifest).expect("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let targets = manifest["target"].as_table().expect("targets").values().filter_map(toml::Value::as_table);
    let declared: BTreeSet<String> = targets
        .chain([&manifest])
        .flat_map(|table| {
            ["dependencies", "dev-dependencies", "build-dependencies"].map(|kind| table.get(kind))
        })
        .filter_map(|crates| crates?.as_table())
        .flat_map(|crates| crates.keys().cloned())
        .collect();
    assert_eq!(listed, declared);
}

#[test]
fn every_crate_in_two_versions_has_a_reason() {
    let text = page("dependencies.md");
    let (_, rows) = text.split_once("\n## Crates in two versions\n").expect("the part about them");
    let first_cells = rows.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    let named: BTreeSet<String> = first_cells
        .flat_map(|cell| cell.split(','))
        .map(|name| name.trim_matches([' ', '`']).to_owned())
        .collect();
    let lock = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock: toml::Table = std::fs::read_to_string(lock).expect("Cargo.lock").parse().expect("TOML");
    let packages = lock["package"].as_array().expect("packages");
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<String> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .filter(|name| !seen.insert(*name))
        .map(str::to_owned)
        .collect();
    assert_eq!(named, twice);
}

/// What `names`, such as `g h`, come to where these places stand.
fn press(keymap: &Keymap, stack: &[KeyContext], names: &str) -> Press {
    let mut begun = Vec::new();
    let mut last = Press::Free;
    for name in names.split(' ') {
        let key = crokey::parse(name).expect("a key");
        let OneToThree::One(code) = key.codes else { panic!("{name} is several keys") };
        last = keymap.press(stack, &mut begun, KeyEvent::new(code, key.modifiers));
    }
    last
}

#[test]
fn every_example_of_keys_works_where_its_place_stands() {
    let pages = pages();
    let usual = Keymap::default();
    let places: Vec<(KeyContext, &str)> =
        usual.lines().map(|(context, ..)| (context, context.name())).collect();
    let named = |name: &str| places.iter().find(|(_, place)| *place == name).map(|(context, _)| *context);
    let mut pressed = 0;
    let blocks = pages.iter().flat_map(|(_, text)| text.split("```toml\n").skip(1));
    for block in blocks.filter_map(|rest| rest.split("```").next()) {
        let tables: toml::Table = block.parse().expect("an example is TOML");
        // The examples of the other files have fields of their own; a saved filter is a table.
        let is_keys = |(name, table): (&String, &toml::Value)| {
            named(name).is_some()
                && table.as_table().is_some_and(|keys| keys.values().all(|key| !key.is_table()))
        };
        if !tables.iter().all(is_keys) {
            continue;
        }
        let file = KeymapFile::parse(Path::new("keys.toml"), block);
        let (keymap, mistakes) = Keymap::with(&file);
        assert_eq!(mistakes, []);
        for line in &file.lines {
            let place = named(&line.place).expect("a place");
            let action = Action::ALL.iter().find(|action| action.name() == line.action).expect("an action");
            for stack in KeyContext::STACKS.iter().filter(|stack| stack.contains(&place)) {
                for keys in &line.keys {
                    assert_eq!(press(&keymap, stack, keys), Press::Action(*action), "{keys} in {stack:?}");
                    pressed += 1;
                }
            }
        }
    }
    assert!(pressed > 20, "{pressed}");
}

//! The README says what is so: its table of keys is the keymap.

use lapel::tui::{Action, Context, Keymap};
use std::fmt::Write;
use std::path::PathBuf;

const BEGIN: &str = "<!-- keys: made from the keymap; UPDATE_README=1 cargo test --test readme -->\n";
const END: &str = "<!-- end of keys -->";

/// Where a context's keys work, in words.
fn place(context: Context) -> &'static str {
    match context {
        Context::Always => "Everywhere, also inside a field",
        Context::Global => "Everywhere outside fields",
        Context::List => "Any list",
        Context::Templates => "Templates",
        Context::Template => "A template in full",
        Context::Categories => "Categories",
        Context::History => "History",
        Context::Wallet => "Wallet",
        Context::Badge => "Badge",
        Context::FilterBar => "The filter",
        Context::Prompt => "A single field",
        Context::SortMenu => "The sort menu",
        Context::Form => "A form",
        Context::FileField => "The name of a file",
        Context::File => "A file of recipients",
        Context::RevokeForm => "The revoke form",
        Context::Review => "A review before sending",
        Context::Activity => "Activity",
        Context::JobRows => "Rows of a job",
        Context::Overview => "The overview",
        Context::OverviewList => "Badges behind a bar",
        Context::Menu => "A choice",
        Context::Draft => "Looking through a draft",
        Context::DraftRevoke => "Looking through a revocation",
        Context::Help => "The help",
        Context::Welcome => "The first screen",
    }
}

/// The table: a row for each action of each place, as the keymap has them.
fn table() -> String {
    let mut out = String::from("| Where | Keys | |\n|---|---|---|\n");
    let mut last = None;
    for (context, action, keys) in Keymap::default().lines() {
        // Moving is the same everywhere and said once.
        let moves = [Action::Down, Action::Up, Action::PageDown, Action::PageUp];
        if moves.contains(&action) && context != Context::List {
            continue;
        }
        let place = if last == Some(context) { "" } else { place(context) };
        last = Some(context);
        let keys: Vec<String> = keys.split(' ').map(|key| format!("<kbd>{key}</kbd>")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {place} | {} | {} |", keys.join(" "), action.help());
    }
    out
}

#[test]
fn the_table_of_keys_is_the_keymap() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("the README");
    let (before, rest) = text.split_once(BEGIN).expect("the README has the line before the keys");
    let (keys, after) = rest.split_once(END).expect("the README has the line after the keys");
    let right = format!("\n{}\n", table());
    if keys == right {
        return;
    }
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{right}{END}{after}")).expect("written");
        return;
    }
    panic!("the README's keys are not the keymap's: run UPDATE_README=1 cargo test --test readme");
}

#[test]
fn every_file_that_the_readme_names_is_there() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let sources = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let local: Vec<&str> =
        links.chain(sources).filter(|l| !l.starts_with("http") && !l.starts_with('#')).collect();
    assert!(local.len() > 3, "{local:?}");
    for link in local {
        assert!(root.join(link).exists(), "{link}");
    }
}

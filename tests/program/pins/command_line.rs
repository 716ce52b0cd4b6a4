//! Flags and verbs, the sandbox's switches, exit codes.

use super::pinned::{pages, pin};
use clap::{Arg, Command, CommandFactory};
use lapel::cli::{Cli, exit};
use lapel::sandbox::GAPS;
use std::collections::BTreeMap;
use std::fs;

/// Every verb below a command, with all that can be typed behind it.
fn walk(command: &Command, path: &str, out: &mut Vec<String>) {
    out.push(path.to_owned());
    out.extend(command.get_all_aliases().map(|alias| format!("{path} (alias {alias})")));
    for argument in command.get_arguments().filter(|a| a.get_id() != "help" && a.get_id() != "version") {
        out.extend(spelled(argument).into_iter().map(|line| format!("{path} {line}")));
    }
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        walk(verb, &format!("{path} {}", verb.get_name()), out);
    }
}

/// An argument: how it is written, what it takes, what holds without it.
fn spelled(argument: &Arg) -> Vec<String> {
    let action = argument.get_action();
    let values = argument.get_value_names().unwrap_or_default().join(" ");
    let name = argument.get_long().map_or_else(|| format!("<{values}>"), |long| format!("--{long}"));
    let mut lines = Vec::new();
    let repeated = if matches!(action, clap::ArgAction::Append) { " (repeatable)" } else { "" };
    let taken = if action.takes_values() && argument.get_long().is_some() {
        format!(" <{values}>")
    } else {
        String::new()
    };
    lines.push(format!("{name}{taken}{repeated}"));
    lines.extend(argument.get_short().map(|short| format!("{name} (short -{short})")));
    let aliases = argument.get_all_aliases().unwrap_or_default();
    lines.extend(aliases.iter().map(|alias| format!("{name} (alias --{alias})")));
    let shorts = argument.get_all_short_aliases().unwrap_or_default();
    lines.extend(shorts.iter().map(|short| format!("{name} (alias -{short})")));
    if action.takes_values() {
        for value in argument.get_possible_values() {
            lines.extend(value.get_name_and_aliases().map(|word| format!("{name} = {word}")));
        }
    }
    if action.takes_values() {
        let defaults = argument.get_default_values().iter();
        lines.extend(defaults.map(|value| format!("{name} (default {})", value.to_string_lossy())));
    }
    lines
}

#[test]
fn flags_and_verbs() {
    let mut command = Cli::command();
    command.build();
    let mut lines = Vec::new();
    walk(&command, "lapel", &mut lines);
    let known = [
        "lapel jobs use-up",
        "lapel jobs show <JOB>",
        "lapel jobs show --rows = not_seen",
        "lapel issue --on-duplicate = allow",
        "lapel --theme = high-contrast",
    ];
    pin("flags-and-verbs", &known, lines);
}

/// `lapel sandbox --set NAME=VALUE`.
#[test]
fn switches_of_the_sandbox() {
    let lines = GAPS.iter().flat_map(|gap| {
        let values = gap.values.iter().map(|(value, _)| format!("{} = {value}", gap.name));
        values.chain([format!("{} (default {})", gap.name, gap.default)])
    });
    pin("sandbox-switches", &["waiting-history = hidden"], lines);
}

/// The constants: number by number, with the meaning of each. A larger one counts for more, so the order is a promise.
const CODES: [(u8, &str); 6] = [
    (exit::OK, "as asked"),
    (exit::FAILED, "tried, and it failed"),
    (exit::USAGE, "not tried"),
    (exit::PERSON, "rows need attention"),
    (exit::STOPPED, "stopped before the end"),
    (exit::DOUBT, "in doubt"),
];

#[test]
fn exit_codes() {
    let lines = CODES.iter().map(|(code, meaning)| format!("{code} {meaning}"));
    pin("exit-codes", &["5 in doubt"], lines);
    assert!(CODES.is_sorted_by(|one, other| one.0 < other.0), "where two apply, the larger one counts");
}

/// Every table under `| Exit code |`, in README.md and docs/, has the numbers of the program.
#[test]
fn exit_codes_of_the_readme() {
    let pages = pages();
    assert!(pages[0].contains("\n| Exit code "), "README.md has no table of exit codes");
    let mut tables = Vec::new();
    for page in &pages {
        let mut lines = page.lines().skip_while(|line| !line.starts_with("| Exit code "));
        if lines.next().is_none() {
            continue;
        }
        assert!(lines.next().is_some_and(|line| line.starts_with("|---")));
        let table: BTreeMap<u8, &str> = lines
            .map_while(|line| {
                let (code, meaning) = line.strip_prefix("| ")?.split_once(" | ")?;
                Some((code.trim().parse().expect("a number"), meaning))
            })
            .collect();
        tables.push(table);
    }
    for table in &tables {
        let numbers: Vec<u8> = table.keys().copied().collect();
        assert_eq!(numbers, CODES.map(|(code, _)| code));
        assert!(table.values().all(|meaning| meaning.len() > 5), "each is explained");
    }
    // A code that is in the program and not in the list above would be one that nothing tells about.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/exit.rs");
    let source = fs::read_to_string(path).expect("the module of exit codes");
    assert_eq!(source.matches("pub const ").count(), CODES.len());
}

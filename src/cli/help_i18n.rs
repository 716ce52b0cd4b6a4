//! The help in the user's language, from the English text at the flags and verbs. Completions stay English.

use super::{Cli, help};
use crate::cli::prelude::*;
use crate::i18n::{Language, in_language, language};
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;

/// The sandbox has its own texts.
const SANDBOX: &str = "sandbox";
/// Clap's own help layout, with the heading of the usage translatable.
const LAYOUT: &str = "{before-help}{about-with-newline}\n\u{1b}[1m\u{1b}[4m{usage}\u{1b}[0m ";

/// The error is help, the version, or a mistake in the user's language, ready to print.
pub(super) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    if language() == Language::English {
        return Cli::try_parse_from(args);
    }
    let mut command = worded(whole(), &mut |english| in_language(language(), english).to_owned());
    let matches = command.try_get_matches_from_mut(args);
    let read = matches.and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    read.map_err(|error| error.format(&mut command))
}

/// The command line including clap's own flags and the verb `help`.
fn whole() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn worded(mut command: Command, say: &mut dyn FnMut(&str) -> String) -> Command {
    let mut said = |text: Option<&StyledStr>| Some(help::worded(&text?.to_string(), say));
    if let Some(text) = said(command.get_about()) {
        command = command.about(text);
    }
    if command.get_name() == SANDBOX {
        return command;
    }
    if let Some(text) = said(command.get_long_about()) {
        command = command.long_about(text);
    }
    if let Some(text) = said(command.get_after_help()) {
        command = command.after_help(text);
    }
    if let Some(text) = said(command.get_after_long_help()) {
        command = command.after_long_help(text);
    }
    let usage = LAYOUT.replace("{usage}", &format!("{}:", t!("Usage")));
    command
        .help_template(format!("{usage}{{usage}}\n\n{{all-args}}{{after-help}}"))
        .subcommand_help_heading(t!("Commands"))
        .mut_args(|argument| argument_worded(argument, say))
        .mut_subcommands(|inner| worded(inner, say))
}

fn argument_worded(argument: Arg, say: &mut dyn FnMut(&str) -> String) -> Arg {
    // Clap would add these in English.
    let has_values = !argument.is_hide_possible_values_set() && argument.get_action().takes_values();
    let mut values = String::new();
    if has_values && !argument.get_possible_values().is_empty() {
        let all = argument.get_possible_values();
        let all = list(all.iter().map(clap::builder::PossibleValue::get_name));
        values = format!(" {}", t!("[possible values: {values}]", values = all));
    }
    let mut said = |text: &StyledStr| format!("{}{values}", help::worded(&text.to_string(), say));
    let (short, long) = (argument.get_help().map(&mut said), argument.get_long_help().map(said));
    let mut argument = argument.hide_possible_values(true);
    if let Some(heading) = heading(argument.get_help_heading(), argument.is_positional()) {
        argument = argument.help_heading(heading);
    }
    if let Some(short) = short {
        argument = argument.help(short);
    }
    if let Some(long) = long {
        argument = argument.long_help(long);
    }
    argument
}

fn heading(said: Option<&str>, is_positional: bool) -> Option<&'static str> {
    Some(match said {
        None if is_positional => t!("Arguments"),
        None => t!("Options"),
        Some("Filters") => t!("Filters"),
        Some("Output") => t!("Output"),
        Some("Pages") => t!("Pages"),
        Some("Reading a file") => t!("Reading a file"),
        Some("Sending") => t!("Sending"),
        Some("Settings") => t!("Settings"),
        Some(_) => return None,
    })
}

#[cfg(test)]
pub(crate) fn texts() -> std::collections::BTreeSet<String> {
    let mut all = std::collections::BTreeSet::new();
    worded(whole(), &mut |english| {
        all.insert(english.to_owned());
        english.to_owned()
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::translated;
    use unicode_width::UnicodeWidthStr;

    /// Clap wraps the lines that it lays out itself. All others were wrapped by hand, and Hangul is wider.
    #[test]
    fn what_is_laid_out_by_hand_fits_an_80_column_terminal_in_korean_too() {
        let by_hand: Vec<String> = texts().into_iter().filter(|text| text.contains('\n')).collect();
        assert!(by_hand.len() > 10, "{}", by_hand.len());
        let beside = [help::NO_KEY_FLAG, help::HOW_TO_BEGIN].map(str::to_owned);
        for text in by_hand.into_iter().chain(beside) {
            for line in translated(Language::Korean, &text).expect("it has its Korean").lines() {
                assert!(line.width() <= 79, "{line}");
            }
        }
    }
}

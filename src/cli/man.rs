//! The manual page, generated from the command line's definition.

use super::{Cli, exit, output};
use crate::domain::io_error;
use clap::CommandFactory;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

pub fn man() -> u8 {
    let mut page = Vec::new();
    match write_page(&mut page) {
        Ok(()) => output::ended(output::print(&page), exit::OK),
        Err(why) => {
            output::complain(&t!("cannot create the manual page: {why}", why = io_error::words(&why)));
            exit::FAILED
        }
    }
}

fn write_page(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    // The page uses only the long description of arguments that the short help hides.
    let described =
        command.clone().mut_args(|argument| match (argument.get_help(), argument.get_long_help()) {
            (Some(help), None) => {
                let help = help.clone();
                argument.long_help(help)
            }
            _ => argument,
        });
    let man = clap_mangen::Man::new(described);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    roff.to_writer(page)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        write_verb(verb, page)?;
    }
    man.render_extra_section(page)?;
    Ok(())
}

fn write_verb(verb: &clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    let mut verb = verb.clone().disable_help_flag(true);
    let mut roff = Roff::new();
    roff.control("SS", [verb.get_bin_name().unwrap_or(verb.get_name())]);
    let about = verb.get_long_about().or(verb.get_about()).map(ToString::to_string).unwrap_or_default();
    roff.text([roman(about)]);
    roff.control("PP", []);
    roff.text([bold(verb.render_usage().to_string().trim_start_matches("Usage: ").to_owned())]);
    for argument in verb.get_arguments().filter(|a| !a.is_hide_set() && a.get_id() != "help") {
        roff.control("TP", []);
        let value = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
        let value = value.collect::<Vec<_>>().join(" ");
        roff.text(match argument.get_long() {
            Some(long) if argument.get_action().takes_values() => {
                vec![bold(format!("--{long}")), roman(format!(" {value}"))]
            }
            Some(long) => vec![bold(format!("--{long}"))],
            None => vec![bold(value)],
        });
        roff.text([roman(argument.get_help().map(ToString::to_string).unwrap_or_default())]);
    }
    roff.to_writer(page)?;
    let inner: Vec<clap::Command> =
        verb.get_subcommands().filter(|verb| verb.get_name() != "help").cloned().collect();
    inner.iter().try_for_each(|verb| write_verb(verb, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(command: &clap::Command, all: &mut Vec<String>) {
        all.extend(command.get_subcommands().map(|verb| verb.get_name().to_owned()));
        all.extend(command.get_arguments().filter_map(clap::Arg::get_long).map(|long| format!("--{long}")));
        command.get_subcommands().for_each(|verb| names(verb, all));
    }

    fn all() -> Vec<String> {
        let mut all = Vec::new();
        names(&Cli::command(), &mut all);
        all
    }

    fn undescribed(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        if command.get_about().is_none_or(|about| about.to_string().trim().is_empty()) {
            found.push(path.to_owned());
        }
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            if argument.get_help().is_none_or(|help| help.to_string().trim().is_empty()) {
                found.push(format!("{path} {argument}"));
            }
        }
        for verb in command.get_subcommands() {
            undescribed(verb, &format!("{path} {}", verb.get_name()), found);
        }
    }

    #[test]
    fn every_verb_and_argument_has_a_description() {
        let mut command = Cli::command();
        command.build();
        let mut found = Vec::new();
        undescribed(&command, "lapel", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn no_option_of_the_page_is_without_a_description() {
        let mut page = Vec::new();
        write_page(&mut page).expect("a page");
        let page = String::from_utf8(page).expect("UTF-8");
        let lines: Vec<&str> = page.lines().collect();
        let mut options = 0;
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| **line == ".TP") {
            let (name, text) = (lines.get(at + 1).copied(), lines.get(at + 2).copied());
            let is_text = text.is_some_and(|text| !text.trim().is_empty() && !text.starts_with('.'));
            assert!(is_text, "{line} {name:?} {text:?}");
            options += 1;
        }
        assert!(options > 150, "{options}");
    }

    #[test]
    fn the_manual_page_names_every_verb_and_flag() {
        let mut page = Vec::new();
        write_page(&mut page).expect("a page");
        let page = String::from_utf8(page).expect("UTF-8").replace("\\-", "-");
        assert!(page.contains(".TH lapel 1"), "{page}");
        for name in all() {
            assert!(page.contains(&name), "{name} is missing");
        }
        for verb in ["lapel profile add", "lapel jobs resume", "LAPEL_CONFIG_DIR"] {
            assert!(page.contains(verb), "{verb} is missing");
        }
    }
}

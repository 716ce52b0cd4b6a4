//! Shell completions and the manual page, both generated from the command line's definition.

use super::{Cli, exit, output};
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, ErrorKind, Write};

pub fn completions(shell: Shell) -> u8 {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "lapel", &mut script);
    printed(&script)
}

pub fn man() -> u8 {
    let mut page = Vec::new();
    match write_page(&mut page) {
        Ok(()) => printed(&page),
        Err(why) => {
            output::complain(&t!("cannot create the manual page: {why}", why));
            exit::FAILED
        }
    }
}

/// Writes one page: the program, then each verb with its arguments.
fn write_page(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let man = clap_mangen::Man::new(command.clone());
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
        match argument.get_long() {
            Some(long) if argument.get_action().takes_values() => {
                roff.text([bold(format!("--{long}")), roman(format!(" {value}"))]);
            }
            Some(long) => {
                roff.text([bold(format!("--{long}"))]);
            }
            None => {
                roff.text([bold(value)]);
            }
        }
        roff.text([roman(argument.get_help().map(ToString::to_string).unwrap_or_default())]);
    }
    roff.to_writer(page)?;
    let inner: Vec<clap::Command> =
        verb.get_subcommands().filter(|verb| verb.get_name() != "help").cloned().collect();
    inner.iter().try_for_each(|verb| write_verb(verb, page))
}

fn printed(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A closed pipe is no error: the reader has read enough.
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            output::complain(&t!("cannot write the output: {why}", why));
            exit::FAILED
        }
        _ => exit::OK,
    }
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

    #[test]
    fn every_shell_completes_every_verb_and_flag() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let mut script = Vec::new();
            generate(shell, &mut Cli::command(), "lapel", &mut script);
            let script = String::from_utf8(script).expect("UTF-8");
            for name in all() {
                // Fish names flags without their dashes.
                let name = if shell == Shell::Fish { name.trim_start_matches('-') } else { &name };
                assert!(script.contains(name), "{shell} does not know {name}");
            }
        }
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

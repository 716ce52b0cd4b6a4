//! The definition of the command line, and what lapel derives from the parsed flags.

use super::failure::command_line_is_wrong;
use super::flags::{AppearanceFlags, ProfileFlags, whole, whole_from};
use super::index::IndexFlags;
use super::journal::JournalFlags;
use super::profile::ProfileVerbs;
use super::read::ReadVerb;
use super::verbs::{DoctorFlags, IssueFlags, JobsFlags, RevokeFlags};
use super::{completion, help};
use crate::cli::prelude::*;
use crate::config::Flags;
use crate::i18n::{Language, language, set_language_for_programs};
use crate::sandbox;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use clap_complete::env::CompleteEnv;
use std::ffi::OsString;
use std::net::SocketAddr;

/// A terminal client for a Digital Badge Issuing Service.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "lapel",
    version,
    about = "A terminal client for a Digital Badge Issuing Service",
    long_about = help::ABOUT,
    after_help = help::SHORT,
    after_long_help = help::LONG,
    max_term_width = 79
)]
pub struct Cli {
    /// What to do; without it, the TUI opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub who: ProfileFlags,
    #[command(flatten)]
    pub appearance: AppearanceFlags,
    #[command(flatten)]
    pub first: FirstFlags,
    /// Send text that looks like an API key but is not one
    #[arg(long, global = true)]
    pub not_a_key: bool,
}

/// With what the TUI begins, in place of how it ended the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Settings")]
pub struct FirstFlags {
    /// The tab to open first, such as history
    #[arg(long, value_name = "TAB")]
    pub tab: Option<String>,
    /// Filter for the tab, such as title=Python; repeatable
    #[arg(long, value_name = "FIELD=X")]
    pub filter: Vec<String>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Open the app with a private sandbox: all data is made up
    #[command(long_about = help::DEMO, after_help = help::DEMO_EXAMPLES)]
    Demo(DemoFlags),
    /// Learn lapel in five steps in a private sandbox
    #[command(long_about = help::TOUR)]
    Tour {
        #[command(flatten)]
        appearance: AppearanceFlags,
    },
    // No doc comment: it would replace the sandbox's own description, which is longer and better. The sandbox uses no
    // other module, so the limits of its numbers are here.
    #[command(
        mut_arg("listen", |arg| arg.value_parser(listen)),
        mut_arg("seed", |arg| arg.value_parser(whole_from(0_u64))),
        mut_arg("history", |arg| arg.value_parser(whole(0_u64, MOST_HISTORY))),
        mut_arg("speed", |arg| arg.value_parser(speed)),
        mut_arg("rate_limit", |arg| arg.value_parser(whole_from(0_u32))),
        mut_arg("quota", |arg| arg.value_parser(whole_from(0_u64))),
    )]
    Sandbox(sandbox::SandboxFlags),
    /// Issue badges to one recipient or to a file of recipients
    #[command(long_about = help::ISSUE, after_help = help::ISSUE_EXAMPLES)]
    Issue(Box<IssueFlags>),
    /// Revoke badges by id
    #[command(long_about = help::REVOKE, after_help = help::REVOKE_EXAMPLES)]
    Revoke(Box<RevokeFlags>),
    /// Manage jobs and their results
    #[command(long_about = help::JOBS, after_help = help::JOBS_EXAMPLES)]
    Jobs(JobsFlags),
    /// The journal: status, backup, and setting up a team's
    #[command(long_about = help::JOURNAL, after_help = help::JOURNAL_EXAMPLES)]
    Journal(JournalFlags),
    /// The local copy of the history: status, build, purge
    #[command(long_about = help::INDEX, after_help = help::INDEX_EXAMPLES)]
    Index(IndexFlags),
    #[command(flatten)]
    Read(ReadVerb),
    /// Show observed service behaviour and check the journal
    #[command(long_about = help::DOCTOR, after_help = help::DOCTOR_EXIT)]
    Doctor(DoctorFlags),
    /// Profiles and their keys: list, add, edit, remove, test
    #[command(long_about = help::PROFILE, after_help = help::PROFILE_EXAMPLES)]
    Profile(ProfileVerbs),
    /// Show files, settings, terminal and build details
    #[command(long_about = help::INFO)]
    Info {
        /// Print one line of JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        who: ProfileFlags,
        #[command(flatten)]
        appearance: AppearanceFlags,
    },
    /// Print a shell completion script
    #[command(after_help = help::COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page in man format
    #[command(after_help = help::MAN_EXAMPLES)]
    Man,
    /// Check the API key with the service
    #[command(long_about = help::PING, after_help = help::PING_EXAMPLES)]
    Ping {
        /// Print one line of JSON, also on failure
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        who: ProfileFlags,
    },
}

/// Maximum number of badges in the history of the sandbox.
const MOST_HISTORY: u64 = 20_000_000;

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DemoFlags {
    /// Number of badges in the history; a million starts in seconds
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0_u64, MOST_HISTORY))]
    pub history: Option<u64>,
    /// Speed of the service's clock compared with real time; 0 stops it [default: 60]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = speed)]
    pub speed: Option<f64>,
    /// Seed of the made-up data; the same seed gives the same people and badges
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_from(0_u64))]
    pub seed: Option<u64>,
    /// Read-only: issuing and revoking are disabled
    #[arg(long, help_heading = "Settings")]
    read_only: bool,
    #[command(flatten)]
    appearance: AppearanceFlags,
    #[command(flatten)]
    first: FirstFlags,
}

/// The profile, whether a program reads the output, and the texts of [`Cli::texts`].
type GivenFlags<'a> = (Option<&'a ProfileFlags>, bool, Vec<&'a str>);

impl Cli {
    /// What many verbs take.
    fn given(&self) -> GivenFlags<'_> {
        match &self.command {
            Some(Command::Ping { who, json } | Command::Info { who, json, .. }) => {
                (Some(who), *json, Vec::new())
            }
            Some(Command::Issue(verb)) => (Some(&verb.who), verb.sending.json, verb.texts().collect()),
            Some(Command::Revoke(verb)) => (Some(&verb.who), verb.sending.json, verb.texts().collect()),
            Some(Command::Read(verb)) => (Some(verb.who()), verb.wants_json(), verb.texts()),
            Some(Command::Doctor(verb)) => (Some(&verb.who), verb.json, Vec::new()),
            Some(
                Command::Jobs(JobsFlags { global, .. })
                | Command::Index(IndexFlags { global, .. })
                | Command::Journal(JournalFlags { global, .. }),
            ) => (None, global.json, Vec::new()),
            Some(Command::Profile(verbs)) => (None, verbs.json, verbs.texts()),
            Some(Command::Sandbox(flags)) => (None, flags.json, Vec::new()),
            Some(Command::Demo(demo)) => {
                (None, false, demo.first.filter.iter().map(String::as_str).collect())
            }
            Some(Command::Tour { .. } | Command::Completions { .. } | Command::Man) | None => {
                GivenFlags::default()
            }
        }
    }

    /// The settings that the flags give, before or after the verb. A flag after the verb takes precedence.
    pub fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.appearance.add_to(&mut flags);
        [Some(&self.who), self.given().0].into_iter().flatten().for_each(|who| who.add_to(&mut flags));
        match &self.command {
            Some(Command::Jobs(verb)) => {
                verb.global.add_to(&mut flags);
                flags.read_only |= verb.read_only;
            }
            Some(
                Command::Index(IndexFlags { global, .. }) | Command::Journal(JournalFlags { global, .. }),
            ) => global.add_to(&mut flags),
            Some(Command::Demo(demo)) => {
                flags.read_only |= demo.read_only;
                demo.appearance.add_to(&mut flags);
            }
            Some(Command::Tour { appearance } | Command::Info { appearance, .. }) => {
                appearance.add_to(&mut flags);
            }
            _ => {}
        }
        flags
    }

    /// A program that reads the output gets English, so that the same call gives the same output everywhere.
    pub fn is_for_programs(&self) -> bool {
        self.given().1
    }

    /// Typed texts that lapel sends to the service unchanged or keeps in a profile.
    pub fn texts(&self) -> Vec<&str> {
        self.first.filter.iter().map(String::as_str).chain(self.given().2).collect()
    }

    /// The tab and filter that the TUI begins with. A flag after `demo` takes precedence.
    pub fn first(&self) -> Result<FirstFlags, String> {
        let mut first = self.first.clone();
        match &self.command {
            None => {}
            Some(Command::Demo(demo)) => {
                first.tab = demo.first.tab.clone().or(first.tab);
                if !demo.first.filter.is_empty() {
                    first.filter.clone_from(&demo.first.filter);
                }
            }
            Some(_) if first == FirstFlags::default() => {}
            Some(_) => {
                return Err(t!("--tab and --filter work only with lapel and lapel demo. Nothing was done.")
                    .to_owned());
            }
        }
        Ok(first)
    }
}

/// Returns whether the shell asked for a completion.
pub fn complete() -> bool {
    if std::env::var_os(completion::VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return false;
    }
    let folder = std::env::current_dir().ok();
    // A failure has no place to be shown: the user is in the middle of a command line.
    let _ = CompleteEnv::with_factory(Cli::command)
        .var(completion::VARIABLE)
        .completer("lapel")
        .try_complete(std::env::args_os(), folder.as_deref());
    true
}

/// The error is the exit code, after the help, the version or the mistake was printed.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, u8> {
    let args: Vec<OsString> = args.into_iter().collect();
    let as_json = args.iter().any(|arg| arg == "--json");
    if as_json {
        set_language_for_programs();
    }
    let cli = super::help_i18n::read(args).map_err(|error| {
        if is_about_a_key(&error) {
            let why = crate::i18n::tr(help::NO_KEY_FLAG);
            output::complain(why);
            return command_line_is_wrong(why, as_json);
        }
        match super::clap_errors::in_words(&error) {
            Some(said) if language() != Language::English => output::note(&said),
            // A failed write is ignored: help piped into `head` is no failure.
            _ => drop(error.print()),
        }
        let code = u8::try_from(error.exit_code()).unwrap_or(exit::USAGE);
        if code != exit::OK {
            // The usage and the hints after it are for people.
            let text = error.to_string();
            let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            command_line_is_wrong(what, as_json);
        }
        code
    })?;
    if cli.is_for_programs() {
        set_language_for_programs();
    }
    Ok(cli)
}

fn is_about_a_key(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::UnknownArgument
        && matches!(
            error.get(ContextKind::InvalidArg),
            Some(ContextValue::String(arg)) if is_key_flag(arg)
        )
}

fn is_key_flag(arg: &str) -> bool {
    let name: String =
        arg.split('=').next().unwrap_or_default().chars().filter(char::is_ascii_alphabetic).collect();
    ["apikey", "key", "lapelapikey", "xapikey", "token", "secret", "password"]
        .contains(&name.to_ascii_lowercase().as_str())
}

fn speed(raw: &str) -> Result<f64, String> {
    match raw.parse::<f64>() {
        Ok(speed) if (0.0..=1e7).contains(&speed) => Ok(speed),
        _ => Err(t!("it must be a number from 0 to 10,000,000, such as 60").to_owned()),
    }
}

fn listen(raw: &str) -> Result<SocketAddr, String> {
    let address = raw.replacen("localhost", "127.0.0.1", 1).parse();
    address.map_err(|_| t!("it must be an IP address with a port, such as 127.0.0.1:8080").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{GlyphChoice, PictureChoice, ThemeChoice};

    fn read(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn settings_stand_before_or_after_the_verb() {
        for line in ["lapel --profile uni --read-only ping", "lapel ping --read-only --profile uni"] {
            let flags = read(line).expect(line).flags();
            assert_eq!(flags.profile.as_deref(), Some("uni"));
            assert!(flags.read_only);
        }
        let flags = read("lapel --profile one ping --profile two").expect("two").flags();
        assert_eq!(flags.profile.as_deref(), Some("two"), "the nearer one wins");
        let flags =
            read("lapel --theme dark demo --theme none --glyphs ascii --read-only").expect("a demo").flags();
        assert_eq!((flags.theme, flags.glyphs), (Some(ThemeChoice::None), Some(GlyphChoice::Ascii)));
        assert!(flags.read_only);
        let flags = read("lapel --pictures none demo --pictures sixel").expect("a demo").flags();
        assert_eq!(flags.pictures, Some(PictureChoice::Sixel));
        assert!(read("lapel --pictures png").is_err());
        let flags = read("lapel --theme light --glyphs ascii").expect("no verb is needed").flags();
        assert_eq!((flags.theme, flags.glyphs), (Some(ThemeChoice::Light), Some(GlyphChoice::Ascii)));
    }

    /// For every flag and argument with a value: what lapel says about a value that is none.
    #[test]
    fn a_wrong_number_is_explained_in_lapels_own_words() {
        fn visit(command: &clap::Command, path: &[String], said: &mut Vec<(String, String)>) {
            for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
                for value in ["abc", "99999999999999999999999"] {
                    let flag = arg.get_long().map(|long| format!("--{long}"));
                    let line = path.iter().cloned().chain(flag).chain([value.to_owned()]);
                    if let Err(error) = Cli::try_parse_from(line) {
                        said.push((
                            format!("{} {} {value}", path.join(" "), arg.get_id()),
                            error.to_string(),
                        ));
                    }
                }
            }
            for inner in command.get_subcommands() {
                visit(inner, &[path, &[inner.get_name().to_owned()]].concat(), said);
            }
        }
        let mut said = Vec::new();
        visit(&Cli::command(), &["lapel".to_owned()], &mut said);
        assert!(said.len() > 50, "{}", said.len());
        for (of, text) in said {
            for own in ["found in string", "is not in ", "too large to fit", "invalid float"] {
                assert!(!text.contains(own), "{of}: {text}");
            }
        }
        for (line, why) in [
            ("lapel sandbox --rate-limit abc", "it must be a whole number, 0 or more"),
            ("lapel sandbox --history 20000001", "it must be a whole number from 0 to 20,000,000"),
            ("lapel sandbox --seed -1", "it must be a whole number, 0 or more"),
            ("lapel demo --seed -1", "it must be a whole number, 0 or more"),
            ("lapel demo --speed -1", "it must be a number from 0 to 10,000,000"),
            ("lapel sandbox --speed -1", "it must be a number from 0 to 10,000,000"),
            ("lapel sandbox --listen nonsense", "it must be an IP address with a port"),
        ] {
            let said = read(line).expect_err(line).to_string();
            assert!(said.contains(why), "{line}: {said}");
        }
        read("lapel sandbox --listen localhost:0 --seed 3 --speed 0.5 --rate-limit 9 --history 5 --quota 2")
            .expect("a sandbox");
    }

    #[test]
    fn the_demo_takes_its_three_figures() {
        let cli = read("lapel demo --history 1000000 --speed 0.5 --seed 7").expect("a demo");
        let Some(Command::Demo(flags)) = cli.command else { panic!("not a demo") };
        assert_eq!((flags.history, flags.speed, flags.seed), (Some(1_000_000), Some(0.5), Some(7)));
        for line in [
            "lapel demo --speed 1e8",
            "lapel demo --speed -1",
            "lapel demo --speed inf",
            "lapel demo --speed nan",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn no_flag_takes_a_key() {
        for flag in ["--api-key", "--api-key=x", "--key", "--apikey", "--token", "--LAPEL_API_KEY=x"] {
            let error = read(&format!("lapel {flag}")).expect_err(flag);
            assert!(is_about_a_key(&error), "{flag}: {error}");
        }
        assert!(!is_about_a_key(&read("lapel --keys").expect_err("unknown")));
        let takes_a_key = |command: &clap::Command| {
            command
                .get_arguments()
                .any(|a| a.get_long().is_some_and(is_key_flag) || a.get_long() == Some("api-key"))
        };
        let mut command = Cli::command();
        command.build();
        assert!(!takes_a_key(&command));
        assert!(!command.get_subcommands().any(takes_a_key));
    }
}

//! Completion of the command line, with the profiles, jobs and templates of this computer.
//!
//! The shell runs lapel for each completion. lapel then reads the settings and the journal and sends no
//! request. A mistake, a locked journal or no journal only mean fewer words.

use crate::cli::prelude::*;
use crate::config::{profiles_with_templates, templates_file};
use crate::jobs::{RecentEntry, known_templates, recent_jobs, recent_templates};
use crate::secrets::redact;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use std::ffi::OsStr;
use std::io;

/// The variable with which the script of [`completions`] runs lapel.
pub(super) const VARIABLE: &str = "_LAPEL_COMPLETE";
/// Maximum length of a remark beside a word, in characters.
const REMARK: usize = 60;

pub fn completions(shell: Shell) -> u8 {
    let mut script = Vec::new();
    let written = Shells::builtins()
        .completer(&shell.to_string())
        .ok_or_else(|| io::Error::other(shell.to_string()))
        .and_then(|shell| shell.write_registration(VARIABLE, "lapel", "lapel", "lapel", &mut script));
    output::ended(written.and_then(|()| output::print(&script)), exit::OK)
}

pub(super) fn of_profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = known().map(|(paths, env)| profiles(&paths, &env).unwrap_or_default());
        all.unwrap_or_default().iter().filter_map(|line| candidate(&line.name, "")).collect()
    })
}

pub(super) fn of_jobs() -> ArgValueCandidates {
    of_jobs_that(|_| true)
}

/// The jobs that a command can do something with.
pub(super) fn of_jobs_that(is_for: fn(&Job) -> bool) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        candidates(recent(|data, profile| recent_jobs(data, profile, is_for)).iter())
    })
}

pub(super) fn of_template_ids() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(recent(issued_and_read).iter()))
}

/// Ids, and titles where the typed word begins no id.
pub(super) fn of_templates() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let shell = std::env::var(VARIABLE).unwrap_or_default();
        templates(&recent(issued_and_read), &typed.to_string_lossy(), &shell)
    })
}

fn candidates<'e>(found: impl Iterator<Item = &'e RecentEntry>) -> Vec<CompletionCandidate> {
    found.filter_map(|one| candidate(&one.id, &one.title)).collect()
}

fn templates(known: &[RecentEntry], typed: &str, shell: &str) -> Vec<CompletionCandidate> {
    let ids = candidates(known.iter().filter(|one| one.id.starts_with(typed)));
    if !ids.is_empty() {
        return ids;
    }
    // Most shells give the word as it was typed, `Python\ F` or `"Python F`.
    let typed: String = typed.chars().filter(|c| !matches!(c, '\\' | '"' | '\'')).collect();
    let typed = typed.to_lowercase();
    let titled: Vec<&RecentEntry> =
        known.iter().filter(|one| one.title.to_lowercase().starts_with(&typed)).collect();
    let takes_id = match shell {
        "powershell" => true,
        // An id needs no quotes, and `"Python` has some already.
        "bash" => titled.len() == 1,
        // The others drop words that do not begin as the typed one.
        _ => false,
    };
    if takes_id {
        return candidates(titled.into_iter());
    }
    let title = |one: &&RecentEntry| {
        // Only titles of plain words. The other shells quote the spaces themselves.
        candidate(&one.title.replace(' ', "_"), &one.id)?;
        let word = if shell == "bash" { one.title.replace(' ', "\\ ") } else { one.title.clone() };
        Some(CompletionCandidate::new(word).help(Some(scrub(&one.id).into_owned().into())))
    };
    titled.iter().filter_map(title).collect()
}

/// The templates that were issued last, then those that were only read.
fn issued_and_read(data: &Path, profile: Option<&str>) -> Vec<RecentEntry> {
    let issued = recent_templates(data, profile);
    let names = profile.map_or_else(|| profiles_with_templates(data), |name| vec![name.to_owned()]);
    let read = names.iter().flat_map(|name| known_templates(&templates_file(data, name)));
    let read: Vec<RecentEntry> = read.filter(|one| issued.iter().all(|other| other.id != one.id)).collect();
    [issued, read].concat()
}

fn recent(read: impl Fn(&Path, Option<&str>) -> Vec<RecentEntry>) -> Vec<RecentEntry> {
    let Some((paths, env)) = known() else { return Vec::new() };
    let profile = profile(&paths, &env);
    read(&paths.data_dir, profile.as_deref())
}

fn known() -> Option<(Paths, Env)> {
    let env = Env::process();
    Some((Paths::find(&env).ok()?, env))
}

/// `None`: all profiles.
fn profile(paths: &Paths, env: &Env) -> Option<String> {
    let words: Vec<String> = std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let flag = words.iter().enumerate().rev().find_map(|(at, word)| match word.strip_prefix("--profile") {
        Some("") => words.get(at + 1).cloned(),
        Some(rest) => rest.strip_prefix('=').map(str::to_owned),
        None => None,
    });
    let flag = flag.filter(|name| !name.is_empty()).or_else(|| env.text("LAPEL_PROFILE").ok().flatten());
    if flag.is_some() || env.text("LAPEL_BASE_URL").ok().flatten().is_some() {
        return flag;
    }
    let all = profiles(paths, env).ok()?;
    all.into_iter().find(|line| line.is_default).map(|line| line.name)
}

/// Only words that every shell takes unquoted: ids come from the service, and a shell could run them.
fn candidate(word: &str, remark: &str) -> Option<CompletionCandidate> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if word.is_empty() || word.starts_with('-') || !word.chars().all(is_plain) || redact(word) != word {
        return None;
    }
    let remark: String = scrub(&redact(remark)).chars().take(REMARK).collect();
    Some(CompletionCandidate::new(word).help((!remark.is_empty()).then(|| remark.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;
    use clap_complete::engine;
    use std::ffi::OsString;

    #[test]
    fn only_plain_words_are_offered() {
        for word in ["uni", "TPL-001", "기관_1", "12"] {
            assert!(candidate(word, "").is_some(), "{word}");
        }
        for word in ["", "-x", "a b", "$(reboot)", "a;b", "`b`", "a\u{1b}b", "*", "a'b", "~", "a&b"] {
            assert!(candidate(word, "").is_none(), "{word}");
        }
        let help =
            candidate("1", "a\u{1b}[31m\nb").expect("a candidate").get_help().expect("help").to_string();
        assert!(!help.contains(char::is_control), "{help:?}");
    }

    #[test]
    fn a_title_is_completed_where_no_id_begins_so() {
        let known = [
            ("TPL-001", "Python Foundations"),
            ("TPL-002", "Python Advanced"),
            ("TPL-003", "데이터 시각화"),
            ("TPL-004", "Rust $(reboot)"),
            ("Pygmy", "Small"),
        ];
        let known = known.map(|(id, title)| RecentEntry { id: id.to_owned(), title: title.to_owned() });
        let offered = |typed: &str, shell: &str| -> Vec<String> {
            let found = templates(&known, typed, shell);
            found.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
        };
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            assert_eq!(offered("TPL-00", shell).len(), 4, "{shell}");
            assert_eq!(offered("Py", shell), ["Pygmy"], "{shell}: an id comes first");
            assert!(offered("nothing", shell).is_empty(), "{shell}");
        }
        assert_eq!(offered("pyt", "fish"), ["Python Foundations", "Python Advanced"]);
        assert_eq!(offered("Python\\ F", "zsh"), ["Python Foundations"]);
        assert_eq!(offered("Pyt", "bash"), ["Python\\ Foundations", "Python\\ Advanced"]);
        assert_eq!(offered("\"Python F", "bash"), ["TPL-001"]);
        assert_eq!(offered("데이", "bash"), ["TPL-003"]);
        assert_eq!(offered("Pyt", "powershell"), ["TPL-001", "TPL-002"]);
        assert_eq!(offered("Rust", "fish"), [""; 0], "nothing that a shell would run");
    }

    fn words(line: &[&str]) -> Vec<String> {
        let args: Vec<OsString> = line.iter().map(Into::into).collect();
        let at = args.len() - 1;
        let found = engine::complete(&mut Cli::command(), args, at, None).expect("completed");
        found.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn every_verb_and_flag_is_completed() {
        fn walk(command: &clap::Command, path: &[&str], seen: &mut usize) {
            let line = |word| [path, &[word]].concat();
            let (verbs, flags) = (words(&line("")), words(&line("--")));
            for verb in command.get_subcommands().map(clap::Command::get_name) {
                assert!(verbs.iter().any(|word| word == verb), "{path:?} does not complete {verb}");
            }
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                let flag = format!("--{flag}");
                assert!(
                    flags.iter().any(|word| word.starts_with(&flag)),
                    "{path:?} does not complete {flag}"
                );
                *seen += 1;
            }
            for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
                walk(verb, &[path, &[verb.get_name()]].concat(), seen);
            }
        }
        let mut command = Cli::command();
        command.build();
        let mut seen = 0;
        walk(&command, &["lapel"], &mut seen);
        assert!(seen > 100, "{seen}");
    }
}

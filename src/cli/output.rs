//! Writes to standard output and standard error.

use super::{exit, help};
use crate::config::ConfigError;
use crate::secrets::redact;
use std::io::{self, ErrorKind, Write};

pub(super) fn note(what: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", redact(what));
}

pub fn complain(what: &str) {
    // A write error cannot be reported anywhere.
    let _ = writeln!(io::stderr().lock(), "lapel: {}", redact(what));
}

/// Also prints the commands that work without settings.
pub fn complain_of_settings(error: &ConfigError) {
    complain(&t!(
        "the settings have an error, so lapel did nothing.\n{error}\n(lapel demo works without settings.)",
        error = indented(&error.to_string())
    ));
}

pub fn how_to_begin() -> &'static str {
    crate::i18n::tr(help::HOW_TO_BEGIN)
}

/// # Errors
/// Any error of the system except a closed pipe: the reader has read enough.
pub(super) fn answer(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", redact(line)).and_then(|()| out.flush()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

pub(super) fn print(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A closed pipe is no error: the reader has read enough.
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            complain(&t!("cannot write the output: {why}", why));
            exit::FAILED
        }
        _ => exit::OK,
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

//! Saying things on standard output and standard error.

use super::help;
use crate::config::ConfigError;
use crate::secrets::redact;
use std::io::{self, ErrorKind, Write};

/// Says on standard error what a person should know.
pub(super) fn note(what: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", redact(what));
}

/// Says on standard error what went wrong.
pub fn complain(what: &str) {
    // Nobody is left to tell when this fails.
    let _ = writeln!(io::stderr().lock(), "lapel: {}", redact(what));
}

/// Says what is wrong with the settings and what works without them.
pub fn complain_of_settings(error: &ConfigError) {
    complain(&t!(
        "the settings have a mistake, so nothing was done.\n{error}\n(lapel demo works without settings.)",
        error = indented(&error.to_string())
    ));
}

/// What to do when no profile is configured.
pub fn how_to_begin() -> &'static str {
    crate::i18n::tr(help::HOW_TO_BEGIN)
}

/// Writes a result to standard output.
///
/// # Errors
/// What the system says, but for a reader that has stopped reading: it has seen what it wanted.
pub(super) fn answer(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

//! Writes to standard output and standard error.

use super::help;
use crate::cli::prelude::*;
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
pub(super) fn complain_of_settings(error: &ConfigError) {
    complain(&t!(
        "the settings have an error, so lapel did nothing.\n{error}\n(lapel demo works without settings.)",
        error = indented(&error.to_string())
    ));
}

pub(super) fn how_to_begin() -> &'static str {
    crate::i18n::tr(help::HOW_TO_BEGIN)
}

/// A closed pipe is no error: the reader has read enough.
pub(super) fn answer(line: &str) -> io::Result<()> {
    print(format!("{}\n", redact(line)).as_bytes())
}

pub(super) fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The exit code of a verb that ends with this output.
pub(super) fn ended(written: io::Result<()>, code: u8) -> u8 {
    match written {
        Ok(()) => code,
        Err(why) => {
            complain(&t!("cannot write the output: {why}", why));
            exit::FAILED
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

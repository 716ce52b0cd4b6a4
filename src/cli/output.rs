//! Writes to standard output and standard error.

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
            complain(&t!("cannot write the output: {why}", why = io_error::words(&why)));
            exit::FAILED
        }
    }
}

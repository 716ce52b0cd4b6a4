//! Confirmation: the user types a given text. Enter alone never confirms.

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::prompt;
use std::io::{self, Write};

pub(super) fn somebody_is_there(yes: bool, message: &str) -> Result<(), Failure> {
    if yes || prompt::somebody_is_there() {
        return Ok(());
    }
    Err(Failure::usage(message).of_kind("not_confirmed"))
}

/// As [`somebody_is_there`], before a reviewed job sends (again) with LIVE.
pub(super) fn somebody_is_there_again(yes: bool) -> Result<(), Failure> {
    somebody_is_there(
        yes,
        t!("no terminal for the confirmation: use --yes to send with a LIVE profile. Nothing was sent."),
    )
}

/// `false` for another text or at Ctrl-C.
pub(super) async fn asked(
    review: &str,
    question: &str,
    is_wanted: impl FnOnce(&str) -> bool + Send + 'static,
    interrupt: &Interrupt,
) -> bool {
    let _ = writeln!(io::stderr().lock(), "{review}");
    let question = format!("{question} ");
    let typing = tokio::task::spawn_blocking(move || {
        prompt::typed_line(&question).is_ok_and(|line| is_wanted(&line.unwrap_or_default()))
    });
    tokio::select! {
        right = typing => right.unwrap_or(false),
        () = interrupt.wanted() => false,
    }
}

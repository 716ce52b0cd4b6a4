//! Confirmation: the user types a given text. Enter alone never confirms.

use super::failure::Failure;
use super::interrupt::Interrupt;
use crate::domain::confirm_text::ConfirmText;
use std::io::{self, BufRead, IsTerminal, Read, Write};

/// Maximum length of an answer in bytes.
const LONGEST: u64 = 1000;

/// Fails when no terminal is there to ask on. `besides` adds an alternative to the message.
pub(super) fn somebody_is_there(yes: bool, what: &str, besides: &str) -> Result<(), Failure> {
    if yes || io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    Err(Failure {
        kind: "not_confirmed".to_owned(),
        ..Failure::usage(t!(
            "no terminal for the confirmation: use --yes to {what}. Nothing was sent.{besides}",
            what,
            besides
        ))
    })
}

/// Shows the review and asks the user to type the wanted text. `false` for another text or at Ctrl-C.
pub(super) async fn asked(review: &str, question: &str, wanted: ConfirmText, interrupt: &Interrupt) -> bool {
    let _ = writeln!(io::stderr().lock(), "{review}");
    let question = question.to_owned();
    let typing = tokio::task::spawn_blocking(move || typed(&question).is_ok_and(|t| wanted.is_typed(&t)));
    tokio::select! {
        right = typing => right.unwrap_or(false),
        () = interrupt.wanted() => false,
    }
}

fn typed(question: &str) -> io::Result<String> {
    let mut err = io::stderr().lock();
    write!(err, "{question} ")?;
    err.flush()?;
    drop(err);
    let mut line = String::new();
    io::stdin().lock().take(LONGEST).read_line(&mut line)?;
    Ok(line)
}

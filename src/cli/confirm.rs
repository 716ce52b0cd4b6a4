//! Confirmation: the user types a given text. Enter alone never confirms.

use super::failure::Failure;
use super::interrupt::Interrupt;
use crate::domain::confirm_text::is_typed;
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

/// Shows the review and asks the user to type each word. `false` at the first mismatch or at Ctrl-C.
pub(super) async fn asked(review: &str, words: &[(String, String)], interrupt: &Interrupt) -> bool {
    let _ = writeln!(io::stderr().lock(), "{review}");
    for (question, wanted) in words {
        let (question, wanted) = (question.clone(), wanted.clone());
        let typing =
            tokio::task::spawn_blocking(move || typed(&question).is_ok_and(|t| is_typed(&t, &wanted)));
        let right = tokio::select! {
            right = typing => right.unwrap_or(false),
            () = interrupt.wanted() => false,
        };
        if !right {
            return false;
        }
    }
    true
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

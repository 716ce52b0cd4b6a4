//! The user's pager, for long texts. It reads standard input, so no file of the text remains.

use super::{editor, external};
use crate::secrets::redact;
use crate::tui::prelude::*;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

/// Most systems have them; the best one first.
const USUAL: [&str; 2] = ["less", "more"];

const LESS_CHARSET: &str = "LESSCHARSET";

/// A text for the pager. Lines are scrubbed, and no API key is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagerText(String);

impl PagerText {
    pub fn new<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for line in lines {
            text.push_str(&scrub(line));
            text.push('\n');
        }
        Self(redact(&text).into_owned())
    }
}

/// `said` is the value of `$PAGER`. An empty one and `cat`, which does not wait, count as not set.
pub fn command(said: Option<&str>) -> String {
    let said = said.map(str::trim).filter(|said| !said.is_empty() && *said != "cat");
    let installed = || USUAL.into_iter().find(|name| external::find(name).is_some());
    said.map_or_else(|| installed().unwrap_or(USUAL[0]).to_owned(), str::to_owned)
}

/// `-F`, here or in `LESS`, would end `less` at once on a short text.
fn stay(pager: &str, command: &mut Command) {
    let name = pager.split_whitespace().next().map(Path::new).and_then(Path::file_name);
    if name.is_some_and(|name| name == "less") {
        command.arg("-+F");
    }
}

/// Waits until the user closes the pager. The error is the reason as text.
pub fn run(pager: &str, page: &PagerText) -> Result<(), String> {
    let named = scrub(pager).into_owned();
    let mut command = editor::shell(pager);
    crate::secrets::hide_from(&mut command);
    stay(pager, &mut command);
    // The text is UTF-8 in every locale. In one that the system does not have, `less` would show bytes for letters.
    if std::env::var_os(LESS_CHARSET).is_none() {
        command.env(LESS_CHARSET, "utf-8");
    }
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(|why| {
        t!("lapel could not start the pager ({named}): {why}.", named, why = io_error::words(&why))
    })?;
    let written = match child.stdin.take() {
        // This arm closes the pipe at its end. A pager that is closed early reads no more.
        Some(mut stdin) => match stdin.write_all(page.0.as_bytes()) {
            Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        },
        None => Ok(()),
    };
    let ended = child.wait().and_then(|status| written.map(|()| status));
    let status =
        ended.map_err(|why| t!("The pager ({named}) failed: {why}.", named, why = io_error::words(&why)))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(editor::NOT_FOUND) if cfg!(unix) => {
            Err(t!("The pager {named} was not found. Set $PAGER to another one.", named))
        }
        _ => Err(t!("The pager ({named}) ended with {status}.", named, status)),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_reads_all_of_it_scrubbed_and_without_the_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("what it read");
        crate::secrets::register_key("page_0123456789abcdefghij");
        let long = "x".repeat(300_000);
        let page = PagerText::new(["한 줄\u{1b}[2J", "key page_0123456789abcdefghij", &long]);
        assert_eq!(run(&format!("tee '{}' | cat > /dev/null", seen.display()), &page), Ok(()));
        let text = std::fs::read_to_string(&seen).expect("read");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (3, "한 줄␛[2J", &*long));
        assert!(!lines[1].contains("0123456789"), "{}", lines[1]);
        assert_eq!(run("head -n 1 > /dev/null", &page), Ok(()), "one that is closed early");
    }

    #[test]
    fn a_pager_that_fails_says_why() {
        let page = PagerText::new(["x"]);
        for (pager, said) in
            [("/no/such/pager -R", "pager /no/such/pager -R was not found"), ("exit 3;", "exit status: 3")]
        {
            let why = run(pager, &page).expect_err(pager);
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn less_shows_letters_in_every_locale() {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("charset");
        let pager = format!("printf %s \"$LESSCHARSET\" > '{}'", seen.display());
        assert_eq!(run(&pager, &PagerText::new(["한 줄"])), Ok(()));
        let own = std::env::var(LESS_CHARSET).unwrap_or_else(|_| "utf-8".to_owned());
        assert_eq!(std::fs::read_to_string(&seen).expect("read"), own);
    }

    #[test]
    fn less_does_not_end_before_a_short_text_is_seen() {
        let args = |pager: &str| {
            let mut command = editor::shell(pager);
            stay(pager, &mut command);
            command.get_args().any(|arg| arg == "-+F")
        };
        for pager in ["less", "less -FRX", "/usr/bin/less -R -F"] {
            assert!(args(pager), "{pager}");
        }
        for pager in ["more -F", "my-less -F"] {
            assert!(!args(pager), "{pager}");
        }
    }

    #[test]
    fn the_pager_of_the_environment_is_used_unless_it_shows_nothing() {
        assert_eq!(command(Some("less -R -S")), "less -R -S");
        for none in [None, Some(""), Some("  "), Some("cat")] {
            assert!(USUAL.contains(&&*command(none)), "{none:?}");
        }
    }
}

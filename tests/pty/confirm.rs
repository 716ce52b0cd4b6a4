//! A person confirms what the command line is about to send: by typing it, never with Enter alone.

use super::kit::{Term, lapel};
use lapel::sandbox::{Options, Sandbox};
use tokio::runtime::Runtime;

/// A sandbox, and `lapel issue` at the question.
fn asked(environment: &str) -> (Runtime, Sandbox, Term) {
    let runtime = Runtime::new().expect("a runtime");
    let sandbox = runtime
        .block_on(Sandbox::start(Options { history: Some(0), ..Options::default() }))
        .expect("the sandbox starts");
    let setup =
        lapel(&["issue", "--template", "TPL-001", "--to", "\u{d64d}\u{ae38}\u{b3d9} <gildong@naru.example>"])
            .env("BADGE_KEY", sandbox.api_key());
    setup.write(
        "config/config.toml",
        format!(
            "[profiles.uni]\nenvironment = '{environment}'\norganisation = 'Naru University'\nbase_url = '{}'\nkey = {{ env = 'BADGE_KEY' }}\n",
            sandbox.base_url()
        ),
    );
    let term = setup.start();
    let shown = term.shows("Type 1 to issue 1 badge");
    assert!(shown.has("gildong@naru.example") && shown.has("Naru University"), "{}", shown.text);
    (runtime, sandbox, term)
}

#[test]
fn enter_alone_sends_nothing() {
    for typed in ["\r", "y\r", "yes\r", "10\r", "\x03"] {
        let (_runtime, sandbox, mut term) = asked("demo");
        term.send(typed);
        term.shows("Nothing was sent");
        assert_eq!(term.exit().exit_code(), 2, "{typed:?}: {}", term.shown().text);
        assert_eq!(sandbox.control().ledger().accepted_total(), 0, "{typed:?}");
    }
}

#[test]
fn the_number_sends() {
    let (_runtime, sandbox, mut term) = asked("staging");
    term.send("1\r");
    assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
    assert_eq!(sandbox.control().ledger().accepted_total(), 1);
}

#[test]
fn live_asks_for_the_organisation_too() {
    let (_runtime, sandbox, mut term) = asked("live");
    term.send("1\r");
    term.shows("This is LIVE");
    term.send("1\r");
    assert_eq!(term.exit().exit_code(), 2);
    assert_eq!(sandbox.control().ledger().accepted_total(), 0);

    let (_runtime, sandbox, mut term) = asked("live");
    term.send("1\r");
    term.shows("This is LIVE");
    term.send("Naru University\r");
    assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
    assert_eq!(sandbox.control().ledger().accepted_total(), 1);
}

//! A person confirms what the command line is about to send: by typing it, never with Enter alone.

use super::kit::{Term, lapel};
use crate::texts::msg_part;
use lapel::sandbox::{Options, RowSpec, Rows, Sandbox};
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
    let shown = term.shows(if environment == "live" {
        "Type 1 naru to issue 1 badge"
    } else {
        "Type 1 to issue 1 badge"
    });
    assert!(shown.has("gildong@naru.example") && shown.has("Naru University"), "{}", shown.text);
    (runtime, sandbox, term)
}

#[test]
fn enter_alone_sends_nothing() {
    for typed in ["\r", "y\r", "yes\r", "10\r", "\x03"] {
        let (_runtime, sandbox, mut term) = asked("demo");
        term.send(typed);
        term.shows(msg_part("Nothing was sent"));
        let code = if typed == "\x03" { 4 } else { 2 };
        assert_eq!(term.exit().exit_code(), code, "{typed:?}: {}", term.shown().text);
        assert_eq!(sandbox.control().ledger().accepted_total(), 0, "{typed:?}");
    }
}

#[test]
fn the_number_sends() {
    let (_runtime, sandbox, mut term) = asked("staging");
    term.answer("1");
    assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
    assert_eq!(sandbox.control().ledger().accepted_total(), 1);
}

#[test]
fn live_asks_for_the_organisation_too() {
    for typed in ["1", "naru", "Naru University", "2 naru"] {
        let (_runtime, sandbox, mut term) = asked("live");
        term.answer(typed);
        assert_eq!(term.exit().exit_code(), 2, "{typed}: {}", term.shown().text);
        assert_eq!(sandbox.control().ledger().accepted_total(), 0, "{typed}");
    }
    for typed in ["1 naru", "1 Naru University"] {
        let (_runtime, sandbox, mut term) = asked("live");
        term.answer(typed);
        assert_eq!(term.exit().exit_code(), 0, "{typed}: {}", term.shown().text);
        assert_eq!(sandbox.control().ledger().accepted_total(), 1, "{typed}");
    }
}

/// A job that resumes or is sent again was reviewed before; where it is LIVE it is confirmed like everything else.
#[test]
fn live_asks_before_a_job_goes_on() {
    let runtime = Runtime::new().expect("a runtime");
    let sandbox = runtime
        .block_on(Sandbox::start(Options { history: Some(0), ..Options::default() }))
        .expect("the sandbox starts");
    let accepted = || sandbox.control().ledger().accepted_total();
    let issue = |who: &str| {
        lapel(&["issue", "--template", "TPL-001", "--to", who, "--yes"]).env("BADGE_KEY", sandbox.api_key())
    };
    let setup = issue("Kim Minseo <minseo@naru.example>");
    setup.write(
        "config/config.toml",
        format!(
            "[profiles.uni]\nenvironment = 'live'\norganisation = 'Naru University'\nbase_url = '{}'\nkey = {{ env = 'BADGE_KEY' }}\n",
            sandbox.base_url()
        ),
    );
    // A refused key stops it; nothing was done.
    sandbox.control().add_fault("post /badges status=401 code=4001").expect("a rule");
    let mut first = setup.start();
    assert_eq!(first.exit().exit_code(), 4, "{}", first.shown().text);
    sandbox.control().clear_faults();
    let run = |program: super::kit::Setup| program.env("BADGE_KEY", sandbox.api_key()).at(&first.home);

    // A wrong number, a wrong organisation, and nobody there to be asked.
    for typed in ["1\r", "2 naru\r", "1 nar\r", "\x03"] {
        let mut term = run(lapel(&["jobs", "resume", "1"])).start();
        term.shows(msg_part("Type 1 naru to send 1 row of job 1"));
        term.send(typed);
        term.shows(msg_part("Nothing was sent"));
        let code = if typed == "\x03" { 4 } else { 2 };
        assert_eq!(term.exit().exit_code(), code, "{typed:?}: {}", term.shown().text);
    }
    let asked = [
        ("resume 1", "use --yes to send", 2),
        ("resend 1 --row 1 --why x", "use --yes to send", 2),
        ("use-up 1", "use --yes to send", 2),
        // None of its rows was refused, so there is nothing to ask.
        ("retry 1", "has no refused rows", 1),
    ];
    for (verb, said, code) in asked {
        let script = format!("\"$0\" jobs {verb} </dev/null");
        let mut term = run(super::kit::program("/bin/sh", &["-c", &script, super::kit::LAPEL])).start();
        term.shows(msg_part(said));
        assert_eq!(term.exit().exit_code(), code, "{verb}: {}", term.shown().text);
    }
    assert_eq!(accepted(), 0);

    let mut term = run(lapel(&["jobs", "resume", "1"])).start();
    term.shows(msg_part("Type 1 naru to send 1 row of job 1"));
    term.answer("1 naru");
    assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
    assert_eq!(accepted(), 1);
}

#[test]
fn a_cell_in_a_terminal_never_looks_like_another_row() {
    let runtime = Runtime::new().expect("a runtime");
    let sandbox = runtime
        .block_on(Sandbox::start(Options { history: Some(0), ..Options::default() }))
        .expect("the sandbox starts");
    let row = RowSpec { recipient_name: "Kim\nB-9,Lee\u{200e}\u{3164}".into(), ..RowSpec::default() };
    sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    let mut term = lapel(&["history", "--csv"])
        .env("LAPEL_BASE_URL", sandbox.base_url())
        .env("LAPEL_API_KEY", sandbox.api_key())
        .size(200, 20)
        .start();
    assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
    let shown = term.shown().text;
    assert!(shown.contains("Kim") && !shown.lines().any(|line| line.starts_with("B-9")), "{shown}");
    let raw = String::from_utf8_lossy(&term.raw()).into_owned();
    assert!(!raw.contains(['\u{200e}', '\u{3164}']), "{raw}");
}

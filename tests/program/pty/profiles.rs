//! A key that is typed without being shown, and a terminal that is put back after every end; a key that a
//! command prints slowly.

use super::kit::{LAPEL, contains, lapel, program};
use crate::texts::{msg, msg_part, msg_with};
use lapel::sandbox::{Options, Sandbox};
use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::Runtime;

fn service() -> (Sandbox, Runtime) {
    let runtime = Runtime::new().expect("a runtime");
    let sandbox = runtime.block_on(Sandbox::start(Options { seed: 7, ..Options::default() }));
    (sandbox.expect("the sandbox starts"), runtime)
}

#[test]
fn everything_is_asked_for_and_the_key_is_not_shown() {
    let (sandbox, _runtime) = service();
    let key = sandbox.api_key().to_owned();
    let mut term = lapel(&["profile", "add"]).size(120, 24).start();
    for (question, answer) in [
        ("Profile name [main]", "uni".to_owned()),
        // A wrong word is asked for again.
        ("Environment: demo, staging or live", "production".to_owned()),
        ("Enter demo, staging or live.", "demo".to_owned()),
        ("Base URL", sandbox.base_url().to_owned()),
        ("Organisation", String::new()),
        ("Time zone of the service's times", "+05:30".to_owned()),
        ("Store the key in", String::new()),
        ("API key (hidden)", format!("wrong\x15x\x7f{key}")),
    ] {
        term.shows(question);
        term.send(format!("{answer}\r"));
    }
    term.shows(msg_part("Saved profile uni"));
    assert_eq!(term.exit_restored().exit_code(), 0);
    assert!(!contains(&term.raw(), key.as_bytes()), "the key was shown");
    let kept = std::fs::read_to_string(term.home.path().join("config/keys/uni")).expect("kept");
    assert_eq!(kept.trim(), key);
    let settings = std::fs::read_to_string(term.home.path().join("config/config.toml")).expect("kept");
    assert!(settings.contains("utc_offset = \"+05:30\""), "{settings}");

    let mut again = lapel(&["profile", "remove", "uni"]).at(&term.home).size(120, 24).start();
    again.shows(msg_part("Type uni to remove it"));
    again.send("no\r");
    assert_eq!(again.exit_restored().exit_code(), 2);
    let mut again = lapel(&["profile", "remove", "uni"]).at(&term.home).size(120, 24).start();
    again.shows(msg_part("Type uni to remove it"));
    again.send("uni\r");
    assert_eq!(again.exit_restored().exit_code(), 0);
    assert!(!term.home.path().join("config/keys/uni").exists());
}

/// It comes from the organisation, whose name the service may be the first to give.
#[test]
fn the_usual_short_name_is_shown_before_it_is_saved() {
    let (sandbox, _runtime) = service();
    let mut term = lapel(&["profile", "add", "uni", "--base-url", sandbox.base_url()]).size(160, 24).start();
    let asked = format!("{} [연습용]", msg("Short name to type after the number before anything is sent"));
    for (question, answer) in [
        (msg("Environment: demo, staging or live"), "live"),
        (msg_part("Organisation name"), ""),
        (msg_part("Time zone of the service's times"), "+09:00"),
        (msg_part("Store the key in"), ""),
        (msg_part("API key (hidden)"), sandbox.api_key()),
        (asked.as_str(), ""),
    ] {
        term.shows(question);
        term.send(format!("{answer}\r"));
    }
    term.shows(msg_part("Saved profile uni"));
    assert_eq!(term.exit_restored().exit_code(), 0);
    let settings = std::fs::read_to_string(term.home.path().join("config/config.toml")).expect("kept");
    assert!(!settings.contains("short_name"), "it follows the organisation: {settings}");
}

#[test]
fn the_password_of_a_journal_is_asked_for_and_not_shown() {
    let setup = lapel(&["profile", "edit", "uni", "--new-journal-password"])
        .size(120, 24)
        .env("UNI_KEY", "k-0123456789");
    let text = "[profiles.uni]\nbase_url = \"https://badges.example/api/v1/ext\"\nkey = { env = \"UNI_KEY\" }\n\
                [profiles.uni.journal]\nurl = \"postgres://kim@db.example/badges\"\n";
    setup.write("config/config.toml", text);
    let mut term = setup.start();
    term.shows(&format!("{} (hidden)", msg("Journal password")));
    term.send("wrong\x15horse battery 7\r");
    term.shows(msg_part("Changed profile uni"));
    assert_eq!(term.exit_restored().exit_code(), 0);
    assert!(!contains(&term.raw(), b"battery"), "the password was shown");
    let file = term.home.path().join("config/keys/uni.journal");
    assert_eq!(std::fs::read_to_string(file).expect("stored"), "horse battery 7\n");
}

/// While the key is typed the terminal shows nothing; however that ends, it is as it was before.
#[test]
fn the_terminal_is_put_back_however_the_typing_ends() {
    let args =
        ["profile", "add", "uni", "--base-url", "http://127.0.0.1:9/api/v1/ext", "--environment", "demo"];
    let more = ["--organisation", "x", "--utc-offset", "+09:00", "--key-from", "file"];
    for end in ["ctrl-c", "ctrl-d", "SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] {
        let mut term = lapel(&[&args[..], &more].concat()).size(120, 24).start();
        term.shows(msg_part("API key (hidden)"));
        // A signal may overtake what is typed; nothing is typed before one.
        match end {
            "ctrl-c" => term.send("s3cret-part\x03"),
            "ctrl-d" => term.send("s3cret-part\x04"),
            "SIGTERM" => term.signal(Signal::TERM),
            "SIGINT" => term.signal(Signal::INT),
            "SIGQUIT" => term.signal(Signal::QUIT),
            _ => term.signal(Signal::HUP),
        }
        let status = term.exit_restored();
        assert_ne!(status.exit_code(), 0, "{end}");
        assert!(!contains(&term.raw(), b"s3cret"), "{end}: it was shown");
        assert!(!term.home.path().join("config/config.toml").exists());
    }
}

#[test]
fn after_it_was_stopped_a_key_is_still_not_shown() {
    // Wide, so that nothing wraps: stopped by STOP the terminal stays in raw mode, and the prompt begins in
    // the column where the command ended, which depends on the length of a path.
    let mut shell = program("/bin/sh", &["-i"]).size(1000, 24).env("PS1", "ready> ").start();
    shell.until("a prompt", |s| s.text.starts_with("ready>"));
    let modes = shell.modes();
    let pid_file = shell.home.path().join("pid");
    let add = "profile add uni --base-url http://127.0.0.1:9/api/v1/ext --environment demo --organisation x --utc-offset= --key-from file";
    shell.send(format!("sh -c 'echo $$ > {}; exec {LAPEL} {add}'\n", pid_file.display()));
    shell.shows(msg_part("API key (hidden)"));
    let hidden = shell.modes();
    assert_ne!(hidden, modes);
    let pid = std::fs::read_to_string(&pid_file).expect("the process id");
    let pid = Pid::from_raw(pid.trim().parse().expect("a number")).expect("a process");
    for (times, signal) in [Signal::TSTP, Signal::STOP].into_iter().enumerate() {
        kill_process(pid, signal).expect("sent");
        shell.until("the shell", |s| {
            s.text.matches("Stopped").count() > times && s.text.trim_end().ends_with("ready>")
        });
        // Nothing can be done before it is stopped by STOP.
        if signal == Signal::TSTP {
            assert_eq!(shell.modes(), modes);
        }
        shell.send("fg\n");
        shell.until("the command again", |s| s.text.trim_end().ends_with("file\""));
        shell.until_modes(&hidden);
    }
    shell.send("s3cret-part\x03");
    shell.until("the shell", |s| {
        s.has(msg_part("Nothing was saved")) && s.text.trim_end().ends_with("ready>")
    });
    assert!(!contains(&shell.raw(), b"s3cret"), "it was shown");
    shell.send("exit\n");
    shell.exit();
}

#[test]
fn a_key_that_is_typed_where_it_would_be_shown_is_refused() {
    let (sandbox, _runtime) = service();
    let mut term = lapel(&["profile", "add", "uni", "--base-url", sandbox.base_url()]).size(120, 24).start();
    for (question, answer) in [
        ("Environment: demo, staging or live", "demo"),
        ("Organisation", sandbox.api_key()),
        ("looks like an API key", "n"),
    ] {
        term.shows(question);
        term.send(format!("{answer}\r"));
    }
    term.shows(msg_part("Nothing was saved"));
    assert_eq!(term.exit_restored().exit_code(), 2);
    assert!(!term.home.path().join("config/config.toml").exists());
}

#[test]
fn the_first_frame_does_not_wait_for_a_command() {
    let (sandbox, _runtime) = service();
    let setup = lapel(&[]).size(100, 24);
    let script = setup.home().join("key.sh");
    let go = setup.home().join("go");
    setup.write(
        "key.sh",
        format!("while [ ! -e {} ]; do sleep 0.05; done\necho {}\n", go.display(), sandbox.api_key()),
    );
    setup.write(
        "config/config.toml",
        format!(
            "[profiles.uni]\nenvironment = \"demo\"\nbase_url = \"{}\"\nkey_command = [\"/bin/sh\", \"{}\"]\nkey_command_timeout = 60\n",
            sandbox.base_url(),
            script.display()
        ),
    );
    let mut term = setup.start();
    term.shows(&msg_with("opening profile {name}: getting its key", &[&"uni"]));
    std::fs::write(&go, "").expect("written");
    term.until("the TUI", |s| s.has("row 1 of") && s.has("DEMO"));
    term.send("P");
    let shown = term.shows(msg_part("key from a command"));
    assert!(shown.has("uni") && shown.has("in use"), "{}", shown.text);
    term.send("\x1b");
    term.until("the TUI again", |s| s.has("row 1 of"));
    term.send("q");
    term.exit_restored();
    assert!(!contains(&term.raw(), sandbox.api_key().as_bytes()));
}

#[test]
fn the_manual_page_can_be_read_through_head() {
    let mut term = program("/bin/sh", &["-c", "\"$0\" man | head -1", super::kit::LAPEL]).start();
    assert_eq!(term.exit_restored().exit_code(), 0);
    assert!(!term.shown().has("panicked") && !term.shown().has(msg("cannot write")), "{}", term.shown().text);
}

/// What the list of profiles does is in the settings file, and comments of the person stay there.
#[test]
fn a_profile_is_tested_changed_and_removed_in_the_app() {
    let (sandbox, _runtime) = service();
    let setup = lapel(&["--profile", "uni"]).size(100, 30).env("BADGE_KEY", sandbox.api_key());
    let profile = |name: &str| {
        let url = sandbox.base_url();
        format!(
            "[profiles.{name}]\nenvironment = \"demo\"\nbase_url = \"{url}\"\nkey = {{ env = \"BADGE_KEY\" }}\n"
        )
    };
    let text = format!("# mine\n{}\n# the other one\n{}", profile("uni"), profile("dept"));
    setup.write("config/config.toml", text);
    let mut term = setup.start();
    let settings = term.home.path().join("config/config.toml");
    let read = || std::fs::read_to_string(&settings).expect("the settings");
    term.until("the TUI", |s| s.has("row 1 of") && s.has("DEMO"));
    term.send("P");
    term.until("the list", |s| s.has("dept") && s.has("add a profile"));
    term.send("jr");
    term.shows(msg_part("Profile dept works"));
    term.send("c");
    term.shows(&msg_with("Change profile {name}", &[&"dept"]));
    term.send("Naru Department\t\t \t\t\t\t\t\t\t\t\t\r");
    term.shows(msg_part("Changed profile dept"));
    let kept = read();
    assert!(
        kept.contains("organisation = \"Naru Department\"") && kept.contains("read_only = true"),
        "{kept}"
    );
    assert!(kept.contains("# mine") && kept.contains("# the other one"), "{kept}");
    term.shows("Naru Department");
    // Its key comes from a command from now on: asked once before that is kept.
    let key_file = term.home.path().join("badge-key");
    std::fs::write(&key_file, sandbox.api_key()).expect("written");
    term.send("jc");
    term.until("the place", |s| s.has(&msg_with("Change profile {name}", &[&"dept"])) && s.has("BADGE_KEY"));
    term.send(format!("\t\t\t\t\t\t\t\t\x1b[D\t\t\tcat {}-not\r", key_file.display()));
    term.shows(msg_part("failed ("));
    assert!(!read().contains("key_command"), "{}", read());
    term.send("\x7f\x7f\x7f\x7f\r");
    term.shows(msg_part("Changed profile dept"));
    let kept = read();
    assert!(kept.contains("key_command = [\"cat\", ") && kept.matches("BADGE_KEY").count() == 1, "{kept}");
    term.send("jX");
    term.shows(msg_part("Remove profile dept"));
    term.confirm("1");
    term.shows(msg_part("Removed profile dept"));
    let kept = read();
    assert!(kept.contains("# mine") && !kept.contains("profiles.dept"), "{kept}");
    term.send("\x1b");
    term.until("the TUI again", |s| s.has("row 1 of"));
    term.send("q");
    term.exit_restored();
}

/// The TUI as it was left, and as the command line wants it.
#[test]
fn the_app_begins_as_it_was_left() {
    let (sandbox, _runtime) = service();
    let open = |args: &[&str]| {
        let setup = program(LAPEL, args).env("LAPEL_BASE_URL", sandbox.base_url());
        setup.env("LAPEL_API_KEY", sandbox.api_key())
    };
    let mut term = open(&["--tab", "history", "--filter", "title=Python"]).start();
    term.shows("title \u{201c}Python\u{201d}");
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
    let kept = std::fs::read_to_string(term.home.path().join("data/desk/environment.json")).expect("kept");
    assert!(kept.contains("\"title\": \"Python\""), "{kept}");
    let mut again = open(&[]).at(&term.home).start();
    again.shows("title \u{201c}Python\u{201d}");
    again.send("q");
    assert_eq!(again.exit_restored().exit_code(), 0);
}

/// One line that is wrong costs that line; where it might make a profile less careful, it can only read.
#[test]
fn a_line_that_is_wrong_does_not_keep_lapel_from_starting() {
    let files = [
        (
            "config.toml",
            "theme = dark\n[profiles.a]\nbase_url = 'http://127.0.0.1:9/api/v1/ext'\nread_only = tru\n",
        ),
        ("keys.toml", "[history]\nmark = 'hyper-q'\n[global]\nquit = 'Q'\n"),
        ("theme.toml", "[colours]\nerror = red\n"),
        ("filters.toml", "[history.\"one\"]\nstatus = \n"),
        ("keys/a", "dmu_test_0123456789abcdefghij\n"),
    ];
    let setup = lapel(&[]).size(120, 30);
    for (name, text) in files {
        setup.write(&format!("config/{name}"), text);
    }
    std::fs::set_permissions(
        setup.home().join("config/keys/a"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .expect("a private key");
    let mut term = setup.start();
    let shown = term.until("what is wrong", |s| s.has("Ignored: ") && s.has("read-only"));
    assert!(shown.has("config.toml, line 4") && shown.has(msg_part("lapel info")), "{}", shown.text);
    term.send("q");
    term.shows(msg_part("LIVE  read-only"));
    term.send("Q");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

/// About a text that only has the shape of a key a person is asked, once; no sends nothing.
#[test]
fn a_text_of_the_shape_of_a_key_is_sent_only_after_a_yes() {
    let (sandbox, _runtime) = service();
    for (answer, code, requests) in [("n", 2, 0), ("y", 1, 1)] {
        let before = sandbox.control().ledger().requests_to("GET /badges/{badge_id}");
        let setup = lapel(&["badge", "bdg_live_0011223344556677"]).size(120, 24);
        let setup = setup.env("LAPEL_API_KEY", sandbox.api_key()).env("LAPEL_BASE_URL", sandbox.base_url());
        let mut term = setup.start();
        term.shows("looks like an API key. Send it? (y/n)");
        term.send(format!("{answer}\r"));
        assert_eq!(term.exit_restored().exit_code(), code, "{answer}");
        let after = sandbox.control().ledger().requests_to("GET /badges/{badge_id}");
        assert_eq!(after - before, requests, "{answer}");
    }
}

//! The same through a real tmux, which counts cells by code points.

use super::kit::{BOUND, LAPEL};
use crate::texts::msg_part;
use lapel::sandbox::{Options, RowSpec, RowState, Rows, Sandbox};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use tokio::runtime::Runtime;

const NAMES: [&str; 12] = [
    "காவ்யா சுந்தரம்",
    "நந்தினி கிருஷ்ணன்",
    "क्षमा शर्मा",
    "กำพล ศรีสุข",
    "علي حسن الأحمد",
    "🇰🇷 Flag 🇩🇪",
    "👩\u{200d}👧\u{200d}👦 Familie",
    "❤\u{fe0f} Herz 👍🏽",
    "\u{1112}\u{1161}\u{11ab}\u{1109}\u{1165}\u{110b}\u{1172}\u{11ab}",
    "ශ්\u{200d}රී ලංකා",
    "José Müller",
    "한서윤",
];

/// A tmux of its own, with nobody's settings.
struct Tmux<'a> {
    home: &'a Path,
}

impl Tmux<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .args(["-u", "-S"])
            .arg(self.home.join("tmux"))
            .args(["-f", "/dev/null"])
            .args(args);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home).env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
        command.env("LAPEL_CONFIG_DIR", self.home.join("config"));
        command.env("LAPEL_DATA_DIR", self.home.join("data"));
        command
    }

    fn run(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("tmux runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys", "-t", "lapel"], keys].concat());
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "lapel"])
    }

    #[track_caller]
    fn until(&self, what: &str, fulfilled: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + BOUND;
        loop {
            let screen = self.screen();
            if fulfilled(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "waited in vain for: {what}\n{screen}");
        }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}

fn is_still(screen: &str) -> bool {
    !screen.contains(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'])
}

/// Without the header, which counts requests. tmux before 3.4 forgets a joiner when one of its reads of the terminal ends
/// right behind it: where [`NAMES`] has joiners, only the words are compared, not the cells between them.
fn below_header(screen: &str) -> String {
    let joined: Vec<String> = NAMES
        .iter()
        .filter(|name| name.contains('\u{200d}'))
        .map(|name| name.replace('\u{200d}', ""))
        .collect();
    let line = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(|word| word.replace('\u{200d}', "")).collect();
        let words = words.join(" ");
        let has_joiner = joined.iter().any(|name| words.contains(name.as_str()));
        if has_joiner { words } else { line.trim_end().to_owned() }
    };
    screen.lines().skip(1).map(|text| line(text) + "\n").collect()
}

/// The number behind some words.
fn number_after(screen: &str, words: &str) -> u64 {
    let rest = screen.split(words).nth(1).unwrap_or_else(|| panic!("{words}\n{screen}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn scrolling_in_tmux_shows_what_a_full_repaint_shows() {
    if Command::new("tmux").arg("-V").output().is_err() {
        return crate::team::say_skipped("tmux is not installed");
    }
    let runtime = Runtime::new().expect("a runtime");
    let sandbox = runtime
        .block_on(Sandbox::start(Options { seed: 7, speed: 0.0, history: Some(40), ..Options::default() }))
        .expect("the sandbox starts");
    let insert = (0..60).map(|person| RowSpec {
        recipient_name: NAMES[person % NAMES.len()].into(),
        recipient_email: format!("person{person}@naru.example"),
        state: RowState::Issued,
        ..RowSpec::default()
    });
    sandbox.control().rows(&Rows { insert: insert.collect(), ..Rows::default() }).expect("inserted");
    for (columns, rows) in [(80, 24), (108, 36)] {
        let home = tempfile::tempdir().expect("a folder");
        let tmux = Tmux { home: home.path() };
        let (url, key) = (format!("LAPEL_BASE_URL={}", sandbox.base_url()), sandbox.api_key());
        let (x, y, key) = (columns.to_string(), rows.to_string(), format!("LAPEL_API_KEY={key}"));
        tmux.run(&[
            "new-session",
            "-d",
            "-s",
            "lapel",
            "-x",
            &x,
            "-y",
            &y,
            "-e",
            &url,
            "-e",
            &key,
            LAPEL,
            "--tab",
            "history",
        ]);
        let shown = tmux.until("the rows", |s| s.contains(msg_part("row 1 of ")) && is_still(s));
        // How many there are is up to the sandbox, which hides some.
        let all: u64 = number_after(&shown, "row 1 of ");
        let of_all = format!(" of {all}");
        // A full repaint, which tells that it is done by the length of the rule.
        let repainted = |wide: usize| {
            let rule =
                |s: &str, wide: usize| s.lines().nth(1).is_some_and(|l| l.trim().chars().count() == wide - 2);
            for wide in [wide + 1, wide] {
                tmux.run(&["resize-window", "-t", "lapel", "-x", &wide.to_string(), "-y", &y]);
                tmux.until("a full repaint", |s| rule(s, wide) && is_still(s) && s.contains(&of_all));
            }
            tmux.screen()
        };
        let mut row = 1;
        for (keys, steps) in
            [("j", 30), ("PageDown", 1), ("k", 25), ("PageUp", 1), ("G", 1), ("g", 1), ("j", 12)]
        {
            for _ in 0..steps {
                tmux.keys(&[keys]);
            }
            row = match keys {
                "j" => row + steps,
                "k" => row - steps,
                "G" => all,
                "g" => 1,
                _ => {
                    // How far that is depends on the height: the next key's place is counted from where it is.
                    let shown = tmux.until("another row", |s| {
                        is_still(s) && s.contains(&of_all) && !s.contains(&format!("row {row} of"))
                    });
                    number_after(&shown, "row ")
                }
            };
            let shown = tmux.until("the row", |s| is_still(s) && s.contains(&format!("row {row} of {all}")));
            let mut addresses: Vec<&str> =
                shown.split_whitespace().filter(|word| word.starts_with("person")).collect();
            let count = addresses.len();
            addresses.sort_unstable();
            addresses.dedup();
            assert_eq!(addresses.len(), count, "an address stands twice\n{shown}");
            let fresh = repainted(columns);
            assert_eq!(below_header(&shown), below_header(&fresh), "after {keys} at {columns}x{rows}");
        }
    }
}

//! Crash reports that a user can send to the developers. A report has the version, the place of the failure and
//! the last actions. It has no data of the service, of a file or of typed text.

use crate::tui::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::panic::PanicHookInfo;
use std::sync::Mutex;

const REMEMBERED: usize = 20;
/// Size limit of the report file, in bytes. A larger file is renamed to `crash.txt.1`.
const LARGEST: u64 = 256 * 1024;

static ACTIONS: Mutex<VecDeque<Action>> = Mutex::new(VecDeque::new());

pub fn note(action: Action) {
    if let Ok(mut actions) = ACTIONS.lock() {
        remember(&mut actions, action);
    }
}

fn remember(actions: &mut VecDeque<Action>, action: Action) {
    if actions.len() == REMEMBERED {
        actions.pop_front();
    }
    actions.push_back(action);
}

pub fn file_in(folder: &Path) -> PathBuf {
    folder.join("crash.txt")
}

/// Appends a report to the file, which only its owner may read.
pub fn write(folder: &Path, info: &PanicHookInfo<'_>) -> io::Result<PathBuf> {
    let payload = info.payload();
    let said =
        payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or("(no words)");
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    // The panic may have happened while the list was locked.
    let actions = ACTIONS.try_lock().map(|actions| actions.clone()).unwrap_or_default();
    let text = report(said, &place, &actions);
    fs::create_private_dir(folder)?;
    let path = file_in(folder);
    if std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() > LARGEST) {
        std::fs::rename(&path, folder.join("crash.txt.1"))?;
    }
    fs::open_log(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

/// Always in English, because the developers read it.
fn report(said: &str, place: &str, actions: &VecDeque<Action>) -> String {
    let mut out = format!(
        "{} lapel {} ({}-{})\n  failed at {place}: {}\n",
        Timestamp::now(),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        without_quotes(said)
    );
    let actions: Vec<&str> = actions.iter().map(|action| action.name()).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "  last actions: {}", actions.join(" "));
    let trace = std::backtrace::Backtrace::capture();
    if trace.status() == std::backtrace::BacktraceStatus::Captured {
        let _ = writeln!(out, "{trace}");
    }
    crate::secrets::redact(&out).into_owned()
}

/// The panic message without quoted parts. Quotes may contain data of the user.
fn without_quotes(said: &str) -> String {
    let mut out = said.to_owned();
    for quote in ['`', '"'] {
        // Up to the last quotation mark: the quoted text may contain others.
        if let (Some(first), Some(last)) = (out.find(quote), out.rfind(quote)) {
            let end = if last > first { last + 1 } else { out.len() };
            out.replace_range(first..end, "…");
        }
    }
    out.lines().map(str::trim).collect::<Vec<_>>().join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_worked_on_is_not_in_a_report() {
        let slice = "byte index 1 is not a char boundary; it is inside '한' of `한서윤 ` kim@naru.example`";
        for said in [
            slice,
            "called `Result::unwrap()` on an `Err` value: \"dmu_live_secret \\\" kim@naru.example\"",
            "broken off: \"kim@naru.example",
        ] {
            let report = report(said, "src/x.rs:1:2", &VecDeque::new());
            assert!(!report.contains("naru") && !report.contains("dmu_live"), "{report}");
            assert!(
                report.contains("src/x.rs:1:2") && report.contains(env!("CARGO_PKG_VERSION")),
                "{report}"
            );
        }
    }

    #[test]
    fn a_key_is_not_in_a_report_either() {
        crate::secrets::register_key("crash_0123456789abcdefghij");
        let report = report("no room for crash_0123456789abcdefghij", "src/x.rs:1:2", &VecDeque::new());
        assert!(report.contains("no room for [key]") && !report.contains("0123456789"), "{report}");
    }

    #[test]
    fn the_last_actions_are_named_and_no_more_than_a_few() {
        let mut actions = VecDeque::new();
        for _ in 0..REMEMBERED * 2 {
            remember(&mut actions, Action::Down);
        }
        remember(&mut actions, Action::RequestLog);
        let report = report("x", "y", &actions);
        let actions = report.lines().find(|line| line.contains("last actions")).expect("a line");
        assert!(actions.ends_with(" down request-log"), "{actions}");
        assert_eq!(actions.split_whitespace().count(), REMEMBERED + 2, "{actions}");
    }
}

//! The log: off unless `LAPEL_LOG` is set, then written to a file that only its owner can read.
//!
//! Only targets of lapel can be turned on. Other libraries may log whole requests with the key.

use crate::cli::prelude::*;
use crate::fs::{beside, create_private_dir, open_log};
use std::fs::File;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Mutex;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

/// Maximum size of a log in bytes. A larger log is renamed to `lapel.log.1` at the next start.
const LARGEST: u64 = 5 * 1024 * 1024;

/// Returns a warning for the user. A log that cannot be written does not stop lapel.
pub fn start(paths: &Paths, filter: Option<&str>) -> Option<String> {
    let (targets, warning) = match targets(filter?) {
        Ok(read) => read,
        Err(why) => return Some(why),
    };
    let path = paths.log_file();
    let file = match open(&path) {
        Ok(file) => file,
        Err(why) => {
            return Some(t!(
                "{path}: cannot write the log: {why}",
                path = path.display(),
                why = io_error::words(&why)
            ));
        }
    };
    let file = Mutex::new(Redacting(file));
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(file);
    let log = tracing_subscriber::registry().with(targets).with(layer);
    if tracing::subscriber::set_global_default(log).is_err() {
        return Some(t!("the log is already running").to_owned());
    }
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "lapel starts");
    warning
}

/// Redacts known keys, and makes visible what a terminal would obey: who reads the log may do so with `cat`. Each call must
/// receive a whole line, and writes one.
struct Redacting<W>(W);

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let line = crate::secrets::redact(text.strip_suffix('\n').unwrap_or(&text));
        let line = format!("{}\n", scrub(&line));
        self.0.write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A filter such as `debug` or `lapel::api=debug,lapel::tui=warn`. A level without a target applies to lapel.
fn targets(filter: &str) -> Result<(Targets, Option<String>), String> {
    let asked = Targets::from_str(filter.trim()).map_err(|_| {
        t!("LAPEL_LOG is not a log filter, so lapel logs nothing. Use a level (error, warn, info, debug, trace), or targets such as lapel::api=debug,lapel::tui=warn")
    })?;
    let mut kept = Targets::new();
    let mut any = false;
    let mut foreign = false;
    if let Some(level) = asked.default_level() {
        kept = kept.with_target("lapel", level);
        any = level != LevelFilter::OFF;
    }
    for (target, level) in &asked {
        if target == "lapel" || target.starts_with("lapel::") {
            kept = kept.with_target(target, level);
            any |= level != LevelFilter::OFF;
        } else if level != LevelFilter::OFF {
            foreign = true;
        }
    }
    if !foreign {
        return Ok((kept, None));
    }
    let warning = t!(
        "LAPEL_LOG names a target outside lapel, which is not logged: other libraries may write the key. Targets must begin with lapel, such as lapel::api=debug"
    );
    if any { Ok((kept, Some(warning.to_owned()))) } else { Err(warning.to_owned()) }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        create_private_dir(folder)?;
    }
    if std::fs::metadata(path).is_ok_and(|log| log.is_file() && log.len() > LARGEST) {
        std::fs::rename(path, beside(path, ".1"))?;
    }
    open_log(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tracing::Level;

    fn on(filter: &str, target: &str) -> bool {
        targets(filter).is_ok_and(|(targets, _)| targets.would_enable(target, &Level::DEBUG))
    }

    #[test]
    fn only_lapel_can_be_turned_on() {
        for filter in
            ["debug", "trace", "lapel=debug", "lapel::api=debug,trace", "trace,hyper=trace,reqwest=trace"]
        {
            assert!(on(filter, "lapel::api"), "{filter}");
            for foreign in ["hyper", "reqwest", "reqwest::connect", "h2", "rustls", "hyper_util::client"] {
                assert!(!on(filter, foreign), "{filter} {foreign}");
            }
        }
        assert!(!on("info", "lapel::api"));
        assert!(!on("lapel::tui=debug", "lapel::api"));
        assert!(!on("debug,lapel::api=off", "lapel::api"));
    }

    #[test]
    fn a_filter_that_cannot_be_used_is_explained() {
        for filter in ["lapel=loud", "a=b=c", "hyper=trace", "lapel::api=dmu_live_0123456789"] {
            let why = targets(filter).expect_err(filter);
            assert!(why.starts_with("LAPEL_LOG"), "{why}");
            assert!(!why.contains("dmu_live"), "{why}");
        }
        let (_, warning) = targets("debug,hyper=trace").expect("half of it works");
        assert!(warning.is_some_and(|w| w.contains("outside lapel")));
    }

    #[test]
    fn a_line_is_written_without_keys() {
        let key = "log_test_0123456789abcdefghij";
        crate::secrets::register_key(key);
        let mut written = Vec::new();
        let line = format!("DEBUG request path=/badges/{key} query=\"\"\n");
        Redacting(&mut written).write_all(line.as_bytes()).expect("written");
        assert_eq!(
            String::from_utf8(written).expect("text"),
            "DEBUG request path=/badges/[key] query=\"\"\n"
        );
    }

    /// A reason of a database or of a file may hold anything: it forges no line, and steers no terminal.
    #[test]
    fn a_line_stays_one_line_and_steers_no_terminal() {
        struct Shared(Arc<Mutex<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("a lock").write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let written = Arc::new(Mutex::new(Vec::new()));
        let file = Mutex::new(Redacting(Shared(written.clone())));
        let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(file);
        let why = "no\n2026-01-01 INFO forged \x1b]0;title\x07 \u{202e}txt\u{9b}2J\r\u{2028}end";
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(%why, "the database says {why}");
            tracing::info!("second");
        });
        let text = String::from_utf8(written.lock().expect("a lock").clone()).expect("text");
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines.len(), 3, "two lines, and each ends: {text:?}");
        assert!(lines[0].contains("forged") && lines[1].ends_with("second"), "{text:?}");
        for line in lines {
            assert_eq!(scrub(line), line, "nothing in it is obeyed");
        }
    }

    #[test]
    fn a_large_log_is_put_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data").join("lapel.log");
        drop(open(&path).expect("opens"));
        File::options().write(true).open(&path).and_then(|f| f.set_len(LARGEST + 1)).expect("grows");
        let file = open(&path).expect("opens");
        assert_eq!(file.metadata().expect("is there").len(), 0);
        assert_eq!(std::fs::metadata(beside(&path, ".1")).expect("put aside").len(), LARGEST + 1);
    }
}

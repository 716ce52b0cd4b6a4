//! Runs a command that prints a key or a password, such as `pass show badges`, without a shell.

use crate::config::prelude::*;
use crate::domain::text::scrub;
use crate::secrets::{REDACTED, hide_shapes};
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// Default time limit of a command in seconds.
pub(super) const DEFAULT_SECONDS: u32 = 10;
/// In bytes, far more than any key.
const LONGEST: u64 = 4096 + 64;
/// In bytes of standard error.
const LONGEST_COMPLAINT: u64 = 600;
const LOOK: Duration = Duration::from_millis(5);

/// Blocks for at most `patience`, then ends the command and everything that it started. Removes the
/// final line break.
///
/// The command gets no standard input, and no variable that holds a key.
/// The error is the end of a sentence that begins with the command. It never repeats the standard
/// output. It contains the standard error, scrubbed.
pub(super) fn run(argv: &[String], patience: Duration) -> Result<String, String> {
    let (program, arguments) = argv.split_first().ok_or(t!("is empty"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    crate::secrets::hide_from(&mut command);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let end = Instant::now() + patience;
    let mut child = command.spawn().map_err(|why| match why.kind() {
        ErrorKind::NotFound => t!("was not found: check its name and the PATH").to_owned(),
        _ => t!("cannot start: {why}", why = io_error::words(&why)),
    })?;
    let printed = child.stdout.take().map(|from| reading(from, LONGEST));
    let complained = child.stderr.take().map(|from| reading(from, LONGEST_COMPLAINT));
    let status = waited_for(&mut child, end);
    let Some(status) = status else {
        stop(&mut child);
        let seconds = patience.as_secs_f64();
        return Err(t!("did not end within {seconds} s and was stopped", seconds));
    };
    if !status.success() {
        let said = complained.and_then(|said| take(&said, end)).unwrap_or_default();
        let printed = printed.and_then(|printed| take(&printed, end)).unwrap_or_default();
        let said = scrub(without_key(&String::from_utf8_lossy(&said), &printed).trim()).into_owned();
        return Err(if said.is_empty() {
            t!("failed ({status})", status)
        } else {
            t!("failed ({status}). Error output: {said}", status, said)
        });
    }
    let bytes = printed.and_then(|printed| take(&printed, end));
    // A process that the command started may still hold the other end of the pipe.
    let Some(bytes) = bytes else {
        stop(&mut child);
        return Err(t!("ended, but a program that it started keeps its output open").to_owned());
    };
    if bytes.len() as u64 > LONGEST - 1 {
        return Err(t!("printed more text than a key or a password can have").to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|_| t!("printed data that is not text").to_owned())?;
    let key = text.strip_suffix('\n').map_or(text.as_str(), |t| t.strip_suffix('\r').unwrap_or(t));
    if key.contains('\n') {
        return Err(t!("printed several lines: it must print only one").to_owned());
    }
    Ok(key.to_owned())
}

/// A command may complain with what it printed, such as a shell with `-x`. Replaces that, and every word of the shape of a
/// key.
fn without_key(complaint: &str, printed: &[u8]) -> String {
    let printed = String::from_utf8_lossy(printed);
    let secrets = printed.lines().map(str::trim).filter(|line| !line.is_empty());
    let text = secrets.fold(complaint.to_owned(), |text, secret| text.replace(secret, REDACTED));
    hide_shapes(&text).into_owned()
}

/// Reads on a separate thread, and drops everything after `most` bytes, so that the writer never blocks.
fn reading(mut from: impl Read + Send + 'static, most: u64) -> Receiver<Vec<u8>> {
    let (tell, told) = channel();
    let reader = std::thread::Builder::new().name("key command".to_owned());
    // Without the thread there is no answer, and the caller reports that.
    let _ = reader.spawn(move || {
        let mut bytes = Vec::with_capacity(most as usize);
        if from.by_ref().take(most).read_to_end(&mut bytes).is_ok() {
            let _ = std::io::copy(&mut from, &mut std::io::sink());
            let _ = tell.send(bytes);
        }
    });
    told
}

fn take(from: &Receiver<Vec<u8>>, end: Instant) -> Option<Vec<u8>> {
    from.recv_timeout(end.saturating_duration_since(Instant::now()).max(LOOK * 20)).ok()
}

fn waited_for(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(LOOK),
            _ => return None,
        }
    }
}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// `None` when a shell would read the text differently.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let plain = |c: char| !c.is_control() && !"'\"\\$`|&;<>()*?[]{}~#!%^".contains(c);
    let words: Vec<String> = text.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    (!words.is_empty() && text.chars().all(plain)).then_some(words)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<String, String> {
        run(&["/bin/sh".into(), "-c".into(), script.into()], Duration::from_secs(20))
    }

    #[test]
    fn one_line_break_is_taken_off_and_nothing_else() {
        assert_eq!(sh("echo dmu_live_0123").as_deref(), Ok("dmu_live_0123"));
        assert_eq!(sh("printf 'k-1234\\r\\n'").as_deref(), Ok("k-1234"));
        assert_eq!(sh("printf k-1234").as_deref(), Ok("k-1234"));
        assert_eq!(sh("printf ' k \\n'").as_deref(), Ok(" k "));
    }

    #[test]
    fn what_was_printed_is_never_repeated_and_what_was_complained_about_is() {
        let said =
            sh("echo s3cret; printf 'gpg: \\033[31mno secret key\\n' >&2; exit 2").expect_err("failed");
        assert!(said.contains("gpg: ␛[31mno secret key") && said.contains('2'), "{said}");
        assert!(!said.contains("s3cret"));
        let traced = sh("set -x; K=sk_live_51H8abcdefghijKLMN; echo $K s3cret; exit 3").expect_err("failed");
        assert!(!traced.contains("51H8") && !traced.contains("s3cret"), "{traced}");
        for script in ["printf 's3cret\\nuser: me\\n'", "yes s3cret | head -c 100000", "printf 's3cret\\377'"]
        {
            let said = sh(script).expect_err(script);
            assert!(!said.contains("s3cret"), "{said}");
        }
        let flood = "yes complaint | head -c 1000000 >&2; exit 1";
        assert!(sh(flood).expect_err("failed").len() < 1000);
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = folder.path().join("mark");
        let script = format!("(sleep 60; touch {}) & sleep 60", mark.display());
        let argv = ["/bin/sh".to_owned(), "-c".to_owned(), script];
        let begun = Instant::now();
        let said = run(&argv, Duration::from_millis(50)).expect_err("it takes a minute");
        assert!(said.contains("did not end within"), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits for its minute");
    }

    #[test]
    fn a_key_command_gets_no_input_and_not_the_key_of_the_environment() {
        assert_eq!(sh("cat; echo x${LAPEL_API_KEY}x").as_deref(), Ok("xx"));
    }

    #[test]
    fn a_command_that_is_not_there_is_said_without_its_name() {
        let said =
            run(&["dmu_live_0123456789".into()], Duration::from_secs(10)).expect_err("no such program");
        assert!(said.contains("was not found") && !said.contains("dmu"), "{said}");
        assert!(run(&[], Duration::from_secs(10)).is_err());
    }

    #[test]
    fn a_text_is_a_command_only_where_no_shell_is_missed() {
        let pass = ["pass", "show", "badges/uni"].map(str::to_owned).to_vec();
        assert_eq!(words(" pass  show badges/uni "), Some(pass));
        for text in
            ["", "  ", "a | b", "echo \"x y\"", "echo $HOME", "cat ~/key", "a;b", "a\tb", "a\nb", "x*"]
        {
            assert_eq!(words(text), None, "{text:?}");
        }
    }
}

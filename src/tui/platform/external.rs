//! External programs of this computer, for the clipboard and the browser.
//!
//! Each program starts without a shell, without the terminal and in its own process group. So it can neither
//! draw nor read here, and ctrl-z and ctrl-c do not reach it. lapel waits only a short time for it.

use crate::tui::prelude::*;
use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};
use tokio::sync::oneshot;

/// Longest wait for a program. After that it runs on alone.
const PATIENCE: Duration = Duration::from_secs(4);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: &'static str,
    pub args: Vec<String>,
}

impl Program {
    pub fn new(name: &'static str, args: &[&str]) -> Self {
        Self { name, args: args.iter().map(|arg| (*arg).to_owned()).collect() }
    }
}

/// The first installed program that accepts the input gets it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProgramCall {
    pub programs: Vec<Program>,
    /// Standard input of the program. `None` for a program that may keep running, like a browser: it then
    /// counts as successful.
    pub input: Option<Vec<u8>>,
}

impl fmt::Debug for ProgramCall {
    /// Omits the input, which is the user's data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.programs.iter().map(|program| program.name).collect();
        write!(f, "ProgramCall({names:?})")
    }
}

/// Tries the programs in order. Returns the name of the first that succeeds, or the reason as text for the middle
/// of a sentence.
pub async fn run_first(call: ProgramCall) -> Result<&'static str, String> {
    let mut why = None;
    for program in &call.programs {
        let Some(path) = find(program.name) else { continue };
        match run(path, program.args.clone(), call.input.clone()).await {
            Ok(()) => return Ok(program.name),
            Err(what) => why = Some(format!("{} {what}", program.name)),
        }
    }
    Err(why.unwrap_or_else(|| {
        let names: Vec<&str> = call.programs.iter().map(|program| program.name).collect();
        match names.split_last() {
            None => t!("this computer has no program for it").to_owned(),
            Some((one, [])) => t!("{one} is not installed", one),
            Some((last, rest)) => {
                t!("{first} and {last} are not installed", first = list(rest.iter().copied()), last)
            }
        }
    }))
}

pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

async fn run(path: PathBuf, args: Vec<String>, input: Option<Vec<u8>>) -> Result<(), String> {
    let reads = input.is_some();
    let (tell, told) = oneshot::channel();
    // A thread of its own, because it waits until the program ends. A browser may run all day.
    std::thread::Builder::new()
        .name("hand".to_owned())
        .spawn(move || {
            // After the time limit nobody receives this.
            let _ = tell.send(run_to_its_end(path, args, input));
        })
        .map_err(|why| t!("did not start: {why}", why = io_error::words(&why)))?;
    match tokio::time::timeout(PATIENCE, told).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(_)) => Err(t!("did not start").to_owned()),
        Err(_) if reads => Err(t!("did not answer within {seconds} s", seconds = PATIENCE.as_secs())),
        Err(_) => Ok(()),
    }
}

fn run_to_its_end(path: PathBuf, args: Vec<String>, input: Option<Vec<u8>>) -> Result<(), String> {
    let mut command = Command::new(path);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    crate::secrets::hide_from(&mut command);
    if cfg!(target_os = "macos") {
        // Without it pbcopy reads its input in an old encoding.
        command.env("LC_CTYPE", "UTF-8");
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|why| t!("did not start: {why}", why = io_error::words(&why)))?;
    let written = match (child.stdin.take(), input) {
        // This arm closes the pipe at its end, so that the program sees the end of its input.
        (Some(mut stdin), Some(input)) => stdin.write_all(&input),
        _ => Ok(()),
    };
    let status = child.wait().map_err(|why| t!("gave no status: {why}", why = io_error::words(&why)))?;
    if !status.success() {
        return Err(match status.code() {
            Some(code) => t!("failed with exit code {code}", code),
            None => t!("was killed by a signal").to_owned(),
        });
    }
    written.map_err(|why| t!("did not read it all: {why}", why = io_error::words(&why)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Program {
        Program::new("sh", &["-c", script])
    }

    async fn given(programs: Vec<Program>, input: &str) -> Result<&'static str, String> {
        run_first(ProgramCall { programs, input: Some(input.as_bytes().to_vec()) }).await
    }

    #[tokio::test]
    async fn the_first_program_that_takes_it_is_told() {
        let reads = "test \"$(cat)\" = '한 줄'";
        assert_eq!(given(vec![sh(reads)], "한 줄").await, Ok("sh"));
        assert!(given(vec![sh(reads)], "another").await.is_err());
        let missing = Program::new("lapel-has-no-such-program", &[]);
        assert_eq!(given(vec![missing, sh("exit 3"), sh("cat >/dev/null")], "x").await, Ok("sh"));
    }

    #[tokio::test]
    async fn the_reason_why_no_program_succeeded_is_reported() {
        let said = |result: Result<&'static str, String>| result.expect_err("nobody took it");
        assert_eq!(said(given(vec![sh("exit 3")], "x").await), "sh failed with exit code 3");
        assert_eq!(said(given(vec![sh("kill -9 $$")], "x").await), "sh was killed by a signal");
        let unread = said(given(vec![sh("exec <&-; exit 0")], &"x".repeat(1 << 20)).await);
        assert!(unread.starts_with("sh did not read it all"), "{unread}");
        let (one, two) = (Program::new("lapel-no-such-a", &[]), Program::new("lapel-no-such-b", &[]));
        assert_eq!(said(given(vec![one.clone()], "x").await), "lapel-no-such-a is not installed");
        assert_eq!(
            said(given(vec![one, two], "x").await),
            "lapel-no-such-a and lapel-no-such-b are not installed"
        );
    }

    #[tokio::test]
    async fn a_program_has_neither_the_terminal_nor_the_key() {
        // Its own process group, no terminal for output, no input.
        let script = "test -z \"$LAPEL_API_KEY\" && test ! -t 0 && test ! -t 1 && test ! -t 2";
        assert_eq!(run_first(ProgramCall { programs: vec![sh(script)], input: None }).await, Ok("sh"));
        assert!(
            !format!("{:?}", ProgramCall { programs: vec![sh("x")], input: Some(b"kim@x".to_vec()) })
                .contains("kim")
        );
    }
}

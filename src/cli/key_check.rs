//! Keys in the wrong place: refuses arguments that are API keys, and asks about texts that look like one.

use super::failure::Failure;
use super::{Cli, exit, prompt};
use crate::secrets::{Likeness, is_key, judge};
use std::ffi::OsString;

/// Runs before parsing, so that no message repeats the key.
/// The error is the exit code.
pub fn refuse_keys(args: impl IntoIterator<Item = OsString>) -> Result<(), u8> {
    let args: Vec<String> = args.into_iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let Some(at) = args.iter().position(|arg| is_key(arg)) else { return Ok(()) };
    let as_json = args.iter().any(|arg| arg == "--json");
    let failure = Failure::usage(t!(
        "argument {at} looks like an API key. Nothing was sent. The shell keeps it in its history, and others on this computer can see it. Remove it from there. If somebody may have seen it, replace the key in the issuer back office.",
        at = at + 1
    ));
    Err(failure.of_kind("api_key").report(as_json))
}

/// Runs before lapel sends any text. When nobody can be asked, refuses texts that look like an API key.
/// The error is the exit code.
pub async fn ask_about_keys(cli: &Cli) -> Result<(), u8> {
    if cli.not_a_key {
        return Ok(());
    }
    let Some(text) = cli.texts().into_iter().find(|text| judge(text) == Likeness::Shape) else {
        return Ok(());
    };
    let begins: String = text.trim().chars().take(4).collect();
    let what = t!("The argument that begins with {begins}… looks like an API key.", begins);
    if prompt::somebody_is_there() && !cli.is_for_programs() {
        if prompt::yes(&format!("{what} {}", t!("Send it?"))).await {
            return Ok(());
        }
        super::complain(t!("Nothing was sent."));
        return Err(exit::USAGE);
    }
    let what = format!("{what} {}", t!("Nothing was sent. If it is not a key, add --not-a-key."));
    Err(Failure::usage(what).of_kind("api_key").report(cli.is_for_programs()))
}

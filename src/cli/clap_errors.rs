//! Mistakes in the command line, in the user's language. In English, clap's own message is printed.

use crate::cli::prelude::*;
use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;

/// With the usage and a hint to `--help`. `None` for help, the version, and mistakes that only clap words.
pub(super) fn in_words(error: &Error) -> Option<String> {
    let arg = context(error, ContextKind::InvalidArg);
    let what = match error.kind() {
        ErrorKind::UnknownArgument => t!("unknown argument '{arg}'", arg = arg?),
        ErrorKind::InvalidSubcommand => {
            t!("unknown command '{name}'", name = context(error, ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::MissingRequiredArgument => t!("missing argument: {arg}", arg = arg?),
        ErrorKind::ArgumentConflict => match context(error, ContextKind::PriorArg) {
            Some(other) => t!("'{arg}' cannot be used with {other}", arg = arg?, other),
            None => return None,
        },
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let (value, arg) = (context(error, ContextKind::InvalidValue).unwrap_or_default(), arg?);
            match error.source() {
                _ if value.is_empty() => t!("'{arg}' needs a value", arg),
                Some(why) => {
                    let why = scrub(&why.to_string()).into_owned();
                    t!("invalid value '{value}' for {arg}: {why}", value, arg, why)
                }
                None => t!("invalid value '{value}' for {arg}", value, arg),
            }
        }
        _ => return None,
    };
    let mut lines = vec![t!("error: {what}", what)];
    let possible = context(error, ContextKind::ValidValue).filter(|values| !values.is_empty());
    lines.extend(possible.map(|values| format!("  {}", t!("[possible values: {values}]", values))));
    let alike = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| context(error, kind))
        .filter(|alike| !alike.is_empty());
    lines.extend(alike.map(|alike| format!("  {}", t!("similar: {alike}", alike))));
    if let Some(usage) = error.get(ContextKind::Usage) {
        let usage = usage.to_string();
        let usage = usage.trim().trim_start_matches("Usage:").trim();
        lines.push(format!("\n{}: {usage}", t!("Usage")));
    }
    lines.push(format!("\n{}", t!("More: --help")));
    Some(lines.join("\n"))
}

/// A value of clap's error context in one line, scrubbed.
fn context(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(scrub(text).into_owned()),
        ContextValue::Strings(all) => Some(scrub(&all.join(", ")).into_owned()),
        _ => None,
    }
}

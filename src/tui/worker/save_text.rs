//! Writes a text to a file that the user named.

use crate::secrets::redact;
use crate::tui::prelude::*;
use crate::tui::request::{NotSaved, Saving};

/// Only the owner may read the file. After an error an existing file is unchanged.
pub fn run(saving: Saving) -> Result<PathBuf, NotSaved> {
    let Saving { text, to, overwrite } = saving;
    if fs::is_own_file(&to) {
        return Err(NotSaved::Failed(t!(
            "{file} is one of lapel's own files, so nothing was saved: choose another name",
            file = scrub(&to.to_string_lossy())
        )));
    }
    let written = if overwrite {
        fs::replace_private(&to, redact(&text).as_bytes())
    } else {
        fs::write_new(&to, redact(&text).as_bytes())
    };
    match written {
        Ok(()) => Ok(to),
        Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => Err(NotSaved::Exists),
        Err(why) => Err(NotSaved::Failed(t!(
            "{path} could not be written: {why}. Nothing was changed. Choose another name or folder.",
            path = scrub(&to.to_string_lossy()),
            why
        ))),
    }
}

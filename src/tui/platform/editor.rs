//! The user's external editor, for a long text. It gets a private file and the whole terminal.

use crate::tui::prelude::*;
use std::process::Command;

/// Limit for the edited text, in bytes. A field takes much less.
const LARGEST: u64 = 256 * 1024;
/// Exit code of a shell that cannot find the program.
pub(super) const NOT_FOUND: i32 = 127;

/// Returns the edited text. `editor` is a shell command, which may have arguments. The error is the reason as
/// text, which also says that the text is unchanged.
pub fn run(editor: &str, text: &str) -> Result<String, String> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("lapel-");
    // The editor's other files in the folder are private too.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let kept = |why: std::io::Error| {
        t!(
            "lapel could not create a file for the editor ({why}). The text is unchanged.",
            why = io_error::words(&why)
        )
    };
    let folder = builder.tempdir().map_err(kept)?;
    let path = folder.path().join("reason.txt");
    let ended = if text.is_empty() { String::new() } else { format!("{text}\n") };
    fs::write_new(&path, ended.as_bytes()).map_err(kept)?;
    edit(editor, &path)?;
    read(&path)
}

fn edit(editor: &str, path: &Path) -> Result<(), String> {
    let named = scrub(editor).into_owned();
    let mut command = shell(editor);
    crate::secrets::hide_from(&mut command);
    let status = command.arg(path).status().map_err(|why| {
        t!(
            "lapel could not start the editor ({named}): {why}. The text is unchanged.",
            named,
            why = io_error::words(&why)
        )
    })?;
    match status.code() {
        Some(0) => Ok(()),
        Some(NOT_FOUND) if cfg!(unix) => Err(t!(
            "The editor {named} was not found. The text is unchanged. Set $VISUAL or $EDITOR to another one.",
            named
        )),
        _ => Err(t!("The editor ({named}) ended with {status}. The text is unchanged.", named, status)),
    }
}

/// The caller adds the arguments that follow those in `program`.
#[cfg(unix)]
pub(super) fn shell(program: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{program} \"$@\"")).arg("lapel");
    command
}

#[cfg(not(unix))]
pub(super) fn shell(program: &str) -> Command {
    Command::new(program)
}

fn read(path: &Path) -> Result<String, String> {
    let text = match std::fs::metadata(path) {
        Ok(about) if about.len() > LARGEST => None,
        Ok(_) => std::fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        Err(_) => None,
    };
    text.ok_or_else(|| {
        t!("lapel cannot read the editor's file: it is not UTF-8 text or is far too long. The text is unchanged.")
            .to_owned()
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn editor(folder: &Path, script: &str) -> String {
        let path = folder.join("an editor.sh");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
        format!("'{}'", path.display())
    }

    #[test]
    fn what_the_editor_writes_comes_back_and_no_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("seen");
        let script = format!(
            "cat \"$2\" > '{0}'; stat -c %a \"$2\" >> '{0}'; echo \"$2\" >> '{0}'; printf 'two\\nlines\\n' > \"$2.new\"; mv \"$2.new\" \"$2\"",
            seen.display()
        );
        let command = format!("{} --wait", editor(folder.path(), &script));
        assert_eq!(run(&command, "중복 발급"), Ok("two\nlines\n".to_owned()));
        let seen = std::fs::read_to_string(&seen).expect("seen");
        let lines: Vec<&str> = seen.lines().collect();
        assert_eq!(lines[..2], ["중복 발급", "600"]);
        assert!(!Path::new(lines[2]).exists(), "{seen}");
    }

    #[test]
    fn an_editor_that_fails_leaves_the_text_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        for (command, said) in [
            (editor(folder.path(), "echo no > \"$1\"; exit 3"), "exit status: 3"),
            ("/no/such/editor".to_owned(), "editor /no/such/editor was not found"),
        ] {
            let why = run(&command, "x").expect_err(&command);
            assert!(why.contains(said) && why.contains("text is unchanged"), "{why}");
        }
        for script in ["printf '\\377' > \"$1\"", "rm \"$1\"", "head -c 300000 /dev/zero > \"$1\""] {
            let why = run(&editor(folder.path(), script), "x").expect_err(script);
            assert!(why.contains("is not UTF-8 text"), "{why}");
        }
    }
}

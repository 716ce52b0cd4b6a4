//! The names of lapel's own files, so that no file that a person asks for replaces one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folders of this process. Without them, as in tests, no file is lapel's own.
static FOLDERS: OnceLock<[PathBuf; 2]> = OnceLock::new();

/// Files in the folder of the settings or of the data, or the beginning of their names.
const FILES: [&str; 9] = [
    "config.toml",
    "theme.toml",
    "keys.toml",
    "filters.toml",
    "journal.",
    "pace.",
    "lapel.log",
    "crash.txt",
    "tour-taken",
];

/// Folders in these, with all their files.
const INNER: [&str; 7] = ["keys", "owners", "team", "index", "recent", "desk", "pictures"];

/// The folders of the settings and of the data. Only the first call counts.
pub fn set_own_folders(folders: [PathBuf; 2]) {
    let _ = FOLDERS.set(folders);
}

/// Whether lapel keeps, or would keep, a file of its own under this path. Ignores case, as some file systems do.
pub fn is_own_file(path: &Path) -> bool {
    FOLDERS.get().is_some_and(|folders| folders.iter().any(|folder| is_in(path, folder)))
}

fn is_in(path: &Path, folder: &Path) -> bool {
    let whole = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or(path)
    };
    // A new file has no canonical path, but its folder has one.
    let path = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => whole(parent).join(name),
        _ => whole(Path::new(".")).join(path),
    };
    let folder = whole(folder);
    let Ok(inner) = path.strip_prefix(&folder) else { return false };
    let mut parts = inner.iter().map(OsStr::to_string_lossy).map(|part| part.to_ascii_lowercase());
    match (parts.next(), parts.next()) {
        (Some(name), None) => FILES.iter().any(|own| name.starts_with(own)),
        (Some(inner), Some(_)) => INNER.contains(&inner.as_str()),
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_known_by_any_path() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("data");
        std::fs::create_dir_all(folder.join("keys")).expect("folders");
        for own in [
            "journal.sqlite",
            "journal.sqlite-wal",
            "Journal.SQLite",
            "pace.sqlite",
            "config.toml",
            "keys/demo",
        ] {
            assert!(is_in(&folder.join(own), &folder), "{own}");
        }
        assert!(is_in(&folder.join("keys/../journal.sqlite"), &folder));
        for other in ["receipt.xlsx", "my-journal.sqlite", "exports/journal.sqlite", "../journal.sqlite"] {
            assert!(!is_in(&folder.join(other), &folder), "{other}");
        }
        #[cfg(unix)]
        {
            let link = home.path().join("link");
            std::os::unix::fs::symlink(&folder, &link).expect("a link");
            assert!(is_in(&link.join("journal.sqlite"), &folder), "through a link");
            assert!(is_in(&folder.join("journal.sqlite"), &link));
        }
    }
}

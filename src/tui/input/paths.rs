//! Paths that users type, paste and drop.

use crate::tui::prelude::*;
use percent_encoding::percent_decode_str;

pub const MOST: usize = 2_000;
/// A completion reads at most this many entries of a folder.
const LOOKED_AT: usize = 20_000;
/// In characters.
const TITLE: usize = 40;

/// A pasted or dropped path without quotation marks, `file://` and escaped spaces.
pub fn unwrap(pasted: &str) -> String {
    let text = pasted.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    if let Some(rest) = text.strip_prefix("file://") {
        // `file://localhost/x` and `file:///x` are the same.
        let path = rest.strip_prefix("localhost").unwrap_or(rest);
        return percent_decode_str(path).decode_utf8_lossy().into_owned();
    }
    if cfg!(windows) || !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a pasted text is certainly a path: a dropped file.
pub fn is_dropped(pasted: &str) -> bool {
    let text = pasted.trim();
    if text.lines().count() != 1 {
        return false;
    }
    text.starts_with("file://") || (Path::new(&unwrap(text)).is_absolute() && !text.contains('@'))
}

/// Whether a pasted text is a list of recipients: at least two lines with `@`.
pub fn is_recipients(pasted: &str) -> bool {
    pasted.lines().filter(|line| line.contains('@')).nth(1).is_some()
}

/// Replaces `~/` by the home folder.
pub fn typed(text: &str) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// Completions of a typed path: names in its folder that begin with its last part. Folders end in a slash. Hidden
/// names need a typed dot. Reads the disk.
pub fn complete(text: &str) -> Vec<String> {
    let (before, begun) = match text.rfind(std::path::is_separator) {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let folder = if before.is_empty() { PathBuf::from(".") } else { typed(before) };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .take(LOOKED_AT)
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hidden = name.starts_with('.') && !begun.starts_with('.');
            if hidden || !name.starts_with(begun) {
                return None;
            }
            let folder = std::fs::metadata(entry.path()).is_ok_and(|about| about.is_dir());
            Some(format!("{before}{name}{}", if folder { "/" } else { "" }))
        })
        .collect();
    found.sort();
    found.truncate(MOST);
    found
}

/// Creates missing folders.
pub fn note(to: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_private_dir(folder)?;
    }
    fs::replace(to, text.as_bytes())
}

pub fn common(found: &[String]) -> String {
    let Some((first, rest)) = found.split_first() else { return String::new() };
    let mut common = first.as_str();
    for other in rest {
        let same = common.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(common.len().min(other.len()), |((at, _), _)| at);
        common = common.get(..end).unwrap_or_default();
    }
    common.to_owned()
}

/// A part of a file name about a job, valid on every file system: `receipt-12-title`.
pub fn file_name(what: &str, job: i64, title: &str) -> String {
    let mut name = String::new();
    for c in scrub(title).chars().take(TITLE) {
        if c.is_alphanumeric() || c == '.' {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches(['-', '.']);
    let name = if name.is_empty() { String::new() } else { format!("-{name}") };
    format!("{what}-{job}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_paths_are_unwrapped() {
        for (pasted, path) in [
            ("/tmp/a.csv", "/tmp/a.csv"),
            (" '/tmp/a b.csv' ", "/tmp/a b.csv"),
            ("\"/tmp/a b.csv\"\n", "/tmp/a b.csv"),
            ("/tmp/a\\ b\\(1\\).csv", "/tmp/a b(1).csv"),
            ("file:///tmp/%EC%88%98%EB%A3%8C%EC%9E%90%20b.csv", "/tmp/수료자 b.csv"),
            ("file://localhost/tmp/a.csv", "/tmp/a.csv"),
            ("file:///tmp/100%", "/tmp/100%"),
            ("", ""),
            ("'", "'"),
        ] {
            assert_eq!(unwrap(pasted), path, "{pasted}");
        }
        assert!(is_dropped("'/tmp/a b.csv'") && is_dropped("file:///x") && !is_dropped("kim@naru.example"));
        assert!(!is_dropped("/tmp/a\n/tmp/b"));
    }

    #[test]
    fn several_lines_with_addresses_are_recipients() {
        assert!(is_recipients("김민수, kim@naru.example\n\n이영희, lee@naru.example\n"));
        assert!(!is_recipients("kim@naru.example\ny") && !is_recipients("a\nb\n"));
    }

    #[test]
    fn names_are_completed_as_far_as_they_agree() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["명단_1.csv", "명단_2.csv", ".hidden"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        std::fs::create_dir(folder.path().join("다른")).expect("a folder");
        let base = format!("{}/", folder.path().display());
        assert_eq!(
            complete(&format!("{base}명")),
            [format!("{base}명단_1.csv"), format!("{base}명단_2.csv")]
        );
        assert_eq!(common(&complete(&format!("{base}명"))), format!("{base}명단_"));
        assert_eq!(complete(&base).len(), 3, "without what is hidden");
        assert_eq!(complete(&format!("{base}다")), [format!("{base}다른/")]);
        assert!(complete("/no/such/folder/x").is_empty());
        assert_eq!(common(&[]), "");
    }

    #[test]
    fn a_title_becomes_a_name_that_every_file_system_takes() {
        assert_eq!(
            file_name("receipt", 12, "데이터 시각화: 역량/인증"),
            "receipt-12-데이터-시각화-역량-인증"
        );
        assert_eq!(file_name("redo", 3, "../../etc"), "redo-3-etc");
        assert_eq!(file_name("redo", 3, "///"), "redo-3");
    }
}

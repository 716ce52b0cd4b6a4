//! The templates that a profile read last, for the completion of a command line, which sends no request.

use super::RecentEntry;
use crate::fs;
use crate::jobs::prelude::*;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

const MOST: usize = 200;
/// Longest id and longest title that are kept, in characters.
const LONGEST: usize = 300;
/// Largest file that lapel reads, in bytes.
const LARGEST: u64 = 1 << 20;

/// The templates in the file. A missing or damaged file has none.
pub fn known_templates(file: &Path) -> Vec<RecentEntry> {
    let mut text = String::new();
    let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
    if !is_file || File::open(file).and_then(|f| f.take(LARGEST).read_to_string(&mut text)).is_err() {
        return Vec::new();
    }
    let all: Vec<(String, String)> = serde_json::from_str(&text).unwrap_or_default();
    all.into_iter().map(|(id, title)| RecentEntry { id, title }).collect()
}

/// The templates of a page that was read, before the earlier ones.
pub fn with_read_templates(before: &[RecentEntry], read: &[RecentEntry]) -> Vec<RecentEntry> {
    let is_short = |text: &str| text.chars().count() <= LONGEST;
    let new = read.iter().filter(|one| is_short(&one.id) && is_short(&one.title));
    let old = before.iter().filter(|old| read.iter().all(|new| new.id != old.id));
    new.chain(old).take(MOST).cloned().collect()
}

/// Adds the templates of a page that was read. The file is written only if that changes it.
pub fn remember_templates(file: &Path, read: &[RecentEntry]) -> io::Result<()> {
    let before = known_templates(file);
    let all = with_read_templates(&before, read);
    if all == before {
        return Ok(());
    }
    let pairs: Vec<(&str, &str)> = all.iter().map(|one| (one.id.as_str(), one.title.as_str())).collect();
    let text = serde_json::to_string(&pairs)?;
    fs::create_private_dir(file.parent().unwrap_or(Path::new(".")))?;
    fs::replace_private(file, text.as_bytes())
}

/// Removes the file if it was written so many days ago, or, without a number, in any case.
pub fn forget_templates(file: &Path, older_than_days: Option<u32>) -> io::Result<()> {
    let age = |written: SystemTime| SystemTime::now().duration_since(written).unwrap_or_default();
    if let Some(days) = older_than_days {
        let written = std::fs::metadata(file).and_then(|about| about.modified());
        if written.is_ok_and(|written| age(written) < Duration::from_secs(u64::from(days) * 86_400)) {
            return Ok(());
        }
    }
    crate::fs::remove(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent(all: &[(&str, &str)]) -> Vec<RecentEntry> {
        let one =
            |(id, title): &(&str, &str)| RecentEntry { id: (*id).to_owned(), title: (*title).to_owned() };
        all.iter().map(one).collect()
    }

    #[test]
    fn the_page_that_was_read_last_comes_first_and_nothing_is_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("recent/uni.templates");
        assert_eq!(known_templates(&file), []);
        remember_templates(&file, &recent(&[("A", "one"), ("B", "two")])).expect("written");
        remember_templates(&file, &recent(&[("B", "new"), ("C", "three")])).expect("written");
        assert_eq!(known_templates(&file), recent(&[("B", "new"), ("C", "three"), ("A", "one")]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        forget_templates(&file, Some(1)).expect("not old");
        assert_eq!(known_templates(&file).len(), 3);
        forget_templates(&file, Some(0)).expect("removed");
        assert!(!file.exists());
        forget_templates(&file, None).expect("already gone");
    }

    #[test]
    fn long_lists_are_cut_and_a_damaged_file_counts_as_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("uni.templates");
        let ids: Vec<String> = (0..250).map(|n| format!("T-{n}")).collect();
        let all: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "")).collect();
        remember_templates(&file, &recent(&all)).expect("written");
        assert_eq!(known_templates(&file).len(), MOST);
        std::fs::write(&file, "[[1]").expect("written");
        assert_eq!(known_templates(&file), []);
    }
}

//! Downloaded pictures as files, so that a picture of an earlier day shows at once. Cached data is untrusted
//! like network data: it passes the same decoder and the same limits.

use crate::api::LONGEST_PICTURE;
use crate::fs::{create_private_dir, replace};
use crate::tui::prelude::*;
use ring::digest;
use std::fs::{self, File};
use std::io::{self, Read};
use std::time::SystemTime;

/// Limit for all files together, in bytes.
const MOST_BYTES: u64 = 64 << 20;
const MOST_FILES: usize = 2000;
/// Longest age of a file. The picture at an address may change.
const OLDEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// A file is named by the hash of its URL, because a URL may contain a signature.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

impl Cache {
    /// The folder is created with the first picture. Only its owner may open it.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, most_bytes: MOST_BYTES }
    }

    fn path(&self, url: &str) -> PathBuf {
        let hash = digest::digest(&digest::SHA256, url.as_bytes());
        let digits = hash.as_ref().iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        self.folder.join(digits.filter_map(|d| char::from_digit(u32::from(d), 16)).collect::<String>())
    }

    pub fn get(&self, url: &str) -> Option<Vec<u8>> {
        let path = self.path(url);
        let found = fs::symlink_metadata(&path).ok()?;
        if !found.is_file() || found.len() > LONGEST_PICTURE as u64 || is_old(&found) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(&path).ok()?.take(LONGEST_PICTURE as u64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Deletes the oldest pictures over the limits. The caller may ignore the error.
    pub fn put(&self, url: &str, bytes: &[u8]) -> io::Result<()> {
        create_private_dir(&self.folder)?;
        replace(&self.path(url), bytes)?;
        self.make_room()
    }

    pub fn forget(&self, url: &str) {
        // A file that cannot be removed expires later.
        let _ = fs::remove_file(self.path(url));
    }

    fn make_room(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(found) = entry.metadata() else { continue };
            let name = entry.file_name();
            let ours = name.len() == 64 && name.to_string_lossy().bytes().all(|b| b.is_ascii_hexdigit());
            if ours && found.is_file() {
                let at = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((at, found.len(), is_old(&found), entry.path()));
            }
        }
        files.sort();
        let mut count = files.len();
        let mut bytes: u64 = files.iter().map(|(_, len, ..)| len).sum();
        for (_, len, old, path) in files {
            if !old && count <= MOST_FILES && bytes <= self.most_bytes {
                break;
            }
            // Another process may have removed it already.
            let _ = fs::remove_file(path);
            bytes -= len;
            count -= 1;
        }
        Ok(())
    }
}

fn is_old(found: &fs::Metadata) -> bool {
    let age = found.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age > OLDEST)
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    fn cache(most_bytes: u64) -> (tempfile::TempDir, Cache) {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("data").join("pictures");
        (home, Cache { folder, most_bytes })
    }

    /// Makes a cached picture older by this number of seconds.
    fn age(cache: &Cache, url: &str, seconds: u64) {
        let file = File::options().append(true).open(cache.path(url)).expect("kept");
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).expect("set");
    }

    #[test]
    fn what_is_kept_is_found_by_its_url_alone() {
        let (_home, cache) = cache(MOST_BYTES);
        assert_eq!(cache.get("https://h.example/a"), None);
        cache.put("https://h.example/a", b"one").expect("kept");
        cache.put("https://h.example/b?sig=secret", b"two").expect("kept");
        assert_eq!(cache.get("https://h.example/a").as_deref(), Some(&b"one"[..]));
        assert_eq!(cache.get("https://h.example/b?sig=secret").as_deref(), Some(&b"two"[..]));
        cache.put("https://h.example/a", b"three").expect("kept");
        assert_eq!(cache.get("https://h.example/a").as_deref(), Some(&b"three"[..]));
        cache.forget("https://h.example/a");
        assert_eq!(cache.get("https://h.example/a"), None);
        for entry in fs::read_dir(&cache.folder).expect("a folder") {
            assert!(!entry.expect("an entry").path().to_string_lossy().contains("secret"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn folder_and_files_are_private() {
        let (_home, cache) = cache(MOST_BYTES);
        cache.put("u", b"one").expect("kept");
        let mode = |path: &std::path::Path| crate::fs::mode_of(&fs::metadata(path).expect("there"));
        assert_eq!(mode(&cache.folder), 0o700);
        assert_eq!(mode(&cache.path("u")), 0o600);
    }

    #[test]
    fn the_oldest_go_first_and_others_files_stay() {
        let (_home, cache) = cache(100);
        cache.put("a", &[1; 40]).expect("kept");
        cache.put("b", &[2; 40]).expect("kept");
        age(&cache, "a", 60);
        age(&cache, "b", 120);
        fs::write(cache.folder.join("README"), [0; 500]).expect("written");
        cache.put("c", &[3; 40]).expect("kept");
        assert_eq!(cache.get("b"), None);
        assert!(cache.get("a").is_some() && cache.get("c").is_some());
        assert!(cache.folder.join("README").exists());
    }

    #[test]
    fn what_is_a_week_old_is_not_shown_and_goes() {
        let (_home, cache) = cache(MOST_BYTES);
        cache.put("a", b"one").expect("kept");
        age(&cache, "a", 8 * 24 * 3600);
        assert_eq!(cache.get("a"), None);
        cache.put("b", b"two").expect("kept");
        assert!(!cache.path("a").exists());
    }

    #[test]
    fn what_is_too_long_or_no_file_is_not_read() {
        let (_home, cache) = cache(MOST_BYTES);
        cache.put("a", b"one").expect("kept");
        File::options().append(true).open(cache.path("a")).and_then(|f| f.set_len(1 << 30)).expect("longer");
        assert_eq!(cache.get("a"), None);
        fs::create_dir(cache.path("b")).expect("a folder");
        assert_eq!(cache.get("b"), None);
    }
}

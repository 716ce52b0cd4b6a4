//! The file of a saved layout. Everything here may block: only the worker and the shutdown call it.

use crate::tui::persist::saved_layout::{NoView, SavedLayout};
use crate::tui::prelude::*;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

/// Largest file that lapel reads, in bytes. A layout is much smaller.
const LARGEST: u64 = 1 << 19;
/// Longest wait of the lists for the file. A network folder may never answer.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Longest wait for a write. After that, lapel no longer waits for the disk.
const WRITING: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewRequest {
    Recall(PathBuf),
    Keep(PathBuf, Box<SavedLayout>),
    Forget(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewResponse {
    /// The layout, if there is one, and a warning if a damaged file was moved aside.
    Recalled(Option<Box<SavedLayout>>, Option<String>),
    /// Why the file could not be read or must not be touched. It stays unchanged, and lapel saves no layout.
    LeftAlone(String),
    Done(Result<(), String>),
}

impl ViewResponse {
    pub fn failed(ask: &ViewRequest, why: &str) -> Self {
        match ask {
            ViewRequest::Recall(file) => Self::LeftAlone(cannot_read(file, why)),
            ViewRequest::Keep(file, _) | ViewRequest::Forget(file) => Self::Done(Err(cannot_keep(file, why))),
        }
    }
}

/// Stops waiting after a time limit.
pub async fn run(ask: ViewRequest) -> ViewResponse {
    let asked = ask.clone();
    let work = tokio::task::spawn_blocking(move || match ask {
        ViewRequest::Recall(file) => recall(&file),
        ViewRequest::Keep(file, view) => ViewResponse::Done(
            keep(&file, &view).map_err(|why| cannot_keep(&file, &io_error::words(&why).to_string())),
        ),
        ViewRequest::Forget(file) => ViewResponse::Done(
            fs::remove(&file).map_err(|why| cannot_keep(&file, &io_error::words(&why).to_string())),
        ),
    });
    // The lists wait only for reading.
    let patience = if matches!(asked, ViewRequest::Recall(_)) { PATIENCE } else { WRITING };
    match tokio::time::timeout(patience, work).await {
        Ok(Ok(response)) => response,
        Ok(Err(why)) => ViewResponse::failed(&asked, &why.to_string()),
        Err(_) => ViewResponse::failed(&asked, t!("the disk does not respond")),
    }
}

fn cannot_read(file: &Path, why: &str) -> String {
    t!(
        "The saved list layout of this profile ({file}) cannot be read: {why}. lapel leaves the file unchanged and saves no layout this time.",
        file = scrub(&file.to_string_lossy()),
        why
    )
}

fn cannot_keep(file: &Path, why: &str) -> String {
    t!(
        "The list layout could not be saved for next time ({file}): {why}. Nothing else was changed.",
        file = scrub(&file.to_string_lossy()),
        why
    )
}

fn recall(file: &Path) -> ViewResponse {
    let bytes = match read(file) {
        Ok(None) => return ViewResponse::Recalled(None, None),
        Ok(Some(bytes)) => bytes,
        Err(why) => return ViewResponse::LeftAlone(cannot_read(file, &io_error::words(&why).to_string())),
    };
    let text = (bytes.len() as u64 <= LARGEST).then(|| String::from_utf8(bytes).ok()).flatten();
    match text.as_deref().map_or(Err(NoView::Damaged), SavedLayout::from_json) {
        Ok(view) => ViewResponse::Recalled(Some(Box::new(view)), None),
        Err(NoView::Newer) => ViewResponse::LeftAlone(cannot_read(file, t!("written by a newer lapel"))),
        Err(NoView::Damaged) => {
            let aside = file.with_extension("json.damaged");
            match std::fs::rename(file, &aside) {
                Ok(()) => ViewResponse::Recalled(
                    None,
                    Some(t!(
                        "The saved list layout of this profile is damaged. lapel moved the file to {file} and uses the default layout. Nothing else was changed.",
                        file = scrub(&aside.to_string_lossy())
                    )),
                ),
                Err(why) => ViewResponse::LeftAlone(cannot_read(file, &io_error::words(&why).to_string())),
            }
        }
    }
}

/// The content of the file, at most `LARGEST` + 1 bytes; `None` if there is no file.
fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    // Check the type first: opening a pipe would wait for its other end.
    match std::fs::metadata(file) {
        Ok(found) if found.is_file() => {}
        Ok(_) => {
            return Err(io::Error::new(ErrorKind::InvalidInput, localizable!("this path is not a file")));
        }
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(why) => return Err(why),
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes the whole file or nothing, for its owner only. After an error an existing file is unchanged.
pub fn keep(file: &Path, view: &SavedLayout) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_private_dir(folder)?;
    }
    fs::replace_private(file, crate::secrets::redact(&view.to_json()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tab::Tab;

    #[tokio::test]
    async fn a_view_is_kept_privately_and_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("desk/uni.json");
        assert_eq!(run(ViewRequest::Recall(file.clone())).await, ViewResponse::Recalled(None, None));
        let view = SavedLayout { tab: Some(Tab::Wallet), ..SavedLayout::default() };
        let kept = run(ViewRequest::Keep(file.clone(), Box::new(view.clone()))).await;
        assert_eq!(kept, ViewResponse::Done(Ok(())));
        assert_eq!(
            run(ViewRequest::Recall(file.clone())).await,
            ViewResponse::Recalled(Some(Box::new(view.clone())), None)
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("set");
            run(ViewRequest::Keep(file.clone(), Box::new(view))).await;
            assert_eq!(fs::mode_of(&std::fs::metadata(&file).expect("it is there")), 0o600);
            let folder = file.parent().expect("a folder");
            assert_eq!(fs::mode_of(&std::fs::metadata(folder).expect("it is there")), 0o700);
        }
        assert_eq!(run(ViewRequest::Forget(file.clone())).await, ViewResponse::Done(Ok(())));
        assert!(!file.exists());
        assert_eq!(
            run(ViewRequest::Forget(file)).await,
            ViewResponse::Done(Ok(())),
            "there is nothing to forget"
        );
    }

    #[tokio::test]
    async fn what_is_damaged_is_set_aside_and_what_is_no_file_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("uni.json");
        let large = vec![b' '; usize::try_from(LARGEST).expect("small") + 1];
        for content in [&b"not json"[..], b"\xff\xfe{}", &large] {
            std::fs::write(&file, content).expect("written");
            let ViewResponse::Recalled(None, Some(warning)) = run(ViewRequest::Recall(file.clone())).await
            else {
                panic!("it is damaged")
            };
            assert!(warning.contains("uni.json.damaged"), "{warning}");
            assert!(!file.exists());
            assert_eq!(std::fs::read(folder.path().join("uni.json.damaged")).expect("aside"), content);
        }
        std::fs::write(&file, r#"{"version":9}"#).expect("written");
        assert!(matches!(run(ViewRequest::Recall(file.clone())).await, ViewResponse::LeftAlone(_)));
        assert_eq!(std::fs::read_to_string(&file).expect("still there"), r#"{"version":9}"#);
        let no_file = folder.path().to_owned();
        assert!(matches!(run(ViewRequest::Recall(no_file.clone())).await, ViewResponse::LeftAlone(_)));
        let kept = run(ViewRequest::Keep(no_file, Box::default())).await;
        assert!(matches!(kept, ViewResponse::Done(Err(_))), "{kept:?}");
    }
}

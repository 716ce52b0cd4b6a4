//! What a file is, before it is opened: size, date and first rows. A large file is not read.

use crate::jobs::intake::{Choices, InputTable, ReadProgress};
use crate::secrets::redact;
use crate::tui::prelude::*;
use std::time::SystemTime;

/// Largest file whose rows are shown, in bytes.
pub const LARGEST: u64 = 4 * 1024 * 1024;
const ROWS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePreview {
    pub bytes: u64,
    pub modified: Option<SystemTime>,
    /// The format and the first rows, header included, or why there are none.
    pub rows: Result<(&'static str, Vec<Vec<Text>>), String>,
}

/// Reads the disk. The error is the reason as text, if there is no such file.
pub fn read(path: &Path, watch: &impl ReadProgress) -> Result<FilePreview, String> {
    let about = std::fs::metadata(path).map_err(|why| why.to_string())?;
    let rows = if !about.is_file() {
        Err(t!("lapel cannot read rows from this file.").to_owned())
    } else if about.len() > LARGEST {
        Err(t!("The file is too large for a preview.").to_owned())
    } else {
        first_rows(path, watch)
    };
    Ok(FilePreview { bytes: about.len(), modified: about.modified().ok(), rows })
}

fn first_rows(path: &Path, watch: &impl ReadProgress) -> Result<(&'static str, Vec<Vec<Text>>), String> {
    let source = ImportSource::File(path.to_owned());
    let table =
        InputTable::open(&source, &Choices::default(), &|_| None, watch).map_err(|why| why.to_string())?;
    let about = table.about();
    let header = (!about.columns.is_empty()).then(|| about.columns.clone());
    let data = table.preview(ROWS).into_iter().map(|row| row.cells);
    let rows = header.into_iter().chain(data);
    let text = |cell: String| Text::from(redact(&cell).into_owned());
    let rows = rows.map(|cells| cells.into_iter().map(text).collect()).collect();
    Ok((tr(about.format.name()), rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::intake::Unwatched;

    /// The cursor has moved on.
    struct Given;

    impl ReadProgress for Given {
        fn progress(&self, _: u64, _: u64) {}

        fn is_cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn the_first_rows_are_read_and_a_large_file_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.csv");
        std::fs::write(&path, "name,email\n한서윤,a@naru.example\n\u{1b}[2J,b@naru.example\n")
            .expect("written");
        let preview = read(&path, &Unwatched).expect("a file");
        let (_, rows) = preview.rows.expect("rows");
        let shown: Vec<String> = rows.iter().flatten().map(ToString::to_string).collect();
        assert_eq!(shown, ["name", "email", "한서윤", "a@naru.example", "␛[2J", "b@naru.example"]);
        assert_eq!(preview.bytes, std::fs::metadata(&path).expect("there").len());
        let file = std::fs::File::options().write(true).open(&path).expect("opened");
        file.set_len(LARGEST + 1).expect("longer");
        assert!(read(&path, &Unwatched).expect("a file").rows.is_err());
        assert!(read(folder.path(), &Unwatched).expect("a folder").rows.is_err());
        assert!(read(&folder.path().join("none"), &Unwatched).is_err());
        file.set_len(LARGEST).expect("shorter");
        let why = read(&path, &Given).expect("a file").rows;
        assert!(why.is_err(), "a preview that nobody waits for stops");
    }
}

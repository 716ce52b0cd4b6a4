//! JSON Lines files for programs.

use super::{BREATH, TableError, WriteProgress, Written, is_free, json_line};
use crate::fs::{Draft, Overwrite};
use serde_json::Value;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub fn write_lines<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    overwrite: bool,
    records: impl Iterator<Item = Result<Value, E>>,
    watch: &mut WriteProgress<'_>,
) -> Result<Written, TableError> {
    let trouble = |why: io::Error| TableError::of(to, why);
    is_free(to, overwrite)?;
    let mut draft = Draft::create(to).map_err(trouble)?;
    let mut written = Written { path: to.to_owned(), ..Written::default() };
    let mut out = BufWriter::new(&mut draft);
    for record in records {
        if written.rows.is_multiple_of(BREATH) && watch(written.rows).is_break() {
            return Err(TableError::Cancelled);
        }
        let record = record.map_err(|why| TableError::Rows(why.into()))?;
        writeln!(out, "{}", json_line(&record)).map_err(trouble)?;
        written.rows += 1;
    }
    if watch(written.rows).is_break() {
        return Err(TableError::Cancelled);
    }
    out.flush().map_err(trouble)?;
    drop(out);
    draft.place(if overwrite { Overwrite::Yes } else { Overwrite::No }).map_err(trouble)?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::ops::ControlFlow;

    fn write(to: &Path, overwrite: bool, fail: bool, rows: u64) -> Result<Written, TableError> {
        let records = (0..rows).map(|n| {
            if fail && n == rows - 1 {
                Err("the line broke")
            } else {
                Ok(json!({ "n": n, "name": "홍철\u{1b}" }))
            }
        });
        write_lines(to, overwrite, records, &mut |_| ControlFlow::Continue(()))
    }

    #[test]
    fn a_line_is_a_record_and_half_a_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        assert!(matches!(write(&path, false, true, 600), Err(TableError::Rows(_))));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        assert_eq!(write(&path, false, false, 600).expect("written").rows, 600);
        let text = std::fs::read_to_string(&path).expect("text");
        let back: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        assert_eq!((back.len(), &back[599]), (600, &json!({ "n": 599, "name": "홍철\u{1b}" })));
        assert!(!text.contains('\u{1b}'));
        assert!(matches!(write(&path, false, false, 1), Err(TableError::Exists(_))));
        assert_eq!(write(&path, true, false, 1).expect("replaced").rows, 1);
        #[cfg(unix)]
        assert_eq!(crate::fs::mode_of(&std::fs::metadata(&path).expect("metadata")), 0o600);
    }
}

//! The demo's spreadsheets: typical files of an issuer, with the demo's own people.

use std::io;
use std::path::{Path, PathBuf};

/// Number of badges that the demo's organisation may issue. The largest spreadsheet exceeds it.
pub const DEMO_QUOTA: u64 = 2_400;

/// Made by `tests/program/demo_files`.
const PAPERS: [(&str, &[u8]); 6] = [
    ("attendees-cp949.csv", include_bytes!("../../assets/demo/attendees-cp949.csv")),
    ("attendees-utf8-bom.csv", include_bytes!("../../assets/demo/attendees-utf8-bom.csv")),
    ("safety-2025-h2.xlsx", include_bytes!("../../assets/demo/safety-2025-h2.xlsx")),
    ("big-3200.csv", include_bytes!("../../assets/demo/big-3200.csv")),
    ("one-line-cp949.csv", include_bytes!("../../assets/demo/one-line-cp949.csv")),
    ("revoke-ids.csv", include_bytes!("../../assets/demo/revoke-ids.csv")),
];

pub fn lay_out(folder: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    PAPERS
        .iter()
        .map(|(name, content)| {
            let path = folder.join(name);
            std::fs::write(&path, content)?;
            Ok(path)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_demo_is_laid_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let laid = lay_out(&folder.path().join("papers")).expect("laid out");
        let kept =
            std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo")).expect("kept");
        let kept = kept
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "csv" || ending == "xlsx"));
        assert_eq!(laid.len(), kept.count(), "each of assets/demo is among them");
        assert!(laid.iter().all(|path| path.metadata().is_ok_and(|m| m.len() > 0)));
    }
}

//! Files of extra certificates: those that a profile trusts, and those that it trusts for its team's journal.

use super::file::ConfigFile;
use super::key::under;
use crate::config::prelude::*;
use crate::fs::open_plain;
use std::io::Read;
use std::sync::Arc;

/// In bytes. All certificates of a computer take a quarter of this.
const LONGEST: u64 = 1 << 20;

/// PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct CaFile {
    pub path: PathBuf,
    pub pem: Arc<[u8]>,
}

impl fmt::Debug for CaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaFile({}, {} bytes)", self.path.display(), self.pem.len())
    }
}

pub(super) fn read(
    named: Option<&str>,
    field: &str,
    file: &ConfigFile,
    paths: &Paths,
) -> Result<Option<CaFile>, ConfigError> {
    let Some(named) = named else { return Ok(None) };
    let path = under(&paths.config_dir, named);
    let pem = load(&path).map_err(|why| file.wrong(field, why))?;
    Ok(Some(CaFile { path, pem: pem.into() }))
}

/// The error names the path only if the file could be opened.
pub(super) fn load(path: &Path) -> Result<Vec<u8>, String> {
    let file = match open_plain(path) {
        Ok(Some(file)) => file,
        Ok(None) => return Err(t!("the certificate file named here is not a file").to_owned()),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(t!("there is no file with the name given here").to_owned());
        }
        Err(why) => return Err(t!("cannot read the certificate file: {why}", why = io_error::words(&why))),
    };
    let mut bytes = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|why| t!("cannot read {path}: {why}", path = shown(path), why = io_error::words(&why)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(t!("{path} is larger than 1 MB: it cannot be a certificate file", path = shown(path)));
    }
    if !bytes.windows(27).any(|w| w == b"-----BEGIN CERTIFICATE-----") {
        return Err(t!(
            "{path} holds no certificate: it must be text (PEM) with -----BEGIN CERTIFICATE----- in it",
            path = shown(path)
        ));
    }
    Ok(bytes)
}

//! Why the computer refuses to read, write or start something, in the user's language. Never the system's own text.

use super::text::scrub;
use crate::i18n::Localizable;
use std::io::{self, ErrorKind};

/// For the middle of a sentence. An error that lapel made with a [`Localizable`] keeps its words.
pub fn words(error: &io::Error) -> Localizable {
    if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Localizable>()) {
        return own.clone();
    }
    match error.kind() {
        ErrorKind::PermissionDenied => localizable!("permission denied"),
        ErrorKind::NotFound => localizable!("it does not exist"),
        ErrorKind::AlreadyExists => localizable!("the name is taken"),
        ErrorKind::NotADirectory => localizable!("not a folder"),
        ErrorKind::IsADirectory => localizable!("not a file"),
        ErrorKind::ReadOnlyFilesystem => localizable!("the disk is read-only"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => localizable!("no space is left"),
        ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => localizable!("it ended too early"),
        ErrorKind::AddrInUse => localizable!("the address is in use"),
        ErrorKind::InvalidFilename => localizable!("the name is too long or not valid"),
        _ => match (error.raw_os_error(), error.get_ref()) {
            (Some(code), _) => localizable!("error {code} of the operating system", code),
            (None, Some(inner)) => {
                localizable!("unexpected error ({text})", text = scrub(&inner.to_string()))
            }
            (None, None) if error.kind() == ErrorKind::InvalidInput => localizable!("the name is not valid"),
            (None, None) if error.kind() == ErrorKind::InvalidData => localizable!("not UTF-8 text"),
            (None, None) => localizable!("unexpected error"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;

    #[test]
    fn no_word_of_the_system_is_shown() {
        for (error, english) in [
            (ErrorKind::PermissionDenied.into(), "permission denied"),
            (io::Error::new(ErrorKind::NotFound, "entity not found"), "it does not exist"),
            (ErrorKind::InvalidData.into(), "not UTF-8 text"),
            (std::path::absolute("").expect_err("no path"), "the name is not valid"),
            (ErrorKind::Deadlock.into(), "unexpected error"),
            (io::Error::other("odd\u{1b}[31m"), "unexpected error (odd␛[31m)"),
            (io::Error::other(localizable!("the path is not a file")), "the path is not a file"),
        ] {
            assert_eq!(words(&error).in_language(Language::English), english, "{error:?}");
            let other = Language::ALL.iter().filter(|language| **language != Language::English);
            for language in other {
                let said = words(&error).in_language(*language).replace("odd␛[31m", "").replace("UTF-8", "");
                assert!(!said.contains(|c: char| c.is_ascii_alphabetic()), "{said}");
            }
        }
    }

    /// A loop of links has no stable kind.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_error_without_a_known_kind_has_its_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("loop");
        std::os::unix::fs::symlink(&link, &link).expect("a link");
        let error = std::fs::read(&link).expect_err("a loop");
        assert_eq!(words(&error).in_language(Language::English), "error 40 of the operating system");
    }
}

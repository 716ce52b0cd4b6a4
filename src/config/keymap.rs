//! Keys of one's own: `keys.toml`, beside `config.toml`. What the places and actions are called, and which
//! keys there are, the desk knows; here only the file is read, so that every mistake has its line.

use super::file::read_text;
use super::mistake::{ConfigError, Mistake};
use super::place::Sheet;
use std::path::{Path, PathBuf};

/// What stands in `keys.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeymapFile {
    path: PathBuf,
    /// Its lines, in their order, but for those whose form is wrong.
    pub lines: Vec<KeymapLine>,
    /// What is wrong with its form.
    mistakes: Vec<Mistake>,
}

/// One line: `revoke = ["x", "d d"]` under `[history]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeymapLine {
    /// The place, such as `history`.
    pub place: String,
    /// The action, such as `revoke`.
    pub action: String,
    /// The keys in place of the usual ones; none for none.
    pub keys: Vec<String>,
    /// Its line in the file, 1-based.
    pub line: usize,
}

impl KeymapFile {
    /// Reads the file; one that does not exist says nothing. What is wrong with its form is told with what is
    /// wrong with its keys, see [`Self::checked`].
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Ok(Self::parse(path, &read_text(path)?.unwrap_or_default()))
    }

    /// Reads it from a text.
    pub fn parse(path: &Path, text: &str) -> Self {
        let mut sheet = Sheet::new(path, text);
        let mut lines = Vec::new();
        if let Some(top) = sheet.parse() {
            for (place, table) in top.get_ref() {
                let place = place.get_ref().as_ref();
                let Some(table) = sheet.table(table, place, t!("a table, such as [history]")) else {
                    continue;
                };
                for (action, value) in table {
                    let at = value.span().start;
                    let keys = match (value.get_ref().as_str(), value.get_ref().as_array()) {
                        (Some(key), _) => Some(vec![key.to_owned()]),
                        (None, Some(all)) => {
                            all.iter().map(|key| key.get_ref().as_str().map(str::to_owned)).collect()
                        }
                        (None, None) => None,
                    };
                    let action = action.get_ref().as_ref();
                    let Some(keys) = keys else {
                        let what =
                            t!("must be a key in quotes, or a list of them: [\"x\", \"d d\"]; [] for none");
                        sheet.wrong(at, &format!("{place}.{action}"), what);
                        continue;
                    };
                    lines.push(KeymapLine {
                        place: place.to_owned(),
                        action: action.to_owned(),
                        keys,
                        line: sheet.line(at),
                    });
                }
            }
        }
        lines.sort_by_key(|line| line.line);
        Self { path: path.to_owned(), lines, mistakes: sheet.mistakes }
    }

    /// Whether it can be used, when so much is wrong with lines of it.
    ///
    /// # Errors
    /// That, and what is wrong with its form, by line.
    pub fn checked(&self, wrong: impl IntoIterator<Item = (usize, String)>) -> Result<(), ConfigError> {
        let line = |n: usize| self.lines.get(n);
        let mut mistakes = self.mistakes.clone();
        mistakes.extend(wrong.into_iter().map(|(n, what)| {
            let field = line(n).map(|l| format!("{}.{}", l.place, l.action));
            Mistake::in_file(&self.path, line(n).map(|l| l.line), field.as_deref(), what)
        }));
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes.sort_by_key(|mistake| mistake.line);
        Err(ConfigError::new(mistakes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_their_numbers() {
        let read = KeymapFile::parse(
            Path::new("keys.toml"),
            "[history]\nrevoke = ['x', 'd d']\nmark = 'm'\n\n[global]\nquit = []\n",
        );
        assert_eq!(read.checked([]), Ok(()));
        let told: Vec<(&str, &str, usize, usize)> =
            read.lines.iter().map(|l| (&*l.place, &*l.action, l.keys.len(), l.line)).collect();
        assert_eq!(told, [("history", "revoke", 2, 2), ("history", "mark", 1, 3), ("global", "quit", 0, 6)]);
    }

    #[test]
    fn what_is_no_list_of_keys_is_refused_with_its_line_beside_what_is_wrong_with_others() {
        let read = KeymapFile::parse(
            Path::new("keys.toml"),
            "quit = 'x'\n[history]\nmark = 'm'\nrevoke = 3\nrange = ['v', 4]\n",
        );
        let wrong = read.checked([(0, "no".to_owned())]).expect_err("mistakes");
        let told: Vec<Option<usize>> = wrong.mistakes().iter().map(|m| m.line).collect();
        assert_eq!(told, [Some(1), Some(3), Some(4), Some(5)], "{wrong}");
    }
}

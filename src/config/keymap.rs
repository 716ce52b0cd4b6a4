//! The user's keymap: `keys.toml`, beside `config.toml`.
//!
//! The TUI knows the contexts, actions and keys; this module only reads the file.

use super::bad_lines::Readable;
use super::word_enums::words;
use crate::config::prelude::*;

words! {
    /// `preset = "vim"` at the top of the file. Lines of the file win over it.
    #[derive(Default)]
    pub enum KeymapPreset {
        #[default]
        Default = "default",
        Vim = "vim",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeymapFile {
    path: PathBuf,
    pub preset: KeymapPreset,
    pub lines: Vec<KeymapLine>,
    mistakes: Vec<Mistake>,
}

/// One line: `revoke = ["x", "d d"]` under `[history]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeymapLine {
    pub place: String,
    pub action: String,
    /// Replace the default keys. An empty list removes them.
    pub keys: Vec<String>,
    pub line: usize,
}

impl KeymapFile {
    /// A missing file changes nothing. Mistakes are reported by [`Self::mistakes`].
    pub fn read(path: &Path) -> Self {
        match Readable::read(path) {
            Ok(readable) => Self::of(path, &readable.unwrap_or_default()),
            Err(error) => {
                Self { path: path.to_owned(), mistakes: error.mistakes().to_vec(), ..Self::default() }
            }
        }
    }

    pub fn parse(path: &Path, text: &str) -> Self {
        Self::of(path, &Readable::of(text))
    }

    fn of(path: &Path, readable: &Readable) -> Self {
        let mut reader = TomlReader::new(path, &readable.text);
        let mut lines = Vec::new();
        let mut preset = None;
        if let Some(top) = reader.parse() {
            for (place, table) in top.get_ref() {
                let place = place.get_ref().as_ref();
                if place == "preset" {
                    preset = reader.word(table, place);
                    continue;
                }
                let Some(table) = reader.table(table, place, t!("must be a table, such as [history]")) else {
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
                            t!("must be a key in quotes or a list of keys: [\"x\", \"d d\"], or [] for none");
                        reader.wrong(at, &format!("{place}.{action}"), what);
                        continue;
                    };
                    lines.push(KeymapLine {
                        place: place.to_owned(),
                        action: action.to_owned(),
                        keys,
                        line: reader.line(at),
                    });
                }
            }
        }
        lines.sort_by_key(|line| line.line);
        let mistakes = readable.all_mistakes(reader.mistakes, path);
        Self { path: path.to_owned(), preset: preset.unwrap_or_default(), lines, mistakes }
    }

    /// Adds these mistakes in its lines, and sorts all by line.
    pub fn mistakes(&self, wrong: impl IntoIterator<Item = (usize, String)>) -> Vec<Mistake> {
        let line = |n: usize| self.lines.get(n);
        let mut mistakes = self.mistakes.clone();
        mistakes.extend(wrong.into_iter().map(|(n, what)| {
            let field = line(n).map(|l| format!("{}.{}", l.place, l.action));
            Mistake::in_file(&self.path, line(n).map(|l| l.line), field.as_deref(), what)
        }));
        mistakes.sort_by_key(|mistake| mistake.line);
        mistakes
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
        assert_eq!(read.mistakes([]), []);
        let told: Vec<(&str, &str, usize, usize)> =
            read.lines.iter().map(|l| (&*l.place, &*l.action, l.keys.len(), l.line)).collect();
        assert_eq!(told, [("history", "revoke", 2, 2), ("history", "mark", 1, 3), ("global", "quit", 0, 6)]);
    }

    #[test]
    fn a_preset_is_read_by_its_name() {
        let read = |text| KeymapFile::parse(Path::new("keys.toml"), text);
        assert_eq!(read("preset = 'vim'\n[history]\nmark = 'm'\n").preset, KeymapPreset::Vim);
        assert_eq!(read("preset = 'default'\n").preset, KeymapPreset::Default);
        for text in ["\npreset = 'emacs'\n", "\npreset = 3\n", "\n[preset]\nx = 'y'\n"] {
            let wrong = read(text);
            let lines: Vec<Option<usize>> = wrong.mistakes([]).iter().map(|m| m.line).collect();
            assert_eq!((wrong.preset, lines), (KeymapPreset::Default, vec![Some(2)]), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_of_keys_is_refused_with_its_line_beside_what_is_wrong_with_others() {
        let read = KeymapFile::parse(
            Path::new("keys.toml"),
            "quit = 'x'\n[history]\nmark = 'm'\nrevoke = 3\nrange = ['v', 4]\n",
        );
        let wrong = read.mistakes([(0, "no".to_owned())]);
        let told: Vec<Option<usize>> = wrong.iter().map(|m| m.line).collect();
        assert_eq!(told, [Some(1), Some(3), Some(4), Some(5)], "{wrong:?}");
    }
}

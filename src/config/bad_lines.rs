//! Skips the lines of a settings file that are not TOML, so that one mistake does not cost the whole file.

use crate::config::prelude::*;
use crate::fs::open_plain;
use std::io::Read;

/// In bytes. A larger file is something else.
const LARGEST: u64 = 1 << 20;
/// A file with more skipped places is something else.
const MOST: usize = 20;
/// The most bytes of one file that lapel parses: some hundred times a usual file.
const MOST_READ: usize = 1 << 20;

/// Empty lines replace invalid TOML, so that line numbers stay the same.
#[derive(Debug, Default)]
pub(super) struct Readable {
    pub text: String,
    pub lost: Vec<LostLines>,
    /// Too little is TOML, so no line is used.
    given_up: bool,
}

#[derive(Debug)]
pub(super) struct LostLines {
    pub line: usize,
    pub texts: Vec<String>,
    /// Such as `[profiles.uni]`. Empty above the first heading.
    pub section: String,
    pub what: String,
}

impl LostLines {
    /// A skipped heading loses all lines below it.
    pub fn has_heading(&self) -> bool {
        self.texts.iter().any(|text| is_heading(text))
    }

    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let lines = self.texts.iter().filter(|text| !text.is_empty() && !text.starts_with('#'));
        lines.map(|text| text.split(['=', '.', ' ', '\t']).next().unwrap_or_default())
    }

    pub fn section(&self) -> Vec<String> {
        let mut names = Vec::new();
        let Ok(table) = DeTable::parse(&self.section) else { return names };
        let mut at = table.get_ref();
        while let Some((name, inner)) = at.iter().next() {
            names.push(name.get_ref().to_string());
            match inner.get_ref().as_table() {
                Some(inner) => at = inner,
                None => break,
            }
        }
        names
    }

    pub fn mistake(&self, file: &Path) -> Mistake {
        Mistake::in_file(file, Some(self.line), None, self.what.clone())
    }
}

impl Readable {
    /// `None` when the file does not exist. Fails only when the whole file cannot be used.
    pub fn read(path: &Path) -> Result<Option<Self>, ConfigError> {
        let Some(bytes) = read_bytes(path)? else { return Ok(None) };
        let whole = |what: &str| ConfigError::from(Mistake::in_file(path, None, None, what));
        let not_text = t!("is not UTF-8 text: save the file as UTF-8");
        let lines: Vec<Option<&str>> =
            bytes.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).ok()).collect();
        if lines.iter().filter(|line| line.is_none()).count() > MOST {
            return Err(whole(not_text));
        }
        let mut section = "";
        let mut lost = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            match line {
                Some(line) if is_heading(line) => section = line,
                Some(_) => {}
                None => {
                    let line = bytes.split(|byte| *byte == b'\n').nth(at).unwrap_or_default();
                    lost.push(LostLines {
                        line: at + 1,
                        texts: vec![String::from_utf8_lossy(line).trim().to_owned()],
                        section: section.to_owned(),
                        what: not_text.to_owned(),
                    });
                }
            }
        }
        let text = lines.iter().map(|line| line.unwrap_or_default()).collect::<Vec<_>>().join("\n");
        let mut read = Self::of(&text);
        if read.given_up {
            return Err(ConfigError::new(read.lost.iter().map(|lost| lost.mistake(path)).collect()));
        }
        read.lost.extend(lost);
        read.lost.sort_by_key(|lost| lost.line);
        Ok(Some(read))
    }

    /// Those in the lines that are TOML and in the skipped ones, by line.
    pub fn all_mistakes(&self, mut mistakes: Vec<Mistake>, file: &Path) -> Vec<Mistake> {
        mistakes.extend(self.lost.iter().map(|lost| lost.mistake(file)));
        mistakes.sort_by_key(|mistake| mistake.line);
        mistakes
    }

    /// Empty when too many lines are not TOML.
    pub fn of(text: &str) -> Self {
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let mut lost: Vec<LostLines> = Vec::new();
        let mut read = 0;
        loop {
            let text = lines.join("\n");
            read += text.len();
            let Err(error) = DeTable::parse(&text) else { return Self { text, lost, given_up: false } };
            let offset = error.span().map_or(0, |span| span.start);
            let before = text.get(..offset).unwrap_or(&text);
            let at = before.matches('\n').count().min(lines.len() - 1);
            // The statement may begin in an earlier line, and the parser does not report mistakes in their order.
            let mut first = at;
            while first > 0 && read <= MOST_READ {
                let earlier = lines[..first].join("\n");
                read += earlier.len();
                if DeTable::parse(&earlier).is_ok() {
                    break;
                }
                first -= 1;
            }
            // An unclosed value must not include the sections below it.
            let heading = (first + 1..=at).find(|line| is_heading(&lines[*line]));
            let mut end = heading.unwrap_or(at + 1);
            if is_heading(&lines[first]) {
                end += lines[end..].iter().take_while(|line| !is_heading(line)).count();
            }
            let section = lines[..first].iter().rev().find(|line| is_heading(line));
            lost.push(LostLines {
                line: if (first..end).contains(&at) { at + 1 } else { first + 1 },
                texts: lines[first..end].iter().map(|line| line.trim().to_owned()).collect(),
                section: section.cloned().unwrap_or_default(),
                // The parser's messages contain no values. Its quoted line is left out.
                what: t!("invalid TOML: {message}", message = error.message()),
            });
            if lost.len() > MOST || read > MOST_READ {
                return Self { text: String::new(), lost, given_up: true };
            }
            lines[first..end].iter_mut().for_each(String::clear);
        }
    }
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('\u{feff}').trim_start().starts_with('[')
}

/// `None` when the file does not exist.
pub(super) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    let wrong = |what: String| ConfigError::from(Mistake::in_file(path, None, None, what));
    let cannot = |why: std::io::Error| wrong(t!("cannot be read: {why}", why = io_error::words(&why)));
    let file = match open_plain(path) {
        Ok(Some(file)) => file,
        Ok(None) => return Err(wrong(t!("is not a file").to_owned())),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(why) => return Err(cannot(why)),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(wrong(t!("is larger than 1 MB: too large for a settings file").to_owned()));
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(text: &str) -> (Vec<usize>, String) {
        let read = Readable::of(text);
        let kept: Vec<&str> = read.text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
        (read.lost.iter().map(|lost| lost.line).collect(), kept.join("; "))
    }

    #[test]
    fn what_is_no_toml_costs_its_own_line() {
        for (text, lines, kept) in [
            ("a = 1\nb = dark\nc = 3\n", &[2][..], "a = 1; c = 3"),
            ("a = 'x\nc = 3\n", &[1], "c = 3"),
            ("a = 1\na = 2\nc = 3", &[2], "a = 1; c = 3"),
            ("= 1\nno\nc = 3", &[2], "c = 3"),
            ("[a]\nb = [5,\n[c]\nd = 1\n", &[2], "[a]; [c]; d = 1"),
            ("[a]\nb = [\n 1,\n oops,\n]\nc = 3", &[4, 5], "[a]; c = 3"),
            // A heading takes all lines below it with it: they would otherwise join another section.
            ("[a]\nb = 1\n[c\nd = 2\ne = 3\n[f]\ng = 1", &[3], "[a]; b = 1; [f]; g = 1"),
            ("[a]\nb = 1\n[a]\nd = 2\n[f]\ng = 1", &[3], "[a]; b = 1; [f]; g = 1"),
        ] {
            assert_eq!(lost(text), (lines.to_vec(), kept.to_owned()), "{text}");
        }
        assert_eq!(lost(&"no\n".repeat(100)).1, "");
        let read = Readable::of("x = 1\n[profiles.uni]\nread_only = tru\n");
        let fields: Vec<&str> = read.lost[0].fields().collect();
        assert_eq!(
            (fields, read.lost[0].section()),
            (vec!["read_only"], vec!["profiles".into(), "uni".into()])
        );
        let read = Readable::of("[a]\norganisation = Uni\nread_only = tru\nb = 1");
        let fields: Vec<&str> = read.lost.iter().flat_map(LostLines::fields).collect();
        assert_eq!(fields, ["organisation", "read_only"]);
    }
}

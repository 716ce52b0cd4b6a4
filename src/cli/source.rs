//! Sources of recipients and ids, and the questions to answer before lapel can read them.

use super::session::{VerbSession, aside};
use super::verbs::{MappedField, ReadingFlags};
use crate::cli::prelude::*;
use crate::jobs::intake::{
    About, Choices, ColumnMap, Delimiter, FileQuestion, HeaderRow, ImportSource, MAX_PASTED_BYTES, MapState,
    NameColumns, TableContent,
};
use crate::jobs::{Opened, Reading};
use std::io::Read;

/// Sample lines shown for each encoding.
const SAMPLES: usize = 3;

/// The absolute path can be offered again from any folder. `-` is standard input.
pub(super) async fn of_file(name: &Path) -> Result<ImportSource, Failure> {
    if name == Path::new("-") {
        return aside(pasted).await;
    }
    let path = std::path::absolute(name).map_err(|why| {
        Failure::usage(t!(
            "{name}: {why}. Nothing was sent.",
            name = scrub(&name.to_string_lossy()),
            why = io_error::words(&why)
        ))
    })?;
    Ok(ImportSource::File(path))
}

fn pasted() -> Result<ImportSource, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_PASTED_BYTES + 1).read_to_end(&mut bytes).map_err(|why| {
        Failure::new(
            "input",
            t!("Cannot read standard input: {why}. Nothing was sent.", why = io_error::words(&why)),
        )
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::new(
            "input",
            t!("Standard input is not UTF-8. Nothing was sent. Give a file name instead: lapel then detects the encoding."),
        )
    })?;
    Ok(ImportSource::Pasted(text))
}

/// Recipients from the command line, one per line, unchanged.
pub(super) fn of_people(people: &[String]) -> Result<ImportSource, Failure> {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    match people.iter().find(|p| p.contains(breaks) || p.trim().is_empty()) {
        Some(odd) => Err(Failure::usage(t!(
            "--to \"{odd}\" is not one recipient: use \"NAME <EMAIL>\". Nothing was sent.",
            odd = scrub(odd)
        ))),
        None => Ok(ImportSource::Pasted(people.join("\n"))),
    }
}

pub(super) fn choices(flags: &ReadingFlags) -> Choices {
    Choices {
        encoding: flags.encoding,
        delimiter: flags.delimiter,
        sheet: flags.sheet.clone(),
        header: flags.header_row,
        ..Choices::default()
    }
}

impl VerbSession {
    /// Adds the columns from the flags to the choices.
    pub async fn open_source(
        &mut self,
        source: &ImportSource,
        choices: &mut Choices,
        map: &[(MappedField, String)],
    ) -> Result<Opened, Failure> {
        let opened = self.opened(source, choices).await?;
        let mut open = opened.about.needs_answer();
        if !map.is_empty() {
            let of_columns = |q: &FileQuestion| {
                matches!(
                    q,
                    FileQuestion::ColumnsAmbiguous { .. }
                        | FileQuestion::ColumnMissing { .. }
                        | FileQuestion::ColumnContradicts { .. }
                )
            };
            open.retain(|q| !of_columns(q));
        }
        if !open.is_empty() {
            return Err(questions(&opened.about, &open));
        }
        if map.is_empty() {
            return Ok(opened);
        }
        choices.columns = Some(columns(&opened.about, map)?);
        self.opened(source, choices).await
    }

    async fn opened(&mut self, source: &ImportSource, choices: &Choices) -> Result<Opened, Failure> {
        let (told, progress) = watch::channel(Reading::default());
        let (wanted, token) = (TableContent::Recipients, self.interrupt.token());
        let work = self.jobs.open_file(wanted, source.clone(), choices.clone(), told, token);
        let read = |r: &Reading| (t!("reading").to_owned(), r.rows, r.rows_all);
        Ok(self.progress.during(progress, read, work).await?)
    }
}

pub(super) fn described(about: &About) -> Value {
    json!({
        "name": about.name.to_string(),
        "sha256": about.sha256,
        "bytes": about.bytes,
        "format": about.format.name(),
        "encoding": about.encoding.as_ref().map(|e| e.encoding.label()),
        "delimiter": about.delimiter.map(Delimiter::name),
        "sheet": about.sheet,
        "columns": about.columns,
        "notes": about.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Names the flags that answer them.
pub(super) fn questions(about: &About, open: &[FileQuestion]) -> Failure {
    let mut lines = vec![t!("More options are needed to read {name}. Nothing was sent.", name = about.name)];
    for question in open {
        lines.push(format!("  {question}:"));
        match question {
            FileQuestion::EncodingAmbiguous => {
                for (encoding, samples) in about.encoding.iter().flat_map(|e| &e.alternatives) {
                    let flag = encoding.label().to_lowercase().replace(' ', "");
                    for sample in samples.iter().take(SAMPLES) {
                        lines.push(format!("    --encoding {flag:9}  {sample}"));
                    }
                }
            }
            FileQuestion::SheetAmbiguous => {
                for sheet in &about.sheets {
                    let rows = if sheet.hidden {
                        plural!(sheet.rows, "{n} row, hidden", "{n} rows, hidden")
                    } else {
                        count!(sheet.rows, "row", "rows")
                    };
                    lines.push(format!("    --sheet '{}'  ({rows})", sheet.name));
                }
            }
            FileQuestion::HeaderNotFound => {
                lines.push(format!("    {}", t!("--header-row N, or --header-row none")));
            }
            FileQuestion::ColumnsAmbiguous { .. }
            | FileQuestion::ColumnMissing { .. }
            | FileQuestion::ColumnContradicts { .. } => {
                let map = t!("--map name=COL,email=COL (or family=COL,given=COL,email=COL)");
                lines.push(format!("    {map}"));
                lines.push(format!("    {}", names(about)));
            }
        }
    }
    Failure::usage(lines.join("\n")).of_kind("question")
}

pub(super) fn names(about: &About) -> String {
    // Without a header row, the columns have only numbers.
    let is_named = matches!(about.header, Some(HeaderRow::At(_)));
    let of =
        |(name, n): (&String, usize)| if is_named { format!("{n} {}", scrub(name)) } else { n.to_string() };
    let all: Vec<String> = about.columns.iter().zip(1..).take(30).map(of).collect();
    t!("columns: {all}", all = list(all))
}

/// By name, or by number from 1.
pub(super) fn column(about: &About, wanted: &str) -> Result<usize, Failure> {
    let wanted = wanted.trim();
    let is = |name: &String| name.trim().to_lowercase() == wanted.to_lowercase();
    let named: Vec<usize> = (0..about.columns.len()).filter(|c| is(&about.columns[*c])).collect();
    match named.as_slice() {
        [one] => return Ok(*one),
        [] => {}
        _ => {
            return Err(Failure::usage(t!(
                "several columns are called {wanted}: use a column number ({about}). Nothing was sent.",
                wanted = scrub(wanted),
                about = names(about)
            )));
        }
    }
    let number = wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    number.filter(|n| *n < about.columns.len()).ok_or_else(|| {
        Failure::usage(t!(
            "{name} has no column {wanted} ({about}). Nothing was sent.",
            name = about.name,
            wanted = scrub(wanted),
            about = names(about)
        ))
    })
}

/// The flags override the detected columns.
fn columns(about: &About, said: &[(MappedField, String)]) -> Result<ColumnMap, Failure> {
    let (mut name, mut email, mut template) = match &about.map {
        MapState::Chosen(map) | MapState::Remembered(map) | MapState::Found(map) => {
            (Some(map.name), Some(map.email), map.template)
        }
        MapState::Asked { name, email, template, .. } => (*name, *email, *template),
    };
    let (mut family, mut given) = (None, None);
    for (field, wanted) in said {
        let column = column(about, wanted)?;
        match field {
            MappedField::Name => name = Some(NameColumns::One(column)),
            MappedField::Family => family = Some(column),
            MappedField::Given => given = Some(column),
            MappedField::Email => email = Some(column),
            MappedField::Template => template = Some(column),
        }
    }
    match (family, given) {
        (Some(family), Some(given)) => name = Some(NameColumns::FamilyGiven { family, given }),
        (None, None) => {}
        _ => return Err(Failure::usage(t!("--map needs family and given together. Nothing was sent."))),
    }
    match (name, email) {
        (Some(name), Some(email)) => Ok(ColumnMap { name, email, template }),
        (None, _) => Err(Failure::usage(t!(
            "--map needs a name column ({about}). Nothing was sent.",
            about = names(about)
        ))),
        (_, None) => Err(Failure::usage(t!(
            "--map needs an email column ({about}). Nothing was sent.",
            about = names(about)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_one_person_a_line() {
        let people = ["김민수 <a@naru.example>".to_owned(), "b@naru.example".to_owned()];
        let Ok(ImportSource::Pasted(text)) = of_people(&people) else { panic!("pasted") };
        assert_eq!(text, "김민수 <a@naru.example>\nb@naru.example");
        for odd in ["", "  ", "a\nb@c.example", "a\rb", "x\u{2028}y"] {
            assert_eq!(of_people(&[odd.to_owned()]).expect_err(odd).code, 2, "{odd:?}");
        }
    }
}

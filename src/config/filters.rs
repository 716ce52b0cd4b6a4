//! Saved filters: `filters.toml`, beside `config.toml`.
//!
//! Users edit and share this file, so a change keeps comments and order. The TUI passes in the
//! lists and their fields.

use super::bad_lines::Readable;
use super::file::read_text;
use crate::config::prelude::*;
use crate::fs::{create_private_dir, replace_private};
use crate::i18n::list;
use crate::secrets;
use toml_edit::{DocumentMut, Item, Table};

/// Per list.
const MOST: usize = 100;
/// In characters.
const LONGEST_NAME: usize = 60;
/// In characters.
const LONGEST_VALUE: usize = 500;
const HEAD: &str = "\
# Filters that lapel keeps by name: [history.\"a name\"] and [templates.\"a name\"], with the fields of the service
# and sort = \"column:asc\" or \"column:desc\". You may edit this file and give it to others.
";

/// A list that the file may have filters of.
#[derive(Clone, Debug)]
pub struct KnownList {
    pub list: &'static str,
    pub fields: Vec<&'static str>,
    pub columns: Vec<&'static str>,
    pub check: fn(field: &str, value: &str) -> Result<(), String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFilter {
    pub list: String,
    /// From a file: scrub it before display.
    pub name: String,
    /// As typed, in the order of the filter bar.
    pub fields: Vec<(String, String)>,
    /// The column, and `true` for descending.
    pub sort: Option<(String, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterChange {
    Save {
        filter: NamedFilter,
        /// Replaces a filter of the same name. Otherwise the change fails.
        replace: bool,
    },
    Rename {
        list: String,
        from: String,
        to: String,
    },
    Remove {
        list: String,
        name: String,
    },
}

#[derive(Clone, Debug)]
pub struct FiltersFile {
    path: PathBuf,
    lists: Vec<KnownList>,
}

impl FiltersFile {
    pub fn new(path: PathBuf, lists: Vec<KnownList>) -> Self {
        Self { path, lists }
    }

    /// Skips a filter with a mistake: without one of its fields it would match more. A missing file
    /// has no filters.
    pub fn read(&self) -> (Vec<NamedFilter>, Vec<Mistake>) {
        match Readable::read(&self.path) {
            Ok(readable) => self.of(&readable.unwrap_or_default()),
            Err(error) => (Vec::new(), error.mistakes().to_vec()),
        }
    }

    /// Changes the file completely or not at all.
    pub fn change(&self, change: &FilterChange) -> Result<Vec<NamedFilter>, ConfigError> {
        let text = read_text(&self.path)?.unwrap_or_default();
        let before = self.parse(&text)?;
        let (after, filters) = self.applied(&text, &before, change)?;
        let written = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => create_private_dir(folder),
            _ => Ok(()),
        };
        written
            .and_then(|()| replace_private(&self.path, secrets::redact(&after).as_bytes()))
            .map_err(|why| cannot_write(&self.path, &why))?;
        Ok(filters)
    }

    fn parse(&self, text: &str) -> Result<Vec<NamedFilter>, ConfigError> {
        let (filters, mistakes) = self.of(&Readable::of(text));
        if mistakes.is_empty() { Ok(filters) } else { Err(ConfigError::new(mistakes)) }
    }

    fn of(&self, readable: &Readable) -> (Vec<NamedFilter>, Vec<Mistake>) {
        let mut reader = TomlReader::new(&self.path, &readable.text);
        let mut found: Vec<(usize, NamedFilter)> = Vec::new();
        if let Some(top) = reader.parse() {
            let names: Vec<&str> = self.lists.iter().map(|known| known.list).collect();
            reader.unknown(top.get_ref(), "", &names, &[]);
            for known in &self.lists {
                let Some(value) = top.get_ref().get(known.list) else { continue };
                let what = t!("must be tables such as [{list}.\"a name\"]", list = known.list);
                let Some(table) = reader.table(value, known.list, &what) else { continue };
                if table.len() > MOST {
                    let what = t!("has more than {most} filters: remove some", most = MOST);
                    reader.wrong(value.span().start, known.list, what);
                    continue;
                }
                for (name, value) in table {
                    let at = name.span().start;
                    let name = name.get_ref().as_ref();
                    if let Err(why) = check_name(name) {
                        reader.wrong(at, known.list, why);
                        continue;
                    }
                    let of_this = [known.list, name].map(str::to_owned);
                    if readable.lost.iter().any(|lost| lost.section().starts_with(&of_this)) {
                        continue;
                    }
                    let mistakes = reader.mistakes.len();
                    let read = filter(&mut reader, known, name, value);
                    found.extend(
                        read.filter(|_| reader.mistakes.len() == mistakes).map(|filter| (at, filter)),
                    );
                }
            }
        }
        found.sort_by_key(|(at, _)| *at);
        let mistakes = readable.all_mistakes(reader.mistakes, &self.path);
        (found.into_iter().map(|(_, filter)| filter).collect(), mistakes)
    }

    /// Parses the new text before it is written.
    fn applied(
        &self,
        text: &str,
        before: &[NamedFilter],
        change: &FilterChange,
    ) -> Result<(String, Vec<NamedFilter>), ConfigError> {
        let mut doc: DocumentMut = text.parse().map_err(|_| self.cannot())?;
        // New entries would be added above the comments of a file that has nothing else.
        let mut head = String::new();
        if doc.as_table().is_empty() {
            doc = DocumentMut::new();
            head = format!("{}\n\n", if text.trim().is_empty() { HEAD } else { text }.trim_end());
        }
        let is = |list: &str, name: &str, filter: &NamedFilter| filter.list == list && filter.name == name;
        let has = |list: &str, name: &str| before.iter().any(|filter| is(list, name, filter));
        let mut wanted = before.to_vec();
        match change {
            FilterChange::Save { filter, replace } => {
                check_name(&filter.name).map_err(Mistake::plain)?;
                if has(&filter.list, &filter.name) {
                    if !replace {
                        return Err(taken());
                    }
                    wanted.retain(|old| !is(&filter.list, &filter.name, old));
                } else if before.iter().filter(|old| old.list == filter.list).count() >= MOST {
                    let what = t!("This list already has {most} filters: remove one first", most = MOST);
                    return Err(Mistake::plain(what).into());
                }
                put(&mut doc, filter).ok_or_else(|| self.cannot())?;
                wanted.push(filter.clone());
            }
            FilterChange::Rename { list, from, to } => {
                check_name(to).map_err(Mistake::plain)?;
                if from != to && has(list, to) {
                    return Err(taken());
                }
                let filters = doc.get_mut(list).and_then(Item::as_table_like_mut);
                let filters = filters.ok_or_else(gone)?;
                let item = filters.remove(from).ok_or_else(gone)?;
                filters.insert(to, item);
                for filter in wanted.iter_mut().filter(|filter| is(list, from, filter)) {
                    to.clone_into(&mut filter.name);
                }
            }
            FilterChange::Remove { list, name } => {
                let filters = doc.get_mut(list).and_then(Item::as_table_like_mut);
                filters.and_then(|filters| filters.remove(name)).ok_or_else(gone)?;
                wanted.retain(|old| !is(list, name, old));
            }
        }
        let after = format!("{head}{doc}");
        let read = self.parse(&after)?;
        let same = read.len() == wanted.len() && wanted.iter().all(|filter| read.contains(filter));
        if same { Ok((after, read)) } else { Err(self.cannot()) }
    }

    fn cannot(&self) -> ConfigError {
        let what = t!("has a form that lapel cannot edit. Nothing was changed. Edit it yourself");
        Mistake::in_file(&self.path, None, None, what).into()
    }
}

fn put(doc: &mut DocumentMut, filter: &NamedFilter) -> Option<()> {
    let mut table = Table::new();
    for (field, value) in &filter.fields {
        table.insert(field, toml_edit::value(value.as_str()));
    }
    if let Some((column, downwards)) = &filter.sort {
        let direction = if *downwards { "desc" } else { "asc" };
        table.insert("sort", toml_edit::value(format!("{column}:{direction}")));
    }
    let list = doc.entry(&filter.list).or_insert_with(|| {
        let mut list = Table::new();
        list.set_implicit(true);
        Item::Table(list)
    });
    let is_block = list.is_table();
    let filters = list.as_table_like_mut()?;
    let place = filters.entry(&filter.name).or_insert(Item::None);
    match place {
        Item::Table(old) => {
            *table.decor_mut() = old.decor().clone();
            table.set_position(old.position());
            *old = table;
        }
        Item::None if is_block => *place = Item::Table(table),
        _ => *place = toml_edit::value(table.into_inline_table()),
    }
    Some(())
}

fn filter(
    reader: &mut TomlReader<'_>,
    known: &KnownList,
    name: &str,
    value: &TomlValue<'_>,
) -> Option<NamedFilter> {
    let place = format!("{}.{name}", known.list);
    let mistakes = reader.mistakes.len();
    let table = reader.table(value, &place, t!("must be a table of fields"))?;
    reader.unknown(table, &place, &known.fields, &["sort"]);
    let mut fields = Vec::new();
    for field in &known.fields {
        if let Some(value) = table.get(*field)
            && let Some(text) = typed(reader, value, &format!("{place}.{field}"))
        {
            match (known.check)(field, &text) {
                Ok(()) => fields.push(((*field).to_owned(), text)),
                Err(why) => reader.wrong(value.span().start, &format!("{place}.{field}"), why),
            }
        }
    }
    let sort = sort(reader, known, table, &place);
    if reader.mistakes.len() == mistakes && fields.is_empty() && sort.is_none() {
        reader.wrong(value.span().start, &place, t!("sets no field and no sort: a filter needs one"));
        return None;
    }
    Some(NamedFilter { list: known.list.to_owned(), name: name.to_owned(), fields, sort })
}

/// As the user would type it. Dates and booleans may be without quotes.
fn typed(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, place: &str) -> Option<String> {
    let text = match value.get_ref() {
        toml::de::DeValue::String(text) => Some(text.to_string()),
        toml::de::DeValue::Datetime(day) => Some(day.to_string()),
        toml::de::DeValue::Boolean(yes) => Some(if *yes { "Y" } else { "N" }.to_owned()),
        _ => None,
    };
    let fine = text.filter(|text| !text.trim().is_empty() && text.chars().count() <= LONGEST_VALUE);
    reader.found(fine, value, place, || {
        t!("must be text in quotes, with 1 to {most} characters", most = LONGEST_VALUE)
    })
}

fn sort(
    reader: &mut TomlReader<'_>,
    known: &KnownList,
    table: &DeTable<'_>,
    place: &str,
) -> Option<(String, bool)> {
    let value = table.get("sort")?;
    let read = value.get_ref().as_str().and_then(|text| {
        let (column, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let downwards = match direction {
            "asc" => false,
            "desc" => true,
            _ => return None,
        };
        known.columns.contains(&column).then(|| (column.to_owned(), downwards))
    });
    reader.found(read, value, &format!("{place}.sort"), || {
        t!(
            "must be a column with :asc or :desc; columns here: {columns}",
            columns = list(known.columns.iter().copied())
        )
    })
}

fn check_name(name: &str) -> Result<(), String> {
    let long = name.chars().count() > LONGEST_NAME;
    if name.trim().is_empty() || name.trim() != name || long || name.chars().any(char::is_control) {
        return Err(t!(
            "a name has 1 to {most} characters, no control characters, and no space at either end",
            most = LONGEST_NAME
        ));
    }
    Ok(())
}

fn taken() -> ConfigError {
    Mistake::plain(t!("A filter with this name already exists. Nothing was changed. Choose another name"))
        .into()
}

fn gone() -> ConfigError {
    Mistake::plain(t!("This filter no longer exists: somebody has changed the file. Nothing was changed"))
        .into()
}

#[cfg(test)]
mod tests;

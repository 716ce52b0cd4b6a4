//! The functions of SQL that conditions of lists use.

use crate::domain::{Text, narrowing};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

type IsWord = fn(&str) -> bool;

/// Adds the functions that the conditions use, so that they compare as [`narrowing`] does.
pub(super) fn add(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("holds", 2, flags, |values| {
        let (text, wanted): (Option<String>, String) = (values.get(0)?, values.get(1)?);
        Ok(narrowing::contains(text.map(Text::new).as_ref(), Some(&wanted)))
    })?;
    let words: [(&str, IsWord); 2] =
        [("mail_fails", narrowing::is_mail_failure), ("mail_waits", narrowing::is_mail_waiting)];
    for (name, is_it) in words {
        db.create_scalar_function(name, 1, flags, move |values| {
            Ok(values.get::<Option<String>>(0)?.is_some_and(|word| is_it(&word)))
        })?;
    }
    db.create_scalar_function("same", 2, flags, |values| {
        let (text, wanted): (Option<String>, String) = (values.get(0)?, values.get(1)?);
        Ok(text.is_some_and(|text| text.trim().to_lowercase() == wanted.to_lowercase()))
    })
}

//! Reasons as the journal stores them, and the migration of the sentences that earlier versions stored.

use super::tx::{Bind, HasSqlType, ReadColumn, SqlType, SqlValue, sql_types};
use crate::jobs::journal::prelude::*;
use rusqlite::functions::FunctionFlags;
use std::cell::RefCell;

sql_types! {
    Reason: Text, |reason| SqlValue::Text(stored(reason).into()), SqlValue::Text(text) => Reason::read(&text);
}

/// A reason as a column's text. A quoted text may contain a key.
pub(super) fn stored(reason: &Reason) -> String {
    redact(&reason.stored()).into_owned()
}

/// Replaces the sentences that earlier versions stored with codes. Unknown sentences stay verbatim, under the code
/// [`Code::Legacy`].
pub(super) fn migrate(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    // Few distinct sentences, in many rows.
    let known: RefCell<HashMap<String, String>> = RefCell::default();
    db.create_scalar_function("coded", 1, flags, move |values| {
        let Some(sentence) = values.get::<Option<String>>(0)? else { return Ok(None) };
        let mut known = known.borrow_mut();
        if known.len() > 10_000 {
            known.clear();
        }
        let coded = known.entry(sentence).or_insert_with_key(|text| Reason::of_legacy(text).stored());
        Ok(Some(coded.clone()))
    })?;
    // How a file was read is a list of sentences.
    db.create_scalar_function("coded_parts", 1, flags, |values| {
        let sentences: String = values.get(0)?;
        let parts = sentences.split(Code::ReadAs.separator()).filter(|part| !part.is_empty());
        Ok(stored(&Reason::list(Code::ReadAs, parts.map(Reason::of_legacy).collect())))
    })?;
    db.execute_batch(include_str!("reasons.sql"))?;
    db.remove_function("coded", 1)?;
    db.remove_function("coded_parts", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;
    use rusqlite::params;

    #[test]
    fn an_old_journal_is_read_in_the_current_language() {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch(include_str!("schema.sql")).expect("the first schema");
        let korean = |code: Code| Reason::from(code).in_language(Language::Korean);
        let twin = Reason::from(Code::SameAddress).with("row", 1);
        db.execute(
            "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title, origin, stop, stop_why, note,
                              owner_label)
             VALUES (1, 'issue', 'stopped', 0, 'p', 'u', 'a', 't',
                     json_object('name', 'x.csv', 'sha256', '', 'columns', json('[]'), 'read_as', 'CSV \u{b7} UTF-8 \u{b7} comma'),
                     'interrupted', ?1, 'a note of nobody', 'process 4711')",
            [korean(Code::Interrupted)],
        )
        .expect("a job");
        for no in 1..=3 {
            db.execute(
                "INSERT INTO row (job, no, name, email, email_key, bucket, why, class_why)
                 VALUES (1, ?1, 'n', 'e', 'e', 'left_out', ?2, ?3)",
                params![
                    no,
                    (no < 3).then(|| korean(Code::CancelledUnsent)),
                    twin.in_language(Language::Korean)
                ],
            )
            .expect("a row");
        }
        db.execute("INSERT INTO fact VALUES ('a', 'n', 'v', 'read in badges', 1, 2, 3)", []).expect("a fact");
        db.execute(
            "INSERT INTO request (job, rows, sha256, intent, heard, why) VALUES (1, 1, '', 0, 1, ?1)",
            [korean(Code::Lost)],
        )
        .expect("a request");
        migrate(&db).expect("migrated");
        let one = |sql: &str| -> Reason {
            let text: String = db.query_row(sql, [], |r| r.get(0)).expect("a reason");
            Reason::read(&text)
        };
        assert_eq!(one("SELECT stop_why FROM job"), Code::Interrupted.into());
        assert_eq!(one("SELECT why FROM request"), Code::Lost.into());
        assert_eq!(one("SELECT evidence FROM fact"), Code::ReadInBadges.into());
        assert_eq!(one("SELECT owner_label FROM job").english(), "process 4711");
        assert_eq!(one("SELECT note FROM job").code(), Code::Legacy);
        assert_eq!(one("SELECT why FROM row WHERE no = 2"), Code::CancelledUnsent.into());
        // A sentence with a value stays as it was written.
        assert_eq!(
            one("SELECT class_why FROM row WHERE no = 3").english(),
            twin.in_language(Language::Korean)
        );
        assert_eq!(
            one("SELECT json_extract(origin, '$.read_as') FROM job").in_language(Language::Korean),
            "CSV \u{b7} UTF-8 \u{b7} comma"
        );
        let empty: i64 =
            db.query_row("SELECT count(*) FROM row WHERE why IS NULL", [], |r| r.get(0)).expect("a count");
        assert_eq!(empty, 1);
        // A second migration changes nothing.
        migrate(&db).expect("migrated again");
        assert_eq!(one("SELECT note FROM job").english(), "a note of nobody");
    }
}

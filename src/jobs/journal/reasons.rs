//! Reasons as the journal stores them, and the migration of the sentences that earlier versions stored.

use super::tx::{Bind, HasSqlType, ReadColumn, SqlType, SqlValue, sql_types};
use crate::jobs::journal::prelude::*;
use rusqlite::params;

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
    // Few distinct sentences, in many rows.
    let mut known: HashMap<String, String> = HashMap::new();
    let mut code = |sentence: Option<String>| -> Option<String> {
        let sentence = sentence?;
        if let Some(stored) = known.get(&sentence) {
            return Some(stored.clone());
        }
        let stored = Reason::of_legacy(&sentence).stored();
        if known.len() < 10_000 {
            known.insert(sentence, stored.clone());
        }
        Some(stored)
    };
    migrate_rows(db, &mut code)?;
    for (table, key, columns) in [
        ("job", "id", &["stop_why", "note", "look_note", "owner_label"][..]),
        ("request", "id", &["why"]),
        ("fact", "rowid", &["evidence"]),
    ] {
        for column in columns {
            // Facts have no id: the sentence itself is the key.
            let by = if table == "fact" { *column } else { key };
            let found: Vec<(rusqlite::types::Value, String)> = db
                .prepare(&format!("SELECT DISTINCT {by}, {column} FROM {table} WHERE {column} IS NOT NULL"))?
                .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut change = db.prepare(&format!("UPDATE {table} SET {column} = ?2 WHERE {by} = ?1"))?;
            for (at, sentence) in found {
                change.execute(params![at, code(Some(sentence))])?;
            }
        }
    }
    migrate_origins(db)
}

fn migrate_rows(
    db: &Connection,
    code: &mut dyn FnMut(Option<String>) -> Option<String>,
) -> rusqlite::Result<()> {
    type Found = (i64, i64, Option<String>, Option<String>);
    const AT_ONCE: i64 = 5_000;
    let mut some = db.prepare(
        "SELECT job, no, why, class_why FROM row
         WHERE (job, no) > (?1, ?2) AND (why IS NOT NULL OR class_why IS NOT NULL)
         ORDER BY job, no LIMIT ?3",
    )?;
    let mut change = db.prepare("UPDATE row SET why = ?3, class_why = ?4 WHERE job = ?1 AND no = ?2")?;
    let (mut job, mut no) = (i64::MIN, i64::MIN);
    loop {
        let rows: Vec<Found> = some
            .query_map(params![job, no, AT_ONCE], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let Some(last) = rows.last() else { return Ok(()) };
        (job, no) = (last.0, last.1);
        for (job, no, why, class_why) in rows {
            change.execute(params![job, no, code(why), code(class_why)])?;
        }
    }
}

/// The origin of a job, in JSON, holds how its file was read.
fn migrate_origins(db: &Connection) -> rusqlite::Result<()> {
    let found: Vec<(i64, String)> = db
        .prepare("SELECT id, json_extract(origin, '$.read_as') FROM job WHERE json_type(origin, '$.read_as') = 'text'")?
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (id, read_as) in found {
        let parts = read_as.split(Code::ReadAs.separator()).filter(|part| !part.is_empty());
        let read_as = Reason::list(Code::ReadAs, parts.map(Reason::of_legacy).collect());
        db.execute(
            "UPDATE job SET origin = json_set(origin, '$.read_as', json(?2)) WHERE id = ?1",
            params![id, stored(&read_as)],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;

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

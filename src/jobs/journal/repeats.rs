//! Rows of a job with the address of an earlier row.

use crate::jobs::duplicate_kind::DuplicateKind;
use crate::jobs::journal::prelude::*;

/// Rows that are compared with each other in one statement.
const AT_ONCE: usize = 10_000;

/// A row whose address another row of the job has, or another address with the same hash: its place, e-mail key, name, the
/// number that people know, whether it is invalid, and whether it is judged.
type Repeated = (i64, String, String, i64, bool, bool);

/// The rows of one address before another one.
#[derive(Default)]
struct RowsBefore {
    first: Option<i64>,
    /// The first one with each name.
    named: HashMap<String, i64>,
}

/// Finds the rows that `judged` matches and that repeat the address of an earlier one: twins if that has their name, too.
/// Sets their kind, unless they have one. `alike` has all rows that may be such, those with one hash together.
pub(super) fn compare(db: &Tx<'_>, id: JobId, judged: &str, alike: &[(u64, i64)]) -> tx::Result<()> {
    let mut rows = alike.iter().peekable();
    while rows.peek().is_some() {
        let mut nos = Vec::new();
        let mut last = None;
        // Rows with one hash are compared together.
        while let Some((hash, no)) = rows.next_if(|(hash, _)| nos.len() < AT_ONCE || last == Some(*hash)) {
            last = Some(*hash);
            nos.push(*no);
        }
        nos.sort_unstable();
        set(db, id, &repeated(db, id, judged, &nos)?)?;
    }
    Ok(())
}

/// The rows among these that repeat an earlier one: place, kind, and the number of the row that is repeated.
fn repeated(
    db: &Tx<'_>,
    id: JobId,
    judged: &str,
    nos: &[i64],
) -> tx::Result<Vec<(i64, &'static str, String)>> {
    let rows: Vec<Repeated> = db.all(
        &format!(
            "SELECT no, email_key, name, coalesce(line, no), bucket = 'invalid', {judged} FROM row
             WHERE job = ?1 AND no IN json_list(?2, bigint) ORDER BY no"
        ),
        values![id.0, super::json(nos)],
    )?;
    let mut found = Vec::new();
    let mut earlier: HashMap<String, RowsBefore> = HashMap::new();
    for (no, key, name, number, is_invalid, is_judged) in rows {
        let known = earlier.entry(key).or_default();
        let named = known.named.get(&name).copied();
        if let Some(repeated) = named.or(known.first)
            && is_judged
        {
            let kind = if named.is_some() { DuplicateKind::Twin } else { DuplicateKind::SharedAddress };
            found.push((no, kind.code(), repeated.to_string()));
        }
        // Invalid rows are not sent, so no later row repeats them.
        if !is_invalid {
            known.first = Some(known.first.map_or(number, |first| first.min(number)));
            let first = known.named.entry(name).or_insert(number);
            *first = number.min(*first);
        }
    }
    Ok(found)
}

/// The reason keeps what is known of the recipient: allowing the one does not allow the other. A twin names a row with
/// its name, not one that only shares its address.
fn set(db: &Tx<'_>, id: JobId, found: &[(i64, &'static str, String)]) -> tx::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let first = "reason_with_text(?3, 'row', found.earlier)";
    db.run(
        &format!(
            "WITH found AS MATERIALIZED (SELECT ?1 AS job, no, kind, earlier
                                        FROM json_rows(?2, no bigint, kind text, earlier text) AS list)
             UPDATE row SET repeats = found.kind,
                            class_why = CASE WHEN class IS NULL THEN {first}
                                             ELSE reason_both('verdict', class_why, {first}) END,
                            class = coalesce(class, found.kind)
             FROM found WHERE row.job = found.job AND row.no = found.no"
        ),
        values![id.0, super::json(found), Reason::from(Code::SameAddress)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::{Kind, Phase};
    use crate::jobs::journal::duplicates;
    use crate::jobs::journal::rows::NewRow;
    use crate::jobs::journal::schema::{self, MIGRATIONS};
    use crate::jobs::journal::tests::statements::{draft_of, journal};
    use crate::jobs::row_status::RowStatus;
    use proptest::prelude::*;
    use rusqlite::Connection;

    /// The kind, and the number of the repeated row.
    type Found = Option<(String, String)>;

    fn row(name: &str, email: &str) -> NewRow {
        NewRow { name: name.into(), email: email.into(), ..NewRow::default() }
    }

    fn compared(rows: &[NewRow]) -> Vec<Found> {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = draft_of(&db, Kind::Issue, rows);
        let alike = duplicates::recipients(&db, &job, &Phase::Draft).expect("recipients").alike();
        compare(&db, job, "bucket <> 'sending'", &alike).expect("compared");
        let read = "SELECT repeats, class, class_why FROM row WHERE job = ?1 ORDER BY no";
        db.rows(read, values![job.0], |r| {
            let kind: Option<String> = r.get(0)?;
            assert_eq!(kind, r.get::<Option<String>>(1)?, "it is of no other kind");
            let why: Option<Reason> = r.get(2)?;
            let number = why.and_then(|why| why.argument("row").map(ToString::to_string));
            Ok(kind.zip(number))
        })
        .expect("rows")
    }

    fn found(kind: &str, row: &str) -> (String, String) {
        (kind.into(), row.into())
    }

    #[test]
    fn a_row_repeats_the_first_row_with_its_address_and_name_or_with_its_address() {
        let rows = vec![
            row("Kim", "a@x.example"),
            row("Lee", "A@x.example"),
            row("Park", "b@x.example"),
            row("Lee", "a@x.example"),
            row("Kim", "a@x.example"),
            row("", ""),
            row("", ""),
        ];
        let twin = |row| Some(found("twin", row));
        assert_eq!(
            compared(&rows),
            [None, Some(found("shared_address", "1")), None, twin("2"), twin("1"), None, None]
        );
    }

    #[test]
    fn the_number_of_a_row_is_its_line_and_an_invalid_row_is_not_repeated() {
        let rows = vec![
            NewRow { line: Some(2), row_status: Some(RowStatus::Invalid), ..row("Kim", "a@x.example") },
            NewRow { line: Some(3), ..row("Kim", "a@x.example") },
            NewRow { line: Some(9), row_status: Some(RowStatus::Invalid), ..row("Kim", "a@x.example") },
        ];
        assert_eq!(compared(&rows), [None, None, Some(found("twin", "3"))]);
    }

    #[test]
    fn rows_with_one_address_are_compared_together_however_many_there_are() {
        let most = AT_ONCE + 1;
        let rows = compared(&vec![row("Kim", "a@x.example"); most]);
        assert_eq!(rows.iter().filter(|found| found.is_some()).count(), most - 1);
        let rows: Vec<_> = (0..most * 2).map(|n| row("Kim", &format!("a{}@x.example", n / 2))).collect();
        let rows = compared(&rows);
        assert_eq!(rows.iter().filter(|found| found.is_some()).count(), most);
    }

    #[test]
    fn an_older_journal_keeps_what_its_check_found() {
        let mut connection = Connection::open_in_memory().expect("a database");
        for step in &MIGRATIONS[..9] {
            step(&connection).expect("schema 9");
        }
        connection
            .execute_batch(
                "PRAGMA user_version = 9;
                 INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
                 VALUES (1, 'issue', 'draft', 0, 'p', 'u', 'a', 't');
                 INSERT INTO row (job, no, name, email, email_key, bucket, class)
                 VALUES (1, 1, 'Kim', 'a', 'a', 'ready', NULL), (1, 2, 'Kim', 'a', 'a', 'ask', 'twin'),
                        (1, 3, 'Lee', 'a', 'a', 'ask', 'sent'), (1, 4, 'Lee', 'b', 'b', 'ask', 'sent')",
            )
            .expect("a draft");
        schema::migrate(&mut connection).expect("migrated");
        let db = Tx::on(&connection);
        let kinds: Vec<Option<String>> =
            db.rows("SELECT repeats FROM row ORDER BY no", values![], |r| r.get(0)).expect("rows");
        assert_eq!(kinds, [None, Some("twin".into()), Some("shared_address".into()), None]);
        assert_eq!(schema::check(&db).expect("checked"), Vec::<String>::new());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Each row is its address, its name, whether it is invalid, and whether it has a line.
        #[test]
        fn every_row_is_compared_with_all_rows_before_it(
            given in prop::collection::vec((0u8..4, 0u8..3, prop::bool::weighted(0.2), any::<bool>()), 1..24),
        ) {
            let number = |at: usize| if given[at].3 { at * 10 + 15 } else { at + 1 };
            let rows = given.iter().enumerate().map(|(at, (email, name, is_invalid, has_line))| NewRow {
                line: has_line.then(|| number(at) as u64),
                row_status: is_invalid.then_some(RowStatus::Invalid),
                ..row(&name.to_string(), &if *email == 0 { String::new() } else { format!("{email}@x.example") })
            });
            let expected = given.iter().enumerate().map(|(at, (email, name, ..))| {
                let same = (0..at).filter(|one| *email != 0 && given[*one].0 == *email && !given[*one].2);
                let named = same.clone().filter(|one| given[*one].1 == *name).map(number).min();
                let kind = if named.is_some() { "twin" } else { "shared_address" };
                named.or(same.map(number).min()).map(|first| found(kind, &first.to_string()))
            });
            prop_assert_eq!(compared(&rows.collect::<Vec<_>>()), expected.collect::<Vec<_>>());
        }
    }
}

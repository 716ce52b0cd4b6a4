//! Decisions of earlier drafts of a file that apply to a new one. The columns may be mapped differently, and the file may
//! have changed.

use super::tx::{self, Tx, values};
use crate::jobs::job::JobId;
use crate::jobs::journal::prelude::*;
use crate::jobs::prelude::*;
use ring::digest::digest;

/// Rows of a new draft to which decisions of earlier drafts apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::jobs) struct EarlierDecisions {
    /// The place, and the corrected name and address.
    pub(in crate::jobs) corrected: Vec<(u64, String, String)>,
    pub(in crate::jobs) skipped: Vec<u64>,
    /// Rows to send although they need review. The duplicate check judges them again.
    pub(in crate::jobs) allowed: Vec<u64>,
}

/// A row of a file: its cells, and how many rows with the same cells come before it. So of two equal rows, one can be
/// skipped.
type FileRow = ([u8; 16], u32);

/// What a person decided about a field, as it was read from a row.
type ByField<T> = HashMap<(FileRow, String), T>;

#[derive(Default)]
struct Decided {
    names: ByField<String>,
    emails: ByField<String>,
    /// By the address: another name column does not make it another recipient.
    skipped: HashSet<(FileRow, String)>,
    /// The name and the address that were allowed, by the name as it was read.
    allowed: ByField<(String, String)>,
}

fn put<T>(map: &mut ByField<T>, key: (FileRow, String), value: Option<T>) {
    match value {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
}

/// The decisions of the earlier drafts, given with the oldest first. The newest draft with a row has the last word about
/// it, also if a decision was undone there.
pub(super) fn decisions(db: &Tx<'_>, earlier: &Vec<JobId>, new: &JobId) -> tx::Result<EarlierDecisions> {
    let mut decided = Decided::default();
    for job in earlier {
        read(db, *job, &mut decided)?;
    }
    let mut found = EarlierDecisions::default();
    let mut before = HashMap::new();
    let sql = "SELECT cells, no, name, email FROM row WHERE job = ?1 AND cells IS NOT NULL ORDER BY no";
    db.each(sql, values![new.0], |r| {
        let (row, no) = (place(&mut before, r.text(0)?), r.get::<i64>(1)?.unsigned_abs());
        let read = (r.get::<String>(2)?, r.get::<String>(3)?);
        let (by_name, by_email) = ((row, read.0.clone()), (row, read.1.clone()));
        let name = decided.names.get(&by_name).cloned().unwrap_or(read.0);
        let email = decided.emails.get(&by_email).cloned().unwrap_or(read.1);
        let is_allowed =
            decided.allowed.get(&by_name).is_some_and(|all| *all == (name.clone(), email.clone()));
        if name != by_name.1 || email != by_email.1 {
            found.corrected.push((no, name, email));
        }
        if decided.skipped.contains(&by_email) {
            found.skipped.push(no);
        } else if is_allowed {
            found.allowed.push(no);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn read(db: &Tx<'_>, job: JobId, decided: &mut Decided) -> tx::Result<()> {
    let sql =
        "SELECT row.cells, coalesce(was.name, row.name), coalesce(was.email, row.email), row.name, row.email,
                      CASE row.bucket WHEN 'left_out' THEN last.what = 'leave_out' ELSE FALSE END,
                      CASE row.bucket WHEN 'ready' THEN last.what = 'allow' ELSE FALSE END
               FROM row
               LEFT JOIN (SELECT no, min(review) AS first, max(review) AS last FROM review_row
                          WHERE review IN (SELECT id FROM review WHERE job = ?1) GROUP BY no) AS both
                 ON both.no = row.no
               LEFT JOIN review_row AS was ON was.review = both.first AND was.no = row.no
               LEFT JOIN review AS last ON last.id = both.last
               WHERE row.job = ?1 AND row.cells IS NOT NULL ORDER BY row.no";
    let mut before = HashMap::new();
    db.each(sql, values![job.0], |r| {
        let row = place(&mut before, r.text(0)?);
        let read: (String, String) = (r.get(1)?, r.get(2)?);
        let now: (String, String) = (r.get(3)?, r.get(4)?);
        let (is_skipped, is_allowed) = (r.get::<Option<bool>>(5)?, r.get::<Option<bool>>(6)?);
        let (by_name, by_email) = ((row, read.0.clone()), (row, read.1.clone()));
        put(&mut decided.names, by_name.clone(), Some(&now.0).filter(|name| **name != read.0).cloned());
        put(&mut decided.emails, by_email.clone(), Some(&now.1).filter(|email| **email != read.1).cloned());
        if is_skipped == Some(true) {
            decided.skipped.insert(by_email);
        } else {
            decided.skipped.remove(&by_email);
        }
        put(&mut decided.allowed, by_name, (is_allowed == Some(true)).then_some(now));
        Ok(ControlFlow::Continue(()))
    })
}

fn place(before: &mut HashMap<[u8; 16], u32>, cells: &str) -> FileRow {
    let digest = digest(&SHA256, cells.as_bytes()).as_ref().first_chunk().copied().unwrap_or_default();
    let count = before.entry(digest).or_default();
    *count += 1;
    (digest, *count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::drafts::{self, CorrectRow, ReviewRows};
    use crate::jobs::journal::review;
    use crate::jobs::journal::rows::NewRow;
    use crate::jobs::journal::tests::statements::{draft_of, journal};
    use crate::jobs::row_groups::RowSelection;
    use crate::jobs::row_status::RowStatus;
    use crate::jobs::settings::Policies;

    /// Rows of three cells. `columns`: which of them are the name and the address.
    fn rows(columns: (usize, usize)) -> Vec<NewRow> {
        let all =
            [["a", "1", "a@x"], ["b", "2", "b@x"], ["b", "2", "b@x"], ["c", "3", "c@x"], ["d", "4", "d@x"]];
        let row = |cells: [&str; 3]| NewRow {
            cells: cells.map(str::to_owned).to_vec(),
            name: cells[columns.0].into(),
            email: cells[columns.1].into(),
            row_status: Some(RowStatus::Ask),
            ..NewRow::default()
        };
        all.map(row).to_vec()
    }

    fn decide(db: &Tx<'_>, id: JobId, no: u64, to: RowStatus) {
        let (which, policies) = (RowSelection::One(no), Policies::default());
        drafts::review_rows(db, &ReviewRows { id, which, to, why: None, policies }).expect("decided");
    }

    #[test]
    fn decisions_apply_to_the_same_row_with_the_same_fields() {
        let connection = journal();
        let db = Tx::on(&connection);
        let draft = |columns| draft_of(&db, Kind::Issue, &rows(columns));
        let first = draft((0, 2));
        decide(&db, first, 2, RowStatus::LeftOut);
        decide(&db, first, 4, RowStatus::Ready);
        let row = CorrectRow {
            no: 1,
            name: "A".into(),
            email: "aa@x".into(),
            row_status: RowStatus::Ready,
            why: None,
        };
        drafts::correct_rows(&db, &first, &[row]).expect("corrected");
        let same = EarlierDecisions {
            corrected: vec![(1, "A".into(), "aa@x".into())],
            skipped: vec![2],
            allowed: vec![4],
        };
        let found = |earlier: &[JobId], new| decisions(&db, &earlier.to_vec(), &new).expect("read");
        assert_eq!(found(&[first], draft((0, 2))), same);
        // Another name column: what was decided about the address applies, and nothing else.
        let other = draft((1, 2));
        let by_email = EarlierDecisions {
            corrected: vec![(1, "1".into(), "aa@x".into())],
            skipped: vec![2],
            allowed: vec![],
        };
        assert_eq!(found(&[first], other), by_email);
        // The newer draft did not skip the row. It says nothing about the names of the older one.
        let back = EarlierDecisions { corrected: vec![(1, "A".into(), "a@x".into())], ..Default::default() };
        assert_eq!(found(&[first, other], draft((0, 2))), EarlierDecisions { allowed: vec![4], ..back });
        // An undone decision does not come back.
        let last = review::last_decision(&db, &first).expect("read").expect("a decision");
        review::undo_decision(&db, &first, &last, &Policies::default()).expect("undone");
        let found = found(&[first], draft((0, 2)));
        assert_eq!((found.corrected, found.skipped), (vec![], vec![2]));
    }
}

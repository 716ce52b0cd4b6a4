//! Decisions of earlier drafts of a file that apply to a new one. The columns may be mapped differently, and the file may
//! have changed.

use super::digest;
use crate::jobs::journal::prelude::*;

/// Rows of a new draft to which decisions of earlier drafts apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::jobs) struct EarlierDecisions {
    /// By the decision, the first one first: so a person can undo each of them, and no more than it.
    pub(in crate::jobs) by_decision: BTreeMap<i64, DecidedRows>,
    /// Rows of the earlier drafts with a decision that applies to no row of the new one.
    pub(in crate::jobs) lost: BTreeSet<EarlierRow>,
}

/// Rows about which a person decided together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::jobs) struct DecidedRows {
    /// The place, and the corrected name and address.
    pub(in crate::jobs) corrected: Vec<(u64, String, String)>,
    pub(in crate::jobs) skipped: Vec<u64>,
    /// Rows to send although they need review. The duplicate check judges them again.
    pub(in crate::jobs) allowed: Vec<u64>,
}

/// The draft, and the place in it.
pub(in crate::jobs) type EarlierRow = (i64, u64);

/// What identifies a row of a file: a digest, and how many rows with the same digest come before it. So of two equal
/// rows, one can be skipped. Each row has two digests: of all its cells, which stay the same under another mapping, and of
/// its name and address as they were read, which stay the same when another cell changes.
type RowKey = ([u8; 16], u32);

/// What a person decided about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum DecidedField {
    Name,
    Email,
    /// By the address: another name column does not make it another recipient.
    Skipped,
    /// By the name.
    Allowed,
}

struct CarriedDecision {
    of: EarlierRow,
    /// The record of the decision.
    review: i64,
    field: DecidedField,
    /// The field as it was read.
    read: String,
    /// The row's name and address since.
    name: String,
    email: String,
}

#[derive(Default)]
struct Decided {
    all: HashMap<RowKey, Vec<CarriedDecision>>,
    /// Decisions that a newer draft repeated, changed or undid.
    replaced: BTreeSet<(EarlierRow, DecidedField)>,
}

impl Decided {
    /// The newest draft with a row has the last word about it, also if a decision was undone there.
    fn put(
        &mut self,
        keys: [RowKey; 2],
        field: DecidedField,
        read: &str,
        decision: Option<(EarlierRow, i64, &str, &str)>,
    ) {
        for row in keys {
            if let Some(known) = self.all.get_mut(&row) {
                let before = known.extract_if(.., |it| it.field == field && it.read == read);
                self.replaced.extend(before.map(|before| (before.of, field)));
            }
            if let Some((of, review, name, email)) = decision {
                let (read, name, email) = (read.to_owned(), name.to_owned(), email.to_owned());
                let decision = CarriedDecision { of, review, field, read, name, email };
                self.all.entry(row).or_default().push(decision);
            }
        }
    }

    fn of(&self, keys: [RowKey; 2], field: DecidedField, read: &str) -> Option<&CarriedDecision> {
        let is_it = |it: &&CarriedDecision| {
            it.field == field && it.read == read && !self.replaced.contains(&(it.of, field))
        };
        keys.iter().filter_map(|row| self.all.get(row)).flatten().find(is_it)
    }
}

/// The decisions of the earlier drafts, given with the oldest first.
pub(super) fn decisions(db: &Tx<'_>, earlier: &Vec<JobId>, new: &JobId) -> tx::Result<EarlierDecisions> {
    let mut decided = Decided::default();
    for job in earlier {
        read(db, *job, &mut decided)?;
    }
    let mut found = EarlierDecisions::default();
    let mut applied = BTreeSet::new();
    let mut keys = RowKeys::of(db, *new)?;
    let sql = "SELECT cells, no, name, email FROM row WHERE job = ?1 AND cells IS NOT NULL ORDER BY no";
    db.each(sql, values![new.0], |r| {
        let no: u64 = r.get(1)?;
        let (read_name, read_email): (String, String) = (r.get(2)?, r.get(3)?);
        let row = keys.next(r.text(0)?, &read_name, &read_email);
        let mut apply = |field, read: &str, fits: &dyn Fn(&CarriedDecision) -> bool| {
            let decision = decided.of(row, field, read).filter(|decision| fits(decision))?;
            applied.insert((decision.of, field));
            Some(decision)
        };
        let by_name = apply(DecidedField::Name, &read_name, &|_| true);
        let by_email = apply(DecidedField::Email, &read_email, &|_| true);
        let name = by_name.map_or(&read_name, |it| &it.name);
        let email = by_email.map_or(&read_email, |it| &it.email);
        let is_same = |it: &CarriedDecision| it.name == *name && it.email == *email;
        let skipped = apply(DecidedField::Skipped, &read_email, &|_| true).map(|it| it.review);
        let allowed = apply(DecidedField::Allowed, &read_name, &is_same).map(|it| it.review);
        let corrected = by_name.into_iter().chain(by_email).map(|it| it.review).max();
        let all = &mut found.by_decision;
        if let Some(review) = corrected.filter(|_| *name != read_name || *email != read_email) {
            all.entry(review).or_default().corrected.push((no, name.clone(), email.clone()));
        }
        // Not before the correction, which would end the decision.
        let later = |review: i64| corrected.map_or(review, |corrected| corrected.max(review));
        match (skipped, allowed) {
            (Some(review), _) => all.entry(later(review)).or_default().skipped.push(no),
            (None, Some(review)) => all.entry(later(review)).or_default().allowed.push(no),
            (None, None) => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let is_lost = |it: &(EarlierRow, DecidedField)| !decided.replaced.contains(it) && !applied.contains(it);
    let all = decided.all.values().flatten().map(|it| (it.of, it.field));
    found.lost = all.filter(is_lost).map(|(row, _)| row).collect();
    Ok(found)
}

fn read(db: &Tx<'_>, job: JobId, decided: &mut Decided) -> tx::Result<()> {
    let sql =
        "SELECT row.cells, coalesce(was.name, row.name), coalesce(was.email, row.email), row.name, row.email,
                      CASE row.bucket WHEN 'left_out' THEN last.what = 'leave_out' ELSE FALSE END,
                      CASE row.bucket WHEN 'ready' THEN last.what = 'allow' ELSE FALSE END, row.no,
                      made.corrected, made.last
               FROM row
               LEFT JOIN (SELECT review_row.no, min(review.id) AS first, max(review.id) AS last,
                                 max(CASE review.what WHEN 'correct' THEN review.id END) AS corrected
                          FROM review_row JOIN review ON review.id = review_row.review
                          WHERE review.job = ?1 GROUP BY review_row.no) AS made
                 ON made.no = row.no
               LEFT JOIN review_row AS was ON was.review = made.first AND was.no = row.no
               LEFT JOIN review AS last ON last.id = made.last
               WHERE row.job = ?1 AND row.cells IS NOT NULL ORDER BY row.no";
    let mut keys = RowKeys::of(db, job)?;
    db.each(sql, values![job.0], |r| {
        let read: (String, String) = (r.get(1)?, r.get(2)?);
        let now: (String, String) = (r.get(3)?, r.get(4)?);
        let row = keys.next(r.text(0)?, &read.0, &read.1);
        let is = |flag: Option<bool>| flag == Some(true);
        let (is_skipped, is_allowed) = (is(r.get(5)?), is(r.get(6)?));
        let of = (job.0, r.get(7)?);
        let review = |id: Option<i64>| id.unwrap_or_default();
        let (corrected, last) = (review(r.get(8)?), review(r.get(9)?));
        let decision =
            |review, is_made: bool| is_made.then_some((of, review, now.0.as_str(), now.1.as_str()));
        decided.put(row, DecidedField::Name, &read.0, decision(corrected, now.0 != read.0));
        decided.put(row, DecidedField::Email, &read.1, decision(corrected, now.1 != read.1));
        decided.put(row, DecidedField::Skipped, &read.1, decision(last, is_skipped));
        decided.put(row, DecidedField::Allowed, &read.0, decision(last, is_allowed));
        Ok(ControlFlow::Continue(()))
    })
}

/// Gives the rows of one draft their keys, in their order.
struct RowKeys {
    /// Drafts of one import may have the same recipient, one for each template.
    template: String,
    before: HashMap<[u8; 16], u32>,
}

impl RowKeys {
    fn of(db: &Tx<'_>, job: JobId) -> tx::Result<Self> {
        let sql = "SELECT coalesce(template, '') FROM job WHERE id = ?1";
        Ok(Self { template: db.one(sql, values![job.0])?, before: HashMap::new() })
    }

    /// Of all cells first: they tell more about which row it is.
    fn next(&mut self, cells: &str, name: &str, email: &str) -> [RowKey; 2] {
        let person = [self.template.as_str(), name, email].map(str::as_bytes);
        [digest([cells.as_bytes()]), digest(person)].map(|digest| {
            let count = self.before.entry(digest).or_default();
            *count += 1;
            (digest, *count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::drafts::{self, ReviewRows};
    use crate::jobs::journal::review;
    use crate::jobs::journal::rows::{CorrectRow, NewRow};
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
            row_status: Some(RowStatus::NeedsReview),
            ..NewRow::default()
        };
        all.map(row).to_vec()
    }

    /// The corrected, the skipped and the allowed rows, in the order of the decisions.
    fn all(found: &EarlierDecisions) -> DecidedRows {
        let mut all = DecidedRows::default();
        for rows in found.by_decision.values().cloned() {
            all.corrected.extend(rows.corrected);
            all.skipped.extend(rows.skipped);
            all.allowed.extend(rows.allowed);
        }
        all
    }

    fn decide(db: &Tx<'_>, id: JobId, no: u64, to: RowStatus) {
        let (me, which, policies) = ("me".to_owned(), RowSelection::One(no), Policies::default());
        drafts::review_rows(db, &ReviewRows { id, me, which, to, why: None, policies }).expect("decided");
    }

    #[test]
    fn decisions_apply_to_the_same_row_with_the_same_fields() {
        let connection = journal();
        let db = Tx::on(&connection);
        let draft = |columns| draft_of(&db, Kind::Issue, &rows(columns));
        let first = draft((0, 2));
        decide(&db, first, 2, RowStatus::Skipped);
        decide(&db, first, 4, RowStatus::Ready);
        let row = CorrectRow {
            no: 1,
            name: "A".into(),
            email: "aa@x".into(),
            row_status: RowStatus::Ready,
            why: None,
        };
        drafts::correct_rows(&db, &first, "me", &[row]).expect("corrected");
        let same = DecidedRows {
            corrected: vec![(1, "A".into(), "aa@x".into())],
            skipped: vec![2],
            allowed: vec![4],
        };
        let found = |earlier: &[JobId], new| {
            let found = decisions(&db, &earlier.to_vec(), &new).expect("read");
            (all(&found), found.lost)
        };
        assert_eq!(found(&[first], draft((0, 2))), (same, BTreeSet::new()));
        // Another name column: what was decided about the address applies, and nothing else.
        let other = draft((1, 2));
        let by_email = DecidedRows {
            corrected: vec![(1, "1".into(), "aa@x".into())],
            skipped: vec![2],
            allowed: vec![],
        };
        // The name of the one, and the permission of the other.
        let lost = BTreeSet::from([(first.0, 1), (first.0, 4)]);
        assert_eq!(found(&[first], other), (by_email, lost));
        // The newer draft did not skip the row. It says nothing about the names of the older one.
        let back = DecidedRows { corrected: vec![(1, "A".into(), "a@x".into())], ..Default::default() };
        let back = DecidedRows { allowed: vec![4], ..back };
        assert_eq!(found(&[first, other], draft((0, 2))), (back, BTreeSet::new()));
        // An undone decision does not come back.
        let last = review::last_decision(&db, &first).expect("read").expect("a decision");
        review::undo_decision(&db, &first, "me", &last, &Policies::default()).expect("undone");
        let (found, _) = found(&[first], draft((0, 2)));
        assert_eq!((found.corrected, found.skipped), (vec![], vec![2]));
    }

    #[test]
    fn each_decision_is_repeated_by_itself_in_its_order() {
        let connection = journal();
        let db = Tx::on(&connection);
        let first = draft_of(&db, Kind::Issue, &rows((0, 2)));
        decide(&db, first, 4, RowStatus::Ready);
        let correct = |no: u64, email: &str| CorrectRow {
            no,
            name: "A".into(),
            email: email.into(),
            row_status: RowStatus::NeedsReview,
            why: None,
        };
        // A group, and then one of its rows.
        drafts::correct_rows(&db, &first, "me", &[correct(1, "aa@x"), correct(5, "dd@x")])
            .expect("corrected");
        decide(&db, first, 2, RowStatus::Skipped);
        decide(&db, first, 5, RowStatus::Skipped);
        let found = decisions(&db, &vec![first], &draft_of(&db, Kind::Issue, &rows((0, 2)))).expect("read");
        let one = DecidedRows::default;
        let both = vec![(1, "A".into(), "aa@x".into()), (5, "A".into(), "dd@x".into())];
        let steps = [
            DecidedRows { allowed: vec![4], ..one() },
            DecidedRows { corrected: both, ..one() },
            DecidedRows { skipped: vec![2], ..one() },
            DecidedRows { skipped: vec![5], ..one() },
        ];
        assert_eq!(found.by_decision.into_values().collect::<Vec<_>>(), steps);
    }

    #[test]
    fn decisions_apply_when_another_cell_of_the_row_changes() {
        let connection = journal();
        let db = Tx::on(&connection);
        let before = rows((0, 2));
        let first = draft_of(&db, Kind::Issue, &before);
        for no in [1, 3, 5] {
            decide(&db, first, no, RowStatus::Skipped);
        }
        // Other cells change, also of both equal rows. The last recipient gets another address.
        let mut after = before;
        for row in &mut after {
            row.cells[1] = "new".into();
        }
        after[4].email = "e@x".into();
        let last = draft_of(&db, Kind::Issue, &after);
        let found = decisions(&db, &vec![first], &last).expect("read");
        assert_eq!(all(&found).skipped, [1, 3], "of two equal rows, the second");
        assert_eq!(found.lost, BTreeSet::from([(first.0, 5)]));
        // The newer draft has the last word, also about the rows of the older file.
        let again = draft_of(&db, Kind::Issue, &rows((0, 2)));
        let found = decisions(&db, &vec![first, last], &again).expect("read");
        assert_eq!((all(&found).skipped, found.lost), (vec![5], BTreeSet::new()));
    }
}

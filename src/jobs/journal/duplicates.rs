//! The duplicate check's results: which recipients have the badge, which rows repeat others, and what the policies say.

use super::conditions::{CORRECT, judged};
use super::lost_writes::{self, RecentLoss};
use super::{claims, jobs, repeats};
use crate::jobs::duplicate_kind::{DuplicateKind, Policy, hash, loosened};
use crate::jobs::journal::prelude::*;

/// Rows that a duplicate check found something about, beside their kind. Few rows of a large file are such.
macro_rules! found {
    () => {
        "(guarded OR seen IS NOT NULL OR repeats IS NOT NULL)"
    };
}
const FOUND: &str = found!();

/// Of schema 12: a check looks at the rows that an earlier one found, and not at all rows.
pub(super) const SCHEMA: &str = concat!("CREATE INDEX row_found ON row(job, no) WHERE ", found!(), ";");

/// The addresses of a job's unsent rows: one spelling for each e-mail key.
pub(super) fn emails(db: &Tx<'_>, id: &JobId, phase: &Phase) -> tx::Result<Vec<String>> {
    db.all(
        &format!(
        "SELECT min(email) FROM row WHERE job = ?1 AND {} AND email <> '' GROUP BY email_key ORDER BY min(no)",
        judged(*phase)
    ),
        values![id.0],
    )
}

/// At most `most` addresses of unsent rows for which the running check has found no badge, from all parts of the job.
pub(super) fn some_without_badge(
    db: &Tx<'_>,
    id: &JobId,
    phase: &Phase,
    most: &usize,
) -> tx::Result<Vec<String>> {
    let sql = format!(
        "SELECT email FROM row WHERE job = ?1 AND email <> '' AND class IS NULL AND {}
         ORDER BY (no * 7919) % 10007, no LIMIT ?2",
        judged(*phase)
    );
    db.all(&sql, values![id.0, *most as i64])
}

/// Other titles that jobs of the same service had when they issued the template of a job, the newest first.
pub(super) fn other_titles(db: &Tx<'_>, id: &JobId) -> tx::Result<Vec<Text>> {
    db.all(
        "SELECT other.title FROM job AS mine JOIN job AS other
           ON other.base_url = mine.base_url AND other.template = mine.template AND other.title <> mine.title
         WHERE mine.id = ?1 AND other.kind = 'issue' AND other.phase <> 'draft' AND other.title <> ''
         GROUP BY other.title ORDER BY max(other.id) DESC LIMIT 5",
        values![id.0],
    )
}

/// The recipients of a job, as a duplicate check looks them up. A million addresses themselves would need much memory.
#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct Recipients {
    /// Number of addresses of [`emails`].
    pub(in crate::jobs) unsent: u64,
    /// A hash of each row's address, which is the same for similar ones, with the row. Sorted.
    pub(in crate::jobs) hashes: Vec<(u64, i64)>,
    /// The last correction of the review.
    pub(in crate::jobs) corrected: Option<i64>,
}

impl Recipients {
    /// The rows whose address is equal or similar to this one.
    pub(in crate::jobs) fn like(&self, key: &EmailKey) -> impl Iterator<Item = i64> {
        let hash = loosened(key.as_str());
        let first = self.hashes.partition_point(|(other, _)| *other < hash);
        let from = self.hashes.get(first..).unwrap_or_default();
        from.iter().take_while(move |(other, _)| *other == hash).map(|(_, no)| *no)
    }

    /// The rows with an address that is equal or similar to another row's, by hash.
    pub(in crate::jobs) fn alike(&self) -> Vec<(u64, i64)> {
        let groups = self.hashes.chunk_by(|(one, _), (other, _)| one == other);
        groups.filter(|rows| rows.len() > 1).flatten().copied().collect()
    }
}

/// The last correction that was not undone.
fn last_correction(db: &Tx<'_>, job: JobId) -> tx::Result<Option<i64>> {
    db.one("SELECT max(id) FROM review WHERE job = ?1 AND what = ?2", values![job.0, CORRECT])
}

pub(super) fn recipients(db: &Tx<'_>, id: &JobId, phase: &Phase) -> tx::Result<Recipients> {
    let mut found = Recipients { corrected: last_correction(db, *id)?, ..Recipients::default() };
    let mut unsent: Vec<u64> = Vec::new();
    let sql = format!("SELECT no, email_key, {} FROM row WHERE job = ?1 AND email_key <> ''", judged(*phase));
    db.each(&sql, values![id.0], |r| {
        let key = r.text(1)?;
        found.hashes.push((loosened(key), r.get(0)?));
        if r.get(2)? {
            unsent.push(hash(key));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    unsent.sort_unstable();
    unsent.dedup();
    found.unsent = unsent.len() as u64;
    found.hashes.sort_unstable();
    Ok(found)
}

/// The e-mail keys of rows.
pub(super) fn keys(db: &Tx<'_>, id: &JobId, rows: &Vec<i64>) -> tx::Result<Vec<(i64, EmailKey)>> {
    db.rows(
        "SELECT no, email_key FROM row WHERE job = ?1 AND no IN json_list(?2, bigint) ORDER BY no",
        values![id.0, super::json(rows)],
        |r| Ok((r.get(0)?, EmailKey::of(r.text(1)?))),
    )
}

/// # Errors
/// As in every write of a check: another process owns the job now, it began, or it was purged meanwhile.
pub(super) fn reset_check(db: &Tx<'_>, id: &JobId, me: &str, phase: &Phase) -> tx::Result<()> {
    jobs::assure_draft(db, *id, me, *phase == Phase::Draft)?;
    lost_writes::end_permissions(db, *id, &judged(*phase))?;
    let sql = format!(
        "UPDATE row INDEXED BY row_class SET class = NULL WHERE job = ?1 AND class IS NOT NULL AND {}",
        judged(*phase)
    );
    db.run(&sql, values![id.0])
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct ExistingBadge {
    pub(in crate::jobs) key: EmailKey,
    pub(in crate::jobs) badge: BadgeId,
    pub(in crate::jobs) class: DuplicateKind,
    pub(in crate::jobs) why: Reason,
}

/// The badges of one page of a duplicate check.
pub(in crate::jobs) struct RecordHeld {
    pub(in crate::jobs) id: JobId,
    pub(in crate::jobs) me: String,
    pub(in crate::jobs) phase: Phase,
    pub(in crate::jobs) held: Vec<ExistingBadge>,
    /// Recipients whose address is similar to a holder's, with the reason.
    pub(in crate::jobs) similar: Vec<(EmailKey, Reason)>,
    /// The rows of these recipients, in order.
    pub(in crate::jobs) rows: Vec<(i64, EmailKey)>,
}

/// Stores the badges that recipients of a job have, and sets the kind of their unsent rows.
pub(super) fn record_held(db: &Tx<'_>, args: &RecordHeld) -> tx::Result<()> {
    let RecordHeld { id, me, phase, held, similar, rows } = args;
    jobs::assure_draft(db, *id, me, *phase == Phase::Draft)?;
    let mut first_rows: HashMap<&EmailKey, i64> = HashMap::new();
    for (no, key) in rows {
        first_rows.entry(key).or_insert(*no);
    }
    let list: Vec<_> = held
        .iter()
        .map(|h| (h.key.as_str(), h.badge.wire(), h.class.is_over(), first_rows.get(&h.key)))
        .collect();
    // A badge that this job has sent was not there before. A badge that may come from a request in doubt, which has a
    // claim, does not count either: the poller decides about it. Counted, since PostgreSQL would answer `EXISTS` with
    // one reading of all rows of the job.
    let (account, template) = claims::Scope::known(db, *id)?.map(|it| (it.account, it.template)).unzip();
    let counted: Vec<(usize, bool)> = db.rows(
        "SELECT held.place, 0 < (SELECT count(*) FROM baseline WHERE baseline.job = ?1
                                 AND baseline.email_key = held.email_key AND baseline.badge = held.badge)
             FROM json_rows(?2, email_key text, badge text, over boolean, no bigint) AS held
             WHERE EXISTS (SELECT 1 FROM row
                           WHERE row.job = ?1 AND row.no = held.no AND row.email_key = held.email_key)
               AND 0 = (SELECT count(*) FROM row JOIN job ON job.id = row.job
                        WHERE row.badge = held.badge AND row.job = ?1 AND job.kind = 'issue')
               AND 0 = (SELECT count(*) FROM row AS first
                        JOIN claim ON claim.account = ?3 AND claim.template = ?4 AND claim.person = first.person
                        JOIN row ON row.job = claim.job AND row.no = claim.no
                        WHERE first.job = ?1 AND first.no = held.no AND row.job = ?1
                          AND row.request IS NOT NULL AND row.badge IS NULL
                          AND row.bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen', 'ask'))
             ORDER BY held.place",
        values![id.0, super::json(&list), account, template],
        |r| Ok((r.get::<i64>(0)? as usize, r.get(1)?)),
    )?;
    // A permission ends if the person who gave it did not know of a badge.
    let is_new =
        |(place, is_known): &(usize, bool)| held.get(*place).filter(|h| !is_known && !h.class.is_over());
    let with_new: HashSet<&EmailKey> = counted.iter().filter_map(is_new).map(|h| &h.key).collect();
    let of_them = rows.iter().filter(|(_, key)| with_new.contains(key)).map(|(no, _)| *no);
    let of_them: Vec<i64> = of_them.collect();
    if !of_them.is_empty() {
        db.execute(
            &format!(
                "UPDATE row SET allowed = NULL
                 WHERE job = ?1 AND no IN json_list(?2, bigint) AND allowed IS NOT NULL AND {}",
                judged(*phase)
            ),
            values![id.0, super::json(&of_them)],
        )?;
    }
    let held_before: Vec<_> = counted.iter().filter_map(|(place, _)| list.get(*place)).collect();
    db.execute(
        "INSERT INTO baseline (job, email_key, badge, over)
         SELECT ?1, email_key, badge, over
         FROM json_rows(?2, email_key text, badge text, over boolean) AS list WHERE TRUE ORDER BY place
         ON CONFLICT (job, email_key, badge) DO UPDATE SET over = excluded.over",
        values![id.0, super::json(&held_before)],
    )?;
    let counted = counted.iter().filter_map(|(place, _)| held.get(*place));
    let found = counted.map(|h| (&h.key, h.class, &h.why));
    let similar = similar.iter().map(|(key, why)| (key, DuplicateKind::LookAlike, why));
    classify(db, *id, *phase, found.chain(similar), rows)
}

/// Sets the kind and the reason of unsent rows, unless they already have a kind of greater weight. Of two findings
/// about one recipient, the heavier one counts, and the first of equal ones.
fn classify<'a>(
    db: &Tx<'_>,
    id: JobId,
    phase: Phase,
    found: impl Iterator<Item = (&'a EmailKey, DuplicateKind, &'a Reason)>,
    rows: &[(i64, EmailKey)],
) -> tx::Result<()> {
    let mut heaviest: HashMap<&EmailKey, (DuplicateKind, &Reason)> = HashMap::new();
    for (key, class, why) in found {
        let known = heaviest.entry(key).or_insert((class, why));
        if known.0.weight() < class.weight() {
            *known = (class, why);
        }
    }
    let mut findings = Vec::with_capacity(heaviest.len());
    let mut places: HashMap<&EmailKey, usize> = HashMap::new();
    for (key, (class, why)) in &heaviest {
        places.insert(key, findings.len());
        findings.push((key.as_str(), class.code(), class.weight(), stored(why)));
    }
    let rows: Vec<_> = rows.iter().filter_map(|(no, key)| Some((no, places.get(key)?))).collect();
    let weights: Vec<String> =
        DuplicateKind::ALL.iter().map(|c| format!("WHEN '{}' THEN {}", c.code(), c.weight())).collect();
    db.run(
        &format!(
            "WITH finding AS MATERIALIZED (
                 SELECT ?1 AS job, list.no, held.email_key, held.class, held.weight, held.why
                 FROM json_rows(?2, no bigint, finding bigint) AS list
                 JOIN json_rows(?3, email_key text, class text, weight bigint, why text) AS held
                   ON held.place = list.finding)
             UPDATE row SET class = finding.class, class_why = finding.why FROM finding
             WHERE row.job = finding.job AND row.no = finding.no AND row.email_key = finding.email_key
               AND CASE row.class {} ELSE -1 END < finding.weight AND {}",
            weights.join(" "),
            judged(phase),
        ),
        values![id.0, super::json(&rows), super::json(&findings)],
    )
}

pub(in crate::jobs) struct FinishCheck {
    pub(in crate::jobs) id: JobId,
    pub(in crate::jobs) me: String,
    pub(in crate::jobs) phase: Phase,
    /// Whether everything was read.
    pub(in crate::jobs) complete: bool,
    /// See [`Recipients`].
    pub(in crate::jobs) corrected: Option<i64>,
    /// See [`Recipients::alike`].
    pub(in crate::jobs) alike: Vec<(u64, i64)>,
    /// When the reading began: the service's time.
    pub(in crate::jobs) begun: Timestamp,
    pub(in crate::jobs) policies: Policies,
}

/// Number of rows per kind; paused or stopped jobs with unsent rows for some of the recipients; and a recent loss of
/// writes, for which all rows need review.
pub(in crate::jobs) type CheckResult = (Vec<(DuplicateKind, u64)>, Vec<(JobId, u64)>, Option<RecentLoss>);

/// Compares the rows with each other and with the journal, and gives every unsent row its status.
pub(super) fn finish_check(db: &Tx<'_>, args: &FinishCheck) -> tx::Result<CheckResult> {
    let FinishCheck { id, me, phase, complete, corrected, alike, begun, policies } = args;
    jobs::assure_draft(db, *id, me, *phase == Phase::Draft)?;
    // Nobody looked up the recipients of rows that a person corrected since the check began. A complete reading also
    // proves refusals from before it.
    if *complete && last_correction(db, *id)? == *corrected {
        jobs::set_checked(db, *id, *begun)?;
    } else {
        jobs::unset_checked(db, *id)?;
    }
    compare(db, *id, *phase, alike)?;
    let loss = lost_writes::suspect(db, *id, &judged(*phase), policies)?;
    let classes = place(db, *id, *phase, policies)?;
    Ok((classes, claims::unsent_elsewhere(db, *id)?, loss))
}

/// The address of a row that needs a decision and was sent before, or that the duplicate check does not read.
pub(super) fn email_of_sent(db: &Tx<'_>, id: &JobId, no: &u64, phase: &Phase) -> tx::Result<Option<String>> {
    db.first(
        &format!(
            "SELECT email FROM row WHERE job = ?1 AND no = ?2 AND bucket IN ('dropped', 'ask')
               AND (request IS NOT NULL OR NOT {})",
            judged(*phase)
        ),
        values![id.0, no],
    )
}

/// Stores the badges that the recipient of a sent row has. If something new is found, the row needs review and says
/// why. A duplicate check of other rows may have stored a late badge of a row that was not accepted, so its kind counts,
/// too.
pub(super) fn record_held_of_row(
    db: &Tx<'_>,
    id: &JobId,
    me: &str,
    no: &u64,
    held: &[ExistingBadge],
) -> tx::Result<()> {
    jobs::assure_draft(db, *id, me, false)?;
    let known = db.first::<Option<String>>(
        "SELECT CASE bucket WHEN 'dropped' THEN coalesce(class, 'new') END FROM row WHERE job = ?1 AND no = ?2",
        values![id.0, no],
    )?;
    let known = known.flatten().and_then(|code| DuplicateKind::from_code(&code)).map(DuplicateKind::weight);
    let mut found: Option<&ExistingBadge> = None;
    for held in held {
        let has_row = db.exists(
            "SELECT 1 FROM row JOIN job ON job.id = row.job
             WHERE row.badge = ?2 AND job.kind = 'issue'
               AND job.base_url = (SELECT base_url FROM job WHERE id = ?1)",
            values![id.0, held.badge.wire()],
        )?;
        if has_row {
            continue;
        }
        let is_new = db.execute(
            "INSERT INTO baseline (job, email_key, badge, over) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            values![id.0, held.key.as_str(), held.badge.wire(), held.class.is_over()],
        )? > 0;
        let is_heavier = known.is_some_and(|known| known < held.class.weight());
        if (is_new || is_heavier) && found.is_none_or(|found| found.class.weight() < held.class.weight()) {
            found = Some(held);
        }
    }
    if let Some(found) = found {
        let why = Reason::class(found.class).because("why", found.why.clone());
        db.execute(
            "UPDATE row SET bucket = 'ask', why = ?3, class = ?4, class_why = ?5, guarded = FALSE
             WHERE job = ?1 AND no = ?2",
            values![id.0, no, why, found.class.code(), found.why],
        )?;
    }
    Ok(())
}

/// The checks without requests: rows of the file against each other and against the journal.
fn compare(db: &Tx<'_>, id: JobId, phase: Phase, alike: &[(u64, i64)]) -> tx::Result<()> {
    let judged = judged(phase);
    claims::recognise(db, id, &judged)?;
    let rivals = claims::rivals(db, id, &judged)?;
    db.execute(
        &format!(
            "UPDATE row INDEXED BY row_found SET seen = NULL, repeats = NULL
             WHERE job = ?1 AND {FOUND} AND {judged}"
        ),
        values![id.0],
    )?;
    // The reason keeps what the reading found about a valid badge. That badge is the row's kind only if it is the
    // rival's: a badge that was sent and that the reading did not show comes on top of it, and then each has its kind. A
    // permission ends if the person who gave it did not know of this rival.
    let rivals: Vec<_> = rivals
        .iter()
        .map(|(no, rival, still)| {
            let badge = rival.badge_id.as_ref().map(BadgeId::wire);
            json!([no, stored(&rival.why()), rival.claim_id(), still, badge])
        })
        .collect();
    let [valid, waiting, expiring] =
        [DuplicateKind::Valid, DuplicateKind::Waiting, DuplicateKind::Expiring].map(Reason::class);
    let is_found = "class IN ('valid', 'waiting', 'expiring')";
    let is_rivals = "0 < (SELECT count(*) FROM baseline
                          WHERE baseline.job = row.job AND baseline.email_key = row.email_key
                            AND baseline.badge = rival.badge)";
    db.execute(
        &format!(
            "WITH rival AS MATERIALIZED (SELECT ?1 AS job, no, why, claim, still, badge
                                        FROM json_rows(?2, no bigint, why text, claim bigint, still boolean,
                                                       badge text) AS list)
             UPDATE row SET class_why = CASE WHEN {is_found} AND {is_rivals}
                                             THEN reason_both('verdict', class_why, rival.why)
                                             WHEN {is_found}
                                             THEN reason_both('findings', rival.why, reason_with(
                                                 CASE class WHEN 'valid' THEN ?3 WHEN 'waiting' THEN ?4 ELSE ?5 END,
                                                 'why', class_why))
                                             ELSE rival.why END,
                            class = CASE WHEN {is_found} AND {is_rivals} THEN class ELSE 'sent' END,
                            allowed = CASE WHEN rival.still THEN allowed END, seen = rival.claim
             FROM rival WHERE row.job = rival.job AND row.no = rival.no"
        ),
        values![id.0, super::json(&rivals), valid, waiting, expiring],
    )?;
    repeats::compare(db, id, &judged, alike)
}

/// Gives every unsent row its status by the policies, and counts the kinds.
pub(super) fn place(
    db: &Tx<'_>,
    id: JobId,
    phase: Phase,
    policies: &Policies,
) -> tx::Result<Vec<(DuplicateKind, u64)>> {
    let judged = judged(phase);
    // Rows that an earlier check skipped are judged again.
    db.execute(
        &format!(
            "UPDATE row INDEXED BY row_found SET bucket = 'ready', why = NULL
             WHERE job = ?1 AND {FOUND} AND bucket IN ('ask', 'left_out') AND guarded AND {judged}"
        ),
        values![id.0],
    )?;
    db.execute(
        &format!(
            "UPDATE row INDEXED BY row_found SET guarded = FALSE
             WHERE job = ?1 AND {FOUND} AND guarded AND {judged}"
        ),
        values![id.0],
    )?;
    // A row may be of two kinds: the stricter policy applies.
    for policy in [Policy::Block, Policy::Ask] {
        // After the job began, no row is skipped unless a person sees it.
        let row_status = if policy == Policy::Block && phase == Phase::Draft {
            RowStatus::Skipped
        } else {
            RowStatus::NeedsReview
        };
        for class in DuplicateKind::ALL.iter().filter(|class| policies.of(**class) == policy) {
            let also = if class.is_in_file() { "OR repeats = ?2" } else { "" };
            db.execute(
                &format!(
                    "UPDATE row INDEXED BY row_class SET bucket = ?3, guarded = TRUE,
                                    why = reason_with(?4, 'why', class_why)
                     WHERE job = ?1 AND class IS NOT NULL AND (class = ?2 {also}) AND bucket = 'ready'
                       AND allowed IS DISTINCT FROM class"
                ),
                values![id.0, class.code(), row_status.code(), Reason::class(*class)],
            )?;
        }
    }
    // A default policy does not decide about recipients whom this journal has already served.
    db.execute(
        &format!(
            "UPDATE row INDEXED BY row_found SET bucket = 'ask', why = class_why, guarded = TRUE
             WHERE job = ?1 AND {FOUND} AND bucket = 'ready' AND seen IS NOT NULL
               AND coalesce(allowed, 'new') = 'new' AND (class IS NULL OR class NOT IN json_list(?2, text))"
        ),
        values![id.0, allowed_by_setting(policies)],
    )?;
    db.rows(
        "SELECT class, count(*) FROM row INDEXED BY row_class WHERE job = ?1 AND class IS NOT NULL GROUP BY class",
        values![id.0],
        |r| {
            let class = DuplicateKind::from_code(r.text(0)?).unwrap_or(DuplicateKind::New);
            Ok((class, r.get(1)?))
        },
    )
}

fn allowed_by_setting(policies: &Policies) -> String {
    let allowed = DuplicateKind::ALL.iter().filter(|class| policies.allows(**class));
    super::json(&allowed.map(|class| class.code()).collect::<Vec<_>>())
}

/// Records that a setting or a flag allows these rows.
pub(super) fn allow_by_setting(db: &Tx<'_>, id: JobId, policies: &Policies) -> tx::Result<()> {
    db.run(
        "UPDATE row INDEXED BY row_class SET allowed = class
         WHERE job = ?1 AND class IS NOT NULL AND bucket = 'ready' AND allowed IS NULL AND class IN json_list(?2, text)",
        values![id.0, allowed_by_setting(policies)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::rows::{CorrectRow, NewRow};
    use crate::jobs::journal::tests::statements::{draft_of, journal};
    use crate::jobs::journal::{drafts, review};

    #[test]
    fn a_row_that_is_corrected_during_a_check_is_not_checked() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = NewRow { name: "Kim".into(), email: "kim@x.example".into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row]);
        let begun = Timestamp::from_second(1_000).expect("a time");
        let finish = |known: &Recipients| {
            let (corrected, alike) = (known.corrected, known.alike());
            let (phase, policies) = (Phase::Draft, Policies::default());
            let me = "me".to_owned();
            let args = FinishCheck { id, me, phase, complete: true, corrected, alike, begun, policies };
            finish_check(&db, &args).expect("finished");
            let checked = "SELECT guarded_at IS NOT NULL FROM job WHERE id = ?1";
            db.row(checked, values![id.0], |r| r.get::<bool>(0)).expect("the job")
        };
        let known = || recipients(&db, &id, &Phase::Draft).expect("recipients");

        let before = known();
        assert!(finish(&before));
        let (name, email) = ("Lee".to_owned(), "lee@x.example".to_owned());
        let row = CorrectRow { no: 1, name, email, row_status: RowStatus::Ready, why: None };
        drafts::correct_rows(&db, &id, "me", &[row]).expect("corrected");
        assert!(!finish(&before), "nobody looked Lee up");

        let corrected = known();
        assert!(finish(&corrected));
        let last = review::last_decision(&db, &id).expect("decisions").expect("one");
        review::undo_decision(&db, &id, "me", &last, &Policies::default()).expect("undone");
        assert!(!finish(&corrected), "nobody looked Kim up again");
        assert!(finish(&known()));
    }
}

//! The row table of the journal.

use super::claims::RecipientHasher;
use super::conditions::{GROUP, SAYS_DUPLICATE};
use super::jobs::{self, moment, row_status};
pub use super::row_parts::RowPart;
use super::row_parts::part_place;
use super::tx::Bind;
use crate::domain::look_alike::unaccented;
use crate::jobs::duplicate_kind::DuplicateKind;
use crate::jobs::intake::hex;
use crate::jobs::job::JobRow;
use crate::jobs::journal::prelude::*;
use crate::jobs::row_status::Claim;

#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct NewRow {
    pub(in crate::jobs) line: Option<u64>,
    pub(in crate::jobs) cells: Vec<String>,
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) email: String,
    pub(in crate::jobs) title: Option<String>,
    pub(in crate::jobs) badge: Option<BadgeId>,
    pub(in crate::jobs) row_status: Option<RowStatus>,
    pub(in crate::jobs) why: Option<Reason>,
    pub(in crate::jobs) of: Option<(JobId, u64)>,
    pub(in crate::jobs) status: Option<String>,
}

/// The cells of a file's row as the journal stores them, without API keys.
pub(in crate::jobs) fn stored_cells(cells: &[String]) -> String {
    let cells = serde_json::to_string(cells).unwrap_or_default();
    match redact(&cells) {
        Cow::Owned(redacted) => redacted,
        Cow::Borrowed(_) => cells,
    }
}

/// The original cells of all rows, as stored.
pub(super) fn cells(db: &Tx<'_>, job: &JobId) -> tx::Result<Vec<String>> {
    db.all("SELECT cells FROM row WHERE job = ?1 AND cells IS NOT NULL ORDER BY no", values![job.0])
}

const COLUMNS: &str = "job, no, line, cells, name, email, email_key, title, badge, bucket, why, of_job, of_no, \
                       status, person";

/// To a draft that is not kept yet, so it has no other owner.
pub(super) fn insert(db: &Tx<'_>, job: &JobId, rows: &[NewRow]) -> tx::Result<()> {
    let job = *job;
    let last: i64 = db.one("SELECT coalesce(max(no), 0) FROM row WHERE job = ?1", values![job.0])?;
    let people = RecipientHasher::of(db)?;
    let mut added = BTreeMap::new();
    db.append("row", COLUMNS, rows.len(), |add| {
        for (no, row) in (last.saturating_add(1)..=i64::MAX).zip(rows) {
            let cells = (!row.cells.is_empty()).then(|| stored_cells(&row.cells));
            let (name, email) = (redact(&row.name), redact(&row.email));
            let key = EmailKey::of(&email);
            let bucket = row.row_status.unwrap_or(RowStatus::Ready).code();
            *added.entry(bucket).or_default() += 1;
            add(values![
                job.0,
                no,
                row.line,
                cells,
                name,
                email,
                key.as_str(),
                row.title,
                row.badge.as_ref().map(BadgeId::wire),
                bucket,
                row.why,
                row.of.map(|(job, _)| job),
                row.of.map(|(_, no)| no),
                row.status,
                people.person(&key),
            ])?;
        }
        Ok(())
    })?;
    jobs::count_added(db, job, &added)
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct CorrectRow {
    pub(in crate::jobs) no: u64,
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) email: String,
    pub(in crate::jobs) row_status: RowStatus,
    pub(in crate::jobs) why: Option<Reason>,
}

/// Changes the names and addresses of rows of a draft. Clears the duplicate check's findings and the permissions,
/// which were about the earlier recipients. A row that names another template stays as it is judged: its job has the wrong
/// template for it.
pub(super) fn correct(db: &Tx<'_>, id: JobId, corrected: &[CorrectRow]) -> tx::Result<()> {
    let people = RecipientHasher::of(db)?;
    let list: Vec<_> = corrected
        .iter()
        .map(|CorrectRow { no, name, email, row_status, why }| {
            let key = EmailKey::of(email);
            let person = people.person(&key).as_deref().map(hex);
            json!([no, name, email, key.as_str(), person, row_status.code(), why.as_ref().map(stored)])
        })
        .collect();
    db.run(
        "WITH correct AS MATERIALIZED (
             SELECT ?1 AS job, no, name, email, email_key, person, bucket, why
             FROM json_rows(?2, no bigint, name text, email text, email_key text, person bytes, bucket text,
                            why text) AS list)
         UPDATE row SET name = correct.name, email = correct.email, email_key = correct.email_key,
                        person = correct.person, class = NULL, class_why = NULL, repeats = NULL, allowed = NULL,
                        seen = NULL, guarded = FALSE,
                        bucket = CASE WHEN row.title IS NULL THEN correct.bucket ELSE row.bucket END,
                        why = CASE WHEN row.title IS NULL THEN correct.why ELSE row.why END
         FROM correct WHERE row.job = correct.job AND row.no = correct.no AND row.request IS NULL",
        values![id.0, super::json(&list)],
    )
}

/// SQL for a row's number, as in [`JobRow::number`].
const NUMBER: &str = "coalesce(line, no)";

/// The places of the first two rows with a number, and the smallest and largest number of the job's rows. Earlier
/// versions gave all people of a pasted line the same number.
pub(super) fn places_of(db: &Tx<'_>, job: &JobId, number: &u64) -> tx::Result<(Vec<u64>, (u64, u64))> {
    let places = db.all(
        &format!("SELECT no FROM row WHERE job = ?1 AND {NUMBER} = ?2 ORDER BY no LIMIT 2"),
        values![job.0, number],
    )?;
    let range = db.one(
        &format!("SELECT coalesce(min({NUMBER}), 0), coalesce(max({NUMBER}), 0) FROM row WHERE job = ?1"),
        values![job.0],
    )?;
    Ok((places, range))
}

/// Number of rows before a row with the same name and address: of equal rows, it tells which one this is.
pub(super) fn equal_before(db: &Tx<'_>, job: &JobId, no: &u64) -> tx::Result<u64> {
    let sql = "SELECT count(*) FROM row AS this
               JOIN row ON row.job = this.job AND row.no < this.no AND row.name = this.name AND row.email = this.email
               WHERE this.job = ?1 AND this.no = ?2";
    db.one(sql, values![job.0, no])
}

/// The number of the row at a place; the place itself if the row does not exist.
pub(super) fn number_of(db: &Tx<'_>, job: &JobId, no: &u64) -> tx::Result<u64> {
    let number =
        db.first(&format!("SELECT {NUMBER} FROM row WHERE job = ?1 AND no = ?2"), values![job.0, no])?;
    Ok(number.unwrap_or(*no))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowField {
    No,
    Line,
    RowStatus,
    Holder,
    Address,
    Title,
    Badge,
    Why,
    Class,
    Accepted,
    Status,
    Mail,
    IssuedAt,
    ValidUntil,
    RevokeAt,
    /// The status, in the order of the filter's statuses. Never descending.
    Filter,
}

impl RowField {
    /// The SQL sort key. Case is ignored except in badge ids; statuses sort in the order of a row's life.
    fn sql(self) -> String {
        match self {
            // A page by `Filter` is read status by status.
            Self::No | Self::Filter => "no".to_owned(),
            Self::Line => NUMBER.to_owned(),
            Self::RowStatus => in_order(RowStatus::ALL),
            Self::Holder => "lower(name)".to_owned(),
            Self::Address => "lower(email)".to_owned(),
            Self::Title => "lower(title)".to_owned(),
            Self::Badge => "badge".to_owned(),
            Self::Why => "lower(why)".to_owned(),
            Self::Class => "class".to_owned(),
            Self::Accepted => "accepted".to_owned(),
            Self::Status => "lower(status)".to_owned(),
            Self::Mail => "lower(mail)".to_owned(),
            Self::IssuedAt => "issued_at".to_owned(),
            Self::ValidUntil => "valid_until".to_owned(),
            Self::RevokeAt => "revoke_at".to_owned(),
        }
    }
}

fn in_order(statuses: &[RowStatus]) -> String {
    let places = statuses.iter().zip(0..);
    let cases: Vec<String> = places.map(|(status, n)| format!("WHEN '{}' THEN {n}", status.code())).collect();
    format!("CASE bucket {} END", cases.join(" "))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFilter {
    /// Only rows with one of these statuses; all rows if empty.
    pub row_statuses: Vec<RowStatus>,
    /// Only rows with a reason of this kind: the key of a [`crate::jobs::RowGroup`].
    pub group: Option<String>,
    /// The parts of a draft's review, by which the rows are sorted; empty for another order.
    pub parts: Vec<RowPart>,
    /// Only rows with this text in the name, the address, the title or the badge id, with this line, or with the
    /// number of `#12`.
    pub text: Option<String>,
    /// Of the ready rows, only those of which [`JobRow::is_unproven`] is this.
    pub unproven: Option<bool>,
    /// Only rows after this place in the job.
    pub after: u64,
    /// Number of matching rows to skip, for a list with random access.
    pub skip: u64,
    /// Sort field, and whether descending; `None` sorts by place.
    pub order: Option<(RowField, bool)>,
}

pub(super) fn page(
    db: &Tx<'_>,
    job: &JobId,
    filter: &RowFilter,
    most: &usize,
    doubt_window: &i64,
) -> tx::Result<Vec<JobRow>> {
    if filter.parts.is_empty() && matches!(filter.order, Some((RowField::Filter, _))) {
        return page_by_status(db, job, filter, *most, doubt_window);
    }
    let Some(filter) = &with_present_statuses(db, *job, filter)? else { return Ok(Vec::new()) };
    let (after, skip) = start(db, *job, filter)?;
    let chosen = chosen(db, *job, filter)?;
    let sorted = sorted(filter);
    let order = format!("ORDER BY {sorted} no");
    let page = format!("job = ?1 AND no > ?5 AND {chosen} {order} LIMIT ?7 OFFSET ?6");
    // Rows are skipped in an index of statuses, and sorted without their other columns.
    let page = if skip > 0 || !sorted.is_empty() {
        format!("job = ?1 AND no IN (SELECT no FROM row WHERE {page}) {order}")
    } else {
        page
    };
    let is_unproven = super::refusals::is_unproven(db, *job)?;
    let sql = format!(
        "SELECT row.*, {GROUP} AS grp, coalesce({SAYS_DUPLICATE}, FALSE) AS says_duplicate, {is_unproven} AS is_unproven, (SELECT intent FROM request WHERE id = row.request) AS intent,
                (SELECT kind = 'issue' FROM job WHERE id = row.job) AS issues,
                (SELECT state FROM claim WHERE claim.job = row.job AND claim.no = row.no) AS claim FROM row
         WHERE {page}"
    );
    let ((text, accented), most) = (text_of(db, *job, filter)?, *most as i64);
    let values = values![job.0, filter.group, text, accented, after, skip, most];
    let values: Vec<&dyn Bind> = values.iter().copied().chain(keys(filter)).collect();
    db.rows(&sql, &values, |r| read(r, *doubt_window))
}

/// The beginning of the order of a filter's rows. Equal rows are sorted by place, so that pages are consistent.
fn sorted(filter: &RowFilter) -> String {
    match (part_place(&filter.parts), filter.order) {
        (Some(place), _) => format!("{place}, "),
        (None, Some((field, down))) => {
            format!("{} {},", field.sql(), if down { "DESC NULLS LAST" } else { "ASC NULLS FIRST" })
        }
        (None, None) => String::new(),
    }
}

/// The parameters of [`part_place`].
fn keys(filter: &RowFilter) -> impl Iterator<Item = &dyn Bind> {
    filter.parts.iter().filter_map(|part| part.key.as_ref()).map(|key| key as &dyn Bind)
}

/// The number of rows before a row in the list of a filter. `None` if the list does not have it.
pub(super) fn before_in_list(
    db: &Tx<'_>,
    job: &JobId,
    filter: &RowFilter,
    no: &u64,
) -> tx::Result<Option<u64>> {
    if filter.parts.is_empty() && matches!(filter.order, Some((RowField::Filter, _))) {
        let mut before = 0;
        for status in &filter.row_statuses {
            let of_status = RowFilter { row_statuses: vec![*status], order: None, ..filter.clone() };
            if let Some(found) = before_in_list(db, job, &of_status, no)? {
                return Ok(Some(before + found));
            }
            before += count(db, job, &of_status)?;
        }
        return Ok(None);
    }
    // `LIMIT ?7`: the keys of parts are the parameters behind it.
    let sql = format!(
        "SELECT place FROM (SELECT no, row_number() OVER (ORDER BY {} no) AS place
                            FROM row WHERE job = ?1 AND no > ?5 AND {}) AS placed
         WHERE no = ?6 LIMIT ?7",
        sorted(filter),
        chosen(db, *job, filter)?
    );
    let ((text, accented), no) = (text_of(db, *job, filter)?, *no as i64);
    let values = values![job.0, filter.group, text, accented, 0_i64, no, 1_i64];
    let values: Vec<&dyn Bind> = values.iter().copied().chain(keys(filter)).collect();
    db.optional(&sql, &values, |r| Ok(r.get::<i64>(0)?.unsigned_abs().saturating_sub(1)))
}

/// The same filter without statuses that no row has. `None` if nothing is left of it. A database may read all rows of a
/// job to find none with such a status.
fn with_present_statuses(db: &Tx<'_>, job: JobId, filter: &RowFilter) -> tx::Result<Option<RowFilter>> {
    let mut filter = filter.clone();
    if filter.row_statuses.is_empty() {
        return Ok(Some(filter));
    }
    let counts = jobs::counts(db, job)?;
    filter.row_statuses.retain(|status| counts.of(*status) > 0);
    Ok((!filter.row_statuses.is_empty()).then_some(filter))
}

/// The place after which a page begins, and how many of the rows after it that the filter matches come before the page.
///
/// The numbers of a job's rows have no gaps. So the first `skip` rows with some statuses are the first `skip` rows of
/// the job but for those with another status. Where these are few, they are counted instead of the rows to skip.
fn start(db: &Tx<'_>, job: JobId, filter: &RowFilter) -> tx::Result<(i64, i64)> {
    let (after, skip) = (filter.after as i64, filter.skip as i64);
    let is_by_number = is_by_status(filter) && filter.parts.is_empty() && filter.order.is_none();
    if skip == 0 || after > 0 || !is_by_number {
        return Ok((after, skip));
    }
    if filter.row_statuses.is_empty() {
        return Ok((skip, 0));
    }
    let counts = jobs::counts(db, job)?;
    let others: Vec<RowStatus> = RowStatus::ALL
        .iter()
        .copied()
        .filter(|status| counts.of(*status) > 0 && !filter.row_statuses.contains(status))
        .collect();
    let others_count: u64 = others.iter().map(|status| counts.of(*status)).sum();
    if others.is_empty() {
        return Ok((skip, 0));
    }
    if others_count * 2 > filter.skip {
        return Ok((0, skip));
    }
    let sql = format!("SELECT count(*) FROM row WHERE job = ?1 AND {} AND no <= ?2", with_status(&others));
    Ok((skip, db.one(&sql, values![job.0, skip])?))
}

/// A page with the rows of the filter's first status before those of the next one. Each status is a range of an
/// index, so that a page of a job with a million rows needs no sorting.
fn page_by_status(
    db: &Tx<'_>,
    job: &JobId,
    filter: &RowFilter,
    most: usize,
    doubt_window: &i64,
) -> tx::Result<Vec<JobRow>> {
    let (mut found, mut skip) = (Vec::new(), filter.skip);
    for status in &filter.row_statuses {
        let mut of_status = RowFilter { row_statuses: vec![*status], order: None, skip, ..filter.clone() };
        let rows = if skip > 0 { count(db, job, &of_status)? } else { 0 };
        if skip > 0 && skip >= rows {
            skip -= rows;
            continue;
        }
        of_status.skip = std::mem::take(&mut skip);
        found.extend(page(db, job, &of_status, &(most - found.len()), doubt_window)?);
        if found.len() >= most {
            break;
        }
    }
    Ok(found)
}

/// All of a row that a text is looked for in.
const TEXT: &str = "(coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(title, '') || ' ' || coalesce(badge, ''))";

/// The text of a filter, and as a JSON list the rows that have it in capitals or with accents: a database compares only
/// ASCII without them.
fn text_of(db: &Tx<'_>, job: JobId, filter: &RowFilter) -> tx::Result<(Option<String>, Option<String>)> {
    let Some(wanted) = filter.text.as_deref().map(unaccented) else { return Ok((None, None)) };
    let mut found: Vec<i64> = Vec::new();
    if wanted.contains(char::is_lowercase) {
        let sql = format!("SELECT no, {TEXT} FROM row WHERE job = ?1 AND text_has_unfolded({TEXT})");
        let rows: Vec<(i64, String)> = db.all(&sql, values![job.0])?;
        found = rows
            .into_iter()
            .filter(|(_, text)| unaccented(text).contains(&wanted))
            .map(|(no, _)| no)
            .collect();
    }
    Ok((Some(wanted), Some(super::json(&found))))
}

/// One of these statuses as a condition; any status if there are none.
fn with_status(statuses: &[RowStatus]) -> String {
    let codes: Vec<String> = statuses.iter().map(|b| format!("'{}'", b.code())).collect();
    if codes.is_empty() { "TRUE".to_owned() } else { format!("bucket IN ({})", codes.join(",")) }
}

/// Whether a filter chooses rows by nothing but their status.
fn is_by_status(filter: &RowFilter) -> bool {
    filter.group.is_none() && filter.text.is_none() && filter.unproven.is_none()
}

/// A filter as a condition; `?2` is the key of its group, `?3` and `?4` are [`text_of`] it.
fn chosen(db: &Tx<'_>, job: JobId, filter: &RowFilter) -> tx::Result<String> {
    let statuses = with_status(&filter.row_statuses);
    // Without a group, the key of each row is not computed.
    let group = if filter.group.is_some() { format!("{GROUP} = ?2") } else { "?2 IS NULL".to_owned() };
    let text = if filter.text.is_some() {
        format!(
            "(instr(lower({TEXT}), ?3) > 0 OR CAST(line AS TEXT) = ?3 OR '#' || CAST({NUMBER} AS TEXT) = ?3
              OR no IN json_list(?4, bigint))"
        )
    } else {
        "?3 IS NULL AND ?4 IS NULL".to_owned()
    };
    let unproven = match filter.unproven {
        Some(unproven) => {
            let is_unproven = super::refusals::is_unproven(db, job)?;
            let not = if unproven { "" } else { "NOT " };
            format!("(bucket <> '{}' OR {not}{is_unproven})", RowStatus::Ready.code())
        }
        None => "TRUE".to_owned(),
    };
    Ok(format!("{statuses} AND {group} AND {text} AND {unproven}"))
}

/// Number of a job's rows that a filter matches, wherever the filter begins.
pub(super) fn count(db: &Tx<'_>, job: &JobId, filter: &RowFilter) -> tx::Result<u64> {
    if is_by_status(filter) {
        let sql = format!(
            "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM tally WHERE job = ?1 AND {}",
            with_status(&filter.row_statuses)
        );
        return db.one(&sql, values![job.0]).map(jobs::possible);
    }
    let sql = format!("SELECT count(*) FROM row WHERE job = ?1 AND {}", chosen(db, *job, filter)?);
    let (text, accented) = text_of(db, *job, filter)?;
    db.one(&sql, values![job.0, filter.group, text, accented])
}

fn read(r: &SqlRow<'_>, doubt_window: i64) -> tx::Result<JobRow> {
    let row_status = row_status(r, "bucket")?;
    let cells: Vec<String> =
        r.get::<Option<String>>("cells")?.and_then(|raw| serde_json::from_str(&raw).ok()).unwrap_or_default();
    let intent: Option<i64> = r.get("intent")?;
    let issues: bool = r.get("issues")?;
    let is_unsent = r.get::<Option<i64>>("request")?.is_none();
    let looked_for =
        issues && matches!(row_status, RowStatus::InDoubt | RowStatus::NotVisibleYet | RowStatus::NeverSeen);
    let claim = r.get::<Option<String>>("claim")?.and_then(|code| Claim::from_code(&code));
    let was_sent = if issues { matches!(claim, Some(Claim::Open | Claim::Kept)) } else { !is_unsent };
    let class = r.get::<Option<String>>("class")?.and_then(|c| DuplicateKind::from_code(&c));
    let says_duplicate: bool = r.get("says_duplicate")?;
    let also = match class.filter(|class| *class != DuplicateKind::New && is_unsent && !says_duplicate) {
        Some(class) => {
            let kind = Reason::class(class);
            let why: Option<Reason> = r.get("class_why")?;
            Some(why.map_or_else(|| kind.clone(), |why| kind.clone().because("why", why)))
        }
        None => None,
    };
    Ok(JobRow {
        no: r.get("no")?,
        line: r.get("line")?,
        cells: cells.into_iter().map(Text::new).collect(),
        holder: r.get::<Option<Text>>("name")?.unwrap_or_default(),
        address: r.get::<Option<Text>>("email")?.unwrap_or_default(),
        title: r.get("title")?,
        badge_id: r.get::<Option<String>>("badge")?.and_then(BadgeId::new),
        row_status,
        why: r.get("why")?,
        group: r.get("grp")?,
        claim,
        was_sent,
        is_unproven: r.get("is_unproven")?,
        class,
        also,
        requested: intent.filter(|_| issues).and_then(|at| Timestamp::from_second(at).ok()),
        accepted: moment(r, "accepted")?,
        until: intent
            .filter(|_| looked_for)
            .and_then(|at| Timestamp::from_second(at.saturating_add(doubt_window)).ok()),
        status: r.get("status")?,
        mail_status: r.get("mail")?,
        // A waiting badge may show its time of acceptance here.
        issued_at: r.get::<Option<Text>>("issued_at")?.filter(|_| !row_status.awaits_issue()),
        valid_until: r.get("valid_until")?,
        revoke_at: r.get("revoke_at")?,
    })
}

pub(super) fn set(
    db: &Tx<'_>,
    job: JobId,
    rows: &[u64],
    row_status: RowStatus,
    why: Option<&Reason>,
) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = ?3, why = ?4 WHERE job = ?1 AND no IN json_list(?2, bigint)",
        values![job.0, super::json(rows), row_status.code(), why],
    )
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Binding<'a> {
    pub(super) job: JobId,
    pub(super) no: u64,
    pub(super) badge: &'a BadgeId,
    /// When it was accepted: the service's time, in seconds.
    pub(super) at: i64,
    /// The request whose answer names the badge. Its row is no longer bound by it if it was sent again.
    pub(super) request: Option<i64>,
}

/// Binds badges to rows, and returns the bound badges. A badge that another row of an issue job of the service has already
/// stays with that row.
pub(super) fn bind(db: &Tx<'_>, badges: &[Binding<'_>]) -> tx::Result<Vec<BadgeId>> {
    if badges.is_empty() {
        return Ok(Vec::new());
    }
    let (mut rounds, mut bound): (Vec<Vec<_>>, _) = (Vec::new(), Vec::new());
    let mut rounds_of: HashMap<&BadgeId, usize> = HashMap::with_capacity(badges.len());
    for b in badges {
        // Two rows with one badge: the second one gets it if the first one cannot.
        let round = rounds_of.entry(b.badge).or_default();
        if rounds.len() == *round {
            rounds.push(Vec::with_capacity(badges.len()));
        }
        rounds[*round].push((b.job.0, b.no, b.badge.wire(), b.at, b.request));
        *round += 1;
    }
    for wanted in rounds {
        // Materialized, so that SQLite looks each row up by its key. Counted, since PostgreSQL would answer `NOT EXISTS`
        // with one reading of all badges.
        let found: Vec<(i64, i64, String)> = db.all(
            "WITH wanted AS MATERIALIZED (
                 SELECT job, no, badge, at, request
                 FROM json_rows(?1, job bigint, no bigint, badge text, at bigint, request bigint) AS list)
             UPDATE row SET badge = wanted.badge, accepted = wanted.at, bucket = 'waiting', why = NULL, absent = NULL
             FROM wanted WHERE row.job = wanted.job AND row.no = wanted.no
               AND (wanted.request IS NULL OR row.request = wanted.request AND row.badge IS NULL)
               AND 0 = (SELECT count(*) FROM row AS other JOIN job ON job.id = other.job
                        WHERE other.badge = wanted.badge AND job.kind = 'issue'
                          AND job.base_url = (SELECT base_url FROM job WHERE id = wanted.job)
                          AND NOT (other.job = wanted.job AND other.no = wanted.no))
             RETURNING row.job, row.no, row.badge",
            values![super::json(&wanted)],
        )?;
        bound.extend(found);
    }
    if bound.is_empty() {
        return Ok(Vec::new());
    }
    // Revocations that wait for these badges' ids get them now, also those of other owners: an id decides nothing. Few jobs
    // have any.
    let jobs: BTreeSet<i64> = bound.iter().map(|(job, ..)| *job).collect();
    let are_awaited = "SELECT EXISTS (SELECT 1 FROM row WHERE of_job IN json_list(?1, bigint))";
    if db.one(are_awaited, values![super::json(&jobs)])? {
        db.execute(
            "WITH bound AS MATERIALIZED (
                 SELECT job, no, badge FROM json_rows(?1, job bigint, no bigint, badge text) AS list)
             UPDATE row SET badge = bound.badge
             FROM bound WHERE row.of_job = bound.job AND row.of_no = bound.no AND row.badge IS NULL",
            values![super::json(&bound)],
        )?;
    }
    Ok(bound.into_iter().filter_map(|(_, _, badge)| BadgeId::new(badge)).collect())
}

/// Adds failed badges of an issue job to the baseline, so that they do not match the next request. The first value is the
/// job, and `which` a condition for its rows.
pub(super) fn forget_failed(db: &Tx<'_>, which: &str, values: &[&dyn Bind]) -> tx::Result<()> {
    let of_issue =
        format!("{which} AND badge IS NOT NULL AND (SELECT kind FROM job WHERE id = ?1) = 'issue'");
    db.execute(
        &format!(
            "INSERT INTO baseline (job, email_key, badge) SELECT job, email_key, badge FROM row WHERE {of_issue}
             ON CONFLICT DO NOTHING"
        ),
        values,
    )?;
    db.run(&format!("UPDATE row SET badge = NULL, accepted = NULL, status = NULL WHERE {of_issue}"), values)
}

pub(super) fn holder_of(db: &Tx<'_>, badge: &BadgeId) -> tx::Result<Option<(JobId, u64)>> {
    db.first(
        "SELECT row.job, row.no FROM row JOIN job ON job.id = row.job
         WHERE row.badge = ?1 AND job.kind = 'issue' LIMIT 1",
        values![badge.wire()],
    )
}

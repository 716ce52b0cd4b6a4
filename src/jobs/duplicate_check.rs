//! The duplicate check: recipients who have this badge already, may get it twice, or appear in two spellings.

use super::core::JobsCore;
use super::duplicate_kind::{DuplicateKind, hash, loosened};
use super::error::JobError;
use super::handle::Jobs;
use super::history_scan::{HistoryScan, spellings};
use super::job::{Job, JobId, Kind, Phase};
use super::journal::RecentLoss;
use super::journal::duplicates::{ExistingBadge, FinishCheck, Recipients, RecordHeld};
use super::reason::{Code, Reason};
use super::seen_badge::SeenBadge;
use super::settings::JobConfig;
use crate::domain::{ServiceClock, State, Verdict};
use crate::jobs::prelude::*;
use jiff::ToSpan;

/// Maximum number of addresses that are queried without comparing the cost of title pages.
const FEW: u64 = 2;

/// Recipients without a badge on the pages that are looked up by address: if none of them has one, the others have none
/// either.
const CONTROLS: usize = 20;

/// If not all pages could be read: maximum number of addresses that are queried one by one instead.
const FEW_LOOK_UPS: u64 = 200;

/// Maximum number of titles of one template that are read.
const MOST_TITLES: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckProgress {
    /// Requests.
    pub done: u64,
    /// Expected requests, according to the counts so far.
    pub all: u64,
    /// Checked recipients; with `of_history`, badges of the history that were read.
    pub rows: u64,
    /// Their total; 0 if unknown.
    pub rows_all: u64,
    pub of_history: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DuplicateResult {
    /// Number of rows per kind, except [`DuplicateKind::New`].
    pub classes: Vec<(DuplicateKind, u64)>,
    /// Whether everything was read. If not, a recipient may have the badge without being reported.
    pub complete: bool,
    pub requests: u64,
    /// Paused or stopped jobs with unsent rows for some of these recipients, and how many. Once the draft
    /// begins, those jobs no longer send to them, so resuming them is better than issuing anew.
    pub unsent: Vec<(JobId, u64)>,
    /// A team's database lost writes a short time ago, so all rows need review.
    pub loss: Option<RecentLoss>,
}

impl DuplicateResult {
    /// Warnings for the person who begins the draft, with the times of its rows: [`Reason::in_zone_of`].
    pub fn warnings(&self, clock: &ServiceClock) -> Vec<Localizable> {
        let warning = |(job, n): &(JobId, u64)| {
            localizable_plural!(
                *n,
                "Job {job} has not sent to {n} of these recipients yet: resume it instead.",
                "Job {job} has not sent to {n} of these recipients yet: resume it instead.",
                job
            )
        };
        let loss = self.loss.iter().map(|loss| loss.with_times(&|at| clock.short(at)));
        loss.chain(self.unsent.iter().map(warning)).collect()
    }
}

impl Jobs {
    /// Reads which badges the recipients have, by addresses or by title pages, the cheaper way. Stores them
    /// as the baseline for doubts, then gives every unsent row its status by the policies. An allowed row
    /// stays allowed unless something new is found.
    ///
    /// # Errors
    /// The service or the journal failed. The job is unchanged, and the check can be repeated.
    pub async fn check_duplicates(
        &self,
        id: JobId,
        progress: &watch::Sender<CheckProgress>,
        cancel: CancellationToken,
    ) -> Result<DuplicateResult, JobError> {
        let job = self.core.my_job(id).await?;
        if job.kind != Kind::Issue {
            return Ok(DuplicateResult { complete: true, ..DuplicateResult::default() });
        }
        let checked =
            check_duplicates(&self.core, &job, progress, cancel).await.map_err(JobError::of_draft)?;
        self.core.changed(id, []);
        Ok(checked)
    }
}

pub(super) async fn check_duplicates(
    core: &Arc<JobsCore>,
    job: &Job,
    progress: &watch::Sender<CheckProgress>,
    cancel: CancellationToken,
) -> Result<DuplicateResult, JobError> {
    let id = job.id;
    let Some(template) = job.template_id.clone() else {
        return Err(JobError::no(localizable!("The job has no template.")));
    };
    let (begun, _) = core.moment();
    let phase = job.phase;
    let known = core.store.recipients(id, phase).await?;
    core.store.reset_check(id, core.me(), phase).await?;
    // A person waits for a few requests; more run in the background.
    let call = |all: u64| {
        if all <= 100 { Call::interactive() } else { Call::background() }.cancelled_by(cancel.clone())
    };
    let mut hunt = DuplicateScan {
        core,
        progress,
        id,
        phase,
        template,
        known,
        shown: HashSet::new(),
        requests: 0,
        complete: true,
    };
    match read_history(&mut hunt, job, &call).await {
        Err(JobError::Service(why)) if core.settings.policies.allows_duplicates() && is_only_unread(&why) => {
            hunt.complete = false;
        }
        read => read?,
    }
    let (complete, requests) = (hunt.complete, hunt.requests);
    let (corrected, alike) = (hunt.known.corrected, hunt.known.alike());
    hunt.report(requests, hunt.known.unsent, hunt.known.unsent, false);
    // A million rows need much memory.
    drop(hunt);
    let policies = core.settings.policies.clone();
    let (classes, unsent, loss) = core
        .store
        .finish_check(FinishCheck { id, me: core.me(), phase, complete, corrected, alike, begun, policies })
        .await?;
    Ok(DuplicateResult { classes, complete, requests, unsent, loss })
}

/// Whether the service works, but did not give a part of the history. Then a job that sends duplicates anyway may run.
fn is_only_unread(why: &ApiError) -> bool {
    matches!(
        why,
        ApiError::ServiceFailed(_)
            | ApiError::Unreadable { .. }
            | ApiError::NoResponse { .. }
            | ApiError::BadRequest(_)
            | ApiError::NotFound(_)
            | ApiError::RateLimited { .. }
    )
}

async fn read_history(
    hunt: &mut DuplicateScan<'_>,
    job: &Job,
    call: &impl Fn(u64) -> Call,
) -> Result<(), JobError> {
    let (store, id, phase) = (&hunt.core.store, hunt.id, hunt.phase);
    let by_titles = hunt.known.unsent > FEW && !job.title.looks_empty() && {
        let mut titles = vec![job.title.clone()];
        titles.extend(store.other_titles(id).await?);
        read_titles(hunt, titles, call).await?
    };
    if by_titles {
        return Ok(());
    }
    let emails = store.emails(id, phase).await?;
    let all = emails.len() as u64;
    let paced = call(all);
    for (email, rows) in emails.iter().zip(1..) {
        hunt.look_up(email, &paced).await?;
        hunt.report(all, rows, all, false);
    }
    Ok(())
}

/// Reads the history by the titles of the template's badges. The template may have been renamed, and its badges may keep
/// their titles: a few recipients without a badge are looked up by address, and what they have names further titles.
/// Returns false if the recipients must be looked up by address, which costs no more or finds more.
async fn read_titles(
    hunt: &mut DuplicateScan<'_>,
    mut titles: Vec<Text>,
    call: &impl Fn(u64) -> Call,
) -> Result<bool, JobError> {
    let (core, recipients) = (hunt.core, hunt.known.unsent);
    let mut read = 0;
    while let Some(title) = titles.get(read).cloned() {
        let first = call(1);
        let mut scan = HistoryScan::of_title(core.reader(), &title, &first);
        let mut page = hunt.page(&mut scan).await?;
        let all = hunt.requests + scan.left();
        if all > recipients {
            return Ok(false);
        }
        let paced = call(all);
        scan = scan.called(&paced);
        while let Some(sights) = page {
            hunt.take(sights).await?;
            let (rows, total) = (scan.rows(), scan.total_count().unwrap_or(0));
            hunt.report(all, rows, if total < rows { 0 } else { total }, true);
            page = hunt.page(&mut scan).await?;
        }
        core.learn_filters(&scan).await?;
        if !scan.is_complete() {
            // An incomplete page can hide badges.
            if recipients <= FEW_LOOK_UPS {
                return Ok(false);
            }
            hunt.complete = false;
        }
        read += 1;
        if read < titles.len() {
            continue;
        }
        let mut others = BTreeSet::new();
        for email in core.store.some_without_badge(hunt.id, hunt.phase, CONTROLS).await? {
            others.extend(hunt.look_up(&email, &first).await?);
        }
        if others.is_empty() {
            break;
        }
        if recipients <= FEW_LOOK_UPS {
            return Ok(false);
        }
        let known = titles.len();
        titles.extend(
            others
                .iter()
                .map(|title| Text::from(title.as_str()))
                .filter(|new| titles.iter().all(|title| title.wire() != new.wire()))
                .collect::<Vec<_>>(),
        );
        // A title that does not find its own badges, or very many titles, prove nothing.
        if titles.len() == known || titles.len() > MOST_TITLES {
            hunt.complete = false;
            break;
        }
    }
    Ok(true)
}

struct DuplicateScan<'c> {
    core: &'c Arc<JobsCore>,
    progress: &'c watch::Sender<CheckProgress>,
    id: JobId,
    phase: Phase,
    template: TemplateId,
    known: Recipients,
    /// Hashes of the ids of their badges.
    shown: HashSet<u64>,
    requests: u64,
    complete: bool,
}

impl DuplicateScan<'_> {
    fn report(&self, all: u64, rows: u64, rows_all: u64, of_history: bool) {
        let (done, all) = (self.requests, all.max(self.requests));
        self.progress.send_replace(CheckProgress { done, all, rows, rows_all, of_history });
    }

    async fn page(&mut self, scan: &mut HistoryScan<'_>) -> Result<Option<Vec<SeenBadge>>, ApiError> {
        let page = scan.next().await?;
        self.requests += u64::from(page.is_some());
        Ok(page)
    }

    /// Looks a recipient up by address. Returns the titles of badges of this template that nothing has shown before.
    async fn look_up(&mut self, email: &str, call: &Call) -> Result<BTreeSet<String>, JobError> {
        let (core, key) = (self.core, EmailKey::of(email));
        let mut titles = BTreeSet::new();
        for spelling in spellings(email) {
            let mut scan = HistoryScan::of_address(core.reader(), &spelling, call);
            while let Some(sights) = self.page(&mut scan).await? {
                let of_template = |s: &&SeenBadge| {
                    s.template_id.as_ref() == Some(&self.template)
                        && s.key().as_ref() == Some(&key)
                        && !self.shown.contains(&hash(s.badge_id.wire()))
                };
                let title = |s: &SeenBadge| s.title.as_ref().map_or("", Text::wire).to_owned();
                titles.extend(sights.iter().filter(of_template).map(title));
                self.take(sights).await?;
            }
            core.learn_filters(&scan).await?;
            self.complete &= scan.is_complete();
        }
        Ok(titles)
    }

    async fn take(&mut self, mut sights: Vec<SeenBadge>) -> Result<(), JobError> {
        sights.retain(|s| s.template_id.as_ref() == Some(&self.template));
        if sights.is_empty() {
            return Ok(());
        }
        let found = sights.iter().filter_map(SeenBadge::key).collect::<BTreeSet<_>>();
        let candidates: BTreeSet<i64> = found.iter().flat_map(|key| self.known.like(key)).collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let is_like = |s: &&SeenBadge| s.key().is_some_and(|key| self.known.like(&key).next().is_some());
        let shown: Vec<u64> = sights.iter().filter(is_like).map(|s| hash(s.badge_id.wire())).collect();
        self.shown.extend(shown);
        let (id, phase) = (self.id, self.phase);
        let rows = self.core.store.email_keys(id, candidates.into_iter().collect()).await?;
        let similar = similar_to(&sights, &rows);
        let now = self.core.reader().clock().now();
        let held = sights.iter().filter_map(|sight| held(sight, now, &self.core.settings)).collect();
        let me = self.core.me();
        Ok(self.core.store.record_held(RecordHeld { id, me, phase, held, similar, rows }).await?)
    }
}

/// The recipients whose address is similar to that of a holder.
fn similar_to(sights: &[SeenBadge], rows: &[(i64, EmailKey)]) -> Vec<(EmailKey, Reason)> {
    let mut keys: HashMap<u64, BTreeSet<&EmailKey>> = HashMap::new();
    for (_, key) in rows {
        keys.entry(loosened(key.as_str())).or_default().insert(key);
    }
    let not_over = |s: &&SeenBadge| !matches!(s.verdict.state(), State::Revoked | State::Revoking);
    let held = sights.iter().filter(not_over).filter_map(|s| Some((s.key()?, s)));
    held.flat_map(|(key, sight)| {
        let address = sight.email.as_ref().map_or("", |email| email.wire());
        let why = Reason::from(Code::LookAlike).with("address", address);
        let like = keys.get(&loosened(key.as_str())).into_iter().flatten().filter(|like| ***like != key);
        like.map(|like| ((*like).clone(), why.clone())).collect::<Vec<_>>()
    })
    .collect()
}

/// `None` if the record has no address.
fn held(sight: &SeenBadge, now: DateTime, settings: &JobConfig) -> Option<ExistingBadge> {
    let (class, why) = class_of(&sight.verdict, now, settings);
    let why = Reason::from(Code::Held).because("why", why).with("id", sight.badge_id.wire());
    Some(ExistingBadge { key: sight.key()?, badge: sight.badge_id.clone(), class, why })
}

fn class_of(verdict: &Verdict, now: DateTime, settings: &JobConfig) -> (DuplicateKind, Reason) {
    let (word, more) = verdict.parts();
    let mut parts = vec![Reason::from(&word)];
    if !more.to_string().is_empty() {
        parts.push(Reason::from(&more));
    }
    let line = Reason::list(Code::Verdict, parts);
    let class = match verdict {
        Verdict::Valid { until: Some(until) } => {
            let left = until.end().map(|end| end.duration_since(now));
            if left.is_some_and(|l| l <= settings.expiring) {
                DuplicateKind::Expiring
            } else {
                DuplicateKind::Valid
            }
        }
        Verdict::Expired { .. } | Verdict::SaidExpired { .. } => DuplicateKind::Expired,
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. } => {
            DuplicateKind::Revoked
        }
        Verdict::Waiting { .. } | Verdict::Overdue { .. } | Verdict::ToRevoke { .. } => {
            DuplicateKind::Waiting
        }
        // An unknown word may mean that the badge is valid.
        Verdict::Valid { until: None }
        | Verdict::NotYetValid { .. }
        | Verdict::SaidIssued { .. }
        | Verdict::SaidFailed { .. }
        | Verdict::Unknown { .. }
        | Verdict::Unread => DuplicateKind::Valid,
    };
    (class, line)
}

/// For one row that was sent before; [`check_duplicates`] reads the others. Something new makes the row need review.
pub(super) async fn look_up(core: &Arc<JobsCore>, job: &Job, no: u64) -> Result<(), JobError> {
    let (id, phase) = (job.id, job.phase);
    let email = core.store.email_of_sent(id, no, phase).await?;
    let (Some(email), Some(template)) = (email, job.template_id.clone()) else { return Ok(()) };
    let (key, call) = (EmailKey::of(&email), Call::interactive());
    let mut sights = Vec::new();
    for spelling in spellings(&email) {
        let mut scan = HistoryScan::of_address(core.reader(), &spelling, &call);
        while let Some(page) = scan.next().await? {
            sights.extend(page.into_iter().filter(|sight| {
                sight.template_id.as_ref() == Some(&template) && sight.key().as_ref() == Some(&key)
            }));
        }
        core.learn_filters(&scan).await?;
        if !scan.is_complete() {
            return Err(incomplete());
        }
    }
    let now = core.reader().clock().now();
    let held = sights.iter().filter_map(|sight| held(sight, now, &core.settings)).collect();
    core.store.record_held_of_row(id, core.me(), no, held).await?;
    core.changed(id, []);
    Ok(())
}

/// lapel sends nothing after an incomplete reading.
pub(super) fn incomplete() -> JobError {
    JobError::NotRead(localizable!(
        "lapel could not read the history to its end: it is not certain who already has this badge. Nothing was sent. Try again."
    ))
}

/// Whether the duplicate check is too old to send without repeating it.
pub(super) fn is_stale(core: &JobsCore, job: &Job) -> bool {
    let (now, _) = core.moment();
    job.checked.is_none_or(|at| {
        let age: SignedDuration = now.duration_since(at);
        age > core.settings.check_age || now.checked_add(1.minute()).is_ok_and(|soon| soon < at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::costs;
    use crate::domain::BadgeId;
    use crate::jobs::seen_badge::SightSource;

    #[test]
    fn costs_of_a_scan() {
        let template = TemplateId::new("TPL-004").expect("an id");
        let sight = |n: u64| SeenBadge {
            place: SightSource::History,
            badge_id: BadgeId::new(format!("BDG-2026-{n:06}")).expect("an id"),
            template_id: Some(template.clone()),
            title: Some(Text::from("파이썬 데이터 분석")),
            holder: Some(Text::from("김하나")),
            email: Some(Text::from(format!("hana{n}@naru.example").as_str())),
            verdict: Verdict::Valid { until: None },
            status: Some(Text::from("발급완료")),
            mail: None,
            issued_at: None,
            valid_until: None,
            revoke_at: None,
            reg_date: None,
        };
        let sights: Vec<SeenBadge> = (0..10_000).map(sight).collect();
        let mut hashes: Vec<_> =
            (0..1_000).map(|n| (loosened(&format!("ha.na{n}@naru.example")), n)).collect();
        hashes.sort_unstable();
        let known = Recipients { unsent: 1_000, hashes, ..Recipients::default() };
        let (now, settings) = (DateTime::default(), JobConfig::default());
        let scan = || {
            let held: Vec<_> = sights.iter().filter_map(|sight| held(sight, now, &settings)).collect();
            let keys = held.iter().map(|badge| &badge.key);
            keys.filter(|key| known.like(key).next().is_some()).count()
        };
        assert_eq!(scan(), 1_000);
        costs("compare 10,000 badges with 1,000 recipients", || {
            std::hint::black_box(scan());
        });
    }
}

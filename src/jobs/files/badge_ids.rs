//! Drafts a revocation from a file of badge ids, after reading each badge's state.

use super::{Reading, ReadingWatcher, off_the_loop, origin_of};
use crate::api::{HistoryFilter, Reader};
use crate::jobs::error::JobError;
use crate::jobs::handle::Jobs;
use crate::jobs::history_scan::{self, HistoryScan};
use crate::jobs::intake::{self, Choices, IdRow, ImportSource};
use crate::jobs::job::JobId;
use crate::jobs::journal::rows::NewRow;
use crate::jobs::plan;
use crate::jobs::prelude::*;
use crate::jobs::reason::{Code, Reason};
use crate::jobs::row_status::RowStatus;
use crate::jobs::seen_badge::SeenBadge;

/// Maximum number of badges that are read one by one without comparing the cost of history pages.
const FEW: usize = 3;

#[derive(Clone, Debug)]
pub struct IdsRequest {
    pub source: ImportSource,
    /// How to read it, as far as a person has decided.
    pub choices: Choices,
    /// Holders may see it.
    pub reason: String,
    /// Whether waiting badges are revoked when they become Issued.
    pub when_issued: bool,
}

impl Jobs {
    /// Queries each badge's state for the draft. Damaged and repeated ids become rows, too, with the reason.
    ///
    /// # Errors
    /// The file is not readable, or the service could not be queried. No draft remains.
    pub async fn draft_ids(
        &self,
        request: IdsRequest,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<JobId, JobError> {
        self.core.planner()?;
        JobError::unless_key(&request.reason)?;
        let reason = request.reason.trim().to_owned();
        JobError::unless_empty(&reason)?;
        let watcher = ReadingWatcher::new(progress.clone(), cancel.clone());
        let (source, choices) = (request.source, request.choices);
        let list = off_the_loop(move || Ok(intake::read_ids(&source, &choices, &watcher)?)).await?;
        let ids: Vec<BadgeId> = list.rows.iter().filter_map(|r| r.id.clone().ok()).collect();
        let states = states_of(self.core.reader(), &ids, &progress, &cancel).await?;
        let rows = list.rows.into_iter().map(|row| id_row(row, &states, request.when_issued)).collect();
        self.core.create_revocation(&reason, rows, Some(origin_of(&list.about, None))).await
    }
}

struct States {
    seen: HashMap<BadgeId, SeenBadge>,
    unread: HashMap<BadgeId, ApiError>,
}

/// Queries badge states: one by one, or by all pages of the history if that is cheaper.
async fn states_of(
    reader: &Reader,
    ids: &[BadgeId],
    progress: &watch::Sender<Reading>,
    cancel: &CancellationToken,
) -> Result<States, JobError> {
    let call =
        if ids.len() > 100 { Call::background() } else { Call::interactive() }.cancelled_by(cancel.clone());
    let mut seen: HashMap<BadgeId, SeenBadge> = HashMap::new();
    let mut unread = HashMap::new();
    let report = |done: usize| {
        let (done, all) = (done as u64, ids.len() as u64);
        progress.send_replace(Reading { bytes_done: done, bytes_all: all, rows: done, rows_all: all });
    };
    if ids.len() > FEW {
        let wanted: HashSet<&BadgeId> = ids.iter().collect();
        let mut scan = HistoryScan::new(reader, HistoryFilter::default(), &call);
        let mut page = scan.next().await?;
        if scan.left() < ids.len() as u64 {
            while let Some(sights) = page {
                let found = sights.into_iter().filter(|s| wanted.contains(&s.badge_id));
                seen.extend(found.map(|s| (s.badge_id.clone(), s)));
                report(seen.len());
                page = if seen.len() < wanted.len() { scan.next().await? } else { None };
            }
        }
    }
    let mut done = ids.iter().filter(|id| seen.contains_key(*id)).count();
    let left: Vec<&BadgeId> = ids.iter().filter(|id| !seen.contains_key(*id)).collect();
    for id in left {
        match history_scan::badge(reader, id, &call).await {
            Ok(Some(sight)) => drop(seen.insert(id.clone(), sight)),
            Ok(None) | Err(ApiError::BadRequest(_) | ApiError::BadInput { .. }) => {}
            Err(error @ ApiError::Unreadable { .. }) => drop(unread.insert(id.clone(), error)),
            Err(error) => return Err(error.into()),
        }
        done += 1;
        report(done);
    }
    Ok(States { seen, unread })
}

fn id_row(row: IdRow, states: &States, when_issued: bool) -> NewRow {
    let new = NewRow { line: Some(row.line), cells: row.cells, ..NewRow::default() };
    let id = match row.id {
        Ok(id) => id,
        Err(why) => return NewRow { row_status: Some(RowStatus::Invalid), why: Some((&why).into()), ..new },
    };
    let Some(sight) = states.seen.get(&id) else {
        let why = match states.unread.get(&id) {
            Some(error) => Reason::from(Code::BadgeNotRead).because("why", Reason::from(error)),
            None => Code::UnknownBadge.into(),
        };
        return NewRow { badge: Some(id), row_status: Some(RowStatus::Skipped), why: Some(why), ..new };
    };
    let state = sight.verdict.state();
    let (row_status, why) = plan::placed(&state, when_issued);
    NewRow {
        name: sight.holder.as_ref().map_or(String::new(), |t| t.wire().to_owned()),
        email: sight.email.as_ref().map_or(String::new(), |t| t.wire().to_owned()),
        title: sight.title.as_ref().map(|t| t.wire().to_owned()),
        badge: Some(id),
        row_status: Some(row_status),
        why,
        status: plan::own_word(&state),
        ..new
    }
}

//! Groups of rows with the same reason: their numbers, and one decision for all of them.

use super::{DraftForm, rows_to_review};
use crate::domain::Text;
use crate::jobs::{Code, DuplicateKind, JobId, JobRow, RowGroup, RowStatus, Rows, SuggestedRows, Undone};
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::number;
use crate::tui::worker::job_command::JobCommand;

/// Number of groups in the summary.
const SHOWN: usize = 4;

/// The groups of the shown draft. lapel reads them again after a change of the draft.
#[derive(Default)]
pub(super) struct Groups {
    of: Option<JobId>,
    all: Vec<RowGroup>,
    request: Option<RequestId>,
    stale: bool,
}

impl Groups {
    pub fn changed(&mut self) {
        self.stale = true;
    }

    /// Requests the groups of a draft unless they are known.
    pub fn load(&mut self, job: JobId, out: &mut Effects<'_>) {
        if self.of == Some(job) && (!self.stale || self.request.is_some()) {
            return;
        }
        if self.of != Some(job) {
            self.all.clear();
        }
        self.of = Some(job);
        self.stale = false;
        out.ask_instead(&mut self.request, Request::Groups(job));
    }

    pub fn awaits(&self, request: RequestId) -> bool {
        self.request == Some(request)
    }

    pub fn set(&mut self, groups: Vec<RowGroup>) {
        self.request = None;
        self.all = groups;
    }

    /// The shown rows: statuses, and the key of a group.
    pub fn choices(&self) -> impl Iterator<Item = (Vec<RowStatus>, Option<String>)> {
        self.all.iter().map(|group| (vec![group.bucket], Some(group.key.clone())))
    }

    /// Whether a group has no rows any more.
    pub fn is_gone(&self, status: Option<&RowStatus>, key: &str) -> bool {
        let is_read = self.of.is_some() && !self.stale && self.request.is_none();
        is_read && !self.all.iter().any(|group| Some(&group.bucket) == status && group.key == key)
    }

    /// What the rows of a group have in common, with their number.
    pub fn title(&self, status: Option<&RowStatus>, key: &str) -> Option<String> {
        self.all.iter().find(|group| Some(&group.bucket) == status && group.key == key).map(title)
    }

    fn find(&self, row: &JobRow) -> Option<&RowGroup> {
        let key = row.group.as_ref()?;
        self.all.iter().find(|group| group.bucket == row.bucket && group.key == *key)
    }

    /// The largest groups that need review, except duplicates, which have a summary of their own.
    pub fn words(&self) -> Vec<String> {
        let mut asked =
            self.all.iter().filter(|group| group.bucket == RowStatus::Ask && !group.why.is(Code::Class));
        let mut words: Vec<String> = asked.by_ref().take(SHOWN).map(title).collect();
        let more: u64 = asked.map(|group| group.rows).sum();
        if more > 0 {
            words.push(plural!(more, "{n} row for other reasons", "{n} rows for other reasons"));
        }
        words
    }
}

/// `66 names with lost letters`. Another reason is shown as its first row has it.
fn title(group: &RowGroup) -> String {
    if group.key.ends_with(":lost_letters") {
        return plural!(group.rows, "{n} name with lost letters", "{n} names with lost letters");
    }
    if group.why.is(Code::DomainSlip) || group.key.ends_with(":did you mean {meant}?") {
        return plural!(group.rows, "{n} mistyped domain", "{n} mistyped domains");
    }
    let (n, why) = (number(group.rows), &group.why);
    if group.rows == 1 { t!("{n} row: {why}", n, why) } else { t!("{n} rows, for example: {why}", n, why) }
}

/// Whether a decision can be about all rows with the reason of this row.
pub(super) fn has_group(row: &JobRow) -> bool {
    group_of(row).is_some()
}

/// The rows with the same reason as this one. The note of a ready row is no reason: nothing has to be decided.
pub(super) fn group_of(row: &JobRow) -> Option<Rows> {
    match (&row.group, row.class) {
        (Some(key), _) if row.bucket != RowStatus::Ready => Some(Rows::Group(row.bucket, key.clone())),
        (_, Some(class)) if class != DuplicateKind::New => Some(Rows::Class(class)),
        _ => None,
    }
}

impl DraftForm {
    /// Shows the rows that need review, then those of one group after the other, then all.
    pub(super) fn only_next(&mut self, out: &mut Effects<'_>) {
        let Some(job) = self.job() else { return };
        let mut choices = vec![(rows_to_review(job), None)];
        choices.extend(self.groups.choices());
        let grouped: Vec<RowStatus> =
            choices.iter().skip(1).flat_map(|(statuses, _)| statuses).copied().collect();
        let others = job.counts.iter().map(|(status, _)| status).filter(|status| !grouped.contains(status));
        choices.extend(others.map(|status| (vec![status], None)));
        choices.push((Vec::new(), None));
        choices.dedup();
        let is_shown = |(statuses, group): &(Vec<RowStatus>, Option<String>)| {
            statuses == self.rows.buckets() && group.as_deref() == self.rows.group()
        };
        let now = choices.iter().position(is_shown).unwrap_or(0);
        let (statuses, group) = choices.swap_remove((now + 1) % choices.len());
        self.rows.only_group(statuses, group, out);
    }

    /// Corrects the address of the selected row, or those of its group, as lapel suggests.
    pub(super) fn take_suggestions(&mut self, whole_group: bool, out: &mut Effects<'_>) {
        let (Some(job), Some(row)) = (self.job().map(|job| job.id), self.selected()) else { return };
        let rows = match row.group.clone().filter(|_| whole_group) {
            Some(key) => SuggestedRows::Group(key),
            None => SuggestedRows::One(row.no),
        };
        self.doing = Some(out.ask(Request::Do(Box::new(JobCommand::TakeSuggestions(job, rows)))));
    }

    /// The key that takes the suggestion of a row.
    pub(super) fn suggestion(&self, row: &JobRow, env: &Env) -> Option<String> {
        let address = row.suggested_address()?;
        let key = env.key(&self.key_contexts(), Action::Accept);
        Some(t!("{key} corrects it to {address}", key, address = Text::from(address.as_str())))
    }

    /// Says what was undone. After a correction, the duplicate check runs again.
    pub(super) fn undone(&mut self, undone: Option<Undone>, out: &mut Effects<'_>) {
        match undone {
            None => out.say(t!("There is no decision to undo.")),
            Some(Undone { rows, corrected }) => {
                if corrected {
                    self.corrected(out);
                }
                out.say(plural!(rows, "Undone for {n} row.", "Undone for {n} rows."));
            }
        }
    }

    /// How many rows a decision about the group of this row is about.
    pub(super) fn group_hint(&self, row: &JobRow, env: &Env) -> Option<String> {
        let group = self.groups.find(row).filter(|group| group.rows > 1)?;
        let key = |action| env.key(&self.key_contexts(), action);
        if row.suggested_address().is_some() {
            let (take, send, skip) =
                (key(Action::TakeSuggestions), key(Action::AllowClass), key(Action::LeaveOutClass));
            return Some(t!(
                "{rows} rows with this reason: {take} corrects them, {send} sends them as they are, {skip} skips them",
                rows = number(group.rows),
                take,
                send,
                skip
            ));
        }
        let (send, skip) = (key(Action::AllowClass), key(Action::LeaveOutClass));
        let (allows, rows) = (number(group.allows), number(group.rows));
        let can_send = group.allows > 0 && self.is_enabled(Action::AllowClass, env);
        let can_skip = self.is_enabled(Action::LeaveOutClass, env);
        match (can_send, can_skip) {
            (true, true) => Some(t!(
                "{rows} rows with this reason: {send} sends {allows}, {skip} skips {rows}",
                rows,
                send,
                allows,
                skip
            )),
            (true, false) => {
                Some(t!("{rows} rows with this reason: {send} sends {allows}", rows, send, allows))
            }
            (false, true) => Some(t!("{rows} rows with this reason: {skip} skips {rows}", rows, skip)),
            (false, false) => None,
        }
    }
}

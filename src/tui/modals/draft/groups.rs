//! The parts of a review: groups of rows with the same reason, and the other rows of a status. One decision for a group.

use super::DraftForm;
use super::outline::Outline;
use crate::jobs::{
    DuplicateKind, Reason, RequestsNeeded, RowGroup, RowPart, RowSelection, SuggestedRows, Undone,
};
use crate::tui::prelude::*;
use crate::tui::request::LARGEST_RANGE;
use crate::tui::widgets::job_rows::{draft_words, short_reason};
use crate::tui::widgets::marks::between;
use std::ops::RangeInclusive;

/// The statuses of a draft: the rows that need a person come first, the rows that are sent last.
const STATUSES: [RowStatus; 5] =
    [RowStatus::NeedsReview, RowStatus::Invalid, RowStatus::Skipped, RowStatus::ToRevoke, RowStatus::Ready];

/// Maximum number of groups with a heading of their own. The others are other reasons.
const MOST: usize = 30;

/// Number of reasons that the heading of several reasons names.
const NAMED: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct GroupPart {
    pub id: RowPart,
    /// The key of its rows' reason, for a decision about all of them.
    key: Option<String>,
    pub rows: u64,
    /// Rows that a decision about the whole group allows.
    pub allows: u64,
    /// The reason of its first row. `None` for rows of several reasons, and for rows without one.
    why: Option<Reason>,
    /// The name or address of the first row, if the reason is about it.
    example: Option<Text>,
    /// The reasons and their numbers of rows, if there are several.
    reasons: Vec<(Reason, u64)>,
}

impl GroupPart {
    pub fn new(row_status: RowStatus, key: Option<String>, rows: u64) -> Self {
        let id = RowPart { row_status, key: key.clone() };
        Self { id, key, rows, allows: 0, why: None, example: None, reasons: Vec::new() }
    }

    fn of(group: &RowGroup) -> Self {
        let example = match group.key.split(':').next() {
            Some("e-mail address") => Some(&group.address),
            Some("name") => Some(&group.holder),
            _ => None,
        };
        Self {
            allows: group.allows,
            why: Some(group.why.clone()),
            example: example.filter(|text| !text.looks_empty()).cloned(),
            ..Self::new(group.row_status, Some(group.key.clone()), group.rows)
        }
    }

    pub fn order(&self) -> usize {
        STATUSES.iter().position(|status| *status == self.id.row_status).unwrap_or(STATUSES.len())
    }

    pub fn has_suggestion(&self) -> bool {
        self.why.as_ref().is_some_and(|why| why.meant_domain().is_some())
    }

    /// The rows for a decision about the group. `None` for rows of several reasons, and for rows without one.
    pub fn group(&self) -> Option<RowSelection> {
        Some(RowSelection::Group(self.id.row_status, self.key.clone()?))
    }

    /// Examples: `lost letters: 66 (“Garc?a”)`, `invalid: 12 (no e-mail: 5, no @: 4, no name: 3)`.
    pub fn title(&self, kind: Kind, is_only_part: bool, has_example: bool) -> String {
        let n = number(self.rows);
        if let Some(why) = &self.why {
            let what = short_reason::of(why);
            return match self.example.as_ref().filter(|_| has_example) {
                Some(example) => t!("{what}: {n} (“{example}”)", what, n, example),
                None => t!("{what}: {n}", what, n),
            };
        }
        // A lone reason is no other one.
        if let (RowStatus::NeedsReview, [(why, rows)]) = (self.id.row_status, self.reasons.as_slice())
            && *rows == self.rows
        {
            return t!("{what}: {n}", what = short_reason::of(why), n);
        }
        let what = match self.id.row_status {
            RowStatus::NeedsReview if !is_only_part => t!("other reasons"),
            status => draft_words(status, kind),
        };
        let reasons = match self.reasons.as_slice() {
            [] => return t!("{what}: {n}", what, n),
            [(why, _)] => short_reason::of(why),
            several => {
                let one = |(why, n): &(Reason, u64)| {
                    t!("{what}: {n}", what = short_reason::of(why), n = number(*n))
                };
                let more = (several.len() > NAMED).then(|| "…".to_owned());
                i18n::list(several.iter().take(NAMED).map(one).chain(more)).to_string()
            }
        };
        t!("{what}: {n} ({reasons})", what, n, reasons)
    }
}

/// The groups of the shown draft. lapel reads them again after a change of a draft.
#[derive(Default)]
pub(super) struct Groups {
    of: Option<JobId>,
    all: Vec<RowGroup>,
    /// The requests that send all drafts of the review. `None` before their number was read.
    pub requests: Option<RequestsNeeded>,
    request: Option<RequestId>,
    stale: bool,
}

impl Groups {
    pub fn changed(&mut self) {
        (self.stale, self.requests) = (true, None);
    }

    pub fn load(&mut self, job: JobId, drafts: &[Job], effects: &mut Effects<'_>) {
        if self.of == Some(job) && (!self.stale || self.request.is_some()) {
            return;
        }
        if self.of != Some(job) {
            self.all.clear();
        }
        self.of = Some(job);
        self.stale = false;
        let drafts = drafts.iter().map(|draft| draft.id).collect();
        effects.request_instead(&mut self.request, Request::Groups(job, drafts));
    }

    pub fn are_current(&self) -> bool {
        !self.stale && self.request.is_none()
    }

    pub fn awaits(&self, request: RequestId) -> bool {
        self.request == Some(request)
    }

    pub fn set(&mut self, groups: Vec<RowGroup>, requests: Option<RequestsNeeded>) {
        self.request = None;
        self.all = groups;
        self.requests = requests.filter(|_| !self.stale);
    }

    /// Number of badges in an unknown state that the job would revoke.
    pub fn unknown_states(&self) -> u64 {
        self.all.iter().filter(|group| group.is_of_unknown_state()).map(|group| group.rows).sum()
    }

    /// The parts of a draft. Of several groups of one row that need review, none has a heading of its own unless it had
    /// one before.
    pub fn parts(&self, job: &Job, outline: &Outline) -> Vec<GroupPart> {
        let mut parts = Vec::new();
        for status in STATUSES {
            let (own, others): (Vec<&RowGroup>, Vec<&RowGroup>) =
                self.all.iter().filter(|group| group.row_status == status).partition(|group| {
                    group.is_of_unknown_state()
                        || status == RowStatus::NeedsReview
                            && (group.rows > 1 || outline.is_known(&GroupPart::of(group).id))
                });
            let (own, many) = own.split_at(own.len().min(MOST));
            let mut others: Vec<&RowGroup> = many.iter().copied().chain(others).collect();
            let with_heading: u64 = own.iter().map(|group| group.rows).sum();
            let mut rest = job.counts.of(status).saturating_sub(with_heading);
            let mut own: Vec<GroupPart> = own.iter().map(|group| GroupPart::of(group)).collect();
            // A lone other reason takes no more room with its own heading, which has its keys.
            if status == RowStatus::NeedsReview && others.len() == 1 && others[0].rows == rest {
                own.extend(others.pop().map(GroupPart::of));
                rest = 0;
            }
            // A suggestion is quickly accepted.
            own.sort_by_key(|part| !part.has_suggestion());
            parts.extend(own);
            if rest > 0 {
                let reasons = merged(others.iter().map(|group| (group.why.clone(), group.rows)));
                let mut part = GroupPart { reasons, ..GroupPart::new(status, None, rest) };
                if let ([group], RowStatus::Skipped) = (others.as_slice(), status)
                    && group.rows == rest
                    && group.allows > 0
                {
                    (part.key, part.allows) = (Some(group.key.clone()), group.allows);
                }
                parts.push(part);
            }
        }
        parts
    }

    pub fn know(&self, known: &mut KnownWords) {
        for group in &self.all {
            known.person([&group.holder, &group.address]);
        }
    }

    fn find(&self, row: &JobRow) -> Option<&RowGroup> {
        let key = row.group.as_ref()?;
        self.all.iter().find(|group| group.row_status == row.row_status && group.key == *key)
    }
}

/// Adds up reasons with the same short text, the most frequent first.
fn merged(reasons: impl Iterator<Item = (Reason, u64)>) -> Vec<(Reason, u64)> {
    let mut all: Vec<(String, Reason, u64)> = Vec::new();
    for (why, n) in reasons {
        let short = short_reason::of(&why);
        match all.iter_mut().find(|(known, ..)| *known == short) {
            Some((.., sum)) => *sum += n,
            None => all.push((short, why, n)),
        }
    }
    all.sort_by_key(|(.., n)| std::cmp::Reverse(*n));
    all.into_iter().map(|(_, why, n)| (why, n)).collect()
}

/// The rows with the same reason as this one. The note of a ready row is no reason: nothing has to be decided.
fn group_of(row: &JobRow) -> Option<RowSelection> {
    match (&row.group, row.class) {
        (Some(key), _) if row.row_status != RowStatus::Ready => {
            Some(RowSelection::Group(row.row_status, key.clone()))
        }
        (_, Some(class)) if class != DuplicateKind::New => Some(RowSelection::Class(class)),
        _ => None,
    }
}

fn rows_of(range: &[RangeInclusive<u64>]) -> u64 {
    range.iter().map(|part| part.end() - part.start() + 1).sum()
}

impl DraftForm {
    /// The group of the selected row, or of the heading under the cursor.
    pub(super) fn group_here(&self) -> Option<RowSelection> {
        match self.selected() {
            Some(row) => group_of(row),
            None => self.heading_here()?.group(),
        }
    }

    pub(super) fn may_group(&self, step: Step) -> bool {
        match (self.selected(), self.heading_here()) {
            (Some(row), _) => self.may(step, Some(row)) && group_of(row).is_some(),
            (None, Some(part)) if step == Step::Allow => part.allows > 0,
            (None, Some(part)) => part.group().is_some() && part.id.row_status == RowStatus::NeedsReview,
            (None, None) => false,
        }
    }

    pub(super) fn group_has_suggestion(&self) -> bool {
        match self.selected() {
            Some(row) => row.suggested_address().is_some(),
            None => self.heading_here().is_some_and(GroupPart::has_suggestion),
        }
    }

    pub(super) fn review(&mut self, allow: bool, rows: RowSelection, effects: &mut Effects<'_>) {
        let id = self.job().id;
        (self.decided, self.may_undo) = (true, true);
        self.rows.marks.cancel_range();
        let command = if allow { JobCommand::Allow(id, rows) } else { JobCommand::Skip(id, rows) };
        self.doing.insert(effects.command(command));
    }

    /// Begins a range at the selected row, unless one is drawn, and says how its rows are decided.
    pub(super) fn draw_range(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.range().is_none() {
            if self.selected().is_none() {
                effects.say(t!("A range cannot start or end at this row."));
                return;
            }
            self.rows.marks.begin_range(&self.rows.list);
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        effects.say(t!(
            "Go to the other end of the range: {send} includes its rows, {skip} skips them. {esc} cancels.",
            send = key(Action::Include),
            skip = key(Action::Skip),
            esc = key(Action::Back)
        ));
    }

    /// The places of the rows of the range that is drawn, in the order of the list.
    pub(super) fn range(&self) -> Option<Vec<RangeInclusive<u64>>> {
        let list = &self.rows.list;
        let from = self.rows.marks.range_start_in(list)?;
        Some(if self.rows.has_search() {
            vec![between(from, list.cursor())]
        } else {
            self.outline.rows_in(&self.outline.lines_from(from, list))
        })
    }

    /// Keeps the rows of the range loaded, so that they are decided as they are. Of a range that is too large only its
    /// start, which tells whether it is still the same range.
    pub(super) fn read_range(&mut self) {
        let (Some(range), Some(start)) = (self.range(), self.rows.marks.range_start_in(&self.rows.list))
        else {
            return;
        };
        self.rows.list.pin_also(start, start);
        let rows = rows_of(&range);
        for part in range.into_iter().filter(|_| rows <= LARGEST_RANGE) {
            self.rows.list.pin_also(*part.start(), *part.end());
        }
    }

    /// What the keys do to the range that is drawn.
    pub(super) fn range_hint(&self, cx: &UiContext) -> Option<String> {
        let rows = rows_of(&self.range()?);
        let key = |action| cx.key(&self.key_contexts(), action);
        if rows > LARGEST_RANGE {
            return Some(t!(
                "range of {rows} rows: at most {most} are decided at once, {esc} cancels",
                rows = number(rows),
                most = number(LARGEST_RANGE),
                esc = key(Action::Back)
            ));
        }
        Some(plural!(
            rows,
            "range of {n} row: {send} includes it, {skip} skips it, {esc} cancels",
            "range of {n} rows: {send} includes them, {skip} skips them, {esc} cancels",
            send = key(Action::Include),
            skip = key(Action::Skip),
            esc = key(Action::Back)
        ))
    }

    /// Sends or skips the rows of the range by one decision. Returns false if no range is drawn.
    pub(super) fn decide_range(
        &mut self,
        may_allow: bool,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> bool {
        let Some(range) = self.range() else {
            if self.rows.marks.cancel_range() {
                effects.warn(t!("The rows of the range changed. Nothing was decided. Start it again."));
                return true;
            }
            return false;
        };
        if rows_of(&range) > LARGEST_RANGE {
            effects.warn(t!(
                "lapel decides at most {most} rows at once, and this range has more. Nothing was decided.",
                most = number(LARGEST_RANGE)
            ));
            return true;
        }
        let last = range.iter().map(|part| *part.end()).max();
        let rows: Option<Vec<&JobRow>> =
            range.into_iter().flatten().map(|at| self.rows.list.row_at(at)).collect();
        let Some(rows) = rows else {
            effects.say(t!("lapel is still reading the rows of the range. Nothing was decided."));
            return true;
        };
        let step = if may_allow { Step::Allow } else { Step::Skip };
        let decided = rows.into_iter().filter(|row| self.may(step, Some(row)));
        let decided: Vec<_> = decided.map(|row| (row.no, row.shown_duplicate())).collect();
        if decided.is_empty() && may_allow {
            effects.say(t!(
                "This range has no row to include: its rows are included already, or have to be corrected. {skip} skips them.",
                skip = cx.key(&self.key_contexts(), Action::Skip)
            ));
        } else if decided.is_empty() {
            effects.say(t!("This range has no row to skip."));
        } else {
            let n = decided.len() as u64;
            self.review(may_allow, RowSelection::ShownTogether(decided), effects);
            if let Some(last) = last.filter(|_| !self.rows.has_search()) {
                self.outline.go_after(last, n, &mut self.rows.list);
            }
        }
        true
    }

    /// Sends or skips the selected row, and selects the next one. A row is allowed as it is shown.
    pub(super) fn decide_row(&mut self, may_allow: bool, may_skip: bool, effects: &mut Effects<'_>) {
        let Some(row) = self.selected() else {
            effects.say(t!("There is no row here to decide about."));
            return;
        };
        let (no, shown) = (row.no, row.shown_duplicate());
        if may_allow && self.may(Step::Allow, Some(row)) {
            self.review(true, RowSelection::Shown(no, shown), effects);
        } else if may_skip && self.may(Step::Skip, Some(row)) {
            self.review(false, RowSelection::One(no), effects);
        } else if may_allow {
            effects.say(t!("This row cannot be sent as it is. Correct it first."));
            return;
        } else {
            return;
        }
        self.move_by(1);
    }

    pub(super) fn decide_group(&mut self, allow: bool, cx: &UiContext, effects: &mut Effects<'_>) {
        match self.group_here() {
            Some(RowSelection::Group(RowStatus::Skipped, _)) if !allow => {
                effects.say(t!("These rows are skipped already."));
            }
            Some(rows) => self.review(allow, rows, effects),
            None => effects.say(self.why_no_group(cx)),
        }
    }

    fn why_no_group(&self, cx: &UiContext) -> String {
        if self.selected().is_some() {
            return t!("This row shares no reason with other rows.").to_owned();
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        match self.heading_here() {
            Some(part) if part.id.row_status == RowStatus::Invalid => t!(
                "Select a row and correct it ({correct}), or correct the rows in a redo file ({redo}).",
                correct = key(Action::Correct),
                redo = key(Action::Redo)
            ),
            Some(part) if part.id.row_status == RowStatus::Ready => t!(
                "These rows are ready to be sent. To skip some, select a row ({skip}), or start a range at it ({range}).",
                skip = key(Action::Skip),
                range = key(Action::Range)
            ),
            Some(_) => t!(
                "These rows cannot be decided together. Select a row to decide about it, or about all rows with its reason."
            )
            .to_owned(),
            None => t!("There is no row here to decide about.").to_owned(),
        }
    }

    /// Corrects the selected row, or the addresses of its group, as lapel suggests.
    pub(super) fn take_suggestions(&mut self, whole_group: bool, effects: &mut Effects<'_>) {
        let job = self.job().id;
        let group = match self.group_here() {
            Some(RowSelection::Group(_, key)) => Some(SuggestedRows::Group(key)),
            _ => None,
        };
        let one = self.selected().map(|row| SuggestedRows::One(row.no));
        let Some(rows) = (if whole_group { group.or(one) } else { one }) else { return };
        (self.decided, self.may_undo) = (true, true);
        self.rows.marks.cancel_range();
        self.doing.insert(effects.command(JobCommand::TakeSuggestions(job, rows)));
    }

    pub(super) fn suggestion(&self, row: &JobRow, cx: &UiContext) -> Option<String> {
        let name = row.suggested_name().map(|name| Text::from(name.as_str()));
        let text = row.suggested_address().map(|address| Text::from(address.as_str())).or(name)?;
        let key = cx.key(&self.key_contexts(), Action::Accept);
        Some(t!("{key} corrects it to {suggestion}", key, suggestion = text))
    }

    /// Moves to the row of an undone decision, once the rows are read again. A row far away is not loaded: then the
    /// cursor stays.
    pub(super) fn show_undone(&mut self) {
        let Some(no) = self.undone_row.take() else { return };
        let place = self.rows.list.loaded().find(|(_, row)| row.no == no).map(|(place, _)| place);
        match place {
            Some(place) if self.rows.has_search() => self.rows.list.move_to(place),
            Some(place) => self.outline.reveal(place, &mut self.rows.list),
            None => {}
        }
    }

    /// Says what was undone. After a correction, the duplicate check runs again.
    pub(super) fn undone(&mut self, undone: Undone, effects: &mut Effects<'_>) {
        let Undone { rows, first, corrected, is_last } = undone;
        self.decided = true;
        if is_last {
            // Another draft of the same file may have one.
            self.may_undo &= self.jobs.len() > 1;
        }
        if corrected {
            // A duplicate that appears again is no news.
            self.before = None;
            self.check_again(effects);
        }
        self.undone_row = Some(first);
        self.groups.changed();
        self.rows.changed();
        effects.say(plural!(rows, "Undone for {n} row.", "Undone for {n} rows."));
    }

    /// Says about which other template the last decision is, if there is any.
    pub(super) fn nothing_undone(&mut self, other: Option<JobId>, effects: &mut Effects<'_>) {
        let other = other.and_then(|id| self.jobs.iter().find(|job| job.id == id));
        self.may_undo = other.is_some();
        effects.say(match other {
            Some(Job { title, .. }) => {
                t!("Nothing to undo here: the last decision is about {title}.", title)
            }
            None => t!("There is no decision to undo.").to_owned(),
        });
    }

    /// The keys that decide about a row that needs review.
    pub(super) fn row_hint(&self, row: &JobRow, cx: &UiContext) -> Option<String> {
        let asks = row.row_status == RowStatus::NeedsReview && self.may(Step::Allow, Some(row));
        let key = |action| cx.key(&self.key_contexts(), action);
        asks.then(|| {
            let (send, skip) = (key(Action::Include), key(Action::Skip));
            t!("{send} includes this row anyway, {skip} skips it", send, skip)
        })
    }

    pub(super) fn group_hint(&self, row: &JobRow, cx: &UiContext) -> Option<String> {
        let group = self.groups.find(row).filter(|group| group.rows > 1)?;
        let key = |action| cx.key(&self.key_contexts(), action);
        if row.suggested_address().is_some() {
            let (take, send, skip) =
                (key(Action::TakeSuggestions), key(Action::IncludeGroup), key(Action::SkipGroup));
            return Some(t!(
                "{rows} rows with this reason: {take} corrects them, {send} includes them as they are, {skip} skips them",
                rows = number(group.rows),
                take,
                send,
                skip
            ));
        }
        let (send, skip) = (key(Action::IncludeGroup), key(Action::SkipGroup));
        let (allows, rows) = (number(group.allows), number(group.rows));
        let can_send = group.allows > 0 && self.is_enabled(Action::IncludeGroup, cx);
        let can_skip = self.is_enabled(Action::SkipGroup, cx);
        match (can_send, can_skip) {
            (true, true) => Some(t!(
                "{rows} rows with this reason: {send} includes {allows}, {skip} skips {rows}",
                rows,
                send,
                allows,
                skip
            )),
            (true, false) => {
                Some(t!("{rows} rows with this reason: {send} includes {allows}", rows, send, allows))
            }
            (false, true) => Some(t!("{rows} rows with this reason: {skip} skips {rows}", rows, skip)),
            (false, false) => None,
        }
    }

    /// The keys that decide about a whole group, the most useful first.
    pub(super) fn part_hints(&self, part: &GroupPart, cx: &UiContext) -> Vec<String> {
        if part.group().is_none() {
            return Vec::new();
        }
        // With the words of the footer.
        let hint = |action: Action| format!("{} {}", cx.key(&self.key_contexts(), action), action.hint());
        let keys = [
            (part.has_suggestion(), Action::TakeSuggestions),
            (part.allows > 0, Action::IncludeGroup),
            (part.id.row_status == RowStatus::NeedsReview, Action::SkipGroup),
        ];
        keys.into_iter().filter(|(is_of_part, _)| *is_of_part).map(|(_, action)| hint(action)).collect()
    }
}

//! From the review to sending: what keeps the drafts from it, and the checks after a correction.

use super::{DraftForm, DuplicateCheck, draw, sendable};
use crate::jobs::DuplicateKind;
use crate::tui::prelude::*;

impl DraftForm {
    /// Whether the rows may be sent. If not, says why.
    pub(super) fn may_begin(&self, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.beginning {
            return false;
        }
        match &self.check {
            DuplicateCheck::Reading { .. } => {
                effects.say(t!("The duplicate check is still running. Nothing was sent."));
                return false;
            }
            DuplicateCheck::Failed(_) => {
                let key = cx.key(&self.key_contexts(), Action::Reload);
                effects
                    .warn(t!("The duplicate check failed. Nothing was sent. Press {key} to refresh.", key));
                return false;
            }
            DuplicateCheck::None | DuplicateCheck::Read => {}
        }
        if self.sendable() == 0 {
            effects.say(t!("There is no row to send. Nothing was sent."));
            return false;
        }
        if !self.doing.is_empty() {
            effects.say(t!("lapel is still saving the last change. Nothing was sent. Try again."));
            return false;
        }
        // It may find a change that the confirmation has to tell, and it may open the columns over the confirmation.
        if self.comparing.is_some() {
            effects.say(t!("lapel is still comparing the file with the draft. Nothing was sent. Try again."));
            return false;
        }
        true
    }

    pub(super) fn begin(&mut self, effects: &mut Effects<'_>) {
        // Drafts without rows to send do not begin and stay out of the journal.
        let ids = self.jobs.iter().filter(|job| sendable(job) > 0).map(|job| job.id).collect();
        (self.beginning, self.confirming) = (true, false);
        self.doing.insert(effects.command(JobCommand::Begin(ids)));
    }

    /// Checks for duplicates again, and then says which ones are new.
    pub(super) fn corrected(&mut self, effects: &mut Effects<'_>) {
        (self.decided, self.may_undo) = (true, true);
        if !self.found.is_empty() {
            let mut before = self.before.take().unwrap_or_else(|| self.duplicates());
            if let Some(n) = self.selected().and_then(|row| before.get_mut(&row.class?)) {
                *n = n.saturating_sub(1);
            }
            self.before = Some(before);
        }
        self.check_again(effects);
    }

    /// A row that was corrected, or is as before a correction, may be another recipient.
    pub(super) fn check_again(&mut self, effects: &mut Effects<'_>) {
        self.rows.changed();
        self.check(effects);
    }

    pub(super) fn duplicates(&self) -> BTreeMap<DuplicateKind, u64> {
        let mut all = BTreeMap::new();
        for (kind, n) in self.found.iter().flat_map(|found| &found.classes) {
            *all.entry(*kind).or_default() += n;
        }
        all
    }

    pub(super) fn say_new_duplicates(&mut self, effects: &mut Effects<'_>) {
        let Some(before) = self.before.take() else { return };
        let more = |(kind, n): (DuplicateKind, u64)| {
            let more = n.saturating_sub(before.get(&kind).copied().unwrap_or(0));
            (more > 0).then(|| draw::policy(kind, more))
        };
        let new: Vec<String> = self.duplicates().into_iter().filter_map(more).collect();
        if !new.is_empty() {
            effects.warn(t!("After the correction: {found}. Nothing was sent.", found = i18n::list(new)));
        }
    }
}

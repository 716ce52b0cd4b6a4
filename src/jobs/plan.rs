//! What a person plans and reviews: whom a badge is issued to, and which badges are revoked.

use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use crate::domain::{Address, Badge, HistoryItem, State, Verdict};
use crate::jobs::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuePlan {
    pub template_id: TemplateId,
    /// The template's title, for people and for finding its badges in the history.
    pub title: Text,
    /// `recipient_name` as it is printed on the badge.
    pub recipient_name: String,
    pub recipient_email: Address,
    /// Badges of this template that the recipient had before. Another badge that is found later belongs to
    /// this job. `None` if they could not be read; then a badge found later proves nothing.
    pub held_before: Option<Vec<BadgeId>>,
    /// The [claim](super::Rival::claim_id) of the [`super::Rival`] that the reviewer saw and allowed. A later rival needs another review.
    pub allows: Option<i64>,
}

/// To whom a draft issues a badge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRecipient {
    /// `recipient_name` as it is printed on the badge.
    pub name: String,
    pub email: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokeTarget {
    pub badge_id: BadgeId,
    pub holder: Text,
    /// Two people may have one name.
    pub email: Text,
    pub title: Text,
    /// The state when the badge was last seen.
    pub state: State,
    /// Whether that was when the index was read, so that a waiting badge may be issued by now.
    pub is_of_index: bool,
}

impl RevokeTarget {
    /// `now` is the service's time.
    pub fn of(badge: &HistoryItem, now: DateTime) -> Self {
        let texts = [&badge.recipient_name, &badge.recipient_email, &badge.title];
        let target = Self::new(&badge.badge_id, texts, Verdict::of(badge, now).state());
        Self { is_of_index: badge.read_at.is_some(), ..target }
    }

    pub fn of_badge(badge: &Badge, state: State) -> Self {
        Self::new(&badge.badge_id, [&badge.recipient_name, &badge.recipient_email, &badge.title], state)
    }

    fn new(badge_id: &BadgeId, texts: [&Option<Text>; 3], state: State) -> Self {
        let [holder, email, title] = texts.map(|text| text.clone().unwrap_or_default());
        Self { badge_id: badge_id.clone(), holder, email, title, state, is_of_index: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokePlan {
    targets: Vec<RevokeTarget>,
    reason: String,
    pub(super) when_issued: bool,
}

impl RevokePlan {
    /// Drops repeated badges. `when_issued` queues waiting badges; otherwise they are skipped.
    pub fn new(targets: Vec<RevokeTarget>, reason: &str, when_issued: bool) -> Self {
        let mut seen = HashSet::new();
        let targets = targets.into_iter().filter(|v| seen.insert(v.badge_id.clone())).collect();
        Self { targets, reason: reason.trim().to_owned(), when_issued }
    }

    pub fn targets(&self) -> &[RevokeTarget] {
        &self.targets
    }

    /// The service accepts only Issued badges. A badge in an unknown state may be one.
    pub fn sent(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.targets.iter().filter(|v| v.state.may_be_revoked())
    }

    /// They wait until they are Issued.
    pub fn queued(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.targets.iter().filter(|v| self.when_issued && v.state == State::Waiting)
    }

    /// The service would drop them without notice.
    pub fn left_out(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.targets.iter().filter(|v| placed(&v.state, self.when_issued).0 == RowStatus::Skipped)
    }

    /// The holder may see it.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The service's word for an unknown state. The next poll brings the service's word for a known one.
pub(super) fn own_word(state: &State) -> Option<String> {
    match state {
        State::Other(word) => Some(word.wire().to_owned()),
        _ => None,
    }
}

pub(super) fn placed(state: &State, when_issued: bool) -> (RowStatus, Option<Reason>) {
    if matches!(state, State::Other(_)) {
        (RowStatus::Ready, Some(Code::UnknownState.into()))
    } else if state.may_be_revoked() {
        (RowStatus::Ready, None)
    } else if *state == State::Waiting && when_issued {
        (RowStatus::ToRevoke, None)
    } else {
        let why = Reason::from(Code::NotRevocable).because("state", Reason::state(state));
        (RowStatus::Skipped, Some(why))
    }
}

//! A badge as the service showed it.

use crate::domain::{Badge, HistoryItem, Verdict};
use crate::jobs::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SightSource {
    History,
    Detail,
}

#[derive(Clone, Debug)]
pub(super) struct SeenBadge {
    pub(super) place: SightSource,
    pub(super) badge_id: BadgeId,
    pub(super) template_id: Option<TemplateId>,
    pub(super) title: Option<Text>,
    pub(super) holder: Option<Text>,
    pub(super) email: Option<Text>,
    pub(super) verdict: Verdict,
    pub(super) status: Option<Text>,
    pub(super) mail: Option<Text>,
    pub(super) issued_at: Option<ServiceTime>,
    pub(super) valid_until: Option<ServiceTime>,
    pub(super) revoke_at: Option<ServiceTime>,
    pub(super) reg_date: Option<ServiceTime>,
}

impl SeenBadge {
    pub(super) fn of_history(item: HistoryItem, now: DateTime) -> Self {
        Self {
            place: SightSource::History,
            verdict: Verdict::of(&item, now),
            badge_id: item.badge_id,
            template_id: item.template_id,
            title: item.title,
            holder: item.recipient_name,
            email: item.recipient_email,
            status: item.status_name,
            mail: item.email_status,
            issued_at: item.issued_at,
            valid_until: item.valid_until,
            revoke_at: item.revoke_at,
            reg_date: item.reg_date,
        }
    }

    pub(super) fn of_badge(badge: Badge, now: DateTime) -> Self {
        Self {
            place: SightSource::Detail,
            verdict: Verdict::of(&badge, now),
            badge_id: badge.badge_id,
            template_id: None,
            title: badge.title,
            holder: badge.recipient_name,
            email: badge.recipient_email,
            status: badge.status_name,
            mail: badge.email_status,
            issued_at: badge.issued_at,
            valid_until: badge.valid_until,
            revoke_at: badge.revoke_at,
            reg_date: badge.reg_date,
        }
    }

    pub(super) fn key(&self) -> Option<EmailKey> {
        self.email.as_ref().map(|e| EmailKey::of(e.wire()))
    }
}

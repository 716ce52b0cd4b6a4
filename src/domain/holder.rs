//! A holder's badges: wallet and history joined by badge id. The wallet hides revoked and waiting
//! badges, and the history may hide badges that the wallet shows.

use super::ids::{BadgeId, TemplateId};
use super::name_search::folded;
use super::records::{Badge, HistoryItem, WalletBadge};
use super::text::Text;
use super::time::ServiceTime;
use super::verdict::{BadgeFacts, Verdict, issue_time};
use jiff::civil::DateTime;
use std::collections::{HashMap, HashSet};

/// A holder's badge, from one or both lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBadge {
    pub badge_id: BadgeId,
    pub wallet: Option<WalletBadge>,
    pub history: Option<HistoryItem>,
    /// Only the detail has the reason of a revocation.
    pub detail: Option<Box<Badge>>,
    /// The title in the journal, if the service accepted the badge and neither list has it.
    pub sent: Option<Text>,
    /// Whether the service could not be asked about a badge that only the journal knows.
    pub unread: bool,
}

impl HeldBadge {
    pub fn new(badge_id: BadgeId) -> Self {
        Self { badge_id, wallet: None, history: None, detail: None, sent: None, unread: false }
    }

    /// Whether only the journal knows the badge.
    pub fn is_only_sent(&self) -> bool {
        self.sent.is_some() && self.wallet.is_none() && self.history.is_none() && self.detail.is_none()
    }

    /// The badge detail takes precedence, then the history: the wallet does not show revocations. Accepted is not issued.
    pub fn verdict(&self, now: DateTime) -> Verdict {
        if self.is_only_sent() {
            return if self.unread { Verdict::Unread } else { Verdict::Waiting { since: None } };
        }
        let (detail, history, wallet) = (self.detail.as_deref(), self.history.as_ref(), self.wallet.as_ref());
        Verdict::of(
            BadgeFacts {
                label: detail
                    .and_then(|d| d.status_name.as_ref())
                    .or_else(|| history.and_then(|h| h.status_name.as_ref()))
                    .or_else(|| wallet.and_then(|w| w.status_name.as_ref())),
                revoke_at: detail
                    .and_then(|d| d.revoke_at.as_ref())
                    .or_else(|| history.and_then(|h| h.revoke_at.as_ref())),
                revoke_reason: self.reason(),
                valid_from: self.valid_from(),
                valid_until: self.valid_until(),
                issued_at: self.issued_at(),
                reg_date: self.reg_date(),
                read_at: history.filter(|_| detail.is_none()).and_then(|h| h.read_at),
            },
            now,
        )
    }

    fn text<'a>(
        &'a self,
        history: impl Fn(&'a HistoryItem) -> Option<&'a Text>,
        wallet: impl Fn(&'a WalletBadge) -> Option<&'a Text>,
        detail: impl Fn(&'a Badge) -> Option<&'a Text>,
    ) -> Option<&'a Text> {
        let told = |text: &&Text| !text.looks_empty();
        let found = self.history.as_ref().and_then(history).filter(told);
        let found = found.or_else(|| self.wallet.as_ref().and_then(wallet).filter(told));
        found.or_else(|| self.detail.as_deref().and_then(detail).filter(told))
    }

    pub fn title(&self) -> Option<&Text> {
        let found = self.text(|h| h.title.as_ref(), |w| w.title.as_ref(), |d| d.title.as_ref());
        found.or(self.sent.as_ref())
    }

    pub fn recipient_name(&self) -> Option<&Text> {
        self.text(|h| h.recipient_name.as_ref(), |w| w.recipient_name.as_ref(), |d| d.recipient_name.as_ref())
    }

    /// The name for comparing: one person's name may be written in several ways.
    pub fn name_key(&self) -> Option<String> {
        self.recipient_name().map(|name| folded(name.wire()))
    }

    /// As written; the wallet does not have it.
    pub fn recipient_email(&self) -> Option<&Text> {
        self.text(|h| h.recipient_email.as_ref(), |_| None, |d| d.recipient_email.as_ref())
    }

    /// The service's word; the wallet does not have it.
    pub fn email_status(&self) -> Option<&Text> {
        self.text(|h| h.email_status.as_ref(), |_| None, |d| d.email_status.as_ref())
    }

    pub fn mail_was_read(&self) -> bool {
        self.history.is_some() || self.detail.is_some()
    }

    pub fn issuing_org(&self) -> Option<&Text> {
        self.text(|h| h.issuing_org.as_ref(), |w| w.issuing_org.as_ref(), |d| d.issuing_org.as_ref())
    }

    pub fn badge_type_name(&self) -> Option<&Text> {
        self.text(|h| h.badge_type_name.as_ref(), |_| None, |d| d.badge_type_name.as_ref())
    }

    pub fn category_name(&self) -> Option<&Text> {
        self.text(|h| h.category_name.as_ref(), |_| None, |d| d.category_name.as_ref())
    }

    pub fn level_name(&self) -> Option<&Text> {
        self.text(|h| h.level_name.as_ref(), |_| None, |d| d.level_name.as_ref())
    }

    pub fn cert_no(&self) -> Option<&Text> {
        self.text(|_| None, |_| None, |d| d.cert_no.as_ref())
    }

    pub fn reason(&self) -> Option<&Text> {
        self.text(|_| None, |_| None, |d| d.revoke_reason.as_ref())
    }

    pub fn template_id(&self) -> Option<&TemplateId> {
        self.history.as_ref().and_then(|h| h.template_id.as_ref())
    }

    /// Front and back, as the service wrote them; the history does not have them.
    pub fn image_urls(&self) -> [Option<&Text>; 2] {
        [
            self.text(|_| None, |w| w.front_image_url.as_ref(), |d| d.front_image_url.as_ref()),
            self.text(|_| None, |w| w.back_image_url.as_ref(), |d| d.back_image_url.as_ref()),
        ]
    }

    fn time<'a>(
        &'a self,
        history: impl Fn(&'a HistoryItem) -> Option<&'a ServiceTime>,
        wallet: impl Fn(&'a WalletBadge) -> Option<&'a ServiceTime>,
        detail: impl Fn(&'a Badge) -> Option<&'a ServiceTime>,
    ) -> Option<&'a ServiceTime> {
        let found = self.history.as_ref().and_then(history);
        let found = found.or_else(|| self.detail.as_deref().and_then(detail));
        found.or_else(|| self.wallet.as_ref().and_then(wallet))
    }

    /// The acceptance time.
    pub fn reg_date(&self) -> Option<&ServiceTime> {
        self.time(|h| h.reg_date.as_ref(), |w| w.reg_date.as_ref(), |d| d.reg_date.as_ref())
    }

    pub fn issued_at(&self) -> Option<&ServiceTime> {
        self.time(issue_time, issue_time, issue_time)
    }

    pub fn valid_from(&self) -> Option<&ServiceTime> {
        self.time(|_| None, |w| w.valid_from.as_ref(), |d| d.valid_from.as_ref())
    }

    /// A date in the wallet, a timestamp elsewhere.
    pub fn valid_until(&self) -> Option<&ServiceTime> {
        self.time(|h| h.valid_until.as_ref(), |w| w.valid_until.as_ref(), |d| d.valid_until.as_ref())
    }

    pub fn revoke_at(&self) -> Option<&ServiceTime> {
        self.time(|h| h.revoke_at.as_ref(), |_| None, |d| d.revoke_at.as_ref())
    }

    /// Of the same name, and of the same template, or the same title and issuer when a template is unknown.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        if self.badge_id == other.badge_id || self.name_key() != other.name_key() {
            return false;
        }
        match (self.template_id(), other.template_id()) {
            (Some(mine), Some(its)) => mine == its,
            _ => {
                self.title().is_some()
                    && self.title() == other.title()
                    && self.issuing_org() == other.issuing_org()
            }
        }
    }

    fn when(&self) -> String {
        let history = self.history.as_ref().and_then(|i| i.reg_date.as_ref().or(i.issued_at.as_ref()));
        let wallet = self.wallet.as_ref().and_then(|b| b.reg_date.as_ref().or(b.issued_at.as_ref()));
        history.or(wallet).map_or(String::new(), |t| t.raw().wire().to_owned())
    }
}

/// Each once, in their order and as first written. More than one means a shared mailbox or a corrected name.
pub fn names(held: &[HeldBadge]) -> Vec<&Text> {
    let mut known = HashSet::new();
    let of_all = held.iter().filter_map(HeldBadge::recipient_name);
    of_all.filter(|name| known.insert(folded(name.wire()))).collect()
}

/// The newest badge first.
pub fn join(wallet: Vec<WalletBadge>, history: Vec<HistoryItem>) -> Vec<HeldBadge> {
    let mut held: HashMap<BadgeId, HeldBadge> = HashMap::new();
    for item in history {
        let badge_id = item.badge_id.clone();
        held.insert(badge_id.clone(), HeldBadge { history: Some(item), ..HeldBadge::new(badge_id) });
    }
    for badge in wallet {
        let badge_id = badge.badge_id.clone();
        held.entry(badge_id.clone()).or_insert_with(|| HeldBadge::new(badge_id)).wallet = Some(badge);
    }
    let mut held: Vec<HeldBadge> = held.into_values().collect();
    held.sort_by(|a, b| b.when().cmp(&a.when()).then_with(|| a.badge_id.cmp(&b.badge_id)));
    held
}

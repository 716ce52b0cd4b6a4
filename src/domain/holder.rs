//! What a holder has: wallet and history joined by badge id. The wallet hides what is revoked or waiting;
//! the history may hide what the wallet shows. Together they miss least.

use super::ids::BadgeId;
use super::records::{HistoryItem, WalletBadge};
use super::text::Text;
use super::time::ServiceTime;
use super::verdict::Verdict;
use jiff::civil::DateTime;
use std::collections::HashMap;

/// One badge of a holder, from one or both lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its id.
    pub badge_id: BadgeId,
    /// The wallet's record.
    pub wallet: Option<WalletBadge>,
    /// The history's record.
    pub history: Option<HistoryItem>,
}

impl Held {
    /// The verdict. History decides where there is a row, since only it knows of revocations.
    pub fn verdict(&self, now: DateTime) -> Verdict {
        match (&self.history, &self.wallet) {
            (Some(item), _) => Verdict::of(item, now),
            (None, Some(badge)) => Verdict::of(badge, now),
            (None, None) => Verdict::Unknown { label: Text::default() },
        }
    }

    /// What it is.
    pub fn title(&self) -> Option<&Text> {
        let history = self.history.as_ref().and_then(|i| i.title.as_ref());
        history.or_else(|| self.wallet.as_ref().and_then(|b| b.title.as_ref()))
    }

    /// The name on it.
    pub fn recipient_name(&self) -> Option<&Text> {
        let history = self.history.as_ref().and_then(|i| i.recipient_name.as_ref());
        history.or_else(|| self.wallet.as_ref().and_then(|b| b.recipient_name.as_ref()))
    }

    /// When it was accepted.
    pub fn reg_date(&self) -> Option<&ServiceTime> {
        let history = self.history.as_ref().and_then(|i| i.reg_date.as_ref());
        history.or_else(|| self.wallet.as_ref().and_then(|b| b.reg_date.as_ref()))
    }

    /// When it was issued.
    pub fn issued_at(&self) -> Option<&ServiceTime> {
        let history = self.history.as_ref().and_then(|i| i.issued_at.as_ref());
        history.or_else(|| self.wallet.as_ref().and_then(|b| b.issued_at.as_ref()))
    }

    fn when(&self) -> String {
        let history = self.history.as_ref().and_then(|i| i.reg_date.as_ref().or(i.issued_at.as_ref()));
        let wallet = self.wallet.as_ref().and_then(|b| b.reg_date.as_ref().or(b.issued_at.as_ref()));
        history.or(wallet).map_or(String::new(), |t| t.raw().wire().to_owned())
    }
}

/// Joins the two lists, the newest badge first.
pub fn join(wallet: Vec<WalletBadge>, history: Vec<HistoryItem>) -> Vec<Held> {
    let mut held: HashMap<BadgeId, Held> = HashMap::new();
    for item in history {
        let badge_id = item.badge_id.clone();
        held.insert(badge_id.clone(), Held { badge_id, wallet: None, history: Some(item) });
    }
    for badge in wallet {
        let badge_id = badge.badge_id.clone();
        held.entry(badge_id.clone()).or_insert(Held { badge_id, wallet: None, history: None }).wallet =
            Some(badge);
    }
    let mut held: Vec<Held> = held.into_values().collect();
    held.sort_by(|a, b| b.when().cmp(&a.when()).then_with(|| a.badge_id.cmp(&b.badge_id)));
    held
}

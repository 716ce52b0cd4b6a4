//! A holder's badges: wallet and history joined by badge id. The wallet hides revoked and waiting
//! badges, and the history may hide badges that the wallet shows.

use super::ids::{BadgeId, TemplateId};
use super::name_search::folded;
use super::records::{Badge, HistoryItem, WalletBadge};
use super::text::Text;
use super::time::ServiceTime;
use super::verdict::{BadgeFacts, Verdict, issue_time};
use jiff::civil::DateTime;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Fields of a held badge, each with the records that have it, the preferred one first.
macro_rules! fields {
    ($found:ident $type:ty: $($(#[$doc:meta])* $field:ident: $($record:ident)+;)+) => {$(
        $(#[$doc])*
        pub fn $field(&self) -> Option<&$type> {
            $found([$(self.$record.as_ref().and_then(|record| record.$field.as_ref())),+])
        }
    )+};
}

fn told<const N: usize>(texts: [Option<&Text>; N]) -> Option<&Text> {
    texts.into_iter().flatten().find(|text| !text.looks_empty())
}

fn first<T, const N: usize>(values: [Option<&T>; N]) -> Option<&T> {
    values.into_iter().flatten().next()
}

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
    /// When lapel requested the badge, if the journal knows it.
    pub requested: Option<ServiceTime>,
    /// The job that revokes the badge as soon as it is issued.
    pub to_revoke: Option<i64>,
    pub folded: FoldedName,
}

/// The name for comparing, and the name that it was made of. It is kept because a long wallet compares all of its names.
#[derive(Clone, Debug, Default)]
pub struct FoldedName(OnceLock<(Text, String)>);

/// It is no fact about the badge.
impl PartialEq for FoldedName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for FoldedName {}

impl HeldBadge {
    pub fn new(badge_id: BadgeId) -> Self {
        Self {
            badge_id,
            wallet: None,
            history: None,
            detail: None,
            sent: None,
            unread: false,
            requested: None,
            to_revoke: None,
            folded: FoldedName::default(),
        }
    }

    /// Whether only the journal knows the badge.
    pub fn is_only_sent(&self) -> bool {
        self.sent.is_some() && self.wallet.is_none() && self.history.is_none() && self.detail.is_none()
    }

    /// The badge detail takes precedence, then the history: the wallet does not show revocations. Accepted is not issued.
    pub fn verdict(&self, now: DateTime) -> Verdict {
        #[cfg(test)]
        counted::visit();
        if self.is_only_sent() {
            let waits = || Verdict::waiting(None, self.requested.as_ref(), self.to_revoke, now);
            return if self.unread { Verdict::Unread } else { waits() };
        }
        let (detail, history) = (self.detail.as_deref(), self.history.as_ref());
        Verdict::of(
            BadgeFacts {
                label: self.status_name(),
                revoke_at: first([
                    detail.and_then(|d| d.revoke_at.as_ref()),
                    history.and_then(|h| h.revoke_at.as_ref()),
                ]),
                revoke_reason: self.reason(),
                valid_from: self.valid_from(),
                valid_until: self.valid_until(),
                issued_at: self.issued_at(),
                reg_date: self.reg_date(),
                read_at: history.filter(|_| detail.is_none()).and_then(|h| h.read_at),
                requested: self.requested.as_ref(),
                to_revoke: self.to_revoke,
            },
            now,
        )
    }

    fields! { told Text:
        recipient_name: history wallet detail;
        /// As written; the wallet does not have it.
        recipient_email: history detail;
        /// The service's word; the wallet does not have it.
        email_status: history detail;
        issuing_org: history wallet detail;
        badge_type_name: history detail;
        category_name: history detail;
        level_name: history detail;
        cert_no: detail;
        front_image_url: detail wallet;
        back_image_url: detail wallet;
    }

    fields! { first Text:
        status_name: detail history wallet;
    }

    fields! { first ServiceTime:
        /// The acceptance time.
        reg_date: history detail wallet;
        valid_from: detail wallet;
        /// A date in the wallet, a timestamp elsewhere.
        valid_until: history detail wallet;
        revoke_at: history detail;
    }

    pub fn title(&self) -> Option<&Text> {
        let history = self.history.as_ref().and_then(|item| item.title.as_ref());
        let wallet = self.wallet.as_ref().and_then(|badge| badge.title.as_ref());
        let detail = self.detail.as_ref().and_then(|badge| badge.title.as_ref());
        told([history, wallet, detail]).or(self.sent.as_ref())
    }

    /// The name for comparing: one person's name may be written in several ways.
    pub fn name_key(&self) -> Option<Cow<'_, str>> {
        #[cfg(test)]
        counted::visit();
        let name = self.recipient_name()?;
        let fold = || {
            #[cfg(test)]
            counted::fold();
            folded(name.wire())
        };
        let (known, key) = self.folded.0.get_or_init(|| (name.clone(), fold()));
        // A record that was read later may have another name.
        Some(if known == name { Cow::Borrowed(key) } else { Cow::Owned(fold()) })
    }

    pub fn mail_was_read(&self) -> bool {
        self.history.is_some() || self.detail.is_some()
    }

    pub fn reason(&self) -> Option<&Text> {
        told([self.detail.as_ref()?.revoke_reason.as_ref()])
    }

    pub fn template_id(&self) -> Option<&TemplateId> {
        self.history.as_ref().and_then(|h| h.template_id.as_ref())
    }

    /// Front and back, as the service wrote them; the history does not have them. The record has whole addresses, the wallet
    /// only paths.
    pub fn image_urls(&self) -> [Option<&Text>; 2] {
        [self.front_image_url(), self.back_image_url()]
    }

    pub fn issued_at(&self) -> Option<&ServiceTime> {
        let history = self.history.as_ref().and_then(issue_time);
        let detail = self.detail.as_deref().and_then(issue_time);
        first([history, detail, self.wallet.as_ref().and_then(issue_time)])
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

impl From<Badge> for HeldBadge {
    fn from(badge: Badge) -> Self {
        let id = badge.badge_id.clone();
        Self { detail: Some(Box::new(badge)), ..Self::new(id) }
    }
}

impl From<HistoryItem> for HeldBadge {
    fn from(row: HistoryItem) -> Self {
        let id = row.badge_id.clone();
        Self { history: Some(row), ..Self::new(id) }
    }
}

/// Each once, in their order and as first written. More than one means a shared mailbox or a corrected name.
pub fn names(held: &[HeldBadge]) -> Vec<&Text> {
    let mut known = HashSet::new();
    let of_all = held.iter().filter_map(|one| Some((one.recipient_name()?, one.name_key()?)));
    of_all.filter(|(_, key)| known.insert(key.clone())).map(|(name, _)| name).collect()
}

/// The newest badge first.
pub fn join(wallet: Vec<WalletBadge>, history: Vec<HistoryItem>) -> Vec<HeldBadge> {
    let mut held: HashMap<BadgeId, HeldBadge> = HashMap::new();
    for item in history {
        held.insert(item.badge_id.clone(), item.into());
    }
    for badge in wallet {
        let badge_id = badge.badge_id.clone();
        held.entry(badge_id.clone()).or_insert_with(|| HeldBadge::new(badge_id)).wallet = Some(badge);
    }
    let mut held: Vec<HeldBadge> = held.into_values().collect();
    held.sort_by(|a, b| b.when().cmp(&a.when()).then_with(|| a.badge_id.cmp(&b.badge_id)));
    held
}

/// What tests count of the work that grows with a wallet.
#[cfg(test)]
pub(crate) mod counted {
    use std::cell::Cell;

    thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
        static FOLDS: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn visit() {
        VISITS.set(VISITS.get() + 1);
    }

    pub(super) fn fold() {
        FOLDS.set(FOLDS.get() + 1);
    }

    /// How often a badge was looked at for its verdict or its name, and how many names were folded.
    pub fn during(work: impl FnOnce()) -> (usize, usize) {
        let before = (VISITS.get(), FOLDS.get());
        work();
        (VISITS.get() - before.0, FOLDS.get() - before.1)
    }
}

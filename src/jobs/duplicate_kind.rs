//! The kinds of duplicates, and what happens with each.

use super::coded::coded;
use std::hash::{DefaultHasher, Hash, Hasher};

coded! {
    /// The result of the duplicate check for one row, before anything is sent.
    DuplicateKind {
        New = "new", tr_noop!("new");
        /// An earlier row of the file has the same address and the same name.
        Twin = "twin", tr_noop!("twice in the file");
        /// An earlier row of the file has the same address and another name: a shared mailbox or a mistake.
        SharedAddress = "shared_address", tr_noop!("one address, two names");
        Valid = "valid", tr_noop!("already has it");
        Expiring = "expiring", tr_noop!("has it, expires soon");
        /// The recipient's badge has expired: a renewal.
        Expired = "expired", tr_noop!("had it, expired");
        /// The recipient's badge was revoked, or is being revoked: a re-issue.
        Revoked = "revoked", tr_noop!("had it, revoked");
        /// A badge is accepted and waits to be issued.
        Waiting = "waiting", tr_noop!("already waiting");
        /// A job of this journal has sent one that the service does not show yet.
        Sent = "sent", tr_noop!("sent before, not visible yet");
        /// A holder's address differs only by dots or a plus tag.
        LookAlike = "look_alike", tr_noop!("similar address has it");
        /// A job that a team's database no longer knows may have sent one. For some time, nobody can see that. It has no
        /// setting, only a flag: each loss needs a decision of its own.
        LostWrites = "lost_writes", tr_noop!("perhaps sent already");
    }
}

coded! {
    /// What happens with rows of a duplicate kind.
    Policy {
        Block = "block", tr_noop!("skipped");
        Ask = "ask", tr_noop!("needs review");
        Allow = "allow", tr_noop!("sent");
    }
}

impl DuplicateKind {
    /// Whether the recipient would, or may, get the badge twice.
    pub fn is_duplicate(self) -> bool {
        matches!(self, Self::Twin | Self::Valid | Self::Expiring | Self::Waiting | Self::Sent)
    }

    /// Whether it results from other rows of the file. The row may be of a second kind as well.
    pub(super) const fn is_in_file(self) -> bool {
        matches!(self, Self::Twin | Self::SharedAddress)
    }

    /// Whether the found badge is no longer valid, so that another one is a renewal.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Expired | Self::Revoked)
    }

    /// The policy unless the profile sets another one.
    pub fn default_policy(self) -> Policy {
        match self {
            Self::New | Self::Expired | Self::Expiring => Policy::Allow,
            Self::Twin | Self::Waiting | Self::Sent => Policy::Block,
            Self::SharedAddress | Self::Valid | Self::Revoked | Self::LookAlike | Self::LostWrites => {
                Policy::Ask
            }
        }
    }

    /// A row of two kinds keeps the one of greater weight.
    pub(super) fn weight(self) -> u8 {
        match self {
            Self::New | Self::LostWrites => 0,
            Self::Revoked => 1,
            Self::Expired => 2,
            Self::LookAlike => 3,
            Self::Expiring => 4,
            Self::Valid => 5,
            Self::Waiting => 6,
            Self::Sent => 7,
            Self::SharedAddress => 8,
            Self::Twin => 9,
        }
    }
}

/// A hash of an e-mail key without dots and plus tag. Some providers deliver these addresses to one mailbox, others do
/// not.
pub(super) fn loosened(key: &str) -> u64 {
    let (local, domain) = key.rsplit_once('@').unwrap_or((key, ""));
    let local: String = local.split('+').next().unwrap_or_default().chars().filter(|c| *c != '.').collect();
    hash(&(local, domain))
}

pub(super) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

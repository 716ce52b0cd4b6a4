//! What the service cannot do, for the caller's question and the state of the badge.

use super::{CallCase, CallerQuestion, waits};
use crate::domain::verdict::Verdict;
use crate::i18n::list;
use std::collections::HashSet;

/// What the service cannot do, as the rest of a sentence. What the caller asks for comes first.
pub(super) fn cannot(case: &CallCase<'_>, verdict: &Verdict) -> String {
    let signature = t!("verify its signature");
    // The rest would tell of mail and wallet.
    if case.masked {
        return signature.to_owned();
    }
    let mut all = case.question.map(|question| cannot_as_asked(question, verdict)).unwrap_or_default();
    all.extend(cannot_as_it_stands(verdict));
    all.extend(case.by_id.then_some(signature));
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(*one));
    list(all).to_string()
}

fn cannot_as_asked(question: CallerQuestion, verdict: &Verdict) -> Vec<&'static str> {
    let is_waiting = waits(verdict);
    let later = is_waiting.then(|| t!("revoke it before it is issued"));
    match question {
        // What is not issued has no mail and need not be in the wallet.
        CallerQuestion::NoMail | CallerQuestion::NotInWallet | CallerQuestion::When
            if is_waiting || matches!(verdict, Verdict::Unread) =>
        {
            vec![t!("promise a time")]
        }
        CallerQuestion::NoMail | CallerQuestion::When => {
            vec![t!("mail it again"), t!("prove delivery")]
        }
        CallerQuestion::NotInWallet => vec![t!("move it elsewhere")],
        CallerQuestion::WrongName => [t!("edit it")].into_iter().chain(later).collect(),
        CallerQuestion::WrongEmail => {
            [t!("move it elsewhere"), t!("edit it")].into_iter().chain(later).collect()
        }
        CallerQuestion::Expired => vec![t!("extend it")],
        // One of two copies may be revoked for good.
        CallerQuestion::Revoked | CallerQuestion::Twice => vec![t!("undo a revocation")],
        CallerQuestion::NotMine => vec![t!("move it elsewhere"), t!("edit it")],
        CallerQuestion::Real => vec![t!("verify its signature")],
        CallerQuestion::Picture => vec![t!("change its pictures")],
    }
}

fn cannot_as_it_stands(verdict: &Verdict) -> Vec<&'static str> {
    match verdict {
        Verdict::Waiting { .. } | Verdict::Overdue { .. } | Verdict::ToRevoke { .. } => {
            vec![t!("speed it up"), t!("promise a time"), t!("revoke it before it is issued")]
        }
        Verdict::Valid { .. } | Verdict::NotYetValid { .. } => {
            vec![t!("mail it again"), t!("prove delivery"), t!("edit it"), t!("move it elsewhere")]
        }
        Verdict::Unread => vec![t!("say whether it is issued"), t!("promise a time")],
        Verdict::Expired { .. } => vec![t!("extend it"), t!("edit it"), t!("move it elsewhere")],
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. } => {
            vec![t!("undo a revocation")]
        }
        Verdict::SaidExpired { .. }
        | Verdict::SaidIssued { .. }
        | Verdict::SaidFailed { .. }
        | Verdict::Unknown { .. } => {
            vec![t!("explain the service's own word")]
        }
    }
}

//! The state of a badge and the verdict about it.
//!
//! Fields take precedence over labels: a revocation time or an end of validity in the past decides.
//! The label decides only what no field shows. An unknown label is displayed unchanged, and never
//! interpreted as a state.

use super::records::{Badge, HistoryItem, WalletBadge};
use super::text::Text;
use super::time::{ServiceTime, age};
use crate::i18n::{self, Localizable};
use jiff::SignedDuration;
use jiff::civil::DateTime;

/// In hours (contract, "Limits", rule 3).
pub(crate) const NORMAL_WAIT_HOURS: i64 = 24;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    Waiting,
    /// Not known to have expired.
    Issued,
    /// Accepted, not finished.
    Revoking,
    Revoked,
    /// The service has no such state; lapel derives it.
    Expired,
    /// The service's own word. Empty when there was none.
    Other(Text),
}

impl State {
    /// In the user's language. It always accompanies the glyph.
    pub fn word(&self) -> Text {
        self.own().map_or_else(Text::clone, |word| i18n::tr(word).into())
    }

    /// English in every language, for saved and exported data.
    pub fn name(&self) -> Text {
        self.own().map_or_else(Text::clone, Text::from)
    }

    /// `Err` is the service's word for an unknown state.
    fn own(&self) -> Result<&'static str, &Text> {
        Ok(match self {
            Self::Waiting => tr_noop!("Waiting"),
            Self::Issued => tr_noop!("Issued"),
            Self::Revoking => tr_noop!("Revoking"),
            Self::Revoked => tr_noop!("Revoked"),
            Self::Expired => tr_noop!("Expired"),
            Self::Other(label) if label.looks_empty() => tr_noop!("no state given"),
            Self::Other(label) => return Err(label),
        })
    }

    /// The contract accepts Issued badges only, and the service treats an expired badge as Issued. An unknown
    /// word may mean Issued; a request for it is harmless, because the service drops other states.
    pub fn may_be_revoked(&self) -> bool {
        matches!(self, Self::Issued | Self::Expired | Self::Other(_))
    }
}

/// The contract documents no words, so these meanings are lapel's guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Waiting,
    Issued,
    Revoking,
    Revoked,
    Expired,
    Failed,
    Unknown,
}

/// A word with one of these parts never counts as waiting.
const FAILURES: [&str; 10] =
    ["fail", "error", "reject", "denied", "cancel", "실패", "오류", "에러", "거부", "반려"];

/// The contract documents no such word.
pub fn says_failed(label: &Text) -> bool {
    read_label(Some(label)) == Label::Failed
}

fn read_label(label: Option<&Text>) -> Label {
    let Some(label) = label else { return Label::Unknown };
    let mut folded = String::with_capacity(label.wire().len());
    let letters = label.wire().chars().filter(|c| !c.is_whitespace() && *c != '_' && *c != '-');
    folded.extend(letters.flat_map(char::to_lowercase));
    match folded.as_str() {
        "issuewait" | "issuewaiting" | "waiting" | "waitingforissue" | "pending" | "발급대기"
        | "발급대기중" | "발급중" => Label::Waiting,
        "issued" | "issue" | "발급" | "발급완료" | "발급됨" => Label::Issued,
        "revoking" | "revokewait" | "회수중" | "회수대기" | "취소중" | "폐기중" => {
            Label::Revoking
        }
        "revoked" | "revoke" | "회수" | "회수완료" | "폐기" | "폐기완료" | "발급취소" => {
            Label::Revoked
        }
        "expired" | "만료" | "기간만료" => Label::Expired,
        other if FAILURES.iter().any(|failure| other.contains(failure)) => Label::Failed,
        _ => Label::Unknown,
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BadgeFacts<'a> {
    /// `status_name`, or `status_cd` right after acceptance.
    pub label: Option<&'a Text>,
    pub revoke_at: Option<&'a ServiceTime>,
    /// Only in the badge detail.
    pub revoke_reason: Option<&'a Text>,
    /// Not in the history.
    pub valid_from: Option<&'a ServiceTime>,
    pub valid_until: Option<&'a ServiceTime>,
    /// Does not prove that a badge is issued: waiting rows may have it.
    pub issued_at: Option<&'a ServiceTime>,
    /// The acceptance time of the request.
    pub reg_date: Option<&'a ServiceTime>,
    pub read_at: Option<DateTime>,
    /// The time of lapel's request. A record of a waiting badge may have no acceptance time.
    pub requested: Option<&'a ServiceTime>,
    /// The job of lapel that revokes the badge as soon as it is issued.
    pub to_revoke: Option<i64>,
}

macro_rules! facts {
    ($($record:ty: $label:ident $($field:ident)* $(, $copied:ident)?;)+) => {$(
        impl<'a> From<&'a $record> for BadgeFacts<'a> {
            fn from(record: &'a $record) -> Self {
                Self {
                    label: record.$label.as_ref(),
                    $($field: record.$field.as_ref(),)*
                    $($copied: record.$copied,)?
                    ..Self::default()
                }
            }
        }
    )+};
}

facts! {
    HistoryItem: status_name revoke_at valid_until issued_at reg_date, read_at;
    Badge: status_name revoke_at revoke_reason valid_from valid_until issued_at reg_date;
    WalletBadge: status_name valid_from valid_until issued_at reg_date;
}

/// `None` for a waiting badge: its `issued_at` may be the acceptance time (contract, "Badge (detail)").
pub fn issue_time<'a>(facts: impl Into<BadgeFacts<'a>>) -> Option<&'a ServiceTime> {
    let facts = facts.into();
    facts.issued_at.filter(|_| facts.revoke_at.is_some() || read_label(facts.label) != Label::Waiting)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Valid {
        /// `None` means no end.
        until: Option<ServiceTime>,
    },
    NotYetValid {
        from: ServiceTime,
    },
    /// Within the normal 5 minutes to 24 hours.
    Waiting {
        /// Since acceptance.
        since: Option<SignedDuration>,
    },
    /// Accepted more than 24 hours ago and still not issued.
    Overdue {
        /// Since acceptance.
        since: SignedDuration,
    },
    /// Waiting or overdue, and a job of lapel revokes it as soon as it is issued.
    ToRevoke {
        /// Since acceptance.
        since: Option<SignedDuration>,
        job: i64,
    },
    Expired {
        until: ServiceTime,
        /// Since the end of validity.
        ago: SignedDuration,
    },
    Revoking {
        at: Option<ServiceTime>,
        reason: Option<Text>,
    },
    Revoked {
        at: Option<ServiceTime>,
        reason: Option<Text>,
        /// Unknown to lapel. The revocation time alone then proves the state.
        label: Option<Text>,
    },
    /// The label means expired, but no end of validity in the past proves it.
    SaidExpired {
        label: Text,
    },
    /// The label means issued, but there is no time of issue to prove it.
    SaidIssued {
        label: Text,
    },
    SaidFailed {
        label: Text,
    },
    /// There is a revocation time, but the label means another state or the time is in the future.
    RevocationUnderWay {
        at: ServiceTime,
        label: Text,
        reason: Option<Text>,
    },
    Unknown {
        /// Unchanged. Empty when there was none.
        label: Text,
    },
    /// Accepted, and nothing of it could be read from the service now.
    Unread,
}

fn is_long(wait: &SignedDuration) -> bool {
    *wait > SignedDuration::from_hours(NORMAL_WAIT_HOURS)
}

impl Verdict {
    /// `now` is in service time.
    pub fn of<'a>(facts: impl Into<BadgeFacts<'a>>, now: DateTime) -> Self {
        let facts = facts.into();
        let label = read_label(facts.label);
        let reason = || facts.revoke_reason.filter(|r| !r.looks_empty()).cloned();
        let word = || facts.label.cloned().unwrap_or_default();
        if let Some(at) = facts.revoke_at {
            return match label {
                Label::Revoked => Self::Revoked { at: Some(at.clone()), reason: reason(), label: None },
                Label::Revoking => Self::Revoking { at: Some(at.clone()), reason: reason() },
                // The label does not mean revoking, and the revocation time is in the past.
                Label::Unknown | Label::Failed if at.start().is_none_or(|at| at <= now) => {
                    Self::Revoked { at: Some(at.clone()), reason: reason(), label: Some(word()) }
                }
                _ => Self::RevocationUnderWay { at: at.clone(), label: word(), reason: reason() },
            };
        }
        match label {
            Label::Revoked => return Self::Revoked { at: None, reason: reason(), label: None },
            Label::Revoking => return Self::Revoking { at: None, reason: reason() },
            Label::Waiting => {
                // It may have been issued since it was read.
                let known_until = facts.read_at.map_or(now, |read| read.min(now));
                let since = facts.reg_date.and_then(ServiceTime::start).map(|t| between(t, known_until));
                return Self::waiting(since, facts.requested, facts.to_revoke, now);
            }
            Label::Failed => return Self::SaidFailed { label: word() },
            Label::Issued | Label::Expired | Label::Unknown => {}
        }
        if let Some(until) = facts.valid_until.filter(|u| !u.is_forever())
            && let Some(end) = until.end()
            && end < now
            && label != Label::Unknown
        {
            return Self::Expired { until: until.clone(), ago: between(end, now) };
        }
        match label {
            // An issued badge has a time of issue (contract, "Badge (detail)"). A label alone may be wrong.
            Label::Issued if facts.issued_at.is_none() => Self::SaidIssued { label: word() },
            Label::Issued => match facts.valid_from.filter(|f| f.start().is_some_and(|start| start > now)) {
                Some(from) => Self::NotYetValid { from: from.clone() },
                None => Self::Valid { until: facts.valid_until.filter(|u| !u.is_forever()).cloned() },
            },
            Label::Expired => Self::SaidExpired { label: word() },
            _ => Self::Unknown { label: word() },
        }
    }

    /// Of a waiting badge without an acceptance time, the time of lapel's request shows that it is overdue.
    pub fn waiting(
        since: Option<SignedDuration>,
        requested: Option<&ServiceTime>,
        to_revoke: Option<i64>,
        now: DateTime,
    ) -> Self {
        let requested = requested.and_then(ServiceTime::start).map(|at| between(at, now)).filter(is_long);
        match (since.or(requested), to_revoke) {
            (since, Some(job)) => Self::ToRevoke { since, job },
            (Some(since), None) if is_long(&since) => Self::Overdue { since },
            (since, None) => Self::Waiting { since },
        }
    }

    /// Also with a planned revocation.
    pub fn is_overdue(&self) -> bool {
        matches!(self, Self::Overdue { .. })
            || matches!(self, Self::ToRevoke { since: Some(since), .. } if is_long(since))
    }

    /// The line contains a time that changes while it is displayed.
    pub fn is_running(&self) -> bool {
        matches!(
            self,
            Self::Waiting { since: Some(_) } | Self::Overdue { .. } | Self::ToRevoke { since: Some(_), .. }
        )
    }

    pub fn state(&self) -> State {
        match self {
            Self::Valid { .. } | Self::NotYetValid { .. } => State::Issued,
            Self::Waiting { .. } | Self::Overdue { .. } | Self::ToRevoke { .. } => State::Waiting,
            Self::Expired { .. } | Self::SaidExpired { .. } => State::Expired,
            Self::Revoked { .. } => State::Revoked,
            // The revocation time is certain. Whether the revocation is finished, only the label could tell.
            Self::Revoking { .. } | Self::RevocationUnderWay { .. } => State::Revoking,
            Self::Unknown { label } | Self::SaidIssued { label } | Self::SaidFailed { label } => {
                State::Other(label.clone())
            }
            Self::Unread => State::Other(Text::default()),
        }
    }

    /// The state's word in capitals, and the facts behind it.
    pub fn line(&self) -> (String, String) {
        let (word, more) = self.parts();
        (word.to_string(), more.to_string())
    }

    /// Not translated yet.
    pub fn parts(&self) -> (Localizable, Localizable) {
        let because = |reason: &Option<Text>| reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
        let on = |at: &Option<ServiceTime>| at.as_ref().map_or(String::new(), ServiceTime::to_minute);
        let waiting = |since: &Option<SignedDuration>| match since {
            Some(since) if is_long(since) => localizable!("OVERDUE {age}", age = age(*since)),
            Some(since) => localizable!("WAITING {age}", age = age(*since)),
            None => localizable!("WAITING"),
        };
        let quoted = |label: &Text| Localizable::verbatim(format!("\u{201c}{label}\u{201d}"));
        let contradicted = |at: &ServiceTime, reason: &Option<Text>, label: &Text| {
            let when = at.to_minute() + &because(reason);
            localizable!("{when}; the service shows \u{201c}{label}\u{201d}", when, label)
        };
        match self {
            Self::Valid { until: Some(until) } if until.is_date_only() => {
                (localizable!("VALID"), localizable!("until {until} (lapel counts that day as valid)", until))
            }
            Self::Valid { until: Some(until) } => {
                (localizable!("VALID"), localizable!("until {until}", until = until.to_minute()))
            }
            Self::Valid { until: None } => (localizable!("VALID"), localizable!("no end date")),
            Self::NotYetValid { from } => {
                (localizable!("NOT YET VALID"), localizable!("from {from}", from = from.to_minute()))
            }
            Self::Waiting { since } => (waiting(since), localizable!("usually 5 min to 24 h")),
            Self::ToRevoke { since, job } => {
                (waiting(since), localizable!("revoked as soon as it is issued (job {job})", job))
            }
            Self::Overdue { since } => (
                localizable!("OVERDUE {age}", age = age(*since)),
                localizable!("usually 5 min to 24 h; ask the provider's help desk with the badge id"),
            ),
            Self::Expired { until, ago } => (
                localizable!("EXPIRED {age}", age = age(*ago)),
                localizable!("until {until}", until = until.to_minute()),
            ),
            Self::SaidExpired { label } => (
                localizable!("EXPIRED"),
                localizable!("the service shows \u{201c}{label}\u{201d}, but no end date has passed", label),
            ),
            Self::Revoking { at, reason } => {
                (localizable!("REVOKING"), Localizable::verbatim(format!("{}{}", on(at), because(reason))))
            }
            Self::Revoked { at: Some(at), reason, label: Some(label) } => {
                (localizable!("REVOKED"), contradicted(at, reason, label))
            }
            Self::Revoked { at, reason, .. } => {
                (localizable!("REVOKED"), Localizable::verbatim(format!("{}{}", on(at), because(reason))))
            }
            Self::SaidFailed { label } => (
                localizable!("ISSUING FAILED"),
                localizable!("the service shows \u{201c}{label}\u{201d}", label),
            ),
            Self::RevocationUnderWay { at, label, reason } => {
                (localizable!("REVOKING OR REVOKED"), contradicted(at, reason, label))
            }
            Self::SaidIssued { label } => (
                quoted(label),
                localizable!("the service's word, but without an issue time: not counted as issued"),
            ),
            Self::Unread => (
                localizable!("UNKNOWN"),
                localizable!("the service could not be read: it may be issued by now"),
            ),
            Self::Unknown { label } if label.looks_empty() => {
                (localizable!("UNKNOWN"), localizable!("the service gave no state"))
            }
            Self::Unknown { label } => {
                (quoted(label), localizable!("the service's own word, not known to lapel"))
            }
        }
    }
}

/// Zero when `then` is in the future.
fn between(then: DateTime, now: DateTime) -> SignedDuration {
    now.duration_since(then).max(SignedDuration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BadgeId;
    use jiff::ToSpan;
    use jiff::civil::datetime;

    const NOW: DateTime = datetime(2026, 11, 21, 12, 0, 0, 0);

    #[derive(Default)]
    struct Case {
        label: Option<&'static str>,
        revoke_at: Option<&'static str>,
        valid_from: Option<&'static str>,
        valid_until: Option<&'static str>,
        issued_at: Option<&'static str>,
        reg_date: Option<&'static str>,
    }

    fn verdict(case: &Case) -> Verdict {
        let time = |raw: Option<&str>| raw.and_then(ServiceTime::new);
        let label = case.label.map(Text::from);
        let reason = Text::from("중복 발급");
        let (revoke_at, valid_from, valid_until, issued_at, reg_date) = (
            time(case.revoke_at),
            time(case.valid_from),
            time(case.valid_until),
            time(case.issued_at),
            time(case.reg_date),
        );
        Verdict::of(
            BadgeFacts {
                label: label.as_ref(),
                revoke_at: revoke_at.as_ref(),
                revoke_reason: Some(&reason),
                valid_from: valid_from.as_ref(),
                valid_until: valid_until.as_ref(),
                issued_at: issued_at.as_ref(),
                reg_date: reg_date.as_ref(),
                ..BadgeFacts::default()
            },
            NOW,
        )
    }

    #[test]
    fn a_row_of_the_index_waits_only_as_long_as_is_known() {
        let reg_date = ServiceTime::new("2026-11-01 10:00:00");
        let row = HistoryItem {
            status_name: Some("발급대기".into()),
            reg_date: reg_date.clone(),
            read_at: reg_date
                .as_ref()
                .and_then(ServiceTime::start)
                .and_then(|at| at.checked_add(5.hours()).ok()),
            ..HistoryItem::for_test(BadgeId::new("B").expect("an id"))
        };
        assert_eq!(Verdict::of(&row, NOW), Verdict::Waiting { since: Some(SignedDuration::from_hours(5)) });
        let fresh = HistoryItem { read_at: None, ..row };
        assert!(matches!(Verdict::of(&fresh, NOW), Verdict::Overdue { .. }));
    }

    #[test]
    fn a_revocation_time_beats_the_label() {
        let case =
            Case { label: Some("발급완료"), revoke_at: Some("2026-11-20 10:00:00"), ..Case::default() };
        assert!(matches!(verdict(&case), Verdict::RevocationUnderWay { .. }));
        assert_eq!(verdict(&case).state(), State::Revoking);
        assert!(!verdict(&case).state().may_be_revoked());
        for (label, state) in [
            ("회수중", State::Revoking),
            ("Revoking", State::Revoking),
            ("회수완료", State::Revoked),
            ("REVOKED", State::Revoked),
        ] {
            let case = Case { label: Some(label), revoke_at: Some("2026-11-20 10:00:00"), ..Case::default() };
            assert_eq!(verdict(&case).state(), state, "{label}");
        }
    }

    #[test]
    fn a_revocation_time_under_an_unknown_word_is_a_revocation_with_that_word() {
        let revoked = |label, at| verdict(&Case { label, revoke_at: Some(at), ..Case::default() });
        for label in [Some("폐기처리됨"), Some("WITHDRAWN"), None] {
            let verdict = revoked(label, "2026-11-20 10:00:00");
            assert_eq!(verdict.state(), State::Revoked, "{label:?}");
            let (word, more) = verdict.line();
            assert!(word == "REVOKED" && more.starts_with("2026-11-20 10:00"), "{word} {more}");
            assert!(label.is_none_or(|label| more.contains(label)), "{more}");
        }
        let ahead = revoked(Some("WITHDRAWN"), "2026-11-22 10:00:00");
        assert_eq!(ahead.state(), State::Revoking, "it is still to come");
    }

    #[test]
    fn a_word_that_says_that_issuing_failed_is_not_waiting() {
        for label in ["ISSUE_FAIL", "Failed", "발급실패", "발급 오류", "REJECTED"] {
            let reg_date = Some("2026-11-21 11:58:00");
            let verdict = verdict(&Case { label: Some(label), reg_date, ..Case::default() });
            assert_eq!(verdict, Verdict::SaidFailed { label: label.into() });
            assert_eq!(verdict.state(), State::Other(label.into()));
            assert!(verdict.line().1.contains(label));
        }
        assert!(!says_failed(&"발급대기".into()) && !says_failed(&"발급보류".into()));
    }

    #[test]
    fn an_end_that_has_passed_beats_the_label() {
        let ended = |label| {
            verdict(&Case {
                label: Some(label),
                valid_until: Some("2026-11-09 00:00:00"),
                issued_at: Some("2025-11-09 00:00:00"),
                ..Case::default()
            })
            .state()
        };
        for label in ["ISSUED", "발급완료", "만료"] {
            assert_eq!(ended(label), State::Expired, "{label}");
        }
        let unknown = State::Other("무언가".into());
        assert_eq!(ended("무언가"), unknown, "no time of issue proves that a badge was issued");
    }

    #[test]
    fn a_date_is_valid_through_its_day() {
        let on = |until| {
            verdict(&Case {
                label: Some("Issued"),
                issued_at: Some("2025-11-01 00:00:00"),
                valid_until: Some(until),
                ..Case::default()
            })
            .state()
        };
        assert_eq!(on("2026-11-21"), State::Issued);
        assert_eq!(on("2026-11-20"), State::Expired);
        assert_eq!(on("2026-11-21 11:59:59"), State::Expired);
        assert_eq!(on("9999-12-31"), State::Issued);
        assert_eq!(on("0000-00-00 00:00:00"), State::Issued);
    }

    #[test]
    fn an_unknown_label_is_never_guessed() {
        let case =
            Case { label: Some("발급보류"), issued_at: Some("2026-11-01 00:00:00"), ..Case::default() };
        assert_eq!(verdict(&case).state(), State::Other("발급보류".into()));
        assert_eq!(verdict(&Case::default()).line().0, "UNKNOWN");
        let case = Case { label: Some("발급보류"), valid_until: Some("2020-01-01"), ..Case::default() };
        assert_eq!(
            verdict(&case).state(),
            State::Other("발급보류".into()),
            "nothing says that it was ever issued"
        );
    }

    #[test]
    fn waiting_becomes_overdue_after_a_day() {
        let waiting = |reg| {
            verdict(&Case {
                label: Some("ISSUE_WAIT"),
                reg_date: Some(reg),
                issued_at: Some(reg),
                ..Case::default()
            })
        };
        assert_eq!(waiting("2026-11-21 11:18:00").line().0, "WAITING 42 min");
        assert_eq!(
            waiting("2026-11-20 12:00:00"),
            Verdict::Waiting { since: Some(SignedDuration::from_hours(24)) }
        );
        assert_eq!(waiting("2026-11-20 05:00:00").line().0, "OVERDUE 31 h");
        assert_eq!(waiting("2026-11-21 12:30:00"), Verdict::Waiting { since: Some(SignedDuration::ZERO) });
    }

    #[test]
    fn a_badge_that_is_not_yet_valid_says_so() {
        let issued_at = Some("2026-11-01 00:00:00");
        let case = Case {
            label: Some("Issued"),
            issued_at,
            valid_from: Some("2026-12-01 00:00:00"),
            ..Case::default()
        };
        assert_eq!(verdict(&case).line().0, "NOT YET VALID");
        assert_eq!(
            verdict(&Case { label: Some("Issued"), issued_at, ..Case::default() }).line(),
            ("VALID".into(), "no end date".into())
        );
        let said = verdict(&Case { label: Some("발급완료"), ..Case::default() });
        assert_eq!(said.state(), State::Other("발급완료".into()), "no time of issue bears it out");
    }

    #[test]
    fn labels_cannot_reach_the_terminal_raw() {
        let case = Case { label: Some("x\u{1b}[2J"), ..Case::default() };
        assert!(!verdict(&case).line().0.contains('\u{1b}'));
    }
}

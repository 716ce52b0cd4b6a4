//! The state of a badge, and the verdict over it that a caller is told.
//!
//! Structure beats names: a revocation time means revoked or being revoked whatever the label says, an end
//! of validity that has passed means expired whatever the label says. The label decides only what it alone
//! can, and a label that lapel does not know is shown as it is and never guessed into a state.

use super::records::{Badge, HistoryItem, WalletBadge};
use super::text::Text;
use super::time::{ServiceTime, age};
use crate::i18n;
use jiff::civil::DateTime;
use jiff::{SignedDuration, ToSpan, Unit};

/// Issuing normally takes no longer than this (contract, "Limits", rule 3).
const NORMAL_WAIT_HOURS: i64 = 24;

/// Where a badge stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Accepted, not issued yet.
    Waiting,
    /// Issued, and not known to have expired.
    Issued,
    /// A revocation was accepted and is not done.
    Revoking,
    /// Revoked.
    Revoked,
    /// Issued once; its validity has ended. The service has no such state: it is derived.
    Expired,
    /// The service's own word, which lapel does not know; empty where it gave none.
    Other(Text),
}

impl State {
    /// The word for it, which always stands beside the glyph, in the language that is spoken.
    pub fn word(&self) -> Text {
        self.own().map_or_else(Text::clone, |word| i18n::tr(word).into())
    }

    /// The same in English, whatever is spoken: for what is kept or exported.
    pub fn name(&self) -> Text {
        self.own().map_or_else(Text::clone, Text::from)
    }

    /// lapel's own word, or the service's where lapel does not know it.
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

    /// Whether a revoke request for it may be accepted. The contract accepts Issued badges only; expiry is
    /// no state of the service, so an expired badge still counts as Issued there. An unknown word may hide
    /// Issued: sending it is harmless, since the service drops what is not.
    pub fn may_be_revoked(&self) -> bool {
        matches!(self, Self::Issued | Self::Expired | Self::Other(_))
    }
}

/// What the service's word for a state means, as far as lapel ships a guess. No vocabulary is documented.
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

/// What a word has in it that says that issuing failed. A word that has it is never taken for waiting.
const FAILURES: [&str; 10] =
    ["fail", "error", "reject", "denied", "cancel", "실패", "오류", "에러", "거부", "반려"];

/// Whether the service's own word says that issuing failed. No such word is documented.
pub fn says_failed(label: &Text) -> bool {
    read_label(Some(label)) == Label::Failed
}

fn read_label(label: Option<&Text>) -> Label {
    let Some(label) = label else { return Label::Unknown };
    let folded: String = label
        .wire()
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '_' && *c != '-')
        .flat_map(char::to_lowercase)
        .collect();
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

/// The facts of a record that a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// `status_name`, or `status_cd` right after acceptance.
    pub label: Option<&'a Text>,
    /// `revoke_at`.
    pub revoke_at: Option<&'a ServiceTime>,
    /// `revoke_reason`, which only the badge detail has.
    pub revoke_reason: Option<&'a Text>,
    /// `valid_from`, which history does not have.
    pub valid_from: Option<&'a ServiceTime>,
    /// `valid_until`.
    pub valid_until: Option<&'a ServiceTime>,
    /// `issued_at`. Its presence does not prove that a badge is issued: waiting rows may carry it.
    pub issued_at: Option<&'a ServiceTime>,
    /// `reg_date`: when the request was accepted.
    pub reg_date: Option<&'a ServiceTime>,
}

impl<'a> From<&'a HistoryItem> for Facts<'a> {
    fn from(item: &'a HistoryItem) -> Self {
        Self {
            label: item.status_name.as_ref(),
            revoke_at: item.revoke_at.as_ref(),
            revoke_reason: None,
            valid_from: None,
            valid_until: item.valid_until.as_ref(),
            issued_at: item.issued_at.as_ref(),
            reg_date: item.reg_date.as_ref(),
        }
    }
}

impl<'a> From<&'a Badge> for Facts<'a> {
    fn from(badge: &'a Badge) -> Self {
        Self {
            label: badge.status_name.as_ref(),
            revoke_at: badge.revoke_at.as_ref(),
            revoke_reason: badge.revoke_reason.as_ref(),
            valid_from: badge.valid_from.as_ref(),
            valid_until: badge.valid_until.as_ref(),
            issued_at: badge.issued_at.as_ref(),
            reg_date: badge.reg_date.as_ref(),
        }
    }
}

impl<'a> From<&'a WalletBadge> for Facts<'a> {
    fn from(badge: &'a WalletBadge) -> Self {
        Self {
            label: badge.status_name.as_ref(),
            revoke_at: None,
            revoke_reason: None,
            valid_from: badge.valid_from.as_ref(),
            valid_until: badge.valid_until.as_ref(),
            issued_at: badge.issued_at.as_ref(),
            reg_date: badge.reg_date.as_ref(),
        }
    }
}

/// When a badge was issued. A waiting badge was not, whatever its `issued_at` holds: the contract has a
/// timestamp there from the beginning ("Badge (detail)"), so it can be the time of acceptance.
pub fn issue_time<'a>(facts: impl Into<Facts<'a>>) -> Option<&'a ServiceTime> {
    let facts = facts.into();
    facts.issued_at.filter(|_| facts.revoke_at.is_some() || read_label(facts.label) != Label::Waiting)
}

/// One answer about one badge, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Issued and in force.
    Valid {
        /// End of validity; `None` means no end.
        until: Option<ServiceTime>,
    },
    /// Issued, but its validity begins later.
    NotYetValid {
        /// Begin of validity.
        from: ServiceTime,
    },
    /// Accepted and within the normal 5 minutes to 24 hours.
    Waiting {
        /// How long since acceptance, where that is known.
        since: Option<SignedDuration>,
    },
    /// Accepted more than 24 hours ago and still not issued.
    Overdue {
        /// How long since acceptance.
        since: SignedDuration,
    },
    /// Issued; validity ended.
    Expired {
        /// End of validity.
        until: ServiceTime,
        /// How long ago that was.
        ago: SignedDuration,
    },
    /// A revocation was accepted and is not done.
    Revoking {
        /// When, where known.
        at: Option<ServiceTime>,
        /// Why, where known.
        reason: Option<Text>,
    },
    /// Revoked.
    Revoked {
        /// When, where known.
        at: Option<ServiceTime>,
        /// Why, where known.
        reason: Option<Text>,
        /// The service's own word, where lapel does not know it: the time alone says that it is revoked.
        label: Option<Text>,
    },
    /// The label says expired, but no end of validity that has passed proves it.
    SaidExpired {
        /// The service's own word.
        label: Text,
    },
    /// The label says issued, but no time of issue bears it out.
    SaidIssued {
        /// The service's own word.
        label: Text,
    },
    /// The service's own word says that issuing failed.
    SaidFailed {
        /// The word.
        label: Text,
    },
    /// There is a revocation time, under a label that says another state, or one that is still to come.
    RevocationUnderWay {
        /// When.
        at: ServiceTime,
        /// The service's own word.
        label: Text,
        /// Why, where known.
        reason: Option<Text>,
    },
    /// The service's own word, which lapel does not know.
    Unknown {
        /// The word as it came; empty where there was none.
        label: Text,
    },
}

impl Verdict {
    /// Derives the verdict at `now`, in service time.
    pub fn of<'a>(facts: impl Into<Facts<'a>>, now: DateTime) -> Self {
        let facts = facts.into();
        let label = read_label(facts.label);
        let reason = || facts.revoke_reason.filter(|r| !r.looks_empty()).cloned();
        let word = || facts.label.cloned().unwrap_or_default();
        if let Some(at) = facts.revoke_at {
            return match label {
                Label::Revoked => Self::Revoked { at: Some(at.clone()), reason: reason(), label: None },
                Label::Revoking => Self::Revoking { at: Some(at.clone()), reason: reason() },
                // The word is not the one for revoking, and the moment has passed.
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
                let since = facts.reg_date.and_then(ServiceTime::start).map(|t| between(t, now));
                return match since {
                    Some(since) if since > SignedDuration::from_hours(NORMAL_WAIT_HOURS) => {
                        Self::Overdue { since }
                    }
                    since => Self::Waiting { since },
                };
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
            // A badge that is issued has a time of issue (contract, "Badge (detail)"); a label alone may lie.
            Label::Issued if facts.issued_at.is_none() => Self::SaidIssued { label: word() },
            Label::Issued => match facts.valid_from.filter(|f| f.start().is_some_and(|start| start > now)) {
                Some(from) => Self::NotYetValid { from: from.clone() },
                None => Self::Valid { until: facts.valid_until.filter(|u| !u.is_forever()).cloned() },
            },
            Label::Expired => Self::SaidExpired { label: word() },
            _ => Self::Unknown { label: word() },
        }
    }

    /// Whether its line tells a time that runs while one looks.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Waiting { since: Some(_) } | Self::Overdue { .. })
    }

    /// The state that the verdict amounts to.
    pub fn state(&self) -> State {
        match self {
            Self::Valid { .. } | Self::NotYetValid { .. } => State::Issued,
            Self::Waiting { .. } | Self::Overdue { .. } => State::Waiting,
            Self::Expired { .. } | Self::SaidExpired { .. } => State::Expired,
            Self::Revoked { .. } => State::Revoked,
            // A revocation time is a fact; whether it is done already, the label would have to say.
            Self::Revoking { .. } | Self::RevocationUnderWay { .. } => State::Revoking,
            Self::Unknown { label } | Self::SaidIssued { label } | Self::SaidFailed { label } => {
                State::Other(label.clone())
            }
        }
    }

    /// The verdict in one line: the word in capitals, and what makes it so.
    pub fn line(&self) -> (String, String) {
        let because = |reason: &Option<Text>| reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
        let on = |at: &Option<ServiceTime>| at.as_ref().map_or(String::new(), ServiceTime::to_minute);
        match self {
            Self::Valid { until: Some(until) } if until.is_date_only() => {
                (t!("VALID").into(), t!("until {until} (that day included, as lapel reads it)", until))
            }
            Self::Valid { until: Some(until) } => {
                (t!("VALID").into(), t!("until {until}", until = until.to_minute()))
            }
            Self::Valid { until: None } => (t!("VALID").into(), t!("no end date").into()),
            Self::NotYetValid { from } => {
                (t!("NOT YET VALID").into(), t!("from {from}", from = from.to_minute()))
            }
            Self::Waiting { since: Some(since) } => {
                (t!("WAITING {age}", age = age(*since)), t!("normal is 5 min to 24 h").into())
            }
            Self::Waiting { since: None } => (t!("WAITING").into(), t!("normal is 5 min to 24 h").into()),
            Self::Overdue { since } => (
                t!("OVERDUE {age}", age = age(*since)),
                t!("normal is 5 min to 24 h; ask the provider's help desk with the badge id").into(),
            ),
            Self::Expired { until, ago } => {
                (t!("EXPIRED {age}", age = age(*ago)), t!("until {until}", until = until.to_minute()))
            }
            Self::SaidExpired { label } => (
                t!("EXPIRED").into(),
                t!("the service's word is \u{201c}{label}\u{201d}; no end date that has passed", label),
            ),
            Self::Revoking { at, reason } => {
                (t!("BEING REVOKED").into(), format!("{}{}", on(at), because(reason)))
            }
            Self::Revoked { at: Some(at), reason, label: Some(label) } => (
                t!("REVOKED").into(),
                t!(
                    "{when}; the service's word is \u{201c}{label}\u{201d}",
                    when = format_args!("{}{}", at.to_minute(), because(reason)),
                    label
                ),
            ),
            Self::Revoked { at, reason, .. } => {
                (t!("REVOKED").into(), format!("{}{}", on(at), because(reason)))
            }
            Self::SaidFailed { label } => {
                (t!("ISSUING FAILED").into(), t!("the service's word is \u{201c}{label}\u{201d}", label))
            }
            Self::RevocationUnderWay { at, label, reason } => (
                t!("BEING REVOKED OR REVOKED").into(),
                t!(
                    "{when}; the service's word is \u{201c}{label}\u{201d}",
                    when = format_args!("{}{}", at.to_minute(), because(reason)),
                    label
                ),
            ),
            Self::SaidIssued { label } => (
                format!("\u{201c}{label}\u{201d}"),
                t!("the service's word, but it gives no time of issue: not taken for issued").into(),
            ),
            Self::Unknown { label } if label.looks_empty() => {
                (t!("UNKNOWN").into(), t!("the service gave no state").into())
            }
            Self::Unknown { label } => (
                format!("\u{201c}{label}\u{201d}"),
                t!("the service's own word; lapel does not know it").into(),
            ),
        }
    }
}

/// From `then` to `now`; zero where `then` lies ahead.
fn between(then: DateTime, now: DateTime) -> SignedDuration {
    now.duration_since(then).max(SignedDuration::ZERO)
}

/// Moves a moment by a template's validity, where its unit is known. Month ends are kept: 31 January plus
/// one month is the last day of February.
pub(super) fn shifted(from: DateTime, value: i64, unit: Unit) -> Option<DateTime> {
    let span = match unit {
        Unit::Year => 0.years().try_years(value),
        Unit::Month => 0.months().try_months(value),
        Unit::Week => 0.weeks().try_weeks(value),
        Unit::Day => 0.days().try_days(value),
        Unit::Hour => 0.hours().try_hours(value),
        _ => return None,
    };
    span.ok().and_then(|span| from.checked_add(span).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
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
            Facts {
                label: label.as_ref(),
                revoke_at: revoke_at.as_ref(),
                revoke_reason: Some(&reason),
                valid_from: valid_from.as_ref(),
                valid_until: valid_until.as_ref(),
                issued_at: issued_at.as_ref(),
                reg_date: reg_date.as_ref(),
            },
            NOW,
        )
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
    fn not_yet_valid_is_said() {
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

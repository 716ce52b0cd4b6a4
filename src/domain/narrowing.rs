//! The state, the mail, the type and the category of a badge as a filter. The service cannot filter by them, so lapel
//! compares the rows it has.

use super::look_alike::unaccented;
use super::{HistoryItem, State, Text, Verdict};
use crate::i18n::{Language, in_language};
use jiff::civil::DateTime;
use strum::IntoStaticStr;

/// The contract's word for a sent mail. It does not mean delivered or read.
const SENT: &str = "SENT";

/// In any letter case.
pub fn is_sent(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case(SENT)
}

/// Parts of the words for a mail that failed. The contract lists no words, so any other word means neither this nor
/// that the mail waits.
const FAILURES: [&str; 9] = ["fail", "bounc", "reject", "undeliver", "error", "실패", "반송", "거부", "오류"];
/// Parts of the words for a mail that is not sent yet.
const WAITS: [&str; 5] = ["wait", "pending", "queue", "대기", "예약"];

/// Whether a mail status means that the mail failed, in any letter case.
pub fn is_mail_failure(word: &str) -> bool {
    has_part(word, &FAILURES)
}

/// Whether a mail status means that the mail is still to be sent, in any letter case.
pub fn is_mail_waiting(word: &str) -> bool {
    has_part(word, &WAITS) && !is_mail_failure(word)
}

fn has_part(word: &str, parts: &[&str]) -> bool {
    let word = word.to_lowercase();
    parts.iter().any(|part| word.contains(part))
}

/// Whether the mail of a badge failed. A missing word is no failure.
pub fn has_failed_mail(badge: &HistoryItem) -> bool {
    badge.email_status.as_ref().is_some_and(|word| is_mail_failure(word.wire()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum StateIs {
    /// Overdue badges, too.
    Waiting,
    Overdue,
    Issued,
    Expired,
    Revoking,
    Revoked,
    /// A state whose word lapel does not know, or none.
    Other,
}

impl StateIs {
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Overdue,
        Self::Issued,
        Self::Expired,
        Self::Revoking,
        Self::Revoked,
        Self::Other,
    ];

    /// For files.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// English, for users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => tr_noop!("Waiting"),
            Self::Overdue => tr_noop!("Overdue"),
            Self::Issued => tr_noop!("Issued"),
            Self::Expired => tr_noop!("Expired"),
            Self::Revoking => tr_noop!("Revoking"),
            Self::Revoked => tr_noop!("Revoked"),
            Self::Other => tr_noop!("other"),
        }
    }

    pub fn verdict_word(self) -> &'static str {
        match self {
            Self::Waiting => tr_noop!("WAITING"),
            Self::Overdue => tr_noop!("OVERDUE"),
            Self::Issued => tr_noop!("VALID"),
            Self::Expired => tr_noop!("EXPIRED"),
            Self::Revoking => tr_noop!("REVOKING"),
            Self::Revoked => tr_noop!("REVOKED"),
            Self::Other => self.word(),
        }
    }

    /// The state that a text names: by its word, by the word of a verdict, or by its code.
    pub fn named(typed: &str) -> Option<Self> {
        let is_it = |state: &Self| {
            [state.word(), state.verdict_word(), state.code()].iter().any(|word| is_word(typed, word))
        };
        Self::ALL.into_iter().find(is_it)
    }

    pub fn fits(self, verdict: &Verdict) -> bool {
        match self {
            Self::Overdue => verdict.is_overdue(),
            state => state == Self::of(&verdict.state()),
        }
    }

    /// Never `Overdue`, which depends on the time.
    pub fn of(state: &State) -> Self {
        match state {
            State::Waiting => Self::Waiting,
            State::Issued => Self::Issued,
            State::Expired => Self::Expired,
            State::Revoking => Self::Revoking,
            State::Revoked => Self::Revoked,
            State::Other(_) => Self::Other,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailIs {
    Sent,
    /// A word for a failure, on a badge that no longer waits.
    Failed,
    /// A word for a mail that is not sent yet.
    Waiting,
    Unsaid,
    Word(String),
}

impl MailIs {
    /// Those that lapel has a word for.
    pub const KNOWN: [Self; 4] = [Self::Sent, Self::Failed, Self::Waiting, Self::Unsaid];

    /// For files.
    pub fn code(&self) -> &str {
        match self {
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Unsaid => "none",
            Self::Word(word) => word,
        }
    }

    /// English, for users; `None` for the service's own words.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Sent => Some(tr_noop!("sent|mail")),
            Self::Failed => Some(tr_noop!("failed")),
            Self::Waiting => Some(tr_noop!("waiting|mail")),
            Self::Unsaid => Some(tr_noop!("none")),
            Self::Word(_) => None,
        }
    }

    fn fits(&self, row: &HistoryItem, state: &State) -> bool {
        let word = row.email_status.as_ref().map_or("", |word| word.wire().trim());
        match self {
            Self::Sent => is_sent(word),
            Self::Failed => is_mail_failure(word) && *state != State::Waiting,
            Self::Waiting => is_mail_waiting(word),
            Self::Unsaid => word.is_empty(),
            Self::Word(wanted) => word.to_lowercase() == wanted.to_lowercase(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryNarrowing {
    pub state: Option<StateIs>,
    pub mail: Option<MailIs>,
    /// A part of the badge type's name. A row has no code of its type.
    pub badge_type: Option<String>,
    /// A part of the category's name.
    pub category: Option<String>,
}

impl HistoryNarrowing {
    pub fn fits(&self, row: &HistoryItem, now: DateTime) -> bool {
        let verdict = Verdict::of(row, now);
        self.state.is_none_or(|wanted| wanted.fits(&verdict))
            && self.mail.as_ref().is_none_or(|wanted| wanted.fits(row, &verdict.state()))
            && contains(row.badge_type_name.as_ref(), self.badge_type.as_deref())
            && contains(row.category_name.as_ref(), self.category.as_deref())
    }
}

/// Whether a text contains the wanted one, in any case and with or without accents. Every text does if none is wanted.
pub fn contains(text: Option<&Text>, wanted: Option<&str>) -> bool {
    let text = || unaccented(text.map_or("", Text::wire));
    wanted.is_none_or(|wanted| text().contains(&unaccented(wanted)))
}

/// Whether a typed text is this word, in any language and any case.
pub fn is_word(typed: &str, english: &str) -> bool {
    Language::ALL.iter().any(|language| plain(in_language(*language, english)).eq(plain(typed)))
}

/// A text for comparing: letter case, spaces and hyphens do not count. One letter after the other, since most texts differ
/// in the first one, and a typed text may be long.
pub fn plain(text: &str) -> impl Iterator<Item = char> {
    text.trim().chars().filter(|c| !matches!(c, ' ' | '-')).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BadgeId, ServiceTime};

    fn row(status: &str, mail: &str) -> HistoryItem {
        let mut row = HistoryItem::for_test(BadgeId::new("B-1").expect("an id"));
        row.status_name = Some(Text::new(status));
        row.issued_at = ServiceTime::new("2026-11-02 09:41:00");
        row.email_status = (!mail.is_empty()).then(|| Text::new(mail));
        row
    }

    #[test]
    fn a_row_fits_by_its_state_and_its_mail() {
        let now = jiff::civil::date(2026, 11, 23).at(9, 0, 0, 0);
        let fits = |state: Option<StateIs>, mail: Option<MailIs>, row: &HistoryItem| {
            HistoryNarrowing { state, mail, ..HistoryNarrowing::default() }.fits(row, now)
        };
        let (issued, waiting) = (row("발급완료", "BOUNCED"), row("발급대기", "WAIT"));
        assert!(fits(Some(StateIs::Issued), None, &issued) && !fits(Some(StateIs::Waiting), None, &issued));
        assert!(fits(None, Some(MailIs::Failed), &issued));
        assert!(!fits(None, Some(MailIs::Failed), &waiting), "no mail is due yet");
        assert!(fits(None, Some(MailIs::Word("bounced".into())), &issued));
        let in_small_letters = row("발급완료", " Sent");
        assert!(fits(None, Some(MailIs::Sent), &in_small_letters));
        assert!(!fits(None, Some(MailIs::Failed), &in_small_letters));
        assert!(!fits(Some(StateIs::Issued), Some(MailIs::Sent), &issued), "both count");
        assert!(fits(Some(StateIs::Issued), Some(MailIs::Unsaid), &row("발급완료", "")));
        assert!(fits(Some(StateIs::Other), None, &row("검수중", "SENT")));
        let of = |name: &str| HistoryNarrowing { category: Some(name.into()), ..HistoryNarrowing::default() };
        let named =
            HistoryItem { category_name: Some(Text::new("Data 분석")), ..row("발급완료", "SENT") };
        assert!(
            of("data").fits(&named, now) && !of("외국어").fits(&named, now) && !of("data").fits(&issued, now)
        );
    }

    #[test]
    fn a_mail_that_waits_has_not_failed_and_an_unknown_word_is_neither() {
        let now = jiff::civil::date(2026, 11, 23).at(9, 0, 0, 0);
        let fits = |mail: MailIs, word: &str| {
            let narrowing = HistoryNarrowing { mail: Some(mail), ..HistoryNarrowing::default() };
            narrowing.fits(&row("발급완료", word), now)
        };
        for (word, failed, waits) in [
            ("FAIL", true, false),
            ("Bounced", true, false),
            ("발송실패", true, false),
            ("SEND_ERROR", true, false),
            ("WAIT", false, true),
            ("발송대기", false, true),
            ("재발송 대기", false, true),
            ("PENDING", false, true),
            ("SENT", false, false),
            ("", false, false),
            ("확인중", false, false),
            ("OPENED", false, false),
        ] {
            let said = (fits(MailIs::Failed, word), fits(MailIs::Waiting, word));
            assert_eq!(said, (failed, waits), "{word}");
            let as_it_is = fits(MailIs::Word(word.to_lowercase()), word);
            assert!(as_it_is, "{word}: the service's word fits as it is");
        }
    }

    #[test]
    fn what_waits_too_long_is_overdue_and_still_waiting() {
        let now = jiff::civil::date(2026, 11, 23).at(9, 0, 0, 0);
        for (accepted, is_overdue) in [("2026-11-22 08:00:00", true), ("2026-11-22 10:00:00", false)] {
            let row = HistoryItem { reg_date: ServiceTime::new(accepted), ..row("발급대기", "") };
            let fits = |state| {
                HistoryNarrowing { state: Some(state), ..HistoryNarrowing::default() }.fits(&row, now)
            };
            assert_eq!((fits(StateIs::Overdue), fits(StateIs::Waiting)), (is_overdue, true), "{accepted}");
        }
    }

    /// What History and the Wallet show can be typed.
    #[test]
    fn a_state_has_the_words_that_are_shown() {
        for state in StateIs::ALL {
            for word in [state.word(), state.verdict_word(), state.code()] {
                for language in Language::ALL {
                    let shown = in_language(*language, word);
                    assert_eq!(StateIs::named(shown), Some(state), "{shown}");
                }
            }
        }
        assert_eq!(StateIs::named("valid"), Some(StateIs::Issued));
        assert_eq!(StateIs::named("발급 지연"), Some(StateIs::Overdue));
        assert_eq!(StateIs::named("over"), None);
    }

    #[test]
    fn a_word_counts_in_both_languages() {
        assert!(
            is_word("WAITING", "Waiting") && is_word("발급대기", "Waiting") && !is_word("wait", "Waiting")
        );
    }
}

//! Failed mails by domain: one company's gateway usually fails for all recipients.

use crate::domain::HistoryItem;
use crate::domain::narrowing::{has_failed_mail, is_mail_failure};
use crate::i18n::number;
use crate::jobs::prelude::*;
use crate::table::tally;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;

/// Maximum number of badges that are listed with a failed mail. Further ones are only counted.
pub const MOST_FAILED: u64 = 10_000;

/// Maximum number of distinct domains. Beyond it, failures are only counted.
const DOMAINS: usize = 100_000;

/// The name of rare words, which are counted together.
const OTHERS: &str = tr_noop!("others");

/// Maximum number of distinct words per domain.
const WORDS: usize = 12;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailReport {
    pub issued: u64,
    /// Issued badges whose mail status is a word for a failure.
    pub failed: u64,
    /// Issued badges without a mail status, which may mean anything.
    pub unsaid: u64,
    /// Domains with failed mails of at least two recipients, worst first.
    pub groups: Vec<MailGroup>,
    /// Failures outside these groups: one recipient per domain.
    pub scattered: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailGroup {
    pub domain: Text,
    /// The domain for comparing: small letters, ASCII form.
    pub folded: String,
    /// Number of mails that failed.
    pub failed: u64,
    pub issued: u64,
    /// The service's words for the failures with their counts, most frequent first.
    pub statuses: Vec<(Text, u64)>,
}

/// The badges whose mails failed, in the order of the groups of their domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedMails {
    pub report: MailReport,
    /// At most [`MOST_FAILED`]. Those outside the groups come last.
    pub badges: Vec<HistoryItem>,
}

impl FailedMails {
    /// `badges` may contain others: only those with a failed mail are taken.
    pub fn new(report: MailReport, badges: impl IntoIterator<Item = HistoryItem>) -> Self {
        let failed = badges.into_iter().filter(has_failed_mail);
        let mut badges: Vec<HistoryItem> = failed.collect();
        badges.sort_by_cached_key(|badge| report.group_of(badge).unwrap_or(usize::MAX));
        badges.truncate(usize::try_from(MOST_FAILED).unwrap_or(usize::MAX));
        Self { report, badges }
    }
}

impl MailReport {
    /// The place of the group of a badge's domain; `None` if it is in no group.
    pub fn group_of(&self, badge: &HistoryItem) -> Option<usize> {
        let email = EmailKey::of(badge.recipient_email.as_ref()?.wire());
        let domain = email.domain()?;
        self.groups.iter().position(|group| group.folded == domain)
    }

    pub fn is_empty(&self) -> bool {
        self.failed == 0
    }
}

impl MailGroup {
    /// The words for the failures with their counts: `29 FAIL, 14 BOUNCE`.
    pub fn words(&self) -> Localizable {
        list(self.statuses.iter().map(|(word, n)| match word.wire() {
            OTHERS => localizable!("{n} {word}", n = number(*n), word = Localizable::of(OTHERS)),
            _ => localizable!("{n} {word}", n = number(*n), word),
        }))
    }
}

impl fmt::Display for MailGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        localizable!(
            "{failed} of {issued} mails to @{domain} failed ({words}); ask their IT to allow the service's mails",
            failed = self.failed,
            issued = self.issued,
            domain = self.domain,
            words = self.words()
        )
        .fmt(f)
    }
}

#[derive(Default)]
struct Tally {
    issued: u64,
    failed: u64,
    /// The first recipient with a failed mail, until there is a second one.
    one: Option<EmailKey>,
    many: bool,
    words: Vec<(String, u64)>,
}

/// A row is an address, its mail status in the service's words, and whether its badge is issued: a waiting
/// badge's mail has not failed. Different spellings of a domain (upper case, ASCII form) count as one.
pub fn mail_failures<'a>(rows: impl Iterator<Item = (&'a str, Option<&'a str>, bool)>) -> MailReport {
    let mut report = MailReport::default();
    let mut domains: HashMap<String, Tally> = HashMap::new();
    for (email, status, issued) in rows {
        if !issued {
            continue;
        }
        report.issued += 1;
        let failure = match status.map(str::trim) {
            None | Some("") => {
                report.unsaid += 1;
                None
            }
            Some(word) => Some(word).filter(|word| is_mail_failure(word)),
        };
        report.failed += u64::from(failure.is_some());
        let key = EmailKey::of(email);
        let full = domains.len() >= DOMAINS;
        let tally = key.domain().and_then(|domain| match domains.entry(domain.to_owned()) {
            Entry::Vacant(_) if full => None,
            entry => Some(entry.or_default()),
        });
        let Some(tally) = tally else {
            report.scattered += u64::from(failure.is_some());
            continue;
        };
        tally.issued += 1;
        if let Some(word) = failure {
            tally.fail(key, word);
        }
    }
    for (domain, tally) in domains {
        if tally.many {
            report.groups.push(tally.group(&domain));
        } else {
            report.scattered += tally.failed;
        }
    }
    report.groups.sort_by(|a, b| (Reverse(a.failed), &a.domain).cmp(&(Reverse(b.failed), &b.domain)));
    report
}

impl Tally {
    fn fail(&mut self, who: EmailKey, word: &str) {
        self.failed += 1;
        match &self.one {
            None => self.one = Some(who),
            Some(one) => self.many |= *one != who,
        }
        tally(&mut self.words, word, WORDS, OTHERS);
    }

    fn group(self, folded: &str) -> MailGroup {
        let (shown, fine) = idna::domain_to_unicode(folded);
        let domain = if fine.is_ok() { shown } else { folded.to_owned() };
        let mut statuses: Vec<(Text, u64)> =
            self.words.into_iter().map(|(word, times)| (Text::from(word), times)).collect();
        statuses.sort_by_key(|(_, times)| Reverse(*times));
        let (folded, domain) = (folded.to_owned(), Text::from(domain));
        MailGroup { domain, folded, failed: self.failed, issued: self.issued, statuses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BadgeId;

    fn report(rows: &[(&str, Option<&str>, bool)]) -> MailReport {
        mail_failures(rows.iter().copied())
    }

    #[test]
    fn a_failing_mail_gateway_is_listed() {
        let mut rows = Vec::new();
        let staff: Vec<String> = (0..45).map(|at| format!("staff{at}@StrictGate.example")).collect();
        for (at, mail) in staff.iter().enumerate() {
            let word = match at {
                7 | 23 => "SENT",
                _ if at % 3 == 1 => "BOUNCE",
                _ => "FAIL",
            };
            rows.push((mail.as_str(), Some(word), true));
        }
        rows.push(("lone@gmial.example", Some("FAIL"), true));
        rows.push(("fine@naru.example", Some("Sent"), true));
        let report = report(&rows);
        assert_eq!((report.issued, report.failed, report.unsaid, report.scattered), (47, 44, 0, 1));
        assert_eq!(
            report.groups.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "43 of 45 mails to @strictgate.example failed (29 FAIL, 14 BOUNCE); ask their IT to allow the service's mails"
            ]
        );
    }

    #[test]
    fn waiting_badges_and_missing_statuses_are_no_failures() {
        let report = report(&[
            ("a@naru.example", Some("FAIL"), false),
            ("b@naru.example", Some("WAIT"), false),
            ("c@naru.example", None, true),
            ("d@naru.example", Some(" "), true),
            ("e@naru.example", Some("SENT"), true),
        ]);
        assert_eq!(report, MailReport { issued: 3, unsaid: 2, ..MailReport::default() });
        assert!(report.is_empty());
    }

    #[test]
    fn one_person_is_no_group() {
        let report = report(&[
            ("safety@moondeck.example", Some("FAIL"), true),
            ("Safety@Moondeck.example", Some("FAIL"), true),
            ("kim@naru.example", Some("BOUNCE"), true),
        ]);
        assert_eq!((report.groups.len(), report.failed, report.scattered), (0, 3, 3));
    }

    #[test]
    fn domains_ignore_case_and_statuses_do_not() {
        let report = report(&[
            ("a@예시.example", Some("발송실패"), true),
            ("b@xn--vv4b11d.example", Some("fail"), true),
            ("c@예시.EXAMPLE", Some("발송실패"), true),
            ("d@예시.example", Some("발송대기"), true),
        ]);
        assert_eq!(
            report.groups,
            [MailGroup {
                domain: Text::from("예시.example"),
                folded: "xn--vv4b11d.example".to_owned(),
                failed: 3,
                issued: 4,
                statuses: vec![(Text::from("발송실패"), 2), (Text::from("fail"), 1)],
            }]
        );
    }

    #[test]
    fn rare_statuses_are_counted_together() {
        let words: Vec<String> = (0..50).map(|at| format!("\u{1b}fail{at}")).collect();
        let mails = ["a@naru.example", "b@naru.example"];
        let rows = words.iter().enumerate().map(|(at, word)| (mails[at % 2], Some(word.as_str()), true));
        let report = mail_failures(rows);
        let group = &report.groups[0];
        assert_eq!(group.statuses.len(), WORDS + 1);
        assert_eq!(group.statuses.iter().map(|(_, times)| times).sum::<u64>(), 50);
        assert!(!group.to_string().contains('\u{1b}'));
    }

    #[test]
    fn the_worst_domain_comes_first_and_no_address_is_taken_for_one() {
        let report = report(&[
            ("", Some("FAIL"), true),
            ("no address", Some("FAIL"), true),
            ("a@b.example", Some("FAIL"), true),
            ("b@b.example", Some("FAIL"), true),
            ("a@a.example", Some("FAIL"), true),
            ("b@a.example", Some("FAIL"), true),
            ("c@a.example", Some("FAIL"), true),
        ]);
        let domains: Vec<&str> = report.groups.iter().map(|group| group.domain.wire()).collect();
        assert_eq!(domains, ["a.example", "b.example"]);
        assert_eq!((report.failed, report.scattered), (7, 2));
    }

    #[test]
    fn a_report_that_is_cut_keeps_the_worst_domains() {
        let badge = |mail: &str, status: &str| HistoryItem {
            recipient_email: Some(mail.into()),
            email_status: Some(status.into()),
            ..HistoryItem::for_test(BadgeId::new("B-1").expect("an id"))
        };
        let most = MOST_FAILED as usize;
        let mut badges: Vec<HistoryItem> =
            (0..most).map(|n| badge(&format!("p@only{n}.example"), "FAIL")).collect();
        badges.push(badge("sent@a.example", "SENT"));
        badges.push(badge("a@a.example", "FAIL"));
        badges.push(badge("b@a.example", "BOUNCE"));
        let words = |badge: &HistoryItem| badge.email_status.as_ref().map(|word| word.wire().to_owned());
        let rows: Vec<_> = badges
            .iter()
            .map(|badge| (badge.recipient_email.as_ref().map_or("", Text::wire).to_owned(), words(badge)))
            .collect();
        let report = mail_failures(rows.iter().map(|(mail, word)| (mail.as_str(), word.as_deref(), true)));
        let found = FailedMails::new(report, badges);
        assert_eq!((found.badges.len(), found.report.failed), (most, MOST_FAILED + 2));
        let first: Vec<_> = found.badges[..2].iter().filter_map(words).collect();
        assert_eq!(first, ["FAIL", "BOUNCE"]);
    }
}

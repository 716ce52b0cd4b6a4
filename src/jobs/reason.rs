//! Reasons, stored as a code with arguments and translated when shown. So lapel can show a journal in another
//! language than the one it was written in.

use super::duplicate_kind::DuplicateKind;
use crate::domain::{ServiceClock, State};
use crate::i18n::{self, Language, TextArgument, VERBATIM, number};
use crate::jobs::prelude::*;
use std::fmt::{self, Display};
use strum::IntoStaticStr;

/// Maximum length of a stored message from another part of lapel, in characters.
const LONGEST: usize = 2_000;

macro_rules! codes {
    ($($variant:ident = $code:literal, $text:expr;)+) => {
        /// The code of a reason. Programs and the journal use the codes, so they never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
        pub enum Code { $(#[serde(rename = $code)] #[strum(serialize = $code)] $variant,)+ }

        impl Code {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn name(self) -> &'static str {
                self.into()
            }

            /// The English text. `None` if the text is stored with the code or composed of parts.
            pub const fn text(self) -> Option<&'static str> {
                let text = match self { $(Self::$variant => $text),+ };
                if text.is_empty() { None } else { Some(text) }
            }
        }
    };
}

codes! {
    // A message from another part of lapel: with its English text, or verbatim.
    Told = "told", "";
    // A message of an earlier version without a known code.
    Legacy = "legacy", "";
    // Lists: findings of a check, how a file was read, a verdict.
    Findings = "findings", "";
    Finding = "finding", "";
    ReadAs = "read_as", "";
    Verdict = "verdict", "";
    // The result of the duplicate check, with the reason.
    Class = "class", "";
    // Status, code and message of the service.
    Http = "http", "";

    // The result of a request, from the service or a proxy before it. Their texts are stored with them.
    KeyRefused = "key_refused", "";
    AddressRefused = "address_refused", "";
    RateLimited = "rate_limited", "";
    Quota = "quota", "";
    BadRequest = "bad_request", "";
    NotFound = "not_found", "";
    ServiceFailed = "service_failed", "";
    NotThisService = "not_this_service", "";
    NotReadable = "unreadable", "";
    NotReached = "not_reached", "";
    NoResponse = "no_answer", "";
    Unreadable = "accepted_unreadable", "";
    DoubtRedirect = "doubt_redirect", "";
    DoubtServer = "doubt_server_error", "";
    DoubtResponse = "doubt_answer", "";
    DoubtNoResponse = "doubt_no_answer", "";
    Journal = "journal", "";

    // Requests.
    Lost = "lost", tr_noop!("lapel ended, or another one took over, before the answer arrived");
    LateAnswer = "late_answer", tr_noop!("An answer came when its rows were in doubt already. {why}");
    LateAccepted = "late_accepted", tr_noop!("The service accepted {accepted} of {sent}.");
    LateBadges = "late_badges", tr_noop!("The service accepted {accepted} of {sent}. No row has these badges: {ids}. They may be second ones: check their holders' wallets, and revoke what is too many.");
    LostWrites = "lost_writes", tr_noop!("the team's database lost writes, so this may have been sent; lapel searches the history");
    LostWritesNoticed = "lost_writes_noticed", tr_noop!("{who} noticed on {when} that the team's database lost writes. {n} unsent rows may have been sent, so they are in doubt. lapel searches the history for them.");
    LostWritesPerhaps = "lost_writes_perhaps", tr_noop!("on {when}, lapel noticed that the team's database lost writes. A job that it no longer knows may have sent this badge to this recipient. Ask your colleagues before you send it");
    LostWritesStopped = "lost_writes_stopped", tr_noop!("The team's database lost writes. A person may have paused or cancelled this job since. The rest was not sent. Check it, then resume it.");
    Interrupted = "interrupted",
        tr_noop!("lapel ended before it sent everything. The rest was not sent. You can resume the job.");
    // Of a team, whose database only knows that it did not hear that lapel.
    OwnerLost = "owner_lost",
        tr_noop!("The lapel that sent it ended, or did not reach the database for too long. The rest was not sent. You can resume the job.");
    TakenOver = "taken_over",
        tr_noop!("{who} took it over: the lapel that sent it ended, or did not reach the database for too long. The rest was not sent. You can resume the job.");
    Closed = "closed",
        tr_noop!("lapel was closed before it sent everything. The rest was not sent. You can resume the job.");
    HeldUp = "held_up",
        tr_noop!("Some recipients were not sent to: an earlier request to them has no result yet. You can resume the job later.");
    NotNamed = "not_named", tr_noop!("the service accepted the request but did not identify this badge");
    NoTemplate = "no_template", tr_noop!("the job has no template");
    AcceptedMore = "accepted_more",
        tr_noop!("The service reports {accepted} of {sent} as accepted. Tell the provider.");
    PartFailed = "part_failed", tr_noop!("A part of lapel failed ({failed}). The rows being sent are in doubt.");
    DoubtsInARow = "doubts_in_a_row", tr_noop!("{n} answers in a row were lost. lapel checks what was sent. The other rows stay unsent. Resume when the service answers again.");
    NotNamedOf = "not_named_of", tr_noop!("the service accepted {accepted} of {sent} but did not list this one. It may or may not have been accepted");
    NotAmongThem = "not_among_them", tr_noop!("the service accepted {accepted} of {sent}, and all of them were found. This one was not accepted");
    PartlyThere = "partly_there", tr_noop!("the service refused the request, but {found} of its {rows} badges exist. This one may or may not have been accepted");
    SomeThere = "some_there", tr_noop!("{found} of {rows} badges in the same request exist. This one may or may not have been accepted");
    IssuingFailed = "issuing_failed", tr_noop!("the service shows \u{201c}{label}\u{201d}: issuing seems to have failed. Ask the provider's help desk before you send it again");
    IssuedTwice = "issued_twice", tr_noop!("issued twice by one request: badge {id} was accepted at the same time. You can revoke one of the two");
    SomeIssuedTwice = "some_issued_twice", tr_noop!("{n} of these recipients got a second badge from the same request (for example {id}). The network may have sent the request twice. Tell the provider. The rows name the badges.");
    BeingProven = "being_proven", tr_noop!("refused, perhaps accepted; lapel is checking");
    NotProvable = "not_provable", tr_noop!("The service refused a request (HTTP 422). It may not show waiting badges, so lapel cannot prove before the check window ends that it accepted nothing.");
    ProvableSoon = "provable_soon", tr_noop!("The service refused a request (HTTP 422), and may show badges late. A check at {when} proves whether it accepted something. lapel makes it by itself, and then continues to use up the quota, if you chose that.");
    RevokeUncounted = "revoke_uncounted", tr_noop!("{sent} sent. The service did not report how many it accepted.");
    RevokeAcceptedMore = "revoke_accepted_more",
        tr_noop!("The service reports {n} as accepted, but only {sent} were sent. Tell the provider.");
    RevokeShort = "revoke_short", tr_noop!("{n} of {sent} accepted. The rows show which ones were not.");

    // Decisions of people.
    CancelledUnsent = "called_off", tr_noop!("cancelled before it was sent");
    NotAllowed = "not_allowed", tr_noop!("not sent: no decision in the review");
    SettledOtherwise = "settled_otherwise", tr_noop!("a person resolved it in another way");
    MaybeElsewhere = "maybe_elsewhere", tr_noop!("another computer may have sent it");
    WentWith = "went_with", tr_noop!("It moved with the backup {file} and continues where the backup was restored. To take it back: lapel journal restore FILE");
    MovedTo = "moved_to", tr_noop!("It moved to {place} and continues there (moved on {computer}).");
    CameBack = "came_back", tr_noop!("It moved away and came back as job {job}.");
    CameBackHere = "came_back_here", tr_noop!("It moved away and came back.");
    StayedOn = "stayed_on", tr_noop!("It stayed on {computer} and continues there.");
    SentAgain = "sent_again", tr_noop!("a person decided to send it again");
    RefusedElsewhere = "refused_elsewhere", tr_noop!("on {when}, job {job} got a refusal of this badge for this recipient, but the service may have accepted it. Resume job {job}: lapel checks first");
    SentElsewhere = "sent_elsewhere", tr_noop!("job {job} sent this badge to this recipient on {when} ({state}). A second one needs your approval");
    SendingElsewhere = "sending_elsewhere", tr_noop!("job {job} began to send this badge to this recipient on {when}. A second one needs your approval");
    PersonSent = "person_sent", tr_noop!("{who} sent this badge to this recipient on {when} (job {job}, {state}). A second one needs your approval");
    PersonSends = "person_sends", tr_noop!("{who} began to send this badge to this recipient on {when} (job {job}). A second one needs your approval");
    NoClaim = "no_claim", tr_noop!("another job may have sent this badge to this recipient");
    NeedReview = "need_review", tr_noop!("Rows that need review were not sent. These recipients already have the badge, or may have it.");
    LeftOutByHand = "left_out_by_hand", tr_noop!("skipped by a person");

    // Reading from the service.
    PollFailed = "look_failed", tr_noop!("The last check failed. {why}");
    PartOfHistory = "part_of_history", tr_noop!("The history could not be read to its end, or changed meanwhile.");
    PollUnread = "look_unread", tr_noop!("The last check could not read some badges ({n}). {why}");
    Ambiguous = "ambiguous", tr_noop!("a badge of this template was found for this e-mail address, but it may not be this one. Check the holder's wallet, then resolve it");
    HoldsOlder = "holds_older", tr_noop!("this recipient already holds the badge: another user or program issued it before this request. Decide whether to send this one too");
    WindowOver = "window_over",
        tr_noop!("checked until the check window ended, and never seen. You can decide to send it again");
    Absent = "absent", tr_noop!("checked twice where the service shows waiting badges, and not seen. You can decide to send it again");
    OthersFound = "others_found",
        tr_noop!("others in the same request were found, so it was accepted; it is not visible yet");
    Overdue = "overdue", tr_noop!("accepted more than 24 hours ago; contact the provider's help desk with the badge id");
    ServiceWord = "service_word", tr_noop!("the service shows \u{201c}{label}\u{201d}");

    // Revocations.
    NotRevocable = "not_revocable", tr_noop!("its state is {state}; only Issued badges can be revoked");
    UnknownState = "unknown_state", tr_noop!("unknown state, so the service decides");
    WhenIssued = "when_issued", tr_noop!("to revoke when the corrected badge (job {issue}) is Issued");
    NotReplaced = "not_replaced", tr_noop!("not revoked: the corrected badge (job {issue}) was not issued");
    NoBadge = "no_badge", tr_noop!("not revoked: job {issue} has no badge for this row and looks for none any more");
    AlreadyByAnother = "already_by_another", tr_noop!("already {state} by another request");
    RevokingAlready = "revoking_already", tr_noop!("already being revoked");
    RevokedAlready = "revoked_already", tr_noop!("already revoked");
    LeftOutOfIt = "left_out_of_it", tr_noop!("the service skipped it; its state is {state}");
    RevokedAgain = "revoked_again", tr_noop!("no revocation was found; lapel sends it again, which is harmless");
    RevocationNotSeen = "revocation_not_seen",
        tr_noop!("sent several times, but no revocation was found. Revoking it again is harmless");
    UnknownBadge = "unknown_badge", tr_noop!("the service does not know this badge or does not show it");
    BadgeNotRead = "badge_not_read", tr_noop!("its record could not be read: {why}");

    // Duplicate check and files.
    Held = "held", tr_noop!("{why} (badge {id})");
    LookAlike = "look_alike", tr_noop!("{address} holds it");
    SentBefore = "sent_before", tr_noop!("a job in this journal sent one that the service does not show yet");
    SameAddress = "same_address", tr_noop!("row {row} has the same e-mail address");
    DomainSlip = "domain_slip", tr_noop!("e-mail address: did you mean {meant}? Many more addresses have it.");
    LostLetters = "lost_letters", tr_noop!("letters of the name were lost in a conversion{was}");
    TemplateShared = "template_shared", tr_noop!("template: more than one has this title; use the id");
    TemplateUnknown = "template_unknown",
        tr_noop!("template: none has the id or title \u{201c}{named}\u{201d}");
    TemplateNotRead = "template_not_read",
        tr_noop!("template: the list could not be read to the end, and no template read so far has the id \u{201c}{named}\u{201d}");
    Sheet = "sheet", tr_noop!("sheet {sheet}");
    HeaderRow = "header_row", tr_noop!("header row {row}");
    NoHeader = "no_header", tr_noop!("no header");
    Process = "process", tr_noop!("process {id}");
    ProcessOn = "process_on", tr_noop!("{who} on {computer}");

    // Evidence for facts.
    ReadInBadges = "read_in_badges", tr_noop!("read in badges");
    WaitingInHistory = "waiting_in_history",
        tr_noop!("the history listed a badge that was accepted but not issued yet");
    WaitingById = "waiting_by_id",
        tr_noop!("a badge that was accepted but not issued yet could be read by its id");
    ReadEarly = "read_early", tr_noop!("read less than 5 minutes after acceptance");
    FollowedWaiting = "followed_waiting",
        tr_noop!("seen after the status for waiting, with an issue time and no revocation");
    NotInHistory = "not_in_history", tr_noop!("accepted badges were missing from a complete history");
    WitnessedTime = "witnessed_time", tr_noop!("the service's timestamp of an acceptance that lapel saw");
    NotById = "not_by_id", tr_noop!("an accepted badge could not be read by its id");
    CountFollows = "count_follows",
        tr_noop!("the number of badges issued since a date rose with lapel's badges");
    CountIgnores = "count_ignores",
        tr_noop!("the number of badges issued since a date rose by fewer than lapel's badges");
    OtherTitle = "other_title", tr_noop!("a search for one title returned another title");
    OtherAddress = "other_address", tr_noop!("a search for one e-mail address returned another");
    OtherCase = "other_case", tr_noop!("a search by e-mail address returned it in different letter case");
}

impl Code {
    pub(super) fn separator(self) -> &'static str {
        match self {
            Self::Findings => "; ",
            Self::ReadAs => " \u{b7} ",
            _ => ", ",
        }
    }
}

/// `Display` gives one line in the current language that is safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    code: Code,
    /// The English text, for codes that have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<String, Arg>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Arg {
    /// The same in every language: a number, a name, a word of the service.
    Raw(String),
    Reason(Reason),
    All(Vec<Reason>),
}

const UTC_MINUTE: &str = "%Y-%m-%d %H:%M UTC";

/// A time as a reason keeps it: `2026-11-27 09:41 UTC`.
pub(super) fn utc_minute(at: Timestamp) -> String {
    at.strftime(UTC_MINUTE).to_string()
}

fn utc(text: &str) -> Option<Timestamp> {
    let time = DateTime::strptime(UTC_MINUTE, text).ok()?;
    Offset::UTC.to_timestamp(time).ok()
}

impl From<Code> for Reason {
    fn from(code: Code) -> Self {
        Self { code, text: None, args: BTreeMap::new() }
    }
}

impl From<&Localizable> for Reason {
    fn from(message: &Localizable) -> Self {
        if message.text() == VERBATIM {
            return Self::verbatim(Code::Told, &message.to_string());
        }
        let value = |value: &TextArgument| match value {
            TextArgument::Plain(text) => Arg::Raw(text.clone()),
            TextArgument::Localizable(message) => Arg::Reason(message.into()),
        };
        let args = message.values().iter().map(|(name, of)| ((*name).to_owned(), value(of))).collect();
        Self { args, ..Self::word(message.text()) }
    }
}

impl Reason {
    /// Adds an argument that is the same in every language.
    pub(super) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.args.insert(name.to_owned(), Arg::Raw(value.to_string()));
        self
    }

    /// Adds an argument that is itself a reason.
    pub(super) fn because(mut self, name: &str, why: Self) -> Self {
        self.args.insert(name.to_owned(), Arg::Reason(why));
        self
    }

    pub(super) fn list(code: Code, parts: Vec<Self>) -> Self {
        let mut list = Self::from(code);
        list.args.insert("all".to_owned(), Arg::All(parts));
        list
    }

    /// The findings that a suggestion does not answer. `None` if there are none.
    pub(super) fn without_suggestions(&self) -> Option<Self> {
        let Some(Arg::All(all)) = self.args.get("all").filter(|_| self.is(Code::Findings)) else {
            return None;
        };
        let stays = |part: &&Self| part.meant_domain().is_none() && !part.mentions(Code::LostLetters);
        let mut rest: Vec<Self> = all.iter().filter(stays).cloned().collect();
        if rest.len() > 1 { Some(Self::list(Code::Findings, rest)) } else { rest.pop() }
    }

    /// With one more finding.
    pub(super) fn and_finding(self, finding: Self) -> Self {
        let mut parts = match self.args.get("all") {
            Some(Arg::All(all)) if self.is(Code::Findings) => all.clone(),
            _ => vec![self],
        };
        parts.push(finding);
        Self::list(Code::Findings, parts)
    }

    pub(super) fn coded(code: Code, message: &Localizable) -> Self {
        Self { code, ..message.into() }
    }

    /// An English text of the catalogues, without arguments.
    pub(super) fn word(english: &str) -> Self {
        let code = Code::ALL.iter().copied().find(|code| code.text() == Some(english));
        code.map_or_else(|| Self { text: Some(english.to_owned()), ..Code::Told.into() }, Self::from)
    }

    /// An unknown word of the service stays unchanged.
    pub(super) fn state(state: &State) -> Self {
        match state {
            State::Other(label) if !label.looks_empty() => Self::verbatim(Code::Told, label.wire()),
            known => Self::word(known.name().wire()),
        }
    }

    fn verbatim(code: Code, sentence: &str) -> Self {
        Self::from(code).with("text", sentence.chars().take(LONGEST).collect::<String>())
    }

    /// The name of a duplicate kind. The caller adds the reason.
    pub(super) fn class(class: DuplicateKind) -> Self {
        Self { text: Some(class.name().to_owned()), ..Code::Class.into() }
    }

    pub(crate) fn of_process(who: &str, computer: &str) -> Self {
        Self::from(Code::ProcessOn).with("who", who).with("computer", computer)
    }

    /// With its times as screens show them. The journal keeps them in UTC.
    #[must_use]
    pub fn in_zone_of(&self, clock: &ServiceClock) -> Self {
        self.with_times(&|at| clock.short(at))
    }

    /// The same for a file that people keep: with the year, and with the zone, which nothing else in a redo file names.
    #[must_use]
    pub(super) fn for_file(&self, clock: &ServiceClock) -> Self {
        self.with_times(&|at| format!("{} {}", clock.to_minute(at), clock.zone()))
    }

    fn with_times(&self, shown: &dyn Fn(Timestamp) -> String) -> Self {
        let in_zone = |(name, arg): (&String, &Arg)| {
            let arg = match arg {
                Arg::Raw(raw) if name == "when" => Arg::Raw(utc(raw).map_or_else(|| raw.clone(), shown)),
                Arg::Raw(raw) => Arg::Raw(raw.clone()),
                Arg::Reason(why) => Arg::Reason(why.with_times(shown)),
                Arg::All(all) => Arg::All(all.iter().map(|one| one.with_times(shown)).collect()),
            };
            (name.clone(), arg)
        };
        Self { args: self.args.iter().map(in_zone).collect(), ..self.clone() }
    }

    pub fn argument(&self, name: &str) -> Option<&str> {
        match self.args.get(name)? {
            Arg::Raw(value) => Some(value),
            Arg::Reason(_) | Arg::All(_) => None,
        }
    }

    pub fn is(&self, code: Code) -> bool {
        self.code == code
    }

    pub fn code(&self) -> Code {
        self.code
    }

    /// The domain that the address probably has, if that is what the reason asks.
    pub fn meant_domain(&self) -> Option<&str> {
        if let Some(Arg::Raw(meant)) = self.args.get("meant") {
            return Some(meant);
        }
        self.args.values().find_map(|arg| match arg {
            Arg::Raw(_) => None,
            Arg::Reason(part) => part.meant_domain(),
            Arg::All(parts) => parts.iter().find_map(Self::meant_domain),
        })
    }

    /// Whether it is this reason, or a list with it.
    pub fn mentions(&self, code: Code) -> bool {
        self.is(code) || self.parts().any(|part| part.is(code))
    }

    /// Why the row needed the decision that nobody made; otherwise the reason itself.
    pub fn in_review(&self) -> &Self {
        self.why_of(Code::NotAllowed)
    }

    /// What a late answer says; otherwise the reason itself.
    pub fn in_late_answer(&self) -> &Self {
        self.why_of(Code::LateAnswer)
    }

    fn why_of(&self, code: Code) -> &Self {
        match self.args.get("why") {
            Some(Arg::Reason(why)) if self.is(code) => why,
            _ => self,
        }
    }

    /// Each finding of a list, or the reason itself.
    fn parts(&self) -> impl Iterator<Item = &Self> {
        let reason = self.in_review();
        let all = match reason.args.get("all") {
            Some(Arg::All(all)) if reason.code == Code::Findings => all.as_slice(),
            _ => std::slice::from_ref(reason),
        };
        all.iter().map(|part| match part.args.get("what") {
            Some(Arg::Reason(what)) if part.code == Code::Finding => what,
            _ => part,
        })
    }

    /// The English text of each finding, without its values; empty for a text that is stored verbatim. A sign that an address
    /// may not have is the finding.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts().map(|part| {
            let finding = match part.args.get("sign") {
                Some(Arg::Reason(sign)) => sign,
                _ => part,
            };
            finding.code.text().or(finding.text.as_deref()).unwrap_or_default()
        })
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.args.get("all"), Some(Arg::All(all)) if all.is_empty())
    }

    pub fn english(&self) -> String {
        self.in_language(Language::English)
    }

    /// The service's answer to a refused request: its status, code and message.
    pub fn service_words(&self) -> Option<String> {
        self.args.get("said").map(|said| said.said(i18n::language()))
    }

    /// Only what happened, without what it means and what to do.
    pub fn cause(&self) -> String {
        let language = i18n::language();
        let Some(why) = self.args.get("why") else { return self.in_language(language) };
        format!("{}{}", why.said(language), self.said("status", language))
    }

    fn said(&self, name: &str, language: Language) -> String {
        self.args.get(name).map_or_else(String::new, |arg| shown(name, arg, language))
    }

    pub fn in_language(&self, language: Language) -> String {
        let arg = |name: &str| self.said(name, language);
        match (self.code, self.code.text().or(self.text.as_deref())) {
            (Code::Findings | Code::ReadAs | Code::Verdict, _) => match self.args.get("all") {
                Some(Arg::All(all)) => joined(all, self.code.separator(), language),
                _ => String::new(),
            },
            (Code::Finding, _) if self.names_its_field() => arg("what"),
            (Code::Finding, _) => format!("{}: {}", arg("field"), arg("what")),
            (Code::Http, _) => {
                let has = |name: &str| self.args.contains_key(name);
                let text = match (has("code"), has("message")) {
                    (false, false) => tr_noop!("HTTP {status}"),
                    (true, false) => tr_noop!("HTTP {status}, code {code}"),
                    (false, true) => tr_noop!("HTTP {status}: \u{201c}{message}\u{201d}"),
                    (true, true) => tr_noop!("HTTP {status}, code {code}: \u{201c}{message}\u{201d}"),
                };
                let [status, code, message] = ["status", "code", "message"].map(arg);
                let args: [(&str, &dyn Display); 3] =
                    [("status", &status), ("code", &code), ("message", &message)];
                i18n::fill(i18n::in_language(language, text), &args)
            }
            // What needed the decision counts more than that nobody made it.
            (Code::NotAllowed, _) if self.args.contains_key("why") => {
                let text = i18n::in_language(language, tr_noop!("{why}; no decision in the review"));
                i18n::fill(text, &[("why", &arg("why"))])
            }
            (_, None) => arg("text"),
            (_, Some(text)) => {
                let args: Vec<(&str, String)> =
                    self.args.iter().map(|(name, arg)| (name.as_str(), shown(name, arg, language))).collect();
                let args: Vec<(&str, &dyn Display)> =
                    args.iter().map(|(name, arg)| (*name, arg as &dyn Display)).collect();
                // Somebody may have changed the journal, so the stored text may not be one of lapel's.
                let text = if self.text.is_some() { scrub(text) } else { text.into() };
                let text = text.as_ref();
                let said = i18n::fill(i18n::in_language(language, text), &args);
                // If the text does not use `{why}`, the reason follows at the end.
                match self.args.get("why") {
                    Some(why) if !text.contains("{why}") => format!("{said}: {}", why.said(language)),
                    _ => said,
                }
            }
        }
    }

    /// Whether the text of a finding says where it was found: `the name is empty`. Texts about whole rows always do.
    fn names_its_field(&self) -> bool {
        let [field, what] = ["field", "what"].map(|name| self.said(name, Language::English));
        // The field is stored as its title: `Name`.
        field == "row" || what.contains(&format!("the {} ", field.to_lowercase()))
    }

    pub(super) fn stored(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses the stored JSON. Anything else is kept verbatim.
    pub(super) fn read(raw: &str) -> Self {
        serde_json::from_str(raw).unwrap_or_else(|_| Self::verbatim(Code::Legacy, raw))
    }

    /// An earlier version stored sentences. A sentence stays as it is, unless it is the whole text of a code.
    pub(super) fn of_legacy(sentence: &str) -> Self {
        if let Ok(reason) = serde_json::from_str(sentence) {
            return reason;
        }
        let is_text = |code: &&Code| {
            let text = code.text();
            text.is_some_and(|text| Language::ALL.iter().any(|l| i18n::in_language(*l, text) == sentence))
        };
        let code = Code::ALL.iter().find(is_text);
        code.map_or_else(|| Self::verbatim(Code::Legacy, sentence), |code| (*code).into())
    }
}

impl Arg {
    fn said(&self, language: Language) -> String {
        match self {
            Self::Raw(text) => scrub(text).into_owned(),
            Self::Reason(reason) => reason.in_language(language),
            Self::All(all) => joined(all, ", ", language),
        }
    }
}

/// Numbers of rows and of badges are shown as on screens. Other numbers are names: of a job, a row or a status.
fn shown(name: &str, arg: &Arg, language: Language) -> String {
    match arg {
        Arg::Raw(text) if matches!(name, "n" | "sent" | "accepted" | "found" | "rows") => {
            text.parse().map_or_else(|_| arg.said(language), number)
        }
        arg => arg.said(language),
    }
}

fn joined(all: &[Reason], separator: &str, language: Language) -> String {
    all.iter().map(|one| one.in_language(language)).collect::<Vec<_>>().join(separator)
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_language(i18n::language()))
    }
}

impl From<&Reason> for Text {
    fn from(reason: &Reason) -> Self {
        Self::from(reason.to_string())
    }
}

impl From<&ApiError> for Reason {
    fn from(error: &ApiError) -> Self {
        let code = match error {
            ApiError::KeyRefused(_) => Code::KeyRefused,
            ApiError::AddressRefused(_) => Code::AddressRefused,
            ApiError::RateLimited { .. } => Code::RateLimited,
            ApiError::Quota(_) => Code::Quota,
            ApiError::BadRequest(_) => Code::BadRequest,
            ApiError::NotFound(_) => Code::NotFound,
            ApiError::ServiceFailed(_) => Code::ServiceFailed,
            ApiError::NotThisService { .. } => Code::NotThisService,
            ApiError::Unreadable { .. } => Code::NotReadable,
            ApiError::NotReached { .. } => Code::NotReached,
            ApiError::NoResponse { .. } => Code::NoResponse,
            ApiError::InDoubt { accepted: true, .. } => Code::Unreadable,
            ApiError::InDoubt { status: Some(300..=399), .. } => Code::DoubtRedirect,
            ApiError::InDoubt { status: Some(500..), .. } => Code::DoubtServer,
            ApiError::InDoubt { status: Some(_), .. } => Code::DoubtResponse,
            ApiError::InDoubt { status: None, .. } => Code::DoubtNoResponse,
            _ => Code::Told,
        };
        Self::coded(code, &error.localizable())
    }
}

#[cfg(test)]
mod tests;

use super::*;
use crate::domain::summary::summary;
use crate::domain::{Badge, BadgeId, HistoryItem, State, TemplateId, WalletBadge};
use jiff::ToSpan;
use jiff::civil::datetime;
use proptest::prelude::*;

const NOW: DateTime = datetime(2026, 11, 21, 10, 0, 0, 0);
const ASKED: &str = "seoyun.han@naru.example";

/// In the history, and in the wallet too unless the badge is revoked or waiting.
struct Row {
    id: &'static str,
    label: &'static str,
    accepted: &'static str,
    until: Option<&'static str>,
    revoked: Option<&'static str>,
    mail: Option<&'static str>,
    name: &'static str,
    email: &'static str,
    wallet: bool,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            id: "B-1",
            label: "발급완료",
            accepted: "2026-11-20 09:00:00",
            until: None,
            revoked: None,
            mail: Some("SENT"),
            name: "한서윤",
            email: ASKED,
            wallet: true,
        }
    }
}

impl Row {
    fn held(self) -> HeldBadge {
        let id = BadgeId::new(self.id).expect("not empty");
        let time = |t: &str| ServiceTime::new(t);
        let waiting = self.label == "발급대기";
        let wallet = WalletBadge {
            badge_id: id.clone(),
            front_image_url: None,
            back_image_url: None,
            recipient_name: Some(self.name.into()),
            title: Some("파이썬 데이터 분석 수료".into()),
            issuing_org: Some("연습용 기관".into()),
            status_name: Some(self.label.into()),
            valid_from: None,
            valid_until: self.until.and_then(time),
            issued_at: time(self.accepted).filter(|_| !waiting),
            reg_date: time(self.accepted),
        };
        let history = HistoryItem {
            badge_id: id.clone(),
            template_id: TemplateId::new("TPL-005"),
            title: wallet.title.clone(),
            badge_type_name: None,
            category_name: None,
            level: None,
            level_name: None,
            recipient_name: wallet.recipient_name.clone(),
            recipient_email: Some(self.email.into()),
            status_name: wallet.status_name.clone(),
            email_status: self.mail.map(Text::from),
            issuing_org: wallet.issuing_org.clone(),
            valid_until: wallet.valid_until.clone(),
            issued_at: wallet.issued_at.clone(),
            reg_date: wallet.reg_date.clone(),
            revoke_at: self.revoked.and_then(time),
            rnum: None,
            read_at: None,
        };
        let wallet = Some(wallet).filter(|_| self.wallet);
        HeldBadge { wallet, history: Some(history), ..HeldBadge::new(id) }
    }
}

fn case<'a>(held: &'a HeldBadge, all: &'a [HeldBadge]) -> CallCase<'a> {
    CallCase { all, asked: ASKED, both: true, ..CallCase::alone(held, NOW) }
}

/// The badge as lapel requested it so many hours ago.
fn requested(held: &HeldBadge, hours: i64) -> HeldBadge {
    let at = NOW.checked_sub(hours.hours()).expect("a time");
    HeldBadge { requested: ServiceTime::new(&at.to_string()), ..held.clone() }
}

/// What lapel advises in many calls, for one snapshot.
#[derive(Default)]
struct Calls(Vec<String>);

impl Calls {
    fn about(&mut self, what: &str) {
        self.0.push(format!("# {what}"));
    }

    /// The question, the state, and the whole advice.
    fn add(&mut self, name: &str, case: &CallCase<'_>) {
        let asked = case.question.map_or("no question", CallerQuestion::word);
        let (word, facts) = case.verdict().line();
        let Script { say, why, cannot } = script(case);
        let mut lines = vec![format!("{name} ({asked})"), format!("State: {word} [{facts}]")];
        lines.extend(say.iter().map(|line| format!("- {line}")));
        lines.extend(why.iter().map(|line| format!("Time: {line}")));
        lines.push(format!("Not possible: {cannot}"));
        self.0.push(lines.join("\n"));
    }

    /// Of the first badge, without a question.
    fn plain(&mut self, name: &str, all: &[HeldBadge]) {
        self.add(name, &case(&all[0], all));
    }

    /// Of the first badge.
    fn asked(&mut self, name: &str, all: &[HeldBadge], question: CallerQuestion) {
        self.add(name, &CallCase { question: Some(question), ..case(&all[0], all) });
    }

    /// The last call must not have these words, also in a snapshot that was accepted unread.
    fn never(&self, words: &str) {
        let last = self.0.last().expect("a call");
        assert!(!last.contains(words), "{last}");
    }

    fn summary(&mut self, name: &str, case: &CallCase<'_>) {
        self.0.push(format!("{name}, summary\n{}", summary(case, &script(case))));
    }
}

/// The sentences of all calls. Each part of it says which rule its calls show.
#[test]
fn what_is_said_in_every_call() {
    let mut calls = Calls::default();
    for (what, part) in PARTS {
        calls.about(what);
        part(&mut calls);
    }
    insta::assert_snapshot!("calls", calls.0.join("\n\n"));
}

/// A rule, and the calls that show it.
type Part = (&'static str, fn(&mut Calls));

const PARTS: &[Part] = &[
    (
        "Every question about a valid badge; what the caller asks for is first of what is not possible",
        every_question,
    ),
    ("A third party hears a reason without names", third_party),
    ("What waits has its deadline, without a promised time; what is overdue goes to the help desk", waiting),
    ("A badge that only the journal knows waits from its request", only_journal),
    ("A waiting badge whose revocation is planned is not promised to anybody", planned_revocation),
    ("An own badge in the journal may be the second one", journal_copies),
    (
        "A mail that was sent is not said to have arrived, and one that was not read is not said to be missing",
        mails,
    ),
    ("Who says revoked gets the copy that counts", copy_that_counts),
    ("Who has a new badge coming is not sent for another one", coming),
    ("Who says revoked or expired of a valid badge is asked which one they mean", which_one),
    ("A reason is only read out where it was read", reasons),
    ("What ended is renewed, or has a newer copy; a renewal is no duplicate", ended),
    ("Valid copies are counted, and the newest is named if it is known", newest),
    (
        "Another person at the address has no copies of this one, and may be the same person misspelt",
        other_people,
    ),
    ("A wallet that was not read whole says nothing of what it shows", wallet_not_read),
    ("A wallet that was read whole before a failed refresh says when", read_before),
    ("A copy that is being revoked is not said to be revoked", being_revoked),
    ("Strangers and shared addresses come first", strangers),
    ("What one list lacks is explained only where both were read", one_list),
    ("Who misses an ended badge first hears its state", missed),
    ("What only the wallet knows counts too", only_wallet_knows),
    ("A word that nobody knows promises nothing", unknown_word),
];

fn revoked(id: &'static str, accepted: &'static str) -> HeldBadge {
    Row {
        id,
        label: "회수완료",
        accepted,
        revoked: Some("2026-11-20 10:00:00"),
        wallet: false,
        ..Row::default()
    }
    .held()
}

fn third_party(calls: &mut Calls) {
    let badge: Badge = serde_json::from_value::<serde_json::Value>(serde_json::json!({
        "badge_id": "B-1", "status_name": "회수완료", "revoke_at": "2026-11-20 10:00:00", "revoke_reason": "중복",
    }))
    .ok()
    .and_then(|fields| crate::domain::ServiceRecord::read(fields.as_object()?).ok())
    .expect("a badge");
    let held =
        [HeldBadge { detail: Some(Box::new(badge)), ..HeldBadge::new(BadgeId::new("B-1").expect("an id")) }];
    calls.plain("the holder", &held);
    calls.add("a third party", &CallCase { by_id: true, masked: true, ..case(&held[0], &held) });
}

#[test]
fn a_badge_without_a_time_of_acceptance_is_overdue_by_the_time_of_its_request() {
    let held = undated();
    let (overdue, waiting) = ([requested(&held, 26)], [requested(&held, 2)]);
    let (overdue, waiting) = (case(&overdue[0], &overdue), case(&waiting[0], &waiting));
    assert!(matches!(overdue.verdict(), Verdict::Overdue { .. }), "{:?}", overdue.verdict());
    assert!(summary(&overdue, &script(&overdue)).contains("OVERDUE 26 h"));
    assert!(matches!(waiting.verdict(), Verdict::Waiting { since: None }), "{:?}", waiting.verdict());
}

/// Waits, without a time of acceptance.
fn undated() -> HeldBadge {
    let mut held = Row { label: "발급대기", mail: None, wallet: false, ..Row::default() }.held();
    held.history.as_mut().expect("a row").reg_date = None;
    held
}

fn waiting_since(accepted: &'static str) -> HeldBadge {
    Row { label: "발급대기", accepted, mail: None, wallet: false, ..Row::default() }.held()
}

#[test]
fn what_waits_longer_than_a_day_is_overdue() {
    for (accepted, is_overdue) in
        [("2026-11-21 09:18:00", false), ("2026-11-20 23:00:00", false), ("2026-11-20 03:00:00", true)]
    {
        let verdict = waiting_since(accepted).verdict(NOW);
        assert_eq!(matches!(verdict, Verdict::Overdue { .. }), is_overdue, "{verdict:?}");
        assert_eq!(verdict.state(), State::Waiting);
    }
    let all = [waiting_since("2026-11-21 09:18:00")];
    let said = script(&CallCase { zone_known: false, ..case(&all[0], &all) }).say.join(" ");
    assert!(!said.contains("2026-11-22"), "no time is promised: {said}");
}

fn waiting(calls: &mut Calls) {
    calls.plain("accepted today", &[waiting_since("2026-11-21 09:18:00")]);
    calls.never("tomorrow");
    calls.plain("accepted yesterday", &[waiting_since("2026-11-20 23:00:00")]);
    let all = [waiting_since("2026-11-21 09:18:00")];
    calls.add("the zone is not known", &CallCase { zone_known: false, ..case(&all[0], &all) });
    for question in [CallerQuestion::When, CallerQuestion::WrongName] {
        calls.asked("accepted today", &all, question);
    }
    calls.plain("overdue", &[waiting_since("2026-11-20 03:00:00")]);
    for hours in [26, 2] {
        calls.plain(&format!("requested {hours} h ago"), &[requested(&undated(), hours)]);
    }
}

fn mails(calls: &mut Calls) {
    let email = "chaewon@strictgate.example";
    for (name, row) in [
        ("sent", Row::default()),
        ("failed", Row { mail: Some("FAIL"), email, ..Row::default() }),
        (
            "failed, domain misspelt",
            Row { mail: Some("FAIL"), email: "eunwoo@gmial.example", ..Row::default() },
        ),
        ("no status", Row { mail: None, ..Row::default() }),
    ] {
        let all = [row.held()];
        calls.plain(name, &all);
        calls.summary(name, &case(&all[0], &all));
    }
    let only_wallet = [HeldBadge { history: None, ..Row::default().held() }];
    let case = CallCase { both: false, ..case(&only_wallet[0], &only_wallet) };
    calls.add("not read", &case);
    calls.summary("not read", &case);
}

fn copy_that_counts(calls: &mut Calls) {
    let valid = || Row { id: "B-2", ..Row::default() }.held();
    let both = [revoked("B-1", "2026-11-19 09:00:00"), valid()];
    calls.plain("of the revoked copy", &both);
    calls.plain("of the valid copy", &[both[1].clone(), both[0].clone()]);
    calls.asked("of the valid copy", &[both[1].clone(), both[0].clone()], CallerQuestion::Twice);
    // A valid copy under another name at the same address belongs to another person.
    let other = Row { id: "B-2", name: "임하늘", ..Row::default() }.held();
    calls.plain("the valid badge is another person's", &[both[0].clone(), other]);
    for name in ONE_NAME {
        let all = [both[0].clone(), Row { id: "B-2", name, ..Row::default() }.held()];
        calls.plain("the name is written in two ways", &all);
        let question = Some(CallerQuestion::Revoked);
        calls.add("the name is written in two ways", &CallCase { question, ..case(&all[1], &all) });
    }
}

/// `한서윤` in pieces, and with a blank.
const ONE_NAME: [&str; 2] = ["\u{1112}\u{1161}\u{11ab}\u{1109}\u{1165}\u{110b}\u{1172}\u{11ab}", "한 서윤"];

#[test]
fn the_copy_that_counts_is_named_by_its_id() {
    let named = |name| {
        let all = [revoked("B-1", "2026-11-19 09:00:00"), Row { id: "B-2", name, ..Row::default() }.held()];
        script(&case(&all[0], &all)).say.join(" ").contains("B-2")
    };
    assert!(named("한서윤") && ONE_NAME.into_iter().all(named));
    assert!(!named("임하늘"), "another person's");
}

#[test]
fn each_spelling_of_a_name_is_masked_in_a_summary() {
    for name in ONE_NAME {
        let valid = Row { id: "B-2", name, ..Row::default() }.held();
        let all = [revoked("B-1", "2026-11-19 09:00:00"), valid];
        let script = Script { say: vec![name.to_owned()], ..Script::default() };
        let text = summary(&case(&all[1], &all), &script);
        assert!(!text.contains(name), "{text}");
    }
}

fn coming(calls: &mut Calls) {
    let ended =
        || Row { until: Some("2026-11-09"), accepted: "2026-08-09 09:00:00", ..Row::default() }.held();
    let waiting = |accepted| {
        Row { id: "B-2", label: "발급대기", accepted, mail: None, wallet: false, ..Row::default() }.held()
    };
    let not_yet = || {
        let mut held = Row { id: "B-2", ..Row::default() }.held();
        held.wallet.as_mut().expect("in the wallet").valid_from = ServiceTime::new("2026-12-01");
        held
    };
    let other = || Row { id: "B-2", label: "발급대기", name: "임하늘", ..Row::default() }.held();
    for (was, old) in [("expired", ended()), ("revoked", revoked("B-1", "2026-11-19 09:00:00"))] {
        for (is, new) in [
            ("a new one waits", waiting("2026-11-21 09:18:00")),
            ("a new one is overdue", waiting("2026-11-19 09:18:00")),
            ("a new one is not yet valid", not_yet()),
        ] {
            let (name, all) = (format!("{was}, {is}"), [old.clone(), new]);
            calls.plain(&name, &all);
            calls.asked(&name, &all, CallerQuestion::Twice);
        }
        calls.plain(&format!("{was}, another person's waits"), &[old, other()]);
    }
}

/// A waiting badge that the service knows, and one that only the journal knows.
fn to_revoke() -> [HeldBadge; 2] {
    let held = HeldBadge { to_revoke: Some(2), ..waiting_since("2026-11-21 09:18:00") };
    let own = HeldBadge { to_revoke: Some(2), ..sent() };
    [held, requested(&own, 30)]
}

#[test]
fn a_planned_revocation_is_said_with_its_job() {
    for planned in to_revoke() {
        assert_eq!(planned.verdict(NOW).state(), State::Waiting);
        assert!(planned.verdict(NOW).line().1.contains("job 2"), "{:?}", planned.verdict(NOW));
    }
}

fn planned_revocation(calls: &mut Calls) {
    for (name, planned) in ["of the service", "only in the journal"].iter().zip(to_revoke()) {
        let all = [planned];
        for question in [None, Some(CallerQuestion::When), Some(CallerQuestion::NoMail)] {
            calls.add(name, &CallCase { question, ..case(&all[0], &all) });
            calls.never("waits to be issued");
            calls.never("usually");
        }
        calls.asked(name, &all, CallerQuestion::WrongName);
        calls.never("revoke this one");
    }
    let [planned, own] = to_revoke();
    calls.plain("after a revoked one", &[revoked("B-2", "2026-11-19 09:00:00"), planned]);
    // Only the journal knows them, so they may be second badges.
    let valid = || Row { id: "B-9", ..Row::default() }.held();
    calls.asked("beside a valid one", &[valid(), own.clone()], CallerQuestion::Twice);
    let other = HeldBadge { badge_id: BadgeId::new("B-8").expect("an id"), to_revoke: None, ..own.clone() };
    calls.asked("beside a valid one, and another waits", &[valid(), own, other], CallerQuestion::Twice);
}

fn journal_copies(calls: &mut Calls) {
    let valid = Row::default().held();
    let title = valid.title().cloned();
    let own = HeldBadge { sent: title, ..HeldBadge::new(BadgeId::new("B-2").expect("an id")) };
    let other = HeldBadge { sent: Some("other".into()), ..own.clone() };
    calls.asked("an own one was sent, too", &[valid.clone(), own.clone()], CallerQuestion::Twice);
    calls.asked("of the own one", &[own.clone(), valid.clone()], CallerQuestion::Twice);
    calls.asked("the own one has another title", &[valid, other], CallerQuestion::Twice);
    calls.plain("revoked, an own one was sent", &[revoked("B-1", "2026-11-19 09:00:00"), own]);
}

fn which_one(calls: &mut Calls) {
    let valid = || Row { id: "B-2", ..Row::default() }.held();
    let ended = Row { id: "B-3", until: Some("2026-11-09"), ..Row::default() }.held();
    let all = [valid(), revoked("B-1", "2026-11-19 09:00:00"), ended];
    calls.asked("one of each", &all, CallerQuestion::Revoked);
    calls.asked("one of each", &all, CallerQuestion::Expired);
    // The advice does not mention another name at this address.
    let other = Row { id: "B-1", name: "임하늘", label: "회수완료", wallet: false, ..Row::default() }.held();
    calls.asked("another person's is revoked", &[valid(), other], CallerQuestion::Revoked);
    calls.asked("one is being revoked", &[valid(), revoking("B-1")], CallerQuestion::Revoked);
}

/// A record without anything but the id.
fn record(held: &HeldBadge) -> Badge {
    Badge {
        badge_id: held.badge_id.clone(),
        source_cd: None,
        issuing_org: None,
        company_name: None,
        cert_no: None,
        title: None,
        category_name: None,
        badge_type_name: None,
        level_name: None,
        description: None,
        criteria: None,
        front_image_url: None,
        back_image_url: None,
        skills_tag: Vec::new(),
        status_name: None,
        recipient_name: None,
        recipient_email: None,
        email_status: None,
        valid_from: None,
        valid_until: None,
        issued_at: None,
        revoke_at: None,
        revoke_reason: None,
        reg_date: None,
    }
}

fn reasons(calls: &mut Calls) {
    let mut held = revoked("B-1", "2026-11-19 09:00:00");
    calls.plain("the record was not read", &[held.clone()]);
    let history = held.history.clone().expect("a row");
    let mut detail = Badge {
        cert_no: Some("DMU-1".into()),
        status_name: history.status_name,
        issued_at: history.issued_at,
        revoke_at: history.revoke_at,
        ..record(&held)
    };
    held.detail = Some(Box::new(detail.clone()));
    calls.plain("no reason", &[held.clone()]);
    detail.revoke_reason = Some("응시 부정행위 확인".into());
    held.detail = Some(Box::new(detail));
    calls.plain("a reason", &[held]);
}

fn ended(calls: &mut Calls) {
    let ended =
        |id, until| Row { id, until: Some(until), accepted: "2026-08-09 09:00:00", ..Row::default() }.held();
    calls.plain("at a time", &[ended("B-1", "2026-11-09 10:00:00")]);
    calls.plain("with a day", &[ended("B-1", "2026-11-20")]);
    let newer = || Row { id: "B-2", ..Row::default() }.held();
    calls.plain("a newer copy", &[ended("B-1", "2026-11-09 10:00:00"), newer()]);
    let old = |id| Row { id, until: Some("2026-11-09"), ..Row::default() }.held();
    let valid = || Row::default().held();
    calls.asked("two copies have expired", &[valid(), old("B-2"), old("B-3")], CallerQuestion::Twice);
    calls.asked("of an expired copy", &[old("B-2"), valid(), old("B-3")], CallerQuestion::Twice);
    calls.asked("no copy", &[valid()], CallerQuestion::Twice);
    calls.asked("expired, no copy", &[old("B-2")], CallerQuestion::Twice);
}

fn newest(calls: &mut Calls) {
    let older = Row::default().held();
    let newer = Row { id: "B-2", accepted: "2026-11-20 10:00:00", ..Row::default() }.held();
    calls.plain("of the older copy", &[older.clone(), newer.clone()]);
    calls.plain("of the newer copy", &[newer.clone(), older.clone()]);
    // When two copies were accepted in the same second, or a time is missing, neither is called the newest.
    let twin = Row { id: "B-3", accepted: "2026-11-20 10:00:00", ..Row::default() }.held();
    calls.plain("in the same second", &[newer.clone(), twin.clone()]);
    calls.plain("in the same second", &[twin, newer.clone()]);
    let third = Row { id: "B-4", accepted: "2026-11-20 11:00:00", ..Row::default() }.held();
    calls.plain("three copies", &[older.clone(), newer, third]);
    let undated = Row { id: "B-5", accepted: "soon", ..Row::default() }.held();
    calls.plain("without a time", &[older, undated]);
}

fn other_people(calls: &mut Calls) {
    let named = |id, name| Row { id, name, ..Row::default() }.held();
    let others = [named("B-1", "한서윤"), named("B-2", "임하늘")];
    calls.plain("another name", &others);
    calls.asked("another name", &others, CallerQuestion::Twice);
    calls.asked("another name", &others, CallerQuestion::WrongName);
    let alike = [named("B-1", "서다안"), named("B-2", "서다인")];
    calls.plain("a similar name", &alike);
    calls.asked("a similar name", &alike, CallerQuestion::WrongName);
    calls.asked("a similar name", &alike, CallerQuestion::NotMine);
}

fn wallet_not_read(calls: &mut Calls) {
    let all = [Row { wallet: false, ..Row::default() }.held()];
    let asked = CallCase { both: false, question: Some(CallerQuestion::NotInWallet), ..case(&all[0], &all) };
    calls.add("not read", &asked);
    calls.add("read", &CallCase { both: true, ..asked });
    calls.add("not read to its end", &CallCase { unfinished: true, ..asked });
}

fn read_before(calls: &mut Calls) {
    let whole_as_of = NOW.checked_sub(2.hours()).ok();
    let mut add = |name: &str, all: &[HeldBadge], question| {
        calls.add(name, &CallCase { both: false, whole_as_of, question, ..case(&all[0], all) });
    };
    let one = [Row { wallet: false, ..Row::default() }.held()];
    add("not in the wallet", &one, Some(CallerQuestion::NotInWallet));
    add("not in the wallet", &one, Some(CallerQuestion::Twice));
    add("two copies", &[Row::default().held(), Row { id: "B-2", ..Row::default() }.held()], None);
    let expired = Row { until: Some("2026-11-09"), accepted: "2026-08-09 09:00:00", ..Row::default() };
    let [second, third] = ["B-2", "B-3"].map(|id| Row { id, ..Row::default() }.held());
    add("expired, two valid copies", &[expired.held(), second, third], Some(CallerQuestion::Twice));
}

/// A copy whose revocation is under way.
fn revoking(id: &'static str) -> HeldBadge {
    Row { id, label: "회수중", revoked: Some("2026-11-20 10:00:00"), wallet: false, ..Row::default() }.held()
}

fn being_revoked(calls: &mut Calls) {
    let gone = |id| revoked(id, "2026-11-19 09:00:00");
    for copies in [
        vec![revoking("B-1")],
        vec![revoking("B-1"), gone("B-2")],
        vec![gone("B-1"), gone("B-2"), gone("B-3")],
        vec![revoking("B-1"), revoking("B-2")],
        vec![gone("B-1")],
    ] {
        let valid = Row { id: "B-9", ..Row::default() }.held();
        let all: Vec<HeldBadge> = [valid].into_iter().chain(copies).collect();
        let states: Vec<String> = all.iter().map(|held| held.verdict(NOW).line().0).collect();
        let case = case(&all[0], &all);
        calls.add(&states.join(", "), &case);
        if all[1..].iter().all(|held| held.verdict(NOW).state() == State::Revoking) {
            calls.never("is revoked.");
        }
        calls.summary(&states.join(", "), &case);
    }
    let all = [revoking("B-1"), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
    for question in [None, Some(CallerQuestion::WrongName), Some(CallerQuestion::WrongEmail)] {
        let case = CallCase { question, ..case(&all[0], &all) };
        calls.add("of the badge itself", &case);
        calls.summary("of the badge itself", &case);
    }
}

fn every_question(calls: &mut Calls) {
    let all = [Row::default().held()];
    calls.plain("valid", &all);
    for (_, question) in CallerQuestion::ALL {
        calls.asked("valid", &all, *question);
    }
    let real = CallCase { by_id: true, question: Some(CallerQuestion::Real), ..case(&all[0], &all) };
    calls.add("found by its id", &real);
}

#[test]
fn nothing_is_twice_in_what_is_not_possible() {
    let all = [Row::default().held()];
    for by_id in [false, true] {
        for (_, question) in CallerQuestion::ALL {
            let cannot = script(&CallCase { by_id, question: Some(*question), ..case(&all[0], &all) }).cannot;
            let parts: std::collections::BTreeSet<&str> = cannot.split(", ").collect();
            assert_eq!(parts.len(), cannot.split(", ").count(), "{question:?}: {cannot}");
        }
    }
}

/// A badge that only the journal knows.
fn sent() -> HeldBadge {
    HeldBadge {
        sent: Some("파이썬 데이터 분석 수료".into()),
        ..HeldBadge::new(BadgeId::new("B-1").expect("an id"))
    }
}

#[test]
fn a_badge_that_only_the_journal_knows_waits_from_its_request() {
    let (all, overdue) = ([requested(&sent(), 1)], [requested(&sent(), 30)]);
    assert_eq!(case(&all[0], &all).verdict().state(), State::Waiting);
    let overdue = case(&overdue[0], &overdue);
    assert_eq!(overdue.verdict().line().0, "OVERDUE 30 h");
    assert_eq!(all[0].title().map(Text::wire), Some("파이썬 데이터 분석 수료"));
    // Nothing is known of what could not be read.
    let unread = HeldBadge { unread: true, ..overdue.held.clone() };
    assert_eq!(CallCase { both: false, held: &unread, ..overdue }.verdict().line().0, "UNKNOWN");
}

fn only_journal(calls: &mut Calls) {
    let (all, overdue) = ([requested(&sent(), 1)], [requested(&sent(), 30)]);
    let fresh = case(&all[0], &all);
    calls.add("requested 1 h ago", &fresh);
    for question in [CallerQuestion::Real, CallerQuestion::Picture] {
        calls.add("requested 1 h ago", &CallCase { question: Some(question), ..fresh });
    }
    let alone = CallCase { both: false, asked: "", question: Some(CallerQuestion::Twice), ..fresh };
    calls.add("only this badge was looked up", &alone);
    let masked = CallCase { masked: true, by_id: true, both: false, ..case(&overdue[0], &overdue) };
    calls.add("requested 30 h ago, masked", &masked);
    let unread = [HeldBadge { unread: true, ..overdue[0].clone() }];
    for question in [None, Some(CallerQuestion::NotInWallet), Some(CallerQuestion::When)] {
        let unread = CallCase { both: false, question, ..case(&unread[0], &unread) };
        calls.add("requested 30 h ago, could not be read", &unread);
    }
}

fn strangers(calls: &mut Calls) {
    let all = [Row::default().held(), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
    calls.add("all of them", &CallCase { namesakes: 2, by_id: true, ..case(&all[0], &all) });
}

fn one_list(calls: &mut Calls) {
    let hidden = [Row { wallet: false, email: "Seoyun.Han@naru.example", ..Row::default() }.held()];
    calls.plain("not in the wallet", &hidden);
    calls.add("the wallet was not read", &CallCase { both: false, ..case(&hidden[0], &hidden) });
    let only_wallet = |label| HeldBadge { history: None, ..Row { label, ..Row::default() }.held() };
    calls.plain("not in the history", &[only_wallet("발급완료")]);
    calls.plain("waits, not in the history", &[only_wallet("발급대기")]);
    for organisation in ["연습용 기관", "달무리대학교"] {
        let all = [only_wallet("발급완료")];
        calls.add(&format!("profile of {organisation}"), &CallCase { organisation, ..case(&all[0], &all) });
    }
    let copy = Row { id: "B-2", ..Row::default() }.held();
    calls.plain("a copy is in the history", &[only_wallet("발급완료"), copy]);
    let mut in_capitals = only_wallet("발급완료");
    let mut badge = record(&in_capitals);
    badge.recipient_email = Some("SEOYUN.HAN@naru.example".into());
    in_capitals.detail = Some(Box::new(badge));
    calls.plain("its record has the address in capitals", &[in_capitals]);
}

fn missed(calls: &mut Calls) {
    let gone = Row { label: "회수완료", revoked: Some("2026-11-20 10:00:00"), ..Row::default() }.held();
    let ended = Row { until: Some("2026-11-09"), ..Row::default() }.held();
    calls.asked("revoked", &[gone], CallerQuestion::NotInWallet);
    calls.asked("expired", &[ended], CallerQuestion::NotInWallet);
}

/// Only its row in the wallet says that it is not valid yet.
fn not_yet_in_wallet() -> HeldBadge {
    let mut held = Row::default().held();
    held.wallet.as_mut().expect("in the wallet").valid_from = ServiceTime::new("2026-12-01");
    held
}

#[test]
fn what_only_the_wallet_knows_counts_too() {
    assert_eq!(not_yet_in_wallet().verdict(NOW).line().0, "NOT YET VALID");
}

fn only_wallet_knows(calls: &mut Calls) {
    calls.plain("valid from a later day", &[not_yet_in_wallet()]);
}

fn unknown_word(calls: &mut Calls) {
    calls.plain("an unknown word", &[Row { label: "발급보류", ..Row::default() }.held()]);
}

#[test]
fn a_summary_tells_the_badge_and_hides_the_person() {
    let all = [Row { mail: Some("FAIL"), ..Row::default() }.held()];
    let case = case(&all[0], &all);
    let text = summary(&case, &script(&case));
    for told in ["B-1: VALID", "파이썬 데이터 분석 수료", "한***, s***@naru.example", "2026-11-20 09:00"]
    {
        assert!(text.contains(told), "{told}\n{text}");
    }
}

proptest! {
    #[test]
    fn no_script_holds_a_person_and_no_summary_either(
        label in prop::sample::select(vec!["발급대기", "발급완료", "회수완료", "발급보류"]),
        mail in prop::sample::select(vec![None, Some("SENT"), Some("FAIL")]),
        accepted in prop::sample::select(vec!["2026-11-21 09:18:00", "2026-11-19 09:00:00", "soon"]),
        until in prop::sample::select(vec![None, Some("2026-11-20"), Some("9999-12-31"), Some("2027-01-01 00:00:00")]),
        revoked_at in prop::sample::select(vec![None, Some("2026-11-20 10:00:00")]),
        wallet in any::<bool>(),
        by_id in any::<bool>(),
        namesakes in 0_usize..3,
        question in prop::option::of(prop::sample::select(CallerQuestion::ALL.iter().map(|(_, question)| *question).collect::<Vec<_>>())),
    ) {
        let row = |id| Row { id, label, accepted, until, revoked: revoked_at, mail, wallet, ..Row::default() }.held();
        let all = [row("B-1"), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
        let case = CallCase { by_id, namesakes, question, ..case(&all[0], &all) };
        let told = script(&case);
        prop_assert!(!told.say.is_empty() && !told.cannot.is_empty());
        let text = summary(&case, &told);
        for secret in ["한서윤", "임하늘", "seoyun"] {
            prop_assert!(!told.say.join(" ").contains(secret), "{told:?}");
            prop_assert!(!text.contains(secret), "{text}");
        }
        prop_assert!(text.contains("B-1"));
    }
}

#[test]
fn of_a_record_whose_holder_is_masked_nothing_is_said_of_mail_wallet_or_correction() {
    let revoked = Row { label: "Revoked", ..Row::default() }.held();
    for held in [Row::default().held(), Row { wallet: false, ..Row::default() }.held(), revoked] {
        let all = [held];
        let said = script(&CallCase { masked: true, by_id: true, both: false, ..case(&all[0], &all) });
        assert!(said.say[0].contains("Confirm neither name nor address"), "{said:?}");
        let told = format!("{} {}", said.say.join(" "), said.cannot).to_lowercase();
        for hidden in ["mail", "wallet", "letter by letter", "spelling"] {
            assert!(!told.contains(hidden), "{hidden}: {told}");
        }
    }
}

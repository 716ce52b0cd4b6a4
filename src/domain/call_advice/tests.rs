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

fn told(all: &[HeldBadge]) -> String {
    let Script { say, cannot, .. } = script(&case(&all[0], all));
    format!("{} CANNOT {cannot}", say.join(" "))
}

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

#[test]
fn a_third_party_hears_a_reason_without_names() {
    let badge: Badge = serde_json::from_value::<serde_json::Value>(serde_json::json!({
        "badge_id": "B-1", "status_name": "회수완료", "revoke_at": "2026-11-20 10:00:00", "revoke_reason": "중복",
    }))
    .ok()
    .and_then(|fields| crate::domain::ServiceRecord::read(fields.as_object()?).ok())
    .expect("a badge");
    let held =
        [HeldBadge { detail: Some(Box::new(badge)), ..HeldBadge::new(BadgeId::new("B-1").expect("an id")) }];
    let said = |by_id| script(&CallCase { by_id, masked: by_id, ..case(&held[0], &held) }).say.join(" ");
    assert!(said(false).contains("word for word"), "{}", said(false));
    assert!(said(true).contains("no names and no addresses"), "{}", said(true));
    assert!(!said(true).contains("word for word"), "{}", said(true));
}

#[test]
fn a_badge_without_a_time_of_acceptance_is_overdue_by_the_time_of_its_request() {
    let mut held = Row { label: "발급대기", mail: None, wallet: false, ..Row::default() }.held();
    held.history.as_mut().expect("a row").reg_date = None;
    let (overdue, waiting) = ([requested(&held, 26)], [requested(&held, 2)]);
    let (overdue, waiting) = (case(&overdue[0], &overdue), case(&waiting[0], &waiting));
    assert!(matches!(overdue.verdict(), Verdict::Overdue { .. }), "{:?}", overdue.verdict());
    assert!(script(&overdue).say[0].contains("time has passed"), "{:?}", script(&overdue));
    assert!(summary(&overdue, &script(&overdue)).contains("OVERDUE 26 h"));
    assert!(matches!(waiting.verdict(), Verdict::Waiting { since: None }), "{:?}", waiting.verdict());
    assert!(script(&waiting).say[0].contains("It was requested on"), "{:?}", script(&waiting));
}

#[test]
fn what_waits_has_its_deadline_and_what_is_overdue_is_passed_on() {
    let waiting =
        |accepted| Row { label: "발급대기", accepted, mail: None, wallet: false, ..Row::default() }.held();
    let said = told(&[waiting("2026-11-21 09:18:00")]);
    assert!(said.contains("accepted today at 09:18"), "{said}");
    assert!(!said.contains("tomorrow"), "no time is promised: {said}");
    assert!(said.contains("CANNOT speed it up"), "{said}");
    let said = told(&[waiting("2026-11-20 23:00:00")]);
    assert!(said.contains("yesterday at 23:00") && !said.contains("today"), "{said}");
    let all = [waiting("2026-11-21 09:18:00")];
    let said = script(&CallCase { zone_known: false, ..case(&all[0], &all) }).say.join(" ");
    assert!(said.contains("not certain") && !said.contains("2026-11-22"), "no time is promised: {said}");
    let said = told(&[waiting("2026-11-20 03:00:00")]);
    assert!(said.contains("by 2026-11-21 03:00") && said.contains("help desk"), "{said}");
    assert!(!said.contains("24 hours"), "{said}");
}

#[test]
fn a_mail_that_was_sent_is_not_said_to_have_arrived() {
    let said = told(&[Row::default().held()]);
    assert!(said.contains("exactly this address") && said.contains("letter by letter"), "{said}");
    assert!(said.contains("CANNOT mail it again, prove delivery"), "{said}");
    let email = "chaewon@strictgate.example";
    let said = told(&[Row { mail: Some("FAIL"), email, ..Row::default() }.held()]);
    assert!(said.contains("“FAIL”") && said.contains("others at strictgate.example"), "{said}");
    let said = told(&[Row { mail: Some("FAIL"), email: "eunwoo@gmial.example", ..Row::default() }.held()]);
    assert!(said.contains("Did they mean gmail.example?"), "{said}");
    let said = told(&[Row { mail: None, ..Row::default() }.held()]);
    assert!(said.contains("There is no mail status."), "{said}");
}

#[test]
fn who_says_revoked_is_given_the_copy_that_counts() {
    let valid = || Row { id: "B-2", ..Row::default() }.held();
    let both = [revoked("B-1", "2026-11-19 09:00:00"), valid()];
    let said = told(&both);
    assert!(said.contains("badge id B-2, issued 2026-11-20 09:00"), "{said}");
    assert!(said.contains("does not show it: a revocation is recorded"), "{said}");
    let said = told(&[both[1].clone(), both[0].clone()]);
    assert!(said.contains("Copy B-1 is revoked"), "{said}");
    // A valid copy under another name at the same address belongs to another person.
    let said = told(&[
        revoked("B-1", "2026-11-19 09:00:00"),
        Row { id: "B-2", name: "임하늘", ..Row::default() }.held(),
    ]);
    assert!(!said.contains("B-2"), "{said}");
}

#[test]
fn a_name_that_is_written_in_two_ways_is_one_person() {
    let in_pieces = "\u{1112}\u{1161}\u{11ab}\u{1109}\u{1165}\u{110b}\u{1172}\u{11ab}";
    for name in [in_pieces, "한 서윤"] {
        let valid = Row { id: "B-2", name, ..Row::default() }.held();
        let all = [revoked("B-1", "2026-11-19 09:00:00"), valid];
        let said = told(&all);
        assert!(said.contains("badge id B-2") && !said.contains("names share"), "{said}");
        let case = CallCase { question: Some(CallerQuestion::Revoked), ..case(&all[1], &all) };
        assert!(script(&case).say.join(" ").contains("Revoked badges in this list"));
        let text = summary(&case, &Script { say: vec![name.to_owned()], ..Script::default() });
        assert!(!text.contains(name), "each spelling is masked: {text}");
    }
}

#[test]
fn who_has_a_new_badge_coming_is_not_sent_for_another_one() {
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
    for old in [ended(), revoked("B-1", "2026-11-19 09:00:00")] {
        for (new, words) in [
            (waiting("2026-11-21 09:18:00"), "(id B-2) was accepted and waits"),
            (waiting("2026-11-19 09:18:00"), "(id B-2) was accepted and waits"),
            (not_yet(), "(id B-2) is issued and valid from 2026-12-01"),
        ] {
            let all = [old.clone(), new];
            let said = told(&all);
            assert!(said.contains(words) && !said.contains("Transfer the call"), "{said}");
            let twice = CallCase { question: Some(CallerQuestion::Twice), ..case(&all[0], &all) };
            let said = script(&twice).say.join(" ");
            assert!(said.contains(words) && said.contains("no second valid badge"), "{said}");
        }
        let other = Row { id: "B-2", label: "발급대기", name: "임하늘", ..Row::default() }.held();
        assert!(told(&[old, other]).contains("Transfer the call"), "another person's");
    }
}

#[test]
fn of_a_waiting_badge_whose_revocation_is_planned_nobody_promises_anything() {
    let waiting =
        Row { label: "발급대기", accepted: "2026-11-21 09:18:00", mail: None, ..Row::default() };
    let planned = HeldBadge { to_revoke: Some(2), ..waiting.held() };
    assert_eq!(planned.verdict(NOW).state(), State::Waiting);
    assert!(planned.verdict(NOW).line().1.contains("job 2"), "{:?}", planned.verdict(NOW));
    // Also where its record has no acceptance time, or nobody but the journal knows it.
    let own = HeldBadge { sent: Some("title".into()), ..HeldBadge::new(planned.badge_id.clone()) };
    for planned in [planned.clone(), requested(&HeldBadge { to_revoke: Some(2), ..own }, 30)] {
        let all = [planned];
        for question in [None, Some(CallerQuestion::When), Some(CallerQuestion::NoMail)] {
            let said = script(&CallCase { question, ..case(&all[0], &all) }).say.join(" ");
            assert!(said.contains("job 2 revokes it as soon as it is issued"), "{said}");
            assert!(!said.contains("waits to be issued") && !said.contains("usually"), "{said}");
        }
        let wrong = CallCase { question: Some(CallerQuestion::WrongName), ..case(&all[0], &all) };
        let said = script(&wrong).say.join(" ");
        assert!(said.contains("Job 2 revokes this badge") && !said.contains("revoke this one"), "{said}");
    }
    // It is no new badge for somebody whose badge was revoked.
    let all = [revoked("B-2", "2026-11-19 09:00:00"), planned];
    assert!(told(&all).contains("Transfer the call"), "{}", told(&all));
}

#[test]
fn a_badge_that_only_the_journal_knows_may_be_the_second_one() {
    let valid = Row::default().held();
    let title = valid.title().cloned();
    let own = HeldBadge { sent: title, ..HeldBadge::new(BadgeId::new("B-2").expect("an id")) };
    let other = HeldBadge { sent: Some("other".into()), ..own.clone() };
    let twice = |all: &[HeldBadge], at: usize| {
        let question = Some(CallerQuestion::Twice);
        script(&CallCase { question, ..case(&all[at], all) }).say.join(" ")
    };
    let all = [valid.clone(), own.clone()];
    for (at, words) in [(0, "another badge with this title to this address (id B-2)"), (1, "Badge B-1 has")] {
        let said = twice(&all, at);
        assert!(said.contains(words) && !said.contains("no second valid badge"), "{said}");
    }
    assert!(twice(&[valid, other], 0).contains("no second valid badge"), "another title");
    let ended = told(&[revoked("B-1", "2026-11-19 09:00:00"), own]);
    assert!(ended.contains("(id B-2)") && !ended.contains("Transfer the call"), "{ended}");
}

#[test]
fn who_says_revoked_or_expired_of_a_valid_badge_is_asked_which_one_they_mean() {
    let valid = || Row { id: "B-2", ..Row::default() }.held();
    let ended = Row { id: "B-3", until: Some("2026-11-09"), ..Row::default() }.held();
    let answer = |all: &[HeldBadge], question| {
        script(&CallCase { question: Some(question), ..case(&all[0], all) }).say.join(" ")
    };
    let all = [valid(), revoked("B-1", "2026-11-19 09:00:00"), ended];
    let said = answer(&all, CallerQuestion::Revoked);
    assert!(said.contains("It is not revoked. The record says: VALID"), "{said}");
    assert!(said.contains("Revoked badges in this list: 파이썬 데이터 분석 수료. Select"), "{said}");
    let said = answer(&all, CallerQuestion::Expired);
    assert!(said.contains("It has not expired.") && said.contains("Expired badges in this list: "), "{said}");
    // The advice does not mention another name at this address.
    let other = Row { id: "B-1", name: "임하늘", label: "회수완료", wallet: false, ..Row::default() }.held();
    let said = answer(&[valid(), other], CallerQuestion::Revoked);
    assert!(said.contains("It is not revoked.") && !said.contains("in this list"), "{said}");
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

#[test]
fn a_reason_is_only_read_out_where_it_was_read() {
    let mut held = revoked("B-1", "2026-11-19 09:00:00");
    assert!(told(&[held.clone()]).contains("which lapel has not read"));
    let history = held.history.clone().expect("a row");
    let mut detail = Badge {
        cert_no: Some("DMU-1".into()),
        status_name: history.status_name,
        issued_at: history.issued_at,
        revoke_at: history.revoke_at,
        ..record(&held)
    };
    held.detail = Some(Box::new(detail.clone()));
    assert!(told(&[held.clone()]).contains("The record gives no reason"));
    detail.revoke_reason = Some("응시 부정행위 확인".into());
    held.detail = Some(Box::new(detail));
    assert!(told(&[held.clone()]).contains("Read out the whole reason"));
    assert!(held.verdict(NOW).line().1.contains("응시 부정행위 확인"));
    assert!(told(&[held]).contains("CANNOT undo a revocation"));
}

#[test]
fn what_ended_is_renewed_or_has_a_newer_copy() {
    let ended =
        |id, until| Row { id, until: Some(until), accepted: "2026-08-09 09:00:00", ..Row::default() }.held();
    let said = told(&[ended("B-1", "2026-11-09 10:00:00")]);
    assert!(
        said.contains("expired on 2026-11-09 10:00") && said.contains("renewal is a new badge"),
        "{said}"
    );
    assert!(!said.contains("last day counts") && said.contains("CANNOT extend it"), "{said}");
    let said = told(&[ended("B-1", "2026-11-20")]);
    assert!(said.contains("last day counts"), "{said}");
    let said = told(&[ended("B-1", "2026-11-09 10:00:00"), Row { id: "B-2", ..Row::default() }.held()]);
    assert!(said.contains("newer copy is valid: badge id B-2"), "{said}");
}

#[test]
fn two_valid_copies_are_counted_and_the_newer_one_named() {
    let older = Row::default().held();
    let newer = Row { id: "B-2", accepted: "2026-11-20 10:00:00", ..Row::default() }.held();
    let said = told(&[older.clone(), newer.clone()]);
    assert!(said.contains("They have 2 valid copies") && said.contains("B-2 is the newest"), "{said}");
    assert!(told(&[newer.clone(), older.clone()]).contains("this is the newest"));
    // When two copies were accepted in the same second, or a time is missing, neither is called the newest.
    let twin = Row { id: "B-3", accepted: "2026-11-20 10:00:00", ..Row::default() }.held();
    for (one, other) in [(&newer, &twin), (&twin, &newer)] {
        assert!(told(&[one.clone(), other.clone()]).contains("the newest copy is not known"));
    }
    let third = told(&[
        older.clone(),
        newer,
        Row { id: "B-4", accepted: "2026-11-20 11:00:00", ..Row::default() }.held(),
    ]);
    assert!(third.contains("They have 3 valid copies") && third.contains("B-4 is the newest"), "{third}");
    let undated = Row { id: "B-5", accepted: "soon", ..Row::default() }.held();
    assert!(told(&[older, undated]).contains("the newest copy is not known"));
}

#[test]
fn the_badge_of_another_person_at_the_address_is_no_second_one() {
    let all = [Row::default().held(), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
    let case = CallCase { question: Some(CallerQuestion::Twice), ..case(&all[0], &all) };
    let said = script(&case).say.join(" ");
    assert!(said.contains("Under this name, this e-mail address has no second valid badge"), "{said}");
}

#[test]
fn of_a_wallet_that_was_not_read_it_is_not_said_what_it_shows() {
    let all = [Row { wallet: false, ..Row::default() }.held()];
    let asked = |both| {
        let question = Some(CallerQuestion::NotInWallet);
        script(&CallCase { both, question, ..case(&all[0], &all) }).say.join(" ")
    };
    assert!(asked(false).contains("cannot say whether the wallet shows this badge"), "{}", asked(false));
    assert!(!asked(false).contains("Mail was sent"), "{}", asked(false));
    assert!(asked(true).contains("in the history but not in the wallet"), "{}", asked(true));
    let question = Some(CallerQuestion::NotInWallet);
    let unfinished = CallCase { both: false, unfinished: true, question, ..case(&all[0], &all) };
    let said = script(&unfinished).say.join(" ");
    assert!(said.contains("Read more of it first") && !said.contains("Read it again"), "{said}");
}

#[test]
fn of_a_wallet_that_was_read_whole_before_a_failed_refresh_it_is_said_when() {
    let whole_as_of = NOW.checked_sub(2.hours()).ok();
    let said = |all: &[HeldBadge], question| {
        script(&CallCase { both: false, whole_as_of, question, ..case(&all[0], all) }).say.join(" ")
    };
    let one = [Row { wallet: false, ..Row::default() }.held()];
    let in_wallet = said(&one, Some(CallerQuestion::NotInWallet));
    assert!(in_wallet.contains("the wallet did not show this badge"), "{in_wallet}");
    let twice = said(&one, Some(CallerQuestion::Twice));
    assert!(twice.contains("had no second valid badge of this kind"), "{twice}");
    let copies = [Row::default().held(), Row { id: "B-2", ..Row::default() }.held()];
    let copies = said(&copies, None);
    assert!(copies.contains("they had 2 valid copies"), "{copies}");
    let expired = Row { until: Some("2026-11-09"), accepted: "2026-08-09 09:00:00", ..Row::default() };
    let [second, third] = ["B-2", "B-3"].map(|id| Row { id, ..Row::default() }.held());
    let others = said(&[expired.held(), second, third], Some(CallerQuestion::Twice));
    assert!(others.contains("had 2 valid badges of this kind"), "{others}");
    for said in [in_wallet, twice, copies, others] {
        assert!(said.contains("As of 20") && !said.contains("could be read"), "{said}");
        assert!(!said.contains("not all badges were read"), "{said}");
    }
}

#[test]
fn a_name_that_is_nearly_another_one_at_the_address_may_be_misspelt() {
    let named = |id, name| Row { id, name, ..Row::default() }.held();
    let alike = [named("B-1", "서다안"), named("B-2", "서다인")];
    for question in [None, Some(CallerQuestion::WrongName), Some(CallerQuestion::NotMine)] {
        let said = script(&CallCase { question, ..case(&alike[0], &alike) }).say.join(" ");
        assert!(said.contains("2 names share") && said.contains("may be misspelt"), "{said}");
        assert!(!said.contains("is not an error"), "{said}");
    }
    let others = [named("B-1", "서다안"), named("B-2", "임하늘")];
    assert!(told(&others).contains("is not an error"), "{}", told(&others));
    let wrong = CallCase { question: Some(CallerQuestion::WrongName), ..case(&others[0], &others) };
    let said = script(&wrong).say.join(" ");
    assert!(said.contains("2 names share") && !said.contains("is not an error"), "{said}");
}

#[test]
fn a_second_copy_that_is_revoked_is_no_second_valid_badge() {
    let all = [Row { id: "B-2", ..Row::default() }.held(), revoked("B-1", "2026-11-19 09:00:00")];
    let case = CallCase { question: Some(CallerQuestion::Twice), ..case(&all[0], &all) };
    let said = script(&case).say.join(" ");
    assert!(said.contains("no second valid badge") && said.contains("Copy B-1 is revoked"), "{said}");
}

/// A copy whose revocation is under way.
fn revoking(id: &'static str) -> HeldBadge {
    Row { id, label: "회수중", revoked: Some("2026-11-20 10:00:00"), wallet: false, ..Row::default() }.held()
}

#[test]
fn a_copy_that_is_being_revoked_is_not_said_to_be_revoked() {
    let valid = || Row { id: "B-9", ..Row::default() }.held();
    let gone = |id| revoked(id, "2026-11-19 09:00:00");
    for (copies, words, never) in [
        (vec![revoking("B-1")], "Copy B-1 is being revoked. \u{201c}Revoked\u{201d} refers", "is revoked."),
        (vec![revoking("B-1"), gone("B-2")], "Copy B-2 is revoked.", "Copy B-1"),
        (vec![revoking("B-1"), gone("B-2")], "1 other copy is being revoked.", "other copy is revoked"),
        (vec![gone("B-1"), gone("B-2"), gone("B-3")], "2 other copies are revoked.", "being revoked"),
        (vec![revoking("B-1"), revoking("B-2")], "1 other copy is being revoked.", "is revoked."),
        (vec![gone("B-1")], "Copy B-1 is revoked.", "other cop"),
    ] {
        let all: Vec<HeldBadge> = [valid()].into_iter().chain(copies).collect();
        let case = case(&all[0], &all);
        let text = summary(&case, &script(&case));
        for said in [told(&all), text] {
            assert!(said.contains(words) && !said.contains(never), "{said}");
        }
    }
}

#[test]
fn a_badge_that_is_being_revoked_is_not_said_to_be_revoked() {
    let all = [revoking("B-1"), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
    let said = |question| {
        let case = CallCase { question, ..case(&all[0], &all) };
        let told = script(&case);
        summary(&case, &told) + &told.say.join(" ")
    };
    for (question, words) in [
        (None, "It is being revoked."),
        (Some(CallerQuestion::WrongName), "This badge is being revoked already. Ask for the right name"),
        (Some(CallerQuestion::WrongEmail), "This badge is being revoked already. Ask for the right e-mail"),
    ] {
        let said = said(question);
        assert!(said.contains(words) && !said.contains("no longer valid"), "{said}");
        assert!(said.contains("revocation 2026-11-20 10:00") && !said.contains("revoked 2026"), "{said}");
    }
    let all = [Row { id: "B-2", ..Row::default() }.held(), revoking("B-1")];
    let asked = CallCase { question: Some(CallerQuestion::Revoked), ..case(&all[0], &all) };
    let said = script(&asked).say.join(" ");
    assert!(said.contains("Badges in this list that are revoked or being revoked: "), "{said}");
}

#[test]
fn what_the_caller_asks_for_is_first_of_what_is_not_possible() {
    let cannot = |held: &HeldBadge, question| {
        let all = [held.clone()];
        script(&CallCase { question, ..case(&all[0], &all) }).cannot
    };
    let valid = Row::default().held();
    let waiting = Row { label: "발급대기", mail: None, wallet: false, ..Row::default() }.held();
    let as_it_stands = cannot(&valid, None);
    assert_eq!(as_it_stands, "mail it again, prove delivery, edit it, move it elsewhere");
    for (question, first) in [
        (CallerQuestion::NoMail, "mail it again, prove delivery"),
        (CallerQuestion::NotInWallet, "move it elsewhere"),
        (CallerQuestion::When, "mail it again"),
        (CallerQuestion::WrongName, "edit it"),
        (CallerQuestion::WrongEmail, "move it elsewhere, edit it"),
        (CallerQuestion::Expired, "extend it"),
        (CallerQuestion::Revoked, "undo a revocation"),
        (CallerQuestion::Twice, "undo a revocation"),
        (CallerQuestion::NotMine, "move it elsewhere"),
        (CallerQuestion::Real, "verify its signature"),
        (CallerQuestion::Picture, "change its pictures"),
    ] {
        let said = cannot(&valid, Some(question));
        assert!(said.starts_with(first), "{question:?}: {said}");
        for one in as_it_stands.split(", ") {
            assert_eq!(said.matches(one).count(), 1, "{question:?}: {said}");
        }
    }
    for (question, first) in [
        (CallerQuestion::When, "promise a time, speed it up"),
        (CallerQuestion::WrongName, "edit it, revoke it before it is issued"),
    ] {
        let said = cannot(&waiting, Some(question));
        assert!(said.starts_with(first), "{question:?}: {said}");
    }
    let all = [valid];
    let real = CallCase { by_id: true, question: Some(CallerQuestion::Real), ..case(&all[0], &all) };
    assert_eq!(script(&real).cannot.matches("signature").count(), 1);
}

#[test]
fn a_renewal_is_no_duplicate_of_the_badges_that_have_expired() {
    let ended = |id| Row { id, until: Some("2026-11-09"), ..Row::default() }.held();
    let twice = |all: &[HeldBadge], at: usize| {
        let question = Some(CallerQuestion::Twice);
        script(&CallCase { question, ..case(&all[at], all) }).say.join(" ")
    };
    let all = [Row::default().held(), ended("B-2"), ended("B-3")];
    for at in [0, 1] {
        let said = twice(&all, at);
        assert!(said.contains("no second valid badge"), "{said}");
        assert!(said.contains("2 copies have expired: a renewal is a new badge"), "{said}");
    }
    for alone in [Row::default().held(), ended("B-2")] {
        assert!(!twice(&[alone], 0).contains("renewal"), "no copy");
    }
}

#[test]
fn a_badge_that_only_the_journal_knows_waits_from_its_request() {
    let own = HeldBadge {
        sent: Some("파이썬 데이터 분석 수료".into()),
        ..HeldBadge::new(BadgeId::new("B-1").expect("an id"))
    };
    let (all, overdue) = ([requested(&own, 1)], [requested(&own, 30)]);
    let overdue = case(&overdue[0], &overdue);
    let asked = case(&all[0], &all);
    let fresh = script(&asked);
    assert_eq!(asked.verdict().state(), State::Waiting);
    assert!(fresh.say[0].starts_with("It was requested on"), "{fresh:?}");
    assert!(fresh.why[0].starts_with("requested ") && fresh.why[0].contains("60 min ago"), "{fresh:?}");
    assert!(fresh.cannot.contains("promise a time"), "{fresh:?}");
    assert_eq!(overdue.verdict().line().0, "OVERDUE 30 h");
    assert_eq!(all[0].title().map(Text::wire), Some("파이썬 데이터 분석 수료"));
    // Nothing is known of what could not be read.
    let unread = [HeldBadge { unread: true, ..overdue.held.clone() }];
    for question in [None, Some(CallerQuestion::NotInWallet), Some(CallerQuestion::When)] {
        let unread = CallCase { both: false, question, ..case(&unread[0], &unread) };
        assert_eq!(unread.verdict().line().0, "UNKNOWN");
        let said = script(&unread).say.join(" ");
        assert!(said.contains("it may be issued by now") && !said.contains("help desk"), "{said}");
    }
    for (question, words) in [
        (CallerQuestion::Real, "Confirm nothing to an employer"),
        (CallerQuestion::Picture, "no pictures to open before it is issued"),
    ] {
        let said = script(&CallCase { question: Some(question), ..asked }).say.join(" ");
        assert!(said.contains(words) && !said.contains("record says"), "{said}");
    }
    let alone = CallCase { both: false, asked: "", question: Some(CallerQuestion::Twice), ..asked };
    let said = script(&alone).say.join(" ");
    assert!(said.contains("Only this badge was looked up") && !said.contains("could be read"), "{said}");
    // Its record says more.
    let masked = CallCase { masked: true, by_id: true, both: false, ..overdue };
    assert!(script(&masked).say.join(" ").contains("time has passed"), "{:?}", script(&masked));
}

#[test]
fn a_mail_status_that_was_not_read_is_not_reported_as_missing() {
    let only_wallet = [HeldBadge { history: None, ..Row::default().held() }];
    let case = CallCase { both: false, ..case(&only_wallet[0], &only_wallet) };
    let said = script(&case);
    assert!(said.say.join(" ").contains("has not read the mail status"), "{said:?}");
    let text = summary(&case, &said);
    assert!(text.contains("Mail: not read") && !text.contains("no status"), "{text}");
}

#[test]
fn strangers_namesakes_and_shared_mailboxes_come_first() {
    let all = [Row::default().held(), Row { id: "B-2", name: "임하늘", ..Row::default() }.held()];
    let said = script(&CallCase { namesakes: 2, by_id: true, ..case(&all[0], &all) });
    assert!(said.say[0].contains("2 names share this e-mail address"), "{said:?}");
    assert!(said.say[1].contains("may be different people"), "{said:?}");
    assert!(said.say[2].contains("Confirm neither name nor address"), "{said:?}");
    assert!(!said.cannot.contains("certificate number"), "{said:?}");
}

#[test]
fn what_one_list_lacks_is_explained_only_where_both_were_read() {
    let hidden = [Row { wallet: false, email: "Seoyun.Han@naru.example", ..Row::default() }.held()];
    assert!(told(&hidden).contains("another spelling"));
    let said = script(&CallCase { both: false, ..case(&hidden[0], &hidden) });
    assert!(!said.say.join(" ").contains("another spelling"), "{said:?}");
    let foreign = [HeldBadge { history: None, ..Row::default().held() }];
    assert!(told(&foreign).contains("another organisation's"));
}

#[test]
fn an_own_badge_that_the_history_lacks_is_not_said_to_be_another_organisations() {
    let only_wallet = |label| HeldBadge { history: None, ..Row { label, ..Row::default() }.held() };
    let place = |all: &[HeldBadge], organisation| {
        script(&CallCase { organisation, ..case(&all[0], all) }).say.join(" ")
    };
    let said = place(&[only_wallet("발급대기")], "");
    assert!(said.contains("time has passed") && !said.contains("history"), "{said}");
    for (all, organisation) in [
        (vec![only_wallet("발급완료")], "연습용 기관"),
        (vec![only_wallet("발급완료"), Row { id: "B-2", ..Row::default() }.held()], ""),
    ] {
        let said = place(&all, organisation);
        assert!(said.contains("did not find it in the history") && !said.contains("organisation"), "{said}");
    }
    let said = place(&[only_wallet("발급완료")], "달무리대학교");
    assert!(said.contains("may be another organisation's"), "{said}");
    let mut in_capitals = only_wallet("발급완료");
    let mut badge = record(&in_capitals);
    badge.recipient_email = Some("SEOYUN.HAN@naru.example".into());
    in_capitals.detail = Some(Box::new(badge));
    let said = place(&[in_capitals], "");
    assert!(said.contains("Look up that spelling") && !said.contains("organisation"), "{said}");
}

#[test]
fn who_misses_an_ended_badge_first_hears_how_it_stands() {
    let gone = Row { label: "회수완료", revoked: Some("2026-11-20 10:00:00"), ..Row::default() }.held();
    let ended = Row { until: Some("2026-11-09"), ..Row::default() }.held();
    for (held, first) in [(gone, "no longer valid"), (ended, "It expired on")] {
        let all = [held];
        let case = CallCase { question: Some(CallerQuestion::NotInWallet), ..case(&all[0], &all) };
        let said = script(&case).say;
        assert!(said[0].contains(first), "{said:?}");
        assert!(said.last().is_some_and(|last| last.contains("It is in the wallet")), "{said:?}");
    }
}

#[test]
fn what_only_the_wallet_knows_counts_too() {
    let mut held = Row::default().held();
    held.wallet.as_mut().expect("in the wallet").valid_from = ServiceTime::new("2026-12-01");
    assert_eq!(held.verdict(NOW).line().0, "NOT YET VALID");
    let said = told(&[held]);
    assert!(said.contains("valid from 2026-12-01"), "{said}");
}

#[test]
fn a_word_that_nobody_knows_promises_nothing() {
    let said = told(&[Row { label: "발급보류", ..Row::default() }.held()]);
    assert!(
        said.contains("Promise nothing") && said.contains("CANNOT explain the service's own word"),
        "{said}"
    );
}

#[test]
fn a_summary_tells_the_badge_and_hides_the_person() {
    let all = [Row { mail: Some("FAIL"), ..Row::default() }.held()];
    let case = case(&all[0], &all);
    let text = summary(&case, &script(&case));
    for told in [
        "Badge B-1: VALID, no end date",
        "파이썬 데이터 분석 수료",
        "Holder: 한***, s***@naru.example",
        "Mail: FAIL (the service's word)",
        "accepted 2026-11-20 09:00 (25 h ago)",
        "- The service's word for the mail is",
        "Not possible: mail it again",
    ] {
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

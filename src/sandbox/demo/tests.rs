use std::collections::{HashMap, HashSet};

use super::catalogue::templates;
use super::people::DemoHolder;
use super::stories::DemoRow;
use super::{DemoHistory, NEVER, valid_until};

const ZONE: i32 = 9 * 3600;
/// 2026-03-11 10:30 in the zone of the service.
const NOW: i64 = 1_773_192_600;
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

struct Demo {
    people: Vec<DemoHolder>,
    rows: Vec<DemoRow>,
}

impl Demo {
    fn new(seed: u64, count: u64) -> Self {
        let plan = DemoHistory::plan(seed, NOW, ZONE, count);
        let people = plan.holders.clone();
        let mut rows = Vec::new();
        plan.each(|row| {
            rows.push(row);
            Ok::<(), ()>(())
        })
        .unwrap();
        Self { people, rows }
    }

    fn of(&self, mail: &str) -> Vec<&DemoRow> {
        self.rows.iter().filter(|row| self.people[row.holder].mail == mail).collect()
    }

    fn share(&self, which: impl Fn(&DemoRow) -> bool) -> f64 {
        100.0 * self.rows.iter().filter(|row| which(row)).count() as f64 / self.rows.len() as f64
    }
}

fn waiting(row: &DemoRow) -> bool {
    row.issue_at > NOW
}

fn revoked(row: &DemoRow) -> bool {
    row.revoke.is_some_and(|(_, done, _)| done <= NOW)
}

fn ends(row: &DemoRow) -> Option<i64> {
    row.until.or_else(|| valid_until(&templates()[row.template], row.issue_at, NOW, ZONE))
}

fn expired(row: &DemoRow) -> bool {
    ends(row).is_some_and(|until| until < NOW)
}

#[test]
fn there_are_620_holders_and_exactly_as_many_rows_as_asked_for() {
    let demo = Demo::new(1, 4300);
    assert_eq!((demo.people.len(), demo.rows.len()), (620, 4300));
    assert!(demo.rows.is_sorted_by_key(|row| row.reg_at), "first accepted first");
    assert!(demo.rows.iter().all(|row| row.reg_at < NOW && row.reg_at > NOW - 542 * DAY));
    for count in [0, 1, 40, 300, 1000] {
        assert_eq!(Demo::new(1, count).rows.len() as u64, count);
    }
}

#[test]
fn the_states_are_spread_as_in_the_plan() {
    for seed in [1, 2, 77] {
        let demo = Demo::new(seed, 4300);
        let near = |share: f64, wanted: f64, within: f64, what: &str| {
            assert!((share - wanted).abs() <= within, "seed {seed}: {what} {share:.2} %");
        };
        let alive = |row: &DemoRow| !waiting(row) && row.revoke.is_none() && row.label.is_none();
        near(demo.share(|row| alive(row) && !expired(row)), 75.5, 3.0, "valid");
        near(demo.share(|row| alive(row) && expired(row)), 13.0, 2.0, "expired");
        near(demo.share(waiting), 4.0, 0.2, "waiting");
        near(demo.share(revoked), 6.0, 0.8, "revoked");
        near(demo.share(|row| row.label.is_some()), 0.3, 0.05, "unknown label");
        near(demo.share(|row| !waiting(row) && row.mail == "SENT"), 92.0, 2.5, "mail sent");
        let revoking = demo.rows.iter().filter(|row| row.revoke.is_some() && !revoked(row)).count();
        assert_eq!(revoking, 8);
    }
}

#[test]
fn waiting_badges_are_fresh_or_hours_old_or_overdue() {
    let demo = Demo::new(1, 4300);
    let count =
        |which: &dyn Fn(&DemoRow) -> bool| demo.rows.iter().filter(|row| waiting(row) && which(row)).count();
    assert_eq!(count(&|row| row.reg_at == NOW - 4 * MINUTE), 96);
    assert_eq!(count(&|row| row.reg_at == NOW - 3 * HOUR), 41);
    assert_eq!(count(&|row| row.reg_at < NOW - DAY), 4, "overdue");
    assert_eq!(count(&|_| true), 172);
    for row in demo.rows.iter().filter(|row| row.issue_at != NEVER) {
        let took = row.issue_at - row.reg_at;
        assert!((300..=DAY).contains(&took), "issuing took {took} s");
    }
    assert_eq!(demo.rows.iter().filter(|row| row.issue_at == NEVER).count(), 4);
}

#[test]
fn revocations_come_after_issuing_and_have_nine_reasons() {
    let demo = Demo::new(1, 4300);
    let mut reasons = HashSet::new();
    for row in &demo.rows {
        if let Some((asked, done, reason)) = row.revoke {
            reasons.insert(reason);
            assert!(row.issue_at <= asked && asked <= NOW && asked < done, "{row:?}");
        }
    }
    assert_eq!(reasons.len(), 9);
}

#[test]
fn a_company_gateway_swallows_43_of_45_mails() {
    let demo = Demo::new(1, 4300);
    let rows: Vec<_> = demo
        .rows
        .iter()
        .filter(|row| demo.people[row.holder].mail.ends_with("@strictgate.example"))
        .collect();
    assert_eq!(rows.len(), 45);
    assert_eq!(rows.iter().filter(|row| row.mail != "SENT").count(), 43);
    assert!(rows.iter().all(|row| !waiting(row)));
}

#[test]
fn a_batch_was_sent_twice_by_accident() {
    let demo = Demo::new(1, 4300);
    let mut copies: HashMap<usize, Vec<&DemoRow>> = HashMap::new();
    for row in demo.rows.iter().filter(|row| {
        row.template == 14 && (NOW - row.reg_at) / DAY == 39 || {
            row.template == 14 && row.reg_at == NOW - 40 * DAY
        }
    }) {
        copies.entry(row.holder).or_default().push(row);
    }
    let twice: Vec<_> = copies.values().filter(|rows| rows.len() == 2).collect();
    assert_eq!(twice.len(), 38);
    for rows in twice {
        assert!(rows[0].revoke.is_none());
        assert_eq!(rows[1].revoke.map(|(_, _, reason)| reason), Some("중복 발급"));
    }
}

#[test]
fn a_ceremony_and_a_back_office_badge_are_there() {
    let demo = Demo::new(1, 4300);
    let mut same: HashMap<(usize, i64), usize> = HashMap::new();
    for row in &demo.rows {
        *same.entry((row.template, row.reg_at)).or_default() += 1;
    }
    assert_eq!(same.values().max(), Some(&480));
    assert_eq!(demo.rows.iter().filter(|row| !row.internal).count(), 1);
}

#[test]
fn the_crowd_has_shared_mailboxes_namesakes_and_odd_addresses() {
    let demo = Demo::new(1, 4300);
    let mut names: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut mails: HashMap<&str, HashSet<&str>> = HashMap::new();
    for one in &demo.people {
        names.entry(&one.mail).or_default().insert(&one.name);
        mails.entry(&one.name).or_default().insert(&one.mail);
    }
    // Nine shared mailboxes, and the address of the person whose name was mistyped.
    assert_eq!(names.values().filter(|names| names.len() > 1).count(), 10);
    assert!(mails.values().filter(|mails| mails.len() > 1).count() >= 12);
    assert_eq!(demo.people.iter().filter(|one| one.mail.chars().any(char::is_uppercase)).count(), 25);
    assert_eq!(demo.people.iter().filter(|one| one.mail.contains('+')).count(), 15);
    assert!(demo.people.iter().any(|one| one.mail.ends_with("@예시.example")));
    for one in &demo.people {
        let domain = one.mail.rsplit('@').next().unwrap();
        assert!(domain.ends_with(".example") || domain.starts_with("example."), "{}", one.mail);
    }
}

#[test]
fn every_story_has_its_holder() {
    for seed in [1, 5] {
        let demo = Demo::new(seed, 4300);
        let one = |mail: &str| match demo.of(mail)[..] {
            [row] => *row,
            ref rows => panic!("{mail}: {} rows", rows.len()),
        };
        let seoyun = one("seoyun.han@naru.example");
        assert!(waiting(&seoyun) && seoyun.reg_at == NOW - 42 * MINUTE);
        let jiho = one("jiho.oh@naru.example");
        assert!(waiting(&jiho) && jiho.reg_at == NOW - 31 * HOUR);
        let chaewon = one("chaewon.moon@strictgate.example");
        assert!(!waiting(&chaewon) && chaewon.mail == "FAIL");
        assert!(!waiting(&one("hong.c@naru.example")));
        let eunwoo = one("eunwoo@gmial.example");
        assert!(!waiting(&eunwoo) && eunwoo.mail == "FAIL");
        assert_eq!(one("eunwoo@gmail.example").mail, "SENT");
        assert_eq!(ends(&one("lea@example.org")), Some(NOW - 12 * DAY));
        assert_eq!(ends(&one("min.ng@example.com")), Some(NOW + 9 * DAY));
        let names: HashSet<&str> = demo
            .of("dain.seo@naru.example")
            .iter()
            .map(|row| demo.people[row.holder].name.as_str())
            .collect();
        assert_eq!(names, HashSet::from(["서다인", "서다안"]));
        let taeo = one("taeo.yoon@bluewhale.example");
        assert_eq!(taeo.revoke.map(|(_, _, reason)| reason), Some("응시 부정행위 확인"));
        let haneul = demo.of("haneul.lim@example.net");
        assert_eq!(haneul.len(), 2);
        assert_eq!(haneul[0].revoke.map(|(_, _, reason)| reason), Some("중복 발급"));
        assert!(haneul[1].revoke.is_none() && haneul[0].template == haneul[1].template);
        let (a, b) = (one("minjun.kim@naru.example"), one("mj.kim@example.com"));
        assert_eq!(demo.people[a.holder].name, demo.people[b.holder].name);
        assert_eq!(a.reg_at, b.reg_at);
        let team: HashSet<&str> = demo
            .of("safety@moondeck.example")
            .iter()
            .map(|row| demo.people[row.holder].name.as_str())
            .collect();
        assert_eq!(team.len(), 14);
        for (mail, name) in [
            ("ahmet.yilmaz@example.org", "Ahmet Yılmaz"),
            ("xiaoming.wang@example.com", "王小明"),
            ("napha.srisuk@example.org", "นภา ศรีสุข"),
            ("ali.hassan@example.net", "علي حسن"),
            ("christopher.null@example.com", "Null, Christopher"),
        ] {
            assert_eq!(demo.people[one(mail).holder].name, name);
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_history() {
    let text = |seed| format!("{:?}", Demo::new(seed, 1500).rows);
    assert_eq!(text(9), text(9));
    assert_ne!(text(9), text(10));
}

#[test]
fn validity_ends_with_the_last_second_of_a_day_even_at_the_end_of_a_month() {
    let templates = templates();
    let issue = |day: &str| crate::sandbox::clock::read_day(day, ZONE).unwrap() + 13 * HOUR;
    let until = |number: usize, day: &str| {
        valid_until(&templates[number - 1], issue(day), NOW, ZONE)
            .map(|at| crate::sandbox::clock::stamp(at, ZONE))
    };
    assert_eq!(until(33, "2025-11-30").as_deref(), Some("2026-02-28 23:59:59"));
    assert_eq!(until(7, "2024-02-29").as_deref(), Some("2026-02-28 23:59:59"));
    assert_eq!(until(40, "2026-01-01").as_deref(), Some("2027-12-31 23:59:59"));
    assert_eq!(until(18, "2024-01-01").as_deref(), Some("2024-12-31 23:59:59"));
    assert_eq!(until(1, "2026-01-01"), None);
    assert_eq!(valid_until(&templates[32], NEVER, NOW, ZONE), None);
}

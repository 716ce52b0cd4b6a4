//! What the usual tasks cost a person: keys, screens and requests, counted. The twelve calls are in `support`.

use super::home::stopped;
use super::sending::to_review;
use super::*;
use crate::common::calls::CallCost;
use crate::common::texts::{msg, msg_part};
use std::fmt::Write;

/// A person at work. A paste is one key; letters that are typed into a field are counted apart.
struct Person {
    h: Harness,
    keys: usize,
    letters: usize,
    screens: usize,
    place: String,
    requests: u64,
}

/// What a task costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    keys: usize,
    letters: usize,
    screens: usize,
    /// At most: lapel may look once more at what it has sent.
    requests: u64,
}

impl Person {
    async fn new(options: Options) -> Self {
        Self::of(Harness::new(options, 120, 36).await).await
    }

    async fn of(mut h: Harness) -> Self {
        h.settled().await;
        let (place, requests) = (place(&h), all_requests(&h));
        Self { h, keys: 0, letters: 0, screens: 0, place, requests }
    }

    async fn looks(&mut self) -> String {
        let screen = self.h.settled().await;
        let now = place(&self.h);
        if now != self.place {
            self.screens += 1;
            self.place = now;
        }
        screen
    }

    async fn press(&mut self, keys: &str) -> String {
        for key in keys.split_whitespace() {
            self.h.press(key);
            self.keys += 1;
            self.looks().await;
        }
        self.looks().await
    }

    async fn paste(&mut self, text: &str) -> String {
        self.h.paste(text);
        self.keys += 1;
        self.looks().await
    }

    async fn types(&mut self, text: &str) -> String {
        self.h.type_text(text);
        self.letters += text.chars().count();
        self.looks().await
    }

    /// Waits for a text; what a person waits for costs nothing.
    async fn sees(&mut self, text: &str) -> String {
        self.h.shows(text).await;
        self.looks().await
    }

    /// Compares the cost since the last time with what is expected, and that with the documentation.
    fn costs(&mut self, task: &str, expected: Cost) {
        assert_eq!(documented(task), expected, "docs/habits.md, {task}");
        let requests = all_requests(&self.h);
        let cost = Cost {
            keys: std::mem::take(&mut self.keys),
            letters: std::mem::take(&mut self.letters),
            screens: std::mem::take(&mut self.screens),
            requests: requests - self.requests,
        };
        self.requests = requests;
        assert!(cost.requests <= expected.requests, "{cost:?}");
        assert_eq!(Cost { requests: expected.requests, ..cost }, expected, "{}", self.h.screen());
    }
}

/// The rows of a table in docs/habits.md: the first cell, and the numbers of now in the others.
fn rows(heading: &str) -> impl Iterator<Item = (&'static str, Vec<usize>)> + use<> {
    let page = include_str!("../../docs/habits.md");
    let section = page.split(heading).nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let name = cells.next()?;
        let now = |cell: &str| cell.split_once('→')?.1.trim_matches([' ', '|']).replace(',', "").parse().ok();
        let numbers: Vec<usize> = cells.filter_map(now).collect();
        (!numbers.is_empty()).then_some((name, numbers))
    })
}

/// The tasks, and what each costs now.
fn table() -> Vec<(&'static str, Cost)> {
    let cost = |(name, numbers): (_, Vec<usize>)| match numbers[..] {
        [keys, letters, screens, requests] => {
            (name, Cost { keys, letters, screens, requests: requests as u64 })
        }
        _ => panic!("{name}: {numbers:?}"),
    };
    rows("\n## Cost of the usual tasks\n").map(cost).collect()
}

/// The twelve calls, and what each costs now.
pub fn documented_calls() -> Vec<CallCost> {
    let cost = |(asks, numbers): (_, Vec<usize>)| match numbers[..] {
        [keys, requests] => CallCost { asks, keys, requests: requests as u64 },
        _ => panic!("{asks}: {numbers:?}"),
    };
    rows("\n## Cost of the twelve calls\n").map(cost).collect()
}

fn documented(task: &str) -> Cost {
    let found = table().into_iter().find(|(name, _)| *name == task);
    found.unwrap_or_else(|| panic!("docs/habits.md has no task {task:?}")).1
}

/// The tab, or the topmost popup or form.
fn place(h: &Harness) -> String {
    h.tui.app.modal().map_or_else(|| format!("{:?}", h.tui.app.key_contexts()), str::to_owned)
}

/// A list as an office has it: 1,200 rows, with two mistyped domains, 66 names with lost letters, 12 without an
/// address and 3 people twice.
fn list(from: usize) -> String {
    let syllable = |n: usize| char::from_u32(0xac00 + 28 * (n as u32 % 399)).expect("Hangul");
    let person =
        |n: usize| (format!("김{}{}", syllable(n), syllable(n / 399 + 7)), format!("s{n}@naru.example"));
    let mut out = "번호,성명,연락 메일\n".to_owned();
    for n in 0..1200 {
        let (name, email) = person(from + if (40..43).contains(&n) { n - 30 } else { n });
        let name = if (100..166).contains(&n) { "Garc?a".to_owned() } else { name };
        let email = match n {
            7 | 8 => email.replace("naru.example", "gmial.com"),
            20..32 => String::new(),
            _ => email,
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{},{name},{email}", n + 1);
    }
    out
}

#[tokio::test]
async fn one_badge() {
    let mut person = Person::new(small()).await;
    one(&mut person, "1").await;
    person.costs("Issue one badge", Cost { keys: 5, letters: 4, screens: 2, requests: 4 });
    assert_eq!(requests(&person.h, "POST /badges"), 1);
}

async fn one(person: &mut Person, confirmation: &str) {
    person.press("i").await;
    person.types("홍길동").await;
    person.press("enter").await;
    person.paste("gildong@naru.example").await;
    person.press("enter").await;
    person.types(confirmation).await;
    person.press("enter").await;
    person.sees("waiting 1").await;
}

#[tokio::test]
async fn one_badge_where_it_is_live() {
    let live = |mut session: lapel::tui::ProfileSession| {
        session.environment = Environment::Live;
        session.organisation = Some("연습용 기관".to_owned());
        session
    };
    let mut person = Person::of(Harness::with(small(), 120, 36, live).await).await;
    one(&mut person, "1 연습용").await;
    person.costs("The same, LIVE", Cost { keys: 5, letters: 8, screens: 2, requests: 4 });
}

#[tokio::test]
async fn twelve_hundred_rows_for_the_first_time_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut person = Person::new(small()).await;
    // The second time, what the first has sent is in the history that is read, and lapel follows it.
    let first = ("Issue a file of 1,200 rows with errors", 50);
    for (n, (task, requests)) in [first, ("The same again, with other people", 90)].into_iter().enumerate() {
        let file = folder.path().join(format!("list{n}.csv"));
        std::fs::write(&file, list(n * 2000)).expect("written");
        person.press("1 i").await;
        person.paste(file.to_str().expect("UTF-8")).await;
        person.press("enter").await;
        person.press("enter").await;
        person.sees("mistyped domain: 2").await;
        person.press("a").await;
        person.sees("1,119 ready").await;
        person.press("A").await;
        person.sees("1,185 ready").await;
        person.sees("▌ ⏎").await;
        person.press("enter").await;
        person.types("1185").await;
        person.press("enter").await;
        person.sees("waiting 1,185").await;
        person.costs(task, Cost { keys: 9, letters: 4, screens: 4 + n, requests });
    }
}

#[tokio::test]
async fn revoking_what_a_filter_finds() {
    let mut person = Person::new(small()).await;
    let insert = (0..40)
        .map(|n| RowSpec {
            state: lapel::sandbox::RowState::Issued,
            recipient_name: format!("한빛{n}"),
            recipient_email: "camp@naru.example".into(),
            ..RowSpec::default()
        })
        .collect();
    person.h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    person.press("2 /").await;
    person.types("camp@naru.example").await;
    person.press("enter * a x").await;
    person.types("중복 발급").await;
    person.press("enter").await;
    person.types("40").await;
    person.press("enter").await;
    person.sees("revoking 40").await;
    person.costs(
        "Revoke 40 badges that a filter finds",
        Cost { keys: 8, letters: 24, screens: 5, requests: 5 },
    );
}

#[tokio::test]
async fn correcting_one_badge() {
    let mut person = Person::new(small()).await;
    person.press("3").await;
    person.paste("seoyun.han@naru.example").await;
    person.press("enter enter c").await;
    person.types("한서연").await;
    person.press("enter enter").await;
    person.types("이름 정정").await;
    person.press("enter").await;
    person.types("1").await;
    person.press("enter").await;
    person.sees(msg_part("to revoke when issued")).await;
    person.costs("Correct one badge", Cost { keys: 9, letters: 9, screens: 5, requests: 8 });
}

#[tokio::test]
async fn what_needs_a_person() {
    let mut h = stopped(120, 36, |mut session| {
        // A row that no check finds stays in doubt.
        session.jobs.absence_after = jiff::SignedDuration::from_mins(10);
        session
    })
    .await;
    h.sandbox.control().set_quota(None);
    h.sandbox.control().add_fault("post /badges drop times=1").expect("a rule");
    h.press("1");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("in doubt 1 = 1").await;
    h.settled().await;
    h.press("1");
    let mut person = Person::of(h).await;
    let screen = person.press("0").await;
    // How many of its rows lapel checks first is a matter of time.
    let stopped = format!("of 5 {}: {}", msg("not sent"), msg("quota exceeded"));
    assert!(screen.contains(&stopped) && screen.contains("1 in doubt"), "{screen}");
    // The stopped job, with the key that continues it.
    let screen = person.press("enter").await;
    assert!(screen.contains("= 5") && screen.contains("R run"), "{screen}");
    let screen = person.press("esc j enter").await;
    assert!(screen.contains("gildong@") && screen.contains(msg_part("row 1 of 1")), "{screen}");
    // One of them counts the badges of the history, to say what an index costs.
    person.costs("See what needs attention", Cost { keys: 5, letters: 0, screens: 4, requests: 2 });
}

/// `support` counts the twelve calls. Their row among the tasks has the largest numbers.
#[test]
fn the_row_of_the_calls_has_the_largest_numbers_of_the_twelve() {
    let calls = documented_calls();
    let keys = calls.iter().map(|call| call.keys).max().expect("twelve");
    let requests = calls.iter().map(|call| call.requests).max().expect("twelve");
    let row = documented("Answer a caller: each of the twelve calls");
    assert_eq!(row, Cost { keys, letters: 0, screens: 1, requests });
    assert_eq!((calls.len(), table().len()), (12, 8));
}

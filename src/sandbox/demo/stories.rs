//! The rows with a story: every support case and every accident.

use fastrand::Rng;
use jiff::ToSpan;

use super::people::DemoHolder;
use crate::sandbox::clock;

/// A time later than any clock can show.
pub(in crate::sandbox) const NEVER: i64 = 1 << 60;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

pub(super) const REASONS: [&str; 9] = [
    "중복 발급",
    "응시 부정행위 확인",
    "재발급: 성명 정정 / Superseded: name corrected",
    "출석 기준 미달 확인",
    "본인 요청",
    "Issued to the wrong person",
    "Course record withdrawn",
    "수료 취소",
    "Employment ended before completion",
];

const ODD_LABELS: [&str; 4] = ["발급보류", "심사중", "이의신청중", "SUSPENDED"];

/// They come before all other holders.
pub(super) fn people() -> Vec<DemoHolder> {
    let named = [
        ("한서윤", "seoyun.han@naru.example"),
        ("오지호", "jiho.oh@naru.example"),
        ("홍철", "hong.c@naru.example"),
        ("배은우", "eunwoo@gmial.example"),
        ("배은우", "eunwoo@gmail.example"),
        ("Lea O'Connor-Kim", "lea@example.org"),
        ("남궁 민", "min.ng@example.com"),
        ("서다안", "dain.seo@naru.example"),
        ("서다인", "dain.seo@naru.example"),
        ("윤태오", "taeo.yoon@bluewhale.example"),
        ("임하늘", "haneul.lim@example.net"),
        ("김민준", "minjun.kim@naru.example"),
        ("김민준", "mj.kim@example.com"),
        ("Ahmet Yılmaz", "ahmet.yilmaz@example.org"),
        ("王小明", "xiaoming.wang@example.com"),
        ("นภา ศรีสุข", "napha.srisuk@example.org"),
        ("علي حسن", "ali.hassan@example.net"),
        ("Null, Christopher", "christopher.null@example.com"),
        ("문채원", "chaewon.moon@strictgate.example"),
    ];
    let mut all: Vec<DemoHolder> =
        named.into_iter().map(|(name, mail)| DemoHolder::reserved(name, mail, 0)).collect();
    let team = "강도현, 조수아, 장하준, 권예린, Tariq Haddad, 신유진, 안성호, 송지율, 류재원, 황시우, \
        Mai Nguyen, 최은솔, 박태림, 이현경";
    all.extend(team.split(", ").map(|name| DemoHolder::reserved(name, "safety@moondeck.example", 2)));
    let given = ["민", "서", "지", "하", "예", "도", "시", "유", "은", "현", "재"];
    let ends = ["준", "윤", "우", "연"];
    for at in 0..44 {
        let name = format!("문{}{}", given[at % given.len()], ends[at / given.len()]);
        all.push(DemoHolder::reserved(name, format!("staff{:02}@strictgate.example", at + 1), 2));
    }
    all
}

#[derive(Debug, Clone, Copy)]
pub(in crate::sandbox) struct DemoRow {
    /// Index into the holders.
    pub holder: usize,
    /// Index into the templates.
    pub template: usize,
    pub reg_at: i64,
    pub issue_at: i64,
    /// `None`: by the policy of its template, from the day of issue.
    pub until: Option<i64>,
    /// Request time, completion time and reason.
    pub revoke: Option<(i64, i64, &'static str)>,
    /// `email_status` once issued; may be empty.
    pub mail: &'static str,
    pub label: Option<&'static str>,
    /// `false`: issued in the back office.
    pub internal: bool,
}

impl DemoRow {
    pub fn issued(holder: usize, template: usize, reg_at: i64, issue_at: i64) -> Self {
        Self {
            holder,
            template,
            reg_at,
            issue_at,
            until: None,
            revoke: None,
            mail: "SENT",
            label: None,
            internal: true,
        }
    }
}

pub(super) struct StoryContext<'a> {
    pub rng: &'a mut Rng,
    pub holders: &'a [DemoHolder],
    pub now: i64,
    pub zone: i32,
}

impl StoryContext<'_> {
    fn who(&self, mail: &str, nth: usize) -> usize {
        let mut found = self.holders.iter().enumerate().filter(|(_, one)| one.mail == mail);
        found.nth(nth).map_or(0, |(at, _)| at)
    }

    /// A badge issued this many seconds ago, without problems.
    fn issued(&mut self, holder: usize, template: usize, ago: i64) -> DemoRow {
        let reg_at = self.now - ago;
        let took = 5 * MINUTE + self.rng.i64(0..10 * MINUTE);
        DemoRow::issued(holder, template - 1, reg_at, reg_at + took)
    }

    /// A badge requested this many seconds ago, not issued yet but within the normal day.
    fn waiting(&mut self, holder: usize, template: usize, ago: i64) -> DemoRow {
        let reg_at = self.now - ago;
        let soonest = (self.now + 10 * MINUTE).max(reg_at + 5 * MINUTE);
        let issue_at = self.rng.i64(soonest..(reg_at + DAY).max(soonest + 1));
        DemoRow::issued(holder, template - 1, reg_at, issue_at)
    }

    fn revoked(mut row: DemoRow, after: i64, reason: &'static str) -> DemoRow {
        let at = row.issue_at + after;
        row.revoke = Some((at, at + 7 * MINUTE, reason));
        row
    }

    fn crowd(&self) -> Vec<usize> {
        (0..self.holders.len()).filter(|at| self.holders.get(*at).is_some_and(|one| !one.reserved)).collect()
    }

    /// The most important ones first.
    pub fn rows(&mut self) -> Vec<DemoRow> {
        let mut rows = self.named();
        let crowd = self.crowd();
        if crowd.is_empty() {
            return rows;
        }
        let mut next = {
            let mut order = crowd;
            self.rng.shuffle(&mut order);
            order.into_iter().cycle()
        };
        let mut take = |count: usize| -> Vec<usize> { next.by_ref().take(count).collect() };

        rows.extend(self.overdue(&take(3)));
        for holder in take(8) {
            let mut row = self.issued(holder, 20, 30 * DAY);
            let asked = self.now - self.rng.i64(MINUTE..8 * MINUTE);
            row.revoke = Some((asked, self.now + self.rng.i64(5 * MINUTE..25 * MINUTE), REASONS[3]));
            rows.push(row);
        }
        for (at, holder) in take(13).into_iter().enumerate() {
            let row = self.issued(holder, 7 + at % 2, (3 + at as i64) * DAY);
            rows.push(DemoRow { label: Some(ODD_LABELS[at % ODD_LABELS.len()]), ..row });
        }
        rows.extend(self.strictgate());
        let back_office = self.issued(take(1)[0], 17, 5 * DAY);
        rows.push(DemoRow { internal: false, ..back_office });

        // The same batch sent twice by mistake. The second copies were revoked the next day.
        let twice = take(38);
        for again in 0..2 {
            for holder in &twice {
                let row = self.issued(*holder, 15, 40 * DAY - again * 11 * MINUTE);
                rows.push(if again == 1 { Self::revoked(row, DAY, REASONS[0]) } else { row });
            }
        }
        let fresh = take(96);
        for (at, holder) in fresh.into_iter().enumerate() {
            // Issuing takes at least five minutes.
            let reg_at = self.now - 4 * MINUTE;
            let issue_at = reg_at + 5 * MINUTE + 20 + (at as i64 * at as i64) * 2;
            rows.push(DemoRow::issued(holder, 4, reg_at, issue_at));
        }
        for holder in take(41) {
            rows.push(self.waiting(holder, 33, 3 * HOUR));
        }
        for holder in take(30) {
            let ago = self.rng.i64(10 * MINUTE..20 * HOUR);
            let template = self.rng.usize(19..=31);
            rows.push(self.waiting(holder, template, ago));
        }
        let ceremony = self.ceremony();
        for holder in take(480) {
            let took = self.rng.i64(5 * MINUTE..40 * MINUTE);
            rows.push(DemoRow::issued(holder, 0, ceremony, ceremony + took));
        }
        rows
    }

    fn named(&mut self) -> Vec<DemoRow> {
        let mut rows = Vec::new();
        let mut row = self.waiting(self.who("seoyun.han@naru.example", 0), 5, 42 * MINUTE);
        row.issue_at = row.reg_at + 20 * HOUR;
        rows.push(row);
        let jiho = self.waiting(self.who("jiho.oh@naru.example", 0), 6, 31 * HOUR);
        rows.push(DemoRow { issue_at: NEVER, ..jiho });
        rows.push(self.issued(self.who("hong.c@naru.example", 0), 2, 21 * DAY));
        let typo = self.issued(self.who("eunwoo@gmial.example", 0), 4, 2 * DAY);
        rows.push(DemoRow { mail: "FAIL", ..typo });
        rows.push(self.issued(self.who("eunwoo@gmail.example", 0), 1, 130 * DAY));

        // Expired twelve days ago, after the three months of the safety course.
        let expired = self.now - 12 * DAY;
        let lea = self.issued(self.who("lea@example.org", 0), 33, 104 * DAY);
        rows.push(DemoRow { until: Some(expired), ..lea });
        let soon = self.now + 9 * DAY;
        let min = self.issued(self.who("min.ng@example.com", 0), 34, 356 * DAY);
        rows.push(DemoRow { until: Some(soon), ..min });

        rows.push(self.issued(self.who("dain.seo@naru.example", 0), 9, 3 * DAY));
        rows.push(self.issued(self.who("dain.seo@naru.example", 1), 12, 200 * DAY));
        let taeo = self.issued(self.who("taeo.yoon@bluewhale.example", 0), 35, 90 * DAY);
        rows.push(Self::revoked(taeo, 19 * DAY, REASONS[1]));
        let haneul = self.who("haneul.lim@example.net", 0);
        let copy = self.issued(haneul, 14, 61 * DAY);
        rows.push(Self::revoked(copy, 2 * DAY, REASONS[0]));
        rows.push(self.issued(haneul, 14, 60 * DAY));
        rows.push(self.issued(self.who("minjun.kim@naru.example", 0), 13, 15 * DAY));
        rows.push(self.issued(self.who("mj.kim@example.com", 0), 13, 15 * DAY));
        let mixed = [
            ("ahmet.yilmaz@example.org", 23),
            ("xiaoming.wang@example.com", 20),
            ("napha.srisuk@example.org", 8),
            ("ali.hassan@example.net", 36),
            ("christopher.null@example.com", 19),
        ];
        for (at, (mail, template)) in mixed.into_iter().enumerate() {
            rows.push(self.issued(self.who(mail, 0), template, (10 + at as i64) * DAY));
        }
        for member in 0..14 {
            rows.push(self.issued(self.who("safety@moondeck.example", member), 33, 30 * DAY));
        }
        rows
    }

    /// Badges requested more than a day ago and still not issued.
    fn overdue(&mut self, holders: &[usize]) -> Vec<DemoRow> {
        let ages = [26 * HOUR, 49 * HOUR, 6 * DAY];
        holders
            .iter()
            .zip(ages)
            .map(|(holder, ago)| {
                let row = self.waiting(*holder, 37, ago);
                DemoRow { issue_at: NEVER, mail: "발송대기", ..row }
            })
            .collect()
    }

    /// A company whose mail gateway accepts only 2 of 45 mails.
    fn strictgate(&mut self) -> Vec<DemoRow> {
        let members: Vec<usize> = (0..self.holders.len())
            .filter(|at| self.holders[*at].mail.ends_with("@strictgate.example"))
            .collect();
        members
            .into_iter()
            .enumerate()
            .map(|(at, holder)| {
                let row = self.issued(holder, 34, 6 * DAY);
                let mail = match at {
                    7 | 23 => "SENT",
                    _ if at % 3 == 1 => "BOUNCE",
                    _ => "FAIL",
                };
                DemoRow { mail, ..row }
            })
            .collect()
    }

    /// 10:00 on the latest 25 February or 25 August that is at least three weeks ago.
    fn ceremony(&self) -> i64 {
        let latest = clock::civil(self.now - 21 * DAY, self.zone);
        let dates = (0..3).flat_map(|back| {
            let year = latest.year() - back;
            [(year, 8), (year, 2)]
        });
        let found = dates
            .map(|(year, month)| jiff::civil::date(year, month, 25).at(10, 0, 0, 0))
            .find(|at| *at <= latest)
            .unwrap_or_else(|| latest.saturating_sub(180.days()));
        clock::seconds(found, self.zone)
    }
}

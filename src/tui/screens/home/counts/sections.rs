//! The sections of the counts: what each one counts, as bars with the badges behind them.

use crate::index::{Series, TemplateSum};
use crate::tui::prelude::*;
use crate::tui::request::IndexOverview;
use jiff::civil::Weekday;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountsSection {
    #[default]
    Issued,
    Revoked,
    Templates,
    /// Waiting and overdue badges, by time of waiting.
    Waiting,
    Ending,
    Mail,
}

impl CountsSection {
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Issued, tr_noop!("Issued")),
        (Self::Revoked, tr_noop!("Revoked")),
        (Self::Templates, tr_noop!("Templates")),
        (Self::Waiting, tr_noop!("Waiting")),
        (Self::Ending, tr_noop!("Expiring")),
        (Self::Mail, tr_noop!("Mail")),
    ];

    /// Wraps around.
    pub fn step(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()].0
    }

    pub fn has_periods(self) -> bool {
        matches!(self, Self::Issued | Self::Revoked)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountBar {
    pub label: String,
    pub count: u64,
    pub note: String,
    pub which: Option<IndexedList>,
    /// Whether to show only the number, without a bar, because it does not compare with the other counts.
    pub aside: bool,
    pub alarming: bool,
}

impl CountBar {
    fn new(label: impl Into<String>, count: u64, which: IndexedList) -> Self {
        Self { label: label.into(), count, which: Some(which), ..Self::default() }
    }

    fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Whether the index does not keep the badges of this bar, so that there may be some.
    pub fn is_unknown(&self) -> bool {
        self.which.is_none() && self.count == 0
    }

    fn aside(self) -> Self {
        Self { aside: true, ..self }
    }

    pub fn list_title(&self, section: CountsSection) -> String {
        match section {
            CountsSection::Issued => t!("issued, {when}", when = self.label),
            _ if self.which == Some(IndexedList::Revoking) => self.label.clone(),
            CountsSection::Revoked => t!("revoked, {when}", when = self.label),
            CountsSection::Templates => self.label.clone(),
            CountsSection::Waiting => t!("waiting, {time}", time = self.label),
            CountsSection::Ending if matches!(self.which, Some(IndexedList::Ended(..))) => self.label.clone(),
            CountsSection::Ending => t!("expiring {when}", when = self.label),
            CountsSection::Mail => t!("failed mails to {domain}", domain = self.label),
        }
    }
}

pub fn bars(section: CountsSection, all: &IndexOverview, period: Period) -> Vec<CountBar> {
    let sums = &all.sums;
    match section {
        CountsSection::Issued => by_period(all, &sums.issued, Some(&sums.revoked), period),
        CountsSection::Revoked => {
            let mut bars = by_period(all, &sums.revoked, None, period);
            bars.extend(Some(under_way(all)).filter(|bar| bar.count > 0));
            bars
        }
        CountsSection::Templates => sums.templates.iter().map(of_template).collect(),
        CountsSection::Waiting => waiting(all),
        CountsSection::Ending => {
            let labels = [
                t!("expired in last 30 days"),
                t!("within 30 days"),
                t!("in 31 to 60 days"),
                t!("in 61 to 90 days"),
            ];
            let bars = labels.into_iter().zip(&sums.ending);
            bars.map(|(label, (which, n))| CountBar::new(label, *n, which.clone())).collect()
        }
        CountsSection::Mail => mail(all),
    }
}

fn by_period(all: &IndexOverview, series: &Series, beside: Option<&Series>, period: Period) -> Vec<CountBar> {
    let revoked = beside.is_none();
    let partly = t!("older ones not kept");
    let which =
        |from, to| if revoked { IndexedList::Revoked(from, to) } else { IndexedList::Issued(from, to) };
    let mut bars: Vec<CountBar> = series
        .spans
        .iter()
        .enumerate()
        .map(|(at, span)| {
            let label = match period {
                Period::Day => {
                    let (weekday, day) = (weekday(span.from.weekday()), span.from.strftime("%m-%d"));
                    t!("{weekday} {day}", weekday, day)
                }
                Period::Week => t!("week of {day}", day = span.from.strftime("%m-%d")),
                Period::Month => span.from.strftime("%Y-%m").to_string(),
            };
            let also = beside.and_then(|other| other.spans.get(at)).map_or(0, |span| span.count);
            let note = if also > 0 { t!("{n} revoked", n = number(also)) } else { String::new() };
            let bar = CountBar::new(label, span.count, which(Some(span.from), span.to));
            match all.sums.kept_since.filter(|since| span.from < *since) {
                Some(_) if span.count > 0 => bar.noted(partly).aside(),
                Some(_) => CountBar { which: None, ..bar.noted(t!("not kept")).aside() },
                None => bar.noted(note),
            }
        })
        .collect();
    if let Some(first) = series.spans.last().filter(|_| series.earlier > 0) {
        let bar = CountBar::new(t!("Earlier").to_lowercase(), series.earlier, which(None, Some(first.from)));
        bars.push(if all.sums.kept_since.is_some() { bar.noted(partly) } else { bar }.aside());
    }
    if series.undated > 0 {
        bars.push(CountBar::new(t!("no date"), series.undated, IndexedList::Undated(revoked)).aside());
    }
    bars
}

fn of_template(sum: &TemplateSum) -> CountBar {
    let (label, aside) = match &sum.which {
        IndexedList::Template(Some(id)) if sum.title.looks_empty() => (id.to_string(), false),
        IndexedList::Template(Some(_)) => (sum.title.to_string(), false),
        IndexedList::Template(None) => (t!("no template").to_owned(), true),
        _ => (count!(sum.templates, "other template", "other templates"), true),
    };
    let (valid, expired) = (number(sum.valid), number(sum.expired));
    let (waiting, revoking, revoked) = (number(sum.waiting), number(sum.revoking), number(sum.revoked));
    let parts = [
        (sum.valid, t!("{n} valid", n = valid)),
        (sum.expired, t!("{n} expired", n = expired)),
        (sum.waiting, t!("{n} waiting", n = waiting)),
        (sum.revoking, t!("{n} revoking", n = revoking)),
        (sum.revoked, t!("{n} revoked", n = revoked)),
    ]
    .into_iter()
    .filter_map(|(n, words)| (n > 0).then_some(words));
    let bar = CountBar::new(label, sum.all, sum.which.clone());
    CountBar { aside, ..bar.noted(list(parts).to_string()) }
}

fn waiting(all: &IndexOverview) -> Vec<CountBar> {
    let waits = &all.sums.waiting;
    let labels = [
        (t!("under 1 h"), false),
        (t!("1 to 6 h"), false),
        (t!("6 to 24 h"), false),
        (t!("overdue, 1 to 3 d"), true),
        (t!("overdue, over 3 d"), true),
    ];
    let mut bars: Vec<CountBar> = labels
        .into_iter()
        .zip(&waits.by_age)
        .map(|((label, is_overdue), (which, n))| {
            let alarming = is_overdue && *n > 0;
            CountBar { alarming, ..CountBar::new(label, *n, which.clone()) }
        })
        .collect();
    if waits.unknown > 0 {
        bars.push(CountBar::new(t!("waiting time unknown"), waits.unknown, IndexedList::Waiting(None, None)));
    }
    bars.push(under_way(all));
    bars
}

/// Revocations that are not finished.
fn under_way(all: &IndexOverview) -> CountBar {
    CountBar::new(t!("revoking"), all.sums.waiting.revoking, IndexedList::Revoking).aside()
}

fn mail(all: &IndexOverview) -> Vec<CountBar> {
    let mut bars: Vec<CountBar> = all
        .mail
        .groups
        .iter()
        .map(|group| {
            let which = IndexedList::MailFailed(Some(group.folded.clone()));
            CountBar::new(format!("@{}", group.domain), group.failed, which).noted(t!(
                "of {n}: {states}",
                n = number(group.issued),
                states = group.words()
            ))
        })
        .collect();
    if all.mail.scattered > 0 {
        let bar =
            CountBar::new(t!("one failed mail per domain"), all.mail.scattered, IndexedList::All).aside();
        bars.push(CountBar { which: None, ..bar });
    }
    bars
}

pub fn caption(section: CountsSection, all: &IndexOverview, period: Period) -> String {
    let sums = &all.sums;
    match section {
        CountsSection::Issued => {
            let n = number(sums.issued.total());
            match period {
                Period::Day => t!("Issued per day, total {n}", n),
                Period::Week => t!("Issued per week, total {n}", n),
                Period::Month => t!("Issued per month, total {n}", n),
            }
        }
        CountsSection::Revoked => {
            let n = number(sums.revoked.total());
            match period {
                Period::Day => t!("Revoked per day, total {n}", n),
                Period::Week => t!("Revoked per week, total {n}", n),
                Period::Month => t!("Revoked per month, total {n}", n),
            }
        }
        CountsSection::Templates => t!("Badges by template").to_owned(),
        CountsSection::Waiting => {
            let waits: u64 = sums.waiting.by_age.iter().map(|(_, n)| n).sum::<u64>() + sums.waiting.unknown;
            t!("{n} waiting, by age (normal: 5 min to 24 h)", n = number(waits))
        }
        CountsSection::Ending => {
            let soon: u64 = sums.ending.iter().skip(1).map(|(_, n)| n).sum();
            plural!(soon, "{n} badge expires within 90 days", "{n} badges expire within 90 days")
        }
        CountsSection::Mail if all.mail.failed == 0 => {
            t!("No known mail failures for {badges}", badges = issued(all.mail.issued))
        }
        CountsSection::Mail => t!(
            "{mails} of {badges} failed",
            mails = count!(all.mail.failed, "mail", "mails"),
            badges = issued(all.mail.issued),
        ),
    }
}

fn issued(n: u64) -> String {
    count!(n, "issued badge", "issued badges")
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => t!("Mon"),
        Weekday::Tuesday => t!("Tue"),
        Weekday::Wednesday => t!("Wed"),
        Weekday::Thursday => t!("Thu"),
        Weekday::Friday => t!("Fri"),
        Weekday::Saturday => t!("Sat"),
        Weekday::Sunday => t!("Sun"),
    }
}

/// The number of badges that have waited for more than a day.
pub fn overdue(all: &IndexOverview) -> u64 {
    all.sums.waiting.by_age.iter().skip(3).map(|(_, n)| n).sum()
}

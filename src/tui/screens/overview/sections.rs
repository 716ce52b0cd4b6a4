//! The sections of the overview: what each counts, as bars with the badges behind them.

use crate::domain::EmailKey;
use crate::index::{Period, Series, TemplateSum, Which};
use crate::tui::fit::{count, number};
use crate::tui::index::Overall;

/// A section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// Issued, by period.
    #[default]
    Issued,
    /// Revoked, by period.
    Revoked,
    /// By template.
    Templates,
    /// Waiting and overdue.
    Waiting,
    /// What ends soon.
    Ending,
    /// Whose mails did not go out.
    Mail,
}

impl Section {
    /// All of them, in order, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Issued, "Issued"),
        (Self::Revoked, "Revoked"),
        (Self::Templates, "Templates"),
        (Self::Waiting, "Waiting"),
        (Self::Ending, "Expiring"),
        (Self::Mail, "Mail"),
    ];

    /// Its place among them.
    pub fn place(self) -> usize {
        Self::ALL.iter().position(|(section, _)| *section == self).unwrap_or(0)
    }

    /// The one so many places further, and round.
    pub fn step(self, by: usize) -> Self {
        Self::ALL[(self.place() + by) % Self::ALL.len()].0
    }

    /// Whether it is counted by period.
    pub fn has_periods(self) -> bool {
        matches!(self, Self::Issued | Self::Revoked)
    }
}

/// One bar: how many, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// How many.
    pub count: u64,
    /// What else there is to say, beside the number.
    pub note: String,
    /// The badges behind it.
    pub which: Option<Which>,
    /// Whether it is only a number: it stands for more than the bars beside it.
    pub aside: bool,
    /// Whether a person should look at it.
    pub alarming: bool,
}

impl Bar {
    fn new(label: impl Into<String>, count: u64, which: Which) -> Self {
        Self {
            label: label.into(),
            count,
            note: String::new(),
            which: Some(which),
            aside: false,
            alarming: false,
        }
    }

    fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    fn aside(self) -> Self {
        Self { aside: true, ..self }
    }

    fn alarming(self) -> Self {
        Self { alarming: self.count > 0, ..self }
    }

    /// What the badges behind it are, for the head of their list.
    pub fn behind(&self, section: Section) -> String {
        match section {
            Section::Issued => format!("issued, {}", self.label),
            Section::Revoked => format!("revoked, {}", self.label),
            Section::Templates => self.label.clone(),
            Section::Waiting => {
                if self.which == Some(Which::Revoking) {
                    self.label.clone()
                } else {
                    format!("waiting, {}", self.label)
                }
            }
            Section::Ending if self.label.starts_with("ended") => self.label.clone(),
            Section::Ending => format!("expiring {}", self.label),
            Section::Mail => format!("mails to {} that did not go out", self.label),
        }
    }
}

/// The bars of a section.
pub fn bars(section: Section, all: &Overall, period: Period) -> Vec<Bar> {
    let sums = &all.sums;
    match section {
        Section::Issued => by_period(&sums.issued, Some(&sums.revoked), period, false),
        Section::Revoked => by_period(&sums.revoked, None, period, true),
        Section::Templates => sums.templates.iter().map(of_template).collect(),
        Section::Waiting => waiting(all),
        Section::Ending => {
            let labels =
                ["ended in the last 30 days", "within 30 days", "in 31 to 60 days", "in 61 to 90 days"];
            labels
                .into_iter()
                .zip(&sums.ending)
                .map(|(label, (which, n))| Bar::new(label, *n, which.clone()))
                .collect()
        }
        Section::Mail => mail(all),
    }
}

fn by_period(series: &Series, beside: Option<&Series>, period: Period, revoked: bool) -> Vec<Bar> {
    let which = |from, to| if revoked { Which::Revoked(from, to) } else { Which::Issued(from, to) };
    let mut bars: Vec<Bar> = series
        .spans
        .iter()
        .enumerate()
        .map(|(at, span)| {
            let label = match period {
                Period::Day => span.from.strftime("%a %m-%d").to_string(),
                Period::Week => span.from.strftime("week of %m-%d").to_string(),
                Period::Month => span.from.strftime("%Y-%m").to_string(),
            };
            let also = beside.and_then(|other| other.spans.get(at)).map_or(0, |span| span.count);
            let note = if also > 0 { format!("{} revoked", number(also)) } else { String::new() };
            Bar::new(label, span.count, which(Some(span.from), span.to)).noted(note)
        })
        .collect();
    if let Some(first) = series.spans.last().filter(|_| series.earlier > 0) {
        bars.push(Bar::new("earlier", series.earlier, which(None, Some(first.from))).aside());
    }
    if series.undated > 0 {
        bars.push(Bar::new("no day given", series.undated, Which::Undated(revoked)).aside());
    }
    bars
}

fn of_template(sum: &TemplateSum) -> Bar {
    let (label, aside) = match &sum.which {
        Which::Template(Some(id)) if sum.title.looks_empty() => (id.to_string(), false),
        Which::Template(Some(_)) => (sum.title.to_string(), false),
        Which::Template(None) => ("no template given".to_owned(), true),
        _ => (count(sum.templates, "other template", "other templates"), true),
    };
    let parts: Vec<String> =
        [(sum.valid, "valid"), (sum.expired, "expired"), (sum.waiting, "waiting"), (sum.revoked, "revoked")]
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!("{} {word}", number(n)))
            .collect();
    let bar = Bar::new(label, sum.all, sum.which.clone()).noted(parts.join(", "));
    if aside { bar.aside() } else { bar }
}

fn waiting(all: &Overall) -> Vec<Bar> {
    let waits = &all.sums.waiting;
    let labels = ["under 1 h", "1 to 6 h", "6 to 24 h", "overdue, 1 to 3 d", "overdue, over 3 d"];
    let mut bars: Vec<Bar> = labels
        .into_iter()
        .zip(&waits.by_age)
        .map(|(label, (which, n))| {
            let bar = Bar::new(label, *n, which.clone());
            if label.starts_with("overdue") { bar.alarming() } else { bar }
        })
        .collect();
    if waits.unknown > 0 {
        bars.push(Bar::new("since when is not known", waits.unknown, Which::Waiting(None, None)));
    }
    bars.push(Bar::new("being revoked", waits.revoking, Which::Revoking).aside());
    bars
}

fn mail(all: &Overall) -> Vec<Bar> {
    let mut bars: Vec<Bar> = all
        .mail
        .groups
        .iter()
        .map(|group| {
            let words: Vec<String> =
                group.statuses.iter().map(|(word, n)| format!("{word} {}", number(*n))).collect();
            let folded = EmailKey::of(&format!("x@{}", group.domain.wire()));
            let which = folded.domain().map(|domain| Which::MailFailed(domain.to_owned()));
            let bar = Bar::new(format!("@{}", group.domain), group.failed, Which::All).noted(format!(
                "of {}: {}",
                number(group.issued),
                words.join(", ")
            ));
            Bar { which, ..bar }
        })
        .collect();
    if all.mail.scattered > 0 {
        let bar = Bar::new("one person here and there", all.mail.scattered, Which::All).aside();
        bars.push(Bar { which: None, ..bar });
    }
    bars
}

/// What a section counts, in words.
pub fn caption(section: Section, all: &Overall, period: Period) -> String {
    let sums = &all.sums;
    let per = |what: &str, total: u64| {
        let unit = match period {
            Period::Day => "day",
            Period::Week => "week",
            Period::Month => "month",
        };
        format!("{what} per {unit}; {} in all", number(total))
    };
    match section {
        Section::Issued => per("Issued", sums.issued.total()),
        Section::Revoked => per("Revoked", sums.revoked.total()),
        Section::Templates => "Badges by template".to_owned(),
        Section::Waiting => {
            let waits: u64 = sums.waiting.by_age.iter().map(|(_, n)| n).sum::<u64>() + sums.waiting.unknown;
            format!("{} waiting by age; normal is 5 min to 24 h", number(waits))
        }
        Section::Ending => {
            let soon: u64 = sums.ending.iter().skip(1).map(|(_, n)| n).sum();
            format!("{} within 90 days", count(soon, "badge expires", "badges expire"))
        }
        Section::Mail if all.mail.failed == 0 => {
            format!("No mail of {} is known to have failed", issued(all.mail.issued))
        }
        Section::Mail => format!(
            "{} of {} did not go out",
            count(all.mail.failed, "mail", "mails"),
            issued(all.mail.issued),
        ),
    }
}

fn issued(n: u64) -> String {
    count(n, "issued badge", "issued badges")
}

/// Badges that have waited for more than a day.
pub fn overdue(all: &Overall) -> u64 {
    all.sums.waiting.by_age.iter().skip(3).map(|(_, n)| n).sum()
}

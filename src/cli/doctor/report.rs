//! The doctor's report, as text and as JSON.

use super::super::job_text::{indented, under};
use super::super::journal::journal_lines;
use super::super::label::fields;
use super::super::session::answer;
use super::DoctorReport;
use crate::cli::prelude::*;
use crate::config::JobSettings;
use crate::i18n;
use crate::jobs::ObservedBehaviour;

/// Gaps of the contract that lapel observes: name, question, behaviour once observed, and behaviour before.
const LEARNED: [(&str, &str, &str, &str); 7] = [
    (
        "waiting_in_history",
        tr_noop!("whether the history shows waiting badges"),
        tr_noop!("with “shown”, two checks ten minutes after sending resolve a row in doubt"),
        tr_noop!("lapel checks a row in doubt until the window is over"),
    ),
    (
        "waiting_by_id",
        tr_noop!("whether a waiting badge can be read by its id"),
        tr_noop!("for information: with any value, \"not found\" never counts as \"not accepted\""),
        tr_noop!("\"not found\" never counts as \"not accepted\""),
    ),
    (
        "issued_count",
        tr_noop!("whether the count of issued badges rises with new badges"),
        tr_noop!("with “follows”, one request checks hundreds of badges; with “ignores”, it cannot"),
        tr_noop!("every check reads the pages"),
    ),
    (
        "utc_offset",
        tr_noop!("the time zone of the service"),
        tr_noop!("for 30 days after it was last seen; utc_offset in the profile fixes it"),
        tr_noop!("lapel uses the assumed offset (above) or the profile's utc_offset"),
    ),
    (
        "utc_offset_at_least",
        tr_noop!("the smallest UTC offset that the service can have"),
        tr_noop!("until its time zone is known, for 30 days after it was last seen"),
        tr_noop!("lapel uses the assumed offset (above) or the profile's utc_offset"),
    ),
    (
        "status_name",
        tr_noop!("the words for a badge's state"),
        tr_noop!("for information; Korean, English and code words are built in"),
        tr_noop!("Korean, English and code words are built in"),
    ),
    (
        "email_status",
        tr_noop!("the words for a mail's state"),
        tr_noop!("for information; only words such as FAIL count as failed"),
        tr_noop!("Korean and English words for failed and waiting, and SENT, are built in"),
    ),
];

struct Learned {
    name: String,
    about: String,
    used: &'static str,
    unproven: &'static str,
}

impl DoctorReport {
    pub(super) fn print(&self, as_json: bool) -> Result<u8, Failure> {
        let code = match (&self.profile, self.problems.is_empty()) {
            (None, _) => exit::USAGE,
            (_, true) => exit::OK,
            (_, false) => exit::FAILED,
        };
        answer(as_json, &self.lines().join("\n"), &self.json(code))?;
        Ok(code)
    }

    fn json(&self, code: u8) -> Value {
        let learned: Vec<Value> = self
            .learned()
            .iter()
            .map(|one| {
                let values: Vec<Value> = self.values(&one.name).map(fact_json).collect();
                json!({
                    "name": one.name,
                    "about": one.about,
                    "values": values,
                    "conflicting": self.conflicts(&one.name),
                    "used": self.use_of(one),
                })
            })
            .collect();
        let permissions: Vec<Value> = self
            .permissions
            .iter()
            .map(|p| json!({ "path": p.path.to_string_lossy(), "mode": format!("{:o}", p.mode), "private": p.is_private() }))
            .collect();
        json!({
            "ok": code == exit::OK,
            "exit_code": code,
            "version": env!("CARGO_PKG_VERSION"),
            "profile": self.profile,
            "service": self.service,
            "clock": self.clock,
            "learned": learned,
            "journal": self.journal,
            "paths": self.paths,
            "permissions": permissions,
            "without_key": self.without_key,
            "problems": self.problems,
        })
    }

    /// Every possible observation, and any others in the journal.
    fn learned(&self) -> Vec<Learned> {
        let mut all: Vec<Learned> = LEARNED
            .iter()
            .map(|(name, about, used, unproven)| Learned {
                name: (*name).to_owned(),
                about: i18n::tr(about).to_owned(),
                used: i18n::tr(used),
                unproven: i18n::tr(unproven),
            })
            .collect();
        for fact in &self.facts {
            if all.iter().any(|one| one.name == fact.name) {
                continue;
            }
            let about = match fact.name.strip_prefix("means ") {
                Some(word) => t!("the meaning of the word \u{201c}{word}\u{201d}", word),
                None => fact.name.replace('_', " "),
            };
            all.push(Learned {
                name: fact.name.clone(),
                about,
                used: t!("until something else is observed"),
                unproven: t!("not used; the service's own word is shown"),
            });
        }
        all
    }

    fn use_of(&self, one: &Learned) -> &'static str {
        let is_proven = self.values(&one.name).next().is_some() && !self.conflicts(&one.name);
        if is_proven { one.used } else { one.unproven }
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ObservedBehaviour> {
        self.facts.iter().filter(move |fact| fact.name == name)
    }

    /// A state or mail status can have many words, so those never contradict each other.
    fn conflicts(&self, name: &str) -> bool {
        !matches!(name, "status_name" | "email_status") && self.values(name).count() > 1
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("lapel {}", env!("CARGO_PKG_VERSION"))];
        lines.extend(under(t!("Profile"), fields(self.profile.clone().map(without_former_names).as_ref())));
        lines.extend(under(t!("Service"), fields(Some(&self.service))));
        lines.extend(under(t!("Clock"), fields(Some(&self.clock))));
        lines.push(t!("Observations").to_owned());
        for one in self.learned() {
            lines.push(format!("  {}", scrub(&one.about)));
            for fact in self.values(&one.name) {
                let (value, evidence) = (scrub(&fact.value), &fact.evidence);
                let times = count!(fact.times, "time", "times");
                let seen = match second(fact.last).map(|at| at.strftime("%Y-%m-%d").to_string()) {
                    Some(day) => t!("{evidence}; {times}, last {day}", evidence, times, day),
                    None => t!("{evidence}; {times}, last unknown", evidence, times),
                };
                lines.push(format!("    {value}  ({seen})"));
            }
            let any = self.values(&one.name).next().is_some();
            let how = match (any, self.conflicts(&one.name)) {
                (false, _) => t!("not observed yet"),
                (true, true) => t!("conflicting observations"),
                (true, false) => t!("use"),
            };
            lines.push(format!("    {how}: {}", self.use_of(&one)));
        }
        lines.extend(journal_lines(&self.journal));
        lines.extend(under(t!("Paths"), fields(Some(&self.paths))));
        lines.push(t!("Permissions").to_owned());
        for one in &self.permissions {
            let word = if one.is_private() { t!("private") } else { t!("NOT PRIVATE") };
            lines.push(format!("  {:o}  {word}  {}", one.mode, scrub(&one.path.to_string_lossy())));
        }
        lines.extend(under(t!("Actions without a key (use the palette)"), indented(&self.without_key)));
        lines.extend(under(t!("Problems"), indented(&self.problems)));
        if self.problems.is_empty() {
            lines.push(t!("No problems found.").to_owned());
        }
        lines
    }
}

/// The profile for a person. Scripts may know the former names of settings, which only repeat others.
fn without_former_names(mut profile: Value) -> Value {
    if let Some(jobs) = profile.get_mut("jobs").and_then(Value::as_object_mut) {
        jobs.retain(|name, _| JobSettings::former_names().all(|(former, _)| former != name));
    }
    profile
}

fn second(at: i64) -> Option<Timestamp> {
    Timestamp::from_second(at).ok()
}

fn fact_json(fact: &ObservedBehaviour) -> Value {
    json!({
        "value": fact.value,
        "evidence": fact.evidence.english(),
        "evidence_code": fact.evidence.code().name(),
        "first": json::time(second(fact.first)),
        "last": json::time(second(fact.last)),
        "times": fact.times,
    })
}

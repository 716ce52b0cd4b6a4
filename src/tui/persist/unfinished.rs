//! Input of forms that was neither sent nor cleared. A form that opens again for the same subject is filled with it.
//!
//! It is part of the recent inputs: the same private file, and the same rules for keeping and forgetting it. lapel
//! writes it a second after a change, when the form closes, and at the end.

use crate::secrets::fingerprint;
use crate::tui::prelude::*;
use serde::{Deserialize, Serialize};

/// Time from a change until lapel writes the input, also while the user types on.
const DELAY: Duration = Duration::from_secs(1);
/// More than a person leaves unfinished in one review. Without a limit, the file would grow for years.
const MOST: usize = 100;
/// Largest input of a form, in bytes. A larger one is a pasted list that the user has elsewhere.
const LARGEST: usize = 1 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormInput {
    pub form: String,
    /// What the form is about. Nothing else may have the same subject, in no file and in no journal: the input would be
    /// offered for another person.
    pub subject: String,
    /// The texts of the fields. Empty if there is nothing to keep.
    pub texts: Vec<String>,
    /// The subject that the form had before it knew its own. What was kept under it has moved.
    #[serde(skip)]
    former: Option<String>,
    /// When lapel wrote it, in seconds since 1970.
    #[serde(default)]
    at: i64,
    /// Whether lapel did not write a text that may be a secret.
    #[serde(skip)]
    pub lacks_a_text: bool,
}

impl FormInput {
    pub fn new(form: &str, subject: impl Into<String>, mut texts: Vec<String>) -> Self {
        if texts.iter().all(String::is_empty) {
            texts.clear();
        }
        Self { form: form.to_owned(), subject: subject.into(), texts, ..Self::default() }
    }

    #[must_use]
    pub fn moved_from(self, former: Option<String>) -> Self {
        Self { former, ..self }
    }

    fn has_moved_from(&self, old: &Self) -> bool {
        self.form == old.form && self.former.as_ref() == Some(&old.subject)
    }

    pub fn is_of_same_form(&self, other: &Self) -> bool {
        self.form == other.form && self.subject == other.subject
    }

    pub fn is_older(&self, days: u32) -> bool {
        now().saturating_sub(self.at) > i64::from(days) * 24 * 60 * 60
    }

    /// The input as lapel writes it, without texts that may be API keys.
    fn written(mut self) -> Self {
        self.at = now();
        for text in &mut self.texts {
            if judge(text) != Likeness::None {
                self.lacks_a_text = true;
                text.clear();
            }
        }
        let size = self.texts.iter().map(String::len).sum::<usize>();
        if size == 0 || size > LARGEST {
            self.texts.clear();
        }
        self
    }
}

/// A job as a subject. In another journal, another job has its number.
pub fn of_job(job: &Job) -> String {
    format!("{} {}", job.id, job.created.as_millisecond())
}

/// A row of a draft as a subject: its name and address as a digest, and how many equal rows are before it. It is the
/// same row in every draft of the file, also after rows or columns were added. Without a name or an address, all cells
/// of the row are needed to tell a person. `None` before these rows are counted: then its number and its cells tell it.
pub fn of_row(row: &JobRow, equal_before: Option<u64>) -> String {
    let is_person = !row.holder.looks_empty() && row.address.wire().contains('@');
    let cells = if is_person && equal_before.is_some() { &[][..] } else { &row.cells };
    let texts: Vec<&str> = [&row.holder, &row.address].into_iter().chain(cells).map(Text::wire).collect();
    let digest = fingerprint(&format!("{texts:?}"));
    match equal_before {
        Some(before) => format!("after {before} {digest}"),
        None => format!("{} {digest}", row.number()),
    }
}

/// Fills a form that opens with the input that was not sent before, and says so.
pub(in crate::tui) fn fill(modal: &mut dyn Modal, cx: &UiContext, effects: &mut Effects<'_>) {
    let kept = modal.input().and_then(|input| cx.connection.recents.unfinished(&input));
    if let Some(texts) = kept {
        modal.set_input(texts);
        // A popup that shows no field has kept a choice: there is nothing to clear.
        let contexts = modal.key_contexts();
        if cx.keymap.has(&contexts, Action::ClearForm) {
            let key = cx.key(&contexts, Action::ClearForm);
            effects.say(t!("Filled with your unfinished input. {key} clears it.", key));
        }
    }
}

fn now() -> i64 {
    Timestamp::now().as_second()
}

/// Replaces the input of the same form. An input without texts removes it.
pub fn put(all: &mut Vec<FormInput>, input: &FormInput) {
    all.retain(|old| !old.is_of_same_form(input));
    if !input.texts.is_empty() {
        all.insert(0, input.clone());
        all.truncate(MOST);
    }
}

#[derive(Debug, Default)]
pub struct Typing {
    all: Vec<FormInput>,
    /// When to write what changed.
    pub(super) due: Option<Instant>,
}

impl Typing {
    /// `written` is what lapel has written. Returns the changes of forms that are closed, to be written now.
    pub fn take(&mut self, open: &[FormInput], written: &[FormInput]) -> Vec<FormInput> {
        let has_moved = |old: &FormInput| open.iter().any(|input| input.has_moved_from(old));
        self.all.retain(|old| !has_moved(old));
        let moved = written.iter().filter(|old| has_moved(old));
        let moved: Vec<_> =
            moved.map(|old| FormInput::new(&old.form, old.subject.as_str(), Vec::new())).collect();
        for input in open {
            let last = self.all.iter().chain(written).find(|last| last.is_of_same_form(input));
            if last.map_or(&[][..], |last| &last.texts) != input.texts {
                self.all.retain(|old| !old.is_of_same_form(input));
                self.all.push(input.clone());
                self.due.get_or_insert_with(|| Instant::now() + DELAY);
            }
        }
        let is_open = |input: &FormInput| open.iter().any(|open| open.is_of_same_form(input));
        let closed = self.all.extract_if(.., |input| !is_open(input)).map(FormInput::written);
        let closed = moved.into_iter().chain(closed).collect();
        if self.all.is_empty() {
            self.due = None;
        }
        closed
    }

    /// The input to write now: if it is time, or the user is about to leave.
    pub fn take_to_write(&mut self, leaves: bool) -> Vec<FormInput> {
        if !leaves && self.due.is_none_or(|due| due > Instant::now()) {
            return Vec::new();
        }
        self.due = None;
        self.all.drain(..).map(FormInput::written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(no: u64, name: &str, address: &str) -> JobRow {
        let cells = vec![Text::new(name), Text::new(address)];
        let (holder, address) = (Text::new(name), Text::new(address));
        JobRow { cells, holder, address, ..JobRow::for_test(no, RowStatus::NeedsReview) }
    }

    #[test]
    fn the_input_of_a_row_belongs_to_what_was_read_in_it() {
        let muller = || row(6, "M?ller", "p5@naru.example");
        let known = of_row(&muller(), Some(0));
        for (name, address, before) in [
            ("정예린", "s4@naru.example", 0),
            ("M?ller", "s4@naru.example", 0),
            // Of two people with the same cells, each has a row.
            ("M?ller", "p5@naru.example", 1),
        ] {
            assert_ne!(known, of_row(&row(6, name, address), Some(before)), "{name} {address} {before}");
        }
        assert_ne!(of_row(&row(1, "a", "b c"), Some(0)), of_row(&row(1, "a b", "c"), Some(0)));
        // A line was inserted above it, and it has a note.
        let noted = || JobRow { cells: [muller().cells, vec![Text::new("a note")]].concat(), ..muller() };
        assert_eq!(known, of_row(&JobRow { no: 7, ..noted() }, Some(0)), "in every draft of the file");
        // Two people can have the same name, and no address.
        let other = |department: &str| JobRow {
            cells: vec![Text::new("김민수"), Text::new(department)],
            ..row(3, "김민수", "")
        };
        assert_ne!(of_row(&other("A"), Some(0)), of_row(&other("B"), Some(0)));
        // Before equal rows are counted.
        let known = of_row(&muller(), None);
        assert_eq!(known, of_row(&muller(), None));
        for row in [JobRow { no: 7, ..muller() }, noted()] {
            assert_ne!(known, of_row(&row, None), "{row:?}");
        }
    }

    #[test]
    fn input_under_a_former_subject_moves() {
        let form = |subject: &str, texts: &[&str]| {
            FormInput::new("correct", subject, texts.iter().map(|text| (*text).to_owned()).collect())
        };
        let mut typing = Typing::default();
        assert!(typing.take(&[form("6 a", &["typed"])], &[]).is_empty());
        // lapel has written a part of it before it knew the subject.
        let written = [form("6 a", &["ty"]), form("7 b", &["other"])];
        let open = [form("after 0 c", &["typed"]).moved_from(Some("6 a".into()))];
        assert_eq!(typing.take(&open, &written), [form("6 a", &[])]);
        let kept = typing.take(&[], &written[1..]);
        assert_eq!(
            kept.iter().map(|kept| (&*kept.subject, kept.texts.concat())).collect::<Vec<_>>(),
            [("after 0 c", "typed".to_owned())]
        );
    }

    #[test]
    fn the_input_of_a_job_is_not_that_of_a_job_with_its_number_in_another_journal() {
        let job = crate::tui::needs::tests::job(Phase::Stopped, &[]);
        let other = Job { created: job.created + jiff::SignedDuration::from_secs(60), ..job.clone() };
        assert_ne!(of_job(&job), of_job(&other));
    }

    #[tokio::test(start_paused = true)]
    async fn input_is_written_a_second_after_a_change_also_of_somebody_who_goes_on_typing() {
        let mut typing = Typing::default();
        let mut type_in = |text: &str| {
            typing.take(&[FormInput::new("issue", "TPL-001", vec![text.to_owned()])], &[]);
            typing.take_to_write(false)
        };
        assert!(type_in("가").is_empty());
        tokio::time::advance(Duration::from_millis(600)).await;
        assert!(type_in("가나").is_empty());
        tokio::time::advance(Duration::from_millis(600)).await;
        let written = type_in("가나다");
        assert_eq!(written.iter().map(|input| input.texts.as_slice()).collect::<Vec<_>>(), [["가나다"]]);
    }
}

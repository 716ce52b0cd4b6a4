//! The filter of a list: the filter fields of an endpoint. A line and a form are two views of the same fields. A
//! change applies after a pause in typing.

mod draw;
mod line;
mod value;

pub use value::{FilterChoice, FilterContext, FilterField, FilterFieldKind, FilterValue, check};

use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;
use crate::tui::widgets::text_fields::Focus;
use line::Suggestion;
use std::cell::Cell;
use value::read;

/// Pause in typing before lapel asks the service.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterView {
    #[default]
    Closed,
    Line,
    Form,
}

/// The text of the line while it is open, or while it does not stand for a filter.
#[derive(Default)]
struct OpenLine {
    field: TextField,
    at: Option<usize>,
    wrong: Option<String>,
}

pub struct FilterBar {
    specs: &'static [FilterField],
    fields: Vec<TextField>,
    focus: Focus,
    view: FilterView,
    line: Option<OpenLine>,
    /// The lines of earlier filters. They are kept until lapel ends.
    earlier: RecentInputs,
    pub known: FilterContext,
    /// The suggestion that is chosen in the form.
    chosen: Option<usize>,
    sight: ListArea,
    /// The line and its suggestions, which cover rows of the list.
    covered: Cell<Rect>,
    pause: Option<RequestId>,
    error: Option<String>,
}

impl FilterBar {
    pub fn new(specs: &'static [FilterField]) -> Self {
        Self {
            specs,
            fields: vec![TextField::default(); specs.len()],
            focus: Focus::default(),
            view: FilterView::Closed,
            line: None,
            earlier: RecentInputs::default(),
            known: FilterContext::default(),
            chosen: None,
            sight: ListArea::default(),
            covered: Cell::default(),
            pause: None,
            error: None,
        }
    }

    pub fn set(&mut self, at: usize, text: &str) {
        self.line = None;
        // A value of a saved filter or of a row is no misspelling.
        if self.specs.get(at).is_some_and(|spec| spec.takes == FilterFieldKind::Mail) {
            self.known.applied_mail = Some(text.trim().to_owned());
        }
        if let Some(field) = self.fields.get_mut(at) {
            field.set(text);
        }
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(TextField::value)
    }

    /// The text of each field as files keep it.
    pub fn written(&self) -> impl Iterator<Item = String> {
        self.specs.iter().zip(self.texts()).map(|(spec, text)| line::written(*spec, text, &self.known))
    }

    /// The checked values of all fields.
    ///
    /// # Errors
    /// A translated text that names the first wrong field or word and its mistake.
    pub fn values(&self) -> Result<Vec<FilterValue>, String> {
        if let Some(wrong) = self.line.as_ref().and_then(|line| line.wrong.clone()) {
            return Err(wrong);
        }
        let values: Vec<FilterValue> = self
            .specs
            .iter()
            .zip(self.texts())
            .map(|(spec, text)| read(*spec, text, &self.known))
            .collect::<Result<_, _>>()?;
        for (pair, specs) in values.windows(2).zip(self.specs.windows(2)) {
            if let ([FilterValue::Date(from), FilterValue::Date(to)], [first, second]) = (pair, specs)
                && first.label.ends_with("from")
                && from > to
            {
                let (first, second) = (tr(first.label), tr(second.label));
                return Err(t!("wrong order: {first} {from}, {second} {to}", first, from, second, to));
            }
        }
        Ok(values)
    }

    /// Keeps the mail status of a filter that now applies.
    pub fn keep_applied(&mut self, values: &[FilterValue]) {
        let mail = values.iter().find_map(FilterValue::try_as_mail_ref);
        self.known.applied_mail = mail.map(|mail| mail.code().to_owned());
    }

    /// The filter in words for the line above the list: `title “파이썬”`.
    pub fn words(&self) -> Vec<String> {
        self.specs
            .iter()
            .zip(self.texts())
            .filter(|(_, text)| !text.trim().is_empty())
            .map(|(spec, text)| {
                let written = line::written(*spec, text, &self.known);
                let value = match read(*spec, text, &self.known) {
                    Ok(FilterValue::State(state)) => tr(state.word()).to_owned(),
                    Ok(FilterValue::Mail(mail)) => mail.word().map_or(written, |word| tr(word).to_owned()),
                    _ => self.known.shown(*spec, &written),
                };
                let value = crate::domain::text::scrub(&value).into_owned();
                let label = tr(spec.label).to_lowercase();
                match spec.takes {
                    FilterFieldKind::Text | FilterFieldKind::Template | FilterFieldKind::Category => {
                        format!("{label} \u{201c}{value}\u{201d}")
                    }
                    _ => format!("{label} {value}"),
                }
            })
            .collect()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.iter().all(|f| f.value().trim().is_empty())
            && self.line.as_ref().is_none_or(|line| line.field.value().trim().is_empty())
    }

    pub fn mistake(&self) -> Option<String> {
        if self.view == FilterView::Line { self.values().err() } else { None }
    }

    pub fn is_open(&self) -> bool {
        self.view != FilterView::Closed
    }

    pub fn over(&self) -> Option<Vec<KeyContext>> {
        match self.view {
            FilterView::Closed => None,
            FilterView::Line => Some(KeyContext::FilterLine.in_field()),
            FilterView::Form => Some(KeyContext::FilterBar.in_field()),
        }
    }

    /// Opens a view. A line that does not stand for a filter stays as it is, and the form waits for its correction.
    pub fn open(&mut self, view: FilterView) {
        self.view = view;
        self.chosen = None;
        self.earlier.leave();
        let is_wrong = self.line.as_ref().is_some_and(|line| line.wrong.is_some());
        if is_wrong {
            self.view = FilterView::Line;
        } else if view == FilterView::Line {
            let text = line::render(self.specs, self.texts(), &self.known);
            self.line = Some(OpenLine { field: TextField::with(&text), ..OpenLine::default() });
        } else {
            self.line = None;
        }
    }

    pub fn close(&mut self) {
        self.view = FilterView::Closed;
        self.line.take_if(|line| line.wrong.is_none());
        let text = line::render(self.specs, self.texts(), &self.known);
        if !text.is_empty() && judge(&text) == Likeness::None {
            self.earlier.note(&text);
        }
    }

    pub fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    pub fn forget_earlier(&mut self) {
        self.earlier = RecentInputs::default();
    }

    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::NextField | Action::PreviousField => {
                self.complete(effects);
                self.step(action == Action::NextField);
            }
            Action::ClearField => self.clear(self.view == FilterView::Line, effects),
            Action::ClearFilter => self.clear(true, effects),
            Action::FilterForm if self.view == FilterView::Line => self.open(FilterView::Form),
            Action::FilterForm => self.open(FilterView::Line),
            Action::Earlier => self.recall(true, effects),
            Action::Down | Action::Up if self.is_recalling(action) => {
                self.recall(action == Action::Up, effects);
            }
            Action::Down | Action::Up if self.view == FilterView::Form && self.suggestions().1.is_empty() => {
                self.step(action == Action::Down);
            }
            Action::Down | Action::Up => self.choose(action == Action::Down),
            Action::Complete => self.take(effects),
            Action::Accept if self.chosen().is_some() => self.take(effects),
            Action::Accept => {
                self.complete(effects);
                return false;
            }
            _ => return false,
        }
        true
    }

    /// A change restarts the pause.
    pub fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) {
        if let Some(line) = self.line.as_mut().filter(|_| self.view == FilterView::Line) {
            if line.field.on_text_key(key) {
                self.earlier.leave();
                self.line_changed(effects);
            }
        } else if self.fields[self.focus.at].on_text_key(key) {
            self.changed(effects);
        }
    }

    pub fn on_paste(&mut self, text: &str, effects: &mut Effects<'_>) {
        if let Some(line) = self.line.as_mut().filter(|_| self.view == FilterView::Line) {
            line.field.on_paste(text);
            self.earlier.leave();
            self.line_changed(effects);
        } else {
            self.fields[self.focus.at].on_paste(text);
            self.changed(effects);
        }
    }

    /// A click on the line or on a suggestion. A second click takes the suggestion. `None` for a click elsewhere.
    pub fn on_click(&mut self, at: Position) -> Option<Clicked> {
        if !self.is_open() || !self.covered.get().contains(at) {
            return None;
        }
        let mut chosen = self.chosen().unwrap_or(usize::MAX);
        let clicked = self.sight.click(at, &mut chosen, Action::Complete);
        if clicked == Clicked::Changed {
            *self.chosen_mut() = Some(chosen);
        }
        Some(clicked)
    }

    /// Whether the open line or the suggestions hide this line of the list.
    pub fn covers(&self, row: u16) -> bool {
        self.is_open() && self.covered.get().rows().any(|line| line.y == row)
    }

    /// The suggestion that is chosen.
    fn chosen(&self) -> Option<usize> {
        if self.view == FilterView::Line { self.line.as_ref()?.at } else { self.chosen }
    }

    fn chosen_mut(&mut self) -> &mut Option<usize> {
        match &mut self.line {
            Some(line) if self.view == FilterView::Line => &mut line.at,
            _ => &mut self.chosen,
        }
    }

    fn step(&mut self, forward: bool) {
        self.chosen = None;
        self.focus.step(forward, self.fields.len());
    }

    pub fn clear(&mut self, all: bool, effects: &mut Effects<'_>) {
        if all {
            self.fields.iter_mut().for_each(TextField::clear);
            self.line = self.line.take().filter(|_| self.view == FilterView::Line).map(|mut line| {
                line.field.clear();
                OpenLine { field: line.field, ..OpenLine::default() }
            });
        } else {
            self.fields[self.focus.at].clear();
        }
        self.changed(effects);
    }

    /// Takes names of values that have arrived. What the line says may mean more now.
    pub fn learn(&mut self, choices: Vec<FilterChoice>, effects: &mut Effects<'_>) {
        let (mut seen, known) = (HashSet::new(), std::mem::take(&mut self.known.choices));
        let all = known.into_iter().chain(choices);
        self.known.choices = all.filter(|choice| seen.insert(choice.clone())).collect();
        if self.line.is_some() {
            // The suggestion that somebody has chosen stays chosen.
            let chosen = self.line.as_ref().and_then(|line| self.suggestions().1.into_iter().nth(line.at?));
            self.line_changed(effects);
            let at = self.suggestions().1.iter().position(|one| Some(one) == chosen.as_ref());
            if let Some(line) = &mut self.line {
                line.at = at;
            }
        }
    }

    /// Reads the line into the fields. Of a line with a wrong word, nothing is read.
    fn line_changed(&mut self, effects: &mut Effects<'_>) {
        let Some(line) = &mut self.line else { return };
        line.at = None;
        match line::parse(self.specs, line.field.value(), &self.known) {
            Err(wrong) => line.wrong = Some(wrong),
            Ok(values) => {
                line.wrong = None;
                self.fields.iter_mut().for_each(TextField::clear);
                for (at, typed) in values {
                    self.fields[at].set(&line::written(self.specs[at], &typed, &self.known));
                }
            }
        }
        self.changed(effects);
    }

    fn changed(&mut self, effects: &mut Effects<'_>) {
        self.chosen = None;
        self.error = self.values().err();
        effects.request_instead(&mut self.pause, Request::Pause(PAUSE));
    }

    /// The suggestions for the word before the cursor, and where that word begins.
    fn suggestions(&self) -> (usize, Vec<Suggestion>) {
        match (self.view, &self.line) {
            (FilterView::Line, Some(line)) => {
                line::suggestions(self.specs, line.field.split().0, &self.known)
            }
            (FilterView::Form, _) => (0, self.values_of_field()),
            _ => (0, Vec::new()),
        }
    }

    /// The known values of the field with the cursor. A whole value needs no suggestion, and the list itself shows titles,
    /// so that nothing covers it for them.
    fn values_of_field(&self) -> Vec<Suggestion> {
        let (spec, text) = (self.specs[self.focus.at], self.fields[self.focus.at].value().trim());
        if spec.name == "title" {
            return Vec::new();
        }
        let found: Vec<Suggestion> = line::values_with(spec, text, &self.known).collect();
        let is_whole = |one: &Suggestion| one.word == text || one.note == text;
        if !text.is_empty() && found.iter().any(is_whole) { Vec::new() } else { found }
    }

    /// Whether an arrow goes through earlier filters: up in an empty line, and each arrow after that.
    fn is_recalling(&self, action: Action) -> bool {
        let begins = || {
            let is_empty = |line: &OpenLine| line.field.value().is_empty() && line.at.is_none();
            action == Action::Up && !self.earlier.is_empty() && self.line.as_ref().is_some_and(is_empty)
        };
        self.earlier.at().is_some() || begins()
    }

    fn recall(&mut self, earlier: bool, effects: &mut Effects<'_>) {
        let Some(line) = &mut self.line else { return };
        match self.earlier.step(earlier, line.field.value()) {
            Some(text) => {
                line.field.set(&text);
                self.line_changed(effects);
            }
            None => effects.say(t!("There is no earlier filter yet.")),
        }
    }

    /// Chooses the next or the previous suggestion. Before the first one, none is chosen.
    fn choose(&mut self, next: bool) {
        let last = self.suggestions().1.len().checked_sub(1);
        let Some(last) = last else { return };
        let chosen = self.chosen_mut();
        *chosen = match (*chosen, next) {
            (None, true) => Some(0),
            (None, false) => Some(last),
            (Some(at), true) => Some((at + 1).min(last)),
            (Some(at), false) => at.checked_sub(1),
        };
    }

    /// Takes the chosen suggestion, or completes a word without a meaning that has one suggestion.
    fn complete(&mut self, effects: &mut Effects<'_>) {
        let (from, found) = self.suggestions();
        let typed = match &self.line {
            Some(line) if self.view == FilterView::Line => &line.field.split().0[from..],
            _ => self.fields[self.focus.at].value(),
        };
        let is_unfinished = match found.as_slice() {
            [one] if self.view == FilterView::Line => one.word != typed && self.values().is_err(),
            [_] => read(self.specs[self.focus.at], typed, &self.known).is_err(),
            _ => false,
        };
        if is_unfinished || self.chosen().is_some() {
            self.take(effects);
        }
    }

    /// Completes the line or the field of the form with the chosen suggestion, otherwise with the first one.
    fn take(&mut self, effects: &mut Effects<'_>) {
        let (from, found) = self.suggestions();
        let Some(chosen) = found.into_iter().nth(self.chosen().unwrap_or(0)) else { return };
        if self.view == FilterView::Form {
            self.fields[self.focus.at].set(&chosen.word);
            return self.changed(effects);
        }
        let Some(line) = &mut self.line else { return };
        let (before, after) = line.field.split();
        // A value is complete; after a field its value follows.
        let space = if chosen.word.ends_with(':') || after.starts_with(' ') { "" } else { " " };
        let (before, after) = (format!("{}{}{space}", &before[..from], chosen.word), after.to_owned());
        line.field.set_around(&before, &after);
        self.line_changed(effects);
    }

    /// Whether this request was the end of the pause. If so, the pause is over.
    pub fn paused(&mut self, request: RequestId) -> bool {
        self.pause.take_if(|own| *own == request).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BadgeTypeCode;

    const SPECS: &[FilterField] = &[
        FilterField { name: "title", label: "Title", word: "title:", takes: FilterFieldKind::Text },
        FilterField { name: "from", label: "Issued from", word: "from:", takes: FilterFieldKind::Date },
        FilterField { name: "to", label: "to", word: "to:", takes: FilterFieldKind::Date },
        FilterField { name: "use_yn", label: "In use", word: "use:", takes: FilterFieldKind::YesNo },
        FilterField { name: "badge_type", label: "Type", word: "type:", takes: FilterFieldKind::BadgeType },
    ];

    fn bar(values: [&str; 5]) -> FilterBar {
        let mut bar = FilterBar::new(SPECS);
        for (i, value) in values.into_iter().enumerate() {
            bar.set(i, value);
        }
        bar
    }

    #[test]
    fn typed_values_are_read() {
        let values = bar([" 파이썬 ", "2026-10-01", "", "y", "comp"]).values();
        assert!(values.is_err(), "comp is COMPLETE or COMPETENCY");
        let values = bar([" 파이썬 ", "2026-10-01", "", "y", "compet"]).values().expect("all fine");
        assert_eq!(values[0], FilterValue::Text("파이썬".into()));
        assert_eq!(values[1], FilterValue::Date(jiff::civil::date(2026, 10, 1)));
        assert_eq!(values[2], FilterValue::Empty);
        assert_eq!(values[3], FilterValue::YesNo(true));
        assert_eq!(values[4], FilterValue::BadgeType(BadgeTypeCode::Competency));
    }

    #[test]
    fn a_wrong_value_names_its_field() {
        for (values, named) in [
            (["", "2026-13-01", "", "", ""], "Issued from: 2026-13-01"),
            (["", "", "tomorrow", "", ""], "to: tomorrow"),
            (["", "2026-02-02", "2026-02-01", "", ""], "wrong order: Issued from 2026-02-02, to 2026-02-01"),
            (["", "", "", "maybe", ""], "In use: maybe"),
            (["", "", "", "", "medal"], "Type: medal"),
        ] {
            let error = bar(values).values().expect_err(named);
            assert!(error.contains(named), "{error}");
        }
    }

    fn suggested(bar: &FilterBar) -> Vec<String> {
        bar.suggestions().1.into_iter().map(|one| one.word).collect()
    }

    #[test]
    fn the_form_suggests_the_values_of_its_field() {
        let mut bar = FilterBar::new(SPECS);
        bar.known.today = Some(jiff::civil::date(2026, 11, 23));
        bar.open(FilterView::Form);
        assert!(suggested(&bar).is_empty(), "a title");
        bar.step(true);
        assert_eq!(suggested(&bar).first().map(String::as_str), Some("2026-11-23"));
        bar.fields[1].set("this m");
        assert_eq!(suggested(&bar), ["2026-11-01"]);
        bar.fields[1].set("2026-11-01");
        assert!(suggested(&bar).is_empty(), "a whole value");
        bar.step(true);
        bar.step(true);
        assert_eq!(suggested(&bar), ["Y", "N"]);
        bar.choose(true);
        bar.choose(true);
        assert_eq!(bar.chosen(), Some(1));
    }

    #[test]
    fn a_set_filter_reads_as_words() {
        assert_eq!(
            bar(["파이썬", "2026-10-01", "", "", ""]).words(),
            ["title “파이썬”", "issued from 2026-10-01"]
        );
    }
}

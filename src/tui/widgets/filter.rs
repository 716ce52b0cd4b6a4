//! The filter bar: the filter fields of an endpoint. A filter applies after a pause in typing.

use crate::domain::BadgeTypeCode;
use crate::i18n::tr;
use crate::secrets::{Likeness, judge};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::request::{Request, RequestId};
use crate::tui::widgets::field::{Field, Focus};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{fit, width};
use jiff::civil::Date;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::time::Duration;

/// Pause in typing before lapel asks the service.
const PAUSE: Duration = Duration::from_millis(300);

/// The kind of value that a filter field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Text,
    /// `YYYY-MM-DD`.
    Date,
    /// Y or N.
    YesNo,
    /// A badge type of the contract, or its beginning.
    BadgeType,
}

#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The field's name in the contract and in files.
    pub name: &'static str,
    pub label: &'static str,
    pub takes: Takes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Empty,
    Text(String),
    Date(Date),
    YesNo(bool),
    BadgeType(BadgeTypeCode),
}

impl Value {
    pub fn text(&self) -> Option<String> {
        if let Self::Text(text) = self { Some(text.clone()) } else { None }
    }

    pub fn date(&self) -> Option<Date> {
        if let Self::Date(date) = self { Some(*date) } else { None }
    }

    pub fn yes_no(&self) -> Option<bool> {
        if let Self::YesNo(yes) = self { Some(*yes) } else { None }
    }

    pub fn badge_type(&self) -> Option<BadgeTypeCode> {
        if let Self::BadgeType(code) = self { Some(code.clone()) } else { None }
    }
}

pub struct FilterBar {
    specs: &'static [Spec],
    fields: Vec<Field>,
    focus: Focus,
    pub open: bool,
    pause: Option<RequestId>,
    error: Option<String>,
}

impl FilterBar {
    pub fn new(specs: &'static [Spec]) -> Self {
        Self {
            specs,
            fields: vec![Field::default(); specs.len()],
            focus: Focus::default(),
            open: false,
            pause: None,
            error: None,
        }
    }

    pub fn set(&mut self, at: usize, text: &str) {
        if let Some(field) = self.fields.get_mut(at) {
            field.set(text);
        }
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(Field::value)
    }

    /// The checked values of all fields.
    ///
    /// # Errors
    /// A translated text that names the first wrong field and its mistake.
    pub fn values(&self) -> Result<Vec<Value>, String> {
        let values: Vec<Value> = self
            .specs
            .iter()
            .zip(&self.fields)
            .map(|(spec, field)| read(*spec, field.value()))
            .collect::<Result<_, _>>()?;
        for (pair, specs) in values.windows(2).zip(self.specs.windows(2)) {
            if let ([Value::Date(from), Value::Date(to)], [first, second]) = (pair, specs)
                && first.label.ends_with("from")
                && from > to
            {
                let (first, second) = (tr(first.label), tr(second.label));
                return Err(t!("wrong order: {first} {from}, {second} {to}", first, from, second, to));
            }
        }
        Ok(values)
    }

    /// The filter in words for the line above the list: `title “파이썬”`.
    pub fn words(&self) -> Vec<String> {
        self.specs
            .iter()
            .zip(&self.fields)
            .filter(|(_, field)| !field.value().trim().is_empty())
            .map(|(spec, field)| {
                let value = crate::domain::text::scrub(field.value().trim()).into_owned();
                let label = tr(spec.label).to_lowercase();
                match spec.takes {
                    Takes::Text => format!("{label} \u{201c}{value}\u{201d}"),
                    _ => format!("{label} {value}"),
                }
            })
            .collect()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.iter().all(|f| f.value().trim().is_empty())
    }

    /// Takes a key. A change restarts the pause.
    pub fn on_text_key(&mut self, key: crossterm::event::KeyEvent, out: &mut Effects<'_>) {
        if self.fields[self.focus.at].on_text_key(key) {
            self.changed(out);
        }
    }

    pub fn on_paste(&mut self, text: &str, out: &mut Effects<'_>) {
        self.fields[self.focus.at].on_paste(text);
        self.changed(out);
    }

    pub fn step(&mut self, forward: bool) {
        if forward { self.focus.next(self.fields.len()) } else { self.focus.previous(self.fields.len()) }
    }

    /// Clears the focused field, or all fields.
    pub fn clear(&mut self, all: bool, out: &mut Effects<'_>) {
        if all {
            self.fields.iter_mut().for_each(Field::clear);
        } else {
            self.fields[self.focus.at].clear();
        }
        self.changed(out);
    }

    fn changed(&mut self, out: &mut Effects<'_>) {
        self.error = self.values().err();
        out.ask_instead(&mut self.pause, Request::Pause(PAUSE));
    }

    /// Whether this request was the end of the pause. If so, the pause is over.
    pub fn paused(&mut self, request: RequestId) -> bool {
        if self.pause == Some(request) {
            self.pause = None;
            return true;
        }
        false
    }

    fn per_row(columns: u16) -> usize {
        if columns >= 110 { 3 } else { 2 }
    }

    /// Lines on the screen, with one for errors; 0 while the bar is closed.
    pub fn height(&self, columns: u16) -> u16 {
        if !self.open {
            return 0;
        }
        u16::try_from(self.specs.len().div_ceil(Self::per_row(columns))).unwrap_or(4) + 1
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let per_row = Self::per_row(area.width);
        let cell = usize::from(area.width.saturating_sub(2)) / per_row;
        let label = self.specs.iter().map(|s| width(tr(s.label))).max().unwrap_or(0);
        for (row, chunk) in self.specs.chunks(per_row).enumerate() {
            let mut spans = vec![Span::raw("  ")];
            for (i, spec) in chunk.iter().enumerate() {
                let at = row * per_row + i;
                let focused = at == self.focus.at;
                let style = if focused { env.theme.strong() } else { env.theme.dim() };
                spans.push(Span::styled(fit(tr(spec.label), label, env.glyphs.ellipsis), style));
                spans.push(Span::styled(if focused { env.glyphs.cursor } else { " " }, env.theme.accent()));
                let room = cell.saturating_sub(label + 3);
                if self.fields[at].value().is_empty() && !focused {
                    spans.push(Span::styled(
                        fit(hint(spec.takes), room, env.glyphs.ellipsis),
                        env.theme.dim(),
                    ));
                } else {
                    spans.extend(self.fields[at].spans(room, focused, env));
                }
                spans.push(Span::raw("  "));
            }
            let Ok(row) = u16::try_from(row) else { break };
            if row + 1 < area.height {
                frame.render_widget(Line::from(spans), Rect { y: area.y + row, height: 1, ..area });
            }
        }
        if area.height > 0 {
            let last = Rect { y: area.y + area.height - 1, height: 1, ..area };
            let line = match &self.error {
                Some(error) => Line::styled(format!("  {error}"), env.theme.error()),
                None => Line::raw(""),
            };
            frame.render_widget(line, last);
        }
    }
}

fn hint(takes: Takes) -> &'static str {
    match takes {
        Takes::Text => "",
        Takes::Date => "YYYY-MM-DD",
        Takes::YesNo => t!("Y or N"),
        Takes::BadgeType => "COMPLETE, COMPETENCY ...",
    }
}

/// Checks the typed text of a field.
///
/// # Errors
/// A translated text that names the field and its mistake.
pub fn read(spec: Spec, typed: &str) -> Result<Value, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(Value::Empty);
    }
    let shown = crate::domain::text::scrub(typed);
    let label = tr(spec.label);
    match spec.takes {
        Takes::Text => match judge(typed) {
            Likeness::None => Ok(Value::Text(typed.to_owned())),
            // For `Shape`, lapel asks the user when the bar closes.
            Likeness::Shape | Likeness::Key => {
                Err(t!("{label}: this looks like an API key; nothing was sent", label))
            }
        },
        Takes::Date => Date::strptime("%Y-%m-%d", typed)
            .map(Value::Date)
            .map_err(|_| t!("{label}: {shown} is not a date; use YYYY-MM-DD", label, shown)),
        Takes::YesNo => match typed.to_ascii_uppercase().as_str() {
            "Y" | "YES" => Ok(Value::YesNo(true)),
            "N" | "NO" => Ok(Value::YesNo(false)),
            _ => Err(t!("{label}: {shown} is not Y or N", label, shown)),
        },
        Takes::BadgeType => {
            let upper = typed.to_ascii_uppercase();
            let mut fitting = BadgeTypeCode::KNOWN.into_iter().filter(|code| code.wire().starts_with(&upper));
            match (fitting.next(), fitting.next()) {
                (Some(code), None) => Ok(Value::BadgeType(code)),
                (Some(_), Some(_)) => {
                    Err(t!("{label}: {shown} fits several values; type more", label, shown))
                }
                (None, _) => Err(t!(
                    "{label}: {shown} is none of COMPLETE, COMPETENCY, ACHIEVE, PARTICIPATE, CERTIFICATE",
                    label,
                    shown
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[Spec] = &[
        Spec { name: "title", label: "Title", takes: Takes::Text },
        Spec { name: "from", label: "Issued from", takes: Takes::Date },
        Spec { name: "to", label: "to", takes: Takes::Date },
        Spec { name: "use_yn", label: "In use", takes: Takes::YesNo },
        Spec { name: "badge_type", label: "Type", takes: Takes::BadgeType },
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
        assert_eq!(values[0], Value::Text("파이썬".into()));
        assert_eq!(values[1], Value::Date(jiff::civil::date(2026, 10, 1)));
        assert_eq!(values[2], Value::Empty);
        assert_eq!(values[3], Value::YesNo(true));
        assert_eq!(values[4], Value::BadgeType(BadgeTypeCode::Competency));
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

    #[test]
    fn what_is_set_reads_as_words() {
        assert_eq!(
            bar(["파이썬", "2026-10-01", "", "", ""]).words(),
            ["title “파이썬”", "issued from 2026-10-01"]
        );
    }
}

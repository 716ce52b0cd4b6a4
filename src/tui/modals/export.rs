//! Export of a list, of its marked rows, or of a job's receipt or redo file: file kind, path and number of requests.
//! The export runs outside the event loop. The user can cancel it, or continue to work meanwhile.

use crate::api::ListEnd;
use crate::export::{ExportContent, ExportFormat, ExportRequest, Exported, summary};
use crate::table::TableFormat;
use crate::tui::effects::Content;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::request::{JobFile, NotSaved};
use crate::tui::tour::TourPlace;
use crate::tui::widgets::path_field::PathField;

type ExportKind = (ExportFormat, &'static str, &'static str);

/// Each file kind with its name, and what it is for.
const KINDS: [ExportKind; 4] = [
    (ExportFormat::Table(TableFormat::Xlsx), "Excel", tr_noop!("text cells: ids keep their zeros")),
    (ExportFormat::Table(TableFormat::CsvUtf8), "CSV", tr_noop!("UTF-8, opens in Excel")),
    (ExportFormat::Table(TableFormat::CsvCp949), "CSV, CP949", tr_noop!("for old Korean Excel")),
    (ExportFormat::Lines, "JSON Lines", tr_noop!("one per line, for programs")),
];

const LONGEST_NAME: usize = 32;

pub struct ExportForm {
    source: ExportSource,
    kind: usize,
    file: PathField,
    exists: bool,
    /// The running request, rows so far, and total rows.
    work: Option<(RequestId, u64, u64)>,
    replaces: bool,
    error: Option<String>,
}

impl ExportForm {
    pub fn new(source: ExportSource, cx: &UiContext) -> Self {
        let mut file = PathField::with_earlier(cx.recent(InputKind::Export));
        file.set(&format!("lapel-{}-{}.xlsx", source.name, cx.now().date()));
        file.select();
        Self { source, kind: 0, file, exists: false, work: None, replaces: false, error: None }
    }

    /// The file kinds to choose from. Receipts and redo files are tables.
    fn kinds(&self) -> &'static [ExportKind] {
        if matches!(self.source.content, Content::List(_)) { &KINDS } else { &KINDS[..3] }
    }

    fn format(&self) -> ExportFormat {
        KINDS[self.kind].0
    }

    fn ending(&self) -> &'static str {
        self.format().ending()
    }

    fn back(&mut self, effects: &mut Effects<'_>) {
        self.error = None;
        if let Some((request, ..)) = self.work.take() {
            effects.cancel([request]);
            effects.say(t!("Export cancelled. Nothing was saved."));
        } else if self.exists {
            self.exists = false;
        } else {
            effects.close();
        }
    }

    fn choose(&mut self, at: usize) {
        let before = self.ending();
        self.kind = at % self.kinds().len();
        let after = self.ending();
        if let Some(stem) = self.file.text().strip_suffix(&format!(".{before}")) {
            let (name, is_proposal) = (format!("{stem}.{after}"), self.file.is_selected());
            self.file.set(&name);
            if is_proposal {
                self.file.select();
            }
        }
    }

    fn follow_ending(&mut self) {
        let Some(typed) = self.file.path().and_then(|path| ExportFormat::from_path(&path)) else { return };
        if typed.ending() != self.ending() {
            let place = self.kinds().iter().position(|(format, ..)| *format == typed);
            self.kind = place.unwrap_or(self.kind);
        }
    }

    fn write(&mut self, overwrite: bool, effects: &mut Effects<'_>) {
        self.error = None;
        let Some(to) = self.file.path() else {
            self.error = Some(t!("type a file name").to_owned());
            return;
        };
        (self.exists, self.replaces) = (false, overwrite);
        let order = match &self.source.content {
            Content::List(what) => {
                let kind = self.format();
                Request::Export(Box::new(ExportRequest { what: what.clone(), to, kind, overwrite }))
            }
            Content::JobFile(job_file) => {
                let ExportFormat::Table(format) = self.format() else { return };
                Request::JobFile(job_file.clone(), to, format, overwrite)
            }
        };
        self.work = Some((effects.request(order), 0, self.source.rows.unwrap_or(0)));
    }

    /// Why the export wrote no file while the form was hidden. `None` if there is no problem.
    fn trouble(&self) -> Option<String> {
        let exists =
            || self.exists.then(|| t!("A file with this name already exists. Nothing was saved.").to_owned());
        self.error.clone().or_else(exists).map(|why| t!("Export: {why}", why))
    }

    fn cost(&self, cx: &UiContext) -> String {
        if !matches!(self.source.content, Content::List(ExportContent::List(_))) {
            return t!("No requests needed: the rows are already loaded.").to_owned();
        }
        let Some(rows) = self.source.rows else {
            return t!("The number of requests is unknown: the service does not report the number of rows.")
                .to_owned();
        };
        cx.reading_cost(rows)
    }

    fn take_response(
        &mut self,
        reply: Reply,
        effects: &mut Effects<'_>,
    ) -> Result<Option<(String, bool)>, Reply> {
        let Reply { id, response } = reply;
        match response {
            Response::Export(done) if self.writes() == Some(id) => {
                self.work = None;
                match *done {
                    Ok(done) => {
                        // Store the absolute path: the next start may have another working directory.
                        if let Ok(path) = std::path::absolute(&done.written.path) {
                            effects.typed.push((InputKind::Export, path.to_string_lossy().into_owned()));
                        }
                        return Ok(Some(toast(&done, &self.source)));
                    }
                    Err(NotSaved::Exists) => self.exists = true,
                    Err(NotSaved::Failed(why)) => self.error = Some(why),
                }
                Ok(None)
            }
            response => self.file.on_response(Reply { id, response }).map(|()| None),
        }
    }
}

impl Component for ExportForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.work {
            Some(_) => KeyContext::Exporting.in_popup(),
            None => KeyContext::Export.in_field(),
        }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::Accept | Action::Complete | Action::ClearField => self.work.is_none(),
            Action::Earlier => self.work.is_none() && self.file.is_enabled(action),
            // Not in the footer: the form shows these keys.
            Action::Later | Action::Down | Action::Up => false,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Back => self.back(effects),
            Action::Aside => effects.go.push(Navigate::Aside),
            _ if self.work.is_some() => {
                return !matches!(action, Action::Help | Action::Palette | Action::Quit);
            }
            // While the confirmation is open.
            _ if self.exists => return false,
            Action::Accept => self.write(false, effects),
            Action::Earlier | Action::Later => {
                self.file.on_action(action, effects);
                self.follow_ending();
            }
            Action::Down => self.choose(self.kind + 1),
            Action::Up => self.choose(self.kind + self.kinds().len() - 1),
            Action::ClearField | Action::Complete => return self.file.on_action(action, effects),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.work.is_some() {
            return false;
        }
        let typed = self.file.on_text_key(key);
        if typed {
            self.error = None;
            self.follow_ending();
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if self.work.is_none() {
            self.file.set_pasted(text);
            self.follow_ending();
        }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        if let Some(toast) = self.take_response(reply, effects)? {
            effects.notice = Some(toast);
            effects.close();
        }
        Ok(())
    }

    fn on_progress(&mut self, request: RequestId, now: u64, of: u64) -> bool {
        match &mut self.work {
            Some((mine, done, all)) if *mine == request => {
                (*done, *all) = (now, of);
                true
            }
            _ => false,
        }
    }

    fn typed_path(&self) -> Option<&str> {
        Some(self.file.text())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let mut form = FormText::in_popup(area, cx);
        form.text(&cx.place(), theme.accent());
        form.blank();
        for (at, (_, name, what)) in self.kinds().iter().enumerate() {
            form.choice(&format!("{} {}", fit(name, 12, ""), tr(what)), at == self.kind);
        }
        form.blank();
        let focused = self.work.is_none();
        form.labelled(t!("File"), focused, |columns| self.file.spans(columns, focused, cx));
        form.extend(self.file.lines(form.room(), cx));
        form.blank();
        let key = |action| cx.key(&self.key_contexts(), action);
        if let Some((_, done, all)) = &self.work {
            let (done, all) = (number(*done), (*all > 0).then(|| number(*all)));
            let far = match all {
                Some(all) => t!("{done} of {all} rows", done, all),
                None => t!("{done} rows", done),
            };
            form.text(&format!("{} {far}", cx.spinner()), theme.text());
            form.dim(&t!(
                "lapel tells you when the file is ready.  {key} continue in the background  {esc} back (cancels; nothing is saved)",
                key = key(Action::Aside),
                esc = key(Action::Back)
            ));
        } else {
            for text in self.source.note.iter().chain([&self.cost(cx)]) {
                form.text(text, theme.text());
            }
            if matches!(self.source.content, Content::List(_)) {
                form.dim(&t!("Times in the file are in the service's zone ({zone}).", zone = cx.zone()));
            }
            form.dim(&t!(
                "Only you can read the file: it may hold names and e-mail addresses. Without a folder, it is saved where lapel was started.  {enter} save  {up} {down} format",
                enter = key(Action::Accept),
                up = key(Action::Up),
                down = key(Action::Down)
            ));
        }
        self.error.iter().for_each(|error| form.error(error));
        form.draw_popup(frame, area, &t!("Export   {what}", what = self.source.head));
    }
}

impl Modal for ExportForm {
    fn leave(&mut self, effects: &mut Effects<'_>) -> bool {
        if self.work.is_some() {
            effects.say(t!(
                "lapel is still writing the file. Let it go on in the background first, or cancel it."
            ));
        }
        self.work.is_none()
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        self.exists.then_some(ConfirmQuestion::ONE)
    }

    fn tour_place(&self) -> TourPlace {
        match self.source.content {
            Content::JobFile(JobFile { redo: false, .. }) => TourPlace::JobFile,
            _ => TourPlace::Elsewhere,
        }
    }

    fn writes(&self) -> Option<RequestId> {
        self.work.map(|(request, ..)| request)
    }

    fn being_written(&self, cx: &UiContext) -> Option<(String, &'static str)> {
        self.work?;
        let path = self.file.path()?;
        let name = scrub(&path.file_name()?.to_string_lossy()).into_owned();
        let left =
            if self.replaces { t!("The existing file stays unchanged.") } else { t!("No file is left.") };
        Some((fit(&name, LONGEST_NAME, cx.glyphs.ellipsis).trim_end().to_owned(), left))
    }

    fn on_written(
        &mut self,
        reply: Reply,
        effects: &mut Effects<'_>,
    ) -> Result<Option<(String, bool)>, Reply> {
        let said = self.take_response(reply, effects)?;
        Ok(said.or_else(|| self.trouble().map(|why| (why, true))))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.asks(t!("Replace the file"), self.file.text(), cx);
        form.warning(t!("A file with this name already exists. Nothing was saved."));
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.write(true, effects);
    }
}

/// Message about the written file, and whether it is a warning: the file may be incomplete.
fn toast(done: &Exported, source: &ExportSource) -> (String, bool) {
    let path = scrub(&done.written.path.to_string_lossy()).into_owned();
    let mut parts =
        vec![plural!(done.written.rows, "Saved {n} row to {path}.", "Saved {n} rows to {path}.", path)];
    let mut bad = false;
    if let (Some(read), Content::List(ExportContent::List(list))) = (&done.read, &source.content) {
        bad = !matches!(read.end, ListEnd::Complete | ListEnd::Uncounted);
        // Completeness is not mentioned if the number of rows matches the list.
        if read.end != ListEnd::Complete || read.gone > 0 || source.rows != Some(read.rows) {
            parts.push(summary(read, list.shape().noun));
        }
    }
    parts.extend(done.written.remarks());
    (parts.join(" "), bad)
}

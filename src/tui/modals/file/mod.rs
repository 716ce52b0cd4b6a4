//! Form for an opened file of recipients or badge ids. It shows how lapel reads the file, the first rows, and open
//! questions. Nothing is saved before the user answers them. Nothing is sent before the review of the draft.

mod draw;
mod file_questions;
mod mapping;
mod steps;

use crate::domain::email::sentence;
use crate::jobs::intake::{Choices, ColumnGuess};
use crate::jobs::{FileChange, FileSource, FileState, Opened};
use crate::secrets::fingerprint;
use crate::tui::modals::draft::{DraftForm, shares, titles};
use crate::tui::prelude::*;
use crate::tui::request::JobReply;
use crate::tui::widgets::job_rows::own_moment;
use draw::changed_rows;
pub use draw::{changed, map_words};
use serde::{Deserialize, Serialize};
use steps::FileStep;

/// Maximum number of drafts of a changed file that are compared with it.
const MOST_COMPARED: usize = 5;

const MAPPING: [KeyContext; 4] =
    [KeyContext::Mapping, KeyContext::Covering, KeyContext::Popup, KeyContext::Always];

pub struct FileForm {
    purpose: Purpose,
    source: ImportSource,
    /// The source as the subject of kept choices.
    subject: String,
    choices: Choices,
    opened: Option<Opened>,
    work: Option<RunningRequest>,
    step: Option<FileStep>,
    cursor: ListCursor,
    said: Option<String>,
    /// Set if the form maps the columns of drafts again.
    again: Option<Again>,
    kept: DraftOffer,
    /// What changed in the file since each offered draft, by its place, as far as it was read.
    changes: Vec<(RequestId, usize, Option<FileChange>)>,
    /// The choices with which the form began.
    begun: KeptChoices,
    /// A mapping that was not accepted before, until the file is read.
    refilled: Option<ColumnGuess>,
    /// Whether the choices were replaced, so that the file must be read with them.
    reads_again: bool,
    /// Whether the choices are those of an earlier form, with which the file was not read yet.
    is_refilled: bool,
}

/// What lapel keeps of the form when it is left for another tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KeptChoices {
    choices: Choices,
    by_column: bool,
    /// The mapping that was not accepted yet.
    mapping: Option<ColumnGuess>,
}

/// The kept drafts. The form offers those of this file once, before anything else.
enum DraftOffer {
    Reading(RequestId),
    Read(Vec<Job>),
    Offered,
}

struct Again {
    drafts: Vec<JobId>,
    source: FileSource,
    /// `None` if the file is unchanged.
    change: Option<FileChange>,
    /// Whether the mapping still has to be shown.
    is_new: bool,
}

#[derive(Clone, Debug)]
pub enum Purpose {
    Issue {
        template: (TemplateId, Text),
        by_column: bool,
    },
    Revoke {
        /// Holders may see the reason.
        reason: String,
        when_issued: bool,
    },
}

struct RunningRequest {
    request: RequestId,
    /// True while lapel saves the rows as a draft. False while it only reads the file.
    drafting: bool,
    done: u64,
    all: u64,
}

impl FileForm {
    /// `source` is a file or pasted text.
    pub fn new(purpose: Purpose, source: ImportSource, effects: &mut Effects<'_>) -> Self {
        let kept = DraftOffer::Reading(effects.request(Request::KeptDrafts));
        let mut form = Self { kept, ..Self::unasked(purpose, source) };
        form.open(effects);
        form
    }

    /// A form that offers no kept drafts.
    fn unasked(purpose: Purpose, source: ImportSource) -> Self {
        let subject = match &source {
            ImportSource::File(path) => path.to_string_lossy().into_owned(),
            ImportSource::Pasted(text) => fingerprint(text),
        };
        Self {
            purpose,
            source,
            subject,
            choices: Choices::default(),
            opened: None,
            work: None,
            step: None,
            cursor: ListCursor::default(),
            said: None,
            again: None,
            kept: DraftOffer::Offered,
            changes: Vec::new(),
            begun: KeptChoices::default(),
            refilled: None,
            reads_again: false,
            is_refilled: false,
        }
        .beginning()
    }

    /// Notes the choices with which the form begins.
    fn beginning(mut self) -> Self {
        self.begun = KeptChoices { mapping: None, ..self.chosen() };
        self
    }

    fn chosen(&self) -> KeptChoices {
        let edited = match (&self.step, &self.opened) {
            (Some(FileStep::Columns(mapping)), Some(opened)) if mapping.is_changed(&opened.about) => {
                Some(&mapping.chosen)
            }
            _ => self.refilled.as_ref(),
        };
        let by_column = matches!(self.purpose, Purpose::Issue { by_column: true, .. });
        KeptChoices { choices: self.choices.clone(), by_column, mapping: edited.cloned() }
    }

    /// Takes choices, with which the file is read again.
    fn choose_as(&mut self, kept: KeptChoices) {
        self.choices = kept.choices;
        if let Purpose::Issue { by_column, .. } = &mut self.purpose {
            *by_column = kept.by_column;
        }
        self.refilled = kept.mapping;
        (self.step, self.reads_again) = (None, true);
    }

    /// Opens the file of drafts at the column mapping, or says that the file is gone. The drafts keep their rows.
    /// `replaced`: the drafts that they replace themselves.
    pub fn open_again(drafts: &[Job], replaced: &[JobId], state: FileState, effects: &mut Effects<'_>) {
        let (source, change) = match state {
            FileState::Unchanged(source) => (source, None),
            FileState::Changed(source, change) => (source, Some(change)),
            FileState::Gone(source) => {
                effects.warn(gone(&source));
                return;
            }
        };
        let Some(template) =
            drafts.first().and_then(|job| Some((job.template_id.clone()?, job.title.clone())))
        else {
            return;
        };
        let drafts = drafts.iter().map(|job| job.id).chain(replaced.iter().copied()).collect();
        effects.open(move |_, effects| {
            let purpose = Purpose::Issue { template, by_column: source.by_column };
            let mut form = Self {
                choices: source.choices.clone(),
                ..Self::unasked(purpose, ImportSource::File(source.path.clone()))
            }
            .beginning();
            form.again = Some(Again { drafts, source, change, is_new: true });
            form.open(effects);
            form
        });
    }

    /// Whether reading the file would give the drafts that are already there.
    fn is_as_before(&self) -> bool {
        let by_column = matches!(self.purpose, Purpose::Issue { by_column: true, .. });
        self.again.as_ref().is_some_and(|again| {
            again.change.is_none()
                && again.source.choices == self.choices
                && again.source.by_column == by_column
        })
    }

    fn open(&mut self, effects: &mut Effects<'_>) {
        self.cancel(effects);
        self.said = None;
        self.reads_again = false;
        let (source, choices) = (self.source.clone(), self.choices.clone());
        let request = effects.request(match self.purpose {
            Purpose::Issue { .. } => Request::OpenFile(source, choices),
            Purpose::Revoke { .. } => Request::OpenIds(source, choices),
        });
        self.work = Some(RunningRequest { request, drafting: false, done: 0, all: 0 });
    }

    fn cancel(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.work.take().map(|work| work.request));
        self.forget_changes(effects);
    }

    fn forget_changes(&mut self, effects: &mut Effects<'_>) {
        let unread = self.changes.drain(..).filter(|(.., change)| change.is_none());
        effects.cancel(unread.map(|(request, ..)| request));
    }

    /// What changed in the file since this draft of those that are offered, if that was read.
    fn change_of(&self, draft: usize) -> Option<&FileChange> {
        self.changes.iter().find(|(_, of, _)| *of == draft)?.2.as_ref()
    }

    /// Whether the user must wait: for a request about the file, or for the kept drafts.
    fn is_reading(&self) -> bool {
        self.work.is_some() || matches!(self.kept, DraftOffer::Reading(_))
    }
}

impl Component for FileForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.step {
            Some(FileStep::Columns(_)) => MAPPING.to_vec(),
            Some(_) => KeyContext::Menu.over_tab(),
            None => KeyContext::File.over_tab(),
        }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        let Some(opened) = self.opened.as_ref().filter(|_| !matches!(self.kept, DraftOffer::Reading(_)))
        else {
            return match action {
                Action::Accept => !self.is_reading(),
                Action::ClearForm => self.is_refilled,
                _ => action == Action::Back,
            };
        };
        match action {
            Action::Encoding => opened.about.encoding.is_some(),
            Action::Sheet => opened.about.sheets.len() > 1,
            Action::Toggle => self.has_template_column(),
            Action::Accept => self.work.is_none(),
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept && self.step.is_none() { t!("check rows") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.step.is_some() {
            return self.act_step(action, cx, effects);
        }
        match action {
            Action::Back => {
                self.cancel(effects);
                self.set_input(&[]);
                effects.close();
            }
            Action::Encoding | Action::Columns | Action::Sheet | Action::Header
                if self.opened.is_none() || !self.is_enabled(action, cx) =>
            {
                effects.say(t!("This cannot be chosen for this file."));
            }
            Action::Encoding => {
                self.ask(self.opened.as_ref().map(|opened| FileStep::encoding(&opened.about)));
            }
            Action::Columns => self.ask(self.columns()),
            Action::Sheet => self.ask(Some(FileStep::Sheet)),
            Action::Header => self.ask(Some(FileStep::Header)),
            Action::Toggle if self.has_template_column() => {
                if let Purpose::Issue { by_column, .. } = &mut self.purpose {
                    *by_column = !*by_column;
                }
            }
            Action::Accept => self.go_on(effects),
            _ => return false,
        }
        true
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        match &mut self.step {
            None => Clicked::Nothing,
            Some(FileStep::Columns(mapping)) => mapping.on_click(at),
            Some(_) => self.cursor.on_click(at, Action::Accept),
        }
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        if matches!(self.kept, DraftOffer::Reading(reading) if reading == id) {
            let Response::KeptDrafts(kept) = response else { return Err(Reply { id, response }) };
            self.kept = DraftOffer::Read(kept.unwrap_or_else(|why| {
                self.said = Some(why);
                Vec::new()
            }));
            self.begin_questions(effects);
            return Ok(());
        }
        if let Some((.., change)) = self.changes.iter_mut().find(|(request, ..)| *request == id) {
            let Response::Compared(compared) = response else { return Err(Reply { id, response }) };
            // If they cannot be compared, the choice says only that the file has changed.
            if let Ok(FileState::Changed(_, found)) = *compared {
                *change = Some(found);
            }
            return Ok(());
        }
        if self.work.take_if(|work| work.request == id).is_none() {
            return Err(Reply { id, response });
        }
        match response {
            Response::Opened(opened) => match *opened {
                Ok(opened) => {
                    (self.opened, self.is_refilled) = (Some(opened), false);
                    let has = self.has_template_column();
                    if let Purpose::Issue { by_column, .. } = &mut self.purpose {
                        *by_column &= has;
                    }
                    self.begin_questions(effects);
                }
                // The file may have changed since the choices were kept, or cannot be read for a moment.
                Err(why) if self.is_refilled && self.choices != self.begun.choices => {
                    self.said = Some(t!(
                        "{why} lapel used what you chose before. {enter} tries it again, {clear} clears it.",
                        why = sentence(&why),
                        enter = cx.key(&self.key_contexts(), Action::Accept),
                        clear = cx.key(&self.key_contexts(), Action::ClearForm)
                    ));
                }
                Err(why) => self.said = Some(why),
            },
            Response::Drafted(Ok(drafts)) => {
                self.set_input(&[]);
                let replaces = self.again.as_ref().map(|again| again.drafts.clone());
                if let Purpose::Issue { .. } = self.purpose {
                    // The draft keeps the recipients from now on.
                    effects.go.push(Navigate::InputUsed);
                }
                DraftForm::open_instead(drafts, replaces.unwrap_or_default(), effects);
                effects.close();
            }
            Response::Done(Ok(JobReply::Drafts(jobs))) => {
                DraftForm::open(jobs, effects);
                effects.close();
            }
            Response::Drafted(Err(why)) | Response::Done(Err(why)) => self.said = Some(why),
            _ => {}
        }
        Ok(())
    }

    fn on_progress(&mut self, request: RequestId, now: u64, of: u64) -> bool {
        match &mut self.work {
            Some(work) if work.request == request => {
                (work.done, work.all) = (now, of);
                true
            }
            _ => false,
        }
    }

    fn load_visible(&mut self, _: Rect, _: &UiContext, effects: &mut Effects<'_>) {
        if self.reads_again {
            self.open(effects);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.draw_all(frame, area, cx);
    }
}

impl Modal for FileForm {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::Covers | ModalFlag::PreparesSending)
    }

    fn input(&self) -> Option<FormInput> {
        // The columns of drafts are no import of their own.
        let form = if self.again.is_some() { "columns" } else { "file" };
        let purpose = match &self.purpose {
            Purpose::Issue { template, .. } => template.0.wire(),
            Purpose::Revoke { .. } => "revoke",
        };
        let chosen = self.chosen();
        let texts = if chosen == self.begun {
            Vec::new()
        } else {
            serde_json::to_string(&chosen).into_iter().collect()
        };
        Some(FormInput::new(form, format!("{purpose} {}", self.subject), texts))
    }

    fn set_input(&mut self, texts: &[String]) {
        let kept = texts.first().and_then(|text| serde_json::from_str(text).ok());
        self.is_refilled = kept.is_some();
        self.choose_as(kept.unwrap_or_else(|| self.begun.clone()));
    }
}

pub fn gone(source: &FileSource) -> String {
    let file = Text::from(source.path.to_string_lossy().into_owned());
    t!("{file} does not exist any more. The draft keeps its rows.", file)
}

fn kept_words(import: &[Job], sha256: &str, change: Option<&FileChange>, cx: &UiContext) -> String {
    let Some(first) = import.first() else { return String::new() };
    let (time, title) = (own_moment(first.created, cx), titles(import));
    let rows = shares(import).join(&format!(" {} ", cx.glyphs.dot));
    if first.origin.as_ref().is_some_and(|origin| origin.sha256 == sha256) {
        t!("draft of {time}  {title}: {rows}", time, title, rows)
    } else if let Some(change) = change {
        let change = changed_rows(change);
        t!("draft of {time}, before the file changed ({change})  {title}: {rows}", time, change, title, rows)
    } else {
        t!("draft of {time}, before the file changed  {title}: {rows}", time, title, rows)
    }
}

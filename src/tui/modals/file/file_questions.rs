//! The questions about an opened file, one after the other: kept drafts of it, encoding, sheet, header row and columns.

use super::mapping::{Mapping, fits};
use super::steps::FileStep;
use super::{DraftOffer, FileForm, MOST_COMPARED, Purpose, RunningRequest};
use crate::jobs::intake::{Choices, FileQuestion, HeaderRow};
use crate::jobs::{FileRequest, IdsRequest, Opened, Preview};
use crate::tui::modals::draft::imports;
use crate::tui::prelude::*;

impl FileForm {
    pub(super) fn questions(&self) -> Vec<FileQuestion> {
        self.opened.as_ref().map(Opened::questions).unwrap_or_default()
    }

    pub(super) fn lacks_id_column(&self) -> bool {
        self.opened
            .as_ref()
            .is_some_and(|opened| matches!(opened.preview, Preview::BadgeIds { column: None, .. }))
    }

    pub(super) fn has_template_column(&self) -> bool {
        let is_named = |opened: &Opened| opened.about.map.map().is_some_and(|map| map.template.is_some());
        matches!(self.purpose, Purpose::Issue { .. }) && self.opened.as_ref().is_some_and(is_named)
    }

    /// Begins with the present mapping.
    pub(super) fn columns(&self) -> Option<FileStep> {
        let opened = self.opened.as_ref()?;
        Some(match self.purpose {
            Purpose::Issue { .. } => FileStep::Columns(Mapping::of(&opened.about)),
            Purpose::Revoke { .. } => FileStep::IdColumn,
        })
    }

    pub(super) fn go_on(&mut self, effects: &mut Effects<'_>) {
        if self.is_reading() {
            effects.say(t!("Still reading the file. Nothing was sent."));
            return;
        }
        if self.ask_next() {
            return;
        }
        if self.opened.is_none() {
            self.open(effects);
            return;
        }
        if self.is_as_before() {
            effects.say(t!("The columns are unchanged. The draft keeps its rows and decisions."));
            effects.close();
            return;
        }
        self.said = None;
        let (source, choices) = (self.source.clone(), self.choices.clone());
        let replaced = self.again.as_ref().map(|again| again.drafts.clone()).unwrap_or_default();
        let request = effects.request(match &self.purpose {
            Purpose::Issue { template, by_column } => {
                let template = (!by_column).then(|| template.clone());
                Request::DraftFile(Box::new(FileRequest { template, source, choices }), replaced)
            }
            Purpose::Revoke { reason, when_issued } => {
                let (reason, when_issued) = (reason.clone(), *when_issued);
                Request::DraftIds(Box::new(IdsRequest { source, choices, reason, when_issued }))
            }
        });
        self.work = Some(RunningRequest { request, drafting: true, done: 0, all: 0 });
    }

    /// Whether a draft was made from this file, for this purpose. The file may have changed since.
    pub(super) fn is_of_this_file(&self, draft: &Job, opened: &Opened) -> bool {
        let Some(origin) = &draft.origin else { return false };
        let is_same_path = match (&self.source, &origin.source) {
            (ImportSource::File(path), Some(source)) => *path == source.path,
            _ => false,
        };
        let is_same_purpose = match &self.purpose {
            Purpose::Issue { template, .. } => {
                let is_split = origin.source.as_ref().is_some_and(|source| source.by_column);
                draft.kind == Kind::Issue && (is_split || draft.template_id.as_ref() == Some(&template.0))
            }
            Purpose::Revoke { .. } => draft.kind == Kind::Revoke,
        };
        is_same_purpose && (is_same_path || origin.sha256 == opened.about.sha256)
    }

    /// Offers the kept drafts of this file, or asks the first question, once the file and the drafts are read.
    pub(super) fn begin_questions(&mut self, effects: &mut Effects<'_>) {
        let Some(opened) = &self.opened else { return };
        match &self.kept {
            DraftOffer::Reading(_) => return,
            DraftOffer::Read(all) => {
                let mine: Vec<Job> =
                    all.iter().filter(|draft| self.is_of_this_file(draft, opened)).cloned().collect();
                self.kept = DraftOffer::Offered;
                if !mine.is_empty() {
                    let imports = imports(&mine);
                    self.compare(&imports, effects);
                    self.ask(Some(FileStep::Kept(imports)));
                    return;
                }
            }
            DraftOffer::Offered => {}
        }
        let maps_again = self.again.as_mut().is_some_and(|again| std::mem::take(&mut again.is_new));
        let refilled = self.refilled.take().filter(|chosen| fits(chosen, &opened.about));
        if let Some(chosen) = refilled {
            let mapping = Mapping::with(chosen, &opened.about);
            self.ask(Some(FileStep::Columns(mapping)));
        } else if !self.ask_next() && maps_again {
            self.ask(self.columns());
        }
    }

    /// Compares the newest drafts with the file, if it has changed since.
    pub(super) fn compare(&mut self, imports: &[Vec<Job>], effects: &mut Effects<'_>) {
        let Some(opened) = &self.opened else { return };
        let has_changed = |import: &Vec<Job>| {
            let origin = import.first().and_then(|job| job.origin.as_ref());
            origin.is_some_and(|origin| origin.source.is_some() && origin.sha256 != opened.about.sha256)
        };
        let changed = imports.iter().enumerate().filter(|(_, import)| has_changed(import));
        let ask = |(at, import): (usize, &Vec<Job>)| {
            let ids = import.iter().map(|job| job.id).collect();
            (effects.request(Request::CompareFile(ids)), at, None)
        };
        self.changes = changed.take(MOST_COMPARED).map(ask).collect();
    }

    /// Continues with the drafts of an earlier import, or asks the first question for a new one.
    pub(super) fn choose_kept(&mut self, import: Option<&Vec<Job>>, effects: &mut Effects<'_>) {
        self.forget_changes(effects);
        match import {
            Some(drafts) => {
                let ids = drafts.iter().map(|job| job.id).collect();
                let request = effects.command(JobCommand::OpenDrafts(ids));
                self.work = Some(RunningRequest { request, drafting: false, done: 0, all: 0 });
            }
            None => self.begin_questions(effects),
        }
    }

    /// Opens the step for the first open question. Returns whether there is one.
    pub(super) fn ask_next(&mut self) -> bool {
        let Some(opened) = &self.opened else { return false };
        let step = match self.questions().into_iter().next() {
            Some(FileQuestion::EncodingAmbiguous) => Some(FileStep::encoding(&opened.about)),
            Some(FileQuestion::SheetAmbiguous) => Some(FileStep::Sheet),
            Some(FileQuestion::HeaderNotFound) => Some(FileStep::Header),
            Some(
                FileQuestion::ColumnsAmbiguous { .. }
                | FileQuestion::ColumnMissing { .. }
                | FileQuestion::ColumnContradicts { .. },
            ) => self.columns(),
            None if self.lacks_id_column() => self.columns(),
            None => None,
        };
        self.ask(step);
        self.step.is_some()
    }

    pub(super) fn ask(&mut self, step: Option<FileStep>) {
        (self.step, self.cursor) = (step, ListCursor::default());
    }

    pub(super) fn act_step(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let choices = self.step_choices(cx).len().max(1);
        let Some(step) = &mut self.step else { return false };
        if let (FileStep::Columns(mapping), Some(opened)) = (&mut *step, &self.opened) {
            match action {
                Action::NextChoice => mapping.change(1, &opened.about),
                Action::PreviousChoice => mapping.change(-1, &opened.about),
                Action::Back => {
                    if mapping.is_changed(&opened.about) {
                        effects.say(t!("The columns stay as they were."));
                    }
                    self.step = None;
                }
                Action::Accept => self.choose(effects),
                _ => return mapping.move_focus(action, &opened.about),
            }
            return true;
        }
        match action {
            Action::Back => self.step = None,
            Action::Accept => self.choose(effects),
            _ => return self.cursor.on_menu_action(action, choices),
        }
        true
    }

    pub(super) fn choose(&mut self, effects: &mut Effects<'_>) {
        let (Some(step), Some(opened)) = (self.step.take(), &self.opened) else { return };
        let (about, at) = (&opened.about, self.cursor.at());
        match step {
            FileStep::Encoding(all) => {
                self.choices.encoding = all.get(at).copied();
                // The old columns and header came from the old encoding.
                forget_columns(&mut self.choices);
                self.choices.header = None;
            }
            FileStep::Sheet => {
                self.choices.sheet = about.sheets.get(at).map(|sheet| sheet.name.wire().to_owned());
                forget_columns(&mut self.choices);
                self.choices.header = None;
            }
            FileStep::Header => {
                let row = at.checked_sub(1).and_then(|at| opened.rows.get(at));
                self.choices.header = Some(row.map_or(HeaderRow::Absent, |row| HeaderRow::At(row.line)));
                forget_columns(&mut self.choices);
            }
            FileStep::IdColumn => self.choices.id_column = Some(at),
            FileStep::Kept(drafts) => {
                self.choose_kept(drafts.get(at), effects);
                return;
            }
            FileStep::Columns(mut mapping) => match mapping.accept(about) {
                Some(map) => self.choices.columns = Some(map),
                None => {
                    self.step = Some(FileStep::Columns(mapping));
                    return;
                }
            },
        }
        self.open(effects);
    }
}

fn forget_columns(choices: &mut Choices) {
    choices.columns = None;
    choices.id_column = None;
}

//! Files that are being written: in their form, or in the background.

use super::{App, LoopCommand, OpenedModal};
use crate::tui::modals::export::ExportForm;
use crate::tui::prelude::*;

impl App {
    /// Opens the export form. If a file is written in the background, shows the form of that one instead.
    pub(super) fn open_export(&mut self, source: ExportSource) {
        if let Some(form) = self.connection.background.take() {
            if let Some(request) = form.writes() {
                self.connection.pending.show(request, true);
            }
            self.modals.push(form);
        } else {
            self.modals.open(ExportForm::new(source, &self.cx));
        }
    }

    fn open_and_background(&self) -> impl Iterator<Item = &OpenedModal> {
        self.modals.iter().chain(&self.connection.background)
    }

    /// The file that is being written, and what remains of it after a cancellation.
    pub(super) fn being_written(&self) -> Option<(String, &'static str)> {
        self.open_and_background().find_map(|form| form.being_written(&self.cx))
    }

    pub(super) fn leave(&mut self, effects: &mut Effects<'_>) {
        if let Some((file, left)) = self.being_written() {
            self.parting = Some(format!("{} {left}", t!("The export to {file} was cancelled.", file)));
        }
        let requests: Vec<RequestId> = self.open_and_background().filter_map(|form| form.writes()).collect();
        self.modals.retain(|modal| modal.writes().is_none());
        self.connection.background = None;
        effects.cancel(requests);
        self.loop_command = Some(LoopCommand::Quit);
    }
}

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
            self.open(ExportForm::new(source, &self.cx));
        }
    }

    /// Moves the form on top to the background while it writes a file. The screen shows no spinner for it.
    pub(super) fn write_in_background(&mut self) {
        let Some(form) = self.modals.pop_if(|modal| modal.writes().is_some()) else { return };
        if let Some(request) = form.writes() {
            self.connection.pending.show(request, false);
        }
        self.connection.background = Some(form);
    }

    pub(super) fn on_background_response(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Some(form) = &mut self.connection.background else { return Err(reply) };
        // Shown until it is closed, because the user is busy with something else.
        if let Some(said) = form.on_written(reply, effects)? {
            effects.news = Some(said);
        }
        if form.writes().is_none() {
            self.connection.background = None;
        }
        Ok(())
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

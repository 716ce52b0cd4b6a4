//! Exports in progress: in the form, or in the background.

use super::{App, LoopCommand, OpenedModal};
use crate::tui::effects::{Effects, ExportSource};
use crate::tui::modals::export::ExportForm;
use crate::tui::request::{RequestId, Response};
use std::any::Any;

impl App {
    /// Opens the export form. If a background export is running, shows its form instead.
    pub(super) fn open_export(&mut self, source: ExportSource) {
        if let Some((id, form)) = self.connection.export.take() {
            if let Some(request) = form.request() {
                self.connection.pending.show(request, true);
            }
            self.modals.push(OpenedModal::new(id, form));
        } else {
            self.open(ExportForm::new(source, &self.env));
        }
    }

    /// Moves the form on top to the background. The screen shows no spinner for it.
    pub(super) fn put_aside(&mut self) {
        let Some(opened) = self.modals.pop_if(|modal| modal.downcast_ref::<ExportForm>().is_some()) else {
            return;
        };
        let modal: Box<dyn Any> = opened.modal;
        if let Ok(form) = modal.downcast::<ExportForm>() {
            if let Some(request) = form.request() {
                self.connection.pending.show(request, false);
            }
            self.connection.export = Some((opened.id, form));
        }
    }

    /// Handles a response for the background export.
    pub(super) fn exported(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Some((_, form)) = &mut self.connection.export else { return Err(answer) };
        // Shown until it is closed, because the user is busy with something else.
        if let Some(said) = form.take_response(request, answer, out)? {
            out.news = Some(said);
        } else if let Some(why) = form.trouble() {
            out.news = Some((why, true));
        }
        if form.request().is_none() {
            self.connection.export = None;
        }
        Ok(())
    }

    fn exports(&self) -> impl Iterator<Item = &ExportForm> {
        let open = self.modals.iter().filter_map(OpenedModal::downcast_ref);
        open.chain(self.connection.export.as_ref().map(|(_, form)| form.as_ref()))
    }

    /// The file that is being written, and what remains of it after a cancellation.
    pub(super) fn being_written(&self) -> Option<(String, &'static str)> {
        self.exports().find_map(|form| form.being_written(&self.env))
    }

    /// Leaves the TUI and cancels running exports.
    pub(super) fn leave(&mut self, out: &mut Effects<'_>) {
        if let Some((file, left)) = self.being_written() {
            self.parting = Some(t!("the export to {file} was cancelled: {left}", file, left));
        }
        let requests: Vec<RequestId> = self.exports().filter_map(ExportForm::request).collect();
        self.modals.retain(|modal| modal.downcast_ref::<ExportForm>().is_none());
        self.connection.export = None;
        out.cancel(requests);
        self.loop_command = Some(LoopCommand::Quit);
    }
}

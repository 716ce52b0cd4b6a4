//! Files that are being written: in sight, or while one works on.

use super::{App, Wish};
use crate::tui::component::Modal;
use crate::tui::context::{Effects, ExportSource};
use crate::tui::modals::export::ExportForm;
use crate::tui::request::{RequestId, Response};
use std::any::Any;

impl App {
    /// Opens the form; the one whose file is being written comes back instead.
    pub(super) fn open_export(&mut self, takeaway: ExportSource) {
        let form = match self.aside.take() {
            Some(form) => {
                if let Some(ticket) = form.ticket() {
                    self.outstanding.insert(ticket, false);
                }
                form
            }
            None => Box::new(ExportForm::new(takeaway, &self.env)),
        };
        self.modals.push(form);
    }

    /// Takes the form on top out of sight. Nothing turns on the screen for it any more.
    pub(super) fn put_aside(&mut self) {
        if self.top::<ExportForm>().is_none() {
            return;
        }
        let form = self.modals.pop().map(|modal| modal as Box<dyn Any>);
        if let Some(form) = form.and_then(|form| form.downcast::<ExportForm>().ok()) {
            if let Some(ticket) = form.ticket() {
                self.outstanding.insert(ticket, true);
            }
            self.aside = Some(form);
        }
    }

    /// Hands an answer to whoever exports, or gives it back.
    pub(super) fn exported(
        &mut self,
        ticket: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let mut left = answer;
        // The help may be over it.
        let open = self.modals.iter_mut().find_map(|modal| as_export_mut(modal.as_mut()));
        if let Some(form) = open {
            match form.take_response(ticket, left, out) {
                Ok(said) => {
                    if said.is_some() {
                        out.notice = said;
                        self.modals.retain(|modal| as_export(modal.as_ref()).is_none());
                    }
                    return Ok(());
                }
                Err(answer) => left = answer,
            }
        }
        let Some(form) = &mut self.aside else { return Err(left) };
        // It stays until it is closed: the person is busy with something else.
        if let Some(said) = form.take_response(ticket, left, out)? {
            out.news = Some(said);
        } else if let Some(why) = form.trouble() {
            out.news = Some((why, true));
        }
        if form.ticket().is_none() {
            self.aside = None;
        }
        Ok(())
    }

    /// The file that is being written, and what is left when that is given up.
    pub(super) fn being_written(&self) -> Option<(String, &'static str)> {
        let open = self.modals.iter().filter_map(|modal| as_export(modal.as_ref()));
        let aside = self.aside.as_deref();
        open.chain(aside).find_map(|form| form.being_written(&self.env))
    }

    /// Leaves; a file that is being written is given up.
    pub(super) fn leave(&mut self, out: &mut Effects<'_>) {
        if let Some((file, left)) = self.being_written() {
            self.parting = Some(t!("the export to {file} was given up: {left}", file, left));
        }
        let open = self.modals.iter().filter_map(|modal| as_export(modal.as_ref()));
        let tickets: Vec<RequestId> =
            open.chain(self.aside.as_deref()).filter_map(ExportForm::ticket).collect();
        self.modals.retain(|modal| as_export(modal.as_ref()).is_none());
        self.aside = None;
        out.cancel(tickets);
        self.wish = Some(Wish::Quit);
    }
}

fn as_export(modal: &dyn Modal) -> Option<&ExportForm> {
    (modal as &dyn Any).downcast_ref()
}

fn as_export_mut(modal: &mut dyn Modal) -> Option<&mut ExportForm> {
    (modal as &mut dyn Any).downcast_mut()
}

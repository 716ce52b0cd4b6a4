//! Files that are being written: in sight, or while one works on.

use super::{App, Modal, Wish};
use crate::tui::context::{Effects, ExportSource};
use crate::tui::modals::export::ExportForm;
use crate::tui::request::{RequestId, Response};

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
        self.over.push(Modal::Export(form));
    }

    /// Takes the form on top out of sight. Nothing turns on the screen for it any more.
    pub(super) fn put_aside(&mut self) {
        match self.over.pop() {
            Some(Modal::Export(form)) => {
                if let Some(ticket) = form.ticket() {
                    self.outstanding.insert(ticket, true);
                }
                self.aside = Some(form);
            }
            Some(other) => self.over.push(other),
            None => {}
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
        let open = self.over.iter_mut().find_map(|over| match over {
            Modal::Export(form) => Some(form),
            _ => None,
        });
        if let Some(form) = open {
            match form.on_response(ticket, left, out) {
                Ok(said) => {
                    if said.is_some() {
                        out.notice = said;
                        self.over.retain(|over| !matches!(over, Modal::Export(_)));
                    }
                    return Ok(());
                }
                Err(answer) => left = answer,
            }
        }
        let Some(form) = &mut self.aside else { return Err(left) };
        // It stays until it is closed: the person is busy with something else.
        if let Some(said) = form.on_response(ticket, left, out)? {
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
        let open = self.over.iter().filter_map(|over| match over {
            Modal::Export(form) => Some(form),
            _ => None,
        });
        open.chain(&self.aside).find_map(|form| form.being_written(&self.env))
    }

    /// Leaves; a file that is being written is given up.
    pub(super) fn leave(&mut self, out: &mut Effects<'_>) {
        if let Some((file, left)) = self.being_written() {
            self.parting = Some(t!("the export to {file} was given up: {left}", file, left));
        }
        let open =
            self.over.extract_if(.., |over| matches!(over, Modal::Export(_))).filter_map(|over| match over {
                Modal::Export(form) => Some(form),
                _ => None,
            });
        let tickets: Vec<RequestId> =
            open.chain(self.aside.take()).filter_map(|form| form.ticket()).collect();
        out.cancel(tickets);
        self.wish = Some(Wish::Quit);
    }
}

//! Files that are being written: in sight, or while one works on.

use super::{App, Over};
use crate::tui::ask::{Answer, Ticket};
use crate::tui::env::{Out, Takeaway};
use crate::tui::forms::export::ExportForm;

impl App {
    /// Opens the form; the one whose file is being written comes back instead.
    pub(super) fn open_export(&mut self, takeaway: Takeaway, out: &mut Out<'_>) {
        let form = match self.aside.take() {
            Some(form) => {
                if let Some(ticket) = form.ticket() {
                    self.outstanding.insert(ticket, false);
                }
                form
            }
            None => Box::new(ExportForm::new(takeaway, &self.env, out)),
        };
        self.over.push(Over::Export(form));
    }

    /// Takes the form on top out of sight. Nothing turns on the screen for it any more.
    pub(super) fn put_aside(&mut self) {
        match self.over.pop() {
            Some(Over::Export(form)) => {
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
        ticket: Ticket,
        answer: Answer,
        out: &mut Out<'_>,
    ) -> Result<(), Answer> {
        let mut left = answer;
        // The help may be over it.
        let open = self.over.iter_mut().find_map(|over| match over {
            Over::Export(form) => Some(form),
            _ => None,
        });
        if let Some(form) = open {
            match form.receive(ticket, left) {
                Ok(said) => {
                    if said.is_some() {
                        out.notice = said;
                        self.over.retain(|over| !matches!(over, Over::Export(_)));
                    }
                    return Ok(());
                }
                Err(answer) => left = answer,
            }
        }
        let Some(form) = &mut self.aside else { return Err(left) };
        // It stays until it is closed: the person is busy with something else.
        if let Some(said) = form.receive(ticket, left)? {
            out.news = Some(said);
        } else if let Some(why) = form.trouble() {
            out.news = Some((why, true));
        }
        if form.ticket().is_none() {
            self.aside = None;
        }
        Ok(())
    }

    /// Gives up a file that is being written; whether there was one.
    pub(super) fn give_up_export(&mut self, out: &mut Out<'_>) -> bool {
        let aside = self.aside.take().and_then(|form| form.ticket());
        let open = self.over.iter().find_map(|over| match over {
            Over::Export(form) => form.ticket(),
            _ => None,
        });
        if open.is_some() {
            self.over.retain(|over| !matches!(over, Over::Export(_)));
        }
        let given_up: Vec<Ticket> = aside.into_iter().chain(open).collect();
        let any = !given_up.is_empty();
        out.cancel(given_up);
        any
    }
}

//! Navigation that screens ask for: tabs, forms, questions.

use super::{App, OpenedModal, READ_ONLY, Tab};
use crate::tui::effects::{Effects, Navigate, OpenModal, Owner};
use crate::tui::modals::confirm_resend::{self, ConfirmResend};
use crate::tui::modals::draft::DraftForm;
use crate::tui::request::Request;
use crate::tui::worker::job_command::JobCommand;

impl App {
    pub(super) fn go(&mut self, go: Navigate, out: &mut Effects<'_>) {
        match go {
            Navigate::Badge(id, accepted_at) => {
                self.follow_to(Tab::Badge);
                out.owned_by(Owner::Screen(Tab::Badge), |out| self.screens.badge.open(id, accepted_at, out));
            }
            Navigate::TemplatesTitled(title) => {
                self.follow_to(Tab::Templates);
                out.owned_by(Owner::Screen(Tab::Templates), |out| self.screens.templates.titled(&title, out));
            }
            Navigate::Holder(email) => {
                self.follow_to(Tab::Wallet);
                out.owned_by(Owner::Screen(Tab::Wallet), |out| self.screens.wallet.look_up(&email, out));
            }
            Navigate::HolderNamed(name) => {
                self.follow_to(Tab::Wallet);
                out.owned_by(Owner::Screen(Tab::Wallet), |out| self.screens.wallet.look_up_name(&name, out));
            }
            Navigate::HolderOf(email, id) => {
                self.follow_to(Tab::Wallet);
                out.owned_by(Owner::Screen(Tab::Wallet), |out| self.screens.wallet.look_up(&email, out));
                self.screens.wallet.select(id);
            }
            Navigate::FindCert(number, ids) => {
                out.owned_by(Owner::Screen(Tab::Wallet), |out| {
                    self.screens.wallet.read_records(number, ids, out);
                });
            }
            Navigate::Question(question) => {
                out.owned_by(Owner::Screen(Tab::Wallet), |out| self.screens.wallet.answer(question, out));
            }
            Navigate::Activity => {
                self.notice = None;
                self.news = None;
                self.follow_to(Tab::Activity);
                self.screens.activity.select_newest();
            }
            Navigate::Job(id, statuses) => {
                self.follow_to(Tab::Activity);
                self.screens.activity.show(id, statuses);
            }
            Navigate::Mails(id) => {
                self.follow_to(Tab::Home);
                out.owned_by(Owner::Screen(Tab::Home), |out| self.screens.home.list_mails(id, out));
            }
            Navigate::Again(command) => self.again(*command, out),
            Navigate::Export(source) => self.open_export(*source),
            // As if the file was dropped there. The quotation marks keep a backslash of its name.
            Navigate::Picked(path) => self.on_paste(&format!("'{path}'"), out),
            Navigate::Aside => self.put_aside(),
            Navigate::Corrected => {
                let draft = self.modals.iter_mut().rev().find_map(|opened| {
                    let id = opened.id;
                    opened.downcast_mut::<DraftForm>().map(|form| (id, form))
                });
                if let Some((id, form)) = draft {
                    out.owned_by(Owner::Modal(id), |out| form.corrected(out));
                }
            }
            Navigate::InputUsed => self.input_used(),
            Navigate::UseFilter(filter) if filter.list == "templates" => {
                self.follow_to(Tab::Templates);
                out.owned_by(Owner::Screen(Tab::Templates), |out| {
                    self.screens.templates.browser.use_filter(&filter, out);
                });
            }
            Navigate::UseFilter(filter) => {
                self.follow_to(Tab::History);
                out.owned_by(Owner::Screen(Tab::History), |out| {
                    self.screens.history.browser.use_filter(&filter, out);
                });
            }
            Navigate::ForgetRecents => self.forget_recents(out),
            Navigate::MarkAll => {
                out.owned_by(Owner::Screen(Tab::History), |out| self.screens.history.mark_all(out));
            }
            Navigate::AskAboutFilter => self.ask_about_filter(),
            Navigate::KeyAllowed(then) => self.key_allowed(then, out),
            Navigate::Open(modal) => self.open_modal(modal, out),
            Navigate::Run(action) => self.act(action, out),
            Navigate::CloseAll => self.modals.clear(),
            Navigate::Close(id) => self.modals.retain(|modal| modal.id != id),
            Navigate::Connect(session) => {
                self.leave_view(out);
                self.switch(*session);
                self.tour_if_wanted(out);
            }
            Navigate::Quit => self.quit(out),
        }
    }

    /// Opens a modal. In a read-only profile, the keys of a modal that prepares sending do nothing. This
    /// check covers every other way to it.
    fn open_modal(&mut self, modal: OpenModal, out: &mut Effects<'_>) {
        let id = self.next_modal();
        match out.owned_by(Owner::Modal(id), |out| modal.0(&self.env, out)) {
            Some(modal) if modal.prepares_sending() && self.env.read_only() => {
                out.say(crate::i18n::tr(READ_ONLY));
            }
            modal => {
                let modal = modal.map(|modal| OpenedModal::new(id, self.with_kept_input(modal, out)));
                self.modals.extend(modal);
            }
        }
    }

    /// Asks the user to confirm a command that sends again.
    fn again(&mut self, command: JobCommand, out: &mut Effects<'_>) {
        if self.env.read_only() {
            out.say(crate::i18n::tr(READ_ONLY));
            return;
        }
        let Some(job) = confirm_resend::sends(&command).and_then(|id| self.screens.activity.find(id)) else {
            return;
        };
        if confirm_resend::rows(&command, job) == 0 && !self.env.is_live() {
            // It sends nothing now; its response says why.
            out.ask(Request::Do(Box::new(command)));
            return;
        }
        let toast = out.notice.take();
        if let Some(form) = ConfirmResend::new(command, job, toast) {
            self.open(form);
        }
    }
}

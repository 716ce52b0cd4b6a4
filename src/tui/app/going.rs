//! Where the screens want to go: tabs, forms, questions.

use super::{App, READ_ONLY, Tab};
use crate::config::Environment;
use crate::jobs::RowStatus;
use crate::tui::component::Modal;
use crate::tui::context::{Effects, Navigate};
use crate::tui::modals::confirm_resend::{self, AgainForm};
use crate::tui::modals::draft::DraftForm;
use crate::tui::modals::edit_row::CorrectForm;
use crate::tui::modals::file::FileForm;
use crate::tui::modals::filters::FiltersForm;
use crate::tui::modals::issue::IssueForm;
use crate::tui::modals::mark_all::MarkAllForm;
use crate::tui::modals::question::Question;
use crate::tui::modals::replace::ReplaceForm;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::modals::revoke_ids::IdsForm;
use crate::tui::request::Request;
use crate::tui::worker::job_command::JobCommand;

impl App {
    /// Goes there.
    pub(super) fn go(&mut self, go: Navigate, out: &mut Effects<'_>) {
        if self.env.read_only() && is_acting(&go) {
            out.say(crate::i18n::tr(READ_ONLY));
            return;
        }
        match go {
            Navigate::Badge(id, accepted_at) => {
                self.follow_to(Tab::Badge);
                self.screens.badge.open(id, accepted_at, out);
            }
            Navigate::TemplatesTitled(title) => {
                self.follow_to(Tab::Templates);
                self.screens.templates.titled(&title, out);
            }
            Navigate::Holder(email) => {
                self.follow_to(Tab::Wallet);
                self.screens.wallet.look_up(&email, out);
            }
            Navigate::HolderNamed(name) => {
                self.follow_to(Tab::Wallet);
                self.screens.wallet.look_up_name(&name, out);
            }
            Navigate::HolderOf(email, id) => {
                self.follow_to(Tab::Wallet);
                self.screens.wallet.look_up(&email, out);
                self.screens.wallet.select(id);
            }
            Navigate::Issue(id, title) => {
                self.open(IssueForm::new(id, title, out));
            }
            Navigate::Revoke(victims) => {
                self.open(RevokeForm::new(victims, out));
            }
            Navigate::Activity => {
                self.notice = None;
                self.news = None;
                self.follow_to(Tab::Activity);
                self.screens.activity.select_newest();
            }
            Navigate::CallOff(job) => self.open(Question::call_off(job)),
            Navigate::Again(deed) => self.again(*deed, out),
            Navigate::Undo(job) => self.open(Question::undo(job)),
            Navigate::Decide(job, row) => {
                let unseen =
                    self.screens.activity.find(job).map_or(0, |job| job.counts.of(RowStatus::NotSeen));
                let question = Question::decide(job, row, unseen, self.is_live());
                self.open(question);
            }
            Navigate::Drafts(jobs) => {
                if let Some(form) = DraftForm::new(jobs, &self.env, out) {
                    self.open(form);
                }
            }
            Navigate::File(purpose, source) => {
                self.open(FileForm::new(purpose, source, out));
            }
            Navigate::Paper(job, redo) => {
                self.open(Question::paper(&job, redo));
            }
            Navigate::Mail(job) => self.open(Question::mail(job, out)),
            Navigate::Export(takeaway) => self.open_export(*takeaway),
            Navigate::Aside => self.put_aside(),
            Navigate::Ids => self.open(IdsForm::new(&self.env, out)),
            Navigate::Replace(badge) => {
                self.open(ReplaceForm::new(badge, &self.env, out));
            }
            Navigate::Correct(job, row) => {
                self.open(CorrectForm::new(job, row));
            }
            Navigate::Corrected => {
                if let Some(form) = self.top_mut::<DraftForm>() {
                    form.corrected(out);
                }
            }
            Navigate::Filters { list, specs, heads, current, naming } => {
                let form = FiltersForm::new((list, specs, heads), current, naming, &self.env, out);
                self.open(form);
            }
            Navigate::UseFilter(filter) if filter.list == "templates" => {
                self.follow_to(Tab::Templates);
                self.screens.templates.browser.use_filter(&filter, out);
            }
            Navigate::UseFilter(filter) => {
                self.follow_to(Tab::History);
                self.screens.history.browser.use_filter(&filter, out);
            }
            Navigate::OfferMarkAll { rows, words } => {
                self.open(MarkAllForm::new(rows, words));
            }
            Navigate::MarkAll => self.screens.history.mark_all(out),
            Navigate::AskAboutFilter => self.ask_about_filter(),
            Navigate::KeyAllowed(then) => self.key_allowed(then, out),
            Navigate::Run(action) => self.act(action, out),
            Navigate::CloseAll => self.modals.clear(),
            Navigate::Close => {
                self.modals.pop();
            }
            Navigate::Connect(session) => {
                self.leave_view(out);
                self.switch(*session);
                self.tour_if_wanted(out);
            }
            Navigate::Quit => self.quit(out),
        }
    }

    fn is_live(&self) -> bool {
        self.env.environment() == Environment::Live
    }

    /// Does what sends something that was reviewed before; where it is live, it is confirmed first.
    fn again(&mut self, deed: JobCommand, out: &mut Effects<'_>) {
        // What is decided for many rows is confirmed by their number wherever it is.
        if !self.is_live() && !matches!(deed, JobCommand::ResendAll(..)) {
            out.ask(Request::Do(Box::new(deed)));
            return;
        }
        let said = out.notice.take();
        let job = confirm_resend::sends(&deed).and_then(|id| self.screens.activity.find(id));
        let form = job.and_then(|job| AgainForm::new(deed, job, said, &self.env));
        self.modals.extend(form.map(|form| Box::new(form) as Box<dyn Modal>));
    }
}

/// Whether something is prepared there that has consequences at the service. The keys that lead there do
/// nothing in a read-only profile; this holds for every other way.
fn is_acting(go: &Navigate) -> bool {
    matches!(
        go,
        Navigate::Issue(..)
            | Navigate::Revoke(_)
            | Navigate::CallOff(_)
            | Navigate::Again(_)
            | Navigate::Undo(_)
            | Navigate::Decide(..)
            | Navigate::File(..)
            | Navigate::Ids
            | Navigate::Replace(_)
            | Navigate::Drafts(_)
            | Navigate::Correct(..)
    )
}

//! Where the screens want to go: tabs, forms, questions.

use super::{App, Over, READ_ONLY, Tab};
use crate::config::Environment;
use crate::jobs::Bucket;
use crate::tui::ask::Ask;
use crate::tui::context::{Go, Out};
use crate::tui::forms::confirm_resend::{self, AgainForm};
use crate::tui::forms::draft::DraftForm;
use crate::tui::forms::edit_row::CorrectForm;
use crate::tui::forms::file::FileForm;
use crate::tui::forms::filters::FiltersForm;
use crate::tui::forms::issue::IssueForm;
use crate::tui::forms::mark_all::MarkAllForm;
use crate::tui::forms::question::Question;
use crate::tui::forms::replace::ReplaceForm;
use crate::tui::forms::revoke::RevokeForm;
use crate::tui::forms::revoke_ids::IdsForm;
use crate::tui::job_command::Deed;

impl App {
    /// Goes there.
    pub(super) fn go(&mut self, go: Go, out: &mut Out<'_>) {
        if self.env.read_only() && is_acting(&go) {
            out.say(crate::i18n::tr(READ_ONLY));
            return;
        }
        match go {
            Go::Badge(id, accepted_at) => {
                self.follow_to(Tab::Badge);
                self.badge.open(id, accepted_at, out);
            }
            Go::TemplatesTitled(title) => {
                self.follow_to(Tab::Templates);
                self.templates.titled(&title, out);
            }
            Go::Holder(email) => {
                self.follow_to(Tab::Wallet);
                self.wallet.look_up(&email, out);
            }
            Go::HolderNamed(name) => {
                self.follow_to(Tab::Wallet);
                self.wallet.look_up_name(&name, out);
            }
            Go::HolderOf(email, id) => {
                self.follow_to(Tab::Wallet);
                self.wallet.look_up(&email, out);
                self.wallet.select(id);
            }
            Go::Issue(id, title) => self.over.push(Over::Issue(Box::new(IssueForm::new(id, title, out)))),
            Go::Revoke(victims) => self.over.push(Over::Revoke(Box::new(RevokeForm::new(victims, out)))),
            Go::Activity => {
                self.notice = None;
                self.news = None;
                self.follow_to(Tab::Activity);
                self.activity.select_newest();
            }
            Go::CallOff(job) => self.over.push(Over::Question(Box::new(Question::call_off(job)))),
            Go::Again(deed) => self.again(*deed, out),
            Go::Undo(job) => self.over.push(Over::Question(Box::new(Question::undo(job)))),
            Go::Decide(job, row) => {
                let unseen = self.activity.find(job).map_or(0, |job| job.counts.of(Bucket::NotSeen));
                let question = Question::decide(job, row, unseen, self.is_live());
                self.over.push(Over::Question(Box::new(question)));
            }
            Go::Drafts(jobs) => {
                if let Some(form) = DraftForm::new(jobs, &self.env, out) {
                    self.over.push(Over::Draft(Box::new(form)));
                }
            }
            Go::File(purpose, source) => {
                self.over.push(Over::File(Box::new(FileForm::new(purpose, source, out))));
            }
            Go::Paper(job, redo) => {
                self.over.push(Over::Question(Box::new(Question::paper(&job, redo))));
            }
            Go::Mail(job) => self.over.push(Over::Question(Box::new(Question::mail(job, out)))),
            Go::Export(takeaway) => self.open_export(*takeaway),
            Go::Aside => self.put_aside(),
            Go::Ids => self.over.push(Over::Ids(Box::new(IdsForm::new(&self.env, out)))),
            Go::Replace(badge) => {
                self.over.push(Over::Replace(Box::new(ReplaceForm::new(badge, &self.env, out))));
            }
            Go::Correct(job, row) => self.over.push(Over::Correct(Box::new(CorrectForm::new(job, row)))),
            Go::Corrected => {
                if let Some(Over::Draft(form)) = self.over.last_mut() {
                    form.corrected(out);
                }
            }
            Go::Filters { list, specs, heads, current, naming } => {
                let form = FiltersForm::new((list, specs, heads), current, naming, &self.env, out);
                self.over.push(Over::Filters(Box::new(form)));
            }
            Go::UseFilter(filter) if filter.list == "templates" => {
                self.follow_to(Tab::Templates);
                self.templates.browser.use_filter(&filter, out);
            }
            Go::UseFilter(filter) => {
                self.follow_to(Tab::History);
                self.history.browser.use_filter(&filter, out);
            }
            Go::OfferMarkAll { rows, words } => {
                self.over.push(Over::MarkAll(Box::new(MarkAllForm::new(rows, words))));
            }
            Go::MarkAll => self.history.mark_all(out),
            Go::AskAboutFilter => self.ask_about_filter(),
            Go::KeyAllowed(then) => self.key_allowed(then, out),
            Go::CloseAll => self.over.clear(),
            Go::Close => {
                self.over.pop();
            }
            Go::Connect(session) => {
                self.leave_view(out);
                self.switch(*session);
                self.tour_if_wanted(out);
            }
            Go::Quit => self.quit(out),
        }
    }

    fn is_live(&self) -> bool {
        self.env.environment() == Environment::Live
    }

    /// Does what sends something that was reviewed before; where it is live, it is confirmed first.
    fn again(&mut self, deed: Deed, out: &mut Out<'_>) {
        // What is decided for many rows is confirmed by their number wherever it is.
        if !self.is_live() && !matches!(deed, Deed::ResendAll(..)) {
            out.ask(Ask::Do(Box::new(deed)));
            return;
        }
        let said = out.notice.take();
        let job = confirm_resend::sends(&deed).and_then(|id| self.activity.find(id));
        let form = job.and_then(|job| AgainForm::new(deed, job, said, &self.env));
        self.over.extend(form.map(|form| Over::Again(Box::new(form))));
    }
}

/// Whether something is prepared there that has consequences at the service. The keys that lead there do
/// nothing in a read-only profile; this holds for every other way.
fn is_acting(go: &Go) -> bool {
    matches!(
        go,
        Go::Issue(..)
            | Go::Revoke(_)
            | Go::CallOff(_)
            | Go::Again(_)
            | Go::Undo(_)
            | Go::Decide(..)
            | Go::File(..)
            | Go::Ids
            | Go::Replace(_)
            | Go::Drafts(_)
            | Go::Correct(..)
    )
}

//! Navigation: the tab, what Back returns to, and what screens ask to open.

use super::toasts::Toasts;
use super::{App, OpenedModal, READ_ONLY, Tab};
use crate::tui::effects::OpenModal;
use crate::tui::modals::confirm_resend::{self, confirm_resend};
use crate::tui::prelude::*;
use crate::tui::screens::Screens;

pub(in crate::tui) struct Navigation {
    pub(in crate::tui) tab: Tab,
    /// The tabs to which Back returns, and what they showed. The most recent one is the last. The user followed
    /// something from each of them.
    came_from: Vec<(Tab, Option<ShownRecord>)>,
}

impl Default for Navigation {
    fn default() -> Self {
        Self { tab: Tab::Home, came_from: Vec::new() }
    }
}

impl Navigation {
    /// Whether Back returns to another tab, or to what this tab showed before.
    pub(super) fn can_go_back(&self) -> bool {
        !self.came_from.is_empty()
    }

    /// The user's own tab, before links to other tabs were followed.
    pub(super) fn own_tab(&self) -> Tab {
        self.came_from.first().map_or(self.tab, |(tab, _)| *tab)
    }
}

impl App {
    /// Opens a tab for something that the user follows. Back returns to what is shown now.
    fn follow_to(&mut self, tab: Tab, shown: Option<&ShownRecord>) {
        let before = self.screen().shown();
        let is_same = self.navigation.tab == tab && (before.is_none() || before.as_ref() == shown);
        if !is_same {
            self.navigation.came_from.push((self.navigation.tab, before));
            self.navigation.tab = tab;
        }
    }

    pub(super) fn go_back(&mut self, out: &mut Effects<'_>) {
        let Some((tab, shown)) = self.navigation.came_from.pop() else { return };
        self.navigation.tab = tab;
        let screen = self.screens.of_mut(tab);
        if let Some(shown) = shown.filter(|shown| screen.shown().as_ref() != Some(shown)) {
            out.owned_by(RequestOwner::Screen(tab), |out| screen.show(shown, out));
        }
    }

    /// Opens a tab directly. Closes all modals, and Back returns to nothing. Returns false, and changes nothing, if a
    /// modal cannot be closed now: it says why.
    pub(super) fn open_tab(&mut self, tab: Tab, out: &mut Effects<'_>) -> bool {
        if self.welcome.is_some() {
            out.say(t!("The tabs open with a profile or the sandbox."));
            return false;
        }
        // A review keeps its draft when it is left, so it is asked after what it opened.
        for opened in self.modals.iter_mut().rev() {
            if !out.owned_by(RequestOwner::Modal(opened.id), |out| opened.modal.leave(out)) {
                return false;
            }
        }
        for opened in self.modals.drain(..) {
            out.cancel(self.connection.pending.of(RequestOwner::Modal(opened.id)));
        }
        self.screens.of_mut(tab).on_opened();
        self.navigation = Navigation { tab, ..Navigation::default() };
        true
    }

    fn follow(&mut self, tab: Tab, out: &mut Effects<'_>, run: impl FnOnce(&mut Screens, &mut Effects<'_>)) {
        self.follow_to(tab, None);
        self.on_tab(tab, out, run);
    }

    fn show(&mut self, shown: ShownRecord, out: &mut Effects<'_>) {
        let tab = match shown {
            ShownRecord::Badge(..) => Tab::Badge,
            ShownRecord::Holder(_) => Tab::Wallet,
        };
        self.follow_to(tab, Some(&shown));
        let screen = self.screens.of_mut(tab);
        out.owned_by(RequestOwner::Screen(tab), |out| screen.show(shown, out));
    }

    pub(super) fn go(&mut self, go: Navigate, out: &mut Effects<'_>) {
        match go {
            Navigate::Badge(badge) => self.show(ShownRecord::Badge(badge), out),
            Navigate::FindBadge(typed) => {
                self.follow(Tab::Badge, out, |screens, out| screens.badge.find_typed(typed, out));
            }
            Navigate::TemplatesTitled(title) => {
                self.follow(Tab::Templates, out, |screens, out| screens.templates.titled(&title, out));
            }
            Navigate::Holder(email) => self.show(ShownRecord::Holder(email), out),
            Navigate::HolderNamed(name) => {
                self.follow(Tab::Wallet, out, |screens, out| screens.wallet.look_up_name(&name, out));
            }
            Navigate::HolderOf(email, id) => {
                self.show(ShownRecord::Holder(email), out);
                self.screens.wallet.select(id);
            }
            Navigate::FindCert(number, ids) => {
                self.on_tab(Tab::Wallet, out, |screens, out| screens.wallet.read_records(number, ids, out));
            }
            Navigate::Question(question) => {
                self.on_tab(Tab::Wallet, out, |screens, out| screens.wallet.answer(question, out));
            }
            Navigate::Theme(theme) => self.set_theme(Palette { theme, ..self.palette }),
            Navigate::Activity => {
                self.toasts = Toasts::default();
                self.follow_to(Tab::Activity, None);
                self.screens.activity.select_newest();
            }
            Navigate::Job(id, statuses) => {
                self.follow_to(Tab::Activity, None);
                self.screens.activity.show(id, statuses);
            }
            Navigate::Mails(id) => {
                self.follow(Tab::Home, out, |screens, out| screens.home.list_mails(id, out));
            }
            Navigate::Again(id, command) => self.again(id, *command, out),
            Navigate::Export(source) => self.open_export(*source),
            // As if the file was dropped there. The quotation marks keep a backslash of its name.
            Navigate::Picked(path) => self.on_paste(&format!("'{path}'"), out),
            Navigate::Aside => self.write_in_background(),
            Navigate::Corrected => {
                // Only the draft on top of the others.
                for opened in self.modals.iter_mut().rev() {
                    if out.owned_by(RequestOwner::Modal(opened.id), |out| opened.modal.on_corrected(out)) {
                        break;
                    }
                }
            }
            Navigate::InputUsed => self.input_used(),
            Navigate::UseFilter(filter) if filter.list == "templates" => {
                self.follow(Tab::Templates, out, |all, out| all.templates.filtered.use_filter(&filter, out));
            }
            Navigate::UseFilter(filter) => {
                self.follow(Tab::History, out, |all, out| all.history.filtered.use_filter(&filter, out));
            }
            Navigate::ForgetRecents => self.forget_recents(out),
            Navigate::MarkAll => {
                self.on_tab(Tab::History, out, |screens, out| screens.history.mark_all(out));
            }
            Navigate::AskAboutFilter => self.ask_about_filter(),
            Navigate::KeyAllowed(then) => self.key_allowed(then, out),
            Navigate::Open(modal) => self.open_modal(modal, out),
            Navigate::Run(action) => self.act(action, out),
            Navigate::CloseAll => self.modals.clear(),
            Navigate::Close(id) => {
                // Back may have cleared its input.
                self.watch_input();
                self.modals.retain(|modal| modal.id != id);
                out.cancel(self.connection.pending.of(RequestOwner::Modal(id)));
            }
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
        match out.owned_by(RequestOwner::Modal(id), |out| modal.0(&self.cx, out)) {
            Some(modal) if modal.has(ModalFlag::PreparesSending) && self.cx.read_only() => {
                out.say(tr(READ_ONLY));
            }
            modal => {
                let modal = modal.map(|modal| self.with_kept_input(modal, out));
                self.modals.extend(modal.map(|modal| OpenedModal { id, modal, confirm: None }));
            }
        }
    }

    fn again(&mut self, id: JobId, command: JobCommand, out: &mut Effects<'_>) {
        if self.cx.read_only() {
            out.say(tr(READ_ONLY));
            return;
        }
        let Some(job) = self.screens.activity.find(id) else { return };
        if confirm_resend::rows(&command, job) == 0 && !self.cx.is_live() {
            // It sends nothing now; its response says why.
            out.command(command);
            return;
        }
        let toast = out.notice.take();
        self.open(confirm_resend(command, job, toast, &self.cx));
    }
}

//! Navigation: the tab, what Back returns to, and what screens ask to open.

use super::secrets::key_question;
use super::{App, READ_ONLY, Tab};
use crate::tui::effects::{AfterKeyWarning, OpenModal};
use crate::tui::modals::confirm_resend::{self, confirm_resend};
use crate::tui::modals::file_picker::FilePicker;
use crate::tui::modals::filters::FiltersForm;
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::screens::Destination;
use crate::tui::widgets::filtered_list::Filterable;

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

    /// Opens a tab for something that the user follows. `before`: what the tab shows now, to which Back returns.
    fn follow(&mut self, tab: Tab, before: Option<ShownRecord>, shown: Option<&ShownRecord>) {
        let is_same = self.tab == tab && (before.is_none() || before.as_ref() == shown);
        if !is_same {
            self.came_from.push((self.tab, before));
            self.tab = tab;
        }
    }
}

impl App {
    pub(super) fn go_back(&mut self, effects: &mut Effects<'_>) {
        let Some((tab, shown)) = self.navigation.came_from.pop() else { return };
        self.navigation.tab = tab;
        if let Some(shown) = shown.filter(|shown| self.screen().shown().as_ref() != Some(shown)) {
            self.screens.on(tab, effects, |screen, effects| screen.show(shown, effects));
        }
    }

    /// Opens a tab directly. Closes all modals, and Back returns to nothing. Returns false, and changes nothing, if a
    /// modal cannot be closed now: it says why.
    pub(super) fn open_tab(&mut self, tab: Tab, effects: &mut Effects<'_>) -> bool {
        if self.welcome.is_some() {
            effects.say(t!("The tabs open with a profile or the sandbox."));
            return false;
        }
        // A review keeps its draft when it is left, so it is asked after what it opened.
        for opened in self.modals.iter_mut().rev() {
            if !effects.owned_by(RequestOwner::Modal(opened.id), |effects| opened.modal.leave(effects)) {
                return false;
            }
        }
        for opened in self.modals.drain(..) {
            effects.cancel(self.connection.pending.of(RequestOwner::Modal(opened.id)));
        }
        self.screens.of_mut(tab).on_opened();
        self.navigation = Navigation { tab, ..Navigation::default() };
        true
    }

    pub(super) fn go(&mut self, go: Navigate, effects: &mut Effects<'_>) {
        let Some(to) = Destination::of(&go) else { return self.go_in_shell(go, effects) };
        if let Navigate::Activity = go {
            self.toasts = std::mem::take(&mut self.toasts).without_answers();
        }
        if to.is_followed {
            let before = self.screen().shown();
            self.navigation.follow(to.tab, before, to.shown.as_ref());
        }
        effects.owned_by(RequestOwner::Screen(to.tab), |effects| self.screens.arrive(go, effects));
    }

    fn go_in_shell(&mut self, go: Navigate, effects: &mut Effects<'_>) {
        match go {
            Navigate::Theme(theme) => self.set_theme(Palette { theme, ..self.palette }),
            Navigate::Again(id, command) => self.again(id, *command, effects),
            Navigate::Export(source) => self.open_export(*source),
            Navigate::PickFile(typed, earlier) => {
                effects.open(move |_, effects| FilePicker::new(&typed, earlier, effects));
            }
            // As if the file was dropped there. The quotation marks keep a backslash of its name.
            Navigate::Picked(path) => self.on_paste(&format!("'{path}'"), effects),
            Navigate::Aside => {
                if let Some(form) = self.modals.pop_if(|modal| modal.writes().is_some()) {
                    self.connection.write_in_background(form);
                }
            }
            Navigate::Corrected => {
                // Only the draft on top of the others.
                for opened in self.modals.iter_mut().rev() {
                    if effects.owned_by(RequestOwner::Modal(opened.id), |effects| {
                        opened.modal.on_corrected(effects)
                    }) {
                        break;
                    }
                }
            }
            Navigate::InputUsed => {
                self.modals.iter_mut().for_each(|opened| opened.modal.set_input(&[]));
                self.watch_input();
            }
            Navigate::SavedFilters { list, current, naming } => {
                effects.open(move |cx, effects| FiltersForm::new(list, current, naming, cx, effects));
            }
            Navigate::ForgetRecents => self.forget_recents(effects),
            Navigate::AskAboutFilter => {
                let texts = self.screen().filtered_list().map_or_else(Vec::new, Filterable::key_like);
                if !texts.is_empty() {
                    self.modals.open(key_question(texts, AfterKeyWarning::Filter));
                }
            }
            Navigate::KeyAllowed(then) => self.key_allowed(then, effects),
            Navigate::Open(OpenModal(build)) => {
                let id = self.modals.next_id();
                match effects.owned_by(RequestOwner::Modal(id), |effects| build(&self.cx, effects)) {
                    // The keys of such a modal do nothing in a read-only profile. This covers every other way to it.
                    Some(modal) if modal.has(ModalFlag::PreparesSending) && self.cx.read_only() => {
                        effects.say(tr(READ_ONLY));
                    }
                    Some(mut modal) => {
                        unfinished::fill(modal.as_mut(), &self.cx, effects);
                        self.modals.add(id, modal);
                    }
                    None => {}
                }
            }
            Navigate::Run(action) => self.act(action, effects),
            Navigate::CloseAll => self.modals.clear(),
            Navigate::Close(id) => {
                // Back may have cleared its input.
                self.watch_input();
                self.modals.retain(|modal| modal.id != id);
                effects.cancel(self.connection.pending.of(RequestOwner::Modal(id)));
            }
            Navigate::Connect(session) => {
                self.views.leave(self.navigation.own_tab(), &self.screens, effects);
                self.switch(*session);
                // In the sandbox that was started for it.
                if std::mem::take(&mut self.tour_wanted) && self.cx.may_tour() {
                    self.begin_tour(effects);
                }
            }
            Navigate::Quit => self.quit(effects),
            // A screen follows the others.
            _ => {}
        }
    }

    fn again(&mut self, id: JobId, command: JobCommand, effects: &mut Effects<'_>) {
        if self.cx.read_only() {
            effects.say(tr(READ_ONLY));
            return;
        }
        let Some(job) = self.screens.activity.find(id) else { return };
        if confirm_resend::rows(&command, job) == 0 && !self.cx.is_live() {
            // It sends nothing now; its response says why.
            effects.command(command);
            return;
        }
        let toast = effects.notice.take();
        self.modals.open(confirm_resend(command, job, toast, &self.cx));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_returns_to_another_tab_and_to_another_thing_on_the_same_tab() {
        let holder = |email: &str| ShownRecord::Holder(email.to_owned());
        let mut navigation = Navigation::default();
        navigation.follow(Tab::Wallet, None, Some(&holder("a")));
        assert_eq!((navigation.tab, navigation.own_tab()), (Tab::Wallet, Tab::Home));
        navigation.follow(Tab::Wallet, Some(holder("a")), Some(&holder("a")));
        navigation.follow(Tab::Wallet, Some(holder("a")), Some(&holder("b")));
        assert_eq!(navigation.came_from, [(Tab::Home, None), (Tab::Wallet, Some(holder("a")))]);
    }
}

//! The saved layout of the lists: read when a profile opens, written shortly after a change and at the end.

use super::{App, Tab};
use crate::tui::effects::{Effects, Owner};
use crate::tui::persist::saved_layout::file::{ViewAnswer, ViewAsk};
use crate::tui::persist::saved_layout::{View, Wanted};
use crate::tui::request::{Request, RequestId, Response};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// Delay between the first change and the write, so that not every key causes a write.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(in crate::tui) struct Views {
    wanted: Wanted,
    stage: Stage,
    /// The file of the profile in use, if there is one.
    file: Option<PathBuf>,
    /// The changes that were last seen.
    seen: (Option<Tab>, u64),
    /// The layout that the file has, or will have after a pending write.
    kept: View,
    due: Option<Instant>,
    /// The pending write of the profile that was left. The file may not have it yet.
    left: Option<(PathBuf, View)>,
}

#[derive(Default)]
enum Stage {
    /// The profile is open; its layout is not requested yet.
    #[default]
    Opened,
    /// The layout is being read. The lists wait for it.
    Reading(RequestId),
    Ready,
}

impl Views {
    /// Whether the layout is applied, so that the lists can be requested.
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Resets the state for another profile.
    pub(super) fn opened(&mut self) {
        let (wanted, left) = (std::mem::take(&mut self.wanted), self.left.take());
        *self = Self { wanted, left, ..Self::default() };
    }
}

impl App {
    /// Applies what the command line asks to show first.
    pub fn begin(&mut self, wanted: Wanted) {
        self.navigation.tab = wanted.tab.unwrap_or(self.navigation.tab);
        self.views.wanted = wanted;
        let mut requests = std::mem::take(&mut self.requests);
        let out = Effects::new(&mut requests);
        self.finish(out);
        self.requests = requests;
    }

    /// Requests the layout of a profile that was opened.
    pub(super) fn open_view(&mut self, out: &mut Effects<'_>) {
        let (Stage::Opened, Some(session)) = (&self.views.stage, self.env.session()) else { return };
        let Some(kept) = session.view.clone() else {
            self.show_view(&View::default(), out);
            return;
        };
        if !kept.keep {
            out.ask(Request::View(ViewAsk::Forget(kept.file)));
            self.show_view(&View::default(), out);
            return;
        }
        self.views.file = Some(kept.file.clone());
        match self.views.left.take() {
            Some((file, view)) if file == kept.file => {
                self.views.kept = view.clone();
                self.show_view(&view, out);
            }
            _ => {
                let request = out.ask(Request::View(ViewAsk::Recall(kept.file)));
                self.views.stage = Stage::Reading(request);
            }
        }
    }

    /// Applies the saved layout. The command line has priority.
    fn show_view(&mut self, view: &View, out: &mut Effects<'_>) {
        self.views.stage = Stage::Ready;
        self.changed = true;
        for (tab, _) in Tab::ALL {
            let screen = self.screens.of_mut(*tab);
            out.owned_by(Owner::Screen(*tab), |out| screen.restore_layout(view, out));
        }
        let wanted = std::mem::take(&mut self.views.wanted);
        if !wanted.filter.is_empty() {
            match wanted.tab {
                Some(Tab::Templates) => out.owned_by(Owner::Screen(Tab::Templates), |out| {
                    self.screens.templates.browser.filter_only(&wanted.filter, out);
                }),
                _ => out.owned_by(Owner::Screen(Tab::History), |out| {
                    self.screens.history.browser.filter_only(&wanted.filter, out);
                }),
            }
        }
        // If the user has moved elsewhere meanwhile, stay there.
        let is_first = self.navigation.tab == Tab::Home || Some(self.navigation.tab) == wanted.tab;
        let untouched = is_first && !self.navigation.can_go_back() && self.modals.is_empty();
        if let Some(tab) = wanted.tab.or(view.tab).filter(|_| untouched) {
            self.navigation.tab = tab;
        }
        self.views.seen = self.changes_of_view();
    }

    /// Handles a response about the layout file, or returns another response.
    pub(super) fn viewed(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Response::View(answer) = answer else { return Err(answer) };
        let reading = matches!(self.views.stage, Stage::Reading(wanted) if wanted == request);
        match answer {
            ViewAnswer::Recalled(view, warning) if reading => {
                self.views.kept = view.map(|view| *view).unwrap_or_default();
                let view = self.views.kept.clone();
                self.show_view(&view, out);
                self.warn_of_view(warning);
            }
            ViewAnswer::LeftAlone(why) if reading => {
                self.views.file = None;
                self.show_view(&View::default(), out);
                self.warn_of_view(Some(why));
            }
            ViewAnswer::Done(Err(why)) => {
                // Warn once only: the write would fail again at every change.
                self.views.file = None;
                self.warn_of_view(Some(why));
            }
            _ => {}
        }
        Ok(())
    }

    fn warn_of_view(&mut self, why: Option<String>) {
        if let Some(text) = why {
            self.tell(text);
        }
    }

    fn changes_of_view(&self) -> (Option<Tab>, u64) {
        let changes = Tab::ALL.iter().map(|(tab, _)| self.screens.of(*tab).layout_changes());
        (Some(self.navigation.own_tab()), changes.sum())
    }

    fn view(&self) -> View {
        // The TUI starts on this tab anyway. A user who changes nothing gets no file.
        let tab = Some(self.navigation.own_tab()).filter(|tab| *tab != Tab::Home);
        let mut view = View { tab, ..View::default() };
        for (tab, _) in Tab::ALL {
            self.screens.of(*tab).save_layout(&mut view);
        }
        view
    }

    pub(super) fn watch_view(&mut self) {
        if self.views.file.is_none() || !self.views.is_ready() {
            self.views.due = None;
            return;
        }
        let now = self.changes_of_view();
        if now != self.views.seen {
            self.views.seen = now;
            self.views.due.get_or_insert_with(|| Instant::now() + PAUSE);
        }
    }

    pub(super) fn keep_view(&mut self, out: &mut Effects<'_>) {
        if self.views.due.is_some_and(|due| due <= Instant::now()) {
            self.flush_view(out);
        }
    }

    pub(super) fn flush_view(&mut self, out: &mut Effects<'_>) {
        self.views.due = None;
        if let Some((file, view)) = self.unsaved_view() {
            self.views.kept = view.clone();
            out.ask(Request::View(ViewAsk::Keep(file, Box::new(view))));
        }
    }

    /// Leaves a profile. Writes the changes, and remembers them in case the profile is opened again at once.
    pub(super) fn leave_view(&mut self, out: &mut Effects<'_>) {
        self.flush_view(out);
        let file = self.views.file.take();
        self.views.left = file.map(|file| (file, std::mem::take(&mut self.views.kept)));
    }

    pub fn unsaved_view(&self) -> Option<(PathBuf, View)> {
        let file = self.views.file.clone().filter(|_| self.views.is_ready())?;
        let view = self.view();
        (view != self.views.kept).then_some((file, view))
    }
}

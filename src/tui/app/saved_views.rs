//! The saved layout of the lists: read when a profile opens, written shortly after a change and at the end.

use super::{App, Tab};
use crate::tui::initial_view::InitialView;
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::persist::saved_layout::layout_file::{ViewRequest, ViewResponse};
use crate::tui::prelude::*;
use crate::tui::request::ProfileSession;
use crate::tui::screens::Screens;

/// Delay between the first change and the write, so that not every key causes a write.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(in crate::tui) struct Views {
    wanted: InitialView,
    stage: LayoutStage,
    file: Option<PathBuf>,
    seen: (Option<Tab>, u64),
    /// The layout that the file has, or will have after a pending write.
    kept: SavedLayout,
    due: Option<Instant>,
    /// The pending write of the profile that was left. The file may not have it yet.
    left: Option<(PathBuf, SavedLayout)>,
}

#[derive(Default)]
enum LayoutStage {
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
        matches!(self.stage, LayoutStage::Ready)
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    pub(super) fn opened(&mut self) {
        let (wanted, left) = (std::mem::take(&mut self.wanted), self.left.take());
        *self = Self { wanted, left, ..Self::default() };
    }

    /// Requests the layout of a profile that was opened. Returns the layout if it is known already.
    pub(super) fn read(
        &mut self,
        session: &ProfileSession,
        effects: &mut Effects<'_>,
    ) -> Option<SavedLayout> {
        if !matches!(self.stage, LayoutStage::Opened) {
            return None;
        }
        let Some(kept) = session.view.clone() else { return Some(SavedLayout::default()) };
        if !kept.keep {
            effects.request(Request::View(ViewRequest::Forget(kept.file)));
            return Some(SavedLayout::default());
        }
        self.file = Some(kept.file.clone());
        match self.left.take() {
            Some((file, view)) if file == kept.file => {
                self.kept = view.clone();
                Some(view)
            }
            _ => {
                self.stage =
                    LayoutStage::Reading(effects.request(Request::View(ViewRequest::Recall(kept.file))));
                None
            }
        }
    }

    /// Handles a response about the file. Returns the layout that was read, and the message for the user.
    fn take_response(
        &mut self,
        request: RequestId,
        response: ViewResponse,
    ) -> (Option<SavedLayout>, Option<String>) {
        let reading = matches!(self.stage, LayoutStage::Reading(wanted) if wanted == request);
        match response {
            ViewResponse::Recalled(view, warning) if reading => {
                self.kept = view.map(|view| *view).unwrap_or_default();
                (Some(self.kept.clone()), warning)
            }
            ViewResponse::LeftAlone(why) if reading => {
                self.file = None;
                (Some(SavedLayout::default()), Some(why))
            }
            ViewResponse::Done(Err(why)) => {
                // Warn once only: the write would fail again at every change.
                self.file = None;
                (None, Some(why))
            }
            _ => (None, None),
        }
    }

    pub(super) fn watch(&mut self, tab: Tab, screens: &Screens) {
        let now = (Some(tab), screens.layout_changes());
        if self.file.is_none() || !self.is_ready() {
            self.due = None;
        } else if now != self.seen {
            self.seen = now;
            self.due.get_or_insert_with(|| Instant::now() + PAUSE);
        }
    }

    /// The layout and its file, if the file does not have it.
    fn unsaved(&self, view: SavedLayout) -> Option<(PathBuf, SavedLayout)> {
        let file = self.file.clone().filter(|_| self.is_ready())?;
        (view != self.kept).then_some((file, view))
    }

    /// Writes the layout if it is time.
    pub(super) fn keep(&mut self, tab: Tab, screens: &Screens, effects: &mut Effects<'_>) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.write(screens.layout(tab), effects);
        }
    }

    /// Leaves a profile. Writes the changes, and remembers them in case the profile is opened again at once.
    pub(super) fn leave(&mut self, tab: Tab, screens: &Screens, effects: &mut Effects<'_>) {
        self.write(screens.layout(tab), effects);
        let file = self.file.take();
        self.left = file.map(|file| (file, std::mem::take(&mut self.kept)));
    }

    fn write(&mut self, view: SavedLayout, effects: &mut Effects<'_>) {
        self.due = None;
        if let Some((file, view)) = self.unsaved(view) {
            self.kept = view.clone();
            effects.request(Request::View(ViewRequest::Keep(file, Box::new(view))));
        }
    }
}

impl App {
    /// Applies what the command line asks to show first.
    pub fn begin(&mut self, wanted: InitialView) {
        self.navigation.tab = wanted.tab.unwrap_or(self.navigation.tab);
        self.views.wanted = wanted;
        self.with_effects(|_, _| {});
    }

    /// Applies the saved layout. The command line has priority.
    pub(super) fn show_view(&mut self, view: &SavedLayout, effects: &mut Effects<'_>) {
        self.views.stage = LayoutStage::Ready;
        self.changed = true;
        for (tab, _) in Tab::ALL {
            self.screens.on(*tab, effects, |screen, effects| screen.restore_layout(view, effects));
        }
        let wanted = std::mem::take(&mut self.views.wanted);
        if let Some(tab) = wanted.tab.filter(|_| !wanted.filter.is_empty()) {
            self.screens.on(tab, effects, |screen, effects| {
                if let Some(list) = screen.filtered_list_mut() {
                    list.filter_only(&wanted.filter, effects);
                }
            });
        }
        // If the user has moved elsewhere meanwhile, stay there.
        let is_first = self.navigation.tab == Tab::Home || Some(self.navigation.tab) == wanted.tab;
        let untouched = is_first && !self.navigation.can_go_back() && self.modals.is_empty();
        if let Some(tab) = wanted.tab.or(view.tab).filter(|_| untouched) {
            self.navigation.tab = tab;
        }
        self.views.seen = (Some(self.navigation.own_tab()), self.screens.layout_changes());
    }

    pub(super) fn viewed(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Response::View(response) = reply.response else { return Err(reply) };
        let (view, warning) = self.views.take_response(reply.id, response);
        if let Some(view) = view {
            self.show_view(&view, effects);
        }
        if let Some(text) = warning {
            self.changed |= self.toasts.add_error(text);
        }
        Ok(())
    }

    pub fn unsaved_view(&self) -> Option<(PathBuf, SavedLayout)> {
        self.views.unsaved(self.screens.layout(self.navigation.own_tab()))
    }
}

//! How the lists are shown, kept for the next time: read when a profile is opened, written a while after it has
//! changed, and at the end.

use super::{App, Tab};
use crate::tui::effects::{Effects, Owner};
use crate::tui::persist::saved_layout::file::{ViewAnswer, ViewAsk};
use crate::tui::persist::saved_layout::{View, Wanted};
use crate::tui::request::{Request, RequestId, Response};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// How long after the first change it is written: never at every key.
const PAUSE: Duration = Duration::from_secs(2);

/// The state of it.
#[derive(Default)]
pub(in crate::tui) struct Views {
    wanted: Wanted,
    stage: Stage,
    /// The file of the profile in use, where there is one.
    file: Option<PathBuf>,
    /// What was last seen of the changes.
    seen: (Option<Tab>, u64),
    /// What is in the file, or on its way there.
    kept: View,
    /// When what has changed is written.
    due: Option<Instant>,
    /// What was on its way to which file when the profile was left: the file may not have it yet.
    left: Option<(PathBuf, View)>,
}

#[derive(Default)]
enum Stage {
    /// A profile was opened; nothing was asked for it yet.
    #[default]
    Opened,
    /// Its file is being read; the lists wait for it.
    Reading(RequestId),
    /// The lists are shown as they are to be.
    Ready,
}

impl Views {
    /// Whether the lists are shown as they are to be, so that they can be asked for.
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    /// When the desk has to write.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Another profile was opened.
    pub(super) fn opened(&mut self) {
        let (wanted, left) = (std::mem::take(&mut self.wanted), self.left.take());
        *self = Self { wanted, left, ..Self::default() };
    }
}

impl App {
    /// Begins with what the command line wants to see.
    pub fn begin(&mut self, wanted: Wanted) {
        self.views.wanted = wanted;
        let mut tickets = std::mem::take(&mut self.tickets);
        let out = Effects::new(&mut tickets);
        self.finish(out);
        self.tickets = tickets;
    }

    /// Asks for the view of a profile that was opened.
    pub(super) fn open_view(&mut self, out: &mut Effects<'_>) {
        let (Stage::Opened, Some(session)) = (&self.views.stage, &self.env.session) else { return };
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
                let ticket = out.ask(Request::View(ViewAsk::Recall(kept.file)));
                self.views.stage = Stage::Reading(ticket);
            }
        }
    }

    /// Shows the lists as they were kept; what the command line wants goes before that.
    fn show_view(&mut self, view: &View, out: &mut Effects<'_>) {
        self.views.stage = Stage::Ready;
        self.changed = true;
        out.owned_by(Owner::Screen(Tab::Templates), |out| {
            self.screens.templates.browser.restore(&view.templates, out);
        });
        out.owned_by(Owner::Screen(Tab::History), |out| {
            self.screens.history.browser.restore(&view.history, out)
        });
        self.screens.wallet.restore(&view.wallet);
        self.screens.activity.restore(&view.jobs, &view.rows);
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
        // Whoever has gone somewhere meanwhile stays there.
        let untouched = self.tab == Tab::Templates && self.came_from.is_empty() && self.modals.is_empty();
        match wanted.tab.or(view.tab) {
            Some(Tab::Overview) if untouched => self.open_overview(),
            Some(tab) if untouched => self.tab = tab,
            _ => {}
        }
        self.views.seen = self.changes_of_view();
    }

    /// Takes an answer about the file, or gives it back.
    pub(super) fn viewed(
        &mut self,
        ticket: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Response::View(answer) = answer else { return Err(answer) };
        let reading = matches!(self.views.stage, Stage::Reading(wanted) if wanted == ticket);
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
                // Said once: it would fail again at every change.
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

    /// The tab that one is on, without what was followed from it.
    fn own_tab(&self) -> Tab {
        self.came_from.first().copied().unwrap_or(self.tab)
    }

    fn changes_of_view(&self) -> (Option<Tab>, u64) {
        let lists = [
            self.screens.templates.browser.changes(),
            self.screens.history.browser.changes(),
            self.screens.wallet.changes(),
            self.screens.activity.changes(),
        ];
        (Some(self.own_tab()), lists.iter().sum())
    }

    fn view(&self) -> View {
        let (jobs, rows) = self.screens.activity.views();
        View {
            // A desk begins there anyway: whoever changes nothing leaves no file.
            tab: Some(self.own_tab()).filter(|tab| *tab != Tab::Templates),
            templates: self.screens.templates.browser.view(),
            history: self.screens.history.browser.view(),
            wallet: self.screens.wallet.view(),
            jobs,
            rows,
        }
    }

    /// Looks whether there is something new to be kept.
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

    /// Writes what has changed, once its time has come.
    pub(super) fn keep_view(&mut self, out: &mut Effects<'_>) {
        if self.views.due.is_some_and(|due| due <= Instant::now()) {
            self.flush_view(out);
        }
    }

    /// Writes what has changed.
    pub(super) fn flush_view(&mut self, out: &mut Effects<'_>) {
        self.views.due = None;
        if let Some((file, view)) = self.unsaved_view() {
            self.views.kept = view.clone();
            out.ask(Request::View(ViewAsk::Keep(file, Box::new(view))));
        }
    }

    /// Leaves a profile: what has changed is written, and remembered for when it is opened again at once.
    pub(super) fn leave_view(&mut self, out: &mut Effects<'_>) {
        self.flush_view(out);
        let file = self.views.file.take();
        self.views.left = file.map(|file| (file, std::mem::take(&mut self.views.kept)));
    }

    /// What is not in the file yet, and the file.
    pub fn unsaved_view(&self) -> Option<(PathBuf, View)> {
        let file = self.views.file.clone().filter(|_| self.views.is_ready())?;
        let view = self.view();
        (view != self.views.kept).then_some((file, view))
    }
}

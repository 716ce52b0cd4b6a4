//! What screens tell each other, and the shell: Activity keeps the list of jobs, Home the drafts.

use super::Screens;
use crate::tui::modals::palette::PaletteEntry;
use crate::tui::prelude::*;
use crate::tui::tab::Tab;

/// Maximum number of jobs, of templates, and of badges, that the palette finds.
const MOST_LOADED: usize = 1000;

impl Screens {
    pub(in crate::tui) fn is_sending(&self) -> bool {
        self.activity.is_sending()
    }

    /// The ids of the badges that are marked in the history, for tests.
    pub(in crate::tui) fn marked(&self) -> Vec<String> {
        self.history.marks.keys().map(|id| id.wire().to_owned()).collect()
    }

    /// What the palette finds besides actions.
    pub(in crate::tui) fn loaded(&self, cx: &UiContext) -> impl Iterator<Item = PaletteEntry> {
        let loaded: Vec<&Template> = self.all().flat_map(Screen::templates).collect();
        let ids: HashSet<&str> = loaded.iter().map(|template| template.template_id.wire()).collect();
        let known = cx.connection.recents.templates().iter().filter(move |one| !ids.contains(&*one.id));
        let templates =
            loaded.into_iter().map(PaletteEntry::of_template).chain(known.filter_map(PaletteEntry::of_known));
        // Those of the wallet before those of the history.
        let badges = self.all().rev().flat_map(|screen| screen.badges(MOST_LOADED)).take(MOST_LOADED);
        let drafts = self.home.kept_drafts();
        let drafts: Vec<PaletteEntry> =
            drafts.iter().filter_map(|import| PaletteEntry::of_drafts(import)).collect();
        let jobs = self.activity.jobs().iter().take(MOST_LOADED);
        // The files of colleagues are on other computers.
        let is_own =
            |job: &&Job| job.begun.as_ref().is_none_or(|begun| Some(begun.who.wire()) == cx.person());
        let files = jobs.clone().filter(|_| !cx.read_only()).filter(is_own).filter_map(PaletteEntry::of_file);
        let work = drafts.into_iter().chain(jobs.map(PaletteEntry::of_job)).chain(files);
        work.chain(templates.take(MOST_LOADED)).chain(badges.flat_map(PaletteEntry::of_badge))
    }

    /// Passes changed jobs to Home, and the number of kept drafts to Activity. Passes the length of the history, if the
    /// History tab shows all of it, to the tabs that say what reading it costs. The palette finds kept drafts from every tab.
    pub(in crate::tui) fn share(&mut self, tab: Tab, cx: &UiContext, effects: &mut Effects<'_>) {
        effects.owned_by(RequestOwner::Screen(Tab::Home), |effects| self.home.read_drafts(effects));
        if tab == Tab::Activity {
            self.activity.drafts = self.home.kept_drafts().len();
        }
        if tab != Tab::Home {
            self.home.tell_drafts(cx, effects);
        }
        if matches!(tab, Tab::Home | Tab::Wallet) {
            let history = &self.history.filtered;
            let is_whole = history.list.is_counted() && history.filter_words().is_empty();
            let badges = is_whole.then(|| history.list.len());
            self.home.take_history(badges);
            self.wallet.take_history(badges);
        }
        if std::mem::take(&mut self.activity.fresh)
            && let Some(read) = self.activity.read()
        {
            self.home.take_jobs(self.activity.jobs(), read.clone(), cx);
        }
    }
}

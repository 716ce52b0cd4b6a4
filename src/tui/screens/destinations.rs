//! The tab to which a navigation leads, and how its screen follows it.

use super::Screens;
use crate::tui::prelude::*;
use crate::tui::tab::Tab;
use crate::tui::widgets::filtered_list::ListRecord;

pub(in crate::tui) struct Destination {
    pub(in crate::tui) tab: Tab,
    /// Whether the screen that is shown now changes to this one, so that Back returns to it.
    pub(in crate::tui) is_followed: bool,
    /// What the screen will show, of many.
    pub(in crate::tui) shown: Option<ShownRecord>,
}

impl Destination {
    /// `None` if the shell itself handles it.
    pub(in crate::tui) fn of(go: &Navigate) -> Option<Self> {
        let to = |tab| Some(Self { tab, is_followed: true, shown: None });
        let of = |tab, shown| Some(Self { tab, is_followed: true, shown: Some(shown) });
        let stays = |tab| Some(Self { tab, is_followed: false, shown: None });
        match go {
            Navigate::Badge(badge) => of(Tab::Badge, ShownRecord::Badge(badge.clone())),
            Navigate::FindBadge(_) => to(Tab::Badge),
            Navigate::TemplatesTitled(_) => to(Tab::Templates),
            Navigate::Holder(email) | Navigate::HolderOf(email, _) => {
                of(Tab::Wallet, ShownRecord::Holder(email.clone()))
            }
            Navigate::HolderNamed(_) => to(Tab::Wallet),
            Navigate::FindCert(..) | Navigate::Question(_) => stays(Tab::Wallet),
            Navigate::Activity | Navigate::Job(..) => to(Tab::Activity),
            Navigate::Mails(_) => to(Tab::Home),
            Navigate::Drafts(_) => stays(Tab::Home),
            Navigate::UseFilter(filter) if filter.list == Template::LIST => to(Tab::Templates),
            Navigate::UseFilter(_) => to(Tab::History),
            Navigate::MarkAll => stays(Tab::History),
            _ => None,
        }
    }
}

impl Screens {
    /// The screen of the destination owns the requests.
    pub(in crate::tui) fn arrive(&mut self, go: Navigate, effects: &mut Effects<'_>) {
        match go {
            Navigate::Badge(badge) => self.badge.open(badge, effects),
            Navigate::FindBadge(typed) => self.badge.find_typed(typed, effects),
            Navigate::TemplatesTitled(title) => self.templates.titled(&title, effects),
            Navigate::Holder(email) => self.wallet.look_up(&email, effects),
            Navigate::HolderOf(email, id) => {
                self.wallet.look_up(&email, effects);
                self.wallet.select(id);
            }
            Navigate::HolderNamed(name) => self.wallet.look_up_name(&name, effects),
            Navigate::FindCert(number, ids) => self.wallet.read_records(number, ids, effects),
            Navigate::Question(question) => self.wallet.answer(question, effects),
            Navigate::Activity => self.activity.select_newest(),
            Navigate::Job(id, statuses) => self.activity.show(id, statuses),
            Navigate::Drafts(ids) => {
                effects.command(JobCommand::OpenDrafts(ids));
            }
            Navigate::Mails(id) => self.home.list_mails(id, effects),
            Navigate::UseFilter(filter) if filter.list == Template::LIST => {
                self.templates.filtered.use_filter(&filter, effects);
            }
            Navigate::UseFilter(filter) => self.history.filtered.use_filter(&filter, effects),
            Navigate::MarkAll => self.history.mark_all(effects),
            _ => {}
        }
    }
}

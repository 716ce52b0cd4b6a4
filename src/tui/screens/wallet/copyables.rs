//! Copying, exporting, opening and raw JSON for the Wallet tab.

use super::rows::{COPIED, FIELDS, LookupView, heading, sent_to};
use super::{FIRST_PAGES, Wallet};
use crate::export;
use crate::tui::persist::saved_layout;
use crate::tui::prelude::*;
use crate::tui::widgets::copying::{Copyables, records};
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::record_field::pick;

impl Wallet {
    pub(super) fn source(&self, cx: &UiContext) -> Result<ExportSource, &'static str> {
        let list = &self.lookup.list;
        let found = list.found.as_ref().filter(|_| list.is_listing());
        let Some(found) = found else { return Err(t!("There are no badges here to export.")) };
        let now = cx.now();
        let rows: Vec<export::ExportRow> =
            list.rows_with_folded().map(|held| export::ExportRow::of(held, now)).collect();
        let listed = rows.len() as u64;
        let is_all = found.both && found.complete;
        let head = t!(
            "{badges} of {email}, from wallet and history",
            badges = count!(listed, "badge", "badges"),
            email = Text::from(found.email.as_str())
        );
        let mut notes = Vec::new();
        if listed < list.all() as u64 {
            notes.push(t!("The file has only the rows that the list shows.").to_owned());
        }
        if let Some(at) = found.read_at.filter(|_| found.is_kept) {
            let time = moment(at, cx);
            notes.push(t!("The refresh failed. The file has the badges as of {time}.", time));
        }
        if !is_all && found.whole_as_of().is_none() {
            let why = if found.email.is_empty() {
                t!("Only this badge was looked up, not its holder's wallet.")
            } else {
                t!("Some data of this holder could not be read. There may be more badges.")
            };
            notes.push(why.to_owned());
        }
        let note = Some(notes.join(" ")).filter(|note| !note.is_empty());
        Ok(ExportSource::of_rows("wallet", head, note, <HeldBadge as export::Record>::SHAPE.names(), rows))
    }
}

impl Screen for Wallet {
    fn begin() -> Self {
        let mut wallet = Self::default();
        wallet.input.typing = true;
        wallet.lookup.list.heading = heading();
        wallet
    }

    fn on_opened(&mut self) {
        self.focus_box();
        self.input.field.select();
    }

    fn layout_changes(&self) -> u64 {
        self.lookup.list.heading.changes()
    }

    fn save_layout(&self, view: &mut saved_layout::SavedLayout) {
        view.wallet = self.lookup.list.heading.view();
    }

    fn restore_layout(&mut self, view: &saved_layout::SavedLayout, _: &mut Effects<'_>) {
        self.lookup.list.heading.restore_all(&view.wallet);
        self.lookup.list.unsorted = true;
    }

    fn shown(&self) -> Option<ShownRecord> {
        self.lookup.asked.clone().map(ShownRecord::Holder)
    }

    fn show(&mut self, shown: ShownRecord, effects: &mut Effects<'_>) {
        if let ShownRecord::Holder(email) = shown {
            self.look_up(&email, effects);
        }
    }

    fn can_go_back(&self) -> bool {
        let list = &self.lookup.list;
        self.lookup.pending.is_reading_cert()
            || self.pane.side.is_some()
            || list.only.is_some()
            || list.can_fold()
            || list.search.text().is_some()
            || list.search.over().is_some()
            || list.people.is_some() && (!list.is_choosing() || !list.held().is_empty())
    }

    fn shows_age(&self, _: &UiContext) -> bool {
        self.lookup.list.found.as_ref().is_some_and(|found| found.cache.waits)
    }

    fn has_pane(&self) -> bool {
        self.pane.side.is_some()
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        let held = self.lookup.list.selected()?;
        match self.pane.side {
            Some(side) => Some(side.picture(held, area)),
            None => self.text_and_picture(held, area, cx).1,
        }
    }

    fn has_picture(&self, action: Action) -> bool {
        let has_badge = self.lookup.list.selected().is_some() && !self.lookup.call.masked;
        has_badge && (action == Action::Picture || self.pane.side.is_some())
    }

    fn on_journal(&mut self, event: JournalEvent<'_>, _: &UiContext, effects: &mut Effects<'_>) {
        match event {
            JournalEvent::Opened { again: true } => self.journal_is_back(true, effects),
            JournalEvent::Back => self.journal_is_back(false, effects),
            JournalEvent::Opened { again: false } | JournalEvent::Failed(_) => {}
        }
    }

    fn on_touched(&mut self, _: &Job, touched: &[Touched], _: &UiContext, effects: &mut Effects<'_>) {
        let is_listed = |id: &BadgeId| self.lookup.list.held().iter().any(|held| held.badge_id == *id);
        // A long wallet costs many requests, so only the user reads it again. The old data stays visible meanwhile.
        if self.lookup.call.reading.pages <= FIRST_PAGES
            && touched.iter().any(|badge| is_listed(&badge.badge_id))
        {
            self.lookup.read_again(effects);
        }
    }

    fn shows_recents(&self) -> bool {
        true
    }

    fn forget_recents(&mut self) {
        self.input.set_aside.clear();
    }

    fn open_field(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        self.on_paste("", cx, effects);
    }

    fn badges(&self, most: usize) -> Vec<&HistoryItem> {
        let held = self.lookup.list.held().iter();
        held.filter_map(|held| held.history.as_ref()).take(most).collect()
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let list = &self.lookup.list;
        let email = self.lookup.asked.as_deref().unwrap_or_default();
        let mut all = Copyables::default();
        let Some(held) = list.selected() else {
            all.one('a', t!("e-mail address"), self.lookup.asked.as_deref());
            return all;
        };
        all.one('i', t!("badge id"), Some(held.badge_id.wire()));
        if !self.lookup.call.masked {
            let address = Some(sent_to(held, email)).filter(|address| !address.is_empty());
            all.one('a', t!("e-mail address"), address);
        }
        let front = held.wallet.as_ref().and_then(|badge| badge.front_image_url.as_ref());
        all.link('l', t!("link to the picture"), front.filter(|_| !self.lookup.call.masked), cx);
        let Some(view) = list.as_rows(cx) else { return all };
        let view = LookupView { email: email.to_owned(), ..view };
        let fields = pick(FIELDS, &COPIED);
        let what = |n| plural!(n, "{n} row of this holder", "{n} rows of this holder");
        all.records(&fields, Some(held), list.rows_with_folded(), what, |_| &view, cx);
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let Some(held) = self.lookup.list.selected().filter(|_| !self.lookup.call.masked) else {
            return Vec::new();
        };
        let email = Text::from(sent_to(held, self.lookup.asked.as_deref().unwrap_or_default()));
        records(&held.badge_id, Some(&email).filter(|email| !email.looks_empty()))
    }

    fn give_up(&mut self, request: RequestId) {
        self.lookup.pending.forget(request);
    }

    fn refresh(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        self.on_action(Action::Reload, cx, effects);
    }
}

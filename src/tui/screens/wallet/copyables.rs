//! Copying, exporting, opening and raw JSON for the Wallet tab.

use super::Wallet;
use super::rows::{COPIED, FIELDS, LookupView, heading, sent_to};
use crate::export;
use crate::tui::persist::saved_layout;
use crate::tui::prelude::*;
use crate::tui::widgets::copying::{Copyables, records};
use crate::tui::widgets::record_field::pick;

impl Wallet {
    pub(super) fn source(&self, cx: &UiContext) -> Result<ExportSource, &'static str> {
        let found = self.found.as_ref().filter(|_| self.is_listing());
        let Some(found) = found else { return Err(t!("There are no badges here to export.")) };
        let now = cx.now();
        let rows: Vec<export::ExportRow> =
            self.rows_with_folded().map(|held| export::ExportRow::of(held, now)).collect();
        let listed = rows.len() as u64;
        let is_all = found.both && found.complete;
        let head = t!(
            "{badges} of {email}, from wallet and history",
            badges = count!(listed, "badge", "badges"),
            email = Text::from(found.email.as_str())
        );
        let note = if listed < self.all() as u64 {
            Some(t!("The file has only the rows that the list shows.").to_owned())
        } else {
            let why = if found.email.is_empty() {
                t!("Only this badge was looked up, not its holder's wallet.")
            } else {
                t!("Some data of this holder could not be read. There may be more badges.")
            };
            (!is_all).then(|| why.to_owned())
        };
        Ok(ExportSource::of_rows("wallet", head, note, <HeldBadge as export::Record>::SHAPE.names(), rows))
    }
}

impl Screen for Wallet {
    fn begin() -> Self {
        Self { typing: true, heading: heading(), ..Self::default() }
    }

    fn on_opened(&mut self) {
        self.focus_box();
        self.field.select();
    }

    fn layout_changes(&self) -> u64 {
        self.heading.changes()
    }

    fn save_layout(&self, view: &mut saved_layout::SavedLayout) {
        view.wallet = self.heading.view();
    }

    fn restore_layout(&mut self, view: &saved_layout::SavedLayout, _: &mut Effects<'_>) {
        self.heading.restore_all(&view.wallet);
        self.unsorted = true;
    }

    fn shown(&self) -> Option<ShownRecord> {
        self.asked.clone().map(ShownRecord::Holder)
    }

    fn show(&mut self, shown: ShownRecord, effects: &mut Effects<'_>) {
        if let ShownRecord::Holder(email) = shown {
            self.look_up(&email, effects);
        }
    }

    fn can_go_back(&self) -> bool {
        let is_searched = self.search.text().is_some() || self.search.over().is_some();
        self.is_reading_cert()
            || self.call.side.is_some()
            || self.call.only.is_some()
            || self.can_fold()
            || is_searched
            || self.people.is_some() && (!self.choosing || !self.held().is_empty())
    }

    fn shows_age(&self, cx: &UiContext) -> bool {
        self.found.as_ref().is_some_and(|found| found.waits(cx.now()))
    }

    fn has_pane(&self) -> bool {
        self.call.side.is_some()
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        let held = self.selected()?;
        match self.call.side {
            Some(side) => Some(self.side(held, side, area)),
            None => self.text_and_picture(held, area, cx).1,
        }
    }

    fn has_picture(&self, action: Action) -> bool {
        let has_badge = self.selected().is_some() && !self.call.masked;
        has_badge && (action == Action::Picture || self.call.side.is_some())
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let email = self.asked.as_deref().unwrap_or_default();
        let mut all = Copyables::default();
        let Some(held) = self.selected() else {
            all.one('a', t!("e-mail address"), self.asked.as_deref());
            return all;
        };
        all.one('i', t!("badge id"), Some(held.badge_id.wire()));
        if !self.call.masked {
            let address = Some(sent_to(held, email)).filter(|address| !address.is_empty());
            all.one('a', t!("e-mail address"), address);
        }
        let front = held.wallet.as_ref().and_then(|badge| badge.front_image_url.as_ref());
        all.link('l', t!("link to the picture"), front.filter(|_| !self.call.masked), cx);
        let Some(view) = self.as_rows(cx) else { return all };
        let view = LookupView { email: email.to_owned(), ..view };
        let fields = pick(FIELDS, &COPIED);
        let what = |n| plural!(n, "{n} row of this holder", "{n} rows of this holder");
        all.records(&fields, Some(held), self.rows_with_folded(), what, |_| &view, cx);
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let Some(held) = self.selected().filter(|_| !self.call.masked) else { return Vec::new() };
        let email = Text::from(sent_to(held, self.asked.as_deref().unwrap_or_default()));
        records(&held.badge_id, Some(&email).filter(|email| !email.looks_empty()))
    }

    fn give_up(&mut self, request: RequestId) {
        self.request.take_if(|own| *own == request);
        self.lookup.take_if(|(own, _)| *own == request);
    }

    fn refresh(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        self.on_action(Action::Reload, cx, effects);
    }
}

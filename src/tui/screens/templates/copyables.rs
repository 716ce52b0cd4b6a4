//! Copying, opening and raw JSON for the Templates tab.

use super::{COPIED, Templates};
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::copying::{self, Copyables};

impl Templates {
    fn category(&self) -> Option<&Category> {
        let open = self.categories.as_ref()?;
        open.items().get(open.cursor.at())
    }
}

impl Screen for Templates {
    fn layout_changes(&self) -> u64 {
        self.filtered.changes()
    }

    fn save_layout(&self, view: &mut SavedLayout) {
        view.templates = self.filtered.view();
    }

    fn restore_layout(&mut self, view: &SavedLayout, effects: &mut Effects<'_>) {
        self.filtered.restore(&view.templates, effects);
    }

    fn can_go_back(&self) -> bool {
        self.full || self.categories.is_some() || self.filtered.can_go_back()
    }

    fn has_pane(&self) -> bool {
        self.full || self.categories.is_some()
    }

    fn is_behind(&self, action: Action) -> bool {
        let of_list = matches!(
            action,
            Action::Open
                | Action::Filter
                | Action::Sort
                | Action::ChooseColumns
                | Action::SavedFilters
                | Action::SaveFilter
                | Action::Export
                | Action::Categories
        );
        self.full && of_list
    }

    fn picture(&self, area: Rect, _: &UiContext) -> Option<PictureRequest> {
        let place = if self.beside {
            picture::above(self.areas(area).1?).0
        } else {
            (self.full && self.over_text).then(|| picture::in_pane(area))
        };
        let row = self.filtered.list.selected()?;
        Some(PictureRequest { of: PictureOf::Address(row.image_url.clone()), area: place? })
    }

    fn forget_recents(&mut self) {
        self.filtered.forget_earlier();
    }

    fn key_like(&self) -> Vec<String> {
        self.filtered.key_like()
    }

    fn apply_filter(&mut self, effects: &mut Effects<'_>) {
        self.filtered.apply(effects);
    }

    fn filter_only(&mut self, filter: &[(String, String)], effects: &mut Effects<'_>) {
        self.filtered.filter_only(filter, effects);
    }

    fn templates(&self) -> Vec<&Template> {
        self.filtered.loaded().collect()
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let mut all = Copyables::default();
        if self.categories.is_some() {
            if let Some(category) = self.category() {
                all.one('i', t!("category id"), Some(category.category_id.wire()));
                all.one('c', t!("category code"), category.category_cd.as_ref().map(Text::wire));
                all.one('n', t!("category name"), category.category_name.as_ref().map(Text::wire));
            }
            return all;
        }
        let Some(row) = self.filtered.list.selected() else { return all };
        all.one('i', t!("template id"), Some(row.template_id.wire()));
        all.one('n', t!("title"), row.title.as_ref().map(Text::wire));
        all.link('l', t!("link to the picture"), row.image_url.as_ref(), cx);
        let loaded = self.filtered.list.loaded().map(|(_, row)| row);
        all.records(COPIED, Some(row), loaded, copying::loaded, |_| (), cx);
        all
    }

    fn records(&self) -> Vec<RawOf> {
        if self.categories.is_some() {
            // The badge types are listed below the categories and cannot be selected one by one.
            let category = self.category().map(|category| RawOf::Category(category.category_id.clone()));
            return category.into_iter().chain([RawOf::BadgeTypes]).collect();
        }
        let row = self.filtered.list.selected().map(|row| RawOf::Template(row.template_id.clone()));
        row.into_iter().collect()
    }

    fn give_up(&mut self, request: RequestId) {
        self.detail_request.take_if(|own| *own == request);
    }

    fn refresh(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if self.categories.is_some() {
            return;
        }
        self.filtered.reload(effects);
        if let Some(id) = self.wanted.clone().filter(|_| self.beside || self.full) {
            effects.request_instead(&mut self.detail_request, Request::Template(id));
        }
    }

    fn has_picture(&self, action: Action) -> bool {
        action == Action::Picture && self.full
    }

    fn rows_built(&self) -> u64 {
        self.filtered.list.rows_built()
    }
}

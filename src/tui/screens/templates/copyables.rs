//! Copying, opening and raw JSON for the Templates tab.

use super::Templates;
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::copying::{self, Copyables};
use crate::tui::widgets::filtered_list::{Filterable, ListRecord};

impl Templates {
    fn category(&self) -> Option<&Category> {
        let open = self.categories.as_ref()?;
        open.items().get(open.cursor.at())
    }
}

impl Screen for Templates {
    fn filtered_list(&self) -> Option<&dyn Filterable> {
        Some(&self.filtered)
    }

    fn filtered_list_mut(&mut self) -> Option<&mut dyn Filterable> {
        Some(&mut self.filtered)
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
        all.records(Template::FIELDS, Some(row), loaded, copying::loaded, |_| (), cx);
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
        self.request.take_if(|own| *own == request);
    }

    fn refresh(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if self.categories.is_some() {
            return;
        }
        self.filtered.reload(effects);
        if self.beside || self.full {
            self.read_detail(effects);
        }
    }

    fn has_picture(&self, action: Action) -> bool {
        action == Action::Picture && self.full
    }
}

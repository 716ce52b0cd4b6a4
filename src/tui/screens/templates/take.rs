//! What can be copied, opened and looked at as it was sent, from the Templates tab.

use super::Templates;
use crate::api::RawOf;
use crate::domain::{Category, Template, Text};
use crate::tui::context::{Effects, Env};
use crate::tui::input::action::Action;
use crate::tui::request::{Request, RequestId};
use crate::tui::widgets::copying::{Copyables, cell};

/// In the language of the screen that it is copied from.
const HEADS: [&str; 7] = [
    tr_noop!("Title"),
    tr_noop!("Type"),
    tr_noop!("Category"),
    tr_noop!("Level"),
    tr_noop!("Level name"),
    tr_noop!("In use"),
    tr_noop!("Template id"),
];

impl Templates {
    /// What can be copied from here.
    pub fn copyables(&self, env: &Env) -> Copyables {
        let mut all = Copyables::default();
        if self.categories.is_some() {
            if let Some(category) = self.category() {
                all.one('i', t!("category id"), Some(category.category_id.wire()));
                all.one('c', t!("category code"), category.category_cd.as_ref().map(Text::wire));
                all.one('n', t!("category name"), category.category_name.as_ref().map(Text::wire));
            }
            return all;
        }
        let Some(row) = self.browser.list.selected() else { return all };
        all.one('i', t!("template id"), Some(row.template_id.wire()));
        all.one('n', t!("title"), row.title.as_ref().map(Text::wire));
        let link = |url: &Text| env.reader.as_ref().and_then(|reader| reader.picture_url(url));
        all.link('l', t!("link to the picture"), row.image_url.as_ref().and_then(link));
        all.row(&cells(row));
        let rows: Vec<Vec<String>> = self.browser.list.loaded().map(|(_, row)| cells(row)).collect();
        all.table(&HEADS, &rows, t!("that are loaded"));
        all
    }

    /// Which records can be looked at as they are sent.
    pub fn records(&self) -> Vec<RawOf> {
        if self.categories.is_some() {
            // The badge types stand below the categories, and have no rows of their own.
            let category = self.category().map(|category| RawOf::Category(category.category_id.clone()));
            return category.into_iter().chain([RawOf::BadgeTypes]).collect();
        }
        let row = self.browser.list.selected().map(|row| RawOf::Template(row.template_id.clone()));
        row.into_iter().collect()
    }

    fn category(&self) -> Option<&Category> {
        let open = self.categories.as_ref()?;
        open.categories.as_ref()?.as_ref().ok()?.items.get(open.at)
    }

    /// Reads again what is on the screen, which stays there meanwhile.
    pub fn read_again(&mut self, out: &mut Effects<'_>) {
        if self.categories.is_some() {
            return;
        }
        self.browser.on_action(Action::Reload, out);
        if let Some(id) = self.wanted.clone().filter(|_| self.beside || self.full) {
            out.ask_instead(&mut self.detail_ticket, Request::Template(id));
        }
    }

    /// Nobody waits for this answer any more.
    pub fn give_up(&mut self, ticket: RequestId) {
        self.detail_ticket.take_if(|own| *own == ticket);
    }
}

fn cells(row: &Template) -> Vec<String> {
    let used = match row.use_yn {
        Some(true) => "Y",
        Some(false) => "N",
        None => "",
    };
    vec![
        cell(row.title.as_ref()),
        cell(row.badge_type_name.as_ref()),
        cell(row.category_name.as_ref()),
        row.level.map_or_else(String::new, |level| level.to_string()),
        cell(row.level_name.as_ref()),
        used.to_owned(),
        row.template_id.to_string(),
    ]
}

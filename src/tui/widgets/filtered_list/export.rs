//! Exports a filtered list with its filter and its sort order.

use crate::api::MAX_ROWS_PER_PAGE;
use crate::export::{ExportContent, List};
use crate::tui::effects::{Content, ExportSource};
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::{FilteredList, ListRecord};

impl<T: ListRecord> FilteredList<T> {
    /// The source for an export file `lapel-WHAT-…`, or the reason why there is nothing to export.
    pub fn source(&self, what: &'static str, cx: &UiContext) -> Result<ExportSource, String> {
        if !self.list.is_answered() {
            return Err(tr(T::TEXTS.not_loaded).to_owned());
        }
        if self.list.is_empty() {
            return Err(tr(T::TEXTS.nothing_to_export).to_owned());
        }
        let by_service = self.sort();
        let unsorted = self.heading.order().is_some() && by_service.is_none();
        let paging =
            Paging { page: 1, rows_per_page: MAX_ROWS_PER_PAGE, sort: by_service.into_iter().collect() };
        let list = match T::ask(&self.filter, paging) {
            Request::Templates(query) => List::Templates(query),
            Request::History(query) => List::History(query),
            _ => return Err(t!("This list cannot be exported.").to_owned()),
        };
        let rows = self.list.is_counted().then(|| self.list.len());
        let mut head = match rows {
            Some(rows) => T::count(rows),
            None => tr(T::TEXTS.all).to_owned(),
        };
        for words in &self.applied {
            head.push_str(&format!(" {} {words}", cx.glyphs.dot));
        }
        if let Some(by) = self.heading.words().filter(|_| !unsorted) {
            head.push_str(&format!(" {} {by}", cx.glyphs.dot));
        }
        let note = unsorted.then(|| {
            t!("The service does not sort this list. The file is in the service's own order.").to_owned()
        });
        Ok(ExportSource {
            content: Content::List(ExportContent::List(list)),
            name: what.to_owned(),
            head,
            rows,
            note,
        })
    }
}

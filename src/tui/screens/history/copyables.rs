//! Copying and raw JSON for the History tab.

use super::History;
use crate::api::RawOf;
use crate::domain::{HistoryItem, Text, Verdict, issue_time};
use crate::tui::component::Screen;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::widgets::copying::{Copyables, cell, records};
use jiff::civil::DateTime;

/// The titles are translated when rows are copied.
const HEADS: [&str; 9] = [
    tr_noop!("State"),
    tr_noop!("Holder"),
    tr_noop!("E-mail"),
    tr_noop!("Badge"),
    tr_noop!("Accepted at"),
    tr_noop!("Issued at"),
    tr_noop!("Valid until"),
    tr_noop!("Mail"),
    tr_noop!("Badge id"),
];

impl Screen for History {
    fn can_go_back(&self) -> bool {
        self.range_from.is_some() || self.marking.is_some() || self.browser.can_go_back()
    }

    fn copyables(&self, env: &Env) -> Copyables {
        let now = env.now();
        let mut all = Copyables::default();
        if let Some(row) = self.browser.list.selected() {
            all.one('i', t!("badge id"), Some(row.badge_id.wire()));
            all.one('a', t!("e-mail address"), row.recipient_email.as_ref().map(Text::wire));
            all.row(&cells(row, now));
        }
        if self.marks.is_empty() {
            let rows: Vec<Vec<String>> = self.browser.list.loaded().map(|(_, row)| cells(row, now)).collect();
            all.table(&HEADS, &rows, t!("that are loaded"));
        } else {
            let rows: Vec<Vec<String>> = self.marks.values().map(|row| cells(row, now)).collect();
            all.table(&HEADS, &rows, t!("that are marked"));
        }
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let row = self.browser.list.selected();
        row.map_or_else(Vec::new, |row| records(&row.badge_id, row.recipient_email.as_ref()))
    }

    fn refresh(&mut self, _: &Env, out: &mut Effects<'_>) {
        self.reload(out);
    }

    fn rows_built(&self) -> u64 {
        self.browser.rows_built()
    }
}

fn cells(row: &HistoryItem, now: DateTime) -> Vec<String> {
    let time = |time: &Option<crate::domain::ServiceTime>| {
        time.as_ref().map_or_else(String::new, ToString::to_string)
    };
    vec![
        Verdict::of(row, now).state().word().to_string(),
        cell(row.recipient_name.as_ref()),
        cell(row.recipient_email.as_ref()),
        cell(row.title.as_ref()),
        time(&row.reg_date),
        issue_time(row).map_or_else(String::new, ToString::to_string),
        time(&row.valid_until),
        cell(row.email_status.as_ref()),
        row.badge_id.to_string(),
    ]
}

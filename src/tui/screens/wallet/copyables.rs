//! Copying, opening and raw JSON for the Wallet tab.

use super::Wallet;
use crate::api::RawOf;
use crate::domain::Text;
use crate::domain::holder::Held;
use crate::tui::component::Component;
use crate::tui::component::Screen;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::request::RequestId;
use crate::tui::widgets::copying::{Copyables, cell, records};
use jiff::civil::DateTime;

/// The titles are translated when rows are copied.
const HEADS: [&str; 7] = [
    tr_noop!("State"),
    tr_noop!("Holder"),
    tr_noop!("E-mail"),
    tr_noop!("Badge"),
    tr_noop!("Accepted at"),
    tr_noop!("Issued at"),
    tr_noop!("Badge id"),
];

impl Screen for Wallet {
    fn can_go_back(&self) -> bool {
        self.people.is_some() && (!self.choosing || !self.held().is_empty())
    }

    fn shows_age(&self, env: &Env) -> bool {
        let now = env.now();
        self.rows().any(|held| held.verdict(now).is_running())
    }

    fn copyables(&self, env: &Env) -> Copyables {
        let now = env.now();
        let email = self.asked.as_deref().unwrap_or_default();
        let mut all = Copyables::default();
        let Some(held) = self.selected() else {
            all.one('a', t!("e-mail address"), self.asked.as_deref());
            return all;
        };
        all.one('i', t!("badge id"), Some(held.badge_id.wire()));
        if !self.call.masked {
            all.one('a', t!("e-mail address"), Some(address(held, email)));
        }
        let link = |url: &Text| env.reader.as_ref().and_then(|reader| reader.picture_url(url));
        let front = held.wallet.as_ref().and_then(|badge| badge.front_image_url.as_ref());
        all.link('l', t!("link to the picture"), front.filter(|_| !self.call.masked).and_then(link));
        all.row(&cells(held, email, now));
        let rows: Vec<Vec<String>> = self.rows().map(|held| cells(held, email, now)).collect();
        all.table(&HEADS, &rows, t!("of this holder"));
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let Some(held) = self.selected().filter(|_| !self.call.masked) else { return Vec::new() };
        let email = Text::from(address(held, self.asked.as_deref().unwrap_or_default()));
        records(&held.badge_id, Some(&email))
    }

    fn give_up(&mut self, ticket: RequestId) {
        self.ticket.take_if(|own| *own == ticket);
        self.errand.take_if(|(own, _)| *own == ticket);
    }

    fn refresh(&mut self, env: &Env, out: &mut Effects<'_>) {
        self.on_action(Action::Reload, env, out);
    }
}

/// The address that the badge was sent to, from the history. Without it, the address of the look-up.
fn address<'a>(held: &'a Held, email: &'a str) -> &'a str {
    held.history.as_ref().and_then(|item| item.recipient_email.as_ref()).map_or(email, Text::wire)
}

fn cells(held: &Held, email: &str, now: DateTime) -> Vec<String> {
    vec![
        held.verdict(now).state().word().to_string(),
        cell(held.recipient_name()),
        Text::from(address(held, email)).to_string(),
        cell(held.title()),
        held.reg_date().map_or_else(String::new, ToString::to_string),
        held.issued_at().map_or_else(String::new, ToString::to_string),
        held.badge_id.to_string(),
    ]
}

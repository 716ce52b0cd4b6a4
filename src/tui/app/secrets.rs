//! Keys in the wrong place: what is typed or pasted is compared with the keys that are known before anything is
//! asked or written. The client refuses what comes past this.

use super::{App, Tab};
use crate::secrets::{Likeness, is_key, judge};
use crate::tui::component::Component as _;
use crate::tui::effects::{Effects, Owner};
use crate::tui::input::action::Action;
use crate::tui::modals::key_question::{KeyQuestion, Then};
use crate::tui::modals::palette::CommandPalette;

impl App {
    /// Whether Enter must not go on, since what is typed looks like an API key. A key is refused, and taken out of
    /// a box that has nothing else; about mere shape a person is asked.
    pub(super) fn stops_a_key(&mut self, out: &mut Effects<'_>) -> bool {
        let typed = self.typed();
        if typed.iter().any(|text| is_key(text)) {
            let is_box = self.modals.is_empty() || self.top::<CommandPalette>().is_some();
            if is_box {
                self.act_inside(Action::ClearField, out);
            }
            out.warn(t!("This looks like an API key. Nothing was sent."));
            return true;
        }
        let shaped: Vec<String> =
            typed.into_iter().filter(|text| judge(text) == Likeness::Shape).map(str::to_owned).collect();
        if shaped.is_empty() {
            return false;
        }
        self.ask_about(shaped, Then::Accept);
        true
    }

    /// Whether the list's filter may not be applied, since it looks like an API key; then a person is asked.
    pub(super) fn ask_about_filter(&mut self) {
        let texts = match self.tab {
            Tab::Templates => self.screens.templates.browser.key_like(),
            Tab::History => self.screens.history.browser.key_like(),
            _ => Vec::new(),
        };
        if !texts.is_empty() {
            self.ask_about(texts, Then::Filter);
        }
    }

    fn ask_about(&mut self, texts: Vec<String>, then: Then) {
        self.open(KeyQuestion::new(texts, then));
    }

    /// Goes on with what a person has said to be no key.
    pub(super) fn key_allowed(&mut self, then: Then, out: &mut Effects<'_>) {
        match (then, self.tab) {
            (Then::Accept, _) => {
                self.act_inside(Action::Accept, out);
            }
            (Then::Filter, Tab::Templates) => {
                out.owned_by(Owner::Screen(Tab::Templates), |out| self.screens.templates.browser.apply(out))
            }
            (Then::Filter, Tab::History) => {
                out.owned_by(Owner::Screen(Tab::History), |out| self.screens.history.browser.apply(out))
            }
            (Then::Filter, _) => {}
        }
    }

    /// Whether pasted text is refused, since it is an API key and is not pasted where one belongs.
    pub(super) fn refuses_paste(&mut self, text: &str, out: &mut Effects<'_>) -> bool {
        let takes_keys = self.modals.last().map_or(self.welcome.is_some(), |modal| modal.takes_api_key());
        if takes_keys || !is_key(text) {
            return false;
        }
        // The box opens as for any other text: Enter must not act on what is selected instead.
        match self.tab {
            Tab::Wallet if self.modals.is_empty() => self.screens.wallet.on_paste("", &self.env, out),
            Tab::Badge if self.modals.is_empty() => self.screens.badge.on_paste("", &self.env, out),
            _ => {}
        }
        out.warn(t!("This looks like an API key. It was not pasted. Nothing was sent."));
        true
    }

    /// What is typed in fields whose text is sent, or written down, by Enter.
    fn typed(&self) -> Vec<&str> {
        match self.modals.last() {
            Some(modal) => modal.typed(),
            None if self.welcome.is_some() => Vec::new(),
            None => self.screen().typed(),
        }
    }
}

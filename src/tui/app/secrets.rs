//! What must not leave the screen. API keys in the wrong place: typed and pasted text is compared with the known keys before
//! a request or a write, and the client refuses a key that passes this check. And the screen as text, masked for a ticket.

use super::App;
use crate::secrets::is_key;
use crate::tui::effects::AfterKeyWarning;
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::save_text::SaveText;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;

/// Number of characters shown of a text that may be a key.
const SHOWN: usize = 4;

impl App {
    /// Whether Enter must stop because the typed text looks like an API key. A known key is refused and
    /// removed from a box with no other text. If only the shape is that of a key, lapel asks the user.
    pub(super) fn stops_a_key(&mut self, effects: &mut Effects<'_>) -> bool {
        let typed = self.front().typed();
        let path = self.modals.last().and_then(|modal| modal.typed_path());
        if typed.iter().copied().chain(path).any(is_key) {
            let is_box = self.modals.last().is_none_or(|modal| modal.has(ModalFlag::IsBox));
            if is_box {
                self.act_inside(Action::ClearField, effects);
            }
            effects.warn(t!("This looks like an API key. Nothing was sent."));
            return true;
        }
        let shaped: Vec<String> =
            typed.into_iter().filter(|text| judge(text) == Likeness::Shape).map(str::to_owned).collect();
        if shaped.is_empty() {
            return false;
        }
        self.modals.open(key_question(shaped, AfterKeyWarning::Accept));
        true
    }

    pub(super) fn key_allowed(&mut self, then: AfterKeyWarning, effects: &mut Effects<'_>) {
        match then {
            AfterKeyWarning::Accept => {
                self.act_inside(Action::Accept, effects);
            }
            AfterKeyWarning::Filter => {
                self.screens.on(self.navigation.tab, effects, |screen, effects| {
                    if let Some(list) = screen.filtered_list_mut() {
                        list.apply_filter(effects);
                    }
                });
            }
        }
    }

    /// Whether to refuse pasted text. An API key is refused where no key belongs.
    pub(super) fn refuses_paste(&mut self, text: &str, effects: &mut Effects<'_>) -> bool {
        let takes_keys =
            self.modals.last().map_or(self.welcome.is_some(), |modal| modal.has(ModalFlag::TakesApiKey));
        if takes_keys || !is_key(text) {
            return false;
        }
        // Open the box as for other text. Otherwise Enter would act on the selected row.
        if self.modals.is_empty() {
            let tab = self.navigation.tab;
            self.screens.on(tab, effects, |screen, effects| screen.open_field(&self.cx, effects));
        }
        effects.warn(t!("This looks like an API key. It was not pasted. Nothing was sent."));
        true
    }

    pub(super) fn save_screen(&self, effects: &mut Effects<'_>) {
        let plain = self.screen_text();
        // Words from all screens, because one may show what another has read.
        let mut known = KnownWords::default();
        known.plain_text(&self.cx.place());
        for screen in self.screens.all() {
            screen.know(&mut known);
            screen.typed().into_iter().for_each(|text| known.typed(text));
        }
        for modal in self.modals.iter() {
            modal.know(&mut known);
            modal.typed().into_iter().for_each(|text| known.typed(text));
        }
        self.cx.recent(InputKind::LookUp).iter().for_each(|text| known.typed(text));
        let masked = known.mask(&plain);
        effects.open(|cx, _| SaveText::of_screen(masked, plain, cx));
    }
}

/// Asks whether texts that look like API keys may be sent.
pub(super) fn key_question(texts: Vec<String>, then: AfterKeyWarning) -> ConfirmAction {
    let begins = |text: &String| text.trim().chars().take(SHOWN).chain(['…']).collect::<String>();
    let begins: Vec<String> = texts.iter().map(begins).collect();
    let text = vec![
        t!("The text that begins with {text} looks like an API key. Nothing was sent.", text = list(begins)),
        t!("A key that is sent as search text is stored in the logs of every computer on the way. If it is a key and others have seen it, replace it in the issuer back office.").to_owned(),
    ];
    let what = t!("This looks like an API key. Send it?");
    let question = ConfirmAction::new(what, text, move |effects| {
        for text in &texts {
            crate::secrets::allow(text);
        }
        effects.go.push(Navigate::KeyAllowed(then));
    });
    question.or_say(t!("Nothing was sent."))
}

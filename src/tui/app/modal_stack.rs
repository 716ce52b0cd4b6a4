//! The open modals, one over the other, and the confirmation of each. A modal says what it asks; the rest is the same for
//! all.

use crate::tui::component::OpenedModal;
use crate::tui::effects::ModalId;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::Confirm;
use std::ops::{Deref, DerefMut};

#[derive(Default)]
pub(in crate::tui) struct ModalStack {
    modals: Vec<OpenedModal>,
    last_id: u64,
}

impl Deref for ModalStack {
    type Target = Vec<OpenedModal>;

    fn deref(&self) -> &Self::Target {
        &self.modals
    }
}

impl DerefMut for ModalStack {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.modals
    }
}

impl ModalStack {
    /// Opens a modal that makes no request while it is built.
    pub(super) fn open(&mut self, modal: impl Modal) {
        let id = self.next_id();
        self.add(id, Box::new(modal));
    }

    pub(super) fn add(&mut self, id: ModalId, modal: Box<dyn Modal>) {
        self.modals.push(OpenedModal { id, modal, confirm: None });
    }

    pub(super) fn next_id(&mut self) -> ModalId {
        self.last_id += 1;
        ModalId(self.last_id)
    }

    /// The focused field, if the user may edit its text in an external editor.
    pub(super) fn long_field(&mut self, cx: &UiContext) -> Option<&mut TextField> {
        let modal = self.last_mut()?;
        let takes_editor = modal.has(ModalFlag::TakesEditor) && modal.is_enabled(Action::Editor, cx);
        if takes_editor { modal.focused_field() } else { None }
    }

    /// Whether the modal on top shows in full the message that nobody asked for.
    pub(in crate::tui) fn shows_message(&self) -> bool {
        self.last().is_some_and(|modal| modal.has(ModalFlag::ShowsMessage))
    }

    pub(in crate::tui) fn confirm(&self) -> Option<&Confirm> {
        self.last()?.confirm.as_ref()
    }

    /// Opens and closes the confirmations that the modals ask for. If the number changes, the user types again. Returns
    /// whether anything changed.
    pub(super) fn fit_confirms(&mut self, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let mut is_changed = false;
        for opened in &mut self.modals {
            let asks = opened.modal.asks();
            if opened.confirm.as_ref().map(Confirm::ask) == asks {
                continue;
            }
            let changed = opened.confirm.as_ref().zip(asks).and_then(|(confirm, now)| confirm.changed(now));
            if let Some(text) = changed {
                effects.warn(text);
            }
            opened.confirm = asks.map(|ask| Confirm::new(ask, cx));
            is_changed = true;
        }
        is_changed
    }

    /// Runs an action of the confirmation. `is_seen`: in a terminal that is too small, the user cannot see what they
    /// confirm. `is_at_once`: the key came together with the one before it.
    pub(super) fn act_confirm(
        &mut self,
        action: Action,
        (is_seen, is_at_once): (bool, bool),
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> bool {
        let Some(opened) = self.modals.last_mut() else { return false };
        let Some(confirm) = &mut opened.confirm else { return false };
        match action {
            Action::ClearField => confirm.clear(),
            Action::Accept if !is_seen => {}
            Action::Accept if confirm.is_right() && confirm.may_be_paste(is_at_once) => {
                effects.warn(confirm.once_more(cx));
            }
            Action::Accept if confirm.is_right() => {
                effects.owned_by(RequestOwner::Modal(opened.id), |effects| {
                    opened.modal.on_confirmed(cx, effects);
                });
            }
            Action::Accept => effects.warn(confirm.missing(cx)),
            _ => return false,
        }
        true
    }
}

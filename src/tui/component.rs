//! The traits of every screen and every modal. The shell passes keys, clicks, responses and the frame to them.

use super::effects::ModalId;
use super::persist::saved_layout::SavedLayout;
use super::tour::TourPlace;
use super::widgets::confirm::Confirm;
use super::widgets::copying::Copyables;
use super::widgets::filtered_list::Filterable;
use crate::tui::prelude::*;
use std::ops::{Deref, DerefMut};

/// The words of the footer for an action, unless a component does something special.
pub(in crate::tui) fn usual_hint(context: Option<&KeyContext>, action: Action) -> &'static str {
    match context {
        Some(context) if action == Action::Accept => context.accepts(),
        // The status is a state or a result there, and other hints need the room.
        Some(KeyContext::Wallet | KeyContext::Requests) if action == Action::Only => Action::Filter.hint(),
        _ => action.hint(),
    }
}

/// A screen or a modal.
///
/// `on_*` changes state and returns effects; it never waits and never draws. `draw` decides nothing; it only notes where
/// rows were drawn, for clicks and pages.
pub(in crate::tui) trait Component: 'static {
    /// The contexts in which the keymap looks up a key, innermost first.
    fn key_contexts(&self) -> Vec<KeyContext>;

    /// Whether an action does something now. The footer and the palette offer no other actions.
    fn is_enabled(&self, _: Action, _: &UiContext) -> bool {
        true
    }

    /// One or two words for an action in the footer, where this component does something special.
    fn hint(&self, action: Action) -> &'static str {
        usual_hint(self.key_contexts().first(), action)
    }

    /// Runs an action. Returns false for an action of another component.
    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool;

    /// The field that takes typed and pasted text now.
    fn focused_field(&mut self) -> Option<&mut TextField> {
        None
    }

    /// Handles a key that the keymap leaves to text fields. Returns whether anything changed.
    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.focused_field().is_some_and(|field| field.on_text_key(key))
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if let Some(field) = self.focused_field() {
            field.on_paste(text.trim());
        }
    }

    /// Handles a press of the left mouse button. `area` is the area of the component.
    fn on_click(&mut self, _: Position, _area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        Clicked::Nothing
    }

    /// Handles a response, or returns it when the component does not wait for it.
    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        Err(reply)
    }

    /// Handles the progress of a long request. Returns whether anything changed.
    fn on_progress(&mut self, _: RequestId, _done: u64, _all: u64) -> bool {
        false
    }

    fn on_job(&mut self, _: &Job, _: &UiContext) {}

    /// Requests missing data for `area`, and fits the component's state to the area.
    fn load_visible(&mut self, _area: Rect, _: &UiContext, _: &mut Effects<'_>) {}

    /// The texts that Enter would send or save.
    fn typed(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The path that Enter would read or write.
    fn typed_path(&self) -> Option<&str> {
        None
    }

    fn tour_place(&self) -> TourPlace {
        TourPlace::Elsewhere
    }

    /// Adds the words of loaded names and titles, for masking a saved screen.
    fn know(&self, _: &mut KnownWords) {}

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext);
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum ModalFlag {
    /// It covers the screen. Otherwise it is a popup.
    Covers,
    /// It prepares a request that issues or revokes. A read-only profile may not send one.
    PreparesSending,
    /// Its text can be edited in an external editor, where that action is enabled.
    TakesEditor,
    /// Its only text is that of one box, which may be emptied.
    IsBox,
    /// It shows the message at the bottom of the screen in full.
    ShowsMessage,
    /// The user may paste an API key into it.
    TakesApiKey,
}

pub(in crate::tui) trait Modal: Component {
    fn has(&self, _: ModalFlag) -> bool {
        false
    }

    /// The type name, for tests.
    fn name(&self) -> &'static str {
        let name = std::any::type_name::<Self>();
        name.rsplit("::").next().unwrap_or(name)
    }

    /// Handles that the user goes to a tab, which closes it. Returns false if it cannot be closed now, and says why.
    fn leave(&mut self, _: &mut Effects<'_>) -> bool {
        true
    }

    /// Handles that the user corrected a row of a draft. Returns false if it shows no draft.
    fn on_corrected(&mut self, _: &mut Effects<'_>) -> bool {
        false
    }

    /// The request for a file that is being written. It can continue in the background, without the modal.
    fn writes(&self) -> Option<RequestId> {
        None
    }

    /// Also says what remains of the file after a cancellation.
    fn being_written(&self, _: &UiContext) -> Option<(String, &'static str)> {
        None
    }

    /// Handles the response to that request in the background. Returns the message for the user, and whether it is
    /// an error.
    fn on_written(&mut self, reply: Reply, _: &mut Effects<'_>) -> Result<Option<(String, bool)>, Reply> {
        Err(reply)
    }

    /// The shell shows the confirmation over the modal.
    fn asks(&self) -> Option<ConfirmQuestion> {
        None
    }

    /// What is confirmed: the operation with the number, the environment, then the details.
    fn confirm_text(&self, _: &mut FormText<'_>, _: &UiContext) {}

    /// The user has confirmed what [`Modal::asks`] returns now.
    fn on_confirmed(&mut self, _: &UiContext, _: &mut Effects<'_>) {}

    /// The typed input, if lapel keeps it when the modal closes. The texts are empty if the user has typed nothing.
    fn input(&self) -> Option<FormInput> {
        None
    }

    /// Fills the fields with kept input. Without texts, with what they began with.
    fn set_input(&mut self, _: &[String]) {}
}

pub(in crate::tui) struct OpenedModal {
    pub(in crate::tui) id: ModalId,
    pub(in crate::tui) modal: Box<dyn Modal>,
    pub(in crate::tui) confirm: Option<Confirm>,
}

impl Deref for OpenedModal {
    type Target = dyn Modal;

    fn deref(&self) -> &Self::Target {
        self.modal.as_ref()
    }
}

impl DerefMut for OpenedModal {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.modal.as_mut()
    }
}

/// The badge or the holder that a screen shows. Back returns to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) enum ShownRecord {
    Badge(ListedBadge),
    Holder(String),
}

/// A badge, with what the list that opened it knows. The badge's own record lacks both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBadge {
    pub id: BadgeId,
    pub accepted_at: Option<ServiceTime>,
    pub template_id: Option<TemplateId>,
}

impl ListedBadge {
    pub fn unlisted(id: BadgeId) -> Self {
        Self { id, accepted_at: None, template_id: None }
    }

    pub fn of(row: &HistoryItem) -> Self {
        Self {
            id: row.badge_id.clone(),
            accepted_at: row.reg_date.clone(),
            template_id: row.template_id.clone(),
        }
    }

    /// Keeps what an earlier list knew of the same badge, such as when it is opened again by its id.
    pub fn keep(&mut self, before: Self) {
        self.accepted_at = self.accepted_at.take().or(before.accepted_at);
        self.template_id = self.template_id.take().or(before.template_id);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum JournalEvent<'a> {
    /// It is open, perhaps `again` after a failure.
    Opened { again: bool },
    /// It could not be opened, for this reason.
    Failed(&'a str),
    /// The team's database was away, and is back.
    Back,
}

pub(in crate::tui) trait Screen: Component {
    /// The screen before the user has done anything.
    fn begin() -> Self
    where
        Self: Sized + Default,
    {
        Self::default()
    }

    /// Whether Back has a visible effect.
    fn can_go_back(&self) -> bool;

    /// `None` if no other screen may replace it.
    fn shown(&self) -> Option<ShownRecord> {
        None
    }

    /// Handles that the user opens its tab directly.
    fn on_opened(&mut self) {}

    /// Handles that the user pressed the key of its own tab.
    fn on_chosen(&mut self) {}

    /// Handles that another connection begins. Typed texts stay.
    fn on_connecting(&mut self) {}

    fn on_journal(&mut self, _: JournalEvent<'_>, _: &UiContext, _: &mut Effects<'_>) {}

    /// Handles that a job or a draft has changed, or is gone.
    fn on_changed(&mut self, _: &JobChange) {}

    /// Handles that a job has changed these badges.
    fn on_touched(&mut self, _: &Job, _: &[Touched], _: &UiContext, _: &mut Effects<'_>) {}

    /// Learns from a response to any component's request.
    fn learn(&mut self, _: &Response) {}

    /// When its next [`Screen::tick`] is due, also while another tab is shown.
    fn due(&self) -> Option<Instant> {
        None
    }

    fn tick(&mut self, _: &mut Effects<'_>) {}

    /// Whether it reads the history into the index.
    fn is_reading_index(&self) -> bool {
        false
    }

    /// Whether its tab counts the jobs that need a person.
    fn counts_needs(&self) -> bool {
        false
    }

    /// Whether it shows one thing that was opened from a list. Quit goes back to the list first.
    fn is_of_a_list(&self) -> bool {
        false
    }

    /// Whether it shows every change of a job at once. lapel then neither refreshes it nor tells about the change.
    fn shows_jobs(&self) -> bool {
        false
    }

    /// Whether it shows recent input.
    fn shows_recents(&self) -> bool {
        false
    }

    /// The list that the user filters, if it has one.
    fn filtered_list(&self) -> Option<&dyn Filterable> {
        None
    }

    fn filtered_list_mut(&mut self) -> Option<&mut dyn Filterable> {
        None
    }

    /// Removes recent input that it keeps itself.
    fn forget_recents(&mut self) {
        if let Some(list) = self.filtered_list_mut() {
            list.forget_earlier();
        }
    }

    /// Opens the field into which a paste would go.
    fn open_field(&mut self, _: &UiContext, _: &mut Effects<'_>) {}

    /// Why an action is not possible now, if there is a special reason.
    fn why_not(&self, _: Action) -> Option<&'static str> {
        None
    }

    /// The loaded templates, for the palette.
    fn templates(&self) -> Vec<&Template> {
        Vec::new()
    }

    /// The loaded badges, for the palette: at most this many.
    fn badges(&self, _most: usize) -> Vec<&HistoryItem> {
        Vec::new()
    }

    /// How often the layout of its lists has changed.
    fn layout_changes(&self) -> u64 {
        self.filtered_list().map_or(0, Filterable::changes)
    }

    fn save_layout(&self, _: &mut SavedLayout) {}

    fn restore_layout(&mut self, _: &SavedLayout, _: &mut Effects<'_>) {}

    /// Shows again what [`Screen::shown`] has returned.
    fn show(&mut self, _: ShownRecord, _: &mut Effects<'_>) {}

    /// Whether a pane is open over the screen's own list. Quit closes it before it quits.
    fn has_pane(&self) -> bool {
        false
    }

    /// Whether an action belongs to a hidden part of the screen.
    fn is_behind(&self, _: Action) -> bool {
        false
    }

    /// If so, it is drawn again every minute.
    fn shows_age(&self, _: &UiContext) -> bool {
        false
    }

    fn copyables(&self, cx: &UiContext) -> Copyables;

    fn records(&self) -> Vec<RawOf>;

    fn picture(&self, _area: Rect, _: &UiContext) -> Option<PictureRequest> {
        None
    }

    fn has_picture(&self, _: Action) -> bool {
        false
    }

    /// Handles what the mouse does after a press. Returns whether anything changed.
    fn on_drag(&mut self, _: Drag, _area: Rect, _: &UiContext, _: &mut Effects<'_>) -> bool {
        false
    }

    /// Reads again what it shows. What the journal or the index shows needs no reading.
    fn refresh(&mut self, _: &UiContext, _: &mut Effects<'_>) {}

    /// Handles the failure of a background request. The visible data stays.
    fn give_up(&mut self, _: RequestId) {}

    /// Table rows that the last draw built, for tests.
    fn rows_built(&self) -> u64 {
        self.filtered_list().map_or(0, Filterable::rows_built)
    }
}

//! User input: keys, pastes and the mouse, passed to the focused component.

use super::{App, LoopCommand, Notice, READ_ONLY, Tab};
use crate::i18n::{Language, wait::wait_text};
use crate::tui::hold;
use crate::tui::input::keymap::{Keymap, Press};
use crate::tui::message::Message;
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::help::{Help, HelpEntry};
use crate::tui::modals::json_view::JsonView;
use crate::tui::modals::menu::Menu;
use crate::tui::modals::palette::{CommandPalette, PaletteCommand};
use crate::tui::modals::ping::PingForm;
use crate::tui::modals::profiles::Profiles;
use crate::tui::modals::request_log::RequestLog;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::widgets::field::EDIT_KEYS;

/// The earlier input that the next one may continue, and the kind of the present one.
#[derive(Default)]
pub(in crate::tui) struct InputState {
    /// The keys of an incomplete chord, and the contexts where it began.
    pub(in crate::tui) chord: Vec<KeyCombination>,
    pub(in crate::tui) chord_contexts: Vec<KeyContext>,
    /// The last click on a row: its time, and whether it was the second one at once.
    pub(super) clicked: Option<(Instant, Position, bool)>,
    /// Whether the key came together with the one before it.
    pub(super) is_at_once: bool,
    /// Whether the message is an input of the user.
    pub(super) is_input: bool,
    /// Whether the mouse was used since the last key, so that a drag may have begun.
    has_mouse: bool,
}

impl InputState {
    pub(super) fn begin(&mut self, message: &Message) {
        self.is_at_once = matches!(message, Message::KeyAtOnce(_));
        self.is_input =
            self.is_at_once || matches!(message, Message::Key(_) | Message::Paste(_) | Message::Mouse(_));
        self.has_mouse |= matches!(message, Message::Mouse(_));
    }

    /// Drops an incomplete chord. Returns whether there was one.
    pub(super) fn drop_chord(&mut self) -> bool {
        let is_begun = !self.chord.is_empty();
        self.chord.clear();
        is_begun
    }
}

impl App {
    pub(super) fn on_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) {
        let stack = self.key_contexts();
        // A chord does not continue in other contexts.
        if self.input.chord_contexts != stack {
            self.changed |= self.input.drop_chord();
        }
        let press = self.cx.keymap.press(&stack, &mut self.input.chord, key);
        if std::mem::take(&mut self.input.has_mouse) {
            self.on_drag(Drag::Cancel, effects);
        }
        match press {
            Press::Action(action) => self.command(action, effects),
            Press::Unshifted(action, capital) => self.unshifted(action, capital, effects),
            Press::Begun => {
                self.changed = true;
                self.input.chord_contexts = stack;
            }
            Press::Syllable => {
                self.changed = true;
                effects.say(t!("Hangul input is on: several keys arrived as one character, so nothing was done. The Han/Eng key turns it off."));
            }
            Press::Free => {
                let typed = match self.modals.last_mut().and_then(|modal| modal.confirm.as_mut()) {
                    Some(confirm) => confirm.on_text_key(key, self.input.is_at_once),
                    None => {
                        let of_focus = self
                            .with(self.focus(), effects, |focus, _, effects| focus.on_text_key(key, effects));
                        of_focus == Some(true)
                    }
                };
                if typed {
                    self.toasts.on_text();
                }
                // In a field the cursor may move without a change of the text.
                let is_text = stack.iter().any(|context| context.is_text());
                self.changed |= typed || is_text;
                if !typed && !is_text {
                    self.explain_key(key, &stack, effects);
                }
            }
            Press::Dropped => self.changed = true,
        }
    }

    /// Explains a key that does nothing here: names the keys for what the user may have meant.
    fn explain_key(&mut self, key: KeyEvent, stack: &[KeyContext], effects: &mut Effects<'_>) {
        let (keymap, pressed) = (&self.cx.keymap, KeyCombination::from(key));
        let name = keymap.key_name(pressed);
        let near = keymap.near(stack, pressed).filter(|action| !self.is_forbidden(*action));
        let near = near.and_then(|action| Some((action, keymap.key(stack, action)?)));
        let elsewhere = keymap.elsewhere(pressed).filter(|(_, action)| !self.is_forbidden(*action));
        // A capital with a meaning of its own was not meant to move the cursor.
        let moves = |action: Action| matches!(action, Action::Down | Action::Up);
        let near = near.filter(|(action, _)| elsewhere.is_none() || !moves(*action));
        self.changed = true;
        effects.say(match (near, elsewhere) {
            (Some((action, near)), _) => {
                t!("{name} does nothing here. {near}: {help}", name, near, help = action.help())
            }
            (None, Some((places, action)))
                if !self.modals.is_empty() && places.contains(&KeyContext::Global) =>
            {
                let back = self.cx.key(stack, Action::Back);
                t!(
                    "{name} does nothing here. {back} goes back; then: {help}",
                    name,
                    back,
                    help = action.help()
                )
            }
            (None, Some((places, action))) => t!(
                "{name} does nothing here. Elsewhere: {help} ({places})",
                name,
                help = action.help(),
                places = named(places.iter().map(|place| place.place()).collect(), self.cx.glyphs.ellipsis)
            ),
            (None, None) => t!(
                "{name} does nothing here. {keys} shows the keys.",
                name,
                keys = self.cx.key(stack, Action::Help)
            ),
        });
    }

    /// Runs the action of a key without Shift, and says so. Hangul input does not tell whether Shift was
    /// pressed.
    fn unshifted(&mut self, action: Option<Action>, capital: char, effects: &mut Effects<'_>) {
        self.changed = true;
        let plain = capital.to_ascii_lowercase();
        // For moving in a list no message is needed. In the column menu the capitals have their own common
        // actions.
        let goes_through = !self.key_contexts().contains(&KeyContext::ColumnMenu);
        if let Some(action) = action {
            self.command(action, effects);
        }
        let text = match action {
            Some(Action::Down | Action::Up) if goes_through => return,
            Some(_) => t!(
                "Hangul input is on: lapel cannot tell {capital} from {plain} and takes it as {plain}. The Han/Eng key turns it off.",
                capital,
                plain
            ),
            None => t!(
                "Hangul input is on: lapel cannot tell {capital} from {plain}, so nothing was done. The Han/Eng key turns it off.",
                capital,
                plain
            ),
        };
        // A message of the action itself has priority.
        if effects.notice.is_none() {
            effects.say(text);
        }
    }

    pub(super) fn command(&mut self, action: Action, effects: &mut Effects<'_>) {
        crate::tui::platform::crash::note(action);
        self.changed = true;
        self.toasts.on_key();
        if action != Action::Quit && action != Action::QuitNow {
            self.quit_asked = false;
        }
        if self.cx.read_only() && self.is_forbidden(action) && action != Action::Tour {
            effects.say(tr(READ_ONLY));
            return;
        }
        self.act(action, effects);
    }

    pub(super) fn act(&mut self, action: Action, effects: &mut Effects<'_>) {
        if action == Action::Reload {
            self.cx.pictures.read_again();
        }
        match action {
            Action::Tour if self.welcome.is_some() => {
                if self.app_paths.offers_tour {
                    self.tour_wanted = true;
                    self.act_inside(action, effects);
                }
            }
            Action::Tour | Action::TourSkip | Action::TourLeave => self.act_tour(action, effects),
            Action::Editor if self.modals.long_field(&self.cx).is_some() => {
                self.loop_command = Some(LoopCommand::Edit);
            }
            Action::Editor => effects.say(t!("You can use an editor only while you type a reason.")),
            Action::Redraw => self.repaint(),
            Action::SaveScreen => self.save_screen(effects),
            Action::Suspend => self.loop_command = Some(LoopCommand::Suspend),
            Action::QuitNow => self.quit(effects),
            Action::Reload if self.reconnect() => {}
            // During a rate limit wait a refresh would wait too.
            Action::Reload | Action::Check if self.modals.is_empty() && self.waits_for_the_limit(effects) => {
            }
            Action::Back if self.slow_read().is_some() => {
                effects.commands.extend(self.connection.pending.stop_reads());
            }
            // A pane, or a badge that was opened from a list, is closed first.
            Action::Quit
                if self.focus() == RequestOwner::Screen(self.navigation.tab)
                    && (self.screen().has_pane()
                        || self.screen().is_of_a_list() && self.navigation.can_go_back()) =>
            {
                self.act(Action::Back, effects);
            }
            Action::Palette if self.welcome.is_some() => {}
            Action::Picture | Action::TurnOver if !self.cx.pictures.is_on() => {
                effects.say(tr(crate::tui::platform::images::OFF));
            }
            _ if self.modals.act_confirm(action, (self.fits(), self.input.is_at_once), &self.cx, effects) => {
            }
            Action::Accept if self.stops_a_key(effects) => {}
            _ => {
                if !self.act_inside(action, effects) {
                    self.act_outside(action, effects);
                }
            }
        }
    }

    pub(super) fn act_inside(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        if self.focus() == RequestOwner::Welcome && action == Action::ChooseSandbox {
            self.tour_wanted = false;
        }
        self.with(self.focus(), effects, |component, cx, effects| component.on_action(action, cx, effects))
            == Some(true)
    }

    /// Says that there is a rate limit wait, or asks for one ping if the wait is long. Returns false if there is none.
    fn waits_for_the_limit(&mut self, effects: &mut Effects<'_>) -> bool {
        let Some(left) = hold::left(&self.cx).filter(|_| self.welcome.is_none()) else { return false };
        if !hold::offers_ping(&self.cx) {
            effects
                .say(t!("Rate limit wait: {wait}. lapel sends nothing before that.", wait = wait_text(left)));
            return true;
        }
        let Some(client) = self.client_or_connecting().cloned() else { return false };
        self.modals.open(PingForm::new(client));
        true
    }

    fn act_outside(&mut self, action: Action, effects: &mut Effects<'_>) {
        match action {
            Action::NextTab | Action::PreviousTab => {
                let step = if action == Action::NextTab { 1 } else { -1 };
                self.open_tab(self.navigation.tab.step(step), effects);
            }
            Action::Profiles => {
                // A demo is no configured profile, even if it has the same name.
                let kept = self.cx.session().filter(|session| session.data_dir.is_some());
                let used = kept.map(|session| session.name.clone());
                effects.open(|_, effects| Profiles::new(used, effects));
            }
            Action::Help => {
                let stack = self.key_contexts();
                let mut lines = self.cx.keymap.help_by_place(&stack);
                // The palette has them, and the help runs them.
                for (place, action) in self.cx.keymap.without_key(&stack) {
                    let at = lines
                        .iter()
                        .rposition(|(other, ..)| *other == place)
                        .map_or(lines.len(), |at| at + 1);
                    lines.insert(at, (place, String::new(), action));
                }
                let works = |(place, _, action): &(KeyContext, String, Action)| {
                    !self.is_forbidden(*action) && !Keymap::only_says_why(*place, *action)
                };
                let lines = lines.into_iter().filter(works).map(|line| {
                    let is_enabled = self.is_enabled(line.2);
                    HelpEntry::of(line, is_enabled)
                });
                let edits = if self.takes_text() { edit_keys(&stack, &self.cx) } else { Vec::new() };
                let lines = lines.chain(edits).collect();
                let cut = |text: &String| Notice::is_cut(text, self.size.0);
                let read = self.toasts.said_before.take().filter(cut);
                let read = read.or_else(|| self.toasts.all_news().filter(cut));
                self.modals.open(Help::new(lines, &self.app_paths, read));
            }
            Action::Palette => {
                let filters = self.cx.saved.all().to_vec();
                let recents = self.cx.recent(InputKind::LookUp).to_vec();
                let palette = CommandPalette::new(self.commands(), filters, recents, self.modals.is_empty());
                self.modals.open(palette.with_loaded(self.screens.loaded(&self.cx)));
            }
            Action::Back if !self.toasts.has_news() => self.go_back(effects),
            Action::Dismiss | Action::Back => self.toasts.close_news(),
            Action::ClearForm if self.is_enabled(action) => {
                if let Some(form) = self.modals.last_mut() {
                    form.modal.set_input(&[]);
                }
            }
            Action::Quit => self.quit(effects),
            _ => match Tab::of(action) {
                Some(tab) => {
                    if self.open_tab(tab, effects) {
                        self.screens.of_mut(tab).on_chosen();
                    }
                }
                None => self.act_on_any_tab(action, effects),
            },
        }
    }

    /// Every action with its keys, and the reason why it is not possible now.
    fn commands(&self) -> Vec<PaletteCommand> {
        let stack = self.key_contexts();
        let here = self.cx.keymap.help(&stack);
        let known = |action: Action| self.cx.keymap.lines().filter(move |(_, a, _)| *a == action);
        Action::ALL
            .iter()
            .copied()
            .filter(|action| !self.is_forbidden(*action) && !action.is_hand_work())
            .filter_map(|action| {
                if self.cx.keymap.has(&stack, action) {
                    let keys = here.iter().find(|(_, a)| *a == action).map(|(keys, _)| keys.clone());
                    let why = || self.screen().why_not(action).unwrap_or(t!("it does not apply here"));
                    let why_not = (!self.is_enabled(action)).then(|| why().to_owned());
                    return Some(PaletteCommand { action, keys: keys.unwrap_or_default(), why_not });
                }
                // Actions that only a form or a menu has are listed there.
                let screens: Vec<_> = known(action).filter(|(context, ..)| context.is_a_screen()).collect();
                let (_, _, first) = screens.first()?;
                // Keys that only some of the named places have would be wrong for the others.
                let is_same = screens.iter().take(NAMED).all(|(.., keys)| keys == first);
                let keys = if is_same { first.clone() } else { String::new() };
                let places = screens.iter().map(|(context, ..)| context.place()).collect();
                let place = named(places, self.cx.glyphs.ellipsis);
                Some(PaletteCommand { action, keys, why_not: Some(t!("only in {place}", place)) })
            })
            .collect()
    }

    pub(super) fn quit(&mut self, effects: &mut Effects<'_>) {
        let sending = self.is_sending();
        let written = self.being_written();
        if self.quit_asked || (!sending && written.is_none()) {
            self.leave(effects);
            return;
        }
        self.quit_asked = true;
        let mut said: Vec<String> = Vec::new();
        match written {
            Some((file, left)) if sending => {
                said.push(t!("lapel is writing {file}: quitting cancels the export.", file));
                said.push(left.to_owned());
            }
            Some((file, left)) => {
                said.push(t!("lapel is writing {file}. Quit again to leave: this cancels the export.", file));
                said.push(left.to_owned());
            }
            None => {}
        }
        if sending {
            let then = if self.cx.keeps_jobs() {
                t!("Unsent rows then stay unsent; you can resume them.")
            } else {
                t!("The demo's jobs end with the demo.")
            };
            said.push(t!("lapel is sending. Quit again to leave: it waits for the open answers and sends nothing more.").to_owned());
            said.push(then.to_owned());
        }
        effects.warn(said.join(" "));
    }

    pub(super) fn on_paste(&mut self, text: &str, effects: &mut Effects<'_>) {
        // Most terminals send CR between the lines of a paste, as their Enter key does.
        let text = &text.replace("\r\n", "\n").replace('\r', "\n");
        self.input.drop_chord();
        if self.refuses_paste(text, effects) {
            return;
        }
        if self.modals.confirm().is_some() {
            effects.warn(t!("A paste does not confirm. Type the text yourself."));
            return;
        }
        let into_text = self.takes_text();
        self.with(self.focus(), effects, |component, cx, effects| component.on_paste(text, cx, effects));
        if !into_text && !self.takes_text() && effects.notice.is_none() {
            effects.say(paste_words(&self.key_contexts(), !self.modals.is_empty(), &self.cx));
        }
    }

    pub(super) fn takes_text(&self) -> bool {
        self.key_contexts().first().is_some_and(|context| context.is_text())
    }

    fn act_on_any_tab(&mut self, action: Action, effects: &mut Effects<'_>) {
        match action {
            Action::Copy => match Menu::of_copies(self.screen().copyables(&self.cx)) {
                Some(menu) => self.modals.open(menu),
                None => effects.say(t!("There is nothing here to copy.")),
            },
            Action::OpenPicture => {
                let link = self.screen().copyables(&self.cx).link;
                self.output.open_picture(link, effects);
            }
            Action::Raw => {
                let records = self.screen().records();
                if records.is_empty() {
                    effects.say(t!("There is no service record here."));
                } else {
                    effects.open_some(|_, effects| JsonView::new(records, effects));
                }
            }
            Action::RequestLog => effects.open(RequestLog::new),
            Action::AutoRefresh => self.refresh.switch(effects),
            Action::ForgetRecent => self.modals.open(ConfirmAction::new(
                t!("Forget recent look-ups, file names and unfinished input of this profile?"),
                vec![t!("This cannot be undone. Nothing changes at the service.").to_owned()],
                |effects| effects.go.push(Navigate::ForgetRecents),
            )),
            Action::Language => switch_language(effects),
            Action::GoToRow => effects.say(t!("This list has no row numbers to go to.")),
            Action::Theme => self.modals.open(Menu::of_themes(self.palette.theme)),
            _ => {}
        }
    }
}

fn edit_keys(stack: &[KeyContext], cx: &UiContext) -> Vec<HelpEntry> {
    let lines = EDIT_KEYS.iter().map(|(keys, _, text)| HelpEntry {
        place: t!("In the text"),
        keys: cx.keymap.free_names(stack, keys),
        text: tr(text),
        action: None,
        is_enabled: true,
    });
    lines.filter(|entry| !entry.keys.is_empty()).collect()
}

/// Says which keys open a field for the text that was pasted beside all fields.
fn paste_words(stack: &[KeyContext], is_over: bool, cx: &UiContext) -> String {
    let own = [Action::LookUp, Action::Filter, Action::Search]
        .into_iter()
        .find(|action| cx.keymap.key(stack, *action).is_some());
    let wallet = Some(Action::WalletTab).filter(|_| own != Some(Action::LookUp) && !is_over);
    let keys: Vec<String> = [own, wallet]
        .into_iter()
        .flatten()
        .filter_map(|action| Some(format!("{} {}", cx.keymap.key(stack, action)?, action.hint())))
        .collect();
    if keys.is_empty() {
        t!("Nothing was pasted: there is no text field here.").to_owned()
    } else {
        t!(
            "Nothing was pasted: no text field is open. Open one first, then paste again: {keys}",
            keys = list(keys)
        )
    }
}

/// The first few names, and a sign for the others.
fn named(mut names: Vec<&str>, more: &'static str) -> String {
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push(more);
    }
    i18n::list(names).to_string()
}

/// Maximum number of places that are named for a key or an action.
const NAMED: usize = 3;

/// Switches the language. A notice on the screen stays in the old language.
fn switch_language(effects: &mut Effects<'_>) {
    let all = Language::ALL;
    let now = all.iter().position(|language| *language == i18n::language()).unwrap_or_default();
    let next = all[(now + 1) % all.len()];
    i18n::set_language(next);
    effects.say(t!(
        "lapel uses {name} until it closes. To keep it, set language = \"{setting}\" in config.toml.",
        name = next.name(),
        setting = next.code()
    ));
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_message_names_a_few_places_only() {
        let all = ["Templates", "History", "Wallet", "Badge"];
        assert_eq!(named(all[..3].to_vec(), "…"), "Templates, History, Wallet");
        assert_eq!(named(all.to_vec(), "…"), "Templates, History, Wallet, …");
    }
}

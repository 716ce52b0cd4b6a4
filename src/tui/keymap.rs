//! Which key does what, where. The help, the footer and the README's table are made from this.

use super::action::Action;
use super::theme::Glyphs;
use crokey::{KeyCombination, OneToThree};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::HashMap;

/// A place with keys of its own. What has the focus gives the stack of contexts that a key is looked up in,
/// innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere, also inside a text field: keys that no text needs.
    Always,
    /// Everywhere outside text fields.
    Global,
    /// Any list.
    List,
    /// The list of templates.
    Templates,
    /// A template in full, where the pane beside the list is folded away.
    Template,
    /// Categories and badge types.
    Categories,
    /// The issuance history.
    History,
    /// What a holder has.
    Wallet,
    /// One badge.
    Badge,
    /// A text field of the filter bar.
    FilterBar,
    /// A single text field: wallet look-up, badge id, row number.
    Prompt,
    /// The choice of a column to sort by.
    SortMenu,
    /// A form's fields.
    Form,
    /// The name of a file, being typed.
    FileField,
    /// A file, opened.
    File,
    /// The form for revoking.
    RevokeForm,
    /// A review before something is sent.
    Review,
    /// The jobs.
    Activity,
    /// The rows of a job.
    JobRows,
    /// The overview.
    Overview,
    /// The badges behind a bar of the overview.
    OverviewList,
    /// A choice of a few.
    Menu,
    /// A draft of an issue whose rows are looked through.
    Draft,
    /// A draft of a revocation.
    DraftRevoke,
    /// The help.
    Help,
    /// The first screen, before there is a profile.
    Welcome,
}

/// One line of the keymap: what an action's keys are in a context.
type Line = (Context, Action, &'static [&'static str]);

/// The keys that lapel comes with.
const DEFAULT: &[Line] = &[
    (Context::Always, Action::QuitNow, &["ctrl-c"]),
    (Context::Always, Action::Suspend, &["ctrl-z"]),
    (Context::Always, Action::Help, &["f1"]),
    (Context::Global, Action::Templates, &["1"]),
    (Context::Global, Action::History, &["2"]),
    (Context::Global, Action::WalletTab, &["3"]),
    (Context::Global, Action::BadgeTab, &["4"]),
    (Context::Global, Action::NextTab, &["tab"]),
    (Context::Global, Action::PreviousTab, &["backtab"]),
    (Context::Global, Action::Reload, &["r", "f5"]),
    (Context::Global, Action::Activity, &["5"]),
    (Context::Global, Action::Overview, &["O"]),
    (Context::Global, Action::Dismiss, &["backspace"]),
    (Context::Global, Action::Help, &["?"]),
    (Context::Global, Action::Back, &["esc"]),
    (Context::Global, Action::Quit, &["q"]),
    (Context::List, Action::Down, &["down", "j"]),
    (Context::List, Action::Up, &["up", "k"]),
    // ctrl-b is tmux's, so page-up has ctrl-u, and page-down its neighbour in vim, ctrl-d.
    (Context::List, Action::PageDown, &["pagedown", "ctrl-d", "ctrl-f"]),
    (Context::List, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::List, Action::First, &["home", "g"]),
    (Context::List, Action::Last, &["end", "G"]),
    (Context::List, Action::GoToRow, &["#"]),
    (Context::Templates, Action::Open, &["enter", "l", "right"]),
    (Context::Templates, Action::Issue, &["i"]),
    (Context::Templates, Action::Categories, &["c"]),
    (Context::Templates, Action::Filter, &["/"]),
    (Context::Templates, Action::Sort, &["s"]),
    (Context::Template, Action::Issue, &["i"]),
    (Context::Template, Action::Back, &["esc", "h", "left"]),
    (Context::Categories, Action::OnlyCategory, &["enter"]),
    (Context::Categories, Action::Back, &["esc", "c"]),
    (Context::History, Action::Open, &["enter", "l", "right"]),
    (Context::History, Action::Mark, &["space"]),
    (Context::History, Action::Range, &["v"]),
    (Context::History, Action::MarkLoaded, &["a"]),
    (Context::History, Action::InvertMarks, &["t"]),
    (Context::History, Action::ClearMarks, &["u"]),
    (Context::History, Action::Revoke, &["x"]),
    (Context::History, Action::Wallet, &["w"]),
    (Context::History, Action::Ids, &["F"]),
    (Context::History, Action::Filter, &["/"]),
    (Context::History, Action::Sort, &["s"]),
    (Context::Wallet, Action::Open, &["enter", "l", "right"]),
    (Context::Wallet, Action::LookUp, &["/", "e"]),
    (Context::Wallet, Action::Revoke, &["x"]),
    (Context::Badge, Action::FindBadge, &["/", "e"]),
    (Context::Badge, Action::Down, &["down", "j"]),
    (Context::Badge, Action::Up, &["up", "k"]),
    (Context::Badge, Action::PageDown, &["pagedown", "ctrl-d"]),
    (Context::Badge, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Badge, Action::Wallet, &["w"]),
    (Context::Badge, Action::Revoke, &["x"]),
    (Context::Badge, Action::Replace, &["c"]),
    (Context::FilterBar, Action::NextField, &["tab", "down"]),
    (Context::FilterBar, Action::PreviousField, &["backtab", "up"]),
    (Context::FilterBar, Action::ClearField, &["ctrl-u"]),
    (Context::FilterBar, Action::ClearFilter, &["ctrl-x"]),
    (Context::FilterBar, Action::Back, &["esc", "enter"]),
    (Context::Prompt, Action::Accept, &["enter"]),
    (Context::Prompt, Action::ClearField, &["ctrl-u"]),
    (Context::Prompt, Action::NextTab, &["tab"]),
    (Context::Prompt, Action::PreviousTab, &["backtab"]),
    (Context::Prompt, Action::Back, &["esc"]),
    (Context::SortMenu, Action::Down, &["down", "j"]),
    (Context::SortMenu, Action::Up, &["up", "k"]),
    (Context::SortMenu, Action::ToggleDirection, &["d", "space"]),
    (Context::SortMenu, Action::Accept, &["enter"]),
    (Context::SortMenu, Action::Back, &["esc", "s"]),
    (Context::Form, Action::NextField, &["tab", "down"]),
    (Context::Form, Action::PreviousField, &["backtab", "up"]),
    (Context::Form, Action::ClearField, &["ctrl-u"]),
    (Context::Form, Action::PageDown, &["pagedown"]),
    (Context::Form, Action::PageUp, &["pageup"]),
    (Context::Form, Action::Accept, &["enter"]),
    (Context::Form, Action::Back, &["esc"]),
    (Context::FileField, Action::Complete, &["tab"]),
    (Context::FileField, Action::Earlier, &["up"]),
    (Context::FileField, Action::Later, &["down"]),
    (Context::FileField, Action::PreviousField, &["backtab"]),
    (Context::FileField, Action::ClearField, &["ctrl-u"]),
    (Context::FileField, Action::Accept, &["enter"]),
    (Context::FileField, Action::Back, &["esc"]),
    (Context::File, Action::Accept, &["enter"]),
    (Context::File, Action::Encoding, &["e"]),
    (Context::File, Action::Columns, &["m"]),
    (Context::File, Action::Sheet, &["s"]),
    (Context::File, Action::Header, &["h"]),
    (Context::File, Action::Toggle, &["t"]),
    (Context::File, Action::Back, &["esc"]),
    (Context::RevokeForm, Action::Toggle, &["tab"]),
    (Context::RevokeForm, Action::Earlier, &["up"]),
    (Context::RevokeForm, Action::Later, &["down"]),
    (Context::RevokeForm, Action::ClearField, &["ctrl-u"]),
    (Context::RevokeForm, Action::PageDown, &["pagedown"]),
    (Context::RevokeForm, Action::PageUp, &["pageup"]),
    (Context::RevokeForm, Action::Accept, &["enter"]),
    (Context::RevokeForm, Action::Back, &["esc"]),
    // Not Enter, and not a key that opens a form.
    (Context::Review, Action::Confirm, &["y"]),
    (Context::Review, Action::ClearField, &["ctrl-u"]),
    (Context::Review, Action::PageDown, &["pagedown"]),
    (Context::Review, Action::PageUp, &["pageup"]),
    (Context::Review, Action::Back, &["esc"]),
    (Context::Activity, Action::Open, &["enter", "l", "right"]),
    (Context::Activity, Action::Pause, &["p"]),
    (Context::Activity, Action::Resume, &["R"]),
    (Context::Activity, Action::UseUp, &["H"]),
    (Context::Activity, Action::Retry, &["t"]),
    (Context::Activity, Action::CallOff, &["c"]),
    (Context::Activity, Action::Undo, &["u"]),
    (Context::Activity, Action::Receipt, &["e"]),
    (Context::Activity, Action::Redo, &["o"]),
    (Context::Activity, Action::Mail, &["m"]),
    (Context::Activity, Action::Ids, &["F"]),
    (Context::Activity, Action::Look, &["r", "f5"]),
    (Context::JobRows, Action::Open, &["enter", "l", "right"]),
    (Context::JobRows, Action::Only, &["f"]),
    (Context::JobRows, Action::Decide, &["d"]),
    (Context::JobRows, Action::Wallet, &["w"]),
    (Context::JobRows, Action::Receipt, &["e"]),
    (Context::JobRows, Action::Redo, &["o"]),
    (Context::JobRows, Action::Look, &["r", "f5"]),
    (Context::JobRows, Action::Back, &["esc", "h", "left"]),
    (Context::Overview, Action::Open, &["enter"]),
    (Context::Overview, Action::NextSection, &["tab", "l", "right"]),
    (Context::Overview, Action::PreviousSection, &["backtab", "h", "left"]),
    (Context::Overview, Action::Period, &["p"]),
    (Context::Overview, Action::FindCert, &["/"]),
    (Context::Overview, Action::Rescan, &["R"]),
    (Context::Overview, Action::IndexStop, &["S"]),
    (Context::Overview, Action::IndexOn, &["o"]),
    (Context::OverviewList, Action::Open, &["enter", "l", "right"]),
    (Context::OverviewList, Action::Renew, &["i"]),
    (Context::OverviewList, Action::Wallet, &["w"]),
    (Context::OverviewList, Action::Details, &["D"]),
    (Context::OverviewList, Action::FindCert, &["/"]),
    (Context::OverviewList, Action::IndexStop, &["S"]),
    (Context::OverviewList, Action::Back, &["esc", "h", "left"]),
    (Context::Menu, Action::Down, &["down", "j"]),
    (Context::Menu, Action::Up, &["up", "k"]),
    (Context::Menu, Action::Accept, &["enter"]),
    (Context::Menu, Action::Back, &["esc"]),
    (Context::Draft, Action::Only, &["f"]),
    (Context::Draft, Action::Correct, &["enter"]),
    (Context::Draft, Action::Allow, &["space"]),
    (Context::Draft, Action::LeaveOut, &["x"]),
    (Context::Draft, Action::AllowClass, &["A"]),
    (Context::Draft, Action::LeaveOutClass, &["X"]),
    (Context::Draft, Action::NextField, &["tab"]),
    (Context::Draft, Action::Reload, &["r", "f5"]),
    (Context::Draft, Action::Redo, &["o"]),
    (Context::Draft, Action::Confirm, &["y"]),
    (Context::Draft, Action::Back, &["esc"]),
    (Context::DraftRevoke, Action::Only, &["f"]),
    (Context::DraftRevoke, Action::Redo, &["o"]),
    (Context::DraftRevoke, Action::Confirm, &["y"]),
    (Context::DraftRevoke, Action::Back, &["esc"]),
    (Context::Help, Action::Down, &["down", "j"]),
    (Context::Help, Action::Up, &["up", "k"]),
    (Context::Help, Action::PageDown, &["pagedown", "ctrl-d"]),
    (Context::Help, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Help, Action::Back, &["esc", "?", "q", "f1"]),
    (Context::Welcome, Action::ChooseSandbox, &["s"]),
    (Context::Welcome, Action::ChooseService, &["u"]),
    (Context::Welcome, Action::Quit, &["q"]),
];

/// The keys in force.
#[derive(Clone, Debug)]
pub struct Keymap {
    lines: Vec<(Context, Action, Vec<KeyCombination>)>,
    lookup: HashMap<(Context, KeyCombination), Action>,
    ascii: bool,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut lines = Vec::new();
        let mut lookup = HashMap::new();
        for (context, action, keys) in DEFAULT {
            // A name that does not parse would be a slip in the table above; a test looks for it.
            let keys: Vec<KeyCombination> = keys.iter().filter_map(|k| parse(k)).collect();
            for key in &keys {
                lookup.insert((*context, *key), *action);
            }
            lines.push((*context, *action, keys));
        }
        Self { lines, lookup, ascii: false }
    }
}

/// A key by its name, where one capital letter stands for that letter with shift.
fn parse(name: &str) -> Option<KeyCombination> {
    let mut chars = name.chars();
    let parsed = match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_uppercase() => crokey::parse(&format!("shift-{letter}")),
        _ => crokey::parse(name),
    };
    parsed.ok().map(normal)
}

/// One form for a key that terminals report in several: shift is said or not with a capital letter, a sign
/// such as `?`, or back-tab.
fn normal(key: KeyCombination) -> KeyCombination {
    let mut key = key.normalized();
    match key.codes {
        OneToThree::One(KeyCode::Char(c)) if !c.is_alphabetic() => key.modifiers.remove(KeyModifiers::SHIFT),
        OneToThree::One(KeyCode::BackTab) => key.modifiers.insert(KeyModifiers::SHIFT),
        _ => {}
    }
    key
}

impl Keymap {
    /// With its keys named in this set of signs.
    pub fn named(glyphs: &Glyphs) -> Self {
        Self { ascii: *glyphs == Glyphs::ASCII, ..Self::default() }
    }

    /// A key as a person reads it.
    fn name(&self, key: KeyCombination) -> String {
        name(key, self.ascii)
    }

    /// What `key` means where the contexts in `stack` apply, innermost first.
    pub fn action(&self, stack: &[Context], key: KeyEvent) -> Option<Action> {
        let key = normal(KeyCombination::from(key));
        stack.iter().find_map(|context| self.lookup.get(&(*context, key)).copied())
    }

    /// The lines of the help for `stack`: keys and action, a key that an inner context takes left out.
    pub fn help(&self, stack: &[Context]) -> Vec<(String, Action)> {
        let mut lines: Vec<(String, Action)> = Vec::new();
        for (depth, context) in stack.iter().enumerate() {
            for (_, action, keys) in self.lines.iter().filter(|(c, ..)| c == context) {
                let free: Vec<String> = keys
                    .iter()
                    .filter(|k| !stack[..depth].iter().any(|inner| self.lookup.contains_key(&(*inner, **k))))
                    .map(|k| self.name(*k))
                    .collect();
                if !free.is_empty() && !lines.iter().any(|(_, a)| a == action) {
                    lines.push((free.join(" "), *action));
                }
            }
        }
        lines
    }

    /// The first key of an action in `stack`, for a hint.
    pub fn key(&self, stack: &[Context], action: Action) -> Option<String> {
        stack.iter().enumerate().find_map(|(depth, context)| {
            let (.., keys) = self.lines.iter().find(|(c, a, _)| c == context && *a == action)?;
            keys.iter()
                .find(|k| !stack[..depth].iter().any(|inner| self.lookup.contains_key(&(*inner, **k))))
                .map(|k| self.name(*k))
        })
    }

    /// Every line, in order: for the README's table and for tests.
    pub fn lines(&self) -> impl Iterator<Item = (Context, Action, String)> + '_ {
        self.lines.iter().map(|(context, action, keys)| {
            (*context, *action, keys.iter().map(|k| self.name(*k)).collect::<Vec<_>>().join(" "))
        })
    }
}

/// A key as a person reads it; arrows and the enter key are words where there are only ASCII signs.
fn name(key: KeyCombination, ascii: bool) -> String {
    let written = key.to_string().to_lowercase();
    match written.as_str() {
        "enter" | "up" | "down" | "left" | "right" if ascii => written.clone(),
        "enter" => "⏎".to_owned(),
        "backtab" | "shift-backtab" => "S-Tab".to_owned(),
        "tab" => "Tab".to_owned(),
        "pagedown" => "PgDn".to_owned(),
        "pageup" => "PgUp".to_owned(),
        "up" => "↑".to_owned(),
        "down" => "↓".to_owned(),
        "left" => "←".to_owned(),
        "right" => "→".to_owned(),
        _ => match written.strip_prefix("shift-") {
            Some(letter) if letter.chars().count() == 1 => letter.to_uppercase(),
            _ => written,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_is_a_key_and_has_one_meaning_in_its_context() {
        let mut seen = HashMap::new();
        for (context, action, keys) in DEFAULT {
            for key in *keys {
                let parsed = parse(key).unwrap_or_else(|| panic!("{key} is no key"));
                let before = seen.insert((*context, parsed), *action);
                assert!(before.is_none(), "{key} means both {before:?} and {action:?} in {context:?}");
            }
        }
    }

    #[test]
    fn every_action_can_be_reached() {
        let keymap = Keymap::default();
        for action in Action::ALL {
            assert!(
                keymap.lines.iter().any(|(_, a, k)| a == action && !k.is_empty()),
                "{action:?} has no key"
            );
        }
    }

    #[test]
    fn keys_as_terminals_send_them_are_found() {
        let keymap = Keymap::default();
        let stack = [Context::History, Context::List, Context::Global, Context::Always];
        for (code, modifiers, action) in [
            (KeyCode::Char('G'), KeyModifiers::SHIFT, Action::Last),
            (KeyCode::Char('G'), KeyModifiers::NONE, Action::Last),
            (KeyCode::Char('g'), KeyModifiers::NONE, Action::First),
            (KeyCode::Char('?'), KeyModifiers::NONE, Action::Help),
            (KeyCode::Char('?'), KeyModifiers::SHIFT, Action::Help),
            (KeyCode::Char('#'), KeyModifiers::NONE, Action::GoToRow),
            (KeyCode::Char(' '), KeyModifiers::NONE, Action::Mark),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Action::QuitNow),
            (KeyCode::BackTab, KeyModifiers::SHIFT, Action::PreviousTab),
            (KeyCode::BackTab, KeyModifiers::NONE, Action::PreviousTab),
            (KeyCode::Char('5'), KeyModifiers::NONE, Action::Activity),
            (KeyCode::Char('a'), KeyModifiers::NONE, Action::MarkLoaded),
        ] {
            assert_eq!(
                keymap.action(&stack, KeyEvent::new(code, modifiers)),
                Some(action),
                "{code:?} {modifiers:?}"
            );
        }
        assert_eq!(keymap.action(&stack, KeyEvent::new(KeyCode::Char('Z'), KeyModifiers::NONE)), None);
    }

    #[test]
    fn nothing_is_confirmed_by_enter_or_by_a_key_that_opens_a_form() {
        let keymap = Keymap::default();
        let confirms: Vec<_> =
            keymap.lines.iter().filter(|(_, a, _)| *a == Action::Confirm).flat_map(|(.., k)| k).collect();
        for (_, action, keys) in &keymap.lines {
            if matches!(action, Action::Issue | Action::Revoke | Action::Accept | Action::Open) {
                assert!(keys.iter().all(|k| !confirms.contains(&k)), "{action:?}");
            }
        }
    }

    #[test]
    fn the_help_of_its_context_shows_every_action() {
        let keymap = Keymap::default();
        for (context, action, _) in keymap.lines() {
            let shown = keymap.help(&[context, Context::Global, Context::Always]);
            assert!(shown.iter().any(|(_, a)| *a == action), "{action:?} in {context:?}: {shown:?}");
            assert!(!action.help().is_empty() && !action.hint().is_empty());
        }
    }

    #[test]
    fn the_help_leaves_out_what_an_inner_context_takes() {
        let keymap = Keymap::default();
        let lines = keymap.help(&[Context::Help, Context::Global]);
        let back: Vec<_> = lines.iter().filter(|(_, a)| *a == Action::Quit).collect();
        assert!(back.is_empty(), "q closes the help: {lines:?}");
    }
}

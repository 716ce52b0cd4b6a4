use super::*;
use crate::i18n::{self, Language};
use crate::tui::input::action::ActionKind;

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

/// What a letter means, wherever it is a key.
const MEANINGS: &[(&str, &[Action])] = &[
    ("A a", &[Action::MarkLoaded, Action::TakeSuggestions, Action::IncludeGroup]),
    ("b", &[Action::Categories]),
    ("C", &[Action::ChooseColumns]),
    ("c", &[Action::Replace, Action::Correct, Action::ChangeProfile]),
    ("D", &[Action::Details]),
    ("d", &[Action::Resolve]),
    ("E", &[Action::Encoding]),
    ("e", &[Action::Export, Action::Redo, Action::Save]),
    ("F", &[Action::Ids]),
    ("f", &[Action::SavedFilters, Action::Only]),
    ("g", &[Action::First]),
    ("G", &[Action::Last]),
    ("h", &[Action::PreviousChoice, Action::Fold]),
    ("i", &[Action::Issue, Action::Renew]),
    ("j", &[Action::Down]),
    // In the menu of columns, the capitals of the keys that move the cursor move the column.
    ("J", &[Action::Raw, Action::ColumnRight]),
    ("K", &[Action::ColumnLeft]),
    ("k", &[Action::Up]),
    ("l", &[Action::Open, Action::OnlyCategory, Action::NextChoice, Action::OtherRecord]),
    ("L", &[Action::RequestLog]),
    ("m", &[Action::Columns]),
    ("M", &[Action::Mail]),
    ("n", &[Action::NextMatch]),
    ("N", &[Action::PreviousMatch]),
    ("o", &[Action::OpenPicture]),
    ("O", &[Action::TryPictures]),
    ("P", &[Action::Profiles]),
    ("p", &[Action::Picture]),
    ("q", &[Action::Quit]),
    ("R", &[Action::Run]),
    ("r", &[Action::Reload, Action::Check, Action::TestProfile]),
    ("S", &[Action::SaveFilter]),
    ("s", &[Action::Sort]),
    ("T", &[Action::Tour]),
    ("t", &[Action::Question]),
    ("u", &[Action::UndoLast]),
    ("v", &[Action::Range]),
    ("w", &[Action::Wallet, Action::LookUp]),
    ("X", &[Action::RemoveProfile, Action::Remove]),
    ("x", &[Action::Revoke, Action::Undo]),
    ("Y", &[Action::CopySummary]),
    ("y", &[Action::Copy, Action::CopyAll]),
    ("z", &[Action::Period]),
];

/// Menus that show a letter beside each entry may have letters of their own. A letter that opens something may close
/// it.
#[test]
fn a_letter_has_one_meaning_in_the_whole_app() {
    let menus = [KeyContext::JobMenu, KeyContext::Welcome];
    for (context, action, keys) in DEFAULT.iter().filter(|(context, ..)| !menus.contains(context)) {
        for key in keys.iter().filter(|key| key.len() == 1 && key.starts_with(|c: char| c.is_alphabetic())) {
            let means =
                MEANINGS.iter().find(|(letters, _)| letters.contains(key)).map(|(_, actions)| *actions);
            let means = means.unwrap_or_default();
            assert!(
                *action == Action::Back || means.contains(action),
                "{key} means {means:?}, but {action:?} in {context:?}"
            );
        }
    }
}

/// Actions without a key, which only the palette offers.
const IN_THE_PALETTE: [Action; 9] = [
    // The key of the picture goes through its sides.
    Action::TurnOver,
    Action::SaveScreen,
    Action::Language,
    Action::Theme,
    Action::AutoRefresh,
    Action::ForgetRecent,
    Action::IndexOn,
    Action::IndexStop,
    Action::Rescan,
];

#[test]
fn every_action_can_be_reached() {
    let keymap = Keymap::default();
    for action in Action::ALL.iter().filter(|action| !IN_THE_PALETTE.contains(action)) {
        assert!(keymap.lines.iter().any(|(_, a, k)| a == action && !k.is_empty()), "{action:?} has no key");
    }
    for action in IN_THE_PALETTE {
        let is_on_a_screen = |(context, a, _): &Bound| *a == action && context.is_a_screen();
        assert!(keymap.lines.iter().any(is_on_a_screen), "{action:?} is not in the palette");
    }
}

#[test]
fn keys_as_terminals_send_them_are_found() {
    let keymap = Keymap::default();
    let stack = [KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always];
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
        let press = keymap.press(&stack, &mut Vec::new(), KeyEvent::new(code, modifiers));
        assert_eq!(press, Press::Action(action), "{code:?} {modifiers:?}");
    }
    let odd = KeyEvent::new(KeyCode::Char('Z'), KeyModifiers::NONE);
    assert_eq!(keymap.press(&stack, &mut Vec::new(), odd), Press::Free);
}

#[test]
fn only_a_typed_text_confirms_so_no_letter_is_bound_there() {
    let lines = Keymap::default().lines;
    let keys: Vec<_> = lines.iter().filter(|(context, ..)| *context == KeyContext::Review).collect();
    assert!(keys.iter().any(|(_, action, _)| *action == Action::Accept) && KeyContext::Review.is_text());
}

#[test]
fn the_help_of_its_context_shows_every_action() {
    let keymap = Keymap::default();
    for (context, action, _) in keymap.lines().filter(|(.., keys)| !keys.is_empty()) {
        let shown = keymap.help(&[context, KeyContext::Global, KeyContext::Always]);
        assert!(shown.iter().any(|(_, a)| *a == action), "{action:?} in {context:?}: {shown:?}");
        assert!(!action.help().is_empty() && !action.hint().is_empty());
    }
}

/// A footer shows about six labels in 80 columns.
#[test]
fn labels_fit_the_footer_in_korean() {
    for action in Action::ALL.iter().filter(|action| !action.is(ActionKind::Moves)) {
        let label = i18n::in_language(Language::Korean, action.hint());
        assert!(width(label) <= 12, "{action:?}: {label}");
    }
}

#[test]
fn the_help_leaves_out_what_an_inner_context_takes() {
    let keymap = Keymap::default();
    let lines = keymap.help(&[KeyContext::Help, KeyContext::Global]);
    let back: Vec<_> = lines.iter().filter(|(_, a)| *a == Action::Quit).collect();
    assert!(back.is_empty(), "q closes the help: {lines:?}");
}

//! Custom keys: `keys.toml` replaces default keys.

use crate::config::{KeymapFile, KeymapLine, Mistake, nearest};
use crate::tui::input::keymap::layers::{BindingSource, base, clash, is_default, take};
use crate::tui::input::keymap::{Chord, DEFAULT, Keymap, parse};
use crate::tui::prelude::*;
use crokey::OneToThree;

const LONGEST: usize = 3;

/// Names of actions in files of earlier versions, each with the action.
const FORMER: [(&str, Action); 6] = [
    ("allow", Action::Include),
    ("allow-class", Action::IncludeGroup),
    ("decide", Action::Resolve),
    ("leave-out", Action::Skip),
    ("leave-out-class", Action::SkipGroup),
    ("look", Action::Check),
];

impl Keymap {
    /// The default keys with the preset and the changes of a file, and the mistakes in the file. A key of the file
    /// is taken from a default action, which the palette still offers. A line of the file is left out if:
    ///
    /// * it names an unknown context, action or key;
    /// * another line of the file has the key, in the same context or in one that hides it;
    /// * the key leaves or accepts, or works everywhere;
    /// * it leaves an action without a key that the palette does not offer;
    /// * it makes leaving impossible.
    pub fn with(file: &KeymapFile) -> (Self, Vec<Mistake>) {
        let mut wrong: Vec<(usize, String)> = Vec::new();
        let mut is_left_out = vec![false; file.lines.len()];
        loop {
            let (mut lines, mut from) = base(file.preset);
            let before = wrong.len();
            for (n, said) in file.lines.iter().enumerate() {
                if is_left_out[n] {
                    continue;
                }
                match read(said) {
                    Ok((context, action, chords)) => {
                        let at = lines.iter().position(|(c, a, _)| (*c, *a) == (context, action));
                        let Some(at) = at else { continue };
                        if let Some(other) = from[at].line() {
                            wrong.push((n, same_action(&file.lines[other])));
                            continue;
                        }
                        lines[at].2 = chords;
                        from[at] = BindingSource::File(n);
                    }
                    Err(what) => wrong.push((n, what)),
                }
            }
            take(&mut lines, &from);
            let keymap = Self::of(lines);
            let mut more = keymap.conflicts(&from, file);
            more.extend(keymap.dangers(&from));
            more.extend(keymap.shadows(&from, file));
            more.sort_by_key(|(n, _)| *n);
            more.dedup_by_key(|(n, _)| *n);
            wrong.extend(more);
            // A line may be wrong only after another line is left out, so check again. The default keys are right.
            wrong[before..].iter().for_each(|(n, _)| is_left_out[*n] = true);
            if wrong.len() == before {
                return (keymap, file.mistakes(wrong));
            }
        }
    }

    /// Lines of the file whose keys clash in the same context: with another line of the file, or with keys that an
    /// action must keep.
    fn conflicts(&self, from: &[BindingSource], file: &KeymapFile) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (at, (context, _, chords)) in self.lines.iter().enumerate() {
            let BindingSource::File(n) = from[at] else { continue };
            for (other_at, (_, other, theirs)) in
                self.lines.iter().enumerate().filter(|(i, (c, ..))| *i != at && c == context)
            {
                // The later of two lines is reported.
                if from[other_at].line().is_some_and(|other| other > n) {
                    continue;
                }
                let Some(chord) = chords.iter().find(|one| theirs.iter().any(|two| clash(one, two))) else {
                    continue;
                };
                let chord = self.name(chord);
                let what = match from[other_at].line() {
                    Some(n) => wanted_twice(&chord, &file.lines[n]),
                    None => {
                        t!(
                            "{chord} is already a key of {other} there ({help}), or starts one: give that action another key, or choose another here",
                            chord,
                            other = other.name(),
                            help = other.help()
                        )
                    }
                };
                found.push((n, what));
            }
        }
        found
    }

    fn dangers(&self, from: &[BindingSource]) -> Vec<(usize, String)> {
        let stays = |context: KeyContext| {
            let mut stacks = KeyContext::STACKS.iter().filter(|stack| stack.contains(&context));
            stacks.any(|stack| self.key(stack, Action::Back).is_none())
        };
        let lines = self.lines.iter().zip(from).filter(|((.., chords), _)| chords.is_empty());
        let lost = lines.filter_map(|((context, action, _), from)| {
            let why = match action {
                Action::QuitNow => t!("one key must quit lapel from everywhere"),
                Action::Back if stays(*context) => t!("one key must go back there"),
                _ => return None,
            };
            Some((from.line()?, why.to_owned()))
        });
        lost.collect()
    }
}

/// Of two lines that want the same key, one gets this message, which names the other.
pub(super) fn wanted_twice(chord: &str, other: &KeymapLine) -> String {
    t!(
        "line {line} gives {chord}, or a key that begins with it, to {other}: choose another key in one of the two lines",
        line = other.line,
        chord,
        other = format_args!("{}.{}", other.place, other.action)
    )
}

/// An action may have a former name beside its own.
fn same_action(other: &KeymapLine) -> String {
    t!("line {line} has the keys of the same action: keep one of the two lines", line = other.line)
}

fn read(said: &KeymapLine) -> Result<(KeyContext, Action, Vec<Chord>), String> {
    if said.action == "confirm" || said.place == "organisation" {
        return Err(t!("no longer used: confirm with the number of badges, then Enter").to_owned());
    }
    let mut places: Vec<KeyContext> = Vec::new();
    for (context, ..) in DEFAULT {
        if !places.contains(context) {
            places.push(*context);
        }
    }
    let (place, action) = match (said.place.as_str(), said.action.as_str()) {
        // Earlier versions had an overview with a key of its own.
        ("global", "overview") => ("global", Action::Home.name()),
        // These are in a popup now, which has their key.
        (place @ ("activity" | "home"), "resume") => (place, Action::Run.name()),
        (place @ ("activity" | "job-rows"), "receipt") => (place, Action::Export.name()),
        (place @ ("activity" | "job-menu"), "call-off") => (place, Action::CancelRest.name()),
        given => given,
    };
    let former = FORMER.iter().find(|(former, _)| *former == action);
    let action = former.map_or(action, |(_, now)| now.name());
    let names: Vec<&str> = places.iter().map(|c| c.name()).collect();
    let Some(context) = names.iter().position(|name| *name == place).map(|at| places[at]) else {
        return Err(match nearest(&said.place, names.iter().copied()) {
            Some(meant) => t!("unknown place; did you mean {meant}?", meant),
            None => t!("unknown place; known here: {names}", names = list(names.iter().copied())),
        });
    };
    let actions: Vec<Action> = DEFAULT.iter().filter(|(c, ..)| *c == context).map(|(_, a, _)| *a).collect();
    let names: Vec<&str> = actions.iter().map(|a| a.name()).collect();
    let Some(action) = names.iter().position(|name| *name == action).map(|at| actions[at]) else {
        return Err(match nearest(&said.action, names.iter().copied()) {
            Some(meant) => t!("unknown action in this place; did you mean {meant}?", meant),
            None => {
                t!("unknown action in this place; known here: {names}", names = list(names.iter().copied()))
            }
        });
    };
    let chords = said
        .keys
        .iter()
        .enumerate()
        .map(|(n, key)| {
            let chord = parse(key).ok_or_else(|| {
                t!("key {n} in the list is not a key: write x, X, ctrl-x, alt-x, f5, enter, space, pagedown, or several in sequence with spaces between", n = n + 1)
            })?;
            if chord.len() > LONGEST {
                return Err(t!("key {n} in the list has more than {longest} keys in sequence", n = n + 1, longest = LONGEST));
            }
            if let Some(same) = chord.iter().find_map(indistinct) {
                return Err(t!("a terminal cannot tell key {n} in the list from {same}", n = n + 1, same));
            }
            let types = |key: &KeyCombination| match context {
                // These keys work in text fields too.
                KeyContext::Always | KeyContext::Tour => is_letter(key),
                _ => context.is_text() && is_letter(key),
            };
            let edits = |key: &KeyCombination| {
                let is_text = context.is_text() || matches!(context, KeyContext::Always | KeyContext::Tour);
                is_text && edits_text(key) && !is_default(context, action, &chord)
            };
            if chord.first().is_some_and(edits) {
                return Err(t!("key {n} in the list edits text: text fields need it there", n = n + 1));
            }
            if chord.first().is_some_and(types) {
                return Err(t!("key {n} in the list would be typed: letters are text there", n = n + 1));
            }
            Ok(chord)
        })
        .collect::<Result<Vec<Chord>, String>>()?;
    Ok((context, action, chords))
}

fn is_letter(key: &KeyCombination) -> bool {
    let types = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    types && matches!(key.codes, OneToThree::One(KeyCode::Char(_)))
}

/// Every text field uses these keys to move or delete.
fn edits_text(key: &KeyCombination) -> bool {
    let moves =
        [KeyCode::Backspace, KeyCode::Delete, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End];
    key.modifiers.is_empty() && moves.iter().any(|code| key.codes == OneToThree::One(*code))
}

/// The other key for which the terminal sends the same code.
fn indistinct(key: &KeyCombination) -> Option<&'static str> {
    if key.modifiers != KeyModifiers::CONTROL {
        return None;
    }
    match key.codes {
        OneToThree::One(KeyCode::Char('i')) => Some("Tab"),
        OneToThree::One(KeyCode::Char('m' | 'j')) => Some("Enter"),
        OneToThree::One(KeyCode::Char('h')) => Some("Backspace"),
        OneToThree::One(KeyCode::Char('[')) => Some("Esc"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::input::keymap::Press;
    use crossterm::event::KeyEvent;
    use std::path::Path;

    fn keymap(text: &str) -> Result<Keymap, Vec<Mistake>> {
        let (keymap, mistakes) = Keymap::with(&KeymapFile::parse(Path::new("keys.toml"), text));
        if mistakes.is_empty() { Ok(keymap) } else { Err(mistakes) }
    }

    #[test]
    fn a_line_that_cannot_be_used_costs_that_line() {
        let text = "[history]\nrevoke = 'X'\nmark = 'hyper-q'\nrange = \n[nowhere]\nx = 'y'\n[global]\ntemplates = '!'\n";
        let (keymap, mistakes) = Keymap::with(&KeymapFile::parse(Path::new("keys.toml"), text));
        let lines: Vec<Option<usize>> = mistakes.iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [Some(3), Some(4), Some(6)], "{mistakes:?}");
        assert_eq!(press(&keymap, "X!"), [Press::Action(Action::Revoke), Press::Action(Action::Templates)]);
        assert_eq!(press(&keymap, " "), [Press::Action(Action::Mark)], "the usual key");
        // Two actions swap keys, but one line is wrong: the other line still gets its key.
        let (keymap, mistakes) = Keymap::with(&KeymapFile::parse(
            Path::new("keys.toml"),
            "[history]\nmark = 'v'\nrange = 'spacee'\n",
        ));
        assert_eq!(mistakes.iter().map(|m| m.line).collect::<Vec<_>>(), [Some(3)]);
        assert_eq!(press(&keymap, "v "), [Press::Action(Action::Mark), Press::Free]);
    }

    #[test]
    fn thousands_of_lines_that_cannot_be_used_are_all_named() {
        let lines: Vec<String> = (0..4_000).map(|n| format!("action-{n} = 'x'\n")).collect();
        let file = KeymapFile::parse(Path::new("keys.toml"), &format!("[history]\n{}", lines.concat()));
        let (keymap, mistakes) = Keymap::with(&file);
        assert_eq!((mistakes.len(), mistakes.last().and_then(|last| last.line)), (4_000, Some(4_001)));
        assert_eq!(keymap.all_without_key(), []);
    }

    const HISTORY: &[KeyContext] =
        &[KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always];
    const BADGE: &[KeyContext] = &[KeyContext::Badge, KeyContext::Global, KeyContext::Always];

    /// Later versions bring new default keys. A file from before them keeps its keys.
    #[test]
    fn a_line_of_the_file_takes_the_key_from_a_default() {
        let keys = |text: &str| keymap(text).expect(text);
        // In the same place: revoke keeps no key there, but has its own elsewhere.
        let mine = keys("[history]\nmark = 'x'\n");
        assert_eq!(press(&mine, "x "), [Press::Action(Action::Mark), Press::Free]);
        assert_eq!(mine.key(HISTORY, Action::Revoke), None);
        assert_eq!(mine.key(BADGE, Action::Revoke).as_deref(), Some("x"));
        assert_eq!(mine.without_key(HISTORY), [(KeyContext::History, Action::Revoke)]);
        assert_eq!(mine.all_without_key(), [(KeyContext::History, Action::Revoke)]);
        // The beginning of a chord takes all of them, and a chord takes what begins it.
        let mine = keys("[history]\nfilter = '*'\nmark = 'x x'\n");
        assert_eq!(press(&mine, "*xx")[0], Press::Action(Action::Filter));
        assert_eq!(press(&mine, "xx"), [Press::Begun, Press::Action(Action::Mark)]);
        let lost = [Action::MarkAll, Action::InvertMarks, Action::ClearMarks, Action::Revoke];
        assert_eq!(mine.without_key(HISTORY), lost.map(|action| (KeyContext::History, action)));
        // From a place inside, which would hide it; the other keys of the action stay.
        let mine = keys("[global]\nhistory = ['2', 'n']\nactivity = 'g h'\n[always]\npalette = 'ctrl-d'\n");
        assert_eq!(
            press(&mine, "ngh"),
            [Press::Action(Action::History), Press::Begun, Press::Action(Action::Activity)]
        );
        assert_eq!(mine.key(HISTORY, Action::NextMatch), None);
        assert_eq!(mine.key(HISTORY, Action::First).as_deref(), Some("home"));
        assert_eq!(mine.key(HISTORY, Action::PageDown).as_deref(), Some("PgDn"));
        assert_eq!(mine.key(BADGE, Action::Palette).as_deref(), Some(":"));
        // A place inside takes it from one outside, which loses it only there.
        let mine = keys("[history]\nmark = 'L'\n");
        assert_eq!(mine.without_key(HISTORY), [(KeyContext::Global, Action::RequestLog)]);
        assert_eq!(mine.key(BADGE, Action::RequestLog).as_deref(), Some("L"));
        assert_eq!(mine.all_without_key(), [(KeyContext::History, Action::RequestLog)]);
    }

    #[test]
    fn the_default_keys_are_complete() {
        let keymap = Keymap::default();
        assert_eq!(keymap.all_without_key(), []);
        assert_eq!(super::tests::keymap("").expect("no file").all_without_key(), []);
    }

    #[test]
    fn vim_has_its_keys_and_every_other_default_key() {
        let vim = keymap("preset = 'vim'\n").expect("a preset has no conflict");
        let end = |keys: &str| press(&vim, keys).pop();
        for (keys, action) in [
            ("j", Action::Down),
            ("k", Action::Up),
            ("l", Action::Open),
            ("gg", Action::First),
            ("G", Action::Last),
            ("gt", Action::NextTab),
            ("gT", Action::PreviousTab),
            ("/", Action::Filter),
            ("n", Action::NextMatch),
            ("N", Action::PreviousMatch),
            (":", Action::Palette),
            ("y", Action::Copy),
            ("v", Action::Range),
            ("u", Action::UndoLast),
        ] {
            assert_eq!(end(keys), Some(Press::Action(action)), "{keys}");
        }
        let badge =
            |c| vim.press(BADGE, &mut Vec::new(), KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
        for (stack, keys) in [(HISTORY, "duf b"), (&[KeyContext::Json, KeyContext::Always][..], "duf b")] {
            for (c, action) in keys.chars().filter(|c| *c != ' ').zip([
                Action::PageDown,
                Action::PageUp,
                Action::PageDown,
                Action::PageUp,
            ]) {
                let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
                assert_eq!(vim.press(stack, &mut Vec::new(), key), Press::Action(action), "ctrl-{c}");
            }
        }
        assert_eq!(
            (badge('f'), badge('b')),
            (Press::Action(Action::PageDown), Press::Action(Action::PageUp))
        );
        // Nothing of the defaults is lost but g alone, and nothing that revokes or deletes has another key.
        assert_eq!(vim.all_without_key(), []);
        for ((context, action, usual), (.., keys)) in Keymap::default().lines().zip(vim.lines()) {
            let moves = action.is_hand_work()
                || matches!(action, Action::First | Action::NextTab | Action::PreviousTab);
            assert!(usual == keys || moves, "{action:?} in {context:?}: {usual} {keys}");
        }
        assert!(vim.help(HISTORY).contains(&("home, <, g g".to_owned(), Action::First)));
    }

    #[test]
    fn a_line_of_the_file_wins_over_the_preset() {
        let mine =
            keymap("preset = 'vim'\n[list]\npage-up = 'pageup'\n[history]\nmark = 'g'\n").expect("keys");
        assert_eq!(press(&mine, "g"), [Press::Action(Action::Mark)]);
        assert_eq!(mine.key(HISTORY, Action::NextTab).as_deref(), Some("Tab"));
        assert_eq!(mine.key(HISTORY, Action::First).as_deref(), Some("home"));
        assert_eq!(
            mine.key(&[KeyContext::Wallet, KeyContext::List], Action::PageUp).as_deref(),
            Some("PgUp")
        );
        assert_eq!(
            mine.help(HISTORY).iter().find(|(_, a)| *a == Action::PageUp).map(|(k, _)| &**k),
            Some("PgUp")
        );
    }

    fn press(keymap: &Keymap, keys: &str) -> Vec<Press> {
        let stack = [KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always];
        let mut begun = Vec::new();
        keys.chars()
            .map(|c| keymap.press(&stack, &mut begun, KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)))
            .collect()
    }

    #[test]
    fn keys_of_a_file_take_the_place_of_the_usual_ones() {
        let keymap = keymap("[history]\nrevoke = ['X', 'd d']\nmark = []\n[global]\ntemplates = '! t'\n")
            .expect("keys");
        assert_eq!(press(&keymap, "X"), [Press::Action(Action::Revoke)]);
        assert_eq!(press(&keymap, "x"), [Press::Free], "the usual key is free now");
        assert_eq!(press(&keymap, "dd"), [Press::Begun, Press::Action(Action::Revoke)]);
        assert_eq!(press(&keymap, "dx"), [Press::Begun, Press::Dropped]);
        assert_eq!(
            press(&keymap, "d2"),
            [Press::Begun, Press::Dropped],
            "what ends a chord does nothing else"
        );
        assert_eq!(press(&keymap, "!t"), [Press::Begun, Press::Action(Action::Templates)]);
        assert_eq!(press(&keymap, " "), [Press::Free]);
        assert_eq!(press(&keymap, "j"), [Press::Action(Action::Down)]);
        let stack = [KeyContext::History, KeyContext::Global];
        assert_eq!(keymap.key(&stack, Action::Revoke).as_deref(), Some("X"));
        let help = keymap.help(&stack);
        assert!(help.contains(&("X, d d".to_owned(), Action::Revoke)), "{help:?}");
        assert!(!help.iter().any(|(_, action)| *action == Action::Mark));
        let d = parse("d").expect("a key");
        assert_eq!(keymap.follows(&stack, &d), [("d".to_owned(), Action::Revoke)]);
    }

    #[test]
    fn hangul_input_does_not_kill_the_keys() {
        let keymap = keymap("[history]\nrevoke = 'd x'\n").expect("keys");
        assert_eq!(press(&keymap, "ㅂ"), [Press::Action(Action::Quit)]);
        assert_eq!(press(&keymap, "ㅓ"), [Press::Unshifted(Some(Action::Down), 'J')]);
        assert_eq!(press(&keymap, "ㅇㅌ"), [Press::Begun, Press::Action(Action::Revoke)]);
        assert_eq!(press(&keymap, "하"), [Press::Syllable]);
        assert_eq!(press(&keymap, "界"), [Press::Free]);
        let mut begun = Vec::new();
        let letter = KeyEvent::new(KeyCode::Char('ㅓ'), KeyModifiers::NONE);
        assert_eq!(keymap.press(&[KeyContext::Prompt, KeyContext::Always], &mut begun, letter), Press::Free);
    }

    #[test]
    fn an_impossible_line_of_the_keys_is_refused_with_its_number() {
        for (text, line, said) in [
            ("[histori]\nmark = 'm'\n", 2, "did you mean history?"),
            ("[nowhere]\nmark = 'm'\n", 2, "known here"),
            ("[history]\n\nmarc = 'm'\n", 3, "did you mean mark?"),
            ("[history]\ncategories = 'i'\n", 2, "unknown action in this place"),
            ("[history]\nmark = ['m', 'hyper-q']\n", 2, "key 2 in the list is not a key"),
            ("[history]\nmark = ' '\n", 2, "key 1 in the list is not a key"),
            ("[history]\nmark = 'm m m m'\n", 2, "more than 3 keys"),
            ("[history]\nmark = 'ctrl-i'\n", 2, "cannot tell key 1 in the list from Tab"),
            ("[history]\nmark = 'ctrl-m'\n", 2, "cannot tell key 1 in the list from Enter"),
            ("[prompt]\nclear-field = 'c'\n", 2, "would be typed"),
            ("[history]\nmark = 'Q'\nrange = 'Q q'\n", 3, "line 2 gives Q q, or"),
            ("[history]\nmark = 'x'\nrevoke = 'x'\n", 3, "line 2 gives x, or"),
            ("[history]\nmark = 'esc'\n", 2, "leaves back without a key there"),
            ("[history]\nmark = 'q'\n", 2, "leaves quit without a key there"),
            ("[job-rows]\ncopy = 'esc'\n", 2, "a key of back"),
            ("[profiles]\ntest-profile = 'enter'\n", 2, "a key of accept there"),
            ("[global]\ntemplates = '?'\n", 2, "a key of help there"),
            ("[global]\ntemplates = [':', 'ctrl-k']\n", 2, "a key of palette there"),
            ("[welcome]\ntour = 's'\n", 2, "a key of choose-sandbox there"),
            ("[always]\npalette = 'ctrl-u'\n", 2, "would not get the key"),
            ("[review]\nconfirm = 'f4'\n", 2, "no longer used"),
            ("[draft]\nconfirm = 'i'\n", 2, "no longer used"),
            ("[organisation]\nback = 'f4'\n", 2, "no longer used"),
            ("[review]\nback = '1'\n", 2, "would be typed"),
            ("[review]\naccept = 'y'\n", 2, "would be typed"),
            ("[always]\nquit-now = []\n", 2, "quit lapel from everywhere"),
            ("[always]\nhelp = 'h'\n", 2, "would be typed"),
            ("[always]\nhelp = 'backspace'\n", 2, "text fields need it there"),
            ("[form]\naccept = ['enter', 'left']\n", 2, "text fields need it there"),
            ("[wallet]\n[review]\nback = []\n", 3, "one key must go back there"),
            ("[help]\nback = []\n", 2, "one key must go back there"),
            ("[history]\nmark = 'ctrl-c'\n", 2, "That action works everywhere"),
            ("[list]\nup = ['up', 'ctrl-z']\n", 2, "That action works everywhere"),
            ("[form]\nclear-field = 'ctrl-c x'\n", 2, "That action works everywhere"),
            ("[always]\nquit-now = 'f4'\n[review]\nback = ['esc', 'f4']\n", 4, "a key of quit-now"),
            ("[history]\nmark = 'L'\n[global]\nrequest-log = 'L'\n", 2, "line 4 gives L, or"),
            ("[history]\nmark = 'Z'\n[global]\nwallet-tab = 'Z'\n", 4, "line 2 gives Z, or"),
            ("preset = 'vim'\n[list]\nfirst = 'g q'\n[history]\nmark = 'g'\n", 5, "line 3 gives g q"),
        ] {
            let wrong = keymap(text).expect_err(text);
            let first = &wrong[0];
            assert!(first.line == Some(line) && first.what.contains(said), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn a_file_of_earlier_versions_goes_on_working() {
        let keymap = keymap(
            "[activity]\nresume = 'R'\npause = 'p'\nuse-up = 'H'\nretry = 't'\ncall-off = 'c'\nundo = 'u'\n\
             receipt = 'e'\nredo = 'o'\nmail = 'm'\n[job-rows]\nreceipt = 'e'\nredo = 'o'\n[home]\nresume = 'R'\n\
             index-on = 'o'\nindex-stop = 'S'\n[overview]\nrescan = 'R'\n[global]\nlanguage = 'K'\n\
             auto-refresh = 'A'\nforget-recent = 'ctrl-x f'\n[history]\nsave-filter = 'S'\n\
             [profiles]\nchange-profile = 'e'\n[requests]\nsave = 's'\n[draft]\nleave-out = 's'\n",
        )
        .expect("keys");
        let draft = [KeyContext::Draft, KeyContext::List, KeyContext::Always];
        assert_eq!(keymap.key(&draft, Action::Skip).as_deref(), Some("s"));
        let stack = [KeyContext::Activity, KeyContext::List, KeyContext::Global, KeyContext::Always];
        for (key, action) in [
            ("R", Action::Run),
            ("p", Action::Pause),
            ("H", Action::UseUp),
            ("t", Action::Retry),
            ("c", Action::CancelRest),
            ("u", Action::Undo),
            ("e", Action::Export),
            ("o", Action::Redo),
            ("m", Action::Mail),
            ("K", Action::Language),
        ] {
            assert_eq!(keymap.key(&stack, action).as_deref(), Some(key));
        }
    }

    #[test]
    fn a_former_name_beside_the_one_of_today_is_named() {
        let wrong = keymap("[activity]\ncheck = 'X'\nlook = 'Z'\n").expect_err("two lines of one action");
        let [mistake] = &wrong[..] else { panic!("{wrong:?}") };
        assert!(mistake.line == Some(3) && mistake.what.contains("line 2"), "{mistake:?}");
        for (former, action) in FORMER {
            assert_ne!(former, action.name());
            assert!(Action::ALL.iter().all(|other| other.name() != former), "{former} is in use");
        }
    }

    #[test]
    fn a_key_that_is_taken_further_in_is_right_while_another_is_left() {
        let text = "[history]\nmark = 'r'\n[list]\nup = ['k', 'Z']\n[overview]\nperiod = 'k'\n[activity]\ncheck = ['r', 'f5']\n";
        let keymap = keymap(text).expect("keys");
        let stack = [KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always];
        assert_eq!(press(&keymap, "rk"), [Press::Action(Action::Mark), Press::Action(Action::Up)]);
        assert_eq!(keymap.key(&stack, Action::Reload).as_deref(), Some("f5"));
        let mut all = String::new();
        let mut place = None;
        for (context, action, keys) in DEFAULT {
            if place.replace(*context) != Some(*context) {
                all.push_str(&format!("[{}]\n", context.name()));
            }
            all.push_str(&format!("{} = {keys:?}\n", action.name()));
        }
        assert!(super::tests::keymap(&all).is_ok(), "what lapel comes with, written out");
    }

    #[test]
    fn two_that_change_places_are_no_conflict() {
        let keymap = keymap("[history]\nmark = 'v'\nrange = 'space'\n").expect("keys");
        assert_eq!(press(&keymap, "v "), [Press::Action(Action::Mark), Press::Action(Action::Range)]);
    }

    /// A default key is never one of tmux, screen, flow control or line editors, unless it means the same there.
    #[test]
    fn no_usual_key_is_one_that_others_take() {
        // tmux and screen; flow control; the codes of Tab, Enter, Backspace and Esc; keys of the terminal's line
        // editing.
        const TAKEN: &[char] = &['b', 'a', 's', 'q', 'i', 'm', 'j', 'h', '[', '\\', ']', '@', '_', '^', 'v'];
        for (context, action, chords) in Keymap::default().lines {
            for key in chords.iter().flatten() {
                let OneToThree::One(KeyCode::Char(c)) = key.codes else { continue };
                let plain_ctrl = key.modifiers == KeyModifiers::CONTROL;
                assert!(!plain_ctrl || !TAKEN.contains(&c), "{action:?} in {context:?}: {key}");
                let is_tab = matches!(c, '0'..='5');
                assert!(
                    is_tab || !key.modifiers.contains(KeyModifiers::ALT),
                    "alt is the menu's, but for the numbers of the tabs: {action:?} in {context:?}"
                );
                // Text fields use these keys as a line editor does.
                let edits = ['e', 'k', 'w', 'y', 't', 'n', 'r', 'g'];
                let is_the_same = c == 'r' && action == Action::Earlier;
                let is_taken = plain_ctrl && context.is_text() && edits.contains(&c);
                assert!(!is_taken || is_the_same, "{action:?}: {key}");
            }
        }
    }

    #[test]
    fn every_place_and_action_has_a_name_of_its_own() {
        let mut names = std::collections::HashSet::new();
        for (context, action, _) in DEFAULT {
            let name = format!("{}.{}", context.name(), action.name());
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'.'), "{name}");
            assert!(names.insert(name.clone()), "{name} stands there twice");
        }
    }

    #[test]
    fn no_bytes_of_the_keys_do_harm() {
        let seeds: [&[u8]; 2] = [
            b"preset = 'vim'\nquit = 'x'\n[history]\nmark = ['m', 'ctrl-alt-f12', 'g g']\n[wallet]\nopen = []\n",
            "[global]\nhelp = '?'\nquit = ['ctrl-c', 'ㅂ', 'Q']\n".as_bytes(),
        ];
        let words: [&[u8]; 6] = [b"ctrl-", b"shift-", b"' '", b"f99", b"--", b"space"];
        crate::fuzz::fuzz("keys", &seeds, &words, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let _ = Keymap::with(&KeymapFile::parse(std::path::Path::new("keys.toml"), &text));
        });
    }
}

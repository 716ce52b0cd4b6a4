//! Sentences that name keys name those that are bound.

use super::activity::people;
use super::*;
use crate::common::texts::{msg, msg_part};
use crossterm::event::{KeyCode, KeyEvent};
use std::collections::BTreeSet;

/// Keys that no text has for a word: two of them, one after the other, are an action's.
const STEPS: std::ops::RangeInclusive<u8> = 12..=24;

/// Which two keys an action has.
fn pair(action: Action) -> (u8, u8) {
    let at = Action::ALL.iter().position(|one| *one == action).expect("an action");
    let wide = STEPS.count();
    let step = |n: usize| STEPS.clone().nth(n).expect("a key");
    (step(at / wide), step(at % wide))
}

fn named(action: Action) -> String {
    let (first, second) = pair(action);
    format!("f{first} f{second}")
}

/// Every action of every place on keys of its own.
fn every_key_another() -> Keymap {
    let mut file = String::new();
    let mut place = None;
    for (context, action, _) in Keymap::default().lines() {
        if place.replace(context) != Some(context) {
            file.push_str(&format!("[{}]\n", context.name()));
        }
        file.push_str(&format!("{} = '{}'\n", action.name(), named(action)));
    }
    input_and_palette::keys(&file)
}

/// The usual keys that a sentence could name: letters, and what is no letter and no figure.
fn usual() -> BTreeSet<String> {
    // An article, units of time, words, the sign of a row, an empty checkbox, and what the arrows of a sort look like.
    const WORDS: &[&str] = &[
        "a", "A", "d", "h", "m", "s", "t", "end", "-", "+", "=", "_", "*", "#", ":", "?", "|", "[", "]", "↑",
        "↓", "←", "→",
    ];
    let lines = Keymap::default();
    let names = lines.lines().map(|(.., names)| names).collect::<Vec<_>>().join(" ");
    names
        .split([' ', ','])
        .filter(|name| !name.is_empty() && !WORDS.contains(name) && name.parse::<u8>().is_err())
        // It is typed where it changes a choice.
        .filter(|name| *name != "space")
        .map(str::to_owned)
        .collect()
}

/// A TUI on which no action has its usual key.
struct Other {
    h: Harness,
    usual: BTreeSet<String>,
}

impl Other {
    async fn new(options: Options) -> Self {
        let mut h = Harness::new(options, 100, 40).await;
        h.settled().await;
        h.tui.app.cx.keymap = every_key_another();
        Self { h, usual: usual() }
    }

    /// Does these by their keys, each when what was asked before is read.
    async fn does(&mut self, actions: &[Action]) {
        for action in actions {
            let (first, second) = pair(*action);
            for key in [first, second] {
                self.h.tui.app.update(Message::Key(KeyEvent::new(KeyCode::F(key), KeyModifiers::NONE)));
            }
            self.h.settled().await;
        }
    }

    /// No usual key is on the screen; this sentence is, `{}` in it standing for keys of these actions.
    fn says(&mut self, sentence: &str, actions: &[Action]) {
        let screen = self.h.screen();
        let words: Vec<&str> = screen.split_whitespace().collect();
        for word in &words {
            let word = word.trim_matches(|c| "().,;:“”".contains(c));
            assert!(!self.usual.contains(word), "“{word}” is no key here:\n{screen}");
        }
        let mut wanted = sentence.to_owned();
        for action in actions {
            wanted = wanted.replacen("{}", &named(*action), 1);
        }
        assert!(words.join(" ").contains(&wanted), "“{wanted}” is not on the screen:\n{screen}");
    }
}

#[tokio::test]
async fn lists_and_their_questions_name_the_keys_that_are_bound() {
    use Action::{Accept, Back, Down, Export, Filter, GoToRow, MarkAll, Range, SaveFilter, Sort};
    let folder = tempfile::tempdir().expect("a folder");
    let mut o = Other::new(small()).await;
    let filters = Some(folder.path().join("filters.toml"));
    o.h.tui.app.set_options(lapel::tui::AppOptions { filters, ..lapel::tui::AppOptions::default() });
    o.does(&[Action::History, Range]).await;
    o.says("press {} again. {} cancels.", &[Range, Back]);
    o.does(&[Back, GoToRow]).await;
    o.says("{} go {} back", &[Accept, Back]);
    o.does(&[Back, MarkAll]).await;
    o.says("{} cancels this.", &[Back]);
    o.says("{} mark {} back", &[Accept, Back]);
    o.does(&[Back, Sort, Down, Accept, SaveFilter]).await;
    o.h.type_text("mine");
    o.does(&[Accept, SaveFilter]).await;
    o.h.type_text("mine");
    o.does(&[Accept]).await;
    o.says("Type 1 and press {}", &[Accept]);
    o.does(&[Back, Back, Action::Remove]).await;
    o.says("and press {}", &[Accept]);
    o.does(&[Back, Back, Filter]).await;
    o.h.type_text("nobody is called so");
    o.does(&[Back]).await;
    o.says("{} clears it.", &[Back]);
    o.does(&[Back, Export]).await;
    o.says("{} save {} {} format", &[Accept, Action::Up, Down]);
    let file = folder.path().join("there.xlsx");
    std::fs::write(&file, "").expect("written");
    o.does(&[Action::ClearField]).await;
    o.h.type_text(file.to_str().expect("UTF-8"));
    o.does(&[Accept]).await;
    o.says("and press {}", &[Accept]);
    o.says("{}: back.", &[Back]);
    o.does(&[Back, Back, Action::RequestLog, Action::Save, Action::ClearField]).await;
    o.h.type_text(file.to_str().expect("UTF-8"));
    o.does(&[Accept]).await;
    o.says("and press {}", &[Accept]);
    o.says("{}: back.", &[Back]);
    o.does(&[Back, Back, Back, Action::Profiles]).await;
    o.says("ends the demo's jobs. {} open", &[Accept]);
}

#[tokio::test]
async fn screens_name_the_keys_that_are_bound() {
    use Action::{Accept, Back, FindCert, Home, Last, NextSection, Open};
    let mut o = Other::new(small()).await;
    o.does(&[Action::WalletTab]).await;
    o.says("or a badge id, then press {}", &[Accept]);
    o.h.type_text("CERT-2026-no-such-thing");
    o.h.settled().await;
    o.says("{} shows the issuer's record of the badge", &[Accept]);
    o.does(&[Accept]).await;
    o.says("{} opens Home, where {} turns the index on", &[Home, Action::IndexOn]);
    o.does(&[Action::BadgeTab]).await;
    o.does(&[Back, Back, Action::BadgeTab]).await;
    o.says("Type or paste a badge id and press {}", &[Accept]);
    o.does(&[Back, Action::Activity]).await;
    o.says("{} on a template issues badges; {} on a badge revokes it.", &[Action::Issue, Action::Revoke]);
    o.does(&[Home, Last, Open]).await;
    o.says("{} turns it on until lapel ends", &[Action::IndexOn]);
    o.does(&[Action::IndexOn]).await;
    o.does(&[FindCert]).await;
    o.h.type_text("CERT-2026-no-such-one");
    o.does(&[Accept]).await;
    o.says("or read with {} on a list", &[Action::Details]);
    o.does(&[Home, Last, Open]).await;
    while !o.h.screen().contains(msg_part("plans to issue them again")) {
        o.does(&[NextSection]).await;
    }
    o.says("{} lists them; {} there plans", &[Action::Open, Action::Renew]);
    o.does(&[Action::First, Action::Open, Action::Details]).await;
    o.says("Press {} again to read", &[Action::Details]);
    o.does(&[Action::Details]).await;
    o.says("{} finds them by certificate number.", &[FindCert]);
}

#[tokio::test]
async fn what_sends_names_the_keys_that_are_bound() {
    use Action::{Accept, Activity, Back, CancelRest, Issue, NextField, Revoke, Run};
    let mut o = Other::new(Options { quota: Some(1), ..small() }).await;
    o.does(&[Action::Templates, Issue]).await;
    o.says("Nothing is sent until you confirm the review. {} next {} back", &[Accept, Back]);
    o.does(&[NextField, NextField]).await;
    o.says("{} open the file", &[Accept]);
    o.h.paste("김민준, minjun@naru.example\n이서연, seoyeon@naru.example\n");
    o.h.shows(msg("columns")).await;
    o.says("{} check every row", &[Accept]);
    o.does(&[Accept]).await;
    o.h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    o.h.settled().await;
    o.says("Nothing is sent until you confirm. {} next {} back", &[Accept, Back]);
    o.does(&[Action::Correct]).await;
    o.says("nothing is sent. {} save in the draft {} back", &[Accept, Back]);
    o.does(&[Back]).await;
    o.does(&[Accept]).await;
    o.says("and press {}", &[Accept]);
    o.h.type_text("2");
    o.does(&[Accept]).await;
    o.h.shows("quota").await;
    o.does(&[Activity]).await;
    o.says("{}: resume later, or use up the quota", &[Run]);
    o.says("{}: save 2 rows.", &[Action::Export]);
    o.does(&[CancelRest]).await;
    o.says("and press {}", &[Accept]);
    o.does(&[Back, Action::Redo]).await;
    o.says("was started. {} save {} {} format", &[Accept, Action::Up, Action::Down]);
    o.does(&[Back, Action::Ids]).await;
    o.says("until you confirm the review. {} next", &[Accept]);
    o.does(&[Back, Action::History, Action::MarkLoaded, Revoke]).await;
    o.says("below: {} {}", &[Action::PageUp, Action::PageDown]);
    o.says("No badge here can be revoked now. Nothing is sent.", &[]);
    // The last line of the popup.
    o.says("{} back │ └", &[Back]);
    o.does(&[Action::Toggle]).await;
    o.says("Nothing is sent until you confirm. {} next {} back", &[Accept, Back]);
    o.h.type_text("twice");
    o.does(&[Accept]).await;
    o.says("and press {}", &[Accept]);
}

#[tokio::test]
async fn the_first_screen_names_the_keys_that_are_bound_whole() {
    let mut h = Harness::welcome(80, 24).await;
    h.tui.app.cx.keymap = every_key_another();
    let mut o = Other { h, usual: usual() };
    o.h.settled().await;
    o.says("{} explore the sandbox", &[Action::ChooseSandbox]);
    o.says("{} set up a service", &[Action::ChooseService]);
    o.does(&[Action::ChooseService]).await;
    o.says("{} (last field) check and save {} back", &[Action::Accept, Action::Back]);
}

#[tokio::test]
async fn an_action_without_a_key_is_named_itself() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    people(&mut h, 0..2).await;
    h.tui.app.cx.keymap = input_and_palette::keys("[draft]\naccept = []\nback = 'f4'\n");
    h.press("j");
    let screen = h.screen();
    assert!(screen.contains("(no key) next  f4 back"), "the draft has keys of its own:\n{screen}");
}

/// The help shows an action that lost its key, and still runs it.
#[tokio::test]
async fn the_help_shows_and_runs_what_has_no_key() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.tui.app.cx.keymap = input_and_palette::keys("[templates]\nopen-picture = 's'\n");
    h.settled().await;
    h.press("1");
    h.settled().await;
    h.press("? /");
    h.type_text(Action::Sort.help());
    let shown = h.screen();
    let entry = format!("{} ", h.tui.app.cx.glyphs.dash);
    assert!(shown.lines().any(|line| line.contains(&entry) && line.contains(Action::Sort.help())), "{shown}");
    h.press("enter enter");
    assert!(h.tui.app.key_contexts().contains(&lapel::tui::KeyContext::SortMenu), "{}", h.screen());
}

/// Help, footer and palette show the keys of a preset.
#[tokio::test]
async fn the_keys_of_a_preset_work_and_are_shown() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.tui.app.cx.keymap = input_and_palette::keys("preset = 'vim'\n");
    h.settled().await;
    h.press("1");
    h.settled().await;
    h.press("G g g");
    assert!(h.screen().contains("row 1 of"), "{}", h.screen());
    h.press("ctrl-p");
    h.type_text(Action::First.help());
    assert!(h.screen().contains("g g"), "{}", h.screen());
    h.press("esc ? /");
    h.type_text(Action::NextTab.help());
    assert!(h.screen().contains("g t"), "{}", h.screen());
    h.press("esc esc esc g t");
    assert!(h.settled().await.contains("600 badges"), "{}", h.screen());
}

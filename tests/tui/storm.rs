//! A window that is dragged to every size, on every screen and over every form.

mod apart;
mod places;

use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::tui::KeyContext;
use std::collections::BTreeSet;

/// Sizes at which a screen changes its shape: too small and just large enough, the usual one, and more than any
/// screen has. Every place has all of these, each after one that is very different.
const CORNERS: [(u16, u16); 5] = [(1, 1), (300, 100), (59, 15), (60, 16), (80, 24)];

/// Others: each place has two of them, and all of them meet.
const OTHERS: [(u16, u16); 9] =
    [(0, 0), (61, 100), (300, 1), (100, 16), (2, 60), (200, 17), (60, 40), (97, 33), (160, 50)];

/// What the storm has gone over.
#[derive(Default)]
struct Storm {
    stacks: Vec<Vec<KeyContext>>,
    kinds: BTreeSet<&'static str>,
    places: usize,
}

impl Storm {
    /// Does this, and then draws what is open at all kinds of sizes. Where there is room the header is at the
    /// top and the footer at the bottom; in the end everything is as it was, and says what this place alone says.
    async fn over(&mut self, h: &mut Harness, does: &str, says: &str) {
        act(h, does).await;
        self.here(h, &format!("{does} ({says})"), says);
    }

    /// The same of what is open already.
    fn here(&mut self, h: &mut Harness, place: &str, says: &str) {
        let before = h.screen();
        assert!(before.contains(says), "{place}:\n{before}");
        let stack = h.tui.app.key_contexts();
        let others = (0..2).map(|i| OTHERS[(2 * self.places + i) % OTHERS.len()]);
        let sizes: Vec<(u16, u16)> = others.chain(CORNERS).collect();
        for (columns, rows) in sizes {
            h.tui.surface.resize(columns, rows);
            h.tui.app.update(Message::Resize(columns, rows));
            h.tui.draw().expect("drawn");
            let buffer = h.tui.surface.buffer();
            if columns < 60 || rows < 16 {
                continue;
            }
            let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
            // In trouble a narrow header keeps the environment rather than lapel's name.
            let head = line(0);
            assert!(
                ["lapel", "DEMO", "LIVE"].iter().any(|word| head.contains(word)),
                "{place} at {columns}x{rows}: {head}"
            );
            let words = ["help", "quit", "back", "next", "open"];
            let last = line(rows - 1);
            assert!(words.iter().any(|w| last.contains(w)), "{place} at {columns}x{rows}: {last:?}");
        }
        // A pane beside a list, where there is room, is no longer over it.
        if h.tui.app.key_contexts() == stack {
            // What did not fit for a while may have been scrolled: around what is selected, it is there.
            let after = h.screen();
            let scrolled = after.contains(msg_part(" more above")) && after.contains(says);
            assert!(after == before || scrolled, "{place}: before\n{before}after\n{after}");
        } else {
            let folded =
                [KeyContext::Template, KeyContext::Picture].iter().any(|place| stack.contains(place));
            assert!(folded && stack.ends_with(&h.tui.app.key_contexts()[1..]), "{place}: {stack:?}");
        }
        let on_tour = stack.last() == Some(&KeyContext::Tour);
        let known = &stack[..stack.len() - usize::from(on_tour)];
        assert!(KeyContext::STACKS.contains(&known), "{place}: {stack:?}");
        if stack.first() == Some(&KeyContext::Review) {
            no_letter_confirms(h, place);
        }
        self.stacks.push(stack);
        self.kinds.extend(h.tui.app.modal());
        self.places += 1;
    }
}

/// Presses every letter, each with Enter after it, in a confirmation: nothing is confirmed. Clears the field.
fn no_letter_confirms(h: &mut Harness, place: &str) {
    let (stack, modal) = (h.tui.app.key_contexts(), h.tui.app.modal());
    let posts = |h: &Harness| h.sandbox.control().ledger().requests.values().sum::<u64>();
    let before = posts(h);
    for letter in ('a'..='z').chain('A'..='Z').chain(['ㅛ', '가', ' ', '.']) {
        h.press("ctrl-u");
        h.type_text(&letter.to_string());
        h.press("enter");
        let now = (h.tui.app.key_contexts(), h.tui.app.modal());
        assert_eq!(now, (stack.clone(), modal), "{place}: {letter} confirms");
    }
    h.press("ctrl-u enter");
    assert!(h.tui.app.modal() == modal && posts(h) == before, "{place}: Enter alone confirms");
}

/// Presses keys by their names. What begins with `type:` is typed, with `paste:` pasted; at `|` all that was asked
/// for comes in, as it does at the end.
async fn act(h: &mut Harness, does: &str) {
    for word in does.split_whitespace() {
        match (word.strip_prefix("type:"), word.strip_prefix("paste:")) {
            (Some(text), _) => h.type_text(text),
            (_, Some(text)) => h.paste(text),
            _ if word == "|" => {
                h.settled().await;
            }
            _ => h.press(word),
        }
    }
    h.settled().await;
}

/// The modals that the program has: the types that implement the trait.
fn modals() -> Vec<String> {
    fn sources(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                sources(&path, found);
                continue;
            }
            let source = std::fs::read_to_string(path).expect("a source can be read");
            let names = source.lines().filter_map(|line| line.strip_prefix("impl Modal for "));
            found.extend(names.map(|name| name.trim_end_matches([' ', '{', '}']).to_owned()));
        }
    }
    let mut found = Vec::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/modals"), &mut found);
    assert!(found.len() > 15, "{found:?}");
    found
}

/// Names what is in no storm: a place with keys of its own, and every popup.
#[tokio::test]
async fn every_place_and_every_form_holds_at_every_size() {
    let mut storm = Storm::default();
    Box::pin(storm.lists()).await;
    storm.kept().await;
    storm.jobs().await;
    storm.live().await;
    storm.tour().await;
    storm.overview().await;
    storm.profiles().await;
    if cfg!(feature = "images") {
        storm.pictures().await;
    }
    storm.waiting().await;
    storm.resolving().await;
    storm.without_a_profile().await;
    let is_in_this_build =
        |stack: &[KeyContext]| cfg!(feature = "images") || !stack.contains(&KeyContext::Picture);
    for stack in KeyContext::STACKS.iter().filter(|stack| is_in_this_build(stack)) {
        assert!(storm.stacks.iter().any(|seen| seen == stack), "no storm over {stack:?}");
    }
    assert!(storm.stacks.iter().any(|seen| seen.contains(&KeyContext::Tour)), "no storm on the tour");
    for modal in modals() {
        assert!(storm.kinds.contains(&modal.as_str()), "no storm over {modal}");
    }
}

#[tokio::test]
async fn a_paste_reaches_every_field_and_never_a_confirmation() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    let text = "붙인\n글";
    for (keys, place) in [
        ("/", "the filter"),
        ("esc esc i", "the name"),
        ("tab tab", "the file"),
        ("esc e", "the export"),
        ("esc :", "the palette"),
        ("esc 2", "no field"),
        ("x tab", "the reason"),
        ("esc F", "the file of ids"),
        ("esc 3", "the wallet"),
        ("esc 4 /", "the badge id"),
    ] {
        h.press(keys);
        h.settled().await;
        if place == "no field" {
            continue;
        }
        h.press("ctrl-u");
        h.paste(text);
        let screen = h.screen();
        let pasted = match place {
            // Where ids are wanted, lines are a list of them.
            "the file of ids" => "2 lines pasted",
            // A look-up is about one holder.
            "the wallet" => "2 pasted lines",
            _ => "붙인 글",
        };
        assert!(screen.contains(pasted), "{place}: {screen}");
        h.press("ctrl-u");
    }
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    // The number that would confirm.
    let mut h = Harness::new(small(), 100, 30).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert_eq!(h.tui.app.key_contexts().first(), Some(&KeyContext::Review), "{}", h.screen());
    h.paste("1");
    assert!(h.screen().contains(msg("A paste does not confirm. Type the text yourself.")), "{}", h.screen());
    h.press("enter");
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

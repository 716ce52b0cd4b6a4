//! A window that is dragged to every size, on every screen and over every form.

use super::*;
use lapel::tui::House;

/// Sizes from one cell to more than any screen has, each after one that is very different.
const SIZES: [(u16, u16); 14] = [
    (1, 1),
    (300, 100),
    (60, 16),
    (2, 60),
    (200, 17),
    (61, 100),
    (59, 15),
    (80, 24),
    (300, 1),
    (100, 16),
    (60, 40),
    (0, 0),
    (97, 33),
    (80, 24),
];

/// Draws at every size. Where there is room the header stands at the top and the footer at the bottom.
fn storm(h: &mut Harness, place: &str, sizes: &[(u16, u16)]) {
    for (columns, rows) in sizes {
        h.desk.terminal.backend_mut().resize(*columns, *rows);
        h.desk.app.update(Message::Resize(*columns, *rows));
        h.desk.draw().expect("drawn");
        let buffer = h.desk.terminal.backend().buffer();
        if *columns < 60 || *rows < 16 {
            continue;
        }
        let line = |y: u16| (0..*columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        assert!(line(0).contains("lapel"), "{place} at {columns}x{rows}: {}", line(0));
        let words = ["help", "quit", "back", "go on", "open"];
        let last = line(rows - 1);
        assert!(words.iter().any(|w| last.contains(w)), "{place} at {columns}x{rows}: {last:?}");
    }
}

#[tokio::test]
async fn every_screen_and_every_form_holds_at_every_size() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.desk.app.set_house(House {
        files: vec![(lapel::tui::Shelf::Crashes, "/a/place/".repeat(40).into())],
        ..House::default()
    });
    h.settled().await;
    let places = [
        "1",
        "/",
        "esc s",
        "esc #",
        "esc enter",
        "esc c",
        "esc i",
        "down down",
        "esc e",
        "esc y",
        "esc J",
        "esc 2",
        "e",
        "esc /",
        "esc s",
        "esc a x tab",
        "enter 9 y",
        "esc esc x",
        "esc esc esc u F",
        "esc w",
        "enter",
        "p",
        "esc x",
        "esc c",
        "esc 3",
        "esc 4",
        "esc 5",
        "F",
        "esc ?",
        "esc :",
        "esc P",
        "esc L",
        "esc O",
    ];
    for (n, keys) in places.into_iter().enumerate() {
        h.press(keys);
        h.settled().await;
        let stack = h.desk.app.stack();
        assert!(lapel::tui::Context::STACKS.contains(&stack.as_slice()), "{keys}: {stack:?}");
        // Each place gets some of the sizes: all of them meet.
        let sizes = SIZES.into_iter().enumerate().filter(|(i, _)| (i + n) % 4 == 0).map(|(_, s)| s);
        storm(&mut h, keys, &sizes.collect::<Vec<_>>());
        storm(&mut h, keys, &[(80, 24)]);
    }
}

#[tokio::test]
async fn what_is_reviewed_and_sent_holds_at_every_size_also_on_the_tour() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("T");
    storm(&mut h, "tour", &SIZES[6..]);
    h.press("i");
    h.settled().await;
    storm(&mut h, "issue", &SIZES[..6]);
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    storm(&mut h, "review", &SIZES);
    // What is confirmed is seen on the smallest screen, with the strip too.
    storm(&mut h, "review", &[(60, 16)]);
    let screen = h.screen();
    assert!(screen.contains("y to issue") && screen.contains("gildong@naru.example"), "{screen}");
    h.press("y");
    h.shows("1 waiting").await;
    h.settled().await;
    for keys in ["enter", "enter", "esc esc e", "esc u", "esc c", "esc m", "esc"] {
        h.press(keys);
        h.settled().await;
        storm(&mut h, keys, &SIZES[5..8]);
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
        // Where ids are wanted, lines are a list of them.
        let pasted = if place == "the file of ids" { "2 lines pasted" } else { "붙인 글" };
        assert!(screen.contains(pasted), "{place}: {screen}");
        h.press("ctrl-u");
    }
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

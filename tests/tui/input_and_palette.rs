//! Keys, mouse, pastes, themes, the palette, the help, and an app that does nothing.

use super::narrow::flat;
use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::{Color, Modifier};

#[tokio::test]
async fn pasted_text_never_acts_as_keys() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.tui.app.update(Message::Paste("q2ix?".into()));
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("40 templates")), "{screen}");
    assert!(h.tui.app.take_loop_command().is_none());
}

#[tokio::test]
async fn the_mouse_selects_scrolls_and_changes_tabs() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    let mouse =
        |kind, column, row| Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 26, 0));
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")), "{screen}");
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 10, 8));
    assert!(h.screen().contains(msg_part("row 5 of 600")), "{}", h.screen());
    h.tui.app.update(mouse(MouseEventKind::ScrollDown, 10, 8));
    assert!(h.screen().contains(msg_part("row 8 of 600")));
}

#[tokio::test]
async fn high_contrast_relies_on_no_colour_of_the_terminal() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.tui.app.set_theme(lapel::config::ThemeChoice::HighContrast);
    for keys in ["", "2", "?", "esc x"] {
        h.press(keys);
        h.settled().await;
        let buffer = h.buffer();
        // The second half of a wide sign is never written.
        let halves = std::iter::once(false)
            .chain(buffer.content.iter().map(|c| unicode_width::UnicodeWidthStr::width(c.symbol()) > 1));
        let relying = (buffer.content.iter().zip(halves))
            .find(|(c, half)| !half && (c.fg == Color::Reset || c.bg == Color::Reset));
        assert!(relying.is_none(), "{relying:?}\n{}", h.screen());
        assert!(buffer.content.iter().all(|c| !c.modifier.contains(Modifier::DIM)));
    }
}

#[tokio::test]
async fn the_terminals_background_changes_the_theme_once_and_only_where_it_is_left_to_it() {
    use lapel::config::{TerminalBackground, ThemeChoice};
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    let dim = |h: &mut Harness| h.buffer()[(1, 1)].fg;
    let says = |h: &mut Harness, ground| {
        h.tui.draw().expect("drawn");
        let before = h.tui.app.counts.draws;
        h.tui.app.update(Message::Background(ground));
        let drawn = h.tui.draw().expect("drawn");
        assert_eq!(h.tui.app.counts.draws - before, u64::from(drawn));
        drawn
    };
    h.tui.app.set_theme(ThemeChoice::Auto);
    assert_eq!(dim(&mut h), Color::Indexed(246), "dark, as long as nobody says anything");
    assert!(!says(&mut h, TerminalBackground::Dark));
    assert!(says(&mut h, TerminalBackground::Light));
    assert_eq!(dim(&mut h), Color::Indexed(241));
    assert!(!says(&mut h, TerminalBackground::Light), "nothing is drawn for what is so already");
    for theme in [ThemeChoice::Dark, ThemeChoice::HighContrast, ThemeChoice::Terminal, ThemeChoice::None] {
        h.tui.app.set_theme(theme);
        let before = dim(&mut h);
        assert!(
            !says(&mut h, TerminalBackground::Light) && !says(&mut h, TerminalBackground::Dark),
            "{theme:?}"
        );
        assert_eq!(dim(&mut h), before);
    }
}

#[tokio::test]
async fn the_screen_shows_the_selected_theme_and_esc_goes_back_to_the_chosen_one() {
    use lapel::config::ThemeChoice;
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    let dim = |h: &mut Harness| h.buffer()[(1, 1)].fg;
    h.tui.app.set_theme(ThemeChoice::Dark);
    h.press(": t h e m e enter");
    assert_eq!(dim(&mut h), Color::Indexed(246), "{}", h.screen());
    h.press("j");
    assert_eq!(dim(&mut h), Color::Indexed(241), "{}", h.screen());
    h.press("esc");
    assert_eq!(dim(&mut h), Color::Indexed(246), "{}", h.screen());
    h.press(": t h e m e enter l");
    assert_eq!(dim(&mut h), Color::Indexed(241), "{}", h.screen());
    assert!(h.tui.app.modal().is_none() && h.screen().contains("theme = \"light\""), "{}", h.screen());
}

pub fn keys(text: &str) -> lapel::tui::Keymap {
    let file = lapel::config::KeymapFile::parse(std::path::Path::new("keys.toml"), text);
    lapel::tui::Keymap::with(&file).0.named(&lapel::tui::Glyphs::UNICODE)
}

#[tokio::test]
async fn keys_of_ones_own_work_and_stand_in_the_hints() {
    let mut h = Harness::new(small(), 100, 60).await;
    h.settled().await;
    h.tui.app.cx.keymap = keys("[global]\nhistory = 'g h'\ntemplates = 'g t'\n[list]\nfirst = 'g g'\n");
    h.press("g");
    let popup = h.screen();
    assert!(popup.contains(Action::History.help()) && popup.contains(Action::First.help()), "{popup}");
    h.press("h");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && !screen.contains(Action::First.help()), "{screen}");
    h.press("j j");
    assert!(h.settled().await.contains(msg_part("row 3 of 600")));
    h.press("g x");
    assert!(
        h.screen().contains(msg_part("row 3 of 600")) && !h.screen().contains(msg("Revoke")),
        "what ends it does nothing"
    );
    h.press("g esc");
    assert!(h.settled().await.contains(msg_part("600 badges")), "esc forgets what was begun, and no more");
    h.press("g g");
    assert!(h.settled().await.contains(msg_part("row 1 of 600")));
    // The old key is no key any more, and the help says so.
    h.press("1");
    assert!(h.settled().await.contains(msg_part("600 badges")));
    h.press("?");
    assert!(h.screen().contains("g t "), "{}", h.screen());
    // What was begun on one screen does not end on another.
    h.press("esc g");
    h.tui.app.update(Message::Paste("t".into()));
    h.press("t");
    assert!(h.settled().await.contains(msg_part("600 badges")));
}

/// At 80 columns the explanation is cut, and not the sign.
#[tokio::test]
async fn the_palette_says_of_each_action_that_it_is_not_possible_and_where_it_is() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press(":");
    h.type_text("pause or resume");
    let screen = h.screen();
    let not_now = format!("— {}", msg("not now"));
    let entries: Vec<&str> =
        screen.lines().filter(|line| line.contains(msg_part("pause or resume this job"))).collect();
    assert!(!entries.is_empty() && entries.iter().all(|line| line.contains(&not_now)), "{screen}");
    h.press("esc 5");
    h.settled().await;
    h.press(":");
    h.type_text(Action::Revoke.short());
    // It revokes, so the user selects it.
    h.press("down");
    let why = msg_with("only in {place}", &[&"History, Wallet, Badge"]);
    let screen = flat(&h.screen().replace('│', " "));
    assert!(screen.contains(&msg_with("not now: {why}", &[&why])), "{screen}");
}

#[tokio::test]
async fn the_palette_names_no_key_that_only_one_of_the_named_places_has() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("1");
    h.settled().await;
    let mut entry_of = |action: Action| {
        h.press(":");
        h.type_text(action.short());
        let screen = h.screen();
        let is_entry = |line: &&str| line.contains(action.hint()) && line.contains("— ");
        let entry = screen.lines().find(is_entry).unwrap_or_else(|| panic!("{screen}"));
        let entry = entry.trim_start_matches(|c| " │▌".contains(c)).to_owned();
        h.press("esc");
        (entry, screen)
    };
    // Home has another key for it than Wallet.
    let (entry, screen) = entry_of(Action::LookUp);
    assert!(entry.starts_with(Action::LookUp.hint()), "{screen}");
    let place = msg_with("only in {place}", &[&"Wallet, Home"]);
    assert!(flat(&screen.replace('│', " ")).contains(&place), "{screen}");
    let (entry, screen) = entry_of(Action::Revoke);
    assert!(entry.starts_with("x "), "{screen}");
}

#[tokio::test]
async fn the_palette_does_what_is_typed_or_says_why_not() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press(":");
    let screen = h.screen();
    assert!(
        screen.contains(Action::Filter.short()) && screen.contains(msg_part("issue this badge")),
        "{screen}"
    );
    // What sends is never selected by typing alone.
    h.type_text("forget");
    h.press("enter");
    assert!(h.screen().contains(msg_part("Select it with ↓ first")), "{}", h.screen());
    // What only has the typed letters somewhere comes after what a name may mean.
    h.press("ctrl-u");
    h.type_text("hstry");
    let screen = h.screen();
    let selected = screen.lines().find(|line| line.contains("│  ▌"));
    let named = msg_with("look up holders named {name}", &[&"hstry"]);
    assert!(selected.is_some_and(|line| line.contains(&named)), "{screen}");
    h.press("ctrl-u");
    h.type_text("sort");
    h.press("enter");
    let screen = h.settled().await;
    assert!(!screen.contains("  Do  ") && screen.contains(msg("Category")), "{screen}");
    h.press("esc");
    // What belongs to another screen is there, with its place, and does nothing from here.
    h.press("ctrl-p");
    h.type_text("invert");
    assert!(h.screen().contains(&msg_with("only in {place}", &[&"History"])), "{}", h.screen());
    h.press("enter");
    assert!(
        h.screen().contains(&format!(
            "{} {}",
            msg_part("Not now:"),
            msg_with("only in {place}", &[&"History"])
        )),
        "{}",
        h.screen()
    );
    h.press("ctrl-u");
    h.type_text("zzz");
    assert!(h.screen().contains(&msg_with("open badge {id}", &[&"zzz"])), "{}", h.screen());
    h.press("ctrl-u");
    h.paste("데이터 시각화");
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("1 template")) && screen.contains("데이터 시각화 역량 인증"),
        "{screen}"
    );
    h.press("ctrl-p");
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("한서윤"), "{screen}");
    // A name is looked up as the Wallet's box does, a template by its id.
    h.press("ctrl-p");
    h.type_text("한서윤");
    h.press("enter");
    h.until("whoever is called so", |s| s.contains("한서윤") && s.contains("seoyun.han@naru.example")).await;
    h.press("ctrl-p");
    h.type_text("TPL-004");
    assert!(
        h.screen().contains(&msg_with("template: {title}", &[&"데이터 시각화 역량 인증"])),
        "{}",
        h.screen()
    );
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(&format!("{} · {}", msg_part("1 template"), msg_part("template id “TPL-004”"))),
        "{screen}"
    );
    // From a form, what was typed is not left behind by the way.
    h.press("1 i ctrl-p");
    h.type_text("a@b.example");
    let screen = h.screen();
    assert!(screen.contains(&msg_with("look up what {email} holds", &[&"a@b.example"])), "{screen}");
    assert!(screen.contains(&format!("{} {}", msg_part("not now:"), msg("close this first"))), "{screen}");
    h.press("enter");
    assert!(
        h.screen().contains(&format!("{} {}", msg_part("Not now:"), msg("close this first"))),
        "{}",
        h.screen()
    );
    h.press("esc");
    assert!(h.settled().await.contains(msg("one recipient")));
}

/// The review of autumn.csv, which has one row. The file is there as long as its folder.
async fn with_a_file_in_review() -> (Harness, tempfile::TempDir) {
    let mut h = Harness::new(small(), 100, 30).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("autumn.csv");
    std::fs::write(&file, "name,email\n가나,one@naru.example\n").expect("written");
    super::files::drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
    h.settled().await;
    (h, folder)
}

#[tokio::test]
async fn the_palette_opens_a_job_by_its_number_or_file_and_a_kept_draft() {
    let (mut h, _folder) = with_a_file_in_review().await;
    h.confirm_draft("1").await;
    h.shows(msg("Problem")).await;
    super::activity::people(&mut h, 1..3).await;
    h.press("esc esc");
    h.settled().await;
    for typed in ["#1", "job 1", "autumn.csv"] {
        h.press("1 ctrl-p");
        h.type_text(typed);
        let screen = h.screen();
        let first = screen.lines().find(|line| line.contains("│  ▌")).unwrap_or_default();
        assert!(first.contains("job 1: ") && first.contains("autumn.csv"), "{typed}: {screen}");
        h.press("enter");
        let screen = h.settled().await;
        assert!(screen.contains(msg("Problem")) && screen.contains("#1"), "{typed}: {screen}");
    }
    // The file comes after its job, and opens for the same template.
    h.press("ctrl-p");
    h.type_text("autumn.csv");
    assert!(h.screen().contains("file: autumn.csv"), "{}", h.screen());
    h.press("down enter");
    h.shows(msg_part("check every row")).await;
    h.press("esc");
    h.settled().await;
    // The number of a job is nothing that the service has.
    h.press("ctrl-p");
    h.type_text("#9");
    h.press("enter");
    assert!(h.screen().contains(msg("No match. Nothing was done.")), "{}", h.screen());
    h.press("ctrl-u");
    h.type_text("draft pasted");
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
}

/// No other tab was shown since.
#[tokio::test]
async fn the_palette_finds_a_draft_that_was_just_kept_and_none_that_was_discarded() {
    let (mut h, _folder) = with_a_file_in_review().await;
    let in_palette = |h: &mut Harness| {
        h.press("ctrl-p");
        h.type_text("autumn.csv");
        h.screen()
    };
    h.press("esc esc");
    assert!(!h.settled().await.contains(msg(super::drafts::KEPT)), "Home would read it: {}", h.screen());
    let screen = in_palette(&mut h);
    let first = screen.lines().find(|line| line.contains("│  ▌")).unwrap_or_default();
    assert!(first.contains("draft: ") && first.contains("autumn.csv"), "{screen}");
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
    h.settled().await;
    h.press("delete");
    h.confirm("1");
    let screen = h.settled().await;
    h.gone(lapel::jobs::JobId(1)).await;
    assert!(!screen.contains(msg(super::drafts::KEPT)), "{screen}");
    let screen = in_palette(&mut h);
    assert!(!screen.contains("draft: "), "{screen}");
}

#[tokio::test]
async fn the_palette_offers_nothing_that_acts_where_one_only_looks() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("2 :");
    h.type_text("revoke marked");
    assert!(h.screen().contains(Action::Revoke.short()), "{}", h.screen());
    if let Some(session) = &mut h.tui.app.cx.connection.session {
        session.connection.read_only = true;
    }
    h.press("esc :");
    h.type_text("revoke marked");
    assert!(!h.screen().contains(Action::Revoke.short()), "{}", h.screen());
}

#[tokio::test]
async fn hangul_input_reaches_the_keys_and_is_typed_in_fields() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("ㅓ ㅓ");
    assert!(h.settled().await.contains(msg_part("row 3 of 600")));
    h.press("하");
    assert!(h.screen().contains(msg_part("Hangul input is on")), "{}", h.screen());
    h.press("/");
    h.type_text("ㅓ하");
    assert!(h.settled().await.contains("ㅓ하"), "{}", h.screen());
}

#[tokio::test]
async fn where_hangul_input_hides_whether_shift_was_pressed_that_is_said() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    let hint = "Hangul input is on";
    // Going through a list says nothing, though J is a key there.
    h.press("ㅓ");
    assert!(!h.screen().contains(hint), "{}", h.screen());
    // The copy menu, or the summary: the small letter counts.
    h.press("enter");
    h.settled().await;
    h.press("ㅛ");
    let screen = h.screen();
    assert!(screen.contains(msg_part("cannot tell Y from y and takes it as y")), "{screen}");
    assert_eq!(h.tui.app.key_contexts()[0], lapel::tui::KeyContext::Menu, "{screen}");
    // Only the capital is a key.
    h.press("esc 5 ㅡ");
    assert!(h.screen().contains(msg_part("cannot tell M from m, so nothing was done")), "{}", h.screen());
    // Shift makes another letter of this one, or the terminal says that it was pressed.
    h.press("1");
    h.settled().await;
    h.press("ㅆ");
    assert!(!h.screen().contains(hint), "{}", h.screen());
    h.tui.app.update(Message::Key(KeyEvent::new(KeyCode::Char('ㅣ'), KeyModifiers::SHIFT)));
    let screen = h.screen();
    assert!(!screen.contains(hint) && screen.contains(msg("requests")), "{screen}");
}

#[tokio::test]
async fn the_palette_cuts_no_explanation_at_80_columns() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.reads_the_whole_palette();
}

#[tokio::test]
async fn the_palette_closes_with_its_own_key() {
    let mut h = Harness::new(small(), 80, 24).await;
    let before = h.settled().await;
    for _ in 0..3 {
        h.press("ctrl-p");
        assert!(h.screen().contains("  Do  "), "{}", h.screen());
        h.press("ctrl-p");
        assert_eq!(h.screen(), before);
    }
    // Also where one writes something.
    h.press("e ctrl-p");
    assert!(h.screen().contains("  Do  "), "{}", h.screen());
}

#[tokio::test]
async fn hangul_input_picks_what_is_copied_and_tells_the_capitals_of_the_columns_apart() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("y ㅑ");
    let id = super::copy_log_refresh::copied(&mut h);
    assert!(id.starts_with("B-"), "{id}");
    h.press("C j ㅓ");
    assert!(h.screen().contains(msg_part("cannot tell J from j")), "{}", h.screen());
}

#[tokio::test]
async fn hangul_input_confirms_nothing_and_never_types_into_a_number() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    let before = requests(&h, "POST /badges");
    h.press("i");
    h.type_text("한서윤");
    h.press("tab");
    h.type_text("hangul@naru.example");
    h.press("enter");
    h.settled().await;
    h.press("하 ㅛ enter");
    assert!(h.screen().contains(&asks("1")), "{}", h.screen());
    assert_eq!(requests(&h, "POST /badges"), before, "neither a syllable nor a letter confirms");
    h.confirm("1");
    h.shows("waiting 1").await;
    assert_eq!(requests(&h, "POST /badges"), before + 1, "{}", h.screen());
}

#[tokio::test]
async fn the_help_shows_every_action_of_its_screen() {
    let mut h = Harness::new(small(), 120, 66).await;
    h.settled().await;
    for tab in ["1", "2", "4", "5"] {
        h.press(tab);
        h.settled().await;
        h.press("esc");
        let stack = h.tui.app.key_contexts();
        if !stack.contains(&lapel::tui::KeyContext::Global) {
            continue;
        }
        h.press("?");
        let screen = h.settled().await;
        for (keys, action) in Keymap::default().help(&stack) {
            assert!(
                screen.contains(action.help()),
                "{action:?} ({keys}) is missing from the help:\n{screen}"
            );
        }
        h.press("esc");
    }
    assert!(Action::ALL.len() > 30);
}

#[tokio::test]
async fn nothing_is_drawn_when_nothing_changed() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.screen();
    let before = h.tui.app.counts;
    // A link that is the same, a pointer that passes.
    h.tui.app.update(Message::Link);
    let event = MouseEvent {
        kind: MouseEventKind::Up(MouseButton::Right),
        column: 4,
        row: 9,
        modifiers: KeyModifiers::NONE,
    };
    h.tui.app.update(Message::Mouse(event));
    assert!(!h.tui.draw().expect("drawn"), "nothing has changed");
    assert_eq!(h.tui.app.counts.draws, before.draws);
}

#[tokio::test]
async fn an_idle_app_is_woken_only_when_the_minute_of_its_requests_ends() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.screen();
    let tick = h.tui.app.next_tick().expect("the header's count of the last minute will fall");
    let away = tick.saturating_duration_since(tokio::time::Instant::now());
    assert!(away > std::time::Duration::from_secs(20), "{away:?}");
}

#[tokio::test]
async fn the_help_ends_with_the_places_of_lapels_files() {
    let mut h = Harness::new(small(), 80, 24).await;
    let files = vec![
        ("log, if LAPEL_LOG is set", "/home/kim/lapel.log".into()),
        ("crash reports", format!("/home/{}/crash.txt", "long/".repeat(30)).into()),
    ];
    h.tui.app.set_app_paths(lapel::tui::AppPaths { files, ..lapel::tui::AppPaths::default() });
    h.settled().await;
    h.press("?");
    assert!(!h.screen().contains("lapel.log"), "the keys come first");
    for _ in 0..10 {
        h.press("pagedown");
    }
    let screen = h.screen();
    assert!(
        screen.contains(msg("log, if LAPEL_LOG is set")) && screen.contains("/home/kim/lapel.log"),
        "{screen}"
    );
    assert!(screen.contains(msg("crash reports")) && screen.contains("/crash.txt"), "{screen}");
}

#[tokio::test]
async fn what_comes_from_an_editor_is_one_line_and_a_failure_changes_nothing() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("ctrl-x");
    assert!(h.tui.app.take_loop_command().is_none(), "there is nothing to write");
    h.press("esc");
    // It waits, and lapel revokes it when it is Issued.
    h.press("x tab");
    h.settled().await;
    h.type_text("중복");
    h.press("ctrl-x");
    assert!(h.tui.app.take_loop_command().is_some());
    assert_eq!(h.tui.app.text_for_editor().as_deref(), Some("중복"));
    h.tui.app.take_edited(Err("The editor ended. The text is as it was.".to_owned()));
    let screen = h.screen();
    assert!(screen.contains("as it was") && screen.contains("중복"), "{screen}");
    h.tui.app.take_edited(Ok("두 번\n발급\u{1b}[2J됨\n".to_owned()));
    let screen = h.screen();
    assert!(
        screen.contains("두 번 발급[2J됨") && screen.contains(msg_part("its lines were joined")),
        "{screen}"
    );
    h.tui.app.take_edited(Ok("x".repeat(2_300)));
    assert!(h.screen().contains(msg_part("the last 300 were cut off")), "{}", h.screen());
    // In the review there is nothing to write any more.
    h.press("enter ctrl-x");
    assert!(h.tui.app.take_loop_command().is_none());
}

#[tokio::test]
async fn a_message_goes_at_the_next_key_but_an_error_that_came_by_itself_stays_for_one() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    let said = msg("There is no earlier filter yet.");
    // A letter in a field is a key too.
    h.press("/ ctrl-r");
    assert!(h.screen().contains(said), "{}", h.screen());
    h.type_text("h");
    assert!(!h.screen().contains(said), "{}", h.screen());
    h.press("ctrl-u ctrl-r");
    assert!(h.screen().contains(said), "{}", h.screen());
    h.press("esc");
    assert!(!h.screen().contains(said), "{}", h.screen());
    // The key may have been pressed before the error came.
    let error = msg_part("A part of lapel failed; the rest still works.");
    h.settled().await;
    h.tui.app.update(Message::Crashed("a place".into()));
    assert!(h.screen().contains(error), "{}", h.screen());
    h.press("j");
    assert!(h.screen().contains(error), "{}", h.screen());
    h.press("j");
    assert!(!h.screen().contains(error), "{}", h.screen());
}

/// Wherever the popup is drawn: over a list, a form or the review of a draft.
#[tokio::test]
async fn a_message_of_two_rows_covers_no_edge_of_a_popup() {
    let mut h = Harness::new(small(), 80, 24).await;
    crate::activity::people(&mut h, 0..3).await;
    h.settled().await;
    h.press("enter");
    for key in ["3", "enter"] {
        h.tui.app.update(Message::KeyAtOnce(key_event(key)));
    }
    let screen = h.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let edge = lines.iter().position(|line| line.starts_with('└')).unwrap_or_else(|| panic!("{screen}"));
    let said = lines.iter().position(|line| line.starts_with(" ▲ "));
    assert_eq!(said, Some(edge + 1), "{screen}");
    assert_eq!(lines.len() - edge - 1, 3, "the message in two rows, and the footer: {screen}");
    assert!(screen.contains(msg_part("Nothing has been sent.")), "{screen}");
}

#[tokio::test]
async fn the_selected_row_is_visible_as_soon_as_a_long_message_is() {
    let mut h = Harness::new(small(), 60, 20).await;
    h.press("2");
    h.settled().await;
    h.press("G");
    h.settled().await;
    h.tui.app.update(Message::Crashed("lapel/crashes/2026-11-26.txt".into()));
    let screen = h.screen();
    let from = screen.lines().position(|line| line.starts_with(" ▲ "));
    let from = from.unwrap_or_else(|| panic!("no message: {screen}"));
    assert!(screen.lines().count() - from > 2, "the message has more than one row: {screen}");
    assert!(screen.lines().any(|line| line.starts_with('▌')), "{screen}");
}

//! The README's pictures, made from a real run. `assets/make-pictures` writes them; without its variable
//! this only tries that they can be made.

use super::graphics::{KITTY, PLACEHOLDER, PLAIN, sent_to_kitty};
use super::kit::{LAPEL, Shown, Term, by_hand, lapel, program};
use super::svg::{DARK, LIGHT, Paper, movie, picture};
use crate::texts::{asks, msg, msg_part, msg_with};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use lapel::sandbox::{Options, Sandbox};
use std::path::Path;

/// A cell of 13 by 29 pixels: half as large again as in the SVG, and of the same shape.
const CELL: &str = "\x1b[6;29;13t";

/// Asks for writing the pictures.
const WRITE: &str = "UPDATE_PICTURES";

/// A demo in a terminal that shows pictures as kitty does.
fn demo(theme: &str, columns: u16) -> Term {
    lapel(&["demo", "--seed", "7", "--speed", "0", "--theme", theme])
        .ahead(format!("{KITTY}{CELL}{PLAIN}"))
        .size(columns, 30)
        .start()
}

fn write(name: &str, term: &Term, shown: &Shown, paper: &Paper, label: &str) {
    keep(
        name,
        &picture(&shown.screen, paper, label, is_drawn(shown).then(|| last_picture(term)).as_deref()),
        150_000,
    );
}

fn keep(name: &str, svg: &str, most: usize) {
    assert!(svg.len() < most, "{name} is too large for a README: {} bytes", svg.len());
    if std::env::var_os(WRITE).is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        std::fs::write(path, svg).expect("written");
    }
}

/// Whether a badge's picture is there.
fn is_drawn(shown: &Shown) -> bool {
    shown.text.contains(PLACEHOLDER)
}

/// The picture that the terminal was sent last, as a PNG in base64.
fn last_picture(term: &Term) -> String {
    let sent = sent_to_kitty(&term.raw()).pop().expect("a picture");
    let (width, height) = (sent.pixels.0 as u32, sent.pixels.1 as u32);
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive)
        .write_image(&sent.rgba, width, height, ExtendedColorType::Rgba8)
        .expect("packed");
    STANDARD.encode(png)
}

/// Goes to a row of the history by its number, such as `1,400`.
fn go_to(term: &mut Term, row: &str) {
    term.send(format!("#{row}\r"));
    term.until("the row", |s| s.has(&format!("row {row} of")) && !s.is_loading());
}

#[test]
fn the_history_of_a_name_with_marks() {
    let mut term = demo("dark", 100);
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    term.send("/name:이유");
    term.send("\r");
    term.until("the filtered list", |s| s.has(" badges · holder “이유”") && !s.is_loading());
    let (mut row, mut marked) = (1, 0);
    while marked < 3 {
        let shown = term.until("the row", |s| s.has(&format!("row {row} of")) && !s.is_loading());
        row += 1;
        if shown.selected().contains(msg("Issued")) {
            marked += 1;
            // It also goes to the next row.
            term.send(" ");
            term.shows(&msg_with("{marked} marked", &[&marked]));
        } else {
            term.send("j");
        }
    }
    let states = [msg("Issued"), msg("Expired"), msg("Revoked"), "/24h", "3 marked"];
    let shown = term.until("all of it", |s| states.iter().all(|state| s.has(state)) && !s.is_loading());
    let label = "The History tab: the badges of the holders with a name. Some wait, others are issued, revoked or expired, and three are marked";
    write("history-dark.svg", &term, &shown, &DARK, label);
}

#[test]
fn the_templates() {
    let mut term = demo("dark", 120);
    term.shows(msg_part("row 1 of 40"));
    for row in 2..=4 {
        term.send("j");
        term.shows(&format!("row {row} of"));
    }
    let shown = term.until("the detail", |s| s.has("COMPETENCY") && is_drawn(s) && !s.is_loading());
    write("templates-dark.svg", &term, &shown, &DARK, "The Templates tab: the list of badge templates");
}

#[test]
fn a_badge() {
    let mut term = demo("light", 100);
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    term.send("/title:\"데이터 시각화 역량\"");
    term.send("\r");
    term.until("the filtered list", |s| s.has(" badges · title “데이터 시각화 역량”") && !s.is_loading());
    go_to(&mut term, "3");
    term.until("one that is issued", |s| s.selected().contains(msg("Issued")));
    term.send("\r");
    let shown = term.until("the badge", |s| s.has(msg("Badge id")) && is_drawn(s) && !s.is_loading());
    write(
        "badge-light.svg",
        &term,
        &shown,
        &LIGHT,
        "The Badge tab: one badge, its verdict first, then its story",
    );
}

#[test]
fn a_call() {
    let mut term = demo("dark", 100);
    term.shows(msg_part("row 1 of"));
    term.send("3");
    term.shows(msg_part("Type or paste"));
    term.send("haneul.lim@example.net");
    term.shows(msg_part("looks up this e-mail address"));
    term.send("\r");
    term.until("both badges", |s| {
        s.has(&msg_with("{badges} in the wallet", &[&"2 badges"])) && !s.is_loading()
    });
    term.send("j");
    let shown = term.until("the reason, and the copy that counts", |s| {
        s.has("중복 발급") && s.has(msg_part("Another copy of the same")) && !s.is_loading()
    });
    write(
        "call-dark.svg",
        &term,
        &shown,
        &DARK,
        "The Wallet tab: what a holder has, the verdict over the selected badge, and what to tell the caller",
    );
}

/// A demo on Templates, with a spreadsheet beside it.
fn with_spreadsheet(args: &[&str]) -> Term {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/attendees-cp949.csv");
    let setup = lapel(&[&["demo", "--speed", "0", "--theme", "dark"], args].concat()).size(100, 30);
    setup.write("attendees.csv", std::fs::read(file).expect("the demo's file"));
    let mut term = setup.start();
    term.shows(msg_part("row 1 of 40"));
    for row in 2..=4 {
        term.send("j");
        term.shows(&format!("row {row} of"));
    }
    term
}

/// Opens the review of the spreadsheet for the selected template.
fn review(term: &mut Term) -> Shown {
    term.send("i");
    term.shows(msg("one recipient"));
    term.send("\t\t");
    term.until("the file's field", |s| s.has("(\u{2022}) a file"));
    term.send("attendees.csv");
    term.send("\r");
    term.shows(msg_part("check every row"));
    term.send("\r");
    term.until("the review", |s| {
        s.has(msg_part("Nothing is sent until you confirm. "))
            && s.has(msg("twice in the file"))
            && !s.is_loading()
    })
}

#[test]
fn the_review_of_a_spreadsheet() {
    let mut term = with_spreadsheet(&[]);
    let shown = review(&mut term);
    write("review-dark.svg", &term, &shown, &DARK, "The review of a spreadsheet before anything is sent");
}

/// Issues the spreadsheet, follows its job, keeps another review for later and opens Home.
#[test]
fn a_job_and_home() {
    let mut term = with_spreadsheet(&["--seed", "7"]);
    review(&mut term);
    term.send("\x1b[F\r");
    term.shows(&asks("113"));
    term.confirm("113");
    let shown = term.until("the job", |s| {
        s.has("1 job ·") && s.has("waiting 113") && s.has(msg_part("next check")) && !s.is_loading()
    });
    let label = "The Activity tab: a job, what is checked next, and the rows that need a person";
    write("activity-dark.svg", &term, &shown, &DARK, label);
    term.send("1");
    term.shows("row 4 of 40");
    term.send("j");
    term.shows("row 5 of 40");
    review(&mut term);
    term.send("\x1b");
    term.shows(msg("one recipient"));
    term.send("\x1b");
    term.shows("row 5 of 40");
    term.send("0");
    let shown = term.until("Home", |s| {
        s.has(msg("Kept drafts"))
            && s.has(msg("Running"))
            && s.has(msg_part("expire within"))
            && !s.has(msg("so far"))
            && !s.is_loading()
    });
    let label =
        "Home: what needs a person, a kept draft, a running job, what comes soon, and the badges issued";
    write("home-dark.svg", &term, &shown, &DARK, label);
}

/// lapel in a shell, without a screen.
#[test]
fn verbs_in_a_shell() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let options = Options { seed: 7, ..Options::default() };
    let sandbox = runtime.block_on(Sandbox::start(options.showing_waiting())).expect("the sandbox starts");
    let folder = Path::new(LAPEL).parent().expect("the folder of the program").display().to_string();
    let path = std::env::var("PATH").map_or(folder.clone(), |path| format!("{folder}:{path}"));
    let setup = program("/bin/sh", &["-i"]).size(100, 30).env("PATH", &path).env("PS1", "$ ");
    let setup = setup.env("LAPEL_BASE_URL", sandbox.base_url()).env("LAPEL_API_KEY", sandbox.api_key());
    let mut term = setup.start();
    term.until("a prompt", |s| s.text.starts_with('$'));
    let mut shown = term.shown();
    for (at, command) in [
        "lapel issue --template TPL-004 --to '홍길동 <gildong@naru.example>' --yes",
        "lapel history --title '데이터 시각화 역량 인증' --rows 5",
        "lapel jobs",
    ]
    .iter()
    .enumerate()
    {
        term.send(format!("{command}\n"));
        shown = term.until("the next prompt", |s| {
            s.text.lines().filter(|line| line.starts_with("$ ") || *line == "$").count() == at + 2
                && s.text.trim_end().ends_with('$')
        });
    }
    let label = "lapel in a shell: a badge is issued, the history is listed, and the job is shown";
    write("verbs-dark.svg", &term, &shown, &DARK, label);
}

#[test]
fn the_counts_behind_home() {
    let setup = lapel(&["demo", "--seed", "7", "--speed", "0", "--theme", "dark"]).size(100, 30);
    let mut term = setup.start();
    term.shows(msg_part("row 1 of 40"));
    term.send("0");
    term.until("the counts on Home", |s| s.has(msg_part("expire within")) && !s.is_loading());
    term.send("\x1b[F\r");
    term.until("weeks", |s| s.has(msg_part("Issued per week")) && !s.is_loading());
    let shown =
        term.until("all of it", |s| s.has("index: in memory") && s.has("4,300 badges") && !s.is_loading());
    write(
        "overview-dark.svg",
        &term,
        &shown,
        &DARK,
        "Home: badges issued in each week, as bars with their numbers",
    );
}

/// Issues a badge to one person, sees it issued, and finds it in the holder's wallet.
#[test]
fn the_first_badge() {
    // A day of the service, which is the longest that issuing takes, passes in some four seconds.
    let args = ["demo", "--seed", "7", "--speed", "20000", "--theme", "dark", "--tab", "templates"];
    let mut term = lapel(&args).size(100, 30).start();
    let mut screens = Vec::new();
    let mut take = |shown: Shown, seconds: f64| screens.push((shown.screen, seconds));
    term.shows(msg_part("row 1 of 40"));
    term.send("jjj");
    take(term.until("a template", |s| s.has("row 4 of 40") && !s.is_loading()), 1.6);
    term.send("i");
    take(term.shows(msg("one recipient")), 1.2);
    term.send("홍길동");
    take(term.shows("홍길동"), 0.8);
    term.send("\tgildong@naru.example");
    take(term.shows("gildong@naru.example"), 1.0);
    term.send("\r");
    term.shows(msg_part("No badge of this template"));
    take(term.shows(&asks("1")), 1.8);
    term.send(by_hand("1"));
    take(term.shows("▌1"), 0.8);
    term.send(by_hand("\r"));
    term.shows("1 job ·");
    take(term.until("the badge issued", |s| s.has("● issued") && s.has("issued 1 = 1")), 2.4);
    term.send("\x1b");
    term.until("the list behind", |s| !s.has("· created"));
    term.send("3");
    term.shows(msg_part("Type or paste"));
    term.send("gildong@naru.example");
    take(term.shows("gildong@naru.example"), 1.0);
    term.send("\r");
    take(term.until("the answer", |s| s.has(msg("Say")) && s.has("홍길동") && !s.is_loading()), 4.0);
    let label = "A badge is issued to one person, becomes Issued, and is found in the holder's wallet";
    keep("first-badge.svg", &movie(&screens, &DARK, label), 400_000);
}

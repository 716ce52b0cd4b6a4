//! Every kind of misbehaviour of a service, on every screen that asks it anything: a message says what failed, keys are
//! answered meanwhile, nothing is sent twice, and quitting waits for nobody.

use super::*;
use crate::common::server::Move::{self, Close, Forward, Hang, Reset, Send, Trickle};
use crate::common::server::{JSON, Seen, Server, answer, enveloped};
use crate::common::texts::msg_part;
use lapel::index::IndexConfig;
use lapel::tui::{IndexUse, ProfileSession};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Kind {
    name: &'static str,
    moves: Vec<Move>,
    /// The request never ends by itself.
    hangs: bool,
    is_large: bool,
    /// One of these is on the screen, and was not before.
    says: &'static [&'static str],
    /// Part of the body. The JSON view may show it instead, as it was sent.
    sends: Option<&'static str>,
}

const WAITS: &str = "429";
const HOLDS_BACK: &str = "429 with a wait";

const NO_ANSWER: &[&str] = &["No usable response", "in doubt"];
const FOREIGN: &[&str] = &["not from the badge service", "could not be read", "in doubt", "totals differ"];
/// A badge without a state is shown as one.
const ODD: &[&str] = &[
    "could not be read",
    "UNKNOWN",
    "accepted",
    "did not report",
    "how many it accepted",
    "totals differ",
    "unknown state",
    // A ping says whether the key is valid.
    "not from the badge service",
];
const TOO_LONG: &[&str] = &["could not be read", "No usable response", "in doubt", "totals differ"];
const FAILED: &[&str] = &["Service error", "in doubt"];

fn kinds() -> Vec<Kind> {
    let kind = |name, moves, says| Kind { name, moves, says, hangs: false, is_large: false, sends: None };
    let hangs = |name, moves| Kind { hangs: true, ..kind(name, moves, NO_ANSWER) };
    let head = |rest: &str| Send(format!("HTTP/1.1 200 OK\r\n{rest}").into_bytes());
    let json = |body: &[u8]| Send(answer("200 OK", &[JSON], body));
    let page = "<html><body>Bad Gateway</body></html>";
    let mut huge = br#"{"code":"0001","message":"","data":{}}"#.to_vec();
    huge.resize(17 << 20, b' ');
    let body = br#"{"code":"0001","message":"","data":{}}"#;
    vec![
        kind("reset", vec![Reset], NO_ANSWER),
        kind("closed", vec![Close], NO_ANSWER),
        kind("garbage", vec![Send((0..=255).cycle().take(4096).collect())], NO_ANSWER),
        kind("endless headers", vec![head(&"X-More: aaaaaaaaaaaaaaaa\r\n".repeat(40_000))], NO_ANSWER),
        kind("truncated body", vec![head("Content-Length: 90\r\n\r\n{\"code\":\"0001\""), Close], NO_ANSWER),
        kind("truncated JSON", vec![json(br#"{"code":"0001","data":{"st"#)], FOREIGN),
        Kind {
            sends: Some("\"items\": 5"),
            ..kind(
                "wrong types",
                vec![json(br#"{"code":1,"message":[],"data":{"items":5,"total_count":"x"}}"#)],
                ODD,
            )
        },
        Kind { is_large: true, ..kind("a huge body", vec![json(&huge)], TOO_LONG) },
        kind("302", vec![Send(answer("302 Found", &["Location: /elsewhere"], page))], FOREIGN),
        kind("a web page", vec![Send(answer("200 OK", &["Content-Type: text/html"], page))], FOREIGN),
        kind(
            "401",
            vec![Send(enveloped("401 Unauthorized", "4001", "m", "null"))],
            &["key refused", "refused the API key"],
        ),
        kind("403", vec![Send(enveloped("403 Forbidden", "4003", "m", "null"))], &["IP address"]),
        kind(
            "404",
            vec![Send(enveloped("404 Not Found", "4040", "m", "null"))],
            &[
                "no such record",
                "No badge",
                "not found",
                "refused",
                "does not know this badge",
                "it has no ping",
            ],
        ),
        kind("500 with a page", vec![Send(answer("500 Internal Server Error", &[], page))], FAILED),
        kind(WAITS, vec![Send(answer("429 Too Many Requests", &[], page))], &["wait"]),
        kind(
            HOLDS_BACK,
            vec![Send(answer("429 Too Many Requests", &["Retry-After: 3000"], page))],
            &["wait 50 min"],
        ),
        hangs("hangs in the headers", vec![head("Content-"), Hang]),
        hangs("hangs in the body", vec![head("Content-Length: 90\r\n\r\n{"), Hang]),
        hangs("drips", vec![Trickle(answer("200 OK", &[JSON], body), Duration::from_millis(30))]),
    ]
}

/// Send what is confirmed.
const SENDS: &str = "type:1 enter";
const SENDS_LIST: &str = "type:2 enter";

/// No condition takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(60);

/// Its connection has limits of its own, which no test shortens: kinds that wait are not tried there.
const NEW_PROFILE: &str = "a new profile";

/// A place, the keys that lead there while the service behaves, and those that ask it while it does not.
const PLACES: &[(&str, &str, &str)] = &[
    ("Templates", "1", "r"),
    ("a template", "1 | enter", "r"),
    ("categories", "1", "b"),
    ("History", "2", "r"),
    ("a filter", "2", "/ type:title:파이썬 enter"),
    ("a sort", "2", "s j enter"),
    ("a badge of the list", "2 | enter", "r"),
    ("Wallet", "3", "type:kim@naru.example enter"),
    ("Badge", "4", "type:B-000000001-AA enter"),
    ("marking all", "2", "* a enter"),
    ("an export", "2 | e ctrl-u", "paste:EXPORT enter"),
    ("a duplicate check", "1 | i | type:홍길동 enter type:gildong@naru.example", "enter"),
    ("an issue request", "1 | i | type:홍길동 enter type:gildong@naru.example enter", SENDS),
    ("the request of a list", "1 | i | paste:PEOPLE | enter | G enter", SENDS_LIST),
    ("a revocation", "2 | j j j x type:why enter", SENDS),
    ("the index", "0 G", "enter"),
    ("Activity", "1 | i | type:홍길동 enter type:gildong@naru.example enter | type:1 enter | 5", "r"),
    ("Home", "0", "r"),
    ("the JSON of a badge", "2 | J", "r"),
    ("an address in the palette", "1", ": type:kim@naru.example enter"),
    ("a name in the palette", "1", ": type:홍길동 enter"),
    ("badge ids to revoke", "2 | F paste:IDS enter type:why enter", "enter"),
    // The second Enter answers the question about the zone.
    (NEW_PROFILE, "P | enter ctrl-u paste:SERVICE tab type:no_such_key_0123456789 enter", "enter"),
    (
        "a row in doubt",
        "1 | i | type:김가람 enter type:garam@naru.example enter | drop type:1 enter | 5",
        "r",
    ),
    // From here on, the clock goes ahead: the badges of all places are issued.
    (
        "the undo of a job",
        "1 | i | type:남도윤 enter type:doyun@naru.example enter | type:1 enter | 5 | later | r | x type:why enter \
         | G enter",
        SENDS,
    ),
    (
        "a row that was never seen",
        "hide 1 | i | type:서다온 enter type:daon@naru.example enter | drop type:1 enter | 5 | later later enter \
         | r | d | enter type:why enter",
        SENDS,
    ),
];

/// Presses keys, types and pastes texts, and changes what the sandbox does. `base_url` is the gateway.
fn press(h: &mut Harness, keys: &str, base_url: &str) {
    for word in keys.split_whitespace() {
        match (word.strip_prefix("type:"), word.strip_prefix("paste:")) {
            (Some(text), _) => h.type_text(text),
            (_, Some("EXPORT")) => h.paste(&std::env::temp_dir().join("lapel-all.csv").display().to_string()),
            (_, Some("PEOPLE")) => h.paste("홍길동, gildong@naru.example\n이영희, younghee@naru.example\n"),
            (_, Some("IDS")) => h.paste("badge_id\nB-000000001-AA\nB-000000002-AA\n"),
            (_, Some("SERVICE")) => h.paste(base_url),
            (_, Some(text)) => h.paste(text),
            _ if word == "later" => h.sandbox.control().advance(Duration::from_secs(25 * 3600)),
            _ if word == "hide" => {
                h.sandbox.control().set("waiting-history", "hidden").expect("a switch");
            }
            _ if word == "drop" => {
                h.sandbox.control().add_fault("post /badges drop times=1").expect("a rule");
            }
            _ => h.press(word),
        }
    }
}

/// The screen as one line of words, however it is broken.
fn flowing(screen: &str) -> String {
    let words = screen.split_whitespace().filter(|word| !["│", "┃", "▌"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the screen has this text. A wait has a number after it: badges wait, too.
fn says(words: &str, said: &str) -> bool {
    let is_whole = |rest: &str| said != "wait" || rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    words.match_indices(msg_part(said)).any(|(at, _)| is_whole(&words[at + said.len()..]))
}

/// A gateway to the service of the harness, which misbehaves on request.
async fn gateway(h: &Harness, kind: &Kind) -> (Server, Arc<AtomicBool>) {
    let port = h.sandbox.base_url().rsplit(':').next().and_then(|rest| rest.split('/').next());
    let port: u16 = port.expect("a port").parse().expect("a port");
    let misbehaves = Arc::new(AtomicBool::new(false));
    let (moves, now) = (kind.moves.clone(), misbehaves.clone());
    let gateway = Server::start(
        move |_, _| {
            if now.load(Ordering::SeqCst) { moves.clone() } else { vec![Forward(port)] }
        },
    );
    (gateway.await, misbehaves)
}

/// An app at a place, whose service misbehaves from now on and was just asked.
struct Asked {
    h: Harness,
    gateway: Server,
    /// What was on the screen, and how many requests there were, while the service behaved.
    shown: String,
    requests: usize,
}

async fn at(h: Harness, kind: &Kind, (before, keys): (&str, &str), waits: Duration) -> Asked {
    let (gateway, misbehaves) = gateway(&h, kind).await;
    let change = |mut session: ProfileSession| {
        session.connection.base_url = gateway.base_url();
        let times = &mut session.connection.timeouts;
        (times.read, times.total, times.total_post) = (waits, waits, waits);
        (times.pause, times.refused) = (Duration::from_millis(1), Duration::from_millis(1));
        let settings = IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(IndexUse { folder: None, settings, reads_at_start: false });
        session
    };
    let mut h = h.reopened(change, 120, 36).await;
    h.settled().await;
    for part in before.split('|') {
        press(&mut h, part, &gateway.base_url());
        h.settled().await;
    }
    let (shown, requests) = (flowing(&h.screen()), gateway.seen().len());
    misbehaves.store(true, Ordering::SeqCst);
    press(&mut h, keys, &gateway.base_url());
    Asked { h, gateway, shown, requests }
}

/// Opens the help and closes it: keys are answered during every request.
fn answers_keys(h: &mut Harness, name: &str) {
    let has_help = |h: &mut Harness| h.screen().contains(msg_part("Keys of this screen"));
    h.press("f1");
    assert!(has_help(h), "{name}:\n{}", h.screen());
    h.press("esc");
    if has_help(h) {
        // The first one has stopped a slow read.
        h.press("esc");
    }
    assert!(!has_help(h), "{name}:\n{}", h.screen());
}

/// Leaves with a key, well within a second: the clock is stopped, so neither an answer nor a time limit of lapel's own
/// ends the wait. What is left is work of this computer, and a busy one fails no test.
async fn quits(h: &mut Harness, name: &str) {
    for _ in 0..2 {
        h.press("ctrl-c");
        if h.tui.app.take_loop_command().is_none() {
            continue;
        }
        tokio::time::pause();
        // As in the program, the last cancellations go to the worker first.
        tokio::select! {
            biased;
            message = h.tui.next() => h.tui.app.update(message),
            () = std::future::ready(()) => {}
        }
        let mut say = |_: &str| {};
        let closed = lapel::tui::close(&h.tui.app, &mut say);
        // A paused clock moves by itself only where nothing is ready, and this always is.
        let begin = Instant::now();
        let is_ready = async {
            while begin.elapsed() < BOUND {
                tokio::task::yield_now().await;
            }
        };
        let has_ended = tokio::select! {
            () = closed => true,
            () = is_ready => false,
        };
        tokio::time::resume();
        assert!(has_ended, "{name}: does not end without waiting");
        return;
    }
    panic!("{name}: does not quit\n{}", h.screen());
}

/// Does this with these kinds at every place, some kinds at the same time, and says all that went wrong.
fn everywhere(
    is_meant: impl Fn(&Kind) -> bool,
    test: impl AsyncFn(Harness, &Kind, (&str, &str), &str) -> Result<Harness, (Harness, String)> + Sync,
) {
    let kinds: Vec<Kind> = kinds().into_iter().filter(is_meant).collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::SeqCst)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                // Its key is nobody else's, as that of `held`: another test may get the port of a gateway.
                let seed = if kind.name == HOLDS_BACK { 3601 } else { frozen().seed };
                let mut h = Harness::new(Options { seed, history: Some(120), ..frozen() }, 120, 36).await;
                let waits = kind.hangs || [WAITS, HOLDS_BACK].contains(&kind.name);
                let is_tried = |place: &str| match place {
                    // Megabytes take long in a build for tests.
                    _ if kind.is_large => ["History", "Badge"].contains(&place),
                    NEW_PROFILE => !waits,
                    _ => true,
                };
                for (place, before, keys) in PLACES.iter().filter(|(place, ..)| is_tried(place)) {
                    let name = format!("{} at {place}", kind.name);
                    h = match test(h, kind, (before, keys), &name).await {
                        Ok(h) => h,
                        Err((h, why)) => {
                            failed.lock().expect("a list").push(format!("{name}: {why}"));
                            h
                        }
                    };
                }
            });
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().expect("a list");
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn what_went_wrong_is_said_and_keys_are_answered() {
    let test = async |h, kind: &Kind, keys: (&str, &str), name: &str| {
        let waits = Duration::from_millis(if kind.hangs { 300 } else { 10_000 });
        let Asked { mut h, gateway, shown: before, requests } = at(h, kind, keys, waits).await;
        let accepted = h.sandbox.control().ledger().accepted_total();
        answers_keys(&mut h, name);
        let said = async {
            loop {
                let words = flowing(&h.screen());
                let is_said = kind.says.iter().any(|said| says(&words, said) && !says(&before, said));
                if is_said || kind.sends.is_some_and(|part| words.contains(part) && !before.contains(part)) {
                    return;
                }
                let message = h.tui.next().await;
                h.tui.app.update(message);
            }
        };
        if tokio::time::timeout(BOUND, said).await.is_err() {
            let screen = h.screen();
            return Err((h, format!("says nothing of it\n{screen}")));
        }
        answers_keys(&mut h, name);
        let seen = gateway.seen();
        let is_sent = |request: &&Seen| request.method == "POST" && request.target.contains("/badges");
        let sent = seen.iter().skip(requests).filter(is_sent);
        assert!(sent.count() <= 1, "{name}: sent twice");
        assert_eq!(h.sandbox.control().ledger().accepted_total(), accepted, "{name}");
        Ok(h)
    };
    everywhere(|_| true, test);
}

/// No time-out is near: what hangs would hang for an hour. A POST is waited for, since its answer matters; another
/// ctrl-c ends that, see `program/pty/ends`.
#[test]
fn quitting_waits_for_no_answer() {
    let test = async |h, kind: &Kind, keys: (&str, &str), name: &str| {
        if [SENDS, SENDS_LIST].contains(&keys.1) {
            return Ok(h);
        }
        let Asked { mut h, gateway: _gateway, .. } = at(h, kind, keys, Duration::from_secs(3600)).await;
        answers_keys(&mut h, name);
        quits(&mut h, name).await;
        Ok(h)
    };
    everywhere(|kind| kind.hangs, test);
}

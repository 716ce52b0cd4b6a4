//! The twelve calls that support staff get, as one table for every language and size: what the caller gives, the keys
//! after it, and what the screen then says.

use super::{Harness, frozen};
use lapel::sandbox::{Options, RowSpec, Rows};

/// Most keys of a call, besides the paste, and most requests.
const KEYS: usize = 3;
const REQUESTS: u64 = 5;

struct Call {
    asks: &'static str,
    gives: &'static str,
    /// The keys after the paste.
    keys: &'static str,
    /// Words of the answer, in English and in Korean.
    says: (&'static [&'static str], &'static [&'static str]),
}

/// `ID` is replaced by the id of a badge that an employer asks about.
const CALLS: [Call; 12] = [
    Call {
        asks: "I did not get my badge mail",
        gives: "문채원 <chaewon.moon@strictgate.example>",
        keys: "enter",
        says: (&["“FAIL”", "letter by letter", "others at strictgate.example"], &["“FAIL”", "한 글자씩"]),
    },
    Call {
        asks: "It is not in my wallet",
        gives: "seoyun.han@naru.example",
        keys: "enter",
        says: (
            &["not in the wallet", "Issuing takes 5 minutes to 24 hours"],
            &["지갑에 없음", "5분에서 24시간"],
        ),
    },
    Call {
        asks: "It says expired",
        gives: "lea@example.org",
        keys: "enter",
        says: (&["EXPIRED 12 d", "A renewal is a new badge"], &["2026-11-09", "갱신"]),
    },
    Call {
        asks: "Wrong name on it",
        gives: "dain.seo@naru.example",
        keys: "enter",
        says: (&["name on badge: 서다안", "Pass on this id"], &["서다안", "올바른 표기"]),
    },
    Call {
        asks: "Wrong mail",
        gives: "eunwoo@gmial.example",
        keys: "enter",
        says: (&["Did they mean gmail.example?", "Pass on this id"], &["gmail.example", "올바른 표기"]),
    },
    Call {
        asks: "My employer says it is revoked",
        gives: "haneul.lim@example.net",
        keys: "enter j",
        says: (&["중복 발급", "Another copy", "Give them that id"], &["중복 발급", "따로 발급한 같은 배지"]),
    },
    Call {
        asks: "Is this badge real?",
        gives: "ID",
        keys: "enter",
        says: (
            &["name on badge: 나***", "Confirm neither name nor address"],
            &["나***", "확인해 주지 마십시오"],
        ),
    },
    Call {
        asks: "I got it twice",
        gives: "twice@naru.example",
        keys: "enter",
        says: (&["2 valid copies", "this is the newest"], &["2개"]),
    },
    Call {
        asks: "It disappeared",
        gives: "taeo.yoon@bluewhale.example",
        keys: "enter",
        says: (&["does not show it: a revocation is recorded"], &["회수가 기록되어 있습니다"]),
    },
    Call {
        asks: "When will it arrive?",
        gives: "jiho.oh@naru.example",
        keys: "enter",
        says: (&["OVERDUE 31 h", "provider's help desk"], &["헬프데스크"]),
    },
    Call {
        asks: "Someone else's badge is in my wallet",
        gives: "safety@moondeck.example",
        keys: "enter",
        says: (&["14 names share this e-mail address"], &["14개"]),
    },
    Call {
        asks: "Link or picture does not open",
        gives: "no.picture@example.org",
        keys: "enter O",
        says: (&["not found (HTTP 404)", "opens (image/png)"], &["HTTP 404", "image/png"]),
    },
];

/// A TUI with the people who call, and the id that the employer has.
async fn callers(columns: u16, rows: u16) -> (Harness, String) {
    let options = Options { switches: vec![("wallet-revoked".into(), "hidden".into())], ..frozen() };
    // As people have it: the picture of a badge costs requests, too.
    let mut h = Harness::with_pictures(options, columns, rows, |session| session).await;
    let row = |name: &str, email: &str, minutes_ago| RowSpec {
        recipient_name: name.into(),
        recipient_email: email.into(),
        minutes_ago,
        ..RowSpec::default()
    };
    let insert = vec![
        row("나만봄", "someone@example.org", 30),
        row("두번 받은이", "twice@naru.example", 90),
        row("두번 받은이", "twice@naru.example", 60),
        RowSpec { template_id: "TPL-029".into(), ..row("나그림", "no.picture@example.org", 30) },
    ];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    (h, ids[0].clone())
}

/// All requests, and those for a template and for the picture itself.
fn requests(h: &Harness) -> [u64; 3] {
    let requests = h.sandbox.control().ledger().requests;
    let of = |what| requests.get(what).copied().unwrap_or(0);
    [requests.values().sum(), of("GET /badge-templates/{template_id}"), of("GET (outside the API)")]
}

/// The words of the list and then those of the pane beside it, however they are broken into lines.
fn flowing(screen: &str) -> String {
    let parts = |line: &str| line.split_once('┃').map(|(list, pane)| (list.to_owned(), pane.to_owned()));
    let (list, pane): (Vec<String>, Vec<String>) =
        screen.lines().map(|line| parts(line).unwrap_or((line.to_owned(), String::new()))).unzip();
    let words = |text: Vec<String>| text.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{} {}", words(list), words(pane))
}

/// Whether the answer is on the screen to its end: it does not ask to scroll or to open something.
fn is_whole(screen: &str) -> bool {
    !screen.contains("} {")
}

/// What a call costs: keys with the paste, and requests.
#[derive(Debug, PartialEq, Eq)]
pub struct CallCost {
    pub asks: &'static str,
    pub keys: usize,
    pub requests: u64,
}

/// Each call is answered in one glance, with few keys and few requests.
pub async fn twelve(columns: u16, rows: u16, korean: bool) -> Vec<CallCost> {
    let (mut h, id) = Box::pin(callers(columns, rows)).await;
    let mut costs = Vec::new();
    for Call { asks, gives, keys, says } in CALLS {
        let before = requests(&h);
        h.press("3");
        h.paste(if gives == "ID" { &id } else { gives });
        for key in keys.split(' ') {
            h.press(key);
            h.settled().await;
        }
        let screen = h.screen();
        let flowing = flowing(&screen);
        for words in if korean { says.1 } else { says.0 } {
            assert!(flowing.contains(words), "{asks}: {words:?} is missing:\n{screen}");
        }
        assert!(is_whole(&screen), "{asks}: not on one screen:\n{screen}");
        let not_possible = if korean { "할 수 없음" } else { "Not possible" };
        assert!(flowing.contains(not_possible), "{asks}:\n{screen}");
        let pressed = std::iter::once("3").chain(keys.split(' ')).count();
        assert!(pressed <= KEYS, "{asks}: {keys}");
        let after = requests(&h);
        let [all, of_template, of_picture] = [0, 1, 2].map(|at| after[at] - before[at]);
        assert!(of_template <= 1 && of_picture <= 1, "{asks}: {of_template} and {of_picture}");
        // The template of the picture comes on top.
        let cost = all - of_template;
        assert!(cost <= REQUESTS, "{asks}: {cost} requests");
        costs.push(CallCost { asks, keys: pressed + 1, requests: cost });
    }
    costs
}

/// Every question about every kind of badge has a whole answer.
pub async fn questions(columns: u16, rows: u16, korean: bool) {
    let (mut h, _) = Box::pin(callers(columns, rows)).await;
    let (say, not_possible) = if korean { ("안내", "할 수 없음") } else { ("Say", "Not possible") };
    for email in [
        "chaewon.moon@strictgate.example",
        "seoyun.han@naru.example",
        "jiho.oh@naru.example",
        "lea@example.org",
        "taeo.yoon@bluewhale.example",
        "safety@moondeck.example",
        "twice@naru.example",
    ] {
        h.press("3");
        h.paste(email);
        h.press("enter");
        h.settled().await;
        for question in ["m", "w", "a", "n", "e", "x", "r", "d", "o", "i", "p"] {
            h.press("t");
            h.press(question);
            let screen = h.settled().await;
            let flowing = flowing(&screen);
            assert!(flowing.contains(say) && flowing.contains(not_possible), "{email} {question}:\n{screen}");
            assert!(is_whole(&screen), "{email} {question}: not on one screen:\n{screen}");
        }
    }
}

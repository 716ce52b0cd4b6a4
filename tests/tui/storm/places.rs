//! The places of every day that a storm goes over, and the way to each.

use super::super::files::demo;
use super::*;
use crate::common::texts::{asks, msg, msg_part};
use lapel::sandbox::RowState;
use lapel::tui::{AppOptions, AppPaths};

/// Rows in the sandbox's history.
fn insert(h: &Harness, rows: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

fn story(state: RowState) -> RowSpec {
    RowSpec {
        recipient_name: "한서윤".into(),
        recipient_email: "story@naru.example".into(),
        state,
        ..RowSpec::default()
    }
}

impl Storm {
    pub(super) async fn each(&mut self, h: &mut Harness, places: &[(&str, &str)]) {
        for (does, says) in places {
            self.over(h, does, says).await;
        }
    }

    /// The tabs, and what opens over them.
    pub(super) async fn lists(&mut self) {
        let mut h = Harness::new(small(), 80, 24).await;
        h.tui.app.set_app_paths(AppPaths {
            files: vec![("crash reports", "/a/place/".repeat(40).into())],
            ..AppPaths::default()
        });
        h.settled().await;
        let ids =
            insert(&h, vec![story(RowState::Waiting), story(RowState::Issued), story(RowState::Expired)]);
        let places = [
            ("1", "40 templates"),
            ("/", "title:"),
            ("type:type:", "COMPLETE"),
            ("ctrl-u ctrl-f", "Registered from"),
            ("esc s", "Sort by"),
            ("esc C j", "Columns, from left (top) to"),
            ("esc #", "Go to row"),
            ("esc enter", "Criteria"),
            ("esc b", "categories"),
            ("esc i", "one recipient"),
            ("down down", "a file"),
            ("esc e", "It takes 1 request"),
            ("esc y", "Copy"),
            ("esc J", "\"data\""),
            ("esc 2", "row 1 of 603"),
            ("/ ctrl-f tab type:story@naru.example", "E-mail"),
            ("esc s", "Sort by"),
            ("esc C G", "Columns, from left (top) to"),
            ("esc v j", "range from row 1"),
            ("esc esc", "3 badges"),
            ("a x tab", "Reason"),
            ("type:9 enter", "cannot be undone"),
            ("esc esc u enter", "Cert. no."),
            ("y", "Copy"),
            ("esc J", "\"data\""),
            ("esc w", "story@naru.example"),
            ("t", "The caller's question"),
            ("esc s", "Sort by"),
            ("esc C j space", "Columns, from left (top) to"),
            ("esc", "Remarks"),
            ("s j j enter", "by "),
            ("y", "Copy"),
            ("esc e", "No requests needed"),
            ("esc / type:qq", "No row here contains"),
            ("esc w ctrl-u", "Type or paste an e-mail address"),
            ("esc ?", "look up another e-mail"),
            ("esc :", "revoke"),
            ("esc : type:ticket enter", msg("Save screen as text")),
            ("esc P", "add a profile"),
            ("esc L", "GET"),
            ("e", msg_part("Tab-separated text without the key")),
            ("esc esc 0 G enter", "need an index"),
            ("esc 4 / ctrl-u", "Badge id"),
            ("type:bdg_live_0011223344556677 enter", "API key"),
            ("esc ctrl-u", "Badge id"),
        ];
        self.each(&mut h, &places).await;
        self.over(&mut h, &format!("paste:{} enter | c", ids[1]), "Correct and replace").await;
    }

    /// What is written and read while one works on, and what is kept.
    pub(super) async fn kept(&mut self) {
        let folder = tempfile::tempdir().expect("a folder");
        let filters = folder.path().join("filters.toml");
        std::fs::write(&filters, "[history.mine]\ntitle = '파이썬'\n[history.ours]\ntitle = '데이터'\n")
            .expect("written");
        let mut h = Harness::new(small(), 80, 24).await;
        h.tui.app.set_options(AppOptions { filters: Some(filters), ..AppOptions::default() });
        h.settled().await;
        let places = [
            ("2 | f", "ours"),
            ("f2", "mine"),
            ("esc X", "Remove the filter"),
            ("esc esc / ctrl-f tab tab type:파이 f2", "Filter name"),
            ("type:mine enter", "Replace the filter"),
            ("esc esc esc ctrl-x esc | : type:forget | down enter", "cannot be undone"),
            ("esc | * a", "Mark all 600 badges"),
        ];
        self.each(&mut h, &places).await;
        h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
        h.press("enter");
        self.here(&mut h, "marking all", "marking all");
        h.press("esc");
        h.press("e ctrl-u");
        h.type_text(folder.path().join("all.csv").to_str().expect("UTF-8"));
        h.press("enter");
        self.here(&mut h, "writing", "0 of 600 rows");
        h.press("esc esc");
        h.sandbox.control().clear_faults();
        h.settled().await;
        for who in ["seoyun.han@naru.example", "임하늘"] {
            act(&mut h, &format!("3 paste:{who} enter")).await;
        }
        self.over(&mut h, "w ctrl-u up", "임하늘").await;
    }

    /// Files, the draft that is made of one, jobs and their rows.
    pub(super) async fn jobs(&mut self) {
        let mut h = Harness::with(small(), 80, 24, |mut session| {
            session.jobs.batch = 50;
            session.jobs.in_flight = 1;
            session
        })
        .await;
        h.settled().await;
        let ids = insert(&h, vec![story(RowState::Waiting), story(RowState::Issued)]);
        self.over(&mut h, "5", "no jobs").await;
        act(&mut h, &format!("1 | j j j i | paste:{} enter", demo("one-line-cp949.csv"))).await;
        h.shows(msg_part("Which text is correct?")).await;
        self.here(&mut h, "the encoding", "Which text is correct?");
        act(&mut h, &format!("esc esc | paste:{} enter", demo("attendees-cp949.csv"))).await;
        h.shows(msg_part("check every row")).await;
        self.here(&mut h, "a file", "check every row");
        self.over(&mut h, "m", "Which column").await;
        h.press("esc enter");
        h.shows(msg("twice in the file")).await;
        self.over(&mut h, "", "twice in the file").await;
        self.over(&mut h, "c", "Correct row").await;
        h.sandbox.control().set_quota(Some(70));
        h.press("esc");
        let draft = h.settled().await;
        let words: Vec<&str> = draft.split_whitespace().collect();
        let ready = words.windows(2).find(|w| w[1] == "ready").expect("a number")[0].to_owned();
        self.over(&mut h, &format!("G enter type:{ready}"), &asks(&ready)).await;
        h.confirm(&ready);
        h.shows("not sent: quota exceeded").await;
        let places = [
            ("", "quota exceeded"),
            ("s", "Sort by"),
            ("esc C j", "Columns, from left (top) to"),
            ("space", "Columns, from left (top) to"),
            ("esc", "1 job"),
            ("R", "use up quota"),
            ("esc e", "redo file"),
            ("l", "Export   1 job"),
            ("esc e", "redo file"),
            ("e", "Receipt of job"),
            ("esc x type:why", "Reason"),
            ("esc R c", "Cancel the rest"),
            ("esc enter", "row 1 of 120"),
            ("v", "row 1 of 120"),
            ("j v g", "2 marked"),
            ("* n f f", "row 1 of"),
            ("s", "Sort by"),
            ("esc C j space", "Columns, from left (top) to"),
            ("esc", "row 1 of"),
            ("esc 5 F", "File"),
            ("ctrl-o", msg("Choose a file")),
            ("esc", "File"),
        ];
        self.each(&mut h, &places).await;
        h.paste(&format!("{}\n{}\n", ids[0], ids[1]));
        self.over(&mut h, "", "2 lines pasted").await;
        self.over(&mut h, "enter type:why", "Reason").await;
        self.over(&mut h, "enter | enter", msg_part("Nothing is sent until you confirm. ")).await;
        self.over(&mut h, "enter", msg_part("and press")).await;
    }
}

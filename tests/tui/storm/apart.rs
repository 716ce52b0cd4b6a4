//! The places of other sessions that a storm goes over: live, on the tour, with an index, with pictures, with
//! several profiles or with none.

use super::super::common::{session, tui};
use super::super::profiles::{line, pinned};
use super::*;
use crate::common::texts::{asks, msg, msg_part};
use lapel::api::{Call, connect};
use lapel::index::IndexConfig;
use lapel::sandbox::Sandbox;
use lapel::tui::{FirstConnection, Helpers, IndexUse, ProfileSession};
use std::sync::Arc;
use std::time::Duration;

impl Storm {
    /// Where it is live: what is typed before anything is sent, and what is sent again.
    pub(super) async fn live(&mut self) {
        let mut h = Harness::with(Options { quota: Some(0), ..small() }, 80, 24, |mut session| {
            session.environment = Environment::Live;
            session
        })
        .await;
        h.settled().await;
        let places = [
            ("i | type:홍길동 enter type:gildong@naru.example enter", "gildong@naru.example"),
            ("type:1연습", "1 연습용"),
        ];
        self.each(&mut h, &places).await;
        h.confirm("1 연습용");
        h.shows(msg("quota exceeded")).await;
        self.over(&mut h, "R r", "resumes with the rows not sent").await;
    }

    /// Marked rows of a job that a person resolves.
    pub(super) async fn resolving(&mut self) {
        let mut h = super::super::marked_rows::never_seen().await;
        super::super::filter_line::resize_to(&mut h, 80, 24);
        let places =
            [("a d", msg("send again")), ("enter type:why", "Why"), ("enter", msg_part("and press"))];
        self.each(&mut h, &places).await;
    }

    /// While the service asks to wait.
    pub(super) async fn waiting(&mut self) {
        let mut h = Harness::new(held(), 80, 24).await;
        h.settled().await;
        h.sandbox.control().add_fault("any status=429 retry-after=3540 times=1").expect("a rule");
        // Another user of the key is refused.
        let connection = session(&h.sandbox, Environment::Demo).connection;
        let reader = connect(&connection).expect("a client").reader().clone();
        let asking = tokio::spawn(async move { reader.ping(&Call::interactive()).await });
        h.shows(msg_part("▲ wait 59 min")).await;
        // What a larger screen would read waits, too, so that it never settles again.
        self.over(&mut h, "r", "Send one ping now?").await;
        asking.abort();
    }

    /// The tour's steps, and what is reviewed and sent on it.
    pub(super) async fn tour(&mut self) {
        let mut h = Harness::new(small(), 80, 24).await;
        h.settled().await;
        let places = [
            ("T", "Tour 1 of 5"),
            ("3 type:seoyun.han@naru.example enter", "Tour 2 of 5"),
            ("1 i", "Tour 2 of 5"),
            ("type:홍길동 enter type:gildong@naru.example enter", msg_part("and press")),
        ];
        self.each(&mut h, &places).await;
        // What is confirmed is seen on the smallest screen, with the strip too.
        h.tui.surface.resize(60, 16);
        h.tui.app.update(Message::Resize(60, 16));
        let screen = h.screen();
        assert!(screen.contains(&asks("1")) && screen.contains("gildong@naru.example"), "{screen}");
        h.tui.surface.resize(80, 24);
        h.tui.app.update(Message::Resize(80, 24));
        h.confirm("1");
        h.shows("waiting 1").await;
        self.over(&mut h, "", "Tour 3 of 5").await;
        h.sandbox.control().advance(Duration::from_secs(25 * 3600));
        h.press("r");
        h.shows(msg_part("Tour 4 of 5")).await;
        let places = [
            ("", "Tour 4 of 5"),
            ("enter", "Tour 4 of 5"),
            ("enter | x type:why", "Tour 4 of 5"),
            ("enter", "This cannot be undone"),
            ("esc esc ctrl-n", "Tour 5 of 5"),
            ("ctrl-n", "all steps done"),
        ];
        self.each(&mut h, &places).await;
    }

    /// Every section of the overview, the badges behind its bars, and the look-up of a certificate number.
    pub(super) async fn overview(&mut self) {
        let mut h = Harness::with(small(), 80, 24, |mut session| {
            let settings = IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
            session.index = Some(IndexUse { folder: None, settings, reads_at_start: false });
            session
        })
        .await;
        h.settled().await;
        let places = [
            ("0", "The index is empty"),
            ("G enter", "Issued per week"),
            ("enter", "row 1 of"),
            ("D", "again to read"),
            ("esc }", "Revoked per week"),
            ("}", "template"),
            ("}", "waiting, by age"),
            ("} down", "within 30 days"),
            ("enter", "expiring within 30 days"),
            ("esc }", "issued badges failed"),
            ("0 G k enter", "strictgate.example"),
            ("/ type:bounce", "BOUNCE"),
            ("enter esc esc G enter", "Issued per week"),
            ("/ type:dv-0", "dv-0"),
        ];
        self.each(&mut h, &places).await;
    }

    /// The list of profiles and its forms; then a key that is another one, and a connection that is broken.
    pub(super) async fn profiles(&mut self) {
        let sandbox = Sandbox::start(small().showing_waiting()).await.expect("a sandbox");
        let helpers = Helpers {
            profiles: Arc::new(|| {
                Box::pin(async { Ok(vec![line("one", Environment::Demo), line("two", Environment::Live)]) })
            }),
            ..Helpers::default()
        };
        let mut begin = session(&sandbox, Environment::Live);
        "one".clone_into(&mut begin.name);
        begin.connection.pin = Some(pinned("abc_live_"));
        let first_connection = FirstConnection::Session(Box::new(begin));
        let mut h = Harness::of(tui(first_connection, helpers, 80, 24), sandbox);
        h.shows(msg_part("Pin another key")).await;
        let places = [
            ("type:1", "Pin another key"),
            ("esc", "no connection"),
            ("P", "add a profile"),
            ("j c", "Base URL"),
            ("tab tab tab tab tab left", "Base URL"),
            ("esc X type:1", "Remove profile two"),
            ("esc j enter", "Base URL"),
        ];
        self.each(&mut h, &places).await;
    }

    /// Pictures that stand over the text.
    pub(super) async fn pictures(&mut self) {
        let mut h = Harness::with_pictures(small(), 80, 24, |session: ProfileSession| session).await;
        h.settled().await;
        let places =
            [("enter | p", "▀"), ("esc esc 2 | enter | p", "p other side"), ("esc w | p", "p other side")];
        self.each(&mut h, &places).await;
    }

    /// The first screen.
    pub(super) async fn without_a_profile(&mut self) {
        let mut h = Harness::welcome(80, 24).await;
        let places =
            [("", "Welcome to lapel"), ("u type:badges.example tab", "URL"), ("esc P", "add a profile")];
        self.each(&mut h, &places).await;
    }
}

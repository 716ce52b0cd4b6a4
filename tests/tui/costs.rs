//! Allocations and instructions of a key press and of a page, see `src/costs.rs`.

#[path = "../../src/costs.rs"]
mod counting;

use super::*;
use crate::common::{session, tui_on};
use counting::costs;
use lapel::sandbox::Sandbox;
use lapel::tui::{Canvas, FirstConnection, Tui};

/// valgrind is slow.
const BOUND: std::time::Duration = std::time::Duration::from_secs(300);

/// A TUI that draws as on a real terminal.
struct Drawn {
    tui: Tui<Canvas<Vec<u8>>>,
    _sandbox: Sandbox,
}

impl Drawn {
    /// On History, with everything loaded and drawn.
    async fn new() -> Self {
        let sandbox = Sandbox::start(small()).await.expect("the sandbox starts");
        let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
        let canvas = Canvas::of_size(Vec::new(), 120, 40);
        let mut drawn = Self { tui: tui_on(canvas, first_connection), _sandbox: sandbox };
        drawn.settle().await;
        drawn.press("2").await;
        drawn
    }

    fn draw(&mut self) {
        self.tui.draw().expect("drawn");
        self.tui.surface.out().clear();
    }

    async fn settle(&mut self) {
        let settling = async {
            loop {
                while let Some(message) = self.tui.queued() {
                    self.tui.app.update(message);
                }
                self.draw();
                if !self.tui.app.is_busy() {
                    return;
                }
                let message = self.tui.next().await;
                self.tui.app.update(message);
            }
        };
        tokio::time::timeout(BOUND, settling).await.expect("it settles");
    }

    async fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.tui.app.update(Message::Key(key_event(key)));
            self.settle().await;
        }
    }

    /// The next response of the service, which nothing has taken yet.
    async fn response(&mut self) -> Message {
        let responding = async {
            loop {
                self.draw();
                match self.tui.next().await {
                    message @ Message::Response(..) => return message,
                    Message::Of(_, message) if matches!(*message, Message::Response(..)) => return *message,
                    message => self.tui.app.update(message),
                }
            }
        };
        tokio::time::timeout(BOUND, responding).await.expect("a response")
    }

    /// Handles a key and draws.
    fn press_at_once(&mut self, key: &str) {
        self.tui.app.update(Message::Key(key_event(key)));
        self.draw();
    }
}

#[tokio::test]
async fn costs_of_a_cursor_move() {
    let mut drawn = Box::pin(Drawn::new()).await;
    drawn.press("j j k").await;
    costs("move the cursor and draw", || drawn.press_at_once("j"));
}

#[tokio::test]
async fn costs_of_a_tab_change() {
    let mut drawn = Box::pin(Drawn::new()).await;
    drawn.press("1 2 1").await;
    costs("change to History and draw", || drawn.press_at_once("2"));
}

#[tokio::test]
async fn costs_of_receiving_a_page() {
    let mut drawn = Box::pin(Drawn::new()).await;
    // Read again: the rows are the same ones.
    drawn.tui.app.update(Message::Key(key_event("r")));
    let page = drawn.response().await;
    costs("receive a page of 100 rows", || drawn.tui.app.update(page));
    assert!(!drawn.tui.app.is_busy(), "it was the page");
}

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use super::super::render::pack::pack;
use super::*;
use crate::api::Refusal;
use crate::config::PictureChoice;
use crate::tui::request::RequestIds;
use crate::tui::worker::WorkerCommand;
use image::{Rgba, RgbaImage};
use ratatui::buffer::Buffer;

struct TestStore {
    store: PictureStore,
    requests: RequestIds,
    commands: Vec<WorkerCommand>,
}

impl TestStore {
    fn new(choice: PictureChoice) -> Self {
        let pictures = PictureSettings { choice, ..PictureSettings::none() };
        Self { store: PictureStore::new(&pictures), requests: RequestIds::default(), commands: Vec::new() }
    }

    fn with(&mut self, act: impl FnOnce(&mut PictureStore, &mut Effects<'_>)) {
        let mut effects = Effects::new(&mut self.requests);
        act(&mut self.store, &mut effects);
        self.commands.append(&mut effects.commands);
    }

    fn want(&mut self, url: &str) {
        let want = wanted(url);
        self.with(|store, effects| store.want(Some(&want), effects));
    }

    fn asked(&mut self) -> (Vec<RequestId>, Vec<(RequestId, PictureOnScreen)>, Vec<RequestId>) {
        let (mut rests, mut pictures, mut cancelled) = (Vec::new(), Vec::new(), Vec::new());
        for command in std::mem::take(&mut self.commands) {
            match command {
                WorkerCommand::Request(request, Request::Pause(_)) => rests.push(request),
                WorkerCommand::Request(request, Request::Picture(ask)) => pictures.push((request, *ask)),
                WorkerCommand::Cancel(request) => cancelled.push(request),
                _ => panic!("something else"),
            }
        }
        (rests, pictures, cancelled)
    }

    fn rested(&mut self, request: RequestId) {
        self.with(|store, out| {
            assert!(store.on_response(Reply { id: request, response: Response::Paused }, out).is_ok());
        });
    }

    fn answered(&mut self, request: RequestId, state: Result<Packed, String>) {
        self.with(|store, out| {
            assert!(
                store.on_response(Reply { id: request, response: Response::Picture(state) }, out).is_ok()
            );
        });
    }

    /// Wants a picture and waits until it is requested.
    fn begin(&mut self, url: &str) -> (RequestId, PictureOnScreen) {
        self.want(url);
        let (rests, ..) = self.asked();
        self.rested(rests[0]);
        let (_, mut pictures, _) = self.asked();
        pictures.remove(0)
    }

    fn shown(&self, url: &str) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
        self.store.draw(&mut Frame::new(&mut buffer), &wanted(url), Style::new());
        buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
    }
}

fn wanted(url: &str) -> PictureRequest {
    PictureRequest { of: PictureOf::Address(Some(Text::from(url))), area: Rect::new(2, 1, 30, 9) }
}

fn picture() -> Packed {
    let mut pixels = RgbaImage::from_pixel(8, 8, Rgba([255, 0, 0, 255]));
    for x in 0..8 {
        pixels.put_pixel(x, 0, Rgba([0, 0, 255, 255]));
    }
    let way = PictureOutput {
        protocol: Protocol::Halfblocks,
        cell: (10, 20),
        true_colour: true,
        wrapped: false,
        first_id: 0x2000,
    };
    pack(&pixels, &way, (8, 4), 0).expect("packed")
}

const A: &str = "https://h.example/a.png";
const B: &str = "https://h.example/b.png";

#[test]
fn a_picture_is_asked_for_after_a_rest_and_once() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    tui.want(A);
    tui.want(A);
    let (rests, pictures, cancelled) = tui.asked();
    assert_eq!((rests.len(), pictures.len(), cancelled.len()), (1, 0, 0));
    tui.rested(rests[0]);
    let (_, pictures, _) = tui.asked();
    let (request, ask) = &pictures[0];
    assert_eq!((ask.url.as_str(), ask.room, ask.fresh), (A, (30, 9), false));
    assert!(tui.shown(A).contains("loading the picture"));
    tui.answered(*request, Ok(picture()));
    assert!(tui.shown(A).contains('▀') && !tui.shown(A).contains("loading"));
    tui.with(|store, out| store.want(None, out));
    tui.want(A);
    let (rests, pictures, _) = tui.asked();
    assert!(rests.is_empty() && pictures.is_empty());
}

#[test]
fn moving_through_a_list_fetches_what_one_stays_at() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    for n in 0..50 {
        tui.want(&format!("https://h.example/{n}.png"));
    }
    let (rests, pictures, cancelled) = tui.asked();
    assert_eq!((rests.len(), pictures.len(), cancelled.len()), (50, 0, 49));
    assert_eq!(rests[..49], cancelled[..]);
    // A cancelled pause belongs to nobody.
    tui.with(|store, out| {
        assert!(store.on_response(Reply { id: rests[3], response: Response::Paused }, out).is_err());
    });
    tui.rested(rests[49]);
    let (_, pictures, _) = tui.asked();
    assert_eq!(pictures.len(), 1);
    assert_eq!(pictures[0].1.url, "https://h.example/49.png");
}

#[test]
fn the_newest_wins_and_what_one_left_is_cancelled() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let (slow, _) = tui.begin(A);
    tui.want(B);
    let (rests, _, cancelled) = tui.asked();
    assert_eq!(cancelled, [slow]);
    // The response was sent before the cancellation reached the worker.
    tui.answered(slow, Ok(picture()));
    assert!(!tui.shown(A).contains('▀') && !tui.shown(B).contains('▀'));
    tui.rested(rests[0]);
    let (_, pictures, _) = tui.asked();
    tui.answered(pictures[0].0, Err("The picture is empty.".into()));
    assert!(tui.shown(B).contains("The picture is empty."));
}

#[test]
fn what_has_no_picture_says_so_and_asks_nobody() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    for (raw, said) in [
        (None, "There is no picture."),
        (Some(" "), "There is no picture."),
        (Some("/a.png"), "only a path"),
        (Some("file:///etc/passwd"), "neither http nor"),
        (Some("data:image/png;base64,AAAA"), "neither http nor"),
    ] {
        let want =
            PictureRequest { of: PictureOf::Address(raw.map(Text::from)), area: Rect::new(2, 1, 38, 9) };
        tui.with(|store, out| store.want(Some(&want), out));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
        tui.store.draw(&mut Frame::new(&mut buffer), &want, Style::new());
        let shown: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(shown.contains(said), "{raw:?}: {shown}");
    }
    assert!(tui.commands.is_empty());
}

#[test]
fn read_again_does_not_take_what_is_kept() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let (request, _) = tui.begin(A);
    tui.answered(request, Err("The picture's server answered HTTP 500.".into()));
    tui.store.read_again();
    let (_, ask) = tui.begin(A);
    assert!(ask.fresh);
    let (_, ask) = tui.begin(B);
    assert!(!ask.fresh);
}

#[test]
fn a_picture_that_failed_is_not_asked_for_again_in_another_size() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let (request, _) = tui.begin(A);
    tui.answered(request, Err("The server does not have this picture (HTTP 404).".into()));
    let smaller = PictureRequest { area: Rect::new(2, 3, 30, 7), ..wanted(A) };
    tui.with(|store, out| store.want(Some(&smaller), out));
    assert!(tui.commands.is_empty(), "{}", tui.commands.len());
    // A picture that loaded is prepared again for its new size.
    let (request, _) = tui.begin(B);
    tui.answered(request, Ok(picture()));
    let smaller = PictureRequest { area: Rect::new(2, 3, 30, 7), ..wanted(B) };
    tui.with(|store, out| store.want(Some(&smaller), out));
    let (rests, ..) = tui.asked();
    assert_eq!(rests.len(), 1);
}

#[test]
fn a_picture_on_its_way_is_not_cancelled_for_another_size() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let (request, _) = tui.begin(A);
    let smaller = PictureRequest { area: Rect::new(2, 3, 30, 7), ..wanted(A) };
    tui.with(|store, out| store.want(Some(&smaller), out));
    assert!(tui.commands.is_empty(), "{}", tui.commands.len());
    tui.answered(request, Ok(picture()));
    // It is prepared for the new size, from what was downloaded.
    let (rests, pictures, cancelled) = tui.asked();
    assert_eq!((rests.len(), pictures.len(), cancelled.len()), (0, 1, 0));
    assert_eq!((pictures[0].1.room, pictures[0].1.fresh), ((30, 7), false));
    // One that somebody has read again is downloaded again.
    tui.store.read_again();
    tui.with(|store, out| store.want(Some(&smaller), out));
    let (rests, _, cancelled) = tui.asked();
    assert_eq!((rests.len(), cancelled.len()), (1, 1));
}

#[test]
fn nothing_is_asked_before_the_terminal_has_answered() {
    let mut tui = TestStore::new(PictureChoice::Auto);
    tui.want(A);
    assert!(tui.commands.is_empty() && tui.store.is_on());
    let way = PictureOutput {
        protocol: Protocol::Kitty,
        cell: (9, 18),
        true_colour: true,
        wrapped: false,
        first_id: 0x3000,
    };
    assert!(tui.store.found(way));
    let (_, ask) = tui.begin(A);
    assert_eq!(ask.way, way);
    assert_eq!(tui.store.kitty().map(|way| way.first_id), Some(0x3000));
}

#[test]
fn kitty_picture_ids_are_used_again_only_when_the_picture_is_gone() {
    let mut tui = TestStore::new(PictureChoice::Kitty);
    let mut alive: Vec<(u32, String)> = Vec::new();
    for n in 0..100 {
        let url = format!("https://h.example/{n}.png");
        let (request, ask) = tui.begin(&url);
        tui.answered(request, Ok(picture()));
        alive.retain(|(_, url)| tui.store.entries.iter().any(|e| e.key.url == *url));
        assert!(alive.iter().all(|(id, _)| *id != ask.id), "{n}");
        alive.push((ask.id, url));
    }
    assert!(tui.store.entries.len() <= KEPT as usize);
}

#[test]
fn kitty_is_sent_its_pictures_again_when_the_terminal_may_have_lost_them() {
    let mut tui = TestStore::new(PictureChoice::Kitty);
    let (request, first) = tui.begin(A);
    tui.answered(request, Ok(picture()));
    tui.store.lost();
    let (_, again) = tui.begin(A);
    assert_ne!(first.id, again.id);
    // With other protocols pictures are drawn again with everything else.
    let mut tui = TestStore::new(PictureChoice::Sixel);
    let (request, _) = tui.begin(A);
    tui.answered(request, Ok(picture()));
    tui.store.lost();
    tui.want(A);
    assert!(tui.commands.is_empty());
}

#[test]
fn another_service_begins_with_nothing() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let (request, _) = tui.begin(A);
    tui.answered(request, Ok(picture()));
    tui.store.begin_anew(Some("https://set.example".into()));
    assert!(!tui.shown(A).contains('▀'));
    let (_, ask) = tui.begin("/x.png");
    assert_eq!(ask.url, "https://set.example/x.png");
}

#[test]
fn a_template_is_read_once_for_its_picture() {
    let mut tui = TestStore::new(PictureChoice::Halfblocks);
    let of = |id: &str| PictureRequest {
        of: PictureOf::Template(TemplateId::new(id).expect("an id")),
        area: Rect::new(2, 1, 30, 9),
    };
    let read = |tui: &mut TestStore, id: &str| {
        tui.with(|store, out| store.want(Some(&of(id)), out));
        let Some(WorkerCommand::Request(rest, Request::Pause(_))) = tui.commands.pop() else { return None };
        tui.commands.clear();
        tui.rested(rest);
        match tui.commands.pop() {
            Some(WorkerCommand::Request(request, Request::Template(asked))) if asked.wire() == id => {
                Some(request)
            }
            _ => panic!("no request for a template"),
        }
    };
    let answer = |tui: &mut TestStore, request: RequestId, why: ApiError| {
        tui.with(|store, out| {
            let answer = Response::Template(Box::new(Err(why)));
            assert!(store.on_response(Reply { id: request, response: answer }, out).is_ok());
        });
    };
    let first = read(&mut tui, "TPL-1").expect("it is read");
    assert_eq!(read(&mut tui, "TPL-1"), None, "it is being read");
    answer(&mut tui, first, ApiError::Cancelled);
    assert_eq!(read(&mut tui, "TPL-1"), None, "after an error not at once");
    let second = read(&mut tui, "TPL-2").expect("it is read");
    answer(&mut tui, second, ApiError::NotFound(Refusal { status: 404, code: None, message: None }));
    assert!(read(&mut tui, "TPL-1").is_some(), "after an error, when the cursor comes back");
    assert_eq!(read(&mut tui, "TPL-2"), None, "a template that does not exist is not asked for again");
}

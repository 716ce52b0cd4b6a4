//! Which picture is wanted now, and which ones are here. Newest wins: what one has moved on from is
//! cancelled, and its answer is dropped.

use super::address::Places;
use super::gallery::PictureAsk;
use crate::config::Pictures;
use crate::domain::{Badge, Page, Template, Text};
use crate::tui::effects::Effects;
use crate::tui::platform::images::pack::{KITTY_IDS, Packed, Protocol, Way};
use crate::tui::platform::images::questions::{How, unasked};
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::Duration;

/// How long one has to stay before a picture is fetched.
const REST: Duration = Duration::from_millis(120);
/// A picture is kept until this many others were asked for: by then kitty has its name back.
const KEPT: u32 = KITTY_IDS - 4;

/// A picture that a screen has a place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// Its address as the record has it.
    pub raw: Option<Text>,
    /// Its place on the screen.
    pub area: Rect,
}

/// One picture in one size.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    url: String,
    room: (u16, u16),
}

struct Entry {
    key: Key,
    number: u32,
    state: Result<Packed, String>,
}

/// The pictures of the desk.
pub struct Store {
    how: How,
    places: Places,
    entries: VecDeque<Entry>,
    wanted: Option<Key>,
    /// The end of the rest before it is fetched.
    rest: Option<RequestId>,
    loading: Option<(RequestId, u32)>,
    /// A picture that is fetched although it is kept.
    fresh: Option<String>,
    asked: u32,
    /// Whether the terminal can show them in characters.
    blocks: bool,
}

impl Store {
    /// As the settings say.
    pub fn new(pictures: &Pictures) -> Self {
        Self {
            how: unasked(pictures),
            places: Places::default(),
            entries: VecDeque::new(),
            wanted: None,
            rest: None,
            loading: None,
            fresh: None,
            asked: 0,
            blocks: true,
        }
    }

    /// Whether screens have a place for pictures.
    pub fn is_on(&self) -> bool {
        self.how != How::Off
    }

    /// Takes what the terminal has said about itself. Whether that changes what is seen.
    pub fn found(&mut self, way: Way) -> bool {
        if self.how != How::Asking {
            return false;
        }
        self.how = How::By(way);
        self.give_up_blocks();
        self.wanted.take().is_some()
    }

    /// Pictures in characters cannot be shown here; others can.
    pub fn without_blocks(&mut self) {
        self.blocks = false;
        self.give_up_blocks();
    }

    fn give_up_blocks(&mut self) {
        if !self.blocks && matches!(self.how, How::By(way) if way.protocol == Protocol::Halfblocks) {
            self.how = How::Off;
            self.entries.clear();
        }
    }

    /// How pictures are sent to kitty, where they are.
    pub fn kitty(&self) -> Option<Way> {
        match self.how {
            How::By(way) if way.protocol == Protocol::Kitty => Some(way),
            _ => None,
        }
    }

    /// Another service: nothing of the former one is of use.
    pub fn begin_anew(&mut self, base: Option<String>) {
        self.places = Places::new(base);
        self.entries.clear();
        (self.wanted, self.rest, self.loading, self.fresh) = (None, None, None, None);
    }

    /// The terminal may have lost what it was sent: kitty is sent its pictures again.
    pub fn lost(&mut self) {
        if self.kitty().is_some() {
            self.entries.clear();
            self.wanted = None;
        }
    }

    /// The wanted picture is fetched again.
    pub fn read_again(&mut self) {
        if let Some(wanted) = self.wanted.take() {
            self.entries.retain(|entry| entry.key.url != wanted.url);
            self.fresh = Some(wanted.url);
        }
    }

    /// Takes note of where pictures are.
    pub fn learn(&mut self, answer: &Response) {
        let mut learn = |raw: &Option<Text>| {
            if let Some(raw) = raw {
                self.places.learn(raw.wire());
            }
        };
        match answer {
            Response::Badge(badge) => {
                if let Ok(Badge { front_image_url, back_image_url, .. }) = &**badge {
                    learn(front_image_url);
                    learn(back_image_url);
                }
            }
            Response::Templates(Ok(Page { items, .. })) => {
                if let Some((_, Template { image_url, .. })) = items.first() {
                    learn(image_url);
                }
            }
            _ => {}
        }
    }

    /// The picture that is looked at now, or that none is.
    pub fn want(&mut self, want: Option<&Want>, out: &mut Effects<'_>) {
        let key = want.and_then(|want| self.key(want).ok());
        if key == self.wanted {
            return;
        }
        out.cancel(self.rest.take());
        out.cancel(self.loading.take().map(|(ticket, _)| ticket));
        let here = key.as_ref().is_none_or(|key| self.entries.iter().any(|entry| entry.key == *key));
        self.wanted = key;
        if !here && matches!(self.how, How::By(_)) {
            self.rest = Some(out.ask(Request::Pause(REST)));
        }
    }

    /// Takes an answer, or gives it back.
    pub fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Paused if self.rest == Some(ticket) => {
                self.rest = None;
                self.load(out);
                Ok(())
            }
            Response::Picture(state) => {
                if let Some((_, number)) = self.loading.take_if(|(loading, _)| *loading == ticket)
                    && let Some(key) = self.wanted.clone()
                {
                    self.entries.push_back(Entry { key, number, state });
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn load(&mut self, out: &mut Effects<'_>) {
        let (How::By(way), Some(key)) = (self.how, &self.wanted) else { return };
        let number = self.asked;
        self.asked = self.asked.wrapping_add(1);
        let ask = PictureAsk {
            url: key.url.clone(),
            fresh: self.fresh.take_if(|url| *url == key.url).is_some(),
            way,
            room: key.room,
            id: way.first_id + number % KITTY_IDS,
        };
        self.entries.retain(|entry| number.wrapping_sub(entry.number) < KEPT);
        self.loading = Some((out.ask(Request::Picture(Box::new(ask))), number));
    }

    fn key(&self, want: &Want) -> Result<Key, String> {
        let raw = want.raw.as_ref().filter(|raw| !raw.looks_empty());
        let raw = raw.ok_or_else(|| t!("There is no picture.").to_owned())?;
        Ok(Key { url: self.places.resolve(raw.wire())?, room: (want.area.width, want.area.height) })
    }

    /// Draws a wanted picture in the middle of its place, or says there why it is not to be seen.
    pub fn draw(&self, frame: &mut Frame<'_>, want: &Want, quiet: Style) {
        let area = want.area.intersection(frame.area());
        let found = self.key(want).map(|key| self.entries.iter().find(|entry| entry.key == key));
        let said = match &found {
            Ok(Some(Entry { state: Ok(packed), .. })) => {
                let (columns, rows) = packed.size();
                let x = area.x + area.width.saturating_sub(columns) / 2;
                let place = Rect { x, width: columns.min(area.width), height: rows.min(area.height), ..area };
                packed.draw(place, frame.buffer_mut());
                return;
            }
            Ok(Some(Entry { state: Err(why), .. })) | Err(why) => why,
            Ok(None) if self.loading.is_some() => t!("loading the picture"),
            Ok(None) => return,
        };
        let lines: Vec<Line<'_>> =
            wrap(said, usize::from(area.width)).into_iter().map(|l| Line::styled(l, quiet)).collect();
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;

//! The wanted picture and the loaded ones. The newest request wins: an earlier one is cancelled, and its
//! response is dropped.

use super::gallery::PictureOnScreen;
use super::picture_url::Places;
use crate::config::PictureSettings;
use crate::tui::platform::images::render::Packed;
use crate::tui::platform::images::terminal_queries::{PictureMode, unasked};
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::{KITTY_IDS, PictureOutput, Protocol};

/// A picture is kept until this many others were requested. Then its kitty image id is used again.
const KEPT: u32 = KITTY_IDS - 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRequest {
    pub of: PictureOf,
    pub area: Rect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureOf {
    Address(Option<Text>),
    /// Rows of badges and of jobs have no picture of their own, so lapel reads each template once for it.
    Template(TemplateId),
}

/// A picture, or first the template that has its address.
#[derive(Clone, PartialEq, Eq)]
enum PictureFetch {
    Picture(PictureKey),
    Template(TemplateId),
}

#[derive(Clone, PartialEq, Eq)]
struct PictureKey {
    url: String,
    room: (u16, u16),
}

struct CachedPicture {
    key: PictureKey,
    number: u32,
    state: Result<Packed, String>,
}

#[derive(Default)]
pub struct PictureStore {
    how: PictureMode,
    places: Places,
    /// The address of the picture of each template that was read; `None` if it has none, or does not exist.
    templates: BTreeMap<TemplateId, Option<Text>>,
    entries: VecDeque<CachedPicture>,
    wanted: Option<PictureFetch>,
    rest: Option<RequestId>,
    reading: Option<RequestId>,
    loading: Option<(RequestId, u32, PictureKey)>,
    /// The URL of a picture to download again although it is cached.
    fresh: Option<String>,
    asked: u32,
    /// Whether the terminal can show pictures made of characters.
    blocks: bool,
}

impl PictureStore {
    pub fn new(pictures: &PictureSettings) -> Self {
        Self { how: unasked(pictures), blocks: true, ..Self::default() }
    }

    pub fn is_on(&self) -> bool {
        self.how != PictureMode::Off
    }

    /// Returns whether the screen changes.
    pub fn found(&mut self, way: PictureOutput) -> bool {
        if self.how != PictureMode::Asking {
            return false;
        }
        self.how = PictureMode::By(way);
        self.give_up_blocks();
        self.wanted.take().is_some()
    }

    /// Turns pictures made of characters off. Other protocols stay possible.
    pub fn without_blocks(&mut self) {
        self.blocks = false;
        self.give_up_blocks();
    }

    fn give_up_blocks(&mut self) {
        if !self.blocks && matches!(self.how, PictureMode::By(way) if way.protocol == Protocol::Halfblocks) {
            self.how = PictureMode::Off;
            self.entries.clear();
        }
    }

    pub fn kitty(&self) -> Option<PictureOutput> {
        match self.how {
            PictureMode::By(way) if way.protocol == Protocol::Kitty => Some(way),
            _ => None,
        }
    }

    /// Drops all data of the former service.
    pub fn begin_anew(&mut self, base: Option<String>) {
        let Self { how, asked, blocks, .. } = *self;
        *self = Self { how, asked, blocks, places: Places::new(base), ..Self::default() };
    }

    /// The terminal may have lost its pictures. kitty gets them again.
    pub fn lost(&mut self) {
        if self.kitty().is_some() {
            self.entries.clear();
            self.wanted = None;
        }
    }

    pub fn read_again(&mut self) {
        if let Some(PictureFetch::Picture(wanted)) = self.wanted.take() {
            self.entries.retain(|entry| entry.key.url != wanted.url);
            self.fresh = Some(wanted.url);
        }
    }

    pub fn learn(&mut self, response: &Response) {
        let mut learn = |raw: &Option<Text>| {
            if let Some(raw) = raw {
                self.places.learn(raw.wire());
            }
        };
        match response {
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
                let read = items.iter().map(|(_, row)| (row.template_id.clone(), row.image_url.clone()));
                self.templates.extend(read);
            }
            Response::Template(detail) => {
                if let Ok(detail) = &**detail {
                    learn(&detail.image_url);
                    self.templates.insert(detail.template_id.clone(), detail.image_url.clone());
                }
            }
            _ => {}
        }
    }

    pub fn want(&mut self, want: Option<&PictureRequest>, effects: &mut Effects<'_>) {
        let wanted = want.and_then(|want| self.wanted(want).ok());
        if wanted == self.wanted {
            return;
        }
        effects.cancel(self.rest.take());
        effects.cancel(self.reading.take());
        // Another text beside a picture gives it another size. Its bytes are on their way already.
        let is_coming = matches!(
            (&wanted, &self.loading),
            (Some(PictureFetch::Picture(key)), Some((.., coming))) if key.url == coming.url && self.fresh.is_none()
        );
        if !is_coming {
            effects.cancel(self.loading.take().map(|(request, ..)| request));
        }
        let is_here = match &wanted {
            Some(PictureFetch::Picture(key)) => self.entry(key).is_some(),
            Some(PictureFetch::Template(_)) => false,
            None => true,
        };
        self.wanted = wanted;
        if !is_here && !is_coming && matches!(self.how, PictureMode::By(_)) {
            self.rest = Some(effects.request(Request::Pause(Request::CURSOR_REST)));
        }
    }

    /// Returns a response to another request.
    pub fn on_response(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Paused if self.rest == Some(id) => {
                self.rest = None;
                match &self.wanted {
                    Some(PictureFetch::Picture(key)) => self.load(key.clone(), effects),
                    Some(PictureFetch::Template(id)) => {
                        self.reading = Some(effects.request(Request::Template(id.clone())));
                    }
                    None => {}
                }
                Ok(())
            }
            // The address was learned. After an error the template is asked for again when it is wanted again.
            Response::Template(detail) if self.reading == Some(id) => {
                self.reading = None;
                if let (Err(ApiError::NotFound(_)), Some(PictureFetch::Template(id))) =
                    (*detail, &self.wanted)
                {
                    self.templates.insert(id.clone(), None);
                }
                Ok(())
            }
            Response::Picture(state) => {
                if let Some((_, number, key)) = self.loading.take_if(|(loading, ..)| *loading == id)
                    && let Some(PictureFetch::Picture(wanted)) = self.wanted.clone()
                    && wanted.url == key.url
                {
                    self.entries.push_back(CachedPicture { key, number, state });
                    if self.entry(&wanted).is_none() {
                        self.load(wanted, effects);
                    }
                }
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }

    fn load(&mut self, key: PictureKey, effects: &mut Effects<'_>) {
        let PictureMode::By(way) = self.how else { return };
        let number = self.asked;
        self.asked = self.asked.wrapping_add(1);
        let ask = PictureOnScreen {
            fresh: self.fresh.take_if(|url| *url == key.url).is_some(),
            url: key.url.clone(),
            way,
            room: key.room,
            id: way.first_id + number % KITTY_IDS,
        };
        self.entries.retain(|entry| number.wrapping_sub(entry.number) < KEPT);
        self.loading = Some((effects.request(Request::Picture(Box::new(ask))), number, key));
    }

    fn wanted(&self, want: &PictureRequest) -> Result<PictureFetch, String> {
        let raw = match &want.of {
            PictureOf::Address(raw) => raw,
            PictureOf::Template(id) => match self.templates.get(id) {
                Some(raw) => raw,
                None => return Ok(PictureFetch::Template(id.clone())),
            },
        };
        let raw = raw.as_ref().filter(|raw| !raw.looks_empty());
        let raw = raw.ok_or_else(|| t!("There is no picture.").to_owned())?;
        let url = self.places.resolve(raw.wire())?;
        Ok(PictureFetch::Picture(PictureKey { url, room: (want.area.width, want.area.height) }))
    }

    /// A picture that failed fails in every size.
    fn entry(&self, key: &PictureKey) -> Option<&CachedPicture> {
        let is_it =
            |entry: &&CachedPicture| entry.key == *key || entry.state.is_err() && entry.key.url == key.url;
        self.entries.iter().find(is_it)
    }

    /// Draws a picture in the middle of its area, or a message why there is none.
    pub fn draw(&self, frame: &mut Frame<'_>, want: &PictureRequest, quiet: Style) {
        let area = want.area.intersection(frame.area());
        let found = self.wanted(want).map(|wanted| match wanted {
            PictureFetch::Picture(key) => self.entry(&key),
            PictureFetch::Template(_) => None,
        });
        let said = match &found {
            Ok(Some(CachedPicture { state: Ok(packed), .. })) => {
                let (columns, rows) = packed.size();
                let x = area.x + area.width.saturating_sub(columns) / 2;
                let place = Rect { x, width: columns.min(area.width), height: rows.min(area.height), ..area };
                packed.draw(place, frame.buffer_mut());
                return;
            }
            Ok(Some(CachedPicture { state: Err(why), .. })) | Err(why) => why,
            Ok(None) if self.loading.is_some() => t!("loading the picture"),
            Ok(None) => return,
        };
        let lines: Vec<Line<'_>> =
            wrap(said, usize::from(area.width)).into_iter().map(|l| Line::styled(l, quiet)).collect();
        frame.render_widget(lines, area);
    }
}

#[cfg(all(test, feature = "images"))]
mod tests;

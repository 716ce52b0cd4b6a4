//! What drawing and handling may read: theme, keymap, connection, the service's clock.

use super::request::Session;
use super::theme::{Glyphs, Theme};
use crate::api::{LinkStatus, Reader};
use crate::config::{Environment, Palette};
use crate::domain::ServiceClock;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::{Context, Keymap};
use crate::tui::persist::input_history::Recents;
use crate::tui::persist::saved_filters::Saved;
use crate::tui::platform::images::Store;
use jiff::civil::DateTime;
use std::time::Duration;

/// What every screen may read. Screens never change it.
pub struct Env {
    /// Styles.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
    /// Keys.
    pub keymap: Keymap,
    /// The profile in use.
    pub session: Option<Session>,
    /// The connection, once there is one; for its clock and its state, never for asking.
    pub reader: Option<Reader>,
    /// The link's state, as the header shows it.
    pub link: Option<LinkStatus>,
    /// Pictures: what is here, and how the terminal shows them.
    pub pictures: Store,
    /// What was looked up earlier.
    pub recents: Recents,
    /// Filters with names.
    pub saved: Saved,
    /// Whether something is being sent that has consequences.
    pub is_sending: bool,
    /// Which frame of the spinner is due.
    pub spin: usize,
}

impl Env {
    /// An environment for a palette, a glyph set and keys, with nobody connected.
    pub fn new(palette: Palette, glyphs: Glyphs, keymap: Keymap) -> Self {
        Self {
            theme: Theme::new(palette, Environment::Demo),
            glyphs,
            keymap: keymap.named(&glyphs),
            session: None,
            reader: None,
            link: None,
            pictures: Store::new(&crate::config::Pictures::none()),
            recents: Recents::default(),
            saved: Saved::default(),
            is_sending: false,
            spin: 0,
        }
    }

    /// For tests of a single widget.
    #[cfg(test)]
    pub fn for_test() -> Self {
        Self::new(Palette::default(), Glyphs::UNICODE, Keymap::default())
    }

    /// The service's clock.
    pub fn clock(&self) -> ServiceClock {
        match &self.reader {
            Some(reader) => reader.clock(),
            None => ServiceClock::new(None, 1.0),
        }
    }

    /// The service's now.
    pub fn now(&self) -> DateTime {
        self.clock().now()
    }

    /// How long, in real time, until the service's clock shows another minute; never when it stands still.
    pub fn next_minute(&self) -> Option<Duration> {
        let clock = self.clock();
        let into = u64::try_from(clock.utc().as_second().rem_euclid(60)).unwrap_or(0);
        let speed = clock.speed();
        (speed > 0.0).then(|| Duration::from_secs(60 - into).div_f64(speed).max(Duration::from_millis(250)))
    }

    /// Whether this profile may not issue or revoke.
    pub fn read_only(&self) -> bool {
        self.session.as_ref().is_some_and(|s| s.connection.read_only)
    }

    /// The environment in use; live is the careful assumption.
    pub fn environment(&self) -> Environment {
        self.session.as_ref().map_or(Environment::Live, |s| s.environment)
    }

    /// Whether what is sent reaches real people.
    pub fn is_live(&self) -> bool {
        self.environment() == Environment::Live
    }

    /// What the organisation is called in words of the person, or by its host; else the profile's name.
    pub fn organisation(&self) -> &str {
        self.session.as_ref().map_or("", |s| s.organisation.as_deref().unwrap_or(&s.name))
    }

    /// Where something is sent to, in words: `LIVE 달무리대학교`.
    pub fn place(&self) -> String {
        match &self.session {
            Some(s) => {
                let label = s.organisation.as_deref().unwrap_or(&s.name);
                format!("{} {}", s.environment, crate::domain::text::scrub(label))
            }
            None => t!("nowhere").to_owned(),
        }
    }

    /// The key of an action in `stack`, as a sentence names it; where none is bound, what the action is called.
    pub fn key(&self, stack: &[Context], action: Action) -> String {
        let key = self.keymap.key(stack, action);
        key.unwrap_or_else(|| t!("\u{201c}{action}\u{201d} (no key)", action = action.hint()))
    }

    /// The spinner's frame.
    pub fn spinner(&self) -> &'static str {
        self.glyphs.spinner[self.spin % self.glyphs.spinner.len()]
    }
}

//! The state that drawing and handling may read: theme, keymap, connection, the service's clock.

use super::connection::Client;
use super::request::ProfileSession;
use super::theme::{Glyphs, Theme};
use crate::api::{LinkStatus, MAX_ENTRIES};
use crate::domain::email::ended;
use crate::export::{cost, history_cost};
use crate::jobs::{JournalError, JournalPlace, request_count};
use crate::team::TeamError;
use crate::tui::input::keymap::Keymap;
use crate::tui::persist::input_history::{InputKind, Recents};
use crate::tui::persist::saved_filters::SavedFilterList;
use crate::tui::platform::cells::set_ambiguous;
use crate::tui::platform::images::PictureStore;
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::Ambiguous;

/// Screens never change it.
pub struct UiContext {
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub keymap: Keymap,
    /// A new connection replaces it whole.
    pub connection: ConnectionInfo,
    pub pictures: PictureStore,
    pub saved: SavedFilterList,
    /// Whether a request with consequences is being sent.
    pub is_sending: bool,
    /// Whether the journal accepts no answer to such a request.
    pub is_refused: bool,
    pub spin: usize,
}

#[derive(Default)]
pub struct ConnectionInfo {
    pub session: Option<ProfileSession>,
    /// `None` until the connection is ready.
    pub client: Option<Client>,
    pub link: Option<LinkStatus>,
    /// While the team's database is away.
    pub journal_away: Option<JournalAway>,
    /// Empty until the connection is ready.
    pub recents: Recents,
}

/// What the screens show of the journal is from the time when its database went away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalAway {
    pub why: String,
    pub is_login_refused: bool,
    /// The user has lost its rights.
    pub is_forbidden: bool,
    /// By this computer's clock.
    pub since: Timestamp,
}

impl UiContext {
    pub fn new(palette: Palette, glyphs: Glyphs, keymap: Keymap) -> Self {
        Self {
            theme: Theme::new(palette, Environment::Demo),
            glyphs,
            keymap: keymap.named(&glyphs),
            connection: ConnectionInfo::default(),
            pictures: PictureStore::new(&crate::config::PictureSettings::none()),
            saved: SavedFilterList::default(),
            is_sending: false,
            is_refused: false,
            spin: 0,
        }
    }

    /// Takes how wide the terminal draws characters of ambiguous width. If they are two cells wide, signs like `●` and `─`
    /// would break every line: lapel then uses ASCII signs and no pictures made of characters. Returns whether it does.
    pub fn found_widths(&mut self, ambiguous: Ambiguous) -> bool {
        set_ambiguous(ambiguous);
        let is_wide = ambiguous == Ambiguous::Wide;
        if is_wide {
            self.glyphs = Glyphs::ASCII;
            self.keymap = std::mem::take(&mut self.keymap).named(&Glyphs::ASCII);
            self.pictures.without_blocks();
        }
        is_wide
    }

    pub fn session(&self) -> Option<&ProfileSession> {
        self.connection.session.as_ref()
    }

    /// This person's name in a journal that others share.
    pub fn person(&self) -> Option<&str> {
        self.session()?.journal.person()
    }

    pub fn client(&self) -> Option<&Client> {
        self.connection.client.as_ref()
    }

    pub fn link(&self) -> Option<&LinkStatus> {
        self.connection.link.as_ref()
    }

    /// The time of what the screens show of the journal, while the team's database is away.
    pub fn journal_time(&self) -> Option<String> {
        let away = self.connection.journal_away.as_ref()?;
        let clock = self.clock();
        Some(clock.short(clock.of_this_computer(away.since)))
    }

    /// Whether the database through which a team shares the journal and the rate limit is away.
    pub fn is_database_away(&self) -> bool {
        let is_team = self.session().is_some_and(|s| matches!(s.journal, JournalPlace::Team { .. }));
        self.connection.journal_away.is_some()
            || is_team && self.link().is_some_and(|link| link.alone.is_some())
    }

    /// Whether that is because the database refused the login.
    pub fn is_login_refused(&self) -> bool {
        self.connection.journal_away.as_ref().is_some_and(|away| away.is_login_refused)
            || self.link().is_some_and(|link| link.is_login_refused)
    }

    /// Newest first.
    pub fn recent(&self, typed: InputKind) -> &[String] {
        self.connection.recents.list(typed)
    }

    pub fn clock(&self) -> ServiceClock {
        match self.client() {
            Some(client) => client.clock(),
            None => ServiceClock::new(None, 1.0),
        }
    }

    pub fn now(&self) -> DateTime {
        self.clock().now()
    }

    /// The time zone of every time on the screen: `UTC+9`, and whether that is assumed.
    pub fn zone(&self) -> String {
        self.clock().zone_said()
    }

    /// Real time until the service's clock shows the next minute. `None` while that clock does not move.
    pub fn next_minute(&self) -> Option<Duration> {
        let clock = self.clock();
        let into = u64::try_from(clock.utc().as_second().rem_euclid(60)).unwrap_or(0);
        let speed = clock.speed();
        (speed > 0.0).then(|| Duration::from_secs(60 - into).div_f64(speed).max(Duration::from_millis(250)))
    }

    pub fn read_only(&self) -> bool {
        self.session().is_some_and(|s| s.connection.read_only)
    }

    /// The environment in use. Without a session it is live, the careful assumption.
    pub fn environment(&self) -> Environment {
        self.session().map_or(Environment::Live, |s| s.environment)
    }

    /// Whether the journal outlives the program.
    pub fn keeps_jobs(&self) -> bool {
        self.session().is_some_and(|session| session.data_dir.is_some())
    }

    /// Whether the tour is possible. It needs lapel's own sandbox, where its steps change nothing real.
    pub fn may_tour(&self) -> bool {
        self.environment() == Environment::Demo && !self.keeps_jobs() && !self.read_only()
    }

    /// Why there are no jobs, and who does something about it.
    pub fn journal_words(&self, why: &JournalError) -> String {
        let key = || self.key(&[KeyContext::Global], Action::Profiles);
        // Some messages end with a command.
        let said = ended(&why.to_string());
        match why {
            _ if why.is_login_refused() => {
                t!("{why} Then open the profile again: {key}.", why = said, key = key())
            }
            JournalError::TwoPlaces { .. }
            | JournalError::Team { why: TeamError::Refused(_) | TeamError::Unsafe(_), .. } => t!(
                "{why} lapel tries again by itself. After a change of the profile, open it again: {key}.",
                why = said,
                key = key()
            ),
            _ if why.may_pass() => t!("{why} lapel tries again by itself.", why = said),
            _ => why.to_string(),
        }
    }

    /// Whether requests reach real people.
    pub fn is_live(&self) -> bool {
        self.environment() == Environment::Live
    }

    /// The organisation's label; without a label the profile's name.
    pub fn organisation(&self) -> &str {
        self.session().map_or("", |s| s.organisation.as_deref().unwrap_or(&s.name))
    }

    pub fn reading_cost(&self, rows: u64) -> String {
        cost(rows, self.background_pace())
    }

    /// As a phrase. `badges` is the length of the history, if lapel knows it.
    pub fn history_cost(&self, badges: Option<u64>) -> String {
        history_cost(badges, self.background_pace())
    }

    /// Requests per minute.
    fn background_pace(&self) -> u32 {
        self.link().map_or(u32::MAX, |link| link.background)
    }

    pub fn requests_to_send(&self, rows: u64) -> u64 {
        let batch = self.session().map_or(MAX_ENTRIES, |session| session.jobs.batch);
        request_count(rows, batch)
    }

    /// The environment and the organisation, as text: `LIVE 달무리대학교`.
    pub fn place(&self) -> String {
        match self.session() {
            Some(s) => format!("{} {}", s.environment, scrub(self.organisation())),
            None => t!("nowhere").to_owned(),
        }
    }

    /// The key of an action in `stack`, for use in a sentence. Without a key, the palette's key and the name of the
    /// action.
    pub fn key(&self, stack: &[KeyContext], action: Action) -> String {
        let bound = |action| self.keymap.key(stack, action);
        let palette =
            || self.keymap.key(&[KeyContext::Always], Action::Palette).filter(|_| !action.is_hand_work());
        match bound(action).ok_or_else(palette) {
            Ok(key) => key,
            Err(Some(palette)) => format!("{palette} \u{201c}{}\u{201d}", action.hint()),
            Err(None) => t!("\u{201c}{action}\u{201d} (no key)", action = action.hint()),
        }
    }

    /// The sign of the cursor before a selected entry, or a blank before another one.
    pub fn cursor(&self, is_selected: bool) -> Span<'static> {
        Span::styled(if is_selected { self.glyphs.cursor } else { " " }, self.theme.accent())
    }

    pub fn spinner(&self) -> &'static str {
        self.glyphs.spinner[self.spin % self.glyphs.spinner.len()]
    }

    pub fn busy(&self, text: &str) -> String {
        format!("{} {text}", self.spinner())
    }

    pub fn alert(&self, text: impl std::fmt::Display) -> String {
        format!("{} {text}", self.glyphs.alert)
    }

    /// Parts of a line, with a sign between them.
    pub fn dotted(&self, parts: &[String]) -> String {
        parts.join(&format!(" {} ", self.glyphs.dot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl UiContext {
        /// For tests of a single widget.
        pub fn for_test() -> Self {
            Self::new(Palette::default(), Glyphs::UNICODE, Keymap::default())
        }
    }
}

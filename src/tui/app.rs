//! The shell of the TUI: tabs, the modal stack, toasts and quitting. It handles every message; it never waits
//! and never draws.
//!
//! ```text
//! input, mouse, contexts     keys, pastes, clicks; which keys and actions are possible
//! navigation                 the tab, Back, and what components ask to open
//! responses                  responses and changed jobs, to their owners
//! connecting                 the profile and its connection
//! modal_stack                the open modals and the confirmation over each
//! secrets                    API keys in the wrong place, the screen as text
//! toasts                     messages at the bottom
//! copying, background_file   the clipboard; a file written in the background
//! terminal_output            output besides frames; external editor and pager
//! saved_views, kept_input    saved layouts; saved filters and recent input
//! auto_refresh               refresh by itself; when lapel wakes up
//! tour                       the running tour
//! ```

mod auto_refresh;
mod background_file;
mod connecting;
mod contexts;
mod copying;
mod input;
mod kept_input;
mod modal_stack;
mod mouse;
mod navigation;
mod responses;
mod saved_views;
mod secrets;
mod terminal_output;
mod toasts;
mod tour;

pub use connecting::FirstConnection;
pub(in crate::tui) use toasts::{LONGEST_NOTICE, Notice};

pub use super::tab::Tab;

use super::component::OpenedModal;
use super::connection::{Client, ConnectionState};
use super::hold;
use super::message::Message;
use super::modals::repin_key::RepinKey;
use super::platform::pager::PagerText;
use super::platform::terminal::gives_kitty_pictures;
use super::refresh::Refresh;
use super::request::{Flag, RequestIds};
use super::screens::Screens;
use super::screens::welcome::Welcome;
use super::theme::Theme;
use super::worker::WorkerCommand;
use crate::api::UnderWay;
use crate::tui::prelude::*;
use crossterm::event::KeyEventKind;
use input::InputState;
use modal_stack::ModalStack;
use navigation::Navigation;
use terminal_output::TerminalOutput;
use toasts::Toasts;

/// Smallest terminal size that lapel draws on: columns, rows.
pub const SMALLEST: (u16, u16) = (60, 16);

const MOST_HOLD_ROWS: u16 = 4;
/// Minimum duration of a read before the screen shows how long it has taken.
const SLOW: Duration = Duration::from_secs(3);

const READ_ONLY: &str = tr_noop!("This profile is read-only: it cannot issue or revoke.");

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopCommand {
    Suspend,
    Edit,
    Page(PagerText),
    Quit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    pub messages: u64,
    pub draws: u64,
    pub wakeups: u64,
    pub asks: u64,
}

pub struct App {
    pub cx: UiContext,
    pub counts: LoopCounts,
    pub(super) navigation: Navigation,
    pub(super) input: InputState,
    pub(super) welcome: Option<Welcome>,
    pub(super) screens: Screens,
    pub(super) modals: ModalStack,
    pub(super) toasts: Toasts,
    pub(super) size: (u16, u16),
    pub(super) output: TerminalOutput,
    pub(super) refresh: Refresh,
    views: saved_views::Views,
    palette: Palette,
    requests: RequestIds,
    pub(super) commands: Vec<WorkerCommand>,
    loop_command: Option<LoopCommand>,
    quit_asked: bool,
    /// A text to print after the TUI has ended, about an unfinished file.
    pub(super) parting: Option<String>,
    pub(super) changed: bool,
    pub(super) app_paths: crate::tui::persist::app_paths::AppPaths,
    /// Whether the sandbox that is starting is for the tour.
    tour_wanted: bool,
    pub(super) connection: ConnectionState,
}

impl App {
    /// Shows the welcome screen when `first_connection` has no session.
    pub fn new(
        cx: UiContext,
        palette: Palette,
        size: (u16, u16),
        first_connection: FirstConnection,
        warning: Option<String>,
    ) -> Self {
        let welcome =
            matches!(first_connection, FirstConnection::Welcome).then(|| Welcome::new(warning.clone()));
        let mut toasts = Toasts::default();
        if let Some(text) = warning.filter(|_| welcome.is_none()) {
            toasts.add_error(text);
        }
        let mut app = Self {
            cx,
            counts: LoopCounts::default(),
            navigation: Navigation::default(),
            input: InputState::default(),
            welcome,
            screens: Screens::default(),
            modals: ModalStack::default(),
            toasts,
            size,
            output: TerminalOutput::default(),
            refresh: Refresh::default(),
            views: saved_views::Views::default(),
            palette,
            requests: RequestIds::default(),
            commands: Vec::new(),
            loop_command: None,
            quit_asked: false,
            parting: None,
            changed: true,
            app_paths: crate::tui::persist::app_paths::AppPaths::default(),
            tour_wanted: false,
            connection: ConnectionState::default(),
        };
        match first_connection {
            FirstConnection::Session(session) => app.connect(*session),
            FirstConnection::Sandbox => app.begin_with(Welcome::starting),
            FirstConnection::Opening(name) => app.begin_with(|effects| Welcome::opening(name, effects)),
            FirstConnection::Welcome => {}
        }
        app
    }

    pub fn take_loop_command(&mut self) -> Option<LoopCommand> {
        self.loop_command.take()
    }

    pub fn set_theme(&mut self, theme: impl Into<Palette>) {
        self.palette = theme.into();
        self.cx.theme = Theme::new(self.palette, self.cx.environment());
        self.changed = true;
    }

    pub fn repaint(&mut self) {
        self.changed = true;
        self.cx.pictures.lost();
        self.output.lost();
    }

    pub fn is_loading(&self) -> bool {
        self.connection.pending.is_loading() || self.screens.is_sending()
    }

    /// Whether a response or the end of a typing pause is still to come.
    pub fn is_busy(&self) -> bool {
        let expects_connection = self.welcome.is_none() && self.connection.failure.is_none();
        let has_tried_journal = self.jobs().is_some() || self.connection.journal_failure.is_some();
        let is_connected = self.cx.client().is_some() && has_tried_journal;
        !self.connection.pending.is_empty()
            || self.screens.is_sending()
            || expects_connection && !is_connected
    }

    /// Only this method changes the app in response to messages.
    pub fn update(&mut self, message: Message) {
        self.counts.messages += 1;
        let message = match message {
            Message::Of(connection, message) if connection == self.connection.number => *message,
            Message::Of(..) => return,
            message => message,
        };
        self.input.begin(&message);
        self.cx.is_sending = self.is_sending();
        self.cx.is_refused = self.jobs().is_some_and(|jobs| jobs.open_answers().is_refused());
        self.with_effects(|app, effects| app.handle(message, effects));
    }

    fn handle(&mut self, message: Message, effects: &mut Effects<'_>) {
        match message {
            Message::Key(key) | Message::KeyAtOnce(key) if key.kind != KeyEventKind::Release => {
                self.on_key(key, effects);
            }
            // Connection messages were unwrapped above. The loop handles `Stop` and `Continued`.
            Message::Key(_)
            | Message::KeyAtOnce(_)
            | Message::Of(..)
            | Message::Stop
            | Message::Continued => {}
            Message::Paste(text) => {
                self.changed = true;
                self.on_paste(&text, effects);
            }
            Message::Mouse(mouse) => self.mouse(mouse, effects),
            Message::Resize(columns, rows) => {
                self.size = (columns, rows);
                // Repaint even at the same size: a window that was smaller for a moment has lost its content.
                self.repaint();
            }
            Message::Response(reply) => {
                let owner = self.connection.pending.remove(reply.id).unwrap_or(RequestOwner::Shell);
                if let Err(reply) = self.kept(reply, owner)
                    && !self.is_quiet_failure(&reply, owner, effects)
                {
                    self.on_reply(reply, owner, effects);
                    self.hold_back(owner, effects);
                }
            }
            Message::Connecting(reader) => {
                self.connection.connecting = Some(Client::new(reader));
                self.link();
            }
            Message::Linked(reader) => {
                self.connection.connecting = None;
                self.cx.connection.client = Some(Client::new(reader));
                self.link();
                self.connection.failure = None;
                self.read_recents(effects);
                self.changed = true;
            }
            Message::LinkFailed(error) => {
                let failure = Some(error.to_string());
                self.replace_connection(ConnectionState {
                    failure,
                    ..ConnectionState::new(self.connection.number)
                });
                if let Some(form) = RepinKey::of(&error) {
                    effects.show(form);
                    self.hold_back(RequestOwner::Shell, effects);
                }
                self.cx.connection.link = None;
                self.output.program_calls.clear();
                self.refresh.forget();
                self.changed = true;
            }
            Message::Pictures(way) => {
                self.changed |= self.cx.pictures.found(way);
                if let Some(way) = self.cx.pictures.kitty() {
                    gives_kitty_pictures(&way);
                }
            }
            Message::Background(ground) => {
                let palette = Palette { ground, ..self.palette };
                if palette.drawn() != self.palette.drawn() {
                    self.set_theme(palette);
                }
            }
            Message::Widths(ambiguous) => _ = self.cx.found_widths(ambiguous).then(|| self.repaint()),
            Message::Link => self.link(),
            Message::Job(changed) => self.job(*changed, effects),
            Message::Jobs(jobs) => {
                self.connection.jobs = Some(jobs.0);
                let failure = self.connection.journal_failure.take();
                if let Some(why) = &failure {
                    self.toasts.withdraw(why);
                }
                self.on_journal(JournalEvent::Opened { again: failure.is_some() }, effects);
                self.changed = true;
            }
            Message::Odd(text) => {
                self.toasts.warn(text);
                self.changed = true;
            }
            Message::JournalFailed(why) => {
                let why = self.cx.journal_words(&why);
                if let Some(why) = self.connection.journal_failure.replace(why.clone()) {
                    self.toasts.withdraw(&why);
                }
                self.on_journal(JournalEvent::Failed(&why), effects);
                self.changed |= self.toasts.add_error(why);
            }
            Message::JournalAway(why) => self.journal_away(why, effects),
            Message::Progress(request, done, all) => self.progress((request, done, all), effects),
            Message::Tick => self.tick(effects),
            Message::Terminate | Message::InputClosed => self.leave(effects),
            Message::Crashed(place) => {
                effects.warn(t!("A part of lapel failed; the rest still works. Details: {place}", place));
                self.changed = true;
            }
        }
    }

    fn tick(&mut self, effects: &mut Effects<'_>) {
        self.changed |= self.toasts.expire();
        self.link();
        self.refresh(effects);
        self.screens.each(effects, Screen::tick);
        self.views.keep(self.navigation.own_tab(), &self.screens, effects);
        self.changed |= self.modals.is_empty() && self.screen().shows_age(&self.cx);
        if hold::left(&self.cx).is_some() {
            self.changed = true;
        } else if self.is_loading() {
            self.cx.spin = self.cx.spin.wrapping_add(1);
            self.changed = true;
        }
    }

    /// Runs the closure, and then the effects that it has collected.
    fn with_effects(&mut self, run: impl FnOnce(&mut Self, &mut Effects<'_>)) {
        let mut requests = std::mem::take(&mut self.requests);
        let mut effects = Effects::new(&mut requests);
        run(self, &mut effects);
        self.finish(effects);
        self.requests = requests;
    }

    fn finish(&mut self, mut effects: Effects<'_>) {
        self.connection.drop_forms(&mut effects);
        if !self.takes_text() {
            effects
                .go
                .extend(std::mem::take(&mut self.connection.held_back).into_iter().map(|(_, form)| form));
        }
        while !effects.go.is_empty() {
            self.changed = true;
            for go in std::mem::take(&mut effects.go) {
                self.go(go, &mut effects);
            }
        }
        self.connection.drop_forms(&mut effects);
        self.changed |= self.modals.fit_confirms(&self.cx, &mut effects);
        self.screens.share(self.navigation.tab, &self.cx, &mut effects);
        if let Some(view) = self.cx.session().and_then(|session| self.views.read(session, &mut effects)) {
            self.show_view(&view, &mut effects);
        }
        self.views.watch(self.navigation.own_tab(), &self.screens);
        // A message takes rows of the body.
        self.changed |= self.toasts.receive(&mut effects, self.input.is_input);
        self.load_visible(&mut effects);
        // The user sees these jobs now, so no other screen has to tell about them.
        let activity = &self.screens.activity;
        if self.sees_jobs() && self.toasts.withdraw_jobs(|id| activity.shows(id)) {
            self.changed = true;
            self.load_visible(&mut effects);
        }
        if let Some(mut tour) = self.connection.tour.take() {
            self.changed |= tour.update(&self.tour_sees());
            self.connection.tour = Some(tour);
        }
        // While a modal is open the picture does not change, because the user returns to it.
        if self.modals.is_empty() {
            let is_ready = self.welcome.is_none() && self.cx.client().is_some() && self.fits();
            let is_shown = is_ready && self.cx.pictures.is_on();
            let want = is_shown.then(|| self.screen().picture(self.body(), &self.cx)).flatten();
            self.cx.pictures.want(want.as_ref(), &mut effects);
        }
        self.keep_typed(&mut effects);
        if let Some(page) = effects.page.take() {
            self.loop_command = Some(LoopCommand::Page(page));
        }
        for clip in std::mem::take(&mut effects.copies) {
            self.output.copy(clip, &mut effects);
        }
        self.changed |= self.toasts.receive(&mut effects, self.input.is_input);
        if self.connection.failure.is_some() {
            // Without a connection nothing can answer these requests.
            effects.commands.retain(|command| match command {
                WorkerCommand::Request(_, ask) => ask.has(Flag::Local),
                WorkerCommand::Connect(..) | WorkerCommand::Cancel(_) | WorkerCommand::Stop(_) => true,
            });
        }
        let owners: HashMap<RequestId, RequestOwner> = effects.owners.drain(..).collect();
        for command in &effects.commands {
            match command {
                WorkerCommand::Request(request, ask) => {
                    self.counts.asks += 1;
                    if let Request::Quiet(_) = ask {
                        self.refresh.asked(*request);
                    }
                    let owner = owners.get(request).copied().unwrap_or(RequestOwner::Shell);
                    self.connection.pending.insert(*request, ask, owner);
                }
                WorkerCommand::Cancel(request) => {
                    self.refresh.cancelled(*request);
                    self.connection.pending.remove(*request);
                }
                WorkerCommand::Stop(_) | WorkerCommand::Connect(..) => {}
            }
        }
        self.commands.append(&mut effects.commands);
    }

    /// Lays out the screen and the top popup, which request what they show.
    fn load_visible(&mut self, effects: &mut Effects<'_>) {
        let is_ready = self.cx.client().is_some() && self.views.is_ready();
        if self.welcome.is_some() || !is_ready || !self.fits() {
            return;
        }
        let area = self.body();
        self.with(RequestOwner::Screen(self.navigation.tab), effects, |screen, cx, effects| {
            screen.load_visible(area, cx, effects);
        });
        if let Some(modal) = self.modals.last() {
            self.with(RequestOwner::Modal(modal.id), effects, |modal, cx, effects| {
                modal.load_visible(area, cx, effects);
            });
        }
    }

    fn is_sending(&self) -> bool {
        self.screens.is_sending() || self.connection.pending.has_commands()
    }

    pub(super) fn body(&self) -> Rect {
        let (columns, rows) = self.size;
        let taken = 3 + self.message_rows() + self.tour_rows() + self.hold_rows();
        Rect { x: 0, y: 2, width: columns, height: rows.saturating_sub(taken) }
    }

    pub(super) fn hold_rows(&self) -> u16 {
        if self.welcome.is_some() || !self.fits() {
            return 0;
        }
        u16::try_from(self.hold_lines(self.size.0).len()).unwrap_or(0).min(MOST_HOLD_ROWS)
    }

    /// Below a form or a menu the lines name no key, because the key has another meaning there.
    pub(super) fn hold_lines(&self, columns: u16) -> Vec<String> {
        let key = || {
            let stack = self.key_contexts();
            [Action::Reload, Action::Check].iter().find_map(|action| self.cx.keymap.key(&stack, *action))
        };
        hold::lines(&self.cx, || key().filter(|_| self.modals.is_empty()), columns)
    }

    /// The user can stop it.
    pub(super) fn slow_read(&self) -> Option<UnderWay> {
        let waits = self.connection.pending.has_reads();
        let read = self.cx.client().filter(|_| waits)?.longest_read()?;
        (read.since.elapsed() >= SLOW).then_some(read)
    }

    pub(super) fn fits(&self) -> bool {
        self.size.0 >= SMALLEST.0 && self.size.1 >= SMALLEST.1
    }

    pub(super) fn screen(&self) -> &dyn Screen {
        self.screens.of(self.navigation.tab)
    }

    pub fn modal(&self) -> Option<&'static str> {
        self.modals.last().map(|modal| modal.name())
    }

    /// The component that receives keys and clicks.
    pub(super) fn front(&self) -> &dyn Component {
        match (self.modals.last(), &self.welcome) {
            (Some(opened), _) => opened.modal.as_ref(),
            (None, Some(welcome)) => welcome,
            (None, None) => self.screen(),
        }
    }

    /// Its name.
    pub(super) fn focus(&self) -> RequestOwner {
        match self.modals.last() {
            Some(modal) => RequestOwner::Modal(modal.id),
            None if self.welcome.is_some() => RequestOwner::Welcome,
            None => RequestOwner::Screen(self.navigation.tab),
        }
    }

    /// The component owns the requests that the closure makes. `None` if it no longer exists.
    pub(super) fn with<T>(
        &mut self,
        owner: RequestOwner,
        effects: &mut Effects<'_>,
        run: impl FnOnce(&mut dyn Component, &UiContext, &mut Effects<'_>) -> T,
    ) -> Option<T> {
        let component: &mut dyn Component = match owner {
            RequestOwner::Shell => return None,
            RequestOwner::Welcome => self.welcome.as_mut()?,
            RequestOwner::Screen(tab) => self.screens.of_mut(tab),
            RequestOwner::Modal(id) => self.modals.iter_mut().find(|modal| modal.id == id)?.modal.as_mut(),
        };
        let cx = &self.cx;
        Some(effects.owned_by(owner, |effects| run(component, cx, effects)))
    }

    pub(super) fn on_journal(&mut self, event: JournalEvent<'_>, effects: &mut Effects<'_>) {
        self.screens.each(effects, |screen, effects| screen.on_journal(event, &self.cx, effects));
    }

    fn progress(&mut self, (request, done, all): (RequestId, u64, u64), effects: &mut Effects<'_>) {
        let Some(owner) = self.connection.pending.owner(request) else { return };
        // A file that is written in the background has no visible progress.
        if let Some(form) =
            self.connection.background.as_mut().filter(|form| owner == RequestOwner::Modal(form.id))
        {
            form.on_progress(request, done, all);
            return;
        }
        let changed = self.with(owner, effects, |component, _, _| component.on_progress(request, done, all));
        let is_shown = match owner {
            RequestOwner::Screen(tab) => {
                self.navigation.tab == tab
                    && self.modals.last().is_none_or(|modal| !modal.has(ModalFlag::Covers))
            }
            _ => true,
        };
        self.changed |= changed == Some(true) && is_shown;
    }

    /// Tests check that a long list builds no more rows than a short one.
    pub fn rows_built(&self) -> u64 {
        self.screen().rows_built()
    }

    pub fn jobs(&self) -> Option<&Jobs> {
        self.connection.jobs.as_ref()
    }

    pub fn marked(&self) -> Vec<String> {
        self.screens.marked()
    }
}

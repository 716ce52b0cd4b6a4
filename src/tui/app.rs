//! The shell of the TUI: tabs, the modal stack, toasts and quitting. It handles every message; it never waits
//! and never draws.

mod comforts;
mod confirming;
mod connecting;
mod contexts;
mod editing;
mod exporting;
mod going;
mod input;
mod keeping;
mod news;
mod notice;
mod pictures;
mod pointing;
mod screen_text;
mod secrets;
mod ticks;
mod touring;
mod view;

pub(in crate::tui) use notice::Notice;

pub use super::screens::Tab;

use super::Begin;
use super::component::{Component, Modal, Screen};
use super::connection::{ConnectionState, Pending};
use super::context::Env;
use super::effects::{Effects, ModalId, Owner};
use super::hold;
use super::message::Message;
use super::modals::repin_key::RepinKey;
use super::platform::pager::Page;
use super::request::{Request, RequestId, RequestIds};
use super::screens::Screens;
use super::screens::home::JournalState;
use super::screens::welcome::Welcome;
use super::theme::Theme;
use super::worker::WorkerCommand;
use crate::api::UnderWay;
use crate::config::Palette;
use crate::jobs::Jobs;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::widgets::confirm::Confirm;
use crokey::KeyCombination;
use crossterm::event::KeyEventKind;
use ratatui::layout::{Position, Rect};
use std::any::Any;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

/// Smallest terminal size that lapel draws on: columns, rows.
pub const SMALLEST: (u16, u16) = (60, 16);

/// Most rows for the explanation of a rate limit wait.
const MOST_HOLD_ROWS: u16 = 4;
/// Minimum duration of a read before the screen shows how long it has taken.
const SLOW: std::time::Duration = std::time::Duration::from_secs(3);

/// Message for an action that a read-only profile may not do.
const READ_ONLY: &str = tr_noop!("This profile is read-only: it cannot issue or revoke.");

pub(super) struct OpenedModal {
    pub(super) id: ModalId,
    pub(super) modal: Box<dyn Modal>,
    /// The confirmation over the modal.
    pub(super) confirm: Option<Confirm>,
}

impl OpenedModal {
    pub(super) fn new(id: ModalId, modal: Box<dyn Modal>) -> Self {
        Self { id, modal, confirm: None }
    }

    pub(super) fn downcast_ref<T: Modal>(&self) -> Option<&T> {
        let modal: &dyn Any = self.modal.as_ref();
        modal.downcast_ref()
    }

    pub(super) fn downcast_mut<T: Modal>(&mut self) -> Option<&mut T> {
        let modal: &mut dyn Any = self.modal.as_mut();
        modal.downcast_mut()
    }
}

impl Deref for OpenedModal {
    type Target = dyn Modal;

    fn deref(&self) -> &Self::Target {
        self.modal.as_ref()
    }
}

impl DerefMut for OpenedModal {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.modal.as_mut()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopCommand {
    Suspend,
    /// Open a text in the user's editor.
    Edit,
    /// Show a text in the user's pager.
    Page(Page),
    Quit,
}

/// Counters for tests and measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub messages: u64,
    pub draws: u64,
    pub wakeups: u64,
    pub asks: u64,
}

pub struct App {
    pub env: Env,
    pub counts: Counts,
    pub(super) tab: Tab,
    drawn: Tab,
    /// The tabs to which Back returns, the most recent one last. A tab is added when the user follows
    /// something on it to another tab.
    came_from: Vec<Tab>,
    /// The last click on a row: its time, and whether it was the second one at once.
    clicked: Option<(tokio::time::Instant, Position, bool)>,
    pub(super) welcome: Option<Welcome>,
    pub(super) screens: Screens,
    pub(super) modals: Vec<OpenedModal>,
    next_modal: u64,
    pub(super) notice: Option<Notice>,
    /// The notice that was shown when the last action began. The help shows it in full.
    said_before: Option<String>,
    /// A message that the user did not ask for. It stays until the user closes it.
    pub(super) news: Option<Notice>,
    pub(super) size: (u16, u16),
    comforts: comforts::Comforts,
    views: view::Views,
    palette: Palette,
    requests: RequestIds,
    orders: Vec<WorkerCommand>,
    loop_command: Option<LoopCommand>,
    quit_asked: bool,
    /// A text to print after the TUI has ended, about an unfinished file.
    pub(super) parting: Option<String>,
    changed: bool,
    lost: bool,
    /// The contexts and the keys of an incomplete chord.
    pub(super) begun: (Vec<Context>, Vec<KeyCombination>),
    pub(super) app_paths: crate::tui::persist::app_paths::AppPaths,
    touring: Option<super::tour::Tour>,
    /// Whether the sandbox that is starting is for the tour.
    tour_wanted: bool,
    pub(super) connection: ConnectionState,
}

impl App {
    /// Shows the welcome screen when `begin` has no session.
    pub fn new(env: Env, palette: Palette, size: (u16, u16), begin: Begin, warning: Option<String>) -> Self {
        let welcome = matches!(begin, Begin::Welcome).then(|| Welcome::new(warning.clone()));
        let news = warning.filter(|_| welcome.is_none()).map(|text| Notice::new(text, true));
        let mut app = Self {
            env,
            counts: Counts::default(),
            tab: Tab::Home,
            drawn: Tab::Home,
            came_from: Vec::new(),
            clicked: None,
            welcome,
            screens: Screens::default(),
            modals: Vec::new(),
            next_modal: 0,
            notice: None,
            said_before: None,
            news,
            size,
            comforts: comforts::Comforts::default(),
            views: view::Views::default(),
            palette,
            requests: RequestIds::default(),
            orders: Vec::new(),
            loop_command: None,
            quit_asked: false,
            parting: None,
            changed: true,
            lost: false,
            begun: Default::default(),
            app_paths: crate::tui::persist::app_paths::AppPaths::default(),
            touring: None,
            tour_wanted: false,
            connection: ConnectionState::default(),
        };
        match begin {
            Begin::Session(session) => app.connect(*session),
            Begin::Sandbox => app.begin_with(Welcome::starting),
            Begin::Opening(name) => app.begin_with(|out| Welcome::opening(name, out)),
            Begin::Welcome => {}
        }
        app
    }

    pub fn take_orders(&mut self) -> Vec<WorkerCommand> {
        std::mem::take(&mut self.orders)
    }

    pub fn take_loop_command(&mut self) -> Option<LoopCommand> {
        self.loop_command.take()
    }

    /// Returns whether the drawn content may have changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    pub fn set_theme(&mut self, theme: impl Into<Palette>) {
        self.palette = theme.into();
        self.env.theme = Theme::new(self.palette, self.env.environment());
        self.changed = true;
    }

    /// Requests a full redraw. The terminal may have lost its content.
    pub fn repaint(&mut self) {
        self.changed = true;
        self.lost = true;
        self.env.pictures.lost();
        self.forget_title();
    }

    /// Returns whether a full redraw is needed: the terminal may have lost its content, or another tab is
    /// open.
    pub fn take_repaint(&mut self) -> bool {
        let is_other = std::mem::replace(&mut self.drawn, self.tab) != self.tab;
        std::mem::take(&mut self.lost) || is_other
    }

    /// Whether the screen waits for a response.
    pub fn is_loading(&self) -> bool {
        self.connection.pending.is_loading() || self.screens.activity.is_sending()
    }

    /// Whether a response or the end of a typing pause is still to come.
    pub fn is_busy(&self) -> bool {
        !self.connection.pending.is_empty() || self.screens.activity.is_sending() || !self.is_ready()
    }

    /// Whether there is a connection, or no connection is expected.
    fn is_ready(&self) -> bool {
        let connected =
            self.env.reader.is_some() && (self.connection.jobs.is_some() || self.connection.has_no_journal);
        connected || self.welcome.is_some() || self.connection.failure.is_some()
    }

    /// Handles a message. Only this method changes the app in response to messages.
    pub fn update(&mut self, message: Message) {
        self.counts.messages += 1;
        let message = match message {
            Message::Of(connection, message) if connection == self.connection.number => *message,
            Message::Of(..) => return,
            message => message,
        };
        self.env.is_sending = self.screens.activity.is_sending() || self.outstanding_commands();
        let mut requests = std::mem::take(&mut self.requests);
        let mut out = Effects::new(&mut requests);
        match message {
            Message::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key, &mut out),
            // Connection messages were unwrapped above. The loop handles `Stop` and `Continued`.
            Message::Key(_) | Message::Of(..) | Message::Stop | Message::Continued => {}
            Message::Paste(text) => {
                self.changed = true;
                self.on_paste(&text, &mut out);
            }
            Message::Mouse(mouse) => self.mouse(mouse, &mut out),
            Message::Resize(columns, rows) => {
                self.size = (columns, rows);
                // Repaint even at the same size: a window that was smaller for a moment has lost its content.
                self.repaint();
            }
            Message::Response(request, answer) => {
                let owner = self.connection.pending.remove(request).unwrap_or(Owner::Shell);
                if let Err(answer) = self.kept(request, answer)
                    && !self.is_quiet_failure((request, owner), &answer, &mut out)
                {
                    self.answer((request, owner), answer, &mut out);
                }
            }
            Message::Connecting(reader) => {
                self.connection.connecting = Some(reader);
                self.link();
            }
            Message::Linked(reader) => {
                self.connection.connecting = None;
                self.env.reader = Some(reader);
                self.link();
                self.connection.failure = None;
                self.read_recents(&mut out);
                self.changed = true;
            }
            Message::LinkFailed(error) => {
                self.connection.failure = Some(error.to_string());
                if let Some(form) = RepinKey::of(&error) {
                    self.open(form);
                }
                self.connection.pending = Pending::default();
                self.connection.connecting = None;
                self.env.link = None;
                self.comforts.reset();
                self.changed = true;
            }
            Message::Pictures(way) => self.found(way),
            Message::Background(ground) => self.found_ground(ground),
            Message::Widths(ambiguous) => self.found_widths(ambiguous),
            Message::Link => self.link(),
            Message::Job(changed) => self.job(*changed, &mut out),
            Message::Jobs(jobs) => {
                self.connection.jobs = Some(jobs.0);
                out.owned_by(Owner::Screen(Tab::Activity), |out| self.screens.activity.restart(out));
                out.owned_by(Owner::Screen(Tab::Home), |out| self.screens.home.restart(out));
                self.changed = true;
            }
            Message::Odd(text) => self.tell(text),
            Message::JournalFailed(why) => {
                self.connection.has_no_journal = true;
                self.screens.home.take_jobs(&[], JournalState::Failed(why.clone()), &self.env);
                self.tell(why);
            }
            Message::Progress(request, done, all) => {
                self.progress((request, done, all), &mut out);
            }
            Message::Tick => {
                self.expire_toasts();
                self.link();
                self.refresh(&mut out);
                out.owned_by(Owner::Screen(Tab::Home), |out| self.screens.home.tick(out));
                self.keep_view(&mut out);
                self.changed |= self.shows_age();
                if hold::left(&self.env).is_some() {
                    self.changed = true;
                } else if self.is_loading() {
                    self.env.spin = self.env.spin.wrapping_add(1);
                    self.changed = true;
                }
            }
            Message::Terminate | Message::InputClosed => self.leave(&mut out),
            Message::Crashed(place) => {
                out.warn(t!("A part of lapel failed; the rest still works. Details: {place}", place));
                self.changed = true;
            }
        }
        self.finish(out);
        self.requests = requests;
    }

    fn finish(&mut self, mut out: Effects<'_>) {
        while !out.go.is_empty() {
            self.changed = true;
            for go in std::mem::take(&mut out.go) {
                self.go(go, &mut out);
            }
        }
        self.fit_confirms(&mut out);
        self.tell_home();
        self.open_view(&mut out);
        self.watch_view();
        let area = self.body();
        let ready = self.env.reader.is_some() && self.views.is_ready();
        if self.welcome.is_none() && ready && self.fits() {
            self.with(Owner::Screen(self.tab), &mut out, |screen, env, out| {
                screen.load_visible(area, env, out);
            });
            if let Some(modal) = self.modals.last() {
                self.with(Owner::Modal(modal.id), &mut out, |modal, env, out| {
                    modal.load_visible(area, env, out);
                });
            }
        }
        self.tour_looks();
        self.want_picture(&mut out);
        self.keep_typed(&mut out);
        if let Some(page) = out.page.take() {
            self.loop_command = Some(LoopCommand::Page(page));
        }
        for clip in std::mem::take(&mut out.copies) {
            self.copy(clip, &mut out);
        }
        if let Some((text, bad)) = out.notice.take() {
            self.notice = Some(Notice::toast(text, bad));
            // A toast that it covers does not come back.
            self.news.take_if(|news| news.until.is_some());
            self.changed = true;
        }
        if let Some((text, bad)) = out.news.take() {
            self.news = Some(Notice::new(text, bad));
            self.changed = true;
        }
        if self.connection.failure.is_some() {
            // Without a connection nothing can answer these requests.
            out.orders.retain(|order| match order {
                WorkerCommand::Request(_, ask) => ask.needs_no_link(),
                WorkerCommand::Connect(..) | WorkerCommand::Cancel(_) | WorkerCommand::Stop(_) => true,
            });
        }
        let owners: HashMap<RequestId, Owner> = out.owners.drain(..).collect();
        for order in &out.orders {
            match order {
                WorkerCommand::Request(request, ask) => {
                    self.counts.asks += 1;
                    if let Request::Quiet(_) = ask {
                        self.comforts.refresh.asked(*request);
                    }
                    let owner = owners.get(request).copied().unwrap_or(Owner::Shell);
                    self.connection.pending.insert(*request, ask, owner);
                }
                WorkerCommand::Cancel(request) => {
                    self.comforts.refresh.cancelled(*request);
                    self.connection.pending.remove(*request);
                }
                WorkerCommand::Stop(_) | WorkerCommand::Connect(..) => {}
            }
        }
        self.orders.append(&mut out.orders);
    }

    pub(super) fn outstanding_commands(&self) -> bool {
        self.connection.pending.has_commands()
    }

    pub(super) fn body(&self) -> Rect {
        let (columns, rows) = self.size;
        let taken = 4 + self.tour_rows() + self.hold_rows();
        Rect { x: 0, y: 2, width: columns, height: rows.saturating_sub(taken) }
    }

    /// Rows below the screen that explain a rate limit wait.
    pub(super) fn hold_rows(&self) -> u16 {
        if self.welcome.is_some() || !self.fits() {
            return 0;
        }
        u16::try_from(self.hold_lines(self.size.0).len()).unwrap_or(0).min(MOST_HOLD_ROWS)
    }

    /// The lines that explain a rate limit wait. Below a form or a menu they name no key, because the key has
    /// another meaning there.
    pub(super) fn hold_lines(&self, columns: u16) -> Vec<String> {
        let pings = [Action::Reload, Action::Look];
        let stack = self.key_contexts();
        let key = pings.iter().find_map(|action| self.env.keymap.key(&stack, *action));
        hold::lines(&self.env, key.filter(|_| self.modals.is_empty()).as_deref(), columns)
    }

    /// A read that the screen waits for and that takes long. The user can stop it.
    pub(super) fn slow_read(&self) -> Option<UnderWay> {
        let waits = self.connection.pending.has_reads();
        let read = self.env.reader.as_ref().filter(|_| waits)?.longest_read()?;
        (read.since.elapsed() >= SLOW).then_some(read)
    }

    /// Stops the reads that the screen waits for. Returns false when none of them takes long.
    pub(super) fn stop_reads(&mut self, out: &mut Effects<'_>) -> bool {
        if self.slow_read().is_none() {
            return false;
        }
        out.orders.extend(self.connection.pending.stop_reads());
        true
    }

    pub(super) fn fits(&self) -> bool {
        self.size.0 >= SMALLEST.0 && self.size.1 >= SMALLEST.1
    }

    pub(super) fn broken(&self) -> Option<&str> {
        self.connection.failure.as_deref()
    }

    /// Opens a tab from another one. Back returns to the other one.
    fn follow_to(&mut self, tab: Tab) {
        if self.tab != tab {
            self.came_from.push(self.tab);
            self.tab = tab;
        }
    }

    /// Opens a tab directly. Closes all modals and clears the list of tabs for Back.
    fn open_tab(&mut self, tab: Tab) {
        if tab == Tab::Home {
            self.screens.home.opened();
        }
        if tab == Tab::Wallet {
            self.screens.wallet.learn(self.screens.history.browser.loaded());
            self.screens.wallet.focus_box();
        }
        self.tab = tab;
        self.came_from.clear();
        self.modals.clear();
    }

    pub(super) fn screen(&self) -> &dyn Screen {
        self.screens.of(self.tab)
    }

    pub fn modal(&self) -> Option<&'static str> {
        self.modals.last().map(|modal| modal.name())
    }

    pub(super) fn top<T: Modal>(&self) -> Option<&T> {
        self.modals.last()?.downcast_ref()
    }

    /// Whether a modal of this type that meets a condition is open, wherever in the stack: the help may be over it.
    pub(super) fn is_open<T: Modal>(&self, condition: impl Fn(&T) -> bool) -> bool {
        self.modals.iter().filter_map(OpenedModal::downcast_ref).any(condition)
    }

    /// Opens a modal that makes no request while it is built.
    pub(super) fn open(&mut self, modal: impl Modal) {
        let id = self.next_modal();
        self.modals.push(OpenedModal::new(id, Box::new(modal)));
    }

    pub(super) fn next_modal(&mut self) -> ModalId {
        self.next_modal += 1;
        ModalId(self.next_modal)
    }

    /// The component that receives keys and clicks.
    pub(super) fn focus(&self) -> Owner {
        match self.modals.last() {
            Some(modal) => Owner::Modal(modal.id),
            None if self.welcome.is_some() => Owner::Welcome,
            None => Owner::Screen(self.tab),
        }
    }

    /// Runs a closure on a component, which owns the requests that the closure makes. Returns `None` when the
    /// component no longer exists.
    pub(super) fn with<T>(
        &mut self,
        owner: Owner,
        out: &mut Effects<'_>,
        run: impl FnOnce(&mut dyn Component, &Env, &mut Effects<'_>) -> T,
    ) -> Option<T> {
        let component: &mut dyn Component = match owner {
            Owner::Shell => return None,
            Owner::Welcome => self.welcome.as_mut()?,
            Owner::Screen(tab) => self.screens.of_mut(tab),
            Owner::Modal(id) => self.modals.iter_mut().find(|modal| modal.id == id)?.modal.as_mut(),
        };
        let env = &self.env;
        Some(out.owned_by(owner, |out| run(component, env, out)))
    }

    fn progress(&mut self, (request, done, all): (RequestId, u64, u64), out: &mut Effects<'_>) {
        let Some(owner) = self.connection.pending.owner(request) else { return };
        // An export in the background has no visible progress.
        if let Some((_, form)) = self.connection.export.as_mut().filter(|(id, _)| owner == Owner::Modal(*id))
        {
            form.on_progress(request, done, all);
            return;
        }
        let changed = self.with(owner, out, |component, _, _| component.on_progress(request, done, all));
        let is_shown = match owner {
            Owner::Screen(tab) => self.tab == tab && self.modals.last().is_none_or(|modal| modal.is_popup()),
            _ => true,
        };
        self.changed |= changed == Some(true) && is_shown;
    }

    /// Table rows that the last draw built. Tests check that a long list builds no more rows than a short
    /// one.
    pub fn rows_built(&self) -> u64 {
        self.screen().rows_built()
    }

    /// The job service, for saving and stopping jobs at the end.
    pub fn jobs(&self) -> Option<&Jobs> {
        self.connection.jobs.as_ref()
    }

    /// Whether lapel is reading the history into an index on disk.
    pub fn reads_index(&self) -> bool {
        let kept =
            self.env.session.as_ref().and_then(|s| s.index.as_ref()).is_some_and(|i| i.folder.is_some());
        kept && self.screens.home.is_reading()
    }

    /// Requests without an answer yet.
    pub fn in_flight(&self) -> u64 {
        self.screens.activity.in_flight()
    }

    pub fn marked(&self) -> Vec<String> {
        self.screens.history.marks().keys().map(|id| id.wire().to_owned()).collect()
    }
}

//! The desk itself: which screen is open, what is over it, and how a message changes that. It never waits
//! and never draws.

mod comforts;
mod connecting;
mod contexts;
mod editing;
mod exporting;
mod going;
mod input;
mod keeping;
mod news;
mod pictures;
mod pointing;
mod secrets;
mod touring;
mod view;

pub use super::screens::Tab;

use super::Begin;
use super::component::{Component, Modal, Screen};
use super::connection::{ConnectionState, Pending};
use super::context::Env;
use super::effects::{Effects, ModalId, Owner};
use super::hold;
use super::message::Message;
use super::modals::repin_key::PinForm;
use super::request::{Request, RequestId, RequestIds};
use super::screens::Screens;
use super::screens::welcome::Welcome;
use super::theme::Theme;
use super::worker::WorkerCommand;
use crate::api::UnderWay;
use crate::config::Palette;
use crate::jobs::Jobs;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crokey::KeyCombination;
use crossterm::event::KeyEventKind;
use ratatui::layout::Rect;
use std::any::Any;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use tokio::time::Instant;

/// The smallest screen that the desk is drawn on.
pub const SMALLEST: (u16, u16) = (60, 16);

/// The most rows that explain a wait of the service.
const MOST_HOLD_ROWS: u16 = 4;
/// From here on a read says how long it has taken.
const SLOW: std::time::Duration = std::time::Duration::from_secs(3);

/// What is said to whoever tries to act with a read-only profile.
const READ_ONLY: &str = tr_noop!("This profile is read-only: it cannot issue or revoke.");

/// A modal that is open.
pub(super) struct OpenedModal {
    pub(super) id: ModalId,
    pub(super) modal: Box<dyn Modal>,
}

impl OpenedModal {
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

/// One line for the person at the bottom of the screen.
pub(super) struct Notice {
    pub(super) text: String,
    pub(super) bad: bool,
}

/// What the desk asks its loop for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopCommand {
    /// Put the program in the background.
    Suspend,
    /// Hand a text to the person's editor.
    Edit,
    /// End.
    Quit,
}

/// What happened so far, in numbers: for tests and measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages handled.
    pub messages: u64,
    /// Frames drawn.
    pub draws: u64,
    /// Times that the loop woke up.
    pub wakeups: u64,
    /// Questions handed to the worker.
    pub asks: u64,
}

/// The desk.
pub struct App {
    /// What every screen may read.
    pub env: Env,
    /// Numbers.
    pub counts: Counts,
    pub(super) tab: Tab,
    /// The tab that was drawn last.
    drawn: Tab,
    /// The tabs that were left by following something on them, the last one last: back goes there.
    came_from: Vec<Tab>,
    pub(super) welcome: Option<Welcome>,
    pub(super) screens: Screens,
    /// What is open over the tab, the topmost last.
    pub(super) modals: Vec<OpenedModal>,
    next_modal: u64,
    pub(super) notice: Option<Notice>,
    /// What that line said when the last action began: the help has all of it.
    said_before: Option<String>,
    /// What came by itself and was not asked for: it stays until it is closed.
    pub(super) news: Option<Notice>,
    pub(super) size: (u16, u16),
    comforts: comforts::Comforts,
    views: view::Views,
    palette: Palette,
    tickets: RequestIds,
    orders: Vec<WorkerCommand>,
    wish: Option<LoopCommand>,
    quit_asked: bool,
    /// What is said of a file that was given up, once the screen is gone.
    pub(super) parting: Option<String>,
    changed: bool,
    lost: bool,
    /// The keys of a chord that were pressed so far, and where.
    pub(super) begun: (Vec<Context>, Vec<KeyCombination>),
    /// Where lapel's files are.
    pub(super) app_paths: crate::tui::persist::app_paths::AppPaths,
    /// The tour, while it is taken.
    touring: Option<super::tour::Tour>,
    /// Whether the sandbox that is on its way is for the tour.
    tour_wanted: bool,
    pub(super) connection: ConnectionState,
}

impl App {
    /// A desk of a size, on the first screen when there is no session to begin with.
    pub fn new(env: Env, palette: Palette, size: (u16, u16), begin: Begin, warning: Option<String>) -> Self {
        let welcome = matches!(begin, Begin::Welcome).then(|| Welcome::new(warning.clone()));
        let news = warning.filter(|_| welcome.is_none()).map(|text| Notice { text, bad: true });
        let mut app = Self {
            env,
            counts: Counts::default(),
            tab: Tab::Templates,
            drawn: Tab::Templates,
            came_from: Vec::new(),
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
            tickets: RequestIds::default(),
            orders: Vec::new(),
            wish: None,
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

    /// What the worker has to do now.
    pub fn take_orders(&mut self) -> Vec<WorkerCommand> {
        std::mem::take(&mut self.orders)
    }

    /// What the loop has to do now.
    pub fn take_wish(&mut self) -> Option<LoopCommand> {
        self.wish.take()
    }

    /// Whether anything that is drawn may have changed since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Draws in other colours from now on.
    pub fn set_theme(&mut self, theme: impl Into<Palette>) {
        self.palette = theme.into();
        self.env.theme = Theme::new(self.palette, self.env.environment());
        self.changed = true;
    }

    /// Asks for a drawing of everything, whatever was drawn before: the terminal may have lost it.
    pub fn repaint(&mut self) {
        self.changed = true;
        self.lost = true;
        self.env.pictures.lost();
    }

    /// Whether everything is to be drawn: the terminal may have lost what was drawn before, or another tab is
    /// open.
    pub fn take_repaint(&mut self) -> bool {
        let is_other = std::mem::replace(&mut self.drawn, self.tab) != self.tab;
        std::mem::take(&mut self.lost) || is_other
    }

    /// When the desk wants a [`Message::Tick`]: soon while something is loading, at the next change of the
    /// link's numbers, at the next minute where the screen tells how long something waits, when the screen is
    /// to be read again by itself, otherwise never.
    pub fn next_tick(&self) -> Option<Instant> {
        let held = hold::next_change(&self.env);
        // While the service asks to wait, nothing moves but the time that is left.
        let spins = held.is_none() && self.is_loading();
        let spin = spins.then(|| Instant::now() + std::time::Duration::from_millis(120));
        let link = self.env.link.as_ref().and_then(|l| l.next_change);
        let age =
            self.shows_age().then(|| self.env.next_minute()).flatten().map(|left| Instant::now() + left);
        [spin, held, link, age, self.refresh_due(), self.screens.overview.due(), self.views.due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether the screen shows how long something has been waiting.
    fn shows_age(&self) -> bool {
        self.modals.is_empty() && self.screen().shows_age(&self.env)
    }

    /// Whether an answer is on its way that the screen waits for.
    pub fn is_loading(&self) -> bool {
        self.connection.pending.is_loading() || self.screens.activity.is_sending()
    }

    /// Whether anything at all is still to come by itself: an answer, or the end of a pause in typing.
    pub fn is_busy(&self) -> bool {
        !self.connection.pending.is_empty() || self.screens.activity.is_sending() || !self.is_ready()
    }

    /// Whether there is a connection, or nothing to connect to.
    fn is_ready(&self) -> bool {
        let connected =
            self.env.reader.is_some() && (self.connection.jobs.is_some() || self.connection.has_no_journal);
        connected || self.welcome.is_some() || self.connection.failure.is_some()
    }

    /// Takes a message. This is the only way in.
    pub fn update(&mut self, message: Message) {
        self.counts.messages += 1;
        let message = match message {
            Message::Of(connection, message) if connection == self.connection.number => *message,
            Message::Of(..) => return,
            message => message,
        };
        self.env.is_sending = self.screens.activity.is_sending() || self.outstanding_deeds();
        let mut tickets = std::mem::take(&mut self.tickets);
        let mut out = Effects::new(&mut tickets);
        match message {
            Message::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key, &mut out),
            // A message of a connection was taken out above, and those of the terminal are the loop's.
            Message::Key(_) | Message::Of(..) | Message::Stop | Message::Continued => {}
            Message::Paste(text) => {
                self.changed = true;
                self.on_paste(&text, &mut out);
            }
            Message::Mouse(mouse) => self.mouse(mouse, &mut out),
            Message::Resize(columns, rows) => {
                self.size = (columns, rows);
                // Also where it is the same: a window that was smaller for a moment has lost what was on it.
                self.repaint();
            }
            Message::Response(ticket, answer) => {
                let owner = self.connection.pending.remove(ticket).unwrap_or(Owner::Shell);
                if let Err(answer) = self.kept(ticket, answer)
                    && !self.is_quiet_failure((ticket, owner), &answer, &mut out)
                {
                    self.answer((ticket, owner), answer, &mut out);
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
                if let Some(form) = PinForm::of(&error) {
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
                self.changed = true;
            }
            Message::Odd(text) => self.tell(text),
            Message::JournalFailed(why) => {
                self.connection.has_no_journal = true;
                self.tell(why);
            }
            Message::Progress(ticket, done, all) => {
                self.progress((ticket, done, all), &mut out);
            }
            Message::Tick => {
                self.link();
                self.refresh(&mut out);
                out.owned_by(Owner::Screen(Tab::Overview), |out| self.screens.overview.tick(out));
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
        self.tickets = tickets;
    }

    fn finish(&mut self, mut out: Effects<'_>) {
        while !out.go.is_empty() {
            self.changed = true;
            for go in std::mem::take(&mut out.go) {
                self.go(go, &mut out);
            }
        }
        self.open_view(&mut out);
        self.watch_view();
        let area = self.body();
        let ready = self.env.reader.is_some() && self.views.is_ready();
        if self.welcome.is_none() && ready && self.fits() {
            self.with(Owner::Screen(self.tab), &mut out, |screen, env, out| {
                screen.load_visible(area, env, out)
            });
            if let Some(modal) = self.modals.last() {
                self.with(Owner::Modal(modal.id), &mut out, |modal, env, out| {
                    modal.load_visible(area, env, out)
                });
            }
        }
        self.tour_looks();
        self.want_picture(&mut out);
        self.keep_typed(&mut out);
        for clip in std::mem::take(&mut out.copies) {
            self.copy(clip, &mut out);
        }
        if let Some((text, bad)) = out.notice.take() {
            self.notice = Some(Notice { text, bad });
            self.changed = true;
        }
        if let Some((text, bad)) = out.news.take() {
            self.news = Some(Notice { text, bad });
            self.changed = true;
        }
        if self.connection.failure.is_some() {
            // Without a connection nobody would answer.
            out.orders.retain(|order| match order {
                WorkerCommand::Request(_, ask) => ask.needs_no_link(),
                WorkerCommand::Connect(..) | WorkerCommand::Cancel(_) | WorkerCommand::Stop(_) => true,
            });
        }
        let owners: HashMap<RequestId, Owner> = out.owners.drain(..).collect();
        for order in &out.orders {
            match order {
                WorkerCommand::Request(ticket, ask) => {
                    self.counts.asks += 1;
                    if let Request::Quiet(_) = ask {
                        self.comforts.refresh.asked(*ticket);
                    }
                    let owner = owners.get(ticket).copied().unwrap_or(Owner::Shell);
                    self.connection.pending.insert(*ticket, ask, owner);
                }
                WorkerCommand::Cancel(ticket) => {
                    self.comforts.refresh.cancelled(*ticket);
                    self.connection.pending.remove(*ticket);
                }
                // Answered by the worker.
                WorkerCommand::Stop(_) | WorkerCommand::Connect(..) => {}
            }
        }
        self.orders.append(&mut out.orders);
    }

    /// Whether something that has consequences was handed to the worker and is not answered.
    pub(super) fn outstanding_deeds(&self) -> bool {
        self.connection.pending.has_commands()
    }

    /// The part of the screen between header and footer.
    pub(super) fn body(&self) -> Rect {
        let (columns, rows) = self.size;
        let taken = 4 + self.tour_rows() + self.hold_rows();
        Rect { x: 0, y: 2, width: columns, height: rows.saturating_sub(taken) }
    }

    /// Rows below the screen that explain a wait of the service.
    pub(super) fn hold_rows(&self) -> u16 {
        if self.welcome.is_some() || !self.fits() {
            return 0;
        }
        u16::try_from(self.hold_lines(self.size.0).len()).unwrap_or(0).min(MOST_HOLD_ROWS)
    }

    /// The lines that explain such a wait. Below a form or a menu they name no key: there it means something else.
    pub(super) fn hold_lines(&self, columns: u16) -> Vec<String> {
        let pings = [Action::Reload, Action::Look];
        let stack = self.key_contexts();
        let key = pings.iter().find_map(|action| self.env.keymap.key(&stack, *action));
        hold::lines(&self.env, key.filter(|_| self.modals.is_empty()).as_deref(), columns)
    }

    /// The read that the screen waits for, once it takes long: it can be stopped then.
    pub(super) fn slow_read(&self) -> Option<UnderWay> {
        let waits = self.connection.pending.has_reads();
        let read = self.env.reader.as_ref().filter(|_| waits)?.longest_read()?;
        (read.since.elapsed() >= SLOW).then_some(read)
    }

    /// Stops the reads that the screen waits for; whether there were any that take long.
    pub(super) fn stop_reads(&mut self, out: &mut Effects<'_>) -> bool {
        if self.slow_read().is_none() {
            return false;
        }
        out.orders.extend(self.connection.pending.stop_reads());
        true
    }

    /// Whether the screen is large enough to draw on.
    pub(super) fn fits(&self) -> bool {
        self.size.0 >= SMALLEST.0 && self.size.1 >= SMALLEST.1
    }

    /// What is wrong with the connection as a whole, if anything.
    pub(super) fn broken(&self) -> Option<&str> {
        self.connection.failure.as_deref()
    }

    /// Opens a tab from another one, which back then returns to.
    fn follow_to(&mut self, tab: Tab) {
        if self.tab != tab {
            self.came_from.push(self.tab);
            self.tab = tab;
        }
    }

    /// Opens the overview over the tab.
    fn open_overview(&mut self) {
        self.follow_to(Tab::Overview);
        self.screens.overview.opened();
    }

    /// Opens a tab by its name: what was over it is closed, and there is nothing to go back to.
    fn open_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.came_from.clear();
        self.modals.clear();
    }

    /// The screen of the tab.
    pub(super) fn screen(&self) -> &dyn Screen {
        self.screens.of(self.tab)
    }

    /// The type's name of the modal on top, for tests.
    pub fn modal(&self) -> Option<&'static str> {
        self.modals.last().map(|modal| modal.name())
    }

    /// The modal on top, if it is of this type.
    pub(super) fn top<T: Modal>(&self) -> Option<&T> {
        self.modals.last()?.downcast_ref()
    }

    pub(super) fn top_mut<T: Modal>(&mut self) -> Option<&mut T> {
        self.modals.last_mut()?.downcast_mut()
    }

    /// Opens a modal that makes no request while it is built.
    pub(super) fn open(&mut self, modal: impl Modal) {
        let id = self.next_modal();
        self.modals.push(OpenedModal { id, modal: Box::new(modal) });
    }

    pub(super) fn next_modal(&mut self) -> ModalId {
        self.next_modal += 1;
        ModalId(self.next_modal)
    }

    /// What takes keys and clicks.
    pub(super) fn focus(&self) -> Owner {
        match self.modals.last() {
            Some(modal) => Owner::Modal(modal.id),
            None if self.welcome.is_some() => Owner::Welcome,
            None => Owner::Screen(self.tab),
        }
    }

    /// Runs something on a component, which owns the requests that it makes. `None` where it is no longer there.
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

    fn progress(&mut self, (ticket, done, all): (RequestId, u64, u64), out: &mut Effects<'_>) {
        let Some(owner) = self.connection.pending.owner(ticket) else { return };
        // Nobody sees a file that is written in the background.
        if let Some((_, form)) = self.connection.export.as_mut().filter(|(id, _)| owner == Owner::Modal(*id))
        {
            form.on_progress(ticket, done, all);
            return;
        }
        let changed = self.with(owner, out, |component, _, _| component.on_progress(ticket, done, all));
        let is_shown = match owner {
            Owner::Screen(tab) => self.tab == tab,
            _ => true,
        };
        self.changed |= changed == Some(true) && is_shown;
    }

    /// How many table rows the last drawing built: counted, so that a long list costs what a short one does.
    pub fn rows_built(&self) -> u64 {
        self.screen().rows_built()
    }

    /// Where jobs are handed in, for closing them in good order.
    pub fn jobs(&self) -> Option<&Jobs> {
        self.connection.jobs.as_ref()
    }

    /// Whether an index that is kept is being read.
    pub fn reads_index(&self) -> bool {
        let kept =
            self.env.session.as_ref().and_then(|s| s.index.as_ref()).is_some_and(|i| i.folder.is_some());
        kept && self.screens.overview.is_reading()
    }

    /// Requests whose answers are not here yet.
    pub fn in_flight(&self) -> u64 {
        self.screens.activity.in_flight()
    }

    /// The marked badges' ids, for tests.
    pub fn marked(&self) -> Vec<String> {
        self.screens.history.marks().keys().map(|id| id.wire().to_owned()).collect()
    }
}

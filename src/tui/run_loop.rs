//! The loop of the TUI: it sends requests to the worker, waits for a message, handles everything queued, and
//! draws once.

use super::app::{App, FirstConnection, LoopCommand, Notice};
use super::initial_view::InitialView;
use super::input::keymap::Keymap;
use super::input::pause;
use super::message::Message;
use super::persist::app_paths::AppPaths;
use super::platform::canvas::Surface;
use super::platform::cells;
use super::platform::host::AppOptions;
use super::platform::pager::PagerText;
use super::platform::{images, terminal};
use super::shutdown;
use super::theme::Glyphs;
use super::worker::{self, Helpers, WorkerCommand};
use crate::config::{GlyphChoice, JoinedChoice, PictureChoice, PictureSettings};
use crate::tui::prelude::*;
use anyhow::Context as _;
use std::io::Write;
use tokio::sync::mpsc;

pub struct Start {
    pub first_connection: FirstConnection,
    pub warning: Option<String>,
    pub theme: Palette,
    pub glyphs: GlyphChoice,
    /// How joined letters are drawn.
    pub joined: JoinedChoice,
    pub keymap: Keymap,
    pub wanted: InitialView,
    pub pictures: PictureSettings,
    pub options: AppOptions,
    pub helpers: Helpers,
    pub crash_dir: PathBuf,
    pub app_paths: AppPaths,
    /// For tests of failures in the middle of a step.
    pub on_step: fn(LoopStep),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStep {
    Update,
    /// The frame is complete, and not written yet.
    Draw,
}

pub struct Tui<S: Surface> {
    pub app: App,
    pub surface: S,
    frame: Buffer,
    messages: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    commands: mpsc::Sender<WorkerCommand>,
    held: VecDeque<WorkerCommand>,
    /// When they end. Each move of the cursor begins some, and to wake the worker for them would take longer than
    /// the move.
    pauses: Vec<(Instant, RequestId)>,
    on_step: fn(LoopStep),
    /// The output for data that is not a frame. A test terminal has none.
    output: Box<dyn Write + Send>,
}

impl<S: Surface> Tui<S> {
    /// Must run within a tokio runtime.
    pub fn new(surface: S, start: Start) -> anyhow::Result<Self> {
        let size = surface
            .size()
            .map_err(|e| anyhow::anyhow!(t!("unknown terminal size: {e}", e = io_error::words(&e))))?;
        let mut cx = UiContext::new(start.theme, Glyphs::of(start.glyphs), start.keymap);
        cx.pictures = images::PictureStore::new(&start.pictures);
        let mut app =
            App::new(cx, start.theme, (size.width, size.height), start.first_connection, start.warning);
        app.set_options(start.options);
        app.set_app_paths(start.app_paths);
        app.begin(start.wanted);
        let (sender, messages) = mpsc::channel(1024);
        let (commands, received) = mpsc::channel(1024);
        tokio::spawn(worker::run(received, sender.clone(), start.helpers));
        Ok(Self {
            app,
            surface,
            frame: Buffer::default(),
            messages,
            sender,
            commands,
            held: VecDeque::new(),
            pauses: Vec::new(),
            on_step: start.on_step,
            output: Box::new(std::io::sink()),
        })
    }

    pub fn sender(&self) -> mpsc::Sender<Message> {
        self.sender.clone()
    }

    /// Sends the queued commands to the worker. Commands that do not fit in its queue wait here, so that they
    /// never delay a key.
    fn hand_out(&mut self) {
        for command in self.app.commands.drain(..) {
            match command {
                WorkerCommand::Request(id, Request::Pause(time)) => {
                    self.pauses.push((Instant::now() + time, id));
                    continue;
                }
                WorkerCommand::Cancel(id) => {
                    if let Some(at) = self.pauses.iter().position(|(_, pause)| *pause == id) {
                        self.pauses.remove(at);
                        continue;
                    }
                }
                WorkerCommand::Connect(..) => self.pauses.clear(),
                WorkerCommand::Request(..) | WorkerCommand::Stop(_) => {}
            }
            self.held.push_back(command);
        }
        while let Some(command) = self.held.pop_front() {
            if let Err(mpsc::error::TrySendError::Full(command)) = self.commands.try_send(command) {
                self.held.push_front(command);
                break;
            }
        }
    }

    /// Returns whether it has drawn.
    pub fn draw(&mut self) -> anyhow::Result<bool> {
        if !std::mem::take(&mut self.app.changed) {
            return Ok(false);
        }
        let size = self
            .surface
            .size()
            .map_err(|e| anyhow::anyhow!(t!("unknown terminal size: {e}", e = io_error::words(&e))))?;
        if self.app.size != (size.width, size.height) {
            // The window has a new size, and its resize message has not arrived yet.
            self.app.update(Message::Resize(size.width, size.height));
        }
        // The terminal may have lost its content.
        if std::mem::take(&mut self.app.output.is_lost) {
            self.surface.forget();
        }
        self.app.changed = false;
        self.app.counts.draws += 1;
        self.frame.resize(Rect::from(size));
        self.frame.reset();
        self.app.draw(&mut self.frame);
        (self.on_step)(LoopStep::Draw);
        let shown = self.surface.show(&mut self.frame);
        shown.map_err(|e| anyhow::anyhow!(t!("cannot draw: {e}", e = io_error::words(&e))))?;
        Ok(true)
    }

    /// The last frame that was drawn. A real terminal's is an older one, see [`Surface::show`].
    pub fn frame(&self) -> &Buffer {
        &self.frame
    }

    pub async fn next(&mut self) -> Message {
        self.hand_out();
        let tick = self.app.next_tick();
        let pause = self.pauses.iter().map(|(end, _)| *end).min();
        let message = tokio::select! {
            message = self.messages.recv() => message.unwrap_or(Message::InputClosed),
            () = until(tick) => Message::Tick,
            () = until(pause) => self.ended_pause().unwrap_or(Message::Tick),
        };
        self.app.counts.wakeups += 1;
        message
    }

    pub fn queued(&mut self) -> Option<Message> {
        self.messages.try_recv().ok().or_else(|| self.ended_pause())
    }

    fn ended_pause(&mut self) -> Option<Message> {
        let now = Instant::now();
        let ended = self.pauses.iter().position(|(end, _)| *end <= now)?;
        let (_, id) = self.pauses.remove(ended);
        Some(Message::Response(Reply { id, response: Response::Paused }))
    }

    fn speak(&mut self) -> anyhow::Result<()> {
        let mut spoken = self.app.take_spoken();
        spoken.extend(self.app.take_title());
        if spoken.is_empty() {
            return Ok(());
        }
        let written = self.output.write_all(spoken.as_bytes()).and_then(|()| self.output.flush());
        written.context(t!("cannot write to the terminal"))
    }

    pub async fn run(&mut self, terminal: &mut impl TerminalRelease) -> anyhow::Result<()> {
        loop {
            match self.app.take_loop_command() {
                Some(LoopCommand::Quit) => return Ok(()),
                Some(LoopCommand::Suspend) => terminal.stop(true).context(t!("cannot suspend lapel"))?,
                Some(LoopCommand::Edit) => {
                    if let Some(text) = self.app.text_for_editor() {
                        let came = terminal
                            .editor(&self.app.output.options.host.editor_command(), &text)
                            .context(t!("the terminal closed while an editor used it"))?;
                        self.app.take_edited(came);
                        self.back();
                    }
                }
                Some(LoopCommand::Page(page)) => {
                    let shown = terminal
                        .pager(&self.app.output.options.host.pager_command(), &page)
                        .context(t!("the terminal closed while a pager used it"))?;
                    if let Err(why) = shown {
                        self.app.toasts.notice = Some(Notice::new(why, true));
                    }
                    self.back();
                }
                None => {}
            }
            // Another program may be using the terminal.
            if terminal.is_here() {
                self.speak()?;
                self.draw()?;
            }
            let mut next = Some(self.next().await);
            while let Some(message) = next {
                match message {
                    Message::Stop => terminal.stop(false).context(t!("cannot suspend lapel"))?,
                    Message::Continued => {
                        let here = terminal
                            .continued()
                            .context(t!("the terminal closed while lapel was in the background"))?;
                        if here {
                            self.back();
                        }
                    }
                    message => {
                        (self.on_step)(LoopStep::Update);
                        self.app.update(message);
                    }
                }
                next = self.queued();
            }
        }
    }

    /// The terminal has lost its content, and needs its pictures again.
    fn back(&mut self) {
        self.app.repaint();
        self.app.update(Message::Tick);
    }
}

async fn until(end: Option<Instant>) {
    match end {
        Some(end) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}

/// Releasing the terminal to the shell or to an editor, and taking it again.
pub trait TerminalRelease {
    /// Stops lapel or the whole process group. Does nothing if nobody could continue it.
    fn stop(&mut self, whole_group: bool) -> std::io::Result<()>;

    /// Returns whether lapel has the terminal again. In the background, lapel stops again.
    fn continued(&mut self) -> std::io::Result<bool>;

    fn is_here(&self) -> bool;

    /// Opens a text in an editor on the terminal. Returns the edited text, or the reason why there is none.
    fn editor(&mut self, editor: &str, text: &str) -> std::io::Result<Result<String, String>>;

    /// Shows a text in a pager on the terminal. Returns the reason if it was not shown.
    fn pager(&mut self, pager: &str, page: &PagerText) -> std::io::Result<Result<(), String>>;
}

/// Always restores the terminal. Then saves and stops the jobs, which may take until all requests in flight have
/// ended. Passes each line about unfinished jobs to `say`. Fails if standard output is no terminal, or closes.
pub async fn run(start: Start, mut say: impl FnMut(&str)) -> anyhow::Result<()> {
    let (crash_dir, pictures, theme) = (start.crash_dir.clone(), start.pictures, start.theme.theme);
    let glyphs = start.glyphs;
    cells::set_replaced(start.joined == JoinedChoice::Replace);
    if pictures.choice != PictureChoice::None {
        // The theme omits colours if the user wants none. Pictures need colours even then, so crossterm must
        // not suppress them.
        crossterm::style::force_color_output(true);
    }
    let mut tui = Tui::new(terminal::screen(), start)?;
    tui.output = Box::new(terminal::voice());
    // Before lapel takes the terminal: a signal in between would leave the terminal changed.
    terminal::read_signals(&tui.sender()).context(t!("cannot receive signals"))?;
    if let Some(way) = tui.app.cx.pictures.kitty() {
        terminal::gives_kitty_pictures(&way);
    }
    terminal::on_panic(crash_dir, tui.sender());
    let pause = pause::InputPause::default();
    let held = terminal::HeldTerminal::new(pause.clone()).context(t!("lapel needs a terminal"))?;
    let Some(mut held) = held else { return Ok(()) };
    // The first frame is drawn before anything is read, requested or connected.
    tui.draw()?;
    let asked = images::TerminalQueries::ask(&pictures, theme, glyphs, &mut std::io::stdout());
    let asked = asked.context(t!("cannot write"))?;
    if asked.as_ref().is_some_and(images::TerminalQueries::has_written) {
        tui.surface.restore(images::ASKED_ROW).context(t!("cannot write"))?;
    }
    terminal::read_input(tui.sender(), asked, pause);
    let ended = tui.run(&mut held).await;
    drop(held);
    // Send the last cancellations to the worker.
    tui.hand_out();
    shutdown::close(&tui.app, &mut say).await;
    ended
}

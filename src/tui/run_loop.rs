//! The loop of the TUI: it hands out requests, waits for a message, takes everything that is queued, draws once.

use super::app::{App, LoopCommand};
use super::context::Env;
use super::input::keymap::Keymap;
use super::input::pause;
use super::message::Message;
use super::persist::app_paths::AppPaths;
use super::persist::saved_layout::Wanted;
use super::platform::canvas::Surface;
use super::platform::host::Manner;
use super::platform::{images, terminal};
use super::request::Session;
use super::shutdown;
use super::theme::Glyphs;
use super::widgets::cells;
use super::worker::{self, Helpers, WorkerCommand};
use crate::config::{GlyphChoice, JoinedChoice, Palette, PictureChoice, Pictures};
use anyhow::Context as _;
use ratatui::Terminal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// What a desk begins with.
pub struct Start {
    /// With what it begins.
    pub begin: Begin,
    /// One line about the configuration that a person should see.
    pub warning: Option<String>,
    /// Colours.
    pub theme: Palette,
    /// Signs.
    pub glyphs: GlyphChoice,
    /// Letters that are joined.
    pub joined: JoinedChoice,
    /// Keys.
    pub keymap: Keymap,
    /// What the command line wants to see first.
    pub wanted: Wanted,
    /// Pictures.
    pub pictures: Pictures,
    /// How the desk behaves, and where it runs.
    pub manner: Manner,
    /// What the desk cannot do itself.
    pub helpers: Helpers,
    /// Where crash reports go.
    pub crash_dir: PathBuf,
    /// Where lapel's files are, and whether the tour was taken.
    pub app_paths: AppPaths,
}

/// With what a desk begins.
pub enum Begin {
    /// A profile.
    Session(Box<Session>),
    /// A sandbox that is yet to be started: the first frame does not wait for it.
    Sandbox,
    /// The profile of this name, whose key is yet to be asked for: the first frame does not wait for it.
    Opening(String),
    /// The first screen, since no profile is set up.
    Welcome,
}

/// A desk on some terminal, with its worker running.
pub struct Desk<B: Surface> {
    /// What the desk is.
    pub app: App,
    /// What it is drawn on.
    pub terminal: Terminal<B>,
    /// Room for a frame.
    frame: Buffer,
    messages: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    orders: mpsc::Sender<WorkerCommand>,
    held: VecDeque<WorkerCommand>,
    /// Where goes what the terminal is written besides frames: nowhere, on a test terminal.
    voice: Box<dyn Write + Send>,
}

impl<B: Surface> Desk<B> {
    /// A desk on a terminal; must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the terminal's size cannot be found out.
    pub fn new(terminal: Terminal<B>, start: Start) -> anyhow::Result<Self> {
        let size = terminal.size().map_err(|e| anyhow::anyhow!(t!("unknown terminal size: {e}", e)))?;
        let mut env = Env::new(start.theme, Glyphs::of(start.glyphs), start.keymap);
        env.pictures = images::Store::new(&start.pictures);
        let mut app = App::new(env, start.theme, (size.width, size.height), start.begin, start.warning);
        app.set_manner(start.manner);
        app.set_app_paths(start.app_paths);
        app.begin(start.wanted);
        let (sender, messages) = mpsc::channel(1024);
        let (orders, received) = mpsc::channel(1024);
        tokio::spawn(worker::run(received, sender.clone(), start.helpers));
        Ok(Self {
            app,
            terminal,
            frame: Buffer::default(),
            messages,
            sender,
            orders,
            held: VecDeque::new(),
            voice: Box::new(std::io::sink()),
        })
    }

    /// Where messages for the desk go.
    pub fn sender(&self) -> mpsc::Sender<Message> {
        self.sender.clone()
    }

    /// Hands what is to be done to the worker. What its queue has no room for waits here: a key is never
    /// held up by it.
    fn hand_out(&mut self) {
        self.held.extend(self.app.take_orders());
        while let Some(order) = self.held.pop_front() {
            if let Err(mpsc::error::TrySendError::Full(order)) = self.orders.try_send(order) {
                self.held.push_front(order);
                break;
            }
        }
    }

    /// Draws if anything may have changed.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self) -> anyhow::Result<bool> {
        if !self.app.take_changed() {
            return Ok(false);
        }
        let size = self.terminal.size().map_err(|e| anyhow::anyhow!(t!("unknown terminal size: {e}", e)))?;
        if self.app.size != (size.width, size.height) {
            // The window has changed and the news of it are still on their way.
            self.app.update(Message::Resize(size.width, size.height));
        }
        if self.app.take_repaint() {
            // Not clear(): that asks the terminal for its cursor and waits behind the input thread.
            self.terminal.resize(Rect::from(size)).map_err(|e| anyhow::anyhow!(t!("cannot draw: {e}", e)))?;
        }
        self.app.take_changed();
        self.app.counts.draws += 1;
        let (app, drawn) = (&self.app, &mut self.frame);
        self.terminal
            .draw(|frame| {
                app.draw(frame);
                drawn.clone_from(frame.buffer_mut());
            })
            .map_err(|e| anyhow::anyhow!(t!("cannot draw: {e}", e)))?;
        let shown = self.terminal.backend_mut().show(&mut self.frame);
        shown.map_err(|e| anyhow::anyhow!(t!("cannot draw: {e}", e)))?;
        Ok(true)
    }

    /// Hands out what is to be done, then waits for the next message, or for the tick that the desk asked
    /// for.
    pub async fn next(&mut self) -> Message {
        self.hand_out();
        let tick = self.app.next_tick();
        let message = tokio::select! {
            message = self.messages.recv() => message.unwrap_or(Message::InputClosed),
            () = async { match tick {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            } } => Message::Tick,
        };
        self.app.counts.wakeups += 1;
        message
    }

    /// The messages that are here already.
    pub fn queued(&mut self) -> Option<Message> {
        self.messages.try_recv().ok()
    }

    /// Writes what the terminal is to get besides frames, between two of them.
    fn speak(&mut self) -> anyhow::Result<()> {
        let spoken = self.app.take_spoken();
        if spoken.is_empty() {
            return Ok(());
        }
        let written = self.voice.write_all(spoken.as_bytes()).and_then(|()| self.voice.flush());
        written.context(t!("cannot write to the terminal"))
    }

    /// Runs until the person or the system ends it; `elsewhere` gives the terminal away and takes it again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub async fn run(&mut self, elsewhere: &mut impl Elsewhere) -> anyhow::Result<()> {
        loop {
            match self.app.take_wish() {
                Some(LoopCommand::Quit) => return Ok(()),
                Some(LoopCommand::Suspend) => elsewhere.stop(true).context(t!("cannot suspend lapel"))?,
                Some(LoopCommand::Edit) => {
                    if let Some(text) = self.app.text_for_editor() {
                        let came = elsewhere
                            .editor(&self.app.editor(), &text)
                            .context(t!("the terminal closed while an editor used it"))?;
                        self.app.take_edited(came);
                        self.back();
                    }
                }
                None => {}
            }
            // Another program may be on the terminal.
            if elsewhere.is_here() {
                self.speak()?;
                self.draw()?;
            }
            let mut next = Some(self.next().await);
            while let Some(message) = next {
                match message {
                    Message::Stop => elsewhere.stop(false).context(t!("cannot suspend lapel"))?,
                    Message::Continued => {
                        let here = elsewhere
                            .continued()
                            .context(t!("the terminal closed while lapel was in the background"))?;
                        if here {
                            self.back();
                        }
                    }
                    message => self.app.update(message),
                }
                next = self.queued();
            }
        }
    }

    /// The terminal is lapel's again, and has lost what was on it; what pictures need is asked for again.
    fn back(&mut self) {
        self.app.repaint();
        self.app.update(Message::Tick);
    }
}

/// What is done with the terminal while lapel is not on it.
pub trait Elsewhere {
    /// Gives the terminal back and stops lapel, or the whole process group; does nothing where nobody could
    /// continue it. The terminal is taken again by [`Self::continued`].
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    fn stop(&mut self, whole_group: bool) -> std::io::Result<()>;

    /// Takes the terminal again after lapel was stopped; whether it has it. In the background it stops again.
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    fn continued(&mut self) -> std::io::Result<bool>;

    /// Whether lapel has the terminal.
    fn is_here(&self) -> bool;

    /// Gives the terminal to an editor with a text; what came back, or why nothing did.
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    fn editor(&mut self, editor: &str, text: &str) -> std::io::Result<Result<String, String>>;
}

/// For a terminal that belongs to nobody else: nothing stops lapel, and an editor changes nothing.
impl Elsewhere for () {
    fn stop(&mut self, _: bool) -> std::io::Result<()> {
        Ok(())
    }

    fn continued(&mut self) -> std::io::Result<bool> {
        Ok(true)
    }

    fn is_here(&self) -> bool {
        true
    }

    fn editor(&mut self, _: &str, text: &str) -> std::io::Result<Result<String, String>> {
        Ok(Ok(text.to_owned()))
    }
}

/// Runs the desk on the real terminal. It is given back whatever happens; then jobs are let go of in good
/// order, which may take as long as what is on its way, and `say` is told what is not done, line by line.
///
/// # Errors
/// When standard output is no terminal, or goes away.
pub async fn run(start: Start, mut say: impl FnMut(&str)) -> anyhow::Result<()> {
    let (crash_dir, pictures, theme) = (start.crash_dir.clone(), start.pictures, start.theme.theme);
    let glyphs = start.glyphs;
    cells::set_replaced(start.joined == JoinedChoice::Replace);
    if pictures.choice != PictureChoice::None {
        // Pictures are colours. Where there are to be no others the theme has none; the library that writes
        // them must not leave out these.
        crossterm::style::force_color_output(true);
    }
    let screen = terminal::screen().context(t!("lapel needs a terminal"))?;
    let mut desk = Desk::new(screen, start)?;
    desk.voice = Box::new(terminal::voice());
    // Before the terminal is taken: a signal in between would leave it as it is then.
    terminal::read_signals(&desk.sender()).context(t!("cannot receive signals"))?;
    if let Some(way) = desk.app.env.pictures.kitty() {
        terminal::gives_kitty_pictures(&way);
    }
    terminal::on_panic(crash_dir, desk.sender());
    let pause = pause::InputPause::default();
    let held = terminal::Hold::new(pause.clone()).context(t!("lapel needs a terminal"))?;
    let Some(mut held) = held else { return Ok(()) };
    // The first frame is drawn before anything is read, asked or connected.
    desk.draw()?;
    let asked = images::TerminalQueries::ask(&pictures, theme, glyphs, &mut std::io::stdout());
    let asked = asked.context(t!("cannot write"))?;
    if asked.as_ref().is_some_and(images::TerminalQueries::has_written) {
        desk.terminal.backend_mut().restore(images::ASKED_ROW).context(t!("cannot write"))?;
    }
    terminal::read_input(desk.sender(), asked, pause);
    let ended = desk.run(&mut held).await;
    drop(held);
    // What is given up is told to those who do it.
    desk.hand_out();
    shutdown::close(&desk.app, &mut say).await;
    ended
}

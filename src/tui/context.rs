//! What every screen may read: how to draw, who is connected, what time it is at the service.

use super::request::{Request, RequestId, RequestIds, Session};
use super::theme::{Glyphs, Theme};
use super::worker::Order;
use crate::api::{LinkStatus, Reader};
use crate::config::{Environment, NamedFilter, Palette};
use crate::domain::{BadgeId, ServiceClock, ServiceTime, Text};
use crate::export::What;
use crate::jobs::{Job, JobId, JobRow, RevokeTarget};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::{Context, Keymap};
use crate::tui::persist::input_history::{Recents, Typed};
use crate::tui::persist::saved_filters::Saved;
use crate::tui::platform::clipboard::Clip;
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

/// What a screen has for a file.
#[derive(Clone, Debug)]
pub struct ExportSource {
    /// What is in it.
    pub what: What,
    /// What it is, for the file's name.
    pub name: &'static str,
    /// What it is, in words: how many of what, filtered and ordered how.
    pub head: String,
    /// How many rows it has, where that is known.
    pub rows: Option<u64>,
    /// What else a person should know of it.
    pub note: Option<String>,
}

/// Where a screen wants to go.
#[derive(Debug)]
pub enum Navigate {
    /// Open one badge on the Badge tab; with the time of its acceptance, which its own record lacks.
    Badge(BadgeId, Option<ServiceTime>),
    /// The templates whose title has this in it.
    TemplatesTitled(String),
    /// Look up a holder on the Wallet tab.
    Holder(String),
    /// The same, with this badge of theirs selected.
    HolderOf(String, BadgeId),
    /// Look up on the Wallet tab whoever has this name.
    HolderNamed(String),
    /// Open the issue form for a template.
    Issue(crate::domain::TemplateId, Text),
    /// Open the revoke form for these badges.
    Revoke(Vec<RevokeTarget>),
    /// The jobs; the newest one selected.
    Activity,
    /// Ask whether to call off what a job has not sent.
    CallOff(Box<Job>),
    /// Do what sends again, or goes on sending; where it is live, after a confirmation.
    Again(Box<crate::tui::worker::job_command::JobCommand>),
    /// Ask why an issue job is to be undone.
    Undo(Box<Job>),
    /// Decide about a row of a job.
    Decide(JobId, Box<JobRow>),
    /// Open a file of recipients, or what was pasted, for a template.
    File(crate::tui::modals::file::Purpose, crate::jobs::intake::Source),
    /// Write a receipt, or the rows to be done again, of a job.
    Paper(Box<Job>, bool),
    /// Whom the mail of a job did not reach.
    Mail(Box<Job>),
    /// Write a list, or rows of one, into a file.
    Export(Box<ExportSource>),
    /// Let the file of the form on top be written out of sight.
    Aside,
    /// Revoke the badges whose ids stand in a file.
    Ids,
    /// Correct and replace a badge.
    Replace(Box<crate::domain::Badge>),
    /// Review drafts: look through their rows, confirm, begin.
    Drafts(Vec<Job>),
    /// Correct a row of a draft.
    Correct(JobId, Box<JobRow>),
    /// A row of the draft below was corrected.
    Corrected,
    /// The saved filters of a list, with what is set there now; `naming`: to save that.
    Filters {
        /// Such as `history`.
        list: &'static str,
        /// The fields of its filter.
        specs: &'static [crate::tui::widgets::filter::Spec],
        /// The headings of its columns.
        heads: &'static [crate::tui::widgets::table_header::Head],
        /// What is set; nothing, where nothing is.
        current: Option<NamedFilter>,
        /// Whether to ask for a name at once.
        naming: bool,
    },
    /// Filter and order a list so.
    UseFilter(Box<NamedFilter>),
    /// Ask whether to mark all that match: how many, and the filter in words.
    OfferMarkAll {
        /// How many there are, where the service says.
        rows: Option<u64>,
        /// The filter.
        words: Vec<String>,
    },
    /// Mark all that match on the History tab.
    MarkAll,
    /// Ask whether the list's filter, which has the shape of an API key, may be sent.
    AskAboutFilter,
    /// A person has said that what is typed is no API key.
    KeyAllowed(crate::tui::modals::key_question::Then),
    /// Do an action as its key would.
    Run(Action),
    /// Close what is open on top.
    Close,
    /// Close all that is open over the tab.
    CloseAll,
    /// Use this connection.
    Connect(Box<Session>),
    /// Leave lapel.
    Quit,
}

/// What a screen hands out while it updates.
pub struct Effects<'a> {
    tickets: &'a mut RequestIds,
    /// For the worker.
    pub orders: Vec<Order>,
    /// Where to go.
    pub go: Vec<Navigate>,
    /// One line for the person, and whether it is bad news.
    pub notice: Option<(String, bool)>,
    /// The same, staying until it is closed: what nobody has asked for.
    pub news: Option<(String, bool)>,
    /// For the clipboard.
    pub copies: Vec<Clip>,
    /// What was typed and is offered again.
    pub typed: Vec<(Typed, String)>,
    /// Nobody has asked for what is asked now: it is read in the background, and no spinner turns for it.
    pub quiet: bool,
}

impl<'a> Effects<'a> {
    /// With tickets from here.
    pub fn new(tickets: &'a mut RequestIds) -> Self {
        Self {
            tickets,
            orders: Vec::new(),
            go: Vec::new(),
            notice: None,
            news: None,
            copies: Vec::new(),
            typed: Vec::new(),
            quiet: false,
        }
    }

    /// Asks something.
    pub fn ask(&mut self, ask: Request) -> RequestId {
        let ticket = self.tickets.next();
        let ask = if self.quiet { ask.quietly() } else { ask };
        self.orders.push(Order::Request(ticket, ask));
        ticket
    }

    /// Asks something in place of an earlier question, which is cancelled.
    pub fn ask_instead(&mut self, earlier: &mut Option<RequestId>, ask: Request) {
        self.cancel(earlier.take());
        *earlier = Some(self.ask(ask));
    }

    /// Cancels questions that nobody waits for any more.
    pub fn cancel(&mut self, tickets: impl IntoIterator<Item = RequestId>) {
        self.orders.extend(tickets.into_iter().map(Order::Cancel));
    }

    /// Puts a text on its way to the clipboard; the desk says what became of it. `what` it is stands in the
    /// middle of a sentence: `the badge id`. Lines and tabs of the text keep their meaning, everything else is
    /// scrubbed.
    pub fn copy(&mut self, text: String, what: &str) {
        self.copies.push(Clip { text, what: what.to_owned(), before: None, after: None });
    }

    /// Says something at the bottom of the screen.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), false));
    }

    /// Says something that is bad news.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), true));
    }
}

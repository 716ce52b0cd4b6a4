//! Profiles and connections: connecting, switching the profile, reconnecting.

use super::navigation::Navigation;
use super::{App, Tab};
use crate::jobs::JournalError;
use crate::tui::connection::{Client, ConnectionState};
use crate::tui::context::{ConnectionInfo, JournalAway};
use crate::tui::prelude::*;
use crate::tui::request::ProfileSession;
use crate::tui::screens::Screens;
use crate::tui::screens::welcome::Welcome;
use crate::tui::theme::Theme;
use crate::tui::worker::WorkerCommand;

pub enum FirstConnection {
    Session(Box<ProfileSession>),
    /// A sandbox that is not started yet. The first frame does not wait for it.
    Sandbox,
    /// The profile with this name. Its key is not known yet, and the first frame does not wait for it.
    Opening(String),
    Welcome,
}

impl App {
    pub(super) fn begin_with(&mut self, begin: impl FnOnce(&mut Effects<'_>) -> Welcome) {
        self.with_effects(|app, effects| app.welcome = Some(effects.owned_by(RequestOwner::Welcome, begin)));
    }

    /// Switches to another profile. Drops all data and requests of the old one.
    pub(super) fn switch(&mut self, mut session: ProfileSession) {
        // Writes the input before everything of this connection is dropped.
        self.watch_input();
        self.cx.connection.recents.pause(true);
        if let Some(ask) = self.unsaved_input() {
            let request = self.requests.next();
            self.commands.push(WorkerCommand::Request(request, Request::Recents(Box::new(ask))));
        }
        self.screens = Screens::default();
        self.modals.clear();
        self.navigation = Navigation::default();
        let toasts = std::mem::take(&mut self.toasts);
        if let Some(remark) = session.remark.take() {
            self.toasts.add_error(remark);
        } else if self.welcome.is_some() {
            // A remark about the configuration applies to every profile.
            self.toasts = toasts.without_answers();
        }
        self.quit_asked = false;
        self.views.opened();
        self.connect(session);
    }

    /// Drops everything of the old connection. The screens keep typed text.
    pub(super) fn connect(&mut self, session: ProfileSession) {
        let number = self.connection.number + 1;
        if !self.connection.held_back.is_empty() {
            let text = t!("The waiting form was dropped, because the connection is another one.");
            self.toasts.say(text.to_owned(), false, true);
        }
        self.replace_connection(ConnectionState::new(number));
        self.cx.connection = ConnectionInfo { session: Some(session.clone()), ..ConnectionInfo::default() };
        self.cx.theme = Theme::new(self.palette, session.environment);
        self.cx.pictures.begin_anew(session.connection.picture_base.clone());
        self.output.program_calls.clear();
        self.refresh.forget();
        for (tab, _) in Tab::ALL {
            self.screens.of_mut(*tab).on_connecting();
        }
        self.commands.push(WorkerCommand::Connect(Box::new(session), number));
        self.welcome = None;
    }

    /// What was told about the old connection is no longer true.
    pub(super) fn replace_connection(&mut self, connection: ConnectionState) {
        let before = std::mem::replace(&mut self.connection, connection);
        for told in before.journal_failure.into_iter().chain(before.told_alone) {
            self.toasts.withdraw(&told);
        }
    }

    /// Returns false if there was no failure.
    pub(in crate::tui) fn reconnect(&mut self) -> bool {
        match (self.connection.failure.take(), self.cx.session().cloned()) {
            (Some(_), Some(session)) => {
                self.connect(session);
                true
            }
            _ => false,
        }
    }

    pub(super) fn link(&mut self) {
        let Some(client) = self.client_or_connecting() else { return };
        let now = client.link_now();
        if Some(&now) != self.cx.link() {
            if now.alone.as_ref() != self.cx.link().and_then(|link| link.alone.as_ref()) {
                // The user has perhaps closed the message. Another reason does not bring it back.
                let told = &mut self.connection.told_alone;
                let is_shown = told.as_ref().is_none_or(|told| self.toasts.withdraw(told));
                match now.alone_words() {
                    Some(why) if is_shown => {
                        *told = Some(why.clone());
                        self.toasts.add_error(why);
                    }
                    Some(_) => {}
                    None => *told = None,
                }
            }
            self.cx.connection.link = Some(now);
            self.changed = true;
        }
    }

    /// The team's database is away, or back. The jobs stay as they were last read.
    pub(super) fn journal_away(&mut self, why: Option<JournalError>, effects: &mut Effects<'_>) {
        let before = self.cx.connection.journal_away.take();
        let since = before.as_ref().map_or_else(Timestamp::now, |away| away.since);
        self.cx.connection.journal_away = why.map(|why| {
            let (is_login_refused, is_forbidden) = (why.is_login_refused(), why.is_forbidden());
            let why = if is_login_refused { self.cx.journal_words(&why) } else { why.to_string() };
            JournalAway { why, is_login_refused, is_forbidden, since }
        });
        self.changed |= self.cx.connection.journal_away != before;
        if self.cx.connection.journal_away.is_none() {
            self.on_journal(JournalEvent::Back, effects);
        }
        self.link();
    }

    pub(super) fn client_or_connecting(&self) -> Option<&Client> {
        self.cx.client().or(self.connection.connecting.as_ref())
    }
}

//! Profiles and connections: connecting, switching the profile, reconnecting.

use super::{App, Notice, Tab};
use crate::api::{LinkStatus, Reader};
use crate::tui::connection::ConnectionState;
use crate::tui::effects::{Effects, Owner};
use crate::tui::request::Session;
use crate::tui::screens::Screens;
use crate::tui::screens::home::Home;
use crate::tui::screens::welcome::Welcome;
use crate::tui::theme::Theme;
use crate::tui::worker::WorkerCommand;

impl App {
    pub(super) fn begin_with(&mut self, begin: impl FnOnce(&mut Effects<'_>) -> Welcome) {
        let mut requests = std::mem::take(&mut self.requests);
        let mut out = Effects::new(&mut requests);
        self.welcome = Some(out.owned_by(Owner::Welcome, begin));
        self.finish(out);
        self.requests = requests;
    }

    /// Switches to another profile. Drops all data and requests of the old one.
    pub(super) fn switch(&mut self, mut session: Session) {
        self.screens = Screens::default();
        self.modals.clear();
        self.came_from.clear();
        self.tab = Tab::Home;
        self.notice = None;
        let remark = session.remark.take().map(|text| Notice::new(text, true));
        // A remark about the configuration applies to every profile.
        if remark.is_some() || self.welcome.is_none() {
            self.news = remark;
        }
        self.quit_asked = false;
        self.views.opened();
        self.connect(session);
    }

    pub(super) fn connect(&mut self, session: Session) {
        let number = self.connection.number + 1;
        // Drops all requests of the old connection. The screens keep typed text.
        self.connection = ConnectionState { number, ..ConnectionState::default() };
        self.screens.home = Home::default();
        self.env.theme = Theme::new(self.palette, session.environment);
        self.env.session = Some(session.clone());
        self.env.reader = None;
        self.env.link = None;
        self.env.pictures.begin_anew(session.connection.picture_base.clone());
        self.comforts.reset();
        self.touring = None;
        self.orders.push(WorkerCommand::Connect(Box::new(session), number));
        self.welcome = None;
    }

    /// Returns false if there was no failure.
    pub(in crate::tui) fn reconnect(&mut self) -> bool {
        match (self.connection.failure.take(), self.env.session.clone()) {
            (Some(_), Some(session)) => {
                self.connect(session);
                true
            }
            _ => false,
        }
    }

    pub fn keeps_jobs(&self) -> bool {
        self.env.session.as_ref().is_some_and(|session| session.journal.is_some())
    }

    pub(super) fn link(&mut self) {
        let Some(reader) = self.reader_or_connecting() else { return };
        let now = Some(reader.link_now());
        if now != self.env.link {
            let alone = |link: &Option<LinkStatus>| link.as_ref().is_some_and(|link| link.is_alone);
            let why = if alone(&now) && !alone(&self.env.link) { reader.alone() } else { None };
            self.env.link = now;
            self.changed = true;
            if let Some(why) = why {
                self.tell(why.to_string());
            }
        }
    }

    pub(super) fn reader_or_connecting(&self) -> Option<&Reader> {
        self.env.reader.as_ref().or(self.connection.connecting.as_ref())
    }
}

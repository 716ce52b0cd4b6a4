//! What can be copied, opened and looked at as it was sent, from the Badge tab.

use super::BadgeScreen;
use crate::api::RawOf;
use crate::domain::{ServiceTime, Text, Verdict, issue_time};
use crate::tui::context::Env;
use crate::tui::request::RequestId;
use crate::tui::widgets::copying::{Copyables, cell, records};

impl BadgeScreen {
    /// What can be copied from here.
    pub fn copyables(&self, env: &Env) -> Copyables {
        let mut all = Copyables::default();
        let Some(badge) = self.badge() else {
            all.one('i', t!("badge id"), self.wanted.as_ref().map(crate::domain::BadgeId::wire));
            return all;
        };
        all.one('i', t!("badge id"), Some(badge.badge_id.wire()));
        all.one('a', t!("e-mail address"), badge.recipient_email.as_ref().map(Text::wire));
        all.one('c', t!("certificate number"), badge.cert_no.as_ref().map(Text::wire));
        let link = |url: &Text| env.reader.as_ref().and_then(|reader| reader.picture_url(url));
        all.link('l', t!("link to the front"), badge.front_image_url.as_ref().and_then(link));
        all.link('b', t!("link to the back"), badge.back_image_url.as_ref().and_then(link));
        let time = |time: &Option<ServiceTime>| time.as_ref().map_or_else(String::new, ToString::to_string);
        all.row(&[
            Verdict::of(badge, env.now()).state().word().to_string(),
            cell(badge.recipient_name.as_ref()),
            cell(badge.recipient_email.as_ref()),
            cell(badge.title.as_ref()),
            issue_time(badge).map_or_else(String::new, ToString::to_string),
            time(&badge.valid_until),
            cell(badge.cert_no.as_ref()),
            badge.badge_id.to_string(),
        ]);
        all
    }

    /// Which records can be looked at as they are sent.
    pub fn records(&self) -> Vec<RawOf> {
        let email = self.badge().and_then(|badge| badge.recipient_email.as_ref());
        self.wanted.as_ref().map_or_else(Vec::new, |id| records(id, email))
    }

    /// Nobody waits for this answer any more.
    pub fn give_up(&mut self, ticket: RequestId) {
        self.ticket.take_if(|own| *own == ticket);
    }
}

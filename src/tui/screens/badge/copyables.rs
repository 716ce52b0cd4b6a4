//! Copying, opening and raw JSON for the Badge tab.

use super::BadgeScreen;
use crate::domain::issue_time;
use crate::tui::persist::input_history::InputKind;
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::screens::lookup_box::LookupBox;
use crate::tui::screens::picture;
use crate::tui::widgets::copying::{Copyables, cell, records};

impl Screen for BadgeScreen {
    /// With the input for a badge id open.
    fn begin() -> Self {
        let input = LookupBox { kind: InputKind::Badge, typing: true, ..LookupBox::default() };
        Self { input, ..Self::default() }
    }

    fn shown(&self) -> Option<ShownRecord> {
        Some(ShownRecord::Badge(self.wanted.clone()?))
    }

    fn show(&mut self, shown: ShownRecord, effects: &mut Effects<'_>) {
        if let ShownRecord::Badge(badge) = shown {
            self.open(badge, effects);
        }
    }

    fn can_go_back(&self) -> bool {
        self.over_text
    }

    fn has_pane(&self) -> bool {
        self.over_text
    }

    fn shows_age(&self, cx: &UiContext) -> bool {
        self.badge().is_some_and(|badge| Verdict::of(badge, cx.now()).is_running())
    }

    fn picture(&self, area: Rect, _: &UiContext) -> Option<PictureRequest> {
        let badge = self.badge()?;
        let raw = if self.back { &badge.back_image_url } else { &badge.front_image_url };
        let pane = if self.beside {
            picture::beside(area).1
        } else if self.over_text {
            area
        } else {
            return None;
        };
        Some(PictureRequest { of: PictureOf::Address(raw.clone()), area: picture::in_pane(pane) })
    }

    fn on_touched(&mut self, _: &Job, touched: &[Touched], cx: &UiContext, effects: &mut Effects<'_>) {
        let is_wanted = |id: &BadgeId| self.wanted.as_ref().is_some_and(|badge| badge.id == *id);
        if cx.client().is_some() && touched.iter().any(|badge| is_wanted(&badge.badge_id)) {
            self.read_record(effects);
        }
    }

    fn is_of_a_list(&self) -> bool {
        true
    }

    fn shows_recents(&self) -> bool {
        true
    }

    fn forget_recents(&mut self) {
        self.input.set_aside.clear();
    }

    fn open_field(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        self.on_paste("", cx, effects);
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let mut all = Copyables::default();
        let Some(badge) = self.badge() else {
            all.one('i', t!("badge id"), self.wanted.as_ref().map(|badge| badge.id.wire()));
            return all;
        };
        all.one('i', t!("badge id"), Some(badge.badge_id.wire()));
        all.one('a', t!("e-mail address"), badge.recipient_email.as_ref().map(Text::wire));
        all.one('c', t!("certificate number"), badge.cert_no.as_ref().map(Text::wire));
        all.link('l', t!("link to the front"), badge.front_image_url.as_ref(), cx);
        all.link('b', t!("link to the back"), badge.back_image_url.as_ref(), cx);
        let time = |time: &Option<ServiceTime>| time.as_ref().map_or_else(String::new, ToString::to_string);
        all.row(&[
            Verdict::of(badge, cx.now()).state().word().to_string(),
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

    fn records(&self) -> Vec<RawOf> {
        let email = self.badge().and_then(|badge| badge.recipient_email.as_ref());
        self.wanted.as_ref().map_or_else(Vec::new, |badge| records(&badge.id, email))
    }

    fn give_up(&mut self, request: RequestId) {
        self.request.take_if(|own| *own == request);
    }

    fn refresh(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        self.on_action(Action::Reload, cx, effects);
    }

    fn has_picture(&self, action: Action) -> bool {
        self.badge().is_some()
            && match action {
                Action::Picture => true,
                _ => self.beside || self.over_text,
            }
    }
}

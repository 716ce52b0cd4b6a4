//! The preview of the selected badge of a list: the first lines of the Badge tab, a timeline and all fields of the row,
//! below the picture of its template.

use super::badge_head::head;
use super::picture;
use super::templates::labelled;
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::request::HolderInJournal;
use crate::tui::widgets::filtered_list::ListRecord;
use crate::tui::widgets::paged_list::ListRow;
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::{pane, pick};
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::timeline::timeline;

/// The fields below the timeline. The others are in the lines above.
const FIELDS: [&str; 7] =
    ["issued_at", "reg_date", "revoke_at", "category_name", "issuing_org", "badge_id", "template_id"];

#[derive(Default)]
pub(super) struct BadgePreview {
    shown: Option<BadgeId>,
    /// A remark about the badge, such as its copies among the loaded rows.
    remark: Option<String>,
    journal: HolderInJournal,
    /// The look-up in the journal, or the rest of the cursor before it.
    request: Option<RequestId>,
    scroll: Scroll,
    /// Whether the last layout had room for it.
    is_shown: bool,
}

impl BadgePreview {
    pub fn scroll(&mut self, action: Action, effects: &mut Effects<'_>) {
        if self.is_shown {
            self.scroll.on_action(action);
        } else {
            effects.say(preview::no_room());
        }
    }

    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Returns the remark if there is no preview to show it.
    pub fn lay_out(
        &mut self,
        row: Option<&HistoryItem>,
        remark: Option<String>,
        pane: Option<Rect>,
        effects: &mut Effects<'_>,
    ) -> Option<String> {
        self.is_shown = row.is_some() && pane.is_some();
        let Some(row) = row.filter(|_| self.is_shown) else { return remark };
        self.remark = remark;
        if self.shown.as_ref() != Some(&row.badge_id) {
            // The journal is read when the cursor rests, because otherwise it would be read for every row passed.
            let is_first = self.shown.replace(row.id()).is_none();
            self.journal = HolderInJournal::default();
            let ask =
                if is_first { Request::SentBadge(row.id()) } else { Request::Pause(Request::CURSOR_REST) };
            effects.request_instead(&mut self.request, ask);
            self.scroll.reset();
        }
        None
    }

    pub fn on_response(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match (response, &self.shown) {
            (Response::Paused, Some(shown)) if self.request == Some(id) => {
                self.request = Some(effects.request(Request::SentBadge(shown.clone())));
            }
            (Response::SentBadge(found), _) if self.request == Some(id) => {
                self.request = None;
                self.journal = found.unwrap_or_default();
            }
            (response, _) => return Err(Reply { id, response }),
        }
        Ok(())
    }

    /// Draws the preview of the row. `keys` are the contexts in which it is scrolled.
    pub fn draw(
        &self,
        row: &HistoryItem,
        pane: Rect,
        keys: &[KeyContext],
        frame: &mut Frame<'_>,
        cx: &UiContext,
    ) {
        preview::draw_edge(frame, pane, cx);
        picture::draw(picture_of(row, pane, cx), frame, cx);
        let area = areas(pane, cx).1;
        self.scroll.draw(frame, area, self.lines(row, usize::from(area.width), cx), keys, cx);
    }

    fn lines(&self, row: &HistoryItem, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let mut held = HeldBadge::from(row.clone());
        self.journal.note(&mut held, &cx.clock());
        let mut lines = head(&held, "", room, cx);
        if let Some(remark) = &self.remark {
            lines.extend(styled(remark, room, cx.theme.warning()));
        }
        let timeline = timeline(&held, cx.now(), room, cx);
        if !timeline.is_empty() {
            lines.push(Line::raw(""));
            lines.extend(timeline);
        }
        lines.push(Line::raw(""));
        lines.extend(labelled(&pane(&pick(HistoryItem::FIELDS, &FIELDS), row, cx), room, cx));
        lines
    }
}

pub(super) fn picture_of(row: &HistoryItem, pane: Rect, cx: &UiContext) -> Option<PictureRequest> {
    Some(PictureRequest { of: PictureOf::Template(row.template_id.clone()?), area: areas(pane, cx).0? })
}

fn areas(pane: Rect, cx: &UiContext) -> (Option<Rect>, Rect) {
    let inside = preview::inside(pane);
    if cx.pictures.is_on() { picture::above(inside) } else { (None, inside) }
}

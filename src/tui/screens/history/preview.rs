//! The preview of the selected badge: the first lines of the Badge tab, a timeline and all fields of the row. The
//! picture is the template's, because the row has none. lapel reads each template once for it.

use crate::domain::{Held, HistoryItem, TemplateId, Text};
use crate::tui::platform::images::Want;
use crate::tui::prelude::*;
use crate::tui::screens::badge_head::head;
use crate::tui::screens::picture;
use crate::tui::screens::templates::labelled;
use crate::tui::widgets::list::Row;
use crate::tui::widgets::paged_list::Browse;
use crate::tui::widgets::preview::{self, REST, Scroll};
use crate::tui::widgets::record_field::{pane, pick};
use crate::tui::widgets::text_layout::styled;
use crate::tui::widgets::timeline::timeline;
use std::collections::BTreeMap;

/// The fields below the timeline. The others are in the lines above.
const FIELDS: [&str; 7] =
    ["issued_at", "reg_date", "revoke_at", "category_name", "issuing_org", "badge_id", "template_id"];

#[derive(Default)]
pub(super) struct Preview {
    /// The badge that is shown.
    shown: Option<crate::domain::BadgeId>,
    /// The copies of the badge among the loaded rows, in words.
    copies: Option<String>,
    scroll: Scroll,
    /// The area of the text in the last layout; `None` without a preview.
    area: Option<Rect>,
    /// The address of each template's picture that was read; `None` if it has none.
    pictures: BTreeMap<TemplateId, Option<Text>>,
    /// The template whose picture is wanted, with the running wait or request.
    wanted: Option<(TemplateId, Option<RequestId>)>,
}

impl Preview {
    pub fn scroll(&mut self, action: Action, out: &mut Effects<'_>) {
        match self.area {
            Some(area) => self.scroll.by(action == Action::PreviewDown, area.height),
            None => out.say(preview::no_room()),
        }
    }

    pub fn is_shown(&self) -> bool {
        self.area.is_some()
    }

    /// Follows the selected row. Asks for its picture when the cursor has rested.
    pub fn lay_out(
        &mut self,
        row: Option<&HistoryItem>,
        copies: Option<String>,
        pane: Option<Rect>,
        env: &Env,
        out: &mut Effects<'_>,
    ) {
        self.copies = copies;
        let (Some(row), Some(pane)) = (row, pane) else {
            self.area = None;
            return;
        };
        if self.shown.as_ref() != Some(&row.badge_id) {
            self.shown = Some(row.id());
            self.scroll.reset();
        }
        let area = areas(pane, env).1;
        self.area = Some(area);
        if self.scroll.is_scrolled() {
            self.scroll.limit(self.lines(row, usize::from(area.width), env).len(), area.height);
        }
        let template = row.template_id.as_ref().filter(|id| !self.pictures.contains_key(*id));
        let is_wanted = self.wanted.as_ref().map(|(id, _)| id) == template;
        if env.pictures.is_on() && !is_wanted {
            let mut request = self.wanted.take().and_then(|(_, request)| request);
            out.cancel(request.take());
            if let Some(id) = template {
                self.wanted = Some((id.clone(), Some(out.ask(Request::Pause(REST)))));
            }
        }
    }

    pub fn on_response(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Some((id, running)) = self.wanted.take_if(|(_, running)| *running == Some(request)) else {
            return Err(answer);
        };
        match answer {
            Response::Paused => {
                let request = out.ask(Request::Template(id.clone()));
                self.wanted = Some((id, Some(request)));
            }
            Response::Template(detail) => match *detail {
                Ok(detail) => {
                    self.pictures.insert(id, detail.image_url);
                }
                // It is asked for again when the cursor comes back from a badge of another template.
                Err(_) => self.wanted = Some((id, None)),
            },
            other => {
                self.wanted = Some((id, running));
                return Err(other);
            }
        }
        Ok(())
    }

    /// The picture of the row's template, if the preview has room for it.
    pub fn picture(&self, row: &HistoryItem, pane: Rect) -> Option<Want> {
        let raw = self.pictures.get(row.template_id.as_ref()?)?;
        let area = picture::above(preview::inside(pane)).0?;
        Some(Want { raw: raw.clone(), area })
    }

    pub fn draw(&self, row: &HistoryItem, pane: Rect, frame: &mut Frame<'_>, env: &Env) {
        preview::draw_edge(frame, pane, env);
        let area = areas(pane, env).1;
        if let Some(want) = self.picture(row, pane).filter(|_| env.pictures.is_on()) {
            env.pictures.draw(frame, &want, env.theme.dim());
        }
        let keys = [Context::History, Context::Always];
        self.scroll.draw(frame, area, self.lines(row, usize::from(area.width), env), &keys, env);
    }
}

/// The areas of the picture, if there is room for one, and of the text.
fn areas(pane: Rect, env: &Env) -> (Option<Rect>, Rect) {
    let inside = preview::inside(pane);
    if env.pictures.is_on() { picture::above(inside) } else { (None, inside) }
}

impl Preview {
    fn lines(&self, row: &HistoryItem, room: usize, env: &Env) -> Vec<Line<'static>> {
        let held = Held { history: Some(row.clone()), ..Held::new(row.badge_id.clone()) };
        let mut lines = head(&held, "", room, env);
        if let Some(copies) = &self.copies {
            lines.extend(styled(copies, room, env.theme.warning()));
        }
        let timeline = timeline(&held, env.now(), room, env);
        if !timeline.is_empty() {
            lines.push(Line::raw(""));
            lines.extend(timeline);
        }
        lines.push(Line::raw(""));
        lines.extend(labelled(&pane(&pick(HistoryItem::FIELDS, &FIELDS), row, env), room, env));
        lines
    }
}

//! The History tab: issued badges, filtered and sorted by the service. Marks belong to badge ids.

mod copyables;
mod mark_all;
mod marks;

pub use marks::LARGEST_RANGE;

use crate::api::{ApiError, HistoryFilter, HistoryQuery, Paging};
use crate::domain::{BadgeId, HistoryItem, Page, ServiceTime, State, Text, Verdict, issue_time};
use crate::export::{self, What};
use crate::jobs::RevokeTarget;
use crate::tui::component::{Clicked, Component};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, ExportSource, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::modals::revoke_ids::IdsForm;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::filter::{Spec, Takes, Value};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::list::Row;
use crate::tui::widgets::paged_list::{Browse, Browser, level};
use crate::tui::widgets::table_header::{Head, SortKey};
use crate::tui::widgets::text_layout::{Column, number};
use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::collections::BTreeMap;

impl Row for HistoryItem {
    type Id = BadgeId;
    fn id(&self) -> BadgeId {
        self.badge_id.clone()
    }
}

impl Browse for HistoryItem {
    type Filter = HistoryFilter;
    const NOUN: (&'static str, &'static str) = (tr_noop!("badge"), tr_noop!("badges"));
    const LIST: &'static str = "history";
    const FIELDS: &'static [Spec] = &[
        Spec { name: "recipient_name", label: tr_noop!("Name"), takes: Takes::Text },
        Spec { name: "recipient_email", label: tr_noop!("E-mail"), takes: Takes::Text },
        Spec { name: "title", label: tr_noop!("Title"), takes: Takes::Text },
        Spec { name: "issue_start_date", label: tr_noop!("Issued from"), takes: Takes::Date },
        Spec { name: "issue_end_date", label: tr_noop!("Issued to"), takes: Takes::Date },
        Spec { name: "revoke_start_date", label: tr_noop!("Revoked from"), takes: Takes::Date },
        Spec { name: "revoke_end_date", label: tr_noop!("Revoked to"), takes: Takes::Date },
    ];
    const HEADS: &'static [Head] = &[
        Head {
            title: tr_noop!("State"),
            column: Column { least: 10, share: 0, goes: 0 },
            sort_by: "status_name",
        },
        Head {
            title: tr_noop!("Holder"),
            column: Column { least: 10, share: 2, goes: 0 },
            sort_by: "recipient_name",
        },
        Head {
            title: tr_noop!("E-mail"),
            column: Column { least: 14, share: 4, goes: 0 },
            sort_by: "recipient_email",
        },
        Head { title: tr_noop!("Badge"), column: Column { least: 14, share: 5, goes: 0 }, sort_by: "title" },
        Head {
            title: tr_noop!("Issued at"),
            column: Column { least: 11, share: 1, goes: 2 },
            sort_by: "issued_at",
        },
        Head {
            title: tr_noop!("Mail"),
            column: Column { least: 5, share: 1, goes: 1 },
            sort_by: "email_status",
        },
        Head {
            title: tr_noop!("Valid until"),
            column: Column { least: 16, share: 0, goes: 3 },
            sort_by: "valid_until",
        },
        Head {
            title: tr_noop!("Revoked at"),
            column: Column { least: 16, share: 0, goes: 3 },
            sort_by: "revoke_at",
        },
        Head {
            title: tr_noop!("Accepted at"),
            column: Column { least: 16, share: 0, goes: 3 },
            sort_by: "reg_date",
        },
        Head {
            title: tr_noop!("Type"),
            column: Column { least: 11, share: 0, goes: 3 },
            sort_by: "badge_type_name",
        },
        Head {
            title: tr_noop!("Category"),
            column: Column { least: 14, share: 1, goes: 3 },
            sort_by: "category_name",
        },
        Head { title: tr_noop!("Level"), column: Column { least: 10, share: 0, goes: 3 }, sort_by: "level" },
        Head {
            title: tr_noop!("Issuer"),
            column: Column { least: 12, share: 1, goes: 3 },
            sort_by: "issuing_org",
        },
        Head {
            title: tr_noop!("Badge id"),
            column: Column { least: 12, share: 1, goes: 3 },
            sort_by: "badge_id",
        },
        Head {
            title: tr_noop!("Template id"),
            column: Column { least: 10, share: 0, goes: 3 },
            sort_by: "template_id",
        },
    ];
    const USUAL: usize = 6;

    fn own() -> Vec<Column> {
        let mut own: Vec<Column> = Self::HEADS.iter().map(|head| head.column).collect();
        // The sign, a space and the longest word: Korean words are wider than English ones.
        for state in [State::Waiting, State::Issued, State::Revoking, State::Revoked, State::Expired] {
            own[0] = own[0].titled(&format!("  {}", state.word()));
        }
        own
    }

    fn filter(values: &[Value]) -> HistoryFilter {
        let at = |i: usize| values.get(i).cloned().unwrap_or(Value::Empty);
        HistoryFilter {
            recipient_name: at(0).text(),
            recipient_email: at(1).text(),
            title: at(2).text(),
            issue_start_date: at(3).date(),
            issue_end_date: at(4).date(),
            revoke_start_date: at(5).date(),
            revoke_end_date: at(6).date(),
        }
    }

    fn ask(filter: &HistoryFilter, paging: Paging) -> Request {
        Request::History(HistoryQuery { filter: filter.clone(), paging })
    }

    fn answer(answer: Response) -> Result<Result<Page<Self>, ApiError>, Response> {
        if let Response::History(page) = answer { Ok(page) } else { Err(answer) }
    }

    fn cells(&self, env: &Env) -> Vec<(String, Style)> {
        let now = env.now();
        let state = Verdict::of(self, now).state();
        let text =
            |t: &Option<Text>| t.as_ref().map_or_else(|| env.glyphs.dash.to_owned(), ToString::to_string);
        let dash = || env.glyphs.dash.to_owned();
        let time = |t: &Option<ServiceTime>| t.as_ref().map_or_else(dash, ServiceTime::to_minute);
        let issued = issue_time(self).map_or_else(|| env.glyphs.dash.to_owned(), |t| t.short(Some(now)));
        vec![
            (format!("{} {}", env.glyphs.state(&state), state.word()), env.theme.state(&state)),
            (text(&self.recipient_name), env.theme.text()),
            (text(&self.recipient_email), env.theme.text()),
            (text(&self.title), env.theme.text()),
            (issued, env.theme.dim()),
            (text(&self.email_status), env.theme.dim()),
            (time(&self.valid_until), env.theme.dim()),
            (time(&self.revoke_at), env.theme.dim()),
            (time(&self.reg_date), env.theme.dim()),
            (text(&self.badge_type_name), env.theme.text()),
            (text(&self.category_name), env.theme.text()),
            (level(self.level, self.level_name.as_ref(), env), env.theme.text()),
            (text(&self.issuing_org), env.theme.text()),
            (self.badge_id.to_string(), env.theme.dim()),
            (self.template_id.as_ref().map_or_else(dash, ToString::to_string), env.theme.dim()),
        ]
    }

    fn sort_key(&self, column: usize) -> SortKey {
        match column {
            0 => SortKey::text(self.status_name.as_ref()),
            1 => SortKey::text(self.recipient_name.as_ref()),
            2 => SortKey::text(self.recipient_email.as_ref()),
            3 => SortKey::text(self.title.as_ref()),
            4 => SortKey::time(issue_time(self)),
            5 => SortKey::text(self.email_status.as_ref()),
            6 => SortKey::time(self.valid_until.as_ref()),
            7 => SortKey::time(self.revoke_at.as_ref()),
            8 => SortKey::time(self.reg_date.as_ref()),
            9 => SortKey::text(self.badge_type_name.as_ref()),
            10 => SortKey::text(self.category_name.as_ref()),
            11 => self.level.map_or(SortKey::None, SortKey::Number),
            12 => SortKey::text(self.issuing_org.as_ref()),
            13 => SortKey::Text(self.badge_id.wire().to_lowercase()),
            _ => {
                self.template_id.as_ref().map_or(SortKey::None, |id| SortKey::Text(id.wire().to_lowercase()))
            }
        }
    }
}

#[derive(Default)]
pub struct History {
    pub browser: Browser<HistoryItem>,
    marks: BTreeMap<BadgeId, HistoryItem>,
    /// The start of a range: the position and the badge there.
    range_from: Option<(u64, BadgeId)>,
    /// The row where the mouse was pressed, and whether the mouse was dragged to another row since.
    held: Option<((u64, BadgeId), bool)>,
    /// The two ends of a range whose rows are still being read.
    ranging: Option<[(u64, BadgeId); 2]>,
    /// The running request to mark all matching badges.
    marking: Option<mark_all::Marking>,
}

impl History {
    pub fn holds<'a>(&self, ids: impl Iterator<Item = &'a BadgeId>) -> bool {
        let ids: std::collections::HashSet<&BadgeId> = ids.collect();
        self.browser.list.loaded().any(|(_, row)| ids.contains(&row.badge_id))
    }

    /// The marked badges, each as lapel last read it.
    pub fn marks(&self) -> &BTreeMap<BadgeId, HistoryItem> {
        &self.marks
    }

    /// The rows for an export: the marked badges, or all that match the filter if none are marked.
    fn takeaway(&self, env: &Env) -> Result<ExportSource, String> {
        if self.marks.is_empty() {
            return self.browser.takeaway("history", env);
        }
        let now = env.now();
        let rows: Vec<export::ExportRow> =
            self.marks.values().map(|row| export::ExportRow::of(row, now)).collect();
        let marked = rows.len() as u64;
        Ok(ExportSource {
            what: What::Rows(<HistoryItem as export::Record>::SHAPE.names(), rows),
            name: "history",
            head: count!(marked, "marked badge", "marked badges"),
            rows: Some(marked),
            note: Some(
                t!("Marked badges are saved as last read. To export the whole list, unmark all first.")
                    .to_owned(),
            ),
        })
    }

    fn revoke(&self, env: &Env, out: &mut Effects<'_>) {
        let now = env.now();
        let victims: Vec<RevokeTarget> = if self.marks.is_empty() {
            self.browser.list.selected().map(|row| victim(row, now)).into_iter().collect()
        } else {
            self.marks.values().map(|row| victim(row, now)).collect()
        };
        if victims.is_empty() {
            out.say(t!("This row has no badge to revoke."));
        } else {
            out.open(|_, out| RevokeForm::new(victims, out));
        }
    }
}

impl History {
    pub fn reload(&mut self, out: &mut Effects<'_>) {
        let dropped = self.browser.list.reload();
        out.cancel(dropped);
    }
}

impl Component for History {
    fn key_contexts(&self) -> Vec<Context> {
        self.browser
            .over()
            .unwrap_or_else(|| vec![Context::History, Context::List, Context::Global, Context::Always])
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        if self.browser.over().is_some() {
            return self.browser.on_action(action, out);
        }
        match action {
            Action::Open => match self.browser.list.selected() {
                Some(row) => out.go.push(Navigate::Badge(row.badge_id.clone(), row.reg_date.clone())),
                None => out.say(t!("This row has no badge to open.")),
            },
            Action::Wallet => {
                match self.browser.list.selected().and_then(|row| row.recipient_email.as_ref()) {
                    Some(email) => out.go.push(Navigate::Holder(email.wire().to_owned())),
                    None => out.say(t!("This row has no e-mail address to look up.")),
                }
            }
            Action::Mark => self.toggle_mark(out),
            Action::Range => self.range(env, out),
            Action::MarkLoaded => {
                let rows = self.loaded();
                let loaded = rows.len() as u64;
                self.mark(rows);
                out.say(plural!(
                    loaded,
                    "Marked the {n} loaded row, of {all} in the list.",
                    "Marked all {n} loaded rows, of {all} in the list.",
                    all = crate::tui::widgets::text_layout::number(self.browser.list.len())
                ));
            }
            Action::MarkAll => self.offer_mark_all(env, out),
            Action::InvertMarks => {
                let loaded = self.loaded();
                out.say(plural!(
                    loaded.len() as u64,
                    "Inverted the mark of {n} loaded row.",
                    "Inverted the marks of {n} loaded rows.",
                ));
                for row in loaded {
                    self.flip(row);
                }
            }
            Action::ClearMarks => {
                self.range_from = None;
                self.marks.clear();
            }
            Action::Back if self.range_from.is_some() => self.range_from = None,
            Action::Back if self.marking.is_some() => self.give_up_marking(out),
            Action::Revoke => self.revoke(env, out),
            Action::Ids => out.open(IdsForm::new),
            Action::Export => match self.takeaway(env) {
                Ok(takeaway) => out.go.push(Navigate::Export(Box::new(takeaway))),
                Err(why) => out.say(why),
            },
            _ => return self.browser.on_action(action, out),
        }
        true
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Err(answer) = self.receive_marking(ticket, answer, out) else { return Ok(()) };
        self.browser.on_response(ticket, answer, out)?;
        // Marked badges show their latest known state.
        for (_, row) in self.browser.list.loaded() {
            if let Some(marked) = self.marks.get_mut(&row.badge_id)
                && marked != row
            {
                marked.clone_from(row);
            }
        }
        self.finish_range(out);
        Ok(())
    }

    fn load_visible(&mut self, area: Rect, _: &Env, out: &mut Effects<'_>) {
        self.browser.load_visible(area, out);
        self.finish_range(out);
        self.check_marking(out);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let dragged = self.held.as_ref().filter(|(_, moved)| *moved).map(|(from, _)| from);
        let range = dragged.or(self.range_from.as_ref()).or(self.ranging.as_ref().map(|ends| &ends[0]));
        let mut right = if self.marks.is_empty() {
            String::new()
        } else {
            let in_view = self
                .browser
                .list
                .visible()
                .filter(|(place, _)| {
                    self.browser.list.row_at(*place).is_some_and(|row| self.marks.contains_key(&row.badge_id))
                })
                .count();
            let (marked, unseen) = (self.marks.len() as u64, (self.marks.len() - in_view) as u64);
            t!("{marked} marked ({unseen} not in view)", marked = number(marked), unseen = number(unseen))
        };
        if let Some(from) = range {
            let row = number(from.0 + 1);
            right = format!("{}  {right}", t!("range from row {row}", row));
        }
        if let Some(words) = self.marking_words() {
            right = format!("{words}  {right}");
        }
        self.browser.draw(frame, area, env, &|row| self.marks.contains_key(&row.badge_id), right.trim_end());
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &Env, _: &mut Effects<'_>) -> Clicked {
        let clicked = self.browser.on_click(at, area);
        // A press outside the rows does not start a drag.
        if clicked == Clicked::Changed && self.browser.place_at(area, at.y).is_some() {
            self.drag_start();
        }
        clicked
    }

    fn on_text_key(&mut self, key: KeyEvent, out: &mut Effects<'_>) -> bool {
        self.browser.on_text_key(key, out)
    }

    fn on_paste(&mut self, text: &str, _: &Env, out: &mut Effects<'_>) {
        self.browser.on_paste(text, out);
    }

    fn on_progress(&mut self, ticket: RequestId, done: u64, all: u64) -> bool {
        self.take_progress(ticket, done, all)
    }
}

fn victim(row: &HistoryItem, now: jiff::civil::DateTime) -> RevokeTarget {
    RevokeTarget {
        badge_id: row.badge_id.clone(),
        holder: row.recipient_name.clone().unwrap_or_default(),
        email: row.recipient_email.clone().unwrap_or_default(),
        title: row.title.clone().unwrap_or_default(),
        state: Verdict::of(row, now).state(),
    }
}

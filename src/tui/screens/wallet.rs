//! The Wallet tab: one box, one answer. Wallet and history of a holder side by side, so that what the
//! wallet hides is seen; the selected badge with its verdict and with what to tell a caller.

mod call;
pub(in crate::tui) mod cert;
mod copyables;
mod draw;
mod order;
pub(super) mod pane;
mod people;
mod rows;

use crate::api::ApiError;
use crate::domain::call_advice::{Case, script};
use crate::domain::summary::summary;
use crate::domain::verdict::State;
use crate::domain::{Badge, BadgeId, Held, Query, Text, mask};
use crate::export::{self, What};
use crate::jobs::{Opening, RevokeTarget, SentHere};
use crate::tui::component::Screen;
use crate::tui::component::{Clicked, Component};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, ExportSource, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::persist::input_history::Typed;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::field::{Field, Recent};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::table_header::Heading;
use crate::tui::worker::job_command::JobCommand;
use crate::tui::worker::lookup::LookupQuery;
use crossterm::event::KeyEvent;
use people::People;
use ratatui::layout::Position;
use ratatui::layout::Rect;
use std::collections::HashMap;

/// The most requests that a look-up makes by itself; whatever goes beyond them is asked for by a key.
const BUDGET: u32 = 5;

/// What was found for an address.
struct HolderBadges {
    email: String,
    held: Vec<Held>,
    /// Their places in the order that was chosen; none where they stand as they came.
    order: Vec<usize>,
    troubles: Vec<String>,
    /// What was sent from here and is in neither list.
    sent: Vec<SentHere>,
    /// Whether both lists were read: only then does one tell what the other lacks.
    both: bool,
    complete: bool,
    failed: bool,
}

/// What is known of the call that is being answered; another look-up begins another one.
#[derive(Default)]
struct Call {
    /// What the box held.
    query: Option<Query>,
    /// Requests so far.
    requests: u32,
    /// The badge whose id was given, and what was read of it.
    by_id: Option<BadgeId>,
    /// Whether only the record of that badge is shown, with its holder masked, and not their wallet.
    masked: bool,
    /// Whether the wallet of its holder was opened, which was written down.
    opened: bool,
    /// The badge that one came from, to be selected.
    wanted: Option<BadgeId>,
    /// The caller's name, where it was typed or stood beside the address.
    name: Option<String>,
    /// How many addresses have that name, where they were counted.
    namesakes: usize,
    /// Badges in full, or why one was not read.
    details: HashMap<BadgeId, Result<Box<Badge>, ApiError>>,
    /// Whether the pictures of a badge open, in words.
    pictures: HashMap<BadgeId, [String; 2]>,
    /// What was looked for and is not there.
    nothing: Option<String>,
    /// A badge that was sent from here and that the service does not know.
    unseen: Option<SentHere>,
    /// What the index says to certificate numbers, once it was asked.
    certs: cert::Certs,
    /// The address that had nothing in the look-up before: a name that is typed then is its caller's.
    before: Option<String>,
}

/// What a ticket other than the holder's stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lookups {
    /// Which badge has what was typed as its certificate number; it may be something else after all.
    Cert(Query),
    /// The badge whose id was given.
    ById(BadgeId),
    /// What the journal knows of a badge that the service does not know.
    SentHere(BadgeId),
    /// That the wallet of this badge's holder is opened is being written down.
    Opening(BadgeId),
    /// A badge of the list in full: its reason.
    Detail(BadgeId),
    /// Whose badges have a name.
    Name(String),
    /// Where else an address may have badges.
    Elsewhere(String),
    /// Whether the pictures open.
    Pictures(BadgeId),
}

/// The Wallet tab.
pub struct Wallet {
    field: Field,
    /// What was looked up earlier, while one goes through it.
    recent: Recent,
    typing: bool,
    error: Option<String>,
    /// Of the look-up of a holder.
    ticket: Option<RequestId>,
    /// Of everything else.
    errand: Option<(RequestId, Lookups)>,
    asked: Option<String>,
    found: Option<HolderBadges>,
    call: Call,
    /// Possible matches.
    people: Option<People>,
    /// Whether they are what is selected from, and not the badges.
    choosing: bool,
    heading: Heading,
    /// Whether something has changed since the badges were brought into their order.
    unsorted: bool,
    at: usize,
    top: usize,
    /// Rows of the list that there is room for.
    height: usize,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            field: Field::default(),
            recent: Recent::default(),
            typing: true,
            error: None,
            ticket: None,
            errand: None,
            asked: None,
            found: None,
            call: Call::default(),
            people: None,
            choosing: false,
            heading: rows::heading(),
            unsorted: false,
            at: 0,
            top: 0,
            height: 1,
        }
    }
}

impl Wallet {
    /// Looks up an address that somebody followed to here.
    pub fn look_up(&mut self, email: &str, out: &mut Effects<'_>) {
        self.forget(out);
        self.field.set(email);
        self.holder(email, out);
    }

    /// Looks up a name, as if it were typed into the box.
    pub fn look_up_name(&mut self, name: &str, out: &mut Effects<'_>) {
        self.field.set(name);
        self.take_box(out);
    }

    /// Selects a badge as soon as it is among what is found.
    pub fn select(&mut self, id: BadgeId) {
        self.call.wanted = Some(id);
    }

    /// Reads again, with what is there still shown, when one of these badges is among it.
    pub fn refresh<'a>(&mut self, mut ids: impl Iterator<Item = &'a BadgeId>, out: &mut Effects<'_>) {
        if ids.any(|id| self.held().iter().any(|held| held.badge_id == *id)) {
            self.read_again(out);
        }
    }

    /// Whether badges of somebody are shown.
    pub fn has_found(&self) -> bool {
        self.is_listing() && self.ticket.is_none()
    }

    /// The badges that were found.
    fn held(&self) -> &[Held] {
        self.found.as_ref().map_or(&[], |f| f.held.as_slice())
    }

    /// How many rows the list has.
    fn len(&self) -> usize {
        match &self.people {
            Some(people) if self.choosing => people.matches.len(),
            _ => self.rows().count(),
        }
    }

    fn selected(&self) -> Option<&Held> {
        self.row(self.at)
    }

    /// What is known when the caller asks about a badge.
    fn case<'a>(&'a self, held: &'a Held, env: &Env) -> Case<'a> {
        Case {
            held,
            all: self.held(),
            asked: self.found.as_ref().map_or("", |f| f.email.as_str()),
            both: self.found.as_ref().is_some_and(|f| f.both),
            by_id: self.call.by_id.as_ref() == Some(&held.badge_id),
            masked: self.call.masked,
            namesakes: self.call.namesakes,
            now: env.now(),
            zone_known: env.clock().is_zone_known(),
        }
    }

    /// Offers what was looked up before the one in the box, or after it.
    fn earlier(&mut self, earlier: bool, env: &Env) {
        if self.recent.at().is_none() {
            self.recent = Recent::new(env.recents.list(Typed::LookUp).to_vec());
        }
        if let Some(text) = self.recent.step(earlier, self.field.value()) {
            self.field.set(&text);
            self.error = None;
        }
    }

    fn victim(&self, held: &Held, env: &Env) -> RevokeTarget {
        let asked = || self.asked.clone().map(Text::new).unwrap_or_default();
        RevokeTarget {
            badge_id: held.badge_id.clone(),
            holder: held.recipient_name().cloned().unwrap_or_default(),
            email: held.recipient_email().cloned().unwrap_or_else(asked),
            title: held.title().cloned().unwrap_or_default(),
            state: held.verdict(env.now()).state(),
        }
    }

    /// The badges that are listed, for a file.
    fn takeaway(&self, env: &Env) -> Result<ExportSource, &'static str> {
        let found = self.found.as_ref().filter(|_| self.is_listing());
        let Some(found) = found else { return Err(t!("There are no badges here to export.")) };
        let now = env.now();
        let rows: Vec<export::ExportRow> = self.rows().map(|held| export::ExportRow::of(held, now)).collect();
        let listed = rows.len() as u64;
        let is_all = found.both && found.complete;
        Ok(ExportSource {
            what: What::Rows(<Held as export::Record>::SHAPE.names(), rows),
            name: "wallet",
            head: t!(
                "{badges} of {email}, from wallet and history",
                badges = count!(listed, "badge", "badges"),
                email = Text::from(found.email.as_str())
            ),
            rows: Some(listed),
            note: (!is_all).then(|| {
                t!("Some data of this holder could not be read. There may be more badges.").to_owned()
            }),
        })
    }
}

impl Component for Wallet {
    fn key_contexts(&self) -> Vec<Context> {
        if let Some(menu) = self.menu() {
            vec![menu, Context::Always]
        } else if self.typing {
            vec![Context::LookUp, Context::Prompt, Context::Always]
        } else {
            vec![Context::Wallet, Context::List, Context::Global, Context::Always]
        }
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            _ if self.call.masked && shows_the_holder(action) => false,
            Action::Revoke
            | Action::CopySummary
            | Action::TryPictures
            | Action::OpenPicture
            | Action::Raw => self.selected().is_some(),
            Action::Copy => self.selected().is_some() || self.asked.is_some(),
            Action::Elsewhere => self.asked.is_some() && !self.choosing,
            Action::Open => self.len() > 0,
            Action::Reload => self.has_asked(),
            Action::Sort | Action::ChooseColumns | Action::Export => self.is_listing(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        if let Some(done) = self.act_heading(action, env, out) {
            return done;
        }
        let last = self.len().saturating_sub(1);
        let page = self.height.saturating_sub(1).max(1);
        match action {
            _ if self.call.masked && shows_the_holder(action) => {
                out.say(t!(
                    "This shows only the record. {enter} opens the holder's wallet; the Badge tab shows the badge in full.",
                    enter = env.key(&[Context::Wallet], Action::Open)
                ));
            }
            Action::Accept => self.take_box(out),
            Action::ClearField => {
                self.field.clear();
                self.recent = Recent::default();
            }
            Action::Earlier | Action::Later if self.typing => {
                self.earlier(action == Action::Earlier, env);
            }
            Action::Back if self.typing => {
                // The box says again whose badges stand below it.
                self.typing = false;
                self.error = None;
                self.recent = Recent::default();
                self.field.set(self.asked.as_deref().unwrap_or_default());
            }
            Action::Back if self.can_go_back() => self.back(out),
            Action::LookUp => self.typing = true,
            Action::Export => match self.takeaway(env) {
                Ok(takeaway) => out.go.push(Navigate::Export(Box::new(takeaway))),
                Err(why) => out.say(why),
            },
            Action::Down => self.at = (self.at + 1).min(last),
            Action::Up => self.at = self.at.saturating_sub(1),
            Action::PageDown => self.at = (self.at + page).min(last),
            Action::PageUp => self.at = self.at.saturating_sub(page),
            Action::First => self.at = 0,
            Action::Last => self.at = last,
            Action::Reload => self.read_again(out),
            Action::Open if self.choosing && self.len() > 0 => {
                self.open_match(out);
                // Whose address it was is nobody's business; that one was opened is.
                out.ask(Request::Do(Box::new(JobCommand::Opened(Opening::Match))));
            }
            Action::Open if self.call.masked => self.open_wallet(out),
            Action::Open => match self.selected() {
                Some(held) => out.go.push(Navigate::Badge(held.badge_id.clone(), held.reg_date().cloned())),
                None => self.typing = true,
            },
            Action::Revoke => match self.selected() {
                Some(held) => {
                    let target = self.victim(held, env);
                    out.open(|_, out| RevokeForm::new(vec![target], out));
                }
                None => out.say(t!("There is no badge here to revoke.")),
            },
            Action::CopySummary => match self.selected() {
                Some(held) => {
                    let case = self.case(held, env);
                    out.copy(summary(&case, &script(&case)), t!("a summary with names and e-mails masked"));
                }
                None => out.say(t!("There is no badge here to summarise.")),
            },
            Action::Sort | Action::ChooseColumns => {
                out.say(t!("There are no badges here to sort."));
            }
            Action::Elsewhere => self.look_elsewhere(out),
            Action::TryPictures => match self.selected() {
                Some(held) => {
                    let (id, urls) = (held.badge_id.clone(), held.image_urls().map(Option::<&Text>::cloned));
                    self.send(
                        Lookups::Pictures(id.clone()),
                        Request::Call(LookupQuery::Pictures(id, urls)),
                        out,
                    );
                }
                None => out.say(t!("There is no badge here with pictures to check.")),
            },
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.typing && self.field.on_text_key(key) {
            self.error = None;
            self.recent = Recent::default();
        }
        self.typing
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if !self.typing {
            self.field.clear();
            self.typing = true;
            self.heading.close();
        }
        self.error = None;
        self.recent = Recent::default();
        self.field.on_paste(text.trim());
    }

    fn on_click(&mut self, at: Position, area: Rect, env: &Env, _: &mut Effects<'_>) -> Clicked {
        if let Some((click, choose)) = self.click_menu(at) {
            return Clicked::in_menu(click, choose);
        }
        if at.y == area.y {
            self.typing = true;
            return Clicked::Changed;
        }
        let list = self.areas(area, env).list;
        let place = self.top + usize::from(at.y.saturating_sub(list.y));
        let is_row = (list.y..list.bottom()).contains(&at.y) && place < self.len();
        if is_row {
            self.at = place;
            self.typing = false;
        }
        Clicked::changed(is_row)
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        if self.ticket == Some(ticket)
            && let Response::Holder(holder) = answer
        {
            self.ticket = None;
            self.take_holder(*holder, out);
            return Ok(());
        }
        match &self.errand {
            Some((waits, _)) if *waits == ticket => {}
            _ => return Err(answer),
        }
        let Some((_, errand)) = self.errand.take() else { return Err(answer) };
        self.take_errand(errand, answer, out)
    }

    fn typed(&self) -> Vec<&str> {
        if self.typing { vec![self.field.value()] } else { Vec::new() }
    }

    fn load_visible(&mut self, area: Rect, env: &Env, out: &mut Effects<'_>) {
        self.lay_out_rows(area, env);
        self.ask_reason(env, out);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        self.draw_all(frame, area, env);
    }
}

/// Whether an action would show whose badge it is, or act on it, where only its record is shown.
fn shows_the_holder(action: Action) -> bool {
    matches!(
        action,
        Action::Revoke | Action::TryPictures | Action::OpenPicture | Action::Raw | Action::Export
    )
}

/// A record as anybody may be told of it: without the address and what happened to the mail, and with the name
/// masked.
fn masked(mut badge: Badge) -> Badge {
    badge.recipient_name = badge.recipient_name.map(|name| Text::new(mask::name(name.wire())));
    badge.recipient_email = None;
    badge.email_status = None;
    badge
}

/// Whether the reason of a badge in this state is worth a request: a caller asks for nothing else.
fn wants_reason(held: &Held, now: jiff::civil::DateTime) -> bool {
    matches!(held.verdict(now).state(), State::Revoked | State::Revoking)
}

/// A badge of which only its own record is known.
fn alone(badge: Badge) -> Held {
    Held { detail: Some(Box::new(badge.clone())), ..Held::new(badge.badge_id) }
}

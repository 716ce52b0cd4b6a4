//! The Wallet tab: looks up a holder's badges from one input.
//! It compares the holder's wallet with the history, so that badges missing from the wallet are visible.
//! It shows the selected badge with its verdict and with advice for the caller.
//!
//! ```text
//! lookup, state         a look-up: its steps and its state
//! requests              its requests
//! holder, by_id         the lists of one holder; one badge by its id
//! search                the search for other addresses and names
//! cert                  certificate numbers
//! people                the choice between several people
//! wallet_list           the list of badges or people
//! rows, order, narrow   its rows, their order and columns, and the search in it
//! groups                copies of a badge, listed together and folded
//! holder_cache          what is computed once from all badges of an answer
//! pane                  the answer about the selected badge
//! copyables             what can be copied
//! totals, notes         the lines above the list
//! layout, draw          the place of each part; drawing
//! ```

mod by_id;
pub(in crate::tui) mod cert;
mod copyables;
mod draw;
mod groups;
mod holder;
mod holder_cache;
mod layout;
mod lookup;
mod narrow;
mod notes;
mod order;
pub(super) mod pane;
mod people;
mod requests;
pub(super) mod rows;
mod search;
mod state;
mod totals;
mod wallet_list;

pub(super) use notes::waiting_may_be_hidden;

use crate::domain::call_advice::{CallCase, CallerQuestion, Script, script};
use crate::domain::summary::summary;
use crate::tui::component::usual_hint;
use crate::tui::modals::menu::Menu;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::screens::lookup_box::LookupBox;
use crate::tui::tour::TourPlace;
use layout::AnswerPane;
use lookup::Lookup;
use state::HolderBadges;
use std::rc::Rc;

/// Maximum number of requests that a look-up makes by itself. The user starts any further ones with a key.
const BUDGET: u32 = 5;
/// Maximum number of pages of each list that a look-up reads: by itself, and when the user asks for more.
const FIRST_PAGES: u64 = 2;
const MOST_PAGES: u64 = 200;

#[derive(Default)]
pub struct Wallet {
    input: LookupBox,
    lookup: Lookup,
    pane: AnswerPane,
}

impl Wallet {
    /// Looks up an address that the user followed from another screen.
    pub fn look_up(&mut self, email: &str, effects: &mut Effects<'_>) {
        self.input.put_half_typed_aside(self.lookup.subject());
        self.input.leave(email);
        self.pane.side = None;
        self.lookup.forget(effects);
        self.lookup.holder(email, effects);
    }

    pub fn look_up_name(&mut self, name: &str, effects: &mut Effects<'_>) {
        self.input.put_half_typed_aside(self.lookup.subject());
        self.input.field.set(name);
        self.take_box(effects);
    }

    /// The text of the last look-up is selected. A text that is being typed is selected when the tab opens.
    pub fn focus_box(&mut self) {
        self.pane.side = None;
        if !self.input.typing {
            self.input.focus();
            self.lookup.list.end_search();
            self.lookup.list.heading.close();
        }
    }

    /// Goes from the box to the list. The box shows again what the list is about, and offers a half-typed text.
    fn leave_box(&mut self) {
        self.input.put_half_typed_aside(self.lookup.subject());
        self.input.leave(self.lookup.subject());
        self.lookup.call.error = None;
    }

    fn take_box(&mut self, effects: &mut Effects<'_>) {
        let query = Query::read(self.input.field.value());
        let text = match &query {
            Query::Nothing => {
                effects.say(t!("Type or paste an e-mail address, a name or a badge id first."));
                return;
            }
            Query::NotAnAddress(problem) => {
                self.lookup.call.error =
                    Some(t!("{problem} No request was sent.", problem = problem.sentence()));
                // The caller spells it again: the next paste replaces it.
                self.input.field.select();
                return;
            }
            // Of an address with a name only the address stays.
            Query::Address { address, .. } => address.as_str(),
            Query::BadgeId(_) | Query::Name { .. } => self.input.field.value(),
        };
        let text = text.to_owned();
        self.input.take(&text);
        effects.typed.push((InputKind::LookUp, text));
        self.pane.side = None;
        self.lookup.start(query, effects);
    }

    fn paste(&mut self, text: &str, cx: &UiContext, effects: &mut Effects<'_>) {
        self.focus_box();
        self.lookup.call.error = None;
        let Some((lines, taken)) = self.input.paste(text, self.lookup.subject()) else { return };
        effects.say(t!(
            "A look-up is about one holder. lapel used one of {lines}: {taken}. {up} recalls the others.",
            lines = count!(lines as u64, "pasted line", "pasted lines"),
            taken = short(&taken),
            up = cx.key(&self.key_contexts(), Action::Earlier)
        ));
    }

    pub fn take_history(&mut self, badges: Option<u64>) {
        let known = &mut self.lookup.hints.badges;
        *known = badges.or(*known);
    }

    pub fn select(&mut self, id: BadgeId) {
        self.lookup.call.wanted = Some(id);
    }

    pub fn read_records(&mut self, number: String, ids: Option<Vec<BadgeId>>, effects: &mut Effects<'_>) {
        self.lookup.read_records(number, ids, effects);
    }

    /// Looks again what the journal has, if it could not be read. `was_closed`: no look-up has read it. While a
    /// text is typed, only the lists of an address are read again, because another look-up would begin anew.
    pub fn journal_is_back(&mut self, was_closed: bool, effects: &mut Effects<'_>) {
        let lacks_it =
            std::mem::take(&mut self.lookup.call.lacks_journal) || was_closed && self.lookup.has_asked();
        // A long wallet costs many requests, so only the user reads it again.
        if !lacks_it || self.lookup.call.reading.pages > FIRST_PAGES {
            return;
        }
        match self.lookup.asked.clone() {
            Some(email) => self.lookup.read(email, effects),
            None if !self.input.typing => self.lookup.read_again(effects),
            None => self.lookup.call.lacks_journal = true,
        }
    }

    pub fn answer(&mut self, question: Option<CallerQuestion>, effects: &mut Effects<'_>) {
        self.lookup.call.caller.question = question;
        self.pane.scroll.reset();
        if question == Some(CallerQuestion::Picture) {
            self.lookup.try_pictures(effects);
        }
    }

    pub fn has_found(&self) -> bool {
        self.lookup.list.is_listing() && self.lookup.pending.holder.is_none()
    }

    fn case<'a>(&'a self, held: &'a HeldBadge, cx: &'a UiContext) -> CallCase<'a> {
        let found = self.lookup.list.found.as_ref();
        let to_service = |at| cx.clock().offset().to_datetime(at);
        CallCase {
            held,
            all: self.lookup.list.held(),
            asked: found.map_or("", |f| f.email.as_str()),
            organisation: cx.organisation(),
            both: found.is_some_and(|f| f.both),
            whole_as_of: found.and_then(HolderBadges::whole_as_of).map(to_service),
            unfinished: self.lookup.can_read_on()
                || self.lookup.left_to_read().is_some() && self.lookup.pending.holder.is_some(),
            by_id: self.lookup.call.by_id.id.as_ref() == Some(&held.badge_id) && !held.is_only_sent(),
            masked: self.lookup.call.masked,
            namesakes: self.lookup.call.caller.namesakes,
            question: self.lookup.call.caller.question,
            pictures: self.lookup.call.records.pictures.get(&held.badge_id).map(|tried| tried.opens),
            now: cx.now(),
            zone_known: cx.clock().is_zone_known(),
        }
    }

    /// The advice about a badge.
    fn script(&self, held: &HeldBadge, cx: &UiContext) -> Rc<Script> {
        let case = self.case(held, cx);
        self.lookup.list.found.as_ref().map_or_else(|| Rc::new(script(&case)), |found| found.script(&case))
    }

    fn target(&self, held: &HeldBadge, cx: &UiContext) -> RevokeTarget {
        let asked = || self.lookup.asked.clone().map(Text::new).unwrap_or_default();
        RevokeTarget {
            badge_id: held.badge_id.clone(),
            holder: held.recipient_name().cloned().unwrap_or_default(),
            email: held.recipient_email().cloned().unwrap_or_else(asked),
            title: held.title().cloned().unwrap_or_default(),
            state: held.verdict(cx.now()).state(),
            is_of_index: false,
        }
    }

    fn menu(&self) -> Option<Vec<KeyContext>> {
        let list = &self.lookup.list;
        list.heading.over().filter(|_| list.is_listing() && !self.input.typing)
    }

    fn open(&mut self, effects: &mut Effects<'_>) {
        let list = &mut self.lookup.list;
        if list.is_choosing() && list.len() > 0 {
            self.lookup.record_match(effects);
        } else if self.lookup.call.masked {
            self.lookup.open_wallet(effects);
        } else if list.folded_here().is_some() {
            list.unfold();
        } else if let Some(held) = list.selected() {
            effects.go.push(Navigate::Badge(ListedBadge {
                id: held.badge_id.clone(),
                accepted_at: held.reg_date().cloned(),
                template_id: held.template_id().cloned(),
            }));
        } else {
            self.focus_box();
        }
    }

    fn revoke(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if let Some(copies) = self.lookup.list.folded_here() {
            let copies = number(copies as u64);
            self.lookup.list.unfold();
            effects.say(t!("This row shows {copies} copies. Select the one to revoke.", copies));
        } else if let Some(held) = self.lookup.list.selected() {
            RevokeForm::open(vec![self.target(held, cx)], effects);
        } else {
            effects.say(t!("There is no badge here to revoke."));
        }
    }

    /// Returns whether an action was about the box.
    fn act_in_box(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept => self.take_box(effects),
            Action::ClearField => self.input.clear(),
            // Below the box is the list.
            Action::Later
                if self.input.typing && self.input.recent.at().is_none() && self.lookup.list.len() > 0 =>
            {
                // Half-typed text stays in the box.
                if self.input.field.value() == self.lookup.subject() {
                    self.leave_box();
                }
                self.input.typing = false;
            }
            Action::Earlier | Action::Later if self.input.typing => {
                if self.input.recall(action == Action::Earlier, self.lookup.subject(), cx) {
                    self.lookup.call.error = None;
                }
            }
            Action::Back if self.input.typing => self.leave_box(),
            Action::LookUp => self.focus_box(),
            _ => return false,
        }
        true
    }

    /// Goes back by one step. Returns false if there is none.
    fn go_back(&mut self, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.lookup.list.only.take().is_some() {
            self.lookup.list.unsearched = true;
        } else if self.lookup.list.can_fold() {
            self.lookup.list.fold(cx);
        } else if self.can_go_back() {
            self.lookup.back(effects);
            self.input.show(self.lookup.subject());
        } else {
            return false;
        }
        true
    }
}

impl Component for Wallet {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if let Some(over) = self.menu().or_else(|| self.lookup.list.search.over()) {
            over
        } else if self.input.typing {
            vec![KeyContext::LookUp, KeyContext::Prompt, KeyContext::Field, KeyContext::Always]
        } else if self.pane.side.is_some() {
            vec![
                KeyContext::Picture,
                KeyContext::Wallet,
                KeyContext::List,
                KeyContext::Global,
                KeyContext::Always,
            ]
        } else {
            vec![KeyContext::Wallet, KeyContext::List, KeyContext::Global, KeyContext::Always]
        }
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        match action {
            _ if self.lookup.call.masked && shows_the_holder(action) => false,
            Action::Revoke
            | Action::CopySummary
            | Action::TryPictures
            | Action::OpenPicture
            | Action::Question
            | Action::Raw => self.lookup.list.selected().is_some(),
            Action::Copy => self.lookup.list.selected().is_some() || self.lookup.asked.is_some(),
            Action::Elsewhere if self.lookup.unknown_cert().is_some() => true,
            Action::Elsewhere => {
                self.lookup.can_read_on()
                    || !self.lookup.call.further.meant.is_empty()
                    || !self.lookup.leads_left().is_empty()
            }
            Action::Open | Action::NextMatch | Action::PreviousMatch => self.lookup.list.len() > 0,
            Action::Reload => self.lookup.has_asked(),
            Action::Sort | Action::ChooseColumns | Action::Export => self.lookup.list.is_listing(),
            Action::Only => self.lookup.list.is_listing() && self.lookup.list.held().len() > 1,
            Action::Earlier => self.input.has_offers(cx),
            Action::Later => false,
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept
            && self.lookup.list.search.over().is_some()
            && self.lookup.list.finds_nothing()
        {
            return Action::LookUp.hint();
        }
        usual_hint(self.key_contexts().first(), action)
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let turns = matches!(action, Action::Picture | Action::TurnOver);
        // The picture covers what every other key is about.
        if !turns && self.pane.side.take().is_some() && action == Action::Back {
            return true;
        }
        if !self.input.typing
            && let Some(done) = self.lookup.list.act_heading(action, cx, effects)
        {
            return done;
        }
        // A search does not hide the way to stop reading.
        let stops = action == Action::Back && self.lookup.pending.is_reading_cert();
        if !stops && self.act_search(action, cx, effects) {
            return true;
        }
        match action {
            _ if self.lookup.call.masked && shows_the_holder(action) => {
                effects.say(t!(
                    "This shows only the record. {enter} opens the holder's wallet; the Badge tab shows the badge in full.",
                    enter = cx.key(&[KeyContext::Wallet], Action::Open)
                ));
            }
            Action::Back if stops => self.lookup.stop_cert(effects),
            _ if self.act_in_box(action, cx, effects) => {}
            Action::Back if self.go_back(cx, effects) => {}
            Action::Only => self.lookup.list.only_next(cx, effects),
            Action::Export => match self.source(cx) {
                Ok(source) => effects.export(source),
                Err(why) => effects.say(why),
            },
            Action::Reload => self.lookup.read_again(effects),
            Action::Open => self.open(effects),
            Action::Revoke => self.revoke(cx, effects),
            Action::CopySummary => match self.lookup.list.selected() {
                Some(held) => {
                    let (case, script) = (self.case(held, cx), self.script(held, cx));
                    effects.copy(summary(&case, &script), t!("masked summary"));
                }
                None => effects.say(t!("There is no badge here to summarise.")),
            },
            Action::Sort | Action::ChooseColumns => {
                effects.say(t!("There are no badges here to sort."));
            }
            Action::Elsewhere => match self.lookup.unknown_cert() {
                Some(number) => self.lookup.ask_cert_cost(number, cx, effects),
                None => self.lookup.search_further(effects),
            },
            Action::Question if self.lookup.list.selected().is_some() => {
                effects.show(Menu::of_questions(self.lookup.call.caller.question));
            }
            Action::Question => effects.say(t!("Look up a badge first. Then choose what the caller asks.")),
            Action::PreviewDown | Action::PreviewUp => {
                self.pane.scroll.on_action(action);
            }
            Action::TryPictures => self.answer(Some(CallerQuestion::Picture), effects),
            Action::Picture | Action::TurnOver if self.lookup.list.selected().is_some() => self.pane.turn(),
            Action::Picture | Action::TurnOver => effects.say(t!("There is no badge here to show.")),
            _ => return self.lookup.list.cursor.on_action(action, self.lookup.list.len()),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if !self.input.typing {
            let list = &mut self.lookup.list;
            return list.type_in_search(key) || list.heading.on_text_key(key);
        }
        // The key that goes to the box, pressed once more.
        if key.code == KeyCode::Char('/') && key.modifiers.is_empty() && self.input.field.is_all_selected() {
            return true;
        }
        if self.input.type_key(key, self.lookup.subject()) {
            self.lookup.call.error = None;
        }
        true
    }

    fn on_paste(&mut self, text: &str, cx: &UiContext, effects: &mut Effects<'_>) {
        let has_menu = self.menu().is_some();
        let list = &mut self.lookup.list;
        let is_taken = list.paste_in_search(text) || has_menu && list.heading.on_paste(text);
        if !is_taken {
            self.paste(text, cx, effects);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if self.menu().is_some()
            && let Some(clicked) = self.lookup.list.heading.on_click(at)
        {
            return clicked;
        }
        if self.pane.side.is_some() {
            return Clicked::Nothing;
        }
        if at.y == area.y {
            self.focus_box();
            return Clicked::Changed;
        }
        let is_row = self.lookup.list.cursor.on_click(at, Action::Open) != Clicked::Nothing;
        self.input.typing &= !is_row;
        Clicked::changed(is_row)
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let before = self.lookup.subject().to_owned();
        self.lookup.on_response(reply, cx, effects)?;
        if self.lookup.subject() != before {
            self.input.show(self.lookup.subject());
        }
        Ok(())
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        self.lookup.pending.on_progress(request, done, all)
    }

    fn typed(&self) -> Vec<&str> {
        match self.lookup.list.search.over() {
            _ if self.input.typing => vec![self.input.field.value()],
            Some(_) => vec![self.lookup.list.search.value()],
            None => Vec::new(),
        }
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        self.lay_out_rows(area, cx);
        self.lookup.ask_record(self.pane.side.is_some(), cx, effects);
    }

    fn know(&self, known: &mut KnownWords) {
        self.lookup.list.found.iter().flat_map(|found| &found.held).for_each(|held| held.know(known));
        self.lookup.call.further.rows.iter().for_each(|item| item.know(known));
        self.lookup.call.records.details.values().flatten().for_each(|badge| badge.know(known));
        self.input.set_aside.iter().for_each(|line| known.typed(line));
        let searched = match &self.lookup.call.query {
            Some(Query::Name { name, .. }) => Some(name),
            _ => self.lookup.call.caller.name.as_ref(),
        };
        let texts = [self.input.field.value(), self.lookup.list.search.value()].into_iter();
        texts
            .chain(searched.map(String::as_str))
            .chain(self.lookup.asked.as_deref())
            .for_each(|text| known.typed(text));
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::Prompt | KeyContext::LookUp) => TourPlace::WalletBox,
            _ => TourPlace::Wallet,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.draw_all(frame, area, cx);
    }
}

/// Whether an action would reveal or affect the holder, which is not allowed while only the record is shown.
fn shows_the_holder(action: Action) -> bool {
    matches!(
        action,
        Action::Revoke
            | Action::TryPictures
            | Action::Picture
            | Action::TurnOver
            | Action::OpenPicture
            | Action::Raw
            | Action::Export
            | Action::Question
    )
}

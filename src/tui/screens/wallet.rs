//! The Wallet tab: looks up a holder's badges from one input.
//! It compares the holder's wallet with the history, so that badges missing from the wallet are visible.
//! It shows the selected badge with its verdict and with advice for the caller.
//!
//! ```text
//! state, lookup         a look-up: its state and its steps
//! holder, by_id         the lists of one holder; one badge by its id
//! search                the search for other addresses and names
//! cert                  certificate numbers
//! people, pasted        the choice between several people; several pasted lines
//! rows, order, pane     the badges, their order, and the answer about the selected one
//! groups                copies of a badge, listed together and folded
//! kept                  what is computed from all badges, and kept for the next frames
//! narrow                the search of the list
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
mod kept;
mod layout;
mod lookup;
mod narrow;
mod notes;
mod order;
pub(super) mod pane;
mod pasted;
mod people;
pub(super) mod rows;
mod search;
mod state;
mod totals;

pub(super) use notes::waiting_may_be_hidden;

use crate::domain::call_advice::{CallCase, CallerQuestion};
use crate::domain::mask;
use crate::domain::summary::summary;
use crate::tui::component::usual_hint;
use crate::tui::input::list_hit::{Click, ListCursor};
use crate::tui::modals::menu::Menu;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::search::Search;
use crate::tui::widgets::table_header::Heading;
use people::PeopleMatches;
use state::{Earlier, HolderBadges, LookupState, Lookups, Side, Sought};

/// Maximum number of requests that a look-up makes by itself. The user starts any further ones with a key.
const BUDGET: u32 = 5;
/// Maximum number of pages of each list that a look-up reads: by itself, and when the user asks for more.
const FIRST_PAGES: u64 = 2;
const MOST_PAGES: u64 = 200;

#[derive(Default)]
pub struct Wallet {
    field: TextField,
    recent: RecentInputs,
    /// Pasted lines, and a text that was left half typed: they were not looked up yet.
    set_aside: Vec<String>,
    typing: bool,
    /// Whether the text of the box was changed since it was looked up. An answer leaves it alone then.
    is_edited: bool,
    error: Option<String>,
    request: Option<RequestId>,
    /// The running request for anything but a holder. `request` has that one.
    lookup: Option<(RequestId, Lookups)>,
    /// What `lookup` has read, and how much there is: 0 if unknown.
    progress: Option<(u64, u64)>,
    asked: Option<String>,
    found: Option<HolderBadges>,
    call: LookupState,
    earlier: Option<Box<Earlier>>,
    people: Option<PeopleMatches>,
    /// Whether the user selects from the possible matches instead of the badges.
    choosing: bool,
    heading: Heading,
    search: Search,
    /// Places of the rows that the search finds. `None`: all rows are listed.
    fitting: Option<Vec<usize>>,
    /// Whether the badges or their order have changed, so that the rows need a new order and a new search.
    unsorted: bool,
    /// Whether the text of the search has changed, so that the rows need a new search.
    unsearched: bool,
    cursor: ListCursor,
    scroll: Scroll,
    scrolled: Option<BadgeId>,
    /// Whether the answer has no room for its general advice.
    lacks_advice: bool,
    /// Whether the pane shows a picture of the selected badge.
    shows_picture: bool,
    /// Badges of the history, if lapel has seen their number. It says what reading it costs.
    history: Option<u64>,
    /// The domains of addresses that lapel has seen. One of them may be the one that a caller meant.
    domains: BTreeSet<String>,
    /// A badge id of the service, for the form of its ids.
    sample: Option<BadgeId>,
}

impl Wallet {
    /// Looks up an address that the user followed from another screen.
    pub fn look_up(&mut self, email: &str, effects: &mut Effects<'_>) {
        self.keep_for_later(self.half_typed());
        self.forget(effects);
        self.typing = false;
        self.is_edited = false;
        self.field.set(email);
        self.holder(email, effects);
    }

    pub fn look_up_name(&mut self, name: &str, effects: &mut Effects<'_>) {
        self.keep_for_later(self.half_typed());
        self.field.set(name);
        self.take_box(effects);
    }

    /// The text of the last look-up is selected. A text that is being typed is selected when the tab opens.
    pub fn focus_box(&mut self) {
        self.call.side = None;
        if !self.typing {
            self.typing = true;
            self.end_search();
            self.heading.close();
            self.field.select();
        }
    }

    /// Goes from the box to the list. The box shows again what the list is about, and offers a half-typed text.
    fn leave_box(&mut self) {
        self.keep_for_later(self.half_typed());
        self.typing = false;
        self.is_edited = false;
        self.error = None;
        self.recent = RecentInputs::default();
        let text = self.looked_up().to_owned();
        self.field.set(&text);
    }

    /// The address, the name or the number that the screen is about.
    fn looked_up(&self) -> &str {
        let typed = || match &self.call.query {
            Some(Query::Name { name, .. }) => name.as_str(),
            Some(Query::BadgeId(id)) => id.wire(),
            _ => "",
        };
        self.asked.as_deref().or(self.call.name.as_deref()).unwrap_or_else(typed)
    }

    /// Shows in the box what an answer is about. A text that somebody types meanwhile stays, and so does the focus.
    fn show_in_box(&mut self, text: &str) {
        if !self.is_edited {
            self.field.set(text);
            if self.typing {
                self.field.select();
            }
        }
    }

    pub fn take_history(&mut self, badges: Option<u64>) {
        self.history = badges.or(self.history);
    }

    /// Learns the domains of addresses and the form of badge ids from rows that were read.
    pub fn learn<'a>(&mut self, rows: impl Iterator<Item = &'a HistoryItem>) {
        for row in rows {
            let key = row.recipient_email.as_ref().map(|email| EmailKey::of(email.wire()));
            self.domains.extend(key.as_ref().and_then(EmailKey::domain).map(str::to_owned));
            self.sample.get_or_insert_with(|| row.badge_id.clone());
        }
    }

    pub fn select(&mut self, id: BadgeId) {
        self.call.wanted = Some(id);
    }

    /// Reads again if one of these badges is listed. The old data stays visible meanwhile.
    pub fn refresh<'a>(&mut self, mut ids: impl Iterator<Item = &'a BadgeId>, effects: &mut Effects<'_>) {
        // A long wallet costs many requests, so only the user reads it again.
        if self.call.pages <= FIRST_PAGES && ids.any(|id| self.held().iter().any(|held| held.badge_id == *id))
        {
            self.read_again(effects);
        }
    }

    pub fn answer(&mut self, question: Option<CallerQuestion>, effects: &mut Effects<'_>) {
        self.call.question = question;
        self.scroll.reset();
        if question == Some(CallerQuestion::Picture) {
            self.try_pictures(effects);
        }
    }

    /// Shows the next side of the selected badge's picture, and after the back the answer again. If the pane shows the
    /// front already, the back comes first.
    fn turn(&mut self, effects: &mut Effects<'_>) {
        if self.selected().is_none() {
            effects.say(t!("There is no badge here to show."));
            return;
        }
        let next = match self.call.side {
            None if !self.shows_picture => Some(Side::Front),
            None | Some(Side::Front) => Some(Side::Back),
            Some(Side::Back) => None,
        };
        self.call.side = next;
    }

    fn try_pictures(&mut self, effects: &mut Effects<'_>) {
        let Some(held) = self.selected() else {
            effects.say(t!("There is no badge here with pictures to check."));
            return;
        };
        let (id, urls) = (held.badge_id.clone(), held.image_urls().map(Option::<&Text>::cloned));
        // An old result is not the answer to a new test.
        self.call.pictures.remove(&id);
        self.send(Lookups::Pictures(id.clone()), Request::TryPictures(id, urls), effects);
    }

    /// The found badges that are in the history.
    pub fn items(&self) -> impl Iterator<Item = &HistoryItem> {
        self.found.iter().flat_map(|found| &found.held).filter_map(|held| held.history.as_ref())
    }

    pub fn has_found(&self) -> bool {
        self.is_listing() && self.request.is_none()
    }

    fn held(&self) -> &[HeldBadge] {
        self.found.as_ref().map_or(&[], |f| f.held.as_slice())
    }

    fn selected(&self) -> Option<&HeldBadge> {
        self.row(self.cursor.at())
    }

    /// When lapel requested the badge, if the journal knows it.
    fn requested(&self, held: &HeldBadge) -> Option<Timestamp> {
        self.found.as_ref()?.requested.get(&held.badge_id).copied()
    }

    fn case<'a>(&'a self, held: &'a HeldBadge, cx: &'a UiContext) -> CallCase<'a> {
        let to_service = |at| cx.clock().offset().to_datetime(at);
        CallCase {
            held,
            all: self.held(),
            asked: self.found.as_ref().map_or("", |f| f.email.as_str()),
            organisation: cx.organisation(),
            both: self.found.as_ref().is_some_and(|f| f.both),
            whole_as_of: self.found.as_ref().and_then(HolderBadges::whole_as_of).map(to_service),
            unfinished: self.can_read_on() || self.left_to_read().is_some() && self.request.is_some(),
            by_id: self.call.by_id.as_ref() == Some(&held.badge_id) && !held.is_only_sent(),
            masked: self.call.masked,
            namesakes: self.call.namesakes,
            question: self.call.question,
            pictures: self.call.pictures.get(&held.badge_id).map(|tried| tried.opens),
            requested: self.requested(held).map(to_service),
            now: cx.now(),
            zone_known: cx.clock().is_zone_known(),
        }
    }

    fn earlier(&mut self, earlier: bool, cx: &UiContext) {
        if self.recent.at().is_none() {
            self.recent = RecentInputs::new(self.offered(cx));
            if earlier && !self.recent.is_empty() {
                self.keep_for_later(self.half_typed());
            }
        }
        if let Some(text) = self.recent.step(earlier, self.field.value()) {
            // It is in the box again.
            if self.recent.at().is_none() {
                self.set_aside.retain(|aside| aside != text.trim());
            }
            self.field.set(&text);
            self.is_edited = true;
            self.error = None;
        }
    }

    fn target(&self, held: &HeldBadge, cx: &UiContext) -> RevokeTarget {
        let asked = || self.asked.clone().map(Text::new).unwrap_or_default();
        RevokeTarget {
            badge_id: held.badge_id.clone(),
            holder: held.recipient_name().cloned().unwrap_or_default(),
            email: held.recipient_email().cloned().unwrap_or_else(asked),
            title: held.title().cloned().unwrap_or_default(),
            state: held.verdict(cx.now()).state(),
            is_of_index: false,
        }
    }
}

impl Component for Wallet {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if let Some(over) = self.menu().or_else(|| self.search.over()) {
            over
        } else if self.typing {
            vec![KeyContext::LookUp, KeyContext::Prompt, KeyContext::Field, KeyContext::Always]
        } else if self.call.side.is_some() {
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

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            _ if self.call.masked && shows_the_holder(action) => false,
            Action::Revoke
            | Action::CopySummary
            | Action::TryPictures
            | Action::OpenPicture
            | Action::Question
            | Action::Raw => self.selected().is_some(),
            Action::Copy => self.selected().is_some() || self.asked.is_some(),
            Action::Elsewhere if self.unknown_cert().is_some() => true,
            Action::Elsewhere => {
                self.can_read_on() || !self.call.meant.is_empty() || !self.leads_left().is_empty()
            }
            Action::Open | Action::NextMatch | Action::PreviousMatch => self.len() > 0,
            Action::Reload => self.has_asked(),
            Action::Sort | Action::ChooseColumns | Action::Export => self.is_listing(),
            Action::Only => self.is_listing() && self.held().len() > 1,
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept && self.search.over().is_some() && self.finds_nothing() {
            return Action::LookUp.hint();
        }
        usual_hint(self.key_contexts().first(), action)
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let turns = matches!(action, Action::Picture | Action::TurnOver);
        // The picture covers what every other key is about.
        if !turns && self.call.side.take().is_some() && action == Action::Back {
            return true;
        }
        if let Some(done) = self.act_heading(action, cx, effects) {
            return done;
        }
        // A search does not hide the way to stop reading.
        let stops = action == Action::Back && self.is_reading_cert();
        if !stops && self.act_search(action, cx, effects) {
            return true;
        }
        match action {
            _ if self.call.masked && shows_the_holder(action) => {
                effects.say(t!(
                    "This shows only the record. {enter} opens the holder's wallet; the Badge tab shows the badge in full.",
                    enter = cx.key(&[KeyContext::Wallet], Action::Open)
                ));
            }
            Action::Accept => self.take_box(effects),
            Action::ClearField => {
                self.field.clear();
                self.is_edited = true;
                self.recent = RecentInputs::default();
            }
            // Below the box is the list.
            Action::Later if self.typing && self.recent.at().is_none() && self.len() > 0 => {
                // Half-typed text stays in the box.
                if self.field.value() == self.looked_up() {
                    self.leave_box();
                }
                self.typing = false;
            }
            Action::Earlier | Action::Later if self.typing => {
                self.earlier(action == Action::Earlier, cx);
            }
            Action::Back if self.is_reading_cert() => self.stop_cert(effects),
            Action::Back if self.typing => self.leave_box(),
            Action::Only => self.only_next(cx, effects),
            Action::Back if self.call.only.take().is_some() => self.unsearched = true,
            Action::Back if self.can_fold() => self.fold(cx),
            Action::Back if self.can_go_back() => self.back(effects),
            Action::LookUp => self.focus_box(),
            Action::Export => match self.source(cx) {
                Ok(source) => effects.export(source),
                Err(why) => effects.say(why),
            },
            Action::Reload => self.read_again(effects),
            Action::Open if self.choosing && self.len() > 0 => self.record_match(effects),
            Action::Open if self.call.masked => self.open_wallet(effects),
            Action::Open if self.folded_here().is_some() => self.unfold(),
            Action::Open => match self.selected() {
                Some(held) => effects.go.push(Navigate::Badge(ListedBadge {
                    id: held.badge_id.clone(),
                    accepted_at: held.reg_date().cloned(),
                    template_id: held.template_id().cloned(),
                })),
                None => self.focus_box(),
            },
            Action::Revoke if self.folded_here().is_some() => {
                let copies = number(self.folded_here().unwrap_or_default() as u64);
                self.unfold();
                effects.say(t!("This row shows {copies} copies. Select the one to revoke.", copies));
            }
            Action::Revoke => match self.selected() {
                Some(held) => {
                    let target = self.target(held, cx);
                    RevokeForm::open(vec![target], effects);
                }
                None => effects.say(t!("There is no badge here to revoke.")),
            },
            Action::CopySummary => match self.selected() {
                Some(held) => {
                    let case = self.case(held, cx);
                    effects.copy(summary(&case, &self.script(held, cx)), t!("the masked summary"));
                }
                None => effects.say(t!("There is no badge here to summarise.")),
            },
            Action::Sort | Action::ChooseColumns => {
                effects.say(t!("There are no badges here to sort."));
            }
            Action::Elsewhere => match self.unknown_cert() {
                Some(number) => self.ask_cert_cost(number, cx, effects),
                None => self.look_elsewhere(effects),
            },
            Action::Question if self.selected().is_some() => {
                effects.show(Menu::of_questions(self.call.question));
            }
            Action::Question => effects.say(t!("Look up a badge first. Then choose what the caller asks.")),
            Action::PreviewDown | Action::PreviewUp => {
                self.scroll.on_action(action);
            }
            Action::TryPictures => self.answer(Some(CallerQuestion::Picture), effects),
            Action::Picture | Action::TurnOver => self.turn(effects),
            _ => return self.cursor.on_action(action, self.len()),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if !self.typing {
            return self.type_in_search(key) || self.heading.on_text_key(key);
        }
        // The key that goes to the box, pressed once more.
        if key.code == KeyCode::Char('/') && key.modifiers.is_empty() && self.field.is_all_selected() {
            return true;
        }
        let before = self.half_typed().filter(|_| self.field.is_all_selected());
        if self.field.on_text_key(key) {
            // Deleting it is a decision. The first letter of another text is none.
            let is_kept = before.as_deref().is_some_and(|before| self.field.value().starts_with(before));
            self.keep_for_later(before.filter(|_| !is_kept && !self.field.value().is_empty()));
            self.is_edited = true;
            self.error = None;
            self.recent = RecentInputs::default();
        }
        true
    }

    fn on_paste(&mut self, text: &str, cx: &UiContext, effects: &mut Effects<'_>) {
        let is_taken = self.paste_in_search(text) || self.menu().is_some() && self.heading.on_paste(text);
        if !is_taken {
            self.paste(text, cx, effects);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if let Some((click, choose)) = self.click_menu(at) {
            return Clicked::in_menu(click, choose);
        }
        if self.call.side.is_some() {
            return Clicked::Nothing;
        }
        if at.y == area.y {
            self.focus_box();
            return Clicked::Changed;
        }
        let is_row = self.cursor.click(at) != Click::Beside;
        self.typing &= !is_row;
        Clicked::changed(is_row)
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request) {
            Ok(Response::Holder(holder)) => self.take_holder(*holder, effects),
            Ok(_) => {}
            Err(reply) => match self.lookup.take_if(|(waits, _)| *waits == reply.id) {
                Some((_, lookup)) => self.take_lookup(lookup, reply, effects)?,
                None => return Err(reply),
            },
        }
        let now = cx.clock().utc();
        if let Some(found) = &mut self.found {
            found.read_at.get_or_insert(now);
        }
        if let Some(people) = &mut self.people {
            people.read_at.get_or_insert(now);
        }
        Ok(())
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        let is_mine = self.lookup.as_ref().is_some_and(|(own, _)| *own == request);
        if is_mine {
            self.progress = Some((done, all));
        }
        is_mine
    }

    fn typed(&self) -> Vec<&str> {
        match self.search.over() {
            _ if self.typing => vec![self.field.value()],
            Some(_) => vec![self.search.value()],
            None => Vec::new(),
        }
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        self.lay_out_rows(area, cx);
        self.ask_record(cx, effects);
    }

    fn know(&self, known: &mut KnownWords) {
        self.found.iter().flat_map(|found| &found.held).for_each(|held| held.know(known));
        self.call.rows.iter().for_each(|item| item.know(known));
        self.call.details.values().flatten().for_each(|badge| badge.know(known));
        self.set_aside.iter().for_each(|line| known.typed(line));
        let searched = match &self.call.query {
            Some(Query::Name { name, .. }) => Some(name),
            _ => self.call.name.as_ref(),
        };
        let texts = [self.field.value(), self.search.value()].into_iter();
        texts
            .chain(searched.map(String::as_str))
            .chain(self.asked.as_deref())
            .for_each(|text| known.typed(text));
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

/// A copy that anyone may see: without address and mail status, and with the name masked, also where a person wrote it.
fn masked(mut badge: Badge) -> Badge {
    let name = badge.recipient_name.clone().unwrap_or_default();
    let shown = name.to_string();
    for text in [&mut badge.revoke_reason, &mut badge.description].into_iter().flatten() {
        *text = Text::new(mask::text(text.wire(), &[name.wire(), shown.as_str()]));
    }
    badge.recipient_name = badge.recipient_name.map(|name| Text::new(mask::name(name.wire())));
    badge.recipient_email = None;
    badge.email_status = None;
    badge
}

/// Whether the answer needs the record: for the revoke reason, or because neither list has the badge. For other states, a
/// caller needs no further data.
fn wants_record(held: &HeldBadge, now: jiff::civil::DateTime) -> bool {
    held.is_only_sent() || matches!(held.verdict(now).state(), State::Revoked | State::Revoking)
}

/// An entry for a badge that only the journal knows. `None` unless the service accepted it with an id, and it waits.
fn own_row(sent: &SentHere) -> Option<HeldBadge> {
    let waits = matches!(sent.row_status, RowStatus::Waiting | RowStatus::Overdue);
    let id = sent.badge_id.clone().filter(|_| waits)?;
    Some(HeldBadge { sent: Some(sent.title.clone()), ..HeldBadge::new(id) })
}

/// An entry for a badge of which lapel knows only the record.
fn alone(badge: Badge) -> HeldBadge {
    HeldBadge { detail: Some(Box::new(badge.clone())), ..HeldBadge::new(badge.badge_id) }
}

//! The Badge tab: one badge, with the verdict first and everything else below it.

pub(super) mod badge_text;
mod copyables;

use crate::domain::call_advice::script;
use crate::domain::summary::summary;
use crate::index::Cert;
use crate::tui::modals::issue::IssueForm;
use crate::tui::modals::replace::ReplaceForm;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::request::{HolderInJournal, NotSearched};
use crate::tui::screens::lookup_box::LookupBox;
use crate::tui::screens::picture;
use crate::tui::screens::wallet::cert::{IndexSearch, index_search, several};
use crate::tui::tour::TourPlace;
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::preview;
use crate::tui::widgets::scroll::Scroll;
use badge_text::{badge_lines, not_read};

#[derive(Default)]
pub struct BadgeScreen {
    wanted: Option<ListedBadge>,
    read: LastRead<Badge>,
    request: Option<RequestId>,
    /// What the journal has of the badge, and the request for it.
    journal: (Option<RequestId>, HolderInJournal),
    input: LookupBox,
    /// The index search for a certificate number, and the text of the input that has it. It may turn out to be a badge id.
    cert: Option<(RequestId, String, String)>,
    certs: Option<IndexSearch>,
    scroll: Scroll,
    back: bool,
    over_text: bool,
    beside: bool,
}

impl BadgeScreen {
    /// Opens a badge that the user selected elsewhere.
    pub fn open(&mut self, badge: ListedBadge, effects: &mut Effects<'_>) {
        self.leave_box();
        self.show(badge, effects);
    }

    fn show(&mut self, mut badge: ListedBadge, effects: &mut Effects<'_>) {
        self.input.leave("");
        effects.cancel(self.cert.take().map(|(request, ..)| request));
        self.certs = None;
        self.scroll.reset();
        if let Some(before) = self.wanted.take_if(|before| before.id == badge.id) {
            badge.keep(before);
        } else {
            self.read = LastRead::default();
            self.journal.1 = HolderInJournal::default();
            self.back = false;
            self.over_text = false;
        }
        self.wanted = Some(badge);
        self.read_record(effects);
    }

    /// Reads the record, and what the journal has of the badge.
    fn read_record(&mut self, effects: &mut Effects<'_>) {
        if let Some(badge) = &self.wanted {
            effects.request_instead(&mut self.journal.0, Request::SentBadge(badge.id.clone()));
            effects.request_instead(&mut self.request, Request::Badge(badge.id.clone()));
        }
    }

    /// Closes the box, which offers a half-typed text the next time. The id of the open badge is on the screen.
    fn leave_box(&mut self) {
        self.input.put_half_typed_aside(id_of(self.wanted.as_ref()));
        self.input.leave("");
    }

    /// Whether nobody knows this id, and it may be a name: Enter in the input then looks for its holders.
    fn offers_name(&self) -> bool {
        matches!(self.read.shown(), Some(Err(ApiError::NotFound(_))))
            && self.journal.1.sent.is_empty()
            && !id_of(self.wanted.as_ref()).chars().any(char::is_numeric)
    }

    /// The template of the badge, if the list that opened it knows it.
    fn template(&self) -> Option<&TemplateId> {
        self.badge().and(self.wanted.as_ref())?.template_id.as_ref()
    }

    fn badge(&self) -> Option<&Badge> {
        self.read.value()
    }

    /// The record, and above it why it could not be read again.
    fn lines(&self, badge: &Badge, (room, height): (usize, usize), cx: &UiContext) -> Vec<Line<'static>> {
        let words = |error: &ApiError| {
            t!("Badge {id} could not be read: {error}", id = short(badge.badge_id.wire()), error)
        };
        let note = self.read.note(words, cx);
        let mut lines = note.map_or_else(Vec::new, |note| styled(&note, room, cx.theme.error()));
        let height = height.saturating_sub(lines.len());
        lines.extend(badge_lines(badge, &self.journal.1, (room, height), cx));
        lines
    }

    /// Opens the badge with this id or certificate number. Only the index knows certificate numbers.
    fn find_badge(&mut self, typed: BadgeId, effects: &mut Effects<'_>) {
        effects.typed.push((InputKind::Badge, typed.wire().to_owned()));
        self.input.set_aside.retain(|text| text != typed.wire());
        effects.cancel(self.cert.take().map(|(request, ..)| request));
        let number = typed.wire().to_owned();
        if number.chars().any(char::is_numeric) {
            let request = effects.request(Request::FindCert(number.clone()));
            self.cert = Some((request, number, self.input.field.value().to_owned()));
        } else {
            self.show(ListedBadge::unlisted(typed), effects);
        }
    }

    /// As from the input, from elsewhere.
    pub fn find_typed(&mut self, typed: BadgeId, effects: &mut Effects<'_>) {
        self.leave_box();
        self.over_text = false;
        self.find_badge(typed, effects);
    }

    fn take_certs(
        &mut self,
        (typed, text): (String, String),
        found: &Result<Vec<Cert>, NotSearched>,
        effects: &mut Effects<'_>,
    ) {
        // What somebody types meanwhile stays, in the open input.
        let next =
            Some(&self.input.field).filter(|field| self.input.typing && field.value() != text).cloned();
        match found.as_deref() {
            Ok([one]) => {
                let unlisted = || ListedBadge::unlisted(one.badge_id.clone());
                self.show(one.row.as_ref().map_or_else(unlisted, ListedBadge::of), effects);
            }
            Ok(all @ [_, _, ..]) => effects.say(several(all)),
            Ok([]) | Err(_) => {
                if let Some(id) = BadgeId::new(typed) {
                    self.show(ListedBadge::unlisted(id), effects);
                }
                self.certs = Some(index_search(found));
            }
        }
        if let Some(field) = next {
            (self.input.field, self.input.typing) = (field, true);
            self.input.edited();
        }
    }

    fn draw_picture(&self, frame: &mut Frame<'_>, area: Rect, want: PictureRequest, cx: &UiContext) {
        let turns = self.beside || !self.back;
        let key = cx.keymap.key(&self.key_contexts(), Action::Picture).filter(|_| turns);
        let pane = if self.over_text { area } else { picture::beside(area).1 };
        if !self.over_text {
            preview::draw_edge(frame, pane, cx);
        }
        let title = self.badge().and_then(|badge| badge.title.as_ref()).filter(|_| self.over_text);
        picture::draw_side(want, (self.back, key, title), frame, pane, cx);
    }

    /// Opens the form for one more badge of this template.
    fn issue(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        match (self.template(), self.badge().and_then(|badge| badge.title.as_ref())) {
            (Some(id), title) => {
                let (id, title) = (id.clone(), title.cloned().unwrap_or_default());
                effects.open(|_, effects| IssueForm::new(id, title, effects));
            }
            // A badge's own record does not name its template.
            (None, Some(title)) => {
                effects.go.push(Navigate::TemplatesTitled(title.wire().to_owned()));
                let key = cx.key(&[KeyContext::Templates], Action::Issue);
                effects.say(t!("Select a template. {key} issues its badge.", key));
            }
            (None, None) => effects.say(t!("This badge has no title, so its template is not known.")),
        }
    }

    /// Opens the form for a corrected badge.
    fn replace(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(badge) = self.badge() else {
            effects.say(t!("There is no badge here to correct."));
            return;
        };
        match Verdict::of(badge, cx.now()).state() {
            State::Revoked => {
                effects.say(t!("A revoked badge cannot be replaced. Issue a new one from Templates."));
            }
            State::Revoking => effects.say(t!(
                "This badge is being revoked, so it cannot be replaced. Issue a new one from Templates."
            )),
            _ => {
                let badge = Box::new(badge.clone());
                effects.open(|cx, effects| ReplaceForm::new(badge, cx, effects));
            }
        }
    }

    /// Opens the badge, or the holder, that the text in the box names.
    fn look_up_typed(&mut self, effects: &mut Effects<'_>) {
        let typed = self.input.field.value().to_owned();
        // A badge id inside pasted text is extracted. An address or a person's name is looked up where holders
        // are, a word that may be either only after no badge has it as its id. Any other text is taken as the id
        // itself.
        let id = match Query::read(&typed) {
            Query::Address { address, .. } => {
                effects.go.push(Navigate::Holder(address.as_str().to_owned()));
                return;
            }
            Query::NotAnAddress(problem) => {
                effects.say(&t!("{problem} No request was sent.", problem = problem.sentence()));
                return;
            }
            Query::BadgeId(id) => Some(id),
            Query::Nothing => None,
            Query::Name { name, or_id }
                if !name.chars().any(char::is_numeric)
                    && (or_id.is_none()
                        || self.offers_name() && id_of(self.wanted.as_ref()) == typed.trim()) =>
            {
                effects.go.push(Navigate::HolderNamed(name));
                return;
            }
            Query::Name { .. } => BadgeId::new(typed.trim()),
        };
        match id {
            Some(id) => self.find_badge(id, effects),
            None => effects.say(t!("Type or paste a badge id first.")),
        }
    }
}

impl Component for BadgeScreen {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if self.input.typing {
            vec![KeyContext::LookUp, KeyContext::Prompt, KeyContext::Field, KeyContext::Always]
        } else if self.over_text {
            vec![KeyContext::Picture, KeyContext::Badge, KeyContext::Global, KeyContext::Always]
        } else {
            vec![KeyContext::Badge, KeyContext::Global, KeyContext::Always]
        }
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        match action {
            Action::Revoke | Action::CopySummary | Action::OpenPicture => self.badge().is_some(),
            Action::Issue => {
                self.template().is_some() || self.badge().is_some_and(|badge| badge.title.is_some())
            }
            Action::Replace => self.badge().is_some_and(|badge| {
                !matches!(Verdict::of(badge, cx.now()).state(), State::Revoked | State::Revoking)
            }),
            Action::Wallet => self.badge().is_some_and(|badge| badge.recipient_email.is_some()),
            Action::Copy | Action::Raw | Action::Reload => self.wanted.is_some(),
            Action::Earlier => self.input.has_offers(cx),
            Action::Later => false,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.scroll.on_action(action) {
            return true;
        }
        match action {
            Action::Accept => self.look_up_typed(effects),
            Action::ClearField => self.input.clear(),
            Action::Earlier | Action::Later if self.input.typing => {
                self.input.recall(action == Action::Earlier, id_of(self.wanted.as_ref()), cx);
            }
            Action::Back if self.input.typing => {
                effects.cancel(self.cert.take().map(|(request, ..)| request));
                self.leave_box();
            }
            Action::Back if self.over_text => self.over_text = false,
            Action::Picture | Action::TurnOver if self.badge().is_none() => {
                effects.say(t!("There is no badge here to show."));
            }
            // One key goes through both sides and back to the text.
            Action::Picture if self.over_text && self.back => (self.over_text, self.back) = (false, false),
            Action::Picture if self.over_text || self.beside => self.back = !self.back,
            Action::Picture => (self.over_text, self.back) = (true, false),
            // If no picture is visible, the front comes first.
            Action::TurnOver if !self.beside && !self.over_text => self.over_text = true,
            Action::TurnOver => self.back = !self.back,
            Action::FindBadge => {
                self.over_text = false;
                self.input.field.set("");
                self.input.focus();
            }
            Action::Issue => self.issue(cx, effects),
            Action::Reload => self.read_record(effects),
            Action::Wallet => match self.badge().and_then(|b| Some((b, b.recipient_email.as_ref()?))) {
                Some((badge, email)) => {
                    effects.go.push(Navigate::HolderOf(email.wire().to_owned(), badge.badge_id.clone()));
                }
                None => effects.say(t!("There is no e-mail address here to look up.")),
            },
            Action::CopySummary => match self.badge() {
                Some(badge) => {
                    let held = badge_text::held(badge, &self.journal.1, cx);
                    let case = badge_text::case(&held, cx);
                    effects.copy(summary(&case, &script(&case)), t!("masked summary"));
                }
                None => effects.say(t!("There is no badge here to summarise.")),
            },
            Action::Replace => self.replace(cx, effects),
            Action::Revoke => match self.badge() {
                Some(badge) => {
                    let state = Verdict::of(badge, cx.now()).state();
                    RevokeForm::open(vec![RevokeTarget::of_badge(badge, state)], effects);
                }
                None => effects.say(t!("There is no badge here to revoke.")),
            },
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.input.typing && self.input.type_key(key, id_of(self.wanted.as_ref()))
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.input.typing = true;
        self.input.field.on_paste(text.trim());
        self.input.edited();
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::FoundCerts(found) if self.cert.as_ref().is_some_and(|(asked, ..)| *asked == id) => {
                if let Some((_, typed, text)) = self.cert.take() {
                    self.take_certs((typed, text), &found, effects);
                }
                Ok(())
            }
            Response::SentBadge(found) if self.journal.0 == Some(id) => {
                self.journal.0 = None;
                match found {
                    Ok(found) => self.journal.1 = found,
                    // What was read before stays.
                    Err(why) => effects.warn(crate::jobs::not_read(&why).to_string()),
                }
                Ok(())
            }
            Response::Badge(badge) if self.request == Some(id) => {
                self.request = None;
                if matches!(&*badge, Err(ApiError::NotFound(_) | ApiError::BadInput { .. }))
                    && let Some(wanted) = &self.wanted
                {
                    // Open the input, so that the user can correct the id and the letters do not act as keys. A user who
                    // already types the next id is not interrupted.
                    if !self.input.typing {
                        self.input.field.set(wanted.id.wire());
                        self.input.typing = true;
                    }
                    // That is an answer, and not a failure to read.
                    self.read = LastRead::default();
                }
                let badge = badge.map(|mut badge| {
                    badge.reg_date = badge.reg_date.or_else(|| self.wanted.as_ref()?.accepted_at.clone());
                    badge
                });
                self.read.take(badge, cx);
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, _: &mut Effects<'_>) {
        let shown = cx.pictures.is_on() && self.badge().is_some();
        self.beside = shown && picture::has_room_beside(area);
        self.over_text &= shown && !self.beside;
    }

    fn typed(&self) -> Vec<&str> {
        Some(self.input.field.value()).filter(|_| self.input.typing).into_iter().collect()
    }

    fn know(&self, known: &mut KnownWords) {
        if let Some(badge) = self.badge() {
            badge.know(known);
        }
        self.input.set_aside.iter().for_each(|text| known.typed(text));
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::Badge) => TourPlace::Badge,
            _ => TourPlace::Elsewhere,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if let Some(want) = self.picture(area, cx) {
            self.draw_picture(frame, area, want, cx);
            if self.over_text {
                return;
            }
        }
        let area = if self.beside { picture::beside(area).0 } else { area };
        let room = usize::from(area.width).saturating_sub(4);
        let body = Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(1),
        };
        let top = Rect { height: 1, ..area };
        if self.input.typing {
            let label = format!("  {} ", t!("Badge id"));
            let used = width(&label);
            let mut spans = vec![Span::styled(label, cx.theme.strong()), cx.cursor(true)];
            spans.extend(self.input.field.spans(room.saturating_sub(used), true, cx));
            frame.render_widget(Line::from(spans), top);
        }
        let enter = || cx.key(&[KeyContext::LookUp, KeyContext::Prompt, KeyContext::Always], Action::Accept);
        let lines: Vec<Line<'static>> = match (self.read.shown(), &self.wanted) {
            (Some(Ok(badge)), _) => self.lines(badge, (room, usize::from(body.height)), cx),
            (Some(Err(error)), Some(wanted)) => {
                let mut lines =
                    not_read(error, &wanted.id, (self.certs.as_ref(), &self.journal.1.sent), room, cx);
                if self.offers_name() {
                    let said = t!("If this is a name: {enter} looks up its holders.", enter = enter());
                    lines.extend(styled(&said, room, cx.theme.dim()));
                }
                lines
            }
            (None, Some(wanted)) => {
                let text = t!("reading {id}", id = short(wanted.id.wire()));
                vec![Line::styled(cx.busy(&text), cx.theme.dim())]
            }
            _ => {
                let what = t!(
                    "Type or paste a badge id and press {enter}, or open a badge from History or Wallet.",
                    enter = enter()
                );
                let what = styled(&what, room, cx.theme.dim());
                std::iter::once(Line::raw("")).chain(what).collect()
            }
        };
        let first = self.scroll.lay(lines.len(), usize::from(body.height)).start;
        let mut shown: Vec<Line<'static>> = lines.into_iter().skip(first).collect();
        let (used, height) = (shown.len(), usize::from(body.height));
        if self.badge().is_some() && shown.len() > height {
            let more = shown.len() + 1 - height;
            shown.truncate(height.saturating_sub(1));
            let key = cx.key(&[KeyContext::Badge], Action::PageDown);
            shown.push(Line::styled(
                plural!(more as u64, "{n} more line below: {key}", "{n} more lines below: {key}", key),
                cx.theme.dim(),
            ));
        }
        frame.render_widget(shown, body);
        if self.input.typing && self.read.shown().is_none() && self.wanted.is_none() {
            self.input.draw_offered(frame, below(area, used + 2), cx);
        }
        if self.request.is_some() && self.read.shown().is_some() {
            frame.render_widget(
                Line::styled(format!("{} ", cx.spinner()), cx.theme.dim()).right_aligned(),
                Rect { width: area.width.saturating_sub(1), ..top },
            );
        }
    }
}

fn id_of(badge: Option<&ListedBadge>) -> &str {
    badge.map_or("", |badge| badge.id.wire())
}

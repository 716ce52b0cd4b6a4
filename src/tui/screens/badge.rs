//! The Badge tab: one badge, with the verdict first and everything else below it.

pub(super) mod badge_text;
mod copyables;

use crate::domain::call_advice::script;
use crate::domain::summary::summary;
use crate::index::Cert;
use crate::tui::modals::issue::IssueForm;
use crate::tui::modals::replace::ReplaceForm;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::persist::input_history::{self, InputKind};
use crate::tui::prelude::*;
use crate::tui::request::NotSearched;
use crate::tui::screens::picture;
use crate::tui::screens::wallet::cert::{Certs, several};
use crate::tui::tour::TourPlace;
use crate::tui::widgets::field::RecentInputs;
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::preview;
use crate::tui::widgets::scroll::Scroll;
use badge_text::{badge_lines, not_read};

#[derive(Default)]
pub struct BadgeScreen {
    wanted: Option<ListedBadge>,
    read: LastRead<Badge>,
    request: Option<RequestId>,
    /// The journal's records of the badge, and the request for them.
    sent: (Option<RequestId>, Vec<SentHere>),
    find: Option<TextField>,
    recent: RecentInputs,
    /// A text that was left half typed. The box offers it first.
    half_typed: Option<String>,
    /// The index search for a certificate number, and the text of the input that has it. It may turn out to be a badge id.
    cert: Option<(RequestId, String, String)>,
    certs: Certs,
    scroll: Scroll,
    back: bool,
    over_text: bool,
    beside: bool,
}

impl BadgeScreen {
    fn text_area(&self, area: Rect) -> Rect {
        if self.beside { picture::beside(area).0 } else { area }
    }

    /// Opens a badge that the user selected elsewhere.
    pub fn open(&mut self, badge: ListedBadge, effects: &mut Effects<'_>) {
        self.put_half_typed_aside();
        self.show(badge, effects);
    }

    fn show(&mut self, mut badge: ListedBadge, effects: &mut Effects<'_>) {
        self.find = None;
        self.recent = RecentInputs::default();
        effects.cancel(self.cert.take().map(|(request, ..)| request));
        self.certs = Certs::default();
        self.scroll.reset();
        if let Some(before) = self.wanted.take_if(|before| before.id == badge.id) {
            badge.keep(before);
        } else {
            self.read = LastRead::default();
            self.back = false;
            self.over_text = false;
        }
        self.sent = (Some(effects.request(Request::SentBadge(badge.id.clone()))), Vec::new());
        effects.request_instead(&mut self.request, Request::Badge(badge.id.clone()));
        self.wanted = Some(badge);
    }

    fn wants(&self, id: &BadgeId) -> bool {
        self.wanted.as_ref().is_some_and(|badge| badge.id == *id)
    }

    pub fn refresh(&mut self, id: &BadgeId, effects: &mut Effects<'_>) {
        if self.wants(id) {
            effects.request_instead(&mut self.request, Request::Badge(id.clone()));
        }
    }

    /// A recalled text is offered anyway, and the id of the open badge is on the screen.
    fn put_half_typed_aside(&mut self) {
        let text = self.find.as_ref().map_or("", |field| field.value().trim());
        let is_new = self.recent.at().is_none() && !text.is_empty() && text != self.wanted_id();
        if is_new && !crate::secrets::is_key(text) {
            self.half_typed = Some(text.to_owned());
        }
    }

    /// What the box offers: what was not opened yet, then what was opened earlier.
    fn offered(&self, cx: &UiContext) -> Vec<String> {
        let half_typed = self.half_typed.as_ref();
        let earlier = cx.recent(InputKind::Badge).iter().filter(|text| half_typed != Some(*text));
        half_typed.into_iter().chain(earlier).cloned().collect()
    }

    fn wanted_id(&self) -> &str {
        self.wanted.as_ref().map_or("", |badge| badge.id.wire())
    }

    /// Whether nobody knows this id, and it may be a name: Enter in the input then looks for its holders.
    fn offers_name(&self) -> bool {
        matches!(self.read.shown(), Some(Err(ApiError::NotFound(_))))
            && self.sent.1.is_empty()
            && !self.wanted_id().chars().any(char::is_numeric)
    }

    /// The template of the badge, if the list that opened it knows it.
    fn template(&self) -> Option<&TemplateId> {
        self.badge().and(self.wanted.as_ref())?.template_id.as_ref()
    }

    fn requested(&self) -> Option<jiff::Timestamp> {
        self.sent.1.first().map(|sent| sent.at)
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
        lines.extend(badge_lines(badge, self.requested(), (room, height), cx));
        lines
    }

    /// Opens the badge with this id or certificate number. Only the index knows certificate numbers.
    fn find_badge(&mut self, typed: BadgeId, effects: &mut Effects<'_>) {
        effects.typed.push((InputKind::Badge, typed.wire().to_owned()));
        self.half_typed.take_if(|text| text == typed.wire());
        effects.cancel(self.cert.take().map(|(request, ..)| request));
        let number = typed.wire().to_owned();
        if number.chars().any(char::is_numeric) {
            let request = effects.request(Request::FindCert(number.clone()));
            let text = self.find.as_ref().map_or_else(String::new, |field| field.value().to_owned());
            self.cert = Some((request, number, text));
        } else {
            self.show(ListedBadge::unlisted(typed), effects);
        }
    }

    /// As from the input, from elsewhere.
    pub fn find_typed(&mut self, typed: BadgeId, effects: &mut Effects<'_>) {
        self.put_half_typed_aside();
        self.find = None;
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
        let next = self.find.take_if(|field| field.value() != text);
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
                self.certs = Certs::of(found);
            }
        }
        if next.is_some() {
            self.find = next;
        }
    }

    fn draw_picture(&self, frame: &mut Frame<'_>, area: Rect, want: &PictureRequest, cx: &UiContext) {
        let side = if self.back { t!("Back") } else { t!("Front") };
        let turns = self.beside || !self.back;
        let key = cx.keymap.key(&self.key_contexts(), Action::Picture).filter(|_| turns);
        let key = key.map(|key| t!("{key} other side", key));
        let mut caption: Vec<String> = std::iter::once(side.to_lowercase()).chain(key).collect();
        let pane = if self.over_text {
            caption.extend(self.badge().and_then(|b| b.title.as_ref()).map(ToString::to_string));
            area
        } else {
            let pane = picture::beside(area).1;
            preview::draw_edge(frame, pane, cx);
            pane
        };
        picture::draw_caption(frame, pane, &cx.dotted(&caption), cx);
        cx.pictures.draw(frame, want, cx.theme.dim());
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
        match self.badge() {
            Some(badge) => {
                let state = Verdict::of(badge, cx.now()).state();
                match state {
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
            None => effects.say(t!("There is no badge here to correct.")),
        }
    }

    /// Opens the badge, or the holder, that the text in the box names.
    fn look_up_typed(&mut self, effects: &mut Effects<'_>) {
        let typed = self.find.get_or_insert_default().value().to_owned();
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
                    && (or_id.is_none() || self.offers_name() && self.wanted_id() == typed.trim()) =>
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
        if self.find.is_some() {
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
            Action::Earlier => self.half_typed.is_some() || !cx.recent(InputKind::Badge).is_empty(),
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
            Action::ClearField => {
                self.find.get_or_insert_default().clear();
                self.recent = RecentInputs::default();
            }
            Action::Earlier | Action::Later => {
                if self.find.is_none() {
                    return false;
                }
                if self.recent.at().is_none() {
                    let recent = RecentInputs::new(self.offered(cx));
                    if action == Action::Earlier && !recent.is_empty() {
                        self.put_half_typed_aside();
                    }
                    self.recent = recent;
                }
                if let Some(field) = &mut self.find
                    && let Some(text) = self.recent.step(action == Action::Earlier, field.value())
                {
                    field.set(&text);
                }
            }
            Action::Back if self.find.is_some() => {
                effects.cancel(self.cert.take().map(|(request, ..)| request));
                self.put_half_typed_aside();
                self.find = None;
                self.recent = RecentInputs::default();
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
                self.find = Some(TextField::default());
            }
            Action::Issue => self.issue(cx, effects),
            Action::Reload => {
                if let Some(badge) = &self.wanted {
                    effects.request_instead(&mut self.request, Request::Badge(badge.id.clone()));
                }
            }
            Action::Wallet => match self.badge().and_then(|b| Some((b, b.recipient_email.as_ref()?))) {
                Some((badge, email)) => {
                    effects.go.push(Navigate::HolderOf(email.wire().to_owned(), badge.badge_id.clone()));
                }
                None => effects.say(t!("There is no e-mail address here to look up.")),
            },
            Action::CopySummary => match self.badge() {
                Some(badge) => {
                    let held = badge_text::held(badge);
                    let case = badge_text::case(&held, self.requested(), cx);
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
        let typed = self.find.as_mut().is_some_and(|field| field.on_text_key(key));
        if typed {
            self.recent = RecentInputs::default();
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.recent = RecentInputs::default();
        self.find.get_or_insert_default().on_paste(text.trim());
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
            Response::SentBadge(sent) if self.sent.0 == Some(id) => {
                let sent = sent.inspect_err(|why| effects.warn(crate::jobs::not_read(why).to_string()));
                self.sent = (None, sent.unwrap_or_default());
                Ok(())
            }
            Response::Badge(badge) if self.request == Some(id) => {
                self.request = None;
                if matches!(&*badge, Err(ApiError::NotFound(_) | ApiError::BadInput { .. }))
                    && let Some(wanted) = &self.wanted
                {
                    // Open the input, so that the user can correct the id and the letters do not act as keys. A user who
                    // already types the next id is not interrupted.
                    self.find.get_or_insert_with(|| TextField::with(wanted.id.wire()));
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
        self.find.iter().map(TextField::value).collect()
    }

    fn know(&self, known: &mut KnownWords) {
        if let Some(badge) = self.badge() {
            badge.know(known);
        }
        self.half_typed.iter().for_each(|text| known.typed(text));
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::Badge) => TourPlace::Badge,
            _ => TourPlace::Elsewhere,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if let Some(want) = self.picture(area, cx) {
            self.draw_picture(frame, area, &want, cx);
            if self.over_text {
                return;
            }
        }
        let area = self.text_area(area);
        let room = usize::from(area.width).saturating_sub(4);
        let body = Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(1),
        };
        let top = Rect { height: 1, ..area };
        if let Some(field) = &self.find {
            let label = format!("  {} ", t!("Badge id"));
            let used = width(&label);
            let mut spans = vec![Span::styled(label, cx.theme.strong()), cx.cursor(true)];
            spans.extend(field.spans(room.saturating_sub(used), true, cx));
            frame.render_widget(Line::from(spans), top);
        }
        let enter = || cx.key(&[KeyContext::LookUp, KeyContext::Prompt, KeyContext::Always], Action::Accept);
        let lines: Vec<Line<'static>> = match (self.read.shown(), &self.wanted) {
            (Some(Ok(badge)), _) => self.lines(badge, (room, usize::from(body.height)), cx),
            (Some(Err(error)), Some(wanted)) => {
                let mut lines = not_read(error, &wanted.id, (self.certs, &self.sent.1), room, cx);
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
        if let (Some(field), None, None) = (&self.find, self.read.shown(), &self.wanted) {
            let all = if self.recent.at().is_some() {
                self.recent.all().to_vec()
            } else if field.value().is_empty() {
                self.offered(cx)
            } else {
                Vec::new()
            };
            let title = match self.half_typed {
                Some(_) => t!("Not opened yet, then opened earlier"),
                None => t!("Opened earlier"),
            };
            let used = u16::try_from(used).unwrap_or(area.height).saturating_add(2).min(area.height);
            let below = Rect { y: area.y + used, height: area.height - used, ..area };
            input_history::draw(&all, self.recent.at(), title, frame, below, cx);
        }
        if self.request.is_some() && self.read.shown().is_some() {
            frame.render_widget(
                Line::styled(format!("{} ", cx.spinner()), cx.theme.dim()).right_aligned(),
                Rect { width: area.width.saturating_sub(1), ..top },
            );
        }
    }
}

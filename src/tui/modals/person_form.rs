//! The part that both forms for one recipient share: the fields, the duplicate check and the review.

use crate::jobs::intake::{DomainCounts, RecipientField, Severity, check_person};
use crate::jobs::{Holdings, IssuePlan, RecentLoss, Rival};
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::text_fields::TextFields;

/// The first two fields.
pub(super) const NAME: usize = 0;
pub(super) const EMAIL: usize = 1;

const LISTED: usize = 5;

/// A form for one recipient. The shell confirms its review.
pub(super) struct PersonForm<const N: usize> {
    pub fields: TextFields<N>,
    pub review: Option<PersonReview>,
    /// Whether the user has tried to go on: then a field that is empty or unfinished is an error.
    tried: bool,
    earlier: EarlierDomains,
}

/// The domains of earlier recipients: a typed one that is nearly one of them may be a typing mistake.
pub(super) struct EarlierDomains {
    counts: DomainCounts,
    request: Option<RequestId>,
}

impl EarlierDomains {
    pub fn read(effects: &mut Effects<'_>) -> Self {
        Self { counts: DomainCounts::default(), request: Some(effects.request(Request::Domains)) }
    }

    pub fn on_response(&mut self, reply: Reply) -> Handled {
        if let Response::Domains(counts) = reply.to(&mut self.request)? {
            self.counts = DomainCounts::new(counts);
        }
        Ok(())
    }

    /// The question about an address that [`Address::warnings`] has no such question about.
    pub fn question(&self, address: &Address) -> Option<String> {
        if address.meant().is_some() {
            return None;
        }
        let meant = self.counts.meant(EmailKey::of(address.as_str()).domain()?)?;
        Some(t!("did you mean {meant}?", meant))
    }
}

impl<const N: usize> PersonForm<N> {
    pub fn new(fields: TextFields<N>, effects: &mut Effects<'_>) -> Self {
        Self { fields, review: None, tried: false, earlier: EarlierDomains::read(effects) }
    }

    /// Sets kept texts, as [`TextFields::restore`].
    pub fn restore(&mut self, texts: &[String]) {
        self.tried = false;
        self.fields.restore(texts);
    }

    /// The typed recipient. If it cannot be sent, the focus goes to the field that says why.
    pub fn checked(&mut self) -> Option<(String, Address)> {
        self.tried = true;
        self.fields.no_error();
        match (self.check(NAME), self.check(EMAIL)) {
            (Err(_), _) => self.fields.set_focus(NAME),
            (_, Err(_)) => self.fields.set_focus(EMAIL),
            (Ok((name, _)), Ok((email, _))) => return Some((name, Address::check(&email).ok()?)),
        }
        None
    }

    fn check(&self, at: usize) -> Result<(String, Vec<String>), String> {
        check(at, [NAME, EMAIL].map(|at| self.fields.value(at)))
    }

    /// The fields of the recipient under these labels, each with what is wrong or unusual in it.
    pub fn draw_recipient(&self, labels: [&str; 2], form: &mut FormText<'_>, cx: &UiContext) {
        for (at, label) in labels.into_iter().enumerate() {
            self.fields.draw_one(at, label, form, cx);
            match self.check(at) {
                Ok((text, notes)) => {
                    let address = Address::check(&text).ok().filter(|_| at == EMAIL);
                    let question = address.and_then(|address| self.earlier.question(&address));
                    for note in notes.into_iter().chain(question) {
                        form.text(&format!("       {} {note}", cx.glyphs.alert), cx.theme.warning());
                    }
                }
                Err(_) if self.is_unfinished(at) => {}
                Err(why) => form.text(&format!("       {why}"), cx.theme.error()),
            }
        }
    }

    /// Whether the user may still type what is missing. An unfinished e-mail address is no error before the user leaves
    /// its field.
    fn is_unfinished(&self, at: usize) -> bool {
        let typed = self.fields.value(at);
        let is_word = typed.trim().is_empty() || !typed.contains(char::is_whitespace);
        let is_typing = at == EMAIL && self.fields.focused() == EMAIL && is_word;
        !self.tried && (typed.is_empty() || is_typing)
    }

    /// Opens the review of a checked recipient. It begins the duplicate check. A badge that is replaced is no duplicate.
    pub fn begin_review(
        &mut self,
        template: TemplateId,
        (name, address): (String, Address),
        replaces: Option<BadgeId>,
        effects: &mut Effects<'_>,
    ) {
        let request = Some(effects.request(Request::Holdings(template, address.as_str().to_owned())));
        self.review = Some(PersonReview {
            name,
            address,
            replaces,
            holdings: None,
            sent_before: None,
            loss: None,
            request,
        });
    }

    /// Handles the keys of the fields, and Back, which closes the review before the form.
    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        if action != Action::Back {
            return self.fields.on_action(action);
        }
        match self.review.take() {
            Some(review) => effects.cancel(review.request),
            None => effects.close(),
        }
        true
    }

    pub fn on_response(&mut self, reply: Reply) -> Handled {
        match (self.earlier.on_response(reply), &mut self.review) {
            (Err(reply), Some(review)) => review.on_response(reply),
            (handled, _) => handled,
        }
    }

    pub fn asks(&self) -> Option<ConfirmQuestion> {
        self.review.as_ref().map(PersonReview::asks)
    }

    /// The confirmed plan. `None` while the duplicate check is running: if the answer to the issue request is lost,
    /// the recipient's earlier badges are needed to recognise the new one.
    pub fn plan(
        &self,
        (template_id, title): (TemplateId, Text),
        effects: &mut Effects<'_>,
    ) -> Option<IssuePlan> {
        let review = self.review.as_ref()?;
        let Some(holdings) = &review.holdings else {
            effects.say(t!("The duplicate check is still running. Nothing was sent."));
            return None;
        };
        let complete = holdings.as_ref().ok().filter(|held| held.complete);
        Some(IssuePlan {
            template_id,
            title,
            recipient_name: review.name.clone(),
            recipient_email: review.address.clone(),
            held_before: complete.map(|held| held.items.iter().map(|item| item.badge_id.clone()).collect()),
            allows: review.sent_before.as_deref().map(Rival::claim_id),
        })
    }

    /// What is known about the recipient's address, below the recipient in a confirmation.
    pub fn draw_known(&self, review: &PersonReview, form: &mut FormText<'_>, cx: &UiContext) {
        review.draw_duplicates(form, cx);
        for warning in review.address.warnings().iter().chain(&self.earlier.question(&review.address)) {
            form.warning(&t!("e-mail: {warning}", warning));
        }
    }
}

/// Checks the text of a field. Returns it as it will be sent, with notes on changes and unusual characters, or why it
/// cannot be sent.
fn check(at: usize, typed: [&str; 2]) -> Result<(String, Vec<String>), String> {
    // Blanks at the end are ignored, because the user may type on.
    let [name, email] = typed.map(str::trim);
    let (name, email, _, findings) = check_person(name, email);
    let (text, field) =
        if at == NAME { (name, RecipientField::Name) } else { (email, RecipientField::Email) };
    let of_field = findings.into_iter().filter(|finding| finding.field == field);
    let (refused, notes): (Vec<_>, Vec<_>) =
        of_field.partition(|finding| finding.severity == Severity::Refuse);
    match refused.into_iter().next() {
        Some(finding) => Err(finding.what.to_string()),
        None => Ok((text, notes.into_iter().map(|finding| finding.what.to_string()).collect())),
    }
}

pub(super) struct PersonReview {
    pub name: String,
    pub address: Address,
    /// The badge that this one replaces. It is no duplicate.
    replaces: Option<BadgeId>,
    holdings: Option<Result<Holdings, ApiError>>,
    /// A badge sent to this recipient before. The service may not show it yet.
    sent_before: Option<Box<Rival>>,
    /// A team's database lost writes a short time ago, so the row will need review.
    loss: Option<RecentLoss>,
    request: Option<RequestId>,
}

impl PersonReview {
    /// After a warning of the duplicate check, the user types again.
    fn asks(&self) -> ConfirmQuestion {
        let warns = match &self.holdings {
            None => false,
            Some(Err(_)) => true,
            Some(Ok(held)) => !held.complete || self.others(held).next().is_some(),
        };
        ConfirmQuestion::send(1).warned(warns || self.sent_another().is_some() || self.loss.is_some())
    }

    /// The recipient's badges of the template, without the one that is replaced.
    fn others<'a>(&'a self, held: &'a Holdings) -> impl Iterator<Item = &'a HistoryItem> {
        held.items.iter().filter(|item| Some(&item.badge_id) != self.replaces.as_ref())
    }

    /// The badge sent before, unless it is the one that is replaced.
    fn sent_another(&self) -> Option<&Rival> {
        let rival = self.sent_before.as_deref()?;
        (rival.badge_id.is_none() || rival.badge_id != self.replaces).then_some(rival)
    }

    fn on_response(&mut self, reply: Reply) -> Handled {
        if let Response::Holdings(holdings, sent_before, loss) = reply.to(&mut self.request)? {
            self.holdings = Some(holdings);
            (self.sent_before, self.loss) = (sent_before, loss);
        }
        Ok(())
    }

    fn draw_duplicates(&self, form: &mut FormText<'_>, cx: &UiContext) {
        if let Some(loss) = &self.loss {
            form.warning(t!("Nothing is sent yet: this becomes a job with a row that needs review."));
            form.warning(&loss.with_times(&|at| moment(at, cx)).to_string());
        }
        if let Some(row) = self.sent_another() {
            form.error(&t!(
                "lapel already sent this badge to this e-mail ({row_status}). Sending again makes a second one.",
                row_status = tr(row.row_status.name())
            ));
        }
        match &self.holdings {
            None => form.busy(t!("checking for duplicates")),
            Some(Err(error)) => {
                form.error(&t!("unknown whether the recipient already has this badge: {error}", error));
            }
            Some(Ok(held)) => self.draw_held(held, form, cx),
        }
    }

    fn draw_held(&self, held: &Holdings, form: &mut FormText<'_>, cx: &UiContext) {
        let n = self.others(held).count() as u64;
        if n == 0 && !held.complete {
            form.warning(t!(
                "the history could not be read to its end: the recipient may already have this badge"
            ));
        } else if n == 0 && self.replaces.is_none() {
            form.dim(t!(
                "No badge of this template found for this e-mail. A waiting badge may not be visible yet."
            ));
        } else if n > 0 {
            form.warning(&plural!(
                n,
                "this e-mail already has {n} badge of this template:",
                "this e-mail already has {n} badges of this template:"
            ));
            for item in self.others(held).take(LISTED) {
                let (word, why) = Verdict::of(item, cx.now()).line();
                let name = item.recipient_name.as_ref().map_or(String::new(), ToString::to_string);
                form.text(&format!("  {word} {why}  {name}  {}", item.badge_id), cx.theme.warning());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::effects::ModalId;
    use crate::tui::request::RequestIds;
    use crate::tui::worker::WorkerCommand;

    fn form(effects: &mut Effects<'_>) -> PersonForm<2> {
        PersonForm::new(TextFields::new(["Name", "E-mail"], ["", ""]), effects)
    }

    fn review(form: &mut PersonForm<2>, effects: &mut Effects<'_>) {
        let template = TemplateId::new("TPL-1").expect("an id");
        let person = ("Kim".to_owned(), Address::check("kim@naru.example").expect("an address"));
        form.begin_review(template, person, None, effects);
    }

    #[test]
    fn names_are_checked_and_composed() {
        let check_name = |typed| check(NAME, [typed, ""]);
        assert_eq!(check_name(" 홍철 "), Ok(("홍철".to_owned(), Vec::new())));
        let (name, notes) = check_name("\u{1100}\u{1175}\u{11b7}").expect("composed");
        assert_eq!(name, "김");
        assert_eq!(notes.len(), 1);
        assert_eq!(check_name("Null, Christopher").expect("a name").1, [""; 0]);
        assert_eq!(check_name("null").expect("allowed").1.len(), 1);
        assert_eq!(check_name("\u{f9e1}").expect("kept").0, "\u{f9e1}", "a compatibility ideograph is kept");
        for refused in ["", "\u{3164}", "a\u{202e}b", "a\nb"] {
            assert!(check_name(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn an_at_sign_in_a_name_is_judged_as_in_a_file() {
        let check_name = |name, email| check(NAME, [name, email]);
        assert!(check_name("kim@naru.example", "Kim Minsu").is_err(), "the fields are swapped");
        let (_, notes) = check_name("kim@naru.example", "kim@naru.example").expect("unusual");
        assert_eq!(notes.len(), 1);
        assert_eq!(
            check_name("DJ @Home", "dj@naru.example"),
            Ok(("DJ @Home".to_owned(), Vec::new())),
            "a name on a badge that its holder corrects"
        );
    }

    #[test]
    fn an_address_is_checked_as_in_a_file() {
        let check_email = |typed| check(EMAIL, ["", typed]);
        assert_eq!(check_email("kim@naru.example "), Ok(("kim@naru.example".to_owned(), Vec::new())));
        let (email, notes) = check_email("Kim <kim@naru.example>").expect("an address");
        assert_eq!((email.as_str(), notes.len()), ("kim@naru.example", 1));
        for unusual in ["info@naru.example", "Kim@naru.example", "kim@gmial.com"] {
            assert_eq!(check_email(unusual).expect(unusual).1.len(), 1, "{unusual}");
        }
        for refused in ["", "kim", "kim@naru", "#N/A"] {
            assert!(check_email(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn what_cannot_be_sent_gets_the_focus_and_is_said_once_the_user_goes_on() {
        let cx = UiContext::for_test();
        let mut ids = RequestIds::default();
        let effects = &mut Effects::new(&mut ids);
        let lines = |form: &PersonForm<2>| {
            let mut text = FormText::new(Rect::new(0, 0, 60, 9), &cx);
            form.draw_recipient(["Name", "E-mail"], &mut text, &cx);
            text.len()
        };
        let mut form = form(effects);
        assert_eq!(lines(&form), 2, "nobody went on yet");
        assert!(form.checked().is_none());
        assert_eq!((form.fields.focused(), lines(&form)), (NAME, 4));
        form.restore(&["Kim".to_owned(), "kim".to_owned()]);
        form.fields.set_focus(EMAIL);
        assert_eq!(lines(&form), 2, "it is being typed");
        form.fields.set_focus(NAME);
        assert_eq!(lines(&form), 3);
        assert!(form.checked().is_none());
        assert_eq!(form.fields.focused(), EMAIL);
        form.restore(&["Kim".to_owned(), "kim@naru.example".to_owned()]);
        assert_eq!(form.checked().map(|(name, _)| name).as_deref(), Some("Kim"));
        assert_eq!(lines(&form), 2);
    }

    /// The request of the last order, which asks for the recipient's badges.
    fn check_request(effects: &Effects<'_>) -> RequestId {
        match effects.commands.last() {
            Some(WorkerCommand::Request(id, Request::Holdings(..))) => *id,
            other => panic!("{}", other.is_some()),
        }
    }

    #[test]
    fn back_ends_the_review_and_its_check_before_it_closes_the_form() {
        let mut ids = RequestIds::default();
        let mut effects = Effects::new(&mut ids);
        effects.owned_by(RequestOwner::Modal(ModalId(1)), |effects| {
            let mut form = form(effects);
            review(&mut form, effects);
            let check = check_request(effects);
            assert!(form.asks().is_some());
            assert!(form.on_action(Action::Back, effects));
            assert!(form.asks().is_none() && effects.go.is_empty(), "the form is still open");
            assert!(matches!(effects.commands.last(), Some(WorkerCommand::Cancel(id)) if *id == check));
            assert!(form.on_action(Action::Back, effects));
            assert!(matches!(effects.go.as_slice(), [Navigate::Close(_)]), "{:?}", effects.go);
        });
    }

    #[test]
    fn nothing_is_planned_without_a_review_or_before_the_duplicate_check_has_ended() {
        let mut ids = RequestIds::default();
        let mut effects = Effects::new(&mut ids);
        let mut form = form(&mut effects);
        let template = || (TemplateId::new("TPL-1").expect("an id"), Text::new("Title"));
        let response = || Response::Holdings(Err(ApiError::Cancelled), None, None);
        assert!(form.plan(template(), &mut effects).is_none());
        review(&mut form, &mut effects);
        let id = check_request(&effects);
        assert!(form.plan(template(), &mut effects).is_none() && effects.notice.is_some());
        let other = ids_after(id);
        assert!(form.on_response(Reply { id: other, response: response() }).is_err(), "another check");
        assert!(form.plan(template(), &mut effects).is_none());
        assert!(form.on_response(Reply { id, response: response() }).is_ok());
        let plan = form.plan(template(), &mut effects).expect("a plan");
        assert_eq!(
            (plan.recipient_name.as_str(), plan.held_before),
            ("Kim", None),
            "what they hold is not known"
        );
        form.on_action(Action::Back, &mut effects);
        assert!(form.on_response(Reply { id, response: response() }).is_err(), "the review has ended");
    }

    #[test]
    fn the_review_says_that_a_loss_of_writes_keeps_the_badge_back() {
        let cx = UiContext::for_test();
        let loss = RecentLoss { noticed: Timestamp::UNIX_EPOCH, until: Timestamp::MAX };
        for loss in [Some(loss), None] {
            let mut ids = RequestIds::default();
            let mut effects = Effects::new(&mut ids);
            let mut form = form(&mut effects);
            review(&mut form, &mut effects);
            let question = form.asks();
            let held = Holdings { items: Vec::new(), complete: true, total_count: None, requests: 1 };
            let reply =
                Reply { id: check_request(&effects), response: Response::Holdings(Ok(held), None, loss) };
            assert!(form.on_response(reply).is_ok());
            let mut text = FormText::new(Rect::new(0, 0, 200, 9), &cx);
            form.draw_known(form.review.as_ref().expect("a review"), &mut text, &cx);
            let text: String = text.into_lines().iter().map(ToString::to_string).collect();
            for part in ["a row that needs review", "the team's database lost writes"] {
                assert_eq!(text.contains(part), loss.is_some(), "{text}");
            }
            assert_eq!(form.asks() != question, loss.is_some(), "the user types the number again");
        }
    }

    fn ids_after(id: RequestId) -> RequestId {
        let mut ids = RequestIds::default();
        let mut all = std::iter::repeat_with(|| ids.next());
        all.find(|other| *other > id).expect("another id")
    }
}

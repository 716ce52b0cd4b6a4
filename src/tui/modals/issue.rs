//! Issue form for one recipient, with checks while the user types, a review and a confirmation. A file or pasted
//! lines open the file form instead.

use super::file::Purpose;
use super::person_form::{EMAIL, NAME, PersonForm};
use crate::api::{TemplateFilter, TemplateQuery};
use crate::domain::TemplateDetail;
use crate::domain::validity::{Validity, policy, validity, warnings};
use crate::tui::input::paths;
use crate::tui::modals::file::FileForm;
use crate::tui::prelude::*;
use crate::tui::tour::TourPlace;
use crate::tui::widgets::path_field::PathField;
use crate::tui::widgets::text_fields::TextFields;
use crate::tui::widgets::text_layout::aligned;

/// The line below the fields of one recipient.
const FILE: usize = 2;

pub struct IssueForm {
    template_id: TemplateId,
    title: Text,
    person: PersonForm<2>,
    file: PathField,
    detail: Option<Result<TemplateDetail, ApiError>>,
    detail_request: Option<RequestId>,
    same_title: Option<usize>,
    same_title_request: Option<RequestId>,
}

impl IssueForm {
    pub fn new(template_id: TemplateId, title: Text, effects: &mut Effects<'_>) -> Self {
        let detail_request = Some(effects.request(Request::Template(template_id.clone())));
        // Recipients cannot tell two templates with the same title apart.
        let filter = TemplateFilter { title: Some(title.wire().to_owned()), ..TemplateFilter::default() };
        let same_title_request = (!title.looks_empty())
            .then(|| effects.request(Request::Templates(TemplateQuery { filter, paging: Paging::full(1) })));
        let fields = TextFields::new([tr_noop!("Name"), tr_noop!("E-mail")], [""; 2]).followed_by(1);
        Self {
            template_id,
            title,
            file: PathField::with_recent(effects),
            person: PersonForm::new(fields, effects),
            detail: None,
            detail_request,
            same_title: None,
            same_title_request,
        }
    }

    fn is_at_file(&self) -> bool {
        self.person.fields.focused() == FILE
    }

    fn open(&self, effects: &mut Effects<'_>) {
        let Some(source) = self.file.source() else {
            effects.say(t!("Type a file name, or paste or drop a file here."));
            return;
        };
        let template = (self.template_id.clone(), self.title.clone());
        effects.open(move |_, effects| {
            FileForm::new(Purpose::Issue { template, by_column: false }, source, effects)
        });
    }

    fn go_on(&mut self, effects: &mut Effects<'_>) {
        let fields = &mut self.person.fields;
        if fields.focused() == NAME && fields.value(EMAIL).trim().is_empty() {
            fields.set_focus(EMAIL);
        } else if let Some(person) = self.person.checked() {
            self.person.begin_review(self.template_id.clone(), person, None, effects);
        }
    }

    fn draw_template(&self, form: &mut FormText<'_>, cx: &UiContext) {
        match &self.detail {
            None => form.busy(t!("reading the template")),
            Some(Err(error)) => form.error(&t!("template not read: {error}", error)),
            Some(Ok(detail)) => {
                let now = cx.now();
                let policy = policy(detail);
                let text = match validity(detail, now) {
                    Validity::Until(day) if detail.fixed_expire_date.is_none() => {
                        t!("{policy}; issued today until {day} (lapel's calculation)", policy, day)
                    }
                    _ => policy,
                };
                form.dim(&text);
                for warning in warnings(detail, now) {
                    form.warning(&warning);
                }
            }
        }
        if let Some(others @ 1..) = self.same_title {
            form.warning(&plural!(
                others as u64,
                "{n} other template has the same title",
                "{n} other templates have the same title"
            ));
        }
    }

    fn draw_fields(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let of_file = self.is_at_file();
        form.choice(t!("one recipient"), !of_file);
        let [of_name, of_email, file] = aligned([tr_noop!("Name"), tr_noop!("E-mail"), tr_noop!("File")]);
        self.person.draw_recipient([&of_name, &of_email], form, cx);
        form.choice(t!("a file or pasted lines"), of_file);
        form.labelled(&file, of_file, |columns| self.file.spans(columns, of_file, cx));
        if of_file {
            form.extend(self.file.lines(form.room(), cx));
        }
    }
}

impl Component for IssueForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        let own = if self.is_at_file() { KeyContext::FileField } else { KeyContext::Form };
        own.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        if self.is_at_file() {
            return self.file.is_enabled(action);
        }
        !matches!(action, Action::PageDown | Action::PageUp)
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            _ if self.is_at_file() && self.file.on_action(action, effects) => {}
            Action::Accept if self.is_at_file() => self.open(effects),
            Action::Accept => self.go_on(effects),
            _ => return self.person.on_action(action, effects),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.is_at_file() { self.file.on_text_key(key) } else { self.person.fields.on_text_key(key) }
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        if paths::is_recipients(text) {
            // Copied text ends with one or more line breaks.
            self.file.set_lines(text.trim_end());
            self.person.fields.set_focus(FILE);
            self.open(effects);
            return;
        }
        if self.is_at_file() || paths::is_dropped(text) {
            self.person.fields.set_focus(FILE);
            self.file.set_pasted(text);
            return;
        }
        let pasted = text.trim();
        if let Some((name, address)) = pasted.strip_suffix('>').and_then(|p| p.split_once('<'))
            && !name.trim().is_empty()
            && Address::check(address).is_ok()
        {
            let fields = &mut self.person.fields;
            fields.field_mut(NAME).set(name.trim().trim_matches('"'));
            fields.field_mut(EMAIL).set(address.trim());
            fields.set_focus(EMAIL);
        } else {
            self.person.fields.on_paste(pasted);
        }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Template(detail) if self.detail_request == Some(id) => {
                self.detail_request = None;
                self.detail = Some(*detail);
                Ok(())
            }
            Response::Templates(page) if self.same_title_request == Some(id) => {
                self.same_title_request = None;
                let same = |page: Page<Template>| {
                    let others = page.items.iter().filter(|(_, t)| {
                        t.title.as_ref() == Some(&self.title) && t.template_id != self.template_id
                    });
                    others.count()
                };
                self.same_title = page.ok().map(same);
                Ok(())
            }
            Response::Holdings(..) | Response::Domains(..) => self.person.on_response(Reply { id, response }),
            response => self.file.on_response(Reply { id, response }),
        }
    }

    fn typed(&self) -> Vec<&str> {
        self.person.fields.values().to_vec()
    }

    fn typed_path(&self) -> Option<&str> {
        Some(self.file.text())
    }

    fn tour_place(&self) -> TourPlace {
        if self.asks().is_some() { TourPlace::IssueReview } else { TourPlace::IssueForm }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::new(area, cx);
        form.heading(&t!("Issue  {title}", title = self.title), cx.theme.strong());
        self.draw_template(&mut form, cx);
        form.blank();
        self.draw_fields(&mut form, cx);
        form.blank();
        let key = |action| cx.key(&self.key_contexts(), action);
        let text = if self.is_at_file() {
            t!(
                "lapel checks every row. Nothing is sent before the review. You can also drop a file here, or paste lines with names and e-mail addresses.  {enter} open the file",
                enter = key(Action::Accept)
            )
        } else {
            t!(
                "Nothing is sent until you confirm the review.  {enter} next  {esc} back",
                enter = key(Action::Accept),
                esc = key(Action::Back)
            )
        };
        form.dim(&text);
        form.draw(frame, area);
    }
}

impl Modal for IssueForm {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::Covers | ModalFlag::PreparesSending)
    }

    fn input(&self) -> Option<FormInput> {
        let mut texts = self.person.fields.values().map(str::to_owned).to_vec();
        texts.extend(self.file.texts());
        Some(FormInput::new("issue", self.template_id.wire(), texts))
    }

    fn set_input(&mut self, texts: &[String]) {
        let text = |at: usize| texts.get(at).map_or("", String::as_str);
        self.person.restore(texts);
        self.file.set_texts([text(2), text(3)]);
        let has_source = self.file.source().is_some() && text(NAME).is_empty() && text(EMAIL).is_empty();
        self.person.fields.set_focus(if has_source { FILE } else { NAME });
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        self.person.asks()
    }

    /// Recipient, destination and number of requests come first, on few lines, so that they are always visible. Notes
    /// follow, most serious first.
    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let Some(review) = &self.person.review else { return };
        let what = plural!(1, "Issue {n} badge", "Issue {n} badges");
        form.asks(&format!("{what} {} {}", cx.glyphs.dot, self.title), &cx.place(), cx);
        let name = Text::new(review.name.clone());
        let [of_name, of_email] = aligned([tr_noop!("Name"), tr_noop!("E-mail")]);
        let plain = Style::default();
        form.cut(&format!("{of_name}  {name}"), plain);
        form.heading(&format!("{of_email}  {}", review.address.text()), plain);
        let dot = cx.glyphs.dot;
        form.text(&t!("1 recipient (gets a mail) {dot} 1 request", dot), cx.theme.text());
        if width(&review.name) + width(&of_name) + 2 > form.room() {
            let n = review.name.chars().count();
            form.warning(&t!("the name has {n} characters; its end is not shown", n));
        }
        self.person.draw_known(review, form, cx);
        self.draw_template(form, cx);
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if self.detail_request.is_some() || self.same_title_request.is_some() {
            effects.say(t!("Still reading the template. Nothing was sent."));
        } else if let Some(plan) = self.person.plan((self.template_id.clone(), self.title.clone()), effects) {
            effects.begin_job(JobCommand::Issue(plan));
        }
    }
}

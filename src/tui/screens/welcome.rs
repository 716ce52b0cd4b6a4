//! The first screen, shown when no profile is set up: start the sandbox, or enter a base URL and a key.
//! lapel checks the base URL and the key before it saves them.

use crate::domain::email::sentence;
use crate::tui::modals::profile::{ProfileForm, ProfileStep};
use crate::tui::modals::profiles::Profiles;
use crate::tui::prelude::*;

pub struct Welcome {
    form: Option<ProfileForm>,
    request: Option<RequestId>,
    error: Option<String>,
    warning: Option<String>,
    tour: bool,
    /// The profile that lapel was started with, if its key had to be asked for.
    opening: Option<String>,
}

impl Welcome {
    pub fn new(warning: Option<String>) -> Self {
        Self { form: None, request: None, error: None, warning, tour: false, opening: None }
    }

    /// Shows that a sandbox is starting. The user can choose nothing meanwhile.
    pub fn starting(effects: &mut Effects<'_>) -> Self {
        Self { request: Some(effects.request(Request::StartSandbox)), ..Self::new(None) }
    }

    pub fn opening(name: String, effects: &mut Effects<'_>) -> Self {
        Self {
            request: Some(effects.request(Request::OpenProfile(None))),
            opening: Some(name),
            ..Self::new(None)
        }
    }

    /// The typed input of a new profile, which lapel keeps until the profile is saved.
    pub fn input(&self) -> Option<FormInput> {
        self.form.as_ref().map(ProfileForm::input)
    }

    pub fn clear_input(&mut self) {
        if let Some(form) = &mut self.form {
            form.set_input(&[]);
        }
    }

    pub fn offer_tour(&mut self, offered: bool) {
        self.tour = offered;
    }

    fn draw_choices(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let theme = &cx.theme;
        let text = match &self.opening {
            Some(name) => t!("Profile {name} could not be opened.", name),
            None => t!("No profile is set up yet. lapel needs one to connect to a badge issuing service.")
                .to_owned(),
        };
        form.text(&text, theme.text());
        form.blank();
        let again = (Action::Reload, t!("try again"));
        let tour = (
            Action::Tour,
            t!("take the tour: find a holder, issue and revoke a badge in the sandbox (a few minutes)"),
        );
        let choices = self.opening.iter().map(|_| again).chain(self.tour.then_some(tour)).chain([
            (
                Action::ChooseSandbox,
                t!("explore the sandbox: a simulated service with invented people, on this computer only"),
            ),
            (
                Action::ChooseService,
                t!("set up a service: its base URL and an API key from the issuer back office"),
            ),
            (Action::Profiles, t!("profiles: open, add, change, test or remove one")),
            (Action::Quit, t!("quit")),
        ]);
        // An action without a key cannot be used, so it is not listed.
        let choices: Vec<(String, &str)> = choices
            .filter_map(|(action, words)| {
                Some((cx.keymap.key(&[KeyContext::Welcome, KeyContext::Always], action)?, words))
            })
            .collect();
        let keys = choices.iter().map(|(key, _)| width(key)).max().unwrap_or(0) + 2;
        for (key, words) in &choices {
            for (i, line) in wrap(words, form.room().saturating_sub(keys + 3)).into_iter().enumerate() {
                form.line(Line::from(vec![
                    Span::raw("    "),
                    Span::styled(fit(if i == 0 { key } else { "" }, keys, ""), theme.key()),
                    Span::raw(line),
                ]));
            }
        }
        form.blank();
        form.dim(t!(
            "Scripts and containers can set LAPEL_BASE_URL and LAPEL_API_KEY instead. See lapel --help."
        ));
    }
}

impl Component for Welcome {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.form {
            // During the check, or while a sandbox starts, the user cannot type or choose.
            _ if self.request.is_some() => vec![KeyContext::Always],
            Some(_) => vec![KeyContext::Form, KeyContext::Always],
            None => vec![KeyContext::Welcome, KeyContext::Always],
        }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        action != Action::Reload || self.opening.is_some()
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match (action, &mut self.form) {
            (Action::Profiles, None) => {
                self.error = None;
                effects.open(|_, effects| Profiles::new(None, effects));
            }
            (Action::ChooseSandbox | Action::Tour, _) => {
                self.error = None;
                effects.request_instead(&mut self.request, Request::StartSandbox);
            }
            (Action::ChooseService, _) => {
                self.error = None;
                let form = ProfileForm::new(if self.opening.is_some() { "" } else { "main" });
                self.form = Some(form.filled(cx, effects));
            }
            (Action::Reload, None) if self.opening.is_some() => {
                self.error = None;
                effects.request_instead(&mut self.request, Request::OpenProfile(None));
            }
            (Action::Back, Some(_)) => {
                effects.cancel(self.request.take());
                self.form = None;
                self.error = None;
            }
            (Action::Quit | Action::Back, None) => effects.go.push(Navigate::Quit),
            (action, Some(form)) => match form.on_action(action) {
                ProfileStep::NotMine => return false,
                // This form only adds a profile, so there is nothing to change.
                ProfileStep::Done | ProfileStep::Change(_) => {}
                ProfileStep::Wrong(why) => self.error = Some(why),
                ProfileStep::Try(candidate) => {
                    self.error = None;
                    effects.request_instead(&mut self.request, Request::TryProfile(candidate));
                }
            },
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.request.is_none() && self.form.as_mut().is_some_and(|form| form.on_text_key(key))
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if let (Some(form), None) = (&mut self.form, self.request) {
            form.on_paste(text);
        }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request)? {
            Response::Connected(Ok(session)) => {
                self.clear_input();
                effects.go.push(Navigate::Connect(session));
            }
            Response::Connected(Err(error)) => self.error = Some(error),
            _ => {}
        }
        Ok(())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let mut form = FormText::new(area, cx);
        form.blank();
        form.text(t!("Welcome to lapel"), theme.strong());
        form.blank();
        if let Some(warning) = &self.warning {
            form.text(warning, theme.warning());
            form.blank();
        }
        match (&self.form, &self.opening) {
            (None, Some(name)) if self.request.is_some() => {
                form.busy(&t!("opening profile {name}: getting its key", name));
            }
            (None, None) if self.request.is_some() => form.busy(t!("starting the sandbox")),
            (None, _) => self.draw_choices(&mut form, cx),
            (Some(profile), _) => {
                let brief = self.error.is_some() || self.request.is_some();
                profile.draw(&mut form, brief, cx);
            }
        }
        if self.request.is_some() && self.form.is_some() {
            form.blank();
            form.busy(t!("one moment"));
        }
        if let Some(error) = &self.error {
            form.blank();
            let whole = if self.form.is_some() {
                t!("{why} Nothing was saved.", why = sentence(error))
            } else {
                error.clone()
            };
            for part in whole.lines() {
                form.text(&scrub(part), theme.error());
            }
        }
        form.draw(frame, area);
    }
}

//! The first screen, shown when no profile is set up: start the sandbox, or set up a profile.

use crate::tui::modals::profiles::Profiles;
use crate::tui::prelude::*;

#[derive(Default)]
pub struct Welcome {
    request: Option<RequestId>,
    error: Option<String>,
    warning: Option<String>,
    /// Whether the tour is offered.
    pub tour: bool,
    /// The profile that lapel was started with, if its key had to be asked for.
    opening: Option<String>,
}

impl Welcome {
    pub fn new(warning: Option<String>) -> Self {
        Self { warning, ..Self::default() }
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
        // While a sandbox starts, or a profile opens, the user cannot choose.
        let own = self.request.is_none().then_some(KeyContext::Welcome);
        own.into_iter().chain([KeyContext::Always]).collect()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        action != Action::Reload || self.opening.is_some()
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Profiles => effects.open(|_, effects| Profiles::new(None, effects)),
            Action::ChooseSandbox | Action::Tour => {
                effects.request_instead(&mut self.request, Request::StartSandbox);
            }
            Action::ChooseService => {
                let name = if self.opening.is_some() { "" } else { "main" };
                effects.show(Profiles::first(name, self.warning.clone()));
            }
            Action::Reload if self.opening.is_some() => {
                effects.request_instead(&mut self.request, Request::OpenProfile(None));
            }
            Action::Quit | Action::Back => effects.go.push(Navigate::Quit),
            _ => return false,
        }
        self.error = None;
        true
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request)? {
            Response::Connected(Ok(session)) => effects.go.push(Navigate::Connect(session)),
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
        match &self.opening {
            _ if self.request.is_none() => self.draw_choices(&mut form, cx),
            Some(name) => form.busy(&t!("opening profile {name}: getting its key", name)),
            None => form.busy(t!("starting the sandbox")),
        }
        if let Some(error) = &self.error {
            form.blank();
            for part in error.lines() {
                form.text(&scrub(part), theme.error());
            }
        }
        form.draw(frame, area);
    }
}

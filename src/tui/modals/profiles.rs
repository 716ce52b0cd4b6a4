//! List of profiles: open, add, change, test or remove one. Opening a profile closes everything of the previous
//! one.

#[cfg(test)]
mod tests;

use crate::config::ProfileLine;
use crate::domain::email::sentence;
use crate::jobs::JournalPlace;
use crate::tui::modals::profile::{ProfileForm, ProfileStep};
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::request::{ProfileRequest, ProfileSession};

const SENDING: &str = tr_noop!(
    "lapel is sending with this profile. Wait, or pause the job on the Activity tab. Then try again."
);
const REFUSED: &str = tr_noop!(
    "The team's journal does not accept answers of the service that have arrived. lapel keeps trying, so this profile stays open. To use another server or user now, quit lapel and start it again. The rows are then in doubt in that journal, and a lapel that opens it checks them."
);

/// Why the profile in use stays open.
fn busy_with_jobs(cx: &UiContext) -> String {
    i18n::tr(if cx.is_refused { REFUSED } else { SENDING }).to_owned()
}

#[derive(Default)]
pub struct Profiles {
    reading: Option<RequestId>,
    lines: Vec<ProfileLine>,
    cursor: ListCursor,
    search: Search,
    /// Running request that opens a profile, and whether it only renews the login of the profile in use.
    opening: Option<(RequestId, bool)>,
    form: Option<ProfileForm>,
    /// The input of a form that was saved: nothing is left to keep.
    saved: Option<FormInput>,
    removing: Option<ProfileLine>,
    working: Option<ProfileWork>,
    /// Name of the profile in use, if it is in the settings.
    used: Option<String>,
    said: Option<String>,
    done: Option<String>,
    first: Option<FirstScreen>,
}

/// A running request about a profile.
struct ProfileWork {
    request: RequestId,
    name: String,
    may_change: bool,
    /// It only tests the key.
    is_test: bool,
}

/// The first screen, over which there is only the form, without a list.
struct FirstScreen {
    /// What is wrong with the configuration.
    warning: Option<String>,
}

impl Profiles {
    pub fn new(used: Option<String>, effects: &mut Effects<'_>) -> Self {
        Self { used, reading: Some(effects.request(Request::Profiles)), ..Self::default() }
    }

    /// Only the form of a new profile, for the first screen.
    pub fn first(name: &str, warning: Option<String>) -> Self {
        Self { form: Some(ProfileForm::new(name)), first: Some(FirstScreen { warning }), ..Self::default() }
    }

    fn open_form(&mut self, form: ProfileForm, cx: &UiContext, effects: &mut Effects<'_>) {
        (self.form, self.saved) = (Some(form), None);
        unfinished::fill(self, cx, effects);
    }

    fn form_saved(&mut self) {
        self.saved = self.form.take().map(|mut form| {
            form.set_input(&[]);
            form.input()
        });
    }

    fn manage(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) {
        (self.said, self.done) = (None, None);
        let Some(line) = self.lines.get(self.cursor.at()).cloned() else {
            self.said = Some(t!("Select a profile first.").to_owned());
            return;
        };
        match action {
            Action::ChangeProfile => self.open_form(ProfileForm::of(line), cx, effects),
            Action::TestProfile => {
                self.work(ProfileRequest::Test(line.name.clone()), line.name, effects);
            }
            _ if self.used.as_ref() == Some(&line.name) => {
                let name = line.name;
                self.said =
                    Some(t!("Profile {name} is in use. Open another first. Nothing was removed.", name));
            }
            _ => self.removing = Some(line),
        }
    }

    fn work(&mut self, ask: ProfileRequest, name: String, effects: &mut Effects<'_>) {
        (self.said, self.done) = (None, None);
        let is_test = matches!(ask, ProfileRequest::Test(_));
        let may_change = matches!(ask, ProfileRequest::Change(_));
        let request = effects.request(Request::Profile(Box::new(ask)));
        self.working = Some(ProfileWork { request, name, may_change, is_test });
    }

    fn worked(&mut self, work: ProfileWork, done: Result<String, String>, effects: &mut Effects<'_>) {
        match done {
            Err(why) => self.said = Some(why),
            Ok(done) => {
                self.done = Some(done);
                let kept = self.form.is_some() || self.removing.is_some();
                self.removing = None;
                self.form_saved();
                if kept {
                    self.cursor.select(0);
                    self.reading = Some(effects.request(Request::Profiles));
                }
                if work.may_change && self.used.as_ref() == Some(&work.name) {
                    // The data on the screen came from the old settings, so lapel opens the profile again.
                    self.opening = Some((effects.request(Request::OpenProfile(Some(work.name))), false));
                }
            }
        }
    }

    fn is_plain(&self) -> bool {
        self.form.is_none() && self.removing.is_none() && !self.is_busy()
    }

    /// While a request about a profile runs, the profile stays as it is.
    fn is_busy(&self) -> bool {
        self.opening.is_some() || self.working.is_some()
    }

    /// Whether the profile in use can only be opened to log in again: a job of it waits for the team's journal.
    fn renews(&self, cx: &UiContext) -> bool {
        let at = self.lines.get(self.cursor.at());
        cx.is_sending
            && cx.is_login_refused()
            && at.is_some_and(|line| self.used.as_ref() == Some(&line.name))
    }

    /// Without an end of the connection, so that answers that wait can be recorded.
    fn renew(&mut self, session: Box<ProfileSession>, cx: &UiContext, effects: &mut Effects<'_>) {
        let journal = cx.session().map(|used| &used.journal);
        let is_renewed = match (journal, &session.journal) {
            (Some(JournalPlace::Team { login, .. }), JournalPlace::Team { login: later, .. }) => {
                login.renew(later)
            }
            _ => false,
        };
        if is_renewed {
            let done = t!("lapel read the password again, and logs in to the team's journal with it.");
            self.done = Some(done.to_owned());
        } else {
            self.switch(session, cx, effects);
        }
    }

    /// Ends the connection, unless a job sends: it may have begun while the profile was being opened.
    fn switch(&mut self, session: Box<ProfileSession>, cx: &UiContext, effects: &mut Effects<'_>) {
        let is_new = self.form.is_some();
        self.form_saved();
        if !cx.is_sending {
            effects.go.push(Navigate::Connect(session));
            return;
        }
        self.said = Some(busy_with_jobs(cx));
        if is_new {
            self.reading = Some(effects.request(Request::Profiles));
        }
    }

    fn accept(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.reading.is_some() {
            return;
        }
        (self.said, self.done) = (None, None);
        let adding = self.cursor.at() == self.lines.len();
        if adding {
            let form = ProfileForm::new(if self.lines.is_empty() { "main" } else { "" });
            self.open_form(form, cx, effects);
            return;
        }
        let renews = self.renews(cx);
        if cx.is_sending && !renews {
            self.said = Some(busy_with_jobs(cx));
        } else {
            let ask = match self.lines.get(self.cursor.at()) {
                Some(line) => Request::OpenProfile(Some(line.name.clone())),
                None => Request::StartSandbox,
            };
            self.opening = Some((effects.request(ask), renews));
        }
    }

    fn back(&mut self, effects: &mut Effects<'_>) {
        (self.said, self.done) = (None, None);
        if self.working.is_some() {
            // A test may wait for the rate limit, and saves nothing. Others end by themselves and leave nothing unfinished.
            effects.cancel(self.working.take_if(|work| work.is_test).map(|work| work.request));
        } else if self.opening.is_some() {
            effects.cancel(self.opening.take().map(|(request, _)| request));
        } else if self.first.is_none() && (self.form.is_some() || self.removing.is_some()) {
            (self.form, self.removing) = (None, None);
        } else {
            effects.close();
        }
    }

    fn texts(&self) -> Vec<String> {
        let text = |line: &ProfileLine| {
            let label = line.organisation.as_deref().unwrap_or(&line.base_url);
            format!("{} {} {label}", line.name, line.environment)
        };
        let below = [t!("add a profile"), t!("sandbox: simulated service, no real data")];
        self.lines.iter().map(text).chain(below.map(str::to_owned)).collect()
    }

    /// One row for each profile, plus the two rows below them.
    fn rows(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let used = cx.session().map(|session| session.name.as_str());
        let name = |line: &ProfileLine| {
            if used == Some(line.name.as_str()) {
                t!("{name} (in use)", name = line.name)
            } else {
                line.name.clone()
            }
        };
        let names = self.lines.iter().map(|line| width(&name(line))).max().unwrap_or(0).max(7);
        let wide = if self.lines.iter().any(|line| line.read_only) { 17 } else { 7 };
        let mut rows: Vec<Line<'static>> = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let word = if line.read_only {
                format!("{} {}", line.environment, t!("read-only"))
            } else {
                line.environment.to_string()
            };
            let label = scrub(line.organisation.as_deref().unwrap_or(&line.base_url)).into_owned();
            let text = t!(
                "{name}  {word}  {label}  key from {place}",
                name = fit(&name(line), names, cx.glyphs.ellipsis),
                word = fit(&word, wide, cx.glyphs.ellipsis),
                label,
                place = line.key_from
            );
            rows.push(self.row(i, &text, room, cx));
        }
        rows.push(self.row(self.lines.len(), t!("add a profile"), room, cx));
        rows.push(self.row(self.lines.len() + 1, t!("sandbox: simulated service, no real data"), room, cx));
        rows
    }

    fn draw_list(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let (mut form, mut foot) = (FormText::in_popup(area, cx), FormText::in_popup(area, cx));
        if self.lines.is_empty() && self.reading.is_none() {
            form.dim(t!("No profile is set up yet."));
        }
        foot.blank();
        let demo = cx.session().is_some_and(|session| session.data_dir.is_none());
        let clears =
            t!("lapel clears the screen of the current profile, and saves and stops its running jobs.");
        let ends = demo.then(|| t!("This ends the demo's jobs."));
        let said = [Some(clears), ends].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let open = t!("{enter} open", enter = cx.key(&self.key_contexts(), Action::Accept));
        foot.dim(&format!("{said}  {open}"));
        self.add_text(&mut foot, cx);
        let all = self.rows(form.room(), cx);
        let outer = popup::at_bottom(area, popup::FORM, form.len() + all.len() + foot.len());
        let inner = popup::open(frame, outer, area, &self.search.titled(t!("Profiles"), cx), cx);
        let rows = below(inner, form.len());
        let foot_rows = u16::try_from(foot.len()).unwrap_or(u16::MAX);
        let rows = Rect { height: rows.height.saturating_sub(foot_rows).max(1), ..rows };
        let (shown, rest) = self.cursor.lay_all(rows, all.len(), cx);
        form.extend(all.into_iter().skip(shown.start).take(shown.len()));
        form.extend(rest);
        form.extend(foot.into_lines());
        form.draw(frame, inner);
    }

    fn add_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let waits = match (&self.form, self.reading, self.opening) {
            (_, Some(_), _) => Some(t!("reading profiles")),
            (Some(_), _, Some(_)) => Some(t!("checking the API key")),
            (None, _, Some(_)) => Some(t!("opening: getting the key")),
            _ => None,
        };
        let waits = if self.working.is_some() { Some(t!("checking with the service")) } else { waits };
        if let Some(done) = &self.done {
            form.blank();
            form.text(&scrub(done), cx.theme.good());
        }
        if let Some(waits) = waits {
            form.blank();
            form.busy(waits);
        }
        if let Some(said) = &self.said {
            form.blank();
            for part in said.lines() {
                form.text(&scrub(part), cx.theme.error());
            }
        }
    }

    fn row(&self, at: usize, text: &str, room: usize, cx: &UiContext) -> Line<'static> {
        let selected = self.cursor.at() == at;
        let text = Span::styled(fit(text, room, cx.glyphs.ellipsis), cx.theme.entry(selected));
        Line::from(vec![cx.cursor(selected), Span::raw(" "), text])
    }
}

impl Component for Profiles {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.form {
            Some(_) => KeyContext::Form.in_field(),
            None => self.search.over().unwrap_or_else(|| KeyContext::Profiles.over_tab()),
        }
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        if self.is_busy() {
            // The shell runs what works everywhere.
            let everywhere = [KeyContext::Always, KeyContext::Tour];
            return action == Action::Back || cx.keymap.has(&everywhere, action);
        }
        match action {
            Action::Accept => self.reading.is_none(),
            Action::PageDown | Action::PageUp => false,
            Action::ChangeProfile | Action::TestProfile | Action::RemoveProfile => {
                self.cursor.at() < self.lines.len()
            }
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.is_busy() && action != Action::Back {
            return !matches!(action, Action::Help | Action::Palette);
        }
        if let (Some(form), true) = (&mut self.form, action != Action::Back) {
            match form.on_action(action) {
                ProfileStep::NotMine => return false,
                ProfileStep::Done => self.said = None,
                ProfileStep::Wrong(why) => {
                    self.said = Some(t!("{why} Nothing was saved.", why = sentence(&why)));
                }
                ProfileStep::Change(change) if cx.is_sending && self.used.as_ref() == Some(&change.name) => {
                    self.said = Some(busy_with_jobs(cx));
                }
                ProfileStep::Change(change) => {
                    let name = change.name.clone();
                    self.work(ProfileRequest::Change(change), name, effects);
                }
                ProfileStep::Try(_) if cx.is_sending => self.said = Some(busy_with_jobs(cx)),
                ProfileStep::Try(candidate) => {
                    self.said = None;
                    self.opening = Some((effects.request(Request::TryProfile(candidate)), false));
                }
            }
            return true;
        }
        if self.is_plain() {
            let texts = self.texts();
            if self.search.act_in(action, &mut self.cursor, &texts) {
                return true;
            }
        }
        match action {
            Action::ChangeProfile | Action::TestProfile | Action::RemoveProfile => {
                self.manage(action, cx, effects);
            }
            Action::Accept => self.accept(cx, effects),
            Action::Back => self.back(effects),
            _ => return self.cursor.on_menu_action(action, self.lines.len() + 2),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.is_plain() {
            let texts = self.texts();
            return self.search.type_in(key, &mut self.cursor, &texts);
        }
        let idle = !self.is_busy();
        self.form.as_mut().is_some_and(|form| idle && form.on_text_key(key))
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        if self.is_plain() {
            let texts = self.texts();
            self.search.paste_in(text, &mut self.cursor, &texts);
        }
        if let (Some(form), None, None) = (&mut self.form, self.opening, &self.working)
            && form.on_paste(text)
        {
            effects.warn(t!("This looks like an API key. It was not pasted. Nothing was sent."));
        }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if !self.is_plain() {
            return Clicked::Nothing;
        }
        self.cursor.on_click(at, Action::Accept)
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Profiles(read) if self.reading == Some(id) => {
                self.reading = None;
                match read {
                    Ok(lines) => self.lines = lines,
                    Err(why) => self.said = Some(why),
                }
                Ok(())
            }
            Response::Profile(done) if self.working.as_ref().is_some_and(|work| work.request == id) => {
                if let Some(work) = self.working.take() {
                    self.worked(work, done, effects);
                }
                Ok(())
            }
            Response::Connected(opened) if self.opening.is_some_and(|(own, _)| own == id) => {
                let renews = self.opening.take().is_some_and(|(_, renews)| renews);
                match opened {
                    Ok(session) if renews => self.renew(session, cx, effects),
                    Ok(session) => self.switch(session, cx, effects),
                    Err(why) => {
                        let is_form = self.form.is_some();
                        self.said = Some(if is_form {
                            t!("{why} Nothing was saved.", why = sentence(&why))
                        } else {
                            why
                        });
                    }
                }
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        match &self.form {
            Some(form) => {
                let mut text = FormText::new(area, cx);
                let head = match form.changes() {
                    Some(name) => t!("Change profile {name}", name),
                    None if self.first.is_some() => t!("Welcome to lapel").to_owned(),
                    None => t!("New profile").to_owned(),
                };
                if self.first.is_some() {
                    text.blank();
                }
                text.text(&head, cx.theme.strong());
                text.blank();
                if let Some(FirstScreen { warning: Some(warning) }) = &self.first {
                    text.text(warning, cx.theme.warning());
                    text.blank();
                }
                let brief = self.said.is_some() || self.opening.is_some() || self.working.is_some();
                form.draw(&mut text, brief, cx);
                self.add_text(&mut text, cx);
                if self.first.is_some() {
                    text.draw(frame, area);
                } else {
                    // What is wrong is below the fields.
                    text.draw_scrolled(frame, area, brief);
                }
            }
            None => self.draw_list(frame, area, cx),
        }
    }
}

impl Modal for Profiles {
    fn has(&self, flag: ModalFlag) -> bool {
        match flag {
            ModalFlag::Covers => self.form.is_some(),
            ModalFlag::TakesApiKey => self.removing.is_none(),
            _ => false,
        }
    }

    /// What is saved or removed says how it ended. A test and the opening of another profile are cancelled.
    fn leave(&mut self, effects: &mut Effects<'_>) -> bool {
        let is_saving = self.working.as_ref().is_some_and(|work| !work.is_test);
        if is_saving {
            effects.say(t!("lapel is still saving the last change. Try again."));
        }
        !is_saving
    }

    fn input(&self) -> Option<FormInput> {
        self.form.as_ref().map(ProfileForm::input).or_else(|| self.saved.clone())
    }

    fn set_input(&mut self, texts: &[String]) {
        if let Some(form) = &mut self.form {
            form.set_input(texts);
        }
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        (self.removing.is_some() && self.working.is_none()).then_some(ConfirmQuestion::ONE)
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let Some(line) = &self.removing else { return };
        let label = scrub(line.organisation.as_deref().unwrap_or(&line.base_url)).into_owned();
        form.asks(
            &t!("Remove profile {name}", name = line.name),
            &format!("{} {label}", line.environment),
            cx,
        );
        form.text(
            t!("lapel removes the profile from the settings, and also its key if lapel stores the key. The journal keeps what was sent with it. Nothing changes at the service."),
            cx.theme.text(),
        );
        self.said.iter().for_each(|said| form.error(said));
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if let Some(name) = self.removing.as_ref().map(|line| line.name.clone()) {
            self.work(ProfileRequest::Remove(name.clone()), name, effects);
        }
    }
}

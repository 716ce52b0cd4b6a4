//! Resolves rows of a job whose result is unknown: one row, or the marked rows. Which rows may be resolved or sent
//! again, the rules of `jobs` say.

use crate::jobs::{Decision, NeverSeen};
use crate::secrets::fingerprint;
use crate::tui::modals::job_actions::steps;
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::request::JobReply;
use crate::tui::widgets::job_rows::explain;
use crate::tui::widgets::text_fields::TextFields;
use strum::IntoStaticStr;

const WHY: usize = 0;
const BADGE: usize = 1;
/// The place of the choice in kept input, after the fields.
const CHOICE: usize = 2;

/// The names are those of kept input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
enum Resolution {
    SendAgain,
    IsBadge,
    /// lapel does nothing more with the rows.
    Leave,
    /// Send the never seen rows again: of the job, or of the marked rows.
    SendNeverSeen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResolveStage {
    Choice,
    /// Type the badge id, or else the reason.
    Text,
    Review,
}

pub struct ResolveRows {
    job: JobId,
    /// The job and the rows, for unfinished input.
    subject: String,
    title: Text,
    /// `None` for marked rows.
    row: Option<Box<JobRow>>,
    rows: Vec<u64>,
    /// The never seen ones of the marked rows. `None`: those of the job.
    never_seen: Option<Vec<u64>>,
    choices: Vec<Resolution>,
    cursor: ListCursor,
    stage: ResolveStage,
    fields: TextFields<2>,
    request: Option<RequestId>,
}

impl ResolveRows {
    fn new(job: &Job, row: Option<JobRow>, rows: Vec<u64>, choices: Vec<Resolution>) -> Self {
        let places = match &row {
            Some(row) => row.no.to_string(),
            None => format!("marked {}", fingerprint(&format!("{rows:?}"))),
        };
        let mut fields =
            TextFields::new([tr_noop!("Why"), tr_noop!("Badge id")], ["", badge_of(row.as_ref())]);
        // Another id replaces the one of the row.
        fields.field_mut(BADGE).select();
        Self {
            job: job.id,
            subject: format!("{} {places}", unfinished::of_job(job)),
            title: job.title.clone(),
            row: row.map(Box::new),
            rows,
            never_seen: None,
            choices,
            cursor: ListCursor::default(),
            stage: ResolveStage::Choice,
            fields,
            request: None,
        }
    }

    /// Resolves one row. If it is never seen, the user can also send all never seen rows of the job again.
    pub fn one(job: &Job, row: JobRow) -> Self {
        let mut choices = vec![Resolution::SendAgain, Resolution::IsBadge, Resolution::Leave];
        if row.row_status == RowStatus::NeverSeen && job.counts.of(RowStatus::NeverSeen) > 1 {
            choices.push(Resolution::SendNeverSeen);
        }
        let rows = vec![row.no];
        Self::new(job, Some(row), rows, choices)
    }

    pub fn marked(job: &Job, marked: &[JobRow]) -> Option<Self> {
        let rows = steps(Step::Resolve, job, marked);
        let unseen: Vec<JobRow> =
            marked.iter().filter(|row| row.row_status == RowStatus::NeverSeen).cloned().collect();
        let never_seen = steps(Step::ResendAll, job, &unseen);
        let mut choices = vec![Resolution::Leave];
        if !never_seen.is_empty() {
            choices.push(Resolution::SendNeverSeen);
        }
        (!rows.is_empty())
            .then(|| Self { never_seen: Some(never_seen), ..Self::new(job, None, rows, choices) })
    }

    fn choice(&self) -> Resolution {
        self.choices.get(self.cursor.at()).copied().unwrap_or(Resolution::Leave)
    }

    fn words(&self, choice: Resolution) -> (&'static str, String) {
        let n = |rows: &Vec<u64>| count!(rows.len() as u64, "row", "rows");
        let left = t!("resolved elsewhere; lapel does no more");
        match (choice, &self.never_seen) {
            (Resolution::SendAgain, _) => {
                (t!("send again"), t!("the request did nothing, or two badges are fine").to_owned())
            }
            (Resolution::IsBadge, _) => {
                (t!("it is this badge"), t!("you found the badge; type its id next").to_owned())
            }
            (Resolution::Leave, None) => (t!("leave as it is"), left.to_owned()),
            (Resolution::Leave, Some(_)) => (t!("leave as it is"), format!("{}: {left}", n(&self.rows))),
            (Resolution::SendNeverSeen, None) => {
                (t!("send all again"), t!("every never seen row that may be sent again").to_owned())
            }
            (Resolution::SendNeverSeen, Some(never_seen)) => {
                let text = t!("never seen, may be sent again together");
                (t!("send again"), format!("{}: {text}", n(never_seen)))
            }
        }
    }

    /// The field of the choice. The other one is hidden.
    fn at(&self) -> usize {
        if self.choice() == Resolution::IsBadge { BADGE } else { WHY }
    }

    fn takes_text(&self) -> bool {
        self.stage == ResolveStage::Text && self.request.is_none()
    }

    fn ask_for_text(&mut self) {
        self.fields.set_focus(self.at());
        self.stage = ResolveStage::Text;
    }

    fn go_on(&mut self, effects: &mut Effects<'_>) {
        self.fields.no_error();
        let typed = self.fields.value(self.at());
        match (self.stage, self.choice()) {
            (ResolveStage::Choice, _) => self.ask_for_text(),
            (ResolveStage::Text, Resolution::IsBadge) if Text::new(typed).looks_empty() => {
                self.fields.wrong(None, t!("type or paste the badge id").to_owned());
            }
            (ResolveStage::Text, _) if Text::new(typed).looks_empty() => {
                self.fields.wrong(None, t!("type a short reason: it is saved with the job").to_owned());
            }
            (ResolveStage::Text, Resolution::SendAgain) => {
                if let Some(row) = &self.row {
                    let why = typed.trim().to_owned();
                    let command = JobCommand::Resolve(self.job, row.no, Decision::SendAgain, why);
                    effects.go.push(Navigate::Again(self.job, Box::new(command)));
                }
            }
            (ResolveStage::Text, Resolution::SendNeverSeen) => {
                self.run(JobCommand::NeverSeen(self.job, self.never_seen.clone()), effects);
            }
            (ResolveStage::Text, Resolution::IsBadge | Resolution::Leave) => {
                self.stage = ResolveStage::Review;
            }
            (ResolveStage::Review, _) => {}
        }
    }

    fn run(&mut self, command: JobCommand, effects: &mut Effects<'_>) {
        if self.request.is_none() {
            self.request = Some(effects.command(command));
        }
    }

    fn back(&mut self, effects: &mut Effects<'_>) {
        self.fields.no_error();
        match self.stage {
            ResolveStage::Choice => {
                effects.cancel(self.request.take());
                effects.close();
            }
            ResolveStage::Text => {
                // The response would ask to send these rows, even if the user has chosen something else by then.
                if self.choice() == Resolution::SendNeverSeen {
                    effects.cancel(self.request.take());
                }
                self.stage = ResolveStage::Choice;
            }
            ResolveStage::Review => self.ask_for_text(),
        }
    }

    fn send(&mut self, found: NeverSeen, effects: &mut Effects<'_>) {
        if found.ready.is_empty() {
            let why = t!("none of these rows can be sent again together yet: resolve each one, or wait");
            self.fields.wrong(None, why.to_owned());
            return;
        }
        let why = self.fields.value(WHY).trim().to_owned();
        let command = JobCommand::ResendAll(self.job, found.ready, why);
        effects.go.push(Navigate::Again(self.job, Box::new(command)));
    }

    fn title(&self) -> String {
        let job = self.job;
        match &self.row {
            Some(row) => t!(
                "Resolve row {no} of job {job}   {holder} {address}",
                no = row.number(),
                job,
                holder = row.holder,
                address = row.address
            ),
            None => t!("Resolve the marked rows of job {job}   {title}", job, title = self.title),
        }
    }
}

impl Component for ResolveRows {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.stage {
            ResolveStage::Choice => KeyContext::Menu.in_popup(),
            _ => KeyContext::Form.in_field(),
        }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => false,
            Action::Accept => self.stage == ResolveStage::Choice || self.request.is_none(),
            Action::Editor => self.takes_text() && self.choice() != Resolution::IsBadge,
            Action::ClearField | Action::ClearForm => self.takes_text(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Back => self.back(effects),
            Action::Accept => self.go_on(effects),
            Action::ClearField if self.takes_text() => {
                self.fields.on_action(action);
            }
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => {}
            _ if self.stage == ResolveStage::Choice => {
                return self.cursor.on_menu_action(action, self.choices.len());
            }
            _ => return matches!(action, Action::Down | Action::Up),
        }
        true
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        if self.takes_text() { self.fields.changing() } else { None }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if self.stage != ResolveStage::Choice {
            return Clicked::Nothing;
        }
        self.cursor.on_click(at, Action::Accept)
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Response::Done(done) = reply.to(&mut self.request)? else { return Ok(()) };
        match done {
            Err(why) => {
                // The user may have changed the choice while the command ran.
                self.ask_for_text();
                self.fields.wrong(None, why);
            }
            Ok(JobReply::NeverSeen(found)) => self.send(found, effects),
            Ok(done) => {
                effects.go.push(Navigate::InputUsed);
                effects.close();
                if let JobReply::Said(text) = done {
                    effects.say(text);
                }
            }
        }
        Ok(())
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.fields.value(self.at())]
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::in_popup(area, cx);
        form.heading(&cx.place(), cx.theme.accent());
        form.blank();
        if let Some(row) = &self.row {
            form.text(&explain(row, Kind::Issue, cx), cx.theme.warning());
            form.blank();
        }
        let before = form.len();
        let words: Vec<(&str, String)> = self.choices.iter().map(|choice| self.words(*choice)).collect();
        let wide = words.iter().map(|(word, _)| width(word)).max().unwrap_or(0);
        for (at, (word, what)) in words.iter().enumerate() {
            form.choice(&format!("{}  {what}", fit(word, wide, "")), at == self.cursor.at());
        }
        if self.stage != ResolveStage::Choice {
            form.blank();
            self.fields.draw_focused(&mut form);
        }
        if self.request.is_some() {
            form.busy(t!("one moment"));
        }
        self.fields.draw_error(&mut form);
        let inside = popup::at_bottom(area, popup::FORM, form.len());
        let first = below(inside, before + usize::from(popup::edge(area)));
        let rows = u16::try_from(words.len()).unwrap_or(1).min(first.height);
        self.cursor.lay(Rect { height: rows, ..first }, words.len());
        form.draw_popup(frame, area, &self.title());
    }
}

impl Modal for ResolveRows {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::PreparesSending | ModalFlag::TakesEditor)
    }

    fn input(&self) -> Option<FormInput> {
        let [why, badge] = self.fields.values();
        let badge = if badge == badge_of(self.row.as_deref()) { "" } else { badge };
        // The first choice is the one that every popup opens with.
        let choice = if self.cursor.at() == 0 { "" } else { self.choice().into() };
        let texts = [why, badge, choice].map(str::to_owned);
        Some(FormInput::new("resolve", self.subject.clone(), texts.to_vec()))
    }

    fn set_input(&mut self, texts: &[String]) {
        let has_badge = texts.get(BADGE).is_some_and(|id| !id.is_empty());
        self.fields.restore(if has_badge { texts } else { texts.get(..BADGE).unwrap_or_default() });
        if !has_badge {
            self.fields.field_mut(BADGE).select();
        }
        let kept = texts.get(CHOICE).map_or("", String::as_str);
        let chosen = self.choices.iter().position(|choice| <&str>::from(choice) == kept);
        self.cursor.select(chosen.unwrap_or_default());
        self.stage = ResolveStage::Choice;
        // A text that came back is on the screen, with the key that clears it.
        if texts.get(self.at()).is_some_and(|text| !text.is_empty()) {
            self.ask_for_text();
        }
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        let rows = self.rows.len() as u64;
        (self.stage == ResolveStage::Review && self.request.is_none()).then(|| ConfirmQuestion::of(rows))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let job = self.job;
        let what = match (&self.row, self.choice()) {
            (Some(row), Resolution::IsBadge) => {
                t!("Row {no} of job {job} is this badge", no = row.number(), job)
            }
            (Some(row), _) => t!("Leave row {no} of job {job} as it is", no = row.number(), job),
            (None, _) => plural!(
                self.rows.len() as u64,
                "Leave {n} row of job {job} as it is",
                "Leave {n} rows of job {job} as they are",
                job
            ),
        };
        let (label, typed) = (self.fields.label(self.at()), self.fields.value(self.at()));
        form.asks(&what, &cx.place(), cx);
        form.text(&format!("{label}  {}", Text::new(typed)), cx.theme.text());
        if self.row.is_none() {
            form.text(t!("Nothing is sent. lapel does nothing more with them."), cx.theme.text());
        }
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        let why = || self.fields.value(WHY).trim().to_owned();
        let command = match (&self.row, self.choice()) {
            _ if self.stage != ResolveStage::Review => return,
            (Some(row), Resolution::IsBadge) => {
                let Some(id) = BadgeId::new(self.fields.value(BADGE).trim()) else { return };
                JobCommand::Resolve(self.job, row.no, Decision::IsThis(id), t!("found manually").to_owned())
            }
            (Some(row), Resolution::Leave) => JobCommand::Resolve(self.job, row.no, Decision::Skip, why()),
            (None, Resolution::Leave) => JobCommand::LeaveRows(self.job, self.rows.clone(), why()),
            (_, Resolution::SendAgain | Resolution::SendNeverSeen | Resolution::IsBadge) => return,
        };
        self.run(command, effects);
    }
}

/// The badge id that the row has, if any.
fn badge_of(row: Option<&JobRow>) -> &str {
    row.and_then(|row| row.badge_id.as_ref()).map_or("", BadgeId::wire)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::needs::tests::job;
    use crate::tui::request::RequestIds;

    #[test]
    fn a_failure_after_the_choice_has_changed_shows_the_field_of_the_new_choice() {
        let cx = UiContext::for_test();
        let mut requests = RequestIds::default();
        let effects = &mut Effects::new(&mut requests);
        let job = job(Phase::Running, &[(RowStatus::NeverSeen, 1)]);
        let mut form = ResolveRows::one(&job, JobRow::for_test(1, RowStatus::NeverSeen));
        assert!(form.on_action(Action::Down, &cx, effects));
        form.on_action(Action::Accept, &cx, effects);
        form.on_paste("B-000000001-AB", &cx, effects);
        form.on_action(Action::Accept, &cx, effects);
        form.on_confirmed(&cx, effects);
        let id = form.request.expect("a running command");
        for action in [Action::Back, Action::Back, Action::Down] {
            form.on_action(action, &cx, effects);
        }
        let failed = Response::Done(Err("the database is away".to_owned()));
        assert!(form.on_response(Reply { id, response: failed }, &cx, effects).is_ok());
        let typed = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        assert!(form.on_text_key(typed, effects));
        assert_eq!(form.typed(), ["x"]);
        assert_eq!(form.fields.values(), ["x", "B-000000001-AB"]);
    }

    #[test]
    fn the_choice_and_the_text_come_back_and_the_field_is_open_if_it_has_a_text() {
        let cx = UiContext::for_test();
        let mut requests = RequestIds::default();
        let effects = &mut Effects::new(&mut requests);
        let job = job(Phase::Running, &[(RowStatus::NeverSeen, 1)]);
        let open = |texts: &[String]| {
            let mut form = ResolveRows::one(&job, JobRow::for_test(1, RowStatus::NeverSeen));
            form.set_input(texts);
            form
        };
        let texts = |form: &ResolveRows| form.input().expect("input").texts;
        assert_eq!(texts(&open(&[])).concat(), "", "nothing to keep");
        let mut form = open(&[]);
        form.on_action(Action::Down, &cx, effects);
        form.on_action(Action::Down, &cx, effects);
        let chosen = texts(&form);
        let mut form = open(&chosen);
        assert_eq!((form.choice(), form.stage), (Resolution::Leave, ResolveStage::Choice));
        form.on_action(Action::Accept, &cx, effects);
        form.on_paste("found in the other list", &cx, effects);
        let typed = texts(&form);
        let mut form = open(&typed);
        assert_eq!((form.choice(), form.stage), (Resolution::Leave, ResolveStage::Text));
        assert_eq!(form.typed(), ["found in the other list"]);
        // Cleared, or used, it is as at the beginning.
        form.set_input(&[]);
        assert_eq!((form.choice(), form.stage), (Resolution::SendAgain, ResolveStage::Choice));
        assert_eq!(texts(&form).concat(), "", "nothing to keep");
        // A text of another choice stays hidden until that is chosen again.
        let mut form = open(&typed);
        form.on_action(Action::Back, &cx, effects);
        form.on_action(Action::Up, &cx, effects);
        let form = open(&texts(&form));
        assert_eq!((form.choice(), form.stage), (Resolution::IsBadge, ResolveStage::Choice));
        assert_eq!(form.fields.value(WHY), "found in the other list");
    }
}

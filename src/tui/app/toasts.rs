//! Messages at the bottom of the screen, and when they go away.

use crate::domain::email::ended;
use crate::tui::prelude::*;

/// A toast is shown for `TOAST`, and for `TOAST_LETTER` more for each letter.
const TOAST: Duration = Duration::from_secs(5);
const TOAST_LETTER: Duration = Duration::from_millis(50);

/// Maximum number of lines of a notice.
pub(in crate::tui) const LONGEST_NOTICE: usize = 4;

#[derive(Clone)]
pub(in crate::tui) struct Notice {
    pub(in crate::tui) text: String,
    pub(in crate::tui) bad: bool,
    /// When it goes away by itself. `None`: only at the next key.
    pub(in crate::tui) until: Option<Instant>,
    /// Whether one key does not remove it: nobody waited for it, and the key may have been pressed before it came.
    pub(super) spared: bool,
}

impl Notice {
    pub(in crate::tui) fn new(text: String, bad: bool) -> Self {
        Self { text, bad, until: None, spared: false }
    }

    /// Whether a notice is too long to be shown whole at this width, in columns.
    pub(super) fn is_cut(text: &str, columns: u16) -> bool {
        wrap(&format!("  {text}"), usize::from(columns).saturating_sub(2)).len() > LONGEST_NOTICE
    }

    /// A message that goes away when there was time to read it, unless it is an error.
    pub(in crate::tui) fn toast(text: String, bad: bool) -> Self {
        Self { until: (!bad).then(|| when_read(&text)), ..Self::new(text, bad) }
    }

    /// A warning that nobody asked for and that goes away when there was time to read it: a key does not remove it.
    fn warning(text: String) -> Self {
        Self { until: Some(when_read(&text)), ..Self::new(text, true) }
    }

    pub(super) fn unasked(self) -> Self {
        Self { spared: true, ..self }
    }

    fn goes_at_key(&mut self) -> bool {
        !std::mem::take(&mut self.spared)
    }
}

fn when_read(text: &str) -> Instant {
    Instant::now() + TOAST + TOAST_LETTER * u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Byte limit of the errors that stay. Beyond it the oldest one goes.
const MOST_ERRORS: usize = 2000;

/// An error that stays until the user closes it or its cause is gone.
struct StayingError {
    text: String,
    /// The jobs that it is about. Without any, it is about something else.
    jobs: Vec<JobId>,
}

#[derive(Default)]
pub(in crate::tui) struct Toasts {
    /// A message that the next key removes.
    pub(in crate::tui) notice: Option<Notice>,
    /// The notice that was shown when the last action began. The help shows it in full.
    pub(super) said_before: Option<String>,
    /// Messages that the user did not ask for and that go away by themselves: warnings, then at most one good message, for
    /// example about a finished job. The first one is shown, if no notice covers it.
    news: Vec<Notice>,
    /// Shown when there is no other message, all together.
    errors: Vec<StayingError>,
}

impl Toasts {
    /// Shows a message. `asked`: it answers a key of the user.
    pub(super) fn say(&mut self, text: String, bad: bool, asked: bool) {
        let notice = Notice::toast(text, bad);
        // A toast that it covers does not come back.
        self.take_shown_toast();
        self.notice = Some(if bad && !asked { notice.unasked() } else { notice });
    }

    /// Only what the user did not ask for.
    pub(super) fn without_answers(self) -> Self {
        Self { notice: None, said_before: None, ..self }
    }

    /// Removes a notice. A message that came meanwhile was covered, so its time begins now.
    fn take_notice(&mut self, is_over: impl FnOnce(&mut Notice) -> bool) -> Option<Notice> {
        let taken = self.notice.take_if(is_over)?;
        self.begin_news();
        Some(taken)
    }

    /// Removes the first message of the news. Returns whether there was one that is over.
    fn take_news(&mut self, is_over: impl FnOnce(&mut Notice) -> bool) -> bool {
        let is_over = self.news.first_mut().is_some_and(is_over);
        if is_over {
            self.news.remove(0);
            self.begin_news();
        }
        is_over
    }

    /// The time of the first message begins when it is shown.
    fn begin_news(&mut self) {
        if let Some(news) = self.news.first_mut() {
            news.until = Some(when_read(&news.text));
        }
    }

    /// Removes the good message that is shown. One that waits to be shown stays.
    fn take_shown_toast(&mut self) -> bool {
        self.notice.is_none() && self.take_news(|news| !news.bad)
    }

    /// The next key of the user removes toasts. Errors that nobody asked for stay until the user closes them.
    pub(super) fn on_key(&mut self) {
        if self.notice.is_none() {
            self.take_news(|news| !news.bad && news.goes_at_key());
        }
        self.said_before = self.take_notice(Notice::goes_at_key).map(|notice| notice.text);
    }

    /// Text in a field removes what was said before, except for an error: it may be about this text.
    pub(super) fn on_text(&mut self) {
        self.take_notice(|notice| !notice.bad);
    }

    pub(super) fn has_news(&self) -> bool {
        !self.news.is_empty() || !self.errors.is_empty()
    }

    /// What the user did not ask for, in full.
    pub(super) fn all_news(&self) -> Option<String> {
        let news = self.news.iter().map(|news| news.text.as_str());
        joined(news.chain(self.errors.iter().map(|error| error.text.as_str())))
    }

    /// Closes what the user did not ask for, as far as it is shown.
    pub(super) fn close_news(&mut self) {
        if !self.take_news(|_| true) {
            self.errors.clear();
        }
    }

    /// Removes what is no longer true. Other messages beside it stay. Returns whether it was there.
    pub(super) fn withdraw(&mut self, text: &str) -> bool {
        self.errors.extract_if(.., |error| error.text == text).next().is_some()
    }

    /// Removes what was told about these jobs. Returns whether there was anything.
    pub(super) fn withdraw_jobs(&mut self, is_of: impl Fn(JobId) -> bool) -> bool {
        let before = self.errors.len();
        self.errors.retain_mut(|error| {
            let is_of_jobs = !error.jobs.is_empty();
            error.jobs.retain(|job| !is_of(*job));
            !is_of_jobs || !error.jobs.is_empty()
        });
        self.errors.len() < before
    }

    /// Adds an error that the user did not ask for. Earlier errors stay visible. Returns whether the screen changes.
    pub(super) fn add_error(&mut self, text: String) -> bool {
        self.add_error_of(Vec::new(), text)
    }

    pub(super) fn add_error_of(&mut self, jobs: Vec<JobId>, text: String) -> bool {
        // They would cover the error, for example that of the command that they announced.
        let uncovers = self.take_shown_toast() | self.take_notice(|notice| !notice.bad).is_some();
        if self.errors.iter().any(|error| error.text == text) {
            return uncovers;
        }
        self.errors.push(StayingError { text, jobs });
        while self.errors.len() > 1
            && self.errors.iter().map(|error| error.text.len()).sum::<usize>() > MOST_ERRORS
        {
            self.errors.remove(0);
        }
        true
    }

    /// Tells something good that the user did not ask for, for as long as it takes to read it. A warning is shown first.
    pub(super) fn toast(&mut self, text: String) {
        self.news.retain(|news| news.bad);
        self.news.push(Notice::toast(text, false).unasked());
    }

    /// Warns for as long as it takes to read it.
    pub(super) fn warn(&mut self, text: String) {
        self.take_shown_toast();
        self.take_notice(|notice| !notice.bad);
        let at = self.news.iter().take_while(|news| news.bad).count();
        self.news.insert(at, Notice::warning(text));
    }

    pub(super) fn expire(&mut self) -> bool {
        let now = Instant::now();
        let is_over = |toast: &mut Notice| toast.until.is_some_and(|until| until <= now);
        if self.notice.is_some() { self.take_notice(is_over).is_some() } else { self.take_news(is_over) }
    }

    /// The message at the bottom. `is_told`: what nobody asked for is shown elsewhere, so it needs no rows.
    pub(in crate::tui) fn shown(&self, is_told: bool) -> Option<Cow<'_, Notice>> {
        if let Some(notice) = self.notice.as_ref().or(self.news.first().filter(|_| !is_told)) {
            return Some(Cow::Borrowed(notice));
        }
        let errors = self.errors.iter().filter(|_| !is_told).map(|error| error.text.as_str());
        Some(Cow::Owned(Notice::new(joined(errors)?, true)))
    }

    /// Takes the messages of the effects. Returns whether there were any.
    pub(super) fn receive(&mut self, effects: &mut Effects<'_>, asked: bool) -> bool {
        let (notice, news) = (effects.notice.take(), effects.news.take());
        let has_any = notice.is_some() || news.is_some();
        if let Some((text, bad)) = notice {
            self.say(text, bad, asked);
        }
        match news {
            Some(News { text, bad: true, jobs }) => _ = self.add_error_of(jobs, text),
            Some(news) => self.toast(news.text),
            None => {}
        }
        has_any
    }

    /// When the shown message goes away.
    pub(super) fn next_end(&self) -> Option<Instant> {
        self.notice.as_ref().or(self.news.first())?.until
    }
}

/// Several messages as one text.
fn joined<'a>(all: impl Iterator<Item = &'a str>) -> Option<String> {
    all.map(str::to_owned).reduce(|before, text| format!("{} {text}", ended(&before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_longer_true_goes_and_the_error_beside_it_stays() {
        let mut toasts = Toasts::default();
        assert!(
            toasts.add_error("The database is away".to_owned())
                && toasts.add_error("A job stopped".to_owned())
        );
        assert!(!toasts.add_error("A job stopped".to_owned()), "it is shown already");
        toasts.withdraw("The database is away");
        let shown = |toasts: &Toasts| toasts.shown(false).map(|message| message.into_owned().text);
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped"));
        assert!(toasts.shown(true).is_none(), "the help shows it");
        toasts.say("Copied".to_owned(), false, true);
        assert_eq!(shown(&toasts).as_deref(), Some("Copied"));
        toasts.on_key();
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped"), "until the user closes it");
        toasts.add_error("A file is damaged".to_owned());
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped. A file is damaged"));
        toasts.close_news();
        assert!(!toasts.has_news() && shown(&toasts).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn no_message_hides_another_one_for_good() {
        let mut toasts = Toasts::default();
        let shown = |toasts: &Toasts| toasts.shown(false).map(|message| message.into_owned().text);
        let pass = async |toasts: &mut Toasts| {
            tokio::time::advance(Duration::from_secs(20)).await;
            toasts.expire()
        };
        toasts.add_error("A job stopped".to_owned());
        toasts.toast("Issued".to_owned());
        assert_eq!(shown(&toasts).as_deref(), Some("Issued"), "over an older error");
        assert!(pass(&mut toasts).await, "it ends by itself");
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped"), "and the error is still true");
        // The answer to a key covers what comes meanwhile, which is then shown for its whole time.
        toasts.say("That failed".to_owned(), true, true);
        toasts.toast("Revoked".to_owned());
        assert!(!pass(&mut toasts).await && toasts.next_end().is_none());
        toasts.on_key();
        assert_eq!(shown(&toasts).as_deref(), Some("Revoked"));
        assert!(toasts.next_end().is_some_and(|end| end > Instant::now()));
        assert!(pass(&mut toasts).await);
        toasts.close_news();
        assert_eq!(shown(&toasts), None);
        // Neither a success nor another warning takes the place of a warning.
        for then in ["", "It is not LIVE"] {
            toasts.warn("The key may be a LIVE one".to_owned());
            if !then.is_empty() {
                toasts.warn(then.to_owned());
            }
            toasts.toast("Issued".to_owned());
            for text in ["The key may be a LIVE one", then, "Issued"].iter().filter(|text| !text.is_empty()) {
                assert_eq!(shown(&toasts).as_deref(), Some(*text));
                assert!(!toasts.expire() && pass(&mut toasts).await, "for its whole time: {text}");
            }
            assert_eq!(shown(&toasts), None);
        }
        // An error takes the place of a toast that is shown, and of none that waits.
        toasts.say("That failed".to_owned(), true, true);
        toasts.toast("Issued".to_owned());
        toasts.add_error("A job stopped".to_owned());
        toasts.on_key();
        assert_eq!(shown(&toasts).as_deref(), Some("Issued"));
        toasts.add_error("A file is damaged".to_owned());
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped. A file is damaged"));
    }

    #[test]
    fn a_message_about_several_jobs_stays_until_all_of_them_are_seen() {
        let mut toasts = Toasts::default();
        toasts.add_error_of(vec![JobId(1), JobId(2)], "2 jobs were interrupted".to_owned());
        toasts.add_error("A file is damaged".to_owned());
        assert!(!toasts.withdraw_jobs(|job| job == JobId(1)) && toasts.withdraw_jobs(|job| job == JobId(2)));
        assert_eq!(toasts.all_news().as_deref(), Some("A file is damaged"), "it is about no job");
    }
}

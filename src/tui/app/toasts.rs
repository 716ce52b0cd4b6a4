//! Messages at the bottom of the screen, and when they go away.

use crate::domain::email::ended;
use crate::tui::prelude::*;

/// A toast is shown for `TOAST`, and for `TOAST_LETTER` more for each letter.
const TOAST: Duration = Duration::from_secs(5);
const TOAST_LETTER: Duration = Duration::from_millis(50);

/// Maximum number of lines of a notice.
pub(in crate::tui) const LONGEST_NOTICE: usize = 4;

pub(in crate::tui) struct Notice {
    pub(in crate::tui) text: String,
    pub(in crate::tui) bad: bool,
    /// When it goes away by itself. `None`: the next key removes it as a notice, and the user closes it as news.
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

/// Byte limit of collected messages. Beyond it a new message replaces them.
const MOST_NEWS: usize = 2000;

#[derive(Default)]
pub(in crate::tui) struct Toasts {
    pub(in crate::tui) notice: Option<Notice>,
    /// The notice that was shown when the last action began. The help shows it in full.
    pub(super) said_before: Option<String>,
    /// A message that the user did not ask for, for example about a job.
    pub(in crate::tui) news: Option<Notice>,
}

impl Toasts {
    /// Shows a message. `asked`: it answers a key of the user.
    pub(super) fn say(&mut self, text: String, bad: bool, asked: bool) {
        let notice = Notice::toast(text, bad);
        self.notice = Some(if bad && !asked { notice.unasked() } else { notice });
        // A toast that it covers does not come back.
        self.news.take_if(|news| news.until.is_some() && !news.bad);
    }

    /// The next key of the user removes toasts. Errors about jobs stay until the user closes them.
    pub(super) fn on_key(&mut self) {
        self.said_before = self.notice.take_if(Notice::goes_at_key).map(|notice| notice.text);
        self.news.take_if(|news| news.until.is_some() && !news.bad && news.goes_at_key());
    }

    /// Text in a field removes what was said before, except for an error: it may be about this text.
    pub(super) fn on_text(&mut self) {
        self.notice.take_if(|notice| !notice.bad);
    }

    /// Removes what is no longer true. Other messages beside it stay.
    pub(super) fn withdraw(&mut self, text: &str) {
        let Some(news) = self.news.as_ref().filter(|news| news.text.contains(text)) else { return };
        let rest = news.text.replace(&ended(text), "").replace(text, "");
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        self.news = (!rest.is_empty()).then(|| Notice::new(rest, true));
    }

    /// Adds an error that the user did not ask for. Earlier errors stay visible. Returns whether the screen changes.
    pub(super) fn add_error(&mut self, text: String) -> bool {
        // It would cover the error, for example that of the command that it announced.
        let uncovers = self.notice.take_if(|notice| !notice.bad).is_some();
        let text = match &self.news {
            Some(before) if before.bad && before.text.contains(&text) => return uncovers,
            Some(before) if before.bad && before.text.len() < MOST_NEWS => {
                format!("{} {text}", ended(&before.text))
            }
            _ => text,
        };
        self.news = Some(Notice::new(text, true));
        true
    }

    /// Warns for as long as it takes to read it. An error beside it stays, and so does the warning then.
    pub(super) fn warn(&mut self, text: String) {
        match &self.news {
            Some(news) if news.until.is_none() => _ = self.add_error(text),
            _ => self.news = Some(Notice::warning(text)),
        }
    }

    pub(super) fn expire(&mut self) -> bool {
        let now = Instant::now();
        let is_over = |toast: &mut Notice| toast.until.is_some_and(|until| until <= now);
        let gone = [self.notice.take_if(is_over), self.news.take_if(is_over)];
        gone.iter().any(Option::is_some)
    }

    /// The message at the bottom. `is_told`: what nobody asked for is shown elsewhere, so it needs no rows.
    pub(in crate::tui) fn shown(&self, is_told: bool) -> Option<&Notice> {
        self.notice.as_ref().or(self.news.as_ref().filter(|_| !is_told))
    }

    /// Takes the messages of the effects. Returns whether there were any.
    pub(super) fn receive(&mut self, effects: &mut Effects<'_>, asked: bool) -> bool {
        let (notice, news) = (effects.notice.take(), effects.news.take());
        let has_any = notice.is_some() || news.is_some();
        if let Some((text, bad)) = notice {
            self.say(text, bad, asked);
        }
        if let Some((text, bad)) = news {
            self.news = Some(Notice::new(text, bad));
        }
        has_any
    }

    pub(super) fn next_end(&self) -> Option<Instant> {
        self.notice.iter().chain(&self.news).filter_map(|toast| toast.until).min()
    }
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
        let shown = |toasts: &Toasts| toasts.shown(false).map(|notice| notice.text.clone());
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped"));
        assert!(toasts.shown(true).is_none(), "the help shows it");
        toasts.say("Copied".to_owned(), false, true);
        assert_eq!(shown(&toasts).as_deref(), Some("Copied"));
        toasts.on_key();
        assert_eq!(shown(&toasts).as_deref(), Some("A job stopped"), "until the user closes it");
    }
}

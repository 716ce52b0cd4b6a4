//! Messages at the bottom of the screen, and when they go away.

use super::App;
use tokio::time::{Duration, Instant};

/// How long a toast is shown: for any text, and for each letter.
const TOAST: Duration = Duration::from_secs(5);
const TOAST_LETTER: Duration = Duration::from_millis(50);

/// A message of at most a few lines at the bottom of the screen.
pub(in crate::tui) struct Notice {
    pub(in crate::tui) text: String,
    pub(in crate::tui) bad: bool,
    /// When it goes away by itself. An error stays until the next key, and so does what the user did not ask for.
    pub(in crate::tui) until: Option<Instant>,
}

impl Notice {
    /// A message that stays.
    pub(in crate::tui) fn new(text: String, bad: bool) -> Self {
        Self { text, bad, until: None }
    }

    /// A message that goes away when there was time to read it, unless it is an error.
    pub(in crate::tui) fn toast(text: String, bad: bool) -> Self {
        let time = TOAST + TOAST_LETTER * u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self { until: (!bad).then(|| Instant::now() + time), ..Self::new(text, bad) }
    }
}

impl App {
    pub(super) fn toasts(&self) -> impl Iterator<Item = &Notice> {
        self.notice.iter().chain(&self.news)
    }

    /// Removes the toasts whose time is over.
    pub(super) fn expire_toasts(&mut self) {
        let now = Instant::now();
        let is_over = |toast: &mut Notice| toast.until.is_some_and(|until| until <= now);
        let gone = [self.notice.take_if(is_over), self.news.take_if(is_over)];
        self.changed |= gone.iter().any(Option::is_some);
    }
}

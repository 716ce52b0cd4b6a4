//! Notifications when a job has ended, needs the user, or has stopped sending. They never contain a name, an
//! address or a title, because others may see the screen.

use crate::config::NoticeChoice;
use crate::tui::platform::host::AppOptions;
use crate::tui::prelude::*;

const APART: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct Notices {
    last: Option<Instant>,
}

impl Notices {
    pub fn of(
        &mut self,
        before: Option<&Job>,
        job: &Job,
        options: &AppOptions,
        now: Instant,
    ) -> Option<String> {
        if options.settings.notice == NoticeChoice::Off {
            return None;
        }
        self.call(&news(before, job)?, options, now)
    }

    fn call(&mut self, text: &str, options: &AppOptions, now: Instant) -> Option<String> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < APART) {
            return None;
        }
        self.last = Some(now);
        Some(sequence(text, options))
    }
}

/// The text for a changed job, without personal data.
fn news(before: Option<&Job>, job: &Job) -> Option<String> {
    let kind = tr(job.kind.name());
    if let Some(stop) = &job.stop
        && before.is_none_or(|before| before.stop.as_ref().map(|s| s.kind) != Some(stop.kind))
    {
        return Some(t!(
            "lapel: job {id} ({kind}) has stopped: {why}",
            id = job.id,
            kind,
            why = tr(stop.kind.name())
        ));
    }
    // A job that was just started is still on the screen.
    let before = before?;
    let need = |job: &Job| job.counts.sum(RowStatus::needs_a_person);
    if need(job) > need(before) {
        return Some(t!("lapel: job {id} ({kind}) needs you", id = job.id, kind));
    }
    (before.is_open() && !job.is_open() && job.stop.is_none())
        .then(|| t!("lapel: job {id} ({kind}) has ended", id = job.id, kind))
}

/// The bell, or the terminal's notification sequence. There are two sequences, and a terminal that knows both
/// would notify twice. tmux passes neither on by itself, but it handles the bell.
fn sequence(text: &str, options: &AppOptions) -> String {
    let host = &options.host;
    if options.settings.notice == NoticeChoice::Bell || host.is_plain {
        return "\x07".to_owned();
    }
    let term = host.term.as_str();
    let notice = if term.starts_with("rxvt") || term.starts_with("foot") {
        format!("\x1b]777;notify;lapel;{text}\x1b\\")
    } else {
        format!("\x1b]9;{text}\x1b\\")
    };
    let bell = if host.tmux { "\x07" } else { "" };
    format!("{}{bell}", host.wrapped(&notice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AppSettings;
    use crate::tui::platform::host::HostTerminal;

    fn options(notice: NoticeChoice, term: &str, tmux: bool) -> AppOptions {
        AppOptions {
            filters: None,
            settings: AppSettings { notice, ..AppSettings::default() },
            host: HostTerminal {
                term: term.into(),
                is_plain: crate::config::is_plain_terminal(term),
                tmux,
                ..HostTerminal::default()
            },
        }
    }

    #[test]
    fn two_notifications_never_come_close_together() {
        let bell = options(NoticeChoice::Bell, "xterm", false);
        let (mut notices, now) = (Notices::default(), Instant::now());
        let mut rings = |seconds| notices.call("x", &bell, now + Duration::from_secs(seconds)).is_some();
        assert!(rings(0) && !rings(1) && !rings(4) && rings(5) && !rings(9) && rings(10));
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way() {
        use NoticeChoice::{Bell, Desktop};
        for (options, said) in [
            (options(Bell, "xterm", true), "\x07"),
            (options(Desktop, "linux", false), "\x07"),
            (options(Desktop, "xterm-kitty", false), "\x1b]9;x\x1b\\"),
            (options(Desktop, "foot", false), "\x1b]777;notify;lapel;x\x1b\\"),
            (options(Desktop, "tmux-256color", true), "\x1bPtmux;\x1b\x1b]9;x\x1b\x1b\\\x1b\\\x07"),
        ] {
            assert_eq!(sequence("x", &options), said, "{options:?}");
        }
    }
}

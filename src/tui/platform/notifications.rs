//! Notifications when a job has ended, needs the user, or has stopped sending. They never contain a name, an
//! address or a title, because others may see the screen.

use crate::config::NoticeChoice;
use crate::tui::platform::host::Manner;
use crate::tui::prelude::*;

const APART: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct Notices {
    last: Option<Instant>,
}

impl Notices {
    pub fn of(&mut self, before: Option<&Job>, job: &Job, manner: &Manner, now: Instant) -> Option<String> {
        if manner.settings.notice == NoticeChoice::Off {
            return None;
        }
        self.call(&news(before, job)?, manner, now)
    }

    fn call(&mut self, text: &str, manner: &Manner, now: Instant) -> Option<String> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < APART) {
            return None;
        }
        self.last = Some(now);
        Some(sequence(text, manner))
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
fn sequence(text: &str, manner: &Manner) -> String {
    let around = &manner.around;
    if manner.settings.notice == NoticeChoice::Bell || around.is_plain {
        return "\x07".to_owned();
    }
    let term = around.term.as_str();
    let notice = if term.starts_with("rxvt") || term.starts_with("foot") {
        format!("\x1b]777;notify;lapel;{text}\x1b\\")
    } else {
        format!("\x1b]9;{text}\x1b\\")
    };
    let bell = if around.tmux { "\x07" } else { "" };
    format!("{}{bell}", around.wrapped(&notice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AppSettings;
    use crate::tui::platform::host::HostTerminal;

    fn manner(notice: NoticeChoice, term: &str, tmux: bool) -> Manner {
        Manner {
            filters: None,
            settings: AppSettings { notice, ..AppSettings::default() },
            around: HostTerminal {
                term: term.into(),
                is_plain: crate::config::is_plain_terminal(term),
                tmux,
                ..HostTerminal::default()
            },
        }
    }

    #[test]
    fn no_two_come_close_together() {
        let bell = manner(NoticeChoice::Bell, "xterm", false);
        let (mut notices, now) = (Notices::default(), Instant::now());
        let mut rings = |seconds| notices.call("x", &bell, now + Duration::from_secs(seconds)).is_some();
        assert!(rings(0) && !rings(1) && !rings(4) && rings(5) && !rings(9) && rings(10));
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way() {
        use NoticeChoice::{Bell, Desktop};
        for (manner, said) in [
            (manner(Bell, "xterm", true), "\x07"),
            (manner(Desktop, "linux", false), "\x07"),
            (manner(Desktop, "xterm-kitty", false), "\x1b]9;x\x1b\\"),
            (manner(Desktop, "foot", false), "\x1b]777;notify;lapel;x\x1b\\"),
            (manner(Desktop, "tmux-256color", true), "\x1bPtmux;\x1b\x1b]9;x\x1b\x1b\\\x1b\\\x07"),
        ] {
            assert_eq!(sequence("x", &manner), said, "{manner:?}");
        }
    }
}

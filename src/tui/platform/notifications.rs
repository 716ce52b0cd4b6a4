//! Calling a person who looks elsewhere: when a followed job has ended or needs somebody, or when sending
//! has stopped. With the bell or with a notice on the desktop, as the setting says; never with a name, an
//! address or a title, since it may be read on a screen that others see.

use crate::config::NoticeChoice;
use crate::jobs::{Job, RowStatus};
use crate::tui::platform::host::Manner;
use std::time::Duration;
use tokio::time::Instant;

/// No two notices come closer together than this.
const APART: Duration = Duration::from_secs(5);

/// Calls, not too often.
#[derive(Debug, Default)]
pub struct Notices {
    last: Option<Instant>,
}

impl Notices {
    /// What the terminal is written now that a job has changed, if anything.
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

/// What there is to say of a job, without anybody's data.
fn news(before: Option<&Job>, job: &Job) -> Option<String> {
    let kind = job.kind.word();
    if let Some(stop) = &job.stop
        && before.is_none_or(|before| before.stop.as_ref().map(|s| s.kind) != Some(stop.kind))
    {
        return Some(t!(
            "lapel: job {id} ({kind}) has stopped: {why}",
            id = job.id,
            kind,
            why = stop.kind.word()
        ));
    }
    // One that has only just been sent is still on the screen.
    let before = before?;
    let need = |job: &Job| job.counts.sum(RowStatus::needs_a_person);
    if need(job) > need(before) {
        return Some(t!("lapel: job {id} ({kind}) needs you", id = job.id, kind));
    }
    (before.is_open() && !job.is_open() && job.stop.is_none())
        .then(|| t!("lapel: job {id} ({kind}) has ended", id = job.id, kind))
}

/// The bell, or what the terminal makes a notice of. There are two ways to say it, and a terminal that knows
/// both would say it twice. tmux passes neither on by itself, but makes something of the bell.
fn sequence(text: &str, manner: &Manner) -> String {
    let around = &manner.around;
    if manner.settings.notice == NoticeChoice::Bell || around.is_plain() {
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
    use crate::config::DeskSettings;
    use crate::tui::platform::host::Around;

    fn manner(notice: NoticeChoice, term: &str, tmux: bool) -> Manner {
        Manner {
            filters: None,
            settings: DeskSettings { notice, ..DeskSettings::default() },
            around: Around { term: term.into(), tmux, ..Around::default() },
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

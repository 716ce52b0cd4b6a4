//! The host environment: whether programs can open on this computer, or only the terminal can be used.

use crate::config::{AppSettings, Env, is_plain_terminal};
use crate::tui::platform::pager;
use crate::tui::prelude::*;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTerminal {
    pub desktop: Option<Desktop>,
    /// The user works over ssh, so this is not their own computer.
    pub ssh: bool,
    pub tmux: bool,
    pub term: String,
    /// See [`is_plain_terminal`].
    pub is_plain: bool,
    /// A shell command, from `VISUAL` or `EDITOR`.
    pub editor: Option<String>,
    /// A shell command, from `PAGER`.
    pub pager: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Desktop {
    Wayland,
    X11,
    Mac,
    Windows,
    /// Linux inside Windows. It can start Windows programs.
    Wsl,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppOptions {
    pub settings: AppSettings,
    pub host: HostTerminal,
    /// Without this file there are no saved filters.
    pub filters: Option<PathBuf>,
}

impl HostTerminal {
    /// The user's editor. Without one, `vi`, which most systems have.
    pub fn editor_command(&self) -> String {
        self.editor.clone().unwrap_or_else(|| "vi".to_owned())
    }

    /// The user's pager. Without one, `less` or `more`.
    pub fn pager_command(&self) -> String {
        pager::command(self.pager.as_deref())
    }

    pub fn of(env: &Env) -> Self {
        let has = |name: &str| env.raw(name).is_some();
        let desktop = if cfg!(target_os = "macos") {
            Some(Desktop::Mac)
        } else if cfg!(windows) {
            Some(Desktop::Windows)
        } else if has("WAYLAND_DISPLAY") {
            Some(Desktop::Wayland)
        } else if has("DISPLAY") {
            Some(Desktop::X11)
        } else if has("WSL_DISTRO_NAME") {
            Some(Desktop::Wsl)
        } else {
            None
        };
        let term = env.raw("TERM").map(|term| term.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            desktop,
            ssh: ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].into_iter().any(has),
            tmux: has("TMUX"),
            editor: ["VISUAL", "EDITOR"]
                .into_iter()
                .find_map(|name| env.raw(name))
                .map(|editor| editor.to_string_lossy().into_owned()),
            pager: env.raw("PAGER").map(|pager| pager.to_string_lossy().into_owned()),
            is_plain: is_plain_terminal(&term),
            term,
        }
    }

    /// tmux passes the sequence on if its `allow-passthrough` is on.
    pub fn wrapped(&self, sequence: &str) -> String {
        if self.tmux {
            format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
        } else {
            sequence.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(pairs: &[(&str, &str)]) -> HostTerminal {
        HostTerminal::of(&Env::of(pairs.iter().copied()))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_environment_tells_where_one_is() {
        assert_eq!(host(&[]), HostTerminal { is_plain: true, ..HostTerminal::default() });
        let here = host(&[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0"), ("TERM", "foot")]);
        assert_eq!((here.desktop, here.ssh, here.tmux), (Some(Desktop::Wayland), false, false));
        let there = host(&[("DISPLAY", "localhost:10.0"), ("SSH_CONNECTION", "1 2 3 4")]);
        assert_eq!((there.desktop, there.ssh), (Some(Desktop::X11), true));
        assert_eq!(host(&[("WSL_DISTRO_NAME", "Ubuntu")]).desktop, Some(Desktop::Wsl));
        assert!(!host(&[("TMUX", "")]).tmux && host(&[("TMUX", "/tmp/x,1,0")]).tmux);
    }

    #[test]
    fn every_escape_within_the_wrap_is_doubled() {
        let tmux = HostTerminal { tmux: true, ..HostTerminal::default() };
        assert_eq!(tmux.wrapped("\x1b]9;x\x1b\\"), "\x1bPtmux;\x1b\x1b]9;x\x1b\x1b\\\x1b\\");
        assert_eq!(HostTerminal::default().wrapped("\x1b]9;x\x1b\\"), "\x1b]9;x\x1b\\");
    }
}

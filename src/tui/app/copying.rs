//! Copying to the clipboard, and opening pictures in the browser.

use super::terminal_output::{CallPurpose, TerminalOutput};
use crate::tui::platform::clipboard::{self, ClipboardRoute, CopiedText, TMUX};
use crate::tui::platform::external::{Program, ProgramCall};
use crate::tui::platform::host::{AppOptions, Desktop};
use crate::tui::prelude::*;

impl TerminalOutput {
    pub(super) fn copy(&mut self, mut clip: CopiedText, effects: &mut Effects<'_>) {
        if let Cow::Owned(clean) = clipboard::clean(&clip.text) {
            clip.text = clean;
            clip.after.get_or_insert_with(|| {
                t!("It has invisible or invalid characters; placeholders replace them.").to_owned()
            });
        }
        let AppOptions { settings, host, .. } = &self.options;
        match ClipboardRoute::of(settings.clipboard, host) {
            _ if clip.text.is_empty() => {
                effects.say(t!("Nothing was copied. It is empty: {what}.", what = clip.what));
            }
            ClipboardRoute::Off => {
                say(
                    &clip,
                    t!("Nothing was copied: copying is off (clipboard = \"off\" in config.toml)."),
                    effects,
                );
            }
            ClipboardRoute::None => {
                say(&clip, t!("Nothing was copied: this terminal has no clipboard."), effects);
            }
            ClipboardRoute::Terminal => self.ask_terminal(&clip, effects),
            ClipboardRoute::Program { .. } if clip.text.len() > clipboard::LONGEST => {
                too_long(&clip, clipboard::LONGEST, effects);
            }
            ClipboardRoute::Program { programs, or_terminal } => {
                let request =
                    effects.request(Request::RunProgram(ClipboardRoute::call(&programs, &clip.text)));
                self.program_calls.insert(request, CallPurpose::Clip(clip, or_terminal));
            }
        }
    }

    fn ask_terminal(&mut self, clip: &CopiedText, effects: &mut Effects<'_>) {
        if clip.text.len() > clipboard::LONGEST_FOR_TERMINAL {
            too_long(clip, clipboard::LONGEST_FOR_TERMINAL, effects);
            return;
        }
        let sequence = clipboard::sequence(&clip.text, &self.options.host);
        self.say(&sequence);
        let text = t!("Sent to the terminal's clipboard: {what}. It may refuse silently.", what = clip.what);
        say(clip, &text, effects);
    }

    /// Opens the picture with this address in the browser.
    pub(super) fn open_picture(&mut self, link: Option<String>, effects: &mut Effects<'_>) {
        let Some(url) = link else {
            effects.say(t!("There is no picture here that a browser can open."));
            return;
        };
        let host = &self.options.host;
        let desktop = match host.desktop {
            _ if host.ssh => {
                return self.copy_link(url, t!("lapel cannot open your browser over ssh"), effects);
            }
            None => return self.copy_link(url, t!("There is no desktop to open a browser on"), effects),
            Some(desktop) => desktop,
        };
        effects.say(t!("Opening {url} in the browser.", url));
        let call = ProgramCall { programs: browsers(desktop, &url), input: None };
        let request = effects.request(Request::RunProgram(call));
        self.program_calls.insert(request, CallPurpose::Link(url));
    }

    /// Copies the address of a picture that cannot be opened here, and shows it.
    fn copy_link(&mut self, url: String, why: &str, effects: &mut Effects<'_>) {
        let (before, after) = (Some(format!("{why}.")), Some(url.clone()));
        self.copy(CopiedText { text: url, what: t!("link").to_owned(), before, after }, effects);
    }

    pub(super) fn handed(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Response::RanProgram(result) = reply.response else { return Err(reply) };
        match (self.program_calls.remove(&reply.id), result) {
            (Some(CallPurpose::Clip(clip, _)), Ok(TMUX)) => {
                let text = t!(
                    "Copied to tmux: {what}. Use its paste key, or the clipboard if your terminal allows it.",
                    what = clip.what
                );
                say(&clip, &text, effects);
            }
            (Some(CallPurpose::Clip(clip, _)), Ok(_)) => {
                say(&clip, &t!("Copied: {what}.", what = clip.what), effects);
            }
            (Some(CallPurpose::Clip(clip, true)), Err(_)) => self.ask_terminal(&clip, effects),
            (Some(CallPurpose::Clip(clip, false)), Err(why)) => {
                effects.warn(t!("Not copied ({what}): {why}.", what = clip.what, why));
            }
            (Some(CallPurpose::Link(url)), Err(why)) => {
                self.copy_link(url, &t!("lapel could not open the browser ({why})", why), effects);
            }
            (Some(CallPurpose::Link(url)), Ok(program)) => {
                effects.say(t!("Opened with {program}: {url}", program, url));
            }
            (None, _) => {}
        }
        Ok(())
    }
}

fn say(clip: &CopiedText, text: &str, effects: &mut Effects<'_>) {
    let parts = [clip.before.as_deref(), Some(text), clip.after.as_deref()];
    effects.say(parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
}

fn too_long(clip: &CopiedText, most: usize, effects: &mut Effects<'_>) {
    effects.warn(t!("Too long for the clipboard ({what}): {clip} bytes, at most {most}. Nothing was copied. Mark or filter fewer rows.", what = clip.what, clip = number(clip.text.len() as u64), most = number(most as u64)));
}

/// Programs that open a URL. Each takes it as one argument, without a shell.
fn browsers(desktop: Desktop, url: &str) -> Vec<Program> {
    match desktop {
        Desktop::Wayland | Desktop::X11 => {
            vec![Program::new("xdg-open", &[url]), Program::new("gio", &["open", url])]
        }
        Desktop::Mac => vec![Program::new("open", &[url])],
        Desktop::Windows => vec![Program::new("rundll32.exe", &["url.dll,FileProtocolHandler", url])],
        Desktop::Wsl => vec![
            Program::new("wslview", &[url]),
            Program::new("rundll32.exe", &["url.dll,FileProtocolHandler", url]),
        ],
    }
}

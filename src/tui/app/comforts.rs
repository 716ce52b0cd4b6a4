//! Copying, opening pictures, automatic refresh, notifications and the language.

use super::{App, Tab};
use crate::config::RefreshChoice;
use crate::domain::text::scrub;
use crate::i18n::{self, Language};
use crate::jobs::Job;
use crate::tui::effects::{Effects, Navigate, Owner};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::json_view::JsonView;
use crate::tui::modals::menu::Menu;
use crate::tui::modals::question::Question;
use crate::tui::modals::request_log::RequestLog;
use crate::tui::platform::clipboard::{self, Clip, Road, TMUX};
use crate::tui::platform::external::{Handing, Program};
use crate::tui::platform::host::{Desktop, Manner};
use crate::tui::platform::notifications::Notices;
use crate::tui::platform::pager;
use crate::tui::refresh::{Refresh, has_failed};
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::text_layout::number;
use std::borrow::Cow;
use std::collections::HashMap;
use tokio::time::Instant;

#[derive(Default)]
pub(in crate::tui) struct Comforts {
    pub(super) manner: Manner,
    pub(in crate::tui) refresh: Refresh,
    notices: Notices,
    /// Terminal output that is not a frame.
    spoken: String,
    /// The window title that the terminal has from lapel. Empty: not known.
    titled: String,
    /// Requests to external programs without an answer yet.
    handing: HashMap<RequestId, Handed>,
}

/// Data passed to an external program.
enum Handed {
    /// A text for the clipboard, and whether to try the terminal when no program takes it.
    Clip(Clip, bool),
    /// The address of a picture, for a browser.
    Link(String),
}

impl Comforts {
    /// Forgets requests of an old connection. Nobody will answer them.
    pub(super) fn reset(&mut self) {
        self.refresh.forget();
        self.handing.clear();
    }

    /// Notifies the user of a change of a job, if needed.
    pub(super) fn job(&mut self, before: Option<&Job>, job: &Job) {
        if let Some(sequence) = self.notices.of(before, job, &self.manner, Instant::now()) {
            self.spoken.push_str(&sequence);
        }
    }
}

impl App {
    pub fn set_manner(&mut self, manner: Manner) {
        self.comforts.refresh.choose(manner.settings.refresh, Instant::now());
        self.comforts.manner = manner;
        self.read_saved();
    }

    /// The user's editor. Without one, `vi`, which most systems have.
    pub fn editor(&self) -> String {
        self.comforts.manner.around.editor.clone().unwrap_or_else(|| "vi".to_owned())
    }

    /// The user's pager. Without one, `less` or `more`.
    pub fn pager(&self) -> String {
        pager::command(self.comforts.manner.around.pager.as_deref())
    }

    /// Takes the terminal output that is not a frame: clipboard, bell, notifications.
    pub fn take_spoken(&mut self) -> String {
        std::mem::take(&mut self.comforts.spoken)
    }

    /// Takes the sequence for a new window title: the screen, the environment and the profile, and no person. `None`
    /// if the title is still right, or the terminal has none.
    pub fn take_title(&mut self) -> Option<String> {
        // Otherwise no frame follows.
        if !self.changed || self.comforts.manner.around.is_plain() {
            return None;
        }
        let mut parts = vec!["lapel".to_owned()];
        if self.welcome.is_none() {
            parts.extend(
                Tab::ALL
                    .iter()
                    .filter(|(tab, _)| *tab == self.tab)
                    .map(|(_, name)| i18n::tr(name).to_owned()),
            );
        }
        if let Some(session) = &self.env.session {
            parts.push(format!("{} {}", session.environment, scrub(&session.name)));
        }
        let title = parts.join(&format!(" {} ", self.env.glyphs.dot));
        if title == self.comforts.titled {
            return None;
        }
        self.comforts.titled.clone_from(&title);
        Some(format!("\x1b]0;{title}\x1b\\"))
    }

    /// Forgets the window title that was set: the terminal may have another one now.
    pub(super) fn forget_title(&mut self) {
        self.comforts.titled.clear();
    }

    /// Runs an action that works on every tab. Returns false for other actions.
    pub(super) fn comfort(&mut self, action: Action, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Copy => match Menu::of_copies(self.screen().copyables(&self.env)) {
                Some(menu) => self.open(menu),
                None => out.say(t!("There is nothing here to copy.")),
            },
            Action::OpenPicture => self.open_picture(out),
            Action::Raw => {
                let records = self.screen().records();
                if records.is_empty() {
                    out.say(t!("There is no service record here."));
                } else {
                    out.open_some(|_, out| JsonView::new(records, out));
                }
            }
            Action::RequestLog => {
                out.open(RequestLog::new);
            }
            Action::AutoRefresh => self.switch_refresh(out),
            Action::ForgetRecent => self.open(Question::new(
                t!("Forget recent look-ups, file names and unfinished input of this profile?"),
                vec![t!("This cannot be undone. Nothing changes at the service.").to_owned()],
                |out| out.go.push(Navigate::ForgetRecents),
            )),
            Action::Language => switch_language(out),
            _ => return false,
        }
        true
    }

    /// Starts to copy a text, and shows what is known about the result.
    pub(super) fn copy(&mut self, mut clip: Clip, out: &mut Effects<'_>) {
        if let Cow::Owned(clean) = clipboard::clean(&clip.text) {
            clip.text = clean;
            clip.after.get_or_insert_with(|| {
                t!("It has invisible or invalid characters; placeholders replace them.").to_owned()
            });
        }
        let Manner { settings, around, .. } = &self.comforts.manner;
        let road = Road::of(settings.clipboard, around);
        match road {
            _ if clip.text.is_empty() => {
                out.say(t!("{what} is empty. Nothing was copied.", what = begun(&clip.what)));
            }
            Road::Off => {
                say(
                    &clip,
                    t!("Nothing was copied: copying is off (clipboard = \"off\" in config.toml)."),
                    out,
                );
            }
            Road::None => {
                say(&clip, t!("Nothing was copied: this terminal has no clipboard."), out);
            }
            _ if clip.text.len() > road.longest() => too_long(&clip, road.longest(), out),
            Road::Terminal => self.ask_terminal(&clip, out),
            Road::Program { programs, or_terminal } => {
                let request = out.ask(Request::Hand(Road::handing(&programs, &clip.text)));
                self.comforts.handing.insert(request, Handed::Clip(clip, or_terminal));
            }
        }
    }

    fn ask_terminal(&mut self, clip: &Clip, out: &mut Effects<'_>) {
        if clip.text.len() > clipboard::LONGEST_FOR_TERMINAL {
            too_long(clip, clipboard::LONGEST_FOR_TERMINAL, out);
            return;
        }
        let sequence = clipboard::sequence(&clip.text, &self.comforts.manner.around);
        self.comforts.spoken.push_str(&sequence);
        let text = t!(
            "Sent {what} to the terminal's clipboard; some terminals refuse without a message.",
            what = clip.what
        );
        say(clip, &text, out);
    }

    fn open_picture(&mut self, out: &mut Effects<'_>) {
        let Some(url) = self.screen().copyables(&self.env).link else {
            out.say(t!("There is no picture here that a browser can open."));
            return;
        };
        let around = &self.comforts.manner.around;
        let instead = match around.desktop {
            _ if around.ssh => Some(t!("lapel cannot open your browser over ssh")),
            None => Some(t!("There is no desktop to open a browser on")),
            Some(_) => None,
        };
        match (instead, around.desktop) {
            (None, Some(desktop)) => {
                out.say(t!("Opening {url} in the browser.", url));
                let handing = Handing { programs: browsers(desktop, &url), input: None };
                let request = out.ask(Request::Hand(handing));
                self.comforts.handing.insert(request, Handed::Link(url));
            }
            (why, _) => self.copy_link(url, why.unwrap_or_default(), out),
        }
    }

    /// Copies the address of a picture that cannot be opened here, and shows it.
    fn copy_link(&mut self, url: String, why: &str, out: &mut Effects<'_>) {
        let (before, after) = (Some(format!("{why}.")), Some(url.clone()));
        self.copy(Clip { text: url, what: t!("the link").to_owned(), before, after }, out);
    }

    /// Handles the response of an external program, or returns a response to another request.
    pub(super) fn handed(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Response::Handed(result) = answer else { return Err(answer) };
        match (self.comforts.handing.remove(&request), result) {
            (Some(Handed::Clip(clip, _)), Ok(TMUX)) => {
                let text = t!(
                    "Copied {what} to tmux. Use its paste key, or the clipboard if your terminal allows it.",
                    what = clip.what
                );
                say(&clip, &text, out);
            }
            (Some(Handed::Clip(clip, _)), Ok(_)) => say(&clip, &t!("Copied {what}.", what = clip.what), out),
            (Some(Handed::Clip(clip, true)), Err(_)) => self.ask_terminal(&clip, out),
            (Some(Handed::Clip(clip, false)), Err(why)) => {
                out.warn(t!("{what} was not copied: {why}.", what = begun(&clip.what), why));
            }
            (Some(Handed::Link(url)), Err(why)) => {
                self.copy_link(url, &t!("lapel could not open the browser ({why})", why), out);
            }
            (Some(Handed::Link(url)), Ok(program)) => {
                out.say(t!("Opened with {program}: {url}", program, url));
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn switch_refresh(&mut self, out: &mut Effects<'_>) {
        let choice = self.comforts.refresh.choice().next();
        self.comforts.refresh.choose(choice, Instant::now());
        out.say(match choice {
            RefreshChoice::Off => t!("Auto refresh is off.").to_owned(),
            _ => {
                t!("lapel refreshes the screen {every}, in the background.", every = every(choice))
            }
        });
    }

    /// The refresh interval, for the right of the line below the header, and whether the last refresh failed.
    pub(in crate::tui) fn refresh_words(&self) -> Option<(String, bool)> {
        let refresh = &self.comforts.refresh;
        refresh.choice().every()?;
        if self.tab == Tab::Activity {
            // Jobs have their own poll schedule.
            return None;
        }
        Some(match (refresh.failures(), refresh.wait()) {
            (0, _) | (_, None) => (t!("refresh {every}", every = every(refresh.choice())), false),
            (_, Some(wait)) => {
                (t!("refresh failed; next try in {minutes} min", minutes = wait.as_secs().div_ceil(60)), true)
            }
        })
    }

    /// The time of the next automatic refresh. There is none while it is off, a modal is open, the user
    /// types, or a request is pending.
    pub(super) fn refresh_due(&self) -> Option<Instant> {
        let free = self.welcome.is_none()
            && self.env.reader.is_some()
            && self.modals.is_empty()
            && self.connection.pending.is_empty()
            && self.tab != Tab::Activity
            && self.fits()
            && self.screen().key_contexts().contains(&Context::Global);
        self.comforts.refresh.due().filter(|_| free)
    }

    /// Refreshes the screen if a refresh is due. The requests are background requests.
    pub(super) fn refresh(&mut self, out: &mut Effects<'_>) {
        let now = Instant::now();
        if self.refresh_due().is_none() || !self.comforts.refresh.is_due(now) {
            return;
        }
        if self.env.link.as_ref().is_some_and(|link| link.held_until.is_some()) {
            self.comforts.refresh.held(now);
            self.changed = true;
            return;
        }
        out.quiet = true;
        let (tab, env) = (self.tab, &self.env);
        out.owned_by(Owner::Screen(tab), |out| self.screens.of_mut(tab).refresh(env, out));
    }

    /// Whether a response is a failed automatic refresh. If so, the screen keeps its content.
    pub(super) fn is_quiet_failure(
        &mut self,
        (request, owner): (RequestId, Owner),
        answer: &Response,
        out: &mut Effects<'_>,
    ) -> bool {
        if !self.comforts.refresh.takes(request, answer, Instant::now()) {
            return false;
        }
        // Requests that follow from it are background requests too.
        out.quiet = true;
        if !has_failed(answer) || matches!(answer, Response::Templates(_) | Response::History(_)) {
            return false;
        }
        if let Owner::Screen(tab) = owner {
            self.screens.of_mut(tab).give_up(request);
        }
        self.changed = true;
        true
    }
}

/// Switches the language. A notice on the screen stays in the old language.
fn switch_language(out: &mut Effects<'_>) {
    let all = Language::ALL;
    let now = all.iter().position(|language| *language == i18n::language()).unwrap_or_default();
    let next = all[(now + 1) % all.len()];
    i18n::set_language(next);
    out.say(t!(
        "lapel uses {name} until it closes. To keep it, set language = \"{setting}\" in config.toml.",
        name = next.name(),
        setting = next.code()
    ));
}

fn every(choice: RefreshChoice) -> &'static str {
    match choice {
        RefreshChoice::Off => t!("never"),
        RefreshChoice::HalfMinute => t!("every 30 s"),
        RefreshChoice::TwoMinutes => t!("every 2 min"),
    }
}

/// Shows the result of copying, with the clip's sentences before and after it.
fn say(clip: &Clip, text: &str, out: &mut Effects<'_>) {
    let parts = [clip.before.as_deref(), Some(text), clip.after.as_deref()];
    out.say(parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
}

fn too_long(clip: &Clip, most: usize, out: &mut Effects<'_>) {
    out.warn(t!("{what} is too long for the clipboard: {clip} bytes, at most {most}. Nothing was copied. Mark or filter fewer rows.", what = begun(&clip.what), clip = number(clip.text.len() as u64), most = number(most as u64)));
}

fn begun(what: &str) -> String {
    let mut chars = what.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
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

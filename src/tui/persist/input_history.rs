//! What was looked up earlier, offered again: the newest first.
//!
//! It holds names and addresses. So it is kept per profile, in a file that only its owner may read, never more
//! than [`MOST`] of a kind; a demo keeps it in memory only, and `recent = false` keeps nothing and takes the file
//! away. A key that was pasted into the wrong box is not among it.

use crate::config::recent_file;
use crate::disk;
use crate::domain::text::scrub;
use crate::secrets::{Likeness, judge};
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::RequestId;
use crate::tui::widgets::field::Recent;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::fit;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What is kept of a kind, at most.
pub const MOST: usize = 50;
/// The longest text that is kept, in characters.
const LONGEST: usize = 300;
/// A file larger than this is none of lapel's.
const LARGEST: u64 = 1 << 18;
/// Lines that are shown of it, at most.
const LISTED: usize = 10;
/// Lines of it in a form, which has other things to show.
const OFFERED: usize = 3;

/// Where something was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Into the box of the Wallet tab.
    LookUp,
    /// Into the box of the Badge tab.
    Badge,
    /// As the name of a file of badge ids.
    IdsFile,
    /// As the name of a file that a list is written into.
    Export,
}

/// What was typed, by where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lists {
    look_ups: Vec<String>,
    badges: Vec<String>,
    ids_files: Vec<String>,
    exports: Vec<String>,
}

impl Lists {
    fn of(&self, typed: Typed) -> &Vec<String> {
        match typed {
            Typed::LookUp => &self.look_ups,
            Typed::Badge => &self.badges,
            Typed::IdsFile => &self.ids_files,
            Typed::Export => &self.exports,
        }
    }

    fn of_mut(&mut self, typed: Typed) -> &mut Vec<String> {
        match typed {
            Typed::LookUp => &mut self.look_ups,
            Typed::Badge => &mut self.badges,
            Typed::IdsFile => &mut self.ids_files,
            Typed::Export => &mut self.exports,
        }
    }

    fn len(&self) -> usize {
        self.look_ups.len() + self.badges.len() + self.ids_files.len() + self.exports.len()
    }

    fn put(&mut self, typed: Typed, text: &str) {
        let list = self.of_mut(typed);
        list.retain(|old| old != text);
        list.insert(0, text.to_owned());
        list.truncate(MOST);
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::Typed(typed, text) => self.put(*typed, text),
            Change::Forget => *self = Self::default(),
        }
    }

    /// Without what no lapel has written.
    fn mended(mut self) -> Self {
        for typed in [Typed::LookUp, Typed::Badge, Typed::IdsFile, Typed::Export] {
            let list = self.of_mut(typed);
            let mut seen = std::collections::HashSet::new();
            list.retain(|text| is_fit(text) && seen.insert(text.clone()));
            list.truncate(MOST);
        }
        self
    }
}

/// Whether a text can be offered again. What may be a key is not.
fn is_fit(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= LONGEST
        && !text.chars().any(char::is_control)
        && judge(text) == Likeness::None
}

/// What is to become of what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// This was typed.
    Typed(Typed, String),
    /// All of it goes, and the file.
    Forget,
}

/// Something to do with the file; without a change it is only read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentsAsk {
    path: PathBuf,
    changes: Vec<Change>,
}

/// What there is, at the desk.
#[derive(Debug, Default)]
pub struct Recents {
    lists: Lists,
    /// Whether anything is kept at all.
    keeps: bool,
    /// Without one it lives as long as the connection.
    path: Option<PathBuf>,
    /// What the file does not have yet.
    pending: Vec<Change>,
    /// One question at a time: what was typed later must not be overtaken.
    asked: Option<RequestId>,
}

impl Recents {
    /// Of a profile, whose file is in a folder; `keeps`: unless nothing is to be kept, when the file goes.
    pub fn of(folder: Option<&Path>, profile: &str, keeps: bool) -> Self {
        let path = folder.map(|folder| recent_file(folder, profile));
        let pending = if keeps { Vec::new() } else { vec![Change::Forget] };
        Self { keeps, path, pending, ..Self::default() }
    }

    /// What was typed there, the newest first.
    pub fn list(&self, typed: Typed) -> &[String] {
        self.lists.of(typed)
    }

    /// The first question: what the file holds.
    pub fn first(&mut self, ask: impl FnOnce(RecentsAsk) -> RequestId) {
        if let Some(path) = &self.path {
            let changes = std::mem::take(&mut self.pending);
            self.asked = Some(ask(RecentsAsk { path: path.clone(), changes }));
        }
    }

    /// Takes what was typed, unless it may be a key or nothing is kept.
    pub fn note(&mut self, typed: Typed, text: &str) {
        let text = text.trim();
        if !self.keeps || !is_fit(text) {
            return;
        }
        self.lists.put(typed, text);
        self.later(Change::Typed(typed, text.to_owned()));
    }

    /// Forgets everything; how many there were.
    pub fn forget(&mut self) -> u64 {
        let forgotten = self.lists.len() as u64;
        self.lists = Lists::default();
        self.pending.clear();
        self.later(Change::Forget);
        forgotten
    }

    fn later(&mut self, change: Change) {
        if self.path.is_some() {
            self.pending.push(change);
        }
    }

    /// Hands out what the file does not have yet, once the question before is answered.
    pub fn hand_out(&mut self, ask: impl FnOnce(RecentsAsk) -> RequestId) {
        if self.asked.is_none() && !self.pending.is_empty() {
            self.first(ask);
        }
    }

    /// Takes what the file holds now. Why it could not be done is given on once: from then on it is kept in memory
    /// only.
    pub fn on_response(&mut self, ticket: RequestId, answer: Result<Lists, String>) -> Option<String> {
        if self.asked != Some(ticket) {
            return None;
        }
        self.asked = None;
        match answer {
            Ok(mut lists) => {
                for change in &self.pending {
                    lists.take(change);
                }
                self.lists = if self.keeps { lists } else { Lists::default() };
                None
            }
            Err(why) => {
                self.path = None;
                self.pending.clear();
                Some(why)
            }
        }
    }
}

/// Reads the file and changes it. One that is damaged counts as empty: it holds nothing that cannot be typed
/// again. Another lapel's changes are kept.
///
/// # Errors
/// Why it was not read, written or removed, in words.
pub fn run(ask: &RecentsAsk) -> Result<Lists, String> {
    let RecentsAsk { path, changes } = ask;
    let cannot = |why: std::io::Error| {
        let path = scrub(&path.to_string_lossy()).into_owned();
        t!("lapel cannot save recent look-ups to {path}: {why}. It offers them until it ends.", path, why)
    };
    if changes.contains(&Change::Forget) {
        match std::fs::remove_file(path) {
            Ok(()) => {}
            Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(why) => return Err(cannot(why)),
        }
    }
    let mut lists = read(path);
    for change in changes {
        lists.take(change);
    }
    if changes.iter().any(|change| matches!(change, Change::Typed(..))) && lists.len() > 0 {
        let text = serde_json::to_string(&lists).unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new("."));
        disk::create_private_dir(folder)
            .and_then(|()| disk::replace(path, text.as_bytes()))
            .and_then(|()| disk::make_private(path))
            .map_err(cannot)?;
    }
    Ok(lists)
}

fn read(path: &Path) -> Lists {
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
    let mut text = String::new();
    if !is_file || File::open(path).and_then(|f| f.take(LARGEST).read_to_string(&mut text)).is_err() {
        return Lists::default();
    }
    serde_json::from_str::<Lists>(&text).unwrap_or_default().mended()
}

/// Lines that offer what was typed earlier, at most `most` of them; `chosen` is the one in the field.
pub fn lines(
    all: &[String],
    chosen: Option<usize>,
    room: usize,
    most: usize,
    env: &Env,
) -> Vec<Line<'static>> {
    let top = chosen.map_or(0, |at| (at + 1).saturating_sub(most));
    all.iter()
        .enumerate()
        .skip(top)
        .take(most)
        .map(|(at, text)| {
            let is_chosen = chosen == Some(at);
            let style = if is_chosen { env.theme.strong() } else { env.theme.dim() };
            Line::from(vec![
                Span::styled(if is_chosen { env.glyphs.cursor } else { " " }, env.theme.accent()),
                Span::raw(" "),
                Span::styled(fit(&scrub(text), room.saturating_sub(2), env.glyphs.ellipsis), style),
            ])
        })
        .collect()
}

/// The same for a form, below a field: while nothing is typed, or one of them stands in it.
pub fn offered(recent: &Recent, typed: &str, indent: usize, room: usize, env: &Env) -> Vec<Line<'static>> {
    if !typed.is_empty() && recent.at().is_none() {
        return Vec::new();
    }
    let mut offered = lines(recent.all(), recent.at(), room.saturating_sub(indent), OFFERED, env);
    for line in &mut offered {
        line.spans.insert(0, Span::raw(" ".repeat(indent)));
    }
    offered
}

/// Draws them below a field, under a line that says what they are.
pub fn draw(
    all: &[String],
    chosen: Option<usize>,
    title: &str,
    frame: &mut Frame<'_>,
    area: Rect,
    env: &Env,
) {
    let most = usize::from(area.height).saturating_sub(1).min(LISTED);
    if all.is_empty() || most == 0 {
        return;
    }
    let key = env.keymap.key(&[Context::LookUp], Action::Earlier).unwrap_or_default();
    let mut text = vec![Line::from(vec![
        Span::styled(format!("  {title}  "), env.theme.dim()),
        Span::styled(key, env.theme.key()),
    ])];
    let room = usize::from(area.width).saturating_sub(4);
    for mut line in lines(all, chosen, room, most, env) {
        line.spans.insert(0, Span::raw("  "));
        text.push(line);
    }
    frame.render_widget(ratatui::text::Text::from(text), area);
}

#[cfg(test)]
mod tests;

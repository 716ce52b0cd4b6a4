//! Recent inputs, offered again with the newest first, and the unfinished input of forms.
//!
//! They contain names and addresses, so lapel keeps them per profile, in a file that only its owner may read, at
//! most [`MOST`] of each kind. A demo keeps them in memory only. `recent = false` keeps nothing and removes the
//! file. Text that may be an API key is never kept.

use crate::config::recent_file;
use crate::jobs::{self, forget_templates, known_templates, remember_templates};
use crate::tui::persist::unfinished::{self, Typing};
use crate::tui::prelude::*;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;

/// Of each kind.
pub const MOST: usize = 50;
/// Longest entry, in characters.
const LONGEST: usize = 300;
/// The ending of the file of templates, as in [`crate::config::templates_file`].
const TEMPLATES: &str = "templates";
/// Largest file that lapel reads and writes, in bytes.
const LARGEST: u64 = 1 << 22;
const LISTED: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputKind {
    #[default]
    LookUp,
    /// The look-up box of the Badge tab.
    Badge,
    IdsFile,
    Export,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lists {
    look_ups: Vec<String>,
    badges: Vec<String>,
    ids_files: Vec<String>,
    exports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unfinished: Vec<FormInput>,
    /// The templates that were read last. They have a file of their own, which the completion of a command line reads.
    #[serde(skip)]
    templates: Vec<jobs::RecentEntry>,
}

impl Lists {
    fn of(&self, typed: InputKind) -> &Vec<String> {
        match typed {
            InputKind::LookUp => &self.look_ups,
            InputKind::Badge => &self.badges,
            InputKind::IdsFile => &self.ids_files,
            InputKind::Export => &self.exports,
        }
    }

    fn of_mut(&mut self, typed: InputKind) -> &mut Vec<String> {
        match typed {
            InputKind::LookUp => &mut self.look_ups,
            InputKind::Badge => &mut self.badges,
            InputKind::IdsFile => &mut self.ids_files,
            InputKind::Export => &mut self.exports,
        }
    }

    fn len(&self) -> usize {
        self.look_ups.len()
            + self.badges.len()
            + self.ids_files.len()
            + self.exports.len()
            + self.unfinished.len()
    }

    fn put(&mut self, typed: InputKind, text: &str) {
        let list = self.of_mut(typed);
        list.retain(|old| old != text);
        list.insert(0, text.to_owned());
        list.truncate(MOST);
    }

    fn take(&mut self, change: &InputChange) {
        match change {
            InputChange::Typed(typed, text) => self.put(*typed, text),
            InputChange::Form(input) => unfinished::put(&mut self.unfinished, input),
            InputChange::Templates(read) => {
                self.templates = jobs::with_read_templates(&self.templates, read);
            }
            InputChange::Forget => *self = Self::default(),
        }
    }

    /// Removes entries that lapel does not write.
    fn mended(mut self) -> Self {
        for typed in [InputKind::LookUp, InputKind::Badge, InputKind::IdsFile, InputKind::Export] {
            let list = self.of_mut(typed);
            let mut seen = HashSet::new();
            list.retain(|text| is_fit(text) && seen.insert(text.clone()));
            list.truncate(MOST);
        }
        self.unfinished.retain(|input| input.texts.iter().all(|text| judge(text) == Likeness::None));
        self
    }

    /// The oldest unfinished input goes if the text would be too large.
    fn into_json(mut self) -> String {
        loop {
            let text = serde_json::to_string(&self).unwrap_or_default();
            if text.len() as u64 <= LARGEST || self.unfinished.pop().is_none() {
                return text;
            }
        }
    }
}

/// Whether a text can be offered again. A text that may be an API key cannot.
fn is_fit(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= LONGEST
        && !text.chars().any(char::is_control)
        && judge(text) == Likeness::None
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputChange {
    Typed(InputKind, String),
    /// The input of a form. Without texts: it was sent or cleared.
    Form(FormInput),
    Templates(Vec<jobs::RecentEntry>),
    Forget,
}

/// A request for the file. Without changes it only reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentsRequest {
    path: PathBuf,
    changes: Vec<InputChange>,
    /// Days after which unfinished input goes.
    keep_days: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Recents {
    lists: Lists,
    keeps: bool,
    /// Without a path, the entries last as long as the connection.
    path: Option<PathBuf>,
    keep_days: Option<u32>,
    pending: Vec<InputChange>,
    /// The running request with its changes. Only one runs, so that changes stay in order.
    asked: Option<(RequestId, Vec<InputChange>)>,
    typing: Typing,
}

impl Recents {
    /// The recent inputs of a profile. If `keeps` is false, nothing is kept and the file is removed.
    pub fn of(folder: Option<&Path>, profile: &str, keeps: bool) -> Self {
        let path = folder.map(|folder| recent_file(folder, profile));
        let pending = if keeps { Vec::new() } else { vec![InputChange::Forget] };
        Self { keeps, path, pending, ..Self::default() }
    }

    #[must_use]
    pub fn for_days(self, keep_days: Option<u32>) -> Self {
        Self { keep_days, ..self }
    }

    pub fn list(&self, typed: InputKind) -> &[String] {
        self.lists.of(typed)
    }

    /// Also requests the file's content.
    pub fn first(&mut self, ask: impl FnOnce(RecentsRequest) -> RequestId) {
        if let Some(path) = self.path.clone() {
            let changes = std::mem::take(&mut self.pending);
            let request = ask(RecentsRequest { path, changes: changes.clone(), keep_days: self.keep_days });
            self.asked = Some((request, changes));
        }
    }

    /// The changes that may not be in the file at the end of the program.
    pub fn rest(&self) -> Option<RecentsRequest> {
        let asked = self.asked.iter().flat_map(|(_, changes)| changes);
        let changes: Vec<InputChange> = asked.chain(&self.pending).cloned().collect();
        let path = self.path.clone().filter(|_| !changes.is_empty())?;
        Some(RecentsRequest { path, changes, keep_days: self.keep_days })
    }

    /// Takes the input of the open forms, and keeps that of forms which closed. Returns false if it does not keep one of
    /// their texts, which may be an API key.
    pub fn watch(&mut self, open: &[FormInput]) -> bool {
        let closed = self.typing.take(open, &self.lists.unfinished);
        let is_whole = !closed.iter().any(|input| input.lacks_a_text);
        self.keep(closed);
        is_whole
    }

    /// Keeps the input of open forms: if it is time, or the user is about to leave.
    pub fn pause(&mut self, leaves: bool) {
        let typed = self.typing.take_to_write(leaves);
        self.keep(typed);
    }

    /// When to call [`Recents::pause`].
    pub fn due(&self) -> Option<Instant> {
        self.typing.due
    }

    fn keep(&mut self, inputs: Vec<FormInput>) {
        for input in inputs {
            unfinished::put(&mut self.lists.unfinished, &input);
            self.later(InputChange::Form(input));
        }
    }

    pub fn unfinished(&self, form: &FormInput) -> Option<&[String]> {
        let kept = self.lists.unfinished.iter().find(|kept| kept.is_of_same_form(form));
        kept.map(|kept| kept.texts.as_slice())
    }

    pub fn note(&mut self, typed: InputKind, text: &str) {
        let text = text.trim();
        if !self.keeps || !is_fit(text) {
            return;
        }
        self.lists.put(typed, text);
        self.later(InputChange::Typed(typed, text.to_owned()));
    }

    pub fn read_templates(&mut self, response: &Response) {
        let Response::Templates(Ok(page)) = response else { return };
        let read = page.items.iter().map(|(_, one)| jobs::RecentEntry {
            id: one.template_id.wire().to_owned(),
            title: one.title.as_ref().map_or_else(String::new, |title| title.wire().to_owned()),
        });
        let read: Vec<jobs::RecentEntry> = read.collect();
        // A list that is read again and again is written once.
        if self.keeps && !self.lists.templates.starts_with(&read) {
            let change = InputChange::Templates(read);
            self.lists.take(&change);
            self.later(change);
        }
    }

    /// The templates that were read last, also by an earlier run.
    pub fn templates(&self) -> &[jobs::RecentEntry] {
        &self.lists.templates
    }

    /// Returns the number of forgotten entries.
    pub fn forget(&mut self) -> u64 {
        let forgotten = self.lists.len() as u64;
        self.lists = Lists::default();
        self.typing = Typing::default();
        self.pending.clear();
        self.later(InputChange::Forget);
        forgotten
    }

    fn later(&mut self, change: InputChange) {
        if self.keeps && self.path.is_some() {
            self.pending.push(change);
        }
    }

    /// Sends the pending changes once the running request is answered.
    pub fn hand_out(&mut self, ask: impl FnOnce(RecentsRequest) -> RequestId) {
        if self.asked.is_none() && !self.pending.is_empty() {
            self.first(ask);
        }
    }

    /// Takes the file's content. Returns an error text once; after an error the entries stay in memory only.
    pub fn on_response(&mut self, request: RequestId, response: Result<Lists, String>) -> Option<String> {
        self.asked.take_if(|(asked, _)| *asked == request)?;
        match response {
            Ok(mut lists) => {
                for change in &self.pending {
                    lists.take(change);
                }
                // If `keeps` is off, unfinished input still lasts as long as the program.
                if self.keeps {
                    self.lists = lists;
                }
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

/// Reads and changes the file. A damaged file counts as empty: its texts can be typed again. Changes by another
/// running lapel are kept.
pub fn run(ask: &RecentsRequest) -> Result<Lists, String> {
    let RecentsRequest { path, changes, keep_days } = ask;
    let cannot = |why: std::io::Error| {
        let path = scrub(&path.to_string_lossy()).into_owned();
        t!(
            "lapel cannot save recent look-ups to {path}: {why}. It offers them until it ends.",
            path,
            why = io_error::words(&why)
        )
    };
    let templates = path.with_extension(TEMPLATES);
    if changes.contains(&InputChange::Forget) {
        forget_templates(&templates, None).map_err(cannot)?;
        fs::remove(path).map_err(cannot)?;
    }
    let mut lists = read(path);
    lists.templates = known_templates(&templates);
    let all = lists.len();
    lists.unfinished.retain(|input| keep_days.is_none_or(|days| !input.is_older(days)));
    let is_shorter = lists.len() < all;
    for change in changes {
        lists.take(change);
        if let InputChange::Templates(read) = change {
            remember_templates(&templates, read).map_err(cannot)?;
        }
    }
    if is_shorter
        || changes.iter().any(|change| matches!(change, InputChange::Typed(..) | InputChange::Form(_)))
    {
        let text = lists.clone().into_json();
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_private_dir(folder)
            .and_then(|()| fs::replace_private(path, text.as_bytes()))
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

pub fn lines(
    all: &[String],
    chosen: Option<usize>,
    room: usize,
    most: usize,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let top = chosen.map_or(0, |at| (at + 1).saturating_sub(most));
    all.iter()
        .enumerate()
        .skip(top)
        .take(most)
        .map(|(at, text)| {
            let is_chosen = chosen == Some(at);
            let style = if is_chosen { cx.theme.strong() } else { cx.theme.dim() };
            Line::from(vec![
                cx.cursor(is_chosen),
                Span::raw(" "),
                Span::styled(fit(&scrub(text), room.saturating_sub(2), cx.glyphs.ellipsis), style),
            ])
        })
        .collect()
}

pub fn draw(
    all: &[String],
    chosen: Option<usize>,
    title: &str,
    frame: &mut Frame<'_>,
    area: Rect,
    cx: &UiContext,
) {
    let most = usize::from(area.height).saturating_sub(1).min(LISTED);
    if all.is_empty() || most == 0 {
        return;
    }
    let key = cx.keymap.key(&[KeyContext::LookUp], Action::Earlier).unwrap_or_default();
    let mut text = vec![Line::from(vec![
        Span::styled(format!("  {title}  "), cx.theme.dim()),
        Span::styled(key, cx.theme.key()),
    ])];
    let room = usize::from(area.width).saturating_sub(4);
    for mut line in lines(all, chosen, room, most, cx) {
        line.spans.insert(0, Span::raw("  "));
        text.push(line);
    }
    frame.render_widget(text, area);
}

#[cfg(test)]
mod tests;

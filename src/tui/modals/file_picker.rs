//! Chooses a file: recent files first, then the folder, with a preview of the selected file. Typing narrows.

use crate::tui::input::list_hit::out_of_sight;
use crate::tui::input::paths;
use crate::tui::modals::palette::search::PaletteSearch;
use crate::tui::platform::file_preview::FilePreview;
use crate::tui::prelude::*;
use crate::tui::widgets::form::wrapped;
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::text_layout::fit_path;
use std::cmp::Reverse;

const WIDEST: u16 = 110;
/// Maximum number of lines for the path of the selected file, where the list cuts it.
const PATH_LINES: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
struct FileEntry {
    /// A folder ends in a slash.
    path: String,
    shown: String,
    is_recent: bool,
}

#[derive(Default)]
pub struct FilePicker {
    recents: Vec<String>,
    recents_request: Option<RequestId>,
    /// To say which job has used a file.
    jobs: Vec<Job>,
    jobs_request: Option<RequestId>,
    /// Ends in a slash.
    folder: String,
    names: Vec<String>,
    /// Whether the folder has more names than one response contains.
    is_cut: bool,
    names_request: Option<RequestId>,
    field: TextField,
    shown: Vec<FileEntry>,
    cursor: ListCursor,
    previewed: Option<String>,
    preview_request: Option<RequestId>,
    preview: Option<Result<FilePreview, String>>,
}

impl FilePicker {
    /// Begins in the folder of the typed path. `earlier` are recent files that the caller knows.
    pub fn new(typed: &str, earlier: Vec<String>, effects: &mut Effects<'_>) -> Self {
        let typed = paths::typed(typed);
        // Only the text is checked: reading the disk may take long.
        let is_folder = typed.as_os_str().as_encoded_bytes().ends_with(b"/");
        let folder = if is_folder { typed.as_path() } else { typed.parent().unwrap_or(Path::new("")) };
        let folder = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let mut picker = Self {
            recents: earlier,
            recents_request: Some(effects.request(Request::Files)),
            jobs_request: Some(effects.request(Request::Jobs)),
            folder: folder.map_or_else(|_| "/".to_owned(), |folder| with_slash(&folder.to_string_lossy())),
            ..Self::default()
        };
        picker.list(effects);
        picker
    }

    /// Requests the names of the folder. Of a folder with too many, those that begin with the typed text.
    fn list(&mut self, effects: &mut Effects<'_>) {
        let begun = if self.is_cut { self.field.value().trim() } else { "" };
        effects
            .request_instead(&mut self.names_request, Request::Complete(format!("{}{begun}", self.folder)));
    }

    fn go_to(&mut self, folder: String, effects: &mut Effects<'_>) {
        self.folder = folder;
        self.names.clear();
        self.is_cut = false;
        self.field.clear();
        self.list(effects);
        self.find();
    }

    fn parent(&self) -> Option<String> {
        let parent = Path::new(self.folder.trim_end_matches('/')).parent()?;
        Some(with_slash(&parent.to_string_lossy()))
    }

    fn find(&mut self) {
        let typed = self.field.value().trim().to_owned();
        let name = |path: &str| path.strip_prefix(self.folder.as_str()).unwrap_or(path).to_owned();
        let entry = |path: &String, is_recent| FileEntry { path: path.clone(), shown: name(path), is_recent };
        let recents = self.recents.iter().map(|path| entry(path, true));
        let up = self.parent().filter(|_| typed.is_empty()).map(|path| FileEntry {
            path,
            shown: "../".to_owned(),
            is_recent: false,
        });
        let own = self.names.iter().filter(|path| !self.recents.contains(path));
        let names = own.map(|path| entry(path, false));
        let all = recents.chain(up).chain(names);
        if typed.is_empty() {
            self.shown = all.collect();
        } else {
            let mut search = PaletteSearch::new(&typed);
            let scored = all.filter_map(|entry| Some((search.score_of(&entry.shown)?, entry)));
            let mut found: Vec<(u32, FileEntry)> = scored.collect();
            found.sort_by_key(|(score, _)| Reverse(*score));
            self.shown = found.into_iter().map(|(_, entry)| entry).collect();
        }
        self.cursor.restart();
    }

    fn typed(&mut self, effects: &mut Effects<'_>) {
        if self.is_cut {
            self.list(effects);
        }
        self.find();
    }

    /// Shows the names that a response added. The selected file stays selected.
    fn find_again(&mut self) {
        let at = Some(self.cursor.at()).filter(|at| *at > 0);
        let selected = at.and_then(|at| self.shown.get(at)).map(|entry| entry.path.clone());
        self.find();
        let at = selected.and_then(|path| self.shown.iter().position(|entry| entry.path == path));
        self.cursor.select(at.unwrap_or_default());
    }

    fn choose(&mut self, effects: &mut Effects<'_>) {
        let Some(entry) = self.shown.get(self.cursor.at()).cloned() else {
            effects.say(t!("No match. Nothing was done."));
            return;
        };
        if entry.path.ends_with('/') {
            self.go_to(entry.path, effects);
        } else {
            effects.close();
            effects.go.push(Navigate::Picked(entry.path));
        }
    }

    fn used_by(&self, path: &str) -> Option<&Job> {
        let is_source = |job: &&Job| {
            let source = job.origin.as_ref().and_then(|origin| origin.source.as_ref());
            source.is_some_and(|source| source.path == Path::new(path))
        };
        self.jobs.iter().filter(is_source).max_by_key(|job| job.created)
    }

    fn preview_lines(&self, rows: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let theme = &cx.theme;
        let Some(path) = self.previewed.as_deref() else { return Vec::new() };
        let preview = match &self.preview {
            None => return vec![Line::styled(format!("{} {}", cx.spinner(), t!("reading")), theme.dim())],
            Some(Err(why)) => return vec![Line::styled(fit(why, room, cx.glyphs.ellipsis), theme.error())],
            Some(Ok(preview)) => preview,
        };
        let mut facts = vec![count!(preview.bytes, "byte", "bytes")];
        facts.extend(preview.modified.and_then(|at| at.try_into().ok()).map(|at| moment(at, cx)));
        facts.extend(preview.rows.as_ref().ok().map(|(format, _)| (*format).to_owned()));
        facts.push(match self.used_by(path) {
            Some(job) => t!("used by job {job}", job = job.id),
            None => t!("no job has used it").to_owned(),
        });
        let facts = facts.join(&format!(" {} ", cx.glyphs.dot));
        let mut lines = Vec::new();
        if self
            .shown
            .get(self.cursor.at())
            .is_some_and(|entry| width(&scrub(&entry.shown)) > names_room(room))
        {
            let whole = wrapped(&scrub(path), room, PATH_LINES, cx);
            lines.extend(whole.into_iter().map(|line| Line::styled(line, theme.text())));
        }
        lines.push(Line::styled(fit(&facts, room, cx.glyphs.ellipsis), theme.dim()));
        let row = |cells: &Vec<Text>, style: Style| {
            let text: Vec<String> = cells.iter().map(ToString::to_string).collect();
            Line::styled(fit(&text.join(" | "), room, cx.glyphs.ellipsis), style)
        };
        match &preview.rows {
            Ok((_, all)) => {
                let rows = rows.saturating_sub(lines.len());
                lines.extend(all.iter().take(rows).map(|cells| row(cells, theme.text())));
            }
            Err(why) => lines.push(Line::styled(fit(why, room, cx.glyphs.ellipsis), theme.dim())),
        }
        lines
    }
}

/// Room for the names, before the word for recent ones.
fn names_room(room: usize) -> usize {
    room.saturating_sub(width(t!("recent")) + 3)
}

fn with_slash(folder: &str) -> String {
    format!("{}/", folder.trim_end_matches('/'))
}

impl Component for FilePicker {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::FilePicker.in_field()
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::ClearField => {
                self.field.clear();
                self.typed(effects);
            }
            Action::Accept => self.choose(effects),
            Action::Back => effects.close(),
            _ => return self.cursor.on_menu_action(action, self.shown.len()),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        if key.code == KeyCode::Backspace && self.field.value().is_empty() {
            if let Some(parent) = self.parent() {
                self.go_to(parent, effects);
            }
            return true;
        }
        let changed = self.field.on_text_key(key);
        if changed {
            self.typed(effects);
        }
        changed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        self.field.on_paste(text.trim());
        self.typed(effects);
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        self.cursor.on_click(at, Action::Accept)
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Files(files) if self.recents_request == Some(id) => {
                self.recents_request = None;
                let more = files.into_iter().filter(|file| !self.recents.contains(file)).collect::<Vec<_>>();
                self.recents.extend(more);
                self.find_again();
            }
            Response::Jobs(jobs) if self.jobs_request == Some(id) => {
                self.jobs_request = None;
                self.jobs = jobs.unwrap_or_default();
            }
            Response::Completed(mut names) if self.names_request == Some(id) => {
                self.names_request = None;
                if self.is_cut {
                    // Names that begin as typed join those that the list has.
                    names.retain(|name| !self.names.contains(name));
                    self.names.extend(names);
                } else {
                    self.is_cut = names.len() >= paths::MOST;
                    self.names = names;
                }
                self.find_again();
            }
            Response::Previewed(preview) if self.preview_request == Some(id) => {
                self.preview_request = None;
                self.preview = Some(*preview);
            }
            response => return Err(Reply { id, response }),
        }
        Ok(())
    }

    fn load_visible(&mut self, _: Rect, _: &UiContext, effects: &mut Effects<'_>) {
        let selected =
            self.shown.get(self.cursor.at()).map(|entry| &entry.path).filter(|path| !path.ends_with('/'));
        if selected == self.previewed.as_ref() {
            return;
        }
        self.previewed = selected.cloned();
        self.preview = None;
        effects.cancel(self.preview_request.take());
        if let Some(path) = &self.previewed {
            self.preview_request = Some(effects.request(Request::Preview(path.into())));
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let outer = popup::centred(area, WIDEST);
        let inner = popup::open(frame, outer, area, t!("Choose a file"), cx);
        let room = usize::from(inner.width).saturating_sub(4);
        let prompt = format!("  {}  ", t!("Find"));
        let free = room.saturating_sub(width(&prompt));
        let mut find = vec![Span::styled(prompt, theme.strong()), cx.cursor(true)];
        find.extend(self.field.spans(free, true, cx));
        let mut said = String::new();
        if self.is_cut {
            let most = number(paths::MOST as u64);
            let text = t!("more than {most} names: type how a name begins", most);
            said = format!(" {} {text}", cx.glyphs.dot);
        }
        let folder = scrub(&self.folder);
        let folder_room = width(&folder).min(room.saturating_sub(width(&said)));
        let folder = format!("{}{said}", fit_path(&folder, folder_room, cx.glyphs.ellipsis));
        let mut lines = vec![Line::from(find), Line::styled(format!("  {folder}"), theme.dim())];
        let free = usize::from(inner.height).saturating_sub(lines.len() + 2);
        let listed = free.div_ceil(2).max(1);
        let rows = Rect { height: u16::try_from(listed).unwrap_or(u16::MAX), ..below(inner, lines.len()) };
        let shown = self.cursor.lay(rows, self.shown.len());
        for (n, entry) in self.shown.iter().enumerate().skip(shown.start).take(shown.len()) {
            let selected = n == self.cursor.at();
            let kind = if entry.is_recent { t!("recent") } else { "" };
            let name = scrub(&entry.shown).into_owned();
            let name = fit_path(&name, names_room(room), cx.glyphs.ellipsis);
            lines.push(Line::from(vec![
                Span::raw(" "),
                cx.cursor(selected),
                Span::raw(" "),
                Span::styled(name, theme.entry(selected)),
                Span::styled(format!("  {kind}"), theme.dim()),
            ]));
        }
        if self.shown.is_empty() {
            let text = match self.names_request {
                Some(_) => t!("reading").to_owned(),
                None => format!("    {}", t!("no match")),
            };
            lines.push(Line::styled(text, theme.dim()));
        }
        lines.push(Line::styled(format!("  {}", out_of_sight(&shown, self.shown.len(), cx)), theme.dim()));
        let left = usize::from(inner.height).saturating_sub(lines.len());
        lines.extend(self.preview_lines(left, room, cx).into_iter().map(|mut line| {
            line.spans.insert(0, Span::raw("  "));
            line
        }));
        frame.render_widget(lines, inner);
    }
}

impl Modal for FilePicker {}

//! A field for a file name, with completion from the disk and with recent files. It also holds pasted lines.

use crate::tui::input::paths;
use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;

/// Maximum number of completions listed below the field.
const LISTED: usize = 5;

#[derive(Default)]
pub struct PathField {
    field: TextField,
    recent: RecentInputs,
    recent_request: Option<RequestId>,
    completing: Option<RequestId>,
    /// The last completions, if there was more than one.
    found: Vec<String>,
    /// Whether the user may choose an existing file. False where a new file is named.
    chooses: bool,
    /// Pasted lines, used instead of a file.
    pasted: Option<String>,
}

impl PathField {
    /// An empty field that requests recent files, and offers them.
    pub fn with_recent(effects: &mut Effects<'_>) -> Self {
        Self { recent_request: Some(effects.request(Request::Files)), chooses: true, ..Self::default() }
    }

    /// An empty field that offers earlier inputs, newest first.
    pub fn with_earlier(earlier: &[String]) -> Self {
        Self { recent: RecentInputs::new(earlier.to_vec()), chooses: true, ..Self::default() }
    }

    pub fn path(&self) -> Option<PathBuf> {
        let text = self.field.value().trim();
        (!text.is_empty()).then(|| paths::typed(text))
    }

    pub fn source(&self) -> Option<ImportSource> {
        match &self.pasted {
            Some(lines) => Some(ImportSource::Pasted(lines.clone())),
            None => self.path().map(ImportSource::File),
        }
    }

    pub fn texts(&self) -> [String; 2] {
        [self.field.value().to_owned(), self.pasted.clone().unwrap_or_default()]
    }

    pub fn set_texts(&mut self, [path, pasted]: [&str; 2]) {
        self.set(path);
        self.pasted = Some(pasted.to_owned()).filter(|pasted| !pasted.is_empty());
    }

    pub fn set_lines(&mut self, pasted: &str) {
        self.pasted = Some(pasted.to_owned());
    }

    pub fn text(&self) -> &str {
        self.field.value()
    }

    pub fn set(&mut self, path: &str) {
        self.pasted = None;
        self.field.set(path);
        self.found.clear();
    }

    /// The path is a proposal: the next letter replaces it, a movement of the cursor keeps it.
    pub fn select(&mut self) {
        self.field.select();
    }

    pub fn is_selected(&self) -> bool {
        self.field.is_all_selected()
    }

    pub fn set_pasted(&mut self, pasted: &str) {
        self.pasted = None;
        self.field.fill(&paths::unwrap(pasted));
        self.found.clear();
    }

    pub fn is_enabled(&self, action: Action) -> bool {
        match action {
            Action::Accept => self.pasted.is_some() || self.path().is_some(),
            Action::Earlier | Action::Complete | Action::ChooseFile if self.pasted.is_some() => false,
            Action::Earlier => !self.recent.is_empty(),
            Action::Later => false,
            Action::ChooseFile => self.chooses,
            _ => true,
        }
    }

    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::ClearField => self.pasted = None,
            _ if self.pasted.is_some() => {
                return matches!(
                    action,
                    Action::Complete | Action::ChooseFile | Action::Earlier | Action::Later
                );
            }
            _ => {}
        }
        match action {
            Action::Complete => {
                effects.request_instead(
                    &mut self.completing,
                    Request::Complete(self.field.value().trim_start().to_owned()),
                );
            }
            Action::ChooseFile if self.chooses => {
                let (typed, earlier) = (self.field.value().to_owned(), self.recent.all().to_vec());
                effects.go.push(Navigate::PickFile(typed, earlier));
            }
            Action::Earlier | Action::Later => {
                if let Some(path) = self.recent.step(action == Action::Earlier, self.field.value()) {
                    self.field.set(&path);
                    self.found.clear();
                }
            }
            Action::ClearField => {
                self.field.clear();
                self.found.clear();
            }
            _ => return false,
        }
        true
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        let typed = self.pasted.is_none() && self.field.on_text_key(key);
        if typed {
            self.found.clear();
            // The names for the earlier text would replace this one.
            self.completing = None;
        }
        typed
    }

    pub fn on_response(&mut self, reply: Reply) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Files(files) if self.recent_request == Some(id) => {
                self.recent_request = None;
                self.recent = RecentInputs::new(files);
                Ok(())
            }
            Response::Completed(found) if self.completing == Some(id) => {
                self.completing = None;
                let common = paths::common(&found);
                if common.len() > self.field.value().trim_start().len() {
                    self.field.set(&common);
                }
                self.found = if found.len() > 1 { found } else { Vec::new() };
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }

    pub fn spans(&self, columns: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
        if let Some(pasted) = &self.pasted {
            let lines = pasted.lines().filter(|line| !line.trim().is_empty()).count() as u64;
            return vec![Span::raw(plural!(lines, "{n} line pasted", "{n} lines pasted"))];
        }
        self.field.spans(columns, focused, cx)
    }

    /// The completions, one per line. Without completions, the recent files.
    pub fn lines(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let shown = |path: &String| {
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
            let slash = if path.ends_with('/') { "/" } else { "" };
            let text = format!("       {}{slash}", crate::domain::text::scrub(name));
            Line::styled(fit(&text, room, cx.glyphs.ellipsis), cx.theme.dim())
        };
        if self.found.is_empty() {
            return self.recent.offered(self.field.value(), 7, room, cx);
        }
        let mut lines: Vec<Line<'static>> = self.found.iter().take(LISTED).map(shown).collect();
        if self.found.len() > LISTED {
            lines.push(Line::styled(
                format!("       {}", t!("and {n} more", n = self.found.len() - LISTED)),
                cx.theme.dim(),
            ));
        }
        lines
    }
}

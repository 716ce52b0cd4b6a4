//! The footer: the possible actions with their keys, clicks on them, and a short toast. Also the popup of what can
//! follow the first keys of a chord.

use super::app::App;
use crate::tui::prelude::*;

const MOST: usize = 8;
/// Hints that actions on the selection leave to actions on the list.
const FOR_THE_LIST: usize = 2;
const WIDEST: u16 = 80;
/// Hints of actions on the selection, and of those on the list, that stay beside a message.
const FEWEST: [usize; 2] = [2, 1];

/// The most important first. The keymap leaves out the ones that are not possible here.
const ACT: &[Action] = &[
    Action::Accept,
    Action::Open,
    Action::Renew,
    Action::Details,
    Action::Aside,
    Action::NextTemplate,
    Action::Complete,
    Action::UndoLast,
    Action::Correct,
    Action::NextChoice,
    Action::PreviousChoice,
    Action::Include,
    Action::Skip,
    Action::Encoding,
    Action::Columns,
    Action::Sheet,
    Action::Header,
    Action::TakeSuggestions,
    Action::Run,
    Action::Resolve,
    Action::Undo,
    Action::Mail,
    Action::IncludeGroup,
    Action::SkipGroup,
    Action::Revoke,
    Action::Mark,
    Action::Wallet,
    Action::Replace,
    Action::Issue,
    Action::TurnOver,
    Action::Picture,
    Action::Question,
    Action::CopySummary,
    Action::Elsewhere,
    Action::TryPictures,
    Action::OnlyCategory,
    Action::ChangeProfile,
    Action::TestProfile,
    Action::RemoveProfile,
    Action::NextField,
    Action::Toggle,
    Action::ChooseFile,
    Action::Earlier,
    Action::Editor,
    Action::ToggleDirection,
    Action::ColumnLeft,
    Action::ColumnRight,
    Action::Narrower,
    Action::Wider,
    Action::ResetColumns,
    Action::ClearField,
    Action::ClearFilter,
    Action::ChooseSandbox,
    Action::ChooseService,
    Action::Save,
    Action::OtherRecord,
    Action::CopyAll,
    Action::Pager,
    Action::Copy,
    Action::OpenPicture,
    Action::Raw,
    Action::Range,
    Action::Rename,
    Action::Remove,
];

const LIST: &[Action] = &[
    Action::Filter,
    Action::Search,
    Action::Only,
    Action::Period,
    Action::FindCert,
    Action::NextSection,
    Action::LookUp,
    Action::FindBadge,
    Action::Export,
    Action::Sort,
    Action::Reload,
    Action::Check,
    Action::Categories,
    Action::SavedFilters,
    Action::MarkLoaded,
    Action::Ids,
    Action::ChooseColumns,
    Action::FilterForm,
];

const APP: &[Action] = &[Action::Back, Action::Help, Action::Quit];

pub(super) struct Hint {
    key: String,
    words: &'static str,
    action: Action,
    at: usize,
    /// Whether a sign before it separates it from the group on its left.
    begins: bool,
}

impl Hint {
    /// Its width in columns, including the gap to the next hint.
    fn wide(&self) -> usize {
        width(&self.key) + 1 + width(self.words) + 2
    }
}

/// The first column after the hints, with so many of the first two groups.
fn end([act, list, app]: &[Vec<Hint>; 3], kept: [usize; 2], separator: usize) -> usize {
    let shown = [&act[..kept[0]], &list[..kept[1]], app];
    let separators = shown.iter().filter(|group| !group.is_empty()).count().saturating_sub(1);
    2 + separators * separator + shown.into_iter().flatten().map(Hint::wide).sum::<usize>()
}

fn placed(groups: [Vec<Hint>; 3], separator: usize) -> Vec<Hint> {
    let mut shown: Vec<Hint> = Vec::new();
    for mut group in groups {
        if let Some(first) = group.first_mut().filter(|_| !shown.is_empty()) {
            first.begins = true;
        }
        shown.append(&mut group);
    }
    let mut at = 2;
    for hint in &mut shown {
        at += if hint.begins { separator } else { 0 };
        hint.at = at;
        at += hint.wide();
    }
    shown
}

impl App {
    /// A click never runs an action that sends: the user must press its key.
    pub(super) fn hint_at(&self, columns: u16, column: u16) -> Option<Action> {
        let (hints, _) = self.footer(columns);
        let column = usize::from(column);
        let hint = hints.iter().find(|hint| (hint.at..hint.at + hint.wide() - 2).contains(&column))?;
        Some(hint.action).filter(|action| !action.sends())
    }

    /// The hints, and the message if it fits beside them. The last ones of what acts, and then of the list, give way to a
    /// message that goes away by itself.
    pub(super) fn footer(&self, columns: u16) -> (Vec<Hint>, Option<(String, bool)>) {
        let separator = width(self.cx.glyphs.dot) + 1;
        let mut groups = self.hints(columns, separator);
        let toast = self.toasts.shown(self.modals.shows_message()).and_then(|message| {
            let sign = if message.bad { self.cx.glyphs.alert } else { self.cx.glyphs.dot };
            let text = format!("{sign} {}", message.text);
            let room = usize::from(columns).checked_sub(width(&text) + 2)?;
            let mut kept = [groups[0].len(), groups[1].len()];
            while end(&groups, kept, separator) > room {
                let spare = kept.iter_mut().zip(FEWEST).find(|(kept, fewest)| **kept > *fewest);
                *spare.filter(|_| message.until.is_some())?.0 -= 1;
            }
            groups.iter_mut().zip(kept).for_each(|(group, kept)| group.truncate(kept));
            Some((text, message.bad))
        });
        (placed(groups, separator), toast)
    }

    /// The hints in their groups: what acts, the list, the app. As many as fit.
    fn hints(&self, columns: u16, separator: usize) -> [Vec<Hint>; 3] {
        let stack = self.key_contexts();
        let is_asked = self.modals.confirm().is_some();
        let is_behind = |action| self.modals.is_empty() && self.screen().is_behind(action);
        let hint = |action: Action| {
            if self.is_forbidden(action) || !self.is_enabled(action) || is_behind(action) {
                return None;
            }
            let key = self.cx.keymap.key(&stack, action)?;
            let words = if is_asked { action.hint() } else { self.front().hint(action) };
            Some(Hint { key, words, action, at: 0, begins: false })
        };
        // Found only as far as they are shown.
        let all = |actions: &'static [Action]| {
            let mut words = HashSet::new();
            // Of two keys with the same word, the more important one. The help lists both.
            actions.iter().copied().filter_map(&hint).filter(move |hint| words.insert(hint.words))
        };
        let mut app: Vec<Hint> = all(APP).collect();
        // While a pane is open, the key of Quit closes it like Back.
        let quits = self.modals.is_empty() && self.welcome.is_none() && self.screen().has_pane();
        app.retain(|hint| match hint.action {
            Action::Back => self.can_go_back(),
            Action::Quit => !quits,
            _ => true,
        });
        let taken: usize = app.iter().map(Hint::wide).sum::<usize>() + 2 * separator;
        let mut left = usize::from(columns).saturating_sub(2 + taken);
        let mut places = MOST.saturating_sub(app.len());
        // One that does not fit now does not fit later either: the room only shrinks.
        let mut take = |hints: &mut dyn Iterator<Item = Hint>, most: usize| -> Vec<Hint> {
            let most = most.min(places);
            let fits = |hint: &Hint| {
                let rest = left.checked_sub(hint.wide());
                left = rest.unwrap_or(left);
                rest.is_some()
            };
            let shown: Vec<Hint> = hints.filter(fits).take(most).collect();
            places -= shown.len();
            shown
        };
        let for_the_list = all(LIST).take(FOR_THE_LIST).count();
        let mut acts = all(ACT);
        let mut act = take(&mut acts, (MOST - app.len()).saturating_sub(for_the_list));
        let list = take(&mut all(LIST), usize::MAX);
        // The list has no more hints that fit.
        act.extend(take(&mut acts, usize::MAX));
        [act, list, app]
    }

    pub(super) fn draw_footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let theme = &self.cx.theme;
        let mut spans = vec![Span::raw("  ")];
        let (hints, toast) = self.footer(area.width);
        for hint in hints {
            if hint.begins {
                spans.push(Span::styled(format!("{} ", self.cx.glyphs.dot), theme.dim()));
            }
            spans.push(Span::styled(hint.key, theme.key()));
            spans.push(Span::styled(format!(" {}  ", hint.words), theme.dim()));
        }
        frame.render_widget(Line::from(spans), area);
        if let Some((text, bad)) = toast {
            let text = Span::styled(text, if bad { theme.error() } else { theme.good() });
            let at = Rect { width: area.width - 1, ..area };
            frame.render_widget(Line::from(text).right_aligned(), at);
        }
    }

    pub(super) fn draw_which_key(&self, frame: &mut Frame<'_>, body: Rect) {
        let (stack, begun) = (&self.input.chord_contexts, &self.input.chord);
        if begun.is_empty() || *stack != self.key_contexts() {
            return;
        }
        let mut follows = self.cx.keymap.follows(stack, begun);
        follows.retain(|(_, action)| !self.is_forbidden(*action) && self.is_enabled(*action));
        let outer = popup::at_bottom(body, WIDEST, follows.len().max(1));
        let inner = popup::open(frame, outer, body, &self.cx.keymap.name(begun), &self.cx);
        let keys = follows.iter().map(|(key, _)| width(key)).max().unwrap_or(0) + 2;
        let room = usize::from(inner.width).saturating_sub(keys + 4);
        let lines: Vec<Line<'_>> = follows
            .into_iter()
            .map(|(key, action)| {
                Line::from(vec![
                    Span::raw("  "),
                    Span::styled(fit(&key, keys, ""), self.cx.theme.key()),
                    Span::raw(fit(action.short(), room, self.cx.glyphs.ellipsis)),
                ])
            })
            .collect();
        frame.render_widget(lines, inner);
    }
}

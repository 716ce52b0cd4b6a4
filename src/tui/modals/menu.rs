//! Menu of a few entries, each with a letter of its own: values to copy, the questions of a caller, themes.

use crate::config::ThemeChoice;
use crate::domain::call_advice::CallerQuestion;
use crate::tui::platform::clipboard::CopiedText;
use crate::tui::prelude::*;
use crate::tui::widgets::copying::Copyables;
use crate::tui::widgets::paged_list::draw_row;

const WIDEST: u16 = 100;

enum MenuAction {
    Copy(CopiedText),
    Ask(Option<CallerQuestion>),
    Theme(ThemeChoice),
}

struct MenuEntry {
    key: char,
    label: String,
    shown: String,
    choice: MenuAction,
}

pub struct Menu {
    title: &'static str,
    list: Vec<MenuEntry>,
    cursor: ListCursor,
    /// The theme to go back to.
    theme: Option<ThemeChoice>,
}

impl Menu {
    pub fn of_copies(all: Copyables) -> Option<Self> {
        let entries = all.list.into_iter().map(|copy| MenuEntry {
            key: copy.key,
            label: copy.label,
            shown: copy.shown,
            choice: MenuAction::Copy(copy.clip),
        });
        let list: Vec<MenuEntry> = entries.collect();
        (!list.is_empty()).then_some(Self {
            title: t!("Copy"),
            list,
            cursor: ListCursor::default(),
            theme: None,
        })
    }

    pub fn of_questions(now: Option<CallerQuestion>) -> Self {
        let entry = |(key, question): &(char, CallerQuestion)| MenuEntry {
            key: *key,
            label: question.word().to_owned(),
            shown: question.said().to_owned(),
            choice: MenuAction::Ask(Some(*question)),
        };
        let mut list: Vec<MenuEntry> = CallerQuestion::ALL.iter().map(entry).collect();
        list.push(MenuEntry {
            key: '0',
            label: t!("no question").to_owned(),
            shown: t!("everything about this badge").to_owned(),
            choice: MenuAction::Ask(None),
        });
        let at = CallerQuestion::ALL.iter().position(|(_, question)| Some(*question) == now).unwrap_or(0);
        Self { title: t!("The caller's question"), list, cursor: ListCursor::new(at), theme: None }
    }

    pub fn of_themes(now: ThemeChoice) -> Self {
        let all = [
            ('a', ThemeChoice::Auto, t!("dark or light, as the terminal's background")),
            ('d', ThemeChoice::Dark, t!("for a dark background")),
            ('l', ThemeChoice::Light, t!("for a light background")),
            ('h', ThemeChoice::HighContrast, t!("bright colours on black")),
            ('t', ThemeChoice::Terminal, t!("the terminal's own colours")),
            ('n', ThemeChoice::None, t!("no colours")),
        ];
        let at = all.iter().position(|(_, theme, _)| *theme == now).unwrap_or(0);
        let entry = |(key, theme, shown): (char, ThemeChoice, &str)| MenuEntry {
            key,
            label: theme.word().to_owned(),
            shown: shown.to_owned(),
            choice: MenuAction::Theme(theme),
        };
        let list = all.map(entry).into();
        Self { title: t!("Theme"), list, cursor: ListCursor::new(at), theme: Some(now) }
    }

    fn show_theme(&self, effects: &mut Effects<'_>) {
        if let Some(MenuAction::Theme(theme)) = self.list.get(self.cursor.at()).map(|entry| &entry.choice) {
            effects.go.push(Navigate::Theme(*theme));
        }
    }

    fn pick(&self, at: usize, effects: &mut Effects<'_>) {
        match self.list.get(at).map(|entry| &entry.choice) {
            Some(MenuAction::Copy(clip)) => effects.copies.push(clip.clone()),
            Some(MenuAction::Ask(question)) => effects.go.push(Navigate::Question(*question)),
            Some(MenuAction::Theme(theme)) => {
                effects.go.push(Navigate::Theme(*theme));
                effects.say(t!(
                    "lapel uses the theme {name} until it closes. To keep it, set theme = \"{name}\" in config.toml.",
                    name = theme.word()
                ));
            }
            None => {}
        }
        effects.close();
    }
}

impl Component for Menu {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Menu.in_popup()
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept => self.pick(self.cursor.at(), effects),
            Action::Back => {
                effects.go.extend(self.theme.map(Navigate::Theme));
                effects.close();
            }
            _ => {
                let moved = self.cursor.on_menu_action(action, self.list.len());
                self.show_theme(effects);
                return moved;
            }
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        let KeyCode::Char(letter) = key.code else { return false };
        // With Hangul input on, use the Latin letter of the same key.
        let letter = crate::tui::input::keymap::hangul::latin(letter).unwrap_or(letter);
        let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
        match self.list.iter().position(|entry| plain && entry.key == letter) {
            Some(at) => {
                self.pick(at, effects);
                true
            }
            None => false,
        }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, effects: &mut Effects<'_>) -> Clicked {
        let clicked = self.cursor.on_click(at, Action::Accept);
        self.show_theme(effects);
        clicked
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let outer = popup::at_bottom(area, WIDEST, self.list.len());
        let area = popup::open(frame, outer, area, self.title, cx);
        let labels = self.list.iter().map(|entry| width(&entry.label)).max().unwrap_or(0) + 2;
        let left = usize::from(area.width).saturating_sub(labels + 8);
        let (shown, rest) = self.cursor.lay_all(area, self.list.len(), cx);
        frame.render_widget(rest.unwrap_or_default(), below(area, shown.len()));
        let rows = self.list.iter().enumerate().skip(shown.start).take(shown.len());
        for (y, (at, entry)) in (area.y..).zip(rows) {
            let spans = vec![
                Span::raw("   "),
                Span::styled(entry.key.to_string(), cx.theme.key()),
                Span::raw("  "),
                Span::raw(fit(&entry.label, labels, "")),
                Span::styled(fit(&entry.shown, left, cx.glyphs.ellipsis), cx.theme.dim()),
            ];
            draw_row(frame, Rect { y, height: 1, ..area }, at == self.cursor.at(), spans, cx);
        }
    }
}

impl Modal for Menu {}

//! What a person does: keys, pastes and the mouse, handed to what has the focus.

use super::{App, Over, Tab, Wish};
use crate::tui::action::Action;
use crate::tui::env::Out;
use crate::tui::help::Help;
use crate::tui::keymap::Context;
use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};

impl App {
    pub(super) fn key(&mut self, key: KeyEvent, out: &mut Out<'_>) {
        let stack = self.stack();
        let action = self.env.keymap.action(&stack, key);
        if let Some(action) = action {
            self.changed = true;
            self.notice = None;
            if action != Action::Quit && action != Action::QuitNow {
                self.quit_asked = false;
            }
            if self.is_forbidden(action) {
                out.say("This profile is read-only: it can neither issue nor revoke.");
                return;
            }
            self.act(action, out);
        } else {
            let typed = self.type_key(key, out);
            // In a field the cursor may have moved where the text has not changed.
            let in_field = |c: &Context| {
                matches!(
                    c,
                    Context::FilterBar
                        | Context::Prompt
                        | Context::Form
                        | Context::RevokeForm
                        | Context::FileField
                )
            };
            self.changed |= typed || stack.iter().any(in_field);
        }
    }

    fn act(&mut self, action: Action, out: &mut Out<'_>) {
        match action {
            Action::Suspend => self.wish = Some(Wish::Suspend),
            Action::QuitNow => self.quit(out),
            Action::Reload if self.reconnect() => {}
            // What cannot be seen is not confirmed.
            Action::Confirm if !self.fits() => {}
            Action::Help if self.welcome.is_some() || matches!(self.over.last(), Some(Over::Help(_))) => {
                self.act_inside(action, out);
            }
            _ => {
                if !self.act_inside(action, out) {
                    self.act_outside(action, out);
                }
            }
        }
    }

    fn act_inside(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        if let Some(welcome) = &mut self.welcome {
            return welcome.act(action, out);
        }
        match self.over.last_mut() {
            Some(Over::Issue(form)) => form.act(action, &self.env, out),
            Some(Over::Revoke(form)) => form.act(action, &self.env, out),
            Some(Over::Question(form)) => form.act(action, out),
            Some(Over::Draft(form)) => form.act(action, &self.env, out),
            Some(Over::Correct(form)) => form.act(action, out),
            Some(Over::File(form)) => form.act(action, out),
            Some(Over::Ids(form)) => form.act(action, out),
            Some(Over::Replace(form)) => form.act(action, &self.env, out),
            Some(Over::Help(help)) => help.act(action, out),
            None => match self.tab {
                Tab::Templates => self.templates.act(action, out),
                Tab::History => self.history.act(action, &self.env, out),
                Tab::Wallet => self.wallet.act(action, &self.env, out),
                Tab::Badge => self.badge.act(action, &self.env, out),
                Tab::Activity => self.activity.act(action, out),
                Tab::Overview => self.overview.act(action, &self.env, out),
            },
        }
    }

    fn act_outside(&mut self, action: Action, out: &mut Out<'_>) {
        match action {
            Action::Templates => self.open_tab(Tab::Templates),
            Action::History => self.open_tab(Tab::History),
            Action::WalletTab => self.open_tab(Tab::Wallet),
            Action::BadgeTab => self.open_tab(Tab::Badge),
            Action::NextTab => self.open_tab(self.tab.step(1)),
            Action::PreviousTab => self.open_tab(self.tab.step(Tab::ALL.len() - 1)),
            Action::Activity => self.open_tab(Tab::Activity),
            Action::Overview => self.open_overview(),
            Action::Help => {
                let stack = self.stack();
                let lines = self
                    .env
                    .keymap
                    .help(&stack)
                    .into_iter()
                    .filter(|(_, a)| !self.is_forbidden(*a))
                    .collect();
                self.over.push(Over::Help(Help::new(lines)));
            }
            Action::Back if self.news.is_none() => {
                if let Some(tab) = self.came_from.pop() {
                    self.tab = tab;
                }
            }
            Action::Dismiss | Action::Back => self.news = None,
            Action::Quit => self.quit(out),
            _ => {}
        }
    }

    pub(super) fn quit(&mut self, out: &mut Out<'_>) {
        let deeds = self.outstanding_deeds();
        if self.quit_asked || (!self.activity.is_sending() && !deeds) {
            self.wish = Some(Wish::Quit);
            return;
        }
        self.quit_asked = true;
        let then = if self.keeps_jobs() {
            "What is not sent then stays unsent and can be resumed."
        } else {
            "The demo's jobs end with it."
        };
        out.warn(format!(
            "Something is being sent. Quit again to leave: lapel waits for the answers of what is on its way and sends nothing more. {then}"
        ));
    }

    fn type_key(&mut self, key: KeyEvent, out: &mut Out<'_>) -> bool {
        if let Some(welcome) = &mut self.welcome {
            return welcome.key(key);
        }
        match self.over.last_mut() {
            Some(Over::Issue(form)) => form.key(key),
            Some(Over::Revoke(form)) => form.key(key),
            Some(Over::Question(form)) => form.key(key),
            Some(Over::Draft(form)) => form.key(key),
            Some(Over::Correct(form)) => form.key(key),
            Some(Over::Ids(form)) => form.key(key),
            Some(Over::Replace(form)) => form.key(key),
            Some(Over::File(_) | Over::Help(_)) => false,
            None => match self.tab {
                Tab::Templates => self.templates.browser.key(key, out),
                Tab::History => self.history.browser.key(key, out),
                Tab::Wallet => self.wallet.key(key),
                Tab::Badge => self.badge.key(key),
                Tab::Activity => false,
                Tab::Overview => self.overview.key(key),
            },
        }
    }

    pub(super) fn paste(&mut self, text: &str, out: &mut Out<'_>) {
        if let Some(welcome) = &mut self.welcome {
            welcome.paste(text);
            return;
        }
        match self.over.last_mut() {
            Some(Over::Issue(form)) => form.paste(text, out),
            Some(Over::Revoke(form)) => form.paste(text),
            Some(Over::Question(form)) => form.paste(text),
            Some(Over::Correct(form)) => form.paste(text),
            Some(Over::Ids(form)) => form.paste(text),
            Some(Over::Replace(form)) => form.paste(text),
            Some(Over::Draft(_) | Over::File(_) | Over::Help(_)) => {}
            None => match self.tab {
                Tab::Templates => {
                    self.templates.browser.paste(text, out);
                }
                Tab::History => {
                    self.history.browser.paste(text, out);
                }
                Tab::Wallet => self.wallet.paste(text),
                Tab::Badge => self.badge.paste(text),
                Tab::Activity => {}
                Tab::Overview => self.overview.paste(text, &self.env),
            },
        }
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent, out: &mut Out<'_>) {
        if self.welcome.is_some() {
            return;
        }
        let step = match mouse.kind {
            MouseEventKind::ScrollDown => Some(Action::Down),
            MouseEventKind::ScrollUp => Some(Action::Up),
            _ => None,
        };
        if let Some(action) = step {
            // Only where the keys for it exist too: in a field, the wheel must not change fields.
            if self.stack().iter().any(|c| matches!(c, Context::List | Context::Badge | Context::Help)) {
                self.changed = true;
                for _ in 0..3 {
                    self.act_inside(action, out);
                }
            }
            return;
        }
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
            return;
        }
        if mouse.row == 0 && self.over.is_empty() {
            if let Some(tab) = crate::tui::draw::tab_at(mouse.column) {
                self.open_tab(tab);
                self.changed = true;
            }
            return;
        }
        if !self.over.is_empty() {
            return;
        }
        let area = self.body();
        let move_to = |place: Option<u64>, list: &mut dyn FnMut(u64)| {
            if let Some(place) = place {
                list(place);
            }
            place.is_some()
        };
        self.changed |= match self.tab {
            Tab::Templates => {
                let place = self.templates.place_at(area, mouse.column, mouse.row);
                move_to(place, &mut |p| self.templates.browser.list.move_to(p))
            }
            Tab::History => {
                let place = self.history.browser.place_at(area, mouse.row);
                move_to(place, &mut |p| self.history.browser.list.move_to(p))
            }
            Tab::Wallet => self.wallet.click(area, mouse.row),
            Tab::Badge => false,
            Tab::Activity => self.activity.click(area, mouse.row),
            Tab::Overview => self.overview.click(area, mouse.row),
        };
    }
}

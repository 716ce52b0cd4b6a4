//! Names that nearly every screen and modal uses.

pub(in crate::tui) use super::component::{Component, ListedBadge, Modal, Screen, ShownRecord};
pub(in crate::tui) use super::context::UiContext;
pub(in crate::tui) use super::effects::{Effects, Navigate};
pub(in crate::tui) use super::input::action::Action;
pub(in crate::tui) use super::input::keymap::KeyContext;
pub(in crate::tui) use super::input::list_hit::Clicked;
pub(in crate::tui) use super::persist::unfinished::FormInput;
pub(in crate::tui) use super::request::{Handled, Reply, Request, RequestId, Response};
pub(in crate::tui) use super::widgets::confirm::ConfirmQuestion;
pub(in crate::tui) use super::widgets::field::TextField;
pub(in crate::tui) use super::widgets::form::FormText;
pub(in crate::tui) use super::widgets::frame::Frame;
pub(in crate::tui) use crossterm::event::KeyEvent;
pub(in crate::tui) use ratatui::layout::{Position, Rect};
pub(in crate::tui) use ratatui::text::{Line, Span};

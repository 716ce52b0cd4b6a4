//! Names that nearly every screen and modal uses.

pub(in crate::tui) use super::component::{
    Component, JournalEvent, ListedBadge, Modal, ModalFlag, Screen, ShownRecord,
};
pub(in crate::tui) use super::context::UiContext;
pub(in crate::tui) use super::effects::{Effects, ExportSource, Navigate, News, RequestOwner};
pub(in crate::tui) use super::input::action::Action;
pub(in crate::tui) use super::input::keymap::KeyContext;
pub(in crate::tui) use super::input::list_hit::{Clicked, Drag, ListArea, ListCursor, below};
pub(in crate::tui) use super::persist::unfinished::FormInput;
pub(in crate::tui) use super::platform::images::PictureRequest;
pub(in crate::tui) use super::request::{Handled, JobCommand, Reply, Request, RequestId, Response};
pub(in crate::tui) use super::widgets::confirm::ConfirmQuestion;
pub(in crate::tui) use super::widgets::field::TextField;
pub(in crate::tui) use super::widgets::form::FormText;
pub(in crate::tui) use super::widgets::frame::Frame;
pub(in crate::tui) use super::widgets::popup;
pub(in crate::tui) use super::widgets::search::Search;
pub(in crate::tui) use super::widgets::text_layout::{fit, styled, width, wrap};
pub(in crate::tui) use crate::api::{
    ApiError, Call, Connection, HistoryFilter, HistoryQuery, Paging, RawOf, Reader,
};
pub(in crate::tui) use crate::config::{Environment, NamedFilter, Palette};
pub(in crate::tui) use crate::domain::io_error;
pub(in crate::tui) use crate::domain::screen_text::KnownWords;
pub(in crate::tui) use crate::domain::text::{scrub, short};
pub(in crate::tui) use crate::domain::{
    Address, Badge, BadgeId, Category, EmailKey, HeldBadge, HistoryItem, Page, Query, ServiceClock,
    ServiceTime, State, Template, TemplateId, Text, Verdict,
};
pub(in crate::tui) use crate::export::ExportRow;
pub(in crate::tui) use crate::i18n::{list, number, tr};
pub(in crate::tui) use crate::index::{IndexedList, Period, SyncScope};
pub(in crate::tui) use crate::jobs::intake::ImportSource;
pub(in crate::tui) use crate::jobs::{
    Job, JobChange, JobId, JobRow, Jobs, Kind, Phase, RevokeTarget, RowStatus, SentHere, Step, Touched,
};
pub(in crate::tui) use crate::secrets::{Likeness, judge};
pub(in crate::tui) use crate::{fs, i18n};
pub(in crate::tui) use crokey::KeyCombination;
pub(in crate::tui) use crossterm::event::KeyEvent;
pub(in crate::tui) use crossterm::event::{KeyCode, KeyModifiers};
pub(in crate::tui) use jiff::Timestamp;
pub(in crate::tui) use jiff::civil::DateTime;
pub(in crate::tui) use ratatui::buffer::Buffer;
pub(in crate::tui) use ratatui::layout::{Position, Rect};
pub(in crate::tui) use ratatui::style::{Modifier, Style};
pub(in crate::tui) use ratatui::text::{Line, Span};
pub(in crate::tui) use std::borrow::Cow;
pub(in crate::tui) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
pub(in crate::tui) use std::path::{Path, PathBuf};
pub(in crate::tui) use std::sync::Arc;
pub(in crate::tui) use std::time::Duration;
pub(in crate::tui) use tokio::time::Instant;
pub(in crate::tui) use tokio_util::sync::CancellationToken;

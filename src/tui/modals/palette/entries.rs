//! What the palette can find: actions, saved filters, loaded rows, and what a typed text may mean.

use crate::jobs::RecentEntry;
use crate::tui::prelude::*;

#[derive(Clone, Debug)]
pub struct PaletteCommand {
    pub action: Action,
    /// Keys on this screen, or else those that all named screens have.
    pub keys: String,
    pub why_not: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Loaded {
    Template(TemplateId, Text),
    /// E-mail address and name.
    Holder(Text, Text),
    Badge(BadgeId),
}

impl Loaded {
    pub fn of_template(template: &Template) -> Self {
        Self::Template(template.template_id.clone(), template.title.clone().unwrap_or_default())
    }

    pub fn of_known(template: &RecentEntry) -> Option<Self> {
        Some(Self::Template(TemplateId::new(template.id.as_str())?, Text::from(&*template.title)))
    }

    pub fn of_badge(item: &HistoryItem) -> impl Iterator<Item = Self> {
        let name = item.recipient_name.clone().unwrap_or_default();
        let holder = item.recipient_email.clone().map(|email| Self::Holder(email, name));
        holder.into_iter().chain([Self::Badge(item.badge_id.clone())])
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Template(id, title) => format!("{title} {id}"),
            Self::Holder(email, name) => format!("{name} {email}"),
            Self::Badge(id) => id.to_string(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum PaletteEntry {
    Command(PaletteCommand),
    Badge(BadgeId),
    Holder(String),
    Named(String),
    Template(TemplateId),
    Titled(String),
    Filter(NamedFilter),
    Loaded(Loaded),
}

pub(super) fn what(entry: &PaletteEntry) -> String {
    match entry {
        PaletteEntry::Command(command) => command.action.help().to_owned(),
        PaletteEntry::Badge(id) => t!("open badge {id}", id),
        PaletteEntry::Holder(email) => t!("look up what {email} holds", email = Text::from(email.as_str())),
        PaletteEntry::Named(name) => t!("look up holders named {name}", name = Text::from(name.as_str())),
        PaletteEntry::Filter(filter) => t!("filter: {name}", name = Text::from(filter.name.as_str())),
        PaletteEntry::Template(id) => t!("show template {id}", id),
        PaletteEntry::Loaded(Loaded::Template(_, title)) => t!("template: {title}", title),
        PaletteEntry::Loaded(Loaded::Holder(email, name)) => t!("holder: {name}  {email}", name, email),
        PaletteEntry::Loaded(Loaded::Badge(id)) => t!("badge: {id}", id),
        PaletteEntry::Titled(title) => {
            t!("show templates with {title} in the title", title = Text::from(title.as_str()))
        }
    }
}

/// The place that an entry leads to, if it may be listed twice.
pub(super) fn place(entry: &PaletteEntry) -> Option<String> {
    match entry {
        PaletteEntry::Badge(id) | PaletteEntry::Loaded(Loaded::Badge(id)) => {
            Some(format!("badge {}", id.wire()))
        }
        PaletteEntry::Holder(email) => Some(format!("holder {}", email.to_lowercase())),
        PaletteEntry::Loaded(Loaded::Holder(email, _)) => {
            Some(format!("holder {}", email.wire().to_lowercase()))
        }
        PaletteEntry::Template(id) | PaletteEntry::Loaded(Loaded::Template(id, _)) => {
            Some(format!("template {}", id.wire()))
        }
        PaletteEntry::Command(_)
        | PaletteEntry::Named(_)
        | PaletteEntry::Titled(_)
        | PaletteEntry::Filter(_) => None,
    }
}

/// Destinations for the typed text, most likely first.
pub(super) fn ways(typed: &str) -> Vec<PaletteEntry> {
    let read = Query::read(typed);
    match Address::to_look_up(typed) {
        Ok(address) => vec![PaletteEntry::Holder(address.as_str().to_owned())],
        // The service keeps no telephone numbers, so nothing is found by one.
        Err(_) if typed.contains('@') || matches!(read, Query::NotAnAddress(_)) => Vec::new(),
        Err(_) => {
            let one_word = !typed.contains(char::is_whitespace);
            // The Wallet's search box reads ids the same way: from a link, without brackets.
            let named = matches!(read, Query::Name { .. }).then(|| PaletteEntry::Named(typed.to_owned()));
            let badge = match read {
                Query::BadgeId(id) => Some(PaletteEntry::Badge(id)),
                _ => BadgeId::new(typed).filter(|_| one_word).map(PaletteEntry::Badge),
            };
            let titled = Some(PaletteEntry::Titled(typed.to_owned()));
            // A template id contains a digit. A single word is more likely a person's name than a title.
            let template = TemplateId::new(typed)
                .filter(|_| one_word && typed.chars().any(|c| c.is_ascii_digit()))
                .map(PaletteEntry::Template);
            let ways = match (&template, one_word) {
                (Some(_), _) => [badge, template, titled, named],
                (None, true) => [named, titled, badge, None],
                (None, false) => [titled, named, None, None],
            };
            ways.into_iter().flatten().collect()
        }
    }
}

//! What the palette can find: actions, saved filters, loaded rows, and what a typed text may mean.

use crate::jobs::RecentEntry;
use crate::tui::modals::draft::titles;
use crate::tui::prelude::*;
use std::fmt::Display;

#[derive(Clone, Debug)]
pub struct PaletteCommand {
    pub action: Action,
    /// Keys on this screen, or else those that all named screens have.
    pub keys: String,
    pub why_not: Option<String>,
}

#[derive(Clone, Debug)]
pub enum PaletteEntry {
    Command(PaletteCommand),
    Filter(NamedFilter),
    /// With its title, if a list shows it.
    Template(TemplateId, Option<Text>),
    /// E-mail address, and the name if a list shows the holder.
    Holder(Text, Option<Text>),
    /// Whether a list shows it.
    Badge(BadgeId, bool),
    /// The holders with this name.
    Named(String),
    /// The templates with this text in the title.
    Titled(String),
    /// With its title and its file.
    Job(JobId, String),
    /// The kept drafts of one import, with their title and their file.
    Drafts(Vec<JobId>, String),
    /// A file that a job read recipients from, and what it issued.
    File {
        path: PathBuf,
        template: (TemplateId, Text),
        by_column: bool,
    },
}

impl PaletteEntry {
    pub fn of_template(template: &Template) -> Self {
        Self::Template(template.template_id.clone(), Some(template.title.clone().unwrap_or_default()))
    }

    pub fn of_known(template: &RecentEntry) -> Option<Self> {
        Some(Self::Template(TemplateId::new(template.id.as_str())?, Some(Text::from(&*template.title))))
    }

    pub fn of_badge(item: &HistoryItem) -> impl Iterator<Item = Self> {
        let name = item.recipient_name.clone().unwrap_or_default();
        let holder = item.recipient_email.clone().map(|email| Self::Holder(email, Some(name)));
        holder.into_iter().chain([Self::Badge(item.badge_id.clone(), true)])
    }

    pub fn of_job(job: &Job) -> Self {
        Self::Job(job.id, titled(&job.title_words(), job))
    }

    pub fn of_drafts(import: &[Job]) -> Option<Self> {
        let first = import.first()?;
        let title = match first.kind {
            Kind::Issue => titles(import),
            Kind::Revoke => first.title_words().to_string(),
        };
        Some(Self::Drafts(import.iter().map(|draft| draft.id).collect(), titled(&title, first)))
    }

    pub fn of_file(job: &Job) -> Option<Self> {
        let source = job.origin.as_ref()?.source.as_ref()?;
        let template = (job.template_id.clone()?, job.title.clone());
        Some(Self::File { path: source.path.clone(), template, by_column: source.by_column })
    }

    /// The words of something that a list shows.
    pub(super) fn words(&self) -> Option<String> {
        Some(match self {
            Self::Template(id, Some(title)) => format!("{title} {id}"),
            Self::Holder(email, Some(name)) => format!("{name} {email}"),
            Self::Badge(id, true) => id.to_string(),
            Self::Job(id, _) => format!("{} #{id}", self.what()),
            Self::Drafts(..) => self.what(),
            // The folder tells files of one name apart.
            Self::File { path, template: (_, title), .. } => {
                format!("{} {title} {}", file_name(path), path.display())
            }
            _ => return None,
        })
    }

    /// Whether one of the typed words is the number of this job: `#1` is not the beginning of `#12`.
    pub(super) fn has_number(&self, typed: &[String]) -> bool {
        let Self::Job(id, _) = self else { return false };
        let number = id.to_string();
        typed.iter().any(|word| word.strip_prefix('#').unwrap_or(word) == number)
    }

    pub(super) fn what(&self) -> String {
        match self {
            Self::Command(command) => command.action.help().to_owned(),
            Self::Filter(filter) => t!("filter: {name}", name = Text::from(filter.name.as_str())),
            Self::Template(_, Some(title)) => t!("template: {title}", title),
            Self::Template(id, None) => t!("show template {id}", id),
            Self::Holder(email, Some(name)) => t!("holder: {name}  {email}", name, email),
            Self::Holder(email, None) => t!("look up what {email} holds", email),
            Self::Badge(id, true) => t!("badge: {id}", id),
            Self::Badge(id, false) => t!("open badge {id}", id),
            Self::Named(name) => t!("look up holders named {name}", name = Text::from(name.as_str())),
            Self::Titled(title) => {
                t!("show templates with {title} in the title", title = Text::from(title.as_str()))
            }
            Self::Job(id, title) => t!("job {id}: {title}", id, title),
            Self::Drafts(_, title) => t!("draft: {title}", title),
            Self::File { path, template: (_, title), .. } => {
                t!("file: {file}  {title}", file = scrub(&file_name(path)), title)
            }
        }
    }

    /// The place that an entry leads to, if it may be listed twice.
    pub(super) fn place(&self) -> Option<String> {
        match self {
            Self::Badge(id, _) => Some(format!("badge {}", id.wire())),
            Self::Holder(email, _) => Some(format!("holder {}", email.wire().to_lowercase())),
            Self::Template(id, _) => Some(format!("template {}", id.wire())),
            _ => None,
        }
    }
}

fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
}

/// The title of a job, and its file.
fn titled(title: &dyn Display, job: &Job) -> String {
    let file = job.origin.as_ref().map(|origin| format!("  {}", origin.name()));
    format!("{title}{}", file.unwrap_or_default())
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Destinations for the typed text, most likely first.
pub(super) fn ways(typed: &str) -> Vec<PaletteEntry> {
    let read = Query::read(typed);
    match Address::to_look_up(typed) {
        Ok(address) => vec![PaletteEntry::Holder(Text::from(address.as_str()), None)],
        // The service keeps no telephone numbers, so nothing is found by one.
        Err(_) if typed.contains('@') || matches!(read, Query::NotAnAddress(_)) => Vec::new(),
        // The number of a job, which is nothing else.
        Err(_) if typed.strip_prefix('#').is_some_and(is_number) => Vec::new(),
        Err(_) => {
            let one_word = !typed.contains(char::is_whitespace);
            // The Wallet's search box reads ids the same way: from a link, without brackets.
            let named = matches!(read, Query::Name { .. }).then(|| PaletteEntry::Named(typed.to_owned()));
            let badge = match read {
                Query::BadgeId(id) => Some(id),
                _ => BadgeId::new(typed).filter(|_| one_word),
            };
            let badge = badge.map(|id| PaletteEntry::Badge(id, false));
            let titled = Some(PaletteEntry::Titled(typed.to_owned()));
            // A template id contains a digit. A single word is more likely a person's name than a title.
            let template = TemplateId::new(typed)
                .filter(|_| one_word && typed.chars().any(|c| c.is_ascii_digit()))
                .map(|id| PaletteEntry::Template(id, None));
            let ways = match (&template, one_word) {
                (Some(_), _) => [badge, template, titled, named],
                (None, true) => [named, titled, badge, None],
                (None, false) => [titled, named, None, None],
            };
            ways.into_iter().flatten().collect()
        }
    }
}

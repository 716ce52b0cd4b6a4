//! Contexts: the parts of the TUI that have their own keys.

use crate::i18n;
use crate::tui::input::action::Action;
use strum::IntoStaticStr;

/// A key is looked up in the focused component's stack of contexts, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum KeyContext {
    /// Everywhere, also in text fields: only keys that type no text.
    Always,
    /// Everywhere outside text fields.
    Global,
    /// Any text field that the user may leave for another tab. Nothing typed is lost there.
    Field,
    /// Any popup without a focused text field.
    Popup,
    List,
    Templates,
    /// Template details, when there is no pane beside the list.
    Template,
    /// An enlarged picture.
    Picture,
    Categories,
    History,
    Wallet,
    Badge,
    FilterBar,
    FilterLine,
    /// A single text field: badge id, row number.
    Prompt,
    /// The look-up box, which offers earlier look-ups.
    LookUp,
    SortMenu,
    ColumnMenu,
    Filters,
    Form,
    FileField,
    /// The list of recent files and of a folder.
    FilePicker,
    Export,
    Exporting,
    /// The form for an opened file.
    File,
    /// The columns of an opened file.
    Mapping,
    RevokeForm,
    /// The confirmation over a form or a list.
    Review,
    /// The list of jobs.
    Activity,
    JobRows,
    /// What is possible with a job: the run popup and the export popup.
    JobMenu,
    Home,
    /// The counts of Home.
    Overview,
    /// The badges behind a count of Home.
    OverviewList,
    MailFailures,
    Menu,
    Profiles,
    /// The rows of an issue draft.
    Draft,
    DraftRevoke,
    Palette,
    Json,
    Requests,
    Help,
    /// The first screen while there is no profile.
    Welcome,
    Tour,
}

impl KeyContext {
    pub fn in_popup(self) -> Vec<Self> {
        vec![self, Self::Popup, Self::Always]
    }

    pub fn in_field(self) -> Vec<Self> {
        vec![self, Self::Field, Self::Always]
    }

    /// What accepting an input does here, in one or two words.
    pub fn accepts(self) -> &'static str {
        match self {
            Self::Palette | Self::Help => t!("run"),
            Self::LookUp => t!("look up"),
            Self::SortMenu => t!("sort"),
            Self::Export => t!("save"),
            Self::Profiles => t!("open"),
            Self::FilePicker | Self::JobMenu | Self::Menu | Self::Filters => t!("choose"),
            _ => Action::Accept.hint(),
        }
    }

    /// The name in `keys.toml`: `job-rows`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The name of the context, for users.
    pub fn place(self) -> &'static str {
        i18n::tr(match self {
            Self::Always => tr_noop!("Everywhere, also in a field"),
            Self::Global => tr_noop!("Everywhere outside fields"),
            Self::Field => tr_noop!("Any field"),
            Self::Popup => tr_noop!("Any popup"),
            Self::List => tr_noop!("Any list"),
            Self::Templates => tr_noop!("Templates"),
            Self::Template => tr_noop!("Template details"),
            Self::Picture => tr_noop!("Picture view"),
            Self::Categories => tr_noop!("Categories"),
            Self::History => tr_noop!("History"),
            Self::Wallet => tr_noop!("Wallet"),
            Self::Badge => tr_noop!("Badge"),
            Self::FilterBar => tr_noop!("Filter form"),
            Self::FilterLine => tr_noop!("Filter line"),
            Self::Prompt => tr_noop!("Single field"),
            Self::LookUp => tr_noop!("Look-up box"),
            Self::SortMenu => tr_noop!("Sort menu"),
            Self::ColumnMenu => tr_noop!("List columns"),
            Self::Filters => tr_noop!("Saved filters"),
            Self::Form => tr_noop!("Form"),
            Self::FileField => tr_noop!("File name"),
            Self::FilePicker => tr_noop!("File list"),
            Self::File => tr_noop!("Recipient file"),
            Self::Mapping => tr_noop!("Column mapping"),
            Self::RevokeForm => tr_noop!("Revoke form"),
            Self::Review => tr_noop!("Confirmation"),
            Self::Activity => tr_noop!("Activity"),
            Self::JobRows => tr_noop!("Job rows"),
            Self::JobMenu => tr_noop!("Job menu"),
            Self::Menu => tr_noop!("Choice"),
            Self::Profiles => tr_noop!("Profile list"),
            Self::Draft => tr_noop!("Issue draft review"),
            Self::DraftRevoke => tr_noop!("Revoke draft review"),
            Self::Palette => tr_noop!("Command palette"),
            Self::Export => tr_noop!("List export"),
            Self::Exporting => tr_noop!("Running export"),
            Self::Json => tr_noop!("Raw JSON"),
            Self::Requests => tr_noop!("Request log"),
            Self::Home => tr_noop!("Home"),
            Self::Overview => tr_noop!("Home: counts"),
            Self::OverviewList => tr_noop!("Home: badges of a count"),
            Self::MailFailures => tr_noop!("Home: mail failures"),
            Self::Help => tr_noop!("Help"),
            Self::Welcome => tr_noop!("First screen"),
            Self::Tour => tr_noop!("Everywhere in the tour"),
        })
    }

    /// A screen, not a modal over one.
    pub fn is_a_screen(self) -> bool {
        let over = matches!(
            self,
            Self::Popup
                | Self::Menu
                | Self::JobMenu
                | Self::Profiles
                | Self::SortMenu
                | Self::ColumnMenu
                | Self::Filters
                | Self::File
                | Self::Mapping
                | Self::Exporting
                | Self::Help
                | Self::Welcome
                | Self::Tour
        );
        !over && !self.is_text()
    }

    /// Whether it takes typed letters as text.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::Field
                | Self::Palette
                | Self::FilterBar
                | Self::FilterLine
                | Self::Prompt
                | Self::LookUp
                | Self::Form
                | Self::RevokeForm
                | Self::FileField
                | Self::FilePicker
                | Self::Export
                | Self::Review
        )
    }
}

//! The places that have keys of their own.

use crate::i18n;
use crate::tui::input::action::kebab;

/// A place with keys of its own. What has the focus gives the stack of contexts that a key is looked up in,
/// innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere, also inside a text field: keys that no text needs.
    Always,
    /// Everywhere outside text fields.
    Global,
    /// Any list.
    List,
    /// The list of templates.
    Templates,
    /// A template in full, where the pane beside the list is folded away.
    Template,
    /// A picture that stands over the text.
    Picture,
    /// Categories and badge types.
    Categories,
    /// The issuance history.
    History,
    /// What a holder has.
    Wallet,
    /// One badge.
    Badge,
    /// A text field of the filter bar.
    FilterBar,
    /// A single text field: wallet look-up, badge id, row number.
    Prompt,
    /// The box of a look-up, which offers what was looked up earlier.
    LookUp,
    /// The choice of a column to sort by.
    SortMenu,
    /// The choice of the columns of a list.
    ColumnMenu,
    /// The saved filters of a list.
    Filters,
    /// A form's fields.
    Form,
    /// The name of a file, being typed.
    FileField,
    /// Where and as what a list is written.
    Export,
    /// A list that is being written.
    Exporting,
    /// A file, opened.
    File,
    /// The form for revoking.
    RevokeForm,
    /// A review before something is sent.
    Review,
    /// The organisation's name, typed before something is sent in LIVE.
    Organisation,
    /// The jobs.
    Activity,
    /// The rows of a job.
    JobRows,
    /// The overview.
    Overview,
    /// The badges behind a bar of the overview.
    OverviewList,
    /// A choice of a few.
    Menu,
    /// The list of profiles.
    Profiles,
    /// A draft of an issue whose rows are looked through.
    Draft,
    /// A draft of a revocation.
    DraftRevoke,
    /// The palette of every action.
    Palette,
    /// A record as it was sent.
    Json,
    /// The log of requests.
    Requests,
    /// The help.
    Help,
    /// The first screen, before there is a profile.
    Welcome,
    /// Everywhere, while the tour is taken.
    Tour,
}

impl Context {
    /// Its name in `keys.toml`: `job-rows`.
    pub fn name(self) -> String {
        kebab(&format!("{self:?}"))
    }

    /// Where that is, for people.
    pub fn place(self) -> &'static str {
        i18n::tr(match self {
            Self::Always => tr_noop!("Everywhere, also in a field"),
            Self::Global => tr_noop!("Everywhere outside fields"),
            Self::List => tr_noop!("Any list"),
            Self::Templates => tr_noop!("Templates"),
            Self::Template => tr_noop!("Template details"),
            Self::Picture => tr_noop!("Picture view"),
            Self::Categories => tr_noop!("Categories"),
            Self::History => tr_noop!("History"),
            Self::Wallet => tr_noop!("Wallet"),
            Self::Badge => tr_noop!("Badge"),
            Self::FilterBar => tr_noop!("Filter"),
            Self::Prompt => tr_noop!("Single field"),
            Self::LookUp => tr_noop!("Look-up box"),
            Self::SortMenu => tr_noop!("Sort menu"),
            Self::ColumnMenu => tr_noop!("List columns"),
            Self::Filters => tr_noop!("Saved filters"),
            Self::Form => tr_noop!("Form"),
            Self::FileField => tr_noop!("File name"),
            Self::File => tr_noop!("Recipient file"),
            Self::RevokeForm => tr_noop!("Revoke form"),
            Self::Review => tr_noop!("Review before sending"),
            Self::Organisation => tr_noop!("Organisation's name, before sending in LIVE"),
            Self::Activity => tr_noop!("Activity"),
            Self::JobRows => tr_noop!("Job rows"),
            Self::Menu => tr_noop!("Choice"),
            Self::Profiles => tr_noop!("Profile list"),
            Self::Draft => tr_noop!("Issue draft review"),
            Self::DraftRevoke => tr_noop!("Revoke draft review"),
            Self::Palette => tr_noop!("Command palette"),
            Self::Export => tr_noop!("List export"),
            Self::Exporting => tr_noop!("Running export"),
            Self::Json => tr_noop!("Raw JSON"),
            Self::Requests => tr_noop!("Request log"),
            Self::Overview => tr_noop!("Overview"),
            Self::OverviewList => tr_noop!("Badges of a bar"),
            Self::Help => tr_noop!("Help"),
            Self::Welcome => tr_noop!("First screen"),
            Self::Tour => tr_noop!("Everywhere in the tour"),
        })
    }

    /// Whether it is a screen of its own, rather than something that opens over one.
    pub fn is_a_screen(self) -> bool {
        let over = matches!(
            self,
            Self::Menu
                | Self::Profiles
                | Self::SortMenu
                | Self::ColumnMenu
                | Self::Filters
                | Self::File
                | Self::Exporting
                | Self::Review
                | Self::Help
                | Self::Welcome
                | Self::Tour
        );
        !over && !self.is_text()
    }

    /// Whether letters are typed there.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::Palette
                | Self::FilterBar
                | Self::Prompt
                | Self::LookUp
                | Self::Form
                | Self::RevokeForm
                | Self::FileField
                | Self::Export
                | Self::Organisation
        )
    }
}

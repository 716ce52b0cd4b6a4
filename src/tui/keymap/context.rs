//! The places that have keys of their own.

use crate::tui::action::kebab;
use crate::words;

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
        words::say(match self {
            Self::Always => mark!("Everywhere, also inside a field"),
            Self::Global => mark!("Everywhere outside fields"),
            Self::List => mark!("Any list"),
            Self::Templates => mark!("Templates"),
            Self::Template => mark!("A template in full"),
            Self::Picture => mark!("A picture over the text"),
            Self::Categories => mark!("Categories"),
            Self::History => mark!("History"),
            Self::Wallet => mark!("Wallet"),
            Self::Badge => mark!("Badge"),
            Self::FilterBar => mark!("The filter"),
            Self::Prompt => mark!("A single field"),
            Self::LookUp => mark!("The box of a look-up"),
            Self::SortMenu => mark!("The sort menu"),
            Self::ColumnMenu => mark!("The columns of a list"),
            Self::Filters => mark!("Saved filters"),
            Self::Form => mark!("A form"),
            Self::FileField => mark!("The name of a file"),
            Self::File => mark!("A file of recipients"),
            Self::RevokeForm => mark!("The revoke form"),
            Self::Review => mark!("A review before sending"),
            Self::Organisation => mark!("The organisation's name, before sending in LIVE"),
            Self::Activity => mark!("Activity"),
            Self::JobRows => mark!("Rows of a job"),
            Self::Menu => mark!("A choice"),
            Self::Profiles => mark!("The list of profiles"),
            Self::Draft => mark!("Looking through a draft"),
            Self::DraftRevoke => mark!("Looking through a revocation"),
            Self::Palette => mark!("The palette"),
            Self::Export => mark!("Exporting a list"),
            Self::Exporting => mark!("An export under way"),
            Self::Json => mark!("Raw JSON"),
            Self::Requests => mark!("The log of requests"),
            Self::Overview => mark!("The overview"),
            Self::OverviewList => mark!("Badges behind a bar"),
            Self::Help => mark!("The help"),
            Self::Welcome => mark!("The first screen"),
            Self::Tour => mark!("Everywhere, on the tour"),
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

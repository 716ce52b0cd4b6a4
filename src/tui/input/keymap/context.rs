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
            Self::Always => tr_noop!("Everywhere, also inside a field"),
            Self::Global => tr_noop!("Everywhere outside fields"),
            Self::List => tr_noop!("Any list"),
            Self::Templates => tr_noop!("Templates"),
            Self::Template => tr_noop!("A template in full"),
            Self::Picture => tr_noop!("A picture over the text"),
            Self::Categories => tr_noop!("Categories"),
            Self::History => tr_noop!("History"),
            Self::Wallet => tr_noop!("Wallet"),
            Self::Badge => tr_noop!("Badge"),
            Self::FilterBar => tr_noop!("The filter"),
            Self::Prompt => tr_noop!("A single field"),
            Self::LookUp => tr_noop!("The box of a look-up"),
            Self::SortMenu => tr_noop!("The sort menu"),
            Self::ColumnMenu => tr_noop!("The columns of a list"),
            Self::Filters => tr_noop!("Saved filters"),
            Self::Form => tr_noop!("A form"),
            Self::FileField => tr_noop!("The name of a file"),
            Self::File => tr_noop!("A file of recipients"),
            Self::RevokeForm => tr_noop!("The revoke form"),
            Self::Review => tr_noop!("A review before sending"),
            Self::Organisation => tr_noop!("The organisation's name, before sending in LIVE"),
            Self::Activity => tr_noop!("Activity"),
            Self::JobRows => tr_noop!("Rows of a job"),
            Self::Menu => tr_noop!("A choice"),
            Self::Profiles => tr_noop!("The list of profiles"),
            Self::Draft => tr_noop!("Looking through a draft"),
            Self::DraftRevoke => tr_noop!("Looking through a revocation"),
            Self::Palette => tr_noop!("The palette"),
            Self::Export => tr_noop!("Exporting a list"),
            Self::Exporting => tr_noop!("An export under way"),
            Self::Json => tr_noop!("Raw JSON"),
            Self::Requests => tr_noop!("The log of requests"),
            Self::Overview => tr_noop!("The overview"),
            Self::OverviewList => tr_noop!("Badges behind a bar"),
            Self::Help => tr_noop!("The help"),
            Self::Welcome => tr_noop!("The first screen"),
            Self::Tour => tr_noop!("Everywhere, on the tour"),
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

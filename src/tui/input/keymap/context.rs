//! Contexts: the parts of the TUI that have their own keys.

use crate::tui::prelude::*;
use strum::IntoStaticStr;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextKind {
    Screen,
    /// A modal over a screen.
    Over,
    /// It takes typed letters as text.
    Text,
}

/// Declares the contexts with their kinds, unless that is a screen, and their names for users. The number is that of the
/// rows that one step of the mouse wheel moves: 1 in a short menu, 3 in a list. In a form it must not change fields.
macro_rules! contexts {
    ($($(#[$doc:meta])* $name:ident $(($kind:ident $(, $rows:literal)?))? = $place:expr;)*) => {
        /// A key is looked up in the focused component's stack of contexts, innermost first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        pub enum KeyContext { $($(#[$doc])* $name,)* }

        impl KeyContext {
            pub fn place(self) -> &'static str {
                i18n::tr(match self { $(Self::$name => $place,)* })
            }

            fn kind(self) -> ContextKind {
                match self { $(Self::$name => contexts!(@kind $($kind)?),)* }
            }

            pub fn wheel_rows(self) -> Option<usize> {
                match self { $(Self::$name => contexts!(@rows $($($rows)?)?),)* }
            }
        }
    };
    (@kind) => { ContextKind::Screen };
    (@kind $kind:ident) => { ContextKind::$kind };
    (@rows) => { None };
    (@rows $rows:literal) => { Some($rows) };
}

contexts! {
    /// Everywhere, also in text fields: only keys that type no text.
    Always = tr_noop!("Everywhere, also in a field");
    Global = tr_noop!("Everywhere outside fields");
    /// Any text field of a session: the user may leave it for another tab. Nothing typed is lost there but a search, and
    /// the name of a new file or filter.
    Field (Text) = tr_noop!("Any field");
    /// Any popup without a focused text field.
    Popup (Over) = tr_noop!("Any popup");
    /// A modal that covers the screen, and may be left for a tab: nothing typed or decided is lost.
    Covering (Over) = tr_noop!("Any screen over a tab");
    List (Screen, 3) = tr_noop!("Any list");
    Templates = tr_noop!("Templates");
    /// Template details, when there is no pane beside the list.
    Template = tr_noop!("Template details");
    Picture = tr_noop!("Picture view");
    Categories = tr_noop!("Categories");
    History = tr_noop!("History");
    Wallet = tr_noop!("Wallet");
    Badge (Screen, 3) = tr_noop!("Badge");
    FilterBar (Text) = tr_noop!("Filter form");
    FilterLine (Text) = tr_noop!("Filter line");
    /// A single text field: badge id, row number.
    Prompt (Text) = tr_noop!("Single field");
    /// The look-up box, which offers earlier look-ups.
    LookUp (Text) = tr_noop!("Look-up box");
    SortMenu (Over, 1) = tr_noop!("Sort menu");
    ColumnMenu (Over, 1) = tr_noop!("List columns");
    Filters (Over, 1) = tr_noop!("Saved filters");
    Form (Text) = tr_noop!("Form");
    FileField (Text) = tr_noop!("File name");
    /// The list of recent files and of a folder.
    FilePicker (Text, 1) = tr_noop!("File list");
    Export (Text) = tr_noop!("List export");
    Exporting (Over) = tr_noop!("Running export");
    File (Over) = tr_noop!("Recipient file");
    Mapping (Over) = tr_noop!("Column mapping");
    RevokeForm (Text) = tr_noop!("Revoke form");
    /// The confirmation over a form or a list.
    Review (Text) = tr_noop!("Confirmation");
    /// The list of jobs.
    Activity = tr_noop!("Activity");
    JobRows = tr_noop!("Job rows");
    /// What is possible with a job: the run popup and the export popup.
    JobMenu (Over, 1) = tr_noop!("Job menu");
    Home = tr_noop!("Home");
    Overview = tr_noop!("Home: counts");
    OverviewList = tr_noop!("Home: badges of a count");
    MailFailures = tr_noop!("Home: mail failures");
    Menu (Over, 1) = tr_noop!("Choice");
    Profiles (Over, 1) = tr_noop!("Profile list");
    Draft = tr_noop!("Issue draft review");
    DraftRevoke = tr_noop!("Revoke draft review");
    Palette (Text, 1) = tr_noop!("Command palette");
    Json (Screen, 3) = tr_noop!("Raw JSON");
    Requests (Screen, 3) = tr_noop!("Request log");
    Help (Over, 3) = tr_noop!("Help");
    /// The first screen while there is no profile.
    Welcome (Over) = tr_noop!("First screen");
    Tour (Over) = tr_noop!("Everywhere in the tour");
}

impl KeyContext {
    pub fn in_popup(self) -> Vec<Self> {
        vec![self, Self::Popup, Self::Always]
    }

    pub fn over_tab(self) -> Vec<Self> {
        vec![self, Self::Covering, Self::Popup, Self::Always]
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
            Self::FilterBar => Action::Filter.hint(),
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

    /// A screen, not a modal over one.
    pub fn is_a_screen(self) -> bool {
        self.kind() == ContextKind::Screen
    }

    pub fn is_text(self) -> bool {
        self.kind() == ContextKind::Text
    }
}

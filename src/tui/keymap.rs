//! Which key does what, where. The help, the footer, the palette and the README's table are made from this.

mod file;
mod hangul;

use super::action::{Action, kebab};
use super::theme::Glyphs;
use crate::words;
use crokey::{KeyCombination, OneToThree};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::{HashMap, HashSet};

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
                | Self::Review
                | Self::Organisation
        )
    }
}

/// One line of the keymap: what an action's keys are in a context.
type Line = (Context, Action, &'static [&'static str]);

/// The keys that lapel comes with.
const DEFAULT: &[Line] = &[
    (Context::Always, Action::QuitNow, &["ctrl-c"]),
    (Context::Always, Action::Suspend, &["ctrl-z"]),
    (Context::Always, Action::Help, &["f1"]),
    (Context::Always, Action::Palette, &["ctrl-p"]),
    (Context::Global, Action::Templates, &["1"]),
    (Context::Global, Action::History, &["2"]),
    (Context::Global, Action::WalletTab, &["3"]),
    (Context::Global, Action::BadgeTab, &["4"]),
    (Context::Global, Action::NextTab, &["tab"]),
    (Context::Global, Action::PreviousTab, &["backtab"]),
    (Context::Global, Action::Reload, &["r", "f5"]),
    (Context::Global, Action::Activity, &["5"]),
    (Context::Global, Action::RequestLog, &["L"]),
    (Context::Global, Action::AutoRefresh, &["A"]),
    (Context::Global, Action::Language, &["K"]),
    (Context::Global, Action::Overview, &["O"]),
    (Context::Global, Action::Dismiss, &["backspace"]),
    (Context::Global, Action::Profiles, &["P"]),
    (Context::Global, Action::Tour, &["T"]),
    (Context::Global, Action::ForgetRecent, &["ctrl-x f"]),
    (Context::Global, Action::Help, &["?"]),
    (Context::Global, Action::Palette, &[":"]),
    (Context::Global, Action::Back, &["esc"]),
    (Context::Global, Action::Quit, &["q"]),
    (Context::List, Action::Down, &["down", "j"]),
    (Context::List, Action::Up, &["up", "k"]),
    // ctrl-b is tmux's, so page-up has ctrl-u, and page-down its neighbour in vim, ctrl-d.
    (Context::List, Action::PageDown, &["pagedown", "ctrl-d", "ctrl-f"]),
    (Context::List, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::List, Action::First, &["home", "g"]),
    (Context::List, Action::Last, &["end", "G"]),
    (Context::List, Action::GoToRow, &["#"]),
    (Context::Templates, Action::Open, &["enter", "l", "right"]),
    (Context::Templates, Action::Issue, &["i"]),
    (Context::Templates, Action::Categories, &["c"]),
    (Context::Templates, Action::Filter, &["/"]),
    (Context::Templates, Action::Sort, &["s"]),
    (Context::Templates, Action::ChooseColumns, &["C"]),
    (Context::Templates, Action::SavedFilters, &["f"]),
    (Context::Templates, Action::SaveFilter, &["S"]),
    (Context::Templates, Action::Copy, &["y"]),
    (Context::Templates, Action::OpenPicture, &["o"]),
    (Context::Templates, Action::Raw, &["J"]),
    (Context::Templates, Action::Export, &["e"]),
    (Context::Template, Action::Issue, &["i"]),
    (Context::Template, Action::Picture, &["p"]),
    (Context::Template, Action::Back, &["esc", "h", "left"]),
    (Context::Picture, Action::TurnOver, &["f"]),
    (Context::Picture, Action::Back, &["esc", "p", "h", "left"]),
    (Context::Categories, Action::OnlyCategory, &["enter"]),
    (Context::Categories, Action::Copy, &["y"]),
    (Context::Categories, Action::Raw, &["J"]),
    (Context::Categories, Action::Back, &["esc", "c"]),
    (Context::History, Action::Open, &["enter", "l", "right"]),
    (Context::History, Action::Mark, &["space"]),
    (Context::History, Action::Range, &["v"]),
    (Context::History, Action::MarkLoaded, &["a"]),
    (Context::History, Action::MarkAll, &["* a"]),
    (Context::History, Action::InvertMarks, &["t"]),
    (Context::History, Action::ClearMarks, &["u"]),
    (Context::History, Action::Revoke, &["x"]),
    (Context::History, Action::Wallet, &["w"]),
    (Context::History, Action::Ids, &["F"]),
    (Context::History, Action::Filter, &["/"]),
    (Context::History, Action::Sort, &["s"]),
    (Context::History, Action::ChooseColumns, &["C"]),
    (Context::History, Action::SavedFilters, &["f"]),
    (Context::History, Action::SaveFilter, &["S"]),
    (Context::History, Action::Export, &["e"]),
    (Context::History, Action::Copy, &["y"]),
    (Context::History, Action::Raw, &["J"]),
    (Context::Wallet, Action::Open, &["enter", "l", "right"]),
    (Context::Wallet, Action::LookUp, &["/"]),
    (Context::Wallet, Action::Export, &["e"]),
    (Context::Wallet, Action::CopySummary, &["Y"]),
    (Context::Wallet, Action::Elsewhere, &["d"]),
    (Context::Wallet, Action::TryPictures, &["u"]),
    (Context::Wallet, Action::Revoke, &["x"]),
    (Context::Wallet, Action::Copy, &["y"]),
    (Context::Wallet, Action::OpenPicture, &["o"]),
    (Context::Wallet, Action::Raw, &["J"]),
    (Context::Wallet, Action::Sort, &["s"]),
    (Context::Wallet, Action::ChooseColumns, &["C"]),
    (Context::Badge, Action::FindBadge, &["/", "e"]),
    (Context::Badge, Action::Down, &["down", "j"]),
    (Context::Badge, Action::Up, &["up", "k"]),
    (Context::Badge, Action::PageDown, &["pagedown", "ctrl-d"]),
    (Context::Badge, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Badge, Action::Wallet, &["w"]),
    (Context::Badge, Action::CopySummary, &["Y"]),
    (Context::Badge, Action::Revoke, &["x"]),
    (Context::Badge, Action::Replace, &["c"]),
    (Context::Badge, Action::Picture, &["p"]),
    (Context::Badge, Action::TurnOver, &["f"]),
    (Context::Badge, Action::Copy, &["y"]),
    (Context::Badge, Action::OpenPicture, &["o"]),
    (Context::Badge, Action::Raw, &["J"]),
    (Context::FilterBar, Action::NextField, &["tab", "down"]),
    (Context::FilterBar, Action::PreviousField, &["backtab", "up"]),
    (Context::FilterBar, Action::ClearField, &["ctrl-u"]),
    (Context::FilterBar, Action::ClearFilter, &["ctrl-x"]),
    (Context::FilterBar, Action::SavedFilters, &["ctrl-o"]),
    (Context::FilterBar, Action::SaveFilter, &["f2"]),
    (Context::FilterBar, Action::Back, &["esc", "enter"]),
    (Context::Prompt, Action::Accept, &["enter"]),
    (Context::Prompt, Action::ClearField, &["ctrl-u"]),
    (Context::Prompt, Action::NextTab, &["tab"]),
    (Context::Prompt, Action::PreviousTab, &["backtab"]),
    (Context::Prompt, Action::Back, &["esc"]),
    (Context::LookUp, Action::Earlier, &["up"]),
    (Context::LookUp, Action::Later, &["down"]),
    (Context::Filters, Action::Down, &["down", "j"]),
    (Context::Filters, Action::Up, &["up", "k"]),
    (Context::Filters, Action::First, &["home", "g"]),
    (Context::Filters, Action::Last, &["end", "G"]),
    (Context::Filters, Action::Accept, &["enter"]),
    (Context::Filters, Action::SaveFilter, &["S"]),
    (Context::Filters, Action::Rename, &["r", "f2"]),
    (Context::Filters, Action::Remove, &["d"]),
    (Context::Filters, Action::Back, &["esc", "f"]),
    (Context::SortMenu, Action::Down, &["down", "j"]),
    (Context::SortMenu, Action::Up, &["up", "k"]),
    (Context::SortMenu, Action::ToggleDirection, &["d", "space"]),
    (Context::SortMenu, Action::Accept, &["enter"]),
    (Context::SortMenu, Action::Back, &["esc", "s"]),
    (Context::ColumnMenu, Action::Down, &["down", "j"]),
    (Context::ColumnMenu, Action::Up, &["up", "k"]),
    (Context::ColumnMenu, Action::Toggle, &["space"]),
    (Context::ColumnMenu, Action::ColumnLeft, &["K", "shift-up"]),
    (Context::ColumnMenu, Action::ColumnRight, &["J", "shift-down"]),
    (Context::ColumnMenu, Action::Narrower, &["-", "left"]),
    (Context::ColumnMenu, Action::Wider, &["+", "right"]),
    (Context::ColumnMenu, Action::ResetColumns, &["R"]),
    (Context::ColumnMenu, Action::Back, &["esc", "C"]),
    (Context::Form, Action::NextField, &["tab", "down"]),
    (Context::Form, Action::PreviousField, &["backtab", "up"]),
    (Context::Form, Action::ClearField, &["ctrl-u"]),
    (Context::Form, Action::PageDown, &["pagedown"]),
    (Context::Form, Action::PageUp, &["pageup"]),
    (Context::Form, Action::Editor, &["ctrl-x"]),
    (Context::Form, Action::Accept, &["enter"]),
    (Context::Form, Action::Back, &["esc"]),
    (Context::FileField, Action::Complete, &["tab"]),
    (Context::FileField, Action::Earlier, &["up"]),
    (Context::FileField, Action::Later, &["down"]),
    (Context::FileField, Action::PreviousField, &["backtab"]),
    (Context::FileField, Action::ClearField, &["ctrl-u"]),
    (Context::FileField, Action::Accept, &["enter"]),
    (Context::FileField, Action::Back, &["esc"]),
    (Context::Export, Action::Accept, &["enter"]),
    (Context::Export, Action::Complete, &["tab"]),
    (Context::Export, Action::Earlier, &["up"]),
    (Context::Export, Action::Later, &["down"]),
    (Context::Export, Action::Down, &["pagedown"]),
    (Context::Export, Action::Up, &["pageup"]),
    (Context::Export, Action::ClearField, &["ctrl-u"]),
    (Context::Export, Action::Aside, &["ctrl-o"]),
    (Context::Export, Action::Back, &["esc"]),
    (Context::File, Action::Accept, &["enter"]),
    (Context::File, Action::Encoding, &["e"]),
    (Context::File, Action::Columns, &["m"]),
    (Context::File, Action::Sheet, &["s"]),
    (Context::File, Action::Header, &["h"]),
    (Context::File, Action::Toggle, &["t"]),
    (Context::File, Action::Back, &["esc"]),
    (Context::RevokeForm, Action::Toggle, &["tab"]),
    (Context::RevokeForm, Action::Earlier, &["up"]),
    (Context::RevokeForm, Action::Later, &["down"]),
    (Context::RevokeForm, Action::ClearField, &["ctrl-u"]),
    (Context::RevokeForm, Action::Editor, &["ctrl-x"]),
    (Context::RevokeForm, Action::PageDown, &["pagedown"]),
    (Context::RevokeForm, Action::PageUp, &["pageup"]),
    (Context::RevokeForm, Action::Accept, &["enter"]),
    (Context::RevokeForm, Action::Back, &["esc"]),
    // Not Enter, and not a key that opens a form.
    (Context::Review, Action::Confirm, &["y"]),
    (Context::Review, Action::ClearField, &["ctrl-u"]),
    (Context::Review, Action::PageDown, &["pagedown"]),
    (Context::Review, Action::PageUp, &["pageup"]),
    (Context::Review, Action::Back, &["esc"]),
    // Every letter is text there; and it is not the key of the step before.
    (Context::Organisation, Action::Confirm, &["ctrl-o"]),
    (Context::Organisation, Action::ClearField, &["ctrl-u"]),
    (Context::Organisation, Action::Back, &["esc"]),
    (Context::Activity, Action::Open, &["enter", "l", "right"]),
    (Context::Activity, Action::Pause, &["p"]),
    (Context::Activity, Action::Resume, &["R"]),
    (Context::Activity, Action::UseUp, &["H"]),
    (Context::Activity, Action::Retry, &["t"]),
    (Context::Activity, Action::CallOff, &["c"]),
    (Context::Activity, Action::Undo, &["u"]),
    (Context::Activity, Action::Receipt, &["e"]),
    (Context::Activity, Action::Redo, &["o"]),
    (Context::Activity, Action::Mail, &["m"]),
    (Context::Activity, Action::Ids, &["F"]),
    (Context::Activity, Action::Look, &["r", "f5"]),
    (Context::Activity, Action::Copy, &["y"]),
    (Context::Activity, Action::Sort, &["s"]),
    (Context::Activity, Action::ChooseColumns, &["C"]),
    (Context::JobRows, Action::Open, &["enter", "l", "right"]),
    (Context::JobRows, Action::Only, &["f"]),
    (Context::JobRows, Action::Decide, &["d"]),
    (Context::JobRows, Action::Wallet, &["w"]),
    (Context::JobRows, Action::Receipt, &["e"]),
    (Context::JobRows, Action::Redo, &["o"]),
    (Context::JobRows, Action::Look, &["r", "f5"]),
    (Context::JobRows, Action::Copy, &["y"]),
    (Context::JobRows, Action::Raw, &["J"]),
    (Context::JobRows, Action::Sort, &["s"]),
    (Context::JobRows, Action::ChooseColumns, &["C"]),
    (Context::JobRows, Action::Back, &["esc", "h", "left"]),
    (Context::Overview, Action::Open, &["enter"]),
    (Context::Overview, Action::NextSection, &["tab", "l", "right"]),
    (Context::Overview, Action::PreviousSection, &["backtab", "h", "left"]),
    (Context::Overview, Action::Period, &["p"]),
    (Context::Overview, Action::FindCert, &["/"]),
    (Context::Overview, Action::Rescan, &["R"]),
    (Context::Overview, Action::IndexStop, &["S"]),
    (Context::Overview, Action::IndexOn, &["o"]),
    (Context::OverviewList, Action::Open, &["enter", "l", "right"]),
    (Context::OverviewList, Action::Renew, &["i"]),
    (Context::OverviewList, Action::Wallet, &["w"]),
    (Context::OverviewList, Action::Details, &["D"]),
    (Context::OverviewList, Action::FindCert, &["/"]),
    (Context::OverviewList, Action::IndexStop, &["S"]),
    (Context::OverviewList, Action::Back, &["esc", "h", "left"]),
    (Context::Menu, Action::Down, &["down", "j"]),
    (Context::Menu, Action::Up, &["up", "k"]),
    (Context::Menu, Action::Accept, &["enter"]),
    (Context::Menu, Action::Back, &["esc"]),
    (Context::Profiles, Action::Down, &["down", "j"]),
    (Context::Profiles, Action::Up, &["up", "k"]),
    (Context::Profiles, Action::Accept, &["enter"]),
    (Context::Profiles, Action::ChangeProfile, &["e"]),
    (Context::Profiles, Action::TestProfile, &["t"]),
    (Context::Profiles, Action::RemoveProfile, &["X"]),
    (Context::Profiles, Action::Back, &["esc"]),
    (Context::Draft, Action::Only, &["f"]),
    (Context::Draft, Action::Correct, &["enter"]),
    (Context::Draft, Action::Allow, &["space"]),
    (Context::Draft, Action::LeaveOut, &["x"]),
    (Context::Draft, Action::AllowClass, &["A"]),
    (Context::Draft, Action::LeaveOutClass, &["X"]),
    (Context::Draft, Action::NextField, &["tab"]),
    (Context::Draft, Action::Reload, &["r", "f5"]),
    (Context::Draft, Action::Redo, &["o"]),
    (Context::Draft, Action::Confirm, &["y"]),
    (Context::Draft, Action::Back, &["esc"]),
    (Context::DraftRevoke, Action::Only, &["f"]),
    (Context::DraftRevoke, Action::Redo, &["o"]),
    (Context::DraftRevoke, Action::Confirm, &["y"]),
    (Context::DraftRevoke, Action::Back, &["esc"]),
    (Context::Palette, Action::Down, &["down", "tab"]),
    (Context::Palette, Action::Up, &["up", "backtab"]),
    (Context::Palette, Action::PageDown, &["pagedown"]),
    (Context::Palette, Action::PageUp, &["pageup"]),
    (Context::Palette, Action::ClearField, &["ctrl-u"]),
    (Context::Palette, Action::Accept, &["enter"]),
    (Context::Palette, Action::Back, &["esc"]),
    (Context::Json, Action::Down, &["down", "j"]),
    (Context::Json, Action::Up, &["up", "k"]),
    (Context::Json, Action::PageDown, &["pagedown", "ctrl-d", "space"]),
    (Context::Json, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Json, Action::First, &["home", "g"]),
    (Context::Json, Action::Last, &["end", "G"]),
    (Context::Json, Action::CopyAll, &["y"]),
    (Context::Json, Action::OtherRecord, &["tab"]),
    (Context::Json, Action::Reload, &["r", "f5"]),
    (Context::Json, Action::Back, &["esc", "J", "q"]),
    (Context::Requests, Action::Down, &["down", "j"]),
    (Context::Requests, Action::Up, &["up", "k"]),
    (Context::Requests, Action::PageDown, &["pagedown", "ctrl-d"]),
    (Context::Requests, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Requests, Action::First, &["home", "g"]),
    (Context::Requests, Action::Last, &["end", "G"]),
    (Context::Requests, Action::Save, &["s"]),
    (Context::Requests, Action::Back, &["esc", "L", "q"]),
    (Context::Help, Action::Down, &["down", "j"]),
    (Context::Help, Action::Up, &["up", "k"]),
    (Context::Help, Action::PageDown, &["pagedown", "ctrl-d"]),
    (Context::Help, Action::PageUp, &["pageup", "ctrl-u"]),
    (Context::Help, Action::Back, &["esc", "?", "q", "f1"]),
    (Context::Tour, Action::TourSkip, &["ctrl-n"]),
    (Context::Tour, Action::TourLeave, &["ctrl-g"]),
    (Context::Welcome, Action::Tour, &["t"]),
    (Context::Welcome, Action::ChooseSandbox, &["s"]),
    (Context::Welcome, Action::ChooseService, &["u"]),
    (Context::Welcome, Action::Profiles, &["P"]),
    (Context::Welcome, Action::Reload, &["r", "f5"]),
    (Context::Welcome, Action::Quit, &["q"]),
];

/// Keys that are pressed one after the other; mostly one.
type Chord = Vec<KeyCombination>;

/// What a key press comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// An action.
    Action(Action),
    /// The beginning of a chord: another key is to follow.
    Begun,
    /// What ends a chord that was begun, and no action: nothing happens.
    Dropped,
    /// Several letters in one, as Hangul input makes them: which keys were meant cannot be told.
    Syllable,
    /// No key of the keymap; a letter, maybe.
    Free,
}

/// What keys are in the keymap.
enum Found {
    Action(Action),
    Beginning,
    Nothing,
}

/// The keys in force.
#[derive(Clone, Debug)]
pub struct Keymap {
    lines: Vec<(Context, Action, Vec<Chord>)>,
    lookup: HashMap<Context, HashMap<Chord, Action>>,
    /// With which keys chords begin; mostly there are none.
    beginnings: HashMap<Context, HashSet<Chord>>,
    ascii: bool,
}

impl Default for Keymap {
    fn default() -> Self {
        // A name that does not parse would be a slip in the table above; a test looks for it.
        let read = |keys: &[&str]| keys.iter().filter_map(|k| parse(k)).collect();
        Self::of(DEFAULT.iter().map(|(context, action, keys)| (*context, *action, read(keys))).collect())
    }
}

/// Keys by their names, one after the other: `x`, `g t`.
fn parse(names: &str) -> Option<Chord> {
    let chord: Chord = names.split_whitespace().map(parse_one).collect::<Option<_>>()?;
    (!chord.is_empty()).then_some(chord)
}

/// A key by its name, where one capital letter stands for that letter with shift.
fn parse_one(name: &str) -> Option<KeyCombination> {
    let mut chars = name.chars();
    let parsed = match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_uppercase() => crokey::parse(&format!("shift-{letter}")),
        _ => crokey::parse(name),
    };
    parsed.ok().map(normal)
}

/// One form for a key that terminals report in several: shift is said or not with a capital letter, a sign
/// such as `?`, or back-tab.
fn normal(key: KeyCombination) -> KeyCombination {
    let mut key = key.normalized();
    match key.codes {
        OneToThree::One(KeyCode::Char(c)) if !c.is_alphabetic() => key.modifiers.remove(KeyModifiers::SHIFT),
        OneToThree::One(KeyCode::BackTab) => key.modifiers.insert(KeyModifiers::SHIFT),
        _ => {}
    }
    key
}

impl Keymap {
    fn of(lines: Vec<(Context, Action, Vec<Chord>)>) -> Self {
        let mut lookup: HashMap<Context, HashMap<Chord, Action>> = HashMap::new();
        let mut beginnings: HashMap<Context, HashSet<Chord>> = HashMap::new();
        for (context, action, chords) in &lines {
            for chord in chords {
                lookup.entry(*context).or_default().insert(chord.clone(), *action);
                for n in 1..chord.len() {
                    beginnings.entry(*context).or_default().insert(chord[..n].to_vec());
                }
            }
        }
        Self { lines, lookup, beginnings, ascii: false }
    }

    /// With its keys named in this set of signs.
    #[must_use]
    pub fn named(self, glyphs: &Glyphs) -> Self {
        Self { ascii: *glyphs == Glyphs::ASCII, ..self }
    }

    /// Keys as a person reads them.
    pub fn name(&self, chord: &[KeyCombination]) -> String {
        chord.iter().map(|key| name(*key, self.ascii)).collect::<Vec<_>>().join(" ")
    }

    /// Keys of one action, as a person reads them.
    fn names<'a>(&self, chords: impl IntoIterator<Item = &'a Chord>) -> String {
        let names: Vec<String> = chords.into_iter().map(|chord| self.name(chord)).collect();
        let chorded = names.iter().any(|name| name.contains(' '));
        names.join(if chorded { ", " } else { " " })
    }

    /// What `key` comes to where the contexts in `stack` apply, innermost first; `begun` holds the keys of a
    /// chord that were pressed before it, and takes this one while more is to follow.
    pub fn press(&self, stack: &[Context], begun: &mut Vec<KeyCombination>, key: KeyEvent) -> Press {
        let first = begun.is_empty();
        let mut chord = std::mem::take(begun);
        chord.push(normal(KeyCombination::from(key)));
        let found = self.find(stack, &chord);
        let typed = if let KeyCode::Char(letter) = key.code { Some(letter) } else { None };
        let in_text = stack.first().is_some_and(|context| context.is_text());
        let found = match (found, typed.and_then(hangul::latin)) {
            (Found::Nothing, Some(latin)) if !in_text => {
                chord.pop();
                chord.push(normal(KeyCombination::from(KeyEvent { code: KeyCode::Char(latin), ..key })));
                self.find(stack, &chord)
            }
            (found, _) => found,
        };
        match found {
            Found::Action(action) => Press::Action(action),
            Found::Beginning => {
                *begun = chord;
                Press::Begun
            }
            Found::Nothing if !first => Press::Dropped,
            Found::Nothing if !in_text && typed.is_some_and(hangul::is_syllable) => Press::Syllable,
            Found::Nothing => Press::Free,
        }
    }

    /// What these keys are: the innermost context that knows them decides.
    fn find(&self, stack: &[Context], chord: &[KeyCombination]) -> Found {
        stack
            .iter()
            .find_map(|context| match self.lookup.get(context).and_then(|keys| keys.get(chord)) {
                Some(action) => Some(Found::Action(*action)),
                None => self.begins(*context, chord).then_some(Found::Beginning),
            })
            .unwrap_or(Found::Nothing)
    }

    fn begins(&self, context: Context, chord: &[KeyCombination]) -> bool {
        self.beginnings.get(&context).is_some_and(|all| all.contains(chord))
    }

    /// Whether inner contexts leave these keys to an outer one.
    fn is_free(&self, inner: &[Context], chord: &[KeyCombination]) -> bool {
        let cut_short = |n: usize| matches!(self.find(inner, &chord[..n]), Found::Action(_));
        matches!(self.find(inner, chord), Found::Nothing) && !(1..chord.len()).any(cut_short)
    }

    /// What can follow the keys of a chord that was begun.
    pub fn follows(&self, stack: &[Context], begun: &[KeyCombination]) -> Vec<(String, Action)> {
        self.bound(stack, |_| true)
            .filter(|(_, chord)| chord.len() > begun.len() && chord.starts_with(begun))
            .map(|(action, chord)| (self.name(&chord[begun.len()..]), action))
            .collect()
    }

    /// The keys that reach actions in `stack`, innermost first.
    fn bound<'a>(
        &'a self,
        stack: &'a [Context],
        wanted: impl Fn(Action) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = (Action, &'a Chord)> {
        stack.iter().enumerate().flat_map(move |(depth, context)| {
            self.lines
                .iter()
                .filter(move |(c, action, _)| c == context && wanted(*action))
                .flat_map(|(_, action, chords)| chords.iter().map(move |chord| (*action, chord)))
                .filter(move |(_, chord)| self.is_free(&stack[..depth], chord))
        })
    }

    /// The lines of the help for `stack`: keys and action, a key that an inner context takes left out.
    pub fn help(&self, stack: &[Context]) -> Vec<(String, Action)> {
        let mut lines: Vec<(String, Action)> = Vec::new();
        for (depth, context) in stack.iter().enumerate() {
            for (_, action, chords) in self.lines.iter().filter(|(c, ..)| c == context) {
                let free: Vec<&Chord> =
                    chords.iter().filter(|chord| self.is_free(&stack[..depth], chord)).collect();
                if !free.is_empty() && !lines.iter().any(|(_, a)| a == action) {
                    lines.push((self.names(free), *action));
                }
            }
        }
        lines
    }

    /// The first keys of an action in `stack`, for a hint.
    pub fn key(&self, stack: &[Context], action: Action) -> Option<String> {
        self.bound(stack, move |a| a == action).next().map(|(_, chord)| self.name(chord))
    }

    /// Whether an action belongs to one of these contexts, bound or not.
    pub fn has(&self, stack: &[Context], action: Action) -> bool {
        self.lines.iter().any(|(context, a, _)| *a == action && stack.contains(context))
    }

    /// Every line, in order: for the README's table and for tests.
    pub fn lines(&self) -> impl Iterator<Item = (Context, Action, String)> + '_ {
        self.lines.iter().map(|(context, action, chords)| (*context, *action, self.names(chords)))
    }
}

/// A key as a person reads it; arrows and the enter key are words where there are only ASCII signs.
fn name(key: KeyCombination, ascii: bool) -> String {
    let written = key.to_string().to_lowercase();
    match written.as_str() {
        "enter" | "up" | "down" | "left" | "right" if ascii => written.clone(),
        "enter" => "⏎".to_owned(),
        "backtab" | "shift-backtab" => "S-Tab".to_owned(),
        "tab" => "Tab".to_owned(),
        "hyphen" => "-".to_owned(),
        "pagedown" => "PgDn".to_owned(),
        "pageup" => "PgUp".to_owned(),
        "up" => "↑".to_owned(),
        "down" => "↓".to_owned(),
        "left" => "←".to_owned(),
        "right" => "→".to_owned(),
        _ => match written.strip_prefix("shift-") {
            Some(letter) if letter.chars().count() == 1 => letter.to_uppercase(),
            _ => written,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_is_a_key_and_has_one_meaning_in_its_context() {
        let mut seen = HashMap::new();
        for (context, action, keys) in DEFAULT {
            for key in *keys {
                let parsed = parse(key).unwrap_or_else(|| panic!("{key} is no key"));
                let before = seen.insert((*context, parsed), *action);
                assert!(before.is_none(), "{key} means both {before:?} and {action:?} in {context:?}");
            }
        }
    }

    #[test]
    fn every_action_can_be_reached() {
        let keymap = Keymap::default();
        for action in Action::ALL {
            assert!(
                keymap.lines.iter().any(|(_, a, k)| a == action && !k.is_empty()),
                "{action:?} has no key"
            );
        }
    }

    #[test]
    fn keys_as_terminals_send_them_are_found() {
        let keymap = Keymap::default();
        let stack = [Context::History, Context::List, Context::Global, Context::Always];
        for (code, modifiers, action) in [
            (KeyCode::Char('G'), KeyModifiers::SHIFT, Action::Last),
            (KeyCode::Char('G'), KeyModifiers::NONE, Action::Last),
            (KeyCode::Char('g'), KeyModifiers::NONE, Action::First),
            (KeyCode::Char('?'), KeyModifiers::NONE, Action::Help),
            (KeyCode::Char('?'), KeyModifiers::SHIFT, Action::Help),
            (KeyCode::Char('#'), KeyModifiers::NONE, Action::GoToRow),
            (KeyCode::Char(' '), KeyModifiers::NONE, Action::Mark),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Action::QuitNow),
            (KeyCode::BackTab, KeyModifiers::SHIFT, Action::PreviousTab),
            (KeyCode::BackTab, KeyModifiers::NONE, Action::PreviousTab),
            (KeyCode::Char('5'), KeyModifiers::NONE, Action::Activity),
            (KeyCode::Char('a'), KeyModifiers::NONE, Action::MarkLoaded),
        ] {
            let press = keymap.press(&stack, &mut Vec::new(), KeyEvent::new(code, modifiers));
            assert_eq!(press, Press::Action(action), "{code:?} {modifiers:?}");
        }
        let odd = KeyEvent::new(KeyCode::Char('Z'), KeyModifiers::NONE);
        assert_eq!(keymap.press(&stack, &mut Vec::new(), odd), Press::Free);
    }

    #[test]
    fn nothing_is_confirmed_by_enter_or_by_a_key_that_opens_a_form() {
        let keymap = Keymap::default();
        let confirms: Vec<_> =
            keymap.lines.iter().filter(|(_, a, _)| *a == Action::Confirm).flat_map(|(.., k)| k).collect();
        for (_, action, keys) in &keymap.lines {
            if matches!(action, Action::Issue | Action::Revoke | Action::Accept | Action::Open) {
                assert!(keys.iter().all(|k| !confirms.contains(&k)), "{action:?}");
            }
        }
    }

    #[test]
    fn the_help_of_its_context_shows_every_action() {
        let keymap = Keymap::default();
        for (context, action, _) in keymap.lines() {
            let shown = keymap.help(&[context, Context::Global, Context::Always]);
            assert!(shown.iter().any(|(_, a)| *a == action), "{action:?} in {context:?}: {shown:?}");
            assert!(!action.help().is_empty() && !action.hint().is_empty());
        }
    }

    #[test]
    fn the_help_leaves_out_what_an_inner_context_takes() {
        let keymap = Keymap::default();
        let lines = keymap.help(&[Context::Help, Context::Global]);
        let back: Vec<_> = lines.iter().filter(|(_, a)| *a == Action::Quit).collect();
        assert!(back.is_empty(), "q closes the help: {lines:?}");
    }
}

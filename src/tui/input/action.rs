//! Every action of the TUI, with its texts for the footer, the help and the palette.

use crate::tui::prelude::*;
use strum::IntoStaticStr;

macro_rules! actions {
    ($($name:ident $([$($kind:ident)+])?: $hint:literal, $short:literal $(=> $help:literal)?;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        pub enum Action {
            $($name,)*
        }

        impl Action {
            /// All actions, in the order of the help.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in `keys.toml`: `page-down`.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// One or two words for the footer.
            pub fn hint(self) -> &'static str {
                i18n::tr(match self { $(Self::$name => $hint,)* })
            }

            /// What it does, short enough for one line of the palette at 80 columns.
            pub fn short(self) -> &'static str {
                i18n::tr(match self { $(Self::$name => $short,)* })
            }

            /// What it does, with all that the help says about it.
            pub fn help(self) -> &'static str {
                match self { $(Self::$name => actions!(@help self $(=> $help)?),)* }
            }

            pub(in crate::tui) fn is(self, kind: ActionKind) -> bool {
                let kinds: &[ActionKind] = match self { $(Self::$name => &[$($(ActionKind::$kind),+)?],)* };
                kinds.contains(&kind)
            }
        }
    };
    (@help $action:ident => $help:literal) => { i18n::tr($help) };
    (@help $action:ident) => { $action.short() };
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum ActionKind {
    /// It only moves or types. The palette does not list it.
    HandWork,
    /// It moves in a list or a text, which its key does faster than the palette.
    Moves,
    /// It changes something at the service, or prepares a change.
    Acts,
    /// It revokes, cancels or deletes something, at once or after a confirmation.
    Destroys,
    OfJob,
}

impl Action {
    pub fn is_hand_work(self) -> bool {
        self.is(ActionKind::HandWork)
    }

    pub(in crate::tui) fn sends(self) -> bool {
        matches!(self, Self::Resume | Self::Retry | Self::UseUp)
    }

    /// Whether it sends, revokes, cancels or deletes something, at once or after a confirmation.
    pub(in crate::tui) fn is_destructive(self) -> bool {
        self.sends() || self.is(ActionKind::Destroys)
    }
}

actions! {
    Down [HandWork]: "down", "move one row down";
    Up [HandWork]: "up", "move one row up";
    PageDown [HandWork]: "page down", "move one page down";
    PageUp [HandWork]: "page up", "move one page up";
    First [Moves]: "first", "go to first row";
    Last [Moves]: "last", "go to last row";
    GoToRow [Moves]: "row", "go to row number";
    Open: "open", "open the selected entry";
    Filter: "filter", "filter this list" => "filter this list with words or field:value, or refine its filter";
    FilterForm: "form", "open the filter form" => "filter with a form of all fields, or go back to the line";
    Search: "search", "search in this list" => "search in this list; typing replaces the last search";
    NextMatch [Moves]: "next match", "find next match" => "go to the next match";
    PreviousMatch [Moves]: "previous match", "find previous match" => "go to the previous match";
    Sort: "sort", "sort by a column";
    ChooseColumns: "columns", "arrange columns" => "choose, order and resize the columns";
    ColumnLeft: "left", "move the column left";
    ColumnRight: "right", "move the column right";
    Narrower: "narrow", "make the column narrower";
    Wider: "widen", "make the column wider";
    ResetColumns: "reset", "restore the default columns";
    SavedFilters: "saved", "manage saved filters" => "apply, rename or remove a saved filter";
    SaveFilter: "save", "save this filter" => "save the filter and sort order under a name";
    Rename: "rename", "rename the filter";
    Remove [Destroys]: "remove", "remove the filter";
    Reload: "refresh", "refresh this screen" => "refresh and retry what failed";
    Mark: "mark", "mark or unmark row" => "mark or unmark the selected row";
    Range: "range", "start a range" => "start a range; at its end press again, or decide its rows (review)";
    RangeDown [Moves]: "range down", "extend range down" => "draw a range one row down";
    RangeUp [Moves]: "range up", "extend range up" => "draw a range one row up";
    MarkAll: "all that match", "mark all that match" => "mark all that match the filter, on all pages; shows the cost first";
    MarkLoaded: "all", "mark all loaded rows";
    InvertMarks: "invert", "invert marks" => "invert the marks of the loaded rows";
    ClearMarks: "unmark", "unmark all";
    UndoLast: "undo", "undo last change" => "undo the last mark or decision";
    Issue [Acts]: "issue", "issue this badge" => "issue this badge to a recipient";
    Revoke [Acts Destroys]: "revoke", "revoke marked badges" => "revoke marked badges or the selected one";
    Picture: "picture", "show the picture" => "show the picture, then its back";
    PreviewDown [Moves]: "preview down", "scroll the preview down";
    PreviewUp [Moves]: "preview up", "scroll the preview up";
    TurnOver: "flip", "show other side" => "show the other side of the picture";
    Wallet: "wallet", "open holder's wallet" => "open the holder's wallet; on Home, the rows of the job";
    FindBadge: "find", "find badge by id" => "open a badge by its id";
    LookUp: "look up", "look up a holder" => "look up another e-mail, name or badge id";
    CopySummary: "copy summary", "copy masked summary" => "copy a badge summary with the person masked";
    Question: "question", "choose caller's question" => "choose the question; the answer follows";
    Elsewhere: "search further", "search other places" => "search other places for the holder's badges";
    TryPictures: "try pictures", "test badge pictures" => "test its pictures without the API key";
    Categories: "categories", "show categories" => "show categories with levels, and badge types";
    OnlyCategory: "its templates", "show its templates" => "show only the templates of this category";
    Only: "filter by status", "show next status group" => "show only rows with the next status; in a review, go to the next group";
    Run [Acts OfJob]: "run", "open the job menu" => "pause or resume this job, retry refused rows, use up the quota, or cancel the rest";
    Pause [Acts OfJob]: "pause", "pause this job" => "pause this job before its next request";
    Resume [Acts OfJob]: "resume", "resume this job" => "resume a paused or stopped job";
    UseUp [Acts OfJob]: "use up quota", "use up the quota" => "use up the rest of the quota with ever smaller requests";
    Retry [Acts OfJob]: "retry refused", "send refused rows again" => "send refused rows again; the service certainly did nothing for them";
    Resolve [Acts OfJob]: "resolve", "resolve this row" => "resolve a row with an unknown result";
    CancelRest [Acts Destroys OfJob]: "cancel the rest", "cancel unsent rows" => "cancel the rest: rows not sent yet";
    Undo [Acts Destroys OfJob]: "revoke issued", "revoke job's issued badges" => "revoke the badges that this job issued, after a review; waiting ones when Issued";
    Receipt [OfJob]: "receipt", "save job receipt" => "save the receipt of this job: every row with its result";
    SaveList: "list", "save the list below" => "save the list below as it is filtered and sorted: its marked rows, or else all";
    Redo [OfJob]: "redo file", "save the redo file" => "save rows that were not sent or need attention to a file, with your corrections";
    Export [OfJob]: "export", "export to a file" => "save to a file: the list, its marked rows, or the receipt or redo file of a job";
    Aside: "in background", "export in background" => "continue the export in the background; its key shows it again";
    Mail [OfJob]: "mail failures", "list failed mails" => "list failed mails by domain, of this job or of all badges";
    Ids [Acts Destroys]: "ids file", "revoke badges from file" => "revoke badges whose ids are in a file";
    Replace [Acts Destroys]: "correct", "correct and replace badge" => "issue a badge with corrected name or e-mail, then revoke this one";
    Encoding: "encoding", "change file encoding" => "read the file in another encoding";
    Columns: "columns", "map the columns";
    Sheet: "sheet", "choose a sheet";
    Header: "header", "choose the header row";
    NextChoice: "next column", "choose next column" => "change the field to the next column";
    PreviousChoice: "previous column", "choose previous column" => "change the field to the previous column";
    ChooseFile: "choose file", "choose a file" => "choose from recent files and folders";
    Complete [HandWork]: "complete", "complete the file name";
    Correct: "correct", "correct this row" => "correct the name or e-mail of this row";
    Include: "include or skip", "include or skip row" => "include this row anyway, or skip it";
    Skip: "skip row", "skip this row";
    IncludeGroup: "include group", "include whole group" => "include all rows with the same finding anyway";
    Fold: "hide rows", "hide the group's rows" => "hide the rows of this group";
    SkipGroup: "skip group", "skip whole group" => "skip all rows with the same finding";
    Copy: "copy", "copy a value" => "copy an id, e-mail, link, row or table";
    CopyAll: "copy", "copy everything";
    OpenPicture: "open picture", "open picture in browser" => "open the picture in the browser (over ssh: copy its link)";
    Raw: "raw JSON", "show raw JSON" => "show the record as the service sends it";
    Pager: "pager", "open in pager" => "read it in your pager ($PAGER)";
    OtherRecord: "other record", "show other record" => "show its record from history or wallet";
    RequestLog: "requests", "show the request log" => "show the request log: cost and result of each request";
    Language: "language", "switch language" => "switch to the next language";
    Theme: "theme", "choose a theme" => "choose a theme; the screen shows it at once";
    AutoRefresh: "auto refresh", "set auto refresh" => "set auto refresh: 30 s, 2 min or off";
    Save: "save", "save request log" => "save this log to a file, without the key, names and e-mails masked";
    Check [OfJob]: "check", "check now" => "check now, before the next check is due";
    Dismiss: "dismiss", "close the message" => "close the message at the bottom";
    NextTab: "next tab", "go to next tab";
    PreviousTab: "previous tab", "go to previous tab";
    Home: "Home", "go to Home" => "go to Home: what needs you, what runs, what comes soon";
    Templates: "Templates", "go to Templates";
    History: "History", "go to History";
    WalletTab: "Wallet", "go to Wallet";
    BadgeTab: "Badge", "go to Badge";
    Activity: "Activity", "go to Activity" => "go to Activity: all jobs and the result of each row";
    NextSection: "next section", "go to next section" => "go to next section of the counts";
    PreviousSection: "previous section", "go to previous section" => "go to previous section of the counts";
    Period: "period", "change the period" => "count by day, week or month";
    FindCert: "certificate no.", "find certificate number" => "open a badge by its certificate number";
    Renew [Acts]: "issue again", "plan issuing again" => "plan to issue these badges to the same holders again; nothing is sent before the review";
    Details: "read records", "read badge records" => "read the badge records with the certificate numbers; shows the cost first";
    Rescan: "rebuild index", "read whole history again" => "rebuild the index from the whole history";
    IndexOn: "turn on index", "keep index in memory" => "keep an index in memory until lapel closes";
    IndexStop: "stop reading", "keep what was read" => "stop reading and keep what was read";
    Help: "help", "show this screen's keys";
    Palette [HandWork]: "palette", "find actions by name, or type a badge, holder or template";
    Back [HandWork]: "back", "close this or go back";
    Redraw: "redraw", "redraw the whole screen";
    SaveScreen: "save screen", "save screen as text" => "save the screen as text for a ticket, masked or with personal data";
    Suspend: "suspend", "suspend lapel" => "suspend lapel (fg brings it back)";
    Quit: "quit", "quit lapel";
    QuitNow [HandWork]: "quit", "quit lapel, even inside a field";
    NextField [HandWork]: "next field", "go to next field";
    NextTemplate: "next template", "go to next template" => "go to the next template's rows";
    PreviousField [HandWork]: "previous field", "go to previous field";
    ClearField [HandWork]: "clear", "clear the field";
    ClearForm: "clear form", "clear all fields of the form";
    ClearFilter: "clear all", "clear all filter fields";
    Accept [HandWork]: "next", "accept the input and continue";
    Earlier [HandWork]: "earlier", "recall an earlier input";
    Later [HandWork]: "later", "return to a later input";
    ForgetRecent [Destroys]: "forget look-ups", "forget recent input" => "forget recent and unfinished input";
    Toggle: "toggle", "toggle the checkbox";
    ToggleDirection: "direction", "reverse the sort order";
    Editor: "editor", "open in editor" => "edit in your editor ($VISUAL or $EDITOR)";
    Tour: "tour", "start the tour" => "start the tour: your first day, step by step, in the sandbox";
    TourSkip: "skip", "skip this step" => "skip to the next step of the tour";
    TourLeave: "end tour", "end the tour" => "end the tour at any step";
    Profiles: "profiles", "manage profiles" => "open or add a profile";
    ChangeProfile: "edit", "edit this profile" => "edit this profile; a new service or key is tested before it is saved";
    TestProfile: "test", "test profile key" => "test the key of this profile with its service; nothing is saved";
    RemoveProfile [Destroys]: "remove", "remove this profile";
    DiscardDraft [Destroys]: "discard", "discard this draft";
    TakeSuggestions: "correct group", "take similar suggestions" => "take all suggestions like this one, or include the group";
    ChooseSandbox: "sandbox", "start the sandbox" => "start the sandbox without an account";
    ChooseService: "service", "set up a service" => "set up a service with base URL and API key";
}

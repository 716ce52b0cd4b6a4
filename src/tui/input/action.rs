//! Every action of the desk, with the words that the help shows for it.

use crate::i18n;

/// A name as it stands in files: `PageDown` as `page-down`.
pub(in crate::tui) fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Declares the actions together with their words, so that none can be without.
macro_rules! actions {
    ($($name:ident: $hint:literal, $help:literal;)*) => {
        /// Something that a person can tell the desk to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each has its help text")]
        pub enum Action {
            $($name,)*
        }

        impl Action {
            /// All of them, in the order of the help.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in `keys.toml`: `page-down`.
            pub fn name(self) -> String {
                kebab(match self { $(Self::$name => stringify!($name),)* })
            }

            /// One or two words for the footer.
            pub fn hint(self) -> &'static str {
                i18n::tr(match self { $(Self::$name => $hint,)* })
            }

            /// One line for the help.
            pub fn help(self) -> &'static str {
                i18n::tr(match self { $(Self::$name => $help,)* })
            }
        }
    };
}

actions! {
    Down: "down", "one row down";
    Up: "up", "one row up";
    PageDown: "page down", "one page down";
    PageUp: "page up", "one page up";
    First: "first", "to the first row";
    Last: "last", "to the last row";
    GoToRow: "row", "go to a row by its number";
    Open: "open", "open the selected one";
    Filter: "filter", "filter the list with the fields of the service";
    Sort: "sort", "sort the list by a column";
    ChooseColumns: "columns", "choose, order and size the columns of this list";
    ColumnLeft: "left", "move the column one place to the left";
    ColumnRight: "right", "move the column one place to the right";
    Narrower: "narrow", "make the column narrower";
    Wider: "widen", "make the column wider";
    ResetColumns: "reset", "the columns as the list comes with them";
    SavedFilters: "saved", "filters saved with names: use, rename or remove one";
    SaveFilter: "save", "save this filter and order under a name";
    Rename: "rename", "call it something else";
    Remove: "remove", "remove it, when pressed twice";
    Reload: "read again", "read again from the service; retry what failed";
    Mark: "mark", "mark or unmark the selected badge";
    Range: "range", "begin a range here; press again at its other end to mark all between";
    MarkAll: "all that match", "mark all that match the filter, across pages; says first what that costs";
    MarkLoaded: "all", "mark every row that is loaded";
    InvertMarks: "invert", "swap marked and unmarked among the loaded rows";
    ClearMarks: "unmark", "take away all marks";
    Issue: "issue", "issue this badge to a person";
    Revoke: "revoke", "revoke the marked badges, or the selected one";
    Picture: "picture", "the picture of this badge, in place of the text";
    TurnOver: "turn over", "the other side of the badge's picture";
    Wallet: "wallet", "look up the wallet of this badge's holder";
    FindBadge: "find", "open a badge by its id";
    LookUp: "look up", "type another address, a name or a badge id";
    CopySummary: "copy summary", "copy a summary of this badge, the person masked";
    Elsewhere: "look elsewhere", "look where else the holder's badges may be";
    TryPictures: "try pictures", "try whether its pictures open, without the key";
    Categories: "categories", "categories with their levels, and badge types";
    OnlyCategory: "its templates", "show only the templates of this category";
    Only: "only this outcome", "show only the rows of the next outcome, and all again after the last";
    Pause: "pause", "pause this job before its next request";
    Resume: "resume", "let a job go on that was paused or has stopped";
    UseUp: "use up quota", "use up what is left of the quota with ever smaller requests";
    Retry: "retry refused", "send again what the service has refused: certainly nothing was done for it";
    Decide: "decide", "decide about a row of which lapel cannot tell what became of it";
    CallOff: "call off", "call off what this job has not sent";
    Undo: "undo", "revoke what this job has issued, after a review; what waits is revoked when it is Issued";
    Receipt: "receipt", "write a receipt of this job: every row and what became of it";
    Redo: "redo file", "write the rows that were not sent or need a person into a file, as they stood";
    Export: "export", "write the list, or what is marked in it, into a file: Excel, CSV or JSON Lines";
    Aside: "go on meanwhile", "let the file be written while you work on; the export's key shows it again";
    Mail: "mail failures", "whom the mail of this job's badges did not reach, by domain";
    Ids: "ids file", "revoke the badges whose ids stand in a file";
    Replace: "correct", "issue this badge again with a corrected name or address, and revoke it then";
    Encoding: "encoding", "read the file in another encoding";
    Columns: "columns", "say which column is what";
    Sheet: "sheet", "choose the sheet";
    Header: "header", "say which row holds the names of the columns";
    Complete: "complete", "complete the name of the file";
    Correct: "correct", "correct the name or the address of this row";
    Allow: "allow", "send this row all the same";
    LeaveOut: "leave out", "leave this row out";
    AllowClass: "allow all such", "send every row all the same of which the same was found";
    LeaveOutClass: "leave all such out", "leave every row out of which the same was found";
    Copy: "copy", "copy an id, an address, a link, the row or the table";
    CopyAll: "copy", "copy all of it";
    OpenPicture: "open picture", "open the picture in the browser; over ssh, copy its link";
    Raw: "raw JSON", "the record as the service sends it";
    OtherRecord: "other record", "of a badge: the same one as the history and the wallet tell it";
    RequestLog: "requests", "the log of requests: what each cost and what came of it";
    Language: "language", "speak the other language: English, Korean";
    AutoRefresh: "auto", "read the screen again by itself: every 30 s, every 2 min, off";
    Save: "save", "save this log into a file, without the key, names and addresses masked";
    Look: "look now", "look now at what may still change, whatever the schedule says";
    Dismiss: "dismiss", "close the notice at the bottom";
    NextTab: "next tab", "to the next tab";
    PreviousTab: "previous tab", "to the previous tab";
    Templates: "Templates", "to the Templates tab";
    History: "History", "to the History tab";
    WalletTab: "Wallet", "to the Wallet tab";
    BadgeTab: "Badge", "to the Badge tab";
    Activity: "Activity", "to the Activity tab: every job, and what became of each of its rows";
    Overview: "overview", "the overview: what was issued when, what waits, what expires";
    NextSection: "next section", "to the next section of the overview";
    PreviousSection: "previous section", "to the previous section of the overview";
    Period: "period", "count by day, by week or by month";
    FindCert: "certificate no.", "open a badge by its certificate number";
    Renew: "issue again", "plan to issue these badges again to the same people; nothing is sent before the review";
    Details: "read records", "read the badges' own records, which hold the certificate numbers; says first what it costs";
    Rescan: "read all", "read the whole history into the index again";
    IndexOn: "turn on", "keep an index in memory until lapel ends";
    IndexStop: "stop", "stop reading; what was read is kept";
    Help: "help", "the keys of this screen";
    Palette: "palette", "every action by name; or a badge, a holder, a template by typing it";
    Back: "back", "close this, go back";
    Redraw: "redraw", "draw the whole screen again";
    Suspend: "suspend", "put lapel in the background (fg brings it back)";
    Quit: "quit", "leave lapel";
    QuitNow: "quit", "leave lapel, also from inside a field";
    NextField: "next field", "to the next field";
    NextTemplate: "next template", "to what is issued from the next template";
    PreviousField: "previous field", "to the previous field";
    ClearField: "clear", "empty the field";
    ClearFilter: "clear all", "empty every field of the filter";
    Accept: "go on", "take what is typed and go on";
    Confirm: "send it", "send what the review shows";
    Earlier: "earlier", "what was typed here earlier";
    Later: "later", "back to what was typed here later";
    ForgetRecent: "forget look-ups", "forget recent look-ups, and their file";
    Toggle: "switch", "switch what stands behind the brackets on and off";
    ToggleDirection: "direction", "sort the other way round";
    Editor: "editor", "write it in your own editor ($VISUAL or $EDITOR)";
    Tour: "tour", "the tour: a first day at the desk, step by step, in the sandbox";
    TourSkip: "skip", "go on to the next step of the tour";
    TourLeave: "leave tour", "leave the tour, wherever it is";
    Profiles: "profiles", "the profiles: open another one, or add one";
    ChangeProfile: "change", "change this profile; what leads elsewhere is tried before it is kept";
    TestProfile: "test", "ask the service of this profile about its key; nothing is kept";
    RemoveProfile: "remove", "remove this profile, after its name was typed";
    ChooseSandbox: "sandbox", "start the sandbox and look around without an account";
    ChooseService: "service", "set up a real service with its base URL and key";
}

//! The texts of the help.

pub(super) const ABOUT: &str = "A terminal client for a Digital Badge Issuing Service: browse badge templates and the issuance history, look up a holder's wallet, issue and revoke badges, and check the results.

Without a command, lapel opens the app with the selected profile. No profile yet? `lapel demo` needs no setup.";

pub(super) const SHORT: &str = "\
Try it: lapel demo, or lapel tour     More: lapel --help (settings, exit codes)";

pub(super) const LONG: &str = r#"Examples:
  lapel demo                         explore with made-up data
  lapel tour                         the same as a guided tour
  lapel                              open the app with the default profile
  lapel --profile uni --read-only    open the app read-only
  lapel --tab history --filter title=Python    open this list
  lapel ping                         check the API key
  lapel issue --template TPL-004 --recipients people.csv --dry-run
  lapel revoke --ids revoke.csv --reason "issued twice"
  lapel jobs                         list jobs and their results
  lapel profile add                  set up a service; the key stays hidden
  lapel history --all --xlsx history.xlsx
  lapel wallet kim@naru.example      list a holder's badges

Order of settings:
  Flags come first, then environment variables, then config.toml, then the
  defaults. config.toml is in ~/.config/lapel:

    default_profile = "uni"
    language = "ko"                    en; default: from the locale
    theme = "auto"                     dark light high-contrast terminal none
    glyphs = "unicode"                 unicode, ascii
    pictures = "auto"                  kitty, iterm2, sixel, halfblocks, none
    clipboard = "auto"                 auto, native, osc52, off
    refresh = "off"                    off, 30s, 2m
    restore = true                     false: start fresh and save nothing
    notice = "off"                     off, bell, desktop
    [profiles.uni]
    base_url = "https://badges.example/api/v1/ext"
    environment = "live"               demo, staging, live; default: live
    organisation = "..."               name of the organisation
    short_name = "naru"                typed after the number to send with LIVE
    read_only = true
    key = { env = "UNI_BADGE_KEY" }    or { file = "..." }, { keyring = true }
    rate_limit = 600                   requests per minute; default: 1000
    utc_offset = "+09:00"              time zone of the service
    proxy = "http://proxy.example:8080"
    picture_base = "https://cdn.example"    base URL of relative picture paths
    # ca_file = "company.pem"          additional trusted certificates
    [profiles.uni.journal]             a journal that the team shares
    url = "postgres://kim@db.example/badges"
    password = { keyring = true }      or { env = "..." }, { file = "..." }
    [jobs]                             for one profile: [profiles.uni.jobs]
    in_flight = 2                      parallel requests
    batch = 1000                       badges per request
    doubt_window_hours = 26            how long rows in doubt are checked
    issue_checks = [5, 15, 60, 1440]   minutes; and revoke_checks, doubt_checks
    duplicate_check_minutes = 15       maximum age of a duplicate check
    expiring_days = 30                 a badge that ends sooner is expiring
    keep_days = 365                    names and e-mails; default: no limit
    [index]                            for one profile: [profiles.uni.index]
    enabled = true                     keep a copy of the history; default: no
    max_age_days = 730                 older ones: only if they expire later
    refresh_minutes = 15               after the counts of Home were opened
    [jobs.policies]                    block, ask or allow
    valid = "ask"                      also: twin, shared_address, expiring,
    revoked = "ask"                    expired, waiting, sent, look_alike

  Keys are never arguments and are never in config.toml. lapel reads them from
  LAPEL_API_KEY, from the place that the profile names (variable, file,
  keyring, or key_command = ["pass", "show", "badges"], run without a shell),
  or from ~/.config/lapel/keys/NAME, which only you can read (chmod 600).

Environment variables:
  LAPEL_PROFILE      the profile to use
  LAPEL_BASE_URL     base URL of the service; with LAPEL_API_KEY it replaces a
                     profile
  LAPEL_API_KEY      the API key; replaces the key of a selected profile
  LAPEL_CONFIG_DIR   folder of settings and keys; default: ~/.config/lapel
  LAPEL_DATA_DIR     folder of the journal, log and crash files; default:
                     ~/.local/share/lapel
  LAPEL_UTC_OFFSET   time zone of the service, such as +09:00; replaces the
                     utc_offset of a selected profile
  LAPEL_LOG          write lapel.log to the data folder: error, warn, info,
                     debug, trace, or targets such as lapel::api=debug
  NO_COLOR           if not empty, no colours
  HTTP_PROXY and similar variables are ignored: set the proxy in the profile.

Exit codes:
  0  completed as requested; accepted badges may still wait to be issued
  1  failed: refused, service not reached, or a file not readable
  2  not started: an error in the command line or the settings, no profile,
     a read-only profile, or no terminal for the confirmation
  3  finished, but rows need attention: skipped, invalid, refused, overdue;
     or a list could not be read completely
  4  stopped before everything was sent (quota, refused key, Ctrl-C): resume
     it; or stopped before everything was read (Ctrl-C)
  5  in doubt: the result of some rows is unknown; lapel checks them
  If two apply, the larger code counts."#;

pub(super) const ISSUE: &str = "Issue badges from a template, to one recipient or to a file of recipients. Before it sends, lapel \
    checks every row and searches the history for recipients who already hold the badge. You confirm by \
    typing the number, or with --yes. lapel writes every request to the journal first, so a crash loses \
    and repeats nothing.";

pub(super) const ISSUE_EXAMPLES: &str = r#"Examples:
  lapel issue --template TPL-004 --to "Kim Minsu <kim@naru.example>"
  lapel issue --template TPL-004 --recipients people.csv --dry-run
  lapel issue --template TPL-004 --recipients people.xlsx --yes --wait --json
  pbpaste | lapel issue --template TPL-004 --recipients - --yes

lapel finds columns by their English or Korean names and never guesses. If an
encoding, a column or a sheet is unclear, it asks for the flag that sets it.
Invalid rows and rows that need review are never sent: they are listed, and
the exit code is 3.

Without --wait the command ends when all responses have arrived. Accepted is
not issued: the service usually takes 5 minutes to 24 hours. Check the result
with lapel jobs follow or in the app.

With --json, one line:
  {"ok":true,"exit_code":0,"jobs":[{"id":12,"counts":{"waiting":118},...}],
   "rows":[every row not completed as requested],...}

Exit codes: see lapel --help."#;

pub(super) const REVOKE: &str = "Revoke badges by their ids. lapel checks the state of each badge first, revokes only Issued badges \
    and lists those that it skips. A badge in a state that lapel does not know is sent, too: the service decides. A revocation cannot be undone.";

pub(super) const REVOKE_EXAMPLES: &str = r#"Examples:
  lapel revoke 1000042 1000043 --reason "issued twice"
  lapel revoke --ids revoke.csv --reason "issued twice" --when-issued --yes

Exit codes: see lapel --help."#;

pub(super) const JOBS: &str = "The jobs of this profile and their results. The journal stores the jobs; the app \
    and the command line share it. list, show, receipt, redo and purge send no request to the service.";

pub(super) const JOBS_EXAMPLES: &str = r"Examples:
  lapel jobs
  lapel jobs show 12 --rows in_doubt
  lapel jobs resume 12 --wait
  lapel jobs receipt 12 --to receipt.xlsx
  lapel jobs redo 12 --to again.csv
  lapel jobs follow --wait --json

Only one running lapel controls a job. If another one has it, you can view
the job but not change it. With a team's journal you can pause a colleague's
job, and act on it when nothing of it is being sent.

Exit codes: see lapel --help.";

pub(super) const JOURNAL: &str = "The journal holds every job: what was sent, and to whom. It is a file on this computer, or the \
    PostgreSQL database of a team. backup copies the file into one that only you can read; restore puts a \
    backup back, such as on a new computer. An open job is never active in two places: it moves with the \
    backup, or stays here with --stay. After restore, lapel checks what was sent before it sends anything. \
    Quit every other lapel on this computer first. init and migrate create and change the tables of a \
    team's journal. No command here sends a request to the service.";

pub(super) const JOURNAL_EXAMPLES: &str = r"Examples:
  lapel journal status                         where it is and who uses it
  lapel journal backup lapel.backup            on the old computer
  lapel journal restore lapel.backup           on the new computer
  lapel journal backup lapel.backup --stay     copy only; open jobs stay here
  lapel journal restore lapel.backup --claim   if the old computer is lost
  lapel journal init --profile uni             create the journal of a team
  lapel journal init --print > roles.sql       the SQL for its roles
  lapel journal migrate --profile uni          after an update of lapel

The file contains names and e-mail addresses, but no key. Restore a backup only
once and make no copies of it: lapel cannot detect a second copy. Backups of a
team's database are its administrator's.

Exit codes: see lapel --help.";

pub(super) const INDEX: &str = "A copy of the issuance history on this computer. The counts in the app and the search by \
    certificate number use it. lapel builds it only if config.toml enables it ([index] enabled = true), \
    because it holds names and e-mail addresses. It is a separate file that only you can read, and you \
    can remove it at any time.";

pub(super) const INDEX_EXAMPLES: &str = r"Examples:
  lapel index                     show its status; sends no requests
  lapel index build               add new badges, or read all if needed
  lapel index build --all --json  read the whole history
  lapel index purge               delete the index
  lapel index purge --all         delete the indexes of all services and keys

build sends one request per 100 badges, at a quarter of the key's rate limit.
Ctrl-C stops it; the next build continues from there.

Exit codes: see lapel --help.";

pub(super) const DOCTOR: &str = "Shows the observed behaviour of the service where the contract leaves it open, with evidence, date \
    and use. Also shows the service's clock, the path and integrity of the journal, the profile, and who \
    can read lapel's files. Sends one ping and changes nothing. Never shows a key.";

pub(super) const DOCTOR_EXIT: &str = "Exit codes:
  0  no problems found
  1  problems found, listed at the end
  2  no profile, or an error in the settings";

pub(super) const PROFILE: &str = "The services that lapel is set up for, each with its key. Before they save anything, add and edit \
    check the key with the service and pin the answer. If the service gives a different answer later, \
    lapel sends nothing more with this key until you pin it again. lapel hides a key while you type it, \
    or reads it from standard input; a key is never an argument.";

pub(super) const PROFILE_EXAMPLES: &str = r"Examples:
  lapel profile add                            asks for all values
  lapel profile add uni --base-url https://badges.example/api/v1/ext \
      --environment live --key-from keyring
  lapel profile add uni --base-url https://badges.example/api/v1/ext \
      --key-from command -- pass show badges/uni
  lapel profile edit uni --new-key             replace the key
  lapel profile edit uni --pin                 pin a key with a new prefix
  lapel profile edit uni --ca-file company.pem --proxy http://proxy:8080
  lapel profile edit uni --journal-url postgres://kim@db.example/badges \
      --new-journal-password                   type its password
  lapel profile test uni
  lapel profile remove uni

Key sources: file (lapel's own, chmod 600), keyring, env:VARIABLE, file:PATH,
command. remove deletes only a key that lapel stores.
The journal password has the same sources.
Write a proxy with a password into config.toml: others can see what you type
here.

Exit codes: see lapel --help.";

pub(super) const TOUR: &str = "A guided tour of the app in its own sandbox, with invented people. You find a holder, issue a badge, \
    watch it become Issued, revoke it and save the receipt. A bar above the footer shows the next step \
    and moves on when you finish it. You can skip steps and leave at any time. Nothing is real, and no \
    mail is sent.";

pub(super) const INFO: &str = "Every path that lapel uses, whether it exists and who can read it; the source of each setting; the \
    profile without its key; what the terminal reports; how lapel was built. Sends no request and \
    changes nothing.";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  lapel completions bash > ~/.local/share/bash-completion/completions/lapel
  lapel completions zsh > ~/.zfunc/_lapel
  lapel completions fish > ~/.config/fish/completions/lapel.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Example:
  lapel man > ~/.local/share/man/man1/lapel.1";
pub(super) const TEMPLATES: &str = "List the organisation's badge templates: one page, or the whole list with --all. The service filters \
    and sorts. The filters have the service's own names.";

pub(super) const HISTORY: &str = "List the issuance history with the state of each badge: one page, or the whole history with --all. \
    The service filters and sorts. The filters have the service's own names.";

pub(super) const WALLET: &str = "List the badges that a holder owns, as the wallet shows them. The wallet may omit waiting and \
    revoked badges. lapel names the waiting ones that only the history has; lapel history --recipient-email lists all.";

pub(super) const LIST_EXAMPLES: &str = r"Examples:
  lapel templates --use-yn Y --sort title
  lapel history --issue-start-date 2026-10-01 --sort issued_at:desc --rows 100
  lapel history --title Python --all --xlsx history.xlsx
  lapel history --all --jsonl | your-program

--all reads pages of 100 at a quarter of the key's rate limit, so that it does
not slow down the app. Rows that arrive meanwhile are read too; no row appears
twice. At the end, lapel compares the number of rows with the service's count
and prints the result. If the two differ, the exit code is 3.
With --json everything is printed at the end; --jsonl, --csv and --xlsx write
rows as they arrive. An Excel file is complete or not written at all.

In CSV, a cell that a spreadsheet would treat as a formula begins with an
apostrophe, and in Excel files visible signs replace control characters. JSON
contains every value unchanged.

Exit codes:
  0  completed as requested
  1  failed: refused, service not reached, or no such record
  2  an error in the command line or the settings, or no profile
  3  read to the end, but records are missing or unreadable
  4  stopped (Ctrl-C) before the end";

pub(super) const DEMO: &str = "Open the app in its own sandbox: a complete simulated service on a free port of this computer. You \
    need no account. Nothing is real, nothing leaves this computer, and lapel leaves no files behind. \
    The sandbox clock runs fast, so you can watch a badge become Issued.";

pub(super) const DEMO_EXAMPLES: &str = "Examples:
  lapel demo
  lapel demo --history 1000000    a history of 1,000,000 badges
  lapel demo --speed 600          a day passes in under three minutes
  lapel demo --tab history --filter recipient_name=Kim";

pub(super) const PING: &str = "Check with the service whether the key is valid. Prints the status, the first characters of the key \
    from the service, the response time and the base URL.";

pub(super) const PING_EXAMPLES: &str = r#"Examples:
  lapel ping
  lapel ping --profile uni
  lapel ping --json

With --json, one line, on success and on failure:
  {"ok":true,"status":"ok","apikey_prefix":"...","round_trip_ms":23,
   "base_url":"..."}
  {"ok":false,"error":{"kind":"...","message":"..."},"base_url":"..."}

Exit codes:
  0  the key is valid
  1  the key is not valid, or the service did not respond
  2  no profile, or an error in the settings"#;

pub(super) const NO_KEY_FLAG: &str = tr_noop!(
    "no flag takes an API key: everybody on this computer can see arguments, and\nthe shell keeps them in its history. If you have just typed a real key,\nconsider replacing it in the issuer back office.\nGive the key in one of these ways:\n  - the environment variable LAPEL_API_KEY\n  - lapel profile add, which asks for the key and does not show it\n  - a file that only you can read, keys/NAME in ~/.config/lapel\n  - key = { env = \"NAME\" } or key = { file = \"path\" } in the profile\nMore: lapel --help"
);

pub(super) const HOW_TO_BEGIN: &str = tr_noop!(
    "no profile is configured, so lapel has no service. Do one of these:\n  - look around without an account:  lapel demo\n  - set LAPEL_BASE_URL and LAPEL_API_KEY\n  - run lapel in a terminal, or lapel profile add: it asks for URL and key\n  - write a profile into config.toml (lapel --help shows one)"
);

/// Goes paragraph by paragraph. In a table, each remark is a text of its own.
pub(super) fn worded(text: &str, say: &mut dyn FnMut(&str) -> String) -> String {
    let paragraphs: Vec<String> = text.split("\n\n").map(|paragraph| in_pieces(paragraph, say)).collect();
    paragraphs.join("\n\n")
}

fn in_pieces(paragraph: &str, say: &mut dyn FnMut(&str) -> String) -> String {
    if !is_table(paragraph) {
        return say(paragraph);
    }
    let line = |line: &str| match remark(line) {
        Some(at) => format!("{}{}", &line[..at], say(&line[at..])),
        None if line.starts_with(' ') => line.to_owned(),
        None => say(line),
    };
    paragraph.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// After an optional heading, every line is a command or setting, with or without a remark.
fn is_table(paragraph: &str) -> bool {
    let is_typed = |line: &str| {
        let typed = line.trim_start();
        let begin = line.len() - typed.len();
        // A setting is indented by four columns. Deeper lines continue the line above.
        begin == 4
            || begin > 1 && (remark(line).is_some() || typed.starts_with("lapel") || typed.starts_with("--"))
    };
    let mut lines = paragraph.lines().peekable();
    lines.next_if(|line| !line.starts_with(' '));
    lines.peek().is_some() && lines.all(is_typed)
}

/// The start of the remark, which follows a gap of two or more spaces.
fn remark(line: &str) -> Option<usize> {
    let begin = line.len() - line.trim_start().len();
    let gap = begin + line[begin..].find("  ")?;
    Some(line.len() - line[gap..].trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clap would break longer lines of a table in odd places.
    #[test]
    fn what_is_laid_out_by_hand_fits_an_80_column_terminal() {
        for text in [
            SHORT,
            LONG,
            DEMO_EXAMPLES,
            PING_EXAMPLES,
            ISSUE_EXAMPLES,
            REVOKE_EXAMPLES,
            JOBS_EXAMPLES,
            LIST_EXAMPLES,
            INDEX_EXAMPLES,
            JOURNAL_EXAMPLES,
            DOCTOR_EXIT,
            PROFILE_EXAMPLES,
            COMPLETIONS_EXAMPLES,
            MAN_EXAMPLES,
            NO_KEY_FLAG,
            HOW_TO_BEGIN,
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= 79, "{line}");
            }
        }
    }
}

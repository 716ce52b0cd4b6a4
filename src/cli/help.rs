//! The texts of the help.

pub(super) const ABOUT: &str = "\
A desk in the terminal for a Digital Badge Issuing Service: browse badge templates and the issuance \
history, look up a holder's wallet, issue badges, revoke them, and know what became of each.

Without a command the desk opens with the chosen profile. Nothing set up yet? `lapel demo` needs nothing.";

pub(super) const SHORT: &str = "\
Try it: lapel demo, or lapel tour     More: lapel --help (settings, exit codes)";

pub(super) const LONG: &str = r#"Examples:
  lapel demo                         look around; nothing is real
  lapel tour                         the same, guided: a first day
  lapel                              the desk, with the default profile
  lapel --profile uni --read-only    the desk, looking only
  lapel --tab history --filter title=Python    with this list
  lapel ping                         is the key good?
  lapel issue --template TPL-004 --recipients people.csv --dry-run
  lapel revoke --ids revoke.csv --reason "issued twice"
  lapel jobs                         what was sent, and what became of it
  lapel profile add                  set up a service; the key is not shown
  lapel history --all --xlsx history.xlsx
  lapel wallet kim@naru.example      what a holder owns

Where settings come from:
  A flag wins over the environment, the environment over config.toml, and that
  over the default. config.toml stands in ~/.config/lapel:

    default_profile = "uni"
    language = "ko"                    en; left out: the locale's
    theme = "auto"                     dark light high-contrast terminal none
    glyphs = "unicode"                 unicode, ascii
    pictures = "auto"                  kitty, iterm2, sixel, halfblocks, none
    clipboard = "auto"                 auto, native, osc52, off
    refresh = "off"                    off, 30s, 2m
    restore = true                     false: begin anew, and keep nothing
    notice = "off"                     off, bell, desktop
    [profiles.uni]
    base_url = "https://badges.example/api/v1/ext"
    environment = "live"               demo, staging, live; left out: live
    organisation = "..."               what you call it
    read_only = true
    key = { env = "UNI_BADGE_KEY" }    or { file = "..." }, { keyring = true }
    rate_limit = 600                   requests a minute; left out: 1000
    utc_offset = "+09:00"              of the service's times
    proxy = "http://proxy.example:8080"
    picture_base = "https://cdn.example"    where pictures are named by a path
    # ca_file = "company.pem"          certificates to trust besides
    [jobs]                             for one profile: [profiles.uni.jobs]
    in_flight = 2                      requests at the same time
    batch = 1000                       badges in one request
    doubt_window_hours = 26            how long a doubt is looked for
    issue_looks = [5, 15, 60, 1440]    minutes; also revoke_looks, doubt_looks
    guard_age_minutes = 15             then the guard reads again
    expiring_days = 30                 a badge that ends so soon is expiring
    keep_days = 365                    names and addresses; left out: kept
    [index]                            for one profile: [profiles.uni.index]
    enabled = true                     keep a copy of the history; default no
    max_age_days = 730                 older badges are not in it
    refresh_minutes = 15               while the overview is used
    [jobs.policies]                    block, ask or allow
    valid = "ask"                      also: twin, shared_address, expiring,
    revoked = "ask"                    expired, waiting, sent, look_alike

  Keys are never given as arguments and never stand in config.toml. They come
  from LAPEL_API_KEY, from what the profile names (variable, file, keyring, or
  key_command = ["pass", "show", "badges"], started without a shell), or from
  ~/.config/lapel/keys/NAME, which only you may read (chmod 600).

Environment variables:
  LAPEL_PROFILE      the profile to use
  LAPEL_BASE_URL     the service's address; with LAPEL_API_KEY a whole profile
  LAPEL_API_KEY      the API key; with a profile chosen, in place of its key
  LAPEL_CONFIG_DIR   settings and keys, in place of ~/.config/lapel
  LAPEL_DATA_DIR     journal, log and crash files, in place of
                     ~/.local/share/lapel
  LAPEL_UTC_OFFSET   the zone of the service's times, such as +09:00; with a
                     profile chosen, in place of its utc_offset
  LAPEL_LOG          write lapel.log there: error, warn, info, debug, trace, or
                     targets such as lapel::api=debug
  NO_COLOR           if not empty, no colours
  HTTP_PROXY and its kin are not used: a proxy is set in the profile.

Exit codes:
  0  all as asked; what was accepted may still wait to be issued
  1  tried, and it did not work: refused, not reached, a file not readable
  2  not tried: a mistake in the command line or the settings, no profile,
     a read-only profile, or nobody to confirm
  3  finished, but rows need a person: left out, not valid, refused, overdue;
     a list that could not be read completely
  4  stopped before everything was sent (quota, refused key, Ctrl-C): resume
     it; or before everything was read (Ctrl-C)
  5  in doubt: nobody knows yet what became of some rows; they are looked for
  Where two apply, the larger one counts."#;

pub(super) const ISSUE: &str = "\
Issue badges from a template, to one person or to a file of them. Every row is checked, and the history is \
read for who holds the badge already, before anything is sent; a person confirms by typing the number, or \
--yes does. What is sent is written into the journal first: a crash neither loses nor repeats anything.";

pub(super) const ISSUE_EXAMPLES: &str = r#"Examples:
  lapel issue --template TPL-004 --to "Kim Minsu <kim@naru.example>"
  lapel issue --template TPL-004 --recipients people.csv --dry-run
  lapel issue --template TPL-004 --recipients people.xlsx --yes --wait --json
  pbpaste | lapel issue --template TPL-004 --recipients - --yes

Columns are found by their names, in English and Korean. What cannot be known
(an encoding, a column, a sheet) is asked for by its flag, never guessed.
Rows that are not valid or about which a person has to decide are never sent:
they are listed, and the exit code is 3.

Without --wait it ends when every answer is in. Accepted is not issued: the
service takes 5 minutes to a day; lapel jobs follow, or the desk, looks.

With --json, one line:
  {"ok":true,"exit_code":0,"jobs":[{"id":12,"counts":{"waiting":118},...}],
   "rows":[every row that was not done as asked],...}

Exit codes: see lapel --help."#;

pub(super) const REVOKE: &str = "\
Revoke badges by their ids. Where each stands is looked up first: only Issued badges can be revoked, and \
what is left out is listed. There is no way to undo it.";

pub(super) const REVOKE_EXAMPLES: &str = r#"Examples:
  lapel revoke 1000042 1000043 --reason "issued twice"
  lapel revoke --ids revoke.csv --reason "issued twice" --when-issued --yes

Exit codes: see lapel --help."#;

pub(super) const JOBS: &str = "\
What was sent with this profile, and what has become of it. Jobs live in a journal on this computer; the \
desk and the command line share it. list, show, receipt, redo and purge ask the service nothing.";

pub(super) const JOBS_EXAMPLES: &str = r"Examples:
  lapel jobs
  lapel jobs show 12 --rows in_doubt
  lapel jobs resume 12 --wait
  lapel jobs receipt 12 --to receipt.xlsx
  lapel jobs redo 12 --to again.csv
  lapel jobs follow --wait --json

A job belongs to one lapel at a time: while another one that is running has it,
it can be looked at, but not steered.

Exit codes: see lapel --help.";

pub(super) const JOURNAL: &str = "\
The journal holds every job of this computer: what was sent, and to whom. backup copies it into one file that \
only you can read; restore puts such a file back, such as on a new computer. An open job is never at two places: \
it goes with the backup, or stays here with --stay. After restore, lapel looks for what was sent before it sends \
anything. Both ask the service nothing, and need every other lapel of this computer to be closed.";

pub(super) const JOURNAL_EXAMPLES: &str = r"Examples:
  lapel journal backup lapel.backup            on the old computer
  lapel journal restore lapel.backup           on the new one
  lapel journal backup lapel.backup --stay     a copy; open jobs stay here
  lapel journal restore lapel.backup --claim   the old computer is lost

The file holds names and e-mail addresses, and no key. Put a backup back once
only, and make no copies of it: lapel cannot know of a second copy.

Exit codes: see lapel --help.";

pub(super) const INDEX: &str = "\
A copy of the issuance history on this computer, for the overview of the desk and for finding badges by their \
certificate numbers. There is none unless config.toml says so ([index] enabled = true): it holds names and \
e-mail addresses. It is a file of its own that only you can read, and it can be removed at any time.";

pub(super) const INDEX_EXAMPLES: &str = r"Examples:
  lapel index                     how it stands; asks the service nothing
  lapel index build               read what is new into it, or all where due
  lapel index build --all --json  read all of it
  lapel index purge               remove it
  lapel index purge --all         remove those of all services and keys

build takes one request for a hundred badges, in a quarter of the key's pace.
Ctrl-C stops it; the next one goes on where it was.

Exit codes: see lapel --help.";

pub(super) const DOCTOR: &str = "\
What lapel has learned of the service (the contract leaves much open), with evidence and date, and what it \
does by it; the service's clock; the journal's place and whether its file is whole; the profile; who can \
read lapel's files. Sends one ping and changes nothing. Never shows a key.";

pub(super) const DOCTOR_EXIT: &str = "\
Exit codes:
  0  everything is in order
  1  there are problems, listed at the end
  2  no profile, or a mistake in the settings";

pub(super) const PROFILE: &str = "\
The services that lapel knows, each with its key. add and edit ask the service about the key before anything \
is kept, and pin what it says: whenever lapel connects later and the service says something else of the key, \
nothing is asked with it until a person has pinned it anew. Keys are typed without being shown, or read from \
standard input; they are never arguments.";

pub(super) const PROFILE_EXAMPLES: &str = r"Examples:
  lapel profile add                            asks for everything
  lapel profile add uni --base-url https://badges.example/api/v1/ext \
      --environment live --key-from keyring
  lapel profile add uni --base-url https://badges.example/api/v1/ext \
      --key-from command -- pass show badges/uni
  lapel profile edit uni --new-key             the key was replaced
  lapel profile edit uni --pin                 ... by one that begins otherwise
  lapel profile edit uni --ca-file company.pem --proxy http://proxy:8080
  lapel profile test uni
  lapel profile remove uni

Where a key can be: file (lapel's own, chmod 600), keyring, env:VARIABLE,
file:PATH, command. remove takes away what lapel itself keeps, nothing else.
A proxy with a password is better written into config.toml: others can see
what is typed here.

Exit codes: see lapel --help.";

pub(super) const TOUR: &str = "\
A walk over the real desk, on a sandbox of its own with invented people: find a holder, issue a badge, watch it \
become Issued, revoke it, keep the receipt. A strip above the footer says what to do next and goes on when it is \
done. Every step can be skipped, and all of it left. Nothing is real, and nobody is mailed.";

pub(super) const INFO: &str = "\
Every path that lapel uses, whether it is there and who can read it; where each setting comes from; the \
profile, without its key; what the terminal says of itself; how lapel was built. Asks nobody and changes \
nothing.";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  lapel completions bash > ~/.local/share/bash-completion/completions/lapel
  lapel completions zsh > ~/.zfunc/_lapel
  lapel completions fish > ~/.config/fish/completions/lapel.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Example:
  lapel man > ~/.local/share/man/man1/lapel.1";
pub(super) const TEMPLATES: &str = "\
List the organisation's badge templates, filtered and sorted by the service: one page, or with --all the whole \
list. The filters are the service's own, under their own names.";

pub(super) const HISTORY: &str = "\
List what was issued and what became of it, filtered and sorted by the service: one page, or with --all the \
whole history. The filters are the service's own, under their own names.";

pub(super) const WALLET: &str = "\
List the badges that a holder owns, as the wallet shows them. The wallet may leave out what waits or was \
revoked: lapel history --recipient-email has those.";

pub(super) const LIST_EXAMPLES: &str = r"Examples:
  lapel templates --use-yn Y --sort title
  lapel history --issue-start-date 2026-10-01 --sort issued_at:desc --rows 100
  lapel history --title Python --all --xlsx history.xlsx
  lapel history --all --jsonl | your-program

--all reads pages of 100 at a quarter of the key's pace, so that a person at
the desk is not held up. Rows that come in meanwhile are fetched too; no row
comes twice; at the end the number of rows is compared with the service's
count, and said. Where the two do not agree, it says so, and ends with 3.
With --json everything is held until the end; --jsonl, --csv and --xlsx take
rows as they come. An Excel file is there whole or not at all.

In CSV, a cell that a spreadsheet would calculate with begins with an
apostrophe; Excel files and JSON have every value as it is.

Exit codes:
  0  all as asked
  1  tried, and it did not work: refused, not reached, no such record
  2  a mistake in the command line or the settings, no profile
  3  read to the end, but records are missing or could not be read
  4  stopped (Ctrl-C) before the end";

pub(super) const DEMO: &str = "\
Open the desk on a sandbox of its own: the whole service, made up, on a free port of this computer. No \
account is needed, nothing leaves this computer, nothing is real, and nothing is left behind. Its clock \
runs fast, so that a badge issued there becomes Issued while one watches.";

pub(super) const DEMO_EXAMPLES: &str = "\
Examples:
  lapel demo
  lapel demo --history 1000000    a history of a million badges
  lapel demo --speed 600          a day passes in under three minutes
  lapel demo --tab history --filter recipient_name=Kim";

pub(super) const PING: &str = "\
Ask the service whether the key is good. Prints the status, the first characters of the key as the service \
sees it, how long the answer took, and the address.";

pub(super) const PING_EXAMPLES: &str = r#"Examples:
  lapel ping
  lapel ping --profile uni
  lapel ping --json

With --json, one line, in success and in failure:
  {"ok":true,"status":"ok","apikey_prefix":"...","round_trip_ms":23,
   "base_url":"..."}
  {"ok":false,"error":{"kind":"...","message":"..."},"base_url":"..."}

Exit codes:
  0  the key is good
  1  it is not, or the service did not answer
  2  no profile, or a mistake in the settings"#;

pub(super) const NO_KEY_FLAG: &str = tr_noop!(
    "\
no flag takes an API key: arguments can be seen by everybody on this computer
and stay in the shell's history. If you have just typed a real key, consider
replacing it in the issuer back office.
Give the key in one of these ways:
  - the environment variable LAPEL_API_KEY
  - lapel profile add, which asks for it and does not show it
  - a file that only you can read, keys/NAME in ~/.config/lapel
  - key = { env = \"NAME\" } or key = { file = \"path\" } in the profile
More: lapel --help"
);

pub(super) const HOW_TO_BEGIN: &str = tr_noop!(
    "\
no profile is configured, so there is no service to talk to. Do one of these:
  - look around without an account:  lapel demo
  - set LAPEL_BASE_URL and LAPEL_API_KEY
  - run lapel in a terminal, or lapel profile add: it asks for address and key
  - write a profile into config.toml (lapel --help shows one)"
);

/// Translates a help text, paragraph by paragraph, with `say`. In a table, each remark is a text of its own.
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

/// Whether a paragraph is a table: after an optional heading, every line is a command or setting, with or
/// without a remark.
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

    /// In longer lines, clap would break tables in odd places.
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

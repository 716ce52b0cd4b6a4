//! The arguments of `issue`, `revoke`, `jobs` and `doctor`.

use super::args::ProfileFlags;
use crate::jobs::RowStatus;
use crate::jobs::intake::{Delimiter, HeaderRow, TextEncoding};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use std::path::PathBuf;
use std::str::FromStr;

/// What `lapel issue` takes.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("recipient").required(true).args(["to", "recipients"])))]
pub struct IssueFlags {
    /// The template to issue from; a file with a template column needs none
    #[arg(long, value_name = "ID", required_unless_present = "recipients")]
    pub template: Option<String>,
    /// A recipient, `NAME <EMAIL>`; may be repeated
    #[arg(long, value_name = "RECIPIENT")]
    pub to: Vec<String>,
    /// A file of recipients (CSV, TSV, XLSX, XLS, ODS); - reads pasted lines from standard input
    #[arg(long, value_name = "FILE")]
    pub recipients: Option<PathBuf>,
    /// How a file is read.
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Which columns hold what, by their names or numbers: name=2,email=E-mail; also family=, given=, template=
    #[arg(long, value_name = "FIELD=COL,...", value_delimiter = ',', value_parser = mapped)]
    pub map: Vec<(Field, String)>,
    /// Whoever holds the badge already, may get it twice, or has one waiting: leave out, or issue all the same
    /// [default: as the profile says; what it asks about is left out]
    #[arg(long, value_name = "HOW", value_parser = ["block", "allow"], help_heading = "Sending")]
    pub on_duplicate: Option<String>,
    /// How it is sent.
    #[command(flatten)]
    pub sending: SendingFlags,
    /// Which service.
    #[command(flatten)]
    pub who: ProfileFlags,
}

impl IssueFlags {
    /// Typed texts that lapel sends to the service unchanged.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.template.iter().chain(&self.to).map(String::as_str)
    }
}

/// What `lapel revoke` takes.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("badges").required(true).args(["badge_ids", "ids"])))]
pub struct RevokeFlags {
    /// Ids of badges
    #[arg(value_name = "ID")]
    pub badge_ids: Vec<String>,
    /// A file of badge ids (CSV, TSV, XLSX, XLS, ODS); - reads them from standard input
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,
    /// How a file is read.
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Which column holds the ids, by its name or number
    #[arg(long, value_name = "COL", requires = "ids")]
    pub id_column: Option<String>,
    /// Why; the holders may see it
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Revoke badges that still wait as soon as they are Issued, instead of leaving them out
    #[arg(long)]
    pub when_issued: bool,
    /// How it is sent.
    #[command(flatten)]
    pub sending: SendingFlags,
    /// Which service.
    #[command(flatten)]
    pub who: ProfileFlags,
}

impl RevokeFlags {
    /// Typed texts that lapel sends to the service unchanged.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.badge_ids.iter().chain([&self.reason]).map(String::as_str)
    }
}

/// How a file is read; what is not said is found out, and asked about where it is not clear.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading a file")]
pub struct ReadingFlags {
    /// Its encoding: utf-8, cp949, utf-16le, utf-16be
    #[arg(long, value_name = "ENCODING", value_parser = TextEncoding::from_str)]
    pub encoding: Option<TextEncoding>,
    /// What separates its cells: comma, tab, semicolon, pipe
    #[arg(long, value_name = "DELIMITER", value_parser = Delimiter::from_str)]
    pub delimiter: Option<Delimiter>,
    /// The sheet of a spreadsheet
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The row that names the columns, or none
    #[arg(long, value_name = "ROW", value_parser = header_row)]
    pub header_row: Option<HeaderRow>,
}

/// How something is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Sending")]
pub struct SendingFlags {
    /// Check everything and show what would be sent; send nothing, and leave nothing behind
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask; needed where there is no terminal
    #[arg(long)]
    pub yes: bool,
    /// Follow it until nothing changes any more
    #[arg(long)]
    pub wait: bool,
    /// Answer with one line of JSON, also when it fails
    #[arg(long)]
    pub json: bool,
}

/// What `lapel jobs` takes.
#[derive(Clone, Debug, Args)]
pub struct JobsFlags {
    /// What to do; without it, list
    #[command(subcommand)]
    pub verb: Option<JobsVerb>,
    /// Answer with one line of JSON, also when it fails
    #[arg(long, global = true)]
    pub json: bool,
    /// The profile of config.toml to use
    #[arg(long, value_name = "NAME", global = true, help_heading = "Settings")]
    pub profile: Option<String>,
    /// Look only: nothing can be sent or followed
    #[arg(long, global = true, help_heading = "Settings")]
    pub read_only: bool,
}

/// How a job that was reviewed before is sent on.
#[derive(Clone, Copy, Debug, Args)]
pub struct AgainFlags {
    /// Follow it until nothing changes any more
    #[arg(long)]
    pub wait: bool,
    /// LIVE: send without asking for the number and the organisation; scripts need it
    #[arg(long)]
    pub yes: bool,
}

/// What can be done with jobs.
#[derive(Clone, Debug, Subcommand)]
pub enum JobsVerb {
    /// List the jobs of this profile, the newest first
    List,
    /// Show one job: how its rows stand, why it has stopped, which rows need a person
    Show {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// List the rows of this bucket instead of those that need a person
        #[arg(long, value_name = "BUCKET", value_parser = buckets())]
        rows: Option<RowStatus>,
    },
    /// Send what is left of a job that was paused or has stopped
    Resume {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// How it is sent
        #[command(flatten)]
        how: AgainFlags,
    },
    /// Pause a job before its next request
    Pause {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
    },
    /// Call off what was not sent; what was sent is followed all the same
    Cancel {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
    },
    /// Send rows again that the service refused, in smaller requests
    Retry {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// How they are sent
        #[command(flatten)]
        how: AgainFlags,
    },
    /// Send rows again that were looked for and never seen: one, or all
    #[command(group(ArgGroup::new("which").required(true).args(["row", "all_never_seen"])))]
    Resend {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// The row, by the number that `jobs show` lists it with
        #[arg(long, value_name = "N")]
        row: Option<u64>,
        /// All rows that were never seen and are not looked for any more, in batches; their number is asked for
        #[arg(long)]
        all_never_seen: bool,
        /// The number of these rows, for scripts, which cannot be asked
        #[arg(long, value_name = "N", requires = "all_never_seen", value_parser = clap::value_parser!(u64).range(1..))]
        number: Option<u64>,
        /// Why a second one is right; it is kept in the journal
        #[arg(long, value_name = "TEXT")]
        why: String,
        /// How it is sent
        #[command(flatten)]
        how: AgainFlags,
    },
    /// Settle one row that lapel cannot tell about: it is this badge, or nothing more is done
    Settle {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// The row, by the number that `jobs show` lists it with
        #[arg(long, value_name = "N")]
        row: u64,
        /// It is this badge
        #[arg(long, value_name = "BADGE_ID", required_unless_present = "leave", conflicts_with = "leave")]
        is: Option<String>,
        /// It is settled otherwise; nothing more is done about it
        #[arg(long)]
        leave: bool,
        /// How that is known; it is kept in the journal
        #[arg(long, value_name = "TEXT")]
        why: String,
    },
    /// Use up what is left of the quota, with ever smaller requests
    UseUp {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// How it is sent
        #[command(flatten)]
        how: AgainFlags,
    },
    /// Undo an issue job: call off what was not sent, revoke what was
    Undo {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// Why; the holders may see it
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Do not ask; needed where there is no terminal
        #[arg(long)]
        yes: bool,
        /// Follow it until nothing changes any more
        #[arg(long)]
        wait: bool,
    },
    /// Write what became of every row into a file
    Receipt {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// Where to.
        #[command(flatten)]
        to: FileFlags,
    },
    /// Write the rows to do again into a file that can be issued as it is
    Redo {
        /// The job
        #[arg(value_name = "JOB", value_parser = job_id())]
        id: i64,
        /// Where to.
        #[command(flatten)]
        to: FileFlags,
    },
    /// Look what has become of everything that is open, and say what has changed
    Follow {
        /// Go on until nothing changes any more
        #[arg(long)]
        wait: bool,
    },
    /// Remove names and addresses of finished jobs from the journal
    Purge {
        /// Of jobs that were planned more days ago than this [default: as the settings say]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(0..=36_500))]
        older_than: Option<u32>,
    },
}

/// Where a file is written.
#[derive(Clone, Debug, Args)]
pub struct FileFlags {
    /// The file; its ending decides the format
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// The format, where the ending does not say it
    #[arg(long, value_name = "FORMAT", value_parser = ["xlsx", "csv", "csv-cp949"])]
    pub format: Option<String>,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// What `lapel doctor` takes.
#[derive(Clone, Debug, Default, Args)]
pub struct DoctorFlags {
    /// Answer with one line of JSON
    #[arg(long)]
    pub json: bool,
    /// Which service.
    #[command(flatten)]
    pub who: ProfileFlags,
}

/// A field that a column can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Name,
    /// The family name, which requires `Given`.
    Family,
    /// The given name, which requires `Family`.
    Given,
    Email,
    Template,
}

fn mapped(text: &str) -> Result<(Field, String), String> {
    let (field, column) =
        text.split_once('=').ok_or(t!("write FIELD=COLUMN, such as name=2,email=E-mail").to_owned())?;
    let field = match field.trim().to_ascii_lowercase().as_str() {
        "name" => Field::Name,
        "family" => Field::Family,
        "given" => Field::Given,
        "email" | "e-mail" => Field::Email,
        "template" => Field::Template,
        _ => return Err(t!("the fields are name, family, given, email and template").to_owned()),
    };
    match column.trim() {
        "" => Err(t!("the column is missing behind =").to_owned()),
        column => Ok((field, column.to_owned())),
    }
}

fn header_row(text: &str) -> Result<HeaderRow, String> {
    match text.trim() {
        "none" => Ok(HeaderRow::Absent),
        number => number
            .parse()
            .ok()
            .filter(|n| *n > 0)
            .map(HeaderRow::At)
            .ok_or_else(|| t!("write the number of the row, from 1, or none").to_owned()),
    }
}

fn job_id() -> impl TypedValueParser<Value = i64> {
    clap::value_parser!(i64).range(1..)
}

fn buckets() -> impl TypedValueParser<Value = RowStatus> {
    PossibleValuesParser::new(RowStatus::ALL.iter().map(|b| b.code()))
        .map(|code| RowStatus::from_code(&code).unwrap_or(RowStatus::Other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_names_fields_and_columns() {
        assert_eq!(mapped("name=성명"), Ok((Field::Name, "성명".to_owned())));
        assert_eq!(mapped("E-Mail = a=b "), Ok((Field::Email, "a=b".to_owned())));
        for wrong in ["name", "name=", "phone=1", "=1"] {
            assert!(mapped(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_header_row_is_a_number_or_none() {
        assert_eq!(header_row("none"), Ok(HeaderRow::Absent));
        assert_eq!(header_row("3"), Ok(HeaderRow::At(3)));
        for wrong in ["0", "-1", "first", ""] {
            assert!(header_row(wrong).is_err(), "{wrong}");
        }
    }
}

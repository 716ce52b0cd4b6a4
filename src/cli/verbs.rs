//! The arguments of `issue`, `revoke`, `jobs` and `doctor`.

use super::completion;
use super::flags::{GlobalFlags, ProfileFlags, whole, whole_from};
use super::session::JobAccess;
use crate::cli::prelude::*;
use crate::jobs::intake::{Delimiter, HeaderRow, TextEncoding};
use crate::jobs::{Step, count};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgGroup};
use std::str::FromStr;

#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("recipient").required(true).args(["to", "recipients"])))]
pub struct IssueFlags {
    /// The template to issue, by id or exact title; not needed if the file has a template column
    #[arg(long, value_name = "ID|TITLE", required_unless_present = "recipients", add = completion::of_templates())]
    pub template: Option<String>,
    /// A recipient as `NAME <EMAIL>`; repeatable
    #[arg(long, value_name = "RECIPIENT")]
    pub to: Vec<String>,
    /// A file of recipients (CSV, TSV, XLSX, XLS, ODS); - reads pasted lines from standard input
    #[arg(long, value_name = "FILE")]
    pub recipients: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Columns by name or number: name=2,email=E-mail; also family=, given=, template=
    #[arg(long, value_name = "FIELD=COL,...", value_delimiter = ',', value_parser = mapped)]
    pub map: Vec<(MappedField, String)>,
    /// For recipients who already have the badge, may get it twice or have one waiting: skip (block) or issue
    /// anyway (allow) [default: set in the profile; ask skips them]
    #[arg(long, value_name = "HOW", value_parser = ["block", "allow"], help_heading = "Sending")]
    pub on_duplicate: Option<String>,
    #[command(flatten)]
    pub sending: SendingFlags,
    #[command(flatten)]
    pub who: ProfileFlags,
}

impl IssueFlags {
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.template.iter().chain(&self.to).map(String::as_str)
    }
}

#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("badges").required(true).args(["badge_ids", "ids"])))]
pub struct RevokeFlags {
    /// Badge ids
    #[arg(value_name = "ID")]
    pub badge_ids: Vec<String>,
    /// A file of badge ids (CSV, TSV, XLSX, XLS, ODS); - reads standard input
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// The column with the ids, by name or number
    #[arg(long, value_name = "COL", requires = "ids")]
    pub id_column: Option<String>,
    /// Reason; holders may see it
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Revoke waiting badges as soon as they are Issued instead of skipping them
    #[arg(long)]
    pub when_issued: bool,
    #[command(flatten)]
    pub sending: SendingFlags,
    #[command(flatten)]
    pub who: ProfileFlags,
}

impl RevokeFlags {
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.badge_ids.iter().chain([&self.reason]).map(String::as_str)
    }
}

/// How a file is read; what is not said is found out, and asked about where it is not clear.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading a file")]
pub struct ReadingFlags {
    /// File encoding: utf-8, cp949, utf-16le, utf-16be
    #[arg(long, value_name = "ENCODING", value_parser = TextEncoding::from_str)]
    pub encoding: Option<TextEncoding>,
    /// Cell delimiter: comma, tab, semicolon, pipe
    #[arg(long, value_name = "DELIMITER", value_parser = Delimiter::from_str)]
    pub delimiter: Option<Delimiter>,
    /// The sheet of a spreadsheet to read
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The row with the column names, or none
    #[arg(long, value_name = "ROW", value_parser = header_row)]
    pub header_row: Option<HeaderRow>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Sending")]
pub struct SendingFlags {
    /// Check everything and show what would be sent; send and save nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Skip the confirmation; required without a terminal
    #[arg(long)]
    pub yes: bool,
    /// Check until nothing changes any more
    #[arg(long)]
    pub wait: bool,
    /// Print one line of JSON, also on failure
    #[arg(long)]
    pub json: bool,
}

impl SendingFlags {
    pub(super) fn access(self) -> JobAccess {
        if self.dry_run { JobAccess::Plan } else { JobAccess::Act }
    }
}

#[derive(Clone, Debug, Args)]
pub struct JobsFlags {
    /// What to do; without it, list
    #[command(subcommand)]
    pub verb: Option<JobsVerb>,
    #[command(flatten)]
    pub global: GlobalFlags,
    /// Read-only: sending and checking are disabled
    #[arg(long, global = true, help_heading = "Settings")]
    pub read_only: bool,
}

/// How a job that was reviewed before is sent on.
#[derive(Clone, Copy, Debug, Args)]
pub struct AgainFlags {
    /// Check until nothing changes any more
    #[arg(long)]
    pub wait: bool,
    /// LIVE: skip typing the number and the short name; required in scripts
    #[arg(long)]
    pub yes: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct JobFlag {
    /// The job number
    #[arg(value_name = "JOB", value_parser = whole_from(1).map(JobId), add = completion::of_jobs())]
    pub id: JobId,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct SendAgainFlags {
    #[command(flatten)]
    pub job: JobFlag,
    #[command(flatten)]
    pub how: AgainFlags,
}

#[derive(Clone, Debug, Subcommand)]
pub enum JobsVerb {
    /// List the jobs of this profile, newest first
    List,
    /// Show one job: row statuses, why it stopped, rows that need attention
    Show {
        #[command(flatten)]
        job: JobFlag,
        /// List the rows with this status instead of the rows that need attention
        #[arg(long, value_name = "BUCKET", value_parser = row_statuses())]
        rows: Option<RowStatus>,
    },
    /// Send the remaining rows of a paused or stopped job
    #[command(mut_arg("id", for_jobs(|job| job.can_resume() || job.is_abandoned() && job.can_pause())))]
    Resume(SendAgainFlags),
    /// Pause a job before its next request
    #[command(mut_arg("id", for_jobs(|job| job.can_pause() && !job.is_abandoned())))]
    Pause(JobFlag),
    /// Cancel the rest; lapel still checks what was sent
    #[command(mut_arg("id", for_jobs(Job::can_cancel_rest)))]
    Cancel(JobFlag),
    /// Send refused rows again in smaller requests
    #[command(mut_arg("id", for_jobs(|job| job.left_to_retry() > 0)))]
    Retry(SendAgainFlags),
    /// Send never seen rows again: one or all
    #[command(
        group(ArgGroup::new("which").required(true).args(["row", "all_never_seen"])),
        mut_arg("id", for_jobs(|job| count(Step::Resolve, job) > 0))
    )]
    Resend {
        #[command(flatten)]
        job: JobFlag,
        /// The row number shown by `jobs show`
        #[arg(long, value_name = "N", value_parser = whole_from(1_u64))]
        row: Option<u64>,
        /// All never seen rows that lapel no longer checks, in batches; asks for their number
        #[arg(long)]
        all_never_seen: bool,
        /// The number of these rows, for scripts, where no prompt is possible
        #[arg(long, value_name = "N", requires = "all_never_seen", value_parser = whole_from(1_u64))]
        number: Option<u64>,
        /// Why a second badge is right; saved in the journal
        #[arg(long, value_name = "TEXT")]
        why: String,
        #[command(flatten)]
        how: AgainFlags,
    },
    /// Resolve one row that lapel cannot resolve: name its badge or close it
    #[command(
        alias = "settle",
        group(ArgGroup::new("result").args(["is", "leave"]).required(true)),
        mut_arg("id", for_jobs(|job| count(Step::Resolve, job) > 0))
    )]
    Resolve {
        #[command(flatten)]
        job: JobFlag,
        /// The row number shown by `jobs show`
        #[arg(long, value_name = "N", value_parser = whole_from(1_u64))]
        row: u64,
        /// The badge of this row
        #[arg(long, value_name = "BADGE_ID")]
        is: Option<String>,
        /// Resolved in another way; lapel does nothing more with the row
        #[arg(long)]
        leave: bool,
        /// How you know this; saved in the journal
        #[arg(long, value_name = "TEXT")]
        why: String,
    },
    /// Use up the remaining quota with smaller and smaller requests
    #[command(mut_arg("id", for_jobs(Job::can_use_up)))]
    UseUp(SendAgainFlags),
    /// Undo an issue job: cancel the rest, revoke what was sent
    #[command(mut_arg("id", for_jobs(|job| count(Step::Undo, job) > 0)))]
    Undo {
        #[command(flatten)]
        job: JobFlag,
        /// Reason; holders may see it
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Skip the confirmation; required without a terminal
        #[arg(long)]
        yes: bool,
        /// Check until nothing changes any more
        #[arg(long)]
        wait: bool,
    },
    /// Write the receipt with the outcome of every row
    Receipt(FileFlags),
    /// Write the redo file: rows to do again, ready to issue
    #[command(mut_arg("id", for_jobs(|job| count(Step::Redo, job) > 0)))]
    Redo(FileFlags),
    /// Check everything that is still open and print what changed
    Follow {
        /// Continue until nothing changes any more
        #[arg(long)]
        wait: bool,
    },
    /// Remove names and e-mail addresses of finished jobs from the journal
    Purge {
        /// Only jobs planned more than this many days ago [default: from the settings]
        #[arg(long, value_name = "DAYS", value_parser = whole(0_u32, 36_500))]
        older_than: Option<u32>,
    },
}

#[derive(Clone, Debug, Args)]
pub struct FileFlags {
    #[command(flatten)]
    pub job: JobFlag,
    /// The file; its extension sets the format
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// The format, if the extension does not show it
    #[arg(long, value_name = "FORMAT", value_parser = ["xlsx", "csv", "csv-cp949"])]
    pub format: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub struct DoctorFlags {
    /// Print one line of JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub who: ProfileFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum MappedField {
    Name,
    /// The family name, which requires `Given`.
    Family,
    /// The given name, which requires `Family`.
    Given,
    #[strum(serialize = "email", serialize = "e-mail")]
    Email,
    Template,
}

fn mapped(text: &str) -> Result<(MappedField, String), String> {
    let (field, column) =
        text.split_once('=').ok_or(t!("use FIELD=COLUMN, such as name=2,email=E-mail").to_owned())?;
    let field = field.trim().parse();
    let field = field.map_err(|_| t!("the fields are name, family, given, email and template").to_owned())?;
    match column.trim() {
        "" => Err(t!("the column after = is missing").to_owned()),
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
            .ok_or_else(|| t!("use a row number (from 1) or none").to_owned()),
    }
}

/// Completes only the jobs that a verb can do something with.
fn for_jobs(is_for: fn(&Job) -> bool) -> impl FnOnce(Arg) -> Arg {
    move |arg| arg.add(completion::of_jobs_that(is_for))
}

fn row_statuses() -> impl TypedValueParser<Value = RowStatus> {
    PossibleValuesParser::new(RowStatus::ALL.iter().map(|b| b.code()))
        .map(|code| RowStatus::from_code(&code).unwrap_or(RowStatus::UnknownState))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_names_fields_and_columns() {
        assert_eq!(mapped("name=성명"), Ok((MappedField::Name, "성명".to_owned())));
        assert_eq!(mapped("E-Mail = a=b "), Ok((MappedField::Email, "a=b".to_owned())));
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

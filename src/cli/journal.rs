//! `lapel journal`: creates, migrates and shows the journal, makes a backup of it, and restores one, for example on a
//! new computer.

mod status;

pub(super) use status::{journal_lines, names, problems as problems_of_team, server_json};

use super::connection::{journal_place, share_stays};
use super::flags::GlobalFlags;
use super::session::{Asker, answer, answer_json, aside, may_act, on_place};
use crate::cli::prelude::*;
use crate::domain::time::zone_name;
use crate::fs::Overwrite;
use crate::jobs::{
    self, Account, BackedUp, Creation, JobError, JournalError, Migration, OpenJobs, ROLES, Restored,
};
use jiff::tz::TimeZone;

#[derive(Clone, Debug, Args)]
pub struct JournalFlags {
    /// What to do
    #[command(subcommand)]
    pub verb: JournalVerb,
    #[command(flatten)]
    pub global: GlobalFlags,
}

#[derive(Clone, Debug, Subcommand)]
pub enum JournalVerb {
    /// Show where the journal is, who uses it, and whether lapel can write it
    Status,
    /// Create the tables of a team's journal in the database that the profile names
    Init {
        /// Print the SQL for the roles and their rights, and change nothing
        #[arg(long)]
        print: bool,
    },
    /// Move the jobs of the profile from the journal on this computer to the team's
    Move {
        /// Move them back to this computer
        #[arg(long)]
        back: bool,
    },
    /// Bring the tables of a team's journal to the schema of this version
    Migrate,
    /// Copy the journal to a file; open jobs move with it
    Backup {
        /// The file to write
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Keep open jobs here; the backup has only a record of them
        #[arg(long)]
        stay: bool,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Restore a backup; its open jobs continue here
    Restore {
        /// The backup file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Continue open jobs here even if they may have continued elsewhere; lapel checks what may have been sent
        /// there
        #[arg(long)]
        claim: bool,
    },
}

/// The settings may have mistakes: backups of the journal on this computer do not need them.
pub async fn journal(
    flags: JournalFlags,
    settings: Result<Settings, ConfigError>,
    paths: &Paths,
    asker: &Asker,
) -> Result<u8, Failure> {
    let (as_json, folder, who) = (asker.json, paths.data_dir.clone(), asker.who.clone());
    // Where open jobs are sent from is no matter of a profile that sends nothing.
    if matches!(flags.verb, JournalVerb::Backup { stay: false, .. } | JournalVerb::Restore { .. })
        && let Ok(Settings { profile: Some(profile), .. }) = &settings
    {
        may_act(profile)?;
    }
    match flags.verb {
        JournalVerb::Init { print: true } => {
            answer(as_json, ROLES.trim_end(), &json!({ "ok": true, "sql": ROLES }))?;
        }
        JournalVerb::Backup { file, stay, force } => {
            let open = if stay { OpenJobs::Stay } else { OpenJobs::Move };
            let overwrite = if force { Overwrite::Yes } else { Overwrite::No };
            let profile = settings.ok().and_then(|settings| settings.profile);
            may_be_copied(profile.as_ref(), &file)?;
            let made = aside(move || jobs::back_up(&folder, &file, open, overwrite, &who)).await?;
            backed_up(&made, open, as_json)?;
        }
        JournalVerb::Restore { file, claim } => {
            let named = shown(&file);
            let restored = aside(move || {
                jobs::restore(&folder, &file, claim, &who).map_err(|why| match why {
                    // The journal here was not touched.
                    JobError::Journal(JournalError::Corrupt { file, .. }) if file == named => {
                        JobError::NotPossible(localizable!(
                            "{file} is not a journal backup. Nothing was changed.",
                            file
                        ))
                    }
                    other => other,
                })
            })
            .await?;
            put_back(&restored, as_json)?;
        }
        verb => match settings {
            Ok(settings) => with_settings(verb, settings, asker).await?,
            Err(error) => return Ok(super::settings_are_wrong(&error, as_json)),
        },
    }
    Ok(exit::OK)
}

async fn with_settings(verb: JournalVerb, settings: Settings, asker: &Asker) -> Result<(), Failure> {
    let Settings { mut profile, paths, .. } = settings;
    let as_json = asker.json;
    let mut place = JournalPlace::Folder(paths.data_dir.clone());
    if let Some(mut found) = profile {
        // The password may come from a command or a keyring.
        let found = aside(move || found.fetch_secrets().map(|()| found)).await?;
        place = journal_place(&found, &paths);
        profile = Some(found);
    }
    let profile = profile.as_ref();
    match verb {
        JournalVerb::Init { .. } => init(place, profile, as_json).await,
        JournalVerb::Move { back } => move_jobs(place, profile, (&paths, back), &asker.who, as_json).await,
        JournalVerb::Migrate => migrate(place, profile, as_json).await,
        _ => {
            // Without its key, it is not known what belongs to a profile.
            let account = profile.and_then(|profile| account_of(profile, &paths).ok());
            status::status(place, profile, account, as_json).await
        }
    }
}

fn account_of(profile: &Profile, paths: &Paths) -> Result<Account, Failure> {
    let account = Account::of(&profile.name, &super::connection(profile, paths)?);
    Ok(account.of_organisation(profile.organisation.as_deref()))
}

/// A team's journal is needed, and `work` has found none.
fn no_team(profile: Option<&Profile>) -> Failure {
    match profile {
        None => Failure::no_profile(),
        Some(profile) => Failure::usage(t!(
            "Profile {name} uses the journal on this computer, so nothing was changed. To use a team's journal, run: lapel profile edit {name} --journal-url postgres://USER@HOST/DATABASE",
            name = profile.name
        )),
    }
}

/// Only the journal on this computer is copied, and into a file.
fn may_be_copied(profile: Option<&Profile>, to: &Path) -> Result<(), Failure> {
    let Some((profile, team)) = profile.and_then(|profile| Some((profile, profile.journal.as_ref()?))) else {
        if to.as_os_str() == "-" {
            return Err(Failure::usage(t!(
                "a backup needs a file name, such as lapel.backup; it cannot be -. Nothing was copied."
            )));
        }
        return Ok(());
    };
    Err(Failure::new(
        "not_possible",
        t!(
            "Profile {name} uses a team's journal ({server}). Nothing was copied. The database's administrator makes its backups, for example with: pg_dump --schema=lapel {database}. To back up the journal on this computer, name a profile that uses it with --profile.",
            name = profile.name,
            server = scrub(&team.server.to_string()),
            database = scrub(&team.server.database)
        ),
    ))
}

async fn move_jobs(
    place: JournalPlace,
    profile: Option<&Profile>,
    (paths, back): (&Paths, bool),
    who: &str,
    as_json: bool,
) -> Result<(), Failure> {
    let Some(profile) = profile.filter(|_| matches!(place, JournalPlace::Team { .. })) else {
        return Err(no_team(profile));
    };
    may_act(profile)?;
    let account = account_of(profile, paths)?;
    let who = place.person().unwrap_or(who).to_owned();
    let folder = JournalPlace::Folder(paths.data_dir.clone());
    let (file, team) = on_place(place, move |place| Ok((folder.open()?, place.open()?))).await?;
    let (from, to) = if back { (&team, &file) } else { (&file, &team) };
    let moved = from.move_to(to, &account, &who).await?;
    let to = scrub(&moved.to);
    let mut said = vec![match moved.jobs {
        0 => t!("No job was left to move: all jobs of this profile are in {to}.", to),
        n => plural!(n, "{n} job moved to {to}.", "{n} jobs moved to {to}.", to),
    }];
    if moved.numbers.iter().any(|(old, new)| old != new) {
        said.push(t!("New numbers of the jobs: {numbers}.", numbers = renumbered(&moved.numbers)));
    }
    if back {
        said.push(t!(
            "To use the journal on this computer, run: lapel profile edit {name} --journal-url \"\"",
            name = profile.name
        ));
        said.push(share_stays().to_owned());
    }
    let numbers: Vec<Value> =
        moved.numbers.iter().map(|(old, new)| json!({ "old": old.0, "new": new.0 })).collect();
    let value = json!({ "ok": true, "jobs": moved.jobs, "to": moved.to, "numbers": numbers });
    answer(as_json, &said.join(" "), &value)
}

/// Jobs whose old and new numbers follow each other are one range: `1–5 → 10–14, 8 → 6`.
fn renumbered(numbers: &[(JobId, JobId)]) -> String {
    let mut ranges: Vec<(i64, i64, i64)> = Vec::new();
    for &(JobId(old), JobId(new)) in numbers {
        match ranges.last_mut() {
            Some((from, to, n)) if (old, new) == (*from + *n, *to + *n) => *n += 1,
            _ => ranges.push((old, new, 1)),
        }
    }
    let of = |from: i64, n: i64| if n == 1 { from.to_string() } else { format!("{from}–{}", from + n - 1) };
    list(ranges.into_iter().map(|(from, to, n)| format!("{} → {}", of(from, n), of(to, n)))).to_string()
}

async fn init(place: JournalPlace, profile: Option<&Profile>, as_json: bool) -> Result<(), Failure> {
    let server = server_of(&place);
    let made = on_place(place, JournalPlace::create_team).await?.ok_or_else(|| no_team(profile))?;
    let value = json!({
        "ok": true,
        "path": server,
        "created": made != Creation::Existing,
        "roles": match made {
            Creation::Created { has_roles } => Some(has_roles),
            Creation::Existing => None,
        },
    });
    let text = match made {
        Creation::Existing => t!("{server} already has a journal. Nothing was changed.", server),
        Creation::Created { has_roles: true } => {
            t!("Created the journal in {server}. Members of the role lapel_issuer can use it.", server)
        }
        Creation::Created { has_roles: false } => t!(
            "Created the journal in {server}. So far, only its owner can use it. For other people, let an administrator run the SQL of: lapel journal init --print",
            server
        ),
    };
    answer(as_json, &text, &value)
}

async fn migrate(place: JournalPlace, profile: Option<&Profile>, as_json: bool) -> Result<(), Failure> {
    let server = server_of(&place);
    let Migration { from, to } =
        on_place(place, JournalPlace::migrate_team).await?.ok_or_else(|| no_team(profile))?;
    let text = if from == to {
        t!("The journal in {server} has the schema of this lapel ({to}). Nothing was changed.", server, to)
    } else {
        t!("Changed the journal in {server} from schema {from} to {to}.", server, from, to)
    };
    answer(as_json, &text, &json!({ "ok": true, "path": server, "from": from, "to": to }))
}

/// Host and database, for people. Empty for a journal that is no team's.
fn server_of(place: &JournalPlace) -> String {
    match place {
        JournalPlace::Team { login, .. } => scrub(&login.server.to_string()).into_owned(),
        JournalPlace::Memory | JournalPlace::Folder(_) => String::new(),
    }
}

fn backed_up(made: &BackedUp, open: OpenJobs, as_json: bool) -> Result<(), Failure> {
    let moved = open == OpenJobs::Move;
    if as_json {
        let (gone, stayed) = if moved { (&made.open[..], &[][..]) } else { (&[][..], &made.open[..]) };
        return answer_json(&json!({
            "ok": true,
            "path": made.path.to_string_lossy(),
            "jobs": made.jobs,
            "moved": ids(gone),
            "stayed": ids(stayed),
        }));
    }
    let file = shown(&made.path);
    output::answer(&format!("{file}  {}", count!(made.jobs, "job", "jobs")))?;
    if made.drafts > 0 {
        output::complain(&plural!(
            made.drafts,
            "{n} kept draft stays here. It is not in the backup.",
            "{n} kept drafts stay here. They are not in the backup."
        ));
    }
    if made.open.is_empty() {
        return Ok(());
    }
    let jobs = listed(&made.open);
    output::complain(&if moved {
        t!(
            "open jobs moved with the backup: {jobs}. Here you can only view them. To continue them, type on the other computer: lapel journal restore FILE. The same command here takes them back.",
            jobs
        )
    } else {
        t!("open jobs that stay here: {jobs}. The backup has them only as a record.", jobs)
    });
    Ok(())
}

fn put_back(restored: &Restored, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return answer_json(&json!({
            "ok": true,
            "computer": restored.computer.to_string(),
            "made": restored.made.to_string(),
            "jobs": restored.jobs,
            "open": ids(&restored.open),
            "elsewhere": ids(&restored.elsewhere),
        }));
    }
    output::answer(&t!(
        "Restored the journal of {computer} ({made}) with {jobs}.",
        computer = restored.computer,
        made = here(restored.made),
        jobs = count!(restored.jobs, "job", "jobs")
    ))?;
    if !restored.open.is_empty() {
        output::complain(&t!(
            "jobs that continue here: {jobs}. lapel first checks the rows that were sent (lapel jobs follow). Send the rest with lapel jobs resume.",
            jobs = listed(&restored.open)
        ));
    }
    if !restored.elsewhere.is_empty() {
        output::complain(&t!(
            "jobs that continue elsewhere: {jobs}. Here you can only view them.",
            jobs = listed(&restored.elsewhere)
        ));
    }
    Ok(())
}

fn ids(jobs: &[JobId]) -> Vec<i64> {
    jobs.iter().map(|id| id.0).collect()
}

fn listed(jobs: &[JobId]) -> String {
    list(jobs.iter().map(ToString::to_string)).to_string()
}

fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}

/// Needs no service: `2026-11-02 09:41, UTC+9`.
fn here(at: Timestamp) -> String {
    let at = at.to_zoned(TimeZone::system());
    format!("{}, {}", at.strftime("%Y-%m-%d %H:%M"), zone_name(at.offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_numbers_of_jobs_are_ranges_where_they_can_be() {
        let numbers = [(1, 10), (2, 11), (3, 12), (8, 6), (9, 14), (10, 15)];
        let said = renumbered(&numbers.map(|(old, new)| (JobId(old), JobId(new))));
        assert_eq!(said, "1–3 → 10–12, 8 → 6, 9–10 → 14–15");
        assert_eq!(renumbered(&[]), "");
    }
}

//! `lapel profile`: manages the profiles, tests a key before it saves it, and pins the reported identity.

mod add;
mod args;
mod edit;
mod key_test;
mod manage;

use super::interrupt::Interrupt;
use super::{confirm, prompt};
use crate::cli::connection::journal_place;
use crate::cli::job_text::align;
use crate::cli::prelude::*;
use crate::cli::session::{answer, aside, on_place};
use crate::config::{
    KeyPin, KeyStore, ProfileLine, ProfileSettings, SecretKind, named_profile, remove_profile,
};
use crate::jobs::{Account, Adopted};
use args::ProfileVerb;
pub use args::ProfileVerbs;
use key_test::KeyTest;
use secrecy::SecretString;

pub async fn profile(verbs: ProfileVerbs, env: &Env, who: &str) -> Result<u8, Failure> {
    let paths = Paths::find(env)?;
    let context = ProfileContext { paths, env: env.clone(), who: who.to_owned(), json: verbs.json };
    match verbs.verb.unwrap_or(ProfileVerb::List) {
        ProfileVerb::List => context.list()?,
        ProfileVerb::Add(flags) => Box::pin(add::add(&context, *flags)).await?,
        ProfileVerb::Edit(flags) => Box::pin(edit::edit(&context, *flags)).await?,
        ProfileVerb::Remove { name, yes } => context.remove(name, yes).await?,
        ProfileVerb::Test { name } => context.test(name).await?,
    }
    Ok(exit::OK)
}

pub struct ProfileContext {
    pub paths: Paths,
    pub env: Env,
    pub who: String,
    pub json: bool,
}

type CommandResult = Result<(), Failure>;

impl ProfileContext {
    fn answer(&self, line: &str, value: &Value) -> CommandResult {
        answer(self.json, line, value)
    }

    fn list(&self) -> CommandResult {
        let all = profiles(&self.paths, &self.env)?;
        let none = t!("There is no profile yet. Run lapel profile add or lapel demo.");
        let text = if all.is_empty() { none.to_owned() } else { table(&all) };
        let all: Vec<Value> = all.iter().map(line_as_json).collect();
        self.answer(&text, &json!({ "ok": true, "profiles": all }))
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Paths, &Env) -> Result<T, ConfigError> + Send + 'static,
    ) -> Result<T, Failure> {
        let (paths, env) = (self.paths.clone(), self.env.clone());
        aside(move || work(&paths, &env)).await
    }

    async fn remove(&self, name: String, yes: bool) -> CommandResult {
        let all = profiles(&self.paths, &self.env)?;
        let Some(line) = all.iter().find(|line| line.name == name) else {
            return Err(self.no_such(&all));
        };
        confirm::somebody_is_there(
            yes,
            t!("without a terminal, removing a profile needs --yes. Nothing was removed."),
        )?;
        if !yes {
            let about = t!(
                "Profile {name}: {environment}  {base_url}  key from {key_from}. Its jobs stay in the journal.",
                name,
                environment = line.environment,
                base_url = scrub(&line.base_url),
                key_from = line.key_from
            );
            let question = t!("Type {name} to remove it (anything else keeps it)", name);
            let wanted = name.clone();
            let is_wanted = move |typed: &str| typed.trim() == wanted;
            if !confirm::asked(&about, &format!("{question}:"), is_wanted, &Interrupt::reading()).await {
                return Err(Failure::usage(t!("Not confirmed. Nothing was removed.")));
            }
        }
        let gone = name.clone();
        let removed = self.aside(move |paths, env| remove_profile(paths, env, &gone)).await?;
        let value = json!({
            "ok": true, "removed": name, "key": removed.key, "journal_password": removed.journal_password,
            "was_default": removed.was_default,
        });
        let mut said = removed.words(&name);
        if removed.was_default {
            said = format!("{said} {}", t!("It was the default. Set another with --default."));
        }
        self.answer(&said, &value)
    }

    fn no_such(&self, all: &[ProfileLine]) -> Failure {
        let names: Vec<&str> = all.iter().map(|line| line.name.as_str()).collect();
        let names = if names.is_empty() { t!("none").to_owned() } else { list(names).to_string() };
        let what = t!("This profile does not exist. Profiles: {names}. Nothing was changed.", names);
        Failure::usage(what).of_kind("no_profile")
    }

    async fn with_key(&self, name: String) -> Result<Profile, Failure> {
        self.aside(move |paths, env| {
            let mut profile = named_profile(paths, &name, env)?;
            profile.fetch_secrets()?;
            Ok(profile)
        })
        .await
    }

    async fn test(&self, name: Option<String>) -> CommandResult {
        let all = profiles(&self.paths, &self.env)?;
        let name = match name {
            Some(name) if all.iter().any(|line| line.name == name) => name,
            Some(_) => return Err(self.no_such(&all)),
            None => match all.iter().find(|line| line.is_default) {
                Some(line) => line.name.clone(),
                None if all.is_empty() => return Err(Failure::no_profile()),
                None => {
                    return Err(Failure::usage(t!(
                        "Give the profile name: there are several, and no default."
                    )));
                }
            },
        };
        let (profile, trial, warnings) = self.tested(name).await?;
        warn(&warnings);
        let mut fields = profile_as_json(&profile);
        fields.insert("round_trip_ms".to_owned(), trial.millis.into());
        let value = json!({
            "ok": true, "profile": fields, "issuer": trial.issuer(), "said_prefix": trial.identity.prefix, "warnings": warnings,
        });
        self.answer(
            &t!(
                "ok  profile {name}  {trial}  {millis} ms",
                name = profile.name,
                trial = trial.words(),
                millis = trial.millis
            ),
            &value,
        )
    }

    /// Returns the answer with warnings.
    async fn tested(&self, name: String) -> Result<(Profile, KeyTest, Vec<String>), Failure> {
        let profile = self.with_key(name).await?;
        let trial = KeyTest::of(&profile, &self.paths).await?;
        if let Some(pin) = &profile.pin() {
            trial.compared_with(pin, &profile)?;
        }
        let mut warnings = trial.warnings(&profile);
        match &profile.pin() {
            None => warnings.push(t!("Profile {name} has no pinned key, so lapel cannot detect another organisation's key: lapel profile edit {name} --pin.", name = profile.name)),
            Some(pin) if pin.fingerprint.as_ref().is_some_and(|f| *f != trial.fingerprint) => {
                warnings.push(t!("The key of profile {name} differs from the pinned key but begins with the same characters: lapel profile edit {name} --pin.", name = profile.name));
            }
            Some(_) => {}
        }
        Ok((profile, trial, warnings))
    }
}

async fn adopt(
    context: &ProfileContext,
    profile: &Profile,
    former: Option<&str>,
) -> Result<Adopted, Failure> {
    let Some(former) = former else { return Ok(Adopted::default()) };
    let place = journal_place(profile, &context.paths);
    let who = place.person().unwrap_or(&context.who).to_owned();
    let is_team = matches!(place, JournalPlace::Team { .. });
    let opened = on_place(place, JournalPlace::open_existing).await?;
    let Some(journal) = opened else { return Ok(Adopted::default()) };
    let account = Account::of(&profile.name, &super::connection(profile, &context.paths)?)
        .of_organisation(profile.organisation.as_deref());
    let adopted = journal.adopt(&account, former, &who).await?;
    // The file beside a team's journal sends nothing for the new key either.
    let file = JournalPlace::Folder(context.paths.data_dir.clone());
    if is_team && let Some(file) = on_place(file, JournalPlace::open_existing).await? {
        file.adopt(&account, former, &who).await?;
    }
    Ok(adopted)
}

/// The sources of the key and of the journal's password. One of them may be the command at the end.
fn with_command(
    key: Option<KeyStore>,
    password: Option<KeyStore>,
    command: &[String],
) -> Result<(Option<KeyStore>, Option<KeyStore>), Failure> {
    let is_command = |store: &Option<KeyStore>| matches!(store, Some(KeyStore::Command(_)));
    let wanted = [&key, &password].into_iter().filter(|store| is_command(store)).count();
    match (wanted, command) {
        (2, _) => Err(Failure::usage(t!(
            "Only one of --key-from and --journal-password-from can be command. Nothing was saved."
        ))),
        (0, [_, ..]) => Err(Failure::usage(t!(
            "There is a command at the end, but neither --key-from nor --journal-password-from is command. Nothing was saved."
        ))),
        (1, []) => Err(Failure::usage(t!(
            "--key-from or --journal-password-from command needs the command at the end: lapel profile add uni --key-from command -- pass show badges"
        ))),
        _ => {
            let complete = |store| match store {
                KeyStore::Command(_) => KeyStore::Command(command.to_vec()),
                KeyStore::OtherFile(path) => KeyStore::OtherFile(whole(&path)),
                store => store,
            };
            Ok((key.map(complete), password.map(complete)))
        }
    }
}

fn no_journal() -> Failure {
    Failure::usage(t!(
        "A journal password needs a team's journal: give --journal-url too. Nothing was saved."
    ))
}

/// An absolute path stays valid from any working directory.
fn whole(path: &Path) -> PathBuf {
    match std::path::absolute(path) {
        Ok(whole) if !path.as_os_str().is_empty() => whole,
        _ => path.to_owned(),
    }
}

async fn typed_secret(kind: SecretKind, from_stdin: bool) -> Result<SecretString, Failure> {
    if from_stdin {
        return prompt::piped().await;
    }
    let is_key = kind == SecretKind::ApiKey;
    if prompt::somebody_is_there() {
        return prompt::secret(if is_key { t!("API key") } else { t!("Journal password") }).await;
    }
    Err(Failure::usage(if is_key {
        t!(
            "there is no terminal to type the key. Use --key-stdin, such as lapel profile add ... --key-stdin <keyfile. Nothing was saved."
        )
    } else {
        t!(
            "there is no terminal to type the journal password. Use --journal-password-stdin. Nothing was saved."
        )
    }))
}

/// As a failure before anything was saved. Some messages say that nothing was changed.
fn unsaved(failure: Failure) -> Failure {
    let is_said = failure.kind == "given_up" || failure.message.contains(t!("Nothing was changed."));
    if is_said { failure } else { failure.nothing_saved() }
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        output::complain(warning);
    }
}

const IN_JSON: [&str; 7] =
    ["environment", "base_url", "organisation", "read_only", "key_from", "key_prefix", "journal"];

fn settings_as_json(name: &str, settings: &ProfileSettings, key_from: &str) -> Map<String, Value> {
    let value = |field: &str| match field {
        "key_from" => key_from.into(),
        "journal" => json!(settings.journal.server().map(|server| server.to_string())),
        field => json!(settings.value(field)),
    };
    let fields = IN_JSON.into_iter().map(|field| (field.to_owned(), value(field)));
    std::iter::once(("name".to_owned(), name.into())).chain(fields).collect()
}

fn line_as_json(line: &ProfileLine) -> Value {
    let mut fields = settings_as_json(&line.name, line, &line.key_from);
    fields.insert("default".to_owned(), line.is_default.into());
    fields.into()
}

pub(super) fn profile_as_json(profile: &Profile) -> Map<String, Value> {
    let mut fields = settings_as_json(&profile.name, profile, &profile.key_from);
    fields.insert("proxy".to_owned(), profile.proxy.is_some().into());
    let ca_file = profile.ca.as_ref().map(|ca| ca.path.to_string_lossy().into_owned());
    fields.insert("ca_file".to_owned(), ca_file.into());
    fields
}

/// A star marks the default profile. The journals are a column if a profile has one.
fn table(all: &[ProfileLine]) -> String {
    let journal = |line: &ProfileLine| line.journal.server().map(|server| server.to_string());
    let has_journals = all.iter().any(|line| journal(line).is_some());
    let row = |line: &ProfileLine| {
        let environment = if line.read_only {
            t!("{environment} read-only", environment = line.environment)
        } else {
            line.environment.to_string()
        };
        let mut row = vec![
            format!("{} {}", if line.is_default { "*" } else { " " }, line.name),
            environment,
            scrub(line.organisation.as_deref().unwrap_or("-")).into_owned(),
            line.base_url.clone(),
            line.key_prefix
                .as_ref()
                .map_or_else(|| t!("not pinned").to_owned(), |prefix| format!("{prefix}…")),
            line.key_from.clone(),
        ];
        if has_journals {
            row.push(journal(line).map_or_else(|| "-".to_owned(), |journal| scrub(&journal).into_owned()));
        }
        row
    };
    let mut head = vec![
        format!("  {}", t!("NAME")),
        String::new(),
        t!("ORGANISATION").to_owned(),
        t!("BASE URL").to_owned(),
        t!("KEY").to_owned(),
        t!("FROM").to_owned(),
    ];
    if has_journals {
        head.push(t!("JOURNAL").to_owned());
    }
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(all.iter().map(row)).collect();
    align(&rows).join("\n")
}

/// `None` when the service does not report a key prefix.
fn pin_of(trial: &KeyTest) -> Option<KeyPin> {
    let prefix = trial.identity.prefix.clone()?;
    Some(KeyPin { prefix, fingerprint: Some(trial.fingerprint.clone()) })
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string()).of_kind("settings")
    }
}

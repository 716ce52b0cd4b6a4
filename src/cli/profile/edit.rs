//! `lapel profile edit`.

use super::add::secret_of;
use super::args::EditFlags;
use super::key_test::KeyTest;
use super::{
    CommandResult, Failure, ProfileContext, adopt, no_journal, pin_of, profile_as_json, unsaved, warn,
    with_command,
};
use crate::cli::connection::share_stays;
use crate::cli::prelude::*;
use crate::config::{KeyPin, KeyStore, ProfileEdit, ProfileLine, SecretKind, edit_profile};
use crate::jobs::Adopted;

pub(super) async fn edit(context: &ProfileContext, flags: EditFlags) -> CommandResult {
    let all = profiles(&context.paths, &context.env)?;
    let name = flags.name.clone();
    let Some(line) = all.iter().find(|line| line.name == name) else { return Err(context.no_such(&all)) };
    let former = line.pin();
    let change = change_of(context, &flags, line).await.map_err(unsaved)?;
    if change.is_empty() && !flags.pin {
        return Err(Failure::usage(t!(
            "No changes given. lapel profile edit --help lists the options; lapel profile edit {name} --pin pins the key again.",
            name
        )));
    }
    let edited = changed(context, &name, change, flags.pin, former).await?;
    warn(&edited.warnings);
    let adopted = &edited.adopted;
    let value = json!({
        "ok": true,
        "profile": profile_as_json(&edited.profile),
        "issuer": edited.trial.as_ref().and_then(KeyTest::issuer),
        "jobs_taken_over": adopted.jobs,
        "jobs_busy": adopted.busy,
    });
    let mut said = vec![edited.words(&name)];
    let jobs = |n: usize| count!(n as u64, "job", "jobs");
    if adopted.jobs > 0 {
        said.push(t!("Took over {jobs} of the former key.", jobs = jobs(adopted.jobs)));
    }
    if adopted.busy > 0 {
        said.push(t!(
            "Another running lapel owns {jobs} of the former key. Quit it and pin again.",
            jobs = jobs(adopted.busy)
        ));
    }
    if line.journal.server().is_some() && edited.profile.journal.is_none() {
        said.push(share_stays().to_owned());
        said.push(t!(
            "The jobs in the team's journal stay there, and lapel sends nothing for them from this computer. If you have not moved them here, set the URL again and run: lapel journal move --back"
        ).to_owned());
    }
    context.answer(&said.join(" "), &value)
}

pub(super) struct EditedProfile {
    pub profile: Profile,
    /// `None` when lapel did not test the profile.
    pub trial: Option<KeyTest>,
    pub warnings: Vec<String>,
    /// Jobs taken over from the former key.
    pub adopted: Adopted,
}

impl EditedProfile {
    pub fn words(&self, name: &str) -> String {
        match &self.trial {
            Some(trial) => t!("Changed profile {name}: {trial}.", name, trial = trial.words()),
            None => t!("Changed profile {name}.", name),
        }
    }
}

/// `pin` also pins the key. `former` is the previous pin.
///
/// # Errors
/// Why nothing was changed, or that the change was saved but the jobs of the former key were not taken over.
pub(super) async fn changed(
    context: &ProfileContext,
    name: &str,
    mut change: ProfileEdit,
    pin: bool,
    former: Option<KeyPin>,
) -> Result<EditedProfile, Failure> {
    let name = name.to_owned();
    let mut warnings = Vec::new();
    // A new address or a new key is tested before it is saved.
    let is_tried = pin || change.input.is_tested() || change.key.is_some();
    let (preview, asked) = (change.clone(), name.clone());
    let preview = context.aside(move |paths, env| preview.preview(paths, env, &asked)).await;
    let mut profile = preview.map_err(unsaved)?;
    let mut trial = None;
    if is_tried {
        let mut known = profile.clone();
        let fetched = context.aside(move |_, _| known.fetch_secrets().map(|()| known)).await;
        profile = fetched.map_err(unsaved)?;
        let found = KeyTest::of(&profile, &context.paths).await.map_err(Failure::nothing_saved)?;
        if let (Some(pinned), false) = (&former, pin) {
            found.compared_with(pinned, &profile).map_err(Failure::nothing_saved)?;
        }
        if pin && found.identity.prefix.is_none() {
            return Err(Failure::new(
                "not_said",
                t!(
                    "The service does not give the prefix of the key, so lapel cannot pin it. Nothing was changed."
                ),
            ));
        }
        if pin || former.is_none() {
            change.pin = pin_of(&found);
        }
        warnings.extend(found.warnings(&profile));
        trial = Some(found);
    }
    let (kept, renamed) = (change.clone(), name.clone());
    let edited = context.aside(move |paths, env| edit_profile(paths, env, &renamed, &kept)).await;
    let (_, remark) = edited.map_err(unsaved)?;
    warnings.extend(remark);
    let adopted = match &former {
        Some(former) if pin => {
            adopt(context, &profile, former.fingerprint.as_deref()).await.map_err(|mut why| {
                why.message.push(' ');
                why.message.push_str(t!(
                    "The profile was changed, but the jobs of the former key were not taken over."
                ));
                why
            })?
        }
        _ => Adopted::default(),
    };
    profile.settings.values.set_pin(change.pin.or(former));
    Ok(EditedProfile { profile, trial, warnings, adopted })
}

impl ProfileContext {
    /// If the current key begins with the prefix that the user saw, pins it and takes over the former key's jobs.
    pub async fn pin(&self, name: &str, prefix: &str) -> Result<(Profile, Adopted), String> {
        self.pinned(name, prefix).await.map_err(|failure| failure.message)
    }

    async fn pinned(&self, name: &str, prefix: &str) -> Result<(Profile, Adopted), Failure> {
        let mut profile = self.with_key(name.to_owned()).await?;
        let found = KeyTest::of(&profile, &self.paths).await?;
        let pin = pin_of(&found).filter(|pin| pin.prefix == prefix);
        let Some(pin) = pin else {
            return Err(Failure::new(
                "other_key",
                t!(
                    "The key that the profile names differs from the key that was shown (is LAPEL_API_KEY set?). Nothing was pinned."
                ),
            ));
        };
        let former = profile.key_fingerprint.clone();
        let change = ProfileEdit { pin: Some(pin.clone()), ..ProfileEdit::default() };
        let kept = name.to_owned();
        self.aside(move |paths, env| edit_profile(paths, env, &kept, &change)).await?;
        profile.settings.values.set_pin(Some(pin));
        let adopted = adopt(self, &profile, former.as_deref()).await?;
        Ok((profile, adopted))
    }
}

async fn change_of(
    context: &ProfileContext,
    flags: &EditFlags,
    line: &ProfileLine,
) -> Result<ProfileEdit, Failure> {
    let (values, command) = (&flags.settings.values, &flags.settings.command);
    let mut change = ProfileEdit {
        input: values.input.clone(),
        make_default: flags.settings.default,
        ..ProfileEdit::default()
    };
    if flags.read_write {
        change.input.set("read_only", "false");
    }
    let is_of_password = matches!(values.password_from, Some(KeyStore::Command(_)));
    let key_from = match &values.key_from {
        None if !command.is_empty() && !is_of_password => Some(KeyStore::Command(Vec::new())),
        given => given.clone(),
    };
    let (key_from, password_from) = with_command(key_from, values.password_from.clone(), command)?;
    let store = match key_from {
        None if flags.new_key || values.key_stdin => Some(current_store(line, SecretKind::ApiKey)?),
        given => given,
    };
    if let Some(store) = store {
        let key = secret_of(context, SecretKind::ApiKey, &store, values.key_stdin).await?;
        change.key = Some((store, key));
    }
    let store = match password_from {
        None if flags.new_journal_password || values.password_stdin => {
            Some(current_store(line, SecretKind::JournalPassword)?)
        }
        given => given,
    };
    if let Some(store) = store {
        let url = values.input.get("journal.url").map_or_else(|| line.text("journal.url"), str::to_owned);
        if url.trim().is_empty() {
            return Err(no_journal());
        }
        let password = secret_of(context, SecretKind::JournalPassword, &store, values.password_stdin).await?;
        change.journal_password = Some((store, password));
    }
    Ok(change)
}

/// Where lapel stores a secret: its own file for a profile without a password. lapel writes to no other stores.
fn current_store(line: &ProfileLine, kind: SecretKind) -> Result<KeyStore, Failure> {
    let store = match kind {
        SecretKind::ApiKey => line.key_store(),
        SecretKind::JournalPassword => line.journal.password_store(&line.name).unwrap_or_default(),
    };
    if matches!(store, KeyStore::File | KeyStore::Keyring) {
        return Ok(store);
    }
    Err(Failure::usage(match kind {
        SecretKind::ApiKey => t!(
            "lapel does not store the key of this profile. Change it at its source, then run lapel profile edit NAME --pin. Or use --key-from file or keyring. Nothing was changed."
        ),
        SecretKind::JournalPassword => t!(
            "lapel does not store the journal password of this profile. Change it at its source, or use --journal-password-from file or keyring. Nothing was changed."
        ),
    }))
}

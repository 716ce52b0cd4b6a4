//! `lapel profile add`.

use super::args::{AddFlags, ValueFlags};
use super::key_test::KeyTest;
use super::{
    CommandResult, Failure, ProfileContext, no_journal, pin_of, profile_as_json, typed_secret, unsaved, warn,
    with_command,
};
use crate::cli::output::note;
use crate::cli::prelude::*;
use crate::cli::prompt;
use crate::config::{
    KeyStore, NewProfile, ProfileInput, ProfileLine, SecretKind, Words, is_profile_name, save_profile,
};
use crate::domain::confirm_text::short_name;
use crate::domain::time::example_offset;
use secrecy::{ExposeSecret, SecretString};

pub(super) async fn add(context: &ProfileContext, flags: AddFlags) -> CommandResult {
    let (line, value) = Box::pin(saved(context, flags)).await.map_err(unsaved)?;
    context.answer(&line, &value)
}

/// Saves the profile. What to answer, as text and as JSON.
async fn saved(context: &ProfileContext, flags: AddFlags) -> Result<(String, Value), Failure> {
    let AddFlags { name, name_flag, settings } = flags;
    let ValueFlags { mut input, key_from, key_stdin, password_from, password_stdin } = settings.values;
    let ask = prompt::somebody_is_there() && !key_stdin && !password_stdin;
    // Finds mistakes in the file before the user types a key.
    let all = profiles(&context.paths, &context.env)?;
    let name = new_name(name.or(name_flag), &all, ask).await?;
    ask_for_values(&mut input, ask).await?;
    let is_zone_missing = input.get("utc_offset").is_none() && !ask;
    let password_from = password_from.or(password_stdin.then_some(KeyStore::File));
    let is_of_password = matches!(password_from, Some(KeyStore::Command(_)));
    let is_command = !settings.command.is_empty() && !is_of_password;
    let store = match key_from {
        Some(store) => store,
        None if ask && is_command => KeyStore::Command(Vec::new()),
        None if ask => asked_store().await?,
        None => KeyStore::File,
    };
    let mut new = NewProfile::of(&name, input);
    let (store, password_store) = with_command(Some(store), password_from, &settings.command)?;
    new.key_store = store.unwrap_or(KeyStore::File);
    new.make_default = settings.default;
    // Reports any mistake in the flags before asking for the key.
    let checked = new.profile("to-be-typed")?;
    if password_store.is_some() && checked.journal.is_none() {
        return Err(no_journal());
    }

    let key = secret_of(context, SecretKind::ApiKey, &new.key_store, key_stdin).await?;
    if let Some(store) = password_store {
        let password = secret_of(context, SecretKind::JournalPassword, &store, password_stdin).await?;
        new.journal_password = Some((store, password));
    }
    let mut profile = new.profile(key.expose_secret())?;
    if !context.json {
        output::note(&t!("checking the key with {base_url}", base_url = scrub(&profile.base_url)));
    }
    let trial = KeyTest::of(&profile, &context.paths).await.map_err(Failure::nothing_saved)?;
    new.pin = pin_of(&trial);
    if profile.organisation.is_none()
        && let Some(issuer) = trial.issuer().filter(|issuer| !issuer.trim().is_empty())
    {
        new.input.set("organisation", issuer.as_str());
        profile.settings.values.organisation = Some(issuer);
    }
    // The usual one comes from the organisation, which may be known only now.
    if new.input.get("short_name").is_none() && ask && profile.environment == Environment::Live {
        let question = t!("Short name to type after the number before anything is sent");
        let usual = short_name(&profile.label());
        let answer = prompt::open_line(question, &usual).await?;
        new.input.set("short_name", if answer == usual { String::new() } else { answer });
    }
    let warnings = trial.warnings(&profile);
    warn(&warnings);
    let kept = context.aside(move |paths, env| save_profile(paths, env, &new, key.expose_secret())).await?;
    if is_zone_missing {
        output::complain(&t!(
            "The time zone of the service is not set, so ages can be wrong. Set it, for example: lapel profile edit {name} --utc-offset {example}",
            name = kept.name,
            example = example_offset()
        ));
    }
    let value = json!({
        "ok": true, "profile": profile_as_json(&kept), "issuer": trial.issuer(), "warnings": warnings,
    });
    let line = t!(
        "Saved profile {name}: {environment}  {trial}. Key source: {key_from}.",
        name = kept.name,
        environment = kept.environment,
        trial = trial.words(),
        key_from = kept.key_from
    );
    Ok((line, value))
}

/// A name that no profile has.
async fn new_name(flag: Option<String>, all: &[ProfileLine], ask: bool) -> Result<String, Failure> {
    let preset = if all.is_empty() { "main" } else { "" };
    let name = given(flag, ask, t!("Profile name"), preset, t!("the profile name")).await?;
    if !is_profile_name(&name) {
        return Err(Failure::usage(t!(
            "Invalid name: a profile name has 1 to 40 letters (A-Z, a-z), digits, - or _. Nothing was saved."
        )));
    }
    if all.iter().any(|line| line.name.eq_ignore_ascii_case(&name)) {
        return Err(Failure::usage(t!(
            "Profile {name} already exists. Choose another name, or run lapel profile edit {name}. Nothing was saved.",
            name
        )));
    }
    Ok(name)
}

/// Asks again after a wrong word, so that nothing else has to be typed again.
async fn ask_environment() -> Result<Environment, Failure> {
    loop {
        let word = prompt::open_line(t!("Environment: demo, staging or live"), "live").await?;
        match Environment::read(&word.to_ascii_lowercase()) {
            Some(environment) => return Ok(environment),
            None => note(t!("Enter demo, staging or live.")),
        }
    }
}

/// Adds what the flags do not give: with `ask`, from the user's answers.
async fn ask_for_values(input: &mut ProfileInput, ask: bool) -> Result<(), Failure> {
    if input.get("environment").is_none() {
        // A profile without an environment counts as LIVE, the safest choice.
        let environment = if ask { ask_environment().await? } else { Environment::Live };
        input.set("environment", environment.word());
    }
    let base_url = given(
        input.get("base_url").map(str::to_owned),
        ask,
        t!("Base URL, such as https://badges.example/api/v1/ext"),
        "",
        "--base-url",
    )
    .await?;
    input.set("base_url", base_url);
    if input.get("organisation").is_none() && ask {
        let question = t!("Organisation name (empty: the name that the service uses)");
        input.set("organisation", prompt::open_line(question, "").await?);
    }
    // lapel can learn the zone only from a badge that it issued itself, so a new profile has to be asked.
    if input.get("utc_offset").is_none() && ask {
        let example = example_offset();
        let question = t!("Time zone of the service's times, such as {example} (empty: not known)", example);
        input.set("utc_offset", prompt::open_line(&question, "").await?);
    }
    Ok(())
}

async fn asked_store() -> Result<KeyStore, Failure> {
    match prompt::open_line(t!("Store the key in: file or keyring"), "file").await?.as_str() {
        "file" => Ok(KeyStore::File),
        "keyring" => Ok(KeyStore::Keyring),
        _ => Err(Failure::usage(t!("Enter file or keyring. Nothing was saved."))),
    }
}

async fn given(
    flag: Option<String>,
    ask: bool,
    question: &str,
    preset: &str,
    missing: &str,
) -> Result<String, Failure> {
    let said = match flag {
        Some(said) => said,
        None if ask => prompt::open_line(question, preset).await?,
        None => String::new(),
    };
    if said.trim().is_empty() {
        return Err(Failure::usage(t!("{missing} is missing. Nothing was saved.", missing)));
    }
    Ok(said)
}

/// Typed when lapel stores the secret, read from the store otherwise.
pub(super) async fn secret_of(
    context: &ProfileContext,
    kind: SecretKind,
    place: &KeyStore,
    stdin: bool,
) -> Result<SecretString, Failure> {
    match place {
        KeyStore::File | KeyStore::Keyring => typed_secret(kind, stdin).await,
        KeyStore::Variable(_) | KeyStore::OtherFile(_) | KeyStore::Command(_) => {
            if stdin {
                return Err(Failure::usage(match kind {
                    SecretKind::ApiKey => t!(
                        "--key-stdin needs --key-from file or keyring; other sources already have the key. Nothing was saved."
                    ),
                    SecretKind::JournalPassword => t!(
                        "--journal-password-stdin needs --journal-password-from file or keyring; other sources already have the password. Nothing was saved."
                    ),
                }));
            }
            let place = place.clone();
            context.aside(move |paths, env| place.find(kind, paths, env)).await
        }
    }
}

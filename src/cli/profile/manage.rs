//! Profile changes for the TUI: the same steps as the verbs, but the results are returned as text.

use super::edit::{EditedProfile, changed};
use super::{Failure, ProfileContext};
use crate::cli::prelude::*;
use crate::config::{ProfileEdit, remove_profile as remove};

fn context(paths: &Paths, env: &Env, who: &str) -> ProfileContext {
    ProfileContext { paths: paths.clone(), env: env.clone(), who: who.to_owned(), json: false }
}

/// Tests the profile with its service where needed. `pin` also pins the key. Returns a summary with warnings.
pub async fn change_profile(
    paths: &Paths,
    env: &Env,
    name: &str,
    change: ProfileEdit,
    pin: bool,
    who: &str,
) -> Result<String, String> {
    let context = context(paths, env, who);
    let done = async {
        let all = profiles(&context.paths, &context.env)?;
        let former = all.iter().find(|line| line.name == name).and_then(|line| line.pin());
        changed(&context, name, change, pin, former).await
    };
    let EditedProfile { trial, warnings, adopted, .. } = done.await.map_err(words)?;
    let mut said = vec![match trial {
        Some(trial) => t!("Changed profile {name}: {what}.", name, what = trial.words()),
        None => t!("Changed profile {name}.", name),
    }];
    said.extend(warnings);
    if adopted.busy > 0 {
        said.push(
            t!("Another running lapel owns jobs of the former key. Quit it and pin the key again.")
                .to_owned(),
        );
    }
    Ok(said.join(" "))
}

/// Returns the service's answer with warnings. Saves nothing.
pub async fn test_profile(paths: &Paths, env: &Env, name: &str) -> Result<String, String> {
    let (profile, trial, warnings) = context(paths, env, "").tested(name.to_owned()).await.map_err(words)?;
    let said = t!(
        "Profile {name} works: {what}, {millis} ms.",
        name = profile.name,
        what = trial.words(),
        millis = trial.millis
    );
    Ok(std::iter::once(said).chain(warnings).collect::<Vec<_>>().join(" "))
}

/// Removes the key too when lapel stores it. Its jobs stay in the journal. May block on a keyring.
pub fn remove_profile(paths: &Paths, env: &Env, name: &str) -> Result<String, String> {
    let removed = remove(paths, env, name).map_err(|why| why.to_string())?;
    let mut said = t!("Removed profile {name}. {key}", name, key = removed.key);
    if let Some(password) = removed.journal_password {
        said.push(' ');
        said.push_str(&password);
    }
    if removed.was_default {
        said.push(' ');
        said.push_str(t!("It was the default profile. There is no default now."));
    }
    Ok(said)
}

fn words(failure: Failure) -> String {
    failure.message
}

//! Profile changes for the TUI: the same steps as the verbs, but the results are returned as text.

use super::edit::changed;
use super::{Failure, ProfileContext};
use crate::cli::prelude::*;
use crate::config::{ProfileEdit, remove_profile};

impl ProfileContext {
    /// Tests the profile with its service where needed. `pin` also pins the key. Returns a summary with warnings.
    pub async fn change_in_words(
        &self,
        name: &str,
        change: ProfileEdit,
        pin: bool,
    ) -> Result<String, String> {
        let all = profiles(&self.paths, &self.env).map_err(|why| why.to_string())?;
        let former = all.iter().find(|line| line.name == name).and_then(|line| line.pin());
        let edited = changed(self, name, change, pin, former).await.map_err(words)?;
        let mut said = vec![edited.words(name)];
        said.extend(edited.warnings);
        if edited.adopted.busy > 0 {
            said.push(
                t!("Another running lapel owns jobs of the former key. Quit it and pin the key again.")
                    .to_owned(),
            );
        }
        Ok(said.join(" "))
    }

    /// Returns the service's answer with warnings. Saves nothing.
    pub async fn test_in_words(&self, name: String) -> Result<String, String> {
        let (profile, trial, warnings) = self.tested(name).await.map_err(words)?;
        let said = t!(
            "Profile {name} works: {what}, {millis} ms.",
            name = profile.name,
            what = trial.words(),
            millis = trial.millis
        );
        Ok(std::iter::once(said).chain(warnings).collect::<Vec<_>>().join(" "))
    }

    /// Removes the key too when lapel stores it. Its jobs stay in the journal. May block on a keyring.
    pub fn remove_in_words(&self, name: &str) -> Result<String, String> {
        let removed = remove_profile(&self.paths, &self.env, name).map_err(|why| why.to_string())?;
        let mut said = removed.words(name);
        if removed.was_default {
            said.push(' ');
            said.push_str(t!("It was the default profile. There is no default now."));
        }
        Ok(said)
    }
}

fn words(failure: Failure) -> String {
    failure.message
}

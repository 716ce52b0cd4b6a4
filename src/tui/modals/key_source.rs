//! Source of a profile's key, and the key itself if it is typed: two lines of the profile form.

use crate::api::ApiKey;
use crate::config::KeyStore;
use crate::tui::prelude::*;
use secrecy::SecretString;

/// Key sources to choose from. The last one exists only if the key is outside lapel's own file and the keyring.
const PLACES: [&str; 5] =
    [tr_noop!("file"), tr_noop!("keyring"), tr_noop!("variable"), tr_noop!("command"), tr_noop!("as it is")];
const FILE: usize = 0;
const KEYRING: usize = 1;
const VARIABLE: usize = 2;
const COMMAND: usize = 3;
const AS_IT_IS: usize = 4;

/// Key source, and the typed key if there is one. Without a typed key, lapel reads the key from the source.
pub type GivenKey = (KeyStore, Option<SecretString>);

#[derive(Default)]
pub struct KeySource {
    was: Option<KeyStore>,
    said: String,
    chosen: usize,
    variable: TextField,
    command: TextField,
    key: TextField,
}

impl KeySource {
    /// For a new profile. The key is stored in lapel's own file by default.
    pub fn new() -> Self {
        Self { chosen: FILE, key: TextField::secret(), ..Self::default() }
    }

    /// For an existing profile. `said` describes the current source. The form never shows a variable name or
    /// command from the settings, because someone may have written the key there.
    pub fn of(was: KeyStore, said: &str) -> Self {
        let chosen = match was {
            KeyStore::File => FILE,
            KeyStore::Keyring => KEYRING,
            KeyStore::Variable(_) | KeyStore::Command(_) | KeyStore::OtherFile(_) => AS_IT_IS,
        };
        Self { was: Some(was), said: said.to_owned(), chosen, ..Self::new() }
    }

    pub fn places(&self) -> Vec<&'static str> {
        PLACES[..self.many()].iter().map(|place| i18n::tr(place)).collect()
    }

    fn many(&self) -> usize {
        let is_elsewhere = !matches!(self.was, None | Some(KeyStore::File | KeyStore::Keyring));
        if is_elsewhere { PLACES.len() } else { PLACES.len() - 1 }
    }

    pub fn chosen(&self) -> usize {
        self.chosen
    }

    pub fn turn(&mut self, by: isize) {
        self.chosen = (self.chosen as isize + by).rem_euclid(self.many() as isize).unsigned_abs();
    }

    pub fn choose(&mut self, at: usize) {
        self.chosen = at.min(self.many() - 1);
    }

    pub fn clear(&mut self) {
        for field in [&mut self.key, &mut self.variable, &mut self.command] {
            field.clear();
        }
    }

    pub fn label(&self) -> &'static str {
        match self.chosen {
            VARIABLE => t!("Variable"),
            COMMAND => t!("Command"),
            _ => t!("API key"),
        }
    }

    pub fn said(&self) -> &str {
        &self.said
    }

    /// Field of the second line. `None` if the source needs no input.
    pub fn field(&self) -> Option<&TextField> {
        match self.chosen {
            FILE | KEYRING => Some(&self.key),
            VARIABLE => Some(&self.variable),
            COMMAND => Some(&self.command),
            _ => None,
        }
    }

    pub fn field_mut(&mut self) -> Option<&mut TextField> {
        match self.chosen {
            FILE | KEYRING => Some(&mut self.key),
            VARIABLE => Some(&mut self.variable),
            COMMAND => Some(&mut self.command),
            _ => None,
        }
    }

    pub fn advice(&self) -> &'static str {
        match self.chosen {
            VARIABLE => t!(
                "lapel reads the key from this environment variable at every start and keeps no copy. The variable must be set now."
            ),
            COMMAND => t!(
                "lapel runs this command without a shell whenever it needs the key. The command must print only the key, e.g. pass show badges. lapel keeps no copy."
            ),
            AS_IT_IS => t!("The key source stays as in config.toml. Another choice replaces it."),
            _ if self.was.is_some() => t!("Leave this empty to keep the current key."),
            _ => t!("Only you can read the stored key. The settings store only its first characters."),
        }
    }

    /// Returns the input for a new profile.
    ///
    /// # Errors
    /// What is wrong with the input, as a full sentence.
    pub fn given(&self) -> Result<GivenKey, String> {
        match self.chosen {
            FILE => self.typed().map(|key| (KeyStore::File, Some(key))),
            KEYRING => self.typed().map(|key| (KeyStore::Keyring, Some(key))),
            VARIABLE => KeyStore::of_variable(self.variable.value().trim())
                .map(|place| (place, None))
                .map_err(sentence),
            _ => KeyStore::of_command_line(self.command.value()).map(|place| (place, None)).map_err(sentence),
        }
    }

    /// Returns the input for an existing profile, or `None` if nothing changes.
    ///
    /// # Errors
    /// What is wrong with the input, as a full sentence.
    pub fn changed(&self) -> Result<Option<GivenKey>, String> {
        let is_typed = matches!(self.chosen, FILE | KEYRING);
        let stays = match self.chosen {
            FILE => self.was == Some(KeyStore::File),
            KEYRING => self.was == Some(KeyStore::Keyring),
            AS_IT_IS => return Ok(None),
            _ => false,
        };
        if is_typed && self.key.value().trim().is_empty() {
            return if stays {
                Ok(None)
            } else {
                Err(t!(
                    "To store the key in another place, type it in the last field. Or choose the old place again."
                )
                .to_owned())
            };
        }
        let given = self.given()?;
        Ok((is_typed || self.was.as_ref() != Some(&given.0)).then_some(given))
    }

    fn typed(&self) -> Result<SecretString, String> {
        let typed = self.key.value().trim();
        ApiKey::new(typed).map(|_| SecretString::from(typed)).map_err(|why| why.to_string())
    }
}

fn sentence(why: impl std::fmt::Display) -> String {
    format!("{why}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(chosen: usize, typed: &str) -> Result<GivenKey, String> {
        let mut lines = KeySource::new();
        lines.chosen = chosen;
        lines.field_mut().expect("a field").set(typed);
        lines.given()
    }

    #[test]
    fn a_new_profile_says_one_of_four_places() {
        assert_eq!(KeySource::new().places(), ["file", "keyring", "variable", "command"]);
        for (chosen, place) in [(FILE, KeyStore::File), (KEYRING, KeyStore::Keyring)] {
            let (kept_in, key) = given(chosen, " dmu_live_0123456789 ").expect("good");
            assert_eq!(kept_in, place);
            assert!(key.is_some());
        }
        let (place, key) = given(VARIABLE, "UNI_KEY").expect("good");
        assert_eq!((place, key.is_none()), (KeyStore::Variable("UNI_KEY".into()), true));
        let (place, key) = given(COMMAND, "pass  show badges").expect("good");
        let argv = ["pass", "show", "badges"].map(str::to_owned).to_vec();
        assert_eq!((place, key.is_none()), (KeyStore::Command(argv), true));
    }

    #[test]
    fn what_is_no_place_is_refused_in_a_sentence() {
        for (chosen, typed, part) in [
            (VARIABLE, "", "name of an environment variable"),
            (VARIABLE, "my-key", "name of an environment variable"),
            (COMMAND, " ", "is empty"),
            (COMMAND, "pass show 'my badges'", "without a shell"),
            (COMMAND, "cat ~/key | head", "without a shell"),
        ] {
            let said = given(chosen, typed).expect_err(typed);
            assert!(said.contains(part) && said.ends_with('.'), "{said}");
        }
        assert!(given(FILE, "").is_err() && given(KEYRING, "a b").is_err());
    }

    #[test]
    fn what_stays_is_no_change_and_what_the_settings_file_names_is_not_shown() {
        for was in [
            KeyStore::File,
            KeyStore::Keyring,
            KeyStore::Variable("UNI_KEY".into()),
            KeyStore::Command(vec!["pass".into(), "show".into()]),
            KeyStore::OtherFile("/run/secrets/key".into()),
        ] {
            let lines = KeySource::of(was.clone(), "somewhere");
            assert!(lines.changed().expect("nothing wrong").is_none(), "{was:?}");
            let elsewhere = lines.chosen == AS_IT_IS;
            assert_eq!(lines.places().len(), if elsewhere { 5 } else { 4 }, "{was:?}");
            assert_eq!(lines.field().is_none(), elsewhere, "{was:?}");
            assert!(lines.field().is_none_or(|field| field.value().is_empty()), "{was:?}");
        }
        let mut lines = KeySource::of(KeyStore::Variable("UNI_KEY".into()), "the variable UNI_KEY");
        lines.turn(-2);
        lines.field_mut().expect("a field").set("UNI_KEY");
        assert!(lines.changed().expect("nothing wrong").is_none(), "the same again");
    }

    #[test]
    fn another_place_of_lapels_own_needs_the_key_once_more() {
        let mut lines = KeySource::of(KeyStore::File, "a file");
        lines.turn(1);
        assert!(lines.changed().expect_err("no key").contains("type it"));
        lines.field_mut().expect("a field").set("dmu_live_0123456789");
        assert!(matches!(lines.changed(), Ok(Some((KeyStore::Keyring, Some(_))))));
        lines.turn(-2);
        assert_eq!(lines.chosen, COMMAND, "from the first one to the last one");
        lines.field_mut().expect("a field").set("pass show badges");
        assert!(matches!(lines.changed(), Ok(Some((KeyStore::Command(_), None)))));
    }
}

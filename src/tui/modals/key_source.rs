//! Source of a profile's key or journal password, and the secret itself if it is typed: two lines of the profile form.

use crate::api::ApiKey;
use crate::config::{KeyStore, SecretKind};
use crate::tui::prelude::*;
use crate::tui::request::GivenSecret;
use secrecy::SecretString;

/// Sources to choose from. Another one exists if the secret is outside lapel's own file and the keyring, and for a
/// journal without a password.
const PLACES: [&str; 4] = [tr_noop!("file"), tr_noop!("keyring"), tr_noop!("variable"), tr_noop!("command")];
const FILE: usize = 0;
const KEYRING: usize = 1;
const VARIABLE: usize = 2;
const COMMAND: usize = 3;
const AS_IT_IS: usize = 4;

/// Both secrets of a profile.
pub struct Secrets {
    pub key: KeySource,
    pub password: KeySource,
}

impl Secrets {
    pub fn of(&self, kind: SecretKind) -> &KeySource {
        match kind {
            SecretKind::ApiKey => &self.key,
            SecretKind::JournalPassword => &self.password,
        }
    }

    pub fn of_mut(&mut self, kind: SecretKind) -> &mut KeySource {
        match kind {
            SecretKind::ApiKey => &mut self.key,
            SecretKind::JournalPassword => &mut self.password,
        }
    }

    pub fn clear(&mut self) {
        self.key.clear();
        self.password.clear();
    }
}

pub struct KeySource {
    kind: SecretKind,
    was: Option<KeyStore>,
    said: String,
    chosen: usize,
    /// The secret itself, the variable and the command. Each place shows one of them.
    fields: [TextField; 3],
}

impl KeySource {
    /// The key of a new profile. It is stored in lapel's own file by default.
    pub fn new() -> Self {
        Self::with(SecretKind::ApiKey, None, "", FILE)
    }

    /// The key of an existing profile. `said` describes the current source. The form never shows a variable name or
    /// command from the settings, because someone may have written the key there.
    pub fn of(was: KeyStore, said: &str) -> Self {
        let chosen = current(&was);
        Self::with(SecretKind::ApiKey, Some(was), said, chosen)
    }

    /// The password of a team's journal. `None` without one.
    pub fn of_password(was: Option<KeyStore>) -> Self {
        let kind = SecretKind::JournalPassword;
        let said = was.as_ref().map_or(t!("no password"), |was| was.label(kind));
        let chosen = was.as_ref().map_or(AS_IT_IS, current);
        Self::with(kind, was, said, chosen)
    }

    fn with(kind: SecretKind, was: Option<KeyStore>, said: &str, chosen: usize) -> Self {
        let fields = [TextField::secret(), TextField::default(), TextField::default()];
        Self { kind, was, said: said.to_owned(), chosen, fields }
    }

    pub fn places(&self) -> Vec<&'static str> {
        let places = PLACES.iter().map(|place| i18n::tr(place));
        places.chain(self.as_it_is()).collect()
    }

    /// The words for no change, if no other source means it.
    fn as_it_is(&self) -> Option<&'static str> {
        match (&self.was, self.kind) {
            (None, SecretKind::JournalPassword) => Some(t!("none")),
            (None, SecretKind::ApiKey) | (Some(KeyStore::File | KeyStore::Keyring), _) => None,
            (Some(_), _) => Some(t!("as it is")),
        }
    }

    fn many(&self) -> usize {
        PLACES.len() + usize::from(self.as_it_is().is_some())
    }

    /// Whether lapel stores the secret where it did.
    fn stays(&self) -> bool {
        self.was.as_ref().is_some_and(|was| self.is_typed() && self.chosen == current(was))
    }

    fn is_typed(&self) -> bool {
        matches!(self.chosen, FILE | KEYRING)
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
        self.fields.iter_mut().for_each(TextField::clear);
    }

    pub fn label(&self) -> &'static str {
        match self.chosen {
            VARIABLE => t!("Variable"),
            COMMAND => t!("Command"),
            _ if self.kind == SecretKind::JournalPassword => t!("Password"),
            _ => t!("API key"),
        }
    }

    pub fn said(&self) -> &str {
        &self.said
    }

    fn shown(&self) -> Option<usize> {
        match self.chosen {
            FILE | KEYRING => Some(0),
            VARIABLE => Some(1),
            COMMAND => Some(2),
            _ => None,
        }
    }

    /// Field of the second line. `None` if the source needs no input.
    pub fn field(&self) -> Option<&TextField> {
        self.fields.get(self.shown()?)
    }

    pub fn field_mut(&mut self) -> Option<&mut TextField> {
        let shown = self.shown()?;
        self.fields.get_mut(shown)
    }

    pub fn advice(&self) -> &'static str {
        match (self.kind, self.chosen) {
            (SecretKind::ApiKey, VARIABLE) => t!(
                "lapel reads the key from this environment variable at every start and keeps no copy. The variable must be set now."
            ),
            (SecretKind::JournalPassword, VARIABLE) => t!(
                "lapel reads the password from this environment variable at every start and keeps no copy. The variable must be set now."
            ),
            (SecretKind::ApiKey, COMMAND) => t!(
                "lapel runs this command without a shell whenever it needs the key. The command must print only the key, e.g. pass show badges. lapel keeps no copy."
            ),
            (SecretKind::JournalPassword, COMMAND) => t!(
                "lapel runs this command without a shell whenever it needs the password. The command must print only the password, e.g. pass show badges/db. lapel keeps no copy."
            ),
            (SecretKind::ApiKey, AS_IT_IS) => {
                t!("The key source stays as in config.toml. Another choice replaces it.")
            }
            (SecretKind::JournalPassword, AS_IT_IS) if self.was.is_none() => {
                t!("lapel logs in to the journal without a password.")
            }
            (SecretKind::JournalPassword, AS_IT_IS) => {
                t!("The password source stays as in config.toml. Another choice replaces it.")
            }
            (SecretKind::ApiKey, _) if self.stays() => t!("Leave this empty to keep the current key."),
            (SecretKind::JournalPassword, _) if self.stays() => {
                t!("Leave this empty to keep the current password.")
            }
            (SecretKind::ApiKey, _) => {
                t!("Only you can read the stored key. The settings store only its first characters.")
            }
            (SecretKind::JournalPassword, _) => t!("Only you can read the stored password."),
        }
    }

    /// Returns the input for the key of a new profile.
    ///
    /// # Errors
    /// What is wrong with the input, as a full sentence.
    pub fn given(&self) -> Result<GivenSecret, String> {
        let typed = self.typed();
        let place = match self.chosen {
            FILE => return self.secret().map(|secret| (KeyStore::File, Some(secret))),
            KEYRING => return self.secret().map(|secret| (KeyStore::Keyring, Some(secret))),
            VARIABLE => KeyStore::of_variable(self.kind, typed.trim()),
            _ => KeyStore::of_command_line(self.kind, typed),
        };
        place.map(|place| (place, None)).map_err(|why| format!("{why}."))
    }

    /// Returns the input for an existing profile, or for a password. `None` if nothing changes.
    ///
    /// # Errors
    /// What is wrong with the input, as a full sentence.
    pub fn changed(&self) -> Result<Option<GivenSecret>, String> {
        if self.chosen == AS_IT_IS {
            return Ok(None);
        }
        if self.is_typed() && self.typed().trim().is_empty() {
            return match self.kind {
                _ if self.stays() => Ok(None),
                SecretKind::ApiKey => Err(t!(
                    "To store the key in another place, type it in the last field. Or choose the old place again."
                )
                .to_owned()),
                SecretKind::JournalPassword => Err(t!(
                    "Type the journal password below its place. Or choose the old place again."
                )
                .to_owned()),
            };
        }
        let given = self.given()?;
        Ok((self.is_typed() || self.was.as_ref() != Some(&given.0)).then_some(given))
    }

    fn typed(&self) -> &str {
        self.field().map_or("", TextField::value)
    }

    fn secret(&self) -> Result<SecretString, String> {
        let typed = self.typed();
        if self.kind == SecretKind::JournalPassword {
            // Checked when it is saved. Spaces belong to it.
            return Ok(SecretString::from(typed));
        }
        ApiKey::new(typed.trim()).map(|_| SecretString::from(typed.trim())).map_err(|why| why.to_string())
    }
}

/// The choice that means this place.
fn current(store: &KeyStore) -> usize {
    match store {
        KeyStore::File => FILE,
        KeyStore::Keyring => KEYRING,
        KeyStore::Variable(_) | KeyStore::Command(_) | KeyStore::OtherFile(_) => AS_IT_IS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(chosen: usize, typed: &str) -> Result<GivenSecret, String> {
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
    fn a_journal_has_no_password_until_somebody_chooses_its_place() {
        let mut lines = KeySource::of_password(None);
        assert_eq!(lines.places().last(), Some(&"none"));
        assert!(lines.field().is_none() && lines.changed().expect("nothing wrong").is_none());
        lines.turn(1);
        assert!(lines.changed().expect_err("nothing typed").contains("journal password"));
        lines.field_mut().expect("a field").set(" two words ");
        let (place, password) = lines.changed().expect("good").expect("a change");
        assert_eq!(place, KeyStore::File);
        assert_eq!(secrecy::ExposeSecret::expose_secret(&password.expect("typed")), " two words ");
        lines.turn(2);
        lines.field_mut().expect("a field").set("p4ss word");
        let said = lines.changed().expect_err("no variable");
        assert!(said.starts_with("journal.password: ") && !said.contains("p4ss"), "{said}");
        lines.turn(1);
        lines.field_mut().expect("a field").set("pass show 'db'");
        assert!(lines.changed().expect_err("a shell").starts_with("journal.password_command: "));

        let mut lines = KeySource::of_password(Some(KeyStore::Keyring));
        assert_eq!(lines.places().len(), PLACES.len());
        assert!(lines.changed().expect("nothing wrong").is_none());
        lines.turn(-1);
        assert!(lines.changed().is_err(), "lapel cannot move it by itself");
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

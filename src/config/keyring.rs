//! The keyring of the operating system, with a time limit.
//!
//! A locked keyring may open a dialog on an unseen screen and wait for ever. So every call runs on
//! its own thread, and after a time limit lapel continues without it.

use crate::config::prelude::*;
use crate::domain::text::scrub;
use keyring_core::{CredentialStore, Entry, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SendError, sync_channel};

/// The user name of an entry is the name of its profile.
const SERVICE: &str = "lapel";
/// An unlocked keyring answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum simultaneous calls without an answer.
const MOST_OPEN: usize = 4;

type StoreOpener = dyn Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync;

/// Opened at the first call.
#[derive(Clone)]
pub struct Keyring {
    open: Arc<StoreOpener>,
    patience: Duration,
    /// Calls past their time limit whose threads still wait.
    unanswered: Arc<AtomicUsize>,
}

impl Keyring {
    /// The Secret Service of a Linux desktop, the keychain of macOS, or the credential manager of Windows.
    pub fn system() -> Self {
        Self::new(Arc::new(system), PATIENCE)
    }

    /// Every call fails.
    pub fn none() -> Self {
        Self::new(Arc::new(|| Err(Error::NoDefaultStore)), PATIENCE)
    }

    /// For tests.
    pub fn of(store: Arc<CredentialStore>, patience: Duration) -> Self {
        Self::new(Arc::new(move || Ok(store.clone())), patience)
    }

    fn new(open: Arc<StoreOpener>, patience: Duration) -> Self {
        Self { open, patience, unanswered: Arc::default() }
    }

    /// `None` when there is no key. Blocks for at most 3 s. The error is the end of a sentence.
    pub fn read(&self, profile: &str) -> Result<Option<SecretString>, String> {
        let read = |entry: &Entry| match entry.get_password() {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(why) => Err(why),
        };
        self.ask(profile, read, |_| ())
    }

    /// Blocks for at most 3 s. When the store succeeds only after that time, deletes the key again.
    pub fn write(&self, profile: &str, key: &SecretString) -> Result<(), String> {
        let key = key.clone();
        self.ask(
            profile,
            move |entry| entry.set_password(key.expose_secret()),
            |entry| {
                let _ = entry.delete_credential();
            },
        )
    }

    /// Blocks for at most 3 s. After that time, the keyring may still replace the key.
    pub fn replace(&self, profile: &str, key: &SecretString) -> Result<(), String> {
        let key = key.clone();
        self.ask(profile, move |entry| entry.set_password(key.expose_secret()), |_| ())
    }

    /// Returns whether there was a key. Blocks for at most 3 s.
    pub fn forget(&self, profile: &str) -> Result<bool, String> {
        let forget = |entry: &Entry| match entry.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(why) => Err(why),
        };
        self.ask(profile, forget, |_| ())
    }

    /// `late` reverts work that succeeds after the time limit.
    fn ask<T: Send + 'static>(
        &self,
        profile: &str,
        work: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
        late: impl FnOnce(&Entry) + Send + 'static,
    ) -> Result<T, String> {
        if self.unanswered.load(Ordering::SeqCst) >= MOST_OPEN {
            return Err(t!(
                "the keyring did not answer {most_open} requests. {advice}",
                most_open = MOST_OPEN,
                advice = crate::i18n::tr(ADVICE)
            ));
        }
        let (open, profile) = (self.open.clone(), profile.to_owned());
        // Without room: sending fails if nobody waits any more, so an answer is either received or reverted.
        let (tell, told) = sync_channel(0);
        let unanswered = self.unanswered.clone();
        let thread = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let entry = open().and_then(|store| store.build(SERVICE, &profile, None));
            let result = entry.and_then(|entry| work(&entry).map(|value| (entry, value)));
            if let Err(SendError(result)) = tell.send(result) {
                if let Ok((entry, _)) = &result {
                    late(entry);
                }
                unanswered.fetch_sub(1, Ordering::SeqCst);
            }
        });
        if let Err(why) = thread {
            return Err(t!("lapel cannot ask the keyring: {why}", why = io_error::words(&why)));
        }
        match told.recv_timeout(self.patience) {
            Ok(answer) => answer.map(|(_, value)| value).map_err(|why| words(&why)),
            Err(RecvTimeoutError::Timeout) => {
                // Counted while `told` still exists: the thread decrements the count afterwards.
                self.unanswered.fetch_add(1, Ordering::SeqCst);
                Err(t!(
                    "the keyring did not answer within {seconds} s. {advice}",
                    seconds = self.patience.as_secs().max(1),
                    advice = crate::i18n::tr(ADVICE)
                ))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(t!("the keyring library failed. Keep the key in a file instead").to_owned())
            }
        }
    }
}

const ADVICE: &str = tr_noop!(
    "It is probably locked and asks for its password where you cannot see it. Unlock it, or keep the key in a file (with --key-from file, or --journal-password-from file)"
);

/// Some errors carry the keyring's content, so they are never printed unchanged.
fn words(error: &Error) -> String {
    let cut = |why: &dyn fmt::Display| scrub(&why.to_string()).chars().take(200).collect::<String>();
    match error {
        Error::NoStorageAccess(why) => t!(
            "lapel cannot open the keyring ({why}). {advice}",
            why = cut(why),
            advice = crate::i18n::tr(ADVICE)
        ),
        Error::PlatformFailure(why) => {
            t!(
                "lapel cannot use the keyring ({why}). Is there a keyring on this computer, and is it unlocked? If not, keep the key in a file (with --key-from file, or --journal-password-from file)",
                why = cut(why)
            )
        }
        Error::NoDefaultStore | Error::NotSupportedByStore(_) => {
            t!("this computer has no keyring: keep the key in a file, or name a variable or a command")
                .to_owned()
        }
        Error::Ambiguous(_) => {
            t!("the keyring has several entries for this profile: keep only one").to_owned()
        }
        Error::BadEncoding(_) | Error::BadDataFormat(..) => t!("the keyring entry is not text").to_owned(),
        Error::TooLong(..) | Error::Invalid(..) => t!("the keyring does not accept this entry").to_owned(),
        _ => t!("lapel cannot use the keyring: keep the key in a file instead").to_owned(),
    }
}

#[cfg(target_os = "linux")]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    dbus_secret_service_keyring_store::Store::new().map(|store| store as Arc<CredentialStore>)
}

#[cfg(target_os = "macos")]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    apple_native_keyring_store::keychain::Store::new().map(|store| store as Arc<CredentialStore>)
}

#[cfg(windows)]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    windows_native_keyring_store::Store::new().map(|store| store as Arc<CredentialStore>)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    Err(Error::NoDefaultStore)
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring")
    }
}

#[cfg(test)]
mod tests;

//! Tests with a working keyring, a locked one and one that never answers.

use super::*;
use keyring_core::api::{CredentialApi, CredentialStoreApi};
use keyring_core::{Credential, mock};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex};

const KEY: &str = "dmu_live_s3cretS3cret0123456789";
/// `LONG` suits a busy machine; `SOON` is for a keyring that never answers.
const LONG: Duration = Duration::from_secs(30);
const SOON: Duration = Duration::from_millis(20);

fn secret() -> SecretString {
    SecretString::from(KEY.to_owned())
}

/// Every answer waits until the door is open, and then may be an error.
#[derive(Clone)]
struct Odd {
    door: Arc<(Mutex<bool>, Condvar)>,
    locked: bool,
    held: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Odd {
    fn new(open: bool, locked: bool) -> Self {
        Self { door: Arc::new((Mutex::new(open), Condvar::new())), locked, held: Arc::default() }
    }

    fn open(&self) {
        *self.door.0.lock().expect("the door") = true;
        self.door.1.notify_all();
    }

    fn pass(&self) -> keyring_core::Result<()> {
        let (door, opened) = &*self.door;
        let _open = opened.wait_while(door.lock().expect("the door"), |open| !*open).expect("the door");
        if self.locked {
            return Err(Error::NoStorageAccess("the collection is locked\u{1b}[2J".into()));
        }
        Ok(())
    }
}

impl CredentialApi for Odd {
    fn set_secret(&self, secret: &[u8]) -> keyring_core::Result<()> {
        self.pass()?;
        *self.held.lock().expect("held") = Some(secret.to_vec());
        Ok(())
    }

    fn get_secret(&self) -> keyring_core::Result<Vec<u8>> {
        self.pass()?;
        self.held.lock().expect("held").clone().ok_or(Error::NoEntry)
    }

    fn delete_credential(&self) -> keyring_core::Result<()> {
        self.pass()?;
        self.held.lock().expect("held").take().map(drop).ok_or(Error::NoEntry)
    }

    fn get_credential(&self) -> keyring_core::Result<Option<Arc<Credential>>> {
        Ok(None)
    }

    fn get_specifiers(&self) -> Option<(String, String)> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn debug_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Odd")
    }
}

impl CredentialStoreApi for Odd {
    fn vendor(&self) -> String {
        "test".into()
    }

    fn id(&self) -> String {
        "odd".into()
    }

    fn build(&self, _: &str, _: &str, _: Option<&HashMap<&str, &str>>) -> keyring_core::Result<Entry> {
        Ok(Entry::new_with_credential(Arc::new(self.clone())))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn debug_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Odd")
    }
}

#[test]
fn a_key_is_kept_read_and_taken_away() {
    let keyring = Keyring::of(mock::Store::new().expect("a store"), LONG);
    assert!(keyring.read("uni").expect("readable").is_none());
    keyring.write("uni", &secret()).expect("kept");
    let read = keyring.read("uni").expect("readable").expect("there");
    assert_eq!(read.expose_secret(), KEY);
    assert!(keyring.read("other").expect("readable").is_none(), "each profile has its own");
    assert_eq!(keyring.forget("uni"), Ok(true));
    assert_eq!(keyring.forget("uni"), Ok(false));
}

#[test]
fn a_locked_keyring_says_what_to_do() {
    let store = Odd::new(true, true);
    let keyring = Keyring::of(Arc::new(store), LONG);
    for said in [
        keyring.read("uni").expect_err("locked"),
        keyring.write("uni", &secret()).expect_err("locked"),
        keyring.forget("uni").expect_err("locked"),
    ] {
        assert!(said.contains("Unlock it") && said.contains("--key-from file"), "{said}");
        assert!(!said.chars().any(char::is_control) && !said.contains(KEY), "{said:?}");
    }
}

#[test]
fn no_keyring_is_said_at_once() {
    assert!(Keyring::none().read("uni").expect_err("none").contains("no keyring"));
}

#[test]
fn a_keyring_that_never_answers_is_given_up_and_what_it_does_later_is_undone() {
    let store = Odd::new(false, false);
    let keyring = Keyring::of(Arc::new(store.clone()), SOON);
    let said = keyring.write("uni", &secret()).expect_err("it hangs");
    assert!(said.contains("did not answer within") && said.contains("--key-from file"), "{said}");
    for _ in 1..MOST_OPEN {
        keyring.read("uni").expect_err("it hangs");
    }
    // No further thread is started.
    let said = keyring.read("uni").expect_err("it still hangs");
    assert!(said.contains("did not answer 4 requests"), "{said}");

    store.open();
    let end = std::time::Instant::now() + LONG;
    while keyring.unanswered.load(Ordering::SeqCst) > 0 {
        assert!(std::time::Instant::now() < end, "the threads end once the keyring answers");
        std::thread::yield_now();
    }
    assert!(keyring.read("uni").expect("it answers now").is_none(), "what was said not to be kept is not");
}

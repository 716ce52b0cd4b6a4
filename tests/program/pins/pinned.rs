//! A list of names, compared with its file.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// A file beside these tests.
pub fn beside(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/program/pins").join(name)
}

/// The lines of a list as it is kept; none where there is no such list yet.
pub fn kept(list: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(beside(&format!("lists/{list}.txt"))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The texts for users: README.md first, then every page in docs/.
pub fn pages() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("the folder docs");
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.expect("a file of docs").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.insert(0, root.join("README.md"));
    paths.iter().map(|path| fs::read_to_string(path).expect("a page")).collect()
}

/// Compares what the program has now with the list as it is kept. `known` must be in it: a walk that finds nothing
/// is no proof.
#[track_caller]
pub fn pin(list: &str, known: &[&str], now: impl IntoIterator<Item = String>) {
    let now: BTreeSet<String> = now.into_iter().collect();
    assert!(!known.is_empty(), "{list}: name a line that must be there");
    for line in known {
        assert!(now.contains(*line), "{list}: `{line}` was not found; found were {now:#?}");
    }
    assert!(now.iter().all(|line| !line.contains('\n')), "{list}: a name is one line");
    if std::env::var_os("UPDATE_PINS").is_some() {
        let text: Vec<String> = now.iter().map(|line| format!("{line}\n")).collect();
        fs::write(beside(&format!("lists/{list}.txt")), text.concat()).expect("written");
        return;
    }
    if let Some(said) = difference(&kept(list), &now) {
        panic!("{list}: names that users have were changed\n{said}");
    }
}

/// What is gone and what is new, a line each.
fn difference(kept: &BTreeSet<String>, now: &BTreeSet<String>) -> Option<String> {
    let gone = kept.difference(now).map(|line| format!("  gone: {line}\n"));
    let new = now.difference(kept).map(|line| format!("  new:  {line}\n"));
    let said: String = gone.chain(new).collect();
    (!said.is_empty()).then_some(said)
}

#[test]
fn a_renamed_name_is_told_with_both_names() {
    let kept = ["--rows", "--page"].map(str::to_owned).into();
    let now = ["--rows", "--pages"].map(str::to_owned).into();
    assert_eq!(difference(&kept, &now).as_deref(), Some("  gone: --page\n  new:  --pages\n"));
    assert_eq!(difference(&kept, &kept), None);
    assert!(difference(&kept, &BTreeSet::new()).is_some(), "an empty list is a difference");
}

/// A list without a test is one that nothing holds.
#[test]
fn every_list_is_held_by_a_test() {
    let sources: String = fs::read_dir(beside(""))
        .expect("the tests")
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    let mut lists = 0;
    for entry in fs::read_dir(beside("lists")).expect("the lists").flatten() {
        let name = entry.path().file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(sources.contains(&format!("\"{name}\"")), "no test names the list {name}");
        assert!(!kept(&name).is_empty(), "the list {name} is empty");
        lists += 1;
    }
    assert!(lists > 5, "{lists}");
}

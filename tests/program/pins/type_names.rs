//! A type that other files can name has a name of its own.

use super::layers::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Names that may stand for several types, each with its reason.
const SHARED: &[(&str, &str)] =
    &[("Result", "an alias for the errors of its module, as in the standard library")];

/// The name of the type that a line of code defines, and whether other files can name it.
fn defined(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (is_visible, rest) = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => (true, rest.split_once(") ")?.1),
        Some(rest) => (true, rest.strip_prefix(' ')?),
        None => (false, line),
    };
    let rest =
        ["struct ", "enum ", "trait ", "type ", "union "].iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    // A macro's `$name` is not a name.
    (end > 0).then_some((&rest[..end], is_visible))
}

/// Type name to its files. An associated type of an `impl` is indented like a type of an inner module, but has no `pub`
/// before it.
fn types(root: &Path) -> BTreeMap<String, Vec<(String, bool)>> {
    let (mut files, mut types) = (Vec::new(), BTreeMap::new());
    sources(root, &mut files);
    assert!(files.len() > 300, "only {} files were read", files.len());
    for path in files {
        let file = path.strip_prefix(root).expect("inside src").display().to_string();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a source");
        // Tests name their own things. A file `no_…` has the same types for a build without a feature.
        if stem.ends_with("tests") || stem.starts_with("no_") || source.starts_with("//! Tests: ") {
            continue;
        }
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for line in code.lines() {
            let Some((name, is_visible)) = defined(line) else { continue };
            if is_visible || !line.starts_with(' ') {
                types.entry(name.to_owned()).or_insert_with(Vec::new).push((file.clone(), is_visible));
            }
        }
    }
    types
}

#[test]
fn no_type_name_stands_for_two_things() {
    let types = types(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let is_allowed = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let several =
        |files: &[(String, bool)]| files.len() > 1 && files.iter().any(|(_, is_visible)| *is_visible);
    let wrong: Vec<String> = types
        .iter()
        .filter(|(name, files)| several(files) && !is_allowed(name))
        .map(|(name, files)| {
            let files: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
            format!("{name}: {}", files.join(", "))
        })
        .collect();
    assert!(wrong.is_empty(), "Give each type a name of its own:\n{}", wrong.join("\n"));
    for (name, reason) in SHARED {
        assert!(types.get(*name).is_some_and(|files| several(files)), "{name} needs no exception: {reason}");
    }
}

#[test]
fn a_definition_is_seen() {
    assert_eq!(defined("pub struct Badge<'a> {"), Some(("Badge", true)));
    assert_eq!(defined("    pub(in crate::jobs) enum Row {"), Some(("Row", true)));
    assert_eq!(defined("type Columns = &'static [u8];"), Some(("Columns", false)));
    assert_eq!(defined("pub fn structure() {}"), None);
    assert_eq!(defined("pub struct $name(Text);"), None);
    assert_eq!(defined("/// pub struct Comment;"), None);
}

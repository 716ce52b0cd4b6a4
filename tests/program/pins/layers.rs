//! Every module uses only the modules that the table in docs/architecture.md names for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of src") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The names that follow a prefix such as `crate::` in code, also in a group such as `use crate::{fs, domain::text}`.
/// Comments may name every module.
fn used(source: &str, prefix: &str) -> BTreeSet<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        // `super::` also ends `super::super::`.
        if code[..at].ends_with("::") {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(name(rest));
            continue;
        };
        let (mut depth, mut begins) = (1, 0);
        for (at, c) in group.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 || (depth == 1 && c == ',') {
                names.insert(name(group[begins..at].trim()));
                begins = at + 1;
            }
            if depth == 0 {
                break;
            }
        }
    }
    names.remove("");
    names
}

/// The module that a file of `src` belongs to: its folder, or the file itself.
fn module(root: &Path, path: &Path) -> String {
    let first = path.strip_prefix(root).expect("inside src").components().next().expect("a first part");
    let first = first.as_os_str().to_string_lossy();
    first.strip_suffix(".rs").unwrap_or(&first).to_owned()
}

/// Module to the modules that it may use, from the table in docs/architecture.md.
fn allowed(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut allowed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').trim_end_matches('/').trim_end_matches(".rs").to_owned();
        let may = match cells[3].strip_prefix("everything above") {
            Some(except) => {
                let except = except.trim_start_matches(", but not ").trim_matches('`').trim_end_matches('/');
                allowed.keys().filter(|above| *above != except).cloned().collect()
            }
            None => {
                cells[3].split(',').map(|part| part.trim().to_owned()).filter(|part| part != "–").collect()
            }
        };
        allowed.insert(name, may);
    }
    allowed
}

#[test]
fn modules_use_only_the_modules_below_them() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page =
        std::fs::read_to_string(package.join("docs/architecture.md")).expect("the page on the architecture");
    let table = page.split("\n## ").find(|part| part.starts_with("Modules")).expect("the chapter on modules");
    let allowed = allowed(table);
    let (root, mut files) = (package.join("src"), Vec::new());
    sources(&root, &mut files);
    assert!(files.len() > 300, "only {} files were read", files.len());
    let modules: BTreeSet<String> = files.iter().map(|path| module(&root, path)).collect();
    let mut wrong = Vec::new();
    for path in &files {
        let own = module(&root, path);
        if own == "lib" {
            continue;
        }
        let Some(may) = allowed.get(&own) else {
            wrong.push(format!("{own} has no line in docs/architecture.md"));
            continue;
        };
        let source = std::fs::read_to_string(path).expect("a source");
        let is_named_tests = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"));
        if is_named_tests || source.starts_with("//! Tests: ") {
            continue;
        }
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in used(code, "crate::") {
            if modules.contains(&name) && name != own && name != "i18n" && !may.contains(&name) {
                wrong.push(format!("{} uses {name}", path.strip_prefix(package).expect("inside").display()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The part of a module that a file belongs to, and the prefix of its siblings besides `crate::module::`.
fn part(folder: &Path, path: &Path) -> (String, Option<&'static str>) {
    let inside = path.strip_prefix(folder).expect("inside the module");
    let is_mod = inside.ends_with("mod.rs");
    let siblings = match (inside.components().count(), is_mod) {
        (1, false) | (2, true) => Some("super::"),
        (2, false) => Some("super::super::"),
        _ => None,
    };
    (module(folder, path), siblings)
}

/// Each part of a module, to the parts that it uses. The prelude only passes names on.
fn uses_within(module_folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let name = module_folder.file_name().expect("a name").to_string_lossy().into_owned();
    let mut files = Vec::new();
    sources(module_folder, &mut files);
    let parts: BTreeSet<String> = files.iter().map(|path| module(module_folder, path)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in &files {
        let (own, siblings) = part(module_folder, path);
        let path_text = path.to_string_lossy();
        let is_test = path_text.ends_with("tests.rs") || path_text.contains("/tests/");
        if own == "mod" || own == "prelude" || is_test {
            continue;
        }
        let source = std::fs::read_to_string(path).expect("a source");
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut names = used(code, &format!("crate::{name}::"));
        names.extend(siblings.into_iter().flat_map(|prefix| used(code, prefix)));
        let known = names.into_iter().filter(|name| parts.contains(name));
        uses.entry(own).or_default().extend(known);
    }
    uses
}

/// The strongly connected components with more than one part.
fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(part) = next.pop() {
            let new = uses.get(part).into_iter().flatten().filter(|to| reached.insert((*to).clone()));
            next.extend(new.collect::<Vec<_>>());
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        uses.keys().map(|part| (part, reached(part))).collect();
    let group = |part: &String| {
        let leads_back =
            |to: &&String| *to != part && reached.get(to).is_some_and(|back| back.contains(part));
        let mut group: Vec<String> = reached[part].iter().filter(leads_back).cloned().collect();
        group.push(part.clone());
        group.sort();
        group
    };
    uses.keys().map(group).filter(|group| group.len() > 1).collect()
}

#[test]
fn no_parts_of_a_module_use_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = std::fs::read_dir(&root).expect("src").map(|entry| entry.expect("an entry").path());
    let folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    assert!(folders.len() >= 10, "only {} modules were read", folders.len());
    let found: BTreeSet<(String, Vec<String>)> = folders
        .iter()
        .flat_map(|folder| {
            let name = module(&root, folder);
            cycles(&uses_within(folder)).into_iter().map(move |group| (name.clone(), group))
        })
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_cycle_of_three_parts_is_seen() {
    let uses = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "e")];
    let uses = uses.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in uses {
        all.entry(from).or_default().extend(to);
    }
    let abc = ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(cycles(&all), BTreeSet::from([abc]));
}

#[test]
fn only_the_journal_of_jobs_uses_sql() {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/jobs");
    let mut files = Vec::new();
    sources(&jobs, &mut files);
    let journal = jobs.join("journal");
    let wrong: Vec<_> = files
        .iter()
        .filter(|path| !path.starts_with(&journal) && !path.starts_with(jobs.join("intake")))
        .filter(|path| std::fs::read_to_string(path).expect("a source").contains("rusqlite"))
        .collect();
    assert!(files.len() > 60, "only {} files were read", files.len());
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_use_of_another_module_is_seen() {
    let source = "use crate::{fs, domain::text::Text};\n// crate::tui\nlet x = crate::api::get(crate::secrets::Secret);";
    assert_eq!(used(source, "crate::"), ["api", "domain", "fs", "secrets"].map(str::to_owned).into());
    let source = "use super::{\n    a::{b, c},\n    d,\n};\nuse super::super::e;";
    assert_eq!(used(source, "super::"), ["a", "d", "super"].map(str::to_owned).into());
    assert_eq!(used(source, "super::super::"), ["e".to_owned()].into());
}

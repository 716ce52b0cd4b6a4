//! Every module uses only the modules that the table in docs/architecture.md names for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of src") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The names that follow `crate::` in code, also in a group such as `use crate::{fs, domain::text}`. Comments may
/// name every module.
fn used(source: &str) -> BTreeSet<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| {
        line.match_indices("crate::").map(|(at, _)| &line[at + "crate::".len()..]).collect::<Vec<_>>()
    })
    .flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => group.split(',').map(|part| name(part.trim())).collect(),
        None => vec![name(rest)],
    })
    .filter(|name| !name.is_empty())
    .collect()
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
        if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")) {
            continue;
        }
        let source = std::fs::read_to_string(path).expect("a source");
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in used(code) {
            if modules.contains(&name) && name != own && name != "i18n" && !may.contains(&name) {
                wrong.push(format!("{} uses {name}", path.strip_prefix(package).expect("inside").display()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
    assert_eq!(used(source), ["api", "domain", "fs", "secrets"].map(str::to_owned).into());
}

//! Names in the files that people write: settings, colours, keys, saved filters. And where files are.

use super::pinned::{beside, kept, pages, pin};
use crate::texts::msg_part;
use crate::verbs::kit::Bench;
use clap::Parser;
use lapel::cli::Cli;
use lapel::config::{
    Env, Flags, KeymapFile, Mistake, Paths, Role, Settings, known_settings, recent_file, templates_file,
};
use lapel::tui::{Action, Keymap, Tab, crash_file, filters_file};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Mistakes in the settings of a folder, in all of its files.
fn mistakes(folder: &Path) -> Vec<Mistake> {
    let folder = folder.to_str().expect("UTF-8");
    let env = Env::of([("LAPEL_CONFIG_DIR", folder), ("LAPEL_DATA_DIR", folder), ("LANG", "C.UTF-8")]);
    let mut all = Settings::for_demo(&Flags::default(), &env).left_out;
    match Settings::resolve(&Flags::default(), &env) {
        Ok(settings) => all.extend(settings.left_out),
        Err(error) => all.extend_from_slice(error.mistakes()),
    }
    all
}

/// What is wrong with a setting, when `config.toml` gives it this value.
fn with_setting(folder: &Path, name: &str, value: &str) -> Vec<Mistake> {
    let base = "base_url = \"https://badges.example/api/v1\"\n";
    let (table, field) = name.rsplit_once('.').unwrap_or(("", name));
    let text = match table {
        "" => format!("{field} = \"{value}\"\n"),
        "profile" => {
            let base = if field == "base_url" { "" } else { base };
            format!("[profiles.uni]\n{base}{field} = \"{value}\"\n")
        }
        "profile.journal" => {
            let url = if field == "url" { "" } else { "url = \"postgres://kim@db.example/badges\"\n" };
            format!("[profiles.uni]\n{base}[profiles.uni.journal]\n{url}{field} = \"{value}\"\n")
        }
        table => format!("[{table}]\n{field} = \"{value}\"\n"),
    };
    fs::write(folder.join("config.toml"), text).expect("written");
    let is_field = |said: &str| {
        said == name || name.strip_prefix("profile.").is_some_and(|f| said == format!("profiles.uni.{f}"))
    };
    mistakes(folder).into_iter().filter(|m| m.field.as_deref().is_some_and(is_field)).collect()
}

/// The words that a setting takes, if it takes no others: those that its refusal of another one names and that it
/// then takes, and those of the list that it still takes.
fn words_of(folder: &Path, name: &str, list: &BTreeSet<String>) -> Vec<String> {
    let refusals = with_setting(folder, name, "no-such-word");
    let named = refusals.iter().flat_map(|refusal| refusal.what.split('"').skip(1).step_by(2));
    let kept = list.iter().filter_map(|line| line.strip_prefix(&format!("{name} = ")));
    let words: BTreeSet<String> = named.chain(kept).map(str::to_owned).collect();
    let taken = |word: &&String| !refusals.is_empty() && with_setting(folder, name, word).is_empty();
    let words: Vec<String> = words.iter().filter(taken).cloned().collect();
    // A single one is an example of what else it takes.
    if words.len() > 1 { words } else { Vec::new() }
}

#[test]
fn names_in_config_toml() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = kept("config-toml");
    let mut lines = Vec::new();
    for name in known_settings() {
        for word in words_of(folder.path(), &name, &list) {
            lines.push(format!("{name} = {word}"));
        }
        lines.push(name);
    }
    let known = [
        "theme = high-contrast",
        "profile.read_only",
        "profile.environment = live",
        "jobs.policies.twin = block",
    ];
    pin("config-toml", &known, lines);
}

/// Every setting is in the sample, and every setting of the sample is read.
#[test]
fn a_config_toml_of_today_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(beside("samples/config.toml")).expect("the sample");
    fs::write(folder.path().join("config.toml"), &text).expect("written");
    let authority = beside("../../service/api_hostile/certificates/authority.pem");
    fs::copy(authority, folder.path().join("authority.pem")).expect("copied");
    assert_eq!(mistakes(folder.path()), []);
    let sample: toml::Table = text.parse().expect("TOML");
    let mut names = BTreeSet::new();
    leaves(&toml::Value::Table(sample), "", &mut names);
    for name in known_settings() {
        let found = match name.strip_prefix("profile.") {
            Some(field) => {
                names.iter().any(|n| n.starts_with("profiles.") && n.ends_with(&format!(".{field}")))
            }
            None => names.contains(&name),
        };
        assert!(found, "samples/config.toml says nothing about {name}");
    }
    // The tables of a profile are the same as those for all.
    for table in ["jobs.batch", "jobs.policies.valid", "index.enabled"] {
        assert!(names.contains(&format!("profiles.uni.{table}")), "{table}");
    }
}

/// The names of all values, with the names of their tables in front. The ways to write a secret are values.
fn leaves(value: &toml::Value, path: &str, out: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) if !matches!(path.rsplit('.').next(), Some("key" | "password")) => {
            for (name, value) in table {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(value, &format!("{path}{dot}{name}"), out);
            }
        }
        _ => drop(out.insert(path.to_owned())),
    }
}

#[test]
fn names_in_theme_toml() {
    let lines: Vec<String> = Role::ALL.iter().map(|role| format!("colours.{}", role.word())).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let sample: Vec<String> =
        kept("theme-toml").iter().map(|name| format!("{name} = \"bright-red\"\n")).collect();
    let sample = sample.concat();
    fs::write(folder.path().join("theme.toml"), format!("base = \"light\"\n{sample}")).expect("written");
    assert_eq!(mistakes(folder.path()), [], "a theme.toml of today is read");
    for colour in ["terminal", "black", "bright-white", "214", "#ffaf00"] {
        let text = format!("[colours]\ndim = \"{colour}\"\n");
        fs::write(folder.path().join("theme.toml"), text).expect("written");
        assert_eq!(mistakes(folder.path()), [], "{colour}");
    }
    // An old name that is still read stays in the list.
    let lines = lines.into_iter().chain(kept("theme-toml"));
    pin("theme-toml", &["colours.waiting", "colours.revoked"], lines);
}

#[test]
fn names_in_keys_toml() {
    let keymap = Keymap::default();
    let lines: Vec<String> = keymap
        .lines()
        .map(|(context, action, _)| format!("[{}] {}", context.name(), action.name()))
        .collect();
    // Some have no key before a person gives them one.
    let has_key = |action: &Action| keymap.lines().any(|(_, with_key, _)| with_key == *action);
    let keyless = Action::ALL.iter().filter(|action| !has_key(action));
    let keyless = keyless.map(|action| format!("without a key: {}", action.name()));
    // A file of today is read: each of its names is still taken.
    for line in kept("keys-toml").iter().filter(|line| line.starts_with('[')) {
        let (place, action) = line.split_once("] ").expect("a place and an action");
        let file = KeymapFile::parse(Path::new("keys.toml"), &format!("{place}]\n{action} = [\"f12\"]\n"));
        assert_eq!(file.lines.len(), 1, "{line}");
        let (_, mistakes) = Keymap::with(&file);
        // What nothing uses any more is read too, and reported.
        if action == "confirm" || place == "[organisation" {
            assert!(
                mistakes.iter().all(|mistake| mistake.what.contains(msg_part("no longer used"))),
                "{mistakes:?}"
            );
            assert_eq!(mistakes.len(), 1, "{line}");
        } else {
            assert_eq!(mistakes, [], "{line}");
        }
    }
    // An old name that is still read stays in the list.
    let still_read = kept("keys-toml").into_iter().filter(|line| line.starts_with('['));
    let lines = lines.into_iter().chain(keyless).chain(still_read);
    pin("keys-toml", &["[job-rows] open", "[global] quit", "[list] page-down"], lines);
}

#[test]
fn names_in_filters_toml() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("filters.toml");
    let wrong = |text: &str| {
        fs::write(&file, text).expect("written");
        let (filters, mistakes) = filters_file(file.clone()).read();
        (filters, mistakes)
    };
    // What the file may hold is what its refusals name and then take.
    let mut lines = Vec::new();
    let list = kept("filters-toml");
    let candidates = |text: &str, prefix: &str| -> BTreeSet<String> {
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let said: Vec<Mistake> = wrong(text).1;
        let words = said.iter().flat_map(|m| m.what.split(is_part).map(str::to_owned)).collect::<Vec<_>>();
        let kept = list.iter().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned);
        words.into_iter().chain(kept).filter(|word| !word.is_empty()).collect()
    };
    let takes = |text: &str| {
        let (filters, mistakes) = wrong(text);
        filters.len() == 1 && mistakes.is_empty()
    };
    for place in ["history", "templates"] {
        let head = format!("[{place}.\"a name\"]\n");
        let prefix = format!("[{place}] ");
        for field in candidates(&format!("{head}no_such_field_here = \"x\"\n"), &prefix) {
            let values = ["x", "Y", "2026-10-01", "DEGREE", "PARTICIPATE"];
            if values.iter().any(|value| takes(&format!("{head}{field} = \"{value}\"\n"))) {
                lines.push(format!("{prefix}{field}"));
            }
        }
        let prefix = format!("[{place}] sort = ");
        for column in candidates(&format!("{head}sort = \"no_such_column_here:asc\"\n"), &prefix) {
            if takes(&format!("{head}sort = \"{column}:desc\"\n")) {
                lines.push(format!("{prefix}{column}"));
            }
        }
    }
    let known = ["[history] recipient_email", "[history] sort = issued_at", "[templates] use_yn"];
    pin("filters-toml", &known, lines);
}

/// Words of `--tab`, and of flags that read them with a parser of their own.
#[test]
fn words_that_flags_take() {
    pin("tabs", &["history"], Tab::ALL.iter().map(|(tab, _)| tab.word().to_owned()));
    let issue = "lapel issue --template T --recipients people.csv";
    for (flag, words) in [
        ("--encoding", &["utf-8", "cp949", "euc-kr", "utf-16le", "utf-16be"][..]),
        ("--delimiter", &["comma", "tab", "semicolon", "pipe"]),
        ("--header-row", &["1", "none"]),
        ("--map", &["name=1", "family=1", "given=1", "email=1", "e-mail=1", "template=1"]),
    ] {
        for word in words {
            let line = format!("{issue} {flag} {word}");
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{flag} does not take {word} any more");
        }
        let line = format!("{issue} {flag} no-such-word");
        assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{flag} takes anything");
    }
}

/// `lapel info --json` with nothing but these variables, beside those that a process needs.
fn info(bench: &Bench, variables: &[(&str, &str)]) -> String {
    let mut command = bench.lapel(&["info", "--json"]);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").stdin(Stdio::null());
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn environment_variables() {
    // Those that the program reads: its code names each in quotes. Unit tests use others.
    let mut names = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for part in code.split("\"LAPEL_").skip(1) {
                let name = part.split('"').next().unwrap_or_default();
                if !name.starts_with("TEST_") && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') {
                    names.insert(format!("LAPEL_{name}"));
                }
            }
        }
    }
    let pages = pages();
    // And each does something.
    let bench = Bench::new();
    bench.settings("[profiles.uni]\nbase_url = \"https://a.example/api/v1\"\n[profiles.two]\nbase_url = \"https://b.example/api/v1\"\n");
    let folder = bench.path("elsewhere");
    let folder = folder.to_str().expect("UTF-8");
    for (name, value) in [
        ("LAPEL_PROFILE", "two"),
        ("LAPEL_BASE_URL", "https://c.example/api/v1"),
        ("LAPEL_API_KEY", "not-a-real-key-of-anybody"),
        ("LAPEL_CONFIG_DIR", folder),
        ("LAPEL_DATA_DIR", folder),
        ("LAPEL_LOG", "debug"),
        ("LAPEL_UTC_OFFSET", "not an offset"),
    ] {
        assert!(names.contains(name), "nothing reads {name}");
        // The zone goes with a service that the variables make up, too.
        let others: &[(&str, &str)] = match name {
            "LAPEL_PROFILE" => &[],
            "LAPEL_UTC_OFFSET" => &[
                ("LAPEL_BASE_URL", "https://c.example/api/v1"),
                ("LAPEL_API_KEY", "not-a-real-key-of-anybody"),
            ],
            _ => &[("LAPEL_PROFILE", "uni")],
        };
        let with = [others, &[(name, value)]].concat();
        assert!(info(&bench, &with) != info(&bench, others), "{name} changes nothing");
        let explained = pages.iter().any(|page| page.contains(name));
        assert!(explained, "README.md and docs/ say nothing about {name}");
    }
    pin("environment-variables", &["LAPEL_API_KEY", "LAPEL_DATA_DIR"], names);
}

/// Every file below a folder; what is different in every run is a sign in place of it.
fn files(folder: &Path, path: &str, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
        let is_hex = stem.len() >= 8 && stem.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        let shown =
            if is_hex { format!("HEX.{ending}").trim_end_matches('.').to_owned() } else { name.clone() };
        if entry.path().is_dir() {
            out.insert(format!("{path}{shown}/"));
            files(&entry.path(), &format!("{path}{shown}/"), out);
        } else if !name.ends_with("-wal") && !name.ends_with("-shm") && !path.ends_with("/owners/") {
            // SQLite's own files come and go, and so does the file of a process.
            out.insert(format!("{path}{shown}"));
        }
    }
}

#[test]
fn names_of_files_and_folders() {
    let bench = Bench::new();
    let key = format!("{}\n", bench.sandbox.api_key());
    let url = bench.sandbox.base_url().to_owned();
    bench.run_with(&["profile", "add", "uni", "--base-url", &url, "--key-stdin"], &key).ended(0);
    let text = fs::read_to_string(bench.path("config/config.toml")).expect("the settings");
    bench.settings(&format!("{text}\n[index]\nenabled = true\nmax_age_days = 36500\n"));
    let run = |args: &[&str]| {
        let mut command = bench.lapel(args);
        command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").env("LAPEL_LOG", "debug");
        bench.said(command.output().expect("it runs")).ended(0);
    };
    run(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"]);
    run(&["index", "build"]);
    let mut lines = BTreeSet::new();
    for folder in ["config", "data"] {
        files(&bench.path(folder), &format!("{folder}/"), &mut lines);
    }
    // Those that only the TUI writes.
    let home = bench.home.path();
    let paths = Paths { config_dir: home.join("config"), data_dir: home.join("data") };
    for path in [
        paths.theme_file(),
        paths.keymap_file(),
        paths.filters_file(),
        paths.tour_file(),
        paths.view_file("uni"),
        paths.pictures_dir(),
        recent_file(&paths.data_dir, "uni"),
        templates_file(&paths.data_dir, "uni"),
        crash_file(&paths.data_dir),
    ] {
        lines.insert(path.strip_prefix(home).expect("in a folder of lapel").to_string_lossy().into_owned());
    }
    let known = ["config/config.toml", "config/keys/uni", "data/journal.sqlite", "data/index/HEX.sqlite"];
    pin("files-and-folders", &known, lines);
}

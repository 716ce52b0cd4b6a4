//! `lapel info`: the paths of lapel's files, and the source of each setting. Sends no request, reads no key.

use super::job_text::{indented, padded, under};
use super::label::{field, shown};
use crate::api::DEFAULT_RATE_LIMIT;
use crate::cli::prelude::*;
use crate::config::{
    Defaults, Flags, Mistake, Provenance, SettingValue, TerminalBackground, former_settings, provenance,
};
use crate::fs::permission_bits;
use crate::jobs::{JobConfig, Journal};
use crate::{i18n, index};

/// `in_tui_files` are the mistakes in the files that only the TUI reads.
pub fn info(flags: &Flags, env: &Env, as_json: bool, in_tui_files: &[Mistake]) -> u8 {
    let defaults = Defaults { rate_limit: DEFAULT_RATE_LIMIT, jobs: JobConfig::default_settings() };
    let mut found = provenance(flags, env, &defaults);
    found.remarks.extend(in_tui_files.iter().map(ToString::to_string));
    let value = json!({
        "lapel": build(),
        "paths": paths(&found).iter().map(PathEntry::as_json).collect::<Vec<_>>(),
        "settings": settings(&found.settings),
        "profile": profile(&found),
        "terminal": terminal(env, found.asks_background),
        "remarks": found.remarks,
    });
    let answer = if as_json { json::line(&value) } else { lines(&value, &found) };
    output::ended(output::answer(&answer), exit::OK)
}

/// A renamed one has an entry for its former name, too: scripts may know that name.
fn settings(all: &[SettingValue]) -> Vec<Value> {
    let entry = |name: &str, setting: &SettingValue| json!({ "name": name, "value": setting.text(), "source": setting.source.word() });
    let mut entries = Vec::new();
    for setting in all {
        entries.push(entry(&setting.name, setting));
        let former = former_settings().into_iter().filter(|(_, now)| *now == setting.name);
        entries.extend(former.map(|(former, _)| entry(&former, setting)));
    }
    entries
}

fn build() -> Value {
    let mut features = vec![t!("sandbox"), t!("journal (SQLite, built in)"), t!("TLS (rustls, ring)")];
    if cfg!(feature = "team") {
        features.push(t!("a team's journal (PostgreSQL)"));
    }
    if cfg!(feature = "images") {
        features.push(t!("pictures"));
    }
    if cfg!(feature = "keyring") {
        if cfg!(target_os = "linux") {
            features.push(t!("keyring (Secret Service)"));
        } else if cfg!(target_os = "macos") {
            features.push(t!("keyring (keychain)"));
        } else if cfg!(windows) {
            features.push(t!("keyring (credential manager)"));
        }
    }
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "target": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        "debug_assertions": cfg!(debug_assertions),
        "rust": option_env!("CARGO_PKG_RUST_VERSION").filter(|v| !v.is_empty()).map(|v| t!("{v} or newer", v)),
        "features": features,
    })
}

struct PathEntry {
    /// Programs find a path by this `name` in the JSON. It never changes.
    name: &'static str,
    label: &'static str,
    /// Of a database, its host and name.
    path: PathBuf,
    is_database: bool,
}

impl PathEntry {
    /// The kind (`file`, `folder`, `database`, `other`, or `None` when missing) and the permission bits.
    fn looked(&self) -> (Option<&'static str>, Option<u32>) {
        if self.is_database {
            return (Some(tr_noop!("database")), None);
        }
        match std::fs::symlink_metadata(&self.path).and_then(|_| std::fs::metadata(&self.path)) {
            Err(_) => (None, None),
            Ok(found) => {
                let kind = if found.is_dir() {
                    tr_noop!("folder")
                } else if found.is_file() {
                    tr_noop!("file")
                } else {
                    tr_noop!("other")
                };
                (Some(kind), permission_bits(&found))
            }
        }
    }

    fn as_json(&self) -> Value {
        let (kind, mode) = self.looked();
        json!({
            "name": self.name,
            "path": self.path.to_string_lossy(),
            // Nobody connects to a database here.
            "exists": (!self.is_database).then_some(kind.is_some()),
            "kind": kind,
            "mode": mode.map(|mode| format!("{mode:03o}")),
        })
    }
}

fn paths(found: &Provenance) -> Vec<PathEntry> {
    let of = |name, label, path: &Path| PathEntry { name, label, path: path.to_owned(), is_database: false };
    let (config, data) = (&found.paths.config_dir, &found.paths.data_dir);
    let mut all = vec![
        of("config folder", t!("config folder"), config),
        of("settings", t!("settings"), &found.paths.config_file()),
        of("key files", t!("key files"), &found.paths.keys_dir()),
        of("keys of the desk", t!("key bindings"), &found.paths.keymap_file()),
        of("colours", t!("colours"), &found.paths.theme_file()),
        of("saved filters", t!("saved filters"), &found.paths.filters_file()),
        of("data folder", t!("data folder"), data),
        of("journal", t!("journal"), &Journal::file_in(data)),
        of("shared pace", t!("rate limits"), &crate::api::pace_file(data)),
        of("lists as last shown", t!("list layouts"), &found.paths.layouts_dir()),
        of("looked up earlier", t!("recent look-ups"), &data.join("recent")),
        of("pictures once read", t!("picture cache"), &found.paths.pictures_dir()),
        of("indexes of the history", t!("history indexes"), &index::folder(data)),
        of("log", t!("log"), &found.paths.log_file()),
        of("crash report", t!("crash report"), &data.join("crash.txt")),
        of("tour taken", t!("tour done"), &found.paths.tour_file()),
    ];
    if let Some(server) = server_of(found)
        && let Some(journal) = all.iter_mut().find(|entry| entry.name == "journal")
    {
        *journal = PathEntry { path: server.into(), is_database: true, ..*journal };
    }
    if let Some(profile) = found.profile.as_ref().filter(|profile| profile.is_in_file) {
        all.insert(
            3,
            of("key file of the profile", t!("profile key file"), &found.paths.key_file(&profile.name)),
        );
    }
    all
}

/// Host and name of the database of the profile's team.
fn server_of(found: &Provenance) -> Option<String> {
    let mut settings = found.profile.iter().flat_map(|profile| &profile.settings);
    settings.find(|setting| setting.name == "journal.url").and_then(SettingValue::text)
}

fn profile(found: &Provenance) -> Value {
    let Some(profile) = &found.profile else { return Value::Null };
    let mut all = Map::new();
    all.insert("name".to_owned(), profile.name.clone().into());
    // Scripts may rely on this order.
    let first = ["environment", "organisation", "base_url", "read_only", "key", "key_prefix"];
    let mut settings: Vec<&SettingValue> = profile.settings.iter().collect();
    settings
        .sort_by_key(|setting| first.iter().position(|name| *name == setting.name).unwrap_or(first.len()));
    for setting in settings {
        // The output has the source of the key and of the password, never one of both.
        let field = match setting.name.as_str() {
            "key" => "key_from",
            "journal.password" => "journal.password_from",
            name => name,
        };
        all.insert(field.to_owned(), json!(setting.value));
    }
    all.insert("overrides".to_owned(), json!(found.overrides));
    let source = |setting: &SettingValue| (setting.name.clone(), setting.source.word().into());
    all.insert("sources".to_owned(), profile.settings.iter().map(source).collect::<Map<_, _>>().into());
    all.into()
}

/// From environment variables alone, without a query to the terminal.
fn terminal(env: &Env, asks_background: bool) -> Value {
    let raw = |name: &str| env.raw(name).map(|v| v.to_string_lossy().into_owned());
    let is = |name: &str, what: &[&str]| {
        raw(name).is_some_and(|v| what.iter().any(|w| v.to_ascii_lowercase().contains(w)))
    };
    let program = ["TERM_PROGRAM", "TERMINAL_EMULATOR"].into_iter().find_map(raw);
    let images = if env.raw("KITTY_WINDOW_ID").is_some() || is("TERM", &["kitty", "ghostty"]) {
        Some("kitty")
    } else if is("TERM_PROGRAM", &["iterm", "wezterm"]) || is("LC_TERMINAL", &["iterm"]) {
        Some("iterm2")
    } else if is("TERM", &["sixel", "foot", "mlterm"]) {
        Some("sixel")
    } else {
        None
    };
    let size = crossterm::terminal::size().ok().filter(|_| {
        use std::io::IsTerminal;
        std::io::stdin().is_terminal() || std::io::stdout().is_terminal() || std::io::stderr().is_terminal()
    });
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|n| raw(n).map(|v| (n, v)));
    let is_ssh = ["SSH_TTY", "SSH_CONNECTION"].into_iter().any(|name| env.raw(name).is_some());
    json!({
        "TERM": raw("TERM"),
        "COLORTERM": raw("COLORTERM"),
        "truecolor": is("COLORTERM", &["truecolor", "24bit"]) || is("TERM", &["direct"]),
        "NO_COLOR": env.raw("NO_COLOR").is_some(),
        "background": TerminalBackground::guess(env).map(|ground| format!("{} (COLORFGBG)", ground.word())),
        "background_asked": asks_background,
        "program": program,
        "images": images,
        "tmux": env.raw("TMUX").is_some(),
        "screen": env.raw("STY").is_some(),
        "ssh": is_ssh,
        "columns": size.map(|(columns, _)| columns),
        "rows": size.map(|(_, rows)| rows),
        "locale": locale.as_ref().map(|(name, value)| format!("{name}={value}")),
        "utf8": locale.is_some_and(|(_, v)| {
            let v = v.to_ascii_lowercase();
            v.contains("utf-8") || v.contains("utf8")
        }),
    })
}

/// Width in cells of a setting's name; the source follows.
const NAMES: usize = 33;
const SOURCES: usize = 13;

fn setting_line(setting: &SettingValue) -> String {
    let value = setting.text().map_or_else(|| "-".to_owned(), |text| scrub(&text).into_owned());
    format!("  {}{}{value}", padded(&setting.name, NAMES), padded(i18n::tr(setting.source.word()), SOURCES))
}

fn lines(value: &Value, found: &Provenance) -> String {
    let fields = |of: &str, cells: usize| {
        let text = |value: &Value| shown(value).unwrap_or_else(|| "-".to_owned());
        let fields = value[of].as_object().into_iter().flatten();
        fields.map(|(name, v)| format!("  {}{}", padded(&field(name), cells), text(v))).collect()
    };
    let mut out: Vec<String> = under("lapel", fields("lapel", 22)).collect();
    out.push(t!("files").to_owned());
    for place in paths(found) {
        let state = match place.looked() {
            (None, _) => t!("missing").to_owned(),
            (Some(_), Some(mode)) => format!("{mode:03o}"),
            (Some(kind), None) => i18n::tr(kind).to_owned(),
        };
        out.push(format!(
            "  {}{}{}",
            padded(place.label, 24),
            padded(&state, 11),
            scrub(&place.path.to_string_lossy())
        ));
    }
    out.extend(under(t!("settings"), found.settings.iter().map(setting_line).collect()));
    out.push(t!("profile").to_owned());
    match &found.profile {
        None => out.push(format!("  {}", t!("none"))),
        Some(profile) => {
            out.push(format!("  {}{}", padded(&field("name"), NAMES + SOURCES), scrub(&profile.name)));
            out.extend(profile.settings.iter().map(setting_line));
        }
    }
    out.extend(under(t!("terminal"), fields("terminal", 17)));
    out.extend(under(t!("remarks"), indented(&found.remarks)));
    out.join("\n")
}

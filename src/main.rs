//! The `lapel` binary: parses the command line and starts the TUI, a verb or the sandbox.

use lapel::api::{ApiKey, Connection};
use lapel::cli::{self, Asker, Cli, Command, DemoFlags, Failure, ProfileContext, exit, logging};
use lapel::config::{
    ConfigError, Env, Environment, Flags, KeyStore, KeymapFile, Mistake, NewProfile, Paths, Profile,
    ProfileLine, SecretKind, Settings, left_out, named_profile, profiles, register_keys, save_profile,
    spoken,
};
use lapel::domain::email::ended;
use lapel::domain::io_error;
use lapel::i18n::set_language;
use lapel::jobs::{Journal, JournalPlace};
use lapel::sandbox::{self, Options, Sandbox};
use lapel::tui::{
    self, AppOptions, AppPaths, FirstConnection, GivenSecret, Helpers, HostTerminal, IndexUse, InitialView,
    Keymap, ProfileChange, ProfileRequest, ProfileSession, Start, ViewUse,
};
use lapel::{t, tr_noop};
use secrecy::{ExposeSecret, SecretString};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Service seconds per real second, so that a new badge becomes Issued within minutes.
const DEMO_SPEED: f64 = 60.0;

fn main() -> ExitCode {
    lapel::secrets::forbid_core_dumps();
    lapel::secrets::hide_keys_in_panics();
    // Preliminary language: the settings, read later, take precedence.
    let env = Env::process();
    set_language(spoken(&env));
    register_keys(&env);
    // Before the words are checked: a completion says nothing about what is typed.
    if cli::complete() {
        return ExitCode::SUCCESS;
    }
    let read = cli::refuse_keys(std::env::args_os()).and_then(|()| cli::parse(std::env::args_os()));
    ExitCode::from(match read {
        Ok(cli) => run(cli),
        Err(code) => code,
    })
}

fn run(cli: Cli) -> u8 {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            cli::complain(&t!("lapel cannot start its threads: {why}", why = io_error::words(&why)));
            return exit::FAILED;
        }
    };
    let (Ok(code) | Err(code)) = runtime.block_on(hand_over(cli));
    // A task that cannot be cancelled, such as a name lookup, must not delay the exit.
    runtime.shutdown_background();
    // On a network drive or in a team, other computers wait until the journal is released.
    lapel::jobs::wait_for_release();
    #[cfg(feature = "team")]
    lapel::api::leave_paces();
    code
}

/// Both results are exit codes.
async fn hand_over(cli: Cli) -> Result<u8, u8> {
    cli::ask_about_keys(&cli).await?;
    let (flags, json) = (cli.flags(), cli.is_for_programs());
    let first = cli.first().and_then(|first| InitialView::of(first.tab.as_deref(), &first.filter));
    let wanted = first.map_err(|why| {
        cli::complain(&why);
        cli::command_line_is_wrong(&why, json)
    })?;
    let env = Env::process();
    if let Ok(paths) = Paths::find(&env) {
        lapel::fs::set_own_folders([paths.config_dir, paths.data_dir]);
    }
    let asker = Asker { json, ..asker(&flags, &env) };
    let wrong = |error: ConfigError| cli::settings_are_wrong(&error, json);
    let settings = || settings(&flags, &env).map_err(wrong);
    let demo = async |demo, tour, wanted| {
        // No mistake in the files stops the demo.
        let found = with_keymap(Settings::for_demo(&flags, &env));
        Box::pin(open_tui(found, Some(demo), tour, wanted, &flags, &env)).await
    };
    let done = match cli.command {
        Some(Command::Sandbox(flags)) => Ok(code_of(sandbox::serve(flags).await)),
        Some(Command::Profile(verbs)) => Box::pin(cli::profile(verbs, &env, &asker.who)).await,
        Some(Command::Journal(verb)) => {
            // A backup uses only the language of the settings. Mistakes in the settings do not stop it.
            let settings = Settings::resolve(&flags, &env);
            if let Ok(settings) = &settings
                && !json
            {
                set_language(settings.ui.language);
            }
            let paths = Paths::find(&env).map_err(wrong)?;
            Box::pin(cli::journal(verb, settings, &paths, &asker)).await
        }
        Some(Command::Info { .. }) => Ok(cli::info(&flags, &env, json, &wrong_for_tui(&env))),
        Some(Command::Completions { shell }) => Ok(cli::completions(shell)),
        Some(Command::Man) => Ok(cli::man()),
        Some(Command::Ping { .. }) => Ok(cli::ping(&settings()?, json).await),
        Some(Command::Issue(verb)) => Box::pin(cli::issue(*verb, &settings()?, &asker)).await,
        Some(Command::Revoke(verb)) => Box::pin(cli::revoke(*verb, &settings()?, &asker)).await,
        Some(Command::Jobs(verb)) => Box::pin(cli::jobs(verb, &settings()?, &asker)).await,
        Some(Command::Index(verb)) => Box::pin(cli::index(verb, &settings()?)).await,
        Some(Command::Doctor(_)) => {
            let settings = settings()?;
            let (wrong, without_key) = (wrong_for_tui(&env), without_key(&settings.paths));
            Box::pin(cli::doctor(&settings, &asker, &wrong, without_key)).await
        }
        Some(Command::Read(verb)) => Box::pin(cli::read(verb, &settings()?)).await,
        Some(Command::Demo(flags)) => Ok(demo(flags, false, wanted).await),
        Some(Command::Tour { .. }) if flags.read_only => {
            cli::complain(t!(
                "The tour issues and revokes a badge in the sandbox, so --read-only forbids it. Nothing was started. Use lapel tour without it, or lapel demo --read-only to look around."
            ));
            Ok(exit::USAGE)
        }
        Some(Command::Tour { .. }) => Ok(demo(DemoFlags::default(), true, wanted).await),
        None => {
            let found = Settings::for_tui(&flags, &env).map(with_keymap).map_err(wrong)?;
            Ok(Box::pin(open_tui(found, None, false, wanted, &flags, &env)).await)
        }
    };
    done.map_err(|failure: Failure| failure.report(json))
}

fn code_of(result: anyhow::Result<()>) -> u8 {
    match result {
        Ok(()) => exit::OK,
        Err(why) => {
            cli::complain(&with_causes(&why));
            exit::FAILED
        }
    }
}

/// Also fetches the profile's key, which may require a prompt. Skipped mistakes in the files become warnings.
fn settings(flags: &Flags, env: &Env) -> Result<Settings, ConfigError> {
    let mut settings = Settings::resolve(flags, env)?;
    set_language(settings.ui.language);
    settings.warnings.splice(0..0, settings.left_out.iter().map(ToString::to_string));
    let settings = settings.with_key()?;
    for warning in &start_log(&settings) {
        cli::complain(warning);
    }
    Ok(settings)
}

/// Mistakes in both files become warnings.
fn with_keymap(mut settings: Settings) -> (Settings, Keymap) {
    set_language(settings.ui.language);
    let (keymap, mistakes) = keymap(&settings.paths);
    settings.left_out.extend(mistakes);
    settings.warnings.splice(0..0, left_out(&settings.left_out));
    (settings, keymap)
}

fn asker(flags: &Flags, env: &Env) -> Asker {
    let name = |variable| env.text(variable).ok().flatten();
    let who = name("USER").or_else(|| name("LOGNAME")).or_else(|| name("USERNAME"));
    Asker {
        who: who.unwrap_or_else(|| "command line".to_owned()),
        profile: flags.profile.clone(),
        json: false,
    }
}

fn start_log(settings: &Settings) -> Vec<String> {
    let log = logging::start(&settings.paths, settings.log.as_deref());
    settings.warnings.iter().cloned().chain(log).collect()
}

async fn open_tui(
    (mut settings, keymap): (Settings, Keymap),
    demo: Option<DemoFlags>,
    tour: bool,
    wanted: InitialView,
    flags: &Flags,
    env: &Env,
) -> u8 {
    // A dumb terminal can neither move its cursor nor clear a line.
    let is_dumb = env.raw("TERM").is_some_and(|term| term == "dumb");
    if is_dumb || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        cli::complain(t!(
            "lapel needs a terminal. Scripts can use commands such as lapel history, lapel issue, lapel jobs or lapel ping --json (see lapel --help)"
        ));
        return exit::USAGE;
    }
    set_language(settings.ui.language);
    settings.warnings = start_log(&settings);
    let profiles = Arc::new(ProfileHelpers {
        context: ProfileContext {
            paths: settings.paths.clone(),
            env: env.clone(),
            who: asker(flags, env).who,
            json: false,
        },
        restore: settings.app.restore,
        first: settings.profile.clone(),
        flags: flags.clone(),
    });
    let sandboxes = Sandboxes::default();
    let is_demo = demo.is_some();
    let demo = demo.unwrap_or_default();
    let first_connection = match &settings.profile {
        _ if is_demo => FirstConnection::Sandbox,
        None => match &settings.refused {
            // The TUI tries the profile again, and shows what is wrong with it.
            Some((name, _)) if !name.is_empty() => FirstConnection::Opening(name.clone()),
            _ => FirstConnection::Welcome,
        },
        // A keyring or a command may take seconds. The first frame does not wait for the key.
        Some(profile) if profile.must_fetch_secrets() => FirstConnection::Opening(profile.name.clone()),
        Some(profile) => match profiles.session(profile.clone()) {
            Ok(session) => FirstConnection::Session(Box::new(session)),
            Err(why) => {
                cli::complain(&why);
                return exit::FAILED;
            }
        },
    };
    let (starter, read_only) = (sandboxes.clone(), flags.read_only);
    // The tour may also begin on the welcome screen. In the tour, waits last only seconds.
    let quick = tour || matches!(first_connection, FirstConnection::Welcome);
    if let (FirstConnection::Welcome, Some((_, error))) = (&first_connection, &settings.refused) {
        settings.warnings.insert(0, error.to_string());
    }
    let start = Start {
        first_connection,
        warning: (!settings.warnings.is_empty())
            .then(|| settings.warnings.iter().map(|text| ended(text)).collect::<Vec<_>>().join(" ")),
        options: AppOptions {
            settings: settings.app.values,
            host: HostTerminal::of(&Env::process()),
            filters: Some(settings.paths.filters_file()),
        },
        theme: settings.ui.theme,
        glyphs: settings.ui.glyphs,
        joined: settings.ui.joined,
        keymap,
        wanted,
        pictures: settings.ui.pictures,
        helpers: Helpers {
            start_sandbox: Arc::new(move || {
                let (starter, demo) = (starter.clone(), demo.clone());
                Box::pin(async move { starter.start(demo, quick, read_only).await })
            }),
            ..profiles.helpers()
        },
        crash_dir: settings.paths.data_dir.clone(),
        app_paths: app_paths(&settings.paths, tour, flags.read_only),
        on_step: |_| {},
    };
    let done = Box::pin(tui::run(start, cli::complain)).await;
    // Tasks that still run hold a clone of the list. Clearing it deletes the demo's files anyway.
    if let Ok(mut all) = sandboxes.0.lock() {
        all.clear();
    }
    code_of(done)
}

fn app_paths(paths: &Paths, begins_tour: bool, read_only: bool) -> AppPaths {
    let note = paths.tour_file();
    let taken = note.exists();
    AppPaths {
        files: vec![
            (tr_noop!("settings"), paths.config_file()),
            (tr_noop!("your own keys"), paths.keymap_file()),
            (tr_noop!("job journal"), Journal::file_in(&paths.data_dir)),
            (tr_noop!("log, if LAPEL_LOG is set"), paths.log_file()),
            (tr_noop!("crash reports"), tui::crash_file(&paths.data_dir)),
        ],
        data_dir: Some(paths.data_dir.clone()),
        // The tour issues and revokes badges.
        offers_tour: !taken && !read_only,
        tour_note: (!taken).then_some(note),
        begins_tour,
    }
}

/// Only the TUI reads these files.
fn wrong_for_tui(env: &Env) -> Vec<Mistake> {
    let Ok(paths) = Paths::find(env) else { return Vec::new() };
    [keymap(&paths).1, tui::filters_file(paths.filters_file()).read().1].concat()
}

fn keymap(paths: &Paths) -> (Keymap, Vec<Mistake>) {
    Keymap::with(&KeymapFile::read(&paths.keymap_file()))
}

fn without_key(paths: &Paths) -> Vec<String> {
    let lost = keymap(paths).0.all_without_key();
    lost.iter().map(|(context, action)| format!("{}: {}", context.place(), action.help())).collect()
}

/// Slow work runs in a blocking task.
struct ProfileHelpers {
    context: ProfileContext,
    restore: bool,
    first: Option<Profile>,
    /// Read-only applies to every profile that this TUI opens.
    flags: Flags,
}

impl ProfileHelpers {
    fn helpers(self: &Arc<Self>) -> Helpers {
        let all = || self.clone();
        let (finding, keeping, listing) = (all(), all(), all());
        let (opening, pinning, managing) = (all(), all(), all());
        Helpers {
            data_dir: Some(self.context.paths.data_dir.clone()),
            find_secret: Arc::new(move |kind, place| Box::pin(finding.clone().find(kind, place))),
            keep_profile: Arc::new(move |new, key| Box::pin(keeping.clone().keep(new, key))),
            profiles: Arc::new(move || Box::pin(listing.clone().list())),
            open_profile: Arc::new(move |name| Box::pin(opening.clone().open(name))),
            pin_profile: Arc::new(move |name, prefix| Box::pin(pinning.clone().pin(name, prefix))),
            profile: Arc::new(move |ask| Box::pin(managing.clone().manage(ask))),
            ..Helpers::default()
        }
    }

    async fn list(self: Arc<Self>) -> Result<Vec<ProfileLine>, String> {
        aside(move || profiles(&self.context.paths, &self.context.env).map_err(|why| why.to_string())).await
    }

    async fn manage(self: Arc<Self>, ask: ProfileRequest) -> Result<String, String> {
        match ask {
            ProfileRequest::Change(asked) => {
                let ProfileChange { name, mut change, key, journal_password, pin } = *asked;
                change.key = self.clone().found(SecretKind::ApiKey, key).await?;
                change.journal_password =
                    self.clone().found(SecretKind::JournalPassword, journal_password).await?;
                self.context.change_in_words(&name, change, pin).await
            }
            ProfileRequest::Remove(name) => aside(move || self.context.remove_in_words(&name)).await,
            ProfileRequest::Test(name) => self.context.test_in_words(name).await,
        }
    }

    async fn found(
        self: Arc<Self>,
        kind: SecretKind,
        given: Option<GivenSecret>,
    ) -> Result<Option<(KeyStore, SecretString)>, String> {
        match given {
            None => Ok(None),
            Some((place, Some(typed))) => Ok(Some((place, typed))),
            Some((place, None)) => self.find(kind, place.clone()).await.map(|secret| Some((place, secret))),
        }
    }

    async fn find(self: Arc<Self>, kind: SecretKind, place: KeyStore) -> Result<SecretString, String> {
        aside(move || {
            place.find(kind, &self.context.paths, &self.context.env).map_err(|why| format!("{why}."))
        })
        .await
    }

    async fn keep(self: Arc<Self>, new: NewProfile, key: SecretString) -> Result<ProfileSession, String> {
        aside(move || {
            let kept = save_profile(&self.context.paths, &self.context.env, &new, key.expose_secret());
            kept.map_err(|why| why.to_string()).and_then(|profile| self.session(profile))
        })
        .await
    }

    async fn open(self: Arc<Self>, name: Option<String>) -> Result<ProfileSession, String> {
        aside(move || self.opened(name)).await
    }

    fn opened(&self, name: Option<String>) -> Result<ProfileSession, String> {
        let mut profile = match name {
            Some(name) => {
                named_profile(&self.context.paths, &name, &self.context.env).map_err(|why| why.to_string())?
            }
            None => match &self.first {
                Some(profile) => profile.clone(),
                None => Settings::resolve(&self.flags, &self.context.env)
                    .map_err(|why| why.to_string())?
                    .profile
                    .ok_or(t!("there is no profile to open"))?,
            },
        };
        profile.fetch_secrets().map_err(|why| why.to_string())?;
        self.session(profile)
    }

    async fn pin(self: Arc<Self>, name: String, prefix: String) -> Result<ProfileSession, String> {
        let (profile, adopted) = self.context.pin(&name, &prefix).await?;
        let mut session = self.session(profile)?;
        if adopted.busy > 0 {
            session.remark = Some(t!(
                "Jobs of the former key that belong to another running lapel: {busy}. Close that lapel, then run: lapel profile edit {name} --pin.",
                busy = adopted.busy,
                name
            ));
        }
        Ok(session)
    }

    fn session(&self, mut profile: Profile) -> Result<ProfileSession, String> {
        profile.settings.values.read_only |= self.flags.read_only;
        let paths = &self.context.paths;
        let connection = cli::connection(&profile, paths).map_err(|why| why.to_string())?;
        let journal = cli::journal_place_of(&connection, &profile, paths);
        Ok(ProfileSession {
            connection,
            name: profile.name.clone(),
            environment: profile.environment,
            organisation: Some(profile.label()),
            short_name: profile.short_name.clone(),
            data_dir: Some(paths.data_dir.clone()),
            journal,
            index: lapel::index::IndexConfig::if_enabled(&profile.index).map(|settings| IndexUse {
                folder: Some(paths.data_dir.clone()),
                settings,
                reads_at_start: false,
            }),
            jobs: lapel::jobs::JobConfig::of(&profile.jobs),
            view: Some(ViewUse { file: paths.view_file(&profile.name), keep: self.restore }),
            files: Vec::new(),
            remark: None,
        })
    }
}

/// An error with its causes. An error of the system has words of lapel.
fn with_causes(why: &anyhow::Error) -> String {
    let causes = why.chain().map(|cause| match cause.downcast_ref() {
        Some(error) => io_error::words(error).to_string(),
        None => cause.to_string(),
    });
    causes.collect::<Vec<_>>().join(": ")
}

async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|why| t!("lapel had an internal error: {why}", why))?
}

/// They live as long as the process.
#[derive(Clone, Default)]
struct Sandboxes(Arc<Mutex<Vec<Demo>>>);

/// The folder of spreadsheets is deleted with the sandbox.
type Demo = (Sandbox, Option<tempfile::TempDir>);

impl Sandboxes {
    /// With `quick`, issuing takes the contract's minimum of 5 minutes.
    async fn start(&self, flags: DemoFlags, quick: bool, read_only: bool) -> Result<ProfileSession, String> {
        let speed = flags.speed.unwrap_or(DEMO_SPEED);
        let defaults = Options::default();
        let options = Options {
            speed,
            history: flags.history,
            seed: flags.seed.unwrap_or(defaults.seed),
            quota: Some(sandbox::DEMO_QUOTA),
            switches: if quick { vec![("issue-time".to_owned(), "5m".to_owned())] } else { Vec::new() },
            ..defaults
        };
        let sandbox = Sandbox::start(options.showing_waiting())
            .await
            .map_err(|why| t!("the sandbox did not start: {why}", why = with_causes(&why)))?;
        let key = ApiKey::new(sandbox.api_key()).map_err(|why| why.to_string())?;
        let mut connection = Connection::new(sandbox.base_url(), key).map_err(|why| why.to_string())?;
        connection.clock_speed = speed;
        connection.read_only = read_only;
        connection.utc_offset = Some(sandbox.utc_offset());
        let organisation = sandbox.keys().last().map(|key| key.name.clone());
        // Without a temporary folder the demo works, but has no spreadsheets.
        let folder = tempfile::Builder::new().prefix("lapel-demo-").tempdir().ok();
        let files =
            folder.as_ref().and_then(|folder| sandbox::lay_out(folder.path()).ok()).unwrap_or_default();
        if let Ok(mut all) = self.0.lock() {
            all.push((sandbox, folder));
        }
        Ok(ProfileSession {
            connection,
            name: "demo".to_owned(),
            environment: Environment::Demo,
            organisation,
            short_name: None,
            data_dir: None,
            journal: JournalPlace::Memory,
            // The demo holds no real data, so the index stays in memory; and its requests cost nothing.
            index: Some(IndexUse {
                folder: None,
                settings: lapel::index::IndexConfig::default(),
                reads_at_start: true,
            }),
            jobs: lapel::jobs::JobConfig::default(),
            view: None,
            files,
            remark: None,
        })
    }
}

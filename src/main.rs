//! The `lapel` binary: parse, choose, hand over.

use lapel::api::{ApiKey, Connection};
use lapel::cli::{self, Asker, Cli, Command, DemoFlags, exit, logging};
use lapel::config::{Env, Environment, Flags, Paths, Profile, Settings, keep_profile};
use lapel::sandbox::{self, Options, Sandbox};
use lapel::tui::{self, Begin, Candidate, Helpers, IndexUse, Session, Start};
use secrecy::ExposeSecret;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Service seconds in a real one in the demo: a badge issued there becomes Issued while one watches.
const DEMO_SPEED: f64 = 60.0;

fn main() -> ExitCode {
    ExitCode::from(match cli::parse(std::env::args_os()) {
        Ok(cli) => run(cli),
        Err(code) => code,
    })
}

fn run(cli: Cli) -> u8 {
    // Every TLS client of the process uses it; a second installation is refused and changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            cli::complain(&format!("this computer gives no threads to work with: {why}"));
            return exit::FAILED;
        }
    };
    let code = runtime.block_on(hand_over(cli));
    // Work that cannot be cancelled, such as a name look-up, must not hold up the end.
    runtime.shutdown_background();
    code
}

async fn hand_over(cli: Cli) -> u8 {
    let flags = cli.flags();
    let env = Env::process();
    match cli.command {
        Some(Command::Sandbox(flags)) => match sandbox::serve(flags).await {
            Ok(()) => exit::OK,
            Err(why) => {
                cli::complain(&format!("{why:#}"));
                exit::FAILED
            }
        },
        Some(Command::Ping { json, .. }) => match Settings::resolve(&flags, &env) {
            Ok(settings) => {
                for warning in start_log(&settings) {
                    cli::complain(&warning);
                }
                match &settings.profile {
                    Some(profile) => cli::ping(profile, json).await,
                    None => cli::ping_without_settings(None, json),
                }
            }
            Err(error) => cli::ping_without_settings(Some(&error), json),
        },
        Some(Command::Issue(verb)) => match settings(&flags, &env, verb.sending.json) {
            Ok(settings) => Box::pin(cli::issue(*verb, &settings, &asker(&flags, &env))).await,
            Err(code) => code,
        },
        Some(Command::Revoke(verb)) => match settings(&flags, &env, verb.sending.json) {
            Ok(settings) => Box::pin(cli::revoke(*verb, &settings, &asker(&flags, &env))).await,
            Err(code) => code,
        },
        Some(Command::Jobs(verb)) => match settings(&flags, &env, verb.json) {
            Ok(settings) => Box::pin(cli::jobs(verb, &settings, &asker(&flags, &env))).await,
            Err(code) => code,
        },
        Some(Command::Index(verb)) => match settings(&flags, &env, verb.json) {
            Ok(settings) => Box::pin(cli::index(verb, &settings)).await,
            Err(code) => code,
        },
        Some(Command::Doctor(verb)) => match settings(&flags, &env, verb.json) {
            Ok(settings) => Box::pin(cli::doctor(verb, &settings, &asker(&flags, &env))).await,
            Err(code) => code,
        },
        Some(Command::Demo(demo)) => {
            Box::pin(open_desk(Settings::for_demo(&flags, &env), Some((demo, flags.read_only)))).await
        }
        None => match Settings::resolve(&flags, &env) {
            Ok(settings) => Box::pin(open_desk(settings, None)).await,
            Err(error) => {
                cli::complain_of_settings(&error);
                exit::USAGE
            }
        },
    }
}

/// The settings for a verb without a screen, or the exit code after what is wrong with them was said.
fn settings(flags: &Flags, env: &Env, json: bool) -> Result<Settings, u8> {
    let settings = Settings::resolve(flags, env).map_err(|error| cli::settings_are_wrong(&error, json))?;
    for warning in start_log(&settings) {
        cli::complain(&warning);
    }
    Ok(settings)
}

/// Who decides, for the journal.
fn asker(flags: &Flags, env: &Env) -> Asker {
    let name = |variable| env.text(variable).ok().flatten();
    let who = name("USER").or_else(|| name("LOGNAME")).or_else(|| name("USERNAME"));
    Asker { who: who.unwrap_or_else(|| "command line".to_owned()), profile: flags.profile.clone() }
}

/// Starts the log and gives all warnings together.
fn start_log(settings: &Settings) -> Vec<String> {
    let log = logging::start(&settings.paths, settings.log.as_deref());
    settings.warnings.iter().cloned().chain(log).collect()
}

async fn open_desk(mut settings: Settings, demo: Option<(DemoFlags, bool)>) -> u8 {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        cli::complain(
            "the desk needs a terminal. For scripts: lapel issue, revoke and jobs (lapel --help); lapel ping --json, lapel sandbox --json",
        );
        return exit::USAGE;
    }
    settings.warnings = start_log(&settings);
    desk(settings, demo).await
}

/// Runs the desk until it is left. `demo`: its flags, and whether it is only for looking.
async fn desk(settings: Settings, demo: Option<(DemoFlags, bool)>) -> u8 {
    let sandboxes = Sandboxes::default();
    let is_demo = demo.is_some();
    let (flags, read_only) = demo.unwrap_or_default();
    let begin = match &settings.profile {
        _ if is_demo => Begin::Sandbox,
        None => Begin::Welcome,
        Some(profile) => match session(profile, &settings.paths.data_dir) {
            Ok(session) => Begin::Session(Box::new(session)),
            Err(why) => {
                cli::complain(&why);
                return exit::FAILED;
            }
        },
    };
    let (starter, paths) = (sandboxes.clone(), settings.paths.clone());
    let start = Start {
        begin,
        warning: (!settings.warnings.is_empty()).then(|| settings.warnings.join("; ")),
        theme: settings.ui.theme,
        glyphs: settings.ui.glyphs,
        helpers: Helpers {
            start_sandbox: Arc::new(move || {
                let (starter, flags) = (starter.clone(), flags.clone());
                Box::pin(async move { starter.start(flags, read_only).await })
            }),
            keep_profile: Arc::new(move |candidate| {
                let paths = paths.clone();
                Box::pin(async move { keep(&paths, &candidate) })
            }),
        },
        crash_dir: settings.paths.data_dir.clone(),
    };
    let ended = tui::run(start, cli::complain).await;
    // Tasks that are still about hold the list: what a demo has laid out goes with the demo all the same.
    if let Ok(mut all) = sandboxes.0.lock() {
        all.clear();
    }
    match ended {
        Ok(()) => exit::OK,
        Err(why) => {
            cli::complain(&format!("{why:#}"));
            exit::FAILED
        }
    }
}

/// How the desk speaks to the service of a profile.
fn session(profile: &Profile, data_dir: &Path) -> Result<Session, String> {
    let connection = cli::connection(profile).map_err(|why| why.to_string())?;
    Ok(Session {
        connection,
        name: profile.name.clone(),
        environment: profile.environment,
        // A profile without a label is told apart by its host.
        organisation: profile.organisation.clone().or_else(|| host(&profile.base_url)),
        journal: Some(data_dir.to_owned()),
        index: cli::index_settings(&profile.index)
            .map(|settings| IndexUse { folder: Some(data_dir.to_owned()), settings }),
        jobs: cli::job_settings(&profile.jobs),
        files: Vec::new(),
    })
}

/// The host of a base URL.
fn host(base_url: &str) -> Option<String> {
    url::Url::parse(base_url).ok()?.host_str().map(str::to_owned)
}

/// Keeps a profile whose key has answered a ping.
fn keep(paths: &Paths, candidate: &Candidate) -> Result<Session, String> {
    let kept = keep_profile(paths, &candidate.profile, candidate.key.expose_secret());
    kept.map_err(|why| why.to_string()).and_then(|profile| session(&profile, &paths.data_dir))
}

/// The sandboxes that this process has started, with their spreadsheets: they live as long as it does.
#[derive(Clone, Default)]
struct Sandboxes(Arc<Mutex<Vec<Demo>>>);

/// A sandbox, and the folder of its spreadsheets, which goes with it.
type Demo = (Sandbox, Option<tempfile::TempDir>);

impl Sandboxes {
    /// Starts one, and says how to speak to it.
    async fn start(&self, flags: DemoFlags, read_only: bool) -> Result<Session, String> {
        let speed = flags.speed.unwrap_or(DEMO_SPEED);
        let defaults = Options::default();
        let options = Options {
            speed,
            history: flags.history,
            seed: flags.seed.unwrap_or(defaults.seed),
            quota: Some(sandbox::DEMO_QUOTA),
            ..defaults
        };
        let sandbox =
            Sandbox::start(options).await.map_err(|why| format!("the sandbox did not start: {why:#}"))?;
        let key = ApiKey::new(sandbox.api_key()).map_err(|why| why.to_string())?;
        let mut connection = Connection::new(sandbox.base_url(), key).map_err(|why| why.to_string())?;
        connection.clock_speed = speed;
        connection.read_only = read_only;
        connection.utc_offset = Some(sandbox.utc_offset());
        let organisation = sandbox.keys().last().map(|key| key.name.clone());
        // Without a place for them the demo is as good, but for its spreadsheets.
        let papers = tempfile::Builder::new().prefix("lapel-demo-").tempdir().ok();
        let files =
            papers.as_ref().and_then(|folder| sandbox::lay_out(folder.path()).ok()).unwrap_or_default();
        if let Ok(mut all) = self.0.lock() {
            all.push((sandbox, papers));
        }
        Ok(Session {
            connection,
            name: "demo".to_owned(),
            environment: Environment::Demo,
            organisation,
            journal: None,
            // Nothing of it is real, and nothing is kept.
            index: Some(IndexUse { folder: None, settings: lapel::index::Settings::default() }),
            jobs: lapel::jobs::Settings::default(),
            files,
        })
    }
}

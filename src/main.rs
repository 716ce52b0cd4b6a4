//! The `lapel` binary: parse, choose, hand over.

use lapel::cli::{self, Cli, Command, DemoFlags, exit, logging};
use lapel::config::{Env, Settings};
use lapel::sandbox;
use std::io::IsTerminal;
use std::process::ExitCode;

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
                start_log(&settings).iter().for_each(|warning| cli::complain(warning));
                match &settings.profile {
                    Some(profile) => cli::ping(profile, json).await,
                    None => cli::ping_without_settings(None, json),
                }
            }
            Err(error) => cli::ping_without_settings(Some(&error), json),
        },
        Some(Command::Demo(demo)) => open_desk(Settings::for_demo(&flags, &env), Some(demo)).await,
        None => match Settings::resolve(&flags, &env) {
            Ok(settings) => open_desk(settings, None).await,
            Err(error) => {
                cli::complain_of_settings(&error);
                exit::USAGE
            }
        },
    }
}

/// Starts the log and gives all warnings together.
fn start_log(settings: &Settings) -> Vec<String> {
    let log = logging::start(&settings.paths, settings.log.as_deref());
    settings.warnings.iter().cloned().chain(log).collect()
}

async fn open_desk(mut settings: Settings, demo: Option<DemoFlags>) -> u8 {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        cli::complain("the desk needs a terminal. For scripts: lapel ping --json, lapel sandbox --json");
        return exit::USAGE;
    }
    settings.warnings = start_log(&settings);
    desk(settings, demo).await
}

/// PLACEHOLDER until the desk is built: says what it would open.
async fn desk(settings: Settings, demo: Option<DemoFlags>) -> u8 {
    settings.warnings.iter().for_each(|warning| cli::complain(warning));
    cli::complain(match (&demo, &settings.profile) {
        (Some(_), _) => "the desk is not built yet (demo)",
        (None, Some(_)) => "the desk is not built yet",
        (None, None) => cli::how_to_begin(),
    });
    exit::FAILED
}

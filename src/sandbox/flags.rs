//! The `lapel sandbox` command.

use std::io::Write as _;

use anyhow::Context as _;
use serde_json::json;

use super::fault;
use super::switches;
use super::{Options, Sandbox};

/// Flags of `lapel sandbox`. The command line limits the numbers, in the user's language.
#[derive(Debug, Clone, clap::Args)]
#[command(
    about = "A simulated service, on this machine only",
    long_about = "Runs the Digital Badge Issuing Service in miniature, on this machine only.\n\n\
        It answers every endpoint of the contract with invented data: four organisations, 9 categories, \
        40 templates, 620 holders and about 4,300 badges in every state. It prints its base URL and a key per \
        organisation once it is ready, and stops on ctrl-c or SIGTERM.",
    after_help = "`--help` lists every switch of --set and the grammar of --fault.",
    after_long_help = after_help()
)]
pub struct SandboxFlags {
    #[command(flatten)]
    pub options: Options,

    /// Print one line of JSON with `base_url`, `api_key` and `control_url`
    #[arg(long)]
    pub json: bool,
}

fn after_help() -> String {
    format!(
        "Switches (--set GAP=VALUE), one for everything the contract leaves open:\n\n{}\n\
         Faults (--fault RULE):\n\n\x20 {}\n\n\
         Control address (JSON over HTTP, loopback only), printed as `control`:\n\n\
         \x20 GET  /clock                         POST /clock {{\"advance\": \"3h\", \"speed\": 60}}\n\
         \x20 GET  /switches                      PUT  /switches {{\"labels\": \"en\"}}\n\
         \x20 GET  /faults                        POST /faults [\"post /badges drop\"]   DELETE /faults\n\
         \x20 GET  /limits                        PUT  /limits {{\"rate_limit\": 1000, \"quota\": null}}\n\
         \x20 GET  /ledger  what was really accepted, revoked and asked\n\
         \x20 GET  /gaps    the table of switches\n\
         \x20 POST /rows    {{\"insert\": [{{\"recipient_email\": \"a@example.org\"}}], \"delete\": [], \"delete_newest\": 0}}",
        switches::help(),
        fault::HELP
    )
}

pub async fn serve(flags: SandboxFlags) -> anyhow::Result<()> {
    // Listen for signals first, so that none is lost during the start.
    let mut stopped = Box::pin(stop_signal()?);
    let json = flags.json;
    let sandbox = tokio::select! {
        sandbox = Sandbox::start(flags.options) => sandbox?,
        () = &mut stopped => return Ok(()),
    };
    announce(&sandbox, json).context("cannot print where the sandbox is")?;
    stopped.await;
    sandbox.stop().await;
    Ok(())
}

fn announce(sandbox: &Sandbox, json: bool) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        let (base_url, api_key) = (sandbox.base_url(), sandbox.api_key());
        let line = json!({"base_url": base_url, "api_key": api_key, "control_url": sandbox.control_url()});
        writeln!(out, "{line}")?;
        return out.flush();
    }
    writeln!(out, "The sandbox is ready. All data is invented.\n")?;
    writeln!(out, "  base URL  {}", sandbox.base_url())?;
    writeln!(out, "  control   {}", sandbox.control_url())?;
    writeln!(out, "\n  keys (X-API-Key); the one of the practice organisation sees everything")?;
    for key in sandbox.keys().iter().rev() {
        writeln!(out, "  {:<9} {}  {}", key.org, key.key, key.name)?;
    }
    writeln!(out, "\nStop it with ctrl-c.")?;
    out.flush()
}

/// SIGINT and SIGTERM, or ctrl-c on systems without signals.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let stopped = {
        use tokio::signal::unix::{SignalKind, signal};
        let context = "cannot listen for signals";
        let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
        let mut terminate = signal(SignalKind::terminate()).context(context)?;
        async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
    };
    #[cfg(not(unix))]
    let stopped = async { drop(tokio::signal::ctrl_c().await) };
    Ok(stopped)
}

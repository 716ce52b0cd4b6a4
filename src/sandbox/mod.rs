//! The sandbox: a small simulation of the Digital Badge Issuing Service on loopback.
//!
//! With it, lapel runs, teaches and is tested without an account. It answers every endpoint of the contract
//! from its own database, with its own clock. Switches decide every question that the contract leaves open
//! ([`GAPS`]). Faults simulate failures of networks and services ([`FaultRule`]). The [`Ledger`] records the real
//! actions; tests compare results with it.
//!
//! The sandbox uses no other module, and shares no code with the API client on purpose. They are two
//! independent readings of one contract, so that a misreading makes a test fail.
//!
//! The sandbox never listens on anything but loopback, never sends a request, and never crashes. It answers
//! any input in the envelope, unless a switch or a fault says otherwise.
//!
//! ```text
//! service, routes/, middleware   the running service, its endpoints, and the steps of every request
//! params, records, response      requests and responses in the form of the contract
//! store/, ledger, clock          its data, its real actions, its time
//! switches/                      the gaps of the contract
//! fault, faulty_connection       failures of networks and services
//! limiter                        the rate limit
//! control, flags                 changing a running sandbox; the command `lapel sandbox`
//! demo/, demo_files, pictures/   demo data
//! ```
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! use lapel::sandbox::{Options, Sandbox};
//! let sandbox = Sandbox::start(Options { speed: 60.0, ..Options::default() }).await?;
//! println!("{} {}", sandbox.base_url(), sandbox.api_key());
//! sandbox.control().advance(std::time::Duration::from_secs(86_400));
//! sandbox.stop().await;
//! # Ok(())
//! # }
//! ```

mod clock;
mod control;
mod demo;
mod demo_files;
mod fault;
mod faulty_connection;
mod flags;
mod ledger;
mod limiter;
mod middleware;
mod params;
mod pictures;
mod records;
mod response;
mod routes;
mod service;
mod store;
mod switches;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use control::{Control, RowSpec, RowState, Rows};
pub use demo_files::{DEMO_QUOTA, lay_out};
pub use fault::FaultRule;
pub use flags::{SandboxFlags, serve};
pub use ledger::{AcceptedBadges, Ledger, Revoked, Violations};
pub use switches::{GAPS, Switches};

use faulty_connection::{FaultyListener, Peer, Traffic};
use service::{Service, ServiceLimits, SharedService};
use store::{BadgeStore, StoreOptions};

#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Loopback address to listen on; port 0 takes a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// File that keeps everything between runs; without it all is forgotten at the end
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Fixes the demo data, the keys, the badge ids and how long issuing takes
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Rows of issuance history to make up [default: 4300]; a million starts in seconds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub history: Option<u64>,
    /// How many seconds pass in the service in one real second; 0 stops its clock
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    pub speed: f64,
    /// Requests per key in any 60 seconds of real time, before 429
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    pub rate_limit: u32,
    /// Badges that each organisation may issue, before 422 [default: no quota]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub quota: Option<u64>,
    /// Decides a question that the contract leaves open, such as labels=en; may be repeated
    #[arg(id = "set", long = "set", value_name = "GAP=VALUE", value_parser = switches::split_pair)]
    pub switches: Vec<(String, String)>,
    /// Makes something go wrong, such as "get /badges/history every=7 status=500"; may be repeated
    #[arg(id = "fault", long = "fault", value_name = "RULE")]
    pub faults: Vec<FaultRule>,
    /// Service time at the start, in the zone of the `zone` switch; `None` means now.
    #[arg(skip)]
    pub start: Option<jiff::civil::DateTime>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            data: None,
            seed: 1,
            history: None,
            speed: 1.0,
            rate_limit: 1000,
            quota: None,
            switches: Vec::new(),
            faults: Vec::new(),
            start: None,
        }
    }
}

impl Options {
    /// The contract lists badges in the history once they are Issued. The demo lists waiting ones too, so
    /// that the user can watch their state change. `switches` take precedence.
    #[must_use]
    pub fn showing_waiting(mut self) -> Self {
        self.switches.insert(0, ("waiting-history".to_owned(), "visible".to_owned()));
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgKey {
    /// Short name: dalmuri, saebyeok, neoreun or sandbox.
    pub org: String,
    /// Full name, as in `issuing_org`.
    pub name: String,
    pub key: String,
}

/// Dropping it stops it.
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
    control_url: String,
    keys: Vec<OrgKey>,
    control: Control,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Sandbox {
    /// Both the service and its control address answer when this returns.
    pub async fn start(options: Options) -> anyhow::Result<Self> {
        let switches = Switches::with(&options.switches).map_err(anyhow::Error::msg)?;
        if !options.listen.ip().is_loopback() {
            bail!(
                "the sandbox cannot listen on {}: its keys are public, so it serves loopback only \
                 (127.0.0.1 or [::1])",
                options.listen
            );
        }
        let listener = TcpListener::bind(options.listen)
            .await
            .with_context(|| format!("cannot listen on {}", options.listen))?;
        let home = listener.local_addr().context("cannot learn the port of the sandbox")?;
        let control_listener = TcpListener::bind(SocketAddr::new(home.ip(), 0))
            .await
            .context("cannot listen for the control address")?;
        let control_home = control_listener.local_addr().context("cannot learn the control port")?;

        let service = open(options, switches, home).await?;
        let (stop, stopped) = watch::channel(false);
        let listener = FaultyListener::new(listener, service.traffic.clone());
        let tasks = vec![
            tokio::spawn(run_service(listener, service.clone(), stopped.clone())),
            tokio::spawn(control::run(control_listener, service.clone(), stopped)),
        ];
        Ok(Self {
            base_url: format!("{}{}", service.origin, routes::BASE),
            control_url: format!("http://{control_home}"),
            keys: service.keys.clone(),
            control: Control::new(service),
            stop,
            tasks,
        })
    }

    /// Such as `http://127.0.0.1:41234/api/v1/ext`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The key of the practice organisation, which sees everything.
    pub fn api_key(&self) -> &str {
        self.keys.last().map_or("", |key| key.key.as_str())
    }

    /// The practice organisation comes last.
    pub fn keys(&self) -> &[OrgKey] {
        &self.keys
    }

    pub fn control_url(&self) -> &str {
        &self.control_url
    }

    /// The UTC offset of its timestamps (the `zone` switch).
    pub fn utc_offset(&self) -> jiff::tz::Offset {
        let seconds = self.control.service().switches().zone;
        jiff::tz::Offset::from_seconds(seconds).unwrap_or(jiff::tz::Offset::UTC)
    }

    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Waits at most 1 s per task for requests in progress.
    pub async fn stop(mut self) {
        self.control.service().remember_time();
        let _ = self.stop.send(true);
        for task in &mut self.tasks {
            if tokio::time::timeout(Duration::from_secs(1), &mut *task).await.is_err() {
                task.abort();
            }
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn open(options: Options, switches: Switches, home: SocketAddr) -> anyhow::Result<SharedService> {
    let now = match options.start {
        Some(at) => clock::seconds(at, switches.zone),
        None => jiff::Timestamp::now().as_second(),
    };
    let Options { data, seed, history, .. } = options;
    let zone = switches.zone;
    let filling = tokio::task::spawn_blocking(move || {
        let history = history.unwrap_or(store::DEMO_ROWS);
        BadgeStore::open(StoreOptions { data: data.as_deref(), seed, history, now, zone })
    });
    let store = filling.await.context("the demo data cannot be made")??;
    // The time of a data file must not go backwards.
    let now = store.meta("clock")?.map_or(now, |seen| seen.max(now));
    Ok(Arc::new(Service {
        clock: clock::Clock::new(now, options.speed),
        keys: service::keys(store.seed),
        origin: format!("http://{home}"),
        traffic: Arc::<Traffic>::default(),
        pictures: pictures::DrawnPictures::default(),
        switches: RwLock::new(switches),
        faults: Mutex::new(options.faults),
        books: Mutex::default(),
        limiter: Mutex::default(),
        limits: Mutex::new(ServiceLimits { rate: options.rate_limit, quota: options.quota }),
        store: Mutex::new(store),
    }))
}

async fn run_service(listener: FaultyListener, service: SharedService, mut stopped: watch::Receiver<bool>) {
    let app = routes::router()
        .route("/images/{template}/{file}", get(routes::serve_picture))
        .fallback(middleware::nowhere)
        .method_not_allowed_fallback(middleware::wrong_method)
        .layer(from_fn_with_state(service.clone(), middleware::every))
        .with_state(service)
        .into_make_service_with_connect_info::<Peer>();
    let end = async move {
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    // Serving only ends through `stopped`; there is no other error.
    let _ = axum::serve(listener, app).with_graceful_shutdown(end).await;
}

/// A poisoned lock would hang the tests, so it is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deterministic, and different for every salt.
fn mix(seed: u64, number: u64, salt: u64) -> u64 {
    let mut x = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd1b5_4a32_d192_ed03);
    for _ in 0..2 {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
    }
    x
}

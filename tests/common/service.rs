//! The sandbox that most tests use, and how to connect to it.
#![allow(dead_code, reason = "each test binary uses its part")]

use lapel::api::{ApiKey, Connection, install_crypto};
use lapel::config::Environment;
use lapel::sandbox::{Options, Sandbox};
use lapel::tui::ProfileSession;

/// The sandbox that most tests use: frozen at a moment, so that every age is the same in every run.
pub fn frozen() -> Options {
    Options {
        seed: 7,
        speed: 0.0,
        start: Some(jiff::civil::datetime(2026, 11, 21, 10, 0, 0, 0)),
        ..Options::default()
    }
}

/// How to connect to a sandbox.
pub fn session(sandbox: &Sandbox, environment: Environment) -> ProfileSession {
    install_crypto();
    let key = ApiKey::new(sandbox.api_key()).expect("the sandbox's key");
    let mut connection = Connection::new(sandbox.base_url(), key).expect("the sandbox's address");
    connection.utc_offset = Some(jiff::tz::offset(9));
    connection.clock_speed = 0.0;
    ProfileSession {
        connection,
        name: "demo".into(),
        environment,
        organisation: Some("연습용 기관".into()),
        short_name: None,
        data_dir: None,
        journal: lapel::jobs::JournalPlace::Memory,
        index: None,
        jobs: lapel::jobs::JobConfig::default(),
        view: None,
        files: Vec::new(),
        remark: None,
    }
}

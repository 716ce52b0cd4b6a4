//! A sandbox on a frozen clock, and the client for it.

use lapel::api::{
    ApiError, ApiKey, BatchRequest, Call, Connection, IssueRequest, Reader, Recipient, RevokeRequest, Writer,
    connect,
};
use lapel::domain::{BadgeId, TemplateId};
use lapel::sandbox::{Ledger, Options, Sandbox};
use std::time::Duration;

/// A Wednesday, 10:30 in the service's zone.
const START: &str = "2026-03-11 10:30:00";

pub struct Kit {
    pub sandbox: Sandbox,
    pub writer: Writer,
    pub reader: Reader,
    pub call: Call,
}

pub async fn small() -> Kit {
    with(&[]).await
}

pub async fn with(switches: &[(&str, &str)]) -> Kit {
    let switches = switches.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    started(Options { switches, ..options() }).await
}

pub fn options() -> Options {
    Options {
        speed: 0.0,
        history: Some(300),
        start: Some(START.parse().expect("a time")),
        ..Options::default()
    }
}

pub async fn started(options: Options) -> Kit {
    let sandbox = Sandbox::start(options.showing_waiting()).await.expect("a sandbox");
    let writer = writer(&sandbox, sandbox.api_key(), |_| {});
    Kit { reader: writer.reader().clone(), writer, sandbox, call: Call::interactive() }
}

pub fn writer(sandbox: &Sandbox, key: &str, change: impl FnOnce(&mut Connection)) -> Writer {
    let mut connection =
        Connection::new(sandbox.base_url(), ApiKey::new(key).expect("a key")).expect("a base URL");
    connection.timeouts.pause = Duration::from_millis(1);
    connection.timeouts.refused = Duration::from_millis(1);
    connection.clock_speed = 0.0;
    change(&mut connection);
    connect(&connection).expect("a client").writer().expect("not read-only").clone()
}

impl Kit {
    pub fn ledger(&self) -> Ledger {
        self.sandbox.control().ledger()
    }

    pub fn set(&self, name: &str, value: &str) {
        self.sandbox.control().set(name, value).expect("a switch");
    }

    pub fn fault(&self, rule: &str) {
        self.sandbox.control().clear_faults();
        self.sandbox.control().add_fault(rule).expect("a rule");
    }
}

pub fn template(id: &str) -> TemplateId {
    TemplateId::new(id).expect("an id")
}

pub fn badge(id: &str) -> BadgeId {
    BadgeId::new(id).expect("an id")
}

pub fn person(template_id: &str, email: &str) -> IssueRequest {
    IssueRequest {
        template_id: template(template_id),
        recipient_name: "한서윤".into(),
        recipient_email: email.into(),
    }
}

pub fn people(template_id: &str, emails: &[&str]) -> BatchRequest {
    let recipients = emails
        .iter()
        .map(|email| Recipient { recipient_name: "오지호".into(), recipient_email: (*email).into() })
        .collect();
    BatchRequest { template_id: template(template_id), recipients }
}

pub fn revocation(ids: &[&BadgeId]) -> RevokeRequest {
    RevokeRequest { badge_ids: ids.iter().map(|id| (*id).clone()).collect(), reason: "중복 발급".into() }
}

/// `ok`, or the kind of error.
pub fn word<T>(result: &Result<T, ApiError>) -> &'static str {
    result.as_ref().map_or_else(ApiError::word, |_| "ok")
}

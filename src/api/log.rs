//! The request log, in memory only. It never contains a key or a body. Of a query it contains only values that say
//! nothing about a person.

use super::error::mask;
use super::service_url::NOT_A_BADGE;
use crate::api::prelude::*;
use crate::domain::query::has_id_form;
use crate::secrets::redact;
use tokio::sync::watch;

pub const LOG_LENGTH: usize = 500;
const LONGEST_VALUE: usize = 60;
const MASK: &str = "‹…›";
/// All other parameters (names, addresses, new ones) are masked.
const PLAIN: &str = "page rows_per_page sort_by sort_type use_yn level_yn category_name category_id \
    category_level_id badge_type template_id title reg_str_date reg_end_date \
    issue_start_date issue_end_date revoke_start_date revoke_end_date";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// From 1, in the order in which requests ended.
    pub no: u64,
    pub method: &'static str,
    /// Percent-encoded as sent. A segment that may be an e-mail address or a name is masked.
    pub path: String,
    /// Decoded and scrubbed. Names and addresses are masked.
    pub query: String,
    pub status: Option<u16>,
    pub code: Option<Text>,
    pub waited: Duration,
    pub duration: Duration,
    /// Response body after decompression.
    pub bytes: Option<u64>,
    pub attempt: u32,
    /// Requests that counted against the key's limit, including this one.
    pub used: u32,
    pub limit: u32,
    /// `ok`, or the kind of error in a word or two.
    pub outcome: &'static str,
    pub started_at: jiff::Timestamp,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Mutex<VecDeque<LogEntry>>,
    count: watch::Sender<u64>,
}

impl Log {
    fn push(&self, mut entry: LogEntry) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() == LOG_LENGTH {
            entries.pop_front();
        }
        let no = entries.back().map_or(0, |last| last.no) + 1;
        entry.no = no;
        tracing::debug!(
            no,
            method = entry.method,
            path = entry.path,
            query = entry.query,
            status = entry.status,
            code = entry.code.as_ref().map(tracing::field::display),
            outcome = entry.outcome,
            attempt = entry.attempt,
            waited_ms = entry.waited.as_millis(),
            took_ms = entry.duration.as_millis(),
            bytes = entry.bytes,
            used = entry.used,
            limit = entry.limit,
            "request"
        );
        entries.push_back(entry);
        // Inside the lock, so that the count never decreases.
        self.count.send_replace(no);
    }

    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(super) async fn beyond(&self, no: u64) {
        // The sender lives as long as the log.
        let _ = self.count.subscribe().wait_for(|count| *count > no).await;
    }
}

pub(super) struct SentRequest<'u> {
    pub(super) method: &'static str,
    pub(super) url: &'u Url,
    /// The path of the profile's base URL. Nobody typed it as an id.
    pub(super) base: &'u str,
    pub(super) attempt: u32,
    pub(super) waited: Duration,
    /// Requests that count against the limit, and the limit.
    pub(super) budget: (u32, u32),
}

pub(super) struct ReceivedResponse {
    pub(super) status: u16,
    pub(super) code: Option<Text>,
    pub(super) bytes: u64,
    /// Whether the service has what the path names.
    pub(super) has_record: bool,
}

/// Logs a request when it ends, even if its future is dropped early.
pub(super) struct PendingLogEntry<'l> {
    log: &'l Log,
    entry: Option<LogEntry>,
    /// The path to log if the service has the record.
    path_if_found: String,
    since: Instant,
}

impl<'l> PendingLogEntry<'l> {
    pub(super) fn start(log: &'l Log, sent: &SentRequest<'_>) -> Self {
        let entry = LogEntry {
            no: 0,
            method: sent.method,
            path: masked_path(sent, false),
            query: masked_query(sent.url),
            status: None,
            code: None,
            waited: sent.waited,
            duration: Duration::ZERO,
            bytes: None,
            attempt: sent.attempt,
            used: sent.budget.0,
            limit: sent.budget.1,
            outcome: "given up",
            started_at: jiff::Timestamp::now(),
        };
        let path_if_found = masked_path(sent, true);
        Self { log, entry: Some(entry), path_if_found, since: Instant::now() }
    }

    pub(super) fn end(mut self, got: Option<ReceivedResponse>, outcome: &'static str) {
        if let Some(entry) = &mut self.entry {
            entry.outcome = outcome;
            if let Some(got) = got {
                entry.status = Some(got.status);
                entry.code = got.code;
                entry.bytes = Some(got.bytes);
                if got.has_record {
                    entry.path = std::mem::take(&mut self.path_if_found);
                }
            }
        }
    }
}

impl Drop for PendingLogEntry<'_> {
    fn drop(&mut self) {
        if let Some(mut entry) = self.entry.take() {
            entry.duration = self.since.elapsed();
            self.log.push(entry);
        }
    }
}

/// Masks segments that may be an e-mail address, a name or a telephone number: people type them in place of a badge id.
/// Ids of the known form need no encoding. An id of another form is masked unless the service has its badge.
fn masked_path(sent: &SentRequest<'_>, is_found: bool) -> String {
    let path = sent.url.path();
    let (base, path) = path.strip_prefix(sent.base).map_or(("", path), |path| (sent.base, path));
    let mut before = "";
    let segments = path.split('/').map(|plain| {
        let is_id = std::mem::replace(&mut before, plain) == "badges" && !NOT_A_BADGE.contains(&plain);
        let segment = redact(plain);
        let upper = segment.to_ascii_uppercase();
        match () {
            () if upper.contains('@') || upper.contains("%40") || upper.contains("%EF%BC%A0") => {
                "‹address›".into()
            }
            () if segment.contains('%') && segment == plain => MASK.to_owned(),
            () if is_id && !is_found && !has_id_form(plain) && segment == plain => MASK.to_owned(),
            () => segment.into_owned(),
        }
    });
    format!("{}{}", redact(base), segments.collect::<Vec<_>>().join("/"))
}

fn masked_query(url: &Url) -> String {
    let pairs = url.query_pairs().map(|(name, value)| {
        let value = if PLAIN.split(' ').any(|plain| plain == name) {
            // Redact the key before cutting the value, since a cut key is not recognized.
            mask(&scrub(&redact(&value).chars().take(LONGEST_VALUE).collect::<String>()))
        } else {
            MASK.to_owned()
        };
        format!("{}={value}", scrub(&name))
    });
    pairs.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note<'l>(log: &'l Log, url: &str, attempt: u32) -> PendingLogEntry<'l> {
        note_below(log, "", url, attempt)
    }

    fn note_below<'l>(log: &'l Log, base: &str, url: &str, attempt: u32) -> PendingLogEntry<'l> {
        let url = Url::parse(url).expect("a URL");
        let sent = SentRequest {
            method: "GET",
            url: &url,
            base,
            attempt,
            waited: Duration::from_secs(2),
            budget: (3, 1000),
        };
        PendingLogEntry::start(log, &sent)
    }

    fn ok() -> ReceivedResponse {
        ReceivedResponse { status: 200, code: Some("0001".into()), bytes: 12, has_record: true }
    }

    fn not_found() -> ReceivedResponse {
        ReceivedResponse { status: 404, code: None, bytes: 12, has_record: false }
    }

    #[test]
    fn the_log_is_bounded_and_notes_what_was_dropped() {
        let log = Log::default();
        for i in 0..LOG_LENGTH + 3 {
            note(&log, &format!("https://h.example/{i}"), 1).end(Some(ok()), "ok");
        }
        drop(note(&log, "https://h.example/dropped", 2));
        let entries = log.entries();
        assert_eq!(entries.len(), LOG_LENGTH);
        assert_eq!((entries[0].path.as_str(), entries[0].no), ("/4", 5));
        assert_eq!((entries[0].status, entries[0].bytes, entries[0].used), (Some(200), Some(12), 3));
        assert_eq!(entries[0].waited, Duration::from_secs(2));
        let last = &entries[LOG_LENGTH - 1];
        assert_eq!((last.path.as_str(), last.outcome, last.attempt), ("/dropped", "given up", 2));
        assert_eq!((last.status, last.no), (None, LOG_LENGTH as u64 + 4));
    }

    #[test]
    fn names_and_addresses_are_masked_wherever_they_stand() {
        let log = Log::default();
        for url in [
            "https://h.example/wallet/badges?email=kim%40naru.example&page=2",
            "https://h.example/badges/history?recipient_name=%ED%95%9C&recipient_email=kim&title=for+kim%40naru.example&new_field=kim",
            "https://h.example/badges/kim%40naru.example",
            "https://h.example/badges/kim%ef%bc%a0naru",
            "https://h.example/badges/kim@naru",
            "https://h.example/badges/kim%20minsu",
            "https://h.example/badges/%ED%95%9C%EC%84%9C%EC%9C%A4",
        ] {
            note(&log, url, 1).end(Some(ok()), "ok");
        }
        let shown: Vec<String> = log.entries().iter().map(|e| format!("{}?{}", e.path, e.query)).collect();
        assert!(
            shown.iter().all(|s| !s.contains("kim") && !s.contains('한') && !s.contains("%ED")),
            "{shown:?}"
        );
        assert_eq!(shown[0], "/wallet/badges?email=‹…›&page=2");
        assert_eq!(shown[2], "/badges/‹address›?");
        assert!(shown[1].contains("title=for ‹address›"), "{shown:?}");
    }

    #[test]
    fn a_name_that_is_typed_as_a_badge_id_is_masked_and_an_id_is_not() {
        let log = Log::default();
        let path = |typed: &str| format!("https://h.example/v1/badges/{typed}");
        for typed in ["minsu", "hong-gildong", "kim.minsu87", "010-1234-5678", "01012345678"] {
            note(&log, &path(typed), 1).end(Some(not_found()), "refused");
            drop(note(&log, &path(typed), 1));
        }
        assert!(log.entries().iter().all(|entry| entry.path == "/v1/badges/‹…›"), "{:?}", log.entries());
        for (shown, got) in [
            ("B-000000123-QX", not_found()),
            ("7c9e6679-7425-40de-944b-e07fc1f90ae7", not_found()),
            ("x", ok()),
        ] {
            note(&log, &path(shown), 1).end(Some(got), "some");
            assert_eq!(
                log.entries().last().map(|entry| entry.path.clone()),
                Some(format!("/v1/badges/{shown}"))
            );
        }
        for other in
            ["badges/history", "badges/batch", "badges/revoke", "badge-templates/T-1", "wallet/badges"]
        {
            drop(note(&log, &format!("https://h.example/{other}"), 1));
            assert_eq!(log.entries().last().map(|entry| entry.path.clone()), Some(format!("/{other}")));
        }
    }

    #[test]
    fn the_base_path_is_never_taken_for_an_id() {
        let log = Log::default();
        for (base, path, shown) in [
            ("/badges/v1", "/badge-templates", "/badge-templates"),
            ("/badges", "/badges/history", "/badges/history"),
            ("/badges", "/badges/minsu", "/badges/‹…›"),
        ] {
            drop(note_below(&log, base, &format!("https://h.example{base}{path}"), 1));
            let logged = log.entries().pop().map(|entry| entry.path);
            assert_eq!(logged, Some(format!("{base}{shown}")));
        }
    }

    #[test]
    fn a_key_is_taken_out_of_whatever_is_noted() {
        let key = "req_log_0123456789abcdefghijklmnopqrstuvwxyz_0123456789abcdefghij";
        crate::secrets::register_key(key);
        let log = Log::default();
        for url in [
            format!("https://h.example/badges/{key}"),
            format!("https://h.example/badges/x%20{key}"),
            format!("https://h.example/badge-templates?title=the+key+{key}&page=1"),
            format!("https://h.example/badge-templates?title={}{key}", "x".repeat(40)),
        ] {
            note(&log, &url, 1).end(Some(ok()), "ok");
        }
        for entry in log.entries() {
            let shown = format!("{} {}", entry.path, entry.query);
            assert!(shown.contains("[key]") && !shown.contains(&key[..20]), "{shown}");
        }
    }

    #[tokio::test]
    async fn a_waiter_for_log_entries_beyond_a_number_wakes() {
        let log = Log::default();
        note(&log, "https://h.example/a", 1).end(Some(ok()), "ok");
        log.beyond(0).await;
        let (waited, ()) = tokio::join!(log.beyond(1), async {
            note(&log, "https://h.example/b", 1).end(Some(ok()), "ok");
        });
        assert_eq!((waited, log.entries().len()), ((), 2));
    }
}

//! The demo as `lapel demo` starts it, on a day of our choosing, read through the client.

use lapel::api::{ApiKey, Call, Connection, HistoryQuery, Paging, Reader, connect, install_crypto};
use lapel::domain::{BadgeId, EmailKey, HistoryItem, State, TemplateId, Text, Verdict};
use lapel::sandbox::{Options, Sandbox};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

pub struct Demo {
    pub sandbox: Sandbox,
    history: Vec<HistoryItem>,
    states: HashMap<String, State>,
}

impl Demo {
    /// Begins with the seed, the history and the switches that nobody changed.
    pub async fn begin(at: &str) -> Self {
        let start = Some(at.parse().expect("a time"));
        let sandbox =
            Sandbox::start(Options { speed: 0.0, start, ..Options::default() }.showing_waiting()).await;
        Self::read(sandbox.expect("a sandbox")).await
    }

    /// Reads everything anew.
    pub async fn again(self) -> Self {
        Self::read(self.sandbox).await
    }

    async fn read(sandbox: Sandbox) -> Self {
        let reader = reader(&sandbox);
        let mut history = Vec::new();
        for page in 1.. {
            let query = HistoryQuery { paging: Paging::full(page), ..HistoryQuery::default() };
            let page = reader.history(&query, &Call::interactive()).await.expect("a page");
            if page.list_len == 0 {
                break;
            }
            history.extend(page.items.into_iter().map(|(_, item)| item));
        }
        assert_eq!(history.len(), 4300);
        let now = reader.clock().now();
        let states = history
            .iter()
            .map(|item| (item.badge_id.wire().to_owned(), Verdict::of(item, now).state()))
            .collect();
        Self { sandbox, history, states }
    }

    /// How many of these badges are issued, waiting, revoked, and not there.
    pub fn count(&self, ids: &[String]) -> [usize; 4] {
        let mut counts = [0; 4];
        for id in ids {
            match self.states.get(id) {
                Some(State::Issued) => counts[0] += 1,
                Some(State::Waiting) => counts[1] += 1,
                Some(State::Revoked) => counts[2] += 1,
                None => counts[3] += 1,
                Some(other) => panic!("{id} is {other:?}"),
            }
        }
        counts
    }

    /// The badges in a state, by id.
    pub fn ids(&self, state: &State) -> Vec<String> {
        let mut ids: Vec<String> =
            self.states.iter().filter(|(_, one)| *one == state).map(|(id, _)| id.clone()).collect();
        ids.sort();
        ids
    }

    /// The badges that are waiting now and still are after some time.
    pub async fn long_waiting(&self, after: Duration) -> Vec<String> {
        let sandbox = &self.sandbox;
        sandbox.control().advance(after);
        let reader = reader(sandbox);
        let mut left = Vec::new();
        for id in self.ids(&State::Waiting) {
            let badge_id = BadgeId::new(&id).expect("an id");
            let badge = reader.badge(&badge_id, &Call::interactive()).await.expect("a badge");
            if Verdict::of(&badge, reader.clock().now()).state() == State::Waiting {
                left.push(id);
            }
        }
        left
    }

    /// Name and address of the holder of the oldest badge.
    pub fn first_holder(&self) -> (String, String) {
        let oldest = self.history.iter().min_by_key(|item| item.badge_id.wire().to_owned()).expect("a badge");
        let text = |text: &Option<Text>| text.as_ref().expect("a text").wire().to_owned();
        (text(&oldest.recipient_name), text(&oldest.recipient_email))
    }

    /// Everybody who has a badge that is not revoked, of a template or of any.
    pub fn holders(&self, template: Option<&str>) -> HashSet<EmailKey> {
        let wanted = |item: &&HistoryItem| {
            let state = self.states.get(item.badge_id.wire());
            !matches!(state, Some(State::Revoked | State::Revoking))
                && (template.is_none() || item.template_id.as_ref().map(TemplateId::wire) == template)
        };
        let mails = self.history.iter().filter(wanted).filter_map(|item| item.recipient_email.as_ref());
        mails.map(|email| EmailKey::of(email.wire())).collect()
    }
}

fn reader(sandbox: &Sandbox) -> Reader {
    install_crypto();
    let key = ApiKey::new(sandbox.api_key()).expect("a key");
    let mut connection = Connection::new(sandbox.base_url(), key).expect("an address");
    connection.clock_speed = 0.0;
    connection.utc_offset = Some(jiff::tz::offset(9));
    connect(&connection).expect("a client").reader().clone()
}

//! The pace over real sockets: what `Retry-After` holds, and what is shared.

use crate::server::{KEY, Move, Server, answer, pong};
use Move::Send;
use lapel::api::{ApiKey, Call, Connection, connect};
use std::time::{Duration, Instant};

#[tokio::test]
async fn retry_after_in_every_form_holds_everything_of_the_key() {
    let date = "Date: Sat, 21 Nov 2026 08:00:00 GMT";
    for (name, headers, held) in [
        ("seconds", vec!["Retry-After: 700"], 700..=700),
        (
            "a date, by the service's own clock",
            vec![date, "Retry-After: Sat, 21 Nov 2026 08:10:00 GMT"],
            600..=600,
        ),
        ("absent", vec![], 5..=5),
        ("nonsense", vec!["Retry-After: soon"], 5..=5),
        ("negative", vec!["Retry-After: -7"], 5..=5),
        ("twice", vec!["Retry-After: 300", "Retry-After: 400"], 400..=400),
        ("absurd", vec!["Retry-After: 99999999999999999999"], 300 * 86_400..=400 * 86_400),
    ] {
        let server = Server::always(vec![Send(answer("429 Too Many Requests", &headers, "{}"))]).await;
        let reader = server.reader();
        let asking = tokio::spawn({
            let reader = reader.clone();
            async move { reader.ping(&Call::background()).await }
        });
        let mut link = reader.link();
        let status = link.wait_for(|l| l.held_until.is_some() && l.waiting == 1).await.expect("held").clone();
        let left = status.held_until.expect("held").saturating_duration_since(tokio::time::Instant::now());
        let left = left.as_secs_f64().ceil() as u64;
        assert!((held.start() - 2..=*held.end()).contains(&left), "{name}: {left}");
        // People wait too.
        let person = tokio::spawn({
            let reader = reader.clone();
            async move { reader.ping(&Call::interactive()).await }
        });
        link.wait_for(|l| l.waiting == 2).await.expect("held");
        assert_eq!(server.seen().len(), 1, "{name}");
        asking.abort();
        person.abort();
    }
}

#[tokio::test]
async fn a_short_hold_is_waited_out_and_forgotten() {
    let server = Server::start(|number, _| match number {
        0 => vec![Send(answer("429 Too Many Requests", &["Retry-After: 1"], "{}"))],
        _ => vec![Send(pong())],
    })
    .await;
    let reader = server.reader();
    let start = Instant::now();
    reader.ping(&Call::interactive()).await.expect("after a second");
    assert!(start.elapsed() >= Duration::from_secs(1));
    let link = reader.link_now();
    assert_eq!((link.held_until, link.waiting, link.used_last_minute), (None, 0, 2));
}

#[tokio::test]
async fn connections_of_one_key_share_one_pace_also_after_each_other() {
    let server = Server::always(vec![Send(pong())]).await;
    let connection = |key: &str| {
        let mut connection =
            Connection::new(&server.base_url(), ApiKey::new(key).expect("a key")).expect("a URL");
        connection.rate_limit = 5;
        connect(&connection).expect("a client")
    };
    let (one, two) = (connection(KEY), connection(KEY));
    for reader in [one.reader(), two.reader(), one.reader()] {
        reader.ping(&Call::interactive()).await.expect("an answer");
    }
    assert_eq!((one.reader().link_now().used_last_minute, two.reader().link_now().used_last_minute), (3, 3));
    drop((one, two));
    // A profile that is closed and opened again does not get a fresh minute.
    let again = connection(KEY);
    assert_eq!(again.reader().link_now().used_last_minute, 3);
    again.reader().ping(&Call::interactive()).await.expect("an answer");
    again.reader().ping(&Call::interactive()).await.expect("an answer");
    let sixth = tokio::spawn({
        let reader = again.reader().clone();
        async move { reader.ping(&Call::interactive()).await }
    });
    again.reader().link().wait_for(|l| l.waiting == 1).await.expect("the sixth waits");
    assert_eq!(server.seen().len(), 5);
    sixth.abort();
    // Another key has a pace of its own.
    connection("another_key_0123456789").reader().ping(&Call::interactive()).await.expect("an answer");
}

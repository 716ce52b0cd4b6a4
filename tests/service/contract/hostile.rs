//! Hostile input: every answer is in the envelope, and the service keeps running.

use reqwest::Method;
use serde_json::{Value, json};

use crate::contract::kit::{self, Kit, raw};

#[tokio::test]
async fn unknown_paths_are_404_in_the_envelope() {
    let kit = kit::small().await;
    for path in [
        "",
        "/",
        "/nowhere",
        "/badges/",
        "/ping/",
        "/badges/B-1/more",
        "/badge-templates/x/y",
        "/PING",
        "//ping",
        "/categories/",
    ] {
        kit.get(path).await.refused(404);
    }
    for path in ["/", "/index.html", "/api/v1/extra", "/api/v2/ext/ping", "/api/v1/ext../ping"] {
        let url = kit.sandbox.base_url().replace("/api/v1/ext", path);
        let reply = kit.http.get(url).send().await.unwrap();
        assert_eq!(reply.status().as_u16(), 404, "{path}");
        assert!(reply.json::<Value>().await.unwrap()["data"].is_null());
    }
}

#[tokio::test]
async fn wrong_methods_are_405_in_the_envelope() {
    let kit = kit::small().await;
    let key = Some(kit.sandbox.api_key());
    for (method, path) in [
        (Method::POST, "/ping"),
        (Method::PUT, "/badges"),
        (Method::GET, "/badges"),
        (Method::DELETE, "/badges/B-1"),
        (Method::GET, "/badges/revoke"),
        (Method::PATCH, "/categories"),
        (Method::OPTIONS, "/ping"),
        (Method::from_bytes(b"BREW").unwrap(), "/ping"),
    ] {
        let reply = kit.send(method.clone(), path, key, Some(Vec::new())).await;
        reply.refused(405);
        assert!(reply.header("allow").is_some(), "{method} {path}");
    }
}

#[tokio::test]
async fn bodies_that_are_not_json_objects_are_refused() {
    let kit = kit::small().await;
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"1".to_vec(),
        b"\"x\"".to_vec(),
        b"\xff\xfe{}".to_vec(),
        b"\0".to_vec(),
        "\u{feff}{}".into(),
        b"{\"template_id\":}".to_vec(),
        b"{} {}".to_vec(),
        b"<html></html>".to_vec(),
        deep.into_bytes(),
        b"{\"a\":1e999}".to_vec(),
        b"{\"template_id\":\"\\ud800\"}".to_vec(),
    ];
    for path in ["/badges", "/badges/batch", "/badges/revoke"] {
        for body in &bodies {
            let reply = kit.send(Method::POST, path, Some(kit.sandbox.api_key()), Some(body.clone())).await;
            reply.refused(400);
        }
    }
    assert_eq!(kit.ledger().accepted_total(), 0);
}

#[tokio::test]
async fn a_body_must_be_announced_as_json() {
    let kit = kit::small().await;
    let person = json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": "a@example.org"})
        .to_string();
    let send = async |kind: Option<&str>| {
        let mut request = kit
            .http
            .post(format!("{}/badges", kit.sandbox.base_url()))
            .header("X-API-Key", kit.sandbox.api_key());
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        request.body(person.clone()).send().await.unwrap().status().as_u16()
    };
    for wrong in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("json"),
        Some("application/jsonp"),
    ] {
        assert_eq!(send(wrong).await, 415, "{wrong:?}");
    }
    for right in ["application/json", "Application/JSON; charset=utf-8", "application/json;x=y"] {
        assert_eq!(send(Some(right)).await, 202, "{right}");
    }
    kit.set("content-type", "ignored");
    assert_eq!(send(Some("text/plain")).await, 202);
}

#[tokio::test]
async fn huge_bodies_are_413() {
    let kit = kit::small().await;
    let body = json!({"template_id": "TPL-001", "recipients": "x".repeat(5_000_000)}).to_string();
    let reply =
        kit.send(Method::POST, "/badges/batch", Some(kit.sandbox.api_key()), Some(body.into_bytes())).await;
    reply.refused(413);
}

#[tokio::test]
async fn a_batch_of_a_thousand_long_names_fits() {
    let kit = kit::small().await;
    let recipients: Vec<Value> = (0..1000)
        .map(
            |at| json!({"recipient_name": "김".repeat(500), "recipient_email": format!("l{at}@example.org")}),
        )
        .collect();
    let reply = kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": recipients})).await;
    assert_eq!((reply.status, &reply.data()["accepted_count"]), (202, &json!(1000)));
}

#[tokio::test]
async fn overlong_texts_are_refused_cut_or_kept() {
    let kit = kit::small().await;
    let body = json!({"template_id": "TPL-001", "recipient_name": "김".repeat(501), "recipient_email": "long@example.org"});
    kit.post("/badges", body.clone()).await.refused(400);
    for (value, length) in [("cut", 500), ("keep", 501)] {
        kit.set("long-text", value);
        let reply = kit.post("/badges", body.clone()).await;
        let detail = kit.get(&format!("/badges/{}", reply.data()["badge_id"].as_str().unwrap())).await;
        assert_eq!(detail.data()["recipient_name"].as_str().unwrap().chars().count(), length);
    }
}

#[tokio::test]
async fn bad_percent_encoding_is_refused() {
    let kit = kit::small().await;
    let key = kit.sandbox.api_key();
    for path in [
        "/badges/history?title=%",
        "/badges/history?title=%zz",
        "/badges/history?%ff=1",
        "/badges/%ff",
        "/badges/%",
        "/categories/%e0%a4",
    ] {
        let request = format!(
            "GET /api/v1/ext{path} HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\nconnection: close\r\n\r\n"
        );
        envelope(&raw(&kit, request.as_bytes()).await, 400);
    }
}

/// Asserts that raw bytes are an HTTP answer with an envelope.
#[track_caller]
fn envelope(bytes: &[u8], status: u16) {
    let text = String::from_utf8_lossy(bytes);
    assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{text}");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no body: {text}"));
    assert!(head.to_lowercase().contains("content-type: application/json"), "{text}");
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("no envelope: {text}"));
    assert!(body["code"].is_string() && body["message"].is_string() && body["data"].is_null(), "{text}");
}

#[tokio::test]
async fn what_is_not_http_is_refused_in_the_envelope_too() {
    let kit = kit::small().await;
    for bytes in [
        &b"GET /api/v1/ext/\0ping HTTP/1.1\r\nhost: x\r\n\r\n"[..],
        b"nonsense\r\n\r\n",
        b"GET /ping HTTP/9.9\r\n\r\n",
        b"GET  /ping HTTP/1.1\r\n\r\n",
        b"GET /ping HTTP/1.1\r\nbad header\r\n\r\n",
        b"POST /api/v1/ext/badges HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
        b"\xff\xff\xff\xff\r\n\r\n",
    ] {
        envelope(&raw(&kit, bytes).await, 400);
    }
    let long = format!("GET /api/v1/ext/ping?{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(70_000));
    let answer = raw(&kit, long.as_bytes()).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_does_no_harm() {
    let kit = kit::small().await;
    for bytes in [
        &b""[..],
        b"GET /api",
        b"POST /api/v1/ext/badges HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{\"te",
    ] {
        let host =
            kit.sandbox.base_url().strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, bytes).await.unwrap();
        drop(stream);
    }
    kit.get("/ping").await.ok();
    assert_eq!(kit.ledger().accepted_total(), 0);
}

/// A text of odd characters.
fn odd_text(rng: &mut fastrand::Rng) -> String {
    const ODD: [&str; 24] = [
        "a",
        "@",
        ".",
        "%",
        "+",
        "&",
        "=",
        "'",
        "\"",
        "\\",
        "/",
        "\0",
        "\n",
        "\u{1b}[2J",
        "김",
        "👩‍🚀",
        "\u{202e}",
        "';--",
        "{}",
        "-1",
        "0",
        "99999999999999999999",
        "NaN",
        " ",
    ];
    (0..rng.usize(0..12)).map(|_| ODD[rng.usize(0..ODD.len())]).collect()
}

fn odd_value(rng: &mut fastrand::Rng, depth: usize) -> Value {
    match rng.u8(0..if depth > 3 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(..)),
        3 => json!(rng.f64() * 1e300),
        4 | 5 => json!(odd_text(rng)),
        6 => (0..rng.usize(0..4)).map(|_| odd_value(rng, depth + 1)).collect(),
        _ => {
            let names = [
                "template_id",
                "recipients",
                "recipient_name",
                "recipient_email",
                "badge_ids",
                "reason",
                "x",
            ];
            (0..rng.usize(0..5))
                .map(|_| (names[rng.usize(0..names.len())].to_owned(), odd_value(rng, depth + 1)))
                .collect()
        }
    }
}

async fn lives(kit: &Kit) {
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn random_queries_always_get_an_envelope() {
    let kit = kit::small().await;
    let mut rng = fastrand::Rng::with_seed(4);
    let names = [
        "page",
        "rows_per_page",
        "sort_by",
        "sort_type",
        "title",
        "recipient_name",
        "recipient_email",
        "email",
        "issue_start_date",
        "issue_end_date",
        "revoke_start_date",
        "revoke_end_date",
        "use_yn",
        "category_name",
        "template_id",
        "reg_str_date",
        "level_yn",
        "x",
    ];
    for _ in 0..300 {
        let paths =
            ["/badges/history", "/badge-templates", "/wallet/badges", "/categories", "/badge-types", "/ping"];
        let mut path = paths[rng.usize(0..paths.len())].to_owned();
        for at in 0..rng.usize(0..6) {
            path.push(if at == 0 { '?' } else { '&' });
            let value = kit::enc(&odd_text(&mut rng));
            path.extend([names[rng.usize(0..names.len())], "=", &value]);
        }
        let reply = kit.get(&path).await;
        assert!(matches!(reply.status, 200 | 400), "{path}: {}", reply.body);
        assert!(reply.body["code"].is_string() && reply.body.get("data").is_some(), "{path}");
    }
    lives(&kit).await;
}

#[tokio::test]
async fn random_bodies_always_get_an_envelope() {
    let kit = kit::small().await;
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let path = ["/badges", "/badges/batch", "/badges/revoke"][rng.usize(0..3)];
        let mut body = odd_value(&mut rng, 0).to_string().into_bytes();
        if rng.u8(0..4) == 0 && !body.is_empty() {
            let at = rng.usize(0..body.len());
            body[at] = rng.u8(..);
        }
        let reply = kit.send(Method::POST, path, Some(kit.sandbox.api_key()), Some(body)).await;
        assert!(matches!(reply.status, 202 | 400 | 404), "{}", reply.body);
        assert!(reply.body["code"].is_string() && reply.body.get("data").is_some());
    }
    lives(&kit).await;
}

#[tokio::test]
async fn random_paths_and_methods_always_get_an_envelope() {
    let kit = kit::small().await;
    let mut rng = fastrand::Rng::with_seed(6);
    for _ in 0..200 {
        let method = [Method::GET, Method::POST, Method::PUT, Method::DELETE][rng.usize(0..4)].clone();
        let path: String =
            (0..rng.usize(1..4)).map(|_| "/".to_owned() + &kit::enc(&odd_text(&mut rng))).collect();
        let reply = kit.send(method, &path, Some(kit.sandbox.api_key()), Some(b"{}".to_vec())).await;
        assert!(matches!(reply.status, 200 | 400 | 404 | 405), "{path}: {}", reply.body);
    }
    lives(&kit).await;
}

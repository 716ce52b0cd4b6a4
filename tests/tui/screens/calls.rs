//! A support call.

use super::*;

/// The support call: one answer, several people, nobody.
async fn walk_calls(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    let row = |name: &str, email: &str| RowSpec {
        recipient_name: name.into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    let insert = vec![row("김민수", "Kim.MS@gmial.example"), row("박길동", "minsu.kim@example.org")];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.type_text("kim.ms@gmail.example");
    take(&mut h, "call-typed");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-nothing");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-mistyped");
    for (given, name) in [
        ("haneul.lim@example.net", "call-revoked"),
        ("safety@moondeck.example", "call-shared"),
        ("김민준", "call-namesakes"),
        ("DMU-2026-999999", "call-no-such"),
    ] {
        h.paste(given);
        h.press("enter");
        h.settled().await;
        if name == "call-revoked" {
            h.press("j");
            h.settled().await;
        }
        take(&mut h, name);
    }
}

#[tokio::test]
async fn calls_at_80x24() {
    walk_calls(80, 24).await;
}

#[tokio::test]
async fn calls_at_160x50() {
    walk_calls(160, 50).await;
}

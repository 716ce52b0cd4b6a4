//! Pictures: beside the API, and without a key.

use crate::contract::kit::{self, Kit};

async fn picture(kit: &Kit, path: &str) -> (u16, String, Vec<u8>) {
    let url = if path.starts_with("http") {
        path.to_owned()
    } else {
        kit.sandbox.base_url().replace("/api/v1/ext", path)
    };
    let reply = kit.http.get(url).send().await.unwrap();
    let status = reply.status().as_u16();
    let kind = reply.headers()["content-type"].to_str().unwrap().to_owned();
    (status, kind, reply.bytes().await.unwrap().to_vec())
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test]
async fn front_and_back_of_a_badge_are_pictures() {
    let kit = kit::small().await;
    let id = kit.issued("picture@example.org").await;
    let detail = kit.get(&format!("/badges/{id}")).await;
    let mut seen = Vec::new();
    for side in ["front_image_url", "back_image_url"] {
        let (status, kind, png) = picture(&kit, detail.data()[side].as_str().unwrap()).await;
        assert_eq!((status, kind.as_str(), size(&png)), (200, "image/png", (600, 600)));
        seen.push(png);
    }
    assert_ne!(seen[0], seen[1]);
    let wallet = kit.get("/wallet/badges?email=picture@example.org").await;
    let (_, _, png) = picture(&kit, wallet.list()[0]["front_image_url"].as_str().unwrap()).await;
    assert_eq!(png, seen[0]);
    assert_eq!(kit.ledger().violations.key_outside_api, 0);
}

#[tokio::test]
async fn one_picture_is_missing_one_is_an_svg() {
    let kit = kit::small().await;
    let url = async |id: &str| {
        kit.get(&format!("/badge-templates/{id}")).await.data()["image_url"].as_str().unwrap().to_owned()
    };
    let (status, kind, _) = picture(&kit, &url("TPL-029").await).await;
    assert_eq!((status, kind.as_str()), (404, "application/json"));
    let (status, kind, svg) = picture(&kit, &url("TPL-030").await).await;
    assert_eq!((status, kind.as_str()), (200, "image/svg+xml"));
    assert!(svg.starts_with(b"<svg"));
    for path in [
        "/images/TPL-041/front.png",
        "/images/TPL-001/top.png",
        "/images/x/y",
        "/images/%ff/front.png",
        "/images/TPL-001/front.svg",
    ] {
        assert!(matches!(picture(&kit, path).await.0, 400 | 404), "{path}");
    }
}

/// Slow without optimisation, so it is run by name.
#[tokio::test]
async fn one_picture_is_4000_pixels_wide() {
    let kit = kit::small().await;
    let (_, _, png) = picture(&kit, "/images/TPL-022/front.png").await;
    assert_eq!(size(&png), (4000, 4000));
}

#[tokio::test]
async fn a_key_sent_to_the_pictures_is_noted() {
    let kit = kit::small().await;
    let url = kit.sandbox.base_url().replace("/api/v1/ext", "/images/TPL-030/front.svg");
    kit.http.get(url).header("x-api-key", kit.sandbox.api_key()).send().await.unwrap();
    assert_eq!(kit.ledger().violations.key_outside_api, 1);
}

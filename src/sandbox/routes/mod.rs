//! The endpoints of the contract, and the pictures.

mod issue;
mod lists;
mod pictures;
mod reads;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::routing::{get, post};

use super::params;
use super::response::{EndpointResponse, Outcome};
use super::service::{Caller, EndpointRequest, Handler, SharedService};
pub(super) use pictures::serve as serve_picture;

pub(super) const BASE: &str = "/api/v1/ext";

/// Method, path below the base, handler.
const ENDPOINTS: [(&str, &str, Handler); 12] = [
    ("GET", "/ping", reads::ping),
    ("GET", "/badge-types", reads::badge_types),
    ("GET", "/categories", reads::categories),
    ("GET", "/categories/{category_id}", reads::category),
    ("GET", "/badge-templates", lists::templates),
    ("GET", "/badge-templates/{template_id}", reads::template),
    ("POST", "/badges", issue::one),
    ("POST", "/badges/batch", issue::batch),
    ("POST", "/badges/revoke", issue::revoke),
    ("GET", "/badges/history", lists::history),
    ("GET", "/badges/{badge_id}", reads::badge),
    ("GET", "/wallet/badges", lists::wallet),
];

pub(super) fn router() -> Router<SharedService> {
    ENDPOINTS.iter().fold(Router::new(), |router, (method, path, handler)| {
        let handler = *handler;
        let answer =
            move |State(service): State<SharedService>, request: Request| ask(service, handler, request);
        let route = if *method == "GET" { get(answer) } else { post(answer) };
        router.route(&format!("{BASE}{path}"), route)
    })
}

/// The name of a path's endpoint, for the ledger.
pub(super) fn name_of(method: &str, below_base: &str) -> String {
    let segments: Vec<&str> = below_base.split('/').collect();
    let fits = |pattern: &str, literal: bool| {
        let parts: Vec<&str> = pattern.split('/').collect();
        parts.len() == segments.len()
            && parts.iter().zip(&segments).all(|(part, segment)| {
                part == segment || (!literal && part.starts_with('{') && !segment.is_empty())
            })
    };
    let mut found = ENDPOINTS.iter().filter(|(_, path, _)| fits(path, true));
    let exact = found.next().or_else(|| ENDPOINTS.iter().find(|(_, path, _)| fits(path, false)));
    match exact {
        Some((_, path, _)) => format!("{method} {path}"),
        None => format!("{method} (unknown)"),
    }
}

/// On a blocking thread, because a route waits for the database.
async fn ask(service: SharedService, handler: Handler, request: Request) -> Outcome {
    let switches = service.switches();
    let (parts, body) = request.into_parts();
    let last = parts.uri.path().rsplit('/').next().unwrap_or("");
    let id = params::decode(last)
        .ok_or_else(|| EndpointResponse::bad(&switches, "The path is not percent-encoded UTF-8."))?;
    let caller = parts.extensions.get::<Caller>().copied().ok_or_else(EndpointResponse::broken)?;
    let json = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).is_some_and(|value| {
        value.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    });
    // No limit here: the middleware has already read the body.
    let body: Bytes = axum::body::to_bytes(body, usize::MAX).await.map_err(|_| EndpointResponse::broken())?;
    let query = parts.uri.query().map(str::to_owned);
    let now = service.clock.now();
    let ask = EndpointRequest { service, caller, switches, now, id, query, json, body };
    tokio::task::spawn_blocking(move || handler(&ask))
        .await
        .unwrap_or_else(|_| Err(EndpointResponse::broken()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_named_after_their_endpoint() {
        assert_eq!(name_of("GET", "/badges/history"), "GET /badges/history");
        assert_eq!(name_of("GET", "/badges/B-1"), "GET /badges/{badge_id}");
        assert_eq!(name_of("POST", "/badges"), "POST /badges");
        assert_eq!(name_of("GET", "/nothing"), "GET (unknown)");
        assert_eq!(name_of("GET", "/badges/"), "GET (unknown)");
    }
}

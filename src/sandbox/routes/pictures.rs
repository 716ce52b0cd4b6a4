//! Badge pictures, which the same server serves outside the API, without a key. The ledger counts a key that is sent
//! here.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};

use crate::sandbox::demo::catalogue::{Template, templates};
use crate::sandbox::pictures;
use crate::sandbox::response::EndpointResponse;
use crate::sandbox::service::SharedService;

/// `GET /images/{template}/{file}`
pub(in crate::sandbox) async fn serve(
    State(service): State<SharedService>,
    Path((id, file)): Path<(String, String)>,
) -> Response {
    let templates = templates();
    let number = (1..=templates.len()).find(|number| Template::id(*number) == id);
    let side = ["front", "back"].into_iter().find(|side| {
        number.is_some_and(|number| pictures::path(number, side).ends_with(&format!("/{file}")))
    });
    let nothing = || EndpointResponse::refused(404, "4004", "There is no such picture.").into_response();
    let (Some(number), Some(side)) = (number, side) else { return nothing() };
    let front = side == "front";
    let Some(template) = templates.get(number - 1).copied().filter(|_| number != pictures::MISSING || !front)
    else {
        return nothing();
    };
    if number == pictures::SVG && front {
        return file_of("image/svg+xml", pictures::svg(&template).into_bytes());
    }
    let drawing = tokio::task::spawn_blocking(move || service.pictures.png(number, &template, front)).await;
    match drawing {
        Ok(Some(png)) => file_of("image/png", png.to_vec()),
        _ => EndpointResponse::broken().into_response(),
    }
}

fn file_of(kind: &'static str, bytes: Vec<u8>) -> Response {
    let headers = [("content-type", kind), ("cache-control", "public, max-age=3600")];
    (headers, Body::from(bytes)).into_response()
}

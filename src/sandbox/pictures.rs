//! Badge pictures.
use super::answer::Answer;
use super::service::Shared;
use axum::extract::State;

/// Pictures that have been drawn.
#[derive(Debug, Default)]
pub(super) struct Pictures;

/// Where a picture is on this server.
pub(super) fn path(number: usize, side: &str) -> String {
    format!("/images/TPL-{number:03}/{side}.png")
}

pub(super) async fn serve(State(_): State<Shared>) -> Answer {
    Answer::refused(404, "4004", "There is no such picture.")
}

//! Reads for a support call besides wallet, history and badge: names and similar addresses, a check of the pictures.
//! Each sends a bounded number of requests.

use crate::api::{MAX_ROWS_PER_PAGE, PictureClient, PictureError, PictureProbe};
use crate::domain::address_search::HistoryProbe;
use crate::i18n::Localizable;
use crate::tui::prelude::*;
use crate::tui::request::{FoundRows, Remaining, TriedPictures};
use tokio::task::JoinSet;

pub async fn rows(reader: &Reader, leads: Vec<HistoryProbe>, call: &Call) -> FoundRows {
    let mut tasks = JoinSet::new();
    for (place, lead) in leads.into_iter().enumerate() {
        let (reader, call) = (reader.clone(), call.clone());
        tasks.spawn(async move {
            let filter = match lead {
                HistoryProbe::Address(address) | HistoryProbe::Part(address) => {
                    HistoryFilter { recipient_email: Some(address), ..HistoryFilter::default() }
                }
                HistoryProbe::Name(name) => {
                    HistoryFilter { recipient_name: Some(name), ..HistoryFilter::default() }
                }
            };
            let query = HistoryQuery { filter, paging: Paging::full(1) };
            (place, reader.history(&query, &call).await)
        });
    }
    let mut rows = FoundRows::default();
    let mut pages = Vec::new();
    while let Some(done) = tasks.join_next().await {
        rows.requests += 1;
        match done {
            Ok((_, Ok(page))) if page.list_len == 0 && page.total_count.is_some_and(|total| total > 0) => {
                let what = localizable!("it reports rows but gives none");
                rows.trouble = Some(ApiError::Unreadable { status: 200, what, fewer: false });
            }
            Ok((place, Ok(page))) => pages.push((place, page)),
            Ok((_, Err(error))) => rows.trouble = Some(error),
            Err(why) => {
                rows.trouble = Some(ApiError::NoResponse { why: Localizable::verbatim(why.to_string()) });
            }
        }
    }
    // In the order of the queries, independent of the order of the answers.
    pages.sort_by_key(|(place, _)| *place);
    for (_, page) in pages {
        let beyond = match page.total_count {
            Some(total) if total > page.list_len as u64 => Remaining::Counted(total),
            None if page.list_len >= MAX_ROWS_PER_PAGE as usize => Remaining::Unknown,
            _ => Remaining::Nothing,
        };
        rows.beyond = rows.beyond.max(beyond);
        rows.items.extend(page.items.into_iter().map(|(_, item)| item));
    }
    rows
}

pub async fn pictures(
    id: &BadgeId,
    mut urls: [Option<Text>; 2],
    reader: &Reader,
    connection: &Connection,
    call: &Call,
) -> TriedPictures {
    let mut requests = 0;
    let mut detail = None;
    if urls.iter().all(Option::is_none) {
        requests += 1;
        match reader.badge(id, call).await {
            Ok(badge) => {
                urls = [badge.front_image_url.clone(), badge.back_image_url.clone()];
                detail = Some(Box::new(badge));
            }
            Err(error) => {
                let said = t!("URL not read: {error}", error);
                return TriedPictures { requests, ..TriedPictures::not_tried(&said) };
            }
        }
    }
    let connection = connection.clone();
    // Building the client may read the system's certificates.
    let client = tokio::task::spawn_blocking(move || PictureClient::new(&connection)).await;
    let Ok(Ok(client)) = client else {
        let said = t!("not checked: no secure connection is possible on this computer");
        return TriedPictures { detail, requests, ..TriedPictures::not_tried(said) };
    };
    let fetch = |url: Option<Text>| {
        let (client, url) = (&client, url.and_then(|url| reader.picture_url(&url)));
        async move {
            match url {
                Some(url) => {
                    let probe = client.probe(&url).await;
                    (1, words(&probe), opens(&probe))
                }
                None => (0, t!("no URL").to_owned(), Some(false)),
            }
        }
    };
    let [front, back] = urls;
    let ((one, front, front_opens), (two, back, back_opens)) = tokio::join!(fetch(front), fetch(back));
    let (said, opens) = ([front, back], [front_opens, back_opens]);
    TriedPictures { said, opens, detail, requests: requests + one + two }
}

/// Whether the server gives the picture. `None` if it gave no answer.
fn opens(probe: &Result<PictureProbe, PictureError>) -> Option<bool> {
    let probe = probe.as_ref().ok()?;
    let is_picture = |kind: &Text| kind.wire().starts_with("image/");
    Some(probe.status == 200 && probe.content_type.as_ref().is_none_or(is_picture))
}

/// The server's answer for a picture, as the rest of a sentence that begins with the picture.
fn words(probe: &Result<PictureProbe, PictureError>) -> String {
    match probe {
        Ok(PictureProbe { status: 200, content_type: Some(kind) }) if kind.wire().starts_with("image/") => {
            t!("opens ({kind})", kind)
        }
        Ok(PictureProbe { status: 200, content_type: Some(kind) }) => {
            t!("answers, but with {kind} instead of a picture", kind)
        }
        Ok(PictureProbe { status: 200, content_type: None }) => {
            t!("opens, but its type is missing").to_owned()
        }
        Ok(PictureProbe { status: status @ (404 | 410), .. }) => t!("not found (HTTP {status})", status),
        Ok(PictureProbe { status: status @ (401 | 403), .. }) => {
            t!("not public (HTTP {status})", status)
        }
        Ok(PictureProbe { status, .. }) => t!("does not open: the server answers HTTP {status}", status),
        Err(error) => t!("does not open: {error}", error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_of_trying_a_picture_is_a_sentence() {
        let probe =
            |status, kind: Option<&str>| Ok(PictureProbe { status, content_type: kind.map(Text::from) });
        assert_eq!(words(&probe(200, Some("image/png"))), "opens (image/png)");
        assert!(words(&probe(200, Some("text/html"))).contains("instead of a picture"));
        assert!(words(&probe(403, None)).contains("HTTP 403"));
        assert!(words(&probe(500, None)).contains("HTTP 500"));
        assert!(words(&probe(302, None)).contains("HTTP 302"));
        let said = words(&probe(200, Some("x\u{1b}[2J")));
        assert!(!said.contains('\u{1b}'), "{said}");
        assert!(words(&Err(PictureError::Refused(localizable!("it is not a URL")))).contains("not a URL"));
    }
}

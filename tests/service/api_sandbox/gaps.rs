//! A tour of every endpoint, with every switch of the sandbox flipped to every value.
//!
//! The client must read every decision of a stranger's server, or say why not. What differs from the
//! defaults is listed here, case by case; everything else must come out the same.

use super::kit::{Kit, badge, people, person, revocation, template, with, word};
use lapel::api::{
    CategoryFilter, Direction, DirectionStyle, HistoryQuery, Paging, Sort, TemplateQuery, WalletQuery,
};
use lapel::domain::{BadgeId, CategoryId, Page, RecordProblem};
use lapel::sandbox::GAPS;
use std::collections::BTreeMap;

/// Outcome by call: `ok`, `ok, N problems`, or the kind of error.
type Tour = BTreeMap<&'static str, String>;

fn note<T>(tour: &mut Tour, name: &'static str, result: &lapel::api::ApiResult<T>, problems: usize) {
    let word = word(result);
    let problems = if problems > 0 { format!(", {problems} problems") } else { String::new() };
    tour.insert(name, format!("{word}{problems}"));
    if let Err(error) = result {
        assert!(!error.to_string().contains('@') && !error.to_string().contains("http://"), "{error}");
    }
}

fn note_page<T>(tour: &mut Tour, name: &'static str, page: &lapel::api::ApiResult<Page<T>>) {
    let problems = |p: &Page<T>| {
        assert_eq!(p.items.len() + rows(&p.problems), p.list_len);
        p.problems.len()
    };
    note(tour, name, page, page.as_ref().map_or(0, problems));
}

fn rows(problems: &[RecordProblem]) -> usize {
    problems.iter().filter(|p| p.place.starts_with("list[")).count()
}

async fn tour(kit: &Kit, round: usize, issued: &BadgeId, holder: &str) -> Tour {
    let (reader, writer, call) = (&kit.reader, &kit.writer, &kit.call);
    let mut tour = Tour::new();
    note(&mut tour, "ping", &reader.ping(call).await, 0);
    let types = reader.badge_types(call).await;
    note(&mut tour, "types", &types, types.as_ref().map_or(0, |t| t.problems.len()));
    let categories = reader.categories(&CategoryFilter::default(), call).await;
    note(&mut tour, "categories", &categories, categories.as_ref().map_or(0, |c| c.problems.len()));
    note(&mut tour, "category", &reader.category(&CategoryId::new("C01").expect("an id"), call).await, 0);
    note_page(&mut tour, "templates", &reader.templates(&TemplateQuery::default(), call).await);
    note(&mut tour, "template", &reader.template(&template("TPL-004"), call).await, 0);
    note(&mut tour, "template 14", &reader.template(&template("TPL-014"), call).await, 0);
    note_page(&mut tour, "history", &reader.history(&HistoryQuery::default(), call).await);
    let paged = |page, sort| HistoryQuery {
        paging: Paging { page, rows_per_page: 100, sort },
        ..HistoryQuery::default()
    };
    note_page(&mut tour, "beyond", &reader.history(&paged(99, vec![]), call).await);
    note_page(&mut tour, "page 0", &reader.history(&paged(0, vec![]), call).await);
    let sort = Sort::new("issued_at", Direction::Desc);
    let lower = Sort { style: DirectionStyle::Lower, ..sort.clone() };
    note_page(&mut tour, "sort", &reader.history(&paged(1, vec![sort]), call).await);
    note_page(&mut tour, "sort lower", &reader.history(&paged(1, vec![lower]), call).await);
    let unknown = Sort::new("no_such_column", Direction::Asc);
    note_page(&mut tour, "sort unknown", &reader.history(&paged(1, vec![unknown]), call).await);
    note(&mut tour, "badge", &reader.badge(issued, call).await, 0);
    note(&mut tour, "badge unknown", &reader.badge(&badge("nobody"), call).await, 0);
    let wallet = WalletQuery { email: holder.into(), ..WalletQuery::default() };
    note_page(&mut tour, "wallet", &reader.wallet(&wallet, call).await);
    let one = format!("one{round}@x.example");
    note(&mut tour, "issue", &writer.issue(&person("TPL-001", &one), call).await, 0);
    note(&mut tour, "issue retired", &writer.issue(&person("TPL-018", &one), call).await, 0);
    note(&mut tour, "issue unknown", &writer.issue(&person("TPL-999", &one), call).await, 0);
    let (a, b) = (format!("a{round}@x.example"), format!("b{round}@x.example"));
    let batch = writer.issue_batch(&people("TPL-002", &[&a, &b, &a]), call).await;
    note(&mut tour, "batch", &batch, batch.as_ref().map_or(0, |b| b.problems.len()));
    let bad = writer.issue_batch(&people("TPL-002", &[&a, "no address"]), call).await;
    note(&mut tour, "batch bad row", &bad, bad.as_ref().map_or(0, |b| b.problems.len()));
    note(&mut tour, "revoke", &writer.revoke(&revocation(&[issued]), call).await, 0);
    // With every answer: nothing was issued twice.
    let twins = if bad.is_ok() { 3 } else { 2 };
    assert!(kit.ledger().accepted_for("TPL-001", &one) <= 1);
    assert!(kit.ledger().accepted_for("TPL-002", &a) <= twins);
    tour
}

/// What may differ from the defaults, as `call=outcome`.
fn expected(gap: &str, value: &str) -> &'static [&'static str] {
    match (gap, value) {
        ("sorting" | "unknown-sort", "ignored") => &["sort unknown=ok"],
        ("sorting", "refused") => &["sort=bad request", "sort lower=bad request"],
        ("sort-type", "upper") => &["sort lower=bad request"],
        ("sort-type", "lower") => &["sort=bad request"],
        ("beyond-end", "404") => &["beyond=not found"],
        ("page-zero", "400") => &["page 0=bad request"],
        ("bad-row", "skip") | ("email-check", "none") => &["batch bad row=ok"],
        ("retired-template", "accept") => &["issue retired=ok"],
        ("unknown-id", "200-null") => &["badge unknown=unreadable"],
        ("unknown-id", "400") => &["badge unknown=bad request"],
        ("unknown-template", "400") => &["issue unknown=bad request"],
        // Not the service of the contract: nothing that was read is trusted, nothing that was sent is certain.
        ("envelope", "bare") => &[
            "badge=not this service",
            "badge unknown=unreadable",
            "batch=in doubt",
            "batch bad row=in doubt",
            "beyond=not this service",
            "categories=not this service",
            "category=not this service",
            "history=not this service",
            "issue=in doubt",
            "issue retired=in doubt",
            "issue unknown=in doubt",
            "page 0=not this service",
            "ping=not this service",
            "revoke=in doubt",
            "sort=not this service",
            "sort lower=not this service",
            "sort unknown=unreadable",
            "template=not this service",
            "template 14=not this service",
            "templates=not this service",
            "types=not this service",
            "wallet=not this service",
        ],
        // The requested badge may be there: nobody knows.
        ("envelope", "no-data") => &[
            "badge=unreadable",
            "batch=in doubt",
            "beyond=unreadable",
            "categories=unreadable",
            "category=unreadable",
            "history=unreadable",
            "issue=in doubt",
            "page 0=unreadable",
            "sort=unreadable",
            "sort lower=unreadable",
            "template=unreadable",
            "template 14=unreadable",
            "templates=unreadable",
            "types=ok, 1 problems",
            "wallet=unreadable",
        ],
        _ => &[],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_contract_leaves_open_is_read_or_said() {
    let mut tasks = Vec::new();
    for gap in GAPS {
        tasks.push(tokio::spawn(async move {
            let kit = with(&[("issue-time", "5m")]).await;
            let sort = vec![Sort::new("reg_date", Direction::Asc)];
            let query = HistoryQuery {
                paging: Paging { page: 1, rows_per_page: 100, sort },
                ..HistoryQuery::default()
            };
            let row = kit.reader.history(&query, &kit.call).await.expect("a page");
            let row =
                row.items.iter().map(|(_, row)| row).find(|row| row.status_name == Some("발급완료".into()));
            let row = row.expect("an issued badge").clone();
            let holder = row.recipient_email.as_ref().expect("an address").wire().to_owned();
            let usual = tour(&kit, 0, &row.badge_id, &holder).await;
            let mut wrong = Vec::new();
            for (round, (value, _)) in gap.values.iter().enumerate() {
                kit.set(gap.name, value);
                let now = tour(&kit, round + 1, &row.badge_id, &holder).await;
                let differs: Vec<String> = now
                    .iter()
                    .filter(|(call, outcome)| usual[*call] != **outcome)
                    .map(|(call, outcome)| format!("{call}={outcome}"))
                    .collect();
                if differs != expected(gap.name, value) {
                    wrong.push(format!("        ({:?}, {value:?}) => &{differs:?},", gap.name));
                }
            }
            let violations = kit.ledger().violations;
            assert_eq!(
                (violations.rate_limited, violations.key_in_url, violations.key_outside_api),
                (0, 0, 0)
            );
            wrong
        }));
    }
    let mut wrong = Vec::new();
    for task in tasks {
        wrong.extend(task.await.expect("no panic"));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

//! Decisions of a review: groups of rows with one reason.

use super::*;
use lapel::jobs::intake::{Choices, ImportSource};
use lapel::jobs::{CheckProgress, FileRequest, RequestsNeeded, RowGroup, RowSelection, SuggestedRows};
use tokio_util::sync::CancellationToken;

/// A draft of pasted lines with their header.
async fn draft(bench: &Bench, lines: &str) -> JobId {
    let source = ImportSource::Pasted(format!("name,email\n{lines}"));
    let request = FileRequest { template: Some(template()), source, choices: Choices::default() };
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Reading::default());
    let made = bench
        .jobs
        .draft_file(request, Vec::new(), progress, CancellationToken::new())
        .await
        .expect("a draft");
    made[0]
}

async fn check_duplicates(bench: &Bench, id: JobId) {
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    bench.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("a duplicate check");
}

async fn groups(bench: &Bench, id: JobId) -> Vec<RowGroup> {
    bench.jobs.groups(id).await.expect("groups")
}

fn lost(groups: &[RowGroup]) -> &RowGroup {
    groups.iter().find(|g| g.key.ends_with("lost_letters")).expect("names with lost letters")
}

#[tokio::test]
async fn names_that_lost_letters_in_any_way_are_one_group_and_one_decision() {
    let bench = Bench::new(small()).await;
    let id = draft(
        &bench,
        "Garc?a,a@naru.example\nNguy?n,b@naru.example\n김\u{fffd}수,c@naru.example\nJosÃ© Ruiz,d@naru.example\n\
         ±è¹Î¼ö,e@naru.example\nnull,f@naru.example\n김민수,g@naru.example\nGarc?a  Ruiz,h@naru.example\n이영희,i@naru.example\n\
         박철수,j@naru.example\n최유진,k@naru.example\n정하은,l@naru.example\n",
    )
    .await;
    check_duplicates(&bench, id).await;
    let found = groups(&bench, id).await;
    let all = lost(&found);
    assert_eq!((all.row_status, all.rows, all.allows), (RowStatus::NeedsReview, 5, 5), "{found:?}");
    // The rows name the same group. A row with a second finding, two spaces, is not in it.
    let rows = bench.rows(id).await;
    let grouped: Vec<u64> =
        rows.iter().filter(|r| r.group.as_ref() == Some(&all.key)).map(|r| r.no).collect();
    assert_eq!(grouped, [1, 2, 3, 4, 5]);
    let group = RowSelection::Group(RowStatus::NeedsReview, all.key.clone());
    assert_eq!(bench.jobs.skip_rows(id, group.clone()).await.expect("skipped"), 5);
    // Nothing is left in the group as it was shown, so a second decision does nothing.
    assert_eq!(bench.jobs.allow(id, group).await.expect("nothing"), 0);
    let job = bench.jobs.job(id).await.expect("a job");
    let counts = [RowStatus::Ready, RowStatus::NeedsReview, RowStatus::Skipped].map(|b| job.counts.of(b));
    assert_eq!(counts, [5, 2, 5]);
    // What was skipped by hand is a group, too.
    let skipped =
        groups(&bench, id).await.into_iter().find(|g| g.row_status == RowStatus::Skipped).expect("skipped");
    let back =
        bench.jobs.allow(id, RowSelection::Group(skipped.row_status, skipped.key)).await.expect("allowed");
    assert_eq!((skipped.rows, back), (5, 5));
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.of(RowStatus::Ready), 10);
}

#[tokio::test]
async fn a_decision_about_a_group_never_allows_a_duplicate_nor_what_is_no_recipient() {
    let bench = Bench::new(small()).await;
    // The second row repeats an address; a badge is on its way to the third.
    let before = draft(&bench, "먼저,c@naru.example\n").await;
    bench.jobs.begin(before, "test").await.expect("begun");
    let mut bench = bench;
    bench.until("accepted", before, |job| job.counts.of(RowStatus::Waiting) == 1).await;
    let id =
        draft(&bench, "Garc?a,a@naru.example\nGarci?,a@naru.example\nNguy?n,c@naru.example\n,,\nTotal: 3,\n")
            .await;
    check_duplicates(&bench, id).await;
    let found = groups(&bench, id).await;
    let all = lost(&found);
    assert_eq!((all.rows, all.allows), (3, 1), "{found:?}");
    assert_eq!(
        bench.jobs.allow(id, RowSelection::Group(all.row_status, all.key.clone())).await.expect("allowed"),
        1
    );
    let rows = bench.rows(id).await;
    assert_eq!((rows[0].row_status, rows[1].row_status), (RowStatus::Ready, RowStatus::NeedsReview));
    assert_eq!(rows[2].row_status, RowStatus::NeedsReview, "{:?}", rows[2]);
    for group in groups(&bench, id).await.into_iter().filter(|g| g.row_status == RowStatus::Skipped) {
        assert_eq!(
            bench.jobs.allow(id, RowSelection::Group(group.row_status, group.key)).await.expect("none"),
            0
        );
    }
    check_duplicates(&bench, id).await;
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.of(RowStatus::Ready), 1);
}

/// A row that names no known template is in the first job, whose template it did not name.
#[tokio::test]
async fn a_row_of_no_known_template_is_never_sent_with_that_of_its_job() {
    let bench = Bench::new(small()).await;
    let lines = "template,name,email\nTPL-001,김민수,a@naru.example\nTPL-002,이영희,b@naru.example\n\
                 TPL-999,박철수,c@naru.example\n,최유진,d@naru.example\n,Total: 4,\n";
    let source = ImportSource::Pasted(lines.into());
    let request = FileRequest { template: None, source, choices: Choices::default() };
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Reading::default());
    let made =
        bench.jobs.draft_file(request, Vec::new(), progress, CancellationToken::new()).await.expect("drafts");
    let rows = bench.rows(made[0]).await;
    let statuses: Vec<RowStatus> = rows.iter().map(|row| row.row_status).collect();
    let before = [RowStatus::Ready, RowStatus::Invalid, RowStatus::Invalid, RowStatus::Skipped];
    assert_eq!((made.len(), statuses.as_slice()), (2, before.as_slice()), "{rows:?}");
    for row in rows.iter().skip(1) {
        bench
            .jobs
            .correct(made[0], row.no, "한지민", &format!("e{}@naru.example", row.no), &[])
            .await
            .expect("corrected");
        assert_eq!(bench.jobs.allow(made[0], RowSelection::One(row.no)).await.expect("no row"), 0);
    }
    let after = bench.rows(made[0]).await;
    for (row, corrected) in rows.iter().zip(&after).skip(1) {
        assert_eq!((corrected.row_status, &corrected.why), (row.row_status, &row.why));
        assert_eq!(corrected.holder, "한지민".into());
    }
}

/// A decision to send in spite of a mistyped domain says nothing about the badge that the recipient already has.
#[tokio::test]
async fn a_decision_about_one_reason_never_allows_a_duplicate_that_was_not_shown() {
    let mut bench = Bench::new(small()).await;
    let lines = "은우,eunwoo@gmial.com\n";
    let before = draft(&bench, lines).await;
    assert_eq!(bench.jobs.allow(before, RowSelection::One(1)).await.expect("allowed"), 1);
    bench.jobs.begin(before, "test").await.expect("begun");
    bench.until("accepted", before, |job| job.counts.of(RowStatus::Waiting) == 1).await;
    bench.advance(25 * 60);
    for which in ["one", "group", "all"] {
        let id = draft(&bench, lines).await;
        check_duplicates(&bench, id).await;
        let row = bench.row(id).await;
        let why = row.why.as_ref().expect("a reason");
        assert!(row.row_status == RowStatus::NeedsReview && !why.is(Code::Class), "{row:?}");
        let class = row.class.expect("a kind");
        assert!(class.is_duplicate(), "{row:?}");
        assert!(
            row.also.as_ref().is_some_and(|also| also.is(Code::Class)),
            "both reasons are shown: {row:?}"
        );
        let rows = match which {
            "one" => RowSelection::One(1),
            "group" => RowSelection::Group(row.row_status, row.group.clone().expect("a group")),
            _ => RowSelection::Asked,
        };
        assert_eq!(bench.jobs.allow(id, rows).await.expect("not allowed"), 0, "{which}");
        let mut row = bench.row(id).await;
        if which != "group" {
            assert!(
                row.row_status != RowStatus::Ready && row.why.as_ref().expect("why").is(Code::Class),
                "{row:?}"
            );
            check_duplicates(&bench, id).await;
            row = bench.row(id).await;
        }
        assert_ne!(row.row_status, RowStatus::Ready, "{row:?}");
        bench.jobs.begin(id, "test").await.expect_err("nothing to send");
        // The same decision about the duplicate that the row now shows allows it.
        if which == "one" {
            assert_eq!(bench.jobs.allow(id, RowSelection::One(1)).await.expect("allowed"), 1);
            check_duplicates(&bench, id).await;
            assert_eq!(bench.row(id).await.row_status, RowStatus::Ready);
            bench.jobs.undo_decision(id).await.expect("undone").expect("a decision");
            bench.jobs.undo_decision(id).await.expect("undone").expect("a decision");
            let row = bench.row(id).await;
            assert!(row.row_status == RowStatus::NeedsReview && !row.why.expect("why").is(Code::Class));
        }
        bench.jobs.discard(id).await.expect("discarded");
    }
    assert_eq!(bench.accepted(), 1);
}

/// What a review shows of its rows.
async fn shown(bench: &Bench, id: JobId) -> Vec<(String, String, RowStatus, Option<String>)> {
    let rows = bench.rows(id).await;
    rows.into_iter()
        .map(|r| (r.holder.wire().to_owned(), r.address.wire().to_owned(), r.row_status, r.group))
        .collect()
}

#[tokio::test]
async fn decisions_are_undone_one_after_the_other_until_the_job_begins() {
    let mut bench = Bench::new(small()).await;
    let id = draft(
        &bench,
        "Garc?a,a@naru.example\nNguy?n,b@naru.example\n김민수,c@naru.example\n이영희,d@naru.example\n이영희,d@naru.example\n",
    )
    .await;
    check_duplicates(&bench, id).await;
    let mut before = vec![shown(&bench, id).await];
    let all = groups(&bench, id).await;
    let lost = RowSelection::Group(RowStatus::NeedsReview, lost(&all).key.clone());
    assert_eq!(bench.jobs.allow(id, lost).await.expect("allowed"), 2);
    before.push(shown(&bench, id).await);
    assert_eq!(bench.jobs.skip_rows(id, RowSelection::One(3)).await.expect("skipped"), 1);
    before.push(shown(&bench, id).await);
    bench.jobs.correct(id, 1, "García", "new@naru.example", &[]).await.expect("corrected");
    before.push(shown(&bench, id).await);
    // A decision that changes nothing is none to undo.
    assert_eq!(bench.jobs.skip_rows(id, RowSelection::One(3)).await.expect("already skipped"), 0);
    assert_eq!(
        bench.jobs.allow(id, RowSelection::Class(lapel::jobs::DuplicateKind::Twin)).await.expect("allowed"),
        1
    );
    check_duplicates(&bench, id).await;
    for (rows, corrected) in [(1, false), (1, true), (1, false), (2, false)] {
        let undone = bench.jobs.undo_decision(id).await.expect("undone").expect("a decision");
        assert_eq!((undone.rows, undone.corrected), (rows, corrected));
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.checked.is_none(), corrected, "another recipient is checked again");
        check_duplicates(&bench, id).await;
        assert_eq!(Some(shown(&bench, id).await), before.pop());
    }
    assert_eq!(bench.jobs.undo_decision(id).await.expect("nothing"), None);
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.total(), 5);
    // What was decided is final once the job has begun.
    bench.jobs.skip_rows(id, RowSelection::One(3)).await.expect("skipped");
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 1).await;
    bench.jobs.undo_decision(id).await.expect_err("it has begun");
    assert_eq!(bench.sandbox.control().ledger().accepted_total(), 1);
}

/// The file itself and the index show which domain is meant.
#[tokio::test]
async fn a_correction_with_a_mistyped_domain_needs_review_as_such_a_row_of_a_file_does() {
    let bench = Bench::new(small()).await;
    let lines = (0..6).map(|n| format!("김민수,p{n}@naru.example")).collect::<Vec<_>>().join("\n") + "\n";
    let id = draft(&bench, &lines).await;
    let indexed = [("moonfern.example".to_owned(), 40)];
    for (typed, meant) in [
        ("x@naru.exmaple", Some("x@naru.example")),
        ("x@moonfrn.example", Some("x@moonfern.example")),
        ("x@bluewhale.example", None),
        ("x@naru.exmaple", Some("x@naru.example")),
    ] {
        bench.jobs.correct(id, 1, "김민수", typed, &indexed).await.expect("corrected");
        let row = bench.rows(id).await.remove(0);
        let expected = if meant.is_some() { RowStatus::NeedsReview } else { RowStatus::Ready };
        assert_eq!((row.row_status, row.suggested_address().as_deref()), (expected, meant), "{typed}");
    }
    let taken = bench.jobs.take_suggestions(id, SuggestedRows::One(1), &[]).await.expect("taken");
    assert_eq!((taken, bench.rows(id).await[0].row_status), (1, RowStatus::Ready));
}

/// As after a change of the file: the new draft repeats what was decided about the rows that are the same.
#[tokio::test]
async fn repeated_decisions_are_undone_one_after_the_other_too() {
    let bench = Bench::new(small()).await;
    let lines =
        "Garc?a,a@naru.example\nNguy?n,b@naru.example\n김민수,c@naru.example\n이영희,d@naru.example\n";
    let earlier = draft(&bench, lines).await;
    check_duplicates(&bench, earlier).await;
    let all = groups(&bench, earlier).await;
    let lost = RowSelection::Group(RowStatus::NeedsReview, lost(&all).key.clone());
    assert_eq!(bench.jobs.allow(earlier, lost).await.expect("allowed"), 2);
    bench.jobs.skip_rows(earlier, RowSelection::One(3)).await.expect("skipped");
    bench.jobs.correct(earlier, 1, "García", "new@naru.example", &[]).await.expect("corrected");
    bench.jobs.skip_rows(earlier, RowSelection::One(4)).await.expect("skipped");
    let new = draft(&bench, lines).await;
    check_duplicates(&bench, new).await;
    let fresh = shown(&bench, new).await;
    assert_eq!(bench.jobs.keep_decisions(&[earlier], &[new], &[]).await.expect("repeated"), 0);
    check_duplicates(&bench, earlier).await;
    check_duplicates(&bench, new).await;
    assert_eq!(shown(&bench, new).await, shown(&bench, earlier).await);
    // Only the second row is left of the group: the first one was corrected after that.
    for (first, corrected) in [(4, false), (1, true), (3, false), (2, false)] {
        let undone = bench.jobs.undo_decision(new).await.expect("undone").expect("a decision");
        assert_eq!((undone.rows, undone.first, undone.corrected), (1, first, corrected));
    }
    assert_eq!(bench.jobs.undo_decision(new).await.expect("nothing"), None);
    assert_eq!(shown(&bench, new).await, fresh);
}

#[tokio::test]
async fn undoing_never_sends_to_somebody_who_was_found_to_have_the_badge_meanwhile() {
    let mut bench = Bench::new(small()).await;
    let id = draft(&bench, "김민수,c@naru.example\n이영희,d@naru.example\n").await;
    check_duplicates(&bench, id).await;
    bench.jobs.skip_rows(id, RowSelection::One(1)).await.expect("skipped");
    let other = draft(&bench, "김민수,c@naru.example\n").await;
    bench.jobs.begin(other, "test").await.expect("begun");
    bench.until("accepted", other, |job| job.counts.of(RowStatus::Waiting) == 1).await;
    check_duplicates(&bench, id).await;
    assert_eq!(bench.rows(id).await[0].row_status, RowStatus::Skipped);
    bench.jobs.undo_decision(id).await.expect("undone").expect("a decision");
    assert_ne!(bench.rows(id).await[0].row_status, RowStatus::Ready, "{:?}", bench.rows(id).await);
}

/// A permission is for what the person saw: it does not come back after another job has sent once more.
#[tokio::test]
async fn undoing_never_brings_back_a_permission_for_what_has_changed_since() {
    let mut bench = Bench::new(small()).await;
    let send = async |bench: &mut Bench, accepted: u64| {
        let other = draft(bench, "김민수,c@naru.example\n").await;
        check_duplicates(bench, other).await;
        if bench.rows(other).await[0].row_status != RowStatus::Ready {
            bench.jobs.allow(other, RowSelection::One(1)).await.expect("allowed");
        }
        bench.jobs.begin(other, "test").await.expect("begun");
        bench.until("accepted", other, |job| job.counts.of(RowStatus::Waiting) == 1).await;
        assert_eq!(bench.sandbox.control().ledger().accepted_total(), accepted);
    };
    send(&mut bench, 1).await;
    let id = draft(&bench, "김민수,c@naru.example\n이영희,d@naru.example\n").await;
    check_duplicates(&bench, id).await;
    assert_eq!(bench.jobs.allow(id, RowSelection::One(1)).await.expect("allowed"), 1);
    assert_eq!(bench.jobs.skip_rows(id, RowSelection::One(1)).await.expect("skipped"), 1);
    send(&mut bench, 2).await;
    check_duplicates(&bench, id).await;
    bench.jobs.undo_decision(id).await.expect("undone").expect("a decision");
    assert_ne!(bench.rows(id).await[0].row_status, RowStatus::Ready, "{:?}", bench.rows(id).await);
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.sandbox.control().ledger().accepted_total(), 3, "the other row only");
}

/// Two rows of one recipient are never in one request.
#[tokio::test]
async fn a_recipient_who_is_allowed_twice_needs_another_request() {
    let settings = JobConfig { batch: 2, ..JobConfig::default() };
    for (letters, least, is_exact) in
        [("abc", 2, true), ("aa", 2, false), ("aab", 2, false), ("abcc", 2, false), ("aaab", 3, false)]
    {
        let mut bench = Bench::set(small(), |connection| connection, settings.clone()).await;
        let lines = letters.chars().map(|c| format!("가나,{c}@naru.example")).collect::<Vec<_>>().join("\n");
        let id = draft(&bench, &lines).await;
        check_duplicates(&bench, id).await;
        let distinct = letters.chars().collect::<std::collections::BTreeSet<_>>().len() as u64;
        let needed = RequestsNeeded { least: distinct.div_ceil(2), is_exact: true };
        assert_eq!(
            bench.jobs.requests_needed(id).await.expect("read"),
            needed,
            "{letters}: others are skipped"
        );
        bench.jobs.allow(id, RowSelection::Class(lapel::jobs::DuplicateKind::Twin)).await.expect("allowed");
        let needed = RequestsNeeded { least, is_exact };
        assert_eq!(bench.jobs.requests_needed(id).await.expect("read"), needed, "{letters}");
        bench.jobs.begin(id, "test").await.expect("begun");
        let all = letters.len() as u64;
        bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == all).await;
        let made = bench.posts("/badges") + bench.posts("/badges/batch");
        assert!(if is_exact { made == least } else { made >= least }, "{letters}: {made}");
    }
}

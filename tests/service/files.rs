//! From files to jobs and back to files, over a sandbox with the demo's data and the demo's spreadsheets.

use crate::common::session;
use crate::texts::msg_part;
use lapel::api::connect;
use lapel::config::Environment;
use lapel::domain::{TemplateId, Text};
use lapel::jobs::intake::{Choices, ImportSource, TextEncoding};
use lapel::jobs::receipt::TableFormat;
use lapel::jobs::{
    Account, CheckProgress, Code, DuplicateKind, DuplicateResult, FileRequest, IdsRequest, Job, JobChange,
    JobConfig, JobError, JobId, JobRow, Jobs, Journal, Phase, RowFilter, RowStatus,
};
use lapel::sandbox::{Options, Sandbox};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// No condition of a test takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(60);

struct Bench {
    sandbox: Sandbox,
    jobs: Jobs,
    events: mpsc::Receiver<JobChange>,
    folder: tempfile::TempDir,
    journal: Journal,
}

impl Bench {
    /// The demo's own data: the spreadsheets are made for it.
    async fn new() -> Self {
        let options = Options {
            speed: 0.0,
            start: Some(jiff::civil::datetime(2026, 11, 21, 10, 0, 0, 0)),
            ..Options::default()
        };
        let sandbox = Sandbox::start(options.showing_waiting()).await.expect("the sandbox starts");
        let connection = session(&sandbox, Environment::Demo).connection;
        let account = Account::of("demo", &connection);
        let access = connect(&connection).expect("connected");
        let journal = Journal::in_memory().expect("a journal");
        let (jobs, events) =
            Jobs::start(access, journal.clone(), account, JobConfig::default()).await.expect("jobs");
        Self { sandbox, jobs, events, folder: tempfile::tempdir().expect("a folder"), journal }
    }

    async fn draft(&self, request: FileRequest) -> Result<Vec<JobId>, JobError> {
        self.jobs
            .draft_file(
                request,
                Vec::new(),
                watch::channel(lapel::jobs::Reading::default()).0,
                CancellationToken::new(),
            )
            .await
    }

    async fn draft_one(&self, source: ImportSource, choices: Choices) -> JobId {
        let template =
            Some((TemplateId::new("TPL-004").expect("an id"), Text::from("데이터 시각화 역량 인증")));
        self.draft(FileRequest { template, source, choices }).await.expect("a draft").remove(0)
    }

    async fn check_duplicates(&self, id: JobId) -> DuplicateResult {
        let (progress, _) = watch::channel(CheckProgress::default());
        self.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("a duplicate check")
    }

    async fn ids(&self, source: ImportSource, when_issued: bool) -> Result<JobId, JobError> {
        let request =
            IdsRequest { source, choices: Choices::default(), reason: "중복 발급".into(), when_issued };
        self.jobs
            .draft_ids(request, watch::channel(lapel::jobs::Reading::default()).0, CancellationToken::new())
            .await
    }

    async fn job(&self, id: JobId) -> Job {
        self.jobs.job(id).await.expect("a job")
    }

    async fn rows(&self, id: JobId, row_statuses: &[RowStatus]) -> Vec<JobRow> {
        let filter = RowFilter { row_statuses: row_statuses.to_vec(), ..RowFilter::default() };
        self.jobs.rows(id, filter, 10_000).await.expect("rows")
    }

    async fn until(&mut self, what: &str, id: JobId, fulfilled: impl Fn(&Job) -> bool) -> Job {
        let waiting = async {
            loop {
                let job = self.job(id).await;
                if fulfilled(&job) {
                    return job;
                }
                self.events.recv().await.expect("the job goes on");
            }
        };
        tokio::time::timeout(BOUND, waiting).await.unwrap_or_else(|_| panic!("in vain: {what}"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> ImportSource {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        ImportSource::File(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn demo(name: &str) -> ImportSource {
    ImportSource::File(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo").join(name))
}

/// A name of three syllables.
fn name(n: u32) -> String {
    ['김']
        .into_iter()
        .chain([n, n + 7].map(|n| char::from_u32(0xac00 + n * 28).expect("a syllable")))
        .collect()
}

fn why(row: &JobRow) -> String {
    row.why.as_ref().map_or_else(String::new, ToString::to_string)
}

#[tokio::test]
async fn the_demos_spreadsheet_is_read_checked_issued_and_counted() {
    let mut bench = Bench::new().await;
    let id = bench.draft_one(demo("attendees-cp949.csv"), Choices::default()).await;
    let job = bench.job(id).await;
    assert_eq!((job.phase, job.counts.total()), (Phase::Draft, 120));
    assert_eq!(job.counts.of(RowStatus::Invalid), 3, "{:?}", job.counts);
    let origin = job.origin.as_ref().expect("a file");
    assert!(origin.read_as.to_string().contains("CP949"), "{}", origin.read_as);
    for row in bench.rows(id, &[RowStatus::Invalid]).await {
        assert!(row.line.is_some() && !why(&row).is_empty(), "{row:?}");
    }
    let checked = bench.check_duplicates(id).await;
    assert!(checked.complete);
    let of = |class| checked.classes.iter().find(|(c, _)| *c == class).map_or(0, |(_, n)| *n);
    assert_eq!(of(DuplicateKind::Twin), 3, "{checked:?}");
    assert_eq!(of(DuplicateKind::Valid) + of(DuplicateKind::Expiring), 2, "{checked:?}");
    bench.jobs.begin(id, "test").await.expect("begun");
    let job = bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) > 0).await;
    assert_eq!(job.counts.total(), 120, "{:?}", job.counts);
    let accepted = job.counts.of(RowStatus::Waiting);
    assert_eq!(bench.sandbox.control().ledger().accepted_total(), accepted);

    // The receipt has every row, in the order of the file.
    let receipt = bench.path("receipt.xlsx");
    let written = bench
        .jobs
        .receipt(id, None, receipt.clone(), TableFormat::Xlsx, false, CancellationToken::new())
        .await
        .expect("a receipt");
    assert_eq!(written.rows, 120);
    assert_eq!(written.row_statuses.iter().map(|(_, n)| n).sum::<u64>(), 120);
    let again = bench
        .jobs
        .receipt(id, None, receipt.clone(), TableFormat::Xlsx, false, CancellationToken::new())
        .await
        .expect_err("it is there");
    assert_eq!(again, JobError::Exists(receipt.clone()));
    bench
        .jobs
        .receipt(id, None, receipt, TableFormat::Xlsx, true, CancellationToken::new())
        .await
        .expect("replaced");

    // The redo file imports as it is, and makes no duplicate.
    let redo = bench.path("redo.csv");
    let written = bench
        .jobs
        .redo(id, None, redo.clone(), TableFormat::CsvUtf8, false, CancellationToken::new())
        .await
        .expect("a redo file");
    assert_eq!(written.rows, 120 - accepted);
    let next = bench.draft_one(ImportSource::File(redo), Choices::default()).await;
    assert_eq!(bench.job(next).await.counts.total(), 120 - accepted);
    bench.check_duplicates(next).await;
    let counts = bench.job(next).await.counts;
    assert_eq!(
        counts.of(RowStatus::Ready),
        0,
        "whoever is in it was served, holds it, or is not valid: {counts:?}"
    );
}

#[tokio::test]
async fn a_file_that_reads_in_two_ways_is_asked_about_and_read_as_was_said() {
    let bench = Bench::new().await;
    let template = || Some((TemplateId::new("TPL-004").expect("an id"), Text::from("t")));
    let request =
        FileRequest { template: template(), source: demo("one-line-cp949.csv"), choices: Choices::default() };
    let refused = bench.draft(request).await.expect_err("nobody has said how");
    assert!(refused.to_string().contains("one-line-cp949.csv"), "{refused}");
    assert!(bench.jobs.list().await.expect("jobs").is_empty());
    let choices = Choices { encoding: Some(TextEncoding::Cp949), ..Choices::default() };
    let id = bench.draft_one(demo("one-line-cp949.csv"), choices).await;
    assert_eq!(bench.rows(id, &[]).await[0].holder.wire(), "홍철");
}

#[tokio::test]
async fn a_column_of_templates_makes_a_job_of_each() {
    let bench = Bench::new().await;
    let source = bench.write(
        "many.csv",
        "name,email,template\n\
         김하나,one@naru.example,TPL-001\n\
         김두나,two@naru.example,python foundations\n\
         김세나,three@naru.example,TPL-001\n\
         김네나,four@naru.example,풀스택 부트캠프 16주 수료\n\
         김오나,five@naru.example,그런 배지 없음\n",
    );
    let request = FileRequest { template: None, source, choices: Choices::default() };
    let ids = bench.draft(request).await.expect("drafts");
    assert_eq!(ids.len(), 2);
    let (first, second) = (bench.job(ids[0]).await, bench.job(ids[1]).await);
    assert_eq!((first.counts.of(RowStatus::Ready), first.counts.of(RowStatus::Invalid)), (2, 2));
    assert_eq!((second.counts.of(RowStatus::Ready), second.counts.total()), (1, 1));
    assert_eq!(second.title.wire(), "Python Foundations");
    let invalid = bench.rows(ids[0], &[RowStatus::Invalid]).await;
    assert!(why(&invalid[0]).contains(msg_part("more than one")), "{}", why(&invalid[0]));
    assert!(why(&invalid[1]).contains("그런 배지 없음"), "{}", why(&invalid[1]));
    assert_eq!(first.counts.total() + second.counts.total(), 5, "every row of the file is a row of a job");
}

#[tokio::test]
async fn a_rare_domain_beside_a_frequent_one_is_asked_about() {
    let bench = Bench::new().await;
    let mut text = String::from("name,email\n");
    for n in 0..60 {
        text.push_str(&format!("{},p{n}@moonfern.example\n", name(n)));
    }
    text.push_str("김영희,p60@moonfren.example\n");
    let id = bench.draft_one(bench.write("domains.csv", text), Choices::default()).await;
    let asked = bench.rows(id, &[RowStatus::NeedsReview]).await;
    assert_eq!(asked.len(), 1);
    assert!(why(&asked[0]).contains("moonfern.example"), "{}", why(&asked[0]));
}

#[tokio::test]
async fn a_row_is_corrected_in_place_and_checked_for_duplicates_again() {
    let bench = Bench::new().await;
    let source = bench.write("wrong.csv", "name,email\n김하나,one@naru\n김두나,two@naru.example\n");
    let id = bench.draft_one(source, Choices::default()).await;
    bench.check_duplicates(id).await;
    assert_eq!(bench.job(id).await.counts.of(RowStatus::Invalid), 1);
    let found = bench.jobs.correct(id, 1, "김하나", "two@naru", &[]).await.expect("a correction");
    assert!(!found.is_empty(), "still no address");
    bench.jobs.correct(id, 1, " 김하나 ", "two@naru.example", &[]).await.expect("a correction");
    let job = bench.job(id).await;
    assert_eq!((job.counts.of(RowStatus::Ready), job.checked), (2, None));
    let checked = bench.check_duplicates(id).await;
    assert_eq!(checked.classes, vec![(DuplicateKind::SharedAddress, 1)], "the person is another one now");
    assert_eq!(bench.rows(id, &[]).await[0].holder.wire(), "김하나");
}

#[tokio::test]
async fn a_receipt_shows_what_was_sent_and_a_redo_file_keeps_corrections() {
    let mut bench = Bench::new().await;
    let text =
        "name,email,group\n김하나,one@naru.example,A\n김두니,two@naru.exmaple,B\n김세나,three@naru,C\n";
    let id = bench.draft_one(bench.write("wrong.csv", text), Choices::default()).await;
    bench.jobs.correct(id, 2, "김두나", "two@naru.example", &[]).await.expect("a correction");
    bench
        .jobs
        .correct(id, 3, "김세나", "sena@naru", &[])
        .await
        .expect("a correction that is no address either");
    bench.check_duplicates(id).await;
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 2).await;
    let (receipt, redo, never) = (bench.path("receipt.csv"), bench.path("redo.csv"), CancellationToken::new);
    bench
        .jobs
        .receipt(id, None, receipt.clone(), TableFormat::CsvUtf8, false, never())
        .await
        .expect("a receipt");
    bench.jobs.redo(id, None, redo.clone(), TableFormat::CsvUtf8, false, never()).await.expect("a redo file");
    let rows = |file| {
        let text = std::fs::read_to_string(file).expect("a file");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let receipt = rows(&receipt);
    assert!(receipt[0].ends_with(",lapel name,lapel email"), "{receipt:?}");
    assert!(receipt[1].starts_with("김하나,one@naru.example,A,2,"), "{receipt:?}");
    assert!(receipt[2].starts_with("김두니,two@naru.exmaple,B,3,"), "the file's own cells stay: {receipt:?}");
    assert!(receipt[2].ends_with(",김두나,two@naru.example"), "what was sent: {receipt:?}");
    // That of the row that was not sent has the state of the whole job, and counts its own rows.
    let marked = bench.path("marked.xlsx");
    let among = Some([3].into());
    bench
        .jobs
        .receipt(id, among, marked.clone(), TableFormat::Xlsx, false, never())
        .await
        .expect("a receipt");
    let mut parts = zip::ZipArchive::new(std::fs::File::open(marked).expect("there")).expect("a workbook");
    let facts = std::io::read_to_string(parts.by_name("xl/worksheets/sheet2.xml").expect("a sheet"));
    let facts = facts.expect("text");
    let after = |fact: &str| facts.split(&format!(">{fact}<")).nth(1).expect("the fact").to_owned();
    let begins = |text: &str, value: &str| text.split('>').any(|part| part.starts_with(&format!("{value}<")));
    assert!(begins(&after("state"), "checking") && begins(&after("rows"), "1"), "{facts}");
    let redo = rows(&redo);
    assert_eq!(redo.len(), 2, "{redo:?}");
    assert!(redo[1].starts_with("김세나,sena@naru,C,"), "{redo:?}");
    assert!(redo[1].contains(msg_part(", corrected in the review")), "{redo:?}");
}

#[tokio::test]
async fn a_reading_that_is_given_up_leaves_nothing() {
    let bench = Bench::new().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let template = Some((TemplateId::new("TPL-004").expect("an id"), Text::from("t")));
    let request = FileRequest { template, source: demo("big-3200.csv"), choices: Choices::default() };
    let (progress, _) = watch::channel(lapel::jobs::Reading::default());
    assert!(bench.jobs.draft_file(request, Vec::new(), progress, cancel).await.is_err());
    assert!(matches!(bench.jobs.job(JobId(1)).await, Err(JobError::NotPossible(_))));
}

#[tokio::test]
async fn a_file_that_finds_no_room_in_the_journal_makes_no_job_and_nothing_is_to_be_resumed() {
    let bench = Bench::new().await;
    bench.journal.leave_room(Some(1)).await.expect("less room");
    let template = Some((TemplateId::new("TPL-004").expect("an id"), Text::from("t")));
    let request = FileRequest { template, source: demo("big-3200.csv"), choices: Choices::default() };
    let why = bench.draft(request).await.expect_err("no room").to_string();
    assert!(why.contains(msg_part("is full")) && why.contains(msg_part("Nothing was sent")), "{why}");
    assert!(!why.contains(msg_part("resume")), "{why}");
    bench.journal.leave_room(None).await.expect("room again");
    assert!(bench.jobs.list().await.expect("jobs").is_empty());
}

#[tokio::test]
async fn ids_from_a_file_are_looked_up_and_every_line_is_accounted_for() {
    let mut bench = Bench::new().await;
    let id = bench.ids(demo("revoke-ids.csv"), true).await.expect("a draft");
    let job = bench.job(id).await;
    let of = |row_status| job.counts.of(row_status);
    assert_eq!(job.counts.total(), 60, "{:?}", job.counts);
    assert_eq!((of(RowStatus::Ready), of(RowStatus::ToRevoke)), (41, 9), "{:?}", job.counts);
    // 6 revoked already, 2 that the service does not know; 1 twice, 1 damaged.
    assert_eq!((of(RowStatus::Skipped), of(RowStatus::Invalid)), (8, 2), "{:?}", job.counts);
    let damaged = bench.rows(id, &[RowStatus::Invalid]).await;
    assert!(damaged.iter().any(|r| r.cells[0].wire() == "1.23E+15"), "{damaged:?}");
    bench.jobs.begin(id, "test").await.expect("begun");
    let job = bench.until("sent", id, |j| j.counts.of(RowStatus::Ready) == 0 && j.in_flight == 0).await;
    assert_eq!(
        job.counts.of(RowStatus::Revoking) + job.counts.of(RowStatus::Revoked),
        41,
        "{:?}",
        job.counts
    );
    let ledger = bench.sandbox.control().ledger();
    assert_eq!((ledger.revokes_accepted(), ledger.revokes_dropped()), (41, 0));
    let left_out = bench.ids(ImportSource::Pasted("B-000000001-XX\n".into()), false).await.expect("a draft");
    let rows = bench.rows(left_out, &[]).await;
    assert!(rows[0].why.as_ref().is_some_and(|why| why.is(Code::UnknownBadge)), "{rows:?}");
}

#[tokio::test]
async fn the_receipt_and_the_redo_file_of_a_revocation_have_the_rows_of_the_file() {
    let bench = Bench::new().await;
    let text = "번호,배지 ID,메모\n1,B-000000001-XX,전출\n2,,번호 없음\n3,B-000000002-XX,\"쉼표, 있음\"\n";
    let id = bench.ids(bench.write("ids.csv", text), false).await.expect("a draft");
    let (receipt, redo) = (bench.path("receipt.csv"), bench.path("redo.csv"));
    let cancel = CancellationToken::new();
    bench
        .jobs
        .receipt(id, None, receipt.clone(), TableFormat::CsvUtf8, false, cancel.clone())
        .await
        .expect("saved");
    bench.jobs.redo(id, None, redo.clone(), TableFormat::CsvUtf8, false, cancel).await.expect("saved");
    for file in [&receipt, &redo] {
        let written = std::fs::read_to_string(file).expect("a file");
        let lines: Vec<&str> = written.trim_start_matches('\u{feff}').lines().collect();
        let starts = [
            "번호,배지 ID,메모,lapel ",
            "1,B-000000001-XX,전출,",
            "2,,번호 없음,",
            "3,B-000000002-XX,\"쉼표, 있음\",",
        ];
        assert_eq!(lines.len(), starts.len(), "{written}");
        assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{written}");
    }
    // The redo file is read as the file was: the same ids, and the row without one.
    let again = bench.ids(ImportSource::File(redo), false).await.expect("a draft");
    let ids = |rows: Vec<JobRow>| rows.into_iter().map(|row| row.badge_id).collect::<Vec<_>>();
    assert_eq!(ids(bench.rows(again, &[]).await), ids(bench.rows(id, &[]).await));
}

#[tokio::test]
async fn the_mail_that_did_not_arrive_is_told_by_domain() {
    let mut bench = Bench::new().await;
    let mut text = String::from("name,email\n");
    for n in 0..12 {
        text.push_str(&format!("{},p{n}@strictgate.example\n", name(n)));
    }
    let id = bench.draft_one(bench.write("gate.csv", text), Choices::default()).await;
    bench.check_duplicates(id).await;
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 12).await;
    assert!(
        bench.jobs.mail_failures(Some(id)).await.expect("a report").badges.is_empty(),
        "nothing was mailed yet"
    );
    bench.sandbox.control().advance(Duration::from_secs(25 * 3600));
    bench.jobs.poll_now(Some(id)).await;
    let found = bench.jobs.mail_failures(Some(id)).await.expect("a report");
    let report = &found.report;
    assert_eq!(report.issued, 12);
    assert_eq!(found.badges.len() as u64, report.failed);
    assert_eq!(bench.jobs.mail_failures(None).await.expect("a report"), found, "of all jobs");
    assert!(report.failed > 6, "{report:?}");
    assert_eq!(report.groups[0].domain.wire(), "strictgate.example");
}

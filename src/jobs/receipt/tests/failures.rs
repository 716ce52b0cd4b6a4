//! Tests: after a failure there is no file, and an existing file is unchanged.

use super::*;

#[test]
fn a_file_that_is_there_stays_unless_it_may_be_replaced() {
    let folder = folder();
    let path = folder.path().join("a\u{1b}.xlsx");
    fs::write(&path, "old").expect("written");
    let lines = || fine([line(1, "홍철", "issued")]);
    let why = write_receipt(&path, TableFormat::Xlsx, false, &head(), lines(), &mut go_on)
        .expect_err("it is there");
    assert!(matches!(&why, TableError::Exists(there) if *there == path));
    let said = why.to_string();
    assert!(said.contains("a␛.xlsx already exists") && !said.contains('\u{1b}'), "{said}");
    assert_eq!(fs::read_to_string(&path).expect("text"), "old");
    write_receipt(&path, TableFormat::Xlsx, true, &head(), lines(), &mut go_on).expect("replaced");
    assert_eq!(read_xlsx(&path)[0].1.len(), 2);
    assert_eq!(names(folder.path()).len(), 1);
}

#[test]
fn a_file_that_appears_meanwhile_stays_too() {
    let folder = folder();
    let path = folder.path().join("a.csv");
    let other = path.clone();
    let mut watch = |_| {
        fs::write(&other, "somebody else's").expect("written");
        ControlFlow::Continue(())
    };
    let lines = fine([line(1, "홍철", "issued")]);
    let why = write_receipt(&path, TableFormat::CsvUtf8, false, &head(), lines, &mut watch)
        .expect_err("it is there");
    assert!(matches!(why, TableError::Exists(_)));
    assert_eq!(fs::read_to_string(&path).expect("text"), "somebody else's");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn rows_that_fail_and_a_stop_leave_nothing_behind() {
    for format in [TableFormat::Xlsx, TableFormat::CsvUtf8, TableFormat::CsvCp949] {
        let folder = folder();
        let path = folder.path().join("a");
        let rows = (1..=2000).map(|row| match row {
            1500 => Err(io::Error::other("the journal is gone")),
            _ => Ok(line(row, "홍철", "issued")),
        });
        let why = write_receipt(&path, format, false, &head(), rows, &mut go_on).expect_err("it fails");
        assert!(matches!(why, TableError::Rows(_)));
        assert!(why.to_string().contains("the journal is gone"), "{why}");
        assert_eq!(names(folder.path()), [""; 0]);

        for stop in [0, 1000, 2000] {
            let mut watch =
                |rows| if rows >= stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let rows = fine((1..=2000).map(|row| line(row, "홍철", "issued")));
            let why = write_receipt(&path, format, true, &head(), rows, &mut watch).expect_err("stopped");
            assert!(matches!(why, TableError::Cancelled));
            assert_eq!(names(folder.path()), [""; 0]);
        }
    }
}

#[test]
fn a_folder_that_is_missing_or_closed_is_named() {
    let folder = folder();
    let try_at = |path: &Path| {
        let lines = fine([line(1, "홍철", "issued")]);
        write_receipt(path, TableFormat::Xlsx, true, &head(), lines, &mut go_on)
            .expect_err("it cannot be written")
    };
    let missing = folder.path().join("no such/a.xlsx");
    let why = try_at(&missing);
    assert!(matches!(&why, TableError::NoFolder(path) if *path == missing));
    assert!(why.to_string().contains("no such/a.xlsx"), "{why}");
    fs::write(folder.path().join("file"), "").expect("written");
    assert!(matches!(try_at(&folder.path().join("file/a.xlsx")), TableError::NoFolder(_)));
    fs::create_dir(folder.path().join("a.xlsx")).expect("a folder");
    assert!(matches!(try_at(&folder.path().join("a.xlsx")), TableError::Write { .. }));
    assert_eq!(names(folder.path()).len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_closed_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).expect("closed");
    // Root can write everywhere except in the kernel's folders.
    let root = fs::write(closed.join("probe"), "").is_ok();
    let path = if root { PathBuf::from("/sys/a.xlsx") } else { closed.join("a.xlsx") };
    let lines = fine([line(1, "홍철", "issued")]);
    let why = write_receipt(&path, TableFormat::Xlsx, false, &head(), lines, &mut go_on).expect_err("closed");
    assert!(matches!(&why, TableError::NotAllowed(there) if *there == path), "{why:?}");
}

#[test]
fn a_full_disk_is_an_error_wherever_it_runs_full() {
    /// A disk with this many bytes left.
    struct Disk(usize);
    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (head, path) = (head(), Path::new("a"));
    for format in [TableFormat::Xlsx, TableFormat::CsvUtf8, TableFormat::CsvCp949] {
        let facts = |written: &Written| facts(&head, written);
        let table = to_file(path, format, false, &head.columns, Some((FACTS, &facts)));
        let fill = |room: usize| {
            let entry = |at: u64| WriterRow {
                number: at,
                row_status: None,
                cells: vec![format!("{:x}", at.wrapping_mul(0x9e37_79b9_7f4a_7c15))],
            };
            table.fill(&mut Disk(room), fine((1..=3000).map(entry)), &mut go_on)
        };
        assert!(fill(usize::MAX).is_ok());
        for room in [0, 10, 1000, 9000, 20_000] {
            let why = fill(room).expect_err("it is full");
            assert!(
                matches!(&why, TableError::DiskFull(there) if *there == path),
                "{format} {room}: {why:?}"
            );
        }
    }
}

#[test]
fn a_table_that_is_too_wide_for_excel_is_refused_and_csv_takes_it() {
    let folder = folder();
    let columns: Vec<String> = (0..16_380).map(|at| at.to_string()).collect();
    let head = ReceiptHead { columns, ..head() };
    let (xlsx, csv) = (folder.path().join("a.xlsx"), folder.path().join("a.csv"));
    let one = || fine([line(1, "홍철", "issued")]);
    let why = write_receipt(&xlsx, TableFormat::Xlsx, false, &head, one(), &mut go_on).expect_err("too wide");
    assert!(matches!(why, TableError::TooWide { columns: 16_391 }));
    write_receipt(&csv, TableFormat::CsvUtf8, false, &head, one(), &mut go_on).expect("written");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

//! The last writes that this process knows to be durable. If a team's database lacks one of them, it has lost writes.
//!
//! A small file in the data folder has the last request, for the next process. It is not synced: it only has to
//! outlive this process.

use super::Process;
use super::lost_writes::KnownWrite;
use super::owner::ThisProcess;
use crate::boot_clock::boot_ms;
use crate::fs::{create_private_dir, open_private_append};
use crate::jobs::intake::hex;
use crate::jobs::journal::prelude::*;
use crate::team::Server;
use ring::digest::digest;
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Number of writes that are remembered.
const MOST: usize = 16;
/// The database keeps the numbers of its writes for 7 days. In milliseconds.
const KEPT: i64 = 6 * 86_400_000;
/// Length of the file: a number, a space, a time in milliseconds with 15 digits, and a line break.
const LENGTH: usize = 32 + 1 + 15 + 1;

pub(super) struct ConfirmedWrites {
    pub(super) process: Arc<Process>,
    /// The number of each write, and when it was confirmed, in milliseconds of a clock that counts sleep.
    writes: VecDeque<(String, i64)>,
    file: Option<File>,
}

impl ConfirmedWrites {
    pub(super) fn new(me: &ThisProcess, server: &Server, data_dir: Option<&Path>) -> Self {
        let not_kept =
            |why: &io::Error| tracing::warn!(%why, "the last request is not kept for the next lapel");
        let mut file = data_dir.and_then(|folder| opened(folder, server).inspect_err(not_kept).ok());
        let earlier = file.as_mut().and_then(|file| {
            let (op, at) = read(file)?;
            let age = Timestamp::now().as_millisecond().saturating_sub(at).max(0);
            Some((op, boot_ms().saturating_sub(age)))
        });
        Self { process: me.process.clone(), writes: earlier.into_iter().collect(), file }
    }

    /// The writes that the database must still have.
    pub(super) fn known(&self) -> Vec<KnownWrite> {
        let now = boot_ms();
        let known = self.writes.iter().map(|(op, at)| (op.clone(), now.saturating_sub(*at)));
        known.filter(|(_, age)| *age < KEPT).collect()
    }

    /// The database has confirmed a write.
    pub(super) fn saw(&mut self, op: String, step: &str) {
        if step == "intent"
            && let Some(file) = &mut self.file
            && let Err(why) = write(file, &op)
        {
            tracing::warn!(%why, "the last request is not kept for the next lapel");
            self.file = None;
        }
        self.writes.truncate(MOST - 1);
        self.writes.push_front((op, boot_ms()));
    }

    /// The loss of these writes was noticed.
    pub(super) fn forget(&mut self) {
        self.writes.clear();
    }
}

fn opened(data_dir: &Path, server: &Server) -> io::Result<File> {
    let folder = data_dir.join("team");
    create_private_dir(&folder)?;
    let name: String =
        hex(digest(&SHA256, server.to_string().as_bytes()).as_ref()).chars().take(16).collect();
    let path = folder.join(name);
    // Private from the beginning.
    drop(open_private_append(&path)?);
    OpenOptions::new().read(true).write(true).open(path)
}

/// The number of the last request, and when it was confirmed. `None` if the file is new, or was not written whole.
fn read(file: &mut File) -> Option<(String, i64)> {
    let mut line = String::new();
    file.take(LENGTH as u64).read_to_string(&mut line).ok()?;
    let (op, at) = line.strip_suffix('\n')?.split_once(' ')?;
    let is_number = line.len() == LENGTH && op.len() == 32 && op.bytes().all(|b| b.is_ascii_hexdigit());
    Some((op.to_owned(), at.parse().ok()?)).filter(|_| is_number)
}

/// Each line replaces the one before it and has the same length.
fn write(file: &mut File, op: &str) -> io::Result<()> {
    let at = Timestamp::now().as_millisecond().max(0);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{op} {at:015}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confirmed(folder: &Path) -> ConfirmedWrites {
        let me = ThisProcess::of_team("kim", "desk");
        let server = Server::parse("postgres://kim@db.example/badges").expect("a server");
        ConfirmedWrites::new(&me, &server, Some(folder))
    }

    fn number(n: u32) -> String {
        format!("{n:032x}")
    }

    fn ops(confirmed: &ConfirmedWrites) -> Vec<String> {
        confirmed.known().into_iter().map(|write| write.0).collect()
    }

    #[test]
    fn the_last_writes_are_known_and_the_last_request_to_the_next_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = confirmed(folder.path());
        assert!(ops(&first).is_empty());
        for n in 1..=20 {
            first.saw(number(n), if n % 5 == 0 { "intent" } else { "answer" });
        }
        assert_eq!(ops(&first), (5..=20).rev().map(number).collect::<Vec<_>>());
        first.saw(number(21), "answer");
        let mut second = confirmed(folder.path());
        assert_eq!(ops(&second), [number(20)]);
        second.forget();
        assert!(ops(&second).is_empty());
    }

    #[test]
    fn an_old_or_broken_file_tells_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        confirmed(folder.path()).saw(number(7), "intent");
        let files = std::fs::read_dir(folder.path().join("team")).expect("a folder");
        let file = files.flatten().next().expect("a file").path();
        let old = Timestamp::now().as_millisecond() - KEPT - 1;
        for wrong in [String::new(), number(7), format!("{} {old:015}\n", number(7))] {
            std::fs::write(&file, &wrong).expect("written");
            assert!(ops(&confirmed(folder.path())).is_empty(), "{wrong:?}");
        }
    }
}

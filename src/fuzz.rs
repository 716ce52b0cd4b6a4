//! Gives changed bytes to a parser, for the tests of the modules that read bytes from outside.
//!
//! In the usual test run each parser reads the same hundred inputs, and the limits are ten times as high: other tests run
//! beside it. For a longer run with other inputs:
//!
//! ```text
//! LAPEL_TEST_FUZZ_SECONDS=600 cargo test --lib no_bytes -- --test-threads=1 --nocapture
//! ```

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Inputs of the usual test run.
const FEW: u64 = 100;
/// No input may take longer in a long run, in time of the processor: other programs may be busy.
const PATIENCE: Duration = Duration::from_secs(2);
/// An input that takes this long by the clock does not end.
const ENDLESS: Duration = Duration::from_secs(60);
/// The whole test program may need no more memory in a long run, in bytes.
const MOST_MEMORY: u64 = 256 << 20;
const LOOSER: u32 = 10;
const LONGEST: usize = 1 << 20;

/// Calls `parse` with inputs that are made of `seeds` and `words`. On a failure the input is in the message.
pub fn fuzz(name: &str, seeds: &[&[u8]], words: &[&[u8]], parse: impl Fn(&[u8])) {
    let seconds: Option<u64> =
        std::env::var("LAPEL_TEST_FUZZ_SECONDS").ok().map(|n| n.parse().expect("a number of seconds"));
    let mut random = fastrand::Rng::with_seed(if seconds.is_some() { fastrand::u64(..) } else { 7 });
    let looser = if seconds.is_some() { 1 } else { LOOSER };
    let (begin, mut longest) = (Instant::now(), Duration::ZERO);
    let begins = watch(name.to_owned(), ENDLESS * looser);
    for count in 0.. {
        let is_over = match seconds {
            Some(seconds) => begin.elapsed().as_secs() >= seconds,
            None => count >= FEW,
        };
        if is_over {
            println!("{name}: {count} inputs, the slowest in {longest:.0?}");
            return;
        }
        let input = changed(seeds, words, &mut random);
        begins.send(input.clone()).expect("the watching thread waits");
        let start = spent();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| parse(&input))) {
            eprintln!("{name}: failed on b\"{}\"", input.escape_ascii());
            resume_unwind(panic);
        }
        let took = spent().saturating_sub(start);
        longest = longest.max(took);
        assert!(took < PATIENCE * looser, "{name}: slow on b\"{}\"", input.escape_ascii());
        let most = MOST_MEMORY * u64::from(looser);
        assert!(memory() < most, "{name}: much memory on b\"{}\"", input.escape_ascii());
    }
}

/// Learns each input before it runs. An input that does not end is printed, and the tests stop.
fn watch(name: String, patience: Duration) -> Sender<Vec<u8>> {
    let (begins, told) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut input = Vec::new();
        loop {
            match told.recv_timeout(patience) {
                Ok(next) => input = next,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        // Directly: what the runner of tests keeps back would be lost.
        let _ = writeln!(std::io::stderr(), "{name}: does not end on b\"{}\"", input.escape_ascii());
        std::process::abort();
    });
    begins
}

/// What this thread has had of the processor.
#[cfg(unix)]
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The system does not tell: the time that has passed.
#[cfg(not(unix))]
fn spent() -> Duration {
    static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGIN.elapsed()
}

/// The most memory that this process had at once; 0 where the system does not tell.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}

fn changed(seeds: &[&[u8]], words: &[&[u8]], random: &mut fastrand::Rng) -> Vec<u8> {
    /// Bytes with a meaning in most formats.
    const SIGNS: &[u8] = b"\0\x01\x1b\x7f\x80\xbf\xc0\xff\n\r\t \"'\\,;:=<>{}[]()0-9";
    let pick = |random: &mut fastrand::Rng| seeds[random.usize(..seeds.len())];
    let mut bytes = pick(random).to_vec();
    for _ in 0..=random.usize(..8) {
        let at = random.usize(..=bytes.len());
        let end = (at + random.usize(..=16)).min(bytes.len());
        match random.u8(..8) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => bytes[at..end].iter_mut().for_each(|byte| *byte ^= 1 << random.u8(..8)),
            3 => bytes[at..end].fill(SIGNS[random.usize(..SIGNS.len())]),
            4 if !words.is_empty() => {
                bytes.splice(at..end, words[random.usize(..words.len())].iter().copied());
            }
            5 => {
                // A piece again, perhaps very often.
                let piece = bytes[at..end].to_vec();
                let times = 1 << random.u8(..12);
                bytes.splice(at..at, piece.repeat(times));
            }
            6 => {
                let other = pick(random);
                let from = random.usize(..=other.len());
                bytes.splice(at..end, other[from..].iter().copied());
            }
            _ => bytes.insert(at, random.u8(..)),
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

//! Counts what operations cost, for tests: allocations, and instructions with valgrind.
//!
//! `tests/costs.toml` records the costs of a build for tests. An operation that needs 10 % more than its record fails its
//! test. Write the record again, and say why in the commit:
//!
//! ```text
//! UPDATE_COSTS=1 cargo test --lib --test tui costs_of
//! ```
//!
//! Instructions are compared with `LAPEL_TEST_INSTRUCTIONS=1`, since valgrind is slow. `.ci/run` does so where it is
//! installed. Optimised code has no record; its costs are printed:
//!
//! ```text
//! LAPEL_TEST_INSTRUCTIONS=1 CARGO_PROFILE_RELEASE_STRIP=none cargo test --release --lib costs_of -- --nocapture
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;
use std::sync::Mutex;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/costs.toml");
/// Set in a process that valgrind runs.
const UNDER_VALGRIND: &str = "LAPEL_TEST_UNDER_VALGRIND";

/// Costs of operations, and the versions that they depend on.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct CostRecord {
    rustc: String,
    /// The version of valgrind, and the processor.
    valgrind: String,
    operations: BTreeMap<String, OperationCost>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct OperationCost {
    allocations: u64,
    bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<u64>,
}

impl CostRecord {
    fn read() -> Self {
        toml::from_str(&std::fs::read_to_string(RECORD).unwrap_or_default()).expect("a record")
    }
}

/// valgrind finds this function by its name.
#[inline(never)]
fn counted_by_valgrind(operation: impl FnOnce()) {
    operation();
    std::hint::black_box(());
}

/// Counts what an operation costs on this thread, and compares it with the record. What only the first run of an
/// operation does must be done before.
#[track_caller]
pub fn costs(name: &str, operation: impl FnOnce()) {
    static WRITING: Mutex<()> = Mutex::new(());
    if std::env::var_os(UNDER_VALGRIND).is_some() {
        return counted_by_valgrind(operation);
    }
    let counted = allocation_counter::measure(operation);
    let updates = std::env::var_os("UPDATE_COSTS").is_some();
    let wants_instructions = updates || std::env::var_os("LAPEL_TEST_INSTRUCTIONS").is_some();
    let (rustc, valgrind) = (version("rustc"), version("valgrind").filter(|_| wants_instructions));
    let cost = OperationCost {
        allocations: counted.count_total,
        bytes: counted.bytes_total,
        instructions: valgrind.as_ref().map(|_| instructions()),
    };
    println!("{name}: {cost:?}");
    // Optimised code has no record.
    if !cfg!(debug_assertions) {
        return;
    }
    let rustc = rustc.unwrap_or_default();
    let valgrind = format!("{} {}", valgrind.unwrap_or_default(), std::env::consts::ARCH);
    if updates {
        let _one = WRITING.lock();
        let mut record = CostRecord { rustc, valgrind, ..CostRecord::read() };
        record.operations.insert(name.to_owned(), cost);
        let text = toml::to_string(&record).expect("a record");
        return std::fs::write(RECORD, text).expect("written");
    }
    let record = CostRecord::read();
    let known = record.operations.get(name).copied();
    let known = known.unwrap_or_else(|| panic!("{name} has no record: UPDATE_COSTS=1"));
    if rustc != record.rustc {
        return say_skipped(&format!("this is {rustc}, and the record is of {}", record.rustc));
    }
    let is_more = |now: u64, known: u64| now > known + known / 10;
    assert!(
        !is_more(cost.allocations, known.allocations) && !is_more(cost.bytes, known.bytes),
        "{name} allocates more than before: {cost:?}, recorded {known:?}"
    );
    if let (Some(now), Some(known)) = (cost.instructions, known.instructions) {
        if valgrind != record.valgrind {
            return say_skipped(&format!("this is {valgrind}, and the record is of {}", record.valgrind));
        }
        assert!(!is_more(now, known), "{name} needs {now} instructions, recorded {known}");
    }
}

/// Directly, since the runner of tests hides what a test that passes prints.
fn say_skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped {test}: {why}");
}

fn version(program: &str) -> Option<String> {
    let said = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}

/// Instructions of the calling test's operation: valgrind runs this test again.
fn instructions() -> u64 {
    let thread = std::thread::current();
    let test = thread.name().expect("the name of the test");
    let said = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg("--toggle-collect=*counted_by_valgrind*")
        .arg(std::env::current_exe().expect("the program of tests"))
        .args(["--exact", test, "--test-threads", "1"])
        .env(UNDER_VALGRIND, "1")
        .output()
        .expect("valgrind runs");
    let text = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{test} under valgrind: {text}");
    let collected = text.lines().find_map(|line| line.split("Collected :").nth(1));
    let collected = collected.and_then(|count| count.trim().parse().ok());
    collected.filter(|count| *count > 0).expect("a count of instructions")
}

//! Processor time and memory of a process, from `/proc`.

use std::fs;
use std::time::Duration;

#[derive(Clone, Copy)]
pub struct Process(u32);

impl Process {
    pub fn of(id: u32) -> Self {
        Self(id)
    }

    /// Of all threads that still run.
    pub fn cpu(self) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.0)).expect("Linux, and a running process");
        let nanoseconds = tasks.flatten().filter_map(|task| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanoseconds.sum())
    }

    /// Of all threads, also those that have ended; in steps of 10 ms.
    pub fn cpu_of_all(self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?;
        // After the name, which may have spaces: the state is the first field.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    }

    /// Resident now and at most, in MiB.
    pub fn memory(self) -> Option<(f64, f64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0)).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
        };
        Some((field("VmRSS:")?, field("VmHWM:")?))
    }
}

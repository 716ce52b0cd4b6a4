//! Measures the program in a real terminal, beside a bare ratatui program in the same run. Linux only.
//!
//! ```text
//! cargo bench --bench measure                        # everything, some minutes
//! cargo bench --bench measure -- start keys          # parts: start keys slow job import size
//! LAPEL_TEST_ROWS=1000000 cargo bench --bench measure -- import
//! ```
//!
//! It prints a table in Markdown for docs/performance.md. Nothing is asserted: the figures depend on the machine and on
//! what else runs on it. Compare the ratios.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops the run"
)]

#[cfg(target_os = "linux")]
mod bare;
#[cfg(target_os = "linux")]
mod figures;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod service;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(target_os = "linux")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if args.first().is_some_and(|first| first == figures::BARE) {
        bare::run().expect("a terminal");
        return;
    }
    figures::measure(&args);
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This program reads /proc, which only Linux has.");
}

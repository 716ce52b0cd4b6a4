//! A sandbox in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct Service {
    process: Child,
    pub base_url: String,
    pub api_key: String,
}

impl Service {
    /// Its clock is stopped, so that nothing changes on a screen by itself.
    pub fn start(lapel: &Path, flags: &[&str]) -> Self {
        let mut process = Command::new(lapel)
            .args(["sandbox", "--json", "--speed", "0", "--rate-limit", "1000000"])
            .args(flags)
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("the sandbox starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("the sandbox says where it is");
        let said: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let field = |name: &str| said[name].as_str().expect("a text").to_owned();
        Self { process, base_url: field("base_url"), api_key: field("api_key") }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! The real binary as a child process: what it prints, where, with which exit code, and what it never says.

use crate::closed_port::ClosedPort;
use crate::texts::msg_part;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A key that must never be seen on a terminal or in a file of the log.
const KEY: &str = "dmu_test_s3cretS3cret0123456789";

/// A person with an empty home.
struct Person {
    home: TempDir,
}

struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Person {
    fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a home") }
    }

    /// `lapel` with nothing of this computer's environment.
    fn lapel(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lapel"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Said {
        said(self.lapel(args).envs(env.iter().copied()).output().expect("it runs"))
    }

    fn config_dir(&self) -> PathBuf {
        self.home.path().join(".config/lapel")
    }

    /// Everything in files below home.
    fn files(&self) -> String {
        let mut all = String::new();
        let mut folders = vec![self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    all.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
                }
            }
        }
        all
    }
}

fn said(output: Output) -> Said {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Said { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}

/// A server of one answer, which writes down what it is asked.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(status: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, status, body, &notes);
            }
        });
        Self { address, asked }
    }

    fn good() -> Self {
        Self::start(
            "200 OK",
            r#"{"code":"0001","message":"OK","data":{"status":"ok","apikey_prefix":"dmu_test_"}}"#,
        )
    }

    fn base_url(&self) -> String {
        format!("http://{}/api/v1/ext", self.address)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("notes").clone()
    }
}

fn answer(mut stream: TcpStream, status: &str, body: &str, notes: &Mutex<Vec<String>>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(n) if n > 0 => request.extend_from_slice(&piece[..n]),
            _ => break,
        }
    }
    notes.lock().expect("notes").push(String::from_utf8_lossy(&request).into_owned());
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}

fn json(line: &str) -> Value {
    assert_eq!(line.lines().count(), 1, "one line: {line}");
    serde_json::from_str(line).expect(line)
}

// ------------------------------------------------------------------------------------- help and usage

#[test]
fn version_and_help_are_for_people() {
    let person = Person::new();
    let version = person.run(&["--version"], &[]);
    assert_eq!(
        (version.out.as_str(), version.code),
        (concat!("lapel ", env!("CARGO_PKG_VERSION"), "\n"), Some(0))
    );

    let short = person.run(&["-h"], &[]);
    assert!(short.out.lines().count() <= 42 && short.out.contains(msg_part("lapel demo")), "{}", short.out);
    let long = person.run(&["--help"], &[]);
    for word in [
        "demo",
        "sandbox",
        "ping",
        "issue",
        "revoke",
        "jobs",
        "doctor",
        "profile",
        "info",
        "completions",
        "man",
        "key_command",
        "index",
        "in doubt",
        "[jobs.policies]",
        "[index]",
        "--profile",
        "--read-only",
        "--theme",
        "--glyphs",
        "Examples:",
        "LAPEL_PROFILE",
        "LAPEL_BASE_URL",
        "LAPEL_API_KEY",
        "LAPEL_CONFIG_DIR",
        "LAPEL_DATA_DIR",
        "LAPEL_LOG",
        "NO_COLOR",
        "Exit codes:",
        "config.toml",
        "[profiles.uni]",
        "chmod 600",
    ] {
        assert!(long.out.contains(word), "{word} is missing:\n{}", long.out);
    }
    assert!(long.out.lines().all(|line| line.chars().count() <= 80), "{}", long.out);
    assert_eq!((long.err.as_str(), long.code), ("", Some(0)));
    let reading = "templates template categories category badge-types history wallet badge";
    let others = "demo sandbox ping issue revoke jobs doctor index profile info completions man";
    for verb in others.split(' ').chain(reading.split(' ')) {
        let help = person.run(&[verb, "--help"], &[]);
        assert!(help.code == Some(0) && help.out.contains(msg_part("Usage: lapel")), "{}", help.out);
    }
    assert!(person.run(&["ping", "--help"], &[]).out.contains("--json"));
    assert_eq!(person.files(), "", "asking for help leaves nothing behind");
}

/// The settings that the help shows are settings that work.
#[test]
fn the_example_in_the_help_can_be_copied() {
    let person = Person::new();
    let help = person.run(&["--help"], &[]).out;
    let from = help.find("default_profile").expect("the example begins");
    let to = help[from..].find(msg_part("Keys are never")).expect("the example ends") + from;
    // The text beside a setting is an explanation, two or more spaces away.
    let example: String = help[from..to]
        .lines()
        .map(|line| {
            line.trim()
                .split("   ")
                .next()
                .unwrap_or_default()
                .replace(r#"{ env = "UNI_BADGE_KEY" }"#, r#"{ env = "K" }"#)
                + "\n"
        })
        .collect();
    fs::create_dir_all(person.config_dir()).expect("a folder");
    fs::write(person.config_dir().join("config.toml"), &example).expect("the example");
    let said = person.run(&["ping", "--json"], &[]);
    // The only thing that is missing is the key's variable.
    assert!(
        said.err.contains("profiles.uni.key.env") && said.err.lines().count() == 3,
        "{example}\n{}",
        said.err
    );
}

#[test]
fn a_wrong_command_line_exits_2_and_does_nothing() {
    let person = Person::new();
    for args in [
        &["--nonsense"][..],
        &["pong"],
        &["ping", "extra"],
        &["demo", "--speed", "fast"],
        &["--theme", "pink"],
        &["demo", "--history", "-1"],
        &["--profile"],
        &["demo", "ping"],
        &["ping", "--json=yes"],
    ] {
        let said = person.run(args, &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(said.err.contains("error:"), "{args:?}: {}", said.err);
    }
    assert_eq!(person.files(), "");
}

#[test]
fn a_key_as_an_argument_is_refused_with_the_right_ways() {
    for args in [
        &["--api-key", KEY][..],
        &["--api-key=dmu_test_s3cretS3cret0123456789"],
        &["ping", "--key", KEY],
        &["ping", "--api_key", KEY],
        &["--token", KEY, "demo"],
    ] {
        let said = Person::new().run(args, &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(
            said.err.contains("LAPEL_API_KEY") && said.err.contains(msg_part("the shell keeps")),
            "{}",
            said.err
        );
        assert!(!said.err.contains("s3cret"), "{}", said.err);
    }
}

#[test]
fn the_app_says_that_it_needs_a_terminal() {
    for args in [&["demo"][..], &[]] {
        let said = Person::new().run(args, &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
        assert!(
            said.err.contains(msg_part("needs a terminal")) && said.err.contains(msg_part("ping --json")),
            "{}",
            said.err
        );
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_error() {
    for args in [&["--help"][..], &["ping"], &["ping", "--json"], &["--version"]] {
        let server = Server::good();
        let person = Person::new();
        let mut command = person.lapel(args);
        command.env("LAPEL_BASE_URL", server.base_url()).env("LAPEL_API_KEY", KEY);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
        let said = said(output);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn what_the_app_is_to_begin_with_is_checked_first() {
    for (args, said) in [
        (&["--tab", "attic"][..], "--tab attic: unknown tab"),
        (&["demo", "--tab", "wallet", "--filter", "title=x"], "--tab templates or --tab history"),
        (&["--filter", "use_yn=Y"], "recipient_name, recipient_email, title, issue_start_date"),
        (&["--tab", "templates", "demo", "--filter", "recipient_name=x"], "title, use_yn, badge_type"),
        (&["--filter", "issue_start_date=tomorrow"], "is not a date"),
        (&["--tab", "history", "ping"], "work only with lapel"),
        (&["demo", "--tab", "history", "--filter", "title=x"], "needs a terminal"),
    ] {
        let got = Person::new().run(args, &[]);
        assert_eq!((got.code, got.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(got.err.contains(said), "{args:?}: {}", got.err);
    }
}

// ------------------------------------------------------------------------------------------------ ping

#[test]
fn ping_says_that_the_key_is_good() {
    let server = Server::good();
    let person = Person::new();
    let base_url = server.base_url();
    let env = [("LAPEL_BASE_URL", base_url.as_str()), ("LAPEL_API_KEY", KEY)];

    let said = person.run(&["ping"], &env);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{}", said.out);
    let words: Vec<&str> = said.out.split_whitespace().collect();
    assert_eq!(words[..3], ["ok", "key", "dmu_test_…"]);
    assert!(words[3].parse::<u64>().is_ok() && words[4] == "ms" && words[5] == base_url, "{}", said.out);

    let said = person.run(&["ping", "--json"], &env);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let answer = json(&said.out);
    assert_eq!(answer["ok"], true);
    assert_eq!((&answer["status"], &answer["apikey_prefix"]), (&"ok".into(), &"dmu_test_".into()));
    assert!(answer["round_trip_ms"].is_u64() && answer["base_url"] == base_url.as_str());

    let asked = server.asked();
    assert_eq!(asked.len(), 2, "one request each");
    for request in asked {
        assert!(request.starts_with("GET /api/v1/ext/ping HTTP/1.1"), "{request}");
        assert!(request.to_ascii_lowercase().contains(&format!("x-api-key: {}", KEY.to_ascii_lowercase())));
    }
    assert_eq!(person.files(), "", "a ping leaves nothing behind");
}

#[test]
fn ping_fails_with_the_reason() {
    let cases = [
        (
            "401 Unauthorized",
            r#"{"code":"4001","message":"Invalid API key","data":null}"#,
            "key_refused",
            "API key",
        ),
        (
            "403 Forbidden",
            r#"{"code":"4001","message":"Invalid API key","data":null}"#,
            "key_refused",
            "API key",
        ),
        ("403 Forbidden", r#"{"code":"9999","message":"no","data":null}"#, "address_refused", "allow-list"),
        ("404 Not Found", "<html>nothing here</html>", "not_this_service", "base URL"),
        ("200 OK", r#"{"code":"0001","message":"OK","data":{"status":"disabled"}}"#, "not_ok", "disabled"),
        ("200 OK", r#"{"code":"0001","message":"OK","data":{}}"#, "not_ok", "missing"),
    ];
    for (status, body, kind, reason) in cases {
        let server = Server::start(status, body);
        let base_url = server.base_url();
        let env = [("LAPEL_BASE_URL", base_url.as_str()), ("LAPEL_API_KEY", KEY)];
        let said = Person::new().run(&["ping"], &env);
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{body}: {}", said.err);
        assert!(said.err.starts_with(msg_part("lapel: ")) && said.err.contains(reason), "{}", said.err);

        let said = Person::new().run(&["ping", "--json"], &env);
        let answer = json(&said.out);
        assert_eq!((said.code, &answer["ok"]), (Some(1), &false.into()));
        assert_eq!(answer["error"]["kind"], kind, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains(reason)), "{answer}");
        assert_eq!(answer["base_url"], base_url.as_str());
    }
}

#[test]
fn ping_says_when_nobody_is_there() {
    let nobody = ClosedPort::new();
    let base_url = format!("http://{}/api/v1/ext", nobody.address());
    let said =
        Person::new().run(&["ping", "--json"], &[("LAPEL_BASE_URL", &base_url), ("LAPEL_API_KEY", KEY)]);
    assert_eq!(said.code, Some(1));
    assert_eq!(json(&said.out)["error"]["kind"], "not_reached", "{}", said.out);
}

#[test]
fn ping_without_a_profile_says_what_to_do() {
    let said = Person::new().run(&["ping"], &[]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    for way in ["lapel demo", "LAPEL_BASE_URL", "LAPEL_API_KEY", "config.toml"] {
        assert!(said.err.contains(way), "{}", said.err);
    }
    let said = Person::new().run(&["ping", "--json"], &[]);
    assert_eq!(said.code, Some(2));
    assert_eq!(json(&said.out)["error"]["kind"], "no_profile");
}

#[test]
fn ping_uses_the_profile_that_is_kept() {
    let server = Server::good();
    let person = Person::new();
    let keys = person.config_dir().join("keys");
    fs::create_dir_all(&keys).expect("folders");
    fs::write(
        person.config_dir().join("config.toml"),
        format!("[profiles.uni]\nenvironment = 'demo'\nbase_url = '{}'\n", server.base_url()),
    )
    .expect("settings");
    fs::write(keys.join("uni"), KEY).expect("a key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(keys.join("uni"), fs::Permissions::from_mode(0o640)).expect("chmod");
        let said = person.run(&["ping"], &[]);
        assert_eq!(said.code, Some(2));
        assert!(
            said.err.contains(msg_part("chmod 600 ")) && said.err.contains("config.toml, line 1"),
            "{}",
            said.err
        );
        fs::set_permissions(keys.join("uni"), fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    assert_eq!(person.run(&["ping"], &[]).code, Some(0));
    assert_eq!(person.run(&["--profile", "uni", "ping"], &[]).code, Some(0));
    assert_eq!(person.run(&["ping", "--profile", "other"], &[]).code, Some(2));
    assert_eq!(person.run(&["ping"], &[("LAPEL_PROFILE", "other")]).code, Some(2));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let none = elsewhere.path().to_str().expect("UTF-8");
    assert_eq!(
        person.run(&["ping"], &[("LAPEL_CONFIG_DIR", none)]).code,
        Some(2),
        "another folder, no profile"
    );
    assert_eq!(person.run(&["ping"], &[("XDG_CONFIG_HOME", none)]).code, Some(2));
}

#[test]
fn a_mistake_in_the_settings_is_told_with_its_line() {
    let person = Person::new();
    fs::create_dir_all(person.config_dir()).expect("a folder");
    fs::write(person.config_dir().join("config.toml"), format!("theme = 'dark'\n\napi_key = '{KEY}\n"))
        .expect("settings");
    let said = person.run(&["ping"], &[]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(
        said.err.contains("config.toml, line 3: ") && said.err.contains(msg_part("lapel demo works")),
        "{}",
        said.err
    );
    assert!(!said.err.contains("s3cret"), "{}", said.err);
    let said = person.run(&["ping", "--json"], &[]);
    assert_eq!((said.code, &json(&said.out)["error"]["kind"]), (Some(2), &"settings".into()));
    assert!(!said.out.contains("s3cret") && !said.err.contains("s3cret"));
}

#[test]
fn ping_and_sandbox_understand_each_other() {
    let person = Person::new();
    let sandbox =
        Running(person.lapel(&["sandbox", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts"));
    let (mut sandbox, line) = sandbox.first_line();
    let ready = json(line.trim_end());
    let base_url = ready["base_url"].as_str().expect("a base URL");
    let key = ready["api_key"].as_str().expect("a key");

    let said = person.run(&["ping", "--json"], &[("LAPEL_BASE_URL", base_url), ("LAPEL_API_KEY", key)]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{}", said.out);
    let prefix = json(&said.out)["apikey_prefix"].as_str().expect("a prefix").to_owned();
    assert!(key.starts_with(prefix.trim_end_matches(['.', '…'])) && prefix.len() < key.len() / 2, "{prefix}");

    let said = person.run(&["ping", "--json"], &[("LAPEL_BASE_URL", base_url), ("LAPEL_API_KEY", KEY)]);
    assert_eq!((said.code, &json(&said.out)["error"]["kind"]), (Some(1), &"key_refused".into()));

    // The path prefix belongs to the address; without it something else answers.
    let short = base_url.trim_end_matches("/api/v1/ext");
    let said = person.run(&["ping"], &[("LAPEL_BASE_URL", short), ("LAPEL_API_KEY", key)]);
    assert!(said.code == Some(1) && said.err.contains("/api/v1/ext"), "{}", said.err);

    #[cfg(unix)]
    assert_eq!(sandbox.terminate(), Some(0), "a signal ends it cleanly");
    drop(sandbox);
}

/// A child that does not outlive its test.
struct Running(std::process::Child);

impl Running {
    fn first_line(mut self) -> (Self, String) {
        let mut line = String::new();
        let out = self.0.stdout.as_mut().expect("piped");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
        (self, line)
    }

    #[cfg(unix)]
    fn terminate(&mut self) -> Option<i32> {
        let pid = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)?;
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
        for _ in 0..400 {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// -------------------------------------------------------------------------------- what is never said

#[test]
fn the_key_is_in_no_output_and_in_no_file() {
    let servers = [
        Server::good(),
        Server::start(
            "401 Unauthorized",
            r#"{"code":"4001","message":"no such key: dmu_test_s3cretS3cret0123456789","data":null}"#,
        ),
        Server::start(
            "200 OK",
            r#"{"code":"0001","message":"OK","data":{"status":"ok","apikey_prefix":"dmu_test_s3cretS3cret0123456789"}}"#,
        ),
        Server::start(
            "200 OK",
            r#"{"code":"0001","message":"OK","data":{"status":"dmu_test_s3cretS3cret0123456789","apikey_prefix":"dmu"}}"#,
        ),
        Server::start("502 Bad Gateway", "<html>dmu_test_s3cretS3cret0123456789</html>"),
    ];
    for server in &servers {
        for (args, filter) in
            [(&["ping"][..], "trace"), (&["ping", "--json"], "trace,reqwest=trace,hyper=trace")]
        {
            let person = Person::new();
            let base_url = server.base_url();
            let env = [
                ("LAPEL_BASE_URL", base_url.as_str()),
                ("LAPEL_API_KEY", KEY),
                ("LAPEL_LOG", filter),
                ("RUST_LOG", "trace"),
                ("RUST_BACKTRACE", "1"),
            ];
            let said = person.run(args, &env);
            let files = person.files();
            assert!(files.contains(msg_part("lapel starts")), "the log was on: {files}");
            for text in [&said.out, &said.err, &files] {
                assert!(!text.contains("s3cret"), "{text}");
            }
            for foreign in ["hyper", "reqwest"] {
                assert!(!files.contains(foreign), "{files}");
            }
        }
        assert!(!server.asked().is_empty());
    }
    let help = Person::new().run(&["--help"], &[("LAPEL_API_KEY", KEY), ("LAPEL_BASE_URL", KEY)]);
    assert!(!help.out.contains("s3cret"), "the help shows no values");
}

#[test]
fn the_log_is_off_unless_asked_for_and_for_its_owner_only() {
    let server = Server::good();
    let base_url = server.base_url();
    let env = [("LAPEL_BASE_URL", base_url.as_str()), ("LAPEL_API_KEY", KEY)];
    let person = Person::new();
    assert_eq!(person.run(&["ping"], &env).code, Some(0));
    let data = person.home.path().join(".local/share/lapel");
    assert!(!data.join("lapel.log").exists());

    let said = person.run(&["ping"], &[&env[..], &[("LAPEL_LOG", "debug")]].concat());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&data.join("lapel.log"))), (0o700, 0o600));
    }

    for bad in ["lapel=loud", "=,=", "hyper=trace"] {
        let said = person.run(&["ping"], &[&env[..], &[("LAPEL_LOG", bad)]].concat());
        assert_eq!(said.code, Some(0), "a bad filter stops nothing");
        assert!(said.err.contains("LAPEL_LOG"), "{bad}: {}", said.err);
    }
    let file = person.home.path().join("a-file");
    fs::write(&file, "").expect("a file");
    let nowhere = file.to_str().expect("UTF-8");
    let said =
        person.run(&["ping"], &[&env[..], &[("LAPEL_LOG", "debug"), ("LAPEL_DATA_DIR", nowhere)]].concat());
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains(msg_part("cannot write the log")), "{}", said.err);
}

#[test]
fn proxies_of_the_environment_see_nothing() {
    let proxy = Server::start(
        "200 OK",
        r#"{"code":"0001","message":"OK","data":{"status":"ok","apikey_prefix":"px"}}"#,
    );
    let server = Server::good();
    let through = format!("http://{}", proxy.address);
    let proxies = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        .map(|name| (name, through.as_str()));
    // Loopback, and a name that nobody answers for: neither goes to the proxy.
    let base_url = server.base_url();
    for (base_url, code) in [(base_url.as_str(), 0), ("https://nobody.invalid/api/v1/ext", 1)] {
        let env = [&proxies[..], &[("LAPEL_BASE_URL", base_url), ("LAPEL_API_KEY", KEY)]].concat();
        let said = Person::new().run(&["ping"], &env);
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
    }
    assert_eq!(server.asked().len(), 1);
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
}

#[test]
fn the_tour_is_not_taken_where_one_only_looks() {
    let person = Person::new();
    let said = person.run(&["--read-only", "tour"], &[]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains(msg_part("Nothing was started")) && said.out.is_empty(), "{}", said.err);
}

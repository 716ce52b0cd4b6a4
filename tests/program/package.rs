//! What Cargo says of the package and of its dependencies.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(ROOT).output().expect(program);
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The packages of this platform; the others need not be on this computer.
fn packages() -> Vec<Value> {
    let about = output("rustc", &["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("the host");
    let args = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let text = output(env!("CARGO"), &args);
    let data: Value = serde_json::from_str(&text).expect("JSON");
    data["packages"].as_array().expect("packages").clone()
}

/// `1.90` and `1.90.0` are one version.
fn version(text: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().expect("a number")).collect();
    parts.resize(3, 0);
    parts
}

/// A use of something newer in the standard library is found by clippy's `incompatible_msrv`.
#[test]
fn the_oldest_rust_suffices_for_every_dependency() {
    let packages = packages();
    let own = packages.iter().find(|package| package["name"] == "lapel").expect("lapel itself");
    let oldest = own["rust_version"].as_str().expect("its oldest Rust");
    assert!(packages.len() > 100, "{}", packages.len());
    for package in &packages {
        if let Some(needed) = package["rust_version"].as_str() {
            let name = &package["name"];
            assert!(version(needed) <= version(oldest), "{name} needs Rust {needed}, lapel says {oldest}");
        }
    }
    for page in ["README.md", "docs/CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(page)).expect(page);
        assert!(text.contains(&format!("You need Rust {oldest} or newer")), "{page}");
    }
}

#[test]
fn the_package_says_what_it_is_and_under_which_licences() {
    let packages = packages();
    let own = packages.iter().find(|package| package["name"] == "lapel").expect("lapel itself");
    for field in ["description", "license", "readme", "rust_version"] {
        assert!(own[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert!(own["keywords"].as_array().is_some_and(|words| (1..=5).contains(&words.len())));
    let files = output(env!("CARGO"), &["package", "--list", "--offline", "--allow-dirty"]);
    for file in [
        "Cargo.lock",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "assets/ko.toml",
        "assets/demo/attendees-cp949.csv",
        "docs/SECURITY.md",
    ] {
        assert!(files.lines().any(|line| line == file), "{file} is not in the package");
    }
    assert!(!files.lines().any(|line| line.starts_with("target/") || line.contains("proptest-regressions")));
}

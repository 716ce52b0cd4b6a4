//! The zone of the times of a command: named where a person reads them, and only there.

use super::kit::lapel;
use crate::texts::msg_with;
use lapel::sandbox::{Options, Sandbox};
use tokio::runtime::Runtime;

#[test]
fn a_list_on_a_terminal_names_the_zone_of_its_times_once() {
    let runtime = Runtime::new().expect("a runtime");
    let options = Options { history: Some(3), ..Options::default() };
    let sandbox = runtime.block_on(Sandbox::start(options)).expect("the sandbox starts");
    for (flag, named) in [(None, 1), (Some("--csv"), 1), (Some("--json"), 0)] {
        let args: Vec<&str> = ["history"].into_iter().chain(flag).collect();
        let setup = lapel(&args).env("BADGE_KEY", sandbox.api_key()).size(120, 40);
        setup.write(
            "config/config.toml",
            format!(
                "[profiles.uni]\nenvironment = 'demo'\nbase_url = '{}'\nutc_offset = '+09:00'\nkey = {{ env = 'BADGE_KEY' }}\n",
                sandbox.base_url()
            ),
        );
        let mut term = setup.start();
        assert_eq!(term.exit().exit_code(), 0, "{}", term.shown().text);
        let said = msg_with("Times are in the service's zone ({zone}).", &[&"UTC+9"]);
        let text = String::from_utf8_lossy(&term.raw()).into_owned();
        assert_eq!(text.matches(&said).count(), named, "{flag:?}: {text}");
    }
}

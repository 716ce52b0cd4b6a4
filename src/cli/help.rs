//! The words of the help.

pub(super) const ABOUT: &str = "\
A desk in the terminal for a Digital Badge Issuing Service: browse badge templates and the issuance \
history, look up a holder's wallet, issue badges, revoke them, and know what became of each.

Without a command the desk opens with the chosen profile. Nothing set up yet? `lapel demo` needs nothing.";

pub(super) const SHORT: &str = "\
Try it:          lapel demo
More:            lapel --help (settings, environment variables, exit codes)";

pub(super) const LONG: &str = r#"Examples:
  lapel demo                         look around; nothing is real
  lapel                              the desk, with the default profile
  lapel --profile uni --read-only    the desk, looking only
  lapel ping                         is the key good?

Where settings come from:
  A flag wins over the environment, the environment over config.toml, and that
  over the default. config.toml stands in ~/.config/lapel:

    default_profile = "uni"
    theme = "dark"                     dark, light, none
    glyphs = "unicode"                 unicode, ascii
    [profiles.uni]
    base_url = "https://badges.example/api/v1/ext"
    environment = "live"               demo, staging, live; left out: live
    organisation = "..."               what you call it
    read_only = true
    key = { env = "UNI_BADGE_KEY" }    or { file = "..." }; left out: keys/uni
    rate_limit = 600                   requests a minute; left out: 1000
    utc_offset = "+09:00"              of the service's times
    proxy = "http://proxy.example:8080"

  Keys are never given as arguments and never stand in config.toml. They come
  from LAPEL_API_KEY, from the variable or file that the profile names, or from
  ~/.config/lapel/keys/NAME, which only you may read (chmod 600).

Environment variables:
  LAPEL_PROFILE      the profile to use
  LAPEL_BASE_URL     the service's address; with LAPEL_API_KEY a whole profile
  LAPEL_API_KEY      the API key; with a profile chosen, in place of its key
  LAPEL_CONFIG_DIR   settings and keys, in place of ~/.config/lapel
  LAPEL_DATA_DIR     journal, log and crash files, in place of
                     ~/.local/share/lapel
  LAPEL_LOG          write lapel.log there: error, warn, info, debug, trace, or
                     targets such as lapel::api=debug
  NO_COLOR           if not empty, no colours
  HTTP_PROXY and its kin are not used: a proxy is set in the profile.

Exit codes:
  0  done
  1  tried, and it did not work: refused, not reached, failed
  2  not tried: a mistake in the command line or the settings, or no profile"#;

pub(super) const DEMO: &str = "\
Open the desk on a sandbox of its own: the whole service, made up, on a free port of this computer. No \
account is needed, nothing leaves this computer, nothing is real, and nothing is left behind. Its clock \
runs fast, so that a badge issued there becomes Issued while one watches.";

pub(super) const DEMO_EXAMPLES: &str = "\
Examples:
  lapel demo
  lapel demo --history 1000000    a history of a million badges
  lapel demo --speed 600          a day passes in under three minutes";

pub(super) const PING: &str = "\
Ask the service whether the key is good. Prints the status, the first characters of the key as the service \
sees it, how long the answer took, and the address.";

pub(super) const PING_EXAMPLES: &str = r#"Examples:
  lapel ping
  lapel ping --profile uni
  lapel ping --json

With --json, one line, in success and in failure:
  {"ok":true,"status":"ok","apikey_prefix":"...","round_trip_ms":23,
   "base_url":"..."}
  {"ok":false,"error":{"kind":"...","message":"..."},"base_url":"..."}

Exit codes:
  0  the key is good
  1  it is not, or the service did not answer
  2  no profile, or a mistake in the settings"#;

pub(super) const NO_KEY_FLAG: &str = "\
no flag takes an API key: arguments can be seen by everybody on this computer
and stay in the shell's history. If you have just typed a real key, consider
replacing it in the issuer back office.
Give the key in one of these ways:
  - the environment variable LAPEL_API_KEY
  - a file that only you can read, keys/NAME in ~/.config/lapel
  - key = { env = \"NAME\" } or key = { file = \"path\" } in the profile
More: lapel --help";

pub(super) const HOW_TO_BEGIN: &str = "\
no profile is configured, so there is no service to talk to. Do one of these:
  - look around without an account:  lapel demo
  - set LAPEL_BASE_URL and LAPEL_API_KEY
  - run lapel in a terminal; it asks for address and key and keeps them
  - write a profile into config.toml (lapel --help shows one)";

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond that, clap would break the lines of tables in odd places.
    #[test]
    fn what_is_laid_out_by_hand_fits_an_80_column_terminal() {
        for text in [SHORT, LONG, DEMO_EXAMPLES, PING_EXAMPLES, NO_KEY_FLAG, HOW_TO_BEGIN] {
            for line in text.lines() {
                assert!(line.chars().count() <= 79, "{line}");
            }
        }
    }
}

//! Faults: rules such as `get /badges/history every=7 status=500`.
//!
//! A rule selects requests and defines their failure, in one line that fits a command line and a test.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// The grammar, for `--help` and for error messages.
pub const HELP: &str = "\
  A rule is a line of words: [METHOD] [PATH] [WHEN]... FAULT...

  METHOD  get, post or any (default any)
  PATH    relative to the base URL (default: every path); `*` or `{id}`
          stands for one segment, a final `/**` for all that follows
  WHEN    every=N     only every Nth matching request (default 1)
          after=N     not the first N matching requests
          times=N     at most N times
          match=WORD  only when the query or the body contains WORD

  FAULT, one of
          status=N            an error envelope with that status; also
                              code=WORD and message=REST OF LINE
          status=429 retry-after=VALUE
                              seconds, http-date, none, nonsense, any word
          html=N              a web page with that status
          redirect=URL        302, or status=301|302|303|307|308
          drop                the connection is closed without an answer
          reset               the same, with a TCP reset
          empty, empty=N, 204 no body at all, with status 200, N or 204
          garbage             bytes that are not HTTP
          truncate[=N]        the connection ends after N bytes of the
                              body (default: half of it)
          wrong-length=N      content-length is off by N, such as +10
          slow-body=TIME      the body trickles for that long
          items=HOW           the list in the answer lies: reversed, lower,
                              missing, extra, doubled, empty, none; or the
                              data is null
          accepted=N          accepted_count lies
  and, alone or with any of these,
          delay=TIME          real time, such as 3s, 250ms, 2m, before the
                              request is looked at
          hold                the same, until the faults are cleared
          commit              the request is carried out first; delay, hold
                              and fault come after it
          commit-drop         short for `commit drop`; also commit-reset

  truncate, wrong-length, slow-body, items and accepted spoil a real
  answer, so they always carry out the request; all others only with
  `commit`.

  Examples
          get /badges/history every=7 status=500
          post /badges commit-drop times=1
          post /badges/batch drop
          get /** delay=3s
          any status=429 retry-after=5 after=20 times=3
          post /badges/batch commit delay=40s
          get /badges/* html=502 times=2";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum FaultEffect {
    /// Only the delay.
    #[default]
    Late,
    Status {
        status: u16,
        code: Option<String>,
        message: Option<String>,
        retry_after: Option<String>,
    },
    Html(u16),
    Redirect {
        status: u16,
        to: String,
    },
    Drop,
    Reset,
    Empty(u16),
    Garbage,
    Truncate(Option<usize>),
    WrongLength(i64),
    SlowBody(Duration),
    Items(Items),
    Accepted(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Items {
    Reversed,
    Lower,
    Missing,
    Extra,
    Doubled,
    Empty,
    /// The list is missing.
    None,
    /// `data` is null.
    Null,
}

#[derive(Debug, Clone, Default)]
pub struct FaultRule {
    text: String,
    method: Option<String>,
    path: Option<String>,
    contains: Option<String>,
    every: u64,
    after: u64,
    times: Option<u64>,
    delay: Duration,
    /// Cancelled when the faults are cleared.
    hold: Option<CancellationToken>,
    pub(super) commit: bool,
    pub(super) harm: FaultEffect,
    seen: u64,
    fired: u64,
}

impl FaultRule {
    pub fn fired(&self) -> u64 {
        self.fired
    }

    pub(super) async fn wait(&self) {
        tokio::time::sleep(self.delay).await;
        if let Some(hold) = &self.hold {
            hold.cancelled().await;
        }
    }

    pub(super) fn release(&self) {
        if let Some(hold) = &self.hold {
            hold.cancel();
        }
    }

    /// Counts a matching request. Returns whether the rule applies to it.
    pub(super) fn strikes(&mut self, method: &str, path: &str, query: &str, body: &[u8]) -> bool {
        let hit = self.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
            && self.path.as_deref().is_none_or(|pattern| covers(pattern, path))
            && self.contains.as_deref().is_none_or(|word| {
                query.contains(word) || body.windows(word.len()).any(|part| part == word.as_bytes())
            });
        if !hit {
            return false;
        }
        self.seen += 1;
        let strikes = self.seen > self.after
            && (self.seen - self.after).is_multiple_of(self.every)
            && self.times.is_none_or(|times| self.fired < times);
        self.fired += u64::from(strikes);
        strikes
    }
}

impl fmt::Display for FaultRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn covers(pattern: &str, path: &str) -> bool {
    if let Some(head) = pattern.strip_suffix("/**") {
        let mut rest = path.split('/');
        return head.split('/').all(|part| rest.next().is_some_and(|segment| same(part, segment)));
    }
    let (pattern, path): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len() && pattern.iter().zip(path).all(|(part, segment)| same(part, segment))
}

fn same(part: &str, segment: &str) -> bool {
    part == segment || part == "*" || (part.starts_with('{') && part.ends_with('}'))
}

impl FromStr for FaultRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (line, message) = match text.split_once("message=") {
            Some((line, message)) => (line, Some(message.trim().to_owned())),
            None => (text, None),
        };
        let mut fault = FaultRule { text: text.trim().to_owned(), every: 1, ..FaultRule::default() };
        let mut parts = FaultParts { message, ..FaultParts::default() };
        for (at, word) in line.split_whitespace().enumerate() {
            fault.word(&mut parts, at, word)?;
        }
        fault.finish(parts)
    }
}

#[derive(Default)]
struct FaultParts {
    status: Option<u16>,
    code: Option<String>,
    message: Option<String>,
    retry_after: Option<String>,
    redirect: Option<String>,
    harm: Option<(String, FaultEffect)>,
}

impl FaultParts {
    fn harm(&mut self, word: &str, harm: FaultEffect) -> Result<(), String> {
        if let Some((first, _)) = &self.harm {
            return Err(format!("`{first}` and `{word}` cannot both happen: give one fault per rule"));
        }
        self.harm = Some((word.to_owned(), harm));
        Ok(())
    }
}

impl FaultRule {
    fn word(&mut self, parts: &mut FaultParts, at: usize, word: &str) -> Result<(), String> {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let bad = |wanted: &str| format!("`{word}` in the fault rule: {wanted}");
        let whole = || bad("a whole number is wanted after `=`");
        let number = || value.and_then(|value| value.parse::<u64>().ok()).ok_or_else(whole);
        let items = || bad("reversed, lower, missing, extra, doubled, empty, none or null");
        let status = || status(number()?).ok_or_else(|| bad("200 to 599"));
        let time = |text| duration(text).ok_or_else(|| bad("write 3s, 250ms or 2m"));
        let name = name.to_ascii_lowercase();
        match (name.as_str(), value) {
            ("get" | "post" | "put" | "delete" | "patch" | "head", None) if at == 0 => {
                self.method = Some(name.to_ascii_uppercase());
            }
            ("any" | "*", None) if at == 0 => {}
            (path, _) if path.starts_with('/') => {
                if self.path.is_some() {
                    return Err(bad("a rule has one path"));
                }
                self.path = Some(word.to_owned());
            }
            ("every", _) => {
                self.every = Some(number()?).filter(|n| *n > 0).ok_or_else(|| bad("at least 1"))?;
            }
            ("after", _) => self.after = number()?,
            ("times", _) => self.times = Some(number()?),
            ("match", Some(text)) if !text.is_empty() => self.contains = Some(text.to_owned()),
            ("delay", Some(text)) => self.delay = time(text)?,
            ("hold", None) => self.hold = Some(CancellationToken::new()),
            ("commit", None) => self.commit = true,
            ("status", _) => parts.status = Some(status()?),
            ("code", Some(text)) => parts.code = Some(text.to_owned()),
            ("retry-after", Some(text)) => parts.retry_after = Some(text.to_owned()),
            ("redirect", Some(to)) if !to.is_empty() => parts.redirect = Some(to.to_owned()),
            (harm, value) => {
                let harm = match (harm, value) {
                    ("drop" | "commit-drop", None) => FaultEffect::Drop,
                    ("reset" | "commit-reset", None) => FaultEffect::Reset,
                    ("garbage", None) => FaultEffect::Garbage,
                    ("html", None) => FaultEffect::Html(502),
                    ("html", _) => FaultEffect::Html(status()?),
                    ("204", None) => FaultEffect::Empty(204),
                    ("empty", None) => FaultEffect::Empty(200),
                    ("empty", _) => FaultEffect::Empty(status()?),
                    ("truncate", None) => FaultEffect::Truncate(None),
                    ("truncate", _) => FaultEffect::Truncate(usize::try_from(number()?).ok()),
                    ("wrong-length", Some(by)) => {
                        FaultEffect::WrongLength(by.parse().map_err(|_| bad("write +10 or -5"))?)
                    }
                    ("slow-body", Some(text)) => FaultEffect::SlowBody(time(text)?),
                    ("items", Some(kind)) => FaultEffect::Items(kind.parse().map_err(|_| items())?),
                    ("accepted", Some(by)) => FaultEffect::Accepted(by.parse().map_err(|_| whole())?),
                    _ => return Err(bad("no such word; `lapel sandbox --help` shows the grammar")),
                };
                self.commit |= name.starts_with("commit-");
                parts.harm(word, harm)?;
            }
        }
        Ok(())
    }

    fn finish(mut self, parts: FaultParts) -> Result<Self, String> {
        let FaultParts { status, code, message, retry_after, redirect, harm } = parts;
        let worded = code.is_some() || message.is_some() || retry_after.is_some();
        self.harm = match (harm, redirect, status) {
            (Some((word, _)), Some(_), _) | (Some((word, _)), _, Some(_)) => {
                return Err(format!("`{word}` cannot be combined with status or redirect in one fault rule"));
            }
            (Some((word, _)), None, None) if worded => {
                return Err(format!("code, message and retry-after go with status=, not with `{word}`"));
            }
            (Some((_, harm)), None, None) => harm,
            (None, Some(to), status) => {
                let status = status.unwrap_or(302);
                if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                    return Err(format!("`status={status}` in the fault rule is not a redirect"));
                }
                FaultEffect::Redirect { status, to }
            }
            (None, None, Some(status)) => FaultEffect::Status { status, code, message, retry_after },
            (None, None, None) if worded => {
                return Err("code, message and retry-after need a status=N in the fault rule".to_owned());
            }
            (None, None, None) if self.delay.is_zero() && self.hold.is_none() => {
                return Err(format!(
                    "the fault rule `{}` does not say what goes wrong (such as status=500, drop or delay=3s)",
                    self.text
                ));
            }
            (None, None, None) => FaultEffect::Late,
        };
        self.commit |= matches!(
            self.harm,
            FaultEffect::Truncate(_)
                | FaultEffect::WrongLength(_)
                | FaultEffect::SlowBody(_)
                | FaultEffect::Items(_)
                | FaultEffect::Accepted(_)
        );
        Ok(self)
    }
}

fn status(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|status| (200..600).contains(status))
}

fn duration(text: &str) -> Option<Duration> {
    let seconds = seconds(text, &[("ms", 0.001), ("s", 1.0), ("m", 60.0)])?;
    (seconds <= 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

/// A number with one of these units, which last so many seconds.
pub(super) fn seconds(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?);
    let (_, lasts) = units.iter().find(|(known, _)| *known == unit)?;
    Some(number.parse::<f64>().ok()? * lasts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> FaultRule {
        text.parse().unwrap()
    }

    #[test]
    fn the_examples_of_the_help_are_rules() {
        let (_, examples) = HELP.split_once("Examples\n").unwrap();
        assert_eq!(examples.lines().map(rule).count(), 7);
    }

    #[test]
    fn a_rule_hits_what_it_names() {
        let mut fault = rule("get /badges/* status=500");
        assert!(fault.strikes("GET", "/badges/B-1", "", b""));
        assert!(!fault.strikes("POST", "/badges/B-1", "", b""));
        assert!(!fault.strikes("GET", "/badges", "", b""));
        assert!(!fault.strikes("GET", "/badges/B-1/x", "", b""));
        assert!(rule("/badges/** drop").strikes("POST", "/badges/a/b", "", b""));
        assert!(rule("drop").strikes("POST", "/badges", "", b""));
        assert!(rule("match=page=3 drop").strikes("GET", "/x", "page=3", b""));
        assert!(!rule("match=page=3 drop").strikes("GET", "/x", "page=4", b""));
    }

    #[test]
    fn every_after_and_times_count_matching_requests() {
        let mut fault = rule("every=3 after=1 times=2 status=500");
        let hits: Vec<bool> = (0..12).map(|_| fault.strikes("GET", "/x", "", b"")).collect();
        let struck: Vec<usize> = (1..=12).filter(|n| hits[n - 1]).collect();
        assert_eq!(struck, [4, 7]);
        assert_eq!(fault.fired(), 2);
    }

    #[test]
    fn before_or_after_the_commit_is_explicit() {
        assert!(!rule("post /badges drop").commit);
        assert!(rule("post /badges commit-drop").commit);
        assert!(rule("post /badges commit status=500").commit);
        assert!(rule("truncate").commit);
        assert!(!rule("redirect=http://x.example/ status=308").commit);
    }

    #[test]
    fn mistakes_name_the_word() {
        for (text, word) in [
            ("get /ping explode", "explode"),
            ("status=9", "status=9"),
            ("status=x", "status=x"),
            ("every=0 drop", "every=0"),
            ("drop reset", "reset"),
            ("delay=soon", "delay=soon"),
            ("get /ping", "get /ping"),
            ("", "does not say"),
            ("retry-after=5", "status"),
            ("html=502 retry-after=5", "html=502"),
            ("redirect=http://x status=200", "status=200"),
            ("/a /b drop", "/b"),
            ("items=some", "items=some"),
            ("drop post", "post"),
        ] {
            let error = text.parse::<FaultRule>().unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}

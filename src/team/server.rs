//! The address of a team's journal, `postgres://USER@HOST:PORT/DATABASE`. It never contains the password.

use crate::i18n::Localizable;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use url::Url;

const DEFAULT_PORT: u16 = 5432;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name or an IP address. TLS is required unless it is loopback.
    Tcp(String),
    /// The folder of a Unix socket, as in `postgres://kim@/badges?host=/run/postgresql&port=5433`.
    Socket(PathBuf),
}

/// Where a team's journal is, and as whom lapel logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub host: Host,
    pub port: u16,
    pub user: String,
    pub database: String,
}

impl Server {
    /// # Errors
    /// A message that never repeats the address, which may contain a password.
    pub fn parse(raw: &str) -> Result<Self, Localizable> {
        let form = || localizable!("must have the form postgres://USER@HOST/DATABASE");
        let (text, has_host) = with_host(raw.trim());
        let url = Url::parse(&text).map_err(|_| form())?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(form());
        }
        if url.password().is_some() {
            return Err(localizable!("must not contain a password: set journal.password instead"));
        }
        if url.fragment().is_some() {
            return Err(form());
        }
        let user = decoded(url.username()).ok_or_else(form)?;
        let database = decoded(url.path().strip_prefix('/').unwrap_or_default()).ok_or_else(form)?;
        if user.is_empty() {
            return Err(localizable!("names no user: postgres://USER@HOST/DATABASE"));
        }
        if database.is_empty() || database.contains('/') {
            return Err(localizable!("names no database: postgres://USER@HOST/DATABASE"));
        }
        let mut host = match url.host_str() {
            // An IPv6 address has brackets around it.
            Some(host) if has_host && !host.is_empty() => {
                let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
                Some(decoded(host).ok_or_else(form)?)
            }
            _ => None,
        };
        let mut port = url.port();
        for (name, value) in url.query_pairs() {
            match (name.as_ref(), value.as_ref()) {
                ("host", value) if host.is_none() => host = Some(value.to_owned()),
                // A socket has no place for it before the question mark.
                ("port", value) if port.is_none() => port = Some(value.parse().map_err(|_| form())?),
                ("sslmode", "verify-full") => {}
                ("password" | "passfile", _) => {
                    return Err(localizable!("must not contain a password: set journal.password instead"));
                }
                ("sslmode", _) => {
                    return Err(localizable!(
                        "sslmode can only be verify-full: lapel always checks certificates"
                    ));
                }
                _ => {
                    return Err(localizable!(
                        "only host, port and sslmode can follow the question mark, each once"
                    ));
                }
            }
        }
        let host = match host {
            None => return Err(localizable!("names no host: postgres://USER@HOST/DATABASE")),
            Some(path) if path.starts_with('/') => Host::Socket(path.into()),
            Some(name) if name.contains(['/', '@', ',', ' ']) || name.is_empty() => return Err(form()),
            Some(name) => Host::Tcp(name.to_ascii_lowercase()),
        };
        Ok(Self { host, port: port.unwrap_or(DEFAULT_PORT), user, database })
    }

    /// Whether the connection is encrypted. Only what stays on this computer may go without.
    pub fn needs_tls(&self) -> bool {
        match &self.host {
            Host::Socket(_) => false,
            Host::Tcp(name) => {
                let is_loopback = name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
                name != "localhost" && !is_loopback
            }
        }
    }
}

/// The parser takes no address with a user and without a host. So lapel adds a host, and the result is `false`.
fn with_host(raw: &str) -> (Cow<'_, str>, bool) {
    let begin = raw.find("://").map_or(0, |at| at + "://".len());
    let end = raw[begin..].find(['/', '?', '#']).map_or(raw.len(), |at| begin + at);
    if raw[begin..end].ends_with('@') {
        return (format!("{}localhost{}", &raw[..end], &raw[end..]).into(), false);
    }
    (raw.into(), true)
}

/// `None` for an escape that is not UTF-8, or for a NUL, which the database cannot have.
fn decoded(raw: &str) -> Option<String> {
    let text = percent_decode_str(raw).decode_utf8().ok()?.into_owned();
    (!text.contains('\0')).then_some(text)
}

/// For people, without the user's name: `db.example/badges`.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Tcp(name) => f.write_str(name)?,
            Host::Socket(path) => f.write_str(&path.to_string_lossy())?,
        }
        if self.port != DEFAULT_PORT {
            write!(f, ":{}", self.port)?;
        }
        write!(f, "/{}", self.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_host_user_and_database() {
        let server = Server::parse("postgres://kim%40uni@db.Uni.example:6432/badges").expect("valid");
        assert_eq!(server.host, Host::Tcp("db.uni.example".into()));
        assert_eq!((server.port, &*server.user, &*server.database), (6432, "kim@uni", "badges"));
        assert_eq!(server.to_string(), "db.uni.example:6432/badges");
        let server = Server::parse("postgresql://kim@/badges?host=%2Frun%2Fpg").expect("valid");
        assert_eq!((&server.host, server.port), (&Host::Socket("/run/pg".into()), DEFAULT_PORT));
        let server = Server::parse("postgres://kim@/badges?host=/run/pg&port=5433").expect("valid");
        assert_eq!(server.to_string(), "/run/pg:5433/badges");
    }

    #[test]
    fn only_this_computer_goes_without_tls() {
        for (url, tls) in [
            ("postgres://kim@db.example/b", true),
            ("postgres://kim@10.0.0.1/b", true),
            ("postgres://kim@localhost.example/b", true),
            ("postgres://kim@localhost/b", false),
            ("postgres://kim@127.0.0.1/b", false),
            ("postgres://kim@[::1]/b", false),
            ("postgres://kim@[2001:db8::1]/b", true),
            ("postgres://kim@/b?host=/run/pg", false),
        ] {
            assert_eq!(Server::parse(url).expect(url).needs_tls(), tls, "{url}");
        }
    }

    #[test]
    fn a_wrong_address_is_refused_and_never_repeated() {
        for url in [
            "",
            "https://kim@db.example/b",
            "postgres://kim:hunter2@db.example/b",
            "postgres://kim@db.example/b?password=hunter2",
            "postgres://kim@db.example/b?sslmode=disable",
            "postgres://kim@db.example/b?options=-chunter2",
            "postgres://db.example/b",
            "postgres://kim@db.example",
            "postgres://kim@db.example/b/c",
            "postgres://kim@/b",
            "postgres://kim@/b?host=/run/pg&port=hunter2",
            "postgres://kim@db.example:5432/b?port=5433",
            "postgres://kim@db.example/b#hunter2",
            "postgres://kim@a,b/b",
            "postgres://kim%00@a/b",
        ] {
            let why = Server::parse(url).expect_err(url).to_string();
            assert!(!why.contains("hunter2"), "{why}");
        }
    }
}

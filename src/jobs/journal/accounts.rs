//! Accounts: a service and one organisation of it, for any of its keys and any spelling of the base URL.

use crate::jobs::journal::prelude::*;
use url::Url;

/// A service and one of its keys: the owner of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub profile: String,
    pub base_url: String,
    /// The key's fingerprint. It does not reveal the key.
    pub key: String,
    /// The organisation, if the profile names it. All keys of one organisation share one account: badges sent with
    /// one count for the others.
    pub organisation: Option<String>,
}

impl Account {
    pub fn of(profile: &str, connection: &crate::api::Connection) -> Self {
        Self {
            profile: profile.to_owned(),
            base_url: normal_url(&connection.base_url),
            key: connection.key.fingerprint(),
            organisation: None,
        }
    }

    /// The service and key whose behaviour the table `fact` keeps, as its column `account` names them. The same key may
    /// be valid at two services, which behave differently.
    pub(in crate::jobs) fn of_facts(&self) -> String {
        format!("{} {}", self.key, self.base_url)
    }

    #[must_use]
    pub fn of_organisation(self, organisation: Option<&str>) -> Self {
        Self { organisation: organisation.map(str::to_owned), ..self }
    }
}

/// The normal form of a base URL: scheme and host in lower case, the host in ASCII without a final dot, no default
/// port, no final slash.
pub(super) fn normal_url(raw: &str) -> String {
    let raw = raw.trim();
    let Ok(mut url) = Url::parse(raw) else { return raw.trim_end_matches('/').to_owned() };
    let bare = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned);
    if let Some(host) = bare {
        // If the host cannot be set, it stays as it is.
        let _ = url.set_host(Some(&host));
    }
    url.as_str().trim_end_matches('/').to_owned()
}

/// The normal form of an organisation's name: NFC, lower case, single spaces.
fn normal_name(raw: &str) -> String {
    let composed: String = raw.nfc().flat_map(char::to_lowercase).collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The account of a key, created if it does not exist.
pub(super) fn of(db: &Tx<'_>, base_url: &str, key: &str) -> tx::Result<i64> {
    if let Some(account) = known(db, base_url, key)? {
        return Ok(account);
    }
    let account: i64 = db.one("INSERT INTO account DEFAULT VALUES RETURNING id", values![])?;
    db.execute("INSERT INTO account_key VALUES (?1, ?2, ?3)", values![base_url, key, account])?;
    Ok(account)
}

pub(super) fn known(db: &Tx<'_>, base_url: &str, key: &str) -> tx::Result<Option<i64>> {
    db.first("SELECT account FROM account_key WHERE base_url = ?1 AND key = ?2", values![base_url, key])
}

/// The accounts of a profile: of its key, and of its organisation if the two are not joined yet.
pub(super) fn all_of(db: &Tx<'_>, account: &Account) -> tx::Result<[Option<i64>; 2]> {
    let named = match name(account) {
        Some(name) => named(db, account, &name)?,
        None => None,
    };
    Ok([known(db, &account.base_url, &account.key)?, named])
}

pub(super) fn is_joined(db: &Tx<'_>, account: &Account) -> tx::Result<bool> {
    let [by_key, by_name] = all_of(db, account)?;
    Ok(by_key.is_some() && (name(account).is_none() || by_name == by_key))
}

fn name(account: &Account) -> Option<String> {
    account.organisation.as_deref().map(normal_name).filter(|name| !name.is_empty())
}

fn named(db: &Tx<'_>, account: &Account, name: &str) -> tx::Result<Option<i64>> {
    db.first(
        "SELECT account FROM account_name WHERE base_url = ?1 AND name = ?2",
        values![account.base_url.as_str(), name],
    )
}

/// The account of a profile. Profiles with the same service and the same organisation name share one account:
/// badges sent with the key of one count for the other.
pub(super) fn join(db: &Tx<'_>, account: &Account) -> tx::Result<i64> {
    let mut id = of(db, &account.base_url, &account.key)?;
    if let Some(name) = name(account) {
        match named(db, account, &name)? {
            Some(other) => {
                merge(db, id, other)?;
                id = other;
            }
            None => {
                db.execute(
                    "INSERT INTO account_name VALUES (?1, ?2, ?3)",
                    values![account.base_url, name, id],
                )?;
            }
        }
    }
    Ok(id)
}

/// Joins two accounts: badges sent by either count for both.
pub(super) fn merge(db: &Tx<'_>, from: i64, into: i64) -> tx::Result<()> {
    if from == into {
        return Ok(());
    }
    // An unsent row loses its claim if the other account has one for the same recipient, since nobody compared the
    // two. The row is judged again before it is sent.
    for (account, other) in [(from, into), (into, from)] {
        db.execute(
            "DELETE FROM claim WHERE account = ?1 AND state = 'reserved'
               AND EXISTS (SELECT 1 FROM claim AS other WHERE other.account = ?2
                           AND other.template = claim.template AND other.person = claim.person)",
            values![account, other],
        )?;
    }
    // Recipients with a badge from both accounts keep both claims, in different slots.
    let both: Vec<(i64, i64)> = db.all(
        "SELECT job, no FROM claim WHERE account = ?1
               AND EXISTS (SELECT 1 FROM claim AS other WHERE other.account = ?2
                           AND other.template = claim.template AND other.person = claim.person)
             ORDER BY slot",
        values![from, into],
    )?;
    for (job, no) in both {
        db.execute(
            "UPDATE claim SET account = ?3, slot = (SELECT max(other.slot) + 1 FROM claim AS other
                 WHERE other.account = ?3 AND other.template = claim.template AND other.person = claim.person)
             WHERE job = ?1 AND no = ?2",
            values![job, no, into],
        )?;
    }
    db.execute(
        "DELETE FROM transfer WHERE account = ?1
           AND other IN (SELECT other FROM transfer AS mine WHERE mine.account = ?2)",
        values![from, into],
    )?;
    for table in ["transfer", "claim", "account_key", "account_name"] {
        db.execute(&format!("UPDATE {table} SET account = ?2 WHERE account = ?1"), values![from, into])?;
    }
    db.run("DELETE FROM account WHERE id = ?1", values![from])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_has_one_spelling() {
        for (raw, one) in [
            ("https://Badges.Example/api/v1/ext", "https://badges.example/api/v1/ext"),
            (" HTTPS://badges.example:443/api/v1/ext// ", "https://badges.example/api/v1/ext"),
            ("https://badges.example./api/v1/ext", "https://badges.example/api/v1/ext"),
            ("https://나루.example/x", "https://xn--910br1n.example/x"),
            ("https://badges.example:8443/", "https://badges.example:8443"),
            ("http://127.0.0.1:80/", "http://127.0.0.1"),
            ("https://badges.example/API", "https://badges.example/API"),
        ] {
            assert_eq!(normal_url(raw), one, "{raw}");
        }
        assert_eq!(normal_name("  Naru\u{a0} UNIVERSITY "), "naru university");
        assert_eq!(normal_name("\u{1102}\u{1161}루"), "나루");
    }
}

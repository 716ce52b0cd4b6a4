//! Adopts the jobs of a replaced API key, so that its profile continues them with the new key.

use super::jobs::record_decision;
use super::{Journal, Result, accounts};
use crate::jobs::journal::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Jobs that now belong to the new key.
    pub jobs: usize,
    /// Jobs that a running lapel owns. They are unchanged.
    pub busy: usize,
}

impl Journal {
    /// Moves a profile's jobs from a former key to its successor: jobs of the same profile and base URL that no
    /// running process owns. Facts about the service move, too. All in one transaction.
    ///
    /// Only a person knows that both keys belong to one organisation, so lapel never does this by itself.
    pub async fn adopt(&self, to: &Account, former: &str, who: &str) -> Result<Adopted> {
        if former == to.key {
            return Ok(Adopted::default());
        }
        let store = self.store();
        let from = Account { key: former.to_owned(), ..to.clone() };
        // This process works with the new key only, so it owns none of these jobs.
        let ended = store.ended_owners(&from).await?;
        store.adopt(to.clone(), former.to_owned(), ended, Actor::now(who)).await
    }
}

/// Gives the new key all jobs of the former one that no living process owns, its facts, and its account. `ended`: owners
/// that have ended. Any other owner may be alive: it may have appeared since.
pub(super) fn adopt(
    db: &Tx<'_>,
    to: &Account,
    former: &str,
    ended: &[String],
    actor: &Actor,
) -> tx::Result<Adopted> {
    let owned: Vec<(JobId, Option<String>)> = db.all(
        "SELECT id, owner FROM job WHERE account = ?1 AND base_url = ?2 AND profile = ?3 ORDER BY id",
        values![former, to.base_url, to.profile],
    )?;
    let why = format!("the key {former} was replaced by {}", to.key);
    let mut adopted = Adopted::default();
    for (id, owner) in owned {
        if owner.is_some_and(|owner| !ended.contains(&owner)) {
            adopted.busy += 1;
            continue;
        }
        let sql = "UPDATE job SET account = ?2, owner = NULL, owner_label = NULL WHERE id = ?1";
        db.run(sql, values![id, to.key])?;
        record_decision(db, id, None, "adopt", actor, &why)?;
        adopted.jobs += 1;
    }
    let from = Account { key: former.to_owned(), ..to.clone() };
    for (to, from) in [(to.of_facts(), from.of_facts()), (to.key.clone(), from.key)] {
        db.execute(
            "INSERT INTO fact (account, name, value, evidence, first, last, times)
             SELECT ?1, name, value, evidence, first, last, times FROM fact WHERE account = ?2
             ON CONFLICT DO NOTHING",
            values![to, from],
        )?;
    }
    // Badges sent with the former key count for the new one.
    let from = accounts::of(db, &to.base_url, former)?;
    accounts::merge(db, from, accounts::join(db, to)?)?;
    Ok(adopted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(profile: &str, base_url: &str, key: &str) -> Account {
        Account { profile: profile.into(), base_url: base_url.into(), key: key.into(), organisation: None }
    }

    async fn insert(journal: &Journal, account: Account, owner: Option<String>) {
        let insert = |db: &Tx<'_>, (account, owner): &(Account, Option<String>)| {
            db.execute(
                "INSERT INTO job (kind, phase, created, profile, base_url, account, title, owner)
                 VALUES ('issue', 'stopped', 0, ?1, ?2, ?3, 't', ?4)",
                values![account.profile, account.base_url, account.key, owner],
            )
        };
        journal.store().write("test", (account, owner), insert).await.expect("inserted");
    }

    async fn of(journal: &Journal, key: &str) -> i64 {
        let count = |db: &Tx<'_>, key: &String| {
            db.row("SELECT count(*) FROM job WHERE account = ?1", values![key], |r| r.get(0))
        };
        journal.store().read(key.to_owned(), count).await.expect("counted")
    }

    #[tokio::test]
    async fn adopts_only_jobs_of_the_profile_and_url_without_a_living_owner() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::open(folder.path()).expect("a journal");
        let other = Journal::open(folder.path()).expect("another lapel");
        let (uni, url) = ("uni", "https://b.example");
        insert(&journal, account(uni, url, "00000001"), None).await;
        insert(&journal, account(uni, url, "00000001"), Some("0123456789abcdef".into())).await;
        insert(&journal, account(uni, url, "00000001"), Some(other.store().me().to_owned())).await;
        insert(&journal, account("main", url, "00000001"), None).await;
        insert(&journal, account(uni, "https://c.example", "00000001"), None).await;
        insert(&journal, account(uni, url, "00000003"), None).await;

        let new = account(uni, url, "00000002");
        let adopted = journal.adopt(&new, "00000001", "tester").await.expect("adopted");
        assert_eq!(adopted, Adopted { jobs: 2, busy: 1 }, "one has no owner, and one a dead one");
        assert_eq!((of(&journal, "00000001").await, of(&journal, "00000002").await), (3, 2));
        let again = journal.adopt(&new, "00000001", "tester").await.expect("adopted");
        assert_eq!(again, Adopted { jobs: 0, busy: 1 });
        drop(other);
        let same = journal.adopt(&new, "00000002", "tester").await.expect("nothing");
        assert_eq!(same, Adopted::default());
        let decisions = |db: &Tx<'_>, (): &()| {
            db.row("SELECT count(*) FROM decision WHERE what = 'adopt' AND who = 'tester'", values![], |r| {
                r.get::<i64>(0)
            })
        };
        assert_eq!(journal.store().read((), decisions).await.expect("counted"), 2, "each is written down");
    }

    #[tokio::test]
    async fn adopts_the_facts_of_the_former_key() {
        let journal = Journal::in_memory().expect("a journal");
        let fact = |db: &Tx<'_>, (): &()| {
            db.execute(
                "INSERT INTO fact VALUES ('00000001 https://b.example', 'n', 'old', 'e', 1, 2, 3),
                                         ('00000002 https://b.example', 'n', 'new', 'e', 1, 2, 3)",
                values![],
            )
        };
        journal.store().write("test", (), fact).await.expect("inserted");
        let new = account("uni", "https://b.example", "00000002");
        journal.adopt(&new, "00000001", "tester").await.expect("adopted");
        let known = |db: &Tx<'_>, (): &()| {
            db.row(
                "SELECT group_concat(value, ' ') FROM fact WHERE account LIKE '00000002 %'",
                values![],
                |r| r.get::<String>(0),
            )
        };
        let mut known: Vec<String> =
            journal.store().read((), known).await.expect("read").split(' ').map(str::to_owned).collect();
        known.sort();
        assert_eq!(known, ["new", "old"]);
    }
}

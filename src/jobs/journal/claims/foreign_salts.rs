//! The salts of other journals whose jobs came here. The address of a purged row is gone, so its claim keeps the hash of the
//! journal that purged it. With that journal's salt, it is found by the address of its recipient.

use super::{RecipientHasher, Scope};
use crate::jobs::intake::hex;
use crate::jobs::journal::json;
use crate::jobs::journal::prelude::*;
use ring::hmac;

/// The kind of these entries of the table `kept`.
const SALT: &str = "former salt";

pub(in crate::jobs::journal) type NamedSalt = (String, Vec<u8>);

/// The salts with which another journal finds the recipients of purged rows: this journal's, and those that it knows.
pub(in crate::jobs::journal) fn salts(db: &Tx<'_>) -> tx::Result<Vec<NamedSalt>> {
    let mut all = foreign(db)?;
    all.push((super::name_of_salt(db)?, super::salt(db)?));
    Ok(all)
}

/// Keeps the salts of other journals. They are masked by this journal's salt: a reader of everything but that salt
/// cannot use them.
pub(in crate::jobs::journal) fn keep_salts(db: &Tx<'_>, salts: &[NamedSalt]) -> tx::Result<()> {
    let mine = super::name_of_salt(db)?;
    for (name, salt) in salts.iter().filter(|(name, _)| *name != mine) {
        let masked = hex(&masked(db, name, salt)?);
        db.execute(
            "INSERT INTO kept VALUES (?1, ?2, ?3, 0) ON CONFLICT DO NOTHING",
            values![SALT, name, masked],
        )?;
    }
    Ok(())
}

/// In the order of their names.
fn foreign(db: &Tx<'_>) -> tx::Result<Vec<NamedSalt>> {
    let sql = "SELECT key, value FROM kept WHERE what = ?1 ORDER BY key";
    let kept: Vec<(String, String)> = db.all(sql, values![SALT])?;
    kept.into_iter()
        .map(|(name, value)| {
            let salt = masked(db, &name, &unhex(&value))?;
            Ok((name, salt))
        })
        .collect()
}

/// Masks a salt, and takes the mask off.
fn masked(db: &Tx<'_>, name: &str, salt: &[u8]) -> tx::Result<Vec<u8>> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &super::salt(db)?);
    let mask = hmac::sign(&key, format!("{SALT} {name}").as_bytes());
    Ok(salt.iter().zip(mask.as_ref()).map(|(byte, mask)| byte ^ mask).collect())
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)?.try_into().ok()).collect();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| (byte << 4) | digit)).collect()
}

/// The hashes of the journals whose jobs came here.
pub(super) fn hashers(db: &Tx<'_>) -> tx::Result<Vec<RecipientHasher>> {
    Ok(foreign(db)?.iter().map(|(_, salt)| RecipientHasher::with(salt)).collect())
}

/// Gives the claims on recipients of these rows that were purged in another journal this journal's hash, above the claims
/// that are known here.
pub(super) fn recognise(db: &Tx<'_>, scope: &Scope, which: &str) -> tx::Result<()> {
    let hashers = hashers(db)?;
    if hashers.is_empty() {
        return Ok(());
    }
    let purged: Vec<Vec<u8>> = db.all(
        "SELECT claim.person FROM claim JOIN row ON row.job = claim.job AND row.no = claim.no
         WHERE claim.account = ?1 AND claim.template = ?2 AND row.email_key = ''",
        values![scope.account, scope.template],
    )?;
    let purged: HashSet<Vec<u8>> = purged.into_iter().collect();
    if purged.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = db.all(
        &format!("SELECT DISTINCT email_key FROM row WHERE job = ?1 AND email_key <> '' AND ({which})"),
        values![scope.job.0],
    )?;
    let people = RecipientHasher::of(db)?;
    for hasher in hashers {
        let known = |key: &String| {
            let former = hasher.hash(key).filter(|hash| purged.contains(hash))?;
            Some((hex(&former), hex(&people.hash(key)?)))
        };
        let known: Vec<_> = keys.iter().filter_map(known).collect();
        if !known.is_empty() {
            rename(db, scope, &json(&known))?;
        }
    }
    Ok(())
}

/// Gives recipients another hash: pairs of the former and the new one.
fn rename(db: &Tx<'_>, scope: &Scope, known: &str) -> tx::Result<()> {
    let listed = "WITH known AS MATERIALIZED (
                      SELECT former, person FROM json_rows(?3, former bytes, person bytes) AS list)";
    let values = values![scope.account, scope.template, known];
    db.execute(
        &format!(
            "{listed} UPDATE claim
             SET person = known.person,
                 slot = claim.slot + (SELECT coalesce(max(other.slot) + 1, 0) FROM claim AS other
                                      WHERE other.account = ?1 AND other.template = ?2
                                        AND other.person = known.person)
             FROM known WHERE claim.account = ?1 AND claim.template = ?2 AND claim.person = known.former"
        ),
        values,
    )?;
    db.run(
        &format!(
            "{listed} UPDATE row SET person = known.person
             FROM known JOIN claim ON claim.account = ?1 AND claim.template = ?2 AND claim.person = known.person
             WHERE row.job = claim.job AND row.no = claim.no AND row.email_key = ''"
        ),
        values,
    )
}

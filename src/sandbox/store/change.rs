//! Issuing, revoking, and inserting and removing rows.

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::{Badge, BadgeStore, INSERT};
use crate::sandbox::demo::{NEVER, valid_until};
use crate::sandbox::mix;
use crate::sandbox::switches::{IssueTime, RevokeTime};

#[derive(Debug, Clone)]
pub(in crate::sandbox) struct NewBadge {
    pub name: String,
    pub email: String,
}

#[derive(Debug)]
pub(in crate::sandbox) enum Refused {
    Quota,
    Store(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error)
    }
}

impl BadgeStore {
    /// Accepts as many badges as fit into the quota. With `all_or_nothing`, too many give [`Refused::Quota`].
    pub fn issue(
        &mut self,
        org: usize,
        template: usize,
        rows: &[NewBadge],
        when: Issuing,
    ) -> Result<Vec<i64>, Refused> {
        let room = match when.quota {
            Some(quota) => quota.saturating_sub(self.issued_by_api(org)?),
            None => u64::MAX,
        };
        if (rows.len() as u64) > room && when.all_or_nothing {
            return Err(Refused::Quota);
        }
        let fits = rows.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let rows = rows.get(..fits).unwrap_or_default();
        let policy = self.templates.get(template).copied();
        let (seed, epoch, zone, start) = (self.seed, self.epoch, self.zone, self.next);
        let all = self.db.transaction()?;
        let mut issued = Vec::with_capacity(rows.len());
        for (row, seq) in rows.iter().zip(start..) {
            let issue_at = when.now + issue_delay(seed, seq, when.issue_time);
            let until = policy.as_ref().and_then(|one| valid_until(one, issue_at, epoch, zone));
            let recipient = recipient(&all, &row.name, &row.email)?;
            all.prepare_cached(INSERT)?.execute(params![
                seq,
                org as i64,
                template as i64,
                recipient,
                when.now,
                issue_at.min(NEVER),
                until,
                None::<i64>,
                None::<i64>,
                None::<String>,
                mail_status(seed, seq, &row.email),
                None::<String>,
                true,
                1
            ])?;
            issued.push(seq);
        }
        let next = start + issued.len() as i64;
        all.prepare_cached("INSERT OR REPLACE INTO meta VALUES ('next', ?1)")?.execute([next])?;
        all.prepare_cached("INSERT OR REPLACE INTO meta VALUES ('clock', ?1)")?.execute([when.now])?;
        all.commit()?;
        self.next = next;
        self.changed();
        Ok(issued)
    }

    /// Revokes Issued badges of the organisation (`None`: of any). Returns which entries were accepted.
    pub fn revoke(
        &mut self,
        org: Option<usize>,
        badge_ids: &[String],
        reason: &str,
        now: i64,
        time: RevokeTime,
    ) -> rusqlite::Result<Vec<bool>> {
        let seqs: Vec<Option<i64>> = badge_ids.iter().map(|id| self.seq_of(id)).collect();
        let seed = self.seed;
        let all = self.db.transaction()?;
        let mut accepted = Vec::with_capacity(badge_ids.len());
        for seq in seqs {
            let Some(seq) = seq else {
                accepted.push(false);
                continue;
            };
            let done = now + revoke_delay(seed, seq, time);
            // `label IS NULL`: a badge with another label is not Issued.
            let changed = all
                .prepare_cached(
                    "UPDATE badge SET revoke_at = ?2, revoked_at = ?3, reason = ?4
                     WHERE seq = ?1 AND issue_at <= ?2 AND revoke_at IS NULL AND label IS NULL
                     AND (?5 IS NULL OR org = ?5)",
                )?
                .execute(params![seq, now, done, reason, org.map(|org| org as i64)])?;
            accepted.push(changed > 0);
        }
        all.prepare_cached("INSERT OR REPLACE INTO meta VALUES ('clock', ?1)")?.execute([now])?;
        all.commit()?;
        self.changed();
        Ok(accepted)
    }

    pub fn insert(&mut self, badge: &Badge) -> rusqlite::Result<i64> {
        let seq = self.next;
        let all = self.db.transaction()?;
        let recipient = recipient(&all, &badge.name, &badge.email)?;
        all.prepare_cached(INSERT)?.execute(params![
            seq,
            badge.org as i64,
            badge.template as i64,
            recipient,
            badge.reg_at,
            badge.issue_at,
            badge.valid_until,
            badge.revoke_at,
            badge.revoked_at,
            badge.reason,
            badge.mail,
            badge.label,
            badge.internal,
            0
        ])?;
        all.prepare_cached("INSERT OR REPLACE INTO meta VALUES ('next', ?1)")?.execute([seq + 1])?;
        all.commit()?;
        self.next = seq + 1;
        self.changed();
        Ok(seq)
    }

    pub fn delete(&mut self, seq: i64) -> rusqlite::Result<bool> {
        let gone = self.db.execute("DELETE FROM badge WHERE seq = ?1", [seq])? > 0;
        self.changed();
        Ok(gone)
    }

    pub fn newest(&self) -> rusqlite::Result<Option<i64>> {
        self.db.query_row("SELECT max(seq) FROM badge", [], |row| row.get(0))
    }

    pub fn validity(&self, template: usize, issue_at: i64) -> Option<i64> {
        self.templates.get(template).and_then(|one| valid_until(one, issue_at, self.epoch, self.zone))
    }
}

#[derive(Debug, Clone, Copy)]
pub(in crate::sandbox) struct Issuing {
    pub now: i64,
    pub quota: Option<u64>,
    pub all_or_nothing: bool,
    pub issue_time: IssueTime,
}

fn recipient(db: &Transaction<'_>, name: &str, email: &str) -> rusqlite::Result<i64> {
    let known: Option<i64> = db
        .prepare_cached("SELECT id FROM recipient WHERE email = ?1 AND name = ?2")?
        .query_row([email, name], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.prepare_cached("INSERT INTO recipient (name, email, name_fold, email_fold) VALUES (?1, ?2, ?3, ?4)")?
        .insert(params![name, email, name.to_lowercase(), email.to_lowercase()])
}

fn share(seed: u64, seq: i64, salt: u64) -> f64 {
    (mix(seed, seq.unsigned_abs(), salt) >> 11) as f64 / (1u64 << 53) as f64
}

/// Seconds from acceptance to Issued: 5 minutes to 1 day, mostly near the minimum.
fn issue_delay(seed: u64, seq: i64, time: IssueTime) -> i64 {
    match time {
        IssueTime::Spread => 300 + (share(seed, seq, 2).powi(12) * 86_100.0) as i64,
        IssueTime::Short => 300,
        IssueTime::Long => 86_400,
        IssueTime::Never => NEVER,
    }
}

fn revoke_delay(seed: u64, seq: i64, time: RevokeTime) -> i64 {
    match time {
        RevokeTime::Spread => 120 + (share(seed, seq, 3) * 1680.0) as i64,
        RevokeTime::Instant => 0,
        RevokeTime::Never => NEVER,
    }
}

fn mail_status(seed: u64, seq: i64, email: &str) -> &'static str {
    let domain = email.rsplit('@').next().unwrap_or("").to_lowercase();
    let roll = share(seed, seq, 4);
    match domain.as_str() {
        "strictgate.example" if roll < 0.95 => "FAIL",
        "gmial.example" => "FAIL",
        _ if roll > 0.985 => "BOUNCE",
        _ => "SENT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuing_takes_from_five_minutes_to_a_day() {
        let delays: Vec<i64> = (1..20_000).map(|seq| issue_delay(7, seq, IssueTime::Spread)).collect();
        assert!(delays.iter().all(|delay| (300..=86_400).contains(delay)));
        assert!(delays.iter().any(|delay| *delay > 80_000));
        let quick = delays.iter().filter(|delay| **delay < 1800).count();
        assert!(quick * 10 > delays.len() * 6, "most are quick: {quick}");
        assert_eq!(delays[4], issue_delay(7, 5, IssueTime::Spread));
        assert_eq!(issue_delay(7, 5, IssueTime::Long), 86_400);
    }
}

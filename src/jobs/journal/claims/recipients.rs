//! The claims on recipients, from which follows which rows get one. They are read once, and each verdict changes them in
//! memory: an address may have thousands of rows, and the claim of each decides about the next one.

use super::{Rival, Scope};
use crate::jobs::job::apart;
use crate::jobs::journal::behaviour::OF_JOB;
use crate::jobs::journal::prelude::*;
use crate::jobs::journal::{jobs, json};
use crate::jobs::row_status::Claim;
use crate::jobs::rules::{self, ClaimVerdict, OtherClaim};
use crate::jobs::settings::ABSENCE_AFTER;

#[derive(Clone, Debug)]
pub(super) struct HeldClaim {
    pub(super) claim: Claim,
    /// As in [`OtherClaim`].
    pub(super) is_live: bool,
    pub(super) is_accounted: bool,
    /// Whether the row is of the same job, so that one review covered both.
    pub(super) is_mine: bool,
    pub(super) allowed: bool,
    pub(super) rival: Rival,
    /// See the column of the table.
    pub(super) again: bool,
}

impl HeldClaim {
    /// As the rules see it. `together`: one review covered its row and the judged one, if both are of the same job.
    pub(super) fn other(&self, together: bool) -> OtherClaim {
        OtherClaim {
            slot: self.rival.slot,
            id: self.rival.claim_id(),
            claim: self.claim,
            is_live: self.is_live,
            is_accounted: self.is_accounted || self.is_mine && together,
        }
    }
}

/// The columns of [`HeldClaim`] of the tables `row`, `job`, `claim` and `request`; the last two may have none. `?1` is the
/// judged job, and `key` the e-mail key of the recipient.
pub(super) fn columns_of_held(db: &Tx<'_>, key: &str) -> String {
    let absence_after = ABSENCE_AFTER.as_secs();
    let by = if db.is_team() { "job.begun_by" } else { "NULL" };
    format!(
        "claim.slot, claim.state, claim.again, row.job, row.no, job.phase, row.bucket, row.badge,
         row.allowed IS NOT NULL, coalesce(request.intent, job.created / 1000),
         -- Where the service shows badges that wait, a reading that came some time after the refusal proves it: the
         -- service may show late what it accepted after all.
         job.unproven IS NOT NULL AND row.request >= job.unproven AND request.status = 422
         AND NOT (coalesce(request.heard AND request.intent + {absence_after}
                           <= (SELECT guarded_at FROM job WHERE id = ?1), FALSE)
                  AND (SELECT count(DISTINCT value) = 1 AND max(value) = 'shown'
                              AND count(CASE WHEN fact.account <> job.account THEN 1 END) > 0 FROM fact
                       WHERE fact.account IN ({OF_JOB}, job.account) AND fact.name = 'waiting_in_history')),
         row.bucket = 'revoked'
         OR EXISTS (SELECT 1 FROM baseline WHERE baseline.job = ?1 AND baseline.email_key = {key}
                    AND baseline.badge = row.badge AND baseline.over), {by}"
    )
}

/// Reads [`columns_of_held`]: the slot, `None` for a row without a claim, and the claim that it has or would get.
pub(super) fn read_held(r: &SqlRow<'_>, judged: JobId) -> tx::Result<(Option<i64>, HeldClaim)> {
    let slot: Option<i64> = r.get(0)?;
    let state: Option<String> = r.get(1)?;
    let claim = state.map_or(Claim::Reserved, |code| Claim::from_code(&code).unwrap_or(Claim::Open));
    let is_unproven = r.get::<Option<bool>>(10)?.unwrap_or(false) && claim == Claim::Reserved;
    // Another computer may send a moved row at any moment.
    let phase = r.text(5)?;
    let runs = phase == Phase::Running.code() || phase == Phase::Moved.code();
    let rival = Rival {
        job: r.get(3)?,
        no: r.get(4)?,
        row_status: jobs::row_status(r, "bucket")?,
        badge_id: r.get::<Option<String>>(7)?.and_then(BadgeId::new),
        at: r.get(9)?,
        slot: slot.unwrap_or(0),
        is_unproven,
        by: r.get::<Option<String>>(12)?.map(|who| Text::new(apart(&who).0)),
    };
    let held = HeldClaim {
        claim,
        is_live: is_unproven || runs,
        is_accounted: r.get::<Option<bool>>(11)?.unwrap_or(false),
        is_mine: rival.job == judged,
        allowed: r.get(8)?,
        again: r.get::<Option<bool>>(2)?.unwrap_or(false),
        rival,
    };
    Ok((slot, held))
}

/// A row that needs a verdict.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) no: u64,
    pub(super) mine: Option<i64>,
    pub(super) person: Option<Vec<u8>>,
    pub(super) approved: Option<i64>,
    pub(super) held: HeldClaim,
}

/// The rows of a job that match a condition and whose recipient has another row's claim.
pub(super) fn contested(db: &Tx<'_>, scope: &Scope, which: &str) -> tx::Result<Vec<Judged>> {
    let held_columns = columns_of_held(db, "row.email_key");
    db.rows(
        &format!(
            "SELECT {held_columns}, row.person, CASE WHEN row.allowed IS NOT NULL THEN row.seen END
         FROM row JOIN job ON job.id = row.job LEFT JOIN claim ON claim.job = row.job AND claim.no = row.no
         LEFT JOIN request ON request.id = row.request
         WHERE row.job = ?1 AND ({which})
           AND (row.person IS NULL
                OR EXISTS (SELECT 1 FROM claim AS other WHERE other.account = ?2 AND other.template = ?3
                           AND other.person = row.person AND NOT (other.job = row.job AND other.no = row.no)))
         ORDER BY row.no"
        ),
        values![scope.job.0, scope.account, scope.template],
        |r| {
            let (mine, held) = read_held(r, scope.job)?;
            Ok(Judged { no: held.rival.no, mine, person: r.get(13)?, approved: r.get(14)?, held })
        },
    )
}

/// The claims on one recipient, as the writes so far leave them. A row's own claim is one of them: it has no slot above
/// itself, so it never counts against its row.
#[derive(Default)]
pub(super) struct RecipientClaims {
    /// For a row that nobody allowed, and for one that a person did.
    others: [Vec<OtherClaim>; 2],
    held: Vec<HeldClaim>,
}

impl RecipientClaims {
    pub(super) fn add(&mut self, held: HeldClaim) {
        let [by_other, by_allowed] = &mut self.others;
        by_other.push(held.other(held.allowed));
        by_allowed.push(held.other(true));
        self.held.push(held);
    }

    pub(super) fn remove(&mut self, at: usize) -> HeldClaim {
        for others in &mut self.others {
            others.remove(at);
        }
        self.held.remove(at)
    }

    /// Takes the claim of a row away. `None` if it has none.
    pub(super) fn remove_of(&mut self, row: &Judged) -> Option<HeldClaim> {
        row.mine?;
        let at = self.held.iter().position(|held| held.is_mine && held.rival.no == row.no)?;
        Some(self.remove(at))
    }

    pub(super) fn judge(&self, row: &Judged, approved: Option<i64>) -> ClaimVerdict {
        let [by_other, by_allowed] = &self.others;
        rules::judge(row.mine, approved, if row.held.allowed { by_allowed } else { by_other })
    }

    pub(super) fn rival(&self, at: usize) -> Option<&Rival> {
        self.held.get(at).map(|held| &held.rival)
    }

    /// A row gets a slot.
    pub(super) fn claim(&mut self, row: &Judged, slot: i64) {
        let mut held = self.remove_of(row).unwrap_or_else(|| row.held.clone());
        held.rival.slot = slot;
        self.add(held);
    }

    /// A row needs review. A claim that was never used is gone.
    pub(super) fn give_back(&mut self, row: &Judged) {
        if let Some(mut held) = self.remove_of(row)
            && held.again
        {
            held.claim = Claim::Open;
            (held.rival.row_status, held.rival.is_unproven) = (RowStatus::NeedsReview, false);
            self.add(held);
        }
    }
}

/// The claims on recipients, as a query on the table `viewer`. That table has the account, template, place, person and
/// e-mail key of one row of each recipient. With it, SQLite looks up each recipient instead of all claims of the
/// template.
pub(super) fn claims_of_viewers(db: &Tx<'_>) -> String {
    let held_columns = columns_of_held(db, "viewer.key");
    format!(
        "SELECT {held_columns}, viewer.person
         FROM viewer JOIN claim ON claim.account = viewer.account AND claim.template = viewer.template
                               AND claim.person = viewer.person
         JOIN job ON job.id = claim.job JOIN row ON row.job = claim.job AND row.no = claim.no
         LEFT JOIN request ON request.id = row.request
         ORDER BY viewer.no, claim.slot"
    )
}

/// The claims on the recipients of these rows, as they are now.
pub(super) fn recipients(
    db: &Tx<'_>,
    scope: &Scope,
    rows: &[Judged],
) -> tx::Result<HashMap<Vec<u8>, RecipientClaims>> {
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let one_each: HashMap<&[u8], u64> =
        rows.iter().filter_map(|row| Some((row.person.as_deref()?, row.no))).collect();
    let viewers: Vec<u64> = one_each.into_values().collect();
    let claims = claims_of_viewers(db);
    let sql = format!(
        "WITH viewer AS MATERIALIZED (
             SELECT ?2 AS account, ?3 AS template, row.no AS no, row.person AS person, row.email_key AS key
             FROM row WHERE row.job = ?1 AND row.no IN json_list(?4, bigint)) {claims}"
    );
    let mut recipients: HashMap<Vec<u8>, RecipientClaims> = HashMap::new();
    let values = values![scope.job.0, scope.account, scope.template, json(&viewers)];
    db.each(&sql, values, |r| {
        recipients.entry(r.get(13)?).or_default().add(read_held(r, scope.job)?.1);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(recipients)
}

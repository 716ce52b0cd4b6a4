//! A job: what was asked for, and where each of its badges stands.

use crate::domain::{BadgeId, TemplateId, Text};

/// Number of a job in this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Issues badges.
    Issue,
    /// Revokes badges.
    Revoke,
}

/// Where one badge of a job stands. Every row is in exactly one of these, and they add up to the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Written down, not sent yet or on its way.
    Sending,
    /// Left out before sending, with the reason.
    LeftOut(Text),
    /// Not done: the request never reached the service or was not accepted; for a revocation also: long
    /// looked for and not to be seen.
    NotDone(String),
    /// Nobody knows whether the service acted. It is looked for and never sent again by itself.
    InDoubt(String),
    /// The service has accepted the issue request. Accepted is not issued.
    Waiting,
    /// The service shows the badge as Issued.
    Issued,
    /// The service has accepted the revocation, or shows it as under way.
    Revoking,
    /// The service shows the badge as Revoked.
    Revoked,
    /// The service left the badge out of the revocation; with its state, where that is known.
    Dropped(Text),
    /// Sent with others of which the service accepted some; which ones is being looked at.
    Unproven,
    /// The service's own word, which lapel does not know.
    Other(Text),
}

impl RowState {
    /// One word or two, for counting.
    pub fn bucket(&self) -> &'static str {
        match self {
            Self::Sending => "being sent",
            Self::LeftOut(_) => "left out",
            Self::NotDone(_) => "not done",
            Self::InDoubt(_) => "in doubt",
            Self::Waiting => "waiting",
            Self::Issued => "issued",
            Self::Revoking => "being revoked",
            Self::Revoked => "revoked",
            Self::Dropped(_) => "not accepted",
            Self::Unproven => "being checked",
            Self::Other(_) => "in another state",
        }
    }

    /// Whether the service may still change it, so that it is worth looking at.
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Sending
                | Self::InDoubt(_)
                | Self::Waiting
                | Self::Revoking
                | Self::Unproven
                | Self::Other(_)
        )
    }
}

/// One badge of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Whose it is.
    pub holder: Text,
    /// Where it goes: the address, for an issue.
    pub address: Text,
    /// Its id, once the service has given one.
    pub badge_id: Option<BadgeId>,
    /// Where it stands.
    pub state: RowState,
}

/// A job as it stands: a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it does.
    pub kind: Kind,
    /// The template's title, or the reason of the revocation.
    pub title: Text,
    /// The template that is issued from; none for a revocation.
    pub template_id: Option<TemplateId>,
    /// Its badges.
    pub rows: Vec<JobRow>,
    /// What a person should know about the whole of it.
    pub note: Option<String>,
    /// Whether a request is on its way whose answer is not here yet.
    pub sending: bool,
}

impl Job {
    /// How many rows are in each bucket, in the order of their first row. They add up to the job.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for row in &self.rows {
            let bucket = row.state.bucket();
            match counts.iter_mut().find(|(name, _)| *name == bucket) {
                Some((_, n)) => *n += 1,
                None => counts.push((bucket, 1)),
            }
        }
        counts
    }

    /// Whether any row may still change.
    pub fn is_open(&self) -> bool {
        self.rows.iter().any(|r| r.state.is_open())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buckets_add_up_to_the_job() {
        let states = [
            RowState::Waiting,
            RowState::Issued,
            RowState::Waiting,
            RowState::InDoubt("no answer".into()),
            RowState::LeftOut("Waiting".into()),
            RowState::Dropped("Issued".into()),
            RowState::NotDone("refused".into()),
        ];
        let row = |state: &RowState| JobRow {
            holder: "한서윤".into(),
            address: "seoyun.han@naru.example".into(),
            badge_id: None,
            state: state.clone(),
        };
        let job = Job {
            id: JobId(1),
            kind: Kind::Issue,
            title: "t".into(),
            template_id: None,
            rows: states.iter().map(row).collect(),
            note: None,
            sending: false,
        };
        assert_eq!(job.counts().iter().map(|(_, n)| n).sum::<usize>(), states.len());
        assert_eq!(job.counts()[0], ("waiting", 2));
        assert!(job.is_open());
    }
}

//! Why a team's database cannot be used.

use crate::i18n::Localizable;

/// A message has no values of a row, no SQL and no password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamError {
    /// Not reached, or the connection was lost. It may be back soon.
    Away(Localizable),
    Refused(Localizable),
    /// The connection cannot be encrypted safely. lapel refuses it, not the server.
    Unsafe(Localizable),
    /// The name or the password is wrong. It is not tried again: a server may lock a login after several attempts.
    LoginRefused(Localizable),
    Full,
    /// Another process or a time limit stopped the statement, which did nothing.
    Busy,
    /// A pooler lends lapel another connection to the database for each transaction.
    Pooled,
    NoJournal,
    /// The journal is of another version of lapel.
    Schema {
        found: i64,
        known: i64,
    },
    /// The database lost writes that it had confirmed, and nobody has searched the history for rows of this job since.
    Unsearched {
        job: i64,
    },
    /// Somebody decided about this job while a command read the history for it.
    Changed {
        job: i64,
    },
    /// Another journal sends for the account: why, and what changes that.
    Elsewhere(Localizable),
    /// The user may not do this.
    Forbidden,
    NoFeature,
    /// Another error, with its SQLSTATE code.
    Other(String),
}

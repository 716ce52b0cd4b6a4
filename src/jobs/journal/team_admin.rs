//! Creates the tables of a team's journal, brings them to a newer schema, and examines its database.

use super::Result;
use super::team_status::{
    Creation, DatabaseSetup, ISSUER, Migration, MissingRights, READER, TeamStatus, WriteLosses,
};
use super::tx::team::{connected, schema};
use crate::jobs::journal::prelude::*;
use crate::team::{DatabaseSession, LONG_STATEMENTS, Login};
use tokio_postgres::types::FromSqlOwned;
use tokio_postgres::{Client, Error, GenericClient, Transaction};

type Queried<T> = std::result::Result<T, Error>;

const TABLES: &str = include_str!("team.sql");
const FUNCTIONS: &str = include_str!("team_functions.sql");
const RIGHTS: &str = include_str!("team_rights.sql");

/// The schema of a team's journal. From 12 on, one in a file has its own number.
pub(super) const SCHEMA: i64 = 15;

/// From the first schema of a team's journal, which is 9: the schema that each step leads to, and its SQL. `team.sql`
/// always has the newest schema. A step changes tables: the functions are made again after all steps.
pub(super) const STEPS: &[(i64, &str)] = &[
    (10, include_str!("team_10_repeats.sql")),
    (11, include_str!("team_11_claims.sql")),
    (12, include_str!("team_12_transfers.sql")),
    (13, include_str!("team_13_rows.sql")),
    (14, "DROP FUNCTION pace_seat(TEXT, TEXT, BIGINT, INTEGER, INTEGER, INTEGER, BIGINT);"),
    (15, include_str!("refusals.sql")),
];

/// The value of a query that returns one.
async fn one<T: FromSqlOwned>(client: &impl GenericClient, sql: &str) -> Queried<T> {
    Ok(client.query_one(sql, &[]).await?.get(0))
}

/// Whether the database has the tables of a journal. Everybody may ask this.
async fn has_journal(client: &Client) -> Queried<bool> {
    let sql =
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'lapel' AND tablename = 'store')";
    one(client, sql).await
}

/// Works as the owner of the schema, so that its tables have one owner. Returns whether there is a schema.
async fn as_owner(writing: &Transaction<'_>) -> Queried<bool> {
    let sql = "SELECT nspowner::regrole::text FROM pg_catalog.pg_namespace WHERE nspname = 'lapel'";
    let Some(row) = writing.query_opt(sql, &[]).await? else { return Ok(false) };
    // A regrole is quoted where it has to be.
    writing.batch_execute(&format!("SET LOCAL ROLE {}", row.get::<_, String>(0))).await?;
    Ok(true)
}

fn failed(why: TeamError, login: &Login) -> JournalError {
    match why {
        TeamError::Forbidden => JournalError::NotOwner {
            server: login.server.to_string(),
            user: crate::domain::text::scrub(&login.server.user).into_owned(),
        },
        why => JournalError::team(why, &login.server),
    }
}

/// Creates the tables, unless the database has them.
pub(super) fn create(login: &Login) -> Result<Creation> {
    let failed = |why: TeamError| failed(why, login);
    let of = |why: Error| failed(TeamError::from(&why));
    let mut session = DatabaseSession::open(login).map_err(failed)?;
    let DatabaseSession { client, runtime, .. } = &mut session;
    if runtime.block_on(has_journal(client)).map_err(failed)? {
        return Ok(Creation::Existing);
    }
    let mut salt = [0_u8; 32];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut salt)
        .map_err(|_| failed(TeamError::Other("no random numbers".to_owned())))?;
    let made = runtime.within(login.limits.tables, async {
        let writing = client.transaction().await?;
        writing.batch_execute(LONG_STATEMENTS).await?;
        if !as_owner(&writing).await? {
            writing.batch_execute("CREATE SCHEMA lapel").await?;
        }
        writing.batch_execute(TABLES).await?;
        writing.batch_execute(FUNCTIONS).await?;
        let sql = "INSERT INTO lapel.store (schema, salt, origin) VALUES ($1, $2, lapel.origin_now())";
        writing.execute(sql, &[&SCHEMA, &salt.as_slice()]).await?;
        writing.batch_execute(RIGHTS).await?;
        let sql = "SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'lapel_issuer')";
        let has_roles = one(&writing, sql).await?;
        writing.commit().await?;
        Ok(Creation::Created { has_roles })
    });
    match made.map_err(failed)? {
        // Somebody else has created it meanwhile.
        Err(_) if matches!(runtime.block_on(has_journal(client)), Ok(true)) => Ok(Creation::Existing),
        made => made.map_err(of),
    }
}

/// Brings the tables to a schema, in one transaction.
pub(super) fn migrate(login: &Login, steps: &[(i64, &str)], newest: i64) -> Result<Migration> {
    let failed = |why: TeamError| failed(why, login);
    let of = |why: Error| failed(TeamError::from(&why));
    let newer = |found| JournalError::Newer { file: login.server.to_string(), found, known: newest };
    let mut session = connected(login).map_err(failed)?;
    // A user who may not change the tables still learns that nothing needs a change.
    let from = schema(&session).map_err(failed)?;
    if from >= newest {
        return if from == newest { Ok(Migration { from, to: from }) } else { Err(newer(from)) };
    }
    let DatabaseSession { client, runtime, .. } = &mut session;
    let migrated = runtime.within(login.limits.tables, async {
        let writing = client.transaction().await.map_err(of)?;
        writing.batch_execute(LONG_STATEMENTS).await.map_err(of)?;
        as_owner(&writing).await.map_err(of)?;
        // A process that opens the journal now waits here, and then sees the new schema.
        writing.batch_execute("LOCK TABLE process IN EXCLUSIVE MODE").await.map_err(of)?;
        let from: i64 = one(&writing, "SELECT schema FROM store FOR NO KEY UPDATE").await.map_err(of)?;
        if from > newest {
            return Err(newer(from));
        }
        let living = processes(&writing).await.map_err(of)?;
        if !living.is_empty() {
            let who = list(living.iter().map(ToString::to_string));
            return Err(JournalError::InUse { server: login.server.to_string(), who });
        }
        let mut reached = from;
        for (schema, sql) in steps.iter().filter(|(schema, _)| *schema > from) {
            if *schema == reached + 1 {
                writing.batch_execute(sql).await.map_err(of)?;
                reached = *schema;
            }
        }
        if reached != newest {
            return Err(failed(TeamError::Other(format!("no step from schema {reached}"))));
        }
        writing.batch_execute(FUNCTIONS).await.map_err(of)?;
        writing.execute("UPDATE store SET schema = $1", &[&newest]).await.map_err(of)?;
        writing.batch_execute(RIGHTS).await.map_err(of)?;
        writing.commit().await.map_err(of)?;
        Ok(Migration { from, to: newest })
    });
    migrated.map_err(failed)?
}

async fn processes(client: &impl GenericClient) -> Queried<Vec<Reason>> {
    let sql = "SELECT label FROM lapel.process WHERE until > clock_timestamp() ORDER BY label";
    let rows = client.query(sql, &[]).await?;
    Ok(rows.iter().map(|row| Reason::read(row.get(0))).collect())
}

/// Examines the database. Changes nothing.
pub(super) fn status(login: &Login) -> std::result::Result<TeamStatus, TeamError> {
    let session = DatabaseSession::open(login)?;
    let is_pooled = is_pooled(&session, login)?;
    let DatabaseSession { client, runtime, .. } = &session;
    runtime.set_limit(login.limits.write);
    let mut found = runtime.block_on(examine(client))?;
    found.setup.is_pooled = is_pooled;
    Ok(found)
}

async fn examine(client: &Client) -> Queried<TeamStatus> {
    let sql = "SELECT current_setting('server_version'), session_user::text,
            (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl),
            pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
            current_setting('synchronous_commit'), current_setting('fsync')::boolean,
            (SELECT count(*) FROM pg_stat_replication), current_setting('synchronous_standby_names') <> '',
            coalesce((SELECT setting::bigint FROM pg_settings WHERE name = 'idle_session_timeout'), 0),
            coalesce((SELECT setting::bigint FROM pg_settings WHERE name = 'transaction_timeout'), 0)";
    let row = client.query_one(sql, &[]).await?;
    let mut status = TeamStatus {
        // A distribution adds its own version in brackets.
        version: row.get::<_, String>(0).split(' ').next().unwrap_or_default().to_owned(),
        user: row.get(1),
        tls: row.get(2),
        is_read_only: row.get(3),
        setup: DatabaseSetup {
            synchronous_commit: row.get(4),
            fsync: row.get(5),
            standbys: u64::try_from(row.get::<_, i64>(6)).unwrap_or(0),
            has_synchronous_standby: row.get(7),
            is_pooled: false,
            clock_ahead_ms: clock_ahead(client).await?,
            idle_session_timeout_ms: row.get(8),
            transaction_timeout_ms: row.get(9),
        },
        known_schema: SCHEMA,
        exists: has_journal(client).await?,
        ..TeamStatus::default()
    };
    if !status.exists {
        return Ok(status);
    }
    if !one::<bool>(client, "SELECT has_schema_privilege('lapel', 'USAGE')").await? {
        let usage = vec!["USAGE on lapel".to_owned()];
        status.missing = MissingRights { to_issue: usage.clone(), to_read: usage };
        return Ok(status);
    }
    status.missing = MissingRights {
        to_issue: missing_rights(client, ISSUER).await?,
        to_read: missing_rights(client, READER).await?,
    };
    let may_read = |table: &str| !status.missing.to_read.contains(&format!("SELECT on {table}"));
    let (may_read_jobs, may_read_processes) = (may_read("job"), may_read("process"));
    // A reader may read this column only.
    if one(client, "SELECT has_column_privilege('lapel.store', 'schema', 'SELECT')").await? {
        status.schema = Some(one(client, "SELECT schema FROM lapel.store").await?);
    }
    if status.schema == Some(SCHEMA) {
        status.losses = losses(client).await?;
    }
    if may_read_jobs {
        let jobs: i64 = one(client, "SELECT count(*) FROM lapel.job WHERE phase <> 'draft'").await?;
        status.jobs = u64::try_from(jobs).ok();
    }
    if may_read_processes {
        status.processes = processes(client).await?;
    }
    Ok(status)
}

async fn losses(client: &Client) -> Queried<WriteLosses> {
    let mut losses = WriteLosses::default();
    let sql = "SELECT has_column_privilege('lapel.store', 'noticed', 'SELECT'),
                      has_function_privilege('lapel.has_other_origin()', 'EXECUTE'),
                      has_table_privilege('lapel.request', 'SELECT') AND has_table_privilege('lapel.row', 'SELECT')";
    let may = client.query_one(sql, &[]).await?;
    if may.get(0) {
        let sql = "SELECT (extract(epoch FROM noticed) * 1000)::bigint FROM lapel.store";
        let noticed: Option<i64> = one(client, sql).await?;
        losses.noticed = noticed.and_then(|at| Timestamp::from_millisecond(at).ok());
    }
    if may.get(1) {
        losses.has_other_origin = one(client, "SELECT lapel.has_other_origin()").await?;
    }
    if may.get(2) {
        let sql = "SELECT count(*) FROM lapel.request JOIN lapel.row ON row.request = request.id
                   WHERE request.outcome = 'unsearched' AND row.bucket IN ('in_doubt', 'unbound', 'not_seen')";
        losses.unsearched_rows = u64::try_from(one::<i64>(client, sql).await?).ok();
    }
    Ok(losses)
}

/// In milliseconds.
async fn clock_ahead(client: &Client) -> Queried<i64> {
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let statement = client.prepare(sql).await?;
    let before = Timestamp::now().as_millisecond();
    let there: i64 = client.query_one(&statement, &[]).await?.get(0);
    let after = Timestamp::now().as_millisecond();
    // Somewhere between, so a slow network is no difference of the clocks.
    Ok(there - there.clamp(before, after))
}

/// The rights of a role that this user lacks.
async fn missing_rights(client: &Client, role: &str) -> Queried<Vec<String>> {
    let mut missing = Vec::new();
    for Right { name, column, table } in rights_of(role) {
        // A table of a newer schema, or one that is gone, is no matter of rights.
        let sql = "SELECT coalesce(CASE WHEN $2::text IS NULL THEN has_table_privilege(to_regclass($1), $3)
                                        ELSE has_column_privilege(to_regclass($1), $2, $3) END, true)";
        if !client.query_one(sql, &[&table, &column, &name]).await?.get::<_, bool>(0) {
            missing.push(format!("{name} on {}", table.trim_start_matches("lapel.")));
        }
    }
    Ok(missing)
}

struct Right {
    /// Such as `INSERT`.
    name: &'static str,
    column: Option<&'static str>,
    /// With its schema.
    table: &'static str,
}

fn rights_of(role: &str) -> impl Iterator<Item = Right> {
    let grants = RIGHTS.lines().filter_map(move |line| {
        let (names, rest) = line.trim().strip_prefix("GRANT ")?.split_once(" ON ")?;
        let tables = rest.strip_suffix(";")?.strip_suffix(role)?.strip_suffix(" TO ")?;
        tables.starts_with("lapel.").then_some((names, tables))
    });
    grants.flat_map(|(names, tables)| {
        names.split(", ").flat_map(move |right| {
            let (name, column) = match right.split_once(" (") {
                Some((name, column)) => (name, Some(column.trim_end_matches(')'))),
                None => (right, None),
            };
            tables.split(", ").map(move |table| Right { name, column, table })
        })
    })
}

/// Whether a pooler lends a connection to the database for one transaction only: then another transaction gets the
/// connection that this one had, or this one gets another.
fn is_pooled(session: &DatabaseSession, login: &Login) -> std::result::Result<bool, TeamError> {
    let pid = |session: &DatabaseSession| -> std::result::Result<i32, TeamError> {
        let pid = session.client.query_one("SELECT pg_backend_pid()", &[]);
        Ok(session.runtime.block_on(pid)?.get(0))
    };
    let other = DatabaseSession::open(login)?;
    other.runtime.block_on(other.client.batch_execute("BEGIN"))?;
    let (meanwhile, again) = (pid(&other)?, pid(session)?);
    other.runtime.block_on(other.client.batch_execute("ROLLBACK"))?;
    Ok(other.pid == session.pid || meanwhile != other.pid || again != session.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rights_of_a_role_are_read_from_the_sql() {
        let of = |role| -> Vec<String> {
            rights_of(role)
                .map(|right| format!("{} {} {:?}", right.name, right.table, right.column))
                .collect()
        };
        let reader = of(READER);
        for known in [r#"SELECT lapel.store Some("noticed")"#, "SELECT lapel.imported None"] {
            assert!(reader.iter().any(|right| right == known), "{known}: {reader:?}");
        }
        assert!(reader.iter().all(|right| right.starts_with("SELECT ")), "{reader:?}");
        let rights = of(ISSUER);
        for known in
            [r#"UPDATE lapel.store Some("single")"#, "INSERT lapel.job None", "SELECT lapel.row None"]
        {
            assert!(rights.iter().any(|right| right == known), "{known}: {rights:?}");
        }
        assert!(rights.iter().all(|right| !right.contains("DELETE lapel.decision")), "{rights:?}");
        assert!(rights.len() > 40, "{rights:?}");
    }

    #[test]
    fn a_step_leads_to_each_newer_schema() {
        for (n, (schema, _)) in STEPS.iter().enumerate() {
            assert_eq!(*schema, SCHEMA - (STEPS.len() - 1 - n) as i64);
        }
    }
}

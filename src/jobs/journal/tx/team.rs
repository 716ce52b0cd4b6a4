//! A connection to a team's database, `PostgreSQL`, and a transaction of it.

use super::{Bind, Error, Result, SqlRow, SqlType, SqlValue, bound};
use crate::jobs::journal::dialect;
use crate::jobs::journal::prelude::*;
use crate::team::{DatabaseSession, Login, Waiter};
use bytes::{BufMut, BytesMut};
use futures_util::{SinkExt, TryStreamExt};
use std::cell::RefCell;
use std::pin::pin;
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Statement, Transaction};

/// Rows that are fetched at once.
const FETCH: i32 = 1_000;
/// Bytes of a list of rows that are sent at once.
const CHUNK: usize = 64 << 10;

pub(in crate::jobs::journal) fn connected(login: &Login) -> std::result::Result<DatabaseSession, TeamError> {
    let session = DatabaseSession::open(login)?;
    let path = session.client.batch_execute("SET search_path = lapel, pg_temp");
    session.runtime.block_on(path)?;
    Ok(session)
}

pub(in crate::jobs::journal) fn schema(session: &DatabaseSession) -> std::result::Result<i64, TeamError> {
    // With its schema: without a right to that, its tables seem not to exist.
    let row = session.client.query_one("SELECT schema, pg_backend_pid() FROM lapel.store", &[]);
    let row = session.runtime.block_on(row)?;
    assure_own(session.pid, row.get(1))?;
    Ok(row.get(0))
}

/// # Errors
/// Another process of the server works than the one of the connection. It does not have its settings.
pub(in crate::jobs::journal) fn assure_own(pid: i32, works: i32) -> std::result::Result<(), TeamError> {
    if pid == works { Ok(()) } else { Err(TeamError::Pooled) }
}

/// The statements of a connection, by their text as the operations have it.
pub(in crate::jobs::journal) type Statements = RefCell<HashMap<String, Statement>>;

/// An open transaction, and what belongs to its connection.
#[derive(Clone, Copy)]
pub(in crate::jobs::journal) struct TeamTx<'a> {
    pub(in crate::jobs::journal) runtime: &'a Waiter,
    pub(in crate::jobs::journal) transaction: &'a Transaction<'a>,
    pub(in crate::jobs::journal) statements: &'a Statements,
}

impl TeamTx<'_> {
    fn prepare(&self, sql: &str, values: &[&dyn Bind]) -> Result<Statement> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let types: Vec<Type> = bound(values).map(|value| type_of(&value)).collect();
        let made = self.runtime.block_on(self.transaction.prepare_typed(&dialect::postgres(sql), &types))?;
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= super::MOST_FORMS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), made.clone());
        Ok(made)
    }

    pub(super) fn each(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&tokio_postgres::Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let statement = self.prepare(sql, values)?;
        let portal = self.runtime.block_on(self.transaction.bind_raw(&statement, bound(values)))?;
        loop {
            let rows = self.runtime.block_on(self.transaction.query_portal(&portal, FETCH))?;
            for row in &rows {
                if read(row)?.is_break() {
                    return Ok(());
                }
            }
            if rows.len() < FETCH as usize {
                return Ok(());
            }
        }
    }

    /// As [`Self::each`], with one round trip, for a query with few rows.
    pub(super) fn first(&self, sql: &str, values: &[&dyn Bind]) -> Result<Option<tokio_postgres::Row>> {
        let statement = self.prepare(sql, values)?;
        Ok(self.runtime.block_on(async {
            let rows = self.transaction.query_raw(&statement, bound(values)).await?;
            pin!(rows).try_next().await
        })?)
    }

    pub(super) fn execute(&self, sql: &str, values: &[&dyn Bind]) -> Result<usize> {
        let statement = self.prepare(sql, values)?;
        let changed = self.runtime.block_on(self.transaction.execute_raw(&statement, bound(values)))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub(super) fn script(&self, sql: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.transaction.batch_execute(sql))?)
    }

    pub(super) fn append(
        &self,
        table: &str,
        columns: &str,
        rows: impl FnOnce(&mut dyn FnMut(&[&dyn Bind]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let sql = format!("COPY {table} ({columns}) FROM STDIN");
        let sink = self.runtime.block_on(self.transaction.copy_in::<_, bytes::Bytes>(&sql))?;
        let mut sink = pin!(sink);
        let mut chunk = BytesMut::new();
        // An error drops the sink, which ends the copy and the transaction.
        rows(&mut |row| {
            for (place, value) in row.iter().enumerate() {
                if place > 0 {
                    chunk.put_u8(b'\t');
                }
                copied(&value.bind(), &mut chunk);
            }
            chunk.put_u8(b'\n');
            if chunk.len() >= CHUNK {
                self.runtime.block_on(sink.send(chunk.split().freeze()))?;
            }
            Ok(())
        })?;
        self.runtime.block_on(async {
            sink.send(chunk.freeze()).await?;
            sink.finish().await
        })?;
        Ok(())
    }
}

impl From<TeamError> for Error {
    fn from(error: TeamError) -> Self {
        Self::Team(error)
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Team(TeamError::from(&error))
    }
}

/// A value in the text form of COPY.
fn copied(value: &SqlValue<'_>, out: &mut BytesMut) {
    match value {
        SqlValue::Null(_) => out.put_slice(b"\\N"),
        SqlValue::Bool(is) => out.put_u8(if *is { b't' } else { b'f' }),
        SqlValue::Int(n) => out.put_slice(n.to_string().as_bytes()),
        SqlValue::Bytes(bytes) => {
            out.put_slice(b"\\\\x");
            bytes.iter().for_each(|byte| out.put_slice(format!("{byte:02x}").as_bytes()));
        }
        SqlValue::Text(text) => {
            for byte in without_nul(text).bytes() {
                match byte {
                    b'\\' => out.put_slice(b"\\\\"),
                    b'\t' => out.put_slice(b"\\t"),
                    b'\n' => out.put_slice(b"\\n"),
                    b'\r' => out.put_slice(b"\\r"),
                    byte => out.put_u8(byte),
                }
            }
        }
    }
}

fn type_of(value: &SqlValue<'_>) -> Type {
    match value {
        SqlValue::Bool(_) | SqlValue::Null(SqlType::Bool) => Type::BOOL,
        SqlValue::Int(_) | SqlValue::Null(SqlType::Int) => Type::INT8,
        SqlValue::Text(_) | SqlValue::Null(SqlType::Text) => Type::TEXT,
        SqlValue::Bytes(_) | SqlValue::Null(SqlType::Bytes) => Type::BYTEA,
    }
}

/// The database cannot store NUL, not even escaped in JSON that it reads.
fn without_nul(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\\']) || !(text.contains('\0') || text.contains("\\u0000")) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\0', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('\0').or_else(|| rest.strip_prefix("\\u0000")) {
            out.push('\u{fffd}');
            rest = after;
        } else {
            // The escaped character is literal: an escaped backslash may precede `u0000`.
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

impl ToSql for SqlValue<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let wrong = || format!("a value for {ty}").into();
        match (self, ty) {
            (SqlValue::Null(_), _) => Ok(IsNull::Yes),
            (SqlValue::Int(n), &Type::INT4) => i32::try_from(*n)?.to_sql(ty, out),
            (SqlValue::Int(n), &Type::INT8) => n.to_sql(ty, out),
            (SqlValue::Bool(is), &Type::BOOL) => is.to_sql(ty, out),
            (SqlValue::Text(text), _) if <&str as ToSql>::accepts(ty) => {
                without_nul(text).as_ref().to_sql(ty, out)
            }
            (SqlValue::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out),
            _ => Err(wrong()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    to_sql_checked!();
}

pub(super) fn value(row: &tokio_postgres::Row, place: usize) -> Result<SqlValue<'_>> {
    let wrong = || SqlRow::Team(row).wrong(place);
    let column = row.columns().get(place).ok_or_else(wrong)?;
    let value = match *column.type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(place)?.map(SqlValue::Int),
        Type::INT4 => row.try_get::<_, Option<i32>>(place)?.map(|n| SqlValue::Int(n.into())),
        Type::BOOL => row.try_get::<_, Option<bool>>(place)?.map(SqlValue::Bool),
        Type::TEXT | Type::VARCHAR | Type::NAME => row.try_get::<_, Option<&str>>(place)?.map(SqlValue::from),
        Type::BYTEA => row.try_get::<_, Option<&[u8]>>(place)?.map(SqlValue::Bytes),
        _ => return Err(wrong()),
    };
    Ok(value.unwrap_or(SqlValue::Null(SqlType::Text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_replaced_also_in_json_and_nothing_else() {
        for (text, stored) in [
            ("plain", "plain"),
            ("a\0b", "a\u{fffd}b"),
            (r#"["a\u0000b"]"#, "[\"a\u{fffd}b\"]"),
            (r#"["a\\u0000b"]"#, r#"["a\\u0000b"]"#),
            (r#"["\\\u0000"]"#, "[\"\\\\\u{fffd}\"]"),
            ("\\", "\\"),
            ("가\\나\0", "가\\나\u{fffd}"),
        ] {
            assert_eq!(without_nul(text), stored, "{text:?}");
        }
    }
}

//! A transaction of the journal's database: everything that an operation can do with it.

use super::dialect;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of SQL texts whose forms are kept.
const MOST_FORMS: usize = 1_000;

macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$(&$value as &dyn $crate::jobs::journal::tx::Bind),*] };
}
pub(super) use values;

#[derive(Debug)]
pub(super) enum Error {
    Sqlite(rusqlite::Error),
    /// A column has no value, or a value of another type.
    Column(At),
    /// A statement that always returns a row returned none.
    NoRow,
    /// No random numbers.
    Random,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(error) => error.fmt(f),
            Self::Column(at) => write!(f, "the column {at:?} has a value of another type"),
            Self::NoRow => f.write_str("a row is missing"),
            Self::Random => f.write_str("no random numbers"),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// A transaction. Statements are prepared once and kept.
pub(super) struct Tx<'a>(Database<'a>);

enum Database<'a> {
    Sqlite(&'a Connection),
}

impl<'a> Tx<'a> {
    /// A transaction that is open on this connection, or single statements.
    pub(super) fn on(connection: &'a Connection) -> Self {
        Self(Database::Sqlite(connection))
    }

    /// Calls `read` with each row of a query, until it breaks.
    pub(super) fn each(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match &self.0 {
            Database::Sqlite(db) => {
                let mut statement = prepare(db, sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(bound(values)))?;
                while let Some(row) = rows.next()? {
                    if read(&Row(RowOf::Sqlite(row)))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    pub(super) fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C> {
        let mut rows = Vec::new();
        self.each(sql, values, |row| {
            rows.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(rows.into_iter().collect())
    }

    pub(super) fn optional<T>(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.each(sql, values, |row| {
            first = Some(read(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(first)
    }

    /// The row of a query that always returns one.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.optional(sql, values, read)?.ok_or(Error::NoRow)
    }

    pub(super) fn exists(&self, sql: &str, values: &[&dyn Bind]) -> Result<bool> {
        Ok(self.optional(sql, values, |_| Ok(()))?.is_some())
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(super) fn execute(&self, sql: &str, values: &[&dyn Bind]) -> Result<usize> {
        match &self.0 {
            Database::Sqlite(db) => Ok(prepare(db, sql)?.execute(rusqlite::params_from_iter(bound(values)))?),
        }
    }

    pub(super) fn script(&self, sql: &str) -> Result<()> {
        match &self.0 {
            Database::Sqlite(db) => Ok(db.execute_batch(sql)?),
        }
    }

    /// A number that changes with every write of another process.
    pub(super) fn version(&self) -> Result<i64> {
        match &self.0 {
            Database::Sqlite(_) => self.row("PRAGMA data_version", values![], |r| r.get(0)),
        }
    }
}

/// Most texts have a form of their own for SQLite, which is made once.
fn prepare<'a>(db: &'a Connection, sql: &str) -> Result<CachedStatement<'a>> {
    thread_local! {
        static FORMS: RefCell<HashMap<String, Rc<str>>> = RefCell::default();
    }
    let form = FORMS.with_borrow(|forms| forms.get(sql).cloned());
    let form = form.unwrap_or_else(|| {
        FORMS.with_borrow_mut(|forms| {
            if forms.len() >= MOST_FORMS {
                forms.clear();
            }
            let form = Rc::from(dialect::sqlite(sql));
            forms.insert(sql.to_owned(), Rc::clone(&form));
            form
        })
    });
    Ok(db.prepare_cached(&form)?)
}

fn bound<'a>(values: &'a [&dyn Bind]) -> impl Iterator<Item = SqlValue<'a>> {
    values.iter().map(|value| value.bind())
}

pub(super) struct Row<'a>(RowOf<'a>);

enum RowOf<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
}

/// A column: its place from 0, or its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Place(usize),
    Name(&'static str),
}

impl From<usize> for At {
    fn from(place: usize) -> Self {
        Self::Place(place)
    }
}

impl From<&'static str> for At {
    fn from(name: &'static str) -> Self {
        Self::Name(name)
    }
}

impl Row<'_> {
    pub(super) fn get<T: Read>(&self, at: impl Into<At>) -> Result<T> {
        let at = at.into();
        T::read(self.value(at)?).ok_or(Error::Column(at))
    }

    /// A text that is not copied.
    pub(super) fn text(&self, at: impl Into<At>) -> Result<&str> {
        let at = at.into();
        match self.value(at)? {
            SqlValue::Text(Cow::Borrowed(text)) => Ok(text),
            _ => Err(Error::Column(at)),
        }
    }

    fn value(&self, at: At) -> Result<SqlValue<'_>> {
        match &self.0 {
            RowOf::Sqlite(row) => {
                let value = match at {
                    At::Place(place) => row.get_ref(place)?,
                    At::Name(name) => row.get_ref(name)?,
                };
                match value {
                    ValueRef::Null => Ok(SqlValue::Null),
                    ValueRef::Integer(n) => Ok(SqlValue::Int(n)),
                    ValueRef::Text(text) => {
                        std::str::from_utf8(text).map(SqlValue::from).map_err(|_| Error::Column(at))
                    }
                    ValueRef::Blob(bytes) => Ok(SqlValue::Bytes(bytes)),
                    ValueRef::Real(_) => Err(Error::Column(at)),
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum SqlValue<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'a, str>),
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for SqlValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl rusqlite::ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Bool(is) => ValueRef::Integer(i64::from(*is)),
            Self::Int(n) => ValueRef::Integer(*n),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A value that can be a parameter.
pub(super) trait Bind {
    fn bind(&self) -> SqlValue<'_>;
}

/// A value that can be read from a column.
pub(super) trait Read: Sized {
    /// `None` if the column has another type.
    fn read(value: SqlValue<'_>) -> Option<Self>;
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> SqlValue<'_> {
        (**self).bind()
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(&self) -> SqlValue<'_> {
        self.as_ref().map_or(SqlValue::Null, T::bind)
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

impl Bind for i64 {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Int(*self)
    }
}

impl Read for i64 {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Int(n) => Some(n),
            _ => None,
        }
    }
}

impl Bind for u16 {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Int(i64::from(*self))
    }
}

impl Bind for bool {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bool(*self)
    }
}

impl Read for bool {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bool(is) => Some(is),
            SqlValue::Int(n) => Some(n != 0),
            _ => None,
        }
    }
}

impl Bind for str {
    fn bind(&self) -> SqlValue<'_> {
        self.into()
    }
}

impl Bind for String {
    fn bind(&self) -> SqlValue<'_> {
        self.as_str().into()
    }
}

impl Bind for Cow<'_, str> {
    fn bind(&self) -> SqlValue<'_> {
        self.as_ref().into()
    }
}

impl Read for String {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

impl Bind for [u8] {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bytes(self)
    }
}

impl Bind for Vec<u8> {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bytes(self)
    }
}

impl Read for Vec<u8> {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

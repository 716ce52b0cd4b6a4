//! A transaction of the journal's database: everything that an operation can do with it.

#[cfg(feature = "team")]
pub(super) mod team;

use super::dialect;
use crate::jobs::journal::prelude::*;
use rusqlite::CachedStatement;
use rusqlite::types::{ToSqlOutput, ValueRef};
use std::cell::RefCell;
use std::rc::Rc;

/// Number of rows that one statement adds to a table of a file: each statement opens all indexes of the table.
const TOGETHER: usize = 16;
/// Maximum number of SQL texts whose forms are kept.
const MOST_FORMS: usize = 1_000;

macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$(&$value as &dyn $crate::jobs::journal::tx::Bind),*] };
}
pub(super) use values;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{0:?}")]
    Team(TeamError),
    /// The value has another type than the column, or is missing.
    #[error("the column {0:?} has a value that is none of its own")]
    Column(String),
    /// A statement that always returns a row returned none.
    #[error("a row is missing")]
    NoRow,
    #[error("no random numbers")]
    Random,
    #[error("job {0} has changed")]
    Changed(JobId),
    /// Another journal sends for the account: why, and what changes that.
    #[error("{0}")]
    Elsewhere(Localizable),
}

pub(super) type Result<T> = std::result::Result<T, Error>;

/// A transaction. Statements are prepared once and kept.
pub(super) enum Tx<'a> {
    Sqlite(&'a Connection),
    #[cfg(feature = "team")]
    Team(team::TeamTx<'a>),
}

impl<'a> Tx<'a> {
    /// A transaction that is open on this connection, or single statements.
    pub(super) fn on(connection: &'a Connection) -> Self {
        Self::Sqlite(connection)
    }

    pub(super) fn is_team(&self) -> bool {
        !matches!(self, Self::Sqlite(_))
    }

    /// Calls `read` with each row of a query, until it breaks.
    pub(super) fn each(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&SqlRow<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(db) => {
                let mut statement = prepare(db, sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(bound(values)))?;
                while let Some(row) = rows.next()? {
                    if read(&SqlRow::Sqlite(row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            #[cfg(feature = "team")]
            Self::Team(db) => db.each(sql, values, |row| read(&SqlRow::Team(row))),
        }
    }

    pub(super) fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: &[&dyn Bind],
        mut read: impl FnMut(&SqlRow<'_>) -> Result<T>,
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
        mut read: impl FnMut(&SqlRow<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        #[cfg(feature = "team")]
        if let Self::Team(db) = self {
            return db.first(sql, values)?.map(|row| read(&SqlRow::Team(&row))).transpose();
        }
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
        read: impl FnMut(&SqlRow<'_>) -> Result<T>,
    ) -> Result<T> {
        self.optional(sql, values, read)?.ok_or(Error::NoRow)
    }

    /// The rows of a query, each with its values in their order.
    pub(super) fn all<T: ReadRow, C: FromIterator<T>>(&self, sql: &str, values: &[&dyn Bind]) -> Result<C> {
        self.rows(sql, values, T::read_row)
    }

    pub(super) fn first<T: ReadRow>(&self, sql: &str, values: &[&dyn Bind]) -> Result<Option<T>> {
        self.optional(sql, values, T::read_row)
    }

    /// As [`Self::row`].
    pub(super) fn one<T: ReadRow>(&self, sql: &str, values: &[&dyn Bind]) -> Result<T> {
        self.row(sql, values, T::read_row)
    }

    pub(super) fn exists(&self, sql: &str, values: &[&dyn Bind]) -> Result<bool> {
        // A server would find all rows, however few are read.
        self.one(&format!("SELECT EXISTS ({sql})"), values)
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(super) fn execute(&self, sql: &str, values: &[&dyn Bind]) -> Result<usize> {
        match self {
            Self::Sqlite(db) => Ok(prepare(db, sql)?.execute(rusqlite::params_from_iter(bound(values)))?),
            #[cfg(feature = "team")]
            Self::Team(db) => db.execute(sql, values),
        }
    }

    /// Runs a statement, however many rows it changes.
    pub(super) fn run(&self, sql: &str, values: &[&dyn Bind]) -> Result<()> {
        self.execute(sql, values).map(drop)
    }

    /// Appends the `count` rows that `rows` adds to a table. Each has a value for each of the listed columns.
    pub(super) fn append(
        &self,
        table: &str,
        columns: &str,
        count: usize,
        rows: impl FnOnce(&mut dyn FnMut(&[&dyn Bind]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(db) => {
                let width = columns.split(',').count();
                let row = format!("({})", vec!["?"; width].join(", "));
                let insert = |rows: usize| {
                    let rows = vec![row.as_str(); rows].join(", ");
                    prepare(db, &format!("INSERT INTO {table} ({columns}) VALUES {rows}"))
                };
                let (mut several, mut one) = (insert(TOGETHER)?, insert(1)?);
                let (mut left, mut bound_rows) = (count, 0);
                rows(&mut |row| {
                    if bound_rows + left < TOGETHER {
                        one.execute(rusqlite::params_from_iter(bound(row)))?;
                    } else {
                        for (n, value) in (bound_rows * width + 1..).zip(bound(row)) {
                            several.raw_bind_parameter(n, value)?;
                        }
                        bound_rows = (bound_rows + 1) % TOGETHER;
                        if bound_rows == 0 {
                            several.raw_execute()?;
                        }
                    }
                    left = left.saturating_sub(1);
                    Ok(())
                })?;
                if left == 0 && bound_rows == 0 { Ok(()) } else { Err(Error::NoRow) }
            }
            #[cfg(feature = "team")]
            Self::Team(db) => db.append(table, columns, rows),
        }
    }

    pub(super) fn script(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(db) => Ok(db.execute_batch(sql)?),
            #[cfg(feature = "team")]
            Self::Team(db) => db.script(sql),
        }
    }

    /// Counts the rows for the planner of a team's database. SQLite plans without counts.
    pub(super) fn analyze_rows(&self) -> Result<()> {
        if self.is_team() { self.row("SELECT 1 FROM analyze_rows()", values![], |_| Ok(())) } else { Ok(()) }
    }

    /// A number that changes with every write of another process. Of a file only.
    pub(super) fn version(&self) -> Result<i64> {
        self.one("PRAGMA data_version", values![])
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

fn bound<'a>(values: &'a [&dyn Bind]) -> impl ExactSizeIterator<Item = SqlValue<'a>> {
    values.iter().map(|value| value.bind())
}

pub(super) enum SqlRow<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    #[cfg(feature = "team")]
    Team(&'a tokio_postgres::Row),
}

/// A column: its place from 0, or its name.
pub(super) trait Column {
    fn place(self, row: &SqlRow<'_>) -> Result<usize>;
}

impl Column for usize {
    fn place(self, _: &SqlRow<'_>) -> Result<usize> {
        Ok(self)
    }
}

impl Column for &str {
    fn place(self, row: &SqlRow<'_>) -> Result<usize> {
        match row {
            SqlRow::Sqlite(row) => Ok(row.as_ref().column_index(self)?),
            #[cfg(feature = "team")]
            SqlRow::Team(row) => {
                let place = row.columns().iter().position(|column| column.name() == self);
                place.ok_or_else(|| Error::Column(self.to_owned()))
            }
        }
    }
}

impl SqlRow<'_> {
    pub(super) fn get<T: ReadColumn>(&self, column: impl Column) -> Result<T> {
        let place = column.place(self)?;
        T::read(self.value(place)?).ok_or_else(|| self.wrong(place))
    }

    /// A text that is not copied.
    pub(super) fn text(&self, column: impl Column) -> Result<&str> {
        let place = column.place(self)?;
        match self.value(place)? {
            SqlValue::Text(Cow::Borrowed(text)) => Ok(text),
            _ => Err(self.wrong(place)),
        }
    }

    /// The error names the column.
    fn wrong(&self, place: usize) -> Error {
        let name = match self {
            Self::Sqlite(row) => row.as_ref().column_name(place).ok(),
            #[cfg(feature = "team")]
            Self::Team(row) => row.columns().get(place).map(tokio_postgres::Column::name),
        };
        Error::Column(name.unwrap_or_default().to_owned())
    }

    fn value(&self, place: usize) -> Result<SqlValue<'_>> {
        match self {
            Self::Sqlite(row) => match row.get_ref(place)? {
                ValueRef::Null => Ok(SqlValue::Null(SqlType::Text)),
                ValueRef::Integer(n) => Ok(SqlValue::Int(n)),
                ValueRef::Text(text) => {
                    std::str::from_utf8(text).map(SqlValue::from).map_err(|_| self.wrong(place))
                }
                ValueRef::Blob(bytes) => Ok(SqlValue::Bytes(bytes)),
                ValueRef::Real(_) => Err(self.wrong(place)),
            },
            #[cfg(feature = "team")]
            Self::Team(row) => team::value(row, place),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum SqlValue<'a> {
    /// As a parameter it has a type. That of a column is not known.
    Null(SqlType),
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
            Self::Null(_) => ValueRef::Null,
            Self::Bool(is) => ValueRef::Integer(i64::from(*is)),
            Self::Int(n) => ValueRef::Integer(*n),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SqlType {
    Bool,
    Int,
    Text,
    Bytes,
}

/// The type of a parameter that may have no value.
pub(super) trait HasSqlType {
    const TYPE: SqlType;
}

/// A value that can be a parameter.
pub(super) trait Bind {
    fn bind(&self) -> SqlValue<'_>;
}

pub(super) trait ReadColumn: Sized {
    /// `None` if the column has another type.
    fn read(value: SqlValue<'_>) -> Option<Self>;
}

impl<T: HasSqlType + ?Sized> HasSqlType for &T {
    const TYPE: SqlType = T::TYPE;
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> SqlValue<'_> {
        (**self).bind()
    }
}

impl<T: Bind + HasSqlType> Bind for Option<T> {
    fn bind(&self) -> SqlValue<'_> {
        self.as_ref().map_or(SqlValue::Null(T::TYPE), T::bind)
    }
}

impl<T: ReadColumn> ReadColumn for Option<T> {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Null(_) => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

/// The value of a row's only column, or those of all of its columns.
pub(super) trait ReadRow: Sized {
    fn read_row(row: &SqlRow<'_>) -> Result<Self>;
}

impl<T: ReadColumn> ReadRow for T {
    fn read_row(row: &SqlRow<'_>) -> Result<Self> {
        row.get(0)
    }
}

macro_rules! read_rows {
    ($($($of:ident $place:literal),+;)+) => {$(
        impl<$($of: ReadColumn),+> ReadRow for ($($of),+) {
            fn read_row(row: &SqlRow<'_>) -> Result<Self> {
                Ok(($(row.get($place)?),+))
            }
        }
    )+};
}

read_rows! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
}

/// The SQL type of a Rust type, its value as a parameter, and the columns that it can be read from.
macro_rules! sql_types {
    ($($type:ty: $sql:ident, |$this:ident| $bind:expr $(, $($read:pat => $value:expr),+)?;)+) => {$(
        impl HasSqlType for $type {
            const TYPE: SqlType = SqlType::$sql;
        }

        impl Bind for $type {
            fn bind(&self) -> SqlValue<'_> {
                let $this = self;
                $bind
            }
        }

        $(impl ReadColumn for $type {
            fn read(value: SqlValue<'_>) -> Option<Self> {
                match value { $($read => Some($value),)+ _ => None }
            }
        })?
    )+};
}
pub(super) use sql_types;

sql_types! {
    i64: Int, |n| SqlValue::Int(*n), SqlValue::Int(n) => n;
    u16: Int, |n| SqlValue::Int(i64::from(*n));
    u64: Int, |n| SqlValue::Int(*n as i64), SqlValue::Int(n) => n.unsigned_abs();
    JobId: Int, |id| SqlValue::Int(id.0), SqlValue::Int(id) => Self(id);
    bool: Bool, |is| SqlValue::Bool(*is), SqlValue::Bool(is) => is, SqlValue::Int(n) => n != 0;
    str: Text, |text| text.into();
    String: Text, |text| text.as_str().into(), SqlValue::Text(text) => text.into_owned();
    Cow<'_, str>: Text, |text| text.as_ref().into();
    Text: Text, |text| text.wire().into(), SqlValue::Text(text) => Self::new(text.into_owned());
    [u8]: Bytes, |bytes| SqlValue::Bytes(bytes);
    Vec<u8>: Bytes, |bytes| SqlValue::Bytes(bytes), SqlValue::Bytes(bytes) => bytes.to_vec();
}

/// Nothing is sent of a job whose kind is not known: it might be the other one.
impl ReadColumn for Kind {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Text(code) = value { Self::from_code(&code) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_appended_row_is_in_the_table_once() {
        let db = Connection::open_in_memory().expect("a database");
        let db = Tx::on(&db);
        db.script("CREATE TABLE list (n INTEGER PRIMARY KEY, text TEXT)").expect("a table");
        let append = |count: usize, added: i64| {
            db.append("list", "n, text", count, |add| {
                (1..=added).try_for_each(|n| add(values![n, (n % 2 == 0).then(|| n.to_string())]))
            })
        };
        let texts = || -> Vec<Option<String>> {
            db.rows("SELECT text FROM list ORDER BY n", values![], |r| r.get(0)).expect("a list")
        };
        let size = TOGETHER as i64;
        for n in [0, 1, size - 1, size, size + 1, 2 * size, 3 * size - 1] {
            append(n as usize, n).expect("appended");
            let expected: Vec<Option<String>> =
                (1..=n).map(|n| (n % 2 == 0).then(|| n.to_string())).collect();
            assert_eq!(texts(), expected);
            db.script("DELETE FROM list").expect("an empty table");
        }
        for (count, added) in [(2, 1), (size + 1, size), (2 * size, size + 3)] {
            assert!(matches!(append(count as usize, added), Err(Error::NoRow)), "{added} of {count}");
            db.script("DELETE FROM list").expect("an empty table");
        }
    }
}

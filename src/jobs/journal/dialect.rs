//! The SQL of the operations, in the form of each database.
//!
//! An operation has one text. Where the databases differ, it calls a function of this list, and the text of each
//! database has its SQL. `PostgreSQL` has those about reasons as functions of its schema
//! (`team_functions.sql`), with `instr` and `unixepoch` of SQLite.
//!
//! ```text
//! json_rows(?1, no bigint, why text)   a table: the lists of a JSON list, and their `place` from 0
//! json_values(?1, bigint)              a table: the `value`s of a JSON list, and their `place`
//! json_list(?1, text)                  the values of a JSON list, after IN
//! json_array(x, y)                     a JSON list
//! json_group_array(x)                  the values of all rows as a JSON list
//! reason_code(x)                       the code of a stored reason
//! reason_group(x)                      the key of its group
//! reason_with(x, 'name', y)            a reason with an argument that is a reason
//! reason_with_text(x, 'name', y)       a reason with an argument that is a text
//! reason_both(code, x, y)              a reason with two parts
//! text_has_unfolded(x)                 whether a text may have letters that `lower` does not make small, or accents
//! ```

use crate::jobs::journal::prelude::*;

/// A database's text for a call; `None` if the database has the function.
type Form = fn(name: &str, arguments: &[String]) -> Option<String>;

pub(super) fn sqlite(sql: &str) -> Cow<'_, str> {
    expanded(sql, in_sqlite)
}

pub(super) fn postgres(sql: &str) -> String {
    // Hints for SQLite's planner only.
    let sql = sql.replace(" INDEXED BY row_class", "").replace(" INDEXED BY row_found", "");
    let sql = expanded(&sql, in_postgres);
    // Outside of texts, a question mark is always a parameter.
    let mut parts = sql.split('\'').enumerate().map(|(n, part)| match n % 2 {
        0 => part.replace('?', "$"),
        _ => part.to_owned(),
    });
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |text, part| text + "'" + &part)
}

/// Replaces the calls of these functions, from the inside out.
fn expanded(sql: &str, form: Form) -> Cow<'_, str> {
    const NAMES: [&str; 3] = ["json_", "reason_", "text_has_"];
    let Some(at) = NAMES.iter().filter_map(|name| sql.find(name)).min() else { return Cow::Borrowed(sql) };
    let (before, call) = sql.split_at(at);
    let name: &str = call.split(|c: char| !c.is_ascii_alphabetic() && c != '_').next().unwrap_or_default();
    let rest = &call[name.len()..];
    let (text, rest) = match arguments(rest) {
        Some((list, after)) => {
            let list: Vec<String> = list.iter().map(|part| expanded(part, form).into_owned()).collect();
            let text = form(name, &list).unwrap_or_else(|| format!("{name}({})", list.join(", ")));
            (text, after)
        }
        None => (name.to_owned(), rest),
    };
    Cow::Owned(format!("{before}{text}{}", expanded(rest, form)))
}

/// The arguments in the parentheses at the beginning of a text, and the text after them.
fn arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let inner = text.strip_prefix('(')?;
    let (mut list, mut depth, mut quoted, mut start) = (Vec::new(), 0_usize, false, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' if depth == 0 => {
                list.push(inner[start..at].trim());
                return Some((list, &inner[at + 1..]));
            }
            ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The names and types of the columns of `json_rows`.
fn columns(list: &[String]) -> impl Iterator<Item = (usize, &str, &str)> {
    list.iter().enumerate().filter_map(|(at, column)| column.split_once(' ').map(|(name, of)| (at, name, of)))
}

/// Letters that `lower` does not make small, and letters and signs with accents.
const UNFOLDED: &str = "\u{c0}-\u{58f}\u{1e00}-\u{1fff}\u{ff21}-\u{ff3a}";

fn in_sqlite(name: &str, arguments: &[String]) -> Option<String> {
    Some(match (name, arguments) {
        ("text_has_unfolded", [x]) => format!("({x} GLOB '*[{UNFOLDED}]*')"),
        ("json_rows", [list, named @ ..]) => {
            let columns: Vec<String> = columns(named)
                .map(|(at, name, of)| match of {
                    "bytes" => format!("unhex(value ->> {at}) AS {name}"),
                    _ => format!("value ->> {at} AS {name}"),
                })
                .collect();
            format!("(SELECT {}, key AS place FROM json_each({list}))", columns.join(", "))
        }
        ("json_values", [list, _]) => format!("(SELECT value, key AS place FROM json_each({list}))"),
        ("json_list", [list, _]) => format!("(SELECT value FROM json_each({list}))"),
        ("reason_code", [x]) => format!("(CASE WHEN json_valid({x}) THEN {x} ->> '$.code' END)"),
        ("reason_with", [x, name, y]) => {
            format!("json_set({x}, '$.args', json_object({name}, json({y})))")
        }
        ("reason_with_text", [x, name, y]) => format!("json_set({x}, '$.args', json_object({name}, {y}))"),
        ("reason_both", [code, x, y]) => {
            format!(
                "json_object('code', {code}, 'args', json_object('all', json_array(json({x}), json({y}))))"
            )
        }
        ("reason_group", [x]) => format!(
            "(CASE WHEN {x} IS NULL OR NOT json_valid({x}) THEN {x}
                   WHEN {x} ->> '$.code' = 'domain_slip' THEN 'e-mail address:did you mean {{meant}}?'
                   WHEN {x} ->> '$.code' = 'findings' THEN
                        (SELECT group_concat(
                             coalesce(part.value ->> '$.args.field.text', part.value ->> '$.args.field.code', '')
                             || ':' || coalesce(part.value ->> '$.args.what.text',
                                                part.value ->> '$.args.what.args.text',
                                                part.value ->> '$.args.what.code', part.value), char(10))
                         FROM json_each({x}, '$.args.all') AS part)
                   ELSE coalesce({x} ->> '$.text', {x} ->> '$.args.text', '') || ':' || ({x} ->> '$.code') END)"
        ),
        _ => return None,
    })
}

fn in_postgres(name: &str, arguments: &[String]) -> Option<String> {
    Some(match (name, arguments) {
        ("text_has_unfolded", [x]) => format!("({x} ~ '[{UNFOLDED}]')"),
        ("json_rows", [list, named @ ..]) => {
            let columns: Vec<String> = columns(named)
                .map(|(at, name, of)| match of {
                    "bytes" => format!("decode(value ->> {at}, 'hex') AS {name}"),
                    "text" => format!("(value ->> {at}) COLLATE \"C\" AS {name}"),
                    _ => format!("(value ->> {at})::{of} AS {name}"),
                })
                .collect();
            format!("(SELECT {}, place - 1 AS place FROM {})", columns.join(", "), elements(list))
        }
        ("json_values", [list, of]) => {
            format!("(SELECT {} AS value, place - 1 AS place FROM {})", element(of), elements(list))
        }
        ("json_list", [list, of]) => format!("(SELECT {} FROM {})", element(of), elements(list)),
        ("json_array", list) => format!("json_build_array({})::text", list.join(", ")),
        ("json_group_array", [x]) => format!("json_agg({x})::text"),
        _ => return None,
    })
}

fn elements(list: &str) -> String {
    format!("jsonb_array_elements({list}::text::jsonb) WITH ORDINALITY AS element(value, place)")
}

fn element(of: &str) -> String {
    match of {
        "text" => "(value #>> '{}') COLLATE \"C\"".to_owned(),
        of => format!("(value #>> '{{}}')::{of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_replaced_from_the_inside_out() {
        for (sql, text) in [
            ("SELECT 1", "SELECT 1"),
            ("x IN json_list(?2, bigint)", "x IN (SELECT value FROM json_each(?2))"),
            (
                "FROM json_rows(?1, no bigint, person bytes) AS list",
                "FROM (SELECT value ->> 0 AS no, unhex(value ->> 1) AS person, key AS place FROM json_each(?1)) AS list",
            ),
            (
                "reason_both(?3, why, reason_with_text(?2, 'row', (SELECT min(a, b))))",
                "json_object('code', ?3, 'args', json_object('all', json_array(json(why), json(json_set(?2, '$.args', json_object('row', (SELECT min(a, b))))))))",
            ),
            ("SELECT reason_code FROM x", "SELECT reason_code FROM x"),
        ] {
            assert_eq!(sqlite(sql), text);
        }
    }
}

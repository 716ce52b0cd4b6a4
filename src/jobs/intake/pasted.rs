//! Reads pasted lines, one recipient each.

use super::cell_text::{is_address_like, is_blank, trim};
use super::split::Split;

/// Separators between a name and an address, or between two recipients.
const SEPARATORS: [char; 4] = ['\t', ';', ',', '|'];

/// Name and address in either order. Splits a line with several recipients (`A <a@x>; B <b@x>`, as mail
/// programs copy them) if each part has its own address.
pub(super) fn people(text: &str) -> Vec<Split> {
    let mut rows = Vec::new();
    // A person counts, not a line: rows of one number could not be told apart.
    for (person, number) in lines(text).flat_map(apart).zip(1..) {
        let (name, email) = name_and_address(person);
        rows.push(Split { line: number, cells: vec![name, email], stray_quotes: Vec::new() });
    }
    rows
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    // `str::lines` does not split at a single CR.
    let mut rest = Some(text.strip_suffix(['\n', '\r']).map_or(text, |t| t.strip_suffix('\r').unwrap_or(t)));
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let skip = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[end + skip..]);
        Some(&text[..end])
    })
}

fn apart(line: &str) -> Vec<&str> {
    if line.matches('@').count() > 1 {
        for separator in [';', ','] {
            let parts: Vec<&str> = line.split(separator).filter(|p| !is_blank(p)).collect();
            if parts.len() > 1 && parts.iter().all(|p| p.matches('@').count() == 1) {
                return parts;
            }
        }
    }
    vec![line]
}

fn name_and_address(person: &str) -> (String, String) {
    let person = trim(person);
    // "Name <address>": the brackets mark the address.
    if let Some((name, rest)) = person.rsplit_once('<')
        && let Some(address) = rest.strip_suffix('>')
    {
        return (unquoted(name), trim(address).to_owned());
    }
    if let Some((before, after)) = person.rsplit_once(SEPARATORS) {
        if is_address_like(after) || !before.contains(['@', '\u{ff20}']) {
            return (unquoted(before), unquoted(after));
        }
        if let Some((first, behind)) = person.split_once(SEPARATORS)
            && is_address_like(first)
        {
            return (unquoted(behind), unquoted(first));
        }
    }
    if is_address_like(person) {
        // "홍길동 hong@naru.example": the last word is the address.
        if let Some((name, address)) = person.rsplit_once(char::is_whitespace)
            && is_address_like(address)
            && !name.contains('@')
        {
            return (unquoted(name), address.to_owned());
        }
        return (String::new(), person.to_owned());
    }
    (person.to_owned(), String::new())
}

fn unquoted(part: &str) -> String {
    let part = trim(part.trim_matches(|c: char| SEPARATORS.contains(&c) || c.is_whitespace()));
    match part.strip_prefix('"').and_then(|p| p.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_and_an_address_in_whatever_way_it_was_copied() {
        for (line, name, email) in [
            ("홍길동\thong@naru.example", "홍길동", "hong@naru.example"),
            ("홍길동, hong@naru.example", "홍길동", "hong@naru.example"),
            ("Kim, Minsu; kim@naru.example", "Kim, Minsu", "kim@naru.example"),
            ("\"Kim, Minsu\",kim@naru.example", "Kim, Minsu", "kim@naru.example"),
            ("홍길동 <hong@naru.example>", "홍길동", "hong@naru.example"),
            ("\"Kim, Minsu\" <kim@naru.example>", "Kim, Minsu", "kim@naru.example"),
            ("홍길동 hong@naru.example", "홍길동", "hong@naru.example"),
            ("hong@naru.example\t홍길동", "홍길동", "hong@naru.example"),
            ("hong@naru.example", "", "hong@naru.example"),
            ("<hong@naru.example>", "", "hong@naru.example"),
            ("홍길동", "홍길동", ""),
            ("홍길동,", "홍길동", ""),
            ("홍길동\tnot an address", "홍길동", "not an address"),
            ("", "", ""),
        ] {
            assert_eq!(name_and_address(line), (name.to_owned(), email.to_owned()), "{line}");
        }
    }

    #[test]
    fn several_people_in_one_line_are_taken_apart() {
        let rows =
            people("Kim <k@x.example>; Lee <l@x.example>\r\n\r\na@x.example, b@x.example\rc@x.example");
        let seen: Vec<(u64, &str)> = rows.iter().map(|r| (r.line, r.cells[1].as_str())).collect();
        assert_eq!(
            seen,
            [
                (1, "k@x.example"),
                (2, "l@x.example"),
                (3, ""),
                (4, "a@x.example"),
                (5, "b@x.example"),
                (6, "c@x.example")
            ]
        );
    }

    #[test]
    fn a_line_with_two_addresses_for_one_person_stays_whole() {
        let rows = people("Kim\tk@x.example / l@x.example");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].cells[1], "k@x.example / l@x.example");
    }
}

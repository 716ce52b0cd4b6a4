//! Detects the header row and the field of each column.

use super::about::{FileQuestion, MapState};
use super::cell_text::{is_address_like, is_blank, trim};
use super::column_guess::{self, ColumnContent, ColumnGuess, ColumnMap, NameColumns, RecipientField, Title};
use super::origin::hex;
use crate::jobs::prelude::*;

/// Maximum number of first rows that are searched for the header.
pub(super) const SEARCHED: usize = 30;

/// The last column of a redo file. lapel reads no field from it and leaves it out of the job's rows.
pub const REASON_COLUMN: &str = "lapel reason";

/// The position of [`REASON_COLUMN`], if the file has it where lapel writes it.
pub(super) fn reason_column(header: &[String]) -> Option<usize> {
    let (last, before) = header.split_last()?;
    (!before.is_empty() && trim(last).eq_ignore_ascii_case(REASON_COLUMN)).then_some(before.len())
}

/// Folds a column name: without case, spaces, punctuation, and remarks in brackets.
fn folded(title: &str) -> String {
    let composed: String = title.nfkc().collect();
    let outside = composed.split(['(', '[', '<']).next().filter(|o| !is_blank(o)).unwrap_or(&composed);
    outside.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

pub(super) fn title_of(cell: &str) -> Option<Title> {
    if cell.len() > 200 {
        return None;
    }
    let whole = known(&folded(cell));
    // One column with two names: "성명 / Name", "이메일\nE-mail".
    whole.or_else(|| {
        let mut parts = cell
            .split(['/', '\n', '\r', '|', '·', '(', ')', '[', ']'])
            .filter(|p| !is_blank(p))
            .map(|p| known(&folded(p)));
        let first = parts.next()??;
        parts.all(|other| other == Some(first)).then_some(first)
    })
}

/// The names of a column after [`folded`].
fn known(folded: &str) -> Option<Title> {
    Some(match folded {
        "name" | "이름" | "성명" | "수료자명" | "수료자" | "수령인" | "수령자" | "수령인명" | "수령자명"
        | "성함" | "fullname" | "recipient" | "recipientname" | "이수자" | "이수자명" | "참가자"
        | "참가자명" | "참여자" | "참여자명" | "학생명" | "학생이름" | "교육생" | "교육생명" | "수강생"
        | "수강생명" | "수강자" | "수강자명" | "회원명" | "대상자" | "대상자명" | "발급대상"
        | "발급대상자" | "발급대상자명" | "한글이름" | "한글성명" | "국문성명" | "국문이름"
        | "earnername" | "earner" | "student" | "studentname" | "participant" | "participantname"
        | "attendee" | "attendeename" | "holder" | "holdername" | "displayname" | "learner"
        | "learnername" => Title::Name,
        "email" | "이메일" | "메일" | "이메일주소" | "전자우편" | "메일주소" | "전자메일"
        | "전자우편주소" | "전자메일주소" | "emailaddress" | "mail" | "mailaddress" | "emailid"
        | "recipientemail" | "이메일id" | "이메일아이디" | "e메일" | "e메일주소" | "수령인이메일"
        | "수령자이메일" | "수료자이메일" | "학생이메일" | "참가자이메일" | "earneremail" | "holderemail"
        | "emailaddr" => Title::Email,
        "badgeid" | "배지id" | "뱃지id" | "배지아이디" | "뱃지아이디" | "배지번호" | "뱃지번호"
        | "badgeno" | "badgenumber" | "발급배지id" => Title::BadgeId,
        "template" | "templateid" | "배지" | "배지명" | "템플릿" | "badge" | "뱃지" | "뱃지명"
        | "템플릿id" | "템플릿명" | "배지템플릿" | "badgetemplate" | "badgename" | "templatename"
        | "배지템플릿id" | "badgetemplateid" | "배지종류" => Title::Template,
        "성" | "성씨" | "lastname" | "familyname" | "surname" | "last" | "family" => Title::Family,
        "firstname" | "givenname" | "forename" | "first" | "given" | "명" => Title::Given,
        "학과" | "학과명" | "학부" | "전공" | "소속" | "소속기관" | "소속명" | "부서" | "부서명" | "팀"
        | "팀명" | "회사" | "회사명" | "기관" | "기관명" | "단체" | "단체명" | "학교" | "학교명" | "대학"
        | "대학교" | "대학명" | "단과대학" | "직급" | "직위" | "직책" | "직함" | "학년" | "학기" | "반"
        | "조" | "과정" | "과정명" | "교육과정" | "교육명" | "과목" | "과목명" | "강의" | "강의명"
        | "강좌" | "강좌명" | "지역" | "주소" | "국적" | "국가" | "성별" | "구분" | "상태" | "등급"
        | "비고" | "메모" | "department" | "dept" | "major" | "faculty" | "school" | "university"
        | "college" | "company" | "employer" | "organisation" | "organization" | "affiliation"
        | "institution" | "team" | "division" | "position" | "jobtitle" | "role" | "class" | "group"
        | "course" | "coursename" | "coursetitle" | "program" | "programme" | "city" | "country"
        | "region" | "nationality" | "address" | "gender" | "sex" | "status" | "level" | "grade"
        | "category" | "note" | "notes" | "remark" | "remarks" | "comment" | "comments" => Title::Other,
        _ => return None,
    })
}

/// Recipient fields (name, address) that a row names: 0 to 2.
pub(super) fn fields_named(cells: &[String]) -> usize {
    let titles: Vec<Title> = cells.iter().filter_map(|c| title_of(c)).collect();
    let has = |wanted: &[Title]| usize::from(titles.iter().any(|t| wanted.contains(t)));
    has(&[Title::Email]) + has(&[Title::Name, Title::Family, Title::Given])
}

/// What a source is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableContent {
    Recipients,
    BadgeIds,
}

impl TableContent {
    fn fields_named(self, cells: &[String]) -> usize {
        match self {
            Self::Recipients => fields_named(cells),
            Self::BadgeIds => usize::from(cells.iter().any(|c| title_of(c) == Some(Title::BadgeId))),
        }
    }
}

/// Position of the header, as an index into the searched rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderPosition {
    At(usize),
    /// Two rows look like a header. The second one is used.
    Second(usize, usize),
    Absent,
    Unknown,
}

pub(super) fn find(rows: &[&[String]], wanted: TableContent) -> HeaderPosition {
    let rows = &rows[..rows.len().min(SEARCHED)];
    // The header is above the first address.
    let data = rows.iter().position(|row| row.iter().any(|c| is_address_like(c)));
    let above = match wanted {
        TableContent::Recipients => &rows[..data.unwrap_or(rows.len())],
        TableContent::BadgeIds => rows,
    };
    let best = above.iter().map(|row| wanted.fields_named(row)).max().unwrap_or(0);
    if best > 0
        && let Some(first) = above.iter().position(|row| wanted.fields_named(row) == best)
    {
        let next = above.get(first + 1);
        return match next {
            Some(next) if wanted.fields_named(next) > 0 => HeaderPosition::Second(first, first + 1),
            _ => HeaderPosition::At(first),
        };
    }
    match (wanted, data) {
        (TableContent::Recipients, Some(data)) => header_by_shape(rows, data),
        (TableContent::Recipients, None) => HeaderPosition::Unknown,
        (TableContent::BadgeIds, _) => HeaderPosition::Absent,
    }
}

/// Without a known name, the row above the data is a header if it names the addresses and one more column.
fn header_by_shape(rows: &[&[String]], data: usize) -> HeaderPosition {
    let Some(above) = data.checked_sub(1) else { return HeaderPosition::Absent };
    let Some(email) = rows[data].iter().position(|c| is_address_like(c)) else {
        return HeaderPosition::Absent;
    };
    let named = rows[above].get(email).is_some_and(|c| !is_blank(c));
    let filled = rows[above].iter().filter(|c| !is_blank(c)).count();
    if named && filled >= 2 { HeaderPosition::At(above) } else { HeaderPosition::Absent }
}

/// A column without a name gets a numbered one.
pub(super) fn column_names(header: Option<&[String]>, width: usize) -> Vec<String> {
    let width = width.max(header.map_or(0, <[String]>::len));
    (0..width)
        .map(|column| match header.and_then(|h| h.get(column)).filter(|c| !is_blank(c)) {
            Some(name) => name.clone(),
            None => stand_in(column),
        })
        .collect()
}

/// The name of a column without one. Users read its translation.
pub(in crate::jobs) fn stand_in(column: usize) -> String {
    format!("column {}", column + 1)
}

/// A hash of the column names in order.
pub(super) fn signature(header: Option<&[String]>, width: usize) -> String {
    let Some(header) = header else { return format!("no header, {width} columns") };
    let mut names: Vec<String> =
        header.iter().map(|c| trim(c).nfkc().collect::<String>().to_lowercase()).collect();
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    let digest = ring::digest::digest(&ring::digest::SHA256, names.join("\u{1f}").as_bytes());
    hex(digest.as_ref())
}

/// Maps by name and content. Also returns the best guess: the map, or the best fit where it is unclear.
pub(super) fn map(header: Option<&[String]>, content: &[ColumnContent]) -> (MapState, ColumnGuess) {
    let titles: Vec<Option<Title>> =
        header.map_or_else(Vec::new, |h| h.iter().map(|c| title_of(c)).collect());
    // Of several columns with one meaning, the content may leave only one.
    let columns = |wanted: Title| -> Vec<usize> {
        let named = titles.iter().enumerate().filter(|(_, t)| **t == Some(wanted)).map(|(c, _)| c);
        let named: Vec<usize> = named.collect();
        let fits = |c: &&usize| content.get(**c).is_some_and(|c| c.filled > 0 && !c.contradicts(wanted));
        let fitting: Vec<usize> = named.iter().filter(fits).copied().collect();
        if named.len() > 1 && fitting.len() == 1 { fitting } else { named }
    };
    let mut questions = Vec::new();
    let mut one = |field: RecipientField, candidates: &[usize]| match candidates {
        [] => None,
        [only] => Some(*only),
        _ => {
            questions.push(FileQuestion::ColumnsAmbiguous { field, candidates: candidates.to_vec() });
            None
        }
    };
    let with = |is: fn(&ColumnContent) -> bool| content.iter().enumerate().filter(move |(_, c)| is(c));
    let mut emails = columns(Title::Email);
    if emails.is_empty() {
        emails = with(ColumnContent::is_of_addresses).map(|(column, _)| column).collect();
    }
    let email = one(RecipientField::Email, &emails);
    let template = one(RecipientField::Template, &columns(Title::Template));
    let name = name_columns(&columns(Title::Name), &columns(Title::Family), &columns(Title::Given), &mut one);
    // Without a header, the column beside the address is the name in a table of two columns.
    let beside = match (header, email, content.len()) {
        (None, Some(email), 2) => Some(NameColumns::One(1 - email.min(1))),
        _ => None,
    };
    let name_is_asked = questions
        .iter()
        .any(|q| matches!(q, FileQuestion::ColumnsAmbiguous { field: RecipientField::Name, .. }));
    let name = name.or(beside);
    // A heading alone is not enough where the content says something else.
    let contradicts = |column: usize, title| content.get(column).is_some_and(|c| c.contradicts(title));
    let wrong_email = email.filter(|column| {
        contradicts(*column, Title::Email) && with(ColumnContent::is_of_addresses).next().is_some()
    });
    let wrong_name = name.and_then(|name| {
        name.columns().find(|column| {
            content.get(*column).is_some_and(ColumnContent::is_of_numbers)
                || contradicts(*column, Title::Name) && with(ColumnContent::is_of_names).next().is_some()
        })
    });
    for (field, wrong) in [(RecipientField::Name, wrong_name), (RecipientField::Email, wrong_email)] {
        questions.extend(wrong.map(|column| FileQuestion::ColumnContradicts { field, column }));
    }
    let (name, email) = (name.filter(|_| wrong_name.is_none()), email.filter(|_| wrong_email.is_none()));
    if name.is_none() && !name_is_asked && wrong_name.is_none() {
        questions.push(FileQuestion::ColumnMissing { field: RecipientField::Name });
    }
    if emails.is_empty() {
        questions.push(FileQuestion::ColumnMissing { field: RecipientField::Email });
    }
    let guess = column_guess::guess(&titles, content, &ColumnGuess { name, email, template });
    match (name, email) {
        (Some(name), Some(email)) if questions.is_empty() => {
            (MapState::Found(ColumnMap { name, email, template }), guess)
        }
        _ => (MapState::Asked { name, email, template, questions }, guess),
    }
}

/// "이름" beside "성" is the given name. Without a family name, it is the whole name.
fn name_columns(
    names: &[usize],
    families: &[usize],
    givens: &[usize],
    one: &mut impl FnMut(RecipientField, &[usize]) -> Option<usize>,
) -> Option<NameColumns> {
    match (names, families, givens) {
        ([], [family], [given]) | ([given], [family], []) => {
            Some(NameColumns::FamilyGiven { family: *family, given: *given })
        }
        // A whole name beside its parts is the intended one.
        ([whole], _, _) => Some(NameColumns::One(*whole)),
        ([], [], []) => None,
        _ => {
            let all: Vec<usize> = names.iter().chain(families).chain(givens).copied().collect();
            one(RecipientField::Name, &all).map(NameColumns::One)
        }
    }
}

pub(in crate::jobs) fn id_column(header: Option<&[String]>, width: usize) -> Option<usize> {
    let named: Vec<usize> = header
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(_, c)| title_of(c) == Some(Title::BadgeId))
        .map(|(column, _)| column)
        .collect();
    match (named.as_slice(), width) {
        ([only], _) => Some(*only),
        ([], 1) => Some(0),
        _ => None,
    }
}

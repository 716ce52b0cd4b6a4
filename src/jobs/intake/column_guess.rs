//! What the columns of a table contain, and the best guess for the columns of name and e-mail address.

use super::cell_text::{is_address_like, is_blank, is_han, is_syllable, trim};
use crate::jobs::coded::named;
use crate::jobs::prelude::*;

/// Maximum number of sample values per column.
const SAMPLES: usize = 3;
const SURE: usize = 3;
/// A heading weighs as much as a column full of fitting cells.
const HEADING: usize = 1_000;

/// Columns count from 0. The map is stored for files with the same [`super::About::signature`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ColumnMap {
    pub name: NameColumns,
    pub email: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameColumns {
    One(usize),
    FamilyGiven {
        /// 성, last name.
        family: usize,
        /// 이름, first name.
        given: usize,
    },
}

impl NameColumns {
    pub fn columns(&self) -> impl Iterator<Item = usize> + use<> {
        match *self {
            Self::One(column) => [Some(column), None],
            Self::FamilyGiven { family, given } => [Some(family), Some(given)],
        }
        .into_iter()
        .flatten()
    }
}

impl ColumnMap {
    pub fn last(&self) -> usize {
        self.name.columns().chain(self.template).fold(self.email, usize::max)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Title {
    Name,
    Family,
    Given,
    Email,
    Template,
    BadgeId,
    /// Columns that lapel does not read, and columns without names of people. Their values do not count.
    Other,
}

named! {
    RecipientField {
        Name = tr_noop!("name");
        Email = tr_noop!("e-mail address");
        Template = tr_noop!("template");
        Row = tr_noop!("row");
    }
}

/// The content of a column, from the sample of the first rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnContent {
    /// Number of cells that are not blank. The other numbers count these cells.
    pub filled: usize,
    pub addresses: usize,
    /// Cells that are numbers or codes: student ids, telephone numbers, dates.
    pub numbers: usize,
    pub distinct: usize,
    /// The first different values. Raw.
    pub samples: Vec<String>,
    /// Points of the cells that can be a name, at most [`SURE`] for each.
    names: usize,
}

impl ColumnContent {
    pub(super) fn of(data: &[&[String]], width: usize) -> Vec<Self> {
        (0..width)
            .map(|column| Self::of_cells(data.iter().filter_map(|row| row.get(column)).map(String::as_str)))
            .collect()
    }

    fn of_cells<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let (mut content, mut seen) = (Self::default(), HashSet::new());
        for cell in cells.filter(|cell| !is_blank(cell)).map(trim) {
            content.filled += 1;
            content.addresses += usize::from(is_address_like(cell));
            content.numbers += usize::from(is_number_or_code(cell));
            content.names += name_points(cell);
            if seen.insert(cell) && content.samples.len() < SAMPLES {
                content.samples.push(cell.to_owned());
            }
        }
        content.distinct = seen.len();
        content
    }

    /// Whether most of its values are numbers or codes, so that it is no column of names.
    pub fn is_of_numbers(&self) -> bool {
        self.numbers * 2 > self.filled
    }

    /// Whether at least half of its values are e-mail addresses.
    pub fn is_of_addresses(&self) -> bool {
        self.addresses > 0 && self.addresses * 2 >= self.filled
    }

    /// Whether it can be the column of the names, by its content alone.
    pub(super) fn is_of_names(&self) -> bool {
        self.name_score() * 2 > HEADING
    }

    /// Whether its content contradicts this field. An empty column contradicts nothing.
    pub(super) fn contradicts(&self, title: Title) -> bool {
        self.filled > 0
            && match title {
                Title::Email => !self.is_of_addresses(),
                Title::Name | Title::Family | Title::Given => self.is_of_numbers() || self.is_of_addresses(),
                Title::Template | Title::BadgeId | Title::Other => false,
            }
    }

    /// 0 to [`HEADING`]. Names of people differ; those of departments and courses repeat.
    fn name_score(&self) -> usize {
        if self.filled == 0 || self.is_of_numbers() || self.is_of_addresses() {
            return 0;
        }
        let shape = self.names * HEADING / (self.filled * SURE);
        let differ = HEADING / 2 + self.distinct * HEADING / (self.filled * 2);
        shape * differ / HEADING
    }

    fn email_score(&self) -> usize {
        (self.addresses * HEADING * 2).checked_div(self.filled).unwrap_or(0)
    }
}

/// Whether the text is a number or a code. A number has at least as many digits as letters. A code is one word of Latin
/// letters with digits or underscores; “김민수2” is a name.
fn is_number_or_code(cell: &str) -> bool {
    if is_address_like(cell) {
        return false;
    }
    let digits = cell.chars().filter(|c| c.is_numeric()).count();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    let is_word = cell.chars().all(|c| c.is_ascii_graphic());
    digits > 0 && digits >= letters || is_word && (digits > 0 || cell.contains('_'))
}

/// How much a text looks like the name of a person: 0 to [`SURE`].
fn name_points(cell: &str) -> usize {
    let length = cell.chars().count();
    let is_none = !(2..=100).contains(&length)
        || is_address_like(cell)
        || cell.chars().any(char::is_numeric)
        || cell.contains(['/', '@', ':', '_', '='])
        || !cell.chars().any(char::is_alphabetic);
    if is_none {
        return 0;
    }
    let letters = cell.chars().filter(|c| !c.is_whitespace()).count();
    if cell.chars().all(|c| is_syllable(c) || is_han(c) || c.is_whitespace()) {
        // Korean and Chinese names are short. A word of more syllables is a course or a department.
        return if letters <= 4 { SURE } else { usize::from(letters <= 6) };
    }
    match cell.split_whitespace().count() {
        2..=4 => SURE,
        // One word may be a name, but also a state or a place.
        1 => 2,
        _ => 1,
    }
}

/// A field that no column fits is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnGuess {
    pub name: Option<NameColumns>,
    pub email: Option<usize>,
    pub template: Option<usize>,
}

impl From<&ColumnMap> for ColumnGuess {
    fn from(map: &ColumnMap) -> Self {
        Self { name: Some(map.name), email: Some(map.email), template: map.template }
    }
}

/// `named` is the result of the headings alone, as far as it is clear.
pub(super) fn guess(titles: &[Option<Title>], content: &[ColumnContent], named: &ColumnGuess) -> ColumnGuess {
    let heading = |column: usize, wanted: Title| {
        let is_named = titles.get(column) == Some(&Some(wanted));
        let fits = content.get(column).is_none_or(|c| !c.contradicts(wanted));
        match (is_named, fits) {
            (true, true) => HEADING * 2,
            // A heading without fitting content is better than nothing, but not than a column that fits.
            (true, false) if wanted == Title::Email => 1,
            _ => 0,
        }
    };
    let email = named.email.filter(|c| content.get(*c).is_none_or(|c| !c.contradicts(Title::Email)));
    let email = email.or_else(|| {
        let score = |column| {
            heading(column, Title::Email) + content.get(column).map_or(0, ColumnContent::email_score)
        };
        best(content.len(), score).first().copied()
    });
    let fits = |name: &NameColumns| {
        name.columns().all(|c| Some(c) != email && content.get(c).is_none_or(|c| !c.contradicts(Title::Name)))
    };
    // Where the content contradicts a heading, only a column that surely has names takes its place.
    let is_wrong = |(title, content): (&Option<Title>, &ColumnContent)| {
        matches!(title, Some(Title::Name | Title::Family | Title::Given)) && content.contradicts(Title::Name)
    };
    let is_doubtful = titles.iter().zip(content).any(is_wrong);
    let name = named.name.filter(fits).or_else(|| {
        let score = |column: usize| match content.get(column) {
            _ if Some(column) == email || titles.get(column) == Some(&Some(Title::Other)) => 0,
            Some(content) if content.is_of_names() || !is_doubtful => {
                heading(column, Title::Name) + content.name_score()
            }
            _ => 0,
        };
        // Two columns that look the same, as in a file of a few rows, are for a person to tell apart.
        match best(content.len(), score)[..] {
            [one] => Some(NameColumns::One(one)),
            _ => None,
        }
    });
    ColumnGuess { name, email, template: named.template }
}

fn best(columns: usize, score: impl Fn(usize) -> usize) -> Vec<usize> {
    let most = (0..columns).map(&score).max().unwrap_or(0);
    (0..columns).filter(|column| most > 0 && score(*column) == most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(cells: &[&str]) -> ColumnContent {
        ColumnContent::of_cells(cells.iter().copied())
    }

    #[test]
    fn a_column_is_told_by_its_content() {
        for names in [
            &["김민수", "이영희", "남궁 민수"][..],
            &["Lea O'Connor-Kim", "Null, Christopher", "Ahmet Yılmaz"],
            &["王小明", "นภา ศรีสุข", "Дмитрий Иванов"],
            &["Minsu", "Jiho", "Ara"],
        ] {
            let names = content(names);
            assert!(names.is_of_names() && !names.is_of_numbers() && !names.is_of_addresses(), "{names:?}");
        }
        for numbers in [
            &["1", "2", "3"][..],
            &["s20260001", "s20260002"],
            &["2026-0001", "2026-0002"],
            &["010-1234-5678"],
            &["2026. 11. 23."],
            &["１２３", "４５６"],
            &["TPL-DATA-01", "TPL-CLOUD-02"],
            &["data_visualisation", "cloud_associate"],
        ] {
            let numbers = content(numbers);
            assert!(numbers.is_of_numbers() && !numbers.is_of_names(), "{numbers:?}");
        }
        assert!(
            !content(&["김민수2", "이영희3", "Minsu Kim 2"]).is_of_numbers(),
            "people with the same name"
        );
        let addresses = content(&["a1@naru.example", "b2@naru.example", "none"]);
        assert!(addresses.is_of_addresses() && !addresses.is_of_names() && !addresses.is_of_numbers());
        let departments = content(&["컴퓨터공학과", "컴퓨터공학과", "생명과학부", "컴퓨터공학과"]);
        assert!(!departments.is_of_names(), "{departments:?}");
        assert!(!content(&[]).is_of_numbers() && !content(&[]).is_of_addresses());
    }

    #[test]
    fn samples_are_the_first_different_values() {
        let found = content(&["", " 가나 ", "가나", "다라", "마바", "사아"]);
        assert_eq!(found.samples, ["가나", "다라", "마바"]);
        assert_eq!((found.filled, found.distinct), (5, 4));
    }

    #[test]
    fn in_a_file_of_two_rows_a_department_is_not_taken_for_a_name() {
        let rows = [["전산과", "kim@naru.example", "김민수"], ["교무과", "lee@naru.example", "이영희"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let table: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
        let content = ColumnContent::of(&table, 3);
        for (department, guessed) in [(Some(Title::Other), Some(NameColumns::One(2))), (None, None)] {
            let guess = guess(&[department, Some(Title::Email), None], &content, &ColumnGuess::default());
            assert_eq!((guess.name, guess.email), (guessed, Some(1)));
        }
    }

    proptest! {
        #[test]
        fn a_guess_never_takes_numbers_for_names_nor_one_column_twice(
            rows in prop::collection::vec(
                ("[가-힣]{2,4}", "[a-z]{1,6}@[a-z]{1,6}\\.[a-z]{2,3}", "[0-9]{4,9}", "(교육|안전|전산)팀"), 3..30),
            order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
        ) {
            let table: Vec<Vec<String>> = rows
                .into_iter()
                .map(|(name, email, id, team)| {
                    let row = [name, email, id, team];
                    order.iter().map(|column| row[*column].clone()).collect()
                })
                .collect();
            let table: Vec<&[String]> = table.iter().map(Vec::as_slice).collect();
            let content = ColumnContent::of(&table, 4);
            let at = |field: usize| order.iter().position(|column| *column == field).expect("a column");
            let guess = guess(&[None; 4], &content, &ColumnGuess::default());
            prop_assert_eq!(guess.email, Some(at(1)));
            prop_assert!(content[at(2)].is_of_numbers());
            prop_assert!(guess.name != Some(NameColumns::One(at(2))) && guess.name != Some(NameColumns::One(at(1))));
        }
    }
}

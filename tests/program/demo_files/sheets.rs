//! The spreadsheets themselves.

use super::demo::Demo;
use super::people::{MIXED, STORY, foreigner, name, student};
use lapel::domain::State;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError};
use std::time::Duration;

type Row = Vec<String>;

fn row<const N: usize>(cells: [&str; N]) -> Row {
    cells.map(str::to_owned).to_vec()
}

/// CSV with the line ends of Excel.
fn csv(rows: &[Row]) -> String {
    let mut out = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        out.write_record(row).expect("written");
    }
    String::from_utf8(out.into_inner().expect("written")).expect("text")
}

fn utf8_bom(rows: &[Row]) -> Vec<u8> {
    format!("\u{feff}{}", csv(rows)).into_bytes()
}

fn cp949(rows: &[Row]) -> Vec<u8> {
    let text = csv(rows);
    let (bytes, _, lossy) = encoding_rs::EUC_KR.encode(&text);
    assert!(!lossy, "CP949 has all of it");
    bytes.into_owned()
}

/// 120 attendees as Korean Excel saves them: 3 with errors, 3 who come twice, and 2 who have a TPL-004
/// already: one from the stories, and the holder of the oldest badge.
pub fn attendees((holder, holder_mail): &(String, String)) -> Vec<u8> {
    const COURSES: [&str; 5] = ["통계학과", "컴퓨터공학과", "경영학과", "문헌정보학과", "평생교육과"];
    let mut people: Vec<(String, String, &str)> = Vec::new();
    for number in 1..=120 {
        let (name, mail) = (name(number), student(number));
        people.push(match number {
            // One name in ten is from the stories.
            _ if number % 10 == 5 => {
                let (name, mail) = STORY[number / 10];
                (name.to_owned(), mail.to_owned(), "")
            }
            17 => (String::new(), mail, ""),
            58 => (name, mail.replace('.', ","), ""),
            96 => (name, "추후 제출".to_owned(), "메일 미제출"),
            84 => (holder.clone(), holder_mail.clone(), "재수강"),
            _ => (name, mail, ""),
        });
    }
    // The same people once more: copied, in other letters, with a space that nobody sees.
    people[40] = people[11].clone();
    people[76] = (people[29].0.clone(), people[29].1.replace("naru", "Naru"), "추가 신청");
    people[109] = (people[60].0.clone(), format!("{} ", people[60].1), "");
    let mut rows = vec![row(["연번", "성명", "학과", "이메일", "비고"])];
    for ((name, mail, note), number) in people.iter().zip(1_usize..) {
        rows.push(row([&number.to_string(), name, COURSES[number % 5], mail, note]));
    }
    cp949(&rows)
}

/// 40 attendees with names in many scripts, in UTF-8 as Excel saves it.
pub fn mixed() -> Vec<u8> {
    let mut rows = vec![row(["Name", "E-Mail", "Course"])];
    let course = "Data & AI, autumn";
    for (name, mail) in MIXED {
        rows.push(row([name, mail, course]));
    }
    for number in 1..=34 {
        let (name, mail) =
            if number % 2 == 0 { foreigner(number) } else { (name(number + 300), student(number + 300)) };
        rows.push(row([&name, &mail, course]));
    }
    utf8_bom(&rows)
}

/// One line in CP949 whose bytes are valid UTF-8, too.
pub fn one_line() -> Vec<u8> {
    cp949(&[row(["name", "email"]), row(["홍철", "hong.c@naru.example"])])
}

/// 3,200 attendees: four batches.
pub fn big() -> Vec<u8> {
    let mut rows = vec![row(["이름", "이메일"])];
    for number in 1..=3200 {
        rows.push(row([&name(number), &format!("worker{number:04}@sandglass.example")]));
    }
    utf8_bom(&rows)
}

/// 60 badges to revoke: 41 issued, 9 waiting, 6 revoked already, 2 unknown, 1 twice, 1 that Excel damaged.
/// Issued and revoked ones are the oldest of the demo, and waiting ones the newest: those are the same on
/// every day that it begins.
pub async fn revoke(demo: &Demo) -> Vec<u8> {
    let oldest = |state: &State, many: usize| {
        let mut ids = demo.ids(state);
        ids.truncate(many);
        assert_eq!(ids.len(), many);
        ids
    };
    let mut ids = oldest(&State::Issued, 41);
    ids.extend(oldest(&State::Revoked, 6));
    ids.sort();
    // The last in age that are waiting for long; older ones have a place that depends on the calendar.
    let waiting = demo.long_waiting(Duration::from_secs(12 * 3600)).await;
    ids.extend(waiting.iter().rev().take(9).cloned());
    ids.extend(["B-000988001-QK".to_owned(), "B-000988002-7M".to_owned()]);
    // Lists of this kind are in nobody's order. 27 and 58 have no common divisor: each comes once.
    let mut mixed: Vec<String> = (0..58).map(|at| ids[at * 27 % 58].clone()).collect();
    mixed.insert(33, ids[4].clone());
    mixed.insert(50, "1.23E+15".to_owned());
    let mut rows = vec![row(["badge_id", "requested_by"])];
    for (id, at) in mixed.iter().zip(0..) {
        rows.push(row([id, ["학사지원팀", "평생배움원", "산학협력단"][at % 3]]));
    }
    utf8_bom(&rows)
}

/// A list as a safety institute sends it: a merged title, a hidden row, links on the addresses, dates and
/// numbers as such, a line with the sum, and a second sheet that is for people.
pub fn safety() -> Vec<u8> {
    let mut book = Workbook::new();
    let made = ExcelDateTime::from_ymd(2025, 12, 22).expect("a date");
    book.set_properties(&DocProperties::new().set_title("2025 하반기 안전교육").set_creation_datetime(&made));
    trainees(book.add_worksheet()).expect("a sheet");
    summary(book.add_worksheet()).expect("a sheet");
    book.save_to_buffer().expect("a workbook")
}

fn trainees(sheet: &mut Worksheet) -> Result<(), XlsxError> {
    const COMPANIES: [&str; 4] = ["푸른고래물류㈜", "모래시계전자", "구름다리건설", "Moonfern Foods Ltd."];
    const TEAM: [&str; 4] = ["강도현", "조수아", "장하준", "Mai Nguyen"];
    let bold = Format::new().set_bold();
    let title = Format::new().set_bold().set_align(FormatAlign::Center);
    let day = Format::new().set_num_format("yyyy-mm-dd");
    sheet.set_name("수료자")?;
    sheet.merge_range(0, 0, 0, 5, "2025년 하반기 사업장 안전보건 정기교육 수료자 명단", &title)?;
    sheet.write_string(1, 0, "너른별 안전보건교육원")?;
    for (at, heading) in (0..).zip(["번호", "성명", "소속", "이메일", "수료일", "사번"]) {
        sheet.write_string_with_format(3, at, heading, &bold)?;
    }
    sheet.set_column_width(2, 20)?.set_column_width(3, 32)?.set_column_width(4, 12)?;
    for number in 1..=30_u32 {
        let (at, row) = (number as usize, number + 3);
        // A team without mailboxes of their own has one together.
        let (who, mail) = match at {
            8..=11 => (TEAM[at - 8].to_owned(), "safety@moondeck.example".to_owned()),
            _ => (name(at + 500), format!("worker{at:02}@bluewhale.example")),
        };
        let date = ExcelDateTime::from_ymd(2025, 12, 1 + (at % 19) as u8)?;
        sheet.write_number(row, 0, number)?;
        sheet.write_string(row, 1, who)?;
        sheet.write_string(row, 2, COMPANIES[at % 4])?;
        sheet.write_url_with_text(row, 3, format!("mailto:{mail}").as_str(), mail)?;
        sheet.write_datetime_with_format(row, 4, date, &day)?;
        sheet.write_number(row, 5, 10_230 + number)?;
    }
    // Somebody who left before the end.
    sheet.set_row_hidden(20)?;
    sheet.write_string(34, 0, "합계 30명")?;
    Ok(())
}

fn summary(sheet: &mut Worksheet) -> Result<(), XlsxError> {
    sheet.set_name("집계")?;
    for (row, (what, number)) in (0..).zip([("대상", 32), ("수료", 30), ("미수료", 2)]) {
        sheet.write_string(row, 0, what)?;
        sheet.write_number(row, 1, number)?;
    }
    sheet.write_string(4, 0, "문의: 너른별 안전보건교육원 교육운영팀")?;
    Ok(())
}

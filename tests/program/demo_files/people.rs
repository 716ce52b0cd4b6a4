//! People for the spreadsheets. Those of the demo's stories keep their names and addresses; all others have
//! addresses that nobody in the demo has.

const FAMILY: [&str; 18] = [
    "김", "이", "박", "최", "정", "강", "조", "윤", "장", "임", "한", "오", "서", "신", "권", "남궁", "안",
    "송",
];
const FIRST: [&str; 14] =
    ["민", "서", "지", "하", "예", "도", "시", "유", "은", "현", "재", "수", "태", "다"];
const SECOND: [&str; 13] = ["준", "윤", "우", "연", "진", "아", "빈", "원", "호", "희", "영", "경", "림"];

/// A Korean name; two numbers that are near each other give different ones.
pub fn name(number: usize) -> String {
    format!(
        "{}{}{}",
        FAMILY[number * 7 % 18],
        FIRST[(number * 5 + number / 18) % 14],
        SECOND[number * 3 % 13]
    )
}

/// A student's address, which no generated holder has.
pub fn student(number: usize) -> String {
    format!("s2026{number:04}@naru.example")
}

/// Holders of the demo's stories, none of whom has a TPL-004 but the last.
pub const STORY: [(&str, &str); 12] = [
    ("한서윤", "seoyun.han@naru.example"),
    ("오지호", "jiho.oh@naru.example"),
    ("홍철", "hong.c@naru.example"),
    ("남궁 민", "min.ng@example.com"),
    ("서다인", "dain.seo@naru.example"),
    ("윤태오", "taeo.yoon@bluewhale.example"),
    ("임하늘", "haneul.lim@example.net"),
    ("김민준", "minjun.kim@naru.example"),
    ("김민준", "mj.kim@example.com"),
    ("배은우", "eunwoo@gmail.example"),
    ("문채원", "chaewon.moon@strictgate.example"),
    ("배은우", "eunwoo@gmial.example"),
];

/// Names in other scripts and with signs in them, from the stories.
pub const MIXED: [(&str, &str); 6] = [
    ("Lea O'Connor-Kim", "lea@example.org"),
    ("Null, Christopher", "christopher.null@example.com"),
    ("Ahmet Yılmaz", "ahmet.yilmaz@example.org"),
    ("王小明", "xiaoming.wang@example.com"),
    ("นภา ศรีสุข", "napha.srisuk@example.org"),
    ("علي حسن", "ali.hassan@example.net"),
];

const GIVEN: [&str; 10] =
    ["Amara", "Bruno", "Chloë", "Dmitri", "Élena", "Farid", "Grace", "Hiro", "Inês", "Jonas"];
const SURNAME: [&str; 7] = ["Abara", "Brandt", "Costa", "Dubois", "Eriksen", "García", "Haddad"];

/// A name in Latin letters with a number's address.
pub fn foreigner(number: usize) -> (String, String) {
    let name = format!("{} {}", GIVEN[number % 10], SURNAME[number * 3 % 7]);
    (name, format!("guest{number:02}@saebyeok.example"))
}

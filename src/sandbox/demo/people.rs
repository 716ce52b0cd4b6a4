//! The holders: 620 invented people, some with names and addresses that often break programs.

use std::collections::HashSet;

use fastrand::Rng;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sandbox) struct DemoHolder {
    pub name: String,
    pub mail: String,
    /// The organisation where the person mostly learns.
    pub home: usize,
    /// Whether only the stories give badges to this holder.
    pub reserved: bool,
}

impl DemoHolder {
    pub fn new(name: impl Into<String>, mail: impl Into<String>, home: usize) -> Self {
        Self { name: name.into(), mail: mail.into(), home, reserved: false }
    }

    pub fn reserved(name: impl Into<String>, mail: impl Into<String>, home: usize) -> Self {
        Self { reserved: true, ..Self::new(name, mail, home) }
    }
}

/// In Hangul and in Latin letters.
const FAMILY: ([&str; 24], [&str; 24]) = (
    [
        "김", "이", "박", "최", "정", "강", "조", "윤", "장", "임", "한", "오", "서", "신", "권", "황", "안",
        "송", "류", "홍", "남궁", "제갈", "황보", "선우",
    ],
    [
        "kim", "lee", "park", "choi", "jung", "kang", "cho", "yoon", "jang", "lim", "han", "oh", "seo",
        "shin", "kwon", "hwang", "ahn", "song", "ryu", "hong", "namgung", "jegal", "hwangbo", "sunwoo",
    ],
);
const FIRST: ([&str; 16], [&str; 16]) = (
    ["민", "서", "지", "하", "예", "도", "시", "유", "은", "현", "재", "수", "태", "다", "채", "성"],
    [
        "min", "seo", "ji", "ha", "ye", "do", "si", "yu", "eun", "hyun", "jae", "su", "tae", "da", "chae",
        "sung",
    ],
);
const SECOND: ([&str; 16], [&str; 16]) = (
    ["준", "윤", "우", "연", "진", "아", "빈", "원", "호", "희", "영", "경", "림", "솔", "율", "람"],
    [
        "jun", "yun", "woo", "yeon", "jin", "a", "bin", "won", "ho", "hee", "young", "kyung", "rim", "sol",
        "yul", "ram",
    ],
);
const GIVEN: [&str; 20] = [
    "Amara", "Bruno", "Chloe", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Kemal",
    "Lucia", "Mai", "Noah", "Olga", "Priya", "Quinn", "Rosa", "Sven", "Tariq",
];
const SURNAMES: &str = "Abara Brandt Costa Dubois Eriksen Fischer Garcia Haddad Ivanova Jensen Kowalski \
    Lindqvist Mbeki Nguyen Okafor Petrov Quispe Rossi Santos Tanaka";

/// Names that often break programs.
const TRAPS: [&str; 31] = [
    "김 민수",
    "황보 관",
    "독고 영재",
    "이 율",
    "박지훈님",
    "최유리 학생",
    "정다은 (20231234)",
    "金敏洙",
    "\u{f90a}\u{f9e1}",
    "\u{1100}\u{1175}\u{11b7}\u{1106}\u{1175}\u{11ab}\u{1109}\u{116e}",
    "신\u{3000}해인",
    "권\u{a0}나래",
    "윤\u{200b}슬",
    "ＫＩＭ ＭＩＮＳＵ",
    "Eve \u{202e}gnirts\u{202c} Reversed",
    "Bell\u{7}a Ring",
    "Esc \u{1b}[31mRed\u{1b}[0m",
    "Clip \u{1b}]52;c;aGk=\u{7} Board",
    "Line\nBreak",
    "Tab\tStop",
    "\u{3164}",
    "#REF!",
    "N/A",
    "-",
    "=SUM(A1:A9)",
    "Jean-Luc d'Arc·Martin",
    "Zoë Ångström-Þórsdóttir",
    "👩‍🚀 송별",
    "뷁믜펲",
    "contact@naru.example",
    "Maximiliana",
];

/// All holders: the reserved ones first, then generated ones, `count` in total.
pub(super) fn holders(rng: &mut Rng, reserved: Vec<DemoHolder>, count: usize) -> Vec<DemoHolder> {
    let mut taken: HashSet<(String, String)> =
        reserved.iter().map(|one| (one.name.clone(), one.mail.clone())).collect();
    let mut mails: HashSet<String> = reserved.iter().map(|one| one.mail.to_lowercase()).collect();
    let mut all = reserved;
    let mut add = |all: &mut Vec<DemoHolder>, one: DemoHolder| {
        mails.insert(one.mail.to_lowercase());
        if all.len() < count && taken.insert((one.name.clone(), one.mail.clone())) {
            all.push(one);
        }
    };
    for (at, name) in TRAPS.iter().cycle().take(62).enumerate() {
        let name = match (*name, at / TRAPS.len()) {
            ("Maximiliana", _) => format!("Maximiliana {}", "von und zu ".repeat(27)).trim_end().to_owned(),
            (name, 0) => name.to_owned(),
            (name, _) => format!("{name} B"),
        };
        add(&mut all, DemoHolder::new(name, format!("trap{:02}@naru.example", at + 1), at % 3));
    }
    // Shared mailboxes of eight families, besides the team's mailbox in the stories.
    for box_no in 0..8 {
        let family = (FAMILY.0[box_no], FAMILY.1[box_no]);
        for _ in 0..2 + box_no % 2 {
            let (name, _) = korean(rng, family);
            add(&mut all, DemoHolder::new(name, format!("{}.parents{box_no}@example.net", family.1), 0));
        }
    }
    for pair in 0..11 {
        let (name, latin) = person(rng, pair);
        for which in 1..=2 {
            add(&mut all, DemoHolder::new(&name, format!("{latin}.{which}{pair}@example.com"), pair % 3));
        }
    }
    let mut serial = 0;
    while all.len() < count {
        serial += 1;
        let home = rng.usize(0..3);
        let kind = if rng.u8(0..100) < foreign(home) { 9 } else { 0 };
        let (name, latin) = person(rng, kind);
        let local = match serial {
            1..=25 => format!("{}.{serial}", latin.to_uppercase()),
            26..=40 => format!("{latin}+badge{serial}"),
            _ => format!("{latin}{serial}"),
        };
        let domain = match (home, rng.u8(0..10)) {
            _ if serial == 97 => "예시.example",
            (0, 0..=5) => "naru.example",
            (1, 0..=4) => "saebyeok.example",
            (2, 0..=2) => "bluewhale.example",
            (2, 3..=4) => "sandglass.example",
            (2, 5) => "moonfern.example",
            (_, 6..=7) => "example.com",
            (_, 8) => "example.net",
            _ => "example.org",
        };
        add(&mut all, DemoHolder::new(name, format!("{local}@{domain}"), home));
    }
    all
}

fn foreign(home: usize) -> u8 {
    match home {
        1 => 40,
        2 => 12,
        _ => 15,
    }
}

fn person(rng: &mut Rng, kind: usize) -> (String, String) {
    if kind % 10 == 9 {
        let surnames: Vec<&str> = SURNAMES.split(' ').collect();
        let (given, surname) = (GIVEN[rng.usize(0..GIVEN.len())], surnames[rng.usize(0..surnames.len())]);
        return (format!("{given} {surname}"), format!("{given}.{surname}").to_lowercase());
    }
    let bound = if rng.u8(0..10) < 6 { 6 } else { FAMILY.0.len() };
    let family = rng.usize(0..bound);
    korean(rng, (FAMILY.0[family], FAMILY.1[family]))
}

fn korean(rng: &mut Rng, (family, family_latin): (&str, &str)) -> (String, String) {
    let (one, two) = (rng.usize(0..FIRST.0.len()), rng.usize(0..SECOND.0.len()));
    let (one, one_latin, two, two_latin) = (FIRST.0[one], FIRST.1[one], SECOND.0[two], SECOND.1[two]);
    if rng.u8(0..40) == 0 {
        return (format!("{family}{two}"), format!("{two_latin}.{family_latin}"));
    }
    (format!("{family}{one}{two}"), format!("{one_latin}{two_latin}.{family_latin}"))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn the_crowd_has_its_traps() {
        let all = holders(&mut Rng::with_seed(7), Vec::new(), 560);
        assert_eq!(all.len(), 560);
        let upper = all.iter().filter(|one| one.mail.chars().any(char::is_uppercase)).count();
        let plus = all.iter().filter(|one| one.mail.contains('+')).count();
        assert_eq!((upper, plus), (25, 15));
        let mut by_mail: HashMap<&str, HashSet<&str>> = HashMap::new();
        for one in &all {
            by_mail.entry(&one.mail).or_default().insert(&one.name);
        }
        assert_eq!(by_mail.values().filter(|names| names.len() > 1).count(), 8);
        assert!(all.iter().all(|one| {
            let domain = one.mail.rsplit('@').next().unwrap();
            domain.ends_with(".example") || domain.starts_with("example.")
        }));
        let korean = all.iter().filter(|one| one.name.chars().all(|c| ('가'..='힣').contains(&c))).count();
        assert!((350..=440).contains(&korean), "{korean}");
    }

    #[test]
    fn the_same_seed_makes_the_same_people() {
        let crowd = |seed| holders(&mut Rng::with_seed(seed), Vec::new(), 300);
        assert_eq!(crowd(1), crowd(1));
        assert_ne!(crowd(1), crowd(2));
    }
}

//! Organisations, categories and templates.

/// Its key sees only the badges that it issued.
#[derive(Debug, Clone, Copy)]
pub struct Org {
    pub profile: &'static str,
    pub name: &'static str,
    pub prefix: &'static str,
}

/// The practice organisation sees all rows as its own, so that one key shows everything.
pub const PRACTICE: usize = 3;

pub static ORGS: [Org; 4] = [
    Org {
        profile: "dalmuri",
        name: "달무리대학교 평생배움원 · Dalmuri University Lifelong Learning",
        prefix: "dmu_live_",
    },
    Org {
        profile: "saebyeok", name: "새벽강 테크아카데미 · Saebyeokgang Tech Academy", prefix: "sbg_live_"
    },
    Org {
        profile: "neoreun",
        name: "너른별 안전보건교육원 · Neoreunbyeol Safety & Health Institute",
        prefix: "nrb_live_",
    },
    Org { profile: "sandbox", name: "연습용 기관 · Practice Organisation", prefix: "dmu_test_" },
];

pub static COMPANIES: [&str; 5] =
    ["푸른고래물류㈜", "모래시계전자", "은빛나루병원", "Moonfern Foods Ltd.", "구름다리건설"];

#[derive(Debug, Clone, Copy)]
pub struct Category {
    pub id: &'static str,
    pub code: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub levels: &'static [&'static str],
    pub in_use: bool,
}

const fn category(
    id: &'static str,
    code: &'static str,
    name: &'static str,
    description: &'static str,
    levels: &'static [&'static str],
) -> Category {
    Category { id, code, name, description, levels, in_use: true }
}

pub static CATEGORIES: [Category; 9] = [
    category(
        "C01",
        "DIGITAL",
        "디지털 역량 / Digital Literacy",
        "일과 배움에 필요한 디지털 기초 역량",
        &["기초", "중급", "심화"],
    ),
    category(
        "C02",
        "DATA_AI",
        "데이터·인공지능 / Data & AI",
        "데이터를 읽고 모델을 만드는 역량",
        &["Foundation", "Practitioner", "Professional", "Expert"],
    ),
    category(
        "C03",
        "CLOUD",
        "Cloud & DevOps",
        "Running software for other people",
        &["Associate", "Professional"],
    ),
    category(
        "C04",
        "LANG",
        "외국어 / Languages",
        "유럽공통참조기준(CEFR)에 따른 외국어 능력",
        &["A2", "B1", "B2", "C1"],
    ),
    category("C05", "SAFETY", "산업안전보건", "사업장 안전과 보건", &[]),
    category("C06", "CAREER", "진로·취업", "진로 탐색과 취업 준비", &[]),
    category("C07", "LEAD", "리더십·봉사", "함께 이끌고 나누는 활동", &[]),
    category("C08", "TEACH", "교원연수", "교원의 수업 역량", &["기본", "전문"]),
    Category {
        in_use: false,
        ..category("C09", "OLD_IT", "정보화 자격(구)", "더 이상 쓰지 않는 분류", &["1급", "2급"])
    },
];

pub static TYPES: [(&str, &str, &str); 5] = [
    ("COMPLETE", "수료", "과정을 마친 사람에게"),
    ("COMPETENCY", "역량", "역량을 증명한 사람에게"),
    ("ACHIEVE", "성취", "뛰어난 성취를 이룬 사람에게"),
    ("PARTICIPATE", "참여", "행사에 참여한 사람에게"),
    ("CERTIFICATE", "자격", "시험에 합격한 사람에게"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoValidity {
    None,
    Months(u32),
    Years(u32),
    /// Until the last day of the year this many years after the start of the demo.
    EndOfYear(i16),
}

#[derive(Debug, Clone, Copy)]
pub struct Template {
    pub title: &'static str,
    /// Index into [`TYPES`].
    pub kind: usize,
    /// Index into [`CATEGORIES`].
    pub category: usize,
    /// 0: the category has no levels.
    pub level: usize,
    pub validity: DemoValidity,
    pub color: &'static str,
    pub in_use: bool,
    /// Index into [`ORGS`].
    pub org: usize,
    pub skills: &'static str,
    /// Days before the start of the demo.
    pub registered: i64,
}

impl Template {
    pub fn id(number: usize) -> String {
        format!("TPL-{number:03}")
    }

    pub fn level_name(&self) -> &'static str {
        let levels = CATEGORIES[self.category].levels;
        self.level.checked_sub(1).and_then(|at| levels.get(at)).copied().unwrap_or("")
    }

    pub fn level_id(&self) -> String {
        let category = CATEGORIES[self.category].id;
        if self.level == 0 { String::new() } else { format!("{category}-L{}", self.level) }
    }
}

const COMPLETE: usize = 0;
const COMPETENCY: usize = 1;
const ACHIEVE: usize = 2;
const PARTICIPATE: usize = 3;
const CERTIFICATE: usize = 4;

const fn template(
    title: &'static str,
    kind: usize,
    (category, level): (usize, usize),
    validity: DemoValidity,
    color: &'static str,
    skills: &'static str,
) -> Template {
    Template {
        title,
        kind,
        category: category - 1,
        level,
        validity,
        color,
        in_use: true,
        org: 0,
        skills,
        registered: 0,
    }
}

use DemoValidity::{EndOfYear, Months, None as Forever, Years};

const DALMURI: [Template; 18] = [
    template("디지털 리터러시 기초 과정 수료", COMPLETE, (1, 1), Forever, "BLUE", "문서 작성,정보 검색"),
    template("디지털 리터러시 중급 과정 수료", COMPLETE, (1, 2), Forever, "BLUE", "스프레드시트,협업 도구"),
    template("디지털 리터러시 심화 과정 수료", COMPLETE, (1, 3), Forever, "BLUE", "자동화,정보 보안"),
    template("데이터 시각화 역량 인증", COMPETENCY, (2, 2), Months(24), "PURPLE", "데이터 시각화,스토리텔링"),
    template("파이썬 데이터 분석 수료", COMPLETE, (2, 1), Forever, "GREEN", "Python,pandas"),
    template("파이썬 데이터 분석 수료 (심화)", COMPLETE, (2, 2), Forever, "GREEN", "Python,통계,시계열"),
    template("영어 말하기 B1 인증", CERTIFICATE, (4, 2), Years(2), "ORANGE", "English speaking,B1"),
    template("영어 말하기 B2 인증", CERTIFICATE, (4, 3), Years(2), "ORANGE", "English speaking,B2"),
    template("한국어 튜터 양성과정", COMPLETE, (4, 4), Forever, "TEAL_2", "한국어 교육,튜터링"),
    template("마이크로디그리: 인공지능 융합", ACHIEVE, (2, 3), Forever, "PURPLE", "머신러닝,융합 프로젝트"),
    template("총장 우수장학 성취 배지", ACHIEVE, (7, 0), Forever, "GOLD_FOIL", ""),
    template("신입생 캠프 참여", PARTICIPATE, (6, 0), Forever, "GREEN", "소통"),
    template("취업캠프 2박 3일 참여", PARTICIPATE, (6, 0), Forever, "GREEN", "이력서,면접"),
    template("지역사회 봉사 100시간", ACHIEVE, (7, 0), Forever, "ORANGE", "봉사,나눔"),
    template("학생 리더십 워크숍", PARTICIPATE, (7, 0), Forever, "BLUE", "리더십,퍼실리테이션"),
    template("교원 에듀테크 연수(기본)", COMPLETE, (8, 1), Years(3), "GRAY", "에듀테크,수업 설계"),
    template("교원 에듀테크 연수(전문)", COMPETENCY, (8, 2), Years(3), "GRAY", "에듀테크,학습 분석"),
    Template {
        in_use: false,
        ..template("정보화 능력 2급(구)", CERTIFICATE, (9, 2), EndOfYear(-2), "GRAY", "워드프로세서")
    },
];

const SAEBYEOK: [Template; 14] = [
    template("Python Foundations", COMPLETE, (2, 1), Forever, "BLUE", "Python,testing"),
    template(
        "Machine Learning Practitioner",
        COMPETENCY,
        (2, 2),
        Months(24),
        "PURPLE",
        "machine learning,evaluation",
    ),
    template(
        "Deep Learning Professional",
        CERTIFICATE,
        (2, 3),
        Months(24),
        "PURPLE",
        "deep learning,PyTorch",
    ),
    template("MLOps Expert", CERTIFICATE, (2, 4), Months(12), "PURPLE", "MLOps,monitoring,deployment"),
    template("Cloud Associate", CERTIFICATE, (3, 1), Months(36), "BLUE", "networking,storage,identity"),
    template("Cloud Professional", CERTIFICATE, (3, 2), Months(24), "BLUE", "architecture,cost,resilience"),
    template("Kubernetes Hands-on", COMPLETE, (3, 1), Forever, "BLUE", "Kubernetes,Helm"),
    template(
        "Secure Coding for Teams",
        COMPETENCY,
        (1, 3),
        Months(18),
        "GRAY",
        "threat modelling,code review",
    ),
    template("Hackathon 2025 Finalist", ACHIEVE, (2, 2), Forever, "ORANGE", "prototyping,pitching"),
    template("Hackathon 2025 참가", PARTICIPATE, (2, 1), Forever, "ORANGE", "prototyping"),
    template("Demo Day Speaker", PARTICIPATE, (6, 0), Forever, "GREEN", "public speaking"),
    template("Mentor of the Season", ACHIEVE, (7, 0), Forever, "GREEN", "mentoring"),
    template("풀스택 부트캠프 16주 수료", COMPLETE, (3, 1), Forever, "BLUE", "TypeScript,SQL,배포"),
    Template {
        in_use: false,
        ..template("풀스택 부트캠프 16주 수료", COMPLETE, (3, 1), Forever, "GRAY", "JavaScript,SQL")
    },
];

const NEOREUN: [Template; 8] = [
    template("사업장 안전보건 정기교육(분기)", COMPLETE, (5, 0), Months(3), "ORANGE", "위험성 평가,보호구"),
    template("관리감독자 안전교육 16H", COMPLETE, (5, 0), Months(12), "ORANGE", "관리감독,작업 계획"),
    template("밀폐공간 작업 안전", CERTIFICATE, (5, 0), Months(24), "GRAY", "산소농도 측정,구조"),
    template("지게차 안전운전", COMPETENCY, (5, 0), Months(24), "ORANGE", "지게차,적재"),
    template("응급처치(CPR/AED)", CERTIFICATE, (5, 0), Months(24), "GREEN", "CPR,AED"),
    template("화재대피 훈련 참여", PARTICIPATE, (5, 0), Forever, "ORANGE", "대피"),
    template("무재해 1년 달성", ACHIEVE, (5, 0), Forever, "GREEN", "안전 문화"),
    template("안전보건 강사 자격", CERTIFICATE, (5, 0), EndOfYear(1), "BLUE", "강의,교안 작성"),
];

/// The forty templates, in the order of their numbers from 1.
pub fn templates() -> Vec<Template> {
    let groups: [(usize, &[Template]); 3] = [(0, &DALMURI), (1, &SAEBYEOK), (2, &NEOREUN)];
    let all = groups.into_iter().flat_map(|(org, group)| group.iter().map(move |one| (org, *one)));
    all.enumerate()
        .map(|(at, (org, one))| {
            // Lower numbers are newer. Templates out of use are the oldest of all.
            let age = 1_500 - 23 * at as i64;
            Template { org, registered: if one.in_use { age } else { age + 900 }, ..one }
        })
        .collect()
}

/// One description is very long, one is empty.
pub fn description(number: usize, template: &Template) -> String {
    let (_, kind, whom) = TYPES.get(template.kind).copied().unwrap_or_default();
    match number {
        11 => String::new(),
        10 => {
            let line = "인공지능 융합 마이크로디그리는 서로 다른 전공의 학생이 함께 문제를 찾고, 데이터를 모으고, \
                        모델을 만들고, 그 결과를 지역사회에 돌려주는 네 학기의 과정입니다. \
                        This micro-degree asks every team to state what its model must never be used for.";
            (1..=16).map(|part| format!("{part}. {line}")).collect::<Vec<_>>().join("\n")
        }
        _ if template.org == 1 => {
            format!(
                "{}: awarded by Saebyeokgang Tech Academy after project work reviewed by two mentors.",
                template.title
            )
        }
        _ => format!("「{}」 {kind} 배지입니다. {whom} 발급합니다.", template.title),
    }
}

pub fn criteria(template: &Template) -> &'static str {
    match (template.org, template.kind) {
        (1, COMPLETE) => "Attend 80 % of the sessions and hand in every assignment.",
        (1, PARTICIPATE) => "Take part from the opening to the closing session.",
        (1, _) => "Pass the practical examination with at least 70 of 100 points.",
        (_, COMPLETE) => "출석률 80% 이상, 과제 전부 제출",
        (_, PARTICIPATE) => "전 일정 참여",
        (_, ACHIEVE) => "심사위원회 추천 및 승인",
        _ => "필기 60점 이상, 실기 70점 이상",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_templates_in_nine_categories_and_five_types() {
        let templates = templates();
        assert_eq!(templates.len(), 40);
        let of_kind = |kind| templates.iter().filter(|one| one.kind == kind).count();
        assert_eq!([0, 1, 2, 3, 4].map(of_kind), [13, 5, 6, 6, 10]);
        let of_org = |org| templates.iter().filter(|one| one.org == org).count();
        assert_eq!([0, 1, 2].map(of_org), [18, 14, 8]);
        assert!(templates.iter().all(|one| one.level == 0 || !one.level_name().is_empty()));
        assert!(templates.iter().all(|one| (one.level == 0) == CATEGORIES[one.category].levels.is_empty()));
    }

    #[test]
    fn the_awkward_ones_are_there() {
        let templates = templates();
        assert!(templates[5].title.contains(templates[4].title), "a title inside another title");
        assert_eq!(templates[30].title, templates[31].title, "the same title twice");
        assert_eq!(templates.iter().filter(|one| !one.in_use).count(), 2);
        assert!(description(10, &templates[9]).chars().count() > 2000);
        assert!(description(11, &templates[10]).is_empty());
        let known = ["BLUE", "GREEN", "PURPLE", "ORANGE", "GRAY"];
        assert_eq!(templates.iter().filter(|one| !known.contains(&one.color)).count(), 2);
    }
}

//! Searches for a caller's badges when the given address has none, and explains each possible
//! match. A match is never a fact.

use super::edit_distance::edits;
use super::email::{EmailKey, meant_domain};
use super::look_alike::{foreign_letter, half_width, in_latin, letter_name};
use super::mask;
use super::name_search::{NameMatch, likeness};
use super::records::HistoryItem;
use super::text::Text;
use super::time::ServiceTime;
use std::collections::{BTreeSet, HashMap};
use unicode_normalization::UnicodeNormalization;

/// Maximum number of requests of a search.
pub const MOST: usize = 5;
/// Minimum length of a local part, or of a half of it. Many addresses contain a shorter one.
const SHORTEST_LOCAL: usize = 3;
/// Signs that addresses often have where a caller leaves a space.
const JOINTS: [&str; 2] = [".", ""];
/// Well-known mail services with their most common misspelling.
const SLIPS: [(&str, &str); 8] = [
    ("gmail", "gmial"),
    ("naver", "navre"),
    ("hanmail", "hanmial"),
    ("daum", "duam"),
    ("kakao", "kakoa"),
    ("outlook", "outlok"),
    ("hotmail", "hotmial"),
    ("yahoo", "yaho"),
];

/// A query to the history, first page only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HistoryProbe {
    /// In lower case, or at a look-alike domain.
    Address(String),
    /// The part before the `@`. Only finds badges when the service matches parts.
    Part(String),
    Name(String),
}

/// The best first, at most [`MOST`]. `domains` are those of addresses that lapel has seen.
pub fn leads(address: &str, name: Option<&str>, domains: &BTreeSet<String>) -> Vec<HistoryProbe> {
    let key = EmailKey::of(&in_latin(address).unwrap_or_else(|| address.to_owned()));
    let mut leads = Vec::new();
    if key.as_str() != address {
        leads.push(HistoryProbe::Address(key.as_str().to_owned()));
    }
    if let Some((local, domain)) = key.as_str().rsplit_once('@') {
        let meant =
            look_alike(domain).or_else(|| domains.iter().find(|known| edits(domain, known, 1) == 1).cloned());
        leads.extend(meant.map(|other| HistoryProbe::Address(format!("{local}@{other}"))));
        let untagged = without_tag(local);
        if untagged != local {
            leads.push(HistoryProbe::Address(format!("{untagged}@{domain}")));
        }
        let spaced = name.map(|name| with_space(address, name)).unwrap_or_default();
        let is_name = spaced.is_empty();
        leads.extend(spaced.into_iter().map(HistoryProbe::Address));
        leads.extend(
            name.filter(|_| is_name).map(composed).filter(|name| !name.is_empty()).map(HistoryProbe::Name),
        );
        let letters: Vec<char> = untagged.chars().collect();
        if letters.len() >= SHORTEST_LOCAL {
            // At other domains and with tags, then the halves: a wrong letter is in one of them.
            let half = letters.len().div_ceil(2).max(SHORTEST_LOCAL);
            let (first, last): (String, String) =
                (letters.iter().take(half).collect(), letters.iter().skip(letters.len() - half).collect());
            leads.push(HistoryProbe::Part(untagged.to_owned()));
            leads.extend((first != untagged).then_some(HistoryProbe::Part(first)));
            leads.extend((last != untagged).then(|| HistoryProbe::Part(format!("{last}@{domain}"))));
        }
    }
    leads.truncate(MOST);
    leads
}

/// `minsu kim@…` reads as a name and an address. Empty if the name can only be a name.
pub fn with_space(address: &str, name: &str) -> Vec<String> {
    let is_of_address =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || !name.chars().all(is_of_address) {
        return Vec::new();
    }
    JOINTS.iter().map(|joint| format!("{name}{joint}{address}")).collect()
}

/// Drops the `+tag`: often both reach the same mailbox.
fn without_tag(local: &str) -> &str {
    local.split_once('+').map_or(local, |(untagged, _)| untagged)
}

/// For a well-known domain, its most common misspelling.
fn look_alike(domain: &str) -> Option<String> {
    meant_domain(domain).or_else(|| {
        let (name, ending) = domain.split_once('.')?;
        let (_, slip) = SLIPS.iter().find(|(known, _)| *known == name)?;
        Some(format!("{slip}.{ending}"))
    })
}

/// The reasons for a match, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchReason {
    /// The same address, spelled differently (case, composition).
    OtherLetters,
    /// A letter of another alphabet, which looks like a Latin one.
    ForeignLetter(char),
    /// The same local part, and a domain with one typing error.
    LookAlike,
    /// A space that the caller gave.
    Spaced,
    /// Another `+tag`, or none.
    OtherTag,
    SameName,
    /// One letter of the local part differs.
    NearlyTheSame,
    NearlyTheName,
    SameLocalPart,
    PartOfName,
}

impl MatchReason {
    /// Whether only the name is similar. Many people have a similar name.
    pub fn are_weak(reasons: &[Self]) -> bool {
        reasons.iter().all(|why| matches!(why, Self::NearlyTheName | Self::PartOfName))
    }

    pub fn words(self) -> String {
        let words = match self {
            Self::ForeignLetter(letter) => return letter_name(letter),
            Self::Spaced => t!("space in the address"),
            Self::OtherLetters => t!("other spelling"),
            Self::LookAlike => t!("similar domain"),
            Self::OtherTag => t!("other +tag"),
            Self::SameName => t!("same name"),
            Self::NearlyTheName => t!("similar name"),
            Self::NearlyTheSame => t!("one letter off"),
            Self::SameLocalPart => t!("same before the @"),
            Self::PartOfName => t!("part of a name"),
        };
        words.to_owned()
    }
}

/// An address that may be the caller's. Never more than a possible match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Masked until the user opens it.
    pub address: Text,
    pub names: Vec<Text>,
    pub badges: usize,
    /// Acceptance time.
    pub newest: Option<ServiceTime>,
    /// Title of the newest badge. A caller who knows it is more likely the holder.
    pub title: Option<Text>,
    /// The strongest first. Never empty.
    pub why: Vec<MatchReason>,
}

impl Match {
    /// Masked until the user opens it, except for the address that the caller gave.
    pub fn shown(&self) -> String {
        if self.why.contains(&MatchReason::OtherLetters) {
            self.address.to_string()
        } else {
            mask::address(self.address.wire())
        }
    }

    /// Masked until the user opens the match, except when the caller gave the name or the address.
    pub fn shown_names(&self) -> Vec<String> {
        let known = self.why.iter().any(|w| matches!(w, MatchReason::SameName | MatchReason::OtherLetters));
        self.names.iter().map(|n| if known { n.to_string() } else { mask::name(n.wire()) }).collect()
    }
}

/// The most likely first. Leaves out other people that a partial filter returns.
pub fn matches(asked: Option<&str>, name: Option<&str>, items: &[HistoryItem]) -> Vec<Match> {
    let asked = asked.map(|asked| SearchedAddress::of(asked, name));
    let mut places: HashMap<EmailKey, usize> = HashMap::new();
    let mut found: Vec<Match> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for item in items.iter().filter(|item| seen.insert(&item.badge_id)) {
        let Some(address) = item.recipient_email.as_ref().filter(|a| !a.looks_empty()) else { continue };
        let key = EmailKey::of(address.wire());
        let why = reasons(asked.as_ref(), &key, name, item.recipient_name.as_ref());
        if why.is_empty() {
            continue;
        }
        let place = *places.entry(key).or_insert_with(|| {
            found.push(Match {
                address: address.clone(),
                names: Vec::new(),
                badges: 0,
                newest: None,
                title: None,
                why: Vec::new(),
            });
            found.len() - 1
        });
        let Some(one) = found.get_mut(place) else { continue };
        one.badges += 1;
        one.why.extend(why);
        one.names.extend(item.recipient_name.clone());
        let newer = item.reg_date.as_ref().map(ServiceTime::raw) > one.newest.as_ref().map(ServiceTime::raw);
        if newer || one.badges == 1 {
            one.newest.clone_from(&item.reg_date);
            one.title.clone_from(&item.title);
        }
    }
    for one in &mut found {
        one.why.sort_unstable();
        one.why.dedup();
        one.names.sort_unstable();
        one.names.dedup();
    }
    found.sort_by(|a, b| {
        let newest = |m: &Match| m.newest.as_ref().map(|t| t.raw().clone());
        a.why.cmp(&b.why).then_with(|| newest(b).cmp(&newest(a))).then_with(|| a.address.cmp(&b.address))
    });
    found
}

struct SearchedAddress {
    key: EmailKey,
    plain: EmailKey,
    foreign: Option<char>,
    spaced: Vec<EmailKey>,
}

impl SearchedAddress {
    fn of(address: &str, name: Option<&str>) -> Self {
        let plain = half_width(address);
        let plain = in_latin(&plain).unwrap_or(plain);
        let spaced = name.map(|name| with_space(address, name)).unwrap_or_default();
        Self {
            key: EmailKey::of(address),
            plain: EmailKey::of(&plain),
            foreign: foreign_letter(address),
            spaced: spaced.iter().map(|address| EmailKey::of(address)).collect(),
        }
    }
}

/// The reasons for badges with an address and a name. Empty for one that cannot be the caller's.
pub fn reasons_of<'a>(
    asked: Option<&str>,
    name: Option<&'a str>,
) -> impl Fn(&str, Option<&Text>) -> Vec<MatchReason> + 'a {
    let asked = asked.map(|asked| SearchedAddress::of(asked, name));
    move |address, on_it| reasons(asked.as_ref(), &EmailKey::of(address), name, on_it)
}

fn reasons(
    asked: Option<&SearchedAddress>,
    key: &EmailKey,
    name: Option<&str>,
    on_it: Option<&Text>,
) -> Vec<MatchReason> {
    let mut why: Vec<MatchReason> = asked.and_then(|asked| of_address(asked, key)).into_iter().collect();
    if let (Some(name), Some(on_it)) = (name, on_it) {
        why.extend(likeness(name, on_it.wire()).map(|like| match like {
            NameMatch::Same => MatchReason::SameName,
            NameMatch::OneOff => MatchReason::NearlyTheName,
            NameMatch::Part => MatchReason::PartOfName,
        }));
    }
    why
}

fn of_address(asked: &SearchedAddress, key: &EmailKey) -> Option<MatchReason> {
    if asked.key == *key {
        return Some(MatchReason::OtherLetters);
    }
    if asked.plain == *key {
        return Some(asked.foreign.map_or(MatchReason::OtherLetters, MatchReason::ForeignLetter));
    }
    if asked.spaced.contains(key) {
        return Some(MatchReason::Spaced);
    }
    // The service may have the letter of another alphabet, and the caller the Latin one.
    if let Some(letter) = foreign_letter(key.as_str())
        && in_latin(key.as_str()).is_some_and(|latin| asked.plain.is(&latin))
    {
        return Some(MatchReason::ForeignLetter(letter));
    }
    let (local, domain) = asked.plain.as_str().rsplit_once('@')?;
    let (its_local, its_domain) = key.as_str().rsplit_once('@')?;
    if local == its_local {
        let slip = edits(domain, its_domain, 1) == 1
            || [(domain, its_domain), (its_domain, domain)]
                .into_iter()
                .any(|(one, other)| look_alike(one).as_deref() == Some(other));
        return Some(if slip { MatchReason::LookAlike } else { MatchReason::SameLocalPart });
    }
    if domain != its_domain {
        return None;
    }
    let (bare, its_bare) = (without_tag(local), without_tag(its_local));
    if bare == its_bare && !bare.is_empty() {
        return Some(MatchReason::OtherTag);
    }
    let is_near = local.chars().count() > SHORTEST_LOCAL && edits(local, its_local, 1) == 1;
    is_near.then_some(MatchReason::NearlyTheSame)
}

fn composed(name: &str) -> String {
    name.nfc().collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BadgeId;
    use proptest::prelude::*;

    fn item(id: &str, name: &str, email: &str) -> HistoryItem {
        HistoryItem {
            badge_id: BadgeId::new(id).expect("not empty"),
            template_id: None,
            title: None,
            badge_type_name: None,
            category_name: None,
            level: None,
            level_name: None,
            recipient_name: Some(name.into()),
            recipient_email: Some(email.into()),
            status_name: None,
            email_status: None,
            issuing_org: None,
            valid_until: None,
            issued_at: None,
            reg_date: ServiceTime::new("2026-11-02 09:41:00"),
            revoke_at: None,
            rnum: None,
            read_at: None,
        }
    }

    #[test]
    fn the_best_probes_come_first_and_are_few() {
        let address = |a: &str| HistoryProbe::Address(a.to_owned());
        let part = |p: &str| HistoryProbe::Part(p.to_owned());
        let seen: BTreeSet<String> = ["naru.example".to_owned()].into();
        let leads = |address: &str, name| leads(address, name, &seen);
        assert_eq!(
            leads("Kim.MS@gmial.example", Some(" 김민수 ")),
            [
                address("kim.ms@gmial.example"),
                address("kim.ms@gmail.example"),
                HistoryProbe::Name("김민수".into()),
                part("kim.ms"),
                part("kim")
            ]
        );
        let halves = |domain| [part("kim.ms"), part("kim"), part(&format!(".ms@{domain}"))];
        assert_eq!(
            leads("kim.ms@gmail.com", None),
            [vec![address("kim.ms@gmial.com")], halves("gmail.com").to_vec()].concat()
        );
        assert_eq!(leads("kim.ms@naru.example", None), halves("naru.example"));
        assert_eq!(
            leads("kim.ms@naru.exmaple", None)[0],
            address("kim.ms@naru.example"),
            "a domain that lapel has seen"
        );
        assert_eq!(
            leads("kim.ms+badge@naru.example", None),
            [vec![address("kim.ms@naru.example")], halves("naru.example").to_vec()].concat()
        );
        assert_eq!(
            leads("ms@naru.example", Some("kim")),
            [address("kim.ms@naru.example"), address("kimms@naru.example")],
            "a space in an address, not a name"
        );
        assert_eq!(leads("k\u{456}m@naru.example", None)[0], address("kim@naru.example"));
        assert!(leads("ab@naru.example", None).is_empty(), "nothing sensible to ask");
        assert_eq!(
            leads("ab@naru.example", Some("\u{1100}\u{1175}\u{11b7}")),
            [HistoryProbe::Name("김".into())],
            "a name that came in pieces is asked for in one"
        );
    }

    #[test]
    fn one_person_at_three_addresses_and_no_stranger() {
        let items = [
            item("1", "김민수", "kim.ms@gmial.example"),
            item("2", "김민수", "kim.ms@gmial.example"),
            item("2", "김민수", "kim.ms@gmial.example"),
            item("3", "김 민수", "minsu@moonfern.example"),
            item("4", "Kim Minsu", "KIM.MS@example.org"),
            item("5", "Ann", "ann.kim.ms@gmail.example"),
            item("6", "Kim", "kim.sm@gmail.example"),
        ];
        let found = matches(Some("kim.ms@gmail.example"), Some("김민수"), &items);
        let told: Vec<(String, usize, MatchReason)> =
            found.iter().map(|m| (m.shown(), m.badges, m.why[0])).collect();
        assert_eq!(
            told,
            [
                ("k***@gmial.example".to_owned(), 2, MatchReason::LookAlike),
                ("m***@moonfern.example".to_owned(), 1, MatchReason::SameName),
                ("k***@gmail.example".to_owned(), 1, MatchReason::NearlyTheSame),
                ("K***@example.org".to_owned(), 1, MatchReason::SameLocalPart),
            ]
        );
        assert_eq!(found[0].shown_names(), ["김민수"]);
        assert_eq!(found[3].shown_names(), ["K*** M***"]);
    }

    #[test]
    fn a_slip_in_an_address_or_a_name_is_a_possible_match() {
        let items = [
            item("1", "김민수", "kim.ms@naru.example"),
            item("2", "김민서", "minsu+badge@naru.example"),
            item("3", "박서준", "park@naru.example"),
        ];
        for (asked, name, first) in [
            (Some("kim.ms+badge@naru.example"), None, MatchReason::OtherTag),
            (Some("k\u{456}m.ms@naru.example"), None, MatchReason::ForeignLetter('\u{456}')),
            (Some("ms@naru.example"), Some("kim"), MatchReason::Spaced),
            (Some("kim.m@naru.example"), None, MatchReason::NearlyTheSame),
            (Some("minsu@naru.example"), None, MatchReason::OtherTag),
            (None, Some("민수 김"), MatchReason::SameName),
            (None, Some("김민소"), MatchReason::NearlyTheName),
        ] {
            let found = matches(asked, name, &items);
            assert_eq!(found[0].why, [first], "{asked:?} {name:?}");
            assert!(found.iter().all(|one| one.address.wire() != "park@naru.example"));
        }
        // A similar name is another person's until the caller says otherwise.
        assert_eq!(matches(None, Some("김민소"), &items)[0].shown_names(), ["김***"]);
    }

    #[test]
    fn the_callers_own_address_in_other_letters_is_shown() {
        let found = matches(Some("kim@naru.example"), None, &[item("1", "김", "KIM@naru.example")]);
        assert_eq!(found[0].shown(), "KIM@naru.example");
        assert_eq!(found[0].why, [MatchReason::OtherLetters]);
    }

    #[test]
    fn a_name_alone_finds_its_addresses() {
        let items = [
            item("1", "김민준", "minjun.kim@naru.example"),
            item("2", "김민준", "mj.kim@example.com"),
            item("3", "김민준호", "other@example.com"),
            item("4", "박서준", "park@example.com"),
        ];
        let found = matches(None, Some("\u{1100}\u{1175}\u{11b7}민준"), &items);
        assert_eq!(found.len(), 3);
        assert_eq!(found[2].why, [MatchReason::PartOfName]);
        assert_eq!(found[2].shown_names(), ["김***"]);
    }

    proptest! {
        #[test]
        fn no_address_is_told_before_it_is_opened(
            asked in "[a-z]{3,8}@(gmail|naru)\\.example",
            locals in prop::collection::vec("[a-z]{2,8}", 0..6),
            name in "[가-힣]{2,3}",
        ) {
            let items: Vec<HistoryItem> = locals
                .iter()
                .enumerate()
                .map(|(i, local)| item(&i.to_string(), &name, &format!("{local}@x.example")))
                .collect();
            for one in matches(Some(&asked), Some(&name), &items) {
                prop_assert!(!one.shown().contains(one.address.wire()));
                prop_assert!(!one.why.is_empty());
            }
            prop_assert!(leads(&asked, Some(&name), &BTreeSet::new()).len() <= MOST);
        }
    }
}

//! Korean particles: their form depends on whether the word before ends in a consonant.

/// As written in the texts, after a consonant, after a vowel.
const PAIRS: &[(&str, &str, &str)] = &[
    ("은(는)", "은", "는"),
    ("이(가)", "이", "가"),
    ("을(를)", "을", "를"),
    ("과(와)", "과", "와"),
    ("(으)로", "으로", "로"),
    ("(이)나", "이나", "나"),
    ("(이)라", "이라", "라"),
    ("(이)며", "이며", "며"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Vowel,
    Consonant,
    /// The consonant ㄹ, which takes 로 instead of 으로.
    Rieul,
}

/// Also returns the rest of `text`. Changes nothing when the ending is unknown or `text` begins
/// with no particle.
pub(super) fn fitting<'a>(before: &str, text: &'a str) -> (&'a str, &'a str) {
    for (both, consonant, vowel) in PAIRS {
        if let Some(rest) = text.strip_prefix(both) {
            return match ending(before) {
                None => text.split_at(both.len()),
                Some(Ending::Consonant) => (consonant, rest),
                Some(Ending::Rieul) if *both != "(으)로" => (consonant, rest),
                Some(_) => (vowel, rest),
            };
        }
    }
    ("", text)
}

/// Punctuation after the last letter or digit is silent.
fn ending(text: &str) -> Option<Ending> {
    let mut read = text.chars().rev().skip_while(|c| !c.is_alphanumeric());
    let last = read.next()?;
    let alone = !read.next().is_some_and(char::is_alphanumeric);
    match last {
        '가'..='힣' => Some(match (u32::from(last) - 0xAC00) % 28 {
            0 => Ending::Vowel,
            8 => Ending::Rieul,
            _ => Ending::Consonant,
        }),
        // 일, 칠, 팔; 영, 삼, 육; 이, 사, 오, 구.
        '1' | '7' | '8' => Some(Ending::Rieul),
        '0' | '3' | '6' => Some(Ending::Consonant),
        '2' | '4' | '5' | '9' => Some(Ending::Vowel),
        // A single letter, such as the name of a key, is read by its name: 엘, 알; 엠, 엔; 에이, 비, 씨.
        'l' | 'L' | 'r' | 'R' if alone => Some(Ending::Rieul),
        'm' | 'M' | 'n' | 'N' if alone => Some(Ending::Consonant),
        letter if alone && letter.is_ascii_alphabetic() => Some(Ending::Vowel),
        // The reading of a Latin word is unknown.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn the_form_follows_the_ending() {
        for (before, text, expected) in [
            ("배지", "을(를) 발급", "를 발급"),
            ("한서윤", "을(를) 발급", "을 발급"),
            ("서울", "(으)로", "로"),
            ("집", "(으)로", "으로"),
            ("나라", "(으)로", "로"),
            ("\"한서윤\"", "이(가)", "이"),
            ("달무리대학교 (LIVE)", "은(는)", "은(는)"),
            ("12", "은(는)", "는"),
            ("13", "은(는)", "은"),
            ("1,000", "이(가)", "이"),
            ("8", "(으)로", "로"),
            ("8", "을(를)", "을"),
            ("names.csv", "을(를)", "을(를)"),
            ("i", "을(를)", "를"),
            ("ctrl-l", "을(를)", "을"),
            ("ctrl-l", "(으)로", "로"),
            ("* m", "(으)로", "으로"),
            ("f5", "은(는)", "는"),
            ("CSV", "을(를)", "을(를)"),
            ("", "을(를)", "을(를)"),
            ("배지", " 3개", " 3개"),
        ] {
            let (particle, rest) = fitting(before, text);
            assert_eq!(format!("{particle}{rest}"), expected, "{before} {text}");
        }
    }
}

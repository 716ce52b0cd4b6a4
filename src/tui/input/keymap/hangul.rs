//! Korean keyboards (two-set layout, KS X 5002): maps a Hangul letter to the Latin letter of its key, so that keys
//! work while Hangul input is on.

/// The letters on the keys `qwertyuiopasdfghjklzxcvbnm`.
const LETTERS: &str = "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ";
const KEYS: &str = "qwertyuiopasdfghjklzxcvbnm";
const SHIFTED: &str = "ㅃㅉㄸㄲㅆㅒㅖ";
const SHIFTED_KEYS: &str = "QWERTOP";

/// The Latin letter on the key of a Hangul letter; `None` for anything else, including syllables.
pub fn latin(letter: char) -> Option<char> {
    let on = |letters: &str, keys: &str| {
        letters.chars().position(|l| l == letter).and_then(|at| keys.chars().nth(at))
    };
    on(LETTERS, KEYS).or_else(|| on(SHIFTED, SHIFTED_KEYS))
}

/// The capital of that Latin letter, if shift does not change the Hangul letter. lapel then cannot tell which of
/// the two was typed.
pub fn capital(letter: char) -> Option<char> {
    let capital = latin(letter).filter(char::is_ascii_lowercase)?.to_ascii_uppercase();
    (!SHIFTED_KEYS.contains(capital)).then_some(capital)
}

/// Whether a character is a syllable, which Hangul input makes from several keys.
pub fn is_syllable(letter: char) -> bool {
    ('가'..='힣').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_is_on_its_key() {
        assert_eq!((LETTERS.chars().count(), SHIFTED.chars().count()), (26, SHIFTED_KEYS.len()));
        for (hangul, key) in
            [('ㅓ', 'j'), ('ㅏ', 'k'), ('ㅂ', 'q'), ('ㅃ', 'Q'), ('ㅡ', 'm'), ('ㅎ', 'g'), ('ㅖ', 'P')]
        {
            assert_eq!(latin(hangul), Some(key));
        }
        for other in ['가', 'a', 'ㄳ', '1', '界'] {
            assert_eq!(latin(other), None, "{other}");
        }
        for (hangul, capital_letter) in
            [('ㅓ', Some('J')), ('ㄴ', Some('S')), ('ㄱ', None), ('ㄲ', None), ('하', None)]
        {
            assert_eq!(capital(hangul), capital_letter, "{hangul}");
        }
        assert!(is_syllable('한') && !is_syllable('ㅎ') && !is_syllable('h'));
    }
}

//! The edit distance of two words: how likely one is a misspelling of the other.

use std::mem::swap;

/// Letters to insert, delete or change. A swap of neighbours counts as one edit. Any number above
/// `most` is `most + 1`.
pub fn edits(one: &str, other: &str, most: usize) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return most + 1;
    }
    let far = most + 1;
    // The distances of the beginnings of `one`, without and with its last two letters, to beginnings of `other` that are at
    // most `most` letters longer or shorter. All others are further away.
    let mut before = vec![far; other.len() + 1];
    let mut row: Vec<usize> = (0..=other.len()).map(|edits| edits.min(far)).collect();
    let mut next = before.clone();
    for (i, a) in one.iter().enumerate() {
        let from = i.saturating_sub(most);
        next[from] = if from == 0 { (i + 1).min(far) } else { far };
        let mut least = next[from];
        for (j, b) in other.iter().enumerate().take(i + far).skip(from) {
            let mut edits = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && *b == one[i - 1] {
                edits = edits.min(before[j - 1] + 1);
            }
            next[j + 1] = edits;
            least = least.min(edits);
        }
        if least > most {
            return far;
        }
        swap(&mut before, &mut row);
        swap(&mut row, &mut next);
    }
    row[other.len()].min(far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edits_are_counted_up_to_a_limit() {
        for (one, other, most, edited) in [
            ("", "", 1, 0),
            ("gmail", "gmail", 1, 0),
            ("gmail", "gmial", 1, 1),
            ("gmail", "gmai", 1, 1),
            ("gmail", "gmaail", 1, 1),
            ("네이버", "네이브", 1, 1),
            ("gmail", "hmial", 1, 2),
            ("gmail", "hmial", 4, 2),
            ("kitten", "sitting", 4, 3),
            ("a", "abcdefgh", 3, 4),
            ("", "abc", 3, 3),
        ] {
            assert_eq!(edits(one, other, most), edited, "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_the_same_in_both_directions(one in "[ab가]{0,8}", other in "[ab가]{0,8}", most in 0usize..5) {
            let edited = edits(&one, &other, most);
            prop_assert_eq!(edited, edits(&other, &one, most));
            prop_assert_eq!(edited == 0, one == other);
            prop_assert_eq!(edited, edits(&one, &other, 9).min(most + 1));
        }
    }
}

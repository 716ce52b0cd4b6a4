//! How many cells of the terminal each part of a text takes.
//!
//! Terminals differ in this. A *cluster* is one character for a reader: `கா` is two code points. Some terminals
//! count clusters, others code points, each with its own table. A cluster is *certain* if all of them get the same
//! number. For other clusters lapel reserves the largest number, and drawing code positions the text that follows
//! (see [`canvas`](crate::tui::platform::canvas)).

use crate::tui::prelude::*;
use crate::tui::terminal_abilities::Ambiguous;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum number of cells of a cluster. If a cluster needs more, or has more code points than [`MOST_MARKS`],
/// only its first letter is shown.
const MOST_CELLS: usize = 6;
const MOST_MARKS: usize = 12;
/// Replaces the hidden part of a cluster.
const REST: &str = "~";
/// Letters for flags, which are shown as two letters.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The terminal's answer, and the user's setting for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rules {
    ambiguous: Ambiguous,
    replaces: bool,
}

static AMBIGUOUS: AtomicU8 = AtomicU8::new(Ambiguous::Unknown as u8);
static REPLACES: AtomicBool = AtomicBool::new(false);

pub fn set_ambiguous(ambiguous: Ambiguous) {
    AMBIGUOUS.store(ambiguous as u8, Ordering::Relaxed);
}

/// Sets whether only the first of joined letters is shown (setting `joined_text`).
pub fn set_replaced(replaces: bool) {
    REPLACES.store(replaces, Ordering::Relaxed);
}

impl Rules {
    fn now() -> Self {
        let ambiguous = match AMBIGUOUS.load(Ordering::Relaxed) {
            1 => Ambiguous::Narrow,
            2 => Ambiguous::Wide,
            _ => Ambiguous::Unknown,
        };
        Self { ambiguous, replaces: REPLACES.load(Ordering::Relaxed) }
    }
}

/// A part of a text that is drawn as one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster<'a> {
    pub text: Cow<'a, str>,
    pub cells: usize,
    rules: Rules,
}

impl<'a> Cluster<'a> {
    fn new(text: &'a str, rules: Rules) -> Self {
        Self::of_cells(text, cells_of_one(text).unwrap_or_else(|| cells(text, rules)), rules)
    }

    fn of_cells(text: &'a str, cells: usize, rules: Rules) -> Self {
        Self { text: Cow::Borrowed(text), cells, rules }
    }

    /// Whether every terminal uses exactly this number of cells. Only what writes to the terminal asks.
    pub fn is_certain(&self) -> bool {
        cells_of_one(&self.text).is_some() || is_certain(&self.text, self.rules)
    }
}

/// The clusters of a text as they are drawn. A joined emoji shows its first part, a flag its two letters.
/// Splitting one of them again gives the same cluster; splitting the whole result again needs no more cells.
pub fn clusters(text: &str) -> impl Iterator<Item = Cluster<'_>> {
    Clusters { rest: Graphemes(text), pieces: None, rules: Rules::now() }
}

struct Clusters<'a> {
    rest: Graphemes<'a>,
    /// What is left of a grapheme that is drawn in several pieces.
    pieces: Option<DrawnPieces<'a>>,
    rules: Rules,
}

impl<'a> Iterator for Clusters<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        loop {
            if let Some(pieces) = &mut self.pieces {
                match pieces.next() {
                    None => self.pieces = None,
                    cluster => return cluster,
                }
            }
            if let Some((letter, cells)) = self.rest.next_plain() {
                return Some(Cluster::of_cells(letter, cells, self.rules));
            }
            self.pieces = Some(drawn(self.rest.next()?, self.rules));
        }
    }
}

/// Splits a text into grapheme clusters. Nearly all text consists of letters that never join with their neighbours;
/// the tables of Unicode are only asked about the others.
struct Graphemes<'a>(&'a str);

impl<'a> Graphemes<'a> {
    /// The next letter and its cells, if it is a plain one by itself.
    fn next_plain(&mut self) -> Option<(&'a str, usize)> {
        let mut chars = self.0.chars();
        let first = chars.next()?;
        let cells = plain_cells(first)?;
        let letter = chars.next().is_none_or(stands_alone).then(|| self.take(first.len_utf8()))?;
        Some((letter?, cells))
    }

    fn take(&mut self, length: usize) -> Option<&'a str> {
        let (grapheme, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(grapheme)
    }
}

impl<'a> Iterator for Graphemes<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut chars = self.0.chars();
        let first = chars.next()?;
        let length = match chars.next() {
            next if stands_alone(first) && next.is_none_or(stands_alone) => first.len_utf8(),
            _ => self.0.graphemes(true).next()?.len(),
        };
        self.take(length)
    }
}

/// The cells of a letter for which no table needs to be asked: printable ASCII, Han, Hangul syllables.
fn plain_cells(c: char) -> Option<usize> {
    match c {
        ' '..='~' => Some(1),
        '\u{4e00}'..='\u{9fff}' | '가'..='힣' => Some(2),
        _ => None,
    }
}

/// The cells of a text that is one such letter.
fn cells_of_one(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    chars.next().and_then(plain_cells).filter(|_| chars.next().is_none())
}

/// Whether there is a boundary between this character and any other one for which this is true.
fn stands_alone(c: char) -> bool {
    // Printable ASCII, Latin letters and signs, punctuation, arrows and symbols, Han, Hangul syllables.
    matches!(c,
        ' '..='~' | '\u{ae}'..='\u{24f}' | '\u{2010}'..='\u{2027}' | '\u{2190}'..='\u{2bff}'
        | '\u{4e00}'..='\u{9fff}' | '가'..='힣')
}

/// The cluster of a text that is already in a cell. It is not shortened again.
pub fn cluster(symbol: &str) -> Cluster<'_> {
    Cluster::new(symbol, Rules::now())
}

/// Whether a text in a cell is one character that terminals draw in one cell or in two, and lapel does not know in how
/// many.
pub fn is_one_or_two(symbol: &str) -> bool {
    // Most cells have one letter of ASCII.
    if symbol.len() == 1 {
        return false;
    }
    let mut chars = symbol.chars();
    Rules::now().ambiguous == Ambiguous::Unknown
        && chars.next().is_some_and(is_ambiguous)
        && chars.next().is_none()
}

pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let plain = text.chars().try_fold(0, |cells, c| Some(cells + plain_cells(c)?));
    plain.unwrap_or_else(|| clusters(text).map(|cluster| cluster.cells).sum())
}

fn drawn(grapheme: &str, rules: Rules) -> DrawnPieces<'_> {
    let mut chars = grapheme.chars();
    let first = chars.next();
    let is_single = chars.next().is_none();
    let base = || &grapheme[..first.map_or(0, char::len_utf8)];
    let (one, rest) = match first {
        None => (None, ""),
        Some('\u{1f1e6}'..='\u{1f1ff}') => return DrawnPieces::Flag(grapheme.chars(), rules),
        Some(_) if is_single => (Some(Cluster::new(grapheme, rules)), ""),
        Some(c) if !c.is_alphanumeric() && !c.is_ascii() && grapheme.chars().any(is_of_pictures) => {
            (Some(Cluster::new(base(), rules)), "")
        }
        Some(_) => {
            let whole = Cluster::new(grapheme, rules);
            let too_much = whole.cells > MOST_CELLS || grapheme.chars().count() > MOST_MARKS;
            if too_much || (rules.replaces && !whole.is_certain()) {
                (Some(Cluster::new(base(), rules)), REST)
            } else {
                (Some(whole), "")
            }
        }
    };
    DrawnPieces::Pieces(one, (!rest.is_empty()).then(|| Cluster::new(rest, rules)))
}

enum DrawnPieces<'a> {
    Flag(std::str::Chars<'a>, Rules),
    Pieces(Option<Cluster<'a>>, Option<Cluster<'a>>),
}

impl<'a> Iterator for DrawnPieces<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        match self {
            Self::Flag(chars, rules) => chars.find_map(|c| {
                let at = usize::try_from(u32::from(c).checked_sub(0x1f1e6)?).ok()?;
                Some(Cluster::new(LETTERS.get(at..=at)?, *rules))
            }),
            Self::Pieces(one, rest) => one.take().or_else(|| rest.take()),
        }
    }
}

/// Whether a character joins or changes emoji: a joiner, a variation selector or a skin tone.
fn is_of_pictures(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// The largest number of cells in any terminal: for the whole cluster, or for the sum of its code points.
fn cells(text: &str, rules: Rules) -> usize {
    if text.len() == 1 {
        return 1;
    }
    let mut chars = text.chars();
    // A text of one such character is as wide as the character.
    if let (Some(one), None) = (chars.next().filter(|c| stands_alone(*c)), chars.next()) {
        return char_cells(one, rules);
    }
    text.width().max(text.chars().map(|c| char_cells(c, rules)).sum())
}

fn char_cells(c: char, rules: Rules) -> usize {
    match c {
        c if is_spacing_extender(c) => 1,
        c if rules.ambiguous == Ambiguous::Wide && is_ambiguous(c) => 2,
        c => c.width().unwrap_or(0),
    }
}

fn is_certain(text: &str, rules: Rules) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return true };
    let base = match first {
        ' '..='~' => true,
        c if is_ambiguous(c) => rules.ambiguous != Ambiguous::Unknown,
        c => match c.width() {
            // East Asian letters and punctuation. Emoji are left out: tables of old terminals do not have them.
            Some(2) => {
                c.is_alphanumeric() && !is_conjoining(c) && !matches!(c, '\u{1f000}'..='\u{1ffff}')
                    || matches!(c, '\u{3000}'..='\u{302f}' | '\u{ff01}'..='\u{ff60}')
            }
            Some(1) => c.is_alphanumeric() || c < '\u{2e80}',
            _ => false,
        },
    };
    base && chars.all(is_nonspacing)
}

/// Old Hangul letters that combine into a syllable.
fn is_conjoining(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

/// Marks that every terminal draws above or below the letter before them.
fn is_nonspacing(c: char) -> bool {
    is_combining_mark(c)
        && c.width() == Some(0)
        && !is_spacing_extender(c)
        && !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{20dd}'..='\u{20e4}')
}

/// Characters that take one cell in tables by general category (`Mc`), and none in tables by grapheme cluster, for
/// example the Tamil `ா`. They are `Mc` and `Grapheme_Extend` in Unicode 17.
fn is_spacing_extender(c: char) -> bool {
    matches!(c,
        '\u{9be}' | '\u{9d7}' | '\u{b3e}' | '\u{b57}' | '\u{bbe}' | '\u{bd7}' | '\u{cc0}' | '\u{cc2}'
        | '\u{cc7}'..='\u{cc8}' | '\u{cca}'..='\u{ccb}' | '\u{cd5}'..='\u{cd6}' | '\u{d3e}' | '\u{d57}'
        | '\u{dcf}' | '\u{ddf}' | '\u{1715}' | '\u{1734}' | '\u{1b35}' | '\u{1b3b}' | '\u{1b3d}'
        | '\u{1b43}'..='\u{1b44}' | '\u{1baa}' | '\u{1bf2}'..='\u{1bf3}' | '\u{302e}'..='\u{302f}'
        | '\u{a953}' | '\u{a9c0}' | '\u{111c0}' | '\u{11235}' | '\u{1133e}' | '\u{1134d}' | '\u{11357}'
        | '\u{113b8}' | '\u{113c2}' | '\u{113c5}' | '\u{113c7}'..='\u{113c9}' | '\u{113cf}'
        | '\u{114b0}' | '\u{114bd}' | '\u{115af}' | '\u{116b6}' | '\u{11930}' | '\u{1193d}' | '\u{11f41}'
        | '\u{16ff0}'..='\u{16ff1}' | '\u{1d165}'..='\u{1d166}' | '\u{1d16d}'..='\u{1d172}')
}

/// Whether Unicode calls the width of a character ambiguous. The library knows this for symbols. It counts letters
/// as narrow everywhere, so a table lists the letters.
fn is_ambiguous(c: char) -> bool {
    c > '\u{a0}'
        && plain_cells(c).is_none()
        && (is_ambiguous_letter(c) || c.width() == Some(1) && c.width_cjk() == Some(2))
}

fn is_ambiguous_letter(c: char) -> bool {
    matches!(c,
        '\u{aa}' | '\u{ba}' | '\u{c6}' | '\u{d0}' | '\u{d8}' | '\u{de}'..='\u{e1}' | '\u{e6}'
        | '\u{e8}'..='\u{ea}' | '\u{ec}'..='\u{ed}' | '\u{f0}' | '\u{f2}'..='\u{f3}'
        | '\u{f8}'..='\u{fa}' | '\u{fc}' | '\u{fe}' | '\u{101}' | '\u{111}' | '\u{113}' | '\u{11b}'
        | '\u{126}'..='\u{127}' | '\u{12b}' | '\u{131}'..='\u{133}' | '\u{138}' | '\u{13f}'..='\u{142}'
        | '\u{144}' | '\u{148}'..='\u{14b}' | '\u{14d}' | '\u{152}'..='\u{153}' | '\u{166}'..='\u{167}'
        | '\u{16b}' | '\u{1ce}' | '\u{1d0}' | '\u{1d2}' | '\u{1d4}' | '\u{1d6}' | '\u{1d8}' | '\u{1da}'
        | '\u{1dc}' | '\u{251}' | '\u{261}' | '\u{2c4}' | '\u{2c7}' | '\u{2c9}'..='\u{2cb}' | '\u{2cd}'
        | '\u{2d0}' | '\u{2d8}'..='\u{2db}' | '\u{2dd}' | '\u{2df}' | '\u{391}'..='\u{3a1}'
        | '\u{3a3}'..='\u{3a9}' | '\u{3b1}'..='\u{3c1}' | '\u{3c3}'..='\u{3c9}' | '\u{401}'
        | '\u{410}'..='\u{44f}' | '\u{451}' | '\u{a8}' | '\u{b4}' | '\u{b8}' | '\u{207f}' | '\u{2113}'
        | '\u{2126}' | '\u{212b}')
}

#[cfg(test)]
pub(in crate::tui) mod tests;

//! The tabs, and their names.

/// The tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they show")]
pub enum Tab {
    Templates,
    History,
    Wallet,
    Badge,
    Activity,
    /// Over the others: not among the tabs of the header.
    Overview,
}

impl Tab {
    /// All of them.
    pub const EVERY: [Self; 6] =
        [Self::Templates, Self::History, Self::Wallet, Self::Badge, Self::Activity, Self::Overview];

    /// Those of the header, in order, with their names.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Templates, tr_noop!("Templates")),
        (Self::History, tr_noop!("History")),
        (Self::Wallet, tr_noop!("Wallet")),
        (Self::Badge, tr_noop!("Badge")),
        (Self::Activity, tr_noop!("Activity")),
    ];

    /// All of them, with their words on the command line and in files.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("templates", Self::Templates),
        ("history", Self::History),
        ("wallet", Self::Wallet),
        ("badge", Self::Badge),
        ("activity", Self::Activity),
        ("overview", Self::Overview),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, tab)| *tab == self).map_or("", |(word, _)| word)
    }

    /// The tab of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, tab)| *tab)
    }

    pub(super) fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|(tab, _)| *tab == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()].0
    }
}

//! What can be open over a tab, by name: whoever claims to have seen all of it can be held to it.

use super::{App, Modal};

/// Names every kind; one that is missing here does not compile.
macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        impl Modal {
            fn kind(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => stringify!($kind),)+
                }
            }
        }

        impl App {
            /// Everything that can be open over a tab.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($kind)),+];
        }
    };
}

kinds!(
    Issue, Revoke, Question, Again, Draft, Correct, File, Ids, Export, Replace, Commands, Profiles, Pin,
    Help, Copy, Raw, Log, Filters, MarkAll, Key, Ping,
);

impl App {
    /// Which of [`App::KINDS`] is open over the tab, if any.
    pub fn kind(&self) -> Option<&'static str> {
        self.over.last().map(Modal::kind)
    }
}

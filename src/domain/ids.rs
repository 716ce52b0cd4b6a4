//! Identifiers of the service. They are opaque: lapel stores and sends them unchanged.

use super::text::{Text, scrub};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            pub fn new(raw: impl Into<String>) -> Option<Self> {
                let raw = raw.into();
                if raw.is_empty() { None } else { Some(Self(raw)) }
            }

            /// Unchanged, to send it back. Never display it.
            pub fn wire(&self) -> &str {
                &self.0
            }

            pub fn text(&self) -> Text {
                Text::new(self.0.clone())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&scrub(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), scrub(&self.0))
            }
        }
    )*};
}

ids! {
    /// `badge_id`: assigned when an issue request is accepted.
    BadgeId
    TemplateId
    CategoryId
    CategoryLevelId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_goes_back_as_it_came_and_shows_scrubbed() {
        let id = BadgeId::new("a/b\u{1b}+ 1").expect("not empty");
        assert_eq!(id.wire(), "a/b\u{1b}+ 1");
        assert_eq!(id.to_string(), "a/b␛+ 1");
        assert!(BadgeId::new("").is_none());
    }
}

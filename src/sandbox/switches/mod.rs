//! Every gap of the contract as a switch.
//!
//! The contract leaves many things open ("not shown"), and another server may decide each in any way. The
//! table is the only description: parsing, help, control address and tests derive from it.

use std::fmt::Write as _;

#[derive(Debug, Clone, Copy)]
pub struct Gap {
    pub name: &'static str,
    pub doc: &'static str,
    /// The accepted words with their effect; the first is the default. Empty for a free value.
    pub values: &'static [(&'static str, &'static str)],
    /// The format of a free value. Empty otherwise.
    pub form: &'static str,
    pub default: &'static str,
}

macro_rules! gaps {
    (
        choices { $(
            $name:literal $field:ident: $Type:ident, $doc:literal {
                $First:ident = $first:literal $first_doc:literal,
                $( $Variant:ident = $word:literal $what:literal, )*
            }
        )+ }
        free { $(
            $fname:literal $ffield:ident: $FType:ty, $fdoc:literal, $form:literal, $fdefault:literal, $read:path, $show:path;
        )+ }
    ) => {
        $(
            #[doc = $doc]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::IntoStaticStr)]
            pub enum $Type {
                #[doc = $first_doc]
                #[default]
                #[strum(serialize = $first)]
                $First,
                $( #[doc = $what] #[strum(serialize = $word)] $Variant, )*
            }
        )+

        #[derive(Debug, Clone, PartialEq)]
        pub struct Switches {
            $( #[doc = $doc] pub $field: $Type, )+
            $( #[doc = $fdoc] pub $ffield: $FType, )+
        }

        impl Default for Switches {
            fn default() -> Self {
                Self {
                    $( $field: $Type::default(), )+
                    $( $ffield: $read($fdefault).unwrap_or_default(), )+
                }
            }
        }

        pub static GAPS: &[Gap] = &[
            $( Gap {
                name: $name, doc: $doc, form: "", default: $first,
                values: &[($first, $first_doc), $( ($word, $what), )*],
            }, )+
            $( Gap { name: $fname, doc: $fdoc, form: $form, default: $fdefault, values: &[] }, )+
        ];

        impl Switches {
            /// Sets a switch. The error names the invalid word and the valid ones.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                let name = name.trim().to_ascii_lowercase().replace('_', "-");
                let value = value.trim();
                match name.as_str() {
                    $( $name => match value.parse() {
                        Ok(value) => { self.$field = value; Ok(()) }
                        Err(_) => Err(wrong_value($name, value)),
                    }, )+
                    $( $fname => match $read(value) {
                        Some(value) => { self.$ffield = value; Ok(()) }
                        None => Err(wrong_value($fname, value)),
                    }, )+
                    _ => Err(unknown_name(&name)),
                }
            }

            /// The current value of every switch, in the order of the table.
            pub fn words(&self) -> Vec<(&'static str, String)> {
                vec![
                    $( ($name, <&str>::from(self.$field).to_owned()), )+
                    $( ($fname, $show(&self.$ffield)), )+
                ]
            }
        }
    };
}

mod table;
mod values;

pub use table::*;

impl Switches {
    /// Later pairs override earlier ones and the defaults.
    pub fn with<N: AsRef<str>, V: AsRef<str>>(pairs: &[(N, V)]) -> Result<Self, String> {
        let mut switches = Self::default();
        for (name, value) in pairs {
            switches.set(name.as_ref(), value.as_ref())?;
        }
        Ok(switches)
    }
}

pub fn split_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` has no `=`: write GAP=VALUE, such as labels=en"))?;
    let pair = (name.trim().to_owned(), value.trim().to_owned());
    Switches::default().set(&pair.0, &pair.1)?;
    Ok(pair)
}

pub fn help() -> String {
    let mut text = String::new();
    for gap in GAPS {
        let _ = writeln!(text, "  {}: {}", gap.name, gap.doc);
        if gap.values.is_empty() {
            let _ = writeln!(text, "      {} (default {})", gap.form, gap.default);
        }
        for (word, what) in gap.values {
            let mark = if *word == gap.default { " (default)" } else { "" };
            let _ = writeln!(text, "      {word:<12} {what}{mark}");
        }
    }
    text
}

fn wrong_value(name: &str, value: &str) -> String {
    let Some(gap) = GAPS.iter().find(|gap| gap.name == name) else { return unknown_name(name) };
    if gap.values.is_empty() {
        return format!("`{value}` is not a value of the switch `{name}`: it takes {}", gap.form);
    }
    let words: Vec<&str> = gap.values.iter().map(|(word, _)| *word).collect();
    format!("`{value}` is not a value of the switch `{name}`: it takes {}", words.join(", "))
}

fn unknown_name(name: &str) -> String {
    let near: Vec<&str> = GAPS
        .iter()
        .map(|gap| gap.name)
        .filter(|known| {
            let part = name.split('-').any(|part| part.len() > 2 && known.contains(part));
            part || letters_apart(name, known) <= 2
        })
        .collect();
    if near.is_empty() {
        format!("there is no switch `{name}`; `lapel sandbox --help` lists them all")
    } else {
        format!("there is no switch `{name}`; did you mean {}?", near.join(" or "))
    }
}

/// The edit distance: letters to change, add or remove.
fn letters_apart(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], at + 1);
        for (to, b) in other.chars().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[to + 1];
            row[to + 1] = changed.min(corner + 1).min(row[to] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_the_table_can_be_set_and_is_read_back() {
        for gap in GAPS {
            for (word, _) in gap.values {
                let mut switches = Switches::default();
                switches.set(gap.name, word).unwrap();
                assert!(switches.words().contains(&(gap.name, (*word).to_owned())), "{}={word}", gap.name);
            }
        }
    }

    #[test]
    fn the_defaults_of_the_table_are_the_defaults() {
        let words = Switches::default().words();
        for (gap, (name, word)) in GAPS.iter().zip(words) {
            assert_eq!((gap.name, gap.default), (name, word.as_str()));
        }
    }

    #[test]
    fn names_and_values_are_told_apart_once() {
        let mut names: Vec<_> = GAPS.iter().map(|gap| gap.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), GAPS.len());
        for gap in GAPS {
            assert!(!gap.doc.is_empty());
            assert!(help().contains(gap.name));
        }
    }

    #[test]
    fn mistakes_name_the_word_and_say_what_would_be_right() {
        let mut switches = Switches::default();
        let error = switches.set("labels", "jp").unwrap_err();
        assert!(error.contains("jp") && error.contains("mixed"), "{error}");
        let error = switches.set("label", "ko").unwrap_err();
        assert!(error.contains("labels"), "{error}");
        assert!(switches.set("lables", "ko").unwrap_err().contains("did you mean labels"));
        assert!(!switches.set("colour", "ko").unwrap_err().contains("did you mean"));
        assert_eq!((letters_apart("", "abc"), letters_apart("kitten", "sitting")), (3, 3));
        assert!(split_pair("labels").is_err());
        assert!(switches.set("max-rows", "0").is_err());
        assert!(switches.set("allow", "here").is_err());
    }

    #[test]
    fn zones_are_offsets() {
        assert_eq!(values::read_zone("+09:00"), Some(32_400));
        assert_eq!(values::read_zone("-03:30"), Some(-12_600));
        assert_eq!(values::read_zone("Z"), Some(0));
        assert_eq!(values::read_zone("+25:00"), None);
        assert_eq!(values::read_zone("Seoul"), None);
        assert_eq!(values::read_zone("+-3"), None);
        assert_eq!(values::show_zone(&-12_600), "-03:30");
    }
}

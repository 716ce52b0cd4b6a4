//! Sections of `config.toml`. [`section!`] declares each setting once: its key, type, default and check, the
//! consequence of a mistake, and how users edit it. Reading, saving, `lapel info`, the flags of `lapel profile`
//! and the profile form follow from the declaration.

use super::key_store::{KeyStore, SecretKind};
use super::toml_reader::nearest;
use super::word_enums::Words;
use crate::config::prelude::*;
use toml::Value as Toml;

/// The mildest first. An unreadable setting must never make a profile less careful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Consequence {
    UseDefault,
    ReadOnly,
    /// The address or the key is unknown.
    Unusable,
}

pub(super) struct Setting<S> {
    pub key: &'static str,
    /// An earlier key that lapel still reads. Only for a setting that lapel never writes.
    pub former_key: Option<&'static str>,
    /// Also reports mistakes. The last argument is the full name.
    pub read: fn(&mut S, &mut TomlReader<'_>, &TomlValue<'_>, &str),
    pub value: fn(&S) -> Option<Toml>,
    /// Takes over the value of another section, for a setting without its own.
    pub inherit: fn(&mut S, &S),
    pub reset: fn(&mut S),
    pub on_mistake: Consequence,
    /// The setting describes the service of its profile, and does not apply to another one.
    pub is_of_service: bool,
    /// No `Debug` shows the value.
    pub is_secret: bool,
    /// Of a setting that is a table.
    pub inner_keys: &'static [&'static str],
    /// `None` when users edit only the file.
    pub edit: Option<SettingEdit>,
    /// Of a setting that is a table: how users edit its keys, by full name.
    pub inner_edits: &'static [(&'static str, SettingEdit)],
}

impl<S> Setting<S> {
    pub const fn new(
        key: &'static str,
        read: fn(&mut S, &mut TomlReader<'_>, &TomlValue<'_>, &str),
        value: fn(&S) -> Option<Toml>,
        inherit: fn(&mut S, &S),
        reset: fn(&mut S),
    ) -> Self {
        Self {
            key,
            former_key: None,
            read,
            value,
            inherit,
            reset,
            on_mistake: Consequence::UseDefault,
            is_of_service: false,
            is_secret: false,
            inner_keys: &[],
            edit: None,
            inner_edits: &[],
        }
    }

    pub fn names(&self) -> Vec<String> {
        match self.inner_keys {
            [] => vec![self.key.to_owned()],
            inner => inner.iter().map(|name| join(self.key, name)).collect(),
        }
    }
}

/// By a flag of `lapel profile`, and by a line of the profile form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingEdit {
    /// Among the flags and in the form. The file has an order of its own.
    pub position: u8,
    pub label: &'static str,
    pub flag: &'static str,
    pub help: &'static str,
    pub value_name: &'static str,
    pub input: Input,
    pub is_required: bool,
    /// lapel tests a change with the service before it saves the change.
    pub is_tested: bool,
}

impl SettingEdit {
    /// An optional text.
    pub(super) const TEXT: Self = Self {
        position: 0,
        label: "",
        flag: "",
        help: "",
        value_name: "",
        input: Input::Text,
        is_required: false,
        is_tested: false,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Text,
    /// Becomes absolute.
    Path,
    /// The most careful word first.
    Words(&'static [&'static str]),
    Switch([&'static str; 2]),
    /// The place of a secret.
    Secret(SecretKind),
}

/// A group of settings with one name in front, declared by [`section!`].
pub(super) trait ConfigSection: Default + 'static {
    const SETTINGS: &'static [Setting<Self>];

    /// Every setting with its declared default, also those that are `None` when the file does not have them.
    fn usual() -> Self;

    fn keys() -> impl Iterator<Item = &'static str> {
        Self::SETTINGS.iter().map(|setting| setting.key)
    }

    fn setting(key: &str) -> Option<&'static Setting<Self>> {
        Self::SETTINGS.iter().find(|setting| setting.key == key)
    }

    fn former_keys() -> impl Iterator<Item = &'static str> {
        Self::SETTINGS.iter().filter_map(|setting| setting.former_key)
    }

    /// The setting whose key, or former key, is nearest to this name.
    fn meant(name: &str) -> Option<&'static Setting<Self>> {
        let near = nearest(name, Self::keys().chain(Self::former_keys()))?;
        Self::SETTINGS.iter().find(|setting| setting.key == near || setting.former_key == Some(near))
    }

    fn read(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, prefix: &str) -> Self {
        let Some(table) = reader.table(value, prefix, t!("must be a table of settings")) else {
            return Self::default();
        };
        let (keys, former): (Vec<_>, Vec<_>) = (Self::keys().collect(), Self::former_keys().collect());
        let meant = |name: &str| Self::meant(name).map(|setting| setting.key);
        reader.unknown_of(table, prefix, &keys, &former, meant);
        Self::read_table(reader, table, prefix)
    }

    /// Skips settings of other sections.
    fn read_table(reader: &mut TomlReader<'_>, table: &DeTable<'_>, prefix: &str) -> Self {
        let mut section = Self::default();
        for setting in Self::SETTINGS {
            let now = table.get(setting.key).map(|value| (setting.key, value));
            let former = setting.former_key.and_then(|key| Some((key, table.get(key)?)));
            if let (Some((name, _)), Some((former, value))) = (now, former) {
                let what = t!("is the former name of {name}, which is set too: keep only {name}", name);
                reader.wrong(value.span().start, &join(prefix, former), what);
            } else if let Some((key, value)) = now.or(former) {
                let field = join(prefix, key);
                reader.locate(value, &field);
                (setting.read)(&mut section, reader, value, &field);
            }
        }
        section
    }

    /// The setting may be misspelled.
    fn consequence(key: &str) -> Consequence {
        // An unrecognizable name may have been the most important one.
        Self::meant(key).map_or(Consequence::ReadOnly, |setting| setting.on_mistake)
    }

    /// Names such as `in_flight` or `policies.valid`.
    fn values(&self) -> Vec<(String, Option<Toml>)> {
        let of = |setting: &Setting<Self>| {
            let value = (setting.value)(self);
            let inner = |name: &&str| value.as_ref().and_then(|table| table.get(*name)).cloned();
            let values = match setting.inner_keys {
                [] => vec![value],
                keys => keys.iter().map(inner).collect(),
            };
            setting.names().into_iter().zip(values).collect::<Vec<_>>()
        };
        Self::SETTINGS.iter().flat_map(of).collect()
    }

    #[must_use]
    fn or(mut self, all: &Self) -> Self {
        for setting in Self::SETTINGS {
            (setting.inherit)(&mut self, all);
        }
        self
    }
}

/// Declares a section: a struct, its defaults and its [`ConfigSection::SETTINGS`]. A setting of type `Option` with a
/// default is `None` unless the file has it; a method with its name gives the value that applies.
macro_rules! section {
    (@unset $type:ty) => { Default::default() };
    (@unset $type:ty, $default:expr) => { <$type as $crate::config::section::DefaultedSetting>::unset(|| $default) };
    ($(#[$doc:meta])* $vis:vis struct $name:ident {
        $($(#[$about:meta])*
        $key:ident: $type:ty $(= $default:expr)? => $read:expr $(, { $($field:ident: $value:expr),* $(,)? })?;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        $vis struct $name {
            $($(#[$about])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $crate::config::section::section!(@unset $type $(, $default)?),)* }
            }
        }

        impl $name {
            $($(
                #[doc = concat!("The value of `", stringify!($key), "` that applies.")]
                pub fn $key(&self) -> <$type as $crate::config::section::SettingType>::Read {
                    $crate::config::section::DefaultedSetting::applied(&self.$key, || $default)
                }
            )?)*
        }

        impl $crate::config::section::ConfigSection for $name {
            fn usual() -> Self {
                #[allow(unused_mut, reason = "a section may have no defaults")]
                let mut section = Self::default();
                $($(
                    $crate::config::section::SettingType::set(&mut section.$key, $default);
                )?)*
                section
            }

            const SETTINGS: &'static [$crate::config::section::Setting<Self>] = {
                use $crate::config::section::{Setting, SettingType};
                &[$(
                    Setting::<Self> {
                        $($($field: $value,)*)?
                        ..Setting::new(
                            stringify!($key),
                            |section, reader, value, field| {
                                let read: Option<<$type as SettingType>::Read> = ($read)(reader, value, field);
                                if let Some(read) = read {
                                    SettingType::set(&mut section.$key, read);
                                }
                            },
                            |section| SettingType::value(&section.$key),
                            |section, all| SettingType::inherit(&mut section.$key, &all.$key),
                            |section| section.$key = Self::default().$key,
                        )
                    },
                )*]
            };
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                use $crate::config::section::ConfigSection;
                let shown = |setting: &$crate::config::section::Setting<Self>| {
                    let value = (setting.value)(self);
                    let hidden = || toml::Value::from("[redacted]");
                    (setting.key, if setting.is_secret { value.map(|_| hidden()) } else { value })
                };
                f.debug_map().entries(Self::SETTINGS.iter().map(shown)).finish()
            }
        }
    };
}
pub(super) use section;

/// `T`, or `Option<T>` for a setting without a default.
pub trait SettingType {
    type Read;
    fn set(&mut self, read: Self::Read);
    fn value(&self) -> Option<Toml>;
    fn inherit(&mut self, all: &Self);
}

/// A setting with a declared default.
pub trait DefaultedSetting: SettingType {
    /// The value when the file does not have the setting.
    fn unset(default: fn() -> Self::Read) -> Self;
    /// The value that applies.
    fn applied(&self, default: fn() -> Self::Read) -> Self::Read;
}

impl<T: ToToml + Clone> DefaultedSetting for T {
    fn unset(default: fn() -> T) -> T {
        default()
    }

    fn applied(&self, _: fn() -> T) -> T {
        self.clone()
    }
}

impl<T: ToToml + Clone> DefaultedSetting for Option<T> {
    fn unset(_: fn() -> T) -> Self {
        None
    }

    fn applied(&self, default: fn() -> T) -> T {
        self.clone().unwrap_or_else(default)
    }
}

pub trait ToToml {
    fn to_toml(&self) -> Toml;
}

impl<T: ToToml> SettingType for T {
    type Read = T;

    fn set(&mut self, read: T) {
        *self = read;
    }

    fn value(&self) -> Option<Toml> {
        Some(self.to_toml())
    }

    /// A value without `Option` is never missing.
    fn inherit(&mut self, _: &Self) {}
}

impl<T: ToToml + Clone> SettingType for Option<T> {
    type Read = T;

    fn set(&mut self, read: T) {
        *self = Some(read);
    }

    fn value(&self) -> Option<Toml> {
        self.as_ref().map(ToToml::to_toml)
    }

    fn inherit(&mut self, all: &Self) {
        if self.is_none() {
            self.clone_from(all);
        }
    }
}

impl<W: Words + PartialEq> ToToml for W {
    fn to_toml(&self) -> Toml {
        self.spelled().into()
    }
}

macro_rules! plain {
    ($($type:ty),+) => {
        $(impl ToToml for $type {
            fn to_toml(&self) -> Toml {
                self.to_owned().into()
            }
        })+
    };
}

plain!(bool, u32, String, Vec<u32>, Vec<String>);

impl ToToml for KeyStore {
    /// For the setting `key`, or `key_command` for a command.
    fn to_toml(&self) -> Toml {
        let table =
            |name: &str, value: Toml| Toml::Table(toml::map::Map::from_iter([(name.to_owned(), value)]));
        match self {
            // The default, which the file does not name.
            Self::File => table("file", "".into()),
            Self::Keyring => table("keyring", true.into()),
            Self::Variable(name) => table("env", name.as_str().into()),
            Self::OtherFile(path) => table("file", path.to_string_lossy().as_ref().into()),
            Self::Command(argv) => argv.to_toml(),
        }
    }
}

pub(super) fn text_of(value: &Toml) -> String {
    match value {
        Toml::String(text) => text.clone(),
        Toml::Array(all) => all.iter().map(text_of).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

pub(super) fn number(
    least: u32,
    most: u32,
) -> impl Fn(&mut TomlReader<'_>, &TomlValue<'_>, &str) -> Option<u32> {
    move |reader, value, field| reader.number(value, field, least, most)
}

pub(super) fn ascending(
    least: u32,
    most: u32,
) -> impl Fn(&mut TomlReader<'_>, &TomlValue<'_>, &str) -> Option<Vec<u32>> {
    move |reader, value, field| reader.ascending(value, field, least, most)
}

pub(super) fn check_file_name(text: &str) -> Result<String, &'static str> {
    if text.is_empty() { Err(t!("is empty")) } else { Ok(text.to_owned()) }
}

/// The check may return the text in another form.
pub(super) fn checked<W: Into<String>>(
    check: fn(&str) -> Result<String, W>,
) -> impl Fn(&mut TomlReader<'_>, &TomlValue<'_>, &str) -> Option<String> {
    move |reader, value, field| {
        let text = reader.text(value, field)?;
        check(text).map_err(|why| reader.wrong(value.span().start, field, why)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::jobs::JobSettings;
    use std::path::Path;

    section! {
        struct Sample {
            timeout: Option<u32> => number(1, 600);
            word: Option<String> => TomlReader::string, { is_secret: true };
            is_on: bool = true => TomlReader::truth, { on_mistake: Consequence::Unusable, is_of_service: true };
            tries: Option<u32> = 3 => number(1, 9), { former_key: Some("attempts") };
        }
    }

    fn read(text: &str) -> (Sample, Vec<String>, Option<usize>) {
        let mut reader = TomlReader::new(Path::new("config.toml"), text);
        let top = reader.parse().expect("TOML");
        let section = Sample::read(&mut reader, &top.get_ref()["sample"], "sample");
        let line = reader.lines.get("sample.timeout").copied();
        (section, reader.mistakes.iter().map(ToString::to_string).collect(), line)
    }

    #[test]
    fn everything_follows_from_the_declaration() {
        let (all, mistakes, line) = read("[sample]\nword = 'hidden'\ntimeout = 30\nis_on = false\n");
        assert_eq!((mistakes.as_slice(), line), (&[][..], Some(3)));
        assert_eq!((all.timeout, all.is_on), (Some(30), false));
        let names: Vec<(String, Option<String>)> =
            all.values().into_iter().map(|(name, value)| (name, value.as_ref().map(text_of))).collect();
        let value = |name: &str, text: &str| (name.to_owned(), Some(text.to_owned()));
        let unset = ("tries".to_owned(), None);
        assert_eq!(names, [value("timeout", "30"), value("word", "hidden"), value("is_on", "false"), unset]);
        assert!(!format!("{all:?}").contains("hidden"), "{all:?}");

        let (own, mistakes, _) = read("[sample]\ntimout = 5\nis_on = 1\ntimeout = 0\n");
        assert!(mistakes[0].contains("line 2: sample.timout: unknown field; did you mean timeout?"));
        assert!(mistakes[1].contains("sample.timeout: must be a whole number from 1 to 600"), "{mistakes:?}");
        assert_eq!((own.timeout, own.is_on), (None, true), "a mistake leaves the default");
        assert_eq!(own.or(&all).timeout, Some(30));
        for (name, consequence) in [
            ("timout", Consequence::UseDefault),
            ("is-on", Consequence::Unusable),
            ("other", Consequence::ReadOnly),
        ] {
            assert_eq!(Sample::consequence(name), consequence, "{name}");
        }
        assert!(Sample::setting("is_on").is_some_and(|setting| setting.is_of_service));
    }

    #[test]
    fn a_declared_default_applies_until_the_file_has_the_setting() {
        let (unset, ..) = read("[sample]\n");
        assert_eq!((unset.tries, unset.tries(), unset.is_on()), (None, 3, true));
        assert_eq!((Sample::usual().tries, Sample::usual().timeout), (Some(3), None));
        let (set, ..) = read("[sample]\ntries = 5\nis_on = false\n");
        assert_eq!((set.tries(), set.is_on()), (5, false));
    }

    #[test]
    fn a_slip_of_a_former_key_makes_no_profile_read_only() {
        for name in ["issue-looks", "revoke_look", "doubtlooks", "guard_age_minute", "guard_age_minutes"] {
            assert_eq!(JobSettings::consequence(name), Consequence::UseDefault, "{name}");
        }
        for name in ["polices", "looks", "guard"] {
            assert_eq!(JobSettings::consequence(name), Consequence::ReadOnly, "{name}");
        }
    }

    #[test]
    fn a_former_key_is_read_unless_the_new_one_is_there_too() {
        let (former, mistakes, _) = read("[sample]\nattempts = 5\n");
        assert_eq!((former.tries, mistakes), (Some(5), Vec::new()));
        let (_, mistakes, _) = read("[sample]\nattempts = 10\n");
        assert!(mistakes[0].contains("sample.attempts: must be"), "{mistakes:?}");
        let (_, mistakes, _) = read("[sample]\nattempt = 5\n");
        assert!(mistakes[0].contains("unknown field; did you mean tries?"), "{mistakes:?}");
        assert_eq!(Sample::consequence("Attempt"), Consequence::UseDefault);
        for text in ["[sample]\ntries = 4\nattempts = 5\n", "[sample]\nattempts = 4\ntries = 4\n"] {
            let (both, mistakes, _) = read(text);
            assert_eq!((both.tries, mistakes.len()), (None, 1), "neither is used: {mistakes:?}");
            assert!(mistakes[0].contains("sample.attempts: is the former name of tries"), "{mistakes:?}");
        }
    }
}

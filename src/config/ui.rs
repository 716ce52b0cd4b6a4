//! The look and language of the TUI: theme, glyphs, pictures, language.

use super::app::AppSettings;
use super::background::TerminalBackground;
use super::env::Env;
use super::file::ConfigFile;
use super::flags::Flags;
use super::pictures::{PictureChoice, PictureSettings};
use super::resolved::{Resolved, SettingSource};
use super::section::ConfigSection;
use super::theme::{Palette, ThemeFile};
use super::word_enums::{GlyphChoice, JoinedChoice, ThemeChoice};
use crate::i18n::Language;
use std::ffi::OsString;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ui {
    pub theme: Palette,
    pub glyphs: GlyphChoice,
    pub joined: JoinedChoice,
    pub pictures: PictureSettings,
    pub language: Language,
}

impl Ui {
    /// The order is: flag, environment (`NO_COLOR`, not empty), file, default. A theme flag `auto`
    /// requests no certain colours, so `NO_COLOR` takes precedence over it. A locale without UTF-8
    /// is not a request, so it chooses the glyphs only when no setting does.
    pub(super) fn resolve(
        flags: &Flags,
        env: &Env,
        file: &ConfigFile,
        own: ThemeFile,
    ) -> (Self, Resolved<AppSettings>) {
        let app = &file.app;
        let no_color = env.raw("NO_COLOR").map(|_| ThemeChoice::None);
        let flag = flags.theme.filter(|theme| *theme != ThemeChoice::Auto || no_color.is_none());
        let theme = first(
            [
                (flag, SettingSource::Flag),
                (no_color, SettingSource::Variable),
                (app.theme, SettingSource::File),
                (own.base, SettingSource::ThemeFile),
            ],
            ThemeChoice::default(),
        );
        let locale = if speaks_utf8(env) { GlyphChoice::Unicode } else { GlyphChoice::Ascii };
        let glyphs = first([(flags.glyphs, SettingSource::Flag), (app.glyphs, SettingSource::File)], locale);
        let wanted = first(
            [(flags.pictures, SettingSource::Flag), (app.pictures, SettingSource::File)],
            PictureChoice::default(),
        );
        let pictures = PictureSettings::resolve(wanted.0, env, (theme.0, glyphs.0));
        // On some terminals `auto` becomes `none` without a request.
        let pictures_from = if pictures.choice == wanted.0 { wanted.1 } else { SettingSource::Default };
        let language = first(
            [
                (app.language, SettingSource::File),
                (locale_of(env).map(|_| spoken(env)), SettingSource::Variable),
            ],
            spoken(env),
        );
        let own_look =
            [("theme", theme.1), ("glyphs", glyphs.1), ("pictures", pictures_from), ("language", language.1)];
        let rest = AppSettings::keys().filter(|key| file.has(key)).map(|key| (key, SettingSource::File));
        let sources = rest.chain(own_look).map(|(key, source)| (key.to_owned(), source));
        let values = AppSettings {
            theme: Some(theme.0),
            glyphs: Some(glyphs.0),
            pictures: Some(pictures.choice),
            language: Some(language.0),
            ..app.clone()
        };
        let ui = Self {
            theme: Palette {
                theme: theme.0,
                ground: TerminalBackground::guess(env).unwrap_or_default(),
                colours: own.colours,
            },
            glyphs: glyphs.0,
            joined: app.joined_text,
            pictures,
            language: language.0,
        };
        (ui, Resolved::new(values, sources))
    }
}

fn first<T, const N: usize>(layers: [(Option<T>, SettingSource); N], default: T) -> (T, SettingSource) {
    let mut set = layers.into_iter().filter_map(|(value, source)| Some((value?, source)));
    set.next().unwrap_or((default, SettingSource::Default))
}

/// The first of the three variables that is set decides, as in the C library.
pub fn spoken(env: &Env) -> Language {
    let of = |locale: OsString| Language::of_locale(&locale.to_string_lossy());
    locale_of(env).map_or(Language::English, of)
}

fn locale_of(env: &Env) -> Option<OsString> {
    ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| env.raw(name))
}

/// The first of the three variables that is set decides, as in the C library. Without any of them,
/// the locale is C.
fn speaks_utf8(env: &Env) -> bool {
    if cfg!(windows) {
        return true;
    }
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.raw(name)).is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

//! Flags that several verbs take, and the numbers and words in flags.

use super::completion;
use crate::cli::prelude::*;
use crate::config::{Flags, GlyphChoice, PictureChoice, ThemeChoice, Words};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fmt::Display;
use std::str::FromStr;

/// The service of a command, and its limits. There is no flag for a key, on purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Settings")]
pub struct ProfileFlags {
    /// The profile in config.toml to use
    #[arg(long, value_name = "NAME", add = completion::of_profiles())]
    profile: Option<String>,
    /// Read-only: issuing and revoking are disabled
    #[arg(long)]
    read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Settings")]
pub struct AppearanceFlags {
    /// Colours: auto dark light high-contrast terminal none
    #[arg(long, value_name = "THEME", value_parser = words::<ThemeChoice>(), hide_possible_values = true)]
    theme: Option<ThemeChoice>,
    /// Screen symbols: unicode or plain ascii
    #[arg(long, value_name = "SET", value_parser = words::<GlyphChoice>(), hide_possible_values = true, hide_short_help = true)]
    glyphs: Option<GlyphChoice>,
    /// Pictures: auto, kitty, iterm2, sixel, halfblocks, none
    #[arg(long, value_name = "WAY", value_parser = words::<PictureChoice>(), hide_possible_values = true, hide_short_help = true)]
    pictures: Option<PictureChoice>,
}

/// Of a verb with verbs of its own, before or after them.
#[derive(Clone, Debug, Args)]
pub struct GlobalFlags {
    /// Print one line of JSON, also on failure
    #[arg(long, global = true)]
    pub json: bool,
    /// The profile in config.toml to use
    #[arg(long, value_name = "NAME", global = true, help_heading = "Settings", add = completion::of_profiles())]
    profile: Option<String>,
}

impl GlobalFlags {
    pub fn add_to(&self, flags: &mut Flags) {
        flags.profile = self.profile.clone().or(flags.profile.take());
    }
}

impl ProfileFlags {
    /// Adds the flags after a verb to those before it. The later flag takes precedence.
    pub fn add_to(&self, flags: &mut Flags) {
        flags.profile = self.profile.clone().or(flags.profile.take());
        flags.read_only |= self.read_only;
    }
}

impl AppearanceFlags {
    pub fn add_to(&self, flags: &mut Flags) {
        flags.theme = self.theme.or(flags.theme);
        flags.glyphs = self.glyphs.or(flags.glyphs);
        flags.pictures = self.pictures.or(flags.pictures);
    }
}

pub fn whole_from<T: WholeNumber>(least: T) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| *number >= least);
        number.ok_or_else(|| t!("it must be a whole number, {least} or more", least))
    }
}

pub fn whole<T: WholeNumber + Into<u64>>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            t!(
                "it must be a whole number from {least} to {most}",
                least,
                most = crate::i18n::number(most.into())
            )
        })
    }
}

pub trait WholeNumber: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static {}

impl<T: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static> WholeNumber for T {}

fn words<W: Words + Default + Send + Sync>() -> impl TypedValueParser<Value = W> {
    PossibleValuesParser::new(W::WORDS.iter().map(|(word, _)| *word))
        .map(|word| W::read(&word).unwrap_or_default())
}

//! Colours and glyphs by role. A state always has a glyph and a word, so it is readable without colours.

mod glyphs;

pub use glyphs::Glyphs;

use crate::config::{Colour, Role, ThemeChoice};
use crate::tui::prelude::*;
use ratatui::style::Color;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    palette: Palette,
    environment: Environment,
}

/// The style of a role in a theme: its colour, or its weight if it has no colour.
fn own(theme: ThemeChoice, role: Role) -> Style {
    // Dark and light use the 256-colour cube, which tmux, ssh and old terminals have.
    let (dark, light, bright, sixteen) = match role {
        Role::Dim => (246, 241, 252, None),
        Role::Demo | Role::Good | Role::Issued => (114, 22, 120, Some(Color::Green)),
        Role::Staging | Role::Warning | Role::Revoking => (214, 94, 220, Some(Color::Yellow)),
        Role::Live | Role::Error | Role::Revoked => (210, 124, 217, Some(Color::Red)),
        Role::Key => (255, 232, 231, None),
        Role::Mark => (220, 94, 226, Some(Color::Yellow)),
        Role::Waiting => (117, 25, 123, Some(Color::Cyan)),
        Role::Expired => (180, 94, 223, Some(Color::Magenta)),
        Role::Other => (183, 90, 219, Some(Color::Magenta)),
    };
    let weight = if role == Role::Dim { Style::new().add_modifier(Modifier::DIM) } else { Style::new() };
    match theme {
        ThemeChoice::Auto | ThemeChoice::Dark => Style::new().fg(Color::Indexed(dark)),
        ThemeChoice::Light => Style::new().fg(Color::Indexed(light)),
        ThemeChoice::HighContrast => Style::new().fg(Color::Indexed(bright)),
        ThemeChoice::Terminal => sixteen.map_or(weight, |colour| Style::new().fg(colour)),
        ThemeChoice::None => weight,
    }
}

impl Theme {
    pub fn new(palette: Palette, environment: Environment) -> Self {
        Self { palette: Palette { theme: palette.drawn(), ..palette }, environment }
    }

    fn role(&self, role: Role) -> Style {
        // The theme without colours ignores the colours of a file.
        let colour = self.palette.own(role).filter(|_| self.palette.theme != ThemeChoice::None);
        match colour {
            None => own(self.palette.theme, role),
            Some(Colour::Terminal) => Style::new(),
            Some(Colour::Indexed(n)) => Style::new().fg(Color::Indexed(n)),
            Some(Colour::Rgb(r, g, b)) => Style::new().fg(Color::Rgb(r, g, b)),
        }
    }

    /// In the terminal's own colour.
    pub fn text(&self) -> Style {
        Style::new()
    }

    pub fn dim(&self) -> Style {
        self.role(Role::Dim)
    }

    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn accent(&self) -> Style {
        let role = match self.environment {
            Environment::Demo => Role::Demo,
            Environment::Staging => Role::Staging,
            Environment::Live => Role::Live,
        };
        self.role(role).add_modifier(Modifier::BOLD)
    }

    /// The word of the environment, filled with its colour.
    pub fn chip(&self) -> Style {
        self.accent().add_modifier(Modifier::REVERSED)
    }

    /// The background of the header line: tinted when requests reach real people.
    pub fn header(&self) -> Style {
        match self.palette.theme {
            _ if self.environment != Environment::Live => Style::new(),
            ThemeChoice::Auto | ThemeChoice::Dark | ThemeChoice::HighContrast => {
                Style::new().bg(Color::Indexed(52))
            }
            ThemeChoice::Light => Style::new().bg(Color::Indexed(224)),
            ThemeChoice::Terminal | ThemeChoice::None => Style::new(),
        }
    }

    /// A warning in the header. The colour of warnings is hard to read on the tint of a light header.
    pub fn header_warning(&self) -> Style {
        let on_light_tint = self.palette.theme == ThemeChoice::Light && self.environment == Environment::Live;
        if on_light_tint { self.role(Role::Error) } else { self.warning() }
    }

    pub fn key(&self) -> Style {
        self.role(Role::Key).add_modifier(Modifier::BOLD)
    }

    pub fn tab(&self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    pub fn entry(&self, is_selected: bool) -> Style {
        if is_selected { self.selected() } else { self.text() }
    }

    /// A tint keeps the colours in the row visible. Without colours the row is reversed, as one bar.
    pub fn selected(&self) -> Style {
        self.tint().unwrap_or(Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED))
    }

    /// A row of the range that is being drawn. Without colours, only the sign at its edge shows it.
    pub fn in_range(&self) -> Style {
        self.tint().unwrap_or_default().add_modifier(Modifier::BOLD)
    }

    fn tint(&self) -> Option<Style> {
        let colour = match self.palette.theme {
            ThemeChoice::Auto | ThemeChoice::Dark | ThemeChoice::HighContrast => 17,
            ThemeChoice::Light => 195,
            ThemeChoice::Terminal | ThemeChoice::None => return None,
        };
        Some(Style::new().bg(Color::Indexed(colour)))
    }

    pub fn mark(&self) -> Style {
        self.role(Role::Mark).add_modifier(Modifier::BOLD)
    }

    pub fn warning(&self) -> Style {
        self.role(Role::Warning)
    }

    pub fn error(&self) -> Style {
        self.role(Role::Error).add_modifier(Modifier::BOLD)
    }

    pub fn good(&self) -> Style {
        self.role(Role::Good)
    }

    /// Underlined with the focus.
    pub fn field(&self, focused: bool) -> Style {
        if focused { Style::new().add_modifier(Modifier::UNDERLINED) } else { Style::new() }
    }

    pub fn state(&self, state: &State) -> Style {
        self.role(match state {
            State::Waiting => Role::Waiting,
            State::Issued => Role::Issued,
            State::Revoking => Role::Revoking,
            State::Revoked => Role::Revoked,
            State::Expired => Role::Expired,
            State::Other(_) => Role::Other,
        })
    }

    /// The last step of drawing: high contrast does not rely on the terminal's own colours.
    pub fn paint(&self, buffer: &mut Buffer) {
        if self.palette.theme != ThemeChoice::HighContrast {
            return;
        }
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = WHITE;
            }
            if cell.bg == Color::Reset {
                cell.bg = BLACK;
            }
        }
    }
}

/// The colours of high contrast, from the cube: the terminal may redefine its own sixteen colours.
const WHITE: Color = Color::Indexed(231);
const BLACK: Color = Color::Indexed(16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Words;

    /// The RGB value of a colour in xterm. The first sixteen depend on the terminal.
    fn rgb(colour: Color) -> (u8, u8, u8) {
        match colour {
            Color::Rgb(r, g, b) => (r, g, b),
            Color::Indexed(n @ 16..=231) => {
                let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let n = n - 16;
                (level(n / 36), level(n / 6 % 6), level(n % 6))
            }
            Color::Indexed(n @ 232..) => (8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
            other => panic!("{other:?} is the terminal's own"),
        }
    }

    /// Relative luminance as WCAG 2 defines it.
    fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
        let part = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    }

    fn contrast(one: (u8, u8, u8), other: (u8, u8, u8)) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn contrast_is_as_it_is_defined() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((contrast((0x77, 0x77, 0x77), (255, 255, 255)) - 4.48).abs() < 0.01);
    }

    /// On black, the dark greys and blues of common schemes, white and creams, and on the theme's own tints.
    #[test]
    fn every_pair_of_colours_can_be_read() {
        let dark: &[(u8, u8, u8)] = &[
            (0, 0, 0),
            (0x1e, 0x1e, 0x1e),
            (0x28, 0x28, 0x28),
            (0x1a, 0x1b, 0x26),
            (0x00, 0x2b, 0x36),
            (0x28, 0x2a, 0x36),
        ];
        let light: &[(u8, u8, u8)] =
            &[(255, 255, 255), (0xfa, 0xfa, 0xfa), (0xfd, 0xf6, 0xe3), (0xf5, 0xf5, 0xf5)];
        for (theme, grounds, least) in [
            (ThemeChoice::Dark, dark, 4.5),
            (ThemeChoice::Light, light, 4.5),
            (ThemeChoice::HighContrast, &[rgb(BLACK)][..], 7.0),
        ] {
            let live = Theme::new(Palette::from(theme), Environment::Live);
            let tint = |style: Style| rgb(style.bg.expect("a tint"));
            // Every role may be in a selected row, and only these in the header of a LIVE profile.
            let on_header = [live.dim(), live.accent(), live.header_warning(), live.error(), live.good()]
                .map(|style| style.fg);
            let mut pairs: Vec<_> = on_header.map(|colour| (colour, tint(live.header()))).into();
            for ground in grounds.iter().copied().chain([tint(live.selected())]) {
                pairs.extend(Role::ALL.iter().map(|role| (own(theme, *role).fg, ground)));
            }
            let mut smallest = f64::INFINITY;
            for (colour, ground) in pairs {
                let found = contrast(rgb(colour.expect("a colour")), ground);
                assert!(found >= least, "{theme:?} {colour:?} on {ground:?}: {found:.2}");
                smallest = smallest.min(found);
            }
            let line = format!("| `{}` | {smallest:.2} |", theme.spelled());
            assert!(include_str!("../../../docs/habits.md").contains(&line), "docs/habits.md lacks: {line}");
        }
        assert!(contrast(rgb(WHITE), rgb(BLACK)) >= 15.0);
    }

    #[test]
    fn the_terminals_own_colours_are_only_its_own_sixteen() {
        for role in Role::ALL {
            let style = own(ThemeChoice::Terminal, *role);
            // Black and white are excluded: on every background, one of them is unreadable.
            let named = [Color::Red, Color::Green, Color::Yellow, Color::Magenta, Color::Cyan];
            assert!(style.fg.is_none_or(|c| named.contains(&c)), "{role:?}: {style:?}");
        }
    }

    #[test]
    fn who_wants_no_colours_gets_none() {
        let mut palette = Palette::from(ThemeChoice::None);
        palette.colours[Role::Error as usize] = Some(Colour::Indexed(196));
        let theme = Theme::new(palette, Environment::Live);
        for style in
            [theme.error(), theme.accent(), theme.dim(), theme.selected(), theme.state(&State::Issued)]
        {
            assert!(style.fg.is_none_or(|c| c == Color::Reset) && style.bg.is_none(), "{style:?}");
        }
    }

    #[test]
    fn ones_own_colours_take_the_place_of_the_themes() {
        let mut palette = Palette::from(ThemeChoice::Light);
        palette.colours[Role::Error as usize] = Some(Colour::Rgb(1, 2, 3));
        palette.colours[Role::Dim as usize] = Some(Colour::Terminal);
        let theme = Theme::new(palette, Environment::Live);
        assert_eq!(theme.error().fg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(theme.dim(), Style::new());
        assert_eq!(theme.good().fg, Some(Color::Indexed(22)));
    }
}

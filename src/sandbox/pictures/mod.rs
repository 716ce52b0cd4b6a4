//! Badge pictures, drawn at the first request.

mod brush;
mod card;
mod emblem;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tiny_skia::Pixmap;

use super::demo::catalogue::{CATEGORIES, Template};
use super::lock;
use brush::{Brush, CardColors};

/// The template whose picture is missing.
pub(super) const MISSING: usize = 29;
/// The template whose picture is an SVG.
pub(super) const SVG: usize = 30;
/// The template whose picture is far too large.
const HUGE: usize = 22;

type Png = Arc<Vec<u8>>;

#[derive(Debug, Default)]
pub(super) struct DrawnPictures {
    drawn: Mutex<HashMap<(usize, bool), Png>>,
}

pub(super) fn path(number: usize, side: &str) -> String {
    let kind = if number == SVG && side == "front" { "svg" } else { "png" };
    format!("/images/TPL-{number:03}/{side}.{kind}")
}

impl DrawnPictures {
    pub(super) fn png(&self, number: usize, template: &Template, front: bool) -> Option<Png> {
        if let Some(known) = lock(&self.drawn).get(&(number, front)) {
            return Some(known.clone());
        }
        let side = if number == HUGE && front { 4000 } else { 600 };
        let png = Arc::new(draw(number, template, front, side)?.encode_png().ok()?);
        lock(&self.drawn).insert((number, front), png.clone());
        Some(png)
    }
}

/// `side` is in pixels.
fn draw(number: usize, template: &Template, front: bool, side: u32) -> Option<Pixmap> {
    let mut brush = Brush::new(side, CardColors::of(template.color))?;
    let levels = CATEGORIES.get(template.category).map_or(0, |category| category.levels.len());
    if front {
        emblem::draw(&mut brush, template.kind, template.category, (template.level, levels));
    } else {
        card::draw(&mut brush, number, template.kind, template.org);
    }
    Some(brush.done())
}

pub(super) fn svg(template: &Template) -> String {
    let [dark, main, light, _] = CardColors::of(template.color).hex();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\" width=\"600\" height=\"600\">\
         <title>{}</title><rect width=\"100\" height=\"100\" fill=\"{dark}\"/>\
         <circle cx=\"50\" cy=\"46\" r=\"32\" fill=\"{main}\" stroke=\"{light}\" stroke-width=\"3\"/>\
         <path d=\"M50 24l7 14 15 2-11 11 3 15-14-7-14 7 3-15-11-11 15-2z\" fill=\"{light}\"/></svg>",
        template.title
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::demo::catalogue::templates;

    #[test]
    fn every_template_has_its_own_picture_on_both_sides() {
        let mut seen = std::collections::HashSet::new();
        for (at, template) in templates().iter().enumerate() {
            for front in [true, false] {
                let picture = draw(at + 1, template, front, 40).unwrap();
                let colours: std::collections::HashSet<_> =
                    picture.pixels().iter().map(|p| (p.red(), p.green(), p.blue())).collect();
                assert!(colours.len() > 40, "{} {front}", template.title);
                // Some templates share type, category, level and colour; their backs must differ.
                if !front {
                    assert!(seen.insert(picture.data().to_vec()), "{}", template.title);
                }
            }
        }
    }

    /// Writes all pictures into a directory: `LAPEL_PICTURES=DIRECTORY cargo test pictures`.
    #[test]
    fn pictures_can_be_looked_at() {
        let Ok(into) = std::env::var("LAPEL_PICTURES") else { return };
        std::fs::create_dir_all(&into).unwrap();
        for (at, template) in templates().iter().enumerate() {
            for (front, side) in [(true, "front"), (false, "back")] {
                let png = draw(at + 1, template, front, 300).unwrap().encode_png().unwrap();
                std::fs::write(format!("{into}/{:02}-{side}.png", at + 1), png).unwrap();
            }
        }
    }
}

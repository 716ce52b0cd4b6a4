//! Drawing on a square of 100 units, independent of its size in pixels.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap,
    Point, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

/// The colours of a card: dark, main, light, and the metal of its rims.
#[derive(Debug, Clone, Copy)]
pub(super) struct CardColors {
    pub dark: u32,
    pub main: u32,
    pub light: u32,
    pub metal: u32,
}

impl CardColors {
    pub fn of(code: &str) -> Self {
        let (dark, main, light, metal) = match code {
            "BLUE" => (0x0b_1f45, 0x25_63c4, 0xcf_e3ff, 0xe2_b65a),
            "GREEN" => (0x0c_2f25, 0x2a_9466, 0xd3_f5e2, 0xe6_c25f),
            "PURPLE" => (0x24_1145, 0x7a_45c9, 0xe9_dcff, 0xf0_c978),
            "ORANGE" => (0x43_1a07, 0xdd_6b20, 0xff_e5cc, 0xf4_d793),
            "GRAY" => (0x1c_2229, 0x5d_6b7a, 0xe6_ebf0, 0xc7_cfd8),
            "TEAL_2" => (0x06_3238, 0x16_8f9c, 0xcf_f5f6, 0xee_cf85),
            "GOLD_FOIL" => (0x3a_2806, 0xb8_8a1e, 0xff_f2c4, 0xff_e08a),
            _ => (0x22_2222, 0x77_7777, 0xee_eeee, 0xcc_cccc),
        };
        Self { dark, main, light, metal }
    }

    pub fn hex(self) -> [String; 4] {
        [self.dark, self.main, self.light, self.metal].map(|colour| format!("#{colour:06x}"))
    }
}

pub(super) fn colour(rgb: u32, opacity: f32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let mut colour = Color::from_rgba8(red, green, blue, 255);
    colour.set_alpha(opacity.clamp(0.0, 1.0));
    colour
}

pub(super) fn mixed(one: u32, other: u32, share: f32) -> u32 {
    let (one, other) = (one.to_be_bytes(), other.to_be_bytes());
    let part = |at: usize| {
        let (a, b) = (f32::from(one[at]), f32::from(other[at]));
        (a + (b - a) * share).round() as u8
    };
    u32::from_be_bytes([0, part(1), part(2), part(3)])
}

pub(super) struct Brush {
    pixels: Pixmap,
    scale: Transform,
    pub palette: CardColors,
}

impl Brush {
    pub fn new(side: u32, palette: CardColors) -> Option<Self> {
        let scale = side as f32 / 100.0;
        Some(Self { pixels: Pixmap::new(side, side)?, scale: Transform::from_scale(scale, scale), palette })
    }

    pub fn done(self) -> Pixmap {
        self.pixels
    }

    fn paint(shader: Shader<'_>) -> Paint<'_> {
        Paint { shader, anti_alias: true, ..Paint::default() }
    }

    pub fn fill(&mut self, path: Option<Path>, rgb: u32, opacity: f32) {
        self.shade(path, Shader::SolidColor(colour(rgb, opacity)));
    }

    /// Fills with a gradient from top left to bottom right.
    pub fn slope(&mut self, path: Option<Path>, from: u32, to: u32) {
        let stops = vec![GradientStop::new(0.0, colour(from, 1.0)), GradientStop::new(1.0, colour(to, 1.0))];
        let (start, end) = (Point::from_xy(15.0, 10.0), Point::from_xy(85.0, 90.0));
        let shader = LinearGradient::new(start, end, stops, SpreadMode::Pad, Transform::identity());
        self.shade(path, shader.unwrap_or(Shader::SolidColor(colour(from, 1.0))));
    }

    /// Fills with a gradient from a centre outwards.
    pub fn glow(&mut self, path: Option<Path>, (x, y): (f32, f32), radius: f32, from: u32, to: u32) {
        let stops = vec![GradientStop::new(0.0, colour(from, 1.0)), GradientStop::new(1.0, colour(to, 1.0))];
        let middle = Point::from_xy(x, y);
        let shader =
            RadialGradient::new(middle, middle, radius, stops, SpreadMode::Pad, Transform::identity());
        self.shade(path, shader.unwrap_or(Shader::SolidColor(colour(from, 1.0))));
    }

    fn shade(&mut self, path: Option<Path>, shader: Shader<'_>) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &Self::paint(shader), FillRule::Winding, self.scale, None);
        }
    }

    pub fn line(&mut self, path: Option<Path>, width: f32, rgb: u32, opacity: f32) {
        let stroke =
            Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        if let Some(path) = path {
            let paint = Self::paint(Shader::SolidColor(colour(rgb, opacity)));
            self.pixels.stroke_path(&path, &paint, &stroke, self.scale, None);
        }
    }
}

pub(super) fn circle(x: f32, y: f32, radius: f32) -> Option<Path> {
    PathBuilder::from_circle(x, y, radius)
}

pub(super) fn shape(points: &[(f32, f32)]) -> Option<Path> {
    let mut builder = through(points);
    builder.close();
    builder.finish()
}

pub(super) fn trace(points: &[(f32, f32)]) -> Option<Path> {
    through(points).finish()
}

fn through(points: &[(f32, f32)]) -> PathBuilder {
    let mut builder = PathBuilder::new();
    for (at, (x, y)) in points.iter().enumerate() {
        if at == 0 { builder.move_to(*x, *y) } else { builder.line_to(*x, *y) }
    }
    builder
}

/// Turns count clockwise from the top.
pub(super) fn around((x, y): (f32, f32), radius: f32, turn: f32) -> (f32, f32) {
    let angle = (turn - 0.25) * std::f32::consts::TAU;
    (x + radius * angle.cos(), y + radius * angle.sin())
}

/// A polygon when both radii are equal.
pub(super) fn star(middle: (f32, f32), points: usize, outer: f32, inner: f32) -> Option<Path> {
    let corners: Vec<_> = (0..points * 2)
        .map(|at| around(middle, if at % 2 == 0 { outer } else { inner }, at as f32 / (points * 2) as f32))
        .collect();
    shape(&corners)
}

pub(super) fn rounded(x: f32, y: f32, width: f32, height: f32, radius: f32) -> Option<Path> {
    let (right, bottom, r) = (x + width, y + height, radius);
    let mut builder = PathBuilder::new();
    builder.move_to(x + r, y);
    builder.line_to(right - r, y);
    builder.quad_to(right, y, right, y + r);
    builder.line_to(right, bottom - r);
    builder.quad_to(right, bottom, right - r, bottom);
    builder.line_to(x + r, bottom);
    builder.quad_to(x, bottom, x, bottom - r);
    builder.line_to(x, y + r);
    builder.quad_to(x, y, x + r, y);
    builder.close();
    builder.finish()
}

//! The front of a badge: a medal whose outline shows the type, its sign the category, its pips the level.

use tiny_skia::{Path, PathBuilder};

use super::brush::{Brush, around, circle, mixed, rounded, shape, star, trace};

const MIDDLE: (f32, f32) = (50.0, 44.0);

/// Draws the medal. `level` of `levels` pips are lit.
pub(super) fn draw(brush: &mut Brush, kind: usize, category: usize, (level, levels): (usize, usize)) {
    let palette = brush.palette;
    let ground = mixed(palette.dark, palette.main, 0.28);
    brush.glow(rounded(0.0, 0.0, 100.0, 100.0, 9.0), (50.0, 40.0), 74.0, ground, palette.dark);
    rays(brush);
    ribbon(brush);
    for (grow, rgb) in [(1.5, mixed(palette.dark, 0, 0.45)), (0.0, palette.metal)] {
        let outline = outline(kind, 31.5 + grow);
        if grow > 0.0 {
            brush.fill(outline, rgb, 0.8);
        } else {
            brush.slope(outline, mixed(rgb, 0xff_ffff, 0.55), mixed(rgb, palette.dark, 0.45));
        }
    }
    let face = outline(kind, 28.2);
    let bright = mixed(palette.main, palette.light, 0.22);
    brush.glow(face, (43.0, 32.0), 42.0, bright, mixed(palette.main, palette.dark, 0.45));
    brush.line(outline(kind, 26.0), 0.5, palette.light, 0.65);
    brush.line(circle(MIDDLE.0, MIDDLE.1, 17.2), 0.6, palette.metal, 0.9);
    for bead in 0..36 {
        let (x, y) = around(MIDDLE, 19.3, bead as f32 / 36.0);
        brush.fill(circle(x, y, 0.42), palette.light, 0.75);
    }
    sign(brush, category);
    shine(brush);
    pips(brush, level, levels);
}

fn rays(brush: &mut Brush) {
    let light = brush.palette.light;
    for ray in 0..24 {
        let turn = ray as f32 / 24.0;
        let wedge = [MIDDLE, around(MIDDLE, 75.0, turn - 0.006), around(MIDDLE, 75.0, turn + 0.006)];
        brush.fill(shape(&wedge), light, 0.07);
    }
}

fn outline(kind: usize, size: f32) -> Option<Path> {
    match kind {
        // COMPLETE: a round medal.
        0 => circle(MIDDLE.0, MIDDLE.1, size),
        // COMPETENCY: a hexagon.
        1 => {
            let corners: Vec<_> = (0..6).map(|at| around(MIDDLE, size * 1.08, at as f32 / 6.0)).collect();
            shape(&corners)
        }
        // ACHIEVE: a rosette with points.
        2 => star(MIDDLE, 16, size * 1.1, size * 0.95),
        // PARTICIPATE: a scalloped flower.
        3 => scallop(size),
        // CERTIFICATE: a shield.
        _ => shield(size),
    }
}

fn scallop(size: f32) -> Option<Path> {
    let petals = 12;
    let mut builder = PathBuilder::new();
    let (x, y) = around(MIDDLE, size * 0.96, 0.0);
    builder.move_to(x, y);
    for petal in 0..petals {
        let (near, end) = ((petal as f32 + 0.5) / petals as f32, (petal as f32 + 1.0) / petals as f32);
        let (cx, cy) = around(MIDDLE, size * 1.16, near);
        let (x, y) = around(MIDDLE, size * 0.96, end);
        builder.quad_to(cx, cy, x, y);
    }
    builder.close();
    builder.finish()
}

fn shield(size: f32) -> Option<Path> {
    let (x, y) = MIDDLE;
    let (wide, top, low) = (size * 0.95, y - size * 0.95, y + size * 1.14);
    let mut builder = PathBuilder::new();
    builder.move_to(x, top - size * 0.07);
    builder.quad_to(x + wide * 0.5, top + size * 0.12, x + wide, top + size * 0.06);
    builder.cubic_to(x + wide, y + size * 0.35, x + wide * 0.72, y + size * 0.82, x, low);
    builder.cubic_to(
        x - wide * 0.72,
        y + size * 0.82,
        x - wide,
        y + size * 0.35,
        x - wide,
        top + size * 0.06,
    );
    builder.quad_to(x - wide * 0.5, top + size * 0.12, x, top - size * 0.07);
    builder.close();
    builder.finish()
}

fn ribbon(brush: &mut Brush) {
    let palette = brush.palette;
    for side in [-1.0, 1.0] {
        let at = |dx: f32, y: f32| (50.0 + side * dx, y);
        let tail = [at(4.0, 66.0), at(20.0, 62.0), at(28.0, 90.0), at(20.5, 87.0), at(15.0, 93.5)];
        brush.slope(
            shape(&tail),
            mixed(palette.main, palette.light, 0.15),
            mixed(palette.main, palette.dark, 0.5),
        );
        brush.line(trace(&[at(15.5, 66.0), at(22.0, 86.5)]), 0.7, palette.metal, 0.9);
    }
}

fn sign(brush: &mut Brush, category: usize) {
    let (x, y) = MIDDLE;
    let (light, metal, dark) = (brush.palette.light, brush.palette.metal, brush.palette.dark);
    match category {
        // Digital: a screen.
        0 => {
            brush.line(rounded(x - 10.0, y - 9.0, 20.0, 13.0, 2.0), 1.8, light, 1.0);
            brush.line(trace(&[(x - 6.0, y + 8.5), (x + 6.0, y + 8.5)]), 1.8, light, 1.0);
            brush.line(trace(&[(x - 5.0, y - 1.0), (x - 1.5, y + 1.5), (x + 5.0, y - 5.0)]), 1.6, metal, 1.0);
        }
        // Data: rising bars with a curve.
        1 => {
            for (bar, height) in [5.0, 9.0, 7.0, 14.0].into_iter().enumerate() {
                let left = x - 9.5 + bar as f32 * 5.0;
                brush.fill(rounded(left, y + 8.0 - height, 3.6, height, 0.8), light, 0.95);
            }
            let curve = [(x - 8.0, y - 2.0), (x - 3.0, y - 6.0), (x + 2.0, y - 4.0), (x + 8.0, y - 11.0)];
            brush.line(trace(&curve), 1.3, metal, 1.0);
        }
        // Cloud.
        2 => {
            for (dx, dy, radius) in [(-5.5, 2.0, 5.0), (0.0, -2.5, 6.5), (6.0, 1.8, 5.2)] {
                brush.fill(circle(x + dx, y + dy, radius), light, 1.0);
            }
            brush.fill(rounded(x - 7.0, y + 1.0, 14.0, 6.0, 2.0), light, 1.0);
            brush.line(trace(&[(x, y + 5.0), (x, y - 2.5)]), 1.4, dark, 0.8);
            brush.line(trace(&[(x - 2.6, y + 0.2), (x, y - 2.6), (x + 2.6, y + 0.2)]), 1.4, dark, 0.8);
        }
        // Languages: two speech bubbles.
        3 => {
            brush.fill(rounded(x - 11.0, y - 9.0, 14.0, 10.0, 3.0), light, 1.0);
            brush.fill(shape(&[(x - 8.0, y), (x - 3.0, y), (x - 8.5, y + 5.0)]), light, 1.0);
            brush.fill(rounded(x - 2.0, y - 2.0, 13.0, 9.0, 3.0), metal, 1.0);
            brush.fill(shape(&[(x + 4.0, y + 6.0), (x + 8.5, y + 6.0), (x + 9.0, y + 11.0)]), metal, 1.0);
        }
        // Safety: a cross in a shield of its own.
        4 => {
            brush.fill(rounded(x - 3.2, y - 10.0, 6.4, 20.0, 1.4), light, 1.0);
            brush.fill(rounded(x - 10.0, y - 3.2, 20.0, 6.4, 1.4), light, 1.0);
            brush.line(circle(x, y, 13.6), 1.1, metal, 0.9);
        }
        // Career: a path uphill to a flag.
        5 => {
            let path = [(x - 10.0, y + 9.0), (x - 3.0, y + 4.0), (x - 5.0, y), (x + 4.0, y - 4.0)];
            brush.line(trace(&path), 2.0, light, 1.0);
            brush.line(trace(&[(x + 4.0, y + 8.0), (x + 4.0, y - 11.0)]), 1.5, light, 1.0);
            let flag = [(x + 4.6, y - 11.0), (x + 12.0, y - 8.0), (x + 4.6, y - 5.0)];
            brush.fill(shape(&flag), metal, 1.0);
        }
        // Leading: a star.
        6 => {
            brush.fill(star((x, y), 5, 13.0, 5.4), light, 1.0);
            brush.fill(star((x, y), 5, 6.5, 2.7), metal, 1.0);
        }
        // Teaching: an open book.
        7 => {
            for side in [-1.0, 1.0] {
                let page =
                    [(x, y - 6.0), (x + side * 11.0, y - 9.0), (x + side * 11.0, y + 6.0), (x, y + 9.0)];
                brush.fill(shape(&page), light, if side < 0.0 { 1.0 } else { 0.82 });
                for line in 0..3 {
                    let top = y - 4.0 + line as f32 * 3.6;
                    let text = [(x + side * 2.2, top), (x + side * 9.0, top - 1.9)];
                    brush.line(trace(&text), 0.7, dark, 0.5);
                }
            }
        }
        // Out of use: a disk.
        _ => {
            brush.fill(rounded(x - 10.0, y - 10.0, 20.0, 20.0, 2.0), light, 0.95);
            brush.fill(rounded(x - 6.0, y - 10.0, 12.0, 7.5, 0.8), dark, 0.6);
            brush.fill(rounded(x - 7.0, y + 0.5, 14.0, 9.5, 0.8), metal, 1.0);
        }
    }
}

fn shine(brush: &mut Brush) {
    let mut builder = PathBuilder::new();
    builder.move_to(27.0, 38.0);
    builder.cubic_to(30.0, 26.0, 40.0, 20.0, 52.0, 20.5);
    builder.cubic_to(42.0, 24.0, 33.0, 30.0, 27.0, 38.0);
    builder.close();
    brush.fill(builder.finish(), 0xff_ffff, 0.22);
}

fn pips(brush: &mut Brush, level: usize, levels: usize) {
    let palette = brush.palette;
    for pip in 0..levels {
        let x = 50.0 + (pip as f32 - (levels as f32 - 1.0) / 2.0) * 7.0;
        brush.fill(star((x, 84.0), 4, 3.9, 2.0), palette.dark, 0.9);
        if pip < level {
            brush.fill(star((x, 84.0), 4, 3.2, 1.6), palette.metal, 1.0);
        } else {
            brush.line(star((x, 84.0), 4, 3.0, 1.5), 0.5, palette.light, 0.6);
        }
    }
}

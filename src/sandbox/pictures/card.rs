//! The back of a badge: a card with a woven pattern, like banknotes and certificates.

use tiny_skia::PathBuilder;

use super::brush::{Brush, around, circle, mixed, rounded, star, trace};

pub(super) fn draw(brush: &mut Brush, number: usize, kind: usize, org: usize) {
    let palette = brush.palette;
    let card = rounded(0.0, 0.0, 100.0, 100.0, 9.0);
    brush.slope(card, mixed(palette.light, palette.main, 0.12), mixed(palette.light, palette.main, 0.45));
    weave(brush, number);
    rosette(brush, number, kind);
    for (inset, width) in [(3.6, 0.9), (5.6, 0.3)] {
        let edge = rounded(inset, inset, 100.0 - 2.0 * inset, 100.0 - 2.0 * inset, 7.0);
        brush.line(edge, width, mixed(palette.main, palette.dark, 0.4), 0.9);
    }
    for (x, y) in [(10.0, 10.0), (90.0, 10.0), (10.0, 90.0), (90.0, 90.0)] {
        brush.fill(star((x, y), 8, 3.0, 1.5), palette.main, 0.9);
    }
    plate(brush, number, org);
}

fn weave(brush: &mut Brush, number: usize) {
    let palette = brush.palette;
    let (swing, beat) = (2.0 + (number % 5) as f32 * 0.7, 7.0 + (number % 7) as f32);
    for wave in 0..26 {
        let base = wave as f32 * 4.0;
        for (phase, opacity) in [(0.0, 0.20), (0.5, 0.13)] {
            let points: Vec<(f32, f32)> = (0..=100)
                .map(|at| {
                    let x = at as f32;
                    let turn =
                        (x / beat + phase + wave as f32 * 0.11 + number as f32 * 0.37) * std::f32::consts::PI;
                    (x, base + swing * turn.sin())
                })
                .collect();
            brush.line(trace(&points), 0.28, palette.main, opacity);
        }
    }
}

fn rosette(brush: &mut Brush, number: usize, kind: usize) {
    let palette = brush.palette;
    let middle = (50.0, 42.0);
    brush.glow(
        circle(50.0, 42.0, 27.0),
        middle,
        27.0,
        palette.light,
        mixed(palette.light, palette.main, 0.35),
    );
    let petals = 5 + number % 9;
    for ring in 0..5 {
        let (size, depth) = (25.0 - ring as f32 * 3.6, 2.6 + kind as f32 * 0.5);
        let mut builder = PathBuilder::new();
        for step in 0..=240 {
            let turn = step as f32 / 240.0;
            let wave = ((turn * petals as f32 + ring as f32 * 0.5) * std::f32::consts::TAU).sin();
            let (x, y) = around(middle, size + depth * wave, turn);
            if step == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        let ink = mixed(palette.main, palette.dark, ring as f32 * 0.14);
        brush.line(builder.finish(), 0.45, ink, 0.85);
    }
    brush.fill(star(middle, petals, 7.5, 4.6), palette.metal, 1.0);
    brush.line(star(middle, petals, 7.5, 4.6), 0.5, mixed(palette.metal, palette.dark, 0.6), 0.9);
    brush.fill(circle(middle.0, middle.1, 2.6), palette.dark, 0.85);
}

/// The row of marks encodes the template's number.
fn plate(brush: &mut Brush, number: usize, org: usize) {
    let palette = brush.palette;
    brush.fill(rounded(14.0, 74.0, 72.0, 15.0, 2.5), 0xff_ffff, 0.72);
    let ink = mixed(palette.dark, palette.main, 0.2);
    for (line, width) in [(0.0, 34.0 - org as f32 * 4.0), (1.0, 24.0 + org as f32 * 5.0)] {
        let y = 78.6 + line * 4.4;
        brush.line(trace(&[(18.0, y), (18.0 + width, y)]), 1.1, ink, 0.55);
    }
    for bit in 0..6 {
        let x = 61.0 + bit as f32 * 4.0;
        let tall = if number >> bit & 1 == 1 { 8.5 } else { 4.0 };
        brush.fill(rounded(x, 86.0 - tall, 2.2, tall, 0.5), ink, 0.9);
    }
}

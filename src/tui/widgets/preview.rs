//! The preview of the selected row beside a list.

use crate::tui::prelude::*;

/// Minimum width of a screen with a preview, in columns.
pub const FROM: u16 = 110;
/// Minimum and maximum width of the preview with its edge, in columns.
const WIDTH: (u16, u16) = (40, 100);
/// Width of a list that the preview does not take columns from, where it would otherwise have fewer of them than on a
/// screen without a preview. The preview is narrower instead, but not below its least width.
const LIST: u16 = 78;
const LEAST: u16 = 32;

pub fn no_room() -> &'static str {
    t!("The preview needs a wider window. Open the row instead.")
}

/// Splits an area into a list and its preview. The list gets the columns that its content needs, `wanted`, as long as
/// the preview keeps its minimum; the preview gets the rest. There is no preview on a narrow screen.
pub fn split(area: Rect, wanted: Option<usize>) -> (Rect, Option<Rect>) {
    if area.width < FROM {
        return (area, None);
    }
    let wanted = wanted.map_or(area.width * 3 / 5, |wanted| u16::try_from(wanted).unwrap_or(u16::MAX));
    let least = area.width.saturating_sub(LIST).clamp(LEAST, WIDTH.0);
    let wide = area.width.saturating_sub(wanted).clamp(least, WIDTH.1);
    let list = Rect { width: area.width - wide, ..area };
    (list, Some(Rect { x: list.right(), width: wide, ..area }))
}

/// The area of the text, without the edge and the margins.
pub fn inside(preview: Rect) -> Rect {
    Rect { x: preview.x + 2, width: preview.width.saturating_sub(3), ..preview }
}

pub fn draw_edge(frame: &mut Frame<'_>, preview: Rect, cx: &UiContext) {
    let edge = Rect { width: preview.width.min(1), ..preview }.intersection(frame.area());
    let style = cx.theme.dim();
    for at in edge.positions() {
        frame.buffer_mut()[at].set_symbol(cx.glyphs.bar).set_style(style);
    }
}

/// Draws a rule in the first row of an area, with a margin of one cell.
pub fn draw_rule(frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
    let row = Rect { height: area.height.min(1), ..area }.intersection(frame.area());
    let buffer = frame.buffer_mut();
    buffer.set_style(row, cx.theme.dim());
    for at in row.positions().skip(1).take(usize::from(area.width).saturating_sub(2)) {
        buffer[at].set_symbol(cx.glyphs.rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn list_and_preview_share_the_screen(width in 1u16..400, wanted in prop::option::of(0usize..600)) {
            let area = Rect { x: 0, y: 3, width, height: 20 };
            let (list, preview) = split(area, wanted);
            prop_assert_eq!(preview.is_some(), width >= FROM);
            let preview = preview.unwrap_or(Rect { x: list.right(), width: 0, ..area });
            prop_assert_eq!((list.width + preview.width, preview.x), (width, list.right()));
            prop_assert!(preview.width == 0 || preview.width >= LEAST);
            prop_assert_eq!(inside(preview).intersection(area).height, area.height);
        }
    }

    #[test]
    fn a_list_has_no_fewer_columns_beside_a_preview_that_has_just_appeared() {
        let widths = |width, wanted| {
            let (list, pane) = split(Rect { width, height: 20, ..Rect::default() }, Some(wanted));
            (list.width, pane.map(|pane| pane.width))
        };
        assert_eq!(widths(109, 78), (109, None));
        for width in 110..=118 {
            assert_eq!(widths(width, 78), (78, Some(width - 78)));
        }
        assert_eq!(widths(110, 90), (78, Some(32)));
        assert_eq!(widths(120, 90), (80, Some(40)), "where there is room, the preview has its own minimum");
        assert_eq!(widths(110, 60), (60, Some(50)));
    }
}

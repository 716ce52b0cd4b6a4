//! Layout of pictures on a screen: beside the text, above it, or in place of it.
//! A picture replaces the text only when the user asks for it.

use crate::tui::prelude::*;

/// Minimum screen width, in columns, for a picture beside the text.
const BESIDE: u16 = 100;
/// Minimum and maximum width of the pane, in columns.
const PANE: (u16, u16) = (30, 56);
/// Minimum height of a picture, in rows. A smaller one shows nothing.
const FEWEST_ROWS: u16 = 6;
/// The same for a picture below a text, which comes first.
const FEWEST_BELOW: u16 = 4;
/// Maximum height of a picture above or below a text, in rows.
const MOST_ROWS: u16 = 16;

pub fn has_room_beside(area: Rect) -> bool {
    area.width >= BESIDE
}

pub fn beside(area: Rect) -> (Rect, Rect) {
    let wide = (area.width * 3 / 10).clamp(PANE.0, PANE.1).min(area.width);
    let text = Rect { width: area.width - wide, ..area };
    (text, Rect { x: text.right(), width: wide, ..area })
}

/// The area for a picture in a pane that has a caption at the top.
pub fn in_pane(pane: Rect) -> Rect {
    Rect {
        x: pane.x + 2,
        y: pane.y + 2,
        width: pane.width.saturating_sub(3),
        height: pane.height.saturating_sub(2),
    }
}

/// Splits an area into a picture and the text below it. There is no picture if it would have fewer than `FEWEST_ROWS`
/// rows.
pub fn above(area: Rect) -> (Option<Rect>, Rect) {
    let rows = (area.height * 2 / 5).min(MOST_ROWS);
    if rows < FEWEST_ROWS {
        return (None, area);
    }
    let text = Rect { y: area.y + rows + 1, height: area.height.saturating_sub(rows + 1), ..area };
    (Some(Rect { height: rows, ..area }), text)
}

/// Splits an area into `lines` lines of text and a picture below them. There is no picture if it would have fewer than
/// `FEWEST_BELOW` rows.
pub fn below(area: Rect, lines: usize) -> (Rect, Option<Rect>) {
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    if lines > area.height.saturating_sub(FEWEST_BELOW + 1) {
        return (area, None);
    }
    let (y, rows) = (area.y + lines + 1, area.height - (lines + 1));
    (Rect { height: lines, ..area }, Some(Rect { y, height: rows.min(MOST_ROWS), ..area }))
}

pub fn draw(want: Option<PictureRequest>, frame: &mut Frame<'_>, cx: &UiContext) {
    if let Some(want) = want.filter(|_| cx.pictures.is_on()) {
        cx.pictures.draw(frame, &want, cx.theme.dim());
    }
}

/// Draws a side of a badge, and its caption: which side it is, the key that turns it, and the title.
pub fn draw_side(
    want: PictureRequest,
    (is_back, key, title): (bool, Option<String>, Option<&Text>),
    frame: &mut Frame<'_>,
    pane: Rect,
    cx: &UiContext,
) {
    let side = if is_back { t!("Back") } else { t!("Front") };
    let key = key.map(|key| t!("{key} other side", key));
    let caption = std::iter::once(side.to_lowercase()).chain(key).chain(title.map(ToString::to_string));
    draw_caption(frame, pane, &cx.dotted(&caption.collect::<Vec<_>>()), cx);
    draw(Some(want), frame, cx);
}

pub fn draw_caption(frame: &mut Frame<'_>, pane: Rect, caption: &str, cx: &UiContext) {
    let at = Rect { x: pane.x + 2, width: pane.width.saturating_sub(3), height: 1, ..pane };
    frame.render_widget(Line::styled(caption.to_owned(), cx.theme.dim()), at);
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    #[test]
    fn a_picture_stays_within_its_area_and_uses_all_of_it() {
        for width in 60..=300 {
            for height in 12..=100 {
                let area = Rect { x: 0, y: 2, width, height };
                let (text, pane) = beside(area);
                assert_eq!(text.width + pane.width, area.width);
                for place in [in_pane(pane), in_pane(area)] {
                    assert_eq!((place, place.bottom()), (place.intersection(area), area.bottom()));
                }
                let (place, text) = above(area);
                assert_eq!(text, text.intersection(area));
                // With one line more there is no room for the smallest picture.
                let most = height - 1 - FEWEST_BELOW;
                for (lines, has_room) in
                    [(0, true), (5, most >= 5), (most, true), (most + 1, false), (200, false)]
                {
                    let (text, place) = below(area, usize::from(lines));
                    assert_eq!((text, place.is_some()), (text.intersection(area), has_room));
                    if let Some(place) = place {
                        assert_eq!(place, place.intersection(area));
                        assert!(
                            place.height >= FEWEST_BELOW && text.bottom() < place.y && text.height == lines
                        );
                    }
                }
                if let Some(place) = place {
                    assert!(place.bottom() < text.y && place.bottom() <= area.bottom());
                    assert!(text.height * 2 > place.height, "{text} {place}");
                }
            }
        }
    }
}

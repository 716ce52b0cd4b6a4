//! The places of the parts of the Wallet tab: the notes, the list, the answer about the selected badge and its picture.

use super::notes::sent_when;
use super::rows::REMARKS;
use super::wallet_list::WalletList;
use super::{Wallet, pane};
use crate::domain::call_advice::correction;
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::job_rows::sent_here;
use crate::tui::widgets::preview;
use crate::tui::widgets::scroll::Scroll;

/// Columns of the cursor before a row.
pub(super) const BEFORE: usize = 3;
/// Number of rows above the list: the input, a separator line, and the summary.
const HEAD: usize = 3;
/// Minimum number of rows that the list keeps if hiding general advice about the badge makes room for them.
const SOME: usize = 4;
/// Minimum number of rows that the list keeps in every case.
const FEW: usize = 2;
/// Minimum height of the selected badge's area, in rows. With less room it is not shown.
const LEAST: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Back,
}

impl Side {
    /// The picture of this side. Without a front of its own, a badge has that of its template.
    pub fn picture(self, held: &HeldBadge, area: Rect) -> PictureRequest {
        let [front, back] = held.image_urls().map(Option::<&Text>::cloned);
        let of = match (self, held.template_id()) {
            (Self::Back, _) => PictureOf::Address(back),
            (Self::Front, Some(id)) if front.is_none() => PictureOf::Template(id.clone()),
            (Self::Front, _) => PictureOf::Address(front),
        };
        PictureRequest { of, area: picture::in_pane(area) }
    }
}

/// The area of the selected badge: the answer, or a side of its picture. Or that of the selected possible match.
#[derive(Default)]
pub(super) struct AnswerPane {
    pub scroll: Scroll,
    /// The badge or the address that `scroll` is about.
    about: Option<String>,
    /// Whether the answer has no room for its general advice.
    pub lacks_advice: bool,
    /// Whether a picture of the badge is below the answer.
    pub shows_picture: bool,
    /// The side of the badge's picture that is shown in place of the answer.
    pub side: Option<Side>,
}

impl AnswerPane {
    /// Shows the next side of the badge's picture, and after the back the answer again. If the front is below the answer
    /// already, the back comes first.
    pub fn turn(&mut self) {
        self.side = match self.side {
            None if !self.shows_picture => Some(Side::Front),
            None | Some(Side::Front) => Some(Side::Back),
            Some(Side::Back) => None,
        };
    }
}

pub(super) struct Areas {
    pub notes: Rect,
    /// Empty if the headings are hidden.
    pub heads: Rect,
    pub list: Rect,
    pub pane: Option<Rect>,
}

impl Wallet {
    pub(super) fn lay_out_rows(&mut self, area: Rect, cx: &UiContext) {
        self.lookup.list.arrange(cx);
        self.lookup.list.fit_columns(cx);
        let room = usize::from(self.areas(area, cx).list.width).saturating_sub(BEFORE);
        self.lookup.list.heading.set_room(room);
        // The answer has what the columns cut, so it may need more rows now.
        let list = &self.lookup.list;
        list.cursor.lay(self.areas(area, cx).list, list.len());
        self.lay_out_pane(area, cx);
    }

    /// The answer about another badge begins at its first line.
    fn lay_out_pane(&mut self, area: Rect, cx: &UiContext) {
        let selected = self.lookup.list.selected();
        let about = selected.map(|held| held.badge_id.wire().to_owned());
        let about = about.or_else(|| Some(self.lookup.list.selected_match()?.address.wire().to_owned()));
        let (pane, picture) = selected.map(|held| self.text_and_picture(held, area, cx)).unwrap_or_default();
        let lacks_advice = selected.is_some_and(|held| {
            let (case, context) = (self.case(held, cx), self.answer_context(held, cx));
            let all = pane::lines(&case, &context, usize::from(pane.width), pane::ALL_ADVICE, cx).len();
            let has_advice = context.script.say.iter().any(|say| say == correction());
            has_advice && (1..all).contains(&usize::from(pane.height))
        });
        if self.pane.about != about {
            self.pane.scroll.reset();
            self.pane.about = about;
        }
        if selected.is_none() {
            self.pane.side = None;
        }
        self.pane.shows_picture = picture.is_some();
        self.pane.lacks_advice = lacks_advice;
    }

    pub(super) fn answer_lines(&self, held: &HeldBadge, pane: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let room = (usize::from(pane.width), usize::from(pane.height));
        pane::fitted(&self.case(held, cx), &self.answer_context(held, cx), room, cx)
    }

    /// The area of the answer, and below it the picture of the badge's template, or of the badge itself.
    pub(super) fn text_and_picture(
        &self,
        held: &HeldBadge,
        area: Rect,
        cx: &UiContext,
    ) -> (Rect, Option<PictureRequest>) {
        let pane = self.areas(area, cx).pane.unwrap_or_default();
        let of = match held.template_id() {
            Some(id) => Some(PictureOf::Template(id.clone())),
            // The card of a badge names its holder.
            None => {
                let badge = held.wallet.as_ref().filter(|_| !self.lookup.call.masked);
                badge.and_then(|badge| badge.front_image_url.clone()).map(|url| PictureOf::Address(Some(url)))
            }
        };
        let Some(of) = of.filter(|_| area.width >= preview::FROM && cx.pictures.is_on()) else {
            return (pane, None);
        };
        let (text, place) = picture::below(pane, self.answer_lines(held, pane, cx).len());
        (text, place.map(|area| PictureRequest { of, area }))
    }

    pub(super) fn areas(&self, area: Rect, cx: &UiContext) -> Areas {
        let listed = &self.lookup.list;
        let room = usize::from(area.width).saturating_sub(4);
        // A row that nobody sees must not be opened, so a few stay visible.
        let most = usize::from(area.height).saturating_sub(HEAD + listed.len().min(FEW));
        let (notes, rest) = split(below(area, HEAD), self.notes(room, cx).len().min(most));
        let (heads, rest) = split(rest, usize::from(listed.has_headings()));
        if listed.selected_match().is_some() {
            let (list, pane) = preview::split(rest, None);
            return Areas { notes, heads, list, pane: pane.map(preview::inside) };
        }
        let Some(held) = listed.selected() else {
            return Areas { notes, heads, list: rest, pane: None };
        };
        if area.width >= preview::FROM {
            let wanted =
                listed.heading.wanted(area.width).and_then(|cells| u16::try_from(cells + BEFORE).ok());
            let left = wanted.unwrap_or(u16::MAX).min(area.width * 11 / 20);
            let list = Rect { width: left, ..rest };
            let pane = Rect { x: area.x + left + 2, width: area.width - left - 4, ..rest };
            return Areas { notes, heads: Rect { width: left, ..heads }, list, pane: Some(pane) };
        }
        // The list keeps at least a few rows, and takes the rows that the badge does not need. The timeline takes none.
        // Advice about the call may reduce the list further. General advice may not.
        let (case, context) = (self.case(held, cx), self.answer_context(held, cx));
        let height = usize::from(rest.height);
        let left = |less| height.saturating_sub(pane::lines(&case, &context, room, less, cx).len() + 1);
        let rows = left(pane::ALL_ADVICE)
            .max(left(pane::ALL_ADVICE + 1).min(SOME))
            .max(FEW)
            .min(listed.len())
            .min(height);
        if height - rows <= LEAST {
            return Areas { notes, heads, list: rest, pane: None };
        }
        let (list, rest) = split(rest, rows);
        let pane = Rect { x: rest.x + 2, width: rest.width.saturating_sub(4), ..below(rest, 1) };
        Areas { notes, heads, list, pane: Some(pane) }
    }

    fn answer_context(&self, held: &HeldBadge, cx: &UiContext) -> pane::AnswerContext<'_> {
        let (verdict, known) = (held.verdict(cx.now()), held.detail.is_some());
        let reading = self.lookup.pending.is_reading(&held.badge_id);
        pane::AnswerContext {
            script: self.script(held, cx),
            pictures: self.lookup.call.records.pictures.get(&held.badge_id).map(|tried| &tried.said),
            reason_missing: pane::reason_missing(&verdict, known, reading, cx),
            copies: self.lookup.list.cut_copies(held, cx),
            sent: self.sent_words(held, cx),
        }
    }

    /// When and in which job lapel sent a badge that neither list has.
    fn sent_words(&self, held: &HeldBadge, cx: &UiContext) -> Option<String> {
        held.sent.as_ref()?;
        let mut sent = self.lookup.list.found.as_ref()?.sent_row(&held.badge_id)?.clone();
        if held.unread || !held.is_only_sent() {
            return Some(sent_when(&sent, cx));
        }
        // The status of the last check may be older than the wait.
        if self.case(held, cx).verdict().is_overdue() {
            sent.row_status = RowStatus::Overdue;
        }
        Some(sent_here(&sent, cx))
    }
}

/// The first rows of an area, and the rest.
fn split(area: Rect, rows: usize) -> (Rect, Rect) {
    let rest = below(area, rows);
    (Rect { height: area.height - rest.height, ..area }, rest)
}

impl WalletList {
    /// The words about copies, if the list cuts them.
    fn cut_copies(&self, held: &HeldBadge, cx: &UiContext) -> Option<String> {
        let copies = self.found.as_ref()?.copies().words.get(&held.badge_id)?;
        let remarks = self.as_rows(cx)?.remarks(held);
        (remarks.contains(copies.as_str()) && self.heading.cuts(REMARKS, width(&remarks)))
            .then(|| copies.clone())
    }
}

//! The line above the list: whose badges these are, how many there are and of which list, and what that cost.

use super::Wallet;
use super::holder_cache::WalletTotals;
use super::lookup::Lookup;
use super::people::PeopleMatches;
use super::state::HolderBadges;
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::preview;
use crate::tui::widgets::text_layout::line_width;

/// Minimum width of the holder's name in the summary, in columns.
const NAME: usize = 15;

impl Lookup {
    /// Whose badges these are, and how many there are: of each the longest text first.
    pub(super) fn totals(&self, found: &HolderBadges, cx: &UiContext) -> (Vec<String>, Vec<String>) {
        let dot = cx.glyphs.dot;
        let &WalletTotals { only_history, is_unseen, ref names, .. } = found.whole();
        let email = short(&found.email);
        let badges = count!(found.held.len() as u64, "badge", "badges");
        let (who, shorter) = match names.as_slice() {
            [] => (email.to_string(), None),
            [one] => (one.to_string(), None),
            [first, rest @ ..] => (
                plural!(
                    rest.len() as u64,
                    "{first} and {n} other name",
                    "{first} and {n} other names",
                    first
                ),
                Some(format!("{first} +{}", rest.len())),
            ),
        };
        // While lapel reads on, the last of the pages may be asked for already.
        let is_longer = self.can_read_on() || self.pending.holder.is_some();
        let goes_on = self.can_read_on().then(|| {
            let key = cx.key(&[KeyContext::Wallet], Action::Elsewhere);
            format!(" {dot} {}", t!("{key} reads more", key))
        });
        let (who, mut said) = if let Some(at) = found.read_at.filter(|_| found.is_kept) {
            let who = if self.call.masked { t!("The record of one badge").to_owned() } else { who };
            let time = moment(at, cx);
            let said = match self.left_to_read() {
                Some((read, Some(total))) => partly_read(read, total, only_history, cx)
                    .into_iter()
                    .map(|badges| t!("{badges} as of {time}", badges, time))
                    .collect(),
                _ => {
                    let partly = t!("{badges} as of {time} (not all was read)", badges, time);
                    let said = t!("{badges} as of {time}", badges, time);
                    if self.call.masked || found.whole_as_of().is_some() {
                        vec![said]
                    } else if goes_on.is_some() {
                        // The key says that there is more.
                        vec![partly, said]
                    } else {
                        vec![partly]
                    }
                }
            };
            (who, with_key(said, goes_on, cx))
        } else if found.has_failed() {
            (who, Vec::new())
        } else if is_unseen && !found.journal.sent.is_empty() && found.email.is_empty() {
            (t!("The service does not show this badge yet.").to_owned(), Vec::new())
        } else if is_unseen && !found.journal.sent.is_empty() && found.both {
            (t!("No badge for {email} is visible yet.", email), Vec::new())
        } else if is_unseen && !found.held.is_empty() {
            let said = t!("{badges} sent by lapel (not everything could be read)", badges);
            (who, vec![format!(" {dot} {said}")])
        } else if found.held.is_empty() && found.both && found.complete {
            (t!("No badge for {email} in the wallet or the history.", email), Vec::new())
        } else if found.held.is_empty() {
            let said = t!("No badge found for {email}, but not everything could be read.", email);
            (said, goes_on.into_iter().collect())
        } else if self.call.masked {
            (t!("The record of one badge").to_owned(), Vec::new())
        } else if let Some((read, total)) =
            self.left_to_read().filter(|(_, total)| total.is_some() || is_longer)
        {
            let said = match total {
                Some(total) => partly_read(read, total, only_history, cx),
                None => vec![t!("{badges}, not read to the end", badges)],
            };
            (who, with_key(said, goes_on, cx))
        } else if !found.troubles.is_empty() {
            let said = match found.unread {
                [true, _] => t!("{badges} (the wallet was not read)", badges),
                [_, true] => t!("{badges} (the history was not read)", badges),
                [false, false] => t!("{badges} (the journal was not read)", badges),
            };
            (who, vec![format!(" {dot} {said}")])
        } else {
            (who, found.counts(dot))
        };
        let by = self.list.heading.words().filter(|_| self.list.is_listing());
        if let Some(by) = by {
            // If room is short, shorten the counts before the order. The heading's arrow shows the order, too.
            let ordered = said.iter().take(2).map(|said| format!("{said} {dot} {by}"));
            said = ordered.chain(said.iter().skip(usize::from(said.len() > 1)).cloned()).collect();
        }
        (std::iter::once(who).chain(shorter).collect(), said)
    }
}

impl HolderBadges {
    /// How many badges are in which list: the longest text first.
    fn counts(&self, dot: &str) -> Vec<String> {
        let &WalletTotals { in_wallet, only_history, .. } = self.whole();
        let besides = |n: u64, words: String| match n {
            0 => String::new(),
            _ => format!(" {dot} {words}"),
        };
        let more = besides(only_history, t!("{n} more in the history", n = number(only_history)));
        let neither = self.held.len() as u64 - in_wallet - only_history;
        let badges = count!(neither, "badge", "badges");
        let neither = besides(neither, t!("{badges} in neither list", badges));
        let partly = if self.complete { String::new() } else { format!(" {}", t!("(there may be more)")) };
        let badges = count!(in_wallet, "badge", "badges");
        let all = count!(self.held.len() as u64, "badge", "badges");
        let full = if in_wallet + only_history == 0 {
            // A badge that was found by its id, or that only the journal knows.
            format!("{neither}{partly}")
        } else if in_wallet == 0 {
            let badges = count!(only_history, "badge", "badges");
            let none = t!("{badges} in the history, none in the wallet", badges);
            format!(" {dot} {none}{neither}{partly}")
        } else {
            format!(" {dot} {}{more}{neither}{partly}", t!("{badges} in the wallet", badges))
        };
        vec![full, format!(" {dot} {all}{partly}"), partly]
    }
}

impl Wallet {
    /// Draws the summary, with the number of requests at its end as a sign of progress. The default columns have no
    /// headings that could say how many have no room, so this line does, if it has room.
    /// `said` has the longest text first. The first one that leaves room for the holder's name is used, and then the first
    /// of `who` that fits.
    pub(super) fn first_line(
        &self,
        (who, said): (&[String], &[String]),
        hidden: usize,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
    ) {
        let asked = self.requests(cx);
        let place =
            self.place().filter(|_| area.width >= preview::FROM || self.lookup.list.selected().is_none());
        let right: Vec<String> = place.into_iter().chain([asked]).filter(|part| !part.is_empty()).collect();
        let dot = format!(" {} ", cx.glyphs.dot);
        let mut right = right.join(&dot);
        let room = usize::from(area.width).saturating_sub(width(&right) + 6);
        let name = who.first().map_or(0, |who| width(who)).min(NAME);
        let said = said.iter().find(|said| name + width(said) <= room).or(said.last());
        let said = said.map_or("", String::as_str);
        let left = room.saturating_sub(width(said));
        let who = who.iter().find(|who| width(who) <= left).or(who.last()).map_or("", String::as_str);
        let short = fit(who, left, cx.glyphs.ellipsis);
        let text = fit(&format!("{}{said}", short.trim_end()), room, cx.glyphs.ellipsis);
        let text = text.trim_end();
        if hidden > 0 && !right.is_empty() {
            let words = plural!(hidden as u64, "+{n} column", "+{n} columns");
            let signs = [words, format!("+{hidden}")].map(|sign| format!("{sign}{dot}{right}"));
            let room = room + width(&right);
            right = signs.into_iter().find(|sign| width(text) + width(sign) <= room).unwrap_or(right);
        }
        let text = Line::styled(format!("  {text}"), cx.theme.strong());
        two_sided(frame, area, (text, Span::styled(right, cx.theme.dim())), true, cx);
    }

    /// Draws a message beside the number of requests. Returns the number of lines.
    pub(super) fn draw_message(
        &self,
        text: &str,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
    ) -> usize {
        let right = self.requests(cx);
        let lines: Vec<Line<'_>> = wrap(text, usize::from(area.width).saturating_sub(width(&right) + 6))
            .into_iter()
            .map(|line| Line::styled(format!("  {line}"), cx.theme.strong()))
            .collect();
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
        let wide = lines.iter().map(line_width).max().unwrap_or(0);
        let wide = u16::try_from(wide).unwrap_or(area.width).min(area.width);
        let first = Rect { height: 1.min(area.height), ..area };
        two_sided(frame, first, (Line::raw(""), Span::styled(right, cx.theme.dim())), true, cx);
        frame.render_widget(lines, Rect { width: wide, height: rows, ..area });
        usize::from(rows)
    }

    fn requests(&self, cx: &UiContext) -> String {
        if self.lookup.call.reading.is_stopped && self.lookup.waits_for().is_none() {
            return String::new();
        }
        let mut asked = count!(u64::from(self.lookup.call.requests), "request", "requests");
        // The picture reads the template once, as on every tab, and not for the caller.
        if self.pane.shows_picture {
            asked = t!("{requests} without the picture", requests = asked);
        }
        if self.lookup.waits_for().is_some() { format!("{} {asked}", cx.spinner()) } else { asked }
    }

    /// The title of possible matches, in as many lines as it needs beside the number of requests and the position. The lines
    /// after the first are notes.
    pub(super) fn title_lines(&self, people: &PeopleMatches, columns: usize, cx: &UiContext) -> Vec<String> {
        let last = number(self.lookup.list.len() as u64);
        let place = t!("row {at} of {entries}", at = last, entries = last);
        // It is left free also if the position is not shown: the lines decide how many rows the list has.
        let place = if self.lookup.list.len() == 0 { 0 } else { width(&place) + 3 };
        wrap(&people.title, columns.saturating_sub(width(&self.requests(cx)) + place + 6))
    }

    /// The position of the selected row, if the list is longer than its area.
    pub(super) fn place(&self) -> Option<String> {
        let entries = self.lookup.list.len();
        (entries > self.lookup.list.cursor.height()).then(|| {
            t!(
                "row {at} of {entries}",
                at = number(self.lookup.list.cursor.at() as u64 + 1),
                entries = number(entries as u64)
            )
        })
    }
}

/// How many of a wallet's badges were read, and how many others the history has. The longest text comes first.
fn partly_read(read: u64, total: u64, only_history: u64, cx: &UiContext) -> Vec<String> {
    let (read, total) = (number(read), number(total));
    let shortest = t!("wallet: {read}/{total}", read, total);
    if only_history == 0 {
        return vec![t!("{read} of {total} badges read", read, total), shortest];
    }
    let in_wallet = t!("wallet: {read} of {total} badges read", read, total);
    let more = t!("{n} more in the history", n = number(only_history));
    vec![format!("{in_wallet} {} {more}", cx.glyphs.dot), in_wallet, shortest]
}

/// Each text with the key that reads more: where the room is short, the text gives way. No other place names the key.
fn with_key(said: Vec<String>, goes_on: Option<String>, cx: &UiContext) -> Vec<String> {
    let goes_on = goes_on.unwrap_or_default();
    said.into_iter().map(|said| format!(" {} {said}{goes_on}", cx.glyphs.dot)).collect()
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    #[test]
    fn the_heading_names_what_was_not_read() {
        let cx = UiContext::for_test();
        for (unread, named) in [
            ([true, false], "(the wallet was not read)"),
            ([false, true], "(the history was not read)"),
            // Then the trouble is the journal's.
            ([false, false], "(the journal was not read)"),
        ] {
            let id = BadgeId::new("B-1").expect("an id");
            let row = HistoryItem::for_test(id);
            let found = HolderBadges {
                email: "kim@naru.example".to_owned(),
                held: vec![row.into()],
                troubles: vec!["not read".to_owned()],
                complete: true,
                unread,
                ..HolderBadges::default()
            };
            let (_, said) = Lookup::default().totals(&found, &cx);
            assert!(said.iter().all(|said| said.contains(named)) && !said.is_empty(), "{said:?}");
        }
    }
}

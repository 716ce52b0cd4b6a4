//! Possible matches: addresses that may be the caller's. They are masked until the user opens one.

use super::lookup::Lookup;
use super::requests::LookupStep;
use super::state::HolderBadges;
use crate::domain::address_search::{Match, MatchReason};
use crate::jobs::Disclosure;
use crate::tui::prelude::*;
use crate::tui::request::Remaining;
use crate::tui::widgets::columns::fitted;
use crate::tui::widgets::table_header::TO_MINUTE;
use crate::tui::widgets::text_layout::ColumnLayout;

#[derive(Default)]
pub(super) struct PeopleMatches {
    pub matches: Vec<Match>,
    pub title: String,
    pub notes: Vec<String>,
    /// The place of the match that is open, and what the screen showed before. `None` while the user selects from them.
    pub opened: Option<(usize, PreviousSearch)>,
    pub read_at: Option<Timestamp>,
    /// Why a later search failed.
    pub trouble: Option<String>,
}

/// The state of the screen before a match was opened.
#[derive(Default)]
pub(super) struct PreviousSearch {
    pub asked: Option<String>,
    pub found: Option<HolderBadges>,
    pub by_id: Option<BadgeId>,
}

impl PeopleMatches {
    /// The result of a search for a name: `read` rows were read, and `of` tells how many remain.
    pub fn with_name(
        name: &str,
        matches: Vec<Match>,
        (read, of): (u64, Remaining),
        trouble: Option<String>,
    ) -> Self {
        let exact = namesakes(&matches);
        let mut notes: Vec<String> = trouble.into_iter().collect();
        notes.push(
            t!("Different people can share a name. Ask the caller for the e-mail address or the course, then open the matching one.")
                .to_owned(),
        );
        let read = number(read);
        let read = match of {
            Remaining::Nothing => None,
            Remaining::Counted(of) => {
                Some(t!("Only the first {read} of {of} rows were read.", read, of = number(of)))
            }
            Remaining::Unknown => Some(t!("Only the first {read} rows were read. There may be more.", read)),
        };
        notes.extend(read.map(|read| {
            format!("{read} {}", t!("Ask for the full name, the e-mail address or a badge id."))
        }));
        let title = if exact == 0 && !matches.is_empty() {
            let many = count!(matches.len() as u64, "possible match", "possible matches");
            t!(
                "No badge has exactly the name \u{201c}{name}\u{201d}; {matches}",
                name = short(name),
                matches = many
            )
        } else {
            let said = plural!(
                exact as u64,
                "{n} address has the name \u{201c}{name}\u{201d}",
                "{n} addresses have the name \u{201c}{name}\u{201d}",
                name = short(name)
            );
            match (matches.len() - exact) as u64 {
                0 => said,
                others => format!("{said}; {}", count!(others, "possible match", "possible matches")),
            }
        };
        Self { matches, title, notes, ..Self::default() }
    }

    /// Other addresses that may have the badges. `of` tells whether unread rows remain.
    pub fn elsewhere(
        address: &str,
        has_badges: bool,
        matches: Vec<Match>,
        of: Remaining,
        trouble: Option<String>,
    ) -> Self {
        let address = short(address).into_owned();
        let is_searched = trouble.is_none();
        let mut notes: Vec<String> = trouble.into_iter().collect();
        let title = if matches.is_empty() && !is_searched {
            t!("No badge for {address}; the search for similar ones is incomplete.", address)
        } else if matches.is_empty() {
            t!("No badge for {address}, and no possible matches.", address)
        } else {
            notes.push(
                t!("These are only possible matches and may belong to someone else. Have the caller spell the e-mail address before you open one.")
                    .to_owned(),
            );
            let many = count!(matches.len() as u64, "possible match", "possible matches");
            if has_badges {
                t!("{matches} for {address}", matches = many, address)
            } else {
                t!("No badge for {address}; {matches}", address, matches = many)
            }
        };
        if of != Remaining::Nothing {
            notes.push(
                t!("Some searches found more than lapel shows. Ask for the full name or the e-mail address.")
                    .to_owned(),
            );
        }
        Self { matches, title, notes, ..Self::default() }
    }

    /// The columns, with the texts of these rows.
    pub fn widths(rows: &[Vec<(String, Style)>], columns: usize) -> Vec<usize> {
        let own = [(10, 2, 0), (24, 2, 0), (12, 3, 2), (9, 0, 1), (TO_MINUTE, 0, 3), (14, 2, 0)];
        let own = own.map(|(min_width, weight, drop_order)| ColumnLayout { min_width, weight, drop_order });
        fitted(&own, rows, columns.saturating_sub(3))
    }

    /// The cells of a row. The address is masked.
    pub fn texts(one: &Match, cx: &UiContext) -> [String; 6] {
        let names = one.shown_names();
        let name = match names.as_slice() {
            [] => cx.glyphs.dash.to_owned(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} +{}", rest.len()),
        };
        let why = list(one.why.iter().map(|why| why.words())).to_string();
        let newest = one.newest.as_ref().map_or_else(String::new, ServiceTime::to_minute);
        let title = one.title.as_ref().map_or_else(String::new, ToString::to_string);
        [name, one.shown(), title, count!(one.badges as u64, "badge", "badges"), newest, why]
    }

    /// The preview of a match: what the columns cut.
    pub fn lines(one: &Match, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let [_, address, title, badges, newest, why] = Self::texts(one, cx);
        let theme = &cx.theme;
        [
            (list(one.shown_names()).to_string(), theme.strong()),
            (address, theme.text()),
            (why, theme.warning()),
            (title, theme.text()),
            (cx.dotted(&[badges, newest].map(String::from)), theme.dim()),
        ]
        .iter()
        .flat_map(|(text, style)| styled(text, room, *style))
        .collect()
    }

    pub fn cells(one: &Match, cx: &UiContext) -> Vec<(String, Style)> {
        let texts = Self::texts(one, cx).into_iter().enumerate();
        // What is found out about the match is dim: its newest badge, and why it matches.
        texts.map(|(at, text)| (text, if at < 4 { Style::new() } else { cx.theme.dim() })).collect()
    }
}

/// Number of addresses with exactly the searched name.
fn namesakes(matches: &[Match]) -> usize {
    matches.iter().filter(|one| one.why.contains(&MatchReason::SameName)).count()
}

impl Lookup {
    /// Opens the selected match. The journal records first that a match was opened, but not whose address it was.
    pub(super) fn record_match(&mut self, effects: &mut Effects<'_>) {
        let Some(at) = self.list.unnarrowed(self.list.cursor.at()) else { return };
        let command = JobCommand::Opened(Disclosure::Match);
        self.pending.send(LookupStep::OpeningMatch(at), Request::Do(Box::new(command)), effects);
    }

    pub(super) fn open_match(&mut self, at: usize, effects: &mut Effects<'_>) {
        let Some(people) = &mut self.list.people else { return };
        let Some(one) = people.matches.get(at) else { return };
        let email = one.address.wire().to_owned();
        let by_id = self.call.by_id.id.take();
        let before = PreviousSearch { asked: self.asked.take(), found: self.list.found.take(), by_id };
        people.opened = Some((at, before));
        self.call.caller.namesakes = namesakes(&people.matches);
        self.call.not_found.text = None;
        self.call.not_found.sent = None;
        self.list.cursor = ListCursor::default();
        self.list.leave_search();
        self.holder(&email, effects);
    }

    /// Goes from an opened match to the list of matches, and from there to the earlier result.
    pub(super) fn back(&mut self, effects: &mut Effects<'_>) {
        self.pending.cancel_all(effects);
        (self.call.caller.namesakes, self.call.reading.again) = (0, false);
        if let Some((at, before)) = self.list.people.as_mut().and_then(|people| people.opened.take()) {
            PreviousSearch { asked: self.asked, found: self.list.found, by_id: self.call.by_id.id } = before;
            self.list.cursor = ListCursor::new(at);
        } else if self.list.people.take().is_some() {
            self.list.cursor = ListCursor::default();
        }
        self.list.end_search();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Text;

    #[test]
    fn only_those_with_exactly_the_name_are_said_to_have_it() {
        use MatchReason::{NearlyTheName, PartOfName, SameName};
        let title = |reasons: &[MatchReason]| {
            let matches: Vec<Match> = reasons
                .iter()
                .map(|why| Match {
                    address: Text::new("a@naru.example"),
                    names: Vec::new(),
                    badges: 1,
                    newest: None,
                    title: None,
                    why: vec![*why],
                })
                .collect();
            PeopleMatches::with_name("한서윤", matches, (1, Remaining::Nothing), None).title
        };
        assert_eq!(title(&[SameName, SameName]), "2 addresses have the name “한서윤”");
        assert_eq!(
            title(&[SameName, NearlyTheName, PartOfName]),
            "1 address has the name “한서윤”; 2 possible matches"
        );
        assert_eq!(title(&[PartOfName]), "No badge has exactly the name “한서윤”; 1 possible match");
    }
}

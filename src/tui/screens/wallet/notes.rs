//! The notes between the totals and the list: how the search is meant, what was not read, and what lapel has sent to the
//! holder or to a similar name.

use super::Wallet;
use super::state::LookupState;
use crate::domain::address_search::{MatchReason, with_space};
use crate::domain::email::ended;
use crate::domain::look_alike::{foreign_letter, letter_name};
use crate::jobs::SentAlike;
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::{moment, sent_here};
use crate::tui::widgets::last_read::as_of;

/// Maximum number of lines about badges that were sent to a similar name or address.
const ALIKE: usize = 3;

impl LookupState {
    /// Says that a word before the address was read as a name, if it may be a part of the address.
    fn spaced_note(&self, cx: &UiContext) -> Option<String> {
        let (Some(Query::Address { address, name: Some(name) }), false) = (&self.query, self.by_id.is_opened)
        else {
            return None;
        };
        let address = with_space(address.as_str(), name).into_iter().next()?;
        Some(t!(
            "\u{201c}{name}\u{201d} was read as a name. If it belongs to the address: {key} searches for {address}.",
            name = short(name),
            address = short(&address),
            key = cx.key(&[KeyContext::Wallet], Action::Elsewhere)
        ))
    }

    /// Names a letter of another alphabet in the searched name.
    pub(super) fn name_note(&self) -> Option<String> {
        let letter = letter_name(foreign_letter(self.caller.name.as_deref()?)?);
        Some(t!("The name has a {letter} among Latin letters.", letter))
    }

    /// What lapel has sent to a similar name or address: a line for each job and reason, the most alike first.
    pub(super) fn alike_words(&self, cx: &UiContext) -> Vec<String> {
        let all = || self.further.sent_alike.iter().flatten();
        let more: u64 = all().skip(ALIKE).map(|(_, n)| n).sum();
        let more = (more > 0).then(|| t!("and {n} more", n = number(more)));
        all().take(ALIKE).map(|(one, n)| sent_alike(one, *n, cx)).chain(more).collect()
    }

    /// Says that the address at the domain that the caller may have meant has badges, too.
    fn meant_note(&self, cx: &UiContext) -> Option<String> {
        let one = self.further.meant.first()?;
        Some(t!(
            "{address} has {badges}, too: {key} lists them.",
            address = one.shown(),
            badges = count!(one.badges as u64, "badge", "badges"),
            key = cx.key(&[KeyContext::Wallet], Action::Elsewhere)
        ))
    }
}

impl Wallet {
    /// The lines between the summary and the list.
    pub(super) fn notes(&self, room: usize, cx: &UiContext) -> Vec<(String, Style)> {
        let lines =
            |(note, style): (String, Style)| wrap(&note, room).into_iter().map(move |line| (line, style));
        self.whole_notes(room, cx).into_iter().flat_map(lines).collect()
    }

    fn whole_notes(&self, room: usize, cx: &UiContext) -> Vec<(String, Style)> {
        let (call, theme) = (&self.lookup.call, &cx.theme);
        let of = |style: Style| move |note: String| (note, style);
        let searched = self.lookup.list.search_note(cx).map(of(theme.strong()));
        if let Some(people) = self.lookup.list.choice() {
            let title = self.title_lines(people, room + 4, cx).into_iter().skip(1).map(of(theme.strong()));
            let said = people.notes.iter().cloned().chain(call.alike_words(cx)).chain(call.name_note());
            let timed = |why: &String, at: Option<Timestamp>| match at {
                Some(at) => as_of(at, why, cx),
                None => format!("{} {why}", cx.glyphs.alert),
            };
            let of_holder = self.lookup.list.found.iter().flat_map(|found| {
                let at = found.read_at.filter(|_| found.is_kept);
                found.troubles.iter().map(move |why| timed(why, at))
            });
            let unread = of_holder.chain(people.trouble.iter().map(|why| timed(why, people.read_at)));
            let said = said.map(of(theme.warning())).chain(unread.map(of(theme.error())));
            return title.chain(searched).chain(said).collect();
        }
        let Some(found) = &self.lookup.list.found else { return searched.into_iter().collect() };
        let masked = call.masked.then(|| {
            t!(
                "Only the issuer's record of this badge. {enter} opens the holder's wallet with name and e-mail address, and the journal records that.",
                enter = cx.key(&[KeyContext::Wallet], Action::Open)
            )
        });
        let said = || call.spaced_note(cx).into_iter().chain(call.meant_note(cx)).chain(call.name_note());
        let said = Some(found).filter(|found| !found.held.is_empty()).into_iter().flat_map(|_| said());
        let troubles = found.troubles.iter().map(|trouble| format!("{} {trouble}", cx.glyphs.alert));
        // The others are rows.
        let sent = found.sent_besides().map(|sent| {
            // A badge with an id may be visible in a list that was not read.
            let is_read = found.both || sent.badge_id.is_none();
            let said = if is_read { sent_here(sent, cx) } else { sent_when(sent, cx) };
            format!("{}: {said}", sent.title)
        });
        let about =
            searched.into_iter().chain(masked.map(of(theme.dim()))).chain(said.map(of(theme.warning())));
        about.chain(troubles.map(of(theme.error()))).chain(sent.map(of(theme.warning()))).collect()
    }

    pub(super) fn draw_notes(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let room = usize::from(area.width).saturating_sub(4);
        let notes = self.notes(room, cx);
        let lines: Vec<Line<'_>> =
            notes.into_iter().map(|(text, style)| Line::styled(format!("  {text}"), style)).collect();
        frame.render_widget(lines, area);
    }
}

/// Badges that lapel sent to similar names or addresses in one job, for the same reason. The address is masked, as that of a
/// possible match.
fn sent_alike(one: &SentAlike, n: u64, cx: &UiContext) -> String {
    let SentAlike { address, sent, why } = one;
    let words = list(why.iter().map(|why| why.words()));
    if n > 1 {
        let (title, id, state) = (&sent.title, sent.job, tr(sent.row_status.name()));
        let n = number(n);
        return t!("{title}: {n} badges sent in job {id} ({state}): {why}", title, n, id, state, why = words);
    }
    let why = match why.as_slice() {
        [MatchReason::SameName] => String::new(),
        _ => format!(" ({words})"),
    };
    format!("{}, {address}{why}: {}", sent.title, sent_here(sent, cx))
}

/// When and in which job lapel sent a badge.
pub(super) fn sent_when(sent: &SentHere, cx: &UiContext) -> String {
    let (time, id) = (moment(sent.at, cx), sent.job);
    match &sent.by {
        Some(who) => t!("sent by {who} at {time} in job {id}", who, time, id),
        None => t!("sent by lapel at {time} in job {id}", time, id),
    }
}

pub(super) fn nothing_found(email: &str) -> Vec<String> {
    let mut said = vec![
        waiting_may_be_hidden().to_owned(),
        t!("Ask the caller to spell the address, or type their name into the box to search the history.")
            .to_owned(),
    ];
    said.extend(foreign_letter(email).map(|letter| {
        t!("The e-mail address has a {letter} among Latin letters.", letter = letter_name(letter))
    }));
    if let Ok(address) = Address::to_look_up(email) {
        said.extend(
            address.warnings().iter().map(|remark| t!("E-mail address: {remark}", remark = ended(remark))),
        );
    }
    said
}

/// What is not visible may have been accepted.
pub(in crate::tui::screens) fn waiting_may_be_hidden() -> &'static str {
    t!(
        "That does not mean \u{201c}never accepted\u{201d}: a badge waiting for issue can stay invisible for up to a day."
    )
}

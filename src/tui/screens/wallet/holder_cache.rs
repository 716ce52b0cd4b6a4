//! What is computed from all badges of an answer. A wallet may have thousands, so it is computed once and kept: until the
//! badges change, and where it depends on the time, for a minute.

use super::groups::Copies;
use super::rows::{EMAIL, FIELDS, LookupView, NAME};
use super::state::HolderBadges;
use crate::domain::call_advice::{CallCase, CallerQuestion, Script, script};
use crate::domain::holder::names;
use crate::domain::look_alike::unaccented;
use crate::i18n::Language;
use crate::tui::prelude::*;
use crate::tui::widgets::record_field::cells;
use std::cell::{OnceCell, RefCell};
use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

#[derive(Default)]
pub(super) struct HolderCache {
    copies: Copies,
    /// Whether a badge waits: its age is shown then.
    pub waits: bool,
    whole: OnceCell<WalletTotals>,
    script: RefCell<Option<(ScriptFor, Rc<Script>)>>,
    searched: RefCell<Option<(SearchedFor, Rc<[String]>)>>,
}

/// What the searched texts depend on, besides the badges: the minute, because states have ages.
type SearchedFor = (DateTime, Language);

/// What the screen says about all badges together.
pub(super) struct WalletTotals {
    /// Each name once.
    pub names: Vec<Text>,
    pub in_wallet: u64,
    pub only_history: u64,
    /// Whether only the journal knows them.
    pub is_unseen: bool,
}

/// What the advice depends on, besides the badges: the badge, its verdict, which may change within the minute, the call,
/// and the time and the language.
type ScriptFor = (
    (BadgeId, Discriminant<Verdict>),
    (Option<CallerQuestion>, Option<[Option<bool>; 2]>, Option<DateTime>, String, usize, [bool; 5]),
    (DateTime, Language),
);

impl HolderBadges {
    /// After a change of the badges.
    pub fn compute_again(&mut self, clock: &ServiceClock) {
        self.offset = Some(clock.offset());
        self.held.iter_mut().for_each(|held| self.journal.note(held, clock));
        let now = clock.now();
        self.cache = HolderCache {
            copies: Copies::of(&self.held, now),
            waits: self.held.iter().any(|held| held.verdict(now).state() == State::Waiting),
            ..HolderCache::default()
        };
    }

    pub fn copies(&self) -> &Copies {
        &self.cache.copies
    }

    pub fn whole(&self) -> &WalletTotals {
        self.cache.whole.get_or_init(|| {
            let count = |is: fn(&HeldBadge) -> bool| self.held.iter().filter(|held| is(held)).count() as u64;
            WalletTotals {
                names: names(&self.held).into_iter().cloned().collect(),
                in_wallet: count(|held| held.wallet.is_some()),
                only_history: count(|held| held.wallet.is_none() && held.history.is_some()),
                is_unseen: self.held.iter().all(HeldBadge::is_only_sent),
            }
        })
    }

    /// When both lists were read to their end, if a later refresh failed and this is shown instead.
    pub fn whole_as_of(&self) -> Option<Timestamp> {
        self.read_at.filter(|_| self.is_kept && self.complete && self.read == [true, true])
    }

    /// Whether neither list could be read.
    pub fn has_failed(&self) -> bool {
        self.unread == [true, true]
    }

    /// The text of each badge that a search looks through, in lower case and without accents. A letter of a search needs nothing else of them.
    pub fn searched(&self, view: &LookupView, cx: &UiContext) -> Rc<[String]> {
        // A name or an address that all badges have would find all of them: it is rather the next caller's.
        let is_searched = |column: usize| view.several || ![NAME, EMAIL].contains(&column);
        let text = |held: &HeldBadge| {
            let cells = cells(FIELDS, held, view, cx).into_iter().enumerate();
            let searched = cells.filter(|(column, _)| is_searched(*column)).map(|(_, (text, _))| text);
            // A search is one line, so it finds no text in two cells.
            unaccented(&searched.collect::<Vec<_>>().join("\n"))
        };
        let wanted = (minute(view.now), i18n::language());
        reused(&self.cache.searched, wanted, || self.held.iter().map(text).collect())
    }

    /// The advice about a badge.
    pub fn script(&self, case: &CallCase<'_>) -> Rc<Script> {
        let badge = (case.held.badge_id.clone(), discriminant(&case.verdict()));
        let flags = [case.both, case.unfinished, case.by_id, case.masked, case.zone_known];
        let organisation = case.organisation.to_owned();
        let call = (case.question, case.pictures, case.whole_as_of, organisation, case.namesakes, flags);
        let key = (badge, call, (minute(case.now), i18n::language()));
        reused(&self.cache.script, key, || Rc::new(script(case)))
    }
}

/// The value from before, or a new one if it depends on something else now.
fn reused<K: PartialEq, V: Clone>(kept: &RefCell<Option<(K, V)>>, key: K, compute: impl FnOnce() -> V) -> V {
    let mut kept = kept.borrow_mut();
    match &*kept {
        Some((of, value)) if *of == key => value.clone(),
        _ => kept.insert((key, compute())).1.clone(),
    }
}

fn minute(now: DateTime) -> DateTime {
    now.date().at(now.hour(), now.minute(), 0, 0)
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test says what went wrong")]
mod tests {
    use super::super::Wallet;
    use super::*;
    use crate::domain::holder::counted;
    use ratatui::buffer::Buffer;

    const MANY: usize = 10_000;
    /// More than are measured for the widths of the columns.
    const FEW: usize = 400;

    fn wallet(badges: usize, template: impl Fn(usize) -> String) -> Wallet {
        let held = |n: usize| {
            let id = BadgeId::new(format!("B-{n:06}")).expect("an id");
            let history = HistoryItem {
                template_id: TemplateId::new(template(n)),
                title: Some("a title".into()),
                recipient_name: Some("나많이".into()),
                recipient_email: Some("many@naru.example".into()),
                status_name: Some("발급완료".into()),
                issued_at: ServiceTime::new("2026-01-20 09:00:00"),
                reg_date: ServiceTime::new("2026-01-20 08:00:00"),
                ..HistoryItem::for_test(id)
            };
            history.into()
        };
        let found = HolderBadges {
            email: "many@naru.example".to_owned(),
            held: (0..badges).map(held).collect(),
            both: true,
            complete: true,
            ..HolderBadges::default()
        };
        let mut wallet = Wallet::begin();
        wallet.input.typing = false;
        wallet.lookup.list.found = Some(found);
        wallet.lookup.list.unsorted = true;
        wallet
    }

    /// All that a frame asks the tab.
    fn frame(wallet: &mut Wallet, columns: u16, cx: &UiContext) {
        let area = Rect::new(0, 0, columns, 30);
        wallet.lay_out_rows(area, cx);
        let mut buffer = Buffer::empty(area);
        wallet.draw_all(&mut Frame::new(&mut buffer), area, cx);
        wallet.shows_age(cx);
        wallet.is_enabled(Action::Elsewhere, cx);
        wallet.picture(area, cx);
    }

    /// The advice is computed again in another minute, so the work is counted within one.
    fn counted(cx: &UiContext, mut work: impl FnMut() -> Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        loop {
            let before = minute(cx.now());
            let counts = work();
            if minute(cx.now()) == before {
                return counts;
            }
        }
    }

    #[test]
    fn a_frame_about_10_000_badges_looks_at_no_more_of_them_than_one_about_few() {
        let cx = UiContext::for_test();
        for columns in [80, 120] {
            let of = |badges: usize| {
                counted(&cx, || {
                    let mut wallet = wallet(badges, |n| format!("TPL-{n:05}"));
                    frame(&mut wallet, columns, &cx);
                    let idle = counted::during(|| frame(&mut wallet, columns, &cx));
                    wallet.lookup.list.cursor.on_action(Action::Last, badges);
                    frame(&mut wallet, columns, &cx);
                    let at_end = counted::during(|| frame(&mut wallet, columns, &cx));
                    vec![idle, at_end]
                })
            };
            let (few, many) = (of(FEW), of(MANY));
            assert_eq!(few, many, "{columns} columns");
            assert!(many.iter().all(|(_, folds)| *folds == 0), "{many:?}");
        }
    }

    #[test]
    fn a_letter_of_a_search_in_10_000_badges_looks_at_no_more_of_them_than_in_few() {
        let cx = UiContext::for_test();
        let of = |badges: usize| {
            counted(&cx, || {
                let mut wallet = wallet(badges, |n| format!("TPL-{n:05}"));
                frame(&mut wallet, 80, &cx);
                wallet.lookup.list.search.on_action(Action::Search);
                let mut letter = |letter: char| {
                    counted::during(|| {
                        assert!(wallet.lookup.list.type_in_search(KeyEvent::from(KeyCode::Char(letter))));
                        frame(&mut wallet, 80, &cx);
                    })
                };
                let first = letter('t');
                assert!(first.0 < 20 * MANY, "{first:?}");
                let next = letter('i');
                // All have it in their title.
                assert_eq!(wallet.lookup.list.len(), badges);
                vec![next]
            })
        };
        assert_eq!(of(FEW), of(MANY));
    }

    #[test]
    fn a_search_lists_copies_by_themselves_and_its_end_folds_them_again() {
        let cx = UiContext::for_test();
        let mut wallet = wallet(FEW, |_| "TPL-1".to_owned());
        frame(&mut wallet, 80, &cx);
        assert_eq!(wallet.lookup.list.len(), 1);
        wallet.lookup.list.search.on_action(Action::Search);
        for (letter, rows) in [('b', FEW), ('-', FEW), ('0', FEW)] {
            wallet.lookup.list.type_in_search(KeyEvent::from(KeyCode::Char(letter)));
            frame(&mut wallet, 80, &cx);
            assert_eq!(wallet.lookup.list.len(), rows);
        }
        for _ in 0..3 {
            wallet.lookup.list.type_in_search(KeyEvent::from(KeyCode::Backspace));
        }
        frame(&mut wallet, 80, &cx);
        assert_eq!(wallet.lookup.list.len(), 1);
    }

    #[test]
    fn a_key_about_10_000_copies_looks_at_each_a_few_times_and_folds_no_name_again() {
        let cx = UiContext::for_test();
        let counts = counted(&cx, || {
            let mut wallet = wallet(MANY, |_| "TPL-1".to_owned());
            let first = counted::during(|| frame(&mut wallet, 80, &cx));
            let unfolded = counted::during(|| {
                wallet.lookup.list.unfold();
                frame(&mut wallet, 80, &cx);
            });
            assert_eq!(wallet.lookup.list.len(), MANY);
            let next = counted::during(|| {
                wallet.lookup.list.cursor.on_action(Action::Down, MANY);
                frame(&mut wallet, 80, &cx);
            });
            vec![first, unfolded, next]
        });
        let folds: Vec<usize> = counts.iter().map(|(_, folds)| *folds).collect();
        assert_eq!(folds, [MANY, 0, 0]);
        assert!(counts.iter().all(|(visits, _)| *visits < 20 * MANY), "{counts:?}");
    }
}

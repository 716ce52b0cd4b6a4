use super::*;
use crate::domain::Page;
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq)]
struct Item(u64);

impl ListRow for Item {
    type Id = u64;
    fn id(&self) -> u64 {
        self.0
    }
}

/// A test service with the faults that a list must handle.
#[derive(Clone, Debug, Default)]
struct Service {
    rows: Vec<u64>,
    cap: Option<u64>,
    says_cap: bool,
    count: Option<i64>,
    no_count: bool,
    short_page: Option<u64>,
    empty_page: Option<u64>,
    /// Returns its last page for every higher number.
    repeats: bool,
}

impl Service {
    fn of(rows: u64) -> Self {
        Self { rows: (0..rows).collect(), ..Self::default() }
    }

    fn page(&self, page: u64, asked: u64) -> Page<Item> {
        let size = self.cap.unwrap_or(asked).min(asked);
        let last = (self.rows.len() as u64).div_ceil(size).max(1);
        let page = if self.repeats { page.min(last) } else { page };
        let start = usize::try_from((page - 1) * size).unwrap().min(self.rows.len());
        let end = (start + usize::try_from(size).unwrap()).min(self.rows.len());
        let mut rows = self.rows[start..end].to_vec();
        if self.short_page == Some(page) {
            rows.truncate(rows.len() / 2);
        }
        if self.empty_page == Some(page) {
            rows.clear();
        }
        Page {
            list_len: rows.len(),
            items: rows.into_iter().map(Item).enumerate().collect(),
            total_count: (!self.no_count)
                .then(|| (self.rows.len() as i64 + self.count.unwrap_or(0)).max(0) as u64),
            page: Some(page),
            rows_per_page: Some(if self.says_cap { size } else { asked }),
            problems: Vec::new(),
        }
    }
}

/// Answers the list's requests until there are none. Returns their number.
fn settle(list: &mut PagedList<Item>, service: &Service) -> usize {
    let mut asked = 0;
    for _ in 0..100 {
        let mut wanted = Vec::new();
        let dropped = list.load_visible(|page| {
            asked += 1;
            let request = RequestId::test(1_000_000 + asked as u64);
            wanted.push((request, page));
            request
        });
        assert!(dropped.iter().all(|d| wanted.iter().all(|(t, _)| t != d)));
        if wanted.is_empty() {
            return asked;
        }
        let per_page = list.per_page();
        for (request, page) in wanted {
            list.on_response(request, Ok(service.page(page, per_page)));
        }
    }
    panic!("the list never stops asking");
}

fn shown(list: &PagedList<Item>) -> Vec<u64> {
    list.visible()
        .filter_map(|(_, place)| match place {
            RowSlot::Entry(ListEntry::Row(Item(n))) => Some(*n),
            _ => None,
        })
        .collect()
}

fn list(height: u16) -> PagedList<Item> {
    let mut list = PagedList::default();
    list.set_height(height);
    list
}

#[test]
fn opening_costs_one_request_and_the_far_end_one_or_two_more() {
    let service = Service::of(1_000_000);
    let mut list = list(20);
    assert_eq!(settle(&mut list, &service), 1);
    list.move_to(u64::MAX);
    assert!(settle(&mut list, &service) <= 2);
    assert_eq!(shown(&list).last(), Some(&999_999));
    list.move_to(500_000);
    settle(&mut list, &service);
    assert_eq!(list.selected(), Some(&Item(500_000)));
    assert!(list.slots.len() <= KEPT);
}

#[test]
fn only_the_rows_on_the_screen_are_handed_out() {
    let service = Service::of(1_000_000);
    let mut list = list(20);
    settle(&mut list, &service);
    assert_eq!(list.visible().count(), 20);
}

#[test]
fn scrolling_to_the_end_shows_every_row_once() {
    let service = Service::of(457);
    let mut list = list(10);
    settle(&mut list, &service);
    let mut seen = Vec::new();
    for place in 0..457 {
        list.move_to(place);
        settle(&mut list, &service);
        seen.push(list.selected().expect("a row").0);
    }
    assert_eq!(seen, (0..457).collect::<Vec<_>>());
}

#[test]
fn rows_that_come_in_on_top_are_noticed_and_the_selection_stays() {
    let mut service = Service::of(1000);
    let mut list = list(20);
    settle(&mut list, &service);
    list.move_to(75);
    assert_eq!(list.selected(), Some(&Item(75)));
    for new in 0..30 {
        service.rows.insert(0, 5000 + new);
    }
    list.move_by(15);
    assert_eq!(list.selected(), Some(&Item(90)));
    settle(&mut list, &service);
    assert_eq!(list.selected(), Some(&Item(90)), "its place is 120 now, on the next page");
    assert_eq!(list.cursor(), 120);
    assert!(matches!(list.note(), Some(ListNote::Changed { before: 1000, now: 1030 })));
    let rows = shown(&list);
    let unique: BTreeSet<_> = rows.iter().collect();
    assert_eq!(unique.len(), rows.len());
}

#[test]
fn a_reload_finds_the_selected_row_where_it_went() {
    let mut service = Service::of(500);
    let mut list = list(20);
    settle(&mut list, &service);
    list.move_to(95);
    settle(&mut list, &service);
    for new in 0..10 {
        service.rows.insert(0, 5000 + new);
    }
    list.reload();
    settle(&mut list, &service);
    assert_eq!(list.selected(), Some(&Item(95)));
    service.rows.retain(|n| *n != 95);
    list.reload();
    settle(&mut list, &service);
    assert_eq!(list.note(), Some(&ListNote::SelectedGone));
    assert!(list.selected().is_some());
}

#[test]
fn a_list_that_never_stands_still_is_said_to_and_nothing_is_doubled() {
    let mut service = Service::of(1000);
    let mut list = list(30);
    settle(&mut list, &service);
    list.move_to(95);
    // With every response the service has five more rows.
    for round in 0..40 {
        let mut wanted = Vec::new();
        list.load_visible(|page| {
            let request = RequestId::test(round * 100 + page);
            wanted.push((request, page));
            request
        });
        for (request, page) in wanted {
            for new in 0..5 {
                service.rows.insert(0, 10_000 + round * 50 + page * 5 + new);
            }
            list.on_response(request, Ok(service.page(page, 100)));
        }
    }
    assert_eq!(list.note(), Some(&ListNote::KeepsMoving));
    let ids: Vec<_> = list.loaded().map(|(_, row)| row.0).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

#[test]
fn a_count_that_is_too_low_hides_no_row() {
    let service = Service { count: Some(-960), ..Service::of(1000) };
    let mut list = list(20);
    settle(&mut list, &service);
    assert_eq!(list.len(), 100);
    assert!(!list.is_counted());
}

#[test]
fn a_count_that_is_too_high_shows_its_holes() {
    let service = Service { count: Some(1_000_000), ..Service::of(10) };
    let mut list = list(20);
    // A short first page with a higher count means smaller pages. The list accepts that at most twice.
    settle(&mut list, &service);
    list.move_to(u64::MAX);
    settle(&mut list, &service);
    assert_eq!(list.selected(), None);
    assert!(list.visible().all(|(_, p)| matches!(p, RowSlot::Entry(ListEntry::Missing))));
    list.move_to(3);
    settle(&mut list, &service);
    assert_eq!(list.selected(), Some(&Item(3)));
}

#[test]
fn without_a_count_the_end_is_found_by_walking() {
    for rows in [0, 1, 99, 100, 101, 250, 300] {
        let service = Service { no_count: true, ..Service::of(rows) };
        let mut list = list(10);
        settle(&mut list, &service);
        for _ in 0..400 {
            list.move_by(1);
            settle(&mut list, &service);
        }
        assert_eq!(list.len(), rows, "{rows}");
        assert_eq!(list.selected().map(|r| r.0), rows.checked_sub(1), "{rows}");
    }
}

#[test]
fn a_service_with_small_pages_is_read_in_its_own() {
    for says_cap in [true, false] {
        let service = Service { cap: Some(20), says_cap, ..Service::of(500) };
        let mut list = list(15);
        settle(&mut list, &service);
        assert_eq!(list.per_page(), 20);
        for place in [0, 19, 20, 333, 499] {
            list.move_to(place);
            settle(&mut list, &service);
            assert_eq!(list.selected(), Some(&Item(place)), "{place}, said: {says_cap}");
        }
    }
}

#[test]
fn short_and_empty_pages_in_the_middle_leave_visible_holes() {
    let service = Service { short_page: Some(2), empty_page: Some(3), ..Service::of(500) };
    let mut list = list(10);
    settle(&mut list, &service);
    list.move_to(160);
    settle(&mut list, &service);
    assert_eq!(list.place(149), RowSlot::Entry(&ListEntry::Row(Item(149))));
    assert_eq!(list.place(150), RowSlot::Entry(&ListEntry::Missing));
    list.move_to(250);
    settle(&mut list, &service);
    assert_eq!(list.place(250), RowSlot::Entry(&ListEntry::Missing));
    list.move_to(300);
    settle(&mut list, &service);
    assert_eq!(list.selected(), Some(&Item(300)));
}

#[test]
fn a_page_that_failed_is_shown_and_read_again_on_demand() {
    let service = Service::of(300);
    let mut list = list(10);
    let mut asked = Vec::new();
    list.load_visible(|page| {
        asked.push(page);
        RequestId::test(7)
    });
    list.on_response(RequestId::test(7), Err("given up".to_owned()));
    assert!(matches!(list.place(0), RowSlot::Failed(_)));
    assert_eq!(settle(&mut list, &service), 0, "it is not asked for again by itself");
    list.reload();
    assert_eq!(settle(&mut list, &service), 1);
    assert_eq!(list.selected(), Some(&Item(0)));
}

#[test]
fn a_fetch_that_nobody_needs_any_more_is_cancelled_and_its_answer_dropped() {
    let service = Service::of(100_000);
    let mut list = list(10);
    settle(&mut list, &service);
    list.move_to(50_000);
    let mut first = None;
    list.load_visible(|_| *first.insert(RequestId::test(8)));
    list.move_to(90_000);
    let mut next = 100;
    let dropped = list.load_visible(|_| {
        next += 1;
        RequestId::test(next)
    });
    assert!(dropped.contains(&RequestId::test(8)));
    assert!(list.on_response(RequestId::test(8), Ok(service.page(501, 100))).is_none());
}

#[test]
fn an_unreadable_record_keeps_its_place() {
    let mut page = Service::of(3).page(1, 100);
    page.items.remove(1);
    page.problems.push(RecordProblem {
        place: "list[1]".into(),
        why: crate::i18n::Localizable::verbatim("badge_id is missing"),
    });
    let mut list = list(10);
    list.load_visible(|_| RequestId::test(1));
    list.on_response(RequestId::test(1), Ok(page));
    assert_eq!(list.row_at(0), Some(&Item(0)));
    assert!(matches!(list.place(1), RowSlot::Entry(ListEntry::Unreadable(_))));
    assert_eq!(list.row_at(2), Some(&Item(2)));
}

#[derive(Clone, Debug)]
enum Step {
    Move(i64),
    To(u64),
    Reload,
    Insert(u8),
    Remove(u8),
    Height(u16),
}

proptest! {
    /// For any moves of the cursor and of the service's rows: no row is shown twice, the cursor stays inside, the
    /// list never exceeds its height, the requests always end, and few pages are held.
    #[test]
    fn any_walk_holds_together(
        rows in 0u64..3000,
        steps in proptest::collection::vec(prop_oneof![
            (-300i64..300).prop_map(Step::Move),
            (0u64..3200).prop_map(Step::To),
            Just(Step::Reload),
            any::<u8>().prop_map(Step::Insert),
            any::<u8>().prop_map(Step::Remove),
            (1u16..60).prop_map(Step::Height),
        ], 1..25),
    ) {
        let mut service = Service::of(rows);
        let mut list = list(12);
        let mut fresh = 100_000;
        settle(&mut list, &service);
        for step in steps {
            match step {
                Step::Move(by) => list.move_by(by),
                Step::To(place) => list.move_to(place),
                Step::Reload => { list.reload(); }
                Step::Insert(n) => for _ in 0..n % 30 { fresh += 1; service.rows.insert(0, fresh); },
                Step::Remove(n) => { let n = usize::from(n % 30).min(service.rows.len()); service.rows.drain(..n); }
                Step::Height(h) => list.set_height(h),
            }
            settle(&mut list, &service);
            let ids: Vec<_> = list.loaded().map(|(_, row)| row.0).collect();
            prop_assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
            prop_assert!(list.cursor() <= list.len().saturating_sub(1));
            prop_assert!(list.top() <= list.cursor());
            prop_assert!(list.visible().count() as u64 <= list.height);
            prop_assert!(list.slots.len() <= KEPT && list.old.len() <= KEPT);
        }
    }
}

#[test]
fn rows_that_are_gone_are_not_counted_any_more() {
    let mut service = Service::of(600);
    let mut list = list(20);
    settle(&mut list, &service);
    list.move_to(u64::MAX);
    settle(&mut list, &service);
    service.rows.truncate(400);
    list.reload();
    settle(&mut list, &service);
    assert_eq!(list.len(), 400);
    assert!(list.is_counted());
}

#[test]
fn what_was_read_is_shown_until_the_new_rows_are_there() {
    let service = Service::of(300);
    let mut list = list(10);
    settle(&mut list, &service);
    list.reload();
    list.load_visible(|_| RequestId::test(5));
    assert_eq!(shown(&list), (0..10).collect::<Vec<_>>(), "on its way");
    list.on_response(RequestId::test(5), Err("given up".to_owned()));
    assert_eq!(shown(&list), (0..10).collect::<Vec<_>>(), "it did not come");
    assert!(list.error().is_some());
}

#[test]
fn a_page_that_is_ordered_here_keeps_the_cursor_in_its_place() {
    let service = Service::of(500);
    let mut list = list(10);
    list.order_by(Some(Box::new(|a: &Item, b: &Item| b.0.cmp(&a.0))));
    settle(&mut list, &service);
    assert_eq!(list.cursor(), 0);
    assert_eq!(list.selected(), Some(&Item(99)), "the largest of the first page");
    list.move_to(349);
    settle(&mut list, &service);
    assert_eq!(list.cursor(), 349);
    assert_eq!(list.selected(), Some(&Item(350)));
}

#[test]
fn a_count_that_is_too_low_does_not_end_the_list() {
    let service = Service { count: Some(-590), ..Service::of(600) };
    let mut list = list(10);
    settle(&mut list, &service);
    for _ in 0..12 {
        list.move_to(u64::MAX);
        settle(&mut list, &service);
    }
    assert_eq!(list.selected(), Some(&Item(599)));
}

fn rows_at(list: &PagedList<Item>) -> Vec<(u64, u64)> {
    list.visible()
        .filter_map(|(place, what)| match what {
            RowSlot::Entry(ListEntry::Row(row)) => Some((place, row.0)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_last_page_that_is_given_for_ever_makes_no_rows() {
    for (rows, count) in [(250, 999_750), (300, 999_700), (300, 1_000), (40, 10_000), (700, 5)] {
        let service = Service { count: Some(count), repeats: true, ..Service::of(rows) };
        let mut list = PagedList::<Item>::default();
        list.set_height(30);
        settle(&mut list, &service);
        // Go to the end according to the count, then on until there are no more rows.
        for _ in 0..20 {
            list.move_to(u64::MAX);
            settle(&mut list, &service);
            assert!(rows_at(&list).iter().all(|(place, row)| place == row), "{rows} {:?}", rows_at(&list));
        }
        assert_eq!((list.len(), list.cursor()), (rows, rows - 1), "{rows} + {count}");
        assert_eq!(list.disproved(), Some(rows + count as u64));
        list.move_to(0);
        settle(&mut list, &service);
        assert_eq!((list.len(), rows_at(&list).len()), (rows, 30));
    }
}

#[test]
fn a_service_that_has_come_right_is_believed_again() {
    let mut service = Service { count: Some(999_750), repeats: true, ..Service::of(250) };
    let mut list = PagedList::<Item>::default();
    list.set_height(30);
    settle(&mut list, &service);
    for _ in 0..5 {
        list.move_to(u64::MAX);
        settle(&mut list, &service);
    }
    assert_eq!(list.len(), 250);
    service = Service::of(400);
    list.reload();
    settle(&mut list, &service);
    assert_eq!((list.len(), list.disproved()), (400, None));
}

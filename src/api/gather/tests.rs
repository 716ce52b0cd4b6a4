use super::*;
use proptest::prelude::*;

/// A list that changes while it is read, and a service that gives its pages as it likes.
struct Service {
    rows: Vec<u64>,
    size: usize,
    counts: fn(u64, &[u64]) -> Option<u64>,
    beyond: Beyond,
}

#[derive(Clone, Copy, PartialEq)]
enum Beyond {
    Empty,
    Last,
    Refused,
}

impl Service {
    fn of(rows: u64) -> Self {
        Self { rows: (0..rows).collect(), size: 100, counts: |all, _| Some(all), beyond: Beyond::Empty }
    }

    fn page(&self, number: u64) -> Option<Page<u64>> {
        let last = self.rows.chunks(self.size).count().max(1) as u64;
        let number = if self.beyond == Beyond::Last { number.min(last) } else { number };
        if number > last && self.beyond == Beyond::Refused {
            return None;
        }
        let list = self.rows.chunks(self.size).nth(number as usize - 1).unwrap_or_default();
        Some(Page {
            list_len: list.len(),
            items: list.iter().copied().enumerate().collect(),
            total_count: (self.counts)(self.rows.len() as u64, list),
            page: Some(number),
            rows_per_page: None,
            problems: Vec::new(),
        })
    }
}

/// Reads it all; `between` changes the list before each request, which is numbered from 1.
fn gather(mut service: Service, mut between: impl FnMut(u64, &mut Vec<u64>)) -> (Vec<u64>, Gathered) {
    let (mut gather, mut all, mut requests) = (Gather::default(), Vec::new(), 0);
    while let Some(number) = gather.next() {
        requests += 1;
        assert!(requests < 5_000, "it never ends");
        between(requests, &mut service.rows);
        match service.page(number) {
            Some(page) => all.extend(gather.take(page, |n| *n)),
            None => gather.beyond_the_end(),
        }
    }
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len(), "nothing is given out twice");
    let gathered = gather.finish().expect("the end");
    assert_eq!((gathered.rows, gathered.requests), (all.len() as u64, requests));
    (all, gathered)
}

#[test]
fn a_list_that_stands_still_costs_its_pages() {
    for (rows, size, requests) in [(0, 100, 1), (1, 100, 1), (100, 100, 1), (250, 100, 3), (250, 20, 13)] {
        let (all, said) = gather(Service { size, ..Service::of(rows) }, |_, _| {});
        assert_eq!(all, (0..rows).collect::<Vec<_>>());
        assert_eq!((said.end, said.requests, said.gone), (End::Complete, requests, 0), "{rows} by {size}");
    }
}

#[test]
fn rows_that_come_in_at_the_top_are_fetched_without_reading_everything_again() {
    let mut next = 10_000;
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request % 3 == 0 && request <= 9 {
            for _ in 0..7 {
                rows.insert(0, next);
                next += 1;
            }
        }
    });
    assert_eq!((all.len(), said.end, said.total_count), (1_021, End::Complete, Some(1_021)));
    assert!(said.requests <= 13, "{}", said.requests);
}

#[test]
fn more_than_a_page_that_comes_in_at_once_is_no_end() {
    let mut next = 10_000;
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request % 4 == 0 && request <= 16 {
            for _ in 0..250 {
                rows.insert(0, next);
                next += 1;
            }
        }
    });
    assert_eq!((all.len(), said.end, said.total_count), (2_000, End::Complete, Some(2_000)));
    assert!(said.requests <= 32, "{}", said.requests);
}

#[test]
fn rows_that_come_in_anywhere_are_found() {
    let mut next = 10_000;
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request < 8 {
            rows.insert(request as usize * 37, next);
            next += 1;
        }
    });
    assert_eq!((all.len(), said.end), (1_007, End::Complete));
}

#[test]
fn rows_that_leave_push_none_of_the_others_out() {
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request == 4 {
            rows.drain(10..60);
        }
    });
    assert_eq!((said.end, said.total_count, said.gone), (End::Complete, Some(950), 50));
    assert!((300..1_000).all(|n| all.contains(&n)), "what slipped to an earlier page is there");
}

#[test]
fn rows_that_move_without_a_change_of_the_count_are_found() {
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request == 6 {
            rows.rotate_right(150);
        }
    });
    assert_eq!((all.len(), said.end), (1_000, End::Complete));
}

#[test]
fn a_count_that_is_too_small_ends_nothing() {
    let short = |_, list: &[u64]| Some((list.len() as u64).saturating_sub(1));
    let (all, said) = gather(Service { counts: short, ..Service::of(345) }, |_, _| {});
    assert_eq!(all.len(), 345);
    assert_ne!(said.end, End::Complete);
}

#[test]
fn a_count_that_is_too_large_is_said_after_one_more_look() {
    for beyond in [Beyond::Empty, Beyond::Last, Beyond::Refused] {
        let huge = |all, _: &[u64]| Some(all * 1_000 + 9_000_000);
        let (all, said) = gather(Service { counts: huge, beyond, ..Service::of(345) }, |_, _| {});
        assert_eq!((all.len(), said.end, said.requests), (345, End::Disagrees, 10));
    }
}

#[test]
fn without_a_count_only_an_empty_page_is_the_end() {
    for (beyond, size) in [Beyond::Empty, Beyond::Last, Beyond::Refused].into_iter().zip([100, 20, 100]) {
        let service = Service { counts: |_, _| None, beyond, size, ..Service::of(300) };
        let (all, said) = gather(service, |_, _| {});
        let requests = if size == 20 { 16 } else { 4 };
        assert_eq!((all.len(), said.end, said.requests), (300, End::Uncounted, requests));
    }
}

#[test]
fn a_list_that_never_rests_is_given_up_and_said() {
    let mut next = 10_000;
    let (_, said) = gather(Service::of(1_000), |_, rows| {
        rows.pop();
        rows.rotate_right(13);
        rows.insert(500, next);
        rows.insert(510, next + 1);
        next += 2;
        rows.remove(3);
        rows.remove(4);
    });
    assert_eq!(said.end, End::Moving);
}

#[test]
fn records_that_cannot_be_read_are_counted_and_named() {
    let mut service = Gather::default();
    let page = Page {
        list_len: 3,
        items: vec![(0, 1_u64), (2, 3)],
        total_count: Some(3),
        page: Some(1),
        rows_per_page: None,
        problems: vec![RecordProblem { place: "list[1]".into(), why: "badge_id is missing".into() }],
    };
    assert_eq!(service.take(page, |n| *n), [1, 3]);
    let said = service.finish().expect("the end");
    assert_eq!((said.end, said.unreadable, said.rows), (End::Unreadable, 1, 2));
    assert_eq!(said.problems[0].place, "page 1, list[1]");
}

proptest! {
    /// Whatever comes in, wherever, while pages are read: once it rests, all of it is there, once.
    #[test]
    fn nothing_is_missing_from_a_list_that_only_grows(
        rows in 0_u64..600,
        size in 1_usize..120,
        inserts in proptest::collection::vec((1_u64..20, any::<proptest::sample::Index>()), 0..12),
    ) {
        let mut next = 1_000_000;
        let mut last = Vec::new();
        let (mut all, said) = gather(Service { size, ..Service::of(rows) }, |request, rows| {
            for (at, place) in &inserts {
                if *at == request {
                    rows.insert(place.index(rows.len() + 1), next);
                    next += 1;
                }
            }
            last.clone_from(rows);
        });
        prop_assert_eq!(said.end, End::Complete);
        all.sort_unstable();
        last.sort_unstable();
        prop_assert_eq!(all, last);
    }
}

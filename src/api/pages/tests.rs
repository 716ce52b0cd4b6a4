use super::super::error::Refusal;
use super::*;
use proptest::prelude::*;

/// A list that changes while it is read, on a service with configurable pages.
struct Service {
    rows: Vec<u64>,
    size: usize,
    counts: fn(u64, &[u64]) -> Option<u64>,
    beyond: Beyond,
    /// Pages of a hundred that are returned wrongly.
    bad: fn(u64) -> Bad,
}

#[derive(Clone, Copy, PartialEq)]
enum Beyond {
    Empty,
    Last,
    Refused,
}

#[derive(Clone, Copy, PartialEq)]
enum Bad {
    No,
    /// For any page size.
    Empty,
    /// Empty if a hundred rows are requested.
    EmptyAtAHundred,
    Unreadable,
}

fn unreadable() -> ApiError {
    ApiError::Unreadable { status: 200, what: localizable!("no value"), fewer: false }
}

impl Service {
    fn of(rows: u64) -> Self {
        Self {
            rows: (0..rows).collect(),
            size: 100,
            counts: |all, _| Some(all),
            beyond: Beyond::Empty,
            bad: |_| Bad::No,
        }
    }

    fn answer(&self, wanted: PageRequest) -> ApiResult<Page<u64>> {
        let size = self.size.min(wanted.rows as usize);
        let last = self.rows.chunks(size).count().max(1) as u64;
        let number = if self.beyond == Beyond::Last { wanted.page.min(last) } else { wanted.page };
        if number > last && self.beyond == Beyond::Refused {
            let refusal = Refusal { status: 404, code: None, message: None };
            return Err(ApiError::NotFound(refusal));
        }
        let mut list = self.rows.chunks(size).nth(number as usize - 1).unwrap_or_default();
        match (self.bad)((number - 1) * size as u64 / 100 + 1) {
            Bad::Unreadable => return Err(unreadable()),
            Bad::Empty => list = &[],
            Bad::EmptyAtAHundred if wanted.rows == 100 => list = &[],
            Bad::EmptyAtAHundred | Bad::No => {}
        }
        Ok(Page {
            list_len: list.len(),
            items: list.iter().copied().enumerate().collect(),
            total_count: (self.counts)(self.rows.len() as u64, list),
            page: Some(number),
            rows_per_page: None,
            problems: Vec::new(),
        })
    }
}

/// Reads everything. `between` changes the list before each request; requests are numbered from 1.
fn gather(mut service: Service, mut between: impl FnMut(u64, &mut Vec<u64>)) -> (Vec<u64>, ReadTotals) {
    let (mut reader, mut all, mut requests) = (PageReader::default(), Vec::new(), 0);
    while let Some(wanted) = reader.next() {
        requests += 1;
        assert!(requests < 5_000, "it never ends");
        between(requests, &mut service.rows);
        all.extend(reader.take(service.answer(wanted), |n| *n).expect("no page fails"));
    }
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len(), "nothing is given out twice");
    let gathered = reader.finish().expect("the end");
    assert_eq!((gathered.rows, gathered.requests), (all.len() as u64, requests));
    (all, gathered)
}

#[test]
fn a_list_that_stands_still_costs_its_pages() {
    for (rows, size, requests) in [(0, 100, 1), (1, 100, 1), (100, 100, 1), (250, 100, 3), (250, 20, 13)] {
        let (all, said) = gather(Service { size, ..Service::of(rows) }, |_, _| {});
        assert_eq!(all, (0..rows).collect::<Vec<_>>());
        assert_eq!(
            (said.end, said.requests, said.gone),
            (ListEnd::Complete, requests, 0),
            "{rows} by {size}"
        );
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
    assert_eq!((all.len(), said.end, said.total_count), (1_021, ListEnd::Complete, Some(1_021)));
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
    assert_eq!((all.len(), said.end, said.total_count), (2_000, ListEnd::Complete, Some(2_000)));
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
    assert_eq!((all.len(), said.end), (1_007, ListEnd::Complete));
}

#[test]
fn rows_that_leave_push_none_of_the_others_out() {
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request == 4 {
            rows.drain(10..60);
        }
    });
    assert_eq!((said.end, said.total_count, said.gone), (ListEnd::Complete, Some(950), 50));
    assert!((300..1_000).all(|n| all.contains(&n)), "what slipped to an earlier page is there");
}

#[test]
fn rows_that_move_without_a_change_of_the_count_are_found() {
    let (all, said) = gather(Service::of(1_000), |request, rows| {
        if request == 6 {
            rows.rotate_right(150);
        }
    });
    assert_eq!((all.len(), said.end), (1_000, ListEnd::Complete));
}

#[test]
fn a_count_that_is_too_small_ends_nothing() {
    let short = |_, list: &[u64]| Some((list.len() as u64).saturating_sub(1));
    let (all, said) = gather(Service { counts: short, ..Service::of(345) }, |_, _| {});
    assert_eq!(all.len(), 345);
    assert_ne!(said.end, ListEnd::Complete);
}

#[test]
fn a_count_that_is_too_large_is_said_after_three_pages_without_anything_new() {
    for beyond in [Beyond::Empty, Beyond::Last, Beyond::Refused] {
        let huge = |all, _: &[u64]| Some(all * 1_000 + 9_000_000);
        let (all, said) = gather(Service { counts: huge, beyond, ..Service::of(345) }, |_, _| {});
        assert_eq!((all.len(), said.end, said.requests), (345, ListEnd::Disagrees, 7));
    }
}

#[test]
fn without_a_count_an_empty_page_or_three_without_anything_new_are_the_end() {
    for (beyond, size) in [Beyond::Empty, Beyond::Last, Beyond::Refused].into_iter().zip([100, 20, 100]) {
        let service = Service { counts: |_, _| None, beyond, size, ..Service::of(300) };
        let (all, said) = gather(service, |_, _| {});
        let requests = if beyond == Beyond::Last { 15 + 3 } else { 4 };
        // After a full page, an empty one may hide more.
        let end = if beyond == Beyond::Last { ListEnd::Uncounted } else { ListEnd::Unconfirmed };
        assert_eq!((all.len(), said.end, said.requests), (300, end, requests));
    }
    for rows in [0, 30, 250] {
        let (all, said) = gather(Service { counts: |_, _| None, ..Service::of(rows) }, |_, _| {});
        assert_eq!((all.len() as u64, said.end), (rows, ListEnd::Uncounted), "{rows}");
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
    assert_eq!(said.end, ListEnd::Moving);
}

#[test]
fn records_that_cannot_be_read_are_counted_and_named() {
    let mut reader = PageReader::default();
    let page = Page {
        list_len: 3,
        items: vec![(0, 1_u64), (2, 3)],
        total_count: Some(3),
        page: Some(1),
        rows_per_page: None,
        problems: vec![RecordProblem { place: "list[1]".into(), why: localizable!("no value") }],
    };
    assert_eq!(reader.take(Ok(page), |n| *n), Ok(vec![1, 3]));
    let said = reader.finish().expect("the end");
    assert_eq!((said.end, said.unreadable, said.rows), (ListEnd::Unreadable, 1, 2));
    assert_eq!(said.problems[0].place, "page 1, list[1]");
}

#[test]
fn an_empty_page_in_the_middle_ends_nothing() {
    for bad in [
        |page| if page == 1 { Bad::Empty } else { Bad::No },
        |page| if page == 7 { Bad::Empty } else { Bad::No },
    ] {
        let (all, said) = gather(Service { bad, ..Service::of(950) }, |_, _| {});
        assert_eq!((all.len(), said.end, said.total_count), (850, ListEnd::Disagrees, Some(950)));
        assert!(said.requests <= 10 + 5, "{}", said.requests);
    }
    // The last page, which has fewer rows.
    let bad = |page| if page == 10 { Bad::Empty } else { Bad::No };
    let (all, said) = gather(Service { bad, ..Service::of(950) }, |_, _| {});
    assert_eq!((all.len(), said.end), (900, ListEnd::Disagrees));
    assert!(said.requests <= 10 + 5, "{}", said.requests);
}

#[test]
fn an_empty_page_is_asked_for_again_in_halves() {
    for gap in [
        |page| if page == 4 { Bad::EmptyAtAHundred } else { Bad::No },
        |page| if page == 10 { Bad::EmptyAtAHundred } else { Bad::No },
    ] {
        let (mut all, said) = gather(Service { bad: gap, ..Service::of(1_000) }, |_, _| {});
        all.sort_unstable();
        assert_eq!((all, said.end), ((0..1_000).collect(), ListEnd::Complete));
        assert!(said.requests <= 10 + 5, "{}", said.requests);
    }
}

#[test]
fn a_page_that_was_short_once_is_asked_for_again() {
    for (rows, page, requests) in [(300, 1, 8), (300, 2, 8), (50, 1, 6), (50, 1, 6)] {
        let (mut reader, mut all, mut once) = (PageReader::default(), Vec::new(), true);
        while let Some(wanted) = reader.next() {
            let mut answer = Service::of(rows).answer(wanted).expect("a page");
            if wanted == (PageRequest { page, rows: 100 }) && std::mem::take(&mut once) {
                answer.items.pop();
                answer.list_len -= 1;
            }
            all.extend(reader.take(Ok(answer), |n| *n).expect("a page"));
        }
        let said = reader.finish().expect("the end");
        assert_eq!((said.end, all.len() as u64), (ListEnd::Complete, rows));
        assert!(said.requests <= requests, "{rows}, {page}: {}", said.requests);
    }
}

#[test]
fn a_page_that_cannot_be_read_is_passed_over_and_said() {
    let bad = |page| if page == 3 { Bad::Unreadable } else { Bad::No };
    let (all, said) = gather(Service { bad, ..Service::of(1_000) }, |_, _| {});
    assert_eq!((all.len(), said.end, said.unreadable), (900, ListEnd::Unreadable, 100));
    assert_eq!(said.problems[0].place, "page 3, data");
    assert!(said.requests <= 10 + 5, "{}", said.requests);
}

#[test]
fn a_service_of_which_no_page_can_be_read_has_no_empty_list() {
    for counts in [|_, _: &[u64]| None, |all, _: &[u64]| Some(all)] {
        let mut reader = PageReader::default();
        let service = Service { bad: |_| Bad::Unreadable, counts, ..Service::of(1_000) };
        while let Some(wanted) = reader.next() {
            assert_eq!(reader.take(service.answer(wanted), |n| *n), Ok(Vec::new()));
        }
        assert!(reader.failure().is_some());
        let said = reader.finish().expect("the end");
        assert_eq!((said.end, said.rows, said.requests), (ListEnd::Unreadable, 0, 3));
    }
}

#[test]
fn a_last_page_that_is_given_for_ever_ends_after_three() {
    let huge = |_, _: &[u64]| Some(225_100);
    let service = Service { counts: huge, beyond: Beyond::Last, ..Service::of(250) };
    let (all, said) = gather(service, |_, _| {});
    assert_eq!((all.len(), said.end, said.requests), (250, ListEnd::Disagrees, 6));
}

#[test]
fn rows_without_end_are_stopped() {
    // Every page has new records, for any count.
    let mut reader = PageReader::default();
    while let Some(wanted) = reader.next() {
        assert!(reader.requests() < 3 + 5, "it never ends");
        let list: Vec<u64> = ((wanted.page - 1) * 100..wanted.page * 100).collect();
        let page = Page {
            list_len: 100,
            total_count: Some(250),
            items: list.into_iter().enumerate().collect(),
            page: None,
            rows_per_page: None,
            problems: Vec::new(),
        };
        reader.take(Ok(page), |n| *n).expect("a page");
    }
    let said = reader.finish().expect("the end");
    assert_eq!((said.end, said.rows, said.requests), (ListEnd::Stopped, 800, 8), "what was found is used");
    // The same with a huge count, no count, and a wrong count.
    for (total, most) in [(Some(u64::MAX), 100_000 + 5), (None, 10_000 + 5), (Some(99), 10_000 + 5)] {
        let mut pass = Pass::default();
        while pass.next().is_some() {
            pass.take(PassPage { len: 100, fresh: 100, total, ..PassPage::default() });
        }
        assert_eq!((pass.stop(), pass.pages()), (Some(PassStop::Limit), most), "{total:?}");
    }
}

#[test]
fn rows_that_come_in_faster_than_they_are_read_are_stopped() {
    let mut next = 1_000_000;
    let (all, said) = gather(Service::of(2_000), |_, rows| {
        for _ in 0..150 {
            rows.insert(0, next);
            next += 1;
        }
    });
    assert_eq!(said.end, ListEnd::Stopped);
    assert!(said.requests <= 2 * 20 + 5 + 10, "{}", said.requests);
    assert!(all.len() > 2_000);
}

async fn whole_of(rows: u64, size: u64, count: Option<u64>, most: u64) -> ReadList<u64> {
    read_at_most(
        most,
        |n| *n,
        |wanted| async move {
            let list: Vec<u64> = ((wanted.page - 1) * size..(wanted.page * size).min(rows)).collect();
            Ok(Page {
                list_len: list.len(),
                items: list.into_iter().enumerate().collect(),
                total_count: count,
                page: Some(wanted.page),
                rows_per_page: Some(size),
                problems: Vec::new(),
            })
        },
    )
    .await
    .expect("no page fails")
}

#[tokio::test]
async fn a_short_list_is_read_to_its_count_whatever_the_page_size() {
    for size in [1, 20, 100] {
        let all = whole_of(250, size, Some(250), 1000).await;
        assert_eq!(all.items, (0..250).collect::<Vec<_>>());
        assert!(all.complete);
        assert_eq!(u64::from(all.requests), 250_u64.div_ceil(size));
    }
}

#[tokio::test]
async fn a_short_list_says_when_it_is_not_complete() {
    let bounded = whole_of(1000, 100, Some(1000), 3).await;
    assert_eq!((bounded.items.len(), bounded.complete), (300, false));
    let lied_to = whole_of(30, 100, Some(40), 10).await;
    assert_eq!((lied_to.items.len(), lied_to.complete), (30, false));
    assert!(lied_to.requests <= 2 + 5, "{}", lied_to.requests);
    let counted_low = whole_of(250, 100, Some(50), 10).await;
    assert_eq!((counted_low.items.len(), counted_low.complete), (250, false));
    let uncounted = whole_of(130, 100, None, 10).await;
    assert_eq!((uncounted.items.len(), uncounted.complete), (130, true));
    let unread = read_at_most::<u64, u64, _>(10, |n| *n, |_| async { Err(unreadable()) }).await;
    assert_eq!(unread, Err(unreadable()));
}

proptest! {
    /// Records may arrive while pages are read: once the list rests, every record was returned exactly once.
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
        prop_assert_eq!(said.end, ListEnd::Complete);
        all.sort_unstable();
        last.sort_unstable();
        prop_assert_eq!(all, last);
    }
}

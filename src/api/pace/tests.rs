//! Tests of the rate limiter with a paused clock, checked against the service's window.

use super::queue::HALVED_FOR;
use super::*;
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::time::{advance, sleep};

const SHORTEST: Duration = Duration::from_secs(1);

impl Pace {
    pub(super) fn new(limit: u32) -> Arc<Self> {
        Self::with_window(limit, WINDOW)
    }

    pub(super) async fn turn(
        self: &Arc<Self>,
        priority: Priority,
        cancel: &CancellationToken,
    ) -> ApiResult<Permit> {
        let span = SlotTimes { usable: Duration::from_secs(10), reach: Duration::from_secs(30) };
        self.turn_within(priority, span, cancel).await
    }
}

fn token() -> CancellationToken {
    CancellationToken::new()
}

async fn interactive(pace: &Arc<Pace>) -> Permit {
    let mut permit = pace.turn(Priority::Interactive, &token()).await.expect("a turn");
    permit.sent();
    permit
}

/// Runs all tasks that can run, without letting time pass.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Half-open windows.
fn fullest_window(seen: &[Instant]) -> usize {
    let mut seen = seen.to_vec();
    seen.sort();
    let within = |from: Instant| seen.iter().filter(|at| **at >= from && **at < from + WINDOW).count();
    seen.iter().map(|from| within(*from)).max().unwrap_or(0)
}

#[tokio::test(start_paused = true)]
async fn only_own_requests_make_a_process_busy() {
    let pace = Pace::new(5);
    pace.lock().others = Some((3, Instant::now() + WINDOW));
    assert_eq!((pace.status_now().used_last_minute, pace.status_now().is_busy), (3, false));
    let permit = interactive(&pace).await;
    assert_eq!((pace.status_now().used_last_minute, pace.status_now().is_busy), (4, true));
    drop(permit);
    assert!(!pace.status_now().is_busy, "it was answered");
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_held_until_a_minute_after_the_answer() {
    let pace = Pace::new(1);
    let first = interactive(&pace).await;
    let start = Instant::now();
    let waiting = tokio::spawn({
        let pace = pace.clone();
        async move {
            drop(interactive(&pace).await);
            Instant::now()
        }
    });
    // A response takes 100 s: the service may have seen the request only at the end.
    sleep(Duration::from_secs(100)).await;
    assert!(!waiting.is_finished());
    assert_eq!((pace.status_now().waiting, pace.status_now().used_last_minute), (1, 1));
    drop(first);
    assert_eq!(waiting.await.expect("no panic") - start, Duration::from_secs(160));
}

#[tokio::test(start_paused = true)]
async fn people_go_first_and_the_background_gets_a_quarter() {
    let pace = Pace::new(8);
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = Vec::new();
    for (index, priority) in
        [Priority::Background; 5].into_iter().chain([Priority::Interactive; 10]).enumerate()
    {
        let (pace, order) = (pace.clone(), order.clone());
        tasks.push(tokio::spawn(async move {
            let mut permit = pace.turn(priority, &token()).await.expect("a turn");
            permit.sent();
            order.lock().expect("lock").push((index, priority));
            drop(permit);
        }));
        settle().await;
    }
    // 2 background calls (a quarter of 8), then 6 interactive ones: the limit is reached.
    let so_far: Vec<_> = order.lock().expect("lock").iter().map(|(_, p)| *p).collect();
    assert_eq!(so_far.iter().filter(|p| **p == Priority::Background).count(), 2);
    assert_eq!(so_far.len(), 8);
    advance(WINDOW).await;
    settle().await;
    let next: Vec<_> = order.lock().expect("lock")[8..].iter().map(|(i, _)| *i).collect();
    // The scheduler decides the order among waiters with a turn.
    let people: Vec<_> = next.iter().copied().filter(|i| *i >= 5).collect();
    let background: Vec<_> = next.iter().copied().filter(|i| *i < 5).collect();
    assert_eq!((people, background), (vec![11, 12, 13, 14], vec![2, 3]));
    advance(WINDOW).await;
    for task in tasks {
        task.await.expect("no panic");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_leaves_the_queue_leaves_no_gap() {
    let pace = Pace::new(1);
    let first = interactive(&pace).await;
    let cancel = token();
    let spawn = |cancel: CancellationToken| {
        let pace = pace.clone();
        tokio::spawn(async move { pace.turn(Priority::Interactive, &cancel).await.map(|_unsent| ()) })
    };
    let dropped = spawn(token());
    let cancelled = spawn(cancel.clone());
    let last = spawn(token());
    settle().await;
    assert_eq!(pace.status_now().waiting, 3);
    dropped.abort();
    cancel.cancel();
    settle().await;
    assert_eq!(pace.status_now().waiting, 1);
    assert_eq!(cancelled.await.expect("no panic"), Err(ApiError::Cancelled));
    drop(first);
    advance(WINDOW).await;
    settle().await;
    assert_eq!(last.await.expect("no panic"), Ok(()));
    assert_eq!(pace.status_now().used_last_minute, 0, "a turn that was not used costs nothing");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_as_its_waiter_leaves_goes_to_the_next() {
    let pace = Pace::new(1);
    let first = interactive(&pace).await;
    let leaving = {
        let pace = pace.clone();
        let mut turn = Box::pin(async move { pace.turn(Priority::Interactive, &token()).await });
        assert!(futures_poll(&mut turn).await.is_none());
        turn
    };
    let next = tokio::spawn({
        let pace = pace.clone();
        async move { drop(interactive(&pace).await) }
    });
    settle().await;
    drop(first);
    advance(WINDOW).await;
    // Another waiter joins the queue. That grants the turn to the first one, which does not check any more.
    let third = tokio::spawn({
        let pace = pace.clone();
        async move { drop(interactive(&pace).await) }
    });
    settle().await;
    assert!(!next.is_finished() && pace.status_now().waiting == 2);
    drop(leaving);
    settle().await;
    assert_eq!(
        (next.is_finished(), pace.status_now().waiting, pace.status_now().used_last_minute),
        (true, 1, 1)
    );
    third.abort();
    next.await.expect("no panic");
}

async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match std::pin::Pin::new(&mut *future).poll(cx) {
            std::task::Poll::Ready(out) => Some(out),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn what_was_dropped_under_way_still_counts() {
    let pace = Pace::new(2);
    drop(interactive(&pace).await);
    let under_way = tokio::spawn({
        let pace = pace.clone();
        async move {
            let _permit = interactive(&pace).await;
            std::future::pending::<()>().await;
        }
    });
    settle().await;
    under_way.abort();
    settle().await;
    assert_eq!(pace.status_now().used_last_minute, 2);
    advance(WINDOW).await;
    assert_eq!(pace.status_now().used_last_minute, 0);
}

async fn share(pace: &Arc<Pace>) -> usize {
    let mut permits = Vec::new();
    loop {
        let never = token();
        let turn = pace.turn(Priority::Background, &never);
        match tokio::time::timeout(Duration::from_millis(1), turn).await {
            Ok(permit) => permits.push(permit.expect("a turn")),
            Err(_) => return permits.len(),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_429_the_background_takes_half_as_much_for_a_while() {
    let pace = Pace::new(80);
    assert_eq!(share(&pace).await, 20);
    pace.hold(Some(Duration::from_secs(1)), SHORTEST);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(share(&pace).await, 10);
    pace.hold(Some(Duration::from_secs(1)), SHORTEST);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(share(&pace).await, 5);
    sleep(HALVED_FOR).await;
    assert_eq!(share(&pace).await, 20);
}

#[tokio::test(start_paused = true)]
async fn a_hold_stops_people_too_and_is_seen() {
    let pace = Pace::new(100);
    assert_eq!(pace.hold(Some(Duration::from_secs(7)), SHORTEST), Duration::from_secs(7));
    let mut watch = pace.watch();
    let start = Instant::now();
    assert_eq!(watch.borrow_and_update().held_until, Some(start + Duration::from_secs(7)));
    // A shorter `Retry-After` that comes later does not shorten the hold.
    pace.hold(Some(Duration::from_secs(1)), SHORTEST);
    let mut turns = Vec::new();
    for priority in [Priority::Interactive, Priority::Background, Priority::Interactive] {
        let pace = pace.clone();
        turns.push(tokio::spawn(async move {
            pace.turn(priority, &token()).await.expect("a turn");
            Instant::now()
        }));
    }
    settle().await;
    assert_eq!(pace.status_now().waiting, 3);
    for turn in turns {
        assert_eq!(turn.await.expect("no panic") - start, Duration::from_secs(7));
    }
    assert_eq!(pace.status_now().held_until, None);
}

#[tokio::test(start_paused = true)]
async fn blind_waits_grow_and_an_answer_resets_them() {
    let pace = Pace::new(100);
    let mut waits = Vec::new();
    for _ in 0..6 {
        let wait = pace.hold(None, SHORTEST);
        waits.push(wait.as_secs());
        // Refused together with the first: counts as the same refusal.
        pace.hold(None, SHORTEST);
        advance(wait).await;
    }
    assert_eq!(waits, [5, 10, 20, 40, 60, 60]);
    pace.note(None);
    assert_eq!(pace.hold(None, SHORTEST), BLIND_WAIT);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_retry_after_of_zero_doubles_the_wait() {
    let pace = Pace::new(100);
    let mut waits = Vec::new();
    for _ in 0..5 {
        let wait = pace.hold(Some(Duration::ZERO), SHORTEST);
        waits.push(wait.as_millis());
        advance(wait).await;
        pace.status_now();
    }
    assert_eq!(waits, [1000, 2000, 4000, 8000, 16_000]);
}

#[tokio::test(start_paused = true)]
async fn an_absurd_hold_is_obeyed_and_can_be_left() {
    let pace = Pace::new(100);
    pace.hold(Some(Duration::from_secs(u64::MAX)), SHORTEST);
    let cancel = token();
    let turn = tokio::spawn({
        let (pace, cancel) = (pace.clone(), cancel.clone());
        async move { pace.turn(Priority::Interactive, &cancel).await.map(drop) }
    });
    sleep(Duration::from_secs(24 * 3600)).await;
    assert!(!turn.is_finished());
    assert!(pace.status_now().held_until.is_some());
    cancel.cancel();
    assert_eq!(turn.await.expect("no panic"), Err(ApiError::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_link_status_notifies_once() {
    let pace = Pace::new(10);
    let mut watch = pace.watch();
    watch.borrow_and_update();
    pace.status_now();
    pace.note(Some(LinkTrouble::Unreachable));
    assert!(watch.has_changed().expect("open"));
    watch.borrow_and_update();
    pace.note(Some(LinkTrouble::Unreachable));
    pace.status_now();
    assert!(!watch.has_changed().expect("open"), "nothing new");
    let permit = interactive(&pace).await;
    drop(permit);
    let status = watch.borrow_and_update().clone();
    assert_eq!((status.used_last_minute, status.limit), (1, 10));
    let next = status.next_change.expect("the slot is freed some time");
    tokio::time::sleep_until(next).await;
    assert_eq!(pace.status_now().used_last_minute, 0);
    assert_eq!(watch.borrow().used_last_minute, 0);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_a_minute_is_reached_and_not_passed() {
    let pace = Pace::new(1000);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let left = Arc::new(AtomicU32::new(3000));
    let start = Instant::now();
    let workers: Vec<_> = (0..32)
        .map(|_| {
            let (pace, seen, left) = (pace.clone(), seen.clone(), left.clone());
            tokio::spawn(async move {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                    let permit = interactive(&pace).await;
                    sleep(Duration::from_millis(20)).await;
                    seen.lock().expect("lock").push(Instant::now());
                    sleep(Duration::from_millis(20)).await;
                    drop(permit);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("no panic");
    }
    assert_eq!(seen.lock().expect("lock").len(), 3000);
    assert_eq!(fullest_window(&seen.lock().expect("lock")), 1000);
    // 3000 requests take two full windows and little more.
    assert!(start.elapsed() < Duration::from_secs(130), "{:?}", start.elapsed());
}

#[derive(Clone, Debug)]
struct Made {
    comes: u64,
    background: bool,
    seen_after: u64,
    ends_after: u64,
    fate: u8,
}

fn made() -> impl Strategy<Value = Made> {
    (0..200_000u64, any::<bool>(), 0..90_000u64, 0..30_000u64, 0..10u8).prop_map(
        |(comes, background, seen_after, rest, fate)| Made {
            comes,
            background,
            seen_after,
            ends_after: seen_after + rest,
            fate,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_window_of_the_service_ever_holds_more(
        limit in 1..24u32,
        requests in prop::collection::vec(made(), 1..120),
        holds in prop::collection::vec((0..200_000u64, prop::option::of(0..40u64)), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()
            .expect("a runtime");
        runtime.block_on(async move {
            let pace = Pace::new(limit);
            let seen = Arc::new(Mutex::new(Vec::new()));
            let granted = Arc::new(Mutex::new(Vec::new()));
            let held = Arc::new(Mutex::new(Vec::new()));
            let cut = Arc::new(AtomicU32::new(0));
            let mut tasks = Vec::new();
            for (at, asked) in holds {
                let (pace, held) = (pace.clone(), held.clone());
                tasks.push(tokio::spawn(async move {
                    sleep(Duration::from_millis(at)).await;
                    let wait = pace.hold(asked.map(Duration::from_secs), SHORTEST);
                    held.lock().expect("lock").push((Instant::now(), wait));
                }));
            }
            for made in requests {
                let (pace, seen, granted, cut) = (pace.clone(), seen.clone(), granted.clone(), cut.clone());
                tasks.push(tokio::spawn(async move {
                    sleep(Duration::from_millis(made.comes)).await;
                    let cancel = token();
                    if made.fate == 0 {
                        let cancel = cancel.clone();
                        tokio::spawn(async move {
                            sleep(Duration::from_millis(made.ends_after)).await;
                            cancel.cancel();
                        });
                    }
                    let priority = if made.background { Priority::Background } else { Priority::Interactive };
                    let Ok(mut permit) = pace.turn(priority, &cancel).await else {
                        cut.fetch_add(1, Ordering::Relaxed);
                        return;
                    };
                    granted.lock().expect("lock").push((Instant::now(), priority));
                    permit.sent();
                    sleep(Duration::from_millis(made.seen_after)).await;
                    seen.lock().expect("lock").push(Instant::now());
                    // Fate 1: cancelled as soon as the service has seen it.
                    if made.fate != 1 {
                        sleep(Duration::from_millis(made.ends_after - made.seen_after)).await;
                    }
                }));
            }
            let count = tasks.len();
            for task in tasks {
                task.await.expect("no panic");
            }
            let seen = seen.lock().expect("lock").clone();
            assert!(fullest_window(&seen) <= limit as usize, "{} in a window", fullest_window(&seen));
            let granted = granted.lock().expect("lock").clone();
            let background: Vec<_> =
                granted.iter().filter(|(_, p)| *p == Priority::Background).map(|(at, _)| *at).collect();
            assert!(fullest_window(&background) <= (limit as usize / 4).max(1));
            for (from, wait) in held.lock().expect("lock").iter() {
                assert!(!granted.iter().any(|(at, _)| at > from && *at < *from + *wait), "a hold was broken");
            }
            assert_eq!(pace.status_now().waiting, 0);
            assert!(count > 0);
        });
    }
}

/// Each process has its own queue, and all share one file.
fn processes(folder: &Path, count: usize, limit: u32, window: Duration) -> Vec<Arc<Pace>> {
    let process = |_| {
        let pace = Pace::with_window(limit, window);
        pace.share_in(folder, "one key at one origin".to_owned());
        assert_eq!(pace.alone(), None);
        pace
    };
    (0..count).map(process).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_one_limit_and_use_it_up() {
    const LIMIT: u32 = 20;
    const WINDOW: Duration = Duration::from_millis(250);
    let folder = tempfile::tempdir().expect("a folder");
    let (seen, background) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for (n, pace) in processes(folder.path(), 6, LIMIT, WINDOW).into_iter().enumerate() {
        for worker in 0..4 {
            let (pace, seen, background) = (pace.clone(), seen.clone(), background.clone());
            let priority = if (n + worker) % 4 == 0 { Priority::Background } else { Priority::Interactive };
            tasks.push(tokio::spawn(async move {
                for _ in 0..5 {
                    let mut permit = pace.turn(priority, &token()).await.expect("a turn");
                    assert!(permit.is_fresh());
                    permit.sent();
                    let now = Instant::now();
                    seen.lock().expect("lock").push(now);
                    if priority == Priority::Background {
                        background.lock().expect("lock").push(now);
                    }
                    drop(permit);
                }
            }));
        }
    }
    for task in tasks {
        task.await.expect("no panic");
    }
    let fullest = |moments: &Mutex<Vec<Instant>>| {
        let moments = moments.lock().expect("lock");
        let within =
            |from: &Instant| moments.iter().filter(|at| *at >= from && **at < *from + WINDOW).count();
        moments.iter().map(within).max().unwrap_or(0)
    };
    assert_eq!(seen.lock().expect("lock").len(), 120);
    assert!(fullest(&seen) <= LIMIT as usize, "{}", fullest(&seen));
    assert!(fullest(&background) <= LIMIT as usize / 4, "{}", fullest(&background));
    // Six windows of twenty are enough; the rest is for slow machines.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_is_known_to_every_process_and_to_those_that_start_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = processes(folder.path(), 2, 10, WINDOW);
    let waiting = tokio::spawn({
        let pace = all[1].clone();
        async move { pace.turn(Priority::Interactive, &token()).await.map(drop) }
    });
    waiting.await.expect("no panic").expect("nothing is held yet");
    all[0].hold(Some(Duration::from_secs(3600)), SHORTEST);
    all[0].flush().await;
    let cancel = token();
    let held = tokio::spawn({
        let (pace, cancel) = (all[1].clone(), cancel.clone());
        async move { pace.turn(Priority::Interactive, &cancel).await.map(drop) }
    });
    let mut status = all[1].watch();
    status.wait_for(|status| status.held_until.is_some() && status.waiting == 1).await.expect("held");
    cancel.cancel();
    assert_eq!(held.await.expect("no panic"), Err(ApiError::Cancelled));
    let later = processes(folder.path(), 1, 10, WINDOW).remove(0);
    let left = later.held_for();
    assert!(left > Duration::from_secs(3590) && left <= Duration::from_secs(3600), "{left:?}");
    // Only a ping that a person asked for goes through. Its answer ends the hold for all processes.
    let span = SlotTimes { usable: Duration::from_secs(10), reach: Duration::from_secs(30) };
    assert!(later.turn_through(span).await.is_some());
    later.lift();
    later.flush().await;
    drop(later.turn(Priority::Interactive, &token()).await.expect("a turn"));
    let after = processes(folder.path(), 1, 10, WINDOW).remove(0);
    assert_eq!(after.held_for(), Duration::ZERO);
}

#[tokio::test]
async fn who_cannot_share_takes_a_quarter_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("pace.sqlite"), "no database").expect("written");
    let pace = Pace::new(40);
    pace.share_in(folder.path(), "x".to_owned());
    let why = pace.alone().expect("it says so");
    let why = why.to_string();
    assert!(why.contains("pace.sqlite") && why.contains("at most 10 requests"), "{why}");
    assert!(pace.status_now().alone.is_some());
    assert_eq!((pace.status_now().limit, share(&pace).await), (10, 2));
}

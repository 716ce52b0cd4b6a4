//! Pauses input while another program uses the terminal, so that lapel reads none of its keys.

use crate::tui::prelude::*;
use std::sync::{Condvar, Mutex, PoisonError};

/// The reading thread never pauses while it reads an answer of the terminal that it does not understand.
const PATIENCE: Duration = Duration::from_secs(1);

/// All clones share one state. The pause starts open.
#[derive(Clone, Default)]
pub struct InputPause(Arc<(Mutex<PauseState>, Condvar)>);

#[derive(Default)]
struct PauseState {
    closed: bool,
    /// Whether the reading thread is waiting and reads nothing.
    stands: bool,
}

impl InputPause {
    /// `wake` interrupts the reading thread. Returns whether the thread waits; if not, the pause is open again.
    pub fn close(&self, wake: impl FnOnce() -> bool) -> bool {
        let (state, news) = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        let woken = wake();
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = if woken { PATIENCE } else { Duration::ZERO };
        let (mut state, _) = news
            .wait_timeout_while(state, patience, |state| !state.stands)
            .unwrap_or_else(PoisonError::into_inner);
        state.closed = state.stands;
        state.stands
    }

    pub fn open(&self) {
        let (state, news) = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        news.notify_all();
    }

    /// Blocks the reading thread while the pause is closed. The thread calls this before each read.
    pub fn pass(&self) {
        let (state, news) = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.closed {
            state.stands = true;
            news.notify_all();
            state = news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.stands = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_reader_waits_while_input_is_paused() {
        let pause = InputPause::default();
        let (wake, woken) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let reader = std::thread::spawn({
            let pause = pause.clone();
            move || {
                while woken.recv().is_ok() {
                    pause.pass();
                    let _ = tell.send(());
                }
            }
        });
        assert!(pause.close(|| wake.send(()).is_ok()), "the reader comes");
        assert!(told.try_recv().is_err());
        pause.open();
        told.recv_timeout(Duration::from_secs(20)).expect("it passes");
        assert!(pause.close(|| wake.send(()).is_ok()), "and comes again");
        pause.open();
        drop(wake);
        reader.join().expect("the reader ends");
    }

    #[test]
    fn input_is_not_paused_if_the_reader_is_gone() {
        let pause = InputPause::default();
        assert!(!pause.close(|| false));
        pause.pass();
    }
}

//! The gate between the terminal's keys and lapel: closed while another program has the terminal, so that not
//! one key of the other program is read here.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long the reading thread is waited for. It may be in the middle of an answer of the terminal that it does
/// not understand, and then it does not come.
const PATIENCE: Duration = Duration::from_secs(1);

/// The gate; every copy is the same one.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    news: Condvar,
    #[cfg(unix)]
    wake: (io::PipeReader, io::PipeWriter),
}

#[derive(Default)]
struct State {
    closed: bool,
    /// The reading thread stands before it and reads nothing.
    stands: bool,
}

impl Gate {
    /// An open one.
    ///
    /// # Errors
    /// When the system has no pipe left.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(Inner {
            state: Mutex::default(),
            news: Condvar::new(),
            #[cfg(unix)]
            wake: io::pipe()?,
        })))
    }

    /// Closes it; whether the reading thread stands before it. Where it does not, the gate is open again.
    #[cfg(unix)]
    pub fn close(&self) -> bool {
        use std::io::Write;
        let Inner { state, news, wake } = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        if (&wake.1).write_all(b"!").is_err() {
            state.closed = false;
            return false;
        }
        let (mut state, _) = news
            .wait_timeout_while(state, PATIENCE, |state| !state.stands)
            .unwrap_or_else(PoisonError::into_inner);
        state.closed = state.stands;
        state.stands
    }

    /// There is no such thing here: nothing can be given the terminal.
    #[cfg(not(unix))]
    pub fn close(&self) -> bool {
        false
    }

    /// Opens it again.
    pub fn open(&self) {
        let Inner { state, news, .. } = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        news.notify_all();
    }

    /// Waits until there is something to read of `input` and the gate is open; for the reading thread. An end
    /// or an error of the input is something to read: whoever reads is told.
    #[cfg(unix)]
    pub fn wait(&self, input: &impl std::os::fd::AsFd) {
        use rustix::event::{PollFd, PollFlags, poll};
        use std::io::Read;
        loop {
            self.stand();
            let mut both = [PollFd::new(input, PollFlags::IN), PollFd::new(&self.0.wake.0, PollFlags::IN)];
            match poll(&mut both, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return,
                Ok(_) => {}
            }
            if both[1].revents().is_empty() {
                return;
            }
            let mut byte = [0];
            if (&self.0.wake.0).read(&mut byte).is_err() {
                return;
            }
        }
    }

    /// Stands before the gate for as long as it is closed.
    #[cfg(unix)]
    fn stand(&self) {
        let Inner { state, news, .. } = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.closed {
            state.stands = true;
            news.notify_all();
            state = news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.stands = false;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn nothing_is_read_while_it_is_closed_and_everything_afterwards() {
        let (input, mut keys) = io::pipe().expect("a pipe");
        let gate = Gate::new().expect("a gate");
        let (tell, told) = std::sync::mpsc::channel();
        let reader = std::thread::spawn({
            let gate = gate.clone();
            move || {
                gate.wait(&input);
                // Whoever waits is told once there is something to read.
                let _ = tell.send(());
            }
        });
        assert!(gate.close(), "the reader comes");
        keys.write_all(b"k").expect("a key");
        assert!(told.try_recv().is_err());
        gate.open();
        told.recv_timeout(Duration::from_secs(20)).expect("the key is there to be read");
        reader.join().expect("the reader ends");
    }

    #[test]
    fn where_nobody_comes_it_stays_open() {
        let gate = Gate::new().expect("a gate");
        assert!(!gate.close());
        let (input, mut keys) = io::pipe().expect("a pipe");
        keys.write_all(b"k").expect("a key");
        gate.wait(&input);
    }
}

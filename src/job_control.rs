//! Job control: whether lapel is in the foreground of its terminal, whether a shell could continue it, and
//! how it stops.

#[cfg(unix)]
pub use unix::*;

#[cfg(unix)]
mod unix {
    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, WaitOptions, getpgrp, getpid, kill_current_process_group, kill_process, waitpid,
    };
    use rustix::termios::{LocalModes, tcgetattr, tcgetpgrp};
    use std::io;
    use std::process::{Command, Stdio};

    pub fn is_foreground() -> bool {
        // An error means that the terminal is not this session's, or that its group is outside this
        // container. No shell can then have taken the terminal away.
        tcgetpgrp(io::stdin()).map_or(true, |group| group == getpgrp())
    }

    /// `false` if the system would stop lapel for writing to the terminal.
    pub fn may_write() -> bool {
        is_foreground()
            || tcgetattr(io::stdin()).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::TOSTOP))
    }

    /// Whether a shell with job control waits for this process group. Nobody can continue an
    /// orphaned group (`ssh host lapel`, a container). The system discards TSTP there, so a child
    /// in the same group sends TSTP to itself to find out.
    pub fn can_stop() -> bool {
        let mut probe = Command::new("/bin/sh");
        probe.args(["-c", "kill -TSTP $$"]).env_clear();
        probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = probe.spawn() else { return false };
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return false };
        let stopped = loop {
            match waitpid(Some(pid), WaitOptions::UNTRACED) {
                Ok(Some((_, status))) => break status.stopped(),
                Ok(None) | Err(Errno::INTR) => {}
                Err(_) => break false,
            }
        };
        if stopped {
            let _ = child.kill();
        }
        // Does nothing when the code above has already waited for the child.
        let _ = child.wait();
        stopped
    }

    /// Used after another process has stopped the group. Returns when lapel is continued. TSTP
    /// would only reach lapel's own handler again.
    pub fn stop() -> io::Result<()> {
        Ok(kill_process(getpid(), Signal::STOP)?)
    }

    /// A script around lapel has to stop too, or its shell never gets the terminal back. Returns
    /// when the group is continued. lapel catches TSTP: the shell could continue the group before
    /// lapel had stopped, and then nobody would continue lapel.
    pub fn stop_group() -> io::Result<()> {
        Ok(kill_current_process_group(Signal::STOP)?)
    }
}

/// There is no job control here.
#[cfg(not(unix))]
pub fn is_foreground() -> bool {
    true
}

/// There is no job control here.
#[cfg(not(unix))]
pub fn may_write() -> bool {
    true
}

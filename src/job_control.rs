//! Job control: whether lapel is in the foreground of its terminal, whether a shell could bring it back, and
//! stopping.

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

    /// Whether lapel's process group has the terminal.
    pub fn is_foreground() -> bool {
        // An error: the terminal is not this session's, or its group is outside this container. Then there is no
        // shell that could have taken it.
        tcgetpgrp(io::stdin()).map_or(true, |group| group == getpgrp())
    }

    /// Whether lapel may write to the terminal without being stopped for it.
    pub fn may_write() -> bool {
        is_foreground()
            || tcgetattr(io::stdin()).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::TOSTOP))
    }

    /// Whether a shell with job control waits for this process group, so that it can continue a stopped lapel. In
    /// an orphaned group (`ssh host lapel`, a container) nobody can. The system knows: it discards TSTP there. So
    /// a child in the same group sends itself one.
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
        // Where it has ended, it was waited for above, and this does nothing.
        let _ = child.wait();
        stopped
    }

    /// Stops lapel alone, whose group has been stopped by somebody else; returns when it is continued. TSTP would
    /// only reach lapel's own handler again.
    ///
    /// # Errors
    /// What the system says.
    pub fn stop() -> io::Result<()> {
        Ok(kill_process(getpid(), Signal::STOP)?)
    }

    /// Stops the whole process group, as a ctrl-z of the terminal does: a script around lapel has to stop too, or
    /// its shell never gets the terminal back. Returns when the group is continued. Not with TSTP, which lapel
    /// catches: the shell could continue the group before lapel had stopped, and then nobody would continue lapel.
    ///
    /// # Errors
    /// What the system says.
    pub fn stop_group() -> io::Result<()> {
        Ok(kill_current_process_group(Signal::STOP)?)
    }
}

/// Whether lapel has the terminal.
#[cfg(not(unix))]
pub fn is_foreground() -> bool {
    true
}

/// Whether lapel may write to the terminal.
#[cfg(not(unix))]
pub fn may_write() -> bool {
    true
}

//! Stopping and going on: by a key, by signals, under a script, and where no shell could bring lapel back.

use super::kit::{LAPEL, Term, contains, program, still_demo};
use crate::texts::{msg, msg_part, msg_with};
use rustix::process::{Pid, Signal, kill_process};

/// A shell with job control in the terminal.
struct Shell {
    term: Term,
    modes: String,
}

impl Shell {
    fn new() -> Self {
        Self::with(program("/bin/sh", &["-i"]))
    }

    fn with(setup: super::kit::Setup) -> Self {
        let term = setup.env("PS1", "ready> ").start();
        term.until("a prompt", |s| s.text.starts_with("ready>"));
        let modes = term.modes();
        Self { term, modes }
    }

    /// Runs a script in the shell that runs lapel; gives the process id of lapel.
    fn open(&mut self, script: &str) -> Pid {
        let home = self.term.home.path().to_owned();
        let run = format!(
            "sh -c 'echo $$ > {}/pid; exec {LAPEL} demo --seed 7 --speed 0 --tab templates'",
            home.display()
        );
        std::fs::write(home.join("run.sh"), script.replace("LAPEL", &run)).expect("written");
        self.term.send(format!("sh {}/run.sh\n", home.display()));
        self.term.shows(msg_part("row 1 of"));
        let pid = std::fs::read_to_string(home.join("pid")).expect("the process id");
        Pid::from_raw(pid.trim().parse().expect("a number")).expect("a process")
    }

    /// Waits for the shell's prompt, with the terminal as it was.
    #[track_caller]
    fn prompt(&self) {
        let away = self.term.until("the shell again", |s| {
            !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>")
        });
        assert!(!away.screen.hide_cursor() && !away.screen.bracketed_paste());
        assert_eq!(away.screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert_eq!(self.term.modes(), self.modes);
    }

    /// Waits until the shell has said so often that something has stopped.
    #[track_caller]
    fn has_stopped(&self, times: usize) {
        let said = |s: &super::kit::Shown| s.text.matches("Stopped").count() == times;
        self.term.until("that it is stopped", |s| said(s) && s.text.trim_end().ends_with("ready>"));
        self.prompt();
    }

    /// Brings lapel back, and finds that it draws everything and takes keys.
    #[track_caller]
    fn bring_back(&mut self) {
        self.term.send("fg\n");
        // After a stop that cannot be caught, the shell's words stand between the list until lapel draws again.
        let back = self.term.until("lapel again, without the shell's words", |s| {
            s.screen.alternate_screen()
                && ["40 templates", "quit", "row 1 of"].iter().all(|text| s.has(text))
                && !s.has("ready>")
        });
        assert!(back.screen.hide_cursor() && back.screen.bracketed_paste());
        assert_ne!(back.screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert_ne!(self.term.modes(), self.modes, "raw again");
        self.term.send("j");
        self.term.shows(msg_part("row 2 of"));
        self.term.send("k");
        self.term.shows(msg_part("row 1 of"));
    }

    /// Leaves lapel and the shell; what the script says at its end is there.
    #[track_caller]
    fn end(&mut self) {
        self.term.send("q");
        self.prompt();
        self.term.send("exit\n");
        self.term.exit();
    }
}

#[test]
fn ctrl_z_under_a_script_stops_the_script_too() {
    let mut shell = Shell::new();
    shell.open("LAPEL\necho the script is over\n");
    for _ in 0..2 {
        shell.term.send("\x1a");
        shell.prompt();
        assert!(!shell.term.shown().has("the script is over"));
        shell.bring_back();
    }
    shell.term.send("q");
    shell.term.shows("the script is over");
    shell.prompt();
}

#[test]
fn signals_that_stop_it_give_the_terminal_back() {
    let mut shell = Shell::new();
    let pid = shell.open("exec LAPEL\n");
    for signal in [Signal::TSTP, Signal::TTOU, Signal::TTIN] {
        kill_process(pid, signal).expect("sent");
        shell.prompt();
        shell.bring_back();
    }
    shell.end();
}

/// Nothing can be done before it is stopped; afterwards all of it is.
#[test]
fn after_a_stop_that_cannot_be_caught_everything_is_taken_and_drawn_again() {
    let mut shell = Shell::new();
    let pid = shell.open("exec LAPEL\n");
    for _ in 0..2 {
        kill_process(pid, Signal::STOP).expect("sent");
        shell.term.until_written("the shell's words over the screen", |raw| raw.ends_with(b"ready> "));
        shell.bring_back();
    }
    shell.end();
}

#[test]
fn in_the_background_it_stops_again_and_leaves_the_terminal_to_the_shell() {
    let mut shell = Shell::new();
    shell.open("LAPEL\n");
    shell.term.send("\x1a");
    shell.prompt();
    shell.term.send("bg; wait\n");
    shell.has_stopped(2);
    shell.bring_back();
    shell.end();
}

#[test]
fn a_stopped_lapel_can_be_ended() {
    let mut shell = Shell::new();
    let pid = shell.open("exec LAPEL\n").as_raw_nonzero();
    shell.term.send("\x1a");
    shell.prompt();
    // A program in the foreground makes the shell look after the others, too.
    let gone = format!("while kill -0 {pid} 2>/dev/null; do /bin/true; done; echo it is over");
    shell.term.send(format!("kill -TERM %1; kill -CONT %1; {gone}\n"));
    shell.term.until("its end", |s| {
        s.text.lines().any(|line| line.ends_with(msg_part("it is over")) && !line.contains("echo"))
    });
    shell.prompt();
}

/// lapel under a shell, with a script as the editor, which is open after this.
fn with_editor(script: &str) -> Shell {
    let setup = program("/bin/sh", &["-i"]);
    setup.write("editor.sh", script);
    let editor = format!("sh {}/editor.sh", setup.home().display());
    let mut shell = Shell::with(setup.env("EDITOR", &editor));
    shell.open("LAPEL\n");
    shell.term.send("2");
    shell.term.until("the history", |s| s.has("Issued") && s.has("row 1 of") && !s.is_loading());
    shell.term.send("F");
    shell.term.shows(msg("Revoke badges by id from a file"));
    shell.term.send(super::kit::pasted("B-1\rB-2\r"));
    shell.term.shows(&msg_with("{n} lines pasted", &[&2]));
    shell.term.send("\r");
    shell.term.send("\x18");
    shell
}

#[test]
fn an_editor_that_is_stopped_stops_lapel_and_both_go_on() {
    let mut shell = with_editor("kill -TSTP 0\nprintf 'after a pause' > \"$1\"\n");
    shell.prompt();
    shell.term.send("fg\n");
    shell
        .term
        .until("what the editor has written", |s| s.screen.alternate_screen() && s.has("after a pause"));
}

/// No shell waits for it, as over `ssh host lapel` or in a container: the system would never let it go on.
#[test]
fn where_nobody_could_continue_it_nothing_stops_it() {
    let direct = still_demo();
    let script =
        program("/bin/sh", &["-c", &format!("{LAPEL} demo --seed 7 --speed 0 --tab templates; echo over")]);
    for (setup, is_direct) in [(direct, true), (script, false)] {
        let mut term = setup.start();
        term.shows(msg_part("row 1 of"));
        term.send("\x1aj");
        term.shows(msg_part("row 2 of"));
        if is_direct {
            for signal in [Signal::TSTP, Signal::TTOU, Signal::TTIN] {
                term.signal(signal);
                term.send("k");
                term.shows(msg_part("row 1 of"));
                term.send("j");
                term.shows(msg_part("row 2 of"));
            }
            assert_eq!(entered(&term), 1, "the terminal stays as it is");
            // A stop that cannot be caught, and somebody who continues it.
            term.signal(Signal::STOP);
            term.signal(Signal::CONT);
            term.until_seen("the terminal taken again", |s, raw| count(raw, ENTER) == 2 && s.has("row 2 of"));
            term.send("k");
            term.shows(msg_part("row 1 of"));
        }
        term.send("q");
        let status = term.exit_restored();
        assert_eq!(status.exit_code(), 0);
    }
}

const ENTER: &[u8] = b"\x1b[?1049h";

fn count(raw: &[u8], part: &[u8]) -> usize {
    raw.windows(part.len()).filter(|window| *window == part).count()
}

fn entered(term: &Term) -> usize {
    count(&term.raw(), ENTER)
}

/// Also one that is started in the background waits for the terminal, and does not turn round and round.
#[test]
fn lapel_started_in_the_background_waits_for_the_terminal() {
    let mut shell = Shell::new();
    shell.term.send(format!("{LAPEL} demo --seed 7 --speed 0 --tab templates & wait\n"));
    shell.has_stopped(1);
    assert!(!contains(&shell.term.raw(), ENTER));
    shell.term.send("fg\n");
    shell.term.until("lapel", |s| s.screen.alternate_screen() && s.has("row 1 of"));
    shell.end();
}

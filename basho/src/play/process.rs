//! An engine process: lines in and out, a deadline for every wait, and no process left behind.
//!
//! The child leads its own process group, so that `Ctrl-C` in a terminal reaches only the runner.
//! No thread reads ahead: the pipe itself is the bounded queue, and an engine that floods it has to
//! wait.

mod spawn_error;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use tracing::trace;

use super::backoff;
use super::cpu_wait::CpuWait;
use super::descendants::{self, Mark};
use super::interrupt::Interrupt;
use super::nonblocking::set_nonblocking;
use super::stderr_log::StderrLog;
use crate::config::ChildProgram;
use crate::stderr_tail::StderrTail;
use oshi::protocol::Reply;
pub use spawn_error::SpawnError;

/// Maximum length of a line that an engine prints, in bytes.
pub const MAX_LINE: usize = 64 * 1024;

/// Interval at which a wait checks for an interrupt, or for a child that has ended while others
/// hold its pipe open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a child may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

/// State of a process that is expected to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(Signal),
    /// It runs, but has closed its pipe.
    ClosedPipe,
    /// It runs.
    Running,
    /// Waiting for it failed.
    Unknown(Errno),
}

impl Exit {
    /// Whether a signal from outside ended it: one that asks programs to end, and that no program
    /// error raises. Shells report such a signal as a code above 128.
    pub fn is_external(self) -> bool {
        let signal = match self {
            Exit::Signal(signal) => Some(signal),
            Exit::Code(code) => {
                code.checked_sub(128).and_then(|number| Signal::try_from(number).ok())
            }
            _ => None,
        };
        matches!(signal, Some(Signal::SIGTERM | Signal::SIGINT | Signal::SIGHUP | Signal::SIGKILL))
    }
}

impl Display for Exit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exited with code {code}"),
            Exit::Signal(signal) => write!(f, "killed by {signal}"),
            Exit::ClosedPipe => f.write_str("closed its pipe"),
            Exit::Running => f.write_str("still running"),
            Exit::Unknown(error) => f.write_str(error.desc()),
        }
    }
}

/// Why a line could not be read or sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PipeError {
    /// The process ended or closed its pipe.
    Ended(Exit),
    /// The deadline passed.
    Deadline,
    /// A move or number is not UTF-8, or a line exceeds [`MAX_LINE`]; with a description.
    Garbled(String),
    /// The tournament is stopped at once.
    Interrupted,
}

/// A running engine process. Dropping it sends `quit`, then kills the process and all its
/// descendants.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    mark: Mark,
    /// The process and its known descendants.
    processes: BTreeSet<Pid>,
    stderr: Option<StderrLog>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// Bytes read. Those before `taken` have been returned.
    buffer: Vec<u8>,
    taken: usize,
    /// The buffer has no newline before this index and after `taken`.
    scanned: usize,
    interrupt: Interrupt,
}

impl Process {
    /// Starts the program.
    ///
    /// # Errors
    /// [`SpawnError`] names the file at fault.
    pub fn spawn(program: &ChildProgram, interrupt: Interrupt) -> Result<Process, SpawnError> {
        let path = || program.path.clone();
        if let Some(dir) = program.dir.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(SpawnError::Dir { path: path(), dir: dir.clone() });
        }
        let file = match &program.stderr {
            None => None,
            Some(path) => Some(
                StderrLog::open(path)
                    .map_err(|source| SpawnError::Stderr { path: path.clone(), source })?,
            ),
        };
        let mark = Mark::unused();
        let (variable, value) = mark.variable();
        let mut command = Command::new(&program.path);
        command.args(&program.args).env(variable, value).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        let mut engines = descendants::engines();
        let mut child =
            command.spawn().map_err(|source| SpawnError::program(&program.path, source))?;
        let group = Pid::from_raw(child.id().cast_signed());
        engines.insert(group);
        drop(engines);
        let stderr = child.stderr.take().map(|stderr| StderrLog::begin(stderr, file)).transpose();
        let pipes = child.stdin.take().zip(child.stdout.take()).ok_or(Errno::EPIPE).and_then(
            |(stdin, stdout)| {
                set_nonblocking(stdin.as_fd())?;
                set_nonblocking(stdout.as_fd())?;
                Ok((stdin, stdout))
            },
        );
        match stderr.and_then(|stderr| Ok((stderr, pipes?))) {
            Ok((stderr, (stdin, stdout))) => {
                let processes = BTreeSet::from([group]);
                let (buffer, taken, scanned) = (Vec::new(), 0, 0);
                Ok(Process {
                    child,
                    group,
                    mark,
                    processes,
                    stderr,
                    stdin,
                    stdout,
                    buffer,
                    taken,
                    scanned,
                    interrupt,
                })
            }
            Err(source) => {
                end(&mut child, group, &mark);
                Err(SpawnError::Pipes { path: path(), source })
            }
        }
    }

    /// Processor time of all threads of the process, without its child processes. `None` if the
    /// system does not report it.
    pub fn processor_time(&self) -> Option<Duration> {
        processor_time(self.group)
    }

    /// Updates the known descendants.
    pub fn find_descendants(&mut self) {
        self.processes = descendants::process_tree(self.group, &self.mark);
    }

    /// Starts to measure the CPU wait of the process and its known descendants. `None` if the
    /// system does not report it.
    pub fn start_cpu_wait(&self) -> Option<CpuWait> {
        CpuWait::start(&self.processes)
    }

    /// Updates the CPU wait of the process and all its descendants.
    pub fn update_cpu_wait(&mut self, cpu_wait: &mut CpuWait) {
        cpu_wait.read(|| {
            self.find_descendants();
            &self.processes
        });
    }

    /// The last lines that the process and its children have written to stderr.
    pub fn stderr_tail(&self) -> StderrTail {
        self.stderr.as_ref().map(StderrLog::stderr_tail).unwrap_or_default()
    }

    /// Writes `text`, which must end with a newline.
    ///
    /// # Errors
    /// [`PipeError::Ended`], [`PipeError::Deadline`] or [`PipeError::Interrupted`].
    pub fn send(&mut self, text: &str, deadline: Instant) -> Result<(), PipeError> {
        text.lines().for_each(|line| trace!(process = self.group.as_raw(), "> {line}"));
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match self.stdin.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::POLLOUT, deadline)?
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(PipeError::Ended(self.exit_state())),
            }
        }
        Ok(())
    }

    /// Reads the next line, without its end.
    ///
    /// # Errors
    /// Any [`PipeError`].
    pub fn read_line(&mut self, deadline: Instant) -> Result<String, PipeError> {
        loop {
            if let Some(line) = self.take_line() {
                return line;
            }
            if self.buffer.len() - self.taken > MAX_LINE {
                return Err(PipeError::Garbled(format!("a line of more than {MAX_LINE} bytes")));
            }
            self.fill(deadline)?;
        }
    }

    /// The first complete line of the buffer.
    fn take_line(&mut self) -> Option<Result<String, PipeError>> {
        let fresh = self.buffer.get(self.scanned..)?;
        let Some(offset) = fresh.iter().position(|&byte| byte == b'\n') else {
            self.scanned = self.buffer.len();
            return None;
        };
        let end = self.scanned + offset;
        let line = self.buffer.get(self.taken..end).unwrap_or_default();
        let text = match Reply::decode(line) {
            Ok(_) if line.len() > MAX_LINE => {
                Err(PipeError::Garbled(format!("a line of more than {MAX_LINE} bytes")))
            }
            Ok(text) => {
                trace!(process = self.group.as_raw(), "< {text}");
                Ok(text.trim_end_matches('\r').to_owned())
            }
            Err(_) => {
                let shown = line.get(..80).unwrap_or(line).escape_ascii();
                Err(PipeError::Garbled(format!("a line that is not UTF-8: {shown}")))
            }
        };
        (self.taken, self.scanned) = (end + 1, end + 1);
        Some(text)
    }

    /// Waits for output and appends it to the buffer.
    fn fill(&mut self, deadline: Instant) -> Result<(), PipeError> {
        self.buffer.drain(..self.taken);
        (self.taken, self.scanned) = (0, self.buffer.len());
        loop {
            self.wait(PollFlags::POLLIN, deadline)?;
            let mut chunk = [0; 8192];
            match self.stdout.read(&mut chunk) {
                Ok(0) => return Err(PipeError::Ended(self.exit_state())),
                Ok(count) => {
                    self.buffer.extend_from_slice(chunk.get(..count).unwrap_or_default());
                    return Ok(());
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
                    ) => {}
                Err(_) => return Err(PipeError::Ended(self.exit_state())),
            }
        }
    }

    /// Waits until the pipe is ready. The deadline is checked first, since the pipe of a flooding
    /// engine is always ready.
    fn wait(&self, ready: PollFlags, deadline: Instant) -> Result<(), PipeError> {
        let fd = if ready == PollFlags::POLLIN { self.stdout.as_fd() } else { self.stdin.as_fd() };
        loop {
            if self.interrupt.must_stop_now() {
                return Err(PipeError::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PipeError::Deadline);
            }
            // Rounded up, so that the last fraction of a millisecond is not a busy loop.
            let slice = left.min(POLL_INTERVAL) + Duration::from_micros(999);
            let timeout = PollTimeout::try_from(slice).unwrap_or(PollTimeout::ZERO);
            match poll(&mut [PollFd::new(fd, ready)], timeout) {
                // Output written between the poll and the exit is there now, and nothing follows
                // it.
                Ok(0) if self.has_exited() => {
                    match poll(&mut [PollFd::new(fd, ready)], PollTimeout::ZERO) {
                        Ok(0) => return Err(PipeError::Ended(self.exit_state())),
                        _ => return Ok(()),
                    }
                }
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(PipeError::Ended(Exit::Unknown(error))),
            }
        }
    }

    fn exit_status(&self, flags: WaitPidFlag) -> Result<WaitStatus, Errno> {
        // The child stays a zombie, so that its id, which is the group's too, is not reused.
        waitid(Id::Pid(self.group), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | flags)
    }

    fn has_exited(&self) -> bool {
        self.state() != Exit::Running
    }

    /// Polls with backoff until the process has exited, for at most `timeout`.
    fn await_exit(&self, timeout: Duration) {
        backoff::poll(timeout, || self.has_exited().then_some(()));
    }

    /// Sends `quit`, waits for the exit until the deadline, and returns the state.
    pub fn quit(&mut self, deadline: Instant) -> Exit {
        // Fails if the process has ended or does not read.
        if self.send("quit\n", deadline).is_ok() {
            self.await_exit(deadline.saturating_duration_since(Instant::now()));
        }
        self.state()
    }

    /// The state after an exit, which often follows the closing of a pipe by a moment.
    fn exit_state(&self) -> Exit {
        self.await_exit(QUIT_TIMEOUT);
        match self.state() {
            Exit::Running => Exit::ClosedPipe,
            exit => exit,
        }
    }

    fn state(&self) -> Exit {
        match self.exit_status(WaitPidFlag::WNOHANG) {
            Ok(WaitStatus::Exited(_, code)) => Exit::Code(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => Exit::Signal(signal),
            Ok(_) => Exit::Running,
            Err(error) => Exit::Unknown(error),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.interrupt.must_stop_now() {
            self.quit(Instant::now() + QUIT_TIMEOUT);
        }
        end(&mut self.child, self.group, &self.mark);
        if let Some(stderr) = self.stderr.take() {
            stderr.finish();
        }
    }
}

/// Kills the child and all its descendants, and reaps it.
fn end(child: &mut Child, group: Pid, mark: &Mark) {
    // Descendants first, while their parents identify them.
    descendants::end_engine(group, mark);
    // Both fail only if nothing is left to kill or reap.
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
    descendants::engines().remove(&group);
}

#[cfg(target_os = "linux")]
fn processor_time(process: Pid) -> Option<Duration> {
    let clock = nix::time::clock_getcpuclockid(process).ok()?;
    nix::time::clock_gettime(clock).ok().map(Duration::from)
}

#[cfg(not(target_os = "linux"))]
fn processor_time(_: Pid) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests;

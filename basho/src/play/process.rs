//! An engine's process: lines in and out, a deadline for every wait, and no process left behind.
//!
//! The child leads its own process group, so that `Ctrl-C` at the terminal reaches only basho. No thread reads ahead: the pipe
//! is the bounded queue, and an engine that floods it has to wait.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use tracing::trace;

use super::backoff::backoff;
use super::cpu_wait::CpuWait;
use super::descendants::{self, Mark};
use super::interrupt::Interrupt;
use super::program;
use super::stderr_log::StderrLog;
use crate::config::ChildProgram;
use crate::stderr_tail::StderrTail;
use oshi::protocol::Reply;

/// The longest line that an engine may print, in bytes.
pub const MAX_LINE: usize = 64 * 1024;

/// How often a wait checks for an interrupt, or for a child that has ended while others hold its pipe open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a child may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Why an engine's process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program cannot be run.
    #[error("cannot run `{path}`: {source}; expected an engine program")]
    Program {
        /// The program.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program is a command line.
    #[error(
        "cannot run `{path}`: no such program; expected its arguments in `args`: cmd={program} args=\"{args}\""
    )]
    CommandLine {
        /// The command line.
        path: PathBuf,
        /// The program that it begins with.
        program: String,
        /// The rest.
        args: String,
    },
    /// The folder that it is to be started in is none.
    #[error("cannot start `{path}` in `{dir}`: expected a folder")]
    Dir {
        /// The program.
        path: PathBuf,
        /// Where it was to start.
        dir: PathBuf,
    },
    /// The file for its stderr cannot be written.
    #[error("cannot append stderr to `{path}`: {source}")]
    Stderr {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Its pipes cannot be set up.
    #[error("cannot set up the pipes to `{path}`: {source}")]
    Pipes {
        /// The program.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program is not the one that the tournament began with.
    #[error("`{path}` has changed since the tournament began")]
    Changed {
        /// The program.
        path: PathBuf,
    },
}

impl SpawnError {
    /// The error of a program that the system refused to run.
    fn program(path: &Path, source: io::Error) -> SpawnError {
        let text = path.to_str().filter(|_| source.kind() == io::ErrorKind::NotFound);
        match text.and_then(program::split_command) {
            Some((program, args)) => SpawnError::CommandLine {
                path: path.to_owned(),
                program: program.to_owned(),
                args: args.to_owned(),
            },
            None => SpawnError::Program { path: path.to_owned(), source },
        }
    }

    /// Whether the machine lacked a resource, so that another try may succeed.
    pub fn is_shortage(&self) -> bool {
        let (SpawnError::Program { source, .. }
        | SpawnError::Stderr { source, .. }
        | SpawnError::Pipes { source, .. }) = self
        else {
            return false;
        };
        let errno = source.raw_os_error().map(Errno::from_raw);
        matches!(
            errno,
            Some(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS)
        )
    }

    /// Whether another try is pointless: it would be another engine.
    pub const fn is_final(&self) -> bool {
        matches!(self, SpawnError::Changed { .. })
    }

    /// What a user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            SpawnError::Changed { .. } => {
                "put the program of before back, or begin a new tournament with this one"
            }
            _ if self.is_shortage() => {
                "raise the limit (`ulimit -n` for open files, `ulimit -u` for processes) or lower --concurrency"
            }
            SpawnError::Dir { .. } => "put the folder back",
            SpawnError::Stderr { .. } => "make the file writable",
            SpawnError::Program { .. }
            | SpawnError::CommandLine { .. }
            | SpawnError::Pipes { .. } => "put the program back",
        }
    }
}

/// The state of a process that is to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(Signal),
    /// It still runs, but has closed its pipe.
    ClosedPipe,
    /// It still runs.
    Running,
    /// Waiting for it failed.
    Unknown(Errno),
}

impl Exit {
    /// Whether it was ended from outside: by a signal that asks programs to end, and that no error of a program raises. A shell reports
    /// such a signal by a code of 128 or more.
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

/// Why a line did not come or could not be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PipeError {
    /// The process ended, or closed its pipe.
    Ended(Exit),
    /// The deadline passed.
    Deadline,
    /// A line has bytes that are not UTF-8 in a move or a number, or more than [`MAX_LINE`] bytes; with a description.
    Garbled(String),
    /// The tournament is stopped at once.
    Interrupted,
}

/// A running engine process. Dropping it asks it to quit, then kills it and all its descendants.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    mark: Mark,
    /// The process and its descendants, as far as they are known.
    processes: BTreeSet<Pid>,
    stderr: Option<StderrLog>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// Bytes that were read; those from `taken` on are not yet taken.
    buffer: Vec<u8>,
    taken: usize,
    /// Up to this index the buffer is known to hold no end of line.
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

    /// The processor time that all threads of the process have used so far, without other processes that it starts.
    /// `None` if the system does not report it.
    pub fn processor_time(&self) -> Option<Duration> {
        processor_time(self.group)
    }

    /// Looks for descendants that the process has started.
    pub fn find_descendants(&mut self) {
        self.processes = descendants::process_tree(self.group, &self.mark);
    }

    /// Begins to measure how long the process and its known descendants wait for a processor.
    /// `None` if the system does not report it.
    pub fn start_cpu_wait(&self) -> Option<CpuWait> {
        CpuWait::start(&self.processes)
    }

    /// Reads the waiting times of the process and all of its descendants.
    pub fn update_cpu_wait(&mut self, cpu_wait: &mut CpuWait) {
        cpu_wait.read(|| {
            self.find_descendants();
            &self.processes
        });
    }

    /// The last lines that the process and its children have written to stderr so far.
    pub fn stderr_tail(&self) -> StderrTail {
        self.stderr.as_ref().map(StderrLog::stderr_tail).unwrap_or_default()
    }

    /// Writes the whole text, which ends with a newline.
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

    /// The next line, without its end.
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

    /// The first whole line of the buffer, if there is one.
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

    /// Waits until the pipe is ready. An engine that floods its pipe is always ready, hence the look at the clock first.
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
            // Rounded up, so that the last fraction of a millisecond is not spent spinning.
            let slice = left.min(POLL_INTERVAL) + Duration::from_micros(999);
            let timeout = PollTimeout::try_from(slice).unwrap_or(PollTimeout::ZERO);
            match poll(&mut [PollFd::new(fd, ready)], timeout) {
                // What it wrote between the look at the pipe and its exit is there now, and nothing follows it.
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
        // The child stays unreaped, so that its id, which is the group's, cannot be reused.
        waitid(Id::Pid(self.group), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | flags)
    }

    fn has_exited(&self) -> bool {
        self.state() != Exit::Running
    }

    /// Waits until the process has exited, but naps at most this long.
    fn await_exit(&self, timeout: Duration) {
        let _ = self.has_exited() || backoff(timeout).any(|()| self.has_exited());
    }

    /// Tells the engine to quit, waits for it until the deadline, and returns how it ended.
    pub fn quit(&mut self, deadline: Instant) -> Exit {
        // If that fails, it has ended already or does not read.
        if self.send("quit\n", deadline).is_ok() {
            self.await_exit(deadline.saturating_duration_since(Instant::now()));
        }
        self.state()
    }

    /// How the process ended. A pipe is often closed a moment before its process ends.
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
    // First the descendants, while they can be recognized by their parent.
    descendants::end_engine(group, mark);
    // Both fail only if there is nothing left to kill or to reap.
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

/// Makes reads and writes return at once.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let flags = OFlag::from_bits_truncate(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK)).map(drop)
}

#[cfg(test)]
mod tests;

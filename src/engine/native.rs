//! The engine of a program: input, output, log and search on threads.
//!
//! One queue carries all events: lines from the reading thread and results from the search thread.
//! So the engine answers every line in order and never waits for a search.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::core::{Core, Flow, Host};
use super::events::{Backlog, Event, spawn_job, spawn_reader};
use super::input::{Line, read_line};
use super::job::Job;
use super::log::Log;
use super::output::{Output, QUIT_TIMEOUT};
use super::resources::Resources;
use crate::search::Control;
use crate::text::Lines;

/// A running engine. Dropping it stops the search.
pub struct Engine {
    core: Core<Threads>,
    events: Receiver<Event>,
    /// Events taken from the queue to be handled later.
    postponed: VecDeque<Event>,
    backlog: Backlog,
}

/// The threads that write and search.
struct Threads {
    output: Output,
    log: Log,
    sender: Sender<Event>,
    /// Thread of the running job. Its last event says that the job has ended.
    search: Option<JoinHandle<()>>,
}

impl Host for Threads {
    fn print(&self, text: &str) {
        self.output.send(text);
    }

    fn set_debug(&self, on: bool) {
        self.log.set_debug(on);
    }

    fn open_log(&self, path: &str) -> io::Result<()> {
        self.log.open(path)
    }

    fn control(&self, pondering: bool) -> Control {
        Control::new(pondering)
    }

    fn start(&mut self, job: Job) -> io::Result<()> {
        self.search = Some(spawn_job(self.sender.clone(), job)?);
        Ok(())
    }
}

impl Threads {
    /// Waits for the end of the search thread.
    fn join(&mut self) {
        if let Some(search) = self.search.take() {
            drop(search.join());
        }
    }
}

impl Engine {
    /// Creates an engine that answers on `output`, at the start of the default variant.
    ///
    /// # Errors
    /// The thread that writes the output cannot be started.
    pub fn new(output: impl Write + Send + 'static, log: Log) -> io::Result<Engine> {
        let (sender, events) = channel();
        let failed = sender.clone();
        // Sending fails only after the engine has quit.
        let output =
            Output::spawn("output", output, move || drop(failed.send(Event::OutputFailed)))?;
        let threads = Threads { output, log, sender, search: None };
        Ok(Engine {
            core: Core::new(threads, Resources::of_machine()),
            events,
            postponed: VecDeque::new(),
            backlog: Backlog::default(),
        })
    }

    /// Creates the engine of a program: it answers on the standard output, and everything that the
    /// program traces goes to its log on the standard error.
    ///
    /// # Errors
    /// As [`new`](Engine::new); or the program has a `tracing` subscriber already.
    pub fn stdio() -> io::Result<Engine> {
        Engine::new(io::stdout(), Log::stdio()?)
    }

    /// Executes the lines of `input` as they arrive, until `quit` or the end of the input.
    ///
    /// At the end of the input, the engine waits for a search that has a limit and stops any other.
    ///
    /// # Errors
    /// Writing the output fails, unless its reader has closed it. The thread that reads the input
    /// cannot be started.
    pub fn run(mut self, input: impl BufRead + Send + 'static) -> io::Result<()> {
        let on_quit = self.core.host.output.quit_notifier();
        spawn_reader(input, self.backlog.clone(), on_quit, self.core.host.sender.clone())?;
        let end = self.run_event_loop();
        self.close(end)
    }

    /// Executes the lines of `input` one after another, until `quit` or the last line. Waits for
    /// each search as [`run`](Engine::run) does at the end of its input.
    ///
    /// # Errors
    /// As [`run`](Engine::run); or reading the input fails.
    ///
    /// # Example
    /// ```
    /// use std::io::{Read, pipe, sink};
    ///
    /// use oshi::engine::{Engine, Log};
    ///
    /// let (mut reader, writer) = pipe()?;
    /// let engine = Engine::new(writer, Log::new(sink())?)?;
    /// engine.run_commands(&b"position startpos moves a1a5\nquery p1turn\njump\n"[..])?;
    ///
    /// let mut output = String::new();
    /// reader.read_to_string(&mut output)?;
    /// assert_eq!(
    ///     output,
    ///     "response false\n\
    ///      info string error: unknown command `jump`: expected one listed by `help`\n"
    /// );
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn run_commands(mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(input)?;
        while let Some(line) = read_line(&mut lines)? {
            if self.execute_line(line) == Flow::Quit {
                return self.close(Flow::Quit);
            }
            self.finish_job();
            if self.core.host.output.has_failed() {
                break;
            }
        }
        self.close(Flow::Continue)
    }

    /// Waits until all output is written; after `quit`, only while the client reads it.
    fn close(self, end: Flow) -> io::Result<()> {
        self.core.host.output.drain(if end == Flow::Quit { QUIT_TIMEOUT } else { Duration::MAX });
        self.core.host.log.drain();
        match self.core.host.output.failure() {
            // A GUI may leave by closing its end of the pipe.
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Handles events until `quit`, the end of the input or a failure of the output.
    fn run_event_loop(&mut self) -> Flow {
        // The queue never closes, because the engine holds a sender.
        while !self.core.host.output.has_failed()
            && let Some(event) = self.postponed.pop_front().or_else(|| self.events.recv().ok())
        {
            if matches!(event, Event::EndOfInput) {
                self.finish_job();
                break;
            }
            if self.handle_event(event) == Flow::Quit {
                return Flow::Quit;
            }
        }
        Flow::Continue
    }

    /// Waits for the job to end; stops it if it has no limit.
    fn finish_job(&mut self) {
        if !self.core.job.ends_unprompted() {
            self.core.stop();
        }
        self.wait_until_idle();
    }

    /// Handles events until the job has ended. Postpones input.
    fn wait_until_idle(&mut self) {
        while !self.core.job.is_idle()
            && !self.core.host.output.has_failed()
            && let Ok(event) = self.events.recv()
        {
            match event {
                Event::Line(_) | Event::EndOfInput => self.postponed.push_back(event),
                event => drop(self.handle_event(event)),
            }
        }
    }

    fn handle_event(&mut self, event: Event) -> Flow {
        match event {
            Event::Line(line) => {
                self.backlog.release(&line);
                return self.execute_line(line);
            }
            Event::Print(replies) => self.core.print(replies),
            Event::JobEnded(result) => {
                // The thread sends no event after this one.
                self.core.host.join();
                self.core.end_job(result);
            }
            // The callers check for these themselves.
            Event::EndOfInput | Event::OutputFailed => {}
        }
        Flow::Continue
    }

    /// Executes a line. After `stop`, waits for the answer of the job.
    fn execute_line(&mut self, line: Line) -> Flow {
        let flow = self.core.execute_line(line);
        if flow == Flow::AwaitIdle {
            self.wait_until_idle();
        }
        flow
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.core.job.stop();
        self.core.host.join();
    }
}

#[cfg(test)]
mod tests;

//! The engine: executes the commands of `protocol.md` and answers them.
//!
//! One queue carries all events: lines from the reading thread and results from the search thread.
//! So the engine answers every line in order and never waits for a search.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod bench;
mod error;
mod events;
mod input;
mod job;
mod log;
mod memory;
mod options;
mod output;
mod report;
mod session;
mod strength;
mod suggest;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::debug;

use crate::game::{Outcome, Player};
use crate::games::{StartPosition, search_position};
use crate::protocol::{Command, GameResult, Go, Query, Reply, Response, Start};
use crate::search::Control;
use crate::text::Lines;
use error::CommandError;
use events::{Backlog, Event, spawn_job, spawn_reader};
use input::{Line, read_line};
pub use input::{LineError, MAX_LINE_BYTES};
use job::{Job, JobResult, JobState, Release, RunningJob};
pub use log::Log;
use options::{Effect, Options};
use output::{Output, QUIT_TIMEOUT};
use session::{NewSession, SearchParams, Session};

/// Maximum length of an error message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// A running engine: options, position and the search in progress. Dropping it stops the search.
pub struct Engine {
    output: Output,
    log: Log,
    options: Options,
    session: Box<dyn Session>,
    job: JobState,
    /// Whether the last handshake was `ugi`.
    is_ugi: bool,
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// Events taken from the queue to be handled later.
    postponed: VecDeque<Event>,
    backlog: Backlog,
}

/// Whether to continue with the next command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

impl Engine {
    /// Creates an engine that answers on `output`, at the start of the default variant.
    ///
    /// # Errors
    /// The thread that writes the output cannot be started.
    pub fn new(output: impl Write + Send + 'static, log: Log) -> io::Result<Engine> {
        let options = Options::new();
        let session = start_session(&options);
        let (sender, events) = channel();
        let failed = sender.clone();
        // Sending fails only after the engine has quit.
        let output =
            Output::spawn("output", output, move || drop(failed.send(Event::OutputFailed)))?;
        Ok(Engine {
            output,
            log,
            options,
            session,
            job: JobState::Idle,
            is_ugi: false,
            events,
            sender,
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
        let on_quit = self.output.quit_notifier();
        spawn_reader(input, self.backlog.clone(), on_quit, self.sender.clone())?;
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
            if self.output.has_failed() {
                break;
            }
        }
        self.close(Flow::Continue)
    }

    /// Waits until all output is written; after `quit`, only while the client reads it.
    fn close(self, end: Flow) -> io::Result<()> {
        self.output.drain(if end == Flow::Quit { QUIT_TIMEOUT } else { Duration::MAX });
        self.log.drain();
        match self.output.failure() {
            // A GUI may leave by closing its end of the pipe.
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Handles events until `quit`, the end of the input or a failure of the output.
    fn run_event_loop(&mut self) -> Flow {
        // The queue never closes, because the engine holds a sender.
        while !self.output.has_failed()
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
        if self.job.ends_unprompted() { self.wait_until_idle() } else { self.stop() }
    }

    /// Handles events until the job has ended. Postpones input.
    fn wait_until_idle(&mut self) {
        while !self.job.is_idle()
            && !self.output.has_failed()
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
            Event::Print(replies) => self.print(replies),
            Event::JobEnded(result) => self.end_job(result),
            // The callers check for these themselves.
            Event::EndOfInput | Event::OutputFailed => {}
        }
        Flow::Continue
    }

    fn execute_line(&mut self, line: Line) -> Flow {
        let Line { text, error } = line;
        debug!("> {text}");
        let command = match error {
            Some(error) => Err(error.into()),
            None => Command::parse(&text).map_err(CommandError::from),
        };
        let result = match command {
            Ok(None) => return Flow::Continue,
            Ok(Some(Command::Quit)) => return Flow::Quit,
            Ok(Some(command)) => self.execute(command),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            self.print_error(&error);
            // A client that has sent `go` waits for a `bestmove`.
            if self.job.is_idle() && text.split_whitespace().next() == Some("go") {
                self.print([Reply::BestMove { best: None, ponder: None }]);
            }
        }
        Flow::Continue
    }

    fn execute(&mut self, command: Command) -> Result<(), CommandError> {
        if !self.job.allows(&command) {
            return Err(CommandError::Searching(command.word()));
        }
        match command {
            Command::Uci => self.identify(false),
            Command::Ugi => self.identify(true),
            Command::Debug(on) => self.log.set_debug(on),
            Command::IsReady => {
                if self.job.is_idle() {
                    self.session.prepare(self.options.values().search_settings());
                }
                self.print([Reply::ReadyOk]);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UciNewGame | Command::UgiNewGame => self.session.forget(),
            Command::Position { start, moves } => self.set_up(&start, &moves)?,
            Command::Moves(moves) => self.session.play(&moves)?,
            Command::Refill(side) => self.session.play(&[side.word().to_owned()])?,
            Command::Undo(plies) => self.session.undo(plies)?,
            Command::Go(go) => self.search(&go)?,
            Command::Perft(depth) => {
                let control = Arc::new(Control::default());
                let job = self.session.perft(depth, Arc::clone(&control));
                self.start_count(job, control)?;
            }
            Command::Bench(nodes) => {
                let nodes = nodes.unwrap_or(bench::DEFAULT_NODES);
                let control = Arc::new(Control::default());
                let shared = Arc::clone(&control);
                let job = Box::new(move |print: &dyn Fn(_)| bench::run(&shared, nodes, print));
                self.start_count(job, control)?;
            }
            Command::Stop if self.job.is_idle() => return Err(CommandError::Idle("stop")),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.job.ponder_hit()?;
                self.print_released_answer();
            }
            Command::Query(query) => self.print([Reply::Response(self.answer_query(query))]),
            Command::Legal => self.print([Reply::Legal(self.session.legal_moves())]),
            Command::Display => self.print_lines(&self.session.board()),
            Command::Svg => self.print_lines(&self.session.svg()),
            Command::Eval => self.print([self.session.static_evaluation()]),
            Command::Help => self.help(),
            // The caller handles it.
            Command::Quit => {}
        }
        Ok(())
    }

    fn identify(&mut self, is_ugi: bool) {
        self.is_ugi = is_ugi;
        let mut replies = vec![
            Reply::Name(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()),
            Reply::Author("the oshi project".to_owned()),
        ];
        replies.extend(self.options.listing().map(|(line, _)| Reply::Option(line.clone())));
        replies.push(if is_ugi { Reply::UgiOk } else { Reply::UciOk });
        self.print(replies);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), CommandError> {
        match self.options.set(name, value)? {
            Effect::None => {}
            Effect::SetUpStart => self.replace_session(start_session(&self.options)),
            Effect::ClearHash => self.session.forget(),
            Effect::OpenLog(path) => self.log.open(&path).map_err(CommandError::Log)?,
        }
        Ok(())
    }

    fn set_up(&mut self, start: &Start, moves: &[String]) -> Result<(), CommandError> {
        let values = self.options.values();
        let mut session = match start {
            Start::StartPos => start_session(&self.options),
            Start::Random(seed) => {
                StartPosition { seed: Some(*seed), ..values.start }.search(NewSession)
            }
            Start::Fen(line) => search_position(line, NewSession)?,
        };
        session.play(moves)?;
        self.replace_session(session);
        Ok(())
    }

    fn replace_session(&mut self, session: Box<dyn Session>) {
        let previous = std::mem::replace(&mut self.session, session);
        self.session.reuse_searcher(previous);
    }

    fn search(&mut self, go: &Go) -> Result<(), CommandError> {
        let control = Arc::new(Control::new(go.ponder));
        let params = SearchParams {
            values: self.options.values(),
            control: Arc::clone(&control),
            names_stage: self.log.is_debug(),
        };
        let (job, is_limited) = self.session.search(go, params)?;
        let release = Release::new(go.infinite, go.ponder);
        self.start_job(job, |thread| RunningJob {
            control,
            thread,
            is_limited,
            is_search: true,
            release,
        })
    }

    /// Starts a job that prints its own lines and has no answer.
    fn start_count(&mut self, job: Job, control: Arc<Control>) -> Result<(), CommandError> {
        self.start_job(job, |thread| RunningJob {
            control,
            thread,
            is_limited: true,
            is_search: false,
            release: Release::Immediate,
        })
    }

    fn start_job(
        &mut self,
        job: Job,
        running: impl FnOnce(JoinHandle<()>) -> RunningJob,
    ) -> Result<(), CommandError> {
        let thread = spawn_job(self.sender.clone(), job).map_err(CommandError::Thread)?;
        self.job = JobState::Running(running(thread));
        Ok(())
    }

    /// Stops the job and waits for its answer, so that the next command finds the engine idle.
    fn stop(&mut self) {
        self.job.stop();
        self.print_released_answer();
        self.wait_until_idle();
    }

    /// Takes the result of a job. The engine becomes idle as soon as the last line is printed.
    fn end_job(&mut self, result: Result<JobResult, String>) {
        let JobState::Running(job) = std::mem::replace(&mut self.job, JobState::Idle) else {
            return;
        };
        // The thread sends no event after this one.
        drop(job.thread.join());
        match result {
            Ok(JobResult { last_lines, answer, searcher }) => {
                if let Some(searcher) = searcher {
                    self.session.return_searcher(searcher);
                }
                self.print(last_lines);
                self.job = JobState::Withheld { answer, release: job.release };
                self.print_released_answer();
            }
            Err(message) => {
                self.print_error(&CommandError::Failed(message));
                self.print(job.is_search.then_some(Reply::BestMove { best: None, ponder: None }));
            }
        }
    }

    fn print_released_answer(&mut self) {
        match self.job.take_released() {
            Some(Reply::BestMove { best, .. }) if self.is_ugi => {
                self.print([Reply::BestMove { best, ponder: None }]);
            }
            answer => self.print(answer),
        }
    }

    fn answer_query(&self, query: Query) -> Response {
        let outcome = self.session.outcome();
        match query {
            Query::GameOver => Response::Bool(outcome.is_some()),
            Query::P1Turn => Response::Bool(self.session.turn() == Player::Black),
            Query::Result => Response::Result(match outcome {
                None => GameResult::None,
                Some(Outcome::Win(Player::Black)) => GameResult::P1Win,
                Some(Outcome::Win(Player::White)) => GameResult::P2Win,
                Some(Outcome::Draw) => GameResult::Draw,
            }),
        }
    }

    fn print_lines(&self, text: &str) {
        self.print(text.lines().map(|line| Reply::Other(line.to_owned())));
    }

    fn help(&self) {
        let commands = Command::USAGE.map(|(form, meaning)| format!("{form:<56} {meaning}"));
        let options =
            self.options.listing().map(|(line, help)| format!("{:<56} {help}", line.name));
        let lines =
            commands.into_iter().chain(["".to_owned(), "Options:".to_owned()]).chain(options);
        self.print(lines.map(Reply::Other));
    }

    /// Prints an error as one line, even if the message has several.
    fn print_error(&self, error: &CommandError) {
        let message = error.to_string();
        let message = message
            .chars()
            .take(MAX_MESSAGE_CHARS)
            .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
        self.print([Reply::info_string(format!("error: {}", message.collect::<String>()))]);
    }

    fn print(&self, replies: impl IntoIterator<Item = Reply>) {
        let mut text = String::new();
        for reply in replies {
            debug!("< {reply}");
            let _ = writeln!(text, "{reply}");
        }
        self.output.send(&text);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let JobState::Running(job) = std::mem::replace(&mut self.job, JobState::Idle) {
            job.control.stop();
            drop(job.thread.join());
        }
    }
}

/// Creates the session of `position startpos`.
fn start_session(options: &Options) -> Box<dyn Session> {
    options.values().start.search(NewSession)
}

#[cfg(test)]
mod tests;

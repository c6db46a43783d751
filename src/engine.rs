//! The engine: obeys the commands of `protocol.md` and answers them.
//!
//! One queue carries all events: lines of input from a reading thread, and results from the search thread. So the loop never waits
//! for a search, and every line is answered in order.
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
use events::{Backlog, Event, JobResult, spawn_job, spawn_reader};
use input::{Line, read_line};
pub use input::{LineError, MAX_LINE_BYTES};
use job::{JobState, Release, RunningJob};
pub use log::Log;
use options::{Effect, Options};
use output::{Output, QUIT_TIMEOUT};
use session::{Job, NewSession, SearchParams, Session};

/// The longest message of an error line, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// A running engine: the session, the options, and the search in progress. Dropping it ends the search.
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

/// Whether to go on with the next command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

impl Engine {
    /// An engine that answers on `output`, set to the start of the default variant.
    ///
    /// # Errors
    /// The thread that writes the output cannot be started.
    pub fn new(output: impl Write + Send + 'static, log: Log) -> io::Result<Engine> {
        let options = Options::new();
        let session = start_session(&options);
        let (sender, events) = channel();
        let failed = sender.clone();
        // A send fails only once the engine has quit.
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

    /// The engine of a program: it answers on the standard output, and what the program logs goes to the standard error by its log.
    ///
    /// # Errors
    /// As for [`new`](Engine::new); the program logs elsewhere already.
    pub fn stdio() -> io::Result<Engine> {
        Engine::new(io::stdout(), Log::stdio()?)
    }

    /// Obeys the lines of the input as they come, up to `quit` or the end. At the end of the input it waits for a search that has
    /// limits, and stops any other.
    ///
    /// # Errors
    /// Writing the output fails; a closed output is not an error. The thread that reads the input cannot be started.
    pub fn run(mut self, input: impl BufRead + Send + 'static) -> io::Result<()> {
        spawn_reader(
            input,
            self.backlog.clone(),
            self.output.quit_notifier(),
            self.sender.clone(),
        )?;
        let end = self.run_event_loop();
        self.close(end)
    }

    /// Obeys the lines of the input one after another, up to `quit` or the last, and waits for each search as at the end of an input.
    ///
    /// # Errors
    /// As for [`run`](Engine::run); reading the input fails.
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

    /// Waits until all output is written; after `quit` only as long as somebody reads it.
    fn close(self, end: Flow) -> io::Result<()> {
        self.output.drain(if end == Flow::Quit { QUIT_TIMEOUT } else { Duration::MAX });
        self.log.drain();
        match self.output.failure() {
            // A GUI may leave by closing its end of the pipe.
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Handles events until the end, and says whether that was a `quit`.
    fn run_event_loop(&mut self) -> Flow {
        // The queue lasts as long as the engine, which holds a sender.
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

    /// Waits until the search is done, and stops one that would not end by itself.
    fn finish_job(&mut self) {
        if self.job.ends_unprompted() { self.wait_for_answer() } else { self.stop() }
    }

    /// Handles no input until the search is done.
    fn wait_for_answer(&mut self) {
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
            Event::JobEnded(done) => self.end_job(done),
            // The callers check for these themselves.
            Event::EndOfInput | Event::OutputFailed => {}
        }
        Flow::Continue
    }

    fn execute_line(&mut self, line: Line) -> Flow {
        let Line { text, error } = line;
        debug!("> {text}");
        let result = match error.map_or_else(
            || Command::parse(&text).map_err(CommandError::from),
            |error| Err(error.into()),
        ) {
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
                self.count(|control, session| session.perft(depth, control))?
            }
            Command::Bench(nodes) => {
                let nodes = nodes.unwrap_or(bench::DEFAULT_NODES);
                self.count(|control, _| Box::new(move |say| bench::run(&control, nodes, say)))?;
            }
            Command::Stop if self.job.is_idle() => return Err(CommandError::Idle("stop")),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit()?,
            Command::Query(query) => self.print([Reply::Response(self.answer_query(query))]),
            Command::Legal => self.print([Reply::Legal(self.session.legal_moves())]),
            Command::Display => self.show(&self.session.board()),
            Command::Svg => self.show(&self.session.svg()),
            Command::Eval => self.print([self.session.static_evaluation()]),
            Command::Help => self.help(),
            // The caller handles it.
            Command::Quit => {}
        }
        Ok(())
    }

    fn identify(&mut self, ugi: bool) {
        self.is_ugi = ugi;
        let mut replies = vec![
            Reply::Name(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()),
            Reply::Author("the oshi project".to_owned()),
        ];
        replies.extend(self.options.listing().map(|(line, _)| Reply::Option(line.clone())));
        replies.push(if ugi { Reply::UgiOk } else { Reply::UciOk });
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
        let before = std::mem::replace(&mut self.session, session);
        self.session.reuse_searcher(before);
    }

    fn search(&mut self, go: &Go) -> Result<(), CommandError> {
        let control = Arc::new(Control::new(go.ponder));
        let params = SearchParams { values: self.options.values(), control: Arc::clone(&control) };
        let (job, is_limited) = self.session.search(go, params)?;
        let release = Release::new(go.infinite, go.ponder);
        self.begin(job, |thread| RunningJob {
            control,
            thread,
            is_limited,
            is_search: true,
            release,
        })
    }

    /// Begins a job that prints its own lines.
    fn count(
        &mut self,
        job: impl FnOnce(Arc<Control>, &dyn Session) -> Job,
    ) -> Result<(), CommandError> {
        let control = Arc::new(Control::default());
        let job = job(Arc::clone(&control), &*self.session);
        self.begin(job, |thread| RunningJob {
            control,
            thread,
            is_limited: true,
            is_search: false,
            release: Release::Immediate,
        })
    }

    fn begin(
        &mut self,
        job: Job,
        work: impl FnOnce(JoinHandle<()>) -> RunningJob,
    ) -> Result<(), CommandError> {
        let thread = spawn_job(self.sender.clone(), job).map_err(CommandError::Thread)?;
        self.job = JobState::Running(work(thread));
        Ok(())
    }

    /// Ends the search and waits for the answer, so that the next command finds the engine idle.
    fn stop(&mut self) {
        if let JobState::Running(work) = &self.job {
            work.control.stop();
        }
        if let Some(release) = self.job.release() {
            *release = Release::Immediate;
        }
        self.release_answer_if_due();
        self.wait_for_answer();
    }

    fn ponder_hit(&mut self) -> Result<(), CommandError> {
        let release = self.job.release().ok_or(CommandError::Idle("ponderhit"))?;
        if !matches!(release, Release::OnPonderHit { .. }) {
            return Err(CommandError::NotPondering);
        }
        *release = release.after_ponder_hit();
        if let JobState::Running(work) = &self.job {
            work.control.ponder_hit();
        }
        self.release_answer_if_due();
        Ok(())
    }

    /// Takes the result of a thread that has ended. The engine is idle as soon as the last lines are printed.
    fn end_job(&mut self, done: Result<JobResult, String>) {
        let JobState::Running(work) = std::mem::replace(&mut self.job, JobState::Idle) else {
            return;
        };
        // It sends nothing after this event.
        drop(work.thread.join());
        match done {
            Ok(JobResult { last_lines, answer, lent }) => {
                if let Some(lent) = lent {
                    self.session.return_searcher(lent);
                }
                self.print(last_lines);
                self.job = JobState::Withheld { answer, release: work.release };
                self.release_answer_if_due();
            }
            Err(message) => {
                self.print_error(&CommandError::Failed(message));
                self.print(work.is_search.then_some(Reply::BestMove { best: None, ponder: None }));
            }
        }
    }

    /// Prints the answer, if there is one and it is no longer held back.
    fn release_answer_if_due(&mut self) {
        match std::mem::replace(&mut self.job, JobState::Idle) {
            JobState::Withheld {
                answer: Some(Reply::BestMove { best, .. }),
                release: Release::Immediate,
            } if self.is_ugi => {
                self.print([Reply::BestMove { best, ponder: None }]);
            }
            JobState::Withheld { answer, release: Release::Immediate } => self.print(answer),
            other => self.job = other,
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

    /// Prints the lines of a text.
    fn show(&self, text: &str) {
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

    /// Prints one line, even if the message has several.
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
        if let JobState::Running(work) = std::mem::replace(&mut self.job, JobState::Idle) {
            work.control.stop();
            // Without the queue, a thread that sends an event does not wait for it to be received.
            self.events = channel().1;
            drop(work.thread.join());
        }
    }
}

/// The session of `position startpos`.
fn start_session(options: &Options) -> Box<dyn Session> {
    options.values().start.search(NewSession)
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// An output that can be read while the engine runs.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Shared {
        fn lines(&self) -> Vec<String> {
            let text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn engine() -> (Engine, Shared) {
        let output = Shared::default();
        (Engine::new(output.clone(), Log::new(io::sink()).unwrap()).unwrap(), output)
    }

    fn line(text: &str) -> Line {
        read_line(&mut Lines::new(text.as_bytes()).unwrap()).unwrap().unwrap()
    }

    #[test]
    fn a_search_that_panics_ends_in_one_error_line_and_an_answer() {
        let (mut engine, output) = engine();
        let control = Arc::new(Control::default());
        let work = |thread| RunningJob {
            control,
            thread,
            is_limited: true,
            is_search: true,
            release: Release::OnStop,
        };
        engine.begin(Box::new(|_| panic!("on purpose")), work).unwrap();
        engine.wait_for_answer();
        engine.execute_line(line("go nodes 10"));
        engine.wait_for_answer();
        engine.output.drain(Duration::MAX);
        let lines = output.lines();
        assert_eq!(
            lines[..2],
            ["info string error: the search has failed: on purpose", "bestmove (none)"]
        );
        assert!(lines.last().unwrap().starts_with("bestmove ") && lines.len() > 3, "{lines:#?}");
    }

    #[test]
    fn dropping_the_engine_ends_its_search() {
        let (mut engine, _output) = engine();
        engine.execute_line(line("go infinite"));
        let JobState::Running(work) = &engine.job else { panic!("it searches") };
        let control = Arc::downgrade(&work.control);
        drop(engine);
        assert_eq!(control.strong_count(), 0, "a thread still holds its control");
    }

    #[test]
    fn the_last_line_and_idleness_are_one_event() {
        let (mut engine, output) = engine();
        for (command, last) in [
            ("go perft 2", "Nodes searched: "),
            ("bench 100", "Nodes/second "),
            ("go nodes 10", "bestmove "),
        ] {
            engine.execute_line(line(command));
            // One event at a time: as soon as one has printed the last line, another command may come.
            while !output.lines().last().is_some_and(|line| line.starts_with(last)) {
                assert!(!engine.job.is_idle(), "idle before the last line of `{command}`");
                let event = engine.events.recv().unwrap();
                engine.handle_event(event);
                engine.output.drain(Duration::MAX);
            }
            assert!(engine.job.is_idle(), "not idle after the last line of `{command}`");
        }
    }
}

//! The core of the engine: executes the commands of `protocol.md`, without threads or input.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use tracing::debug;

use super::bench;
use super::error::CommandError;
use super::input::Line;
use super::job::{Job, JobResult, JobState, Release, RunningJob};
use super::options::{Effect, Options};
use super::resources::Resources;
use super::session::{NewSession, SearchParams, Session};
use crate::game::{Outcome, Player};
use crate::games::{StartPosition, search_position};
use crate::protocol::{Command, GameResult, Go, Query, Reply, Response, Start};
use crate::search::Control;

/// Maximum length of an error message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// Services of a driver for the core: output, log and jobs.
pub trait Host {
    /// Prints a text of whole lines.
    fn print(&self, text: &str);

    /// Switches the log of the whole dialogue on or off.
    fn set_debug(&self, on: bool);

    /// Appends the log to the file at `path`. An empty path switches back.
    ///
    /// # Errors
    /// The file cannot be opened for writing. The log stays as it was.
    fn open_log(&self, path: &str) -> io::Result<()>;

    /// Creates the control of a search or count. `pondering` as in [`Control::new`].
    fn control(&self, pondering: bool) -> Control;

    /// Takes a job to run. Its result goes to [`Core::end_job`].
    ///
    /// # Errors
    /// The job cannot be started.
    fn start(&mut self, job: Job) -> io::Result<()>;
}

/// Options, position and state of the job.
pub struct Core<H> {
    pub host: H,
    pub job: JobState,
    options: Options,
    session: Box<dyn Session>,
    /// Whether the last handshake was `ugi`.
    is_ugi: bool,
    /// Whether `debug` is on.
    is_debug: bool,
}

/// What to do before the next command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Continue,
    /// Wait until the job has ended.
    AwaitIdle,
    Quit,
}

impl<H: Host> Core<H> {
    /// Creates an engine at the start of the default variant.
    pub fn new(host: H, resources: Resources) -> Core<H> {
        let options = Options::new(resources);
        let session = start_session(&options);
        Core { host, job: JobState::Idle, options, session, is_ugi: false, is_debug: false }
    }

    /// Executes a line. A line that cannot be executed prints one error and changes nothing.
    pub fn execute_line(&mut self, line: Line) -> Flow {
        let Line { text, error } = line;
        debug!("> {text}");
        let command = match error {
            Some(error) => Err(error.into()),
            None => Command::parse(&text).map_err(CommandError::from),
        };
        let result = match command {
            Ok(None) => return Flow::Continue,
            Ok(Some(Command::Quit)) => return Flow::Quit,
            Ok(Some(Command::Stop)) if !self.job.is_idle() => {
                self.stop();
                return Flow::AwaitIdle;
            }
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
            Command::Debug(on) => {
                self.is_debug = on;
                self.host.set_debug(on);
            }
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
                let control = Arc::new(self.host.control(false));
                let job = self.session.perft(depth, Arc::clone(&control));
                self.start_count(job, control)?;
            }
            Command::Bench(nodes) => {
                let nodes = nodes.unwrap_or(bench::DEFAULT_NODES);
                let control = Arc::new(self.host.control(false));
                let shared = Arc::clone(&control);
                let job = Box::new(move |print: &dyn Fn(_)| bench::run(&shared, nodes, print));
                self.start_count(job, control)?;
            }
            // The caller handles it while a job runs.
            Command::Stop => return Err(CommandError::Idle("stop")),
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
            Effect::OpenLog(path) => self.host.open_log(&path).map_err(CommandError::Log)?,
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
        let control = Arc::new(self.host.control(go.ponder));
        let params = SearchParams {
            values: self.options.values(),
            control: Arc::clone(&control),
            names_stage: self.is_debug,
        };
        let (job, is_limited) = self.session.search(go, params)?;
        let release = Release::new(go.infinite, go.ponder);
        self.start_job(job, RunningJob { control, is_limited, is_search: true, release })
    }

    /// Starts a job that prints its own lines and has no answer.
    fn start_count(&mut self, job: Job, control: Arc<Control>) -> Result<(), CommandError> {
        let running =
            RunningJob { control, is_limited: true, is_search: false, release: Release::Immediate };
        self.start_job(job, running)
    }

    /// Starts a job on the idle engine.
    ///
    /// # Errors
    /// [`CommandError::Start`]: the host cannot start it.
    pub fn start_job(&mut self, job: Job, running: RunningJob) -> Result<(), CommandError> {
        self.host.start(job).map_err(CommandError::Start)?;
        self.job = JobState::Running(running);
        Ok(())
    }

    /// Stops the job and prints an answer that was withheld. The caller waits until the engine is
    /// idle before it executes the next command.
    pub fn stop(&mut self) {
        self.job.stop();
        self.print_released_answer();
    }

    /// Takes the result of a job. The engine becomes idle as soon as the last line is printed.
    pub fn end_job(&mut self, result: Result<JobResult, String>) {
        let JobState::Running(job) = std::mem::replace(&mut self.job, JobState::Idle) else {
            return;
        };
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

    /// Prints replies as lines.
    pub fn print(&self, replies: impl IntoIterator<Item = Reply>) {
        let mut text = String::new();
        for reply in replies {
            debug!("< {reply}");
            let _ = writeln!(text, "{reply}");
        }
        self.host.print(&text);
    }
}

/// Creates the session of `position startpos`.
fn start_session(options: &Options) -> Box<dyn Session> {
    options.values().start.search(NewSession)
}

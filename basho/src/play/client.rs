//! A client of an engine process: sends commands and parses replies.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::cpu_wait::CpuWait;
use super::interrupt::Interrupt;
use super::process::{Exit, PipeError, Process, SpawnError};
use crate::config::{ChildProgram, Engine};
use crate::stderr_tail::StderrTail;
use oshi::game::quote;
use oshi::games::Variant;
use oshi::protocol::{Command, Info, OptionKind, OptionLine, Reply};

/// Why an engine could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The process could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The engine lacks an option, or refuses its value.
    #[error("{0}")]
    Option(String),
    /// The engine does not play the variant.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// The engine broke the protocol.
    #[error("{error}{stderr_tail}")]
    Client {
        /// The violation.
        error: ClientError,
        /// Its last lines on stderr.
        stderr_tail: StderrTail,
    },
}

/// The engine does not declare the variant to be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{declared}; expected it to declare `{expected}`; \
     if another game was meant, set `--variant` (`variant =` in a file)"
)]
pub struct VariantError {
    /// Description of the engine's option `UCI_Variant`.
    declared: String,
    /// The variant to be played.
    expected: &'static str,
}

/// Why an engine gave no valid answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClientError {
    /// The process ended.
    #[error("{0}")]
    Crash(String),
    /// The process was killed from outside.
    #[error("{0}")]
    Killed(String),
    /// No answer before the deadline.
    #[error("{0}")]
    Stall(String),
    /// An invalid answer.
    #[error("{0}")]
    Garbled(String),
    /// The tournament is stopped at once. The engine is not at fault.
    #[error("interrupted")]
    Interrupted,
}

/// An engine's answer to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move as text.
    pub best: String,
    /// When `go` was sent.
    pub begun: Instant,
    /// Time from `go` to the answer.
    pub elapsed: Duration,
    /// Processor time used for the answer, if the system reports it.
    pub processor: Option<Duration>,
    /// Time that the engine's threads waited for a processor during a late answer. `None` for an
    /// answer in time, or if the system does not report it.
    pub cpu_wait: Option<Duration>,
    /// Reported number of nodes.
    pub nodes: Option<u64>,
    /// Last score of the best line, as the protocol writes it, such as `cp 12`.
    pub score: Option<String>,
    /// Depth reported with that score, in plies.
    pub depth: Option<u32>,
    /// Principal variation reported with that score.
    pub variation: Vec<String>,
}

/// Maximum length of all option lines, in bytes. Without it, an engine that prints options forever
/// could use up all memory before the deadline.
const MAX_OPTION_BYTES: usize = 1 << 20;

/// Maximum number of declared variants that a message names.
const MAX_CHOICES: usize = 20;

/// A running engine after its handshake.
#[derive(Debug)]
pub struct Client {
    process: Process,
    timeout: Duration,
    /// Name that the engine reports.
    pub id_name: Option<String>,
    /// Author that the engine reports.
    pub id_author: Option<String>,
    /// Options that the engine declares.
    pub declared: Vec<OptionLine>,
}

impl Client {
    /// Starts the program and completes the handshake.
    ///
    /// # Errors
    /// [`StartError::Spawn`] or [`StartError::Client`].
    pub fn start(
        program: &ChildProgram,
        timeout: Duration,
        interrupt: Interrupt,
    ) -> Result<Client, StartError> {
        let process = Process::spawn(program, interrupt)?;
        let mut client =
            Client { process, timeout, id_name: None, id_author: None, declared: Vec::new() };
        match client.handshake() {
            Ok(()) => Ok(client),
            Err(error) => Err(client.start_error(error)),
        }
    }

    /// Sends `uci` and reads to `uciok`.
    fn handshake(&mut self) -> Result<(), ClientError> {
        self.send(&[Command::Uci])?;
        let deadline = self.deadline(Duration::ZERO);
        let mut length = 0;
        loop {
            match self.read(deadline, "`uciok` after `uci`")? {
                Reply::Name(name) => self.id_name = Some(name),
                Reply::Author(author) => self.id_author = Some(author),
                Reply::Option(option) => {
                    length += option.to_string().len();
                    if length > MAX_OPTION_BYTES {
                        let what = format!(
                            "more than {MAX_OPTION_BYTES} bytes of options; expected `uciok`"
                        );
                        return Err(ClientError::Garbled(what));
                    }
                    self.declared.push(option);
                }
                Reply::UciOk => return Ok(()),
                Reply::BestMove { best, .. } => {
                    return Err(unexpected_best_move(best.as_deref(), "`uciok` after `uci`"));
                }
                _ => {}
            }
        }
    }

    /// The last lines that the engine has written to stderr so far.
    pub fn stderr_tail(&self) -> StderrTail {
        self.process.stderr_tail()
    }

    fn start_error(&self, error: ClientError) -> StartError {
        StartError::Client { error, stderr_tail: self.stderr_tail() }
    }

    /// Checks that the engine's option `UCI_Variant` declares the variant. An engine without that
    /// option is assumed to play the default variant.
    ///
    /// # Errors
    /// [`VariantError`] names the declared variants.
    pub fn check_variant(&self, variant: Variant) -> Result<(), VariantError> {
        let name = variant.name();
        let default = Variant::default().name();
        let declared = match self.option("UCI_Variant") {
            Some(option) if option.read(Some(name)).is_ok() => return Ok(()),
            Some(OptionLine { kind: OptionKind::Combo { choices, .. }, .. }) => {
                let shown =
                    choices.iter().take(MAX_CHOICES).map(|choice| format!("`{}`", quote(choice)));
                let more = if choices.len() > MAX_CHOICES { " and others" } else { "" };
                format!(
                    "its option `UCI_Variant` has {}{more}",
                    shown.collect::<Vec<_>>().join(", ")
                )
            }
            Some(option) => format!("its option `UCI_Variant` is `{}`", quote(&option.to_string())),
            None if name == default => return Ok(()),
            None => {
                format!("it declares no option `UCI_Variant`, so it is taken to play `{default}`")
            }
        };
        Err(VariantError { declared, expected: name })
    }

    /// Sets the given options, and the variant if the engine declares an option for it.
    ///
    /// # Errors
    /// [`StartError::Variant`]; [`StartError::Option`] if the engine lacks an option or refuses a
    /// value; [`StartError::Client`].
    pub fn set_options(
        &mut self,
        options: &BTreeMap<String, String>,
        variant: Variant,
    ) -> Result<(), StartError> {
        self.check_variant(variant)?;
        let mut commands = Vec::new();
        if self.option("UCI_Variant").is_some() {
            commands.push(set_option("UCI_Variant", Some(variant.name())));
        }
        for (name, value) in options {
            let Some(option) = self.option(name) else {
                let known: Vec<&str> =
                    self.declared.iter().map(|option| option.name.as_str()).collect();
                return Err(StartError::Option(format!(
                    "no option `{name}`; expected one of {}",
                    known.join(", ")
                )));
            };
            // As in fastchess, `true` presses a button and `false` does not.
            let value = match (&option.kind, value.as_str()) {
                (OptionKind::Button, "true") => None,
                (OptionKind::Button, "false") => continue,
                (_, value) => Some(value),
            };
            option.read(value).map_err(|error| StartError::Option(error.to_string()))?;
            commands.push(set_option(&option.name, value));
        }
        let answer = self.send(&commands).and_then(|()| self.synchronise());
        match answer.map_err(|error| self.start_error(error))? {
            Some(refusal) => Err(StartError::Option(refusal)),
            None => Ok(()),
        }
    }

    /// Sends `ucinewgame`, and sets the option `Seed` if the engine has it and the user has not set
    /// it.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn new_game(&mut self, engine: &Engine, seed: u64) -> Result<(), ClientError> {
        let mut commands = vec![Command::UciNewGame];
        let is_free = !engine.options.keys().any(|name| name.eq_ignore_ascii_case("Seed"));
        let seed = seed.to_string();
        if self.option("Seed").is_some_and(|option| is_free && option.read(Some(&seed)).is_ok()) {
            commands.push(set_option("Seed", Some(&seed)));
        }
        self.send(&commands)?;
        self.synchronise()?;
        if engine.limit.is_some_and(|limit| limit.time.is_some()) {
            self.process.find_descendants();
        }
        Ok(())
    }

    /// Sets how long later answers may take beyond their allotted time.
    pub const fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Sends the position and `go`, and waits for `bestmove`: at most `allowed` plus the timeout.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn think(
        &mut self,
        position: &str,
        go: &str,
        allowed: Duration,
    ) -> Result<Answer, ClientError> {
        // Earlier output must not be taken for the answer.
        self.synchronise()?;
        let mut cpu_wait = if allowed.is_zero() { None } else { self.process.start_cpu_wait() };
        let processor_before = self.process.processor_time();
        let begun = Instant::now();
        let deadline = self.deadline(allowed);
        self.send_text(&format!("{position}\n{go}\n"), deadline)?;
        let mut last_score = None;
        loop {
            let line = self.read_answer(deadline, &mut cpu_wait)?;
            if line.starts_with("info ") {
                // Engines print many such lines. Only the last one is parsed, after the answer.
                if has_score_of_best_line(&line) {
                    last_score = Some(line);
                }
                continue;
            }
            if let Reply::BestMove { best, .. } = parse(&line)? {
                let elapsed = begun.elapsed();
                if let Some(cpu_wait) = cpu_wait.as_mut().filter(|_| elapsed > allowed) {
                    self.process.update_cpu_wait(cpu_wait);
                }
                let processor = self.process.processor_time().zip(processor_before);
                let processor = processor.map(|(after, before)| after.saturating_sub(before));
                let Info { nodes, score, depth, pv, .. } =
                    last_score.map(|line| last_info(&line)).unwrap_or_default();
                let best = best.unwrap_or_else(|| "(none)".to_owned());
                return Ok(Answer {
                    best,
                    begun,
                    elapsed,
                    processor,
                    cpu_wait: cpu_wait
                        .filter(|_| elapsed > allowed)
                        .map(|cpu_wait| cpu_wait.total()),
                    nodes,
                    score: score.map(|score| score.to_string()),
                    depth,
                    variation: pv,
                });
            }
        }
    }

    /// The next line of an answer to `go`. Updates the CPU wait when it is due.
    fn read_answer(
        &mut self,
        deadline: Instant,
        cpu_wait: &mut Option<CpuWait>,
    ) -> Result<String, ClientError> {
        while let Some(cpu_wait) = cpu_wait {
            if Instant::now() >= cpu_wait.due() {
                self.process.update_cpu_wait(cpu_wait);
            }
            match self.process.read_line(cpu_wait.due().min(deadline)) {
                Err(PipeError::Deadline) if Instant::now() < deadline => {}
                answer => return answer.map_err(|error| client_error(error, ANSWER)),
            }
        }
        self.read_line(deadline, ANSWER)
    }

    /// Sends commands without waiting for answers.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn send(&mut self, commands: &[Command]) -> Result<(), ClientError> {
        let text: String = commands.iter().map(|command| format!("{command}\n")).collect();
        self.send_text(&text, self.deadline(Duration::ZERO))
    }

    /// Sends a line of any text.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn send_line(&mut self, line: &str) -> Result<(), ClientError> {
        self.send_text(&format!("{line}\n"), self.deadline(Duration::ZERO))
    }

    /// Sends `quit`; returns how the process ended.
    pub fn quit(&mut self) -> Exit {
        self.process.quit(self.deadline(Duration::ZERO))
    }

    /// Waits until the engine has processed all commands. Returns the first error that it reported
    /// in between.
    ///
    /// A `bestmove` in between is invalid, since no `go` is pending.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn synchronise(&mut self) -> Result<Option<String>, ClientError> {
        self.send(&[Command::IsReady])?;
        let deadline = self.deadline(Duration::ZERO);
        let mut refusal = None;
        loop {
            match self.read(deadline, "`readyok` after `isready`")? {
                Reply::ReadyOk => return Ok(refusal),
                Reply::Info(info) => {
                    let error =
                        info.string.as_deref().and_then(|text| text.strip_prefix("error: "));
                    refusal = refusal.or_else(|| error.map(str::to_owned));
                }
                Reply::BestMove { best, .. } => {
                    return Err(unexpected_best_move(best.as_deref(), "`readyok` after `isready`"));
                }
                _ => {}
            }
        }
    }

    /// Reads the next reply. `awaited` names the expected reply in errors.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn read(&mut self, deadline: Instant, awaited: &str) -> Result<Reply, ClientError> {
        parse(&self.read_line(deadline, awaited)?)
    }

    /// Deadline of an answer with this allotted time: now plus both it and the timeout.
    pub fn deadline(&self, after: Duration) -> Instant {
        Instant::now() + after + self.timeout
    }

    /// The declared option with this name.
    pub fn option(&self, name: &str) -> Option<&OptionLine> {
        self.declared.iter().find(|option| option.is_called(name))
    }

    fn send_text(&mut self, text: &str, deadline: Instant) -> Result<(), ClientError> {
        self.process
            .send(text, deadline)
            .map_err(|error| client_error(error, "it to read its input"))
    }

    /// Reads the next line without parsing it. `awaited` names the expected reply in errors.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub fn read_line(&mut self, deadline: Instant, awaited: &str) -> Result<String, ClientError> {
        self.process.read_line(deadline).map_err(|error| client_error(error, awaited))
    }
}

/// The expected reply to `go`.
const ANSWER: &str = "`bestmove` after `go`";

/// The error of a `bestmove` without a pending `go`.
fn unexpected_best_move(best: Option<&str>, awaited: &str) -> ClientError {
    ClientError::Garbled(format!(
        "`bestmove {}` without a `go`; expected {awaited}",
        quote(best.unwrap_or("(none)"))
    ))
}

fn set_option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

fn parse(line: &str) -> Result<Reply, ClientError> {
    Reply::parse(line).map_err(|error| ClientError::Garbled(format!("`{}`: {error}", quote(line))))
}

/// Parses an `info` line; empty if malformed, since the record can do without it.
fn last_info(line: &str) -> Info {
    match Reply::parse(line) {
        Ok(Reply::Info(info)) => info,
        _ => Info::default(),
    }
}

/// Whether an `info` line has an exact score of the best line: the only line, or the first of
/// several. The rest after `string` is free text.
fn has_score_of_best_line(line: &str) -> bool {
    let info = line.split(" string ").next().unwrap_or_default();
    let words = || info.split_ascii_whitespace().take_while(|&word| word != "pv");
    let is_bound = || words().any(|word| matches!(word, "lowerbound" | "upperbound"));
    let is_first =
        || words().skip_while(|&word| word != "multipv").nth(1).is_none_or(|rank| rank == "1");
    info.contains(" score ") && is_first() && !is_bound()
}

fn client_error(error: PipeError, awaited: &str) -> ClientError {
    match error {
        PipeError::Ended(how) if how.is_external() => {
            ClientError::Killed(format!("{how}; expected {awaited}"))
        }
        PipeError::Ended(how) => ClientError::Crash(format!("{how}; expected {awaited}")),
        PipeError::Deadline => ClientError::Stall(format!("no answer; expected {awaited}")),
        PipeError::Garbled(what) => ClientError::Garbled(format!("{what}; expected {awaited}")),
        PipeError::Interrupted => ClientError::Interrupted,
    }
}

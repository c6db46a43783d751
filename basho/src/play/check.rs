//! Checks in numbered steps whether an engine follows `protocol.md`.
//!
//! The steps that the runner needs come first and decide the result. Those that GUIs expect follow.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::client::{Answer, Client, ClientError, StartError};
use super::interrupt::Interrupt;
use super::process::{Exit, SpawnError};
use crate::config::ChildProgram;
use crate::stderr_tail::StderrTail;
use oshi::game::Text;
use oshi::games::{Variant, Visitor};
use oshi::protocol::{Command, Go, OptionKind, Reply, Start};

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
enum StepError {
    /// The engine could not be restarted for the step.
    #[error("cannot restart it: {0}")]
    Start(#[from] StartError),
    /// The engine did not answer.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// The engine gave a wrong answer.
    #[error("{0}")]
    Wrong(String),
}

impl StepError {
    /// The error of options set while the engine runs.
    fn from_options(error: StartError) -> StepError {
        match error {
            StartError::Client { error, .. } => StepError::Client(error),
            error => StepError::Wrong(error.to_string()),
        }
    }
}

/// Maximum time for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time for an answer after a step has hung: later steps probably hang too.
const TIMEOUT_AFTER_HANG: Duration = Duration::from_secs(2);

/// The clients that need a group of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    Basho,
    Guis,
}

impl Group {
    const fn title(self) -> &'static str {
        match self {
            Group::Basho => "Needed by basho",
            Group::Guis => "Expected by GUIs",
        }
    }
}

/// Number of passed steps in a group.
#[derive(Clone, Copy, Default, Debug)]
struct Passed {
    passed: usize,
    of: usize,
}

/// Runs all steps and prints each result, then a summary. Returns whether the steps that the runner
/// needs have passed.
///
/// After a failed step the engine is restarted. An interrupt ends the check, which then counts as
/// failed.
///
/// # Errors
/// The program cannot be run.
pub fn check(
    program: &ChildProgram,
    variant: Variant,
    interrupt: &Interrupt,
    print: &mut dyn FnMut(&str),
) -> Result<bool, SpawnError> {
    print(&format!("Checking {} in {}", program.path.display(), variant.name()));
    let launch = Launcher { program, variant, interrupt, timeout: TIMEOUT };
    let client = match launch.start() {
        Err(StartError::Spawn(error)) => return Err(error),
        started => started,
    };
    Ok(variant.start().visit(Check { launch, client, print }))
}

/// Starts the engine.
struct Launcher<'a> {
    program: &'a ChildProgram,
    variant: Variant,
    interrupt: &'a Interrupt,
    /// Maximum time for an answer after the start.
    timeout: Duration,
}

impl Launcher<'_> {
    fn start(&self) -> Result<Client, StartError> {
        Client::start(self.program, TIMEOUT, self.interrupt.clone())
    }

    /// Starts the engine after a failed step. A refused variant is not reported here: it has its
    /// own step.
    fn start_again(&self) -> Result<Client, StartError> {
        let mut client = self.start()?;
        client.set_timeout(self.timeout);
        match client.set_options(&BTreeMap::new(), self.variant) {
            Ok(()) | Err(StartError::Variant(_) | StartError::Option(_)) => Ok(client),
            Err(error) => Err(error),
        }
    }
}

struct Check<'a> {
    launch: Launcher<'a>,
    client: Result<Client, StartError>,
    print: &'a mut dyn FnMut(&str),
}

impl Visitor for Check<'_> {
    type Output = bool;

    fn visit<G: Text>(self, start: G) -> bool {
        let Check { mut launch, client, print } = self;
        let variant = launch.variant;
        let mut groups = [(Group::Basho, Passed::default()), (Group::Guis, Passed::default())];
        let mut number = 1;
        let (mut subject, begun) = match client {
            Ok(client) => (Some(EngineUnderTest { client, variant, start }), Ok(())),
            Err(error) => (None, Err(error.to_string())),
        };
        let can_start = begun.is_ok();
        for (group, passed) in &mut groups {
            print(&format!("{}:", group.title()));
            if *group == Group::Basho {
                passed.count(report(print, number, STARTS, begun.clone()));
            }
            let steps = match group {
                Group::Basho => &EngineUnderTest::NEEDED[..],
                Group::Guis => &EngineUnderTest::EXPECTED[..],
            };
            for &(what, step) in steps {
                if launch.interrupt.is_raised() {
                    return false;
                }
                number += 1;
                if !can_start {
                    print(&format!("Skipped Step {number}: {what}"));
                    passed.count(false);
                    continue;
                }
                let began = Instant::now();
                let result = run(&launch, &mut subject, start, step);
                if result.is_err() {
                    if began.elapsed() >= TIMEOUT {
                        launch.timeout = TIMEOUT_AFTER_HANG;
                    }
                    // Its late output must not be taken for an answer of the next step.
                    subject = None;
                }
                passed.count(report(print, number, what, result));
            }
        }
        for (group, Passed { passed, of }) in &groups {
            print(&format!("{}: {passed} of {of} steps passed", group.title()));
        }
        groups.iter().all(|(group, passed)| *group != Group::Basho || passed.passed == passed.of)
    }
}

impl Passed {
    fn count(&mut self, has_passed: bool) {
        self.of += 1;
        self.passed += usize::from(has_passed);
    }
}

/// Description of the first step.
const STARTS: &str = "it starts and answers `uci` with `uciok`";

/// Runs a step, after a restart of the engine if the last step failed.
fn run<G: Text>(
    launch: &Launcher,
    subject: &mut Option<EngineUnderTest<G>>,
    start: G,
    step: StepFunction<G>,
) -> Result<(), String> {
    let failed = |error: StepError, stderr_tail: StderrTail| Err(format!("{error}{stderr_tail}"));
    let running = match subject.take() {
        Some(running) => running,
        None => match launch.start_again() {
            Ok(client) => EngineUnderTest { client, variant: launch.variant, start },
            Err(error) => return failed(error.into(), StderrTail::default()),
        },
    };
    let running = subject.insert(running);
    step(running).or_else(|error| failed(error, running.client.stderr_tail()))
}

/// Prints the result of a step; returns whether it passed.
fn report(
    print: &mut dyn FnMut(&str),
    number: usize,
    what: &str,
    result: Result<(), String>,
) -> bool {
    match &result {
        Ok(()) => print(&format!("Passed Step {number}: {what}")),
        Err(error) => print(&format!("Failed Step {number}: {what}: {error}")),
    }
    result.is_ok()
}

/// The running engine and its variant.
struct EngineUnderTest<G: Text> {
    client: Client,
    variant: Variant,
    start: G,
}

type StepFunction<G> = fn(&mut EngineUnderTest<G>) -> Result<(), StepError>;
type Step<G> = (&'static str, StepFunction<G>);

impl<G: Text> EngineUnderTest<G> {
    const NEEDED: [Step<G>; 10] = [
        ("it declares the variant in `UCI_Variant` and takes it", Self::takes_variant),
        ("it answers `isready` with `readyok`", Self::is_ready),
        ("it takes the default of every option it declares", Self::takes_defaults),
        ("it takes `ucinewgame`", Self::takes_new_game),
        ("it plays a legal move for `go movetime`", Self::plays_move_time),
        ("it plays within a clock", Self::plays_clock),
        ("it plays for `go nodes`", Self::plays_nodes),
        ("it plays for `go depth`", Self::plays_depth),
        ("it plays from a position line with moves", Self::plays_from_line),
        ("it plays a whole game by the rules", Self::plays_whole_game),
    ];

    const EXPECTED: [Step<G>; 8] = [
        ("it reports its name and author", Self::names_itself),
        ("it prints a score before `bestmove`", Self::prints_score),
        ("it answers `bestmove (none)` where the game is over", Self::knows_the_end),
        (
            "it answers `isready` while it thinks, and `stop` with `bestmove`",
            Self::answers_while_thinking,
        ),
        ("it names the error in a bad position and keeps the previous one", Self::keeps_position),
        ("it continues after an unknown command", Self::survives_unknown),
        ("it answers `ugi` with `ugiok`", Self::speaks_ugi),
        ("it ends at `quit` with code 0", Self::quits),
    ];

    fn takes_variant(&mut self) -> Result<(), StepError> {
        self.client.set_options(&BTreeMap::new(), self.variant).map_err(StepError::from_options)
    }

    fn names_itself(&mut self) -> Result<(), StepError> {
        let missing = if self.client.id_name.is_none() { "id name" } else { "id author" };
        match (&self.client.id_name, &self.client.id_author) {
            (Some(_), Some(_)) => Ok(()),
            _ => Err(StepError::Wrong(format!("no `{missing}`; expected it before `uciok`"))),
        }
    }

    fn is_ready(&mut self) -> Result<(), StepError> {
        self.no_error("")
    }

    fn takes_defaults(&mut self) -> Result<(), StepError> {
        let options: BTreeMap<String, String> = self
            .client
            .declared
            .iter()
            .filter_map(|option| {
                let default = match &option.kind {
                    OptionKind::Check { default } => default.to_string(),
                    OptionKind::Spin { default, .. } => default.to_string(),
                    OptionKind::Combo { default, .. } => default.clone(),
                    OptionKind::Text { .. } | OptionKind::Button => return None,
                };
                Some((option.name.clone(), default))
            })
            .collect();
        self.client.set_options(&options, self.variant).map_err(StepError::from_options)?;
        // The engine's default variant need not be the checked one.
        self.client.set_options(&BTreeMap::new(), self.variant).map_err(StepError::from_options)
    }

    fn takes_new_game(&mut self) -> Result<(), StepError> {
        self.client.send(&[Command::UciNewGame])?;
        self.no_error("`ucinewgame`")
    }

    fn plays_move_time(&mut self) -> Result<(), StepError> {
        let time = Duration::from_millis(100);
        self.plays(Go { move_time: Some(time), ..Go::default() }, time).map(drop)
    }

    fn prints_score(&mut self) -> Result<(), StepError> {
        let time = Duration::from_millis(50);
        match self.plays(Go { move_time: Some(time), ..Go::default() }, time)?.score {
            Some(_) => Ok(()),
            None => Err(StepError::Wrong(
                "no `info … score …`; expected one at least before every `bestmove`".to_owned(),
            )),
        }
    }

    fn plays_clock(&mut self) -> Result<(), StepError> {
        let (clock, increment) = (Duration::from_millis(500), Duration::from_millis(10));
        let go = Go { time: [Some(clock); 2], increment: [Some(increment); 2], ..Go::default() };
        let elapsed = self.plays(go, clock)?.elapsed;
        if elapsed <= clock {
            Ok(())
        } else {
            Err(StepError::Wrong(format!("took {elapsed:.1?} of a clock with {clock:.1?}")))
        }
    }

    fn plays_nodes(&mut self) -> Result<(), StepError> {
        self.plays(Go { nodes: Some(100), ..Go::default() }, Duration::ZERO).map(drop)
    }

    fn plays_depth(&mut self) -> Result<(), StepError> {
        self.plays(Go { depth: Some(2), ..Go::default() }, Duration::ZERO).map(drop)
    }

    fn plays_from_line(&mut self) -> Result<(), StepError> {
        let Some(mv) = self.start.legal_moves().first().copied() else { return Ok(()) };
        let mut position = self.start;
        position.play(mv);
        let start = Start::Fen(self.start.to_string());
        self.move_in(&position, &Command::Position { start, moves: vec![mv.to_string()] }, SHORT)
            .map(drop)
    }

    fn plays_whole_game(&mut self) -> Result<(), StepError> {
        self.play_out().map(drop)
    }

    fn knows_the_end(&mut self) -> Result<(), StepError> {
        let moves = self.play_out()?;
        let line = Command::Position { start: Start::StartPos, moves }.to_string();
        let best = self.client.think(&line, &Command::Go(SHORT).to_string(), Duration::ZERO)?.best;
        if best == "(none)" { Ok(()) } else { Err(StepError::Wrong(format!("bestmove {best}"))) }
    }

    fn answers_while_thinking(&mut self) -> Result<(), StepError> {
        let start = Command::Position { start: Start::StartPos, moves: Vec::new() };
        self.client.send(&[
            start,
            Command::Go(Go { infinite: true, ..Go::default() }),
            Command::IsReady,
        ])?;
        let deadline = self.client.deadline(Duration::ZERO);
        loop {
            match self.client.read(deadline, "`readyok` while thinking")? {
                Reply::ReadyOk => break,
                Reply::BestMove { .. } => {
                    return Err(StepError::Wrong("`bestmove` before `stop`".to_owned()));
                }
                _ => {}
            }
        }
        self.client.send(&[Command::Stop])?;
        let best = self.best_move("`bestmove` after `stop`")?;
        self.legal(&self.start, &best).map(drop)
    }

    fn keeps_position(&mut self) -> Result<(), StepError> {
        let start = Command::Position { start: Start::StartPos, moves: Vec::new() };
        let bad = Command::Position { start: Start::Fen("nonsense".to_owned()), moves: Vec::new() };
        self.client.send(&[start, bad.clone()])?;
        let named = self.client.synchronise()?;
        self.client.send(&[Command::Go(SHORT)])?;
        let best = self.best_move("`bestmove` after `go`")?;
        self.legal(&self.start, &best)?;
        named
            .map(drop)
            .ok_or_else(|| StepError::Wrong(format!("no `info string error: …` for `{bad}`")))
    }

    fn survives_unknown(&mut self) -> Result<(), StepError> {
        // Whether it prints anything is up to the engine.
        self.client.send_line("xyzzy plugh")?;
        self.client.synchronise().map(drop).map_err(StepError::from)
    }

    fn speaks_ugi(&mut self) -> Result<(), StepError> {
        self.client.send(&[Command::Ugi])?;
        let deadline = self.client.deadline(Duration::ZERO);
        loop {
            if self.client.read(deadline, "`ugiok` after `ugi`")? == Reply::UgiOk {
                return Ok(());
            }
        }
    }

    fn quits(&mut self) -> Result<(), StepError> {
        match self.client.quit() {
            Exit::Code(0) => Ok(()),
            how => Err(StepError::Wrong(how.to_string())),
        }
    }

    /// Waits for `bestmove`; returns its move. `expected` describes the reply in errors.
    fn best_move(&mut self, expected: &'static str) -> Result<String, StepError> {
        let deadline = self.client.deadline(Duration::ZERO);
        loop {
            if let Reply::BestMove { best, .. } = self.client.read(deadline, expected)? {
                return Ok(best.unwrap_or_default());
            }
        }
    }

    /// Synchronises with the engine, and fails if it has reported an error.
    fn no_error(&mut self, of: &str) -> Result<(), StepError> {
        self.client
            .synchronise()?
            .map_or(Ok(()), |error| Err(StepError::Wrong(format!("{of} gets `{error}`"))))
    }

    /// Asks for a legal move from the start position.
    fn plays(&mut self, go: Go, allowed: Duration) -> Result<Answer, StepError> {
        let line = Command::Position { start: Start::StartPos, moves: Vec::new() }.to_string();
        let thought = self.client.think(&line, &Command::Go(go).to_string(), allowed)?;
        self.legal(&self.start, &thought.best)?;
        Ok(thought)
    }

    fn move_in(&mut self, position: &G, command: &Command, go: Go) -> Result<G::Move, StepError> {
        let thought = self.client.think(
            &command.to_string(),
            &Command::Go(go).to_string(),
            Duration::ZERO,
        )?;
        self.legal(position, &thought.best)
    }

    /// Lets the engine play a whole game against itself; returns the moves.
    fn play_out(&mut self) -> Result<Vec<String>, StepError> {
        let mut position = self.start;
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            let command = Command::Position { start: Start::StartPos, moves: moves.clone() };
            let mv = self.move_in(&position, &command, SHORT)?;
            position.play(mv);
            moves.push(mv.to_string());
        }
        Ok(moves)
    }

    fn legal(&self, position: &G, text: &str) -> Result<G::Move, StepError> {
        position
            .parse_move(text)
            .map_err(|error| StepError::Wrong(format!("bestmove: {error} in `{position}`")))
    }
}

/// A limit that any engine can fulfil quickly.
const SHORT: Go = Go {
    nodes: Some(20),
    search_moves: Vec::new(),
    ponder: false,
    infinite: false,
    move_time: None,
    depth: None,
    mate: None,
    time: [None; 2],
    increment: [None; 2],
    moves_to_go: None,
};

//! Checks whether an engine follows `protocol.md`, in numbered steps; a failed one says what was expected.

use std::collections::BTreeMap;
use std::time::Duration;

use super::client::{Client, ClientError, StartError, Thought};
use super::interrupt::Interrupt;
use super::process::{Exit, SpawnError};
use crate::game::Text;
use crate::games::{Variant, Visitor};
use crate::protocol::{Command, Go, OptionKind, Reply, Start};
use crate::runner::config::ChildProgram;

/// Why a step failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum StepError {
    /// It did not answer.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// It answered something else.
    #[error("{0}")]
    Answer(String),
}

/// How long any answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks an engine that plays the variant, printing each step as it passes or fails. Returns whether all passed; after a
/// step without an answer, or an interrupt, the rest is skipped.
///
/// # Errors
/// The program cannot be run.
pub fn check(
    program: &ChildProgram,
    variant: Variant,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(&str),
) -> Result<bool, SpawnError> {
    tell(&format!("Checking {} in {}", program.path.display(), variant.name()));
    let client = match Client::start(program, PATIENCE, interrupt.clone()) {
        Err(StartError::Spawn(error)) => return Err(error),
        started => started.map_err(|error| error.to_string()),
    };
    Ok(match told(tell, 1, "it starts and answers `uci` with `uciok`", client) {
        Some(client) => variant.start().visit(Steps { client, variant, interrupt, tell }),
        None => false,
    })
}

/// Prints the result of a step, and returns its value.
fn told<T>(tell: &mut dyn FnMut(&str), step: usize, what: &str, result: Result<T, String>) -> Option<T> {
    match result {
        Ok(made) => {
            tell(&format!("Passed Step {step}: {what}"));
            Some(made)
        }
        Err(error) => {
            tell(&format!("Failed Step {step}: {what}: {error}"));
            None
        }
    }
}

struct Steps<'a> {
    client: Client,
    variant: Variant,
    interrupt: &'a Interrupt,
    tell: &'a mut dyn FnMut(&str),
}

impl Visitor for Steps<'_> {
    type Output = bool;

    fn visit<G: Text>(self, start: G) -> bool {
        let Steps { client, variant, interrupt, tell } = self;
        let mut subject = Subject { client, variant, start };
        let mut all_passed = true;
        for (index, (what, step)) in Subject::STEPS.into_iter().enumerate() {
            if interrupt.is_raised() {
                return false;
            }
            let result = step(&mut subject);
            let is_lost = matches!(result, Err(StepError::Client(_)));
            all_passed &= told(tell, index + 2, what, result.map_err(|error| error.to_string())).is_some();
            if is_lost {
                return false;
            }
        }
        all_passed
    }
}

/// The engine that is checked.
struct Subject<G: Text> {
    client: Client,
    variant: Variant,
    start: G,
}

type Step<G> = (&'static str, fn(&mut Subject<G>) -> Result<(), StepError>);

impl<G: Text> Subject<G> {
    const STEPS: [Step<G>; 17] = [
        ("it tells its name and author", Self::names_itself),
        ("it answers `isready` with `readyok`", Self::is_ready),
        ("it takes the default of every option it declares", Self::takes_defaults),
        ("it takes `ucinewgame`", Self::takes_new_game),
        ("it plays a legal move for `go movetime`", Self::plays_move_time),
        ("it prints a score before `bestmove`", Self::prints_score),
        ("it plays within a clock", Self::plays_clock),
        ("it plays for `go nodes`", Self::plays_nodes),
        ("it plays for `go depth`", Self::plays_depth),
        ("it plays from a position line with moves", Self::plays_from_line),
        ("it plays a whole game by the rules", Self::plays_whole_game),
        ("it answers `bestmove (none)` where the game is over", Self::knows_the_end),
        ("it answers `isready` while it thinks, and `stop` with `bestmove`", Self::answers_while_thinking),
        ("it names the error in a bad position and keeps the one before", Self::keeps_position),
        ("it goes on after an unknown command", Self::survives_unknown),
        ("it answers `ugi` with `ugiok`", Self::speaks_ugi),
        ("it ends at `quit` with code 0", Self::quits),
    ];

    fn names_itself(&mut self) -> Result<(), StepError> {
        let missing = if self.client.id_name.is_none() { "id name" } else { "id author" };
        match (&self.client.id_name, &self.client.id_author) {
            (Some(_), Some(_)) => Ok(()),
            _ => Err(StepError::Answer(format!("no `{missing}`; expected it before `uciok`"))),
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
        let set = self.client.set_options(&options, self.variant).and_then(|()| {
            // The default variant need not be the one that is checked.
            self.client.set_options(&BTreeMap::new(), self.variant)
        });
        set.map_err(|error| match error {
            StartError::Client { error, .. } => StepError::Client(error),
            error => StepError::Answer(error.to_string()),
        })
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
            None => Err(StepError::Answer("no `info … score …`; expected one at least before every `bestmove`".to_owned())),
        }
    }

    fn plays_clock(&mut self) -> Result<(), StepError> {
        let (clock, increment) = (Duration::from_millis(500), Duration::from_millis(10));
        let go = Go { time: [Some(clock); 2], increment: [Some(increment); 2], ..Go::default() };
        let elapsed = self.plays(go, clock)?.elapsed;
        if elapsed <= clock { Ok(()) } else { Err(StepError::Answer(format!("took {elapsed:.1?} of a clock with {clock:.1?}"))) }
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
        self.move_in(&position, &Command::Position { start, moves: vec![mv.to_string()] }, SHORT).map(drop)
    }

    fn plays_whole_game(&mut self) -> Result<(), StepError> {
        self.play_out().map(drop)
    }

    fn knows_the_end(&mut self) -> Result<(), StepError> {
        let moves = self.play_out()?;
        let line = Command::Position { start: Start::StartPos, moves }.to_string();
        let best = self.client.think(&line, &Command::Go(SHORT).to_string(), Duration::ZERO)?.best;
        if best == "(none)" { Ok(()) } else { Err(StepError::Answer(format!("bestmove {best}"))) }
    }

    fn answers_while_thinking(&mut self) -> Result<(), StepError> {
        let start = Command::Position { start: Start::StartPos, moves: Vec::new() };
        self.client.send(&[start, Command::Go(Go { infinite: true, ..Go::default() }), Command::IsReady])?;
        let deadline = self.client.deadline(Duration::ZERO);
        loop {
            match self.client.read(deadline, "`readyok` while thinking")? {
                Reply::ReadyOk => break,
                Reply::BestMove { .. } => return Err(StepError::Answer("`bestmove` before `stop`".to_owned())),
                _ => {}
            }
        }
        self.client.send(&[Command::Stop])?;
        let deadline = self.client.deadline(Duration::ZERO);
        loop {
            if let Reply::BestMove { best, .. } = self.client.read(deadline, "`bestmove` after `stop`")? {
                return self.legal(&self.start, &best.unwrap_or_default()).map(drop);
            }
        }
    }

    fn keeps_position(&mut self) -> Result<(), StepError> {
        let start = Command::Position { start: Start::StartPos, moves: Vec::new() };
        let bad = Command::Position { start: Start::Fen("nonsense".to_owned()), moves: Vec::new() };
        self.client.send(&[start, bad.clone()])?;
        let named = self.client.synchronise()?;
        self.client.send(&[Command::Go(SHORT)])?;
        let deadline = self.client.deadline(Duration::ZERO);
        let best = loop {
            if let Reply::BestMove { best, .. } = self.client.read(deadline, "`bestmove` after `go`")? {
                break best.unwrap_or_default();
            }
        };
        self.legal(&self.start, &best)?;
        named.map(drop).ok_or_else(|| StepError::Answer(format!("no `info string error: …` for `{bad}`")))
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
            how => Err(StepError::Answer(how.to_string())),
        }
    }

    /// Waits for the engine and returns the error that it reports, if any.
    fn no_error(&mut self, of: &str) -> Result<(), StepError> {
        self.client.synchronise()?.map_or(Ok(()), |error| Err(StepError::Answer(format!("{of} gets `{error}`"))))
    }

    /// A legal move from the start position.
    fn plays(&mut self, go: Go, allowed: Duration) -> Result<Thought, StepError> {
        let line = Command::Position { start: Start::StartPos, moves: Vec::new() }.to_string();
        let thought = self.client.think(&line, &Command::Go(go).to_string(), allowed)?;
        self.legal(&self.start, &thought.best)?;
        Ok(thought)
    }

    fn move_in(&mut self, position: &G, command: &Command, go: Go) -> Result<G::Move, StepError> {
        let thought = self.client.think(&command.to_string(), &Command::Go(go).to_string(), Duration::ZERO)?;
        self.legal(position, &thought.best)
    }

    /// The moves of a whole game that the engine plays against itself.
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
        position.parse_move(text).map_err(|error| StepError::Answer(format!("bestmove: {error} in `{position}`")))
    }
}

/// Enough nodes to play something.
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

//! One engine's process: it is asked for a move, or to analyse until it is stopped, and says meanwhile what it sees.
//!
//! It is spoken to on a thread of its own, and looks up many times a second whether its answer is still wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use basho::config::ChildProgram;
use basho::play::client::{Client, ClientError, StartError};
use basho::play::interrupt::Interrupt;
use basho::statistics::stats::score_of_elo;
use basho::stderr_tail::StderrTail;
use oshi::game::Player;
use oshi::games::Variant;
use oshi::protocol::{Command, Info, Reply, Score};

use crate::game::{Eval, milliseconds};

/// How often a waiting thread looks up.
const LOOK_UP: Duration = Duration::from_millis(20);

/// What is seen is told at most so often.
const SOONEST: Duration = Duration::from_millis(120);

/// What is seen is told again after this time even if nothing is new: the reader sees that the search goes on.
const LATEST: Duration = Duration::from_millis(400);

/// The memory of an engine, in MiB.
const HASH: u32 = 64;

/// The options that every engine is given.
pub fn common_options() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("Threads", "1".to_owned()),
        ("Hash", HASH.to_string()),
        ("UCI_LimitStrength", false.to_string()),
    ])
}

/// The switch by which an answer is no longer wanted. Every holder shares it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// The answer is no longer wanted.
    pub fn pull(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is no longer wanted.
    pub fn is_pulled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error once the switch is pulled.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_pulled() { Err(Stopped) } else { Ok(()) }
    }
}

/// The work was cancelled: its answer is no longer wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cancelled: the page has closed its connection, or the server ends")]
pub struct Stopped;

/// A question to an engine.
#[derive(Clone, Debug)]
pub struct Question {
    /// The `position` command.
    pub position: String,
    /// The `go` command.
    pub go: String,
    /// The time that it has; `None` if it thinks until it is stopped.
    pub allowed: Option<Duration>,
    /// The variant of the position.
    pub variant: Variant,
    /// The options that are to be set, as far as the engine declares them.
    pub options: BTreeMap<&'static str, String>,
}

/// What an engine sees.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Its best lines by their rank from 1.
    pub lines: BTreeMap<u32, Info>,
    /// How long it has thought.
    pub elapsed: Duration,
    /// Whether it says that its answer is certain.
    pub is_proven: bool,
}

/// An engine's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its move, if it has one.
    pub best: Option<String>,
    /// What it saw last.
    pub sight: Sight,
    /// Whether it can play at a level.
    pub has_levels: bool,
    /// Its last lines on stderr, for the message if the answer is invalid.
    pub last_words: StderrTail,
}

/// Why an engine did not answer.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// It cannot be started.
    #[error(transparent)]
    Start(StartError),
    /// It was at fault.
    #[error("{error}")]
    Client {
        /// The fault.
        error: ClientError,
        /// Its last lines on stderr.
        last_words: StderrTail,
    },
    /// There is no such engine: the game was begun with another command line.
    #[error("there is no such engine on the command line any more; expected another player")]
    NoEngine,
    /// Its answer is no longer wanted.
    #[error("stopped")]
    Stopped,
}

impl From<StartError> for DriverError {
    fn from(error: StartError) -> DriverError {
        match error {
            StartError::Client { error, stderr_tail: last_words } => {
                DriverError::Client { error, last_words }
            }
            other => DriverError::Start(other),
        }
    }
}

impl DriverError {
    /// The engine's last lines on stderr, for the end of a message.
    pub fn last_words(&self) -> StderrTail {
        match self {
            DriverError::Client { last_words, .. } => last_words.clone(),
            DriverError::Start(_) | DriverError::NoEngine | DriverError::Stopped => {
                StderrTail::default()
            }
        }
    }
}

/// Why a question has no answer.
enum Silence {
    Fault(ClientError),
    Stopped,
}

impl From<ClientError> for Silence {
    fn from(error: ClientError) -> Silence {
        Silence::Fault(error)
    }
}

/// The rank of the best line.
const BEST: u32 = 1;

impl Sight {
    /// The best line, if it has a score.
    pub fn best(&self) -> Option<&Info> {
        self.lines.get(&BEST).filter(|info| info.score.is_some())
    }

    /// Sees the lines of a batch, if there are any: in place of others, or as the rest of them where the best one has been seen before.
    fn take(&mut self, batch: &mut BTreeMap<u32, Info>) -> bool {
        let is_news = !batch.is_empty();
        if batch.contains_key(&BEST) {
            self.lines.clear();
        }
        self.lines.append(batch);
        is_news
    }

    /// What the engine thinks of the position, in which this player is to move.
    pub fn eval(&self, turn: Player) -> Option<Eval> {
        let info = self.best()?;
        let score = info.score?;
        Some(Eval {
            black: for_black(chance(info)?, turn),
            score: score.into(),
            proven: self.is_proven(info),
            line: info.pv.clone(),
            ms: Some(milliseconds(self.elapsed)),
            nodes: info.nodes,
        })
    }

    /// Whether a line of it is certain.
    pub fn is_proven(&self, line: &Info) -> bool {
        matches!(line.score, Some(Score::Mate(_)))
            || self.is_proven && line.multipv.unwrap_or(BEST) == BEST
    }
}

/// A chance for Black, from one for the player to move.
pub fn for_black(chance: f64, turn: Player) -> f64 {
    if turn == Player::Black { chance } else { 1.0 - chance }
}

/// The chance of the player to move to win, draws counted half.
pub fn chance(info: &Info) -> Option<f64> {
    Some(match (info.score?, info.wdl) {
        (Score::Mate(moves), _) => f64::from(u8::from(moves > 0)),
        (Score::Cp(hundredths), wdl) => {
            // An engine may say any numbers.
            let [win, draw, loss] =
                wdl.map_or([0.0; 3], |wdl| [wdl.win, wdl.draw, wdl.loss].map(f64::from));
            let all = win + draw + loss;
            if all > 0.0 { (win + draw / 2.0) / all } else { score_of_elo(hundredths.into()) }
        }
    })
}

/// A score as records write it, `cp 12` or `mate -3`, and the chance of the player to move that it says.
pub fn chance_of_score(text: &str) -> Option<(Score, f64)> {
    let score = text.parse().ok()?;
    Some((score, chance(&Info { score: Some(score), ..Info::default() })?))
}

/// A running engine.
pub struct Driver {
    client: Client,
    /// The values of its options that were set.
    set: BTreeMap<String, String>,
    patience: Duration,
}

impl Driver {
    /// Starts an engine.
    ///
    /// # Errors
    /// [`StartError`]: its program cannot be run, or does not speak the protocol.
    pub fn start(
        program: &ChildProgram,
        patience: Duration,
        interrupt: Interrupt,
    ) -> Result<Driver, StartError> {
        let client = Client::start(program, patience, interrupt)?;
        Ok(Driver { client, set: BTreeMap::new(), patience })
    }

    /// Tells it that another game begins.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn new_game(&mut self) -> Result<(), DriverError> {
        self.client.send(&[Command::UciNewGame]).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: ClientError) -> DriverError {
        DriverError::Client { error, last_words: self.client.stderr_tail() }
    }

    /// Whether it can play at the rating of `UCI_Elo`.
    fn has_levels(&self) -> bool {
        ["UCI_LimitStrength", "UCI_Elo"].iter().all(|name| self.client.option(name).is_some())
    }

    /// Asks, and waits for the answer; tells meanwhile what the engine sees.
    ///
    /// # Errors
    /// [`DriverError`]; after [`DriverError::Stopped`] the engine can be asked again, after any other it is of no use.
    pub fn ask(
        &mut self,
        question: &Question,
        stop: &Stop,
        tell: impl FnMut(&Sight),
    ) -> Result<Answer, DriverError> {
        self.converse(question, stop, tell).map_err(|silence| match silence {
            Silence::Fault(error) => self.failed(error),
            Silence::Stopped => DriverError::Stopped,
        })
    }

    fn converse(
        &mut self,
        question: &Question,
        stop: &Stop,
        mut tell: impl FnMut(&Sight),
    ) -> Result<Answer, Silence> {
        self.set_options(question)?;
        // Earlier output is not taken for the answer.
        self.client.synchronise()?;
        let begun = Instant::now();
        self.client.send_line(&question.position)?;
        self.client.send_line(&question.go)?;
        let mut deadline = question.allowed.map(|allowed| self.client.deadline(allowed));
        let (mut sight, mut told, mut is_news, mut is_stopped) =
            (Sight::default(), begun, false, false);
        // Lines come in batches, the best first; one that is not complete would show a move twice.
        let mut batch = BTreeMap::new();
        let worst =
            question.options.get("MultiPV").and_then(|lines| lines.parse().ok()).unwrap_or(BEST);
        loop {
            let now = Instant::now();
            if stop.is_pulled() && !is_stopped {
                is_stopped = true;
                self.client.send(&[Command::Stop])?;
                deadline = Some(now + self.patience);
            }
            let next = deadline.map_or(now + LOOK_UP, |deadline| deadline.min(now + LOOK_UP));
            match self.client.read_line(next, "`bestmove` after `go`") {
                Ok(line) => match read(&line) {
                    Ok(Some(Heard::Best(_))) if is_stopped => return Err(Silence::Stopped),
                    Ok(Some(Heard::Best(best))) => {
                        sight.take(&mut batch);
                        sight.elapsed = begun.elapsed();
                        let (has_levels, last_words) =
                            (self.has_levels(), self.client.stderr_tail());
                        return Ok(Answer { best, sight, has_levels, last_words });
                    }
                    Ok(Some(Heard::Line(info))) => {
                        let rank = info.multipv.unwrap_or(BEST);
                        if rank == BEST {
                            is_news |= sight.take(&mut batch);
                        }
                        if rank <= worst {
                            batch.insert(rank, info);
                        }
                    }
                    Ok(Some(Heard::Proof)) => sight.is_proven = true,
                    Ok(None) => {}
                    Err(error) => return Err(error.into()),
                },
                Err(ClientError::Stall(_))
                    if deadline.is_none_or(|deadline| Instant::now() < deadline) =>
                {
                    is_news |= sight.take(&mut batch);
                }
                Err(error) => return Err(error.into()),
            }
            let since = told.elapsed();
            if !is_stopped
                && !sight.lines.is_empty()
                && (is_news && since >= SOONEST || since >= LATEST)
            {
                sight.elapsed = begun.elapsed();
                tell(&sight);
                (told, is_news) = (Instant::now(), false);
            }
        }
    }

    /// Sets what has another value yet. What the engine does not declare, or not with that value, is left as it is.
    fn set_options(&mut self, question: &Question) -> Result<(), ClientError> {
        let variant = ("UCI_Variant", question.variant.name().to_owned());
        let wanted = question.options.iter().map(|(&name, value)| (name, value.clone()));
        let mut commands = Vec::new();
        for (name, value) in std::iter::once(variant).chain(wanted) {
            let is_set = self.set.get(name) == Some(&value);
            if !is_set
                && self.client.option(name).is_some_and(|option| option.read(Some(&value)).is_ok())
            {
                commands
                    .push(Command::SetOption { name: name.to_owned(), value: Some(value.clone()) });
                self.set.insert(name.to_owned(), value);
            }
        }
        if commands.is_empty() { Ok(()) } else { self.client.send(&commands) }
    }
}

/// A line of an engine that says something.
enum Heard {
    Best(Option<String>),
    Line(Info),
    Proof,
}

/// Reads a line. What is only information need not be valid.
fn read(line: &str) -> Result<Option<Heard>, ClientError> {
    match Reply::parse(line) {
        Ok(Reply::BestMove { best, .. }) => Ok(Some(Heard::Best(best))),
        Ok(Reply::Info(info)) if info.score.is_some() && info.bound.is_none() => {
            Ok(Some(Heard::Line(info)))
        }
        Ok(Reply::Info(info)) => {
            Ok(info.string.is_some_and(|text| text.starts_with("proven ")).then_some(Heard::Proof))
        }
        Err(error) if line.starts_with("bestmove") => Err(ClientError::Garbled(error.to_string())),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_late_take_no_better_place_than_their_own() {
        let mut sight = Sight::default();
        let mut take = |ranks: &[(u32, i32)]| {
            let info = |cp| Info { score: Some(Score::Cp(cp)), ..Info::default() };
            sight.take(&mut ranks.iter().map(|&(rank, cp)| (rank, info(cp))).collect());
            (sight.best().and_then(|best| best.score), sight.lines.len())
        };
        assert_eq!(take(&[(1, 30)]), (Some(Score::Cp(30)), 1));
        assert_eq!(take(&[(2, 20), (3, 10)]), (Some(Score::Cp(30)), 3));
        assert_eq!(
            take(&[(1, 35), (2, 5)]),
            (Some(Score::Cp(35)), 2),
            "a new look takes the place of the old one"
        );
    }
}

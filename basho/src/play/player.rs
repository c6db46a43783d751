//! A player: an engine in its own process, or a built-in player.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::client::{Answer, Client, ClientError, StartError};
use super::descendants;
use super::interrupt::Interrupt;
use super::process::SpawnError;
use super::program::ProgramFile;
use crate::config::{Engine, Program};
use crate::stderr_tail::StderrTail;
use oshi::game::{MoveList, Outcome, Text};
use oshi::games::Variant;

/// A player for a series of games. After a fault, its engine is restarted for the next game.
#[derive(Debug)]
pub struct Player {
    engine: Engine,
    /// Expected file of the program, if known.
    file: Option<ProgramFile>,
    variant: Variant,
    interrupt: Interrupt,
    client: Option<Client>,
    /// Last lines on stderr of the process that ended last.
    stderr_tail: StderrTail,
    rng: ChaCha8Rng,
}

/// A position to move in, with the commands for an engine.
pub struct MoveRequest<'a, G: Text> {
    /// Position to move in.
    pub position: &'a G,
    /// The `position` command that sets it up.
    pub position_line: &'a str,
    /// The `go` command.
    pub go_line: &'a str,
    /// Time allotted to the move; zero without a time limit.
    pub allowed: Duration,
}

impl Player {
    /// A player. Its process starts with the first game. If `file` is given, the program must be
    /// that file.
    pub fn new(
        engine: Engine,
        file: Option<ProgramFile>,
        variant: Variant,
        interrupt: Interrupt,
    ) -> Player {
        let rng = ChaCha8Rng::seed_from_u64(0);
        Player {
            engine,
            file,
            variant,
            interrupt,
            client: None,
            stderr_tail: StderrTail::default(),
            rng,
        }
    }

    /// The engine that plays.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The tournament's interrupt flag.
    pub const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Starts the process and sets its options, unless it is running. Returns `None` for a built-in
    /// player.
    ///
    /// # Errors
    /// [`StartError`] says what is wrong with the program or its options.
    pub fn start(&mut self) -> Result<Option<&Client>, StartError> {
        if let (None, Program::Child(program)) = (&self.client, &self.engine.program) {
            let started = Client::start(program, self.engine.timeout, self.interrupt.clone());
            let ready = started.and_then(|mut client| {
                client.set_options(&self.engine.options, self.variant)?;
                Ok(client)
            });
            // Checked after the start, since the file that was run counts.
            self.check_program()?;
            if let Err(StartError::Client { stderr_tail, .. }) = &ready {
                self.stderr_tail = stderr_tail.clone();
            }
            self.client = Some(ready?);
        }
        Ok(self.client.as_ref())
    }

    /// Checks that the program is still the expected file.
    ///
    /// # Errors
    /// [`SpawnError::Changed`].
    pub fn check_program(&mut self) -> Result<(), SpawnError> {
        if let (Some(file), Program::Child(program)) = (&mut self.file, &self.engine.program)
            && file.has_changed()
        {
            return Err(SpawnError::Changed { path: program.path.clone() });
        }
        Ok(())
    }

    /// Prepares for a game without any state of earlier ones.
    ///
    /// # Errors
    /// [`StartError`] if the engine cannot be started or does not answer. Its process is then
    /// ended.
    pub fn new_game(&mut self, seed: u64) -> Result<(), StartError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        if self.engine.is_restarted {
            self.stop();
        }
        if self.client.is_some() {
            // Daemons of the engine may have ended during the last game.
            descendants::reap_adopted();
        }
        self.start()?;
        let prepared =
            self.call_client(|client, engine| client.new_game(engine, seed)).unwrap_or(Ok(()));
        prepared
            .map_err(|error| StartError::Client { error, stderr_tail: self.stderr_tail.clone() })
    }

    /// Asks for the player's move.
    ///
    /// # Errors
    /// A [`ClientError`]. The process is then ended.
    pub fn think<G: Text>(&mut self, request: &MoveRequest<G>) -> Result<Answer, ClientError> {
        let answer = self.call_client(|client, _| {
            client.think(request.position_line, request.go_line, request.allowed)
        });
        answer.unwrap_or_else(|| {
            let begun = Instant::now();
            let best = match self.engine.program {
                Program::Greedy => greedy_move(request.position, &mut self.rng),
                _ => request.position.legal_moves().choose(&mut self.rng).copied(),
            };
            let best = best.map_or_else(|| "(none)".to_owned(), |best| best.to_string());
            Ok(Answer {
                best,
                begun,
                elapsed: begun.elapsed(),
                processor: None,
                cpu_wait: None,
                nodes: None,
                score: None,
                depth: None,
                variation: Vec::new(),
            })
        })
    }

    /// Ends the process. It is restarted for the next game.
    pub fn stop(&mut self) {
        if let Some(client) = self.client.take() {
            self.stderr_tail = client.stderr_tail();
        }
    }

    /// Last lines on stderr of the process that ended last.
    pub const fn stderr_tail(&self) -> &StderrTail {
        &self.stderr_tail
    }

    /// Calls the engine's client, if there is one, and ends the process after an error.
    fn call_client<T>(
        &mut self,
        ask: impl FnOnce(&mut Client, &Engine) -> Result<T, ClientError>,
    ) -> Option<Result<T, ClientError>> {
        let answer = ask(self.client.as_mut()?, &self.engine);
        if answer.is_err() {
            self.stop();
        }
        Some(answer)
    }
}

/// A move that wins the round; else one after which the opponent cannot win it; else any. `None` if
/// there is no move.
fn greedy_move<G: Text>(position: &G, rng: &mut ChaCha8Rng) -> Option<G::Move> {
    let round = position.round().contest;
    let moves = position.legal_moves();
    let safe: MoveList<G::Move> =
        moves.iter().copied().filter(|&mv| gives_no_win(&round, mv)).collect();
    round
        .winning_move()
        .or_else(|| safe.choose(rng).copied())
        .or_else(|| moves.choose(rng).copied())
}

/// Whether the opponent cannot win this round right after the move.
fn gives_no_win<G: Text>(round: &G, mv: G::Move) -> bool {
    let mut next = *round;
    next.play(mv);
    match next.outcome() {
        Some(outcome) => outcome != Outcome::Win(!round.turn()),
        None => next.turn() == round.turn() || next.winning_move().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshi::game::Game;
    use oshi::games::kamisado::Match;

    fn positions(file: &str) -> impl Iterator<Item = Match> {
        file.lines().map(|line| line.split(" ;").next().unwrap().parse().unwrap())
    }

    #[test]
    fn greedy_takes_a_round_win() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let won =
            positions(include_str!("../../../tests/data/kamisado-finish.txt")).map(|position| {
                let mut next = position.round().contest;
                next.play(greedy_move(&position, &mut rng).unwrap());
                assert_eq!(next.outcome(), Some(Outcome::Win(position.turn())), "{position}");
            });
        assert!(won.count() > 20);
    }

    #[test]
    fn greedy_avoids_giving_a_round_win() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut avoided = 0;
        for position in positions(include_str!("../../../tests/data/kamisado-decide.txt")) {
            let round = position.round().contest;
            if round.winning_move().is_some()
                || !position.legal_moves().into_iter().any(|mv| gives_no_win(&round, mv))
            {
                continue;
            }
            // Checked independently of the tested function.
            let mut next = round;
            next.play(greedy_move(&position, &mut rng).unwrap());
            let loses = next.legal_moves().into_iter().any(|reply| {
                let mut after = next;
                after.play(reply);
                after.outcome() == Some(Outcome::Win(!position.turn()))
            });
            assert!(!loses, "{position}");
            avoided += 1;
        }
        assert!(avoided > 50, "{avoided} positions test too little");
    }
}

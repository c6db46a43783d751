//! The referee: conducts one game by the rules and checks everything that an engine says.

use std::time::{Duration, Instant};

use super::client::{Answer, ClientError, StartError};
use super::interrupt::GRACE;
use super::player::{MoveRequest, Player as Contestant};
use super::process::SpawnError;
use super::stall_detector::StallDetector;
use crate::config::Engine;
use crate::config::limit::{Clock, Limit, TimeLimit};
use crate::config::resign::Resign;
use crate::openings::Opening;
use crate::record::{PlayedMove, Reason, outcome_sentence};
use crate::records::live::{Slot, now_ms};
use crate::sheet::GameScore;
use crate::stderr_tail::StderrTail;
use oshi::game::{MoveError, Outcome, Player, Text};
use oshi::protocol::{Command, Go};

/// A game from its opening to its end.
#[derive(Debug)]
pub struct PlayedGame {
    /// Moves after the opening. The last one may be a fault.
    pub moves: Vec<PlayedMove>,
    /// Result of the game.
    pub score: GameScore,
    /// Why the game ended.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
    /// Last lines on stderr of the engine at fault.
    pub stderr_tail: StderrTail,
    /// A cause outside the game that may have decided it.
    pub outside_cause: Option<OutsideCause>,
}

/// A cause outside the game that may have decided it, so that it has to be replayed.
#[derive(Debug)]
pub enum OutsideCause {
    /// An engine could not be started. The game has no result.
    StartFailed(SpawnError),
    /// A disturbance, described. The result stands if it recurs in every replay.
    Disturbed(String),
}

/// Conducts a game. Each player comes with its seed. `resign` is the rule for resignation. `live`
/// shows the game to spectators and already holds its start.
pub fn play<G: Text>(
    opening: &Opening<G>,
    [black, white]: [(&mut Contestant, u64); 2],
    resign: Option<&Resign>,
    stalls: &StallDetector,
    live: Option<&Slot>,
) -> PlayedGame {
    let mut session = Session::new(opening, [black.0, white.0], stalls, live);
    for (player, seed) in [(Player::Black, black.1), (Player::White, white.1)] {
        let requested = Instant::now();
        match session.seat_mut(player).contestant.new_game(seed) {
            Ok(()) => {}
            Err(StartError::Spawn(error)) => return session.not_started(error),
            Err(error @ (StartError::Option(_) | StartError::Variant(_))) => {
                return session.failed(player, ClientError::Crash(error.to_string()), requested);
            }
            Err(StartError::Client { error, .. }) => {
                return session.failed(player, error, requested);
            }
        }
    }
    loop {
        if let Some(outcome) = session.position.outcome() {
            return session.over(outcome);
        }
        if let Some(&loser) = session
            .movers
            .last()
            .filter(|_| resign.is_some_and(|resign| resign.is_due(session.scores())))
        {
            return session.resigned(loser);
        }
        let player = session.position.turn();
        let requested = Instant::now();
        match session.ask(player) {
            Err(failure) => return session.failed(player, failure, requested),
            Ok(answer) => {
                if let Some(forfeit) = session.play(player, answer) {
                    return session.forfeited(player, forfeit);
                }
            }
        }
    }
}

/// The game in progress: players, position and moves.
struct Session<'a, G: Text> {
    position: G,
    /// The `position` command, which grows with each move.
    line: String,
    has_moves: bool,
    black: Seat<'a>,
    white: Seat<'a>,
    moves: Vec<PlayedMove>,
    /// The player of each move.
    movers: Vec<Player>,
    stalls: &'a StallDetector,
    live: Option<&'a Slot>,
}

struct Seat<'a> {
    contestant: &'a mut Contestant,
    clock: Option<Clock>,
}

/// A loss by a fault.
struct Forfeit {
    reason: Reason,
    /// Rest of the sentence that begins with the player's colour.
    what: String,
    /// Another possible cause of the fault.
    disturbance: Option<String>,
}

impl<'a, G: Text> Session<'a, G> {
    fn new(
        opening: &Opening<G>,
        [black, white]: [&'a mut Contestant; 2],
        stalls: &'a StallDetector,
        live: Option<&'a Slot>,
    ) -> Session<'a, G> {
        let seat = |contestant: &'a mut Contestant| {
            let clock = contestant.engine().limit.and_then(Limit::clock);
            Seat { contestant, clock }
        };
        Session {
            position: opening.position(),
            line: opening.command().to_string(),
            has_moves: !opening.moves().is_empty(),
            black: seat(black),
            white: seat(white),
            moves: Vec::new(),
            movers: Vec::new(),
            stalls,
            live,
        }
    }

    const fn seat(&self, player: Player) -> &Seat<'a> {
        match player {
            Player::Black => &self.black,
            Player::White => &self.white,
        }
    }

    const fn seat_mut(&mut self, player: Player) -> &mut Seat<'a> {
        match player {
            Player::Black => &mut self.black,
            Player::White => &mut self.white,
        }
    }

    /// Time allotted to the player's next move, if limited.
    fn allowed(&self, player: Player) -> Option<Duration> {
        let seat = self.seat(player);
        match (seat.clock, seat.contestant.engine().limit.and_then(|limit| limit.time)) {
            (Some(clock), _) => Some(clock.remaining),
            (None, Some(TimeLimit::PerMove(time))) => Some(time),
            _ => None,
        }
    }

    fn ask(&mut self, player: Player) -> Result<Answer, ClientError> {
        let go = self.go(player);
        let allowed = self.allowed(player).unwrap_or_default();
        let seat = match player {
            Player::Black => &mut self.black,
            Player::White => &mut self.white,
        };
        let request = MoveRequest {
            position: &self.position,
            position_line: &self.line,
            go_line: &go,
            allowed,
        };
        seat.contestant.think(&request)
    }

    /// The `go` command. It has both clocks if both players have one.
    fn go(&self, player: Player) -> String {
        let limit = self.seat(player).contestant.engine().limit.unwrap_or_default();
        let mut go = Go { nodes: limit.nodes, depth: limit.depth, ..Go::default() };
        match limit.time {
            Some(TimeLimit::PerMove(time)) => go.move_time = Some(time),
            Some(TimeLimit::Clock(_)) => {
                let clocks = [self.black.clock, self.white.clock];
                go.time = clocks.map(|clock| clock.map(|clock| clock.remaining));
                go.increment = clocks.map(|clock| {
                    clock.map(|clock| clock.increment()).filter(|time| !time.is_zero())
                });
                go.moves_to_go = self.seat(player).clock.and_then(|clock| clock.moves_to_go);
            }
            None => {}
        }
        Command::Go(go).to_string()
    }

    /// Checks the time and the move of an answer, and plays the move.
    fn play(&mut self, player: Player, answer: Answer) -> Option<Forfeit> {
        let margin = self.seat(player).contestant.engine().margin;
        let overrun = self
            .allowed(player)
            .and_then(|allowed| answer.elapsed.checked_sub(allowed))
            .filter(|time| !time.is_zero());
        let wait = waiting_time(&answer, self.seat(player).contestant.engine());
        self.movers.push(player);
        self.moves.push(PlayedMove {
            text: answer.best.clone(),
            ms: Some(milliseconds(answer.elapsed)),
            nodes: answer.nodes,
            score: answer.score,
            overrun_ms: overrun.map(milliseconds),
            cpu_ms: answer.processor.map(milliseconds),
        });
        if let Some(overrun) = overrun.filter(|&overrun| overrun > margin) {
            let what = format!("loses on time ({}ms overrun)", overrun.as_millis());
            let stall = self.stalls.stall_time(answer.begun, answer.begun + answer.elapsed);
            let disturbance = excuse(overrun, margin, stall, wait);
            return Some(Forfeit { reason: Reason::Timeout, what, disturbance });
        }
        if let Some(clock) = &mut self.seat_mut(player).clock {
            clock.press(answer.elapsed);
        }
        match self.position.parse_move(&answer.best) {
            Ok(mv) => {
                self.position.play(mv);
                self.line.push_str(if self.has_moves { " " } else { " moves " });
                self.line.push_str(&mv.to_string());
                self.has_moves = true;
                self.show(player, answer.depth, answer.variation);
                None
            }
            Err(error @ MoveError::Illegal { .. }) => {
                let what = format!("makes an illegal move: {error}");
                Some(Forfeit { reason: Reason::IllegalMove, what, disturbance: None })
            }
            Err(error @ MoveError::Malformed { .. }) => {
                let what = format!("gives a garbled answer: {error}");
                Some(Forfeit { reason: Reason::Garbled, what, disturbance: None })
            }
        }
    }

    /// Shows spectators the move just played and its principal variation.
    fn show(&self, player: Player, depth: Option<u32>, variation: Vec<String>) {
        let Some(live) = self.live else { return };
        live.update(|game| {
            game.moves.extend(self.moves.last().cloned());
            let clocks = [self.black.clock, self.white.clock];
            game.clock_ms =
                clocks.map(|clock| clock.map(|clock| clock.remaining.as_millis() as u64));
            game.since_ms = now_ms();
            let ([black_depth, white_depth], [black_line, white_line]) =
                (&mut game.depths, &mut game.variations);
            let shown = match player {
                Player::Black => (black_depth, black_line),
                Player::White => (white_depth, white_line),
            };
            (*shown.0, *shown.1) = (depth, variation);
        });
    }

    /// Describes the machine's stall since `begin`, if it was longer than `longer_than`.
    fn stall(&self, begin: Instant, longer_than: Duration) -> Option<String> {
        let stall = self.stalls.stall_time(begin, Instant::now());
        (stall > longer_than)
            .then(|| format!("the machine stood still for {} ms of it", stall.as_millis()))
    }

    fn over(self, outcome: Outcome) -> PlayedGame {
        let detail = outcome_sentence(&self.position, outcome);
        self.ended(outcome.into(), Reason::Normal, detail)
    }

    /// Player and score of each move, latest first.
    fn scores(&self) -> impl Iterator<Item = (Player, Option<&str>)> + Clone {
        let scores = self.moves.iter().map(|played| played.score.as_deref());
        self.movers.iter().copied().zip(scores).rev()
    }

    fn resigned(self, loser: Player) -> PlayedGame {
        let winner = !loser;
        let detail = format!("{winner} wins by adjudication");
        let score = Outcome::Win(winner).into();
        self.ended(score, Reason::Resignation, detail)
    }

    /// Ends the game after a failure of the player's engine.
    fn failed(mut self, player: Player, failure: ClientError, requested: Instant) -> PlayedGame {
        let timeout = self.seat(player).contestant.engine().timeout;
        let (reason, what, disturbance) = match failure {
            ClientError::Crash(how) => (Reason::Crash, format!("disconnects: {how}"), None),
            ClientError::Killed(how) => (
                Reason::Crash,
                format!("disconnects: {how}"),
                Some("the engine was ended from outside".to_owned()),
            ),
            ClientError::Stall(how) => {
                (Reason::Stall, format!("stalls: {how}"), self.stall(requested, timeout / 2))
            }
            ClientError::Garbled(how) => {
                (Reason::Garbled, format!("gives a garbled answer: {how}"), None)
            }
            ClientError::Interrupted => return self.interrupted(),
        };
        let contestant = &mut self.seat_mut(player).contestant;
        if reason == Reason::Crash {
            // An engine that is signalled to end may end in any way.
            if contestant.interrupt().is_raised_within(GRACE) {
                return self.interrupted();
            }
            if let Err(error) = contestant.check_program() {
                return self.not_started(error);
            }
        }
        self.forfeited(player, Forfeit { reason, what, disturbance })
    }

    fn interrupted(self) -> PlayedGame {
        self.broken_off("Game interrupted".to_owned(), None)
    }

    fn not_started(self, error: SpawnError) -> PlayedGame {
        // Free the resources of both engines, which another thread may need.
        self.black.contestant.stop();
        self.white.contestant.stop();
        self.broken_off(
            format!("Game interrupted: {error}"),
            Some(OutsideCause::StartFailed(error)),
        )
    }

    fn broken_off(self, detail: String, outside_cause: Option<OutsideCause>) -> PlayedGame {
        PlayedGame {
            outside_cause,
            ..self.ended(GameScore::Unfinished, Reason::Interrupted, detail)
        }
    }

    fn forfeited(mut self, player: Player, forfeit: Forfeit) -> PlayedGame {
        // The engine's state is unknown, so the next game begins with a new process.
        let contestant = &mut self.seat_mut(player).contestant;
        contestant.stop();
        let stderr_tail = contestant.stderr_tail().clone();
        let outside_cause = forfeit.disturbance.map(OutsideCause::Disturbed);
        let detail = format!("{player} {}", forfeit.what);
        PlayedGame {
            stderr_tail,
            outside_cause,
            ..self.ended(Outcome::Win(!player).into(), forfeit.reason, detail)
        }
    }

    /// The game's end without an outside cause and without lines of stderr.
    fn ended(self, score: GameScore, reason: Reason, detail: String) -> PlayedGame {
        PlayedGame {
            moves: self.moves,
            score,
            reason,
            detail,
            stderr_tail: StderrTail::default(),
            outside_cause: None,
        }
    }
}

/// Why a late answer is not the engine's fault: without the machine's stall, or without the
/// engine's CPU wait, it would have been within the margin.
fn excuse(overrun: Duration, margin: Duration, stall: Duration, wait: Duration) -> Option<String> {
    if overrun.saturating_sub(stall.max(wait)) > margin {
        return None;
    }
    Some(match stall >= wait {
        true => format!("the machine stood still for {} ms of it", stall.as_millis()),
        false => format!("the engine waited for a processor for {} ms of it", wait.as_millis()),
    })
}

/// CPU wait of an answer, capped by the engine's idle time: the elapsed time minus the processor
/// time per thread. Zero if the system does not report it.
fn waiting_time(answer: &Answer, engine: &Engine) -> Duration {
    let threads = engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    let threads =
        threads.and_then(|(_, count)| count.parse().ok()).filter(|&count| count > 0).unwrap_or(1);
    let idle = answer.elapsed.saturating_sub(answer.processor.unwrap_or_default() / threads);
    answer.cpu_wait.unwrap_or_default().min(idle)
}

/// Milliseconds, rounded to microseconds to keep records short.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excuses_only_overruns_explained_by_stall_or_wait() {
        let ms = Duration::from_millis;
        let excused =
            |overrun, margin, stall, wait| excuse(ms(overrun), ms(margin), ms(stall), ms(wait));
        assert_eq!(excused(300, 100, 0, 0), None);
        assert_eq!(excused(300, 100, 199, 199), None, "stall and wait may be the same time");
        assert_eq!(excused(300, 100, 200, 0).unwrap(), "the machine stood still for 200 ms of it");
        assert_eq!(
            excused(300, 100, 50, 250).unwrap(),
            "the engine waited for a processor for 250 ms of it"
        );
        assert_eq!(excused(300, 0, 60, 0), None, "a short stall excuses no long overrun");
        assert_eq!(excused(5, 0, 60, 0).unwrap(), "the machine stood still for 60 ms of it");
    }
}

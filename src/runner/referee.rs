//! The referee: leads one game by the rules, and believes no engine.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::client::{Halt, Thought};
use super::limit::{Clock, Limit};
use super::openings::Opening;
use super::player::{Player as Contestant, Question};
use crate::game::{MoveError, Outcome, Player, Text};
use crate::protocol::{Command, Go};
pub use crate::sheet::GameScore;

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the rules.
    Normal,
    /// A move that the rules do not allow.
    IllegalMove,
    /// A move that came too late.
    Timeout,
    /// The engine's process ended.
    Crash,
    /// No answer at all.
    Stall,
    /// An answer that is none.
    Garbled,
    /// The tournament was stopped; nobody is at fault, and the game does not count.
    Interrupted,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 7] = [
        Reason::Normal,
        Reason::IllegalMove,
        Reason::Timeout,
        Reason::Crash,
        Reason::Stall,
        Reason::Garbled,
        Reason::Interrupted,
    ];

    /// Whether an engine is at fault.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Reason::Normal | Reason::Interrupted)
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Normal => "normal",
            Reason::IllegalMove => "illegal move",
            Reason::Timeout => "timeout",
            Reason::Crash => "crash",
            Reason::Stall => "stall",
            Reason::Garbled => "garbled answer",
            Reason::Interrupted => "interrupted",
        })
    }
}

/// One move with what was said about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The move's text.
    #[serde(rename = "move")]
    pub text: String,
    /// The time it took, in milliseconds.
    pub ms: f64,
    /// The nodes that the engine says it visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The engine's score, as the protocol writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// By how many milliseconds the move overran its time, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun_ms: Option<f64>,
}

/// A game from its opening to its end.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedGame {
    /// The moves after the opening. The last one may be at fault.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub score: GameScore,
    /// Why.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
}

/// Leads a game between Black and White; each has its seed.
pub fn play<G: Text>(opening: &Opening<G>, [black, white]: [(&mut Contestant, u64); 2]) -> PlayedGame {
    let mut table = Table::new(opening, [black.0, white.0]);
    for (player, seed) in [(Player::Black, black.1), (Player::White, white.1)] {
        if let Err(halt) = table.seat_mut(player).contestant.new_game(seed) {
            return table.halted(player, halt);
        }
    }
    loop {
        if let Some(outcome) = table.position.outcome() {
            return table.over(outcome);
        }
        let player = table.position.turn();
        match table.ask(player) {
            Err(halt) => return table.halted(player, halt),
            Ok(thought) => {
                if let Some(forfeit) = table.play(player, thought) {
                    return table.forfeited(player, forfeit);
                }
            }
        }
    }
}

/// The board with a player at each side, and the moves so far.
struct Table<'a, G: Text> {
    position: G,
    /// The `position` command, which grows by each move.
    line: String,
    has_moves: bool,
    black: Seat<'a>,
    white: Seat<'a>,
    moves: Vec<PlayedMove>,
}

struct Seat<'a> {
    contestant: &'a mut Contestant,
    clock: Option<Clock>,
}

/// How a player lost other than by the rules.
struct Forfeit {
    reason: Reason,
    /// What follows the player's colour in the sentence.
    what: String,
}

impl<'a, G: Text> Table<'a, G> {
    fn new(opening: &Opening<G>, [black, white]: [&'a mut Contestant; 2]) -> Table<'a, G> {
        let seat = |contestant: &'a mut Contestant| {
            let clock = match contestant.engine().limit {
                Some(Limit::Clock(control)) => Some(Clock::new(control)),
                _ => None,
            };
            Seat { contestant, clock }
        };
        Table {
            position: opening.position(),
            line: opening.command().to_string(),
            has_moves: !opening.moves().is_empty(),
            black: seat(black),
            white: seat(white),
            moves: Vec::new(),
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

    /// The time that the player's move has; `None` where it is bounded by nodes.
    fn allowed(&self, player: Player) -> Option<Duration> {
        let seat = self.seat(player);
        match (seat.clock, seat.contestant.engine().limit) {
            (Some(clock), _) => Some(clock.remaining),
            (None, Some(Limit::MoveTime(time))) => Some(time),
            _ => None,
        }
    }

    fn ask(&mut self, player: Player) -> Result<Thought, Halt> {
        let go = self.go(player);
        let allowed = self.allowed(player).unwrap_or_default();
        let seat = match player {
            Player::Black => &mut self.black,
            Player::White => &mut self.white,
        };
        let question = Question { position: &self.position, position_line: &self.line, go_line: &go, allowed };
        seat.contestant.think(&question)
    }

    /// The `go` command. On a clock the engine is told both clocks, where both players have one.
    fn go(&self, player: Player) -> String {
        let mut go = Go::default();
        match self.seat(player).contestant.engine().limit {
            Some(Limit::Nodes(nodes)) => go.nodes = Some(nodes),
            Some(Limit::MoveTime(time)) => go.move_time = Some(time),
            Some(Limit::Clock(_)) => {
                let clocks = [self.black.clock, self.white.clock];
                go.time = clocks.map(|clock| clock.map(|clock| clock.remaining));
                go.increment = clocks.map(|clock| clock.map(|clock| clock.increment()).filter(|time| !time.is_zero()));
                go.moves_to_go = self.seat(player).clock.and_then(|clock| clock.moves_to_go);
            }
            None => {}
        }
        Command::Go(go).to_string()
    }

    /// Takes a player's answer: checks its time, then its move.
    fn play(&mut self, player: Player, thought: Thought) -> Option<Forfeit> {
        let margin = self.seat(player).contestant.engine().margin;
        let overrun =
            self.allowed(player).and_then(|allowed| thought.elapsed.checked_sub(allowed)).filter(|time| !time.is_zero());
        self.moves.push(PlayedMove {
            text: thought.best.clone(),
            ms: milliseconds(thought.elapsed),
            nodes: thought.nodes,
            score: thought.score,
            overrun_ms: overrun.map(milliseconds),
        });
        if let Some(overrun) = overrun.filter(|&overrun| overrun > margin) {
            let what = format!("loses on time ({}ms overrun)", overrun.as_millis());
            return Some(Forfeit { reason: Reason::Timeout, what });
        }
        if let Some(clock) = &mut self.seat_mut(player).clock {
            clock.press(thought.elapsed);
        }
        match self.position.parse_move(&thought.best) {
            Ok(mv) => {
                self.position.play(mv);
                self.line.push_str(if self.has_moves { " " } else { " moves " });
                self.line.push_str(&mv.to_string());
                self.has_moves = true;
                None
            }
            Err(error @ MoveError::Illegal { .. }) => {
                Some(Forfeit { reason: Reason::IllegalMove, what: format!("makes an illegal move: {error}") })
            }
            Err(error @ MoveError::Malformed { .. }) => {
                Some(Forfeit { reason: Reason::Garbled, what: format!("gives a garbled answer: {error}") })
            }
        }
    }

    fn over(self, outcome: Outcome) -> PlayedGame {
        let detail = how_it_ended(&self.position, outcome);
        PlayedGame { moves: self.moves, score: outcome.into(), reason: Reason::Normal, detail }
    }

    fn halted(self, player: Player, halt: Halt) -> PlayedGame {
        let (reason, what) = match halt {
            Halt::Crash(how) => (Reason::Crash, format!("disconnects: {how}")),
            Halt::Stall(how) => (Reason::Stall, format!("stalls: {how}")),
            Halt::Garbled(how) => (Reason::Garbled, format!("gives a garbled answer: {how}")),
            Halt::Interrupted => {
                let detail = "Game interrupted".to_owned();
                return PlayedGame { moves: self.moves, score: GameScore::Unfinished, reason: Reason::Interrupted, detail };
            }
        };
        self.forfeited(player, Forfeit { reason, what })
    }

    fn forfeited(mut self, player: Player, forfeit: Forfeit) -> PlayedGame {
        // Whatever state the engine is in, the next game begins with a fresh one.
        self.seat_mut(player).contestant.dismiss();
        let score = Outcome::Win(!player).into();
        PlayedGame { moves: self.moves, score, reason: forfeit.reason, detail: format!("{player} {}", forfeit.what) }
    }
}

/// How the rules ended a game, in a sentence.
pub(super) fn how_it_ended<G: Text>(end: &G, outcome: Outcome) -> String {
    let how = end.ending();
    match outcome {
        Outcome::Win(winner) => format!("{winner} wins by {how}"),
        Outcome::Draw => format!("Draw by {how}"),
    }
}

/// In milliseconds, to the microsecond: finer is noise, and takes room in every record.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

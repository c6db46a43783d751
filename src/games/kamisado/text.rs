//! The text of moves, and how rounds end.

use std::fmt;

use super::picture::{name, picture};
use super::refill::Side;
use super::rules::{Match, Move, Stage};
use super::square::{Colour, Square};
use crate::game::{Game, RoundEnd, Text};

impl Text for Match {
    const MOVE_FORMS: &'static str =
        "from-to such as `a1a5`, `0000` for a pass, `left` or `right` for a refill";

    const COUNTS_POINTS: bool = true;

    fn points(&self) -> Option<[u8; 2]> {
        Some(self.points)
    }

    fn points_to_win(&self) -> Option<u8> {
        Some(self.target.points())
    }

    /// The field after the board is the side to move. In other games it has rows.
    fn resembles(line: &str) -> bool {
        !line.split_whitespace().nth(1).is_some_and(|field| field.contains('/'))
    }

    fn ending(&self) -> &'static str {
        // After the match it is the loser's turn.
        if self.has_arrived(!self.round.turn) { "reaching the far row" } else { "deadlock" }
    }

    fn round_end(&self, before: &Match) -> Option<RoundEnd> {
        let winner = match self.stage {
            Stage::Refill => self.round.turn,
            Stage::Over => !self.round.turn,
            Stage::Playing => return None,
        };
        let tower = Colour::ALL
            .into_iter()
            .find(|&tower| self.teeth(winner, tower) > before.teeth(winner, tower))?;
        let how = match before.teeth(winner, tower) {
            _ if !self.has_arrived(winner) => "deadlock",
            0 => "a plain tower on the far row",
            1 => "a Sumo on the far row",
            2 => "a Double Sumo on the far row",
            _ => "a Triple Sumo on the far row",
        };
        Some(RoundEnd { winner: Some(winner), how, points: Some(self.points) })
    }

    fn picture(&self) -> String {
        picture(self)
    }

    fn read_move(text: &str) -> Option<Move> {
        read_move(text)
    }

    fn why_illegal(&self, mv: Move) -> String {
        why_illegal(self, mv)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Tower { from, to } => write!(f, "{from}{to}"),
            Move::Pass => f.write_str("0000"),
            Move::Refill(side) => f.write_str(side.name()),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

fn read_square(file: u8, rank: u8) -> Option<Square> {
    (matches!(file, b'a'..=b'h') && matches!(rank, b'1'..=b'8'))
        .then(|| Square::new(file - b'a', rank - b'1'))
}

fn read_move(text: &str) -> Option<Move> {
    if let Some(side) = Side::ALL.into_iter().find(|side| side.name() == text) {
        return Some(Move::Refill(side));
    }
    match *text.as_bytes() {
        [b'0', b'0', b'0', b'0'] => Some(Move::Pass),
        [from_file, from_rank, to_file, to_rank] => Some(Move::Tower {
            from: read_square(from_file, from_rank)?,
            to: read_square(to_file, to_rank)?,
        }),
        _ => None,
    }
}

fn why_illegal(position: &Match, mv: Move) -> String {
    if position.stage == Stage::Over {
        return "the match is over".to_owned();
    }
    let turn = position.turn();
    if position.refill_due() {
        return format!("{turn} owes a refill, `left` or `right`");
    }
    match (mv, position.called()) {
        (Move::Refill(_), _) => "no refill is due".to_owned(),
        (Move::Pass, Some(called)) => {
            format!("{turn}'s {} tower is called and can move", name(position, called))
        }
        (Move::Pass, None) => format!("{turn} opens the round and cannot pass"),
        (Move::Tower { .. }, Some(called)) if position.round.must_pass() => {
            format!(
                "{turn}'s {} tower is called and blocked, only `0000` is possible",
                name(position, called)
            )
        }
        (Move::Tower { from, .. }, Some(called)) if from != position.tower(turn, called) => {
            format!(
                "{turn}'s {} tower on {} is called",
                name(position, called),
                position.tower(turn, called)
            )
        }
        (Move::Tower { from, to }, _) => match position.tower_at(from) {
            Some((owner, _)) if owner == turn => format!("the tower on {from} cannot reach {to}"),
            _ => format!("{turn} has no tower on {from}"),
        },
    }
}

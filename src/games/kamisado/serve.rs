//! What winning a round is worth in the match: who serves next, how many points are still missing, and which ranks win them.
//!
//! A match is like tennis: the loser of a round opens the next one, and the opener nearly always wins it. So the rest of the match is
//! taken for a chain of rounds in which the opener wins with a fixed chance, each with a tower drawn from the eight of the winner.

use super::board::Colour;
use super::{Match, Target};
use crate::game::Player;

/// The chance of a round's opener where nothing else is known. Perfect players hold 98 % of random arrangements, but whoever wins a
/// round chooses from which arrangement the next one starts.
pub(super) const OPENER_WINS: f32 = 0.9;

/// Black's chances in the match from every score that can still come, before a round that one of the players opens.
pub(super) struct Serve {
    /// By Black's points, White's points, and opener.
    chances: [[[f32; 2]; 16]; 16],
    /// How likely a won round pays 1, 2, 4 and 8 points, by player.
    pays: [[f32; 4]; 2],
    target: u8,
}

impl Serve {
    pub fn new(position: &Match) -> Serve {
        let pays = Player::ALL.map(|player| {
            let mut pays = [0.0; 4];
            for colour in Colour::ALL {
                pays[usize::from(position.teeth(player, colour).min(3))] += 1.0 / 8.0;
            }
            pays
        });
        let target = Target::points(position.target());
        let mut serve = Serve { chances: [[[0.0; 2]; 16]; 16], pays, target };
        let [black, white] = position.points();
        for black in (black..target).rev() {
            for white in (white..target).rev() {
                for opener in Player::ALL {
                    let black_wins = if opener == Player::Black { OPENER_WINS } else { 1.0 - OPENER_WINS };
                    let chance = black_wins * serve.after([black, white], Player::Black)
                        + (1.0 - black_wins) * serve.after([black, white], Player::White);
                    serve.chances[usize::from(black)][usize::from(white)][opener.index()] = chance;
                }
            }
        }
        serve
    }

    /// Black's chance once this player has won the round that is played at this score.
    pub fn after(&self, points: [u8; 2], winner: Player) -> f32 {
        let pays = self.pays[winner.index()].iter().zip([1, 2, 4, 8]);
        pays.map(|(likely, pay)| {
            let mut points = points;
            points[winner.index()] += pay;
            likely * self.before(points, !winner)
        })
        .sum()
    }

    /// Black's chance before a round that this player opens, or at the end of the match.
    fn before(&self, points: [u8; 2], opener: Player) -> f32 {
        match points.map(|points| points >= self.target) {
            [true, _] => 1.0,
            [_, true] => 0.0,
            _ => self.chances[usize::from(points[0])][usize::from(points[1])][opener.index()],
        }
    }
}

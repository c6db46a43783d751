//! What winning a round is worth in the match: who serves next, how many points are still missing, and which ranks win them.
//!
//! A match is like tennis: the loser of a round opens the next one, and the opener nearly always wins it. So the rest of the match is
//! taken for a chain of rounds in which the ranks of now say how likely the opener wins, and with which tower. The constants are those
//! that `cargo run --release --example fit_serve` prints.

use super::{Match, Target};
use crate::game::{Player, mix};
use crate::games::logistic::logistic;

/// The logit of the opener's chance to win a round: a constant, then what each Sumo, Double and Triple Sumo of the opener adds, and
/// each one of the opponent. A Triple Sumo goes one square at a time: it has to be called often, and cannot go far.
const HOLD: [f32; 7] = [2.87, 0.43, -0.63, -3.93, -0.55, 0.70, 4.41];

/// How likely a tower is to be the one that wins a round, by its teeth, relative to a plain tower.
const PAY: [f32; 4] = [1.00, 0.97, 1.05, 0.82];

/// All that the rest of a match depends on but its score: the ranks of Black and of White, and the points that win.
type Terms = ([[u8; 4]; 2], Target);

/// The chains of the terms that were met last.
#[derive(Default)]
pub(super) struct Serves {
    /// Empty before the first is asked for.
    slots: Vec<Option<(Terms, Serve)>>,
}

/// Few terms are met in one search: those of the round in play, and one tooth on for each tower that may win it, and so on.
const SLOTS: usize = 64;

impl Serves {
    /// The chain of a position's terms.
    pub fn of(&mut self, position: &Match) -> &Serve {
        let ranks = Player::ALL.map(|player| position.ranks(player));
        let terms = (ranks, position.target());
        let digits = ranks.iter().flatten().fold(position.target() as u64, |digits, &count| digits << 4 | u64::from(count));
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || None);
        }
        let slot = &mut self.slots[mix(digits) as usize % SLOTS];
        let (_, serve) = match slot.take() {
            Some(known) if known.0 == terms => slot.insert(known),
            _ => slot.insert((terms, Serve::new(terms))),
        };
        serve
    }
}

/// Black's chances in the match from every score, before a round that one of the players opens.
pub(super) struct Serve {
    /// By Black's points, White's points, and opener.
    chances: [[[f32; 2]; 16]; 16],
    /// How likely a won round pays 1, 2, 4 and 8 points, by player.
    pays: [[f32; 4]; 2],
    /// How likely each player wins a round that they open.
    holds: [f32; 2],
    target: u8,
}

impl Serve {
    fn new((ranks, target): Terms) -> Serve {
        let ranks = ranks.map(|ranks| ranks.map(f32::from));
        let pays = ranks.map(|ranks| {
            let likely = [0, 1, 2, 3].map(|teeth| ranks[teeth] * PAY[teeth]);
            let sum: f32 = likely.iter().sum();
            likely.map(|likely| likely / sum)
        });
        let holds = Player::ALL.map(|opener| {
            let [own, other] = [opener, !opener].map(|player| ranks[player.index()]);
            let features = [1.0, own[1], own[2], own[3], other[1], other[2], other[3]];
            logistic(features.iter().zip(&HOLD).map(|(feature, weight)| feature * weight).sum())
        });
        let target = target.points();
        let mut serve = Serve { chances: [[[0.0; 2]; 16]; 16], pays, holds, target };
        for black in (0..target).rev() {
            for white in (0..target).rev() {
                for opener in Player::ALL {
                    let black_wins = if opener == Player::Black { holds[0] } else { 1.0 - holds[1] };
                    let chance = black_wins * serve.after([black, white], Player::Black)
                        + (1.0 - black_wins) * serve.after([black, white], Player::White);
                    serve.chances[usize::from(black)][usize::from(white)][opener.index()] = chance;
                }
            }
        }
        serve
    }

    /// The chance of a player to win a round that they open.
    pub fn hold(&self, opener: Player) -> f32 {
        self.holds[opener.index()]
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

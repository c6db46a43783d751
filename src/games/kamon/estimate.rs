//! What the search is told of a position that nothing is proven of.
//!
//! The chance is a logistic regression: on positions of games that the engine played against itself and that a proof decided, and on
//! positions of 12 and more plies with their exact values. The prior is a softmax regression on the moves that keep a won position.

use super::Kamon;
use super::board::{Cell, Cells, PLACES, SIDES};
use super::reach::{FAR, Reach};
use crate::game::{Estimate, Player};

/// What the chance is made of, in logits for the player to move.
struct ChanceWeights {
    /// For each own hexagon by its place among [`PLACES`], and against each of the opponent's.
    place: [f32; 6],
    /// By the number of open cells, up to 4, after which the opponent cannot complete a figure at once.
    safe: [f32; 5],
    /// By the order of the player's three ways from side to side, nearest first, and the cells that they miss.
    own_missing: [[f32; FAR + 1]; 3],
    /// The same for the opponent's.
    enemy_missing: [[f32; FAR + 1]; 3],
    /// By the number of own threats, up to 3.
    own_threats: [f32; 4],
    /// By the number of the opponent's threats, up to 3.
    enemy_threats: [f32; 4],
}

const CHANCE: ChanceWeights = ChanceWeights {
    place: [0.48, 0.37, 0.05, 0.15, -0.3, -0.25],
    safe: [-2.7, -0.3, 0.0, 0.0, 0.3],
    own_missing: [
        [0.0, 1.1, 0.9, 0.1, -0.35, -0.6, -0.6, -0.6, -0.6],
        [0.0, 0.9, 0.8, 0.3, -0.05, -0.3, -0.4, -0.5, -0.5],
        [0.0, 0.5, 0.2, 0.4, 0.2, -0.1, -0.3, -0.4, -0.4],
    ],
    enemy_missing: [
        [0.0, -0.9, -0.8, -0.1, 0.35, 0.6, 0.6, 0.6, 0.6],
        [0.0, -1.0, -0.8, -0.3, 0.05, 0.3, 0.4, 0.4, 0.4],
        [0.0, 0.0, -0.5, -0.6, -0.2, 0.1, 0.25, 0.3, 0.3],
    ],
    own_threats: [-0.7, 1.1, 2.4, 1.7],
    enemy_threats: [0.5, -1.1, -1.6, -1.1],
};

/// What moves are worth, in logits.
struct PriorWeights {
    /// By the place among [`PLACES`] of the cell.
    place: [f32; 6],
    /// For each reply after which the mover cannot complete a figure at once.
    safe_reply: f32,
    /// For each new threat, up to 2.
    new_threat: f32,
    /// For taking the cell of an enemy threat.
    threat_taken: f32,
    /// For a cell on one of the mover's shortest ways.
    own_way: f32,
    /// For a cell on one of the opponent's shortest ways.
    enemy_way: f32,
    /// For leaving the opponent a won blocking game.
    block_lost: f32,
}

const PRIOR: PriorWeights = PriorWeights {
    place: [0.6, 0.6, 0.0, 0.1, -0.6, -0.5],
    safe_reply: -0.25,
    new_threat: 0.7,
    threat_taken: 1.4,
    own_way: 1.6,
    enemy_way: 1.5,
    block_lost: -3.5,
};

/// What both players could still become, and the cells left.
struct Prospects {
    own: Reach,
    enemy: Reach,
    free: Cells,
}

impl Kamon {
    fn prospects(&self) -> Prospects {
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        let reach = |player: Player| Reach::new(self.hexagons[player.index()], free);
        Prospects { own: reach(self.turn), enemy: reach(!self.turn), free }
    }

    /// The cells on which a hexagon would let the opponent play on one of `threats`.
    fn calling(&self, threats: Cells) -> Cells {
        threats.iter().fold(Cells::NONE, |all, cell| all | (self.layout.alike(cell) - cell.into()))
    }

    /// Whether the player who chooses among the `open` ones of the `free` cells wins where only blocking counts.
    ///
    /// That game is undirected vertex geography, won exactly if the cell played last makes the maximum matching of the free cells
    /// larger (Fraenkel, Scheinerman and Ullman 1993). Tokens are edges between colours and symbols, mates form their line graph, and
    /// each connected part of one leaves at most one cell unmatched (Sumner 1974): the matching grows if an open part is odd.
    fn wins_by_blocking(&self, open: Cells, free: Cells) -> bool {
        let mut rest = open;
        while let Some(cell) = rest.first() {
            let part = self.layout.linked(cell, free);
            if part.len() % 2 == 1 {
                return true;
            }
            rest -= part;
        }
        false
    }
}

impl Estimate for Kamon {
    fn chance(&self) -> f32 {
        let Prospects { own, enemy, .. } = self.prospects();
        let [own_hexagons, enemy_hexagons] = [self.turn, !self.turn].map(|player| self.hexagons[player.index()]);
        let safe = self.open - self.calling(enemy.threats);
        let mut logit = CHANCE.safe[safe.len().min(4) as usize]
            + CHANCE.own_threats[own.threats.len().min(3) as usize]
            + CHANCE.enemy_threats[enemy.threats.len().min(3) as usize];
        for (weight, place) in CHANCE.place.into_iter().zip(PLACES) {
            logit += weight * ((own_hexagons & place).len() as f32 - (enemy_hexagons & place).len() as f32);
        }
        for order in 0..SIDES.len() {
            logit += CHANCE.own_missing[order][own.missing[order]] + CHANCE.enemy_missing[order][enemy.missing[order]];
        }
        let chance = 1.0 / (1.0 + (-logit).exp());
        match self.turn {
            Player::Black => chance,
            Player::White => 1.0 - chance,
        }
    }

    fn prior_logits(&self, moves: &[Cell], logits: &mut [f32]) {
        let Prospects { own, enemy, free } = self.prospects();
        let hexagons = self.hexagons[self.turn.index()];
        let called = self.calling(own.threats);
        for (&cell, logit) in moves.iter().zip(logits) {
            let free = free - cell.into();
            let replies = self.layout.alike(cell) & free;
            let new_threats = own.new_threats(hexagons, free, cell);
            let safe_replies = replies - called - self.calling(new_threats);
            let weight_if = |holds: bool, weight: f32| if holds { weight } else { 0.0 };
            *logit = PRIOR.safe_reply * safe_replies.len() as f32
                + PRIOR.new_threat * new_threats.len().min(2) as f32
                + weight_if(enemy.threats.contains(cell), PRIOR.threat_taken)
                + weight_if(own.ways.contains(cell), PRIOR.own_way)
                + weight_if(enemy.ways.contains(cell), PRIOR.enemy_way)
                + weight_if(self.wins_by_blocking(replies, free), PRIOR.block_lost);
            for (weight, place) in PRIOR.place.into_iter().zip(PLACES) {
                *logit += weight_if(place.contains(cell), weight);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use rand::SeedableRng;
    use rand::seq::{IteratorRandom, SliceRandom};
    use rand_chacha::ChaCha8Rng;

    fn wins_by_playing_out(position: &Kamon, open: Cells, free: Cells) -> bool {
        open.iter().any(|cell| {
            let free = free - cell.into();
            !wins_by_playing_out(position, position.layout.alike(cell) & free, free)
        })
    }

    #[test]
    fn the_blocking_game_has_the_winner_that_playing_it_out_finds() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in (1..=11).cycle().take(2_000) {
            let position = Kamon::start().random_start(&mut rng);
            let mut cells: Vec<Cell> = (Cells::BOARD - position.layout.neutral()).iter().collect();
            cells.shuffle(&mut rng);
            let free = cells[1..=size].iter().copied().collect();
            let open = position.layout.alike(cells[0]) & free;
            assert_eq!(position.wins_by_blocking(open, free), wins_by_playing_out(&position, open, free), "{free:?}");
        }
    }

    #[test]
    fn estimates_are_numbers_at_every_ply() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
                let moves = position.legal_moves();
                let mut logits = vec![f32::NAN; moves.len()];
                position.prior_logits(&moves, &mut logits);
                assert!(logits.iter().all(|logit| logit.is_finite()), "{position}");
                assert!((0.0..=1.0).contains(&position.chance()), "{position}");
                position.play(cell);
            }
        }
    }

    #[test]
    fn the_chance_of_solved_positions_is_on_the_right_side_mostly() {
        let mut right = 0;
        let mut decided = 0;
        for line in include_str!("../../../tests/data/kamon-solved.txt").lines() {
            let (line, rest) = line.split_once(" ;").unwrap();
            let position: Kamon = line.parse().unwrap();
            let chance = if position.turn() == Player::Black { position.chance() } else { 1.0 - position.chance() };
            match rest.split(" ;").next() {
                Some("win") => right += u32::from(chance > 0.5),
                Some("loss") => right += u32::from(chance < 0.5),
                _ => continue,
            }
            decided += 1;
        }
        assert!(f64::from(right) > 0.7 * f64::from(decided), "{right} of {decided}");
    }
}

//! What the search is told of a position that nothing is proven of.
//!
//! The chance is a logistic regression, the prior a softmax regression, both on positions of 12 and more plies that an exact search
//! had solved.

use super::Kamon;
use super::board::{Cell, Cells};
use super::reach::Reach;
use crate::game::{Estimate, Player};

/// In logits for the player to move; see the fields of [`Reach`].
struct ChanceWeights {
    /// By the number of open cells after which the opponent cannot complete a figure at once, up to 4.
    safe: [f32; 5],
    /// Whether the player to move wins the blocking game, by eighths of the free cells.
    edge: [f32; 5],
    /// By the place among the player's three ways from side to side, nearest first, and the cells missing.
    own_missing: [[f32; 9]; 3],
    enemy_missing: [[f32; 9]; 3],
    /// By the number of threats, up to 3.
    own_threats: [f32; 4],
    enemy_threats: [f32; 4],
}

const CHANCE: ChanceWeights = ChanceWeights {
    safe: [-2.2, -0.1, 0.1, 0.1, 0.6],
    edge: [0.5, 0.2, 0.0, 0.0, 0.0],
    own_missing: [
        [0.0, 0.8, 0.9, -0.1, -0.9, -2.0, -2.0, -2.0, -2.0],
        [0.0, 0.6, 0.7, 0.3, -0.3, -0.7, -1.3, -1.3, -1.3],
        [0.0, 0.8, 0.4, 0.3, 0.1, -0.3, -0.7, -0.7, 0.3],
    ],
    enemy_missing: [
        [0.0, -0.4, -0.7, 0.4, 1.1, 1.3, 1.3, 1.3, 1.3],
        [0.0, -0.5, -0.6, -0.1, 0.5, 1.1, 1.1, 1.1, 1.1],
        [0.0, -0.4, -0.5, -0.2, 0.1, 0.5, 0.7, 0.9, -0.3],
    ],
    own_threats: [-1.1, 0.8, 2.2, 2.1],
    enemy_threats: [1.0, -0.9, -1.5, -1.5],
};

/// What moves are worth, in logits.
struct PriorWeights {
    /// For each reply that leaves the opponent out of reach of the mover's threats.
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
    edge_lost: f32,
}

const PRIOR: PriorWeights =
    PriorWeights { safe_reply: -0.25, new_threat: 0.7, threat_taken: 1.4, own_way: 1.6, enemy_way: 1.5, edge_lost: -3.5 };

impl Kamon {
    fn free(&self) -> Cells {
        Cells::BOARD - self.layout.neutral() - self.filled()
    }

    fn reach(&self, player: Player) -> Reach {
        Reach::new(self.hexagons[player.index()], self.free())
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
        let [own, enemy] = [self.turn, !self.turn].map(|player| self.reach(player));
        let free = self.free();
        let safe = (self.open - self.calling(enemy.threats)).len() as usize;
        let mut logit = CHANCE.safe[safe.min(4)];
        let edge = CHANCE.edge[free.len() as usize / 8];
        logit += if self.wins_by_blocking(self.open, free) { edge } else { -edge };
        for place in 0..3 {
            logit += CHANCE.own_missing[place][own.missing[place]] + CHANCE.enemy_missing[place][enemy.missing[place]];
        }
        logit += CHANCE.own_threats[own.threats.len().min(3) as usize];
        logit += CHANCE.enemy_threats[enemy.threats.len().min(3) as usize];
        let chance = 1.0 / (1.0 + (-logit).exp());
        match self.turn {
            Player::Black => chance,
            Player::White => 1.0 - chance,
        }
    }

    fn prior_logits(&self, moves: &[Cell], logits: &mut [f32]) {
        let [own, enemy] = [self.turn, !self.turn].map(|player| self.reach(player));
        let hexagons = self.hexagons[self.turn.index()];
        let free = self.free();
        let called = self.calling(own.threats);
        for (&cell, logit) in moves.iter().zip(logits) {
            let free = free - cell.into();
            let replies = self.layout.alike(cell) & free;
            let new_threats = own.new_threats(hexagons, free, cell);
            let safe_replies = replies - called - self.calling(new_threats);
            *logit = PRIOR.safe_reply * safe_replies.len() as f32 + PRIOR.new_threat * new_threats.len().min(2) as f32;
            if enemy.threats.contains(cell) {
                *logit += PRIOR.threat_taken;
            }
            if own.ways.contains(cell) {
                *logit += PRIOR.own_way;
            }
            if enemy.ways.contains(cell) {
                *logit += PRIOR.enemy_way;
            }
            if self.wins_by_blocking(replies, free) {
                *logit += PRIOR.edge_lost;
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

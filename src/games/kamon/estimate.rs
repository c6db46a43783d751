//! What the search is told of a position that nothing is proven of.
//!
//! The chance is a logistic regression: on positions of games that the engine played against itself and that a proof decided, and on
//! positions of 12 and more plies with their exact values. The prior is a softmax regression on the moves that keep a won position.

use super::Kamon;
use super::board::{Cell, Cells, PLACES};
use super::reach::{FAR, Reach};
use arrayvec::ArrayVec;

use crate::game::{Estimate, Foresight, MAX_MOVES, Player};

/// What the chance is made of, in logits for the player to move. Each table's last entry stands for all greater numbers too.
struct ChanceWeights {
    /// For each own hexagon by its place among [`PLACES`], and against each of the opponent's.
    place: [f32; 6],
    /// By the number of open cells after which the opponent cannot complete a figure at once.
    safe: [f32; 5],
    /// By the cells that the nearest ways miss, the player's own and the opponent's.
    own_missing: [f32; FAR + 1],
    enemy_missing: [f32; FAR + 1],
    /// By the number of cells on the nearest ways: the more, the harder to bar.
    own_width: [f32; 13],
    enemy_width: [f32; 13],
    /// By the number of threats.
    own_threats: [f32; 4],
    enemy_threats: [f32; 4],
}

/// The weights on the empty board.
const OPENING: ChanceWeights = ChanceWeights {
    place: [1.01, 0.92, 0.49, 0.61, -0.18, -0.11],
    safe: [-1.0, -0.7, -0.7, -0.2, 0.07],
    own_missing: [0.0, 0.54, 2.29, 0.59, 0.21, -0.14, -0.7, -1.03, -0.06],
    enemy_missing: [0.0, -1.21, -1.91, -0.94, -0.06, 0.65, 1.24, 1.24, 0.0],
    own_width: [-0.06, -0.54, -1.96, -0.86, -0.33, 0.03, 0.16, 0.23, 0.27, 0.24, 0.28, 0.27, 0.18],
    enemy_width: [0.0, 0.3, 1.27, 0.65, 0.33, -0.02, -0.1, -0.09, -0.22, -0.31, -0.14, -0.24, -0.27],
    own_threats: [-0.15, 1.13, 0.97, 0.28],
    enemy_threats: [0.18, -1.02, -1.78, -0.71],
};

/// The weights from [`LATE_PLY`] on.
const LATE: ChanceWeights = ChanceWeights {
    place: [0.3, 0.2, 0.03, 0.11, -0.01, -0.01],
    safe: [-1.92, -0.08, 0.06, 0.0, 0.55],
    own_missing: [0.0, 1.96, 2.51, 0.65, -1.76, -3.29, -3.3, -3.3, 0.43],
    enemy_missing: [0.0, -2.01, -2.13, 0.43, 2.25, 2.57, 2.6, 2.6, -0.36],
    own_width: [0.43, -0.73, -1.12, -0.67, -0.54, -0.24, 0.0, 0.07, 0.36, 0.5, 0.59, 0.7, 1.2],
    enemy_width: [-0.36, 1.34, 1.46, 0.76, 0.43, 0.17, -0.28, -0.41, -0.54, -0.72, -0.9, -1.0, -1.3],
    own_threats: [-1.34, 1.13, 2.87, 2.83],
    enemy_threats: [1.28, -1.04, -1.76, -1.54],
};

/// How much of the fitted logit the search is told: one that is less sure looks at more.
const CONFIDENCE: f32 = 0.6;

/// Up to here the weights pass evenly from [`OPENING`] to [`LATE`].
const LATE_PLY: f32 = 24.0;

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

impl ChanceWeights {
    fn logit(&self, position: &Kamon, Prospects { own, enemy, .. }: &Prospects) -> f32 {
        let [own_hexagons, enemy_hexagons] = [position.turn, !position.turn].map(|player| position.hexagons[player.index()]);
        let safe = position.open - position.calling(enemy.threats);
        let places = self.place.into_iter().zip(PLACES);
        let surplus = |place| (own_hexagons & place).len() as f32 - (enemy_hexagons & place).len() as f32;
        places.map(|(weight, place)| weight * surplus(place)).sum::<f32>()
            + entry(&self.safe, safe)
            + self.own_missing[own.missing]
            + self.enemy_missing[enemy.missing]
            + entry(&self.own_width, own.ways)
            + entry(&self.enemy_width, enemy.ways)
            + entry(&self.own_threats, own.threats)
            + entry(&self.enemy_threats, enemy.threats)
    }
}

/// The entry for so many cells, the last one for more.
fn entry(table: &[f32], cells: Cells) -> f32 {
    table[(cells.len() as usize).min(table.len() - 1)]
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
    fn assess(&self, _round_winner: Option<Player>, moves: &[Cell], logits: &mut [f32]) -> f32 {
        let prospects = self.prospects();
        let called = self.calling(prospects.own.threats);
        for (&cell, logit) in moves.iter().zip(logits) {
            *logit = PRIOR.logit(self, &prospects, &Aftermath::new(self, &prospects, called, cell));
        }
        let late = (self.filled().len() as f32 / LATE_PLY).min(1.0);
        let logit = (1.0 - late) * OPENING.logit(self, &prospects) + late * LATE.logit(self, &prospects);
        let chance = 1.0 / (1.0 + (-CONFIDENCE * logit).exp());
        match self.turn {
            Player::Black => chance,
            Player::White => 1.0 - chance,
        }
    }

    fn foresee(&self, moves: &[Cell], foresights: &mut ArrayVec<Foresight, MAX_MOVES>) {
        let prospects = self.prospects();
        let called = self.calling(prospects.own.threats);
        for &cell in moves {
            let aftermath = Aftermath::new(self, &prospects, called, cell);
            let foresight = aftermath.foresight(self, &prospects);
            foresights.push(foresight);
            if let Foresight::Wins { .. } = foresight {
                return;
            }
        }
    }

    fn exact_budget(&self) -> u64 {
        if self.filled().len() >= EXACT_PLY { EXACT_BUDGET } else { 0 }
    }
}

/// From here on leaves are looked through exactly; of plies 16 to 20, those from 18 on prove positions of plies 10 and 12 soonest.
const EXACT_PLY: u32 = 19;

/// Expansions for one leaf; anything from 100 to 1000 does about as well.
const EXACT_BUDGET: u64 = 300;

/// What a move of the player to move leaves.
struct Aftermath {
    cell: Cell,
    /// The free cells.
    free: Cells,
    /// The opponent's moves.
    replies: Cells,
    /// The mover's new threats.
    new_threats: Cells,
    /// The replies after which the mover cannot complete a figure at once.
    safe_replies: Cells,
}

impl Aftermath {
    /// After a move to `cell`; to play on one of the `called` cells is to let the mover complete a figure.
    fn new(position: &Kamon, Prospects { own, free, .. }: &Prospects, called: Cells, cell: Cell) -> Aftermath {
        let free = *free - cell.into();
        let replies = position.layout.alike(cell) & free;
        let hexagons = position.hexagons[position.turn.index()];
        let new_threats = own.new_threats(hexagons, free, cell);
        let spoilt = own.spoilt_threats(hexagons, cell);
        let called = if spoilt.is_empty() { called } else { position.calling(own.threats - spoilt) };
        let safe_replies = replies - called - position.calling(new_threats);
        Aftermath { cell, free, replies, new_threats, safe_replies }
    }

    fn foresight(&self, position: &Kamon, prospects: &Prospects) -> Foresight {
        if prospects.own.threats.contains(self.cell) || self.replies.is_empty() && !self.free.is_empty() {
            Foresight::Wins { own_moves: 1 }
        } else if self.replies.meets(prospects.enemy.threats) || self.is_blocked_next(position) {
            Foresight::Loses
        } else if self.safe_replies.is_empty() && !self.replies.is_empty() {
            Foresight::Wins { own_moves: 2 }
        } else {
            Foresight::Open { logit: PRIOR.logit(position, prospects, self) }
        }
    }

    /// Whether a reply leaves the mover no cell, though some are free.
    fn is_blocked_next(&self, position: &Kamon) -> bool {
        self.free.len() > 1 && self.replies.iter().any(|reply| !position.layout.alike(reply).meets(self.free - reply.into()))
    }
}

impl PriorWeights {
    fn logit(&self, position: &Kamon, Prospects { own, enemy, .. }: &Prospects, aftermath: &Aftermath) -> f32 {
        let &Aftermath { cell, free, replies, new_threats, safe_replies } = aftermath;
        let weight_if = |holds: bool, weight: f32| if holds { weight } else { 0.0 };
        let places = self.place.into_iter().zip(PLACES);
        self.safe_reply * safe_replies.len() as f32
            + self.new_threat * new_threats.len().min(2) as f32
            + weight_if(enemy.threats.contains(cell), self.threat_taken)
            + weight_if(own.ways.contains(cell), self.own_way)
            + weight_if(enemy.ways.contains(cell), self.enemy_way)
            + weight_if(position.wins_by_blocking(replies, free), self.block_lost)
            + places.map(|(weight, place)| weight_if(place.contains(cell), weight)).sum::<f32>()
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
                let chance = position.assess(None, &moves, &mut logits);
                assert!(logits.iter().all(|logit| logit.is_finite()), "{position}");
                assert!((0.0..=1.0).contains(&chance), "{position}");
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

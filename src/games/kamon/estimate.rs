//! What the search is told of a position that nothing is proven of.
//!
//! The chance and the prior are those of a small neural network (see [`net`](super::net)). What it sees is made of what both players
//! could still become. Exact search late in a game, which has no time for that, orders moves by a softmax regression on those that
//! keep a won position.

use super::board::{Cell, Cells, PLACES};
use super::net::{Net, View};
use super::reach::{Reach, can_complete};
use super::shapes::shapes;
use super::{Kamon, MOST_MOVES};
use arrayvec::ArrayVec;

use crate::game::{
    Evaluation, Evaluator, MAX_MOVES, MoveClass, Player, Policy, RoundProof, Searchable,
};
use crate::games::weights::logistic;

/// What moves are worth in exact search, in logits.
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
    /// The free cells that have just one free mate: to play there when it is gone blocks.
    last_mates: Cells,
}

impl Kamon {
    fn prospects(&self) -> Prospects {
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        let reach = |player: Player| Reach::new(&self.hexagons[player.index()], free);
        let [_, last_mates] = self.layout.nearly_alone(free);
        Prospects { own: reach(self.turn), enemy: reach(!self.turn), free, last_mates }
    }

    /// What the net sees.
    pub fn view(&self) -> View {
        let prospects = self.prospects();
        let called = self.calling(prospects.own.threats);
        let aftermaths: Aftermaths =
            self.open.iter().map(|cell| Aftermath::new(self, &prospects, called, cell)).collect();
        self.view_of(&prospects, called, &aftermaths)
    }

    fn view_of(
        &self,
        Prospects { own, enemy, free, .. }: &Prospects,
        called: Cells,
        aftermaths: &[Aftermath],
    ) -> View {
        let [own_hexagons, enemy_hexagons] =
            [self.turn, !self.turn].map(|player| self.hexagons[player.index()].cells());
        let called_for_enemy = self.calling(enemy.threats);
        let standing = |reach: &Reach, cell| match cell {
            _ if reach.threats.contains(cell) => 2,
            _ => u8::from(reach.ways.contains(cell)),
        };
        let mut states = [2; Cell::COUNT];
        for cell in own_hexagons {
            states[cell.ordinal()] = 0;
        }
        for cell in enemy_hexagons {
            states[cell.ordinal()] = 1;
        }
        for cell in *free {
            states[cell.ordinal()] = 3
                + u8::from(self.open.contains(cell))
                + 2 * standing(own, cell)
                + 6 * standing(enemy, cell)
                + 18 * u8::from(called_for_enemy.contains(cell))
                + 36 * u8::from(called.contains(cell));
        }
        let count = |cells: Cells| cells.len() as u8;
        let counts = [
            count(self.filled()),
            own.missing as u8,
            enemy.missing as u8,
            count(own.ways),
            count(enemy.ways),
            count(own.threats),
            count(enemy.threats),
            count(self.open - called_for_enemy),
            count(self.open),
        ];
        let moves =
            aftermaths.iter().map(|aftermath| (aftermath.cell, aftermath.replies)).collect();
        View { states, shapes: shapes(own_hexagons, enemy_hexagons), counts, moves }
    }

    /// The cells on which a hexagon would let the opponent play on one of `threats`.
    fn calling(&self, threats: Cells) -> Cells {
        threats.iter().fold(Cells::NONE, |all, cell| all | (self.layout.alike(cell) - cell.into()))
    }

    /// Whether the player to move loses for want of quiet moves; if so, the most moves that the opponent makes until the end.
    ///
    /// Where the opponent threatens to connect, whoever plays on a mate of such a cell lets the other go there. On the other cells, the quiet
    /// ones, the opponent has the last word in each part of an even number of cells
    /// (see [`wins_by_blocking`](Self::wins_by_blocking)). So the player to move loses if all parts that are open are even,
    /// and neither a part's cells nor one more, the last, are enough to complete a figure before. Without a threat the one who has no move is blocked,
    /// unless the board is full.
    pub(super) fn lost_for_want_of_quiet_moves(&self, a_draw_is_lost: bool) -> Option<u8> {
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        let [own, enemy] = [self.turn, !self.turn].map(|player| self.hexagons[player.index()]);
        let threats = enemy.connecting() & free;
        if self.open.meets(threats) || self.last.is_none() {
            return None;
        }
        let quiet = free - threats - self.calling(threats);
        let mut rest = self.open & quiet;
        let mut most = 0;
        while let Some(cell) = rest.first() {
            let part = self.layout.linked(cell, quiet);
            if part.len() % 2 == 1 || part == free && !a_draw_is_lost {
                return None;
            }
            let outside = ((self.open | self.calling(part)) & free) - part;
            if can_complete(&own, part, outside) {
                return None;
            }
            most = most.max(part.len());
            rest -= part;
        }
        // With a part this has been asked already.
        if most == 0 && can_complete(&own, Cells::NONE, self.open) {
            return None;
        }
        Some(most as u8 / 2 + 1)
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

/// How much of the net's logits the search is told: more than the favourite is to be looked at. All of them score 51.3 ± 4 % of 300 games
/// at 50 ms, with an earlier net 0.5 and 0.85 did no better.
const SHARPNESS: f32 = 0.7;

/// The logit of a move that is seen to win.
const WIN: f32 = 10.0;

impl Searchable for Kamon {
    type Evaluator = NetEvaluator;
}

/// Judges positions by the net. It remembers nothing: each move changes what the net sees.
#[derive(Default)]
pub struct NetEvaluator;

impl Evaluator<Kamon> for NetEvaluator {
    // 2.0 and 4.5 did no better: 48.7 and 52.2 ± 4 % of 300 games at 50 ms; 4.0 49.2 %.
    const EXPLORATION: f32 = 3.0;

    fn evaluate(
        &mut self,
        position: &Kamon,
        moves: &[Cell],
        _round: RoundProof,
        _winners: &[Option<Player>],
    ) -> Evaluation {
        let prospects = position.prospects();
        let called = position.calling(prospects.own.threats);
        let aftermaths: Aftermaths =
            moves.iter().map(|&cell| Aftermath::new(position, &prospects, called, cell)).collect();
        let classes: ArrayVec<_, MAX_MOVES> =
            aftermaths.iter().map(|aftermath| aftermath.class(&prospects)).collect();
        let wins = |class: &MoveClass| matches!(class, MoveClass::Wins { .. });
        let (chance, logits) = if classes.iter().any(wins) {
            (1.0, classes.iter().map(|class| if wins(class) { WIN } else { 0.0 }).collect())
        } else {
            let reading = Net::fitted().read(&position.view_of(&prospects, called, &aftermaths));
            (
                logistic(reading.chance),
                reading.logits.iter().map(|logit| SHARPNESS * logit).collect(),
            )
        };
        Evaluation { value: position.turn.chance_of(chance), policy: Policy { logits, classes } }
    }

    fn classify_moves(&mut self, position: &Kamon, moves: &[Cell]) -> Policy {
        if position.ply() < PRIOR_PLY {
            return self.evaluate(position, moves, RoundProof::Unknown, &[]).policy;
        }
        let prospects = position.prospects();
        let called = position.calling(prospects.own.threats);
        let mut policy = Policy::default();
        for &cell in moves {
            let aftermath = Aftermath::new(position, &prospects, called, cell);
            let class = aftermath.class(&prospects);
            policy.classes.push(class);
            policy.logits.push(if class == MoveClass::Open {
                PRIOR.logit(position, &prospects, &aftermath)
            } else {
                0.0
            });
            if let MoveClass::Wins { .. } = class {
                break;
            }
        }
        policy
    }

    const PROOF_GUIDANCE: f32 = 4.0;

    fn is_near_end(position: &Kamon) -> bool {
        position.ply() >= LOOK_THROUGH_PLY
    }

    fn exact_budget(&self, position: &Kamon) -> u64 {
        if position.ply() >= EXACT_PLY { EXACT_BUDGET } else { 0 }
    }

    /// Half of the plies up to the one from which on most positions are soon proven, and some to spare.
    fn moves_to_come(&self, position: &Kamon) -> u32 {
        SOON_PROVEN_PLY.saturating_sub(position.ply()).div_ceil(2) + MOVES_TO_SPARE
    }
}

/// From here on half of the positions that are met are proven within 20 ms.
const SOON_PROVEN_PLY: u32 = 14;

/// Moves that time is kept for in any case.
const MOVES_TO_SPARE: u32 = 2;

/// From here on proofs of hours look through what is left exactly. With 8 to 12 they take about as long.
const LOOK_THROUGH_PLY: u32 = 10;

/// Before it the net orders moves in exact search, which pays where much is left: from ply 9 it saves more than a quarter of the expansions.
const PRIOR_PLY: u32 = 18;

/// From here on leaves are looked through exactly. From ply 19 on a position of ply 10 is proven in four fifths of the time that ply 21 takes, and still
/// games are lost by it: the tree needs its visits in the opening. Against 21, 50 ms, 300 games each: 19, 23, 25 and never score 47, 55, 52, 51 %.
const EXACT_PLY: u32 = 23;

/// Expansions for one leaf; anything from 100 to 1000 does about as well.
const EXACT_BUDGET: u64 = 300;

/// One for each legal move.
type Aftermaths = ArrayVec<Aftermath, MOST_MOVES>;

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
    fn new(
        position: &Kamon,
        Prospects { own, free, .. }: &Prospects,
        called: Cells,
        cell: Cell,
    ) -> Aftermath {
        let free = *free - cell.into();
        let replies = position.layout.alike(cell) & free;
        let hexagons = &position.hexagons[position.turn.index()];
        let new_threats = own.new_threats(hexagons, free, cell);
        let spoilt = own.spoilt_threats(hexagons, cell);
        let called =
            if spoilt.is_empty() { called } else { position.calling(own.threats - spoilt) };
        let safe_replies = replies - called - position.calling(new_threats);
        Aftermath { cell, free, replies, new_threats, safe_replies }
    }

    /// What is seen of the move.
    fn class(&self, prospects: &Prospects) -> MoveClass {
        if prospects.own.threats.contains(self.cell)
            || self.replies.is_empty() && !self.free.is_empty()
        {
            MoveClass::Wins { own_moves: 1 }
        } else if self.replies.meets(prospects.enemy.threats) || self.is_blocked_next(prospects) {
            MoveClass::Loses
        } else if self.safe_replies.is_empty() && !self.replies.is_empty() {
            MoveClass::Wins { own_moves: 2 }
        } else {
            MoveClass::Open
        }
    }

    /// Whether a reply leaves the mover no cell, though some are free: every reply is a mate of the cell, and one that has no other
    /// is left without.
    fn is_blocked_next(&self, prospects: &Prospects) -> bool {
        self.free.len() > 1 && self.replies.meets(prospects.last_mates)
    }
}

impl PriorWeights {
    fn logit(
        &self,
        position: &Kamon,
        Prospects { own, enemy, .. }: &Prospects,
        aftermath: &Aftermath,
    ) -> f32 {
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
    use crate::game::{Game, Outcome};
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
            assert_eq!(
                position.wins_by_blocking(open, free),
                wins_by_playing_out(&position, open, free),
                "{free:?}"
            );
        }
    }

    /// The most moves that the opponent of the player to move makes until they win, or draw where that is enough; `None` where they do not.
    fn moves_until_lost(position: &Kamon, a_draw_is_lost: bool) -> Option<u8> {
        let player = position.turn();
        let is_lost = |next: &Kamon| match next.outcome()? {
            Outcome::Win(winner) => Some(winner != player),
            Outcome::Draw => Some(a_draw_is_lost),
        };
        let after = |position: &Kamon, cell| {
            let mut next = *position;
            next.play(cell);
            next
        };
        let replies = |next: Kamon| {
            let reply = |cell| {
                let next = after(&next, cell);
                match is_lost(&next) {
                    Some(lost) => lost.then_some(1),
                    None => moves_until_lost(&next, a_draw_is_lost).map(|moves| moves + 1),
                }
            };
            match is_lost(&next) {
                Some(lost) => lost.then_some(0),
                None => next.legal_moves().into_iter().filter_map(reply).min(),
            }
        };
        position
            .legal_moves()
            .into_iter()
            .map(|cell| replies(after(position, cell)))
            .try_fold(0, |most, moves| Some(most.max(moves?)))
    }

    #[test]
    fn a_seen_loss_is_one_and_ends_in_time() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut seen = [0; 2];
        for _ in 0..2_000 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
                position.play(cell);
                for a_draw_is_lost in [false, true] {
                    if position.outcome().is_none()
                        && position.ply() >= 24
                        && let Some(moves) = position.seen_loss(a_draw_is_lost)
                    {
                        let needed = moves_until_lost(&position, a_draw_is_lost);
                        assert!(
                            needed.is_some_and(|needed| needed <= moves),
                            "{position}: {needed:?} of {moves}"
                        );
                        seen[usize::from(a_draw_is_lost)] += 1;
                    }
                }
            }
        }
        assert!(seen[0] > 500 && seen[1] > seen[0], "{seen:?}");
    }

    #[test]
    fn estimates_are_numbers_at_every_ply() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
                let moves = position.legal_moves();
                let Evaluation { value, policy } =
                    NetEvaluator.evaluate(&position, &moves, RoundProof::Unknown, &[]);
                assert!(
                    policy.logits.len() == moves.len()
                        && policy.logits.iter().all(|logit| logit.is_finite()),
                    "{position}"
                );
                assert!((0.0..=1.0).contains(&value), "{position}");
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
            let value = NetEvaluator.value(&position, RoundProof::Unknown);
            let chance = if position.turn() == Player::Black { value } else { 1.0 - value };
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

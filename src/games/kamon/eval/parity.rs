//! Losses by parity: the player who runs out of safe cells first has to give the game away.

use super::reach::can_complete;
use crate::games::kamon::Kamon;
use crate::games::kamon::board::Cells;

impl Kamon {
    /// Whether the player to move loses because the safe cells run out. Returns an upper bound of
    /// the opponent's moves until the end.
    ///
    /// A cell is unsafe if the opponent can connect on it or on one of its mates. Play on safe
    /// cells stays in one component of the mate graph. The opponent plays last in a component of
    /// even size (see [`wins_blocking_game`](Self::wins_blocking_game)), and the player to move
    /// then has to play on an unsafe cell, or is blocked. So the player to move loses if all
    /// components to choose from are even, and no component allows a figure with half of its cells
    /// and one other cell. Without a threat, a full board is a draw.
    pub(in crate::games::kamon) fn static_loss_by_parity(
        &self,
        a_draw_is_lost: bool,
    ) -> Option<u8> {
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        let [own, enemy] = [self.turn, !self.turn].map(|player| self.hexagons[player.index()]);
        let threats = enemy.connecting() & free;
        if self.legal.meets(threats) || self.last.is_none() {
            return None;
        }
        let safe = free - threats - self.mates_of(threats);
        let mut rest = self.legal & safe;
        let mut largest = 0;
        while let Some(cell) = rest.first() {
            let component = self.layout.component(cell, safe);
            if component.len() % 2 == 1 || component == free && !a_draw_is_lost {
                return None;
            }
            let outside = ((self.legal | self.mates_of(component)) & free) - component;
            if can_complete(&own, component, outside) {
                return None;
            }
            largest = largest.max(component.len());
            rest -= component;
        }
        // With a component, the loop has tested this.
        if largest == 0 && can_complete(&own, Cells::NONE, self.legal) {
            return None;
        }
        Some(largest as u8 / 2 + 1)
    }

    /// Whether the player to move wins if only blocking counts. `legal` are their moves among the
    /// `free` cells.
    ///
    /// This game is undirected vertex geography. The player to move wins if and only if the cell
    /// played last enlarges the maximum matching of the free cells (Fraenkel, Scheinerman and
    /// Ullman 1993). Tokens are edges between colours and symbols, so mates form a line graph, and
    /// each of its components leaves at most one cell unmatched (Sumner 1974). So the matching
    /// grows if a component with a legal move is odd.
    pub(super) fn wins_blocking_game(&self, legal: Cells, free: Cells) -> bool {
        let mut rest = legal;
        while let Some(cell) = rest.first() {
            let component = self.layout.component(cell, free);
            if component.len() % 2 == 1 {
                return true;
            }
            rest -= component;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Outcome};
    use crate::games::kamon::board::Cell;
    use rand::SeedableRng;
    use rand::seq::{IteratorRandom, SliceRandom};
    use rand_chacha::ChaCha8Rng;

    fn wins_when_played_out(position: &Kamon, open: Cells, free: Cells) -> bool {
        open.iter().any(|cell| {
            let free = free - cell.into();
            !wins_when_played_out(position, position.layout.matching(cell) & free, free)
        })
    }

    #[test]
    fn blocking_game_agrees_with_playing_it_out() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in (1..=11).cycle().take(2_000) {
            let position = Kamon::start().random_start(&mut rng);
            let mut cells: Vec<Cell> = (Cells::BOARD - position.layout.neutral()).iter().collect();
            cells.shuffle(&mut rng);
            let free = cells[1..=size].iter().copied().collect();
            let open = position.layout.matching(cells[0]) & free;
            assert_eq!(
                position.wins_blocking_game(open, free),
                wins_when_played_out(&position, open, free),
                "{free:?}"
            );
        }
    }

    /// Maximum number of moves the opponent needs to win, or to draw if `a_draw_is_lost`.
    /// `None` if the player to move does not lose.
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
    fn static_loss_is_real_and_within_its_bound() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut seen = [0; 2];
        for _ in 0..2_000 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
                position.play(cell);
                for a_draw_is_lost in [false, true] {
                    if position.outcome().is_none()
                        && position.ply() >= 24
                        && let Some(moves) = position.static_loss(a_draw_is_lost)
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
}

//! Static analysis of a position and the network's input features.

use arrayvec::ArrayVec;

use super::net::Features;
use super::reach::Reach;
use super::shapes::shapes;
use super::{MoveResult, MoveResults};
use crate::game::Player;
use crate::games::kamon::board::{Cell, Cells};
use crate::games::kamon::{Kamon, MAX_LEGAL_MOVES};

/// The threats and shortest paths of both players, from the view of the player to move.
pub(super) struct Analysis {
    pub own: Reach,
    pub enemy: Reach,
    pub free: Cells,
    /// The free cells that have exactly one free mate. Playing on such a cell blocks the opponent
    /// once the mate is taken.
    pub single_mates: Cells,
    /// The mates of the threats of the player to move: a hexagon there lets that player win.
    pub own_threat_mates: Cells,
}

impl Kamon {
    pub(super) fn analysis(&self) -> Analysis {
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        let reach = |player: Player| Reach::new(&self.hexagons[player.index()], free);
        let [own, enemy] = [reach(self.turn), reach(!self.turn)];
        let [_, single_mates] = self.layout.with_at_most_one_mate(free);
        Analysis { own, enemy, free, single_mates, own_threat_mates: self.mates_of(own.threats) }
    }

    pub(super) fn move_results(&self, analysis: &Analysis, moves: &[Cell]) -> MoveResults {
        moves.iter().map(|&cell| MoveResult::new(self, analysis, cell)).collect()
    }

    /// The network's input for this position.
    pub fn features(&self) -> Features {
        let analysis = self.analysis();
        let moves: ArrayVec<Cell, MAX_LEGAL_MOVES> = self.legal.iter().collect();
        self.features_from(&analysis, &self.move_results(&analysis, &moves))
    }

    pub(super) fn features_from(&self, analysis: &Analysis, results: &[MoveResult]) -> Features {
        let Analysis { own, enemy, free, own_threat_mates, .. } = analysis;
        let [own_hexagons, enemy_hexagons] =
            [self.turn, !self.turn].map(|player| self.hexagons[player.index()].cells());
        let enemy_threat_mates = self.mates_of(enemy.threats);
        let relevance = |reach: &Reach, cell| match cell {
            _ if reach.threats.contains(cell) => 2,
            _ => u8::from(reach.paths.contains(cell)),
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
                + u8::from(self.legal.contains(cell))
                + 2 * relevance(own, cell)
                + 6 * relevance(enemy, cell)
                + 18 * u8::from(enemy_threat_mates.contains(cell))
                + 36 * u8::from(own_threat_mates.contains(cell));
        }
        let count = |cells: Cells| cells.len() as u8;
        let counts = [
            count(self.filled()),
            own.missing as u8,
            enemy.missing as u8,
            count(own.paths),
            count(enemy.paths),
            count(own.threats),
            count(enemy.threats),
            count(self.legal - enemy_threat_mates),
            count(self.legal),
        ];
        let moves = results.iter().map(|result| (result.cell, result.replies)).collect();
        Features { states, shapes: shapes(own_hexagons, enemy_hexagons), counts, moves }
    }

    /// The mates of `cells`: a hexagon there lets the opponent play on one of `cells`.
    pub(super) fn mates_of(&self, cells: Cells) -> Cells {
        cells.iter().fold(Cells::NONE, |all, cell| all | (self.layout.matching(cell) - cell.into()))
    }
}

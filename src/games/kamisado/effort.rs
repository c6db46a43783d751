//! How much it seems to take to prove who wins a round, two calls ahead, if no move changed what other towers can do.
//!
//! A position that a move leads to differs from the one before it by that move alone, so that most towers still have the moves that they
//! had. What calling each tower of the mover would come to is therefore asked once, on the board before the move, and the proof numbers
//! of every position after it begin with that.

use super::board::{Board, Colour, FAR_ROW, Square, squares_of};
use crate::game::{Effort, Player};

/// What is seen on the board before the move may be gone after it: no effort counts for more than so many positions.
const MOST: u32 = 24;

/// How much a proof seems to take once a tower of the player is called, by colour.
pub(super) struct Calls([Effort; 8]);

/// The towers of a player, and where they can go.
struct Side {
    occupied: u64,
    targets: [u64; 8],
    /// The colours of those that end the match on the far row, as bits.
    winners: u8,
}

impl Side {
    /// `deciding` are the colours of the towers that end the match with one more tooth, as bits.
    fn new(board: &Board, player: Player, deciding: u8) -> Side {
        let targets = Colour::ALL.map(|colour| board.targets(player, colour));
        let arrivals = targets.iter().rev().fold(0, |colours, targets| colours << 1 | u8::from(targets & FAR_ROW != 0));
        Side { occupied: board.occupied(player), targets, winners: arrivals & deciding }
    }

    /// Where the tower can go without calling one that then wins; what an oshi leads to is not looked into.
    fn safe(&self, colour: usize, enemy: &Side) -> u64 {
        self.targets[colour] & (self.occupied | !squares_of(enemy.winners))
    }
}

impl Calls {
    /// Of this player's towers, where `deciding` are those of both that end the match with one more tooth.
    pub fn new(board: &Board, player: Player, deciding: [u8; 2]) -> Calls {
        let [own, enemy] = [player, !player].map(|player| Side::new(board, player, deciding[player.index()]));
        let replies = Calls::judge(&enemy, &own, |safe| Effort { win: 1, loss: safe.count_ones() });
        Calls::judge(&own, &enemy, |safe| replies.before(safe, own.occupied))
    }

    /// `open` says what a called tower with some safe moves comes to.
    fn judge(own: &Side, enemy: &Side, open: impl Fn(u64) -> Effort) -> Calls {
        Calls(std::array::from_fn(|colour| match own.safe(colour, enemy) {
            _ if own.winners >> colour & 1 == 1 => Effort { win: 1, loss: MOST },
            // A blocked tower passes, and what that calls is not looked into.
            _ if own.targets[colour] == 0 => Effort { win: 1, loss: 1 },
            0 => Effort { win: MOST, loss: 1 },
            safe => open(safe),
        }))
    }

    /// What calling a tower of the enemy comes to that can go to these squares, of which `occupied` are those that it pushes.
    pub fn before(&self, targets: u64, occupied: u64) -> Effort {
        let slides = targets & !occupied;
        let mut effort = if slides == targets { Effort { win: MOST, loss: 0 } } else { Effort { win: 1, loss: 1 } };
        for square in Square::in_bitboard(slides) {
            let reply = self.0[square.colour().index()];
            effort = Effort { win: effort.win.min(reply.loss), loss: effort.loss + reply.win };
        }
        Effort { loss: effort.loss.min(MOST), ..effort }
    }
}

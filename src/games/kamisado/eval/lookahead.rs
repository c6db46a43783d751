//! Lookahead through calls: a retrograde analysis of the sixteen towers, as if no move changed the
//! moves of other towers.
//!
//! The towers are the nodes of a graph. A called tower moves to a square, and the square's colour
//! calls the next tower. A tower that reaches the far row wins. One that can call a lost tower
//! wins, and one that can only call winning towers loses. On the board every move opens and closes
//! lines, so the results are only likely, and less so after more calls.

use crate::game::Player;
use crate::games::kamisado::board::Board;
use crate::games::kamisado::square::{Colour, FAR_ROW, squares_of};

/// Result of calling a tower, for its owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum CallResult {
    /// A win after this number of further calls; 0 if the tower reaches the far row itself.
    Wins(u8),
    /// A loss after this number of further calls.
    Loses(u8),
    /// Unknown.
    Open,
}

/// Maximum number of further calls. Later results do not repay their cost.
pub(super) const MAX_CALLS: u8 = 6;

/// Results of calling each tower. All squares are as the tower's owner sees them.
pub(super) struct Lookahead {
    targets: [[u64; 8]; 2],
    results: [[CallResult; 8]; 2],
    /// Colours of the towers that win, as bits, by player.
    wins: [u8; 2],
    /// Colours of the towers that lose, as bits, by player.
    losses: [u8; 2],
}

impl Lookahead {
    pub fn new(board: &Board) -> Lookahead {
        let mut lookahead = Lookahead {
            targets: Player::ALL.map(|player| board.all_targets(player)),
            results: [[CallResult::Open; 8]; 2],
            wins: [0; 2],
            losses: [0; 2],
        };
        for player in Player::ALL {
            for colour in Colour::ALL {
                if lookahead.targets(player, colour) & FAR_ROW != 0 {
                    lookahead.set_result(player, colour, CallResult::Wins(0));
                }
            }
        }
        for calls in 1..=MAX_CALLS {
            let won = lookahead.wins.map(squares_of);
            let lost = lookahead.losses.map(squares_of);
            let mut changed = false;
            for player in Player::ALL {
                let (good, bad) = (lost[(!player).index()], won[(!player).index()]);
                for colour in Colour::ALL {
                    if lookahead.result(player, colour) != CallResult::Open {
                        continue;
                    }
                    let mut reached = lookahead.targets(player, colour);
                    if reached == 0 {
                        // The square of a blocked tower calls the enemy tower.
                        reached = board.tower(player, colour).bit();
                    }
                    // The effects of an oshi are not analysed.
                    let pushes =
                        reached & board.occupied(player) & lookahead.targets(player, colour);
                    let result = if reached & good & !pushes != 0 {
                        CallResult::Wins(calls)
                    } else if reached & !bad | pushes == 0 {
                        CallResult::Loses(calls)
                    } else {
                        continue;
                    };
                    lookahead.set_result(player, colour, result);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        lookahead
    }

    fn set_result(&mut self, player: Player, colour: Colour, result: CallResult) {
        self.results[player.index()][colour.index()] = result;
        match result {
            CallResult::Wins(_) => self.wins[player.index()] |= 1 << colour.index(),
            CallResult::Loses(_) => self.losses[player.index()] |= 1 << colour.index(),
            CallResult::Open => (),
        }
    }

    pub fn targets(&self, player: Player, colour: Colour) -> u64 {
        self.targets[player.index()][colour.index()]
    }

    pub fn result(&self, player: Player, colour: Colour) -> CallResult {
        self.results[player.index()][colour.index()]
    }

    /// Bitboard of the tower's targets that do not call a winning enemy tower.
    pub fn safe_moves(&self, player: Player, colour: Colour) -> u64 {
        self.targets(player, colour) & !squares_of(self.wins[(!player).index()])
    }
}

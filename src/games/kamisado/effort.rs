//! How much it seems to take to prove who wins a round, two calls ahead, if no move changed what other towers can do.
//!
//! A position that a move leads to differs from the one before it by that move alone, so that most towers still have the moves that they
//! had. What calling each tower of the mover would come to is therefore asked once, on the board before the move, and the proof numbers
//! of every position after it begin with that.

use std::hint::select_unpredictable;

use super::board::{Board, FAR_ROW, squares_of};
use crate::game::{Effort, Player};

/// What is seen on the board before the move may be gone after it: no effort counts for more than so many positions.
const MOST: u16 = 24;

/// How much a proof seems to take once a tower of the player is called, by colour: for a win of the player, and for a loss.
pub(super) struct Calls {
    win: [u16; 8],
    loss: [u16; 8],
}

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
        let targets = board.all_targets(player);
        let arrivals = targets.iter().rev().fold(0, |colours, targets| colours << 1 | u8::from(targets & FAR_ROW != 0));
        Side { occupied: board.occupied(player), targets, winners: arrivals & deciding }
    }
}

impl Calls {
    /// Of this player's towers, where `deciding` are those of both that end the match with one more tooth.
    pub fn new(board: &Board, player: Player, deciding: [u8; 2]) -> Calls {
        let [own, enemy] = [player, !player].map(|player| Side::new(board, player, deciding[player.index()]));
        let replies = Calls::judge(&enemy, &own, |safe| (1, safe.count_ones() as u16));
        Calls::judge(&own, &enemy, |safe| replies.before(safe, own.occupied))
    }

    /// `open` says what a called tower with some safe moves comes to, as efforts for a win and for a loss. It is asked of all towers: a
    /// branch that cannot be foretold costs more.
    fn judge(own: &Side, enemy: &Side, open: impl Fn(u64) -> (u16, u16)) -> Calls {
        // What an oshi leads to is not looked into.
        let calls_winner = squares_of(enemy.winners) & !own.occupied;
        let judged: [(u16, u16); 8] = std::array::from_fn(|colour| {
            let targets = own.targets[colour];
            let safe = targets & !calls_winner;
            let (win, loss) = open(safe);
            let is_won = own.winners >> colour & 1 == 1;
            // A blocked tower passes, and what that calls is not looked into.
            let (is_blocked, is_lost) = (targets == 0, safe == 0);
            let select = |won: u16, lost: u16, open: u16| {
                let open = select_unpredictable(is_lost, lost, open);
                select_unpredictable(is_won, won, select_unpredictable(is_blocked, 1, open))
            };
            (select(1, MOST, win), select(MOST, 1, loss))
        });
        Calls { win: judged.map(|(win, _)| win), loss: judged.map(|(_, loss)| loss) }
    }

    /// What calling a tower of the enemy comes to that can go to these squares, of which `occupied` are those that it pushes: the efforts for
    /// a win and for a loss.
    fn before(&self, targets: u64, occupied: u64) -> (u16, u16) {
        let slides = targets & !occupied;
        let pushes = u32::from(slides != targets);
        // The efforts for a win that there are, as bits.
        let (mut wins, mut loss) = (1 << MOST | pushes << 1, pushes);
        for colour in 0..8 {
            let calls = (slides & squares_of(1 << colour)).count_ones();
            wins |= u32::from(calls != 0) << self.loss[colour];
            loss += calls * u32::from(self.win[colour]);
        }
        (wins.trailing_zeros() as u16, loss.min(MOST.into()) as u16)
    }

    /// The same as an effort.
    pub fn effort_before(&self, targets: u64, occupied: u64) -> Effort {
        let (win, loss) = self.before(targets, occupied);
        Effort { win: win.into(), loss: loss.into() }
    }
}

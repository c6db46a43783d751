//! Who would win the round if no move changed what other towers can do: a retrograde analysis of the sixteen towers.
//!
//! Each tower of each player is a node of a small graph: called, it goes to a square, and the square's colour calls the next tower.
//! A tower that reaches the far row wins; one that can call a lost tower wins; one that can only call winning towers is lost. On the
//! real board every move opens and closes lines, so the verdicts are likely and not certain, the less so the later they come.

use crate::game::Player;
use crate::games::kamisado::board::{Board, Colour, FAR_ROW, squares_of};

/// What calling a tower seems to lead to for its owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum CallResult {
    /// It wins after this many calls of other towers; 0 if it reaches the far row itself.
    Wins(u8),
    /// It loses after this many calls of other towers.
    Loses(u8),
    /// Nothing follows.
    Open,
}

/// Later verdicts are not worth their computation.
pub(super) const MAX_CALLS: u8 = 6;

/// The outlook of all towers of both players. All squares are as the tower's owner sees them.
pub(super) struct Lookahead {
    targets: [[u64; 8]; 2],
    verdicts: [[CallResult; 8]; 2],
    /// The colours of the towers that win and that lose, as bits, by player.
    wins: [u8; 2],
    losses: [u8; 2],
}

impl Lookahead {
    pub fn new(board: &Board) -> Lookahead {
        let targets =
            Player::ALL.map(|player| Colour::ALL.map(|colour| board.targets(player, colour)));
        let mut lookahead = Lookahead {
            targets,
            verdicts: [[CallResult::Open; 8]; 2],
            wins: [0; 2],
            losses: [0; 2],
        };
        for player in Player::ALL {
            for colour in Colour::ALL {
                if lookahead.targets(player, colour) & FAR_ROW != 0 {
                    lookahead.judge(player, colour, CallResult::Wins(0));
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
                    if lookahead.verdict(player, colour) != CallResult::Open {
                        continue;
                    }
                    let mut reached = lookahead.targets(player, colour);
                    if reached == 0 {
                        // A blocked tower calls the enemy's by the square that it stands on.
                        reached = board.tower(player, colour).bit();
                    }
                    // What an oshi leads to is not looked into.
                    let pushes =
                        reached & board.occupied(player) & lookahead.targets(player, colour);
                    let verdict = if reached & good & !pushes != 0 {
                        CallResult::Wins(calls)
                    } else if reached & !bad | pushes == 0 {
                        CallResult::Loses(calls)
                    } else {
                        continue;
                    };
                    lookahead.judge(player, colour, verdict);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        lookahead
    }

    fn judge(&mut self, player: Player, colour: Colour, verdict: CallResult) {
        self.verdicts[player.index()][colour.index()] = verdict;
        match verdict {
            CallResult::Wins(_) => self.wins[player.index()] |= 1 << colour.index(),
            CallResult::Loses(_) => self.losses[player.index()] |= 1 << colour.index(),
            CallResult::Open => (),
        }
    }

    pub fn targets(&self, player: Player, colour: Colour) -> u64 {
        self.targets[player.index()][colour.index()]
    }

    pub fn verdict(&self, player: Player, colour: Colour) -> CallResult {
        self.verdicts[player.index()][colour.index()]
    }

    /// Where the tower can go without calling an enemy tower that wins.
    pub fn safe_moves(&self, player: Player, colour: Colour) -> u64 {
        self.targets(player, colour) & !squares_of(self.wins[(!player).index()])
    }
}

//! Who would win the round if no move changed what other towers can do: a retrograde analysis of the sixteen towers.
//!
//! Each tower of each player is a node of a small graph: called, it goes to a square, and the square's colour calls the next tower.
//! A tower that reaches the far row wins; one that can call a lost tower wins; one that can only call winning towers is lost. On the
//! real board every move opens and closes lines, so the verdicts are likely and not certain, the less so the later they come.

use super::board::{Board, Colour, FAR_ROW, squares_of};
use crate::game::Player;

/// What calling a tower seems to lead to for its owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Verdict {
    /// It wins after this many calls of other towers; 0 if it reaches the far row itself.
    Wins(u8),
    /// It loses after this many calls of other towers.
    Loses(u8),
    /// Nothing follows.
    Open,
}

/// Later verdicts are not worth their computation.
pub(super) const LATEST: u8 = 6;

/// The outlook of all towers of both players. All squares are as the tower's owner sees them.
pub(super) struct Outlook {
    targets: [[u64; 8]; 2],
    verdicts: [[Verdict; 8]; 2],
    /// The colours of the towers that win and that lose, as bits, by player.
    wins: [u8; 2],
    losses: [u8; 2],
}

impl Outlook {
    pub fn new(board: &Board) -> Outlook {
        let targets =
            Player::ALL.map(|player| Colour::ALL.map(|colour| board.targets(player, colour)));
        let mut outlook =
            Outlook { targets, verdicts: [[Verdict::Open; 8]; 2], wins: [0; 2], losses: [0; 2] };
        for player in Player::ALL {
            for colour in Colour::ALL {
                if outlook.targets(player, colour) & FAR_ROW != 0 {
                    outlook.judge(player, colour, Verdict::Wins(0));
                }
            }
        }
        for calls in 1..=LATEST {
            let won = outlook.wins.map(squares_of);
            let lost = outlook.losses.map(squares_of);
            let mut changed = false;
            for player in Player::ALL {
                let (good, bad) = (lost[(!player).index()], won[(!player).index()]);
                for colour in Colour::ALL {
                    if outlook.verdict(player, colour) != Verdict::Open {
                        continue;
                    }
                    let mut reached = outlook.targets(player, colour);
                    if reached == 0 {
                        // A blocked tower calls the enemy's by the square that it stands on.
                        reached = board.tower(player, colour).bit();
                    }
                    // What an oshi leads to is not looked into.
                    let pushes = reached & board.occupied(player) & outlook.targets(player, colour);
                    let verdict = if reached & good & !pushes != 0 {
                        Verdict::Wins(calls)
                    } else if reached & !bad | pushes == 0 {
                        Verdict::Loses(calls)
                    } else {
                        continue;
                    };
                    outlook.judge(player, colour, verdict);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        outlook
    }

    fn judge(&mut self, player: Player, colour: Colour, verdict: Verdict) {
        self.verdicts[player.index()][colour.index()] = verdict;
        match verdict {
            Verdict::Wins(_) => self.wins[player.index()] |= 1 << colour.index(),
            Verdict::Loses(_) => self.losses[player.index()] |= 1 << colour.index(),
            Verdict::Open => (),
        }
    }

    pub fn targets(&self, player: Player, colour: Colour) -> u64 {
        self.targets[player.index()][colour.index()]
    }

    pub fn verdict(&self, player: Player, colour: Colour) -> Verdict {
        self.verdicts[player.index()][colour.index()]
    }

    /// Where the tower can go without calling an enemy tower that wins.
    pub fn safe_moves(&self, player: Player, colour: Colour) -> u64 {
        self.targets(player, colour) & !squares_of(self.wins[(!player).index()])
    }
}

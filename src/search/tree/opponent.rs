//! What a search takes the players for.

use crate::game::Player;
use crate::search::proof::proven::Proof;

/// How the players of a search choose their moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) enum Opponent {
    /// Both play the best they can.
    Perfect,
    /// This player chooses by policy: each move as often as its prior says, good or bad.
    ByPolicy(Player),
}

impl Opponent {
    /// Whether this player chooses by policy.
    pub fn is_sampled(self, player: Player) -> bool {
        self == Opponent::ByPolicy(player)
    }

    /// Whether what is proven against best play holds against these players too: one who may err is not certain to win.
    pub fn is_certain(self, proof: Proof) -> bool {
        match self {
            Opponent::Perfect => true,
            Opponent::ByPolicy(player) => !proof.is_win_for(player),
        }
    }
}

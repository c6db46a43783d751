//! Models of the players in a search.

use crate::game::Player;
use crate::search::proof::proven::Proof;

/// How the players choose their moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) enum Opponent {
    /// Both play best.
    Perfect,
    /// This player chooses each move with the probability of its prior.
    ByPolicy(Player),
}

impl Opponent {
    /// Whether this player chooses by policy.
    pub fn is_sampled(self, player: Player) -> bool {
        self == Opponent::ByPolicy(player)
    }

    /// Whether a proof against best play holds in this model. A fallible player is not certain to
    /// win.
    pub fn is_certain(self, proof: Proof) -> bool {
        match self {
            Opponent::Perfect => true,
            Opponent::ByPolicy(player) => !proof.is_win_for(player),
        }
    }
}

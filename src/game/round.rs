//! Rounds: the parts of a match.

use super::player::Player;

/// The round in play.
///
/// ```
/// use oshi::game::{Game, Player, RoundStage};
/// use oshi::games::kamisado::{Match, Target};
///
/// let round = Match::start(Target::Standard).round();
/// assert_eq!(round.stage, RoundStage::Opening);
/// assert!(!round.decides_for(Player::Black));
/// assert_eq!(round.contest, Match::start(Target::Simple));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round<G> {
    /// The round as a game of its own, which the round's winner wins. In a game without rounds this
    /// is the position itself.
    pub contest: G,
    /// The stage of the round.
    pub stage: RoundStage,
    decides_for: [bool; 2],
}

/// Stage of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundStage {
    /// Before the first move. There are many legal moves, so the search proves the round's winner
    /// before it compares them.
    Opening,
    /// After the first move.
    Underway,
    /// The round is won, and a player chooses how the next one begins.
    Between,
}

impl<G> Round<G> {
    /// The only round of a game without rounds.
    pub const fn whole_game(position: G) -> Self {
        Round::of_match(position, [true; 2], RoundStage::Underway)
    }

    /// A round of a match. `decides_for` says for Black and for White whether any win of the round
    /// wins the game.
    pub const fn of_match(contest: G, decides_for: [bool; 2], stage: RoundStage) -> Self {
        Round { contest, stage, decides_for }
    }

    /// Whether the round's winner wins the game. The search calls this a single-round game, also if
    /// it is the last round of a match.
    pub fn is_whole_game(&self) -> bool {
        self.decides_for == [true; 2]
    }

    /// Whether this player wins the game by winning the round.
    pub fn decides_for(&self, winner: Player) -> bool {
        self.decides_for[winner.index()]
    }

    /// Whether the next move is the round's first.
    pub fn is_opening(&self) -> bool {
        self.stage == RoundStage::Opening
    }
}

/// The end of a round, or of a game without rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundEnd {
    /// The winner, unless the game is drawn.
    pub winner: Option<Player>,
    /// How it ended, in a few words such as `deadlock`.
    pub how: &'static str,
    /// The points of Black and White afterwards, if the game counts points.
    pub points: Option<[u8; 2]>,
}

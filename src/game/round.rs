//! A round: the part of a match that is in play.

use super::player::Player;

/// The round in play, as one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round<G> {
    /// The round as a contest of its own: whoever wins it wins. The position itself where nothing else counts.
    pub contest: G,
    /// How far it has come.
    pub stage: RoundStage,
    decides_for: [bool; 2],
}

/// How far a round has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundStage {
    /// It begins here, with a choice so wide that a proof of who wins it says more than looking at the moves.
    Opening,
    /// It is in play.
    Underway,
    /// It is won, and something is chosen that the next one begins with.
    Between,
}

impl<G> Round<G> {
    /// The only round of a game.
    pub const fn whole_game(position: G) -> Self {
        Round::of_match(position, [true; 2], RoundStage::Underway)
    }

    /// A round of a match: as a contest of its own, and whether Black and whether White wins the game by winning it, however they do.
    pub const fn of_match(contest: G, decides_for: [bool; 2], stage: RoundStage) -> Self {
        Round { contest, stage, decides_for }
    }

    /// Whether nothing but this round decides the game.
    pub fn is_whole_game(&self) -> bool {
        self.decides_for == [true; 2]
    }

    /// Whether this player wins the game if they win the round.
    pub fn decides_for(&self, winner: Player) -> bool {
        self.decides_for[winner.index()]
    }

    /// Whether it begins here.
    pub fn is_opening(&self) -> bool {
        self.stage == RoundStage::Opening
    }
}

/// The end of a round, or of a whole game that has no rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundEnd {
    /// Who won it, if anybody did.
    pub winner: Option<Player>,
    /// How, in a few words: `deadlock`.
    pub how: &'static str,
    /// The points of Black and of White after it, in games that count points.
    pub points: Option<[u8; 2]>,
}

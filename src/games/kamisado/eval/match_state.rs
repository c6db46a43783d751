//! Where a match stands between two rounds: ranks and points, and how the player who opens the next round sees them.

use crate::game::Player;
use crate::games::kamisado::rules::{Match, Target};

/// Features of a standing as the opener of the next round sees it.
pub const STATE_FEATURES: usize = 9;

/// Features of an open round, as its opener sees it.
pub const OPENING_FEATURES: usize = 8;

/// All that a match keeps from round to round but for the arrangement of the towers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatchState {
    /// How many towers have 0, 1, 2 and 3 teeth, by player.
    pub(super) ranks: [[u8; 4]; 2],
    pub(super) points: [u8; 2],
    pub(super) target: Target,
}

impl MatchState {
    /// The standing of a match, the round in play not counted.
    pub fn new(position: &Match) -> MatchState {
        MatchState {
            ranks: Player::ALL.map(|player| position.ranks(player)),
            points: position.points(),
            target: position.target(),
        }
    }

    /// How many towers of this player have 0, 1, 2 and 3 teeth.
    pub const fn ranks(&self, player: Player) -> [u8; 4] {
        self.ranks[player.index()]
    }

    /// The points that win.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// Who has won the match, if anybody has.
    pub fn winner(&self) -> Option<Player> {
        Player::ALL.into_iter().find(|player| self.points[player.index()] >= self.target.points())
    }

    /// The standing once this player has won a round with a tower that had so many teeth, at most 3. A fourth tooth wins every match.
    pub fn with_tooth(mut self, winner: Player, teeth: usize) -> MatchState {
        let (ranks, points) = (&mut self.ranks[winner.index()], &mut self.points[winner.index()]);
        *points += 1 << teeth;
        ranks[teeth] = ranks[teeth].saturating_sub(1);
        match ranks.get_mut(teeth + 1) {
            Some(rank) => *rank += 1,
            None => *points = (*points).max(self.target.points()),
        }
        self
    }

    /// What the opener of the next round sees: a constant, the logarithms of the points that the opener and the other player still
    /// need, then how many Sumos, Double and Triple Sumos each of the two has, the opener first.
    pub fn features(&self, opener: Player) -> [f32; STATE_FEATURES] {
        let need = |player: Player| {
            let need = self.target.points().saturating_sub(self.points[player.index()]);
            libm::logf(f32::from(need.max(1)))
        };
        let [[_, own @ ..], [_, other @ ..]] =
            [opener, !opener].map(|player| self.ranks[player.index()].map(f32::from));
        [1.0, need(opener), need(!opener), own[0], own[1], own[2], other[0], other[1], other[2]]
    }
}

/// What the opener of a round sees in it while it is open: a constant, the logarithm of the ratio of the opponent's proof number to the
/// opener's, then how many Sumos, Double and Triple Sumos each of the two has, the opener first. The numbers are Black's and White's.
pub fn opening_features(
    standing: &MatchState,
    opener: Player,
    numbers: [u32; 2],
) -> [f32; OPENING_FEATURES] {
    let [own, other] =
        [opener, !opener].map(|player| libm::logf(numbers[player.index()].max(1) as f32));
    let [_, _, _, ranks @ ..] = standing.features(opener);
    let mut features = [1.0, other - own, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    features.iter_mut().skip(2).zip(ranks).for_each(|(feature, rank)| *feature = rank);
    features
}

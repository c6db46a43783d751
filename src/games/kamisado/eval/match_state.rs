//! State of a match between two rounds: ranks, points and target, with features for its value.

use crate::game::Player;
use crate::games::kamisado::rules::{Match, Target};

/// Number of features of a state, from the view of the opener of the next round.
pub const STATE_FEATURES: usize = 9;

/// Number of features of an unproven round, from the view of its opener.
pub const OPENING_FEATURES: usize = 8;

/// Everything that a match keeps from one round to the next, except the arrangement of the towers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatchState {
    /// Numbers of towers with 0, 1, 2 and 3 teeth, by player.
    pub(super) ranks: [[u8; 4]; 2],
    pub(super) points: [u8; 2],
    pub(super) target: Target,
}

impl MatchState {
    /// State of a match at the start of the round in play.
    pub fn new(position: &Match) -> MatchState {
        MatchState {
            ranks: Player::ALL.map(|player| position.ranks(player)),
            points: position.points(),
            target: position.target(),
        }
    }

    /// Numbers of this player's towers with 0, 1, 2 and 3 teeth.
    pub const fn ranks(&self, player: Player) -> [u8; 4] {
        self.ranks[player.index()]
    }

    /// The points that win.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// Winner of the match, if it is over.
    pub fn winner(&self) -> Option<Player> {
        Player::ALL.into_iter().find(|player| self.points[player.index()] >= self.target.points())
    }

    /// State after this player wins a round with a tower that had `teeth` teeth, at most 3. A
    /// fourth tooth wins every match.
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

    /// Features from the view of the next round's opener: a constant, the logarithms of the points
    /// that the opener and the opponent still need, then the numbers of Sumos, Double Sumos and
    /// Triple Sumos of the opener and of the opponent.
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

/// Features of an unproven round from the view of its opener: a constant, the logarithm of the
/// ratio of the opponent's proof number to the opener's, then the numbers of Sumos, Double Sumos
/// and Triple Sumos of the opener and of the opponent. `numbers` are Black's and White's proof
/// numbers.
pub fn opening_features(
    state: &MatchState,
    opener: Player,
    numbers: [u32; 2],
) -> [f32; OPENING_FEATURES] {
    let [own, other] =
        [opener, !opener].map(|player| libm::logf(numbers[player.index()].max(1) as f32));
    let [_, _, _, ranks @ ..] = state.features(opener);
    let mut features = [1.0, other - own, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    features.iter_mut().skip(2).zip(ranks).for_each(|(feature, rank)| *feature = rank);
    features
}

//! What the estimate looks at: a position and its moves in numbers, as the player to move sees them.

use super::board::{Colour, FAR_ROW};
use super::outlook::{Outlook, Verdict};
use super::{Match, Move};
use crate::game::{Game, Player};

/// What can be expected of a called tower: it wins after 0, 2, 4 or 6 more calls, loses after 1, 3 or 5, or it is open with
/// 1 to 5 or more safe moves.
const CLASSES: usize = 12;

/// Features of a position in which a tower is called.
pub const ROUND_FEATURES: usize = CLASSES + 13;

/// Features of a tower's move.
pub const PRIOR_FEATURES: usize = 2 * CLASSES + 8;

/// The features of a position for the fitting of the weights: those of the called tower's chance to win the round, and those of each
/// move in the order of the legal ones. `None` where no tower is called.
pub fn features(position: &Match) -> Option<([f32; ROUND_FEATURES], Vec<[f32; PRIOR_FEATURES]>)> {
    let called = position.called()?;
    let view = View::new(position);
    let priors = position.legal_moves().into_iter().map(|mv| view.prior_features(mv)).collect();
    Some((view.round_features(called), priors))
}

/// A position as the player to move sees it.
pub(super) struct View<'a> {
    position: &'a Match,
    turn: Player,
    outlook: Outlook,
    /// The squares, as the player to move sees them, through which a tower of theirs, and one of the enemy's, reaches the far row.
    winning_lines: [u64; 2],
}

impl<'a> View<'a> {
    pub fn new(position: &'a Match) -> Self {
        let turn = position.turn();
        let outlook = Outlook::new(&position.round.board);
        let lines = |player: Player| {
            let winning = |colour: &Colour| outlook.verdict(player, *colour) == Verdict::Wins(0);
            Colour::ALL.into_iter().filter(winning).fold(0, |lines, colour| lines | outlook.targets(player, colour))
        };
        let winning_lines = [lines(turn), lines(!turn).reverse_bits()];
        View { position, turn, outlook, winning_lines }
    }

    fn class(&self, player: Player, colour: Colour) -> usize {
        match self.outlook.verdict(player, colour) {
            Verdict::Wins(calls) => usize::from(calls / 2),
            Verdict::Loses(calls) => 4 + usize::from(calls / 2),
            Verdict::Open => 6 + self.outlook.safe_moves(player, colour).count_ones().clamp(1, 5) as usize,
        }
    }

    pub fn round_features(&self, called: Colour) -> [f32; ROUND_FEATURES] {
        let mut features = [0.0; ROUND_FEATURES];
        features[self.class(self.turn, called)] = 1.0;
        for (side, player) in [self.turn, !self.turn].into_iter().enumerate() {
            let verdicts = Colour::ALL.map(|colour| self.outlook.verdict(player, colour));
            let winning_now = verdicts.iter().filter(|&&verdict| verdict == Verdict::Wins(0)).count();
            let open = Colour::ALL.into_iter().filter(|&colour| self.outlook.verdict(player, colour) == Verdict::Open);
            let safe: u32 = open.map(|colour| self.outlook.safe_moves(player, colour).count_ones()).sum();
            let first = CLASSES + 4 * side;
            features[first] = winning_now as f32;
            features[first + 1] = self.outlook.winning(player) as f32;
            features[first + 2] = self.outlook.losing(player) as f32;
            features[first + 3] = safe as f32 / 8.0;
        }
        features[CLASSES + 8 + usize::from(self.position.teeth(self.turn, called) & 3)] = 1.0;
        features[CLASSES + 12] = self.outlook.targets(self.turn, called).count_ones() as f32 / 8.0;
        features
    }

    pub fn prior_features(&self, mv: Move) -> [f32; PRIOR_FEATURES] {
        let mut features = [0.0; PRIOR_FEATURES];
        let Move::Tower { from, to } = mv else { return features };
        let board = &self.position.round.board;
        let (from, to) = (from.seen_by(self.turn), to.seen_by(self.turn));
        let Some(colour) = board.tower_at(self.turn, from) else { return features };
        let calls = to.colour();
        let rest = 2 * CLASSES;
        if board.occupied(self.turn) & to.bit() != 0 {
            features[rest] = 1.0;
            return features;
        }
        features[self.class(!self.turn, calls)] = 1.0;
        if self.outlook.targets(!self.turn, calls) == 0 {
            // A blocked tower passes the call on, by the square that it stands on.
            let next = board.tower(!self.turn, calls).colour();
            features[CLASSES + self.class(self.turn, next)] = 1.0;
        }
        let flag = |condition: bool| f32::from(u8::from(condition));
        features[rest + 1] = flag(board.slides_from(self.turn, to, board.teeth(self.turn, colour)) & FAR_ROW != 0);
        features[rest + 2] = f32::from(to.rank() - from.rank()) / 4.0;
        features[rest + 3] = flag(from.rank() == 0);
        features[rest + 4] = flag(self.outlook.verdict(self.turn, colour) == Verdict::Wins(0));
        features[rest + 5] = flag(self.winning_lines[0] & to.bit() != 0);
        features[rest + 6] = flag(self.winning_lines[1] & to.bit() != 0);
        features[rest + 7] = f32::from(to.rank()) / 4.0;
        features
    }
}

//! Features of a match for its network: those of the round, and the state of the match.

use std::iter;

use arrayvec::ArrayVec;

use super::features::Features;
use super::match_state::MatchState;
pub use super::match_value::PAYOFF_CLASSES;
use super::match_value::{mean_after_round, payoff_classes, values_after_round};
use super::round_net;
use super::win_probability::match_probability_by;
use crate::game::{Game, MAX_MOVES, Player, RoundProof};
use crate::games::kamisado::rules::{Match, Move};
use crate::games::kamisado::square::Colour;

/// Number of values of each feature of the state.
pub const STATE_SIZES: [usize; 4] = [8, 8, WINNER_CLASSES, 4];

/// Number of classes of a round's winner: unknown, the player to move, the enemy.
pub const WINNER_CLASSES: usize = 3;

/// Minimum distance of a win probability from 0 and 1. Keeps its logit finite.
const MIN_PROBABILITY: f32 = 0.000_001;

/// Features of a position of a match, from the view of the player to move.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchFeatures {
    /// Features of the round.
    pub round: Features,
    /// Class of the value of a win of the round with each tower, compared with its owner's other
    /// towers: 0 for the lowest to 3 for the highest, 4 if they hardly differ. For the player to
    /// move and the enemy, by colour.
    pub payoff_classes: [[u8; 8]; 2],
    /// In the order of [`STATE_SIZES`]:
    /// - class of the points that the player to move needs: 1, 2, 3, 4, 5 to 6, 7 to 8, 9 to 11,
    ///   more
    /// - the same class for the enemy
    /// - proven winner of the round: 0 unknown, 1 the player to move, 2 the enemy
    /// - target
    pub state: [u8; 4],
    /// Proven winner of the round after each move: 0 unknown, 1 the player to move, 2 the enemy.
    pub winners: ArrayVec<u8, MAX_MOVES>,
    /// Logit of the win probability of the player to move, from the round's evaluation and the
    /// state's logistic model.
    pub state_logit: f32,
}

impl MatchFeatures {
    /// Features of a position and some of its legal moves. `round` is the knowledge of the round's
    /// winner, and `winners` the proven winner after each move; it is empty if the search has no
    /// proofs. Returns `None` if no round is in play.
    pub fn new(
        position: &Match,
        moves: &[Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Option<MatchFeatures> {
        let features = Features::new(position, moves)?;
        let turn = position.turn();
        let class_of_winner =
            |winner: Option<Player>| winner.map_or(0, |winner| if winner == turn { 1 } else { 2 });
        let unknown = iter::repeat_n(&None, moves.len());
        let winners: ArrayVec<u8, MAX_MOVES> = winners
            .iter()
            .chain(unknown)
            .take(moves.len())
            .map(|&winner| class_of_winner(winner))
            .collect();
        let winner = match round {
            RoundProof::Won(winner) => class_of_winner(Some(winner)),
            _ if winners.contains(&1) => 1,
            _ => winners.iter().copied().min().unwrap_or(0),
        };
        let match_state = MatchState::new(position);
        let values = Player::ALL.map(|player| values_after_round(&match_state, player));
        let players = [turn, !turn];
        let payoff_classes = players.map(|player| {
            let payoff_classes = payoff_classes(&match_state, player, &values[player.index()]);
            Colour::ALL.map(|colour| {
                payoff_classes[usize::from(position.round.board.teeth(player, colour).min(3))]
            })
        });
        let round = match winner {
            0 => round,
            winner => RoundProof::Won(players[usize::from(winner) - 1]),
        };
        let logit = features
            .called
            .filter(|_| winner == 0)
            .map(|_| round_net::Net::fitted().forward(&features).value);
        let value_after =
            |winner: Player| mean_after_round(&match_state, winner, &values[winner.index()]);
        let win_probability = match_probability_by(position, round, logit, value_after)
            .clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
        let state_logit = libm::logf(win_probability / (1.0 - win_probability));
        let [own, enemy] = players
            .map(|player| position.target.points().saturating_sub(position.points[player.index()]));
        let state = [class_of_need(own), class_of_need(enemy), winner, position.target as u8];
        Some(MatchFeatures { round: features, payoff_classes, state, winners, state_logit })
    }

    /// Proven winner of the round: 0 unknown, 1 the player to move, 2 the enemy.
    pub const fn winner(&self) -> u8 {
        self.state[2]
    }

    /// Target of the match, an index into [`Target::ALL`](super::super::Target::ALL).
    pub const fn target(&self) -> u8 {
        self.state[3]
    }

    /// These features without proven winners after the moves.
    pub fn without_winners(&self) -> MatchFeatures {
        let mut features = self.clone();
        features.winners.iter_mut().for_each(|winner| *winner = 0);
        features
    }
}

/// Class of the points that a player still needs.
const fn class_of_need(points: u8) -> u8 {
    match points {
        0 | 1 => 0,
        2..=4 => points - 1,
        5 | 6 => 4,
        7 | 8 => 5,
        9..=11 => 6,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(line: &str) -> Match {
        line.parse().unwrap()
    }

    fn view(position: &Match, round: RoundProof, winners: &[Option<Player>]) -> MatchFeatures {
        MatchFeatures::new(position, &position.legal_moves(), round, winners).unwrap()
    }

    #[test]
    fn winner_follows_from_winners_after_moves() {
        let position = position("O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7");
        let (turn, moves) = (position.turn(), position.legal_moves().len());
        let mut winners = vec![Some(!turn); moves];
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 2);
        winners[0] = None;
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 0);
        winners[1] = Some(turn);
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 1);
        assert_eq!(
            view(&position, RoundProof::Won(!turn), &winners).winner(),
            2,
            "the round's own proof takes precedence"
        );
    }

    #[test]
    fn winners_are_unknown_without_proofs() {
        let position = position("O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7");
        let view = view(&position, RoundProof::Unknown, &[]);
        assert_eq!(view.winners.len(), position.legal_moves().len());
        assert!(view.winners.iter().all(|&winner| winner == 0));
    }

    /// Logits of the player to move if the round is won, and if it is lost.
    fn won_and_lost(line: &str) -> [f32; 2] {
        let position = position(line);
        [position.turn(), !position.turn()]
            .map(|winner| view(&position, RoundProof::Won(winner), &[]).state_logit)
    }

    #[test]
    fn won_round_has_higher_value() {
        let towers = [
            ("O1VPYRGB", "bg1ypvlo", "0-0 3"),
            ("O1VPYRGB", "bg1ypvlo", "1-0 3"),
            ("O1VPYRGB", "bg1ypvlo", "0-5 7"),
            ("O1VPYRGB", "+bg1ypvlo", "1-0 3"),
            ("++O1+V+PYRGB", "bg1ypvlo", "0-5 7"),
            ("++O1VPYRGB", "b+++g1++y+pvlo", "11-3 15"),
        ];
        for (white, black, score) in towers {
            let [won, lost] = won_and_lost(&format!("{white}/8/8/4L3/8/2r5/8/{black} b b {score}"));
            assert!(won > lost, "{won} and {lost} with {white} and {black} at {score}");
        }
    }

    /// Includes points that do not match the teeth. The training data has no such matches.
    #[test]
    fn won_round_never_has_lower_value() {
        for target in [3_u8, 7, 15] {
            for (black, white) in
                (0..target).flat_map(|black| (0..target).map(move |white| (black, white)))
            {
                let [won, lost] = won_and_lost(&format!(
                    "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b {black}-{white} {target}"
                ));
                assert!(won >= lost, "{won} and {lost} at {black}-{white} to {target}");
            }
        }
    }

    #[test]
    fn classifies_payoffs_of_towers() {
        let position = position("+OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-1 15");
        let view = view(&position, RoundProof::Unknown, &[]);
        assert_eq!(view.payoff_classes[0], [4; 8], "all plain towers have the same value");
        let [sumo, plain] =
            [Colour::Orange, Colour::Brown].map(|colour| view.payoff_classes[1][colour as usize]);
        assert!(
            sumo != plain
                && view.payoff_classes[1].contains(&3)
                && view.payoff_classes[1].contains(&0),
            "{:?}",
            view.payoff_classes[1]
        );
    }
}

//! Evaluation: win probability and policy of positions of a match.
//!
//! A network for rounds evaluates a single-round game. Otherwise a larger network evaluates the
//! position together with the state of the match. Between rounds a logistic model of that state is
//! used.

pub mod features;
pub(super) mod initial_number_weights;
pub mod initial_numbers;
pub mod layers;
mod lookahead;
pub mod match_features;
pub mod match_net;
pub mod match_state;
pub mod match_value;
mod match_weights;
mod payoffs;
pub mod round_net;
mod win_probability;

use arrayvec::ArrayVec;

use super::rules::{Match, Move, Stage, Target};
use crate::game::{
    Evaluation, Evaluator, Game, MAX_MOVES, Player, Policy, RoundPayoffs, RoundProof, Searchable,
};
use crate::games::weights::logistic;
use features::Features;
use match_features::MatchFeatures;
use payoffs::round_payoffs;
use win_probability::{match_probability, probability_between_rounds, round_probability};

/// Factor that flattens the policy of matches. It was fitted to the moves that were played, but the
/// search must consider others too. Leela Chess Zero does the same (`PolicyTemperature`).
const POLICY_SCALE: f32 = 0.6;

/// Expected moves per point that the leading player still needs. A match lasts 1.2 rounds per
/// point, and a round has 8 moves of a player. Some of them need little time, since the result is
/// proven.
const MOVES_PER_POINT: u32 = 5;

/// Expected moves in addition.
const LAST_MOVES: u32 = 4;

impl Searchable for Match {
    type Evaluator = MatchEvaluator;
}

/// Evaluates positions of a match.
#[derive(Default)]
pub struct MatchEvaluator;

/// Win probability of the player to move, and logits of the moves.
type ValueAndPolicy = (f32, ArrayVec<f32, MAX_MOVES>);

/// Evaluates a single-round game.
fn evaluate_round(position: &Match, features: &Features, round: RoundProof) -> ValueAndPolicy {
    let round_net::Activations { value, logits, .. } = round_net::Net::fitted().forward(features);
    (round_probability(position, round, features.called.map(|_| value)), logits)
}

/// Evaluates a position of a longer match. The training data has too few openings of rounds, so
/// their value comes from the state of the match alone.
fn evaluate_match(features: &MatchFeatures) -> ValueAndPolicy {
    let match_net::Activations { value, mut logits, .. } =
        match_net::Net::fitted().forward(features);
    logits.iter_mut().for_each(|logit| *logit *= POLICY_SCALE);
    let logit = if features.round.called.is_some() { value } else { features.state_logit };
    (logistic(logit), logits)
}

impl Evaluator<Match> for MatchEvaluator {
    fn evaluate(
        &mut self,
        position: &Match,
        moves: &[Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Evaluation {
        let evaluated = if position.round().is_whole_game() {
            Features::new(position, moves)
                .map(|features| evaluate_round(position, &features, round))
        } else {
            MatchFeatures::new(position, moves, round, winners)
                .map(|features| evaluate_match(&features))
        };
        let (win_probability, logits) = evaluated.unwrap_or_else(|| {
            (probability_between_rounds(position), moves.iter().map(|_| 0.0).collect())
        });
        Evaluation {
            value: position.turn().relative(win_probability),
            policy: Policy { logits, ..Policy::default() },
        }
    }

    /// Only marathons have payoffs: in shorter matches the proofs cost more strength than they gain.
    fn round_payoffs(&self, position: &Match, winner: Player) -> RoundPayoffs<Match> {
        match position.target {
            Target::Marathon => round_payoffs(position, winner),
            _ => RoundPayoffs::new(),
        }
    }

    /// The points that the leading player still needs limit the number of rounds.
    fn expected_moves(&self, position: &Match) -> u32 {
        let missing = position
            .points
            .map(|points| u32::from(position.target.points().saturating_sub(points)));
        MOVES_PER_POINT * missing[0].min(missing[1]) + LAST_MOVES
    }

    fn value(&mut self, position: &Match, round: RoundProof) -> f32 {
        let is_whole_game = position.round().is_whole_game();
        let is_decided = is_whole_game && matches!(round, RoundProof::Won(_));
        if position.stage == Stage::Playing && (is_decided || position.called().is_none()) {
            // These values need no network.
            let win_probability = if is_whole_game { round_probability } else { match_probability };
            return position.turn().relative(win_probability(position, round, None));
        }
        self.evaluate(position, &position.legal_moves(), round, &[]).value
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Target;
    use super::*;
    use crate::game::Text;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Positions with the moves that keep the win. They are not in the training data.
    fn choices() -> impl Iterator<Item = (Match, Vec<Move>)> {
        include_str!("../../../tests/data/kamisado-decide.txt").lines().map(|line| {
            let [position, best, ..] = line.split(';').map(str::trim).collect::<Vec<_>>()[..]
            else {
                panic!("{line}")
            };
            let position: Match = position.parse().unwrap();
            let best = best
                .strip_prefix("bm ")
                .unwrap()
                .split(' ')
                .map(|mv| position.parse_move(mv).unwrap())
                .collect();
            (position, best)
        })
    }

    #[test]
    fn expects_more_moves_when_more_points_are_missing() {
        let planned = |line: &str| MatchEvaluator.expected_moves(&line.parse().unwrap());
        let at = |score: &str| planned(&format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - {score}"));
        assert!(
            at("0-0 15") > at("0-0 7") && at("0-0 7") > at("0-0 3") && at("0-0 3") > at("0-0 1")
        );
        let ahead = planned("OLVPYRGB/8/8/8/8/8/8/+b+gr+ypvlo b - 3-0 7");
        assert!(ahead < at("0-0 7") && ahead > at("0-0 1"));
    }

    #[test]
    fn value_grows_as_the_openers_proof_nears() {
        let mut evaluator = MatchEvaluator;
        for target in [Target::Standard, Target::Long, Target::Marathon] {
            let position = Match::start(target);
            let mut value = |numbers| evaluator.value(&position, RoundProof::Open(numbers));
            let values = [value([1000, 10]), value([100, 100]), value([10, 1000])];
            assert!(values.is_sorted(), "{values:?} to {target:?}");
            let [lost, won] = [Player::White, Player::Black]
                .map(|winner| evaluator.value(&position, RoundProof::Won(winner)));
            assert!(
                lost <= values[0] && values[2] <= won,
                "{lost}, {values:?}, {won} to {target:?}"
            );
        }
    }

    #[test]
    fn won_round_raises_win_probability() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..50 {
            let mut position = Match::start(Target::Long).random_start(&mut rng);
            for _ in 0..6 {
                let moves = position.legal_moves();
                if position.called().is_some() {
                    let value = |winner| {
                        MatchEvaluator
                            .evaluate(&position, &moves, RoundProof::Won(winner), &[])
                            .value
                    };
                    let [black, white] = [value(Player::Black), value(Player::White)];
                    assert!(black > white, "{black} and {white} in {position}");
                }
                position.play(*moves.choose(&mut rng).unwrap());
            }
        }
    }

    #[test]
    fn top_move_usually_keeps_the_win() {
        let (mut right, mut all) = (0, 0);
        for (position, best) in choices() {
            let moves = position.legal_moves();
            let policy =
                MatchEvaluator.evaluate(&position, &moves, RoundProof::Unknown, &[]).policy;
            let (first, _) =
                moves.iter().zip(&policy.logits).max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap();
            right += usize::from(best.contains(first));
            all += 1;
        }
        // A random move keeps the win in 37 % of the positions, the policy's top move in 74 %.
        assert!(100 * right >= 70 * all, "the top move keeps the win in {right} of {all}");
    }
}

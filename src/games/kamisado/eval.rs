//! What the search is told of a position that nothing is proven of: what the nets make of its round and of the match around it.

pub mod features;
mod initial_number_weights;
pub mod initial_numbers;
pub mod layers;
mod lookahead;
pub mod match_features;
pub mod match_net;
pub mod match_state;
mod match_value;
mod match_weights;
mod payoffs;
pub mod round_net;
mod win_probability;

use arrayvec::ArrayVec;

pub(super) use initial_number_weights::INITIAL_NUMBERS;

use super::rules::{Match, Move, Stage};
use crate::game::{
    Evaluation, Evaluator, Game, MAX_MOVES, Player, Policy, RoundPayoffs, RoundProof, Searchable,
};
use crate::games::weights::logistic;
use features::Features;
use match_features::MatchFeatures;
use payoffs::round_payoffs;
use win_probability::{match_probability, probability_between_rounds, round_probability};

/// How much the logits of the match count. They were fitted to the moves that were played, and the search has to look at others too: Leela
/// Chess Zero flattens its policy in the same way (`PolicyTemperature`).
const SEARCHED_POLICY: f32 = 0.6;

/// Shares of the clock for each point that the player who leads still needs: a match lasts 1.2 rounds for each, a round 8 own moves, of which
/// the last are known and others end long before their share.
const MOVES_PER_POINT: u32 = 5;

/// Those that time is kept for in any case.
const LAST_MOVES: u32 = 4;

impl Searchable for Match {
    type Evaluator = MatchEvaluator;
}

/// Judges positions of a match.
#[derive(Default)]
pub struct MatchEvaluator;

/// A chance of the player to move, and the logits of the moves.
type Judgement = (f32, ArrayVec<f32, MAX_MOVES>);

/// A round that is the whole game.
fn judge_round(position: &Match, view: &Features, round: RoundProof) -> Judgement {
    let round_net::Activations { value, logits, .. } = round_net::Net::fitted().forward(view);
    (round_probability(position, round, view.called.map(|_| value)), logits)
}

/// A round after which the game goes on. Its opening, which the net has met too seldom, is worth what the standing says.
fn judge_match(view: &MatchFeatures) -> Judgement {
    let match_net::Activations { value, mut logits, .. } = match_net::Net::fitted().forward(view);
    logits.iter_mut().for_each(|logit| *logit *= SEARCHED_POLICY);
    let logit = if view.round.called.is_some() { value } else { view.state_logit };
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
        let judgement = if position.round().is_whole_game() {
            Features::new(position, moves).map(|view| judge_round(position, &view, round))
        } else {
            MatchFeatures::new(position, moves, round, winners).map(|view| judge_match(&view))
        };
        let (chance, logits) = judgement.unwrap_or_else(|| {
            (probability_between_rounds(position), moves.iter().map(|_| 0.0).collect())
        });
        Evaluation {
            value: position.turn().relative(chance),
            policy: Policy { logits, ..Policy::default() },
        }
    }

    fn round_payoffs(&self, position: &Match, winner: Player) -> RoundPayoffs<Match> {
        round_payoffs(position, winner)
    }

    /// The points that are missing for the one who needs fewer say how many rounds are to come.
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
            // No net is read for that.
            let chance = if is_whole_game { round_probability } else { match_probability };
            return position.turn().relative(chance(position, round, None));
        }
        self.evaluate(position, &position.legal_moves(), round, &[]).value
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Target;
    use super::match_weights::OPENING;
    use super::*;
    use crate::game::Text;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Positions with the moves that keep the win. The weights were not fitted to them.
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
    fn more_moves_are_to_come_the_more_points_are_missing() {
        let planned = |line: &str| MatchEvaluator.expected_moves(&line.parse().unwrap());
        let at = |score: &str| planned(&format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - {score}"));
        assert!(
            at("0-0 15") > at("0-0 7") && at("0-0 7") > at("0-0 3") && at("0-0 3") > at("0-0 1")
        );
        let ahead = planned("OLVPYRGB/8/8/8/8/8/8/+b+gr+ypvlo b - 3-0 7");
        assert!(ahead < at("0-0 7") && ahead > at("0-0 1"));
    }

    #[test]
    fn the_weights_are_finite() {
        assert!(OPENING.iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn an_open_round_is_worth_more_to_its_opener_the_nearer_the_opener_is_to_a_proof() {
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
    fn a_round_that_is_won_makes_the_match_likelier_to_be_won() {
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
    fn the_highest_prior_is_mostly_a_move_that_keeps_the_win() {
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
        // A move by chance is right in 37 % of them, the prior in 74 %.
        assert!(100 * right >= 70 * all, "the highest prior is right in {right} of {all}");
    }
}

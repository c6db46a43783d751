//! What the search is told of a position that nothing is proven of: what the net makes of the round, and what the round is worth in the match.

use super::match_weights::OPENING;
use super::net::{Net, Reading};
use super::serve::Serves;
use super::standing::{Standing, opening_features};
use super::view::View;
use super::{Match, Move, Stage};
use crate::game::{Evaluation, Evaluator, Game, Player, Policy, RoundProof, Searchable};
use crate::games::weights::{dot, logistic};

/// Own moves that need thought, for each point that the player who leads still needs: a match lasts 1.2 rounds for each, a round 8 own
/// moves of which the last are known.
const MOVES_PER_POINT: u32 = 7;

/// Those that time is kept for in any case.
const LAST_MOVES: u32 = 4;

impl Searchable for Match {
    type Evaluator = MatchEvaluator;
}

/// Judges positions of a match. It remembers what the rest of the match is worth, which changes only with ranks and points.
#[derive(Default)]
pub struct MatchEvaluator {
    serves: Serves,
}

impl MatchEvaluator {
    /// Black's chance. The logit is that of the player to move in the round, as the net says where a tower is called.
    fn chance(&mut self, position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
        let turn = position.turn();
        let standing = Standing::new(position);
        let serve = self.serves.of(&standing);
        let round = match (position.stage, round, position.round.called, logit) {
            (Stage::Over, ..) => return if turn == Player::White { 1.0 } else { 0.0 },
            (_, RoundProof::Won(winner), ..) => f32::from(u8::from(winner == turn)),
            // The loser opens the next round.
            (Stage::Refill, ..) => return serve.before(!turn),
            (_, _, Some(_), Some(logit)) => logistic(logit),
            (_, RoundProof::Open(numbers), ..) => logistic(dot(&opening_features(&standing, turn, numbers), &OPENING)),
            _ => return serve.before(turn),
        };
        let black_wins_round = if turn == Player::Black { round } else { 1.0 - round };
        black_wins_round * serve.after(Player::Black) + (1.0 - black_wins_round) * serve.after(Player::White)
    }
}

impl Evaluator<Match> for MatchEvaluator {
    fn evaluate(&mut self, position: &Match, moves: &[Move], round: RoundProof) -> Evaluation {
        let Some(view) = View::new(position, moves) else {
            let policy = Policy { logits: moves.iter().map(|_| 0.0).collect(), ..Policy::default() };
            return Evaluation { value: self.chance(position, round, None), policy };
        };
        let Reading { chance, logits, .. } = Net::fitted().read(&view);
        Evaluation { value: self.chance(position, round, Some(chance)), policy: Policy { logits, ..Policy::default() } }
    }

    /// The points that are missing for the one who needs fewer say how many rounds are to come.
    fn moves_to_come(&self, position: &Match) -> u32 {
        let missing = position.points.map(|points| u32::from(position.target.points().saturating_sub(points)));
        MOVES_PER_POINT * missing[0].min(missing[1]) + LAST_MOVES
    }

    fn value(&mut self, position: &Match, round: RoundProof) -> f32 {
        let is_read = position.called().is_some() && !matches!(round, RoundProof::Won(_));
        if is_read {
            return self.evaluate(position, &position.legal_moves(), round).value;
        }
        self.chance(position, round, None)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::*;
    use crate::game::Text;

    /// Positions with the moves that keep the win. The weights were not fitted to them.
    fn choices() -> impl Iterator<Item = (Match, Vec<Move>)> {
        include_str!("../../../tests/data/kamisado-decide.txt").lines().map(|line| {
            let [position, best, ..] = line.split(';').map(str::trim).collect::<Vec<_>>()[..] else { panic!("{line}") };
            let position: Match = position.parse().unwrap();
            let best = best.strip_prefix("bm ").unwrap().split(' ').map(|mv| position.parse_move(mv).unwrap()).collect();
            (position, best)
        })
    }

    #[test]
    fn more_moves_are_to_come_the_more_points_are_missing() {
        let planned = |line: &str| MatchEvaluator::default().moves_to_come(&line.parse().unwrap());
        let at = |score: &str| planned(&format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - {score}"));
        assert!(at("0-0 15") > at("0-0 7") && at("0-0 7") > at("0-0 3") && at("0-0 3") > at("0-0 1"));
        let ahead = planned("OLVPYRGB/8/8/8/8/8/8/+b+gr+ypvlo b - 3-0 7");
        assert!(ahead < at("0-0 7") && ahead > at("0-0 1"));
    }

    #[test]
    fn the_weights_are_finite() {
        assert!(OPENING.iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn an_open_round_is_worth_more_to_its_opener_the_nearer_the_opener_is_to_a_proof() {
        let mut evaluator = MatchEvaluator::default();
        for target in [Target::Standard, Target::Long, Target::Marathon] {
            let position = Match::start(target);
            let mut value = |numbers| evaluator.value(&position, RoundProof::Open(numbers));
            let values = [value([1000, 10]), value([100, 100]), value([10, 1000])];
            assert!(values.is_sorted(), "{values:?} to {target:?}");
            let [lost, won] = [Player::White, Player::Black].map(|winner| evaluator.value(&position, RoundProof::Won(winner)));
            assert!(lost <= values[0] && values[2] <= won, "{lost}, {values:?}, {won} to {target:?}");
        }
    }

    #[test]
    fn the_highest_prior_is_mostly_a_move_that_keeps_the_win() {
        let (mut right, mut all) = (0, 0);
        for (position, best) in choices() {
            let moves = position.legal_moves();
            let policy = MatchEvaluator::default().evaluate(&position, &moves, RoundProof::Unknown).policy;
            let (first, _) = moves.iter().zip(&policy.logits).max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap();
            right += usize::from(best.contains(first));
            all += 1;
        }
        // A move by chance is right in 37 % of them, the prior in 74 %.
        assert!(100 * right >= 70 * all, "the highest prior is right in {right} of {all}");
    }
}

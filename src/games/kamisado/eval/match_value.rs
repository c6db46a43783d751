//! Value of a match before and after a round.
//!
//! The loser of a round opens the next one and nearly always wins it, like the server in tennis.
//! Before a round, the value is a logistic model of the match's state. After a won round it is the
//! mean over the towers that may have won it. Towers of low value get more weight in this mean,
//! because the loser influences which tower wins.
//!
//! `cargo run --release -p oshi-train -- match-value` fits the weights in `match_weights.rs` to
//! results of recorded matches.

use arrayvec::ArrayVec;

use super::match_state::MatchState;
use super::match_weights::{STATE, TOWER};
use crate::game::Player;
use crate::games::weights::{dot, logistic};

/// Black's win probability before a round that this player opens.
pub(super) fn value_before_round(state: &MatchState, opener: Player) -> f32 {
    opener.relative(win_probability(state, opener))
}

/// Black's win probability after this player wins the round that starts from this state.
pub(super) fn value_after_round(state: &MatchState, winner: Player) -> f32 {
    mean_after_round(state, winner, &values_after_round(state, winner))
}

/// Black's win probability after this player wins the round, from [`values_after_round`].
pub(super) fn mean_after_round(state: &MatchState, winner: Player, values: &[f32; 4]) -> f32 {
    let likelihoods = tower_likelihoods(state, winner, values);
    let sum: f32 = likelihoods.iter().sum();
    winner.relative(
        likelihoods.iter().zip(values).map(|(likelihood, value)| likelihood * value).sum::<f32>()
            / sum,
    )
}

/// The opener's win probability in the match, before a round or at the end.
fn win_probability(state: &MatchState, opener: Player) -> f32 {
    match state.winner() {
        Some(winner) => f32::from(u8::from(winner == opener)),
        None => logistic(dot(&state.features(opener), &STATE[state.target() as usize])),
    }
}

/// Number of classes of `payoff_classes`.
pub const PAYOFF_CLASSES: usize = 5;

/// Class of this player's win probability after winning the round, by the teeth that the winning
/// tower had. 0 to 3 divide the range from the lowest to the highest value of the player's towers
/// into quarters; 4 means that the values hardly differ. `values` are from [`values_after_round`].
pub(super) fn payoff_classes(state: &MatchState, player: Player, values: &[f32; 4]) -> [u8; 4] {
    const MIN_RANGE: f32 = 0.02;
    let held = (0..4).filter(|&teeth| state.ranks(player)[teeth] > 0).map(|teeth| values[teeth]);
    let (least, most) =
        held.fold((1.0_f32, 0.0_f32), |(least, most), value| (least.min(value), most.max(value)));
    let range = most - least;
    values.map(|value| if range < MIN_RANGE { 4 } else { ((value - least) / range * 3.99) as u8 })
}

/// The teeth of this player's towers, and the player's win probability after winning the round with
/// such a tower, best first.
pub(super) fn wins_by_value(state: &MatchState, winner: Player) -> ArrayVec<(usize, f32), 4> {
    let values = values_after_round(state, winner);
    let held = (0..4).filter(|&teeth| state.ranks(winner)[teeth] > 0);
    let mut wins: ArrayVec<(usize, f32), 4> = held.map(|teeth| (teeth, values[teeth])).collect();
    wins.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    wins
}

/// The winner's win probability in the match after a round, by the teeth that the winning tower
/// had.
pub(super) fn values_after_round(state: &MatchState, winner: Player) -> [f32; 4] {
    // The loser opens the next round.
    [0, 1, 2, 3].map(|teeth| 1.0 - win_probability(&state.with_tooth(winner, teeth), !winner))
}

/// Reduction of a tower's likelihood per win probability in the match after the win. All data
/// prefer the largest value, the likelihood in proportion to the loser's chance. At 1, a match
/// decided by any win would have no likelihood at all.
pub const AVOIDANCE: f32 = 0.99;

/// Likelihood of the winning tower's teeth, up to a common factor.
fn tower_likelihoods(state: &MatchState, winner: Player, values: &[f32; 4]) -> [f32; 4] {
    let (ranks, target) = (state.ranks(winner), state.target() as usize);
    [0, 1, 2, 3].map(|teeth| {
        f32::from(ranks[teeth]) * TOWER[target][teeth] * (1.0 - AVOIDANCE * values[teeth])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamisado::Target;

    /// States with many combinations of ranks and points, even impossible ones.
    fn states() -> impl Iterator<Item = MatchState> {
        let ranks =
            [[8, 0, 0, 0], [6, 2, 0, 0], [4, 3, 1, 0], [5, 1, 1, 1], [0, 8, 0, 0], [0, 0, 0, 8]];
        let pairs = ranks.into_iter().flat_map(move |black| ranks.map(|white| [black, white]));
        let matches = pairs.flat_map(|ranks| Target::ALL.map(|target| (ranks, target)));
        matches.flat_map(|(ranks, target)| {
            let scores = (0..target.points())
                .flat_map(move |black| (0..target.points()).map(move |white| [black, white]));
            scores.map(move |points| MatchState { ranks, points, target })
        })
    }

    /// Black's win probabilities before a round, by opener, and after it, by winner.
    fn values(state: &MatchState) -> [f32; 4] {
        let [black, white] = Player::ALL;
        [
            value_before_round(state, black),
            value_before_round(state, white),
            value_after_round(state, black),
            value_after_round(state, white),
        ]
    }

    #[test]
    fn values_are_probabilities() {
        for state in states() {
            for value in values(&state) {
                assert!((0.0..=1.0).contains(&value), "{value} in {state:?}");
            }
        }
    }

    #[test]
    fn values_are_symmetric_between_players() {
        for state in states() {
            let MatchState { ranks: [black, white], points: [blacks, whites], target } = state;
            let swapped = MatchState { ranks: [white, black], points: [whites, blacks], target };
            let [opens, waits, wins, loses] = values(&state);
            let expected = [waits, opens, loses, wins].map(|value| 1.0 - value);
            for (value, expected) in values(&swapped).into_iter().zip(expected) {
                assert!((value - expected).abs() < 1e-5, "{value} for {expected} in {state:?}");
            }
        }
    }

    #[test]
    fn another_point_never_lowers_the_value() {
        for state in states() {
            let more = MatchState { points: [state.points[0] + 1, state.points[1]], ..state };
            for opener in Player::ALL {
                let [without, with] = [state, more].map(|state| value_before_round(&state, opener));
                assert!(
                    without <= with,
                    "{without}, with a point more {with}, {opener} opens, in {state:?}"
                );
            }
        }
    }

    #[test]
    fn match_at_its_target_is_won() {
        for state in states() {
            let target = state.target.points();
            for (points, value) in
                [([target, state.points[1]], 1.0), ([state.points[0], target], 0.0)]
            {
                let over = MatchState { points, ..state };
                assert_eq!(
                    Player::ALL.map(|opener| value_before_round(&over, opener)),
                    [value; 2],
                    "{points:?} in {state:?}"
                );
            }
        }
    }

    #[test]
    fn deciding_round_wins_the_match() {
        for state in states() {
            let target = state.target.points();
            let last = MatchState { points: [target - 1; 2], ..state };
            assert_eq!(
                Player::ALL.map(|winner| value_after_round(&last, winner)),
                [1.0, 0.0],
                "{state:?}"
            );
        }
    }

    #[test]
    fn fourth_tooth_wins_at_any_score() {
        let state = MatchState {
            ranks: [[0, 0, 0, 8], [8, 0, 0, 0]],
            points: [0; 2],
            target: Target::Marathon,
        };
        assert_eq!(value_after_round(&state, Player::Black), 1.0);
    }
}

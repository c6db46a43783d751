//! What winning a round is worth in the match: who serves next, how many points are still missing, and which ranks win them.
//!
//! A match is like tennis: the loser of a round opens the next one. What a match is worth before such an opening is a logistic model
//! over its standing, taught by the results of matches. What a won round is worth is the mean of that over the towers that may win it;
//! the less one of them would be worth, the likelier it is the one, for the loser of a round chooses which tower to let through.
//! The weights stand in `match_weights.rs`, fitted by `cargo run --release --example fit_serve`.

use arrayvec::ArrayVec;

use super::match_state::MatchState;
use super::match_weights::{AVOIDANCE, STANDING, TOWER};
use crate::game::Player;
use crate::games::weights::{dot, logistic};

/// Black's chance before a round at this standing that this player opens.
pub(super) fn before(standing: &MatchState, opener: Player) -> f32 {
    opener.relative(chance(standing, opener))
}

/// Black's chance once this player has won the round that starts from this standing.
pub(super) fn after(standing: &MatchState, winner: Player) -> f32 {
    let chances = chances_after(standing, winner);
    let likely = likely_towers(standing, winner, &chances);
    let sum: f32 = likely.iter().sum();
    winner.relative(
        likely.iter().zip(chances).map(|(likely, chance)| likely * chance).sum::<f32>() / sum,
    )
}

/// The opener's chance in the match before a round, or at its end.
fn chance(standing: &MatchState, opener: Player) -> f32 {
    match standing.winner() {
        Some(winner) => f32::from(u8::from(winner == opener)),
        None => logistic(dot(&standing.features(opener), &STANDING[standing.target() as usize])),
    }
}

/// So many classes of what the towers of a player are worth that may win the round.
pub const PAYOFF_CLASSES: usize = 5;

/// What a win of the round by this player is worth, by the teeth that the winning tower had: a quarter of the way from the least to the most
/// that any of the player's towers is worth, 0 to 3; 4 where they hardly differ.
pub(super) fn payoff_classes(standing: &MatchState, player: Player) -> [u8; 4] {
    const HARDLY: f32 = 0.02;
    let chances = chances_after(standing, player);
    let held =
        (0..4).filter(|&teeth| standing.ranks(player)[teeth] > 0).map(|teeth| chances[teeth]);
    let (least, most) = held
        .fold((1.0_f32, 0.0_f32), |(least, most), chance| (least.min(chance), most.max(chance)));
    let spread = most - least;
    chances.map(|chance| if spread < HARDLY { 4 } else { ((chance - least) / spread * 3.99) as u8 })
}

/// The ranks of the player's towers, by teeth, and the player's chance in the match once one of them has won the round, best first.
pub(super) fn wins_by_value(standing: &MatchState, winner: Player) -> ArrayVec<(usize, f32), 4> {
    let chances = chances_after(standing, winner);
    let held = (0..4).filter(|&teeth| standing.ranks(winner)[teeth] > 0);
    let mut wins: ArrayVec<(usize, f32), 4> = held.map(|teeth| (teeth, chances[teeth])).collect();
    wins.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    wins
}

/// The winner's chance in the match after a round, by the teeth that the winning tower had.
fn chances_after(standing: &MatchState, winner: Player) -> [f32; 4] {
    // The loser opens the next round.
    [0, 1, 2, 3].map(|teeth| 1.0 - chance(&standing.with_tooth(winner, teeth), !winner))
}

/// How likely the winning tower has so many teeth, in proportion.
fn likely_towers(standing: &MatchState, winner: Player, chances: &[f32; 4]) -> [f32; 4] {
    let (ranks, target) = (standing.ranks(winner), standing.target() as usize);
    [0, 1, 2, 3].map(|teeth| {
        f32::from(ranks[teeth]) * TOWER[target][teeth] * (1.0 - AVOIDANCE[target] * chances[teeth])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamisado::Target;

    /// Standings with all kinds of ranks and scores, whether or not they go together.
    fn standings() -> impl Iterator<Item = MatchState> {
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

    /// Black's chances before and after a round, by opener and by winner.
    fn chances(standing: &MatchState) -> [f32; 4] {
        let [black, white] = Player::ALL;
        [
            before(standing, black),
            before(standing, white),
            after(standing, black),
            after(standing, white),
        ]
    }

    #[test]
    fn chances_lie_between_losing_and_winning() {
        for standing in standings() {
            for chance in chances(&standing) {
                assert!((0.0..=1.0).contains(&chance), "{chance} in {standing:?}");
            }
        }
    }

    #[test]
    fn both_players_are_judged_alike() {
        for standing in standings() {
            let MatchState { ranks: [black, white], points: [blacks, whites], target } = standing;
            let swapped = MatchState { ranks: [white, black], points: [whites, blacks], target };
            let [opens, waits, wins, loses] = chances(&standing);
            let expected = [waits, opens, loses, wins].map(|chance| 1.0 - chance);
            for (chance, expected) in chances(&swapped).into_iter().zip(expected) {
                assert!(
                    (chance - expected).abs() < 1e-5,
                    "{chance} for {expected} in {standing:?}"
                );
            }
        }
    }

    #[test]
    fn a_point_more_is_never_worth_less_before_a_round() {
        for standing in standings() {
            let more =
                MatchState { points: [standing.points[0] + 1, standing.points[1]], ..standing };
            for opener in Player::ALL {
                let [without, with] = [standing, more].map(|standing| before(&standing, opener));
                assert!(
                    without <= with,
                    "{without}, with a point more {with}, {opener} opens, in {standing:?}"
                );
            }
        }
    }

    #[test]
    fn a_match_at_its_target_is_won() {
        for standing in standings() {
            let target = standing.target.points();
            for (points, chance) in
                [([target, standing.points[1]], 1.0), ([standing.points[0], target], 0.0)]
            {
                let over = MatchState { points, ..standing };
                assert_eq!(
                    Player::ALL.map(|opener| before(&over, opener)),
                    [chance; 2],
                    "{points:?} in {standing:?}"
                );
            }
        }
    }

    #[test]
    fn who_wins_the_deciding_round_wins_the_match() {
        for standing in standings() {
            let target = standing.target.points();
            let last = MatchState { points: [target - 1; 2], ..standing };
            assert_eq!(Player::ALL.map(|winner| after(&last, winner)), [1.0, 0.0], "{standing:?}");
        }
    }

    #[test]
    fn a_fourth_tooth_wins_whatever_the_score() {
        let standing = MatchState {
            ranks: [[0, 0, 0, 8], [8, 0, 0, 0]],
            points: [0; 2],
            target: Target::Marathon,
        };
        assert_eq!(after(&standing, Player::Black), 1.0);
    }
}

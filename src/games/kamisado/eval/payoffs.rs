//! Round payoffs. The tower that takes the tooth decides the points, and its owner's strength in
//! the next round.

use super::match_state::MatchState;
use super::match_value::wins_by_value;
use crate::game::{Game, Player, RoundPayoff, RoundPayoffs};
use crate::games::kamisado::rules::{ANY_RANK, Match};

/// Wins with a smaller difference of win probability are one payoff.
const MIN_DIFFERENCE: f32 = 0.02;

/// The payoffs of the round in play for this player, best first. Empty if there is only one.
pub(super) fn round_payoffs(position: &Match, winner: Player) -> RoundPayoffs<Match> {
    let wins = wins_by_value(&MatchState::new(position), winner);
    // Ranks without a tower count too, so that the last payoff's contest is the round itself.
    let mut ranks = wins.iter().fold(ANY_RANK, |ranks, (teeth, _)| ranks & !(1 << teeth));
    let mut payoffs = RoundPayoffs::new();
    let mut best = f32::INFINITY;
    for (teeth, win_probability) in wins {
        ranks |= 1 << teeth;
        let contest = contest_for(position, winner, ranks);
        if best - win_probability < MIN_DIFFERENCE {
            payoffs
                .last_mut()
                .into_iter()
                .for_each(|payoff: &mut RoundPayoff<Match>| payoff.contest = contest);
        } else {
            best = win_probability;
            payoffs.push(RoundPayoff { contest, value: winner.relative(win_probability) });
        }
    }
    if payoffs.len() > 1 { payoffs } else { RoundPayoffs::new() }
}

/// The round as a game of its own. There, this player wins only with towers of these ranks.
fn contest_for(position: &Match, winner: Player, ranks: u8) -> Match {
    let mut contest = position.round().contest;
    contest.counting[winner.index()] = ranks;
    contest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::games::kamisado::{Colour, Target};
    use crate::search::{Searcher, Settings};
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Positions with payoffs, from random games.
    fn positions() -> impl Iterator<Item = Match> {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        std::iter::repeat_with(move || {
            let mut position = Match::start(Target::Marathon).random_start(&mut rng);
            let mut line = Vec::new();
            while let Some(&mv) = position.legal_moves().choose(&mut rng) {
                position.play(mv);
                line.push(position);
            }
            line
        })
        .flatten()
        .filter(|position| position.called().is_some() && position.outcome().is_none())
        .filter(|position| {
            Player::ALL.iter().any(|&player| round_payoffs(position, player).len() > 1)
        })
    }

    /// Whether this player can force a win of the round with a tower of these ranks, by exhaustive
    /// search. `None` after more than `lines` moves.
    fn wins_by(position: &Match, winner: Player, ranks: u8, lines: &mut u32) -> Option<bool> {
        let mut last = false;
        for mv in position.legal_moves() {
            *lines = lines.checked_sub(1)?;
            let mut next = *position;
            next.play(mv);
            let gains = |player: Player| {
                Colour::ALL
                    .into_iter()
                    .find(|&tower| next.teeth(player, tower) > position.teeth(player, tower))
            };
            let is_won = match (gains(winner), gains(!winner)) {
                (Some(tower), _) => ranks >> position.teeth(winner, tower) & 1 == 1,
                (_, Some(_)) => false,
                _ => wins_by(&next, winner, ranks, lines)?,
            };
            if is_won == (position.turn() == winner) {
                return Some(is_won);
            }
            last = is_won;
        }
        Some(last)
    }

    #[test]
    fn proves_exactly_the_payoffs_that_can_be_forced() {
        let mut searcher: Searcher<Match> = Searcher::new(Settings::default());
        let mut answers = [0; 2];
        for position in positions().take(1_500) {
            for winner in Player::ALL {
                let payoffs = round_payoffs(&position, winner);
                for payoff in &payoffs {
                    let Some(expected) = wins_by(
                        &position,
                        winner,
                        payoff.contest.counting[winner.index()],
                        &mut 20_000,
                    ) else {
                        continue;
                    };
                    let proof = searcher.solve(&payoff.contest, 20_000).unwrap();
                    assert_eq!(proof.is_win_for(winner), expected, "{winner} in {position}");
                    answers[usize::from(expected)] += 1;
                }
            }
        }
        assert!(
            answers.iter().all(|&answers| answers > 100),
            "{answers:?} answers test too little"
        );
    }

    #[test]
    fn sorts_payoffs_and_ends_with_any_win() {
        for position in positions().take(500) {
            for winner in Player::ALL {
                let payoffs = round_payoffs(&position, winner);
                let values: Vec<f32> =
                    payoffs.iter().map(|payoff| winner.relative(payoff.value)).collect();
                assert!(
                    values.is_sorted_by(|better, worse| better > worse),
                    "{values:?} in {position}"
                );
                assert!(
                    payoffs.last().is_none_or(|any| any.contest == position.round().contest),
                    "{position}"
                );
            }
        }
    }

    #[test]
    fn round_without_sumos_has_no_payoffs() {
        let position: Match = "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7".parse().unwrap();
        assert!(Player::ALL.iter().all(|&winner| round_payoffs(&position, winner).is_empty()));
    }

    #[test]
    fn win_with_smaller_payoff_is_a_loss() {
        // The called plain brown tower can reach the far row, but only Sumos count.
        let position: Match = "OLVPYRG1/7b/8/7B/8/8/8/1gr+ypvlo b b 0-0 7".parse().unwrap();
        let mut contest = position.round().contest;
        contest.counting[Player::Black.index()] = 0b0010;
        let arrivals = contest.legal_moves().into_iter().filter(|&mv| {
            let mut next = contest;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(Player::White))
        });
        assert!(arrivals.count() > 0);
        assert_eq!(contest.winning_move(), None);
        assert_ne!(contest.proof_key(), position.round().contest.proof_key());
    }
}

//! What a player may win with a round: the tower that takes the tooth decides the points, and how strong it stands in the next one.

use super::match_state::MatchState;
use super::match_value::wins_by_value;
use crate::game::{Game, Player, RoundPayoff, RoundPayoffs};
use crate::games::kamisado::rules::{ANY_RANK, Match};

/// Wins whose chances differ by less are one prize.
const HARDLY: f32 = 0.02;

/// The prizes of the round in play for this player, best first; none where it hardly matters which tower wins.
pub(super) fn round_payoffs(position: &Match, winner: Player) -> RoundPayoffs<Match> {
    let wins = wins_by_value(&MatchState::new(position), winner);
    // Ranks that no tower has do no harm, and with them the last prize is any win.
    let mut ranks = wins.iter().fold(ANY_RANK, |ranks, (teeth, _)| ranks & !(1 << teeth));
    let mut prizes = RoundPayoffs::new();
    let mut best = f32::INFINITY;
    for (teeth, chance) in wins {
        ranks |= 1 << teeth;
        let contest = contest_for(position, winner, ranks);
        if best - chance < HARDLY {
            prizes
                .last_mut()
                .into_iter()
                .for_each(|prize: &mut RoundPayoff<Match>| prize.contest = contest);
        } else {
            best = chance;
            prizes.push(RoundPayoff { contest, value: winner.relative(chance) });
        }
    }
    if prizes.len() > 1 { prizes } else { RoundPayoffs::new() }
}

/// The round as a contest of its own in which this player's wins count only by towers of these ranks.
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

    /// Positions of rounds with Sumos, from random play.
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

    /// Whether this player wins the round with a tower that had so many teeth as these bits say, by playing out all lines; `None` where
    /// there are more than so many.
    fn wins_by(position: &Match, winner: Player, ranks: u8, lines: &mut u32) -> Option<bool> {
        let mut is_asked = false;
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
            is_asked = is_won;
        }
        Some(is_asked)
    }

    #[test]
    fn a_prize_is_proven_exactly_where_its_winner_can_force_it() {
        let mut searcher: Searcher<Match> = Searcher::new(Settings::default());
        let mut answers = [0; 2];
        for position in positions().take(1_500) {
            for winner in Player::ALL {
                let prizes = round_payoffs(&position, winner);
                for prize in &prizes {
                    let Some(expected) = wins_by(
                        &position,
                        winner,
                        prize.contest.counting[winner.index()],
                        &mut 20_000,
                    ) else {
                        continue;
                    };
                    let proof = searcher.solve(&prize.contest, 20_000).unwrap();
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
    fn the_best_prize_comes_first_and_the_last_is_any_win_of_the_round() {
        for position in positions().take(500) {
            for winner in Player::ALL {
                let prizes = round_payoffs(&position, winner);
                let values: Vec<f32> =
                    prizes.iter().map(|prize| winner.relative(prize.value)).collect();
                assert!(
                    values.is_sorted_by(|better, worse| better > worse),
                    "{values:?} in {position}"
                );
                assert!(
                    prizes.last().is_none_or(|any| any.contest == position.round().contest),
                    "{position}"
                );
            }
        }
    }

    #[test]
    fn a_round_without_sumos_has_no_prizes() {
        let position: Match = "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7".parse().unwrap();
        assert!(Player::ALL.iter().all(|&winner| round_payoffs(&position, winner).is_empty()));
    }

    #[test]
    fn a_win_by_less_than_the_prize_is_a_loss() {
        // The plain brown tower is called and may go to the far row; only the yellow Sumo is to count.
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

//! Openings (first positions of rounds) of the standard match, and their scores.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;
use oshi::game::Game;
use oshi::games::kamisado::{Colour, Match, Target};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand_chacha::ChaCha8Rng;

/// Points of both players before a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score {
    /// Points of the player who makes the first move.
    pub opener: u8,
    /// Points of the other player.
    pub other: u8,
}

impl Score {
    /// Reachable scores, earliest first.
    ///
    /// A round adds one point or ends the match. Its loser opens the next round, so the other
    /// player then has at least one point.
    pub const REACHABLE: [Score; 7] = [
        Score { opener: 0, other: 0 },
        Score { opener: 0, other: 1 },
        Score { opener: 1, other: 1 },
        Score { opener: 0, other: 2 },
        Score { opener: 1, other: 2 },
        Score { opener: 2, other: 1 },
        Score { opener: 2, other: 2 },
    ];

    /// Returns the score before the round of this position.
    pub fn of(position: &Match) -> Score {
        let points = position.points();
        Score { opener: points[position.turn().index()], other: points[(!position.turn()).index()] }
    }

    /// Number of rounds played before.
    pub const fn rounds(self) -> usize {
        (self.opener + self.other) as usize
    }

    /// Number of openings at this score.
    ///
    /// An opening is an order of eight towers on each home row and a choice of sumos. Mirror
    /// images and exchanged colours count once.
    pub fn openings(self) -> f64 {
        let choices = |sumos: u8| [1.0, 8.0, 28.0][usize::from(sumos.min(2))];
        const ORDERS: f64 = 40_320.0;
        match self.rounds() {
            // Only the standard arrangement, which is its own mirror image.
            0 => 1.0,
            _ => ORDERS * ORDERS * choices(self.opener) * choices(self.other) / 2.0,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", self.opener, self.other))
    }
}

impl FromStr for Score {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Score> {
        let expected = || format!("expected two numbers from 0 to 2 such as `2-1`, got `{text}`");
        let number = |text: &str| text.parse().ok().filter(|&number: &u8| number <= 2);
        let (opener, other) = text.split_once('-').with_context(expected)?;
        let (opener, other) = number(opener).zip(number(other)).with_context(expected)?;
        Ok(Score { opener, other })
    }
}

/// Draws an opening at this score.
///
/// If the score is reachable and each player has one sumo per point, the opening comes from a match
/// of random moves. There both players take every win of a round. Otherwise towers and sumos are
/// drawn directly.
///
/// # Errors
/// The drawn position is refused by the rules.
pub fn draw(score: Score, sumos: Score, rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    if sumos == score && Score::REACHABLE.contains(&score) {
        return Ok(played(score, rng));
    }
    set_up(score, sumos, rng)
}

fn played(score: Score, rng: &mut ChaCha8Rng) -> Match {
    loop {
        let mut position = Match::start(Target::Standard);
        loop {
            if position.is_free_choice() && Score::of(&position) == score {
                return position;
            }
            let any = || position.legal_moves().choose(rng).copied();
            let Some(mv) = position.round().contest.winning_move().or_else(any) else { break };
            position.play(mv);
        }
    }
}

/// Draws the order of the towers and the sumos.
fn set_up(score: Score, sumos: Score, rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    let line = Match::start(Target::Standard).random_start(rng).to_string();
    let (towers, _) = line.split_once(' ').context("a position line has five fields")?;
    let mut with_teeth = towers.to_owned();
    let blacks = Colour::ALL.map(Colour::letter).into_iter().sample(rng, usize::from(sumos.opener));
    let whites = Colour::ALL
        .map(|colour| colour.letter().to_ascii_uppercase())
        .into_iter()
        .sample(rng, usize::from(sumos.other));
    for letter in blacks.into_iter().chain(whites) {
        with_teeth = with_teeth.replace(letter, &format!("+{letter}"));
    }
    Ok(format!("{with_teeth} b - {score} {}", Target::Standard.points()).parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshi::game::Player;
    use rand::SeedableRng;

    #[test]
    fn draws_opening_with_given_score_and_sumos() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut scores: Vec<(Score, Score)> = Score::REACHABLE.map(|score| (score, score)).to_vec();
        scores.push((Score { opener: 1, other: 1 }, Score { opener: 1, other: 0 }));
        scores.push((Score { opener: 2, other: 0 }, Score { opener: 2, other: 0 }));
        for (score, sumos) in scores {
            let position = draw(score, sumos, &mut rng).unwrap();
            assert_eq!(Score::of(&position), score, "{position}");
            assert!(position.is_free_choice(), "{position}");
            let of = |player: Player| position.ranks(player)[1];
            assert_eq!(
                [of(position.turn()), of(!position.turn())],
                [sumos.opener, sumos.other],
                "{position}"
            );
        }
    }

    #[test]
    fn second_player_of_a_later_round_has_a_point() {
        for score in Score::REACHABLE.into_iter().filter(|score| score.rounds() > 0) {
            assert!(score.other > 0, "{score}");
        }
    }
}

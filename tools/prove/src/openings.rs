//! First positions of rounds of the standard match, and the scores at which they are.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;
use oshi::game::Game;
use oshi::games::kamisado::{Colour, Match, Target};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand_chacha::ChaCha8Rng;

/// Points of the player who opens a round, and of the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score {
    /// Of the player who opens.
    pub opener: u8,
    /// Of the other.
    pub other: u8,
}

impl Score {
    /// The scores that a match can come to, in the order in which it may: a round adds a point or ends the match, and its winner, who has a point
    /// by then, does not open the next one.
    pub const MET: [Score; 7] = [
        Score { opener: 0, other: 0 },
        Score { opener: 0, other: 1 },
        Score { opener: 1, other: 1 },
        Score { opener: 0, other: 2 },
        Score { opener: 1, other: 2 },
        Score { opener: 2, other: 1 },
        Score { opener: 2, other: 2 },
    ];

    /// The score at which this position is.
    pub fn of(position: &Match) -> Score {
        let points = position.points();
        Score { opener: points[position.turn().index()], other: points[(!position.turn()).index()] }
    }

    /// Points played for so far.
    pub const fn rounds(self) -> usize {
        (self.opener + self.other) as usize
    }

    /// How many openings of rounds there are at this score, mirror images counted once and colours of players left out: orders of 8 towers on
    /// both home rows, and which of them are Sumos.
    pub fn openings(self) -> f64 {
        let choices = |sumos: u8| [1.0, 8.0, 28.0][usize::from(sumos.min(2))];
        const ORDERS: f64 = 40_320.0;
        match self.rounds() {
            // The standard arrangement is the only one, and its own mirror image.
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

/// The first position of a round at this score, drawn at random. Where each player has as many Sumos as points and a match can come to
/// that, it is one that a match has come to in which both play any move and win rounds when they can; else it is set up.
pub fn draw(score: Score, sumos: Score, rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    if sumos == score && Score::MET.contains(&score) {
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

/// Any arrangement with any Sumos.
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
    fn openings_are_at_the_score_and_have_the_sumos_that_are_wanted() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut scores: Vec<(Score, Score)> = Score::MET.map(|score| (score, score)).to_vec();
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
    fn whoever_opens_a_later_round_has_not_won_the_last() {
        for score in Score::MET.into_iter().filter(|score| score.rounds() > 0) {
            assert!(score.other > 0, "{score}");
        }
    }
}

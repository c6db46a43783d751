//! Property tests of Kamisado: its two symmetries, and the invariants of matches.

use oshi::game::{Evaluator, Game, Player, RoundProof, Searchable, Text};
use oshi::games::kamisado::{Colour, Match, Move, Square};
use oshi::perft::perft;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::random_lines;

/// A symmetry of the game, applied to text forms.
struct Symmetry {
    file: fn(u8) -> u8,
    rank: fn(u8) -> u8,
    colour: fn(char) -> char,
    swaps_players: bool,
    swaps_sides: bool,
}

/// Half turn of the board with the players swapped. Left and right stay, as each player sees them
/// from their own seat.
const HALF_TURN: Symmetry = Symmetry {
    file: |file| 7 - file,
    rank: |rank| 7 - rank,
    colour: |colour| colour,
    swaps_players: true,
    swaps_sides: false,
};

/// Reversal of the files, with the colours swapped in pairs.
const MIRROR: Symmetry = Symmetry {
    file: |file| 7 - file,
    rank: |rank| rank,
    colour: |colour| match colour {
        'b' => 'o',
        'o' => 'b',
        'g' => 'l',
        'l' => 'g',
        'r' => 'v',
        'v' => 'r',
        'y' => 'p',
        'p' => 'y',
        other => other,
    },
    swaps_players: false,
    swaps_sides: true,
};

impl Symmetry {
    fn tower(&self, letter: char) -> char {
        let image = (self.colour)(letter.to_ascii_lowercase());
        if letter.is_ascii_uppercase() != self.swaps_players {
            image.to_ascii_uppercase()
        } else {
            image
        }
    }

    fn line(&self, line: &str) -> String {
        let fields: Vec<&str> = line.split(' ').collect();
        let mut squares = vec![vec![String::from("1"); 8]; 8];
        for (rank, text) in (0..8).rev().zip(fields[0].split('/')) {
            let (mut file, mut teeth) = (0, String::new());
            for letter in text.chars() {
                match letter {
                    '+' => teeth.push(letter),
                    '1'..='8' => file += letter as u8 - b'0',
                    _ => {
                        let image = &mut squares[usize::from((self.rank)(rank))]
                            [usize::from((self.file)(file))];
                        *image = std::mem::take(&mut teeth) + &self.tower(letter).to_string();
                        file += 1;
                    }
                }
            }
        }
        let ranks: Vec<String> = squares.into_iter().rev().map(|rank| rank.concat()).collect();
        let turn = if (fields[1] == "b") != self.swaps_players { "b" } else { "w" };
        let called = if fields[2] == "refill" {
            "refill".to_owned()
        } else {
            fields[2].chars().map(self.colour).collect()
        };
        let (black, white) = fields[3].split_once('-').unwrap();
        let points =
            if self.swaps_players { format!("{white}-{black}") } else { fields[3].to_owned() };
        format!("{} {turn} {called} {points} {}", ranks.join("/"), fields[4])
    }

    fn square(&self, square: Square) -> Square {
        Square::new((self.file)(square.file()), (self.rank)(square.rank()))
    }

    fn text(&self, mv: Move) -> String {
        match mv {
            Move::Tower { from, to } => format!("{}{}", self.square(from), self.square(to)),
            Move::Refill(side) if self.swaps_sides => {
                if side.name() == "left" { "right" } else { "left" }.to_owned()
            }
            Move::Pass | Move::Refill(_) => mv.to_string(),
        }
    }

    /// Compares a random line of play with its image at every ply.
    fn check(&self, seed: u64, plies: usize) -> Result<(), TestCaseError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let line = random_lines::line(&mut rng);
        let (mut position, mut image) =
            match (line.parse::<Match>(), self.line(&line).parse::<Match>()) {
                (Ok(position), Ok(image)) => (position, image),
                (position, image) => {
                    prop_assert_eq!(position.err(), image.err(), "{}", line);
                    return Ok(());
                }
            };
        for _ in 0..plies {
            let moves = position.legal_moves();
            let mut images: Vec<String> = moves.iter().map(|&mv| self.text(mv)).collect();
            images.sort_unstable();
            let mut found: Vec<String> =
                image.legal_moves().iter().map(ToString::to_string).collect();
            found.sort_unstable();
            prop_assert_eq!(found, images, "legal moves of {} and {}", position, image);
            let Some(&mv) = moves.choose(&mut rng) else { break };
            self.check_evaluation(&position, &image)?;
            position.play(mv);
            image.play(image.parse_move(&self.text(mv)).unwrap());
            prop_assert_eq!(
                self.line(&position.to_string()).parse::<Match>(),
                Ok(image),
                "after {}",
                mv
            );
            prop_assert_eq!(position.outcome().is_some(), image.outcome().is_some());
            // Only the mirror image has the same winner, so only it has the same proof key.
            prop_assert_eq!(
                position.proof_key() == image.proof_key(),
                !self.swaps_players,
                "{} and {}",
                position,
                image
            );
        }
        prop_assert_eq!(
            perft(&position, 3),
            perft(&image, 3),
            "perft 3 of {} and {}",
            position,
            image
        );
        Ok(())
    }

    /// Compares evaluations with a tolerance, as rounding depends on the order of the towers.
    fn check_evaluation(&self, position: &Match, image: &Match) -> Result<(), TestCaseError> {
        let evaluate = |position: &Match| {
            let moves = position.legal_moves();
            (
                <Match as Searchable>::Evaluator::default().evaluate(
                    position,
                    &moves,
                    RoundProof::Unknown,
                    &[],
                ),
                moves,
            )
        };
        let ((evaluation, moves), (mut other, images)) = (evaluate(position), evaluate(image));
        if self.swaps_players {
            other.value = 1.0 - other.value;
        }
        prop_assert!(
            (evaluation.value - other.value).abs() < 1e-3,
            "{position}: {}, {image}: {}",
            evaluation.value,
            other.value
        );
        for (mv, logit) in moves.iter().zip(evaluation.policy.logits) {
            let text = self.text(*mv);
            let same = images.iter().position(|image| image.to_string() == text).unwrap();
            let difference = logit - other.policy.logits[same];
            prop_assert!(
                difference.abs() < 1e-2 * (1.0 + logit.abs()),
                "{mv} in {position}, and in {image}: {difference}"
            );
        }
        Ok(())
    }
}

fn towers(position: &Match) -> Vec<(Player, Colour)> {
    Square::all().filter_map(|square| position.tower_at(square)).collect()
}

/// Rows between the tower and its owner's home row.
fn rows_ahead(position: &Match, player: Player, colour: Colour) -> u8 {
    position.tower(player, colour).seen_by(player).rank()
}

/// Points that a player's towers have earned: 1, 2, 4 and 8 for the first to fourth tooth of each.
fn earned(position: &Match, player: Player) -> u8 {
    Colour::ALL.into_iter().map(|colour| (1 << position.teeth(player, colour)) - 1).sum()
}

fn check_ply(before: &Match, mv: Move, after: &Match) -> Result<(), TestCaseError> {
    let mut standing = towers(after);
    standing.sort_unstable();
    let everyone: Vec<_> = Player::ALL
        .into_iter()
        .flat_map(|player| Colour::ALL.map(|colour| (player, colour)))
        .collect();
    prop_assert_eq!(
        &standing,
        &everyone,
        "expected eight towers of each side, one of each colour: {}",
        after
    );
    if let Move::Refill(_) = mv {
        let all_home =
            everyone.iter().all(|&(player, colour)| rows_ahead(after, player, colour) == 0);
        prop_assert!(
            all_home && after.is_free_choice(),
            "a refill puts every tower on its home row: {}",
            after
        );
        prop_assert_eq!(after.turn(), !before.turn(), "the loser opens");
        return Ok(());
    }
    let mover = before.turn();
    for player in Player::ALL {
        for colour in Colour::ALL {
            let (old, new) =
                (rows_ahead(before, player, colour), rows_ahead(after, player, colour));
            if new < old {
                let Move::Tower { from, .. } = mv else { panic!("{mv} moves a tower") };
                let pusher =
                    before.tower_at(from).map_or(0, |(owner, pusher)| before.teeth(owner, pusher));
                prop_assert!(
                    player != mover && old - new == 1,
                    "a tower goes back only if an enemy pushes it, by one square: {}",
                    after
                );
                prop_assert!(
                    pusher > before.teeth(player, colour),
                    "a pusher has a higher rank: {}",
                    after
                );
            }
            let taken = after.teeth(player, colour) - before.teeth(player, colour);
            prop_assert!(
                taken == 0 || after.points() != before.points(),
                "a tooth scores points: {}",
                after
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn half_turn_with_players_swapped_is_a_symmetry(seed: u64, plies in 0usize..150) {
        HALF_TURN.check(seed, plies)?;
    }

    #[test]
    fn mirror_with_colours_swapped_is_a_symmetry(seed: u64, plies in 0usize..150) {
        MIRROR.check(seed, plies)?;
    }

    #[test]
    fn random_matches_keep_invariants_and_end(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Ok(mut position) = random_lines::line(&mut rng).parse::<Match>() else { return Ok(()) };
        // A handicap start has points that differ from its teeth.
        let earned_by_both = |position: &Match| Player::ALL.map(|player| earned(position, player));
        let has_no_handicap = position.points() == [0, 0] && earned_by_both(&position) == [0, 0];
        let mut plies = 0;
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let before = position;
            position.play(mv);
            check_ply(&before, mv, &position)?;
            if has_no_handicap {
                prop_assert_eq!(earned_by_both(&position), position.points(), "{}", position);
            }
            plies += 1;
            prop_assert!(plies < 10_000, "the match does not end: {position}");
        }
        prop_assert!(position.outcome().is_some());
    }
}

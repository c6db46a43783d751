//! The library compared with the reference implementation at every ply of random games.

use std::collections::BTreeSet;

use oshi::game::{Game, Outcome, Player, Text};
use oshi::games::kamon::{Ending, Kamon};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::kamon_reference as reference;

/// Compares the whole state and the legal moves.
fn compare(library: &Kamon, reference: &reference::Game, moves: &[String]) {
    let line = reference.line();
    assert_eq!(library.to_string(), line);
    assert_eq!(library.turn().letter(), reference.turn, "turn in {line}");
    let ending = library.end().map(|ending| match ending {
        Ending::Connection => reference::Ending::Connection,
        Ending::Loop => reference::Ending::Loop,
        Ending::Draw => reference::Ending::Draw,
        Ending::Block => reference::Ending::Block,
    });
    assert_eq!(ending, reference.ending, "ending of {line}");
    let outcome = match (reference.winner(), reference.ending) {
        (Some('b'), _) => Some(Outcome::Win(Player::Black)),
        (Some(_), _) => Some(Outcome::Win(Player::White)),
        (None, Some(_)) => Some(Outcome::Draw),
        (None, None) => None,
    };
    assert_eq!(library.outcome(), outcome, "outcome of {line}");
    let found: Vec<String> = library.legal_moves().iter().map(ToString::to_string).collect();
    assert_eq!(found, moves, "legal moves in {line}");
    assert_eq!(library.count_legal_moves(), moves.len(), "number of moves in {line}");
}

fn compare_random_games(plies: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut endings = BTreeSet::new();
    let mut played = 0;
    while played < plies {
        let mut reference = reference::Game::random(&mut rng);
        let mut library: Kamon = reference.line().parse().unwrap();
        loop {
            let moves = reference.legal_moves();
            compare(&library, &reference, &moves);
            let Some(text) = moves.choose(&mut rng) else { break };
            library.play(library.parse_move(text).unwrap());
            reference = reference.play(text);
            // The parsed line equals the position after any order of moves.
            assert_eq!(reference.line().parse(), Ok(library));
            played += 1;
        }
        endings.insert(format!("{:?}", reference.ending.unwrap()));
    }
    assert_eq!(
        endings.into_iter().collect::<Vec<_>>(),
        ["Block", "Connection", "Draw", "Loop"],
        "every ending occurs"
    );
}

#[test]
fn library_agrees_with_reference() {
    compare_random_games(100_000, 6);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored agree_on_ten_million`"]
fn games_agree_on_ten_million_plies() {
    compare_random_games(10_000_000, 7);
}

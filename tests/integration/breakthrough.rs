//! Breakthrough (Dan Troyka 2000) on small boards, a game that the library does not contain.
//!
//! It implements the required methods of the game traits only. The tests show that the rules'
//! tools and the search work for any game.

mod evaluator;
mod reference;
mod rules;
mod text;

use std::collections::BTreeSet;

use oshi::game::{Game, MoveError, Text};
use oshi::perft::{divide, perft};
use oshi::search::{Control, Limits, Report, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::contract;
use crate::exhaustive::{self, Reference, Solver, Tally};
use crate::support::search::{nodes, timeless};
use reference::Board;
use rules::{Breakthrough, Step};

type Small = Breakthrough<5, 6>;

#[test]
fn keeps_the_game_contract() {
    contract::check_games(Small::start(), 300, 1);
    contract::check_games(Breakthrough::<2, 4>::start(), 100, 2);
    contract::check_games(Breakthrough::<8, 8>::start(), 30, 3);
    contract::check_proof_key_bits(Small::start());
    contract::check_random_starts(Small::start());
}

/// Each front pawn has three moves, or two at the edge. The rear rows cannot move, and the sides do
/// not meet in the first two plies.
#[test]
fn first_plies_have_counts_derived_by_hand() {
    let wide = Small::start();
    assert_eq!([perft(&wide, 1), perft(&wide, 2)], [13, 13 * 13]);
    // On 2 x 5 a white pawn faces the moved pawn and has 1 move; the other has 2.
    let narrow = Breakthrough::<2, 5>::start();
    assert_eq!([perft(&narrow, 1), perft(&narrow, 2)], [4, 4 * 3]);
}

#[test]
fn perft_agrees_with_reference() {
    fn check<const FILES: usize, const RANKS: usize>(depth: u32) {
        let (start, reference) =
            (Breakthrough::<FILES, RANKS>::start(), Board::start(FILES, RANKS));
        assert_eq!(start.to_string(), reference.line());
        for plies in 0..=depth {
            assert_eq!(
                perft(&start, plies),
                reference.count(plies),
                "perft {plies} on {FILES} x {RANKS}"
            );
        }
        assert_eq!(divide(&start, depth, || false, |_, _| ()), Some(perft(&start, depth)));
    }
    check::<2, 5>(8);
    check::<3, 5>(6);
    check::<5, 6>(4);
}

#[test]
fn random_games_agree_with_reference() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..200 {
        let mut reference = Board::random(5, 6, 6, &mut rng);
        loop {
            let position: Small = reference.line().parse().unwrap();
            assert_eq!(position.to_string(), reference.line());
            let moves: BTreeSet<String> =
                position.legal_moves().iter().map(ToString::to_string).collect();
            assert_eq!(moves, reference.legal_moves().into_iter().collect(), "{position}");
            let winner = position
                .outcome()
                .and_then(|outcome| outcome.winner())
                .map(|player| player.letter());
            assert_eq!(winner, reference.winner(), "{position}");
            let Some(text) = reference.legal_moves().choose(&mut rng).cloned() else { break };
            reference = reference.play(&text);
        }
    }
}

#[test]
fn rejects_invalid_positions() {
    let refused = [
        "",
        "wwwww/wwwww/5/5/bbbbb/bbbbb",
        "wwwww/wwwww/5/5/bbbbb/bbbbb x",
        "wwwww/wwwww/5/5/bbbbb b",
        "wwwww/wwwww/5/5/bbbbb/bbbbb/5 b",
        "wwwww/wwwww/5/4/bbbbb/bbbbb b",
        "wwwww/wwwww/5/23/bbbbb/bbbbb b",
        "wwwww/wwwww/5/999999999999999999999999999999/bbbbb/bbbbb b",
        "wwwww/wwwww/w4/5/bbbbb/bbbbb b",
        // The player to move has won already, or the other player has no pawn.
        "b4/5/5/5/w4/5 b",
        "5/5/b4/5/5/5 b",
    ];
    for line in refused {
        assert!(line.parse::<Small>().is_err(), "{line}");
    }
}

#[test]
fn distinguishes_illegal_from_malformed_moves() {
    let start = Small::start();
    assert!(
        start
            .parse_move("a2")
            .unwrap_err()
            .to_string()
            .starts_with("`a2` is not a move: expected two squares")
    );
    for text in ["a2", "h8h9"] {
        let error = start.parse_move(text);
        assert!(matches!(error, Err(MoveError::Malformed { .. })), "{text}: {error:?}");
    }
    for text in ["a2a4", "a1a2", "a5a4", "e2f3"] {
        let error = start.parse_move(text);
        assert!(matches!(error, Err(MoveError::Illegal { .. })), "{text}: {error:?}");
    }
}

/// Checks endings of games with one to four pawns for each player.
fn endings(endings: u32, seed: u64, threads: usize) -> Tally {
    exhaustive::check_endings::<Small, _>(endings, seed, threads, |rng| {
        let pawns = rng.random_range(1..5);
        Board::random(5, 6, pawns, rng)
    })
}

#[test]
fn proofs_of_endings_match_exhaustive_search() {
    let tally = endings(300, 6, 1);
    assert!(tally[0] > 0 && tally[2] > 0, "won and lost endings: {tally:?}");
}

#[test]
fn proofs_by_two_threads_match_exhaustive_search() {
    endings(100, 7, 2);
}

#[test]
fn solves_tiny_boards_from_the_start() {
    fn check<const FILES: usize, const RANKS: usize>() {
        let mut searcher = Searcher::<Breakthrough<FILES, RANKS>>::new(Settings {
            hash_mib: 16,
            ..Settings::default()
        });
        let mut tally = [0; 3];
        exhaustive::check(
            &mut searcher,
            &Board::start(FILES, RANKS),
            &mut Solver::new(1_000_000),
            &mut tally,
        );
        assert_eq!(tally.iter().sum::<u32>(), 1, "the solver gave up on {FILES} x {RANKS}");
    }
    check::<2, 5>();
    check::<2, 6>();
    check::<2, 7>();
    check::<3, 4>();
}

fn search(threads: usize, limits: &Limits<Step>) -> Report<Step> {
    let mut searcher = Searcher::new(Settings { hash_mib: 16, threads, seed: 1 });
    let start = Breakthrough::<8, 8>::start();
    timeless(searcher.run(&start, limits, &Control::default(), &mut |_| ()))
}

#[test]
fn obeys_search_limits() {
    let limit = nodes(2_000);
    assert_eq!(search(1, &limit).nodes, 2_000);
    assert_eq!(search(1, &limit), search(1, &limit));
    assert!(
        search(2, &limit)
            .best_move()
            .is_some_and(|step| Breakthrough::<8, 8>::start().legal_moves().contains(&step))
    );
    assert_eq!(search(1, &Limits { depth: Some(3), ..Limits::default() }).depth, 3);
    let step = Breakthrough::<8, 8>::start().parse_move("h2h3").unwrap();
    let only = Limits { search_moves: vec![step], ..limit.clone() };
    assert_eq!(search(1, &only).best_move(), Some(step));
    let lines = search(2, &Limits { lines: 4, ..limit }).lines;
    assert_eq!(lines.iter().map(|line| line.moves[0]).collect::<BTreeSet<_>>().len(), 4);
}

/// Black's pawn needs three moves and cannot be stopped. White's pawn needs four.
#[test]
fn finds_mate_only_within_enough_moves() {
    let position: Small = "5/w4/5/4b/5/5 b".parse().unwrap();
    let mut searcher = Searcher::<Small>::new(Settings { hash_mib: 16, ..Settings::default() });
    let mut value = |mate| {
        let limits = Limits { mate: Some(mate), ..nodes(10_000) };
        searcher.run(&position, &limits, &Control::default(), &mut |_| ()).lines[0].value
    };
    assert_eq!(value(3), Value::Win(3));
    assert!(!matches!(value(2), Value::Win(..3)));
}

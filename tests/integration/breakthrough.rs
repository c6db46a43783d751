//! Breakthrough (Dan Troyka 2000) on small boards: a third game, which the library does not know, shows that rules and search are
//! made for any game. It is written by the contract of the traits alone and takes all that they offer without being asked.

mod estimate;
mod plain;
mod rules;
mod text;

use std::collections::BTreeSet;
use std::time::Duration;

use oshi::game::{Game, Text};
use oshi::perft::{divide, perft};
use oshi::search::{Control, Limits, Report, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::contract;
use crate::exhaustive::{self, Plain, Solver, Tally};
use plain::Board;
use rules::{Breakthrough, Step};

type Small = Breakthrough<5, 6>;

#[test]
fn it_keeps_the_contract() {
    contract::check_games(Small::start(), 300, 1);
    contract::check_games(Breakthrough::<2, 4>::start(), 100, 2);
    contract::check_games(Breakthrough::<8, 8>::start(), 30, 3);
    contract::check_bits_of_hashes(Small::start());
    contract::check_random_starts(Small::start());
}

/// Each front pawn has three ways ahead, those at the edge two; the rows behind cannot move, nor do the sides meet in the first two plies.
#[test]
fn the_first_plies_have_the_counts_that_the_rules_tell() {
    let wide = Small::start();
    assert_eq!([perft(&wide, 1), perft(&wide, 2)], [13, 13 * 13]);
    // On 2 x 5 White meets a pawn ahead: 1 way for the pawn that faces it, 2 for the other.
    let narrow = Breakthrough::<2, 5>::start();
    assert_eq!([perft(&narrow, 1), perft(&narrow, 2)], [4, 4 * 3]);
}

#[test]
fn counts_are_those_of_plain_arrays() {
    fn check<const FILES: usize, const RANKS: usize>(depth: u32) {
        let (start, plain) = (Breakthrough::<FILES, RANKS>::start(), Board::start(FILES, RANKS));
        assert_eq!(start.to_string(), plain.line());
        for plies in 0..=depth {
            assert_eq!(
                perft(&start, plies),
                plain.count(plies),
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
fn every_position_of_random_games_has_the_moves_and_the_end_of_plain_arrays() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..200 {
        let mut plain = Board::random(5, 6, 6, &mut rng);
        loop {
            let position: Small = plain.line().parse().unwrap();
            assert_eq!(position.to_string(), plain.line());
            let moves: BTreeSet<String> =
                position.legal_moves().iter().map(ToString::to_string).collect();
            assert_eq!(moves, plain.legal_moves().into_iter().collect(), "{position}");
            let winner = position
                .outcome()
                .and_then(|outcome| outcome.winner())
                .map(|player| player.letter());
            assert_eq!(winner, plain.winner(), "{position}");
            let Some(text) = plain.legal_moves().choose(&mut rng).cloned() else { break };
            plain = plain.play(&text);
        }
    }
}

#[test]
fn lines_that_are_no_positions_are_refused() {
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
        // Who moves has won already, or nobody is left who has moved.
        "b4/5/5/5/w4/5 b",
        "5/5/b4/5/5/5 b",
    ];
    for line in refused {
        assert!(line.parse::<Small>().is_err(), "{line}");
    }
}

#[test]
fn illegal_moves_are_told_apart_from_what_is_none() {
    let start = Small::start();
    assert!(
        start
            .parse_move("a2")
            .unwrap_err()
            .to_string()
            .starts_with("`a2` is not a move: expected two squares")
    );
    for text in ["a2a4", "a1a2", "a5a4", "e2f3", "h8h9"] {
        assert!(start.parse_move(text).is_err(), "{text}");
    }
}

/// Endings of games with few pawns, won and lost for the player to move.
fn endings(endings: u32, seed: u64, threads: usize) -> Tally {
    exhaustive::check_endings::<Small, _>(endings, seed, threads, |rng| {
        let pawns = rng.random_range(1..5);
        Board::random(5, 6, pawns, rng)
    })
}

#[test]
fn what_is_proven_of_endings_is_true() {
    let tally = endings(300, 6, 1);
    assert!(tally[0] > 0 && tally[2] > 0, "won and lost endings: {tally:?}");
}

#[test]
fn what_two_threads_prove_of_endings_is_true() {
    endings(100, 7, 2);
}

#[test]
fn tiny_boards_are_solved_from_the_start() {
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
        assert_eq!(tally.iter().sum::<u32>(), 1, "{FILES} x {RANKS} is within the solver's reach");
    }
    check::<2, 5>();
    check::<2, 6>();
    check::<2, 7>();
    check::<3, 4>();
}

fn search(threads: usize, limits: &Limits<Step>) -> Report<Step> {
    let mut searcher = Searcher::new(Settings { hash_mib: 16, threads, seed: 1 });
    let report =
        searcher.run(&Breakthrough::<8, 8>::start(), limits, &Control::default(), &mut |_| ());
    Report { elapsed: Duration::ZERO, ..report }
}

#[test]
fn limits_bind() {
    let nodes = Limits { nodes: Some(2_000), ..Limits::default() };
    assert_eq!(search(1, &nodes).nodes, 2_000);
    assert_eq!(
        search(1, &nodes),
        search(1, &nodes),
        "the same seed and nodes give the same search"
    );
    assert!(
        search(2, &nodes)
            .best_move()
            .is_some_and(|step| Breakthrough::<8, 8>::start().legal_moves().contains(&step))
    );
    assert_eq!(search(1, &Limits { depth: Some(3), ..Limits::default() }).depth, 3);
    let step = Breakthrough::<8, 8>::start().parse_move("h2h3").unwrap();
    let only = Limits { search_moves: vec![step], ..nodes.clone() };
    assert_eq!(search(1, &only).best_move(), Some(step));
    let lines = search(2, &Limits { lines: 4, ..nodes }).lines;
    assert_eq!(lines.iter().map(|line| line.moves[0]).collect::<BTreeSet<_>>().len(), 4);
}

/// The lone runner needs three moves; nobody can stop it, and White's own needs four.
#[test]
fn a_mate_is_found_within_its_moves_and_not_within_fewer() {
    let position: Small = "5/w4/5/4b/5/5 b".parse().unwrap();
    let mut searcher = Searcher::<Small>::new(Settings { hash_mib: 16, ..Settings::default() });
    let mut value = |mate| {
        let limits = Limits { mate: Some(mate), nodes: Some(10_000), ..Limits::default() };
        searcher.run(&position, &limits, &Control::default(), &mut |_| ()).lines[0].value
    };
    assert_eq!(value(3), Value::Win(3));
    assert!(!matches!(value(2), Value::Win(..3)));
}

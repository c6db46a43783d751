//! Search moves and several lines.

use std::time::Duration;

use oshi::draw::Draw;
use oshi::game::{Searchable, Text};
use oshi::games::kamisado::{Match, Move, Target};
use oshi::games::notation::Notation;
use oshi::games::{SearchVisitor, Variant};
use oshi::search::{Control, Limits, MoveTime, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::search;
use crate::support::search::nodes;

#[test]
fn considers_only_search_moves() {
    let start = Match::start(Target::Simple);
    let losing = start.parse_move("e1e7").unwrap();
    let (_, last) = search(&start, &Limits { search_moves: vec![losing], ..Limits::default() });
    assert_eq!(last.best_move(), Some(losing));
    assert!(matches!(last.lines[0].value, Value::Loss(_)));
}

#[test]
fn lines_start_with_different_moves() {
    let limits = Limits { lines: 5, ..nodes(20_000) };
    let (_, last) = search(&Match::start(Target::Standard), &limits);
    assert_eq!(last.lines.len(), 5);
    let mut first_moves: Vec<Move> = last.lines.iter().map(|line| line.moves[0]).collect();
    first_moves.sort();
    first_moves.dedup();
    assert_eq!(first_moves.len(), 5);
}

/// Checks the lines of random positions: each has a value, the values descend, and the first line's
/// move is played.
fn check_lines(positions: u64, limits: &Limits<()>) {
    struct Lines<'a>(u64, &'a Limits<()>);
    impl SearchVisitor for Lines<'_> {
        type Output = ();
        fn visit<G: Searchable + Notation + Draw>(self, start: G) {
            let Lines(positions, limits) = self;
            let mut searcher = Searcher::new(Settings { hash_mib: 16, ..Settings::default() });
            for seed in 0..positions {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut position = start.random_start(&mut rng);
                for _ in 0..rng.random_range(0..30) {
                    let mut next = position;
                    next.play(*position.legal_moves().choose(&mut rng).unwrap());
                    if next.outcome().is_some() {
                        break;
                    }
                    position = next;
                }
                let Limits { nodes, time, .. } = *limits;
                let limits = Limits { nodes, time, lines: 4, ..Limits::default() };
                let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
                let legal = position.legal_moves().len();
                assert_eq!(report.lines.len(), legal.min(4), "{position}");
                let values: Vec<Value> = report.lines.iter().map(|line| line.value).collect();
                assert!(
                    values.is_sorted_by(|a, b| order(*a) >= order(*b)),
                    "{position}: {values:?}"
                );
                // A win probability of exactly one half is that of an unvisited move.
                assert!(!values.contains(&Value::WinProbability(0.5)), "{position}: {values:?}");
                assert_eq!(report.best_move(), Some(report.lines[0].moves[0]));
            }
        }
    }
    for &variant in Variant::ALL {
        variant.start().search(Lines(positions, limits));
    }
}

/// Sort key of values, from high to low: short wins, long wins, win probabilities, long losses,
/// short losses.
fn order(value: Value) -> (i32, i64) {
    match value {
        Value::Win(moves) => (2, -i64::from(moves)),
        Value::Loss(moves) => (0, i64::from(moves)),
        value => (1, (f64::from(value.win_probability()) * 1e9) as i64),
    }
}

#[test]
fn lines_have_values_in_descending_order() {
    check_lines(20, &nodes(1000));
    check_lines(20, &nodes(30));
}

#[test]
#[ignore = "takes minutes: every line of a thousand positions of each variant"]
fn lines_of_many_positions_have_values_in_descending_order() {
    check_lines(1000, &nodes(1000));
    check_lines(
        1000,
        &Limits { time: Some(MoveTime::exactly(Duration::from_millis(50))), ..Limits::default() },
    );
}

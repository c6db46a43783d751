//! The solver for long proofs against exact search and known results, with one to four threads.

use std::num::NonZeroUsize;

use oshi::game::{Game, Outcome, Searchable, Text};
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Searcher, Settings, TableMemory};
use oshi::solver::Solver;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::solved;

fn memory() -> TableMemory {
    TableMemory::new(1 << 26)
}

fn solver(memory: &mut TableMemory, threads: usize) -> Solver<'_> {
    Solver::new(memory, NonZeroUsize::new(threads).unwrap())
}

fn solve<G: Searchable>(solver: &Solver, position: &G) -> Outcome {
    solver.solve(position, &Control::default(), &mut |_| ()).unwrap()
}

/// Positions of random games of Kamon with about `free` free cells.
fn late_positions(count: usize, free: usize) -> Vec<Kamon> {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Kamon::start().random_start(&mut rng);
        for _ in 0..36 - free {
            if let Some(mv) = position.legal_moves().into_iter().choose(&mut rng) {
                position.play(mv);
            }
        }
        if position.outcome().is_none() {
            positions.push(position);
        }
    }
    positions
}

#[test]
fn agrees_with_exact_search() {
    let mut searcher = Searcher::new(Settings::default());
    let mut memory = memory();
    let solver = solver(&mut memory, 1);
    let mut counts = [0; 3];
    for position in late_positions(1_500, 10) {
        let expected = searcher.solve(&position, u64::MAX).unwrap().outcome;
        assert_eq!(solve(&solver, &position), expected, "{position}");
        counts[expected.winner().map_or(2, |winner| winner.index())] += 1;
    }
    assert!(counts.iter().all(|&count| count >= 10), "too few positions of a result: {counts:?}");
}

/// Solves the first `count` positions with one table for each number of threads.
fn threads_agree_with<G: Searchable + Text>(file: &str, max_nodes: u64, count: usize) {
    let positions = solved::easy::<G>(file, max_nodes);
    assert!(
        positions.len() >= count,
        "{file}: {} positions of at most {max_nodes} nodes, expected {count}",
        positions.len()
    );
    for threads in [1, 2, 4] {
        let mut memory = memory();
        let solver = solver(&mut memory, threads);
        for (position, expected) in positions.iter().take(count) {
            assert_eq!(solve(&solver, position), *expected, "{threads} threads: {position}");
        }
    }
}

#[test]
fn any_number_of_threads_solves_kamon() {
    threads_agree_with::<Kamon>("kamon-solved.txt", 100_000, 40);
}

#[test]
fn any_number_of_threads_solves_rounds() {
    threads_agree_with::<Match>("kamisado-rounds-opening.txt", 50_000, 20);
    threads_agree_with::<Match>("kamisado-rounds-sumo.txt", 50_000, 60);
}

#[test]
fn imported_results_cost_no_expansions() {
    let (position, expected) = solved::easy::<Kamon>("kamon-solved.txt", 100_000)[0];
    let mut memories = [(); 3].map(|()| memory());
    let [first, second, third] = memories.each_mut();
    let (first, second, third) = (solver(first, 2), solver(second, 1), solver(third, 1));
    assert_eq!(solve(&first, &position), expected);
    second.import(&first.export(usize::MAX));
    assert_eq!((solve(&second, &position), second.expansions()), (expected, 0));
    // The answer itself cost the most, so a small export contains it.
    third.import(&first.export(20));
    assert_eq!((solve(&third, &position), third.expansions()), (expected, 0));
}

#[test]
fn solves_after_a_stop() {
    let (position, expected) = solved::easy::<Kamon>("kamon-solved.txt", 100_000)[0];
    let mut memory = memory();
    let solver = solver(&mut memory, 1);
    let stopped = Control::default();
    stopped.stop();
    assert_eq!(solver.solve(&position, &stopped, &mut |_| ()), None);
    assert_eq!(solve(&solver, &position), expected);
}

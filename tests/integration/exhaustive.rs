//! Proven results of endings, compared with a solver that plays out every line.

use std::collections::HashMap;

use oshi::game::{Searchable, Text};
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{kamon_reference, random_lines, reference};

/// A reference implementation of a game: slow, and independent of the library.
pub trait Reference: Clone {
    fn line(&self) -> String;
    fn legal_moves(&self) -> Vec<String>;
    fn play(&self, text: &str) -> Self;
    fn is_firsts_turn(&self) -> bool;
    /// Result of a finished game: 1 if the first player has won, -1 if the second, 0 for a draw.
    fn result(&self) -> i8;
}

impl Reference for reference::Match {
    fn line(&self) -> String {
        self.line()
    }

    fn legal_moves(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&self, text: &str) -> Self {
        self.play(text)
    }

    fn is_firsts_turn(&self) -> bool {
        self.turn == reference::Side::Black
    }

    fn result(&self) -> i8 {
        if self.winner() == Some(reference::Side::Black) { 1 } else { -1 }
    }
}

impl Reference for kamon_reference::Game {
    fn line(&self) -> String {
        self.line()
    }

    fn legal_moves(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&self, text: &str) -> Self {
        self.play(text)
    }

    fn is_firsts_turn(&self) -> bool {
        self.turn == 'b'
    }

    fn result(&self) -> i8 {
        match self.winner() {
            Some('b') => 1,
            Some(_) => -1,
            None => 0,
        }
    }
}

/// Result and length of best play from a position.
#[derive(Clone, Copy)]
struct Result {
    /// For the first player: 1, 0 or -1.
    value: i8,
    /// Moves of the first and the second player until the win. The winner minimises each number,
    /// the loser maximises it.
    moves: [u32; 2],
}

/// Exhaustive solver with a table of results by position line.
pub struct Solver {
    results: HashMap<String, Result>,
    max_positions: usize,
}

impl Solver {
    /// Creates a solver that gives up after `max_positions` positions.
    pub fn new(max_positions: usize) -> Solver {
        Solver { results: HashMap::new(), max_positions }
    }

    /// Value for the first player; `None` if too many positions follow.
    fn value<P: Reference>(&mut self, position: &P) -> Option<i8> {
        self.result(position).map(|result| result.value)
    }

    /// Moves of the player to move until the win.
    fn own_moves<P: Reference>(&mut self, position: &P) -> Option<u32> {
        self.result(position).map(|result| result.moves[usize::from(!position.is_firsts_turn())])
    }

    fn result<P: Reference>(&mut self, position: &P) -> Option<Result> {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Some(Result { value: position.result(), moves: [0; 2] });
        }
        let line = position.line();
        if let Some(&result) = self.results.get(&line) {
            return Some(result);
        }
        if self.results.len() >= self.max_positions {
            return None;
        }
        // No cut-offs after a winning move: a plain solver is easier to trust.
        let mut results = Vec::new();
        for text in moves {
            results.push(self.result(&position.play(&text))?);
        }
        let is_first = position.is_firsts_turn();
        let values = results.iter().map(|result| result.value);
        let value = if is_first { values.max() } else { values.min() }?;
        let wins = value == if is_first { 1 } else { -1 };
        let moves = [0, 1].map(|player| {
            let moves = results
                .iter()
                .filter(|result| result.value == value)
                .map(|result| result.moves[player]);
            let moves = if wins { moves.min() } else { moves.max() };
            moves.unwrap_or(0) + u32::from((player == 0) == is_first)
        });
        let result = Result { value, moves };
        self.results.insert(line, result);
        Some(result)
    }
}

/// Numbers of endings won, drawn and lost for the player to move.
pub type Tally = [u32; 3];

/// Searches the position until it is proven. Checks the value, the distance, and that the best move
/// keeps the value.
pub fn check<G: Searchable + Text, P: Reference>(
    searcher: &mut Searcher<G>,
    reference: &P,
    solver: &mut Solver,
    tally: &mut Tally,
) {
    let line = reference.line();
    let Some(value) = solver.value(reference).filter(|_| !reference.legal_moves().is_empty())
    else {
        return;
    };
    let Ok(position) = line.parse::<G>() else { panic!("{line} is not parsed") };
    let report = searcher.run(&position, &Limits::default(), &Control::default(), &mut |_| ());
    let (proven, own_moves) = match report.lines[0].value {
        Value::Win(moves) => (1, Some(moves)),
        Value::Draw => (0, None),
        Value::Loss(moves) => (-1, Some(moves)),
        Value::WinProbability(_) => panic!("{line} is not proven"),
    };
    if let Some((moves, exact)) = own_moves.zip(solver.own_moves(reference)) {
        assert!(moves >= exact, "{line}: {moves} moves, expected at least {exact}");
        // A push adds a move of the winner without a turn of the loser, so the shortest proof may
        // have more moves. Large endings take too long to prove exactly.
        let is_exact = moves == exact
            || proven == 1 && line.contains('+')
            || solver.results.len() > MAX_POSITIONS;
        assert!(is_exact, "{line}: {moves} moves, expected {exact}");
    }
    let point_of_view = if reference.is_firsts_turn() { 1 } else { -1 };
    assert_eq!(proven, value * point_of_view, "{line}");
    let best = report.best_move().unwrap().to_string();
    assert_eq!(
        solver.value(&reference.play(&best)),
        Some(value),
        "{best} changes the value of {line}"
    );
    tally[(1 - proven) as usize] += 1;
}

/// Plays at random to the end and returns a position 2 to 11 plies before it.
fn near_the_end<P: Reference>(start: P, rng: &mut ChaCha8Rng) -> P {
    let mut positions = vec![start];
    while let Some(text) = positions[positions.len() - 1].legal_moves().choose(rng) {
        let next = positions[positions.len() - 1].play(text);
        positions.push(next);
    }
    let back = rng.random_range(2..12).min(positions.len());
    positions.swap_remove(positions.len() - back)
}

/// Positions after which the solver gives an ending up.
const MAX_POSITIONS: usize = 2_000;

/// Checks endings of random games from the drawn starts.
pub fn check_endings<G: Searchable + Text, P: Reference>(
    endings: u32,
    seed: u64,
    threads: usize,
    draw: impl Fn(&mut ChaCha8Rng) -> P,
) -> Tally {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = [0; 3];
    let mut searcher =
        Searcher::<G>::new(Settings { hash_mib: 16, threads, ..Settings::default() });
    while tally.iter().sum::<u32>() < endings {
        let ending = near_the_end(draw(&mut rng), &mut rng);
        check(&mut searcher, &ending, &mut Solver::new(MAX_POSITIONS), &mut tally);
    }
    tally
}

fn kamon_endings(endings: u32, seed: u64) -> Tally {
    check_endings::<Kamon, _>(endings, seed, 1, kamon_reference::Game::random)
}

/// Endings of matches to any target. They may include a refill and the next round.
fn kamisado_endings(endings: u32, seed: u64) -> Tally {
    check_endings::<Match, _>(endings, seed, 1, |rng| {
        loop {
            let start = reference::Match::read(&random_lines::line(rng));
            if !start.is_deadlocked() {
                return start;
            }
        }
    })
}

#[test]
fn proofs_of_kamon_match_exhaustive_search() {
    let tally = kamon_endings(100, 8);
    assert!(tally.iter().all(|&count| count > 0), "won, drawn and lost endings: {tally:?}");
}

#[test]
fn proofs_of_kamisado_match_exhaustive_search() {
    let tally = kamisado_endings(50, 9);
    assert!(tally[0] > 0 && tally[2] > 0, "won and lost endings: {tally:?}");
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored many_proofs`"]
fn many_proofs_match_exhaustive_search() {
    println!("Kamon, won, drawn, lost: {:?}", kamon_endings(20_000, 10));
    println!("Kamisado, won, drawn, lost: {:?}", kamisado_endings(20_000, 11));
}

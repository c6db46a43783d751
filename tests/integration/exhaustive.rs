//! What the search proves of small endings, against a solver that looks at every line to its end.

use std::collections::HashMap;

use oshi::game::{Searchable, Text};
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{drawn, kamon_reference, reference};

/// A game as the plain-arrays implementations know it.
pub trait Plain: Clone {
    fn line(&self) -> String;
    fn legal_moves(&self) -> Vec<String>;
    fn play(&self, text: &str) -> Self;
    /// Whether it is the first player's turn.
    fn is_firsts_turn(&self) -> bool;
    /// 1 if the first player has won, -1 if the second; called only if there are no moves.
    fn result(&self) -> i8;
}

impl Plain for reference::Match {
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

impl Plain for kamon_reference::Game {
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

/// The result of a position against best play, and how long it takes.
#[derive(Clone, Copy)]
struct Result {
    /// For the first player: 1, 0 or -1.
    value: i8,
    /// Moves of the first and of the second player until the win, each minimised by the winner and
    /// maximised by the loser.
    moves: [u32; 2],
}

/// The results of positions by their line.
pub struct Solver {
    known: HashMap<String, Result>,
    most: usize,
}

impl Solver {
    /// A solver that gives up after this many positions.
    pub fn new(most: usize) -> Solver {
        Solver { known: HashMap::new(), most }
    }

    /// The value by the rules alone, `None` if there are too many positions below.
    fn value<P: Plain>(&mut self, position: &P) -> Option<i8> {
        self.result(position).map(|result| result.value)
    }

    /// Own moves of the player to move until the win.
    fn own_moves<P: Plain>(&mut self, position: &P) -> Option<u32> {
        self.result(position).map(|result| result.moves[usize::from(!position.is_firsts_turn())])
    }

    fn result<P: Plain>(&mut self, position: &P) -> Option<Result> {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Some(Result { value: position.result(), moves: [0; 2] });
        }
        let line = position.line();
        if let Some(&result) = self.known.get(&line) {
            return Some(result);
        }
        if self.known.len() >= self.most {
            return None;
        }
        // All moves are looked at, also after a winning one: nothing clever can be wrong.
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
        self.known.insert(line, result);
        Some(result)
    }
}

/// How many endings were won, drawn and lost for the player to move.
pub type Tally = [u32; 3];

/// Searches the position until it is proven, and checks the value, how long it takes, and that the
/// best move keeps it.
pub fn check<G: Searchable + Text, P: Plain>(
    searcher: &mut Searcher<G>,
    plain: &P,
    solver: &mut Solver,
    tally: &mut Tally,
) {
    let line = plain.line();
    let Some(value) = solver.value(plain).filter(|_| !plain.legal_moves().is_empty()) else {
        return;
    };
    let Ok(position) = line.parse::<G>() else { panic!("{line} is not read") };
    let report = searcher.run(&position, &Limits::default(), &Control::default(), &mut |_| ());
    let (proven, own_moves) = match report.lines[0].value {
        Value::Win(moves) => (1, Some(moves)),
        Value::Draw => (0, None),
        Value::Loss(moves) => (-1, Some(moves)),
        Value::WinProbability(_) => panic!("{line} is not proven"),
    };
    if let Some((moves, exact)) = own_moves.zip(solver.own_moves(plain)) {
        assert!(moves >= exact, "{line}: {moves} of {exact}");
        // A winner who pushes may need fewer turns and more moves. Large endings take too long to
        // prove exactly.
        let is_exact =
            moves == exact || proven == 1 && line.contains('+') || solver.known.len() > MOST;
        assert!(is_exact, "{line}: {moves} of {exact}");
    }
    let point_of_view = if plain.is_firsts_turn() { 1 } else { -1 };
    assert_eq!(proven, value * point_of_view, "{line}");
    let best = report.best_move().unwrap().to_string();
    assert_eq!(
        solver.value(&plain.play(&best)),
        Some(value),
        "{best} throws the value of {line} away"
    );
    tally[(1 - proven) as usize] += 1;
}

/// Plays on at random to the end, and gives the position a few plies before it.
fn near_the_end<P: Plain>(start: P, rng: &mut ChaCha8Rng) -> P {
    let mut positions = vec![start];
    while let Some(text) = positions[positions.len() - 1].legal_moves().choose(rng) {
        let next = positions[positions.len() - 1].play(text);
        positions.push(next);
    }
    let back = rng.random_range(2..12).min(positions.len());
    positions.swap_remove(positions.len() - back)
}

/// How many positions the solver looks at before it gives a position up.
const MOST: usize = 2_000;

/// Checks this many endings of games from these starts, with a searcher of `threads` threads.
pub fn check_endings<G: Searchable + Text, P: Plain>(
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
        let plain = near_the_end(draw(&mut rng), &mut rng);
        check(&mut searcher, &plain, &mut Solver::new(MOST), &mut tally);
    }
    tally
}

fn kamon_endings(endings: u32, seed: u64) -> Tally {
    check_endings::<Kamon, _>(endings, seed, 1, kamon_reference::Game::random)
}

/// Of matches to any target: with refills, and the next round, if they are reached.
fn kamisado_endings(endings: u32, seed: u64) -> Tally {
    check_endings::<Match, _>(endings, seed, 1, |rng| {
        loop {
            let plain = reference::Match::read(&drawn::line(rng));
            if !plain.is_deadlocked() {
                return plain;
            }
        }
    })
}

#[test]
fn what_is_proven_of_kamon_is_true() {
    let tally = kamon_endings(200, 8);
    assert!(tally.iter().all(|&count| count > 0), "won, drawn and lost endings: {tally:?}");
}

#[test]
fn what_is_proven_of_kamisado_is_true() {
    let tally = kamisado_endings(100, 9);
    assert!(tally[0] > 0 && tally[2] > 0, "won and lost endings: {tally:?}");
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored many_proofs`"]
fn many_proofs_are_true() {
    println!("Kamon, won, drawn, lost: {:?}", kamon_endings(20_000, 10));
    println!("Kamisado, won, drawn, lost: {:?}", kamisado_endings(20_000, 11));
}

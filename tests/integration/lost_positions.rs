//! Play in lost positions: the opponent gets no avoidable win at once, and may err later.
//!
//! A line of `tests/data/*-lost*.txt` is a position and, after `;safe`, the moves after which the
//! opponent cannot win the game at once. Forced moves that follow count as part of a move. Each
//! position has safe and unsafe moves.

use std::time::Duration;

use oshi::game::{Game, MoveList, Outcome, Searchable, Text};
use oshi::games::kamisado::{Match, Move};
use oshi::games::kamon::Kamon;
use oshi::search::{Clock, Control, Limits, MoveTime, Searcher, Settings};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::search::nodes;

const SIMPLE: &str = include_str!("../data/kamisado-lost.txt");
const MATCHES: &str = include_str!("../data/kamisado-lost-matches.txt");
const KAMON: &str = include_str!("../data/kamon-lost.txt");

/// The positions and safe moves of a file.
fn positions<G: Text>(file: &str) -> impl Iterator<Item = (G, Vec<G::Move>)> {
    file.lines().map(|line| {
        let mut fields = line.split(" ;");
        let position: G = fields.next().unwrap().parse().unwrap();
        let safe = fields.next().unwrap().strip_prefix("safe ").unwrap();
        (position, safe.split(' ').map(|mv| position.parse_move(mv).unwrap()).collect())
    })
}

fn settings(seed: u64) -> Settings {
    Settings { hash_mib: 16, seed, ..Settings::default() }
}

fn best_move<G: Searchable>(position: &G, limits: &Limits<G::Move>) -> G::Move {
    Searcher::new(settings(0))
        .run(position, limits, &Control::default(), &mut |_| ())
        .best_move()
        .unwrap()
}

/// Checks that the engine plays a safe move in every position of the file.
fn check<G: Searchable + Text>(file: &str, limits: &Limits<G::Move>) {
    let mut checked = 0;
    for (position, safe) in positions::<G>(file) {
        let mv = best_move(&position, limits);
        assert!(safe.contains(&mv), "{position}: {mv} with {limits:?}");
        checked += 1;
    }
    assert!(checked >= 100, "only {checked} positions");
}

#[test]
fn lost_simple_match_allows_no_avoidable_win_at_once() {
    for most in [1, 10, 50, 500, 2_000] {
        check::<Match>(SIMPLE, &nodes(most));
    }
}

#[test]
fn lost_match_allows_no_avoidable_win_at_once() {
    for most in [1, 50, 500, 2_000, 10_000] {
        check::<Match>(MATCHES, &nodes(most));
    }
}

#[test]
fn lost_game_of_kamon_allows_no_avoidable_win_at_once() {
    for most in [1, 50, 500, 2_000] {
        check::<Kamon>(KAMON, &nodes(most));
    }
}

#[test]
fn first_of_several_lines_allows_no_avoidable_win_at_once() {
    for lines in [3, 128] {
        check::<Match>(SIMPLE, &Limits { lines, ..nodes(500) });
        check::<Match>(MATCHES, &Limits { lines, ..nodes(500) });
        check::<Kamon>(KAMON, &Limits { lines, ..nodes(500) });
    }
}

#[test]
#[ignore = "depends on the clock; takes a minute"]
fn lost_position_on_a_clock_allows_no_avoidable_win_at_once() {
    let milliseconds = Duration::from_millis;
    let exactly = [20, 60, 200].map(|time| MoveTime::exactly(milliseconds(time)));
    let clock = Clock {
        remaining: milliseconds(300),
        increment: milliseconds(0),
        moves_to_go: None,
        moves_to_come: 8,
    };
    for time in exactly.into_iter().chain([MoveTime::from_clock(clock, milliseconds(10))]) {
        check::<Match>(SIMPLE, &Limits { time: Some(time), ..Limits::default() });
        check::<Match>(MATCHES, &Limits { time: Some(time), ..Limits::default() });
        check::<Kamon>(KAMON, &Limits { time: Some(time), ..Limits::default() });
    }
}

/// Returns a move that wins at once. Without one, it returns a random move that does not let the
/// opponent win at once, or any move.
fn greedy_move(position: &Match, rng: &mut ChaCha8Rng) -> Move {
    let after = |position: &Match, mv: Move| {
        let mut next = *position;
        next.play(mv);
        next
    };
    let wins = |position: &Match, mv: Move| {
        after(position, mv).outcome() == Some(Outcome::Win(position.turn()))
    };
    let can_win =
        |position: &Match| position.legal_moves().into_iter().any(|mv| wins(position, mv));
    let loses = |&mv: &Move| {
        let next = after(position, mv);
        let opponent = !position.turn();
        next.outcome() == Some(Outcome::Win(opponent)) || next.turn() == opponent && can_win(&next)
    };
    let moves = position.legal_moves();
    let winning = moves.iter().copied().find(|&mv| wins(position, mv));
    let safe: MoveList<Move> = moves.iter().copied().filter(|mv| !loses(mv)).collect();
    winning.or_else(|| safe.choose(rng).copied()).or_else(|| moves.choose(rng).copied()).unwrap()
}

/// Whether the player to move wins the game against the greedy player.
fn wins_against_greedy(start: &Match, limits: &Limits<Move>, seed: u64) -> bool {
    let player = start.turn();
    let mut searcher = Searcher::new(settings(seed));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = *start;
    while position.outcome().is_none() {
        let mv = if position.turn() == player {
            searcher.run(&position, limits, &Control::default(), &mut |_| ()).best_move().unwrap()
        } else {
            greedy_move(&position, &mut rng)
        };
        position.play(mv);
    }
    position.outcome() == Some(Outcome::Win(player))
}

/// Counts the games won from the first `count` positions, with three seeds each.
fn wins(count: usize, limits: &Limits<Move>) -> usize {
    let games = positions::<Match>(SIMPLE)
        .take(count)
        .flat_map(|(position, _)| (1..=3).map(move |seed| (position, seed)));
    games.filter(|(position, seed)| wins_against_greedy(position, limits, *seed)).count()
}

#[test]
#[ignore = "takes a minute; run with `cargo test --release -- --ignored --nocapture wins_no_fewer`"]
fn chosen_move_wins_no_fewer_games_than_the_longest_loss() {
    let [chosen, longest] = [1, 128].map(|lines| wins(200, &Limits { lines, ..nodes(20_000) }));
    println!("won of 600: {chosen} by the chosen moves, {longest} by the first line of 128");
    assert!(chosen >= longest, "{chosen} games won, {longest} by the longest loss");
}

//! Kamon: frequencies of results, solved positions, and games against plain UCT.

use std::collections::BTreeSet;
use std::time::Duration;

use oshi::game::{Game, Outcome, Player, Text};
use oshi::games::kamon::{Cell, Ending, Kamon};
use oshi::search::{Control, Limits, MoveTime, Report, Searcher, Settings, Value};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::search::{nodes, timeless};
use crate::support::uct;

#[test]
fn random_games_end_with_published_frequencies() {
    const GAMES: usize = 100_000;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut plies = 0;
    let mut endings = [0; 4];
    for _ in 0..GAMES {
        let mut position = Kamon::start().random_start(&mut rng);
        let mut length = 0;
        let ending = loop {
            if let Some(ending) = position.end() {
                break ending;
            }
            position.play(*position.legal_moves().choose(&mut rng).unwrap());
            length += 1;
        };
        assert!(length >= 11, "a game of {length} plies: {position}");
        plies += length;
        endings[match ending {
            Ending::Connection => 0,
            Ending::Block => 1,
            Ending::Loop => 2,
            Ending::Draw => 3,
        }] += 1;
    }
    let near = |what: &str, found: f64, expected: f64, tolerance: f64| {
        assert!(
            (found - expected).abs() <= tolerance,
            "{what}: {found}, expected {expected} ± {tolerance}"
        );
    };
    let percent = endings.map(|count| 100.0 * f64::from(count) / GAMES as f64);
    near("plies", f64::from(plies) / GAMES as f64, 29.5, 0.1);
    near("% connection", percent[0], 61.2, 0.5);
    near("% block", percent[1], 31.4, 0.5);
    near("% loop", percent[2], 7.0, 0.3);
    near("% draw", percent[3], 0.42, 0.1);
}

/// Plays a game against plain UCT with the same time per move. Returns the engine's points.
fn play_against_uct(layout: Kamon, engine: Player, time: Duration, rng: &mut ChaCha8Rng) -> f64 {
    let mut searcher = Searcher::new(Settings::default());
    let mut position = layout;
    while position.outcome().is_none() {
        let cell = if position.turn() == engine {
            let limits = Limits { time: Some(MoveTime::exactly(time)), ..Limits::default() };
            searcher.run(&position, &limits, &Control::default(), &mut |_| ()).best_move().unwrap()
        } else {
            uct::best_move(&position, time, rng)
        };
        position.play(cell);
    }
    match position.outcome() {
        Some(Outcome::Win(winner)) => f64::from(u8::from(winner == engine)),
        _ => 0.5,
    }
}

#[test]
#[ignore = "takes 20 minutes: 200 layouts, both colours, 100 ms a move"]
fn engine_scores_four_fifths_against_plain_uct() {
    const PAIRS: u32 = 200;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut points = 0.0;
    for _ in 0..PAIRS {
        let layout = Kamon::start().random_start(&mut rng);
        for engine in Player::ALL {
            points += play_against_uct(layout, engine, Duration::from_millis(100), &mut rng);
        }
    }
    let score = points / f64::from(2 * PAIRS);
    println!("score against plain UCT: {:.1} %", 100.0 * score);
    assert!(score >= 0.8, "{points} points of {}", 2 * PAIRS);
}

/// A line of `kamon-solved.txt`.
struct Solved {
    position: Kamon,
    plies: usize,
    value: &'static str,
    best_moves: Vec<&'static str>,
}

fn solved_positions() -> impl Iterator<Item = Solved> {
    include_str!("../data/kamon-solved.txt").lines().map(|line| {
        let mut fields = line.split(" ;");
        let position = fields.next().unwrap();
        let value = fields.next().unwrap();
        let best_moves = fields.next().unwrap().strip_prefix("bm ").unwrap();
        Solved {
            position: position.parse().unwrap(),
            plies: position.split(' ').nth(1).unwrap().matches(['b', 'w']).count(),
            value,
            best_moves: best_moves.split(' ').collect(),
        }
    })
}

fn search(position: &Kamon, limits: &Limits<Cell>) -> Report<Cell> {
    Searcher::new(Settings::default()).run(position, limits, &Control::default(), &mut |_| ())
}

impl Solved {
    fn is_best(&self, report: &Report<Cell>) -> bool {
        let cell = report.best_move().unwrap().to_string();
        self.best_moves.contains(&cell.as_str())
    }
}

#[test]
fn proves_solved_positions_from_ply_12() {
    for solved in solved_positions().filter(|solved| solved.plies >= 12) {
        let report = search(&solved.position, &Limits::default());
        let value = match report.lines[0].value {
            Value::Win(_) => "win",
            Value::Loss(_) => "loss",
            Value::Draw => "draw",
            Value::WinProbability(_) => "unknown",
        };
        assert_eq!(value, solved.value, "{}", solved.position);
        assert!(solved.is_best(&report), "{} {:?}", solved.position, report.best_move());
    }
}

#[test]
fn same_seed_and_nodes_repeat_the_search() {
    let limits = Limits { nodes: Some(20_000), lines: 3, ..Limits::default() };
    // Exact search evaluates leaves of the solved positions, but not of the start.
    let solved = solved_positions().map(|solved| solved.position).take(5);
    for position in std::iter::once(Kamon::start()).chain(solved) {
        let [first, second] = [(); 2].map(|()| timeless(search(&position, &limits)));
        assert_eq!(first, second);
    }
}

/// Random positions after 23 plies of a game that is not over.
fn late_positions(count: usize) -> impl Iterator<Item = Kamon> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let late = move || loop {
        let mut position = Kamon::start().random_start(&mut rng);
        for _ in 0..23 {
            match position.legal_moves().choose(&mut rng) {
                Some(&cell) => position.play(cell),
                None => break,
            }
        }
        if position.outcome().is_none() {
            return position;
        }
    };
    std::iter::repeat_with(late).take(count)
}

/// Value for Black by playing out all moves: 1, 0.5 or 0.
fn played_out(position: &Kamon) -> f64 {
    match position.outcome() {
        Some(Outcome::Win(Player::Black)) => return 1.0,
        Some(Outcome::Win(Player::White)) => return 0.0,
        Some(Outcome::Draw) => return 0.5,
        None => {}
    }
    let results = position.legal_moves().into_iter().map(|cell| {
        let mut next = *position;
        next.play(cell);
        played_out(&next)
    });
    match position.turn() {
        Player::Black => results.fold(0.0, f64::max),
        Player::White => results.fold(1.0, f64::min),
    }
}

#[test]
fn proves_late_positions_as_playing_out_does() {
    let mut draws = 0;
    for position in late_positions(400) {
        let value = match search(&position, &Limits::default()).lines[0].value {
            Value::Win(_) => 1.0,
            Value::Loss(_) => 0.0,
            Value::Draw => 0.5,
            Value::WinProbability(_) => panic!("not proven: {position}"),
        };
        let expected = match position.turn() {
            Player::Black => played_out(&position),
            Player::White => 1.0 - played_out(&position),
        };
        assert_eq!(value, expected, "{position}");
        draws += u32::from(expected == 0.5);
    }
    assert!(draws > 0, "expected some draws");
}

#[test]
fn finds_97_percent_of_best_moves_within_30_000_nodes() {
    let limits = nodes(30_000);
    let (found, all) = solved_positions().fold((0, 0), |(found, all), solved| {
        (found + u32::from(solved.is_best(&search(&solved.position, &limits))), all + 1)
    });
    assert_eq!(all, 150);
    assert!(found >= 146, "{found} of {all}");
}

#[test]
fn ending_names_each_kind_of_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut seen = BTreeSet::new();
    for _ in 0..5000 {
        let mut position = Kamon::start().random_start(&mut rng);
        while let Some(&cell) = position.legal_moves().choose(&mut rng) {
            position.play(cell);
        }
        assert_eq!(
            position.outcome() == Some(Outcome::Draw),
            position.ending() == "full board",
            "{position}"
        );
        seen.insert(position.ending());
    }
    assert!(seen.into_iter().eq(["block", "connection", "full board", "loop"]));
}

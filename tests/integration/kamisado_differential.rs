//! The library against the plain-arrays reference, ply by ply along random matches.

use std::collections::BTreeSet;

use oshi::game::{Game, Outcome, Player, Text};
use oshi::games::kamisado::{Match, PositionError};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::drawn;
use crate::support::reference::{self, Call, Side};

fn side(player: Player) -> Side {
    match player {
        Player::Black => Side::Black,
        Player::White => Side::White,
    }
}

/// Everything the rules can see of a position.
fn compare(library: &Match, reference: &reference::Match, moves: &[String]) {
    let line = reference.line();
    assert_eq!(library.to_string(), line);
    assert_eq!(side(library.turn()), reference.turn, "turn in {line}");
    assert_eq!(library.points().map(u32::from), reference.points, "points in {line}");
    assert_eq!(u32::from(library.target().points()), reference.target, "target in {line}");
    let winner = library.outcome().map(|outcome| match outcome {
        Outcome::Win(player) => side(player),
        Outcome::Draw => panic!("a draw in {line}"),
    });
    assert_eq!(winner, reference.winner(), "outcome in {line}");
    let call = match library.called() {
        Some(colour) => Call::Colour(colour.letter()),
        None if library.refill_due() => Call::Refill,
        None => Call::AnyTower,
    };
    assert_eq!(call, reference.call, "who is called in {line}");
    assert_eq!(
        library.is_free_choice(),
        call == Call::AnyTower && winner.is_none(),
        "free choice in {line}"
    );
    let mut expected = moves.to_vec();
    expected.sort_unstable();
    let mut found: Vec<String> = library.legal_moves().iter().map(ToString::to_string).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "legal moves in {line}");
    assert_eq!(library.count_legal_moves(), expected.len(), "number of moves in {line}");
}

/// What a ply was, so that a run can show that it met everything the rules know.
fn kind(before: &reference::Match, text: &str, after: &reference::Match) -> &'static str {
    match text {
        "left" | "right" => return "refill",
        "0000" => return "pass",
        _ => {}
    }
    let moved = before
        .towers()
        .iter()
        .filter(|(square, tower)| after.at(*square).map(|now| now.colour) != Some(tower.colour))
        .count();
    let round_lost = after.call == Call::Refill && after.turn != before.turn
        || after.winner() == Some(before.turn.opponent());
    match (moved, round_lost) {
        (1, false) if after.winner().is_some() => "match won",
        (1, false) if after.call == Call::Refill => "round won",
        (1, false) => "move",
        (1, true) => "deadlock by a move",
        (_, true) => "deadlock by an oshi",
        (2, false) => "oshi of one",
        (3, false) => "oshi of two",
        (4, false) => "oshi of three",
        _ => panic!("{moved} towers moved by {text} in {}", before.line()),
    }
}

/// Matches to these targets, `plies` plies in all; adds the kinds of plies that occurred to those `seen`.
fn compare_random_matches(
    targets: &[u32],
    plies: usize,
    seed: u64,
    seen: &mut BTreeSet<&'static str>,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut played = 0;
    while played < plies {
        let line = drawn::line_to(*targets.choose(&mut rng).unwrap(), &mut rng);
        let mut reference = reference::Match::read(&line);
        if reference.is_deadlocked() {
            assert_eq!(line.parse::<Match>(), Err(PositionError::Deadlock), "{line}");
            seen.insert("deadlocked line");
            continue;
        }
        let mut library: Match = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        loop {
            let moves = reference.legal_moves();
            compare(&library, &reference, &moves);
            let Some(text) = moves.choose(&mut rng) else { break };
            library.play(library.parse_move(text).unwrap());
            let next = reference.play(text);
            seen.insert(kind(&reference, text, &next));
            reference = next;
            played += 1;
        }
    }
}

/// Whether the matches met everything the rules know of matches to these targets.
fn assert_met_everything(targets: &[u32], seen: &BTreeSet<&'static str>) {
    let mut everything = BTreeSet::from([
        "deadlock by a move",
        "deadlock by an oshi",
        "deadlocked line",
        "match won",
        "move",
        "oshi of one",
        "oshi of three",
        "oshi of two",
        "pass",
        "refill",
    ]);
    // The first round that is won ends a simple match.
    if targets.iter().any(|&target| target > 1) {
        everything.insert("round won");
    }
    assert_eq!(*seen, everything);
}

/// Every kind of ply has to occur in so long a series of matches.
fn check_random_matches(targets: &[u32], plies: usize, seed: u64) {
    let mut seen = BTreeSet::new();
    compare_random_matches(targets, plies, seed, &mut seen);
    assert_met_everything(targets, &seen);
}

fn reference_perft(position: &reference::Match, depth: u32) -> u64 {
    let moves = position.legal_moves();
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|text| reference_perft(&position.play(text), depth - 1)).sum(),
    }
}

#[test]
fn the_reference_itself_has_the_published_counts() {
    for line in include_str!("../data/kamisado-perft.txt").lines().step_by(10) {
        let mut fields = line.split(" ;");
        let position = reference::Match::read(fields.next().unwrap());
        for (depth, field) in (1..).zip(fields.take(2)) {
            assert_eq!(format!("D{depth} {}", reference_perft(&position, depth)), field, "{line}");
        }
    }
}

#[test]
fn library_and_reference_agree() {
    check_random_matches(&reference::TARGETS, 300_000, 4);
}

#[test]
#[ignore = "takes many minutes; run with `cargo test --release -- --ignored agree_on_ten_million_plies`"]
fn library_and_reference_agree_on_ten_million_plies_of_the_simple_match() {
    check_random_matches(&[1], 10_000_000, 1);
}

#[test]
#[ignore = "takes many minutes; run with `cargo test --release -- --ignored agree_on_ten_million_plies`"]
fn library_and_reference_agree_on_ten_million_plies_of_the_standard_match() {
    check_random_matches(&[3], 10_000_000, 3);
}

#[test]
#[ignore = "takes many minutes; run with `cargo test --release -- --ignored agree_on_ten_million_plies`"]
fn library_and_reference_agree_on_ten_million_plies_of_the_long_match() {
    check_random_matches(&[7], 10_000_000, 7);
}

#[test]
#[ignore = "takes many minutes; run with `cargo test --release -- --ignored agree_on_ten_million_plies`"]
fn library_and_reference_agree_on_ten_million_plies_of_the_marathon_match() {
    check_random_matches(&[15], 10_000_000, 15);
}

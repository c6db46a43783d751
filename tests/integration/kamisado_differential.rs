//! The library compared with the reference implementation at every ply of random matches.

use std::collections::BTreeSet;

use oshi::game::{Game, Outcome, Player, Text};
use oshi::games::kamisado::{Match, PositionError};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::support::random_lines;
use crate::support::reference::{self, Call, Side};

fn side(player: Player) -> Side {
    match player {
        Player::Black => Side::Black,
        Player::White => Side::White,
    }
}

/// Compares the whole state and the legal moves.
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
    assert_eq!(call, reference.call, "called tower in {line}");
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

/// Kind of a ply, so that a run can show that every kind occurred.
fn kind_of_ply(before: &reference::Match, text: &str, after: &reference::Match) -> &'static str {
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

/// Plays random matches to these targets for `plies` plies in total, and adds the kinds of plies to
/// `seen`.
fn compare_random_matches(
    targets: &[u32],
    plies: usize,
    seed: u64,
    seen: &mut BTreeSet<&'static str>,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut played = 0;
    while played < plies {
        let line = random_lines::line_to(*targets.choose(&mut rng).unwrap(), &mut rng);
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
            seen.insert(kind_of_ply(&reference, text, &next));
            reference = next;
            played += 1;
        }
    }
}

/// Checks that every kind of ply possible with these targets occurred.
fn assert_saw_every_kind(targets: &[u32], seen: &BTreeSet<&'static str>) {
    let mut every_kind = BTreeSet::from([
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
    // In a simple match, winning a round wins the match.
    if targets.iter().any(|&target| target > 1) {
        every_kind.insert("round won");
    }
    assert_eq!(*seen, every_kind);
}

fn check_random_matches(targets: &[u32], plies: usize, seed: u64) {
    let mut seen = BTreeSet::new();
    compare_random_matches(targets, plies, seed, &mut seen);
    assert_saw_every_kind(targets, &seen);
}

fn reference_perft(position: &reference::Match, depth: u32) -> u64 {
    let moves = position.legal_moves();
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|text| reference_perft(&position.play(text), depth - 1)).sum(),
    }
}

#[test]
fn reference_has_published_leaf_counts() {
    for line in include_str!("../data/kamisado-perft.txt").lines().step_by(10) {
        let mut fields = line.split(" ;");
        let position = reference::Match::read(fields.next().unwrap());
        for (depth, field) in (1..).zip(fields.take(2)) {
            assert_eq!(format!("D{depth} {}", reference_perft(&position, depth)), field, "{line}");
        }
    }
}

#[test]
fn library_agrees_with_reference() {
    check_random_matches(&reference::TARGETS, 300_000, 4);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored agree_on_ten_million`"]
fn simple_matches_agree_on_ten_million_plies() {
    check_random_matches(&[1], 10_000_000, 1);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored agree_on_ten_million`"]
fn standard_matches_agree_on_ten_million_plies() {
    check_random_matches(&[3], 10_000_000, 3);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored agree_on_ten_million`"]
fn long_matches_agree_on_ten_million_plies() {
    check_random_matches(&[7], 10_000_000, 7);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored agree_on_ten_million`"]
fn marathon_matches_agree_on_ten_million_plies() {
    check_random_matches(&[15], 10_000_000, 15);
}

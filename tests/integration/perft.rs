//! Leaf counts (perft) of the data files, in lines `POSITION ;D1 n ;D2 n …`.

use std::cell::Cell;

use oshi::game::{Game, Text};
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::perft::{divide, perft};

pub fn check_file<G: Text>(text: &str) {
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut fields = line.split(';').map(str::trim);
        let text = fields.next().unwrap();
        let position: G = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.to_string(), text, "the position line is printed differently");
        for field in fields {
            let (depth, leaves) = field.strip_prefix('D').unwrap().split_once(' ').unwrap();
            let depth = depth.parse().unwrap();
            assert_eq!(perft(&position, depth).to_string(), leaves, "perft {depth} of {text}");
        }
        lines += 1;
    }
    assert!(lines > 0);
}

#[test]
fn kamisado_leaf_counts_are_exact() {
    check_file::<Match>(include_str!("../data/kamisado-perft.txt"));
}

#[test]
fn leaf_counts_of_every_layout_are_exact() {
    check_file::<Match>(include_str!("../data/kamisado-layouts.txt"));
}

#[test]
fn kamon_leaf_counts_are_exact() {
    check_file::<Kamon>(include_str!("../data/kamon-perft.txt"));
}

#[test]
fn simple_start_has_published_leaf_counts() {
    let start: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1".parse().unwrap();
    let published = [1, 102, 1_150, 11_182, 105_020, 900_982, 7_399_794, 56_182_538, 409_586_032];
    for (depth, leaves) in published.into_iter().enumerate() {
        assert_eq!(perft(&start, depth as u32), leaves, "depth {depth}");
    }
}

#[test]
fn divide_adds_up_to_perft() {
    let start: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1".parse().unwrap();
    let mut parts = Vec::new();
    let total = divide(&start, 5, || false, |mv, leaves| parts.push((mv, leaves)));
    assert_eq!(total, Some(perft(&start, 5)));
    assert!(
        parts.iter().map(|&(mv, _)| mv).eq(start.legal_moves()),
        "expected every move, in order"
    );
    for (mv, leaves) in parts {
        let mut next = start;
        next.play(mv);
        assert_eq!(leaves, perft(&next, 4), "{mv}");
    }
    assert_eq!(
        divide(&start, 0, || false, |mv, _| panic!("{mv} was reported at depth 0")),
        Some(1)
    );
}

#[test]
fn stopped_divide_reports_no_more_moves() {
    let start: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1".parse().unwrap();
    let reported = Cell::new(0);
    let total = divide(&start, 3, || reported.get() == 7, |_, _| reported.set(reported.get() + 1));
    assert_eq!((total, reported.get()), (None, 7));
    // Counting below a single move stops too. It would take hours.
    let polls = Cell::new(0);
    let is_stopped = || polls.replace(polls.get() + 1) == 100;
    assert_eq!(divide(&start, 20, is_stopped, |mv, _| panic!("{mv} was reported")), None);
}

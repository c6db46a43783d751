//! The files of leaf counts: `POSITION ;D1 n ;D2 n …`.

use oshi::game::Text;
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::perft::{divide, perft};

pub fn check_file<G: Text>(text: &str) {
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut fields = line.split(';').map(str::trim);
        let text = fields.next().unwrap();
        let position: G = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.to_string(), text, "the position line is printed as it was read");
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
fn kamisado_counts_are_exact() {
    check_file::<Match>(include_str!("../data/kamisado-perft.txt"));
}

#[test]
fn kamisado_counts_are_exact_in_every_layout() {
    check_file::<Match>(include_str!("../data/kamisado-layouts.txt"));
}

#[test]
fn kamon_counts_are_exact() {
    check_file::<Kamon>(include_str!("../data/kamon-perft.txt"));
}

#[test]
fn the_simple_start_has_the_published_counts() {
    let start: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1".parse().unwrap();
    let published = [1, 102, 1_150, 11_182, 105_020, 900_982, 7_399_794, 56_182_538, 409_586_032];
    for (depth, leaves) in published.into_iter().enumerate() {
        assert_eq!(perft(&start, depth as u32), leaves, "depth {depth}");
    }
}

#[test]
fn divide_adds_up_to_perft() {
    let start: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1".parse().unwrap();
    let parts = divide(&start, 4);
    assert_eq!(parts.len(), 102);
    assert_eq!(parts.iter().map(|(_, leaves)| leaves).sum::<u64>(), perft(&start, 4));
    assert!(divide(&start, 0).is_empty());
}

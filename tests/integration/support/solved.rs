//! Solved positions of `tests/data/`.

use std::fs;

use oshi::game::{Outcome, Text};

/// Positions of a file that took at most `max_nodes` nodes, with their results.
pub fn easy<G: Text>(file: &str, max_nodes: u64) -> Vec<(G, Outcome)> {
    let root = env!("CARGO_MANIFEST_DIR").split("/tools/").next().unwrap();
    let path = format!("{root}/tests/data/{file}");
    let text = fs::read_to_string(path).unwrap();
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(" ;").collect();
        let nodes: u64 = fields.last().unwrap().strip_prefix("nodes ").unwrap().parse().unwrap();
        let position: G = fields[0].parse().unwrap();
        let outcome = match fields[1] {
            "win" => Outcome::Win(position.turn()),
            "loss" => Outcome::Win(!position.turn()),
            _ => Outcome::Draw,
        };
        (nodes <= max_nodes).then_some((position, outcome))
    };
    text.lines().filter_map(read).collect()
}

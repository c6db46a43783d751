//! Perft leaves per second on one thread: `cargo bench --bench perft`.

use std::time::Instant;

use oshi::games::kamisado::{Match, Target};
use oshi::perft::perft;

fn main() {
    let start = Match::start(Target::Simple);
    for _ in 0..5 {
        let began = Instant::now();
        let leaves = perft(&start, 8);
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "kamisado simple start, depth 8: {leaves} leaves, {:.0} M leaves/s",
            leaves as f64 / seconds / 1e6
        );
    }
}

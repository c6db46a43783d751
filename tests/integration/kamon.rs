//! Random games of Kamon against figures that an independent implementation of the rules has made.

use oshi::game::Game;
use oshi::games::kamon::{Ending, Kamon};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

#[test]
fn random_games_end_as_often_in_each_way_as_published() {
    const GAMES: usize = 400_000;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut plies = 0;
    let mut endings = [0; 4];
    for _ in 0..GAMES {
        let mut position = Kamon::start().random_start(&mut rng);
        let mut length = 0;
        let ending = loop {
            if let Some(ending) = position.ending() {
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
        assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected} ± {tolerance}");
    };
    let percent = endings.map(|count| 100.0 * f64::from(count) / GAMES as f64);
    near("plies", f64::from(plies) / GAMES as f64, 29.5, 0.1);
    near("% connection", percent[0], 61.2, 0.5);
    near("% block", percent[1], 31.4, 0.5);
    near("% loop", percent[2], 7.0, 0.3);
    near("% draw", percent[3], 0.42, 0.1);
}

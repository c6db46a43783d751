//! Random games of Kamon per second on one thread: `cargo bench --bench random_games`.

use std::time::Instant;

use oshi::game::Game;
use oshi::games::kamon::Kamon;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const GAMES: u32 = 400_000;
/// Games on one layout before the next is drawn. A search also stays on one layout.
const GAMES_PER_LAYOUT: u32 = 100;

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..5 {
        let began = Instant::now();
        let mut plies = 0;
        let mut start = Kamon::start();
        for game in 0..GAMES {
            if game % GAMES_PER_LAYOUT == 0 {
                start = start.random_start(&mut rng);
            }
            let mut position = start;
            while let Some(&cell) = position.legal_moves().choose(&mut rng) {
                position.play(cell);
                plies += 1;
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{:.1} plies a game, {:.0} random games/s",
            f64::from(plies) / f64::from(GAMES),
            f64::from(GAMES) / seconds
        );
    }
}

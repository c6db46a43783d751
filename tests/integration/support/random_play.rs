//! Random games.

use oshi::game::Game;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Plays random moves until the game ends, but at most `plies`.
pub fn play_random<G: Game>(mut position: G, plies: u32, rng: &mut ChaCha8Rng) -> G {
    for _ in 0..plies {
        let Some(&mv) = position.legal_moves().choose(rng) else { break };
        position.play(mv);
    }
    position
}

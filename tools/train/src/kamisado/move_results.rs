//! Proven results of the moves of a position.

use oshi::game::Game;
use oshi::games::kamisado::Match;
use oshi::search::{Control, Limits, Searcher, Value};

/// For each move, whether the player to move wins with it, as far as a search of `nodes` proves.
pub fn prove_moves(
    searcher: &mut Searcher<Match>,
    position: &Match,
    nodes: u64,
) -> Vec<Option<bool>> {
    let moves = position.legal_moves();
    let limits = Limits { nodes: Some(nodes), lines: moves.len(), ..Limits::default() };
    let report = searcher.run(position, &limits, &Control::default(), &mut |_| ());
    let won = |mv| match report.lines.iter().find(|line| line.moves.first() == Some(mv))?.value {
        Value::Win(_) => Some(true),
        Value::Loss(_) => Some(false),
        _ => None,
    };
    moves.iter().map(won).collect()
}

/// Results as in samples: `1`, `0`, or `-` for unknown.
pub fn digits(results: &[Option<bool>]) -> String {
    results.iter().map(|won| won.map_or('-', |won| if won { '1' } else { '0' })).collect()
}

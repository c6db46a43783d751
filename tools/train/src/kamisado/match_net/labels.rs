//! Converts recorded matches to samples.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use oshi::game::{Game, RoundStage};
use oshi::games::kamisado::Match;
use oshi::search::{Searcher, Settings};

use crate::fitting::matches::{self, Ply, RecordedMatch};
use crate::kamisado::move_results::{digits, prove_moves};

/// Nodes for the results of the round after each move, about the knowledge of a search at an inner
/// node.
const NODES: u64 = 3_000;

/// Writes the samples of a tournament: all positions with a choice, unless the round decides the
/// match.
///
/// # Errors
///
/// If the folder cannot be read or stdout cannot be written.
pub fn label(tournament: &Path) -> anyhow::Result<()> {
    let mut rounds = Searcher::new(Settings::default());
    let mut written = Ok(());
    matches::read(tournament, |recorded| {
        if written.is_ok() {
            rounds.clear();
            written = write_match(&mut rounds, recorded);
        }
    })?;
    written
}

fn write_match(rounds: &mut Searcher<Match>, recorded: &RecordedMatch<'_>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for Ply { position, mv, reported } in recorded.plies() {
        let round = position.round();
        if position.count_legal_moves() > 1
            && round.stage != RoundStage::Between
            && !round.is_whole_game()
        {
            let winners = digits(&prove_moves(rounds, &round.contest, NODES));
            let won = u8::from(recorded.winner == position.turn());
            writeln!(out, "{winners} {mv} {reported:.3} {won} {position}")
                .context("cannot write")?;
        }
    }
    Ok(())
}

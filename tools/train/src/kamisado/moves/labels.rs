//! Recorded matches become lines: each position with the move that was played, what its player said, and who won.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use oshi::game::{Game, RoundStage};
use oshi::games::kamisado::Match;
use oshi::search::{Control, Limits, Searcher, Settings, Value};

use crate::fitting::matches::{self, Ply, RecordedMatch};

/// Nodes for who wins the round after each move: about what a search knows of a position that it meets on its way.
const NODES: u64 = 3_000;

/// Writes the positions of the matches in this folder in which more than the round decides and there is a choice.
pub fn label(tournament: &Path) -> anyhow::Result<()> {
    let mut rounds = Searcher::new(Settings::default());
    let mut written = Ok(());
    matches::read(tournament, matches::OF_SEVERAL_ROUNDS, |recorded| {
        if written.is_ok() {
            rounds.clear();
            written = write_match(&mut rounds, recorded);
        }
    })?;
    written
}

/// Writes the positions of one match.
fn write_match(rounds: &mut Searcher<Match>, recorded: &RecordedMatch<'_>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for Ply { position, mv, said } in recorded.plies() {
        let round = position.round();
        if position.count_legal_moves() > 1
            && round.stage != RoundStage::Between
            && !round.is_whole_game()
        {
            let winners = winners(rounds, &round.contest);
            let won = u8::from(recorded.winner == position.turn());
            writeln!(out, "{winners} {mv} {said:.3} {won} {position}").context("cannot write")?;
        }
    }
    Ok(())
}

/// For each move whether the player to move wins the round with it: `1`, `0`, or `-` where that is not known.
fn winners(rounds: &mut Searcher<Match>, contest: &Match) -> String {
    let moves = contest.legal_moves();
    let limits = Limits { nodes: Some(NODES), lines: moves.len(), ..Limits::default() };
    let report = rounds.run(contest, &limits, &Control::default(), &mut |_| ());
    let known = |mv| match report
        .lines
        .iter()
        .find(|line| line.moves.first() == Some(mv))
        .map(|line| line.value)
    {
        Some(Value::Win(_)) => '1',
        Some(Value::Loss(_)) => '0',
        _ => '-',
    };
    moves.iter().map(known).collect()
}

//! Recorded matches become lines: each position with the move that was played, what its player said, and who won.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use oshi::game::{Game, Player, RoundStage};
use oshi::games::Variant;
use oshi::games::kamisado::{Match, Target};
use oshi::runner::records::judge::Course;
use oshi::runner::records::record::{GameRecord, PlayedMove};
use oshi::runner::records::{audit, manifest};
use oshi::runner::statistics::reliability::chance_of_score;
use oshi::search::{Control, Limits, Searcher, Settings, Value};

/// Nodes for who wins the round after each move: about what a search knows of a position that it meets on its way.
const NODES: u64 = 3_000;

/// Writes the positions of the matches in this folder in which more than the round decides and there is a choice.
pub fn label(tournament: &Path) -> anyhow::Result<()> {
    let manifest = manifest::read(tournament)?;
    let target = match manifest.tournament.variant.0 {
        Variant::KamisadoStandard => Target::Standard,
        Variant::KamisadoLong => Target::Long,
        Variant::KamisadoMarathon => Target::Marathon,
        variant => anyhow::bail!("{}: {} has no matches of several rounds", tournament.display(), variant.title()),
    };
    let mut rounds = Searcher::new(Settings::default());
    let mut written = Ok(());
    audit::courses(tournament, &manifest, Match::start(target), |record, _, course| {
        if let (Ok(()), Some(winner)) = (&written, record.result.winner()) {
            rounds.clear();
            written = write_match(&mut rounds, record, course, winner);
        }
    })?;
    written
}

/// Writes the positions of one match.
fn write_match(rounds: &mut Searcher<Match>, record: &GameRecord, course: &Course<Match>, winner: Player) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut position = course.start;
    let (given, played) = course.moves.split_at(record.opening.moves.len());
    given.iter().for_each(|&mv| position.play(mv));
    for (&mv, PlayedMove { score, .. }) in played.iter().zip(&record.moves) {
        let round = position.round();
        if position.count_legal_moves() > 1 && round.stage != RoundStage::Between && !round.is_whole_game() {
            let winners = winners(rounds, &round.contest);
            let won = u8::from(winner == position.turn());
            // What is proven is told as no chance.
            let said = score.as_deref().and_then(chance_of_score).unwrap_or(won.into());
            writeln!(out, "{winners} {mv} {said:.3} {won} {position}").context("cannot write")?;
        }
        position.play(mv);
    }
    Ok(())
}

/// For each move whether the player to move wins the round with it: `1`, `0`, or `-` where that is not known.
fn winners(rounds: &mut Searcher<Match>, contest: &Match) -> String {
    let moves = contest.legal_moves();
    let limits = Limits { nodes: Some(NODES), lines: moves.len(), ..Limits::default() };
    let report = rounds.run(contest, &limits, &Control::default(), &mut |_| ());
    let known = |mv| match report.lines.iter().find(|line| line.moves.first() == Some(mv)).map(|line| line.value) {
        Some(Value::Win(_)) => '1',
        Some(Value::Loss(_)) => '0',
        _ => '-',
    };
    moves.iter().map(known).collect()
}

//! Recorded matches of several rounds, which teach what a match is worth.

use std::path::Path;

use oshi::game::{Game, Player};
use oshi::games::Variant;
use oshi::games::kamisado::{Match, Target};
use oshi::runner::records::judge::Course;
use oshi::runner::records::record::GameRecord;
use oshi::runner::records::{audit, manifest};
use oshi::runner::statistics::reliability::chance_of_score;

/// A match that somebody won.
pub struct RecordedMatch<'a> {
    pub record: &'a GameRecord,
    pub course: &'a Course<Match>,
    pub winner: Player,
}

/// A position of a match before a move that was no part of its opening.
pub struct Ply {
    pub position: Match,
    pub mv: <Match as Game>::Move,
    /// The chance of the player to move, as this player said; what is proven counts as what came true.
    pub said: f64,
}

impl RecordedMatch<'_> {
    /// The positions in which the players thought, in order.
    pub fn plies(&self) -> Vec<Ply> {
        let mut position = self.course.start;
        let (given, played) = self.course.moves.split_at(self.record.opening.moves.len());
        given.iter().for_each(|&mv| position.play(mv));
        let ply = |(&mv, score): (&_, Option<&str>)| {
            let before = position;
            position.play(mv);
            let won = f64::from(u8::from(self.winner == before.turn()));
            Ply { position: before, mv, said: score.and_then(chance_of_score).unwrap_or(won) }
        };
        played.iter().zip(self.record.moves.iter().map(|mv| mv.score.as_deref())).map(ply).collect()
    }
}

/// Shows the valid records of matches that were won in this folder.
///
/// # Errors
///
/// Says why the folder cannot be read, or that its games are none of several rounds.
pub fn read(tournament: &Path, mut visit: impl FnMut(&RecordedMatch<'_>)) -> anyhow::Result<()> {
    let manifest = manifest::read(tournament)?;
    let target = match manifest.tournament.variant.0 {
        Variant::KamisadoStandard => Target::Standard,
        Variant::KamisadoLong => Target::Long,
        Variant::KamisadoMarathon => Target::Marathon,
        variant => anyhow::bail!("{}: {} has no matches of several rounds", tournament.display(), variant.title()),
    };
    audit::courses(tournament, &manifest, Match::start(target), |record, _, course| {
        if let Some(winner) = record.result.winner() {
            visit(&RecordedMatch { record, course, winner });
        }
    })?;
    Ok(())
}

//! Recorded matches of Kamisado as training data.

use std::path::Path;

use basho::record::GameRecord;
use basho::records::validate::Course;
use basho::records::{load, manifest};
use basho::statistics::calibration::win_probability_of_score;
use oshi::game::{Game, Player};
use oshi::games::kamisado::{Match, Target};
use oshi::games::notation::Notation;

/// A match with a winner.
pub struct RecordedMatch<'a> {
    pub record: &'a GameRecord,
    pub course: &'a Course<Match>,
    pub winner: Player,
}

/// A move of a player, and the position before it.
pub struct Ply {
    pub position: Match,
    pub mv: <Match as Game>::Move,
    /// Win probability that the player reported, 0 to 1. If the score is proven or missing, the
    /// result of the match.
    pub reported: f64,
}

impl RecordedMatch<'_> {
    /// The moves of the players, without those of the opening.
    pub fn plies(&self) -> Vec<Ply> {
        let mut position = self.course.start;
        let (opening, played) = self.course.moves.split_at(self.record.opening.moves.len());
        opening.iter().for_each(|&mv| position.play(mv));
        let ply = |(&mv, score): (&_, Option<&str>)| {
            let before = position;
            position.play(mv);
            let won = f64::from(u8::from(self.winner == before.turn()));
            Ply {
                position: before,
                mv,
                reported: score.and_then(win_probability_of_score).unwrap_or(won),
            }
        };
        played.iter().zip(self.record.moves.iter().map(|mv| mv.score.as_deref())).map(ply).collect()
    }
}

/// Targets of matches of several rounds.
pub const MULTI_ROUND: [Target; 3] = [Target::Standard, Target::Long, Target::Marathon];

/// Visits the valid records with a winner in a tournament's folder.
///
/// # Errors
///
/// If the folder cannot be read, or its games are not matches of several rounds.
pub fn read(tournament: &Path, mut visit: impl FnMut(&RecordedMatch<'_>)) -> anyhow::Result<()> {
    let manifest = manifest::read(tournament)?;
    let variant = manifest.tournament.variant.0;
    let starts = MULTI_ROUND.map(Match::start);
    let Some(start) = starts.into_iter().find(|start| start.variant_name() == variant.name())
    else {
        anyhow::bail!(
            "{}: expected matches to {MULTI_ROUND:?}, found {}",
            tournament.display(),
            variant.title()
        );
    };
    load::courses(tournament, &manifest, start, |record, _, course| {
        if let Some(winner) = record.result.winner() {
            visit(&RecordedMatch { record, course, winner });
        }
    })?;
    Ok(())
}

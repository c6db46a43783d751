//! Recorded matches of Kamisado, which teach what positions are worth to those who play them.

use std::path::Path;

use basho::record::GameRecord;
use basho::records::validate::Course;
use basho::records::{load, manifest};
use basho::statistics::calibration::win_probability_of_score;
use oshi::game::{Game, Player};
use oshi::games::Variant;
use oshi::games::kamisado::{Match, Target};

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
            Ply {
                position: before,
                mv,
                said: score.and_then(win_probability_of_score).unwrap_or(won),
            }
        };
        played.iter().zip(self.record.moves.iter().map(|mv| mv.score.as_deref())).map(ply).collect()
    }
}

/// The targets of matches of several rounds.
pub const OF_SEVERAL_ROUNDS: &[Target] = &[Target::Standard, Target::Long, Target::Marathon];

/// Shows the valid records of matches to one of these targets that were won in this folder.
///
/// # Errors
///
/// Says why the folder cannot be read, or that its games are no such matches.
pub fn read(
    tournament: &Path,
    targets: &[Target],
    mut visit: impl FnMut(&RecordedMatch<'_>),
) -> anyhow::Result<()> {
    let manifest = manifest::read(tournament)?;
    let target = match manifest.tournament.variant.0 {
        Variant::KamisadoSimple => Some(Target::Simple),
        Variant::KamisadoStandard => Some(Target::Standard),
        Variant::KamisadoLong => Some(Target::Long),
        Variant::KamisadoMarathon => Some(Target::Marathon),
        Variant::Kamon => None,
    };
    let Some(target) = target.filter(|target| targets.contains(target)) else {
        anyhow::bail!(
            "{}: expected matches to {targets:?}, found {}",
            tournament.display(),
            manifest.tournament.variant.0.title()
        );
    };
    load::courses(tournament, &manifest, Match::start(target), |record, _, course| {
        if let Some(winner) = record.result.winner() {
            visit(&RecordedMatch { record, course, winner });
        }
    })?;
    Ok(())
}

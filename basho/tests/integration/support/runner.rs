//! What tests of the runner share: its program, and the games that it records.

use std::path::Path;
use std::process::{Command, Output};

use basho::record::{GameRecord, Reason};
use basho::records::journal;

pub const BASHO: &str = env!("CARGO_BIN_EXE_basho");

/// Plays a tournament into a folder.
pub fn basho(words: &[&str], into: &Path) -> Output {
    Command::new(BASHO).args(words).arg("--into").arg(into).output().unwrap()
}

/// The games of a folder that count, in order, without what differs from run to run: the time of each move.
pub fn games(dir: &Path) -> Vec<GameRecord> {
    let mut games = Vec::new();
    journal::read_games(dir, |mut game, _| {
        game.moves
            .iter_mut()
            .for_each(|played| (played.ms, played.overrun_ms, played.cpu_ms) = (None, None, None));
        if game.reason != Reason::Interrupted {
            games.push(game);
        }
        Ok(())
    })
    .unwrap();
    games.sort_by_key(|game| game.game);
    games
}

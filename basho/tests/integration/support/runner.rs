//! The program `basho`, its output, and the games that it records.

use std::path::Path;
use std::process::{Command, Output};

use basho::record::{GameRecord, Reason};
use basho::records::journal;

/// Path of the program.
pub const BASHO: &str = env!("CARGO_BIN_EXE_basho");

/// Splits a command line at spaces.
pub fn arguments(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Plays a tournament into a folder.
pub fn basho(words: &[&str], into: &Path) -> Output {
    Command::new(BASHO).args(words).arg("--into").arg(into).output().unwrap()
}

/// The standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All records of a folder, in the order of its lines.
pub fn records(dir: &Path) -> Vec<GameRecord> {
    let mut games = Vec::new();
    journal::read_lines(dir, |_, read| games.push(read.unwrap().0)).unwrap();
    games
}

/// The finished games of a folder in order, without the times of the moves, which differ from run
/// to run.
pub fn games(dir: &Path) -> Vec<GameRecord> {
    let mut games = records(dir);
    games.retain(|game| game.reason != Reason::Interrupted);
    for played in games.iter_mut().flat_map(|game| &mut game.moves) {
        (played.ms, played.overrun_ms, played.cpu_ms) = (None, None, None);
    }
    games.sort_by_key(|game| game.game);
    games
}

//! Every game played in a folder: its `games.jsonl`, one line a game.
//!
//! A line counts once its newline is written. Whenever the machine or the program dies, the lines before are complete, and half a
//! line at the end is dropped, so that its game is played again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::{GAMES, RecordError, open};
use super::record::GameRecord;
use crate::lines;

/// The most bytes of a line; a hundred times what the longest match needs.
pub const LONGEST_LINE: usize = 1 << 24;

/// Reads the games of a folder without checking them, which [`audit`](super::audit) does. Returns the bytes of complete lines.
///
/// # Errors
/// [`RecordError`] names the line that is not a game; or what `visit` returns.
pub fn read_games(dir: &Path, mut visit: impl FnMut(GameRecord, &str) -> Result<(), RecordError>) -> Result<u64, RecordError> {
    let mut result = Ok(());
    let whole = read_lines(dir, |line, read| {
        if result.is_ok() {
            result = match read {
                Ok((record, text)) => visit(record, text),
                Err(message) => Err(RecordError::Line { path: dir.join(GAMES), line, message }),
            };
        }
    })?;
    result.map(|()| whole)
}

/// Reads the games of a folder, one after the other: hands each with its text to `visit`, or what is wrong with its line, which is
/// counted from 1. Half a line at the end, left by a kill, is ignored. Returns the bytes of complete lines.
///
/// # Errors
/// [`RecordError`] if the file cannot be read.
pub fn read_lines(dir: &Path, mut visit: impl FnMut(usize, Result<(GameRecord, &str), String>)) -> Result<u64, RecordError> {
    let path = dir.join(GAMES);
    let mut reader = BufReader::with_capacity(READ_AHEAD, open(dir, &path)?);
    let (mut whole, mut line) = (0, Vec::new());
    for number in 1.. {
        let read = lines::read_line(&mut reader, &mut line, LONGEST_LINE).map_err(RecordError::io(&path))?;
        let Some(extent) = read.filter(|extent| extent.is_ended) else { break };
        visit(
            number,
            match std::str::from_utf8(&line) {
                _ if extent.is_too_long => Err(format!("longer than {LONGEST_LINE} bytes")),
                Ok(text) => GameRecord::read(text).map(|record| (record, text)),
                Err(error) => Err(error.to_string()),
            },
        );
        whole += extent.length;
    }
    Ok(whole)
}

/// In bytes; records are long.
const READ_AHEAD: usize = 1 << 16;

/// How long games may be in the operating system's cache only: a program that is killed loses none of them, a machine that loses
/// power at most these.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The open file of games; no other process can open it for writing at the same time.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

impl Journal {
    /// Opens the games of a folder to append to them, and locks out other processes. Half a line at the end must be [`cut`](Journal::cut)
    /// off first.
    ///
    /// # Errors
    /// [`RecordError::Locked`] if another process does the same; any other one if a file is at fault.
    pub fn open(dir: &Path) -> Result<Journal, RecordError> {
        let path = dir.join(GAMES);
        // Opening a pipe for writing might wait for ever.
        open(dir, &path)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(RecordError::io(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RecordError::Locked(dir.to_owned()),
            TryLockError::Error(source) => RecordError::Io { path: path.clone(), source },
        })?;
        Ok(Journal { path, file, synced: Instant::now() })
    }

    /// Cuts off everything after the first `whole` bytes, which are complete lines.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn cut(&self, whole: u64) -> Result<(), RecordError> {
        self.file.set_len(whole).map_err(RecordError::io(&self.path))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn append(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        let line = serde_json::to_string(record).map_err(io::Error::from).map_err(RecordError::io(&self.path))?;
        self.append_line(&line)
    }

    /// Appends a game that is a line already.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn append_line(&mut self, line: &str) -> Result<(), RecordError> {
        // One write per line, so that a kill leaves at most half a line.
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(RecordError::io(&self.path))?;
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Flushes all games to the disk.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(RecordError::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::runner::play::schedule::Shard;
    use crate::runner::records::manifest::{self, Manifest};
    use crate::runner::records::record::{OpeningRecord, PlayedMove, PlayerRecord, Reason, RecordFormat};
    use crate::sheet::GameScore;

    fn manifest_of(text: &str) -> Manifest {
        Manifest { shard: Shard::WHOLE, tournament: toml::from_str(text).unwrap(), programs: BTreeMap::new() }
    }

    fn player(name: &str) -> PlayerRecord {
        PlayerRecord { name: name.to_owned(), limit: String::new(), seed: 1, options: BTreeMap::new() }
    }

    fn record(game: u64) -> GameRecord {
        let overrun = PlayedMove {
            text: "a1a5".to_owned(),
            ms: 1.5,
            nodes: Some(7),
            score: None,
            overrun_ms: Some(0.5),
            cpu_ms: Some(0.25),
        };
        GameRecord {
            format: RecordFormat,
            game,
            pair: game.div_ceil(2),
            round: 1,
            black: player("a"),
            white: player("b"),
            opening: OpeningRecord { start: "startpos".to_owned(), moves: vec![] },
            moves: vec![overrun],
            result: GameScore::BlackWins,
            reason: Reason::Timeout,
            detail: "White loses on time".to_owned(),
            replayed: vec!["White loses on time; the machine stalled".to_owned()],
        }
    }

    fn numbers(dir: &Path) -> Vec<u64> {
        let mut numbers = Vec::new();
        read_games(dir, |record, _| {
            numbers.push(record.game);
            Ok(())
        })
        .unwrap();
        numbers
    }

    fn reopen(dir: &Path) -> Result<Journal, RecordError> {
        let journal = Journal::open(dir)?;
        journal.cut(read_games(dir, |_, _| Ok(()))?)?;
        Ok(journal)
    }

    fn new_folder() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("deep").join("run");
        manifest::create(&dir, &manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]")).unwrap();
        (temp, dir)
    }

    #[test]
    fn a_folder_gives_back_what_was_put_in() {
        let (_temp, dir) = new_folder();
        let mut journal = reopen(&dir).unwrap();
        journal.append(&record(1)).unwrap();
        journal.append(&record(2)).unwrap();
        let mut seen = Vec::new();
        read_games(&dir, |record, _| {
            seen.push(record);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [record(1), record(2)]);
        assert_eq!(manifest::read(&dir).unwrap().tournament.engines.len(), 2);
    }

    #[test]
    fn half_a_line_at_the_end_is_dropped_wherever_it_was_cut() {
        let (_temp, dir) = new_folder();
        let mut journal = reopen(&dir).unwrap();
        journal.append(&record(1)).unwrap();
        drop(journal);
        let games = dir.join(GAMES);
        let whole = std::fs::read(&games).unwrap();
        for cut in [1, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&games, [whole.as_slice(), &whole[..cut]].concat()).unwrap();
            assert_eq!(numbers(&dir), [1], "a report reads past it");
            let mut journal = reopen(&dir).unwrap();
            journal.append(&record(2)).unwrap();
            assert_eq!(numbers(&dir), [1, 2]);
        }
    }

    #[test]
    fn a_line_in_the_middle_that_is_no_game_is_named() {
        let (_temp, dir) = new_folder();
        let line = serde_json::to_string(&record(1)).unwrap();
        std::fs::write(dir.join(GAMES), format!("{line}\n{{\n{line}\n")).unwrap();
        let error = read_games(&dir, |_, _| Ok(())).unwrap_err().to_string();
        assert!(error.contains("games.jsonl:2: "), "{error}");
    }

    #[test]
    fn two_cannot_play_in_one_folder() {
        let (_temp, dir) = new_folder();
        let _journal = reopen(&dir).unwrap();
        assert!(matches!(reopen(&dir), Err(RecordError::Locked(_))));
    }
}

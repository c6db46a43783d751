//! The folder of a tournament: what it is (`tournament.toml`) and every game played (`games.jsonl`, one line a game).
//!
//! A line counts once its newline is written. Whatever moment the machine or the program dies at, the lines before are whole,
//! and half a line at the end is dropped, so that its game is played again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::config::Tournament;
use super::referee::{GameScore, PlayedMove, Reason};
use super::schedule::Shard;
use crate::lines;

/// What is played in a folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Which part of the tournament.
    pub shard: Shard,
    /// The tournament, resolved.
    pub tournament: Tournament,
    /// The SHA-256 of each engine's program, by the name of the engine: of the very files that it began with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
}

/// The format of a record, by its number: a line of a newer one is refused rather than misread. A line without a number is of
/// the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct RecordFormat;

impl RecordFormat {
    const NUMBER: u32 = 1;
}

impl TryFrom<u32> for RecordFormat {
    type Error = String;

    fn try_from(number: u32) -> Result<RecordFormat, String> {
        let refused = || format!("format {number}, which a newer basho writes; expected format {}", RecordFormat::NUMBER);
        (number == RecordFormat::NUMBER).then_some(RecordFormat).ok_or_else(refused)
    }
}

impl From<RecordFormat> for u32 {
    fn from(_: RecordFormat) -> u32 {
        RecordFormat::NUMBER
    }
}

/// One game as a line of `games.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// First in the line, so that it is read before what it may change.
    #[serde(default)]
    pub format: RecordFormat,
    /// Counted from 1 through the tournament.
    pub game: u64,
    /// Counted from 1: games 1 and 2 are pair 1.
    pub pair: u64,
    /// Counted from 1: all pairs of a round have the same opening.
    pub round: u64,
    /// Who opened.
    pub black: PlayerRecord,
    /// The other player.
    pub white: PlayerRecord,
    /// Where the game started.
    pub opening: OpeningRecord,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub result: GameScore,
    /// Why the game ended.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
    /// How the game ended before, each time that it was played again: losses that were nobody's doing at the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replayed: Vec<String>,
}

/// One player of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in the tournament.
    pub name: String,
    /// The limit of its thinking; empty for a built-in player.
    pub limit: String,
    /// The seed that it was given.
    pub seed: u64,
    /// The options that were set.
    pub options: BTreeMap<String, String>,
}

/// The opening of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningRecord {
    /// `startpos`, or the position line.
    pub start: String,
    /// The moves played from there before the players began.
    pub moves: Vec<String>,
}

/// What went wrong with a tournament's folder.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is something in the place of a new tournament.
    #[error("{0}: exists already; expected the name of a new folder (`basho resume` goes on with a tournament)")]
    Exists(PathBuf),
    /// The folder holds no tournament.
    #[error("{0}: no tournament there; expected a folder with tournament.toml and games.jsonl")]
    NoTournament(PathBuf),
    /// The manifest is damaged.
    #[error("{path}: {message}")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// Another process plays in the folder.
    #[error("{0}: another basho plays this tournament right now")]
    Locked(PathBuf),
    /// A line is no game.
    #[error("{path}:{line}: {message}; expected the record of a game")]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl RecordError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        let path = path.to_owned();
        move |source| RecordError::Io { path, source }
    }
}

const MANIFEST: &str = "tournament.toml";
pub(super) const GAMES: &str = "games.jsonl";
const OPENINGS: &str = "openings";

/// Makes the folder of a new tournament, whole or not at all. A file of openings is copied into it, so that the folder
/// alone says what is played; the manifest that is returned names the copy.
///
/// # Errors
/// [`RecordError`] names the file or folder at fault.
pub fn create(dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let exists = || RecordError::Exists(dir.to_owned());
    if dir.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(RecordError::io(parent))?;
    let draft = parent.join(format!(".{}.{}", dir.file_name().unwrap_or_default().to_string_lossy(), std::process::id()));
    // One that is there is left from a process that was killed, and had the same number.
    let _ = std::fs::remove_dir_all(&draft);
    std::fs::create_dir(&draft).map_err(RecordError::io(&draft))?;
    let made = fill(&draft, dir, manifest).and_then(|manifest| {
        std::fs::rename(&draft, dir).map(|()| manifest).map_err(|source| match source.kind() {
            // Someone else has made it meanwhile.
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => exists(),
            _ => RecordError::io(dir)(source),
        })
    });
    if made.is_err() {
        // What is left of the draft is of no use; that it cannot be removed is not worth a second message.
        let _ = std::fs::remove_dir_all(&draft);
    }
    made
}

fn fill(draft: &Path, dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let mut manifest = manifest.clone();
    if let Some(file) = &mut manifest.tournament.openings.file {
        // In a folder of its own, so that it can keep its name, which stands in reports.
        let name = file.file_name().unwrap_or_default().to_owned();
        std::fs::create_dir(draft.join(OPENINGS)).map_err(RecordError::io(draft))?;
        std::fs::copy(&*file, draft.join(OPENINGS).join(&name)).map_err(RecordError::io(file))?;
        *file = std::path::absolute(dir.join(OPENINGS).join(name)).map_err(RecordError::io(dir))?;
    }
    let path = draft.join(MANIFEST);
    let text =
        toml::to_string(&manifest).map_err(|error| RecordError::Manifest { path: path.clone(), message: error.to_string() })?;
    let write = |path: &Path, text: &str| {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write(&path, &text).map_err(RecordError::io(&path))?;
    let games = draft.join(GAMES);
    write(&games, "").map_err(RecordError::io(&games))?;
    Ok(manifest)
}

/// Reads what is played in a folder.
///
/// # Errors
/// [`RecordError`] names the file and what is wrong with it.
pub fn manifest(dir: &Path) -> Result<Manifest, RecordError> {
    let path = dir.join(MANIFEST);
    let text = io::read_to_string(open(dir, &path)?).map_err(RecordError::io(&path))?;
    let mut manifest: Manifest = toml::from_str(&text)
        .map_err(|error| RecordError::Manifest { path, message: error.to_string().trim_end().to_owned() })?;
    if let Some(file) = &mut manifest.tournament.openings.file {
        // The folder may have been moved since.
        *file = dir.join(OPENINGS).join(file.file_name().unwrap_or_default());
    }
    Ok(manifest)
}

/// No line of a file of games may be longer, in bytes; the longest match fits a hundred times over.
pub const LONGEST_LINE: usize = 1 << 24;

/// Reads the games of a folder as they stand, believing every one; whether they hold is asked by [`audit`](super::audit). Says how
/// many bytes of whole lines there are.
///
/// # Errors
/// [`RecordError`] names the line that is no game; what `visit` returns.
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
/// counted from 1. Half a line at the end, left by a kill, is passed over. Says how many bytes of whole lines there are.
///
/// # Errors
/// [`RecordError`] where the file cannot be read.
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
                Ok(text) => read_line(text).map(|record| (record, text)),
                Err(error) => Err(error.to_string()),
            },
        );
        whole += extent.length;
    }
    Ok(whole)
}

/// In bytes: records are long.
const READ_AHEAD: usize = 1 << 16;

/// Opens a file of a folder to read it.
fn open(dir: &Path, path: &Path) -> Result<File, RecordError> {
    lines::open_regular(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => RecordError::NoTournament(dir.to_owned()),
        _ => RecordError::Io { path: path.to_owned(), source },
    })
}

/// Reads one line of `games.jsonl`; what is wrong with it otherwise.
pub(super) fn read_line(text: &str) -> Result<GameRecord, String> {
    // The position in a text of one line needs no line number, least of all a second one beside that of the file.
    serde_json::from_str(text).map_err(|error| error.to_string().replace(" at line 1 column ", " at byte "))
}

/// How long games may be known to the operating system only: a program that is killed loses none of them, a machine that
/// loses power at most these.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The open file of games; no other process can open it for writing at the same time.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

impl Journal {
    /// Opens the games of a folder to append to them, and keeps others from it. Half a line at the end must be [`cut`](Journal::cut)
    /// off first.
    ///
    /// # Errors
    /// [`RecordError::Locked`] where another process does the same; any other one where a file is at fault.
    pub fn open(dir: &Path) -> Result<Journal, RecordError> {
        let path = dir.join(GAMES);
        // To open a pipe for writing might wait for ever.
        open(dir, &path)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(RecordError::io(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RecordError::Locked(dir.to_owned()),
            TryLockError::Error(source) => RecordError::Io { path: path.clone(), source },
        })?;
        Ok(Journal { path, file, synced: Instant::now() })
    }

    /// Cuts off what comes after so many bytes of whole lines.
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
        // One write a line, so that a kill leaves at most half a line.
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(RecordError::io(&self.path))?;
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Brings all games to the disk itself.
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
    use super::*;

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
            replayed: vec!["White loses on time; the machine stood still".to_owned()],
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
        create(&dir, &manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]")).unwrap();
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
        assert_eq!(manifest(&dir).unwrap().tournament.engines.len(), 2);
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

    #[test]
    fn a_folder_that_exists_or_cannot_be_made_is_refused_and_left_alone() {
        let (temp, dir) = new_folder();
        let manifest = manifest(&dir).unwrap();
        assert!(matches!(create(&dir, &manifest), Err(RecordError::Exists(_))));
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(create(&file.join("run"), &manifest), Err(RecordError::Io { .. })));
        assert!(matches!(super::manifest(temp.path()), Err(RecordError::NoTournament(_))));
    }

    #[test]
    fn openings_are_kept_with_the_games() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("mine.txt");
        std::fs::write(&file, "startpos\n").unwrap();
        let dir = temp.path().join("run");
        let mut asked = manifest_of("");
        asked.tournament.openings.file = Some(file.clone());
        let kept = create(&dir, &asked).unwrap().tournament.openings.file.unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(std::fs::read_to_string(kept).unwrap(), "startpos\n");
        let moved = temp.path().join("moved");
        std::fs::rename(&dir, &moved).unwrap();
        let found = manifest(&moved).unwrap().tournament.openings.file.unwrap();
        assert_eq!(found.file_name().unwrap(), "mine.txt");
        assert_eq!(std::fs::read_to_string(found).unwrap(), "startpos\n");
    }
}

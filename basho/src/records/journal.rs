//! The file of games, `games.jsonl`: one line per game.
//!
//! After a crash of program or machine, all lines but the last are complete. An incomplete last
//! line is dropped, and its game is played again. A last line without a newline counts if it is a
//! complete record, since a cut record is not valid JSON.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::{GAMES, RecordError, open};
use crate::record::{GameRecord, MAX_LINE_LENGTH};
use oshi::text::{Encoding, Lines};

/// Calls `visit` for each line that is not blank, with its number from 1 and either its record and
/// text, or an error message. [`load`](super::load) also validates the records.
///
/// An incomplete last line is ignored. Returns the number of bytes in complete lines.
///
/// # Errors
/// [`RecordError`] if the file cannot be read.
pub fn read_lines(
    dir: &Path,
    visit: impl FnMut(usize, Result<(GameRecord, &str), String>),
) -> Result<u64, RecordError> {
    let mut tail = JournalTail::new(dir);
    tail.read(visit)?;
    Ok(tail.whole)
}

/// Reads a file of games incrementally while another process appends to it.
#[derive(Debug)]
pub struct JournalTail {
    dir: PathBuf,
    /// The file read last. Keeping it open prevents its inode number from being reused.
    file: Option<File>,
    /// Number of bytes in complete lines read so far.
    whole: u64,
    /// Encoding of these lines.
    encoding: Encoding,
    lines: usize,
}

impl JournalTail {
    /// Starts before the first game of a folder.
    pub fn new(dir: &Path) -> JournalTail {
        JournalTail {
            dir: dir.to_owned(),
            file: None,
            whole: 0,
            encoding: Encoding::Utf8,
            lines: 0,
        }
    }

    /// Reads the lines added since the last call, as [`read_lines`] does.
    ///
    /// Returns false if the file was replaced or truncated.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be read.
    pub fn read(
        &mut self,
        mut visit: impl FnMut(usize, Result<(GameRecord, &str), String>),
    ) -> Result<bool, RecordError> {
        let path = self.dir.join(GAMES);
        let file = open(&self.dir, &path)?;
        if !self.continues_in(&file).map_err(RecordError::io(&path))? {
            return Ok(false);
        }
        (&file).seek(SeekFrom::Start(self.whole)).map_err(RecordError::io(&path))?;
        let mut lines = match self.whole {
            0 => Lines::of_journal(&file).map_err(RecordError::io(&path))?,
            _ => Lines::continued(BufReader::with_capacity(READ_AHEAD, &file), self.encoding),
        };
        self.encoding = lines.encoding();
        let mut line = Vec::new();
        while let Some(extent) =
            lines.read(&mut line, MAX_LINE_LENGTH).map_err(RecordError::io(&path))?
        {
            let read = match std::str::from_utf8(&line) {
                _ if extent.is_too_long => Err(format!("longer than {MAX_LINE_LENGTH} bytes")),
                Ok(text) => GameRecord::read(text).map(|record| (record, text)),
                Err(error) => Err(error.to_string()),
            };
            if !extent.is_ended && read.is_err() {
                break;
            }
            self.lines += 1;
            self.whole += extent.length;
            if !line.trim_ascii().is_empty() {
                visit(self.lines, read);
            }
        }
        self.file = Some(file);
        Ok(true)
    }

    /// Whether this is the same file as before, and no shorter than the part already read.
    fn continues_in(&self, file: &File) -> io::Result<bool> {
        let Some(before) = &self.file else { return Ok(true) };
        let (before, now) = (before.metadata()?, file.metadata()?);
        Ok(is_same(&before, &now) && now.len() >= self.whole)
    }
}

/// Whether both describe the same file.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Buffer size in bytes; records are long.
const READ_AHEAD: usize = 1 << 16;

/// Maximum time that games stay only in the system's cache. A killed program loses none of them; a
/// power failure loses these at most.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Creates an empty file of games unless one exists.
///
/// # Errors
/// [`RecordError::Io`].
pub fn make_if_missing(dir: &Path) -> Result<(), RecordError> {
    let path = dir.join(GAMES);
    match File::create_new(&path) {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
            Err(RecordError::io(&path)(source))
        }
        _ => Ok(()),
    }
}

/// The file of games, locked for appending.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

impl Journal {
    /// Opens the file of games and locks out other processes.
    ///
    /// [`cut`](Journal::cut) must remove an incomplete last line before the first append.
    ///
    /// # Errors
    /// [`RecordError::Locked`] if another process holds the lock, [`RecordError::Encoding`] if the
    /// file is not UTF-8, another [`RecordError`] if it cannot be opened.
    pub fn open(dir: &Path) -> Result<Journal, RecordError> {
        let path = dir.join(GAMES);
        // Opening a pipe for writing might wait forever.
        let encoding =
            Lines::of_journal(open(dir, &path)?).map_err(RecordError::io(&path))?.encoding();
        if encoding != Encoding::Utf8 {
            return Err(RecordError::Encoding { path, encoding });
        }
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(&path)
            .map_err(RecordError::io(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RecordError::Locked(dir.to_owned()),
            TryLockError::Error(source) => RecordError::Io { path: path.clone(), source },
        })?;
        Ok(Journal { path, file, synced: Instant::now() })
    }

    /// Truncates the file to its first `whole` bytes, which are complete lines, and ends the last
    /// line.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn cut(&self, whole: u64) -> Result<(), RecordError> {
        self.cut_file(whole).map_err(RecordError::io(&self.path))
    }

    fn cut_file(&self, whole: u64) -> io::Result<()> {
        let mut file = &self.file;
        file.set_len(whole)?;
        let Some(last) = whole.checked_sub(1) else { return Ok(()) };
        let mut end = [0];
        file.seek(SeekFrom::Start(last))?;
        file.read_exact(&mut end)?;
        if end == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
    }

    /// Appends a game.
    ///
    /// # Errors
    /// Those of [`append_line`](Journal::append_line).
    pub fn append(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        let line = serde_json::to_string(record)
            .map_err(io::Error::from)
            .map_err(RecordError::io(&self.path))?;
        self.append_line(&line)
    }

    /// Appends a game that is already a line.
    ///
    /// # Errors
    /// [`RecordError::Lost`] if the file is no longer in its folder; [`RecordError::Io`].
    pub fn append_line(&mut self, line: &str) -> Result<(), RecordError> {
        // A single write, so that a kill leaves at most an incomplete last line.
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(RecordError::io(&self.path))?;
        self.expect_in_place()?;
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Flushes all games to the disk.
    ///
    /// # Errors
    /// [`RecordError::Lost`] if the file is no longer in its folder; [`RecordError::Io`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(RecordError::io(&self.path))?;
        self.expect_in_place()
    }

    /// Checks that the file still has its name: writes to a removed file would be lost.
    fn expect_in_place(&self) -> Result<(), RecordError> {
        let ours = self.file.metadata().map_err(RecordError::io(&self.path))?;
        match fs::metadata(&self.path) {
            Ok(there) if is_same(&ours, &there) => Ok(()),
            Err(source)
                if !matches!(
                    source.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Err(RecordError::io(&self.path)(source))
            }
            _ => Err(RecordError::Lost(self.path.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{first_game, played};
    use crate::record::{PlayedMove, Reason};
    use crate::records::manifest::{self, Manifest};
    use crate::shard::Shard;
    use crate::sheet::GameScore;

    fn manifest_of(text: &str) -> Manifest {
        Manifest::new(Shard::WHOLE, toml::from_str(text).unwrap())
    }

    fn record(game: u64) -> GameRecord {
        let overrun = PlayedMove {
            nodes: Some(7),
            overrun_ms: Some(0.5),
            cpu_ms: Some(0.25),
            ..played("a1a5")
        };
        GameRecord {
            game,
            pair: game.div_ceil(2),
            moves: vec![overrun],
            reason: Reason::Timeout,
            detail: "White loses on time".to_owned(),
            replayed: vec!["White loses on time; the machine stalled".to_owned()],
            ..first_game(GameScore::BlackWins)
        }
    }

    fn records(dir: &Path) -> Vec<GameRecord> {
        let mut records = Vec::new();
        read_lines(dir, |_, read| records.push(read.unwrap().0)).unwrap();
        records
    }

    fn numbers(dir: &Path) -> Vec<u64> {
        records(dir).iter().map(|record| record.game).collect()
    }

    fn reopen(dir: &Path) -> Result<Journal, RecordError> {
        let journal = Journal::open(dir)?;
        journal.cut(read_lines(dir, |_, read| drop(read.unwrap()))?)?;
        Ok(journal)
    }

    fn new_folder() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("deep").join("run");
        manifest::create(
            &dir,
            &manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]"),
        )
        .unwrap();
        (temp, dir)
    }

    #[test]
    fn reads_back_appended_games() {
        let (_temp, dir) = new_folder();
        let mut journal = reopen(&dir).unwrap();
        journal.append(&record(1)).unwrap();
        journal.append(&record(2)).unwrap();
        assert_eq!(records(&dir), [record(1), record(2)]);
        assert_eq!(manifest::read(&dir).unwrap().tournament.engines.len(), 2);
    }

    #[test]
    fn drops_incomplete_last_line() {
        let (_temp, dir) = new_folder();
        let mut journal = reopen(&dir).unwrap();
        journal.append(&record(1)).unwrap();
        drop(journal);
        let games = dir.join(GAMES);
        let whole = std::fs::read(&games).unwrap();
        for cut in [1, whole.len() / 2, whole.len() - 2] {
            std::fs::write(&games, [whole.as_slice(), &whole[..cut]].concat()).unwrap();
            assert_eq!(numbers(&dir), [1], "a report reads past it");
            let mut journal = reopen(&dir).unwrap();
            journal.append(&record(2)).unwrap();
            assert_eq!(numbers(&dir), [1, 2]);
        }
    }

    /// Variants of a file of games as tools rewrite it: byte order marks, line ends, encodings,
    /// blank lines.
    fn touched(games: &str) -> Vec<Vec<u8>> {
        let texts = [
            games.to_owned(),
            games.replace('\n', "\r\n"),
            games.replace('\n', "\r"),
            games.trim_end().to_owned(),
            games.replace('\n', "\n\n"),
        ];
        let utf16 = |text: &str| format!("\u{feff}{text}").encode_utf16().collect::<Vec<u16>>();
        let variants = texts.iter().flat_map(|text| {
            [
                text.clone().into_bytes(),
                format!("\u{feff}{text}").into_bytes(),
                utf16(text).into_iter().flat_map(u16::to_le_bytes).collect(),
                utf16(text).into_iter().flat_map(u16::to_be_bytes).collect(),
                text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            ]
        });
        variants.collect()
    }

    #[test]
    fn keeps_all_games_of_a_file_that_a_tool_has_touched() {
        let (_temp, dir) = new_folder();
        let lines =
            [1, 2].map(|game| serde_json::to_string(&record(game)).unwrap() + "\n").concat();
        for bytes in touched(&lines) {
            let encoding = Lines::new(&*bytes).unwrap().encoding();
            std::fs::write(dir.join(GAMES), &bytes).unwrap();
            assert_eq!(numbers(&dir), [1, 2]);
            let mut tail = JournalTail::new(&dir);
            tail.read(|_, read| drop(read.unwrap())).unwrap();
            if encoding == Encoding::Utf8 {
                reopen(&dir).unwrap().append(&record(3)).unwrap();
                assert_eq!(numbers(&dir), [1, 2, 3]);
                let mut added = Vec::new();
                tail.read(|_, read| added.push(read.unwrap().0.game)).unwrap();
                assert_eq!(added, [3]);
                assert!(
                    std::fs::read(dir.join(GAMES)).unwrap().starts_with(bytes.trim_ascii_end())
                );
            } else {
                let error = reopen(&dir).unwrap_err().to_string();
                assert!(
                    error.contains("games.jsonl: UTF-16; expected UTF-8 to append games"),
                    "{error}"
                );
                assert_eq!(std::fs::read(dir.join(GAMES)).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn tail_reads_growth_once_and_notices_replacement() {
        let (_temp, dir) = new_folder();
        let games = dir.join(GAMES);
        let [first, second] =
            [1, 2].map(|game| serde_json::to_string(&record(game)).unwrap() + "\n");
        let (half, rest) = second.split_at(second.len() / 2);
        let mut tail = JournalTail::new(&dir);
        let mut read = |more: &str| {
            OpenOptions::new()
                .append(true)
                .open(&games)
                .unwrap()
                .write_all(more.as_bytes())
                .unwrap();
            let mut seen = Vec::new();
            let is_same = tail.read(|line, read| seen.push((line, read.unwrap().0.game))).unwrap();
            (is_same, seen)
        };
        assert_eq!(read(&first), (true, vec![(1, 1)]));
        assert_eq!(read(half), (true, vec![]));
        assert_eq!(read(rest), (true, vec![(2, 2)]));
        assert_eq!(read(""), (true, vec![]));
        let kept = std::fs::read(&games).unwrap();
        std::fs::remove_file(&games).unwrap();
        std::fs::write(&games, [&kept[..], &kept[..]].concat()).unwrap();
        assert_eq!(read(""), (false, vec![]), "another file");
        std::fs::write(&games, &kept).unwrap();
        let mut tail = JournalTail::new(&dir);
        tail.read(|_, _| ()).unwrap();
        File::options().write(true).open(&games).unwrap().set_len(first.len() as u64).unwrap();
        assert!(!tail.read(|_, _| ()).unwrap(), "less of it");
    }

    #[test]
    fn names_invalid_line() {
        let (_temp, dir) = new_folder();
        let line = serde_json::to_string(&record(1)).unwrap();
        std::fs::write(dir.join(GAMES), format!("{line}\n{{\n{line}\n")).unwrap();
        let mut invalid = Vec::new();
        read_lines(&dir, |line, read| invalid.extend(read.is_err().then_some(line))).unwrap();
        assert_eq!(invalid, [2]);
    }

    #[test]
    fn second_process_is_locked_out() {
        let (_temp, dir) = new_folder();
        let _journal = reopen(&dir).unwrap();
        assert!(matches!(reopen(&dir), Err(RecordError::Locked(_))));
    }
}

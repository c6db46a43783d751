//! What a proof search knows, in a file: whatever happens to the program, a whole one is there.
//!
//! Lines of text first, then entries of the table, 16 bytes each, then the SHA-256 of all before:
//!
//! ```text
//! oshi checkpoint 1
//! keys 6a09e667f3bcc908
//! expansions 123456
//! seconds 12
//! positions 1
//! OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1
//! entries 1000
//! ```

use std::fmt::{self, Display};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::HumanCount;
use oshi::games::notation::Notation;
use oshi::search::Solver;
use sha2::{Digest, Sha256};

use crate::files::{FileError, read, replace};

/// A checkpoint's place, and what it is about.
pub struct Checkpoint {
    path: PathBuf,
    /// The header up to what changes: format, keys and positions.
    about: About,
    most_entries: usize,
}

/// What a checkpoint is about.
#[derive(PartialEq, Eq)]
struct About {
    keys: u64,
    positions: Vec<String>,
}

/// What a proof has cost.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub expansions: u64,
    time: Duration,
}

/// What was read.
pub struct Kept {
    pub spent: Spent,
    pub knowledge: Vec<[u64; 2]>,
}

const FIRST_LINE: &str = "oshi checkpoint 1";
const ENTRY: usize = size_of::<[u64; 2]>();
const SUM: usize = 32;

impl Checkpoint {
    /// The checkpoint of a run that solves these positions of one game, of about `bytes` at most.
    pub fn new<G: Notation>(path: &Path, positions: &[G], bytes: usize) -> Checkpoint {
        let keys = positions.first().map_or(0, Solver::key_scheme);
        let about = About { keys, positions: positions.iter().map(G::to_string).collect() };
        Checkpoint { path: path.to_owned(), about, most_entries: (bytes / ENTRY).max(1) }
    }

    /// Puts what the solver knows in the place of what was there.
    pub fn write(&self, solver: &Solver, spent: Spent) -> Result<(), FileError> {
        let knowledge = solver.export(self.most_entries);
        let mut bytes = self.header(spent, knowledge.len()).into_bytes();
        bytes.extend(knowledge.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes.extend_from_slice(&Sha256::digest(&bytes));
        replace(&self.path, &bytes)
    }

    /// What was kept; nothing where there is no file.
    pub fn read(&self) -> Result<Option<Kept>, FileError> {
        match read(&self.path) {
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            bytes => self.parse(&bytes?).map(Some),
        }
    }

    fn header(&self, spent: Spent, entries: usize) -> String {
        let About { keys, positions } = &self.about;
        let Spent { expansions, time } = spent;
        let count = positions.len();
        let positions = positions.join("\n");
        let seconds = time.as_secs();
        format!(
            "{FIRST_LINE}\nkeys {keys:016x}\nexpansions {expansions}\nseconds {seconds}\npositions {count}\n{positions}\nentries {entries}\n"
        )
    }

    fn parse(&self, bytes: &[u8]) -> Result<Kept, FileError> {
        let mut lines = Lines { path: &self.path, rest: bytes, line: 0 };
        lines.expect(FIRST_LINE)?;
        let (keys, expected_keys) = (lines.next(), format!("keys {:016x}", self.about.keys));
        let keys_line = lines.line;
        let expansions = lines.number("expansions")?;
        let time = Duration::from_secs(lines.number("seconds")?);
        lines.expect(&format!("positions {}", self.about.positions.len()))?;
        self.about.positions.iter().try_for_each(|position| lines.expect(position))?;
        // After them, since other positions have other keys.
        if keys != expected_keys {
            return Err(FileError::line(&self.path, keys_line, &expected_keys, &keys));
        }
        let entries = lines.number("entries")?;
        let expected = usize::try_from(entries)
            .unwrap_or(usize::MAX)
            .saturating_mul(ENTRY)
            .saturating_add(SUM);
        let path = || self.path.clone();
        if lines.rest.len() != expected {
            let header = bytes.len() - lines.rest.len();
            return Err(FileError::Length {
                path: path(),
                expected: expected.saturating_add(header),
                found: bytes.len(),
            });
        }
        let (contents, sum) = bytes.split_at(bytes.len() - SUM);
        if Sha256::digest(contents)[..] != *sum {
            return Err(FileError::Sum { path: path() });
        }
        let (words, _) = lines.rest[..expected - SUM].as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        let knowledge = pairs.iter().map(|pair| pair.map(u64::from_le_bytes)).collect();
        Ok(Kept { spent: Spent { expansions, time }, knowledge })
    }
}

/// The lines of a header.
struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    line: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> String {
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        self.line += 1;
        String::from_utf8_lossy(line).into_owned()
    }

    fn expect(&mut self, expected: &str) -> Result<(), FileError> {
        let found = self.next();
        if found == expected { Ok(()) } else { Err(self.refused(expected, &found)) }
    }

    fn number(&mut self, word: &str) -> Result<u64, FileError> {
        let found = self.next();
        let number = found.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')?.parse().ok());
        number.ok_or_else(|| self.refused(&format!("{word} NUMBER"), &found))
    }

    fn refused(&self, expected: &str, found: &str) -> FileError {
        FileError::line(self.path, self.line, expected, found)
    }
}

impl Spent {
    /// This and so much more.
    pub fn and(self, expansions: u64, time: Duration) -> Spent {
        Spent { expansions: self.expansions + expansions, time: self.time + time }
    }
}

impl Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spent { expansions, time } = self;
        write!(f, "{} expansions in {:.1} s", HumanCount(*expansions), time.as_secs_f64())
    }
}

//! Checkpoints: the most expensive entries of the solver's table in a file.
//!
//! Text lines come first, then table entries of 16 bytes each, then the SHA-256 of everything
//! before it:
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
use oshi::solver::Solver;
use sha2::{Digest, Sha256};

use crate::files::{FileError, read, replace};

/// A checkpoint file of one proof.
pub struct Checkpoint {
    path: PathBuf,
    proof: ProofId,
    max_entries: usize,
}

/// Header fields that identify a proof.
#[derive(PartialEq, Eq)]
struct ProofId {
    /// Fingerprint of the table's keys, see [`Solver::key_scheme`].
    keys: u64,
    positions: Vec<String>,
}

/// Work of a proof, over all runs.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub expansions: u64,
    time: Duration,
}

/// Contents of a checkpoint.
pub struct Contents {
    pub cost: Cost,
    pub entries: Vec<[u64; 2]>,
}

const FIRST_LINE: &str = "oshi checkpoint 1";
const ENTRY: usize = size_of::<[u64; 2]>();
const SUM: usize = 32;

impl Checkpoint {
    /// The checkpoint of a run that solves these positions of one game, limited to about `bytes`.
    pub fn new<G: Notation>(path: &Path, positions: &[G], bytes: usize) -> Checkpoint {
        let keys = positions.first().map_or(0, Solver::key_scheme);
        let proof = ProofId { keys, positions: positions.iter().map(G::to_string).collect() };
        Checkpoint { path: path.to_owned(), proof, max_entries: (bytes / ENTRY).max(1) }
    }

    /// Replaces the file by the present contents of the table.
    pub fn write(&self, solver: &Solver, cost: Cost) -> Result<(), FileError> {
        let entries = solver.export(self.max_entries);
        let mut bytes = self.header(cost, entries.len()).into_bytes();
        bytes.extend(entries.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes.extend_from_slice(&Sha256::digest(&bytes));
        replace(&self.path, &bytes)
    }

    /// Reads the file, or returns `None` if it does not exist.
    pub fn read(&self) -> Result<Option<Contents>, FileError> {
        match read(&self.path) {
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            bytes => self.parse(&bytes?).map(Some),
        }
    }

    fn header(&self, cost: Cost, entries: usize) -> String {
        let ProofId { keys, positions } = &self.proof;
        let Cost { expansions, time } = cost;
        let count = positions.len();
        let positions = positions.join("\n");
        let seconds = time.as_secs();
        format!(
            "{FIRST_LINE}\nkeys {keys:016x}\nexpansions {expansions}\nseconds {seconds}\n\
             positions {count}\n{positions}\nentries {entries}\n"
        )
    }

    fn parse(&self, bytes: &[u8]) -> Result<Contents, FileError> {
        let mut lines = Lines { path: &self.path, rest: bytes, line: 0 };
        lines.expect(FIRST_LINE)?;
        let (keys, expected_keys) = (lines.next(), format!("keys {:016x}", self.proof.keys));
        let keys_line = lines.line;
        let expansions = lines.number("expansions")?;
        let time = Duration::from_secs(lines.number("seconds")?);
        lines.expect(&format!("positions {}", self.proof.positions.len()))?;
        self.proof.positions.iter().try_for_each(|position| lines.expect(position))?;
        // Other positions may have other keys, and their lines make the clearer message.
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
            return Err(FileError::Checksum { path: path() });
        }
        let (words, _) = lines.rest[..expected - SUM].as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        let entries = pairs.iter().map(|pair| pair.map(u64::from_le_bytes)).collect();
        Ok(Contents { cost: Cost { expansions, time }, entries })
    }
}

/// Reader of the header.
struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    /// Number of the line read last, from 1.
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
        if found == expected { Ok(()) } else { Err(self.error(expected, &found)) }
    }

    fn number(&mut self, word: &str) -> Result<u64, FileError> {
        let found = self.next();
        let number = found.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')?.parse().ok());
        number.ok_or_else(|| self.error(&format!("{word} NUMBER"), &found))
    }

    fn error(&self, expected: &str, found: &str) -> FileError {
        FileError::line(self.path, self.line, expected, found)
    }
}

impl Cost {
    /// Adds the work of one run.
    pub fn plus(self, expansions: u64, time: Duration) -> Cost {
        Cost { expansions: self.expansions + expansions, time: self.time + time }
    }
}

impl Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { expansions, time } = self;
        write!(f, "{} expansions in {:.1} s", HumanCount(*expansions), time.as_secs_f64())
    }
}

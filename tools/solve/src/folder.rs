//! A frontier in a folder, with the answers of all processes:
//!
//! | file | contents |
//! |---|---|
//! | `frontier.txt` | the graph of positions, written once |
//! | `answers-NAME.txt` | `win PLAYER POSITION` or `draw PLAYER POSITION` on each line |
//! | `I-of-N.checkpoint` | checkpoint of a shard at its current position |
//!
//! An answer has the form of a certificate's claim.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use basho::shard::Shard;
use oshi::game::{Player, Searchable};
use oshi::games::notation::Notation;
use oshi::solver::Objective;
use sha2::{Digest, Sha256};

use crate::files::{FileError, open_locked, read, replace};
use crate::frontier::Frontier;

pub struct Folder {
    path: PathBuf,
}

const FIRST_LINE: &str = "oshi frontier 2";

/// First word of the frontier's last line, before the SHA-256 of all lines above it.
const CHECKSUM: &str = "sha256";

/// `NAME` of the answers that `--split` finds.
const SPLIT: &str = "split";

/// Answers of one process, in a file that it has locked.
pub struct Answers {
    path: PathBuf,
    file: File,
}

/// Returns `I-of-N`, part of file names.
pub fn shard_name(shard: Shard) -> String {
    format!("{}-of-{}", shard.index(), shard.count())
}

impl Folder {
    pub fn new(path: &Path) -> Folder {
        Folder { path: path.to_owned() }
    }

    fn frontier(&self) -> PathBuf {
        self.path.join("frontier.txt")
    }

    pub fn checkpoint(&self, shard: Shard) -> PathBuf {
        self.path.join(format!("{}.checkpoint", shard_name(shard)))
    }

    /// Creates the folder, or accepts an empty one.
    pub fn create(&self) -> Result<(), FileError> {
        fs::create_dir_all(&self.path).map_err(FileError::io(&self.path, "create"))?;
        let mut files = fs::read_dir(&self.path).map_err(FileError::io(&self.path, "read"))?;
        // A killed `--split` may have left its answers.
        let is_own = |name: &OsStr| name == format!("answers-{SPLIT}.txt").as_str();
        let has_others = files.any(|entry| entry.is_ok_and(|entry| !is_own(&entry.file_name())));
        if has_others { Err(FileError::NotEmpty { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Writes a frontier and the known results of its leaves.
    pub fn write<G: Searchable + Notation>(&self, frontier: &Frontier<G>) -> Result<(), FileError> {
        let mut answers = String::new();
        let mut text = format!("{FIRST_LINE}\nlikelier {}\n", frontier.likelier().letter());
        text += &format!("moves {}\n", if frontier.all_moves { "all" } else { "best" });
        text.extend(frontier.root().map(|root| format!("root {root}\n")));
        text.extend(frontier.expanded().iter().map(|position| format!("expanded {position}\n")));
        for (position, [proof, disproof], bounds) in frontier.leaves() {
            text += &format!("leaf {proof} {disproof} {position}\n");
            answers.extend(bounds.objectives().into_iter().map(|proven| answer(proven, position)));
        }
        self.answers(SPLIT)?.add_lines(&answers)?;
        text += &format!("{CHECKSUM} {}\n", checksum(&text));
        replace(&self.frontier(), text.as_bytes())
    }

    /// Reads the root's position line, which tells the game.
    pub fn root_line(&self) -> Result<String, FileError> {
        let (path, text) = self.lines()?;
        let line = text.lines().nth(3).unwrap_or_default();
        line.strip_prefix("root ")
            .map(str::to_owned)
            .ok_or_else(|| FileError::line(&path, 4, "root POSITION", line))
    }

    /// Returns the path of the frontier and its lines above the checksum, which must be right.
    fn lines(&self) -> Result<(PathBuf, String), FileError> {
        let path = self.frontier();
        let mut text = oshi::text::read(&path).map_err(FileError::io(&path, "read"))?;
        let first = text.lines().next().unwrap_or_default();
        if first != FIRST_LINE {
            return Err(FileError::line(&path, 1, FIRST_LINE, first));
        }
        let end = text.strip_suffix('\n').unwrap_or(&text).rfind('\n').map_or(0, |place| place + 1);
        let last = text.split_off(end);
        let found =
            last.strip_suffix('\n').and_then(|last| last.strip_prefix(CHECKSUM)?.strip_prefix(' '));
        match found {
            None => Err(FileError::line(
                &path,
                text.lines().count() + 1,
                &format!("{CHECKSUM} HEX"),
                last.trim_end(),
            )),
            Some(found) if found != checksum(&text) => Err(FileError::Checksum { path }),
            Some(_) => Ok((path, text)),
        }
    }

    /// Reads the frontier and all answers so far.
    pub fn read<G: Searchable + Notation>(&self) -> Result<Frontier<G>, FileError> {
        let (path, text) = self.lines()?;
        let lines: Vec<&str> = text.lines().collect();
        let line = |index: usize| lines.get(index).copied().unwrap_or_default();
        let error =
            |index: usize, expected: &str| FileError::line(&path, index + 1, expected, line(index));
        let field = |index: usize, word: &str| {
            line(index).strip_prefix(word).and_then(|rest| rest.strip_prefix(' '))
        };
        let likelier = field(1, "likelier")
            .and_then(Player::from_letter)
            .ok_or_else(|| error(1, "likelier PLAYER"))?;
        let all_moves = match field(2, "moves") {
            Some("all") => true,
            Some("best") => false,
            _ => return Err(error(2, "moves all|best")),
        };
        let root = field(3, "root")
            .and_then(|text| text.parse::<G>().ok())
            .ok_or_else(|| error(3, "root POSITION"))?;
        let mut frontier = Frontier::with_likelier(&root, likelier, all_moves);
        for index in 4..lines.len() {
            if let Some(position) = field(index, "expanded") {
                let position = position.parse().map_err(|_| error(index, "expanded POSITION"))?;
                frontier.expand(&position);
            } else {
                let leaf = field(index, "leaf").and_then(|fields| {
                    let (proof, rest) = fields.split_once(' ')?;
                    let (disproof, position) = rest.split_once(' ')?;
                    Some((position.parse().ok()?, [proof.parse().ok()?, disproof.parse().ok()?]))
                });
                let (position, numbers) =
                    leaf.ok_or_else(|| error(index, "leaf PROOF DISPROOF POSITION"))?;
                frontier.set_numbers(&position, numbers);
            }
        }
        self.read_answers(&mut frontier)?;
        Ok(frontier)
    }

    /// Adds the answers of all processes to the frontier.
    pub fn read_answers<G: Searchable + Notation>(
        &self,
        frontier: &mut Frontier<G>,
    ) -> Result<(), FileError> {
        let entries = fs::read_dir(&self.path).map_err(FileError::io(&self.path, "read"))?;
        for entry in entries {
            let path = entry.map_err(FileError::io(&self.path, "read"))?.path();
            if path.file_name().is_some_and(|name| is_answers(&name.to_string_lossy())) {
                read_answer_file(&path, frontier)?;
            }
        }
        frontier.update();
        check_consistent(&self.path, frontier)
    }

    /// Opens and locks the answers of the process with this name.
    pub fn answers(&self, name: impl Display) -> Result<Answers, FileError> {
        let path = self.path.join(format!("answers-{name}.txt"));
        let file = open_locked(&path)?;
        // A killed process may have left half a line.
        let text = read(&path)?;
        file.set_len(complete_lines(&text).len() as u64).map_err(FileError::io(&path, "write"))?;
        Ok(Answers { path, file })
    }
}

impl Answers {
    /// Appends an answer and syncs the file.
    pub fn add<G: Display>(&mut self, proven: Objective, position: &G) -> Result<(), FileError> {
        self.add_lines(&answer(proven, position))
    }

    fn add_lines(&mut self, lines: &str) -> Result<(), FileError> {
        let added = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        added.map_err(FileError::io(&self.path, "write"))
    }
}

fn answer<G: Display>(proven: Objective, position: &G) -> String {
    format!("{proven} {position}\n")
}

/// Returns the SHA-256 in hexadecimal digits.
fn checksum(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file name is that of answers. Backup files of editors are not.
fn is_answers(name: &str) -> bool {
    name.starts_with("answers-") && name.ends_with(".txt")
}

/// Cuts off an incomplete last line.
fn complete_lines(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    text.get(..length).unwrap_or_default()
}

fn read_answer_file<G: Searchable + Notation>(
    path: &Path,
    frontier: &mut Frontier<G>,
) -> Result<(), FileError> {
    let text = match read(path) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    for (number, line) in (1..).zip(String::from_utf8_lossy(complete_lines(&text)).lines()) {
        let read = || {
            let (word, rest) = line.split_once(' ')?;
            let (player, position) = rest.split_once(' ')?;
            let player = Player::from_letter(player)?;
            let proven = match word {
                "win" => Objective::Win(player),
                "draw" => Objective::AtLeastDraw(player),
                _ => return None,
            };
            Some((position.parse().ok()?, proven))
        };
        let (position, proven) = read()
            .ok_or_else(|| FileError::line(path, number, "win|draw PLAYER POSITION", line))?;
        frontier.add_answer(&position, proven);
        check_consistent(path, frontier)?;
    }
    Ok(())
}

/// Returns an error if answers contradict each other.
fn check_consistent<G: Searchable + Notation>(
    path: &Path,
    frontier: &Frontier<G>,
) -> Result<(), FileError> {
    let error = |position: &G| FileError::Contradiction {
        path: path.to_owned(),
        position: position.to_string(),
    };
    frontier.contradiction().map(error).map_or(Ok(()), Err)
}

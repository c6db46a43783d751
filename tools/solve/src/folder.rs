//! A frontier in a folder, with the answers of all who work on it:
//!
//! | file | |
//! |---|---|
//! | `frontier.txt` | the graph of positions, written once |
//! | `answers-NAME.txt` | a line for each answer: `win PLAYER POSITION` or `draw PLAYER POSITION`, the claims of certificates |
//! | `I-of-N.checkpoint` | what a shard knows of the position in hand |

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use basho::shard::Shard;
use oshi::game::{Player, Searchable};
use oshi::games::notation::Notation;
use oshi::search::Objective;
use sha2::{Digest, Sha256};

use crate::files::{FileError, open_alone, read, replace};
use crate::frontier::Frontier;

pub struct Folder {
    path: PathBuf,
}

const FIRST_LINE: &str = "oshi frontier 2";

/// The word of the last line, before the SHA-256 of all lines above it.
const SUM: &str = "sha256";

/// The name of the process that splits.
const SPLIT: &str = "split";

/// The answers of one process, to which it alone adds.
pub struct Answers {
    path: PathBuf,
    file: File,
}

/// Part of a file's name: `I-of-N`.
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

    /// Makes the folder, which must not hold another frontier.
    pub fn create(&self) -> Result<(), FileError> {
        fs::create_dir_all(&self.path).map_err(FileError::io(&self.path, "make"))?;
        let mut files = fs::read_dir(&self.path).map_err(FileError::io(&self.path, "read"))?;
        // A split that was killed may have left its answers.
        let is_own = |name: &OsStr| name == format!("answers-{SPLIT}.txt").as_str();
        let is_taken = files.any(|entry| entry.is_ok_and(|entry| !is_own(&entry.file_name())));
        if is_taken { Err(FileError::Taken { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Writes a frontier and what is known of its leaves.
    pub fn write<G: Searchable + Notation>(&self, frontier: &Frontier<G>) -> Result<(), FileError> {
        let mut answers = String::new();
        let mut text = format!("{FIRST_LINE}\nlikelier {}\n", frontier.likelier().letter());
        text += &format!("moves {}\n", if frontier.all_moves { "all" } else { "best" });
        text.extend(frontier.root().map(|root| format!("root {root}\n")));
        text.extend(frontier.expanded().iter().map(|position| format!("expanded {position}\n")));
        for (position, [proof, disproof], bounds) in frontier.leaves() {
            text += &format!("leaf {proof} {disproof} {position}\n");
            answers.extend(bounds.claims().into_iter().map(|claim| line(claim, position)));
        }
        self.answers(SPLIT)?.add_lines(&answers)?;
        text += &format!("{SUM} {}\n", sum(&text));
        replace(&self.frontier(), text.as_bytes())
    }

    /// The line of the root, from which the game is known.
    pub fn root_line(&self) -> Result<String, FileError> {
        let (path, text) = self.lines()?;
        let line = text.lines().nth(3).unwrap_or_default();
        line.strip_prefix("root ")
            .map(str::to_owned)
            .ok_or_else(|| FileError::line(&path, 4, "root POSITION", line))
    }

    /// The file of the frontier, and its lines up to the sum, which must be theirs.
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
            last.strip_suffix('\n').and_then(|last| last.strip_prefix(SUM)?.strip_prefix(' '));
        match found {
            None => Err(FileError::line(
                &path,
                text.lines().count() + 1,
                &format!("{SUM} HEX"),
                last.trim_end(),
            )),
            Some(found) if found != sum(&text) => Err(FileError::Sum { path }),
            Some(_) => Ok((path, text)),
        }
    }

    /// The frontier with all answers so far.
    pub fn read<G: Searchable + Notation>(&self) -> Result<Frontier<G>, FileError> {
        let (path, text) = self.lines()?;
        let lines: Vec<&str> = text.lines().collect();
        let line = |index: usize| lines.get(index).copied().unwrap_or_default();
        let refused =
            |index: usize, expected: &str| FileError::line(&path, index + 1, expected, line(index));
        let field = |index: usize, word: &str| {
            line(index).strip_prefix(word).and_then(|rest| rest.strip_prefix(' '))
        };
        let likelier = field(1, "likelier")
            .and_then(Player::from_letter)
            .ok_or_else(|| refused(1, "likelier PLAYER"))?;
        let all_moves = match field(2, "moves") {
            Some("all") => true,
            Some("best") => false,
            _ => return Err(refused(2, "moves all|best")),
        };
        let root = field(3, "root")
            .and_then(|text| text.parse::<G>().ok())
            .ok_or_else(|| refused(3, "root POSITION"))?;
        let mut frontier = Frontier::with_likelier(&root, likelier, all_moves);
        for index in 4..lines.len() {
            if let Some(position) = field(index, "expanded") {
                let position = position.parse().map_err(|_| refused(index, "expanded POSITION"))?;
                frontier.expand(&position);
            } else {
                let leaf = field(index, "leaf").and_then(|fields| {
                    let (proof, rest) = fields.split_once(' ')?;
                    let (disproof, position) = rest.split_once(' ')?;
                    Some((position.parse().ok()?, [proof.parse().ok()?, disproof.parse().ok()?]))
                });
                let (position, numbers) =
                    leaf.ok_or_else(|| refused(index, "leaf PROOF DISPROOF POSITION"))?;
                frontier.set_numbers(&position, numbers);
            }
        }
        self.learn(&mut frontier)?;
        Ok(frontier)
    }

    /// Has the frontier learn all answers so far.
    pub fn learn<G: Searchable + Notation>(
        &self,
        frontier: &mut Frontier<G>,
    ) -> Result<(), FileError> {
        let entries = fs::read_dir(&self.path).map_err(FileError::io(&self.path, "read"))?;
        for entry in entries {
            let path = entry.map_err(FileError::io(&self.path, "read"))?.path();
            if path.file_name().is_some_and(|name| is_answers(&name.to_string_lossy())) {
                learn_file(&path, frontier)?;
            }
        }
        frontier.update();
        contradicted(&self.path, frontier)
    }

    /// Where the process with this name puts its answers; no other one may.
    pub fn answers(&self, name: impl Display) -> Result<Answers, FileError> {
        let path = self.path.join(format!("answers-{name}.txt"));
        let file = open_alone(&path)?;
        // Half a line is left where the process was killed.
        let text = read(&path)?;
        file.set_len(whole_lines(&text).len() as u64).map_err(FileError::io(&path, "write"))?;
        Ok(Answers { path, file })
    }
}

impl Answers {
    /// Adds an answer; it is on the disk then.
    pub fn add<G: Display>(&mut self, claim: Objective, position: &G) -> Result<(), FileError> {
        self.add_lines(&line(claim, position))
    }

    fn add_lines(&mut self, lines: &str) -> Result<(), FileError> {
        let added = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        added.map_err(FileError::io(&self.path, "write"))
    }
}

fn line<G: Display>(claim: Objective, position: &G) -> String {
    format!("{claim} {position}\n")
}

/// The SHA-256 of a text, in hexadecimal digits.
fn sum(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file has answers, and is no copy that an editor keeps of one.
fn is_answers(name: &str) -> bool {
    name.starts_with("answers-") && name.ends_with(".txt")
}

/// A text up to the end of its last whole line.
fn whole_lines(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    text.get(..length).unwrap_or_default()
}

fn learn_file<G: Searchable + Notation>(
    path: &Path,
    frontier: &mut Frontier<G>,
) -> Result<(), FileError> {
    let text = match read(path) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    for (number, line) in (1..).zip(String::from_utf8_lossy(whole_lines(&text)).lines()) {
        let read = || {
            let (word, rest) = line.split_once(' ')?;
            let (player, position) = rest.split_once(' ')?;
            let player = Player::from_letter(player)?;
            let claim = match word {
                "win" => Objective::Win(player),
                "draw" => Objective::AtLeastDraw(player),
                _ => return None,
            };
            Some((position.parse().ok()?, claim))
        };
        let (position, claim) = read()
            .ok_or_else(|| FileError::line(path, number, "win|draw PLAYER POSITION", line))?;
        frontier.learn(&position, claim);
        contradicted(path, frontier)?;
    }
    Ok(())
}

/// The error of answers that contradict each other, if there are any.
fn contradicted<G: Searchable + Notation>(
    path: &Path,
    frontier: &Frontier<G>,
) -> Result<(), FileError> {
    let error = |position: &G| FileError::Contradiction {
        path: path.to_owned(),
        position: position.to_string(),
    };
    frontier.contradiction().map(error).map_or(Ok(()), Err)
}

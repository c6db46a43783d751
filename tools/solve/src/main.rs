//! Finds out who wins positions of any game, for seconds or for days, and writes strategies that show it:
//!
//! ```text
//! cargo run --release --example solve -- --openings --certificate simple.cert
//! cargo run --release --example solve -- --position 'OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1'
//! cargo run --release --example solve -- --position LINE --all-moves --threads 16 --hash 65536 --checkpoint proof.checkpoint
//! ```
//!
//! `docs/proofs.md` describes long proofs and the format of certificates, which `examples/check_certificate.py` checks.

mod bounds;
mod checkpoint;
mod distribute;
mod files;
mod folder;
mod frontier;
mod progress;
mod session;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use basho::shard::Shard;
use clap::{Parser, value_parser};
use miniz_oxide::deflate::compress_to_vec_zlib;
use oshi::game::{Outcome, Searchable};
use oshi::games::kamisado::{Match, Target};
use oshi::games::notation::Notation;
use oshi::games::{self, SearchVisitor};
use oshi::search::certificate::Certificate;
use oshi::search::{Objective, TableMemory};

use files::{FileError, check_place, open_alone, remove_drafts, replace};
use folder::Folder;
use frontier::{Frontier, Growth};
use progress::{Progress, result};
use session::{Session, after};

/// Finds out who wins positions, and writes strategies that show it.
#[derive(Parser)]
struct Arguments {
    /// A position line of any game; the start of the simple game unless one is given.
    #[arg(long, value_name = "LINE")]
    position: Option<String>,
    /// A file of position lines in place of one; what follows a `;` is left out.
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    positions: Option<PathBuf>,
    /// Solve the position after each of the moves, in place of the position itself.
    #[arg(long)]
    openings: bool,
    /// Solve the position, and then every one of its moves: all that win are named.
    #[arg(long, conflicts_with = "openings")]
    all_moves: bool,
    /// Write strategies for all of it into this file: as text if its name ends with `.txt`, compressed with zlib otherwise.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Threads that work on each position together.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Memory of the search, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = value_parser!(u32).range(..=MOST_MIB))]
    hash: u32,
    /// Seconds from one line to the next of how far the work has come, where there is no terminal to show it.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    report_every: u64,
    /// Keep what is known in this file, and go on from there if it exists.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds from one checkpoint to the next.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    checkpoint_every: u64,
    /// The most MiB that the checkpoint may have.
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = value_parser!(u32).range(..=MOST_MIB))]
    checkpoint_size: u32,
    /// Write at least N positions whose answers settle the position into a new folder, in place of solving it.
    #[arg(long, value_name = "N", requires = "into", conflicts_with_all = ["positions", "openings", "certificate", "checkpoint"])]
    split: Option<usize>,
    /// Expansions by which each position of a split is judged.
    #[arg(long, value_name = "EXPANSIONS", default_value_t = 2_048)]
    judge: u64,
    /// Answer part I of N of the positions of such a folder.
    #[arg(long, value_name = "I/N", requires = "into", conflicts_with_all = ["split", "position", "positions", "openings", "all_moves", "certificate", "checkpoint"])]
    shard: Option<Shard>,
    /// The folder of `--split` and `--shard`.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Put the answers of such a folder together.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["split", "shard", "into", "position", "positions", "openings", "all_moves", "certificate", "checkpoint"])]
    merge: Option<PathBuf>,
}

impl Arguments {
    /// Makes sure, before long work, that all files can be written, and none over another one. Gives the lock of the checkpoint.
    fn check_places(&self) -> anyhow::Result<Option<File>> {
        let mut places: Vec<PathBuf> =
            self.positions.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for path in self.checkpoint.iter().chain(&self.certificate) {
            let place = check_place(path)?;
            if places.contains(&place) {
                return Err(FileError::Twice { path: path.clone() }.into());
            }
            places.push(place);
        }
        let lock = |path: &PathBuf| {
            let place = check_place(path)?;
            let lock = open_alone(&place.with_added_extension("lock"))?;
            remove_drafts(&place);
            Ok::<_, FileError>(lock)
        };
        Ok(self.checkpoint.as_ref().map(lock).transpose()?)
    }
}

/// 16 TiB.
const MOST_MIB: i64 = 1 << 24;

fn bytes(mib: u32) -> usize {
    (mib as usize).saturating_mul(1 << 20)
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = arguments.merge.as_ref().or(arguments.into.as_ref()).map(|path| Folder::new(path));
    let lines = match (&arguments.positions, &arguments.position, &folder) {
        (_, _, Some(folder)) if arguments.split.is_none() => {
            vec![Line::new("the root", folder.root_line()?)]
        }
        (Some(path), ..) => read_lines(path)?,
        (None, Some(line), _) => vec![Line::new("--position", line.clone())],
        (None, None, _) => vec![Line::new("the start", Match::start(Target::Simple).to_string())],
    };
    let first = lines.first().context("expected a position")?;
    let work = Work { lines: &lines, folder, arguments: &arguments };
    games::search_position(&first.text, work)
        .map_err(|error| anyhow!("{}: {error}", first.place))?
}

/// A position line, and where it stands.
struct Line {
    place: String,
    text: String,
}

impl Line {
    fn new(place: &str, text: String) -> Line {
        Line { place: place.to_owned(), text }
    }
}

/// The position lines of a file.
fn read_lines(path: &Path) -> anyhow::Result<Vec<Line>> {
    let file = path.display();
    let text = oshi::text::read(path).with_context(|| format!("cannot read {file}"))?;
    let line = |line: &str| line.split(';').next().unwrap_or_default().trim().to_owned();
    let lines = (1..)
        .zip(text.lines().map(line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<Line> = lines
        .map(|(number, text)| Line { place: format!("{file}: line {number}"), text })
        .collect();
    if lines.is_empty() { bail!("{file}: expected a position, found none") } else { Ok(lines) }
}

/// What is to be done with positions of one game.
struct Work<'a> {
    lines: &'a [Line],
    folder: Option<Folder>,
    arguments: &'a Arguments,
}

impl SearchVisitor for Work<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Searchable + Notation>(self, first: G) -> anyhow::Result<()> {
        let arguments = self.arguments;
        let progress = Progress::new(Duration::from_secs(arguments.report_every));
        let requested = bytes(arguments.hash);
        let mut memory = TableMemory::new(requested);
        let mut session = Session::new(&mut memory, requested, arguments.threads, progress)?;
        let keep = |session: &mut Session, path: &Path, positions: &[G]| {
            let every = Duration::from_secs(arguments.checkpoint_every);
            session.keep_in(path, positions, every, bytes(arguments.checkpoint_size))
        };
        match (self.folder, arguments.split, arguments.shard) {
            (Some(folder), Some(open), _) => {
                let frontier = &mut Frontier::new(&first, arguments.all_moves);
                distribute::split(
                    &mut session,
                    frontier,
                    Growth { open, judge: arguments.judge },
                    &folder,
                )?;
            }
            (Some(folder), None, Some(shard)) => {
                keep(&mut session, &folder.checkpoint(shard), &[first])?;
                distribute::solve::<G>(&mut session, &folder, shard)?;
            }
            (Some(folder), None, None) => {
                return distribute::merge::<G>(&folder, &session.progress);
            }
            (None, ..) => {
                let parse = |Line { place, text }: &Line| {
                    text.parse::<G>().map_err(|error| anyhow!("{place}: {error}"))
                };
                let positions = self.lines.iter().map(parse).collect::<anyhow::Result<Vec<G>>>()?;
                let _lock = arguments.check_places()?;
                if let Some(path) = &arguments.checkpoint {
                    keep(&mut session, path, &positions)?;
                }
                solve(&mut session, &positions, arguments)?;
            }
        }
        session.finish()
    }
}

/// The fields of a position on the standard board; a further one names the layout.
const MOST_FIELDS: usize = 5;

/// Solves positions, and writes strategies where they are asked for.
fn solve<G: Searchable + Notation>(
    session: &mut Session,
    positions: &[G],
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let mut certificate = arguments.certificate.is_some().then(Certificate::default);
    let turned =
        positions.iter().find(|position| position.to_string().split(' ').count() > MOST_FIELDS);
    if let Some(position) = turned.filter(|_| certificate.is_some()) {
        bail!("`{position}`: certificates are of positions on the standard board; set it up there");
    }
    for position in positions {
        for (name, position) in questions(position, arguments.openings) {
            let outcome = session.solve(&position, &name)?;
            session.progress.say(&format!("{name}: {}", result(outcome)));
            if arguments.all_moves {
                say_moves(session, &position, outcome)?;
            }
            if let Some(certificate) = &mut certificate {
                for claim in Objective::of(outcome) {
                    session.certify(certificate, &position, &name, claim)?;
                }
            }
        }
    }
    if let (Some(path), Some(certificate)) = (&arguments.certificate, certificate) {
        let bytes = write(path, certificate.text())?;
        session.progress.say(&format!(
            "{}: {} moves, {bytes} bytes",
            path.display(),
            certificate.moves()
        ));
    }
    Ok(())
}

/// The positions to solve, and what they are called: the position itself, or those after its moves.
fn questions<G: Notation>(position: &G, openings: bool) -> Vec<(String, G)> {
    if !openings {
        return vec![(position.to_string(), *position)];
    }
    position.legal_moves().into_iter().map(|mv| (mv.to_string(), after(position, mv))).collect()
}

/// Solves all moves of a position, and says which are as good as it is.
fn say_moves<G: Searchable + Notation>(
    session: &mut Session,
    position: &G,
    best: Outcome,
) -> anyhow::Result<()> {
    let mut good = Vec::new();
    for (name, next) in questions(position, true) {
        let outcome = session.solve(&next, &name)?;
        session.progress.say(&format!("  {name}: {}", result(outcome)));
        if outcome == best {
            good.push(name);
        }
    }
    let of = position.count_legal_moves();
    session.progress.say(&match best {
        Outcome::Win(winner) if winner == position.turn() => {
            format!("  {} of {of} moves win: {}", good.len(), good.join(" "))
        }
        Outcome::Win(_) => format!("  all {of} moves lose"),
        Outcome::Draw => format!("  {} of {of} moves draw: {}", good.len(), good.join(" ")),
    });
    Ok(())
}

/// Writes a certificate, and says how long the file is.
fn write(path: &Path, text: &str) -> Result<usize, FileError> {
    let is_text = path.extension().is_some_and(|extension| extension == "txt");
    let data =
        if is_text { text.into() } else { compress_to_vec_zlib(text.as_bytes(), BEST_COMPRESSION) };
    replace(path, &data)?;
    Ok(data.len())
}

/// The level of zlib that makes the smallest files.
const BEST_COMPRESSION: u8 = 9;

//! Solves positions of any game, in seconds or in days, and writes certificates of the results.
//!
//! ```text
//! cargo run --release -p oshi-solve -- --openings --certificate simple.cert
//! cargo run --release -p oshi-solve -- --position 'OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1'
//! cargo run --release -p oshi-solve -- --position LINE --all-moves --threads 16 --hash 65536 \
//!   --checkpoint proof.checkpoint
//! ```
//!
//! `docs/proofs.md` describes long proofs and the format of certificates.
//! `tools/prove/check_certificate.py` checks certificates.

mod bounds;
mod checkpoint;
mod distribute;
mod files;
mod folder;
mod frontier;
mod positions;
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
use oshi::search::TableMemory;
use oshi::solver::Objective;
use oshi::solver::certificate::Certificate;

use files::{FileError, check_writable, open_locked, remove_drafts, replace};
use folder::Folder;
use frontier::{Frontier, Growth};
use positions::{PositionLine, after, read_lines};
use progress::{Progress, result};
use session::Session;

/// Solves positions and writes certificates of the results.
#[derive(Parser)]
struct Arguments {
    /// Position line of any game [default: start of the simple game].
    #[arg(long, value_name = "LINE")]
    position: Option<String>,
    /// Solve all positions of this file, one per line; ignores text after a `;`.
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    positions: Option<PathBuf>,
    /// Solve the position after each of its moves instead.
    #[arg(long)]
    openings: bool,
    /// Solve the position, then every move, and name the best ones.
    #[arg(long, conflicts_with = "openings")]
    all_moves: bool,
    /// Write strategies that show the results; compressed with zlib unless FILE ends with `.txt`.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Threads that share one table.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=1024),
    )]
    threads: u16,
    /// Memory of the table, in MiB.
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        value_parser = value_parser!(u32).range(..=MAX_MIB),
    )]
    hash: u32,
    /// Time between progress lines if stderr is no terminal.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    report_every: u64,
    /// Save to this file, and resume from it if it exists.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between checkpoints.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    checkpoint_every: u64,
    /// Maximum size of the checkpoint, in MiB.
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 32,
        value_parser = value_parser!(u32).range(..=MAX_MIB),
    )]
    checkpoint_size: u32,
    /// Split the proof into at least N positions and write them into a new folder.
    #[arg(
        long,
        value_name = "N",
        requires = "into",
        conflicts_with_all = ["positions", "openings", "certificate", "checkpoint"],
    )]
    split: Option<usize>,
    /// Maximum expansions for each position of a split.
    #[arg(long, value_name = "EXPANSIONS", default_value_t = 2_048)]
    split_expansions: u64,
    /// Solve part I of N of the positions in such a folder.
    #[arg(
        long,
        value_name = "I/N",
        requires = "into",
        conflicts_with_all = [
            "split", "position", "positions", "openings", "all_moves", "certificate", "checkpoint",
        ],
    )]
    shard: Option<Shard>,
    /// Folder of `--split` and `--shard`.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Combine the answers in such a folder.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = [
            "split", "shard", "into", "position", "positions", "openings", "all_moves",
            "certificate", "checkpoint",
        ],
    )]
    merge: Option<PathBuf>,
}

impl Arguments {
    /// Checks before the work that all output files are different and can be written. Returns the
    /// lock of the checkpoint.
    fn check_files(&self) -> Result<Option<File>, FileError> {
        let mut paths: Vec<PathBuf> =
            self.positions.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let mut check = |path: &PathBuf| {
            let target = check_writable(path)?;
            if paths.contains(&target) {
                return Err(FileError::UsedTwice { path: path.clone() });
            }
            paths.push(target.clone());
            Ok(target)
        };
        let checkpoint = self.checkpoint.as_ref().map(&mut check).transpose()?;
        self.certificate.as_ref().map(check).transpose()?;
        let lock = |target: PathBuf| {
            let lock = open_locked(&target.with_added_extension("lock"))?;
            remove_drafts(&target);
            Ok(lock)
        };
        checkpoint.map(lock).transpose()
    }
}

/// 16 TiB.
const MAX_MIB: i64 = 1 << 24;

fn bytes(mib: u32) -> usize {
    (mib as usize).saturating_mul(1 << 20)
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = arguments.merge.as_ref().or(arguments.into.as_ref()).map(|path| Folder::new(path));
    let lines = match (&arguments.positions, &arguments.position, &folder) {
        (_, _, Some(folder)) if arguments.split.is_none() => {
            vec![PositionLine::new("root", folder.root_line()?)]
        }
        (Some(path), ..) => read_lines(path)?,
        (None, Some(line), _) => vec![PositionLine::new("--position", line.clone())],
        (None, None, _) => {
            vec![PositionLine::new("start", Match::start(Target::Simple).to_string())]
        }
    };
    let first = lines.first().context("expected a position")?;
    let task = Task { lines: &lines, folder, arguments: &arguments };
    games::search_position(&first.text, task)
        .map_err(|error| anyhow!("{}: {error}", first.source))?
}

/// A run on positions of one game.
struct Task<'a> {
    lines: &'a [PositionLine],
    folder: Option<Folder>,
    arguments: &'a Arguments,
}

impl SearchVisitor for Task<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Searchable + Notation>(self, first: G) -> anyhow::Result<()> {
        let arguments = self.arguments;
        let progress = Progress::new(Duration::from_secs(arguments.report_every));
        let requested = bytes(arguments.hash);
        let mut memory = TableMemory::new(requested);
        let mut session = Session::new(&mut memory, requested, arguments.threads, progress)?;
        let use_checkpoint = |session: &mut Session, path: &Path, positions: &[G]| {
            let interval = Duration::from_secs(arguments.checkpoint_every);
            session.use_checkpoint(path, positions, interval, bytes(arguments.checkpoint_size))
        };
        match (self.folder, arguments.split, arguments.shard) {
            (Some(folder), Some(open), _) => {
                let frontier = &mut Frontier::new(&first, arguments.all_moves);
                let growth = Growth { open, expansions: arguments.split_expansions };
                distribute::split(&mut session, frontier, growth, &folder)?;
            }
            (Some(folder), None, Some(shard)) => {
                use_checkpoint(&mut session, &folder.checkpoint(shard), &[first])?;
                distribute::solve::<G>(&mut session, &folder, shard)?;
            }
            (Some(folder), None, None) => {
                return distribute::merge::<G>(&folder, &session.progress);
            }
            (None, ..) => {
                let parse = |PositionLine { source, text }: &PositionLine| {
                    text.parse::<G>().map_err(|error| anyhow!("{source}: {error}"))
                };
                let positions = self.lines.iter().map(parse).collect::<anyhow::Result<Vec<G>>>()?;
                let _lock = arguments.check_files()?;
                if let Some(path) = &arguments.checkpoint {
                    use_checkpoint(&mut session, path, &positions)?;
                }
                solve(&mut session, &positions, arguments)?;
            }
        }
        session.finish()
    }
}

/// Fields of a position on the standard board. A further field names the layout.
const STANDARD_FIELDS: usize = 5;

/// Solves positions, and writes a certificate if requested.
fn solve<G: Searchable + Notation>(
    session: &mut Session,
    positions: &[G],
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let mut certificate = arguments.certificate.is_some().then(Certificate::default);
    let other_layout =
        positions.iter().find(|position| position.to_string().split(' ').count() > STANDARD_FIELDS);
    if let Some(position) = other_layout.filter(|_| certificate.is_some()) {
        bail!("no certificate for `{position}`: expected a position on the standard board");
    }
    for position in positions {
        for (name, position) in to_solve(position, arguments.openings) {
            let outcome = session.solve(&position, &name)?;
            session.progress.print(&format!("{name}: {}", result(outcome)));
            if arguments.all_moves {
                solve_moves(session, &position, outcome)?;
            }
            if let Some(certificate) = &mut certificate {
                for claim in Objective::of(outcome) {
                    session.certify(certificate, &position, &name, claim)?;
                }
            }
        }
    }
    if let (Some(path), Some(certificate)) = (&arguments.certificate, certificate) {
        let bytes = write_certificate(path, certificate.text())?;
        session.progress.print(&format!(
            "{}: {} moves, {bytes} bytes",
            path.display(),
            certificate.moves()
        ));
    }
    Ok(())
}

/// The position itself, or the positions after its moves, with names.
fn to_solve<G: Notation>(position: &G, openings: bool) -> Vec<(String, G)> {
    if !openings {
        return vec![(position.to_string(), *position)];
    }
    position.legal_moves().into_iter().map(|mv| (mv.to_string(), after(position, mv))).collect()
}

/// Solves all moves of a position and prints those with its result.
fn solve_moves<G: Searchable + Notation>(
    session: &mut Session,
    position: &G,
    best: Outcome,
) -> anyhow::Result<()> {
    let mut best_moves = Vec::new();
    for (name, next) in to_solve(position, true) {
        let outcome = session.solve(&next, &name)?;
        session.progress.print(&format!("  {name}: {}", result(outcome)));
        if outcome == best {
            best_moves.push(name);
        }
    }
    let (count, names) = (best_moves.len(), best_moves.join(" "));
    let of = position.count_legal_moves();
    session.progress.print(&match best {
        Outcome::Win(winner) if winner == position.turn() => {
            format!("  {count} of {of} moves win: {names}")
        }
        Outcome::Win(_) => format!("  all {of} moves lose"),
        Outcome::Draw => format!("  {count} of {of} moves draw: {names}"),
    });
    Ok(())
}

/// Writes a certificate and returns the file's size in bytes.
fn write_certificate(path: &Path, text: &str) -> Result<usize, FileError> {
    let is_text = path.extension().is_some_and(|extension| extension == "txt");
    let data =
        if is_text { text.into() } else { compress_to_vec_zlib(text.as_bytes(), BEST_COMPRESSION) };
    replace(path, &data)?;
    Ok(data.len())
}

/// Compression level of zlib for the smallest files.
const BEST_COMPRESSION: u8 = 9;

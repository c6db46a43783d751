//! Finds out who wins positions of any game, and writes strategies that show it:
//!
//! ```text
//! cargo run --release --example solve -- --openings --certificate simple.cert
//! cargo run --release --example solve -- --position 'OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1'
//! ```
//!
//! `docs/certificates.md` tells the format of certificates; `examples/check_certificate.py` checks them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use miniz_oxide::deflate::compress_to_vec_zlib;
use oshi::game::{Outcome, Searchable};
use oshi::games::kamisado::{Match, Target};
use oshi::games::notation::Notation;
use oshi::games::{self, SearchVisitor};
use oshi::search::certificate::{Certificate, Claim};
use oshi::search::{Searcher, Settings};

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
    /// Write strategies for all of it into this file: as text if its name ends with `.txt`, compressed with zlib otherwise.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Memory of the search, in MiB.
    #[arg(long, default_value_t = 256)]
    hash: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let lines = match (&arguments.positions, &arguments.position) {
        (Some(path), _) => read_lines(path)?,
        (None, Some(line)) => vec![line.clone()],
        (None, None) => vec![Match::start(Target::Simple).to_string()],
    };
    let first = lines.first().context("expected a position")?;
    games::search_position(first, Questions { lines: &lines, arguments: &arguments })?
}

/// The position lines of a file.
fn read_lines(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = |line: &str| line.split(';').next().unwrap_or_default().trim().to_owned();
    Ok(text.lines().map(line).filter(|line| !line.is_empty() && !line.starts_with('#')).collect())
}

/// What is asked: who wins these positions of one game?
struct Questions<'a> {
    lines: &'a [String],
    arguments: &'a Arguments,
}

impl SearchVisitor for Questions<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Searchable + Notation>(self, _first: G) -> anyhow::Result<()> {
        let Questions { lines, arguments } = self;
        let mut searcher = Searcher::new(Settings { hash_mib: arguments.hash, ..Settings::default() });
        let mut certificate = arguments.certificate.is_some().then(Certificate::default);
        let progress = Progress::new();
        for line in lines {
            let position: G = line.parse().map_err(|error| anyhow!("`{line}`: {error}"))?;
            for (name, position) in questions(&position, arguments.openings) {
                let outcome = solve(&mut searcher, &position, &name, &progress);
                let result = outcome.winner().map_or("a draw".to_owned(), |winner| format!("{winner} wins"));
                progress.say(&format!("{name}: {result}"));
                for claim in certificate.as_ref().map_or(Vec::new(), |_| Claim::of(outcome)) {
                    if let Some(certificate) = &mut certificate {
                        certificate
                            .add(&mut searcher, &position, claim, &mut |so_far| progress.tick(&name, "moves", so_far.moves()))?;
                    }
                }
            }
        }
        if let (Some(path), Some(certificate)) = (&arguments.certificate, certificate) {
            let bytes = write(path, certificate.text()).with_context(|| format!("cannot write {}", path.display()))?;
            progress.say(&format!("{}: {} moves, {bytes} bytes", path.display(), certificate.moves()));
        }
        Ok(())
    }
}

/// Writes a certificate, and says how long the file is.
fn write(path: &Path, text: &str) -> std::io::Result<usize> {
    let is_text = path.extension().is_some_and(|extension| extension == "txt");
    let data = if is_text { text.into() } else { compress_to_vec_zlib(text.as_bytes(), BEST_COMPRESSION) };
    std::fs::write(path, &data)?;
    Ok(data.len())
}

/// The level of zlib that makes the smallest files.
const BEST_COMPRESSION: u8 = 9;

/// The positions to solve, and what they are called: the position itself, or those after its moves.
fn questions<G: Notation>(position: &G, openings: bool) -> Vec<(String, G)> {
    if !openings {
        return vec![(position.to_string(), *position)];
    }
    let after = |mv: G::Move| {
        let mut next = *position;
        next.play(mv);
        (mv.to_string(), next)
    };
    position.legal_moves().into_iter().map(after).collect()
}

/// Expansions from one look at the clock to the next.
const EXPANSIONS: u64 = 1 << 18;

fn solve<G: Searchable>(searcher: &mut Searcher<G>, position: &G, name: &str, progress: &Progress) -> Outcome {
    let mut expansions = 0;
    loop {
        if let Some(proof) = searcher.solve(position, EXPANSIONS) {
            return proof.outcome;
        }
        expansions += EXPANSIONS;
        progress.tick(name, "expansions", expansions);
    }
}

/// What is shown on a terminal while the program works.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new() -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar }
    }

    fn tick(&self, name: &str, what: &str, count: u64) {
        self.bar.set_message(format!("{name}: {count} {what}"));
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| println!("{line}"));
    }
}

//! Position lines of the command line and of files, and the positions after a move.

use std::path::Path;

use anyhow::{Context, bail};
use oshi::game::Game;

/// A position line, and its source for error messages.
pub struct PositionLine {
    pub source: String,
    pub text: String,
}

impl PositionLine {
    pub fn new(source: &str, text: String) -> PositionLine {
        PositionLine { source: source.to_owned(), text }
    }
}

/// Reads the position lines of a file. Skips empty lines and comments (`#`), and drops everything
/// after a `;`.
pub fn read_lines(path: &Path) -> anyhow::Result<Vec<PositionLine>> {
    let file = path.display();
    let text = oshi::text::read(path).with_context(|| format!("cannot read {file}"))?;
    let line = |line: &str| line.split(';').next().unwrap_or_default().trim().to_owned();
    let lines = (1..)
        .zip(text.lines().map(line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<PositionLine> = lines
        .map(|(number, text)| PositionLine { source: format!("{file}: line {number}"), text })
        .collect();
    if lines.is_empty() { bail!("{file}: expected a position, found none") } else { Ok(lines) }
}

/// Returns the position after a move.
pub fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.play(mv);
    next
}

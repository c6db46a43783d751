//! `basho board`: an SVG picture of a position.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use basho::config::VariantName;
use basho::output::{board, terminal};
use oshi::games::{Layout, StartPosition, Variant, layout_names};

use crate::file::write;

/// Command-line arguments of `basho board`.
#[derive(Args)]
pub struct Board {
    /// Arguments of the command `position`: startpos, random SEED or a position line, then moves
    /// MOVE...
    #[arg(required = true, num_args = 1..)]
    position: Vec<String>,
    /// Variant of startpos and random.
    #[arg(long, default_value_t = Variant::default().name().to_owned())]
    variant: String,
    /// Kamisado board layout of startpos and random: standard, mirrored, turned or
    /// turned-mirrored.
    #[arg(long, default_value_t = Layout::default().name().to_owned())]
    layout: String,
    /// File to write instead of standard output.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Board {
    /// Draws the position and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let VariantName(variant) = self.variant.try_into().map_err(anyhow::Error::msg)?;
        let layout = &self.layout;
        let layout = layout.parse().map_err(|_| {
            anyhow!("unknown layout `{layout}`; expected one of {}", layout_names())
        })?;
        let picture =
            board::draw(&self.position.join(" "), StartPosition { variant, layout, seed: None })?;
        match &self.out {
            Some(file) => write(file, &picture)?,
            None => terminal::say(&picture),
        }
        Ok(0)
    }
}

//! `basho board`: the picture of a position.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use basho::config::VariantName;
use basho::output::{board, terminal};
use oshi::games::{Layout, StartPosition, Variant};

use crate::file::write;

/// A position to draw.
#[derive(Args)]
pub struct Board {
    /// As after the command `position`: startpos, random SEED or a position line, and moves MOVE...
    #[arg(required = true, num_args = 1..)]
    position: Vec<String>,
    /// The variant of startpos and random.
    #[arg(long, default_value_t = Variant::default().name().to_owned())]
    variant: String,
    /// The Kamisado board of startpos and random: standard, mirrored, turned or turned-mirrored.
    #[arg(long, default_value_t = Layout::default().name().to_owned())]
    layout: String,
    /// The file to write, instead of the standard output.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Board {
    /// Draws it; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        let VariantName(variant) = self.variant.try_into().map_err(anyhow::Error::msg)?;
        let layouts = Layout::ALL.iter().copied().map(Layout::name).collect::<Vec<_>>().join(", ");
        let layout = &self.layout;
        let layout = layout
            .parse()
            .map_err(|_| anyhow!("unknown layout `{layout}`, expected one of {layouts}"))?;
        let picture =
            board::draw(&self.position.join(" "), StartPosition { variant, layout, seed: None })?;
        match &self.out {
            Some(file) => write(file, &picture)?,
            None => terminal::say(&picture),
        }
        Ok(0)
    }
}

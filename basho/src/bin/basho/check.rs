//! `basho check`: a check of an engine against the protocol.

use std::path::PathBuf;

use clap::Args;

use basho::config::{ChildProgram, VariantName};
use basho::output::terminal;
use basho::play::check;
use basho::play::descendants::Subreaper;
use oshi::games::Variant;

use crate::INTERRUPTED;
use crate::play::interrupt_on_signals;

/// Command-line arguments of `basho check`.
#[derive(Args)]
pub struct Check {
    /// Variant to play.
    #[arg(long, default_value_t = Variant::default().name().to_owned())]
    variant: String,
    /// Program of the engine.
    cmd: PathBuf,
    /// Arguments of the engine.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

impl Check {
    /// Prints the result of each step and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let VariantName(variant) = self.variant.try_into().map_err(anyhow::Error::msg)?;
        let program = ChildProgram { path: self.cmd, args: self.args, dir: None, stderr: None };
        let interrupt = interrupt_on_signals()?;
        let _subreaper = Subreaper::open();
        let has_passed = check::check(&program, variant, &interrupt, &mut terminal::say)?;
        Ok(match (has_passed, interrupt.is_raised()) {
            (true, _) => 0,
            (false, true) => INTERRUPTED,
            (false, false) => 3,
        })
    }
}

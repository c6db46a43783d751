//! `basho watch`: a sequential test over the shards of a tournament in progress.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;

use basho::output::verdict::Verdict;
use basho::output::{report, terminal};
use basho::printable::one_line;
use basho::records::tail::ShardTails;

use crate::report::warn_of;
use crate::{code_if_incomplete, decision_code};

/// Command-line arguments of `basho watch`.
#[derive(Args)]
pub struct Watch {
    /// Folders of all shards. They need not exist yet.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
}

/// Interval between two readings of the folders.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

impl Watch {
    /// Watches until the test has decided or all games are played, and returns the exit code.
    ///
    /// A decision is written to all folders, so that their shards stop.
    pub fn execute(self) -> anyhow::Result<u8> {
        let mut shards = ShardTails::new(self.dirs);
        let (mut counted, mut waiting, mut left_out) = (None, 0, 0);
        let mut warned = BTreeSet::new();
        loop {
            shards.read()?;
            for dir in shards.holding_other_files().filter(|dir| warned.insert(dir.to_path_buf())) {
                let warning = format!(
                    "{}: no tournament.toml among the files; expected the folder of a shard",
                    dir.display()
                );
                terminal::print_error(&format!("Warning: {}", one_line(&warning)));
            }
            let invalid = shards.take_invalid();
            invalid.iter().for_each(|(dir, record)| warn_of(dir, record));
            left_out += invalid.len();
            let awaited: Vec<String> =
                shards.waiting().map(|dir| dir.display().to_string()).collect();
            if awaited.len() != std::mem::replace(&mut waiting, awaited.len())
                && !awaited.is_empty()
            {
                terminal::say(&format!("No games yet in: {}", one_line(&awaited.join(", "))));
            }
            if let Some((manifest, standings)) = shards.whole()
                && let Some(state) = standings.sprt()
            {
                if counted != Some(state.pairs()) {
                    counted = Some(state.pairs());
                    terminal::say(&report::sprt_progress(standings, state));
                }
                if standings.is_complete() {
                    let engines = manifest.tournament.engines()?;
                    terminal::say(&report::standings(
                        standings,
                        &engines,
                        &manifest.tournament.openings.file_name(),
                    ));
                    let verdict = report::verdict(standings).unwrap_or_default();
                    terminal::say(&verdict);
                    terminal::say(&Verdict::of(standings).line());
                    if let Some(fault) = standings.excess_fault() {
                        terminal::print_error(&format!("Error: {}", report::fault(fault)));
                    }
                    shards.stop_if_decided(&verdict)?;
                    let code = decision_code(standings.decision());
                    return Ok(if left_out > 0 { code_if_incomplete(code) } else { code });
                }
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

//! The three steps of a shared proof: split, solve in shards, merge.

use anyhow::bail;
use basho::shard::Shard;
use oshi::game::Searchable;
use oshi::games::notation::Notation;

use crate::folder::{Folder, shard_name};
use crate::frontier::{Frontier, Growth, OpenLeaf};
use crate::progress::{Progress, result};
use crate::session::Session;

/// Grows a frontier and writes it into a new folder.
pub fn split<G: Searchable + Notation>(
    session: &mut Session,
    frontier: &mut Frontier<G>,
    growth: Growth,
    folder: &Folder,
) -> anyhow::Result<()> {
    folder.create()?;
    session.grow(frontier, growth)?;
    folder.write(frontier)?;
    let open = frontier.open_leaves().len();
    session.progress.print(&format!(
        "{open} positions to solve, {} already solved",
        frontier.leaves().count() - open
    ));
    Ok(())
}

/// Solves the open positions of a shard. Ends early once the answers of all shards decide the root.
pub fn solve<G: Searchable + Notation>(
    session: &mut Session,
    folder: &Folder,
    shard: Shard,
) -> anyhow::Result<()> {
    let mut answers = folder.answers(shard_name(shard))?;
    let mut frontier = folder.read::<G>()?;
    let mut added = 0;
    while let Some(leaf) =
        frontier.open_leaves().iter().find(|leaf| shard.contains(leaf.number as u64))
    {
        let name = format!("position {}", leaf.number);
        let objective = session.answer(&leaf.position, &name, leaf.query)?;
        answers.add(objective, &leaf.position)?;
        added += 1;
        // Faulty answers of another shard end this run, but must not lose its own work.
        folder.read_answers(&mut frontier).or_else(|error| session.save().and(Err(error)))?;
    }
    let others = frontier.open_leaves().len();
    session
        .progress
        .print(&format!("{added} answers; {others} positions of other shards are open"));
    Ok(())
}

/// Maximum number of missing positions to list.
const MAX_LISTED: usize = 10;

/// Prints the root's result, or the positions without an answer.
pub fn merge<G: Searchable + Notation>(folder: &Folder, progress: &Progress) -> anyhow::Result<()> {
    let frontier = folder.read::<G>()?;
    let bounds = frontier.result();
    if let (Some(root), Some(outcome)) = (frontier.root(), bounds.outcome()) {
        progress.print(&format!("{root}: {}", result(outcome)));
        for (mv, bounds) in frontier.moves() {
            progress.print(&format!("  {mv}: {}", bounds.outcome().map_or("not needed", result)));
        }
    }
    let open = frontier.open_leaves();
    if open.is_empty() {
        return progress.check_printed();
    }
    for OpenLeaf { number, position, .. } in open.iter().take(MAX_LISTED) {
        progress.print(&format!("missing: position {number}, {position}"));
    }
    if let Some(false) = bounds.wins(frontier.likelier()).filter(|_| bounds.outcome().is_none()) {
        bail!(
            "{} does not win; {} answers are missing to decide whether {} does: \
             run all shards again",
            frontier.likelier(),
            open.len(),
            !frontier.likelier()
        );
    }
    bail!("{} answers are missing: run their shards again", open.len())
}

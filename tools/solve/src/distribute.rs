//! A proof that many processes share: split into positions, solved in shards, merged.

use anyhow::bail;
use basho::shard::Shard;
use oshi::game::Searchable;
use oshi::games::notation::Notation;

use crate::folder::{Folder, shard_name};
use crate::frontier::{Frontier, Growth, Open};
use crate::progress::{Progress, result};
use crate::session::Session;

/// Writes a frontier of at least so many open positions into a new folder.
pub fn split<G: Searchable + Notation>(
    session: &mut Session,
    frontier: &mut Frontier<G>,
    growth: Growth,
    folder: &Folder,
) -> anyhow::Result<()> {
    folder.create()?;
    session.grow(frontier, growth)?;
    folder.write(frontier)?;
    let open = frontier.open().len();
    session.progress.say(&format!(
        "{open} positions to solve, {} are solved already",
        frontier.leaves().count() - open
    ));
    Ok(())
}

/// Answers the open positions of a shard, as long as their answers are needed: those of others count too.
pub fn solve<G: Searchable + Notation>(
    session: &mut Session,
    folder: &Folder,
    shard: Shard,
) -> anyhow::Result<()> {
    let mut answers = folder.answers(shard_name(shard))?;
    let mut frontier = folder.read::<G>()?;
    let mut added = 0;
    while let Some(open) = frontier.open().iter().find(|open| shard.contains(open.number as u64)) {
        let claim =
            session.answer(&open.position, &format!("position {}", open.number), open.asked)?;
        answers.add(claim, &open.position)?;
        added += 1;
        // What is known of this one is kept whatever is wrong with the answers of others.
        folder.learn(&mut frontier).or_else(|error| session.keep().and(Err(error)))?;
    }
    let others = frontier.open().len();
    session.progress.say(&format!("{added} answers; {others} positions of other shards are open"));
    Ok(())
}

/// How many of the missing positions are named.
const NAMED: usize = 10;

/// Says what the answers make of the root, or which are missing.
pub fn merge<G: Searchable + Notation>(folder: &Folder, progress: &Progress) -> anyhow::Result<()> {
    let frontier = folder.read::<G>()?;
    let bounds = frontier.result();
    if let (Some(root), Some(outcome)) = (frontier.root(), bounds.outcome()) {
        progress.say(&format!("{root}: {}", result(outcome)));
        for (mv, bounds) in frontier.moves() {
            progress.say(&format!("  {mv}: {}", bounds.outcome().map_or("not needed", result)));
        }
    }
    let open = frontier.open();
    if open.is_empty() {
        return progress.heard();
    }
    for Open { number, position, .. } in open.iter().take(NAMED) {
        progress.say(&format!("missing: position {number}, {position}"));
    }
    if let Some(false) = bounds.wins(frontier.likelier()).filter(|_| bounds.outcome().is_none()) {
        bail!(
            "{} does not win; {} answers are missing to whether {} does: run all shards again",
            frontier.likelier(),
            open.len(),
            !frontier.likelier()
        );
    }
    bail!("{} answers are missing: run their shards again", open.len())
}

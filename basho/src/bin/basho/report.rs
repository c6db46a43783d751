//! `basho report` and `merge`: the standings of a tournament.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use basho::output::{page, report, terminal};
use basho::printable::one_line;
use basho::records::load::{self, InvalidRecord, LoadedGames};
use basho::records::merge::{self, Merged};

use crate::FILES;
use crate::file::write;

/// A tournament to report on.
#[derive(Args)]
pub struct Report {
    /// Its folder.
    dir: PathBuf,
    /// Print every game as well, in order.
    #[arg(long)]
    games: bool,
    /// Write a page with statistics and all games to this file instead, to be opened in a browser.
    #[arg(long, conflicts_with = "games")]
    html: Option<PathBuf>,
    /// Open the page in the browser.
    #[arg(long, requires = "html")]
    open: bool,
}

impl Report {
    /// Prints the standings or writes the page; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        match self.html {
            Some(file) => write_page(&self.dir, &file, self.open),
            None => show(&self.dir, self.games),
        }
    }
}

/// Shards of a tournament.
#[derive(Args)]
pub struct Merge {
    /// Their folders.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// The folder to make.
    #[arg(long)]
    into: PathBuf,
}

impl Merge {
    /// Merges them and prints the standings; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        let Merged { invalid, missing, other_programs } = merge::merge(&self.dirs, &self.into)?;
        for shard in missing {
            terminal::print_error(&format!("Warning: shard {shard} is in none of these folders"));
        }
        for dir in other_programs {
            terminal::print_error(&format!(
                "Warning: {}: an engine was another program there than in the first folder",
                dir.display()
            ));
        }
        invalid.iter().for_each(|(dir, record)| warn_of(dir, record));
        let code = show(&self.into, false)?;
        Ok(if invalid.is_empty() { code } else { FILES })
    }
}

fn show(dir: &Path, games: bool) -> anyhow::Result<u8> {
    let mut lines = BTreeMap::new();
    let (manifest, LoadedGames { standings, calibration, invalid, .. }) =
        load::read(dir, |record, _| {
            if games {
                lines.insert(record.game, report::finished(record));
            }
        })?;
    invalid.iter().for_each(|record| warn_of(dir, record));
    lines.values().for_each(|line| terminal::say(line));
    let engines = manifest.tournament.engines()?;
    terminal::say(&report::standings(
        &standings,
        &engines,
        &manifest.tournament.openings.file_name(),
    ));
    report::verdict(&standings).iter().for_each(|line| terminal::say(line));
    standings.faulty_games().into_iter().for_each(|game| terminal::say(&report::fault(game)));
    report::strengths(&standings).iter().for_each(|table| terminal::say(table));
    report::calibration(standings.names(), &calibration)
        .iter()
        .for_each(|table| terminal::say(table));
    report::remedy(&standings, dir).iter().for_each(|line| terminal::say(line));
    if !standings.is_complete() {
        let missing = standings.planned() - standings.played();
        terminal::say(&format!(
            "{missing} games are missing; `basho resume {}` plays them",
            dir.display()
        ));
    }
    Ok(if invalid.is_empty() { 0 } else { FILES })
}

fn write_page(dir: &Path, file: &Path, is_opened: bool) -> anyhow::Result<u8> {
    let page = page::render(dir)?;
    write(file, &page.html)?;
    if is_opened {
        // The page is there, whether or not a browser is.
        let opened = std::path::absolute(file).and_then(open::that_detached);
        opened.unwrap_or_else(|error| {
            let file = file.display().to_string();
            terminal::print_error(&format!(
                "Warning: no browser could be started ({error}); open {} yourself",
                one_line(&file)
            ));
        });
    }
    page.invalid.iter().for_each(|record| warn_of(dir, record));
    Ok(if page.invalid.is_empty() { 0 } else { FILES })
}

pub fn warn_of(dir: &Path, record: &InvalidRecord) {
    let warning = format!("{}: {record}; the record is left out", dir.display());
    terminal::print_error(&format!("Warning: {}", one_line(&warning)));
}

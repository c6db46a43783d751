//! `basho report` and `merge`: standings and page of a tournament.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use basho::output::summary::Summary;
use basho::output::verdict::Verdict;
use basho::output::{markdown, page, report, terminal};
use basho::printable::one_line;
use basho::records::load::{self, InvalidRecord, LoadedGames};
use basho::records::merge::{self, Merged};

use crate::IO_ERROR;
use crate::file::write;

/// Form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For a terminal, and for programs that read the output of fastchess.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For the summary of a CI job.
    Markdown,
}

/// Command-line arguments of `basho report`.
#[derive(Args)]
pub struct Report {
    /// Folder of the tournament.
    dir: PathBuf,
    /// Form of the report: text, JSON (basho/report.schema.json) or Markdown.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also print every game, in order.
    #[arg(long, conflicts_with = "format")]
    games: bool,
    /// Write an HTML page with statistics and all games to this file instead.
    #[arg(long, conflicts_with_all = ["games", "format"])]
    html: Option<PathBuf>,
    /// Open the page in the browser.
    #[arg(long, requires = "html")]
    open: bool,
}

impl Report {
    /// Prints the standings or writes the page, and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        match (self.html, self.format) {
            (Some(file), _) => write_page(&self.dir, &file, self.open),
            (None, Format::Text) => print_standings(&self.dir, self.games),
            (None, Format::Json) => {
                print_summary(&self.dir, |summary| Ok(serde_json::to_string_pretty(summary)?))
            }
            (None, Format::Markdown) => {
                print_summary(&self.dir, |summary| Ok(markdown::render(summary)))
            }
        }
    }
}

/// Command-line arguments of `basho merge`.
#[derive(Args)]
pub struct Merge {
    /// Folders of the shards.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Folder to create for the whole tournament.
    #[arg(long)]
    into: PathBuf,
}

impl Merge {
    /// Merges the shards, prints the standings and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let Merged { invalid, missing, other_programs } = merge::merge(&self.dirs, &self.into)?;
        for shard in missing {
            terminal::print_error(&format!("Warning: shard {shard} is in none of these folders"));
        }
        for dir in other_programs {
            terminal::print_error(&format!(
                "Warning: {}: an engine ran another program there than in the first folder",
                dir.display()
            ));
        }
        invalid.iter().for_each(|(dir, record)| warn_of(dir, record));
        let code = print_standings(&self.into, false)?;
        Ok(if invalid.is_empty() { code } else { IO_ERROR })
    }
}

/// Prints the standings of a tournament, with its games if `games` is set.
fn print_standings(dir: &Path, games: bool) -> anyhow::Result<u8> {
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
    terminal::say(&Verdict::of(&standings).line());
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
    Ok(if invalid.is_empty() { 0 } else { IO_ERROR })
}

/// Prints the results in a form.
fn print_summary(
    dir: &Path,
    render: impl Fn(&Summary) -> anyhow::Result<String>,
) -> anyhow::Result<u8> {
    let (manifest, LoadedGames { standings, calibration, invalid, .. }) =
        load::read(dir, |_, _| {})?;
    invalid.iter().for_each(|record| warn_of(dir, record));
    let summary = Summary::new(&manifest.tournament, &standings, &calibration)?;
    terminal::say(render(&summary)?.trim_end());
    Ok(if invalid.is_empty() { 0 } else { IO_ERROR })
}

fn write_page(dir: &Path, file: &Path, open_browser: bool) -> anyhow::Result<u8> {
    let page = page::render(dir)?;
    write(file, &page.html)?;
    if open_browser {
        // Without a browser the command still succeeds: the page is written.
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
    Ok(if page.invalid.is_empty() { 0 } else { IO_ERROR })
}

/// Prints a warning that names an invalid record.
pub fn warn_of(dir: &Path, record: &InvalidRecord) {
    let warning = format!("{}: {record}; the record is left out", dir.display());
    terminal::print_error(&format!("Warning: {}", one_line(&warning)));
}

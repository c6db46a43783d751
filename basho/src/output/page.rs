//! The HTML page of a tournament, one self-contained file: standings, statistics, and all games to
//! replay.
//!
//! Tables and charts are made here. The page's script replays, lists and filters games, and knows
//! no rules. Games are stored compressed and unpacked on selection, so that ten thousand of them do
//! not slow the page down.

mod calibration;
mod chart;
mod embed;
mod figures;
mod openings;
mod places;
mod played;
mod replay;
mod reported_scores;
mod rounds;
mod tables;

use std::path::Path;

use askama::Template;
use serde::Serialize;

use crate::config::Tournament;
use crate::printable::printable;
use crate::records::load::{self, InvalidRecord, LoadError, LoadedGames};
use crate::records::manifest::{self, Manifest};
use crate::records::standings::Standings;
use crate::records::validate::ValidatorError;
use crate::statistics::calibration::Calibration;
use calibration::EngineCalibration;
use chart::Chart;
use embed::{hash, json, packed};
use figures::{
    FaultRow, RoundRow, Tile, TimeRow, course_charts, fault_rows, length_chart, llr_chart,
    round_rows, tiles, time_row, verdict, ways,
};
use openings::Opening;
use oshi::draw::{BOARD_SCRIPT, Draw};
use oshi::game::Text;
use oshi::games::Visitor;
use oshi::games::notation::Notation;
use places::Places;
use played::{Entry, PlayedGames};
use tables::{Row, Setting};

/// The page, and the records that it leaves out.
#[derive(Debug)]
pub struct Rendered {
    /// The whole document.
    pub html: String,
    /// Invalid records.
    pub invalid: Vec<InvalidRecord>,
}

/// Reads the records of a folder and renders the page. Invalid records are left out and listed.
///
/// # Errors
/// [`LoadError`] if the folder holds no tournament or cannot be read.
pub fn render(dir: &Path) -> Result<Rendered, LoadError> {
    let manifest = manifest::read(dir)?;
    let engines = manifest.tournament.engines().map_err(ValidatorError::from)?;
    let collection =
        manifest.tournament.variant.0.start().visit(Collect { dir, manifest: &manifest })?;
    let invalid = collection.invalid.clone();
    let html = Page::new(&manifest.tournament, tables::settings(&engines), collection).to_string();
    Ok(Rendered { html: printable(&html).into_owned(), invalid })
}

/// Visitor that reads all games of a folder.
struct Collect<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
}

/// The content of a folder's records.
struct Collection {
    standings: Standings,
    calibration: Vec<Calibration>,
    openings: Vec<Opening>,
    played: PlayedGames,
    invalid: Vec<InvalidRecord>,
}

impl Visitor for Collect<'_> {
    type Output = Result<Collection, LoadError>;

    fn visit<G: Text + Notation + Draw>(self, start: G) -> Self::Output {
        let mut played = PlayedGames::new(&self.manifest.tournament);
        let LoadedGames { standings, calibration, invalid, .. } =
            load::courses(self.dir, self.manifest, start, |record, line, course| {
                played.add(record, line, course)
            })?;
        let openings = played.order();
        Ok(Collection { standings, calibration, openings, played, invalid })
    }
}

/// Number of games in a chunk, which the script unpacks as a whole.
const CHUNK: usize = 50;

/// Data that the script reads before any game.
#[derive(Serialize)]
struct Index<'a> {
    variant: &'a str,
    names: &'a [String],
    chunk: usize,
    games: &'a [Entry],
    openings: &'a [Opening],
    places: &'a Places,
}

#[derive(Template)]
#[template(path = "output/page/page.html")]
struct Page {
    style: &'static str,
    script: String,
    style_hash: String,
    script_hash: String,
    title: String,
    subtitle: String,
    tiles: Vec<Tile>,
    rows: Vec<Row>,
    has_ratings: bool,
    verdict: Option<String>,
    llr_chart: Option<Chart>,
    lengths: Option<Chart>,
    courses: Vec<Chart>,
    ways: Vec<RoundRow>,
    round_numbers: Vec<RoundRow>,
    openers: Vec<RoundRow>,
    has_points: bool,
    has_places: bool,
    times: Vec<TimeRow>,
    calibration: Vec<EngineCalibration>,
    faults: Vec<FaultRow>,
    replayed: u64,
    invalid: Vec<InvalidRecord>,
    settings: Vec<Setting>,
    stages: Vec<String>,
    index: String,
    chunks: Vec<String>,
}

impl Page {
    fn new(tournament: &Tournament, settings: Vec<Setting>, collection: Collection) -> Page {
        let Collection { standings, calibration, openings, played, invalid } = collection;
        let PlayedGames { games, texts, stages, rounds, places, times, .. } = played;
        let names = standings.names();
        let variant = tournament.variant.0;
        let title = format!("{} tournament", variant.title());
        let index = Index {
            variant: variant.name(),
            names,
            chunk: CHUNK,
            games: &games,
            openings: &openings,
            places: &places,
        };
        let rows = tables::rows(&standings);
        let style = include_str!("page/page.css");
        let script = SCRIPTS.concat();
        Page {
            style,
            style_hash: hash(style),
            script_hash: hash(&script),
            script,
            title,
            subtitle: subtitle(tournament, names.len()),
            tiles: tiles(&standings, &games, &rounds),
            has_ratings: rows.iter().any(|row| row.rating.is_some()),
            rows,
            verdict: verdict(&standings),
            llr_chart: llr_chart(&standings),
            lengths: length_chart(&games),
            courses: course_charts(names, &times),
            ways: ways(&rounds),
            round_numbers: round_rows(
                (1..)
                    .zip(&rounds.by_number)
                    .map(|(number, &tally)| (format!("Round {number}"), tally)),
            ),
            openers: round_rows(names.iter().cloned().zip(rounds.by_opener.iter().copied())),
            has_points: variant.counts_points(),
            has_places: !places.is_empty(),
            times: names.iter().zip(&times).map(|(name, times)| time_row(name, times)).collect(),
            calibration: calibration::engine_calibrations(names, &calibration),
            faults: fault_rows(&standings),
            replayed: standings.replayed(),
            invalid,
            settings,
            stages,
            index: json(&index),
            chunks: texts.chunks(CHUNK).map(|texts| packed(&texts.join("\n"))).collect(),
        }
    }
}

/// The parts of the page's module. Each part uses only those before it.
const SCRIPTS: [&str; 8] = [
    BOARD_SCRIPT,
    include_str!("page/script/elements.js"),
    include_str!("page/script/records.js"),
    include_str!("page/script/graph.js"),
    include_str!("page/script/viewer.js"),
    include_str!("page/script/lists.js"),
    include_str!("page/script/places.js"),
    include_str!("page/script/page.js"),
];

fn subtitle(tournament: &Tournament, engines: usize) -> String {
    let openings = &tournament.openings;
    let mut from = match openings.file_name() {
        name if !name.is_empty() => format!("openings of {name}"),
        _ if openings.random_start => "random starts".to_owned(),
        _ => "the usual start".to_owned(),
    };
    if let Some(plies) = openings.random_plies {
        from.push_str(&format!(" and {plies} random moves"));
    }
    format!(
        "{engines} engines · {} pairs of games each · from {from} · seed {}",
        tournament.rounds, tournament.seed
    )
}

//! A tournament as one page of HTML that needs nothing else: standings, statistics, and every game to be played through.
//!
//! The tables and charts are made here; the page's script replays games, lists and filters them, and knows no rules. Games are stored
//! compressed, and unpacked when one is selected, so that ten thousand of them do not slow it down.

mod chances;
mod chart;
mod openings;
mod places;
mod replay;
mod rounds;
mod said;
mod tables;

use std::cmp::Reverse;
use std::path::Path;

use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::terminal::printable;
use crate::draw::{BOARD_SCRIPT, Draw};
use crate::game::Text;
use crate::games::notation::Notation;
use crate::games::{Variant, Visitor};
use crate::runner::config::Tournament;
use crate::runner::records::audit::{self, Audit, AuditError, Problem};
use crate::runner::records::judge::{Course, JudgeError};
use crate::runner::records::manifest::{self, Manifest};
use crate::runner::records::record::{GameRecord, Reason};
use crate::runner::statistics::reliability::Reliability;
use crate::runner::statistics::sprt::Decision;
use crate::runner::statistics::standings::Standings;
use crate::sheet::GameScore;
use chances::Chances;
use chart::{Chart, Words};
use openings::{Begun, Opening, numbered};
use places::Places;
use replay::Replay;
use rounds::Rounds;
use tables::{Row, Setting, TimeUse};

/// The page, and the records that it leaves out.
#[derive(Debug)]
pub struct Rendered {
    /// The whole document.
    pub html: String,
    /// The invalid records.
    pub problems: Vec<Problem>,
}

/// Reads the records of a folder and makes the page. Invalid records are left out, and listed.
///
/// # Errors
/// [`AuditError`] if the folder is not a tournament or cannot be read.
pub fn render(dir: &Path) -> Result<Rendered, AuditError> {
    let manifest = manifest::read(dir)?;
    let engines = manifest.tournament.engines().map_err(JudgeError::from)?;
    let collection = manifest.tournament.variant.0.start().visit(Collect { dir, manifest: &manifest })?;
    let problems = collection.problems.clone();
    let html = Page::new(&manifest.tournament, tables::settings(&engines), collection).to_string();
    Ok(Rendered { html: printable(&html).into_owned(), problems })
}

/// Reads all games of a folder.
struct Collect<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
}

/// The content of a tournament's records.
struct Collection {
    standings: Standings,
    reliability: Vec<Reliability>,
    openings: Vec<Opening>,
    played: PlayedGames,
    problems: Vec<Problem>,
}

/// The games that count, ready for the page.
struct PlayedGames {
    variant: Variant,
    games: Vec<Entry>,
    /// The games as text, in the order of `games`: a line with the record, and one with the [`Replay`].
    texts: Vec<String>,
    begun: Vec<Begun>,
    /// The boards that games are played on.
    stages: Vec<String>,
    rounds: Rounds,
    places: Places,
    times: Vec<TimeUse>,
}

/// A game in the list of games.
#[derive(Clone, Debug, Serialize)]
struct Entry {
    number: u64,
    black: usize,
    white: usize,
    result: GameScore,
    reason: Reason,
    plies: u32,
    /// How many errors are marked.
    errors: usize,
    /// The number of its opening among those of the page.
    opening: usize,
}

impl Visitor for Collect<'_> {
    type Output = Result<Collection, AuditError>;

    fn visit<G: Text + Notation + Draw>(self, start: G) -> Self::Output {
        let mut played = PlayedGames::new(&self.manifest.tournament);
        let Audit { standings, reliability, problems, .. } =
            audit::courses(self.dir, self.manifest, start, |record, line, course| played.add(record, line, course))?;
        let openings = played.order();
        Ok(Collection { standings, reliability, openings, played, problems })
    }
}

impl PlayedGames {
    /// No games yet of this tournament.
    fn new(tournament: &Tournament) -> PlayedGames {
        let engines = tournament.engines.len();
        PlayedGames {
            variant: tournament.variant.0,
            games: Vec::new(),
            texts: Vec::new(),
            begun: Vec::new(),
            stages: Vec::new(),
            rounds: Rounds::new(engines),
            places: Places::default(),
            times: vec![TimeUse::default(); engines],
        }
    }

    /// Adds a game, whose record is this line, and counts its rounds, places and times; an interrupted one is ignored.
    fn add<G: Draw + Notation>(&mut self, record: &GameRecord, line: &str, course: &Course<G>) {
        if record.result == GameScore::Unfinished {
            return;
        }
        let stages = &mut self.stages;
        let replay = Replay::new(record, course, self.variant, |position| {
            let stage = position.stage();
            stages.iter().position(|known| *known == stage).unwrap_or_else(|| {
                stages.push(stage);
                stages.len() - 1
            })
        });
        self.rounds.add(&replay);
        self.places.add(&replay);
        for (turn, engine) in [(0, replay.black), (1, replay.white)] {
            if let Some(times) = self.times.get_mut(engine) {
                times.add(record, |index| replay.turn_before(replay.opening + index) == Some(turn));
            }
        }
        self.texts.push(format!("{}\n{}", line.trim(), json(&replay)));
        let Replay { black, white, plies, falls, begun, .. } = replay;
        let (number, result, reason) = (record.game, record.result, record.reason);
        let (plies, errors) = (plies.len() as u32, falls.len());
        self.games.push(Entry { number, black, white, result, reason, plies, errors, opening: 0 });
        self.begun.push(begun);
    }

    /// Sorts the games in the order of the schedule, and numbers their openings.
    fn order(&mut self) -> Vec<Opening> {
        let texts = self.texts.drain(..).zip(self.begun.drain(..));
        let mut all: Vec<(Entry, (String, Begun))> = self.games.drain(..).zip(texts).collect();
        all.sort_by_key(|(entry, _)| entry.number);
        (self.games, (self.texts, self.begun)) = all.into_iter().unzip();
        self.times.iter_mut().for_each(TimeUse::sort);
        let (openings, numbers) = numbered(&self.begun);
        self.games.iter_mut().zip(numbers).for_each(|(game, number)| game.opening = number);
        openings
    }
}

/// How many games are unpacked together when one of them is selected.
const CHUNK: usize = 50;

/// A key figure, and what it counts.
struct Tile {
    value: String,
    label: String,
}

/// A row of a table of rounds.
struct RoundRow {
    name: String,
    serves: rounds::Serves,
    /// The number of these rounds, in percent of the greatest number in the table.
    share: f64,
}

/// A row of the table of times.
struct TimeRow {
    name: String,
    cells: [String; 6],
}

/// A fault that lost games.
struct FaultRow {
    name: String,
    reason: String,
    count: u64,
}

/// What the script reads before any game.
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
#[template(path = "runner/output/page/page.html")]
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
    trial: Option<Chart>,
    lengths: Option<Chart>,
    courses: Vec<Chart>,
    ways: Vec<RoundRow>,
    round_numbers: Vec<RoundRow>,
    openers: Vec<RoundRow>,
    has_points: bool,
    has_places: bool,
    times: Vec<TimeRow>,
    chances: Vec<Chances>,
    faults: Vec<FaultRow>,
    replayed: u64,
    problems: Vec<Problem>,
    settings: Vec<Setting>,
    stages: Vec<String>,
    index: String,
    chunks: Vec<String>,
}

impl Page {
    fn new(tournament: &Tournament, settings: Vec<Setting>, collection: Collection) -> Page {
        let Collection { standings, reliability, openings, played, problems } = collection;
        let PlayedGames { games, texts, stages, rounds, places, times, .. } = played;
        let names = standings.names();
        let variant = tournament.variant.0;
        let title = format!("{} tournament", variant.title());
        let index = Index { variant: variant.name(), names, chunk: CHUNK, games: &games, openings: &openings, places: &places };
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
            trial: trial_chart(&standings),
            lengths: length_chart(&games),
            courses: course_charts(names, &times),
            ways: ways(&rounds),
            round_numbers: round_rows((1..).zip(&rounds.by_number).map(|(number, &serves)| (format!("Round {number}"), serves))),
            openers: round_rows(names.iter().cloned().zip(rounds.by_opener.iter().copied())),
            has_points: variant.counts_points(),
            has_places: !places.is_empty(),
            times: names.iter().zip(&times).map(|(name, times)| time_row(name, times)).collect(),
            chances: chances::chances(names, &reliability),
            faults: standings
                .faults()
                .map(|(name, reason, count)| FaultRow { name: name.to_owned(), reason: reason.to_string(), count })
                .collect(),
            replayed: standings.replayed(),
            problems,
            settings,
            stages,
            index: json(&index),
            chunks: texts.chunks(CHUNK).map(|texts| packed(&texts.join("\n"))).collect(),
        }
    }
}

/// JSON without any character that could end a script.
fn json(value: &impl Serialize) -> String {
    match askama::filters::json(value) {
        Ok(text) => text.to_string(),
        Err(never) => match never {},
    }
}

/// The text compressed as by `zlib`, which browsers unpack themselves, in Base64.
fn packed(text: &str) -> String {
    /// Beyond it, pages take longer and get hardly smaller.
    const LEVEL: u8 = 8;
    BASE64_STANDARD.encode(compress_to_vec_zlib(text.as_bytes(), LEVEL))
}

/// The page's one module, in parts that each know one thing; a later one uses those before it.
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

/// The hash by which the page's policy allows a script or a style: <https://www.w3.org/TR/CSP3/#framework-directive-source-list>.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

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
    format!("{engines} engines · {} pairs of games each · from {from} · seed {}", tournament.rounds, tournament.seed)
}

fn tiles(standings: &Standings, games: &[Entry], rounds: &Rounds) -> Vec<Tile> {
    let tile = |value, label: &str| Tile { value, label: label.to_owned() };
    let count = games.len().max(1) as f64;
    let share = |result| games.iter().filter(|game| game.result == result).count() as f64 / count * 100.0;
    let plies: u64 = games.iter().map(|game| u64::from(game.plies)).sum();
    let mut tiles = vec![
        tile(format!("{} of {}", standings.played(), standings.planned()), "games played"),
        tile(format!("{:.1}", plies as f64 / count), "plies per game"),
        tile(format!("{:.1} %", share(GameScore::BlackWins)), "won by Black, who opens"),
    ];
    if games.iter().any(|game| game.result == GameScore::Draw) {
        tiles.push(tile(format!("{:.1} %", share(GameScore::Draw)), "drawn"));
    }
    if let Some(held) = rounds.all.held_percent().filter(|_| rounds.by_number.len() > 1) {
        tiles.push(tile(format!("{:.1}", rounds.all.total() as f64 / count), "rounds per game"));
        tiles.push(tile(format!("{held:.1} %"), "rounds won by their opener"));
    }
    let faults: u64 = standings.faults().map(|(_, _, count)| count).sum();
    tiles.push(tile(faults.to_string(), "games lost by a fault"));
    tiles
}

fn verdict(standings: &Standings) -> Option<String> {
    let trial = standings.trial()?;
    let (lower, upper) = trial.sprt.bounds();
    let says = match trial.decision {
        Decision::Continue => "Undecided so far",
        Decision::AcceptH0 => "H0 was accepted",
        Decision::AcceptH1 => "H1 was accepted",
    };
    let (elo0, elo1) = (trial.sprt.elo0, trial.sprt.elo1);
    Some(format!("H0: {elo0} Elo, H1: {elo1} Elo. {says}: LLR {:.2}, with bounds {lower:.2} and {upper:.2}.", trial.llr))
}

/// A screen cannot show more points.
const MOST_POINTS: u64 = 500;

fn trial_chart(standings: &Standings) -> Option<Chart> {
    let trial = standings.trial()?;
    let course = standings.trial_course(MOST_POINTS);
    let points = course.into_iter().map(|(pairs, llr)| (2.0 * pairs as f64, llr)).collect();
    let (lower, upper) = trial.sprt.bounds();
    let words = Words {
        title: "Log-likelihood ratio".to_owned(),
        description: verdict(standings)?,
        x_label: "games".to_owned(),
        y_label: "LLR".to_owned(),
    };
    chart::lines(words, &[("LLR".to_owned(), points)], &[(upper, "H1".to_owned()), (lower, "H0".to_owned())])
}

fn length_chart(games: &[Entry]) -> Option<Chart> {
    let lengths: Vec<u32> = games.iter().map(|game| game.plies).collect();
    let (least, most) = (lengths.iter().min()?, lengths.iter().max()?);
    let words = Words {
        title: "Length of games".to_owned(),
        description: format!("{} games of {least} to {most} plies.", lengths.len()),
        x_label: "plies".to_owned(),
        y_label: "games".to_owned(),
    };
    chart::histogram(words, &lengths)
}

/// The time per move: one chart, or one for each engine where lines could not be told apart.
fn course_charts(names: &[String], times: &[TimeUse]) -> Vec<Chart> {
    let words = |title: String| Words {
        title,
        description: "The mean time of each engine's first, second … move of a game; the figures are in the table.".to_owned(),
        x_label: "move of the engine".to_owned(),
        y_label: "mean ms".to_owned(),
    };
    let series: Vec<_> = names.iter().cloned().zip(times.iter().map(TimeUse::course)).collect();
    if series.len() > chart::MOST_LINES {
        return chart::multiples(|name| words(format!("Time per move: {name}")), &series);
    }
    chart::lines(words("Time per move".to_owned()), &series, &[]).into_iter().collect()
}

fn round_rows(rows: impl Iterator<Item = (String, rounds::Serves)>) -> Vec<RoundRow> {
    let mut rows: Vec<RoundRow> = rows.map(|(name, serves)| RoundRow { name, serves, share: 0.0 }).collect();
    let most = rows.iter().map(|row| row.serves.total()).max().unwrap_or_default().max(1);
    rows.iter_mut().for_each(|row| row.share = row.serves.total() as f64 / most as f64 * 100.0);
    rows
}

/// The most frequent way first.
fn ways(rounds: &Rounds) -> Vec<RoundRow> {
    let mut rows = round_rows(rounds.ways.iter().map(|(&how, &serves)| (how.to_owned(), serves)));
    rows.sort_by_key(|row| Reverse(row.serves.total()));
    rows
}

fn time_row(name: &str, times: &TimeUse) -> TimeRow {
    let ms = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    let quantile = |share| ms(times.quantile(share).map(f64::from));
    let nodes = times.nodes().map_or_else(|| "–".to_owned(), |nodes| format!("{nodes:.0}"));
    let cells = [ms(times.mean()), quantile(0.5), quantile(0.95), quantile(1.0), nodes, times.overruns.to_string()];
    TimeRow { name: name.to_owned(), cells }
}

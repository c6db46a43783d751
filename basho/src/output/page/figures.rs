//! Numbers and charts of the page: key figures, tables of rounds, times and faults.

use std::cmp::Reverse;

use super::chart::{self, Chart, Labels};
use super::played::Entry;
use super::rounds::{RoundTally, Rounds};
use super::tables::TimeUse;
use crate::output::report;
use crate::record::Reason;
use crate::records::standings::{FaultKind, Standings};
use crate::sheet::GameScore;
use crate::statistics::sprt::Decision;

/// A key figure and its label.
pub struct Tile {
    pub value: String,
    pub label: String,
}

/// A row of a table of rounds.
pub struct RoundRow {
    pub name: String,
    pub tally: RoundTally,
    /// Number of rounds, in percent of the largest number in the table.
    pub share: f64,
}

/// A row of the table of times.
pub struct TimeRow {
    pub name: String,
    pub cells: [String; 6],
}

/// A row of the table of faults.
pub struct FaultRow {
    pub name: String,
    pub reason: String,
    pub count: u64,
    /// First such game, and the engine's last lines on stderr in it.
    pub game: u64,
    pub stderr_tail: String,
}

pub fn tiles(standings: &Standings, games: &[Entry], rounds: &Rounds) -> Vec<Tile> {
    let tile = |value, label: &str| Tile { value, label: label.to_owned() };
    let count = games.len().max(1) as f64;
    let share =
        |result| games.iter().filter(|game| game.result == result).count() as f64 / count * 100.0;
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
    tiles.push(tile(standings.fault_count().to_string(), "games lost by a fault"));
    tiles
}

pub fn verdict(standings: &Standings) -> Option<String> {
    let sprt = standings.sprt()?;
    let (lower, upper) = sprt.sprt.bounds();
    let state = match standings.decision() {
        Decision::Continue => "Undecided so far",
        Decision::AcceptH0 => "H0 was accepted",
        Decision::AcceptH1 => "H1 was accepted",
        Decision::Void => "Ended without a verdict by a fault",
    };
    let (elo0, elo1) = (sprt.sprt.elo0, sprt.sprt.elo1);
    let faults = report::faults(standings.fault_count());
    Some(format!(
        "H0: {elo0} Elo, H1: {elo1} Elo. {state}: \
         LLR {:.2}, with bounds {lower:.2} and {upper:.2}, {faults}.",
        sprt.llr
    ))
}

pub fn fault_rows(standings: &Standings) -> Vec<FaultRow> {
    let row = |(name, reason, kind): (&str, Reason, &FaultKind)| FaultRow {
        name: name.to_owned(),
        reason: reason.to_string(),
        count: kind.count,
        game: kind.first.game,
        stderr_tail: kind.first.stderr_tail.lines().join("\n"),
    };
    standings.faults().map(row).collect()
}

/// Maximum number of points; a screen cannot show more.
const MAX_POINTS: u64 = 500;

pub fn llr_chart(standings: &Standings) -> Option<Chart> {
    let sprt = standings.sprt()?;
    let history = standings.llr_history(MAX_POINTS);
    let points = history.into_iter().map(|(pairs, llr)| (2.0 * pairs as f64, llr)).collect();
    let (lower, upper) = sprt.sprt.bounds();
    let labels = Labels {
        title: "Log-likelihood ratio".to_owned(),
        description: verdict(standings)?,
        x_label: "games".to_owned(),
        y_label: "LLR".to_owned(),
    };
    chart::lines(
        labels,
        &[("LLR".to_owned(), points)],
        &[(upper, "H1".to_owned()), (lower, "H0".to_owned())],
    )
}

pub fn length_chart(games: &[Entry]) -> Option<Chart> {
    let lengths: Vec<u32> = games.iter().map(|game| game.plies).collect();
    let (least, most) = (lengths.iter().min()?, lengths.iter().max()?);
    let labels = Labels {
        title: "Length of games".to_owned(),
        description: format!("{} games of {least} to {most} plies.", lengths.len()),
        x_label: "plies".to_owned(),
        y_label: "games".to_owned(),
    };
    chart::histogram(labels, &lengths)
}

/// Time per move: one chart, or one per engine if there are too many for one.
pub fn course_charts(names: &[String], times: &[TimeUse]) -> Vec<Chart> {
    let labels = |title: String| Labels {
        title,
        description: "Mean time of each engine's first, second … move of a game; \
                the figures are in the table."
            .to_owned(),
        x_label: "move of the engine".to_owned(),
        y_label: "mean ms".to_owned(),
    };
    let series: Vec<_> = names.iter().cloned().zip(times.iter().map(TimeUse::course)).collect();
    if series.len() > chart::MAX_LINES {
        return chart::multiples(|name| labels(format!("Time per move: {name}")), &series);
    }
    chart::lines(labels("Time per move".to_owned()), &series, &[]).into_iter().collect()
}

pub fn round_rows(rows: impl Iterator<Item = (String, RoundTally)>) -> Vec<RoundRow> {
    let mut rows: Vec<RoundRow> =
        rows.map(|(name, tally)| RoundRow { name, tally, share: 0.0 }).collect();
    let most = rows.iter().map(|row| row.tally.total()).max().unwrap_or_default().max(1);
    rows.iter_mut().for_each(|row| row.share = row.tally.total() as f64 / most as f64 * 100.0);
    rows
}

/// Kinds of round ends, most frequent first.
pub fn ways(rounds: &Rounds) -> Vec<RoundRow> {
    let mut rows = round_rows(rounds.ways.iter().map(|(&how, &tally)| (how.to_owned(), tally)));
    rows.sort_by_key(|row| Reverse(row.tally.total()));
    rows
}

pub fn time_row(name: &str, times: &TimeUse) -> TimeRow {
    let ms =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    let quantile = |share| ms(times.quantile(share).map(f64::from));
    let nodes = times.nodes().map_or_else(|| "–".to_owned(), |nodes| format!("{nodes:.0}"));
    let cells = [
        ms(times.mean()),
        quantile(0.5),
        quantile(0.95),
        quantile(1.0),
        nodes,
        times.overruns.to_string(),
    ];
    TimeRow { name: name.to_owned(), cells }
}

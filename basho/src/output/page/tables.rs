//! The tables of the page: scores, results against each engine, and times.

use crate::config::{Engine, Program};
use crate::record::GameRecord;
use crate::records::standings::{Standings, against, ranking};
use crate::statistics::ratings::{Meeting, ratings};
use crate::statistics::stats::{Estimate, Tally};

/// A row of the table of engines, as text.
pub struct Row {
    /// Its number in the tournament file, from 0.
    pub engine: usize,
    /// Its name.
    pub name: String,
    /// The games against all others.
    pub tally: Tally,
    /// The score in percent.
    pub percent: String,
    /// The interval of the score in percent, and its ends.
    pub interval: Option<(String, f64, f64)>,
    /// The Elo difference to the opponents.
    pub elo: String,
    /// The same in normalized Elo.
    pub normalized_elo: String,
    /// The joint rating, if there are more than two engines and it is defined.
    pub rating: Option<String>,
    /// The results against each engine, in the order of the rows; empty against itself.
    pub cells: Vec<Option<Cell>>,
}

/// The results of one engine against another.
pub struct Cell {
    /// The number of the other.
    pub against: usize,
    /// Their games.
    pub tally: Tally,
}

impl Cell {
    /// The score in tenths, rounded, by which the cell is coloured.
    pub fn tenths(&self) -> u64 {
        (self.tally.points() / self.tally.games().max(1) as f64 * 10.0).round() as u64
    }
}

/// The engines, best first.
pub fn rows(standings: &Standings) -> Vec<Row> {
    let (names, tallies) = (standings.names(), standings.tallies());
    let meeting = |first, second| {
        let tally = against(tallies, first, second);
        Meeting { games: tally.games() as f64, points: tally.points() }
    };
    let ratings =
        (names.len() > 2).then(|| ratings(names.len(), meeting)).flatten().unwrap_or_default();
    let ranking = ranking(names.len(), tallies);
    let cell = |engine, other| Cell { against: other, tally: against(tallies, engine, other) };
    let row = |&(engine, tally): &(usize, Tally)| Row {
        engine,
        name: names.get(engine).cloned().unwrap_or_default(),
        tally,
        percent: percent(&tally),
        interval: tally.pairs.score_interval().map(|interval| {
            let (low, high) = (interval.low * 100.0, interval.high * 100.0);
            (format!("{low:.1} to {high:.1} %"), low, high)
        }),
        elo: with_error(tally.pairs.elo()),
        normalized_elo: with_error(tally.pairs.normalized_elo()),
        rating: ratings.get(engine).map(|&rating| with_error(Some(rating))),
        cells: ranking
            .iter()
            .map(|&(other, _)| (other != engine).then(|| cell(engine, other)))
            .collect(),
    };
    ranking.iter().map(row).collect()
}

impl Row {
    /// The score in percent as a number.
    pub fn share(&self) -> f64 {
        self.tally.points() / self.tally.games().max(1) as f64 * 100.0
    }
}

/// The points in percent of the games.
pub fn percent(tally: &Tally) -> String {
    if tally.games() == 0 {
        "n/a".to_owned()
    } else {
        format!("{:.1} %", tally.points() / tally.games() as f64 * 100.0)
    }
}

fn with_error(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "n/a".to_owned(),
        |estimate| format!("{:+.1} ± {:.1}", estimate.value, estimate.error),
    )
}

/// The settings of an engine.
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its limit; empty for a built-in player.
    pub limit: String,
    /// Its options.
    pub options: String,
}

/// The settings of all engines, in the order of the tournament file. Built-in players have none: what is said for every engine does not
/// change how they play.
pub fn settings(engines: &[Engine]) -> Vec<Setting> {
    let setting = |engine: &Engine| {
        let Program::Child(_) = engine.program else {
            return Setting {
                name: engine.name.clone(),
                limit: String::new(),
                options: "built in".to_owned(),
            };
        };
        let options: Vec<String> =
            engine.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let limit = engine.limit.map(|limit| limit.to_string()).unwrap_or_default();
        Setting { name: engine.name.clone(), limit, options: options.join(", ") }
    };
    engines.iter().map(setting).collect()
}

/// The time that an engine took for its moves.
#[derive(Clone, Default, Debug)]
pub struct TimeUse {
    /// Known times of moves, in milliseconds; sorted by [`sort`](TimeUse::sort).
    times: Vec<f32>,
    /// By the number of the move in its game: their sum and their count.
    by_number: Vec<(f64, u32)>,
    /// The nodes of all moves that reported them, and the number of these moves.
    nodes: (u64, u64),
    /// Moves that exceeded their time.
    pub overruns: u64,
}

impl TimeUse {
    /// Counts the moves of one player of a game; `is_own` says whether a move is theirs.
    pub fn add(&mut self, record: &GameRecord, is_own: impl Fn(usize) -> bool) {
        let own = record.moves.iter().enumerate().filter(|&(index, _)| is_own(index));
        for (number, (_, played)) in own.enumerate() {
            self.times.extend(played.ms.map(|ms| ms as f32));
            if self.by_number.len() <= number {
                self.by_number.push((0.0, 0));
            }
            if let (Some((sum, count)), Some(ms)) = (self.by_number.get_mut(number), played.ms) {
                *sum += ms;
                *count += 1;
            }
            if let Some(nodes) = played.nodes {
                self.nodes.0 = self.nodes.0.saturating_add(nodes);
                self.nodes.1 += 1;
            }
            self.overruns += u64::from(played.overrun_ms.is_some());
        }
    }

    /// To be called after the last game.
    pub fn sort(&mut self) {
        self.times.sort_unstable_by(f32::total_cmp);
    }

    /// How many moves have a known time.
    pub fn moves(&self) -> usize {
        self.times.len()
    }

    /// The mean, in milliseconds.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.times.iter().copied().map(f64::from).sum();
        (self.moves() > 0).then(|| sum / self.moves() as f64)
    }

    /// The time that this share of the moves did not exceed, in milliseconds: a quantile.
    pub fn quantile(&self, share: f64) -> Option<f32> {
        let last = self.moves().checked_sub(1)?;
        self.times.get((share * last as f64).round() as usize).copied()
    }

    /// The mean nodes of a move.
    pub fn nodes(&self) -> Option<f64> {
        (self.nodes.1 > 0).then(|| self.nodes.0 as f64 / self.nodes.1 as f64)
    }

    /// The mean time in milliseconds by the number of the move, as far as enough games have it.
    pub fn course(&self) -> Vec<(f64, f64)> {
        let games = self.by_number.first().map_or(0, |first| first.1);
        let enough =
            |&&(_, count): &&(f64, u32)| u64::from(count) * MIN_GAMES_DIVISOR >= games.into();
        let means = self
            .by_number
            .iter()
            .take_while(enough)
            .map(|&(sum, count)| sum / f64::from(count.max(1)));
        (1..).map(f64::from).zip(means).collect()
    }
}

/// A mean is given for a move that at least one game in this many has.
const MIN_GAMES_DIVISOR: u64 = 20;

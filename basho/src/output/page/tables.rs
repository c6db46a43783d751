//! Tables of the page: scores, results by opponent, settings and times.

use crate::config::{Engine, Program};
use crate::output::cells::signed;
use crate::record::GameRecord;
use crate::records::standings::{Standings, against, ranking};
use crate::statistics::stats::{Estimate, Tally};

/// A row of the table of engines, as text.
pub struct Row {
    /// Index of the engine in the tournament file.
    pub engine: usize,
    /// Name of the engine.
    pub name: String,
    /// Games against all others.
    pub tally: Tally,
    /// Score in percent.
    pub percent: String,
    /// The 95 % interval of the score: its text, and its ends in percent.
    pub interval: Option<(String, f64, f64)>,
    /// Elo difference to the opponents.
    pub elo: String,
    /// Normalized Elo difference to the opponents.
    pub normalized_elo: String,
    /// Joint rating, if there are more than two engines.
    pub rating: Option<String>,
    /// Results against each engine, in the order of the rows; `None` against itself.
    pub cells: Vec<Option<Cell>>,
}

/// Results of one engine against another.
pub struct Cell {
    /// Index of the opponent.
    pub against: usize,
    /// Games against the opponent.
    pub tally: Tally,
}

impl Cell {
    /// Score in tenths, rounded, which selects the colour.
    pub fn tenths(&self) -> u64 {
        (self.tally.points() / self.tally.games().max(1) as f64 * 10.0).round() as u64
    }
}

/// The engines, best first.
pub fn rows(standings: &Standings) -> Vec<Row> {
    let (names, tallies) = (standings.names(), standings.tallies());
    let ratings = standings.ratings().filter(|_| names.len() > 2);
    let ratings = ratings.map(|ratings| ratings.estimates()).unwrap_or_default();
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
    /// Score in percent, as a number.
    pub fn share(&self) -> f64 {
        self.tally.points() / self.tally.games().max(1) as f64 * 100.0
    }
}

/// Points in percent of the games.
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
        |estimate| format!("{} ± {:.1}", signed(estimate.value, 1), estimate.error),
    )
}

/// Settings of an engine.
pub struct Setting {
    /// Name of the engine.
    pub name: String,
    /// Search limit; empty for a built-in player.
    pub limit: String,
    /// Options and their values.
    pub options: String,
}

/// Settings of all engines, in the order of the tournament file. Built-in players ignore the
/// defaults for every engine, so they have none.
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

/// Times of one engine's moves.
#[derive(Clone, Default, Debug)]
pub struct TimeUse {
    /// Known times in milliseconds; [`sort`](TimeUse::sort) sorts them.
    times: Vec<f32>,
    /// Sum and count of the times, by number of the move in its game.
    by_number: Vec<(f64, u32)>,
    /// Sum of reported nodes, and number of moves that reported them.
    nodes: (u64, u64),
    /// Number of moves over their time.
    pub overruns: u64,
}

impl TimeUse {
    /// Counts one player's moves of a game. `is_own` selects them by index.
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

    /// Sorts the times. Call it after the last game.
    pub fn sort(&mut self) {
        self.times.sort_unstable_by(f32::total_cmp);
    }

    /// Number of moves with a known time.
    pub fn moves(&self) -> usize {
        self.times.len()
    }

    /// Mean time in milliseconds.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.times.iter().copied().map(f64::from).sum();
        (self.moves() > 0).then(|| sum / self.moves() as f64)
    }

    /// Quantile of the times in milliseconds, for a share of 0 to 1.
    pub fn quantile(&self, share: f64) -> Option<f32> {
        let last = self.moves().checked_sub(1)?;
        self.times.get((share * last as f64).round() as usize).copied()
    }

    /// Mean number of nodes per move.
    pub fn nodes(&self) -> Option<f64> {
        (self.nodes.1 > 0).then(|| self.nodes.0 as f64 / self.nodes.1 as f64)
    }

    /// Mean time in milliseconds by number of the move, as long as enough games have that move.
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

/// A mean needs at least one in this many games.
const MIN_GAMES_DIVISOR: u64 = 20;

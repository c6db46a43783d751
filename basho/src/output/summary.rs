//! The report as data: `basho report --format json`. Its JSON Schema is `basho/report.schema.json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::Verdict;
use crate::config::{ConfigError, Tournament};
use crate::record::Reason;
use crate::records::standings::{FaultKind, SprtState, Standings, ranking};
use crate::statistics::calibration::Calibration;
use crate::statistics::sprt::{Decision, Model};
use crate::statistics::stats::{Estimate, Tally};

/// Version of the format. It grows when a field is removed or changes its meaning.
const FORMAT: u32 = 1;

/// A tournament and its results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Version of this format: 1.
    pub format: u32,
    /// The variant played, as the option `UCI_Variant` names it.
    pub variant: String,
    /// The result in words.
    pub verdict: Verdict,
    /// Numbers of games.
    pub games: Games,
    /// The engines, best score first.
    pub engines: Vec<EngineResult>,
    /// Results of each two engines that have met.
    pub meetings: Vec<MeetingResult>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtResult>,
    /// Games lost by faults, by engine and kind.
    pub faults: Vec<FaultResult>,
}

/// Numbers of games.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Games {
    /// In the schedule. A sequential test may end earlier.
    pub planned: u64,
    /// With a result.
    pub played: u64,
    /// Whether nothing is left to play.
    pub complete: bool,
    /// Played again, because the machine stood still or an engine was ended from outside.
    pub replayed: u64,
    /// Lost by faults.
    pub faulty: u64,
}

/// A value with its error.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Value {
    /// The estimate.
    pub value: f64,
    /// Half of the 95 % interval.
    pub error: f64,
}

impl From<Estimate> for Value {
    fn from(Estimate { value, error }: Estimate) -> Value {
        Value { value, error }
    }
}

/// An engine against all others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EngineResult {
    /// Its name.
    pub name: String,
    /// Its limit per move or game, as in the tournament file.
    pub limit: Option<String>,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Joint rating in Elo; the mean of all engines is 0.
    pub rating: Option<Value>,
    /// Moves with a score.
    pub forecasts: u64,
    /// Brier score of the win probabilities, from 0 (perfect) to 1.
    pub brier: Option<f64>,
}

/// Results of two engines, seen from the first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MeetingResult {
    /// Name of the first engine.
    pub first: String,
    /// Name of the second engine.
    pub second: String,
    /// Games won by the first.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by the first.
    pub losses: u64,
    /// Finished pairs by their points for the first engine: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Share of the points in finished pairs, from 0 to 1.
    pub score: Option<f64>,
    /// The 95 % interval of the score.
    pub score_interval: Option<[f64; 2]>,
    /// Logistic Elo difference; null if one engine has won every game.
    pub elo: Option<Value>,
    /// Normalized Elo difference; null if all pairs scored the same.
    pub normalized_elo: Option<Value>,
    /// Likelihood that the first is stronger, from 0 to 1.
    pub likelihood_of_superiority: Option<f64>,
}

impl MeetingResult {
    fn new(first: &str, second: &str, tally: &Tally) -> MeetingResult {
        let pairs = &tally.pairs;
        MeetingResult {
            first: first.to_owned(),
            second: second.to_owned(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            pairs: pairs.0,
            score: pairs.score(),
            score_interval: pairs.score_interval().map(|interval| [interval.low, interval.high]),
            elo: pairs.elo().map(Value::from),
            normalized_elo: pairs.normalized_elo().map(Value::from),
            likelihood_of_superiority: pairs.likelihood_of_superiority(),
        }
    }
}

/// State of a sequential test.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SprtResult {
    /// Difference of hypothesis H0, in Elo of the model.
    pub elo0: f64,
    /// Difference of hypothesis H1, in Elo of the model.
    pub elo1: f64,
    /// Probability of a wrong H1.
    pub alpha: f64,
    /// Probability of a wrong H0.
    pub beta: f64,
    /// Unit of the hypotheses: `normalized` or `logistic`.
    #[schemars(with = "String")]
    pub model: Model,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Bounds of the ratio: H0 is accepted below the first, H1 above the second.
    pub bounds: [f64; 2],
    /// Pairs that the test has counted.
    pub pairs: u64,
    /// `h0`, `h1`, `continue`, or `void` after more faults than tolerated.
    #[schemars(with = "String")]
    pub decision: Decision,
    /// Number of faults that do not void the test.
    pub tolerate_faults: u32,
}

impl SprtResult {
    fn new(state: &SprtState, decision: Decision) -> SprtResult {
        let sprt = &state.sprt;
        let (low, high) = sprt.bounds();
        SprtResult {
            elo0: sprt.elo0,
            elo1: sprt.elo1,
            alpha: sprt.alpha,
            beta: sprt.beta,
            model: sprt.model,
            llr: state.llr,
            bounds: [low, high],
            pairs: state.pairs(),
            decision,
            tolerate_faults: sprt.tolerate_faults,
        }
    }
}

/// Games that an engine lost by one kind of fault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultResult {
    /// Name of the engine.
    pub engine: String,
    /// Kind of the fault, such as `crash` or `timeout`.
    pub reason: String,
    /// Number of games.
    pub games: u64,
    /// Number of the first of them.
    pub first_game: u64,
    /// Description of the first fault.
    pub detail: String,
    /// The engine's last lines on stderr at the first fault.
    pub stderr: Vec<String>,
}

impl FaultResult {
    fn new(engine: &str, reason: Reason, kind: &FaultKind) -> FaultResult {
        FaultResult {
            engine: engine.to_owned(),
            reason: reason.to_string(),
            games: kind.count,
            first_game: kind.first.game,
            detail: kind.first.detail.clone(),
            stderr: kind.first.stderr_tail.lines().to_vec(),
        }
    }
}

impl Summary {
    /// The results of a resolved tournament. `calibration` is in the order of its engines.
    ///
    /// # Errors
    ///
    /// If the settings of an engine are invalid.
    pub fn new(
        tournament: &Tournament,
        standings: &Standings,
        calibration: &[Calibration],
    ) -> Result<Summary, ConfigError> {
        let engines = tournament.engines()?;
        let names = standings.names();
        let name = |engine: usize| names.get(engine).map_or("", String::as_str);
        let ratings: Vec<Estimate> =
            standings.ratings().map(|ratings| ratings.estimates()).unwrap_or_default();
        let engine = |(index, tally): (usize, Tally)| EngineResult {
            name: name(index).to_owned(),
            limit: engines
                .get(index)
                .and_then(|engine| engine.limit.as_ref())
                .map(|limit| limit.to_string()),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            rating: ratings.get(index).copied().map(Value::from),
            forecasts: calibration.get(index).map_or(0, Calibration::forecasts),
            brier: calibration.get(index).and_then(Calibration::brier),
        };
        Ok(Summary {
            format: FORMAT,
            variant: tournament.variant.0.name().to_owned(),
            verdict: Verdict::of(standings),
            games: Games {
                planned: standings.planned(),
                played: standings.played(),
                complete: standings.is_complete(),
                replayed: standings.replayed(),
                faulty: standings.fault_count(),
            },
            engines: ranking(names.len(), standings.tallies()).into_iter().map(engine).collect(),
            meetings: standings
                .tallies()
                .iter()
                .map(|(&[first, second], tally)| {
                    MeetingResult::new(name(first), name(second), tally)
                })
                .collect(),
            sprt: standings.sprt().map(|state| SprtResult::new(state, standings.decision())),
            faults: standings
                .faults()
                .map(|(engine, reason, kind)| FaultResult::new(engine, reason, kind))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_file_describes_the_summary() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/report.schema.json");
        let schema = schemars::schema_for!(Summary);
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(file, &text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(file).unwrap_or_default(),
            text,
            "run again with UPDATE_SCHEMA=1"
        );
    }
}

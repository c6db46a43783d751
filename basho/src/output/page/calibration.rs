//! The page's section on calibration: a table, and for each engine a reliability diagram with its
//! bins.

use super::chart::{self, Chart, Labels};
use crate::statistics::calibration::{BINS, Bin, Calibration};

/// Calibration of one engine, as text.
pub struct EngineCalibration {
    /// Name of the engine.
    pub name: String,
    /// Number of moves, Brier score, Brier score of each quarter, calibration error.
    pub cells: Vec<String>,
    /// Reliability diagram.
    pub diagram: Option<Chart>,
    /// For each bin: range, number of moves, mean win probability, mean result.
    pub bins: Vec<[String; 4]>,
}

/// The engines that reported win probabilities, in the order of the tournament file.
pub fn engine_calibrations(
    names: &[String],
    calibration: &[Calibration],
) -> Vec<EngineCalibration> {
    let engines = names.iter().zip(calibration).filter(|(_, engine)| engine.forecasts() > 0);
    engines.map(|(name, engine)| EngineCalibration::of(name, engine)).collect()
}

impl EngineCalibration {
    fn of(name: &str, engine: &Calibration) -> EngineCalibration {
        let score = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
        };
        let (moves, brier, error) = (
            engine.forecasts().to_string(),
            score(engine.brier()),
            score(engine.calibration_error()),
        );
        let labels = Labels {
            title: format!("Win probabilities of {name}"),
            description: format!(
                "Mean result by mean win probability in each tenth, over {moves} moves. \
                 Brier score {brier}, calibration error {error}; the figures are in the table."
            ),
            x_label: "win probability".to_owned(),
            y_label: "result".to_owned(),
        };
        let bins: Vec<[String; 4]> =
            (0..).zip(engine.bins()).map(|(number, bin)| cells(number, bin)).collect();
        let dot = |(bin, [_, moves, probability, result]): (&Bin, &[String; 4])| {
            Some((
                (bin.mean_probability()?, bin.mean_result()?),
                bin.forecasts() as f64,
                format!("probability {probability}, result {result}: {moves} moves"),
            ))
        };
        let dots: Vec<_> = engine.bins().iter().zip(&bins).filter_map(dot).collect();
        EngineCalibration {
            name: name.to_owned(),
            cells: [moves, brier]
                .into_iter()
                .chain(engine.by_quarter().map(score))
                .chain([error])
                .collect(),
            diagram: chart::shares(labels, &dots, "perfect"),
            bins,
        }
    }
}

/// Cells of a bin, counted from 0.
fn cells(number: usize, bin: &Bin) -> [String; 4] {
    let percent = |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{:.1} %", value * 100.0))
    };
    let edge = |number: usize| number * 100 / BINS;
    let range = format!("{} to {} %", edge(number), edge(number + 1));
    [
        range,
        bin.forecasts().to_string(),
        percent(bin.mean_probability()),
        percent(bin.mean_result()),
    ]
}

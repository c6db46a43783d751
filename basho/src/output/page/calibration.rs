//! How often the chances that each engine said came true: the table of all, and a diagram with its bins for each.

use super::chart::{self, Chart, Labels};
use crate::statistics::calibration::{BINS, Bin, Calibration};

/// What one engine said, as text.
pub struct EngineCalibration {
    /// Its name.
    pub name: String,
    /// Moves, Brier score, the same by quarter, calibration error.
    pub cells: Vec<String>,
    /// The calibration diagram.
    pub diagram: Option<Chart>,
    /// For each bin: its range, moves, the mean chance said, how often it came true.
    pub bins: Vec<[String; 4]>,
}

/// The engines that said any chances, in the order of the tournament file.
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
            title: format!("Chances said by {name}"),
            description: format!(
                "How often chances came true, by the mean chance said in each tenth, over {moves} moves. Brier score {brier}, \
                 calibration error {error}; the figures are in the table."
            ),
            x_label: "chance said".to_owned(),
            y_label: "came true".to_owned(),
        };
        let bins: Vec<[String; 4]> =
            (0..).zip(engine.bins()).map(|(number, bin)| cells(number, bin)).collect();
        let dot = |(bin, [_, moves, said, came]): (&Bin, &[String; 4])| {
            Some((
                (bin.mean_probability()?, bin.mean_result()?),
                bin.forecasts() as f64,
                format!("said {said}, came true {came}: {moves} moves"),
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
            diagram: chart::shares(labels, &dots, "as said"),
            bins,
        }
    }
}

/// The cells of a bin, counted from 0.
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

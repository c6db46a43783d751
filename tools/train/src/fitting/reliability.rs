//! Statistics of forecast probabilities.

use std::fmt::{self, Display};

use basho::statistics::calibration::{Calibration, QUARTERS};

/// Accuracy of forecasts.
pub struct Reliability {
    calibration: Calibration,
    /// Area under the ROC curve: how often a win has a higher forecast than a loss.
    auc: f64,
}

impl Reliability {
    /// Each forecast is progress (0 to 1), result and forecast probability.
    pub fn of(forecasts: &[(f64, bool, f64)]) -> Reliability {
        let mut calibration = Calibration::default();
        for &(progress, won, probability) in forecasts {
            let quarter = ((progress * QUARTERS as f64) as usize).min(QUARTERS - 1);
            calibration.add(quarter, probability, f64::from(u8::from(won)));
        }
        let mut order: Vec<_> =
            forecasts.iter().map(|&(_, won, probability)| (probability, won)).collect();
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let (mut lost, mut pairs) = (0.0, 0.0);
        for &(_, won) in &order {
            if won { pairs += lost } else { lost += 1.0 }
        }
        let all = forecasts.len() as f64;
        Reliability { calibration, auc: pairs / (lost * (all - lost)) }
    }
}

impl Display for Reliability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reliability { calibration, auc } = self;
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let [first, second, third, last] = calibration.by_quarter().map(or_nan);
        write!(
            f,
            "Brier {:.3}, by quarter {first:.3} {second:.3} {third:.3} {last:.3}, \
             calibration error {:.3}, AUC {auc:.3}",
            or_nan(calibration.brier()),
            or_nan(calibration.calibration_error())
        )
    }
}

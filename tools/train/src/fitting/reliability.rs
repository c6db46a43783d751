//! Statistics of forecast probabilities.

use std::fmt::{self, Display};

/// Accuracy of forecasts.
pub struct Reliability {
    /// Mean squared error (Brier 1950): 0 is perfect, 0.25 is a constant forecast of one half.
    brier: f64,
    /// Brier score by quarter of the progress.
    quarters: [f64; 4],
    /// Mean absolute difference of forecast and frequency, over ten bins of the forecast.
    calibration: f64,
    /// Area under the ROC curve: how often a win has a higher forecast than a loss.
    auc: f64,
}

impl Reliability {
    /// Each forecast is progress (0 to 1), result and forecast probability.
    pub fn of(forecasts: &[(f64, bool, f64)]) -> Reliability {
        let bin = |&share: &f64, bins: usize| ((share * bins as f64) as usize).min(bins - 1);
        let (mut quarters, mut tenths) = ([[0.0; 2]; 4], [0.0; 10]);
        for (progress, won, probability) in forecasts {
            let error = probability - f64::from(u8::from(*won));
            let [sum, count] = &mut quarters[bin(progress, 4)];
            (*sum, *count) = (*sum + error * error, *count + 1.0);
            tenths[bin(probability, 10)] += error;
        }
        let all = forecasts.len() as f64;
        let mut order: Vec<_> =
            forecasts.iter().map(|&(_, won, probability)| (probability, won)).collect();
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let (mut lost, mut pairs) = (0.0, 0.0);
        for &(_, won) in &order {
            if won { pairs += lost } else { lost += 1.0 }
        }
        Reliability {
            brier: quarters.iter().map(|[sum, _]| sum).sum::<f64>() / all,
            quarters: quarters.map(|[sum, count]| sum / count),
            calibration: tenths.iter().map(|error| error.abs()).sum::<f64>() / all,
            auc: pairs / (lost * (all - lost)),
        }
    }
}

impl Display for Reliability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reliability { brier, quarters: [first, second, third, last], calibration, auc } = self;
        write!(
            f,
            "Brier {brier:.3}, by quarter {first:.3} {second:.3} {third:.3} {last:.3}, \
             calibration error {calibration:.3}, AUC {auc:.3}"
        )
    }
}

//! How far chances are from what comes true.

use std::fmt::{self, Display};

/// How far chances are from what comes true.
pub struct Reliability {
    /// The mean square of the error (Brier 1950): 0 is perfect, a quarter is to say one half always.
    brier: f64,
    /// The same by quarter of what is to be gone through, such as a match.
    quarters: [f64; 4],
    /// How far the chances of each tenth are from the share that came true, on average.
    calibration: f64,
    /// How often of two, of which one came true and one did not, the first has the higher chance.
    auc: f64,
}

impl Reliability {
    /// Of how far each has gone, 0 to 1, the result, and the chance.
    pub fn of(told: &[(f64, bool, f64)]) -> Reliability {
        let tenth = |&share: &f64, parts: usize| ((share * parts as f64) as usize).min(parts - 1);
        let (mut quarters, mut tenths) = ([[0.0; 2]; 4], [0.0; 10]);
        for (progress, won, chance) in told {
            let error = chance - f64::from(u8::from(*won));
            let [sum, count] = &mut quarters[tenth(progress, 4)];
            (*sum, *count) = (*sum + error * error, *count + 1.0);
            tenths[tenth(chance, 10)] += error;
        }
        let all = told.len() as f64;
        let mut order: Vec<_> = told.iter().map(|&(_, won, chance)| (chance, won)).collect();
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
            "Brier {brier:.3}, by quarter {first:.3} {second:.3} {third:.3} {last:.3}, calibration error {calibration:.3}, AUC {auc:.3}"
        )
    }
}

//! Numbers and names in text tables.

/// `part` of `whole` in percent; `None` if `whole` is 0.
pub(super) fn percent(part: f64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part / whole as f64 * 100.0)
}

/// Width of a column of names, in characters.
pub(super) fn name_width(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count()).fold(25, usize::max)
}

/// Pads a name to the width of its column. Unlike a format width, it has no upper limit.
pub(super) fn padded(name: &str, width: usize) -> String {
    name.to_owned() + &" ".repeat(width.saturating_sub(name.chars().count()))
}

/// Two decimals, or `n/a`.
pub(super) fn number(value: Option<f64>) -> String {
    let shown = |value: f64| match format!("{value:.2}") {
        zero if zero == "-0.00" => "0.00".to_owned(),
        shown => shown,
    };
    value.map_or_else(n_a, shown)
}

/// A number with its sign and this number of decimals. Zero is positive.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let shown = format!("{value:+.decimals$}");
    if shown.parse() == Ok(0.0) { shown.replace('-', "+") } else { shown }
}

/// The cell of a missing number.
pub(super) fn n_a() -> String {
    "n/a".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_no_negative_zero() {
        assert_eq!(signed(-0.04, 1), "+0.0");
        assert_eq!(signed(-0.4, 0), "+0");
        assert_eq!(signed(-0.06, 1), "-0.1");
        assert_eq!(signed(-10.0, 0), "-10");
        assert_eq!(signed(5.25, 1), "+5.2");
        assert_eq!(number(Some(-0.001)), "0.00");
    }
}

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

/// The cell of a missing number.
pub(super) fn n_a() -> String {
    "n/a".to_owned()
}

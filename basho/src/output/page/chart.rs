//! Charts, laid out in SVG units. The page's template draws them.

/// Width of every chart.
pub const WIDTH: f64 = 520.0;
/// Height of every chart.
pub const HEIGHT: f64 = 250.0;
/// Left edge of the plot area.
pub const LEFT: f64 = 54.0;
/// Right edge of the plot area.
pub const RIGHT: f64 = 508.0;
/// Upper edge of the plot area.
pub const TOP: f64 = 14.0;
/// Lower edge of the plot area.
pub const BOTTOM: f64 = 206.0;

/// A tick of an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Position along the axis, in SVG units.
    pub at: f64,
    /// Label of the tick.
    pub text: String,
}

/// A chart of lines, bars or dots.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Description with the most important numbers, for screen readers.
    pub description: String,
    /// Label of the horizontal axis.
    pub x_label: String,
    /// Label of the vertical axis.
    pub y_label: String,
    /// Ticks of the horizontal axis.
    pub x_ticks: Vec<Tick>,
    /// Ticks of the vertical axis.
    pub y_ticks: Vec<Tick>,
    /// Lines through points.
    pub lines: Vec<Line>,
    /// Bars of a histogram.
    pub bars: Vec<Bar>,
    /// Dots of a scatter plot.
    pub dots: Vec<Dot>,
    /// Straight reference lines.
    pub guides: Vec<Guide>,
}

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Name of the series.
    pub name: String,
    /// Points in the syntax of SVG.
    pub points: String,
}

/// A bar of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height down to the axis.
    pub height: f64,
    /// Tooltip.
    pub title: String,
}

/// A dot of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Dot {
    /// Distance from the left.
    pub x: f64,
    /// Distance from the top.
    pub y: f64,
    /// Radius.
    pub radius: f64,
    /// Tooltip.
    pub title: String,
}

/// A reference line across the plot area.
#[derive(Clone, PartialEq, Debug)]
pub struct Guide {
    /// Height of the left end.
    pub left: f64,
    /// Height of the right end.
    pub right: f64,
    /// Height of the label at the right.
    pub label: f64,
    /// Text of the label.
    pub text: String,
}

/// An axis: maps values to SVG units.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        round(self.from + (value - self.least) / (self.most - self.least) * (self.to - self.from))
    }

    /// Four to eight ticks at round values.
    fn ticks(&self) -> Vec<Tick> {
        let step = round_step(self.most - self.least);
        let first = (self.least / step).ceil() as i64;
        let last = (self.most / step + 1e-9).floor() as i64;
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let tick = |index| {
            let value = index as f64 * step;
            Tick { at: self.place(value), text: format!("{value:.decimals$}") }
        };
        (first..=last).map(tick).collect()
    }
}

/// 1, 2 or 5 times a power of ten, such that four to eight steps make the span.
fn round_step(span: f64) -> f64 {
    let power = 10f64.powf((span / 4.0).log10().floor());
    let factor = [5.0, 2.0].into_iter().find(|factor| factor * power <= span / 4.0).unwrap_or(1.0);
    factor * power
}

/// Rounds to a tenth of an SVG unit, which is invisible.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Texts of a chart.
pub struct Labels {
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Label of the horizontal axis.
    pub x_label: String,
    /// Label of the vertical axis.
    pub y_label: String,
}

impl Labels {
    fn chart(self, x_axis: &Axis, y_axis: &Axis) -> Chart {
        let Labels { title, description, x_label, y_label } = self;
        let (x_ticks, y_ticks) = (x_axis.ticks(), y_axis.ticks());
        let (lines, bars, dots, guides) = (vec![], vec![], vec![], vec![]);
        Chart { title, description, x_label, y_label, x_ticks, y_ticks, lines, bars, dots, guides }
    }
}

/// Maximum number of lines in a chart, equal to the number of distinct strokes.
pub const MAX_LINES: usize = 6;

/// A named series of points.
type Series = (String, Vec<(f64, f64)>);

/// A chart of lines and horizontal guides. `None` without two different x values.
pub fn lines(labels: Labels, series: &[Series], guides: &[(f64, String)]) -> Option<Chart> {
    let (x_axis, y_axis) = axes(series, guides)?;
    let mut chart = labels.chart(&x_axis, &y_axis);
    chart.lines = series
        .iter()
        .filter(|(_, points)| !points.is_empty())
        .map(|series| line(series, &x_axis, &y_axis))
        .collect();
    let guide = |(value, text): &(f64, String)| {
        let height = y_axis.place(*value);
        Guide { left: height, right: height, label: round(height - 5.0), text: text.clone() }
    };
    chart.guides = guides.iter().map(guide).collect();
    Some(chart)
}

/// One chart per series, all with the same axes. Empty without two different x values.
pub fn multiples(labels: impl Fn(&str) -> Labels, series: &[Series]) -> Vec<Chart> {
    let Some((x_axis, y_axis)) = axes(series, &[]) else { return Vec::new() };
    let chart = |series: &Series| Chart {
        lines: vec![line(series, &x_axis, &y_axis)],
        ..labels(&series.0).chart(&x_axis, &y_axis)
    };
    series.iter().filter(|(_, points)| !points.is_empty()).map(chart).collect()
}

fn line((name, points): &Series, x_axis: &Axis, y_axis: &Axis) -> Line {
    let points = points.iter().map(|&(x, y)| format!("{},{}", x_axis.place(x), y_axis.place(y)));
    Line { name: name.clone(), points: points.collect::<Vec<_>>().join(" ") }
}

/// Axes with room for all points and guides.
fn axes(series: &[Series], guides: &[(f64, String)]) -> Option<(Axis, Axis)> {
    let all = || series.iter().flat_map(|(_, points)| points);
    let (least, most) = bounds(all().map(|point| point.0))?;
    let heights = all().map(|point| point.1).chain(guides.iter().map(|guide| guide.0)).chain([0.0]);
    let (lowest, highest) = bounds(heights)?;
    let margin = (highest - lowest).max(1e-6) * 0.06;
    let below = if lowest < 0.0 { lowest - margin } else { 0.0 };
    let x_axis = Axis { least, most, from: LEFT, to: RIGHT };
    let y_axis = Axis { least: below, most: highest + margin, from: BOTTOM, to: TOP };
    (most > least).then_some((x_axis, y_axis))
}

/// A histogram with bins of equal width. `None` without values.
pub fn histogram(labels: Labels, values: &[u32]) -> Option<Chart> {
    let (least, most) = (*values.iter().min()?, *values.iter().max()?);
    let width = (most - least) / MAX_BINS + 1;
    // Bins begin at multiples of their width, so that edges are round.
    let first = least / width;
    let mut counts = vec![0u32; (most / width - first + 1) as usize];
    for value in values {
        if let Some(count) = counts.get_mut((value / width - first) as usize) {
            *count += 1;
        }
    }
    let edge = |bin: u32| f64::from((first + bin) * width);
    let highest = f64::from(counts.iter().copied().max()?);
    let x_axis = Axis { least: edge(0), most: edge(counts.len() as u32), from: LEFT, to: RIGHT };
    let y_axis = Axis { least: 0.0, most: highest * 1.06, from: BOTTOM, to: TOP };
    let bar = |(bin, &count): (u32, &u32)| {
        let (left, right) = (x_axis.place(edge(bin)), x_axis.place(edge(bin + 1)));
        let y = y_axis.place(f64::from(count));
        let (from, to) = ((first + bin) * width, (first + bin + 1) * width - 1);
        let range = if from == to { from.to_string() } else { format!("{from} to {to}") };
        Bar {
            x: left,
            y,
            width: round(right - left),
            height: round(BOTTOM - y),
            title: format!("{range}: {count}"),
        }
    };
    let bars = (0..).zip(&counts).map(bar).collect();
    let mut chart = labels.chart(&x_axis, &y_axis);
    chart.bars = bars;
    Some(chart)
}

/// A chart of shares against shares, 0 to 1: dots with weight and tooltip, and the labelled
/// diagonal. `None` without dots.
pub fn shares(labels: Labels, dots: &[((f64, f64), f64, String)], diagonal: &str) -> Option<Chart> {
    let heaviest = dots.iter().map(|dot| dot.1).reduce(f64::max)?;
    let x_axis = Axis { least: 0.0, most: 1.0, from: LEFT, to: RIGHT };
    let y_axis = Axis { least: 0.0, most: 1.0, from: BOTTOM, to: TOP };
    let dot = |((x, y), weight, title): &((f64, f64), f64, String)| Dot {
        x: x_axis.place(*x),
        y: y_axis.place(*y),
        // The area shows the weight; the lightest dot must stay visible.
        radius: round(MAX_DOT_RADIUS * (weight / heaviest).sqrt().max(0.25)),
        title: title.clone(),
    };
    let mut chart = labels.chart(&x_axis, &y_axis);
    chart.dots = dots.iter().map(dot).collect();
    let (left, right) = (y_axis.place(0.0), y_axis.place(1.0));
    // At this distance, the label does not touch the line.
    chart.guides = vec![Guide { left, right, label: right + 33.0, text: diagonal.to_owned() }];
    Some(chart)
}

/// Radius of the heaviest dot.
const MAX_DOT_RADIUS: f64 = 10.0;

/// Maximum number of bins.
const MAX_BINS: u32 = 30;

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, value| match bounds {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Labels {
        Labels {
            title: String::new(),
            description: String::new(),
            x_label: String::new(),
            y_label: String::new(),
        }
    }

    #[test]
    fn ticks_lie_within_the_axes() {
        for most in [0.003, 0.7, 1.0, 4.0, 7.3, 999.0, 123_456.0] {
            let chart =
                lines(labels(), &[("a".into(), vec![(0.0, -most), (most, most)])], &[]).unwrap();
            assert!((4..=9).contains(&chart.x_ticks.len()), "{most}: {:?}", chart.x_ticks);
            assert!(chart.x_ticks.iter().all(|tick| (LEFT..=RIGHT).contains(&tick.at)));
            assert!(chart.y_ticks.iter().all(|tick| (TOP..=BOTTOM).contains(&tick.at)));
        }
    }

    #[test]
    fn histogram_counts_every_value_once() {
        let values: Vec<u32> = (10..200).chain([57, 57]).collect();
        let chart = histogram(labels(), &values).unwrap();
        let counts = chart
            .bars
            .iter()
            .map(|bar| bar.title.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
        assert_eq!(counts.sum::<usize>(), values.len());
        assert!(chart.bars.len() <= 31);
    }

    #[test]
    fn equal_shares_lie_on_the_diagonal() {
        let dots = [
            ((0.0, 0.0), 1.0, String::new()),
            ((0.5, 0.5), 4.0, String::new()),
            ((1.0, 1.0), 2.0, String::new()),
        ];
        let chart = shares(labels(), &dots, "").unwrap();
        let places: Vec<(f64, f64)> = chart.dots.iter().map(|dot| (dot.x, dot.y)).collect();
        let (left, right) = (chart.guides[0].left, chart.guides[0].right);
        assert_eq!(
            places,
            [(LEFT, left), ((LEFT + RIGHT) / 2.0, (left + right) / 2.0), (RIGHT, right)]
        );
        assert_eq!(chart.dots.iter().map(|dot| dot.radius).collect::<Vec<_>>(), [5.0, 10.0, 7.1]);
    }

    #[test]
    fn multiples_share_their_axes() {
        let series = [
            ("a".into(), vec![(1.0, 2.0), (2.0, 3.0)]),
            ("b".into(), vec![(1.0, 9.0)]),
            ("c".into(), vec![]),
        ];
        let charts = multiples(|_| labels(), &series);
        assert_eq!(charts.len(), 2);
        assert_eq!(
            (&charts[0].x_ticks, &charts[0].y_ticks),
            (&charts[1].x_ticks, &charts[1].y_ticks)
        );
        assert_eq!(charts[1].lines[0].name, "b");
    }

    #[test]
    fn empty_data_has_no_chart() {
        assert_eq!(histogram(labels(), &[]), None);
        assert_eq!(shares(labels(), &[], ""), None);
        assert_eq!(lines(labels(), &[("a".into(), vec![])], &[(1.0, String::new())]), None);
        assert_eq!(lines(labels(), &[("a".into(), vec![(1.0, 1.0)])], &[]), None);
        assert!(histogram(labels(), &[7]).is_some());
    }
}

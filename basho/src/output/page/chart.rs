//! Charts, laid out in the units of their picture; the page's template draws them.

/// The picture that every chart fills.
pub const WIDTH: f64 = 520.0;
/// Its height.
pub const HEIGHT: f64 = 250.0;
/// The area between the axes.
pub const LEFT: f64 = 54.0;
/// Its right edge.
pub const RIGHT: f64 = 508.0;
/// Its upper edge.
pub const TOP: f64 = 14.0;
/// Its lower edge.
pub const BOTTOM: f64 = 206.0;

/// A mark on an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Along the axis, in the units of the picture.
    pub at: f64,
    /// Its label.
    pub text: String,
}

/// A chart of lines, of bars or of dots.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// A description with the most important numbers, for readers who cannot see it.
    pub description: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// The marks of the horizontal axis.
    pub x_ticks: Vec<Tick>,
    /// The marks of the vertical axis.
    pub y_ticks: Vec<Tick>,
    /// The lines.
    pub lines: Vec<Line>,
    /// The bars.
    pub bars: Vec<Bar>,
    /// The dots.
    pub dots: Vec<Dot>,
    /// Straight lines with a meaning.
    pub guides: Vec<Guide>,
}

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// What it stands for.
    pub name: String,
    /// The points, as SVG writes them.
    pub points: String,
}

/// A bar of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// Down to the axis.
    pub height: f64,
    /// What it stands for.
    pub title: String,
}

/// A dot of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Dot {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Its size.
    pub radius: f64,
    /// What it stands for.
    pub title: String,
}

/// A straight line from one side of the area to the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Guide {
    /// The height of its left end.
    pub left: f64,
    /// The height of its right end.
    pub right: f64,
    /// The height of its label, at the right.
    pub label: f64,
    /// Its label.
    pub text: String,
}

/// An axis: which values lie where.
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

    /// Marks at round values, four to eight of them.
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

/// 1, 2 or 5 times a power of ten, so that four to eight of it make the span.
fn round_step(span: f64) -> f64 {
    let power = 10f64.powf((span / 4.0).log10().floor());
    let factor = [5.0, 2.0].into_iter().find(|factor| factor * power <= span / 4.0).unwrap_or(1.0);
    factor * power
}

/// Rounded to a tenth of a unit, which is invisible.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The texts of a chart.
pub struct Labels {
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The horizontal axis.
    pub x_label: String,
    /// The vertical axis.
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

/// More lines in one chart could not be told apart: there are as many strokes.
pub const MAX_LINES: usize = 6;

/// A line by its name and points.
type Series = (String, Vec<(f64, f64)>);

/// Lines by name, each through its points, and horizontal guides. `None` without two different x values.
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

/// A chart for each line, all with the same axes, so that they can be compared. None without two different x values.
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

/// The axes on which all points and guides have room.
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

/// How often each value occurs, in bins of equal width. `None` without values.
pub fn histogram(labels: Labels, values: &[u32]) -> Option<Chart> {
    let (least, most) = (*values.iter().min()?, *values.iter().max()?);
    let width = (most - least) / MAX_BINS + 1;
    // Bins begin at multiples of their width, so that their edges are round.
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

/// Shares against shares, all 0 to 1: dots by their weight and title, and the line on which both shares are equal. `None` without
/// dots.
pub fn shares(labels: Labels, dots: &[((f64, f64), f64, String)], diagonal: &str) -> Option<Chart> {
    let heaviest = dots.iter().map(|dot| dot.1).reduce(f64::max)?;
    let x_axis = Axis { least: 0.0, most: 1.0, from: LEFT, to: RIGHT };
    let y_axis = Axis { least: 0.0, most: 1.0, from: BOTTOM, to: TOP };
    let dot = |((x, y), weight, title): &((f64, f64), f64, String)| Dot {
        x: x_axis.place(*x),
        y: y_axis.place(*y),
        // The area shows the weight; the lightest can still be seen.
        radius: round(MAX_DOT_RADIUS * (weight / heaviest).sqrt().max(0.25)),
        title: title.clone(),
    };
    let mut chart = labels.chart(&x_axis, &y_axis);
    chart.dots = dots.iter().map(dot).collect();
    let (left, right) = (y_axis.place(0.0), y_axis.place(1.0));
    // So far below its end, the label does not touch the line.
    chart.guides = vec![Guide { left, right, label: right + 33.0, text: diagonal.to_owned() }];
    Some(chart)
}

/// The radius of the heaviest dot.
const MAX_DOT_RADIUS: f64 = 10.0;

/// More bins would be too thin.
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
    fn all_marks_lie_on_the_axes_at_round_values() {
        for most in [0.003, 0.7, 1.0, 4.0, 7.3, 999.0, 123_456.0] {
            let chart =
                lines(labels(), &[("a".into(), vec![(0.0, -most), (most, most)])], &[]).unwrap();
            assert!((4..=9).contains(&chart.x_ticks.len()), "{most}: {:?}", chart.x_ticks);
            assert!(chart.x_ticks.iter().all(|tick| (LEFT..=RIGHT).contains(&tick.at)));
            assert!(chart.y_ticks.iter().all(|tick| (TOP..=BOTTOM).contains(&tick.at)));
        }
    }

    #[test]
    fn a_histogram_counts_every_value_once() {
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
    fn charts_of_many_lines_have_the_same_axes() {
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
    fn there_is_no_chart_of_nothing() {
        assert_eq!(histogram(labels(), &[]), None);
        assert_eq!(shares(labels(), &[], ""), None);
        assert_eq!(lines(labels(), &[("a".into(), vec![])], &[(1.0, String::new())]), None);
        assert_eq!(lines(labels(), &[("a".into(), vec![(1.0, 1.0)])], &[]), None);
        assert!(histogram(labels(), &[7]).is_some());
    }
}

//! Makes the weights of the net that evaluates rounds of Kamisado, `src/games/kamisado/net.bin`: first rounds are played from random
//! arrangements and every move of their positions is solved, then the net is fitted to who wins, and by which moves.
//!
//! ```text
//! cargo run --release --example fit_kamisado -- label --rounds 10000 >labels.txt
//! cargo run --release --example fit_kamisado -- fit labels.txt
//! ```
//!
//! On one core the labels take about half an hour and the fit a minute. The same build and seed write the same labels, and the same files give
//! the same net. The weights of the build influence which positions rounds come to, so a second time after a rebuild they are
//! others. Those in the repository come from 144,939 such lines of a predecessor.

#[path = "fitting/adam.rs"]
mod adam;
#[path = "fitting/reliability.rs"]
mod reliability;

use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::PathBuf;

use adam::Adam;
use anyhow::Context;
use clap::{Parser, Subcommand};
use oshi::game::{Evaluator, Game, RoundProof, Searchable};
use oshi::games::kamisado::net::{MOVE, Net, Reading, SHARE, TOWER, add_times, parts, rows, sum_of};
use oshi::games::kamisado::view::{MOVE_SIZES, PUSH, TOWER_SIZES, View};
use oshi::games::kamisado::{Match, Target};
use oshi::games::weights;
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use reliability::Reliability;

/// Makes the weights of the net that evaluates rounds of Kamisado.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Plays rounds and writes a line for each position solved: `w`, `l` or `-` for what the player to move comes to; the same as `1`, `0` or
    /// `-` for each move, or `-` alone where the moves are not solved; and the position.
    Label {
        /// How many rounds.
        #[arg(long)]
        rounds: u32,
        /// The seed of the arrangements and the draws.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fits the weights to the positions of these files, except the last twentieth, which validates them.
    Fit {
        /// The files that `label` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How often each position is seen.
        #[arg(long, default_value_t = 40)]
        epochs: u32,
        /// The first rate of learning; it falls to 0.
        #[arg(long, default_value_t = 0.005)]
        rate: f32,
        /// The file to write.
        #[arg(long, default_value = "src/games/kamisado/net.bin")]
        output: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().step {
        Step::Label { rounds, seed } => {
            let mut study = Study::new(seed);
            (0..rounds).try_for_each(|_| study.round())
        }
        Step::Fit { files, epochs, rate, output } => {
            let mut samples = Vec::new();
            for file in &files {
                let reader =
                    BufReader::new(std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?);
                for line in reader.lines() {
                    let line = line?;
                    samples.push(Sample::from_line(&line).with_context(|| format!("no line of `label`: {line}"))?);
                }
            }
            anyhow::ensure!(samples.len() >= 20 * BATCH, "{} positions are too few: label more", samples.len());
            let net = fit(&samples, epochs, rate);
            std::fs::write(&output, weights::to_bytes(&net.weights)).with_context(|| format!("cannot write {}", output.display()))
        }
    }
}

/// Nodes for each move of a position that is solved.
const NODES_PER_MOVE: u64 = 20_000;

/// Later positions of a round are judged well enough.
const LAST_PLY: u32 = 12;

/// How often the moves of the opening, which are many and hard, are solved.
const OPENINGS: f64 = 0.1;

/// How often the position after a solved move is written too.
const NEXT_POSITIONS: f64 = 0.2;

/// Plays, solves and writes.
struct Study {
    searcher: Searcher<Match>,
    rng: ChaCha8Rng,
}

impl Study {
    fn new(seed: u64) -> Study {
        Study { searcher: Searcher::new(Settings::default()), rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn round(&mut self) -> anyhow::Result<()> {
        let mut position = self.random_arrangement()?;
        self.searcher.clear();
        let first = u32::from(!self.rng.random_bool(OPENINGS));
        for ply in 0..=LAST_PLY {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if ply >= first && moves.len() > 1 {
                self.write(&position)?;
            }
            position.play(self.draw_move(&position)?);
        }
        Ok(())
    }

    /// Writes the position and some of those after its moves.
    fn write(&mut self, position: &Match) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let wins = self.wins(position);
        let result = match () {
            () if wins.contains(&Some(true)) => 'w',
            () if wins.contains(&None) => '-',
            () => 'l',
        };
        let digits: String = wins.iter().map(|won| won.map_or('-', |won| if won { '1' } else { '0' })).collect();
        writeln!(out, "{result} {digits} {position}")?;
        for (mv, won) in position.legal_moves().into_iter().zip(wins) {
            if !self.rng.random_bool(NEXT_POSITIONS) {
                continue;
            }
            let mut next = *position;
            next.play(mv);
            if let Some(won) = won.filter(|_| next.legal_moves().len() > 1) {
                writeln!(out, "{} - {next}", if won == (next.turn() == position.turn()) { 'w' } else { 'l' })?;
            }
        }
        Ok(())
    }

    /// Which moves win and which lose, as far as the search can prove it.
    fn wins(&mut self, position: &Match) -> Vec<Option<bool>> {
        let moves = position.legal_moves();
        let limits = Limits { nodes: Some(NODES_PER_MOVE * moves.len() as u64), lines: moves.len(), ..Limits::default() };
        let report = self.searcher.run(position, &limits, &Control::default(), &mut |_| ());
        let won = |mv| match report.lines.iter().find(|line| line.moves.first() == Some(mv))?.value {
            Value::Win(_) => Some(true),
            Value::Loss(_) => Some(false),
            _ => None,
        };
        moves.iter().map(won).collect()
    }

    /// The start of a one-point match, more often than not with Sumos.
    fn random_arrangement(&mut self) -> anyhow::Result<Match> {
        let plain = Match::start(Target::Simple).random_start(&mut self.rng);
        if !self.rng.random_bool(0.7) {
            return Ok(plain);
        }
        let promotion = self.rng.random_range(0.0..0.5);
        let line = plain.to_string();
        let (towers, rest) = line.split_once(' ').context("a position line has five fields")?;
        let mut with_teeth = String::new();
        for letter in towers.chars() {
            if letter.is_ascii_alphabetic() {
                with_teeth.extend(std::iter::repeat_n('+', self.random_teeth(promotion)));
            }
            with_teeth.push(letter);
        }
        Ok(format!("{with_teeth} {rest}").parse()?)
    }

    /// Teeth of a tower, each further one with this chance. Matches with Triple Sumos are rare.
    fn random_teeth(&mut self, promotion: f64) -> usize {
        let teeth = (0..3).take_while(|_| self.rng.random_bool(promotion)).count();
        if teeth == 3 && self.rng.random_bool(0.7) { 1 } else { teeth }
    }

    /// A move that is mostly good: drawn by the current policy, and sometimes uniformly.
    fn draw_move(&mut self, position: &Match) -> anyhow::Result<<Match as Game>::Move> {
        const NOISE: f32 = 0.02;
        let moves = position.legal_moves();
        let logits = <Match as Searchable>::Evaluator::default().evaluate(position, &moves, RoundProof::Unknown).policy.logits;
        let best = logits.iter().copied().fold(f32::MIN, f32::max);
        let chances = WeightedIndex::new(logits.iter().map(|logit| (logit - best).exp() + NOISE))?;
        Ok(moves[chances.sample(&mut self.rng)])
    }
}

/// A position and the targets of the net.
struct Sample {
    view: View,
    /// Whether the player to move wins, where that is known and a tower is called.
    won: Option<bool>,
    /// Whether each move wins, where some are known to and some not to; else empty.
    wins: Vec<Option<bool>>,
}

impl Sample {
    fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(3, ' ');
        let [result, digits, position] = [words.next()?, words.next()?, words.next()?];
        let position: Match = position.parse().ok()?;
        let moves = position.legal_moves();
        let known = |character| match character {
            'w' | '1' => Some(true),
            'l' | '0' => Some(false),
            _ => None,
        };
        let wins: Vec<Option<bool>> = digits.chars().map(known).collect();
        let is_choice = wins.contains(&Some(true)) && wins.contains(&Some(false));
        if is_choice && wins.len() != moves.len() {
            return None;
        }
        let won = known(result.chars().next()?).filter(|_| position.called().is_some());
        Some(Sample { view: View::new(&position, &moves)?, won, wins: if is_choice { wins } else { Vec::new() } })
    }
}

/// The batch size, in positions.
const BATCH: usize = 512;

/// The weight of the choice of a winning move relative to the chance.
const CHOICE_SHARE: f32 = 0.5;

/// The weights after a descent with a rate that falls linearly to 0.
fn fit(samples: &[Sample], epochs: u32, first_rate: f32) -> Net {
    let (samples, held_out) = samples.split_at(samples.len() - samples.len() / 20);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut net = Net { weights: first_weights(&mut ChaCha8Rng::seed_from_u64(1)) };
    let mut adam = Adam::new(parts::LEN);
    let mut order: Vec<&Sample> = samples.iter().collect();
    let steps = epochs as usize * (samples.len() / BATCH);
    let mut step = 0;
    for epoch in 1..=epochs {
        order.shuffle(&mut rng);
        for batch in order.chunks_exact(BATCH) {
            let mut slopes = Slopes { net: &net, gradient: vec![0.0; parts::LEN] };
            batch.iter().for_each(|sample| slopes.add(sample));
            let mut gradient = slopes.gradient;
            gradient.iter_mut().for_each(|slope| *slope /= BATCH as f32);
            step += 1;
            adam.descend(&mut net.weights, &gradient, first_rate * (1.0 - step as f32 / steps as f32));
        }
        report(&net, epoch, held_out);
    }
    net
}

/// Random weights, the smaller the more numbers are summed up.
fn first_weights(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weights = vec![0.0; parts::LEN];
    let by_width = |width: usize| 1.0 / (width as f32).sqrt();
    let spreads = [
        (parts::TOWER_ROWS, 0.2),
        (parts::HEARD_SELF, by_width(TOWER)),
        (parts::HEARD_CALLED, by_width(TOWER)),
        (parts::REPLY_TOWER, by_width(TOWER)),
        (parts::REPLY_CALLED, by_width(TOWER)),
        (parts::REPLY_SIDES, by_width(2 * TOWER)),
        (parts::MOVE_ROWS, 0.2),
        (parts::CHOICE, by_width(MOVE)),
        (parts::ROUND_TOWER, by_width(TOWER)),
        (parts::ROUND_MOVES, by_width(MOVE)),
        (parts::ROUND_BEST, by_width(MOVE)),
        (parts::ROUND_SIDES, by_width(2 * TOWER)),
        (parts::CHANCE, by_width(MOVE)),
    ];
    for (part, spread) in spreads {
        weights[part].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * spread);
    }
    for part in [parts::TOWER_BIAS, parts::HEARD_BIAS, parts::REPLY_BIAS, parts::PUSH_BIAS, parts::ROUND_BIAS] {
        weights[part].fill(0.1);
    }
    weights
}

/// The gradient of the loss, summed up over samples.
struct Slopes<'a> {
    net: &'a Net,
    gradient: Vec<f32>,
}

impl Slopes<'_> {
    /// Adds the gradient of the sample's loss (back propagation, Rumelhart, Hinton and Williams 1986).
    fn add(&mut self, sample: &Sample) {
        let view = &sample.view;
        let reading = self.net.read(view);
        let by_logits = by_logits(&reading.logits, &sample.wins);
        let mut by_heard = [[[0.0; TOWER]; 8]; 2];
        let mut by_sides = [0.0; 2 * TOWER];
        let (mut by_sum, mut by_best) = ([0.0; MOVE], [0.0; MOVE]);
        if let (Some(won), Some(called)) = (sample.won, view.called) {
            let by_chance = weights::logistic(reading.chance) - f32::from(u8::from(won));
            self.gradient[parts::CONSTANT] += by_chance;
            let mut by_round = [0.0; MOVE];
            self.back_from_product(parts::CHANCE, &reading.round, by_chance, &mut by_round);
            only_where_positive(&mut by_round, &reading.round);
            self.add_to(parts::ROUND_BIAS.start, &by_round);
            let called = usize::from(called);
            self.back(parts::ROUND_TOWER, &reading.heard[0][called], &by_round, &mut by_heard[0][called]);
            self.back(parts::ROUND_MOVES, &reading.sum, &by_round, &mut by_sum);
            self.back(parts::ROUND_BEST, &reading.best, &by_round, &mut by_best);
            self.back(parts::ROUND_SIDES, &reading.sides, &by_round, &mut by_sides);
        }
        let mut by_replies = [[0.0; MOVE]; 9];
        for (mv, by_logit) in view.moves.iter().zip(by_logits) {
            let after = self.net.after(&reading.replies, mv);
            let mut by_after = by_sum.map(|slope| slope * SHARE);
            self.back_from_product(parts::CHOICE, &after, by_logit, &mut by_after);
            for number in (0..MOVE).filter(|&number| after[number] == reading.best[number]) {
                // The first of several that are equally great takes all.
                by_after[number] += std::mem::take(&mut by_best[number]);
            }
            only_where_positive(&mut by_after, &after);
            let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.numbers);
            rows.into_iter().for_each(|row| self.add_to(row, &by_after));
            add_times(&mut by_replies[usize::from(mv.callee)], &by_after, 1.0);
        }
        let mut by_all = [0.0; MOVE];
        for (colour, by_reply) in by_replies.iter().enumerate() {
            add_times(&mut by_all, by_reply, 1.0);
            if colour == usize::from(PUSH) {
                self.add_to(parts::PUSH_BIAS.start, by_reply);
                continue;
            }
            self.add_to(parts::REPLY_BIAS.start, by_reply);
            self.back(parts::REPLY_TOWER, &reading.heard[1][colour], by_reply, &mut by_heard[1][colour]);
            let calls = view.towers[1][colour].calls;
            let mut by_called = [0.0; TOWER];
            self.back(parts::REPLY_CALLED, &sum_of(&reading.heard[0], calls), by_reply, &mut by_called);
            spread(&mut by_heard[0], calls, &by_called);
        }
        self.back(parts::REPLY_SIDES, &reading.sides, &by_all, &mut by_sides);
        for (by_heard, by_side) in by_heard.iter_mut().zip(by_sides.as_chunks().0) {
            spread(by_heard, u8::MAX, by_side);
        }
        self.back_to_towers(view, &reading, by_heard);
    }

    /// Through the first two layers.
    fn back_to_towers(&mut self, view: &View, Reading { towers, heard, .. }: &Reading, mut by_heard: [[[f32; TOWER]; 8]; 2]) {
        let mut by_towers = [[[0.0; TOWER]; 8]; 2];
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_heard[side][colour];
            only_where_positive(by_tower, &heard[side][colour]);
            self.add_to(parts::HEARD_BIAS.start, by_tower);
            self.back(parts::HEARD_SELF, &towers[side][colour], by_tower, &mut by_towers[side][colour]);
            let calls = view.towers[side][colour].calls;
            let mut by_called = [0.0; TOWER];
            self.back(parts::HEARD_CALLED, &sum_of(&towers[1 - side], calls), by_tower, &mut by_called);
            spread(&mut by_towers[1 - side], calls, &by_called);
        }
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_towers[side][colour];
            only_where_positive(by_tower, &towers[side][colour]);
            self.add_to(parts::TOWER_BIAS.start, by_tower);
            let numbers = view.towers[side][colour].numbers;
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, numbers);
            rows.into_iter().for_each(|row| self.add_to(row, by_tower));
        }
    }

    /// Back through a matrix, from the slopes of what came out to those of what went in.
    fn back<const N: usize>(&mut self, matrix: Range<usize>, numbers: &[f32], by_sums: &[f32; N], by_numbers: &mut [f32]) {
        let rows = self.net.weights[matrix.clone()].as_chunks().0;
        let slopes = self.gradient[matrix].as_chunks_mut().0;
        for (((row, slopes), &number), by_number) in rows.iter().zip(slopes).zip(numbers).zip(by_numbers) {
            add_times(slopes, by_sums, number);
            *by_number += weights::dot(row, by_sums);
        }
    }

    /// Back through an inner product with weights.
    fn back_from_product(&mut self, part: Range<usize>, numbers: &[f32; MOVE], by_product: f32, by_numbers: &mut [f32; MOVE]) {
        for (index, (number, by_number)) in part.zip(numbers.iter().zip(by_numbers)) {
            self.gradient[index] += by_product * number;
            *by_number += by_product * self.net.weights[index];
        }
    }

    fn add_to(&mut self, start: usize, slopes: &[f32]) {
        self.gradient[start..].iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }
}

fn only_where_positive<const N: usize>(slopes: &mut [f32; N], numbers: &[f32; N]) {
    slopes.iter_mut().zip(numbers).filter(|(_, number)| **number <= 0.0).for_each(|(slope, _)| *slope = 0.0);
}

/// Back through [`sum_of`].
fn spread(by_towers: &mut [[f32; TOWER]; 8], set: u8, by_sum: &[f32; TOWER]) {
    let heard = by_towers.iter_mut().enumerate().filter(|(colour, _)| set >> colour & 1 == 1);
    heard.for_each(|(_, by_tower)| add_times(by_tower, by_sum, SHARE));
}

/// The shares of the moves of which it is known whether they win, by their logits; and the share of those that do.
fn shares(logits: &[f32], wins: &[Option<bool>]) -> (Vec<f32>, f32) {
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers = logits.iter().zip(wins).map(|(logit, won)| if won.is_some() { (logit - best).exp() } else { 0.0 });
    let sum: f32 = powers.clone().sum();
    let shares: Vec<f32> = powers.map(|power| power / sum).collect();
    let winning = shares.iter().zip(wins).filter(|(_, won)| **won == Some(true)).map(|(share, _)| share).sum();
    (shares, winning)
}

/// The slopes of the cross-entropy of choosing any winning move.
fn by_logits(logits: &[f32], wins: &[Option<bool>]) -> Vec<f32> {
    if wins.is_empty() {
        return vec![0.0; logits.len()];
    }
    let (shares, winning) = shares(logits, wins);
    let wanted = |share: f32, won: Option<bool>| if won == Some(true) { share / winning.max(1e-6) } else { 0.0 };
    shares.into_iter().zip(wins).map(|(share, &won)| CHOICE_SHARE * (share - wanted(share, won))).collect()
}

/// What the net says of positions that it was not fitted to, the rounds by the teeth on the board: up to 3, 7, 11 and more.
fn report(net: &Net, epoch: u32, held_out: &[Sample]) {
    const MOST_TEETH: f64 = 16.0;
    let (mut told, mut choices, mut winning_shares, mut right) = (Vec::new(), 0.0, 0.0, 0.0);
    for sample in held_out {
        let reading = net.read(&sample.view);
        if let Some(won) = sample.won {
            let teeth: u8 = sample.view.towers.as_flattened().iter().map(|tower| tower.numbers[0] / 8).sum();
            told.push((f64::from(teeth) / MOST_TEETH, won, f64::from(weights::logistic(reading.chance))));
        }
        if !sample.wins.is_empty() {
            let (shares, winning) = shares(&reading.logits, &sample.wins);
            let favourite = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
            choices += 1.0;
            winning_shares += f64::from(winning);
            right += f64::from(u8::from(favourite.is_some_and(|favourite| sample.wins[favourite] == Some(true))));
        }
    }
    let loss: f64 = told.iter().map(|&(_, won, chance)| -(if won { chance } else { 1.0 - chance }).max(1e-6).ln()).sum();
    let (loss, winning, right) = (loss / told.len() as f64, winning_shares / choices, right / choices);
    eprintln!("epoch {epoch}: {} rounds held out, loss {loss:.4}, {}", told.len(), Reliability::of(&told));
    eprintln!("    {choices} choices, the winning moves' share {winning:.4}, the favourite wins {right:.4}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An opening, and later positions with and without pushes and Sumos, with results that are made up; whether those of the moves are too.
    const ROUNDS: [(char, bool, &str); 4] = [
        ('-', true, "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1"),
        ('w', true, "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 1"),
        ('w', false, "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 0-0 1"),
        ('l', false, "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 1"),
    ];

    fn loss(net: &Net, sample: &Sample) -> f32 {
        let reading = net.read(&sample.view);
        let of_chance = sample.won.map_or(0.0, |won| -weights::logistic(if won { reading.chance } else { -reading.chance }).ln());
        let of_choice = if sample.wins.is_empty() { 0.0 } else { -shares(&reading.logits, &sample.wins).1.ln() };
        of_chance + CHOICE_SHARE * of_choice
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        const STEP: f32 = 1e-2;
        for (result, with_moves, position) in ROUNDS {
            let moves = position.parse::<Match>().unwrap().legal_moves().len();
            let digits = if with_moves { "10-".chars().cycle().take(moves).collect() } else { "-".to_owned() };
            let sample = Sample::from_line(&format!("{result} {digits} {position}")).unwrap();
            let mut net = Net { weights: first_weights(&mut ChaCha8Rng::seed_from_u64(1)) };
            let mut slopes = Slopes { net: &net, gradient: vec![0.0; parts::LEN] };
            slopes.add(&sample);
            let gradient = slopes.gradient;
            let (mut wrong, mut sloping) = (0, 0);
            for (index, told) in gradient.into_iter().enumerate() {
                let weight = net.weights[index];
                let [above, below] = [STEP, -STEP].map(|step| {
                    net.weights[index] = weight + step;
                    loss(&net, &sample)
                });
                net.weights[index] = weight;
                let slope = (above - below) / (2.0 * STEP);
                sloping += u32::from(slope != 0.0);
                wrong += u32::from((slope - told).abs() > 0.02 + 0.1 * slope.abs());
            }
            // Where a number passes 0 or another move becomes the best, the two may differ.
            assert!(sloping > 100 && 50 * wrong <= sloping, "{wrong} of {sloping} slopes of {position}");
        }
    }
}

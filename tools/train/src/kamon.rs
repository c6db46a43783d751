//! Trains Kamon's network, `src/games/kamon/eval/net.bin`. The engine plays against itself, and the
//! network is fitted to the values of the searches and the results of the games.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamon play --games 1200 --seed 7 >games.txt
//! cargo run --release -p oshi-train -- kamon fit --from src/games/kamon/eval/net.bin games.txt
//! ```
//!
//! The samples are not only the positions at the root of a search. Its tree holds many others that
//! are proven or have hundreds of visits, and the search will evaluate such positions (as in
//! TreeStrap, Veness and others 2009).
//!
//! The same build and seed play the same games, and the same files give the same network.

use std::io::Write;
use std::path::PathBuf;

use crate::fitting;
use crate::fitting::backprop::Backprop;
use crate::fitting::descent::{Model, descend, initial_weights, read_samples};

use anyhow::Context;
use clap::{Args, Subcommand};
use oshi::game::{Evaluator, Game, Outcome, Player, RoundProof, Searchable};
use oshi::games::kamon::eval::net::{
    Activations, Features, HIDDEN, Net, hidden_rows, parts, symmetries,
};
use oshi::games::kamon::{Cell, Kamon};
use oshi::games::weights;
use oshi::search::{Control, Limits, Searcher, Settings, TrainingSample, Value};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Options of `kamon`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Play games and write samples to stdout.
    ///
    /// Each line holds Black's win probability, the best move or `-`, Black's result or `-`, and
    /// the position.
    Play {
        /// Games of the engine against itself. Most have one random move; only positions after it
        /// get a result.
        #[arg(long, default_value_t = 1_200)]
        games: u32,
        /// Nodes per search.
        #[arg(long, default_value_t = 20_000)]
        nodes: u64,
        /// Seed of layouts and random choices.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fit the weights to samples. The last twentieth is held out.
    Fit {
        /// Files that `play` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Passes over all samples.
        #[arg(long, default_value_t = 8)]
        epochs: u32,
        /// Initial weights, to continue an earlier training [default: random].
        #[arg(long)]
        from: Option<PathBuf>,
        /// Initial learning rate; it falls linearly to 0.
        #[arg(long, default_value_t = 0.003)]
        rate: f32,
        /// File to write.
        #[arg(long, default_value = "src/games/kamon/eval/net.bin")]
        output: PathBuf,
    },
}

/// Runs one step of the training.
///
/// # Errors
///
/// If a file cannot be read or written.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.step {
        Step::Play { games, nodes, seed } => {
            let mut self_play = SelfPlay::new(nodes, seed);
            (0..games).try_for_each(|_| self_play.game())
        }
        Step::Fit { files, epochs, from, rate, output } => {
            let samples = read_samples(&files, Sample::from_line, |_| ())?;
            let random = || random_weights(&mut ChaCha8Rng::seed_from_u64(1));
            let first = Net { weights: initial_weights(from.as_deref(), parts::LEN, random)? };
            let net = descend(first, &samples, epochs, rate);
            fitting::write(&output, weights::to_bytes(&net.weights))
        }
    }
}

/// Minimum visits of an unproven position to become a sample.
const MIN_VISITS: u32 = 400;

/// Maximum samples per search and ply, each for proven and unproven positions.
const MAX_PER_PLY: usize = 4;

/// First ply without samples. Soon after it, exact search replaces the network.
const END_PLY: usize = 21;

/// Factor of the logits for random moves.
const LOGIT_SCALE: f32 = 0.4;

/// Games of the engine against itself, written as samples.
struct SelfPlay {
    searcher: Searcher<Kamon>,
    limits: Limits<Cell>,
    rng: ChaCha8Rng,
}

impl SelfPlay {
    fn new(nodes: u64, seed: u64) -> SelfPlay {
        let searcher = Searcher::new(Settings { hash_mib: 32, ..Settings::default() });
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        SelfPlay { searcher, limits, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Returns the best move, Black's win probability, and whether it is proven.
    fn search(&mut self, position: &Kamon) -> anyhow::Result<(Cell, f32, bool)> {
        let report = self.searcher.run(position, &self.limits, &Control::default(), &mut |_| ());
        let line = report.lines.first().context("a game that goes on has a best move")?;
        let (probability, is_proven) = match line.value {
            Value::Win(_) => (1.0, true),
            Value::Loss(_) => (0.0, true),
            Value::Draw => (0.5, true),
            Value::WinProbability(probability) => (probability, false),
        };
        let black_value =
            if position.turn() == Player::Black { probability } else { 1.0 - probability };
        Ok((*line.moves.first().context("a line has a move")?, black_value, is_proven))
    }

    /// Draws a move by the flattened policy.
    fn draw(&mut self, position: &Kamon) -> anyhow::Result<Cell> {
        let moves = position.legal_moves();
        let logits = <Kamon as Searchable>::Evaluator::default()
            .evaluate(position, &moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let probabilities =
            WeightedIndex::new(logits.iter().map(|logit| (LOGIT_SCALE * logit).exp()))?;
        Ok(moves[probabilities.sample(&mut self.rng)])
    }

    fn game(&mut self) -> anyhow::Result<()> {
        let mut position = Kamon::start().random_start(&mut self.rng);
        let drawn_ply = self.rng.random_bool(0.6).then(|| self.rng.random_range(0..7));
        let mut lines = Vec::new();
        self.searcher.clear();
        let result = loop {
            match position.outcome() {
                Some(Outcome::Win(winner)) => break f32::from(u8::from(winner == Player::Black)),
                Some(Outcome::Draw) => break 0.5,
                None => (),
            }
            let (best, black_value, is_proven) = self.search(&position)?;
            lines.push((black_value, best, position));
            self.write_samples()?;
            if is_proven {
                break black_value;
            }
            let cell =
                if drawn_ply == Some(lines.len() - 1) { self.draw(&position)? } else { best };
            position.play(cell);
        };
        for (ply, (black_value, best, position)) in lines.into_iter().enumerate() {
            let result = if drawn_ply.is_some_and(|drawn| ply <= drawn) {
                "-".to_owned()
            } else {
                result.to_string()
            };
            writeln!(std::io::stdout(), "{black_value:.4} {best} {result} {position}")?;
        }
        Ok(())
    }

    /// Writes a few positions of each ply from the tree of the last search.
    fn write_samples(&mut self) -> anyhow::Result<()> {
        let mut by_ply: [[Vec<TrainingSample<Kamon>>; 2]; END_PLY] =
            std::array::from_fn(|_| Default::default());
        self.searcher.observe_samples(MIN_VISITS, &mut |sample| {
            if let Some(of_ply) = by_ply.get_mut(sample.position.ply() as usize) {
                of_ply[usize::from(sample.is_proven)].push(sample);
            }
        });
        for samples in by_ply.iter().flatten() {
            for sample in samples.sample(&mut self.rng, MAX_PER_PLY) {
                let best = sample.best.map_or("-".to_owned(), |best| best.to_string());
                writeln!(
                    std::io::stdout(),
                    "{:.4} {best} - {}",
                    sample.black_win_probability,
                    sample.position
                )?;
            }
        }
        Ok(())
    }
}

/// A position with its targets.
pub struct Sample {
    features: Features,
    /// Win probability of the player to move.
    value: f32,
    /// Index of the best move, unless all lose or there is only one.
    best: Option<usize>,
}

/// Weight of the game's result in the value's target; the rest is the search's value.
const RESULT_WEIGHT: f32 = 0.7;

impl Sample {
    fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(4, ' ');
        let black_value: f32 = words.next()?.parse().ok()?;
        let best = match words.next()? {
            "-" => None,
            best => Some(Cell::from_text(best)?),
        };
        let result: Option<f32> = match words.next()? {
            "-" => None,
            result => Some(result.parse().ok()?),
        };
        let position: Kamon = words.next()?.parse().ok()?;
        let target = result.map_or(black_value, |result| {
            RESULT_WEIGHT * result + (1.0 - RESULT_WEIGHT) * black_value
        });
        let own = |black: f32| if position.turn() == Player::Black { black } else { 1.0 - black };
        let features = position.features();
        let best = features
            .moves
            .iter()
            .position(|&(cell, _)| Some(cell) == best)
            .filter(|_| own(black_value) > 0.01);
        Some(Sample {
            value: own(target).clamp(0.005, 0.995),
            best: best.filter(|_| features.moves.len() > 1),
            features,
        })
    }

    /// Features under a symmetry of the board. Shapes do not change.
    fn image(&self, symmetry: &[Cell; Cell::COUNT]) -> Features {
        let mut features = self.features.clone();
        for (cell, to) in symmetry.iter().enumerate() {
            features.states[to.ordinal()] = self.features.states[cell];
            features.shapes[to.ordinal()] = self.features.shapes[cell];
        }
        for (cell, replies) in &mut features.moves {
            *cell = symmetry[cell.ordinal()];
            *replies = replies.iter().map(|reply| symmetry[reply.ordinal()]).collect();
        }
        features
    }
}

/// Weight of the policy's loss.
const POLICY_WEIGHT: f32 = 0.3;

impl Model for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Augments the samples by random symmetries.
    fn add_gradient(&self, sample: &Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        let symmetry = symmetries().choose(rng).expect("there are symmetries");
        add_gradient(self, sample, &sample.image(symmetry), gradient);
    }

    fn report(&self, epoch: u32, held_out: &[Sample]) {
        let (mut value_loss, mut policy_loss, mut choices) = (0.0, 0.0, 0.0_f32);
        for sample in held_out {
            let (value, policy) = losses(&self.forward(&sample.features), sample);
            value_loss += f64::from(value);
            policy_loss += f64::from(policy.unwrap_or(0.0));
            choices += f32::from(u8::from(policy.is_some()));
        }
        eprintln!(
            "epoch {epoch}: held-out value loss {:.4}, policy loss {:.4}",
            value_loss / held_out.len() as f64,
            policy_loss / f64::from(choices)
        );
    }
}

/// Small random weights where symmetry must be broken, 0 elsewhere.
fn random_weights(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weights = vec![0.0; parts::LEN];
    let wide = 2.0 / (HIDDEN as f32).sqrt();
    let ranges = [
        (parts::STATE_ROWS, 0.2),
        (parts::COUNT_ROWS, 0.2),
        (parts::BIAS, 0.2),
        (parts::VALUE, wide),
        (parts::MOVE_ROWS, 0.2),
        (parts::REPLY_ROWS, 0.2),
    ];
    for (part, range) in ranges {
        weights[part].fill_with(|| (rng.random::<f32>() - 0.5) * range);
    }
    weights[parts::REPLY_SCALE] = 0.5;
    weights[parts::MOVE_SCALE] = 0.3;
    weights
}

/// Cross-entropy losses of value and policy.
fn losses(activations: &Activations, sample: &Sample) -> (f32, Option<f32>) {
    let value = 1.0 / (1.0 + (-activations.value).exp());
    let loss = -(sample.value * value.max(1e-6).ln()
        + (1.0 - sample.value) * (1.0 - value).max(1e-6).ln());
    (loss, sample.best.map(|best| activations.log_sum - activations.logits[best]))
}

/// Adds the gradient of the sample's loss.
fn add_gradient(net: &Net, sample: &Sample, features: &Features, gradient: &mut [f32]) {
    let mut backprop = Backprop { weights: &net.weights, gradient };
    let activations = net.forward(features);
    let d_value = 1.0 / (1.0 + (-activations.value).exp()) - sample.value;
    let mut d_hidden = [0.0; HIDDEN];
    backprop.gradient[parts::VALUE_BIAS] += d_value;
    backprop.gradient[parts::MOVE_SCALE] += d_value * activations.log_sum;
    backprop.dot(parts::VALUE, &activations.hidden, d_value, &mut d_hidden);
    for &shape in &features.shapes {
        backprop.gradient[parts::VALUE_SHAPES.start + usize::from(shape)] += d_value;
    }
    let mut d_replies = [0.0; Cell::COUNT];
    for (choice, &(cell, replies)) in features.moves.iter().enumerate() {
        let probability = (activations.logits[choice] - activations.log_sum).exp();
        let policy_loss = sample.best.map_or(0.0, |best| {
            POLICY_WEIGHT * (probability - f32::from(u8::from(choice == best)))
        });
        let d_logit = d_value * backprop.weights[parts::MOVE_SCALE] * probability + policy_loss;
        let (cell, sum) = (cell.ordinal(), activations.reply_sums[choice]);
        backprop.gradient[parts::MOVE_STATES.start + usize::from(features.states[cell])] += d_logit;
        backprop.gradient[parts::MOVE_SHAPES.start + usize::from(features.shapes[cell])] += d_logit;
        let row = parts::MOVE_ROWS.start + cell * HIDDEN;
        backprop.dot(row..row + HIDDEN, &activations.hidden, d_logit, &mut d_hidden);
        backprop.gradient[parts::REPLY_SCALE] -= d_logit * sum.ln();
        for reply in replies {
            d_replies[reply.ordinal()] -= d_logit
                * backprop.weights[parts::REPLY_SCALE]
                * activations.replies[reply.ordinal()]
                / sum;
        }
    }
    for (cell, d_reply) in d_replies.into_iter().enumerate().filter(|&(_, d_reply)| d_reply != 0.0)
    {
        backprop.gradient[parts::REPLY_STATES.start + usize::from(features.states[cell])] +=
            d_reply;
        backprop.gradient[parts::REPLY_SHAPES.start + usize::from(features.shapes[cell])] +=
            d_reply;
        let row = parts::REPLY_ROWS.start + cell * HIDDEN;
        backprop.dot(row..row + HIDDEN, &activations.hidden, d_reply, &mut d_hidden);
    }
    for (d_hidden, hidden) in d_hidden.iter_mut().zip(activations.hidden) {
        if hidden <= 0.0 || hidden >= 1.0 {
            *d_hidden = 0.0;
        }
    }
    for start in hidden_rows(features).chain([parts::BIAS.start]) {
        backprop.row(start, &d_hidden);
    }
}

//! Makes the weights of the net that evaluates positions of Kamon, `src/games/kamon/eval/net.bin`: first the engine plays against itself,
//! then the net is fitted to what its searches have found out, and to the results of the games.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamon play --games 1200 --seed 7 >games.txt
//! cargo run --release -p oshi-train -- kamon fit --from src/games/kamon/eval/net.bin games.txt
//! ```
//!
//! What is learnt is not only what a search says of the position that it was asked for. Its tree holds many others that are proven or
//! have had hundreds of visits, and just such positions it will ask the net for (as in TreeStrap, Veness and others 2009).
//!
//! On one core the games take ten minutes and give 800,000 positions, the fit takes a minute. The same build and seed play the same games,
//! and the same files give the same net. The weights of the build influence the games, so a second round after a rebuild
//! makes other ones. Those in the repository come from 2,400 games of their predecessors and 1,470 of the generation between, these at 30,000
//! nodes, and were fitted from the weights of the former with `--epochs 8`.

use std::io::Write;
use std::path::PathBuf;

use crate::fitting::descent::{Learner, descend, first_weights, read_samples};
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

/// Makes the weights of the net that evaluates positions of Kamon.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Plays, and writes a line for each position searched and some below it: Black's chance, the best move or `-`, Black's result or `-`, and the position.
    Play {
        /// Games of the engine against itself, most with one random move; only the positions after it have a result.
        #[arg(long, default_value_t = 1_200)]
        games: u32,
        /// Nodes for each search.
        #[arg(long, default_value_t = 20_000)]
        nodes: u64,
        /// The seed of the layouts and the draws.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fits the weights to the positions of these files, except the last twentieth, which validates them.
    Fit {
        /// The files that `play` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How often each position is seen.
        #[arg(long, default_value_t = 8)]
        epochs: u32,
        /// The weights to begin with: those of the teacher, where few positions are to mend what many have taught it.
        #[arg(long)]
        from: Option<PathBuf>,
        /// The first rate of learning; it falls to 0.
        #[arg(long, default_value_t = 0.003)]
        rate: f32,
        /// The file to write.
        #[arg(long, default_value = "src/games/kamon/eval/net.bin")]
        output: PathBuf,
    },
}

/// Runs one step of the training.
///
/// # Errors
/// A file cannot be read or written.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.step {
        Step::Play { games, nodes, seed } => {
            let mut study = Study::new(nodes, seed);
            (0..games).try_for_each(|_| study.game())
        }
        Step::Fit { files, epochs, from, rate, output } => {
            let samples = read_samples(&files, Sample::from_line, |_| ())?;
            let random = || random_weights(&mut ChaCha8Rng::seed_from_u64(1));
            let first = Net { weights: first_weights(from.as_deref(), parts::LEN, random)? };
            let net = descend(first, &samples, epochs, rate);
            std::fs::write(&output, weights::to_bytes(&net.weights))
                .with_context(|| format!("cannot write {}", output.display()))
        }
    }
}

/// Visits that make what is found of an open position worth learning.
const LEAST_VISITS: u32 = 400;

/// Positions of one ply that are written for each search, open and proven ones.
const MOST_OF_PLY: usize = 4;

/// Later positions are not written: soon leaves are looked through, and the net is not asked.
const LAST_PLY: usize = 21;

/// How much the logits count where a move is drawn.
const HEAT: f32 = 0.4;

/// Plays, searches and writes.
struct Study {
    searcher: Searcher<Kamon>,
    limits: Limits<Cell>,
    rng: ChaCha8Rng,
}

impl Study {
    fn new(nodes: u64, seed: u64) -> Study {
        let searcher = Searcher::new(Settings { hash_mib: 32, ..Settings::default() });
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        Study { searcher, limits, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// The best move, Black's chance, and whether that is proven.
    fn search(&mut self, position: &Kamon) -> anyhow::Result<(Cell, f32, bool)> {
        let report = self.searcher.run(position, &self.limits, &Control::default(), &mut |_| ());
        let line = report.lines.first().context("a game that goes on has a best move")?;
        let (chance, is_proven) = match line.value {
            Value::Win(_) => (1.0, true),
            Value::Loss(_) => (0.0, true),
            Value::Draw => (0.5, true),
            Value::WinProbability(chance) => (chance, false),
        };
        let black_chance = if position.turn() == Player::Black { chance } else { 1.0 - chance };
        Ok((*line.moves.first().context("a line has a move")?, black_chance, is_proven))
    }

    /// A move drawn by the prior, made flatter.
    fn draw(&mut self, position: &Kamon) -> anyhow::Result<Cell> {
        let moves = position.legal_moves();
        let logits = <Kamon as Searchable>::Evaluator::default()
            .evaluate(position, &moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let chances = WeightedIndex::new(logits.iter().map(|logit| (HEAT * logit).exp()))?;
        Ok(moves[chances.sample(&mut self.rng)])
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
            let (best, black_chance, is_proven) = self.search(&position)?;
            lines.push((black_chance, best, position));
            self.write_samples()?;
            if is_proven {
                break black_chance;
            }
            let cell =
                if drawn_ply == Some(lines.len() - 1) { self.draw(&position)? } else { best };
            position.play(cell);
        };
        for (ply, (black_chance, best, position)) in lines.into_iter().enumerate() {
            let result = if drawn_ply.is_some_and(|drawn| ply <= drawn) {
                "-".to_owned()
            } else {
                result.to_string()
            };
            writeln!(std::io::stdout(), "{black_chance:.4} {best} {result} {position}")?;
        }
        Ok(())
    }

    /// Writes some of what the last search has found below its root: of each ply a few positions.
    fn write_samples(&mut self) -> anyhow::Result<()> {
        let mut by_ply: [[Vec<TrainingSample<Kamon>>; 2]; LAST_PLY] =
            std::array::from_fn(|_| Default::default());
        self.searcher.observe_samples(LEAST_VISITS, &mut |sample| {
            if let Some(of_ply) = by_ply.get_mut(sample.position.ply() as usize) {
                of_ply[usize::from(sample.is_proven)].push(sample);
            }
        });
        for samples in by_ply.iter().flatten() {
            for sample in samples.sample(&mut self.rng, MOST_OF_PLY) {
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

/// A position and the targets of the net.
pub struct Sample {
    features: Features,
    /// The chance of the player to move.
    chance: f32,
    /// The best of the moves, unless all lose.
    best: Option<usize>,
}

/// The weight of the result relative to the chance by the search.
const RESULT_SHARE: f32 = 0.7;

impl Sample {
    fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(4, ' ');
        let black_chance: f32 = words.next()?.parse().ok()?;
        let best = match words.next()? {
            "-" => None,
            best => Some(Cell::from_text(best)?),
        };
        let result: Option<f32> = match words.next()? {
            "-" => None,
            result => Some(result.parse().ok()?),
        };
        let position: Kamon = words.next()?.parse().ok()?;
        let target = result.map_or(black_chance, |result| {
            RESULT_SHARE * result + (1.0 - RESULT_SHARE) * black_chance
        });
        let own = |black: f32| if position.turn() == Player::Black { black } else { 1.0 - black };
        let features = position.features();
        let best = features
            .moves
            .iter()
            .position(|&(cell, _)| Some(cell) == best)
            .filter(|_| own(black_chance) > 0.01);
        Some(Sample {
            chance: own(target).clamp(0.005, 0.995),
            best: best.filter(|_| features.moves.len() > 1),
            features,
        })
    }

    /// The same under a symmetry of the board. Shapes do not change.
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

/// The weight of the choice of the best move relative to the chance.
const CHOICE_SHARE: f32 = 0.3;

impl Learner for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Each position under a random symmetry.
    fn add_gradient(&self, sample: &Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        let symmetry = symmetries().choose(rng).expect("there are symmetries");
        add_gradient(self, sample, &sample.image(symmetry), gradient);
    }

    fn report(&self, epoch: u32, held_out: &[Sample]) {
        let (mut of_chance, mut of_choice, mut choices) = (0.0, 0.0, 0.0_f32);
        for sample in held_out {
            let (chance, choice) = losses(&self.forward(&sample.features), sample);
            of_chance += f64::from(chance);
            of_choice += f64::from(choice.unwrap_or(0.0));
            choices += f32::from(u8::from(choice.is_some()));
        }
        eprintln!(
            "epoch {epoch}: held out, loss of the chance {:.4}, of the choice {:.4}",
            of_chance / held_out.len() as f64,
            of_choice / f64::from(choices)
        );
    }
}

/// Small random weights where rows have to become different, and 0 elsewhere.
fn random_weights(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weights = vec![0.0; parts::LEN];
    let wide = 2.0 / (HIDDEN as f32).sqrt();
    let spreads = [
        (parts::STATE_ROWS, 0.2),
        (parts::COUNT_ROWS, 0.2),
        (parts::BIAS, 0.2),
        (parts::VALUE, wide),
        (parts::MOVE_ROWS, 0.2),
        (parts::REPLY_ROWS, 0.2),
    ];
    for (part, spread) in spreads {
        weights[part].fill_with(|| (rng.random::<f32>() - 0.5) * spread);
    }
    weights[parts::REPLY_SCALE] = 0.5;
    weights[parts::MOVE_SCALE] = 0.3;
    weights
}

/// The loss of the chance and that of the choice, by cross-entropy.
fn losses(activations: &Activations, sample: &Sample) -> (f32, Option<f32>) {
    let chance = 1.0 / (1.0 + (-activations.value).exp());
    let of_chance = -(sample.chance * chance.max(1e-6).ln()
        + (1.0 - sample.chance) * (1.0 - chance).max(1e-6).ln());
    (of_chance, sample.best.map(|best| activations.log_sum - activations.logits[best]))
}

/// Adds the gradient of the sample's loss (back propagation, Rumelhart, Hinton and Williams 1986).
fn add_gradient(net: &Net, sample: &Sample, features: &Features, gradient: &mut [f32]) {
    let activations = net.forward(features);
    let weights = &net.weights;
    let by_chance = 1.0 / (1.0 + (-activations.value).exp()) - sample.chance;
    let mut by_hidden = [0.0; HIDDEN];
    gradient[parts::VALUE_BIAS] += by_chance;
    gradient[parts::MOVE_SCALE] += by_chance * activations.log_sum;
    add_row(parts::VALUE.start, by_chance, &activations, weights, gradient, &mut by_hidden);
    for &shape in &features.shapes {
        gradient[parts::VALUE_SHAPES.start + usize::from(shape)] += by_chance;
    }
    let mut by_reply = [0.0; Cell::COUNT];
    for (choice, &(cell, replies)) in features.moves.iter().enumerate() {
        let share = (activations.logits[choice] - activations.log_sum).exp();
        let wanted = sample
            .best
            .map_or(0.0, |best| CHOICE_SHARE * (share - f32::from(u8::from(choice == best))));
        let by_logit = by_chance * weights[parts::MOVE_SCALE] * share + wanted;
        let (cell, sum) = (cell.ordinal(), activations.reply_sums[choice]);
        gradient[parts::MOVE_STATES.start + usize::from(features.states[cell])] += by_logit;
        gradient[parts::MOVE_SHAPES.start + usize::from(features.shapes[cell])] += by_logit;
        add_row(
            parts::MOVE_ROWS.start + cell * HIDDEN,
            by_logit,
            &activations,
            weights,
            gradient,
            &mut by_hidden,
        );
        gradient[parts::REPLY_SCALE] -= by_logit * sum.ln();
        for reply in replies {
            by_reply[reply.ordinal()] -=
                by_logit * weights[parts::REPLY_SCALE] * activations.replies[reply.ordinal()] / sum;
        }
    }
    for (cell, by_reply) in
        by_reply.into_iter().enumerate().filter(|&(_, by_reply)| by_reply != 0.0)
    {
        gradient[parts::REPLY_STATES.start + usize::from(features.states[cell])] += by_reply;
        gradient[parts::REPLY_SHAPES.start + usize::from(features.shapes[cell])] += by_reply;
        add_row(
            parts::REPLY_ROWS.start + cell * HIDDEN,
            by_reply,
            &activations,
            weights,
            gradient,
            &mut by_hidden,
        );
    }
    for (by_hidden, hidden) in by_hidden.iter_mut().zip(activations.hidden) {
        if hidden <= 0.0 || hidden >= 1.0 {
            *by_hidden = 0.0;
        }
    }
    for start in hidden_rows(features).chain([parts::BIAS.start]) {
        for (slope, by_hidden) in gradient[start..].iter_mut().zip(by_hidden) {
            *slope += by_hidden;
        }
    }
}

/// Propagates back through the inner product of a row with the hidden layer.
fn add_row(
    start: usize,
    by_product: f32,
    activations: &Activations,
    weights: &[f32],
    gradient: &mut [f32],
    by_hidden: &mut [f32; HIDDEN],
) {
    for (index, by_hidden) in by_hidden.iter_mut().enumerate() {
        gradient[start + index] += by_product * activations.hidden[index];
        *by_hidden += by_product * weights[start + index];
    }
}

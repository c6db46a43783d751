//! Fits the weights of the Kamisado estimate and writes them to `src/games/kamisado/weights.rs`:
//!
//! ```text
//! cargo run --release --example fit_kamisado
//! ```
//!
//! Rounds are played from random arrangements, every move of their positions is labelled by solving the position after it, and two logistic
//! models are fitted to the labels. With the default arguments this takes 2 to 4 minutes on one core. The same build and
//! seed write the same file on any machine. The weights of the build influence the choice of
//! positions, so a second run after a rebuild writes slightly different ones.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use oshi::game::{Evaluator, Game, Player, RoundProof, Searchable};
use oshi::games::kamisado::features::{PRIOR_FEATURES, ROUND_FEATURES, features};
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Fits the weights of the Kamisado estimate.
#[derive(Parser)]
struct Arguments {
    /// Positions to label, at least 100.
    #[arg(long, default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(100..))]
    positions: u32,
    /// The seed of the rounds played.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// The file to write.
    #[arg(long, default_value = "src/games/kamisado/weights.rs")]
    output: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Arguments { positions, seed, output } = Arguments::parse();
    let labels = Labels::of_random_rounds(positions as usize, seed)?;
    let (rounds, held_rounds) = without_last_tenth(&labels.rounds);
    let (choices, held_choices) = without_last_tenth(&labels.choices);
    anyhow::ensure!(!held_rounds.is_empty() && !held_choices.is_empty(), "too few positions were solved: label more");

    let round = descend(|weights| round_gradient(rounds, weights));
    let prior = descend(|weights| prior_gradient(choices, weights));
    report_round(held_rounds, &round);
    report_prior(held_choices, &prior);
    std::fs::write(&output, source_file(&round, &prior)).with_context(|| format!("cannot write {}", output.display()))
}

/// The node limit of the search for the winner after a move; without a proof, the move gets no label.
const NODES_PER_MOVE: u64 = 15_000;

/// A position's features, and whether the player to move wins the round.
struct SolvedRound {
    features: [f32; ROUND_FEATURES],
    won: bool,
}

/// The moves of a won position, not all of which win: the features of each, and whether it wins.
type SolvedChoice = Vec<([f32; PRIOR_FEATURES], bool)>;

/// The samples of both models.
#[derive(Default)]
struct Labels {
    rounds: Vec<SolvedRound>,
    choices: Vec<SolvedChoice>,
}

impl Labels {
    /// Plays rounds until `positions` positions with a choice of moves were tried.
    fn of_random_rounds(positions: usize, seed: u64) -> anyhow::Result<Labels> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut searcher = Searcher::new(Settings::default());
        let mut labels = Labels::default();
        let mut tried = 0;
        while tried < positions {
            let mut position = random_arrangement(&mut rng)?;
            // The first positions of a round are too hard to solve.
            let skipped_plies = rng.random_range(2..=8);
            for ply in 0.. {
                let moves = position.legal_moves();
                if moves.is_empty() || tried == positions {
                    break;
                }
                if ply >= skipped_plies && moves.len() > 1 {
                    labels.add(&mut searcher, &position);
                    tried += 1;
                    if tried % 500 == 0 {
                        let (rounds, choices) = (labels.rounds.len(), labels.choices.len());
                        eprintln!("{tried} of {positions} positions: {rounds} solved, {choices} with a choice to learn from");
                    }
                }
                position.play(draw_move(&position, &mut rng)?);
            }
        }
        Ok(labels)
    }

    /// Solves the position after each move.
    fn add(&mut self, searcher: &mut Searcher<Match>, position: &Match) {
        let Some((round, priors)) = features(position) else { return };
        let turn = position.turn();
        let after = |mv| {
            let mut next = *position;
            next.play(mv);
            next
        };
        let wins: Vec<Option<bool>> =
            position.legal_moves().into_iter().map(|mv| Some(winner(searcher, &after(mv))? == turn)).collect();
        let won = wins.contains(&Some(true));
        let all_solved: Option<Vec<bool>> = wins.into_iter().collect();
        if won || all_solved.is_some() {
            self.rounds.push(SolvedRound { features: round, won });
        }
        if let Some(wins) = all_solved.filter(|wins| won && wins.contains(&false)) {
            self.choices.push(priors.into_iter().zip(wins).collect());
        }
    }
}

/// Who wins a one-point match, if the search can prove it.
fn winner(searcher: &mut Searcher<Match>, position: &Match) -> Option<Player> {
    if let Some(outcome) = position.outcome() {
        return outcome.winner();
    }
    let limits = Limits { nodes: Some(NODES_PER_MOVE), ..Limits::default() };
    let report = searcher.run(position, &limits, &Control::default(), &mut |_| ());
    match report.lines.first()?.value {
        Value::Win(_) => Some(position.turn()),
        Value::Loss(_) => Some(!position.turn()),
        _ => None,
    }
}

/// The start of a one-point match, more often than not with Sumos.
fn random_arrangement(rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    let plain = Match::start(Target::Simple).random_start(rng);
    if !rng.random_bool(0.6) {
        return Ok(plain);
    }
    let promotion = rng.random_range(0.0..0.5);
    let line = plain.to_string();
    let (towers, rest) = line.split_once(' ').context("a position line has five fields")?;
    let mut with_teeth = String::new();
    for letter in towers.chars() {
        if letter.is_ascii_alphabetic() {
            with_teeth.extend(std::iter::repeat_n('+', random_teeth(promotion, rng)));
        }
        with_teeth.push(letter);
    }
    Ok(format!("{with_teeth} {rest}").parse()?)
}

/// Teeth of a tower, each further one with this chance. Matches with Triple Sumos are rare.
fn random_teeth(promotion: f64, rng: &mut ChaCha8Rng) -> usize {
    let teeth = (0..3).take_while(|_| rng.random_bool(promotion)).count();
    if teeth == 3 && rng.random_bool(0.7) { 1 } else { teeth }
}

/// A move that is mostly good: drawn by the current prior, and sometimes uniformly.
fn draw_move(position: &Match, rng: &mut ChaCha8Rng) -> anyhow::Result<<Match as Game>::Move> {
    const NOISE: f32 = 0.02;
    let moves = position.legal_moves();
    let logits = <Match as Searchable>::Evaluator::default().evaluate(position, &moves, RoundProof::Unknown).policy.logits;
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let chances = WeightedIndex::new(logits.iter().map(|logit| (logit - best).exp() + NOISE))?;
    Ok(moves[chances.sample(rng)])
}

/// The samples to fit to, and those to hold out. Neighbours come from the same round, so the tenth that is held out is contiguous.
fn without_last_tenth<T>(samples: &[T]) -> (&[T], &[T]) {
    samples.split_at(samples.len() - samples.len() / 10)
}

/// The weights of minimal mean loss, by Adam (Kingma and Ba, 2015) over all samples at once, with a little weight decay.
fn descend<const N: usize>(gradient: impl Fn(&[f32; N]) -> [f32; N]) -> [f32; N] {
    const STEPS: i32 = 1500;
    const RATE: f32 = 0.02;
    const DECAY: f32 = 1e-4;
    const MOMENTUM: [f32; 2] = [0.9, 0.999];
    let (mut weights, mut mean, mut square) = ([0.0; N], [0.0; N], [0.0; N]);
    for step in 1..=STEPS {
        let gradient = gradient(&weights);
        for feature in 0..N {
            let slope = gradient[feature] + DECAY * weights[feature];
            mean[feature] += (1.0 - MOMENTUM[0]) * (slope - mean[feature]);
            square[feature] += (1.0 - MOMENTUM[1]) * (slope * slope - square[feature]);
            let [unbiased_mean, unbiased_square] =
                [mean[feature] / (1.0 - MOMENTUM[0].powi(step)), square[feature] / (1.0 - MOMENTUM[1].powi(step))];
            weights[feature] -= RATE * unbiased_mean / (unbiased_square.sqrt() + 1e-8);
        }
    }
    weights
}

fn dot<const N: usize>(features: &[f32; N], weights: &[f32; N]) -> f32 {
    features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}

/// Adds the features of a sample to the gradient, times its error.
fn add_scaled<const N: usize>(gradient: &mut [f32; N], features: &[f32; N], error: f32) {
    for (sum, feature) in gradient.iter_mut().zip(features) {
        *sum += error * feature;
    }
}

/// The chance that the model gives the player to move.
fn chance(round: &SolvedRound, weights: &[f32; ROUND_FEATURES]) -> f32 {
    1.0 / (1.0 + (-dot(&round.features, weights)).exp())
}

/// The mean gradient of the cross-entropy of the rounds' results.
fn round_gradient(rounds: &[SolvedRound], weights: &[f32; ROUND_FEATURES]) -> [f32; ROUND_FEATURES] {
    let mut gradient = [0.0; ROUND_FEATURES];
    for round in rounds {
        let result = f32::from(u8::from(round.won));
        add_scaled(&mut gradient, &round.features, (chance(round, weights) - result) / rounds.len() as f32);
    }
    gradient
}

/// The softmax of the moves' logits.
fn shares(choice: &SolvedChoice, weights: &[f32; PRIOR_FEATURES]) -> Vec<f32> {
    let logits: Vec<f32> = choice.iter().map(|(features, _)| dot(features, weights)).collect();
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - best).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// The total share of the winning moves.
fn winning_share(choice: &SolvedChoice, shares: &[f32]) -> f32 {
    choice.iter().zip(shares).filter(|((_, wins), _)| *wins).map(|(_, share)| share).sum()
}

/// The mean gradient of the cross-entropy of choosing any winning move.
fn prior_gradient(choices: &[SolvedChoice], weights: &[f32; PRIOR_FEATURES]) -> [f32; PRIOR_FEATURES] {
    let mut gradient = [0.0; PRIOR_FEATURES];
    for choice in choices {
        let shares = shares(choice, weights);
        let winning = winning_share(choice, &shares).max(1e-6);
        for ((features, wins), share) in choice.iter().zip(&shares) {
            let wanted = if *wins { share / winning } else { 0.0 };
            add_scaled(&mut gradient, features, (share - wanted) / choices.len() as f32);
        }
    }
    gradient
}

fn report_round(held_out: &[SolvedRound], weights: &[f32; ROUND_FEATURES]) {
    let chances = held_out.iter().map(|round| (chance(round, weights), round.won));
    let loss: f32 = chances.clone().map(|(chance, won)| -(if won { chance } else { 1.0 - chance }).ln()).sum();
    let right = chances.filter(|&(chance, won)| (chance > 0.5) == won).count();
    let held = held_out.len() as f32;
    eprintln!("held-out rounds: {held}, log loss {:.4}, right {:.2} %", loss / held, 100.0 * right as f32 / held);
}

fn report_prior(held_out: &[SolvedChoice], weights: &[f32; PRIOR_FEATURES]) {
    let (mut right, mut winning) = (0, 0.0);
    for choice in held_out {
        let shares = shares(choice, weights);
        winning += winning_share(choice, &shares);
        let best = choice.iter().zip(&shares).max_by(|(_, a), (_, b)| a.total_cmp(b));
        right += usize::from(best.is_some_and(|((_, wins), _)| *wins));
    }
    let held = held_out.len() as f32;
    let [right, winning] = [right as f32, winning].map(|sum| 100.0 * sum / held);
    eprintln!("held-out choices: {held}, first move right {right:.2} %, share of winning moves {winning:.2} %");
}

/// The text of `weights.rs`.
fn source_file(round: &[f32; ROUND_FEATURES], prior: &[f32; PRIOR_FEATURES]) -> String {
    let mut text = String::from(concat!(
        "//! The weights of the estimate, written by `cargo run --release --example fit_kamisado`; not for editing by hand.\n\n",
        "use super::features::{PRIOR_FEATURES, ROUND_FEATURES};\n",
    ));
    let declarations = [
        ("For the logit of the called tower's owner winning the round.", "ROUND: [f32; ROUND_FEATURES]", &round[..]),
        ("For the logit of a move being the best.", "PRIOR: [f32; PRIOR_FEATURES]", &prior[..]),
    ];
    for (meaning, declaration, weights) in declarations {
        text += &format!("\n/// {meaning}\n#[rustfmt::skip]\npub(super) const {declaration} = [\n");
        for weight in weights {
            text += &format!("    {weight:.4},\n");
        }
        text += "];\n";
    }
    text
}

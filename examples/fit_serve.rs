//! Fits what a Kamisado match is worth before a round, by its standing, and writes `src/games/kamisado/match_weights.rs`:
//!
//! ```text
//! cargo run --release --example fit_serve
//! ```
//!
//! The engine plays matches against itself; the start of every round tells the standing, who opens, who won the round with which
//! tower, and who won the match in the end. With the default arguments this takes about two hours on each of two cores. The same build
//! and seed write the same file, on however many cores. The weights that the program was built with take part in the matches, so a second
//! run after a rebuild writes somewhat different ones.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::Context;
use clap::Parser;
use oshi::game::{Game, Player};
use oshi::games::kamisado::standing::{STANDING_FEATURES, Standing};
use oshi::games::kamisado::{Colour, Match, Target};
use oshi::search::{Control, Limits, Searcher, Settings};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// Fits what a match is worth before a round.
#[derive(Parser)]
struct Arguments {
    /// Matches to play.
    #[arg(long, default_value_t = 3_000)]
    matches: u32,
    /// The seed of the matches.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Nodes for each move.
    #[arg(long, default_value_t = 30_000)]
    nodes: u64,
    /// Matches that are played at a time.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Where the weights go.
    #[arg(long, default_value = "src/games/kamisado/match_weights.rs")]
    output: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let matches = play_all(&arguments)?;
    let rounds: Vec<&PlayedRound> = matches.iter().flatten().collect();
    eprintln!("{} rounds of {} matches", rounds.len(), arguments.matches);

    for target in [Target::Standard, Target::Long, Target::Marathon] {
        report(&matches, target);
    }
    let weights = fit_openings(&rounds);
    let text = source_file(&weights, &Target::ALL.map(|target| fit_towers(&rounds, target, &weights)));
    std::fs::write(&arguments.output, text).with_context(|| format!("cannot write {}", arguments.output.display()))
}

/// A round that was played, from its start.
struct PlayedRound {
    standing: Standing,
    opener: Player,
    /// The opener's chance in the match by the search of the first move.
    said: f64,
    winner: Player,
    /// The teeth that the winner's tower had before.
    teeth: usize,
    match_winner: Player,
    /// How far the match was: 0 to 1.
    progress: f64,
}

impl PlayedRound {
    /// What it tells about a match to its target.
    fn of_match(&self) -> Sample {
        Sample { features: self.standing.features(self.opener).map(f64::from), won: self.match_winner == self.opener }
    }

    /// What it tells about a simple match, which is a round in which both players need one point.
    fn of_simple_match(&self) -> Sample {
        let mut features = self.standing.features(self.opener).map(f64::from);
        features[1] = 0.0;
        features[2] = 0.0;
        Sample { features, won: self.winner == self.opener }
    }
}

/// The rounds of each match.
fn play_all(arguments: &Arguments) -> anyhow::Result<Vec<Vec<PlayedRound>>> {
    let next = AtomicU32::new(0);
    let work = || -> anyhow::Result<Vec<(u32, Vec<PlayedRound>)>> {
        let mut searcher = Searcher::new(Settings { hash_mib: 64, ..Settings::default() });
        let mut played = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.matches {
                return Ok(played);
            }
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
            rng.set_stream(u64::from(number));
            searcher.clear();
            played.push((number, play(random_match(&mut rng)?, arguments.nodes, &mut searcher)?));
            if number % 50 == 49 {
                eprintln!("match {} of {}", number + 1, arguments.matches);
            }
        }
    };
    let mut matches = Vec::new();
    thread::scope(|scope| -> anyhow::Result<()> {
        let workers: Vec<_> = (0..arguments.threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            matches.extend(worker.join().map_err(|_| anyhow::anyhow!("a match failed"))??);
        }
        Ok(())
    })?;
    matches.sort_by_key(|&(number, _)| number);
    Ok(matches.into_iter().map(|(_, rounds)| rounds).collect())
}

/// The start of a match from a random arrangement; one in five begins with points that were drawn, so that rare ranks are met too.
fn random_match(rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    let targets =
        [Target::Standard, Target::Long, Target::Long, Target::Long, Target::Marathon, Target::Marathon, Target::Marathon];
    let target = *targets.choose(rng).context("there are targets")?;
    if rng.random_bool(0.8) {
        return Ok(Match::start(target).random_start(rng));
    }
    let (mut teeth, mut points) = ([[0; 8]; 2], [0; 2]);
    // Some players win with few towers, others with many.
    let repeats = if rng.random_bool(0.5) { [4, 3, 2, 1] } else { [4, 6, 4, 2] };
    for _ in 0..rng.random_range(0..=target.points()) {
        let player = rng.random_range(0..2);
        let tower = WeightedIndex::new(teeth[player].map(|teeth: u8| repeats[usize::from(teeth)]))?.sample(rng);
        let (teeth, points) = (&mut teeth[player][tower], &mut points[player]);
        if *teeth < 3 && *points + (1 << *teeth) < target.points() {
            *points += 1 << *teeth;
            *teeth += 1;
        }
    }
    let mut home_row = |player: Player| {
        let mut row = Colour::ALL;
        row.shuffle(rng);
        let tower = |colour: &Colour| {
            let letter = if player == Player::Black { colour.letter() } else { colour.letter().to_ascii_uppercase() };
            format!("{}{letter}", "+".repeat(usize::from(teeth[player.index()][colour.index()])))
        };
        row.iter().map(tower).collect::<String>()
    };
    let (black, white) = (home_row(Player::Black), home_row(Player::White));
    let opener = if rng.random_bool(0.5) { 'b' } else { 'w' };
    Ok(format!("{white}/8/8/8/8/8/8/{black} {opener} - {}-{} {}", points[0], points[1], target.points()).parse()?)
}

fn play(mut position: Match, nodes: u64, searcher: &mut Searcher<Match>) -> anyhow::Result<Vec<PlayedRound>> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut rounds: Vec<(usize, PlayedRound)> = Vec::new();
    let mut plies = 0;
    while position.outcome().is_none() {
        let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
        let best = report.lines.first().context("a match that goes on has moves")?;
        if position.is_free_choice() {
            let (opener, said) = (position.turn(), f64::from(best.value.chance()));
            let standing = Standing::new(&position);
            // Who wins is known later.
            let round = PlayedRound { standing, opener, said, winner: opener, teeth: 0, match_winner: opener, progress: 0.0 };
            rounds.push((plies, round));
        }
        let ranks = Player::ALL.map(|player| position.ranks(player));
        let points = position.points();
        position.play(report.best_move().context("a line has moves")?);
        plies += 1;
        let gains = |&player: &Player| position.points()[player.index()] > points[player.index()];
        if let Some((winner, (_, round))) = Player::ALL.into_iter().find(gains).zip(rounds.last_mut()) {
            let (before, after) = (ranks[winner.index()], position.ranks(winner));
            round.winner = winner;
            // A fourth tooth leaves the ranks as they are counted.
            round.teeth = (0..4).find(|&teeth| after[teeth] < before[teeth]).unwrap_or(3);
        }
    }
    let match_winner = position.outcome().and_then(|outcome| outcome.winner()).context("a match has a winner")?;
    let finish = |(ply, round): (usize, PlayedRound)| PlayedRound { match_winner, progress: ply as f64 / plies as f64, ..round };
    Ok(rounds.into_iter().map(finish).collect())
}

type Weights = [f64; STANDING_FEATURES];

/// What the opener of a round saw, and whether it went well.
struct Sample {
    features: Weights,
    won: bool,
}

/// How strongly the weights of all matches together are drawn to zero.
const DECAY: f64 = 1.0;

/// How strongly those of one target are drawn to those of all, so that ranks which its matches hardly meet have sensible weights.
const PULL: f64 = 4.0;

/// The weights by target.
fn fit_openings(rounds: &[&PlayedRound]) -> [Weights; 4] {
    let samples = |target: Target| -> Vec<Sample> {
        rounds.iter().filter(|round| round.standing.target() == target).map(|round| round.of_match()).collect()
    };
    let all: Vec<Sample> = rounds.iter().map(|round| round.of_match()).collect();
    let all = fit(&all, &Weights::default(), DECAY);
    Target::ALL.map(|target| match target {
        Target::Simple => {
            let samples: Vec<Sample> = rounds.iter().map(|round| round.of_simple_match()).collect();
            fit(&samples, &Weights::default(), DECAY)
        }
        _ => fit(&samples(target), &all, PULL),
    })
}

fn chance(features: &Weights, weights: &Weights) -> f64 {
    let logit: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-logit).exp())
}

/// Logistic regression by Newton's method. The weights are drawn to a centre, as strongly as so many samples would.
fn fit(samples: &[Sample], centre: &Weights, pull: f64) -> Weights {
    const STEPS: usize = 25;
    let mut weights = *centre;
    for _ in 0..STEPS {
        let mut gradient = Weights::default();
        let mut curvature = [Weights::default(); STANDING_FEATURES];
        for row in 0..STANDING_FEATURES {
            gradient[row] = pull * (weights[row] - centre[row]);
            curvature[row][row] = pull;
        }
        for Sample { features, won } in samples {
            let chance = chance(features, &weights);
            let error = chance - f64::from(u8::from(*won));
            for row in 0..STANDING_FEATURES {
                gradient[row] += error * features[row];
                let scale = chance * (1.0 - chance) * features[row];
                curvature[row].iter_mut().zip(features).for_each(|(sum, feature)| *sum += scale * feature);
            }
        }
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// The solution of linear equations with a positive definite matrix, by elimination.
fn solve(mut matrix: [Weights; STANDING_FEATURES], mut right: Weights) -> Weights {
    for pivot in 0..STANDING_FEATURES {
        let (pivot_row, pivot_right) = (matrix[pivot], right[pivot]);
        for row in pivot + 1..STANDING_FEATURES {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            matrix[row].iter_mut().zip(pivot_row).for_each(|(cell, above)| *cell -= factor * above);
            right[row] -= factor * pivot_right;
        }
    }
    let mut solution = Weights::default();
    for row in (0..STANDING_FEATURES).rev() {
        let known: f64 = matrix[row].iter().zip(solution).map(|(cell, known)| cell * known).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

/// Which tower wins a round.
#[derive(Clone, Copy)]
struct Towers {
    /// How likely it is one tower with so many teeth, relative to a plain one.
    likely: [f64; 4],
    /// How much less likely it is a tower that wins the match than one that loses it.
    resisted: f64,
}

/// Which towers win the rounds of matches to this target, given the weights of all targets.
fn fit_towers(rounds: &[&PlayedRound], target: Target, weights: &[Weights; 4]) -> Towers {
    let won: Vec<WonRound> = rounds
        .iter()
        .filter(|round| target == Target::Simple || round.standing.target() == target)
        .map(|round| WonRound::new(round, weights))
        .collect();
    let candidates = (0..100).map(|percent| likeliest(&won, f64::from(percent) / 100.0));
    let best = candidates.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(Towers { likely: [1.0; 4], resisted: 0.0 }, |(towers, _)| towers)
}

/// A round as its winner saw it at the end, by the teeth of the tower that might have won it.
struct WonRound {
    towers: [f64; 4],
    /// The winner's chance in the match then.
    chances: [f64; 4],
    /// The teeth of the tower that did.
    teeth: usize,
}

impl WonRound {
    fn new(round: &PlayedRound, weights: &[Weights; 4]) -> WonRound {
        let PlayedRound { standing, winner, teeth, .. } = *round;
        let chances = [0, 1, 2, 3].map(|teeth| {
            let next = standing.with_tooth(winner, teeth);
            let loses = || chance(&next.features(!winner).map(f64::from), &weights[next.target() as usize]);
            if next.winner().is_some() { 1.0 } else { 1.0 - loses() }
        });
        WonRound { towers: standing.ranks(winner).map(f64::from), chances, teeth }
    }
}

/// The likelihoods of ranks with which this resistance explains the rounds best, by fixed-point steps (Bradley and Terry 1952), and
/// how well it does: the logarithm of the likelihood.
fn likeliest(rounds: &[WonRound], resisted: f64) -> (Towers, f64) {
    let shares = |round: &WonRound| [0, 1, 2, 3].map(|teeth| round.towers[teeth] * (1.0 - resisted * round.chances[teeth]));
    let sum = |shares: &[f64; 4], likely: &[f64; 4]| shares.iter().zip(likely).map(|(share, likely)| share * likely).sum::<f64>();
    let mut likely = [1.0; 4];
    for _ in 0..100 {
        // One more win of each rank, as if all were alike: some are hardly met.
        let (mut wins, mut share) = ([1.0; 4], [1.0; 4]);
        for round in rounds {
            let shares = shares(round);
            let sum = sum(&shares, &likely);
            wins[round.teeth] += 1.0;
            share.iter_mut().zip(shares).for_each(|(total, share)| *total += share / sum);
        }
        let next = [0, 1, 2, 3].map(|teeth| wins[teeth] / share[teeth]);
        likely = next.map(|likely| likely / next[0]);
    }
    let fitness = |round: &WonRound| {
        let shares = shares(round);
        (shares[round.teeth] * likely[round.teeth] / sum(&shares, &likely)).ln()
    };
    (Towers { likely, resisted }, rounds.iter().map(fitness).sum())
}

/// How well the matches to this target are foretold at the starts of their rounds: by the search of the first move, and by the
/// weights fitted to the other nine tenths of the matches.
fn report(matches: &[Vec<PlayedRound>], target: Target) {
    const FOLDS: usize = 10;
    let mut told = Vec::new();
    for fold in 0..FOLDS {
        let is_held = |number: usize| number % FOLDS == fold;
        let rounds = |held: bool| {
            matches.iter().enumerate().filter(move |(number, _)| is_held(*number) == held).flat_map(|(_, rounds)| rounds)
        };
        let weights = fit_openings(&rounds(false).collect::<Vec<_>>())[target as usize];
        told.extend(rounds(true).filter(|round| round.standing.target() == target).map(|round| {
            let Sample { features, won } = round.of_match();
            (round.progress, won, round.said, chance(&features, &weights))
        }));
    }
    let by_search: Vec<_> = told.iter().map(|&(progress, won, said, _)| (progress, won, said)).collect();
    let by_weights: Vec<_> = told.iter().map(|&(progress, won, _, chance)| (progress, won, chance)).collect();
    eprintln!("{target:?}, {} rounds", told.len());
    for (name, told) in [("search", by_search), ("weights", by_weights)] {
        eprintln!("  {name}: {}", Reliability::of(&told));
    }
}

/// How far chances are from what comes true.
struct Reliability {
    /// The mean square of the error (Brier 1950): 0 is perfect, a quarter is to say one half always.
    brier: f64,
    /// The same by quarter of the match.
    quarters: [f64; 4],
    /// How far the chances of each tenth are from the share that came true, on average.
    calibration: f64,
    /// How often of two rounds, one of a match that was won and one of a lost one, the first has the higher chance.
    auc: f64,
}

impl Reliability {
    /// Of the progress of the match, the result, and the chance.
    fn of(told: &[(f64, bool, f64)]) -> Reliability {
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

impl std::fmt::Display for Reliability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reliability { brier, quarters: [first, second, third, last], calibration, auc } = self;
        write!(
            f,
            "Brier {brier:.3}, by quarter {first:.3} {second:.3} {third:.3} {last:.3}, calibration error {calibration:.3}, AUC {auc:.3}"
        )
    }
}

/// The text of `match_weights.rs`.
fn source_file(openings: &[Weights; 4], towers: &[Towers; 4]) -> String {
    let list = |weights: &[f64]| weights.iter().map(|weight| format!("{weight:.3}")).collect::<Vec<_>>().join(", ");
    let rows = |rows: Vec<&[f64]>| rows.into_iter().map(|row| format!("    [{}],\n", list(row))).collect::<String>();
    let openings = rows(openings.iter().map(|row| &row[..]).collect());
    let likely = rows(towers.iter().map(|towers| &towers.likely[..]).collect());
    let resisted = list(&towers.map(|towers| towers.resisted));
    format!(
        "//! What standings of a match are worth, written by `cargo run --release --example fit_serve`; not for editing by hand.

use super::standing::STANDING_FEATURES;

/// For the logit of the opener winning the match, by target.
#[rustfmt::skip]
pub(super) const OPENING: [[f32; STANDING_FEATURES]; 4] = [
{openings}];

/// How likely a tower is to be the one that wins a round, by target and its teeth, relative to a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
{likely}];

/// How much less likely that is, by target, where it would win the match than where it would lose it.
pub(super) const RESISTED: [f32; 4] = [{resisted}];
"
    )
}

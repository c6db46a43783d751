//! Fits the chances of the next rounds of a Kamisado match to the ranks of the towers, and prints the constants of
//! `src/games/kamisado/serve.rs`:
//!
//! ```text
//! cargo run --release --example fit_serve
//! ```
//!
//! Marathon matches are played in which both players look no further than the round; for every round it is recorded who opened it,
//! with which ranks, who won it, and with which tower. The same build and seed print the same constants.

use clap::Parser;
use oshi::game::{Game, Player};
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Control, Limits, Searcher, Settings};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Fits the chances of the rounds of a match to the ranks.
#[derive(Parser)]
struct Arguments {
    /// Matches to play.
    #[arg(long, default_value_t = 40)]
    matches: u32,
    /// The seed of the matches.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Nodes for each move.
    #[arg(long, default_value_t = 50_000)]
    nodes: u64,
}

/// A round that was played.
struct PlayedRound {
    opener: Player,
    winner: Player,
    /// How many towers of each rank the players had, by player and teeth.
    ranks: [[u8; 4]; 2],
    /// The teeth that the winner's tower had before.
    teeth: usize,
}

fn main() {
    let Arguments { matches, seed, nodes } = Arguments::parse();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut searcher = Searcher::new(Settings::default());
    let mut rounds = Vec::new();
    for _ in 0..matches {
        searcher.clear();
        play(Match::start(Target::Marathon).random_start(&mut rng), nodes, &mut searcher, &mut rounds);
    }
    println!("{} rounds of {matches} matches", rounds.len());
    println!("logit of the opener's win (constant; own Sumos, Doubles, Triples; the other's): {:.2?}", fit_hold(&rounds));
    println!("likelihood of the winning tower, by its teeth: {:.2?}", fit_pay(&rounds));
}

fn play(mut position: Match, nodes: u64, searcher: &mut Searcher<Match>, rounds: &mut Vec<PlayedRound>) {
    let mut opener = position.turn();
    while position.outcome().is_none() {
        if position.is_free_choice() {
            opener = position.turn();
        }
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let report = searcher.run(&position.round().contest, &limits, &Control::default(), &mut |_| ());
        let Some(mv) = report.best_move() else { return };
        let (points, before) = (position.points(), Player::ALL.map(|player| position.ranks(player)));
        position.play(mv);
        let gained = Player::ALL.into_iter().find(|player| position.points()[player.index()] > points[player.index()]);
        if let Some(winner) = gained {
            let after = position.ranks(winner);
            let teeth = (0..4).rev().find(|&teeth| after[teeth] < before[winner.index()][teeth]).unwrap_or(3);
            rounds.push(PlayedRound { opener, winner, ranks: before, teeth });
        }
    }
}

/// Logistic regression by gradient steps.
fn fit_hold(rounds: &[PlayedRound]) -> [f64; 7] {
    let features = |round: &PlayedRound| {
        let [own, other] = [round.opener, !round.opener].map(|player| round.ranks[player.index()]);
        [1, own[1], own[2], own[3], other[1], other[2], other[3]].map(f64::from)
    };
    let mut weights = [0.0; 7];
    for _ in 0..20_000 {
        let mut gradient = weights.map(|weight: f64| -1e-4 * weight);
        for round in rounds {
            let features = features(round);
            let logit: f64 = features.iter().zip(&weights).map(|(feature, weight)| feature * weight).sum();
            let error = f64::from(u8::from(round.winner == round.opener)) - 1.0 / (1.0 + (-logit).exp());
            gradient.iter_mut().zip(features).for_each(|(sum, feature)| *sum += error * feature / rounds.len() as f64);
        }
        weights.iter_mut().zip(gradient).for_each(|(weight, step)| *weight += 0.3 * step);
    }
    weights
}

/// The likelihoods of ranks relative to a plain tower, by fixed-point steps to the most likely ones (Bradley and Terry 1952).
fn fit_pay(rounds: &[PlayedRound]) -> [f64; 4] {
    let mut likely = [1.0f64; 4];
    for _ in 0..200 {
        let mut wins = [0.0; 4];
        let mut share = [0.0; 4];
        for round in rounds {
            let towers = round.ranks[round.winner.index()].map(f64::from);
            let sum: f64 = towers.iter().zip(&likely).map(|(towers, likely)| towers * likely).sum();
            wins[round.teeth] += 1.0;
            share.iter_mut().zip(towers).for_each(|(share, towers)| *share += towers / sum);
        }
        let next = [0, 1, 2, 3].map(|teeth| if share[teeth] > 0.0 { wins[teeth] / share[teeth] } else { 0.0 });
        likely = next.map(|likely| likely / next[0]);
    }
    likely
}

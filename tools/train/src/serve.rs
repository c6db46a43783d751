//! Fits what a Kamisado match is worth around a round to recorded matches of several rounds, and writes `src/games/kamisado/eval/match_weights.rs`:
//!
//! ```text
//! cargo run --release -p oshi-train -- serve tournaments/long tournaments/marathon
//! ```
//!
//! The start of every round tells the standing, who opens, who won the round with which tower, and who won the match in the end; the
//! rounds are proven as far as a search would prove them. How the matches are played from which the weights in the repository come stands
//! in `docs/evaluation.md`.

mod openers;
mod rounds;
mod towers;

use std::path::PathBuf;

use self::rounds::{Matches, PlayedRound};
use self::towers::{Towers, fit_towers};
use crate::fitting::logistic::{Sample, fit};
use crate::fitting::reliability::Reliability;
use anyhow::Context;
use clap::Args;
use oshi::games::kamisado::Target;
use oshi::games::kamisado::eval::match_state::STATE_FEATURES;

/// Fits what a match is worth around a round.
#[derive(Args)]
pub struct Arguments {
    /// The folders that `basho` recorded tournaments of several rounds in.
    #[arg(required = true)]
    tournaments: Vec<PathBuf>,
    /// Where the weights go.
    #[arg(long, default_value = "src/games/kamisado/eval/match_weights.rs")]
    output: PathBuf,
}

/// Fits the weights and writes them.
///
/// # Errors
/// A recorded tournament cannot be read, or the file cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { tournaments, output } = arguments;
    let mut matches = Matches::default();
    tournaments.iter().try_for_each(|tournament| matches.read(tournament))?;
    let rounds: Vec<&PlayedRound> = matches.rounds(|_| true).collect();
    eprintln!("{} rounds of {} matches", rounds.len(), matches.len());
    for target in [Target::Standard, Target::Long, Target::Marathon] {
        report(&matches, target);
    }
    let standings = fit_standings(&rounds);
    let towers = Target::ALL.map(|target| fit_towers(&rounds, target, &standings));
    let opener = openers::fit_opener(&rounds);
    std::fs::write(output, source_file(&standings, &towers, &opener))
        .with_context(|| format!("cannot write {}", output.display()))
}

/// The weights of a standing.
type Weights = [f64; STATE_FEATURES];

/// How strongly the weights of all matches together are drawn to zero.
const DECAY: f64 = 1.0;

/// How strongly those of one target are drawn to those of all, so that ranks which its matches hardly meet have sensible weights.
const PULL: f64 = 4.0;

/// The weights by target.
fn fit_standings(rounds: &[&PlayedRound]) -> [Weights; 4] {
    let all: Vec<Sample<STATE_FEATURES>> = rounds.iter().map(|round| of_match(round)).collect();
    let all = fit(&all, &Weights::default(), DECAY);
    Target::ALL.map(|target| {
        if target == Target::Simple {
            let samples: Vec<_> = rounds.iter().map(|round| of_simple_match(round)).collect();
            return fit(&samples, &Weights::default(), DECAY);
        }
        let of_target = rounds.iter().filter(|round| round.standing().target() == target);
        fit(&of_target.map(|round| of_match(round)).collect::<Vec<_>>(), &all, PULL)
    })
}

/// What a round tells about a match to its target.
fn of_match(round: &PlayedRound) -> Sample<STATE_FEATURES> {
    let features = round.standing().features(round.opener()).map(f64::from);
    Sample { features, won: round.match_winner == round.opener() }
}

/// What it tells about a simple match, which is a round in which both players need one point.
fn of_simple_match(round: &PlayedRound) -> Sample<STATE_FEATURES> {
    let mut features = round.standing().features(round.opener()).map(f64::from);
    features[1..3].fill(0.0);
    Sample { features, won: round.winner == round.opener() }
}

/// Prints how well the matches to this target are foretold at the starts of their rounds: by the search of the first move, and by the
/// weights fitted to the other nine tenths of the matches.
fn report(matches: &Matches, target: Target) {
    const FOLDS: usize = 10;
    let (mut by_search, mut by_weights) = (Vec::new(), Vec::new());
    for fold in 0..FOLDS {
        let others: Vec<_> = matches.rounds(|number| number % FOLDS != fold).collect();
        let weights = fit_standings(&others)[target as usize];
        for round in matches
            .rounds(|number| number % FOLDS == fold)
            .filter(|round| round.standing().target() == target)
        {
            let sample = of_match(round);
            by_search.push((round.progress, sample.won, round.said));
            by_weights.push((round.progress, sample.won, sample.chance(&weights)));
        }
    }
    eprintln!("{target:?}, {} rounds", by_search.len());
    eprintln!("  search:  {}", Reliability::of(&by_search));
    eprintln!("  weights: {}", Reliability::of(&by_weights));
}

/// The text of `match_weights.rs`.
fn source_file(standings: &[Weights; 4], towers: &[Towers; 4], opener: &[f64]) -> String {
    let list = |weights: &[f64]| {
        weights.iter().map(|weight| format!("{weight:.3}")).collect::<Vec<_>>().join(", ")
    };
    let rows = |rows: Vec<&[f64]>| {
        rows.into_iter().map(|row| format!("    [{}],\n", list(row))).collect::<String>()
    };
    let standings = rows(standings.iter().map(|row| &row[..]).collect());
    let likely = rows(towers.iter().map(|towers| &towers.likely[..]).collect());
    let avoidance = list(&towers.map(|towers| towers.avoidance));
    let opener = list(opener);
    format!(
        "//! Weights of the value of a match around a round, written by
//! `cargo run --release -p oshi-train -- serve`. Do not edit.

use super::match_state::{{OPENING_FEATURES, STATE_FEATURES}};

/// For the logit of the opener winning the match, by target.
#[rustfmt::skip]
pub(super) const STANDING: [[f32; STATE_FEATURES]; 4] = [
{standings}];

/// How likely a tower is to be the one that wins a round, by target and its teeth, relative to a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
{likely}];

/// How much less likely that is, by target, where it would win the match than where it would lose it.
pub(super) const AVOIDANCE: [f32; 4] = [{avoidance}];

/// For the logit of the opener winning a round that is not yet proven.
pub(super) const OPENING: [f32; OPENING_FEATURES] = [{opener}];
"
    )
}

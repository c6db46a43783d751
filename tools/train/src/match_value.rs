//! Fits the value of a Kamisado match before, within and after a round to recorded matches of
//! several rounds. Writes `src/games/kamisado/eval/match_weights.rs`:
//!
//! ```text
//! cargo run --release -p oshi-train -- match-value matches/long matches/marathon
//! ```
//!
//! Each round is a sample: the state of the match at its start, the opener, the winner and the
//! winning tower, and the winner of the match. `docs/evaluation.md` describes the models.

mod opening;
mod rounds;
mod states;
mod towers;

use std::path::PathBuf;

use self::rounds::{Matches, PlayedRound};
use self::states::{Weights, fit_states, of_match};
use self::towers::fit_towers;
use crate::fitting;
use crate::fitting::matches::MULTI_ROUND;
use crate::fitting::reliability::Reliability;
use clap::Args;
use oshi::games::kamisado::Target;

/// Options of `match-value`.
#[derive(Args)]
pub struct Arguments {
    /// Folders of recorded tournaments with matches of several rounds.
    #[arg(required = true)]
    tournaments: Vec<PathBuf>,
    /// File to write.
    #[arg(long, default_value = "src/games/kamisado/eval/match_weights.rs")]
    output: PathBuf,
}

/// Fits the weights and writes them.
///
/// # Errors
///
/// If a tournament cannot be read or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { tournaments, output } = arguments;
    let mut matches = Matches::default();
    tournaments.iter().try_for_each(|tournament| matches.read(tournament))?;
    let rounds: Vec<&PlayedRound> = matches.rounds(|_| true).collect();
    eprintln!("{} rounds of {} matches", rounds.len(), matches.len());
    for target in MULTI_ROUND {
        cross_validate(&matches, target);
    }
    let states = fit_states(&rounds);
    let towers = Target::ALL.map(|target| fit_towers(&rounds, target, &states));
    let opener = opening::fit_opener(&rounds);
    fitting::write(output, source_file(&states, &towers, &opener))
}

/// Prints the accuracy of forecasts at the start of rounds: those reported by the search, and those
/// of weights fitted to the other nine tenths of the matches.
fn cross_validate(matches: &Matches, target: Target) {
    const FOLDS: usize = 10;
    let (mut by_search, mut by_weights) = (Vec::new(), Vec::new());
    for fold in 0..FOLDS {
        let others: Vec<_> = matches.rounds(|number| number % FOLDS != fold).collect();
        let weights = fit_states(&others)[target as usize];
        for round in matches
            .rounds(|number| number % FOLDS == fold)
            .filter(|round| round.state().target() == target)
        {
            let sample = of_match(round);
            by_search.push((round.progress, sample.won, round.reported));
            by_weights.push((round.progress, sample.won, sample.probability(&weights)));
        }
    }
    eprintln!("{target:?}, {} rounds", by_search.len());
    eprintln!("  search:  {}", Reliability::of(&by_search));
    eprintln!("  weights: {}", Reliability::of(&by_weights));
}

/// The text of `match_weights.rs`.
fn source_file(states: &[Weights; 4], towers: &[[f64; 4]; 4], opener: &[f64]) -> String {
    let list = |weights: &[f64]| {
        weights.iter().map(|weight| format!("{weight:.3}")).collect::<Vec<_>>().join(", ")
    };
    let rows = |rows: Vec<&[f64]>| {
        rows.into_iter().map(|row| format!("    [{}],\n", list(row))).collect::<String>()
    };
    let states = rows(states.iter().map(|row| &row[..]).collect());
    let likely = rows(towers.iter().map(|towers| &towers[..]).collect());
    let opener = list(opener);
    format!(
        "//! Weights of the value of a match around a round, written by
//! `cargo run --release -p oshi-train -- match-value`. Do not edit.

use super::match_state::{{OPENING_FEATURES, STATE_FEATURES}};

/// Weights of the logit that the opener wins the match, by target.
#[rustfmt::skip]
pub(super) const STATE: [[f32; STATE_FEATURES]; 4] = [
{states}];

/// Relative likelihood that a tower wins the round, by target and teeth; 1 for a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
{likely}];

/// Weights of the logit that the opener wins a round that is not proven.
pub(super) const OPENING: [f32; OPENING_FEATURES] =
    [{opener}];
"
    )
}

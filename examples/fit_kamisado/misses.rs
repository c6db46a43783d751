//! Which wins are missed by players who err.

use std::path::Path;

use oshi::game::{Evaluator, Game, Player, RoundProof, Searchable};
use oshi::games::kamisado::{Match, Move, Target};
use oshi::search::{Searcher, Settings, Task};

use crate::logistic::{Sample, fit};
use crate::matches::{self, Ply, RecordedMatch};

/// Expansions for who wins after a move.
const EXPANSIONS: u64 = 300_000;

/// The option of a player who errs.
const ERRS: &str = "UCI_LimitStrength";

/// What was seen of players who err, while they could win.
#[derive(Default)]
pub struct Misses {
    /// Positions in which some moves win; `won` where one of the others was played.
    missed: Vec<Sample<{ Task::FEATURES }>>,
    /// Further moves of the proof after a move that wins; whether a later one did not.
    later: Vec<(u16, bool)>,
}

impl Misses {
    /// Adds the matches of a tournament.
    ///
    /// # Errors
    ///
    /// Says why the folder cannot be read, or that its games are no simple matches.
    pub fn read(&mut self, tournament: &Path) -> anyhow::Result<()> {
        let mut solver = Searcher::new(Settings::default());
        matches::read(tournament, &[Target::Simple], |recorded| {
            for (player, seat) in [(Player::Black, &recorded.record.black), (Player::White, &recorded.record.white)] {
                if seat.options.get(ERRS).is_some_and(|value| value == "true") {
                    self.add(&mut solver, recorded, player);
                }
            }
        })
    }

    /// Adds what this player did, from the second move of the match on, as long as there was a win.
    fn add(&mut self, solver: &mut Searcher<Match>, recorded: &RecordedMatch<'_>, player: Player) {
        solver.clear();
        let plies =
            recorded.plies().into_iter().filter(|ply| ply.position.turn() == player && !ply.position.round().is_opening());
        let mut lengths = Vec::new();
        for Ply { position, mv, .. } in plies {
            let Some(Seen { task, length }) = look(solver, &position, mv) else { break };
            if task.others > 0 {
                self.missed.push(Sample { features: task.features().map(f64::from), won: length.is_none() });
            }
            let Some(length) = length else {
                self.later.extend(lengths.drain(..).map(|length| (length, true)));
                break;
            };
            lengths.push(length);
        }
        self.later.extend(lengths.drain(..).map(|length| (length, false)));
    }

    /// Prints the weights, by features, and how likely errors are later.
    pub fn report(&self) {
        let weights = fit(&self.missed, &[0.0; Task::FEATURES], 1e-3);
        let loss = |weights| {
            let loss =
                |sample: &Sample<_>| -(if sample.won { sample.chance(weights) } else { 1.0 - sample.chance(weights) }).ln();
            self.missed.iter().map(loss).sum::<f64>() / self.missed.len() as f64
        };
        let missed = self.missed.iter().filter(|sample| sample.won).count();
        println!("missed {missed} of {}: weights {weights:.2?}, log loss {:.4}", self.missed.len(), loss(&weights));
        println!("later: {:.5} times the square of the moves, of {}", self.later_weight(), self.later.len());
    }

    /// The factor of the square of the moves that explains best which wins were missed later, by bisection of the likelihood's slope.
    fn later_weight(&self) -> f64 {
        let slope = |weight: f64| {
            let of_one = |&(length, missed): &(u16, bool)| {
                let square = f64::from(length).powi(2);
                if missed { square / (weight * square).exp_m1().max(f64::MIN_POSITIVE) } else { -square }
            };
            self.later.iter().map(of_one).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// A position that is won, and what was made of it.
struct Seen {
    task: Task,
    /// Further moves of the winner's, where the move that was played wins.
    length: Option<u16>,
}

/// `None` where no move is known to win.
fn look(solver: &mut Searcher<Match>, position: &Match, played: Move) -> Option<Seen> {
    let moves = position.legal_moves();
    let player = position.turn();
    let mut won_in = |mv| {
        let mut next = *position;
        next.play(mv);
        solver.solve(&next, EXPANSIONS).filter(|proof| proof.is_win_for(player)).map(|proof| proof.length.of(player))
    };
    let lengths: Vec<Option<u16>> = moves.iter().map(|&mv| won_in(mv)).collect();
    let logits = <Match as Searchable>::Evaluator::default().evaluate(position, &moves, RoundProof::Unknown, &[]).policy.logits;
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f32> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let of_wins: f32 = shares.iter().zip(&lengths).filter(|(_, length)| length.is_some()).map(|(share, _)| share).sum();
    let winning = lengths.iter().flatten().count();
    let task = Task {
        winning,
        others: moves.len() - winning,
        prior: of_wins / shares.iter().sum::<f32>(),
        length: lengths.iter().flatten().copied().min()?,
    };
    let played = moves.iter().position(|&mv| mv == played)?;
    Some(Seen { task, length: lengths[played] })
}

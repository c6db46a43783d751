//! Plays rounds and solves every move of their positions.

use std::io::Write;

use anyhow::Context;
use oshi::game::{Evaluator, Game, RoundProof, Searchable};
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Searcher, Settings};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::kamisado::move_results::{digits, prove_moves};

/// Nodes per move of a solved position.
const NODES_PER_MOVE: u64 = 20_000;

/// Last ply to solve. Later positions are easy.
const LAST_PLY: u32 = 12;

/// Share of the openings to solve. They have many moves, which are hard to solve.
const OPENINGS: f64 = 0.1;

/// Share of the positions after solved moves to write too.
const NEXT_POSITIONS: f64 = 0.2;

/// Source of solved positions.
pub struct Labeller {
    searcher: Searcher<Match>,
    rng: ChaCha8Rng,
}

impl Labeller {
    pub fn new(seed: u64) -> Labeller {
        Labeller {
            searcher: Searcher::new(Settings::default()),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Plays a round and writes its samples.
    ///
    /// # Errors
    ///
    /// If stdout cannot be written.
    pub fn round(&mut self) -> anyhow::Result<()> {
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

    /// Writes a position and some of the positions after its moves.
    fn write(&mut self, position: &Match) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let moves = position.legal_moves();
        let wins = prove_moves(&mut self.searcher, position, NODES_PER_MOVE * moves.len() as u64);
        let result = match () {
            () if wins.contains(&Some(true)) => 'w',
            () if wins.contains(&None) => '-',
            () => 'l',
        };
        writeln!(out, "{result} {} {position}", digits(&wins))?;
        for (mv, won) in moves.into_iter().zip(wins) {
            if !self.rng.random_bool(NEXT_POSITIONS) {
                continue;
            }
            let mut next = *position;
            next.play(mv);
            if let Some(won) = won.filter(|_| next.legal_moves().len() > 1) {
                writeln!(
                    out,
                    "{} - {next}",
                    if won == (next.turn() == position.turn()) { 'w' } else { 'l' }
                )?;
            }
        }
        Ok(())
    }

    /// Start of a one-point match, usually with Sumos.
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

    /// Draws the teeth of a tower. Triple Sumos are rare in matches, so most are drawn as Sumos.
    fn random_teeth(&mut self, promotion: f64) -> usize {
        let teeth = (0..3).take_while(|_| self.rng.random_bool(promotion)).count();
        if teeth == 3 && self.rng.random_bool(0.7) { 1 } else { teeth }
    }

    /// Draws a move by the current policy, mixed with uniform noise.
    fn draw_move(&mut self, position: &Match) -> anyhow::Result<<Match as Game>::Move> {
        const NOISE: f32 = 0.02;
        let moves = position.legal_moves();
        let logits = <Match as Searchable>::Evaluator::default()
            .evaluate(position, &moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let best = logits.iter().copied().fold(f32::MIN, f32::max);
        let probabilities =
            WeightedIndex::new(logits.iter().map(|logit| (logit - best).exp() + NOISE))?;
        Ok(moves[probabilities.sample(&mut self.rng)])
    }
}

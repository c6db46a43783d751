//! Rounds are played, and every move of their positions is solved.

use std::io::Write;

use anyhow::Context;
use oshi::game::{Evaluator, Game, RoundProof, Searchable};
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Nodes for each move of a position that is solved.
const NODES_PER_MOVE: u64 = 20_000;

/// Later positions of a round are judged well enough.
const LAST_PLY: u32 = 12;

/// How often the moves of the opening, which are many and hard, are solved.
const OPENINGS: f64 = 0.1;

/// How often the position after a solved move is written too.
const NEXT_POSITIONS: f64 = 0.2;

/// Plays, solves and writes.
pub struct Study {
    searcher: Searcher<Match>,
    rng: ChaCha8Rng,
}

impl Study {
    pub fn new(seed: u64) -> Study {
        Study { searcher: Searcher::new(Settings::default()), rng: ChaCha8Rng::seed_from_u64(seed) }
    }

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

    /// Writes the position and some of those after its moves.
    fn write(&mut self, position: &Match) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let wins = self.wins(position);
        let result = match () {
            () if wins.contains(&Some(true)) => 'w',
            () if wins.contains(&None) => '-',
            () => 'l',
        };
        let digits: String =
            wins.iter().map(|won| won.map_or('-', |won| if won { '1' } else { '0' })).collect();
        writeln!(out, "{result} {digits} {position}")?;
        for (mv, won) in position.legal_moves().into_iter().zip(wins) {
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

    /// Which moves win and which lose, as far as the search can prove it.
    fn wins(&mut self, position: &Match) -> Vec<Option<bool>> {
        let moves = position.legal_moves();
        let limits = Limits {
            nodes: Some(NODES_PER_MOVE * moves.len() as u64),
            lines: moves.len(),
            ..Limits::default()
        };
        let report = self.searcher.run(position, &limits, &Control::default(), &mut |_| ());
        let won = |mv| match report.lines.iter().find(|line| line.moves.first() == Some(mv))?.value
        {
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
        let logits = <Match as Searchable>::Evaluator::default()
            .evaluate(position, &moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let best = logits.iter().copied().fold(f32::MIN, f32::max);
        let chances = WeightedIndex::new(logits.iter().map(|logit| (logit - best).exp() + NOISE))?;
        Ok(moves[chances.sample(&mut self.rng)])
    }
}

//! Certificates: strategies that show a result to whoever follows them with the rules alone. `docs/proofs.md` tells the format.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::objective::Objective;
use super::proven::Proof;
use super::solver::{Query, Solver};
use super::static_result::play_forced;
use crate::game::{Game, Searchable, Text};
use crate::search::budget::Control;

/// A claim that is not shown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// It does not hold.
    #[error("expected a position of which `{objective}` holds, but of `{position}` it does not")]
    False {
        /// What was claimed.
        objective: Objective,
        /// Of which position.
        position: String,
    },
    /// The control has stopped the work on it.
    #[error("stopped after {moves} moves of the certificate")]
    Stopped {
        /// How many have been written so far.
        moves: u64,
    },
}

/// Strategies for any number of claims about positions of one game. What one claim needs of another is not written again.
pub struct Certificate<G> {
    text: String,
    /// The positions that strategies come to, those among them that are still to be looked at.
    visited: HashSet<(Objective, ByHash<G>)>,
    moves: u64,
}

/// A position in a set: found by its hash, and told from others by all that it is.
#[derive(PartialEq, Eq)]
struct ByHash<G>(G);

impl<G: Game> Hash for ByHash<G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// What the first line says.
const HEADER: &str = "oshi certificate 1";

/// Expansions that each move gets where the search has forgotten which one it proved; twice as many each time round.
const FIRST_EXPANSIONS: u64 = 1 << 8;

impl<G: Game> Default for Certificate<G> {
    /// A certificate of nothing.
    fn default() -> Self {
        Certificate { text: format!("{HEADER}\n"), visited: HashSet::new(), moves: 0 }
    }
}

impl<G: Searchable + Text> Certificate<G> {
    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The moves written so far.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// Adds a strategy that shows the claim. The solver proves what it does not know, on one thread: let it solve the position before, where
    /// that may take long. `tick` is called after every move that is written.
    ///
    /// # Errors
    /// [`CertificateError::False`] where the claim does not hold; nothing is added then. [`CertificateError::Stopped`] where the control has ended it before: the
    /// certificate is not whole.
    pub fn add(
        &mut self,
        solver: &Solver,
        position: &G,
        objective: Objective,
        control: &Control,
        tick: &mut dyn FnMut(&Self),
    ) -> Result<(), CertificateError> {
        let by = Strategist { solver, objective, control };
        if by.proof(position, u64::MAX).is_none() {
            let is_stopped = control.is_stopped();
            return Err(if is_stopped {
                self.stopped()
            } else {
                CertificateError::False { objective, position: position.to_string() }
            });
        }
        self.text += &format!("{objective} {position}\n");
        let mut open = Vec::new();
        self.visit(objective, *position, &mut open);
        while let Some(position) = open.pop() {
            let children = children(&position);
            if position.turn() != objective.player() {
                for (_, child) in children.into_iter().rev() {
                    self.visit(objective, child, &mut open);
                }
            } else if children.len() == 1 {
                children.into_iter().for_each(|(_, child)| self.visit(objective, child, &mut open));
            } else if !children.iter().any(|(_, child)| objective.is_reached_in(child)) {
                let (text, child) = self.choose(&by, children).ok_or_else(|| self.stopped())?;
                self.text += &format!("{position} {text}\n");
                self.moves += 1;
                self.visit(objective, child, &mut open);
                tick(self);
            }
        }
        Ok(())
    }

    /// Has the position looked at, unless that has been done or nothing is left to be shown of it.
    fn visit(&mut self, objective: Objective, position: G, open: &mut Vec<G>) {
        if position.outcome().is_none() && self.visited.insert((objective, ByHash(position))) {
            open.push(position);
        }
    }

    /// One of the moves that keep what is claimed, by which as little as possible is left to be shown.
    fn choose(&self, by: &Strategist<'_>, mut children: Vec<(String, G)>) -> Option<(String, G)> {
        let ahead: Vec<G> = children.iter().map(|(_, child)| without_forced(child)).collect();
        let is_visited = |position: &G| self.visited.contains(&(by.objective, ByHash(*position)));
        let chosen = ahead.iter().position(is_visited).or_else(|| by.shortest_proof(&ahead))?;
        Some(children.swap_remove(chosen))
    }

    fn stopped(&self) -> CertificateError {
        CertificateError::Stopped { moves: self.moves }
    }
}

/// Finds the moves of the player of a claim.
struct Strategist<'a> {
    solver: &'a Solver<'a>,
    objective: Objective,
    control: &'a Control,
}

impl Strategist<'_> {
    /// The proof that the claim holds of a position, unless it does not, takes more than so many expansions, or is stopped.
    fn proof<G: Searchable>(&self, position: &G, expansions: u64) -> Option<Proof> {
        let proof = self.solver.try_to_prove(
            position,
            Query::deciding::<G>(self.objective),
            expansions,
            self.control,
        );
        proof.filter(|proof| proof.is_win_for(self.objective.player()))
    }

    /// Which of the positions, one of which keeps the claim, does so with the shortest proof; `None` where it is stopped.
    fn shortest_proof<G: Searchable>(&self, positions: &[G]) -> Option<usize> {
        let mut expansions = 0;
        while !self.control.is_stopped() {
            let proofs = positions.iter().map(|position| self.proof(position, expansions));
            let keeping = proofs.enumerate().filter_map(|(index, proof)| {
                Some((proof?.distance.of(self.objective.player()), index))
            });
            if let Some((_, index)) = keeping.min() {
                return Some(index);
            }
            expansions = (2 * expansions).max(FIRST_EXPANSIONS);
        }
        None
    }
}

/// The moves of a position in the order of their texts, and where they lead.
fn children<G: Text>(position: &G) -> Vec<(String, G)> {
    let mut children: Vec<(String, G)> = Vec::new();
    for mv in position.legal_moves() {
        let mut child = *position;
        child.play(mv);
        children.push((mv.to_string(), child));
    }
    children.sort_by(|(a, _), (b, _)| a.cmp(b));
    children
}

/// The next position with a choice, or the one in which the game is over.
fn without_forced<G: Game>(position: &G) -> G {
    let mut next = *position;
    play_forced(&mut next);
    next
}

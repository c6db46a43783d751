//! Certificates: strategies that prove a result to a reader who knows only the rules.
//! `docs/proofs.md` describes the format.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::{Objective, Query, Solver};
use crate::game::{Game, Searchable, Text};
use crate::search::Control;
use crate::search::proof::Proof;
use crate::search::proof::static_result::play_forced;

/// An objective that is not certified.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// The objective does not hold.
    #[error("`{objective}` does not hold for `{position}`")]
    False {
        /// The objective.
        objective: Objective,
        /// The position.
        position: String,
    },
    /// The control stopped the work.
    #[error("stopped after {moves} moves of the certificate")]
    Stopped {
        /// Moves written so far.
        moves: u64,
    },
}

/// Strategies for objectives of any number of positions of one game. Strategies share their moves,
/// and no move is written twice.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use oshi::game::Player;
/// use oshi::games::kamisado::Match;
/// use oshi::search::{Control, TableMemory};
/// use oshi::solver::certificate::Certificate;
/// use oshi::solver::{Objective, Solver};
///
/// // Black's called tower reaches the far row with its next move.
/// let position: Match = "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1".parse()?;
/// let mut memory = TableMemory::new(1 << 20);
/// let solver = Solver::new(&mut memory, NonZeroUsize::MIN);
/// let objective = Objective::Win(Player::Black);
/// let mut certificate = Certificate::default();
/// certificate.add(&solver, &position, objective, &Control::default(), &mut |_| ())?;
/// assert_eq!(certificate.text(), format!("oshi certificate 1\nwin b {position}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Certificate<G> {
    text: String,
    /// Positions that the strategies reach.
    visited: HashSet<(Objective, ByHash<G>)>,
    moves: u64,
}

/// A position as an element of a set, hashed by its own hash.
#[derive(PartialEq, Eq)]
struct ByHash<G>(G);

impl<G: Game> Hash for ByHash<G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// First line of a certificate.
const HEADER: &str = "oshi certificate 1";

/// Expansions per move in the first attempt to recover a proof that the table has lost. They double
/// with each attempt.
const FIRST_EXPANSIONS: u64 = 1 << 8;

impl<G: Game> Default for Certificate<G> {
    /// An empty certificate.
    fn default() -> Self {
        Certificate { text: format!("{HEADER}\n"), visited: HashSet::new(), moves: 0 }
    }
}

impl<G: Searchable + Text> Certificate<G> {
    /// Text of the certificate file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of moves written so far.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// Adds a strategy for the objective. The solver adds missing proofs on one thread, so let it
    /// solve a hard position before. Calls `tick` after every move.
    ///
    /// # Errors
    /// [`CertificateError::False`] if the objective does not hold; nothing is added then.
    /// [`CertificateError::Stopped`] if the control ended the work; the certificate is incomplete.
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

    /// Puts the position on `open`, unless it was reached before or the game is over.
    fn visit(&mut self, objective: Objective, position: G, open: &mut Vec<G>) {
        if position.outcome().is_none() && self.visited.insert((objective, ByHash(position))) {
            open.push(position);
        }
    }

    /// A move that keeps the objective, with as little left to prove as possible.
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

/// Finds moves of the objective's player.
struct Strategist<'a> {
    solver: &'a Solver<'a>,
    objective: Objective,
    control: &'a Control,
}

impl Strategist<'_> {
    /// The proof of the objective for this position; `None` if it does not hold, takes more than
    /// `expansions`, or is stopped.
    fn proof<G: Searchable>(&self, position: &G, expansions: u64) -> Option<Proof> {
        let proof = self.solver.try_to_prove(
            position,
            Query::deciding::<G>(self.objective),
            expansions,
            self.control,
        );
        proof.filter(|proof| proof.is_win_for(self.objective.player()))
    }

    /// Index of the position with the shortest proof, if at least one keeps the objective; `None`
    /// if stopped.
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

/// The moves of a position in the order of their texts, with the positions that they lead to.
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

/// The next position with a choice, or the final one.
fn without_forced<G: Game>(position: &G) -> G {
    let mut next = *position;
    play_forced(&mut next);
    next
}

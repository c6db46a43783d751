//! The solver for long proofs: df-pn on all threads of a machine, for hours.
//!
//! All results are in one table, so a copy of the table saves the state of a proof.

pub mod certificate;
mod draw_as_loss;
mod heuristics;
mod objective;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::game::{Evaluator, Game, Outcome, Player, RoundProof, Searchable, mix};
use crate::search::proof::Proof;
use crate::search::proof::child_selection::VirtualProofNumbers;
use crate::search::proof::dfpn::Prover;
use crate::search::proof::static_result::{static_proof, to_round_proof};
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::tt_value::TtValue;
use crate::search::{Control, TableMemory};
use draw_as_loss::DrawAsLoss;
use heuristics::WithEvaluator;
pub use objective::Objective;

/// Solves positions of one game on several threads, in memory that outlives it.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use oshi::game::{Outcome, Player};
/// use oshi::games::kamisado::Match;
/// use oshi::search::{Control, TableMemory};
/// use oshi::solver::Solver;
///
/// let position: Match = "B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1".parse()?;
/// let mut memory = TableMemory::new(1 << 20);
/// let solver = Solver::new(&mut memory, NonZeroUsize::MIN);
/// let outcome = solver.solve(&position, &Control::default(), &mut |_| ());
/// assert_eq!(outcome, Some(Outcome::Win(Player::White)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'m> {
    table: TranspositionTable<'m>,
    virtual_numbers: Option<VirtualProofNumbers>,
    threads: usize,
    /// Expansions of all threads so far.
    expansions: AtomicU64,
}

/// A question about a position with two answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// The winner, in a game without draws.
    Winner,
    /// Whether this player wins; a draw is a win of the opponent.
    WinFor(Player),
}

impl Query {
    /// The queries that find the result of a position. The first asks about the likelier winner: if
    /// that player wins, the others are not needed.
    pub fn of<G: Searchable>(position: &G) -> Vec<Query> {
        if !G::HAS_DRAWS {
            return vec![Query::Winner];
        }
        let likelier = likelier_winner(position);
        vec![Query::WinFor(likelier), Query::WinFor(!likelier)]
    }

    /// The query that decides this objective.
    pub(crate) const fn deciding<G: Game>(objective: Objective) -> Query {
        match objective {
            _ if !G::HAS_DRAWS => Query::Winner,
            Objective::Win(player) => Query::WinFor(player),
            Objective::AtLeastDraw(Player::Black) => Query::WinFor(Player::White),
            Objective::AtLeastDraw(Player::White) => Query::WinFor(Player::Black),
        }
    }

    fn answer_from(self, proof: Proof) -> Option<Objective> {
        let winner = proof.outcome.winner()?;
        Some(match self {
            Query::WinFor(player) if player != winner => Objective::AtLeastDraw(winner),
            _ => Objective::Win(winner),
        })
    }
}

/// Expansions after which a thread returns to the root and sees the results of the others.
const EXPANSIONS_AT_ONCE: u64 = 1 << 14;

/// Maximum expansions for solving one position exactly.
const EXACT_LIMIT: u64 = 1 << 24;

/// Interval of the observer's calls.
const TICK: Duration = Duration::from_millis(100);

impl<'m> Solver<'m> {
    /// A solver with its table in `memory`.
    pub fn new(memory: &'m mut TableMemory, threads: NonZeroUsize) -> Self {
        let threads = threads.get();
        let virtual_numbers = (threads > 1).then(VirtualProofNumbers::new);
        Solver { table: memory.table(), virtual_numbers, threads, expansions: AtomicU64::new(0) }
    }

    /// The result of the position against best play; `None` if the control stopped the work. Calls
    /// the observer ten times a second on the caller's thread. The table keeps all results, so the
    /// next call continues this one.
    pub fn solve<G: Searchable>(
        &self,
        position: &G,
        control: &Control,
        observer: &mut dyn FnMut(Query),
    ) -> Option<Outcome> {
        for query in Query::of(position) {
            if let Objective::Win(winner) =
                self.answer(position, query, control, &mut || observer(query))?
            {
                return Some(Outcome::Win(winner));
            }
        }
        Some(Outcome::Draw)
    }

    /// Decides one query like [`solve`](Self::solve).
    pub fn answer<G: Searchable>(
        &self,
        position: &G,
        query: Query,
        control: &Control,
        observer: &mut dyn FnMut(),
    ) -> Option<Objective> {
        let proof = match query {
            Query::Winner => self.prove(position, control, observer),
            Query::WinFor(player) => {
                self.prove(&DrawAsLoss::for_player(position, player), control, observer)
            }
        };
        proof.and_then(|proof| query.answer_from(proof))
    }

    /// Decides one query on the caller's thread; `None` if that takes more than `expansions` or is
    /// stopped.
    pub fn try_to_answer<G: Searchable>(
        &self,
        position: &G,
        query: Query,
        expansions: u64,
        control: &Control,
    ) -> Option<Objective> {
        self.try_to_prove(position, query, expansions, control)
            .and_then(|proof| query.answer_from(proof))
    }

    /// Proof of one query on the caller's thread; `None` if that takes more than `expansions` or is
    /// stopped.
    pub(crate) fn try_to_prove<G: Searchable>(
        &self,
        position: &G,
        query: Query,
        expansions: u64,
        control: &Control,
    ) -> Option<Proof> {
        let mut prover = Prover::<WithEvaluator>::with_heuristics(self.table, control, None, 0);
        let proof = match query {
            Query::Winner => prover.prove(position, expansions),
            Query::WinFor(player) => {
                prover.prove(&DrawAsLoss::for_player(position, player), expansions)
            }
        };
        self.expansions.fetch_add(prover.expansions, Relaxed);
        proof
    }

    /// The answer to a query, or its proof numbers, from the table and static analysis.
    pub fn known<G: Game>(&self, position: &G, query: Query) -> RoundProof {
        match query {
            Query::Winner => self.look_up(position),
            Query::WinFor(player) => self.look_up(&DrawAsLoss::for_player(position, player)),
        }
    }

    fn look_up<G: Game>(&self, position: &G) -> RoundProof {
        to_round_proof(
            static_proof(position)
                .map(TtValue::Proven)
                .or_else(|| self.table.get(position.proof_key())),
        )
    }

    /// Expansions of all threads so far.
    pub fn expansions(&self) -> u64 {
        self.expansions.load(Relaxed)
    }

    /// Size of the table in bytes, less than half of the requested size if the system has less
    /// memory.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Used share of the table, 0 to 1.
    pub fn share_filled(&self) -> f64 {
        self.table.share_filled()
    }

    /// The table's contents for [`import`](Self::import): at most about `limit` entries, those with
    /// the most work. May be called during the work.
    pub fn export(&self, limit: usize) -> Vec<[u64; 2]> {
        self.table.most_expensive(limit)
    }

    /// Adds the contents of another solver's table for the same game.
    pub fn import(&self, entries: &[[u64; 2]]) {
        self.table.restore(entries);
    }

    /// A fingerprint of the keys in the table, from the positions of one line of play. Contents
    /// with another fingerprint are of no use.
    pub fn key_scheme<G: Game>(start: &G) -> u64 {
        let mut position = *start;
        let mut scheme = 0;
        loop {
            let questions =
                Player::ALL.map(|player| DrawAsLoss::for_player(&position, player).proof_key());
            scheme = questions
                .into_iter()
                .fold(mix(scheme ^ position.proof_key()), |scheme, key| mix(scheme ^ key));
            match position.legal_moves().first() {
                Some(&mv) => position.play(mv),
                None => return scheme,
            }
        }
    }

    /// Works with all threads on a contest without draws.
    fn prove<G: Searchable>(
        &self,
        contest: &G,
        control: &Control,
        tick: &mut dyn FnMut(),
    ) -> Option<Proof> {
        // Ends all threads once one has the proof, exact searches included.
        let over = Control::default();
        let work = || {
            let mut prover = Prover::<WithEvaluator>::with_heuristics(
                self.table,
                &over,
                self.virtual_numbers.as_ref(),
                EXACT_LIMIT,
            );
            while !over.is_stopped() && !control.is_stopped() {
                let before = prover.expansions;
                let proof = prover.prove(contest, EXPANSIONS_AT_ONCE);
                self.expansions.fetch_add(prover.expansions - before, Relaxed);
                if proof.is_some() {
                    over.stop();
                    return proof;
                }
            }
            None
        };
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let spawn = |_: &usize| {
                let sender = sender.clone();
                // The receiver is gone if another thread was faster.
                let work = move || sender.send(work()).unwrap_or_default();
                thread::Builder::new().spawn_scoped(scope, work).is_ok()
            };
            // If the system refuses more threads, the existing ones do the work.
            if (0..self.threads).take_while(spawn).count() == 0 {
                return work();
            }
            drop(sender);
            let mut found = None;
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(proof) => found = found.or(proof),
                    Err(RecvTimeoutError::Timeout) if control.is_stopped() => over.stop(),
                    Err(RecvTimeoutError::Timeout) => tick(),
                    Err(RecvTimeoutError::Disconnected) => return found,
                }
            }
        })
    }
}

/// The player to query first.
fn likelier_winner<G: Searchable>(position: &G) -> Player {
    let win_probability = || G::Evaluator::default().value(position, RoundProof::Unknown);
    if position.outcome().is_none() && win_probability() < 0.5 {
        Player::White
    } else {
        Player::Black
    }
}

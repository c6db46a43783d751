//! A solver for long proofs: who wins a position, by df-pn on all threads of a machine, for hours.
//!
//! Everything that it finds out stands in one table, so that what the table holds is all there is to keep of a proof that is under way.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::dfpn::Prover;
use super::draw_as_loss::DrawAsLoss;
use super::objective::Objective;
use super::proven::Proof;
use super::static_result::{static_proof, to_round_proof};
use super::table::{TableMemory, TranspositionTable};
use super::tt_value::TtValue;
use super::virtual_numbers::VirtualProofNumbers;
use crate::game::{Evaluator, Game, Outcome, Player, RoundProof, Searchable, mix};
use crate::search::budget::Control;

/// Solves positions of one game on several threads, with memory that it keeps between them.
pub struct Solver<'m> {
    table: TranspositionTable<'m>,
    virtual_numbers: Option<VirtualProofNumbers>,
    threads: usize,
    /// Of all threads, since it was made.
    expansions: AtomicU64,
}

/// What a solver is at work on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Who wins, in a game without draws.
    Winner,
    /// Whether this player wins, where a draw counts for the opponent.
    WinFor(Player),
}

impl Query {
    /// The questions that find the result of a position, the likelier winner's first: a win is an answer to all of them.
    pub fn of<G: Searchable>(position: &G) -> Vec<Query> {
        if !G::HAS_DRAWS {
            return vec![Query::Winner];
        }
        let likelier = likelier_winner(position);
        vec![Query::WinFor(likelier), Query::WinFor(!likelier)]
    }

    /// The question to which a claim that holds is the answer: whether the player of the claim wins, draws counted as it counts them.
    pub(in crate::search) const fn deciding<G: Game>(claim: Objective) -> Query {
        match claim {
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

/// Expansions after which a thread begins at the root again, where it sees what others have found out meanwhile.
const EXPANSIONS_AT_ONCE: u64 = 1 << 14;

/// Expansions that a thread may spend on looking through one position exactly.
const EXACT_LIMIT: u64 = 1 << 24;

/// From one call of the observer to the next.
const TICK: Duration = Duration::from_millis(100);

impl<'m> Solver<'m> {
    /// A solver with a table of at most `bytes`.
    pub fn new(memory: &'m mut TableMemory, threads: NonZeroUsize) -> Self {
        let threads = threads.get();
        let virtual_numbers = (threads > 1).then(VirtualProofNumbers::new);
        Solver { table: memory.table(), virtual_numbers, threads, expansions: AtomicU64::new(0) }
    }

    /// The result of the position against best play; `None` where the control has stopped it before. The observer is called ten times a
    /// second, on the thread of the caller, while the others work on. What was learnt is kept, so that the next call goes on from there.
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

    /// The answer to one question about the position, in the same way.
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

    /// The answer to one question about the position unless it takes more than so many `expansions` or is stopped, by the thread of the caller
    /// alone.
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

    /// The same, with the proof.
    pub(in crate::search) fn try_to_prove<G: Searchable>(
        &self,
        position: &G,
        query: Query,
        expansions: u64,
        control: &Control,
    ) -> Option<Proof> {
        let mut prover = Prover::with_evaluator(self.table, control, None, 0);
        let proof = match query {
            Query::Winner => prover.prove(position, expansions),
            Query::WinFor(player) => {
                prover.prove(&DrawAsLoss::for_player(position, player), expansions)
            }
        };
        self.expansions.fetch_add(prover.expansions, Relaxed);
        proof
    }

    /// What is known of a question about a position.
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

    /// Expansions of all threads since it was made.
    pub fn expansions(&self) -> u64 {
        self.expansions.load(Relaxed)
    }

    /// Its memory, in bytes: less than half of what was asked for where the system gave no more.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The share of its memory that is in use: 0 to 1.
    pub fn share_filled(&self) -> f64 {
        self.table.share_filled()
    }

    /// What it knows, of about so many positions at `most` those that have cost the most work, for [`learn`](Self::learn). It may be called while
    /// the solver works.
    pub fn export(&self, limit: usize) -> Vec<[u64; 2]> {
        self.table.most_expensive(limit)
    }

    /// Learns what a solver of the same game has known.
    pub fn import(&self, entries: &[[u64; 2]]) {
        self.table.restore(entries);
    }

    /// A number that changes with the keys under which positions are known, so that what was known under other keys is not learnt: made
    /// of those on one line of play from this position.
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

    /// Has all threads work on a contest that somebody wins.
    fn prove<G: Searchable>(
        &self,
        contest: &G,
        control: &Control,
        tick: &mut dyn FnMut(),
    ) -> Option<Proof> {
        // Ends all threads once one of them has the proof, those too that look a position through.
        let over = Control::default();
        let work = || {
            let mut prover = Prover::with_evaluator(
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
                // Nobody listens any more where another thread was quicker.
                let work = move || sender.send(work()).unwrap_or_default();
                thread::Builder::new().spawn_scoped(scope, work).is_ok()
            };
            // Where the system refuses more threads, those that there are do the work.
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

/// The player whose win is asked for first: where they win, that is all there is to ask.
fn likelier_winner<G: Searchable>(position: &G) -> Player {
    let win_probability = || G::Evaluator::default().value(position, RoundProof::Unknown);
    if position.outcome().is_none() && win_probability() < 0.5 {
        Player::White
    } else {
        Player::Black
    }
}

//! Shorter proofs: once the winner is proven, how soon the game ends.
//!
//! The expansions are not charged as nodes. So the distance does not depend on the nodes left, and
//! these go into the choice of the move.

use super::dfpn::{Prover, at_clock_checks};
use super::static_result::after;
use super::tt_value::TtValue;
use super::win_within::{UNBOUNDED, WinWithin};
use crate::game::{Player, Searchable};
use crate::search::report::Report;
use crate::search::tree::search::TreeSearch;

/// Minimum and maximum expansions for a shorter proof of a near end. In between, they equal the
/// nodes of the search.
const MIN_EXPANSIONS: u64 = 1 << 12;
const MAX_EXPANSIONS: u64 = 1 << 15;

/// Maximum moves of the loser for an end that is near: its exact distance is soon proven. The
/// opening of a round has too many moves for that.
const NEAR: u32 = 12;

/// Part of the nodes, as 1/n, for a shorter proof of a distant end.
const ONE_IN_FOR_FAR: u64 = 16;

/// Expansions for the distance that the search of the previous move promised.
const MAX_FOR_PROMISE: u64 = 1 << 16;

/// Tenths of the remaining time for both.
const TENTHS: u32 = 5;

/// Maximum plies from the engine's move to its next turn. A push gives the opponent two.
const PLIES_TO_NEXT_TURN: u32 = 2;

impl<G: Searchable> TreeSearch<'_, G> {
    /// Shortens the proof of the position until that is impossible or the expansions are used up,
    /// first by moves of the loser, then by moves of the winner. The reported distance is exact if
    /// that is soon proven, and an upper bound otherwise.
    ///
    /// `promised` is the contest that the previous search had proven after its own move. If it
    /// still applies, its distance is kept.
    pub(in crate::search) fn shorten_proof(&mut self, promised: Option<WinWithin<G>>) {
        if self.limits.mate.is_some() || !self.considers_all_moves() {
            return;
        }
        let budget = self.budget.share(TENTHS);
        let is_over = at_clock_checks(|| budget.is_over(|| true));
        let mut prover = Prover::new(self.table).until(&is_over);
        let promised =
            promised.and_then(|contest| contest.after_plies(&self.position, PLIES_TO_NEXT_TURN));
        let mut most_own = UNBOUNDED;
        if let Some(contest) = promised
            && (contest.is_shown_by(self.root().proof())
                || self.prove_contest(&contest, &mut prover, MAX_FOR_PROMISE))
        {
            most_own = contest.own_left();
        }
        let most = prover.expansions + self.expansions_to_shorten();
        while let Some(contest) = self.shorter_contest(most_own) {
            let left = most.saturating_sub(prover.expansions);
            if !self.prove_contest(&contest, &mut prover, left) {
                break;
            }
        }
        while let Some(contest) = self.contest_without_pushes() {
            let left = most.saturating_sub(prover.expansions);
            if !self.prove_contest(&contest, &mut prover, left) {
                break;
            }
        }
    }

    /// Expansions for shortening the proof.
    fn expansions_to_shorten(&self) -> u64 {
        let nodes = self.budget.nodes();
        let is_near = self.proven_moves().is_some_and(|(_, [_, other])| other <= NEAR);
        if is_near && !self.round.is_opening() {
            nodes.clamp(MIN_EXPANSIONS, MAX_EXPANSIONS)
        } else {
            (nodes / ONE_IN_FOR_FAR).min(MAX_EXPANSIONS)
        }
    }

    /// The contest of a win with one move of the loser less than proven; `None` if that is
    /// impossible.
    fn shorter_contest(&self, most_own: u32) -> Option<WinWithin<G>> {
        let (winner, [_, other]) = self.proven_moves()?;
        let least = u32::from(self.position.turn() != winner);
        let fewer = other.checked_sub(1).filter(|&fewer| fewer >= least)?;
        Some(WinWithin::own_moves(&self.position, winner, most_own).and_other_moves(fewer))
    }

    /// The contest of a win with one move of the winner less than proven, if turns do not
    /// alternate.
    fn contest_without_pushes(&self) -> Option<WinWithin<G>> {
        let (winner, [own, other]) = self.proven_moves()?;
        let by_turns = other + u32::from(self.position.turn() == winner);
        (own > by_turns)
            .then(|| WinWithin::own_moves(&self.position, winner, own - 1).and_other_moves(other))
    }

    /// The proven winner, with the moves of the winner and of the loser.
    fn proven_moves(&self) -> Option<(Player, [u32; 2])> {
        let proof = self.root().proof()?;
        let winner = proof.outcome.winner()?;
        Some((winner, [winner, !winner].map(|player| proof.distance.of(player).into())))
    }

    /// Whether the winner of this contest is proven to win it. If so, adopts the proof and chooses
    /// the winner's move.
    fn prove_contest(
        &mut self,
        contest: &WinWithin<G>,
        prover: &mut Prover<'_>,
        expansions: u64,
    ) -> bool {
        let is_proven = prover
            .prove(contest, expansions)
            .is_some_and(|proof| proof.is_win_for(contest.winner()));
        is_proven && self.adopt(contest)
    }

    /// Adopts the proof of this contest from the table. Returns whether the table still held it.
    fn adopt(&mut self, contest: &WinWithin<G>) -> bool {
        let nexts = self.position.legal_moves().into_iter().map(|mv| after(contest, mv));
        for (child, next) in self.root().children().zip(nexts) {
            let child = self.tree.node(child);
            if let Some(proof) =
                next.known_win(self.table).filter(|_| !next.is_shown_by(child.proof()))
            {
                child.set_proof(proof);
            }
        }
        let proof = if contest.winner() == self.position.turn() {
            let proofs = self
                .root()
                .children()
                .map(|child| self.tree.node(child).proof_from_parent())
                .enumerate();
            let shown = proofs.into_iter().find(|&(_, proof)| contest.is_shown_by(proof));
            self.chosen = shown.map(|(choice, _)| choice).or(self.chosen);
            shown.and_then(|(_, proof)| proof)
        } else {
            contest.known_win(self.table)
        };
        let Some(proof) = proof else { return false };
        self.root().set_proof(proof);
        self.table.put(self.position.proof_key(), TtValue::Proven(proof), 0..0);
        true
    }

    /// The contest that is proven after the best move of a report.
    pub(in crate::search) fn promise(&self, report: &Report<G::Move>) -> Option<WinWithin<G>> {
        let line = report.lines.first()?;
        Some(
            WinWithin::of_proof(&self.position, self.proof_of(line)?)?
                .after_move(*line.moves.first()?),
        )
    }
}

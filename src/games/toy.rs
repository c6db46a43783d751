//! A game for tests of the search, small enough to check by hand: its tree is written down.

use crate::game::{
    Evaluation, Evaluator, Game, MoveList, Outcome, Player, Policy, Round, RoundPayoff,
    RoundPayoffs, RoundProof, RoundStage, Searchable, mix,
};

/// A position: a node of a tree that is written down.
#[derive(Clone, Copy, Debug)]
pub struct Toy {
    tree: &'static [Node],
    at: usize,
    /// Contests of the round in play. They have the indices of this tree.
    contests: &'static [Contest],
    /// Number of the contest that this game is, from 1; 0 for the game itself.
    number: u64,
}

/// A way to win the round of a match, as a game of its own.
#[derive(Debug)]
pub struct Contest {
    /// The tree of the contest.
    pub tree: &'static [Node],
    /// Black's win probability in the match after Black has won the contest.
    pub value: f32,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    /// The game is over.
    Over(Outcome),
    /// A player is to move.
    Open {
        /// The player to move.
        turn: Player,
        /// Black's win probability by the evaluator.
        value: f32,
        /// The positions after the moves, as indices into the tree, with the moves' logits.
        moves: &'static [(usize, f32)],
    },
}

impl Toy {
    /// The first position of a tree.
    pub const fn root(tree: &'static [Node]) -> Toy {
        Toy::of_match(tree, &[])
    }

    /// The first position of a match of rounds. The last contest is the round; those before it are
    /// better ways for Black to win it, best first.
    pub const fn of_match(tree: &'static [Node], contests: &'static [Contest]) -> Toy {
        Toy { tree, at: 0, contests, number: 0 }
    }

    /// A contest of the round in play, by its index.
    pub fn contest(&self, index: usize) -> Toy {
        let tree = self.contests[index].tree;
        Toy { tree, at: self.at, contests: &[], number: index as u64 + 1 }
    }

    fn node(&self) -> &'static Node {
        &self.tree[self.at]
    }

    fn moves(&self) -> &'static [(usize, f32)] {
        match self.node() {
            Node::Over(_) => &[],
            Node::Open { moves, .. } => moves,
        }
    }
}

impl PartialEq for Toy {
    fn eq(&self, other: &Toy) -> bool {
        (self.at, self.number) == (other.at, other.number) && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Toy {}

impl Game for Toy {
    /// The index of the next position.
    type Move = usize;

    fn turn(&self) -> Player {
        match *self.node() {
            Node::Over(_) => Player::Black,
            Node::Open { turn, .. } => turn,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match *self.node() {
            Node::Over(outcome) => Some(outcome),
            Node::Open { .. } => None,
        }
    }

    fn legal_moves(&self) -> MoveList<usize> {
        self.moves().iter().map(|&(next, _)| next).collect()
    }

    fn play(&mut self, next: usize) {
        self.at = next;
    }

    fn hash(&self) -> u64 {
        mix(self.at as u64 | self.number << 32)
    }

    fn round(&self) -> Round<Toy> {
        let Some(last) = self.contests.len().checked_sub(1) else {
            return Round::whole_game(*self);
        };
        let contest = self.contest(last);
        let stage = match contest.outcome() {
            Some(_) => RoundStage::Between,
            None => RoundStage::Underway,
        };
        Round::of_match(contest, [false; 2], stage)
    }
}

impl Searchable for Toy {
    type Evaluator = WrittenDown;
}

/// The values and logits of the tree.
#[derive(Default)]
pub struct WrittenDown;

impl Evaluator<Toy> for WrittenDown {
    fn evaluate(
        &mut self,
        position: &Toy,
        moves: &[usize],
        _round: RoundProof,
        _winners: &[Option<Player>],
    ) -> Evaluation {
        let value = match *position.node() {
            Node::Over(Outcome::Win(Player::Black)) => 1.0,
            Node::Over(Outcome::Win(Player::White)) => 0.0,
            Node::Over(Outcome::Draw) => 0.5,
            Node::Open { value, .. } => value,
        };
        let logits = position.moves().iter().map(|&(_, logit)| logit).collect();
        Evaluation { value, policy: Policy { logits, ..self.classify_moves(position, moves) } }
    }

    fn round_payoffs(&self, position: &Toy, winner: Player) -> RoundPayoffs<Toy> {
        let contests = (0..position.contests.len()).filter(|_| winner == Player::Black);
        contests
            .map(|index| RoundPayoff {
                contest: position.contest(index),
                value: position.contests[index].value,
            })
            .collect()
    }
}

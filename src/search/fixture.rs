//! A search of one position for unit tests.

use super::Settings;
use super::budget::{Budget, Nodes};
use super::limits::{Control, Limits};
use super::proof::Proof;
use super::proof::table::TableMemory;
use super::proof::tt_value::TtValue;
use super::tree::TreeSearch;
use super::tree::arena::TreeMemory;
use super::tree::node::Node as TreeNode;
use crate::game::{Game, Outcome, Player, Searchable};
use crate::games::toy::{Node, Toy};

/// Calls `check` with a search whose root is expanded.
pub fn with_search<G: Searchable, T>(
    position: &G,
    limits: &Limits<G::Move>,
    control: &Control,
    check: impl FnOnce(&mut TreeSearch<'_, G>) -> T,
) -> T {
    let (mut trees, mut tables) = (TreeMemory::new(0), TableMemory::new(1 << 20));
    let (tree, table, nodes) = (trees.tree(), tables.table(), Nodes::default());
    let budget = Budget::new(control, &nodes, limits);
    check(&mut TreeSearch::new(tree, table, Settings::default(), position, limits, budget))
}

/// Calls `check` with a search of a toy game.
pub fn with_toy(
    position: Toy,
    limits: &Limits<usize>,
    check: impl FnOnce(&mut TreeSearch<'_, Toy>),
) {
    with_search(&position, limits, &Control::default(), check);
}

/// Visits a node `visits` times with the same value.
pub fn visit(node: &TreeNode, visits: u32, black_win_probability: f32) {
    for _ in 0..visits {
        node.begin_visit();
        node.end_visit(black_win_probability);
    }
}

impl<'a> TreeSearch<'a, Toy> {
    /// The node of a root move.
    pub fn root_child(&self, choice: u32) -> &'a TreeNode {
        self.tree.node(self.root_node().children().start + choice)
    }

    /// Proves a position in the table.
    pub fn store(&self, position: Toy, proof: Proof) {
        self.table.put(position.proof_key(), TtValue::Proven(proof), 0..1);
    }
}

pub const BLACK_WINS: Node = Node::Over(Outcome::Win(Player::Black));
pub const WHITE_WINS: Node = Node::Over(Outcome::Win(Player::White));
pub const DRAWN: Node = Node::Over(Outcome::Draw);

/// The proof of a drawn position.
pub const DRAW: Proof = Proof::over(Outcome::Draw);

/// A position of a toy game in which both players are equal.
pub const fn open(turn: Player, moves: &'static [(usize, f32)]) -> Node {
    Node::Open { turn, value: 0.5, moves }
}

const TREE: [Node; 11] = [
    open(Player::Black, &[(1, 0.0), (2, 2.0), (3, 1.0)]),
    open(Player::White, &[(4, 0.0), (5, 0.0)]),
    open(Player::White, &[(6, 0.0), (7, 0.0)]),
    open(Player::White, &[(7, 0.0), (6, 0.0)]),
    open(Player::Black, &[(8, 0.0), (9, 0.0)]),
    open(Player::Black, &[(9, 0.0), (8, 0.0)]),
    open(Player::Black, &[(9, 0.0), (10, 0.0)]),
    open(Player::Black, &[(10, 0.0), (9, 0.0)]),
    BLACK_WINS,
    WHITE_WINS,
    WHITE_WINS,
];

/// A tree in which Black's move 1 wins in two moves, and the moves 2 and 3 lose. Static analysis
/// sees a win two plies after the root, and no loss.
pub const WON: &[Node] = &TREE;

/// The same tree without the winning move.
pub const LOST: &[Node] = &{
    let mut tree = TREE;
    tree[0] = open(Player::Black, &[(2, 0.0), (3, 1.0)]);
    tree
};

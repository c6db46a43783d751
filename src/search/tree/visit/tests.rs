use super::*;
use crate::game::{Game, Outcome, Text};
use crate::games::kamisado::Match;
use crate::games::toy::{Node as ToyNode, Toy};
use crate::search::fixture::{BLACK_WINS, DRAW, DRAWN, WHITE_WINS, open, with_search, with_toy};
use crate::search::limits::{Control, Limits};
use crate::search::proof::static_result::win_in;
use crate::search::tree::node::Bounds;

/// Black's second move forces White to move to 5. Black can win at once in 6.
static TREE: [ToyNode; 11] = [
    open(Player::Black, &[(1, 0.0), (2, 2.0)]),
    ToyNode::Open { turn: Player::White, value: 0.6, moves: &[(3, 0.0), (4, 0.0)] },
    open(Player::White, &[(5, 0.0)]),
    open(Player::Black, &[(8, 0.0), (9, 0.0)]),
    open(Player::Black, &[(8, 0.0), (9, 0.0)]),
    ToyNode::Open { turn: Player::Black, value: 0.3, moves: &[(6, 0.0), (3, 0.0), (10, 0.0)] },
    open(Player::Black, &[(7, 0.0), (9, 0.0)]),
    BLACK_WINS,
    open(Player::White, &[(10, 0.0), (10, 0.0)]),
    WHITE_WINS,
    DRAWN,
];

fn worker<'a>(search: &TreeSearch<'a, Toy>) -> Worker<'a, Toy> {
    Worker::new(0, search.table, None, &|_| false)
}

/// The position after some moves from the first one.
fn position(moves: &[usize]) -> Toy {
    let mut position = Toy::root(&TREE);
    moves.iter().for_each(|&mv| position.play(mv));
    position
}

/// The root, its first child, and the first child of that, as the path of a visit.
fn visit_line<'a>(search: &TreeSearch<'a, Toy>, black_win_probability: f32) -> [&'a Node; 3] {
    let mut worker = worker(search);
    let mut index = search.tree.root();
    let nodes = [&[][..], &[1], &[1, 3]].map(|moves| {
        let node = search.tree.node(index);
        let position = position(moves);
        search.expand(node, &position, &mut worker.evaluator);
        node.begin_visit();
        let (player, key) = (position.turn(), position.proof_key());
        worker.path.push(Visited { index, player, key });
        index = node.children().start;
        node
    });
    search.back_up(&worker, black_win_probability);
    nodes
}

#[test]
fn backs_up_means_within_the_bounds_of_each_node() {
    with_toy(position(&[]), &Limits::default(), |search| {
        visit_line(search, 0.8);
        let nodes = visit_line(search, 0.2);
        for node in nodes {
            assert_eq!((node.visits(), node.visits_begun()), (2, 2));
            assert!((node.win_probability().unwrap() - 0.5).abs() < 1e-6);
        }
        // Means of 0.5, 0.5 and 0.9 at the leaf, and of 0.3 for the last visit above it.
        nodes[1].set_bounds(Bounds { least: 0.0, most: 0.3 }, false);
        visit_line(search, 0.9);
        for (node, expected) in nodes.into_iter().zip([1.3 / 3.0, 0.3, 1.9 / 3.0]) {
            assert!((node.win_probability().unwrap() - expected).abs() < 1e-4);
        }
    });
}

#[test]
fn backs_up_proofs_as_far_as_they_hold() {
    let two_moves = |proof: Proof| proof.after_move(Player::White);
    let (win, loss) = (win_in(Player::Black, 2), win_in(Player::White, 1));
    // The proofs of both replies to the first move, the moves to search, and the proofs of that
    // move and of the root. The second root move stays open.
    let cases = [
        ([Some(win), None], vec![], None, None),
        ([Some(loss), None], vec![], Some(two_moves(loss)), None),
        ([Some(loss), None], vec![1], Some(two_moves(loss)), Some(loss)),
        ([Some(win), Some(DRAW)], vec![], Some(two_moves(DRAW)), None),
        ([Some(win), Some(win)], vec![], Some(two_moves(win)), Some(win)),
    ];
    for (replies, search_moves, expected, of_root) in cases {
        with_toy(position(&[]), &Limits { search_moves, ..Limits::default() }, |search| {
            let [root, parent, leaf] = visit_line(search, 0.25);
            for (child, proof) in parent.children().zip(replies) {
                proof.iter().for_each(|&proof| search.tree.node(child).set_proof(proof));
            }
            visit_line(search, 0.75);
            let of_root = of_root.map(|proof| two_moves(proof).after_move(Player::Black));
            assert_eq!([root, parent].map(Node::proof), [of_root, expected], "{replies:?}");
            // The value of the deepest proof that holds replaces the value of the visit.
            let values = [of_root.or(expected), expected, replies[0]];
            for (node, proof) in [root, parent, leaf].into_iter().zip(values) {
                let last = proof.or(expected).or(replies[0]).unwrap().win_probability();
                assert_eq!(node.win_probability(), Some((0.25 + last) / 2.0), "{replies:?}");
            }
            let stored = [&[][..], &[1], &[1, 3]]
                .map(|moves| search.table.proof(position(moves).proof_key()));
            assert_eq!(stored, [None, expected, replies[0]]);
        });
    }
}

#[test]
fn plays_forced_moves_on_the_way_to_a_leaf() {
    with_toy(position(&[]), &Limits::default(), |search| {
        let mut worker = worker(search);
        // The policy prefers the second move.
        search.iterate(&mut worker);
        let path: Vec<_> =
            worker.path.iter().map(|visited| (visited.player, visited.key)).collect();
        let keys = [&[][..], &[2, 5]].map(|moves| (Player::Black, position(moves).proof_key()));
        assert_eq!(path, keys);
        let leaf = search.root_child(1);
        assert_eq!((leaf.visits(), leaf.win_probability()), (1, Some(0.3)));
        // A win that follows forced moves counts them.
        leaf.set_proof(win_in(Player::Black, 1));
        let from_root = win_in(Player::Black, 2);
        assert_eq!(leaf.proof_from_parent(), Some(from_root));
        search.iterate(&mut worker);
        assert_eq!(search.root_node().proof(), None, "the second move is proven, so not visited");
        assert_eq!(search.root_child(0).visits(), 1);
    });
}

#[test]
fn visits_excluded_root_moves_only_after_the_others_are_proven() {
    for (proof, expected) in [(None, [1, 0]), (Some(win_in(Player::White, 1)), [0, 1])] {
        with_toy(position(&[]), &Limits::default(), |search| {
            search.root_child(1).set_excluded(true);
            proof.iter().for_each(|&proof| search.root_child(0).set_proof(proof));
            search.iterate(&mut worker(search));
            assert_eq!([0, 1].map(|choice| search.root_child(choice).visits()), expected);
        });
    }
}

#[test]
fn expansion_proves_children_by_static_analysis_and_table() {
    with_toy(position(&[6]), &Limits::default(), |search| {
        // The root has children, although a move wins.
        let proofs = [0, 1].map(|choice| search.root_child(choice).proof());
        assert_eq!(
            proofs,
            [Player::Black, Player::White].map(|p| Some(Proof::over(Outcome::Win(p))))
        );
        assert_eq!(search.root_node().proof(), Some(win_in(Player::Black, 1)));
    });
    with_toy(position(&[2, 5]), &Limits::default(), |search| {
        // Black moves again in 6, and 10 is a draw.
        let proofs = [0, 1, 2].map(|choice| search.root_child(choice).proof());
        assert_eq!(proofs, [None, None, Some(DRAW)]);
        // Below the root, a winning move leaves no need for children.
        let (node, mut evaluator) = (search.root_child(0), worker(search).evaluator);
        assert_eq!(search.expand(node, &position(&[6]), &mut evaluator), 1.0);
        assert_eq!((node.proof(), node.is_expanded()), (Some(win_in(Player::Black, 1)), false));
        // The table proves a child that static analysis does not.
        search.store(position(&[4]), win_in(Player::White, 3));
        let node = search.root_child(2);
        assert_eq!(search.expand(node, &position(&[1]), &mut evaluator), 0.6);
        let proofs: Vec<_> = node.children().map(|child| search.tree.node(child).proof()).collect();
        assert_eq!(proofs, [None, Some(win_in(Player::White, 3))]);
    });
}

#[test]
fn move_that_ends_the_round_wins_it() {
    let position: Match = "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3".parse().unwrap();
    let moves = position.legal_moves();
    let arrival = position.parse_move("e4e8").unwrap();
    let next = after(&position, arrival).round().contest;
    let (control, limits) = (Control::default(), Limits::default());
    with_search(&position, &limits, &control, |search| {
        let lost = TtValue::Proven(Proof::over(Outcome::Win(Player::White)));
        search.table.put(next.proof_key(), lost, 0..0);
        let winners = search.winners_after(&position, &moves);
        let of_arrival = moves.iter().position(|&mv| mv == arrival).map(|index| winners[index]);
        assert_eq!(of_arrival, Some(Some(Player::Black)));
    });
}

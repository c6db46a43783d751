//! The upper part of a proof: a graph of positions. Several processes share the work on its leaves.
//!
//! It grows best-first by proof numbers, like the master's tree of Čížek, Balko and Schmid (2025).
//! df-pn searches the positions below its leaves.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use oshi::game::{Player, RoundProof, Searchable};
use oshi::games::notation::Notation;
use oshi::search::Control;
use oshi::solver::{Objective, Query, Solver};

use crate::bounds::Bounds;
use crate::positions::after;

/// A graph of positions, keyed by their hashes.
pub struct Frontier<G> {
    root: u64,
    /// The player of the first query.
    likelier: Player,
    /// Whether to solve all moves of the root, or only those that its result needs.
    pub all_moves: bool,
    nodes: HashMap<u64, Node<G>>,
    /// Positions without children, oldest first.
    leaves: Vec<u64>,
    /// A position with contradicting answers.
    contradiction: Option<u64>,
}

struct Node<G> {
    position: G,
    /// Empty for a leaf.
    children: Vec<u64>,
    bounds: Bounds,
    /// Proof number of each player's win, for the first query.
    numbers: [u64; 2],
}

/// Upper bound of proof numbers.
const MAX_NUMBER: u64 = 1 << 40;

/// Size of a frontier, and the work for each leaf.
#[derive(Clone, Copy)]
pub struct Growth {
    /// Minimum number of open leaves.
    pub open: usize,
    /// Maximum expansions for the proof numbers of a new leaf.
    pub expansions: u64,
}

/// A leaf without an answer.
pub struct OpenLeaf<G> {
    /// Index among the leaves.
    pub number: usize,
    pub position: G,
    pub query: Query,
}

impl<G: Searchable + Notation> Frontier<G> {
    /// A frontier that consists of the root.
    pub fn new(root: &G, all_moves: bool) -> Self {
        let likelier = match Query::of(root).first() {
            Some(&Query::WinFor(player)) => player,
            _ => Player::Black,
        };
        Frontier::with_likelier(root, likelier, all_moves)
    }

    pub fn with_likelier(root: &G, likelier: Player, all_moves: bool) -> Self {
        let mut frontier = Frontier {
            root: root.hash(),
            likelier,
            all_moves,
            nodes: HashMap::new(),
            leaves: Vec::new(),
            contradiction: None,
        };
        frontier.add(root);
        frontier
    }

    pub fn root(&self) -> Option<&G> {
        self.nodes.get(&self.root).map(|node| &node.position)
    }

    pub const fn likelier(&self) -> Player {
        self.likelier
    }

    /// The query that decides whether this player wins.
    fn query(player: Player) -> Query {
        if G::HAS_DRAWS { Query::WinFor(player) } else { Query::Winner }
    }

    fn add(&mut self, position: &G) -> u64 {
        let key = position.hash();
        if let Entry::Vacant(entry) = self.nodes.entry(key) {
            let bounds = position.outcome().map_or(Bounds::NONE, Bounds::exactly);
            entry.insert(Node {
                position: *position,
                children: Vec::new(),
                bounds,
                numbers: [1; 2],
            });
            if position.outcome().is_none() {
                self.leaves.push(key);
            }
        }
        key
    }

    /// Expands a leaf and returns the positions after its moves. Otherwise returns an empty list.
    pub fn expand(&mut self, position: &G) -> Vec<G> {
        let key = self.add(position);
        if self.nodes.get(&key).is_none_or(|node| !node.children.is_empty()) {
            return Vec::new();
        }
        let next: Vec<G> =
            position.legal_moves().into_iter().map(|mv| after(position, mv)).collect();
        let children = next.iter().map(|next| self.add(next)).collect();
        if let Some(node) = self.nodes.get_mut(&key) {
            node.children = children;
        }
        self.leaves.retain(|&leaf| leaf != key);
        next
    }

    /// Adds an answer. Ignores positions outside the graph.
    pub fn add_answer(&mut self, position: &G, proven: Objective) {
        self.narrow(position.hash(), Bounds::of(proven));
    }

    /// Returns a position with contradicting answers, if any.
    pub fn contradiction(&self) -> Option<&G> {
        self.nodes.get(&self.contradiction?).map(|node| &node.position)
    }

    fn narrow(&mut self, key: u64, bounds: Bounds) {
        let Some(node) = self.nodes.get_mut(&key) else { return };
        match node.bounds.and(bounds) {
            Some(both) => node.bounds = both,
            None => self.contradiction = Some(key),
        }
    }

    /// Propagates answers and proof numbers from the leaves to the root.
    pub fn update(&mut self) {
        let mut seen = HashSet::new();
        self.update_below(self.root, &mut seen);
    }

    fn update_below(&mut self, key: u64, seen: &mut HashSet<u64>) {
        if seen.insert(key) {
            let children =
                self.nodes.get(&key).map(|node| node.children.clone()).unwrap_or_default();
            children.iter().for_each(|&child| self.update_below(child, seen));
            self.update_node(key);
        }
    }

    fn update_node(&mut self, key: u64) {
        let Some(node) = self.nodes.get(&key) else { return };
        let player = node.position.turn();
        let of_moves = node
            .children
            .iter()
            .filter_map(|child| self.nodes.get(child))
            .map(|child| child.bounds);
        self.narrow(key, Bounds::of_moves(player, of_moves));
        let Some(node) = self.nodes.get(&key) else { return };
        let children: Vec<&Node<G>> =
            node.children.iter().filter_map(|child| self.nodes.get(child)).collect();
        let (bounds, mut numbers) = (node.bounds, node.numbers);
        if !children.is_empty() {
            numbers[player.index()] = children
                .iter()
                .map(|child| child.numbers[player.index()])
                .min()
                .unwrap_or(MAX_NUMBER);
            let other = |child: &&Node<G>| child.numbers[(!player).index()];
            numbers[(!player).index()] = children.iter().map(other).sum::<u64>().min(MAX_NUMBER);
        }
        if let Some(wins) = bounds.wins(self.likelier) {
            let winner = if wins { self.likelier } else { !self.likelier };
            numbers[winner.index()] = 0;
            numbers[(!winner).index()] = MAX_NUMBER;
        }
        if let Some(node) = self.nodes.get_mut(&key) {
            node.numbers = numbers;
        }
    }

    /// Grows until enough leaves are open, the root is decided, or the control stops it. The solver
    /// searches each new leaf. Calls `observer` after each expanded position.
    pub fn grow(
        &mut self,
        growth: Growth,
        solver: &Solver,
        control: &Control,
        observer: &mut dyn FnMut(&Self),
    ) {
        let query = Frontier::<G>::query(self.likelier);
        while !control.is_stopped() {
            let open = self.open_leaves();
            let Some(leaf) = open.first().filter(|_| open.len() < growth.open) else { return };
            for next in self.expand(&leaf.position) {
                self.search_leaf(&next, query, growth.expansions, solver, control);
            }
            self.update();
            observer(self);
        }
    }

    fn search_leaf(
        &mut self,
        position: &G,
        query: Query,
        expansions: u64,
        solver: &Solver,
        control: &Control,
    ) {
        if let Some(proven) = solver.try_to_answer(position, query, expansions, control) {
            self.add_answer(position, proven);
        }
        if let (Some(node), RoundProof::Open(numbers)) =
            (self.nodes.get_mut(&position.hash()), solver.known(position, query))
        {
            node.numbers = numbers.map(u64::from);
        }
    }

    /// Bounds on the root's result.
    pub fn result(&self) -> Bounds {
        self.nodes.get(&self.root).map_or(Bounds::NONE, |node| node.bounds)
    }

    /// The root's moves, with bounds on their results.
    pub fn moves(&self) -> Vec<(String, Bounds)> {
        let of = |root: &G| {
            let bounds = |mv| {
                self.nodes.get(&after(root, mv).hash()).map_or(Bounds::NONE, |node| node.bounds)
            };
            root.legal_moves().into_iter().map(|mv| (mv.to_string(), bounds(mv))).collect()
        };
        self.root().map(of).unwrap_or_default()
    }

    /// Leaves that may still decide the current query, the most promising first. If the first query
    /// is decided but not the result, they are those of the second query. Empty if all is decided.
    pub fn open_leaves(&self) -> Vec<OpenLeaf<G>> {
        let numbers: HashMap<u64, usize> =
            self.leaves.iter().enumerate().map(|(number, &key)| (key, number)).collect();
        let mut open = Vec::new();
        let root_moves = self.nodes.get(&self.root).map(|node| &node.children);
        let moves = root_moves.filter(|moves| self.all_moves && !moves.is_empty());
        let (mut targets, root) = (moves.cloned().unwrap_or_default(), [self.root]);
        // Leaves that the root's result needs come first.
        targets.splice(0..0, root);
        let mut seen = HashSet::new();
        for target in targets {
            let Some(bounds) = self.nodes.get(&target).map(|node| node.bounds) else { continue };
            if bounds.outcome().is_none() {
                let player = if bounds.wins(self.likelier).is_none() {
                    self.likelier
                } else {
                    !self.likelier
                };
                self.collect_open(target, player, &numbers, &mut seen, &mut open);
            }
        }
        open
    }

    fn collect_open(
        &self,
        key: u64,
        player: Player,
        numbers: &HashMap<u64, usize>,
        seen: &mut HashSet<(u64, Player)>,
        open: &mut Vec<OpenLeaf<G>>,
    ) {
        let Some(node) = self.nodes.get(&key) else { return };
        if node.bounds.wins(player).is_some() || !seen.insert((key, player)) {
            return;
        }
        if let Some(&number) = numbers.get(&key) {
            return open.push(OpenLeaf {
                number,
                position: node.position,
                query: Frontier::<G>::query(player),
            });
        }
        let mut children = node.children.clone();
        let own = |child: &u64| {
            self.nodes
                .get(child)
                .map_or(MAX_NUMBER, |child| child.numbers[node.position.turn().index()])
        };
        children.sort_by_key(own);
        children
            .into_iter()
            .for_each(|child| self.collect_open(child, player, numbers, seen, open));
    }

    /// Expanded positions, each before its descendants.
    pub fn expanded(&self) -> Vec<&G> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let mut stack = vec![self.root];
        while let Some(key) = stack.pop() {
            if let Some(node) =
                self.nodes.get(&key).filter(|node| !node.children.is_empty() && seen.insert(key))
            {
                order.push(&node.position);
                stack.extend(node.children.iter().rev());
            }
        }
        order
    }

    /// Leaves by index, with their proof numbers and bounds.
    pub fn leaves(&self) -> impl Iterator<Item = (&G, [u64; 2], Bounds)> {
        self.leaves
            .iter()
            .filter_map(|key| self.nodes.get(key))
            .map(|node| (&node.position, node.numbers, node.bounds))
    }

    /// Restores the proof numbers of a leaf.
    pub fn set_numbers(&mut self, position: &G, numbers: [u64; 2]) {
        if let Some(node) = self.nodes.get_mut(&position.hash()) {
            node.numbers = numbers;
        }
    }
}

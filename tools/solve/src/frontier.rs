//! The upper part of a proof: positions whose results settle that of the root, for several processes to solve.
//!
//! It is grown best first by proof numbers, as the master's tree of Čížek, Balko and Schmid (2025); what is below its leaves is df-pn's.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use oshi::game::{Player, RoundProof, Searchable};
use oshi::games::notation::Notation;
use oshi::search::{Control, Objective, Query, Solver};

use crate::bounds::Bounds;
use crate::session::after;

/// A graph of positions, known by their hashes.
pub struct Frontier<G> {
    root: u64,
    /// Whose win is asked for first.
    likelier: Player,
    /// Whether all moves of the root are to be solved, or only as many as give its result.
    pub all_moves: bool,
    nodes: HashMap<u64, Node<G>>,
    /// The positions that are not expanded, in the order in which they were met.
    leaves: Vec<u64>,
    /// A position about which two answers contradict each other.
    contradiction: Option<u64>,
}

struct Node<G> {
    position: G,
    /// Empty where it is not expanded.
    children: Vec<u64>,
    bounds: Bounds,
    /// The proof numbers for a win of each player, of the question that is asked first.
    numbers: [u64; 2],
}

/// Larger numbers are cut to this one.
const MOST: u64 = 1 << 40;

/// How far a frontier grows.
#[derive(Clone, Copy)]
pub struct Growth {
    /// Until so many leaves at least are open.
    pub open: usize,
    /// Expansions by which a new leaf is judged, and perhaps answered.
    pub judge: u64,
}

/// A position that waits for an answer.
pub struct Open<G> {
    /// Its number among the leaves.
    pub number: usize,
    pub position: G,
    pub asked: Query,
}

impl<G: Searchable + Notation> Frontier<G> {
    /// Nothing but the root.
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
        frontier.meet(root);
        frontier
    }

    pub fn root(&self) -> Option<&G> {
        self.nodes.get(&self.root).map(|node| &node.position)
    }

    pub const fn likelier(&self) -> Player {
        self.likelier
    }

    /// The question about a player's win.
    pub fn question(player: Player) -> Query {
        if G::HAS_DRAWS { Query::WinFor(player) } else { Query::Winner }
    }

    fn meet(&mut self, position: &G) -> u64 {
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

    /// Puts the moves of a leaf in its place. Says which positions it leads to.
    pub fn expand(&mut self, position: &G) -> Vec<G> {
        let key = self.meet(position);
        if self.nodes.get(&key).is_none_or(|node| !node.children.is_empty()) {
            return Vec::new();
        }
        let next: Vec<G> =
            position.legal_moves().into_iter().map(|mv| after(position, mv)).collect();
        let children = next.iter().map(|next| self.meet(next)).collect();
        if let Some(node) = self.nodes.get_mut(&key) {
            node.children = children;
        }
        self.leaves.retain(|&leaf| leaf != key);
        next
    }

    /// Learns an answer; what is about no position of it says nothing.
    pub fn learn(&mut self, position: &G, claim: Objective) {
        self.narrow(position.hash(), Bounds::of(claim));
    }

    /// A position about which two answers contradict each other, if there is one.
    pub fn contradiction(&self) -> Option<&G> {
        self.nodes.get(&self.contradiction?).map(|node| &node.position)
    }

    /// Learns bounds of a position.
    fn narrow(&mut self, key: u64, bounds: Bounds) {
        let Some(node) = self.nodes.get_mut(&key) else { return };
        match node.bounds.and(bounds) {
            Some(both) => node.bounds = both,
            None => self.contradiction = Some(key),
        }
    }

    /// Works out what the answers say of the positions above them.
    pub fn update(&mut self) {
        let mut seen = HashSet::new();
        self.update_below(self.root, &mut seen);
    }

    fn update_below(&mut self, key: u64, seen: &mut HashSet<u64>) {
        if seen.insert(key) {
            let children =
                self.nodes.get(&key).map(|node| node.children.clone()).unwrap_or_default();
            children.iter().for_each(|&child| self.update_below(child, seen));
            self.update_one(key);
        }
    }

    fn update_one(&mut self, key: u64) {
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
            numbers[player.index()] =
                children.iter().map(|child| child.numbers[player.index()]).min().unwrap_or(MOST);
            let other = |child: &&Node<G>| child.numbers[(!player).index()];
            numbers[(!player).index()] = children.iter().map(other).sum::<u64>().min(MOST);
        }
        if let Some(wins) = bounds.wins(self.likelier) {
            let winner = if wins { self.likelier } else { !self.likelier };
            numbers[winner.index()] = 0;
            numbers[(!winner).index()] = MOST;
        }
        if let Some(node) = self.nodes.get_mut(&key) {
            node.numbers = numbers;
        }
    }

    /// Grows until enough leaves are open, what is asked is answered, or the control stops it. The solver judges the new leaves; `tick` is called
    /// after each position that is expanded.
    pub fn grow(
        &mut self,
        growth: Growth,
        solver: &Solver,
        control: &Control,
        tick: &mut dyn FnMut(&Self),
    ) {
        let asked = Frontier::<G>::question(self.likelier);
        while !control.is_stopped() {
            let open = self.open();
            let Some(open) = open.first().filter(|_| open.len() < growth.open) else { return };
            for next in self.expand(&open.position) {
                self.judge(&next, asked, growth.judge, solver, control);
            }
            self.update();
            tick(self);
        }
    }

    fn judge(
        &mut self,
        position: &G,
        asked: Query,
        expansions: u64,
        solver: &Solver,
        control: &Control,
    ) {
        if let Some(claim) = solver.try_to_answer(position, asked, expansions, control) {
            self.learn(position, claim);
        }
        if let (Some(node), RoundProof::Open(numbers)) =
            (self.nodes.get_mut(&position.hash()), solver.known(position, asked))
        {
            node.numbers = numbers.map(u64::from);
        }
    }

    /// What is known of the root's result.
    pub fn result(&self) -> Bounds {
        self.nodes.get(&self.root).map_or(Bounds::NONE, |node| node.bounds)
    }

    /// The moves of the root, and what is known of their results.
    pub fn moves(&self) -> Vec<(String, Bounds)> {
        let of = |root: &G| {
            let bounds = |mv| {
                self.nodes.get(&after(root, mv).hash()).map_or(Bounds::NONE, |node| node.bounds)
            };
            root.legal_moves().into_iter().map(|mv| (mv.to_string(), bounds(mv))).collect()
        };
        self.root().map(of).unwrap_or_default()
    }

    /// The leaves whose answers are needed for what is still asked, those first that seem to settle it soonest. There are none once
    /// it is settled; where there are none of a first question, those of the second.
    pub fn open(&self) -> Vec<Open<G>> {
        let numbers: HashMap<u64, usize> =
            self.leaves.iter().enumerate().map(|(number, &key)| (key, number)).collect();
        let mut open = Vec::new();
        let root_moves = self.nodes.get(&self.root).map(|node| &node.children);
        let moves = root_moves.filter(|moves| self.all_moves && !moves.is_empty());
        let (mut targets, root) = (moves.cloned().unwrap_or_default(), [self.root]);
        // What the root's result needs comes first.
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
                self.collect(target, player, &numbers, &mut seen, &mut open);
            }
        }
        open
    }

    fn collect(
        &self,
        key: u64,
        player: Player,
        numbers: &HashMap<u64, usize>,
        seen: &mut HashSet<(u64, Player)>,
        open: &mut Vec<Open<G>>,
    ) {
        let Some(node) = self.nodes.get(&key) else { return };
        if node.bounds.wins(player).is_some() || !seen.insert((key, player)) {
            return;
        }
        if let Some(&number) = numbers.get(&key) {
            return open.push(Open {
                number,
                position: node.position,
                asked: Frontier::<G>::question(player),
            });
        }
        let mut children = node.children.clone();
        let own = |child: &u64| {
            self.nodes.get(child).map_or(MOST, |child| child.numbers[node.position.turn().index()])
        };
        children.sort_by_key(own);
        children.into_iter().for_each(|child| self.collect(child, player, numbers, seen, open));
    }

    /// The positions that are expanded, each before those below it.
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

    /// The leaves, with their numbers and what is known of them, in their order.
    pub fn leaves(&self) -> impl Iterator<Item = (&G, [u64; 2], Bounds)> {
        self.leaves
            .iter()
            .filter_map(|key| self.nodes.get(key))
            .map(|node| (&node.position, node.numbers, node.bounds))
    }

    /// Takes over what was thought of a leaf.
    pub fn set_numbers(&mut self, position: &G, numbers: [u64; 2]) {
        if let Some(node) = self.nodes.get_mut(&position.hash()) {
            node.numbers = numbers;
        }
    }
}

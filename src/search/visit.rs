//! One visit: down the tree to a leaf, its expansion, and the way back up with chances and proofs.

use std::sync::atomic::Ordering::Relaxed;

use arrayvec::ArrayVec;

use super::Run;
use super::dfpn::Prover;
use super::exact::{ExactSearch, won};
use super::proof::{Length, Proof};
use super::select::{proof_of_children, sample, select};
use super::table::{Known, Numbers, Table};
use super::tree::{NewNode, Node};
use crate::game::{Estimate, Foresight, Game, MAX_MOVES, Outcome, Player, RoundProof, mix};

/// What one thread needs for its visits.
pub(super) struct Visitor<'a> {
    path: Vec<Visited>,
    pub prover: Prover<'a>,
    exact: ExactSearch<'a>,
}

/// A node on the way down, the player who chooses there, and the key of its position.
struct Visited {
    index: u32,
    player: Player,
    key: u64,
}

/// The opening of a round stays a leaf for so many visits: who wins the round is left to the proof search.
const VISITS_BEFORE_ROUND: u32 = 64;

/// Expansions that the proof of a round gets for each visit of its opening.
const EXPANSIONS_PER_OPENING_VISIT: u64 = 512;

/// What a proof of the round adds to the logit of a move.
const KNOWN_ROUND: f32 = 2.0;

/// While nobody knows who wins the round, the moves are played that its own search gave this share of the favourite's visits.
const EQUAL_SHARE: f32 = 0.5;

/// Expansions that the proof of the round gets at a leaf within it.
const EXPANSIONS_PER_LEAF: u64 = 16;

impl<'a> Visitor<'a> {
    pub fn new(prover: Prover<'a>, exact: ExactSearch<'a>) -> Self {
        Visitor { path: Vec::new(), prover, exact }
    }
}

impl<G: Estimate> Run<'_, G> {
    /// Expands the root, whose moves may be restricted.
    pub(super) fn prepare_root(&self) {
        let root = self.root();
        if self.position.outcome().is_none() && !root.is_expanded() {
            self.expand(root, &self.position);
        }
        // What an earlier search proved of its root may have held for a restricted choice only.
        root.forget_proof();
        self.adopt_rounds();
        self.prove(self.tree.root(), self.position.turn());
    }

    pub(super) fn visit(&self, visitor: &mut Visitor<'_>) {
        visitor.path.clear();
        let mut position = self.position;
        let root = self.tree.root();
        let mut index = root;
        let mut black_chance = loop {
            let node = self.tree.node(index);
            node.begin_visit();
            let player = position.turn();
            visitor.path.push(Visited { index, player, key: position.hash() });
            if let Some(proof) = node.proof().filter(|_| index != root) {
                break proof.chance();
            }
            if index != root {
                self.follow_round(node, &position, &mut visitor.prover);
            }
            if !node.is_expanded() {
                self.solve(index, &position, &mut visitor.exact);
                break self.open(node, &position, &mut visitor.prover);
            }
            let Some((choice, child)) = self.choose(index, node, player) else {
                // Every child is proven; the way back up draws the conclusion.
                break node.chance().unwrap_or(0.5);
            };
            let mv = position.legal_moves()[choice];
            // Moves that end the game are proven from the start.
            if self.tree.node(child).proof().is_some() {
                position.play(mv);
            } else {
                position.play_on(mv);
            }
            play_forced(&mut position);
            index = child;
        };
        let depth = visitor.path.len() as u32 - 1;
        self.depths.fetch_add(u64::from(depth), Relaxed);
        self.seldepth.fetch_max(depth, Relaxed);
        self.spread.add(black_chance);
        let mut child_proven = true;
        for visited in visitor.path.iter().rev() {
            let node = self.tree.node(visited.index);
            if child_proven {
                child_proven = self.prove(visited.index, visited.player);
                if let Some(proof) = node.proof() {
                    black_chance = proof.chance();
                    self.remember(visited, proof);
                }
            }
            node.end_visit(black_chance);
        }
    }

    /// Proofs found in the tree are kept where the tree's recycling does not reach. The root's may be of a restricted choice.
    fn remember(&self, visited: &Visited, proof: Proof) {
        if visited.index != self.tree.root() {
            self.table.put(visited.key, Known::Proven(proof), u64::from(self.tree.node(visited.index).visits()));
        }
    }

    /// The child to go to and its place among the legal moves.
    fn choose(&self, index: u32, node: &Node, player: Player) -> Option<(usize, u32)> {
        let children = self.tree.children(node);
        let first = children.clone().next()?;
        let child = if index == self.tree.root() {
            let safe = self.root_children().filter(|&child| !self.tree.node(child).risks_round());
            select(self.tree, node, safe, player, G::EXPLORATION, self.spread.get())
                .or_else(|| select(self.tree, node, self.root_children(), player, G::EXPLORATION, self.spread.get()))
        } else if self.erring == Some(player) {
            sample(self.tree, children)
        } else {
            select(self.tree, node, children, player, G::EXPLORATION, self.spread.get())
        }?;
        Some(((child - first) as usize, child))
    }

    /// Looks a leaf through to the end where that is likely to be quickly done.
    fn solve(&self, index: u32, position: &G, exact: &mut ExactSearch<'_>) {
        let budget = position.exact_budget().min(self.deadline.nodes_left());
        // The root keeps its children, one of which is to be played.
        if budget == 0 || index == self.tree.root() {
            return;
        }
        let before = exact.expansions;
        if let Some(proof) = exact.solve(position, budget) {
            self.tree.node(index).set_proof(proof);
        }
        self.deadline.count(exact.expansions - before);
    }

    /// A leaf: gets its children, and Black's chance there.
    fn open(&self, node: &Node, position: &G, prover: &mut Prover<'_>) -> f32 {
        let opens = position.opens_round();
        if opens && node.visits() == 0 {
            self.prove_round(node, position, prover, EXPANSIONS_PER_OPENING_VISIT);
        } else if !opens && position.round_only() != *position {
            self.prove_round(node, position, prover, EXPANSIONS_PER_LEAF);
        }
        match node.proof() {
            Some(proof) => proof.chance(),
            None if opens && node.visits() < VISITS_BEFORE_ROUND => self.assess(position),
            None => self.expand(node, position),
        }
    }

    /// The opening of a round gets some proof search with every visit; at other nodes it is only looked up now and then whether it
    /// has become known who wins the round.
    fn follow_round(&self, node: &Node, position: &G, prover: &mut Prover<'_>) {
        if G::HAS_DRAWS || node.is_round_known() || node.visits() == 0 {
            return;
        }
        if position.opens_round() {
            self.prove_round(node, position, prover, EXPANSIONS_PER_OPENING_VISIT);
            if !node.is_expanded() && !node.is_round_known() && node.proof().is_none() {
                node.revise(self.assess(position));
            }
        } else if node.visits().is_power_of_two() {
            self.prove_round(node, position, prover, 0);
        }
    }

    fn prove_round(&self, node: &Node, position: &G, prover: &mut Prover<'_>, expansions: u64) {
        let round = position.round_only();
        let proof = self.table.proof(round.hash()).or_else(|| self.work_on_proof(prover, &round, expansions));
        if let Some(proof) = proof {
            learn_round(node, position, proof);
        }
    }

    /// The game's estimate, which is told who wins the round where that is known.
    pub(super) fn assess(&self, position: &G) -> f32 {
        self.assess_and_foresee(position, &[], &mut [], &mut ArrayVec::new())
    }

    /// The same, with the logits of the moves and what the game foresees of them on the way.
    fn assess_and_foresee(
        &self,
        position: &G,
        moves: &[G::Move],
        logits: &mut [f32],
        foresights: &mut ArrayVec<Foresight, MAX_MOVES>,
    ) -> f32 {
        let round = position.round_only();
        let known = if round == *position && !position.opens_round() { None } else { self.table.get(round.hash()) };
        position.assess_and_foresee(round_known(known), moves, logits, foresights)
    }

    /// Gives the node a child for each legal move. What is decided at once is seen here: games that are over after the move and
    /// the replies that it forces, and those that the player to move then can win at once.
    fn expand(&self, node: &Node, position: &G) -> f32 {
        let moves = position.legal_moves();
        let mut priors = [0.0; MAX_MOVES];
        let priors = &mut priors[..moves.len()];
        let mut foresights = ArrayVec::<Foresight, MAX_MOVES>::new();
        let chance = self.prior_shares(position, &moves, priors, &mut foresights);
        // The root keeps its children, one of which is to be played.
        let foreseen = foreseen_win(position.turn(), &foresights).filter(|&proof| self.is_certain(proof));
        if let Some(proof) = foreseen.filter(|_| *position != self.position) {
            node.set_proof(proof);
            return proof.chance();
        }
        let mut children = ArrayVec::<NewNode, MAX_MOVES>::new();
        let mut keys = ArrayVec::<u64, MAX_MOVES>::new();
        for (choice, (&mv, &prior)) in moves.iter().zip(&*priors).enumerate() {
            let (next, way, proof) = seen_after(position, mv, foresights.get(choice).copied());
            keys.push(next.hash());
            children.push(NewNode { prior, way, proof });
        }
        self.table.warm(keys.iter().copied());
        for (child, &key) in children.iter_mut().zip(&keys) {
            child.proof = child.proof.or_else(|| self.table.proof(key).filter(|&proof| self.is_certain(proof)));
        }
        self.tree.expand(node, children.into_iter());
        chance
    }

    /// Moves that are known to win or lose the round are that much more or less likely to be good.
    fn favour_won_rounds(&self, position: &G, moves: &[G::Move], logits: &mut [f32]) {
        if position.round_only() == *position {
            return;
        }
        let keys: ArrayVec<u64, MAX_MOVES> = moves.iter().map(|&mv| after(position, mv).round_only().hash()).collect();
        self.table.warm(keys.iter().copied());
        for (logit, &key) in logits.iter_mut().zip(&keys) {
            if let Some(winner) = self.table.proof(key).and_then(|proof| proof.outcome.winner()) {
                *logit += if winner == position.turn() { KNOWN_ROUND } else { -KNOWN_ROUND };
            }
        }
    }

    /// Takes over what the proof search has found out about the round in play and those that the root's moves lead to.
    pub(super) fn adopt_rounds(&self) {
        if self.round == self.position {
            return;
        }
        let root = self.root();
        let moves = self.position.legal_moves();
        let mut priors = [0.0; MAX_MOVES];
        let priors = &mut priors[..moves.len()];
        self.prior_shares(&self.position, &moves, priors, &mut ArrayVec::new());
        let proof = |round: &G| round_proof(round, self.table);
        let won = proof(&self.round).map(|proof| proof.is_win_for(self.position.turn()));
        let favourite = self.advice.iter().copied().fold(0.0, f32::max);
        let risks = |choice: usize, mv| match won {
            Some(won) => won && !proof(&after(&self.round, mv)).is_some_and(|proof| proof.is_win_for(self.position.turn())),
            None => self.advice.get(choice).is_some_and(|&share| share < favourite * EQUAL_SHARE),
        };
        for ((child, (choice, &mv)), &prior) in self.tree.children(root).zip(moves.iter().enumerate()).zip(&*priors) {
            let child = self.tree.node(child);
            child.set_prior(prior);
            child.set_risks_round(risks(choice, mv));
            let next = after(&self.position, mv);
            if !child.is_round_known()
                && let Some(proof) = proof(&next.round_only())
            {
                learn_round(child, &next, proof);
            }
        }
        self.prove(self.tree.root(), self.position.turn());
    }

    /// The share of visits that each move deserves beforehand, and Black's chance.
    fn prior_shares(
        &self,
        position: &G,
        moves: &[G::Move],
        priors: &mut [f32],
        foresights: &mut ArrayVec<Foresight, MAX_MOVES>,
    ) -> f32 {
        let chance = self.assess_and_foresee(position, moves, priors, foresights);
        self.favour_won_rounds(position, moves, priors);
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.advice) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        chance
    }

    /// Takes over what the proof search has found out about the root's children.
    pub(super) fn adopt_proofs(&self) {
        let root = self.root();
        for (child, mv) in self.tree.children(root).zip(self.position.legal_moves()) {
            let next = after(&self.position, mv);
            if let Some(proof) = known_proof(&next, self.table) {
                self.tree.node(child).set_proof(proof);
            }
        }
        self.prove(self.tree.root(), self.position.turn());
    }

    /// Derives the node's proof from its children and says whether it has one.
    pub(super) fn prove(&self, index: u32, player: Player) -> bool {
        let node = self.tree.node(index);
        let proof = if index == self.tree.root() {
            proof_of_children(self.tree, self.root_children(), player)
        } else if node.proof().is_some() {
            return true;
        } else {
            let children = self.tree.children(node);
            // A player who errs is certain to win only where every move does.
            let wins = |child| self.tree.node(child).proof().is_some_and(|proof| proof.is_win_for(player));
            let may_err = |proof: &Proof| self.is_certain(*proof) || self.erring != Some(player) || children.clone().all(wins);
            proof_of_children(self.tree, children.clone(), player).filter(may_err)
        };
        if let Some(proof) = proof {
            node.set_proof(proof);
        }
        proof.is_some()
    }

    /// Whether a proof holds even if a player errs.
    fn is_certain(&self, proof: Proof) -> bool {
        self.erring.is_none_or(|erring| !proof.is_win_for(erring))
    }

    /// Moves priors by up to ±0.05, so that another seed plays another game.
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            *logit += ((mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.1;
        }
    }
}

/// Plays on while there is just one legal move, and counts the moves.
pub(super) fn play_forced<G: Game>(position: &mut G) -> Length {
    let mut played = Length::default();
    while position.count_legal_moves() == 1 {
        played = played.with_move(position.turn());
        position.play(position.legal_moves()[0]);
    }
    played
}

/// The next position with a choice after a move, or the one in which the game is over.
pub(super) fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.play(mv);
    play_forced(&mut next);
    next
}

/// What can be seen of a position without search.
pub(super) enum Sight {
    /// It is over, the player to move wins at once, or the opponent does so after every move.
    Decided(Proof),
    /// None of it. So many moves are not seen to lose at once.
    Open { safe_moves: usize },
}

impl Sight {
    pub fn of<G: Game>(position: &G) -> Sight {
        if let Some(outcome) = position.outcome() {
            return Sight::Decided(Proof::over(outcome));
        }
        let turn = position.turn();
        if position.winning_move().is_some() {
            return Sight::Decided(Proof::over(Outcome::Win(turn)).after_move(turn));
        }
        match position.safe_moves() {
            0 => Sight::Decided(Proof::over(Outcome::Win(!turn)).after_move(!turn).after_move(turn)),
            safe_moves => Sight::Open { safe_moves },
        }
    }
}

/// The proof of a position that needs no search.
pub(super) fn decided<G: Game>(position: &G) -> Option<Proof> {
    match Sight::of(position) {
        Sight::Decided(proof) => Some(proof),
        Sight::Open { .. } => None,
    }
}

/// What is known of a round by a look or by the table.
pub(super) fn round_proof<G: Game>(round: &G, table: &Table) -> Option<Proof> {
    decided(round).or_else(|| table.proof(round.hash()))
}

/// What is proven of a position by a look, by the table, or by who wins the round.
pub(super) fn known_proof<G: Game>(position: &G, table: &Table) -> Option<Proof> {
    let by_round = || round_proof(&position.round_only(), table).filter(|&proof| round_decides(position, proof));
    round_proof(position, table).or_else(by_round)
}

/// Whether the winner of the round wins the game with it.
fn round_decides<G: Game>(position: &G, proof: Proof) -> bool {
    proof.outcome.winner().is_none_or(|winner| position.round_decides(winner))
}

/// The position after a move and the replies that it forces, the moves on the way there, and what is seen of it at once.
fn seen_after<G: Game>(position: &G, mv: G::Move, foresight: Option<Foresight>) -> (G, Length, Option<Proof>) {
    let player = position.turn();
    let mut next = *position;
    match foresight {
        Some(Foresight::Open { .. }) => next.play_on(mv),
        _ => next.play(mv),
    }
    if foresight == Some(Foresight::Loses) {
        return (next, Length::default().with_move(player), Some(won(!player, 1)));
    }
    let forced = play_forced(&mut next);
    // Where an open move has forced nothing, all that can be seen has been.
    let is_seen = matches!(foresight, Some(Foresight::Open { .. })) && forced == Length::default();
    let proof = if is_seen { next.outcome().map(Proof::over) } else { decided(&next) };
    (next, forced.with_move(player), proof)
}

/// The proof of a position in which one of the moves was foreseen to win.
fn foreseen_win(player: Player, foresights: &[Foresight]) -> Option<Proof> {
    foresights.iter().find_map(|foresight| match foresight {
        Foresight::Wins { own_moves } => Some(won(player, *own_moves)),
        _ => None,
    })
}

/// Lets a node know who wins the round.
fn learn_round<G: Estimate>(node: &Node, position: &G, proof: Proof) {
    if round_decides(position, proof) {
        node.set_proof(proof);
    } else {
        node.learn_round(position.assess(round_known(Some(Known::Proven(proof))), &[], &mut []));
    }
}

/// What the proof search knows of a round, in the game's words.
pub(super) fn round_known(known: Option<Known>) -> RoundProof {
    match known {
        None => RoundProof::None,
        Some(Known::Open(Numbers { proof, disproof })) => RoundProof::Open([proof, disproof]),
        Some(Known::Proven(proof)) => proof.outcome.winner().map_or(RoundProof::None, RoundProof::Won),
    }
}

/// Turns logits into shares that add up to 1.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}

//! One game: the tree of its positions, who plays, the clocks, and how it stands. It knows neither engines nor files.

mod parts;
mod time;

use std::collections::BTreeMap;
use std::time::Instant;

use basho::sheet::GameScore;
use oshi::game::{MoveError, Outcome, Player};
use oshi::protocol::{Command, Start};

use crate::board::Board;
pub use parts::{
    BY_RULES, Clock, Eval, GameId, LONGEST_TIME, Mark, MarkKind, NodeId, RESIGNATION, ROOT,
    ScoreText, Seat, SeatKind, Source, State, Summary, TIME, Verdict, milliseconds, now,
};
use time::Turn;

/// The most positions of a game: analysis may go on for ever, memory may not.
pub const MOST_NODES: usize = 20_000;

/// A position of a game.
pub struct Node {
    /// The position before; none for the start.
    pub parent: Option<NodeId>,
    /// The move that led here; empty for the start.
    pub text: String,
    /// The positions after, the main line's first.
    pub children: Vec<NodeId>,
    /// How long the move took.
    pub ms: Option<u64>,
    /// The position itself.
    pub board: Board,
}

/// A game.
pub struct Game {
    /// Its name.
    pub id: GameId,
    /// Where it is from, if not played here.
    pub title: String,
    /// Black and White.
    pub seats: [Seat; 2],
    /// Their clocks.
    pub clock: Option<Clock>,
    /// Where it stands: what is after it was looked at, not played.
    pub head: NodeId,
    /// How it stands.
    pub state: State,
    /// How it ended.
    pub verdict: Option<Verdict>,
    /// What engines think of its positions.
    pub evals: BTreeMap<NodeId, Eval>,
    /// What a review says of its moves.
    pub marks: BTreeMap<NodeId, Mark>,
    /// What a review says of the players.
    pub summary: Option<[Summary; 2]>,
    /// When it began, in milliseconds since 1970, if it was begun here.
    pub begun: Option<u64>,
    /// When it was changed, in milliseconds since 1970.
    pub changed: u64,
    /// What it was read from.
    pub source: Option<Source>,
    nodes: BTreeMap<NodeId, Node>,
    next: NodeId,
    turn: Turn,
}

/// Why something cannot be done in a game.
#[derive(Debug, thiserror::Error)]
pub enum GameFault {
    /// There is no such position.
    #[error("no position {0} in this game; expected the number of one of its nodes")]
    Node(NodeId),
    /// A position cannot have this number.
    #[error("a position cannot be number {0}; expected one below {max} that no other has", max = NodeId::MAX)]
    Taken(NodeId),
    /// The move is not legal.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The tree is too large.
    #[error("the game has {MOST_NODES} positions; expected variations to be removed first")]
    Full,
    /// The start is no variation.
    #[error("the start cannot be removed; expected a position after it")]
    Start,
    /// There is nothing that a person could take back.
    #[error("no move to take back; expected a move of a person's before")]
    Nothing,
    /// The game is over there.
    #[error("the game is over in that position; expected one with legal moves")]
    Over,
    /// The game is not being played.
    #[error("the game is not being played")]
    NotPlaying,
    /// Engines do not give up.
    #[error("no person plays; expected a person who resigns")]
    NoPerson,
}

/// Who makes a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Somebody at a page.
    Person,
    /// The engine that was asked for it.
    Engine,
    /// Nobody: it is only looked at.
    Nobody,
}

/// What came of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The position it led to.
    pub node: NodeId,
    /// Whether that is new.
    pub is_new: bool,
    /// Whether it was played in the game, and not only looked at.
    pub in_game: bool,
}

impl Game {
    /// A game from this position on.
    pub fn new(id: GameId, board: Board, seats: [Seat; 2], clock: Option<(u64, u64)>) -> Game {
        let root =
            Node { parent: None, text: String::new(), children: Vec::new(), ms: None, board };
        let mut game = Game {
            id,
            title: String::new(),
            seats,
            clock: clock.map(|(ms, inc)| Clock { ms, inc, since: ROOT }),
            head: ROOT,
            state: State::Playing,
            verdict: None,
            evals: BTreeMap::new(),
            marks: BTreeMap::new(),
            summary: None,
            begun: None,
            changed: now(),
            source: None,
            nodes: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
            turn: Turn::default(),
        };
        game.judge();
        game
    }

    /// Begins after these moves.
    ///
    /// # Errors
    /// [`GameFault`]: one of them is not legal.
    pub fn begin_after(&mut self, moves: &[String]) -> Result<(), GameFault> {
        let mut last = self.head;
        for text in moves {
            let board = self.board(last)?.play(text)?;
            last = self.add(last, board);
        }
        self.move_head(last);
        Ok(())
    }

    /// The position with this number.
    ///
    /// # Errors
    /// There is none.
    pub fn node(&self, id: NodeId) -> Result<&Node, GameFault> {
        self.nodes.get(&id).ok_or(GameFault::Node(id))
    }

    /// The position with this number as a board.
    ///
    /// # Errors
    /// There is none.
    pub fn board(&self, id: NodeId) -> Result<&Board, GameFault> {
        self.node(id).map(|node| &node.board)
    }

    /// The start.
    pub fn start(&self) -> &Board {
        // There always is a root: nothing removes it.
        let root = self.nodes.get(&ROOT).or_else(|| self.nodes.values().next());
        #[expect(
            clippy::expect_used,
            reason = "`prune` refuses the root, and a game is made with it"
        )]
        &root.expect("a game has a start").board
    }

    /// All positions with their numbers, each after the one before it, variations after the main line.
    pub fn nodes(&self) -> Vec<(NodeId, &Node)> {
        let (mut listed, mut open) = (Vec::with_capacity(self.nodes.len()), vec![ROOT]);
        while let Some(id) = open.pop() {
            if let Some(node) = self.nodes.get(&id) {
                listed.push((id, node));
                open.extend(node.children.iter().rev());
            }
        }
        listed
    }

    /// The numbers of the positions from the start to this one.
    pub fn path(&self, to: NodeId) -> Vec<NodeId> {
        let parent = |id: &NodeId| self.nodes.get(id).and_then(|node| node.parent);
        let mut path: Vec<NodeId> = std::iter::successors(Some(to), parent).collect();
        path.reverse();
        path
    }

    /// The numbers of the positions of the main line, from the start to its end.
    pub fn main_line(&self) -> Vec<NodeId> {
        let first =
            |id: &NodeId| self.nodes.get(id).and_then(|node| node.children.first().copied());
        std::iter::successors(Some(ROOT), first).collect()
    }

    /// The moves that lead to a position.
    pub fn moves_to(&self, to: NodeId) -> Vec<String> {
        let nodes = self.path(to).into_iter().filter_map(|id| self.nodes.get(&id));
        nodes.map(|node| node.text.clone()).filter(|text| !text.is_empty()).collect()
    }

    /// The `position` command that leads to a position, with all moves from the start.
    pub fn command_to(&self, to: NodeId) -> String {
        Command::Position { start: Start::Fen(self.start().line()), moves: self.moves_to(to) }
            .to_string()
    }

    /// Who is to move where the game stands.
    pub fn turn(&self) -> Option<Player> {
        self.board(self.head).ok().and_then(|board| board.turn())
    }

    /// The seat that is to move where the game stands.
    pub fn seat_to_move(&self) -> Option<&Seat> {
        let [black, white] = &self.seats;
        self.turn().map(|player| if player == Player::Black { black } else { white })
    }

    /// Plays a move. Where the game stands it is a move of the game, if it is made by whoever is to move; anywhere else it is a variation.
    ///
    /// # Errors
    /// [`GameFault`]; then nothing has changed.
    pub fn play(&mut self, from: NodeId, text: &str, by: By) -> Result<Played, GameFault> {
        let board = self.board(from)?.play(text)?;
        let is_theirs = self.seat_to_move().is_some_and(|seat| match by {
            By::Person => !seat.is_engine(),
            By::Engine => seat.is_engine(),
            By::Nobody => false,
        });
        let in_game =
            from == self.head && is_theirs && matches!(self.state, State::Playing | State::Paused);
        let existing = self.child(from, &board.last());
        if existing.is_none() && self.nodes.len() >= MOST_NODES {
            return Err(GameFault::Full);
        }
        let node = existing.unwrap_or_else(|| self.add(from, board));
        if in_game {
            let ms = self.turn.elapsed();
            if let Some(node) = self.nodes.get_mut(&node) {
                node.ms = (self.state == State::Playing).then_some(ms);
            }
            self.prefer(node);
            self.move_head(node);
        }
        self.changed = now();
        Ok(Played { node, is_new: existing.is_none(), in_game })
    }

    fn child(&self, from: NodeId, text: &str) -> Option<NodeId> {
        let node = self.nodes.get(&from)?;
        node.children
            .iter()
            .copied()
            .find(|id| self.nodes.get(id).is_some_and(|child| child.text == text))
    }

    fn add(&mut self, parent: NodeId, board: Board) -> NodeId {
        let id = self.next;
        self.next += 1;
        // As the rules write it: it goes to engines and into files.
        let text = board.last();
        self.nodes
            .insert(id, Node { parent: Some(parent), text, children: Vec::new(), ms: None, board });
        if let Some(parent) = self.nodes.get_mut(&parent) {
            parent.children.push(id);
        }
        id
    }

    /// Adds a position as it was, for a game that is read from a file.
    ///
    /// # Errors
    /// [`GameFault`]: the position before is missing, the move is not legal there, the number is taken or the last there is, or the game is full.
    pub fn restore(
        &mut self,
        id: NodeId,
        parent: NodeId,
        text: &str,
        ms: Option<u64>,
    ) -> Result<(), GameFault> {
        if self.nodes.len() >= MOST_NODES {
            return Err(GameFault::Full);
        }
        // The last numbers are left for the positions that come.
        if self.nodes.contains_key(&id) || id > NodeId::MAX - MOST_NODES as NodeId {
            return Err(GameFault::Taken(id));
        }
        let board = self.board(parent)?.play(text)?;
        self.next = id;
        self.add(parent, board);
        self.next = self.nodes.last_key_value().map_or(id, |(&last, _)| last).saturating_add(1);
        if let Some(node) = self.nodes.get_mut(&id) {
            node.ms = ms;
        }
        Ok(())
    }

    /// Makes this position the first of those that follow the one before it.
    fn prefer(&mut self, id: NodeId) {
        let parent = self.nodes.get(&id).and_then(|node| node.parent);
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
            parent.children.retain(|&child| child != id);
            parent.children.insert(0, id);
        }
    }

    /// The game stands here from now on; the time of the turn begins.
    fn move_head(&mut self, node: NodeId) {
        self.head = node;
        self.turn = Turn { spent: 0, since: self.turn.since.map(|_| Instant::now()) };
        self.judge();
    }

    /// Whether the rules have ended the game where it stands.
    fn judge(&mut self) {
        let outcome = self.board(self.head).ok().and_then(|board| board.outcome());
        if let Some(outcome) = outcome {
            self.end(outcome.into(), BY_RULES);
        }
    }

    fn end(&mut self, result: GameScore, reason: &str) {
        self.hold();
        self.state = State::Over;
        self.verdict = Some(Verdict { result, reason: reason.to_owned() });
        self.changed = now();
    }

    /// Goes back to the last position in which a person had a choice; without persons, by one ply, and pauses.
    ///
    /// # Errors
    /// There is none, or the game is only looked at.
    pub fn take_back(&mut self) -> Result<(), GameFault> {
        if self.state == State::Free {
            return Err(GameFault::NotPlaying);
        }
        let persons = self.seats.each_ref().map(|seat| !seat.is_engine());
        let is_choice = |id: &NodeId| {
            let Ok(board) = self.board(*id) else { return false };
            let theirs =
                board.turn().is_some_and(|player| persons.get(player.index()) == Some(&true));
            persons == [false; 2] || theirs && board.legal().len() > 1
        };
        let before = self
            .path(self.head)
            .into_iter()
            .rev()
            .skip(1)
            .find(is_choice)
            .ok_or(GameFault::Nothing)?;
        self.return_to(before);
        if persons == [false; 2] {
            self.pause(true);
        }
        Ok(())
    }

    /// Plays on from a position.
    ///
    /// # Errors
    /// There is no such position, or the game is over there.
    pub fn go_on(&mut self, from: NodeId) -> Result<(), GameFault> {
        if self.board(from)?.outcome().is_some() {
            return Err(GameFault::Over);
        }
        for id in self.path(from).into_iter().skip(1) {
            self.prefer(id);
        }
        self.return_to(from);
        Ok(())
    }

    fn return_to(&mut self, node: NodeId) {
        self.state = State::Playing;
        self.verdict = None;
        // It is another game from now on, whatever its moves.
        self.source = None;
        if !self.path(node).contains(&self.clock.map_or(ROOT, |clock| clock.since))
            && let Some(clock) = &mut self.clock
        {
            clock.since = node;
        }
        self.move_head(node);
        self.changed = now();
    }

    /// A person gives up: the only one, or the one to move of two.
    ///
    /// # Errors
    /// The game is not being played, or no person plays.
    pub fn resign(&mut self) -> Result<(), GameFault> {
        let (State::Playing | State::Paused, Some(turn)) = (self.state, self.turn()) else {
            return Err(GameFault::NotPlaying);
        };
        let loser = match self.seats.each_ref().map(Seat::is_engine) {
            [false, false] => turn,
            [false, true] => Player::Black,
            [true, false] => Player::White,
            [true, true] => return Err(GameFault::NoPerson),
        };
        self.end(Outcome::Win(!loser).into(), RESIGNATION);
        Ok(())
    }

    /// Pauses, or goes on.
    pub fn pause(&mut self, on: bool) {
        match (self.state, on) {
            (State::Playing, true) => {
                self.hold();
                self.state = State::Paused;
            }
            (State::Paused, false) => self.state = State::Playing,
            _ => {}
        }
        self.changed = now();
    }

    /// Makes the variation with this position the main line.
    ///
    /// # Errors
    /// There is no such position.
    pub fn promote(&mut self, id: NodeId) -> Result<(), GameFault> {
        self.node(id)?;
        for id in self.path(id).into_iter().skip(1) {
            self.prefer(id);
        }
        self.changed = now();
        Ok(())
    }

    /// Removes a position and all after it. If the game stands there, it goes back to the position before, and is only looked at.
    ///
    /// # Errors
    /// There is no such position, or it is the start.
    pub fn prune(&mut self, id: NodeId) -> Result<(), GameFault> {
        let parent = self.node(id)?.parent.ok_or(GameFault::Start)?;
        if self.path(self.head).contains(&id) {
            self.hold();
            self.state = State::Free;
            self.verdict = None;
            self.head = parent;
        }
        if self.clock.is_some_and(|clock| self.path(clock.since).contains(&id)) {
            self.clock = None;
        }
        if let Some(parent) = self.nodes.get_mut(&parent) {
            parent.children.retain(|&child| child != id);
        }
        let mut doomed = vec![id];
        while let Some(id) = doomed.pop() {
            self.evals.remove(&id);
            self.marks.remove(&id);
            doomed.extend(self.nodes.remove(&id).into_iter().flat_map(|node| node.children));
        }
        self.changed = now();
        Ok(())
    }

    /// Remembers what an engine thinks, if it is the best that is known of the position.
    pub fn learn(&mut self, id: NodeId, eval: Eval) -> bool {
        let is_better = self
            .evals
            .get(&id)
            .is_none_or(|known| (eval.proven, eval.nodes) >= (known.proven, known.nodes));
        let is_news = self.nodes.contains_key(&id) && is_better;
        if is_news {
            self.evals.insert(id, eval);
        }
        is_news
    }
}

//! A game: the tree of its positions, the players, the clocks and the result.

mod clock;
mod error;
mod parts;

use std::collections::BTreeMap;

use basho::sheet::GameScore;
use oshi::game::{Outcome, Player};
use oshi::protocol::{Command, Start};

use crate::board::Board;
use clock::TurnTimer;
pub use error::GameError;
pub use parts::{
    BY_RULES, Clock, Eval, GameId, MAX_TIME_MS, Mark, MarkKind, NodeId, RESIGNATION, ROOT,
    ScoreText, Seat, SeatKind, Source, State, Summary, TIME, Timestamp, Verdict, milliseconds,
};

/// Maximum number of positions of a game, which bounds its memory.
pub const MAX_NODES: usize = 20_000;

/// A position of a game.
pub struct Node {
    /// Previous position. `None` for the start.
    pub parent: Option<NodeId>,
    /// Move from the previous position. Empty for the start.
    pub text: String,
    /// Next positions. The first one continues the main line.
    pub children: Vec<NodeId>,
    /// Time of the move in milliseconds, if known.
    pub ms: Option<u64>,
    /// The position by the rules.
    pub board: Board,
}

/// A game.
pub struct Game {
    /// Id on this server.
    pub id: GameId,
    /// Source of an imported game. Empty for a game played here.
    pub title: String,
    /// Players of Black and White.
    pub seats: [Seat; 2],
    /// Clock settings. `None` for a game without clocks.
    pub clock: Option<Clock>,
    /// Current position. Later positions are analysis.
    pub head: NodeId,
    /// Whether the game is in progress.
    pub state: State,
    /// Result, once the game is over.
    pub verdict: Option<Verdict>,
    /// Evaluations by position.
    pub evals: BTreeMap<NodeId, Eval>,
    /// Marks of a review, by the position after the move.
    pub marks: BTreeMap<NodeId, Mark>,
    /// Summaries of the last complete review.
    pub summary: Option<[Summary; 2]>,
    /// Start of a game played here, in milliseconds since 1970.
    pub begun: Option<u64>,
    /// Last change, in milliseconds since 1970.
    pub changed: u64,
    /// More data of an imported game.
    pub source: Option<Source>,
    nodes: BTreeMap<NodeId, Node>,
    next: NodeId,
    turn: TurnTimer,
}

/// The author of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// A person at a page.
    Person,
    /// The engine to move.
    Engine,
    /// A viewer: the move is always a variation.
    Viewer,
}

/// The result of [`Game::play`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// Position after the move.
    pub node: NodeId,
    /// Whether the move was played in the game, not as a variation.
    pub in_game: bool,
}

impl Game {
    /// Starts a game at a position, with a clock of `(ms, inc)`.
    pub fn new(
        id: GameId,
        board: Board,
        seats: [Seat; 2],
        clock: Option<(u64, u64)>,
        now: Timestamp,
    ) -> Game {
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
            changed: now.unix_ms,
            source: None,
            nodes: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
            turn: TurnTimer::default(),
        };
        game.end_by_rules(now);
        game
    }

    /// Plays opening moves, which take no time.
    ///
    /// # Errors
    /// [`GameError`]: a move is illegal.
    pub fn play_opening(&mut self, moves: &[String], now: Timestamp) -> Result<(), GameError> {
        let mut last = self.head;
        for text in moves {
            let board = self.board(last)?.play(text)?;
            last = self.add(last, board);
        }
        self.move_head(last, now);
        Ok(())
    }

    /// Returns a position by its id.
    ///
    /// # Errors
    /// [`GameError::Node`].
    pub fn node(&self, id: NodeId) -> Result<&Node, GameError> {
        self.nodes.get(&id).ok_or(GameError::Node(id))
    }

    /// Returns the board of a position.
    ///
    /// # Errors
    /// [`GameError::Node`].
    pub fn board(&self, id: NodeId) -> Result<&Board, GameError> {
        self.node(id).map(|node| &node.board)
    }

    /// Returns the board of the starting position.
    pub fn start(&self) -> &Board {
        let root = self.nodes.get(&ROOT).or_else(|| self.nodes.values().next());
        #[expect(clippy::expect_used, reason = "`new` adds the root and `prune` never removes it")]
        &root.expect("a game has a start").board
    }

    /// Returns all positions in depth-first order: parents first, the main line before variations.
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

    /// Returns the ids of the positions from the start to `to`.
    pub fn path(&self, to: NodeId) -> Vec<NodeId> {
        let parent = |id: &NodeId| self.nodes.get(id).and_then(|node| node.parent);
        let mut path: Vec<NodeId> = std::iter::successors(Some(to), parent).collect();
        path.reverse();
        path
    }

    /// Returns the ids of the main line, starting with the root.
    pub fn main_line(&self) -> Vec<NodeId> {
        let first =
            |id: &NodeId| self.nodes.get(id).and_then(|node| node.children.first().copied());
        std::iter::successors(Some(ROOT), first).collect()
    }

    /// Returns the moves from the start to a position.
    pub fn moves_to(&self, to: NodeId) -> Vec<String> {
        let nodes = self.path(to).into_iter().filter_map(|id| self.nodes.get(&id));
        nodes.map(|node| node.text.clone()).filter(|text| !text.is_empty()).collect()
    }

    /// Returns the `position` command of a position, with all moves from the start.
    pub fn command_to(&self, to: NodeId) -> String {
        Command::Position { start: Start::Fen(self.start().line()), moves: self.moves_to(to) }
            .to_string()
    }

    /// Returns the side to move at the current position.
    pub fn turn(&self) -> Option<Player> {
        self.board(self.head).ok().and_then(|board| board.turn())
    }

    /// Returns the player to move at the current position.
    pub fn seat_to_move(&self) -> Option<&Seat> {
        let [black, white] = &self.seats;
        self.turn().map(|player| if player == Player::Black { black } else { white })
    }

    /// Plays a move. At the current position the move of the player to move is a move of the
    /// game. Every other move is a variation.
    ///
    /// # Errors
    /// [`GameError`]: the game is unchanged.
    pub fn play(
        &mut self,
        from: NodeId,
        text: &str,
        by: By,
        now: Timestamp,
    ) -> Result<Played, GameError> {
        let board = self.board(from)?.play(text)?;
        let is_author_to_move = self.seat_to_move().is_some_and(|seat| match by {
            By::Person => !seat.is_engine(),
            By::Engine => seat.is_engine(),
            By::Viewer => false,
        });
        let in_game = from == self.head
            && is_author_to_move
            && matches!(self.state, State::Playing | State::Paused);
        let existing = self.child(from, &board.last_move());
        if existing.is_none() && self.nodes.len() >= MAX_NODES {
            return Err(GameError::Full);
        }
        let node = existing.unwrap_or_else(|| self.add(from, board));
        if in_game {
            let ms = self.turn.elapsed(now);
            if let Some(node) = self.nodes.get_mut(&node) {
                node.ms = (self.state == State::Playing).then_some(ms);
            }
            self.put_first(node);
            self.move_head(node, now);
        }
        self.changed = now.unix_ms;
        Ok(Played { node, in_game })
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
        // Engines and files get the canonical text of the move.
        let text = board.last_move();
        self.nodes
            .insert(id, Node { parent: Some(parent), text, children: Vec::new(), ms: None, board });
        if let Some(parent) = self.nodes.get_mut(&parent) {
            parent.children.push(id);
        }
        id
    }

    /// Adds a position with its stored id and time.
    ///
    /// # Errors
    /// [`GameError`]: unknown parent, illegal move, invalid id, or a full game.
    pub fn restore(
        &mut self,
        id: NodeId,
        parent: NodeId,
        text: &str,
        ms: Option<u64>,
    ) -> Result<(), GameError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(GameError::Full);
        }
        // The highest ids stay free for later positions.
        if self.nodes.contains_key(&id) || id > NodeId::MAX - MAX_NODES as NodeId {
            return Err(GameError::Taken(id));
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

    /// Moves a position to the front of its siblings.
    fn put_first(&mut self, id: NodeId) {
        let parent = self.nodes.get(&id).and_then(|node| node.parent);
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
            parent.children.retain(|&child| child != id);
            parent.children.insert(0, id);
        }
    }

    /// Makes the line to a position the main line.
    fn put_line_first(&mut self, end: NodeId) {
        for id in self.path(end).into_iter().skip(1) {
            self.put_first(id);
        }
    }

    /// Sets the current position and restarts the timer of the turn.
    fn move_head(&mut self, node: NodeId, now: Timestamp) {
        self.head = node;
        self.turn = TurnTimer { spent: 0, since: self.turn.since.map(|_| now.monotonic) };
        self.end_by_rules(now);
    }

    /// Ends the game if the rules decide the current position.
    fn end_by_rules(&mut self, now: Timestamp) {
        let outcome = self.board(self.head).ok().and_then(|board| board.outcome());
        if let Some(outcome) = outcome {
            self.end(outcome.into(), BY_RULES, now);
        }
    }

    fn end(&mut self, result: GameScore, reason: &str, now: Timestamp) {
        self.stop_timer(now);
        self.state = State::Over;
        self.verdict = Some(Verdict { result, reason: reason.to_owned() });
        self.changed = now.unix_ms;
    }

    /// Returns to the last position in which a person had a choice. Between two engines, takes
    /// back one ply and pauses.
    ///
    /// # Errors
    /// [`GameError::Nothing`], or [`GameError::NotPlaying`] for a game that is only viewed.
    pub fn take_back(&mut self, now: Timestamp) -> Result<(), GameError> {
        if self.state == State::Free {
            return Err(GameError::NotPlaying);
        }
        let persons = self.seats.each_ref().map(|seat| !seat.is_engine());
        let is_choice = |id: &NodeId| {
            let Ok(board) = self.board(*id) else { return false };
            let is_person =
                board.turn().is_some_and(|player| persons.get(player.index()) == Some(&true));
            persons == [false; 2] || is_person && board.legal().len() > 1
        };
        let before = self
            .path(self.head)
            .into_iter()
            .rev()
            .skip(1)
            .find(is_choice)
            .ok_or(GameError::Nothing)?;
        self.return_to(before, now);
        if persons == [false; 2] {
            self.pause(true, now);
        }
        Ok(())
    }

    /// Resumes play from a position and makes its line the main line.
    ///
    /// # Errors
    /// [`GameError::Node`] or [`GameError::Over`].
    pub fn resume_from(&mut self, from: NodeId, now: Timestamp) -> Result<(), GameError> {
        if self.board(from)?.outcome().is_some() {
            return Err(GameError::Over);
        }
        self.put_line_first(from);
        self.return_to(from, now);
        Ok(())
    }

    fn return_to(&mut self, node: NodeId, now: Timestamp) {
        self.state = State::Playing;
        self.verdict = None;
        // The game is no longer the imported one, even if its moves stay the same.
        self.source = None;
        if !self.path(node).contains(&self.clock.map_or(ROOT, |clock| clock.since))
            && let Some(clock) = &mut self.clock
        {
            clock.since = node;
        }
        self.move_head(node, now);
        self.changed = now.unix_ms;
    }

    /// Resigns for the only person, or for the one to move of two.
    ///
    /// # Errors
    /// [`GameError::NotPlaying`] or [`GameError::NoPerson`].
    pub fn resign(&mut self, now: Timestamp) -> Result<(), GameError> {
        let (State::Playing | State::Paused, Some(turn)) = (self.state, self.turn()) else {
            return Err(GameError::NotPlaying);
        };
        let loser = match self.seats.each_ref().map(Seat::is_engine) {
            [false, false] => turn,
            [false, true] => Player::Black,
            [true, false] => Player::White,
            [true, true] => return Err(GameError::NoPerson),
        };
        self.end(Outcome::Win(!loser).into(), RESIGNATION, now);
        Ok(())
    }

    /// Pauses or resumes a game in progress.
    pub fn pause(&mut self, on: bool, now: Timestamp) {
        match (self.state, on) {
            (State::Playing, true) => {
                self.stop_timer(now);
                self.state = State::Paused;
            }
            (State::Paused, false) => self.state = State::Playing,
            _ => {}
        }
        self.changed = now.unix_ms;
    }

    /// Makes the line to a position the main line.
    ///
    /// # Errors
    /// [`GameError::Node`].
    pub fn promote(&mut self, id: NodeId, now: Timestamp) -> Result<(), GameError> {
        self.node(id)?;
        self.put_line_first(id);
        self.changed = now.unix_ms;
        Ok(())
    }

    /// Removes a position and all positions after it. If the current position is one of them,
    /// the previous one becomes current and the game is only viewed from then on.
    ///
    /// # Errors
    /// [`GameError::Node`] or [`GameError::Start`].
    pub fn prune(&mut self, id: NodeId, now: Timestamp) -> Result<(), GameError> {
        let parent = self.node(id)?.parent.ok_or(GameError::Start)?;
        if self.path(self.head).contains(&id) {
            self.stop_timer(now);
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
        let mut removed = vec![id];
        while let Some(id) = removed.pop() {
            self.evals.remove(&id);
            self.marks.remove(&id);
            removed.extend(self.nodes.remove(&id).into_iter().flat_map(|node| node.children));
        }
        self.changed = now.unix_ms;
        Ok(())
    }

    /// Stores an evaluation unless a better one is known: proven first, then more nodes. Returns
    /// true if it was stored.
    pub fn record_eval(&mut self, id: NodeId, eval: Eval) -> bool {
        let is_better = self
            .evals
            .get(&id)
            .is_none_or(|known| (eval.proven, eval.nodes) >= (known.proven, known.nodes));
        let is_stored = self.nodes.contains_key(&id) && is_better;
        if is_stored {
            self.evals.insert(id, eval);
        }
        is_stored
    }
}

//! The table that is played at: a position of some game and the searcher for it, behind one type for all games.

use std::any::Any;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::events::{Event, spawn_thinker};
use super::options::{Horizon, Values};
use super::report;
use crate::draw::Draw;
use crate::game::{Estimate, Game, MoveError, Outcome, Player};
use crate::games::Visitor;
use crate::perft::perft;
use crate::protocol::{Go, Reply};
use crate::search::{Budget, Clock, Control, Limits, Searcher, Settings};

/// A move of a list that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number} of the list: {error}")]
pub struct PlayError {
    /// Its place in the list, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// Why a search cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// One of the `searchmoves` cannot be played.
    #[error("searchmoves: {0}")]
    Move(#[from] MoveError),
    /// The system gives no thread.
    #[error("no thread to search on: {0}")]
    Thread(#[from] io::Error),
}

/// How a search is to be done, beside its limits.
pub struct Manner<'a> {
    /// The options.
    pub values: &'a Values,
    /// Whether the answer names a move to ponder on.
    pub with_ponder: bool,
    /// Ends the search.
    pub control: Arc<Control>,
    /// Where the search reports.
    pub events: SyncSender<Event>,
}

/// A position of some game, and the searcher for it.
pub trait Table: Any {
    /// Takes over what the table before has learnt, if it was of the same game.
    fn adopt(&mut self, before: Box<dyn Table>);

    /// Plays all the moves, or none.
    ///
    /// # Errors
    /// [`PlayError`] names the first that cannot be played.
    fn play(&mut self, moves: &[String]) -> Result<(), PlayError>;

    /// Whose turn it is.
    fn turn(&self) -> Player;

    /// The result, if the match is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The board with its legal moves and position line.
    fn board(&self) -> String;

    /// The board as an SVG document, with the last move that was played here.
    fn svg(&self) -> String;

    /// What is thought of the position without search.
    fn estimate(&self) -> Reply;

    /// Makes the searcher, so that no search need lose time on it.
    fn prepare(&mut self, settings: Settings);

    /// Forgets all positions seen.
    fn clear(&mut self);

    /// Begins a search, whose thread ends with [`Event::Done`]; then call [`end_search`](Table::end_search). Says whether the
    /// search has no limit.
    ///
    /// # Errors
    /// [`SearchError`]; no search is under way then.
    fn begin_search(&mut self, go: &Go, manner: Manner<'_>) -> Result<bool, SearchError>;

    /// Takes the searcher back from its thread.
    fn end_search(&mut self);

    /// Begins to count leaves, on a thread that ends with [`Event::Done`].
    ///
    /// # Errors
    /// The system gives no thread.
    fn begin_perft(&self, depth: u32, control: Arc<Control>, events: SyncSender<Event>) -> io::Result<()>;
}

/// Makes the table for whichever game it is shown.
pub struct SetUp {
    /// The seed, if the start is to be drawn at random.
    pub seed: Option<u64>,
}

impl Visitor for SetUp {
    type Output = Box<dyn Table>;

    fn visit<G: Estimate + Draw>(self, position: G) -> Self::Output {
        let position = match self.seed {
            Some(seed) => position.random_start(&mut ChaCha8Rng::seed_from_u64(seed)),
            None => position,
        };
        Box::new(GameTable { position, last: None, searcher: None, search: None })
    }
}

struct GameTable<G: Game> {
    position: G,
    /// The move that led to the position, if one was played.
    last: Option<G::Move>,
    searcher: Option<Searcher<G>>,
    /// The search under way; it holds the searcher.
    search: Option<JoinHandle<Searcher<G>>>,
}

impl<G: Estimate> GameTable<G> {
    fn limits(&self, go: &Go, values: &Values) -> Result<Limits<G::Move>, MoveError> {
        let search_moves = go.search_moves.iter().map(|text| self.position.parse_move(text)).collect::<Result<_, _>>()?;
        let limits = Limits { search_moves, lines: values.lines, ..Limits::default() };
        if go.infinite {
            return Ok(limits);
        }
        let player = self.position.turn().index();
        let clock = go.time.get(player).copied().flatten().map(|remaining| {
            let increment = go.increment.get(player).copied().flatten().unwrap_or_default();
            let budget = Budget::from_clock(Clock { remaining, increment, moves_to_go: go.moves_to_go }, values.move_overhead);
            if self.position.closes_round() { budget.doubled() } else { budget }
        });
        Ok(Limits {
            nodes: go.nodes,
            depth: go.depth,
            mate: go.mate,
            time: go.move_time.map(Budget::exactly).or(clock),
            ..limits
        })
    }
}

impl<G: Estimate + Draw> Table for GameTable<G> {
    fn adopt(&mut self, before: Box<dyn Table>) {
        let before: Box<dyn Any> = before;
        if let Ok(before) = before.downcast::<Self>() {
            self.searcher = before.searcher;
        }
    }

    fn play(&mut self, moves: &[String]) -> Result<(), PlayError> {
        let (mut position, mut last) = (self.position, self.last);
        for (number, text) in (1..).zip(moves) {
            let mv = position.parse_move(text).map_err(|error| PlayError { number, error })?;
            position.play(mv);
            last = Some(mv);
        }
        (self.position, self.last) = (position, last);
        Ok(())
    }

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn board(&self) -> String {
        let mut board = self.position.picture();
        board.push_str("Legal moves:");
        for mv in self.position.legal_moves() {
            let _ = write!(board, " {mv}");
        }
        let _ = write!(board, "\nFen: {}", self.position);
        board
    }

    fn svg(&self) -> String {
        self.position.svg(self.last)
    }

    fn estimate(&self) -> Reply {
        report::estimate(&self.position)
    }

    fn prepare(&mut self, settings: Settings) {
        match &mut self.searcher {
            Some(searcher) => searcher.configure(settings),
            None => self.searcher = Some(Searcher::new(settings)),
        }
    }

    fn clear(&mut self) {
        if let Some(searcher) = &mut self.searcher {
            searcher.clear();
        }
    }

    fn begin_search(&mut self, go: &Go, manner: Manner<'_>) -> Result<bool, SearchError> {
        let mut limits = self.limits(go, manner.values)?;
        let position = match manner.values.horizon {
            Horizon::Match => self.position,
            Horizon::Round => self.position.round_only(),
        };
        let settings = manner.values.search_settings();
        let mut searcher = self.searcher.take().unwrap_or_else(|| Searcher::new(settings));
        searcher.configure(settings);
        if let Some(strength) = manner.values.strength() {
            limits = strength.limit(&position, limits, settings.seed);
            // What was learnt with earlier moves would make up for what is not looked at with this one.
            searcher.clear();
        }
        let unlimited = limits.nodes.is_none() && limits.depth.is_none() && limits.mate.is_none() && limits.time.is_none();
        let Manner { with_ponder, control, events, .. } = manner;
        self.search = Some(spawn_thinker(events, move |say| {
            let report = searcher.run(&position, &limits, &control, &mut |report| say(report::infos(report)));
            say(report::last_infos(&position, &report));
            (searcher, Some(report::best_move(&position, &report, with_ponder)))
        })?);
        Ok(unlimited)
    }

    fn end_search(&mut self) {
        if let Some(search) = self.search.take() {
            // A thread that has panicked gives nothing back: the next search makes a new searcher.
            self.searcher = search.join().ok();
        }
    }

    fn begin_perft(&self, depth: u32, control: Arc<Control>, events: SyncSender<Event>) -> io::Result<()> {
        let position = self.position;
        spawn_thinker(events, move |say| {
            let mut total = 0;
            for mv in position.legal_moves() {
                let mut next = position;
                next.play(mv);
                let Some(leaves) = count_leaves(&next, depth - 1, &control) else {
                    say(vec![Reply::remark("perft stopped")]);
                    return ((), None);
                };
                total += leaves;
                say(vec![Reply::Other(format!("{mv}: {leaves}"))]);
            }
            say(vec![Reply::Other(String::new()), Reply::Other(format!("Nodes searched: {total}"))]);
            ((), None)
        })
        .map(|_| ())
    }
}

/// The leaves `depth` plies away; `None` if the control stops the count.
fn count_leaves<G: Game>(position: &G, depth: u32, control: &Control) -> Option<u64> {
    // Counts this deep take a millisecond or so: no need to look at the control in between.
    const QUICK: u32 = 3;
    if control.is_stopped() {
        None
    } else if depth <= QUICK {
        Some(perft(position, depth))
    } else {
        position.legal_moves().into_iter().try_fold(0, |leaves, mv| {
            let mut next = *position;
            next.play(mv);
            Some(leaves + count_leaves(&next, depth - 1, control)?)
        })
    }
}

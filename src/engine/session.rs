//! The session: a position of some game and its searcher, behind one type for all games.

use std::any::Any;
use std::fmt::Write as _;
use std::sync::Arc;

use super::events::JobResult;
use super::options::{Horizon, Values};
use super::report;
use crate::draw::Draw;
use crate::game::{Evaluator, Game, MoveError, Outcome, PlayError, Player, Searchable};
use crate::games::SearchVisitor;
use crate::games::movetext::{read_all, read_choices};
use crate::games::notation::Notation;
use crate::perft::divide;
use crate::protocol::{Go, Reply};
use crate::search::{Clock, Control, Limits, MoveTime, Searcher, Settings};

/// An `undo` of more plies than were played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("plies to take back: {asked}; expected at most {played}, as many as were played here")]
pub struct UndoError {
    asked: usize,
    played: usize,
}

/// The parameters of a search, besides its limits.
pub struct SearchParams<'a> {
    /// The options.
    pub values: &'a Values,
    /// Ends the search.
    pub control: Arc<Control>,
}

/// The work of a thread, which may print lines before its result.
pub type Job = Box<dyn FnOnce(&dyn Fn(Vec<Reply>)) -> JobResult + Send>;

/// A position of some game, and the searcher for it.
pub trait Session: Any {
    /// Takes over the searcher of the previous session, if it was of the same game.
    fn reuse_searcher(&mut self, before: Box<dyn Session>);

    /// Plays the moves of a list, given by its words. With an error, the position stays as it was.
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

    /// The static evaluation of the position.
    fn static_evaluation(&self) -> Reply;

    /// The legal moves.
    fn legal_moves(&self) -> Vec<String>;

    /// Takes back the last plies that were played here.
    ///
    /// # Errors
    /// [`UndoError`] if fewer were played; then nothing is taken back.
    fn undo(&mut self, plies: usize) -> Result<(), UndoError>;

    /// Makes the searcher, so that the next search loses no time on it.
    fn prepare(&mut self, settings: Settings);

    /// Makes the next search start without any memory of earlier ones.
    fn forget(&mut self);

    /// The job of a search, and whether it has a limit. The searcher is lent to it: return it by [`return_searcher`](Session::return_searcher).
    ///
    /// # Errors
    /// One of the `searchmoves` cannot be played.
    fn search(&mut self, go: &Go, params: SearchParams<'_>) -> Result<(Job, bool), MoveError>;

    /// Takes the searcher back.
    fn return_searcher(&mut self, searcher: Box<dyn Any + Send>);

    /// The job of counting leaves.
    fn perft(&self, depth: u32, control: Arc<Control>) -> Job;
}

/// Makes the session for a position of any game.
pub struct NewSession;

impl SearchVisitor for NewSession {
    type Output = Box<dyn Session>;

    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> Self::Output {
        Box::new(GameSession { position, played: Vec::new(), searcher: None, is_stale: false })
    }
}

struct GameSession<G: Game> {
    position: G,
    /// The moves that were played here, each with the position before it.
    played: Vec<(G, G::Move)>,
    /// `None` while it is lent to a search.
    searcher: Option<Searcher<G>>,
    /// Whether the searcher is to be cleared before it searches again, which may take a while.
    is_stale: bool,
}

impl<G: Searchable + Notation> GameSession<G> {
    fn limits(&self, go: &Go, values: &Values) -> Result<Limits<G::Move>, MoveError> {
        let search_moves = read_choices(&self.position, &go.search_moves.join(" "))?;
        let limits = Limits { search_moves, lines: values.lines, ..Limits::default() };
        if go.infinite {
            return Ok(limits);
        }
        let [black, white] = go.clocks();
        let clock = if self.position.turn() == Player::Black { black } else { white };
        let moves_to_come = G::Evaluator::default().expected_moves(&self.position);
        let clock = clock.map(|(remaining, increment)| {
            let budget = MoveTime::from_clock(
                Clock { remaining, increment, moves_to_go: go.moves_to_go, moves_to_come },
                values.move_overhead,
            );
            if self.position.may_end_round() { budget.doubled() } else { budget }
        });
        Ok(Limits {
            nodes: go.nodes,
            depth: go.depth,
            mate: go.mate,
            time: go.move_time.map(MoveTime::exactly).or(clock),
            ..limits
        })
    }
}

impl<G: Searchable + Notation + Draw> Session for GameSession<G> {
    fn reuse_searcher(&mut self, before: Box<dyn Session>) {
        let before: Box<dyn Any> = before;
        if let Ok(before) = before.downcast::<Self>() {
            (self.searcher, self.is_stale) = (before.searcher, before.is_stale);
        }
    }

    fn play(&mut self, moves: &[String]) -> Result<(), PlayError> {
        let (moves, position) = read_all(&self.position, &moves.join(" "))?;
        let mut before = self.position;
        for mv in moves {
            self.played.push((before, mv));
            before.play(mv);
        }
        self.position = position;
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
        self.position.svg(self.played.last().map(|&(_, mv)| mv))
    }

    fn static_evaluation(&self) -> Reply {
        report::static_evaluation(&self.position)
    }

    fn legal_moves(&self) -> Vec<String> {
        self.position.legal_moves().iter().map(ToString::to_string).collect()
    }

    fn undo(&mut self, plies: usize) -> Result<(), UndoError> {
        let played = self.played.len();
        let left = played.checked_sub(plies).ok_or(UndoError { asked: plies, played })?;
        if let Some((position, _)) = self.played.drain(left..).next() {
            self.position = position;
        }
        Ok(())
    }

    fn prepare(&mut self, settings: Settings) {
        let is_stale = std::mem::take(&mut self.is_stale);
        self.searcher = Some(prepared(self.searcher.take(), is_stale, settings));
        // What evaluators work out once for all positions is worked out at the first one.
        let _ = self.static_evaluation();
    }

    fn forget(&mut self) {
        self.is_stale = true;
    }

    fn search(&mut self, go: &Go, params: SearchParams<'_>) -> Result<(Job, bool), MoveError> {
        let SearchParams { values, control } = params;
        let mut limits = self.limits(go, values)?;
        let position = match values.horizon {
            Horizon::Match => self.position,
            Horizon::Round => self.position.round().contest,
        };
        let settings = values.search_settings();
        if let Some(strength) = values.strength() {
            limits = strength.limit(&position, limits, settings.seed);
            // Results of earlier moves would make up for what this search is not to see.
            self.is_stale = true;
        }
        let is_limited = limits.nodes.is_some()
            || limits.depth.is_some()
            || limits.mate.is_some()
            || limits.time.is_some();
        let is_stale = std::mem::take(&mut self.is_stale);
        let searcher = self.searcher.take();
        let job: Job = Box::new(move |say| {
            let mut searcher = prepared(searcher, is_stale, settings);
            let report = searcher
                .run(&position, &limits, &control, &mut |report| say(report::infos(report)));
            JobResult {
                last_lines: report::final_infos(&position, &report),
                answer: Some(report::best_move(&position, &report)),
                lent: Some(Box::new(searcher)),
            }
        });
        Ok((job, is_limited))
    }

    fn return_searcher(&mut self, searcher: Box<dyn Any + Send>) {
        self.searcher = searcher.downcast().ok().map(|searcher| *searcher);
    }

    fn perft(&self, depth: u32, control: Arc<Control>) -> Job {
        let position = self.position;
        Box::new(move |say| {
            let say_count = |mv, leaves| say(vec![Reply::Other(format!("{mv}: {leaves}"))]);
            let Some(total) = divide(&position, depth, || control.is_stopped(), say_count) else {
                return JobResult::lines(vec![Reply::info_string("perft stopped")]);
            };
            JobResult::lines(vec![
                Reply::Other(String::new()),
                Reply::Other(format!("Nodes searched: {total}")),
            ])
        })
    }
}

/// A searcher with these settings: the given one, cleared if it is stale, or a new one.
fn prepared<G: Searchable>(
    searcher: Option<Searcher<G>>,
    is_stale: bool,
    settings: Settings,
) -> Searcher<G> {
    let Some(mut searcher) = searcher else { return Searcher::new(settings) };
    searcher.configure(settings);
    if is_stale {
        searcher.clear();
    }
    searcher
}

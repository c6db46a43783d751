//! A session: the current position of one game and its searcher, behind one type for all games.

use std::any::Any;
use std::fmt::Write as _;
use std::sync::Arc;

use tracing::{debug, debug_span};

use super::error::CommandError;
use super::job::{Job, JobResult};
use super::options::Values;
use super::report;
use crate::draw::Draw;
use crate::game::{Evaluator, Game, MoveError, Outcome, PlayError, Player, Searchable};
use crate::games::SearchVisitor;
use crate::games::movetext::{read_all, read_choices};
use crate::games::notation::Notation;
use crate::perft::divide;
use crate::protocol::{Go, Reply};
use crate::search::{Clock, Control, Limits, MoveTime, Searcher, Settings};

/// Parameters of a search in addition to its limits.
pub struct SearchParams<'a> {
    /// Values of the options.
    pub values: &'a Values,
    /// Stops the search.
    pub control: Arc<Control>,
    /// Whether a last line names the stage that chose the move.
    pub names_stage: bool,
}

/// The current position of a game, and the searcher for the game.
pub trait Session: Any {
    /// Takes over the searcher of the previous session if both are of the same game.
    fn reuse_searcher(&mut self, previous: Box<dyn Session>);

    /// Plays the moves of a list, given by its words. After an error, the position is unchanged.
    ///
    /// # Errors
    /// [`PlayError`] names the first move that cannot be played.
    fn play(&mut self, moves: &[String]) -> Result<(), PlayError>;

    /// Player to move.
    fn turn(&self) -> Player;

    /// Result of the match, if it is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Picture of the board in text, with legal moves and position line.
    fn board(&self) -> String;

    /// Picture of the board as an SVG document, which marks the last move played in this session.
    fn svg(&self) -> String;

    /// Evaluation of the position without search.
    fn static_evaluation(&self) -> Reply;

    /// Legal moves in the position.
    fn legal_moves(&self) -> Vec<String>;

    /// Takes back the last plies that were played in this session.
    ///
    /// # Errors
    /// [`CommandError::Undo`] if fewer plies were played; then nothing is taken back.
    fn undo(&mut self, plies: usize) -> Result<(), CommandError>;

    /// Allocates the searcher, so that the next search starts without delay.
    fn prepare(&mut self, settings: Settings);

    /// Clears the searcher's memory before the next search.
    fn forget(&mut self);

    /// Returns the job of a search, and whether it has a limit. The searcher is lent to the job:
    /// return it by [`return_searcher`](Session::return_searcher).
    ///
    /// # Errors
    /// A word of `searchmoves` is not a legal move.
    fn search(&mut self, go: &Go, params: SearchParams<'_>) -> Result<(Job, bool), MoveError>;

    /// Takes back the searcher that was lent to a job.
    fn return_searcher(&mut self, searcher: Box<dyn Any + Send>);

    /// Returns the job that counts the leaves of the tree of moves.
    fn perft(&self, depth: u32, control: Arc<Control>) -> Job;
}

/// Creates the session for a position of any game.
pub struct NewSession;

impl SearchVisitor for NewSession {
    type Output = Box<dyn Session>;

    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> Self::Output {
        Box::new(GameSession { position, played: Vec::new(), searcher: None, is_stale: false })
    }
}

struct GameSession<G: Game> {
    position: G,
    /// Moves played in this session, each with the position before it.
    played: Vec<(G, G::Move)>,
    /// `None` while the searcher is lent to a search, and before the first one.
    searcher: Option<Searcher<G>>,
    /// Whether the searcher must be cleared before the next search. Clearing may take a while.
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
            MoveTime::from_clock(
                Clock { remaining, increment, moves_to_go: go.moves_to_go, moves_to_come },
                values.move_overhead,
            )
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
    fn reuse_searcher(&mut self, previous: Box<dyn Session>) {
        let previous: Box<dyn Any> = previous;
        if let Ok(previous) = previous.downcast::<Self>() {
            (self.searcher, self.is_stale) = (previous.searcher, previous.is_stale);
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

    fn undo(&mut self, plies: usize) -> Result<(), CommandError> {
        let played = self.played.len();
        let left = played.checked_sub(plies).ok_or(CommandError::Undo { asked: plies, played })?;
        if let Some((position, _)) = self.played.drain(left..).next() {
            self.position = position;
        }
        Ok(())
    }

    fn prepare(&mut self, settings: Settings) {
        let is_stale = std::mem::take(&mut self.is_stale);
        self.searcher = Some(prepared(self.searcher.take(), is_stale, settings));
        // The first evaluation computes tables that all later ones share.
        let _ = self.static_evaluation();
    }

    fn forget(&mut self) {
        self.is_stale = true;
    }

    fn search(&mut self, go: &Go, params: SearchParams<'_>) -> Result<(Job, bool), MoveError> {
        let SearchParams { values, control, names_stage } = params;
        let mut limits = self.limits(go, values)?;
        let position = self.position;
        let settings = values.search_settings();
        if let Some(strength) = values.strength() {
            limits = strength.limit(&position, limits, settings.seed);
            // Results of earlier searches would reveal moves that this one overlooks.
            self.is_stale = true;
        }
        let is_limited = limits.nodes.is_some()
            || limits.depth.is_some()
            || limits.mate.is_some()
            || limits.time.is_some();
        let is_stale = std::mem::take(&mut self.is_stale);
        let searcher = self.searcher.take();
        let span = debug_span!("search", %position, limits = go.to_string().trim_start());
        let job: Job = Box::new(move |print| {
            let _entered = span.entered();
            let mut searcher = prepared(searcher, is_stale, settings);
            let report = searcher
                .run(&position, &limits, &control, &mut |report| print(report::infos(report)));
            debug!(nodes = report.nodes, depth = report.depth, elapsed = ?report.elapsed, "done");
            let mut last_lines = report::final_infos(&position, &report);
            let stage = report.stage.filter(|_| names_stage);
            last_lines.extend(stage.map(|stage| Reply::info_string(format!("stage {stage}"))));
            JobResult {
                last_lines,
                answer: Some(report::best_move(&position, &report)),
                searcher: Some(Box::new(searcher)),
            }
        });
        Ok((job, is_limited))
    }

    fn return_searcher(&mut self, searcher: Box<dyn Any + Send>) {
        self.searcher = searcher.downcast().ok().map(|searcher| *searcher);
    }

    fn perft(&self, depth: u32, control: Arc<Control>) -> Job {
        let position = self.position;
        Box::new(move |print| {
            let print_count = |mv, leaves| print(vec![Reply::Other(format!("{mv}: {leaves}"))]);
            let Some(total) = divide(&position, depth, || control.is_stopped(), print_count) else {
                return JobResult::lines(vec![Reply::info_string("perft stopped")]);
            };
            JobResult::lines(vec![
                Reply::Other(String::new()),
                Reply::Other(format!("Nodes searched: {total}")),
            ])
        })
    }
}

/// Returns a searcher with these settings: a new one, or the given one, cleared if it is stale.
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

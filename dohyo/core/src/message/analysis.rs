//! Evaluations, analyses and reviews, as a page reads them.

use std::collections::BTreeMap;

use oshi::games::language::Language;
use oshi::protocol::Info;
use serde::Serialize;

use crate::board::SceneView;
use crate::event::{Analysis, Thinking};
use crate::game::{Eval, Game, GameId, Mark, MarkKind, NodeId, ScoreText, Summary, milliseconds};
use crate::search_output::{for_black, win_probability};

/// Maximum number of plies of a line in an analysis.
const MAX_LINE_PLIES: usize = 40;

/// An evaluation of a position.
#[derive(Clone, Debug, Serialize)]
pub struct EvalView {
    /// Win probability of Black, 0 to 1.
    pub black: f64,
    /// The engine's score, from the view of the side to move.
    pub score: ScoreText,
    /// Whether the evaluation is proven.
    pub proven: bool,
    /// The best move.
    pub best: Option<String>,
    /// Name of the best move.
    #[serde(rename = "bestName")]
    pub best_name: Option<String>,
    /// Names of the moves of the best line.
    pub line: Vec<String>,
    /// Search time in milliseconds, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Searched nodes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A reviewer's mark of a bad move.
#[derive(Clone, Debug, Serialize)]
pub struct MarkView {
    /// Severity of the move.
    pub kind: MarkKind,
    /// The better move.
    pub better: String,
    /// Name of the better move.
    #[serde(rename = "betterName")]
    pub better_name: String,
    /// The lost good: `win`, `draw`, `break`, `refill` or `chance`.
    pub why: String,
    /// Lost win probability, 0 to 1.
    pub loss: f64,
    /// Whether the better move is proven.
    pub proven: bool,
}

impl EvalView {
    /// Returns an evaluation of a position with the names of its moves.
    pub fn of(game: &Game, id: NodeId, eval: &Eval, language: Language) -> EvalView {
        let steps =
            game.board(id).map(|board| board.replay(&eval.line, language)).unwrap_or_default();
        EvalView {
            black: eval.black,
            score: eval.score,
            proven: eval.proven,
            best: eval.line.first().cloned(),
            best_name: steps.first().map(|step| step.name.clone()),
            line: steps.into_iter().map(|step| step.name).collect(),
            ms: eval.ms,
            nodes: eval.nodes,
        }
    }
}

impl MarkView {
    /// Returns the mark of the move to a position with the name of the better move.
    pub fn of(game: &Game, id: NodeId, mark: &Mark, language: Language) -> MarkView {
        let before = game.node(id).ok().and_then(|node| game.board(node.parent?).ok());
        let steps = before
            .map(|board| board.replay(std::slice::from_ref(&mark.better), language))
            .unwrap_or_default();
        MarkView {
            kind: mark.kind,
            better: mark.better.clone(),
            better_name: steps.into_iter().next().map(|step| step.name).unwrap_or_default(),
            why: mark.why.clone(),
            loss: mark.loss,
            proven: mark.proven,
        }
    }
}

/// State of an engine's search for its move.
#[derive(Clone, Debug, Serialize)]
pub struct ThinkingView {
    /// Id of the game.
    pub game: GameId,
    /// Position of the search.
    pub node: NodeId,
    /// Side of the engine: 0 Black, 1 White.
    pub side: u8,
    /// Start of the search, in milliseconds since 1970.
    pub since: u64,
    /// Score of the best line.
    pub score: Option<ScoreText>,
    /// Win probability of Black, 0 to 1.
    pub black: Option<f64>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Searched nodes.
    pub nodes: Option<u64>,
    /// Names of the moves of the best line.
    pub line: Vec<String>,
}

impl ThinkingView {
    /// Returns the state of a search in a game.
    pub fn of(game: &Game, thinking: &Thinking, language: Language) -> ThinkingView {
        let best = thinking.output.best();
        let steps =
            best.and_then(|info| Some(game.board(thinking.node).ok()?.replay(&info.pv, language)));
        ThinkingView {
            game: game.id.clone(),
            node: thinking.node,
            side: thinking.side as u8,
            since: thinking.since,
            score: best.and_then(|info| info.score).map(ScoreText::from),
            black: best.and_then(win_probability).map(|chance| for_black(chance, thinking.side)),
            depth: best.and_then(|info| info.depth),
            nodes: best.and_then(|info| info.nodes),
            line: steps.into_iter().flatten().map(|step| step.name).collect(),
        }
    }
}

/// Output of an analysis.
#[derive(Clone, Debug, Serialize)]
pub struct AnalysisView {
    /// Id of the game.
    pub game: GameId,
    /// Analysed position.
    pub node: NodeId,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Searched nodes.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Search time in milliseconds.
    pub ms: u64,
    /// Lines, the best first.
    pub lines: Vec<LineView>,
}

/// A line of an analysis.
#[derive(Clone, Debug, Serialize)]
pub struct LineView {
    /// The engine's score, from the view of the side to move.
    pub score: ScoreText,
    /// Probabilities of a win, a draw and a loss of the side to move, in permille.
    pub wdl: Option<[u32; 3]>,
    /// Win probability of Black, 0 to 1.
    pub black: f64,
    /// Whether the score is proven.
    pub proven: bool,
    /// Texts of the moves.
    pub moves: Vec<String>,
    /// Names of the moves.
    pub names: Vec<String>,
    /// Scene after each move.
    pub scenes: Vec<SceneView>,
    /// Origin and target of the first move. Empty for a move without places.
    pub arrows: Vec<[Option<u8>; 2]>,
}

impl AnalysisView {
    /// Returns the output of an analysis in a game, or `None` if the position was removed.
    pub fn of(game: &Game, analysis: &Analysis, language: Language) -> Option<AnalysisView> {
        let board = game.board(analysis.node).ok()?;
        let turn = board.turn()?;
        let output = &analysis.output;
        let line = |info: &Info| {
            let steps = board.replay(info.pv.get(..MAX_LINE_PLIES).unwrap_or(&info.pv), language);
            let arrow = steps
                .first()
                .map(|step| [step.scene.from, step.scene.to])
                .filter(|arrow| arrow != &[None; 2]);
            Some(LineView {
                score: info.score?.into(),
                wdl: info.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
                black: for_black(win_probability(info)?, turn),
                proven: output.is_line_proven(info),
                moves: steps.iter().map(|step| step.text.clone()).collect(),
                names: steps.iter().map(|step| step.name.clone()).collect(),
                scenes: steps.into_iter().map(|step| step.scene).collect(),
                arrows: arrow.into_iter().collect(),
            })
        };
        let best = output.best();
        Some(AnalysisView {
            game: game.id.clone(),
            node: analysis.node,
            depth: best.and_then(|info| info.depth),
            nodes: best.and_then(|info| info.nodes).unwrap_or(0),
            nps: best.and_then(|info| info.nps),
            ms: milliseconds(output.elapsed),
            lines: output.lines.values().filter_map(line).collect(),
        })
    }
}

/// Progress of a review.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewView {
    /// Id of the game.
    pub game: GameId,
    /// Number of searched positions.
    pub done: usize,
    /// Number of positions to search.
    pub of: usize,
    /// Whether no review is running.
    pub finished: bool,
    /// Summaries of the last complete review.
    pub summary: Option<[Summary; 2]>,
    /// New evaluations.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// All marks of the last complete review.
    pub marks: BTreeMap<NodeId, MarkView>,
}

impl ReviewView {
    /// Returns the progress of a review with the evaluations of `changed` positions. `progress` is
    /// the number of searched positions and their total, or `None` if no review is running.
    pub fn of(
        game: &Game,
        progress: Option<(usize, usize)>,
        changed: &[NodeId],
        language: Language,
    ) -> ReviewView {
        let (done, of) = progress.unwrap_or_default();
        let eval = |&node: &NodeId| {
            Some((node, EvalView::of(game, node, game.evals.get(&node)?, language)))
        };
        ReviewView {
            game: game.id.clone(),
            done,
            of,
            finished: progress.is_none(),
            summary: game.summary.clone(),
            evals: changed.iter().filter_map(eval).collect(),
            marks: game
                .marks
                .iter()
                .map(|(&id, mark)| (id, MarkView::of(game, id, mark, language)))
                .collect(),
        }
    }
}

//! What engines think, as pages read it.

use std::collections::BTreeMap;

use oshi::games::language::Language;
use oshi::protocol::Info;
use serde::Serialize;

use crate::board::SceneView;
use crate::driver::{chance, for_black};
use crate::game::{Eval, Game, GameId, Mark, MarkKind, NodeId, ScoreText, Summary, milliseconds};
use crate::news::{Analysis, Thinking};
use crate::table::Table;

/// The longest line of play that a page gets, in plies.
const LONGEST_PV: usize = 40;

/// What an engine thinks of a position.
#[derive(Clone, Debug, Serialize)]
pub struct EvalView {
    /// The chance that Black wins.
    pub black: f64,
    /// The engine's score, for the player to move.
    pub score: ScoreText,
    /// Whether it is certain.
    pub proven: bool,
    /// The best move.
    pub best: Option<String>,
    /// Its name.
    #[serde(rename = "bestName")]
    pub best_name: Option<String>,
    /// The names of the best line.
    pub line: Vec<String>,
    /// How long it thought, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// How many nodes it searched, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// What a review says of a move.
#[derive(Clone, Debug, Serialize)]
pub struct MarkView {
    /// How bad it was.
    pub kind: MarkKind,
    /// What would have been better.
    pub better: String,
    /// Its name.
    #[serde(rename = "betterName")]
    pub better_name: String,
    /// What was lost.
    pub why: String,
    /// How much.
    pub loss: f64,
    /// Whether that is certain.
    pub proven: bool,
}

impl EvalView {
    /// What an engine thinks of this position of the game.
    pub fn of(game: &Game, id: NodeId, eval: &Eval, language: Language) -> EvalView {
        let steps =
            game.board(id).map(|board| board.follow(&eval.line, language)).unwrap_or_default();
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
    /// What a review says of the move that led to this position of the game.
    pub fn of(game: &Game, id: NodeId, mark: &Mark, language: Language) -> MarkView {
        let before = game.node(id).ok().and_then(|node| game.board(node.parent?).ok());
        let steps = before
            .map(|board| board.follow(std::slice::from_ref(&mark.better), language))
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

/// An engine that thinks about its move.
#[derive(Clone, Debug, Serialize)]
pub struct ThinkingView {
    /// In which game.
    pub game: GameId,
    /// Where.
    pub node: NodeId,
    /// For Black 0, for White 1.
    pub side: u8,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The score of its best line.
    pub score: Option<ScoreText>,
    /// The chance that Black wins.
    pub black: Option<f64>,
    /// How deep it has searched, in plies.
    pub depth: Option<u32>,
    /// How much.
    pub nodes: Option<u64>,
    /// The names of its best line.
    pub line: Vec<String>,
}

impl ThinkingView {
    /// What an engine thinks in this game.
    pub fn of(game: &Game, thinking: &Thinking, language: Language) -> ThinkingView {
        let best = thinking.sight.best();
        let steps =
            best.and_then(|info| Some(game.board(thinking.node).ok()?.follow(&info.pv, language)));
        ThinkingView {
            game: game.id.clone(),
            node: thinking.node,
            side: thinking.side as u8,
            since: thinking.since,
            score: best.and_then(|info| info.score).map(ScoreText::from),
            black: best.and_then(chance).map(|chance| for_black(chance, thinking.side)),
            depth: best.and_then(|info| info.depth),
            nodes: best.and_then(|info| info.nodes),
            line: steps.into_iter().flatten().map(|step| step.name).collect(),
        }
    }
}

/// What an analysis sees.
#[derive(Clone, Debug, Serialize)]
pub struct AnalysisView {
    /// In which game.
    pub game: GameId,
    /// Where.
    pub node: NodeId,
    /// How deep it has searched, in plies.
    pub depth: Option<u32>,
    /// How much.
    pub nodes: u64,
    /// How much a second.
    pub nps: Option<u64>,
    /// How long.
    pub ms: u64,
    /// The best lines, the best first.
    pub lines: Vec<LineView>,
}

/// A line of play.
#[derive(Clone, Debug, Serialize)]
pub struct LineView {
    /// The engine's score, for the player to move.
    pub score: ScoreText,
    /// The chances of the player to move to win, draw and lose, in permille.
    pub wdl: Option<[u32; 3]>,
    /// The chance that Black wins.
    pub black: f64,
    /// Whether that is certain.
    pub proven: bool,
    /// The moves.
    pub moves: Vec<String>,
    /// Their names.
    pub names: Vec<String>,
    /// Where everything stands after each.
    pub scenes: Vec<SceneView>,
    /// Where the first move comes from and goes to; none where it has no places.
    pub arrows: Vec<[Option<u8>; 2]>,
}

impl AnalysisView {
    /// What an analysis sees of this game; `None` if the position is gone.
    pub fn of(game: &Game, analysis: &Analysis, language: Language) -> Option<AnalysisView> {
        let board = game.board(analysis.node).ok()?;
        let turn = board.turn()?;
        let sight = &analysis.sight;
        let line = |info: &Info| {
            let steps = board.follow(info.pv.get(..LONGEST_PV).unwrap_or(&info.pv), language);
            let arrow = steps
                .first()
                .map(|step| [step.scene.from, step.scene.to])
                .filter(|arrow| arrow != &[None; 2]);
            Some(LineView {
                score: info.score?.into(),
                wdl: info.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
                black: for_black(chance(info)?, turn),
                proven: sight.is_proven(info),
                moves: steps.iter().map(|step| step.text.clone()).collect(),
                names: steps.iter().map(|step| step.name.clone()).collect(),
                scenes: steps.into_iter().map(|step| step.scene).collect(),
                arrows: arrow.into_iter().collect(),
            })
        };
        let best = sight.best();
        Some(AnalysisView {
            game: game.id.clone(),
            node: analysis.node,
            depth: best.and_then(|info| info.depth),
            nodes: best.and_then(|info| info.nodes).unwrap_or(0),
            nps: best.and_then(|info| info.nps),
            ms: milliseconds(sight.elapsed),
            lines: sight.lines.values().filter_map(line).collect(),
        })
    }
}

/// How far a review is.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewView {
    /// Of which game.
    pub game: GameId,
    /// How many positions are searched.
    pub done: usize,
    /// How many there are.
    pub of: usize,
    /// Whether it has ended.
    pub finished: bool,
    /// What the last complete one says of the players.
    pub summary: Option<[Summary; 2]>,
    /// What is new of the positions.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// All its marks.
    pub marks: BTreeMap<NodeId, MarkView>,
}

impl ReviewView {
    /// How far the review of a game is, with the values of these positions.
    pub fn of(table: &Table, news: &[NodeId], language: Language) -> ReviewView {
        let game = &table.game;
        let (done, of) =
            table.reviewer.as_ref().map_or((0, 0), |reviewer| (reviewer.done, reviewer.of));
        let eval = |&node: &NodeId| {
            Some((node, EvalView::of(game, node, game.evals.get(&node)?, language)))
        };
        ReviewView {
            game: game.id.clone(),
            done,
            of,
            finished: table.reviewer.is_none(),
            summary: game.summary.clone(),
            evals: news.iter().filter_map(eval).collect(),
            marks: game
                .marks
                .iter()
                .map(|(&id, mark)| (id, MarkView::of(game, id, mark, language)))
                .collect(),
        }
    }
}

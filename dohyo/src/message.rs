//! All messages between a page and the server, as JSON: `dohyo/README.md` describes them for those who write pages.

use std::collections::BTreeMap;

use oshi::game::Player;
use oshi::games::language::Language;
use oshi::protocol::Info;
use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::board::{Board, SceneView, View};
use crate::driver::{chance, for_black};
use crate::exchange::{As, BadLine, Export};
use crate::game::{Eval, Game, GameId, Mark, MarkKind, NodeId, ScoreText, Seat, State, Summary, milliseconds};
use crate::hall::{Table, Thinking};
use crate::watch::TournamentView;

/// The most bytes of a message: as much as a large collection of games.
pub const LONGEST: usize = 16 << 20;

/// The longest line of play that a page gets, in plies.
const LONGEST_PV: usize = 40;

/// What a page asks, with a number of its choice that comes back with an error.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The number.
    #[serde(default)]
    pub tag: Option<u64>,
    /// What to do.
    #[serde(flatten)]
    pub order: Order,
}

/// What a page may ask.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Order {
    /// The first message of a tab, and whenever its language changes.
    Hello {
        /// The code of the language.
        lang: String,
    },
    /// The list of all games.
    Games,
    /// A new game.
    New {
        /// What is played.
        variant: String,
        /// On which board.
        #[serde(default)]
        layout: Option<String>,
        /// From where.
        #[serde(default)]
        start: StartOrder,
        /// Black and White.
        players: [SeatOrder; 2],
        /// The time of each.
        #[serde(default)]
        clock: Option<ClockOrder>,
        /// Whether the two change sides.
        #[serde(default)]
        swap: bool,
    },
    /// Show a game, and tell all that happens in it.
    Open {
        /// Which.
        game: GameId,
    },
    /// No longer.
    Close {
        /// Which.
        game: GameId,
    },
    /// Remove a game for good.
    Delete {
        /// Which.
        game: GameId,
    },
    /// Play a move.
    Play {
        /// In which game.
        game: GameId,
        /// From where.
        node: NodeId,
        /// What.
        r#move: String,
        /// Whether only to look at it, even where the game stands.
        #[serde(default)]
        branch: bool,
    },
    /// Play on from a position.
    Goon {
        /// In which game.
        game: GameId,
        /// From where.
        node: NodeId,
        /// Who plays from now on.
        #[serde(default)]
        players: Option<[SeatOrder; 2]>,
        /// With which times; `null` for none.
        #[serde(default)]
        clock: Option<ClockOrder>,
    },
    /// Go back to the last move of a person.
    Takeback {
        /// In which game.
        game: GameId,
    },
    /// Give up.
    Resign {
        /// In which game.
        game: GameId,
    },
    /// Name a good move.
    Hint {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
    },
    /// Exchange the players.
    Swap {
        /// In which game.
        game: GameId,
    },
    /// Set the players.
    Players {
        /// In which game.
        game: GameId,
        /// Black and White.
        players: [SeatOrder; 2],
        /// The time of each.
        #[serde(default)]
        clock: Option<ClockOrder>,
    },
    /// Stop clocks and engines, or let them go on.
    Pause {
        /// In which game.
        game: GameId,
        /// Whether to stop.
        on: bool,
    },
    /// Make a variation the main line.
    Promote {
        /// In which game.
        game: GameId,
        /// A position of it.
        node: NodeId,
    },
    /// Remove a variation.
    Prune {
        /// In which game.
        game: GameId,
        /// Its first position.
        node: NodeId,
    },
    /// Go through the main line, and mark what lost something.
    Review {
        /// In which game.
        game: GameId,
        /// The time for each position, in milliseconds.
        ms: u64,
    },
    /// No longer.
    Unreview {
        /// In which game.
        game: GameId,
    },
    /// Add all games of a text.
    Import {
        /// The text, in any form that basho reads.
        text: String,
        /// Where it is from.
        #[serde(default)]
        name: String,
        /// The variant whose start a list of moves means that names none.
        #[serde(default)]
        variant: Option<String>,
    },
    /// Give out a game.
    Export {
        /// Which.
        game: GameId,
        /// The line to this position instead of the main line.
        #[serde(default)]
        node: Option<NodeId>,
        /// In which form.
        r#as: As,
    },
    /// Watch the tournament.
    Watch,
    /// No longer.
    Unwatch,
    /// Show a finished game of the tournament.
    Watched {
        /// Its number.
        game: u64,
    },
    /// Read a position line, without making a game of it.
    Check {
        /// The line.
        position: String,
    },
    /// Analyse a position until told otherwise.
    Analyse {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// How many of the best lines.
        #[serde(default = "one")]
        lines: usize,
        /// By which engine.
        #[serde(default)]
        engine: usize,
    },
    /// No longer.
    Rest {
        /// In which game.
        game: GameId,
    },
}

const fn one() -> usize {
    1
}

/// Where a new game starts.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartOrder {
    /// As it is set up without another word.
    #[default]
    Usual,
    /// At random.
    Random,
    /// At random, the same for the same seed.
    Seed(u64),
    /// At a position line.
    Position(String),
    /// After the moves of a `position` command.
    Line(String),
}

/// A player as a page asks for one.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SeatOrder {
    /// Somebody at a page.
    Person,
    /// A program.
    Engine {
        /// By its number among those named on the command line.
        engine: usize,
        /// At this named level.
        #[serde(default)]
        level: Option<String>,
        /// With this time for each move, in milliseconds, if there is no clock.
        #[serde(default)]
        movetime: Option<u64>,
    },
}

/// The time of both players.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ClockOrder {
    /// For the whole game, in milliseconds.
    pub ms: u64,
    /// For each move, in addition.
    #[serde(default)]
    pub inc: u64,
}

/// What the server tells; with the number of the order, if it answers one.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<u64>,
    /// What.
    #[serde(flatten)]
    pub reply: Reply,
}

/// What the server tells.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Reply {
    /// The answer to [`Order::Hello`].
    Welcome(Welcome),
    /// All games.
    Games {
        /// The last changed first.
        games: Vec<Entry>,
    },
    /// A whole game.
    Game(Box<GameView>),
    /// A position that is new.
    Node {
        /// In which game.
        game: GameId,
        /// The position.
        node: Box<NodeView>,
    },
    /// Where the game stands now.
    Head {
        /// In which game.
        game: GameId,
        /// How it stands.
        #[serde(flatten)]
        standing: Standing,
    },
    /// Who plays.
    Players {
        /// In which game.
        game: GameId,
        /// Black and White.
        players: [Seat; 2],
        /// How it stands.
        #[serde(flatten)]
        standing: Standing,
    },
    /// A variation is gone.
    Pruned {
        /// In which game.
        game: GameId,
        /// Its first position.
        node: NodeId,
    },
    /// An engine thinks about its move.
    Thinking(ThinkingView),
    /// What an analysis sees.
    Analysis(Box<AnalysisView>),
    /// What an engine thinks of a position.
    Eval {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// What.
        eval: EvalView,
    },
    /// The answer to [`Order::Hint`].
    Hint {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// The move.
        r#move: String,
        /// Its name.
        name: String,
    },
    /// Something that the person should know.
    Message {
        /// In which game, if in one.
        game: Option<GameId>,
        /// How bad it is.
        kind: Gravity,
        /// What.
        text: String,
    },
    /// An order with a number is obeyed that has no other answer.
    Done {
        /// The position that was played.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
    /// How far a review is.
    Review(Box<ReviewView>),
    /// The answer to [`Order::Import`].
    Imported {
        /// The games, in their order.
        games: Vec<GameId>,
        /// What could not be read.
        errors: Vec<BadLine>,
    },
    /// The answer to [`Order::Export`].
    Exported(Export),
    /// The tournament that is watched.
    Tournament(Box<TournamentView>),
    /// The answer to [`Order::Check`].
    Checked(Box<CheckedView>),
    /// An order cannot be obeyed.
    Error {
        /// What is wrong.
        text: String,
        /// In which line of a text.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
}

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Good to know.
    Info,
    /// The game goes on.
    Warning,
    /// It does not.
    Error,
}

/// What a page can offer.
#[derive(Clone, Debug, Serialize)]
pub struct Welcome {
    /// Of this program.
    pub version: &'static str,
    /// What can be played.
    pub variants: Vec<VariantView>,
    /// How strong an engine can play.
    pub levels: Vec<LevelView>,
    /// The engines of the command line, the one that comes with this program first.
    pub engines: Vec<EngineView>,
    /// Whether there is a tournament to watch.
    pub watching: bool,
    /// Where orders end.
    pub max: Bounds,
}

/// A variant.
#[derive(Clone, Debug, Serialize)]
pub struct VariantView {
    /// In the protocol.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// The boards that it is played on; one where they make no difference.
    pub layouts: Vec<&'static str>,
    /// Whether it is played for points.
    pub points: bool,
    /// How many win.
    pub target: Option<u8>,
}

/// A named level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelView {
    /// Its name.
    pub name: &'static str,
    /// Its rating; `null` for the engine as it is.
    pub elo: Option<u32>,
}

/// An engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineView {
    /// Its name.
    pub name: String,
}

/// The most that can be asked for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bounds {
    /// Bytes of a message.
    pub bytes: usize,
    /// Games kept.
    pub games: usize,
    /// Positions of a game.
    pub nodes: usize,
    /// Lines of an analysis.
    pub lines: usize,
    /// Engines running at once.
    pub engines: usize,
}

/// A game in the list.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub id: GameId,
    /// Where it is from.
    pub title: String,
    /// What is played.
    pub variant: &'static str,
    /// The players' names; a person's may be empty.
    pub players: [String; 2],
    /// Who won, or `*`.
    pub result: String,
    /// How it stands.
    pub state: State,
    /// How long the main line is.
    pub plies: usize,
    /// When it was changed, in milliseconds since 1970.
    pub changed: u64,
}

/// How a game stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Where.
    pub head: NodeId,
    /// Whether it is being played.
    pub state: State,
    /// Who won, or `*`.
    pub result: String,
    /// How, once it is over.
    pub reason: Option<String>,
    /// What is left on the clocks.
    pub clock: Option<ClockView>,
}

/// The clocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClockView {
    /// What Black and White have left, in milliseconds.
    pub ms: [u64; 2],
    /// What is added with every move.
    pub inc: u64,
    /// Whose runs.
    pub running: Option<u8>,
}

/// A position of a game.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// Its number.
    pub id: NodeId,
    /// That of the position before.
    pub parent: Option<NodeId>,
    /// The move between.
    pub r#move: String,
    /// What it looks like.
    #[serde(flatten)]
    pub view: View,
    /// How long the move took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// A whole game.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    /// Its name.
    pub id: GameId,
    /// Where it is from.
    pub title: String,
    /// What is played.
    pub variant: &'static str,
    /// On which board.
    pub layout: &'static str,
    /// The board with all pieces, for scenes to be shown in.
    pub stage: String,
    /// The position line of the start.
    pub start: String,
    /// Black and White.
    pub players: [Seat; 2],
    /// How it stands.
    #[serde(flatten)]
    pub standing: Standing,
    /// All positions, each after the one before it; of those that follow the same one, the main line's first.
    pub nodes: Vec<NodeView>,
    /// What engines think.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// What a review says.
    pub marks: BTreeMap<NodeId, MarkView>,
    /// What it says of the players.
    pub summary: Option<[Summary; 2]>,
}

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
    /// How long it thought.
    pub ms: u64,
    /// How much.
    pub nodes: u64,
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

impl Entry {
    /// The entry of a game.
    pub fn of(game: &Game) -> Entry {
        Entry {
            id: game.id.clone(),
            title: game.title.clone(),
            variant: game.start().variant().name(),
            players: game.seats.each_ref().map(|seat| seat.name.clone()),
            result: Standing::result(game),
            state: game.state,
            plies: game.main_line().len().saturating_sub(1),
            changed: game.changed,
        }
    }
}

impl Standing {
    /// How a game stands now.
    pub fn of(game: &Game) -> Standing {
        let running = game.turn().filter(|_| game.is_running());
        Standing {
            head: game.head,
            state: game.state,
            result: Standing::result(game),
            reason: game.verdict.as_ref().map(|verdict| verdict.reason.clone()),
            clock: game.clock.map(|clock| ClockView {
                ms: Player::ALL.map(|player| game.left(player).unwrap_or(0)),
                inc: clock.inc,
                running: running.map(|player| player as u8),
            }),
        }
    }

    fn result(game: &Game) -> String {
        game.verdict.as_ref().map(|verdict| verdict.result).unwrap_or_default().to_string()
    }
}

impl NodeView {
    /// A position as the page reads it.
    pub fn of(game: &Game, id: NodeId, language: Language) -> Option<NodeView> {
        let node = game.node(id).ok()?;
        let view = node.board.view(language);
        Some(NodeView { id, parent: node.parent, r#move: node.text.clone(), view, ms: node.ms })
    }
}

impl EvalView {
    /// What an engine thinks of this position of the game.
    pub fn of(game: &Game, id: NodeId, eval: &Eval, language: Language) -> EvalView {
        let steps = game.board(id).map(|board| board.follow(&eval.line, language)).unwrap_or_default();
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
        let steps = before.map(|board| board.follow(std::slice::from_ref(&mark.better), language)).unwrap_or_default();
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

impl GameView {
    /// A game as the page reads it.
    pub fn of(game: &Game, language: Language) -> GameView {
        let start = game.start();
        let line = start.line();
        GameView {
            id: game.id.clone(),
            title: game.title.clone(),
            variant: start.variant().name(),
            layout: crate::board::layout(&line).name(),
            stage: start.stage(),
            start: line,
            players: game.seats.clone(),
            standing: Standing::of(game),
            nodes: game.nodes().into_iter().filter_map(|(id, _)| NodeView::of(game, id, language)).collect(),
            evals: game.evals.iter().map(|(&id, eval)| (id, EvalView::of(game, id, eval, language))).collect(),
            marks: game.marks.iter().map(|(&id, mark)| (id, MarkView::of(game, id, mark, language))).collect(),
            summary: game.summary.clone(),
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
        let steps = best.and_then(|info| Some(game.board(thinking.node).ok()?.follow(&info.pv, language)));
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
            let arrow = steps.first().map(|step| [step.scene.from, step.scene.to]).filter(|arrow| arrow != &[None; 2]);
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

/// A position that was only read.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedView {
    /// What is played.
    pub variant: &'static str,
    /// On which board.
    pub layout: &'static str,
    /// The board with all pieces, for the scene to be shown in.
    pub stage: String,
    /// The line as the program writes it.
    pub start: String,
    /// What it looks like.
    #[serde(flatten)]
    pub view: View,
}

impl CheckedView {
    /// A position as the page reads it.
    pub fn of(board: &Board, language: Language) -> CheckedView {
        let start = board.line();
        CheckedView {
            variant: board.variant().name(),
            layout: crate::board::layout(&start).name(),
            stage: board.stage(),
            start,
            view: board.view(language),
        }
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
    /// What it says of the players, once it is complete.
    pub summary: Option<[Summary; 2]>,
    /// What is new of the positions.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// All marks.
    pub marks: BTreeMap<NodeId, MarkView>,
}

impl ReviewView {
    /// How far the review of a game is, with the values of these positions.
    pub fn of(table: &Table, news: &[NodeId], language: Language) -> ReviewView {
        let game = &table.game;
        let (done, of) = table.reviewer.as_ref().map_or((0, 0), |reviewer| (reviewer.done, reviewer.of));
        let eval = |&node: &NodeId| Some((node, EvalView::of(game, node, game.evals.get(&node)?, language)));
        ReviewView {
            game: game.id.clone(),
            done,
            of,
            finished: table.reviewer.is_none(),
            summary: game.summary.clone(),
            evals: news.iter().filter_map(eval).collect(),
            marks: game.marks.iter().map(|(&id, mark)| (id, MarkView::of(game, id, mark, language))).collect(),
        }
    }
}

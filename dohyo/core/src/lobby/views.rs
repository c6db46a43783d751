//! Renders the lobby's state and events in the language of a tab.

use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::protocol::Level;

use super::analysis::MAX_LINES;
use super::{Lobby, MAX_GAMES};
use crate::board;
use crate::event::{Event, EventKind, Severity};
use crate::game::{GameId, MAX_NODES};
use crate::message::{
    AnalysisView, EngineView, Entry, EvalView, GameView, LevelView, Limits, MAX_REQUEST_BYTES,
    NodeView, Reply, ReviewView, Standing, ThinkingView, VariantView, Welcome,
};
use crate::sync::lock;

impl Lobby {
    /// Returns the capabilities of the server.
    pub fn welcome(&self) -> Welcome {
        let variant = |&variant: &Variant| VariantView {
            name: variant.name(),
            title: variant.title(),
            layouts: board::layouts(variant),
            points: variant.counts_points(),
            target: board::start(variant.start()).points_to_win(),
        };
        Welcome {
            version: env!("CARGO_PKG_VERSION"),
            variants: Variant::ALL.iter().map(variant).collect(),
            levels: Level::ALL
                .iter()
                .map(|level| LevelView { name: level.name(), elo: level.elo() })
                .collect(),
            engines: self
                .pool
                .engines()
                .names()
                .iter()
                .map(|name| EngineView { name: name.clone() })
                .collect(),
            watching: self.watch.is_some(),
            max: Limits {
                bytes: MAX_REQUEST_BYTES,
                games: MAX_GAMES,
                nodes: MAX_NODES,
                lines: MAX_LINES,
                engines: self.pool.engines().max_running(),
            },
        }
    }

    /// Returns warnings for a new tab: damaged files and failed saves.
    pub fn warnings(&self) -> impl Iterator<Item = Reply> {
        let message = |text| Reply::Message { game: None, kind: Severity::Warning, text };
        self.start_warnings().iter().cloned().chain(self.unsaved_warning()).map(message)
    }

    /// Returns the entries of all games, the last changed first.
    fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> =
            self.games().iter().map(|hosted| Entry::of(&lock(hosted).game)).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.changed));
        entries
    }

    /// Returns the whole list of games.
    pub fn list(&self) -> Reply {
        Reply::Games { games: self.entries(), gone: Vec::new(), whole: true }
    }

    /// Returns the entries of some games. Skips games that have been removed.
    fn listed(&self, games: &[GameId]) -> Option<Reply> {
        let entry = |id| Some(Entry::of(&lock(&*self.game(id).ok()?).game));
        let mut games: Vec<Entry> = games.iter().filter_map(entry).collect();
        games.sort_by_key(|entry| std::cmp::Reverse(entry.changed));
        (!games.is_empty()).then_some(Reply::Games { games, gone: Vec::new(), whole: false })
    }

    /// Renders an event. Returns `None` if its game or its position has been removed.
    pub fn render(&self, event: &Event, language: Language) -> Option<Reply> {
        let Some(id) = &event.game else {
            return match &event.kind {
                EventKind::Games => Some(self.list()),
                EventKind::Listed(games) => self.listed(games),
                EventKind::Unlisted(game) => {
                    Some(Reply::Games { games: Vec::new(), gone: vec![game.clone()], whole: false })
                }
                EventKind::Message(kind, text) => {
                    Some(Reply::Message { game: None, kind: *kind, text: text.clone() })
                }
                _ => None,
            };
        };
        let hosted = self.game(id).ok()?;
        let hosted = lock(&hosted);
        let game = &hosted.game;
        Some(match &event.kind {
            EventKind::Games
            | EventKind::Listed(_)
            | EventKind::Unlisted(_)
            | EventKind::Tournament => return None,
            EventKind::Review(changed) => {
                let progress = hosted.review.as_ref().map(|review| (review.done, review.of));
                Reply::Review(Box::new(ReviewView::of(game, progress, changed, language)))
            }
            EventKind::Game => Reply::Game(Box::new(GameView::of(game, language, self.now()))),
            EventKind::Node(node) => Reply::Node {
                game: id.clone(),
                node: Box::new(NodeView::of(game, *node, language)?),
            },
            EventKind::Head => {
                Reply::Head { game: id.clone(), standing: Standing::of(game, self.now()) }
            }
            EventKind::Players => Reply::Players {
                game: id.clone(),
                players: game.seats.clone(),
                standing: Standing::of(game, self.now()),
            },
            EventKind::Pruned(node) => Reply::Pruned { game: id.clone(), node: *node },
            EventKind::Thinking(thinking) => {
                Reply::Thinking(ThinkingView::of(game, thinking, language))
            }
            EventKind::Analysis(analysis) => {
                Reply::Analysis(Box::new(AnalysisView::of(game, analysis, language)?))
            }
            EventKind::Eval(node) => {
                let eval = game.evals.get(node)?;
                Reply::Eval {
                    game: id.clone(),
                    node: *node,
                    eval: EvalView::of(game, *node, eval, language),
                }
            }
            EventKind::Message(kind, text) => {
                Reply::Message { game: Some(id.clone()), kind: *kind, text: text.clone() }
            }
        })
    }
}

//! What the hall looks like to a page, in its language.

use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::protocol::Level;

use crate::analysis::MOST_LINES;
use crate::board;
use crate::engines::MOST;
use crate::game::{GameId, MOST_NODES};
use crate::hall::{Hall, MOST_GAMES};
use crate::message::{
    AnalysisView, Bounds, EngineView, Entry, EvalView, GameView, LONGEST, LevelView, NodeView,
    Reply, ReviewView, Standing, ThinkingView, VariantView, Welcome,
};
use crate::news::{Gravity, News, What};
use crate::sync::lock;

impl Hall {
    /// What a page can offer.
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
                .iter()
                .map(|engine| EngineView { name: engine.name.clone() })
                .collect(),
            watching: self.watch.is_some(),
            max: Bounds {
                bytes: LONGEST,
                games: MOST_GAMES,
                nodes: MOST_NODES,
                lines: MOST_LINES,
                engines: MOST,
            },
        }
    }

    /// Warnings for a new tab: damaged files and failed saves.
    pub fn warnings(&self) -> impl Iterator<Item = Reply> {
        let message = |text| Reply::Message { game: None, kind: Gravity::Warning, text };
        self.complaints().iter().cloned().chain(self.unsaved_warning()).map(message)
    }

    /// All games, the last changed first.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> =
            self.tables().iter().map(|table| Entry::of(&lock(table).game)).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.changed));
        entries
    }

    /// The whole list of games.
    pub fn list(&self) -> Reply {
        Reply::Games { games: self.entries(), gone: Vec::new(), whole: true }
    }

    /// The entries of these games, without removed ones.
    fn listed(&self, games: &[GameId]) -> Option<Reply> {
        let entry = |id| Some(Entry::of(&lock(&*self.table(id).ok()?).game));
        let mut games: Vec<Entry> = games.iter().filter_map(entry).collect();
        games.sort_by_key(|entry| std::cmp::Reverse(entry.changed));
        (!games.is_empty()).then_some(Reply::Games { games, gone: Vec::new(), whole: false })
    }

    /// News as a message; `None` where what they tell of is gone again.
    pub fn render(&self, news: &News, language: Language) -> Option<Reply> {
        let Some(id) = &news.game else {
            return match &news.what {
                What::Games => Some(self.list()),
                What::Listed(games) => self.listed(games),
                What::Unlisted(game) => {
                    Some(Reply::Games { games: Vec::new(), gone: vec![game.clone()], whole: false })
                }
                What::Message(kind, text) => {
                    Some(Reply::Message { game: None, kind: *kind, text: text.clone() })
                }
                _ => None,
            };
        };
        let table = self.table(id).ok()?;
        let table = lock(&table);
        let game = &table.game;
        Some(match &news.what {
            What::Games | What::Listed(_) | What::Unlisted(_) | What::Tournament => return None,
            What::Review(news) => Reply::Review(Box::new(ReviewView::of(&table, news, language))),
            What::Game => Reply::Game(Box::new(GameView::of(game, language))),
            What::Node(node) => Reply::Node {
                game: id.clone(),
                node: Box::new(NodeView::of(game, *node, language)?),
            },
            What::Head => Reply::Head { game: id.clone(), standing: Standing::of(game) },
            What::Players => Reply::Players {
                game: id.clone(),
                players: game.seats.clone(),
                standing: Standing::of(game),
            },
            What::Pruned(node) => Reply::Pruned { game: id.clone(), node: *node },
            What::Thinking(thinking) => Reply::Thinking(ThinkingView::of(game, thinking, language)),
            What::Analysis(analysis) => {
                Reply::Analysis(Box::new(AnalysisView::of(game, analysis, language)?))
            }
            What::Eval(node) => {
                let eval = game.evals.get(node)?;
                Reply::Eval {
                    game: id.clone(),
                    node: *node,
                    eval: EvalView::of(game, *node, eval, language),
                }
            }
            What::Message(kind, text) => {
                Reply::Message { game: Some(id.clone()), kind: *kind, text: text.clone() }
            }
        })
    }
}

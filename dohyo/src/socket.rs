//! One tab: its messages in and out, its language, and what it looks at.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket};
use oshi::games::language::Language;
use tokio::sync::broadcast::error::RecvError;

use crate::game::GameId;
use crate::hall::{Hall, News, What, lock};
use crate::message::{GameView, Order, Reply, Request};
use crate::orders::Refusal;

/// A tab; dropping it leaves all games that it looks at.
struct Tab {
    hall: Arc<Hall>,
    language: Language,
    open: HashSet<GameId>,
    /// Whether it has said hello: it is told nothing before.
    is_greeted: bool,
}

/// Talks with a tab until it is closed.
pub async fn talk(mut socket: WebSocket, hall: Arc<Hall>) {
    let mut news = hall.listen();
    let mut tab = Tab { hall, language: Language::default(), open: HashSet::new(), is_greeted: false };
    loop {
        let replies = tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    // Reading a large import takes longer than others may wait.
                    let text = text.to_string();
                    let answered = tokio::task::spawn_blocking(move || {
                        let replies = tab.answer(&text);
                        (tab, replies)
                    });
                    let Ok((back, replies)) = answered.await else { return };
                    tab = back;
                    replies
                }
                Some(Ok(Message::Binary(_))) => vec![error(None, "a binary message; expected JSON text".to_owned(), None)],
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => return,
            },
            one = news.recv() => match one {
                Ok(news) => tab.render(&news).into_iter().collect(),
                // It was too slow: whatever has happened, this is how things are now.
                Err(RecvError::Lagged(_)) => {
                    news = news.resubscribe();
                    tab.everything()
                }
                Err(RecvError::Closed) => return,
            },
        };
        for reply in replies {
            let Ok(text) = serde_json::to_string(&reply) else { continue };
            if socket.send(Message::text(text)).await.is_err() {
                return;
            }
        }
    }
}

fn error(tag: Option<u64>, text: String, line: Option<usize>) -> Reply {
    Reply::Error { tag, text, line }
}

impl Tab {
    /// The answers to a message.
    fn answer(&mut self, text: &str) -> Vec<Reply> {
        /// What an order that cannot be read may have.
        #[derive(serde::Deserialize)]
        struct Tagged {
            #[serde(default)]
            tag: Option<u64>,
        }
        let request: Request = match serde_json::from_str(text) {
            Ok(request) => request,
            Err(problem) => {
                let tag = serde_json::from_str(text).ok().and_then(|Tagged { tag }| tag);
                return vec![error(tag, format!("{problem}; expected a message as dohyo/README.md describes them"), None)];
            }
        };
        let tag = request.tag;
        self.obey(request.order).unwrap_or_else(|refusal| vec![error(tag, refusal.to_string(), refusal.line())])
    }

    fn obey(&mut self, order: Order) -> Result<Vec<Reply>, Refusal> {
        match order {
            Order::Hello { lang } => {
                self.language = lang.parse().unwrap_or_default();
                self.is_greeted = true;
                let mut replies = vec![Reply::Welcome(self.hall.welcome())];
                replies.extend(self.everything());
                Ok(replies)
            }
            Order::Open { game } => {
                let table = self.hall.table(&game)?;
                self.enter(&game);
                let table = lock(&table);
                Ok(vec![Reply::Game(Box::new(GameView::of(&table.game, self.language)))])
            }
            Order::Close { game } => {
                self.leave(&game);
                Ok(Vec::new())
            }
            order => {
                let replies = self.hall.obey(order, self.language)?;
                for reply in &replies {
                    // Whoever asks for a new game looks at it.
                    if let Reply::Game(game) = reply {
                        self.enter(&game.id);
                    }
                }
                Ok(replies)
            }
        }
    }

    fn enter(&mut self, game: &GameId) {
        if let Ok(table) = self.hall.table(game)
            && self.open.insert(game.clone())
        {
            let mut table = lock(&table);
            table.viewers += 1;
            table.game.run();
        }
    }

    fn leave(&mut self, game: &GameId) {
        if self.open.remove(game)
            && let Ok(table) = self.hall.table(game)
        {
            let mut table = lock(&table);
            table.viewers = table.viewers.saturating_sub(1);
            if table.viewers == 0 {
                table.game.hold();
            }
        }
    }

    /// The list of games, and all that it looks at.
    fn everything(&self) -> Vec<Reply> {
        let games = self.open.iter().map(|game| News { game: Some(game.clone()), what: What::Game });
        std::iter::once(News { game: None, what: What::Games }).chain(games).filter_map(|news| self.render(&news)).collect()
    }

    /// News as a message, if they concern it.
    fn render(&self, news: &News) -> Option<Reply> {
        let concerns = self.is_greeted && news.game.as_ref().is_none_or(|game| self.open.contains(game));
        if concerns { self.hall.render(news, self.language) } else { None }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        for game in self.open.clone() {
            self.leave(&game);
        }
    }
}

//! One tab: its messages in and out, its language, and what it looks at.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use oshi::games::language::Language;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Sender, channel};

use crate::game::GameId;
use crate::hall::Hall;
use crate::message::{Answer, GameView, LONGEST, Order, Reply, Request};
use crate::news::{News, What};
use crate::orders::{Caller, Refusal};
use crate::sync::lock;
use crate::watch::Told;

/// How many answers may wait that took longer.
const LATE: usize = 64;

/// A tab; dropping it leaves all games that it looks at.
struct Tab {
    hall: Arc<Hall>,
    language: Language,
    open: HashSet<GameId>,
    /// Whether it has said hello: it is told nothing before.
    is_greeted: bool,
    late: Sender<Answer>,
    /// What it has been told of the tournament, if it watches.
    watches: Option<Told>,
}

/// Talks with a tab until it is closed.
pub async fn talk(mut socket: WebSocket, hall: Arc<Hall>) {
    let mut news = hall.listen();
    let (late, mut answers) = channel(LATE);
    let mut tab = Tab { hall, language: Language::default(), open: HashSet::new(), is_greeted: false, late, watches: None };
    loop {
        let replies = tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    // Reading a large import takes longer than others may wait.
                    let answered = tokio::task::spawn_blocking(move || {
                        let replies = tab.answer(text.as_str());
                        (tab, replies)
                    });
                    let Ok((back, replies)) = answered.await else { return };
                    tab = back;
                    replies
                }
                Some(Ok(Message::Binary(_))) => {
                    let text = "a binary message; expected JSON text".to_owned();
                    vec![Answer { tag: None, reply: Reply::Error { text } }]
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) => {
                    // Whether it arrives is the other side's affair: it may be gone, or still writing.
                    let reason = format!("a message that cannot be read; expected text of at most {LONGEST} bytes").into();
                    let _ = socket.send(Message::Close(Some(CloseFrame { code: close_code::SIZE, reason }))).await;
                    return;
                }
                None => return,
            },
            answer = answers.recv() => answer.into_iter().collect(),
            one = news.recv() => match one {
                Ok(news) => tab.render(&news).map(untagged).into_iter().collect(),
                // It was too slow: whatever has happened, this is how things are now.
                Err(RecvError::Lagged(_)) => {
                    news = news.resubscribe();
                    tab.everything().into_iter().map(untagged).collect()
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

const fn untagged(reply: Reply) -> Answer {
    Answer { tag: None, reply }
}

impl Tab {
    /// The answers to a message.
    fn answer(&mut self, text: &str) -> Vec<Answer> {
        /// What an order that cannot be read may have.
        #[derive(serde::Deserialize)]
        struct Tagged {
            #[serde(default)]
            tag: Option<u64>,
        }
        let tag = || serde_json::from_str(text).ok().and_then(|Tagged { tag }| tag);
        if text.len() > LONGEST {
            let text = format!("a message of {} bytes; expected at most {LONGEST}", text.len());
            return vec![Answer { tag: tag(), reply: Reply::Error { text } }];
        }
        /// An order has a name: a number would be taken for its place among all.
        #[derive(serde::Deserialize)]
        struct Named {
            #[serde(rename = "do")]
            _name: String,
        }
        let request: Request = match serde_json::from_str(text).and_then(|Named { .. }| serde_json::from_str(text)) {
            Ok(request) => request,
            Err(problem) => {
                let tag = tag();
                let text = format!("{problem}; expected a message as dohyo/README.md describes them");
                return vec![Answer { tag, reply: Reply::Error { text } }];
            }
        };
        let tag = request.tag;
        let obeyed = self.obey(request.order, tag);
        let refused = |refusal: Refusal| vec![Reply::Error { text: refusal.to_string() }];
        let replies = obeyed.unwrap_or_else(refused).into_iter();
        // Whoever does not number an order does not wait for its end.
        let is_said = |reply: &Reply| tag.is_some() || !matches!(reply, Reply::Done { .. });
        replies.filter(is_said).map(|reply| Answer { tag, reply }).collect()
    }

    fn obey(&mut self, order: Order, tag: Option<u64>) -> Result<Vec<Reply>, Refusal> {
        match order {
            Order::Hello { lang } => {
                self.language = lang.parse().unwrap_or_default();
                self.is_greeted = true;
                let welcome = Reply::Welcome(self.hall.welcome());
                Ok(std::iter::once(welcome).chain(self.everything()).chain(self.hall.warnings()).collect())
            }
            Order::Open { game } => {
                self.enter(&game)?;
                let table = self.hall.table(&game)?;
                let table = lock(&table);
                if table.has_review() {
                    self.hall.tell(Some(&game), What::Review(Vec::new()));
                }
                Ok(vec![Reply::Game(Box::new(GameView::of(&table.game, self.language)))])
            }
            Order::Close { game } => {
                self.leave(&game);
                Ok(vec![Reply::Done { node: None }])
            }
            Order::Watch => {
                if self.watches.is_none() {
                    self.hall.begin_watching()?;
                }
                // Whoever asks again has forgotten what it was told.
                self.watches = Some(Told::default());
                Ok(self.tournament().into_iter().collect())
            }
            Order::Unwatch => {
                self.unwatch();
                Ok(vec![Reply::Done { node: None }])
            }
            order => {
                let caller = Caller { language: self.language, tag, late: self.late.clone() };
                let mut replies = self.hall.obey(order, &caller)?;
                for reply in &mut replies {
                    // Whoever asks for a new game looks at it, and with that its clock runs.
                    if let Reply::Game(game) = reply {
                        self.enter(&game.id)?;
                        let table = self.hall.table(&game.id)?;
                        **game = GameView::of(&lock(&table).game, self.language);
                    }
                }
                Ok(replies)
            }
        }
    }

    fn enter(&mut self, game: &GameId) -> Result<(), Refusal> {
        let table = self.hall.table(game)?;
        if self.open.insert(game.clone()) {
            let mut table = lock(&table);
            table.viewers += 1;
            self.hall.attend(&mut table);
        }
        Ok(())
    }

    fn leave(&mut self, game: &GameId) {
        if self.open.remove(game)
            && let Ok(table) = self.hall.table(game)
        {
            let mut table = lock(&table);
            table.viewers = table.viewers.saturating_sub(1);
            self.hall.rest_for(&mut table, &self.late);
            if table.viewers == 0 {
                self.hall.attend(&mut table);
            }
        }
    }

    fn unwatch(&mut self) {
        if self.watches.take().is_some() {
            self.hall.end_watching();
        }
    }

    /// What is new of the tournament.
    fn tournament(&mut self) -> Option<Reply> {
        let (watch, told) = self.hall.watch.as_ref().zip(self.watches.as_mut())?;
        Some(Reply::Tournament(Box::new(watch.view(told, self.language))))
    }

    /// The list of games, and all that it looks at.
    fn everything(&mut self) -> Vec<Reply> {
        let has_review = |game: &GameId| self.hall.table(game).is_ok_and(|table| lock(&table).has_review());
        let review = |game| has_review(game).then_some(What::Review(Vec::new()));
        let of_game = |game| std::iter::once(What::Game).chain(review(game)).map(|what| News { game: Some(game.clone()), what });
        let games = self.open.iter().flat_map(of_game);
        let general = [What::Games, What::Tournament].map(|what| News { game: None, what });
        let news: Vec<News> = general.into_iter().chain(games).collect();
        news.iter().filter_map(|news| self.render(news)).collect()
    }

    /// News as a message, if they concern it.
    fn render(&mut self, news: &News) -> Option<Reply> {
        let concerns = self.is_greeted && news.game.as_ref().is_none_or(|game| self.open.contains(game));
        match news.what {
            _ if !concerns => None,
            What::Tournament => self.tournament(),
            _ => self.hall.render(news, self.language),
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        for game in self.open.clone() {
            self.leave(&game);
        }
        self.unwatch();
    }
}

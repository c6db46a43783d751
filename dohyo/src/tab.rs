//! One tab: its orders and their answers, its language and its open games.

use std::collections::HashSet;
use std::sync::Arc;

use oshi::games::language::Language;
use tokio::sync::mpsc::Sender;

use crate::driver::Stop;
use crate::game::GameId;
use crate::hall::Hall;
use crate::message::{Answer, GameView, LONGEST, Order, Reply, Request};
use crate::news::{News, What};
use crate::orders::{Caller, Refusal};
use crate::sync::lock;
use crate::watch::Told;

/// A tab; dropping it leaves all games that it looks at.
pub struct Tab {
    hall: Arc<Hall>,
    language: Language,
    open: HashSet<GameId>,
    /// Whether it has sent `hello`: it gets no news before.
    is_greeted: bool,
    late: Sender<Answer>,
    /// The part of the tournament that it has received, if it watches.
    watches: Option<Told>,
}

/// A message to a tab. News are rendered one by one when they are sent, to save memory.
pub enum Saying {
    /// An answer to an order.
    Answer(Box<Answer>),
    /// News, not rendered yet.
    News(News),
}

impl From<Answer> for Saying {
    fn from(answer: Answer) -> Saying {
        Saying::Answer(Box::new(answer))
    }
}

const fn untagged(reply: Reply) -> Answer {
    Answer { tag: None, reply }
}

impl Tab {
    /// A new tab; late answers go to `late`.
    pub fn new(hall: Arc<Hall>, late: Sender<Answer>) -> Tab {
        Tab {
            hall,
            language: Language::default(),
            open: HashSet::new(),
            is_greeted: false,
            late,
            watches: None,
        }
    }

    /// The answers to a message; `stop` cancels a long order.
    pub fn answer(&mut self, text: &str, stop: &Stop) -> Vec<Saying> {
        /// The tag of an invalid order.
        #[derive(serde::Deserialize)]
        struct Tagged {
            #[serde(default)]
            tag: Option<u64>,
        }
        let tag = || serde_json::from_str(text).ok().and_then(|Tagged { tag }| tag);
        if text.len() > LONGEST {
            let text = format!("a message of {} bytes; expected at most {LONGEST}", text.len());
            return vec![Answer { tag: tag(), reply: Reply::Error { text } }.into()];
        }
        /// An order has a name: a number would be taken for its place among all.
        #[derive(serde::Deserialize)]
        struct Named {
            #[serde(rename = "do")]
            _name: String,
        }
        let request: Request =
            match serde_json::from_str(text).and_then(|Named { .. }| serde_json::from_str(text)) {
                Ok(request) => request,
                Err(problem) => {
                    let tag = tag();
                    let text =
                        format!("{problem}; expected a message as dohyo/README.md describes them");
                    return vec![Answer { tag, reply: Reply::Error { text } }.into()];
                }
            };
        let tag = request.tag;
        let is_hello = matches!(request.order, Order::Hello { .. });
        let obeyed = self.obey(
            request.order,
            Caller { language: self.language, tag, late: self.late.clone(), stop: stop.clone() },
        );
        let refused = |refusal: Refusal| vec![Reply::Error { text: refusal.to_string() }];
        let replies = obeyed.unwrap_or_else(refused).into_iter();
        // Orders without a tag get no `done`.
        let is_said = |reply: &Reply| tag.is_some() || !matches!(reply, Reply::Done { .. });
        let answers = replies.filter(is_said).map(|reply| Saying::from(Answer { tag, reply }));
        let news = if is_hello { self.everything() } else { Vec::new() };
        let warnings =
            self.hall.warnings().filter(|_| is_hello).map(|reply| untagged(reply).into());
        answers.chain(news.into_iter().map(Saying::News)).chain(warnings).collect()
    }

    /// Renders a message, unless it does not concern the tab.
    pub fn say(&mut self, saying: Saying) -> Option<Answer> {
        match saying {
            Saying::Answer(answer) => Some(*answer),
            Saying::News(news) => self.render(&news).map(untagged),
        }
    }

    fn obey(&mut self, order: Order, caller: Caller) -> Result<Vec<Reply>, Refusal> {
        match order {
            Order::Hello { lang } => {
                self.language = lang.parse().unwrap_or_default();
                self.is_greeted = true;
                Ok(vec![Reply::Welcome(self.hall.welcome())])
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
                // A tab that asks again gets everything again.
                self.watches = Some(Told::default());
                Ok(self.tournament().into_iter().collect())
            }
            Order::Unwatch => {
                self.unwatch();
                Ok(vec![Reply::Done { node: None }])
            }
            order => {
                let mut replies = self.hall.obey(order, &caller)?;
                for reply in &mut replies {
                    // The tab opens the new game, which starts its clock.
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

    /// The news of the tournament.
    fn tournament(&mut self) -> Option<Reply> {
        let (watch, told) = self.hall.watch.as_ref().zip(self.watches.as_mut())?;
        Some(Reply::Tournament(Box::new(watch.view(told, self.language))))
    }

    /// The list of games, the tournament and all open games, as news.
    pub fn everything(&self) -> Vec<News> {
        let has_review =
            |game: &GameId| self.hall.table(game).is_ok_and(|table| lock(&table).has_review());
        let review = |game| has_review(game).then_some(What::Review(Vec::new()));
        let of_game = |game| {
            std::iter::once(What::Game)
                .chain(review(game))
                .map(|what| News { game: Some(game.clone()), what })
        };
        let games = self.open.iter().flat_map(of_game);
        let general = [What::Games, What::Tournament].map(|what| News { game: None, what });
        general.into_iter().chain(games).collect()
    }

    /// News as a message, if they concern it.
    fn render(&mut self, news: &News) -> Option<Reply> {
        let concerns =
            self.is_greeted && news.game.as_ref().is_none_or(|game| self.open.contains(game));
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

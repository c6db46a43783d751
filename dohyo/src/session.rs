//! The session of one browser tab: its language, its open games and its requests.

use std::collections::HashSet;
use std::sync::Arc;

use dohyo_core::cancel::CancelToken;
use dohyo_core::event::{Event, EventKind};
use dohyo_core::game::GameId;
use dohyo_core::message::{
    GameView, MAX_REQUEST_BYTES, Reply, Request, TaggedReply, TaggedRequest,
};
use oshi::games::language::Language;
use tokio::sync::mpsc::Sender;

use crate::hosted_game::HostedGame;
use crate::requests::{Answer, Caller, RequestError};
use crate::server::Server;
use crate::sync::lock;
use crate::system::now;
use crate::watch::Sent;

/// The session of a tab. Dropping it closes all its games.
pub struct Session {
    server: Arc<Server>,
    language: Language,
    open: HashSet<GameId>,
    /// Whether the tab has sent `hello`. It gets no events before.
    is_greeted: bool,
    late: Sender<TaggedReply>,
    /// The part of the tournament that the tab has received, while it watches.
    watches: Option<Sent>,
}

/// A message to a tab. Events are rendered one at a time, when they are sent, to save memory.
pub enum Outgoing {
    /// A reply to a request.
    Reply(Box<TaggedReply>),
    /// An event that is not rendered yet.
    Event(Event),
}

impl From<TaggedReply> for Outgoing {
    fn from(reply: TaggedReply) -> Outgoing {
        Outgoing::Reply(Box::new(reply))
    }
}

const fn untagged(reply: Reply) -> TaggedReply {
    TaggedReply { tag: None, reply }
}

impl Session {
    /// Starts a session. Late replies go to `late`.
    pub fn new(server: Arc<Server>, late: Sender<TaggedReply>) -> Session {
        Session {
            server,
            language: Language::default(),
            open: HashSet::new(),
            is_greeted: false,
            late,
            watches: None,
        }
    }

    /// Handles a message and returns the replies. `cancel` cancels a long request.
    pub fn handle(&mut self, text: &str, cancel: &CancelToken) -> Vec<Outgoing> {
        /// The tag of an invalid request.
        #[derive(serde::Deserialize)]
        struct Tagged {
            #[serde(default)]
            tag: Option<u64>,
        }
        let tag = || serde_json::from_str(text).ok().and_then(|Tagged { tag }| tag);
        let error = |text| vec![TaggedReply { tag: tag(), reply: Reply::Error { text } }.into()];
        if text.len() > MAX_REQUEST_BYTES {
            let length = text.len();
            return error(format!(
                "a message of {length} bytes; expected at most {MAX_REQUEST_BYTES}"
            ));
        }
        /// The name of a request, which must be a string. `serde` would accept an index, too.
        #[derive(serde::Deserialize)]
        struct Named {
            #[serde(rename = "do")]
            _name: String,
        }
        let request: TaggedRequest = match serde_json::from_str(text)
            .and_then(|Named { .. }| serde_json::from_str(text))
        {
            Ok(request) => request,
            Err(problem) => {
                return error(format!(
                    "invalid message: {problem}; expected one of those in dohyo/core/messages.md"
                ));
            }
        };
        let TaggedRequest { tag, request } = request;
        let is_hello = matches!(request, Request::Hello { .. });
        let caller = Caller {
            language: self.language,
            tag,
            late: self.late.clone(),
            cancel: cancel.clone(),
        };
        let handled = self.try_handle(request, caller);
        let failed = |error: RequestError| vec![Reply::Error { text: error.to_string() }];
        let replies = handled.unwrap_or_else(failed).into_iter();
        // A request without a tag gets no `done`.
        let is_sent = |reply: &Reply| tag.is_some() || !matches!(reply, Reply::Done { .. });
        let replies = replies.filter(is_sent).map(|reply| TaggedReply { tag, reply }.into());
        let events = if is_hello { self.whole_state() } else { Vec::new() };
        let warnings =
            self.server.warnings().filter(|_| is_hello).map(|reply| untagged(reply).into());
        replies.chain(events.into_iter().map(Outgoing::Event)).chain(warnings).collect()
    }

    /// Renders a message. Returns `None` for an event that does not concern the tab.
    pub fn render(&mut self, outgoing: Outgoing) -> Option<TaggedReply> {
        match outgoing {
            Outgoing::Reply(reply) => Some(*reply),
            Outgoing::Event(event) => self.render_event(&event).map(untagged),
        }
    }

    fn try_handle(&mut self, request: Request, caller: Caller) -> Result<Vec<Reply>, RequestError> {
        match request {
            Request::Hello { lang } => {
                self.language = lang.parse().unwrap_or_default();
                self.is_greeted = true;
                Ok(vec![Reply::Welcome(self.server.welcome())])
            }
            Request::Open { game } => {
                self.open(&game)?;
                let hosted = self.server.game(&game)?;
                let hosted = lock(&hosted);
                if hosted.has_review() {
                    self.server.publish(Some(&game), EventKind::Review(Vec::new()));
                }
                Ok(vec![self.whole_game(&hosted)])
            }
            Request::Close { game } => {
                self.close(&game);
                Ok(vec![Reply::Done { node: None }])
            }
            Request::Watch => {
                if self.watches.is_none() {
                    self.server.begin_watching()?;
                }
                // A repeated request gets the whole tournament again.
                self.watches = Some(Sent::default());
                Ok(self.tournament().into_iter().collect())
            }
            Request::Unwatch => {
                self.unwatch();
                Ok(vec![Reply::Done { node: None }])
            }
            request => {
                let answers = self.server.handle(request, &caller)?;
                answers.into_iter().map(|answer| self.reply(answer)).collect()
            }
        }
    }

    /// Returns the reply of an answer. A new game is opened first, which starts its clock.
    fn reply(&mut self, answer: Answer) -> Result<Reply, RequestError> {
        match answer {
            Answer::Reply(reply) => Ok(*reply),
            Answer::Open(game) => {
                self.open(&game)?;
                let hosted = self.server.game(&game)?;
                let hosted = lock(&hosted);
                Ok(self.whole_game(&hosted))
            }
        }
    }

    fn whole_game(&self, hosted: &HostedGame) -> Reply {
        Reply::Game(Box::new(GameView::of(&hosted.game, self.language, now())))
    }

    fn open(&mut self, game: &GameId) -> Result<(), RequestError> {
        let hosted = self.server.game(game)?;
        if self.open.insert(game.clone()) {
            let mut hosted = lock(&hosted);
            hosted.viewers += 1;
            self.server.update(&mut hosted);
        }
        Ok(())
    }

    fn close(&mut self, game: &GameId) {
        if self.open.remove(game)
            && let Ok(hosted) = self.server.game(game)
        {
            let mut hosted = lock(&hosted);
            hosted.viewers = hosted.viewers.saturating_sub(1);
            self.server.stop_analysis_for(&mut hosted, &self.late);
            if hosted.viewers == 0 {
                self.server.update(&mut hosted);
            }
        }
    }

    fn unwatch(&mut self) {
        if self.watches.take().is_some() {
            self.server.end_watching();
        }
    }

    /// Returns the part of the tournament that the tab has not received.
    fn tournament(&mut self) -> Option<Reply> {
        let (watch, sent) = self.server.watch.as_ref().zip(self.watches.as_mut())?;
        Some(Reply::Tournament(Box::new(watch.view(sent, self.language))))
    }

    /// Returns events for the list of games, the tournament and all open games.
    pub fn whole_state(&self) -> Vec<Event> {
        let has_review =
            |game: &GameId| self.server.game(game).is_ok_and(|hosted| lock(&hosted).has_review());
        let review = |game| has_review(game).then_some(EventKind::Review(Vec::new()));
        let of_game = |game| {
            std::iter::once(EventKind::Game)
                .chain(review(game))
                .map(|kind| Event { game: Some(game.clone()), kind })
        };
        let games = self.open.iter().flat_map(of_game);
        let general =
            [EventKind::Games, EventKind::Tournament].map(|kind| Event { game: None, kind });
        general.into_iter().chain(games).collect()
    }

    fn render_event(&mut self, event: &Event) -> Option<Reply> {
        let is_relevant =
            self.is_greeted && event.game.as_ref().is_none_or(|game| self.open.contains(game));
        match event.kind {
            _ if !is_relevant => None,
            EventKind::Tournament => self.tournament(),
            _ => self.server.render(event, self.language),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for game in self.open.clone() {
            self.close(&game);
        }
        self.unwatch();
    }
}

//! The session of one browser tab: its language, its open games and its requests.

use std::collections::HashSet;
use std::sync::Arc;

use oshi::games::language::Language;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::hosted_game::HostedGame;
use super::requests::{Answer, Caller, RequestError};
use super::{Lobby, WatchError};
use crate::cancel::CancelToken;
use crate::event::{Event, EventKind};
use crate::game::GameId;
use crate::message::{
    GameView, MAX_REPLY_BYTES, MAX_REQUEST_BYTES, Reply, Request, Sent, TaggedReply, TaggedRequest,
};
use crate::sync::lock;

/// Maximum number of queued late replies.
const MAX_LATE: usize = 64;

/// The session of a tab. Dropping it closes all its games.
pub struct Session {
    lobby: Arc<Lobby>,
    language: Language,
    open: HashSet<GameId>,
    /// Whether the tab has sent `hello`. It gets no events before.
    is_greeted: bool,
    late: Sender<TaggedReply>,
    late_replies: Receiver<TaggedReply>,
    events: broadcast::Receiver<Event>,
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
    /// Starts a session.
    pub fn new(lobby: Arc<Lobby>) -> Session {
        let (late, late_replies) = channel(MAX_LATE);
        Session {
            events: lobby.subscribe(),
            lobby,
            language: Language::default(),
            open: HashSet::new(),
            is_greeted: false,
            late,
            late_replies,
            watches: None,
        }
    }

    /// Waits for messages that are no replies to [`Session::handle`]: late replies and events.
    /// Safe to cancel.
    pub async fn next(&mut self) -> Vec<Outgoing> {
        tokio::select! {
            reply = self.late_replies.recv() => reply.into_iter().map(Outgoing::from).collect(),
            received = self.events.recv() => match received {
                Ok(event) => vec![Outgoing::Event(event)],
                // Too slow for single events: send the whole state.
                Err(RecvError::Lagged(_)) => {
                    self.events = self.events.resubscribe();
                    self.whole_state().into_iter().map(Outgoing::Event).collect()
                }
                // The session keeps the lobby, and so the sender of the events.
                Err(RecvError::Closed) => std::future::pending().await,
            },
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
            self.lobby.warnings().filter(|_| is_hello).map(|reply| untagged(reply).into());
        replies.chain(events.into_iter().map(Outgoing::Event)).chain(warnings).collect()
    }

    /// Renders a message as JSON. Returns `None` for an event that does not concern the tab. A
    /// reply that is too long becomes an error.
    pub fn render(&mut self, outgoing: Outgoing) -> Option<String> {
        let reply = match outgoing {
            Outgoing::Reply(reply) => *reply,
            Outgoing::Event(event) => self.render_event(&event).map(untagged)?,
        };
        let text = serde_json::to_string(&reply).ok()?;
        if text.len() <= MAX_REPLY_BYTES {
            return Some(text);
        }
        let text = format!("a reply of {} bytes; expected at most {MAX_REPLY_BYTES}", text.len());
        let error = TaggedReply { tag: reply.tag, reply: Reply::Error { text } };
        serde_json::to_string(&error).ok()
    }

    fn try_handle(&mut self, request: Request, caller: Caller) -> Result<Vec<Reply>, RequestError> {
        match request {
            Request::Hello { lang } => {
                self.language = lang.parse().unwrap_or_default();
                self.is_greeted = true;
                Ok(vec![Reply::Welcome(self.lobby.welcome())])
            }
            Request::Open { game } => {
                self.open(&game)?;
                let hosted = self.lobby.game(&game)?;
                let hosted = lock(&hosted);
                if hosted.has_review() {
                    self.lobby.publish(Some(&game), EventKind::Review(Vec::new()));
                }
                Ok(vec![self.whole_game(&hosted)])
            }
            Request::Close { game } => {
                self.close(&game);
                Ok(vec![Reply::Done { node: None }])
            }
            Request::Watch => {
                if self.watches.is_none() {
                    let tournament = Arc::clone(self.lobby.tournament()?);
                    tournament.add_viewer(&self.lobby).map_err(WatchError::from)?;
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
                let answers = self.lobby.handle(request, &caller)?;
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
                let hosted = self.lobby.game(&game)?;
                let hosted = lock(&hosted);
                Ok(self.whole_game(&hosted))
            }
        }
    }

    fn whole_game(&self, hosted: &HostedGame) -> Reply {
        Reply::Game(Box::new(GameView::of(&hosted.game, self.language, self.lobby.now())))
    }

    fn open(&mut self, game: &GameId) -> Result<(), RequestError> {
        let hosted = self.lobby.game(game)?;
        if self.open.insert(game.clone()) {
            let mut hosted = lock(&hosted);
            hosted.viewers += 1;
            self.lobby.update(&mut hosted);
        }
        Ok(())
    }

    fn close(&mut self, game: &GameId) {
        if self.open.remove(game)
            && let Ok(hosted) = self.lobby.game(game)
        {
            let mut hosted = lock(&hosted);
            hosted.viewers = hosted.viewers.saturating_sub(1);
            self.lobby.stop_analysis_for(&mut hosted, &self.late);
            if hosted.viewers == 0 {
                self.lobby.update(&mut hosted);
            }
        }
    }

    fn unwatch(&mut self) {
        if self.watches.take().is_some()
            && let Ok(tournament) = self.lobby.tournament()
        {
            tournament.remove_viewer();
        }
    }

    /// Returns the part of the tournament that the tab has not received.
    fn tournament(&mut self) -> Option<Reply> {
        let (tournament, sent) = self.lobby.watch.as_ref().zip(self.watches.as_mut())?;
        Some(Reply::Tournament(Box::new(tournament.view(sent, self.language))))
    }

    /// Returns events for the list of games, the tournament and all open games.
    fn whole_state(&self) -> Vec<Event> {
        let has_review =
            |game: &GameId| self.lobby.game(game).is_ok_and(|hosted| lock(&hosted).has_review());
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
            _ => self.lobby.render(event, self.language),
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

//! Handles the requests of pages.

use std::sync::Arc;

use oshi::games::language::Language;
use oshi::games::{PositionError, StartPosition, Variant, layout_names, variant_names};
use oshi::protocol::Level;
use tokio::sync::mpsc::Sender;

use super::hosted_game::HostedGame;
use super::{AddError, Lobby, RemoveError, UnknownGame, WatchError};
use crate::board::{self, Board};
use crate::cancel::{CancelToken, Cancelled};
use crate::event::EventKind;
use crate::export::{self, ExportError};
use crate::game::{By, Game, GameError, GameId, MAX_TIME_MS, Seat, SeatKind};
use crate::host::SpawnError;
use crate::import::{self, ImportOptions};
use crate::message::{CheckedView, ClockRequest, Reply, Request, StartRequest, TaggedReply};
use crate::sync::lock;

/// Number of imported games per list event.
const LISTED: usize = 256;

/// A failed request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Unknown game.
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    /// Invalid action on a game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Invalid position line.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Unknown name of a variant, a layout or a level.
    #[error("unknown {what} `{found}`; expected {expected}")]
    Word {
        /// Kind of name.
        what: &'static str,
        /// The unknown name.
        found: String,
        /// Known names.
        expected: String,
    },
    /// The new game cannot be added.
    #[error(transparent)]
    Add(#[from] AddError),
    /// Invalid list of moves.
    #[error(transparent)]
    Text(#[from] basho::records::convert::ConvertError),
    /// The format cannot hold the game.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Time that is too long.
    #[error("a time of {0} ms; expected at most {MAX_TIME_MS}")]
    Time(u64),
    /// The tournament or its game is not available.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The system has no more threads.
    #[error(transparent)]
    Thread(#[from] SpawnError),
    /// The request was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The game cannot be removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// Unknown index of an engine.
    #[error("no engine {0}; expected one of the command line")]
    Engine(usize),
}

/// Returns the value of a name, or an error that lists the known names.
fn word<T>(
    what: &'static str,
    found: &str,
    value: Option<T>,
    expected: impl FnOnce() -> String,
) -> Result<T, RequestError> {
    value.ok_or_else(|| RequestError::Word {
        what,
        found: oshi::game::quote(found),
        expected: expected(),
    })
}

/// The tab that sent a request.
pub struct Caller {
    /// Language of the replies.
    pub language: Language,
    /// Tag of the request.
    pub tag: Option<u64>,
    /// Channel of replies that are sent later.
    pub late: Sender<TaggedReply>,
    /// Cancels the request when the tab closes or the server shuts down.
    pub cancel: CancelToken,
}

/// What a tab receives after a request.
pub enum Answer {
    /// A reply.
    Reply(Box<Reply>),
    /// A new game, which the tab opens.
    Open(GameId),
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Answer {
        Answer::Reply(Box::new(reply))
    }
}

impl Lobby {
    /// Handles a request and returns its answers. The session handles the requests that concern
    /// only its tab.
    ///
    /// # Errors
    /// [`RequestError`]: nothing has changed, except that some games of a text may be imported.
    pub(super) fn handle(
        self: &Arc<Self>,
        request: Request,
        caller: &Caller,
    ) -> Result<Vec<Answer>, RequestError> {
        let language = caller.language;
        match request {
            // Handled by the session.
            Request::Hello { .. }
            | Request::Open { .. }
            | Request::Close { .. }
            | Request::Watch
            | Request::Unwatch => {}
            Request::Games => return Ok(vec![self.list().into()]),
            Request::New { variant, layout, start, players, clock, swap } => {
                let variant = word("variant", &variant, variant.parse().ok(), variant_names)?;
                let mut seats = self.seats(players)?;
                if swap {
                    seats.reverse();
                }
                let (board, moves) =
                    start_of(variant, layout.as_deref(), start, || self.system.random())?;
                let now = self.now();
                let mut game = Game::new(self.system.new_game_id(), board, seats, None, now);
                game.begun = Some(now.unix_ms);
                game.play_opening(&moves, now)?;
                game.set_clock(clock.map(times).transpose()?, now);
                return self.add_new(game).map(|id| vec![Answer::Open(id)]);
            }
            Request::Delete { game } => self.remove(&game)?,
            Request::Play { game: id, node, r#move, branch } => {
                let hosted = self.game(&id)?;
                let mut hosted = lock(&hosted);
                let by = if branch { By::Viewer } else { By::Person };
                let played = hosted.game.play(node, &r#move, by, self.now())?;
                self.publish(Some(&id), EventKind::Node(played.node));
                if played.in_game {
                    self.update(&mut hosted);
                    self.publish_standing(&hosted);
                } else {
                    self.save(&hosted.game);
                }
                return Ok(vec![Reply::Done { node: Some(played.node) }.into()]);
            }
            Request::Resume { game, node, players, clock } => {
                let seats = players.map(|players| self.seats(players)).transpose()?;
                let clock = clock.map(times).transpose()?;
                self.change(&game, EventKind::Players, |hosted| {
                    hosted.game.resume_from(node, self.now())?;
                    if let Some(seats) = seats {
                        hosted.game.seats = seats;
                        hosted.game.set_clock(clock, self.now());
                    }
                    Ok(())
                })?;
            }
            Request::TakeBack { game } => {
                self.change(&game, EventKind::Head, |hosted| hosted.game.take_back(self.now()))?
            }
            Request::Resign { game } => {
                self.change(&game, EventKind::Head, |hosted| hosted.game.resign(self.now()))?
            }
            Request::Hint { game: id, node } => {
                let hosted = self.game(&id)?;
                let hosted = lock(&hosted);
                let board = hosted.game.board(node)?.clone();
                let (late, tag) = (caller.late.clone(), caller.tag);
                let send = move |best: Result<String, String>| {
                    let reply = match best {
                        Ok(best) => {
                            let line = board.replay(std::slice::from_ref(&best), language);
                            let name = line.into_iter().next().map(|mv| mv.name);
                            let name = name.unwrap_or_default();
                            Reply::Hint { game: id, node, r#move: best, name }
                        }
                        Err(text) => Reply::Error { text },
                    };
                    // Fails only for a tab that is gone or far behind.
                    let _ = late.try_send(TaggedReply { tag, reply });
                };
                self.hint(&hosted, node, send)?;
                return Ok(Vec::new());
            }
            Request::Review { game, ms } => {
                self.start_review(&mut lock(&*self.game(&game)?), ms)?;
            }
            Request::StopReview { game } => self.stop_review(&mut lock(&*self.game(&game)?)),
            Request::Import { text, name, variant } => {
                let named = variant
                    .as_deref()
                    .map_or_else(|| Some(Variant::default()), |name| name.parse().ok());
                let variant =
                    word("variant", variant.as_deref().unwrap_or_default(), named, variant_names)?;
                return self.import(&text, &name, variant, caller);
            }
            Request::Export { game, node, r#as: format } => {
                let hosted = self.game(&game)?;
                let game = &lock(&hosted).game;
                let date = game.begun.and_then(|begun| self.system.local_date(begun));
                let export = export::export(game, node, format, language, date, self.now())?;
                return Ok(vec![Reply::Exported(export).into()]);
            }
            Request::CopyWatched { game } => {
                let game = self.tournament()?.game(game).map_err(WatchError::Game)?;
                caller.cancel.check()?;
                return self.add_new(game).map(|id| vec![Answer::Open(id)]);
            }
            Request::Check { position } => {
                let checked = CheckedView::of(&board::read(&position)?, language);
                return Ok(vec![Reply::Checked(Box::new(checked)).into()]);
            }
            Request::Swap { game } => self.change(&game, EventKind::Players, |hosted| {
                hosted.game.seats.reverse();
                Ok(())
            })?,
            Request::Players { game, players, clock } => {
                let (seats, clock) = (self.seats(players)?, clock.map(times).transpose()?);
                self.change(&game, EventKind::Players, |hosted| {
                    hosted.game.seats = seats;
                    hosted.game.set_clock(clock, self.now());
                    Ok(())
                })?;
            }
            Request::Pause { game, on } => self.change(&game, EventKind::Head, |hosted| {
                hosted.game.pause(on, self.now());
                Ok(())
            })?,
            Request::Promote { game, node } => {
                self.change(&game, EventKind::Game, |hosted| hosted.game.promote(node, self.now()))?
            }
            Request::Prune { game, node } => {
                self.change(&game, EventKind::Pruned(node), |hosted| {
                    hosted.game.prune(node, self.now())?;
                    self.stop_review_if_pruned(hosted);
                    Ok(())
                })?;
                self.publish(Some(&game), EventKind::Head);
            }
            Request::Analyse { game, node, lines, engine } => {
                self.engine(engine)?;
                let hosted = self.game(&game)?;
                let lines = u32::try_from(lines).unwrap_or(u32::MAX);
                self.start_analysis(&mut lock(&hosted), node, lines, engine, caller.late.clone())?;
            }
            Request::StopAnalysis { game } => self.stop_analysis(&mut lock(&*self.game(&game)?)),
        }
        Ok(vec![Reply::Done { node: None }.into()])
    }

    /// Changes a game, publishes the event, and updates the engines.
    fn change(
        self: &Arc<Self>,
        id: &GameId,
        event: EventKind,
        change: impl FnOnce(&mut HostedGame) -> Result<(), GameError>,
    ) -> Result<(), RequestError> {
        let hosted = self.game(id)?;
        let mut hosted = lock(&hosted);
        change(&mut hosted)?;
        // Published before the events of the engine to move.
        self.publish(Some(id), event);
        self.update(&mut hosted);
        self.publish_listed(id);
        Ok(())
    }

    /// Publishes the new or changed list entry of a game.
    pub fn publish_listed(&self, id: &GameId) {
        self.publish(None, EventKind::Listed(std::iter::once(id.clone()).collect()));
    }

    fn seats(&self, players: [SeatKind; 2]) -> Result<[Seat; 2], RequestError> {
        let [black, white] = players;
        Ok([self.seat(black)?, self.seat(white)?])
    }

    fn seat(&self, player: SeatKind) -> Result<Seat, RequestError> {
        let SeatKind::Engine { engine, level, movetime } = player else {
            return Ok(Seat::default());
        };
        if let Some(level) = &level {
            let names =
                || Level::ALL.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ");
            word("level", level, level.parse::<Level>().ok(), names)?;
        }
        let name = Seat::name_of(self.engine(engine)?, level.as_deref());
        let movetime = movetime.map(time).transpose()?;
        Ok(Seat { kind: SeatKind::Engine { engine, level, movetime }, name })
    }

    fn engine(&self, index: usize) -> Result<&str, RequestError> {
        let name = self.pool.engines().names().get(index);
        name.map(String::as_str).ok_or(RequestError::Engine(index))
    }

    /// Adds a game, publishes its list entry and returns its id.
    fn add_new(&self, game: Game) -> Result<GameId, RequestError> {
        let id = game.id.clone();
        self.add(game)?;
        self.publish_listed(&id);
        Ok(id)
    }

    /// Adds the games of a text. The tab opens the first. After an error or a cancellation, the
    /// games that were added before stay.
    fn import(
        &self,
        text: &str,
        title: &str,
        variant: Variant,
        caller: &Caller,
    ) -> Result<Vec<Answer>, RequestError> {
        let room = self.room();
        let cancel = caller.cancel.clone();
        let options = ImportOptions { title, variant, room, now: self.now(), cancel };
        let import = import::import(text, &options, &mut || self.system.new_game_id())?;
        let count = import.games.len();
        self.check_room(count)?;
        let (mut games, mut published) = (Vec::with_capacity(count), 0);
        let publish = |games: &[GameId]| self.publish(None, EventKind::Listed(games.into()));
        for mut game in import.games {
            self.pool.resolve_engines(&mut game.seats);
            let id = game.id.clone();
            let added = if caller.cancel.is_cancelled() {
                Err(Cancelled.into())
            } else {
                self.add(game).map_err(RequestError::from)
            };
            let is_last = added.is_err() || games.len() + 1 == count;
            games.extend(added.is_ok().then_some(id));
            if is_last || games.len() - published == LISTED {
                publish(games.get(published..).unwrap_or_default());
                published = games.len();
            }
            added?;
        }
        let first = games.first().cloned().map(Answer::Open);
        let imported = Reply::Imported { games, errors: import.errors, omitted: import.omitted };
        Ok(std::iter::once(imported.into()).chain(first).collect())
    }
}

/// Returns the start of a new game and the opening moves.
fn start_of(
    variant: Variant,
    layout: Option<&str>,
    start: StartRequest,
    random: impl FnOnce() -> u64,
) -> Result<(Board, Vec<String>), RequestError> {
    let layout = layout.unwrap_or_default();
    let named = if layout.is_empty() { Some(Default::default()) } else { layout.parse().ok() };
    let layout = word("layout", layout, named, layout_names)?;
    let from_seed = |seed| (board::start(StartPosition { variant, layout, seed }), Vec::new());
    Ok(match start {
        StartRequest::Usual => from_seed(None),
        StartRequest::Random => from_seed(Some(random())),
        StartRequest::Seed(seed) => from_seed(Some(seed)),
        StartRequest::Position(line) => (board::read(&line)?, Vec::new()),
        StartRequest::Line(line) => {
            let sheet = import::read_line(&line, variant)?;
            (board::read(&sheet.start)?, sheet.moves)
        }
    })
}

fn times(clock: ClockRequest) -> Result<(u64, u64), RequestError> {
    Ok((time(clock.ms)?, time(clock.inc)?))
}

/// Checks that a time is short enough to be added to a clock after every move.
fn time(ms: u64) -> Result<u64, RequestError> {
    if ms <= MAX_TIME_MS { Ok(ms) } else { Err(RequestError::Time(ms)) }
}

//! A game in progress: asks the engine to move, runs the clocks and gives hints.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use oshi::game::Player;
use oshi::protocol::{Command, Go, Level};

use super::hosted_game::{EngineTurn, HostedGame};
use super::requests::RequestError;
use crate::cancel::CancelToken;
use crate::engine::{DriverError, Job, Purpose, SearchRequest, SearchResult};
use crate::event::{EventKind, Severity, Thinking};
use crate::game::{By, GameError, GameId, NodeId, Seat, SeatKind, State};
use crate::lobby::Lobby;
use crate::search_output::SearchOutput;
use crate::sync::lock;

/// Default time per move of an engine in milliseconds.
const MOVE_TIME: u64 = 1_000;

/// Default time per move of an engine at a level. Its node limit ends the search much earlier.
const LEVEL_TIME: u64 = 10_000;

/// Time of a hint.
const HINT_TIME: Duration = Duration::from_millis(500);

/// Minimum time per move between two engines without a clock, so that a person can follow.
const PACE: Duration = Duration::from_millis(250);

/// Interval at which a paced move polls its cancel token.
const PACE_POLL: Duration = Duration::from_millis(5);

/// Number of consecutive failures of an engine after which the game is paused.
const MAX_FAILURES: u32 = 3;

impl Lobby {
    /// Updates timers and engines after a change of a game, and saves it. The clock runs and the
    /// engine to move searches only while the game is in progress and has viewers.
    pub fn update(self: &Arc<Self>, hosted: &mut HostedGame) {
        let is_playing = hosted.game.state == State::Playing;
        if is_playing && hosted.viewers > 0 {
            hosted.game.start_timer(self.now());
        } else {
            hosted.game.stop_timer(self.now());
        }
        let wanted =
            hosted.game.seat_to_move().filter(|seat| is_playing && seat.is_engine()).cloned();
        let head = hosted.game.head;
        let is_current =
            |turn: &EngineTurn| turn.node == head && wanted.as_ref() == Some(&turn.seat);
        if hosted.viewers == 0 || !hosted.engine_turn.as_ref().is_some_and(is_current) {
            if let Some(turn) = hosted.engine_turn.take() {
                turn.cancel.cancel();
            }
            if hosted.viewers > 0
                && let Some(seat) = wanted
            {
                self.start_engine_move(hosted, seat);
            }
        }
        self.set_timer(hosted);
        self.save(&hosted.game);
    }

    /// Returns the options that every engine gets.
    pub fn common_options(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("Threads", "1".to_owned()),
            ("Hash", self.pool.engines().hash_mib().to_string()),
            ("UCI_LimitStrength", false.to_string()),
        ])
    }

    /// Starts the search of the engine to move.
    fn start_engine_move(self: &Arc<Self>, hosted: &mut HostedGame, seat: Seat) {
        let game = &hosted.game;
        let (Some(side), Ok(board)) = (game.turn(), game.board(game.head)) else { return };
        let SeatKind::Engine { engine, level, movetime } = seat.kind.clone() else { return };
        let elo = level.as_deref().and_then(|name| name.parse::<Level>().ok()).and_then(Level::elo);
        let mut options = self.common_options();
        if let Some(elo) = elo {
            options.insert("UCI_LimitStrength", true.to_string());
            options.insert("UCI_Elo", elo.to_string());
            // The mistakes of a level differ between games. Only set here, because other engines
            // may lack the option.
            options.insert("Seed", seed(&game.id).to_string());
        }
        let time = |ms: u64| Duration::from_millis(ms);
        let (go, allowed) = match game.clock {
            Some(clock) => {
                let left = Player::ALL.map(|player| game.time_left(player, self.now()).map(time));
                let go = Go { time: left, increment: [Some(time(clock.inc)); 2], ..Go::default() };
                (go, left.get(side.index()).copied().flatten().unwrap_or_default())
            }
            None => {
                let allowed =
                    time(movetime.unwrap_or(if elo.is_some() { LEVEL_TIME } else { MOVE_TIME }));
                (Go { move_time: Some(allowed), ..Go::default() }, allowed)
            }
        };
        let request = SearchRequest {
            position: game.command_to(game.head),
            go: Command::Go(go).to_string(),
            allowed: Some(allowed),
            variant: board.variant(),
            lines: None,
            options,
        };
        let is_paced = game.seats.iter().all(Seat::is_engine) && game.clock.is_none();
        let pace = if is_paced { PACE.min(allowed) } else { Duration::ZERO };
        let turn = EngineTurn { node: game.head, seat, cancel: CancelToken::default() };
        let job = Job { game: game.id.clone(), purpose: Purpose::Side(side.index()), engine };
        let (node, cancel, since) = (turn.node, turn.cancel.clone(), self.now().unix_ms);
        let report = {
            let (lobby, id) = (Arc::clone(self), job.game.clone());
            move |output: &SearchOutput| {
                let thinking = Thinking { node, side, since, output: Arc::new(output.clone()) };
                lobby.publish(Some(&id), EventKind::Thinking(thinking));
            }
        };
        report(&SearchOutput::default());
        let lobby = Arc::clone(self);
        let search = async move {
            let end = lobby.now().monotonic + pace;
            let result = lobby.pool.search(&job, &request, &cancel, report).await;
            while lobby.now().monotonic < end && !cancel.is_cancelled() {
                lobby.system.sleep(PACE_POLL).await;
            }
            lobby.finish_engine_move(&job.game, node, &cancel, result, elo.is_some());
        };
        match self.spawn("engine move", search) {
            Ok(()) => hosted.engine_turn = Some(turn),
            Err(error) => self.publish(
                Some(&hosted.game.id),
                EventKind::Message(Severity::Error, error.to_string()),
            ),
        }
    }

    /// Plays the move of an engine, or handles its failure.
    fn finish_engine_move(
        self: &Arc<Self>,
        id: &GameId,
        node: NodeId,
        cancel: &CancelToken,
        result: Result<SearchResult, DriverError>,
        has_level: bool,
    ) {
        let Ok(hosted) = self.game(id) else { return };
        let mut hosted = lock(&hosted);
        // A search is cancelled only while its game is locked, so this check holds below.
        if cancel.is_cancelled() || matches!(result, Err(DriverError::Cancelled)) {
            return;
        }
        let name = hosted.engine_turn.take().map(|turn| turn.seat.name).unwrap_or_default();
        let side = hosted.game.turn();
        let failed = |error: DriverError| (error.to_string(), error.stderr_tail());
        let played = result.map_err(failed).and_then(|result| {
            if hosted.game.end_on_time(self.now()) {
                return Ok(None);
            }
            if has_level
                && !result.has_levels
                && hosted.failures == 0
                && hosted.game.path(node).len() <= 2
            {
                let text = format!("{name} has no levels: it plays by time");
                self.publish(Some(id), EventKind::Message(Severity::Info, text));
            }
            let best = result.best.as_deref().unwrap_or("(none)");
            let illegal = |error: GameError| (error.to_string(), result.stderr_tail.clone());
            let played = hosted.game.play(node, best, By::Engine, self.now()).map_err(illegal)?;
            let eval = side.filter(|_| !has_level).and_then(|side| result.output.eval(side));
            if eval.is_some_and(|eval| hosted.game.record_eval(node, eval)) {
                self.publish(Some(id), EventKind::Eval(node));
            }
            Ok(Some(played))
        });
        match played {
            Ok(played) => {
                hosted.failures = 0;
                if let Some(played) = played {
                    self.publish(Some(id), EventKind::Node(played.node));
                }
            }
            Err((error, stderr_tail)) => {
                hosted.failures += 1;
                self.pool
                    .end_idle(|job| job.game == *id && matches!(job.purpose, Purpose::Side(_)));
                let (severity, text) = if hosted.failures < MAX_FAILURES {
                    (Severity::Warning, format!("{name}: {error}; the engine is restarted"))
                } else {
                    hosted.failures = 0;
                    hosted.game.pause(true, self.now());
                    let paused = format!("the game is paused after {MAX_FAILURES} failures");
                    (Severity::Error, format!("{name}: {error}; {paused}"))
                };
                let text = format!("{text}{stderr_tail}");
                self.publish(Some(id), EventKind::Message(severity, text));
            }
        }
        self.update(&mut hosted);
        self.publish_standing(&hosted);
    }

    /// Publishes the state of a game, and its list entry if it is over.
    pub fn publish_standing(&self, hosted: &HostedGame) {
        self.publish(Some(&hosted.game.id), EventKind::Head);
        if hosted.game.state == State::Over {
            self.publish_listed(&hosted.game.id);
        }
    }

    /// Searches for a good move, and passes it to `reply` later.
    ///
    /// # Errors
    /// Unknown position, finished game, or no thread for the engine.
    pub fn hint(
        self: &Arc<Self>,
        hosted: &HostedGame,
        node: NodeId,
        reply: impl FnOnce(Result<String, String>) + Send + 'static,
    ) -> Result<(), RequestError> {
        let game = &hosted.game;
        let board = game.board(node)?;
        if board.turn().is_none() {
            return Err(GameError::Over.into());
        }
        let go = Go { move_time: Some(HINT_TIME), ..Go::default() };
        let request = SearchRequest {
            position: game.command_to(node),
            go: Command::Go(go).to_string(),
            allowed: Some(HINT_TIME),
            variant: board.variant(),
            lines: None,
            options: self.common_options(),
        };
        let job = Job { game: game.id.clone(), purpose: Purpose::Hint, engine: 0 };
        let lobby = Arc::clone(self);
        self.spawn("hint", async move {
            let cancel = CancelToken::default();
            let result = lobby.pool.search(&job, &request, &cancel, |_| ()).await;
            let result = result.map_err(|error| format!("{error}{}", error.stderr_tail()));
            let no_move = |stderr_tail| format!("the engine found no move{stderr_tail}");
            reply(result.and_then(|result| result.best.ok_or_else(|| no_move(result.stderr_tail))));
        })?;
        Ok(())
    }

    /// Sets the timer that ends the game when the player to move runs out of time.
    fn set_timer(self: &Arc<Self>, hosted: &mut HostedGame) {
        hosted.timer = None;
        let game = &hosted.game;
        let player = game.turn().filter(|_| game.is_running());
        let Some(left) = player.and_then(|player| game.time_left(player, self.now())) else {
            return;
        };
        let (lobby, id, head) = (Arc::clone(self), game.id.clone(), game.head);
        let time = Duration::from_millis(left.saturating_add(1));
        let check = move || lobby.check_clock(&id, head);
        hosted.timer = Some(self.system.after(time, Box::new(check)));
    }

    /// Ends a game if it is still at `head` and the player to move has run out of time.
    fn check_clock(self: &Arc<Self>, id: &GameId, head: NodeId) {
        let Ok(hosted) = self.game(id) else { return };
        let mut hosted = lock(&hosted);
        let game = &mut hosted.game;
        if game.head == head && game.is_running() && game.end_on_time(self.now()) {
            self.update(&mut hosted);
            self.publish_standing(&hosted);
        }
    }
}

/// Returns a value for the option `Seed`, the same throughout a game.
fn seed(id: &GameId) -> u32 {
    id.to_string().bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
        >> 1
}

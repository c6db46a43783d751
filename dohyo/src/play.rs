//! A game in play: whoever is to move is asked, and clocks run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use oshi::game::Player;
use oshi::protocol::{Command, Go, Level};

use crate::driver::{Answer, DriverError, Question, Sight, Stop, common_options};
use crate::engines::{Duty, Need};
use crate::game::{By, GameFault, GameId, NodeId, Seat, SeatKind, State, now};
use crate::hall::Hall;
use crate::news::{Gravity, Thinking, What};
use crate::orders::Refusal;
use crate::sync::lock;
use crate::table::{Mover, Table};

/// The time for a move of an engine that nobody gave one.
const MOVE_TIME: u64 = 1_000;

/// The same at a level: its nodes end the search long before.
const LEVEL_TIME: u64 = 10_000;

/// How long a hint may take.
const HINT_TIME: Duration = Duration::from_millis(500);

/// Between two engines, a move takes at least this long, or its time if that is shorter: people watch.
const PACE: Duration = Duration::from_millis(250);

/// After so many failures in a row the game is paused.
const MOST_FAILURES: u32 = 3;

impl Hall {
    /// After any change of a game: time runs or stands still, the engine that is to move thinks and no other, and the game is kept.
    pub fn attend(self: &Arc<Self>, table: &mut Table) {
        let is_live = table.game.state == State::Playing;
        if is_live && table.viewers > 0 {
            table.game.run();
        } else {
            table.game.hold();
        }
        let wanted = table.game.seat_to_move().filter(|seat| is_live && seat.is_engine()).cloned();
        let head = table.game.head;
        let is_right = |mover: &Mover| mover.node == head && wanted.as_ref() == Some(&mover.seat);
        if table.viewers == 0 || !table.mover.as_ref().is_some_and(is_right) {
            if let Some(mover) = table.mover.take() {
                mover.stop.pull();
            }
            if table.viewers > 0
                && let Some(seat) = wanted
            {
                self.ask_mover(table, seat);
            }
        }
        self.set_timer(table);
        self.save(&table.game);
    }

    /// Asks the engine in this seat for its move.
    fn ask_mover(self: &Arc<Self>, table: &mut Table, seat: Seat) {
        let game = &table.game;
        let (Some(side), Ok(board)) = (game.turn(), game.board(game.head)) else { return };
        let SeatKind::Engine { engine, level, movetime } = seat.kind.clone() else { return };
        let elo = level.as_deref().and_then(|name| name.parse::<Level>().ok()).and_then(Level::elo);
        let mut options = common_options();
        if let Some(elo) = elo {
            options.insert("UCI_LimitStrength", true.to_string());
            options.insert("UCI_Elo", elo.to_string());
            // Another game, other mistakes; and other engines than this one may have none.
            options.insert("Seed", seed(&game.id).to_string());
        }
        let time = |ms: u64| Duration::from_millis(ms);
        let (go, allowed) = match game.clock {
            Some(clock) => {
                let left = Player::ALL.map(|player| game.left(player).map(time));
                let go = Go { time: left, increment: [Some(time(clock.inc)); 2], ..Go::default() };
                (go, left.get(side.index()).copied().flatten().unwrap_or_default())
            }
            None => {
                let allowed =
                    time(movetime.unwrap_or(if elo.is_some() { LEVEL_TIME } else { MOVE_TIME }));
                (Go { move_time: Some(allowed), ..Go::default() }, allowed)
            }
        };
        let question = Question {
            position: game.command_to(game.head),
            go: Command::Go(go).to_string(),
            allowed: Some(allowed),
            variant: board.variant(),
            options,
        };
        let is_show = game.seats.iter().all(Seat::is_engine) && game.clock.is_none();
        let pace = if is_show { PACE.min(allowed) } else { Duration::ZERO };
        let mover = Mover { node: game.head, seat, stop: Stop::default() };
        let duty = Duty { game: game.id.clone(), need: Need::Side(side.index()), engine };
        let (node, stop, since) = (mover.node, mover.stop.clone(), now());
        let tell = {
            let (hall, id) = (Arc::clone(self), duty.game.clone());
            move |sight: &Sight| {
                let thinking = Thinking { node, side, since, sight: Arc::new(sight.clone()) };
                hall.tell(Some(&id), What::Thinking(thinking));
            }
        };
        tell(&Sight::default());
        let hall = Arc::clone(self);
        let ask = move || {
            let begun = Instant::now();
            let answer = hall.pool.ask(&duty, &question, &stop, tell);
            while begun.elapsed() < pace && !stop.is_pulled() {
                std::thread::sleep(Duration::from_millis(5));
            }
            hall.hear_mover(&duty.game, node, &stop, answer, elo.is_some());
        };
        match self.spawn("mover", ask) {
            Ok(()) => table.mover = Some(mover),
            Err(error) => {
                self.tell(Some(&table.game.id), What::Message(Gravity::Error, error.to_string()))
            }
        }
    }

    /// What the engine that is to move has said.
    fn hear_mover(
        self: &Arc<Self>,
        id: &GameId,
        node: NodeId,
        stop: &Stop,
        answer: Result<Answer, DriverError>,
        has_level: bool,
    ) {
        let Ok(table) = self.table(id) else { return };
        let mut table = lock(&table);
        // Whoever pulls the switch holds the table: what is wanted now is still wanted below.
        if stop.is_pulled() || matches!(answer, Err(DriverError::Stopped)) {
            return;
        }
        let name = table.mover.take().map(|mover| mover.seat.name).unwrap_or_default();
        let side = table.game.turn();
        let failed = |error: DriverError| (error.to_string(), error.last_words());
        let played = answer.map_err(failed).and_then(|answer| {
            if table.game.flag() {
                return Ok(None);
            }
            if has_level
                && !answer.has_levels
                && table.failures == 0
                && table.game.path(node).len() <= 2
            {
                let text = format!("{name} has no levels: it plays by time");
                self.tell(Some(id), What::Message(Gravity::Info, text));
            }
            let best = answer.best.as_deref().unwrap_or("(none)");
            let refused = |error: GameFault| (error.to_string(), answer.last_words.clone());
            let played = table.game.play(node, best, By::Engine).map_err(refused)?;
            let eval = side.filter(|_| !has_level).and_then(|side| answer.sight.eval(side));
            if eval.is_some_and(|eval| table.game.learn(node, eval)) {
                self.tell(Some(id), What::Eval(node));
            }
            Ok(Some(played))
        });
        match played {
            Ok(played) => {
                table.failures = 0;
                if let Some(played) = played {
                    self.tell(Some(id), What::Node(played.node));
                }
            }
            Err((error, last_words)) => {
                table.failures += 1;
                self.pool.dismiss(|duty| duty.game == *id && matches!(duty.need, Need::Side(_)));
                let (gravity, text) = if table.failures < MOST_FAILURES {
                    (Gravity::Warning, format!("{name}: {error}; it is started again{last_words}"))
                } else {
                    table.failures = 0;
                    table.game.pause(true);
                    let failed =
                        format!("it has failed {MOST_FAILURES} times, and the game is paused");
                    (Gravity::Error, format!("{name}: {error}; {failed}{last_words}"))
                };
                self.tell(Some(id), What::Message(gravity, text));
            }
        }
        self.attend(&mut table);
        self.tell_standing(&table);
    }

    /// Sends the standing of a game, and its entry in the list if it is over.
    pub fn tell_standing(&self, table: &Table) {
        self.tell(Some(&table.game.id), What::Head);
        if table.game.state == State::Over {
            self.tell_listed(&table.game.id);
        }
    }

    /// Names a good move, later.
    ///
    /// # Errors
    /// There is no such position, the game is over there, or no thread can ask an engine.
    pub fn hint(
        self: &Arc<Self>,
        table: &Table,
        node: NodeId,
        answer: impl FnOnce(Result<String, String>) + Send + 'static,
    ) -> Result<(), Refusal> {
        let game = &table.game;
        let board = game.board(node)?;
        if board.turn().is_none() {
            return Err(GameFault::Over.into());
        }
        let go = Go { move_time: Some(HINT_TIME), ..Go::default() };
        let question = Question {
            position: game.command_to(node),
            go: Command::Go(go).to_string(),
            allowed: Some(HINT_TIME),
            variant: board.variant(),
            options: common_options(),
        };
        let duty = Duty { game: game.id.clone(), need: Need::Hint, engine: 0 };
        let hall = Arc::clone(self);
        self.spawn("hint", move || {
            let asked = hall.pool.ask(&duty, &question, &Stop::default(), |_| ());
            let best = asked.map_err(|error| format!("{error}{}", error.last_words()));
            let nothing = |last_words| format!("the engine names no move{last_words}");
            answer(best.and_then(|answer| answer.best.ok_or_else(|| nothing(answer.last_words))));
        })?;
        Ok(())
    }

    /// Looks whether the player to move has run out of time, when that will be so, and not when it would have been so before.
    fn set_timer(self: &Arc<Self>, table: &mut Table) {
        if let Some(timer) = table.timer.take() {
            timer.abort();
        }
        let game = &table.game;
        let Some(left) =
            game.turn().filter(|_| game.is_running()).and_then(|player| game.left(player))
        else {
            return;
        };
        let (hall, id, head) = (Arc::clone(self), game.id.clone(), game.head);
        let timer = self.runtime.spawn(async move {
            tokio::time::sleep(Duration::from_millis(left.saturating_add(1))).await;
            // Whoever waits for a table or a file does so on a thread that nobody else waits for.
            tokio::task::spawn_blocking(move || hall.look_at_clock(&id, head));
        });
        table.timer = Some(timer.abort_handle());
    }

    /// Ends a game that still stands here if the player to move has run out of time.
    fn look_at_clock(self: &Arc<Self>, id: &GameId, head: NodeId) {
        let Ok(table) = self.table(id) else { return };
        let mut table = lock(&table);
        if table.game.head == head && table.game.is_running() && table.game.flag() {
            self.attend(&mut table);
            self.tell_standing(&table);
        }
    }
}

/// A number for the option `Seed`, the same throughout a game.
fn seed(id: &GameId) -> u32 {
    id.to_string().bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
        >> 1
}

//! What a page asks, done.

use std::sync::Arc;

use oshi::games::language::Language;
use oshi::games::{PositionError, StartPosition, Variant, variant_names};

use oshi::protocol::Level;
use tokio::sync::mpsc::Sender;

use crate::board::{self, Board};
use crate::driver::{Stop, Stopped};
use crate::engines::Engine;
use crate::exchange;
use crate::export::{self, ExportFault};
use crate::game::{By, Game, GameFault, GameId, LONGEST_TIME, Seat, SeatKind, now};
use crate::hall::{Hall, NoGame, NoThread, Unkept, Unremoved};
use crate::message::{
    Answer, CheckedView, ClockOrder, GameView, Order, Reply, SeatOrder, StartOrder,
};
use crate::news::What;
use crate::sync::lock;
use crate::table::Table;
use crate::watch::WatchFault;

/// Number of imported games per list event.
const LISTED: usize = 256;

/// Why an order is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] NoGame),
    /// The game does not allow it.
    #[error(transparent)]
    Fault(#[from] GameFault),
    /// A position line is not valid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A word that is none of those it should be.
    #[error("unknown {what} `{found}`; expected {expected}")]
    Word {
        /// What it should name.
        what: &'static str,
        /// The word.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// There is no room for another game.
    #[error(transparent)]
    Unkept(#[from] Unkept),
    /// A text holds no game.
    #[error(transparent)]
    Text(#[from] basho::records::convert::ConvertError),
    /// A game cannot be given out like this.
    #[error(transparent)]
    Export(#[from] ExportFault),
    /// A time is too long.
    #[error("a time of {0} ms; expected at most {LONGEST_TIME}")]
    Time(u64),
    /// The tournament has no such game.
    #[error(transparent)]
    Watch(#[from] WatchFault),
    /// The system is out of threads.
    #[error(transparent)]
    Thread(#[from] NoThread),
    /// It was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A game cannot be removed.
    #[error(transparent)]
    Unremoved(#[from] Unremoved),
    /// There is no engine of that number.
    #[error("no engine {0}; expected one of the command line")]
    Engine(usize),
}

/// A word of a page as the value it names.
fn word<T>(
    what: &'static str,
    found: &str,
    value: Option<T>,
    expected: impl FnOnce() -> String,
) -> Result<T, Refusal> {
    value.ok_or_else(|| Refusal::Word {
        what,
        found: oshi::game::quote(found),
        expected: expected(),
    })
}

/// Whose order it is.
pub struct Caller {
    /// In which language it is answered.
    pub language: Language,
    /// The number of the order.
    pub tag: Option<u64>,
    /// Where answers go that take longer.
    pub late: Sender<Answer>,
    /// Cancels the order when its tab closes or the program ends.
    pub stop: Stop,
}

impl Hall {
    /// Does what a page asks; the answers go to its tab alone. What belongs to a tab (its language, what it looks at) is the tab's.
    ///
    /// # Errors
    /// [`Refusal`]; then nothing has changed.
    pub fn obey(self: &Arc<Self>, order: Order, caller: &Caller) -> Result<Vec<Reply>, Refusal> {
        let language = caller.language;
        match order {
            // A tab's own affairs.
            Order::Hello { .. }
            | Order::Open { .. }
            | Order::Close { .. }
            | Order::Watch
            | Order::Unwatch => {}
            Order::Games => return Ok(vec![self.list()]),
            Order::New { variant, layout, start, players, clock, swap } => {
                let variant = word("variant", &variant, variant.parse().ok(), variant_names)?;
                let mut seats = self.seats(players)?;
                if swap {
                    seats.reverse();
                }
                let (board, moves) = start_of(variant, layout.as_deref(), start)?;
                let mut game = Game::new(GameId::unused(), board, seats, None);
                game.begun = Some(now());
                game.begin_after(&moves)?;
                game.set_clock(clock.map(times).transpose()?);
                return self.begin(game, language).map(|reply| vec![reply]);
            }
            Order::Delete { game } => self.remove(&game)?,
            Order::Play { game: id, node, r#move, branch } => {
                let table = self.table(&id)?;
                let mut table = lock(&table);
                let played =
                    table.game.play(node, &r#move, if branch { By::Nobody } else { By::Person })?;
                self.tell(Some(&id), What::Node(played.node));
                if played.in_game {
                    self.attend(&mut table);
                    self.tell_standing(&table);
                } else {
                    self.save(&table.game);
                }
                return Ok(vec![Reply::Done { node: Some(played.node) }]);
            }
            Order::Goon { game, node, players, clock } => {
                let seats = players.map(|players| self.seats(players)).transpose()?;
                let clock = clock.map(times).transpose()?;
                self.change(&game, What::Players, |table| {
                    table.game.go_on(node)?;
                    if let Some(seats) = seats {
                        table.game.seats = seats;
                        table.game.set_clock(clock);
                    }
                    Ok(())
                })?;
            }
            Order::Takeback { game } => {
                self.change(&game, What::Head, |table| table.game.take_back())?
            }
            Order::Resign { game } => {
                self.change(&game, What::Head, |table| table.game.resign())?
            }
            Order::Hint { game: id, node } => {
                let table = self.table(&id)?;
                let table = lock(&table);
                let board = table.game.board(node)?.clone();
                let (late, tag) = (caller.late.clone(), caller.tag);
                let answer = move |best: Result<String, String>| {
                    let reply = match best {
                        Ok(best) => {
                            let name = board
                                .follow(std::slice::from_ref(&best), language)
                                .into_iter()
                                .next();
                            let name = name.map(|step| step.name).unwrap_or_default();
                            Reply::Hint { game: id, node, r#move: best, name }
                        }
                        Err(text) => Reply::Error { text },
                    };
                    // A tab that is gone or far behind needs no hint.
                    let _ = late.try_send(Answer { tag, reply });
                };
                self.hint(&table, node, answer)?;
                return Ok(Vec::new());
            }
            Order::Review { game, ms } => self.review(&mut lock(&*self.table(&game)?), ms)?,
            Order::Unreview { game } => self.unreview(&mut lock(&*self.table(&game)?)),
            Order::Import { text, name, variant } => {
                let named = variant
                    .as_deref()
                    .map_or_else(|| Some(Variant::default()), |name| name.parse().ok());
                let variant =
                    word("variant", variant.as_deref().unwrap_or_default(), named, variant_names)?;
                return self.import(&text, &name, variant, caller);
            }
            Order::Export { game, node, r#as } => {
                let table = self.table(&game)?;
                let export = export::export(&lock(&table).game, node, r#as, language)?;
                return Ok(vec![Reply::Exported(export)]);
            }
            Order::Watched { game } => {
                let game = self.watch.as_ref().ok_or(WatchFault::NotWatching)?.game(game)?;
                caller.stop.check()?;
                return self.begin(game, language).map(|reply| vec![reply]);
            }
            Order::Check { position } => {
                let checked = CheckedView::of(&board::read(&position)?, language);
                return Ok(vec![Reply::Checked(Box::new(checked))]);
            }
            Order::Swap { game } => self.change(&game, What::Players, |table| {
                table.game.seats.reverse();
                Ok(())
            })?,
            Order::Players { game, players, clock } => {
                let (seats, clock) = (self.seats(players)?, clock.map(times).transpose()?);
                self.change(&game, What::Players, |table| {
                    table.game.seats = seats;
                    table.game.set_clock(clock);
                    Ok(())
                })?;
            }
            Order::Pause { game, on } => self.change(&game, What::Head, |table| {
                table.game.pause(on);
                Ok(())
            })?,
            Order::Promote { game, node } => {
                self.change(&game, What::Game, |table| table.game.promote(node))?
            }
            Order::Prune { game, node } => {
                self.change(&game, What::Pruned(node), |table| {
                    table.game.prune(node)?;
                    self.unreview_removed(table);
                    Ok(())
                })?;
                self.tell(Some(&game), What::Head);
            }
            Order::Analyse { game, node, lines, engine } => {
                self.engine(engine)?;
                let table = self.table(&game)?;
                self.analyse(&mut lock(&table), node, lines, engine, caller.late.clone())?;
            }
            Order::Rest { game } => self.rest(&mut lock(&*self.table(&game)?)),
        }
        Ok(vec![Reply::Done { node: None }])
    }

    /// Changes a game, lets it go on from there, and tells everybody.
    fn change(
        self: &Arc<Self>,
        id: &GameId,
        what: What,
        change: impl FnOnce(&mut Table) -> Result<(), GameFault>,
    ) -> Result<(), Refusal> {
        let table = self.table(id)?;
        let mut table = lock(&table);
        change(&mut table)?;
        // Before the engine that is to move tells of itself.
        self.tell(Some(id), what);
        self.attend(&mut table);
        self.tell_listed(id);
        Ok(())
    }

    /// Sends the new or changed entry of a game in the list.
    pub fn tell_listed(&self, id: &GameId) {
        self.tell(None, What::Listed(std::iter::once(id.clone()).collect()));
    }

    fn seats(&self, orders: [SeatOrder; 2]) -> Result<[Seat; 2], Refusal> {
        let [black, white] = orders;
        Ok([self.seat(black)?, self.seat(white)?])
    }

    fn seat(&self, order: SeatOrder) -> Result<Seat, Refusal> {
        let SeatOrder::Engine { engine, level, movetime } = order else {
            return Ok(Seat::default());
        };
        if let Some(level) = &level {
            let names =
                || Level::ALL.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ");
            word("level", level, level.parse::<Level>().ok(), names)?;
        }
        let name = Seat::name_of(&self.engine(engine)?.name, level.as_deref());
        let movetime = movetime.map(time).transpose()?;
        Ok(Seat { kind: SeatKind::Engine { engine, level, movetime }, name })
    }

    fn engine(&self, number: usize) -> Result<&Engine, Refusal> {
        self.pool.engines().get(number).ok_or(Refusal::Engine(number))
    }

    /// A game is there for all.
    fn begin(&self, game: Game, language: Language) -> Result<Reply, Refusal> {
        let reply = Reply::Game(Box::new(GameView::of(&game, language)));
        let id = game.id.clone();
        self.add(game)?;
        self.tell_listed(&id);
        Ok(reply)
    }

    /// Adds the games of a text and shows the first. If one cannot be kept, or the order is
    /// cancelled, the games before it stay.
    fn import(
        &self,
        text: &str,
        name: &str,
        variant: Variant,
        caller: &Caller,
    ) -> Result<Vec<Reply>, Refusal> {
        let import = exchange::import(text, name, variant, self.room(), &caller.stop)?;
        let count = import.games.len();
        self.check_room(count)?;
        let first = import
            .games
            .first()
            .map(|game| Reply::Game(Box::new(GameView::of(game, caller.language))));
        let (mut games, mut told) = (Vec::with_capacity(count), 0);
        let tell = |games: &[GameId]| self.tell(None, What::Listed(games.into()));
        for mut game in import.games {
            self.pool.recognise(&mut game.seats);
            let id = game.id.clone();
            let added = if caller.stop.is_pulled() {
                Err(Stopped.into())
            } else {
                self.add(game).map_err(Refusal::from)
            };
            let is_last = added.is_err() || games.len() + 1 == count;
            games.extend(added.is_ok().then_some(id));
            if is_last || games.len() - told == LISTED {
                tell(games.get(told..).unwrap_or_default());
                told = games.len();
            }
            added?;
        }
        let imported = Reply::Imported { games, errors: import.errors, untold: import.untold };
        Ok(std::iter::once(imported).chain(first).collect())
    }
}

/// The start of a new game, and the moves that it begins after.
fn start_of(
    variant: Variant,
    layout: Option<&str>,
    start: StartOrder,
) -> Result<(Board, Vec<String>), Refusal> {
    let layout = layout.unwrap_or_default();
    let named = if layout.is_empty() { Some(Default::default()) } else { layout.parse().ok() };
    let layout = word("layout", layout, named, board::layout_names)?;
    let drawn = |seed| (board::start(StartPosition { variant, layout, seed }), Vec::new());
    Ok(match start {
        StartOrder::Usual => drawn(None),
        StartOrder::Random => drawn(Some(rand::random())),
        StartOrder::Seed(seed) => drawn(Some(seed)),
        StartOrder::Position(line) => (board::read(&line)?, Vec::new()),
        StartOrder::Line(line) => {
            let sheet = exchange::read_line(&line, variant)?;
            (board::read(&sheet.start)?, sheet.moves)
        }
    })
}

fn times(clock: ClockOrder) -> Result<(u64, u64), Refusal> {
    Ok((time(clock.ms)?, time(clock.inc)?))
}

/// A time in milliseconds that an engine can be told, however often it is added to a clock.
fn time(ms: u64) -> Result<u64, Refusal> {
    if ms <= LONGEST_TIME { Ok(ms) } else { Err(Refusal::Time(ms)) }
}

//! What a page asks, done.

use oshi::games::language::Language;
use oshi::games::{PositionError, StartPosition, Variant, variant_names};

use crate::board;
use crate::game::{Game, GameFault, GameId, Seat, SeatKind};
use crate::hall::{Hall, NoGame, What, lock};
use crate::message::{ClockOrder, GameView, Order, Reply, SeatOrder, StartOrder};

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
    /// There is no engine of that number.
    #[error("no engine {0}; expected one of the command line")]
    Engine(usize),
}

impl Refusal {
    /// The line of a text that is wrong.
    pub fn line(&self) -> Option<usize> {
        None
    }
}

/// A word of a page as the value it names.
fn word<T>(what: &'static str, found: &str, value: Option<T>, expected: impl FnOnce() -> String) -> Result<T, Refusal> {
    value.ok_or_else(|| Refusal::Word { what, found: oshi::game::quote(found), expected: expected() })
}

impl Hall {
    /// Does what a page asks; the answers go to its tab alone. What belongs to a tab (its language, what it looks at) is the tab's.
    ///
    /// # Errors
    /// [`Refusal`]; then nothing has changed.
    pub fn obey(&self, order: Order, language: Language) -> Result<Vec<Reply>, Refusal> {
        match order {
            Order::Hello { .. } | Order::Open { .. } | Order::Close { .. } => {}
            Order::Games => return Ok(vec![Reply::Games { games: self.entries() }]),
            Order::New { variant, layout, start, players, clock, swap } => {
                let variant = word("variant", &variant, variant.parse().ok(), variant_names)?;
                let mut seats = self.seats(players)?;
                if swap {
                    seats.reverse();
                }
                let board = self.start(variant, layout.as_deref(), start)?;
                let game = Game::new(GameId::unused(), board, seats, clock.map(times));
                let reply = Reply::Game(Box::new(GameView::of(&game, language)));
                self.add(game);
                return Ok(vec![reply]);
            }
            Order::Delete { game } => self.remove(&game)?,
            Order::Play { game: id, node, r#move } => {
                let table = self.table(&id)?;
                let mut table = lock(&table);
                let played = table.game.play(node, &r#move, false)?;
                self.tell(Some(&id), What::Node(played.node));
                self.tell(Some(&id), What::Head);
            }
            Order::Goon { game: id, node, players, clock } => {
                let table = self.table(&id)?;
                let mut table = lock(&table);
                let seats = players.map(|players| self.seats(players)).transpose()?;
                table.game.go_on(node)?;
                if let Some(seats) = seats {
                    table.game.seats = seats;
                    table.game.set_clock(clock.map(times));
                }
                self.tell(Some(&id), What::Players);
            }
            Order::Takeback { game: id } => {
                lock(&*self.table(&id)?).game.take_back()?;
                self.tell(Some(&id), What::Head);
            }
            Order::Resign { game: id } => {
                lock(&*self.table(&id)?).game.resign()?;
                self.tell(Some(&id), What::Head);
            }
            Order::Hint { .. } => {}
            Order::Swap { game: id } => {
                lock(&*self.table(&id)?).game.seats.reverse();
                self.tell(Some(&id), What::Players);
            }
            Order::Players { game: id, players, clock } => {
                let seats = self.seats(players)?;
                let table = self.table(&id)?;
                let mut table = lock(&table);
                table.game.seats = seats;
                table.game.set_clock(clock.map(times));
                self.tell(Some(&id), What::Players);
            }
            Order::Pause { game: id, on } => {
                lock(&*self.table(&id)?).game.pause(on);
                self.tell(Some(&id), What::Head);
            }
            Order::Promote { game: id, node } => {
                lock(&*self.table(&id)?).game.promote(node)?;
                self.tell(Some(&id), What::Game);
            }
            Order::Prune { game: id, node } => {
                lock(&*self.table(&id)?).game.prune(node)?;
                self.tell(Some(&id), What::Pruned(node));
                self.tell(Some(&id), What::Head);
            }
        }
        Ok(Vec::new())
    }

    fn seats(&self, orders: [SeatOrder; 2]) -> Result<[Seat; 2], Refusal> {
        let [black, white] = orders;
        Ok([self.seat(black)?, self.seat(white)?])
    }

    fn seat(&self, order: SeatOrder) -> Result<Seat, Refusal> {
        let SeatOrder::Engine { engine, level, movetime } = order else { return Ok(Seat::default()) };
        if engine != 0 {
            return Err(Refusal::Engine(engine));
        }
        Ok(Seat { kind: SeatKind::Engine { engine, level, movetime }, name: "oshi".to_owned() })
    }

    fn start(&self, variant: Variant, layout: Option<&str>, start: StartOrder) -> Result<board::Board, Refusal> {
        let layout = layout.unwrap_or_default();
        let named = if layout.is_empty() { Some(Default::default()) } else { layout.parse().ok() };
        let layout = word("layout", layout, named, board::layout_names)?;
        let at_random = |seed| board::start(StartPosition { variant, layout, seed });
        Ok(match start {
            StartOrder::Usual => at_random(None),
            StartOrder::Random => at_random(Some(rand::random())),
            StartOrder::Seed(seed) => at_random(Some(seed)),
            StartOrder::Position(line) | StartOrder::Line(line) => board::read(&line)?,
        })
    }
}

fn times(clock: ClockOrder) -> (u64, u64) {
    (clock.ms, clock.inc)
}

//! Kamisado (Peter Burley): rules, text forms, pictures and evaluation.
//!
//! A match consists of rounds, with Sumos, oshi pushes, points and refills. Rule labels such as D6
//! or S10 are those of the published rules.
//!
//! ```
//! use oshi::game::{Game, Player, Text};
//! use oshi::games::kamisado::{Colour, Match, Target};
//!
//! let mut position: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3".parse()?;
//! assert_eq!(position, Match::start(Target::Standard));
//! assert!(position.is_free_choice());
//!
//! // The yellow tower moves to a square of the colour orange, which calls White's orange tower.
//! position.play(position.parse_move("d1d5")?);
//! assert_eq!(position.turn(), Player::White);
//! assert_eq!(position.called(), Some(Colour::Orange));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
pub mod eval;
mod layout;
mod picture;
mod position_line;
mod refill;
mod round;
mod rules;
mod square;
mod svg;
mod text;
mod words;

pub use layout::Layout;
pub use position_line::PositionError;
pub use refill::Side;
pub use rules::{Match, Move, Target};
pub use square::{Colour, Square};
